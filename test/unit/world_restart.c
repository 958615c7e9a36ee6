// Leapfrog steps stay of second order where something comes or goes at a time of positions.
#include "world_bodies.h"
#include "world_rods.h"

#include <cordage/ledger.h>

typedef enum Event {
    RELEASE,
    CLAMP_DESTROYED,
    FORCE_ENDS,
    FORCE_BEGINS,
    FORCE_DESTROYED,
    FORCE_CREATED,
    EVENTS
} Event;

static const char* const event_names[EVENTS] = {"release",      "clamp destroyed", "force ends",
                                                "force begins", "force destroyed", "force created"};

typedef enum Kind { PLAIN, SPINNING, CORDE, CORDE_EXPLICIT, INEXTENSIBLE, JOINED, WELDED, KINDS } Kind;

static const char* const kind_names[KINDS] = {
    "der", "dynamic twist", "corde", "corde, explicit orientations", "inextensible", "joined", "with a body"};

enum { NODES = 9 };

typedef struct Result {
    CordVec3 x[NODES];
    double twist, error; // [1], of the ledger over its turnover
} Result;

static CordRodDef def_of(Kind kind)
{
    CordRodDef def = line_def(NODES);
    def.dynamic_twist = kind == SPINNING;
    def.model = kind == CORDE || kind == CORDE_EXPLICIT ? CORD_MODEL_CORDE : CORD_MODEL_DER;
    def.corde.orientations = kind == CORDE_EXPLICIT ? CORD_ORIENTATIONS_EXPLICIT : def.corde.orientations;
    def.stiffness.spin_inertia = 1e-5;
    def.inextensible = kind == INEXTENSIBLE;
    return def;
}

// Another rod goes on from the end, or a body is at the middle.
static void add_company(CordWorld* world, Kind kind, CordRodId rod)
{
    if (kind == JOINED) {
        CordRodDef def = line_def(NODES);
        def.shape = cord_shape_line((CordVec3){1, 0, 0}, (CordVec3){1, 1, 0}, NODES);
        CordRodId other = add_rod(world, &def);
        add_joint(world, CORD_JOINT_WELD, rod, cord_at_end(), other, cord_at_start());
    } else if (kind == WELDED) {
        CordBodyId body = add_odd_body(world, (CordVec3){0.5, 0, 0}, 0.05, 0.05);
        add_weld(world, rod, cord_at_node(NODES / 2), body, CORD_FIX_POSITION);
    }
}

static Result result_of(Kind kind, Event event, double h)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = def_of(kind);
    CordRodId rod = add_rod(world, &def);
    if (kind != INEXTENSIBLE) { // it would be taut
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    }
    add_company(world, kind, rod);
    CordClampId clamp = {0};
    CordLoadId load = {0}, torque = {0};
    CordLoadDef force = cord_load_def_default(), turn = cord_load_def_default();
    force.rod = turn.rod = rod, force.at = turn.at = cord_at_node(NODES - 3);
    force.force = (CordVec3){0.3, 0.2, 0.5};
    // frames without inertia settle when a torque has ended, before the last half kick has their forces
    turn.kind = CORD_LOAD_TORQUE;
    turn.torque = (CordVec3){kind == SPINNING || kind == CORDE_EXPLICIT ? 2e-3 : 0.0, 0, 0};
    if (event <= CLAMP_DESTROYED) {
        clamp = hold_until(world, rod, cord_at_node(NODES - 3), CORD_FIX_POSITION,
                           event == RELEASE ? 0.05 : INFINITY);
    }
    force.from = turn.from = event == FORCE_BEGINS ? 0.05 : force.from;
    force.to = turn.to = event == FORCE_ENDS ? 0.05 : force.to;
    if (event >= FORCE_ENDS && event != FORCE_CREATED) {
        load = add_load(world, &force), torque = add_load(world, &turn);
    }
    CHECK_OK(cord_ledger_open(world));
    int steps = (int)round(0.05 / h);
    run(world, h, steps);
    if (event == CLAMP_DESTROYED) {
        CHECK_OK(cord_clamp_destroy(world, clamp));
    } else if (event == FORCE_DESTROYED) {
        CHECK_OK(cord_load_destroy(world, load));
        CHECK_OK(cord_load_destroy(world, torque));
    } else if (event == FORCE_CREATED) {
        add_load(world, &force), add_load(world, &turn);
    }
    run(world, h, steps);
    Result r = {.twist = cord_rod_twist(world, rod)};
    CHECK_OK(cord_rod_positions(world, rod, r.x));
    CordLedger ledger;
    CHECK_OK(cord_ledger_read(world, &ledger));
    r.error = ledger.error / ledger.turnover;
    cord_world_destroy(world);
    return r;
}

static double difference(const Result* a, const Result* b)
{
    double most = fabs(a->twist - b->twist);
    for (int i = 0; i < NODES; i++) {
        most = fmax(most, vec3_length(vec3_sub(a->x[i], b->x[i])));
    }
    return most;
}

TEST(leapfrog_keeps_its_order_where_something_comes_or_goes)
{
    for (int kind = 0; kind < KINDS; kind++) {
        for (int event = 0; event < EVENTS; event++) {
            Result r[3];
            for (int k = 0; k < 3; k++) {
                r[k] = result_of((Kind)kind, (Event)event, 2e-4 / (1 << k));
            }
            double coarse = difference(&r[0], &r[1]), fine = difference(&r[1], &r[2]);
            print_message("    %s, %s: %.2g, %.2g, order %.2f, ledger %.1g\n", kind_names[kind],
                          event_names[event], coarse, fine, log2(coarse / fine), r[1].error);
            CHECK(log2(coarse / fine) > 1.9);
            bool twists = event > CLAMP_DESTROYED && (kind == SPINNING || kind == CORDE_EXPLICIT);
            CHECK(fabs(r[1].error) < (twists ? 3e-3 : 1e-5)); // torques are read every 16 steps
        }
    }
}

// A load acts from when it is made, so that velocities are brought to that time: not if it is not made.
TEST(a_load_that_finds_no_memory_changes_nothing)
{
    bool failed = true;
    for (int n = 1; failed; n++) {
        Heap heap = {0};
        CordWorld* world = world_on(&heap);
        CordRodDef def = line_def(9);
        def.spin = (CordVec3){0, 0, 5};
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
        run_many(world, 1e-5, 10);
        uint64_t hash = cord_world_state_hash(world);
        CordLoadDef load = cord_load_def_default();
        CordLoadId id;
        load.kind = CORD_LOAD_FORCE, load.rod = rod, load.at = cord_at_end();
        load.force = (CordVec3){0, 1, 0};
        heap.fail = heap.calls + n;
        CordResult result = cord_load_create(world, &load, &id);
        failed = heap.calls >= heap.fail;
        heap.fail = 0;
        CHECK(result == CORD_OK || cord_world_state_hash(world) == hash);
        CHECK(failed || cord_world_state_hash(world) != hash);
        CHECK(failed || n > 3); // the load, its slot, the list of the rod's loads
        cord_world_destroy(world);
    }
}

// Marks in the step in which forces begin and end on all rods, and their clamps let go: each makes all that
// is known of the state out of date.
static int64_t marks_of(int rods, bool force)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    for (int i = 0; i < rods; i++) {
        CordRodDef def = line_def(NODES);
        CordRodId rod = add_rod(world, &def);
        CordLoadDef load = cord_load_def_default();
        load.kind = CORD_LOAD_FORCE, load.rod = rod, load.at = cord_at_end(), load.force.z = 1.0;
        load.from = 1e-3;
        hold_until(world, rod, cord_at_start(), CORD_FIX_POSITION, force ? INFINITY : 1e-3);
        if (force) {
            add_load(world, &load);
        }
    }
    run(world, 1e-4, 9);
    int64_t before = world->revision;
    run(world, 1e-4, 2);
    int64_t marks = world->revision - before;
    cord_world_destroy(world);
    return marks;
}

TEST(what_switches_at_one_time_starts_anew_at_once)
{
    CHECK_INT(marks_of(20, true), marks_of(2, true));
    CHECK_INT(marks_of(20, false) - marks_of(2, false), 18); // a release changes its rod alone
}

TEST_GROUP(world_restart)
