// CORDE's law: the relative turn p of the two frames, a unit quaternion, measured as alpha_k = 4 p_k / (1 + p_4), and the energy
//
//     1/(2 l) [(alpha_b - alpha0_b)' B (alpha_b - alpha0_b) + GJ (alpha_3 - alpha0_3)^2],     l half of the corner's length in corner.h,
//
// with the mean stiffness of both edges. Parallel transport turns by 2 atan(|A| / 2) about kb, the twist m about the tangent on top of it, so that
//
//     (alpha_2, -alpha_1) = 2 w rho,   alpha_3 = 4 w sin(m/2),   w = 1 / (S + cos(m/2)),   S = sqrt(1 + |A|^2 / 4),
//
// with rho the strain A in the frame half-way between e's and f's: turned by -m/2. All derivatives are those of a function of A and m alone: B
// has no part in it. They are taken in the half-way frame, where w and its derivatives are
//
//     w_rho = -k1 rho,  k1 = w^2 / (4 S);      w_m = k2 = w^2 sin(m/2) / 2 .
//
// Two whole turns of m are none, and a corner that is folded and opened again on the other side has made them: p has not. At a whole turn alpha would grow
// beyond all bounds, and beyond it change sides; so that no step takes a corner from one side to the other, the law ends before.
#include "math/wide_trig.h"
#include "model/framed/corner_frames.h"
#include "model/framed/corner_second.h"

#define LAW_NAME(suffix) corner_corde_##suffix
#define LAW_LINKS true

#define SINGULAR 0.0761204674887133 // 1 + p_4 at 7/8 of a turn: from there on the energy is not a number

typedef struct Law {
    CordWide K[3], GJ2;    // stiffness of both edges together over l
    CordWide w, S, k1, k2; // as above
    CordWide sine, cosine; // of half the twist
    CordWide rho[2];
    CordWide alpha[3]; // alpha_2, -alpha_1, alpha_3
    CordWide n[3];     // moments: derivatives of the energy in alpha
    CordWide P, Q;     // n_1 rho_2 - n_2 rho_1 + 2 n_3 cos(m/2),  2 n.rho + 4 n_3 sin(m/2)
} Law;

WIDE_INLINE Law strains_at(const CornerInput* in, int s, const Corner* k)
{
    Law law;
    CordWide m = wide_load(in->nodes->m + s) - wide_load(in->nodes->rest_m + s);
    wide_sin_cos(wide_set(0.5) * m, &law.sine, &law.cosine);
    law.S = wide_sqrt(k->q);
    CordWide sum = law.S + law.cosine; // S (1 + p_4)
    law.w = wide_select((CordWideMask)(sum > wide_set(SINGULAR) * law.S), wide_set(1.0) / sum, wide_set(NAN));
    law.rho[0] = law.cosine * k->A[0] + law.sine * k->A[1];
    law.rho[1] = law.cosine * k->A[1] - law.sine * k->A[0];
    CordWide twice = law.w + law.w;
    law.alpha[0] = twice * law.rho[0], law.alpha[1] = twice * law.rho[1];
    law.alpha[2] = (twice + twice) * law.sine;
    return law;
}

WIDE_INLINE void add_moments(const CornerInput* in, int s, Law* law, bool damped)
{
    const CornerNodes* n = in->nodes;
    CordWide u = strained(in, law->alpha[0], n->rest_A[0], n->past_A[0], s, damped);
    CordWide v = strained(in, law->alpha[1], n->rest_A[1], n->past_A[1], s, damped);
    for (int i = 0; i < 3; i++) {
        law->K[i] = wide_load(n->K[i] + s);
    }
    law->GJ2 = wide_load(n->GJ2 + s);
    law->n[0] = law->K[0] * u + law->K[1] * v, law->n[1] = law->K[1] * u + law->K[2] * v;
    law->n[2] = law->GJ2 * strained(in, law->alpha[2], n->rest_B[0], n->past_B[0], s, damped);
}

WIDE_INLINE Law law_at(const CornerInput* in, int s, Corner* k, bool damped)
{
    const CordWide zero = wide_set(0.0), two = wide_set(2.0);
    Law law = strains_at(in, s, k);
    add_moments(in, s, &law, damped);
    CordWide square = law.w * law.w, *n = law.n;
    law.k1 = wide_set(0.25) * square / law.S;
    law.k2 = wide_set(0.5) * square * law.sine;
    law.P = n[0] * law.rho[1] - n[1] * law.rho[0] + two * law.cosine * n[2];
    law.Q = two * (n[0] * law.rho[0] + n[1] * law.rho[1] + two * law.sine * n[2]);
    CordWide u = two * law.w * n[0] - law.k1 * law.Q * law.rho[0];
    CordWide v = two * law.w * n[1] - law.k1 * law.Q * law.rho[1];
    k->g_e[0] = law.cosine * u - law.sine * v, k->g_e[1] = law.sine * u + law.cosine * v;
    k->g_f[0] = k->g_f[1] = zero;
    k->T = law.w * law.P + law.k2 * law.Q;
    return law;
}

WIDE_INLINE void law_strains(const CornerInput* in, int s, const Corner* k, double* const A[2], double* const B[2])
{
    Law law = strains_at(in, s, k);
    wide_store(A[0] + s, law.alpha[0]), wide_store(A[1] + s, law.alpha[1]);
    wide_store(B[0] + s, law.alpha[2]), wide_store(B[1] + s, wide_set(0.0));
}

WIDE_INLINE LawEnergy law_energy(const CornerInput* in, int s, const Corner* k, CordWideMask there)
{
    const CornerNodes* n = in->nodes;
    const CordWide zero = wide_set(0.0);
    Law law = strains_at(in, s, k);
    CordWide K[3] = {wide_load(n->K[0] + s), wide_load(n->K[1] + s), wide_load(n->K[2] + s)};
    CordWide GJ2 = wide_load(n->GJ2 + s), *a = law.alpha, d = a[2] - wide_load(n->rest_B[0] + s);
    LawEnergy e = {.viscous = zero};
    e.bend = quadratic(K, a[0] - wide_load(n->rest_A[0] + s), a[1] - wide_load(n->rest_A[1] + s));
    e.twist = GJ2 * d * d;
    if (in->viscous > 0.0) {
        d = a[2] - wide_load(n->past_B[0] + s);
        e.viscous =
            quadratic(K, a[0] - wide_load(n->past_A[0] + s), a[1] - wide_load(n->past_A[1] + s)) + GJ2 * d * d;
    }
    return (LawEnergy){wide_select(there, e.bend, zero), wide_select(there, e.twist, zero),
                       wide_select(there, e.viscous, zero)};
}

// What does the work when all that follows the corner is turned.
WIDE_INLINE Wide3 law_moment(const Corner* k)
{
    Wide3 on_e, on_f;
    tangent_gradient(k, &on_e, &on_f);
    return madd3(cross3(k->f.t, on_f), k->f.t, phi_f_gradient(k));
}

WIDE_INLINE CordWide w_mm(const Law* law)
{
    return law->w * (law->k2 * law->sine + wide_set(0.25) * law->w * law->cosine);
}

// Turns of both frames turn rho by their mean, and their difference changes w and sin(m/2).
WIDE_INLINE LawTurns law_turns(const Law* law, const Corner* k, CordWide stiffer, bool damped)
{
    (void)k;
    const CordWide two = wide_set(2.0), *K = law->K, *n = law->n, *rho = law->rho, w = law->w, k2 = law->k2;
    CordWide turned[2] = {two * w * rho[1], -(two * w * rho[0])},
             scaled[2] = {two * k2 * rho[0], two * k2 * rho[1]};
    CordWide slope_3 = two * w * w * (wide_set(1.0) + law->S * law->cosine);
    CordWide mean = quadratic(K, turned[0], turned[1]);
    CordWide both =
        (K[0] * turned[0] + K[1] * turned[1]) * scaled[0] + (K[1] * turned[0] + K[2] * turned[1]) * scaled[1];
    CordWide twist = quadratic(K, scaled[0], scaled[1]) + law->GJ2 * slope_3 * slope_3;
    if (damped) {
        mean *= stiffer, both *= stiffer, twist *= stiffer;
    }
    mean -= two * w * (n[0] * rho[0] + n[1] * rho[1]);
    both += two * k2 * (n[0] * rho[1] - n[1] * rho[0]);
    twist += law->Q * w_mm(law) + n[2] * (wide_set(4.0) * k2 * law->cosine - w * law->sine);
    mean *= wide_set(0.25);
    return (LawTurns){.ee = (mean + twist) - both, .ef = mean - twist, .ff = (mean + twist) + both};
}

// The second derivatives of the energy in rho and m, from stiffness and the slopes of alpha, and from moments times second derivatives of alpha.
WIDE_INLINE void second_of(const Law* law, CordWide stiffer, CordWide H[3][3])
{
    const CordWide two = wide_set(2.0), *K = law->K, *n = law->n, *rho = law->rho;
    const CordWide w = law->w, k1 = law->k1, k2 = law->k2, cross = -(two * k1 * rho[0] * rho[1]),
                   sine4 = wide_set(4.0) * law->sine;
    const CordWide slope[3][3] = {{two * (w - k1 * rho[0] * rho[0]), cross, w * rho[1] + two * k2 * rho[0]},
                                  {cross, two * (w - k1 * rho[1] * rho[1]), two * k2 * rho[1] - w * rho[0]},
                                  {-(sine4 * k1 * rho[0]), -(sine4 * k1 * rho[1]),
                                   two * w * w * (wide_set(1.0) + law->S * law->cosine)}};
    for (int j = 0; j < 3; j++) {
        CordWide u = K[0] * slope[0][j] + K[1] * slope[1][j], v = K[1] * slope[0][j] + K[2] * slope[1][j];
        CordWide t = law->GJ2 * slope[2][j];
        for (int i = 0; i <= j; i++) {
            H[i][j] = stiffer * (slope[0][i] * u + slope[1][i] * v + slope[2][i] * t);
        }
    }
    CordWide k3 = k1 * (two * w + wide_set(1.0) / law->S) / (wide_set(4.0) * law->S);
    CordWide on_rho = law->Q * k1 * w * law->sine + k1 * law->P, turned[2] = {-n[1], n[0]};
    for (int i = 0; i < 2; i++) {
        H[i][i] -= law->Q * k1;
        H[i][2] += two * k2 * n[i] + w * turned[i] - on_rho * rho[i];
        for (int j = i; j < 2; j++) {
            H[i][j] += law->Q * k3 * rho[i] * rho[j] - two * k1 * (n[i] * rho[j] + n[j] * rho[i]);
        }
    }
    H[2][2] += law->Q * (w_mm(law) - wide_set(0.25) * w) + two * k2 * law->P;
    H[1][0] = H[0][1], H[2][0] = H[0][2], H[2][1] = H[1][2];
}

WIDE_INLINE void add_stiffness(Second* h, const Corner* k, const Law* law, const Slopes* d, CordWide stiffer)
{
    CordWide H[3][3];
    second_of(law, stiffer, H);
    Row A[2] = {row_of_A(k, d, 0), row_of_A(k, d, 1)}, m = row_of_m(d);
    Row rho[2] = {scaled_sum(&A[0], law->cosine, &A[1], law->sine),
                  scaled_sum(&A[1], law->cosine, &A[0], -law->sine)};
    for (int i = 0; i < 3; i++) {
        Row bend = scaled_sum(&rho[0], H[i][0], &rho[1], H[i][1]),
            w = scaled_sum(&bend, wide_set(1.0), &m, H[i][2]);
        add_product(h, i < 2 ? &rho[i] : &m, &w);
    }
}

#include "model/framed/corner_kernel.inc"
