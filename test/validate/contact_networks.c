// Rods in their modes that touch other rods: ropes that fall over them, in the same scene with a beam of
// elements instead, nets that hold ropes, and beams that bear each other.
#include "contacts.h"
#include "modals.h"

static const double g = 9.8;

// ---- a rope over a cantilever

typedef struct Beam {
    CordModel model;
    int elements, modes;
} Beam;

// The clamp of a frame holds half of the first element as well: it begins before the wall.
static CordRodId add_beam(CordWorld* world, const Beam* beam)
{
    CordRodDef def = rubber_def(beam->elements, beam->modes);
    def.model = beam->model, def.integrator = CORD_INTEGRATOR_VERLET;
    def.material.young = 3.3e8, def.damping_time = 1e-5;
    double before = beam->model == CORD_MODEL_MODAL ? 0.0 : -0.5 * RUBBER_LENGTH / (beam->elements - 0.5);
    def.shape =
        cord_shape_line((CordVec3){before, 0, 0}, (CordVec3){RUBBER_LENGTH, 0, 0}, beam->elements + 1);
    return add_held(world, &def);
}

static CordRodId add_rope(CordWorld* world, CordModel model, CordVec3 from, CordVec3 to)
{
    CordRodDef def = cord_rod_def_default();
    def.model = model, def.integrator = CORD_INTEGRATOR_VERLET;
    def.material.young = 1e6, def.material.poisson = 0.5, def.material.density = RUBBER_DENSITY;
    def.section = cord_section_disc(2e-3), def.damping_time = 2e-4;
    def.shape = cord_shape_line(from, to, 22);
    return add_rod(world, &def);
}

enum { SAMPLES = 10 };

// Heights of the beam's tip and of the rope's middle while a rope falls over it from 5 mm, hangs down on both
// sides, swings and takes the beam along.
static void rope_over(Beam beam, CordModel rope_model, double h, double z[2 * SAMPLES])
{
    CordWorld* world = new_world((CordVec3){0, 0, -g});
    CordRodId held = add_beam(world, &beam);
    CordRodId rope = add_rope(world, rope_model, (CordVec3){0.15, -0.1, 0.011}, (CordVec3){0.15, 0.1, 0.011});
    touch_with(world, 0.3);
    bool touched = false;
    for (int i = 0; i < SAMPLES; i++) {
        for (int n = 0; n < (int)(0.02 / h + 0.5); n++) {
            CHECK_WORLD_OK(world, cord_world_step(world, h));
        }
        CordContactReport report = cord_world_contact_report(world);
        touched |= report.contacts > 0;
        CHECK(report.deepest <= cord_world_contact_def(world).tolerance);
        z[2 * i] = tip_of(world, held).z, z[2 * i + 1] = node_of(world, rope, 10).z;
    }
    CHECK(touched);
    cord_world_destroy(world);
}

static double largest_difference(const double* a, const double* b)
{
    double most = 0.0;
    for (int i = 0; i < 2 * SAMPLES; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

// The tip moves by 4 mm. The steps are of first order where things touch.
TEST(an_explicit_rope_takes_a_beam_along_as_one_of_elements)
{
    double elements[2 * SAMPLES], coarse[2 * SAMPLES], fine[2 * SAMPLES];
    rope_over((Beam){CORD_MODEL_DER, 20, 0}, CORD_MODEL_DER, 1e-5, elements);
    rope_over((Beam){CORD_MODEL_MODAL, 20, 8}, CORD_MODEL_DER, 1e-4, coarse);
    rope_over((Beam){CORD_MODEL_MODAL, 40, 16}, CORD_MODEL_DER, 2e-5, fine);
    double off = largest_difference(fine, elements), off_coarse = largest_difference(coarse, elements);
    print_message("  off by %.3g mm, and %.3g mm in longer steps\n", 1e3 * off, 1e3 * off_coarse);
    CHECK(off < 2e-5); // 1e-5 between 20 and 40 elements
    CHECK(off < 0.5 * off_coarse);
}

// Both beams and the rope have errors of first order in the step.
TEST(a_position_based_rope_takes_a_beam_along_as_one_of_elements)
{
    double elements[2][2 * SAMPLES], modes[2][2 * SAMPLES], off[2];
    for (int i = 0; i < 2; i++) {
        double h = i == 0 ? 1e-3 : 2.5e-4;
        rope_over((Beam){CORD_MODEL_PBD, 40, 0}, CORD_MODEL_PBD, h, elements[i]);
        rope_over((Beam){CORD_MODEL_MODAL, 40, 16}, CORD_MODEL_PBD, h, modes[i]);
        off[i] = largest_difference(elements[i], modes[i]);
    }
    print_message("  off by %.3g mm, and %.3g mm in longer steps\n", 1e3 * off[1], 1e3 * off[0]);
    CHECK(off[1] < 1e-4);
    CHECK(off[1] < 0.5 * off[0]);
}

// ---- networks

enum { GRID = 9 };

// A net of 9 x 9 nodes and 2 cm meshes, held along two sides.
static CordRodId add_net(CordWorld* world, double height, int modes)
{
    CordVec3 x[GRID * GRID];
    int ends[4 * GRID * GRID], edges = 0;
    for (int i = 0; i < GRID * GRID; i++) {
        x[i] = (CordVec3){0.02 * (i % GRID), 0.02 * (i / GRID) - 0.08, height};
        if (i % GRID + 1 < GRID) {
            ends[2 * edges] = i, ends[2 * edges + 1] = i + 1, edges++;
        }
        if (i + GRID < GRID * GRID) {
            ends[2 * edges] = i, ends[2 * edges + 1] = i + GRID, edges++;
        }
    }
    CordRodDef def = rubber_def(2, modes);
    def.shape = cord_shape_network(x, GRID * GRID, ends, edges);
    def.section = cord_section_disc(2e-3);
    def.material.young = 3.3e8, def.modal.damping_ratio = 0.05;
    CordRodId net = add_rod(world, &def);
    for (int i = 0; i < 2 * GRID; i++) {
        hold_freedoms(world, net, cord_at_node(i / 2 * GRID + i % 2 * (GRID - 1)), 63);
    }
    return net;
}

static double upward_push(const CordWorld* world)
{
    double sum = 0.0;
    for (int i = 0; i < cord_world_contact_count(world); i++) {
        const CordContact* c = &cord_world_contacts(world)[i];
        CHECK_INT(c->kind, CORD_TOUCH_ROD);
        sum += c->push * fabs(c->normal.z) + fabs(c->friction.z);
    }
    return sum;
}

// A rope that falls askew on a net comes to rest on it: the net bears its weight.
static void check_net(CordModel rope_model, double h, int steps, double tolerance)
{
    CordWorld* world = new_world((CordVec3){0, 0, -g});
    CordRodId net = add_net(world, 0.0, 24);
    CordVec3 from = {0.031, -0.05, 0.02}, to = {0.127, 0.063, 0.03};
    CordRodId rope = add_rope(world, rope_model, from, to);
    touch_with(world, 0.3);
    double weight = RUBBER_DENSITY * pi * 4e-6 * size_of(minus(to, from)) * g, deepest = 0.0;
    for (int n = 0; n < steps; n++) {
        CHECK_WORLD_OK(world, cord_world_step(world, h));
        deepest = fmax(deepest, cord_world_contact_report(world).deepest);
    }
    CHECK(deepest <= cord_world_contact_def(world).tolerance);
    CHECK_NEAR(upward_push(world), weight, tolerance * weight);
    CHECK(cord_rod_energy(world, net).kinetic < 1e-12);
    for (int i = 0; i < 22; i++) {
        CHECK(node_of(world, rope, i).z > 3e-3); // above it, though it sags
    }
    cord_world_destroy(world);
}

TEST(a_net_bears_an_explicit_rope)
{
    check_net(CORD_MODEL_DER, 1e-4, 6000, 1e-4);
}

TEST(a_net_bears_a_position_based_rope)
{
    check_net(CORD_MODEL_PBD, 1e-3, 500, 2e-3); // it still rolls a little
}

// ---- modal rods on each other

// One beam lies across the tip of another one under its own tip, and is three times as heavy.
static double borne(double share)
{
    CordWorld* world = new_world((CordVec3){0, 0, -g});
    for (int i = 0; i < 2; i++) {
        CordRodDef def = rubber_def(31, 16);
        def.material.young *= 1000, def.material.density *= i == 0 ? 1 : 3, def.modal.damping_ratio = 0.05;
        double x = RUBBER_LENGTH, z = 2 * RUBBER_RADIUS;
        def.shape = i == 0 ? cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){x, 0, 0}, 32)
                           : cord_shape_line((CordVec3){x, -x, z}, (CordVec3){x, 0, z}, 32);
        add_held(world, &def);
    }
    touch_with(world, 0.0);
    for (int n = 0; n < 300; n++) {
        CHECK_WORLD_OK(world, cord_world_step(world, 1.0 / 30));
    }
    double push = upward_push(world), weight = rubber_mass() * RUBBER_LENGTH * g;
    cord_world_destroy(world);
    return push / (share * weight) - 1.0;
}

VALIDATE(two_beams_bear_each_other, .source = "3/16 of what the upper one weighs more", .tolerance = 1e-4)
{
    return borne(2.0 * 3 / 16);
}

// ---- restitution, and obstacles that give way

// A cantilever in its first mode hits a ball under its tip: its energy of motion is e^2 of what it was.
// Little of its energy is elastic by then.
static double energy_left(double e, double h)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = rubber_def(31, 1);
    def.modal.linear = true;
    CordRodId rod = add_held(world, &def);
    CordContactDef contact = cord_contact_def_default();
    contact.restitution = e;
    CHECK_OK(cord_world_set_contact(world, &contact));
    CordObstacleDef ball = obstacle_def(CORD_SOLID_SPHERE, (CordVec3){0.02, 0, 0},
                                        (CordVec3){RUBBER_LENGTH, 0, -RUBBER_RADIUS - 0.0205});
    add_obstacle(world, &ball);
    CordVec3 v[32] = {{0, 0, 0}};
    for (int i = 0; i < 32; i++) {
        v[i].z = -first_shape(i / 31.0);
    }
    CHECK_OK(cord_rod_set_velocities(world, rod, v));
    double before = cord_rod_energy(world, rod).kinetic, after = 0.0;
    for (int n = 0; n * h < 2e-3; n++) {
        CHECK_WORLD_OK(world, cord_world_step(world, h));
        after = cord_rod_energy(world, rod).kinetic;
    }
    CHECK(tip_of(world, rod).z > -5e-4 && cord_rod_energy(world, rod).bend < 0.01 * before);
    cord_world_destroy(world);
    return after / before;
}

TEST(modal_rods_rebound)
{
    for (int i = 0; i < 3; i++) {
        double e = 0.5 * i, left = energy_left(e, 1e-5);
        print_message("  %.3g of the energy is left with e = %.1f\n", left, e);
        CHECK_NEAR(left, e * e, 0.02);
    }
}

// A cantilever rests on a compliant floor as deep as one of position-based elements does.
static double depth_in_soft_floor(CordModel model)
{
    CordWorld* world = new_world((CordVec3){0, 0, -g});
    CordRodDef def = rubber_def(40, 12);
    def.model = model;
    def.modal.damping_ratio = 0.1, def.damping_time = 1e-2;
    double before = model == CORD_MODEL_MODAL ? 0.0 : -0.5 * RUBBER_LENGTH / 39.5;
    def.shape = cord_shape_line((CordVec3){before, 0, 0}, (CordVec3){RUBBER_LENGTH, 0, 0}, 41);
    CordRodId rod = add_held(world, &def);
    touch_with(world, 0.0);
    CordObstacleDef ground = cord_obstacle_def_default();
    ground.position.z = -RUBBER_RADIUS - 0.01, ground.stiffness = 2000.0, ground.damping = 5.0;
    add_obstacle(world, &ground);
    for (int n = 0; n < 600; n++) {
        CHECK_WORLD_OK(world, cord_world_step(world, 1.0 / 120));
    }
    double depth = -0.01 - tip_of(world, rod).z;
    cord_world_destroy(world);
    return depth;
}

TEST(modal_rods_sink_into_compliant_obstacles)
{
    double modes = depth_in_soft_floor(CORD_MODEL_MODAL), elements = depth_in_soft_floor(CORD_MODEL_PBD);
    print_message("  %.4g mm deep, and %.4g mm\n", 1e3 * modes, 1e3 * elements);
    CHECK(modes > 0.05 * RUBBER_RADIUS && modes < 0.9 * RUBBER_RADIUS);
    CHECK_NEAR(modes, elements, 0.02 * elements);
}

TEST_GROUP(contact_networks)
