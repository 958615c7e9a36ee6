// Gauss-Seidel projection of constraints on points and ghost points (Umetani, Schmidt and Stam 2014). Each
// edge (p0, p1) has a ghost point p2 that defines its frame: y = p2 - pm from the midpoint of the edge, d3 =
// t along the edge, d2 perpendicular to it and y, d1 = d2 x d3.
//
// In the paper's solver ("pbd") ghosts are ordinary points with mass. In XPBD (Macklin, Mueller and Chentanez
// 2016) they are directors: y itself is the unknown, and its inertia is that of the section about the
// tangent, so that the ghost adds neither weight nor inertia on its side of the rod. `reach`, 1/2 or 0,
// distinguishes the two: y = ghost - reach (p0 + p1).
//
// Multipliers (XPBD): dlambda = -(C + a lambda) / (sum w |grad C|^2 + a), with a the compliance over h^2. The
// three components of C_BT are solved together. Numbers in brackets are equations of the paper's supplement.
#include "step/position_constraint.h"

#include "math/kernel.h"

#define FARTHEST 0.5 // largest motion of a point by C_BT, over the rest length of an edge

// Degenerate edges, ghosts and pivots are rare. Each constraint is first computed without branches as if
// there were none. If a lane has one, it is computed again with care. A regular lane gets the same bits from
// both.
typedef enum Care { PLAIN, CAREFUL } Care;

typedef struct Sweep {
    PbdLanes* p;
    CordWide reach;
    bool compliant; // xpbd; else the paper's weights
} Sweep;

WIDE_INLINE Sweep sweep_of(PbdLanes* p, bool compliant)
{
    return (Sweep){.p = p, .reach = wide_set(compliant ? 0.0 : 0.5), .compliant = compliant};
}

// The inverse of a sum of inverse masses. If all points are held it is 1, and nothing moves.
WIDE_INLINE CordWide inverse_sum(CordWide sum)
{
    return wide_set(1.0) / wide_select((CordWideMask)(sum > wide_set(0.0)), sum, wide_set(1.0));
}

// ---- the constraints of an edge

typedef struct Edge { // working copy of an edge
    PbdSlot *s, *next;
    PbdGhost* gs;
    Wide3 p0, p1, p2;
    CordWide lambda;
    CordWideMask there; // regular lanes
} Edge;

WIDE_INLINE Edge edge_begin(const Sweep* w, int i)
{
    PbdSlot *s = &w->p->slots[i], *next = &w->p->slots[pbd_next(w->p, i)];
    PbdGhost* gs = &w->p->ghosts[i];
    return (Edge){s, next, gs, s->x, next->x, gs->x, gs->lambda, wide_first(WIDE_LANES)};
}

WIDE_INLINE void edge_store(const Edge* e)
{
    e->s->x = e->p0, e->next->x = e->p1, e->gs->x = e->p2, e->gs->lambda = e->lambda;
}

WIDE_INLINE Wide3 edge_ghost(const Sweep* w, const Edge* e)
{
    return sub3(e->p2, mul3(add3(e->p0, e->p1), w->reach));
}

// u / |u|, or `before` if u vanishes. The square root and the quotient are independent operations.
WIDE_INLINE Wide3 direction(Edge* e, Wide3 u, CordWide size, const Wide3* before, Care care, CordWide* length)
{
    CordWide square = dot3(u, u), least = wide_set(1e-9) * size;
    *length = wide_sqrt(square);
    Wide3 unit = mul3(u, *length * (wide_set(1.0) / square));
    CordWideMask there = (CordWideMask)(square > least * least);
    e->there &= there;
    return care == PLAIN ? unit : select3(there, unit, *before);
}

// C_L = |p1 - p0| - L (33).
WIDE_INLINE void keep_length(const Sweep* w, Edge* e, Care care)
{
    const PbdSlot *s = e->s, *next = e->next;
    CordWide length, sum = s->w + next->w, lambda;
    Wide3 t = direction(e, sub3(e->p1, e->p0), s->rest_length, &s->kept_t, care, &length);
    CordWide off = length - s->now_length;
    if (w->compliant) {
        lambda = -(off + e->gs->compliance * e->lambda) * inverse_sum(sum + e->gs->compliance);
        e->lambda += lambda;
    } else {
        lambda = -off * (wide_set(w->p->def.weight_stretch) * inverse_sum(sum));
    }
    e->p0 = madd3(e->p0, t, -(s->w * lambda));
    e->p1 = madd3(e->p1, t, next->w * lambda);
}

// C_P = y.(p1 - p0) (36). Its gradients are -y - reach (p1 - p0), y - reach (p1 - p0) and p1 - p0.
WIDE_INLINE void keep_across(const Sweep* w, Edge* e)
{
    CordWide w0 = e->s->w, w1 = e->next->w, w2 = e->gs->w;
    Wide3 d = sub3(e->p1, e->p0), y = edge_ghost(w, e), part = mul3(d, w->reach);
    CordWide dd = dot3(d, d), yy = dot3(y, y), yd = dot3(y, d), more = w->reach * yd;
    CordWide sum = (w0 + w1) * (yy + w->reach * w->reach * dd) + (w0 - w1) * (more + more) + w2 * dd;
    CordWide lambda = -yd * inverse_sum(sum);
    e->p0 = madd3(e->p0, add3(y, part), -(w0 * lambda));
    e->p1 = madd3(e->p1, sub3(y, part), w1 * lambda);
    e->p2 = madd3(e->p2, d, w2 * lambda);
}

// C_D = |y| - Lg (39).
WIDE_INLINE void keep_distance(const Sweep* w, Edge* e, Care care)
{
    CordWide length, w0 = e->s->w, w1 = e->next->w, w2 = e->gs->w;
    Wide3 out = direction(e, edge_ghost(w, e), e->gs->length, &e->s->kept_m1, care, &length);
    CordWide sum = w->reach * w->reach * (w0 + w1) + w2;
    CordWide lambda = (e->gs->length - length) * inverse_sum(sum), less = -(w->reach * lambda);
    e->p0 = madd3(e->p0, out, w0 * less);
    e->p1 = madd3(e->p1, out, w1 * less);
    e->p2 = madd3(e->p2, out, w2 * lambda);
}

static __attribute__((noinline)) void edge_careful(PbdLanes* p, bool compliant, int i)
{
    Sweep w = sweep_of(p, compliant);
    Edge e = edge_begin(&w, i);
    keep_length(&w, &e, CAREFUL);
    keep_across(&w, &e);
    keep_distance(&w, &e, CAREFUL);
    edge_store(&e);
}

WIDE_INLINE void edge_finish(const Sweep* w, const Edge* e, int i)
{
    wide_all(e->there) ? edge_store(e) : edge_careful(w->p, w->compliant, i);
}

WIDE_INLINE void sweep_edge(const Sweep* w, int i)
{
    Edge e = edge_begin(w, i);
    keep_length(w, &e, PLAIN);
    keep_across(w, &e);
    keep_distance(w, &e, PLAIN);
    edge_finish(w, &e, i);
}

// ---- the frame of an edge

typedef struct Ghost { // frame of an edge and its ghost
    PbdFrame frame;
    CordWide length;     // of the edge [m]
    CordWide inv_across; // 1 / distance of the ghost from the edge's line [1/m]
    CordWide foot;       // projection of the ghost on the edge, from p0, over the length
    CordWideMask there;  // regular lanes
} Ghost;

// A degenerate edge keeps its tangent, an edge with its ghost on its line keeps its director, and PBD_SHORT
// limits how fast either rotates.
WIDE_INLINE void mend_degenerate(Ghost* g, const PbdSlot* s, const PbdGhost* gs, Wide3 e, Wide3 arm)
{
    const CordWide one = wide_set(1.0), least = wide_set(PBD_SHORT) * gs->length;
    CordWide length;
    Wide3 t = pbd_tangent(e, s->kept_t, s->rest_length, &length);
    CordWide inv_len = one / wide_max(wide_set(PBD_SHORT) * s->rest_length, length), along = dot3(arm, t);
    Wide3 across = madd3(arm, t, -along);
    CordWide distance = wide_sqrt(dot3(across, across));
    CordWideMask off = (CordWideMask)(distance > least), there = g->there;
    CordWide inv_across = one / wide_select(off, distance, least);
    Wide3 d1 = select3(off, mul3(across, inv_across), pbd_across(s->kept_m1, t));
    PbdFrame* f = &g->frame;
    f->t = select3(there, f->t, t), f->d1 = select3(there, f->d1, d1);
    f->d2 = select3(there, f->d2, cross3(t, d1)), f->inv_len = wide_select(there, f->inv_len, inv_len);
    g->length = wide_select(there, g->length, length);
    g->inv_across = wide_select(there, g->inv_across, inv_across);
    g->foot = wide_select(there, g->foot, along * inv_len);
}

// Frame by eq. (3) of the paper: d2 is along (p1 - p0) x (p2 - p0), so it does not need the tangent first.
WIDE_INLINE Ghost ghost_of(const Sweep* w, int i, Care care)
{
    const PbdSlot *s = &w->p->slots[i], *next = &w->p->slots[pbd_next(w->p, i)];
    const PbdGhost* gs = &w->p->ghosts[i];
    const CordWide one = wide_set(1.0);
    Wide3 e = sub3(next->x, s->x), arm = w->compliant ? gs->x : sub3(gs->x, s->x), n = cross3(e, arm);
    CordWide ee = dot3(e, e), nn = dot3(n, n), inv_ee = one / ee, inv_n = wide_sqrt(nn) * (one / nn);
    CordWide length = wide_sqrt(ee), inv_len = length * inv_ee;
    Wide3 t = mul3(e, inv_len), d2 = mul3(n, inv_n);
    CordWide short_e = wide_set(PBD_SHORT) * s->rest_length, short_y = wide_set(PBD_SHORT) * gs->length;
    Ghost g = {{t, cross3(d2, t), d2, inv_len},
               length,
               length * inv_n,
               dot3(arm, e) * inv_ee,
               (CordWideMask)(ee > short_e * short_e) & (CordWideMask)(nn > short_y * short_y * ee)};
    if (care == CAREFUL) {
        mend_degenerate(&g, s, gs, e, arm);
    }
    return g;
}

// ---- the constraint of a corner

// Derivatives of the frame rotation psi, in its own axes, by the points of an edge [1/m]. A motion u of the
// far end gives (-bend d2.u, bend d1.u, -far d2.u), of the near end (bend d2.u, -bend d1.u, near d2.u), of
// the ghost (0, 0, ghost d2.u). As a vector that of the far end is bend t x u - far t (d2.u).
typedef struct Arms {
    CordWide bend, near, far, ghost;
} Arms;

WIDE_INLINE Arms arms_of(const Sweep* w, const Ghost* g)
{
    CordWide far = g->inv_across * g->foot;
    return (Arms){g->frame.inv_len, w->compliant ? far : far - g->inv_across, far, g->inv_across};
}

// Compliance of the frame: the sum of w psi psi' over the points of an edge, nonzero entries only.
typedef struct FrameCompliance {
    CordWide bend, both, twist; // 11 and 22; 13; 33
} FrameCompliance;

WIDE_INLINE FrameCompliance frame_compliance(const Arms* a, CordWide near, CordWide far,
                                             CordWide ghost) // inverse masses
{
    CordWide n = near * a->near, f = far * a->far;
    return (FrameCompliance){(near + far) * (a->bend * a->bend), (n + f) * a->bend,
                             n * a->near + f * a->far + ghost * (a->ghost * a->ghost)};
}

typedef struct Corner { // working copy of a corner and the motion of its five points
    PbdSlot *a, *b, *c;
    PbdGhost *at_a, *at_b;
    PbdFrame frame_a, frame_b;
    Arms arms_a, arms_b;
    WideMat R;          // rotation from A to B
    Wide3 mu, lambda;   // generalised impulse on psi, in the axes of B; multipliers
    Wide3 move[5];      // motion of a, b, c and the ghosts
    CordWideMask there; // regular lanes
} Corner;

WIDE_INLINE Corner corner_begin(const Sweep* w, int i, Care care)
{
    PbdLanes* p = w->p;
    int before = pbd_before(p, i);
    Ghost A = ghost_of(w, before, care), B = ghost_of(w, i, care);
    return (Corner){.a = &p->slots[before],
                    .b = &p->slots[i],
                    .c = &p->slots[pbd_next(p, i)],
                    .at_a = &p->ghosts[before],
                    .at_b = &p->ghosts[i],
                    .frame_a = A.frame,
                    .frame_b = B.frame,
                    .arms_a = arms_of(w, &A),
                    .arms_b = arms_of(w, &B),
                    .R = pbd_between(&A.frame, &B.frame),
                    .there = A.there & B.there};
}

// Compliance E of a corner. Since T' = T R', d beta = T psi with psi = psi^B - R' psi^A, the relative
// rotation of the two frames in the axes of B. E is the sum of w psi psi' over the five points. Each edge
// adds its own FrameCompliance, and the common node adds -w (P_B P_A' + P_A P_B'), where a motion u of it
// gives P_B u = -bend_B e_3 x u + near_B e_3 (e_2.u) for psi^B and P_A u = bend_A t x u - far_A t (n.u) for
// psi^A. The rows of R are the axes m, n, t of A in the axes e_k of B. With [e_3 x] [t x] = t e_3' - (t.e_3)
// 1 the sum is E = k 1 + (t v' + v t') + (e_3 z' + z e_3'), with z perpendicular to e_2.
WIDE_INLINE void corner_compliance(const Corner* c, CordWide E[6])
{
    const CordWide *m = c->R.a[0], *n = c->R.a[1], *t = c->R.a[2], half = wide_set(0.5), w = c->b->w;
    const Arms *A = &c->arms_a, *B = &c->arms_b;
    FrameCompliance a = frame_compliance(A, c->a->w, w, c->at_a->w),
                    b = frame_compliance(B, w, c->c->w, c->at_b->w);
    CordWide wb = w * B->bend, bend = wb * A->bend, twist = wb * A->far, both = w * A->bend * B->near;
    CordWide more = half * (a.twist - a.bend);
    CordWide v0 = a.both * m[0] + more * t[0] + twist * n[1], v1 = a.both * m[1] + more * t[1] - twist * n[0],
             v2 = a.both * m[2] + more * t[2] - bend + w * A->far * B->near * n[1];
    CordWide bent = bend * t[2], k = a.bend + b.bend + (bent + bent), s0 = t[0] * v0, s1 = t[1] * v1,
             s2 = t[2] * v2 - both * t[0];
    E[0] = k + (s0 + s0), E[1] = t[0] * v1 + t[1] * v0, E[2] = t[0] * v2 + t[2] * v0 + (b.both + both * t[2]);
    E[3] = k + (s1 + s1), E[4] = t[1] * v2 + t[2] * v1, E[5] = (k - b.bend) + b.twist + (s2 + s2);
}

// Largest round-off of a vanishing pivot, over the terms it came from.
#define NO_PIVOT 1e-14

WIDE_INLINE Wide3 pivot_floor(const CordWide S[6]) // if the pivots share one scale
{
    CordWide least = wide_set(NO_PIVOT) * (S[0] + S[3] + S[5]);
    return (Wide3){least, least, least};
}

// Solves S x = right by LDL^T, S positive semidefinite. Unknowns whose pivot is at most `least` are zero.
WIDE_INLINE Wide3 solve_ldl(const CordWide S[6], Wide3 right, Wide3 least)
{
    const CordWide one = wide_set(1.0), zero = wide_set(0.0);
    CordWide d0 = S[0], i0 = wide_select((CordWideMask)(d0 > least.x), one / d0, zero), l1 = S[1] * i0,
             l2 = S[2] * i0;
    CordWide d1 = S[3] - l1 * S[1], c = S[4] - l1 * S[2],
             i1 = wide_select((CordWideMask)(d1 > least.y), one / d1, zero), l3 = c * i1;
    CordWide d2 = S[5] - l2 * S[2] - l3 * c, i2 = wide_select((CordWideMask)(d2 > least.z), one / d2, zero);
    CordWide y1 = right.y - l1 * right.x, y2 = right.z - l2 * right.x - l3 * y1;
    CordWide z = y2 * i2, y = y1 * i1 - l3 * z, x = right.x * i0 - l1 * y - l2 * z;
    return (Wide3){x, y, z};
}

// The same with fractions multiplied out: one division on the critical path in place of three. `there`: lanes
// whose pivots do not vanish.
WIDE_INLINE Wide3 solve_by_cofactors(const CordWide S[6], Wide3 right, CordWideMask* there)
{
    const CordWide one = wide_set(1.0), tiny = pivot_floor(S).x, least = tiny * S[0];
    CordWide a = S[3] * S[0] - S[1] * S[1], b = S[4] * S[0] - S[1] * S[2], c = S[5] * S[0] - S[2] * S[2];
    CordWide det = a * c - b * b, over = one / det;
    CordWide u = right.y * S[0] - S[1] * right.x, v = right.z * S[0] - S[2] * right.x;
    CordWide y = (c * u - b * v) * over, z = (a * v - b * u) * over;
    *there = (CordWideMask)(S[0] > tiny) & (CordWideMask)(a > least) & (CordWideMask)(det > least * a);
    return (Wide3){(right.x - S[1] * y - S[2] * z) * (one / S[0]), y, z};
}

WIDE_INLINE WideMat columns_turned(const WideMat* M, CordWide cosine, CordWide sine)
{
    WideMat out = *M;
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++) {
        out.a[k][0] = M->a[k][0] * cosine + M->a[k][1] * sine;
        out.a[k][1] = M->a[k][1] * cosine - M->a[k][0] * sine;
    }
    return out;
}

// The paper's weighted correction: E mu = T^-1 right, with T^-1 = (1 - [g x]) / (1 + g.g).
WIDE_INLINE void weighted_correction(const Sweep* w, Corner* c, const CordWide E[6], Wide3 g, CordWide over,
                                     bool seam, Care care)
{
    const PbdLanes* p = w->p;
    const CordPbdDef* d = &p->def;
    const CordWide* rest = c->b->now_rest;
    Wide3 right = {(rest[0] - (g.x + g.x)) * wide_set(d->weight_bend1),
                   (rest[1] - (g.y + g.y)) * wide_set(d->weight_bend2),
                   (rest[2] - (g.z + g.z)) * wide_set(d->weight_twist)};
    Wide3 psi = mul3(sub3(right, cross3(g, right)), over);
    if (seam) { // back to the axes of B itself
        psi = (Wide3){psi.x * p->seam_cos + psi.y * p->seam_sin, psi.y * p->seam_cos - psi.x * p->seam_sin,
                      psi.z};
    }
    CordWideMask there;
    c->mu = solve_by_cofactors(E, psi, &there);
    c->there &= there;
    if (care == CAREFUL) {
        c->mu = select3(there, c->mu, solve_ldl(E, psi, pivot_floor(E)));
    }
}

// The XPBD correction: (T E T' + a) lambda = right, mu = T' lambda.
WIDE_INLINE void compliant_correction(const Sweep* w, Corner* c, const CordWide E[6], Wide3 g, bool seam)
{
    const CordWide *a = c->at_b->bend_compliance, *rest = c->b->now_rest;
    Wide3 l = c->at_b->bend_lambda;
    WideMat T = pbd_slope(g);
    if (seam) {
        T = columns_turned(&T, w->p->seam_cos, w->p->seam_sin);
    }
    Wide3 row[3], TE[3];
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++) {
        Wide3 t = row[k] = (Wide3){T.a[k][0], T.a[k][1], T.a[k][2]};
        TE[k] = (Wide3){dot3(t, (Wide3){E[0], E[1], E[2]}), dot3(t, (Wide3){E[1], E[3], E[4]}),
                        dot3(t, (Wide3){E[2], E[4], E[5]})};
    }
    CordWide S[6] = {dot3(TE[0], row[0]) + a[0], dot3(TE[0], row[1]) + a[1], dot3(TE[0], row[2]),
                     dot3(TE[1], row[1]) + a[2], dot3(TE[1], row[2]),        dot3(TE[2], row[2]) + a[3]};
    Wide3 right = {rest[0] - (g.x + g.x) - (a[0] * l.x + a[1] * l.y),
                   rest[1] - (g.y + g.y) - (a[1] * l.x + a[2] * l.y), rest[2] - (g.z + g.z) - a[3] * l.z};
    // each pivot has its own scale: a large compliance must not hide the others
    const CordWide none = wide_set(NO_PIVOT);
    c->lambda = solve_ldl(S, right, (Wide3){none * S[0], none * S[3], none * S[5]});
    c->mu = madd3(madd3(mul3(row[0], c->lambda.x), row[1], c->lambda.y), row[2], c->lambda.z);
}

// The bend and twist constraint C_BT = beta - rest (46), beta = 2 g.
WIDE_INLINE void corner_correction(const Sweep* w, Corner* c, Care care)
{
    bool seam = c->b == w->p->slots;
    WideMat seen = seam ? columns_turned(&c->R, w->p->seam_cos, -w->p->seam_sin) : c->R;
    const CordWide one = wide_set(1.0);
    CordWide one_plus_trace = pbd_one_plus_trace(&seen),
             over = wide_set(0.25) * one_plus_trace; // 1 / (1 + g.g)
    CordWideMask open = pbd_open(one_plus_trace);
    Wide3 skew = pbd_skew(&seen), g = mul3(skew, one / one_plus_trace);
    if (care == CAREFUL) {
        g = select3(open, g, pbd_folded(skew, one_plus_trace));
        over = wide_select(open, over, one / (one + dot3(g, g)));
    }
    c->there &= open;
    CordWide E[6];
    corner_compliance(c, E);
    if (w->compliant) {
        compliant_correction(w, c, E, g, seam);
    } else {
        weighted_correction(w, c, E, g, over, seam, care);
    }
}

// Motion of the points of an edge by an impulse mu on psi, over their inverse masses.
typedef struct Pulls {
    Wide3 near, far, ghost;
} Pulls;

WIDE_INLINE Pulls pulls_of(const PbdFrame* f, const Arms* a, Wide3 mu)
{
    CordWide bend = a->bend * mu.x;
    Wide3 along = mul3(f->d1, a->bend * mu.y);
    return (Pulls){sub3(mul3(f->d2, bend + a->near * mu.z), along),
                   sub3(along, mul3(f->d2, bend + a->far * mu.z)), mul3(f->d2, a->ghost * mu.z)};
}

// Scales a correction so that no point moves farther than `far`, beyond which the gradients are not valid.
WIDE_INLINE void corner_limit(Corner* c, CordWide far, Care care)
{
    const CordWide one = wide_set(1.0), far2 = far * far;
    CordWide square[5];
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++) {
        square[i] = dot3(c->move[i], c->move[i]);
    }
    c->there &= (CordWideMask)((square[0] + square[1]) + (square[2] + square[3]) + square[4] <= far2);
    if (care == PLAIN) {
        return;
    }
    CordWide most = square[0];
    for (int i = 1; i < 5; i++) {
        most = wide_max(most, square[i]);
    }
    CordWideMask within = (CordWideMask)(most <= far2);
    CordWide share = wide_select(within, one, far / wide_sqrt(wide_select(within, one, most)));
    for (int i = 0; i < 5; i++) {
        c->move[i] = mul3(c->move[i], share);
    }
    c->lambda = mul3(c->lambda, share);
}

WIDE_INLINE void corner_move(Corner* c, Care care)
{
    const CordWide *m = c->R.a[0], *n = c->R.a[1], *t = c->R.a[2];
    Wide3 mu = c->mu,
          back = {m[0] * mu.x + m[1] * mu.y + m[2] * mu.z, n[0] * mu.x + n[1] * mu.y + n[2] * mu.z,
                  t[0] * mu.x + t[1] * mu.y + t[2] * mu.z};
    Pulls on_a = pulls_of(&c->frame_a, &c->arms_a, back), on_b = pulls_of(&c->frame_b, &c->arms_b, mu);
    c->move[0] = mul3(on_a.near, -c->a->w), c->move[2] = mul3(on_b.far, c->c->w);
    c->move[1] = mul3(sub3(on_b.near, on_a.far), c->b->w);
    c->move[3] = mul3(on_a.ghost, -c->at_a->w), c->move[4] = mul3(on_b.ghost, c->at_b->w);
    corner_limit(c, wide_set(FARTHEST) * wide_min(c->a->rest_length, c->b->rest_length), care);
}

WIDE_INLINE void corner_store(const Sweep* w, const Corner* c)
{
    if (w->compliant) {
        c->at_b->bend_lambda = add3(c->at_b->bend_lambda, c->lambda);
    }
    c->a->x = add3(c->a->x, c->move[0]), c->b->x = add3(c->b->x, c->move[1]);
    c->c->x = add3(c->c->x, c->move[2]);
    c->at_a->x = add3(c->at_a->x, c->move[3]), c->at_b->x = add3(c->at_b->x, c->move[4]);
}

static __attribute__((noinline)) void corner_careful(PbdLanes* p, bool compliant, int i)
{
    Sweep w = sweep_of(p, compliant);
    Corner c = corner_begin(&w, i, CAREFUL);
    corner_correction(&w, &c, CAREFUL);
    corner_move(&c, CAREFUL);
    corner_store(&w, &c);
}

WIDE_INLINE void corner_finish(const Sweep* w, const Corner* c, int i)
{
    wide_all(c->there) ? corner_store(w, c) : corner_careful(w->p, w->compliant, i);
}

WIDE_INLINE void sweep_corner(const Sweep* w, int i)
{
    Corner c = corner_begin(w, i, PLAIN);
    corner_correction(w, &c, PLAIN);
    corner_move(&c, PLAIN);
    corner_finish(w, &c, i);
}

// An edge and a corner without common points. Each is a long chain of dependent operations; interleaving the
// two hides latency.
WIDE_INLINE void sweep_both(const Sweep* w, int edge, int corner)
{
    Edge e = edge_begin(w, edge);
    keep_length(w, &e, PLAIN);
    Corner c = corner_begin(w, corner, PLAIN);
    keep_across(w, &e);
    corner_correction(w, &c, PLAIN);
    keep_distance(w, &e, PLAIN);
    corner_move(&c, PLAIN);
    edge_finish(w, &e, edge);
    corner_finish(w, &c, corner);
}

// ---- the order

// The k-th index of `count` in the given order.
static inline int in_order(CordPbdOrder order, int k, int count)
{
    switch (order) {
    case CORD_PBD_BILATERAL: return k % 2 == 0 ? k / 2 : count - 1 - k / 2;
    case CORD_PBD_INTERLEAVED: return 2 * k < count ? 2 * k : 2 * (k - (count + 1) / 2) + 1;
    default: return k;
    }
}

// Edges come before corners. A corner only depends on the edges at its three nodes, so it may run as soon as
// these are done, together with an edge that it does not touch. This returns by how many edges corners lag.
// Corner 0 of a ring waits for the last edge.
static inline int corners_wait(const PbdLanes* p)
{
    if (p->closed) {
        return p->edge_count;
    }
    switch (p->def.order) {
    case CORD_PBD_BILATERAL: return 6;
    case CORD_PBD_INTERLEAVED: return (p->edge_count + 1) / 2 + 1;
    default: return 3;
    }
}

// C_O and C_T: points held by a clamp have no inverse mass and stay; sliding points are projected on their
// axis.
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
        int edge = in_order(p->def.order, k, edges),
            corner = first + in_order(p->def.order, k - wait, corners);
        bool has_edge = k < edges, has_corner = k >= wait && k - wait < corners;
        if (has_edge && has_corner) {
            sweep_both(w, edge, corner);
        } else if (has_edge) {
            sweep_edge(w, edge);
        } else if (has_corner) {
            sweep_corner(w, corner);
        }
    }
    sweep_tips(p);
}

// ---- a substep

// Compliances over h^2: the inverse of the stiffness with viscous damping. Multipliers start from zero.
static void set_compliance(PbdLanes* p)
{
    const CordWide per = wide_set(1.0 / (p->h * p->h)), one = wide_set(1.0), zero = wide_set(0.0),
                   huge = wide_set(1e300);
    for (int i = 0; i < p->node_count; i++) {
        const PbdSlot* s = &p->slots[i];
        PbdGhost* gs = &p->ghosts[i];
        const CordWide* K = s->now_K;
        CordWide det = K[0] * K[2] - K[1] * K[1],
                 over = wide_select((CordWideMask)(det > zero), per / det, zero);
        CordWideMask bends = (CordWideMask)(det > zero);
        gs->bend_compliance[0] = wide_select(bends, K[2] * over, huge),
        gs->bend_compliance[1] = -(K[1] * over);
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

// Directors of the predicted edges: parallel transport, then rotation by their spin.
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

// Velocities from positions, frames from points, and spins from the rotation of frames.
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
        Ghost g = ghost_of(w, i, CAREFUL);
        s->t = g.frame.t, s->m1 = g.frame.d1, s->length = g.length;
        s->spin = pbd_turn(s, s->kept_t, s->kept_m1) * per;
    }
}

static void substep_xpbd(const Sweep* w)
{
    PbdLanes* p = w->p;
    pbd_precess(p);
    predict(w);
    pbd_resist(p); // uses the frames at the start
    set_compliance(p);
    predict_directors(p);
    for (int n = 0; n < p->def.iterations; n++) {
        sweep_all(w);
    }
    end_substep(w);
    pbd_precess(p);
}

// ---- the paper's substep: Algorithm 1 of the supplement

// Gravity on ghosts (Algorithm 1): the part r by which the edge accelerates along gravity acts on the ghost,
// the rest on the ends of the edge. r is limited to [-1, 2]; otherwise heavy ghosts of violently moving edges
// would drive them further. In both steps the midpoint velocities are taken after external forces.
static void apply_ghost_gravity(PbdLanes* p)
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

// Damping (Mueller et al. 2007, section 3.5): blends velocities towards the rigid motion with the same
// momentum.
typedef struct AngularMomentum {
    CordWide mass;
    Wide3 x, p, L; // sums of mass times position, velocity, and x cross v [kg m], [kg m/s], [kg m^2/s]
    CordWide I[6]; // xx xy xz yy yz zz of mass times x x'
} AngularMomentum;

WIDE_INLINE void add_point(AngularMomentum* sum, CordWide w, Wide3 x, Wide3 v)
{
    CordWideMask moves = (CordWideMask)(w > wide_set(0.0));
    CordWide m = wide_select(moves, wide_set(1.0) / wide_select(moves, w, wide_set(1.0)), wide_set(0.0));
    sum->mass += m;
    sum->x = madd3(sum->x, x, m), sum->p = madd3(sum->p, v, m), sum->L = madd3(sum->L, cross3(x, v), m);
    sum->I[0] += m * x.x * x.x, sum->I[1] += m * x.x * x.y, sum->I[2] += m * x.x * x.z;
    sum->I[3] += m * x.y * x.y, sum->I[4] += m * x.y * x.z, sum->I[5] += m * x.z * x.z;
}

// Positions are relative to the first node, to avoid cancellation far from the origin.
static AngularMomentum momentum_of(const PbdLanes* p)
{
    const CordWide zero = wide_set(0.0);
    AngularMomentum sum = {zero, zero3(), zero3(), zero3(), {zero, zero, zero, zero, zero, zero}};
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
    AngularMomentum m = momentum_of(p);
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
    Wide3 spin = solve_ldl(inertia, L, pivot_floor(inertia));
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
    apply_ghost_gravity(p);
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

void KERNEL(pbd_sweeps)(PbdLanes* p)
{
    bool compliant = p->def.solver == CORD_PBD_XPBD;
    Sweep w = sweep_of(p, compliant);
    for (int n = 0; n < p->def.substeps; n++) {
        compliant ? substep_xpbd(&w) : substep_pbd(&w);
    }
}
