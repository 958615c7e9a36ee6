// Solves of what nothing holds: refused at once where there is no equilibrium, left alone where there is one.
#include "world_bodies.h"

#define NODES 21

static CordResult solve(CordWorld* world, CordSolveReport* report)
{
    CordSolveDef def = cord_solve_def_default();
    return cord_world_solve(world, &def, report);
}

// Without one iteration, and the state is as it was.
static void refused(CordWorld* world, const char* named, const char* advice)
{
    CordSolveReport report;
    uint64_t before = cord_world_state_hash(world);
    CHECK_RESULT(solve(world, &report), CORD_NOT_CONVERGED);
    CHECK_CONTAINS(cord_world_message(world), named);
    CHECK_CONTAINS(cord_world_message(world), advice);
    CHECK(!report.converged);
    CHECK_INT(report.iterations, 0);
    CHECK(cord_world_state_hash(world) == before);
    cord_world_destroy(world);
}

// Where the tip of the first rod is then; the world is gone after that.
static CordVec3 solved(CordWorld* world)
{
    CordSolveReport report;
    CHECK_WORLD_OK(world, solve(world, &report));
    CHECK(report.converged && report.unstable == 0);
    CordVec3 x = tip_of(world, cord_world_rod(world, 0));
    cord_world_destroy(world);
    return x;
}

static CordRodId add_named(CordWorld* world, const char* name)
{
    CordRodDef def = line_def(NODES);
    def.name = name;
    return add_rod(world, &def);
}

// ---- going

TEST(a_free_rod_that_falls_or_that_one_force_pulls_is_refused)
{
    CordWorld* world = new_world(down);
    add_named(world, "adrift");
    refused(world, "rod 'adrift' against a force of 0.981 N", "clamp it");
    world = new_weightless_world();
    add_force(world, add_named(world, "adrift"), cord_at_end(), (CordVec3){1, 2, 2});
    refused(world, "rod 'adrift' against a force of 3 N", "clamp it");
}

// A free rod that starts bent and straightens between two forces, and a ring that nothing pulls.
TEST(free_rods_whose_forces_cancel_are_solved)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(NODES), ring = ring_def(NODES);
    def.shape = cord_shape_helix((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 0.1, 1.0, 0.3, NODES);
    def.rest = CORD_REST_STRAIGHT;
    CordRodId rod = add_rod(world, &def);
    add_force(world, rod, cord_at_start(), (CordVec3){-0.02, 0, 0});
    add_force(world, rod, cord_at_end(), (CordVec3){0.02, 0, 0});
    ring.shape.p = (CordVec3){3, 0, 0};
    add_rod(world, &ring);
    CordSolveReport report;
    CHECK_WORLD_OK(world, solve(world, &report));
    CHECK(report.converged && report.unstable == 0);
    CHECK_NEAR(tip_of(world, rod).y - node_of(world, rod, 0).y, 0.0, 1e-6);
    cord_world_destroy(world);
}

TEST(a_rod_on_a_pin_hangs_down)
{
    CordWorld* world = new_world(down);
    hold(world, add_named(world, "pendulum"), cord_at_start(), CORD_FIX_POSITION);
    CordVec3 tip = solved(world);
    CHECK(tip.z < -1.0 && fabs(tip.x) < 1e-6);
}

static CordWorld* sliding_world(CordVec3 start, CordVec3 end)
{
    CordWorld* world = new_world(down);
    CordRodId rod = add_named(world, "curtain");
    hold_sliding(world, rod, cord_at_start(), CORD_FIX_POSITION, start);
    hold_sliding(world, rod, cord_at_end(), CORD_FIX_POSITION, end);
    return world;
}

TEST(clamps_that_slide_hold_against_what_is_across)
{
    CordVec3 up = {0, 0, -2}, across = {0, 1, 0}, askew = {0.5, 0, 1}, with = {-1, 0, -2};
    refused(sliding_world(up, vec3_mul(up, -1.0)), "rod 'curtain' against a force of 0.981 N along",
            "where its clamps slide");
    refused(sliding_world(askew, with), "rod 'curtain'", "where its clamps slide");
    solved(sliding_world(across, across));
    solved(sliding_world(askew, (CordVec3){-0.5, 0, 1})); // a funnel
}

// ---- what is joined

// A clamped rod, a body at its end, and another rod that only the body holds.
static CordWorld* hung_world(bool clamped)
{
    CordWorld* world = new_world((CordVec3){0, 0, -0.1});
    CordRodDef def = line_def(NODES);
    def.name = "upper";
    CordRodId upper = add_rod(world, &def);
    def.name = "lower";
    def.shape = cord_shape_line((CordVec3){1.1, 0, 0}, (CordVec3){2, 0, 0}, NODES);
    CordRodId lower = add_rod(world, &def);
    CordBodyId body = add_odd_body(world, (CordVec3){1.05, 0, 0}, 0.02, 0.05);
    add_weld(world, upper, cord_at_end(), body, CORD_FIX_FRAME);
    add_weld(world, lower, cord_at_start(), body, CORD_FIX_FRAME);
    if (clamped) {
        hold(world, upper, cord_at_start(), CORD_FIX_FRAME);
    }
    return world;
}

TEST(a_rod_that_only_a_weld_holds_is_solved)
{
    solved(hung_world(true));
    refused(hung_world(false), "rod 'upper' and what it is joined to against a force of 0.021 N", "clamp it");
}

TEST(a_body_that_nothing_holds_is_refused)
{
    for (int gravity = 0; gravity < 2; gravity++) {
        CordWorld* world = new_world((CordVec3){0, 0, -0.1 * gravity});
        hold(world, add_named(world, "beam"), cord_at_start(), CORD_FIX_FRAME);
        CordBodyDef def = odd_body_def((CordVec3){0, 0, 3}, 0.5, 0.05);
        def.name = "moon";
        add_body(world, &def);
        if (gravity) {
            refused(world, "body 'moon' is welded to nothing", "weld it");
        } else {
            solved(world);
        }
    }
}

// ---- turning

// A torque on one end of a rod whose other end is held or on a pin, straight or a helix, which a pin keeps
// from turning.
static CordWorld* turned_world(bool straight, CordFix at_start)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(NODES);
    def.name = "shaft";
    def.shape = straight ? def.shape
                         : cord_shape_helix((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 0.05, 0.5, 2.0, NODES);
    CordRodId rod = add_rod(world, &def);
    hold_with_torque(world, rod, cord_at_end(), 0.002);
    hold(world, rod, cord_at_start(), at_start);
    return world;
}

TEST(a_torque_needs_something_that_holds_against_it)
{
    solved(turned_world(true, CORD_FIX_FRAME));
    solved(turned_world(false, CORD_FIX_POSITION));
    refused(turned_world(true, CORD_FIX_POSITION), "rod 'shaft' against a torque of 0.002 N m",
            "clamp its frame");
    refused(turned_world(true, CORD_FIX_DIRECTION), "rod 'shaft' against a torque of 0.002 N m",
            "clamp its frame");
}

// ---- branches

TEST(a_branch_ends_where_a_force_sets_in_that_nothing_holds)
{
    CordWorld* world = new_weightless_world();
    CordLoadDef load = cord_load_def_default();
    load.rod = add_named(world, "adrift"), load.at = cord_at_end(), load.force = (CordVec3){0.01, 0, 0},
    load.from = 0.5;
    add_load(world, &load);
    CordBranchDef def = cord_branch_def_default();
    CordBranch* branch;
    CordBranchPoint point = {0};
    CHECK_OK(cord_branch_create(world, &def, &branch));
    CordResult result = CORD_OK;
    while (result == CORD_OK && point.event != CORD_BRANCH_END) {
        result = cord_branch_next(branch, &point);
    }
    CHECK_RESULT(result, CORD_NOT_CONVERGED);
    CHECK_CONTAINS(cord_world_message(world), "nothing holds rod 'adrift' against a force of 0.01 N");
    CHECK_NEAR(point.time, 0.5, 1e-5); // the least step is a ten-thousandth of the first, which is 0.02
    cord_branch_destroy(branch);
    cord_world_destroy(world);
}

TEST_GROUP(world_held)
