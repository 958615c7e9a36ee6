// Rods with bodies against closed forms: pendulums, torsion, whirling, orders in time and in space, joints.
#include "rods.h"

static const CordVec3 zero = {0, 0, 0};

static CordWorld* heavy_world(double g)
{
    return new_world((CordVec3){0, 0, -g});
}

static CordBodyId add_ball(CordWorld* world, CordVec3 position, double mass, double inertia,
                           CordVec3 velocity)
{
    CordBodyDef def = cord_body_def_default();
    def.mass = mass, def.position = position, def.velocity = velocity;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = inertia;
    CordBodyId id;
    CHECK_OK(cord_body_create(world, &def, &id));
    return id;
}

static CordWeldId weld(CordWorld* world, CordRodId rod, CordPlace at, CordBodyId body, CordFix fix)
{
    CordWeldDef def = cord_weld_def_default();
    def.rod = rod, def.at = at, def.body = body, def.fix = fix;
    CordWeldId id;
    CHECK_OK(cord_weld_create(world, &def, &id));
    return id;
}

static double energy_of_all(const CordWorld* world)
{
    double sum = 0.0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordEnergy e = cord_rod_energy(world, cord_world_rod(world, i));
        sum += e.kinetic + e.bend + e.twist + e.stretch + e.gravity;
    }
    for (int i = 0; i < cord_world_body_count(world); i++) {
        CordEnergy e = cord_body_energy(world, cord_world_body(world, i));
        sum += e.kinetic + e.gravity;
    }
    return sum;
}

// The period of `value`, which starts at zero: between its upward passages, found by interpolation.
typedef struct Passages {
    double before, first, last;
    int count;
} Passages;

static void pass(Passages* p, double value, double time, double h)
{
    if (p->before < 0.0 && value >= 0.0) {
        p->last = time - h * value / (value - p->before);
        p->first = p->count++ == 0 ? p->last : p->first;
    }
    p->before = value;
}

static double period_of(const Passages* p)
{
    return (p->last - p->first) / (p->count - 1);
}

// ---- pendulums

// A ball on a string: the body, not the string, has the mass.
VALIDATE(a_bob_on_a_string_swings_as_a_pendulum, .source = "2 pi sqrt(L / g) (1 + a^2 / 16)",
         .tolerance = 2e-5) // a^4 of the amplitude, and a twelfth of the string's mass
{
    double L = 1.0, g = 9.81, a = 0.1;
    CordWorld* world = heavy_world(g);
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_line(zero, (CordVec3){L * sin(a), 0, -L * cos(a)}, 9);
    def.stiffness = (CordStiffness){.EI1 = 1e-9, .EI2 = 1e-9, .GJ = 1e-9, .EA = 1.0, .mass_per_length = 1e-4};
    def.inextensible = true;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    CordBodyId bob = add_ball(world, (CordVec3){L * sin(a), 0, -L * cos(a)}, 1.0, 1e-3, zero);
    weld(world, rod, cord_at_end(), bob, CORD_FIX_POSITION);
    double h = 1e-4;
    Passages p = {0};
    while (p.count < 3) {
        CordVec3 x;
        CordQuat q;
        CHECK_OK(cord_world_step(world, h));
        CHECK_OK(cord_body_pose(world, bob, &x, &q));
        pass(&p, x.x, cord_world_time(world), h);
    }
    cord_world_destroy(world);
    return period_of(&p) / (2.0 * pi * sqrt(L / g) * (1.0 + a * a / 16.0)) - 1.0;
}

// A body welded to the end of a string by a point off its centre: two coupled swings. Small and in its slow
// mode, the body follows the string nearly straight, with omega^2 from the two-link pendulum's matrices.
VALIDATE(a_body_hung_off_its_centre_swings_as_a_double_pendulum,
         .source = "slow mode of M q'' + K q = 0 for a light string and a rigid body", .tolerance = 2e-5)
{
    double L = 1.0, e = 0.2, m = 1.0, I = 0.02, g = 9.81;
    double M11 = m * L * L, M12 = m * L * e, M22 = I + m * e * e, K11 = m * g * L, K22 = m * g * e;
    double A = M11 * M22 - M12 * M12, B = M11 * K22 + M22 * K11, C = K11 * K22;
    double omega2 = (B - sqrt(B * B - 4.0 * A * C)) / (2.0 * A);
    double ratio = (K11 - omega2 * M11) / (omega2 * M12), a = 0.01; // body's angle over the string's
    CordWorld* world = heavy_world(g);
    CordRodDef def = cord_rod_def_default();
    CordVec3 end = {L * sin(a), 0, -L * cos(a)};
    def.shape = cord_shape_line(zero, end, 9);
    def.stiffness = (CordStiffness){.EI1 = 1e-9, .EI2 = 1e-9, .GJ = 1e-9, .EA = 1.0, .mass_per_length = 1e-4};
    def.inextensible = true;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    CordVec3 centre = {end.x + e * sin(a * ratio), 0, end.z - e * cos(a * ratio)};
    CordBodyId body = add_ball(world, centre, m, I, zero);
    weld(world, rod, cord_at_end(), body, CORD_FIX_POSITION);
    double h = 1e-4;
    Passages p = {0};
    while (p.count < 3) {
        CordVec3 x;
        CordQuat q;
        CHECK_OK(cord_world_step(world, h));
        CHECK_OK(cord_body_pose(world, body, &x, &q));
        pass(&p, x.x, cord_world_time(world), h);
    }
    cord_world_destroy(world);
    return period_of(&p) / (2.0 * pi / sqrt(omega2)) - 1.0;
}

// ---- torsion

static double torsion_error(int steps_per_period)
{
    double L = 0.8, GJ = 0.02, I = 3e-3, omega = sqrt(GJ / (L * I)), h = 2.0 * pi / omega / steps_per_period;
    CordWorld* world = heavy_world(0.0);
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_line(zero, (CordVec3){0, 0, -L}, 17);
    def.half_edge_start = def.half_edge_end = true; // clamp and weld act at the very ends
    def.stiffness = (CordStiffness){.EI1 = 1.0, .EI2 = 1.0, .GJ = GJ, .EA = 100.0, .mass_per_length = 10.0};
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    CordBodyId body = add_ball(world, (CordVec3){0, 0, -L}, 1.0, I, zero);
    weld(world, rod, cord_at_end(), body, CORD_FIX_FRAME);
    CHECK_OK(cord_body_set_velocity(world, body, zero, (CordVec3){0, 0, 0.5 * omega}));
    Passages p = {0};
    while (p.count < 4) {
        CordVec3 x;
        CordQuat q;
        CHECK_OK(cord_world_step(world, h));
        CHECK_OK(cord_body_pose(world, body, &x, &q));
        pass(&p, q.z, cord_world_time(world), h);
    }
    cord_world_destroy(world);
    return period_of(&p) * omega / (2.0 * pi) - 1.0;
}

// Stoermer-Verlet turns it by a step of h in place of 2/omega asin(omega h / 2): the error is -(omega h)^2
// / 24.
VALIDATE(a_body_on_a_twisted_rod_turns_back_and_forth, .source = "sqrt(GJ / (L I)), 200 steps a period",
         .tolerance = 5e-5)
{
    return torsion_error(200);
}

VALIDATE(the_torsional_pendulum_is_second_order, .source = "error falls to a quarter with half the step",
         .tolerance = 0.1)
{
    return torsion_error(100) / torsion_error(200) - 4.0;
}

// ---- whirling

// Two bodies on a light inextensible rod, about their common centre: a rigid dumbbell that a string holds
// together.
VALIDATE(a_whirling_pair_is_held_by_the_tension_of_the_rod, .source = "omega^2 (m L / 2 + mu L^2 / 8)",
         .tolerance = 1e-5)
{
    double L = 1.0, omega = 3.0, m = 2.0, mu = 2e-4;
    CordWorld* world = heavy_world(0.0);
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_line((CordVec3){-L / 2, 0, 0}, (CordVec3){L / 2, 0, 0}, 11);
    def.stiffness = (CordStiffness){.EI1 = 1e-6, .EI2 = 1e-6, .GJ = 1e-6, .EA = 1.0, .mass_per_length = mu};
    def.inextensible = true, def.spin = (CordVec3){0, 0, omega};
    CordRodId rod = add_rod(world, &def);
    CordBodyId a = add_ball(world, (CordVec3){-L / 2, 0, 0}, m, 0.01, (CordVec3){0, -omega * L / 2, 0});
    CordBodyId b = add_ball(world, (CordVec3){L / 2, 0, 0}, m, 0.01, (CordVec3){0, omega * L / 2, 0});
    weld(world, rod, cord_at_start(), a, CORD_FIX_POSITION);
    weld(world, rod, cord_at_end(), b, CORD_FIX_POSITION);
    for (int i = 0; i < 5000; i++) {
        CHECK_OK(cord_world_step(world, 2e-4));
    }
    double tension[10];
    CHECK_OK(cord_rod_tensions(world, rod, tension));
    cord_world_destroy(world);
    return 0.5 * (tension[4] + tension[5]) / (omega * omega * (m * L / 2.0 + mu * L * L / 8.0)) - 1.0;
}

// ---- order in time

// A bent rod thrown with a body welded askew to its end: where the body is at t = 0.2 s.
static CordVec3 thrown(int count, bool inextensible)
{
    CordWorld* world = heavy_world(9.81);
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_ellipse(zero, (CordVec3){1, 0, 0}, (CordVec3){0, 1, 0}, 0.3, 0.3, 13);
    def.shape.angle_to = 0.5 * pi;
    def.rest = CORD_REST_STRAIGHT;
    def.stiffness = (CordStiffness){.EI1 = 2e-3, .EI2 = 2e-3, .GJ = 3e-3, .EA = 20.0, .mass_per_length = 0.1};
    def.inextensible = inextensible;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    CordBodyDef body = cord_body_def_default();
    const double inertia[6] = {3e-5, 2e-5, 4e-5, 2e-6, -3e-6, 1e-6};
    body.mass = 0.05, body.position = (CordVec3){0.01, 0.33, 0.02};
    memcpy(body.inertia, inertia, sizeof inertia);
    CordBodyId id;
    CHECK_OK(cord_body_create(world, &body, &id));
    weld(world, rod, cord_at_end(), id, CORD_FIX_FRAME);
    for (int i = 0; i < count; i++) {
        CHECK_OK(cord_world_step(world, 0.2 / count));
    }
    CordVec3 x;
    CordQuat q;
    CHECK_OK(cord_body_pose(world, id, &x, &q));
    cord_world_destroy(world);
    return x;
}

static double apart(CordVec3 a, CordVec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static double order_of(bool inextensible)
{
    CordVec3 a = thrown(1000, inextensible), b = thrown(2000, inextensible), c = thrown(4000, inextensible);
    return log2(apart(a, b) / apart(b, c));
}

VALIDATE(a_body_on_an_extensible_rod_is_second_order_in_time, .source = "errors at three steps",
         .tolerance = 0.1)
{
    return order_of(false) - 2.0;
}

VALIDATE(a_body_on_an_inextensible_rod_is_second_order_in_time, .source = "errors at three steps",
         .tolerance = 0.1)
{
    return order_of(true) - 2.0;
}

// ---- energy

// A rod swings with a body at its end, welded askew, for fifty swings, and gets to shake on the way. The
// energy of Stoermer-Verlet is off by (omega h)^2 of what is in each vibration, so that it moves while these
// fill up: but it must not move on from there.
static double drift_of(bool inextensible)
{
    CordWorld* world = heavy_world(9.81);
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_line(zero, (CordVec3){0.4, 0, 0}, 13);
    def.stiffness =
        (CordStiffness){.EI1 = 2e-3, .EI2 = 2e-3, .GJ = 3e-3, .EA = 200.0, .mass_per_length = 0.1};
    def.inextensible = inextensible;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    CordBodyDef body = cord_body_def_default();
    const double inertia[6] = {3e-5, 2e-5, 4e-5, 2e-6, -3e-6, 1e-6};
    body.mass = 0.05, body.position = (CordVec3){0.42, 0.01, 0.02};
    memcpy(body.inertia, inertia, sizeof inertia);
    CordBodyId id;
    CHECK_OK(cord_body_create(world, &body, &id));
    weld(world, rod, cord_at_end(), id, CORD_FIX_FRAME);
    double before = energy_of_all(world), h = inextensible ? 1e-4 : 5e-5, sum[2] = {0, 0};
    int steps = (int)(60.0 / h), fifth = steps / 5, count[2] = {0, 0};
    for (int i = 0; i < steps; i++) {
        CHECK_OK(cord_world_step(world, h));
        int part = i / fifth == 2 ? 0 : i / fifth == 4 ? 1 : -1;
        if (part >= 0 && i % 20 == 0) {
            sum[part] += energy_of_all(world) - before;
            count[part]++;
        }
    }
    cord_world_destroy(world);
    return (sum[1] / count[1] - sum[0] / count[0]) / (0.05 * 9.81 * 0.4);
}

VALIDATE(fifty_swings_on_an_extensible_rod_lose_no_energy, .source = "the middle against the end",
         .tolerance = 1e-4)
{
    return drift_of(false);
}

VALIDATE(fifty_swings_on_an_inextensible_rod_lose_no_energy, .source = "the middle against the end",
         .tolerance = 1e-4)
{
    return drift_of(true);
}

// ---- joints

// First frequency of a cantilever of length, stiffness and mass 1, of n elements in one piece or of two
// pieces welded together.
static double cantilever_error(int n, bool joined)
{
    enum { MOST = 80 };
    const double beta = 1.875104068711961, omega = beta * beta;
    CordWorld* world = heavy_world(0.0);
    CordRodDef def = cord_rod_def_default();
    def.stiffness = (CordStiffness){.EI1 = 1.0, .EI2 = 1.0, .GJ = 1.0, .EA = 1e4, .mass_per_length = 1.0};
    def.inextensible = true, def.half_edge_start = true;
    int pieces = joined ? 2 : 1, nodes = n / pieces + 1;
    CordRodId rods[2];
    for (int i = 0; i < pieces; i++) {
        def.half_edge_end = joined && i == 0; // the weld acts at the very end of either piece
        def.shape =
            cord_shape_line((CordVec3){i * 0.5, 0, 0}, (CordVec3){joined ? 0.5 + i * 0.5 : 1.0, 0, 0}, nodes);
        rods[i] = add_rod(world, &def);
    }
    hold(world, rods[0], cord_at_start(), CORD_FIX_DIRECTION);
    for (int i = 0; i < pieces; i++) {
        CordVec3 v[MOST + 1], x[MOST + 1];
        CHECK_OK(cord_rod_positions(world, rods[i], x));
        for (int k = 0; k < nodes; k++) {
            double s = beta * x[k].x, ratio = (cosh(beta) + cos(beta)) / (sinh(beta) + sin(beta));
            v[k] = (CordVec3){0, 0,
                              i == 0 && k < 2 ? 0.0 : 1e-4 * (cosh(s) - cos(s) - ratio * (sinh(s) - sin(s)))};
        }
        CHECK_OK(cord_rod_set_velocities(world, rods[i], v));
    }
    if (joined) {
        CordJointDef joint = cord_joint_def_default();
        joint.count = 2;
        joint.rods[0] = rods[0], joint.at[0] = cord_at_end(), joint.rods[1] = rods[1],
        joint.at[1] = cord_at_start();
        CordBodyId id;
        CHECK_OK(cord_joint_create(world, &joint, &id));
    }
    double h = 0.3 / (n * n);
    Passages p = {0};
    while (p.count < 4) {
        CordVec3 x[MOST + 1];
        CHECK_OK(cord_world_step(world, h));
        CHECK_OK(cord_rod_positions(world, rods[pieces - 1], x));
        pass(&p, x[nodes - 1].z, cord_world_time(world), h);
    }
    cord_world_destroy(world);
    return 2.0 * pi / period_of(&p) / omega - 1.0;
}

VALIDATE(two_rods_welded_together_swing_as_one, .source = "1.8751^2 sqrt(EI / mu L^4), 40 elements",
         .tolerance = 1e-3)
{
    return cantilever_error(40, true);
}

VALIDATE(a_welded_joint_leaves_the_rod_second_order, .source = "error falls to a quarter with half the edges",
         .tolerance = 1.0)
{
    return cantilever_error(20, true) / cantilever_error(40, true) - 4.0;
}

TEST_GROUP(bodies, a_bob_on_a_string_swings_as_a_pendulum,
           a_body_hung_off_its_centre_swings_as_a_double_pendulum,
           a_body_on_a_twisted_rod_turns_back_and_forth, the_torsional_pendulum_is_second_order,
           a_whirling_pair_is_held_by_the_tension_of_the_rod,
           a_body_on_an_extensible_rod_is_second_order_in_time,
           a_body_on_an_inextensible_rod_is_second_order_in_time,
           fifty_swings_on_an_extensible_rod_lose_no_energy,
           fifty_swings_on_an_inextensible_rod_lose_no_energy, two_rods_welded_together_swing_as_one,
           a_welded_joint_leaves_the_rod_second_order)
