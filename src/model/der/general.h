// The general rod of DER: any section, sections that vary, naturally curved and twisted, damped, frames with or without inertia. Every
// edge has its own material frame, which follows the centreline by parallel transport in time and is turned until the twist is in
// equilibrium. (Rods that are straight, round and uniform do with less: twist.c.)
#ifndef CORD_MODEL_DER_GENERAL_H
#define CORD_MODEL_DER_GENERAL_H

#include "model/der/corner.h"
#include "model/model.h"

typedef struct CornerStiffness { // what the longest stable step depends on
    double bend;                 // 8 EI / l [N m]
    double moment;               // twisting, and bending that a natural curvature brings [N m]
} CornerStiffness;

typedef struct DerFrames { // arrays that change with the state are each set's own, the others are shared
    CornerEdges edges;
    CornerNodes nodes;
} DerFrames;

// By slot: A, B and m of the corner, and the length of the edge. NULL: not kept.
enum { DER_STRAINS = 6 };
typedef struct DerStrains {
    double* of[DER_STRAINS];
} DerStrains;

typedef struct DerBounds {      // what turns of the frames are judged by: of all corners
    double GJ2_least, GJ2_most; // [N m]
    double stiff, uneven; // bending stiffness, and the difference between its two, over twisting stiffness: the largest
    double rest_bend; // GJ2 |kb|^2 of the stress-free shape, the largest [N m]
} DerBounds;

typedef struct DerGeneral {
    const CornerKernels* kernels;
    DerFrames now;    // at the rod's positions
    DerFrames trial;  // at those that an implicit step or a solve is trying; implicit rods and solves alone
    double* EA;       // by edge [N]; 0: inextensible
    double* may_turn; // by edge: 1, or 0 where the frame is held
    double* torque;   // by edge: from outside, about the tangent [N m]
    double* link; // by edge: 2 GJ / l at the corner before it, or 0 if it or the edge before is held [N m]
    double *diag, *turn; // the system of the frames' turns
    double* scratch[3];  // its solver's; section forces of queries
    double* spin; // by edge: rate at which frames with inertia turn [rad/s]; NULL, as the next two: they have none
    double* spin_next;    // of the step under way
    double* spin_inertia; // by edge [kg m^2]
    double* past_len;     // by edge: length at the time of the past strains [m]; NULL without damping
    DerStrains rise, bow; // of the last step, for damped rods and the midpoint rule: see "rates of strain" in general.c
    double* block; // all of the above but the trial frames
    size_t block_size;
    const double* own_m; // now.nodes.m, unless the trial frames have taken its place
    double* trial_block;
    size_t trial_size;
    DerBounds bounds;
    double damping_time; // [s]
    double since;   // time that rates of strain, at the rod's positions, count over; 0: there are none [s]
    double ratio;   // of the step under way to the last one; 0: that tells nothing about this one
    bool under_way; // a step is: the next settling ends it
    double seam;    // closed rods: angle that was glued in at node 0 when the ring was made [rad]
    int turn_iterations; // of the last settling
} DerGeneral;

// From the def's frames and rest shape.
CordResult der_general_create(Memory* m, Rod* rod, const CordRodDef* def, DerGeneral** general, Message* message);
// From frames there are already, of a straight round rod: `turn` is the twist before each edge that is stress. (Both by edge.)
DerGeneral* der_general_from_frames(Memory* m, Rod* rod, const CordVec3* m1, const double* turn);
double der_general_stressed_turn(const DerGeneral* g, const Rod* rod, int node); // twist at a corner, less that at rest [rad]
void der_general_destroy(Memory* m, DerGeneral* g);

// Trial frames of a rod that is not implicit: made for a solve, and given back after it. False: no memory.
bool der_general_open_trial(Memory* m, DerGeneral* g, const Rod* rod);
void der_general_close_trial(Memory* m, DerGeneral* g, const Rod* rod);

void der_general_update_held(DerGeneral* g, const Rod* rod); // stiffness tables, held frames, torques
double der_general_kick(DerGeneral* g, const Rod* rod, const StepInfo* step, bool drift);
void der_general_settle(DerGeneral* g, const Rod* rod, double time);
void der_general_frames(const DerGeneral* g, const Rod* rod, CordVec3* m1);
void der_general_energy(const DerGeneral* g, const Rod* rod, CordEnergy* energy);
void der_general_gradient(DerGeneral* g, const Rod* rod, CordVec3* dE_dx);
// These count viscous forces in; the gradient is that of the energy alone.
void der_general_tension(const DerGeneral* g, const Rod* rod, double* tension);
void der_general_sections(DerGeneral* g, const Rod* rod, CordVec3* force);
void der_general_moments(DerGeneral* g, const Rod* rod, CordVec3* moment);
double der_general_spin_moment(DerGeneral* g, const Rod* rod, int edge);
double der_general_twist(const DerGeneral* g, const Rod* rod);
CornerStiffness der_general_stiffness(const DerGeneral* g, const Rod* rod, int node);
double der_general_twist_omega2(const DerGeneral* g, const Rod* rod, int node); // bound for frames with inertia [1/s^2]
void der_general_state(DerGeneral* g, Rod* rod, Bytes* b);

// relax.c: frames to equilibrium at fixed positions. Returns how many iterations it took, -1: it failed.
int der_general_relax(DerGeneral* g, DerFrames* f, const Rod* rod, double viscous);
int der_general_follow_relaxed(DerGeneral* g, const Rod* rod,
                               double viscous); // at the rod's positions, where they follow first
// Moments that corners exert on the frames into `turn`, and the diagonal of Newton's matrix; returns the largest GJ2 |kb|^2.
double der_general_turn_system(const DerGeneral* g, const DerFrames* f, const Rod* rod, double viscous);

// Frames carried to positions x, and held ones to where their clamps have them; turned about their tangents by `turn`, by edge. The twist follows.
void der_general_follow(const DerGeneral* g, DerFrames* f, const Rod* rod, double* const x[3]);
void der_general_hold(const DerGeneral* g, DerFrames* f, const Rod* rod, double time);
void der_general_turn(const DerGeneral* g, DerFrames* f, const Rod* rod, const double* turn);

void der_general_begin(DerGeneral* g, const Rod* rod, double reach); // an implicit step, or with 0 a solve
extern const ModelTrial der_trial;                                   // trial.c

void der_general_wrap(const DerFrames* f, const CordCenterline* c); // copies across the seam of a ring
CornerInput der_general_input(const DerFrames* f, const Rod* rod, double viscous);
CornerKick der_general_kick_input(const DerGeneral* g, const Rod* rod, double viscous); // without a step
double der_general_viscous_now(const DerGeneral* g); // stiffness over the elastic one, for the rates of the last step

#endif
