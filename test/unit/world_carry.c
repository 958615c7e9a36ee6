// What a world carries over to another one, of other models and other numbers of elements.
#include "world_bodies.h"

static const CordModel models[] = {CORD_MODEL_DER, CORD_MODEL_CORDE, CORD_MODEL_PBD};

// A rope that is clamped at its start, twisted by a turn and a half at its end, bent and moving.
static CordWorld* rope_world(CordModel model, int nodes, bool inextensible, CordIntegrator integrator)
{
    CordWorld* world = new_world(down);
    CordRodDef def = line_def(nodes);
    def.model = model, def.inextensible = inextensible, def.integrator = integrator;
    def.damping_time = 0.01;
    CordRodId rod = add_rod(world, &def);
    CordMotion motions[2] = {cord_motion_rotate((CordVec3){1, 0, 0}, 3.0 * CORD_PI, 0.0, 0.25),
                             cord_motion_translate((CordVec3){-0.4, 0.1, 0}, 0.0, 0.25)};
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    hold_moving(world, rod, cord_at_end(), CORD_FIX_FRAME, motions, 2);
    return world;
}

static CordWorld* bent_rope(CordModel model, bool inextensible)
{
    CordWorld* world = rope_world(model, 31, inextensible, CORD_INTEGRATOR_BACKWARD_EULER);
    run(world, 1e-3, 400);
    return world;
}

static CordRodId only(const CordWorld* world)
{
    return cord_world_rod(world, 0);
}

// Two worlds of one rod: of discrete elastic rods, and of another model.
static void make_two(CordWorld* worlds[2], CordRodDef def, CordModel other)
{
    for (int i = 0; i < 2; i++) {
        worlds[i] = new_world(down);
        def.model = i == 0 ? CORD_MODEL_DER : other, def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
        add_rod(worlds[i], &def);
    }
}

static void destroy_two(CordWorld* worlds[2])
{
    cord_world_destroy(worlds[0]);
    cord_world_destroy(worlds[1]);
}

static double apart(const CordWorld* a, const CordWorld* b) // of nodes with the same number
{
    CordVec3 x[64], y[64];
    double most = 0.0;
    CHECK_OK(cord_rod_positions(a, only(a), x));
    CHECK_OK(cord_rod_positions(b, only(b), y));
    for (int i = 0; i < cord_rod_node_count(a, only(a)); i++) {
        most = fmax(most, vec3_length(vec3_sub(x[i], y[i])));
    }
    return most;
}

TEST(another_model_keeps_shape_motion_and_twist)
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 6; k++) {
            CordIntegrator by = k < 3 ? CORD_INTEGRATOR_VERLET : CORD_INTEGRATOR_BACKWARD_EULER;
            CordWorld *from = bent_rope(models[i], false), *to = rope_world(models[k % 3], 31, false, by);
            double twist = cord_rod_twist(from, only(from));
            CHECK(fabs(twist) > 0.3); // some of it is there, and not all writhe
            CHECK_OK(cord_world_carry(to, from));
            CHECK(apart(to, from) == 0.0);
            CHECK(cord_world_time(to) == cord_world_time(from));
            CHECK_NEAR(cord_rod_twist(to, only(to)), twist, 1e-9); // rounding of sums of angles
            CordVec3 v[2][31];
            CHECK_OK(cord_rod_velocities(from, only(from), v[0]));
            CHECK_OK(cord_rod_velocities(to, only(to), v[1]));
            CHECK_VEC3(v[1][15], v[0][15], 1e-9);
            run(to, 2e-5, 500); // and goes on: the same rope in other equations
            run(from, 2e-5, 500);
            CHECK(apart(to, from) < 2e-3);
            CHECK_NEAR(cord_rod_twist(to, only(to)), cord_rod_twist(from, only(from)), 0.05);
            cord_world_destroy(to);
            cord_world_destroy(from);
        }
    }
}

TEST(other_numbers_of_elements_keep_the_curve)
{
    const int counts[] = {16, 24, 47, 61};
    for (int k = 0; k < 4; k++) {
        for (int inextensible = 0; inextensible < 2; inextensible++) {
            CordWorld *from = bent_rope(CORD_MODEL_DER, inextensible),
                      *to =
                          rope_world(CORD_MODEL_DER, counts[k], inextensible, CORD_INTEGRATOR_BACKWARD_EULER);
            CHECK_OK(cord_world_carry(to, from));
            CordRodId a = only(from), b = only(to);
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
        CordRodDef def = line_def(31);
        // drops by 6 cm, and by a quarter of a metre
        def.stiffness.EI1 = def.stiffness.EI2 = k == 0 ? 2.0 : 0.4;
        def.stiffness.EA = 5e4, def.modal.modes = 12;
        make_two(worlds, def, CORD_MODEL_MODAL);
        for (int i = 0; i < 2; i++) {
            hold(worlds[i], only(worlds[i]), cord_at_start(), CORD_FIX_FRAME);
        }
        run(worlds[0], 0.01, 1000);
        CHECK_OK(cord_world_carry(worlds[1], worlds[0]));
        double off = apart(worlds[1], worlds[0]);
        // the half edge that a clamp of der holds; warped modes bend otherwise
        CHECK(off < (k == 0 ? 1e-3 : 0.05));
        destroy_two(worlds);
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
    shake(worlds[0], only(worlds[0]), &seed, 1e-3);
    run(worlds[0], 1e-3, 200);
    CHECK_OK(cord_world_carry(worlds[1], worlds[0]));
    double was = cord_rod_twist(worlds[0], only(worlds[0]));
    CHECK_NEAR(cord_rod_twist(worlds[1], only(worlds[1])), was, 0.05);
    run(worlds[1], 1e-3, 100);
    destroy_two(worlds);
}

TEST(bodies_go_on)
{
    CordWorld* worlds[2];
    make_two(worlds, line_def(11), CORD_MODEL_CORDE);
    for (int i = 0; i < 2; i++) {
        CordBodyDef body = cord_body_def_default();
        body.position = (CordVec3){1.02, 0, 0}, body.solid.size.x = 0.02;
        add_weld(worlds[i], only(worlds[i]), cord_at_end(), add_body(worlds[i], &body), CORD_FIX_FRAME);
        hold(worlds[i], only(worlds[i]), cord_at_start(), CORD_FIX_POSITION);
    }
    run(worlds[0], 1e-3, 300);
    CHECK_OK(cord_world_carry(worlds[1], worlds[0]));
    CHECK(apart(worlds[1], worlds[0]) < 1e-12);
    for (int k = 0; k < 2; k++) {
        run(worlds[0], 1e-3, k * 50), run(worlds[1], 1e-3, k * 50);
        CordBodyState a = body_of(worlds[0], cord_world_body(worlds[0], 0)),
                      b = body_of(worlds[1], cord_world_body(worlds[1], 0));
        CHECK_VEC3(b.position, a.position, k == 0 ? 0.0 : 1e-3);
        CHECK_VEC3(b.velocity, a.velocity, k == 0 ? 1e-9 : 0.05);
    }
    destroy_two(worlds);
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
    make_two(worlds, line_def(11), CORD_MODEL_PBD);
    for (int i = 0; i < 2; i++) {
        hold_until(worlds[i], only(worlds[i]), cord_at_start(), CORD_FIX_POSITION, 0.1);
    }
    run(worlds[0], 1e-3, 400);
    CHECK_OK(cord_world_carry(worlds[1], worlds[0]));
    CHECK(!cord_clamp_holds(worlds[1], cord_world_clamp(worlds[1], 0)));
    run(worlds[0], 1e-3, 20), run(worlds[1], 1e-3, 20);
    CHECK(apart(worlds[1], worlds[0]) < 1e-3); // both fall
    destroy_two(worlds);
}

// A cord that may touch itself, in an overhand knot or straight.
static CordWorld* cord_world(bool knotted, int nodes)
{
    CordWorld* world = new_weightless_world();
    turn_contact_on(world);
    CordRodDef def = line_def(nodes);
    def.shape = knotted ? cord_shape_knot("overhand", 0, origin, 0.2, 0.15, nodes) : def.shape;
    def.section = cord_section_disc(0.002), def.rest = CORD_REST_STRAIGHT;
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    add_rod(world, &def);
    return world;
}

TEST(a_knot_that_would_be_lost_is_refused)
{
    CordWorld *from = cord_world(true, 121), *fine = cord_world(true, 161), *coarse = cord_world(true, 121);
    CHECK(cord_rod_knot(from, only(from)) == 3);
    CHECK_OK(cord_world_carry(fine, from));
    CHECK(cord_rod_knot(fine, only(fine)) == 3);
    // of five elements: those of a straight line, since no knot fits into them
    CordWorld* line = cord_world(false, 6);
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
    CordWorld* from = bent_rope(CORD_MODEL_DER, false);
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

TEST_GROUP(world_carry)
