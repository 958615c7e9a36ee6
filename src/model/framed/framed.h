// Rods with a material frame on every edge: any section, sections that vary, naturally curved and twisted,
// damped, frames with or without inertia. The frames follow the centreline by parallel transport in time and
// are turned until the twist is in equilibrium. Models that have such frames differ in the law of their
// corners (corner.h).
#ifndef CORD_MODEL_FRAMED_FRAMED_H
#define CORD_MODEL_FRAMED_FRAMED_H

#include "model/framed/corner.h"
#include "model/model.h"

typedef struct CornerStiffness { // what the longest stable step depends on
    double bend;                 // 8 EI / l [N m]
    double moment;               // twisting, and bending that a natural curvature brings [N m]
} CornerStiffness;

typedef struct FrameSet { // arrays that change with the state are each set's own, the others are shared
    CornerEdges edges;
    CornerNodes nodes;
} FrameSet;

// By slot: A, B and m of the corner, or what its law measures instead, and the length of the edge. NULL: not
// kept.
enum { FRAMED_STRAINS = 6 };
typedef struct FramedStrains {
    double* of[FRAMED_STRAINS];
} FramedStrains;

typedef struct FramedBounds {   // what turns of the frames are judged by: of all corners
    double GJ2_least, GJ2_most; // [N m]
    // bending stiffness, and the difference between its two, over twisting stiffness: the largest
    double stiff, uneven;
    double rest_bend; // GJ2 |kb|^2 of the stress-free shape, the largest [N m]
} FramedBounds;

typedef struct Framed {
    CornerLaw law;
    const CornerKernels* kernels;
    FrameSet now;     // at the rod's positions
    FrameSet trial;   // at those that an implicit step or a solve is trying; implicit rods and solves alone
    double* EA;       // by edge [N]; 0: inextensible
    double* may_turn; // by edge: 1, or 0 where the frame is held
    double* torque;   // by edge: of a clamp, about the tangent [N m]
    double* load_torque; // likewise: of loads, when frames were last held or settled, or the step began
    // by edge: 2 GJ / l at the corner before it, or what another law than DER's has there, or 0 if it or the
    // edge before is held [N m]
    double* link;
    double *diag, *turn; // the system of the frames' turns
    double* scratch[3];  // its solver's; section forces of queries
    // by edge: rate at which frames with inertia turn [rad/s]; NULL, as the next two: they have none
    double* spin;
    double* spin_next;    // of the step under way
    double* spin_inertia; // by edge [kg m^2]
    double* past_len;     // by edge: length at the time of the past strains [m]; NULL without damping
    FramedStrains rise,
        bow; // of the last step, for damped rods and the midpoint rule: see "rates of strain" in framed.c
    double* block; // all of the above but the trial frames
    size_t block_size;
    const double* own_m; // now.nodes.m, unless the trial frames have taken its place
    double* trial_block;
    size_t trial_size;
    FramedBounds bounds;
    double damping_time; // [s]
    double since; // time that rates of strain, at the rod's positions, count over; 0: there are none [s]
    double ratio; // of the step under way to the last one; 0: that tells nothing about this one
    double seam;  // closed rods: angle that was glued in at node 0 when the ring was made [rad]
    int turn_iterations; // of the last settling
    bool keeps_trial;    // trial frames stay between solves: implicit steps use them
    // The rod's own form and data, while these frames stand in for it in a solve; NULL: they are its own.
    const Model* home;
    void* home_data;
    ModelId home_form;
    bool moved; // the solve has moved them
} Framed;

static inline Framed* framed_of(const Rod* rod) // of a rod whose form is MODEL_FRAMED
{
    return (Framed*)rod->data;
}

// From the def's frames and rest shape; NULL: it failed, and the message says why.
Framed* framed_create(Memory* m, const Rod* rod, const CordRodDef* def, CornerLaw law, CordResult* result,
                      Message* message);
// Makes the rod a framed one from its def.
CordResult framed_create_rod(Memory* m, Rod* rod, const CordRodDef* def, CornerLaw law, Message* message);
Framed* framed_alloc(Memory* m, const Rod* rod, CornerLaw law); // arrays, all zero; NULL: no memory
// From frames there are already, of a straight round rod of DER's law: `turn` is the twist before each edge
// that is stress. (Both by edge.)
Framed* framed_from_frames(Memory* m, Rod* rod, const CordVec3* m1, const double* turn);
// remesh.c: the frames of a rod with other nodes, from those of the rod that it was.
// NULL: no memory
Framed* framed_remesh(Memory* m, const Rod* rod, const Remesh* map, const Framed* old);
void framed_rest_strain(const Framed* g, const Rod* rod, int node, double strain[3]); // see model.h
void framed_set_rest(Framed* g, const Rod* rod, int node, const double strain[3]);

// twist at a corner, less that at rest [rad]
double framed_stressed_turn(const Framed* g, const Rod* rod, int node);
void framed_destroy(Memory* m, Framed* g);

// At an inner node: twist between the frames there are, with all its turns [rad]; and the strain without
// stress about m1, m2 and t, p the turn from one frame to the next, less the seam at node 0 of a ring: of
// CORNER_LAW_CORDE alpha = 4 p_k / (1 + p_4), of CORNER_LAW_PBD beta = 2 p_k / p_4.
double framed_turn_at(const Framed* g, const Rod* rod, int node);
void framed_rest_alpha(const Framed* g, const Rod* rod, int node, double alpha[3]);

// Trial frames of a rod that is not implicit: made for a solve, and given back after it. False: no memory.
bool framed_open_trial(Memory* m, Framed* g, const Rod* rod);
void framed_close_trial(Memory* m, Framed* g, const Rod* rod);

void framed_update_held(Framed* g, const Rod* rod); // stiffness tables, held frames, torques
double framed_kick(Framed* g, const Rod* rod, const StepInfo* step, bool drift);
void framed_update(Framed* g, const Rod* rod, const FramesUpdate* update);
void framed_frames(const Framed* g, const Rod* rod, CordVec3* m1);
void framed_energy(const Framed* g, const Rod* rod, CordEnergy* energy);
void framed_gradient(Framed* g, const Rod* rod, CordVec3* dE_dx);
// These count viscous forces in; the gradient is that of the energy alone.
void framed_tension(const Framed* g, const Rod* rod, double* tension);
void framed_sections(Framed* g, const Rod* rod, CordVec3* force);
void framed_moments(Framed* g, const Rod* rod, CordVec3* moment);
double framed_spin_moment(Framed* g, const Rod* rod, int edge);
double framed_twist(const Framed* g, const Rod* rod);
CornerStiffness framed_stiffness(const Framed* g, const Rod* rod, int node);
// bound for frames with inertia [1/s^2]
double framed_twist_omega2(const Framed* g, const Rod* rod, int node);
void framed_state(Framed* g, Rod* rod, Bytes* b);

// Strains of frames, to where they are kept; those that rates count from.
FramedStrains framed_past(const FrameSet* f, double* len);
void framed_strains(const Framed* g, const FrameSet* f, const Rod* rod, const FramedStrains* to);
void framed_add_strains(const Framed* g, const FrameSet* f, const Rod* rod, const FramedStrains* to);

// relax.c: frames to equilibrium at fixed positions. Returns how many iterations it took, -1: it failed.
int framed_relax(Framed* g, FrameSet* f, const Rod* rod, double viscous);
// At the rod's positions, where they follow first; extrapolate: from where their last rates take them.
int framed_follow_relaxed(Framed* g, const Rod* rod, double viscous, bool extrapolate);
// Moments that corners exert on the frames into `turn`, and the diagonal of Newton's matrix; returns the
// largest GJ2 |kb|^2.
double framed_turn_system(const Framed* g, const FrameSet* f, const Rod* rod, double viscous);

// Frames carried to positions x, and held ones to where their clamps have them; turned about their tangents
// by `turn`, by edge. The twist follows.
void framed_follow(const Framed* g, FrameSet* f, const Rod* rod, double* const x[3]);
void framed_hold(const Framed* g, FrameSet* f, const Rod* rod, double time);
void framed_turn(const Framed* g, FrameSet* f, const Rod* rod, const double* turn);

void framed_begin(Framed* g, const Rod* rod, double reach); // an implicit step, or with 0 a solve

void framed_wrap(const FrameSet* f, const CordCenterline* c); // copies across the seam of a ring
CornerInput framed_input(const FrameSet* f, const Rod* rod, double viscous);
CornerKick framed_kick_input(const Framed* g, const Rod* rod, double viscous); // without a step
double framed_viscous_now(const Framed* g); // stiffness over the elastic one, for the rates of the last step

// trial.c: the trial frames of a rod that is framed.
// Trial frames := the rod's own; viscous moments there count over h from the strains now.
void framed_trial_begin(Rod* rod, double h);
void framed_trial_follow(Rod* rod, double* const x[3], double time); // to positions x; held ones as at `time`
void framed_trial_turn(Rod* rod, const double* turns);               // about their tangents
double framed_trial_energy(Rod* rod, double viscous); // of the corners, with the potential of viscous moments
void framed_trial_terms(Rod* rod, double viscous, int from, int to, const CornerTerms* out, bool second);
void framed_trial_accept(Rod* rod); // they are the rod's from now on
// From a frame, carried to the tangent t, on to m1 [rad].
double framed_trial_turn_to(Rod* rod, int edge, CordVec3 t, CordVec3 m1);

// bound.c: for models whose corners bend as those of DER do.
typedef CornerStiffness (*CornerStiffnessAt)(const Rod* rod, int node);
SpectralBound corner_bound(const Rod* rod, const BoundInput* in, CornerStiffnessAt stiffness_at);

// What "trouble" says of corners near the pole of CORDE's strain.
#define FRAMED_TURNED_TOO_FAR                                                                                \
    "is turned by most of a turn from one element to the next, more than a corde rod can tell apart: take "  \
    "more elements, or turn it less"

// For a solve: `g` takes the place of the rod's own form and data; and those come back.
void framed_lend(Rod* rod, Framed* g);
Framed* framed_return(Rod* rod);

#endif
