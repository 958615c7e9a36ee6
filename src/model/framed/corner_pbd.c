// The law of position-based rods: the energy of corner_turned.h in the Rodrigues vector beta_k = 2 p_k / p_4,
// with p the unit quaternion of the relative rotation of the two frames. It is l Omega_k of PBER (the Darboux
// vector of its bend and twist constraint). The rotation p is the parallel transport, by 2 atan(|A| / 2)
// about kb, followed by the twist m about the tangent, so that
//
//     beta_2 = A_1 + t A_2,   -beta_1 = A_2 - t A_1,   beta_3 = 2 t,     t = tan(m/2) .
//
// That is A in the frame halfway between those of e and f, divided by cos(m/2); a rotation by phi about any
// axis has |beta| = 2 tan(phi/2). The energy does not depend on B. Its derivatives are those of a polynomial
// in A and t, with t_m = (1 + t^2) / 2 and t_mm = t t_m.
//
// At half a turn beta has a pole and changes sign, and a full turn would be lost. The energy is NaN from
// 15/32 of a turn on, so that no step takes a corner across the pole.
#include "math/wide_trig.h"
#include "model/framed/corner_frames.h"
#include "model/framed/corner_second.h"
#include "model/framed/corner_turned.h"

#define LAW_NAME(suffix) corner_pbd_##suffix
#define LAW_LINKS(in) true

#define SINGULAR2 0.0096073597983847755 // p_4^2 at 15/32 of a turn

typedef struct Law {
    Turned of;
    CordWide t, t_m;
    CordWide beta[3]; // beta_2, -beta_1, beta_3
} Law;

WIDE_INLINE Law strains_at(const CornerInput* in, int s, const Corner* k)
{
    Law law;
    CordWide sine, cosine, m = wide_load(in->nodes->m + s) - wide_load(in->nodes->rest_m + s);
    wide_sin_cos(wide_set(0.5) * m, &sine, &cosine);
    CordWideMask within = (CordWideMask)(cosine > wide_set(0.0)) &
                          (CordWideMask)(cosine * cosine > wide_set(SINGULAR2) * k->q); // q is 1 + |A|^2 / 4
    law.t = wide_select(within, sine / cosine, wide_set(NAN));
    law.t_m = wide_set(0.5) + wide_set(0.5) * law.t * law.t;
    law.beta[0] = k->A[0] + law.t * k->A[1], law.beta[1] = k->A[1] - law.t * k->A[0];
    law.beta[2] = law.t + law.t;
    return law;
}

WIDE_INLINE Law law_at(const CornerInput* in, int s, Corner* k, bool damped)
{
    Law law = strains_at(in, s, k);
    law.of = moments_in(in, s, law.beta, damped);
    const CordWide* n = law.of.n;
    k->g_e[0] = n[0] - law.t * n[1], k->g_e[1] = n[1] + law.t * n[0];
    k->g_f[0] = k->g_f[1] = wide_set(0.0);
    k->T = law.t_m * (n[0] * k->A[1] - n[1] * k->A[0] + (n[2] + n[2]));
    return law;
}

WIDE_INLINE void law_strains(const CornerInput* in, int s, const Corner* k, double* const A[2],
                             double* const B[2])
{
    Law law = strains_at(in, s, k);
    store_strains(law.beta, s, A, B);
}

WIDE_INLINE LawEnergy law_energy(const CornerInput* in, int s, const Corner* k, CordWideMask there)
{
    Law law = strains_at(in, s, k);
    return energy_in(in, s, law.beta, there);
}

// The frame angle of f changes m alone. That of e changes m by the opposite amount, and rotates A.
WIDE_INLINE LawTurns law_turns(const Law* law, const Corner* k, CordWide stiffer, bool damped)
{
    const CordWide two = wide_set(2.0), *K = law->of.K, *n = law->of.n, *A = k->A, t_m = law->t_m;
    CordWide f[3] = {t_m * A[1], -(t_m * A[0]), two * t_m},
             e[2] = {law->beta[1] - f[0], -(law->beta[0] + f[1])};
    CordWide twist = law->of.GJ2 * f[2] * f[2];
    CordWide ee = quadratic(K, e[0], e[1]) + twist, ff = quadratic(K, f[0], f[1]) + twist;
    CordWide ef = (K[0] * e[0] + K[1] * e[1]) * f[0] + (K[1] * e[0] + K[2] * e[1]) * f[1] - twist;
    if (damped) {
        ee *= stiffer, ef *= stiffer, ff *= stiffer;
    }
    CordWide along = t_m * (n[0] * A[0] + n[1] * A[1]), bent = n[0] * law->beta[0] + n[1] * law->beta[1],
             moment = law->t * k->T;
    return (LawTurns){
        .ee = ee + (two * along - bent + moment), .ef = ef - (along + moment), .ff = ff + moment};
}

// Hessian of the energy with respect to A and m: the material part, and the moments times the second
// derivatives of beta.
WIDE_INLINE void second_of(const Law* law, const Corner* k, CordWide stiffer, CordWide H[3][3])
{
    const CordWide zero = wide_set(0.0), one = wide_set(1.0), *n = law->of.n, t = law->t, t_m = law->t_m;
    CordWide slope[3][3] = {{one, t, t_m * k->A[1]}, {-t, one, -(t_m * k->A[0])}, {zero, zero, t_m + t_m}};
    stiffness_in(&law->of, slope, stiffer, H);
    H[0][2] -= t_m * n[1], H[1][2] += t_m * n[0];
    H[2][2] += t * k->T;
    H[1][0] = H[0][1], H[2][0] = H[0][2], H[2][1] = H[1][2];
}

WIDE_INLINE void add_stiffness(Second* h, const Corner* k, const Law* law, const Slopes* d, CordWide stiffer)
{
    CordWide H[3][3];
    second_of(law, k, stiffer, H);
    Row A[2] = {row_of_A(k, d, 0), row_of_A(k, d, 1)}, m = row_of_m(d);
    add_quadratic(h, A, &m, H);
}

#include "model/framed/corner_kernel.inc"
