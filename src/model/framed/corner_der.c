// The DER law: the bending energy of DER eq. (3), with what corner.h takes from it where flat sections are
// twisted, and the twisting energy of its section 4.2.2.
#include "model/framed/corner_frames.h"
#include "model/framed/corner_second.h"

#define LAW_NAME(suffix) corner_der_##suffix
#define LAW_LINKS(in)                                                                                        \
    ((in)->nodes->uneven) // else the coupling of two frame angles is 2 GJ / l in every state

typedef struct Law {
    CordWide Be[3], Bf[3], GJ2; // stiffness over l
    bool uneven;
    CordWide ue[2], uf[2]; // if uneven
} Law;

WIDE_INLINE Law stiffness_at(const CornerInput* in, int s)
{
    Law law;
    const CornerEdges* edges = in->edges;
    CordWide inv_l = wide_load(in->nodes->inv_l + s);
    law.Be[0] = inv_l * wide_load(edges->B11 + s - 1), law.Bf[0] = inv_l * wide_load(edges->B11 + s);
    law.Be[1] = inv_l * wide_load(edges->B12 + s - 1), law.Bf[1] = inv_l * wide_load(edges->B12 + s);
    law.Be[2] = inv_l * wide_load(edges->B22 + s - 1), law.Bf[2] = inv_l * wide_load(edges->B22 + s);
    law.GJ2 = wide_load(in->nodes->GJ2 + s);
    law.uneven = in->nodes->uneven;
    for (int i = 0; law.uneven && i < 2; i++) {
        law.ue[i] = wide_load(in->nodes->u_e[i] + s), law.uf[i] = wide_load(in->nodes->u_f[i] + s);
    }
    return law;
}

WIDE_INLINE CordWide difference(const Law* law, CordWide A0, CordWide A1, CordWide B0, CordWide B1)
{
    return (law->ue[0] * A0 + law->ue[1] * A1) - (law->uf[0] * B0 + law->uf[1] * B1);
}

WIDE_INLINE Law law_at(const CornerInput* in, int s, Corner* k, bool damped)
{
    const CornerNodes* n = in->nodes;
    Law law = stiffness_at(in, s);
    CordWide A0 = strained(in, k->A[0], n->rest_A[0], n->past_A[0], s, damped);
    CordWide A1 = strained(in, k->A[1], n->rest_A[1], n->past_A[1], s, damped);
    CordWide B0 = strained(in, k->B[0], n->rest_B[0], n->past_B[0], s, damped);
    CordWide B1 = strained(in, k->B[1], n->rest_B[1], n->past_B[1], s, damped);
    k->g_e[0] = law.Be[0] * A0 + law.Be[1] * A1, k->g_e[1] = law.Be[1] * A0 + law.Be[2] * A1;
    k->g_f[0] = law.Bf[0] * B0 + law.Bf[1] * B1, k->g_f[1] = law.Bf[1] * B0 + law.Bf[2] * B1;
    if (law.uneven) {
        CordWide d = difference(&law, A0, A1, B0, B1);
        k->g_e[0] -= law.ue[0] * d, k->g_e[1] -= law.ue[1] * d;
        k->g_f[0] += law.uf[0] * d, k->g_f[1] += law.uf[1] * d;
    }
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
    CordWide sum = quadratic(law->Be, A0, A1) + quadratic(law->Bf, B0, B1);
    if (law->uneven) {
        CordWide d = difference(law, A0, A1, B0, B1);
        sum -= d * d;
    }
    return sum;
}

WIDE_INLINE LawEnergy law_energy(const CornerInput* in, int s, const Corner* k, CordWideMask there)
{
    const CornerNodes* n = in->nodes;
    const CordWide zero = wide_set(0.0);
    Law law = stiffness_at(in, s);
    for (int i = 0; i < 3; i++) {
        law.Be[i] = wide_select(there, law.Be[i], zero), law.Bf[i] = wide_select(there, law.Bf[i], zero);
    }
    for (int i = 0; law.uneven && i < 2; i++) {
        law.ue[i] = wide_select(there, law.ue[i], zero), law.uf[i] = wide_select(there, law.uf[i], zero);
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

// Internal moment: bending g1 m2 - g2 m1 in each frame, and twist along the mean of the tangents.
WIDE_INLINE Wide3 law_moment(const Corner* k)
{
    Wide3 along = add3(k->e.t, k->f.t);
    CordWide length = wide_sqrt(dot3(along, along));
    CordWide T = wide_select((CordWideMask)(length > wide_set(0.0)), k->T / length, wide_set(0.0));
    Wide3 sum = add3(in_frame(&k->e, -k->g_e[1], k->g_e[0]), in_frame(&k->f, -k->g_f[1], k->g_f[0]));
    return madd3(sum, along, T);
}

WIDE_INLINE LawTurns law_turns(const Law* law, const Corner* k, CordWide stiffer, bool damped)
{
    CordWide ee = quadratic(law->Be, k->A[1], -k->A[0]), ff = quadratic(law->Bf, k->B[1], -k->B[0]),
             GJ2 = law->GJ2, ef = wide_set(0.0);
    if (law->uneven) {
        CordWide e = law->ue[0] * k->A[1] - law->ue[1] * k->A[0],
                 f = law->uf[0] * k->B[1] - law->uf[1] * k->B[0];
        ee -= e * e, ef = e * f, ff -= f * f;
    }
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
    Row w = scaled_sum(&A[0], stiffer * law->Be[0], &A[1], stiffer * law->Be[1]);
    add_product(h, &A[0], &w);
    w = scaled_sum(&A[0], stiffer * law->Be[1], &A[1], stiffer * law->Be[2]);
    add_product(h, &A[1], &w);
    w = scaled_sum(&B[0], stiffer * law->Bf[0], &B[1], stiffer * law->Bf[1]);
    add_product(h, &B[0], &w);
    w = scaled_sum(&B[0], stiffer * law->Bf[1], &B[1], stiffer * law->Bf[2]);
    add_product(h, &B[1], &w);
    w = scaled_sum(&m, stiffer * law->GJ2, &m, wide_set(0.0));
    add_product(h, &m, &w);
    if (law->uneven) {
        Row e = scaled_sum(&A[0], law->ue[0], &A[1], law->ue[1]),
            f = scaled_sum(&B[0], law->uf[0], &B[1], law->uf[1]);
        Row less = scaled_sum(&e, wide_set(1.0), &f, wide_set(-1.0));
        w = scaled_sum(&less, -stiffer, &less, wide_set(0.0));
        add_product(h, &less, &w);
    }
}

#include "model/framed/corner_kernel.inc"
