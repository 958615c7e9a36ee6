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

typedef struct Framed Framed;     // model/framed/framed.h
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

typedef struct Rod {
    CordRodId id;
    char name[64];
    CordModel model;
    CordIntegrator integrator;
    // its steps may be of any length, be they position-based or, welded, those of Newton's method
    bool any_step;
    bool positioned; // position-based: its model takes the step all by itself
    bool again;      // likewise, and the step is taken once more: x_next is where it led the last time
    bool modal;      // its state is the amplitudes of modes, from which its model makes all the rest
    bool stiffened;  // it was to be inextensible, and its springs are as stiff as they can be instead
    bool inextensible;
    CordLengthMethod length_method;
    CordStiffness stiffness; // of the whole rod, or of its first edge
    double radius;           // likewise [m]
    CordStiffness* along;    // where sections vary: by edge (edge_count); else NULL
    double* radii;           // likewise [m]
    double damping_time;     // viscous stiffness over elastic stiffness [s]
    bool dynamic_twist;      // frames turn with inertia
    bool no_torque;          // it has no stiffness that a torque could act on
    bool drags;              // friction of the model's own acts, beside that of the retardation time
    double step_error;       // of an implicit step, as a share of the length
    double length;           // at rest [m]
    double friction, friction_across;
    int surface;                   // for coefficients of friction between pairs
    bool intangible;               // touches nothing
    bool half_start, half_end;     // see CordRodDef
    bool double_start, double_end; // such an edge is held: see rod_bend_length
    CordCenterline line;
    // of a network: lumped at the nodes [kg], [m] (node_count); NULL: a chain
    double *node_mass, *node_length;
    RodGrid* grid;    // of an adaptive rod: the nodes that it may have; NULL: it keeps those it was made with
    double* accel[3]; // implicit rods: acceleration over the last step [m/s^2] (slot_count)
    double* jerk[3];  // its change, by time [m/s^3] (slot_count)
    double* pull_rate;   // change of the tensions, by time [N/s] (slot_count)
    double* accel_block; // all of these
    RodReport report;    // of its last step, if implicit
    double kick;         // of the step under way: time over which forces act [s]
    // the step under way has them where friction holds them: they are not to be put in equilibrium without it
    bool frames_stand;
    double last_step; // the velocities lag the positions by half of this [s]; 0: they belong together

    Clamp** clamps; // in order of creation (clamp_count)
    int clamp_count, clamp_capacity;
    bool stepped;          // at least once
    bool started;          // stepped, or in its first step
    bool held_twice;       // an edge whose length is fixed is held by two clamps, which may not agree
    bool unsettled;        // its frames found no equilibrium: the next step says so
    unsigned marks;        // world_mark's: what of this rod is out of date
    List probes, surfaces; // world/'s, that look at this rod
    Load** loads;          // those that act on this rod (load_count)
    int load_count, load_capacity;
    bool sprung; // springs have taken the masses of some nodes, for the time of a step: rod/load.h

    Assembly* assembly; // with the bodies it is welded to; NULL: on its own
    // explicit rods that may touch: v_next before lengths and contacts are seen to; NULL: not kept
    // (slot_count)
    double* v_free[3];
    double* spin_free; // likewise, of frames with inertia (slot_count)
    bool ends_step;    // settling ends a step; else positions were set
    bool touched;      // it may touch: implicit steps are taken together with all that it may touch
    void* data;        // the model's own
    const CordModalHooks* modal_hooks; // of the world; NULL: none
    Framed* framed; // frames on every edge that follow the tangents, where the model has them; NULL: none
    RodNow now;
} Rod;

// From a def that rod_check_def has passed. Nodes, lengths, masses, initial velocities; the model's part
// comes after.
CordResult rod_check_def(const CordRodDef* def, Message* message);
CordResult rod_init(Memory* m, Rod* rod, const CordRodDef* def, Message* message);
void rod_free(Memory* m, Rod* rod);
void rod_free_arrays(Memory* m, Rod* rod);           // those by node and edge alone
bool rod_reserve_free(Memory* m, Rod* rod);          // v_free and spin_free; false: no memory
bool rod_reserve_accelerations(Memory* m, Rod* rod); // accel, jerk and pull_rate; false: no memory

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

static inline bool rod_is_implicit(const Rod* rod)
{
    return rod->integrator == CORD_INTEGRATOR_MIDPOINT || rod->integrator == CORD_INTEGRATOR_BACKWARD_EULER;
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

void rod_state(Rod* rod, Bytes* b); // what all models share; the model adds its own

#endif
