// Modal warping (MW): a network of beams in its m lowest modes. The state is the amplitudes q of the modes
// and their rates; positions follow from these: x_i = X_i + W(w_i) (Phi q)_i with w_i = (Psi q)_i, in a frame
// that goes with the supports.
#ifndef CORD_MODEL_MODAL_MODAL_H
#define CORD_MODEL_MODAL_MODAL_H

#include "math/oscillator.h"
#include "model/modal/beam.h"
#include "model/modal/warp.h"
#include "model/model.h"

#include <cordage/modal.h>

#define NODE_FREEDOMS 6

// What holds a node: along which of its axes it is not free.
typedef struct Support {
    int node;
    CordVec3 axes[NODE_FREEDOMS]; // three for displacements, three for turns, each three orthonormal
    unsigned held;                // one bit for each of them
} Support;

// The frame that goes with the supports: it begins with the axes of space, about the first support's point.
typedef struct Carrier {
    Pose pose;
    CordVec3 velocity, spin; // along its own axes [m/s], [rad/s]
} Carrier;

// Acceleration that acts on all of the structure, in the carrier's axes: the same everywhere, and one that
// goes with the place r about the carrier's point.
typedef struct Pull {
    CordVec3 even;       // [m/s^2]
    double spread[3][3]; // [1/s^2]
    bool spreads;
} Pull;

typedef struct ModalState {
    double *q, *rate;    // (m)
    double* load;        // of the pull on all the structure, projected on the modes (m)
    double* before;      // likewise, at the start of the step that led here (m)
    double* ahead;       // likewise, where the next step is expected to end, if it is of `step` (m)
    double* force;       // all that acted on the modes in that step (m)
    double* extra;       // of it, what was not this load (m)
    Pull pull;           // that these are of
    Pull acted;          // in that step
    bool loaded, looked; // is there a load, and one ahead?
    double step;         // [s]
    Carrier carrier;
} ModalState;

typedef struct CordModal {
    CordModalDef def;            // its ratios are our own
    const CordModalHooks* hooks; // the world's, for finding modes; NULL: none
    CordVec3* rest;              // X [m] (node_count)
    CordVec3* m1;                // at rest (edge_count)
    int* chain; // of a chain, as a network: the nodes of each edge (2 edge_count); NULL: the rod is a network
    Support* supports; // (support_count)
    int support_count;
    CordVec3 origin; // where the carrier's point began [m]
    bool found;      // modes are, for these supports
    double rounding; // of omega^2 [1/s^2]

    int count;       // m
    double* omega2;  // Lambda [1/s^2] (m)
    double* damping; // C [1/s] (m)
    double* shape;   // Phi: by mode, by node, displacement and turn (m x 6 node_count)
    double* wide[3]; // rest places, for eight nodes at a time [m] (8 block_count)
    float* room;     // for the kernel
    float* table;    // for eight nodes and a mode: turns, displacements, loads (block_count x m x 9 x 8)
    int block_count;
    // what an angular acceleration of the supports does to each mode, beside that of the nodes' places:
    // inertia about the edges' own axes (m)
    CordVec3* spin_load;
    double* nodes; // displacements and turns of the present amplitudes, for those who ask (6 node_count)
    bool nodes_known;
    // half of each edge at a node: the sum, and that of length times t t, xx xy xz yy yz zz [m] (7
    // node_count)
    double* lengths;
    // what a unit acceleration of its surroundings does to a node, by mode, by node (m x 3 node_count)
    double* loads;
    double *twist, *stretch; // of the elastic energy q E q / 2 (m x m)
    CordMode* mode;          // what is known of them (m)
    double* drag;            // modal drag matrix, but for what goes into the damping of single modes (m x m)
    double* drag_damping;    // that [1/s] (m)
    double drag_key[2];      // the along and across it was made for
    CordModalReport report;

    ModalState now, next;
    Carrier start; // of the step under way: as now's, but after a jolt
    double* block; // of both states (block_size doubles)
    size_t state_size;
    double h;                // that the oscillators are for [s]
    Oscillator *step, *half; // over h and half of it (m)
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

CordResult supports_take(Memory* m, Rod* rod, bool* changed, Message* message); // from the rod's clamps
// How many rigid motions nothing resists, and which, of the first part that has any.
CordResult supports_free(Memory* m, const Rod* rod, int* count, char* names, size_t size, Message* message);
const Clamp* supports_leader(const Rod* rod); // the first, which the carrier goes with; NULL: none
Pose carrier_pose(const Rod* rod, double time);
Carrier carrier_at(const Rod* rod, double time, double h);   // at the end of a step of h
Carrier carrier_from(const Rod* rod, double time, double h); // at its start, as it goes on from there
CordResult carrier_check(const Rod* rod, double time, Message* message); // do all supports move as one?
bool carrier_rests(const Carrier* c);
static inline CordVec3 carrier_out(const CordModal* m, const Carrier* c, CordVec3 x) // to space
{
    return vec3_add(c->pose.point, quat_rotate(c->pose.rotation, vec3_sub(x, m->origin)));
}

// ---- find.c

CordResult modal_find(Memory* m, Rod* rod, Message* message);
// are the k-th and the next of one frequency?
bool modal_is_one_with_next(const Rod* rod, const double* lambda, int k);

// ---- sparse.c

typedef struct ModalMatrix {
    int unknowns;
    int* unknown;     // of each freedom of each node, -1: held (6 node_count)
    int *start, *row; // columns, as CordEigenProblem has them
    double *K, *M;    // (start[unknowns])
    int64_t entries;
    int node_count; // of the structure
} ModalMatrix;

CordResult modal_matrix_make(Memory* m, const Rod* rod, ModalMatrix* a, Message* message);
void modal_matrix_free(Memory* m, ModalMatrix* a);

// ---- tables.c

// From the lowest `count` pairs that are no rigid motions; `a` is what they were found of.
CordResult modal_take_pairs(Memory* m, Rod* rod, const ModalMatrix* a, const double* lambda,
                            const double* phi, int count, Message* message);
void modal_forget(Memory* m, Rod* rod);

// ---- parts.c

typedef CordResult (*PartSolver)(void* user, const CordEigenProblem* p, double* lambda, double* phi,
                                 Message* message);

// The lowest pairs of all parts that do not hang together, each solved for by itself; `a` is what the problem
// is made of.
CordResult parts_lowest(Memory* m, const Rod* rod, const ModalMatrix* a, const CordEigenProblem* e,
                        PartSolver solve, void* user, double* lambda, double* phi, Message* message);

// ---- modal.c

void modal_take_velocities(Rod* rod); // those of the nodes, as rates of the modes

// ---- fit.c

// Takes the shape nearest to nodes at x that go at v, by node, with the supports as they are at `time`.
CordResult modal_fit(Memory* m, Rod* rod, double time, const CordVec3* x, const CordVec3* v,
                     Message* message);

// ---- placement.c

// Positions of amplitudes q, and the load of a pull at amplitudes `ahead`. Either may be NULL.
void modal_evaluate(const Rod* rod, const Carrier* c, const double* q, double* const x[3], const Pull* pull,
                    const double* ahead, double* load);
void modal_add_cross(CordVec3 w, double share, double A[3][3]); // A += share w x .
typedef struct NodeNow {                                        // of a node, in the carrier's axes
    Warp warp;
    CordVec3 d; // from its rest place [m]
} NodeNow;
NodeNow modal_node_now(const Rod* rod, const double* q, int node);
// A force on a node in the carrier's axes, as forces on the modes: adds.
void modal_add_force(const Rod* rod, int node, CordVec3 local, double* force);
// The drag on a node that moves at u, with coefficients along and across the edges there.
CordVec3 modal_drag(const Rod* rod, int node, double along, double across, CordVec3 u);
// positions; what was expected is no longer
void modal_place(const Rod* rod, ModalState* s, double* const x[3]);
void modal_add_loads(const Rod* rod, const Carrier* c, double time, const double* q,
                     double* force);                 // those on single nodes, and wind (m)
CordVec3 modal_inward(const Carrier* c, CordVec3 a); // from the axes of space to the carrier's
Pull modal_pull(CordVec3 gravity, const Carrier* from, const Carrier* to, double h); // over a step

// Backward Euler: a step of h moves q by h (v + h (f - omega^2 q)) over this.
static inline double modal_implicit(const CordModal* m, int mode, double h)
{
    return 1.0 + h * (m->damping[mode] + m->drag_damping[mode]) + h * h * m->omega2[mode];
}

// Displacement and turn of a node, of amplitudes q.
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
                      ModalRest* rest, Message* message); // q in equilibrium, at rest

// ---- query.c

void modal_velocities(Rod* rod);
void modal_frames(const Rod* rod, CordVec3* m1);
void modal_energy(const Rod* rod, CordEnergy* e);
void modal_spin(const Rod* rod, double lag, double* energy, CordVec3* momentum);
void modal_gradient(const Rod* rod, CordVec3* dE_dx);
void modal_moments(const Rod* rod, CordVec3* moment);
void modal_sections(const Rod* rod, CordVec3* force, double* tension);
double modal_twist(const Rod* rod);
void modal_pulls(const Rod* rod, CordVec3* force,
                 CordVec3* moment); // adds what all elements do to the nodes they meet at (node_count)
// What all that acts on the structure from outside, weight and inertia come to, about a point: what its
// supports take. f: the forces on nodes beside weight (node_count); a: room (m).
void modal_resultant(const Rod* rod, CordVec3 gravity, CordVec3 point, const CordVec3* f, double* a,
                     CordVec3* force, CordVec3* torque);
// at a node that is d from its rest place
CordVec3 modal_pull_at(const Rod* rod, const Pull* pull, int node, CordVec3 d);

#endif
