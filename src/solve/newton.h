// The equations of rods and bodies that hang together, for Newton's method: forces at positions y that are
// looked for, with frames and tensions, and their derivatives. Implicit steps and static solves are made of
// it. A rod by itself is a system of one rod and no bodies.
#ifndef CORD_SOLVE_NEWTON_H
#define CORD_SOLVE_NEWTON_H

#include "model/framed/framed.h"
#include "solve/joins.h"

typedef struct SystemTouch { // what contact adds; NULL: nothing
    const CordVec3* push;    // on nodes [N] (node_count)
    const double* torque;    // on frames [N m] (edge_count)
    const double* stiff;     // of edges: both nodes and the angle between them, row-major (49 edge_count)
    const bool* is_stiff;    // is there any? (edge_count)
} SystemTouch;

typedef struct SystemRod { // arrays by slot
    Rod* rod;
    double* y[3];     // positions looked for
    double* start[3]; // where inertia alone would bring them
    double* n;        // tension [N]
    double* turned;   // by how much frames have been turned so far
    Move shift;       // by how much held nodes and frames are to move
    Move force;       // forces that are left
    Move move;        // the solution
    Move kept;        // the one before contact
    Move first;       // the one before gaps were looked at again
    SystemTouch touch;
    double indifferent; // stiffness against turns of frames that cost nothing [N m]
    double* soft;       // rest length over EA; 0: inextensible [m/N]
    double* weight;     // mass of a node [kg]
    double* slack;      // give of tensions [m/N]
    const Clamp** held; // what holds or carries each node; NULL: nothing (node_count)
    CornerTerms terms;
    Strand* strands;
    int strand_count;
} SystemRod;

typedef struct SystemBody { // vectors of six: shift, then turn
    Body* body;
    CordBodyInertia inertia;
    Pose before;         // at the start of the step
    Pose pose;           // looked for: at the end of the step, or where it is to rest
    double gone[6];      // how far y has moved on, so far, from where the body alone would be
    double force[6];     // that is left: force, torque
    double own[6];       // the part of it that no strand brings
    double push[6];      // from outside: weight, loads
    double push_rate[6]; // how it changes with time, while rates are asked for
    double move[6];      // the solution
    double kept[6];      // the one before contact
    double first[6];     // the one before gaps were looked at again
    double touch[6];     // of contact: force, torque
} SystemBody;

typedef struct System {
    double time; // at which loads and held frames are taken [s]
    CordVec3 gravity;
    bool midpoint; // y is halfway to the new positions: see implicit.h
    double mass;   // what a mass counts for in the equations [1/s^2]
    double reach;  // y - x over velocity [s]; 0: at rest
    // stiffness along edges whose tension is an unknown, relative to that across; changes no solution, but
    // keeps pivots from zero
    double augment;
    // at rest, frames that have no inertia are given one, so that masses can make any matrix definite
    bool frames_weigh;
    bool right_only; // assembling makes the right-hand side alone: the matrix stays as it was factored
    bool symmetric; // the matrix will be factored as one that is: of what is not, the symmetric part is taken
    bool only_shift;  // leave forces out: what moves is what is shifted
    double rate_step; // with it: and the rates of loads, by their difference over this time [s]; 0: none
    SystemRod* rods;
    int rod_count;
    SystemBody* bodies;
    int body_count;
    const Joins* joins; // NULL: one rod by itself
    CordVec3* carried;  // force on each carried node, as it was when forces were last assembled (tie_count)
    SparseLdu* blocks;
    double* r; // right-hand side of the blocks, then solution
} System;

// A lone rod, or an assembly with its joins.
size_t system_scratch(Rod* rod, const Joins* joins);
void system_open(System* sys, Rod* rod, const Joins* joins, bool tensions, Arena* scratch);

void system_assemble(System* sys); // matrix and right-hand side at y; forces that are left

typedef struct SystemPivots {
    int negative;
    double least; // 0: singular
} SystemPivots;

SystemPivots system_factor(System* sys, bool symmetric);
// unknowns of its own: as many pivots are negative where the energy goes down in no direction
int system_tensions(const System* sys);

bool system_is_skew(const System* sys); // does a load act whose stiffness is not symmetric?

// Both in one go, where it can: for an implicit step, and without the forces that are left.
bool system_can_stream(const System* sys);
SystemPivots system_stream(System* sys, bool symmetric);

bool system_solve(System* sys);      // into move; false: singular
void system_put_right(System* sys);  // a right-hand side of one's own: what stands in force
void system_put_misses(System* sys); // lengths that are off what the tensions ask for, alone

// the largest of the solution: positions by edge length, angles as they are; NAN if any is
double system_change(const System* sys);
double system_turning(const System* sys); // likewise, but of edges: how far they turn
// y, tensions and bodies go by a share of the solution; frames follow
void system_move(System* sys, double share);
void system_shift_bodies(System* sys, double share); // bodies alone, and the nodes that they carry
Pose system_moved_pose(const SystemBody* b, bool midpoint, double share); // by a share of the solution
void system_carry(System* sys);                // those nodes to where the bodies have them
void system_follow(System* sys, double share); // frames alone: to y, and turned by a share of the solution

bool system_is_carried(const SystemRod* rod, int slot); // by a body
bool system_is_rigid(const SystemRod* rod, int slot);   // does one body carry the whole edge?
// does a clamp that slides hold both ends of the edge?
bool system_slides_as_one(const SystemRod* rod, int slot);
// of the frame of the edge there [kg m^2]
double system_turn_inertia(const System* sys, const SystemRod* rod, int slot);
double system_mass(const System* sys); // of rods and bodies [kg]

#endif
