// Data of the position-based solvers: up to four rods side by side, one in each SIMD lane. All have the same
// number of nodes, the same topology and the same settings. The result of a rod has the same bits whatever is
// in the other lanes.
#ifndef CORD_STEP_POSITION_LANES_H
#define CORD_STEP_POSITION_LANES_H

#include "math/wide3.h"
#include "model/pbd/measure.h"

#include <cordage/cordage.h>
#include <stdbool.h>

// inertia of held unknowns: so large that nothing moves them
#define PBD_HELD 1e100

typedef struct PbdSlot { // a node, the edge after it, and the corner at it
    // The node.
    Wide3 x;                          // trial position [m]
    Wide3 kept;                       // accepted position [m]
    Wide3 start;                      // at the start of the substep [m]
    Wide3 goal;                       // position without constraints, x* [m]
    Wide3 hint;                       // solution of the previous solve, see `hinted` [m]
    Wide3 v;                          // [m/s]
    Wide3 push;                       // velocity change by external forces in a substep [m/s]
    CordWide w;                       // inverse mass, 0: held [1/kg]
    CordWide inertia;                 // mass over the square of the substep [N/m], or PBD_HELD
    Wide3 rail;                       // unit axis of a sliding clamp, or of anisotropic drag
    CordWide rail_hold;               // additional inertia across it [N/m]
    CordWide slides;                  // 1: held by a sliding clamp; else 0
    CordWide drag_along, drag_across; // drag coefficient over the mass, times the substep
    // The edge after it.
    Wide3 t, m1;              // frame at x: unit tangent, first material axis
    Wide3 kept_t, kept_m1;    // at `kept`
    Wide3 first_t, first_m1;  // at the start of the step
    CordWide length;          // at x [m]
    CordWide rest_length;     // [m]
    CordWide stretch;         // EA / L [N/m]
    CordWide spin;            // about the tangent [rad/s]
    CordWide spin_push;       // spin change by external torques in a substep [rad/s]
    CordWide spin_w;          // inverse moment of inertia about the tangent, 0: held [1/(kg m^2)]
    CordWide spin_inertia;    // moment of inertia over the square of the substep [N m], or PBD_HELD
    CordWide hint_turn;       // twist of the previous solve [rad]
    CordWide hint_tension;    // tension of the previous solve [N]
    CordWide turn, kept_turn; // rotation about the tangent since the start of the substep [rad]
    CordWide turn_goal;
    // The corner at it; its moments are K (beta - rest).
    CordWide K11, K12, K22, K33; // [N m]
    CordWide rest[3];            // stress-free beta
    // Stiffness and rest values of the substep, with viscous damping.
    CordWide now_length, now_stretch, now_K[4], now_rest[3];
    CordWide step[4];            // Newton step of x and of the turn
    Wide3 best, best_t, best_m1; // state of least Phi during nonmonotone steps
    CordWide best_turn;
    // Tension that the linear system assumes at x, with viscous damping [N].
    CordWide tension, kept_tension, best_tension;
    // Length-preserving step of position_direct_kernel.c.
    Wide3 correction;          // correction of the edge vector after it [m]
    CordWide hold, tie;        // springs to the node's own position and to the first node [N/m]
    Wide3 hold_pull, tie_pull; // these times their rest positions [N]
    CordWide compliance;       // inverse of the total stiffness at the node [m/N]
} PbdSlot;

typedef struct PbdGhost { // data of Gauss-Seidel sweeps: the ghost point of the edge, and multipliers
    Wide3 x;              // ghost point; xpbd: relative to the edge's midpoint [m]
    Wide3 start;          // at the start of the substep [m]
    Wide3 v;              // pbd [m/s]
    // pbd: velocity of the edge's midpoint after external forces, in the previous substep [m/s]
    Wide3 mid;
    CordWide length;             // rest distance from the edge's midpoint [m]
    CordWide w;                  // inverse mass, 0: held [1/kg]
    CordWide lambda, compliance; // of C_L; compliances are divided by the square of the substep
    Wide3 bend_lambda;           // of C_BT at the corner
    CordWide bend_compliance[4]; // 11 12 22 33
} PbdGhost;

#define PBD_FRONT 11 // unknowns in the front: three nodes, and the frames of the first two
#define PBD_BORDER 8 // border of a ring: its last two nodes with their frames, eliminated last
#define PBD_RING (PBD_FRONT + PBD_BORDER)

// One coefficient for each unknown of the front, and the right-hand side.
static inline int pbd_row_size(bool closed)
{
    return (closed ? PBD_RING : PBD_FRONT) + 1;
}

typedef struct PbdLanes {
    int node_count, edge_count;
    bool closed;
    bool damped, railed, dragged; // true if any lane is
    bool single;                  // all lanes have the same rod
    double h;                     // substep [s]
    CordPbdDef def;
    CordWide viscous;            // retardation time over h
    CordWide seam_cos, seam_sin; // of the angle that closed the ring, at node 0
    CordWide mean_edge;          // [m]
    CordWide carries;            // 1: edges carry the spin of their frames along; else 0
    PbdSlot* slots;              // (node_count)
    // direct: rows of the LDL^T factors (4 node_count pbd_row_size)
    CordWide* rows;
    PbdGhost* ghosts;    // sweeps (node_count)
    CordVec3 gravity;    // [m/s^2]
    CordWide unfinished; // direct: substeps that did not converge
    // direct, without substeps: lanes whose step was solved before with other forces
    CordWideMask hinted;
    CordWideMask from_hint; // lanes whose solve starts from the hint
    CordWideMask exact;     // lanes that use all second derivatives: Newton's method
} PbdLanes;

// The kernels: one step of all lanes.
void pbd_direct_plain(PbdLanes* lanes);
void pbd_direct_avx2(PbdLanes* lanes);
void pbd_sweeps_plain(PbdLanes* lanes);
void pbd_sweeps_avx2(PbdLanes* lanes);

// Compliance W = J A^-1 J^T of the end of the step, `x` and `turn`, times `scale`. There is one request for
// each lane; `columns` is scratch ((16 + 4 PBD_RING) node_count).
struct Compliance;
void pbd_compliance_plain(PbdLanes* lanes, const struct Compliance* wanted, double scale, CordWide* columns);
void pbd_compliance_avx2(PbdLanes* lanes, const struct Compliance* wanted, double scale, CordWide* columns);

#endif
