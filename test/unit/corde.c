// Explicit corde rods in a world: twist of many turns, states that are put back, solves, positions that are
// set, memory, and what is refused.
#include "corde_rods.h"

static const CordOrientations both[] = {CORD_ORIENTATIONS_QUASISTATIC, CORD_ORIENTATIONS_EXPLICIT};

static CordRodDef corde_def(CordRodDef def, CordOrientations orientations)
{
    def.model = CORD_MODEL_CORDE;
    def.corde.orientations = orientations;
    def.stiffness.rotary1 = def.stiffness.rotary2 = 1e-7, def.stiffness.spin_inertia = 2e-7;
    return def;
}

// ---- many turns

// GJ so small that the rod does not buckle: Greenhill's moment is 2 pi EI / L = 0.0126 N m, that of twenty
// turns 0.0038 N m.
static CordRodDef soft_in_twist(CordRodDef def)
{
    def.stiffness.GJ = 3e-5;
    return def;
}

static CordWorld* wound_world(CordOrientations orientations, double turns, double until, CordRodId* rod)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = corde_def(soft_in_twist(line_def(101)), orientations);
    *rod = add_rod(world, &def);
    CordMotion motion = cord_motion_rotate((CordVec3){1, 0, 0}, 2 * CORD_PI * turns, 0, until);
    CordClampDef end = clamp_def(*rod, cord_at_end(), CORD_FIX_FRAME);
    end.motions = &motion, end.motion_count = 1;
    hold(world, *rod, cord_at_start(), CORD_FIX_FRAME);
    add_clamp(world, &end);
    return world;
}

static void run_until(CordWorld* world, double time)
{
    double h = 0.5 * cord_world_step_advice(world).step;
    run(world, h, (int)((time - cord_world_time(world)) / h) + 1);
}

// Between frames that clamps hold on a straight rod, the twist is what was wound, however many half turns
// each quaternion has seen. Straight but for round-off, so writhe adds nothing.
TEST(twenty_turns_wound_into_a_rod_stay_in_it)
{
    for (int i = 0; i < 2; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            CordRodId rod;
            CordWorld* world = wound_world(both[i], 20.0 * sign, 0.3, &rod);
            run_until(world, 0.15);
            double half = cord_world_time(world) / 0.3;
            CHECK_NEAR(cord_rod_twist(world, rod), 20.0 * sign * half, 1e-9);
            run_until(world, 0.32);
            CHECK_NEAR(cord_rod_twist(world, rod), 20.0 * sign, 1e-9);
            CHECK_NEAR(cord_rod_writhe(world, rod), 0.0, 1e-9);
            cord_world_destroy(world);
        }
    }
}

// The energy knows of it, too: by the measure 4 tan(phi/4), from edge to edge.
TEST(the_energy_is_that_of_twenty_turns)
{
    CordRodId rod;
    CordWorld* world = wound_world(CORD_ORIENTATIONS_QUASISTATIC, 20.0, 0.3, &rod);
    run_until(world, 0.31);
    solve_as(world, false);
    double phi = 2 * CORD_PI * 20 / 99, strain = 4 * tan(phi / 4);
    double energy = 99 * 0.5 * 3e-5 * strain * strain / 0.01;
    // as far as the solver goes, squared
    CHECK_NEAR(cord_rod_energy(world, rod).twist, energy, 1e-9 * energy);
    cord_world_destroy(world);
}

// Of a ring, twist and writhe make the link of its edge with its axis, which nothing changes: exactly so,
// since frames lie on the tangents.
TEST(a_ring_keeps_an_odd_number_of_turns)
{
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = corde_def(soft_in_twist(ring_def(40)), both[i % 2]);
        def.twist = 2 * CORD_PI * (i < 2 ? 3 : -5);
        CordRodId rod = add_rod(world, &def);
        CHECK_NEAR(cord_rod_twist(world, rod), i < 2 ? 3.0 : -5.0, 1e-12);
        uint64_t seed = 1;
        shake(world, rod, &seed, 1e-3);
        double link = cord_rod_twist(world, rod) + cord_rod_writhe(world, rod);
        CHECK_NEAR(link, i < 2 ? 3.0 : -5.0, 1e-12);
        run(world, 0.5 * cord_world_step_advice(world).step, 2000);
        CHECK_NEAR(cord_rod_twist(world, rod) + cord_rod_writhe(world, rod), link, 1e-12);
        cord_world_destroy(world);
    }
}

// What clamps turn together, friction does not hold back: no part of the rod is twisted against another once
// the motion is steady.
TEST(friction_does_not_hold_back_a_rod_that_turns_as_a_whole)
{
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = corde_def(line_def(21), both[i % 2]);
        def.damping_time = i < 2 ? 0.002 : 0.0;
        def.corde.friction_turn = i < 2 ? NAN : 1e-5;
        CordRodId rod = add_rod(world, &def);
        CordMotion motion = cord_motion_rotate((CordVec3){1, 0, 0}, 10.0, 0, 1.0);
        for (int end = 0; end < 2; end++) {
            CordClampDef clamp = clamp_def(rod, end ? cord_at_end() : cord_at_start(), CORD_FIX_FRAME);
            clamp.motions = &motion, clamp.motion_count = 1;
            add_clamp(world, &clamp);
        }
        run_until(world, 0.9);
        CordVec3 m1[20];
        CHECK_OK(cord_rod_material_frames(world, rod, m1));
        for (int j = 1; j < 20; j++) { // the waves of setting out have died down
            CHECK_VEC3(m1[j], m1[0], 1e-6);
        }
        cord_world_destroy(world);
    }
}

// ---- solves

TEST(a_solve_keeps_the_turns_that_are_in_a_rod)
{
    for (int i = 0; i < 2; i++) {
        CordRodId rod;
        CordWorld* world = wound_world(both[i], 20.0, 0.3, &rod);
        run_until(world, 0.31);
        solve_as(world, false);
        CHECK_NEAR(cord_rod_twist(world, rod), 20.0, 1e-9);
        run(world, 0.5 * cord_world_step_advice(world).step, 100);
        CHECK_NEAR(cord_rod_twist(world, rod), 20.0, 1e-9);
        CHECK(solve_as(world, false).iterations <= 3); // it was there, but for what the penalty makes of it
        CHECK_NEAR(cord_rod_twist(world, rod), 20.0, 1e-9);
        cord_world_destroy(world);
    }
}

// ---- what is refused

TEST(what_makes_no_sense_is_refused_by_name)
{
    const CordRodDef fine = corde_def(line_def(5), CORD_ORIENTATIONS_EXPLICIT);
    CordRodDef def = fine;
    def.corde.orientations = (CordOrientations)7;
    check_rod_refused(def, CORD_BAD_ARGUMENT, "orientations (7)");
    const double bad[] = {0.0, -1.0, INFINITY};
    for (int i = 0; i < 3; i++) {
        def = fine, def.corde.penalty = bad[i];
        check_rod_refused(def, CORD_BAD_ARGUMENT, "penalty");
    }
    def = fine, def.corde.friction_stretch = -1.0;
    check_rod_refused(def, CORD_BAD_ARGUMENT, "friction in stretching is -1");
    def = fine, def.corde.friction_turn = INFINITY;
    check_rod_refused(def, CORD_BAD_ARGUMENT, "friction in turning is inf");
    def = fine, def.corde.printed_strain = true, def.integrator = CORD_INTEGRATOR_MIDPOINT;
    check_rod_refused(def, CORD_NOT_SUPPORTED, "printed strain");
}

TEST(explicit_orientations_without_inertia_are_refused)
{
    for (int i = 0; i < 3; i++) {
        CordRodDef def = corde_def(line_def(5), CORD_ORIENTATIONS_EXPLICIT);
        *(i == 0   ? &def.stiffness.rotary1
          : i == 1 ? &def.stiffness.rotary2
                   : &def.stiffness.spin_inertia) = 0.0;
        check_rod_refused(def, CORD_BAD_ARGUMENT, "need inertia");
        def.corde.orientations = CORD_ORIENTATIONS_QUASISTATIC; // which do without
        CordWorld* world = new_weightless_world();
        add_rod(world, &def);
        run(world, 1e-4, 3);
        cord_world_destroy(world);
    }
}

// ---- damaged states

TEST(orientations_of_no_length_are_refused)
{
    for (size_t way = 0; way < 2; way++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(9);
        def.model = CORD_MODEL_CORDE, def.corde.orientations = both[way];
        CordRodId id = add_rod(world, &def);
        CHECK_OK(cord_world_step(world, 1e-5));
        const Rod* rod = world_rod(world, id);
        uint64_t hash = cord_world_state_hash(world);
        size_t size = cord_world_state_size(world), length = 8 * (size_t)rod->line.edge_count, found = 0;
        unsigned char* bytes = test_malloc(size);
        CHECK_OK(cord_world_state_get(world, bytes, size));
        for (size_t at = 0; at + length <= size;
             at += 8) { // states are little-endian, and so are the machines that tests run on
            for (int k = 0; k < 4; k++) {
                const double* q = corde_of(rod)->edges.q[k] + rod->line.halo;
                if (q[0] != 0.0 && memcmp(bytes + at, q, length) == 0) {
                    memset(bytes + at, 0, length);
                    found++;
                    break;
                }
            }
        }
        CHECK(found > 0);
        CHECK(cord_world_state_set(world, bytes, size) == CORD_BAD_STATE);
        CHECK(cord_world_state_hash(world) == hash);
        test_free(bytes);
        cord_world_destroy(world);
    }
}

TEST_GROUP(corde)
