// Constraints one after the other (Gauss-Seidel), on points and ghost points. Each edge (p0, p1) has a ghost point p2, whose place tells the frame: y = p2 - pm from the middle of the edge, d3 = t along the
// edge, d2 across it and y, d1 = d2 x d3.
//
// The paper's solver ("pbd") has ghosts that are points as others are: with mass, in space. XPBD's are directors: y itself is the unknown, and its inertia is that of the
// section about the tangent, so that neither weight nor inertia pulls the rod to the ghost's side. `reach`, 1/2 or 0, is what tells the two apart: y = ghost - reach (p0 + p1).
//
// Multipliers (XPBD): dlambda = -(C + a lambda) / (sum w |grad C|^2 + a), a the compliance over h^2. The three of C_BT are solved for at once.
#include "model/pbd/constraint.h"

#ifdef CORD_KERNEL_AVX2
#define PBD_SWEEPS pbd_sweeps_avx2
#else
#define PBD_SWEEPS pbd_sweeps_plain
#endif

#define FARTHEST 0.5 // that C_BT moves a point at once, over the rest length of an edge

typedef struct Sweep {
    PbdLanes* p;
    CordWide reach;
    bool compliant; // xpbd; else weights
} Sweep;

typedef struct Ghost { // an edge with its ghost
    PbdFrame frame;
    Wide3 y;
    CordWide along;      // of y, along the edge [m]
    CordWide inv_across; // 1 / that across it [1/m]
} Ghost;

WIDE_INLINE Wide3 ghost_offset(const Sweep* w, const PbdGhost* ghost, const PbdSlot* s, const PbdSlot* next)
{
    return sub3(ghost->x, mul3(add3(s->x, next->x), w->reach));
}

// ---- the constraints of an edge

// C_L = |p1 - p0| - L (33).
WIDE_INLINE void keep_length(const Sweep* w, PbdGhost* gs, PbdSlot* s, PbdSlot* next)
{
    const CordWide one = wide_set(1.0), zero = wide_set(0.0);
    Wide3 t = pbd_tangent(sub3(next->x, s->x), s->kept_t, s->rest_length, &s->length);
    CordWide off = s->length - s->now_length, sum = s->w + next->w, lambda;
    if (w->compliant) {
        sum += gs->compliance;
        lambda = -(off + gs->compliance * gs->lambda) / wide_select((CordWideMask)(sum > zero), sum, one);
        gs->lambda += lambda;
    } else {
        lambda = -(off * wide_set(w->p->def.weight_stretch)) / wide_select((CordWideMask)(sum > zero), sum, one);
    }
    s->x = madd3(s->x, t, -(s->w * lambda));
    next->x = madd3(next->x, t, next->w * lambda);
}

// C_P = (p2 - pm).(p1 - p0) (36) and C_D = |p2 - pm| - Lg (39).
WIDE_INLINE void keep_ghost(const Sweep* w, PbdGhost* gs, PbdSlot* s, PbdSlot* next)
{
    const CordWide one = wide_set(1.0), zero = wide_set(0.0);
    Wide3 e = sub3(next->x, s->x), y = ghost_offset(w, gs, s, next);
    Wide3 on_0 = madd3(sub3(zero3(), y), e, -w->reach), on_1 = madd3(y, e, -w->reach);
    CordWide sum = s->w * dot3(on_0, on_0) + next->w * dot3(on_1, on_1) + gs->w * dot3(e, e);
    CordWide lambda = -dot3(y, e) / wide_select((CordWideMask)(sum > zero), sum, one);
    s->x = madd3(s->x, on_0, s->w * lambda);
    next->x = madd3(next->x, on_1, next->w * lambda);
    gs->x = madd3(gs->x, e, gs->w * lambda);
    y = ghost_offset(w, gs, s, next);
    CordWide length = wide_sqrt(dot3(y, y));
    CordWideMask there = (CordWideMask)(length > wide_set(1e-9) * gs->length);
    Wide3 out = select3(there, mul3(y, one / wide_select(there, length, one)), s->kept_m1);
    CordWide half = w->reach * w->reach * (s->w + next->w);
    sum = half + gs->w;
    lambda = -(length - gs->length) / wide_select((CordWideMask)(sum > zero), sum, one);
    s->x = madd3(s->x, out, -(w->reach * s->w * lambda));
    next->x = madd3(next->x, out, -(w->reach * next->w * lambda));
    gs->x = madd3(gs->x, out, gs->w * lambda);
}

WIDE_INLINE void sweep_edge(const Sweep* w, int i)
{
    PbdSlot *s = &w->p->slots[i], *next = &w->p->slots[pbd_next(w->p, i)];
    PbdGhost* gs = &w->p->ghosts[i];
    keep_length(w, gs, s, next);
    keep_ghost(w, gs, s, next);
}

// ---- the constraint of a corner

// The frame of an edge from its points. One whose ghost lies on the edge keeps its axis.
WIDE_INLINE Ghost ghost_of(const Sweep* w, int i)
{
    PbdSlot* s = &w->p->slots[i];
    const PbdSlot* next = &w->p->slots[pbd_next(w->p, i)];
    const PbdGhost* gs = &w->p->ghosts[i];
    Ghost g;
    CordWide length;
    Wide3 e = sub3(next->x, s->x), t = pbd_tangent(e, s->kept_t, s->rest_length, &length);
    g.y = ghost_offset(w, gs, s, next);
    g.along = dot3(g.y, t);
    Wide3 across = madd3(g.y, t, -g.along);
    CordWide least = wide_set(PBD_SHORT) * gs->length, square = dot3(across, across);
    CordWideMask there = (CordWideMask)(square > least * least);
    g.inv_across = wide_set(1.0) / wide_sqrt(square);
    Wide3 d1 = mul3(across, g.inv_across);
    if (!wide_all(there)) {
        g.inv_across = wide_select(there, g.inv_across, wide_set(1.0) / wide_sqrt(least * least));
        d1 = select3(there, d1, pbd_across(s->kept_m1, t));
    }
    s->t = t, s->m1 = d1, s->length = length;
    g.frame = pbd_frame(s);
    return g;
}

// d beta in the edge vector and in y, as columns that belong to psi_1, psi_2, psi_3.
typedef struct Slopes {
    Wide3 one, two, three; // of psi, in the edge vector
    Wide3 ghost;           // of psi_3, in y
} Slopes;

// psi_1 and psi_2 are about the axes that the corner sees, psi_3 goes by those that the ghost tells.
WIDE_INLINE Slopes slopes_of(const Ghost* g, const PbdFrame* seen)
{
    Wide3 d2 = mul3(g->frame.d2, g->inv_across);
    return (Slopes){mul3(seen->d2, -seen->inv_len), mul3(seen->d1, seen->inv_len),
                    mul3(d2, -(g->along * seen->inv_len)), d2};
}

typedef struct Rows { // the three rows of d beta in a point
    Wide3 row[3];
} Rows;

WIDE_INLINE Rows rows_edge(const WideMat* T, const Slopes* u, bool transposed, CordWide sign)
{
    Rows r;
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++) {
        CordWide a = transposed ? T->a[0][k] : T->a[k][0], b = transposed ? T->a[1][k] : T->a[k][1],
                 c = transposed ? T->a[2][k] : T->a[k][2];
        r.row[k] = mul3(madd3(madd3(mul3(u->one, a), u->two, b), u->three, c), sign);
    }
    return r;
}

WIDE_INLINE Rows rows_ghost(const WideMat* T, const Slopes* u, bool transposed, CordWide sign)
{
    Rows r;
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++) {
        r.row[k] = mul3(u->ghost, sign * (transposed ? T->a[2][k] : T->a[k][2]));
    }
    return r;
}

WIDE_INLINE Rows rows_sum(const Rows* a, const Rows* b, CordWide s) // a + s b
{
    return (Rows){{madd3(a->row[0], b->row[0], s), madd3(a->row[1], b->row[1], s), madd3(a->row[2], b->row[2], s)}};
}

WIDE_INLINE void add_square(CordWide S[6], const Rows* r, CordWide w)
{
    S[0] += w * dot3(r->row[0], r->row[0]), S[1] += w * dot3(r->row[0], r->row[1]);
    S[2] += w * dot3(r->row[0], r->row[2]), S[3] += w * dot3(r->row[1], r->row[1]);
    S[4] += w * dot3(r->row[1], r->row[2]), S[5] += w * dot3(r->row[2], r->row[2]);
}

WIDE_INLINE Wide3 move_of(const Rows* r, Wide3 lambda, CordWide w)
{
    return mul3(madd3(madd3(mul3(r->row[0], lambda.x), r->row[1], lambda.y), r->row[2], lambda.z), w);
}

// S lambda = right, S symmetric and not negative, by its factors; of a pivot that is not there nothing comes.
WIDE_INLINE Wide3 solved(const CordWide S[6], Wide3 right)
{
    const CordWide one = wide_set(1.0), zero = wide_set(0.0), tiny = wide_set(1e-14) * (S[0] + S[3] + S[5]);
    CordWide d0 = S[0], i0 = wide_select((CordWideMask)(d0 > tiny), one / d0, zero), l1 = S[1] * i0,
             l2 = S[2] * i0;
    CordWide d1 = S[3] - l1 * S[1], c = S[4] - l1 * S[2],
             i1 = wide_select((CordWideMask)(d1 > tiny), one / d1, zero), l3 = c * i1;
    CordWide d2 = S[5] - l2 * S[2] - l3 * c, i2 = wide_select((CordWideMask)(d2 > tiny), one / d2, zero);
    CordWide y1 = right.y - l1 * right.x, y2 = right.z - l2 * right.x - l3 * y1;
    CordWide z = y2 * i2, y = y1 * i1 - l3 * z, x = right.x * i0 - l1 * y - l2 * z;
    return (Wide3){x, y, z};
}

// So much of a correction that no point goes farther than that; beyond, gradients tell nothing.
WIDE_INLINE CordWide share_of(const Wide3 move[5], CordWide far)
{
    const CordWide one = wide_set(1.0);
    CordWide most = dot3(move[0], move[0]);
    for (int i = 1; i < 5; i++) {
        most = wide_max(most, dot3(move[i], move[i]));
    }
    CordWideMask within = (CordWideMask)(most <= far * far);
    if (wide_all(within)) {
        return one;
    }
    return wide_select(within, one, far / wide_sqrt(wide_select(within, one, most)));
}

// C_BT = beta - rest, and what it asks of the five points.
WIDE_INLINE Wide3 corner_off(const Sweep* w, const PbdSlot* s, const PbdGhost* gs, Wide3 beta, CordWide S[6])
{
    Wide3 off = {beta.x - s->now_rest[0], beta.y - s->now_rest[1], beta.z - s->now_rest[2]};
    if (!w->compliant) {
        const CordPbdDef* d = &w->p->def;
        return (Wide3){-off.x * wide_set(d->weight_bend1), -off.y * wide_set(d->weight_bend2),
                       -off.z * wide_set(d->weight_twist)};
    }
    const CordWide* a = gs->bend_compliance;
    Wide3 l = gs->bend_lambda;
    S[0] += a[0], S[1] += a[1], S[3] += a[2], S[5] += a[3];
    return (Wide3){-(off.x + (a[0] * l.x + a[1] * l.y)), -(off.y + (a[1] * l.x + a[2] * l.y)),
                   -(off.z + a[3] * l.z)};
}

WIDE_INLINE void sweep_corner(const Sweep* w, int i)
{
    PbdLanes* p = w->p;
    const CordWide one = wide_set(1.0), minus = wide_set(-1.0);
    PbdSlot *a = &p->slots[pbd_before(p, i)], *b = &p->slots[i], *c = &p->slots[pbd_next(p, i)];
    PbdGhost *at_a = &p->ghosts[pbd_before(p, i)], *at_b = &p->ghosts[i];
    Ghost ga = ghost_of(w, pbd_before(p, i)), gb = ghost_of(w, i);
    PbdFrame seen = i == 0 ? pbd_unglued(gb.frame, p) : gb.frame;
    PbdBend bend = pbd_bend(&ga.frame, &seen);
    WideMat T = pbd_slope(bend.g);
    Slopes ua = slopes_of(&ga, &ga.frame), ub = slopes_of(&gb, &seen);
    Rows ea = rows_edge(&T, &ua, true, minus), eb = rows_edge(&T, &ub, false, one);
    Rows ya = rows_ghost(&T, &ua, true, minus), yb = rows_ghost(&T, &ub, false, one);
    Rows none = {{zero3(), zero3(), zero3()}};
    Rows on_a = rows_sum(&none, &ea, minus), on_b = rows_sum(&ea, &eb, minus), on_c = eb;
    if (p->def.solver == CORD_PBD_PBD) { // ghosts are points, and their edges' ends move what they are measured from
        on_a = rows_sum(&on_a, &ya, -w->reach);
        on_b = rows_sum(&on_b, &ya, -w->reach), on_b = rows_sum(&on_b, &yb, -w->reach);
        on_c = rows_sum(&on_c, &yb, -w->reach);
    }
    const CordWide zero = wide_set(0.0);
    CordWide S[6] = {zero, zero, zero, zero, zero, zero};
    add_square(S, &on_a, a->w), add_square(S, &on_b, b->w), add_square(S, &on_c, c->w);
    add_square(S, &ya, at_a->w), add_square(S, &yb, at_b->w);
    Wide3 right = corner_off(w, b, at_b, bend.beta, S), lambda = solved(S, right);
    Wide3 move[5] = {move_of(&on_a, lambda, a->w), move_of(&on_b, lambda, b->w), move_of(&on_c, lambda, c->w),
                     move_of(&ya, lambda, at_a->w), move_of(&yb, lambda, at_b->w)};
    CordWide share = share_of(move, wide_set(FARTHEST) * wide_min(a->rest_length, b->rest_length));
    if (w->compliant) {
        at_b->bend_lambda = madd3(at_b->bend_lambda, lambda, share);
    }
    a->x = madd3(a->x, move[0], share), b->x = madd3(b->x, move[1], share), c->x = madd3(c->x, move[2], share);
    at_a->x = madd3(at_a->x, move[3], share), at_b->x = madd3(at_b->x, move[4], share);
}

// ---- the order

// The k-th of `count`, as the order has it.
static inline int in_order(CordPbdOrder order, int k, int count)
{
    switch (order) {
    case CORD_PBD_BILATERAL: return k % 2 == 0 ? k / 2 : count - 1 - k / 2;
    case CORD_PBD_INTERLEAVED: return 2 * k < count ? 2 * k : 2 * (k - (count + 1) / 2) + 1;
    default: return k;
    }
}

// Edges come before corners. But a corner touches nothing beyond the edges at its three nodes, so that it may go as soon as these have been, that many edges later: the two then do not wait for
// each other in the processor. Corner 0 of a ring waits for the last edge.
static inline int corners_wait(const PbdLanes* p)
{
    if (p->closed) {
        return p->edge_count;
    }
    switch (p->def.order) {
    case CORD_PBD_BILATERAL: return 4;
    case CORD_PBD_INTERLEAVED: return (p->edge_count + 1) / 2;
    default: return 2;
    }
}

// C_O and C_T: what a clamp holds has no inverse mass, and stays; what it lets slide is put back on its rail.
static void sweep_tips(PbdLanes* p)
{
    for (int i = 0; p->railed && i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        Wide3 off = sub3(s->x, s->goal), across = madd3(off, s->rail, -dot3(off, s->rail));
        s->x = select3((CordWideMask)(s->slides > wide_set(0.0)), sub3(s->x, across), s->x);
    }
}

static void sweep_all(const Sweep* w)
{
    PbdLanes* p = w->p;
    int edges = p->edge_count, first = pbd_corner_first(p), corners = pbd_corner_last(p) - first;
    int wait = corners_wait(p);
    for (int k = 0; k < edges + wait; k++) {
        if (k < edges) {
            sweep_edge(w, in_order(p->def.order, k, edges));
        }
        if (k >= wait && k - wait < corners) {
            sweep_corner(w, first + in_order(p->def.order, k - wait, corners));
        }
    }
    sweep_tips(p);
}

// ---- a substep

// Compliances over h^2, with what resists: the inverse of stiffness.
static void set_compliance(PbdLanes* p)
{
    const CordWide per = wide_set(1.0 / (p->h * p->h)), one = wide_set(1.0), zero = wide_set(0.0),
                   huge = wide_set(1e300);
    for (int i = 0; i < p->node_count; i++) {
        const PbdSlot* s = &p->slots[i];
        PbdGhost* gs = &p->ghosts[i];
        const CordWide* K = s->now_K;
        CordWide det = K[0] * K[2] - K[1] * K[1], over = wide_select((CordWideMask)(det > zero), per / det, zero);
        CordWideMask bends = (CordWideMask)(det > zero);
        gs->bend_compliance[0] = wide_select(bends, K[2] * over, huge), gs->bend_compliance[1] = -(K[1] * over);
        gs->bend_compliance[2] = wide_select(bends, K[0] * over, huge);
        gs->bend_compliance[3] = wide_select((CordWideMask)(K[3] > zero), per / K[3], huge);
        gs->compliance =
            wide_select((CordWideMask)(s->now_stretch > zero),
                        per / wide_select((CordWideMask)(s->now_stretch > zero), s->now_stretch, one), huge);
        gs->lambda = zero, gs->bend_lambda = zero3();
    }
}

static void predict(const Sweep* w)
{
    PbdLanes* p = w->p;
    const CordWide h = wide_set(p->h);
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        pbd_push(p, s);
        s->spin += s->spin_push;
        s->start = s->x;
        s->goal = madd3(s->start, s->v, h);
        s->x = s->goal;
        s->kept_t = s->t, s->kept_m1 = s->m1;
    }
}

// Directors of the predicted edges: carried along, and turned as they spin.
static void predict_directors(PbdLanes* p)
{
    for (int i = 0; i < p->edge_count; i++) {
        PbdSlot* s = &p->slots[i];
        Wide3 t = pbd_tangent(sub3(p->slots[pbd_next(p, i)].x, s->x), s->kept_t, s->rest_length, &s->length);
        Wide3 u = pbd_across(pbd_carried(s->kept_m1, s->kept_t, t), t);
        PbdGhost* gs = &p->ghosts[i];
        gs->x = mul3(pbd_turned(u, t, wide_set(p->h) * s->spin), gs->length);
    }
}

// Frames from points, and by how much they have turned.
static void end_substep(const Sweep* w)
{
    PbdLanes* p = w->p;
    const CordWide per = wide_set(1.0 / p->h);
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        s->v = mul3(sub3(s->x, s->start), per);
    }
    for (int i = 0; i < p->edge_count; i++) {
        PbdSlot* s = &p->slots[i];
        ghost_of(w, i);
        s->spin = pbd_turn(s, s->kept_t, s->kept_m1) * per;
    }
}

static void substep_xpbd(const Sweep* w)
{
    PbdLanes* p = w->p;
    predict(w);
    pbd_resist(p); // with the frames at the start
    set_compliance(p);
    predict_directors(p);
    for (int n = 0; n < p->def.iterations; n++) {
        sweep_all(w);
    }
    end_substep(w);
}

// ---- the paper's substep: Algorithm 1

// Gravity on ghosts: as much of it as the edge is falling (r; edges that are thrown about fall by no more than twice that, or the ends of heavy ghosts would throw them the more), and the rest to its ends. Velocities of the middles are taken after forces have acted, in both steps.
static void pull_ghosts(PbdLanes* p)
{
    const CordWide h = wide_set(p->h), half = wide_set(0.5), zero = wide_set(0.0);
    const Wide3 g = {wide_set(p->gravity.x), wide_set(p->gravity.y), wide_set(p->gravity.z)};
    const CordWide g2 = dot3(g, g), over = wide_select((CordWideMask)(g2 > zero), wide_set(1.0) / g2, zero);
    for (int i = 0; i < p->edge_count; i++) {
        PbdGhost* gs = &p->ghosts[i];
        Wide3 mid = mul3(add3(p->slots[i].v, p->slots[pbd_next(p, i)].v), half);
        gs->start = mul3(sub3(mid, gs->mid), wide_set(1.0) / h); // a_m
        gs->mid = mid;
    }
    for (int i = 0; i < p->edge_count; i++) {
        PbdGhost* gs = &p->ghosts[i];
        PbdSlot *a = &p->slots[i], *b = &p->slots[pbd_next(p, i)];
        CordWide falls = p->def.gravity == CORD_PBD_GRAVITY_FULL ? wide_set(1.0)
                         : p->def.gravity == CORD_PBD_GRAVITY_NONE
                             ? zero
                             : wide_max(wide_set(-1.0), wide_min(wide_set(2.0), dot3(gs->start, g) * over));
        CordWideMask loose = (CordWideMask)(gs->w > zero);
        gs->v = madd3(gs->v, g, wide_select(loose, h * falls, zero));
        if (p->def.gravity == CORD_PBD_GRAVITY_MODIFIED) {
            CordWide share =
                wide_select(loose, half * (wide_set(1.0) - falls) * h / wide_select(loose, gs->w, h), zero);
            a->v = madd3(a->v, g, share * a->w);
            b->v = madd3(b->v, g, share * b->w);
        }
    }
}

// Damping (Mueller et al. 2007): towards the velocities of a rigid rod with the momentum of this one.
typedef struct Momentum {
    CordWide mass;
    Wide3 x, p, L; // mass times position, velocity, and their product [kg m], [kg m/s], [kg m^2/s]
    CordWide I[6]; // xx xy xz yy yz zz of mass times x x'
} Momentum;

WIDE_INLINE void add_point(Momentum* sum, CordWide w, Wide3 x, Wide3 v)
{
    CordWideMask moves = (CordWideMask)(w > wide_set(0.0));
    CordWide m = wide_select(moves, wide_set(1.0) / wide_select(moves, w, wide_set(1.0)), wide_set(0.0));
    sum->mass += m;
    sum->x = madd3(sum->x, x, m), sum->p = madd3(sum->p, v, m), sum->L = madd3(sum->L, cross3(x, v), m);
    sum->I[0] += m * x.x * x.x, sum->I[1] += m * x.x * x.y, sum->I[2] += m * x.x * x.z;
    sum->I[3] += m * x.y * x.y, sum->I[4] += m * x.y * x.z, sum->I[5] += m * x.z * x.z;
}

// Points as seen from the first of the rod, so that no digits are lost far from the origin.
static Momentum momentum_of(const PbdLanes* p)
{
    const CordWide zero = wide_set(0.0);
    Momentum sum = {zero, zero3(), zero3(), zero3(), {zero, zero, zero, zero, zero, zero}};
    Wide3 origin = p->slots[0].x;
    for (int i = 0; i < p->node_count; i++) {
        add_point(&sum, p->slots[i].w, sub3(p->slots[i].x, origin), p->slots[i].v);
    }
    for (int i = 0; i < p->edge_count; i++) {
        add_point(&sum, p->ghosts[i].w, sub3(p->ghosts[i].x, origin), p->ghosts[i].v);
    }
    return sum;
}

static void damp(PbdLanes* p)
{
    const CordWide one = wide_set(1.0), zero = wide_set(0.0), share = wide_set(p->def.damping);
    Momentum m = momentum_of(p);
    CordWideMask moves = (CordWideMask)(m.mass > zero);
    CordWide per = wide_select(moves, one / wide_select(moves, m.mass, one), zero);
    Wide3 center = mul3(m.x, per), v = mul3(m.p, per), L = sub3(m.L, cross3(center, m.p)),
          origin = p->slots[0].x;
    const CordWide c[3] = {center.x, center.y, center.z};
    CordWide second[6] = {m.I[0] - m.mass * c[0] * c[0], m.I[1] - m.mass * c[0] * c[1],
                          m.I[2] - m.mass * c[0] * c[2], m.I[3] - m.mass * c[1] * c[1],
                          m.I[4] - m.mass * c[1] * c[2], m.I[5] - m.mass * c[2] * c[2]};
    CordWide inertia[6] = {second[3] + second[5], -second[1], -second[2],
                           second[0] + second[5], -second[4], second[0] + second[3]};
    Wide3 spin = solved(inertia, L);
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        Wide3 rigid = add3(v, cross3(spin, sub3(sub3(s->x, origin), center)));
        s->v = madd3(s->v, sub3(rigid, s->v), wide_select((CordWideMask)(s->w > zero), share, zero));
    }
    for (int i = 0; i < p->edge_count; i++) {
        PbdGhost* g = &p->ghosts[i];
        Wide3 rigid = add3(v, cross3(spin, sub3(sub3(g->x, origin), center)));
        g->v = madd3(g->v, sub3(rigid, g->v), wide_select((CordWideMask)(g->w > zero), share, zero));
    }
}

static void substep_pbd(const Sweep* w)
{
    PbdLanes* p = w->p;
    const CordWide h = wide_set(p->h), per = wide_set(1.0 / p->h);
    for (int i = 0; i < p->node_count; i++) {
        pbd_push(p, &p->slots[i]);
    }
    pull_ghosts(p);
    if (p->def.damping > 0.0) {
        damp(p);
    }
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        PbdGhost* g = &p->ghosts[i];
        s->start = s->x, g->start = g->x;
        s->x = s->goal = madd3(s->x, s->v, h), g->x = madd3(g->x, g->v, h);
        s->kept_t = s->t, s->kept_m1 = s->m1;
    }
    pbd_resist(p);
    for (int n = 0; n < p->def.iterations; n++) {
        sweep_all(w);
    }
    end_substep(w);
    for (int i = 0; i < p->edge_count; i++) {
        PbdGhost* g = &p->ghosts[i];
        g->v = mul3(sub3(g->x, g->start), per);
    }
}

void PBD_SWEEPS(PbdLanes* p)
{
    bool compliant = p->def.solver == CORD_PBD_XPBD;
    Sweep w = {.p = p, .reach = wide_set(compliant ? 0.0 : 0.5), .compliant = compliant};
    for (int n = 0; n < p->def.substeps; n++) {
        compliant ? substep_xpbd(&w) : substep_pbd(&w);
    }
}
