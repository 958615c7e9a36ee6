// A rod, as all models see it: centreline, stiffness, what holds it and what pulls on it.
#ifndef CORD_ROD_ROD_H
#define CORD_ROD_ROD_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/list.h"
#include "base/message.h"
#include "rod/centerline.h"
#include "rod/clamp.h"
#include "rod/load.h"

typedef struct RodGrid RodGrid;   // rod/grid.h
typedef struct Assembly Assembly; // rods and bodies that welds join: solve/assembly.h

typedef struct RodNow { // what queries work out of the present state
    int64_t revision;   // of the world, when it was worked out
    CordVec3* f;        // elastic force, weight and loads [N] (node_count)
    CordVec3* v;        // velocity at the time of the positions [m/s] (node_count)
    double* tension;    // [N] (node_count, of which edge_count are used)
    CordVec3* section;  // room for forces in the sections [N] (likewise)
} RodNow;

typedef struct RodReport {                        // of an implicit or position-based step
    int iterations;                               // of Newton's method
    double error, error_next;                     // of the positions, estimated; of the step under way [m]
    int64_t iterations_in_all, factorings_in_all; // since the rod was made, in steps that failed, too
    // position-based: its iterations ran out; likewise in a part of the world's step
    bool unfinished, unfinished_part;
    int64_t unfinished_in_all; // in steps and parts of steps
} RodReport;

typedef enum ModelId { // how a rod's strain, energy and frames are represented: model/model.h
    MODEL_UNIFORM,     // DER: naturally straight, round, alike all along, and explicit
    MODEL_QUATERNION,  // CORDE with explicit steps: an orientation on every edge
    MODEL_POSITION,    // position-based steps
    MODEL_MODAL,       // amplitudes of modes
    MODEL_FRAMED,      // a material frame on every edge, with the law of any model
    MODEL_ID_COUNT
} ModelId;

typedef enum StepperId { // how a rod gets from t to t + h: step/stepper.h
    STEPPER_EXPLICIT,
    STEPPER_IMPLICIT,
    STEPPER_POSITION,
    STEPPER_MODAL,
    STEPPER_IMPLICIT_ANY, // backward Euler in place of position-based steps: of any length
    STEPPER_ID_COUNT
} StepperId;

typedef struct RodEnds {           // see CordRodDef
    bool half_start, half_end;     // the first or last edge is half as long as the others
    bool double_start, double_end; // such an edge is held: see rod_bend_length
} RodEnds;

typedef struct Rod {
    CordRodId id;
    char name[64];
    CordModel model; // as the def names it
    ModelId form;    // see model_of
    StepperId stepper;
    CordIntegrator integrator;
    bool stiffened; // it was to be inextensible, and its springs are as stiff as they can be instead
    bool inextensible;
    CordLengthMethod length_method;
    CordStiffness stiffness; // of the whole rod, or of its first edge
    double radius;           // likewise [m]
    CordStiffness* along;    // where sections vary: by edge (edge_count); else NULL
    double* radii;           // likewise [m]
    double damping_time;     // viscous stiffness over elastic stiffness [s]
    bool dynamic_twist;      // frames turn with inertia
    double step_error;       // of an implicit step, as a share of the length
    double length;           // at rest [m]
    double friction, friction_across;
    int surface;     // for coefficients of friction between pairs
    bool intangible; // touches nothing
    RodEnds ends;
    CordCenterline line;
    // of a network: lumped at the nodes [kg], [m] (node_count); NULL: a chain
    double *node_mass, *node_length;
    RodGrid* grid;    // of an adaptive rod: the nodes that it may have; NULL: it keeps those it was made with
    void* stepping;   // the stepper's own
    RodReport report; // of its last step, if implicit or position-based
    double kick;      // of the step under way: time over which forces act [s]
    double last_step; // the velocities lag the positions by half of this [s]; 0: they belong together

    Clamp** clamps; // in order of creation (clamp_count)
    int clamp_count, clamp_capacity;
    bool stepped;          // at least once
    bool held_twice;       // an edge whose length is fixed is held by two clamps, which may not agree
    bool unsettled;        // its frames found no equilibrium: the next step says so
    unsigned marks;        // world_mark's: what of this rod is out of date
    List probes, surfaces; // world/'s, that look at this rod
    Load** loads;          // those that act on this rod (load_count)
    int load_count, load_capacity;
    bool sprung; // springs have taken the masses of some nodes, for the time of a step: rod/load.h

    Assembly* assembly; // with the bodies it is welded to; NULL: on its own
    // explicit rods in contact: v_next before lengths and contacts are resolved; NULL: not kept (slot_count)
    double* v_free[3];
    double* spin_free; // likewise, of frames with inertia (slot_count)
    void* data;        // the model's own
    RodNow now;
} Rod;

// From a def that rod_check_def has passed. Nodes, lengths, masses, initial velocities; the model's part
// comes after.
CordResult rod_check_def(const CordRodDef* def, Message* message);
CordResult rod_init(Memory* m, Rod* rod, const CordRodDef* def, Message* message);
void rod_free(Memory* m, Rod* rod);
void rod_free_arrays(Memory* m, Rod* rod);  // those by node and edge alone
bool rod_reserve_free(Memory* m, Rod* rod); // v_free and spin_free; false: no memory

// The nodes of the stress-free shape into x (node_count): the def's own, or straight along x with its edge
// lengths.
CordResult rod_rest_nodes(Memory* m, const Rod* rod, const CordRodDef* def, CordVec3* x, Message* message);

static inline const CordStiffness* rod_stiffness_at(const Rod* rod, int edge)
{
    return rod->along ? &rod->along[edge] : &rod->stiffness;
}

static inline double rod_radius_at(const Rod* rod, int edge)
{
    return rod->radii ? rod->radii[edge] : rod->radius;
}

// Newton's method works on material frames, so that models make such rods framed ones.
static inline bool rod_is_implicit(const Rod* rod)
{
    return rod->stepper == STEPPER_IMPLICIT || rod->stepper == STEPPER_IMPLICIT_ANY;
}

double rod_mass(const Rod* rod);                  // [kg]
double rod_node_length(const Rod* rod, int node); // of rod lumped at a node [m]
double rod_node_mass(const Rod* rod, int node);   // [kg]
double rod_edge_mass(const Rod* rod, int edge);   // [kg]

// The length l_i of DER at an inner node: both edges' rest lengths, but a half edge at a clamped end counts
// as a whole one, so that the clamp acts at the end of the rod (methods: clamps act at the middle of the
// clamped edge).
double rod_bend_length(const Rod* rod, int node);
double rod_edge_weight(const Rod* rod, int edge); // 2 for such a half edge, else 1

void rod_weigh_nodes(Rod* rod); // inverse masses: of the nodes, 0 where clamps hold
void rod_update_held(Rod* rod); // inverse masses and bend lengths after clamps have come or gone

// What keeps lengths is centerline.pull: a tension [N] for implicit rods, tension over length [N/m] for
// explicit ones. The unit it is multiplied by to be a tension, and the force along an edge [N].
double rod_pull_unit(const Rod* rod, double length);
CordVec3 rod_pull_force(const Rod* rod, int edge);

#endif
