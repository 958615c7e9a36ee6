// Twist between clamps: what holds it, what lets it go, which way it turns.
#include "check.h"

#include <cordage/cordage.h>

static const double pi = 3.14159265358979323846;

typedef struct Case {
    CordWorld* world;
    CordRodId rod;
} Case;

static Case make_rod(double twist)
{
    CordWorldDef world_def = cord_world_def_default();
    world_def.gravity = (CordVec3){0, 0, 0};
    Case c;
    CHECK_OK(cord_world_create(&world_def, &c.world));
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 21);
    def.twist = twist;
    def.inextensible = true;
    CHECK_OK(cord_rod_create(c.world, &def, &c.rod));
    return c;
}

static CordClampDef frame_clamp(const Case* c, CordPlace at)
{
    CordClampDef def = cord_clamp_def_default();
    def.rod = c->rod;
    def.at = at;
    def.fix = CORD_FIX_FRAME;
    return def;
}

static CordClampId hold(const Case* c, CordPlace at)
{
    CordClampDef def = frame_clamp(c, at);
    CordClampId id;
    CHECK_OK(cord_clamp_create(c->world, &def, &id));
    return id;
}

static double turns(const Case* c)
{
    return cord_rod_twist(c->world, c->rod);
}

static void step(const Case* c, int count)
{
    CHECK_OK(cord_world_step_many(c->world, 1e-5, count));
}

TEST(the_first_twist_waits_for_its_clamps)
{
    Case c = make_rod(6.0);
    CHECK_NEAR(turns(&c), 6.0 / (2.0 * pi), 1e-15);
    hold(&c, cord_at_start());
    CHECK(cord_rod_energy(c.world, c.rod).twist > 0.0); // asked in between
    hold(&c, cord_at_end());
    step(&c, 10);
    CHECK_NEAR(turns(&c), 6.0 / (2.0 * pi), 1e-12);
    cord_world_destroy(c.world);
}

TEST(twist_that_nothing_holds_is_gone_after_a_step)
{
    Case c = make_rod(6.0);
    hold(&c, cord_at_start());
    step(&c, 1);
    CHECK_NEAR(turns(&c), 0.0, 0.0);
    cord_world_destroy(c.world);
}

TEST(a_clamp_in_the_middle_keeps_its_part_when_an_end_lets_go)
{
    Case c = make_rod(6.0);
    hold(&c, cord_at_start());
    hold(&c, cord_at_edge(9)); // 9 of the 19 inner nodes lie before it
    CordClampId end = hold(&c, cord_at_end());
    step(&c, 5);
    CHECK_NEAR(turns(&c), 6.0 / (2.0 * pi), 1e-12);
    CHECK_OK(cord_clamp_destroy(c.world, end));
    step(&c, 1);
    CHECK_NEAR(turns(&c), 6.0 * 9.0 / 19.0 / (2.0 * pi), 1e-12);
    cord_world_destroy(c.world);
}

// A turn of the far end about the tangent, towards increasing node numbers, is positive; many turns are
// followed.
TEST(a_clamp_that_turns_winds_up_as_many_turns)
{
    Case c = make_rod(0.0);
    hold(&c, cord_at_start());
    CordMotion turn = cord_motion_rotate((CordVec3){1, 0, 0}, 2.0 * pi * 20.0, 0.0, 1e-2);
    CordClampDef def = frame_clamp(&c, cord_at_end());
    def.motions = &turn;
    def.motion_count = 1;
    CordClampId id;
    CHECK_OK(cord_clamp_create(c.world, &def, &id));
    step(&c, 1000);
    CHECK_NEAR(turns(&c), 20.0, 1e-9); // a thousand angles, each to round-off
    CordVec3 force, torque;
    CHECK_OK(cord_clamp_reaction(c.world, id, &force, &torque));
    CHECK(torque.x < 0.0); // the rod pulls the clamp back
    cord_world_destroy(c.world);
}

// Nothing holds the rod: it would spin, without inertia; no twist builds up until a clamp is there.
TEST(a_torque_needs_something_to_act_against)
{
    Case c = make_rod(0.0);
    CordClampDef def = frame_clamp(&c, cord_at_end());
    def.has_torque = true;
    def.torque = 0.1;
    CordClampId id;
    CHECK_OK(cord_clamp_create(c.world, &def, &id));
    step(&c, 1);
    CHECK_NEAR(turns(&c), 0.0, 0.0);
    hold(&c, cord_at_start());
    step(&c, 1);
    CHECK(turns(&c) > 0.0);
    def.at = cord_at_edge(7);
    CHECK_RESULT(cord_clamp_create(c.world, &def, &id), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(c.world), "at an end of an open rod");
    cord_world_destroy(c.world);
}

TEST_GROUP(world_twist, the_first_twist_waits_for_its_clamps, twist_that_nothing_holds_is_gone_after_a_step,
           a_clamp_in_the_middle_keeps_its_part_when_an_end_lets_go,
           a_clamp_that_turns_winds_up_as_many_turns, a_torque_needs_something_to_act_against)
