// Twist between clamps: what holds it, what lets it go, which way it turns.
#include "world_parts.h"

#define TURNS (6.0 / (2.0 * CORD_PI)) // that it has at first

static CordWorld* twisted_world(CordRodId* rod)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_line(origin, (CordVec3){1, 0, 0}, 21);
    def.twist = 6.0, def.inextensible = true;
    *rod = add_rod(world, &def);
    hold(world, *rod, cord_at_start(), CORD_FIX_FRAME);
    CHECK_NEAR(cord_rod_twist(world, *rod), TURNS, 1e-15);
    return world;
}

TEST(the_first_twist_waits_for_its_clamps)
{
    CordRodId rod;
    CordWorld* world = twisted_world(&rod);
    CHECK(cord_rod_energy(world, rod).twist > 0.0); // asked in between
    hold(world, rod, cord_at_end(), CORD_FIX_FRAME);
    run_many(world, 1e-5, 10);
    CHECK_NEAR(cord_rod_twist(world, rod), TURNS, 1e-12);
    cord_world_destroy(world);
}

TEST(twist_that_nothing_holds_is_gone_after_a_step)
{
    CordRodId rod;
    CordWorld* world = twisted_world(&rod);
    run(world, 1e-5, 1);
    CHECK_NEAR(cord_rod_twist(world, rod), 0.0, 0.0);
    cord_world_destroy(world);
}

TEST(a_clamp_in_the_middle_keeps_its_part_when_an_end_lets_go)
{
    CordRodId rod;
    CordWorld* world = twisted_world(&rod);
    hold(world, rod, cord_at_edge(9), CORD_FIX_FRAME); // 9 of the 19 inner nodes lie before it
    CordClampId end = hold(world, rod, cord_at_end(), CORD_FIX_FRAME);
    run_many(world, 1e-5, 5);
    CHECK_NEAR(cord_rod_twist(world, rod), TURNS, 1e-12);
    CHECK_OK(cord_clamp_destroy(world, end));
    run(world, 1e-5, 1);
    CHECK_NEAR(cord_rod_twist(world, rod), TURNS * 9.0 / 19.0, 1e-12);
    cord_world_destroy(world);
}

// A turn of the far end about the tangent, towards increasing node numbers, is positive; many turns are
// followed, and none is lost on the way.
TEST(a_clamp_that_turns_winds_up_as_many_turns)
{
    for (int inextensible = 0; inextensible < 2; inextensible++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(21);
        def.stiffness.GJ = 1e-9, def.inextensible = inextensible; // too little to buckle it
        CordRodId rod = add_rod(world, &def);
        CordMotion turn = cord_motion_rotate((CordVec3){1, 0, 0}, 40.0 * CORD_PI, 0.0, 0.1);
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        CordClampId end = hold_moving(world, rod, cord_at_end(), CORD_FIX_FRAME, &turn, 1);
        run_many(world, 1e-4, 1200);
        CHECK_NEAR(cord_rod_twist(world, rod), 20.0, 1e-13);
        CHECK(clamp_reaction(world, end).torque.x < 0.0); // the rod pulls the clamp back
        cord_world_destroy(world);
    }
}

// A cord whose end is turned and comes nearer winds itself up. Twist becomes writhe, and together they are
// the turns of the end at all times, with contact and without.
TEST(twist_and_writhe_are_the_turns_of_the_ends)
{
    for (int touching = 0; touching < 2; touching++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(61);
        CordContactDef contact = cord_contact_def_default();
        def.integrator = CORD_INTEGRATOR_BACKWARD_EULER, def.section = cord_section_disc(0.02);
        CordRodId rod = add_rod(world, &def);
        CordMotion motions[] = {cord_motion_rotate((CordVec3){1, 0, 0}, 8.0 * CORD_PI, 0.0, 0.8),
                                cord_motion_translate((CordVec3){-0.4, 0, 0}, 0.0, 0.8)};
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        hold_moving(world, rod, cord_at_end(), CORD_FIX_FRAME, motions, 2);
        add_force(world, rod, cord_at_node(30), (CordVec3){0, 0, 1e-3});
        contact.on = touching;
        CHECK_OK(cord_world_set_contact(world, &contact));
        double most = 0.0;
        int touches = 0;
        for (int n = 1; n <= (touching ? 50 : 30); n++) { // then it would pass through itself
            run(world, 0.02, 1);
            double writhe = cord_rod_writhe(world, rod);
            CHECK_NEAR(cord_rod_link(world, rod), fmin(4.0, 0.1 * n), 1e-11);
            CHECK_NEAR(cord_rod_link(world, rod), cord_rod_twist(world, rod) + writhe, 0.0);
            most = fmax(most, fabs(writhe));
            touches += cord_world_contact_count(world);
        }
        CHECK(most > 0.5 && (touches > 0) == touching);
        cord_world_destroy(world);
    }
}

typedef struct RingKind {
    CordModel model;
    CordIntegrator integrator;
} RingKind;

// A ring that is curved by nature, cut open, twisted and glued again, at whatever angle its frames meet: the
// twist is even all around, in the seam as well, and all of it beyond the rest twist is strain.
TEST(a_ring_is_glued_as_it_is_made)
{
    const RingKind kinds[] = {{CORD_MODEL_DER, CORD_INTEGRATOR_VERLET},
                              {CORD_MODEL_DER, CORD_INTEGRATOR_MIDPOINT},
                              {CORD_MODEL_CORDE, CORD_INTEGRATOR_VERLET},
                              {CORD_MODEL_CORDE, CORD_INTEGRATOR_MIDPOINT},
                              {CORD_MODEL_PBD, CORD_INTEGRATOR_VERLET}};
    const double turns[][2] = {{0, 0},   {0.2, 0},    {0.5, 0.5},
                               {0, 0.5}, {1.3, 0.25}, {-0.7, 0.1}}; // now, at rest
    for (size_t i = 0; i < 2 * sizeof kinds / sizeof *kinds; i++) {
        for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
            bool flat = i % 2 == 1;
            CordWorld* world = new_weightless_world();
            CordRodDef def = cord_rod_def_default();
            def.model = kinds[i / 2].model, def.integrator = kinds[i / 2].integrator;
            def.shape = cord_shape_circle(origin, (CordVec3){0, 0, 1}, 0.2, 80);
            def.section = flat ? cord_section_rectangle(0.01, 0.004) : cord_section_disc(0.005);
            def.closed = true, def.m1 = (CordVec3){0, 0, 1};
            def.twist = 2.0 * CORD_PI * turns[k][0], def.rest_twist = 2.0 * CORD_PI * turns[k][1];
            CordRodId rod = add_rod(world, &def);
            CordEnergy energy = cord_rod_energy(world, rod);
            double strain = def.twist - def.rest_twist, GJ = cord_rod_stiffness(world, rod).GJ,
                   length = cord_rod_length(world, rod), all = 0.5 * GJ * strain * strain / length;
            CHECK_NEAR(cord_rod_twist(world, rod), turns[k][0], 1e-12);
            CHECK_NEAR(energy.twist, all, 2.2e-3 * all + 1e-20); // pbd: (m^2 + m m0 + m0^2) / 6 of a corner
            CHECK(strain != 0.0 || energy.bend < 1e-20);
            cord_world_destroy(world);
        }
    }
}

// A rod has no inertia about its axis: without a clamp that holds, a torque finds nothing to twist.
TEST(a_torque_needs_something_to_act_against)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod = add_line(world, 11);
    hold_with_torque(world, rod, cord_at_end(), 1e-3);
    run(world, 1e-3, 2);
    CHECK_NEAR(cord_rod_twist(world, rod), 0.0, 0.0);
    CordClampId start = hold(world, rod, cord_at_start(), CORD_FIX_FRAME), middle;
    run(world, 1e-3, 1);
    CHECK_NEAR(cord_rod_twist(world, rod), 1e-3 * 0.9 / RODS_GJ / (2 * CORD_PI), 1e-15); // tau L / GJ
    CHECK_OK(cord_clamp_destroy(world, start));
    run(world, 1e-3, 1);
    CHECK_NEAR(cord_rod_twist(world, rod), 0.0, 0.0);
    CordClampDef def = clamp_def(rod, cord_at_edge(7), CORD_FIX_FRAME);
    def.has_torque = true, def.torque = 0.1;
    CHECK_RESULT(cord_clamp_create(world, &def, &middle), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "at an end of an open rod");
    cord_world_destroy(world);
}

TEST_GROUP(world_twist)
