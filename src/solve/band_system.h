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

#define STRAND_PORT_MOST 8 // unknowns of a port: x, angle, x, and the tension of a ring's seam

typedef struct Strand {
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
    double* r;                                                      // right-hand side, then solution (band.n)
    double r_left[STRAND_PORT_MOST];                                // of the left port
    bool held_left[STRAND_PORT_MOST], held_right[STRAND_PORT_MOST]; // unknowns that do not move
} Strand;

bool strand_needs_tensions(const Rod* rod);       // is any edge's tension an unknown of its own?
size_t strand_scratch(const Rod* rod, int count); // bytes that opening `count` strands takes from the arena

// From the edge `left` to the edge `right`, which are its ports; -1: to the rod's end. A ring that nothing
// else cuts has one and the same on both sides. A strand between two ports has at least one node of its own.
void strand_open(Strand* s, Rod* rod, bool tensions, int left, int right, Arena* scratch);
void strand_clear(Strand* s);
void strand_clear_right(Strand* s); // the right-hand side alone

// Where an unknown stands: in the band if not negative, else -1 - i is the i-th of the left port. k counts
// from the strand's first block; -1 and `blocks`, `blocks` + 1 are the ports'.
int strand_x(const Strand* s, int k);       // first of three
int strand_angle(const Strand* s, int k);   // of the edge after node k
int strand_tension(const Strand* s, int k); // likewise

static inline int strand_next(int i, int by) // the unknown that stands `by` after i
{
    return i >= 0 ? i + by : i - by;
}

int strand_port(const Strand* s);        // where the right port begins in r
int strand_slot(const Strand* s, int k); // of node k of the strand, and of the edge after it

// Corners [from, to) by node, and what the strand counts as its own: nodes, edges and frames, the i-th of
// which is k by the strand's count.
int strand_corner_from(const Strand* s);
int strand_corner_to(const Strand* s);
int strand_node_count(const Strand* s);
int strand_node(const Strand* s, int i);
int strand_edge_count(const Strand* s); // and frames
int strand_edge(const Strand* s, int i);
bool strand_has(const Strand* s, int node, int* k); // a node of the rod: is it among its own?

void strand_add(Strand* s, int i, int j, double value);
void strand_add_right(Strand* s, int i, double value);                          // to the right-hand side
void strand_add_corners(Strand* s, const CornerTerms* terms, int from, int to); // [from, to) of them
const StrandKernels* strand_kernels(void);
int strand_run(const Strand* s, int from,
               int to); // how many edges from `from` on, below `to`, have slots that follow each other
// K is what the force in the edge after node k makes of a change of its vector, row-major.
void strand_add_edge(Strand* s, int k, const double K[9]);

void strand_seal_first(Strand* s);                // unknowns that the first block has no use for
void strand_seal_last(Strand* s);                 // and the last
void strand_hold(Strand* s, int i, double value); // an unknown whose change is known; a port's: 0
void strand_slide(Strand* s, int k, CordVec3 axis,
                  CordVec3 value); // a node that moves along the axis alone; across, by a known value
// Both nodes of an edge with a tension of its own, as one; but for `apart`, by which they move apart along
// the axis.
void strand_slide_together(Strand* s, int k, CordVec3 axis, double apart);

typedef struct StrandPivots {
    int negative; // of the strand, and of a ring's seam if symmetric
    double least; // smallest pivot, relative: 0 if the matrix is singular
} StrandPivots;

StrandPivots strand_factor(Strand* s, bool symmetric);

// Assembled and factored in one go, from one end of a rod without ports to the other, so that a long one
// passes through the cache once. Its blocks are cleared, filled, made ready (all is added, what is held is
// held) and eliminated one after the other.
void strand_stream_begin(Strand* s);
void strand_stream_clear(Strand* s, int to); // blocks below `to`, if they are not yet
void strand_stream_eliminate(Strand* s, int ready,
                             // those whose neighbours are ready, if `ready` are: all, if it is all
                             bool symmetric);
StrandPivots strand_stream_end(Strand* s, bool symmetric);

void strand_forward(Strand* s);    // condenses the right-hand side onto the ports
void strand_backward(Strand* s);   // once the ports' solution stands in r and r_left
bool strand_solve_ring(Strand* s); // in between, for a ring by itself; false: singular

void strand_get_right(const Strand* s, Move* m);    // adds the right-hand side, ports and all
void strand_put_right(Strand* s, const Move* m);    // of what is its own
void strand_get_solution(const Strand* s, Move* m); // of what is its own

#endif
