// The Delassus operator W = J A^-1 J' of contact constraints: how the surfaces move at the end of the step
// with impulses on them. The compliance A^-1 of a rod is either its inverse masses, or a dense matrix over
// its nodes in contact that its stepper computes. The elasticity of position-based rods acts within the step:
// a force on one node moves all of such a rod, and a stiff rod by far less than the node's mass suggests.
#ifndef CORD_CONTACT_DELASSUS_H
#define CORD_CONTACT_DELASSUS_H

#include "contact/constraint.h"

// Most nodes in contact for which a rod computes its compliance where rods do not touch each other, and many
// are solved side by side.
#define DELASSUS_MAX_NODES_ALONE 150
// Most constraints of a rod that are solved for together: see rod_newton.h.
#define DELASSUS_MOST_TOGETHER 24

typedef struct DelassusRod {
    int first, count;                      // its nodes in contact, in Delassus.node
    int first_node, node_count;            // all its nodes, of the colliders
    int first_constraint, last_constraint; // active constraints with this rod as their a, in Delassus.order
    double* W;      // compliance, (4 count)^2: see Compliance in step/stepper.h; NULL: inverse masses alone
    double* factor; // of W, where the rod moves in a few ways alone (rank x 3 count); NULL: it does not
    int rank;
    int first_of_group; // rods that contacts couple form a group: a lower one of it, or itself
    int group;          // -1: it is not touched
} DelassusRod;

typedef struct DelassusBatch { // constraints that are independent of all others
    int first, last;           // [first, last) of the order
    int first_node, last_node; // of Delassus.node
    int last_rod;              // of Delassus.by_group; the group before ends with the first
} DelassusBatch;

#define DELASSUS_MOST_NODES 8 // nodes that a contact's surfaces move with
#define DELASSUS_ROWS 12      // entries of J for each of them

// A constraint in the axes in which its diagonal block of W is diagonal tangentially. Vectors have entries
// along the normal and the two tangents; the fourth is 0.
typedef struct DelassusBlock {
    bool known; // it is computed once its contact pushes
    bool slides;
    // J: for each node of side a, then of side b, and for each axis: the motion of the surfaces along it by
    // that of the node, x y z, and by the turn of the segment after it. Side b counts negative.
    int node_count, first_of_b;
    int node[DELASSUS_MOST_NODES];
    double* J;         // (DELASSUS_ROWS node_count)
    double* G[2];      // A^-1 J' of each side: see delassus_set_columns; NULL: W or inverse masses are used
    double gap;        // as measured [m]
    double slip[2];    // likewise, along the tangents
    double impulse[4]; // at present [kg m]
    double before[4], direction[4]; // before the last two sweeps, and the search direction
    double start[4];                // when gap and slip were measured
    double W_nn;                    // inverse effective mass along the normal [1/kg]
    double W_tt[2];                 // along the tangents, the larger first [1/kg]
    double W_tn[2];                 // tangential displacement by a unit normal impulse [1/kg]
    double last[2];                 // displacement by its last correction forward, and backward [m]
    double lambda; // multiplier of friction on the cone after it: see gauss_seidel.c; 0: it does not slide
    CordVec3 across[2]; // the tangents, unit
} DelassusBlock;

typedef struct Delassus {
    DelassusBlock* all; // (count of the constraints)
    int* order;         // active constraints, by group, and then by the rod that is their a (order_count)
    int order_count;
    DelassusRod* rods;     // (colliders.rod_count)
    DelassusBatch* groups; // of rods (group_count)
    int* by_group;         // touched rods (touched_count)
    int group_count, touched_count;
    int* node;    // nodes in contact, by group and rod, as indices in their rods (node_count)
    int* node_at; // the same, of the colliders
    int* place;   // index of each of the colliders' nodes among its rod's in contact
    int node_count;
    // Displacements x, y and z of each node, and turns of the segment after it, by the impulses since the
    // measurement; the same before the last two sweeps; and the search direction (4 colliders.node_count).
    double *u, *u_before, *u_direction;
    double* inverse; // of the masses and moments of inertia that they move (4 colliders.node_count)
    double* rows;    // J of all blocks
    int block_capacity, order_capacity, rod_capacity, node_capacity, place_capacity, u_capacity[4];
    int row_capacity, group_capacity, by_group_capacity, node_at_capacity;
} Delassus;

// After a measurement: finds the constraints of active rods, their groups, and the nodes they touch. The
// caller then provides each rod's W. False: no memory.
bool delassus_find(Memory* m, Delassus* y, const ContactConstraints* b, const Colliders* cs);
// Selects the active constraints after another measurement, and keeps their blocks and groups. False: some of
// them have no block.
bool delassus_select(Delassus* y, const ContactConstraints* b);
// Provides memory for the columns A^-1 J' of the constraints of a batch, which save time where they are
// pushed many times. delassus_columns returns how many numbers they are.
size_t delassus_columns(const Delassus* y, const ContactConstraints* b, DelassusBatch batch);
void delassus_set_columns(const Delassus* y, const ContactConstraints* b, DelassusBatch batch, double* room);
DelassusBatch delassus_all(const Delassus* y);
DelassusBatch delassus_of_rod(const Delassus* y, int rod);
// Clears u of a batch. Later functions count impulses from this call. Blocks that are known stay so until
// delassus_find.
void delassus_begin(const Delassus* y, ContactConstraints* b, DelassusBatch batch);
// J and W of one constraint with itself, and its impulses in its own axes.
void delassus_diagonal(const Delassus* y, const ContactConstraints* b, int i);
// Computes J u, or adds A^-1 J' f to u, in the axes of a block that is known.
void delassus_motion(const Delassus* y, const DelassusBlock* block, double motion[4]);
void delassus_push(const Delassus* y, const ContactConstraint* c, const DelassusBlock* block,
                   const double f[4]);
// Writes the impulses of a batch back to its constraints.
void delassus_end(const Delassus* y, ContactConstraints* b, DelassusBatch batch);
// W of the couple of a constraint, the turn of surface a relative to surface b, and u += A^-1 J' C for a
// couple C on a: see rolling.h.
void delassus_couple_diagonal(const Delassus* y, ContactConstraints* b, int i);
CordVec3 delassus_turn(const Delassus* y, const ContactConstraint* c);
void delassus_push_couple(const Delassus* y, const ContactConstraint* c, CordVec3 couple);
// Entry (i, j) of W, in the axes of both constraints; the columns of j must be known.
void delassus_response(const Delassus* y, const ContactConstraints* b, int i, int j, double W[3][3]);
// Adds a fraction of what the impulses since delassus_begin did by masses alone to `moved`.
void delassus_apply(const Delassus* y, ContactConstraints* b, DelassusBatch batch, double share);
// Takes back half of what the impulses have changed since delassus_begin.
void delassus_retreat(const Delassus* y, ContactConstraints* b);
void delassus_free(Memory* m, Delassus* y);

#endif
