// The CORDE law: the energy of corner_turned.h in the strains alpha_k = 4 p_k / (1 + p_4), with p the unit
// quaternion of the relative rotation of the two frames. This is l u_k of CORDE eq. (25), normalised by
// 1/|q|^2 of the mean quaternion: a rotation by phi gives 4 tan(phi/4). The rotation p is the parallel
// transport, by 2 atan(|A| / 2) about kb, followed by the twist m about the tangent, so that
//
//     (alpha_2, -alpha_1) = 2 w rho,   alpha_3 = 4 w sin(m/2),   w = 1 / (S + cos(m/2)),   S = sqrt(1 + |A|^2
//     / 4),
//
// with rho the strain A in the frame halfway between those of e and f: A rotated by -m/2. The energy is a
// function of A and m alone and does not depend on B. Derivatives are taken in the halfway frame, where
//
//     w_rho = -k1 rho,  k1 = w^2 / (4 S);      w_m = k2 = w^2 sin(m/2) / 2 .
//
// The law has period 4 pi in m: a corner that is folded and opened again on the other side gains two full
// turns of m, while p is unchanged. At one full turn alpha has a pole and changes sign. The energy is NaN
// from 7/8 of a turn on, so that no step takes a corner across the pole.
#include "math/wide_trig.h"
#include "model/framed/corner_frames.h"
#include "model/framed/corner_second.h"
#include "model/framed/corner_turned.h"

#define LAW_NAME(suffix) corner_corde_##suffix
#define LAW_LINKS(in) true

#define SINGULAR 0.0761204674887133 // 1 + p_4 at 7/8 of a turn

typedef struct Law {
    Turned of;
    CordWide w, S, k1, k2; // as above
    CordWide sine, cosine; // of half the twist
    CordWide rho[2];
    CordWide alpha[3]; // alpha_2, -alpha_1, alpha_3
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

WIDE_INLINE Law law_at(const CornerInput* in, int s, Corner* k, bool damped)
{
    const CordWide zero = wide_set(0.0), two = wide_set(2.0);
    Law law = strains_at(in, s, k);
    law.of = moments_in(in, s, law.alpha, damped);
    CordWide square = law.w * law.w, *n = law.of.n;
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

WIDE_INLINE void law_strains(const CornerInput* in, int s, const Corner* k, double* const A[2],
                             double* const B[2])
{
    Law law = strains_at(in, s, k);
    store_strains(law.alpha, s, A, B);
}

WIDE_INLINE LawEnergy law_energy(const CornerInput* in, int s, const Corner* k, CordWideMask there)
{
    Law law = strains_at(in, s, k);
    return energy_in(in, s, law.alpha, there);
}

WIDE_INLINE CordWide w_mm(const Law* law)
{
    return law->w * (law->k2 * law->sine + wide_set(0.25) * law->w * law->cosine);
}

// The mean of the two frame angles rotates rho, and their difference changes w and sin(m/2).
WIDE_INLINE LawTurns law_turns(const Law* law, const Corner* k, CordWide stiffer, bool damped)
{
    (void)k;
    const CordWide two = wide_set(2.0), *K = law->of.K, *n = law->of.n, *rho = law->rho, w = law->w,
                   k2 = law->k2;
    CordWide turned[2] = {two * w * rho[1], -(two * w * rho[0])},
             scaled[2] = {two * k2 * rho[0], two * k2 * rho[1]};
    CordWide slope_3 = two * w * w * (wide_set(1.0) + law->S * law->cosine);
    CordWide mean = quadratic(K, turned[0], turned[1]);
    CordWide both =
        (K[0] * turned[0] + K[1] * turned[1]) * scaled[0] + (K[1] * turned[0] + K[2] * turned[1]) * scaled[1];
    CordWide twist = quadratic(K, scaled[0], scaled[1]) + law->of.GJ2 * slope_3 * slope_3;
    if (damped) {
        mean *= stiffer, both *= stiffer, twist *= stiffer;
    }
    mean -= two * w * (n[0] * rho[0] + n[1] * rho[1]);
    both += two * k2 * (n[0] * rho[1] - n[1] * rho[0]);
    twist += law->Q * w_mm(law) + n[2] * (wide_set(4.0) * k2 * law->cosine - w * law->sine);
    mean *= wide_set(0.25);
    return (LawTurns){.ee = (mean + twist) - both, .ef = mean - twist, .ff = (mean + twist) + both};
}

// Hessian of the energy with respect to rho and m: the material part, and the moments times the second
// derivatives of alpha.
WIDE_INLINE void second_of(const Law* law, CordWide stiffer, CordWide H[3][3])
{
    const CordWide two = wide_set(2.0), *n = law->of.n, *rho = law->rho;
    const CordWide w = law->w, k1 = law->k1, k2 = law->k2, cross = -(two * k1 * rho[0] * rho[1]),
                   sine4 = wide_set(4.0) * law->sine;
    CordWide slope[3][3] = {{two * (w - k1 * rho[0] * rho[0]), cross, w * rho[1] + two * k2 * rho[0]},
                            {cross, two * (w - k1 * rho[1] * rho[1]), two * k2 * rho[1] - w * rho[0]},
                            {-(sine4 * k1 * rho[0]), -(sine4 * k1 * rho[1]),
                             two * w * w * (wide_set(1.0) + law->S * law->cosine)}};
    stiffness_in(&law->of, slope, stiffer, H);
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
    add_quadratic(h, rho, &m, H);
}

#include "model/framed/corner_kernel.inc"
