// Compiled twice on x86-64: see cmake/CordageKernels.cmake. Names differ by the suffix below; results do not differ.
#include "model/corde/kernel.h"

#include "math/wide_quat.h"

#ifdef CORD_KERNEL_AVX2
#define CORDE_KERNELS corde_kernels_avx2
#define CORDE_KERNELS_NAME "avx2"
#else
#define CORDE_KERNELS corde_kernels_plain
#define CORDE_KERNELS_NAME "plain"
#endif

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
    Wide3 section; // derivative of the energy in the edge vector, with friction
    Wide3 torque;  // about its own axes: of the penalty
} Edge;

// V_s (24), D_t (28) with (15), E_p (33) = kappa l (1 - t.d3). Lanes past the last edge, `count` of which are there, have a length of one.
WIDE_INLINE Edge edge_at(const CordeInput* in, int s, int count, bool rates)
{
    const CordeEdges* edges = in->edges;
    const CordWide one = wide_set(1.0);
    const double* const x1[3] = {in->x[0] + 1, in->x[1] + 1, in->x[2] + 1};
    Edge k = {.q = load_quat(edges->q, s), .omega = zero3()};
    Wide3 e = sub3(load3(x1, s), load3(in->x, s));
    CordWide len2 = dot3(e, e);
    if (count < WIDE_LANES) {
        len2 = wide_select(wide_first(count), len2, one);
    }
    CordWide len = wide_sqrt(len2), inv_len = one / len, inv_rest = wide_load(in->inv_rest + s);
    Wide3 t = mul3(e, inv_len), own = quat_turned_back(k.q, t);
    CordWide tension = wide_load(edges->EA + s) * (len * inv_rest - one);
    if (rates) {
        const double* const v1[3] = {in->v[0] + 1, in->v[1] + 1, in->v[2] + 1};
        Wide3 apart = sub3(load3(v1, s), load3(in->v, s));
        tension += wide_load(edges->drag + s) * dot3(apart, t) * inv_rest;
        k.omega = load_mutable3(edges->omega, s);
    }
    CordWide penalty = wide_load(edges->kappa_l + s), across = penalty * inv_len;
    k.section = sub3(mul3(t, tension + across * own.z), mul3(quat_third_axis(k.q), across));
    k.torque = (Wide3){-(penalty * own.y), penalty * own.x, wide_set(0.0)};
    return k;
}

// ---- corners: bending and twisting

typedef struct Corner { // four of them
    WideQuat p;         // from the edge before to the edge after
    CordWide r, slope;  // 1 / (1 + p_4) or 0, half the factor from p to the strains
    Wide3 strain;
} Corner;

WIDE_INLINE Corner corner_between(WideQuat a, WideQuat b, bool printed)
{
    Corner k = {.p = quat_between(a, b)};
    const CordWide zero = wide_set(0.0), one = wide_set(1.0);
    if (printed) { // of the two signs, the one nearer to no turn at all
        CordWideMask other = (CordWideMask)(k.p.w < zero);
        k.p.v = select3(other, sub3(zero3(), k.p.v), k.p.v);
        k.p.w = wide_abs(k.p.w);
        k.r = zero;
        k.slope = one;
    } else {
        k.r = one / (one + k.p.w);
        k.slope = k.r + k.r;
    }
    k.strain = mul3(k.p.v, k.slope + k.slope);
    return k;
}

// The derivative of the strains: G on the edge after, -G' on the edge before, with G = slope (p_4 + [p] + r p p').
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

typedef struct Couple { // that a corner exerts on its edges, about their own axes
    Wide3 before, after;
} Couple;

// V_b (25), and Kelvin-Voigt friction in the same strains.
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
    if (rates && in->drags) { // D_r (30): the difference of the angular velocities
        CordWide drag = wide_load(c->drag + s) * inv_l;
        Wide3 apart = mul3(sub3(omega_after, quat_turned_back(k->p, omega_before)), drag);
        out.after = sub3(out.after, apart);
        out.before = add3(out.before, quat_turned(k->p, apart));
    }
    return out;
}

// The same where no friction acts, for corners that are straight at rest and bend alike about both axes.
WIDE_INLINE Couple round_couple_of(const CordeInput* in, int s, const Corner* k)
{
    const CordeCorners* c = in->corners;
    CordWide factor = wide_load(c->inv_l + s) * (k->slope + k->slope) * k->slope;
    CordWide B = wide_load(c->K11 + s) * factor, G = wide_load(c->K33 + s) * factor, apart = (B - G) * k->p.v.z;
    Wide3 p = k->p.v;
    CordWide along = (B * (p.x * p.x + p.y * p.y) + G * (p.z * p.z)) * k->r, across = B * k->p.w + along;
    Wide3 even = {p.x * across, p.y * across, p.z * (G * k->p.w + along)};
    CordWide odd_x = apart * p.y, odd_y = apart * p.x;
    return (Couple){.before = {even.x - odd_x, even.y + odd_y, even.z},
                    .after = {-(even.x + odd_x), odd_y - even.y, -even.z}};
}

// What a loop along the rod is compiled for.
typedef struct Variant {
    bool turns;   // orientations turn with inertia
    bool rates;   // friction acts
    bool printed; // strains as printed
    bool round;   // see round_couple_of
} Variant;

// ---- the explicit step

// The four nodes from slot s, `count` of which are there; padding stays zero.
WIDE_INLINE CordWide kick_nodes(const CordeKick* k, int s, int count, Wide3 f)
{
    CordWide weight = wide_load(k->w + s) * wide_set(k->kick), force[3] = {f.x, f.y, f.z}, sum = wide_set(0.0);
    for (int i = 0; i < 3; i++) {
        CordWide v = wide_load(k->in.v[i] + s) + (force[i] * weight + wide_set(k->kick * k->gravity[i]));
        if (count < WIDE_LANES) {
            v = wide_select(wide_first(count), v, wide_set(0.0));
        }
        wide_store(k->v_next[i] + s, v);
        if (k->h > 0.0) {
            wide_store(k->x_next[i] + s, wide_load(k->in.x[i] + s) + v * wide_set(k->h));
        }
        sum += v * v;
    }
    return sum;
}

// (40). Returns the sum of what rates change by, to show whether all is finite.
WIDE_INLINE CordWide kick_edges(const CordeKick* k, int s, Wide3 torque, bool round)
{
    const CordeEdges* edges = k->in.edges;
    Wide3 omega = load_mutable3(edges->omega, s);
    torque.z += wide_load(edges->torque + s);
    if (round) {
        CordWide spin = (wide_load(edges->inertia[2] + s) - wide_load(edges->inertia[0] + s)) * omega.z;
        torque.x -= spin * omega.y;
        torque.y += spin * omega.x;
    } else {
        torque = sub3(torque, cross3(omega, times3(load_mutable3(edges->inertia, s), omega)));
    }
    Wide3 push = times3(torque, load_mutable3(edges->turn_w, s));
    store3(k->omega_next, s, madd3(omega, push, wide_set(k->kick)));
    return push.x + push.y + push.z;
}

typedef struct Block { // what four edges and the corners before them leave for the next
    Edge edge;
    Couple couple; // of the corners
} Block;

WIDE_INLINE Block no_block(void)
{
    return (Block){{quat_zero(), zero3(), zero3(), zero3()}, {zero3(), zero3()}};
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
    }
    return b;
}

// The torques of an edge need the corners at both its ends, so they are completed with the next block.
WIDE_INLINE Wide3 torque_of(const Block* b, const Block* next)
{
    return add3(add3(b->edge.torque, b->couple.after), later3(b->couple.before, next->couple.before));
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
    for (int s = 0; s < slots; s += WIDE_LANES) {
        Block here = block_at(&k->in, s, &before, as);
        Wide3 section = here.edge.section;
        sum += kick_nodes(k, s, slots - s, sub3(section, earlier3(before.edge.section, section)));
        if (as.turns && s > 0) {
            pushes += kick_edges(k, s - WIDE_LANES, torque_of(&before, &here), as.round);
        }
        before = here;
    }
    if (as.turns) {
        Block none = no_block();
        pushes += kick_edges(k, (slots - 1) / WIDE_LANES * WIDE_LANES, torque_of(&before, &none), as.round);
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

// ---- forces, for those who ask

WIDE_INLINE void forces_along(const CordeInput* in, const CordeForces* out, Variant as)
{
    Block before = no_block();
    for (int s = 0; s < in->slot_count; s += WIDE_LANES) {
        Block here = block_at(in, s, &before, as);
        store3(out->section, s, here.edge.section);
        store3(out->moment, s, sub3(zero3(), quat_turned(here.edge.q, here.couple.after)));
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

// ---- orientations that are solved for

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

typedef struct Turning { // of four corners: what they add to the edges before and after, and between them
    Symmetric before, after;
    Matrix link;
} Turning;

// Second derivatives of V_b without those of the strains, which keeps them positive: stresses add little where neighbours turn little.
WIDE_INLINE Turning turning_of(const CordeInput* in, int s, const Corner* k, double inv_h)
{
    CordWide inv_l = wide_load(in->corners->inv_l + s);
    CordWide factor = inv_l * wide_set(1.0 + in->damping_time * inv_h);
    Matrix g = slope_of(k), gt = transposed(&g);
    Matrix kg = stiffness_times(in->corners, s, factor, &g), kgt = stiffness_times(in->corners, s, factor, &gt);
    Turning t = {.before = sandwich(&gt, &kgt), .after = sandwich(&g, &kg)};
    for (int i = 0; i < 3; i++) {
        t.link.row[i] = sub3(zero3(), row_times(g.row[i], &kg));
    }
    if (in->drags) {
        CordWide drag = wide_load(in->corners->drag + s) * inv_l * wide_set(inv_h);
        const CordWide zero = wide_set(0.0);
        Wide3 axis[3] = {{drag, zero, zero}, {zero, drag, zero}, {zero, zero, drag}};
        Matrix columns;
        for (int i = 0; i < 3; i++) {
            columns.row[i] = quat_turned(k->p, axis[i]);
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

// What an edge has by itself: inertia, and the penalty. Rows of what is held are those of the unit matrix.
WIDE_INLINE void store_diag(const CordeInput* in, const CordeMatrix* out, int s, double inv_h, Symmetric diag)
{
    const CordeEdges* edges = in->edges;
    const CordWide rate2 = wide_set(inv_h * inv_h), one = wide_set(1.0), zero = wide_set(0.0);
    CordWide penalty = wide_load(edges->kappa_l + s);
    diag.of[0] += penalty + wide_load(edges->inertia[0] + s) * rate2;
    diag.of[3] += penalty + wide_load(edges->inertia[1] + s) * rate2;
    diag.of[5] += wide_load(edges->inertia[2] + s) * rate2;
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

WIDE_INLINE void matrix_along(const CordeInput* in, double h, const CordeMatrix* out, bool printed)
{
    WideQuat before = quat_zero();
    Turning turning = {.before = no_symmetric(), .after = no_symmetric()};
    for (int s = 0; s < in->slot_count + WIDE_LANES; s += WIDE_LANES) { // the last edges one block later
        Turning next = {.before = no_symmetric(), .after = no_symmetric()};
        WideQuat here = quat_zero();
        if (s < in->slot_count) {
            here = load_quat(in->edges->q, s);
            Corner corner = corner_between(earlier_quat(before, here), here, printed);
            next = turning_of(in, s, &corner, 1.0 / h);
            store_link(in, out, s, &next.link);
        }
        if (s > 0) {
            Symmetric diag;
            for (int i = 0; i < 6; i++) {
                diag.of[i] = turning.after.of[i] + wide_later(turning.before.of[i], next.before.of[i]);
            }
            store_diag(in, out, s - WIDE_LANES, 1.0 / h, diag);
        }
        turning = next;
        before = here;
    }
}

static void matrix(const CordeInput* in, double h, const CordeMatrix* out)
{
    in->printed ? matrix_along(in, h, out, true) : matrix_along(in, h, out, false);
}

// Momentum takes part, as backward Euler has it; friction is all in the matrix.
WIDE_INLINE void store_torque(const CordeInput* in, double h, double* const r[3], int s, Wide3 torque)
{
    const CordeEdges* edges = in->edges;
    Wide3 omega = load_mutable3(edges->omega, s), momentum = times3(load_mutable3(edges->inertia, s), omega);
    CordWide m = wide_load(edges->may_turn[0] + s), n = wide_load(edges->may_turn[1] + s);
    torque = add3(torque, sub3(mul3(momentum, wide_set(1.0 / h)), cross3(omega, momentum)));
    torque.z += wide_load(edges->torque + s);
    store3(r, s, (Wide3){torque.x * m, torque.y * m, torque.z * n});
}

WIDE_INLINE void torques_along(const CordeInput* given, double h, double* const r[3], Variant as)
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
            store_torque(in, h, to, s - WIDE_LANES, torque_of(&before, &here));
        }
        before = here;
    }
    Block none = no_block();
    store_torque(in, h, to, (in->slot_count - 1) / WIDE_LANES * WIDE_LANES, torque_of(&before, &none));
}

static void torques(const CordeInput* in, double h, double* const r[3])
{
    if (in->printed) {
        torques_along(in, h, r, (Variant){.turns = true, .printed = true});
    } else if (in->round) {
        torques_along(in, h, r, (Variant){.turns = true, .round = true});
    } else {
        torques_along(in, h, r, (Variant){.turns = true});
    }
}

// ---- orientations move

static double turn(const CordeEdges* edges, double* const rate[3], double h, int edge_slots)
{
    const CordWide half = wide_set(0.5 * h), one = wide_set(1.0);
    CordWide most = wide_set(0.0);
    for (int s = 0; s < edge_slots; s += WIDE_LANES) {
        CordWideMask there = wide_first(edge_slots - s);
        WideQuat q = load_quat(edges->q, s);
        Wide3 a = mul3(load_mutable3(rate, s), half);
        Wide3 v = add3(q.v, add3(mul3(a, q.w), cross3(q.v, a)));
        CordWide w = q.w - dot3(q.v, a);
        CordWide norm2 = wide_select(there, dot3(v, v) + w * w, one), scale = one / wide_sqrt(norm2);
        most = wide_max(most, wide_select(there, dot3(a, a), wide_set(0.0)));
        store_quat(edges->q, s, (WideQuat){mul3(v, scale), w * scale});
    }
    return 4.0 * fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

extern const CordeKernels CORDE_KERNELS;
const CordeKernels CORDE_KERNELS = {
    .name = CORDE_KERNELS_NAME, .kick = kick, .forces = forces, .matrix = matrix, .torques = torques, .turn = turn};
