// Memory: a step takes none, nothing is lost, and a call that finds none changes nothing.
#include "claims.h"

#include <cordage/contact.h>

static void check_no_allocation(CordWorld* world, double h, const Heap* heap) // and gives the world back
{
    int64_t calls = heap->calls;
    run(world, h, 12);
    run_many(world, h, 30);
    CHECK_INT(heap->calls, calls);
    cord_world_destroy(world);
    CHECK_INT(heap->held, 0);
}

// After the first steps. Clamps let go on the way.
static void steps_allocate_nothing(const Subject* s)
{
    Heap heap = {0};
    CordWorldDef def = def_on(&heap);
    CordWorld* world = busy_world(s, &def);
    run(world, s->step, 2);
    run_many(world, s->step, 8); // before the first clamp lets go, so that rods are stepped by themselves
    check_no_allocation(world, s->step, &heap);
}

// Where rods may touch they are far apart, and nothing holds them, so that what there is to touch does not
// grow.
static void steps_with_contact_allocate_nothing(const Subject* s)
{
    Heap heap = {0};
    CordWorld* world = world_on(&heap);
    CordContactDef contact = cord_contact_def_default();
    for (int i = 0; i < BUSY_RODS; i++) {
        CordRodDef def = subject_rod(s, 8);
        bool ring = i % 2;
        def.shape = ring ? cord_shape_circle((CordVec3){0, 3.0 * i, 0}, (CordVec3){0, 0, 1}, 0.2, 8)
                         : cord_shape_line((CordVec3){0, 3.0 * i, 0}, (CordVec3){1, 3.0 * i, 0}, 8);
        def.closed = ring, def.twist = 0.0, def.damping_time = i < 2 ? 0.01 : 0.0;
        CordRodId rod = add_rod(world, &def);
        if (s->model == CORD_MODEL_MODAL) {
            hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        }
    }
    add_drag(world, (CordRodId){0, 0}, 0.1);
    CHECK_OK(cord_world_set_contact(world, &contact));
    run_many(world, s->step, 5);
    check_no_allocation(world, s->step, &heap);
}

// ---- allocations that fail

static void make_held_rods(CordWorld* world, const Subject* s)
{
    CordKeyframe keys[] = {{0.0, {0, 0, 0}, {0, 0, 0, 1}}, {1.0, {0, 0.1, 0}, {0, 0, 0, 1}}};
    CordMotion motions[] = {cord_motion_keyframes(keys, 2),
                            cord_motion_oscillate((CordVec3){0, 0, 1e-3}, 5, 0)};
    for (int i = 0; i < 2; i++) {
        CordVec3 x[TUMBLER_NODES];
        CordRodDef def = busy_rod(s, i, x);
        CordClampDef clamp;
        CordRodId rod;
        CordClampId clamp_id;
        def.adapt.placement = CORD_PLACEMENT_MIDPOINT; // the search for a minimum does without its scratch
        if (!def.closed) {
            def.shape = cord_shape_spline(x, TUMBLER_NODES, TUMBLER_NODES); // takes memory of its own
        }
        TRY(cord_rod_create(world, &def, &rod));
        clamp = clamp_def(rod, cord_at_edge(0), CORD_FIX_FRAME);
        clamp.motions = motions, clamp.motion_count = 2;
        TRY(cord_clamp_create(world, &clamp, &clamp_id));
        clamp = clamp_def(rod, cord_at_edge(6), CORD_FIX_DIRECTION);
        clamp.release = 2.5 * s->step;
        if (s->model != CORD_MODEL_MODAL) {
            TRY(cord_clamp_create(world, &clamp, &clamp_id));
        }
    }
}

static void make_loads_and_probes(CordWorld* world)
{
    CordLoadDef load = cord_load_def_default();
    CordLoadId id;
    load.kind = CORD_LOAD_DRAG, load.across = 0.1;
    TRY(cord_load_create(world, &load, &id));
    load = cord_load_def_default();
    load.rod = cord_world_rod(world, 0), load.at = cord_at_node(4), load.force = (CordVec3){0, 0, 0.02};
    TRY(cord_load_create(world, &load, &id));
    for (int m = 0; m < CORD_MEASURE_COUNT; m++) {
        CordProbeDef def = {.rod = load.rod, .at = cord_at_start(), .measure = (CordMeasure)m};
        CordProbeId probe;
        TRY(cord_probe_create(world, &def, &probe));
    }
}

// What may be asked after every step.
static void ask_often(CordWorld* world)
{
    CordFrame frame;
    CordVec3 a[32], b[32];
    double numbers[32];
    CordRodId rod = cord_world_rod(world, 0);
    TRY(cord_world_frame(world, &frame));
    TRY(cord_rod_velocities(world, rod, a));
    TRY(cord_rod_tensions(world, rod, numbers));
    TRY(cord_rod_moments(world, rod, a));
    TRY(cord_rod_forces(world, rod, a));
    TRY(cord_rod_material_frames(world, rod, a));
    for (int i = 0; i < cord_world_clamp_count(world); i++) {
        TRY(cord_clamp_reaction(world, cord_world_clamp(world, i), a, b));
    }
    cord_rod_energy(world, rod); // these give nothing when there is no memory; they must not crash
    cord_rod_momentum(world, rod);
}

static void ask(CordWorld* world)
{
    double numbers[32];
    ask_often(world);
    for (int i = 0; i < cord_world_probe_count(world); i++) {
        TRY(cord_probe_read(world, cord_world_probe(world, i), numbers));
    }
    cord_rod_writhe(world, cord_world_rod(world, 0));
    cord_world_step_advice(world);
}

// After the first of each.
static void queries_allocate_nothing(const Subject* s)
{
    Heap heap = {0};
    CordWorldDef def = def_on(&heap);
    CordWorld* world = busy_world(s, &def);
    int64_t calls = 0;
    for (int i = 0; i < 8; i++) {
        run(world, s->step, 1);
        ask_often(world);
        calls = i == 0 ? heap.calls : calls;
    }
    CHECK_INT(heap.calls, calls);
    cord_world_destroy(world);
}

static void save_and_restore(CordWorld* world, double h)
{
    size_t size = cord_world_state_size(world);
    size = size > 0 ? size : cord_world_state_size(world);
    void* bytes = malloc(size);
    TRY(cord_world_state_get(world, bytes, size));
    TRY(cord_world_step(world, h));
    TRY(cord_world_state_set(world, bytes, size));
    ((uint8_t*)bytes)[0] ^= 1; // another version
    CordResult result = cord_world_state_set(world, bytes, size);
    result = result == CORD_NO_MEMORY ? cord_world_state_set(world, bytes, size) : result;
    CHECK_RESULT(result, CORD_BAD_STATE);
    free(bytes);
}

// The end of a rod asked to go where it cannot: the step is tried in halves, and put back.
static void pull_too_far(CordWorld* world, double h)
{
    CordClampDef def = clamp_def(cord_world_rod(world, 0), cord_at_end(), CORD_FIX_POSITION);
    CordClampId end;
    TRY(cord_clamp_create(world, &def, &end));
    TRY(cord_clamp_move(world, end, (CordVec3){9, 0, 0}, (CordQuat){0, 0, 0, 1}));
    CordResult result = cord_world_step(world, h);
    result = result == CORD_NO_MEMORY ? cord_world_step(world, h) : result;
    CHECK_RESULT(result, CORD_NOT_CONVERGED);
    result = cord_world_step_many(world, h, 8);
    result = result == CORD_NO_MEMORY ? cord_world_step_many(world, h, 8) : result;
    CHECK_RESULT(result, CORD_NOT_CONVERGED);
    TRY(cord_clamp_destroy(world, end));
}

static void weld_a_bob(CordWorld* world)
{
    CordBodyDef bob = cord_body_def_default();
    CordWeldDef weld = cord_weld_def_default();
    CordWeldId id;
    CordVec3 x[32];
    weld.rod = cord_world_rod(world, 0);
    TRY(cord_rod_positions(world, weld.rod, x));
    bob.position = x[cord_rod_node_count(world, weld.rod) - 1];
    TRY(cord_body_create(world, &bob, &weld.body));
    TRY(cord_weld_create(world, &weld, &id));
}

// Everything that a user does with a world; the state at its end.
static uint64_t life(const Subject* s, Heap* heap)
{
    CordWorldDef def = def_on(heap);
    CordWorld* world;
    if (cord_world_create(&def, &world) == CORD_NO_MEMORY) {
        CHECK_OK(cord_world_create(&def, &world));
    }
    make_held_rods(world, s);
    make_loads_and_probes(world);
    ask(world);
    TRY(cord_world_step_many(world, s->step, 3));
    if (s->adaptive) {
        TRY(cord_rod_refine(world, cord_world_rod(world, 0), 3));
        TRY(cord_world_step(world, s->step));
    }
    ask(world);
    save_and_restore(world, s->step);
    if (s->inextensible) {
        pull_too_far(world, s->step);
    }
    CordSolveDef solve = cord_solve_def_default();
    CordSolveReport report;
    if (subject_traits(s) & IS_PHYSICAL) {
        TRY(cord_world_solve(world, &solve, &report));
    }
    TRY(cord_world_step(world, s->step));
    if (subject_traits(s) & TAKES_WELDS) {
        weld_a_bob(world);
        TRY(cord_world_step(world, s->step));
    }
    CHECK_OK(cord_rod_destroy(world, cord_world_rod(world, 1)));
    TRY(cord_world_step(world, s->step));
    int64_t fail = heap->fail;
    heap->fail = 0;
    uint64_t hash = cord_world_state_hash(world);
    heap->fail = fail;
    cord_world_destroy(world);
    return hash;
}

static void every_allocation_fails_once(const Subject* s)
{
    Heap heap = {0};
    uint64_t expected = life(s, &heap);
    int64_t calls = heap.calls;
    CHECK_INT(heap.held, 0);
    CHECK(calls > 20);
    print_message("    %lld allocations\n", (long long)calls);
    for (int64_t n = 1 + (s - subjects) % HEAP_STRIDE; n <= calls; n += HEAP_STRIDE) {
        heap = (Heap){.fail = n};
        CHECK(life(s, &heap) == expected);
        CHECK_INT(heap.held, 0);
    }
}

// The call succeeds, or says that there is no memory.
static bool succeeds(const CordWorld* world, CordResult result)
{
    CHECK(result == CORD_OK || result == CORD_NO_MEMORY);
    if (result == CORD_NO_MEMORY) {
        CHECK_CONTAINS(cord_world_message(world), "memory");
    }
    return result == CORD_OK;
}

static void use_without_memory(CordWorld* world, const Subject* s)
{
    CordRodDef def = subject_rod(s, 7);
    CordRodId rod;
    CordClampId clamp;
    CordFrame frame;
    CordSolveDef solve = cord_solve_def_default();
    CordSolveReport report;
    if (!succeeds(world, cord_rod_create(world, &def, &rod))) {
        return;
    }
    CordClampDef clamp_is = clamp_def(rod, cord_at_start(), CORD_FIX_FRAME);
    if (!succeeds(world, cord_clamp_create(world, &clamp_is, &clamp))) {
        CHECK_OK(cord_rod_destroy(world, rod)); // modal rods cannot do without
        return;
    }
    succeeds(world, cord_world_frame(world, &frame));
    succeeds(world, cord_world_step(world, s->step));
    succeeds(world, cord_world_step_many(world, s->step, 4));
    if ((subject_traits(s) & IS_CHAIN) &&
        (subject_traits(s) & IS_PHYSICAL)) { // a soft modal rod has no equilibrium
        succeeds(world, cord_world_solve(world, &solve, &report));
    }
    cord_world_state_hash(world);
    cord_world_step_advice(world);
    if (subject_traits(s) & TAKES_WELDS) {
        CordBodyDef bob = cord_body_def_default();
        CordWeldDef weld = cord_weld_def_default();
        CordWeldId id;
        weld.rod = rod, bob.position = (CordVec3){1.01, 0, 1};
        if (succeeds(world, cord_body_create(world, &bob, &weld.body))) {
            succeeds(world, cord_weld_create(world, &weld, &id));
        }
    }
    succeeds(world, cord_world_step(world, s->step));
}

// From some allocation on there is no memory left. Every call says so, nothing is lost, and when there is
// memory again the world goes on.
static void memory_runs_out(const Subject* s)
{
    bool reached = true;
    for (int64_t n = 1 + (s - subjects) % HEAP_STRIDE; reached; n += HEAP_STRIDE) {
        Heap heap = {.fail = n, .from_then_on = true};
        CordWorldDef def = def_on(&heap);
        CordWorld* world;
        if (cord_world_create(&def, &world) != CORD_OK) {
            CHECK_INT(heap.held, 0);
            continue;
        }
        use_without_memory(world, s);
        reached = heap.calls >= n;
        heap.fail = 0;
        run(world, s->step, 1);
        for (int i = cord_world_rod_count(world) - 1; i >= 0; i--) {
            CHECK_OK(cord_rod_destroy(world, cord_world_rod(world, i)));
        }
        run(world, s->step, 1);
        cord_world_destroy(world);
        CHECK_INT(heap.held, 0);
    }
}

static const Claim claims[] = {
    // adaptive rods allocate as they take in nodes
    {.name = "steps allocate nothing", .bars = IS_ADAPTIVE, .run = steps_allocate_nothing},
    {.name = "steps with contact allocate nothing",
     .bars = IS_ADAPTIVE,
     .run = steps_with_contact_allocate_nothing},
    {.name = "queries allocate nothing",
     .needs = IS_CHAIN, // the reactions of modal rods take scratch
     .bars = IS_ADAPTIVE,
     .run = queries_allocate_nothing},
    {.name = "every allocation fails once", .run = every_allocation_fails_once},
    {.name = "memory runs out", .run = memory_runs_out},
};

CLAIM_GROUP(memory)
