// Bending and twisting at the inner nodes ("corners") of a framed rod, and the material frames of its edges:
// the inner loops, written once on math/wide3.h and compiled for each instruction set.
//
// A corner between edges e and f has the material curvatures of DER eq. (2) in the frames of both edges,
// A = (kb.m2, -kb.m1) in that of e and B in that of f, and the twist m: the angle from the frame of e,
// transported to f, to the frame of f. The energy as a function of these strains is the law of the model.
// For DER it is
//
//     1/2 [ke |a|^2 + kf |b|^2 + r (|a|^2 + |b|^2) + 2 a'Q b] + GJ (m - m0)^2 / l
//
// with a = A - A0 and b = B - B0,
// k the smaller principal bending stiffness of an edge, r a quarter of the sum of the differences between the
// larger and the smaller ones, and Q the mean of the deviatoric parts of the two stiffness matrices, all over
// l. DER eq. (3) has a'Q_e a + b'Q_f b in place of 2 a'Q b: each frame is off the middle of the corner by
// half the twist between them, so that the softer axis gets a part of the stiffer one. Rotating a deviatoric
// matrix from the left is rotating it backwards from the right: a'Q b is c'Q c with the strain c in the frame
// halfway between the two. The laws of CORDE and of
// position-based rods depend on the relative rotation of the two frames, which is a function of A and m
// (corner_corde.c, corner_pbd.c).
//
// A variation moves the edge vectors and turns each frame about its tangent by phi, on top of the parallel
// transport due to the motion of the edge. In these variables gradient and Hessian are exact at the present
// state, and no reference frames are needed.
#ifndef CORD_MODEL_FRAMED_CORNER_H
#define CORD_MODEL_FRAMED_CORNER_H

#include "model/corner.h"

#include <stdbool.h>

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
    double* K[3];                  // CORDE, PBD: B11, B12, B22 of both edges together, over l [N m]
    double *soft_e, *soft_f;       // DER: ke, kf [N m]
    double *r, *Q[2];              // DER: see above; Q11 = -Q22 and Q12 [N m]
    bool uneven;                   // some r is not zero
    double* glued;                 // DER: what the seam of a ring has of rest_m [rad]
    double *rest_A[2], *rest_B[2]; // rest strains; CORDE, PBD: about m2, -m1 and, in rest_B[0], t
    double* rest_m;                // rest twist [rad]; CORDE, PBD: offset of the twist (a ring's seam)
    double* m;                     // twist, unwrapped over full turns [rad]
    // strains that viscous moments are measured from; NULL: no damping
    double *past_A[2], *past_B[2], *past_m;
} CornerNodes;

typedef struct CornerInput {
    int slot_count;
    int first, last; // energy, gradient and Hessian cover the slots [first, last)
    int base;        // slot of the first entry of the gradient and Hessian arrays
    const CornerEdges* edges;
    const CornerNodes* nodes;
    double viscous; // retardation time over the time since the past strains
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
    double* section[3]; // total section force of each edge, written by `sections` only [N]
} CornerKick;

// The corners' part of Newton's system for the frame angles at fixed positions, by slot of the edge. The
// matrix is that of math/tridiag_partition.h.
typedef struct CornerTurns {
    int first, last; // `turning` assembles the rows of these slots; `first` is a multiple of four
    double stiffer;  // 1 + ratio of viscous to elastic stiffness
    double trace;    // added to the diagonal [N m]
    double* diag;    // [N m]
    double* moment;  // moment of the corners on the frames [N m]
    double* link;    // minus the coupling to the edge before, 0 if either is held; DER: if uneven [N m]
    const double* may_turn;
} CornerTurns;

typedef struct CornerKernels {
    // Moves the frames to positions x: computes tangents and lengths, transports the material axes from the
    // old tangents, turns them by h * spin about the new ones if `spin` is given, and updates the twist. With
    // `turns` it also assembles Newton's system; angles above CORNER_SMALL_TURN, which are only an initial
    // guess there, are then skipped. Returns the largest GJ2 |kb|^2 of any corner [N m].
    double (*follow)(const CornerInput* in, const double* const x[3], const double* spin, double h,
                     const CornerTurns* turns);
    // Rotates frames about their tangents by 2 atan(turn / 2). The caller must then call `measure`.
    void (*turn)(const CornerEdges* edges, const double* turn, int edge_slots);
    // Rotates frames by angles of at most CORNER_SMALL_TURN, and updates the twist.
    void (*nudge)(const CornerInput* in, const double* turn);
    // Computes the twist m from the frames, unwrapped to the value nearest to the old one.
    void (*measure)(const CornerInput* in);
    CornerEnergy (*energy)(const CornerInput* in);
    void (*strains)(const CornerInput* in, double* const A[2], double* const B[2]); // as in rest_A and rest_B
    void (*gradient)(const CornerInput* in, const CornerGradient* out);
    void (*hessian)(const CornerInput* in, const CornerGradient* gradient, const CornerHessian* out);
    double (*turning)(const CornerInput* in, const CornerTurns* turns); // Newton's system, as in `follow`
    // internal bending and twisting moment at the corner [N m]
    void (*moments)(const CornerInput* in, double* const moment[3]);
    void (*sections)(const CornerKick* k);
    double (*kick)(const CornerKick* k); // as DerKernels' kick
} CornerKernels;

#define CORNER_SMALL_TURN 4e-3 // [rad]

const CornerKernels* corner_kernels(CornerLaw law);

#endif
