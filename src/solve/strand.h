// A strand: a stretch of rod as a banded system of equations, for implicit steps and static solves. Its unknowns are the changes of positions, frame angles
// and, where an edge's tension is one, tensions. At either end it may meet a port: an edge (both its nodes and its frame) whose unknowns are shared
// with other strands, because a body carries it or because it closes a ring. The strand is condensed onto its ports.
//
// Node k of the strand has its unknowns in one block: x_k, the tension of the edge before it (if any is unknown), the angle of the edge after it. A tension
// comes after both of its nodes, or after the one that is no port's, so that its pivot is never zero.
#ifndef CORD_SOLVE_STRAND_H
#define CORD_SOLVE_STRAND_H

#include "base/arena.h"
#include "math/band.h"
#include "model/model.h"

#define STRAND_PORT_MOST 8 // unknowns of a port: x, angle, x, and the tension of a ring's seam

typedef struct Strand {
    Rod* rod;
    int first; // node of the rod at block 0
    int blocks;
    int block; // unknowns in each: 4, or 5 with tensions
    bool left, right; // is there a port? The left one holds nodes -1 and 0 of the strand, the right one nodes `blocks` and the next
    bool ring; // both are the same
    int port_size;
    Band band;
    double* r;                                                      // right-hand side, then solution (band.n)
    double r_left[STRAND_PORT_MOST];                                // of the left port
    bool held_left[STRAND_PORT_MOST], held_right[STRAND_PORT_MOST]; // unknowns that do not move
} Strand;

int strand_unknowns(const Rod* rod);   // at the most
size_t strand_scratch(const Rod* rod); // bytes that opening takes from the arena
// The whole rod as one strand; a ring is cut at `seam`, an edge that no sliding clamp touches.
void strand_open(Strand* s, Rod* rod, bool tensions, int seam, Arena* scratch);
void strand_clear(Strand* s);
void strand_clear_right(Strand* s); // the right-hand side alone

// Where an unknown stands: in the band if not negative, else -1 - i is the i-th of the left port. k counts from the strand's first block; -1 and
// `blocks`, `blocks` + 1 are the ports'.
int strand_x(const Strand* s, int k);       // first of three
int strand_angle(const Strand* s, int k);   // of the edge after node k
int strand_tension(const Strand* s, int k); // likewise

static inline int strand_next(int i, int by) // the unknown that stands `by` after i
{
    return i >= 0 ? i + by : i - by;
}

int strand_plain(const Strand* s, int i); // where the unknown stands in r; for a ring's left port, in its right one
int strand_slot(const Strand* s, int k); // of node k of the strand, and of the edge after it

// Nodes [from, to) that have a corner, and edges [from, to), of the strand's own count.
int strand_corner_from(const Strand* s);
int strand_corner_to(const Strand* s);
int strand_edge_to(const Strand* s); // edges, nodes and frames start at 0; those past the blocks are a ring's seam
int strand_node_to(const Strand* s);
int strand_frame_to(const Strand* s);

void strand_add(Strand* s, int i, int j, double value);
void strand_add_right(Strand* s, int i, double value); // to the right-hand side
void strand_add_corner(Strand* s, int k, const CornerTerms* terms, bool second);
// K is what the force in the edge after node k makes of a change of its vector, row-major.
void strand_add_edge(Strand* s, int k, const double K[9]);

void strand_seal(Strand* s);                      // unknowns that a block has no use for
void strand_hold(Strand* s, int i, double value); // an unknown whose change is known; a port's: 0
void strand_slide(Strand* s, int k, CordVec3 axis,
                  CordVec3 value); // a node that moves along the axis alone; across, by a known value
void strand_slide_together(Strand* s, int k, CordVec3 axis); // both nodes of an edge with a tension of its own, as one

typedef struct StrandPivots {
    int negative; // of the strand, and of a ring's seam if symmetric
    double least; // smallest pivot, relative: 0 if the matrix is singular
} StrandPivots;

StrandPivots strand_factor(Strand* s, bool symmetric);
bool strand_solve(Strand* s); // without bodies: the right-hand side becomes the solution, ports included; false: singular

double strand_right(const Strand* s, int i); // right-hand side, before solving; a seam's is summed from both ends
double strand_solution(const Strand* s, int i);

#endif
