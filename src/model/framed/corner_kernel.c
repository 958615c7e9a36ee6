// Compiled twice on x86-64: see cmake/CordageKernels.cmake. Names differ by the suffix below; results do not differ.
#include "model/framed/corner.h"

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

#define STRIP 64 // slots

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

WIDE_INLINE bool all_of(CordWideMask m)
{
#if defined(__AVX__)
    return _mm256_movemask_pd((__m256d)m) == 15;
#else
    return m[0] & m[1] & m[2] & m[3];
#endif
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
    Wide3 x = cross3(k->e.t, k->f.t);
    k->a[0] = dot3(k->f.t, k->e.m1), k->a[1] = -dot3(x, k->e.m1);
    k->b[0] = dot3(k->e.t, k->f.m1), k->b[1] = dot3(x, k->f.m1);
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

// ---- twist

// asin by its odd series, whose coefficients these are.
static const double arc[] = {1.0 / 6,
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

WIDE_INLINE CordWide small_asin(CordWide s) // up to 1/16: what is left out is below 2e-19 of s
{
    CordWide q = s * s, qq = q * q;
    CordWide low = wide_set(arc[0]) + wide_set(arc[1]) * q, middle = wide_set(arc[2]) + wide_set(arc[3]) * q,
             high = wide_set(arc[4]) + wide_set(arc[5]) * q;
    return s + s * q * (low + qq * (middle + qq * high));
}

WIDE_INLINE CordWide medium_asin(CordWide s) // up to 1/4: below 3e-17
{
    CordWide q = s * s, sum = wide_set(arc[10]);
    for (int i = 9; i >= 0; i--) {
        sum = sum * q + wide_set(arc[i]);
    }
    return s + s * q * sum;
}

// Any angle, from its cosine and sine: mirrored at ever smaller angles until what is left is below pi/16.
WIDE_INLINE CordWide any_angle(CordWide c, CordWide s)
{
    static const double mirror[][5] = {
        // angle, its cosine and sine, those of its half
        {3.14159265358979323846, -1.0, 0.0, 0.0, 1.0},
        {1.57079632679489661923, 0.0, 1.0, 0.70710678118654752440, 0.70710678118654752440},
        {0.78539816339744830962, 0.70710678118654752440, 0.70710678118654752440, 0.92387953251128675613,
         0.38268343236508977173},
        {0.39269908169872415481, 0.92387953251128675613, 0.38268343236508977173, 0.98078528040323044913,
         0.19509032201612826785}};
    CordWide sum = wide_set(0.0), sign = wide_set(1.0);
    CordWideMask negative = (CordWideMask)(s < sum);
    s = wide_abs(s);
    for (int i = 0; i < 4; i++) {
        CordWideMask beyond = (CordWideMask)(s * wide_set(mirror[i][3]) > c * wide_set(mirror[i][4]));
        CordWide cosine = wide_set(mirror[i][1]), sine = wide_set(mirror[i][2]);
        CordWide mirrored_c = c * cosine + s * sine, mirrored_s = c * sine - s * cosine;
        sum = wide_select(beyond, sum + sign * wide_set(mirror[i][0]), sum);
        sign = wide_select(beyond, -sign, sign);
        c = wide_select(beyond, mirrored_c, c);
        s = wide_select(beyond, mirrored_s, s);
    }
    sum += sign * medium_asin(s);
    return wide_select(negative, -sum, sum);
}

WIDE_INLINE CordWide unwrapped(CordWide angle, CordWide last) // frame_unwrap
{
    const CordWide whole = wide_set(6755399441055744.0); // added and taken off, it leaves the nearest whole number
    CordWide turns = ((last - angle) * wide_set(0.15915494309189533577) + whole) - whole;
    return angle + wide_set(6.28318530717958647692) * turns;
}

// The angle from e's frame, carried over to f, on to f's, with the whole turns that are nearest to `last`.
WIDE_INLINE CordWide twist_of(const Corner* k, CordWide last)
{
    const CordWide zero = wide_set(0.0);
    CordWide ratio = wide_select((CordWideMask)(k->c != wide_set(-1.0)), k->r * k->a[0], zero); // frame_transport
    CordWide cosine = dot3(k->e.m1, k->f.m1) - ratio * k->b[0];
    CordWide sine = ratio * k->b[1] - dot3(k->e.m1, k->f.m2);
    CordWideMask small = (CordWideMask)(wide_abs(sine) <= wide_set(0.0625)) & (CordWideMask)(cosine >= zero) &
                         (CordWideMask)(wide_abs(last) <= wide_set(3.0));
    return all_of(small) ? small_asin(sine) : unwrapped(any_angle(cosine, sine), last);
}

static void measure(const CornerInput* in)
{
    for (int s = 0; s < in->slot_count; s += WIDE_LANES) {
        Corner k = corner_at(in, s);
        wide_store(in->nodes->m + s, twist_of(&k, wide_load(in->nodes->m + s)));
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

WIDE_INLINE CordWide phi_e_gradient(const Corner* k)
{
    return k->g_e[0] * k->A[1] - k->g_e[1] * k->A[0] - k->T;
}

WIDE_INLINE CordWide phi_f_gradient(const Corner* k)
{
    return k->g_f[0] * k->B[1] - k->g_f[1] * k->B[0] + k->T;
}

// The energy's derivatives in the two tangents, which are at right angles to them: times 1 / length, those in the edge vectors. With
// M = g1 m2 - g2 m1, summed over both frames, the derivative of M.kb in the tangent of e is r (2 t_f x M - kb.M (t_e + t_f)), and twist
// adds T kb / 2.
WIDE_INLINE void tangent_gradient(const Corner* k, Wide3* on_e, Wide3* on_f)
{
    Wide3 M = sub3(add3(mul3(k->e.m2, k->g_e[0]), mul3(k->f.m2, k->g_f[0])),
                   add3(mul3(k->e.m1, k->g_e[1]), mul3(k->f.m1, k->g_f[1])));
    CordWide K = k->g_e[0] * k->A[0] + k->g_e[1] * k->A[1] + k->g_f[0] * k->B[0] + k->g_f[1] * k->B[1];
    M = add3(M, M);
    Wide3 both = mul3(add3(k->e.t, k->f.t), K);
    *on_e = mul3(sub3(cross3(k->f.t, madd3(M, k->e.t, -k->T)), both), k->r);
    *on_f = mul3(sub3(cross3(madd3(M, k->f.t, -k->T), k->e.t), both), k->r);
}

WIDE_INLINE void store_gradient(const CornerGradient* out, int s, const Corner* k)
{
    Wide3 on_e, on_f;
    tangent_gradient(k, &on_e, &on_f);
    store3(out->e, s, mul3(on_e, k->e.inv_len));
    store3(out->f, s, mul3(on_f, k->f.inv_len));
    wide_store(out->phi_e + s, phi_e_gradient(k));
    wide_store(out->phi_f + s, phi_f_gradient(k));
}

WIDE_INLINE void gradient_along(const CornerInput* in, const CornerGradient* out, bool damped)
{
    for (int s = in->first; s < in->last; s += WIDE_LANES) {
        Corner k = corner_at(in, s);
        moments_of(in, s, &k, damped);
        store_gradient(out, s - in->base, &k);
    }
}

static void gradient(const CornerInput* in, const CornerGradient* out)
{
    in->viscous > 0.0 ? gradient_along(in, out, true) : gradient_along(in, out, false);
}

// ---- second derivatives

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
    for (int s = in->first; s < in->last; s += WIDE_LANES) {
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
        store_gradient(slope, s - in->base, &k);
        store_hessian(out, s - in->base, &k, &h, &g);
    }
}

static void hessian(const CornerInput* in, const CornerGradient* slope, const CornerHessian* out)
{
    in->viscous > 0.0 ? hessian_along(in, slope, out, true) : hessian_along(in, slope, out, false);
}

// ---- frames that follow the centreline

typedef struct Turn {
    CordWide cosine, sine;
} Turn;

WIDE_INLINE Turn any_turn(CordWide angle) // near enough to it: the angle whose half has the tangent angle/2
{
    CordWide half = wide_set(0.5) * angle, square = half * half;
    CordWide scale = wide_set(1.0) / (wide_set(1.0) + square);
    return (Turn){(wide_set(1.0) - square) * scale, (half + half) * scale};
}

WIDE_INLINE Turn small_turn(CordWide a) // what is left out is below 1e-17 for angles up to CORNER_SMALL_TURN
{
    CordWide q = a * a;
    return (Turn){wide_set(1.0) - q * (wide_set(0.5) - wide_set(1.0 / 24) * q),
                  a - a * q * (wide_set(1.0 / 6) - wide_set(1.0 / 120) * q)};
}

WIDE_INLINE Wide3 turned(Wide3 u, Wide3 v, Turn by)
{
    return madd3(mul3(u, by.cosine), v, by.sine);
}

// Made a unit vector at right angles to the tangent again, so that round-off does not pile up: so near to one, one step of Newton's method
// for 1/sqrt is exact.
WIDE_INLINE Wide3 cleaned(Wide3 u, Wide3 t)
{
    u = madd3(u, t, -dot3(u, t));
    return mul3(u, wide_set(1.5) - wide_set(0.5) * dot3(u, u));
}

// Parallel transport in time (frame_transport).
WIDE_INLINE Wide3 carried(Wide3 u, Wide3 s, Wide3 t)
{
    CordWide c = wide_set(1.0) + dot3(s, t);
    CordWide ratio = wide_select((CordWideMask)(c != wide_set(0.0)), dot3(u, t) / c, wide_set(0.0));
    return madd3(u, add3(s, t), -ratio);
}

WIDE_INLINE Turn guessed_turn(CordWide angle)
{
    CordWideMask small = (CordWideMask)(wide_abs(angle) <= wide_set(CORNER_SMALL_TURN));
    return small_turn(wide_select(small, angle, wide_set(0.0)));
}

// The four edges from slot s, `count` of which are there: padding stays zero. Frames are turned before they are carried, which makes no
// difference but does not have to wait for the new tangents.
WIDE_INLINE void follow_edges(const CornerEdges* edges, const double* const x[3], const double* spin,
                              double h, int s, int count, bool guess)
{
    const CordWide one = wide_set(1.0);
    const double* const x1[3] = {x[0] + 1, x[1] + 1, x[2] + 1};
    CordWideMask there = wide_first(count);
    Wide3 t = load_const3(edges->t, s), m1 = cleaned(load_const3(edges->m1, s), t);
    if (spin) {
        CordWide angle = wide_load(spin + s) * wide_set(h);
        m1 = turned(m1, cross3(t, m1), guess ? guessed_turn(angle) : any_turn(angle));
    }
    Wide3 e = sub3(load3(x1, s), load3(x, s));
    CordWide len2 = wide_select(there, dot3(e, e), one), inv_len = one / wide_sqrt(len2);
    Wide3 t_next = select3(there, mul3(e, inv_len), zero3());
    store3(edges->t, s, t_next);
    store3(edges->m1, s, select3(there, carried(m1, t, t_next), zero3()));
    wide_store(edges->inv_len + s, wide_select(there, inv_len, wide_set(0.0)));
}

static void turn(const CornerEdges* edges, const double* angle, int edge_slots)
{
    for (int s = 0; s < edge_slots; s += WIDE_LANES) { // arrays are padded with zeros: no frame, no turn
        Wide3 t = load_const3(edges->t, s), m1 = load_const3(edges->m1, s);
        store3(edges->m1, s, turned(m1, cross3(t, m1), any_turn(wide_load(angle + s))));
    }
}

static void nudge(const CornerInput* in, const double* angle)
{
    const CornerEdges edges = *in->edges;
    double* m = in->nodes->m;
    for (int s = 0; s < in->slot_count; s += WIDE_LANES) {
        CordWide a = wide_load(angle + s);
        Wide3 t = load_const3(edges.t, s), m1 = load_const3(edges.m1, s);
        store3(edges.m1, s, turned(m1, cross3(t, m1), small_turn(a)));
        wide_store(m + s, wide_load(m + s) + (a - wide_load(angle + s - 1)));
    }
}

// ---- turns of the frames alone

typedef struct Rows { // of four edges: what the corner before them adds
    CordWide moment, diag;
} Rows;

// Row s of the system has what the corners at both ends of edge s make of its turn: four rows, the first of which belongs to the edge before
// slot s, are completed by the four corners from there.
WIDE_INLINE Rows add_rows(const CornerInput* in, const CornerTurns* out, int s, Corner* k, Rows before, bool damped)
{
    moments_of(in, s, k, damped);
    CordWide ee = quadratic(k->Be, k->A[1], -k->A[0]), ff = quadratic(k->Bf, k->B[1], -k->B[0]), GJ2 = k->GJ2;
    if (damped) {
        const CordWide stiffer = wide_set(out->stiffer);
        ee *= stiffer, ff *= stiffer, GJ2 *= stiffer;
    }
    ee += GJ2 - (k->A[0] * k->g_e[0] + k->A[1] * k->g_e[1]);
    Rows here = {.moment = phi_f_gradient(k), .diag = ff + (GJ2 - (k->B[0] * k->g_f[0] + k->B[1] * k->g_f[1]))};
    wide_store(out->moment + s - 1, -(wide_earlier(before.moment, here.moment) + phi_e_gradient(k)));
    wide_store(out->diag + s - 1, wide_earlier(before.diag, here.diag) + (ee + wide_set(out->trace)));
    return here;
}

WIDE_INLINE CordWide bend_of(const Corner* k) // GJ2 |kb|^2
{
    return k->GJ2 * (wide_set(1.0) - k->c) * (k->q + k->q);
}

WIDE_INLINE double largest(CordWide a)
{
    return fmax(fmax(a[0], a[1]), fmax(a[2], a[3]));
}

WIDE_INLINE double turning_along(const CornerInput* in, const CornerTurns* out, bool damped)
{
    CordWide bend = wide_set(0.0);
    Rows before = {bend, bend};
    for (int s = 0; s < in->slot_count; s += WIDE_LANES) {
        Corner k = corner_at(in, s);
        before = add_rows(in, out, s, &k, before, damped);
        bend = wide_max(bend, bend_of(&k));
    }
    return largest(bend);
}

static double turning(const CornerInput* in, const CornerTurns* turns)
{
    const CornerEdges edges = *in->edges;
    const CornerNodes nodes = *in->nodes;
    const CornerTurns out = *turns;
    CornerInput own = *in; // a copy that no store to the arrays can reach
    own.edges = &edges, own.nodes = &nodes;
    return own.viscous > 0.0 ? turning_along(&own, &out, true) : turning_along(&own, &out, false);
}

// Edges, then their corners: each a chain of operations that wait for each other, so that short loops, which have several of
// them under way, are faster than a long one. What they pass on stays in the nearest cache.
WIDE_INLINE double follow_along(const CornerInput* in, const double* const x[3], const double* spin, double h,
                                const CornerTurns* out, bool damped)
{
    const CordWide zero = wide_set(0.0);
    CordWide bend = zero;
    Rows rows = {zero, zero};
    for (int from = 0; from < in->slot_count; from += STRIP) {
        int to = in->slot_count - from < STRIP ? in->slot_count : from + STRIP;
        for (int s = from; s < to; s += WIDE_LANES) {
            follow_edges(in->edges, x, spin, h, s, in->slot_count - 1 - s, out);
        }
        for (int s = from; s < to; s += WIDE_LANES) {
            Corner k = corner_at(in, s);
            wide_store(in->nodes->m + s, twist_of(&k, wide_load(in->nodes->m + s)));
            if (out) {
                rows = add_rows(in, out, s, &k, rows, damped);
                bend = wide_max(bend, bend_of(&k));
            }
        }
    }
    return largest(bend);
}

static double follow(const CornerInput* in, const double* const x[3], const double* spin, double h,
                     const CornerTurns* turns)
{
    const CornerEdges edges = *in->edges;
    const CornerNodes nodes = *in->nodes;
    const double* const from[3] = {x[0], x[1], x[2]};
    CornerInput own = *in;
    own.edges = &edges, own.nodes = &nodes;
    if (!turns) {
        return spin ? follow_along(&own, from, spin, h, NULL, false)
                    : follow_along(&own, from, NULL, h, NULL, false);
    }
    const CornerTurns out = *turns;
    return own.viscous > 0.0 ? follow_along(&own, from, spin, h, &out, true)
                             : follow_along(&own, from, spin, h, &out, false);
}

// The bending moment is g1 m2 - g2 m1 in each frame; twist acts along the mean of the tangents.
WIDE_INLINE void moments_along(const CornerInput* in, double* const moment[3], bool damped)
{
    for (int s = 1; s < in->slot_count; s += WIDE_LANES) {
        Corner k = corner_at(in, s);
        moments_of(in, s, &k, damped);
        Wide3 along = add3(k.e.t, k.f.t);
        CordWide length = wide_sqrt(dot3(along, along));
        CordWide T = wide_select((CordWideMask)(length > wide_set(0.0)), k.T / length, wide_set(0.0));
        Wide3 sum = add3(in_frame(&k.e, -k.g_e[1], k.g_e[0]), in_frame(&k.f, -k.g_f[1], k.g_f[0]));
        store3(moment, s, madd3(sum, along, T));
    }
}

static void moments(const CornerInput* in, double* const moment[3])
{
    in->viscous > 0.0 ? moments_along(in, moment, true) : moments_along(in, moment, false);
}

// ---- the explicit step

// What one block of four edges leaves behind for the next: the section force p needs the corners at both ends of the edge, so it is
// completed one block late.
typedef struct Sections {
    Wide3 own; // p, but for the part from the corner at the edge's far end
    Wide3 far; // that part for the edge before
} Sections;

WIDE_INLINE CordWide tension_of(const CornerKick* k, int s, CordWide inv_len, bool damped)
{
    const CordWide zero = wide_set(0.0);
    CordWide len = wide_select((CordWideMask)(inv_len > zero), wide_set(1.0) / inv_len, zero); // padding has none
    CordWide change = len - wide_load(k->rest_len + s);
    if (damped) {
        change += wide_set(k->in.viscous) * (len - wide_load(k->past_len + s));
    }
    return wide_load(k->EA + s) * change * wide_load(k->inv_rest + s);
}

WIDE_INLINE Sections sections_at(const CornerKick* k, int s, Wide3* m2, bool damped)
{
    Corner c = {.e = frame_at(k->in.edges, s - 1), .f = frame_at(k->in.edges, s)};
    c.e.m2 = earlier3(*m2, c.f.m2);
    *m2 = c.f.m2;
    strains_of(&c);
    moments_of(&k->in, s, &c, damped);
    Wide3 on_e, on_f;
    tangent_gradient(&c, &on_e, &on_f);
    CordWide tension = tension_of(k, s, c.f.inv_len, damped);
    return (Sections){.own = add3(mul3(on_f, c.f.inv_len), mul3(c.f.t, tension)), .far = mul3(on_e, c.e.inv_len)};
}

// The four nodes from slot s, `count` of which are there; padding stays zero.
WIDE_INLINE CordWide kick_nodes(const CornerKick* k, int s, int count, Wide3 f)
{
    CordWide weight = wide_load(k->w + s) * wide_set(k->kick), force[3] = {f.x, f.y, f.z}, sum = wide_set(0.0);
    for (int i = 0; i < 3; i++) {
        CordWide v = wide_load(k->v[i] + s) + (force[i] * weight + wide_set(k->kick * k->gravity[i]));
        v = wide_select(wide_first(count), v, wide_set(0.0));
        wide_store(k->v_next[i] + s, v);
        if (k->h > 0.0) {
            wide_store(k->x_next[i] + s, wide_load(k->x[i] + s) + v * wide_set(k->h));
        }
        sum += v * v;
    }
    return sum;
}

// Along the rod: each block's sections, and with the next one's what they do to its nodes. Or the sections alone.
WIDE_INLINE double sections_along(const CornerKick* given, bool damped, bool kick)
{
    const CornerEdges edges = *given->in.edges;
    const CornerNodes nodes = *given->in.nodes;
    CornerKick own = *given; // copies that no store to the arrays can reach
    own.in.edges = &edges, own.in.nodes = &nodes;
    const CornerKick* k = &own;
    const int slots = k->in.slot_count;
    Wide3 m2 = zero3(), p_before = zero3();
    Sections before = sections_at(k, 0, &m2, damped);
    CordWide sum = wide_set(0.0);
    for (int s = 0; s < slots; s += WIDE_LANES) {
        Sections here = {zero3(), zero3()};
        if (s + WIDE_LANES < slots) {
            here = sections_at(k, s + WIDE_LANES, &m2, damped);
        }
        Wide3 p = add3(before.own, later3(before.far, here.far));
        if (kick) {
            sum += kick_nodes(k, s, slots - s, sub3(p, earlier3(p_before, p)));
        } else {
            store3(k->section, s, p);
        }
        p_before = p;
        before = here;
    }
    return wide_sum(sum);
}

static void sections(const CornerKick* k)
{
    k->in.viscous > 0.0 ? sections_along(k, true, false) : sections_along(k, false, false);
}

static double kick(const CornerKick* k)
{
    return k->in.viscous > 0.0 ? sections_along(k, true, true) : sections_along(k, false, true);
}

extern const CornerKernels CORNER_KERNELS;
const CornerKernels CORNER_KERNELS = {.name = CORNER_KERNELS_NAME,
                                      .follow = follow,
                                      .turn = turn,
                                      .nudge = nudge,
                                      .measure = measure,
                                      .energy = energy,
                                      .strains = strains,
                                      .gradient = gradient,
                                      .hessian = hessian,
                                      .turning = turning,
                                      .moments = moments,
                                      .sections = sections,
                                      .kick = kick};
