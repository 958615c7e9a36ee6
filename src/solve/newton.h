// The equations of rods and bodies that hang together, for Newton's method: forces at positions y that are
// looked for, with frames and tensions, and their derivatives. Implicit steps and static solves are made of
// it. A rod by itself is a system of one rod and no bodies.
#ifndef CORD_SOLVE_NEWTON_H
#define CORD_SOLVE_NEWTON_H

#include "model/framed/framed.h"
#include "solve/joins.h"

typedef struct NewtonContact { // what contact adds; NULL: nothing
    const CordVec3* push;      // on nodes [N] (node_count)
    const double* torque;      // on frames [N m] (edge_count)
    const double* stiff;       // of edges: both nodes and the angle between them, row-major (49 edge_count)
    const bool* is_stiff;      // is there any? (edge_count)
} NewtonContact;

typedef struct NewtonRod { // arrays by slot
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
    NewtonContact touch;
    double indifferent; // stiffness against turns of frames that cost nothing [N m]
    double* soft;       // rest length over EA; 0: inextensible [m/N]
    double* weight;     // mass of a node [kg]
    double* slack;      // give of tensions [m/N]
    const Clamp** held; // what holds or carries each node; NULL: nothing (node_count)
    CornerTerms terms;
    BandSystem* spans;
    int span_count;
} NewtonRod;

typedef struct NewtonBody { // vectors of six: shift, then turn
    Body* body;
    CordBodyInertia inertia;
    Pose before;         // at the start of the step
    Pose pose;           // looked for: at the end of the step, or where it is to rest
    double gone[6];      // how far y has moved on, so far, from where the body alone would be
    double force[6];     // that is left: force, torque
    double own[6];       // the part of it that no span brings
    double push[6];      // from outside: weight, loads
    double push_rate[6]; // how it changes with time, while rates are asked for
    double move[6];      // the solution
    double kept[6];      // the one before contact
    double first[6];     // the one before gaps were looked at again
    double touch[6];     // of contact: force, torque
} NewtonBody;

typedef struct NewtonSystem {
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
    NewtonRod* rods;
    int rod_count;
    NewtonBody* bodies;
    int body_count;
    const Joins* joins; // NULL: one rod by itself
    CordVec3* carried;  // force on each carried node, as it was when forces were last assembled (tie_count)
    SparseLdu* blocks;
    double* r; // right-hand side of the blocks, then solution
} NewtonSystem;

// A lone rod, or an assembly with its joins.
size_t newton_scratch(Rod* rod, const Joins* joins);
void newton_open(NewtonSystem* sys, Rod* rod, const Joins* joins, bool tensions, Arena* scratch);

void newton_assemble(NewtonSystem* sys); // matrix and right-hand side at y; forces that are left

typedef struct NewtonPivots {
    int negative;
    double least; // 0: singular
} NewtonPivots;

NewtonPivots newton_factor(NewtonSystem* sys, bool symmetric);
// unknowns of its own: as many pivots are negative where the energy goes down in no direction
int newton_tensions(const NewtonSystem* sys);

bool newton_is_skew(const NewtonSystem* sys); // does a load act whose stiffness is not symmetric?

// Both in one go, where it can: for an implicit step, and without the forces that are left.
bool newton_can_stream(const NewtonSystem* sys);
NewtonPivots newton_stream(NewtonSystem* sys, bool symmetric);

bool newton_solve(NewtonSystem* sys);      // into move; false: singular
void newton_put_right(NewtonSystem* sys);  // a right-hand side of one's own: what stands in force
void newton_put_misses(NewtonSystem* sys); // lengths that are off what the tensions ask for, alone

// the largest of the solution: positions by edge length, angles as they are; NAN if any is
double newton_change(const NewtonSystem* sys);
double newton_turning(const NewtonSystem* sys); // likewise, but of edges: how far they turn
// y, tensions and bodies go by a share of the solution; frames follow
void newton_move(NewtonSystem* sys, double share);
void newton_shift_bodies(NewtonSystem* sys, double share); // bodies alone, and the nodes that they carry
Pose newton_moved_pose(const NewtonBody* b, bool midpoint, double share); // by a share of the solution
void newton_carry(NewtonSystem* sys); // those nodes to where the bodies have them
void newton_follow(NewtonSystem* sys,
                   double share); // frames alone: to y, and turned by a share of the solution

bool newton_is_carried(const NewtonRod* rod, int slot); // by a body
bool newton_is_rigid(const NewtonRod* rod, int slot);   // does one body carry the whole edge?
// does a clamp that slides hold both ends of the edge?
bool newton_slides_as_one(const NewtonRod* rod, int slot);
// of the frame of the edge there [kg m^2]
double newton_turn_inertia(const NewtonSystem* sys, const NewtonRod* rod, int slot);
double newton_mass(const NewtonSystem* sys); // of rods and bodies [kg]

#endif
