// A rod as all models share it: centreline, stiffness, clamps and loads.
#ifndef CORD_ROD_ROD_H
#define CORD_ROD_ROD_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/list.h"
#include "base/message.h"
#include "rod/centerline.h"
#include "rod/clamp.h"
#include "rod/contact_surface.h"
#include "rod/load.h"

typedef struct RodGrid RodGrid; // rod/grid.h

typedef struct RodNow { // cached query results of the present state
    int64_t revision;   // world revision that they belong to
    CordVec3* f;        // elastic force, weight and loads [N] (node_count)
    CordVec3* v;        // velocity at the time of the positions [m/s] (node_count)
    bool has_tensions;  // else `tension` is not of this revision
    double* tension;    // [N] (node_count; edge_count are used)
    double* rate;       // of stretching, times the strain, scratch [1/s] (node_count; edge_count are used)
    CordVec3* section;  // force in the sections, scratch [N] (node_count; edge_count are used)
} RodNow;

typedef struct RodReport {    // of implicit and position-based steps
    int iterations;           // of Newton's method
    double error, error_next; // estimated position error of the last step, and of the current one [m]
    int64_t iterations_in_all, factorings_in_all; // since the rod was created, with failed steps
    // Position-based: the iterations ran out, in the step or in one substep of it.
    bool unfinished, unfinished_part;
    int64_t unfinished_in_all; // counts steps and substeps
} RodReport;

typedef enum ModelId { // how a rod's strain, energy and frames are represented: model/model.h
    MODEL_UNIFORM,     // DER: explicit, naturally straight, round, the same section everywhere
    MODEL_QUATERNION,  // CORDE with explicit steps: an orientation on every edge
    MODEL_POSITION,    // position-based steps
    MODEL_MODAL,       // amplitudes of modes
    MODEL_FRAMED,      // a material frame on every edge, with the energy of any model
    MODEL_ID_COUNT
} ModelId;

typedef enum StepperId { // how a rod gets from t to t + h: step/stepper.h
    STEPPER_EXPLICIT,
    STEPPER_IMPLICIT,
    STEPPER_POSITION,
    STEPPER_MODAL,
    STEPPER_IMPLICIT_ANY, // backward Euler for position-based rods, stable at any step
    STEPPER_ID_COUNT
} StepperId;

typedef struct RodEnds {           // see CordRodDef
    bool half_start, half_end;     // the first or last edge has half the length of the others
    bool double_start, double_end; // that half edge is clamped: see rod_bend_length
} RodEnds;

typedef struct RodRest { // world/sleep.c
    bool asleep;
    double quiet;  // time for which it has hardly moved [s]
    double travel; // path of the node that moved farthest in each step of that time [m]
} RodRest;

typedef struct Rod {
    CordRodId id;
    char name[64];
    CordModel model; // as the def names it
    ModelId form;    // see model_of
    StepperId stepper;
    CordIntegrator integrator;
    // The def asks for an inextensible rod, which is approximated by the stiffest stable springs.
    bool stiffened;
    bool inextensible;
    bool is_piece; // cut out of a rod: its clamps hold the edges at the cuts as they are stretched
    CordLengthMethod length_method;
    CordStiffness stiffness; // of the first edge, or of all edges where `along` is NULL
    double radius;           // of the first edge, or of all edges [m]
    CordStiffness* along;    // where sections vary (edge_count); else NULL
    double* radii;           // where sections vary [m] (edge_count); else NULL
    double damping_time;     // viscous over elastic stiffness [s]
    bool dynamic_twist;      // material frames have rotational inertia
    bool asks_inertia;       // the def asks for that; implicit rods also have it wherever they may touch
    double step_error;       // allowed error of an implicit step, over the length
    double length;           // at rest [m]
    ContactSurface surface;
    ContactStretch* stretches; // (stretch_count); NULL: the surface is the same all along
    int stretch_count;
    bool intangible; // takes no part in contact
    RodEnds ends;
    CordCenterline line;
    // Lumped mass [kg] and length [m] of a network's nodes (node_count); NULL: a chain.
    double *node_mass, *node_length;
    RodGrid* grid;    // all nodes that an adaptive rod may have; NULL: the nodes never change
    void* stepping;   // data of the stepper
    RodReport report; // of the last implicit or position-based step
    double kick;      // time over which forces act in the current step [s]
    double last_step; // staggered: velocities lag the positions by half of this; 0: same time [s]
    Link start;       // among the rods whose steps start anew together, while `starts`: world/restart.c
    bool starts;
    // line.pull is a tension [N], as Newton's method writes it; else a tension over length [N/m].
    bool pull_is_tension;
    RodTally tally; // of the ledger
    MadeTally made; // of the ledger

    Clamp** clamps; // in order of creation (clamp_count)
    int clamp_count, clamp_capacity;
    bool stepped;          // has taken a step
    bool held_twice;       // two clamps hold an edge of fixed length, and may disagree
    bool unsettled;        // its frames found no equilibrium: stepper_check_frames reports it
    unsigned marks;        // world_mark: what is out of date in this rod
    List probes, surfaces; // probes and surfaces of the world on this rod
    Load** loads;          // loads on this rod (load_count)
    int load_count, load_capacity;
    bool sprung; // springs have changed node masses for this step: rod/load.h

    RodRest rest;
    int assembly; // number of the assembly with the welded bodies: solve/assembly.h; 0: no weld
    // Explicit rods in contact: v_next before length projection and contact (slot_count); NULL: not needed.
    double* v_free[3];
    double* spin_free; // the same for frames with inertia (slot_count)
    double* shift[3];  // in contact: moves in the last step that velocities do not tell [m] (slot_count)
    void* data;        // data of the model
    RodNow now;
} Rod;

// Does the integrator solve by Newton's method? It works on material frames, so the rod then needs the framed
// form.
bool rod_def_is_implicit(const CordRodDef* def);

// rod_init sets nodes, lengths, masses and initial velocities from a def that rod_check_def has accepted. The
// model's data is created afterwards.
CordResult rod_check_def(const CordRodDef* def, Message* message);
CordResult rod_check_spin_inertia(const Rod* rod, Message* message); // for frames that have inertia
CordResult rod_init(Memory* m, Rod* rod, const CordRodDef* def, Message* message);
void rod_free(Memory* m, Rod* rod);
void rod_free_arrays(Memory* m, Rod* rod);  // the node and edge arrays only
bool rod_reserve_free(Memory* m, Rod* rod); // allocates v_free and spin_free; false: no memory
bool rod_reserve_shift(Memory* m, Rod* rod);

// Writes the nodes of the stress-free shape into x (node_count): the def's rest shape, or a straight line
// along x with the rod's edge lengths.
CordResult rod_rest_nodes(Memory* m, const Rod* rod, const CordRodDef* def, CordVec3* x, Message* message);

static inline const CordStiffness* rod_stiffness_at(const Rod* rod, int edge)
{
    return rod->along ? &rod->along[edge] : &rod->stiffness;
}

static inline double rod_radius_at(const Rod* rod, int edge)
{
    return rod->radii ? rod->radii[edge] : rod->radius;
}

// The surface at an arc length [m]: that of the last stretch which holds it, or else the rod's own.
static inline const ContactSurface* rod_surface_at(const Rod* rod, double arc)
{
    const ContactSurface* stretch = contact_stretches_find(rod->stretches, rod->stretch_count, arc);
    return stretch ? stretch : &rod->surface;
}

// Size of its coordinates, which decides their round-off [m]: of node 0, and the rest length. A rod that is
// stretched may have larger ones.
double rod_reach(const Rod* rod);
double rod_mass(const Rod* rod);                  // [kg]
double rod_node_length(const Rod* rod, int node); // Voronoi length of a node [m]
double rod_lumped_mass(const Rod* rod, int node); // [kg]
double rod_node_mass(const Rod* rod, int node);   // the same without what moves with a joint [kg]
double rod_edge_mass(const Rod* rod, int edge);   // [kg]

// The length l_i of DER at an inner node: both edges' rest lengths, but a half edge at a clamped end counts
// as a whole one. A clamp acts at the middle of its edge, and so at the end of the rod (docs/models/der.md).
double rod_bend_length(const Rod* rod, int node);

// Stretching stiffness EA of an edge [N]. An edge that a clamp or a weld holds keeps its length, so that half
// of it on either side, up to where the clamp acts, stretches in series with the next edge.
double rod_stretch_stiffness(const Rod* rod, int edge);

double rod_stretch(const Rod* rod); // the largest |strain| of the material

// Moves the nodes of an edge. out: the edge is to be held, and the stretch of its halves goes to its
// neighbours. Otherwise the edge is held and is to be free: it gets the strain of its neighbours, which keep
// their tension. The energy goes along. Call this before a clamp takes hold or lets go. Returns whether nodes
// moved.
bool rod_move_stretch(Rod* rod, int edge, bool out);

void rod_weigh_nodes(Rod* rod); // sets inverse node masses, 0 where clamps hold
void rod_update_held(Rod* rod); // updates inverse masses and bend lengths after clamps changed

// centerline.pull holds the Lagrange multipliers of the edge lengths. rod_pull_unit returns the factor that
// makes it a tension; rod_pull_force the constraint force along an edge [N].
double rod_pull_unit(const Rod* rod, double length);
void rod_set_pull(Rod* rod, const double* tension); // after a solve: by slot [N]
// Tension of an edge with the stiffness `stretch` [N/m]. The length of a stiff edge determines it to a few
// digits only: where it agrees with the multiplier up to round-off of the positions, it is that.
double rod_tension(const Rod* rod, int edge, double stretch);
CordVec3 rod_pull_force(const Rod* rod, int edge);
void rod_sections_to_nodes(const Rod* rod, CordVec3* f); // forces in sections, by edge, to those on nodes
// Force of inextensible edges on a node [N], with `pull` or `pull_next` of the centreline.
CordVec3 rod_node_pull(const Rod* rod, int node, const double* pull);

#endif
