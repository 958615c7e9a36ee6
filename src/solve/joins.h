// Where rods and bodies of an assembly meet, for implicit steps and static solves: joins are edges that
// bodies carry, wholly or by one of their nodes; they cut the rods into spans, and what the spans leave
// for them is one sparse system of small blocks: a block row for each body, and one for what a join has of
// its own.
#ifndef CORD_SOLVE_JOINS_H
#define CORD_SOLVE_JOINS_H

#include "solve/assembly.h"
#include "solve/band_system.h"

typedef struct Join {
    int rod; // of the assembly
    int edge;
    const Weld *a, *b; // what carries its two nodes; NULL: nothing does
    int a_k, b_k;      // which of the weld's nodes that is
    const Weld* frame; // what holds its frame
    int own;           // block row of what nothing carries; -1: all of it is carried
    int own_size;
    int own_at[BAND_PORT_MOST]; // the port's unknowns in it
} Join;

typedef struct JoinSpan {
    int rod;
    int left, right; // joins; -1: the rod's end
    bool own_left, own_right;
} JoinSpan;

struct Joins {
    Assembly* assembly;
    Join* joins;
    int join_count, join_capacity;
    JoinSpan* spans; // in the order of the rods, and along each
    int span_count, span_capacity;
    int* first_span;  // of each rod; then the count of all (rod_count + 1)
    SparseLdu blocks; // bodies first
};

// `tensions`: they are unknowns of every rod, not of inextensible ones alone. CORD_NOT_SUPPORTED: welds are
// too near to each other.
CordResult joins_create(Memory* m, Joins* j, Assembly* a, bool tensions, Message* message);
void joins_destroy(Memory* m, Joins* j);

// The block rows that a join touches, and how a port's unknowns follow from those of a row: at most three
// rows, 8 x size matrices.
typedef struct JoinMap {
    int count;
    int row[3], size[3];
    double T[3][BAND_PORT_MOST][6];
} JoinMap;

// Arms of the carried nodes from their bodies' centres, and the edge's direction, are given.
JoinMap join_map(const Joins* j, const Join* join, CordVec3 arm_a, CordVec3 arm_b, CordVec3 t);

#endif
