// An assembly is a connected component of rods and bodies that welds join. Assemblies are found when welds
// are added or removed, never in a step.
#ifndef CORD_SOLVE_ASSEMBLY_H
#define CORD_SOLVE_ASSEMBLY_H

#include "base/slots.h"
#include "body/body.h"
#include "math/sparse_ldu.h"

typedef struct Tie { // a node that a body carries
    Weld* weld;
    int k;           // index among the weld's nodes
    int rod;         // index in the assembly
    int body;        // index in the assembly
    int slot;        // slot of the node
    bool rigid;      // the edge after it is part of the body and has no multiplier
    double mass;     // mass of the node [kg]
    double inv_len;  // 1 / rest length of an edge beside it [1/m]
    CordVec3 offset; // position of the node in the body's frame [m]
} Tie;

typedef struct Port { // the end of a chain of edges at a body
    int tie;          // index in the assembly
    int body;         // index in the assembly
    int slot;         // slot of the edge next to the tie
    double sign;      // 1: that edge ends at the tie; -1: it starts there
} Port;

typedef struct Chain {   // edges of an inextensible rod between two ties, or between a tie and an end
    int rod;             // index in the assembly
    int edge, count;     // first edge and number of edges; on a closed rod they wrap to edge 0
    int port_count;      // 1 or 2
    Port port[2];        // with two ports: [0] is at the first edge, [1] at the last
    double* block[2][2]; // blocks of the bodies' matrix: row of the first port's body, column of the second's
} Chain;

typedef struct Joins Joins; // joins.h

typedef struct Assembly {
    Rod** rods;
    Body** bodies;
    Tie* ties;        // sorted by rod, then along the rod
    Chain* chains;    // sorted in the same way
    int* first_chain; // first chain of each rod, then chain_count (rod_count + 1)
    int* first_tie;   // first tie of each rod, then tie_count (rod_count + 1)
    int rod_count, body_count, tie_count, chain_count;
    SparseLdu blocks; // block matrix of the bodies; a chain couples the bodies at its two ports
    Joins* joins;     // joins of implicit rods; NULL: the rods are explicit
} Assembly;

typedef struct Assemblies {
    Assembly* all;
    int count;
    Arena arena; // owns the arrays of all assemblies
} Assemblies;

// `number` is that of a rod or a body, which counts from 1; 0: it is in no assembly.
static inline Assembly* assembly_at(const Assemblies* all, int number)
{
    return number > 0 ? &all->all[number - 1] : NULL;
}

// Finds the assemblies of the present welds. Returns false if memory runs out.
bool assemblies_find(Memory* m, Assemblies* a, const Slots* rods, const Slots* bodies, const Slots* welds);
void assemblies_free(Memory* m, Assemblies* a);
double assembly_mass(const Assembly* a, const Rod* rod); // of the rod, and of all that welds join it to [kg]

#endif
