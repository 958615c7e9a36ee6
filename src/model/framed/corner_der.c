// The DER law: the bending energy of DER eq. (3), changed as corner.h says where flat sections are twisted,
// and the twisting energy of its section 4.2.2.
#include "model/framed/corner_frames.h"
#include "model/framed/corner_second.h"

#define LAW_NAME(suffix) corner_der_##suffix
#define LAW_LINKS(in)                                                                                        \
    ((in)->nodes->uneven) // else the coupling of two frame angles is 2 GJ / l in every state

typedef struct Law { // see corner.h
    CordWide ke, kf, r, Q[2], GJ2;
    bool uneven;
} Law;

WIDE_INLINE Law stiffness_at(const CornerInput* in, int s)
{
    const CornerNodes* n = in->nodes;
    return (Law){.ke = wide_load(n->soft_e + s),
                 .kf = wide_load(n->soft_f + s),
                 .r = wide_load(n->r + s),
                 .Q = {wide_load(n->Q[0] + s), wide_load(n->Q[1] + s)},
                 .GJ2 = wide_load(n->GJ2 + s),
                 .uneven = n->uneven};
}

// What flat sections have more of the moment in the frame with the given strains, `other` in the other frame:
// nothing about the softer axis where both are the same, without round-off if that is m1 or m2.
WIDE_INLINE void add_flat(const Law* law, const CordWide own[2], const CordWide other[2], CordWide moment[2])
{
    moment[0] += law->r * own[0] + (law->Q[0] * other[0] + law->Q[1] * other[1]);
    moment[1] += law->r * own[1] + (law->Q[1] * other[0] - law->Q[0] * other[1]);
}

WIDE_INLINE Law law_at(const CornerInput* in, int s, Corner* k, bool damped)
{
    const CornerNodes* n = in->nodes;
    Law law = stiffness_at(in, s);
    CordWide a[2], b[2];
    for (int i = 0; i < 2; i++) {
        a[i] = strained(in, k->A[i], n->rest_A[i], n->past_A[i], s, damped);
        b[i] = strained(in, k->B[i], n->rest_B[i], n->past_B[i], s, damped);
        k->g_e[i] = law.ke * a[i], k->g_f[i] = law.kf * b[i];
    }
    add_flat(&law, a, b, k->g_e), add_flat(&law, b, a, k->g_f);
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

// Twice the bending energy of the strains less the given ones.
WIDE_INLINE CordWide bending(const Law* law, int s, const Corner* k, double* const A[2], double* const B[2])
{
    CordWide zero = wide_set(0.0), on_a[2] = {zero, zero}, on_b[2] = {zero, zero};
    CordWide a[2] = {k->A[0] - wide_load(A[0] + s), k->A[1] - wide_load(A[1] + s)},
             b[2] = {k->B[0] - wide_load(B[0] + s), k->B[1] - wide_load(B[1] + s)};
    CordWide soft =
        (law->ke * a[0] * a[0] + law->ke * a[1] * a[1]) + (law->kf * b[0] * b[0] + law->kf * b[1] * b[1]);
    add_flat(law, a, b, on_a), add_flat(law, b, a, on_b);
    return soft + ((a[0] * on_a[0] + a[1] * on_a[1]) + (b[0] * on_b[0] + b[1] * on_b[1]));
}

WIDE_INLINE LawEnergy law_energy(const CornerInput* in, int s, const Corner* k, CordWideMask there)
{
    const CornerNodes* n = in->nodes;
    const CordWide zero = wide_set(0.0);
    Law law = stiffness_at(in, s);
    law.ke = wide_select(there, law.ke, zero), law.kf = wide_select(there, law.kf, zero);
    law.r = wide_select(there, law.r, zero);
    law.Q[0] = wide_select(there, law.Q[0], zero), law.Q[1] = wide_select(there, law.Q[1], zero);
    law.GJ2 = wide_select(there, law.GJ2, zero);
    CordWide m = wide_load(n->m + s), d = m - wide_load(n->rest_m + s);
    LawEnergy e = {.viscous = zero};
    e.bend = bending(&law, s, k, n->rest_A, n->rest_B);
    e.twist = law.GJ2 * d * d;
    if (in->viscous > 0.0) {
        CordWide since = m - wide_load(n->past_m + s);
        e.viscous = bending(&law, s, k, n->past_A, n->past_B) + law.GJ2 * since * since;
    }
    return e;
}

WIDE_INLINE LawTurns law_turns(const Law* law, const Corner* k, CordWide stiffer, bool damped)
{
    CordWide e = law->ke + law->r, f = law->kf + law->r, GJ2 = law->GJ2;
    CordWide ee = e * k->A[1] * k->A[1] + e * k->A[0] * k->A[0],
             ff = f * k->B[1] * k->B[1] + f * k->B[0] * k->B[0],
             ef = law->Q[0] * (k->A[1] * k->B[1] - k->A[0] * k->B[0]) -
                  law->Q[1] * (k->A[1] * k->B[0] + k->A[0] * k->B[1]);
    if (damped) {
        ee *= stiffer, ef *= stiffer, ff *= stiffer, GJ2 *= stiffer;
    }
    return (LawTurns){.ee = ee + (GJ2 - (k->A[0] * k->g_e[0] + k->A[1] * k->g_e[1])),
                      .ef = ef - GJ2,
                      .ff = ff + (GJ2 - (k->B[0] * k->g_f[0] + k->B[1] * k->g_f[1]))};
}

// Of one frame, with the rows of its strains and those of the other frame.
WIDE_INLINE void add_frame(Second* h, const Law* law, CordWide stiffness, const Row own[2],
                           const Row other[2])
{
    for (int i = 0; i < 2; i++) {
        Row w = scaled_sum(&own[i], stiffness, &own[i], wide_set(0.0));
        if (law->uneven) {
            Row u = scaled_sum(&other[0], law->Q[i], &other[1], i == 0 ? law->Q[1] : -law->Q[0]);
            w = scaled_sum(&w, wide_set(1.0), &u, wide_set(1.0));
        }
        add_product(h, &own[i], &w);
    }
}

// Material part of the Hessian: the sum over the strains of stiffness times the product of their derivatives.
// `stiffer` contains the viscous part.
WIDE_INLINE void add_stiffness(Second* h, const Corner* k, const Law* law, const Slopes* d, CordWide stiffer)
{
    Row A[2], B[2], m = row_of_m(d);
    for (int i = 0; i < 2; i++) {
        A[i] = row_of_A(k, d, i), B[i] = row_of_B(k, d, i);
    }
    Law by = *law;
    by.Q[0] *= stiffer, by.Q[1] *= stiffer;
    add_frame(h, &by, stiffer * (law->ke + law->r), A, B);
    add_frame(h, &by, stiffer * (law->kf + law->r), B, A);
    Row w = scaled_sum(&m, stiffer * law->GJ2, &m, wide_set(0.0));
    add_product(h, &m, &w);
}

#include "model/framed/corner_kernel.inc"
