// The banded linear system of one span of a rod, for implicit steps and static solves. The unknowns are the
// changes of node positions, of frame angles and, where the tension of an edge is an unknown of its own, of
// tensions (the Lagrange multipliers of inextensible edges). At either end a span may meet a port: an edge,
// with both its nodes and its frame, whose unknowns are shared with other spans because a body carries it or
// because it closes a ring. Factoring eliminates the inner unknowns and leaves the Schur complement on the
// ports.
//
// Block k holds the unknowns of node k of the span: x_k, the angle of the edge after it, and the tension of
// the edge before it (if tensions are unknowns). A tension is ordered after both of its nodes, or after the
// one that belongs to no port, so that its pivot is never zero.
#ifndef CORD_SOLVE_BAND_SYSTEM_H
#define CORD_SOLVE_BAND_SYSTEM_H

#include "math/band_ldu.h"
#include "model/model.h"
#include "solve/band_system_kernel.h"
#include "solve/move.h"

#define BAND_PORT_MOST 8 // unknowns of a port: x, angle, x, and the tension of a ring's seam

typedef struct BandSystem {
    Rod* rod;
    int first; // node of the rod at block 0
    int blocks;
    int block; // unknowns per block: 4, or 5 with tensions
    // Whether there is a port at either end. The left one holds nodes -1 and 0 of the span, the right one
    // nodes `blocks` and `blocks` + 1.
    bool left, right;
    bool own_left, own_right; // whether this span assembles the terms of the port's own edge
    bool right_only;          // assemble the right-hand side only and keep the factored matrix
    bool ring;                // the rod is closed by one port, and no body carries that port
    int port_size;            // unknowns of each port
    BandLdu band;
    struct {
        int cleared, kept, eliminated; // rows cleared, with a saved diagonal, and eliminated so far
        bool forward;                  // the right-hand side has been eliminated as well
    } stream;
    double* r;                                                  // right-hand side, then solution (band.n)
    double r_left[BAND_PORT_MOST];                              // right-hand side of the left port
    bool held_left[BAND_PORT_MOST], held_right[BAND_PORT_MOST]; // unknowns held fixed
} BandSystem;

bool band_needs_tensions(const Rod* rod);       // whether the tension of any edge is an unknown of its own
size_t band_scratch(const Rod* rod, int count); // bytes that opening `count` spans takes from the arena

// Opens the span from edge `left` to edge `right`, which are its ports; -1 means the rod's end. A ring
// without other ports passes the same edge twice. A span between two ports must have at least one node of its
// own.
void band_open(BandSystem* s, Rod* rod, bool tensions, int left, int right, Arena* scratch);
void band_clear(BandSystem* s);
void band_clear_right(BandSystem* s); // clears the right-hand side only

// Index of an unknown. A non-negative index is a row of the band; -1 - i is unknown i of the left port. Node
// k is counted from the span's first block; -1, `blocks` and `blocks` + 1 are nodes of the ports.
int band_x(const BandSystem* s, int k);       // first of three components
int band_angle(const BandSystem* s, int k);   // frame angle of the edge after node k
int band_tension(const BandSystem* s, int k); // tension of the edge after node k

static inline int band_next(int i, int by) // index of the unknown `by` places after i
{
    return i >= 0 ? i + by : i - by;
}

int band_port(const BandSystem* s);        // first row of the right port in r
int band_slot(const BandSystem* s, int k); // slot of node k of the span and of the edge after it

// Corners [from, to) of the span, then the nodes, edges and frames whose terms it assembles. The i-th of
// these is node or edge k of the span.
int band_corner_from(const BandSystem* s);
int band_corner_to(const BandSystem* s);
int band_node_count(const BandSystem* s);
int band_node(const BandSystem* s, int i);
int band_edge_count(const BandSystem* s); // also the number of frames
int band_edge(const BandSystem* s, int i);
bool band_has(const BandSystem* s, int node, int* k); // whether the span assembles this node

void band_add(BandSystem* s, int i, int j, double value);
void band_add_right(BandSystem* s, int i, double value); // adds to the right-hand side
void band_add_corners(BandSystem* s, const CornerTerms* terms, int from, int to); // corners [from, to)
const BandKernels* band_kernels(void);
// Number of edges in [from, to), starting at `from`, that have contiguous slots.
int band_run(const BandSystem* s, int from, int to);
// Adds the derivative K of the force in the edge after node k with respect to its edge vector (row-major).
void band_add_edge(BandSystem* s, int k, const double K[9]);

void band_seal_first(BandSystem* s);                // unit pivots for the unused unknowns of the first block
void band_seal_last(BandSystem* s);                 // and of the last block
void band_hold(BandSystem* s, int i, double value); // prescribes a change; an unknown of a port is held at 0
// Restricts node k to the axis. Its motion across the axis is prescribed by `value`.
void band_slide(BandSystem* s, int k, CordVec3 axis, CordVec3 value);
// Ties both nodes of an edge that has a tension unknown together along the axis. `offset` is the prescribed
// change of their distance along it [m].
void band_slide_together(BandSystem* s, int k, CordVec3 axis, double offset);

typedef struct BandPivots {
    int negative; // in the span, and in a ring's seam if symmetric
    double least; // smallest relative pivot; 0: the matrix is singular
} BandPivots;

BandPivots band_factor(BandSystem* s, bool symmetric);

// Streaming factorisation of a rod without ports: assembly and elimination proceed together from one end to
// the other, so that a long rod passes through the cache once. Each block is cleared, filled, completed (all
// terms are added and held unknowns are prescribed) and eliminated in turn.
void band_stream_begin(BandSystem* s);
void band_stream_clear(BandSystem* s, int to); // clears the blocks below `to` that are not clear yet
// Eliminates the blocks whose neighbours are complete, given that the first `ready` are, and all of
// them once `ready` is `blocks`.
void band_stream_eliminate(BandSystem* s, int ready, bool symmetric);
BandPivots band_stream_end(BandSystem* s, bool symmetric);

void band_forward(BandSystem* s);    // condenses the right-hand side onto the ports
void band_backward(BandSystem* s);   // back substitution, once the ports' solution is in r and r_left
bool band_solve_ring(BandSystem* s); // solves the seam of a ring between the two; false: singular

void band_get_right(const BandSystem* s, Move* m); // adds the right-hand side to m, ports included
void band_put_right(BandSystem* s, const Move* m); // sets it for the nodes and edges that the span assembles
void band_get_solution(const BandSystem* s, Move* m); // writes the solution of those nodes and edges

#endif
