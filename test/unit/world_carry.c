#include "world_rods.h"

#include <cordage/contact.h>

#include <stdlib.h>

static const CordModel models[] = {CORD_MODEL_DER, CORD_MODEL_CORDE, CORD_MODEL_PBD};

// A rope that is clamped at its start, twisted by a turn and a half at its end, bent and moving.
static CordWorld* bent_rope(CordModel model, int nodes, bool inextensible, CordIntegrator integrator,
                            bool moved)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = line_def(nodes);
    def.model = model, def.inextensible = inextensible, def.integrator = integrator;
    def.damping_time = 0.01;
    CordRodId rod = add_rod(world, &def);
    CordClampDef clamp = cord_clamp_def_default();
    CordMotion motions[2] = {cord_motion_rotate((CordVec3){1, 0, 0}, 3.0 * CORD_PI, 0.0, 0.25),
                             cord_motion_translate((CordVec3){-0.4, 0.1, 0}, 0.0, 0.25)};
    clamp.rod = rod, clamp.fix = CORD_FIX_FRAME;
    CordClampId id;
    CHECK_OK(cord_clamp_create(world, &clamp, &id));
    clamp.at = cord_at_end(), clamp.motions = motions, clamp.motion_count = 2;
    CHECK_OK(cord_clamp_create(world, &clamp, &id));
    if (moved) {
        run(world, 1.0 / 1000, 400);
    }
    return world;
}

static double apart(const CordWorld* a, const CordWorld* b) // of nodes with the same number
{
    CordVec3 x[64], y[64];
    double most = 0.0;
    CHECK_OK(cord_rod_positions(a, cord_world_rod(a, 0), x));
    CHECK_OK(cord_rod_positions(b, cord_world_rod(b, 0), y));
    for (int i = 0; i < cord_rod_node_count(a, cord_world_rod(a, 0)); i++) {
        most = fmax(most, vec3_length(vec3_sub(x[i], y[i])));
    }
    return most;
}

TEST(another_model_keeps_shape_motion_and_twist)
{
    for (int i = 0; i < 3; i++) {
        CordWorld* from = bent_rope(models[i], 31, false, CORD_INTEGRATOR_BACKWARD_EULER, true);
        double twist = cord_rod_twist(from, cord_world_rod(from, 0)), time = cord_world_time(from);
        CHECK(fabs(twist) > 0.3); // some of it is there, and not all writhe
        for (int k = 0; k < 6; k++) {
            CordIntegrator by = k < 3 ? CORD_INTEGRATOR_VERLET : CORD_INTEGRATOR_BACKWARD_EULER;
            CordWorld* to = bent_rope(models[k % 3], 31, false, by, false);
            CHECK_OK(cord_world_carry(to, from));
            CHECK(apart(to, from) == 0.0);
            CHECK(cord_world_time(to) == time);
            CHECK_NEAR(cord_rod_twist(to, cord_world_rod(to, 0)), twist, 1e-9); // rounding of sums of angles
            CordVec3 v[2][31];
            CHECK_OK(cord_rod_velocities(from, cord_world_rod(from, 0), v[0]));
            CHECK_OK(cord_rod_velocities(to, cord_world_rod(to, 0), v[1]));
            CHECK_VEC3(v[1][15], v[0][15], 1e-9);
            run(to, 2e-5, 500); // and goes on: the same rope in other equations
            run(from, 2e-5, 500);
            CHECK(apart(to, from) < 2e-3);
            CHECK_NEAR(cord_rod_twist(to, cord_world_rod(to, 0)),
                       cord_rod_twist(from, cord_world_rod(from, 0)), 0.05);
            cord_world_destroy(to);
            cord_world_destroy(from);
            from = bent_rope(models[i], 31, false, CORD_INTEGRATOR_BACKWARD_EULER, true);
        }
        cord_world_destroy(from);
    }
}

TEST(other_numbers_of_elements_keep_the_curve)
{
    const int counts[] = {16, 24, 47, 61};
    for (int k = 0; k < 4; k++) {
        for (int inextensible = 0; inextensible < 2; inextensible++) {
            CordWorld* from =
                bent_rope(CORD_MODEL_DER, 31, inextensible, CORD_INTEGRATOR_BACKWARD_EULER, true);
            CordWorld* to =
                bent_rope(CORD_MODEL_DER, counts[k], inextensible, CORD_INTEGRATOR_BACKWARD_EULER, false);
            CHECK_OK(cord_world_carry(to, from));
            CordRodId a = cord_world_rod(from, 0), b = cord_world_rod(to, 0);
            CordVec3 x[64], y[64];
            CHECK_OK(cord_rod_positions(from, a, x));
            CHECK_OK(cord_rod_positions(to, b, y));
            double n = counts[k] - 1;
            for (int i = 0; i < counts[k]; i++) {
                // near the polygon that was there: clamps hold edges as long as they are, straight, up to 67
                // mm for 33
                double at = i / n * 30.0;
                int j = (int)fmin(at, 29.0);
                CordVec3 on = vec3_madd(x[j], vec3_sub(x[j + 1], x[j]), at - j);
                CHECK(vec3_length(vec3_sub(y[i], on)) < 0.03);
            }
            // between frames that were sampled
            CHECK_NEAR(cord_rod_twist(to, b), cord_rod_twist(from, a), 0.05);
            CHECK(!inextensible || cord_rod_stretch(to, b) < 1e-10);
            run(to, 1e-3, 100);
            cord_world_destroy(from);
            cord_world_destroy(to);
        }
    }
}

// A cantilever that sags by little: modes have that shape, nearly.
TEST(modal_rods_take_the_nearest_shape)
{
    for (int k = 0; k < 2; k++) {
        CordWorld* worlds[2];
        for (int i = 0; i < 2; i++) {
            worlds[i] = new_world((CordVec3){0, 0, -9.81});
            CordRodDef def = line_def(31);
            // drops by 6 cm, and by a quarter of a metre
            def.stiffness.EI1 = def.stiffness.EI2 = k == 0 ? 2.0 : 0.4;
            def.stiffness.EA = 5e4;
            def.model = i == 0 ? CORD_MODEL_DER : CORD_MODEL_MODAL, def.modal.modes = 12;
            def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
            CordRodId rod = add_rod(worlds[i], &def);
            CordClampDef clamp = cord_clamp_def_default();
            clamp.rod = rod, clamp.fix = CORD_FIX_FRAME;
            CordClampId id;
            CHECK_OK(cord_clamp_create(worlds[i], &clamp, &id));
        }
        run(worlds[0], 0.01, 1000);
        CHECK_OK(cord_world_carry(worlds[1], worlds[0]));
        double off = apart(worlds[1], worlds[0]);
        // the half edge that a clamp of der holds; warped modes bend otherwise
        CHECK(off < (k == 0 ? 1e-3 : 0.05));
        cord_world_destroy(worlds[0]);
        cord_world_destroy(worlds[1]);
    }
}

TEST(rings_keep_their_twist)
{
    CordWorld* worlds[2];
    for (int i = 0; i < 2; i++) {
        worlds[i] = new_weightless_world();
        CordRodDef def = ring_def(i == 0 ? 40 : 55);
        def.twist = 4.0 * CORD_PI;
        def.model = i == 0 ? CORD_MODEL_DER : CORD_MODEL_PBD, def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
        add_rod(worlds[i], &def);
    }
    uint64_t seed = 3;
    shake(worlds[0], cord_world_rod(worlds[0], 0), &seed, 1e-3);
    run(worlds[0], 1e-3, 200);
    CHECK_OK(cord_world_carry(worlds[1], worlds[0]));
    double was = cord_rod_twist(worlds[0], cord_world_rod(worlds[0], 0));
    CHECK_NEAR(cord_rod_twist(worlds[1], cord_world_rod(worlds[1], 0)), was, 0.05);
    run(worlds[1], 1e-3, 100);
    cord_world_destroy(worlds[0]);
    cord_world_destroy(worlds[1]);
}

TEST(bodies_go_on)
{
    CordWorld* worlds[2];
    for (int i = 0; i < 2; i++) {
        worlds[i] = new_world((CordVec3){0, 0, -9.81});
        CordRodDef def = line_def(11);
        def.model = i == 0 ? CORD_MODEL_DER : CORD_MODEL_CORDE,
        def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
        CordRodId rod = add_rod(worlds[i], &def);
        CordBodyDef body = cord_body_def_default();
        body.position = (CordVec3){1.02, 0, 0}, body.solid.size.x = 0.02;
        CordBodyId bob;
        CHECK_OK(cord_body_create(worlds[i], &body, &bob));
        CordWeldDef weld = cord_weld_def_default();
        weld.rod = rod, weld.body = bob;
        CordWeldId id;
        CHECK_OK(cord_weld_create(worlds[i], &weld, &id));
        CordClampDef clamp = cord_clamp_def_default();
        clamp.rod = rod;
        CordClampId held;
        CHECK_OK(cord_clamp_create(worlds[i], &clamp, &held));
    }
    run(worlds[0], 1e-3, 300);
    CHECK_OK(cord_world_carry(worlds[1], worlds[0]));
    CHECK(apart(worlds[1], worlds[0]) < 1e-12);
    CordVec3 p[2], v[2], spin;
    CordQuat q;
    for (int k = 0; k < 2; k++) {
        run(worlds[0], 1e-3, k * 50), run(worlds[1], 1e-3, k * 50);
        for (int i = 0; i < 2; i++) {
            CHECK_OK(cord_body_pose(worlds[i], cord_world_body(worlds[i], 0), &p[i], &q));
            CHECK_OK(cord_body_velocity(worlds[i], cord_world_body(worlds[i], 0), &v[i], &spin));
        }
        CHECK_VEC3(p[1], p[0], k == 0 ? 0.0 : 1e-3);
        CHECK_VEC3(v[1], v[0], k == 0 ? 1e-9 : 0.05);
    }
    cord_world_destroy(worlds[0]);
    cord_world_destroy(worlds[1]);
}

TEST(worlds_of_other_things_are_refused)
{
    CordWorld *one = new_weightless_world(), *two = new_weightless_world(), *ring = new_weightless_world();
    CordRodDef def = line_def(5), closed = ring_def(12);
    add_rod(one, &def), add_rod(two, &def), add_rod(two, &def), add_rod(ring, &closed);
    CHECK_RESULT(cord_world_carry(one, two), CORD_BAD_ARGUMENT);
    CHECK_RESULT(cord_world_carry(one, ring), CORD_NOT_SUPPORTED);
    cord_world_destroy(one);
    cord_world_destroy(two);
    cord_world_destroy(ring);
}

// A clamp that has let go stays so.
TEST(released_clamps_do_not_take_hold_again)
{
    CordWorld* worlds[2];
    for (int i = 0; i < 2; i++) {
        worlds[i] = new_world((CordVec3){0, 0, -9.81});
        CordRodDef def = line_def(11);
        def.model = i == 0 ? CORD_MODEL_DER : CORD_MODEL_PBD, def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
        CordRodId rod = add_rod(worlds[i], &def);
        CordClampDef clamp = cord_clamp_def_default();
        clamp.rod = rod, clamp.release = 0.1;
        CordClampId id;
        CHECK_OK(cord_clamp_create(worlds[i], &clamp, &id));
    }
    run(worlds[0], 1e-3, 400);
    CHECK_OK(cord_world_carry(worlds[1], worlds[0]));
    CHECK(!cord_clamp_holds(worlds[1], cord_world_clamp(worlds[1], 0)));
    run(worlds[0], 1e-3, 20), run(worlds[1], 1e-3, 20);
    CHECK(apart(worlds[1], worlds[0]) < 1e-3); // both fall
    cord_world_destroy(worlds[0]);
    cord_world_destroy(worlds[1]);
}

static CordWorld* knotted(int nodes)
{
    CordWorld* world = new_weightless_world();
    CordContactDef contact = cord_contact_def_default();
    CHECK_OK(cord_world_set_contact(world, &contact));
    CordRodDef def = line_def(nodes);
    def.shape = cord_shape_knot("overhand", 0, (CordVec3){0, 0, 0}, 0.2, 0.15, nodes);
    def.section = cord_section_disc(0.002), def.rest = CORD_REST_STRAIGHT,
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    add_rod(world, &def);
    return world;
}

TEST(a_knot_that_would_be_lost_is_refused)
{
    CordWorld *from = knotted(121), *fine = knotted(161), *coarse = knotted(121);
    CHECK(cord_rod_knot(from, cord_world_rod(from, 0)) == 3);
    CHECK_OK(cord_world_carry(fine, from));
    CHECK(cord_rod_knot(fine, cord_world_rod(fine, 0)) == 3);
    // of five elements: those of a straight line, since no knot fits into them
    CordWorld* line = new_weightless_world();
    CordContactDef contact = cord_contact_def_default();
    CHECK_OK(cord_world_set_contact(line, &contact));
    CordRodDef def = line_def(6);
    def.section = cord_section_disc(0.002), def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    add_rod(line, &def);
    CHECK_RESULT(cord_world_carry(line, from), CORD_NOT_SUPPORTED);
    run(coarse, 1e-3, 1);
    CHECK_RESULT(cord_world_carry(coarse, from), CORD_BAD_ARGUMENT); // it has stepped
    cord_world_destroy(from);
    cord_world_destroy(fine);
    cord_world_destroy(coarse);
    cord_world_destroy(line);
}

// Memory that runs out on the way is told, and freed once.
TEST(memory_that_runs_out_is_told)
{
    CordWorld* from = bent_rope(CORD_MODEL_DER, 31, false, CORD_INTEGRATOR_BACKWARD_EULER, true);
    CordResult result = CORD_NO_MEMORY;
    int failures = 0;
    for (int granted = 0; result != CORD_OK; granted++) {
        Heap heap = {.from_then_on = true};
        CordWorld* to = world_on(&heap);
        CordRodDef rod = line_def(25);
        rod.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
        add_rod(to, &rod);
        heap.fail = heap.calls + 1 + granted;
        result = cord_world_carry(to, from);
        CHECK(result == CORD_OK || result == CORD_NO_MEMORY);
        failures += result != CORD_OK;
        cord_world_destroy(to);
        CHECK_INT(heap.held, 0);
    }
    CHECK(failures > 5); // it does ask for memory
    cord_world_destroy(from);
}

TEST_GROUP(world_carry, another_model_keeps_shape_motion_and_twist, other_numbers_of_elements_keep_the_curve,
           modal_rods_take_the_nearest_shape, rings_keep_their_twist, bodies_go_on,
           worlds_of_other_things_are_refused, released_clamps_do_not_take_hold_again,
           a_knot_that_would_be_lost_is_refused, memory_that_runs_out_is_told)
