// The inner loops of explicit corde rods, written once on math/wide_quat.h and compiled for each instruction
// set. docs/models/corde.md has the equations; numbers in brackets are those of the paper.
//
// The strains of a corner between the edges a and b, with p = q_a* q_b, are alpha_k = 4 p_k / (1 + p_4), or
// 2 p_k as (25) is printed. They are l u_k, to first order the rotation angle about the k-th axis. Angular
// velocities are in the edges' own frames.
#ifndef CORD_MODEL_CORDE_KERNEL_H
#define CORD_MODEL_CORDE_KERNEL_H

#include <stdbool.h>

// 1 + p_4 at a relative rotation of 7/8 of a turn. Beyond it strains are NaN, so that no step jumps across
// the pole.
#define CORDE_LEAST 0.0761

typedef struct CordeEdges { // arrays by slot: the edge after the slot's node
    double* q[4];           // orientation; past the seam of a ring with the continuous sign
    double* omega[3];       // angular velocity about its own axes [rad/s]
    double* EA;             // stretching stiffness K_s [N]; 0: inextensible
    double* drag;           // gamma_t: friction in stretching [N s]
    double* kappa_l;        // penalty times rest length [N m]
    double* inertia[3];     // about its own axes [kg m^2]
    double* turn_w[3];      // inverse inertia, 0 where it is held [1/(kg m^2)]
    double* may_turn[2];    // about the first two axes, and about the third: 1, or 0 where it is held
    double* torque;         // external torque about the third axis [N m]
} CordeEdges;

typedef struct CordeCorners {      // arrays by slot: the corner at the slot's node
    double* inv_l;                 // 1/l; 0 where there is no corner [1/m]
    double *K11, *K12, *K22, *K33; // bending and twisting stiffness [N m^2]
    double* rest[3];               // rest strains
    double* drag;                  // gamma_r of (30): rotational friction [N m^2 s]
} CordeCorners;

typedef struct CordeInput {
    int slot_count;
    const CordeEdges* edges;
    const CordeCorners* corners;
    const double *x[3], *v[3]; // [m], [m/s]
    const double* inv_rest;    // [1/m]
    bool printed;              // strains of (25) as printed
    bool drags;                // some friction acts
    bool round;                // no rest strain, and equal stiffness and inertia about the first two axes
    double damping_time;       // ratio of viscous to elastic stiffness [s]
} CordeInput;

typedef struct CordeKick {
    CordeInput in;
    const double* w; // inverse masses [1/kg]
    double gravity[3];
    double kick; // time over which forces and torques act [s]
    double h;    // time over which the new velocity moves the nodes [s]; 0: positions are not written
    double *x_next[3], *v_next[3];
    double* omega_next[3]; // NULL: orientations are quasistatic and solved for later
    // Unless orientations are quasistatic, at_risk becomes: at the start of the step some third axis is 60
    // degrees or more off its tangent, some edge has half its rest length or less, or some corner has half a
    // turn; or some v_next differs from `reference_velocity` by more than the root of most_off2.
    bool* at_risk;
    double reference_velocity[3], most_off2; // [m/s], [m^2/s^2]
    // The term omega x I omega of (40) acts. Otherwise `spin` conserves the angular momentum.
    bool gyroscopic;
} CordeKick;

typedef struct CordeForces {
    double*
        section[3];    // by edge: derivative of the energy with respect to the edge vector, with friction [N]
    double* torque[3]; // by edge, about its own axes [N m]
    double* moment[3]; // by node: internal bending and twisting moment [N m]
} CordeForces;

// Newton's matrix for rotations of the orientations about their own axes over a step (quasistatic.c).
typedef struct CordeMatrix {
    double inv_h;     // input: 1 / step, for friction [1/s]; 0: statics
    bool stressed;    // input: with the geometric part; without it the matrix is always positive definite
    double least;     // input: relative stiffness that is added about the third axis
    double* aside[2]; // input, by edge: components of the tangent along its first two axes
    double* diag[6];  // by edge: 11 12 13 22 23 33 [N m]
    double* link[9];  // by corner: row-major, rows of the edge before, columns of the edge after [N m]
} CordeMatrix;

typedef struct CordeKernels {
    double (*kick)(const CordeKick* k); // as Model.kick
    void (*forces)(const CordeInput* in, const CordeForces* out);
    void (*matrix)(const CordeInput* in, const CordeMatrix* out);
    void (*aside)(const CordeInput* in, double* const aside[2]); // computes CordeMatrix.aside
    void (*torques)(const CordeInput* in, double* const r[3]);   // right-hand side of Newton's system
    // True: no third axis is more than a right angle off its tangent and no strain is past its pole, so that
    // forces are finite.
    bool (*is_in_range)(const CordeInput* in);
    // Advances orientations with inertia by (41) and (42). Unless the kick was gyroscopic, the angular
    // momentum in space is conserved. Returns the largest rotation [rad], which is not finite if any of them
    // is not.
    double (*spin)(const CordeInput* in, double h, bool gyroscopic);
    // Rotates orientations by h * rate, scaled down together if the largest rotation exceeds `most`. Returns
    // the largest rotation before scaling [rad]. NAN: some rate is not finite, and nothing was changed.
    double (*turn)(const CordeEdges* edges, double* const rate[3], double h, int edge_slots, double most);
    // largest difference of `rate` between neighbouring edges at the slots [first, last)
    double (*rate_difference)(double* const rate[3], int first, int last);
} CordeKernels;

const CordeKernels* corde_kernels(void);

#endif
