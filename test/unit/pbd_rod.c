// Position-based rods in a world: what is refused, states, steps that fail, positions and velocities that are
// set, clamps of every kind.
#include "pbd_ways.h"

#include <stdlib.h>

static CordVec3 mean_of(const CordVec3* a, int count)
{
    CordVec3 sum = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        sum = vec3_madd(sum, a[i], 1.0 / count);
    }
    return sum;
}

// ---- what is refused

static void check_refused(CordRodDef def, CordResult expected, const char* part)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod;
    def.name = "thread";
    CHECK_RESULT(cord_rod_create(world, &def, &rod), expected);
    CHECK_CONTAINS(cord_world_message(world), "thread");
    CHECK_CONTAINS(cord_world_message(world), part);
    CHECK_INT(cord_world_rod_count(world), 0);
    cord_world_destroy(world);
}

TEST(words_and_numbers_that_make_no_sense_are_refused)
{
    const CordRodDef fine = pbd_def(line_def(5), DIRECT);
    for (int i = 0; i < 4; i++) {
        CordRodDef def = fine;
        i == 0   ? (void)(def.pbd.solver = (CordPbdSolver)2)
        : i == 1 ? (void)(def.pbd.method = (CordPbdMethod)-1)
        : i == 2 ? (void)(def.pbd.order = (CordPbdOrder)3)
                 : (void)(def.pbd.gravity = (CordPbdGravity)9);
        check_refused(def, CORD_BAD_ARGUMENT,
                      "solver, method, order or gravity on ghosts is none that there is");
    }
    CordRodDef def = fine;
    def.pbd.substeps = 0;
    check_refused(def, CORD_BAD_ARGUMENT, "0 substeps of 0 iterations; there must be one at least");
    def = fine, def.pbd.iterations = -1;
    check_refused(def, CORD_BAD_ARGUMENT, "1 substeps of -1 iterations");
    const double tolerances[] = {0.0, -1e-3, 1.1, NAN, INFINITY};
    for (int i = 0; i < 5; i++) {
        def = fine, def.pbd.tolerance = tolerances[i];
        check_refused(def, CORD_BAD_ARGUMENT, "tolerance is");
    }
    const double masses[] = {0.0, 1.0, -0.5, NAN}, lengths[] = {0.0, -1.0, INFINITY, NAN};
    for (int i = 0; i < 4; i++) {
        def = fine, def.pbd.ghost_mass = masses[i];
        check_refused(def, CORD_BAD_ARGUMENT, "ghosts of mass");
        def = fine, def.pbd.ghost_length = lengths[i];
        check_refused(def, CORD_BAD_ARGUMENT, "at the distance");
    }
}

TEST(shares_are_from_0_to_1)
{
    const char* names[] = {"weight of bending about m1", "weight of bending about m2", "weight of twisting",
                           "weight of stretching", "damping"};
    const double bad[] = {-0.1, 1.1, NAN};
    for (int i = 0; i < 15; i++) {
        CordRodDef def = pbd_def(line_def(5), PAPER);
        double* shares[] = {&def.pbd.weight_bend1, &def.pbd.weight_bend2, &def.pbd.weight_twist,
                            &def.pbd.weight_stretch, &def.pbd.damping};
        *shares[i / 3] = bad[i % 3];
        check_refused(def, CORD_BAD_ARGUMENT, names[i / 3]);
        *shares[i / 3] = i % 2; // the ends count
        CordWorld* world = new_world(down);
        add_rod(world, &def);
        run(world, STEP, 3);
        cord_world_destroy(world);
    }
}

TEST(turns_beyond_what_the_law_holds_are_refused)
{
    CordRodDef def = pbd_def(line_def(3), DIRECT);
    def.twist = 3.0; // in one corner
    check_refused(def, CORD_BAD_ARGUMENT, "7/16 of a turn");
    const CordVec3 sharp[] = {{0, 0, 0}, {1, 0, 0}, {0.05, 0.2, 0}};
    def = pbd_def(line_def(3), DIRECT), def.shape = cord_shape_points(sharp, 3);
    check_refused(def, CORD_BAD_ARGUMENT, "put more nodes where it turns");
}

TEST(ghost_points_keep_their_nodes)
{
    CordRodDef def = pbd_def(line_def(9), PAPER);
    def.adapt.on = true;
    check_refused(def, CORD_NOT_SUPPORTED, "take \"xpbd\" for an adaptive rod");
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER; // which has none
    CordWorld* world = new_world(down);
    add_rod(world, &def);
    run(world, STEP, 3);
    cord_world_destroy(world);
}

TEST(a_torque_has_nothing_to_act_on_where_weights_are)
{
    CordWorld* world = new_world(down);
    CordRodDef def = pbd_def(line_def(9), PAPER);
    def.name = "thread";
    CordClampDef clamp = clamp_def(add_rod(world, &def), cord_at_end(), CORD_FIX_FRAME);
    CordClampId id;
    clamp.has_torque = true, clamp.torque = 1e-3;
    CHECK_RESULT(cord_clamp_create(world, &clamp, &id), CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(cord_world_message(world), "thread");
    CHECK_CONTAINS(cord_world_message(world), "take \"xpbd\"");
    run(world, STEP, 3); // and all is as it was
    cord_world_destroy(world);
}

// ---- states

// Rods of every solver, open and closed, damped and not, with clamps that move, slide and turn.
static CordWorld* every_way(void)
{
    CordWorld* world = new_world(down);
    for (int i = 0; i < 4 * WAYS; i++) {
        Way way = (Way)(i % WAYS);
        bool closed = i / WAYS % 2, damped = i / WAYS / 2;
        CordRodDef def = pbd_def(closed ? ring_def(9) : line_def(9), way);
        def.damping_time = damped ? 0.02 : 0.0, def.pbd.damping = damped ? 0.05 : 0.0;
        def.pbd.substeps = 1 + damped, def.twist = 1.0, def.stiffness.EI2 *= 4.0,
        def.m1 = (CordVec3){0.2, 1, 0.3};
        def.velocity = (CordVec3){0, 0.3, 0}, def.spin = (CordVec3){1, 2, 0};
        CordRodId rod = add_rod(world, &def);
        CordMotion motions[] = {cord_motion_oscillate((CordVec3){0, 0.05, 0}, 3.0, 0.0),
                                cord_motion_rotate((CordVec3){1, 0, 0}, 2.0, 0.0, 0.3)};
        CordClampDef clamp = clamp_def(rod, cord_at_edge(0), CORD_FIX_FRAME);
        clamp.motions = motions, clamp.motion_count = 2, clamp.release = 0.15;
        add_clamp(world, &clamp);
        clamp = clamp_def(rod, cord_at_node(5), CORD_FIX_POSITION);
        clamp.slides = true, clamp.axis = (CordVec3){0, 0.6, 0.8};
        add_clamp(world, &clamp);
    }
    return world;
}

TEST(a_state_put_back_goes_on_with_the_same_bits)
{
    for (int at = 0; at < 3; at++) { // before the first step, on the way, and after clamps have let go
        CordWorld *world = every_way(), *other = every_way();
        run(world, STEP, 9 * at);
        size_t size = cord_world_state_size(world);
        CHECK(size == cord_world_state_size(other));
        void* bytes = malloc(size);
        CHECK_OK(cord_world_state_get(world, bytes, size));
        run(world, STEP, 9);
        uint64_t expected = cord_world_state_hash(world);
        CHECK_OK(cord_world_state_set(other, bytes, size));
        run(other, STEP, 9);
        CHECK(cord_world_state_hash(other) == expected);
        CHECK_OK(cord_world_state_set(world, bytes, size)); // and the same world, once more
        run(world, STEP, 9);
        CHECK(cord_world_state_hash(world) == expected);
        free(bytes);
        cord_world_destroy(world);
        cord_world_destroy(other);
    }
}

TEST(many_steps_at_once_give_the_same_bits)
{
    CordWorld *world = every_way(), *other = every_way();
    run(world, STEP, 20);
    CHECK_OK(cord_world_step_many(other, STEP, 12));
    CHECK_OK(cord_world_step_many(other, STEP, 8));
    CHECK(cord_world_state_hash(other) == cord_world_state_hash(world));
    cord_world_destroy(world);
    cord_world_destroy(other);
}

// A rod of another kind, that any step is too much for, makes it fail when all the others have been seen to.
static CordRodId add_hopeless(CordWorld* world)
{
    CordRodDef def = line_def(9);
    def.velocity = (CordVec3){0, 0, 1e200};
    return add_rod(world, &def);
}

TEST(a_step_that_fails_leaves_no_trace)
{
    for (int at = 0; at < 2; at++) { // the first step, and a later one
        CordWorld *world = every_way(), *other = every_way();
        run(world, STEP, 5 * at), run(other, STEP, 5 * at);
        CordRodId hopeless = add_hopeless(world), same = add_hopeless(other);
        uint64_t before = cord_world_state_hash(world);
        CHECK_RESULT(cord_world_step(world, STEP), CORD_DIVERGED);
        CHECK(cord_world_state_hash(world) == before);
        CHECK_RESULT(cord_world_step_many(world, STEP, 4), CORD_DIVERGED);
        CHECK(cord_world_state_hash(world) == before);
        CHECK_OK(cord_rod_destroy(world, hopeless)), CHECK_OK(cord_rod_destroy(other, same));
        for (int i = 0; i < cord_world_rod_count(world); i++) { // what is set now is no end of a step
            CordVec3 x[9];
            CHECK_OK(cord_rod_positions(world, cord_world_rod(world, i), x));
            CHECK_OK(cord_rod_set_positions(world, cord_world_rod(world, i), x));
            CHECK_OK(cord_rod_set_positions(other, cord_world_rod(other, i), x));
        }
        CHECK(cord_world_state_hash(world) == cord_world_state_hash(other));
        run(world, STEP, 5), run(other, STEP, 5);
        CHECK(cord_world_state_hash(world) == cord_world_state_hash(other));
        cord_world_destroy(world);
        cord_world_destroy(other);
    }
}

TEST(velocities_beyond_all_numbers_are_told_by_name)
{
    for (Way way = DIRECT; way < WAYS; way++) {
        CordWorld* world = new_world(down);
        CordRodDef def = pbd_def(line_def(5), way);
        CordVec3 v[5] = {{0, 0, 0}, {0, 0, 1e300}};
        def.name = "thread";
        CordRodId rod = add_rod(world, &def);
        CHECK_OK(cord_rod_set_velocities(world, rod, v));
        uint64_t before = cord_world_state_hash(world);
        CHECK_RESULT(cord_world_step(world, STEP), CORD_DIVERGED);
        CHECK_CONTAINS(cord_world_message(world), "thread");
        CHECK(cord_world_state_hash(world) == before);
        v[1].z = 0.0;
        CHECK_OK(cord_rod_set_velocities(world, rod, v));
        run(world, STEP, 5);
        cord_world_destroy(world);
    }
}

// ---- positions and velocities that are set

TEST(positions_set_to_where_they_are_change_nothing)
{
    for (Way way = DIRECT; way < WAYS; way++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = pbd_def(line_def(9), way);
        def.twist = 3.0;
        CordRodId rod = add_rod(world, &def);
        CordVec3 x[9], before[8], after[8];
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        run(world, 1e-3, 10); // it is untwisting
        CHECK_OK(cord_rod_positions(world, rod, x));
        CHECK_OK(cord_rod_material_frames(world, rod, before));
        CHECK_OK(cord_rod_set_positions(world, rod, x));
        CHECK_OK(cord_rod_material_frames(world, rod, after));
        for (int j = 0; j < 8; j++) {
            CHECK_VEC3(after[j], before[j], 1e-14);
        }
        cord_world_destroy(world);
    }
}

// Turned as a whole, about an axis across it, and moved: as stressed as before, and it goes on so.
TEST(a_rod_that_is_set_elsewhere_goes_on_as_it_would_have_here)
{
    CordQuat turn = cord_quat_about((CordVec3){0, 0.6, 0.8}, 0.7);
    for (Way way = DIRECT; way < WAYS; way++) {
        CordVec3 x[2][9], m1[2][8], y[9];
        CordEnergy e[2];
        for (int there = 0; there < 2; there++) {
            CordWorld* world = new_weightless_world();
            CordRodDef def = pbd_def(line_def(9), way);
            def.twist = 2.0, def.stiffness.EI2 *= 5.0, def.m1 = (CordVec3){0, 1, 0.2};
            CordRodId rod = add_rod(world, &def);
            CHECK_OK(cord_rod_positions(world, rod, y));
            for (int i = 0; i < 9 && there; i++) {
                y[i] = vec3_add(quat_rotate(turn, y[i]), (CordVec3){1, 2, 3});
            }
            CHECK_OK(cord_rod_set_positions(world, rod, y));
            e[there] = cord_rod_energy(world, rod);
            run(world, 1e-3, 10);
            CHECK_OK(cord_rod_positions(world, rod, x[there]));
            CHECK_OK(cord_rod_material_frames(world, rod, m1[there]));
            cord_world_destroy(world);
        }
        CHECK(e[0].twist > 1e-4);
        CHECK_NEAR(e[1].twist, e[0].twist, 1e-12 * e[0].twist);
        for (int i = 0; i < 9; i++) { // round-off, which ten steps hand on
            CHECK_VEC3(x[1][i], vec3_add(quat_rotate(turn, x[0][i]), (CordVec3){1, 2, 3}), 1e-11);
        }
        for (int j = 0; j < 8; j++) {
            CHECK_VEC3(m1[1][j], quat_rotate(turn, m1[0][j]), 1e-9);
        }
    }
}

// A rod that nothing acts on goes where its velocity takes it, ghosts and all; and so it does when it is set
// anew.
TEST(velocities_that_are_set_are_those_it_goes_on_with)
{
    for (int i = 0; i < 2 * WAYS; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = pbd_def(line_def(9), (Way)(i % WAYS));
        def.velocity = (CordVec3){0.1, 0, 0};
        CordRodId rod = add_rod(world, &def);
        CordVec3 v[9], x[9];
        run(world, STEP, i / WAYS ? 5 : 0);
        for (int n = 0; n < 9; n++) {
            v[n] = (CordVec3){0, 0.5, 1};
        }
        CHECK_OK(cord_rod_set_velocities(world, rod, v));
        run(world, STEP, 10);
        CHECK_OK(cord_rod_positions(world, rod, x));
        CHECK_OK(cord_rod_velocities(world, rod, v));
        for (int n = 0; n < 9; n++) {
            CHECK_VEC3(v[n], ((CordVec3){0, 0.5, 1}), 1e-11); // round-off of positions, over a step
            CHECK_NEAR(x[n].z, 0.1, 1e-12);
        }
        cord_world_destroy(world);
    }
}

// ---- clamps

// Both ends on upright rails: it falls as it would without them, each step taking v to v + h g, and stays
// between them.
TEST(clamps_that_slide_let_go_along_their_axis_alone)
{
    for (Way way = DIRECT; way < PAPER; way++) {
        CordWorld* world = new_world(down);
        CordRodDef def = pbd_def(line_def(9), way);
        CordRodId rod = add_rod(world, &def);
        for (int i = 0; i < 2; i++) {
            CordClampDef clamp = clamp_def(rod, cord_at_node(8 * i), CORD_FIX_POSITION);
            clamp.slides = true, clamp.axis = (CordVec3){0, 0, 2};
            add_clamp(world, &clamp);
        }
        CordVec3 x[9], v[9] = {{0, 0, 0}};
        v[4].y = 0.5; // it swings across the rails
        CHECK_OK(cord_rod_set_velocities(world, rod, v));
        run(world, STEP, 20);
        CHECK_OK(cord_rod_positions(world, rod, x));
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(x[8 * i].x, i, 1e-9);
            CHECK_NEAR(x[8 * i].y, 0.0, 1e-9);
        }
        CHECK(fabs(x[4].y) > 1e-3);
        for (int n = 0; n < 9; n++) { // stiffness in y and z is the same, and nothing bends it in z
            CHECK_NEAR(x[n].z, -9.81 * STEP * STEP * 20 * 21 / 2, 1e-9);
        }
        cord_world_destroy(world);
    }
}

static double wound_by(double torque, double l) // in a corner: GJ/l beta (1 + beta^2/4) is the torque
{
    double beta = torque * l / RODS_GJ;
    for (int i = 0; i < 50; i++) {
        beta = torque * l / RODS_GJ / (1.0 + 0.25 * beta * beta);
    }
    return 2.0 * atan(0.5 * beta);
}

// Elements as long as each other, half ones at both ends: T L / GJ, but for the tangent.
TEST(a_torque_winds_a_rod_by_t_l_over_gj)
{
    const double torques[] = {1e-3, -5e-3};
    for (int i = 0; i < 6; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = pbd_def(line_def(21), i < 4 ? DIRECT : SWEEPS);
        def.half_edge_start = def.half_edge_end = true, def.damping_time = 0.02;
        def.pbd.substeps = i < 4 ? 1 : 10, def.pbd.iterations = i < 4 ? 0 : 100;
        if (i / 2 == 1) {
            def.stiffness.spin_inertia = 0.0; // frames follow at once
        }
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        CordClampDef clamp = clamp_def(rod, cord_at_end(), CORD_FIX_FRAME);
        double torque = clamp.torque = torques[i % 2];
        clamp.has_torque = true;
        add_clamp(world, &clamp);
        run(world, STEP, 100);
        double turned = 2 * CORD_PI * cord_rod_twist(world, rod), right = 19 * wound_by(torque, 1.0 / 19);
        CHECK_NEAR(right, torque / RODS_GJ, 5e-3 * fabs(right));
        // sweeps lose some of a torque: MOST_GOAL in pbd.c
        CHECK_NEAR(turned, right, (i < 4 ? 1e-6 : 1e-2) * fabs(right));
        cord_world_destroy(world);
    }
}

TEST(what_clamps_hold_is_where_they_are)
{
    for (Way way = DIRECT; way < WAYS; way++) {
        CordWorld* world = new_world(down);
        CordRodDef def = pbd_def(line_def(13), way);
        def.pbd.substeps = 3;
        CordRodId rod = add_rod(world, &def);
        CordMotion motions[] = {cord_motion_translate((CordVec3){0, 0.3, 0.1}, 0.0, 0.2),
                                cord_motion_rotate((CordVec3){0, 1, 0}, 1.0, 0.0, 0.2)};
        CordClampDef clamp = clamp_def(rod, cord_at_start(), CORD_FIX_FRAME);
        clamp.motions = motions, clamp.motion_count = 2;
        add_clamp(world, &clamp);
        CordVec3 x[13], m1[12], first[13], first_m1[12];
        CHECK_OK(cord_rod_positions(world, rod, first));
        CHECK_OK(cord_rod_material_frames(world, rod, first_m1));
        for (int n = 1; n <= 20; n++) {
            run(world, STEP, 1);
            CHECK_OK(cord_rod_positions(world, rod, x));
            CHECK_OK(cord_rod_material_frames(world, rod, m1));
            double share = fmin(1.0, n * STEP / 0.2);
            CordQuat turn = cord_quat_about((CordVec3){0, 1, 0}, share);
            CordVec3 middle = vec3_mul(vec3_add(first[0], first[1]), 0.5);
            CordVec3 arm = quat_rotate(turn, vec3_sub(first[0], middle));
            CordVec3 to = vec3_add(vec3_madd(middle, (CordVec3){0, 0.3, 0.1}, share), arm);
            CHECK_VEC3(x[0], to, 1e-12);
            CHECK_VEC3(m1[0], quat_rotate(turn, first_m1[0]), 1e-12);
        }
        cord_world_destroy(world);
    }
}

// Sweeps need short substeps, or the corner beside the clamp is past half a turn before the next have heard
// of it.
TEST(turns_that_a_clamp_winds_in_are_in_the_rod)
{
    for (Way way = DIRECT; way < PAPER; way++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = pbd_def(line_def(31), way);
        def.pbd.substeps = way == SWEEPS ? 16 : 1;
        CordRodId rod = add_rod(world, &def);
        CordMotion wind = cord_motion_rotate((CordVec3){1, 0, 0}, 6 * CORD_PI, 0.0, 1.0);
        CordClampDef clamp = clamp_def(rod, cord_at_end(), CORD_FIX_FRAME);
        clamp.motions = &wind, clamp.motion_count = 1;
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        add_clamp(world, &clamp);
        run(world, STEP, 120);
        CHECK_NEAR(cord_rod_twist(world, rod), 3.0, 1e-9);
        cord_world_destroy(world);
    }
}

// Let go, the whole rod falls: each step its centre gains h g. The paper's share of mass that ghosts have
// falls with it.
TEST(a_rod_that_is_let_go_falls)
{
    for (Way way = DIRECT; way < PAPER; way++) {
        CordWorld* world = new_world(down);
        CordRodDef def = pbd_def(line_def(9), way);
        CordRodId rod = add_rod(world, &def);
        CordClampDef clamp = clamp_def(rod, cord_at_start(), CORD_FIX_FRAME);
        clamp.release = 0.095;
        CordClampId id = add_clamp(world, &clamp);
        run(world, STEP, 10);
        CHECK(!cord_clamp_holds(world, id));
        CordMomentum before = cord_rod_momentum(world, rod);
        run(world, STEP, 10);
        CordMomentum after = cord_rod_momentum(world, rod);
        double gained = cord_rod_mass(world, rod) * -9.81 * STEP * 10;
        CHECK_NEAR(after.linear.z - before.linear.z, gained, 1e-10); // what constraints do to it cancels
        CHECK_NEAR(after.linear.x - before.linear.x, 0.0, 1e-10);
        cord_world_destroy(world);
    }
}

// ---- what nothing moves

// No gravity, no stress: to the last bit it stays.
TEST(a_rod_at_rest_stays_at_rest)
{
    for (Way way = DIRECT; way < WAYS; way++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = pbd_def(line_def(9), way);
        CordRodId rod = add_rod(world, &def);
        CordVec3 x[9], y[9];
        CHECK_OK(cord_rod_positions(world, rod, x));
        run(world, 0.1, 50);
        CHECK_OK(cord_rod_positions(world, rod, y));
        for (int n = 0; n < 9; n++) {
            CHECK_VEC3(y[n], x[n], 1e-14); // round-off of lengths
        }
        CHECK_VEC3(mean_of(y, 9), mean_of(x, 9), 1e-15);
        cord_world_destroy(world);
    }
}

TEST_GROUP(pbd_rod, words_and_numbers_that_make_no_sense_are_refused, shares_are_from_0_to_1,
           turns_beyond_what_the_law_holds_are_refused, ghost_points_keep_their_nodes,
           a_torque_has_nothing_to_act_on_where_weights_are, a_state_put_back_goes_on_with_the_same_bits,
           many_steps_at_once_give_the_same_bits, a_step_that_fails_leaves_no_trace,
           velocities_beyond_all_numbers_are_told_by_name, positions_set_to_where_they_are_change_nothing,
           a_rod_that_is_set_elsewhere_goes_on_as_it_would_have_here,
           velocities_that_are_set_are_those_it_goes_on_with, clamps_that_slide_let_go_along_their_axis_alone,
           a_torque_winds_a_rod_by_t_l_over_gj, what_clamps_hold_is_where_they_are,
           turns_that_a_clamp_winds_in_are_in_the_rod, a_rod_that_is_let_go_falls,
           a_rod_at_rest_stays_at_rest)
