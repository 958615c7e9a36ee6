// The equations of weld_constraints.h: one iteration of Newton's method for an assembly. A step solves them
// for displacements over the step, a query for velocities or accelerations.
#ifndef CORD_SOLVE_WELD_CONSTRAINTS_SYSTEM_H
#define CORD_SOLVE_WELD_CONSTRAINTS_SYSTEM_H

#include "solve/assembly.h"
#include "solve/rattle_rows.h"

typedef struct TieWork { // a node that a body carries
    CordVec3 x;          // position of the node at the start
    CordVec3 arm;        // lever arm from the body's centre, at the start
    CordVec3 arm_now;    // lever arm at the present iterate
    CordVec3 arm_then;   // lever arm when the Jacobian was assembled
    CordVec3 carried;    // displacement with the body
    CordVec3 own;        // displacement without welds and multipliers
    CordVec3 gap;        // weld residual: displacement with the body minus that of the node itself
    CordVec3 push;       // constraint impulse of the body on it; displaces it by push / mass
    CordVec3 pull;       // impulse of the multipliers' changes in this iteration
} TieWork;

typedef struct RodWork { // used by inextensible rods only
    Rattle l;
    double* w;      // inverse masses; 0 at carried nodes (slot_count)
    double* lambda; // Lagrange multipliers so far (slot_count)
} RodWork;

#define WELDS_STRIDE 8 // stride of a row of six in the bodies' matrix: see sparse_ldu_stride

typedef struct ChainWork {          // Schur complement of a chain on its bodies; by port
    double pull[2][6];              // wrench on the body by a unit multiplier of the port's edge
    double pulled[2][WELDS_STRIDE]; // gradient of that edge's length constraint by the body's motion; padded
                                    // with 0
    // inverse entries: multiplier of the first port's edge by the residual of the second port's
    double inverse[2][2];
    double own[2]; // change of the multiplier if the bodies were held
    double by[2];  // residual that the bodies' motion adds to the edge
} ChainWork;

typedef struct BodyWork {
    CordBodyState at;         // state at the present iterate
    double mass;              // mass of the body and the nodes it carries
    CordVec3 pushed, turned;  // impulse and angular impulse of the ties in this iteration, about its centre
    CordVec3 linear, angular; // in queries: velocities or accelerations
} BodyWork;

typedef struct WeldsWork {
    const Assembly* a;
    double h;
    RodWork* rods;
    ChainWork* chains;
    BodyWork* bodies;
    TieWork* ties;
    double* eta;       // motion of the bodies (6 body_count)
    double* change;    // change of the multipliers of the last rod, by slot
    CordVec3** by_rod; // in queries: velocities or accelerations, by node of each rod
} WeldsWork;

WeldsWork welds_open(const Assembly* a, double h, Arena* scratch); // opens all but the rods,
void welds_open_rod(WeldsWork* w, int rod, Arena* scratch);        // which this opens
// A zeroed array by slot, long enough for any of the rods.
double* welds_push_longest(const Assembly* a, Arena* scratch);

// Whether the edge at a port has no free node: a body carries one end, and a body or a clamp holds the other.
// The rod's own rows then treat the edge as held.
static inline bool port_is_direct(const WeldsWork* w, const Chain* chain, int port)
{
    const double* held = w->rods[chain->rod].w;
    int s = chain->port[port].slot;
    return held[s] + held[s + 1] == 0.0;
}

// Total impulse of body and multipliers on a tied node: it displaces the node by this over its mass.
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

static inline CordVec3 tie_own(const WeldsWork* w, int t) // displacement of a tied node by itself
{
    return vec3_madd(w->ties[t].own, tie_pushed(w, t), 1.0 / w->a->ties[t].mass);
}

// One iteration in three phases, with a new Jacobian (fresh) or the last one. Each rod is worked on as long
// as possible before the next, because the arrays of one fit into the cache and those of all may not. First
// welds_reduce_rod, for each rod, condenses it onto its bodies; its residuals and, if fresh, its rows must be
// up to date. Then welds_solve solves for the bodies, whose states are in `at`, with the gaps of the ties. It
// adds to the ties' pushes and sums their effect on each body. Then welds_follow_rod updates each rod's
// multipliers. The first two return false if the matrix is singular.
bool welds_reduce_rod(WeldsWork* w, int rod, bool fresh);
bool welds_solve(WeldsWork* w, bool fresh);
void welds_follow_rod(WeldsWork* w, int rod);

#endif
