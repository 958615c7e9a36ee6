// Memory: none taken in a step, none lost, and none there.
#include "heap.h"
#include "world_rods.h"

#include <stdlib.h>

// ---- no memory

static void make_rods(CordWorld* world, CordRodId* line, CordRodId* rope, CordRodId* ring)
{
    CordRodDef line_is = line_def(12), rope_is = line_def(9), ring_is = ring_def(10);
    const CordVec3 points[] = {{0, 0, 1}, {0.3, 0.2, 1}, {0.6, 0, 1}};
    line_is.twist = 2.0;
    rope_is.inextensible = true;
    rope_is.rest = CORD_REST_STRAIGHT;
    rope_is.shape = cord_shape_spline(points, 3, 9); // sampled through memory of its own
    ring_is.twist = 0.5;
    TRY(cord_rod_create(world, &line_is, line));
    TRY(cord_rod_create(world, &rope_is, rope));
    TRY(cord_rod_create(world, &ring_is, ring));
}

static void make_clamps(CordWorld* world, CordRodId line, CordRodId rope, CordRodId ring, CordClampId* end)
{
    CordKeyframe keys[] = {{0.0, {0, 0, 0}, {0, 0, 0, 1}}, {1.0, {0, 0.1, 0}, {0, 0, 0, 1}}};
    CordMotion motions[] = {cord_motion_keyframes(keys, 2),
                            cord_motion_oscillate((CordVec3){0, 0, 0.01}, 5, 0)};
    CordClampDef clamp = clamp_def(line, cord_at_start(), CORD_FIX_FRAME);
    CordClampId id;
    clamp.motions = motions, clamp.motion_count = 2;
    TRY(cord_clamp_create(world, &clamp, &id));
    clamp = clamp_def(line, cord_at_end(), CORD_FIX_FRAME);
    clamp.release = 0.0051;
    TRY(cord_clamp_create(world, &clamp, &id));
    clamp = clamp_def(rope, cord_at_start(), CORD_FIX_POSITION);
    TRY(cord_clamp_create(world, &clamp, &id));
    clamp = clamp_def(rope, cord_at_end(), CORD_FIX_POSITION);
    TRY(cord_clamp_create(world, &clamp, end));
    clamp = clamp_def(ring, cord_at_edge(3), CORD_FIX_FRAME);
    TRY(cord_clamp_create(world, &clamp, &id));
}

static void make_loads_and_probes(CordWorld* world, CordRodId line, CordRodId rope)
{
    CordLoadDef load = cord_load_def_default();
    CordLoadId load_id;
    load.kind = CORD_LOAD_DRAG, load.across = 0.1;
    TRY(cord_load_create(world, &load, &load_id));
    load = cord_load_def_default();
    load.rod = rope, load.at = cord_at_node(4), load.force = (CordVec3){0, 0, 0.1};
    TRY(cord_load_create(world, &load, &load_id));
    for (int m = 0; m < CORD_MEASURE_COUNT; m++) {
        CordProbeDef probe = {.rod = line, .at = cord_at_start(), .measure = (CordMeasure)m};
        CordProbeId id;
        TRY(cord_probe_create(world, &probe, &id));
    }
}

static void ask(CordWorld* world, CordRodId line, CordRodId rope)
{
    CordFrame frame;
    CordVec3 a[12], b[12];
    double numbers[12];
    TRY(cord_world_frame(world, &frame));
    TRY(cord_rod_velocities(world, rope, a));
    TRY(cord_rod_tensions(world, rope, numbers));
    TRY(cord_rod_moments(world, line, a));
    TRY(cord_rod_forces(world, line, a));
    TRY(cord_rod_material_frames(world, line, a));
    TRY(cord_clamp_reaction(world, cord_world_clamp(world, 2), a, b));
    for (int i = 0; i < cord_world_probe_count(world); i++) {
        TRY(cord_probe_read(world, cord_world_probe(world, i), numbers));
    }
    cord_rod_energy(world, line); // these give nothing when there is no memory; they must not fall over
    cord_rod_momentum(world, rope);
    cord_rod_writhe(world, rope);
    cord_world_step_advice(world);
}

static void save_and_restore(CordWorld* world)
{
    size_t size = cord_world_state_size(world);
    size = size > 0 ? size : cord_world_state_size(world);
    void* bytes = malloc(size);
    TRY(cord_world_state_get(world, bytes, size));
    TRY(cord_world_step(world, 1e-3));
    TRY(cord_world_state_set(world, bytes, size));
    ((uint8_t*)bytes)[0] ^= 1; // another version
    CordResult result = cord_world_state_set(world, bytes, size);
    result = result == CORD_NO_MEMORY ? cord_world_state_set(world, bytes, size) : result;
    CHECK_RESULT(result, CORD_BAD_STATE);
    free(bytes);
}

// The rope's end asked to go where it cannot: the step is tried in halves, and put back.
static void pull_too_far(CordWorld* world, CordClampId end)
{
    TRY(cord_clamp_move(world, end, (CordVec3){9, 0, 0}, quat_identity()));
    CordResult result = cord_world_step(world, 1e-3);
    result = result == CORD_NO_MEMORY ? cord_world_step(world, 1e-3) : result;
    CHECK_RESULT(result, CORD_NOT_CONVERGED);
    result = cord_world_step_many(world, 1e-3, 8);
    result = result == CORD_NO_MEMORY ? cord_world_step_many(world, 1e-3, 8) : result;
    CHECK_RESULT(result, CORD_NOT_CONVERGED);
    TRY(cord_clamp_move(world, end, (CordVec3){0, 0, 0}, quat_identity()));
}

static uint64_t scenario(Heap* heap)
{
    CordWorldDef def = def_on(heap);
    CordWorld* world;
    CordResult result = cord_world_create(&def, &world);
    if (result == CORD_NO_MEMORY) {
        CHECK(world == NULL);
        result = cord_world_create(&def, &world);
    }
    CHECK_OK(result);
    CordRodId line, rope, ring;
    CordClampId end;
    make_rods(world, &line, &rope, &ring);
    make_clamps(world, line, rope, ring, &end);
    make_loads_and_probes(world, line, rope);
    TRY(cord_world_step(world, 1e-3));
    ask(world, line, rope);
    TRY(cord_world_step_many(world, 1e-3, 8)); // the line's clamp lets go
    save_and_restore(world);
    pull_too_far(world, end);
    TRY(cord_clamp_destroy(world, cord_world_clamp(world, 0)));
    TRY(cord_world_step_many(world, 1e-3, 8));
    TRY(cord_rod_destroy(world, line));
    TRY(cord_world_step(world, 1e-3));
    int64_t fail = heap->fail;
    heap->fail = 0;
    uint64_t hash = cord_world_state_hash(world);
    heap->fail = fail;
    cord_world_destroy(world);
    return hash;
}

TEST(when_any_one_allocation_fails_the_call_says_so_and_changes_nothing)
{
    Heap heap = {0};
    uint64_t expected = scenario(&heap);
    int64_t calls = heap.calls;
    CHECK_INT(heap.held, 0);
    CHECK(calls > 50);
    for (int64_t n = 1; n <= calls; n++) {
        heap = (Heap){.fail = n};
        CHECK(scenario(&heap) == expected);
        CHECK_INT(heap.held, 0);
        CHECK(heap.calls > n);
    }
}

TEST_GROUP(world_memory, when_any_one_allocation_fails_the_call_says_so_and_changes_nothing)
