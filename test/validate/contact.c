// What contact must keep: momentum, energy, rest, and the same bits.
#include "contacts.h"

#include <stdlib.h>

static const double radius = 0.004; // of all rods here [m]

static CordRodDef soft_rod(CordIntegrator integrator, bool inextensible)
{
    CordRodDef def = cord_rod_def_default();
    def.integrator = integrator, def.inextensible = inextensible;
    def.section = cord_section_disc(radius);
    def.material.young = 1e5;
    return def;
}

// ---- collisions

// Three straight rods that meet at the origin, each with a twist of its own way.
static CordWorld* collision_of(CordIntegrator integrator, bool inextensible, bool spins, double friction,
                               double young)
{
    CordWorld* world = new_weightless_world();
    const CordVec3 at[3] = {{0, 0, -0.015}, {0.01, 0.005, 0.015}, {-0.03, 0.01, 0.04}};
    const CordVec3 along[3] = {{0.1, 0, 0}, {0.03, 0.09, 0.01}, {-0.07, 0.06, 0.02}};
    const CordVec3 velocity[3] = {{0, 0.1, 1.0}, {-0.2, 0, -1.0}, {0.3, -0.2, -1.5}};
    for (int i = 0; i < 3; i++) {
        CordRodDef def = soft_rod(integrator, inextensible);
        def.dynamic_twist = spins;
        def.material.young = young;
        def.shape = cord_shape_line(minus(at[i], along[i]), plus(at[i], along[i]), 9);
        def.velocity = velocity[i];
        CordVec3 spin = {1.0, -2.0, 0.5 * i}, axis = times(along[i], 1.0 / size_of(along[i]));
        // frames that spin from the start lose 1e-8 of that in a step of backward Euler
        def.spin = spins ? spin : minus(spin, times(axis, dot(spin, axis)));
        add_rod(world, &def);
    }
    touch_with(world, friction);
    return world;
}

static CordWorld* collision(CordIntegrator integrator, bool inextensible, bool spins, double friction)
{
    return collision_of(integrator, inextensible, spins, friction, 1e5);
}

typedef struct Impact {
    double linear, angular; // change of momentum, over what there is of it in the rods
    double rise;  // of energy in a step that begins or ends with contact, at the most, over all of it
    double loss;  // of energy in all, likewise
    int contacts; // in a step, at the most
} Impact;

static Impact collide(CordWorld* world, double h, double time)
{
    Impact impact = {0};
    CordMomentum before = world_momentum(world);
    double start = world_energy(world), energy = start, p = 0.0, l = 0.0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordMomentum m = cord_rod_momentum(world, cord_world_rod(world, i));
        p += size_of(m.linear), l += size_of(m.angular);
    }
    for (int before_step = 0; cord_world_time(world) < time;) {
        run_many(world, h, 1);
        double now = world_energy(world);
        int contacts = cord_world_contact_report(world).contacts;
        impact.rise = before_step + contacts > 0 ? fmax(impact.rise, (now - energy) / start) : impact.rise;
        impact.contacts = contacts > impact.contacts ? contacts : impact.contacts;
        energy = now, before_step = contacts;
    }
    CordMomentum after = world_momentum(world);
    impact.linear = size_of(minus(after.linear, before.linear)) / p;
    impact.angular = size_of(minus(after.angular, before.angular)) / l;
    impact.loss = (start - energy) / start;
    cord_world_destroy(world);
    return impact;
}

static void print_impact(const char* kind, const char* more, const Impact* impact)
{
    print_message("    %s%s: momentum %.1g, angular %.1g; energy: rises by %.1g in a step at the most, "
                  "loses %.2g in all\n",
                  kind, more, impact->linear, impact->angular, impact->rise, impact->loss);
}

// Energy: both explicit integrators let it swing about, in each step by the square of the step (Verlet) or by
// the step (symplectic Euler) times what moves to and fro between motion and bending.
static void check_explicit(double friction, double most_angular)
{
    for (int i = 0; i < 4; i++) {
        CordIntegrator integrator = i % 2 == 0 ? CORD_INTEGRATOR_VERLET : CORD_INTEGRATOR_SYMPLECTIC_EULER;
        CordWorld* world = collision(integrator, i / 2 == 1, false, friction);
        double h = 0.1 * cord_world_step_advice(world).step;
        Impact impact = collide(world, h, 0.06);
        print_impact(kind_name(integrator, i / 2 == 1), "", &impact);
        CHECK(impact.contacts > 3);
        CHECK(impact.linear < 1e-14);         // rounding of some thousand steps
        CHECK(impact.angular < most_angular); // likewise
        CHECK(impact.rise < 2e-3 && impact.loss > 0.1);
    }
}

TEST(explicit_collisions_keep_momentum_to_rounding)
{
    check_explicit(0.0, 1e-13);
}

// Friction on the surface of a rod that does not spin turns it about its own axis, and that is lost. It takes
// rods that spin to keep it: below.
TEST(explicit_collisions_with_friction_keep_linear_momentum_to_rounding)
{
    check_explicit(0.4, 0.02);
}

// Rods so limp that all of their energy is motion: whatever it rises by is contact's own doing. That puts
// right within a step what the one before has left of penetration, half a thousandth of a radius at the most:
// 2 mm/s, where they meet at 2 m/s. (What Verlet's velocities are at the time of the positions is guessed
// from the forces of the step before, blows included, so its energy is not known as well as that.)
TEST(explicit_contact_adds_no_energy)
{
    for (int i = 0; i < 4; i++) {
        double friction = i / 2 == 1 ? 0.4 : 0.0;
        CordWorld* world = collision_of(CORD_INTEGRATOR_SYMPLECTIC_EULER, i % 2 == 1, false, friction, 1e-3);
        Impact impact = collide(world, 1e-3, 0.06);
        print_impact(kind_name(CORD_INTEGRATOR_SYMPLECTIC_EULER, i % 2 == 1), friction > 0.0 ? ", rough" : "",
                     &impact);
        CHECK(impact.contacts > 3);
        CHECK(impact.rise < 1e-4 && impact.loss > 0.1);
    }
}

// Angular momentum of rods about their own axes, from how far their frames have turned in a step.
static CordVec3 spin_momentum(const CordWorld* world, CordVec3 x[][9], CordVec3 m1[][8], double h)
{
    CordVec3 sum = {0, 0, 0};
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordRodId rod = cord_world_rod(world, i);
        CordVec3 y[9], n1[8];
        CHECK_OK(cord_rod_positions(world, rod, y));
        CHECK_OK(cord_rod_material_frames(world, rod, n1));
        double inertia = cord_rod_stiffness(world, rod).spin_inertia * cord_rod_length(world, rod) / 8.0;
        for (int j = 0; j < 8; j++) {
            CordVec3 s = minus(x[i][j + 1], x[i][j]), t = minus(y[j + 1], y[j]);
            s = times(s, 1.0 / size_of(s)), t = times(t, 1.0 / size_of(t));
            CordVec3 w = cross(s, t), m = m1[i][j]; // carried from s to t without twist
            m = plus(plus(times(m, dot(s, t)), cross(w, m)), times(w, dot(w, m) / (1.0 + dot(s, t))));
            double angle = atan2(dot(cross(m, n1[j]), t), dot(m, n1[j]));
            sum = plus(sum, times(s, inertia * angle / h));
        }
    }
    return sum;
}

// The first step in which rods touch: what it takes from the motion of their axes it gives to their spin, and
// the sum of both stays.
TEST(friction_hands_angular_momentum_to_the_spin_of_rods)
{
    for (int i = 0; i < 2; i++) {
        CordWorld* world = collision(CORD_INTEGRATOR_SYMPLECTIC_EULER, i == 1, true, 0.4);
        double h = 0.1 * cord_world_step_advice(world).step, spin = 0.0, both = 0.0;
        for (int n = 0; n < 1000 && spin == 0.0; n++) {
            CordVec3 x[3][9], m1[3][8], before = world_momentum(world).angular;
            for (int k = 0; k < 3; k++) {
                CHECK_OK(cord_rod_positions(world, cord_world_rod(world, k), x[k]));
                CHECK_OK(cord_rod_material_frames(world, cord_world_rod(world, k), m1[k]));
            }
            run_many(world, h, 1);
            CordVec3 change = minus(world_momentum(world).angular, before);
            CordVec3 taken = spin_momentum(world, x, m1, h);
            if (size_of(taken) > 1e-6 * size_of(before)) {
                spin = size_of(taken), both = size_of(change);
            }
        }
        print_message("    %s: spin takes %.3g kg m^2/s; %.1g of it is missing\n",
                      i == 1 ? "inextensible" : "extensible", spin, both / spin);
        CHECK(spin > 0.0);
        CHECK(both < 1e-4 * spin); // the angle by which edges turn in the step
        cord_world_destroy(world);
    }
}

// Backward Euler, which all implicit rods step with where they touch, keeps momentum to what is left of
// Newton's method: 1e-10 of an edge's length in a step at the most, over what rods move in it. The midpoint
// rule, in the steps before and after, keeps angular momentum and energy of frames with inertia to second
// order. Backward Euler's energy does not rise.
TEST(implicit_collisions_keep_momentum)
{
    for (int i = 0; i < 16; i++) {
        CordIntegrator integrator = i % 2 == 0 ? CORD_INTEGRATOR_MIDPOINT : CORD_INTEGRATOR_BACKWARD_EULER;
        bool inextensible = i / 2 % 2 == 1;
        double friction = i / 4 % 2 == 1 ? 0.4 : 0.0, h = i / 8 == 0 ? 1e-3 : 5e-4;
        Impact impact = collide(collision(integrator, inextensible, false, friction), h, 0.06);
        print_impact(kind_name(integrator, inextensible), friction > 0.0 ? ", rough" : "", &impact);
        CHECK(impact.contacts > 3);
        CHECK(impact.linear < 1e-10);
        CHECK(impact.angular < (i % 2 == 0 ? 1e-7 : 1e-10));
        CHECK(impact.rise < (i % 2 == 0 ? 1e-5 : 1e-12) && impact.loss > 0.1);
    }
}

// A step in contact is one of backward Euler, also for rods of the midpoint rule: its frames stand at its
// end, and turn no further.
TEST(frames_turn_by_their_spin_in_contact)
{
    const double rate = 20.0, h = 1e-3, z = 1.02 * radius;
    enum { STEPS = 40 };
    for (int i = 0; i < 2; i++) {
        CordVec3 m1[2][8];
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        CordRodDef def = soft_rod(i == 0 ? CORD_INTEGRATOR_BACKWARD_EULER : CORD_INTEGRATOR_MIDPOINT, false);
        def.dynamic_twist = true, def.spin = (CordVec3){rate, 0, 0};
        def.shape = cord_shape_line((CordVec3){-0.05, 0, z}, (CordVec3){0.05, 0, z}, 9);
        CordRodId rod = add_rod(world, &def);
        touch_with(world, 0.0);
        add_ground(world);
        CHECK_OK(cord_rod_material_frames(world, rod, m1[0]));
        run_many(world, h, STEPS);
        CHECK(cord_world_contact_report(world).contacts > 0);
        CHECK_OK(cord_rod_material_frames(world, rod, m1[1]));
        CHECK_NEAR(acos(dot(m1[0][4], m1[1][4])), rate * h * STEPS, 1e-5); // it bends as it lands
        cord_world_destroy(world);
    }
}

// ---- at rest

// A limp rope dropped in loose turns: it comes to lie on itself and on the ground.
static CordRodId drop_rope(CordWorld* world, CordIntegrator integrator, bool inextensible)
{
    CordRodDef def = soft_rod(integrator, inextensible);
    def.material.young = is_implicit(integrator) ? 1e6 : 1e5;
    def.material.bend_modulus = def.material.twist_modulus = 1e4;
    def.damping_time = 2e-3;
    def.shape = cord_shape_helix((CordVec3){0, 0, 0.02}, (CordVec3){0.15, 0.05, 1}, 0.02, 0.03, 4.0, 61);
    def.rest = CORD_REST_STRAIGHT;
    CordRodId rope = add_rod(world, &def);
    touch_with(world, 0.4);
    add_ground(world);
    return rope;
}

static int touches_of(const CordWorld* world, CordTouch kind)
{
    const CordContact* contacts = cord_world_contacts(world);
    int count = 0;
    for (int i = 0; i < cord_world_contact_count(world); i++) {
        count += contacts[i].kind == kind;
    }
    return count;
}

// How far any node moves in a time, over the radius.
static double moved_in(CordWorld* world, CordRodId rod, double h, double time)
{
    CordVec3 x[MOST_NODES], y[MOST_NODES];
    double most = 0.0;
    CHECK_OK(cord_rod_positions(world, rod, x));
    run_many(world, h, (int)(time / h + 0.5));
    CHECK_OK(cord_rod_positions(world, rod, y));
    for (int i = 0; i < cord_rod_node_count(world, rod); i++) {
        most = fmax(most, size_of(minus(y[i], x[i])) / radius);
    }
    return most;
}

static void check_pile(CordIntegrator integrator, bool inextensible, double time, double most_moved)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodId rope = drop_rope(world, integrator, inextensible);
    double h = is_implicit(integrator) ? 4e-3 : 0.5 * cord_world_step_advice(world).step;
    run_many(world, h, (int)(2.0 / h));
    double moved = moved_in(world, rope, h, time), kinetic = cord_rod_energy(world, rope).kinetic;
    double scale = cord_rod_mass(world, rope) * 9.81 * radius; // to lift it by a radius
    CordContactReport report = cord_world_contact_report(world);
    print_message("    %s: touches itself %d times; moves by %.2g radii in %.0f s; kinetic energy %.1g "
                  "of m g r; %.1g of a radius deep\n",
                  kind_name(integrator, inextensible), touches_of(world, CORD_TOUCH_ROD), moved, time,
                  kinetic / scale, report.deepest);
    CHECK(touches_of(world, CORD_TOUCH_ROD) >= 5);
    CHECK(moved < most_moved);
    CHECK(kinetic < 1e-4 * scale);
    CHECK(report.deepest < 1e-3);
    cord_world_destroy(world);
}

TEST(a_rope_dropped_into_a_pile_comes_to_rest)
{
    check_pile(CORD_INTEGRATOR_BACKWARD_EULER, false, 5.0, 0.05);
    check_pile(CORD_INTEGRATOR_MIDPOINT, true, 5.0, 0.05);
}

// Impulses are found to a thousandth of a radius in each step: they do not let it rest altogether.
TEST(an_explicit_rope_dropped_into_a_pile_comes_to_rest)
{
    check_pile(CORD_INTEGRATOR_VERLET, false, 2.0, 0.5);
    check_pile(CORD_INTEGRATOR_SYMPLECTIC_EULER, true, 2.0, 0.5);
}

// ---- obstacles

static CordRodDef straight_rod(CordIntegrator integrator, bool inextensible, double z)
{
    CordRodDef def = soft_rod(integrator, inextensible);
    def.shape = cord_shape_line((CordVec3){-0.1, 0, z}, (CordVec3){0.1, 0, z}, 9);
    return def;
}

// The mean of 200 steps, upwards.
static double carried_by(CordWorld* world, CordObstacleId obstacle, double h)
{
    enum { STEPS = 200 };
    double mean = 0.0;
    for (int k = 0; k < STEPS; k++) {
        CordVec3 force, torque;
        run_many(world, h, 1);
        CHECK_OK(cord_obstacle_force(world, obstacle, &force, &torque));
        mean -= force.z / STEPS;
    }
    return mean;
}

TEST(the_ground_carries_what_lies_on_it)
{
    for (int i = 0; i < 8; i++) {
        CordIntegrator integrator = (CordIntegrator)(i / 2);
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        CordRodDef def = straight_rod(integrator, i % 2 == 1, 1.05 * radius);
        def.damping_time = 1e-3;
        CordRodId rod = add_rod(world, &def);
        touch_with(world, 0.3);
        CordObstacleId ground = add_ground(world);
        double h = is_implicit(integrator) ? 4e-3 : 0.5 * cord_world_step_advice(world).step;
        run_many(world, h, (int)(1.0 / h));
        double mean = carried_by(world, ground, h), weight = 9.81 * cord_rod_mass(world, rod);
        print_message("    %s: %.6g N, off by %.1g of its weight\n", kind_name(integrator, i % 2 == 1), mean,
                      mean / weight - 1.0);
        // explicit: what is left of bouncing
        CHECK_NEAR(mean, weight, (is_implicit(integrator) ? 1e-6 : 1e-2) * weight);
        cord_world_destroy(world);
    }
}

// A ring of n straight edges that falls over a cone lies where the middles of its edges, at the distance a
// cos(pi / n) from the axis, are a radius in front of the cone's side; the cone carries it.
TEST(a_ring_lies_on_a_cone_where_that_is_as_wide)
{
    enum { NODES = 24 };
    const double base = 0.1, height = 0.25, wide = 0.06, slant = sqrt(base * base + height * height);
    for (int i = 0; i < 4; i++) {
        CordIntegrator integrator = (CordIntegrator)i;
        double lying = (radius * slant - height * (wide * cos(pi / NODES) - base)) / base;
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        CordRodDef def = straight_rod(integrator, true, 0.0);
        def.shape = cord_shape_circle((CordVec3){0, 0, lying + 0.002}, (CordVec3){0, 0, 1}, wide, NODES),
        def.closed = true;
        CordRodId rod = add_rod(world, &def);
        add_drag(world, rod, 2.0);
        touch_with(world, 0.0);
        CordVec3 place = {0, 0, 0.25 * height}; // its base is on the ground
        CordObstacleDef cone = obstacle_def(CORD_SOLID_CONE, (CordVec3){base, 0, height}, place);
        CordObstacleId id = add_obstacle(world, &cone);
        double h = is_implicit(integrator) ? 4e-3 : 0.5 * cord_world_step_advice(world).step, z = 0.0;
        run_many(world, h, (int)(1.0 / h));
        for (int k = 0; k < NODES; k++) {
            z += node_of(world, rod, k).z / NODES;
        }
        double carried = carried_by(world, id, h), weight = 9.81 * cord_rod_mass(world, rod);
        print_message("    %s: %.6g m above the base, %.6g by the formula; %.4g of its weight\n",
                      integrator_names[integrator], z, lying, carried / weight);
        // A barrier holds it off by 5 % of its radius at the most, and explicit steps let it in by a
        // thousandth.
        CHECK(z > lying - 0.01 * radius && z < lying + 0.05 * radius * slant / base);
        if (is_implicit(integrator)) {
            // the force that explicit steps report in a wedge is known to be too low
            CHECK_NEAR(carried, weight, 1e-3 * weight);
        }
        cord_world_destroy(world);
    }
}

// A pole that swings against a rod by a tenth of a radius in a step; or a wall, a hundred radii in a step,
// which there is no way around.
static const double lean = 0.1; // of the wall [rad]

static CordObstacleDef pusher(bool is_wall)
{
    if (!is_wall) {
        return obstacle_def(CORD_SOLID_CYLINDER, (CordVec3){0.02, 0, 0.3}, (CordVec3){0.01, -0.03, 0});
    }
    CordObstacleDef def = cord_obstacle_def_default();
    def.position = (CordVec3){0, -0.01, 0};
    def.rotation = cord_quat_about((CordVec3){1, 0, 0}, -0.5 * pi + lean);
    return def;
}

TEST(a_moving_obstacle_pushes_a_rod_ahead)
{
    for (int i = 0; i < 16; i++) {
        CordIntegrator integrator = (CordIntegrator)(i / 4);
        bool inextensible = i / 2 % 2 == 1, is_wall = i % 2 == 1;
        CordWorld* world = new_weightless_world();
        CordRodDef def = straight_rod(integrator, inextensible, 0.0);
        CordRodId rod = add_rod(world, &def);
        touch_with(world, 0.3);
        double h = 5e-4, way = is_wall ? 100.0 * radius : 0.1 * radius, deepest = 0.0, ahead = INFINITY;
        int steps = is_wall ? 4 : 300;
        CordMotion swing = cord_motion_translate((CordVec3){0, steps * way, 0.002}, 0.0, steps * h);
        CordObstacleDef pole = pusher(is_wall);
        pole.motions = &swing, pole.motion_count = 1;
        CordObstacleId id = add_obstacle(world, &pole);
        CordVec3 front = is_wall ? (CordVec3){0, cos(lean), sin(lean)} : (CordVec3){0, 1, 0};
        for (int k = 0; k < steps; k++) {
            run_many(world, h, 1);
            CordVec3 at;
            CordQuat turn;
            deepest = fmax(deepest, cord_world_contact_report(world).deepest);
            CHECK_OK(cord_obstacle_pose(world, id, &at, &turn));
            ahead = fmin(ahead, dot(minus(node_of(world, rod, 4), at), front));
        }
        print_message("    %s, %g radii in a step: %.1g of a radius deep; its middle never less than "
                      "%.1f radii ahead\n",
                      kind_name(integrator, inextensible), way / radius, deepest, ahead / radius);
        CHECK(deepest < 1e-3);
        // the pole is five times as thick, and the rod is bent over it
        CHECK(ahead > (is_wall ? 0.999 : 5.0) * radius);
        cord_world_destroy(world);
    }
}

// A press that closes on a rod until there is no room left for it: the run stops and says so, and all is as
// it was before that step.
TEST(an_obstacle_that_closes_on_a_rod_stops_the_run)
{
    for (int i = 0; i < 4; i++) {
        CordIntegrator integrator = (CordIntegrator)i;
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        CordRodDef def = straight_rod(integrator, false, 1.05 * radius);
        CordRodId rod = add_rod(world, &def);
        touch_with(world, 0.3);
        add_ground(world);
        CordMotion close = cord_motion_translate((CordVec3){0, 0, -4.0 * radius}, 0.0, 0.2);
        CordObstacleDef press =
            obstacle_def(CORD_SOLID_BOX, (CordVec3){0.5, 0.5, 0.02}, (CordVec3){0, 0, 0.01 + 4.0 * radius});
        press.motions = &close, press.motion_count = 1;
        add_obstacle(world, &press);
        double h = is_implicit(integrator) ? 1e-3 : 0.5 * cord_world_step_advice(world).step;
        CordResult result = CORD_OK;
        while (result == CORD_OK && cord_world_time(world) < 0.25) {
            result = cord_world_step(world, h);
        }
        CordEnergy energy = cord_rod_energy(world, rod);
        double scale = cord_rod_mass(world, rod) * 9.81 * radius;
        print_message("    %s stops at t = %.4f s: %s; kinetic energy %.2g m g r\n", integrator_names[i],
                      cord_world_time(world), cord_world_message(world), energy.kinetic / scale);
        CHECK(result != CORD_OK && strlen(cord_world_message(world)) > 20);
        CHECK_NEAR(cord_world_time(world), 0.1, 0.005); // when the room is as high as the rod is thick
        CHECK(isfinite(energy.kinetic) && energy.kinetic < scale);
        cord_world_destroy(world);
    }
}

// ---- put right, and at rest

// Rods that overlap by half a radius: pushed apart they have no kinks, and go on by themselves.
TEST(untangled_rods_can_step)
{
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_weightless_world();
        CordRodId rod = {0};
        for (int k = 0; k < 3; k++) {
            CordRodDef def = straight_rod(
                i % 2 == 0 ? CORD_INTEGRATOR_BACKWARD_EULER : CORD_INTEGRATOR_MIDPOINT, i / 2 == 1, 0.0);
            def.material.young = 1e7;
            def.shape = cord_shape_line((CordVec3){-0.1, 0.01 * k, 0.006 * k},
                                        (CordVec3){0.1, 0.002 - 0.003 * k, 0.006 * k}, 41);
            rod = add_rod(world, &def);
        }
        touch_with(world, 0.3);
        CordContact deepest;
        CHECK(cord_world_deepest(world, &deepest) && deepest.gap < -0.4 * radius);
        CHECK_OK(cord_world_untangle(world));
        CHECK(!cord_world_deepest(world, &deepest) || deepest.gap > -1e-3 * radius); // the tolerance
        double energy = world_energy(world);
        run_many(world, 1e-4, 50);
        print_message("    %s: %.2g J of bending and stretching at first, %d retries\n",
                      i / 2 == 1 ? "inextensible" : "extensible", energy, (int)cord_world_retries(world));
        CHECK(cord_rod_stretch(world, rod) < 0.01);
        cord_world_destroy(world);
    }
}

// A pole that jumps against a rod held at both ends, by fifty times as far as a barrier reaches: the same
// equilibrium as in small steps.
TEST(an_equilibrium_is_found_after_an_obstacle_has_jumped)
{
    CordVec3 middle[2];
    for (int i = 0; i < 2; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = straight_rod(CORD_INTEGRATOR_BACKWARD_EULER, false, 0.0);
        def.shape = cord_shape_line((CordVec3){-0.1, 0, 0}, (CordVec3){0.1, 0, 0}, 41);
        CordRodId rod = add_rod(world, &def);
        hold_ends(world, rod, CORD_FIX_POSITION);
        touch_with(world, 0.0);
        CordObstacleDef pole =
            obstacle_def(CORD_SOLID_CYLINDER, (CordVec3){0.02, 0, 0.3}, (CordVec3){0, -0.0245, 0});
        CordObstacleId id = add_obstacle(world, &pole);
        for (int k = i == 0 ? 100 : 1; k <= 100; k++) {
            CHECK_OK(cord_obstacle_move(world, id, (CordVec3){0, 1e-4 * k, 0}, (CordQuat){0, 0, 0, 1}));
            solve_as(world, false);
        }
        middle[i] = node_of(world, rod, 20);
        cord_world_destroy(world);
    }
    print_message("    its middle goes to y = %.6g m at once, %.6g m in small steps\n", middle[0].y,
                  middle[1].y);
    CHECK_NEAR(middle[0].y, middle[1].y, 1e-6);
    CHECK(middle[0].y > 0.009);
}

// ---- bodies

// A ball thrown at a free rope, off its middle.
TEST(a_body_hands_its_momentum_to_a_rope)
{
    for (int i = 0; i < 8; i++) {
        CordIntegrator integrator = i % 2 == 0 ? CORD_INTEGRATOR_MIDPOINT : CORD_INTEGRATOR_BACKWARD_EULER;
        double h = i / 4 == 0 ? 1e-3 : 5e-4;
        CordWorld* world = new_weightless_world();
        CordRodDef def = straight_rod(integrator, i / 2 % 2 == 1, 0.0);
        CordRodId rod = add_rod(world, &def);
        CordBodyDef ball = cord_body_def_default();
        ball.solid.size.x = 0.015, ball.position = (CordVec3){0.03, 0.004, 0.025};
        ball.velocity = (CordVec3){0.2, 0, -1.0}, ball.spin = (CordVec3){5, 10, 0};
        add_body(world, &ball);
        touch_with(world, 0.3);
        CordMomentum before = world_momentum(world);
        double energy = world_energy(world), start = energy, rise = 0.0;
        for (int touched = 0; cord_world_time(world) < 0.06;) {
            run_many(world, h, 1);
            double now = world_energy(world);
            int touches = cord_world_contact_count(world);
            rise = touched + touches > 0 ? fmax(rise, (now - energy) / start) : rise;
            energy = now, touched = touches;
        }
        CordMomentum after = world_momentum(world);
        double linear = size_of(minus(after.linear, before.linear)) / size_of(before.linear);
        double angular = size_of(minus(after.angular, before.angular)) / size_of(before.angular);
        double taken = size_of(cord_rod_momentum(world, rod).linear) / size_of(before.linear);
        print_message("    %s: the rope takes %.2g of the momentum; %.1g of it is lost, and %.1g of "
                      "angular momentum; energy rises by %.1g in a step at the most\n",
                      kind_name(integrator, i / 2 % 2 == 1), taken, linear, angular, rise);
        CHECK(taken > 0.1);
        CHECK(linear < 1e-8 && angular < 1e-8); // what is left of Newton's method
        // frames with inertia: the midpoint rule keeps their energy to second order
        CHECK(rise < (integrator == CORD_INTEGRATOR_MIDPOINT ? 1e-6 : 1e-12));
        cord_world_destroy(world);
    }
}

// ---- the same bits

static CordWorld* tangle(CordIntegrator integrator, CordTasks tasks)
{
    CordWorldDef world_def = cord_world_def_default();
    world_def.tasks = tasks;
    CordWorld* world = make_world(&world_def);
    for (int i = 0; i < 3; i++) {
        CordRodDef def = soft_rod(integrator, i == 1);
        CordVec3 middle = {0.01 * i, 0, 0.01 + 0.012 * i},
                 half = {0.06 * cos(1.1 * i), 0.06 * sin(1.1 * i), 0.002};
        def.shape = cord_shape_line(minus(middle, half), plus(middle, half), 13);
        add_rod(world, &def);
    }
    touch_with(world, 0.3);
    add_ground(world);
    return world;
}

// In the middle of a fall onto each other: another world goes on from the bytes, a third runs with two
// threads.
TEST(contact_is_the_same_to_the_bit_after_a_restart_and_with_two_threads)
{
    for (int i = 0; i < 4; i++) {
        CordIntegrator integrator = (CordIntegrator)i;
        CordWorld* world = tangle(integrator, (CordTasks){NULL, NULL});
        CordWorld* other = tangle(integrator, (CordTasks){NULL, NULL});
        CordWorld* threads = tangle(integrator, cord_tasks_openmp(2));
        double h = is_implicit(integrator) ? 2e-3 : 0.4 * cord_world_step_advice(world).step;
        int steps = (int)(0.15 / h);
        run_many(world, h, steps);
        CHECK(cord_world_contact_count(world) >= 5);
        Saved middle = save(world);
        restore(other, &middle);
        drop_saved(&middle);
        run_many(world, h, steps);
        run_many(other, h, steps);
        run_many(threads, h, 2 * steps);
        print_message("    %s: %d contacts\n", integrator_names[i], cord_world_contact_count(world));
        CHECK(cord_world_state_hash(other) == cord_world_state_hash(world));
        CHECK(cord_world_state_hash(threads) == cord_world_state_hash(world));
        cord_world_destroy(world);
        cord_world_destroy(other);
        cord_world_destroy(threads);
    }
}

TEST_GROUP(contact)
