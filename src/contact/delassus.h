// How rods give way to contact that tell how: position-based ones, whose elasticity acts within the step.
// What pushes one node of such a rod moves all of it, and a stiff one far less than the node's mass says.
//
// For the nodes that are touched the model tells W, how the end of the step moves with what pushes there.
// Sweeps over the contacts then know what they do to each other, and a few rounds of sweeping, solving and
// measuring anew are a Newton method for the contacts of nonlinear rods. Each correction solves for push and
// drag of its contact at once, and meets friction's cone exactly: sticking, or sliding against the direction
// in which it slips.
#ifndef CORD_CONTACT_DELASSUS_H
#define CORD_CONTACT_DELASSUS_H

#include "contact/gauss_seidel.h"

// Nodes of a rod that may be touched, if it is to tell how it gives way: W has the square of four times as
// many entries.
#define DELASSUS_MAX_NODES 400
// Likewise, where every rod is by itself and many of them are looked at side by side.
#define DELASSUS_MAX_NODES_ALONE 150

typedef struct DelassusRod {
    int first, count;                      // of its nodes that are touched, among those of all rods
    int first_constraint, last_constraint; // that take part and have it as their a, among the order of all
    double* W; // see ModelResponse; NULL: what is pushed moves by its own mass alone
} DelassusRod;

typedef struct ContactImpulse {
    double normal_impulse;
    CordVec3 friction_impulse;
} ContactImpulse;

typedef struct DelassusBlock { // of a blow
    int rod[2];
    int place[4];                     // of its nodes, among those of its rods that are touched
    CordVec3 across[2];               // unit, across the normal: the axes in which its give is diagonal
    double W_nn, W_tt[2];             // of the surfaces, along and across [1/kg]
    double W_tn[2];                   // across, of a push along [1/kg]
    double gap;                       // as measured, less what is wanted [m]
    double slip[2];                   // likewise, across [m]
    ContactImpulse start;             // of the blow then
    ContactImpulse before, direction; // of the last sweep, and the direction in which sweeps go on
} DelassusBlock;

typedef struct Delassus {
    DelassusBlock* all; // (count of the blows)
    int* order;         // blows that take part, by the rod that is their a (order_count)
    int order_count;
    DelassusRod* rods; // (colliders.rod_count)
    int* node;         // of their rods, touched (node_count)
    int* place;        // of the colliders' nodes in their rods' (colliders.node_count)
    int node_count;
    // By how much pushes have moved the nodes that are touched since they were measured: x, y, z and turn.
    // Likewise before the last sweep, and as sweeps go on (4 node_count).
    double *u, *u_before, *u_direction;
    int block_capacity, order_capacity, rod_capacity, node_capacity, place_capacity;
} Delassus;

typedef struct SweepResult {
    int count;
    double change; // the largest in the first one, over the radius
} SweepResult;

typedef struct DelassusBatch { // what has to do with nothing else
    int first, last;           // blows [first, last) of the order
    int first_node, last_node; // touched
} DelassusBatch;

// After a measure: which blows take part, those of rods that are busy, and what they touch. W and room for u
// are to be given then. False: no memory.
bool delassus_find(Memory* m, Delassus* y, const ContactConstraints* b, const Colliders* cs);
DelassusBatch delassus_all(const Delassus* y);
DelassusBatch delassus_of_rod(const Delassus* y, int rod);
void delassus_diagonal(const Delassus* y, const ContactConstraints* b,
                       DelassusBatch batch); // with W as it is now
// Sweeps over a batch until the worst has less than `enough` of its radius left to go, or `most` times.
// `blind`: some of its rods do not tell, and so where sweeps lead is of no use.
SweepResult delassus_sweep(const Delassus* y, ContactConstraints* b, DelassusBatch batch, double enough,
                           int most, bool blind);
// displaces by a share of what they did
void delassus_apply(const Delassus* y, ContactConstraints* b, DelassusBatch batch, double share);
void delassus_free(Memory* m, Delassus* y);

#endif
