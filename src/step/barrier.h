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

typedef struct TouchRod { // a rod among the colliders, in its system
    System* sys;
    SystemRod* rod;
} TouchRod;

typedef struct TouchBody { // a solid among the colliders that is a body
    int solid;
    SystemBody* body; // in a system, or the one below
    SystemBody loose; // of a body that nothing is welded to
    bool is_loose;
} TouchBody;

struct Touching {
    Colliders colliders;
    ContactPoints contacts;  // as they are now
    ContactPoints ahead;     // as they would be
    FrictionAnchors anchors; // since the start of the step
    ContactLaw law;
    FrictionLaw friction;
    Memory* memory;
    System* systems; // (system_count)
    int system_count;
    TouchRod* rods; // (colliders.rod_count)
    int rod_capacity;
    Body** solid_bodies; // whose solid it is; NULL: an obstacle's (colliders.solid_count)
    int solid_capacity;
    TouchBody* bodies; // (body_count)
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
    TouchRow* rows;
    int row_count, row_capacity;
    bool is_whole; // solved as a whole
    Whole whole;
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
bool touching_is_in_whole(const Touching* t, int system); // intangible rods are not
// move := their force over their inertia, of bodies that nothing is welded to
void touching_answer_loose(Touching* t);
void touching_place(Touching* t, double share); // the colliders' `to` := y, moved by a share of the solution
bool touching_reserve(Memory* m, void** array, int count, int* capacity, size_t size); // false: no memory

// At the start of a step, with rods and solids among the colliders, these with where they begin and where
// they are to be.
bool touching_begin(Touching* t, Memory* m, System* systems, int count, double mass); // false: no memory
void touching_free(Memory* m, Touching* t);

void touching_take(Touching* t); // the colliders' `to` := where the systems' y are
// the share of the way to there, and of solids to their goals, that leaves gaps open
double touching_set_out(Touching* t);
bool touching_is_near(Touching* t); // is anything near anything, on the way from `from` to `to`?
// The share of the way from y along the solution that leaves gaps open.
double touching_reach(Touching* t, double share);
// less of it, so that nothing goes deep into a barrier of which the slopes do not know yet
double touching_temper(Touching* t, double share);
// y has gone this share of the way: things set out from there now
void touching_step(Touching* t, double share);

// bodies that nothing is welded to go by a share of the solution
void touching_move_loose(Touching* t, double share);
void touching_go_part(Touching* t, double share); // or back to a share of the way that they flew
double touching_change(const Touching* t);        // how far they turn

// finds touches at y, then assembles and factors all systems; false: singular, or no memory
bool touching_assemble(Touching* t);
bool touching_solve(Touching* t); // into the systems' moves
// Adds to them what makes up for gaps that close faster along them than their slopes tell. False: nothing
// touches, or it cannot.
bool touching_correct(Touching* t);
// does anything pass through anything on the straight way from the start of the step to y?
bool touching_has_passed(Touching* t);
bool touching_end(Touching* t); // touches and slips at y, where the step ends; false: no memory

#endif
