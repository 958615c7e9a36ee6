#include "world/obstacle.h"
#include "world_rods.h"

typedef struct Scene {
    CordWorld* world;
    CordRodId rod;
    CordClampId start, end;
} Scene;

static Scene swinging(void)
{
    Scene s = {.world = new_world((CordVec3){0, 0, -9.81})};
    CordRodDef def = line_def(21);
    def.twist = 2.0;
    s.rod = add_rod(s.world, &def);
    s.start = hold(s.world, s.rod, cord_at_start(), CORD_FIX_FRAME);
    s.end = hold(s.world, s.rod, cord_at_end(), CORD_FIX_FRAME);
    run(s.world, 1e-4, 200);
    return s;
}

static const double* reading(const Scene* s, CordMeasure measure, CordPlace at)
{
    static double values[CORD_PROBE_MOST];
    CordProbeDef def = {.rod = s->rod, .at = at, .measure = measure};
    CordProbeId id;
    CHECK_OK(cord_probe_create(s->world, &def, &id));
    for (int i = 0; i < CORD_PROBE_MOST; i++) {
        values[i] = NAN;
    }
    CHECK_OK(cord_probe_read(s->world, id, values));
    for (int i = 0; i < CORD_PROBE_MOST; i++) {
        CHECK(isnan(values[i]) == (i >= cord_measure_size(measure))); // as many numbers as it says
    }
    return values;
}

static void check_is(const double* values, CordVec3 expected)
{
    CHECK(values[0] == expected.x && values[1] == expected.y && values[2] == expected.z);
}

TEST(probes_of_nodes_read_what_the_queries_say)
{
    Scene s = swinging();
    CordVec3 x[21], v[21], moment[21];
    CHECK_OK(cord_rod_positions(s.world, s.rod, x));
    CHECK_OK(cord_rod_velocities(s.world, s.rod, v));
    CHECK_OK(cord_rod_moments(s.world, s.rod, moment));
    check_is(reading(&s, CORD_MEASURE_POSITION, cord_at_node(7)), x[7]);
    check_is(reading(&s, CORD_MEASURE_POSITION, cord_at_arc(0.5)), x[10]);
    check_is(reading(&s, CORD_MEASURE_VELOCITY, cord_at_node(7)), v[7]);
    check_is(reading(&s, CORD_MEASURE_MOMENT, cord_at_node(7)), moment[7]);
    cord_world_destroy(s.world);
}

TEST(probes_of_edges_read_what_the_queries_say)
{
    Scene s = swinging();
    CordVec3 x[21], m1[20];
    double tension[20];
    CHECK_OK(cord_rod_positions(s.world, s.rod, x));
    CHECK_OK(cord_rod_material_frames(s.world, s.rod, m1));
    CHECK_OK(cord_rod_tensions(s.world, s.rod, tension));
    CHECK(reading(&s, CORD_MEASURE_TENSION, cord_at_edge(6))[0] == tension[6]);
    const double* frame = reading(&s, CORD_MEASURE_FRAME, cord_at_edge(6));
    CordVec3 t = {frame[0], frame[1], frame[2]}, m2 = {frame[6], frame[7], frame[8]};
    CHECK_VEC3(t, vec3_unit(vec3_sub(x[7], x[6])), 1e-15);
    check_is(frame + 3, m1[6]);
    CHECK_VEC3(m2, vec3_cross(t, m1[6]), 1e-15); // right-handed
    cord_world_destroy(s.world);
}

TEST(probes_of_clamps_read_their_reactions)
{
    Scene s = swinging();
    CordVec3 force, torque;
    CHECK_OK(cord_clamp_reaction(s.world, s.end, &force, &torque));
    check_is(reading(&s, CORD_MEASURE_FORCE, cord_at_end()), force);
    check_is(reading(&s, CORD_MEASURE_TORQUE, cord_at_edge(19)), torque);
    check_is(reading(&s, CORD_MEASURE_FORCE, cord_at_node(19)), force); // either node of the held edge
    CHECK_OK(cord_clamp_reaction(s.world, s.start, &force, &torque));
    check_is(reading(&s, CORD_MEASURE_FORCE, cord_at_start()), force);
    CHECK(fabs(force.z) > 0.01);
    cord_world_destroy(s.world);
}

TEST(probes_of_the_rod_read_what_the_queries_say)
{
    Scene s = swinging();
    CordEnergy e = cord_rod_energy(s.world, s.rod);
    const double* energy = reading(&s, CORD_MEASURE_ENERGY, cord_at_start());
    CHECK(energy[0] == e.kinetic && energy[1] == e.bend && energy[2] == e.twist);
    CHECK(energy[3] == e.stretch && energy[4] == e.gravity && e.kinetic > 0.0);
    CordMomentum m = cord_rod_momentum(s.world, s.rod);
    const double* momentum = reading(&s, CORD_MEASURE_MOMENTUM, cord_at_start());
    check_is(momentum, m.linear);
    check_is(momentum + 3, m.angular);
    CHECK(reading(&s, CORD_MEASURE_TWIST, cord_at_start())[0] == cord_rod_twist(s.world, s.rod));
    CHECK(reading(&s, CORD_MEASURE_WRITHE, cord_at_start())[0] == cord_rod_writhe(s.world, s.rod));
    cord_world_destroy(s.world);
}

TEST(a_probe_outlives_its_clamp_and_reads_nothing)
{
    Scene s = swinging();
    CordProbeDef def = {.rod = s.rod, .at = cord_at_start(), .measure = CORD_MEASURE_FORCE};
    CordProbeId id;
    CHECK_OK(cord_probe_create(s.world, &def, &id));
    CHECK_OK(cord_clamp_destroy(s.world, s.start));
    double values[3] = {1, 1, 1};
    CHECK_OK(cord_probe_read(s.world, id, values));
    check_is(values, (CordVec3){0, 0, 0});
    cord_world_destroy(s.world);
}

// A rod with a ball at its end, off its axis.
static Scene laden(CordBodyId* ball, CordWeldId* weld)
{
    Scene s = {.world = new_world((CordVec3){0, 0, -9.81})};
    CordRodDef def = line_def(21);
    s.rod = add_rod(s.world, &def);
    s.start = hold(s.world, s.rod, cord_at_start(), CORD_FIX_FRAME);
    CordBodyDef body = cord_body_def_default();
    body.position = (CordVec3){1.0, 0.02, 0.0};
    body.rotation = cord_quat_about((CordVec3){0, 0, 1}, 0.5);
    body.spin = (CordVec3){1, 2, 3};
    CHECK_OK(cord_body_create(s.world, &body, ball));
    CordWeldDef tie = cord_weld_def_default();
    tie.rod = s.rod, tie.body = *ball;
    CHECK_OK(cord_weld_create(s.world, &tie, weld));
    run(s.world, 1e-5, 50);
    return s;
}

static const double* body_reading(const Scene* s, CordBodyId body, CordMeasure measure)
{
    static double values[CORD_PROBE_MOST];
    CordProbeDef def = {.body = body, .measure = measure};
    CordProbeId id;
    CHECK_OK(cord_probe_create(s->world, &def, &id));
    CHECK_OK(cord_probe_read(s->world, id, values));
    return values;
}

TEST(probes_of_bodies_read_what_the_queries_say)
{
    CordBodyId ball;
    CordWeldId weld;
    Scene s = laden(&ball, &weld);
    CordVec3 position, velocity, spin;
    CordQuat q;
    CHECK_OK(cord_body_pose(s.world, ball, &position, &q));
    CHECK_OK(cord_body_velocity(s.world, ball, &velocity, &spin));
    check_is(body_reading(&s, ball, CORD_MEASURE_POSITION), position);
    check_is(body_reading(&s, ball, CORD_MEASURE_VELOCITY), velocity);
    const double* frame = body_reading(&s, ball, CORD_MEASURE_FRAME);
    check_is(frame, quat_rotate(q, (CordVec3){1, 0, 0}));
    check_is(frame + 3, quat_rotate(q, (CordVec3){0, 1, 0}));
    check_is(frame + 6, quat_rotate(q, (CordVec3){0, 0, 1}));
    CHECK(fabs(frame[1]) > 0.1); // it is turned
    CordEnergy e = cord_body_energy(s.world, ball);
    const double* energy = body_reading(&s, ball, CORD_MEASURE_ENERGY);
    CHECK(energy[0] == e.kinetic && energy[0] > 0.0 && energy[4] == e.gravity);
    CHECK(energy[1] == 0.0 && energy[2] == 0.0 && energy[3] == 0.0);
    CordMomentum m = cord_body_momentum(s.world, ball);
    const double* momentum = body_reading(&s, ball, CORD_MEASURE_MOMENTUM);
    check_is(momentum, m.linear);
    check_is(momentum + 3, m.angular);
    cord_world_destroy(s.world);
}

TEST(probes_of_welds_read_their_reactions)
{
    CordBodyId ball;
    CordWeldId weld;
    Scene s = laden(&ball, &weld);
    CordVec3 force, torque;
    CHECK_OK(cord_weld_reaction(s.world, weld, &force, &torque));
    CHECK(fabs(force.z) > 1e-6);
    check_is(reading(&s, CORD_MEASURE_FORCE, cord_at_end()), force);
    check_is(reading(&s, CORD_MEASURE_TORQUE, cord_at_edge(19)), torque);
    cord_world_destroy(s.world);
}

TEST(a_probe_outlives_its_body_and_reads_nothing)
{
    CordBodyId ball;
    CordWeldId weld;
    Scene s = laden(&ball, &weld);
    CordProbeDef of_body = {.body = ball, .measure = CORD_MEASURE_FRAME};
    CordProbeDef of_weld = {.rod = s.rod, .at = cord_at_end(), .measure = CORD_MEASURE_FORCE};
    CordProbeId a, b;
    CHECK_OK(cord_probe_create(s.world, &of_body, &a));
    CHECK_OK(cord_probe_create(s.world, &of_weld, &b));
    CHECK_OK(cord_body_destroy(s.world, ball));
    double values[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    CHECK_OK(cord_probe_read(s.world, a, values));
    for (int i = 0; i < 9; i++) {
        CHECK_NEAR(values[i], 0.0, 0.0);
    }
    values[0] = 1;
    CHECK_OK(cord_probe_read(s.world, b, values));
    CHECK_NEAR(values[0], 0.0, 0.0);
    cord_world_destroy(s.world);
}

TEST(every_measure_has_a_name_a_size_and_columns)
{
    for (int m = 0; m < CORD_MEASURE_COUNT; m++) {
        int size = cord_measure_size((CordMeasure)m);
        CHECK(cord_measure_name((CordMeasure)m) != NULL);
        CHECK(size >= 1 && size <= CORD_PROBE_MOST);
        for (int column = 0; column < size; column++) {
            CHECK(cord_measure_column((CordMeasure)m, column) != NULL);
        }
        CHECK(cord_measure_column((CordMeasure)m, size) == NULL);
        CHECK(cord_measure_column((CordMeasure)m, -1) == NULL);
    }
    CHECK(cord_measure_name(CORD_MEASURE_COUNT) == NULL);
    CHECK_INT(cord_measure_size(CORD_MEASURE_COUNT), 0);
    CHECK_STR(cord_measure_column(CORD_MEASURE_ENERGY, 1), "bend");
}

static void refused(const Scene* s, CordProbeDef def, CordResult code, const char* part)
{
    CordProbeId id = {7, 7};
    CHECK_RESULT(cord_probe_create(s->world, &def, &id), code);
    CHECK_CONTAINS(cord_world_message(s->world), part);
    CHECK_INT(id.slot, 0);
}

TEST(probes_that_make_no_sense_are_refused)
{
    Scene s = swinging();
    CordProbeDef good = {.rod = s.rod, .at = cord_at_start(), .measure = CORD_MEASURE_POSITION}, bad = good;
    bad.measure = CORD_MEASURE_COUNT;
    refused(&s, bad, CORD_BAD_ARGUMENT, "no measure number");
    bad = good, bad.at = cord_at_node(99);
    refused(&s, bad, CORD_BAD_ARGUMENT, "no node 99");
    bad = good, bad.at = cord_at_edge(3);
    refused(&s, bad, CORD_BAD_ARGUMENT, "acts on a node");
    bad = good, bad.measure = CORD_MEASURE_TENSION, bad.at = cord_at_node(3);
    refused(&s, bad, CORD_BAD_ARGUMENT, "acts on an edge");
    bad = good, bad.measure = CORD_MEASURE_FORCE, bad.at = cord_at_node(10);
    refused(&s, bad, CORD_BAD_ARGUMENT, "needs a clamp or weld at its place");
    bad = good, bad.rod.generation++;
    refused(&s, bad, CORD_BAD_ID, "rod");
    CHECK_INT(cord_world_probe_count(s.world), 0);
    double values[CORD_PROBE_MOST];
    CHECK_RESULT(cord_probe_read(s.world, (CordProbeId){1, 1}, values), CORD_BAD_ID);
    CHECK(cord_probe_measure(s.world, (CordProbeId){1, 1}) == CORD_MEASURE_COUNT);
    cord_world_destroy(s.world);
}

TEST(probes_of_bodies_that_make_no_sense_are_refused)
{
    CordBodyId ball;
    CordWeldId weld;
    Scene s = laden(&ball, &weld);
    refused(&s, (CordProbeDef){.body = ball, .measure = CORD_MEASURE_TWIST}, CORD_BAD_ARGUMENT,
            "has no twist to measure");
    refused(&s, (CordProbeDef){.body = ball, .measure = CORD_MEASURE_FORCE}, CORD_BAD_ARGUMENT,
            "has no force to measure");
    refused(&s, (CordProbeDef){.body = ball, .rod = s.rod, .measure = CORD_MEASURE_ENERGY}, CORD_BAD_ARGUMENT,
            "a rod, a body or an obstacle");
    ball.generation++;
    refused(&s, (CordProbeDef){.body = ball, .measure = CORD_MEASURE_ENERGY}, CORD_BAD_ID, "body");
    cord_world_destroy(s.world);
}

TEST(a_probe_on_an_obstacle_reads_where_it_is_and_what_rods_do_to_it)
{
    Scene s = swinging();
    CordObstacleDef wall_def = cord_obstacle_def_default();
    wall_def.position = (CordVec3){1, 2, -3};
    CordObstacleId wall;
    CHECK_OK(cord_obstacle_create(s.world, &wall_def, &wall));
    refused(&s, (CordProbeDef){.obstacle = wall, .measure = CORD_MEASURE_VELOCITY}, CORD_BAD_ARGUMENT,
            "has no velocity to measure; it has position, force and torque");
    refused(&s, (CordProbeDef){.obstacle = wall, .rod = s.rod, .measure = CORD_MEASURE_FORCE},
            CORD_BAD_ARGUMENT, "a rod, a body or an obstacle");
    const CordMeasure measures[] = {CORD_MEASURE_POSITION, CORD_MEASURE_FORCE, CORD_MEASURE_TORQUE};
    CordProbeId probes[3];
    for (int i = 0; i < 3; i++) {
        CHECK_OK(cord_probe_create(s.world, &(CordProbeDef){.obstacle = wall, .measure = measures[i]},
                                   &probes[i]));
    }
    Obstacle* o = slots_at(&s.world->obstacles, 0);
    o->force = (CordVec3){4, 5, 6}, o->torque = (CordVec3){7, 8, 9};
    const double wanted[3][3] = {{1, 2, -3}, {4, 5, 6}, {7, 8, 9}};
    for (int i = 0; i < 9; i++) {
        double values[3];
        CHECK_OK(cord_probe_read(s.world, probes[i / 3], values));
        CHECK_NEAR(values[i % 3], wanted[i / 3][i % 3], 0.0);
    }
    CHECK_OK(cord_obstacle_destroy(s.world, wall));
    for (int i = 0; i < 9; i++) { // gone
        double values[3] = {1, 1, 1};
        CHECK_OK(cord_probe_read(s.world, probes[i / 3], values));
        CHECK_NEAR(values[i % 3], 0.0, 0.0);
    }
    refused(&s, (CordProbeDef){.obstacle = wall, .measure = CORD_MEASURE_FORCE}, CORD_BAD_ID, "obstacle");
    cord_world_destroy(s.world);
}

TEST(probes_have_names_and_an_order)
{
    Scene s = swinging();
    CordProbeDef def = {.rod = s.rod, .at = cord_at_start(), .measure = CORD_MEASURE_POSITION};
    CordProbeId a, b;
    CHECK_OK(cord_probe_create(s.world, &def, &a));
    def.name = "tip", def.measure = CORD_MEASURE_TWIST;
    CHECK_OK(cord_probe_create(s.world, &def, &b));
    CHECK_STR(cord_probe_name(s.world, a), "probe1");
    CHECK_STR(cord_probe_name(s.world, b), "tip");
    CHECK_INT(cord_probe_measure(s.world, b), CORD_MEASURE_TWIST);
    CHECK_INT(cord_world_probe(s.world, 1).slot, b.slot);
    CHECK_INT(cord_world_probe(s.world, 2).slot, 0);
    cord_world_destroy(s.world);
}

TEST_GROUP(world_probe, probes_of_nodes_read_what_the_queries_say, probes_of_edges_read_what_the_queries_say,
           probes_of_clamps_read_their_reactions, probes_of_the_rod_read_what_the_queries_say,
           a_probe_outlives_its_clamp_and_reads_nothing, probes_of_bodies_read_what_the_queries_say,
           probes_of_welds_read_their_reactions, a_probe_outlives_its_body_and_reads_nothing,
           probes_of_bodies_that_make_no_sense_are_refused, every_measure_has_a_name_a_size_and_columns,
           probes_that_make_no_sense_are_refused,
           a_probe_on_an_obstacle_reads_where_it_is_and_what_rods_do_to_it, probes_have_names_and_an_order)
