// The world: owns rods, clamps, bodies, obstacles, loads and probes, and steps them.
#ifndef CORD_WORLD_WORLD_H
#define CORD_WORLD_WORLD_H

#include "base/budget.h"
#include "base/slots.h"
#include "base/stopwatch.h"
#include "body/free.h"
#include "contact/bvh.h"
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
    Rod* rod;       // NULL: the probe reads a body or an obstacle
    int node, edge; // the one that the measure reads
    // On an adaptive rod: twice the tick of the middle of the edge. The probe stays with that point.
    int twice_tick;
    const Clamp* clamp; // clamp or weld whose reaction is read
    CordBodyId body;
    CordObstacleId obstacle;
    CordProbeId id;
    Link link; // in the rod's list of probes
} Probe;

typedef struct TiedRod { // cord_rod_is_tied
    int rod;             // in the world
    int first;           // its first node among those of all rods
} TiedRod;

typedef struct Topology { // what is watched: topology.c
    int64_t* knots;       // knot determinants (rods)
    CordVec3* x;          // nodes of all rods at the start of the step, and at its end [m] (2 nodes)
    TiedRod* tied;        // (tied_count, at most rods)
    Aabb* boxes;          // about their ways in the step (tied_count, at most rods)
    Bvh bvh;
    int rods, nodes, tied_count;
    int64_t link_tests; // pairs whose links were compared
} Topology;

typedef struct WorldAdapt WorldAdapt;   // adapt.c
typedef struct WorldLedger WorldLedger; // ledger.c

typedef struct EngineUse { // a body engine and the snapshot of its state
    const CordBodyEngine* ops;
    void* user;
    // Engine state at the start of the step, for rollback. The bodies keep their own. snapshot_used of
    // snapshot_size bytes hold it.
    void* snapshot;
    size_t snapshot_size, snapshot_used;
} EngineUse;

typedef struct FrameBuffers { // arrays that a CordFrame points to; they grow and never shrink
    int rod_capacity, node_capacity, edge_capacity, body_capacity, obstacle_capacity, surface_capacity;
    CordFrameRod* rods;
    CordFrameBody* bodies;        // (body_capacity)
    CordFrameObstacle* obstacles; // (obstacle_capacity)
    CordFrameSurface* surfaces;   // (surface_capacity)
    CordEnergy* energy;
    double *stretch, *twist;
    CordVec3 *x, *v, *moment; // (node_capacity)
    CordVec3* skin;           // (node_capacity), as arc and level
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
    double last_step;               // length that the caller asked for [s]
    CordAdviceMemory advice_memory; // see cord_world_set_advice_memory
    int64_t retries;                // steps that were retried at half the step
    int halvings;                   // of the step, to its part under way
    int parts;                      // that each step is taken in: Stepper.substeps
    // Retrying at half the step cannot help: clamps and obstacles lead to a place that no rod can reach.
    bool retry_is_futile;
    CordStepReport report; // of implicit steps; the totals count destroyed rods only
    // Grows with every mark. A cached query result is valid while the revision it was computed at is current.
    int64_t revision;
    unsigned marks; // what world_prepare must update
    Slots rods, clamps, loads, probes;
    List loads_everywhere; // loads that act on every rod
    Slots bodies, welds;
    Slots obstacles;
    Slots surfaces;
    CordContactDef contact; // the pairs are a copy that the world owns
    Budget budget;          // what is left of it in the step under way
    WorldContact* touch;    // NULL: contact has never been on
    WorldAdapt* adapt;      // NULL: no rod has been adaptive
    WorldLedger* ledger;    // NULL: it is not open
    Island* islands;        // single rods and batches, which are predicted in parallel (island_count)
    int island_count, island_capacity;
    Rod** island_rods; // all rods: those in no assembly first, in order of creation
    int unwelded_count, island_rod_capacity;
    bool bodies_flown; // in this step: they have a snapshot to roll back to
    int sleepers;      // rods that are asleep
    bool stepping;     // a step is under way
    bool restoring;    // a state is read, or derived data is rebuilt: marks tell of no change
    bool starting;     // this step is the first one of some rod
    Topology topology;
    EngineUse engines[2]; // engine of the bodies; engine of the joints, where it differs
    int engine_count;
    FreeBodies free_bodies;
    Assemblies assemblies;
    CordModalHooks modal_hooks; // a copy
    bool has_modal_hooks;
    // The branch of equilibria that is followed. While there is one, no call may change the scene.
    CordBranch* branch;
    double body_step; // with staggered steps, body velocities lag the positions by half of this [s]
    Arena scratch;    // scratch of the step
    Arena query;      // scratch of queries
    Message message;
    FrameBuffers frame;
    void* snapshot; // state before step_many or a step that may have to be undone (snapshot_size)
    size_t snapshot_size;
    bool has_snapshot; // of the start of the present step
    // A substep was committed and then found no equilibrium of its frames: the snapshot undoes it.
    bool frames_failed;
};

Rod* world_rod(const CordWorld* w, CordRodId id); // NULL: there is no such rod
// Stores the material axis of the clamped edge. A clamped node needs none, and computing the frames of a long
// rod takes time.
CordResult clamp_store_axis(CordWorld* w, Clamp* clamp);
// Adds the clamp to the rod's list, which has room for it; removes it from there and from probes. The stretch
// of the edge goes from and to its neighbours.
void rod_take_clamp(CordWorld* w, Rod* rod, Clamp* clamp);
void rod_drop_clamp(CordWorld* w, Rod* rod, const Clamp* clamp);
CordResult bad_id(const CordWorld* w, const char* what);
CordResult check_def_given(CordWorld* w, const void* def, const char* kind);
// Fails while a branch is followed; `refused` says what is not allowed.
CordResult check_no_branch(CordWorld* w, const char* refused);
Message* world_message(const CordWorld* w);

// ---- prepare.c: data derived from the scene, and rebuilt when the scene changes

enum Mark {
    MARK_STATE = 0, // positions, velocities, loads or the time: cached query results expire
    // A rod's clamps, or its first step: masses and the model's tables.
    MARK_HELD = 1 << 0,
    MARK_NODES = 1 << 1,     // a rod's nodes or its stepper: arrays sized by nodes
    MARK_COLLIDERS = 1 << 2, // the set of rods, bodies and obstacles, or contact turned on: colliders
    MARK_WELDS = 1 << 3,     // the set of welds or bodies: assemblies
    MARK_LAW = 1 << 4,       // the contact law
    // Positions or clamps were set from outside: topology_begin finds the watched knots and links again.
    MARK_KNOTS = 1 << 5,
    MARK_MOVED = 1 << 6, // with MARK_HELD: a clamp moved nodes, which the rod's frames are to follow
};

// `rod` is the rod whose clamps changed (MARK_HELD, MARK_MOVED), or NULL. Outside of a step a mark tells of a
// change by the caller, which wakes all rods.
void world_mark(CordWorld* w, Rod* rod, unsigned marks);
void world_release_clamps(CordWorld* w, double time); // those that are due let go
// Brings the velocities of a rod that lag behind, of all that is welded to any if it is, or of everything
// (NULL), to the time of the positions.
void world_restart_leapfrog(CordWorld* w, Rod* rod);
void world_switch_loads(CordWorld* w, double h); // those that came or went in a step of h that ends now
CordResult world_reserve_restarts(const CordWorld* w);
void world_set_gravity(CordWorld* w, CordVec3 gravity);
CordResult world_prepare(const CordWorld* w);   // updates what all marks but MARK_KNOTS name
CordResult rod_prepare(CordWorld* w, Rod* rod); // updates one rod after MARK_HELD
CordResult world_reserve_snapshot(CordWorld* w, size_t size);
CordResult world_take_snapshot(CordWorld* w); // of the whole state, for world_restore
void world_trim_snapshot(CordWorld* w);       // frees the snapshot where later steps need none

size_t world_state_count(const CordWorld* w); // size of the state of a prepared world [bytes]
// As cord_world_state_get, of a prepared world, but the ledger does not go back when it is set again.
// CORD_BAD_STATE: it takes more bytes than these.
CordResult world_state_write(const CordWorld* w, void* bytes, size_t size);
// Rolls back to a state of this same world, also where clamps have let go since. Allocates nothing, unless
// the nodes of an adaptive rod have changed since; without memory it then restores only part.
void world_restore(CordWorld* w, const void* bytes, size_t size);
CordResult world_rod_state(CordWorld* w, Rod* rod, Bytes* b); // one rod's part of the state

// Runs the tasks on the caller's scheduler.
void world_run(CordWorld* w, void (*task)(void* context, int index), void* tasks, int count);
// True where one solve resolves this rod's contacts together with those of other rods.
bool rod_is_in_contact(const CordWorld* w, const Rod* rod);
// See stepper_switch. `cause` names what needs it, for the log.
void rod_switch_stepper(CordWorld* w, Rod* rod, const char* cause);
void rod_destroy_parts(Memory* m, Rod* rod); // the data of its model and its stepper

// Computes forces and free velocities only, before the projection onto welds and lengths.
CordResult rod_now_open(CordWorld* w, Rod* rod);
// Finds the rod and prepares the world. The second also evaluates the present state.
CordResult query_rod(const CordWorld* w, CordRodId id, const Rod** rod);
CordResult query_rod_now(const CordWorld* w, CordRodId id, const Rod** rod, const RodNow** now);
// Returns the forces, velocities and tensions of the present state, or NULL without memory (the message says
// so). They are cached until the state changes, so that many probes on one rod cost one evaluation.
const RodNow* rod_now(const CordWorld* w, const Rod* rod);
const RodNow* rod_motion_now(const CordWorld* w, const Rod* rod); // the same without tensions
void rod_now_free(Memory* m, Rod* rod);

void rod_inner_forces(const Rod* rod, CordVec3* f); // elastic and viscous, by node [N] (node_count)
CordVec3 clamp_node_reaction(const Clamp* clamp, int node, const RodNow* now); // of one held node [N]
CordEnergy rod_elastic_energy(const Rod* rod);                                 // the elastic parts
CordEnergy rod_energy_now(const CordWorld* w, const Rod* rod, const CordVec3* v);
CordResult clamp_reaction_now(const CordWorld* w, const Clamp* clamp, CordVec3* force, CordVec3* torque);

// ---- sleep.c

bool sleep_wake_all(CordWorld* w); // returns whether any was asleep
// Wakes rods whose clamps or loads move in a step of h.
void sleep_begin_step(CordWorld* w, double h);
// After the prediction: wakes rods that something may come near to. They must then be predicted as well.
CordResult sleep_wake_touched(CordWorld* w, double h, bool* woken);
// After contacts were solved: wakes rods that something has been driven into which was not near before, and
// returns whether there are any. The substep must then begin anew.
bool sleep_wake_pushed(CordWorld* w);
void sleep_note_motion(CordWorld* w, double h); // of a substep that was committed
void sleep_commit_step(CordWorld* w);           // puts rods to sleep
// Finds the forces of what sleeps on obstacles, if that has changed. The colliders must be those of a step.
CordResult sleep_update_forces(CordWorld* w);
void sleep_state(CordWorld* w, Bytes* b);

// ---- modal rods

CordResult modal_check_none(CordWorld* w, const char* refused); // fails if there is a modal rod
CordResult modal_reaction(const CordWorld* w, const Clamp* clamp, CordVec3* force, CordVec3* torque);
int modal_count(const CordWorld* w); // number of modal rods
// Returns the lowest omega^2 of their modes [1/s^2], or INFINITY without modal rods.
double modal_softest(const CordWorld* w);
CordResult modal_solve(CordWorld* w, Rod* rod, double time, CordSolveReport* report);

// ---- adaptive rods

// Remeshes adaptive rods at the end of a step. Fails if that would change a watched knot or link.
CordResult world_adapt(CordWorld* w);
void adapt_free(CordWorld* w);
bool world_is_adaptive(const CordWorld* w);                 // true if any rod is adaptive
void rod_skin(const Rod* rod, double time, CordVec3* skin); // the node positions that pictures draw
// Remeshes the rod to these ticks, before a state with those nodes is read. Nodes are not relaxed.
CordResult rod_remesh_to_ticks(CordWorld* w, Rod* rod, const int* tick, int node_count);
// Spectral bound of the finest mesh that the rod may have.
CordResult rod_finest_bound(CordWorld* w, Rod* rod, const BoundInput* in, SpectralBound* bound);

// ---- the ledger

// Around a step, all of them: its contacts are accounted for once it is accepted.
void ledger_begin_step(CordWorld* w);
void ledger_commit_step(CordWorld* w);
// By all contacts of a substep: work on rods and bodies [J]. Obstacles follow once their forces are known.
void ledger_add_contact(CordWorld* w, double work, double exchanged);
void ledger_add_obstacles(CordWorld* w, double h);
// A state was taken, or set. Trial steps since the state was taken, to which it is set again, count for
// nothing.
void ledger_mark(CordWorld* w);
void ledger_go_back(CordWorld* w);
// What a clamp, load or obstacle has done that is about to be destroyed.
void ledger_forget(CordWorld* w, const WorkTally* tally);
void ledger_forget_clamp(CordWorld* w, const Clamp* clamp);
typedef struct LedgerTotals { // of all rods and bodies
    double kinetic, energy;   // [J]
    CordMomentum momentum;
    CordWork projected; // part of them that queries have, but not the velocities that steps leave
    double turned;      // by torques since their last sample, where a step starts [J]
    CordWork lag;       // by clamps, in the time by which velocities lag behind
} LedgerTotals;
// Around the creation or destruction of a rod, body, clamp or load.
LedgerTotals ledger_begin_change(CordWorld* w);
void ledger_add_change(CordWorld* w, const LedgerTotals* before);
// Around the release of twist and the projection of velocities in a first step.
LedgerTotals ledger_totals(CordWorld* w); // zeros if it is not open
void ledger_add_start(CordWorld* w, const LedgerTotals* before);
void ledger_add_remeshing(CordWorld* w, const LedgerTotals* before); // nodes of a rod have changed
void ledger_add_lag(CordWorld* w, const Rod* rod); // its velocities are brought to the time of its positions
void ledger_add_switches(CordWorld* w, double h);  // by loads that came or went in a step of h that ends now
void ledger_add_release(CordWorld* w, const Rod* rod); // some clamps are about to let go
void ledger_add_released(CordWorld* w);                // they have: before the next part of the step
// By the clamps of an explicit rod, in a step that is about to be committed.
void ledger_add_kick(CordWorld* w, Rod* rod, const StepInfo* step);
// Rods of other steppers, in a substep of length h: before its commit, before its frames settle, and after
// that. The time is that of its start, and at last that of its end. Memory must be reserved.
typedef enum LedgerMoment { STEP_BEGINS, STEP_ACTS, STEP_ENDS } LedgerMoment;
CordResult ledger_reserve(CordWorld* w);
void ledger_add_step(CordWorld* w, LedgerMoment moment, double h);
void ledger_note_sleep(CordWorld* w);           // a rod fell asleep, and lost the velocity that it had
bool ledger_reads_any_step(const CordWorld* w); // is the ledger open, and is there such a rod?

// ---- bodies

Body* world_body(const CordWorld* w, CordBodyId id); // NULL: no such body
void remove_weld(CordWorld* w, Weld* weld);
void remove_load(CordWorld* w, Load* load);
void bodies_destroy_all(CordWorld* w);

// Reserves the snapshots of engines, whose states may grow by themselves.
CordResult bodies_reserve_engines(CordWorld* w);
CordResult bodies_prepare(CordWorld* w); // updates the assemblies after a change of welds

// Steps the engines, before rods are predicted. After a failure of the step the caller must call
// bodies_rollback.
CordResult bodies_fly(CordWorld* w, double h);
CordResult bodies_check(CordWorld* w, double h); // after a step of h: finite, and no turn too far
void bodies_rollback(CordWorld* w);              // restores the snapshot
void bodies_commit(CordWorld* w, double h);      // accepts the step
void body_refresh_pose(Body* body);              // to that of its engine, which may round it
void bodies_forget_pushes(CordWorld* w);         // clears the pushes, which act for one step

double bodies_lag(const CordWorld* w); // body velocities are known this long before the positions [s]
BodyForce body_force(const CordWorld* w, const Body* body); // total force without weld constraint forces
// Solves for the velocities of the whole assembly that the body is in. Returns NULL without memory, and the
// message says so.
const CordBodyState* body_now(const CordWorld* w, const Body* body);
// Call body_now before: energy and momentum of its state.
CordEnergy body_energy_now(const CordWorld* w, const Body* body, CordMomentum* momentum);
// Projects the velocities onto the weld constraints, before the first step with implicit rods.
CordResult bodies_project_velocities(CordWorld* w);
// Body velocities lag as those of the welded rods do. Call these before welds are made and after, the second
// one with the lag from before: velocities are brought to the time that the first weld asks for, and the next
// implicit step projects those of the body's assembly.
CordResult bodies_before_weld(CordWorld* w);
void bodies_after_weld(CordWorld* w, const Body* welded, double lag);
bool assembly_starts(const Assembly* a); // it has a rod whose velocities were not left by a step
CordResult assembly_now(CordWorld* w, Assembly* a);
CordResult weld_reaction_now(const CordWorld* w, const Weld* weld, CordVec3* force, CordVec3* torque);
void welds_move_nodes(Rod* rod); // moves its welded nodes to where the bodies have them

void bodies_state(CordWorld* w, Bytes* b);
void body_state(Body* body, Bytes* b); // of one body; exact bits for the built-in engine

// ---- obstacles

// These follow the calls for clamps: before a step, after a step or a solve, and after a failed step.
void obstacles_begin_step(CordWorld* w, double from, double to);
void obstacles_commit_motion(CordWorld* w);
void obstacles_rollback(CordWorld* w);
void obstacles_state(CordWorld* w, Bytes* b);
void obstacles_destroy_all(CordWorld* w);
void contact_def_free(CordWorld* w); // frees its pairs

#endif
