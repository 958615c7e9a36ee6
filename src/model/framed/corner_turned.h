// The common part of the CORDE and PBD laws. They have three strains of the relative rotation of the two
// frames, about m2, -m1 and t, and the energy
//
//     1/(2 l) [d_b' B d_b + GJ d_3^2],
//
// where d is the strain minus the rest strain, l half of the corner's length in corner.h (its Voronoi
// length), and B and GJ the mean stiffness of both edges. Only kernels include this header.
#ifndef CORD_MODEL_FRAMED_CORNER_TURNED_H
#define CORD_MODEL_FRAMED_CORNER_TURNED_H

#include "model/framed/corner_wide.h"

typedef struct Turned {
    CordWide K[3], GJ2; // stiffness of both edges together over l
    CordWide n[3];      // moments: derivatives of the energy with respect to the strains
} Turned;

WIDE_INLINE Turned moments_in(const CornerInput* in, int s, const CordWide strain[3], bool damped)
{
    Turned t;
    const CornerNodes* n = in->nodes;
    CordWide u = strained(in, strain[0], n->rest_A[0], n->past_A[0], s, damped);
    CordWide v = strained(in, strain[1], n->rest_A[1], n->past_A[1], s, damped);
    for (int i = 0; i < 3; i++) {
        t.K[i] = wide_load(n->K[i] + s);
    }
    t.GJ2 = wide_load(n->GJ2 + s);
    t.n[0] = t.K[0] * u + t.K[1] * v, t.n[1] = t.K[1] * u + t.K[2] * v;
    t.n[2] = t.GJ2 * strained(in, strain[2], n->rest_B[0], n->past_B[0], s, damped);
    return t;
}

WIDE_INLINE void store_strains(const CordWide strain[3], int s, double* const A[2], double* const B[2])
{
    wide_store(A[0] + s, strain[0]), wide_store(A[1] + s, strain[1]);
    wide_store(B[0] + s, strain[2]), wide_store(B[1] + s, wide_set(0.0));
}

WIDE_INLINE LawEnergy energy_in(const CornerInput* in, int s, const CordWide a[3], CordWideMask there)
{
    const CornerNodes* n = in->nodes;
    const CordWide zero = wide_set(0.0);
    CordWide K[3] = {wide_load(n->K[0] + s), wide_load(n->K[1] + s), wide_load(n->K[2] + s)};
    CordWide GJ2 = wide_load(n->GJ2 + s), d = a[2] - wide_load(n->rest_B[0] + s);
    LawEnergy e = {.viscous = zero};
    e.bend = quadratic(K, a[0] - wide_load(n->rest_A[0] + s), a[1] - wide_load(n->rest_A[1] + s));
    e.twist = GJ2 * d * d;
    if (in->viscous > 0.0) {
        d = a[2] - wide_load(n->past_B[0] + s);
        e.viscous = quadratic(K, a[0] - wide_load(n->past_A[0] + s), a[1] - wide_load(n->past_A[1] + s)) +
                    GJ2 * d * d;
    }
    return (LawEnergy){wide_select(there, e.bend, zero), wide_select(there, e.twist, zero),
                       wide_select(there, e.viscous, zero)};
}

// Material part of the Hessian in three variables, from the derivatives of the strains. Writes the upper
// triangle with the diagonal.
WIDE_INLINE void stiffness_in(const Turned* t, CordWide slope[3][3], CordWide stiffer, CordWide H[3][3])
{
    const CordWide* K = t->K;
    for (int j = 0; j < 3; j++) {
        CordWide u = K[0] * slope[0][j] + K[1] * slope[1][j], v = K[1] * slope[0][j] + K[2] * slope[1][j];
        CordWide w = t->GJ2 * slope[2][j];
        for (int i = 0; i <= j; i++) {
            H[i][j] = stiffer * (slope[0][i] * u + slope[1][i] * v + slope[2][i] * w);
        }
    }
}

#endif
