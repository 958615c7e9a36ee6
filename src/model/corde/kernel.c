// Compiled twice on x86-64: see cmake/CordageKernels.cmake.
#include "model/corde/kernel.h"

#include "base/real.h"
#include "math/kernel.h"
#include "math/wide_quat.h"

#define LEAST_OF_PENALTY 1e-15 // stiffness about the third axis where there is no corner, over the penalty
#define ENOUGH 1.5 // factor of the matrix without its geometric part: too stiff a matrix does not overshoot

WIDE_INLINE Wide3 load_mutable3(double* const a[3], int s)
{
    return (Wide3){wide_load(a[0] + s), wide_load(a[1] + s), wide_load(a[2] + s)};
}

WIDE_INLINE Wide3 times3(Wide3 a, Wide3 b) // component by component
{
    return (Wide3){a.x * b.x, a.y * b.y, a.z * b.z};
}

// ---- edges: stretching, and the penalty that keeps the third axis on the tangent

typedef struct Edge { // four of them
    WideQuat q;
    Wide3 omega;
    Wide3 section;    // derivative of the energy with respect to the edge vector, with friction
    Wide3 torque;     // torque of the penalty about its own axes
    CordWide along;   // cosine of the angle between the third axis and the tangent
    CordWide stretch; // length over rest length
} Edge;

// Stretching V_s (24), friction D_t (28) with (15), and the penalty E_p (33) = kappa l (1 - t.d3) of four
// edges, of which `count` exist. Lanes past the last edge get a length of one and no direction: the slot
// after a ring's last halo node is padding, and an edge from there would reach to the origin.
WIDE_INLINE Edge edge_at(const CordeInput* in, int s, int count, bool rates)
{
    const CordeEdges* edges = in->edges;
    const CordWide one = wide_set(1.0);
    const double* const x1[3] = {in->x[0] + 1, in->x[1] + 1, in->x[2] + 1};
    Edge k = {.q = load_quat(edges->q, s), .omega = zero3()};
    Wide3 e = sub3(load3(x1, s), load3(in->x, s));
    CordWide len2 = dot3(e, e);
    if (count < WIDE_LANES) {
        CordWideMask exists = wide_first(count);
        CordWide none = wide_set(0.0);
        len2 = wide_select(exists, len2, one);
        e = (Wide3){wide_select(exists, e.x, none), wide_select(exists, e.y, none),
                    wide_select(exists, e.z, none)};
    }
    CordWide len = wide_sqrt(len2), inv_len = one / len, inv_rest = wide_load(in->inv_rest + s);
    k.stretch = len * inv_rest;
    Wide3 t = mul3(e, inv_len), own = quat_rotated_back(k.q, t);
    CordWide tension = wide_load(edges->EA + s) * (k.stretch - one);
    if (rates) {
        const double* const v1[3] = {in->v[0] + 1, in->v[1] + 1, in->v[2] + 1};
        Wide3 difference = sub3(load3(v1, s), load3(in->v, s));
        tension += wide_load(edges->drag + s) * dot3(difference, t) * inv_rest;
        k.omega = load_mutable3(edges->omega, s);
    }
    CordWideMask holds = (CordWideMask)(own.z >= wide_set(0.0)); // beyond a right angle: NaN
    if (count < WIDE_LANES) {
        holds |= ~wide_first(count);
    }
    CordWide penalty = wide_select(holds, wide_load(edges->kappa_l + s), wide_set(NAN));
    CordWide across = penalty * inv_len;
    k.section = sub3(mul3(t, tension + across * own.z), mul3(quat_third_axis(k.q), across));
    k.torque = (Wide3){-(penalty * own.y), penalty * own.x, wide_set(0.0)};
    k.along = own.z;
    return k;
}

// ---- corners: bending and twisting

typedef struct Corner { // four of them
    WideQuat p;         // relative rotation from the edge before to the edge after
    CordWide r, slope;  // 1 / (1 + p_4), or 0 as printed; half the factor from p to the strains
    Wide3 strain;
} Corner;

WIDE_INLINE Corner corner_between(WideQuat a, WideQuat b, bool printed)
{
    Corner k = {.p = quat_between(a, b)};
    const CordWide zero = wide_set(0.0), one = wide_set(1.0);
    if (printed) { // p and -p are one rotation: choose the sign with p_4 >= 0
        CordWideMask other = (CordWideMask)(k.p.w < zero);
        k.p.v = select3(other, sub3(zero3(), k.p.v), k.p.v);
        k.p.w = wide_abs(k.p.w);
        k.r = zero;
        k.slope = one;
    } else {
        CordWide left = one + k.p.w;
        k.r = one / wide_select((CordWideMask)(left > wide_set(CORDE_LEAST)), left, wide_set(NAN));
        k.slope = k.r + k.r;
    }
    k.strain = mul3(k.p.v, k.slope + k.slope);
    return k;
}

// Derivative of the strains with respect to rotations of the edges: G for the edge after and -G' for the edge
// before, with G = slope (p_4 + [p] + r p p').
WIDE_INLINE Wide3 strain_rate(const Corner* k, Wide3 before, Wide3 after)
{
    Wide3 d = sub3(after, before), sum = add3(before, after);
    Wide3 rate = madd3(mul3(d, k->p.w), k->p.v, dot3(k->p.v, d) * k->r);
    return mul3(add3(rate, cross3(k->p.v, sum)), k->slope);
}

WIDE_INLINE Wide3 stiffened(const CordeCorners* c, int s, Wide3 a) // K a
{
    CordWide K12 = wide_load(c->K12 + s);
    return (Wide3){wide_load(c->K11 + s) * a.x + K12 * a.y, K12 * a.x + wide_load(c->K22 + s) * a.y,
                   wide_load(c->K33 + s) * a.z};
}

typedef struct Couple { // torques of a corner on its two edges, about their own axes
    Wide3 before, after;
} Couple;

// Torques of bending and twisting V_b (25), and of Kelvin-Voigt friction in the same strains.
WIDE_INLINE Couple couple_of(const CordeInput* in, int s, const Corner* k, Wide3 omega_before,
                             Wide3 omega_after, bool rates)
{
    const CordeCorners* c = in->corners;
    Wide3 strain = sub3(k->strain, load_mutable3(c->rest, s));
    CordWide inv_l = wide_load(c->inv_l + s);
    if (rates) {
        strain = madd3(strain, strain_rate(k, omega_before, omega_after), wide_set(in->damping_time));
    }
    Wide3 M = mul3(stiffened(c, s, strain), inv_l * k->slope);
    Wide3 even = madd3(mul3(M, k->p.w), k->p.v, dot3(M, k->p.v) * k->r), odd = cross3(M, k->p.v);
    Couple out = {.before = sub3(even, odd), .after = sub3(zero3(), add3(even, odd))};
    if (rates && in->drags) { // D_r (30) acts on the difference of the angular velocities
        CordWide drag = wide_load(c->drag + s) * inv_l;
        Wide3 difference = mul3(sub3(omega_after, quat_rotated_back(k->p, omega_before)), drag);
        out.after = sub3(out.after, difference);
        out.before = add3(out.before, quat_rotated(k->p, difference));
    }
    return out;
}

// The same without friction, for corners without rest strain and with equal bending stiffness about both
// axes.
WIDE_INLINE Couple round_couple_of(const CordeInput* in, int s, const Corner* k)
{
    const CordeCorners* c = in->corners;
    CordWide factor = wide_load(c->inv_l + s) * (k->slope + k->slope) * k->slope;
    CordWide B = wide_load(c->K11 + s) * factor, G = wide_load(c->K33 + s) * factor,
             difference = (B - G) * k->p.v.z;
    Wide3 p = k->p.v;
    CordWide along = (B * (p.x * p.x + p.y * p.y) + G * (p.z * p.z)) * k->r, across = B * k->p.w + along;
    Wide3 even = {p.x * across, p.y * across, p.z * (G * k->p.w + along)};
    CordWide odd_x = difference * p.y, odd_y = difference * p.x;
    return (Couple){.before = {even.x - odd_x, even.y + odd_y, even.z},
                    .after = {-(even.x + odd_x), odd_y - even.y, -even.z}};
}

// Compile-time variant of a loop along the rod.
typedef struct Variant {
    bool turns;   // orientations turn with inertia
    bool rates;   // friction acts
    bool printed; // strains of (25) as printed
    bool round;   // see round_couple_of
} Variant;

// ---- the explicit step

// Updates the four nodes from slot s, of which `count` exist, by (37) and (38); padding stays zero.
// Adds to `fast` those that are faster than CordeKick allows.
WIDE_INLINE CordWide kick_nodes(const CordeKick* k, int s, int count, Wide3 f, CordWideMask* fast)
{
    CordWide weight = wide_load(k->w + s) * wide_set(k->kick), force[3] = {f.x, f.y, f.z},
             sum = wide_set(0.0), off2 = sum;
    for (int i = 0; i < 3; i++) {
        CordWide v = wide_load(k->in.v[i] + s) + (force[i] * weight + wide_set(k->kick * k->gravity[i]));
        if (count < WIDE_LANES) {
            v = wide_select(wide_first(count), v, wide_set(0.0));
        }
        CordWide off = v - wide_set(k->reference_velocity[i]);
        off2 += off * off;
        wide_store(k->v_next[i] + s, v);
        if (k->h > 0.0) {
            wide_store(k->x_next[i] + s, wide_load(k->in.x[i] + s) + v * wide_set(k->h));
        }
        sum += v * v;
    }
    CordWideMask far = (CordWideMask)(off2 > wide_set(k->most_off2));
    *fast |= count < WIDE_LANES ? far & wide_first(count) : far;
    return sum;
}

// Euler's equations (40). Returns the sum of the angular accelerations, which is not finite if any is not.
WIDE_INLINE CordWide kick_edges(const CordeKick* k, int s, Wide3 torque, bool round)
{
    const CordeEdges* edges = k->in.edges;
    Wide3 omega = load_mutable3(edges->omega, s);
    torque.z += wide_load(edges->torque + s);
    if (k->gyroscopic && round) {
        CordWide spin = (wide_load(edges->inertia[2] + s) - wide_load(edges->inertia[0] + s)) * omega.z;
        torque.x -= spin * omega.y;
        torque.y += spin * omega.x;
    } else if (k->gyroscopic) {
        torque = sub3(torque, cross3(omega, times3(load_mutable3(edges->inertia, s), omega)));
    }
    Wide3 push = times3(torque, load_mutable3(edges->turn_w, s));
    store3(k->omega_next, s, madd3(omega, push, wide_set(k->kick)));
    return push.x + push.y + push.z;
}

typedef struct Block { // four edges and the corners before them, passed to the next block
    Edge edge;
    Couple couple;   // of the corners
    CordWide cosine; // of half their rotation: p_4
} Block;

WIDE_INLINE Block no_block(void)
{
    return (Block){{quat_zero(), zero3(), zero3(), zero3(), wide_set(0.0), wide_set(0.0)},
                   {zero3(), zero3()},
                   wide_set(0.0)};
}

WIDE_INLINE Block block_at(const CordeInput* in, int s, const Block* before, Variant as)
{
    Block b = no_block();
    b.edge = edge_at(in, s, in->slot_count - 1 - s, as.rates);
    if (as.turns) {
        Corner corner = corner_between(earlier_quat(before->edge.q, b.edge.q), b.edge.q, as.printed);
        b.couple = as.round ? round_couple_of(in, s, &corner)
                            : couple_of(in, s, &corner, earlier3(before->edge.omega, b.edge.omega),
                                        b.edge.omega, as.rates);
        b.cosine = corner.p.w;
    }
    return b;
}

// The torque on an edge needs the corners at both of its ends, so that the next block completes it.
WIDE_INLINE Wide3 torque_of(const Block* b, const Block* next)
{
    return add3(add3(b->edge.torque, b->couple.after), later3(b->couple.before, next->couple.before));
}

// Corners of half a turn or more, and edges whose third axis is 60 degrees or more off the tangent, or of
// half their rest length or less.
WIDE_INLINE CordWideMask risk_at(const Block* b, int count)
{
    const CordWide half = wide_set(0.5);
    CordWideMask off = (CordWideMask)(b->edge.along < half) | (CordWideMask)(b->edge.stretch < half);
    if (count < WIDE_LANES) {
        off &= wide_first(count);
    }
    return off | (CordWideMask)(b->cosine < wide_set(0.0));
}

WIDE_INLINE double kick_along(const CordeKick* given, Variant as)
{
    const CordeEdges edges = *given->in.edges;
    const CordeCorners corners = *given->in.corners;
    CordeKick own = *given; // copies that no store to the arrays can reach
    own.in.edges = &edges, own.in.corners = &corners;
    const CordeKick* k = &own;
    const int slots = k->in.slot_count;
    Block before = no_block();
    CordWide sum = wide_set(0.0), pushes = sum;
    CordWideMask risk = wide_first(0);
    for (int s = 0; s < slots; s += WIDE_LANES) {
        Block here = block_at(&k->in, s, &before, as);
        risk |= risk_at(&here, slots - 1 - s);
        Wide3 section = here.edge.section;
        sum += kick_nodes(k, s, slots - s, sub3(section, earlier3(before.edge.section, section)), &risk);
        if (as.turns && s > 0) {
            pushes += kick_edges(k, s - WIDE_LANES, torque_of(&before, &here), as.round);
        }
        before = here;
    }
    if (as.turns) {
        Block none = no_block();
        pushes += kick_edges(k, (slots - 1) / WIDE_LANES * WIDE_LANES, torque_of(&before, &none), as.round);
        *k->at_risk = wide_any(risk);
    }
    return wide_sum(sum) + 0.0 * wide_sum(pushes);
}

static double kick(const CordeKick* k)
{
    bool rates = k->in.drags || k->in.damping_time > 0.0;
    if (!k->omega_next[0]) {
        return rates ? kick_along(k, (Variant){.rates = true}) : kick_along(k, (Variant){.rates = false});
    }
    if (k->in.printed) {
        return rates ? kick_along(k, (Variant){.turns = true, .rates = true, .printed = true})
                     : kick_along(k, (Variant){.turns = true, .printed = true});
    }
    return rates         ? kick_along(k, (Variant){.turns = true, .rates = true})
           : k->in.round ? kick_along(k, (Variant){.turns = true, .round = true})
                         : kick_along(k, (Variant){.turns = true});
}

// ---- forces, for queries

WIDE_INLINE void forces_along(const CordeInput* in, const CordeForces* out, Variant as)
{
    Block before = no_block();
    for (int s = 0; s < in->slot_count; s += WIDE_LANES) {
        Block here = block_at(in, s, &before, as);
        store3(out->section, s, here.edge.section);
        store3(out->moment, s, sub3(zero3(), quat_rotated(here.edge.q, here.couple.after)));
        if (s > 0) {
            store3(out->torque, s - WIDE_LANES, torque_of(&before, &here));
        }
        before = here;
    }
    Block none = no_block();
    store3(out->torque, (in->slot_count - 1) / WIDE_LANES * WIDE_LANES, torque_of(&before, &none));
}

static void forces(const CordeInput* in, const CordeForces* out)
{
    bool rates = in->drags || in->damping_time > 0.0;
    if (rates) {
        in->printed ? forces_along(in, out, (Variant){.turns = true, .rates = true, .printed = true})
                    : forces_along(in, out, (Variant){.turns = true, .rates = true});
    } else {
        in->printed ? forces_along(in, out, (Variant){.turns = true, .printed = true})
                    : forces_along(in, out, (Variant){.turns = true});
    }
}

// ---- Newton's system for quasistatic orientations

typedef struct Matrix { // four of them
    Wide3 row[3];
} Matrix;

WIDE_INLINE Matrix slope_of(const Corner* k) // G
{
    Wide3 p = k->p.v, rp = mul3(p, k->r);
    CordWide w = k->p.w, xy = rp.x * p.y, xz = rp.x * p.z, yz = rp.y * p.z;
    Matrix g = {{{w + rp.x * p.x, xy - p.z, xz + p.y},
                 {xy + p.z, w + rp.y * p.y, yz - p.x},
                 {xz - p.y, yz + p.x, w + rp.z * p.z}}};
    for (int i = 0; i < 3; i++) {
        g.row[i] = mul3(g.row[i], k->slope);
    }
    return g;
}

WIDE_INLINE Wide3 row_times(Wide3 a, const Matrix* b) // a' b
{
    return madd3(madd3(mul3(b->row[0], a.x), b->row[1], a.y), b->row[2], a.z);
}

WIDE_INLINE Matrix transposed(const Matrix* a)
{
    const Wide3* r = a->row;
    return (Matrix){{{r[0].x, r[1].x, r[2].x}, {r[0].y, r[1].y, r[2].y}, {r[0].z, r[1].z, r[2].z}}};
}

typedef struct Symmetric { // four of them: 11 12 13 22 23 33
    CordWide of[6];
} Symmetric;

WIDE_INLINE Symmetric sandwich(const Matrix* g, const Matrix* kg) // g' kg, where that is symmetric
{
    Matrix gt = transposed(g);
    Wide3 a = row_times(gt.row[0], kg), b = row_times(gt.row[1], kg), c = row_times(gt.row[2], kg);
    return (Symmetric){{a.x, a.y, a.z, b.y, b.z, c.z}};
}

WIDE_INLINE Matrix stiffness_times(const CordeCorners* c, int s, CordWide factor, const Matrix* g) // K g
{
    CordWide K11 = factor * wide_load(c->K11 + s), K12 = factor * wide_load(c->K12 + s),
             K22 = factor * wide_load(c->K22 + s), K33 = factor * wide_load(c->K33 + s);
    return (Matrix){{madd3(mul3(g->row[0], K11), g->row[1], K12), madd3(mul3(g->row[0], K12), g->row[1], K22),
                     mul3(g->row[2], K33)}};
}

typedef struct Turning { // Hessian blocks of four corners: edge before, edge after, and mixed
    Symmetric before, after;
    Matrix link;
} Turning;

WIDE_INLINE Matrix outer_sum(Wide3 a, Wide3 b, CordWide sign) // a b' + sign b a'
{
    Wide3 c = mul3(b, sign);
    return (Matrix){{madd3(mul3(b, a.x), a, c.x), madd3(mul3(b, a.y), a, c.y), madd3(mul3(b, a.z), a, c.z)}};
}

WIDE_INLINE Matrix cross_matrix(Wide3 a)
{
    const CordWide zero = wide_set(0.0);
    return (Matrix){{{zero, -a.z, a.y}, {a.z, zero, -a.x}, {-a.y, a.x, zero}}};
}

WIDE_INLINE Matrix add_matrix(Matrix a, Matrix b, CordWide factor) // a + factor b
{
    return (Matrix){{madd3(a.row[0], b.row[0], factor), madd3(a.row[1], b.row[1], factor),
                     madd3(a.row[2], b.row[2], factor)}};
}

WIDE_INLINE Matrix scaled_unit(CordWide a)
{
    const CordWide zero = wide_set(0.0);
    return (Matrix){{{a, zero, zero}, {zero, a, zero}, {zero, zero, a}}};
}

WIDE_INLINE void add_symmetric(Symmetric* to, const Matrix* a)
{
    const Wide3* r = a->row;
    const CordWide all[6] = {r[0].x, r[0].y, r[0].z, r[1].y, r[1].z, r[2].z};
    for (int i = 0; i < 6; i++) {
        to->of[i] += all[i];
    }
}

// Geometric part of the Hessian of V_b: the moments M times the second derivatives of the strains. Rotations
// a and b of the edges before and after change p to p + (p b - a p)/2 - (|a|^2 + |b|^2) p / 8 - a p b / 4,
// from which the strains follow to second order.
WIDE_INLINE void add_stress(Turning* t, Wide3 M, const Corner* k)
{
    const CordWide r = k->r, r2 = r * r, w = k->p.w, one = wide_set(1.0);
    Wide3 v = k->p.v, c = cross3(M, v);
    CordWide along = dot3(M, v);
    Matrix vM = outer_sum(v, M, one), odd = outer_sum(v, c, one);
    Matrix D = add_matrix(scaled_unit(-(r2 * along)), vM, r2 * w);
    D = add_matrix(D, outer_sum(v, v, one), r2 * r * along); // a b' + b a' counts v v' twice
    Matrix before = add_matrix(D, odd, -r2), after = add_matrix(D, odd, r2);
    add_symmetric(&t->before, &before);
    add_symmetric(&t->after, &after);
    Matrix link = add_matrix(scaled_unit(-(r * along * (one + r * w)) - r2 * along), vM, r);
    link = add_matrix(link, cross_matrix(M), r * w);
    link = add_matrix(link, cross_matrix(v), -(r2 * along));
    link = add_matrix(link, D, -one);
    link = add_matrix(link, outer_sum(c, v, -one), r2);
    t->link = add_matrix(t->link, link, one);
}

WIDE_INLINE Turning turning_of(const CordeInput* in, int s, const Corner* k, double inv_h, bool stressed)
{
    CordWide inv_l = wide_load(in->corners->inv_l + s);
    CordWide factor = inv_l * wide_set((stressed ? 1.0 : ENOUGH) * (1.0 + in->damping_time * inv_h));
    Matrix g = slope_of(k), gt = transposed(&g);
    Matrix kg = stiffness_times(in->corners, s, factor, &g),
           kgt = stiffness_times(in->corners, s, factor, &gt);
    Turning t = {.before = sandwich(&gt, &kgt), .after = sandwich(&g, &kg)};
    for (int i = 0; i < 3; i++) {
        t.link.row[i] = sub3(zero3(), row_times(g.row[i], &kg));
    }
    if (stressed) {
        Wide3 M = stiffened(in->corners, s, sub3(k->strain, load_mutable3(in->corners->rest, s)));
        add_stress(&t, mul3(M, inv_l), k);
    }
    if (in->drags) {
        CordWide drag = wide_load(in->corners->drag + s) * inv_l * wide_set(inv_h);
        const CordWide zero = wide_set(0.0);
        Wide3 axis[3] = {{drag, zero, zero}, {zero, drag, zero}, {zero, zero, drag}};
        Matrix columns;
        for (int i = 0; i < 3; i++) {
            columns.row[i] = quat_rotated(k->p, axis[i]);
        }
        Matrix turn = transposed(&columns);
        for (int i = 0; i < 3; i++) {
            t.link.row[i] = sub3(t.link.row[i], turn.row[i]);
        }
        const int diagonal[3] = {0, 3, 5};
        for (int i = 0; i < 3; i++) {
            t.before.of[diagonal[i]] += drag;
            t.after.of[diagonal[i]] += drag;
        }
    }
    return t;
}

// Adds the Hessian of E_p (33), whose second-order term is kappa l/2 [t.d3 (a_1^2 + a_2^2) - a_3 (t.d1 a_1 +
// t.d2 a_2)] for a rotation a. The rows of held axes are those of the unit matrix.
WIDE_INLINE void store_diag(const CordeInput* in, const CordeMatrix* out, int s, Symmetric diag)
{
    const CordeEdges* edges = in->edges;
    const CordWide one = wide_set(1.0), zero = wide_set(0.0), half = wide_set(0.5);
    CordWide penalty = wide_load(edges->kappa_l + s), along = penalty;
    if (out->stressed) {
        CordWide x = wide_load(out->aside[0] + s), y = wide_load(out->aside[1] + s);
        along *= wide_sqrt(wide_max(zero, one - (x * x + y * y)));
        diag.of[2] -= half * penalty * x;
        diag.of[4] -= half * penalty * y;
    }
    diag.of[0] += along;
    diag.of[3] += along;
    diag.of[5] += wide_max(zero, diag.of[5]) * wide_set(out->least) + penalty * wide_set(LEAST_OF_PENALTY);
    CordWide m = wide_load(edges->may_turn[0] + s), n = wide_load(edges->may_turn[1] + s);
    CordWide mask[6] = {m, m, m * n, m, m * n, n}, unit[6] = {one - m, zero, zero, one - m, zero, one - n};
    for (int i = 0; i < 6; i++) {
        wide_store(out->diag[i] + s, diag.of[i] * mask[i] + unit[i]);
    }
}

WIDE_INLINE void store_link(const CordeInput* in, const CordeMatrix* out, int s, const Matrix* link)
{
    double* const* may = in->edges->may_turn;
    CordWide m = wide_load(may[0] + s - 1), n = wide_load(may[1] + s - 1), mask[3] = {m, m, n};
    Wide3 across = {wide_load(may[0] + s), wide_load(may[0] + s), wide_load(may[1] + s)};
    for (int i = 0; i < 3; i++) {
        store3(out->link + 3 * i, s, times3(mul3(link->row[i], mask[i]), across));
    }
}

WIDE_INLINE Symmetric no_symmetric(void)
{
    Symmetric none;
    for (int i = 0; i < 6; i++) {
        none.of[i] = wide_set(0.0);
    }
    return none;
}

WIDE_INLINE void matrix_along(const CordeInput* in, const CordeMatrix* out, bool printed)
{
    WideQuat before = quat_zero();
    Turning turning = {.before = no_symmetric(), .after = no_symmetric()};
    for (int s = 0; s < in->slot_count + WIDE_LANES; s += WIDE_LANES) { // edges are one block late
        Turning next = {.before = no_symmetric(), .after = no_symmetric()};
        WideQuat here = quat_zero();
        if (s < in->slot_count) {
            here = load_quat(in->edges->q, s);
            Corner corner = corner_between(earlier_quat(before, here), here, printed);
            next = turning_of(in, s, &corner, out->inv_h, out->stressed && !printed);
            store_link(in, out, s, &next.link);
        }
        if (s > 0) {
            Symmetric diag;
            for (int i = 0; i < 6; i++) {
                diag.of[i] = turning.after.of[i] + wide_later(turning.before.of[i], next.before.of[i]);
            }
            store_diag(in, out, s - WIDE_LANES, diag);
        }
        turning = next;
        before = here;
    }
}

static void matrix(const CordeInput* in, const CordeMatrix* out)
{
    in->printed ? matrix_along(in, out, true) : matrix_along(in, out, false);
}

static void aside(const CordeInput* in, double* const to[2])
{
    const double* const x1[3] = {in->x[0] + 1, in->x[1] + 1, in->x[2] + 1};
    for (int s = 0; s + 1 < in->slot_count; s += WIDE_LANES) {
        Wide3 e = sub3(load3(x1, s), load3(in->x, s));
        CordWide len2 = wide_select(wide_first(in->slot_count - 1 - s), dot3(e, e), wide_set(1.0));
        Wide3 own = quat_rotated_back(load_quat(in->edges->q, s), mul3(e, wide_set(1.0) / wide_sqrt(len2)));
        wide_store(to[0] + s, own.x), wide_store(to[1] + s, own.y);
    }
}

static bool is_in_range(const CordeInput* in)
{
    const double* const x1[3] = {in->x[0] + 1, in->x[1] + 1, in->x[2] + 1};
    const CordWide one = wide_set(1.0), zero = wide_set(0.0);
    CordWide good = one;
    WideQuat before = quat_zero();
    for (int s = 0; s + 1 < in->slot_count; s += WIDE_LANES) {
        WideQuat q = load_quat(in->edges->q, s), p = quat_between(earlier_quat(before, q), q);
        CordWide along = dot3(sub3(load3(x1, s), load3(in->x, s)), quat_third_axis(q));
        CordWide left = in->printed ? one : one + p.w - wide_set(CORDE_LEAST);
        CordWideMask holds = (CordWideMask)(along >= zero) & (CordWideMask)(left > zero);
        good = wide_select(holds | ~wide_first(in->slot_count - 1 - s), good, zero);
        before = q;
    }
    return wide_sum(good) == WIDE_LANES;
}

WIDE_INLINE void store_torque(const CordeEdges* edges, double* const r[3], int s, Wide3 torque)
{
    CordWide m = wide_load(edges->may_turn[0] + s), n = wide_load(edges->may_turn[1] + s);
    torque.z += wide_load(edges->torque + s);
    store3(r, s, (Wide3){torque.x * m, torque.y * m, torque.z * n});
}

WIDE_INLINE void torques_along(const CordeInput* given, double* const r[3], Variant as)
{
    const CordeEdges edges = *given->edges;
    const CordeCorners corners = *given->corners;
    double* const to[3] = {r[0], r[1], r[2]};
    CordeInput own = *given; // copies that no store to the arrays can reach
    own.edges = &edges, own.corners = &corners;
    const CordeInput* in = &own;
    Block before = no_block();
    for (int s = 0; s < in->slot_count; s += WIDE_LANES) {
        Block here = block_at(in, s, &before, as);
        if (s > 0) {
            store_torque(&edges, to, s - WIDE_LANES, torque_of(&before, &here));
        }
        before = here;
    }
    Block none = no_block();
    store_torque(&edges, to, (in->slot_count - 1) / WIDE_LANES * WIDE_LANES, torque_of(&before, &none));
}

static void torques(const CordeInput* in, double* const r[3])
{
    bool rates = in->drags || in->damping_time > 0.0;
    if (in->printed) {
        rates ? torques_along(in, r, (Variant){.turns = true, .rates = true, .printed = true})
              : torques_along(in, r, (Variant){.turns = true, .printed = true});
    } else if (rates) {
        torques_along(in, r, (Variant){.turns = true, .rates = true});
    } else if (in->round) {
        torques_along(in, r, (Variant){.turns = true, .round = true});
    } else {
        torques_along(in, r, (Variant){.turns = true});
    }
}

// ---- rotation of the orientations

// q times (a, 1), renormalised (42); of the lanes `count` exist, and the others stay zero.
WIDE_INLINE WideQuat quat_moved(WideQuat q, Wide3 a, int count)
{
    const CordWide one = wide_set(1.0);
    Wide3 v = add3(q.v, add3(mul3(a, q.w), cross3(q.v, a)));
    CordWide w = q.w - dot3(q.v, a);
    CordWide norm2 = dot3(v, v) + w * w;
    if (count < WIDE_LANES) {
        norm2 = wide_select(wide_first(count), norm2, one);
    }
    CordWide scale = one / wide_sqrt(norm2);
    return (WideQuat){mul3(v, scale), w * scale};
}

// Components of a fixed vector u after its frame is rotated about a by 2 atan|a|.
WIDE_INLINE Wide3 fixed_vector(Wide3 u, Wide3 a)
{
    const CordWide two = wide_set(2.0);
    CordWide scale = two / (wide_set(1.0) + dot3(a, a));
    Wide3 c = cross3(a, u);
    return madd3(u, sub3(cross3(a, c), c), scale);
}

WIDE_INLINE double largest(CordWide a)
{
    return real_max(real_max(a[0], a[1]), real_max(a[2], a[3]));
}

// Rotates by the angular velocity at the middle of the step, which is known to first order.
static double spin(const CordeInput* in, double h, bool gyroscopic)
{
    const CordeEdges edges = *in->edges; // a copy that no store to the arrays can reach
    const int edge_slots = in->slot_count - 1;
    const CordWide half = wide_set(0.5 * h);
    CordWide most = wide_set(0.0), sum = most;
    for (int s = 0; s < edge_slots; s += WIDE_LANES) {
        CordWide m = wide_load(edges.may_turn[0] + s), n = wide_load(edges.may_turn[1] + s);
        Wide3 may = {m, m, n}, omega = load_mutable3(edges.omega, s), middle = omega;
        Wide3 inertia = load_mutable3(edges.inertia, s), w = load_mutable3(edges.turn_w, s);
        Wide3 momentum = times3(inertia, omega);
        if (!gyroscopic) {
            middle = madd3(omega, times3(w, cross3(momentum, omega)), half);
        }
        Wide3 a = mul3(times3(middle, may), half);
        CordWide square = dot3(a, a);
        most = wide_max(most, square);
        sum += square;
        store_quat(edges.q, s, quat_moved(load_quat(edges.q, s), a, edge_slots - s));
        if (!gyroscopic) {
            Wide3 change = sub3(fixed_vector(momentum, a), momentum);
            store3(edges.omega, s, add3(omega, times3(w, change)));
        }
    }
    return 2.0 * sqrt(largest(most)) + 0.0 * wide_sum(sum);
}

static double turn(const CordeEdges* edges, double* const rate[3], double h, int edge_slots, double most)
{
    CordWide square = wide_set(0.0), sum = square;
    for (int s = 0; s < edge_slots; s += WIDE_LANES) {
        Wide3 a = load_mutable3(rate, s);
        CordWide turn2 = wide_select(wide_first(edge_slots - s), dot3(a, a), wide_set(0.0));
        square = wide_max(square, turn2);
        sum += turn2;
    }
    if (!isfinite(wide_sum(sum))) { // wide_max hides NaN
        return NAN;
    }
    double far = h * sqrt(largest(square)), share = far > most ? most / far : 1.0;
    const CordWide half = wide_set(0.5 * h * share);
    for (int s = 0; s < edge_slots; s += WIDE_LANES) {
        Wide3 a = mul3(load_mutable3(rate, s), half);
        store_quat(edges->q, s, quat_moved(load_quat(edges->q, s), a, edge_slots - s));
    }
    return far;
}

static double rate_difference(double* const rate[3], int first, int last)
{
    CordWide square = wide_set(0.0);
    for (int s = first + 1; s < last; s += WIDE_LANES) {
        Wide3 d = sub3(load_mutable3(rate, s), load_mutable3(rate, s - 1));
        square = wide_max(square, wide_select(wide_first(last - s), dot3(d, d), wide_set(0.0)));
    }
    return sqrt(largest(square));
}

extern const CordeKernels KERNEL(corde_kernels);
const CordeKernels KERNEL(corde_kernels) = {.kick = kick,
                                            .forces = forces,
                                            .matrix = matrix,
                                            .aside = aside,
                                            .torques = torques,
                                            .is_in_range = is_in_range,
                                            .spin = spin,
                                            .turn = turn,
                                            .rate_difference = rate_difference};
