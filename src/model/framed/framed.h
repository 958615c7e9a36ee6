// Framed rods: a material frame on every edge. They may have any section, varying sections, natural
// curvature and twist, damping, and frames with or without rotational inertia. The frames follow the
// centreline by parallel transport in time and are then rotated until the twist is in equilibrium (the
// quasistatic material frame of DER section 5.1). The models differ only in the energy of a corner
// (corner.h).
#ifndef CORD_MODEL_FRAMED_FRAMED_H
#define CORD_MODEL_FRAMED_FRAMED_H

#include "math/elementary.h"
#include "model/framed/corner.h"
#include "model/model.h"

typedef struct CornerStiffness { // input of the stability limit of the explicit step
    double bend;                 // 8 EI / l [N m]
    double moment;               // twisting moment [N m]
    double twist;                // 2 GJ / l; 0: twist is free to go [N m]
    double bending_moment;       // sum of those in the frames of both edges; INFINITY: not known [N m]
    double rest_moment;          // the same for the natural curvature bent straight [N m]
    double uneven;               // 4 (EI1 - EI2) / l of a section that is not round [N m]
} CornerStiffness;

typedef struct FrameSet { // each set owns the arrays that change with the state; the others are shared
    CornerEdges edges;
    CornerNodes nodes;
} FrameSet;

// Strains by slot: A, B and m of the corner, or the strains that its law uses instead, and the length of the
// edge. An array that is not stored is NULL.
enum { FRAMED_STRAINS = 6 };
typedef struct FramedStrains {
    double* of[FRAMED_STRAINS];
} FramedStrains;

typedef struct FramedBounds {   // extremes over all corners, for the tolerances of the frame solver
    double GJ2_least, GJ2_most; // [N m]
    double stiff;               // largest ratio of bending to twisting stiffness
    double uneven;              // largest ratio of the difference of the bending stiffnesses to twisting
    double rest_bend;           // largest GJ2 |kb|^2 of the stress-free shape [N m]
    double per_length;          // largest 2 / l [1/m]
} FramedBounds;

typedef struct Framed {
    CornerLaw law;
    const CornerKernels* kernels;
    FrameSet now;     // at the rod's positions
    FrameSet trial;   // at the trial positions of an implicit step or a solve; absent in explicit rods
    double* EA;       // by edge [N]; 0: inextensible
    double* may_turn; // by edge: 1, or 0 where the frame is held
    double* torque;   // by edge: torque of a clamp about the tangent [N m]
    // by edge: torque of loads about the tangent [N m], evaluated at the start of the step, or when frames
    // were last held or brought to equilibrium
    double* load_torque;
    // by edge: minus the off-diagonal entry of the frame system, which couples the edge to the one before
    // [N m]. It is 2 GJ / l in round DER rods, and 0 if either edge is held.
    double* link;
    double *diag, *turn; // tridiagonal system of the frame angles: diagonal and right-hand side
    double* scratch[3];  // of its solver, and section forces of queries
    // by edge: angular velocity about the tangent [rad/s]; this and the next two are NULL without inertia
    double* spin;
    double* spin_next;    // spin at the end of the step under way [rad/s]
    double* spin_inertia; // by edge [kg m^2]
    double* past_len;     // by edge: length at the time of the past strains [m]; NULL without damping
    // strain differences of the last step, for damped rods and the midpoint rule: see "rates of strain" in
    // framed.c
    FramedStrains rise, bow;
    double* block; // all of the above but the trial frames
    size_t block_size;
    const double* own_m; // now.nodes.m of the block, while the trial frames use another array
    double* trial_block;
    size_t trial_size;
    FramedBounds bounds;
    double damping_time; // [s]
    double since;        // interval of the strain rates at the rod's positions [s]; 0: there are none
    double ratio;        // step under way over the last step; 0: the last step is no basis to extrapolate
    double seam;         // closed rods: angle that was glued in at node 0 when the ring was made [rad]
    int turn_iterations; // iterations of the last solve for the frame angles
    double trial_reach;  // from the start of the step to the trial frames [s]; 0: they are those of a solve
    bool keeps_trial;    // trial frames persist between solves, because implicit steps use them
    // The rod's own model and data, while these frames replace them in a solve; NULL outside a solve.
    const Model* home;
    void* home_data;
    ModelId home_form;
    bool moved; // the solve has changed the frames
} Framed;

static inline Framed* framed_of(const Rod* rod) // the rod's form must be MODEL_FRAMED
{
    return (Framed*)rod->data;
}

// Creates frames and rest strains from the def. NULL: it failed, and the message says why.
Framed* framed_create(Memory* m, const Rod* rod, const CordRodDef* def, CornerLaw law, CordResult* result,
                      Message* message);
// Creates the rod in the framed form from its def.
CordResult framed_create_rod(Memory* m, Rod* rod, const CordRodDef* def, CornerLaw law, Message* message);
Framed* framed_alloc(Memory* m, const Rod* rod, CornerLaw law); // arrays, all zero; NULL: no memory
// Creates the data of a straight round DER rod from existing material axes m1. `turn` is the stressed twist
// at the node before each edge [rad]. Both arrays are by edge.
Framed* framed_from_frames(Memory* m, Rod* rod, const CordVec3* m1, const double* turn);
// remesh.c: creates the frames of a remeshed rod from those of the old rod. NULL: no memory.
Framed* framed_remesh(Memory* m, const Rod* rod, const Remesh* map, const Framed* old);
void framed_rest_strain(const Framed* g, const Rod* rod, int node, double strain[3]); // see model.h
void framed_set_rest(Framed* g, const Rod* rod, int node, const double strain[3]);

// twist at a corner minus its rest value [rad]
double framed_stressed_turn(const Framed* g, const Rod* rod, int node);
void framed_destroy(Memory* m, Framed* g);

// Twist at an inner node between the present frames, unwrapped over full turns [rad].
double framed_turn_at(const Framed* g, const Rod* rod, int node);
// Stress-free strain at an inner node about m1, m2 and t, without the seam at node 0 of a ring. With p the
// unit quaternion from one frame to the next it is alpha = 4 p_k / (1 + p_4) for CORNER_LAW_CORDE (CORDE
// eq. 25, normalised) and beta = 2 p_k / p_4 for CORNER_LAW_PBD (l times Omega of PBER).
void framed_rest_alpha(const Framed* g, const Rod* rod, int node, double alpha[3]);

// Trial frames of an explicit rod: allocated for a solve and freed after it. False: no memory.
bool framed_open_trial(Memory* m, Framed* g, const Rod* rod);
void framed_close_trial(Memory* m, Framed* g, const Rod* rod);

// Adds the strain differences that the midpoint rule needs with damping. The trial frames must not be open.
// False: no memory.
bool framed_reserve_midpoint(Memory* m, Framed* g, const Rod* rod);

void framed_update_held(Framed* g, const Rod* rod); // stiffness tables, held frames, torques
double framed_kick(Framed* g, const Rod* rod, const StepInfo* step, bool drift);
void framed_update(Framed* g, const Rod* rod, const FramesUpdate* update);           // update.c
void framed_copy(const FrameSet* to, const FrameSet* from, const CordCenterline* c); // frames and twists
void framed_frames(const Framed* g, const Rod* rod, CordVec3* m1);
void framed_energy(const Framed* g, const Rod* rod, CordEnergy* energy);
double framed_dissipation(const Framed* g, const Rod* rod); // [W]
void framed_gradient(Framed* g, const Rod* rod, CordVec3* dE_dx);
// The next four include viscous forces; framed_gradient is that of the elastic energy alone.
void framed_tension(const Framed* g, const Rod* rod, double* tension);
void framed_sections(Framed* g, const Rod* rod, CordVec3* force);
void framed_corner_sections(Framed* g, const Rod* rod, CordVec3* force); // without tensions, by edge [N]
void framed_moments(Framed* g, const Rod* rod, CordVec3* moment);
double framed_spin_moment(Framed* g, const Rod* rod, int edge);
double framed_twist(const Framed* g, const Rod* rod);
// Frames with inertia. The spin of a frame is about its tangent, so that a tangent that turns takes the
// angular momentum with it. The couple that this takes acts on the edge: F on its end and -F on its start,
// with F = I spin t x de/dt / |e|^2. It does no work (gyroscopic).
CordVec3 framed_spin_force(double momentum, CordVec3 e,
                           CordVec3 rate); // I spin [kg m^2/s], e [m], de/dt [m/s]
void framed_add_spin_forces(const Framed* g, const Rod* rod, CordVec3* f); // by node, at the rod's velocities
// Adds their impulses to v_next, at the mean of the velocities and spins of the start and of the end.
void framed_kick_spin(const Framed* g, const Rod* rod, double kick);
CordVec3 framed_spin_impulse(const Framed* g, const Rod* rod, double kick, int node); // Model.spin_impulse
void framed_advance_spin(const Framed* g, const Rod* rod, double time, double lag);   // Model.advance_spin
void framed_spin_energy(Framed* g, const Rod* rod, double lag, double* energy, CordVec3* momentum); // Model
// Spins of the frames after `lag` more of the present moments (edge_count).
void framed_spins(Framed* g, const Rod* rod, double lag, double* spin);
CornerStiffness framed_stiffness(const Framed* g, const Rod* rod, int node);
// upper bound of the squared angular frequency of twisting, for frames with inertia [1/s^2]
double framed_twist_omega2(const Framed* g, const Rod* rod, int node);
void framed_state(Framed* g, Rod* rod, Bytes* b);

// framed_past views the past strains, from which strain rates are measured. framed_strains writes the strains
// of a frame set to `to`.
FramedStrains framed_past(const FrameSet* f, double* len);
void framed_strains(const Framed* g, const FrameSet* f, const Rod* rod, const FramedStrains* to);

double framed_kb_noise(const Framed* g, const Rod* rod); // round-off of the curvature at a node, kb
bool framed_is_round(const Framed* g,
                     const Rod* rod); // round and straight by nature: it bends alike in every direction
// Takes from angles of frames (by slot) the one by which all turn alike, if none is held. Call this where
// nothing but round-off decides it.
void framed_stop_idle_turn(const Framed* g, const CordCenterline* c, double* turn);
// relax.c: Newton's method for the frame angles at fixed positions, until the twist is in equilibrium.
// Returns the number of iterations, or -1 if it failed.
int framed_relax(Framed* g, FrameSet* f, const Rod* rod, double viscous);
// Transports the frames to the rod's positions and relaxes them there. extrapolate: the initial guess is
// extrapolated from the last strain rates.
int framed_follow_relaxed(Framed* g, const Rod* rod, double viscous, bool extrapolate);
// Writes the moments of the corners on the frames to `turn` and the diagonal of Newton's matrix to `diag`.
// Returns the largest GJ2 |kb|^2.
double framed_turn_system(const Framed* g, const FrameSet* f, const Rod* rod, double viscous);
// Moment of the corners on the frame of the edge at a slot, at the present state [N m].
double framed_moment_on_frame(const Framed* g, const Rod* rod, int slot);

// Rotates frames about their tangents by any angle [rad], by edge; the twist counts every turn.
void framed_rotate(FrameSet* f, const Rod* rod, const double* angle);
// Turns held frames by the turns of their clamps until `time`, if any is so far that the nearest angle could
// be another. Frames between them take their share, as an initial guess; in a step, frames with inertia stay.
void framed_wind(const Framed* g, FrameSet* f, const Rod* rod, double time, bool stepped);
// Each of these updates the twist: framed_follow transports the frames to positions x, framed_hold sets held
// frames to the orientation of their clamps at `time`, and framed_turn rotates frames about their tangents by
// `turn` (by edge).
void framed_follow(const Framed* g, FrameSet* f, const Rod* rod, double* const x[3]);
void framed_hold(const Framed* g, FrameSet* f, const Rod* rod, double time);
void framed_turn(const Framed* g, FrameSet* f, const Rod* rod, const double* turn);

// The angle by which framed_turn rotates: 2 atan(turn / 2) [rad].
static inline double framed_turned_by(double turn)
{
    // the next term of the series is below 1e-21
    return fabs(turn) < 1e-4 ? turn - turn * turn * turn / 12.0 : 2.0 * cord_atan2(0.5 * turn, 1.0);
}

// Begins an implicit step. `reach` is the time from its start to the trial frames: h, or h/2 for the midpoint
// rule [s]. 0 begins a solve.
void framed_begin(Framed* g, const Rod* rod, double reach, bool midpoint);

// These copy the frames and the rest strains of a ring to the halo slots past its seam.
void framed_wrap(const FrameSet* f, const CordCenterline* c);
void framed_wrap_rest(const FrameSet* f, const CordCenterline* c);
CornerInput framed_input(const FrameSet* f, const Rod* rod, double viscous);
CornerKick framed_kick_input(const Framed* g, const Rod* rod, double viscous); // kick and h are not set
// ratio of viscous to elastic stiffness, for the strain rates of the last step
double framed_viscous_now(const Framed* g);

// trial.c: the trial frames of a framed rod.
// Copies the rod's frames to the trial frames. Viscous moments of the trial are measured from the present
// strains over `reach`.
void framed_trial_begin(Rod* rod, double reach, bool midpoint);
// In a solve: copies the rod's frames and transports them to x, from which the rod's own positions may differ
// by round-off.
void framed_trial_begin_at(Rod* rod, double* const x[3]);
// transports trial frames to positions x, and sets held ones to their clamps at `time`
void framed_trial_follow(Rod* rod, double* const x[3], double time);
void framed_trial_wind(Rod* rod, double time);           // the clamps' turns until `time`, in a solve
void framed_trial_rotate(Rod* rod, const double* angle); // by any angle, by edge [rad]
void framed_trial_turn(Rod* rod,
                       const double* turns);          // rotates about the tangents, by edge: framed_turned_by
double framed_trial_energy(Rod* rod, double viscous); // of the corners, viscous potential included [J]
// gradient, and with `second` the Hessian, of the corners at the slots [from, to)
void framed_trial_terms(Rod* rod, double viscous, int from, int to, const CornerTerms* out, bool second);
void framed_trial_accept(Rod* rod); // copies the trial frames to the rod's frames
// The angle from the rod's frame, transported to the trial tangent, to the trial frame, by slot; of all that
// differ by full turns the one nearest to `near` [rad].
double framed_trial_turned(const Rod* rod, int slot, double near);
// The angle from a trial frame's m1, transported to the tangent t, to the given m1 [rad].
double framed_trial_turn_to(Rod* rod, int edge, CordVec3 t, CordVec3 m1);

// Sets soft, r and Q of the DER law at the corner of slot s, from the stiffness of both edges, inv_l and
// glued. Returns whether r is not zero.
bool framed_mean_stiffness(const CornerEdges* edges, const CornerNodes* nodes, int s);

// bound.c: stability limit of the explicit step, for models with the bending energy of DER.
typedef CornerStiffness (*CornerStiffnessAt)(const Rod* rod, int node);
SpectralBound corner_bound(const Rod* rod, const BoundInput* in, CornerStiffnessAt stiffness_at);

// Message of Model.trouble for corners near the pole of the CORDE strain.
#define FRAMED_TURNED_TOO_FAR                                                                                \
    "is turned by most of a turn from one element to the next, more than a corde rod can tell apart: take "  \
    "more elements, or turn it less"

// The same for the PBD strain, whose pole is at half a turn.
#define FRAMED_TWISTED_TOO_FAR                                                                               \
    "is twisted by almost half a turn from one element to the next, more than a pbd rod can tell apart: "    \
    "take more elements, or turn it less or more slowly"
#define FRAMED_PBD_MOST_TWIST (0.9 * CORD_PI)                                              // [rad]
const char* framed_trouble(const Framed* g, const FrameSet* f, const Rod* rod, int* node); // Model.trouble
const char* framed_trial_trouble(Rod* rod, int* node);                                     // of the trial

// For a solve: framed_lend replaces the rod's form and data by `g`, and framed_return restores them.
void framed_lend(Rod* rod, Framed* g);
Framed* framed_return(Rod* rod);

#endif
