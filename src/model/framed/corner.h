// Bending and twisting at the inner nodes ("corners") of a general rod, and the frames of its edges: the
// inner loops, written once on math/wide3.h and compiled for each instruction set.
//
// A corner between edges e and f has the strains of DER eq. (2) and (4) with both edges' frames: A = (kb.m2,
// -kb.m1) in the frame of e, B in that of f, and the angle m by which f's frame is turned against e's carried
// over to it. What energy it has in them is the law of the model: DER's is
//
//     1/(2 l) [(A - A0)' Be (A - A0) + (B - B0)' Bf (B - B0)] + GJ (m - m0)^2 / l ,
//
// and those of CORDE and of position-based rods, of the relative turn of the two frames, are functions of A
// and m (corner_corde.c, corner_pbd.c).
//
// A variation moves the edge vectors and turns each frame about its tangent by phi, on top of the parallel
// transport that the edge's own motion brings. In these variables gradient and Hessian are exact at the
// present state, without reference frames to look after.
#ifndef CORD_MODEL_FRAMED_CORNER_H
#define CORD_MODEL_FRAMED_CORNER_H

#include "model/corner.h"

typedef enum CornerLaw { // the energy of a corner
    CORNER_LAW_DER,
    CORNER_LAW_CORDE,
    CORNER_LAW_PBD,
    CORNER_LAW_COUNT
} CornerLaw;

typedef struct CornerEdges { // arrays by slot: the edge after the slot's node
    double* t[3];            // unit tangent
    double* m1[3];           // material axis
    double* inv_len;         // 1 / current length [1/m]
    double *B11, *B12, *B22; // bending stiffness in A and B: EI2, EI12, EI1 [N m^2]
} CornerEdges;

typedef struct CornerNodes {       // arrays by slot: the corner at the slot's node
    double* inv_l;                 // 1/l; 0 where there is no corner [1/m]
    double* GJ2;                   // 2 GJ / l [N m]
    double* K[3];                  // but DER: B11, B12, B22 of both edges together, over l [N m]
    double *rest_A[2], *rest_B[2]; // strains without stress; but DER: about m2, -m1 and, in rest_B[0], t
    double* rest_m;                // [rad]; but DER: where the twist counts from, which is the seam of a ring
    double* m;                     // twist, with all its turns [rad]
    // strains that viscous moments are measured from; NULL: no damping
    double *past_A[2], *past_B[2], *past_m;
} CornerNodes;

typedef struct CornerInput {
    int slot_count;
    int first, last; // energy, gradient, Hessian: of the slots [first, last)
    int base;        // gradient, Hessian: the slot that their arrays begin with
    const CornerEdges* edges;
    const CornerNodes* nodes;
    double viscous; // retardation time over the time since the strains were as in past_*
} CornerInput;

typedef struct CornerEnergy {
    double bend, twist; // elastic [J]
    double viscous;     // potential of the viscous moments [J]
} CornerEnergy;

typedef struct CornerKick {
    CornerInput in;
    const double* EA;       // by edge [N]; 0: inextensible
    const double* rest_len; // [m]
    const double* inv_rest; // [1/m]
    const double* past_len; // length that viscous tension is measured from [m]; NULL: no damping
    const double *x[3], *v[3], *w;
    double gravity[3];
    double kick; // time over which the forces act [s]
    double h;    // time over which the new velocity moves the nodes [s]; 0: positions are not written
    double *x_next[3], *v_next[3];
    double* section[3]; // the whole force in each edge, for `sections` alone [N]
} CornerKick;

// Newton's system for the turns of the frames at fixed positions (math/tridiag_partition.h has its matrix):
// what the corners make of it, by slot of the edge.
typedef struct CornerTurns {
    double stiffer; // 1, and the viscous part of the stiffness over the elastic one
    double trace;   // added to the diagonal [N m]
    double* diag;   // [N m]
    double* moment; // on the frames, of the corners [N m]
    double* link;   // but DER: minus what couples an edge to the one before, 0 if either is held [N m]
    const double* may_turn;
} CornerTurns;

typedef struct CornerKernels {
    // Frames to positions x: tangents and lengths of the edges from there, material axes carried along from
    // the tangents there were and, if `spin` is given, turned about them as after the time h at these rates;
    // and the twist between them. With `turns`, Newton's system there; turns of more than CORNER_SMALL_TURN,
    // which are but a guess then, are left out. Returns the largest GJ2 |kb|^2 of any corner [N m].
    double (*follow)(const CornerInput* in, const double* const x[3], const double* spin, double h,
                     const CornerTurns* turns);
    // Frames turned about their tangents: by the angle whose half has the tangent turn/2. The twist has to be
    // measured then.
    void (*turn)(const CornerEdges* edges, const double* turn, int edge_slots);
    // The same by small angles, CORNER_SMALL_TURN at the most, and the twist with them.
    void (*nudge)(const CornerInput* in, const double* turn);
    // m from the frames, with the whole turns that are nearest to before
    void (*measure)(const CornerInput* in);
    CornerEnergy (*energy)(const CornerInput* in);
    void (*strains)(const CornerInput* in, double* const A[2], double* const B[2]); // as in rest_A and rest_B
    void (*gradient)(const CornerInput* in, const CornerGradient* out);
    void (*hessian)(const CornerInput* in, const CornerGradient* gradient, const CornerHessian* out);
    double (*turning)(const CornerInput* in, const CornerTurns* turns); // the system, as `follow` leaves it
    // bending and twist passed on at the corner [N m]
    void (*moments)(const CornerInput* in, double* const moment[3]);
    void (*sections)(const CornerKick* k);
    double (*kick)(const CornerKick* k); // as DerKernels' kick
} CornerKernels;

#define CORNER_SMALL_TURN 4e-3 // [rad]

const CornerKernels* corner_kernels(CornerLaw law);

#endif
