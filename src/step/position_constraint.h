// The bend and twist constraint C_BT at four corners at a time (Umetani, Schmidt and Stam 2014, supplement
// eq. 46 and its gradients).
//
// The edges A and B at a corner have frames d1, d2, d3. R_ij = d_i^A . d_j^B is the rotation from one to the
// other, about the axis n by phi. Its measure is the Rodrigues vector g = tan(phi/2) n; the Darboux vector is
// Omega = beta / l with beta = 2 g:
//
//     beta_k = 2 (R_ji - R_ij) / (1 + R_11 + R_22 + R_33),   (i, j, k) cyclic.
//
// Frame rotations psi^A and psi^B, each in its own axes, change it by
//
//     d beta = T psi^B - T' psi^A,    T = 1 + [g x] + g g' ,
//
// which follows from the product of quaternions. The supplement's (43) to (45) give the rotation psi of a
// frame by the points of its edge: psi_1 = -d2.de/|e|, psi_2 = d1.de/|e|, and psi_3 is the rotation about the
// tangent.
#ifndef CORD_STEP_POSITION_CONSTRAINT_H
#define CORD_STEP_POSITION_CONSTRAINT_H

#include "math/wide3.h"
#include "step/position_lanes.h"

typedef struct PbdFrame {
    Wide3 t, d1, d2;
    CordWide inv_len; // 1 / length, but see PBD_SHORT [1/m]
} PbdFrame;

typedef struct PbdBend {
    Wide3 beta, g;
} PbdBend;

WIDE_INLINE PbdFrame pbd_frame(const PbdSlot* s)
{
    CordWide least = wide_set(PBD_SHORT) * s->rest_length;
    return (PbdFrame){s->t, s->m1, cross3(s->t, s->m1), wide_set(1.0) / wide_max(least, s->length)};
}

// At the seam of a ring, the frame after it is rotated back by the angle that closed the ring.
WIDE_INLINE PbdFrame pbd_unglued(PbdFrame f, const PbdLanes* p)
{
    Wide3 d1 = madd3(mul3(f.d1, p->seam_cos), f.d2, -p->seam_sin);
    f.d2 = madd3(mul3(f.d2, p->seam_cos), f.d1, p->seam_sin);
    f.d1 = d1;
    return f;
}

// g of a corner that is folded, or nearly so, where the formula is singular. It is bounded instead.
WIDE_INLINE Wide3 pbd_folded(Wide3 skew, CordWide one_plus_trace)
{
    const CordWide one = wide_set(1.0), folded = wide_set(PBD_FOLDED);
    CordWideMask flat = (CordWideMask)(one_plus_trace < wide_set(PBD_FLAT));
    CordWide below = wide_max(one_plus_trace, wide_sqrt(wide_select(flat, one, one_plus_trace) * folded));
    Wide3 g = mul3(skew, one / below),
          along = {wide_set(2.0) / wide_sqrt(folded), wide_set(0.0), wide_set(0.0)};
    return select3(flat, along, g);
}

typedef struct WideMat { // rows
    CordWide a[3][3];
} WideMat;

// The rotation matrix R.
WIDE_INLINE WideMat pbd_between(const PbdFrame* a, const PbdFrame* b)
{
    return (WideMat){{{dot3(a->d1, b->d1), dot3(a->d1, b->d2), dot3(a->d1, b->t)},
                      {dot3(a->d2, b->d1), dot3(a->d2, b->d2), dot3(a->d2, b->t)},
                      {dot3(a->t, b->d1), dot3(a->t, b->d2), dot3(a->t, b->t)}}};
}

WIDE_INLINE Wide3 pbd_skew(const WideMat* R)
{
    return (Wide3){R->a[2][1] - R->a[1][2], R->a[0][2] - R->a[2][0], R->a[1][0] - R->a[0][1]};
}

WIDE_INLINE CordWide pbd_one_plus_trace(const WideMat* R) // 4 cos(phi/2)^2
{
    return wide_set(1.0) + (R->a[0][0] + R->a[1][1] + R->a[2][2]);
}

WIDE_INLINE CordWideMask pbd_open(CordWide one_plus_trace) // far enough from a fold for the formula
{
    return (CordWideMask)(one_plus_trace > wide_set(2.0 * PBD_FOLDED));
}

WIDE_INLINE PbdBend pbd_bend(const PbdFrame* a, const PbdFrame* b)
{
    WideMat R = pbd_between(a, b);
    Wide3 skew = pbd_skew(&R);
    CordWide one_plus_trace = pbd_one_plus_trace(&R);
    Wide3 g = wide_all(pbd_open(one_plus_trace)) ? mul3(skew, wide_set(1.0) / one_plus_trace)
                                                 : pbd_folded(skew, one_plus_trace);
    return (PbdBend){add3(g, g), g};
}

// The matrix T: its columns act on psi^B, those of its transpose on psi^A.
WIDE_INLINE WideMat pbd_slope(Wide3 g)
{
    const CordWide one = wide_set(1.0);
    CordWide xy = g.x * g.y, xz = g.x * g.z, yz = g.y * g.z;
    return (WideMat){{{one + g.x * g.x, xy - g.z, xz + g.y},
                      {xy + g.z, one + g.y * g.y, yz - g.x},
                      {xz - g.y, yz + g.x, one + g.z * g.z}}};
}

// Parallel transport of u from the unit vector s to t. It is undefined for opposite vectors; then u is
// unchanged.
WIDE_INLINE Wide3 pbd_carried(Wide3 u, Wide3 s, Wide3 t)
{
    CordWide c = wide_set(1.0) + dot3(s, t);
    CordWideMask there = (CordWideMask)(c > wide_set(1e-12));
    CordWide ratio = wide_select(there, dot3(u, t) / wide_select(there, c, wide_set(1.0)), wide_set(0.0));
    return madd3(u, add3(s, t), -ratio);
}

// The unit vector perpendicular to t nearest to u; any perpendicular one if u is along t.
WIDE_INLINE Wide3 pbd_across(Wide3 u, Wide3 t)
{
    const CordWide one = wide_set(1.0), zero = wide_set(0.0);
    Wide3 a = madd3(u, t, -dot3(u, t));
    CordWide square = dot3(a, a);
    CordWideMask lost = (CordWideMask)(square <= wide_set(1e-12));
    if (wide_any(lost)) {
        CordWideMask by_x = (CordWideMask)(wide_abs(t.x) < wide_set(0.6));
        Wide3 axis = {wide_select(by_x, one, zero), wide_select(by_x, zero, one), zero};
        a = select3(lost, madd3(axis, t, -dot3(axis, t)), a);
        square = dot3(a, a);
    }
    return mul3(a, one / wide_sqrt(square));
}

WIDE_INLINE Wide3 pbd_turned(Wide3 u, Wide3 t, CordWide angle)
{
    return rotated3(u, cross3(t, u), plane_rotation_cayley(angle));
}

// Tangent and length of an edge. A degenerate edge keeps its previous tangent.
WIDE_INLINE Wide3 pbd_tangent(Wide3 e, Wide3 before, CordWide rest_length, CordWide* length)
{
    *length = wide_sqrt(dot3(e, e));
    CordWideMask there = (CordWideMask)(*length > wide_set(1e-9) * rest_length);
    if (wide_all(there)) {
        return mul3(e, wide_set(1.0) / *length);
    }
    return select3(there, mul3(e, wide_set(1.0) / wide_select(there, *length, wide_set(1.0))), before);
}

WIDE_INLINE int pbd_next(const PbdLanes* p, int node)
{
    return node + 1 < p->node_count ? node + 1 : 0;
}

// Corners are the inner nodes of an open rod, and all nodes of a ring.
WIDE_INLINE int pbd_corner_first(const PbdLanes* p)
{
    return p->closed ? 0 : 1;
}

WIDE_INLINE int pbd_corner_last(const PbdLanes* p) // one past the last
{
    return p->closed ? p->node_count : p->node_count - 1;
}

WIDE_INLINE int pbd_before(const PbdLanes* p, int node)
{
    return node > 0 ? node - 1 : p->node_count - 1;
}

WIDE_INLINE PbdFrame pbd_frame_after(const PbdLanes* p, int node) // the frame that the corner at `node` uses
{
    PbdFrame f = pbd_frame(&p->slots[node]);
    return node == 0 ? pbd_unglued(f, p) : f;
}

WIDE_INLINE Wide3 pbd_moments(const PbdSlot* s, Wide3 beta)
{
    CordWide b1 = beta.x - s->now_rest[0], b2 = beta.y - s->now_rest[1], b3 = beta.z - s->now_rest[2];
    return (Wide3){s->now_K[0] * b1 + s->now_K[1] * b2, s->now_K[1] * b1 + s->now_K[2] * b2,
                   s->now_K[3] * b3};
}

// ---- substeps

// Applies external forces to the velocities of a substep. Drag is implicit: it acts on the velocity at the
// end of the substep. The velocity is divided here by (1 + h c / m), and the constraints see the mass
// multiplied by it, so drag does not change equilibria.
WIDE_INLINE void pbd_push(const PbdLanes* p, PbdSlot* s)
{
    const CordWide one = wide_set(1.0);
    s->v = add3(s->v, s->push);
    if (p->dragged) {
        CordWide u = dot3(s->v, s->rail), along = u / (one + s->drag_along),
                 share = one / (one + s->drag_across);
        Wide3 across = madd3(s->v, s->rail, -u);
        CordWideMask feels = (CordWideMask)(s->drag_along + s->drag_across > wide_set(0.0));
        s->v = select3(feels, madd3(mul3(across, share), s->rail, along), s->v);
    }
}

// Rotates the relative velocity of an edge's ends about the edge, as the spin of its frame does in `time`: by
// the Cayley transform, which keeps kinetic energy exactly and turns by less than half a turn, however far
// the spin would turn a short edge. Returns the angular impulse [kg m^2/s].
WIDE_INLINE Wide3 pbd_precess_edge(PbdLanes* p, int edge, CordWide time)
{
    const CordWide one = wide_set(1.0), two = wide_set(2.0), zero = wide_set(0.0);
    PbdSlot *a = &p->slots[edge], *b = &p->slots[pbd_next(p, edge)];
    Wide3 e = sub3(b->x, a->x), u = sub3(b->v, a->v);
    // sliding clamps bear what acts across their axis
    CordWide square = dot3(e, e), w_a = a->w * (one - a->slides), w_b = b->w * (one - b->slides),
             w = w_a + w_b;
    CordWideMask turns = (CordWideMask)(a->spin_w * w * square * time > zero);
    CordWide per_square = one / wide_select(turns, square, one), per_w = one / wide_select(turns, w, one);
    CordWide J = one / wide_select(turns, a->spin_w, one);
    CordWide half = wide_set(0.5) * time * w * J * a->spin * per_square, share = two / (one + half * half);
    Wide3 across = madd3(u, e, -dot3(u, e) * per_square);
    Wide3 turned = mul3(cross3(e, across), share * half * wide_sqrt(per_square));
    Wide3 impulse = mul3(madd3(turned, across, -share * half * half), per_w);
    a->v = select3(turns, madd3(a->v, impulse, -w_a), a->v);
    b->v = select3(turns, madd3(b->v, impulse, w_b), b->v);
    return select3(turns, cross3(e, impulse), zero3());
}

// Edges that turn carry the spin of their frames along. The spin forces act for half of a substep on the
// velocities at its start, before those are changed by loads, which elastic forces may balance, and for half
// of it on those at its end. All of them at the start would make a rod gain energy that tumbles and spins.
// Going edge after edge, forward and back by half the time each (Strang splitting), keeps linear momentum and
// kinetic energy exactly. Returns the angular impulse, which frames take up as their tangents turn.
static inline Wide3 pbd_precess(PbdLanes* p)
{
    const CordWide time = wide_set(0.25 * p->h) * p->carries;
    Wide3 sum = zero3();
    int count = wide_any((CordWideMask)(time > wide_set(0.0))) ? p->edge_count : 0;
    for (int i = 0; i < 2 * count; i++) {
        sum = add3(sum, pbd_precess_edge(p, i < count ? i : 2 * count - 1 - i, time));
    }
    return sum;
}

// Kelvin-Voigt damping by backward Euler is a larger stiffness about a rest value between the true one and
// the strain at the start of the substep: (K, b0) and (r K, b1) together are ((1 + r) K, (b0 + r b1) / (1 +
// r)).
static inline void pbd_resist(PbdLanes* p)
{
    const CordWide one = wide_set(1.0), more = one + p->viscous, share = one / more;
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        const CordWide K[4] = {s->K11, s->K12, s->K22, s->K33};
        for (int k = 0; k < 4; k++) {
            s->now_K[k] = K[k] * more;
        }
        for (int k = 0; k < 3; k++) {
            s->now_rest[k] = s->rest[k];
        }
        s->now_stretch = s->stretch * more;
        s->now_length = s->rest_length;
    }
    if (!p->damped) {
        return;
    }
    for (int i = 0; i < p->edge_count; i++) {
        PbdSlot* s = &p->slots[i];
        s->now_length = (s->rest_length + p->viscous * s->length) * share;
    }
    for (int i = pbd_corner_first(p); i < pbd_corner_last(p); i++) {
        PbdSlot* s = &p->slots[i];
        PbdFrame a = pbd_frame(&p->slots[pbd_before(p, i)]), b = pbd_frame_after(p, i);
        PbdBend bend = pbd_bend(&a, &b);
        s->now_rest[0] = (s->rest[0] + p->viscous * bend.beta.x) * share;
        s->now_rest[1] = (s->rest[1] + p->viscous * bend.beta.y) * share;
        s->now_rest[2] = (s->rest[2] + p->viscous * bend.beta.z) * share;
    }
}

// Twist of a frame relative to the parallel transport of another: twice the tangent of half the angle.
WIDE_INLINE CordWide pbd_turn(const PbdSlot* s, Wide3 from_t, Wide3 from_m1)
{
    Wide3 u = pbd_carried(from_m1, from_t, s->t);
    CordWide sine = dot3(cross3(s->t, u), s->m1), cosine = dot3(u, s->m1);
    CordWide below = wide_max(wide_set(1.0) + cosine, wide_set(1e-12));
    return (sine + sine) / below;
}

#endif
