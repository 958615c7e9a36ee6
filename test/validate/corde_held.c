// Explicit corde rods that are held: what clamps and welds get of the moments that act on orientations.
#include "rods.h"

static const CordOrientations both[] = {CORD_ORIENTATIONS_QUASISTATIC, CORD_ORIENTATIONS_EXPLICIT};
static const CordFix fixes[] = {CORD_FIX_FRAME, CORD_FIX_DIRECTION};

static CordRodDef corde_rod(CordOrientations orientations)
{
    CordRodDef def = cord_rod_def_default();
    def.model = CORD_MODEL_CORDE, def.corde.orientations = orientations;
    def.section = cord_section_disc(0.01), def.material.young = 1e7;
    return def;
}

// ---- clamps

// A cantilever with a force at its tip, brought to rest by drag: the clamp bears the force, and its moment
// about the middle of the held edge.
TEST(clamps_bear_the_force_and_the_moment)
{
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = corde_rod(both[i / 2]);
        def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 21);
        CordRodId rod = add_rod(world, &def);
        CordClampId held = hold(world, rod, cord_at_start(), fixes[i % 2]);
        add_drag(world, rod, 1.1); // nearly critical
        add_force(world, rod, cord_at_end(), (CordVec3){0, 0, 0.01});
        double h = 0.8 * cord_world_step_advice(world).step;
        run_many(world, h, (int)(12.0 / h));
        CordVec3 force, torque, tip = tip_of(world, rod);
        CHECK_OK(cord_clamp_reaction(world, held, &force, &torque));
        print_message("    %s, %s: %.6f N, %.7f N m\n", i / 2 ? "explicit" : "quasistatic",
                      i % 2 ? "direction" : "frame", force.z, torque.y);
        // directors with inertia go on vibrating, which drag on the nodes does not see
        double left = i / 2 ? 5e-3 : 2e-4;
        CHECK_NEAR(force.z, 0.01, left * 0.01);
        CHECK_NEAR(torque.y, -0.01 * (tip.x - 0.025), left * 0.01);
        cord_world_destroy(world);
    }
}

// A torque turns the free end of a frame clamp: T L / GJ, L from the middle of one held edge to that of the
// other. A corner that turns by phi has 4 tan(phi/4) (1 + tan^2(phi/4)) of stress for it: phi^2 / 12 less
// turn, 3e-5 here.
TEST(a_torque_twists_the_rod)
{
    for (int i = 0; i < 2; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = corde_rod(both[i]);
        def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 51), def.damping_time = 2e-3;
        CordRodId rod = add_rod(world, &def);
        double GJ = cord_rod_stiffness(world, rod).GJ, torque = GJ; // 0.02 rad at a corner
        CordClampDef end = clamp_def(rod, cord_at_end(), CORD_FIX_FRAME);
        end.has_torque = true, end.torque = torque;
        CordClampId held = hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        add_clamp(world, &end);
        double h = 0.8 * cord_world_step_advice(world).step;
        run_many(world, h, (int)(1.0 / h));
        CordVec3 force, reaction;
        CHECK_OK(cord_clamp_reaction(world, held, &force, &reaction));
        double turns = torque * (49.0 / 50.0) / GJ / (2.0 * pi);
        print_message("    %s: %.6f turns, %.6f by theory; the other clamp feels %.6f of the torque\n",
                      i ? "explicit" : "quasistatic", cord_rod_twist(world, rod), turns,
                      fabs(reaction.x) / torque);
        CHECK_NEAR(cord_rod_twist(world, rod), turns, 2e-4 * turns);
        CHECK_NEAR(fabs(reaction.x), torque, 2e-4 * torque); // what damping has left of the swing
        cord_world_destroy(world);
    }
}

// ---- bodies

// A bent rod lets go of itself, with a sphere welded to its end so light that its own frequency limits the
// step. Nothing acts from outside.
TEST(welds_pass_on_all_momentum_and_keep_the_energy)
{
    for (int i = 0; i < 8; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = corde_rod(both[i / 4]);
        CordVec3 x[21];
        for (int n = 0; n < 21; n++) {
            x[n] = (CordVec3){sin(0.05 * n), 0, 1.0 - cos(0.05 * n)};
        }
        def.shape = cord_shape_points(x, 21), def.rest = CORD_REST_STRAIGHT;
        CordRodId rod = add_rod(world, &def);
        CordBodyDef ball = cord_body_def_default();
        ball.solid.size.x = i / 2 % 2 ? 0.03 : 0.003, ball.position = (CordVec3){-0.01, 0, 0},
        ball.intangible = true;
        CordBodyId body = add_body(world, &ball);
        weld(world, rod, cord_at_start(), body, fixes[i % 2]);
        double h = 0.9 * cord_world_step_advice(world).step, energy = 0.0, most = 0.0, linear = 0.0,
               angular = 0.0;
        for (int k = 0; k < 20; k++) {
            run_many(world, h, (int)(0.02 / h));
            CordMomentum a = cord_rod_momentum(world, rod), b = cord_body_momentum(world, body);
            double e = total_energy(world, rod) + cord_body_energy(world, body).kinetic;
            energy = k == 0 ? e : energy;
            most = fmax(most, fabs(e / energy - 1.0));
            linear = fmax(linear, size_of(plus(a.linear, b.linear)));
            angular = fmax(angular, size_of(plus(a.angular, b.angular)));
        }
        print_message("    %s, %s, radius %g: linear %.1g kg m/s, angular %.1g kg m^2/s, energy %.1g\n",
                      i / 4 ? "explicit" : "quasistatic", i % 2 ? "direction" : "frame", ball.solid.size.x,
                      linear, angular, most);
        CHECK(linear < 1e-12);
        CHECK(angular < 1e-12); // of 1e-3 that rod and ball hand each other; measured: 3e-14
        CHECK(most < 2e-3);     // of a step that is 0.9 of the longest, energies swing; measured: 3e-4
        cord_world_destroy(world);
    }
}

TEST_GROUP(corde_held)
