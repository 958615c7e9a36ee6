// Up to four rods side by side, one in each lane: what the position-based solvers work on. All are made
// alike: as many nodes, open or closed, the same settings. A rod comes out with the same bits whatever the
// others are.
#ifndef CORD_STEP_POSITION_LANES_H
#define CORD_STEP_POSITION_LANES_H

#include "math/wide3.h"
#include "model/pbd/measure.h"

#include <cordage/cordage.h>
#include <stdbool.h>

// Inertia of what is held: nothing moves it.
#define PBD_HELD 1e100

typedef struct PbdSlot { // a node, the edge after it, and the corner at it
    // The node.
    Wide3 x;            // where it is tried [m]
    Wide3 kept;         // where iterations have brought it so far [m]
    Wide3 start;        // at the start of the substep [m]
    Wide3 goal;         // where it would go without constraints [m]
    Wide3 hint;         // where it was solved for before, see `hinted` [m]
    Wide3 v;            // [m/s]
    Wide3 push;         // what forces from outside add to it in a substep [m/s]
    CordWide w;         // inverse mass, 0: held [1/kg]
    CordWide inertia;   // mass over the square of the substep [N/m], or PBD_HELD
    Wide3 rail;         // unit: the axis along which a clamp lets it slide, or drag is another than across it
    CordWide rail_hold; // inertia across it, beside that along it [N/m]
    CordWide slides;    // 1: a clamp lets it; else 0
    CordWide drag_along, drag_across; // over the mass, times the substep
    // The edge after it.
    Wide3 t, m1;              // frame at x: unit tangent, material axis
    Wide3 kept_t, kept_m1;    // at `kept`
    Wide3 first_t, first_m1;  // at the start of the step
    CordWide length;          // at x [m]
    CordWide rest_length;     // [m]
    CordWide stretch;         // EA / L [N/m]
    CordWide spin;            // about the tangent [rad/s]
    CordWide spin_push;       // what torques from outside add to it in a substep [rad/s]
    CordWide spin_w;          // inverse moment of inertia about the tangent, 0: held [1/(kg m^2)]
    CordWide spin_inertia;    // that moment over the square of the substep [N m], or PBD_HELD
    CordWide hint_turn;       // where it was solved for before [rad]
    CordWide hint_tension;    // likewise [N]
    CordWide turn, kept_turn; // about the tangent since the start of the substep [rad]
    CordWide turn_goal;
    // The corner at it: K (beta - rest) are its moments.
    CordWide K11, K12, K22, K33; // [N m]
    CordWide rest[3];            // beta without stress
    // What viscous resistance makes of stiffness and rest, in a substep.
    CordWide now_length, now_stretch, now_K[4], now_rest[3];
    CordWide step[4];            // of x, and of the turn
    Wide3 best, best_t, best_m1; // where Phi was least, while it is let rise
    CordWide best_turn;
    CordWide tension, kept_tension,
        best_tension; // that the system counted on where it led to x [N]; with viscous resistance
    // Of a step whose edges turn, as direct_kernel.c has it.
    Wide3 gap;                 // what the edge after it lacks [m]
    CordWide hold, tie;        // of the node to its own place, and to the first one [N/m]
    Wide3 hold_pull, tie_pull; // these times where they are at rest [N]
    CordWide give;             // inverse of all that is at it [m/N]
} PbdSlot;

typedef struct PbdGhost { // what sweeps have beside: the ghost of the edge, multipliers
    Wide3 x;              // the ghost point; xpbd: as seen from the middle of the edge [m]
    Wide3 start;          // at the start of the substep [m]
    Wide3 v;              // pbd [m/s]
    Wide3 mid;       // pbd: velocity of the edge's middle after forces have acted in the substep before [m/s]
    CordWide length; // from the edge [m]
    CordWide w;      // inverse mass, 0: held [1/kg]
    CordWide lambda, compliance; // of C_L; compliances are over the square of the substep
    Wide3 bend_lambda;           // of C_BT, at the corner
    CordWide bend_compliance[4]; // 11 12 22 33
} PbdGhost;

#define PBD_FRONT 11 // unknowns that are looked at together: three nodes, the frames of the first two
#define PBD_BORDER 8 // of a ring: its last two nodes with their frames, which go last
#define PBD_RING (PBD_FRONT + PBD_BORDER)

// a coefficient for each unknown in the front, and the right-hand side
static inline int pbd_row_size(bool closed)
{
    return (closed ? PBD_RING : PBD_FRONT) + 1;
}

typedef struct PbdLanes {
    int node_count, edge_count;
    bool closed;
    bool damped, railed, dragged; // any of them is
    double h;                     // of a substep [s]
    CordPbdDef def;
    CordWide viscous;            // retardation time over h
    CordWide seam_cos, seam_sin; // of what was glued in at node 0 of a ring
    CordWide mean_edge;          // [m]
    PbdSlot* slots;              // (node_count)
    // direct: what is left of the unknowns once they are eliminated (4 node_count pbd_row_size)
    CordWide* rows;
    PbdGhost* ghosts;    // sweeps (node_count)
    CordVec3 gravity;    // [m/s^2]
    CordWide unfinished; // direct: substeps whose iterations ran out
    // direct, without substeps: lanes whose step was solved for before, with other forces
    CordWideMask hinted;
    CordWideMask from_hint; // lanes whose solve begins there
    CordWideMask exact;     // lanes whose system is to have all second derivatives: Newton's
} PbdLanes;

// The kernels: a whole step of all lanes.
void pbd_direct_plain(PbdLanes* lanes);
void pbd_direct_avx2(PbdLanes* lanes);
void pbd_sweeps_plain(PbdLanes* lanes);
void pbd_sweeps_avx2(PbdLanes* lanes);

// How the ends of their steps, `x` and `turn`, move with what pushes them there; times `scale`. One for each
// lane is wanted; `columns` is scratch (16 node_count).
struct Compliance;
void pbd_compliance_plain(PbdLanes* lanes, const struct Compliance* wanted, double scale, CordWide* columns);
void pbd_compliance_avx2(PbdLanes* lanes, const struct Compliance* wanted, double scale, CordWide* columns);

#endif
