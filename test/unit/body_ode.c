// Bodies moved by the Open Dynamics Engine: as the other engine where it can be compared, and what it does
// beyond that.
#include "world_bodies.h"

#include <cordage/body.h>

typedef struct Setup {
    CordWorld* world;
    void* ode;
} Setup;

static Setup make(double g, double friction)
{
    CordOdeDef def = cord_ode_def_default();
    CordWorldDef world_def = cord_world_def_default();
    Setup s;
    def.friction = friction;
    world_def.gravity = (CordVec3){0, 0, -g};
    CHECK_OK(cord_ode_create(&def, &world_def.engine, &s.ode));
    world_def.engine_user = s.ode;
    CHECK_OK(cord_world_create(&world_def, &s.world));
    return s;
}

static void end(Setup* s)
{
    cord_world_destroy(s->world);
    cord_ode_destroy(s->ode);
}

static CordBodyDef ball_def(const char* name, CordVec3 position, double radius, double mass)
{
    CordBodyDef def = cord_body_def_default();
    def.name = name, def.position = position, def.solid.size = (CordVec3){radius, radius, radius},
    def.mass = mass;
    return def;
}

static CordVec3 position_of(const CordWorld* w, CordBodyId b)
{
    return body_of(w, b).position;
}

TEST(an_engine_needs_a_def_that_makes_sense)
{
    const CordBodyEngine* engine;
    void* user;
    CordOdeDef def = cord_ode_def_default();
    CHECK_NEAR(def.friction, 0.3, 0.0);
    def.step = 0.0;
    CHECK_RESULT(cord_ode_create(&def, &engine, &user), CORD_BAD_ARGUMENT);
    def = cord_ode_def_default(), def.friction = -1.0;
    CHECK_RESULT(cord_ode_create(&def, &engine, &user), CORD_BAD_ARGUMENT);
    CHECK(engine == NULL && user == NULL);
    cord_ode_destroy(NULL);
}

TEST(a_thrown_ball_follows_the_parabola)
{
    Setup s = make(9.81, 0.3);
    CordBodyDef def = ball_def("ball", origin, 0.1, 1.0);
    def.velocity = (CordVec3){3, 0, 4};
    CordBodyId b = add_body(s.world, &def);
    run(s.world, 5e-3, 100); // in pieces
    CHECK_VEC3(position_of(s.world, b), ((CordVec3){1.5, 0, 2.0 - 9.81 / 8}), 1e-12);
    CHECK_VEC3(body_of(s.world, b).velocity, ((CordVec3){3, 0, 4 - 9.81 / 2}), 1e-12);
    end(&s);
}

TEST(a_spinning_body_turns_as_with_the_other_engine)
{
    Setup s = make(0.0, 0.3);
    CordWorld* other = new_weightless_world();
    CordBodyDef def = odd_body_def(origin, 1.0, 0.1);
    def.spin = (CordVec3){2, 1, 3};
    CordBodyId a = add_body(s.world, &def), b = add_body(other, &def);
    double off[2];
    for (int k = 0; k < 2; k++) {
        run(s.world, 1e-3, 250), run(other, 1e-3, 250);
        CordQuat p = body_of(s.world, a).rotation, q = body_of(other, b).rotation;
        off[k] = fabs(p.x - q.x) + fabs(p.y - q.y) + fabs(p.z - q.z) + fabs(p.w - q.w);
    }
    // first order: 1 ms of a motion that takes 300 ms to change, over half a second
    CHECK(off[1] > 0.0 && off[1] < 0.01);
    cord_world_destroy(other);
    end(&s);
}

// Balls, so that momentum is what the engine keeps of it.
TEST(welds_hold_and_momentum_is_passed_on)
{
    for (int inextensible = 0; inextensible <= 1; inextensible++) {
        Setup s = make(0.0, 0.3);
        CordBodyDef a = ball_def("a", (CordVec3){1.03, 0.04, -0.02}, 0.02, 0.3),
                    b = ball_def("b", (CordVec3){-0.03, 0.02, 0.05}, 0.02, 0.01);
        a.spin = (CordVec3){1, 2, 3}, a.inertia[0] = a.inertia[1] = a.inertia[2] = 1e-3;
        b.inertia[0] = b.inertia[1] = b.inertia[2] = 2e-5;
        add_thrown_pair(s.world, 13, inextensible, &a, &b);
        Totals before = totals(s.world);
        double h = 0.3 * cord_world_step_advice(s.world).step;
        for (int i = 0; i < 2000; i++) {
            run(s.world, h, 1);
            CHECK_NEAR(weld_gap(s.world), 0.0, 1e-12);
            CHECK_NEAR(most_stretch(s.world), 0.0, 1e-11);
        }
        Totals after = totals(s.world);
        CHECK_VEC3(after.linear, before.linear, 1e-11 * before.size);
        CHECK_VEC3(after.angular, before.angular, 1e-9 * vec3_length(before.angular));
        CHECK_NEAR(after.energy, before.energy, 0.02 * before.energy);
        end(&s);
    }
}

TEST(balls_that_meet_do_not_pass_through_each_other)
{
    Setup s = make(0.0, 0.0);
    CordBodyDef a = ball_def("a", origin, 0.1, 1.0), b = ball_def("b", (CordVec3){0.5, 0, 0}, 0.1, 1.0);
    a.velocity = (CordVec3){1, 0, 0};
    CordBodyId first = add_body(s.world, &a), second = add_body(s.world, &b);
    run(s.world, 1e-3, 1000);
    // they go on together: nothing bounces
    CHECK_VEC3(body_of(s.world, first).velocity, ((CordVec3){0.5, 0, 0}), 1e-3);
    CHECK_VEC3(body_of(s.world, second).velocity, ((CordVec3){0.5, 0, 0}), 1e-3);
    CHECK(position_of(s.world, second).x - position_of(s.world, first).x > 0.199);
    end(&s);
}

// On a slope of 0.4: friction of 0.5 holds a box, friction of 0.3 lets it go at g (sin - 0.3 cos).
TEST(friction_holds_a_box_on_a_slope_or_lets_it_go)
{
    for (int holds = 0; holds <= 1; holds++) {
        Setup s = make(0.0, holds ? 0.5 : 0.3);
        // gravity is tilted, the ground is flat
        double tilt = 0.4, length = sqrt(1.0 + tilt * tilt), g = 9.81;
        CHECK_OK(cord_world_set_gravity(s.world, (CordVec3){g * tilt / length, 0, -g / length}));
        CHECK_OK(cord_ode_plane(s.ode, (CordVec3){0, 0, 2}, 0.0));
        CordBodyDef box = cord_body_def_default();
        box.solid.shape = CORD_SOLID_BOX, box.solid.size = (CordVec3){0.2, 0.2, 0.1},
        box.position = (CordVec3){0, 0, 0.05};
        CordBodyId b = add_body(s.world, &box);
        run(s.world, 1e-3, 500);
        double x = position_of(s.world, b).x, slides = 0.5 * g * (tilt - 0.3) / length * 0.25;
        CHECK_NEAR(x, holds ? 0.0 : slides, holds ? 1e-3 : 0.05 * slides);
        CHECK_NEAR(position_of(s.world, b).z, 0.05, 2e-3);
        end(&s);
    }
}

// ODE has no cone, and is given its surface: one that falls stands on its base, and a ball that falls on its
// side rolls off.
TEST(a_shape_that_ode_has_not_is_its_surface)
{
    Setup s = make(9.81, 0.5);
    CHECK_OK(cord_ode_plane(s.ode, (CordVec3){0, 0, 1}, 0.0));
    CordBodyDef cone = cord_body_def_default();
    cone.solid = (CordSolid){.shape = CORD_SOLID_CONE, .size = {0.1, 0, 0.2}},
    cone.position = (CordVec3){0, 0, 0.07};
    CordBodyId c = add_body(s.world, &cone);
    run(s.world, 1e-3, 1000);
    CHECK_VEC3(position_of(s.world, c), ((CordVec3){0, 0, 0.05}), 5e-3);
    CordBodyDef ball = ball_def("ball", (CordVec3){0.05, 0, 0.2}, 0.02, 0.01);
    CordBodyId b = add_body(s.world, &ball);
    run(s.world, 1e-3, 1000);
    CHECK(position_of(s.world, b).x > 0.11 && position_of(s.world, b).z > 0.01);
    CHECK_VEC3(position_of(s.world, c), ((CordVec3){0, 0, 0.05}), 5e-3);
    end(&s);
}

// A rope from the ceiling takes half of the weight of a box that stands on the ground.
TEST(a_rope_and_the_ground_share_a_weight)
{
    Setup s = make(9.81, 0.5);
    CHECK_OK(cord_ode_plane(s.ode, (CordVec3){0, 0, 1}, -1.0));
    CordRodDef def = line_def(11);
    def.shape = cord_shape_line(origin, (CordVec3){0, 0, -0.9}, 11);
    def.stiffness.EA = 0.9 * 50.0; // 50 N/m
    CordRodId r = add_rod(s.world, &def);
    CordClampId top = hold(s.world, r, cord_at_start(), CORD_FIX_POSITION);
    CordBodyDef box = cord_body_def_default();
    box.solid = (CordSolid){.shape = CORD_SOLID_BOX, .size = {0.1, 0.1, 0.1}};
    box.mass = 1.0, box.position = (CordVec3){0, 0, -0.95};
    CordBodyId b = add_body(s.world, &box);
    add_weld(s.world, r, cord_at_end(), b, CORD_FIX_POSITION);
    add_drag(s.world, r, 0.5);
    for (int i = 1; i <= 2000; i++) { // pull it up by 0.1 m, slowly
        CHECK_OK(
            cord_clamp_move(s.world, top, (CordVec3){0, 0, 0.1 * fmin(1.0, i / 1000.0)}, quat_identity()));
        run(s.world, 1e-3, 1);
    }
    Reaction pull = weld_reaction(s.world, cord_world_weld(s.world, 0));
    CHECK_NEAR(pull.force.z, 5.0, 0.6); // the rope's own weight of 0.9 N hangs above
    CHECK_NEAR(position_of(s.world, b).z, -0.95, 2e-3);
    end(&s);
}

TEST(a_hinge_makes_a_pendulum)
{
    Setup s = make(9.81, 0.3);
    CordBodyDef bob = ball_def("bob", (CordVec3){0.1, 0, -0.5}, 0.01, 1.0);
    CordBodyId b = add_body(s.world, &bob);
    CordOdeJointDef joint = {CORD_ODE_HINGE, {"bob", NULL}, origin, {0, 1, 0}};
    CHECK_OK(cord_ode_joint(s.ode, &joint));
    double L = vec3_length(bob.position), before = 0.1, first = 0.0, last = 0.0;
    int passages = 0;
    for (int i = 0; i < 6000; i++) {
        run(s.world, 5e-4, 1);
        double x = position_of(s.world, b).x;
        CHECK_NEAR(vec3_length(position_of(s.world, b)), L, 1e-3 * L);
        if (before < 0.0 && x >= 0.0) {
            last = cord_world_time(s.world);
            first = passages++ == 0 ? last : first;
        }
        before = x;
    }
    // steps of 0.5 ms
    CHECK_NEAR((last - first) / (passages - 1), 2.0 * CORD_PI * sqrt(L / 9.81) * (1 + 0.04 / 16), 0.01);
    end(&s);
}

TEST(joints_hold_what_they_should)
{
    Setup s = make(9.81, 0.3);
    CordBodyDef a = ball_def("ball", origin, 0.05, 1.0),
                b = ball_def("slide", (CordVec3){1, 0, 0}, 0.05, 1.0),
                c = ball_def("stuck", (CordVec3){2, 0, 0}, 0.05, 1.0);
    CordBodyId ball = add_body(s.world, &a), slide = add_body(s.world, &b), stuck = add_body(s.world, &c);
    CordOdeJointDef joint = {CORD_ODE_BALL, {"ball", NULL}, origin, {0, 0, 0}};
    CHECK_OK(cord_ode_joint(s.ode, &joint));
    joint = (CordOdeJointDef){CORD_ODE_SLIDER, {"slide", NULL}, origin, {1, 0, -1}};
    CHECK_OK(cord_ode_joint(s.ode, &joint));
    joint = (CordOdeJointDef){CORD_ODE_FIXED, {"stuck", "ball"}, origin, {0, 0, 0}};
    CHECK_OK(cord_ode_joint(s.ode, &joint));
    run(s.world, 1e-3, 300);
    CHECK_VEC3(position_of(s.world, ball), origin, 2e-3);
    CordVec3 slid = vec3_sub(position_of(s.world, slide), b.position), away = position_of(s.world, stuck);
    CHECK_NEAR(slid.x + slid.z, 0.0, 1e-3); // along the axis
    CHECK(slid.x > 0.1);
    // swings about the ball as one piece
    CHECK_NEAR(vec3_length(vec3_sub(away, position_of(s.world, ball))), 2.0, 5e-3);
    end(&s);
}

TEST(joints_that_make_no_sense_are_refused)
{
    Setup s = make(9.81, 0.3);
    CordBodyDef a = ball_def("a", origin, 0.05, 1.0);
    add_body(s.world, &a);
    const struct {
        CordOdeJointDef def;
        const char* part; // of the message
    } bad[] = {{{CORD_ODE_HINGE, {"nobody", NULL}, {0, 0, 0}, {0, 1, 0}}, "'nobody'"},
               {{CORD_ODE_HINGE, {NULL, NULL}, {0, 0, 0}, {0, 1, 0}}, ""},
               {{CORD_ODE_HINGE, {"a", "a"}, {0, 0, 0}, {0, 1, 0}}, "two bodies"},
               {{CORD_ODE_HINGE, {"a", NULL}, {0, 0, 0}, {0, 0, 0}}, ""},
               {{CORD_ODE_HINGE, {"a", NULL}, {NAN, 0, 0}, {0, 1, 0}}, ""},
               {{(CordOdeJointKind)9, {"a", NULL}, {0, 0, 0}, {0, 1, 0}}, ""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_RESULT(cord_ode_joint(s.ode, &bad[i].def), CORD_BAD_ARGUMENT);
        CHECK_CONTAINS(cord_ode_message(s.ode), bad[i].part);
    }
    CHECK_RESULT(cord_ode_plane(s.ode, origin, 0.0), CORD_BAD_ARGUMENT);
    end(&s);
}

// Rods' own joints stay with the library's own engine, so that nothing of ODE wears on them.
TEST(joints_of_rods_are_not_the_engines_business)
{
    Setup s = make(0.0, 0.3);
    CordRodDef def = line_def(7);
    CordRodId a = add_rod(s.world, &def);
    def.shape = cord_shape_line((CordVec3){1, 0, 0}, (CordVec3){1, 1, 0}, 7);
    CordRodId b = add_rod(s.world, &def);
    CordBodyId joint = add_joint(s.world, CORD_JOINT_WELD, a, cord_at_end(), b, cord_at_start());
    CHECK_STR(world_body(s.world, joint)->engine->name, "free");
    CordBodyDef ball = ball_def("ball", origin, 0.01, 0.1);
    CordBodyId body = add_body(s.world, &ball);
    CHECK_STR(world_body(s.world, body)->engine->name, "ode");
    add_weld(s.world, a, cord_at_start(), body, CORD_FIX_FRAME); // both in one assembly
    run(s.world, 1e-3, 100);
    CHECK_NEAR(weld_gap(s.world), 0.0, 1e-12);
    CHECK_OK(cord_body_destroy(s.world, body));
    end(&s);
}

// A heap of every shape on the ground, with a door on a hinge that the heap hits and a ball on a rope.
static Setup make_heap(void)
{
    const CordSolid shapes[] = {{.shape = CORD_SOLID_BOX, .size = {0.1, 0.12, 0.08}},
                                {.shape = CORD_SOLID_SPHERE, .size = {0.06, 0, 0}},
                                {.shape = CORD_SOLID_CAPSULE, .size = {0.04, 0, 0.1}},
                                {.shape = CORD_SOLID_CONE, .size = {0.07, 0, 0.12}},
                                {.shape = CORD_SOLID_CYLINDER, .size = {0.05, 0, 0.1}}};
    enum { SHAPES = sizeof shapes / sizeof *shapes, COUNT = 2 * SHAPES };
    Setup s = make(9.81, 0.4);
    CHECK_OK(cord_ode_plane(s.ode, (CordVec3){0, 0, 1}, 0.0));
    for (int i = 0; i < COUNT; i++) {
        CordBodyDef def = cord_body_def_default();
        char name[16];
        snprintf(name, sizeof name, "body%d", i);
        def.name = name, def.solid = shapes[i % SHAPES], def.mass = 0.5 + 0.1 * i;
        def.position = (CordVec3){0.03 * (i % 3), 0.02 * (i % 4), 0.1 + 0.11 * i};
        def.spin = (CordVec3){0.3 * i, 1.0, -0.2 * i}, def.velocity = (CordVec3){0, 0, -1};
        add_body(s.world, &def);
    }
    CHECK_OK(cord_ode_joint(s.ode, &(CordOdeJointDef){CORD_ODE_HINGE, {"body0", NULL}, origin, {0, 0, 1}}));
    CHECK_OK(cord_ode_joint(
        s.ode, &(CordOdeJointDef){CORD_ODE_BALL, {"body3", "body4"}, {0.0, 0.04, 0.48}, {0, 0, 0}}));
    CordRodDef def = line_def(7);
    def.shape = cord_shape_line((CordVec3){0, 0, 0.3}, (CordVec3){0.5, 0, 0.3}, 7);
    CordRodId r = add_rod(s.world, &def);
    CordBodyDef bob = ball_def("bob", (CordVec3){0.5, 0, 0.3}, 0.05, 0.3);
    add_weld(s.world, r, cord_at_end(), add_body(s.world, &bob), CORD_FIX_POSITION);
    hold(s.world, r, cord_at_start(), CORD_FIX_POSITION);
    return s;
}

// As a resumed run does: the state goes into a world that has taken no step.
TEST(a_run_that_goes_on_in_another_world_has_the_same_bits)
{
    enum { STEPS = 2000, EVERY = 10 };
    Setup whole = make_heap();
    Saved then = save(whole.world);
    int same = 0;
    for (int i = 0; i < STEPS; i += EVERY) {
        Setup other = make_heap();
        restore(other.world, &then);
        run(whole.world, 1e-3, EVERY), run(other.world, 1e-3, EVERY);
        drop_saved(&then);
        then = save(whole.world);
        same += cord_world_state_hash(other.world) == then.hash;
        end(&other);
    }
    drop_saved(&then);
    CHECK_INT(same, STEPS / EVERY);
    end(&whole);
}

TEST(a_state_is_put_back_to_what_it_was)
{
    Setup s = make_heap();
    run(s.world, 1e-3, 100);
    Saved then = save(s.world);
    run(s.world, 1e-3, 400);
    uint64_t first = cord_world_state_hash(s.world);
    restore(s.world, &then);
    drop_saved(&then);
    run(s.world, 1e-3, 400);
    CHECK(cord_world_state_hash(s.world) == first);
    end(&s);
}

TEST_GROUP(body_ode)
