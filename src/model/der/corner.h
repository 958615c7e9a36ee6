// Bending and twisting at the inner nodes ("corners") of a general rod, and the frames of its edges: the inner loops, written once
// on math/wide3.h and compiled for each instruction set.
//
// A corner between edges e and f has the strains of DER eq. (2) and (4) with both edges' frames: A = (kb.m2, -kb.m1) in the frame of e, B in that of f, and the
// angle m by which f's frame is turned against e's carried over to it. Its energy is
//
//     1/(2 l) [(A - A0)' Be (A - A0) + (B - B0)' Bf (B - B0)] + GJ (m - m0)^2 / l .
//
// A variation moves the edge vectors and turns each frame about its tangent by phi, on top of the parallel transport that the edge's own motion
// brings. In these variables gradient and Hessian are exact at the present state, without reference frames to look after.
#ifndef CORD_MODEL_DER_CORNER_H
#define CORD_MODEL_DER_CORNER_H

#include "model/corner.h"

typedef struct CornerEdges { // arrays by slot: the edge after the slot's node
    double* t[3];            // unit tangent
    double* m1[3];           // material axis
    double* inv_len;         // 1 / current length [1/m]
    double *B11, *B12, *B22; // bending stiffness in A and B: EI2, EI12, EI1 [N m^2]
} CornerEdges;

typedef struct CornerNodes {                // arrays by slot: the corner at the slot's node
    double* inv_l;                          // 1/l; 0 where there is no corner [1/m]
    double* GJ2;                            // 2 GJ / l [N m]
    double *rest_A[2], *rest_B[2];          // strains without stress
    double* rest_m;                         // [rad]
    double* m;                              // twist, with all its turns [rad]
    double *cos_m, *sin_m;                  // of it, as last measured
    double *past_A[2], *past_B[2], *past_m; // strains that viscous moments are measured from; NULL: no damping
} CornerNodes;

typedef struct CornerInput {
    int slot_count;
    int first, last; // energy: sum over the slots [first, last)
    const CornerEdges* edges;
    const CornerNodes* nodes;
    double viscous; // retardation time over the time since the strains were as in past_*
} CornerInput;

typedef struct CornerEnergy {
    double bend, twist; // elastic [J]
    double viscous;     // potential of the viscous moments [J]
} CornerEnergy;

typedef struct CornerKick {
    int slot_count;
    const CornerEdges* edges;
    const CornerGradient* gradient;
    const double* tension; // along the edge [N] (slot_count)
    const double *x[3], *v[3], *w;
    double gravity[3];
    double kick; // time over which the forces act [s]
    double h;    // time over which the new velocity moves the nodes [s]; 0: positions are not written
    double *x_next[3], *v_next[3];
    double* section[3]; // the whole force in each edge, for `sections` alone [N]
} CornerKick;

typedef struct CornerKernels {
    const char* name;
    // Tangents and lengths of the edges from x, frames carried along from the tangents there were.
    void (*carry)(const CornerEdges* edges, const double* const x[3], int edge_slots);
    // Frames turned about their tangents: by the angle whose half has the tangent turn/2.
    void (*turn)(const CornerEdges* edges, const double* turn, int edge_slots);
    // m, cos_m, sin_m from the frames; continues the angle there was. Returns 0 if the twist of a corner changed by more than a
    // quarter radian or so: there m is left as it was, to be measured the slow way.
    int (*measure)(const CornerInput* in);
    CornerEnergy (*energy)(const CornerInput* in);
    void (*strains)(const CornerInput* in, double* const A[2], double* const B[2]);
    void (*gradient)(const CornerInput* in, const CornerGradient* out);
    void (*hessian)(const CornerInput* in, const CornerGradient* gradient, const CornerHessian* out);
    // The parts in the turns alone: gradient, and second derivatives phi_ee, phi_ef, phi_ff.
    void (*turning)(const CornerInput* in, double* phi_e, double* phi_f, double* phi_ee, double* phi_ef,
                    double* phi_ff);
    void (*moments)(const CornerInput* in, double* const moment[3]); // bending and twist passed on at the corner [N m]
    void (*sections)(const CornerKick* k);
    double (*kick)(const CornerKick* k); // as DerKernels' kick
} CornerKernels;

const CornerKernels* corner_kernels(void);

#endif
