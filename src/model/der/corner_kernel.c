// Compiled twice on x86-64: see cmake/CordageKernels.cmake. Names differ by the suffix below; results do not differ.
#include "model/der/corner.h"

#include "math/wide3.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef CORD_KERNEL_AVX2
#define CORNER_KERNELS corner_kernels_avx2
#define CORNER_KERNELS_NAME "avx2"
#else
#define CORNER_KERNELS corner_kernels_plain
#define CORNER_KERNELS_NAME "plain"
#endif

#define MOST_SINE 0.25 // of a change of twist that the series below is good for

typedef struct Frame { // of four edges
    Wide3 t, m1, m2;
    CordWide inv_len;
} Frame;

WIDE_INLINE Wide3 load_const3(double* const a[3], int s)
{
    return (Wide3){wide_load(a[0] + s), wide_load(a[1] + s), wide_load(a[2] + s)};
}

WIDE_INLINE Frame frame_at(const CornerEdges* edges, int s)
{
    Frame f = {.t = load_const3(edges->t, s),
               .m1 = load_const3(edges->m1, s),
               .inv_len = wide_load(edges->inv_len + s)};
    f.m2 = cross3(f.t, f.m1);
    return f;
}

// ---- frames

// Parallel transport in time (frame_transport), then made a unit vector at right angles to the tangent again, so that
// round-off does not pile up: so near to one, one step of Newton's method for 1/sqrt is exact.
WIDE_INLINE Wide3 carried(Wide3 u, Wide3 s, Wide3 t)
{
    const CordWide one = wide_set(1.0);
    CordWide c = one + dot3(s, t);
    CordWide ratio = wide_select((CordWideMask)(c != wide_set(0.0)), dot3(u, t) / c, wide_set(0.0));
    u = madd3(u, add3(s, t), -ratio);
    u = madd3(u, t, -dot3(u, t));
    return mul3(u, wide_set(1.5) - wide_set(0.5) * dot3(u, u));
}

static void carry(const CornerEdges* edges, const double* const x[3], int edge_slots)
{
    const CordWide one = wide_set(1.0);
    const double* const x1[3] = {x[0] + 1, x[1] + 1, x[2] + 1};
    for (int s = 0; s < edge_slots; s += WIDE_LANES) {
        int count = edge_slots - s < WIDE_LANES ? edge_slots - s : WIDE_LANES;
        CordWideMask there = wide_first(count);
        Wide3 e = sub3(load3(x1, s), load3(x, s));
        CordWide len2 = wide_select(there, dot3(e, e), one);
        CordWide inv_len = one / wide_sqrt(len2);
        Wide3 t = select3(there, mul3(e, inv_len), zero3());
        Wide3 m1 = carried(load_const3(edges->m1, s), load_const3(edges->t, s), t);
        store3(edges->t, s, t);
        store3(edges->m1, s, select3(there, m1, zero3()));
        wide_store(edges->inv_len + s, wide_select(there, inv_len, wide_set(0.0)));
    }
}

static void turn(const CornerEdges* edges, const double* angle, int edge_slots)
{
    for (int s = 0; s < edge_slots; s += WIDE_LANES) { // arrays are padded with zeros: no frame, no turn
        CordWide half = wide_set(0.5) * wide_load(angle + s), square = half * half;
        CordWide scale = wide_set(1.0) / (wide_set(1.0) + square);
        Wide3 t = load_const3(edges->t, s), m1 = load_const3(edges->m1, s);
        CordWide cosine = (wide_set(1.0) - square) * scale, sine = (half + half) * scale;
        store3(edges->m1, s, madd3(mul3(m1, cosine), cross3(t, m1), sine));
    }
}

// asin for |s| <= MOST_SINE: odd series; the first term left out is below 3e-17 of s.
WIDE_INLINE CordWide small_asin(CordWide s)
{
    static const double c[] = {1.0 / 6,
                               3.0 / 40,
                               15.0 / 336,
                               105.0 / 3456,
                               945.0 / 42240,
                               10395.0 / 599040,
                               135135.0 / 9676800,
                               2027025.0 / 175472640,
                               34459425.0 / 3530096640.0,
                               654729075.0 / 78033715200.0,
                               13749310575.0 / 1880240947200.0};
    CordWide q = s * s, sum = wide_set(c[10]);
    for (int i = 9; i >= 0; i--) {
        sum = sum * q + wide_set(c[i]);
    }
    return s + s * q * sum;
}

static int measure(const CornerInput* in)
{
    const CornerNodes* nodes = in->nodes;
    CordWideMask good = wide_first(WIDE_LANES);
    for (int s = 1; s < in->slot_count; s += WIDE_LANES) {
        Frame e = frame_at(in->edges, s - 1), f = frame_at(in->edges, s);
        CordWide c = wide_set(1.0) + dot3(e.t, f.t);
        CordWide ratio = wide_select((CordWideMask)(c != wide_set(0.0)), dot3(e.m1, f.t) / c, wide_set(0.0));
        Wide3 u = madd3(e.m1, add3(e.t, f.t), -ratio);                      // e's frame carried over to f
        CordWide cosine = dot3(u, f.m1), sine = dot3(u, cross3(f.m1, f.t)); // (u x m1) . t
        CordWide old_c = wide_load(nodes->cos_m + s), old_s = wide_load(nodes->sin_m + s);
        CordWide sine_change = sine * old_c - cosine * old_s, cosine_change = cosine * old_c + sine * old_s;
        CordWideMask corner = (CordWideMask)(wide_load(nodes->inv_l + s) > wide_set(0.0));
        CordWideMask small = (CordWideMask)(wide_abs(sine_change) <= wide_set(MOST_SINE)) &
                             (CordWideMask)(cosine_change > wide_set(0.0));
        good &= small | ~corner;
        CordWide m = wide_load(nodes->m + s);
        wide_store(nodes->m + s, wide_select(corner & small, m + small_asin(sine_change), m));
        wide_store(nodes->cos_m + s, wide_select(corner, cosine, wide_set(1.0)));
        wide_store(nodes->sin_m + s, wide_select(corner, sine, wide_set(0.0)));
    }
    return good[0] && good[1] && good[2] && good[3];
}

// ---- strains and moments

typedef struct Corner { // four of them
    Frame e, f;
    CordWide c, q, r;           // cosine of the turn, 2 / (1 + c), 1 / (1 + c)
    CordWide a[2], b[2];        // f's tangent in e's frame, and e's in f's
    CordWide A[2], B[2];        // strains: kb = q t_e x t_f makes them q a and -q b
    CordWide Be[3], Bf[3], GJ2; // stiffness over l
    CordWide g_e[2], g_f[2], T; // moments: derivatives of the energy in A, B and m
} Corner;

WIDE_INLINE void strains_of(Corner* k)
{
    k->c = dot3(k->e.t, k->f.t);
    k->r = wide_set(1.0) / (wide_set(1.0) + k->c);
    k->q = k->r + k->r;
    k->a[0] = dot3(k->f.t, k->e.m1), k->a[1] = dot3(k->f.t, k->e.m2);
    k->b[0] = dot3(k->e.t, k->f.m1), k->b[1] = dot3(k->e.t, k->f.m2);
    for (int i = 0; i < 2; i++) {
        k->A[i] = k->q * k->a[i];
        k->B[i] = -(k->q * k->b[i]);
    }
}

WIDE_INLINE Corner corner_at(const CornerInput* in, int s)
{
    Corner k = {.e = frame_at(in->edges, s - 1), .f = frame_at(in->edges, s)};
    strains_of(&k);
    return k;
}

WIDE_INLINE void stiffness_of(const CornerInput* in, int s, Corner* k)
{
    const CornerEdges* edges = in->edges;
    CordWide inv_l = wide_load(in->nodes->inv_l + s);
    k->Be[0] = inv_l * wide_load(edges->B11 + s - 1), k->Bf[0] = inv_l * wide_load(edges->B11 + s);
    k->Be[1] = inv_l * wide_load(edges->B12 + s - 1), k->Bf[1] = inv_l * wide_load(edges->B12 + s);
    k->Be[2] = inv_l * wide_load(edges->B22 + s - 1), k->Bf[2] = inv_l * wide_load(edges->B22 + s);
    k->GJ2 = wide_load(in->nodes->GJ2 + s);
}

// How far the strains are from where there is no stress; viscous moments count from the strains of the past.
WIDE_INLINE CordWide strained(const CornerInput* in, CordWide strain, const double* rest, const double* past,
                              int s, bool damped)
{
    CordWide d = strain - wide_load(rest + s);
    return damped ? d + wide_set(in->viscous) * (strain - wide_load(past + s)) : d;
}

WIDE_INLINE void moments_of(const CornerInput* in, int s, Corner* k, bool damped)
{
    const CornerNodes* n = in->nodes;
    stiffness_of(in, s, k);
    CordWide A0 = strained(in, k->A[0], n->rest_A[0], n->past_A[0], s, damped);
    CordWide A1 = strained(in, k->A[1], n->rest_A[1], n->past_A[1], s, damped);
    CordWide B0 = strained(in, k->B[0], n->rest_B[0], n->past_B[0], s, damped);
    CordWide B1 = strained(in, k->B[1], n->rest_B[1], n->past_B[1], s, damped);
    k->g_e[0] = k->Be[0] * A0 + k->Be[1] * A1, k->g_e[1] = k->Be[1] * A0 + k->Be[2] * A1;
    k->g_f[0] = k->Bf[0] * B0 + k->Bf[1] * B1, k->g_f[1] = k->Bf[1] * B0 + k->Bf[2] * B1;
    k->T = k->GJ2 * strained(in, wide_load(n->m + s), n->rest_m, n->past_m, s, damped);
}

static void strains(const CornerInput* in, double* const A[2], double* const B[2])
{
    for (int s = 1; s < in->slot_count; s += WIDE_LANES) {
        Corner k = corner_at(in, s);
        for (int i = 0; i < 2; i++) {
            wide_store(A[i] + s, k.A[i]);
            wide_store(B[i] + s, k.B[i]);
        }
    }
}

// ---- energy

WIDE_INLINE CordWide quadratic(const CordWide B[3], CordWide u, CordWide v)
{
    return B[0] * u * u + wide_set(2.0) * B[1] * u * v + B[2] * v * v;
}

static CornerEnergy energy(const CornerInput* in)
{
    const CornerNodes* n = in->nodes;
    const CordWide zero = wide_set(0.0);
    CordWide bend = zero, twist = zero, viscous = zero;
    for (int s = in->first; s < in->last; s += WIDE_LANES) {
        CordWideMask there = wide_first(in->last - s);
        Corner k = corner_at(in, s);
        stiffness_of(in, s, &k);
        for (int i = 0; i < 3; i++) {
            k.Be[i] = wide_select(there, k.Be[i], zero), k.Bf[i] = wide_select(there, k.Bf[i], zero);
        }
        k.GJ2 = wide_select(there, k.GJ2, zero);
        CordWide m = wide_load(n->m + s), d = m - wide_load(n->rest_m + s);
        bend += quadratic(k.Be, k.A[0] - wide_load(n->rest_A[0] + s), k.A[1] - wide_load(n->rest_A[1] + s)) +
                quadratic(k.Bf, k.B[0] - wide_load(n->rest_B[0] + s), k.B[1] - wide_load(n->rest_B[1] + s));
        twist += k.GJ2 * d * d;
        if (in->viscous > 0.0) {
            CordWide since = m - wide_load(n->past_m + s);
            viscous +=
                quadratic(k.Be, k.A[0] - wide_load(n->past_A[0] + s), k.A[1] - wide_load(n->past_A[1] + s)) +
                quadratic(k.Bf, k.B[0] - wide_load(n->past_B[0] + s), k.B[1] - wide_load(n->past_B[1] + s)) +
                k.GJ2 * since * since;
        }
    }
    return (CornerEnergy){0.5 * wide_sum(bend), 0.5 * wide_sum(twist), 0.5 * in->viscous * wide_sum(viscous)};
}

// ---- gradient

// Derivatives of the strains in the local variables: tau, the change of e's tangent in e's frame, and sigma, that of f's in f's. (The turns phi
// change A1, A2 into A2, -A1 and B likewise.)
typedef struct Slopes {
    CordWide A_tau[2][2], A_sigma[2][2], B_tau[2][2], B_sigma[2][2];
    CordWide m_tau[2], m_sigma[2]; // holonomy: kb/2 (DER eq. 9)
} Slopes;

WIDE_INLINE Slopes slopes_of(const Corner* k)
{
    Slopes d;
    const Wide3 *me[2] = {&k->e.m1, &k->e.m2}, *mf[2] = {&k->f.m1, &k->f.m2};
    CordWide qc = k->q * k->c;
    for (int i = 0; i < 2; i++) {
        CordWide rA = k->r * k->A[i], rB = k->r * k->B[i];
        for (int j = 0; j < 2; j++) {
            d.A_tau[i][j] = -(rA * k->a[j]);
            d.B_sigma[i][j] = -(rB * k->b[j]);
            d.A_sigma[i][j] = k->q * dot3(*me[i], *mf[j]) - rA * k->b[j];
            d.B_tau[i][j] = -(k->q * dot3(*me[j], *mf[i])) - rB * k->a[j];
        }
        d.A_tau[i][i] -= qc;
        d.B_sigma[i][i] += qc;
    }
    const CordWide half = wide_set(0.5);
    d.m_tau[0] = -(half * k->A[1]), d.m_tau[1] = half * k->A[0];
    d.m_sigma[0] = -(half * k->B[1]), d.m_sigma[1] = half * k->B[0];
    return d;
}

typedef struct Local {                 // gradient in the local variables
    CordWide tau[2], sigma[2];         // bending alone
    CordWide tau_all[2], sigma_all[2]; // and twist
} Local;

WIDE_INLINE Local local_gradient(const Corner* k, const Slopes* d)
{
    Local g;
    for (int j = 0; j < 2; j++) {
        g.tau[j] = k->g_e[0] * d->A_tau[0][j] + k->g_e[1] * d->A_tau[1][j] + k->g_f[0] * d->B_tau[0][j] +
                   k->g_f[1] * d->B_tau[1][j];
        g.sigma[j] = k->g_e[0] * d->A_sigma[0][j] + k->g_e[1] * d->A_sigma[1][j] +
                     k->g_f[0] * d->B_sigma[0][j] + k->g_f[1] * d->B_sigma[1][j];
        g.tau_all[j] = g.tau[j] + k->T * d->m_tau[j];
        g.sigma_all[j] = g.sigma[j] + k->T * d->m_sigma[j];
    }
    return g;
}

WIDE_INLINE Wide3 in_frame(const Frame* f, CordWide u, CordWide v)
{
    return madd3(mul3(f->m1, u), f->m2, v);
}

WIDE_INLINE CordWide phi_e_gradient(const Corner* k)
{
    return k->g_e[0] * k->A[1] - k->g_e[1] * k->A[0] - k->T;
}

WIDE_INLINE CordWide phi_f_gradient(const Corner* k)
{
    return k->g_f[0] * k->B[1] - k->g_f[1] * k->B[0] + k->T;
}

WIDE_INLINE void store_gradient(const CornerGradient* out, int s, const Corner* k, const Local* g)
{
    store3(out->e, s, mul3(in_frame(&k->e, g->tau_all[0], g->tau_all[1]), k->e.inv_len));
    store3(out->f, s, mul3(in_frame(&k->f, g->sigma_all[0], g->sigma_all[1]), k->f.inv_len));
    wide_store(out->phi_e + s, phi_e_gradient(k));
    wide_store(out->phi_f + s, phi_f_gradient(k));
}

WIDE_INLINE void gradient_along(const CornerInput* in, const CornerGradient* out, bool damped)
{
    for (int s = 1; s < in->slot_count; s += WIDE_LANES) {
        Corner k = corner_at(in, s);
        moments_of(in, s, &k, damped);
        Slopes d = slopes_of(&k);
        Local g = local_gradient(&k, &d);
        store_gradient(out, s, &k, &g);
    }
}

static void gradient(const CornerInput* in, const CornerGradient* out)
{
    in->viscous > 0.0 ? gradient_along(in, out, true) : gradient_along(in, out, false);
}

// ---- second derivatives

// In the local variables, in the order tau, phi_e, sigma, phi_f.
typedef struct Second {
    CordWide tt[3], ss[3]; // 11 12 22
    CordWide ts[2][2];
    CordWide t_e[2], t_f[2], s_e[2], s_f[2]; // with phi_e and phi_f
    CordWide ee, ef, ff;                     // of the phi
} Second;

typedef struct Row { // derivatives of one strain in all local variables
    CordWide tau[2], sigma[2], e, f;
} Row;

WIDE_INLINE void add_product(Second* h, const Row* u, const Row* v) // u v', of which the sum with v u' is symmetric
{
    h->tt[0] += u->tau[0] * v->tau[0], h->tt[1] += u->tau[0] * v->tau[1], h->tt[2] += u->tau[1] * v->tau[1];
    h->ss[0] += u->sigma[0] * v->sigma[0], h->ss[1] += u->sigma[0] * v->sigma[1];
    h->ss[2] += u->sigma[1] * v->sigma[1];
    for (int i = 0; i < 2; i++) {
        h->ts[i][0] += u->tau[i] * v->sigma[0], h->ts[i][1] += u->tau[i] * v->sigma[1];
        h->t_e[i] += u->tau[i] * v->e, h->t_f[i] += u->tau[i] * v->f;
        h->s_e[i] += u->sigma[i] * v->e, h->s_f[i] += u->sigma[i] * v->f;
    }
    h->ee += u->e * v->e, h->ef += u->e * v->f, h->ff += u->f * v->f;
}

WIDE_INLINE Row scaled_sum(const Row* u, CordWide a, const Row* v, CordWide b)
{
    Row w;
    for (int i = 0; i < 2; i++) {
        w.tau[i] = a * u->tau[i] + b * v->tau[i];
        w.sigma[i] = a * u->sigma[i] + b * v->sigma[i];
    }
    w.e = a * u->e + b * v->e;
    w.f = a * u->f + b * v->f;
    return w;
}

// Strain by strain: stiffness times the product of the slopes; `stiffer` counts the viscous part in.
WIDE_INLINE void add_stiffness(Second* h, const Corner* k, const Slopes* d, CordWide stiffer)
{
    const CordWide zero = wide_set(0.0), one = wide_set(1.0);
    Row A[2], B[2], m = {{d->m_tau[0], d->m_tau[1]}, {d->m_sigma[0], d->m_sigma[1]}, -one, one};
    for (int i = 0; i < 2; i++) {
        CordWide turned = i == 0 ? k->A[1] : -k->A[0], turned_f = i == 0 ? k->B[1] : -k->B[0];
        A[i] = (Row){{d->A_tau[i][0], d->A_tau[i][1]}, {d->A_sigma[i][0], d->A_sigma[i][1]}, turned, zero};
        B[i] = (Row){{d->B_tau[i][0], d->B_tau[i][1]}, {d->B_sigma[i][0], d->B_sigma[i][1]}, zero, turned_f};
    }
    Row w = scaled_sum(&A[0], stiffer * k->Be[0], &A[1], stiffer * k->Be[1]);
    add_product(h, &A[0], &w);
    w = scaled_sum(&A[0], stiffer * k->Be[1], &A[1], stiffer * k->Be[2]);
    add_product(h, &A[1], &w);
    w = scaled_sum(&B[0], stiffer * k->Bf[0], &B[1], stiffer * k->Bf[1]);
    add_product(h, &B[0], &w);
    w = scaled_sum(&B[0], stiffer * k->Bf[1], &B[1], stiffer * k->Bf[2]);
    add_product(h, &B[1], &w);
    w = scaled_sum(&m, stiffer * k->GJ2, &m, zero);
    add_product(h, &m, &w);
}

// Moments times the second derivatives of the strains. With M the moment vector, K = kb.M, u and w its gradients in tau and sigma:
//   tau tau      -K r 1 + (M_e kb' + kb M_e')/2 - r (t_f u' + u t_f')
//   tau sigma    -q [M] - K r 1 - r (t_f w' + u t_e')
//   twist:  T times  -r/4 (kb t_f' + t_f kb'),  (q [t_e] - r kb t_e')/2
// and sigma sigma as tau tau with the edges' roles exchanged; all written in the two frames.
WIDE_INLINE void add_geometric(Second* h, const Corner* k, const Slopes* d, const Local* g)
{
    const CordWide half = wide_set(0.5), quarter = wide_set(0.25);
    const Wide3 *me[2] = {&k->e.m1, &k->e.m2}, *mf[2] = {&k->f.m1, &k->f.m2};
    CordWide Ke = k->A[0] * k->g_e[0] + k->A[1] * k->g_e[1], Kf = k->B[0] * k->g_f[0] + k->B[1] * k->g_f[1];
    CordWide Kr = (Ke + Kf) * k->r, Tr = quarter * k->T * k->r;
    CordWide kb_e[2] = {-k->A[1], k->A[0]}, kb_f[2] = {-k->B[1], k->B[0]};
    CordWide M_e[2] = {-k->g_e[1], k->g_e[0]}, M_f[2] = {-k->g_f[1], k->g_f[0]};
    static const int at[3][2] = {{0, 0}, {0, 1}, {1, 1}};
    for (int n = 0; n < 3; n++) {
        int i = at[n][0], j = at[n][1];
        h->tt[n] += half * (M_e[i] * kb_e[j] + kb_e[i] * M_e[j]) -
                    k->r * (k->a[i] * g->tau[j] + g->tau[i] * k->a[j]) -
                    Tr * (kb_e[i] * k->a[j] + k->a[i] * kb_e[j]);
        h->ss[n] += half * (M_f[i] * kb_f[j] + kb_f[i] * M_f[j]) -
                    k->r * (k->b[i] * g->sigma[j] + g->sigma[i] * k->b[j]) -
                    Tr * (kb_f[i] * k->b[j] + k->b[i] * kb_f[j]);
    }
    h->tt[0] -= Kr, h->tt[2] -= Kr, h->ss[0] -= Kr, h->ss[2] -= Kr;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            CordWide G = dot3(*me[i], *mf[j]), across = dot3(*me[1 - i], *mf[j]);
            CordWide turn = i == 0 ? -across : across;
            h->ts[i][j] += k->q * (k->g_f[j] * k->a[i] - k->g_e[i] * k->b[j]) - Kr * G -
                           k->r * (k->a[i] * g->sigma[j] + g->tau[i] * k->b[j]) +
                           half * k->T * (k->q * turn - k->r * kb_e[i] * k->b[j]);
        }
        h->t_e[i] += k->g_e[0] * d->A_tau[1][i] - k->g_e[1] * d->A_tau[0][i];
        h->s_e[i] += k->g_e[0] * d->A_sigma[1][i] - k->g_e[1] * d->A_sigma[0][i];
        h->t_f[i] += k->g_f[0] * d->B_tau[1][i] - k->g_f[1] * d->B_tau[0][i];
        h->s_f[i] += k->g_f[0] * d->B_sigma[1][i] - k->g_f[1] * d->B_sigma[0][i];
    }
    h->ee -= Ke;
    h->ff -= Kf;
}

// Second derivatives in one edge vector. Its direction changes with its length, which adds -(t p' + p t') / |e|.
WIDE_INLINE void store_edge(double* const out[6], int s, const Frame* f, const CordWide h[3], const CordWide g[2])
{
    CordWide scale = f->inv_len * f->inv_len;
    Wide3 u = madd3(in_frame(f, h[0], h[1]), f->t, -g[0]), v = madd3(in_frame(f, h[1], h[2]), f->t, -g[1]);
    Wide3 p = in_frame(f, g[0], g[1]);
    u = mul3(u, scale), v = mul3(v, scale), p = mul3(p, scale);
    wide_store(out[0] + s, u.x * f->m1.x + v.x * f->m2.x - p.x * f->t.x);
    wide_store(out[1] + s, u.x * f->m1.y + v.x * f->m2.y - p.x * f->t.y);
    wide_store(out[2] + s, u.x * f->m1.z + v.x * f->m2.z - p.x * f->t.z);
    wide_store(out[3] + s, u.y * f->m1.y + v.y * f->m2.y - p.y * f->t.y);
    wide_store(out[4] + s, u.y * f->m1.z + v.y * f->m2.z - p.y * f->t.z);
    wide_store(out[5] + s, u.z * f->m1.z + v.z * f->m2.z - p.z * f->t.z);
}

WIDE_INLINE void store_mixed(double* const out[9], int s, const Corner* k, CordWide h[2][2])
{
    CordWide scale = k->e.inv_len * k->f.inv_len;
    Wide3 u = mul3(in_frame(&k->e, h[0][0], h[1][0]), scale), v = mul3(in_frame(&k->e, h[0][1], h[1][1]), scale);
    const Wide3 *m1 = &k->f.m1, *m2 = &k->f.m2;
    CordWide rows[3][2] = {{u.x, v.x}, {u.y, v.y}, {u.z, v.z}};
    for (int i = 0; i < 3; i++) {
        wide_store(out[3 * i] + s, rows[i][0] * m1->x + rows[i][1] * m2->x);
        wide_store(out[3 * i + 1] + s, rows[i][0] * m1->y + rows[i][1] * m2->y);
        wide_store(out[3 * i + 2] + s, rows[i][0] * m1->z + rows[i][1] * m2->z);
    }
}

WIDE_INLINE void store_hessian(const CornerHessian* out, int s, const Corner* k, Second* h, const Local* g)
{
    store_edge(out->ee, s, &k->e, h->tt, g->tau_all);
    store_edge(out->ff, s, &k->f, h->ss, g->sigma_all);
    store_mixed(out->ef, s, k, h->ts);
    store3(out->e_phi_e, s, mul3(in_frame(&k->e, h->t_e[0], h->t_e[1]), k->e.inv_len));
    store3(out->e_phi_f, s, mul3(in_frame(&k->e, h->t_f[0], h->t_f[1]), k->e.inv_len));
    store3(out->f_phi_e, s, mul3(in_frame(&k->f, h->s_e[0], h->s_e[1]), k->f.inv_len));
    store3(out->f_phi_f, s, mul3(in_frame(&k->f, h->s_f[0], h->s_f[1]), k->f.inv_len));
    wide_store(out->phi_ee + s, h->ee);
    wide_store(out->phi_ef + s, h->ef);
    wide_store(out->phi_ff + s, h->ff);
}

WIDE_INLINE void hessian_along(const CornerInput* in, const CornerGradient* slope, const CornerHessian* out,
                               bool damped)
{
    const CordWide zero = wide_set(0.0), stiffer = wide_set(1.0 + in->viscous);
    for (int s = 1; s < in->slot_count; s += WIDE_LANES) {
        Corner k = corner_at(in, s);
        moments_of(in, s, &k, damped);
        Slopes d = slopes_of(&k);
        Local g = local_gradient(&k, &d);
        Second h = {{zero, zero, zero},
                    {zero, zero, zero},
                    {{zero, zero}, {zero, zero}},
                    {zero, zero},
                    {zero, zero},
                    {zero, zero},
                    {zero, zero},
                    zero,
                    zero,
                    zero};
        add_stiffness(&h, &k, &d, stiffer);
        add_geometric(&h, &k, &d, &g);
        store_gradient(slope, s, &k, &g);
        store_hessian(out, s, &k, &h, &g);
    }
}

static void hessian(const CornerInput* in, const CornerGradient* slope, const CornerHessian* out)
{
    in->viscous > 0.0 ? hessian_along(in, slope, out, true) : hessian_along(in, slope, out, false);
}

// ---- turns of the frames alone

WIDE_INLINE void turning_along(const CornerInput* in, double* phi_e, double* phi_f, double* phi_ee,
                               double* phi_ef, double* phi_ff, bool damped)
{
    const CordWide stiffer = wide_set(1.0 + in->viscous);
    for (int s = 1; s < in->slot_count; s += WIDE_LANES) {
        Corner k = corner_at(in, s);
        moments_of(in, s, &k, damped);
        CordWide GJ2 = stiffer * k.GJ2;
        CordWide ee = stiffer * quadratic(k.Be, k.A[1], -k.A[0]) - (k.A[0] * k.g_e[0] + k.A[1] * k.g_e[1]);
        CordWide ff = stiffer * quadratic(k.Bf, k.B[1], -k.B[0]) - (k.B[0] * k.g_f[0] + k.B[1] * k.g_f[1]);
        wide_store(phi_e + s, phi_e_gradient(&k));
        wide_store(phi_f + s, phi_f_gradient(&k));
        wide_store(phi_ee + s, ee + GJ2);
        wide_store(phi_ef + s, -GJ2);
        wide_store(phi_ff + s, ff + GJ2);
    }
}

static void turning(const CornerInput* in, double* phi_e, double* phi_f, double* phi_ee, double* phi_ef,
                    double* phi_ff)
{
    in->viscous > 0.0 ? turning_along(in, phi_e, phi_f, phi_ee, phi_ef, phi_ff, true)
                      : turning_along(in, phi_e, phi_f, phi_ee, phi_ef, phi_ff, false);
}

// The bending moment is g1 m2 - g2 m1 in each frame; twist acts along the mean of the tangents.
static void moments(const CornerInput* in, double* const moment[3])
{
    for (int s = 1; s < in->slot_count; s += WIDE_LANES) {
        Corner k = corner_at(in, s);
        moments_of(in, s, &k, false);
        Wide3 along = add3(k.e.t, k.f.t);
        CordWide length = wide_sqrt(dot3(along, along));
        CordWide T = wide_select((CordWideMask)(length > wide_set(0.0)), k.T / length, wide_set(0.0));
        Wide3 sum = add3(in_frame(&k.e, -k.g_e[1], k.g_e[0]), in_frame(&k.f, -k.g_f[1], k.g_f[0]));
        store3(moment, s, madd3(sum, along, T));
    }
}

// ---- the explicit step

// The section force in four edges: what bending and twist at both ends make of it, and tension along.
WIDE_INLINE Wide3 section_force(const CornerKick* k, int s)
{
    const CornerGradient* g = k->gradient;
    Wide3 p =
        add3(load_const3(g->f, s), load_const3((double* const[3]){g->e[0] + 1, g->e[1] + 1, g->e[2] + 1}, s));
    return madd3(p, load_const3(k->edges->t, s), wide_load(k->tension + s));
}

static void sections(const CornerKick* k)
{
    for (int s = 0; s < k->slot_count; s += WIDE_LANES) {
        store3(k->section, s, section_force(k, s));
    }
}

static double kick(const CornerKick* k)
{
    Wide3 before = zero3();
    CordWide sum = wide_set(0.0);
    for (int s = 0; s < k->slot_count; s += WIDE_LANES) {
        int count = k->slot_count - s < WIDE_LANES ? k->slot_count - s : WIDE_LANES;
        Wide3 p = section_force(k, s), f = sub3(p, earlier3(before, p));
        before = p;
        CordWide weight = wide_load(k->w + s) * wide_set(k->kick), force[3] = {f.x, f.y, f.z};
        for (int i = 0; i < 3; i++) {
            CordWide v = wide_load(k->v[i] + s) + (force[i] * weight + wide_set(k->kick * k->gravity[i]));
            v = wide_select(wide_first(count), v, wide_set(0.0));
            wide_store(k->v_next[i] + s, v);
            if (k->h > 0.0) {
                wide_store(k->x_next[i] + s, wide_load(k->x[i] + s) + v * wide_set(k->h));
            }
            sum += v * v;
        }
    }
    return wide_sum(sum);
}

extern const CornerKernels CORNER_KERNELS;
const CornerKernels CORNER_KERNELS = {.name = CORNER_KERNELS_NAME,
                                      .carry = carry,
                                      .turn = turn,
                                      .measure = measure,
                                      .energy = energy,
                                      .strains = strains,
                                      .gradient = gradient,
                                      .hessian = hessian,
                                      .turning = turning,
                                      .moments = moments,
                                      .sections = sections,
                                      .kick = kick};
