// What finding modes takes, before it is done.
#include "base/real.h"

#include <cordage/modal.h>

#include <math.h>

// Fitted to spheres of triangles of 500 to 20,000 nodes (3,000 to 117,000 unknowns), 8 and 40 modes, found by
// cord_eigs: processor time of a core at some 3 GHz while the other was busy, too. 9,836 nodes took 11.4 s
// with 8 modes and 25.1 s with 40, 19,532 nodes 26 s with 8; bounds are 7 % above these, and more above the
// smaller ones. Memory is bounded for the built-in solver, which takes more: 0.50 GB and 1.33 GB for the two,
// where cord_eigs takes 0.33 and 0.68.
static const double fill_seconds = 4e-7;     // of factorising, by (unknowns in loops)^1.5
static const double solve_seconds = 9e-7;    // of one solve, by unknown
static const double vector_seconds = 1.2e-8; // and by mode, to keep vectors at right angles
// of the factors, by unknown in a loop, and each doubling of their number
static const double fill_bytes = 600.0;
static const double base_bytes = 2000.0; // of the matrices, by unknown
static const double vector_bytes = 48.0; // by unknown and mode

// What fills in are loops: a network of c independent loops has at most 2 c nodes where three edges or more
// meet, and chains between them are eliminated at no cost. Each triangle of a surface closes one.
CordModalCost cord_modal_cost(int node_count, int edge_count, int modes)
{
    double n = real_max(1.0, 6.0 * node_count), m = real_max(1.0, modes);
    double loops = real_max(0.0, (double)edge_count - node_count + 1.0),
           crowding = real_max(1.0, edge_count / (0.5 * n));
    double looped = real_min(n, 12.0 * loops);
    double solves = 100.0 + 4.0 * m;
    int doublings = 0;
    frexp(looped, &doublings);
    return (CordModalCost){.unknowns = 6.0 * node_count,
                           .memory = crowding * n * (base_bytes + vector_bytes * m) +
                                     crowding * fill_bytes * looped * doublings,
                           .seconds = crowding * fill_seconds * looped * sqrt(looped) +
                                      solves * n * (solve_seconds + vector_seconds * m)};
}
