// Adaptive rods and what a world remembers: states across numbers of nodes, threads, and memory that is not
// there.
#include "adapts.h"
#include "heap.h"

#include <stdlib.h>

// ---- a world in which nodes come and go

enum { ELEMENTS = 10 };
static const double pace = 2e-3; // changes come about so often [s]

static double step_of(bool implicit)
{
    return implicit ? 1e-3 : 4e-5; // [s]
}

// Rods that swing about pins into a bar, of both models, and a twisted ring that falls on it. They bend by so
// much that they are refined, and straighten again.
static CordWorld* build(const CordWorldDef* def, bool implicit)
{
    CordWorld* world = make_world(def);
    for (int i = 0; i < 4; i++) {
        Kind kind = {"", i % 2 ? CORD_MODEL_CORDE : CORD_MODEL_DER,
                     implicit ? CORD_INTEGRATOR_BACKWARD_EULER : CORD_INTEGRATOR_VERLET, i >= 2};
        CordRodDef rod = adaptive_rod(&kind);
        rod.adapt = cord_adapt_def_default();
        rod.adapt.on = true, rod.adapt.merge_time = 0.02, rod.adapt.refine_turn = 0.3,
        rod.adapt.merge_turn = 0.15;
        rod.material.young = 1e6;
        rod.shape = cord_shape_line((CordVec3){0, 0.1 * i, 0}, (CordVec3){0.6, 0.1 * i, 0}, ELEMENTS + 1);
        rod.velocity = (CordVec3){0, 0, -3}, rod.spin = (CordVec3){0, 10, 0};
        hold(world, add_rod(world, &rod), cord_at_start(), CORD_FIX_POSITION);
        if (i == 0) {
            rod.shape =
                cord_shape_circle((CordVec3){0.25, 0.45, -0.12}, (CordVec3){0, 1, 0.2}, 0.1, ELEMENTS);
            rod.closed = true, rod.rest = CORD_REST_STRAIGHT, rod.twist = 2.0 * pi;
            rod.velocity = rod.spin = (CordVec3){0, 0, 0};
            add_rod(world, &rod);
        }
    }
    CordObstacleDef bar = cord_obstacle_def_default();
    bar.solid.shape = CORD_SOLID_CAPSULE, bar.solid.size = (CordVec3){0.02, 0, 1},
    bar.position = (CordVec3){0.25, 0.2, -0.3};
    bar.rotation = cord_quat_about((CordVec3){1, 0, 0}, 0.5 * pi);
    touch_with(world, 0.3);
    add_obstacle(world, &bar);
    return world;
}

static CordWorld* build_alone(bool implicit)
{
    CordWorldDef def = cord_world_def_default();
    return build(&def, implicit);
}

typedef struct Counts {
    int64_t refined, merged;
    int nodes;
} Counts;

static Counts counts_of(const CordWorld* world) // of all its rods
{
    Counts sum = {0};
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordAdaptReport r = cord_rod_adapt_report(world, cord_world_rod(world, i));
        sum.refined += r.refined, sum.merged += r.merged, sum.nodes += r.nodes;
    }
    return sum;
}

// Steps, and by the seed changes by hand between them.
static void go_on(CordWorld* world, bool implicit, double time, unsigned seed)
{
    for (int i = 0; i < (int)(time / pace + 0.5); i++) {
        run_many(world, step_of(implicit), (int)(pace / step_of(implicit) + 0.5));
        for (int r = 0; r < cord_world_rod_count(world) && seed > 0; r++) {
            (void)change_at_random(world, cord_world_rod(world, r), &seed);
        }
    }
}

// ---- states

TEST(a_state_put_back_goes_on_with_the_same_bits_across_numbers_of_nodes)
{
    for (int implicit = 0; implicit < 2; implicit++) {
        CordWorld* world = build_alone(implicit);
        int others = 0; // as many nodes may come as go, by chance, but not often
        for (unsigned i = 0; i < 8; i++) {
            Saved then = save(world);
            int nodes = counts_of(world).nodes;
            go_on(world, implicit, 0.02, 7 + i);
            Saved now = save(world);
            others += counts_of(world).nodes != nodes;
            restore(world, &then);
            CHECK_INT(counts_of(world).nodes, nodes);
            go_on(world, implicit, 0.02, 7 + i);
            CHECK(cord_world_state_hash(world) == now.hash);
            free(then.bytes), free(now.bytes);
        }
        Counts c = counts_of(world);
        print_message("    %s: %lld nodes taken in, %lld given up\n", implicit ? "implicit" : "explicit",
                      (long long)c.refined, (long long)c.merged);
        CHECK(c.refined > 50 && c.merged > 50 && others >= 6);
        cord_world_destroy(world);
    }
}

TEST(a_state_fits_another_world_built_by_the_same_calls_whatever_its_nodes)
{
    for (int i = 0; i < 8; i++) {
        bool implicit = i % 2;
        CordWorld *world = build_alone(implicit), *other = build_alone(implicit);
        go_on(world, implicit, 0.02 * (i / 2), 3);
        go_on(other, implicit, 0.02 * (3 - i / 2), 4);
        Saved s = save(world);
        restore(other, &s);
        go_on(world, implicit, 0.02, 5);
        go_on(other, implicit, 0.02, 5);
        CHECK(cord_world_state_hash(world) == cord_world_state_hash(other));
        free(s.bytes);
        cord_world_destroy(world);
        cord_world_destroy(other);
    }
}

// What the rods do by themselves, with nodes that come and go: steps one by one, many at a time, on two
// threads.
TEST(steps_one_by_one_at_once_and_on_two_threads_give_the_same_bits)
{
    for (int implicit = 0; implicit < 2; implicit++) {
        CordWorldDef def = cord_world_def_default();
        CordWorld* alone = build(&def, implicit);
        def.tasks = cord_tasks_openmp(2);
        CordWorld* shared = build(&def, implicit);
        for (int i = 0; i < 12; i++) {
            int steps = (int)(0.02 / step_of(implicit) + 0.5);
            run_many(alone, step_of(implicit), steps);
            for (int n = 0; n < steps; n++) {
                run_many(shared, step_of(implicit), 1);
            }
            CHECK(cord_world_state_hash(alone) == cord_world_state_hash(shared));
        }
        Counts c = counts_of(alone);
        print_message("    %s: %lld nodes taken in, %lld given up\n", implicit ? "implicit" : "explicit",
                      (long long)c.refined, (long long)c.merged);
        CHECK(c.refined > 10 && c.merged > 0);
        cord_world_destroy(alone);
        cord_world_destroy(shared);
    }
}

// ---- states that are damaged

// Whatever bytes say of numbers of nodes, they are taken or refused, and what was refused has changed
// nothing.
TEST(a_damaged_state_is_refused_or_taken_and_breaks_nothing)
{
    CordWorld *world = build_alone(false), *other = build_alone(false);
    go_on(world, false, 0.02, 3);
    Saved s = save(world), start = save(other);
    unsigned seed = 1;
    for (int i = 0; i < 2000; i++) {
        size_t at = (size_t)(0.5 * (1.0 + random_pm(&seed)) * (double)(s.size - 1));
        uint8_t kept = s.bytes[at];
        s.bytes[at] = (uint8_t)(128.0 * (1.0 + random_pm(&seed)) * 0.999);
        CordResult result = cord_world_state_set(other, s.bytes, s.size);
        if (result == CORD_OK) {
            CordFrame frame;
            CHECK_OK(cord_world_frame(other, &frame));
            restore(other, &start);
        }
        CHECK(result == CORD_OK || result == CORD_BAD_STATE);
        CHECK(cord_world_state_hash(other) == start.hash);
        s.bytes[at] = kept;
    }
    for (size_t size = 0; size < s.size; size += 1 + s.size / 300) { // cut short
        CHECK_RESULT(cord_world_state_set(other, s.bytes, size), CORD_BAD_STATE);
        CHECK(cord_world_state_hash(other) == start.hash);
    }
    free(s.bytes), free(start.bytes);
    cord_world_destroy(world);
    cord_world_destroy(other);
}

// ---- no memory

// Calls again what had no memory: it must have changed nothing, and so succeed, or fail as it should.
static CordResult refine_again(CordWorld* world, CordRodId rod, int edge)
{
    CordResult result = cord_rod_refine(world, rod, edge);
    return result == CORD_NO_MEMORY ? cord_rod_refine(world, rod, edge) : result;
}

static CordResult merge_again(CordWorld* world, CordRodId rod, int node)
{
    CordResult result = cord_rod_merge(world, rod, node);
    return result == CORD_NO_MEMORY ? cord_rod_merge(world, rod, node) : result;
}

// The world is there when memory begins to fail. Steps until nodes have come and gone by themselves, with
// changes by hand between them, and a state put back.
static uint64_t scenario(Heap* heap, int64_t fail, const Saved* start)
{
    CordWorldDef def = def_on(heap);
    CordWorld* world = build(&def, false);
    CHECK_OK(cord_world_state_set(world, start->bytes, start->size));
    heap->calls = 0, heap->fail = fail;
    for (int i = 0; i < 20; i++) {
        for (int r = 0; r < cord_world_rod_count(world); r++) {
            CordRodId rod = cord_world_rod(world, r);
            (void)refine_again(world, rod, (7 * i + r) % cord_rod_edge_count(world, rod));
            (void)merge_again(world, rod, (5 * i + r) % cord_rod_node_count(world, rod));
        }
        TRY(cord_world_step(world, step_of(false)));
    }
    TRY(cord_world_state_set(world, start->bytes, start->size));
    heap->fail = 0; // a step that has no memory to adapt stands, and adapts later
    for (int i = 0; i < 20; i++) {
        TRY(cord_world_step(world, step_of(false)));
    }
    uint64_t hash = cord_world_state_hash(world);
    cord_world_destroy(world);
    CHECK_INT(heap->held, 0);
    return hash;
}

TEST(when_any_one_allocation_of_a_change_fails_nothing_has_changed)
{
    CordWorld* world = build_alone(false);
    go_on(world, false, 0.12, 0); // into the bar
    CHECK(cord_world_contact_count(world) > 0);
    Saved start = save(world);
    Heap heap = {0};
    uint64_t expected = scenario(&heap, 0, &start);
    int64_t calls = heap.calls;
    print_message("    %lld allocations\n", (long long)calls);
    CHECK(calls > 10);
    int64_t every = 1 + calls / 300;
    for (int64_t n = 1; n <= calls; n += every) {
        heap = (Heap){0};
        CHECK(scenario(&heap, n, &start) == expected);
    }
    free(start.bytes);
    cord_world_destroy(world);
}

TEST_GROUP(adapt_state)
