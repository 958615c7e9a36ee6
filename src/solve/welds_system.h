// The equations behind welds.h: one iteration of Newton's method for an assembly. A step solves them for motions over the step, a query
// for velocities or accelerations.
#ifndef CORD_SOLVE_WELDS_SYSTEM_H
#define CORD_SOLVE_WELDS_SYSTEM_H

#include "solve/assembly.h"
#include "solve/lengths_rows.h"

typedef struct TieWork { // a node that a body carries
    double mass;
    CordVec3 x;        // of the node at the start
    CordVec3 arm;      // from the body's centre to it, at the start
    CordVec3 arm_now;  // as the step leaves it so far
    CordVec3 arm_then; // as it was when the matrix was made
    CordVec3 carried;  // how far the body moves it
    CordVec3 own;      // how far it moves by itself, before welds and multipliers
    CordVec3 gap;      // from where all of its own motion takes it to where the body has it
    CordVec3 push;     // of the body on it: moves it by push / mass
} TieWork;

typedef struct RodWork { // inextensible rods alone
    Lengths l;
    double* w;      // inverse masses, carried nodes held (slot_count)
    double* lambda; // multipliers so far (slot_count)
    double* first;  // answer of a chain to its first edge (slot_count)
    double* last;   // to its last edge (slot_count)
} RodWork;

typedef struct ChainWork { // as the matrix was made
    double pull[2][6];     // what a unit of the multiplier beside a port does to the body
    double pulled[2][6];   // how the body's motion changes the edge's length
} ChainWork;

typedef struct BodyWork {
    CordBodyState at; // as the step leaves it so far
    double block[36]; // A: momentum and angular momentum at the start of the step, of a move and a turn at its end
    CordVec3 pushed, turned;  // what ties do to it in this iteration, about its centre
    CordVec3 linear, angular; // in queries: its velocities or accelerations
} BodyWork;

typedef struct WeldsWork {
    const Assembly* a;
    double h;
    RodWork* rods;
    ChainWork* chains;
    BodyWork* bodies;
    TieWork* ties;
    double* eta;       // how bodies move (6 body_count)
    CordVec3** by_rod; // in queries: velocities or accelerations, by node of each rod
} WeldsWork;

WeldsWork welds_open(const Assembly* a, double h, Arena* scratch);
double* welds_push_slots(const Rod* rod, Arena* scratch); // an array by slot, all zero

// Chains and their ports.
RodWork* chain_rod(const WeldsWork* w, const Chain* chain);
int port_slot(const WeldsWork* w, const Chain* chain, int port); // of the edge beside it
bool port_is_direct(const WeldsWork* w, const Chain* chain, int port);

CordVec3 tie_pull(const WeldsWork* w, const Tie* tie, bool changes); // of multipliers, or of changes of them, at a tied node
CordVec3 tie_own(const WeldsWork* w, int t);                         // where its own motion takes a tied node

// An iteration, with the matrix made anew (fresh) or as it was: begin, from the gaps of ties and the bodies as they are in `at`; add each
// rod, once its residuals and if need be its rows are there; solve. That changes multipliers and pushes, and says what this
// iteration's pushes do to each body. False: there is no answer, for this rod or for the bodies. Rod by rod, since the arrays of one fit
// into the cache, and those of all may not.
void welds_begin(WeldsWork* w, bool fresh);
bool welds_add_rod(WeldsWork* w, int rod, bool fresh);
bool welds_solve(WeldsWork* w, bool fresh);

#endif
