// The equations behind the length projection: one row for each edge of a rod, with what slides seen to.
// lengths.c solves them for a rod alone, welds.c for rods that bodies join.
#ifndef CORD_SOLVE_RATTLE_ROWS_H
#define CORD_SOLVE_RATTLE_ROWS_H

#include "math/tridiag.h"
#include "rod/rod.h"
#include "solve/rattle_kernel.h"

#define RATTLE_TOLERANCE 1e-12 // of |e|^2 / rest^2 - 1: a few round-offs; looser, and RATTLE's energy drifts
#define RATTLE_MOST_ITERATIONS 60
#define RATTLE_FRESH_MATRIX_EVERY 4 // iterations with one matrix before it is made anew

typedef struct Rattle {
    const Rod* rod;
    const RattleKernels* kernels;
    bool slides; // does any clamp?
    RattleArrays a;
    Tridiag matrix;         // factored; its arrays start at the first row
    double* border;         // of a ring; else NULL
    CordVec3* slide_speeds; // of the nodes that slide; NULL: none does
} Rattle;

size_t rattle_rows_scratch(const Rod* rod); // bytes that rattle_open takes from the arena
// inverse masses as they are: a.w may be replaced
Rattle rattle_open(const Rod* rod, double h, Arena* scratch);
size_t rattle_array_scratch(const Rod* rod);               // bytes of one more array by slot
double* rattle_push_array(const Rod* rod, Arena* scratch); // all zero, with room for wide loops

// From x, v_next and the tensions before: multipliers to start from, edges at the start and as predicted.
void rattle_begin(Rattle* l, double kick);

// Residuals at the present multipliers, and the matrix if it is to be made anew; returns the largest relative
// miss, INFINITY if an edge turns too far.
double rattle_assemble(const Rattle* l, bool matrix);
bool rattle_factor(Rattle* l);                                            // false: singular
CordResult rattle_fail(const Rattle* l, bool singular, Message* message); // the sentence for it

// What the multipliers, or a change of them, do to the node at a slot.
CordVec3 rattle_node_moved(const Rattle* l, int s, const double* unknowns);

// v_next corrected, x_next and pull_next from it; returns the sum of the squares of v_next.
double rattle_finish(Rattle* l, double kick);

// In the present edges, put into a.d: rows of grad C W grad C^T into the matrix, and in residual how far each
// edge is off its length. Returns the largest relative miss.
void rattle_edges(const CordCenterline* c, double* const x[3], double* const d[3]);
double rattle_symmetric_rows(Rattle* l, double* zero); // zero: multipliers that do nothing
bool rattle_row_is_free(const Rattle* l, int s);       // false: the edge is held, or slides

// The two nodes of an edge that slides share one speed, or acceleration, along the axis: that of their common
// momentum.
void rattle_share_slides(const Rod* rod, CordVec3* a);                          // by node
CordVec3 rattle_free_acceleration(const Rod* rod, int node, const CordVec3* f); // of a node, before tensions

#endif
