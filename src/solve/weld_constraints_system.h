// The equations behind welds.h: one iteration of Newton's method for an assembly. A step solves them for
// motions over the step, a query for velocities or accelerations.
#ifndef CORD_SOLVE_WELD_CONSTRAINTS_SYSTEM_H
#define CORD_SOLVE_WELD_CONSTRAINTS_SYSTEM_H

#include "solve/assembly.h"
#include "solve/rattle_rows.h"

typedef struct TieWork { // a node that a body carries
    CordVec3 x;          // of the node at the start
    CordVec3 arm;        // from the body's centre to it, at the start
    CordVec3 arm_now;    // as the step leaves it so far
    CordVec3 arm_then;   // as it was when the matrix was made
    CordVec3 carried;    // how far the body moves it
    CordVec3 own;        // how far it moves by itself, before welds and multipliers
    CordVec3 gap;        // from where all of its own motion takes it to where the body has it
    CordVec3 push;       // of the body on it: moves it by push / mass
    CordVec3 pull;       // of the multipliers' changes on it, in this iteration
} TieWork;

typedef struct RodWork { // inextensible rods alone
    Rattle l;
    double* w;      // inverse masses, carried nodes held (slot_count)
    double* lambda; // multipliers so far (slot_count)
} RodWork;

#define WELDS_STRIDE 8 // of a row of six in the bodies' matrix: see sparse_ldu_stride

typedef struct ChainWork {          // what the bodies see of a chain; by port
    double pull[2][6];              // what a unit of the multiplier beside a port does to the body
    double pulled[2][WELDS_STRIDE]; // how the body's motion changes the edge's length; the rest is 0
    // of the multiplier beside the first port to what is asked of the edge beside the second
    double answer[2][2];
    double own[2]; // change of the multiplier, were the bodies held
    double by[2];  // what the bodies' motion asks of the edge
} ChainWork;

typedef struct BodyWork {
    CordBodyState at;         // as the step leaves it so far
    double mass;              // with the nodes it carries
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
    double* change;    // of the multipliers of the rod last worked on, by slot
    CordVec3** by_rod; // in queries: velocities or accelerations, by node of each rod
} WeldsWork;

WeldsWork welds_open(const Assembly* a, double h, Arena* scratch); // all but the rods' own part,
void welds_open_rod(WeldsWork* w, int rod, Arena* scratch);        // which is this
// an array by slot for any of the rods, all zero
double* welds_push_longest(const Assembly* a, Arena* scratch);

// A body at one end, and a body or a clamp at the other: no node gives way, and the rod by itself takes the
// edge for held.
static inline bool port_is_direct(const WeldsWork* w, const Chain* chain, int port)
{
    const double* held = w->rods[chain->rod].w;
    int s = chain->port[port].slot;
    return held[s] + held[s + 1] == 0.0;
}

// What body and multipliers do to a tied node so far: moves it by that over its mass.
static inline CordVec3 tie_pushed(const WeldsWork* w, int t)
{
    const Tie* tie = &w->a->ties[t];
    const RodWork* rod = &w->rods[tie->rod];
    CordVec3 pushed = w->ties[t].push;
    if (w->a->rods[tie->rod]->inextensible) {
        int s = tie->slot;
        pushed = vec3_madd(pushed, slot_get(rod->l.a.d, s), rod->lambda[s]);
        pushed = vec3_madd(pushed, slot_get(rod->l.a.d, s - 1), -rod->lambda[s - 1]);
    }
    return pushed;
}

static inline CordVec3 tie_own(const WeldsWork* w, int t) // where its own motion takes a tied node
{
    return vec3_madd(w->ties[t].own, tie_pushed(w, t), 1.0 / w->a->ties[t].mass);
}

// An iteration, with the matrix made anew (fresh) or as it was. Each rod is worked on for as long as possible
// before the next: the arrays of one fit into the cache, those of all may not. First each rod: its residuals
// and, if need be, its rows must be there. Then the bodies, as they are in `at`, with the gaps of ties; that
// adds to the ties' pushes, and says what these do to each body. Then each rod's multipliers follow. False:
// there is no answer.
bool welds_reduce_rod(WeldsWork* w, int rod, bool fresh);
bool welds_solve(WeldsWork* w, bool fresh);
void welds_follow_rod(WeldsWork* w, int rod);

#endif
