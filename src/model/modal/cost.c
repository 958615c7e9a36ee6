// Estimates the time and memory of the eigenproblem before it is solved.
#include "base/real.h"

#include <cordage/modal.h>

#include <math.h>

// Fitted to triangulated spheres of 500 to 20,000 nodes (3,000 to 117,000 unknowns) with 8 and 40 modes,
// solved by cord_eigs on one core at about 3 GHz. 9,836 nodes took 11.4 s with 8 modes and 25.1 s with 40;
// 19,532 nodes took 26 s with 8. The estimates are 7 % above these times, and further above those of smaller
// networks. Memory is estimated for the built-in solver, which needs more: 0.50 GB and 1.33 GB for the two
// networks, where cord_eigs needs 0.33 GB and 0.68 GB.
static const double fill_seconds = 4e-7;     // factorisation, by (unknowns in loops)^1.5
static const double solve_seconds = 9e-7;    // one solve, by unknown
static const double vector_seconds = 1.2e-8; // orthogonalisation, by unknown and mode
// factors, by unknown in a loop and by each doubling of their number
static const double fill_bytes = 600.0;
static const double base_bytes = 2000.0; // matrices, by unknown
static const double vector_bytes = 48.0; // vectors, by unknown and mode

// Only loops cause fill-in. A network of c independent loops has at most 2 c nodes where three or more edges
// meet, and the chains between them are eliminated without fill-in. Each triangle of a surface closes a loop.
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
