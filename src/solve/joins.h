// Joins of an assembly, for implicit steps and static solves. A join is an edge that bodies carry, wholly or
// by one of its nodes. Joins cut the rods into spans. The Schur complements of the spans form one sparse
// system of small blocks, with a block row for each body and one for the unknowns of each join that no body
// carries.
#ifndef CORD_SOLVE_JOINS_H
#define CORD_SOLVE_JOINS_H

#include "solve/assembly.h"
#include "solve/band_system.h"

typedef struct Join {
    int rod; // index in the assembly
    int edge;
    const Weld *a, *b; // welds that carry its two nodes; NULL: none
    int a_k, b_k;      // index among the weld's nodes
    const Weld* frame; // weld that holds its frame; NULL: none
    int own;           // block row of the unknowns that no body carries; -1: there are none
    int own_size;
    int own_at[BAND_PORT_MOST]; // indices of these unknowns in the port (own_size)
} Join;

typedef struct JoinSpan {
    int rod;
    int left, right; // joins at its ends; -1: the rod's end
    bool own_left, own_right;
} JoinSpan;

struct Joins {
    Assembly* assembly;
    Join* joins;
    int join_count, join_capacity;
    JoinSpan* spans; // sorted by rod, then along the rod
    int span_count, span_capacity;
    int* first_span;  // first span of each rod, then span_count (rod_count + 1)
    SparseLdu blocks; // the block rows of the bodies come first
};

// With `tensions`, tensions are unknowns of every rod, not only of inextensible ones. Returns
// CORD_NOT_SUPPORTED if welds are too close to each other or to a clamp.
CordResult joins_create(Memory* m, Joins* j, Assembly* a, bool tensions, Message* message);
void joins_destroy(Memory* m, Joins* j);

// The block rows that a join touches (at most three), and the matrices T (port unknowns by row size) that
// give the change of a port's unknowns from that of each row.
typedef struct JoinMap {
    int count;
    int row[3], size[3];
    double T[3][BAND_PORT_MOST][6];
} JoinMap;

// The caller passes the lever arms of the carried nodes from their bodies' centres, and the edge's unit
// tangent t.
JoinMap join_map(const Joins* j, const Join* join, CordVec3 arm_a, CordVec3 arm_b, CordVec3 t);

#endif
