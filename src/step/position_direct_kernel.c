// XPBD (Macklin, Mueller and Chentanez 2016) with all constraints of a rod solved together. A substep of
// length h goes from the positions x* that external forces alone would give to the minimum of
//
//     Phi = sum m |x - x*|^2 / (2 h^2) + sum J (turn - turn*)^2 / (2 h^2) + E ,
//     E = sum k (|e| - L)^2 / 2 + sum (beta - rest)' K (beta - rest) / 2 ,
//
// which is the fixed point of XPBD with compliances 1/k and 1/K: backward Euler. Each iteration solves the
// linear system of Newton's method, or, where that is not positive definite, of Gauss-Newton with the tension
// of stretched edges, which always is. The step rotates stiff edges rather than stretching them. A step that
// raises Phi, and does not lower it soon after, is halved. Phi ends no higher than the smaller of its values
// at x* and at the start, so the step is stable for any iteration count and stiffness; the angular momentum
// that is restored after it is bounded, too.
#include "step/position_system.h"

#include "math/kernel.h"

#include <float.h>

#define MOST_HALVINGS 20  // halvings of a step
#define FIRST_TURN 0.5    // largest initial rotation of frames [rad]
#define PATIENCE 4        // iterations in a row that may raise Phi
#define UNSEEN_SHARE 0.01 // stretching energy that a straight step may add, over Phi
#define ROUND_OFF 1e-12   // of Phi
#define LEAST_MOMENT 1e-9 // smallest moment of inertia, over the sum of all three
#define SPIN_GAIN 0.01    // share of its energy that a rotation may gain in a step

// ---- trial steps

static void follow_all(PbdLanes* p, CordWideMask goes)
{
    if (is_single(p)) {
        follow_single(p, goes);
        return;
    }
    for (int i = 0; i < p->edge_count; i++) {
        pbd_follow(&p->slots[i], &p->slots[pbd_next(p, i)], goes);
    }
}

WIDE_INLINE void move_node(PbdSlot* s, CordWide share, CordWideMask goes)
{
    Wide3 x = madd3(s->kept, (Wide3){s->step[0], s->step[1], s->step[2]}, share);
    s->x = select3(goes, x, s->kept); // a step that is not finite is not taken
    s->turn = wide_select(goes, s->kept_turn + share * s->step[3], s->kept_turn);
}

static Wide3 edge_at(const PbdLanes* p, int i)
{
    return sub3(p->slots[pbd_next(p, i)].x, p->slots[i].x);
}

// Moves the nodes along straight lines. The tension is that of the linear system, not that of the edge
// length: a relative stretch of a millionth in a stiff edge is a force beyond all others. Returns twice the
// stretching energy that the linear system does not see. One pass does all, since a long rod is larger than
// the cache.
static CordWide move_by(PbdLanes* p, CordWide share, CordWideMask goes)
{
    CordWide unseen = wide_set(0.0);
    move_node(&p->slots[0], share, goes);
    for (int i = 0; i < p->edge_count; i++) {
        PbdSlot* s = &p->slots[i];
        if (i + 1 < p->node_count) {
            move_node(s + 1, share, goes);
        }
        Wide3 e = edge_at(p, i);
        CordWide counted = dot3(s->kept_t, e), more = wide_sqrt(dot3(e, e)) - counted;
        s->tension = wide_select(goes, s->now_stretch * (counted - s->now_length), s->kept_tension);
        unseen += s->now_stretch * more * more;
    }
    return unseen;
}

static void try_straight(PbdLanes* p, CordWide share)
{
    CordWideMask goes = (CordWideMask)(share > wide_set(0.0));
    move_by(p, share, goes);
    follow_all(p, goes);
}

// A step that moves nodes along straight lines stretches the edges that it rotates, to second order in the
// angle. The linear system does not see this, and for a stiff rod Phi rises by it alone (the Maratos effect;
// Nocedal and Wright, Numerical Optimization, section 15.5). Such a step therefore gives edges their new
// direction, but the length that the linear system assumed. The corrections u of the nodes minimise
//
//     sum m/h^2 |u|^2 + sum k |u_next - u - correction|^2
//
// where correction is that of an edge vector. This is a chain of springs. Its nodes are eliminated from
// the last one on, each replaced by springs between its neighbours (star-triangle transformation). All terms
// are positive, so there is no cancellation, however stiff the chain is. If both ends are held, or the rod is
// a ring, the corrections are shared.

static void measure_corrections(PbdLanes* p)
{
    p->slots[p->node_count - 1].correction = zero3(); // no edge follows the last node
    for (int i = 0; i < p->edge_count; i++) {
        PbdSlot* s = &p->slots[i];
        Wide3 e = edge_at(p, i);
        CordWide least = wide_set(PBD_SHORT) * s->rest_length;
        CordWide is = wide_max(least, wide_sqrt(dot3(e, e))), counted = wide_max(least, dot3(s->kept_t, e));
        s->correction = mul3(e, counted / is - wide_set(1.0));
    }
}

// Returns u of the first node. In an open rod the last node is not coupled to the first: its stiffness is
// zero.
static Wide3 replace_nodes(PbdLanes* p)
{
    PbdSlot *first = &p->slots[0], *last = &p->slots[p->node_count - 1];
    CordWide hold = wide_set(0.0);
    Wide3 pull = zero3();
    last->hold = last->inertia + last->rail_hold, last->hold_pull = zero3();
    last->tie = last->now_stretch, last->tie_pull = mul3(last->correction, -last->tie);
    for (PbdSlot *s = last - 1, *next = last; s >= first; next = s--) {
        next->compliance = wide_set(1.0) / (next->hold + next->tie + s->now_stretch);
        CordWide share = s->now_stretch * next->compliance, held = share * next->hold;
        s->hold = s->inertia + s->rail_hold + held;
        s->hold_pull = madd3(mul3(next->hold_pull, share), s->correction, -held);
        s->tie = share * next->tie;
        s->tie_pull = madd3(mul3(next->tie_pull, share), s->correction, -s->tie);
        hold += next->hold * next->tie * next->compliance;
        pull = madd3(pull, next->hold_pull, next->tie * next->compliance);
        pull = madd3(pull, next->tie_pull, -(next->hold * next->compliance));
    }
    return mul3(add3(first->hold_pull, pull), wide_set(1.0) / (first->hold + hold));
}

static void rotate_edges(PbdLanes* p, CordWideMask which)
{
    measure_corrections(p);
    Wide3 first = replace_nodes(p), u = first;
    p->slots[0].x = select3(which, add3(p->slots[0].x, first), p->slots[0].x);
    for (int i = 1; i < p->node_count; i++) {
        PbdSlot *s = &p->slots[i], *before = s - 1;
        Wide3 pull = madd3(add3(s->hold_pull, s->tie_pull), first, s->tie);
        u = mul3(madd3(pull, add3(u, before->correction), before->now_stretch), s->compliance);
        s->x = select3(which, add3(s->x, u), s->x);
    }
}

// Takes the straight step in lanes where the unseen energy is at most `most`.
static void try_share(PbdLanes* p, CordWide share, CordWide most)
{
    CordWideMask goes = (CordWideMask)(share > wide_set(0.0));
    CordWideMask turns = goes & (CordWideMask)(move_by(p, share, goes) > most);
    if (wide_any(turns)) {
        rotate_edges(p, turns);
    }
    follow_all(p, goes);
}

static void accept(PbdLanes* p)
{
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        s->kept = s->x;
        s->kept_t = s->t, s->kept_m1 = s->m1;
        s->kept_turn = s->turn;
        s->kept_tension = s->tension;
    }
}

// ---- a substep

// Starts from the previous solution of this step if its Phi is lower.
static void try_hint(PbdLanes* p)
{
    const CordWide one = wide_set(1.0), zero = wide_set(0.0), best = merit(p);
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        Wide3 off = sub3(s->hint, s->kept);
        s->step[0] = off.x, s->step[1] = off.y, s->step[2] = off.z;
        s->step[3] = s->hint_turn - s->kept_turn;
    }
    try_straight(p, wide_select(p->hinted, one, zero));
    CordWideMask better = p->hinted & (CordWideMask)(merit(p) < best);
    try_straight(p, wide_select(better, one, zero));
    accept(p);
    p->from_hint = better;
}

// Starts from x*, or from the start of the substep if Phi is lower there. Held nodes go to their targets in
// both cases.
static void begin_at(PbdLanes* p)
{
    const CordWide most = wide_set(FIRST_TURN), held = wide_set(PBD_HELD);
    CordWide there = wide_set(0.0);
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        Wide3 off = sub3(s->goal, s->start);
        CordWideMask fixed = (CordWideMask)(s->inertia >= held),
                     stands = (CordWideMask)(s->spin_inertia >= held);
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
        accept(p);
        try_straight(p, wide_set(1.0));
        CordWideMask back = doubtful & ~(CordWideMask)(ahead <= merit(p));
        try_straight(p, wide_select(back, wide_set(1.0), wide_set(0.0)));
    }
    accept(p);
    p->from_hint = (CordWideMask){0, 0, 0, 0};
    if (wide_any(p->hinted)) {
        try_hint(p);
    }
}

static void save_best(PbdLanes* p, CordWideMask which)
{
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        s->best = select3(which, s->kept, s->best);
        s->best_t = select3(which, s->kept_t, s->best_t), s->best_m1 = select3(which, s->kept_m1, s->best_m1);
        s->best_turn = wide_select(which, s->kept_turn, s->best_turn);
        s->best_tension = wide_select(which, s->kept_tension, s->best_tension);
    }
}

static void return_to_best(PbdLanes* p, CordWideMask which)
{
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        s->kept = select3(which, s->best, s->kept);
        s->kept_t = select3(which, s->best_t, s->kept_t), s->kept_m1 = select3(which, s->best_m1, s->kept_m1);
        s->kept_turn = wide_select(which, s->best_turn, s->kept_turn);
        s->kept_tension = wide_select(which, s->best_tension, s->kept_tension);
    }
    try_straight(p, wide_set(0.0));
}

// Nonmonotone descent (Grippo, Lampariello and Lucidi 1986). A rod that is held at both ends, or is a ring,
// still stretches when its edges rotate, and frames and corners have second-order terms of their own, so Phi
// may rise although the next step would lower it far. A few iterations may raise it. If it is not below the
// earlier minimum by then, the state returns to that minimum, and from then on Phi must fall.
typedef struct Descent {
    CordWide best;                    // twice the least Phi so far
    CordWide left;                    // iterations that may still raise it
    CordWideMask done, above, strict; // converged; above the least Phi; no longer allowed to rise
} Descent;

typedef struct Tried {
    CordWide phi, share;
    CordWideMask rises, back; // may rise; has risen for too long
} Tried;

// Takes the step, halved until Phi falls where it must. `last`: no system is needed at the new state.
static Tried try_step(PbdLanes* p, const Descent* d, CordWideMask ending, bool last)
{
    const CordWide zero = wide_set(0.0), half = wide_set(0.5);
    const CordWide most = d->best + wide_set(ROUND_OFF) * wide_abs(d->best);
    Tried t = {.share = wide_select(d->done, zero, wide_set(1.0))};
    for (int halvings = 0;; halvings++) {
        try_share(p, t.share, wide_set(UNSEEN_SHARE) * d->best);
        t.phi = last ? merit(p) : assemble_exact(p);
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
    if (wide_any(t->rises & ~d->above)) {
        save_best(p, t->rises & ~d->above);
    }
    accept(p);
    d->best = wide_select(falls, t->phi, d->best);
    d->left = wide_select(t->rises, d->left - wide_set(1.0), wide_select(falls, wide_set(PATIENCE), d->left));
    d->above = t->rises | (d->above & ~falls & ~t->back);
    d->done |= (small & ~t->back) | (CordWideMask)(t->share <= wide_set(0.0));
    d->strict |= t->back;
    if (wide_any(t->back)) {
        return_to_best(p, t->back);
    }
}

// The initial tension comes from the edge lengths, or from the previous solution.
static void begin_tension(PbdLanes* p)
{
    for (int i = 0; i < p->edge_count; i++) {
        PbdSlot* s = &p->slots[i];
        CordWide by_length = s->now_stretch * (s->length - s->now_length);
        s->tension = s->kept_tension = wide_select(p->from_hint, s->hint_tension, by_length);
    }
}

static void minimise(PbdLanes* p)
{
    const CordWideMask none = {0, 0, 0, 0};
    p->exact = ~none;
    begin_tension(p);
    Descent d = {assemble_exact(p), wide_set(PATIENCE), none, none, none};
    for (int n = 0; n < p->def.iterations && wide_any(~d.done); n++) {
        CordWideMask small = (CordWideMask)(solve(p) <= wide_set(p->def.tolerance));
        CordWideMask ending = n + 1 == p->def.iterations ? ~none : small;
        bool last = wide_all(d.done | ending);
        Tried t = try_step(p, &d, ending, last);
        take_step(p, &d, &t, small);
        if (wide_any(~d.done) && n + 1 < p->def.iterations && (last || wide_any(t.back))) {
            assemble_exact(p); // the factors belong to another state
        }
    }
    p->unfinished += wide_select(d.done, wide_set(0.0), wide_set(1.0));
    if (wide_any(d.above)) {
        return_to_best(p, d.above);
    }
}

// ---- conservation of momentum

static CordWideMask free_lanes(const PbdLanes* p)
{
    const CordWide zero = wide_set(0.0), held = wide_set(PBD_HELD);
    CordWideMask all = {-1, -1, -1, -1};
    for (int i = 0; i < p->node_count; i++) {
        const PbdSlot* s = &p->slots[i];
        all &= (CordWideMask)(s->inertia < held) & (CordWideMask)(s->rail_hold == zero);
    }
    return all;
}

// Restores the linear momentum of the free motion if iterations ran out: a translation leaves E unchanged and
// lowers Phi.
static void keep_momentum(PbdLanes* p)
{
    CordWide sum = wide_set(0.0);
    CordWideMask moves = free_lanes(p);
    Wide3 off = zero3();
    for (int i = 0; i < p->node_count && wide_any(moves); i++) {
        const PbdSlot* s = &p->slots[i];
        sum += s->inertia;
        off = madd3(off, sub3(s->goal, s->x), s->inertia);
    }
    off = mul3(off, wide_set(1.0) / sum);
    moves &= (CordWideMask)(dot3(off, off) > wide_set(1e-24) * p->mean_edge * p->mean_edge);
    if (!wide_any(moves)) {
        return;
    }
    off = select3(moves, off, zero3());
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        s->x = s->kept = add3(s->x, off);
    }
}

// Angular momentum of nodes, and of frames about their edges. Internal forces have no torque at the end of
// the substep, x = x0 + h v, so backward Euler loses m (x - x0) x v*, a share (omega h)^2 for a rotating rod.
// Also, the spin of a frame follows its edge. The difference to the angular momentum of x0 and v* is restored
// as a rigid rotation, which changes no strain.
//
// The rotation may add more energy than there was. Then the non-rigid motion, which carries no momentum, is
// slowed down. If that is not enough, as for a rod that only spins and contracts, the rotation may gain a
// hundredth of its energy, and the rest is not restored; the result lies between the old momentum and that of
// backward Euler. The elasticity of the rod ends the contraction.
typedef struct RodMotion { // of nodes and frames, relative to the centre of mass; energies are doubled
    CordWideMask turns;    // nothing holds or drags the rod
    CordWide mass;
    Wide3 center, v;
    Wide3 L;            // angular momentum
    CordWide tensor[6]; // moment of inertia: xx xy xz yy yz zz
    CordWide motion;    // kinetic energy
    CordWide strains;
} RodMotion;

static CordWideMask spins_freely(const PbdLanes* p)
{
    CordWideMask all = free_lanes(p);
    for (int i = 0; i < p->node_count; i++) {
        const PbdSlot* s = &p->slots[i];
        all &= (CordWideMask)(s->drag_along == wide_set(0.0)) &
               (CordWideMask)(s->spin_inertia < wide_set(PBD_HELD));
    }
    return all;
}

static void add_moment(CordWide tensor[6], CordWide all, CordWide m, Wide3 r) // all - m r r'
{
    tensor[0] += all - m * r.x * r.x, tensor[1] -= m * r.x * r.y, tensor[2] -= m * r.x * r.z;
    tensor[3] += all - m * r.y * r.y, tensor[4] -= m * r.y * r.z, tensor[5] += all - m * r.z * r.z;
}

static void find_center(const PbdLanes* p, RodMotion* w, CordWide square)
{
    for (int i = 0; i < p->node_count; i++) {
        const PbdSlot* s = &p->slots[i];
        CordWide m = s->inertia * square;
        w->mass += m;
        w->center = madd3(w->center, s->x, m), w->v = madd3(w->v, s->v, m);
    }
    w->center = mul3(w->center, wide_set(1.0) / w->mass), w->v = mul3(w->v, wide_set(1.0) / w->mass);
}

// Computes it from x, v, and the tangents and spins of frames.
static RodMotion motion_of_rod(const PbdLanes* p)
{
    const CordWide zero = wide_set(0.0), square = wide_set(p->h * p->h);
    RodMotion w = {.turns = spins_freely(p)};
    if (!wide_any(w.turns)) {
        return w;
    }
    CordWide nodes = zero;
    find_center(p, &w, square);
    for (int i = 0; i < p->node_count; i++) {
        const PbdSlot* s = &p->slots[i];
        CordWide m = s->inertia * square, I = s->spin_inertia * square;
        Wide3 arm = sub3(s->x, w.center), v = sub3(s->v, w.v);
        w.L = madd3(madd3(w.L, cross3(arm, v), m), s->t, I * s->spin);
        w.motion += m * dot3(v, v) + I * s->spin * s->spin;
        add_moment(w.tensor, m * dot3(arm, arm), m, arm);
        add_moment(w.tensor, zero, -I, s->t);
        nodes += node_merit(s, p->railed);
    }
    w.strains = merit(p) - nodes;
    return w;
}

// Angular velocity of an angular momentum [rad/s]. A straight rod has almost no inertia about its axis.
static Wide3 spin_of(const RodMotion* w, Wide3 L)
{
    const CordWide* m = w->tensor;
    const CordWide least = wide_max(wide_set(LEAST_MOMENT) * (m[0] + m[3] + m[5]), wide_set(DBL_MIN));
    CordWide d0 = wide_max(least, m[0]), l1 = m[1] / d0, l2 = m[2] / d0;
    CordWide d1 = wide_max(least, m[3] - l1 * m[1]), side = m[4] - l2 * m[1], l3 = side / d1;
    CordWide d2 = wide_max(least, m[5] - l2 * m[2] - l3 * side);
    CordWide y = L.y - l1 * L.x, z = L.z - l2 * L.x - l3 * y;
    Wide3 a;
    a.z = z / d2;
    a.y = y / d1 - l3 * a.z;
    a.x = L.x / d0 - l1 * a.y - l2 * a.z;
    return a;
}

typedef struct Restoration {
    Wide3 turn;    // angular velocity to be added [rad/s]
    Wide3 spin;    // angular velocity of the rigid part of the motion, before that [rad/s]
    CordWide less; // share by which the non-rigid motion is slowed down
} Restoration;

static Restoration find_restoration(const RodMotion* had, const RodMotion* now)
{
    const CordWide zero = wide_set(0.0), one = wide_set(1.0), two = wide_set(2.0), tiny = wide_set(DBL_MIN);
    Wide3 missing = sub3(had->L, now->L);
    Restoration r = {.turn = spin_of(now, missing), .spin = spin_of(now, now->L)};
    CordWide rigid = dot3(now->L, r.spin), rest = now->motion - rigid;
    CordWide slope = two * dot3(now->L, r.turn), curve = dot3(missing, r.turn), more = slope + curve;
    // energy available to the added rotation and the non-rigid motion
    CordWide room = had->motion + had->strains - now->strains - rigid;
    CordWide left = wide_max(zero, room - more) / wide_max(tiny, rest);
    r.less = wide_select((CordWideMask)(rest + more > room), one - wide_sqrt(left), zero);
    room = wide_max(zero, room + wide_set(SPIN_GAIN) * rigid);
    CordWide root = wide_sqrt(wide_max(zero, slope * slope + wide_set(4.0) * curve * room));
    CordWide share = two * room / wide_max(tiny, slope + root);
    r.turn = mul3(r.turn, wide_select((CordWideMask)(more > room), wide_min(one, share), one));
    return r;
}

static void restore_angular_momentum(PbdLanes* p, const RodMotion* had)
{
    if (!wide_any(had->turns)) {
        return;
    }
    RodMotion now = motion_of_rod(p);
    Restoration r = find_restoration(had, &now);
    CordWideMask which = had->turns & (CordWideMask)(dot3(r.turn, r.turn) + r.less < wide_set(INFINITY));
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        Wide3 arm = sub3(s->x, now.center), rigid = add3(now.v, cross3(r.spin, arm));
        Wide3 v =
            add3(madd3(s->v, sub3(s->v, rigid), -r.less), add3(sub3(had->v, now.v), cross3(r.turn, arm)));
        CordWide spin = s->spin - r.less * (s->spin - dot3(r.spin, s->t)) + dot3(r.turn, s->t);
        s->v = select3(which, v, s->v);
        s->spin = wide_select(which, spin, s->spin);
    }
}

// ---- substeps

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

void KERNEL(pbd_direct)(PbdLanes* p)
{
    for (int n = 0; n < p->def.substeps; n++) {
        Wide3 carried = pbd_precess(p);
        begin_substep(p);
        RodMotion had = motion_of_rod(p);
        had.L = sub3(had.L, carried);
        begin_at(p);
        minimise(p);
        keep_momentum(p);
        end_substep(p);
        pbd_precess(p);
        restore_angular_momentum(p, &had);
    }
}
