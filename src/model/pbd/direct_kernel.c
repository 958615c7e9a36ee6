// XPBD, all constraints of a rod at once. A substep of length h goes from where forces from outside would take the rod (x*) to the least of
//
//     Phi = sum m |x - x*|^2 / (2 h^2) + sum J (turn - turn*)^2 / (2 h^2) + E ,
//     E = sum k (|e| - L)^2 / 2 + sum (beta - rest)' K (beta - rest) / 2 ,
//
// which is where multipliers of constraints with compliance 1/k and 1/K meet their ends: backward Euler. Each iteration solves the linear system of all constraints along the rod
// (Gauss-Newton, with the tension of edges that pull), whose matrix is positive definite; a step that leads to a higher Phi, and to no lower one soon, is halved. As Phi ends no higher than it began, at the smaller of its values at x* and at the
// start, nothing can blow up, however few the iterations and whatever the stiffness.
#include "model/pbd/system.h"

#ifdef CORD_KERNEL_AVX2
#define PBD_DIRECT pbd_direct_avx2
#else
#define PBD_DIRECT pbd_direct_plain
#endif

#define MOST_HALVINGS 20 // of an iteration
#define FIRST_TURN 0.5   // of frames, from where a solve starts, at the most [rad]
#define PATIENCE 4       // iterations in a row that may raise Phi
#define ROUND_OFF 1e-12  // of Phi

// The largest move of any node over the mean edge, or turn of any frame, whichever is larger.
static CordWide size_of_step(const PbdLanes* p)
{
    CordWide most = wide_set(0.0), turn = most;
    for (int i = 0; i < p->node_count; i++) {
        const CordWide* d = p->slots[i].step;
        most = wide_max(most, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        turn = wide_max(turn, wide_abs(d[3]));
    }
    return wide_max(wide_sqrt(most) / p->mean_edge, turn);
}

// ---- where a try leads

// Frames follow from those that were kept.
WIDE_INLINE void follow(PbdSlot* s, const PbdSlot* next, CordWideMask goes)
{
    Wide3 t = pbd_tangent(sub3(next->x, s->x), s->kept_t, s->rest_length, &s->length);
    Wide3 u = pbd_across(pbd_carried(s->kept_m1, s->kept_t, t), t);
    s->m1 = select3(goes, pbd_turned(u, t, s->turn - s->kept_turn), s->kept_m1);
    s->t = select3(goes, t, s->kept_t);
}

static void follow_all(PbdLanes* p, CordWideMask goes)
{
    for (int i = 0; i < p->edge_count; i++) {
        follow(&p->slots[i], &p->slots[pbd_next(p, i)], goes);
    }
}

static void try_share(PbdLanes* p, CordWide share)
{
    CordWideMask goes = (CordWideMask)(share > wide_set(0.0));
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        Wide3 x = madd3(s->kept, (Wide3){s->step[0], s->step[1], s->step[2]}, share);
        s->x = select3(goes, x, s->kept); // a step that is not a number goes nowhere
        s->turn = wide_select(goes, s->kept_turn + share * s->step[3], s->kept_turn);
    }
    follow_all(p, goes);
}

static void keep(PbdLanes* p)
{
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        s->kept = s->x;
        s->kept_t = s->t, s->kept_m1 = s->m1;
        s->kept_turn = s->turn;
    }
}

// ---- a substep

// From x*, unless all stays nearer to the least of Phi where it is: what is held is where it goes, at any rate.
static void begin_at(PbdLanes* p)
{
    const CordWide most = wide_set(FIRST_TURN), held = wide_set(PBD_HELD);
    CordWide there = wide_set(0.0);
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        Wide3 off = sub3(s->goal, s->start);
        CordWideMask fixed = (CordWideMask)(s->inertia >= held), stands = (CordWideMask)(s->spin_inertia >= held);
        CordWide turn = wide_max(-most, wide_min(most, s->turn_goal));
        there += wide_select(fixed, wide_set(0.0), s->inertia * dot3(off, off));
        s->x = s->goal;
        s->turn = wide_select(stands, s->turn_goal, turn);
        s->step[0] = wide_select(fixed, wide_set(0.0), -off.x),
        s->step[1] = wide_select(fixed, wide_set(0.0), -off.y);
        s->step[2] = wide_select(fixed, wide_set(0.0), -off.z);
        s->step[3] = wide_select(stands, wide_set(0.0), -s->turn);
        s->kept_turn = wide_set(0.0);
    }
    follow_all(p, (CordWideMask){-1, -1, -1, -1});
    CordWide ahead = merit(p);
    CordWideMask doubtful = ~(CordWideMask)(ahead <= there);
    if (wide_any(doubtful)) {
        keep(p);
        try_share(p, wide_set(1.0));
        CordWideMask back = doubtful & ~(CordWideMask)(ahead <= merit(p));
        try_share(p, wide_select(back, wide_set(1.0), wide_set(0.0)));
    }
    keep(p);
}

static void remember(PbdLanes* p, CordWideMask which)
{
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        s->best = select3(which, s->kept, s->best);
        s->best_t = select3(which, s->kept_t, s->best_t), s->best_m1 = select3(which, s->kept_m1, s->best_m1);
        s->best_turn = wide_select(which, s->kept_turn, s->best_turn);
    }
}

static void go_back(PbdLanes* p, CordWideMask which)
{
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        s->kept = select3(which, s->best, s->kept);
        s->kept_t = select3(which, s->best_t, s->kept_t), s->kept_m1 = select3(which, s->best_m1, s->kept_m1);
        s->kept_turn = wide_select(which, s->best_turn, s->kept_turn);
    }
    try_share(p, wide_set(0.0));
}

// A step that turns edges lengthens them by the square of the turn, so that Phi of a stiff rod rises though the next step would bring it far down (Maratos). So Phi may rise, a few
// iterations long; if it has not come down below where it was by then, all goes back to there, and from now on it may not.
typedef struct Descent {
    CordWide best;                    // least Phi so far
    CordWide left;                    // iterations that may still raise it
    CordWideMask done, above, strict; // at the end; above the least; not to rise any more
} Descent;

typedef struct Tried {
    CordWide phi, share;
    CordWideMask rises, back; // it is let rise; it has risen for too long
} Tried;

// The whole step, or as much of it as does not raise Phi where it may not. `last`: no system is needed there.
static Tried try_step(PbdLanes* p, const Descent* d, CordWideMask ending, bool last)
{
    const CordWide zero = wide_set(0.0), half = wide_set(0.5);
    const CordWide most = d->best + wide_set(ROUND_OFF) * wide_abs(d->best);
    Tried t = {.share = wide_select(d->done, zero, wide_set(1.0))};
    for (int halvings = 0;; halvings++) {
        try_share(p, t.share);
        t.phi = last ? merit(p) : assemble(p);
        CordWideMask worse = ~d->done & (CordWideMask)(t.share > zero) & ~(CordWideMask)(t.phi <= most);
        t.rises = worse & ~d->strict & ~ending & (CordWideMask)(d->left > zero) &
                  (CordWideMask)(t.phi < wide_set(INFINITY));
        t.back = worse & ~t.rises & d->above;
        worse &= ~t.rises & ~d->above;
        if (!wide_any(worse)) {
            return t;
        }
        t.share = wide_select(worse, halvings < MOST_HALVINGS ? half * t.share : zero, t.share);
    }
}

static void take_step(PbdLanes* p, Descent* d, const Tried* t, CordWideMask small)
{
    CordWideMask falls = ~d->done & ~t->rises & ~t->back;
    remember(p, t->rises & ~d->above);
    keep(p);
    d->best = wide_select(falls, t->phi, d->best);
    d->left = wide_select(t->rises, d->left - wide_set(1.0), wide_select(falls, wide_set(PATIENCE), d->left));
    d->above = t->rises | (d->above & ~falls & ~t->back);
    d->done |= (small & ~t->back) | (CordWideMask)(t->share <= wide_set(0.0));
    d->strict |= t->back;
    if (wide_any(t->back)) {
        go_back(p, t->back);
    }
}

static void minimise(PbdLanes* p)
{
    const CordWideMask none = {0, 0, 0, 0};
    Descent d = {assemble(p), wide_set(PATIENCE), none, none, none};
    for (int n = 0; n < p->def.iterations && wide_any(~d.done); n++) {
        solve(p);
        CordWideMask small = (CordWideMask)(size_of_step(p) <= wide_set(p->def.tolerance));
        CordWideMask ending = n + 1 == p->def.iterations ? ~none : small;
        bool last = wide_all(d.done | ending);
        Tried t = try_step(p, &d, ending, last);
        take_step(p, &d, &t, small);
        if (wide_any(~d.done) && n + 1 < p->def.iterations && (last || wide_any(t.back))) {
            assemble(p); // the system is not that of where all is now
        }
    }
    if (wide_any(d.above)) {
        go_back(p, d.above);
    }
}

// A rod that nothing holds has the momentum that forces from outside have given it, also where iterations ran out or were cut short: E does not change as all of it is moved, and Phi falls.
static void keep_momentum(PbdLanes* p)
{
    const CordWide zero = wide_set(0.0), held = wide_set(PBD_HELD);
    CordWide sum = zero;
    CordWideMask loose = {-1, -1, -1, -1};
    Wide3 off = zero3();
    for (int i = 0; i < p->node_count; i++) {
        const PbdSlot* s = &p->slots[i];
        loose &= (CordWideMask)(s->inertia < held) & (CordWideMask)(s->rail_hold == zero);
        sum += s->inertia;
        off = madd3(off, sub3(s->goal, s->x), s->inertia);
    }
    off = mul3(off, wide_set(1.0) / sum);
    loose &= (CordWideMask)(dot3(off, off) > wide_set(1e-24) * p->mean_edge * p->mean_edge);
    if (!wide_any(loose)) {
        return;
    }
    off = select3(loose, off, zero3());
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        s->x = s->kept = add3(s->x, off);
    }
}

static void begin_substep(PbdLanes* p)
{
    const CordWide h = wide_set(p->h);
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        pbd_push(p, s);
        s->spin += s->spin_push;
        s->start = s->kept;
        s->goal = madd3(s->start, s->v, h);
        s->turn_goal = h * s->spin;
    }
    pbd_resist(p);
}

static void end_substep(PbdLanes* p)
{
    const CordWide per = wide_set(1.0 / p->h);
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        s->v = mul3(sub3(s->x, s->start), per);
        s->spin = s->turn * per;
    }
}

void PBD_DIRECT(PbdLanes* p)
{
    for (int n = 0; n < p->def.substeps; n++) {
        begin_substep(p);
        begin_at(p);
        minimise(p);
        keep_momentum(p);
        end_substep(p);
    }
}
