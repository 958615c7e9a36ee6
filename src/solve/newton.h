// The equations of Newton's method for a rod, or for an assembly of rods and bodies: the residual forces at
// trial positions y, with frames and tensions, and their Jacobian. Implicit steps and static solves use it. A
// single rod is a system of one rod and no bodies.
#ifndef CORD_SOLVE_NEWTON_H
#define CORD_SOLVE_NEWTON_H

#include "model/framed/framed.h"
#include "solve/island.h"
#include "solve/joins.h"

typedef struct NewtonContact { // contact forces; NULL: there are none
    const CordVec3* push;      // on nodes [N] (node_count)
    const double* torque;      // on frames [N m] (edge_count)
} NewtonContact;

typedef struct NewtonRod { // arrays by slot
    Rod* rod;
    double* y[3];     // trial positions [m]
    double* start[3]; // inertial prediction: positions without forces [m]
    double* n;        // tension [N]
    double* turned;   // rotation of the frames so far [rad]
    Move shift;       // prescribed change of held nodes and frames
    Move force;       // residual forces
    Move move;        // Newton step
    Move kept;        // Newton step without contact
    Move first;       // Newton step before its second-order correction
    NewtonContact touch;
    double indifferent;       // stiffness against frame rotations that cost no energy [N m]
    double* soft;             // rest length over EA; 0: inextensible [m/N]
    double* weight;           // mass of a node [kg]
    double* slack;            // regularising compliance of tensions [m/N]
    double* stiffness_across; // of edges, at the last assembly of a static solve [N/m]
    const Clamp** held;       // clamp that holds or carries each node; NULL: none (node_count)
    CornerTerms terms;
    BandSystem* spans;
    int span_count;
    int row;          // block row of its first node: newton_rows.h
    int* tension_row; // block row that has the tension of an edge; -1: none (node_count)
} NewtonRod;

typedef struct NewtonBody { // vectors of six: translation, then rotation
    Body* body;
    CordBodyInertia inertia;
    double indifferent;  // stiffness against rotations that cost no energy [N m]
    Pose before;         // at the start of the step
    Pose pose;           // trial pose: at the end of the step, or at rest
    CordQuat free;       // rotation at the end of the body's free motion, or where the search began
    double gone[6];      // displacement so far from there, to y: half of it in a midpoint step
    double force[6];     // residual force and torque
    double own[6];       // part of the residual that no span contributes
    double push[6];      // external force and torque: weight, loads
    double push_rate[6]; // time derivative of push, while rates are assembled
    double move[6];      // Newton step
    double kept[6];      // Newton step without contact
    double first[6];     // Newton step before its second-order correction
    double touch[6];     // contact force and torque
    int row;             // block row: newton_rows.h
} NewtonBody;

typedef struct NewtonSystem NewtonSystem;

typedef struct NewtonPivots {
    int negative;
    double least; // 0: singular
} NewtonPivots;

// What couples islands that are solved as one: contact (step/contact_statics.h). The functions get the
// coupled system's `coupled`.
typedef struct NewtonCoupling {
    // Starts at the present state of rods and bodies, at the system's time.
    void (*begin)(void* coupled, NewtonSystem* whole);
    void (*assemble)(void* coupled); // sets its forces at y, which rods and bodies then assemble
    NewtonPivots (*factor)(void* coupled);
    bool (*solve)(void* coupled);
    void (*move)(void* coupled);   // its own unknowns follow a whole Newton step, which y has still to take
    void (*accept)(void* coupled); // the trial becomes the state
    double (*energy)(const void* coupled); // its own, where it was assembled [J]
} NewtonCoupling;

struct NewtonSystem {
    double time; // time of loads and held frames [s]
    // Point that y and the trial poses of bodies are relative to [m]. It is near the rods, so that round-off
    // does not grow with their distance from the origin of the scene.
    CordVec3 origin;
    CordVec3 gravity;
    bool midpoint;        // y is the midpoint of old and new positions: see implicit.h
    double assembly_mass; // with the midpoint rule: of its rods and bodies [kg]
    double mass;          // factor of the mass matrix [1/s^2]
    double reach;         // (y - x) / velocity [s]; 0: at rest
    // Augmented Lagrangian: stiffness along edges whose tension is an unknown, relative to the stiffness
    // across them. It changes no solution, but keeps pivots away from zero.
    double augment;
    double pull; // tension to expect where it is not known, for that stiffness [N]
    // In static solves, frames without inertia are given one, so that a multiple of the mass matrix makes any
    // Hessian definite.
    bool frames_weigh;
    // Inertia that the matrix has beyond that of the step, over it: it makes Newton steps shorter, and their
    // convergence linear (Levenberg and Marquardt).
    double extra_inertia;
    double resistance; // factor of NewtonRod.indifferent; above 1 Newton's method converges linearly
    bool right_only;   // assemble the right-hand side only; keep the factored matrix
    bool symmetric;    // assemble the symmetric part only of unsymmetric terms: the matrix is factored as
                       // symmetric
    bool only_shift;   // leave forces out: only prescribed shifts drive the system
    double rate_step;  // with only_shift: add the rates of loads, by finite difference over this time [s]; 0:
                       // none
    NewtonRod* rods;
    int rod_count;
    NewtonBody* bodies;
    int body_count;
    const Joins* joins; // NULL: a single rod
    CordVec3* carried;  // force on each carried node at the last assembly of forces (tie_count)
    SparseLdu* blocks;
    double* r; // right-hand side of the block system, then its solution
    // A system of several islands: all rods and bodies are in its arrays, of which the parts have their
    // shares. Bodies in no part come last.
    NewtonSystem* parts; // (part_count)
    int part_count;
    const NewtonCoupling* coupling; // NULL: a single island
    void* coupled;
    int held;   // motions that the coupling takes away, at the last factoring
    bool given; // the right-hand side is that of newton_put_right, and not a residual
};

// Backward Euler takes loads at the end of a step.
static inline double newton_load_time(const NewtonSystem* sys)
{
    return sys->reach > 0.0 && !sys->midpoint ? time_just_before(sys->time) : sys->time;
}

// Opens a single rod, or an assembly with its joins.
size_t newton_scratch(const Island* island);
void newton_open(NewtonSystem* sys, const Island* island, bool tensions, Arena* scratch);

// What a solve takes as one system: an island, or several that are coupled with bodies beside them.
typedef struct NewtonGroup {
    const Island* islands; // (island_count); one, if there is no coupling
    int island_count;
    Body* const* bodies; // bodies without welds (body_count)
    int body_count;
    const NewtonCoupling* coupling; // NULL: none
    void* coupled;
} NewtonGroup;

// newton_group.c. Tensions are unknowns of every rod.
size_t newton_group_scratch(const NewtonGroup* group);
void newton_open_group(NewtonSystem* sys, const NewtonGroup* group, Arena* scratch);
int newton_group_rods(const NewtonGroup* group);
int newton_group_bodies(const NewtonGroup* group);

void newton_assemble(NewtonSystem* sys); // Jacobian, right-hand side and residual forces at y

NewtonPivots newton_factor(NewtonSystem* sys, bool symmetric);
// Number of tensions that are unknowns. At a stable equilibrium exactly as many pivots are negative (inertia
// of the KKT matrix: Nocedal and Wright, Numerical Optimization).
int newton_tensions(const NewtonSystem* sys);

bool newton_is_skew(const NewtonSystem* sys); // whether a load with an unsymmetric stiffness acts

// Assembles and factors in one pass where newton_can_stream allows it: for an implicit step, and without
// storing the residual forces.
bool newton_can_stream(const NewtonSystem* sys);
NewtonPivots newton_stream(NewtonSystem* sys, bool symmetric);

bool newton_solve(NewtonSystem* sys); // writes the Newton step to move; false: singular
// In a step without contact, whose friction may turn frames: a round rod whose frames nothing holds does not
// turn about itself.
void newton_stop_idle_turns(NewtonSystem* sys);
void newton_put_right(NewtonSystem* sys);            // takes the right-hand side from force
void newton_put_length_residuals(NewtonSystem* sys); // takes the length residuals as the right-hand side

// Largest entry of the Newton step: positions over edge length, angles in radians; NAN if any is NAN.
double newton_change(const NewtonSystem* sys);
// Of positions alone. Frames of a rod that nothing keeps from twisting are determined only up to round-off,
// and never converge.
double newton_position_change(const NewtonSystem* sys);
double newton_turning(const NewtonSystem* sys); // largest rotation of an edge, frame or body [rad]
// Moves y, tensions and bodies by a fraction of the Newton step. Frames follow.
void newton_move(NewtonSystem* sys, double share);
void newton_shift_bodies(NewtonSystem* sys, double share); // bodies and their carried nodes only
Pose newton_moved_pose(const NewtonBody* b, bool midpoint, double share); // pose after a share of the step
// Vectors at the end of the step, or at rest: from one node to another, by slot, and of an edge.
CordVec3 newton_chord(const NewtonSystem* sys, const NewtonRod* r, int from, int to);
CordVec3 newton_edge_vector(const NewtonSystem* sys, const NewtonRod* r, int slot);
void newton_move_body(NewtonBody* b, bool midpoint, double share); // the pose, and what is gone
void newton_free_body(NewtonBody* b);                              // displacements count from here on
// Sets `push` to the body's weight and the loads on it at `time`, and `push_rate` to their rate by finite
// difference over `rate_step` [s]; 0: none. `loads` may be NULL.
void newton_push_body(NewtonBody* b, CordVec3 gravity, const Slots* loads, double time, double rate_step);
void newton_carry(NewtonSystem* sys); // puts carried nodes where their bodies have them
// Adds the spin forces of the present iterate to `start`.
void newton_add_spin_forces(NewtonSystem* sys);
// Hardly anything may resist that all frames of a flat rod turn, and the least curvature may favour that they
// turn far, which is no convex problem. Where an iteration is slow because of such turns, the small stiffness
// against them (indifferent) is raised until they are short, and lowered while they are (Levenberg and
// Marquardt). It does not act on the solution. `change` is that of this Newton step, `before` of the last.
typedef enum NewtonTurns {
    NEWTON_TURNS_FAST, // nothing was changed
    NEWTON_TURNS_SLOW, // the step may be taken, and more iterations are needed
    NEWTON_TURNS_FAR,  // the step must not be taken
} NewtonTurns;
NewtonTurns newton_adapt_resistance(NewtonSystem* sys, double change, double before);
// Transports the frames to y and turns them by a fraction of the Newton step.
void newton_follow(NewtonSystem* sys, double share);

bool newton_is_carried(const NewtonRod* rod, int slot); // whether a body carries the node
bool newton_is_rigid(const NewtonRod* rod, int slot);   // whether one body carries the whole edge
// Whether a sliding clamp holds both ends of the edge.
bool newton_slides_as_one(const NewtonRod* rod, int slot);
// Rotary inertia of the frame of the edge after the slot's node [kg m^2].
double newton_turn_inertia(const NewtonSystem* sys, const NewtonRod* rod, int slot);
double newton_mass(const NewtonSystem* sys); // total mass of rods and bodies [kg]

#endif
