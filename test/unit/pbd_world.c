// Position-based rods together with the rest of the world: welds that hand them to Newton's method,
// adaptive rods, bodies that may be touched.
#include "pbd_ways.h"
#include "world_bodies.h"

#include <cordage/adapt.h>

static bool is_position_based(const CordWorld* world, CordRodId rod)
{
    return world_rod(world, rod)->stepper == STEPPER_POSITION;
}

// ---- welds

static CordBodyId add_bob(CordWorld* world, CordVec3 at)
{
    CordBodyDef def = cord_body_def_default();
    def.position = at, def.mass = 0.02;
    return add_body(world, &def);
}

// Before any step, and after some: state and rest are the same, and Newton's method goes on from them.
TEST(a_weld_hands_the_rod_to_newtons_method)
{
    for (int i = 0; i < 4 * WAYS; i++) {
        CordWorld* world = new_world(down);
        CordRodDef def = pbd_def(line_def(9), (Way)(i % WAYS));
        def.inextensible = i / WAYS % 2, def.damping_time = i / WAYS / 2 ? 0.01 : 0.0, def.twist = 0.5;
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        run(world, STEP, i % 2 ? 10 : 0);
        CordVec3 x[9], y[9];
        CHECK_OK(cord_rod_positions(world, rod, x));
        CordBodyId bob = add_bob(world, vec3_mul(vec3_add(x[8], x[7]), 0.5));
        double stretch = cord_rod_stretch(world, rod);
        CHECK(is_position_based(world, rod));
        CordWeldId weld = add_weld(world, rod, cord_at_end(), bob, CORD_FIX_FRAME);
        CHECK(!is_position_based(world, rod));
        CHECK_OK(cord_rod_positions(world, rod, y));
        for (int k = 0; k < 9; k++) { // the stretch of the edge that it holds goes to the edge before it
            CHECK_VEC3(y[k], x[k], k == 7 ? 0.01 : 0.0);
        }
        run(world, STEP, 20);
        Reaction r = weld_reaction(world, weld);
        CHECK(vec3_finite(r.force) && vec3_length(r.force) > 0.0);
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
    CordWeldDef weld_is = weld_def(rod, cord_at_end(), bob, CORD_FIX_FRAME);
    CHECK_RESULT(cord_weld_create(world, &weld_is, &weld), CORD_BAD_ARGUMENT);
    CHECK(is_position_based(world, rod));
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
        CordRodId a = add_rod(world, &rod_def);
        rod_def.shape = cord_shape_line((CordVec3){1, 0, 0}, (CordVec3){1, 1, 0}, 9);
        CordRodId b = add_rod(world, &rod_def);
        CordJointDef joint = joint_def(CORD_JOINT_WELD, a, cord_at_end(), b, cord_at_start());
        run(world, STEP, 2);
        uint64_t before = cord_world_state_hash(world);
        CordBodyId id;
        heap.fail = heap.calls + n;
        CordResult result = cord_joint_create(world, &joint, &id);
        heap.fail = 0;
        if (result != CORD_OK) {
            CHECK_RESULT(result, CORD_NO_MEMORY);
            CHECK(is_position_based(world, a) && is_position_based(world, b));
            CHECK(cord_world_state_hash(world) == before);
            CHECK_OK(cord_joint_create(world, &joint, &id));
        }
        CHECK(!is_position_based(world, a) && !is_position_based(world, b));
        run(world, STEP, 5);
        cord_world_destroy(world);
        CHECK_INT(heap.held, 0);
    }
}

// ---- long steps

// A sliding clamp holds its node across its axis by 1e10 times its inertia, of which round-off leaves nothing
// along it: iterations come to the round-off of coordinates.
TEST(a_node_on_a_rail_is_found_to_all_digits)
{
    CordWorld* world = new_world(down);
    CordRodDef def = pbd_def(line_def(12), DIRECT);
    def.pbd.tolerance = 1e-12;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_end(), CORD_FIX_FRAME);
    CordClampDef rail = clamp_def(rod, cord_at_start(), CORD_FIX_POSITION);
    rail.slides = true, rail.axis = (CordVec3){0.94, -0.18, -0.29};
    add_clamp(world, &rail);
    for (int i = 0; i < 20; i++) {
        run(world, 0.01, 1);
        CHECK_INT(cord_world_step_report(world).unfinished, 0);
    }
    cord_world_destroy(world);
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
        CHECK(is_position_based(world, rod));
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
        add_rod(worlds[i], &def);
        add_bob(worlds[i], (CordVec3){0.5, 0, -0.2});
        turn_contact_on(worlds[i]);
    }
    run(worlds[0], 1e-3, 5);
    Saved state = save(worlds[0]);
    CHECK(state.size == cord_world_state_size(worlds[1]));
    CHECK_OK(cord_world_state_set(worlds[1], state.bytes, state.size));
    run(worlds[0], 1e-3, 5), run(worlds[1], 1e-3, 5);
    CHECK(cord_world_state_hash(worlds[0]) == cord_world_state_hash(worlds[1]));
    drop_saved(&state);
    cord_world_destroy(worlds[0]);
    cord_world_destroy(worlds[1]);
}

TEST_GROUP(pbd_world)
