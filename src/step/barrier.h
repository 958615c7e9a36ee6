// Contact in Newton's method: what the barrier and friction add to the equations of implicit steps and static
// solves, and the solution of what they make of them.
//
// Contact points with solids that do not move by themselves stay within the band of a rod and are added to
// it. Those of rods with each other, or with bodies, do not: (A + G K G') x = r, where A is banded, G has a
// row for each direction in which something pushes and K its stiffness. x = A^-1 (r - G D y), D^2 = K, with
// (1 + D G' A^-1 G D) y = D G' A^-1 r by conjugate gradients: the band's factors are the preconditioner, and
// the iteration runs in the space of the touches alone. Where they are few, the matrix there is made as a
// whole: then A need not be definite by itself, as it is not in a tight knot.
#ifndef CORD_STEP_BARRIER_H
#define CORD_STEP_BARRIER_H

#include "contact/friction.h"
#include "step/angular_momentum.h"
#include "step/barrier_sparse.h"

typedef struct BarrierRod { // a rod among the colliders, in its system
    NewtonSystem* sys;
    NewtonRod* rod;
} BarrierRod;

typedef struct BarrierBody { // a solid among the colliders that is a body
    int solid;
    NewtonBody* body; // in a system, or the one below
    NewtonBody loose; // of a body that nothing is welded to
    bool is_loose;
} BarrierBody;

struct BarrierSolver {
    Colliders colliders;
    ContactPoints contacts;  // as they are now
    ContactPoints ahead;     // as they would be
    FrictionAnchors anchors; // since the start of the step
    ContactLaw law;
    FrictionLaw friction;
    Memory* memory;
    NewtonSystem* systems; // (system_count)
    int system_count;
    BarrierRod* rods; // (colliders.rod_count)
    int rod_capacity;
    Body** solid_bodies; // whose solid it is; NULL: an obstacle's (colliders.solid_count)
    int solid_capacity;
    BarrierBody* bodies; // (body_count)
    int body_count, body_capacity;
    Party* parties; // of systems, then of bodies (system_count + body_count)
    int party_capacity;
    double mass; // what a mass counts for in the equations [1/s^2]
    DofVector force, move;
    size_t force_size, move_size;
    double*
        stiff; // what solids add to a segment: both nodes and the angle, 7 x 7 (49 colliders.segment_count)
    bool* is_stiff; // (colliders.segment_count)
    int stiff_capacity, is_stiff_capacity;
    BarrierRow* rows;
    int row_count, row_capacity;
    bool is_sparse; // solved as a whole
    SparseSystem sparse;
    double* cg; // vectors of rows, or a matrix of them (cg_capacity)
    int cg_capacity;
    double secant; // of friction: see friction_anchor_stiffness
    // the matrix has all of the second derivatives: best near the solution, while far from it what is
    // negative leads astray
    bool curved;
    bool no_memory;
    int iterations; // of Newton's method, in the last step
    int64_t iterations_in_all;
};

#define TOUCH_DIRECT_MOST 200 // rows for which their matrix is made

// Shared with touch_rows.c alone.
bool barrier_is_in_sparse(const BarrierSolver* t, int system); // intangible rods are not
// move := their force over their inertia, of bodies that nothing is welded to
void barrier_answer_loose(BarrierSolver* t);
void barrier_place(BarrierSolver* t,
                   double share); // the colliders' `to` := y, moved by a share of the solution
bool barrier_reserve(Memory* m, void** array, int count, int* capacity, size_t size); // false: no memory

// At the start of a step, with rods and solids among the colliders, these with where they begin and where
// they are to be.
bool barrier_begin(BarrierSolver* t, Memory* m, NewtonSystem* systems, int count,
                   double mass); // false: no memory
void barrier_free(Memory* m, BarrierSolver* t);

void barrier_measure(BarrierSolver* t); // the colliders' `to` := where the systems' y are
// the share of the way to there, and of solids to their goals, that leaves gaps open
double barrier_first_share(BarrierSolver* t);
bool barrier_is_near(BarrierSolver* t); // is anything near anything, on the way from `from` to `to`?
// The share of the way from y along the solution that leaves gaps open.
double barrier_reach(BarrierSolver* t, double share);
// less of it, so that nothing goes deep into a barrier of which the slopes do not know yet
double barrier_temper(BarrierSolver* t, double share);
// y has gone this share of the way: things set out from there now
void barrier_step(BarrierSolver* t, double share);

// bodies that nothing is welded to go by a share of the solution
void barrier_move_loose(BarrierSolver* t, double share);
void barrier_go_share(BarrierSolver* t, double share); // or back to a share of the way that they flew
double barrier_change(const BarrierSolver* t);         // how far they turn

// finds touches at y, then assembles and factors all systems; false: singular, or no memory
bool barrier_assemble(BarrierSolver* t);
bool barrier_solve(BarrierSolver* t); // into the systems' moves
// Adds to them what makes up for gaps that close faster along them than their slopes tell. False: nothing
// touches, or it cannot.
bool barrier_correct(BarrierSolver* t);
// does anything pass through anything on the straight way from the start of the step to y?
bool barrier_has_passed(BarrierSolver* t);
bool barrier_end(BarrierSolver* t); // touches and slips at y, where the step ends; false: no memory

#endif
