// Position-based rods together with the rest of the world: welds that hand them to Newton's method,
// equilibria, adaptive rods, bodies that may be touched, memory.
#include "heap.h"
#include "pbd_ways.h"

#include <cordage/adapt.h>
#include <cordage/contact.h>
#include <cordage/solve.h>

#include <stdlib.h>

// ---- welds

static CordBodyId add_bob(CordWorld* world, CordVec3 at)
{
    CordBodyDef def = cord_body_def_default();
    CordBodyId body;
    def.position = at, def.mass = 0.02;
    CHECK_OK(cord_body_create(world, &def, &body));
    return body;
}

static CordResult weld_end(CordWorld* world, CordRodId rod, CordBodyId body, CordWeldId* id)
{
    CordWeldDef def = cord_weld_def_default();
    def.rod = rod, def.body = body;
    return cord_weld_create(world, &def, id);
}

// Before any step, and after some: state and rest are the same, and Newton's method goes on from them.
TEST(a_weld_hands_the_rod_to_newtons_method)
{
    for (int i = 0; i < 4 * WAYS; i++) {
        CordWorld* world = new_world(down);
        CordRodDef def = pbd_def(line_def(9), (Way)(i % WAYS));
        def.inextensible = i / WAYS % 2, def.damping_time = i / WAYS / 2 ? 0.01 : 0.0, def.twist = 0.5;
        CordRodId rod = add_rod(world, &def);
        CordWeldId weld;
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        run(world, STEP, i % 2 ? 10 : 0);
        CordVec3 x[9], y[9];
        CHECK_OK(cord_rod_positions(world, rod, x));
        CordBodyId bob = add_bob(world, vec3_mul(vec3_add(x[8], x[7]), 0.5));
        double stretch = cord_rod_stretch(world, rod);
        CHECK(world_rod(world, rod)->stepper == STEPPER_POSITION);
        CHECK_OK(weld_end(world, rod, bob, &weld));
        CHECK(world_rod(world, rod)->stepper != STEPPER_POSITION);
        CHECK_OK(cord_rod_positions(world, rod, y));
        CHECK_INT(memcmp(x, y, sizeof x), 0);
        run(world, STEP, 20);
        CordVec3 force, torque;
        CHECK_OK(cord_weld_reaction(world, weld, &force, &torque));
        CHECK(vec3_finite(force) && vec3_length(force) > 0.0);
        // edges that are held keep theirs
        CHECK(cord_rod_stretch(world, rod) < (def.inextensible ? stretch + 1e-9 : 0.2));
        CHECK_OK(cord_weld_destroy(world, weld)); // and it stays with Newton's method
        run(world, STEP, 5);
        cord_world_destroy(world);
    }
}

TEST(a_weld_that_is_refused_changes_nothing)
{
    CordWorld* world = new_world(down);
    CordRodDef def = pbd_def(line_def(9), DIRECT);
    CordRodId rod = add_rod(world, &def);
    CordWeldId weld;
    hold(world, rod, cord_at_end(), CORD_FIX_FRAME);
    CordBodyId bob = add_bob(world, (CordVec3){1, 0, 0});
    run(world, STEP, 3);
    uint64_t before = cord_world_state_hash(world);
    CHECK_RESULT(weld_end(world, rod, bob, &weld), CORD_BAD_ARGUMENT);
    CHECK(world_rod(world, rod)->stepper == STEPPER_POSITION);
    CHECK(cord_world_state_hash(world) == before);
    cord_world_destroy(world);
}

// Memory that runs out at each of its allocations in turn: either there is a joint, or there is none and both
// rods take their own steps as before.
TEST(a_joint_without_memory_changes_nothing)
{
    for (int64_t n = 1; n < 60; n++) {
        Heap heap = {0};
        CordWorld* world = world_on(&heap);
        CordRodDef rod_def = pbd_def(line_def(9), DIRECT);
        CordJointDef joint = cord_joint_def_default();
        joint.count = 2;
        joint.rods[0] = add_rod(world, &rod_def), joint.at[0] = cord_at_end();
        rod_def.shape = cord_shape_line((CordVec3){1, 0, 0}, (CordVec3){1, 1, 0}, 9);
        joint.rods[1] = add_rod(world, &rod_def), joint.at[1] = cord_at_start();
        run(world, STEP, 2);
        uint64_t before = cord_world_state_hash(world);
        CordBodyId id;
        heap.fail = heap.calls + n;
        CordResult result = cord_joint_create(world, &joint, &id);
        heap.fail = 0;
        if (result != CORD_OK) {
            CHECK_RESULT(result, CORD_NO_MEMORY);
            CHECK(world_rod(world, joint.rods[0])->stepper == STEPPER_POSITION &&
                  world_rod(world, joint.rods[1])->stepper == STEPPER_POSITION);
            CHECK(cord_world_state_hash(world) == before);
            CHECK_OK(cord_joint_create(world, &joint, &id));
        }
        CHECK(world_rod(world, joint.rods[0])->stepper != STEPPER_POSITION &&
              world_rod(world, joint.rods[1])->stepper != STEPPER_POSITION);
        run(world, STEP, 5);
        cord_world_destroy(world);
        CHECK_INT(heap.held, 0);
    }
}

// ---- adaptive rods

TEST(an_adaptive_rod_takes_in_nodes_where_it_bends)
{
    for (Way way = DIRECT; way < PAPER; way++) {
        CordWorld* world = new_world(down);
        CordRodDef def = pbd_def(line_def(9), way);
        def.adapt.on = true, def.damping_time = 0.02, def.pbd.substeps = way == SWEEPS ? 5 : 1;
        // it hangs down from where it is held, within half an element
        def.stiffness.EI1 = def.stiffness.EI2 = 2e-4;
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        run(world, STEP, 200);
        CHECK(cord_rod_node_count(world, rod) > 9);
        CHECK(cord_rod_adapt_report(world, rod).refined > 0);
        CHECK(world_rod(world, rod)->stepper == STEPPER_POSITION);
        CHECK(cord_rod_stretch(world, rod) < 0.1);
        cord_world_destroy(world);
    }
}

// ---- contact

// A body that may be touched hands all rods to Newton's method, in the first step; a state taken after it
// fits a world that has not taken any.
TEST(a_state_fits_a_world_that_has_not_yet_chosen_how_to_step)
{
    CordWorld* worlds[2];
    for (int i = 0; i < 2; i++) {
        worlds[i] = new_world(down);
        CordRodDef def = pbd_def(line_def(9), DIRECT);
        CordContactDef contact = cord_contact_def_default();
        add_rod(worlds[i], &def);
        add_bob(worlds[i], (CordVec3){0.5, 0, -0.2});
        CHECK_OK(cord_world_set_contact(worlds[i], &contact));
    }
    run(worlds[0], 1e-3, 5);
    size_t size = cord_world_state_size(worlds[0]);
    CHECK(size == cord_world_state_size(worlds[1]));
    void* bytes = malloc(size);
    CHECK_OK(cord_world_state_get(worlds[0], bytes, size));
    CHECK_OK(cord_world_state_set(worlds[1], bytes, size));
    run(worlds[0], 1e-3, 5), run(worlds[1], 1e-3, 5);
    CHECK(cord_world_state_hash(worlds[0]) == cord_world_state_hash(worlds[1]));
    free(bytes);
    cord_world_destroy(worlds[0]);
    cord_world_destroy(worlds[1]);
}

// ---- memory

// Where they may touch they are apart, and nothing holds them, so that what there is to touch does not grow.
static void make_busy(CordWorld* world, bool touching)
{
    for (int i = 0; i < 2 * WAYS; i++) {
        CordRodDef def = pbd_def(i % 2 ? ring_def(8) : line_def(8), (Way)(i % WAYS));
        def.damping_time = i < WAYS ? 0.01 : 0.0, def.inextensible = i == 3;
        def.shape.p.y = def.shape.q.y = 3.0 * i;
        CordClampDef clamp = clamp_def(add_rod(world, &def), cord_at_edge(3), CORD_FIX_FRAME);
        clamp.release = 0.1;
        if (touching) {
            continue;
        }
        add_clamp(world, &clamp);
        add_force(world, clamp.rod, cord_at_node(6), (CordVec3){0, 0.01, 0});
    }
    add_drag(world, (CordRodId){0, 0}, 0.1);
}

TEST(a_step_after_the_first_allocates_nothing)
{
    for (int touching = 0; touching < 2; touching++) {
        Heap heap = {0};
        CordWorldDef def = def_on(&heap);
        CordWorld* world;
        CordContactDef contact = cord_contact_def_default();
        CHECK_OK(cord_world_create(&def, &world));
        make_busy(world, touching);
        contact.on = touching;
        CHECK_OK(cord_world_set_contact(world, &contact));
        CHECK_OK(cord_world_step_many(world, STEP, 5));
        int64_t calls = heap.calls;
        run(world, STEP, 20); // clamps let go
        CHECK_OK(cord_world_step_many(world, STEP, 5));
        CHECK_INT(heap.calls, calls);
        cord_world_destroy(world);
        CHECK_INT(heap.held, 0);
    }
}

TEST_GROUP(pbd_world, a_weld_hands_the_rod_to_newtons_method, a_weld_that_is_refused_changes_nothing,
           a_joint_without_memory_changes_nothing, an_adaptive_rod_takes_in_nodes_where_it_bends,
           a_state_fits_a_world_that_has_not_yet_chosen_how_to_step, a_step_after_the_first_allocates_nothing)
