// Shared by contact_newton_sparse.c and contact_newton_curvature.c: contacts by block rows of the sparse
// matrix.
#ifndef CORD_STEP_CONTACT_NEWTON_PARTS_H
#define CORD_STEP_CONTACT_NEWTON_PARTS_H

#include "contact/contact_turning.h"
#include "step/contact_newton.h"

// Two nodes of a segment, two of its chord, and a frame, on both sides; the last has the count.
#define MOST_PARTS 11

// Motion of the surface a relative to b by the unknowns of one block row; padded as sparse_ldu_add_outer.
typedef struct ContactPart {
    int at;
    int size;                         // unknowns that move the contact, of those of the block row
    double B[3][SPARSE_LDU_MAX_SIZE]; // the Jacobian: forces act by its transpose
    double M[3][SPARSE_LDU_MAX_SIZE]; // the motion since the start of the step: with what turning adds
} ContactPart;

// Node k of a contact of two segments, as in contact_turning.h.
typedef struct TurningNode {
    int part;           // its own; -1: the segment has no chord, and its ends have the part
    RowMap map;         // of the part's unknowns
    const Clamp* clamp; // NULL: none
    bool plain;         // the unknowns are its coordinates
} TurningNode;

// Blocks of the matrix, by parts.
typedef double* ContactBlocks[MOST_PARTS][MOST_PARTS];

struct ContactParts {
    bool turns; // M is not B, and the contact has a geometric stiffness of friction
    int count;  // 0: not known yet
    int second; // first part of the other side
    ContactPart part[MOST_PARTS];
    bool is_placed;      // `block` is known
    ContactBlocks block; // of the parts, and of the node before a bow after them
    CordVec3 known;      // the prescribed part of the motion
    // If it turns: forces by a motion of the nodes along three axes, and where they act.
    TurningForces by[TURNING_NODES][3];
    TurningNode node[TURNING_NODES];
    int frame[2]; // parts; -1: the frame cannot turn
};

typedef struct Bow {  // three nodes of a rod that touches a solid with the middle one
    int node[2];      // of the colliders, before and after it
    double length;    // between those [m]
    double curvature; // of the rod, relative to the solid [1/m]
} Bow;

// False: the contact is not at an inner node, or the rod lies flat there.
bool sparse_find_bow(const ContactNewton* t, const ContactPoint* contact, Bow* bow);
NewtonBody* sparse_body_of(const ContactNewton* t, int solid); // NULL: an obstacle
// The clamp in space that holds a node; NULL: none.
const Clamp* sparse_clamp_at(const NewtonRod* r, int node);
// The part of a vector at a node that the clamp leaves free: along the axis of a sliding one.
CordVec3 sparse_free_part(const Clamp* clamp, CordVec3 g);

// contact_newton_curvature.c: the second derivatives of a contact, times its forces of the iterate before.
void sparse_fill_curvature(ContactNewton* t, int i);
void sparse_fill_torques(ContactNewton* t); // of all contacts on frames
// Once its parts are known, sets what a contact has if it turns. Then adds the stiffness of friction.
void sparse_turn_parts(const ContactNewton* t, int i, ContactParts* all);
void sparse_fill_friction(const ContactNewton* t, int i);

#endif
