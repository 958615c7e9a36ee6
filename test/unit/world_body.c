// Bodies, welds and joints: made, refused, pushed, saved and destroyed.
#include "world_bodies.h"

// ---- bodies

TEST(defaults_are_what_the_header_says)
{
    CordBodyDef body = cord_body_def_default();
    CHECK_INT(body.solid.shape, CORD_SOLID_SPHERE);
    CHECK_NEAR(body.solid.size.x, 0.01, 0.0);
    CHECK(isnan(body.mass) && isnan(body.inertia[0]));
    CHECK_NEAR(body.density, 1000.0, 0.0);
    CordWeldDef weld = cord_weld_def_default();
    CHECK_INT(weld.fix, CORD_FIX_FRAME);
    CHECK_INT(weld.at.kind, CORD_AT_END);
    CHECK_INT(cord_joint_def_default().count, 0);
    CordWorld* w = new_weightless_world();
    CordBodyId id = add_body(w, &body);
    CHECK_STR(cord_body_name(w, id), "body1");
    CHECK_NEAR(world_body(w, id)->def.mass, 1000.0 * 4.0 / 3.0 * CORD_PI * 1e-6, 1e-17);
    cord_world_destroy(w);
}

// The engine keeps a body's axes, from which its rotation follows up to round-off.
TEST(a_body_has_the_same_pose_before_and_after_a_restore)
{
    CordWorld* w = new_weightless_world();
    for (int i = 0; i < 20; i++) {
        CordBodyDef def = odd_body_def(origin, 1.0 + i, 0.1);
        def.name = NULL;
        def.rotation = quat_unit((CordQuat){0.1 * i, 0.3, -0.2, 1.0});
        add_body(w, &def);
    }
    Saved saved = save(w);
    Pose before[20];
    for (int i = 0; i < 20; i++) {
        before[i] = world_body(w, cord_world_body(w, i))->pose;
    }
    restore(w, &saved);
    for (int i = 0; i < 20; i++) {
        CHECK(memcmp(&world_body(w, cord_world_body(w, i))->pose, &before[i], sizeof before[i]) == 0);
    }
    drop_saved(&saved);
    cord_world_destroy(w);
}

static void refuse(CordWorld* w, const CordBodyDef* def, const char* part)
{
    CordBodyId id;
    CHECK_RESULT(cord_body_create(w, def, &id), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(w), part);
    CHECK_CONTAINS(cord_world_message(w), "'bob'");
    CHECK_INT(id.slot, 0);
}

TEST(bodies_that_make_no_sense_are_refused_with_a_sentence)
{
    CordWorld* w = new_weightless_world();
    CordBodyDef good = odd_body_def(origin, 1.0, 0.1), bad = good;
    good.name = bad.name = "bob";
    bad.mass = 0.0, refuse(w, &bad, "mass is 0"), bad = good;
    bad.mass = -1.0, refuse(w, &bad, "must be positive"), bad = good;
    bad.mass = INFINITY, refuse(w, &bad, "mass is inf"), bad = good;
    bad.mass = NAN, bad.density = 0.0, refuse(w, &bad, "density is 0"), bad = good;
    bad.solid.size.x = 0.0, refuse(w, &bad, "size of its sphere"), bad = good;
    bad.solid.shape = CORD_SOLID_BOX, bad.solid.size.y = -1.0, refuse(w, &bad, "size of its box"), bad = good;
    bad.solid.shape = CORD_SOLID_CAPSULE, bad.solid.size.z = NAN, refuse(w, &bad, "size of its capsule"),
    bad = good;
    bad.solid.shape = (CordSolidShape)99, refuse(w, &bad, "no shape number 99"), bad = good;
    bad.position.y = NAN, refuse(w, &bad, "position, velocity and spin must be finite"), bad = good;
    bad.spin.y = INFINITY, refuse(w, &bad, "position, velocity and spin must be finite"), bad = good;
    bad.rotation = (CordQuat){0, 0, 0, 0}, refuse(w, &bad, "rotation"), bad = good;
    memset(bad.inertia, 0, sizeof bad.inertia), refuse(w, &bad, "principal moment of 0"), bad = good;
    bad.inertia[0] = 10.0, refuse(w, &bad, "larger than the other two"), bad = good;
    bad.inertia[3] = 10.0, refuse(w, &bad, "must be positive"), bad = good;
    bad.inertia[1] = NAN, refuse(w, &bad, "finite"), bad = good;
    CHECK_INT(cord_world_body_count(w), 0);
    add_body(w, &good);
    refuse(w, &good, "already");
    char name[80];
    memset(name, 'x', sizeof name), name[79] = '\0';
    good.name = name;
    CordBodyId id;
    CHECK_RESULT(cord_body_create(w, &good, &id), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(w), "79 characters");
    cord_world_destroy(w);
}

TEST(ids_names_and_order)
{
    CordWorld* w = new_weightless_world();
    CordBodyId a = add_odd_body(w, origin, 1, 0.1), b = add_odd_body(w, origin, 1, 0.1);
    CHECK_STR(cord_body_name(w, b), "body2");
    CHECK_OK(cord_body_destroy(w, a));
    CHECK_INT(cord_world_body_count(w), 1);
    CHECK_INT(cord_world_body(w, 0).slot, b.slot);
    CHECK(cord_body_name(w, a) == NULL);
    CordVec3 x, y;
    CordQuat q;
    CHECK_RESULT(cord_body_destroy(w, a), CORD_BAD_ID);
    CHECK_RESULT(cord_body_pose(w, a, &x, &q), CORD_BAD_ID);
    CHECK_RESULT(cord_body_velocity(w, a, &x, &y), CORD_BAD_ID);
    CHECK_RESULT(cord_body_set_velocity(w, a, origin, origin), CORD_BAD_ID);
    CHECK_RESULT(cord_body_push(w, a, origin, origin), CORD_BAD_ID);
    CHECK_NEAR(cord_body_energy(w, a).kinetic, 0.0, 0.0);
    CHECK_RESULT(cord_body_push(w, b, (CordVec3){NAN, 0, 0}, origin), CORD_BAD_ARGUMENT);
    CHECK_RESULT(cord_body_set_velocity(w, b, origin, (CordVec3){0, INFINITY, 0}), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(w), "'body2'");
    cord_world_destroy(w);
}

// Velocities are those at the time of the positions, though bodies keep them half a step earlier.
TEST(a_free_body_flies_and_says_how_fast)
{
    CordWorld* w = new_world(down);
    CordBodyDef def = odd_body_def((CordVec3){1, 2, 3}, 2.0, 0.1);
    def.velocity = (CordVec3){1, 0, 2};
    CordBodyId b = add_body(w, &def);
    double h = 1e-3, t = 0.0;
    for (int i = 0; i < 200; i++) {
        h = i % 3 ? 1e-3 : 2e-3; // of any length
        t += h;
        run(w, h, 1);
        CHECK_NEAR(body_of(w, b).velocity.z, 2.0 - 9.81 * t, 1e-13);
    }
    CordVec3 x = body_of(w, b).position, v = body_of(w, b).velocity;
    // steps of changing length: second order
    CHECK_VEC3(x, ((CordVec3){1 + t, 2, 3 + 2 * t - 9.81 * t * t / 2}), 1e-5);
    CordEnergy e = cord_body_energy(w, b);
    CHECK_NEAR(e.kinetic, 0.5 * 2.0 * vec3_dot(v, v), 1e-12);
    CHECK_NEAR(e.gravity, 2.0 * 9.81 * x.z, 1e-12);
    CHECK_VEC3(cord_body_momentum(w, b).angular, vec3_mul(vec3_cross(x, v), 2.0), 1e-12);
    cord_world_destroy(w);
}

TEST(a_velocity_set_on_the_way_is_the_one_read)
{
    CordWorld* w = new_world(down);
    CordBodyId b = add_odd_body(w, origin, 2.0, 0.1);
    run(w, 1e-2, 5);
    CordVec3 v = {1, 2, 3}, s = {3, 2, 1};
    CHECK_OK(cord_body_set_velocity(w, b, v, s));
    CHECK_VEC3(body_of(w, b).velocity, v, 1e-15);
    CHECK_VEC3(body_of(w, b).spin, s, 1e-14);
    CordBodyDef late = odd_body_def(origin, 1.0, 0.1); // and so for one that is made on the way
    late.velocity = v, late.spin = s;
    CordBodyId c = add_body(w, &late);
    CHECK_VEC3(body_of(w, c).velocity, v, 1e-15);
    run(w, 1e-2, 1);
    CHECK_VEC3(body_of(w, c).velocity, ((CordVec3){1, 2, 3 - 9.81e-2}), 1e-14);
    cord_world_destroy(w);
}

static CordBodyId add_even_body(CordWorld* w) // of 2 kg and 0.5 kg m^2
{
    CordBodyDef def = cord_body_def_default();
    def.mass = 2.0, def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.5;
    return add_body(w, &def);
}

TEST(a_push_acts_for_one_step)
{
    CordWorld* w = new_weightless_world();
    CordBodyId b = add_even_body(w);
    run(w, 0.1, 2);
    CHECK_OK(cord_body_push(w, b, (CordVec3){4, 0, 0}, (CordVec3){0, 1, 0}));
    CHECK_OK(cord_body_push(w, b, (CordVec3){0, 2, 0}, origin)); // they add up
    for (int i = 0; i < 3; i++) {
        run(w, 0.1, 1);
        CHECK_VEC3(body_of(w, b).velocity, ((CordVec3){0.2, 0.1, 0}), 1e-15);
        CHECK_VEC3(body_of(w, b).spin, ((CordVec3){0, 0.2, 0}), 1e-15);
    }
    cord_world_destroy(w);
}

TEST(loads_act_on_bodies)
{
    CordWorld* w = new_weightless_world();
    CordBodyId b = add_even_body(w);
    CordLoadDef load = cord_load_def_default();
    CordLoadId id;
    load.body = b, load.force = (CordVec3){0, 3, 0}, load.torque = (CordVec3){0, 0, 1}, load.to = 0.5;
    add_load(w, &load);
    load.kind = CORD_LOAD_TORQUE;
    add_load(w, &load);
    run(w, 0.01, 100);
    CHECK_NEAR(body_of(w, b).velocity.y, 3.0 / 2.0 * 0.5, 1e-12);
    CHECK_NEAR(body_of(w, b).spin.z, 1.0 / 0.5 * 0.5, 1e-12);
    add_line(w, 5); // one that comes later is left alone
    run(w, 1e-3, 2);
    load.kind = CORD_LOAD_DRAG;
    CHECK_RESULT(cord_load_create(w, &load, &id), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(w), "a body takes no drag");
    CHECK_OK(cord_body_destroy(w, b));
    CHECK_INT(w->loads.live_count, 0);
    load.kind = CORD_LOAD_FORCE;
    CHECK_RESULT(cord_load_create(w, &load, &id), CORD_BAD_ID);
    cord_world_destroy(w);
}

// ---- welds

static void refuse_weld(CordWorld* w, CordRodId rod, CordPlace at, CordBodyId body, CordFix fix,
                        CordResult result, const char* part)
{
    CordWeldDef def = weld_def(rod, at, body, fix);
    CordWeldId id;
    int count = cord_world_weld_count(w);
    CHECK_RESULT(cord_weld_create(w, &def, &id), result);
    CHECK_CONTAINS(cord_world_message(w), part);
    CHECK_INT(cord_world_weld_count(w), count);
}

TEST(welds_that_make_no_sense_are_refused_with_a_sentence)
{
    CordWorld* w = new_weightless_world();
    CordRodDef def = line_def(11);
    CordRodId rod = add_rod(w, &def);
    CordBodyId b = add_odd_body(w, origin, 1, 0.1), gone = add_odd_body(w, origin, 1, 0.1);
    CHECK_OK(cord_body_destroy(w, gone));
    refuse_weld(w, rod, cord_at_end(), gone, CORD_FIX_FRAME, CORD_BAD_ID,
                "'rod1' is to be welded to a body that does not");
    refuse_weld(w, (CordRodId){9, 9}, cord_at_end(), b, CORD_FIX_FRAME, CORD_BAD_ID, "rod");
    refuse_weld(w, rod, cord_at_edge(10), b, CORD_FIX_FRAME, CORD_BAD_ARGUMENT, "no edge 10");
    refuse_weld(w, rod, cord_at_node(3), b, CORD_FIX_FRAME, CORD_BAD_ARGUMENT, "acts on an edge");
    refuse_weld(w, rod, cord_at_end(), b, (CordFix)7, CORD_BAD_ARGUMENT, "number 7");
    add_weld(w, rod, cord_at_edge(4), b, CORD_FIX_FRAME);
    refuse_weld(w, rod, cord_at_edge(4), b, CORD_FIX_FRAME, CORD_BAD_ARGUMENT, "held by another weld");
    CHECK_CONTAINS(cord_world_message(w), "'body1'");
    refuse_weld(w, rod, cord_at_edge(5), b, CORD_FIX_FRAME, CORD_BAD_ARGUMENT, "node 5 of rod 'rod1'");
    refuse_weld(w, rod, cord_at_node(5), b, CORD_FIX_POSITION, CORD_BAD_ARGUMENT, "held by another weld");
    CordClampDef clamp = clamp_def(rod, cord_at_edge(3), CORD_FIX_FRAME);
    CordClampId clamp_id;
    CHECK_RESULT(cord_clamp_create(w, &clamp, &clamp_id), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(w), "held by another weld");
    hold(w, rod, cord_at_start(), CORD_FIX_POSITION);
    refuse_weld(w, rod, cord_at_edge(0), b, CORD_FIX_FRAME, CORD_BAD_ARGUMENT, "held by another clamp");
    def.length_method = CORD_LENGTH_FAST_PROJECTION, def.inextensible = true;
    refuse_weld(w, add_rod(w, &def), cord_at_end(), b, CORD_FIX_FRAME, CORD_NOT_SUPPORTED, "fast projection");
    def = line_def(5), def.integrator = CORD_INTEGRATOR_SYMPLECTIC_EULER;
    refuse_weld(w, add_rod(w, &def), cord_at_end(), b, CORD_FIX_FRAME, CORD_NOT_SUPPORTED,
                "different integrators");
    run(w, 1e-3, 3);
    cord_world_destroy(w);
}

TEST(a_weld_that_is_destroyed_lets_go)
{
    CordWorld* w = new_world(down);
    CordRodDef def = line_def(11);
    def.inextensible = true;
    CordRodId rod = add_rod(w, &def);
    hold(w, rod, cord_at_start(), CORD_FIX_POSITION);
    CordBodyId b = add_odd_body(w, (CordVec3){1, 0, 0}, 0.1, 0.02);
    CordWeldId weld = add_weld(w, rod, cord_at_end(), b, CORD_FIX_POSITION);
    run(w, 1e-3, 300);
    CordVec3 v0 = body_of(w, b).velocity, force, torque;
    CHECK_OK(cord_weld_destroy(w, weld));
    CHECK_RESULT(cord_weld_destroy(w, weld), CORD_BAD_ID);
    CHECK_RESULT(cord_weld_reaction(w, weld, &force, &torque), CORD_BAD_ID);
    run(w, 1e-3, 100);
    // It falls freely from where it was let go. What had pulled at it half a step before has already acted:
    // an error of first order.
    CHECK_VEC3(body_of(w, b).velocity, ((CordVec3){v0.x, v0.y, v0.z - 0.981}), 0.02);
    cord_world_destroy(w);
}

TEST(a_rod_welded_on_the_way_joins_at_its_own_speed)
{
    CordWorld* w = new_world(down);
    CordBodyId b = add_odd_body(w, origin, 0.1, 0.02);
    run(w, 1e-3, 100);
    CordBodyState s = body_of(w, b);
    CordRodDef def = line_def(11);
    def.shape = cord_shape_line(s.position, vec3_add(s.position, (CordVec3){0.5, 0, 0}), 11);
    def.velocity = s.velocity; // falls as the body does
    CordRodId rod = add_rod(w, &def);
    add_weld(w, rod, cord_at_start(), b, CORD_FIX_FRAME);
    Totals before = totals(w);
    run(w, 1e-3, 100);
    Totals after = totals(w);
    CHECK_VEC3(after.linear, vec3_madd(before.linear, (CordVec3){0, 0, -9.81}, 0.1 * before.mass), 1e-12);
    Reaction r = weld_reaction(w, cord_world_weld(w, 0));
    CHECK_VEC3(r.force, origin, 1e-9); // and so they feel nothing of each other
    CHECK_NEAR(weld_gap(w), 0.0, 1e-12);
    cord_world_destroy(w);
}

// A bob swings on a rod, and far away another rod may be welded to a bob of its own. Returns where the tip of
// the first rod comes to.
static CordVec3 tip_beside_weld(CordIntegrator integrator, bool welds)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodId rods[2];
    CordBodyId bobs[2];
    for (int i = 0; i < 2; i++) {
        CordVec3 from = {0, 20.0 * i, 0}, to = {1, 20.0 * i, 0};
        CordRodDef def = line_def(11);
        CordBodyDef bob = odd_body_def(to, 0.05, 0.02);
        def.integrator = integrator;
        def.shape = cord_shape_line(from, to, 11);
        rods[i] = add_rod(world, &def);
        bobs[i] = add_body(world, &bob);
        hold(world, rods[i], cord_at_start(), CORD_FIX_POSITION);
    }
    add_weld(world, rods[0], cord_at_end(), bobs[0], CORD_FIX_FRAME);
    run(world, 1e-3, 20);
    if (welds) {
        add_weld(world, rods[1], cord_at_end(), bobs[1], CORD_FIX_FRAME);
    }
    run(world, 1e-3, 20);
    CordVec3 x[11];
    CHECK_OK(cord_rod_positions(world, rods[0], x));
    cord_world_destroy(world);
    return x[10];
}

TEST(a_weld_leaves_other_assemblies_alone)
{
    const CordIntegrator integrators[] = {CORD_INTEGRATOR_MIDPOINT, CORD_INTEGRATOR_BACKWARD_EULER};
    for (int i = 0; i < 2; i++) {
        CordVec3 with = tip_beside_weld(integrators[i], true), alone = tip_beside_weld(integrators[i], false);
        CHECK_VEC3(with, alone, 0.0);
    }
}

// Flying bodies are staggered in time, and implicit rods are not: the first weld and the last one to go bring
// the bodies' velocities to the time that they are then at. Inelastic, so that energy goes once, and the next
// step, which starts from velocities that the weld allows, keeps it.
TEST(a_weld_to_a_flying_body_keeps_the_momentum)
{
    for (int kind = 0; kind < 12; kind++) {
        const double g = kind % 2 ? 9.81 : 0.0, h = 1e-4;
        CordWorld* world = new_world((CordVec3){0, 0, -g});
        CordRodDef def = line_def(21);
        def.integrator = kind / 2 < 2    ? CORD_INTEGRATOR_VERLET
                         : kind / 2 == 2 ? CORD_INTEGRATOR_SYMPLECTIC_EULER
                         : kind / 2 < 5  ? CORD_INTEGRATOR_MIDPOINT
                                         : CORD_INTEGRATOR_BACKWARD_EULER;
        def.inextensible = kind / 2 % 3 == 1;
        CordRodId rod = add_rod(world, &def);
        CordBodyDef ball = odd_body_def((CordVec3){1, 0, 0}, 0.05, 0.02);
        ball.velocity = (CordVec3){0.5, 1, -0.3}, ball.spin = (CordVec3){3, 2, -1};
        CordBodyId body = add_body(world, &ball);
        run(world, h, 50);
        Totals before = totals(world);
        CordWeldId weld = add_weld(world, rod, cord_at_end(), body, CORD_FIX_FRAME);
        double energy = totals(world).energy;
        CHECK(energy < before.energy);
        for (int n = 0; n < 40; n++) {
            Totals now = totals(world);
            CordVec3 fallen = {0, 0, -n * h * g * before.mass};
            CHECK_VEC3(now.linear, vec3_add(before.linear, fallen), 1e-12);
            if (n <= 20) {
                if (g == 0.0) { // its weight turns it
                    CHECK_VEC3(now.angular, before.angular, 1e-12);
                }
                // Verlet is of second order and symplectic Euler of first; backward Euler loses energy
                CHECK_NEAR(now.energy, energy, kind / 2 == 5 || kind / 2 == 2 ? 1e-4 : 1e-7);
            }
            run(world, h, 1);
            if (n == 20) {
                CHECK_OK(cord_weld_destroy(world, weld));
            }
        }
        cord_world_destroy(world);
    }
}

TEST(nodes_set_elsewhere_stay_with_their_body)
{
    CordWorld* w = new_weightless_world();
    CordRodId rod = add_line(w, 11);
    CordBodyId b = add_odd_body(w, (CordVec3){1, 0, 0}, 0.1, 0.02);
    add_weld(w, rod, cord_at_end(), b, CORD_FIX_FRAME);
    uint64_t seed = 1;
    shake(w, rod, &seed, 0.01);
    CHECK_NEAR(weld_gap(w), 0.0, 1e-15);
    run(w, 1e-4, 10);
    cord_world_destroy(w);
}

TEST(probes_at_a_weld_read_its_force)
{
    CordWorld* w = new_world(down);
    CordRodDef def = line_def(11);
    def.shape = cord_shape_line(origin, (CordVec3){0, 0, -1}, 11), def.inextensible = true;
    CordRodId rod = add_rod(w, &def);
    hold(w, rod, cord_at_start(), CORD_FIX_POSITION);
    CordBodyId b = add_odd_body(w, (CordVec3){0, 0, -1}, 0.3, 0.02);
    CordWeldId weld = add_weld(w, rod, cord_at_end(), b, CORD_FIX_POSITION);
    CordProbeDef probe = cord_probe_def_default();
    probe.rod = rod, probe.measure = CORD_MEASURE_FORCE;
    CordProbeId id = add_probe(w, &probe);
    double force[CORD_PROBE_MOST];
    CHECK_OK(cord_probe_read(w, id, force));
    CHECK_NEAR(force[2], 0.3 * 9.81, 1e-9);
    CHECK_OK(cord_weld_destroy(w, weld));
    CHECK_OK(cord_probe_read(w, id, force));
    CHECK_NEAR(force[2], 0.0, 0.0);
    cord_world_destroy(w);
}

// ---- joints

static CordRodId line_from(CordWorld* w, CordVec3 from, CordVec3 to)
{
    return add_between(w, from, to, 11, false);
}

static void refuse_joint(CordWorld* w, const CordJointDef* def, CordResult result, const char* part)
{
    CordBodyId id;
    int bodies = cord_world_body_count(w), welds = cord_world_weld_count(w);
    CHECK_RESULT(cord_joint_create(w, def, &id), result);
    CHECK_CONTAINS(cord_world_message(w), part);
    CHECK_INT(id.slot, 0);
    CHECK_INT(cord_world_body_count(w), bodies);
    CHECK_INT(cord_world_weld_count(w), welds);
}

TEST(joints_that_make_no_sense_are_refused_with_a_sentence)
{
    CordWorld* w = new_weightless_world();
    CordRodId a = line_from(w, origin, (CordVec3){1, 0, 0}),
              b = line_from(w, (CordVec3){1, 0, 0}, (CordVec3){2, 0, 0});
    CordJointDef def = joint_def(CORD_JOINT_WELD, a, cord_at_end(), b, cord_at_start()), bad;
    bad = def, bad.count = 1;
    refuse_joint(w, &bad, CORD_BAD_ARGUMENT, "has 1 rods; it takes 2 to 16");
    bad = def, bad.kind = (CordJointKind)5;
    refuse_joint(w, &bad, CORD_BAD_ARGUMENT, "no kind number 5");
    bad = def, bad.rods[1] = (CordRodId){0, 0};
    refuse_joint(w, &bad, CORD_BAD_ID, "rod number 1 does not exist");
    bad = def, bad.at[1] = cord_at_end();
    refuse_joint(w, &bad, CORD_BAD_ARGUMENT, "'rod2' is 1 m away from rod 'rod1'");
    bad = def, bad.at[1] = cord_at_node(0);
    refuse_joint(w, &bad, CORD_BAD_ARGUMENT, "'rod2'");
    bad = def, bad.kind = CORD_JOINT_PIN, bad.at[0] = cord_at_node(11);
    refuse_joint(w, &bad, CORD_BAD_ARGUMENT, "no node 11");
    hold(w, def.rods[1], cord_at_start(), CORD_FIX_POSITION);
    // found out after the first rod is welded: undone
    refuse_joint(w, &def, CORD_BAD_ARGUMENT, "held by another clamp");
    run(w, 1e-3, 1);
    cord_world_destroy(w);
}

TEST(a_joint_shares_mass_and_loses_none)
{
    CordWorld* w = new_weightless_world();
    CordRodId a = line_from(w, origin, (CordVec3){1, 0, 0}),
              b = line_from(w, (CordVec3){1, 0, 0}, (CordVec3){1, 1, 0});
    double before = totals(w).mass;
    CordBodyId joint = add_joint(w, CORD_JOINT_WELD, a, cord_at_end(), b, cord_at_start());
    CHECK_STR(cord_body_name(w, joint), "joint1");
    CHECK_NEAR(totals(w).mass, before, 1e-16);
    CHECK_NEAR(cord_rod_mass(w, a), RODS_MASS, 1e-16); // a rod's own mass is what it is made of
    CordFrame frame;
    CHECK_OK(cord_world_frame(w, &frame));
    CHECK_INT(frame.body_count, 1);
    CHECK_NEAR(frame.bodies[0].solid.size.x, 0.0, 0.0); // nothing to be seen
    CordWeldDef weld = weld_def(a, cord_at_start(), joint, CORD_FIX_FRAME);
    CordWeldId id;
    CHECK_RESULT(cord_weld_create(w, &weld, &id), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(w), "is a joint of rods");
    CHECK_OK(cord_body_destroy(w, joint)); // the rods take their mass back
    CHECK_NEAR(totals(w).mass, before, 1e-16);
    CHECK_INT(cord_world_weld_count(w), 0);
    cord_world_destroy(w);
}

// A rod's energy and momentum are those of all of its mass, also of what moves with a joint.
TEST(joined_rods_have_all_their_momentum)
{
    CordWorld* w = new_world(down);
    CordRodDef def = line_def(11);
    def.velocity = (CordVec3){1, 2, 2};
    CordRodId a = add_rod(w, &def);
    def.shape = cord_shape_line((CordVec3){1, 0, 0}, (CordVec3){1, 1, 0}, 11);
    CordRodId b = add_rod(w, &def);
    CordBodyId joint = add_joint(w, CORD_JOINT_WELD, a, cord_at_end(), b, cord_at_start());
    for (int n = 0; n < 2; n++) {
        CordVec3 v = vec3_madd(def.velocity, down, cord_world_time(w)), p = vec3_mul(v, RODS_MASS);
        CordMomentum own = cord_body_momentum(w, joint);
        CHECK_VEC3(cord_rod_momentum(w, a).linear, p, 1e-14);
        CHECK_VEC3(cord_rod_momentum(w, b).linear, p, 1e-14);
        CHECK_NEAR(cord_rod_energy(w, a).kinetic, 0.5 * RODS_MASS * vec3_dot(v, v), 1e-14);
        CHECK_VEC3(own.linear, origin, 1e-14);
        CHECK_VEC3(own.angular, origin, 1e-14);
        CHECK_NEAR(total_energy(w, b) - cord_rod_energy(w, b).kinetic,
                   9.81 * RODS_MASS * cord_rod_momentum(w, b).center.z, 1e-14);
        run(w, 1e-4, 20);
    }
    cord_world_destroy(w);
}

TEST(a_joint_keeps_edges_at_their_angle_and_a_pin_keeps_nodes_together)
{
    for (int pin = 0; pin <= 1; pin++) {
        CordWorld* w = new_world(down);
        CordRodId a = line_from(w, origin, (CordVec3){1, 0, 0}),
                  b = line_from(w, (CordVec3){1, 0, 0}, (CordVec3){1, 1, 0});
        hold(w, a, cord_at_start(), CORD_FIX_FRAME);
        add_joint(w, pin ? CORD_JOINT_PIN : CORD_JOINT_WELD, a, cord_at_end(), b, cord_at_start());
        run(w, 0.3 * cord_world_step_advice(w).step, 3000);
        CordVec3 x = tip_of(w, a), y = node_of(w, b, 0);
        CHECK_VEC3(x, y, 1e-12);
        double cosine =
            vec3_dot(vec3_unit(vec3_sub(x, node_of(w, a, 9))), vec3_unit(vec3_sub(node_of(w, b, 1), y)));
        CHECK(pin ? fabs(cosine) > 0.1 : fabs(cosine) < 1e-12);
        cord_world_destroy(w);
    }
}

TEST(a_branch_may_start_anywhere_along_an_edge)
{
    CordWorld* w = new_weightless_world();
    CordRodId a = line_from(w, origin, (CordVec3){1, 0, 0});
    CordRodId b = line_from(w, (CordVec3){0.53, 0, 0}, (CordVec3){0.53, 0.5, 0});
    add_joint(w, CORD_JOINT_WELD, a, cord_at_edge(5), b, cord_at_start());
    run(w, 1e-4, 10);
    CHECK_NEAR(weld_gap(w), 0.0, 1e-12);
    cord_world_destroy(w);
}

TEST(a_rod_may_be_closed_by_a_joint_with_itself)
{
    CordWorld* w = new_weightless_world();
    CordVec3 x[13];
    for (int i = 0; i < 13; i++) {
        x[i] = (CordVec3){0.2 * cord_cos(CORD_PI * i / 6), 0.2 * cord_sin(CORD_PI * i / 6), 0};
    }
    x[12] = x[0];
    CordRodDef def = line_def(13);
    def.shape = cord_shape_points(x, 13), def.rest = CORD_REST_STRAIGHT, def.inextensible = true;
    CordRodId rod = add_rod(w, &def);
    add_joint(w, CORD_JOINT_WELD, rod, cord_at_start(), rod, cord_at_end());
    run(w, 0.1 * cord_world_step_advice(w).step, 500);
    CHECK_VEC3(tip_of(w, rod), node_of(w, rod, 0), 1e-12);
    CHECK_NEAR(most_stretch(w), 0.0, 1e-12);
    cord_world_destroy(w);
}

// ---- state, retries, memory

// Bodies of all kinds: free, hanging, at either end of a rod; a joint; a rod of its own.
static CordWorld* busy_world(const CordWorldDef* def)
{
    CordWorld* w = make_world(def);
    CordRodDef rope = line_def(13);
    rope.inextensible = true, rope.twist = 1.0;
    CordRodId a = add_rod(w, &rope);
    rope.shape = cord_shape_line((CordVec3){1, 0, 0}, (CordVec3){1, 1, 0}, 13);
    CordRodId b = add_rod(w, &rope);
    rope.shape = cord_shape_line((CordVec3){1, 1, 0}, (CordVec3){2, 1, 0}, 13), rope.inextensible = false;
    CordRodId c = add_rod(w, &rope);
    rope.shape = cord_shape_line((CordVec3){5, 1, 0}, (CordVec3){6, 1, 0}, 13);
    add_rod(w, &rope);
    hold(w, a, cord_at_start(), CORD_FIX_FRAME);
    CordBodyId joint = add_odd_body(w, (CordVec3){1.02, 0, 0}, 0.05, 0.03);
    add_weld(w, a, cord_at_end(), joint, CORD_FIX_FRAME);
    add_weld(w, b, cord_at_start(), joint, CORD_FIX_POSITION);
    add_joint(w, CORD_JOINT_WELD, b, cord_at_end(), c, cord_at_start());
    CordBodyDef free = odd_body_def((CordVec3){3, 3, 3}, 1.0, 0.1);
    free.spin = (CordVec3){3, 2, 1};
    add_body(w, &free);
    return w;
}

TEST(a_state_put_back_goes_on_with_the_same_bits)
{
    CordWorldDef def = cord_world_def_default();
    CordWorld *w = busy_world(&def), *other = busy_world(&def);
    double h = 0.3 * cord_world_step_advice(w).step;
    run(w, h, 50);
    // acts in the next step: part of the state
    CHECK_OK(cord_body_push(w, cord_world_body(w, 0), (CordVec3){0, 0, 1}, origin));
    Saved s = save(w);
    run(w, h, 50);
    uint64_t hash = cord_world_state_hash(w);
    restore(w, &s);
    run(w, h, 50);
    CHECK(cord_world_state_hash(w) == hash);
    restore(other, &s); // and in another world built by the same calls
    run(other, h, 50);
    CHECK(cord_world_state_hash(other) == hash);
    CHECK_RESULT(cord_world_state_set(w, s.bytes, s.size - 8), CORD_BAD_STATE);
    CHECK(cord_world_state_hash(w) == hash);
    drop_saved(&s);
    cord_world_destroy(w);
    cord_world_destroy(other);
}

TEST(everything_of_a_body_is_in_the_hash)
{
    CordWorldDef def = cord_world_def_default();
    CordWorld* w = busy_world(&def);
    CordBodyId b = cord_world_body(w, 2);
    uint64_t hash = cord_world_state_hash(w);
    CHECK_OK(cord_body_push(w, b, (CordVec3){1e-9, 0, 0}, origin));
    check_hash_changed(w, &hash);
    CHECK_OK(cord_body_set_velocity(w, b, (CordVec3){0, 1e-9, 0}, origin));
    check_hash_changed(w, &hash);
    CHECK_OK(cord_body_set_velocity(w, b, (CordVec3){0, 1e-9, 0}, (CordVec3){0, 0, 1e-9}));
    check_hash_changed(w, &hash);
    cord_world_destroy(w);
}

TEST(noise_in_a_state_never_does_harm)
{
    CordWorldDef def = cord_world_def_default();
    CordWorld* w = busy_world(&def);
    Saved own = save(w), noisy = save(w);
    uint64_t seed = 1;
    for (int i = 0; i < 3000; i++) {
        memcpy(noisy.bytes, own.bytes, own.size);
        for (int k = 0; k < 3; k++) {
            noisy.bytes[(size_t)random_in(&seed, 0, (double)own.size)] = (uint8_t)random_int(&seed, 256);
        }
        if (cord_world_state_set(w, noisy.bytes, noisy.size) == CORD_OK) {
            cord_world_step(w, 1e-4); // may fail, and must say so
        }
        CordFrame frame;
        cord_world_frame(w, &frame);
        restore(w, &own);
    }
    drop_saved(&own), drop_saved(&noisy);
    cord_world_destroy(w);
}

// A body whirls a rope so fast that an edge turns too far in one step.
static CordWorld* whirling(void)
{
    CordWorld* w = new_weightless_world();
    CordRodDef def = line_def(9);
    def.inextensible = true, def.spin = (CordVec3){0, 0, 60};
    CordRodId rod = add_rod(w, &def);
    CordBodyDef body = odd_body_def((CordVec3){0.5, 0, 0}, 1.0, 0.1);
    body.spin = (CordVec3){0, 0, 60};
    add_weld(w, rod, cord_at_edge(4), add_body(w, &body), CORD_FIX_FRAME);
    return w;
}

TEST(a_step_taken_in_halves_is_two_steps_of_half_the_length)
{
    CordWorld *w = whirling(), *other = whirling();
    double h = 0.005;
    CordVec3 f = {1, 0, 0}, x[9], y[9];
    CHECK_OK(cord_body_push(w, cord_world_body(w, 0), f, origin));
    run(w, h, 1);
    CHECK_INT(cord_world_retries(w), 1);
    CHECK_OK(cord_body_push(other, cord_world_body(other, 0), f, origin)); // a push lasts for all of a step
    run(other, 0.5 * h, 1);
    CHECK_OK(cord_body_push(other, cord_world_body(other, 0), f, origin));
    run(other, 0.5 * h, 1);
    CHECK_INT(cord_world_retries(other), 0);
    CHECK_OK(cord_rod_positions(w, cord_world_rod(w, 0), x));
    CHECK_OK(cord_rod_positions(other, cord_world_rod(other, 0), y));
    CHECK(memcmp(x, y, sizeof x) == 0);
    CordBodyState a = body_of(w, cord_world_body(w, 0)), b = body_of(other, cord_world_body(other, 0));
    CHECK(memcmp(&a, &b, sizeof a) == 0);
    cord_world_destroy(w);
    cord_world_destroy(other);
}

TEST(a_step_that_fails_changes_nothing)
{
    CordWorld* w = whirling();
    run(w, 1e-4, 3);
    uint64_t hash = cord_world_state_hash(w);
    CHECK(cord_world_step(w, 10.0) != CORD_OK); // not even in halves of halves
    CHECK(cord_world_state_hash(w) == hash);
    CHECK_OK(cord_body_push(w, cord_world_body(w, 0), (CordVec3){1e305, 0, 0}, origin));
    hash = cord_world_state_hash(w);
    CHECK(cord_world_step(w, 1e-4) != CORD_OK);
    CHECK(cord_world_state_hash(w) == hash);
    cord_world_destroy(w);
}

TEST(a_step_after_the_first_allocates_nothing)
{
    Heap heap = {0};
    CordWorldDef def = def_on(&heap);
    CordWorld* w = busy_world(&def);
    run(w, 1e-4, 2);
    int64_t calls = heap.calls;
    run(w, 1e-4, 100);
    CHECK_INT(heap.calls, calls);
    CordFrame frame;
    CHECK_OK(cord_world_frame(w, &frame));
    calls = heap.calls;
    run(w, 1e-4, 1);
    CHECK_OK(cord_world_frame(w, &frame));
    CHECK_INT(heap.calls, calls);
    cord_world_destroy(w);
    CHECK_INT(heap.held, 0);
}

static size_t query_bytes(int nodes_elsewhere)
{
    CordWorld* world = new_weightless_world();
    CordVec3 velocity, spin;
    CordBodyId bodies[2];
    for (int i = 0; i < 2; i++) {
        CordRodDef def = line_def(i == 0 ? 9 : nodes_elsewhere);
        bodies[i] = add_odd_body(world, (CordVec3){1, 0, 0}, 0.05, 0.05);
        add_weld(world, add_rod(world, &def), cord_at_end(), bodies[i], CORD_FIX_POSITION);
    }
    CHECK_OK(cord_body_velocity(world, bodies[0], &velocity, &spin));
    size_t bytes = world->query.size;
    cord_world_destroy(world);
    return bytes;
}

TEST(a_query_looks_at_its_own_assembly)
{
    CHECK(query_bytes(9) > 0);
    CHECK(query_bytes(9) == query_bytes(900));
}

TEST(a_world_goes_on_when_its_last_body_is_gone)
{
    CordWorld* world = new_weightless_world();
    CordBodyId body = add_odd_body(world, origin, 1.0, 0.1);
    run(world, 1e-3, 2);
    CHECK_OK(cord_body_destroy(world, body));
    run(world, 1e-3, 2);
    CHECK_INT(cord_world_steps(world), 4);
    cord_world_destroy(world);
}

TEST_GROUP(world_body)
