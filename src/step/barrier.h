// Contact barriers and friction inside Newton's method, for implicit steps (Incremental Potential Contact, Li
// et al. 2020), and the solution of the linear systems with them.
//
// Contact with solids that do not move freely stays within the band of one rod and is added to its matrix.
// Contact between rods, or with bodies, couples bands: (A + G K G^T) x = r, where A is banded, G has a column
// for each contact direction, and K holds the stiffnesses. By the Woodbury identity x = A^-1 (r - G D y) with
// D^2 = K and (1 + D G^T A^-1 G D) y = D G^T A^-1 r. Conjugate gradients solve for y, with the factors of the
// band as the preconditioner, in the small space of the contacts. If there are few contacts, that matrix is
// formed and factored densely; then A need not be positive definite by itself, and in a tight knot it is not.
#ifndef CORD_STEP_BARRIER_H
#define CORD_STEP_BARRIER_H

#include "contact/friction.h"
#include "step/angular_momentum.h"
#include "step/barrier_sparse.h"

typedef struct BarrierRod { // a rod of the colliders, in its Newton system
    NewtonSystem* sys;
    NewtonRod* rod;
} BarrierRod;

typedef struct BarrierBody { // a solid of the colliders that belongs to a body
    int solid;
    NewtonBody* body;     // in a Newton system, or `free_body`
    NewtonBody free_body; // a body without welds has its own unknowns here
    bool is_free;
    CordVec3 origin; // of the body's system: its pose is relative to it [m]
} BarrierBody;

struct BarrierSolver {
    Colliders colliders;
    ContactPoints contacts;  // at the current iterate
    ContactPoints ahead;     // at the trial positions
    FrictionAnchors anchors; // at the start of the step
    ContactLaw law;
    FrictionLaw friction;
    Memory* memory;
    NewtonSystem* systems; // (system_count)
    int system_count;
    BarrierRod* rods; // (colliders.rod_count)
    int rod_capacity;
    Body** solid_bodies; // owner of each solid; NULL: an obstacle (colliders.solid_count)
    int solid_capacity;
    BarrierBody* bodies; // (body_count)
    int body_count, body_capacity;
    ContactIsland* islands; // of the systems, then of the bodies (system_count + body_count)
    int island_capacity;
    double mass; // factor of the masses in the equations, 1/h^2 [1/s^2]
    DofVector force, move;
    size_t force_size, move_size;
    // Contact stiffness from solids, for each segment: both nodes and the angle, 7 x 7
    // (49 colliders.segment_count).
    double* stiff;
    bool* is_stiff; // (colliders.segment_count)
    int stiff_capacity, is_stiff_capacity;
    BarrierRow* rows;
    int row_count, row_capacity;
    bool is_sparse; // one sparse matrix holds all systems
    SparseSystem sparse;
    double* cg; // vectors of conjugate gradients, or the dense matrix (cg_capacity)
    int cg_capacity;
    double secant; // blend of friction stiffness: see friction_anchor_stiffness
    // The matrix has all second derivatives of contact. They help near the solution; far from it the negative
    // ones point in wrong directions.
    bool curved;
    bool no_memory;
    int iterations; // Newton iterations of the last step
    int64_t iterations_in_all;
};

#define MOST_DENSE_ROWS 200 // rows up to which the matrix of the contacts is formed densely

// Shared with barrier_solve.c and barrier_sparse.c.
bool barrier_is_in_sparse(const BarrierSolver* t, int system); // rods without contact are not in it
// Sets move = inertia^-1 force for bodies without welds.
void barrier_solve_free_bodies(BarrierSolver* t);
// Sets the colliders' `to` to the current iterate, moved by a share of the Newton step.
void barrier_place_trial(BarrierSolver* t, double share);
// Makes room for `count` elements, but does not keep those of a smaller array. False: no memory.
bool barrier_reserve(Memory* m, void** array, int count, int* capacity, size_t size);

// Starts a step. The colliders must hold the rods, and the solids with their poses at the start and the end
// of the step. False: no memory.
bool barrier_begin(BarrierSolver* t, Memory* m, NewtonSystem* systems, int count, double mass);
void barrier_free(Memory* m, BarrierSolver* t);

// Sets the colliders' `to` to the end of the step that belongs to the systems' y.
void barrier_update_positions(BarrierSolver* t);
// The share of the motion to `to`, and of the solids to their end poses, that keeps all gaps open (time of
// impact). 0 with no_memory set: no memory.
double barrier_prediction_limit(BarrierSolver* t);
// Is any pair within barrier reach at the start or the end of the step, or does it collide on the motion from
// `from` to `to`? Also true if there is no memory.
bool barrier_is_near(BarrierSolver* t);
// The share of the Newton step, at most `share`, that keeps all gaps open.
double barrier_step_limit(BarrierSolver* t, double share);
// Reduces a share so that no contact enters deep into a barrier whose stiffness the step did not see.
double barrier_limit_depth(BarrierSolver* t, double share);
// Call after y moved by a share of the step: `from` becomes the new positions.
void barrier_accept_step(BarrierSolver* t, double share);

// Moves bodies without welds by a share of the Newton step.
void barrier_move_free_bodies(BarrierSolver* t, double share);
// Sets move to the motion since the start of the step. The pose is relative to `origin`.
void barrier_set_body_motion(NewtonBody* b, CordVec3 origin);
// Moves them back to a share of their predicted motion.
void barrier_rewind_free_bodies(BarrierSolver* t, double share);
double barrier_body_rotation(const BarrierSolver* t); // largest rotation in the Newton step [rad]

// Finds the contacts at y, then assembles and factors all systems. False: singular, or no memory.
bool barrier_assemble(BarrierSolver* t);
bool barrier_solve(BarrierSolver* t); // writes the Newton step into the systems' moves
// Second-order correction: adds to the step what compensates gaps that close faster than their linearisation.
// False: there is no contact, or the solve failed.
bool barrier_correct(BarrierSolver* t);
// Does anything pass through anything on the straight motion from the start of the step to y?
bool barrier_tunnels(BarrierSolver* t);
// Finds contacts and friction slips at the end of the step. False: no memory.
bool barrier_end(BarrierSolver* t);

#endif
