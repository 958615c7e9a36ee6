// The Delassus operator W = J A^-1 J' of position-based rods, whose elasticity acts within the step. A force
// on one node of such a rod moves all of it, and a stiff rod by far less than the node's mass suggests.
//
// For the nodes in contact, the model computes the compliance A^-1: how the end of the step moves with a
// force there. Gauss-Seidel sweeps over the contacts then see how contacts act on each other, and a few
// rounds of sweeping, solving for the rods and measuring gaps are a Newton method for the contacts of
// nonlinear rods. Each correction solves for the normal and the friction impulse of its contact together and
// exactly: sticking inside the friction cone, or sliding on it against the direction of slip (nonsmooth
// contact dynamics: Moreau 1988, Jean 1999).
#ifndef CORD_CONTACT_DELASSUS_H
#define CORD_CONTACT_DELASSUS_H

#include "contact/constraint.h"

// Most nodes in contact for which a rod's compliance is computed: it has (4 nodes)^2 entries.
#define DELASSUS_MAX_NODES 400
// Likewise where rods do not touch each other, and many are solved side by side.
#define DELASSUS_MAX_NODES_ALONE 150

typedef struct DelassusRod {
    int first, count;                      // its nodes in contact, in Delassus.node
    int first_constraint, last_constraint; // active constraints with this rod as their a, in Delassus.order
    double* W; // compliance, (4 count)^2: see Compliance in step/stepper.h; NULL: inverse masses alone
} DelassusRod;

typedef struct ContactImpulse {
    double normal_impulse;
    CordVec3 friction_impulse;
} ContactImpulse;

typedef struct DelassusBlock { // the diagonal block of one constraint, in the axes in which it is diagonal
                               // tangentially
    int rod[2];
    int place[4];         // its nodes among those of their rods
    CordVec3 across[2];   // unit tangents in which W_tt is diagonal
    double W_nn;          // inverse effective mass along the normal [1/kg]
    double W_tt[2];       // along the tangents, the larger first [1/kg]
    double W_tn[2];       // tangential displacement by a unit normal impulse [1/kg]
    double gap;           // as measured, less the target gap [m]
    double slip[2];       // as measured, along the tangents [m]
    ContactImpulse start; // when gap and slip were measured
    ContactImpulse before,
        direction; // before the last sweep, and the search direction of the conjugate gradients
} DelassusBlock;

typedef struct Delassus {
    DelassusBlock* all; // (count of the constraints)
    int* order;         // active constraints, by the rod that is their a (order_count)
    int order_count;
    DelassusRod* rods; // (colliders.rod_count)
    int* node;         // nodes in contact, as indices in their rods (node_count)
    int* place;        // index of each of the colliders' nodes among its rod's (colliders.node_count)
    int node_count;
    // Displacements x, y, z and turns of these nodes by the impulses since the measurement; the same before
    // the last sweep; and the search direction (4 node_count).
    double *u, *u_before, *u_direction;
    int block_capacity, order_capacity, rod_capacity, node_capacity, place_capacity;
} Delassus;

typedef struct SweepResult {
    int count;
    double change; // largest displacement of the first sweep, over the radius
} SweepResult;

typedef struct DelassusBatch { // constraints that are independent of all others
    int first, last;           // [first, last) of the order
    int first_node, last_node;
} DelassusBatch;

// After a measurement: finds the constraints of active rods, and the nodes they touch. The caller then
// provides u and each rod's W. False: no memory.
bool delassus_find(Memory* m, Delassus* y, const ContactConstraints* b, const Colliders* cs);
DelassusBatch delassus_all(const Delassus* y);
DelassusBatch delassus_of_rod(const Delassus* y, int rod);
// Computes the diagonal blocks from W as it is now.
void delassus_diagonal(const Delassus* y, const ContactConstraints* b, DelassusBatch batch);
// Sweeps over a batch until the largest correction is below `enough` of its radius, or `most` times. `blind`:
// some of its rods have no compliance, so conjugate gradients would not help.
SweepResult delassus_sweep(const Delassus* y, ContactConstraints* b, DelassusBatch batch, double enough,
                           int most, bool blind);
// Adds a fraction of what the sweeps did to the constraints' displacements.
void delassus_apply(const Delassus* y, ContactConstraints* b, DelassusBatch batch, double share);
void delassus_free(Memory* m, Delassus* y);

#endif
