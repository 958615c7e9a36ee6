// Contacts inside Newton's method, for implicit steps and equilibria: non-penetration and Coulomb friction
// hold exactly at the end of the step.
//
// At each iterate the step and the gaps are linearised, A d = r + J' f, and the contact forces f are found
// together with the Newton step d:
//
//   0 <= f_n  _|_  gap + n.(J d) >= 0,    |f_t| <= mu f_n,    sliding: f_t = -mu f_n u_t / |u_t|
//
// where u_t is the tangential motion of the whole step. A proximal term 1/rho makes the forces unique where
// contacts are redundant: it adds (f - f') / rho to the motion J d, with the forces f' of the iterate before, and
// vanishes as the iterates converge (augmented Lagrangian).
//
// Semismooth Newton iterations solve for f (Alart and Curnier 1991), with the natural map f = P(f - v / w) onto
// the friction cone and a line search on its residual. For open rods and free bodies each of them is one sparse
// matrix A + J' C J, with an unsymmetric block C for each contact. Where these do not converge, and with rings
// or welds, the contacts are solved in their own space, W = J A^-1 J' (barrier_dense.h).
#ifndef CORD_STEP_BARRIER_H
#define CORD_STEP_BARRIER_H

#include "contact/friction.h"
#include "contact/warm_start.h"
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

typedef enum ContactState { CONTACT_OPEN, CONTACT_STICKS, CONTACT_SLIDES } ContactState;

typedef struct NewtonContactPoint { // the law of one contact point, linearised at the iterate
    double rho;           // 1 / proximal term [N/m]
    double gap;           // at the iterate, less the overlap at the start of the step [m]
    CordVec3 slip;        // tangential motion from the start of the step to the iterate [m]
    double normal_before; // forces of the iterate before [N]
    CordVec3 friction_before;
    DensePoint law;       // with the compliance of the nodes
    double f[3], v[3];    // force and motion in its axes, as solved for so far; see barrier_dense.h
    double f_next[3], v_next[3];
    CordVec3 u;     // J d: motion of the surfaces by the Newton step d [m]
    CordVec3 force; // on a at the end of the iteration, within the friction cone [N]
    CordVec3 g;     // constant part of the linearised force: g - C u [N]
    double C[9];    // -df/du [N/m]
    ContactState state;
} NewtonContactPoint;

struct BarrierSolver {
    Colliders colliders;
    ContactPoints contacts; // at the current iterate
    NewtonContactPoint* points; // (contacts.count)
    int point_capacity;
    WarmStarts warm;  // forces at the end of the last step
    WarmStarts last;  // forces of the last iterate
    ContactLaw law;
    CordVec3* shape; // at which sagittas are measured anew (colliders.node_count)
    int shape_capacity;
    FrictionLaw friction;
    double tolerance; // largest overlap, over the radius
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
    bool is_sparse; // one sparse matrix holds all systems
    SparseSystem sparse;
    double* dense; // W, the matrix of the contacts, and vectors (dense_capacity)
    int dense_capacity;
    CordVec3* step; // the last Newton step of the nodes (colliders.node_count)
    int step_capacity;
    bool has_step;
    bool is_close; // to the solution: contact forces must be exact
    bool is_hard; // the states of contacts did not settle in this step
    double left;  // residual of the contacts
    bool curved; // the matrix has the second derivatives of gaps: they help near the solution
    bool no_memory;
    int iterations; // Newton iterations of the last step
    int64_t iterations_in_all;
    int64_t solves_in_all; // linear systems
};

// Shared with barrier_solve.c and barrier_sparse.c.
bool barrier_is_in_sparse(const BarrierSolver* t, int system); // rods without contact are not in it
CordVec3 barrier_mul(const double C[9], CordVec3 u); // C u
// Sets move = inertia^-1 force for bodies without welds.
void barrier_solve_free_bodies(BarrierSolver* t);
// Makes room for `count` elements, but does not keep those of a smaller array. False: no memory.
bool barrier_reserve(Memory* m, void** array, int count, int* capacity, size_t size);

// Starts a step. The colliders must hold the rods, and the solids with their poses at the start and the end
// of the step. False: no memory.
bool barrier_begin(BarrierSolver* t, Memory* m, NewtonSystem* systems, int count, double mass);
void barrier_free(Memory* m, BarrierSolver* t);

// Sets the colliders' `to` to the end of the step that belongs to the systems' y.
void barrier_update_positions(BarrierSolver* t);
// The share of the motion to `to`, and of the solids to their end poses, that brings nothing closer than half
// of its touching distance. 0 with no_memory set: no memory.
double barrier_prediction_limit(BarrierSolver* t);
// Did any pair push in the last step, or does it touch on the motion from `from` to `to`? Also true if there
// is no memory.
bool barrier_is_near(BarrierSolver* t);
// The product of this Newton step with the last one, over the square of the last one; 0 after the first.
double barrier_step_ratio(BarrierSolver* t);
// The same share of the Newton step, at most `share`.
double barrier_step_limit(BarrierSolver* t, double share);
// Call these after y moved by a share of the step: the contact forces follow, and `from` becomes the new
// positions.
void barrier_update_forces(BarrierSolver* t, double share);
void barrier_accept_step(BarrierSolver* t, double share);

// Moves bodies without welds by a share of the Newton step.
void barrier_move_free_bodies(BarrierSolver* t, double share);
// Sets move to the motion since the start of the step. The pose is relative to `origin`.
void barrier_set_body_motion(NewtonBody* b, CordVec3 origin);
// Moves them back to a share of their predicted motion.
void barrier_rewind_free_bodies(BarrierSolver* t, double share);
double barrier_body_rotation(const BarrierSolver* t); // largest rotation in the Newton step [rad]

// Finds the contacts at y, and assembles all systems. False: singular, or no memory.
bool barrier_assemble(BarrierSolver* t);
// Solves for the Newton step, into the systems' moves, together with the contact forces. False: singular.
bool barrier_solve(BarrierSolver* t);
// Does anything pass through anything on the straight motion from the start of the step to y?
bool barrier_tunnels(BarrierSolver* t);
// Finds the contacts at the end of the step, with their forces. False: no memory.
bool barrier_end(BarrierSolver* t);
// Measures sagittas anew, at the positions that were found: the iteration goes on with them.
void barrier_renew_sagittas(BarrierSolver* t);
// After the step is accepted: its forces warm-start the next. False: no memory.
bool barrier_keep_forces(BarrierSolver* t);

#endif
