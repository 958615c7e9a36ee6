// The DER law: the bending energy of DER eq. (3), changed as corner.h says where flat sections are twisted,
// and the twisting energy of its section 4.2.2.
#include "model/framed/corner_frames.h"
#include "model/framed/corner_second.h"

#define LAW_NAME(suffix) corner_der_##suffix
#define LAW_LINKS(in)                                                                                        \
    ((in)->nodes->uneven) // else the coupling of two frame angles is 2 GJ / l in every state

typedef struct Law { // see corner.h
    CordWide ke, kf, n_e[2], n_f[2], p, GJ2;
    bool uneven;
} Law;

WIDE_INLINE Law stiffness_at(const CornerInput* in, int s)
{
    const CornerNodes* n = in->nodes;
    return (Law){.ke = wide_load(n->soft_e + s),
                 .kf = wide_load(n->soft_f + s),
                 .n_e = {wide_load(n->n_e[0] + s), wide_load(n->n_e[1] + s)},
                 .n_f = {wide_load(n->n_f[0] + s), wide_load(n->n_f[1] + s)},
                 .p = wide_load(n->p + s),
                 .GJ2 = wide_load(n->GJ2 + s),
                 .uneven = n->uneven};
}

WIDE_INLINE Law law_at(const CornerInput* in, int s, Corner* k, bool damped)
{
    const CornerNodes* n = in->nodes;
    Law law = stiffness_at(in, s);
    CordWide A0 = strained(in, k->A[0], n->rest_A[0], n->past_A[0], s, damped);
    CordWide A1 = strained(in, k->A[1], n->rest_A[1], n->past_A[1], s, damped);
    CordWide B0 = strained(in, k->B[0], n->rest_B[0], n->past_B[0], s, damped);
    CordWide B1 = strained(in, k->B[1], n->rest_B[1], n->past_B[1], s, damped);
    CordWide a = law.n_e[0] * A0 + law.n_e[1] * A1, b = law.n_f[0] * B0 + law.n_f[1] * B1;
    CordWide on_a = a + law.p * b, on_b = b + law.p * a;
    k->g_e[0] = law.ke * A0 + law.n_e[0] * on_a, k->g_e[1] = law.ke * A1 + law.n_e[1] * on_a;
    k->g_f[0] = law.kf * B0 + law.n_f[0] * on_b, k->g_f[1] = law.kf * B1 + law.n_f[1] * on_b;
    k->T = law.GJ2 * strained(in, wide_load(n->m + s), n->rest_m, n->past_m, s, damped);
    return law;
}

WIDE_INLINE void law_strains(const CornerInput* in, int s, const Corner* k, double* const A[2],
                             double* const B[2])
{
    (void)in;
    for (int i = 0; i < 2; i++) {
        wide_store(A[i] + s, k->A[i]);
        wide_store(B[i] + s, k->B[i]);
    }
}

// Twice the bending energy of the given differences of strains.
WIDE_INLINE CordWide bending(const Law* law, CordWide A0, CordWide A1, CordWide B0, CordWide B1)
{
    CordWide a = law->n_e[0] * A0 + law->n_e[1] * A1, b = law->n_f[0] * B0 + law->n_f[1] * B1;
    CordWide soft = (law->ke * A0 * A0 + law->ke * A1 * A1) + (law->kf * B0 * B0 + law->kf * B1 * B1);
    return soft + (a * a + b * b + wide_set(2.0) * law->p * a * b);
}

WIDE_INLINE LawEnergy law_energy(const CornerInput* in, int s, const Corner* k, CordWideMask there)
{
    const CornerNodes* n = in->nodes;
    const CordWide zero = wide_set(0.0);
    Law law = stiffness_at(in, s);
    law.ke = wide_select(there, law.ke, zero), law.kf = wide_select(there, law.kf, zero);
    for (int i = 0; i < 2; i++) {
        law.n_e[i] = wide_select(there, law.n_e[i], zero), law.n_f[i] = wide_select(there, law.n_f[i], zero);
    }
    law.GJ2 = wide_select(there, law.GJ2, zero);
    CordWide m = wide_load(n->m + s), d = m - wide_load(n->rest_m + s);
    LawEnergy e = {.viscous = zero};
    e.bend = bending(&law, k->A[0] - wide_load(n->rest_A[0] + s), k->A[1] - wide_load(n->rest_A[1] + s),
                     k->B[0] - wide_load(n->rest_B[0] + s), k->B[1] - wide_load(n->rest_B[1] + s));
    e.twist = law.GJ2 * d * d;
    if (in->viscous > 0.0) {
        CordWide since = m - wide_load(n->past_m + s);
        e.viscous =
            bending(&law, k->A[0] - wide_load(n->past_A[0] + s), k->A[1] - wide_load(n->past_A[1] + s),
                    k->B[0] - wide_load(n->past_B[0] + s), k->B[1] - wide_load(n->past_B[1] + s)) +
            law.GJ2 * since * since;
    }
    return e;
}

WIDE_INLINE LawTurns law_turns(const Law* law, const Corner* k, CordWide stiffer, bool damped)
{
    CordWide e = law->n_e[0] * k->A[1] - law->n_e[1] * k->A[0],
             f = law->n_f[0] * k->B[1] - law->n_f[1] * k->B[0];
    CordWide ee = law->ke * k->A[1] * k->A[1] + law->ke * k->A[0] * k->A[0] + e * e,
             ff = law->kf * k->B[1] * k->B[1] + law->kf * k->B[0] * k->B[0] + f * f, ef = law->p * e * f,
             GJ2 = law->GJ2;
    if (damped) {
        ee *= stiffer, ef *= stiffer, ff *= stiffer, GJ2 *= stiffer;
    }
    return (LawTurns){.ee = ee + (GJ2 - (k->A[0] * k->g_e[0] + k->A[1] * k->g_e[1])),
                      .ef = ef - GJ2,
                      .ff = ff + (GJ2 - (k->B[0] * k->g_f[0] + k->B[1] * k->g_f[1]))};
}

// Material part of the Hessian: the sum over the strains of stiffness times the product of their derivatives.
// `stiffer` contains the viscous part.
WIDE_INLINE void add_stiffness(Second* h, const Corner* k, const Law* law, const Slopes* d, CordWide stiffer)
{
    Row A[2], B[2], m = row_of_m(d);
    for (int i = 0; i < 2; i++) {
        A[i] = row_of_A(k, d, i), B[i] = row_of_B(k, d, i);
    }
    const CordWide zero = wide_set(0.0);
    for (int i = 0; i < 2; i++) {
        Row w = scaled_sum(&A[i], stiffer * law->ke, &A[i], zero);
        add_product(h, &A[i], &w);
    }
    for (int i = 0; i < 2; i++) {
        Row w = scaled_sum(&B[i], stiffer * law->kf, &B[i], zero);
        add_product(h, &B[i], &w);
    }
    Row w = scaled_sum(&m, stiffer * law->GJ2, &m, zero);
    add_product(h, &m, &w);
    if (law->uneven) {
        Row a = scaled_sum(&A[0], law->n_e[0], &A[1], law->n_e[1]),
            b = scaled_sum(&B[0], law->n_f[0], &B[1], law->n_f[1]);
        w = scaled_sum(&a, stiffer, &b, stiffer * law->p);
        add_product(h, &a, &w);
        w = scaled_sum(&a, stiffer * law->p, &b, stiffer);
        add_product(h, &b, &w);
    }
}

#include "model/framed/corner_kernel.inc"
