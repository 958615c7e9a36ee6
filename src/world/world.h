// The world: owns rods, clamps, bodies, obstacles, loads and probes, and steps them.
#ifndef CORD_WORLD_WORLD_H
#define CORD_WORLD_WORLD_H

#include "base/slots.h"
#include "base/stopwatch.h"
#include "body/free.h"
#include "solve/weld_constraints.h"
#include "step/stepper.h"
#include "world/contact.h"

#include <cordage/adapt.h>
#include <cordage/contact.h>
#include <cordage/modal.h>
#include <cordage/solve.h>

typedef struct Probe {
    char name[64];
    CordMeasure measure;
    Rod* rod;           // NULL: of a body or an obstacle
    int node, edge;     // where, as the measure needs
    int twice_tick;     // of an adaptive rod: twice that of the middle of the edge, which it stays with
    const Clamp* clamp; // or weld, whose force or torque
    CordBodyId body;
    CordObstacleId obstacle;
    CordProbeId id;
    Link link; // of the rod's
} Probe;

typedef struct WorldAdapt WorldAdapt; // adapt.c

typedef struct EngineUse { // what moves bodies
    const CordBodyEngine* ops;
    void* user;
    // its state at the start of the step under way, beside the bodies' (kept_size, of which kept_used)
    void* kept;
    size_t kept_size, kept_used;
} EngineUse;

typedef struct FrameBuffers { // what a CordFrame points to; grows, never shrinks
    int rod_capacity, node_capacity, edge_capacity, body_capacity, obstacle_capacity, surface_capacity;
    CordFrameRod* rods;
    CordFrameBody* bodies;        // (body_capacity)
    CordFrameObstacle* obstacles; // (obstacle_capacity)
    CordFrameSurface* surfaces;   // (surface_capacity)
    CordEnergy* energy;
    double* stretch;
    CordVec3 *x, *v, *moment; // (node_capacity)
    CordVec3* skin;           // likewise, as the next two
    double* arc;
    uint8_t* level;
    CordAdaptReport* adapt;   // (rod_capacity)
    CordVec3 *m1, *force;     // (edge_capacity)
    double *radius, *tension; // (edge_capacity)
    int* ends;                // (2 edge_capacity)
} FrameBuffers;

struct CordWorld {
    Memory memory;
    CordLog log;
    CordTasks tasks;
    Stopwatch watch;
    CordVec3 gravity; // [m/s^2]
    double time;      // [s]
    int64_t steps;
    double last_step; // as it was asked for [s]
    int64_t retries;  // steps that were taken in halves
    // the step under way fails in halves, too: clamps and obstacles lead to where it cannot end
    bool hopeless;
    CordStepReport report; // of implicit steps; in all: of rods that are gone
    int64_t revision; // goes up with every mark: what queries have kept is as old as the revision it notes
    unsigned marks;   // what world_prepare has to see to
    Slots rods, clamps, loads, probes;
    List loads_everywhere; // that act on every rod
    Slots bodies, welds;
    Slots obstacles;
    Slots surfaces;
    CordContactDef contact; // pairs are our own copy
    WorldContact* touch;    // NULL: contact has never been on
    WorldAdapt* adapt;      // NULL: no rod has been adaptive
    int batch;              // rods that a task takes at a time
    bool bodies_flown;      // in the step under way: they have a snapshot to go back to
    bool starting;          // the step under way is the first one of some rod
    int64_t* watch_knots;   // determinants (watch_rods)
    CordVec3* watch_x;      // nodes of all rods at the start of the step, and now [m] (2 watch_nodes)
    int watch_rods, watch_nodes;
    EngineUse engines[2]; // of the bodies; of joints, if not the same
    int engine_count;
    FreeBodies free_bodies;
    Assemblies assemblies;
    CordModalHooks modal_hooks; // a copy
    bool has_modal_hooks;
    CordBranch* branch; // that is followed; what it goes through must stay as it is
    double body_step;   // the bodies' velocities lag their positions by half of this, if staggered [s]
    Arena scratch;      // of the step
    Arena query;        // of queries
    Message message;
    FrameBuffers frame;
    void* snapshot; // state before step_many, or a step in halves (snapshot_size)
    size_t snapshot_size;
};

Rod* world_rod(const CordWorld* w, CordRodId id);                // NULL: no such rod, and the message says so
void rod_drop_clamp(CordWorld* w, Rod* rod, const Clamp* clamp); // from the rod's list, and from probes
CordResult bad_id(const CordWorld* w, const char* what);
CordResult check_def_given(CordWorld* w, const void* def, const char* kind);
// what a branch that is followed does not allow
CordResult check_no_branch(CordWorld* w, const char* refused);
Message* world_message(const CordWorld* w);

// ---- prepare.c: what follows from the things there are, and is made again when they change

enum Mark {
    MARK_STATE = 0, // positions, velocities, loads or the time have changed: queries look again
    // clamps of a rod came or went, or it takes its first step: masses and the model's tables
    MARK_HELD = 1 << 0,
    MARK_NODES = 1 << 1, // a rod has other nodes, or another stepper: what is as large as they are
    MARK_CAST = 1 << 2,  // rods, bodies or obstacles came or went, or contact was turned on: colliders
    MARK_WELDS = 1 << 3, // welds or bodies came or went: assemblies
    MARK_LAW = 1 << 4,   // what contacts obey
    // positions were set, or what is held: knots and links that are watched. topology_begin sees to it
    MARK_KNOTS = 1 << 5,
};

// rod: whose clamps, with MARK_HELD; NULL: not one rod's
void world_mark(CordWorld* w, Rod* rod, unsigned marks);
CordResult world_prepare(const CordWorld* w);   // sees to all marks but MARK_KNOTS
CordResult rod_prepare(CordWorld* w, Rod* rod); // to one rod's MARK_HELD
CordResult world_reserve_snapshot(CordWorld* w, size_t size);
size_t task_scratch(const CordWorld* w); // the most that any rod's step takes
int task_count(const CordWorld* w);      // tasks that the rods of a step are shared out among

// Puts back a state that cord_world_state_get gave of this very world, whatever clamps have let go since.
// Takes no memory.
size_t world_state_count(const CordWorld* w); // bytes of the state of a world that is prepared
void world_restore(CordWorld* w, const void* bytes, size_t size);
CordResult world_rod_state(CordWorld* w, Rod* rod, Bytes* b); // a rod's part of it

// by the caller's scheduler
void world_run(CordWorld* w, void (*task)(void* context, int index), void* tasks, int count);
// Contacts of the rod are resolved together with those of other rods.
bool rod_is_in_contact(const CordWorld* w, const Rod* rod);
void rod_switch_stepper(CordWorld* w, Rod* rod); // see stepper_switch
void rod_destroy_parts(Memory* m, Rod* rod);     // its model's and its stepper's data

// Forces, velocities and tensions of a rod as it is now; NULL: no memory, and the message says so. Kept until
// something changes, so that many probes on one rod cost one evaluation.
CordResult rod_now_open(CordWorld* w, Rod* rod); // forces and velocities alone, before welds and lengths
CordResult rod_look(const CordWorld* w, CordRodId id, const Rod** rod); // its tables up to date
CordResult rod_look_now(const CordWorld* w, CordRodId id, const Rod** rod, const RodNow** now);
const RodNow* rod_now(const CordWorld* w, const Rod* rod);
void rod_now_free(Memory* m, Rod* rod);

CordEnergy rod_energy_now(const CordWorld* w, const Rod* rod, const CordVec3* v);
CordResult clamp_reaction_now(const CordWorld* w, const Clamp* clamp, CordVec3* force, CordVec3* torque);

// ---- modal rods

CordResult modal_check_none(CordWorld* w, const char* refused); // is there any?
CordResult modal_reaction(const CordWorld* w, const Clamp* clamp, CordVec3* force, CordVec3* torque);
int modal_count(const CordWorld* w); // of modal rods
// the lowest omega^2 of their modes; INFINITY: there are none [1/s^2]
double modal_softest(const CordWorld* w);
CordResult modal_solve(CordWorld* w, Rod* rod, double time, CordSolveReport* report);

// ---- adaptive rods

// at the end of a step; fails if a knot or a link that is watched would change
CordResult world_adapt(CordWorld* w);
void adapt_free(CordWorld* w);
bool world_is_adaptive(const CordWorld* w);                 // is any rod?
void rod_skin(const Rod* rod, double time, CordVec3* skin); // where pictures have its nodes
CordResult rod_take_ticks(CordWorld* w, Rod* rod, const int* tick,
                          int node_count); // other nodes, for a state that is about to be read; as they come
// of its step, with all the nodes that it may have
CordResult rod_finest_bound(CordWorld* w, Rod* rod, const BoundInput* in, SpectralBound* bound);

// ---- bodies

Body* world_body(const CordWorld* w, CordBodyId id); // NULL: no such body
void remove_weld(CordWorld* w, Weld* weld);
void remove_load(CordWorld* w, Load* load);
void bodies_destroy_all(CordWorld* w);

// room for the states of engines, which may have grown by themselves
CordResult bodies_reserve_engines(CordWorld* w);
CordResult bodies_prepare(CordWorld* w);   // assemblies brought up to date with the welds
size_t bodies_scratch(const CordWorld* w); // that a step or a query takes, the largest

// A step of all bodies and of the rods welded to them, which have been predicted. If the step fails, they
// must go back.
CordResult bodies_advance(CordWorld* w, double h);
void bodies_rollback(CordWorld* w);         // to before bodies_advance
void bodies_commit(CordWorld* w, double h); // the step stands
void bodies_forget_pushes(CordWorld* w);    // they have acted

// Velocities of a body as it is now are worked out together with those of all that is welded to it; NULL: no
// memory, and the message says so.
double bodies_lag(const CordWorld* w); // time by which their velocities lie before their positions [s]
BodyForce body_force(const CordWorld* w, const Body* body); // all but what welds make of it
const CordBodyState* body_now(const CordWorld* w, const Body* body);
// before the first step with implicit rods: those that welds allow
CordResult bodies_admit_velocities(CordWorld* w);
CordResult assembly_now(CordWorld* w, Assembly* a);
CordResult weld_reaction_now(const CordWorld* w, const Weld* weld, CordVec3* force, CordVec3* torque);
void welds_carry(Rod* rod); // its welded nodes go where the bodies have them

void bodies_state(CordWorld* w, Bytes* b);
void body_state(Body* body, Bytes* b); // of one alone, to the last bit if it is our own

// ---- obstacles

// As clamps: before a step, after a step or a solve, after a step that failed.
void obstacles_begin_step(CordWorld* w, double from, double to);
void obstacles_commit_motion(CordWorld* w);
void obstacles_rollback(CordWorld* w);
void obstacles_state(CordWorld* w, Bytes* b);
void obstacles_destroy_all(CordWorld* w);
void contact_def_free(CordWorld* w); // its pairs

#endif
