// Modal warping (MW, Choi and Song 2013): a network of beams reduced to its m lowest modes. The state is the
// modal amplitudes q and their rates. Positions are x_i = X_i + W(w_i) (Phi q)_i with the rotation vectors
// w_i = (Psi q)_i (MW section 3.3), in a reference frame that moves with the supports.
#ifndef CORD_MODEL_MODAL_MODAL_H
#define CORD_MODEL_MODAL_MODAL_H

#include "math/oscillator.h"
#include "model/modal/beam.h"
#include "model/modal/warp.h"
#include "model/model.h"

#include <cordage/modal.h>

#define NODE_FREEDOMS 6

// A support: the degrees of freedom of a node that clamps hold.
typedef struct Support {
    int node;
    CordVec3 axes[NODE_FREEDOMS]; // three for displacements and three for rotations, each orthonormal
    unsigned held;                // one bit for each axis
} Support;

// The carrier: a moving reference frame attached to the first support. Its initial axes are those of space.
typedef struct Carrier {
    Pose pose;
    CordVec3 velocity, spin; // along its own axes [m/s], [rad/s]
} Carrier;

// Body acceleration of the whole structure in the carrier's axes, from gravity and the inertial forces of the
// carrier: a(r) = even + spread r, with r the position relative to the carrier's origin.
typedef struct Pull {
    CordVec3 even;       // [m/s^2]
    double spread[3][3]; // [1/s^2]
    bool spreads;        // `spread` is not zero
} Pull;

typedef struct ModalState {
    double *q, *rate;         // amplitudes and their rates (m)
    double* load;             // the pull, projected on the modes (m)
    double* before;           // the same at the start of the last step (m)
    double* ahead;            // the same, predicted for the end of the next step if its length is `step` (m)
    double* force;            // total modal force of the last step (m)
    double* extra;            // the part of it that is not due to the pull (m)
    Pull pull;                // the pull of `load`
    Pull acted;               // the pull of the last step
    bool loaded, ahead_valid; // `load` is valid; `ahead` is valid
    bool yields;              // positions hold what contact displaces nodes beyond the modes
    double step;              // length of the last step [s]
    Carrier carrier;
} ModalState;

typedef struct CordModal {
    CordModalDef def;            // a copy; its damping ratios are owned by this struct
    const CordModalHooks* hooks; // the world's eigensolver and cache; NULL: none
    CordVec3* rest;              // rest positions X [m] (node_count)
    CordVec3* m1;                // material axes at rest (edge_count)
    int* chain;        // the two nodes of each edge of a chain (2 edge_count); NULL: the rod is a network
    Support* supports; // (support_count)
    int support_count;
    CordVec3 origin; // the carrier's origin in the rest state [m]
    bool found;      // the modes for these supports have been computed
    double rounding; // round-off bound of omega^2 [1/s^2]

    int count;       // m
    double* omega2;  // Lambda [1/s^2] (m)
    double* damping; // C [1/s] (m)
    double* shape;   // Phi and Psi: by mode, by node, displacement and rotation (m x 6 node_count)
    double* wide[3]; // rest positions, in blocks of eight nodes [m] (8 block_count)
    float* room;     // scratch of the kernel
    float* table;    // mode table of kernel.h: rotations, displacements, loads (block_count x m x 9 x 8)
    int block_count;
    // modal load of a unit angular acceleration of the supports, due to the rotary inertia of the edges about
    // their axes alone (m)
    CordVec3* spin_load;
    double* nodes;    // displacements and rotations of the present amplitudes, for queries (6 node_count)
    bool nodes_known; // `nodes` is up to date
    // half of each edge at a node: sum of the lengths, and sum of length times t t' as xx xy xz yy yz zz [m]
    // (7 node_count)
    double* lengths;
    // share of each node in the modal load of a uniform unit acceleration, by mode, by node (m x 3
    // node_count)
    double* loads;
    double *twist, *stretch; // matrices E of the twisting and stretching energy q' E q / 2 (m x m)
    CordMode* mode;          // properties of the modes, for reports (m)
    double* drag;            // modal drag matrix without its part in drag_damping (m x m)
    double* drag_damping;    // drag as damping of single modes [1/s] (m)
    double drag_key[2];      // the coefficients along and across that `drag` was computed for
    CordModalReport report;

    ModalState now, next;
    Carrier start; // carrier at the start of the step; differs from now.carrier after a velocity jump
    // A step in which contact acts begins anew from `start_rate`, with the forces of the others (m each).
    double *start_rate, *free_force, *free_extra;
    double* kept;  // rates, `force` and `extra` of `next`, while contact corrects positions alone (3 m)
    bool euler;    // the step is by backward Euler
    double* block; // arrays of both states, and these (state_size)
    size_t state_size;
    double h;                // step of the oscillators [s]
    Oscillator *step, *half; // exact oscillator updates over h and over h/2 (m)
} CordModal;

static inline CordModal* modal_of(const Rod* rod)
{
    return (CordModal*)rod->data;
}

static inline const int* modal_ends(const Rod* rod)
{
    return rod->line.ends ? rod->line.ends : modal_of(rod)->chain;
}

Beam modal_beam(const Rod* rod, int edge);

// ---- supports.c

// collects the supports from the rod's clamps
CordResult supports_take(Memory* m, Rod* rod, bool* changed, Message* message);
// Counts the rigid motions that no support resists, over all connected components. `names` describes those of
// the first component that has any.
CordResult supports_free(Memory* m, const Rod* rod, int* count, char* names, size_t size, Message* message);
const Clamp* supports_leader(const Rod* rod); // the clamp that the carrier is attached to; NULL: none
Pose carrier_pose(const Rod* rod, double time);
Carrier carrier_at(const Rod* rod, double time, double h);   // with the velocity at the end of a step of h
Carrier carrier_from(const Rod* rod, double time, double h); // with the velocity at the start of a step of h
// checks that all supports move as one rigid body
CordResult carrier_check(const Rod* rod, double time, Message* message);
bool carrier_rests(const Carrier* c);
static inline CordVec3 carrier_out(const CordModal* m, const Carrier* c, CordVec3 x) // to space
{
    return vec3_add(c->pose.point, quat_rotate(c->pose.rotation, vec3_sub(x, m->origin)));
}

// ---- find.c

CordResult modal_find(Memory* m, Rod* rod, Message* message);
// the k-th eigenvalue and the next belong to one cluster (equal frequencies)
bool modal_is_one_with_next(const Rod* rod, const double* lambda, int k);

// Deflection at rest that a load causes along itself, in the modes over that of the whole structure; NAN if
// it causes none, or if rigid motions were left out.
CordResult modal_load_share(Memory* m, const Rod* rod, const Load* load, double* share, Message* message);
CordResult modal_weight_share(Memory* m, const Rod* rod, CordVec3 gravity, double* share, Message* message);

// ---- sparse.c

typedef struct ModalMatrix {
    int unknowns;
    int* unknown;     // index of each degree of freedom of each node, -1: held (6 node_count)
    int *start, *row; // compressed columns, as in CordEigenProblem
    double *K, *M;    // (start[unknowns])
    int64_t entries;
    int node_count; // nodes of the structure
} ModalMatrix;

CordResult modal_matrix_make(Memory* m, const Rod* rod, ModalMatrix* a, Message* message);
void modal_matrix_free(Memory* m, ModalMatrix* a);

// ---- tables.c

// Builds the modal tables from the lowest `count` eigenpairs that are not rigid motions; `a` is the matrix
// pair that they belong to.
CordResult modal_take_pairs(Memory* m, Rod* rod, const ModalMatrix* a, const double* lambda,
                            const double* phi, int count, Message* message);
void modal_forget(Memory* m, Rod* rod);

// ---- parts.c

typedef CordResult (*PartSolver)(void* user, const CordEigenProblem* p, double* lambda, double* phi,
                                 Message* message);

// The lowest eigenpairs of all connected components, each solved separately; `a` holds the matrices of e.
CordResult parts_lowest(Memory* m, const Rod* rod, const ModalMatrix* a, const CordEigenProblem* e,
                        PartSolver solve, void* user, double* lambda, double* phi, Message* message);

// ---- modal.c

void modal_take_velocities(Rod* rod); // projects the node velocities on the modes

// ---- fit.c

// Fits amplitudes and rates to nodes at x with velocities v, with the supports where they are at `time`.
CordResult modal_fit(Memory* m, Rod* rod, double time, const CordVec3* x, const CordVec3* v,
                     Message* message);

// ---- placement.c

// Computes positions x from amplitudes q, and the modal load of a pull at amplitudes `ahead`. x or load may
// be NULL.
void modal_evaluate(const Rod* rod, const Carrier* c, const double* q, double* const x[3], const Pull* pull,
                    const double* ahead, double* load);
void modal_add_cross(CordVec3 w, double share, double A[3][3]); // A += share [w]
typedef struct NodeNow {                                        // present state of a node, carrier's axes
    Warp warp;
    CordVec3 d; // displacement from its rest position [m]
} NodeNow;
NodeNow modal_node_now(const Rod* rod, const double* q, int node);
// Adds the modal forces of a force on a node, which is given in the node's own axes.
void modal_add_force(const Rod* rod, int node, CordVec3 local, double* force);
// Drag force on a node past which the air flows at u, with coefficients along and across its edges. Both
// vectors are in the node's own axes.
CordVec3 modal_drag(const Rod* rod, int node, double along, double across, CordVec3 u);
// computes the positions of a state, and discards its predicted load
void modal_place(const Rod* rod, ModalState* s, double* const x[3]);
// adds the modal forces of point loads and wind (m)
void modal_add_loads(const Rod* rod, const Carrier* c, double time, const double* q, double* force);
CordVec3 modal_inward(const Carrier* c, CordVec3 a); // from the axes of space to the carrier's
Pull modal_pull(CordVec3 gravity, const Carrier* from, const Carrier* to, double h); // mean over a step

// Denominator of backward Euler: a step of h changes q by h (v + h (f - omega^2 q)) over this value.
static inline double modal_implicit(const CordModal* m, int mode, double h)
{
    return 1.0 + h * (m->damping[mode] + m->drag_damping[mode]) + h * h * m->omega2[mode];
}

// Linear displacement u and rotation vector w of a node at amplitudes q.
static inline void modal_node(const Rod* rod, const double* q, int node, CordVec3* u, CordVec3* w)
{
    const CordModal* m = modal_of(rod);
    double sum[NODE_FREEDOMS] = {0};
    for (int k = 0; k < m->count; k++) {
        const double* phi =
            m->shape + ((size_t)k * (size_t)rod->line.node_count + (size_t)node) * NODE_FREEDOMS;
        for (int c = 0; c < NODE_FREEDOMS; c++) {
            sum[c] += phi[c] * q[k];
        }
    }
    *u = (CordVec3){sum[0], sum[1], sum[2]}, *w = (CordVec3){sum[3], sum[4], sum[5]};
}

// ---- rest.c

CordResult modal_rest(Memory* m, Rod* rod, const Pull* pull, const Carrier* carrier, double time,
                      ModalRest* rest, Message* message); // sets q to equilibrium and the rates to zero

// ---- query.c

void modal_velocities(Rod* rod);
// Velocity of one node from the amplitudes: the centreline has velocities only after they were asked for
// [m/s].
CordVec3 modal_node_velocity(const Rod* rod, int node);
void modal_frames(const Rod* rod, CordVec3* m1);
void modal_energy(const Rod* rod, CordEnergy* e);
double modal_dissipation(const Rod* rod); // [W]
void modal_spin(const Rod* rod, double lag, double* energy, CordVec3* momentum);
void modal_gradient(const Rod* rod, CordVec3* dE_dx);
void modal_moments(const Rod* rod, CordVec3* moment);
void modal_sections(const Rod* rod, CordVec3* force, double* tension);
double modal_twist(const Rod* rod);
// adds the forces and moments that all elements exert on their nodes (node_count)
void modal_pulls(const Rod* rod, CordVec3* force, CordVec3* moment);
// Resultant force, and torque about a point, of external loads, weight and inertia: the load on the supports.
// f: forces on nodes without weight (node_count); a: scratch (m).
void modal_resultant(const Rod* rod, CordVec3 gravity, CordVec3 point, const CordVec3* f, double* a,
                     CordVec3* force, CordVec3* torque);
// the acceleration of a pull at a node that is displaced by d
CordVec3 modal_pull_at(const Rod* rod, const Pull* pull, int node, CordVec3 d);

#endif
