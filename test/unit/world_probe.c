#include "world/obstacle.h"
#include "world_bodies.h"

typedef struct Scene {
    CordWorld* world;
    CordRodId rod;
    CordClampId start, end;
    CordBodyId ball;
    CordWeldId weld;
} Scene;

static Scene swinging(void)
{
    Scene s = {.world = new_world(down)};
    CordRodDef def = line_def(21);
    def.twist = 2.0;
    s.rod = add_rod(s.world, &def);
    s.start = hold(s.world, s.rod, cord_at_start(), CORD_FIX_FRAME);
    s.end = hold(s.world, s.rod, cord_at_end(), CORD_FIX_FRAME);
    run(s.world, 1e-4, 200);
    return s;
}

static const double* read_once(const Scene* s, CordProbeDef def)
{
    static double values[CORD_PROBE_MOST];
    for (int i = 0; i < CORD_PROBE_MOST; i++) {
        values[i] = NAN;
    }
    CHECK_OK(cord_probe_read(s->world, add_probe(s->world, &def), values));
    for (int i = 0; i < CORD_PROBE_MOST; i++) {
        CHECK(isnan(values[i]) == (i >= cord_measure_size(def.measure))); // as many numbers as it says
    }
    return values;
}

static const double* reading(const Scene* s, CordMeasure measure, CordPlace at)
{
    return read_once(s, (CordProbeDef){.rod = s->rod, .at = at, .measure = measure});
}

static const double* body_reading(const Scene* s, CordMeasure measure)
{
    return read_once(s, (CordProbeDef){.body = s->ball, .measure = measure});
}

static void check_nothing(const Scene* s, CordProbeId probe) // is what it reads
{
    double values[CORD_PROBE_MOST];
    for (int i = 0; i < CORD_PROBE_MOST; i++) {
        values[i] = 1.0;
    }
    CHECK_OK(cord_probe_read(s->world, probe, values));
    for (int i = 0; i < cord_measure_size(cord_probe_measure(s->world, probe)); i++) {
        CHECK_NEAR(values[i], 0.0, 0.0);
    }
}

static void check_is(const double* values, CordVec3 expected)
{
    CHECK(values[0] == expected.x && values[1] == expected.y && values[2] == expected.z);
}

TEST(probes_of_nodes_edges_and_clamps_read_what_the_queries_say)
{
    Scene s = swinging();
    CordVec3 x[21], v[21], moment[21], m1[20];
    double tension[20];
    CHECK_OK(cord_rod_positions(s.world, s.rod, x));
    CHECK_OK(cord_rod_velocities(s.world, s.rod, v));
    CHECK_OK(cord_rod_moments(s.world, s.rod, moment));
    check_is(reading(&s, CORD_MEASURE_POSITION, cord_at_node(7)), x[7]);
    check_is(reading(&s, CORD_MEASURE_POSITION, cord_at_arc(0.5)), x[10]);
    check_is(reading(&s, CORD_MEASURE_VELOCITY, cord_at_node(7)), v[7]);
    check_is(reading(&s, CORD_MEASURE_MOMENT, cord_at_node(7)), moment[7]);
    CHECK_OK(cord_rod_material_frames(s.world, s.rod, m1));
    CHECK_OK(cord_rod_tensions(s.world, s.rod, tension));
    CHECK(reading(&s, CORD_MEASURE_TENSION, cord_at_edge(6))[0] == tension[6]);
    const double* frame = reading(&s, CORD_MEASURE_FRAME, cord_at_edge(6));
    CordVec3 t = {frame[0], frame[1], frame[2]}, m2 = {frame[6], frame[7], frame[8]};
    CHECK_VEC3(t, vec3_unit(vec3_sub(x[7], x[6])), 1e-15);
    check_is(frame + 3, m1[6]);
    CHECK_VEC3(m2, vec3_cross(t, m1[6]), 1e-15); // right-handed
    Reaction start = clamp_reaction(s.world, s.start), end = clamp_reaction(s.world, s.end);
    check_is(reading(&s, CORD_MEASURE_FORCE, cord_at_end()), end.force);
    check_is(reading(&s, CORD_MEASURE_TORQUE, cord_at_edge(19)), end.torque);
    check_is(reading(&s, CORD_MEASURE_FORCE, cord_at_node(19)), end.force); // either node of the held edge
    check_is(reading(&s, CORD_MEASURE_FORCE, cord_at_start()), start.force);
    CHECK(fabs(start.force.z) > 0.01);
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
    CordProbeId id = add_probe(s.world, &def);
    CHECK_OK(cord_clamp_destroy(s.world, s.start));
    check_nothing(&s, id);
    cord_world_destroy(s.world);
}

// A rod with a ball at its end, off its axis.
static Scene laden(void)
{
    Scene s = {.world = new_world(down)};
    s.rod = add_line(s.world, 21);
    s.start = hold(s.world, s.rod, cord_at_start(), CORD_FIX_FRAME);
    CordBodyDef body = cord_body_def_default();
    body.position = (CordVec3){1.0, 0.02, 0.0};
    body.rotation = cord_quat_about((CordVec3){0, 0, 1}, 0.5);
    body.spin = (CordVec3){1, 2, 3};
    s.ball = add_body(s.world, &body);
    s.weld = add_weld(s.world, s.rod, cord_at_end(), s.ball, CORD_FIX_FRAME);
    run(s.world, 1e-5, 50);
    return s;
}

TEST(probes_of_bodies_and_welds_read_what_the_queries_say)
{
    Scene s = laden();
    CordBodyState b = body_of(s.world, s.ball);
    check_is(body_reading(&s, CORD_MEASURE_POSITION), b.position);
    check_is(body_reading(&s, CORD_MEASURE_VELOCITY), b.velocity);
    const double* frame = body_reading(&s, CORD_MEASURE_FRAME);
    check_is(frame, quat_rotate(b.rotation, (CordVec3){1, 0, 0}));
    check_is(frame + 3, quat_rotate(b.rotation, (CordVec3){0, 1, 0}));
    check_is(frame + 6, quat_rotate(b.rotation, (CordVec3){0, 0, 1}));
    CHECK(fabs(frame[1]) > 0.1); // it is turned
    CordEnergy e = cord_body_energy(s.world, s.ball);
    const double* energy = body_reading(&s, CORD_MEASURE_ENERGY);
    CHECK(energy[0] == e.kinetic && energy[0] > 0.0 && energy[4] == e.gravity);
    CHECK(energy[1] == 0.0 && energy[2] == 0.0 && energy[3] == 0.0);
    CordMomentum m = cord_body_momentum(s.world, s.ball);
    const double* momentum = body_reading(&s, CORD_MEASURE_MOMENTUM);
    check_is(momentum, m.linear);
    check_is(momentum + 3, m.angular);
    Reaction r = weld_reaction(s.world, s.weld);
    CHECK(fabs(r.force.z) > 1e-6);
    check_is(reading(&s, CORD_MEASURE_FORCE, cord_at_end()), r.force);
    check_is(reading(&s, CORD_MEASURE_TORQUE, cord_at_edge(19)), r.torque);
    cord_world_destroy(s.world);
}

TEST(a_probe_outlives_its_body_and_reads_nothing)
{
    Scene s = laden();
    CordProbeDef of_weld = {.rod = s.rod, .at = cord_at_end(), .measure = CORD_MEASURE_FORCE};
    CordProbeId a = add_probe(s.world, &(CordProbeDef){.body = s.ball, .measure = CORD_MEASURE_FRAME}),
                b = add_probe(s.world, &of_weld);
    CHECK_OK(cord_body_destroy(s.world, s.ball));
    check_nothing(&s, a);
    check_nothing(&s, b);
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
    Scene s = laden();
    CordProbeDef def = {.body = s.ball, .measure = CORD_MEASURE_TWIST};
    refused(&s, def, CORD_BAD_ARGUMENT, "has no twist to measure");
    def.measure = CORD_MEASURE_FORCE;
    refused(&s, def, CORD_BAD_ARGUMENT, "has no force to measure");
    def.measure = CORD_MEASURE_ENERGY, def.rod = s.rod;
    refused(&s, def, CORD_BAD_ARGUMENT, "a rod, a body or an obstacle");
    def.rod = (CordRodId){0, 0}, def.body.generation++;
    refused(&s, def, CORD_BAD_ID, "body");
    cord_world_destroy(s.world);
}

TEST(a_probe_on_an_obstacle_reads_where_it_is_and_what_rods_do_to_it)
{
    Scene s = swinging();
    CordObstacleDef wall_def = cord_obstacle_def_default();
    wall_def.position = (CordVec3){1, 2, -3};
    CordObstacleId wall = add_obstacle(s.world, &wall_def);
    refused(&s, (CordProbeDef){.obstacle = wall, .measure = CORD_MEASURE_VELOCITY}, CORD_BAD_ARGUMENT,
            "has no velocity to measure; it has position, force and torque");
    refused(&s, (CordProbeDef){.obstacle = wall, .rod = s.rod, .measure = CORD_MEASURE_FORCE},
            CORD_BAD_ARGUMENT, "a rod, a body or an obstacle");
    Obstacle* o = slots_at(&s.world->obstacles, 0);
    o->force = (CordVec3){4, 5, 6}, o->torque = (CordVec3){7, 8, 9};
    const CordMeasure measures[] = {CORD_MEASURE_POSITION, CORD_MEASURE_FORCE, CORD_MEASURE_TORQUE};
    const CordVec3 wanted[] = {wall_def.position, o->force, o->torque};
    CordProbeId probes[3];
    for (int i = 0; i < 3; i++) {
        CordProbeDef def = {.obstacle = wall, .measure = measures[i]};
        check_is(read_once(&s, def), wanted[i]);
        probes[i] = add_probe(s.world, &def);
    }
    CHECK_OK(cord_obstacle_destroy(s.world, wall));
    for (int i = 0; i < 3; i++) {
        check_nothing(&s, probes[i]);
    }
    refused(&s, (CordProbeDef){.obstacle = wall, .measure = CORD_MEASURE_FORCE}, CORD_BAD_ID, "obstacle");
    cord_world_destroy(s.world);
}

TEST(probes_have_names_and_an_order)
{
    Scene s = swinging();
    CordProbeDef def = {.rod = s.rod, .at = cord_at_start(), .measure = CORD_MEASURE_POSITION};
    CordProbeId a = add_probe(s.world, &def);
    def.name = "tip", def.measure = CORD_MEASURE_TWIST;
    CordProbeId b = add_probe(s.world, &def);
    CHECK_STR(cord_probe_name(s.world, a), "probe1");
    CHECK_STR(cord_probe_name(s.world, b), "tip");
    CHECK_INT(cord_probe_measure(s.world, b), CORD_MEASURE_TWIST);
    CHECK_INT(cord_world_probe(s.world, 1).slot, b.slot);
    CHECK_INT(cord_world_probe(s.world, 2).slot, 0);
    cord_world_destroy(s.world);
}

TEST_GROUP(world_probe)
