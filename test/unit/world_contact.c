// Contact as a world has it: its settings, who comes and goes, and what a step with it allocates.
#include "world/contact_group.h"
#include "world/obstacle.h"
#include "world_bodies.h"

// ---- settings

TEST(contact_is_off_until_it_is_asked_for)
{
    CordWorld* world = new_weightless_world();
    CHECK(!world->contact.on);
    CordContactDef def = cord_contact_def_default();
    CHECK(def.on && isnan(def.friction) && !def.watch_topology && def.response == CORD_RESPONSE_IMPULSES);
    CHECK_NEAR(def.gap, 0.05, 0.0);
    CHECK_NEAR(def.tolerance, 1e-3, 0.0);
    CHECK_INT(def.iterations, 200);
    CHECK_OK(cord_world_set_contact(world, &def));
    CHECK(world->contact.on);
    def.on = false;
    CHECK_OK(cord_world_set_contact(world, &def));
    CHECK(!world->contact.on);
    cord_world_destroy(world);
}

TEST(pairs_of_surfaces_are_copied)
{
    Heap heap = {0};
    CordWorld* world = world_on(&heap);
    CordSurfacePair pairs[2] = {cord_surface_pair_default(1, 2, 0.5), cord_surface_pair_default(-3, 7, 0.25)};
    CordContactDef def = cord_contact_def_default();
    def.pairs = pairs, def.pair_count = 2;
    CHECK_OK(cord_world_set_contact(world, &def));
    memset(pairs, 0, sizeof pairs);
    CHECK_INT(world->contact.pairs[1].surface[0], -3);
    CHECK_NEAR(world->contact.pairs[1].friction, 0.25, 0.0);
    CordContactDef own = world->contact; // its own pairs, once more
    own.pair_count = 1;
    CHECK_OK(cord_world_set_contact(world, &own));
    CHECK_INT(world->contact.pair_count, 1);
    CHECK_NEAR(world->contact.pairs[0].friction, 0.5, 0.0);
    cord_world_destroy(world);
    CHECK_INT(heap.held, 0);
}

static void contact_refused(const CordContactDef* def, const char* message)
{
    CordWorld* world = new_weightless_world();
    CHECK_RESULT(cord_world_set_contact(world, def), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), message);
    CHECK(!world->contact.on);
    cord_world_destroy(world);
}

TEST(contact_settings_that_are_none_are_refused)
{
    const CordContactDef good = cord_contact_def_default();
    const double gaps[] = {0.0, -1.0, 0.51, NAN, INFINITY}, tolerances[] = {0.0, -1e-3, 0.11, NAN};
    const double frictions[] = {-0.1, 100.1, INFINITY};
    CordContactDef def;
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        def = good, def.gap = gaps[i];
        contact_refused(&def, "it is a share of a radius, above 0 and at most 0.5");
    }
    for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
        def = good, def.tolerance = tolerances[i];
        contact_refused(&def, "it is a share of a radius, above 0 and at most 0.1");
    }
    for (size_t i = 0; i < sizeof frictions / sizeof *frictions; i++) {
        CordSurfacePair pair = cord_surface_pair_default(3, 4, frictions[i]);
        def = good, def.friction = frictions[i];
        contact_refused(&def, "the friction of all contacts is");
        def = good, def.pairs = &pair, def.pair_count = 1;
        contact_refused(&def, "the friction between surfaces 3 and 4 is");
    }
    CordSurfacePair unset = cord_surface_pair_default(3, 4, NAN);
    def = good, def.pairs = &unset, def.pair_count = 1;
    contact_refused(&def, "the friction between surfaces 3 and 4 is");
    CordSurfacePair above = {{3, 4}, 0.3, 0.31, NAN, NAN, NAN};
    def = good, def.pairs = &above, def.pair_count = 1;
    contact_refused(&def, "the kinetic friction of surfaces 3 and 4 is 0.31; it must be between 0 and the "
                          "static friction, 0.3");
    def = good, def.friction = 0.3, def.friction_kinetic = -0.1;
    contact_refused(&def, "the kinetic friction of all contacts is -0.1");
    def = good, def.friction_kinetic = 0.1;
    contact_refused(&def, "set both, or leave both to the materials");
    CordSurfacePair springy = {{3, 4}, 0.3, NAN, 1.1, NAN, NAN};
    def = good, def.pairs = &springy, def.pair_count = 1;
    contact_refused(&def, "the restitution of surfaces 3 and 4 is 1.1; it is a share of a speed");
    CordSurfacePair sticky = cord_surface_pair_default(3, 4, 0.3);
    sticky.spinning_friction = -1e-3;
    def = good, def.pairs = &sticky, def.pair_count = 1;
    contact_refused(&def, "the rolling friction of surfaces 3 and 4 is 0 and its spinning friction -0.001");
    def = good, def.restitution = -0.1;
    contact_refused(&def, "the restitution of all contacts is -0.1");
    def = good, def.impact_speed = -1.0;
    contact_refused(&def, "the speed below which contacts do not rebound is -1");
    def = good, def.stick_speed = NAN;
    contact_refused(&def, "it is in m/s and must not be negative");
    def = good, def.iterations = 0;
    contact_refused(&def, "contacts may take 0 iterations; they need one at least");
    def = good, def.response = (CordResponse)2;
    contact_refused(&def, "there is no contact response number 2");
    def = good, def.pair_count = 3;
    contact_refused(&def, "the pairs of surfaces are said to be 3, and none are given");
}

TEST(rods_and_bodies_keep_what_contact_asks_of_them)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(5);
    def.material.friction = 0.7, def.material.friction_across = 2.0;
    def.surface = 5, def.intangible = true;
    const Rod* rod = world_rod(world, add_rod(world, &def));
    CHECK_NEAR(rod->surface.friction, 0.7, 0.0);
    CHECK_NEAR(rod->surface.friction_across, 2.0, 0.0);
    CHECK_INT(rod->surface.id, 5);
    CHECK(rod->intangible);
    CordRodId id;
    def.material.friction = -0.1;
    CHECK_RESULT(cord_rod_create(world, &def, &id), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "the friction is -0.1");
    def.material.friction = 0.1, def.material.friction_across = NAN;
    CHECK_RESULT(cord_rod_create(world, &def, &id), CORD_BAD_ARGUMENT);
    CordBodyDef ball = cord_body_def_default();
    CordBodyId body;
    CHECK_NEAR(ball.friction, 0.3, 0.0);
    CHECK(!ball.intangible);
    ball.surface = 6;
    CHECK_INT(world_body(world, add_body(world, &ball))->def.surface, 6);
    ball.friction = INFINITY;
    CHECK_RESULT(cord_body_create(world, &ball, &body), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "its friction is inf");
    cord_world_destroy(world);
}

TEST(friction_that_is_none_is_refused_by_rods_bodies_and_obstacles)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(5), good = def;
    CordRodId rod;
    def.material.friction_kinetic = 0.31;
    CHECK_RESULT(cord_rod_create(world, &def, &rod), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "the kinetic friction of the material is 0.31");
    def = good, def.material.friction_backward = -1.0;
    CHECK_RESULT(cord_rod_create(world, &def, &rod), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "backwards along it -1 times");
    def = good, def.material.restitution = 2.0;
    CHECK_RESULT(cord_rod_create(world, &def, &rod), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "the restitution of the material is 2");
    def = good, def.material.rolling_friction = -2e-3;
    CHECK_RESULT(cord_rod_create(world, &def, &rod), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "the rolling friction of the material is -0.002");
    CordSurfaceStretch stretch = {0.5, 0.2, cord_material_default(), 1};
    def = good, def.stretches = &stretch, def.stretch_count = 1;
    CHECK_RESULT(cord_rod_create(world, &def, &rod), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "stretch 0 goes from 0.5 to 0.2 m");
    stretch.from = 0.1, stretch.to = 1e3;
    CHECK_RESULT(cord_rod_create(world, &def, &rod), CORD_BAD_ARGUMENT);
    def.stretches = NULL;
    CHECK_RESULT(cord_rod_create(world, &def, &rod), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "stretches of the rod are said to be 1");
    CordObstacleDef ground = cord_obstacle_def_default();
    CordObstacleId obstacle;
    ground.friction_kinetic = 0.4;
    CHECK_RESULT(cord_obstacle_create(world, &ground, &obstacle), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "the kinetic friction of the obstacle is 0.4");
    ground = cord_obstacle_def_default(), ground.spinning_friction = NAN;
    CHECK_RESULT(cord_obstacle_create(world, &ground, &obstacle), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "of the obstacle is 0 and its spinning friction nan");
    ground = cord_obstacle_def_default(), ground.stiffness = 0.0;
    CHECK_RESULT(cord_obstacle_create(world, &ground, &obstacle), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "its stiffness is 0; it is in N/m^2");
    ground = cord_obstacle_def_default(), ground.damping = 1.0;
    CHECK_RESULT(cord_obstacle_create(world, &ground, &obstacle), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "takes a finite stiffness beside it");
    CordBodyDef ball = cord_body_def_default();
    CordBodyId body;
    ball.mass = 1.0, ball.friction_kinetic = 0.4;
    CHECK_RESULT(cord_body_create(world, &ball, &body), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "the kinetic friction of the body is 0.4");
    ball = cord_body_def_default(), ball.rolling_friction = INFINITY;
    CHECK_RESULT(cord_body_create(world, &ball, &body), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "the rolling friction of the body is inf");
    CHECK_INT(cord_world_rod_count(world), 0);
    cord_world_destroy(world);
}

TEST(zones_refuse_what_rebounds_or_gives_way)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(5);
    def.material.restitution = 0.5;
    add_rod(world, &def);
    CordContactDef contact = cord_contact_def_default();
    contact.response = CORD_RESPONSE_ZONES;
    CHECK_OK(cord_world_set_contact(world, &contact));
    CHECK_RESULT(cord_world_step(world, 1e-4), CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(cord_world_message(world), "does not let rod");
    contact.restitution = 0.0; // of all contacts, before the materials'
    CHECK_OK(cord_world_set_contact(world, &contact));
    CHECK_OK(cord_world_step(world, 1e-4));
    CordObstacleDef bed = cord_obstacle_def_default();
    CordObstacleId id;
    bed.stiffness = 1e3, bed.position.z = -1.0;
    CHECK_OK(cord_obstacle_create(world, &bed, &id));
    CHECK_RESULT(cord_world_step(world, 1e-4), CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(cord_world_message(world), "is compliant; the response");
    cord_world_destroy(world);
}

TEST(zones_refuse_what_resists_rolling)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(5);
    def.material.rolling_friction = 1e-3;
    add_rod(world, &def);
    CordContactDef contact = cord_contact_def_default();
    contact.response = CORD_RESPONSE_ZONES;
    CHECK_OK(cord_world_set_contact(world, &contact));
    CHECK_RESULT(cord_world_step(world, 1e-4), CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(cord_world_message(world), "does not resist rolling and spinning of rod");
    cord_world_destroy(world);
}

// ---- who comes and goes

// A rope at rest, and after a step something that falls on it, which then is taken away.
typedef enum Guest { GUEST_ROD, GUEST_BODY, GUEST_OBSTACLE, GUESTS } Guest;

static void invite(CordWorld* world, Guest guest)
{
    const CordVec3 above = {0.52, 0, 0.025}, falls = {0, 0, -1};
    CordRodDef rod = line_def(5);
    CordBodyDef ball = cord_body_def_default();
    CordObstacleDef sphere = cord_obstacle_def_default();
    CordMotion fall =
        cord_motion_translate((CordVec3){0, 0, -0.1}, cord_world_time(world), cord_world_time(world) + 0.1);
    switch (guest) {
    case GUEST_ROD:
        rod.shape = cord_shape_line((CordVec3){0.52, -0.1, 0.025}, (CordVec3){0.52, 0.1, 0.025}, 5);
        rod.section = cord_section_disc(0.01), rod.velocity = falls;
        rod.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
        add_rod(world, &rod);
        break;
    case GUEST_BODY:
        ball.position = above, ball.velocity = falls;
        add_body(world, &ball);
        break;
    default:
        sphere.solid = (CordSolid){.shape = CORD_SOLID_SPHERE, .size = {0.01, 0, 0}};
        sphere.position = above, sphere.motions = &fall, sphere.motion_count = 1;
        add_obstacle(world, &sphere);
        break;
    }
}

TEST(what_comes_is_touched_and_what_goes_is_forgotten)
{
    for (Guest guest = 0; guest < GUESTS; guest++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(21);
        def.section = cord_section_disc(0.01);
        def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
        CordRodId rope = add_rod(world, &def);
        turn_contact_on(world);
        run(world, 1e-3, 2);
        invite(world, guest);
        run(world, 1e-3, 10); // by 1 cm, of which half is free
        CHECK(node_of(world, rope, 10).z < -1e-3);
        CHECK(cord_world_contact_report(world).deepest < 1e-7); // more would be put right
        switch (guest) {
        case GUEST_ROD: CHECK_OK(cord_rod_destroy(world, cord_world_rod(world, 1))); break;
        case GUEST_BODY: CHECK_OK(cord_body_destroy(world, cord_world_body(world, 0))); break;
        default: CHECK_OK(cord_obstacle_destroy(world, cord_world_obstacle(world, 0))); break;
        }
        CHECK_INT(cord_world_contact_count(world), 0);
        run(world, 1e-3, 2);
        cord_world_destroy(world);
    }
}

// A body at the end of a rod falls on a rope. A step is first tried without contact, which must leave no
// trace.
TEST(a_welded_body_lands_on_a_rope)
{
    for (int inextensible = 0; inextensible < 2; inextensible++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(21);
        def.section = cord_section_disc(0.01);
        def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
        CordRodId rope = add_rod(world, &def);
        CordRodDef carrier = def;
        carrier.shape = cord_shape_line((CordVec3){0.52, 0, 0.3}, (CordVec3){0.52, 0, 0.05}, 11);
        carrier.velocity = (CordVec3){0, 0, -1}, carrier.inextensible = inextensible;
        CordBodyDef ball = cord_body_def_default();
        ball.solid = (CordSolid){.shape = CORD_SOLID_SPHERE, .size = {0.02, 0, 0}};
        ball.mass = 0.1, ball.position = (CordVec3){0.52, 0, 0.035}, ball.velocity = carrier.velocity;
        CordRodId rod = add_rod(world, &carrier);
        add_weld(world, rod, cord_at_end(), add_body(world, &ball), CORD_FIX_FRAME);
        turn_contact_on(world);
        run(world, 2e-3, 20); // by 4 cm, of which 5 mm are free
        CHECK(node_of(world, rope, 10).z < -1e-3);
        CHECK(cord_world_contact_report(world).deepest < 1e-3);
        cord_world_destroy(world);
    }
}

// ---- vibrations

// The lowest vibrations of a free beam of ten elements above the ground, whose first six cost nothing.
static void beam_modes(double ground, int count, double* omega2)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(11);
    def.section = cord_section_disc(0.01);
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    add_rod(world, &def);
    CordContactDef contact = cord_contact_def_default();
    CHECK_OK(cord_world_set_contact(world, &contact));
    add_ground(world, ground);
    uint64_t hash = cord_world_state_hash(world);
    CHECK_OK(cord_world_modes(world, count, omega2, NULL));
    CHECK(cord_world_state_hash(world) == hash);
    cord_world_destroy(world);
}

TEST(vibrations_hold_what_touches)
{
    double far[8], near[8], lying[8];
    beam_modes(-0.02, 8, far);
    beam_modes(-0.0102, 8, near); // within the gap of listed contacts, but it does not touch
    beam_modes(-0.01, 8, lying);
    for (int i = 6; i < 8; i++) {
        CHECK_NEAR(near[i] / far[i], 1.0, 1e-6);
    }
    // the ground leaves it sliding, turning about z and about itself, and one bending where there were two
    CHECK(lying[3] < 1e-9 * far[6]);
    CHECK_NEAR(lying[4] / far[6], 1.0, 1e-6);
    CHECK(lying[5] > 2.0 * far[7]);
}

TEST(vibrations_that_contacts_do_not_leave_are_refused)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(11);
    def.section = cord_section_disc(0.01);
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    add_rod(world, &def);
    CordContactDef contact = cord_contact_def_default();
    CHECK_OK(cord_world_set_contact(world, &contact));
    add_ground(world, -0.01);
    double omega2[33];
    CHECK_INT(cord_world_modes(world, 33, omega2, NULL), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "contacts, which are held, leave 32");
    cord_world_destroy(world);
}

// ---- equilibria

TEST(a_state_whose_forces_do_not_balance_is_no_equilibrium)
{
    CordWorld* world = new_weightless_world();
    Statics st = {.round_off = 1e-9};
    CordSolveDef def = cord_solve_def_default();
    CordSolveReport near = {.residual = 1e-8, .residual_relative = 2e-8}, far = near, round_off = near;
    far.residual = 0.02, far.residual_relative = 0.1;
    round_off.residual = 1e-9, round_off.residual_relative = 1.0;
    CHECK_OK(contact_check_balance(world, &st, &def, &near));
    CHECK_OK(contact_check_balance(world, &st, &def, &round_off));
    CHECK_RESULT(contact_check_balance(world, &st, &def, &far), CORD_NOT_CONVERGED);
    CHECK_CONTAINS(cord_world_message(world), "0.02 N is left (0.1 of the largest)");
    CHECK(near.converged && round_off.converged && !far.converged);
    cord_world_destroy(world);
}

// ---- memory

// A cord that crosses over itself, on the ground, which moves to and fro under it.
static CordWorld* new_lying_cord(Heap* heap, CordIntegrator integrator, bool inextensible,
                                 CordResponse response)
{
    const CordVec3 points[] = {{-0.3, 0, 0.0052}, {0.1, 0, 0.0052},  {0.2, 0.1, 0.0052}, {0.1, 0.2, 0.0052},
                               {0, 0.1, 0.0154},  {0, -0.1, 0.0154}, {0, -0.2, 0.0052}};
    CordWorld* world = world_on(heap);
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_polyline(points, sizeof points / sizeof *points, 41);
    def.section = cord_section_disc(0.005);
    def.material.young = 1e6;
    def.integrator = integrator, def.inextensible = inextensible;
    add_rod(world, &def);
    CordObstacleDef ground = cord_obstacle_def_default();
    CordMotion motion = cord_motion_oscillate((CordVec3){0.01, 0, 0}, 5.0, 0.3);
    ground.motions = &motion, ground.motion_count = 1;
    add_obstacle(world, &ground);
    CordContactDef contact = cord_contact_def_default();
    contact.response = response;
    CHECK_OK(cord_world_set_contact(world, &contact));
    return world;
}

// What lies on what: bit 0 for itself, bit 1 for the ground.
static int barrier_kinds(const CordWorld* world)
{
    const CordContact* contacts = cord_world_contacts(world);
    int kinds = 0;
    for (int i = 0; i < cord_world_contact_count(world); i++) {
        kinds |= contacts[i].kind == CORD_TOUCH_ROD ? 1 : 2;
    }
    return kinds;
}

TEST(a_step_with_contacts_allocates_nothing_once_they_have_been_met)
{
    static const struct {
        CordIntegrator integrator;
        bool inextensible;
        CordResponse response;
        double h;
    } kinds[] = {{CORD_INTEGRATOR_VERLET, false, CORD_RESPONSE_IMPULSES, 2e-4},
                 {CORD_INTEGRATOR_SYMPLECTIC_EULER, true, CORD_RESPONSE_IMPULSES, 2e-4},
                 {CORD_INTEGRATOR_VERLET, false, CORD_RESPONSE_ZONES, 2e-4},
                 {CORD_INTEGRATOR_MIDPOINT, false, CORD_RESPONSE_IMPULSES, 1e-3},
                 {CORD_INTEGRATOR_BACKWARD_EULER, true, CORD_RESPONSE_IMPULSES, 1e-3}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        Heap heap = {0};
        CordWorld* world =
            new_lying_cord(&heap, kinds[i].integrator, kinds[i].inextensible, kinds[i].response);
        CordFrame frame;
        run(world, kinds[i].h, (int)(0.2 / kinds[i].h));
        CHECK_INT(barrier_kinds(world), 3);
        Saved start = save(world);
        int64_t calls = 0, searches = 0;
        for (int n = 0; n < 3; n++) { // the same again, so that all arrays have grown to what it takes
            calls = heap.calls, searches = cord_world_contact_report(world).searches;
            run(world, kinds[i].h, (int)(0.2 / kinds[i].h));
            CHECK_OK(cord_world_frame(world, &frame));
            CHECK_INT(barrier_kinds(world), 3);
            calls = heap.calls - calls, searches = cord_world_contact_report(world).searches - searches;
            restore(world, &start);
        }
        drop_saved(&start);
        CHECK_INT(calls, 0);
        CHECK(searches > 0);
        cord_world_destroy(world);
        CHECK_INT(heap.held, 0);
    }
}

// With contact on, implicit rods are solved for together; where none of them touches anything, each still
// steps.
TEST(implicit_rods_that_touch_nothing_fall_all_the_same)
{
    CordWorld* world = new_world((CordVec3){0, 0, -10});
    turn_contact_on(world);
    CordRodDef def = line_def(6);
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.intangible = true;
    CordRodId rod = add_rod(world, &def);
    run(world, 1e-3, 10);
    for (int i = 0; i < 6; i++) { // backward Euler falls by g h^2 n (n + 1) / 2
        CHECK_VEC3(node_of(world, rod, i), ((CordVec3){0.2 * i, 0, -10 * 1e-6 * 55}), 1e-12);
    }
    cord_world_destroy(world);
}

// ---- rods of very different radius

typedef enum RopeComes { FIRST, LAST, NEVER } RopeComes;

static void add_straight(CordWorld* world, CordModel model, double radius, CordVec3 from, CordVec3 to)
{
    CordRodDef def = cord_rod_def_default();
    CordRodId id;
    def.model = model;
    def.section = cord_section_disc(radius);
    def.material.young = 1e8;
    def.shape = cord_shape_line(from, to, 17);
    CHECK_OK(cord_rod_create(world, &def, &id));
}

// Wires, 1 mm thick, that fall crosswise on the ground, and far from them a rope, 100 mm thick, that does,
// too. Leaves the wires' nodes in x.
static void drop_wires(CordModel model, RopeComes comes, double h, int steps, CordVec3 x[34])
{
    const double thin = 0.5e-3, thick = 50e-3;
    CordWorldDef world_def = cord_world_def_default();
    CordWorld* world = make_world(&world_def);
    CordContactDef contact = cord_contact_def_default();
    CordObstacleDef ground = cord_obstacle_def_default();
    CordObstacleId id;
    CHECK_OK(cord_world_set_contact(world, &contact));
    CHECK_OK(cord_obstacle_create(world, &ground, &id));
    for (int i = 0; i < 3; i++) {
        if (i == 1) {
            add_straight(world, model, thin, (CordVec3){-0.05, 0, 1e-3}, (CordVec3){0.05, 0.01, 2e-3});
            add_straight(world, model, thin, (CordVec3){0, -0.05, 4e-3}, (CordVec3){0.01, 0.05, 3e-3});
        } else if ((i == 0 && comes == FIRST) || (i == 2 && comes == LAST)) {
            add_straight(world, model, thick, (CordVec3){5, 0, thick + 1e-3}, (CordVec3){6, 0, thick + 2e-3});
        }
    }
    run(world, h, steps);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(cord_rod_positions(world, cord_world_rod(world, i + (comes == FIRST)), x + 17 * i));
    }
    cord_world_destroy(world);
}

static double farthest(const CordVec3* x, const CordVec3* y, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, vec3_length(vec3_sub(x[i], y[i])));
    }
    return most;
}

TEST(the_order_of_thick_and_thin_rods_changes_nothing)
{
    const struct {
        CordModel model;
        double h;
        int steps;
    } kinds[] = {{CORD_MODEL_DER, 1e-5, 3000}, {CORD_MODEL_PBD, 1e-3, 40}};
    for (int k = 0; k < 2; k++) {
        CordVec3 x[3][34];
        for (int comes = FIRST; comes <= NEVER; comes++) {
            drop_wires(kinds[k].model, (RopeComes)comes, kinds[k].h, kinds[k].steps, x[comes]);
        }
        CHECK_NEAR(farthest(x[FIRST], x[LAST], 34), 0.0, 1e-9 * 0.5e-3);
        // the rope's contacts may ask for one more sweep
        CHECK_NEAR(farthest(x[LAST], x[NEVER], 34), 0.0, 1e-3 * 0.5e-3);
    }
}

// ---- spin

// Contact with friction gives their frames inertia before the first step; rods that spin go on to.
TEST(implicit_rods_keep_the_spin_that_they_begin_with)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = cord_rod_def_default();
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 11);
    def.section = cord_section_disc(0.01), def.material.density = 1000, def.spin = (CordVec3){20, 0, 0};
    CordRodId rod = add_rod(world, &def);
    turn_contact_on(world);
    double r = 0.01, right = 0.5 * cord_rod_mass(world, rod) * r * r * 20;
    for (int n = 0; n < 5; n++) {
        CHECK_NEAR(cord_rod_momentum(world, rod).angular.x, right, 1e-12 * right); // round-off
        CHECK_WORLD_OK(world, cord_world_step(world, 1e-3));
    }
    cord_world_destroy(world);
}

// ---- substeps of position-based rods

static CordWorld* substep_world(int substeps, CordRodId* rod)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = cord_rod_def_default();
    def.model = CORD_MODEL_PBD, def.pbd.substeps = substeps;
    def.section = cord_section_disc(0.005), def.material.young = 1e7;
    def.shape = cord_shape_line((CordVec3){0, 0, 0.02}, (CordVec3){0.2, 0, 0.03}, 11);
    def.velocity = (CordVec3){0.3, 0.5, -1};
    *rod = add_rod(world, &def);
    CordContactDef contact = cord_contact_def_default();
    contact.friction = 0.4, contact.restitution = 0.5;
    CHECK_OK(cord_world_set_contact(world, &contact));
    return world;
}

// Contact acts in each of them: one force over all of them would throw a rod back that it stops.
TEST(substeps_in_contact_are_shorter_steps)
{
    const double h = 0.004;
    CordVec3 x[2][11], v[2][11];
    for (int i = 0; i < 2; i++) {
        CordRodId rod;
        CordWorld* world = substep_world(i == 0 ? 4 : 1, &rod);
        add_ground(world, 0.0);
        for (int n = 0; n < (i == 0 ? 50 : 200); n++) {
            CHECK_WORLD_OK(world, cord_world_step(world, i == 0 ? h : h / 4));
        }
        CHECK_INT(cord_world_steps(world), i == 0 ? 50 : 200);
        CHECK(cord_world_contact_count(world) > 0);
        CHECK_OK(cord_rod_positions(world, rod, x[i]));
        CHECK_OK(cord_rod_velocities(world, rod, v[i]));
        cord_world_destroy(world);
    }
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
    CHECK(memcmp(v[0], v[1], sizeof v[0]) == 0);
}

// The ground reaches a held node in the third of four parts. A first step would be undone in any case.
TEST(a_step_that_fails_in_a_later_part_changes_nothing)
{
    CordRodId rod;
    CordWorld* world = substep_world(4, &rod);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    CordMotion rise = cord_motion_translate((CordVec3){0, 0, 0.024}, 0.004, 0.008);
    CordObstacleDef ground = cord_obstacle_def_default();
    ground.motions = &rise, ground.motion_count = 1;
    add_obstacle(world, &ground);
    CHECK_WORLD_OK(world, cord_world_step(world, 0.004));
    uint64_t before = cord_world_state_hash(world);
    CHECK_RESULT(cord_world_step(world, 0.004), CORD_NOT_CONVERGED);
    CHECK(cord_world_state_hash(world) == before);
    CHECK(cord_world_time(world) == 0.004);
    CHECK_OK(cord_world_step(world, 0.001)); // the ground is not there yet
    cord_world_destroy(world);
}

// Where rods pass through each other each is solved for by itself, and is done when its own contacts are. One
// that rests is not solved again while another one bounces.
TEST(a_strand_that_passes_others_is_done_by_itself)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordContactDef contact = cord_contact_def_default();
    CordObstacleDef ground = cord_obstacle_def_default();
    CordObstacleId id;
    contact.rods = false;
    CHECK_OK(cord_world_set_contact(world, &contact));
    CHECK_OK(cord_obstacle_create(world, &ground, &id));
    for (int k = 0; k < 2; k++) {
        CordRodDef rod = cord_rod_def_default();
        CordRodId strand;
        rod.model = CORD_MODEL_PBD;
        rod.section = cord_section_disc(0.005);
        rod.material.young = 1e7;
        rod.shape = cord_shape_line((CordVec3){0, 0.1 * k, 0.005}, (CordVec3){0.2, 0.1 * k, 0.005}, 11);
        rod.velocity = (CordVec3){0, 0, k == 0 ? 0.0 : -3.0};
        CHECK_OK(cord_rod_create(world, &rod, &strand));
    }
    for (int n = 0; n < 3; n++) {
        CHECK_OK(cord_world_step(world, 1.0 / 240.0));
        for (int k = 0; k < 2; k++) { // the residual that its last round allowed
            CHECK(world->touch->constraints.rods[k].enough > 0.0);
        }
    }
    cord_world_destroy(world);
}

TEST_GROUP(world_contact)
