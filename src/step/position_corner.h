// What the corners, edges and nodes of a rod add to the linear system of all its constraints, in four
// unknowns for each node, and to Phi (position_direct_kernel.c). The system is that of Newton's method, or of
// Gauss-Newton, which omits second derivatives of the constraints except the tension of stretched edges and
// is positive definite everywhere. Only kernels include this file.
#ifndef CORD_STEP_POSITION_CORNER_H
#define CORD_STEP_POSITION_CORNER_H

#include "step/position_constraint.h"
#include "step/position_front.h"

#include <string.h>

// Updates the frame of the edge after a node from the accepted one, by parallel transport and twist.
WIDE_INLINE void pbd_follow(PbdSlot* s, const PbdSlot* next, CordWideMask goes)
{
    Wide3 t = pbd_tangent(sub3(next->x, s->x), s->kept_t, s->rest_length, &s->length);
    Wide3 u = pbd_across(pbd_carried(s->kept_m1, s->kept_t, t), t);
    s->m1 = select3(goes, pbd_turned(u, t, s->turn - s->kept_turn), s->kept_m1);
    s->t = select3(goes, t, s->kept_t);
}

// ---- what a corner adds

typedef struct CornerPart {
    // with respect to the edge vectors: xx xy xz yy yz zz; row-major
    CordWide aa[6], bb[6], ab[9];
    Wide3 a_phi_a, a_phi_b, b_phi_a, b_phi_b; // mixed with the twists
    CordWide phi_aa, phi_ab, phi_bb;
    Wide3 grad_a, grad_b;
    CordWide grad_phi_a, grad_phi_b;
} CornerPart;

typedef struct Axes { // psi_1 = one.de, psi_2 = two.de
    Wide3 one, two;
} Axes;

WIDE_INLINE Axes axes_of(const PbdFrame* f)
{
    return (Axes){mul3(f->d2, -f->inv_len), mul3(f->d1, f->inv_len)};
}

WIDE_INLINE Wide3 mixed(Wide3 a, CordWide s, Wide3 b, CordWide t) // s a + t b
{
    return (Wide3){a.x * s + b.x * t, a.y * s + b.y * t, a.z * s + b.z * t};
}

WIDE_INLINE void symmetric_of(CordWide out[6], Axes u, CordWide g11, CordWide g12, CordWide g22)
{
    Wide3 p = mixed(u.one, g11, u.two, g12), q = mixed(u.one, g12, u.two, g22);
    out[0] = u.one.x * p.x + u.two.x * q.x, out[1] = u.one.x * p.y + u.two.x * q.y;
    out[2] = u.one.x * p.z + u.two.x * q.z, out[3] = u.one.y * p.y + u.two.y * q.y;
    out[4] = u.one.y * p.z + u.two.y * q.z, out[5] = u.one.z * p.z + u.two.z * q.z;
}

WIDE_INLINE void mixed_of(CordWide out[9], Axes a, Axes b, const WideMat* g)
{
    Wide3 p = mixed(b.one, g->a[0][0], b.two, g->a[0][1]), q = mixed(b.one, g->a[1][0], b.two, g->a[1][1]);
    const CordWide one[3] = {a.one.x, a.one.y, a.one.z}, two[3] = {a.two.x, a.two.y, a.two.z};
    for (int i = 0; i < 3; i++) {
        out[3 * i] = one[i] * p.x + two[i] * q.x;
        out[3 * i + 1] = one[i] * p.y + two[i] * q.y;
        out[3 * i + 2] = one[i] * p.z + two[i] * q.z;
    }
}

// ---- second derivatives of beta, times the moments n
//
// Frame rotations by the vectors a and b, in their own axes, change n.beta to second order by
//
//     1/2 [n.a g.b + n.b g.a - 2 n.g a.b - n.(a x b) + n.g g.(a x b)] + 1/2 g.(b - a) (u.a + v.b),
//     u = -T n,  v = T' n ,
//
// from the product of three quaternions. An edge that changes by de, with t.de along it, and twists by phi
// rotates its frame by psi_1 = -w2 (1 - t.de/|e|) + phi w1 / 2 and psi_2 = w1 (1 - t.de/|e|) + phi w2 / 2,
// where w is the part of de perpendicular to the edge, over |e|.

WIDE_INLINE void add_curvature(WideMat* aa, WideMat* bb, WideMat* ab, Wide3 g, Wide3 n, Wide3 u, Wide3 v,
                               CordWide share)
{
    const CordWide half = wide_set(0.5) * share, gs[3] = {g.x, g.y, g.z}, ns[3] = {n.x, n.y, n.z},
                   us[3] = {u.x, u.y, u.z}, vs[3] = {v.x, v.y, v.z};
    CordWide ng = dot3(n, g);
    Wide3 skew = {half * (n.x - ng * g.x), half * (n.y - ng * g.y), half * (n.z - ng * g.z)};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            ab->a[i][j] += half * ((ns[i] + us[i]) * gs[j] + gs[i] * (ns[j] - vs[j]));
        }
        for (int j = i; j < 3; j++) {
            aa->a[i][j] -= half * (gs[i] * us[j] + us[i] * gs[j]);
            bb->a[i][j] += half * (gs[i] * vs[j] + vs[i] * gs[j]);
        }
        ab->a[i][i] -= share * ng;
    }
    ab->a[0][1] -= skew.z, ab->a[0][2] += skew.y, ab->a[1][0] += skew.z;
    ab->a[1][2] -= skew.x, ab->a[2][0] -= skew.y, ab->a[2][1] += skew.x;
}

// Second derivatives of the frame rotation, times the moments u in the axes of the frame.
WIDE_INLINE void add_turning(CordWide e[6], Wide3* with_phi, const PbdFrame* f, Wide3 grad, Wide3 u,
                             CordWide share)
{
    Wide3 p = mul3(grad, f->inv_len * share), t = f->t;
    e[0] -= p.x * t.x + t.x * p.x, e[1] -= p.x * t.y + t.x * p.y, e[2] -= p.x * t.z + t.x * p.z;
    e[3] -= p.y * t.y + t.y * p.y, e[4] -= p.y * t.z + t.y * p.z, e[5] -= p.z * t.z + t.z * p.z;
    CordWide half = wide_set(0.5) * share * f->inv_len;
    *with_phi = madd3(madd3(*with_phi, f->d1, half * u.x), f->d2, half * u.y);
}

// Stiffness of a corner: G_aa = T K T', G_bb = T' K T, G_ab = -T K T, and `share` of the moments times the
// second derivatives of beta.
WIDE_INLINE CornerPart corner_part(const PbdSlot* s, const PbdFrame* fa, const PbdFrame* fb,
                                   const PbdBend* bend, Wide3 n, bool second, CordWide share)
{
    WideMat T = pbd_slope(bend->g), KT, KTt, aa, bb, ab;
    const CordWide* K = s->now_K;
    for (int j = 0; j < 3; j++) {
        KT.a[0][j] = K[0] * T.a[0][j] + K[1] * T.a[1][j];
        KT.a[1][j] = K[1] * T.a[0][j] + K[2] * T.a[1][j];
        KT.a[2][j] = K[3] * T.a[2][j];
        KTt.a[0][j] = K[0] * T.a[j][0] + K[1] * T.a[j][1];
        KTt.a[1][j] = K[1] * T.a[j][0] + K[2] * T.a[j][1];
        KTt.a[2][j] = K[3] * T.a[j][2];
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            ab.a[i][j] = -(T.a[i][0] * KT.a[0][j] + T.a[i][1] * KT.a[1][j] + T.a[i][2] * KT.a[2][j]);
        }
        for (int j = i; j < 3; j++) {
            aa.a[i][j] = T.a[i][0] * KTt.a[0][j] + T.a[i][1] * KTt.a[1][j] + T.a[i][2] * KTt.a[2][j];
            bb.a[i][j] = T.a[0][i] * KT.a[0][j] + T.a[1][i] * KT.a[1][j] + T.a[2][i] * KT.a[2][j];
        }
    }
    CornerPart c;
    Axes ua = axes_of(fa), ub = axes_of(fb);
    Wide3 on_a = {-(T.a[0][0] * n.x + T.a[0][1] * n.y + T.a[0][2] * n.z),
                  -(T.a[1][0] * n.x + T.a[1][1] * n.y + T.a[1][2] * n.z),
                  -(T.a[2][0] * n.x + T.a[2][1] * n.y + T.a[2][2] * n.z)};
    Wide3 on_b = {T.a[0][0] * n.x + T.a[1][0] * n.y + T.a[2][0] * n.z,
                  T.a[0][1] * n.x + T.a[1][1] * n.y + T.a[2][1] * n.z,
                  T.a[0][2] * n.x + T.a[1][2] * n.y + T.a[2][2] * n.z};
    c.grad_a = mixed(ua.one, on_a.x, ua.two, on_a.y), c.grad_phi_a = on_a.z;
    c.grad_b = mixed(ub.one, on_b.x, ub.two, on_b.y), c.grad_phi_b = on_b.z;
    if (second) {
        add_curvature(&aa, &bb, &ab, bend->g, n, on_a, on_b, share);
    }
    symmetric_of(c.aa, ua, aa.a[0][0], aa.a[0][1], aa.a[1][1]);
    symmetric_of(c.bb, ub, bb.a[0][0], bb.a[0][1], bb.a[1][1]);
    mixed_of(c.ab, ua, ub, &ab);
    c.a_phi_a = mixed(ua.one, aa.a[0][2], ua.two, aa.a[1][2]);
    c.a_phi_b = mixed(ua.one, ab.a[0][2], ua.two, ab.a[1][2]);
    c.b_phi_a = mixed(ub.one, ab.a[2][0], ub.two, ab.a[2][1]);
    c.b_phi_b = mixed(ub.one, bb.a[0][2], ub.two, bb.a[1][2]);
    c.phi_aa = aa.a[2][2], c.phi_ab = ab.a[2][2], c.phi_bb = bb.a[2][2];
    if (second) {
        add_turning(c.aa, &c.a_phi_a, fa, c.grad_a, on_a, share);
        add_turning(c.bb, &c.b_phi_b, fb, c.grad_b, on_b, share);
    }
    return c;
}

// Adds the stretching of the edge before: k t t', and the geometric stiffness tension / |e| across it.
WIDE_INLINE void add_stretch(CornerPart* c, const PbdSlot* s, CordWide least_across)
{
    const CordWide least = wide_set(PBD_SHORT) * s->rest_length;
    CordWide pull = s->now_stretch * (s->length - s->now_length);
    CordWide across = wide_max(least_across, s->tension / wide_max(least, s->length));
    Wide3 t = s->t, along = mul3(t, s->now_stretch - across);
    c->aa[0] += across + along.x * t.x, c->aa[1] += along.x * t.y, c->aa[2] += along.x * t.z;
    c->aa[3] += across + along.y * t.y, c->aa[4] += along.y * t.z, c->aa[5] += across + along.z * t.z;
    c->grad_a = madd3(c->grad_a, t, pull);
}

WIDE_INLINE CornerPart no_part(void)
{
    CornerPart c;
    memset(&c, 0, sizeof c);
    return c;
}

// ---- the front of an open rod: a node and its frame (0 to 3), the next and its frame (4 to 7), the one
// after that (8 to 10)

static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}; // index into xx xy xz yy yz zz

WIDE_INLINE void fill_column(PbdFront* f, int x, int column, Wide3 v)
{
    f->m[x][column] = v.x, f->m[x + 1][column] = v.y, f->m[x + 2][column] = v.z;
}

WIDE_INLINE void fill_row(PbdFront* f, int row, int x, Wide3 v)
{
    f->m[row][x] = v.x, f->m[row][x + 1] = v.y, f->m[row][x + 2] = v.z;
}

WIDE_INLINE Wide3 minus3(Wide3 a)
{
    return (Wide3){-a.x, -a.y, -a.z};
}

WIDE_INLINE void fill_front(PbdFront* f, const CornerPart* p)
{
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
#pragma GCC unroll 3
        for (int j = 0; j < 3; j++) {
            CordWide aa = p->aa[place[i][j]], bb = p->bb[place[i][j]], ab = p->ab[3 * i + j],
                     ba = p->ab[3 * j + i];
            f->m[i][4 + j] = ab - aa;
            f->m[i][8 + j] = -ab;
            f->m[4 + i][8 + j] = ab - bb;
            if (j >= i) {
                f->m[i][j] = aa;
                f->m[4 + i][4 + j] = (aa + bb) - (ab + ba);
                f->m[8 + i][8 + j] = bb;
            }
        }
    }
    fill_column(f, 0, 3, minus3(p->a_phi_a));
    fill_column(f, 0, 7, minus3(p->a_phi_b));
    fill_row(f, 3, 4, sub3(p->a_phi_a, p->b_phi_a));
    fill_column(f, 4, 7, sub3(p->a_phi_b, p->b_phi_b));
    fill_row(f, 3, 8, p->b_phi_a);
    fill_row(f, 7, 8, p->b_phi_b);
    f->m[3][3] = p->phi_aa, f->m[3][7] = p->phi_ab, f->m[7][7] = p->phi_bb;
    Wide3 force[3] = {p->grad_a, sub3(p->grad_b, p->grad_a), minus3(p->grad_b)};
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++) {
        f->right[4 * k] = force[k].x, f->right[4 * k + 1] = force[k].y, f->right[4 * k + 2] = force[k].z;
    }
    f->right[3] = -p->grad_phi_a, f->right[7] = -p->grad_phi_b;
}

WIDE_INLINE void add_left(PbdFront* f, const PbdLeft* left)
{
#pragma GCC unroll 8
    for (int i = 0; i < PBD_LEFT; i++) {
        f->right[i] += left->right[i];
#pragma GCC unroll 8
        for (int j = i; j < PBD_LEFT; j++) {
            f->m[i][j] += left->m[i][j];
        }
    }
}

// ---- inertia: `m` and `right` are of a node's four unknowns

typedef struct Own {
    CordWide m[4], right[4]; // on the diagonal
} Own;

WIDE_INLINE Own inertia_of(const PbdSlot* s)
{
    Wide3 off = mul3(sub3(s->goal, s->x), s->inertia);
    return (Own){{s->inertia, s->inertia, s->inertia, s->spin_inertia},
                 {off.x, off.y, off.z, s->spin_inertia * (s->turn_goal - s->turn)}};
}

// Inertia across the axis of a sliding clamp, where it is so large that it holds the node, or of anisotropic
// drag. Writes its matrix (xx xy xz yy yz zz) and returns its force. It is made perpendicular to the axis
// twice: what round-off leaves along it would move the node by 1e-6 of what it slides.
WIDE_INLINE Wide3 rail_of(const PbdSlot* s, CordWide m[6])
{
    const CordWide one = wide_set(1.0);
    Wide3 r = s->rail, off = sub3(s->goal, s->x), across = madd3(off, r, -dot3(off, r));
    across = madd3(across, r, -dot3(across, r));
    m[0] = s->rail_hold * (one - r.x * r.x), m[1] = -(s->rail_hold * r.x * r.y),
    m[2] = -(s->rail_hold * r.x * r.z);
    m[3] = s->rail_hold * (one - r.y * r.y), m[4] = -(s->rail_hold * r.y * r.z),
    m[5] = s->rail_hold * (one - r.z * r.z);
    return mul3(across, s->rail_hold);
}

WIDE_INLINE void add_own(PbdFront* f, const PbdSlot* s, bool railed)
{
    Own own = inertia_of(s);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        f->m[i][i] += own.m[i];
        f->right[i] += own.right[i];
    }
    if (railed) {
        CordWide m[6];
        Wide3 force = rail_of(s, m);
        for (int i = 0; i < 3; i++) {
            for (int j = i; j < 3; j++) {
                f->m[i][j] += m[place[i][j]];
            }
        }
        f->right[0] += force.x, f->right[1] += force.y, f->right[2] += force.z;
    }
}
// ---- Phi, without the factors 1/2: all values are twice Phi

WIDE_INLINE CordWide node_merit(const PbdSlot* s, bool railed)
{
    Wide3 off = sub3(s->x, s->goal);
    CordWide turn = s->turn - s->turn_goal;
    CordWide sum = s->inertia * dot3(off, off) + s->spin_inertia * turn * turn;
    if (railed) {
        Wide3 across = madd3(off, s->rail, -dot3(off, s->rail));
        sum += s->rail_hold * dot3(across, across);
    }
    return sum;
}

WIDE_INLINE CordWide edge_merit(const PbdSlot* s)
{
    CordWide longer = s->length - s->now_length;
    return s->now_stretch * longer * longer;
}

WIDE_INLINE CordWide corner_merit(const PbdSlot* s, Wide3 beta, Wide3 n)
{
    return n.x * (beta.x - s->now_rest[0]) + n.y * (beta.y - s->now_rest[1]) +
           n.z * (beta.z - s->now_rest[2]);
}

// Twice Phi, by nodes, edges and corners. Each sum has a fixed order, so that it has the same bits wherever
// it is computed.
typedef struct Merit {
    CordWide nodes, edges, corners;
} Merit;

WIDE_INLINE CordWide merit_sum(const Merit* m)
{
    return (m->nodes + m->edges) + m->corners;
}

static inline CordWide merit(const PbdLanes* p)
{
    Merit sum = {wide_set(0.0), wide_set(0.0), wide_set(0.0)};
    for (int i = 0; i < p->node_count; i++) {
        sum.nodes += node_merit(&p->slots[i], p->railed);
    }
    for (int i = 0; i < p->edge_count; i++) {
        sum.edges += edge_merit(&p->slots[i]);
    }
    int first = pbd_corner_first(p);
    PbdFrame a = pbd_frame(&p->slots[pbd_before(p, first)]);
    for (int i = first; i < pbd_corner_last(p); i++) {
        PbdFrame b = pbd_frame_after(p, i);
        PbdBend bend = pbd_bend(&a, &b);
        sum.corners += corner_merit(&p->slots[i], bend.beta, pbd_moments(&p->slots[i], bend.beta));
        a = i == 0 ? pbd_frame(&p->slots[0]) : b;
    }
    return merit_sum(&sum);
}

WIDE_INLINE CordWide least_across(const PbdLanes* p)
{
    return wide_select(p->exact, wide_set(-INFINITY), wide_set(0.0));
}

// What the corner at s adds, between the frames a and b. *phi is twice its energy.
WIDE_INLINE CornerPart part_at(const PbdLanes* p, const PbdSlot* s, const PbdFrame* a, const PbdFrame* b,
                               bool second, CordWide* phi)
{
    PbdBend bend = pbd_bend(a, b);
    Wide3 n = pbd_moments(s, bend.beta);
    *phi = corner_merit(s, bend.beta, n);
    return corner_part(s, a, b, &bend, n, second, wide_select(p->exact, wide_set(1.0), wide_set(0.0)));
}

typedef struct StepSize { // of a Newton step, so far
    CordWide square;      // largest motion of a node, squared [m^2]
    CordWide turn;        // largest rotation of a frame [rad]
} StepSize;

WIDE_INLINE void add_step(StepSize* size, const CordWide step[4])
{
    size->square = wide_max(size->square, step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
    size->turn = wide_max(size->turn, wide_abs(step[3]));
}

// Smallest pivot over the inertia of its unknown, for a system with second derivatives. Near buckling the
// Hessian is nearly singular or indefinite; there Gauss-Newton takes over. Chosen by hand.
#define LEAST_PIVOT_SHARE 0.05

WIDE_INLINE CordWideMask pivot_is_safe(CordWide inverse_pivot, CordWide inertia)
{
    CordWide ratio = inverse_pivot * inertia;
    return (CordWideMask)(ratio <= wide_set(1.0 / LEAST_PIVOT_SHARE)) & (CordWideMask)(ratio > wide_set(0.0));
}

#endif
