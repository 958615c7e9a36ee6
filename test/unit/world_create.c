// Worlds, rods and clamps made and destroyed: defaults, ids, names, what is refused.
#include "world_parts.h"

TEST(defaults_are_what_the_header_says)
{
    CordWorldDef world = cord_world_def_default();
    CHECK_VEC3(world.gravity, ((CordVec3){0, 0, -9.81}), 0.0);
    CHECK(!world.allocator.alloc && !world.log.write && !world.tasks.run);
    CordRodDef rod = cord_rod_def_default();
    CHECK_INT(rod.model, CORD_MODEL_DER);
    CHECK_INT(rod.integrator, CORD_INTEGRATOR_VERLET);
    CHECK_INT(rod.length_method, CORD_LENGTH_RATTLE);
    CHECK(!rod.inextensible && !rod.closed && !rod.name);
    CHECK(isnan(rod.stiffness.EI1) && isnan(rod.stiffness.mass_per_length));
    CordMaterial m = cord_material_default();
    CHECK(m.young == 1e9 && m.poisson == 0.35 && m.density == 1000 && m.friction == 0.3);
    CHECK(isnan(m.bend_modulus) && isnan(m.twist_modulus) && isnan(m.stretch_modulus));
    CordClampDef clamp = cord_clamp_def_default();
    CHECK(clamp.fix == CORD_FIX_POSITION && clamp.at.kind == CORD_AT_START && clamp.release == INFINITY);
    CordLoadDef load = cord_load_def_default();
    CHECK(load.from == -INFINITY && load.to == INFINITY);
}

TEST(a_world_and_a_rod_of_defaults_step)
{
    CordWorldDef def = cord_world_def_default();
    CordWorld* world = make_world(&def);
    CordRodDef rod_def = cord_rod_def_default();
    CordRodId rod = add_rod(world, &rod_def);
    CHECK_NEAR(cord_rod_length(world, rod), 1.0, 1e-14);
    CHECK_NEAR(cord_rod_mass(world, rod), 1000 * CORD_PI * 25e-6, 1e-15);
    CHECK_NEAR(cord_rod_stiffness(world, rod).EA, 1e9 * CORD_PI * 25e-6, 1e-9);
    run(world, cord_world_step_advice(world).step, 10);
    CHECK_INT(cord_world_steps(world), 10);
    cord_world_destroy(world);
}

TEST(an_empty_world_steps_and_has_a_state)
{
    CordWorld* world = new_weightless_world();
    run(world, 0.5, 3);
    CHECK_OK(cord_world_step_many(world, 0.5, 10));
    CHECK_NEAR(cord_world_time(world), 6.5, 0.0);
    CHECK_INT(cord_world_steps(world), 13);
    CHECK(cord_world_state_size(world) > 0);
    CHECK(cord_world_step_advice(world).step == INFINITY);
    CordFrame frame;
    CHECK_OK(cord_world_frame(world, &frame));
    CHECK_INT(frame.rod_count, 0);
    cord_world_destroy(world);
    cord_world_destroy(NULL);
}

TEST(names_of_results_models_measures_and_limits)
{
    CHECK_STR(cord_result_name(CORD_OK), "CORD_OK");
    CHECK_STR(cord_result_name(CORD_BAD_FILE), "CORD_BAD_FILE");
    CHECK(cord_result_name((CordResult)99) != NULL);
    CHECK_STR(cord_model_name(CORD_MODEL_DER), "der");
    CHECK(cord_model_name(CORD_MODEL_COUNT) == NULL);
    CHECK_STR(cord_version(), "0.1.0");
    CHECK_STR(cord_step_limit_name(CORD_LIMIT_BEND), "bending waves");
}

TEST(gravity_must_be_finite)
{
    CordWorldDef def = cord_world_def_default();
    CordWorld* world = (CordWorld*)&def;
    def.gravity.y = NAN;
    CHECK_RESULT(cord_world_create(&def, &world), CORD_BAD_ARGUMENT);
    CHECK(world == NULL);
    world = new_weightless_world();
    CHECK_OK(cord_world_set_gravity(world, (CordVec3){1, 2, 3}));
    CHECK_RESULT(cord_world_set_gravity(world, (CordVec3){INFINITY, 0, 0}), CORD_BAD_ARGUMENT);
    CHECK_VEC3(cord_world_gravity(world), ((CordVec3){1, 2, 3}), 0.0);
    cord_world_destroy(world);
}

// ---- rods

TEST(rods_that_make_no_sense_are_refused_with_a_sentence_and_nothing_is_made)
{
    struct {
        CordRodDef def;
        const char* part; // of the message
    } bad[] = {{line_def(10), "0 nodes"},
               {line_def(10), "mass per length"},
               {line_def(10), "stretching stiffness EA is -1"},
               {line_def(10), "EI1"},
               {line_def(10), "GJ"},
               {line_def(10), "radius"},
               {line_def(10), "velocity"},
               {line_def(10), "spin"},
               {line_def(10), "twist"},
               {line_def(10), "line cannot be closed"},
               {line_def(3), "at least 3 elements"},
               {line_def(10), "rest shape has 7 nodes and the shape 10"},
               {line_def(10), "no model number 17"},
               {line_def(10), "at most 63"},
               {line_def(10), "a rod named 'first' already"},
               {line_def(10), "integrator"},
               {line_def(10), "length"},
               {line_def(10), "rest"},
               {line_def(10), "twist"},
               {line_def(10), "spin inertia per length is 0"}};
    bad[0].def.shape.node_count = 0;
    bad[1].def.stiffness.mass_per_length = 0.0;
    bad[2].def.stiffness.EA = -1.0;
    bad[3].def.stiffness.EI1 = -1.0;
    bad[4].def.stiffness.GJ = INFINITY;
    bad[5].def.section.radius = 0.0;
    bad[6].def.velocity.x = NAN;
    bad[7].def.spin.z = INFINITY;
    bad[8].def.twist = NAN;
    bad[9].def.closed = true;
    bad[10].def.half_edge_start = true;
    bad[11].def.rest = CORD_REST_SHAPE, bad[11].def.rest_shape = line_def(7).shape;
    bad[12].def.model = (CordModel)17;
    bad[13].def.name = "a name of more than sixty-three characters would be cut short and not found again";
    bad[14].def.name = "first";
    bad[15].def.integrator = (CordIntegrator)9;
    bad[16].def.length_method = (CordLengthMethod)5;
    bad[17].def.rest = (CordRest)7;
    bad[18].def.rest_twist = 1e300;
    bad[19].def.stiffness.spin_inertia = 0.0, bad[19].def.dynamic_twist = true;
    CordWorld* world = new_weightless_world();
    CordRodDef good = line_def(10);
    good.name = "first";
    add_rod(world, &good);
    uint64_t before = cord_world_state_hash(world);
    int64_t bytes = world->memory.bytes;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CordRodId id = {7, 7};
        CHECK_RESULT(cord_rod_create(world, &bad[i].def, &id), CORD_BAD_ARGUMENT);
        CHECK_CONTAINS(cord_world_message(world), bad[i].part);
        CHECK(id.slot == 0 && id.generation == 0);
        CHECK_INT(world->memory.bytes, bytes); // nothing is left behind
    }
    CHECK_INT(cord_world_rod_count(world), 1);
    CHECK(cord_world_state_hash(world) == before);
    cord_world_destroy(world);
}

#define CHECK_REFUSES_NULL(call, kind)                                                                       \
    do {                                                                                                     \
        CHECK_INT(call, CORD_BAD_ARGUMENT);                                                                  \
        CHECK_CONTAINS(cord_world_message(world), "cord_" kind "_def_default()");                            \
    } while (0)

TEST(a_def_that_is_not_given_is_refused)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod;
    CordBodyId body;
    CordClampId clamp;
    CordWeldId weld;
    CordLoadId load;
    CordProbeId probe;
    CordObstacleId obstacle;
    CordBranch* branch;
    CordSolveReport report;
    CHECK_REFUSES_NULL(cord_rod_create(world, NULL, &rod), "rod");
    CHECK_REFUSES_NULL(cord_body_create(world, NULL, &body), "body");
    CHECK_REFUSES_NULL(cord_clamp_create(world, NULL, &clamp), "clamp");
    CHECK_REFUSES_NULL(cord_weld_create(world, NULL, &weld), "weld");
    CHECK_REFUSES_NULL(cord_joint_create(world, NULL, &body), "joint");
    CHECK_REFUSES_NULL(cord_load_create(world, NULL, &load), "load");
    CHECK_REFUSES_NULL(cord_probe_create(world, NULL, &probe), "probe");
    CHECK_REFUSES_NULL(cord_obstacle_create(world, NULL, &obstacle), "obstacle");
    CHECK_REFUSES_NULL(cord_world_set_contact(world, NULL), "contact");
    CHECK_REFUSES_NULL(cord_branch_create(world, NULL, &branch), "branch");
    CHECK_REFUSES_NULL(cord_world_solve(world, NULL, &report), "solve");
    CHECK(rod.slot == 0 && obstacle.slot == 0 && !branch && !report.converged);
    cord_world_destroy(world);
    CHECK_INT(cord_world_create(NULL, &world), CORD_BAD_ARGUMENT);
    CHECK(world == NULL);
}

TEST(an_inextensible_rod_needs_no_stretching_stiffness)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(5);
    def.inextensible = true;
    def.stiffness.EA = 0.0;
    add_rod(world, &def);
    cord_world_destroy(world);
}

TEST(rods_without_a_name_get_one_of_their_own)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(5);
    CordRodId first = add_rod(world, &def), second = add_rod(world, &def);
    CHECK_STR(cord_rod_name(world, first), "rod1");
    CHECK_STR(cord_rod_name(world, second), "rod2");
    CHECK_OK(cord_rod_destroy(world, first));
    CordRodId third = add_rod(world, &def);
    CHECK(strcmp(cord_rod_name(world, third), "rod2") != 0); // that name is taken
    cord_world_destroy(world);
}

TEST(rods_come_in_order_of_creation_and_old_ids_stay_invalid)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(5);
    CordRodId a = add_rod(world, &def), b = add_rod(world, &def), c = add_rod(world, &def);
    CHECK_OK(cord_rod_destroy(world, b));
    CordRodId d = add_rod(world, &def);
    CHECK_INT(d.slot, b.slot); // the slot is used again
    CHECK(d.generation != b.generation);
    CHECK_INT(cord_world_rod_count(world), 3);
    CHECK_INT(cord_world_rod(world, 0).slot, a.slot);
    CHECK_INT(cord_world_rod(world, 1).slot, c.slot);
    CHECK_INT(cord_world_rod(world, 2).slot, d.slot);
    CHECK_INT(cord_world_rod(world, 3).slot, 0);
    CHECK_INT(cord_world_rod(world, -1).slot, 0);
    CHECK(cord_rod_name(world, b) == NULL);
    CHECK_RESULT(cord_rod_destroy(world, b), CORD_BAD_ID);
    cord_world_destroy(world);
}

TEST(queries_on_an_id_that_is_gone_give_nothing_and_say_why)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod = add_line(world, 5);
    CordClampId clamp = hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    CHECK_OK(cord_rod_destroy(world, rod));
    CordVec3 a[5];
    double t[5];
    CHECK_RESULT(cord_rod_positions(world, rod, a), CORD_BAD_ID);
    CHECK_CONTAINS(cord_world_message(world), "rod does not exist");
    CHECK_RESULT(cord_rod_velocities(world, rod, a), CORD_BAD_ID);
    CHECK_RESULT(cord_rod_set_positions(world, rod, a), CORD_BAD_ID);
    CHECK_RESULT(cord_rod_set_velocities(world, rod, a), CORD_BAD_ID);
    CHECK_RESULT(cord_rod_material_frames(world, rod, a), CORD_BAD_ID);
    CHECK_RESULT(cord_rod_forces(world, rod, a), CORD_BAD_ID);
    CHECK_RESULT(cord_rod_tensions(world, rod, t), CORD_BAD_ID);
    CHECK_RESULT(cord_rod_moments(world, rod, a), CORD_BAD_ID);
    CHECK_INT(cord_rod_node_count(world, rod), 0);
    CHECK_INT(cord_rod_edge_count(world, rod), 0);
    CHECK(cord_rod_length(world, rod) == 0.0 && cord_rod_mass(world, rod) == 0.0);
    CHECK(cord_rod_energy(world, rod).kinetic == 0.0 && cord_rod_stretch(world, rod) == 0.0);
    CHECK(cord_rod_momentum(world, rod).linear.x == 0.0 && cord_rod_stiffness(world, rod).EA == 0.0);
    CHECK(cord_rod_twist(world, rod) == 0.0 && cord_rod_writhe(world, rod) == 0.0);
    CHECK_RESULT(cord_clamp_destroy(world, clamp), CORD_BAD_ID);
    CHECK_CONTAINS(cord_world_message(world), "clamp does not exist");
    CHECK_RESULT(cord_clamp_move(world, clamp, a[0], quat_identity()), CORD_BAD_ID);
    CHECK_RESULT(cord_clamp_reaction(world, clamp, a, a), CORD_BAD_ID);
    CHECK(!cord_clamp_holds(world, clamp));
    CordClampDef clamp_on_none = clamp_def(rod, cord_at_start(), CORD_FIX_FRAME);
    CHECK_RESULT(cord_clamp_create(world, &clamp_on_none, &clamp), CORD_BAD_ID);
    cord_world_destroy(world);
}

TEST(destroying_a_rod_takes_its_clamps_loads_and_probes)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(9);
    CordRodId a = add_rod(world, &def), b = add_rod(world, &def);
    CordClampId on_a = hold(world, a, cord_at_start(), CORD_FIX_FRAME);
    CordClampId on_b = hold(world, b, cord_at_start(), CORD_FIX_FRAME);
    hold(world, a, cord_at_end(), CORD_FIX_POSITION);
    CordLoadId force = add_force(world, a, cord_at_end(), (CordVec3){1, 0, 0});
    CordLoadId everywhere = add_drag(world, (CordRodId){0, 0}, 0.1);
    CordProbeDef probe = {.rod = a, .at = cord_at_end(), .measure = CORD_MEASURE_POSITION};
    CordProbeId probe_a = add_probe(world, &probe);
    probe.rod = b;
    CordProbeId probe_b = add_probe(world, &probe);
    run(world, 1e-4, 3);
    CHECK_OK(cord_rod_destroy(world, a));
    CHECK_INT(cord_world_clamp_count(world), 1);
    CHECK_INT(cord_world_clamp(world, 0).slot, on_b.slot);
    CHECK(!cord_clamp_holds(world, on_a) && cord_clamp_holds(world, on_b));
    CHECK_RESULT(cord_load_destroy(world, force), CORD_BAD_ID);
    CHECK_INT(cord_world_probe_count(world), 1);
    CHECK(cord_probe_name(world, probe_a) == NULL);
    CHECK_STR(cord_probe_name(world, probe_b), "probe2");
    run(world, 1e-4, 3);
    CHECK_OK(cord_load_destroy(world, everywhere));
    CHECK_OK(cord_rod_destroy(world, b));
    CHECK_INT(cord_world_clamp_count(world) + cord_world_probe_count(world) + cord_world_rod_count(world), 0);
    run(world, 1e-4, 3);
    cord_world_destroy(world);
}

TEST(a_message_is_empty_until_something_fails)
{
    CordWorld* world = new_weightless_world();
    CHECK_STR(cord_world_message(world), "");
    CHECK_RESULT(cord_world_step(world, -1.0), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "-1 s");
    cord_world_destroy(world);
}

TEST(masses_are_lumped_half_an_edge_each_way)
{
    CordWorld* world = new_weightless_world();
    CordRodDef closed = ring_def(10);
    const Rod* rod = world_rod(world, add_line(world, 11));
    CHECK_NEAR(rod_node_mass(rod, 0), 0.5 * 0.1 * RODS_MASS, 1e-16);
    CHECK_NEAR(rod_node_mass(rod, 5), 0.1 * RODS_MASS, 1e-16);
    CHECK_NEAR(rod_node_mass(rod, 10), 0.5 * 0.1 * RODS_MASS, 1e-16);
    CordRodId ring = add_rod(world, &closed);
    double sum = 0.0;
    for (int i = 0; i < 10; i++) {
        sum += rod_node_mass(world_rod(world, ring), i);
    }
    CHECK_NEAR(sum, cord_rod_mass(world, ring), 1e-15);
    CHECK_NEAR(sum, 10 * 2 * 0.2 * sin(CORD_PI / 10) * RODS_MASS, 1e-15);
    cord_world_destroy(world);
}

TEST(initial_velocity_and_spin_are_about_the_centre_of_mass)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(11);
    def.velocity = (CordVec3){1, 2, 3}, def.spin = (CordVec3){0, 0, 2};
    CordRodId rod = add_rod(world, &def);
    CordMomentum m = cord_rod_momentum(world, rod);
    CHECK_VEC3(m.center, ((CordVec3){0.5, 0, 0}), 1e-15);
    CHECK_VEC3(m.linear, ((CordVec3){0.1, 0.2, 0.3}), 1e-15);
    double inertia = 0.0; // of the nodes about their centre
    for (int i = 0; i < 11; i++) {
        double arm = 0.1 * i - 0.5;
        inertia += rod_node_mass(world_rod(world, rod), i) * arm * arm;
    }
    CHECK_NEAR(m.angular.z, 2 * inertia + 0.5 * 0.2, 1e-15);
    CHECK_NEAR(cord_rod_energy(world, rod).kinetic, 0.5 * 0.1 * 14 + 0.5 * inertia * 4, 1e-15);
    cord_world_destroy(world);
}

// A straight rod that is curved by nature, with no frame given: it bends in the plane of its rest shape,
// whichever way round-off has tilted the first edge of that.
TEST(round_off_does_not_turn_the_plane_of_natural_curvature)
{
    for (int i = 0; i < 9; i++) {
        CordVec3 rest[6], x[6];
        for (int k = 0; k < 6; k++) { // a parabola whose first edge is along x
            rest[k] = (CordVec3){0.2 * k, 0.0, 0.01 * k * (k - 1.0)};
        }
        rest[0].y = 1e-13 * (i / 3 - 1), rest[0].z = 1e-13 * (i % 3 - 1);
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(6);
        def.rest = CORD_REST_SHAPE, def.rest_shape = cord_shape_points(rest, 6);
        CordRodId rod = add_rod(world, &def);
        run(world, 1e-4, 1);
        CHECK_OK(cord_rod_positions(world, rod, x));
        CHECK(fabs(x[2].z) > 1e-11 && fabs(x[2].y) < 1e-9 * fabs(x[2].z));
        cord_world_destroy(world);
    }
}

// A bent rod whose rest shape begins in another direction, with no frame given: what it has of energy does
// not depend on how all of it stands in space.
TEST(a_rest_shape_in_any_pose_turns_with_the_scene)
{
    const CordModel models[] = {CORD_MODEL_DER, CORD_MODEL_CORDE, CORD_MODEL_PBD};
    for (int k = 0; k < 3; k++) {
        double energy[6];
        for (int i = 0; i < 6; i++) {
            CordQuat q = cord_quat_about(vec3_unit((CordVec3){i - 2.5, 1, 0.3 * i}), 1.1 * i);
            CordVec3 x[9], rest[9];
            for (int n = 0; n < 9; n++) {
                double a = 0.1 * n;
                x[n] = cord_quat_rotate(q, (CordVec3){sin(a), 0.3 * a * a, 1.0 - cos(a)});
                rest[n] = cord_quat_rotate(q, (CordVec3){0.2 * a, sin(a), 1.0 - cos(a)});
            }
            CordWorld* world = new_weightless_world();
            CordRodDef def = line_def(9);
            def.model = models[k], def.shape = cord_shape_points(x, 9);
            def.rest = CORD_REST_SHAPE, def.rest_shape = cord_shape_points(rest, 9);
            CordEnergy e = cord_rod_energy(world, add_rod(world, &def));
            energy[i] = e.bend + e.twist;
            cord_world_destroy(world);
        }
        for (int i = 1; i < 6; i++) {
            CHECK(energy[0] > 0.0);
            CHECK_NEAR(energy[i] / energy[0], 1.0, 1e-11); // round-off of kb over that of its size, 0.1
        }
    }
}

TEST_GROUP(world_create)
