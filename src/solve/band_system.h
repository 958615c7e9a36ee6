// A strand: a stretch of rod as a banded system of equations, for implicit steps and static solves. Its
// unknowns are the changes of positions, frame angles and, where an edge's tension is one, tensions. At
// either end it may meet a port: an edge (both its nodes and its frame) whose unknowns are shared with other
// strands, because a body carries it or because it closes a ring. The strand is condensed onto its ports.
//
// Node k of the strand has its unknowns in one block: x_k, the angle of the edge after it, the tension of the
// edge before it (if any is unknown). A tension comes after both of its nodes, or after the one that is no
// port's, so that its pivot is never zero.
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
    int block; // unknowns in each: 4, or 5 with tensions
    // is there a port? The left one holds nodes -1 and 0 of the strand, the right one nodes `blocks` and the
    // next
    bool left, right;
    bool own_left, own_right; // does what belongs to the port's edge itself count as this strand's?
    bool right_only;          // adding goes to the right-hand side alone: the matrix stays as it was factored
    bool ring;                // the rod is closed by one port that no body has to do with
    int port_size;            // unknowns of each port
    BandLdu band;
    struct {
        int cleared, kept, eliminated; // rows of the band, so far
        bool forward;                  // the right-hand side has been eliminated, too
    } stream;
    double* r;                                                  // right-hand side, then solution (band.n)
    double r_left[BAND_PORT_MOST];                              // of the left port
    bool held_left[BAND_PORT_MOST], held_right[BAND_PORT_MOST]; // unknowns that do not move
} BandSystem;

bool band_needs_tensions(const Rod* rod);       // is any edge's tension an unknown of its own?
size_t band_scratch(const Rod* rod, int count); // bytes that opening `count` strands takes from the arena

// From the edge `left` to the edge `right`, which are its ports; -1: to the rod's end. A ring that nothing
// else cuts has one and the same on both sides. A strand between two ports has at least one node of its own.
void band_open(BandSystem* s, Rod* rod, bool tensions, int left, int right, Arena* scratch);
void band_clear(BandSystem* s);
void band_clear_right(BandSystem* s); // the right-hand side alone

// Where an unknown stands: in the band if not negative, else -1 - i is the i-th of the left port. k counts
// from the strand's first block; -1 and `blocks`, `blocks` + 1 are the ports'.
int band_x(const BandSystem* s, int k);       // first of three
int band_angle(const BandSystem* s, int k);   // of the edge after node k
int band_tension(const BandSystem* s, int k); // likewise

static inline int band_next(int i, int by) // the unknown that stands `by` after i
{
    return i >= 0 ? i + by : i - by;
}

int band_port(const BandSystem* s);        // where the right port begins in r
int band_slot(const BandSystem* s, int k); // of node k of the strand, and of the edge after it

// Corners [from, to) by node, and what the strand counts as its own: nodes, edges and frames, the i-th of
// which is k by the strand's count.
int band_corner_from(const BandSystem* s);
int band_corner_to(const BandSystem* s);
int band_node_count(const BandSystem* s);
int band_node(const BandSystem* s, int i);
int band_edge_count(const BandSystem* s); // and frames
int band_edge(const BandSystem* s, int i);
bool band_has(const BandSystem* s, int node, int* k); // a node of the rod: is it among its own?

void band_add(BandSystem* s, int i, int j, double value);
void band_add_right(BandSystem* s, int i, double value);                          // to the right-hand side
void band_add_corners(BandSystem* s, const CornerTerms* terms, int from, int to); // [from, to) of them
const BandKernels* band_kernels(void);
int band_run(const BandSystem* s, int from,
             int to); // how many edges from `from` on, below `to`, have slots that follow each other
// K is what the force in the edge after node k makes of a change of its vector, row-major.
void band_add_edge(BandSystem* s, int k, const double K[9]);

void band_seal_first(BandSystem* s);                // unknowns that the first block has no use for
void band_seal_last(BandSystem* s);                 // and the last
void band_hold(BandSystem* s, int i, double value); // an unknown whose change is known; a port's: 0
void band_slide(BandSystem* s, int k, CordVec3 axis,
                CordVec3 value); // a node that moves along the axis alone; across, by a known value
// Both nodes of an edge with a tension of its own, as one; but for `apart`, by which they move apart along
// the axis.
void band_slide_together(BandSystem* s, int k, CordVec3 axis, double apart);

typedef struct BandPivots {
    int negative; // of the strand, and of a ring's seam if symmetric
    double least; // smallest pivot, relative: 0 if the matrix is singular
} BandPivots;

BandPivots band_factor(BandSystem* s, bool symmetric);

// Assembled and factored in one go, from one end of a rod without ports to the other, so that a long one
// passes through the cache once. Its blocks are cleared, filled, made ready (all is added, what is held is
// held) and eliminated one after the other.
void band_stream_begin(BandSystem* s);
void band_stream_clear(BandSystem* s, int to); // blocks below `to`, if they are not yet
void band_stream_eliminate(BandSystem* s, int ready,
                           // those whose neighbours are ready, if `ready` are: all, if it is all
                           bool symmetric);
BandPivots band_stream_end(BandSystem* s, bool symmetric);

void band_forward(BandSystem* s);    // condenses the right-hand side onto the ports
void band_backward(BandSystem* s);   // once the ports' solution stands in r and r_left
bool band_solve_ring(BandSystem* s); // in between, for a ring by itself; false: singular

void band_get_right(const BandSystem* s, Move* m);    // adds the right-hand side, ports and all
void band_put_right(BandSystem* s, const Move* m);    // of what is its own
void band_get_solution(const BandSystem* s, Move* m); // of what is its own

#endif
