// Equilibria of rods and rigid bodies that touch, against beam theory.
#include "contacts.h"

#include <cordage/solve.h>

static CordSolveReport settle(CordWorld* world, CordSolveFriction friction)
{
    CordSolveDef def = cord_solve_def_default();
    def.friction = friction;
    CordSolveReport report;
    CHECK_WORLD_OK(world, cord_world_solve(world, &def, &report));
    CHECK(report.converged);
    return report;
}

static CordWorld* heavy_world(double g)
{
    CordWorldDef def = cord_world_def_default();
    def.gravity = (CordVec3){0, 0, -g};
    CordWorld* world;
    CHECK_OK(cord_world_create(&def, &world));
    return world;
}

// ---- a ball on two parallel beams
//
// Each beam, clamped at both ends, bears half the weight W of the ball, and is pushed aside by as much times
// the tangent of the angle at which it is touched. Its middle gives way by F L^3 / (192 EI) along each.

static const double ball_radius = 0.1, rail_radius = 0.01, gauge = 0.12, weight = 0.02; // [m], [N]

static CordRodId rail(CordWorld* world, double y, int elements)
{
    CordRodDef def = unit_rod(elements);
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.inextensible = false, def.stiffness.EA = 1e4;
    def.stiffness.mass_per_length = 1e-7; // all but weightless
    def.section = cord_section_disc(rail_radius);
    def.half_edge_start = def.half_edge_end = true;
    def.shape = cord_shape_line((CordVec3){0, y, 0}, (CordVec3){1, y, 0}, elements + 1);
    CordRodId rod = add_rod(world, &def);
    hold_ends(world, rod, CORD_FIX_FRAME);
    return rod;
}

typedef struct Track { // a ball on two rails
    CordWorld* world;
    CordRodId rail;
    int middle; // node of the rail
    CordSolveReport report;
} Track;

static Track ball_on_rails(int elements)
{
    Track t = {.world = heavy_world(1.0), .middle = elements / 2};
    t.rail = rail(t.world, -0.5 * gauge, elements);
    rail(t.world, 0.5 * gauge, elements);
    double reach = ball_radius + rail_radius, height = sqrt(reach * reach - 0.25 * gauge * gauge);
    CordBodyDef ball = cord_body_def_default();
    ball.solid = (CordSolid){.shape = CORD_SOLID_SPHERE, .size = {ball_radius, 0, 0}};
    ball.mass = weight, ball.position = (CordVec3){0.5, 0, height + 0.01};
    add_body(t.world, &ball);
    touch_with(t.world, 0.0);
    t.report = settle(t.world, CORD_SOLVE_FRICTION_OFF);
    return t;
}

static CordVec3 rail_sag(int elements) // of the middle of a rail
{
    Track t = ball_on_rails(elements);
    CordVec3 x = node_of(t.world, t.rail, t.middle);
    CHECK_INT(t.report.unstable, 0);
    cord_world_destroy(t.world);
    return (CordVec3){0, -0.5 * gauge - x.y, -x.z};
}

static double touch_sine(void) // of the angle at which a rail is touched, from below
{
    return 0.5 * gauge / (ball_radius + rail_radius);
}

TEST(a_ball_bends_the_rails_it_lies_on)
{
    double sine = touch_sine(), tangent = sine / sqrt(1.0 - sine * sine), truth = 0.5 * weight / 192.0;
    CordVec3 coarse = rail_sag(40), fine = rail_sag(80);
    CHECK_NEAR(second_order(coarse.z, fine.z, truth, 0.3), 0.0, 3e-3);
    CHECK_NEAR(fine.y / (truth * tangent), 1.0, 5e-3);
}

// Each rail is a spring of 192 EI / L^3 along the line to the ball's centre. The ball may turn about three
// axes and roll along the rails at no cost, or nearly. Then come swaying and bouncing.
TEST(a_ball_bounces_on_its_rails)
{
    enum { MODES = 6 };
    Track t = ball_on_rails(80);
    double omega2[MODES], sine = touch_sine(), spring = 2.0 * 192.0 / weight;
    CHECK_WORLD_OK(t.world, cord_world_modes(t.world, MODES, omega2, NULL));
    for (int i = 0; i < MODES; i++) {
        print_message("    %g\n", omega2[i] / spring);
    }
    CHECK(fabs(omega2[3]) < 1e-2 * spring);
    CHECK_NEAR(omega2[4] / (spring * sine * sine), 1.0, 5e-3);
    CHECK_NEAR(omega2[5] / (spring * (1.0 - sine * sine)), 1.0, 5e-3);
    cord_world_destroy(t.world);
}

// ---- a beam that lies across a ball on a post
//
// The ball is welded to the top of a post, whose foot is clamped. The beam lies on it with its middle, and
// bears a load F at each end: its halves are cantilevers. Without friction it would slide off.

typedef struct Balance {
    double droop;  // of an end, below the middle [m]
    CordVec3 foot; // force of the post on its clamp [N]
    int unstable;
} Balance;

static const double tip_load = 0.01;

static Balance balance_on_ball(int elements)
{
    CordWorld* world = new_weightless_world();
    CordRodDef post = unit_rod(10);
    post.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    post.stiffness.EI1 = post.stiffness.EI2 = post.stiffness.GJ = 100.0;
    post.inextensible = false; // its strain tells what it bears
    post.section = cord_section_disc(0.01);
    post.shape = cord_shape_line((CordVec3){0, 0, -0.6}, (CordVec3){0, 0, -0.1}, 11);
    CordRodId foot = add_rod(world, &post);
    CordClampId clamp = hold(world, foot, cord_at_start(), CORD_FIX_FRAME);
    CordBodyDef ball = cord_body_def_default();
    ball.solid = (CordSolid){.shape = CORD_SOLID_SPHERE, .size = {0.1, 0, 0}};
    ball.mass = 0.1;
    CordBodyId body = add_body(world, &ball);
    weld(world, foot, cord_at_end(), body, CORD_FIX_FRAME);
    CordRodDef beam = unit_rod(elements);
    beam.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    beam.section = cord_section_disc(0.01);
    beam.shape = cord_shape_line((CordVec3){-0.5, 0, 0.11}, (CordVec3){0.5, 0, 0.11}, elements + 1);
    CordRodId rod = add_rod(world, &beam);
    CordLoadDef load = cord_load_def_default();
    load.kind = CORD_LOAD_FORCE, load.rod = rod, load.force = (CordVec3){0, 0, -tip_load};
    for (int side = 0; side < 2; side++) {
        CordLoadId id;
        load.at = side == 0 ? cord_at_start() : cord_at_end();
        CHECK_WORLD_OK(world, cord_load_create(world, &load, &id));
    }
    touch_with(world, 0.3);
    CordSolveReport report = settle(world, CORD_SOLVE_FRICTION_FROZEN);
    Balance b = {.unstable = report.unstable};
    b.droop = node_of(world, rod, elements / 2).z - tip_of(world, rod).z;
    CordVec3 torque;
    CHECK_OK(cord_clamp_reaction(world, clamp, &b.foot, &torque));
    print_message("    ends %.6g below the middle, (%.3g, %.3g, %.6g) N on the clamp, unstable %d, %d "
                  "contacts, %d iterations\n",
                  b.droop, b.foot.x, b.foot.y, b.foot.z, b.unstable, cord_world_contact_count(world),
                  report.iterations);
    cord_world_destroy(world);
    return b;
}

TEST(a_beam_balances_on_a_ball_that_is_welded_to_a_post)
{
    double truth = tip_load * 0.125 / 3.0; // F l^3 / (3 EI)
    Balance coarse = balance_on_ball(40), fine = balance_on_ball(80);
    CHECK_NEAR(second_order(coarse.droop, fine.droop, truth, 0.3), 0.0, 5e-3);
    CHECK_NEAR(fine.foot.z, -2.0 * tip_load, 1e-8);
    CHECK_INT(fine.unstable, 1); // it may roll off sideways
}

// ---- friction
//
// A beam, clamped at its start, rests on a plane near its end and is pulled along the plane. Without friction
// it bends aside as a cantilever. Frozen, its contacts do not let it.

static double pulled_aside(CordSolveFriction friction)
{
    enum { N = 20 };
    CordWorld* world = heavy_world(10.0);
    CordRodDef def = unit_rod(N);
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.section = cord_section_disc(0.01);
    def.half_edge_start = true;
    def.shape = cord_shape_line((CordVec3){0, 0, 0.01}, (CordVec3){1, 0, 0.01}, N + 1);
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    add_ground(world);
    touch_with(world, 0.5);
    settle(world, CORD_SOLVE_FRICTION_COULOMB); // lies on the ground, and presses
    CordLoadDef load = cord_load_def_default();
    load.kind = CORD_LOAD_FORCE, load.rod = rod, load.at = cord_at_end(), load.force = (CordVec3){0, 0.3, 0};
    CordLoadId id;
    CHECK_WORLD_OK(world, cord_load_create(world, &load, &id));
    CordSolveReport report = settle(world, friction);
    double y = tip_of(world, rod).y;
    print_message("    %g m aside, unstable %d\n", y, report.unstable);
    cord_world_destroy(world);
    return y;
}

TEST(friction_is_off_frozen_or_coulombs)
{
    double off = pulled_aside(CORD_SOLVE_FRICTION_OFF), frozen = pulled_aside(CORD_SOLVE_FRICTION_FROZEN),
           coulomb = pulled_aside(CORD_SOLVE_FRICTION_COULOMB);
    CHECK_NEAR(off, 0.3 / 3.0, 0.03 * 0.1);       // F L^3 / (3 EI), for small slopes
    CHECK(fabs(frozen) < 1e-3 * off);             // by the half edge at its end
    CHECK(coulomb >= 0.0 && coulomb < 0.2 * off); // 0.3 N against 5 N in all
}

// A cantilever slides on the ball that props it, until it rests. Wherever it stops, the residual counts the
// friction of contacts that stick and of those at the limit, and clamp and ball bear each other's push.
TEST(friction_is_in_balance_where_it_slides_and_where_it_sticks)
{
    const struct {
        int elements;
        double young, friction;
    } beams[] = {{40, 1e9, 0.0}, {40, 1e9, 0.3},  {40, 1e9, 1.0},
                 {80, 1e9, 0.3}, {80, 2e11, 0.3}, {160, 2e11, 1.0}};
    int limited = 0, stuck = 0;
    for (size_t i = 0; i < sizeof beams / sizeof *beams; i++) {
        Prop p = propped_cantilever(beams[i].elements, beams[i].young, beams[i].friction);
        CordSolveReport report = settle(p.world, CORD_SOLVE_FRICTION_COULOMB);
        const CordContact* touch = cord_world_contacts(p.world);
        CordVec3 foot, torque, push, turn;
        CHECK_OK(cord_clamp_reaction(p.world, p.clamp, &foot, &torque));
        CHECK_OK(cord_obstacle_force(p.world, p.ball, &push, &turn));
        bool slides = touch->slides && size_of(touch->friction) > 0.0;
        print_message("    friction %.3g of %.3g N, residual %.2g, along %.3g N\n", size_of(touch->friction),
                      touch->push, report.residual_relative, foot.x + push.x);
        CHECK(report.residual_relative < 1e-7);
        CHECK_INT(report.unstable, slides ? -1 : 0);
        CHECK_NEAR(foot.x + push.x, 0.0, 1e-7);
        limited += slides, stuck += !slides && beams[i].friction > 0.0;
        cord_world_destroy(p.world);
    }
    CHECK(limited > 0 && stuck > 0);
}

TEST(the_softest_vibration_is_not_known_where_friction_slides)
{
    Prop p = propped_cantilever(40, 1e9, 0.3);
    CordBranchDef def = cord_branch_def_default();
    CordBranch* branch;
    CordBranchPoint point;
    CHECK_WORLD_OK(p.world, cord_branch_create(p.world, &def, &branch));
    CHECK_WORLD_OK(p.world, cord_branch_next(branch, &point));
    CHECK_INT(point.solve.unstable, -1);
    CHECK(isnan(point.least_eigenvalue) && point.solve.residual_relative < 1e-9);
    cord_branch_destroy(branch);
    cord_world_destroy(p.world);
}

// ---- refusals

TEST(bodies_that_nothing_holds_are_told)
{
    CordWorld* world = heavy_world(10.0);
    rail(world, 0.0, 10);
    CordBodyDef ball = cord_body_def_default();
    ball.solid = (CordSolid){.shape = CORD_SOLID_SPHERE, .size = {0.1, 0, 0}};
    ball.mass = 1.0, ball.name = "stray", ball.position = (CordVec3){0.5, 1.0, 0.2}; // beside the rail
    add_body(world, &ball);
    touch_with(world, 0.0);
    CordSolveDef def = cord_solve_def_default();
    CordSolveReport report;
    CHECK_RESULT(cord_world_solve(world, &def, &report), CORD_NOT_CONVERGED);
    CHECK_CONTAINS(cord_world_message(world), "'stray'");
    cord_world_destroy(world);
}

TEST_GROUP(contact_equilibrium)
