// The world under a branch that is open: what it refuses, and what it leaves behind. What no branch is begun
// for.
#include "world_branches.h"

typedef struct Scenery { // one of everything
    CordRodId rod, other;
    CordClampId clamp;
    CordLoadId load;
    CordBodyId body;
    CordWeldId weld;
} Scenery;

static Scenery furnish(CordWorld* world)
{
    Scenery s;
    CordRodDef def = line_def(NODES);
    s.rod = add_rod(world, &def), s.other = add_rod(world, &def);
    s.clamp = hold(world, s.rod, cord_at_start(), CORD_FIX_FRAME);
    hold(world, s.other, cord_at_start(), CORD_FIX_FRAME);
    s.load = add_force(world, s.rod, cord_at_node(NODES / 2), (CordVec3){0, 0, -1e-3});
    s.body = add_odd_body(world, (CordVec3){1.1, 0, 0}, 0.01, 0.05);
    s.weld = add_weld(world, s.rod, cord_at_end(), s.body, CORD_FIX_FRAME);
    return s;
}

static void refused(CordWorld* world, CordResult result)
{
    CHECK_RESULT(result, CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "a branch of equilibria is being followed");
}

static void try_all(CordWorld* world, const Scenery* s)
{
    CordRodDef rod_def = line_def(5);
    CordRodId rod;
    CordClampDef clamp_at_end = clamp_def(s->other, cord_at_end(), CORD_FIX_POSITION);
    CordClampId clamp;
    CordLoadDef load_def = cord_load_def_default();
    CordLoadId load;
    CordBodyDef body_def = cord_body_def_default();
    CordBodyId body;
    CordWeldDef other_weld = weld_def(s->other, cord_at_end(), s->body, CORD_FIX_FRAME);
    CordWeldId weld;
    CordJointDef joint = cord_joint_def_default();
    CordSolveDef solve = cord_solve_def_default();
    CordSolveReport report;
    CordBranchDef branch_def = cord_branch_def_default();
    CordBranch* branch;
    double omega2;
    load_def.rod = s->other;
    refused(world, cord_rod_create(world, &rod_def, &rod));
    refused(world, cord_rod_destroy(world, s->other));
    refused(world, cord_clamp_create(world, &clamp_at_end, &clamp));
    refused(world, cord_clamp_destroy(world, s->clamp));
    refused(world, cord_load_create(world, &load_def, &load));
    refused(world, cord_load_destroy(world, s->load));
    refused(world, cord_body_create(world, &body_def, &body));
    refused(world, cord_body_destroy(world, s->body));
    refused(world, cord_weld_create(world, &other_weld, &weld));
    refused(world, cord_weld_destroy(world, s->weld));
    refused(world, cord_joint_create(world, &joint, &body));
    refused(world, cord_world_step(world, 1e-3));
    refused(world, cord_world_step_many(world, 1e-3, 10));
    refused(world, cord_world_solve(world, &solve, &report));
    refused(world, cord_world_modes(world, 1, &omega2, NULL));
    refused(world, cord_world_set_time(world, 0.5));
    refused(world, cord_world_set_gravity(world, (CordVec3){0, 0, 1}));
    refused(world, cord_world_state_set(world, "", 0));
    refused(world, cord_branch_create(world, &branch_def, &branch));
    CHECK(branch == NULL);
}

TEST(a_world_stays_as_it_is_while_a_branch_is_followed)
{
    for (int method = 0; method < 2; method++) {
        CordWorld* world = new_world((CordVec3){0, 0, -0.01});
        Scenery s = furnish(world);
        CordBranch* branch = open_branch(world, (CordBranchMethod)method, 0.0, 1.0, 0.2);
        next(world, branch);
        try_all(world, &s);
        CHECK_OK(cord_load_set_force(world, s.load, (CordVec3){0, 0, -2e-3})); // may change between points
        CHECK_OK(cord_clamp_move(world, s.clamp, (CordVec3){0, 0, 0.01}, quat_identity()));
        next(world, branch);
        CHECK_NEAR(node_of(world, s.rod, 0).z, 0.01, 1e-12);
        cord_branch_destroy(branch);
        run(world, 1e-4, 1);
        CHECK_OK(cord_body_destroy(world, s.body));
        CHECK_OK(cord_rod_destroy(world, s.rod));
        branch = open_branch(world, (CordBranchMethod)method, 0.0, 1.0, 0.2);
        next(world, branch);
        cord_branch_destroy(branch);
        cord_world_destroy(world);
    }
}

TEST(a_world_that_goes_takes_its_branch_along)
{
    Heap heap = {0};
    CordWorld* world = world_on(&heap);
    furnish(world);
    CHECK_OK(cord_world_set_gravity(world, (CordVec3){0, 0, -0.01}));
    next(world, open_branch(world, CORD_BRANCH_ARC, 0.0, 1.0, 0.2));
    cord_world_destroy(world);
    CHECK_INT(heap.held, 0);
}

TEST(an_arc_is_refused_where_friction_acts_and_before_it_is_begun)
{
    CordWorld* world = new_world((CordVec3){0, 0, -1});
    CordRodDef def = line_def(NODES);
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.material.friction = 0.0;
    hold(world, add_rod(world, &def), cord_at_start(), CORD_FIX_FRAME);
    CordContactDef contact = cord_contact_def_default();
    CordBranchDef arc = cord_branch_def_default();
    arc.method = CORD_BRANCH_ARC;
    const struct {
        double friction; // NAN: that of the rods, which is none
        CordSolveFriction solve;
        CordResult result;
    } cases[] = {{0.3, CORD_SOLVE_FRICTION_COULOMB, CORD_NOT_SUPPORTED},
                 {0.3, CORD_SOLVE_FRICTION_OFF, CORD_OK},
                 {0.3, CORD_SOLVE_FRICTION_FROZEN, CORD_OK},
                 {0.0, CORD_SOLVE_FRICTION_COULOMB, CORD_OK},
                 {NAN, CORD_SOLVE_FRICTION_COULOMB, CORD_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CordBranch* branch;
        contact.friction = cases[i].friction;
        CHECK_OK(cord_world_set_contact(world, &contact));
        arc.solve.friction = cases[i].solve;
        uint64_t hash = cord_world_state_hash(world);
        CHECK_RESULT(cord_branch_check(world, &arc), cases[i].result);
        CHECK(cord_world_state_hash(world) == hash);
        CHECK_RESULT(cord_branch_create(world, &arc, &branch), cases[i].result);
        cord_branch_destroy(branch);
    }
    arc.points = 0;
    CHECK_RESULT(cord_branch_check(world, &arc), CORD_BAD_ARGUMENT);
    cord_world_destroy(world);
}

TEST_GROUP(world_branch_open)
