// The constraint equations of the length projection: one row for each edge of a rod, including edges next to
// sliding clamps. rattle.c solves them for a single rod, weld_constraints.c for rods that bodies join.
#ifndef CORD_SOLVE_RATTLE_ROWS_H
#define CORD_SOLVE_RATTLE_ROWS_H

#include "math/tridiag.h"
#include "rod/rod.h"
#include "solve/rattle_kernel.h"

// of |e|^2 / rest^2 - 1: a few round-offs. RATTLE's energy drifts if the tolerance is looser.
#define RATTLE_TOLERANCE 1e-12
#define RATTLE_MOST_ITERATIONS 60
#define RATTLE_FRESH_MATRIX_EVERY 4 // iterations of modified Newton with one Jacobian

typedef struct Rattle {
    const Rod* rod;
    const RattleKernels* kernels;
    bool slides; // whether any clamp slides
    RattleArrays a;
    Tridiag matrix;         // factored Jacobian; its arrays start at the first row
    double* border;         // border of a ring's cyclic matrix; NULL: open rod
    CordVec3* slide_speeds; // velocities of the nodes that slide; NULL: none does
} Rattle;

size_t rattle_rows_scratch(const Rod* rod); // bytes that rattle_open takes from the arena
// Uses the rod's own inverse masses; the caller may replace a.w.
Rattle rattle_open(const Rod* rod, double h, Arena* scratch);
size_t rattle_array_scratch(const Rod* rod);               // bytes of one more array by slot
double* rattle_push_array(const Rod* rod, Arena* scratch); // zeroed, and padded for wide loops

// Sets the first multipliers from the last tensions (warm start), and the edge vectors at the start and as
// predicted from x and v_next.
void rattle_begin(Rattle* l, double kick);

// Evaluates the residuals at the present multipliers, and the Jacobian if `matrix`. Returns the largest
// relative length error, or INFINITY if an edge turns too far.
double rattle_assemble(const Rattle* l, bool matrix);
bool rattle_factor(Rattle* l); // false: rows depend on each other; see tridiag_factor
CordResult rattle_fail(const Rattle* l, bool dependent, Message* message); // writes the error message

// Displacement of the node at a slot by the multipliers, or by a change of them.
CordVec3 rattle_node_moved(const Rattle* l, int s, const double* unknowns);

// Corrects v_next, writes x_next and pull_next. Returns the sum of the squares of v_next.
double rattle_finish(Rattle* l, double kick);

// rattle_edges writes the edge vectors of x to d. rattle_symmetric_rows then assembles the symmetric matrix
// grad C W grad C^T, W the inverse masses, and the length residuals; it returns the largest relative length
// error.
void rattle_edges(const CordCenterline* c, double* const x[3], double* const d[3]);
double rattle_symmetric_rows(Rattle* l, double* zero); // zero: multipliers, all 0
bool rattle_row_is_free(const Rattle* l, int s);       // false: the edge is held or slides
void rattle_guess(const Rattle* l, double* guess);     // multipliers of the last step or solve, by slot

// Gives the two nodes of a sliding edge one common acceleration along the axis, or one common change of their
// velocities `from` (by slot; they differ where the clamp turns): that of their total momentum.
void rattle_share_slides(const Rod* rod, double* const from[3], CordVec3* a);   // a: by node
CordVec3 rattle_free_acceleration(const Rod* rod, int node, const CordVec3* f); // of a node, without tensions

#endif
