// The inner loops of explicit corde rods, written once on math/wide_quat.h and compiled for each instruction
// set. docs/models/corde.md has the equations; numbers in brackets are the paper's.
//
// Strains of a corner between the edges a and b, with p = q_a* q_b: alpha_k = 4 p_k / (1 + p_4), or 2 p_k as
// (25) is printed. They are l u_k, the turn about the k-th axis. Rates go with the angular velocities, in the
// edges' own frames.
#ifndef CORD_MODEL_CORDE_KERNEL_H
#define CORD_MODEL_CORDE_KERNEL_H

#include <stdbool.h>

// of 1 + p_4: neighbours that have turned by 7/8 of a turn. Beyond, strains are not a number, so that none
// jumps across the pole
#define CORDE_LEAST 0.0761

typedef struct CordeEdges { // arrays by slot: the edge after the slot's node
    double* q[4];           // its orientation; past a ring's seam with the sign that goes on from there
    double* omega[3];       // angular velocity about its own axes [rad/s]
    double* EA;             // stretching stiffness K_s [N]; 0: inextensible
    double* drag;           // gamma_t: friction in stretching [N s]
    double* kappa_l;        // penalty times rest length [N m]
    double* inertia[3];     // about its own axes [kg m^2]
    double* turn_w[3];      // their inverses, 0 where it is held [1/(kg m^2)]
    double* may_turn[2];    // about the first two axes, and about the third: 1, or 0 where it is held
    double* torque;         // from outside, about the third axis [N m]
} CordeEdges;

typedef struct CordeCorners {      // arrays by slot: the corner at the slot's node
    double* inv_l;                 // 1/l; 0 where there is no corner [1/m]
    double *K11, *K12, *K22, *K33; // bending and twisting stiffness [N m^2]
    double* rest[3];               // strains without stress
    double* drag;                  // gamma_r: friction in turning, as (30) has it [N m^2 s]
} CordeCorners;

typedef struct CordeInput {
    int slot_count;
    const CordeEdges* edges;
    const CordeCorners* corners;
    const double *x[3], *v[3]; // [m], [m/s]
    const double* inv_rest;    // [1/m]
    bool printed;              // strains as printed
    bool drags;                // does any friction act?
    bool round; // no corner is bent or twisted at rest, and all that belongs to the first two axes is alike
    double damping_time; // viscous stiffness over elastic stiffness [s]
} CordeInput;

typedef struct CordeKick {
    CordeInput in;
    const double* w; // inverse masses [1/kg]
    double gravity[3];
    double kick; // time over which forces and torques act [s]
    double h;    // time over which the new velocity moves the nodes [s]; 0: positions are not written
    double *x_next[3], *v_next[3];
    double* omega_next[3]; // NULL: orientations are solved for later
    // omega x I omega acts, as (40) has it; else angular momentum is turned back with the frame
    bool gyroscopic;
} CordeKick;

typedef struct CordeForces { // what sections and corners exert
    double* section[3];      // by edge: the derivative of the energy in the edge vector, with friction [N]
    double* torque[3];       // by edge, about its own axes [N m]
    double* moment[3];       // by node: bending and twist that the corner passes on [N m]
} CordeForces;

// Newton's system for the turns of the orientations over a step (turns.c), about their own axes.
typedef struct CordeMatrix {
    double inv_h;     // given: 1 / step, for friction; 0: nothing moves [1/s]
    bool stressed;    // given: with what stresses add; without, it is always positive definite
    double least;     // given: what turns about the third axis cost at least, over the stiffness there
    double* aside[2]; // given, by edge: the tangent along its first two axes
    double* diag[6];  // by edge: 11 12 13 22 23 33 [N m]
    double* link[9];  // by corner: row-major, rows of the edge before, columns of the edge after [N m]
} CordeMatrix;

typedef struct CordeKernels {
    const char* name;
    double (*kick)(const CordeKick* k); // as a model's kick
    void (*forces)(const CordeInput* in, const CordeForces* out);
    void (*matrix)(const CordeInput* in, const CordeMatrix* out);
    void (*aside)(const CordeInput* in, double* const aside[2]); // as the matrix takes it
    void (*torques)(const CordeInput* in, double* const r[3]);   // its right-hand side
    // (41) and (42) with inertia: what may turn goes on at these rates; unless it is as printed, angular
    // momentum in space stays. Returns the largest turn, or what is not finite [rad].
    double (*spin)(const CordeEdges* edges, double* const rate[3], double h, int edge_slots, bool printed);
    // Orientations turned by `rate` over h, all shortened alike if the largest turn is more than `most`;
    // returns the largest that was asked for [rad]. NAN: some are not finite, and none was made.
    double (*turn)(const CordeEdges* edges, double* const rate[3], double h, int edge_slots, double most);
    double (*apart)(double* const rate[3], int first,
                    // the largest difference between neighbours, of edges at the slots [first, last)
                    int last);
} CordeKernels;

const CordeKernels* corde_kernels(void);

#endif
