// Assemblies: rods and bodies that welds join, directly or through each other. Found when welds come or go,
// never in a step.
#ifndef CORD_SOLVE_ASSEMBLY_H
#define CORD_SOLVE_ASSEMBLY_H

#include "base/slots.h"
#include "body/body.h"
#include "math/sparse_ldu.h"

typedef struct Tie { // a node that a body carries
    Weld* weld;
    int k;           // which of the weld's nodes
    int rod;         // of the assembly
    int body;        // of the assembly
    int slot;        // of the node
    bool rigid;      // the edge after it is part of the body: it has no multiplier
    double mass;     // of the node [kg]
    double inv_len;  // 1 / rest length of an edge beside it [1/m]
    CordVec3 offset; // of the node, in the body [m]
} Tie;

typedef struct Port { // where a chain of edges meets a body
    int tie;          // of the assembly
    int body;         // of the assembly
    int slot;         // of the edge beside it
    double sign;      // 1: that edge ends there; -1: it starts there
} Port;

typedef struct Chain {   // edges of an inextensible rod between two ties, or a tie and an end
    int rod;             // of the assembly
    int edge, count;     // the first edge, and how many; round a ring they go on at edge 0
    int port_count;      // 1 or 2
    Port port[2];        // at the first edge if two, then at the last
    double* block[2][2]; // of the bodies' matrix, by port: what the second body does to the first
} Chain;

typedef struct Joins Joins; // joins.h

struct Assembly {
    Rod** rods;
    Body** bodies;
    Tie* ties;        // in the order of the rods, and along each
    Chain* chains;    // likewise
    int* first_chain; // of each rod; then the count of all (rod_count + 1)
    int* first_tie;   // likewise
    int rod_count, body_count, tie_count, chain_count;
    SparseLdu blocks; // pattern of the bodies that chains join
    Joins* joins;     // implicit rods: where they meet the bodies; NULL: they are explicit
};

typedef struct Assemblies {
    Assembly* all;
    int count;
    Arena arena; // what they point to
} Assemblies;

// From the welds there are. False: no memory; then there are none.
bool assemblies_find(Memory* m, Assemblies* a, const Slots* rods, const Slots* bodies, const Slots* welds);
void assemblies_free(Memory* m, Assemblies* a);

#endif
