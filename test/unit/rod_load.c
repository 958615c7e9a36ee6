#include "rod/load.h"

#include "world_rods.h"

TEST(a_point_force_accelerates_its_node_alone)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(11);
    def.integrator = CORD_INTEGRATOR_SYMPLECTIC_EULER;
    CordRodId rod = add_rod(world, &def);
    add_force(world, rod, cord_at_node(5), (CordVec3){1, 2, 3});
    run(world, 1e-3, 1);
    CordVec3 v[11];
    CHECK_OK(cord_rod_velocities(world, rod, v));
    double mass = RODS_MASS * 0.1;
    CHECK_VEC3(v[5], ((CordVec3){1e-3 / mass, 2e-3 / mass, 3e-3 / mass}), 1e-15);
    CHECK_VEC3(v[4], ((CordVec3){0, 0, 0}), 1e-15); // a straight rod at rest: round-off of its edges' lengths
    cord_world_destroy(world);
}

TEST(a_force_can_be_changed_and_taken_away)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(2);
    CordRodId rod = add_rod(world, &def);
    CordLoadId load = add_force(world, rod, cord_at_end(), (CordVec3){0, 0, 1});
    CHECK_OK(cord_load_set_force(world, load, (CordVec3){0, 1, 0}));
    run(world, 1e-3, 1);
    CordVec3 x[2];
    CHECK_OK(cord_rod_positions(world, rod, x));
    CHECK(x[1].y > 0.0 && x[1].z == 0.0);
    CHECK_RESULT(cord_load_set_force(world, load, (CordVec3){NAN, 0, 0}), CORD_BAD_ARGUMENT);
    CHECK_OK(cord_load_destroy(world, load));
    CHECK_RESULT(cord_load_destroy(world, load), CORD_BAD_ID);
    CHECK_RESULT(cord_load_set_force(world, load, (CordVec3){0, 0, 0}), CORD_BAD_ID);
    cord_world_destroy(world);
}

// Impulse = force x time over the kicks that fall in [from, to): Verlet's first kick is half a step.
TEST(a_load_acts_between_its_times)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(2);
    def.integrator = CORD_INTEGRATOR_SYMPLECTIC_EULER;
    CordRodId rod = add_rod(world, &def);
    CordLoadDef load = cord_load_def_default();
    load.rod = rod, load.force = (CordVec3){1, 0, 0}, load.from = 0.25, load.to = 0.5;
    add_load(world, &load);
    const double h = 1.0 / 1024; // exact, so that the times of steps are
    for (int i = 0; i < 1024; i++) {
        run(world, h, 1);
        double px = cord_rod_momentum(world, rod).linear.x;
        double acted = fmin(fmax((i + 1) * h - 0.25, 0.0), 0.25);
        // from the step that starts at `from` to the last that starts before `to`
        CHECK_NEAR(px, acted, 1e-13);
    }
    cord_world_destroy(world);
}

// A rod that moves along itself and across: v' = -(c / mu) v each, by 1 / (1 + r + r^2/2) a step,
// r = h c / mu.
TEST(drag_slows_along_and_across_by_their_own_numbers)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(21);
    def.velocity = (CordVec3){2, 0, 1};
    def.integrator = CORD_INTEGRATOR_SYMPLECTIC_EULER;
    CordRodId rod = add_rod(world, &def);
    CordLoadDef load = cord_load_def_default();
    load.kind = CORD_LOAD_DRAG, load.rod = rod, load.along = 0.05, load.across = 0.2;
    add_load(world, &load);
    const int steps = 100;
    run(world, 1e-3, steps);
    CordVec3 v[21];
    CHECK_OK(cord_rod_velocities(world, rod, v));
    double along = 1e-3 * 0.05 / RODS_MASS, across = 1e-3 * 0.2 / RODS_MASS;
    for (int i = 0; i < 21; i++) { // every node alike: ends have half the length and half the mass
        CHECK_NEAR(v[i].x, 2 * pow(1 + along + 0.5 * along * along, -steps), 1e-12);
        CHECK_NEAR(v[i].z, pow(1 + across + 0.5 * across * across, -steps), 1e-12);
    }
    cord_world_destroy(world);
}

TEST(drag_is_stable_however_strong)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(21);
    def.velocity = (CordVec3){1, 1, 1};
    CordRodId rod = add_rod(world, &def);
    add_drag(world, rod, 1e12);
    run(world, 1e-3, 10);
    CHECK(cord_rod_energy(world, rod).kinetic < 1e-18);
    cord_world_destroy(world);
}

TEST(drag_on_everything_acts_on_rods_made_later_too)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(5);
    def.velocity = (CordVec3){0, 0, 1};
    CordRodId before = add_rod(world, &def);
    CordLoadId drag = add_drag(world, (CordRodId){0, 0}, 0.1);
    CordRodId after = add_rod(world, &def);
    run(world, 1e-3, 10);
    double slow = cord_rod_momentum(world, before).linear.z;
    CHECK(slow < 0.1 * 0.995);
    CHECK_NEAR(cord_rod_momentum(world, after).linear.z, slow, 0.0);
    CHECK_OK(cord_load_destroy(world, drag));
    slow = cord_rod_momentum(world, after).linear.z;
    run(world, 1e-3, 10);
    // the half kick that was left aside
    CHECK_NEAR(cord_rod_momentum(world, after).linear.z, slow, 0.01 * slow);
    double now = cord_rod_momentum(world, after).linear.z;
    run(world, 1e-3, 10);
    CHECK_NEAR(cord_rod_momentum(world, after).linear.z, now, 1e-15);
    cord_world_destroy(world);
}

static void add_wind(CordWorld* world, CordRodId rod, double along, double across, CordWind wind)
{
    CordLoadDef def = cord_load_def_default();
    def.kind = CORD_LOAD_DRAG, def.rod = rod, def.along = along, def.across = across, def.wind = wind;
    add_load(world, &def);
}

static CordVec3 slowed(CordVec3 start, CordVec3 u, double r)
{
    return vec3_mul(vec3_madd(start, vec3_sub(u, start), 1.0 + 0.5 * r), 1.0 / (1.0 + r * (1.0 + 0.5 * r)));
}

// The step takes four nodes at a time, what is asked of the present state one: to the same bits.
static void check_lanes(CordRodDef def, uint64_t seed)
{
    CordWorld* world = new_weightless_world();
    const double time = 0.37, kick = 0.01;
    CordRodId id = add_rod(world, &def);
    shake(world, id, &seed, 0.01);
    add_wind(world, id, 0.03, 0.1, (CordWind){{3, 1, 0}, 0.5, 2.0, 4.0, 0.3});
    add_force(world, id, cord_at_node(1), (CordVec3){0, 0, 0}); // no drag: is passed over
    add_wind(world, id, 0.0, 0.2, (CordWind){{0, 0, -1}, 0.0, 0.0, 0.0, 0.0});
    Rod* rod = world_rod(world, id);
    const CordCenterline* c = &rod->line;
    CordVec3 wanted[20];
    for (int i = 0; i < c->node_count; i++) {
        int s = slot_of(c, i);
        CordVec3 v = random_vec3(&seed, 1.0);
        NodeDrag drag = loads_drag_at(rod, i, time);
        double rate = kick * c->w[s];
        CordVec3 u = vec3_madd(v, drag.force, rate), along = vec3_mul(drag.t, vec3_dot(u, drag.t));
        CordVec3 start = random_vec3(&seed, 1.0), start_along = vec3_mul(drag.t, vec3_dot(start, drag.t));
        wanted[i] = vec3_add(slowed(start_along, along, rate * drag.along),
                             slowed(vec3_sub(start, start_along), vec3_sub(u, along), rate * drag.across));
        slot_set(c->v, s, start);
        slot_set(c->v_next, s, v);
    }
    double past = c->v_next[0][c->halo + c->node_count];
    loads_kick(rod, &(LoadStep){time, kick, kick, true}, LOAD_ANYWHERE, c->v_next);
    for (int i = 0; i < c->node_count; i++) {
        CHECK_VEC3(slot_get(c->v_next, slot_of(c, i)), wanted[i], 0.0);
    }
    CHECK(c->v_next[0][c->halo + c->node_count] == past); // nothing is written past the nodes
    cord_world_destroy(world);
}

TEST(drag_is_the_same_for_four_nodes_at_a_time)
{
    for (int nodes = 3; nodes < 20; nodes++) {
        check_lanes(line_def(nodes), (uint64_t)nodes);
        check_lanes(ring_def(nodes), (uint64_t)nodes + 100);
    }
}

// A long way off, vortices are still there, and no faster than they may be.
TEST(vortices_are_no_faster_than_the_scene_says)
{
    double most = 0.0;
    for (int k = 0; k < 400; k++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(17);
        def.shape.p = (CordVec3){0.013 * k * k, 0.7 * k, k % 20 == 0 ? 1e8 : -0.3 * k};
        def.shape.q = (CordVec3){def.shape.p.x, def.shape.p.y + 1.0, def.shape.p.z};
        def.integrator = CORD_INTEGRATOR_SYMPLECTIC_EULER; // velocities as the step left them
        CordRodId rod = add_rod(world, &def);
        // so much that it goes with the air
        add_wind(world, rod, 1e9, 1e9, (CordWind){{0, 0, 0}, 0.0, 0.0, 2.0, 0.3});
        run(world, 1e-3, 1);
        CordVec3 v[17];
        CHECK_OK(cord_rod_velocities(world, rod, v));
        for (int i = 0; i < 17; i++) {
            most = fmax(most, vec3_length(v[i]));
        }
        cord_world_destroy(world);
    }
    CHECK(most < 2.0 + 1e-6 && most > 1.9);
}

static void refused(CordWorld* world, CordLoadDef def, const char* part)
{
    CordLoadId id;
    CHECK_RESULT(cord_load_create(world, &def, &id), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), part);
    CHECK_INT(id.slot, 0);
}

TEST(loads_that_make_no_sense_are_refused)
{
    CordWorld* world = new_weightless_world();
    CordRodDef rod_def = line_def(5);
    CordLoadDef good = cord_load_def_default(), bad;
    good.rod = add_rod(world, &rod_def);
    bad = good, bad.force.y = INFINITY;
    refused(world, bad, "force must be finite");
    bad = good, bad.at = cord_at_node(77);
    refused(world, bad, "no node 77");
    bad = good, bad.at = cord_at_edge(1);
    refused(world, bad, "acts on a node");
    bad = good, bad.from = NAN;
    refused(world, bad, "times");
    bad = good, bad.rod = (CordRodId){0, 0};
    refused(world, bad, "needs a rod");
    bad = good, bad.kind = CORD_LOAD_DRAG, bad.across = -1.0;
    refused(world, bad, "-1 across");
    bad.across = NAN;
    refused(world, bad, "drag");
    CordLoadId id;
    bad = good, bad.rod.generation += 7;
    CHECK_RESULT(cord_load_create(world, &bad, &id), CORD_BAD_ID);
    cord_world_destroy(world);
}

TEST_GROUP(rod_load)
