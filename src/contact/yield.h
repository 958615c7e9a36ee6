// How rods give way to contact that tell how: position-based ones, whose elasticity acts within the step.
// What pushes one node of such a rod moves all of it, and a stiff one far less than the node's mass says.
//
// For the nodes that are touched the model tells W, how the end of the step moves with what pushes there.
// Sweeps over the contacts then know what they do to each other, and a few rounds of sweeping, solving and
// measuring anew are a Newton method for the contacts of nonlinear rods. Each correction solves for push and
// drag of its contact at once, and meets friction's cone exactly: sticking, or sliding against the direction
// in which it slips.
#ifndef CORD_CONTACT_YIELD_H
#define CORD_CONTACT_YIELD_H

#include "contact/impulse.h"

// Nodes of a rod that may be touched, if it is to tell how it gives way: W has the square of four times as
// many entries.
#define YIELD_MOST_NODES 400
// Likewise, where every rod is by itself and many of them are looked at side by side.
#define YIELD_MOST_ALONE 150

typedef struct YieldRod {
    int first, count;          // of its nodes that are touched, among those of all rods
    int first_blow, last_blow; // that take part and have it as their a, among the order of all
    double* W;                 // see ModelResponse; NULL: what is pushed moves by its own mass alone
} YieldRod;

typedef struct YieldForce {
    double push;
    CordVec3 drag;
} YieldForce;

typedef struct Yield { // of a blow
    int rod[2];
    int place[4];                // of its nodes, among those of its rods that are touched
    CordVec3 across[2];          // unit, across the normal: the axes in which its give is diagonal
    double give, give_across[2]; // of the surfaces, along and across [1/kg]
    double aside[2];             // across, of a push along [1/kg]
    double gap;                  // as measured, less what is wanted [m]
    double slip[2];              // likewise, across [m]
    YieldForce at_first;         // of the blow then
    YieldForce before, way;      // of the last sweep, and the direction in which sweeps go on
} Yield;

typedef struct Yields {
    Yield* all; // (count of the blows)
    int* order; // blows that take part, by the rod that is their a (order_count)
    int order_count;
    YieldRod* rods; // (stage.rod_count)
    int* node;      // of their rods, touched (node_count)
    int* place;     // of the stage's nodes in their rods' (stage.node_count)
    int node_count;
    // By how much pushes have moved the nodes that are touched since they were measured: x, y, z and turn.
    // Likewise before the last sweep, and as sweeps go on (4 node_count).
    double *u, *u_before, *u_way;
    int yield_capacity, order_capacity, rod_capacity, node_capacity, place_capacity;
} Yields;

typedef struct YieldSweeps {
    int count;
    double change; // the largest in the first one, over the radius
} YieldSweeps;

typedef struct YieldBatch {    // what has to do with nothing else
    int first, last;           // blows [first, last) of the order
    int first_node, last_node; // touched
} YieldBatch;

// After a measure: which blows take part, those of rods that are busy, and what they touch. W and room for u
// are to be given then. False: no memory.
bool yields_find(Memory* m, Yields* y, const Blows* b, const Stage* st);
YieldBatch yields_all(const Yields* y);
YieldBatch yields_of_rod(const Yields* y, int rod);
void yields_weigh(const Yields* y, const Blows* b, YieldBatch batch); // with W as it is now
// Sweeps over a batch until the worst has less than `enough` of its radius left to go, or `most` times.
// `blind`: some of its rods do not tell, and so where sweeps lead is of no use.
YieldSweeps yields_sweep(const Yields* y, Blows* b, YieldBatch batch, double enough, int most, bool blind);
// displaces by a share of what they did
void yields_take(const Yields* y, Blows* b, YieldBatch batch, double share);
void yields_free(Memory* m, Yields* y);

#endif
