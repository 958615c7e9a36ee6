// Contact of explicit and position-based rods must not depend on the step or on the size of elements: Coulomb
// friction on a plane and a cylinder, capstans, rolling, and rest.
#include "contacts.h"

static const double g = 9.81, radius = 0.004, pole = 0.05; // [m/s^2], [m], [m]

typedef enum Kind { EXTENSIBLE, INEXTENSIBLE, CORDE, POSITION, KINDS } Kind;

static const char* const kind_names[] = {"verlet", "verlet, inextensible", "corde", "position-based"};

static CordRodDef rod_def(Kind kind)
{
    CordRodDef def = cord_rod_def_default();
    def.model = kind == POSITION ? CORD_MODEL_PBD : kind == CORDE ? CORD_MODEL_CORDE : CORD_MODEL_DER;
    if (kind != POSITION) {
        def.integrator = CORD_INTEGRATOR_VERLET;
    }
    def.inextensible = kind == INEXTENSIBLE;
    return def;
}

// ---- straight rods

typedef struct Slide {
    CordWorld* world;
    CordRodId rod;
    CordObstacleId ground;
    double tilt, mu, mass;
    double friction;     // mean, after a quarter of the time [N]
    double acceleration; // likewise, along x [m/s^2]
} Slide;

// A rod of 20 elements, or 60 short ones, lies in touch on a plane, or along the top of a cylinder. Gravity
// is tilted along x.
static Slide lay(Kind kind, bool cylinder, double ratio, double mu, double tangent, CordVec3 along, double z)
{
    Slide s = {.tilt = atan(tangent), .mu = mu};
    CordRodDef def = rod_def(kind);
    CordObstacleDef ground = cord_obstacle_def_default();
    s.world = new_world((CordVec3){g * sin(s.tilt), 0, -g * cos(s.tilt)});
    CordVec3 from = {0, 0, z + (cylinder ? pole : 0.0)};
    int elements = ratio > 5.0 ? 60 : 20;
    def.shape = cord_shape_line(from, plus(from, times(along, elements * radius / ratio)), elements + 1);
    def.section = cord_section_disc(radius);
    def.material.young = 1e6;
    def.dynamic_twist = along.y != 0.0;
    s.rod = add_rod(s.world, &def);
    touch_with(s.world, mu);
    if (cylinder) {
        ground.solid = (CordSolid){.shape = CORD_SOLID_CYLINDER, .size = {pole, 0, 1000}};
        ground.rotation = (CordQuat){0, sqrt(0.5), 0, sqrt(0.5)};
    }
    s.ground = add_obstacle(s.world, &ground);
    s.mass = cord_rod_mass(s.world, s.rod);
    return s;
}

static double speed_of(const Slide* s)
{
    return cord_rod_momentum(s->world, s->rod).linear.x / s->mass;
}

static void run_slide(Slide* s, double h, int steps)
{
    int count = 0;
    double v = 0.0;
    for (int i = 0; i < steps; i++) {
        CordVec3 force, torque;
        run(s->world, h, 1);
        CHECK_OK(cord_obstacle_force(s->world, s->ground, &force, &torque));
        s->friction += i > steps / 4 ? force.x : 0.0, count += i > steps / 4;
        v = i == steps / 4 ? speed_of(s) : v;
    }
    s->friction /= count;
    s->acceleration = (speed_of(s) - v) / (count * h);
}

// Half and a twentieth of the stable step, and about a microsecond; 10 ms, 1 ms and 10 us where any step is
// stable.
static double step_of(const Slide* s, Kind kind, int i)
{
    static const double any[] = {1e-2, 1e-3, 1e-5};
    double stable = kind == POSITION ? 0.0 : cord_world_step_advice(s->world).step;
    return kind == POSITION ? any[i]
           : i == 0         ? 0.5 * stable
           : i == 1         ? fmax(0.05 * stable, 5e-7)
                            : fmin(1e-6, 0.5 * stable);
}

static const CordVec3 down = {1, 0, 0}, level = {0, 1, 0};
static const double ratios[] = {0.1, 1.0, 2.5, 10.0}; // radius over the length of an element

TEST(friction_is_coulombs_for_any_step_and_size_of_elements)
{
    for (int kind = 0; kind < KINDS; kind++) {
        double worst = 0.0;
        for (int i = 0; i < 24; i++) {
            Slide s = lay((Kind)kind, i % 2 == 1, ratios[i / 2 % 4], 0.4, 0.8, down, radius);
            run_slide(&s, step_of(&s, (Kind)kind, i / 8), kind == POSITION ? 40 : 400);
            double expected = s.mass * g * s.mu * cos(s.tilt), off = s.friction / expected - 1.0;
            CHECK_NEAR(off, 0.0, 0.01); // as issue 22 asks for
            worst = fmax(worst, fabs(off));
            cord_world_destroy(s.world);
        }
        print_message("    %s: friction is off by %.2g at most\n", kind_names[kind], worst);
    }
}

TEST(rods_stick_at_99_percent_of_the_cone_and_slip_at_101)
{
    for (int i = 0; i < 12; i++) {
        Kind kind = (Kind)(i / 3);
        for (int slips = 0; slips < 2; slips++) {
            Slide s = lay(kind, false, ratios[i % 3], 0.3, (slips ? 1.01 : 0.99) * 0.3, down, radius);
            run_slide(&s, kind == POSITION ? 1e-3 : step_of(&s, kind, 0), 2000);
            // gravity is 1 % off the cone, and impulses are solved for to 1e-3 of themselves
            double slide = g * (sin(s.tilt) - 0.3 * cos(s.tilt));
            CHECK_NEAR(s.acceleration, slips ? slide : 0.0, 0.1 * fabs(slide));
            cord_world_destroy(s.world);
        }
    }
}

TEST(rods_across_a_slope_roll_with_two_thirds_of_its_pull)
{
    for (int i = 0; i < 6; i++) {
        Kind kind = i < 3 ? EXTENSIBLE : POSITION;
        Slide s = lay(kind, false, ratios[i % 3], 0.3, 0.285, level, radius);
        run_slide(&s, kind == POSITION ? 1e-3 : step_of(&s, kind, 0), 200);
        double expected = 2.0 / 3.0 * g * sin(s.tilt), off = s.acceleration / expected - 1.0;
        print_message("    %s, r/l %.1f: off by %.1g\n", kind_names[kind], ratios[i % 3], off);
        CHECK_NEAR(off, 0.0, 1e-3); // of each impulse
        cord_world_destroy(s.world);
    }
}

// What overlaps by rounding, or within the tolerance, is as quiet as what touches exactly: the contact puts
// it right in positions alone. Its kinetic energy stays below that of a fall for one step.
TEST(a_rod_laid_in_touch_gains_no_energy)
{
    static const double depths[] = {0.0, 1e-12, 1e-6, 9e-4}; // in radii
    for (int i = 0; i < 4 * KINDS; i++) {
        for (int fine = 0; fine < 2; fine++) {
            Kind kind = (Kind)(i / 4);
            Slide s = lay(kind, false, 1.0, 0.3, 0.0, down, radius * (1.0 - depths[i % 4]));
            double h = fine ? 1e-6 : kind == POSITION ? 1e-3 : step_of(&s, kind, 0), most = 0.0;
            for (int n = 0; n < 100; n++) {
                run(s.world, h, 1);
                most = fmax(most, cord_rod_energy(s.world, s.rod).kinetic);
            }
            // what was put right is left 1e-12 radii above touch
            CHECK(most <= 0.5 * s.mass * g * h * g * h + 1e-11 * s.mass * g * radius);
            cord_world_destroy(s.world);
        }
    }
}

// ---- capstans

typedef struct Capstan {
    CordWorld* world;
    CordClampId drawn;
    CordVec3 out;             // along the drawn tail
    double ratio;             // exp(mu phi R / (R + r))
    double mean, most, least; // pull once it slides [N]
} Capstan;

enum { PER_TURN = 55, TAIL = 8, MOST_POINTS = 2 * PER_TURN + 2 * TAIL + 2 };
static const double thick = 0.005; // radius of the rope [m]: r/l is 0.8

// A polygon about the cylinder, or a helix from one turn on, whose edges touch it in their middles.
static int wind(double phi, CordVec3 out[2], CordVec3 points[MOST_POINTS])
{
    int sides = (int)ceil(phi / (2.0 * pi) * PER_TURN), n = 0;
    double turn = phi / sides, touch = pole + thick, corner = touch / cos(0.5 * turn),
           edge = 2.0 * corner * sin(0.5 * turn), rise = phi < 2.0 * pi ? 0.0 : 4.0 * thick / (2.0 * pi),
           length = sqrt(touch * touch + rise * rise);
    out[0] = (CordVec3){0, -touch / length, -rise / length};
    out[1] = (CordVec3){-sin(phi) * touch / length, cos(phi) * touch / length, rise / length};
    for (int k = TAIL; k > 0; k--) {
        points[n++] = plus((CordVec3){touch, 0, 0}, times(out[0], k * edge));
    }
    for (int k = 0; k < sides; k++) {
        double a = (k + 0.5) * turn;
        points[n++] = (CordVec3){corner * cos(a), corner * sin(a), rise * a};
    }
    for (int k = 1; k <= TAIL; k++) {
        points[n++] =
            plus((CordVec3){touch * cos(phi), touch * sin(phi), rise * phi}, times(out[1], k * edge));
    }
    return n;
}

// Pulled with 1 N at its start, drawn out at its end by 5 cm/s. Bending is T (R + r)^2 / 500.
static Capstan open_capstan(Kind kind, double mu, double turns, double EA, double time)
{
    Capstan c = {.world = new_weightless_world(), .least = INFINITY};
    double phi = 2.0 * pi * turns, R = pole + thick;
    CordVec3 points[MOST_POINTS], out[2];
    CordRodDef def = rod_def(kind);
    def.shape = cord_shape_points(points, wind(phi, out, points));
    def.rest = CORD_REST_STRAIGHT;
    def.section = cord_section_disc(thick);
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = R * R / 500.0;
    def.stiffness.EA = EA, def.stiffness.mass_per_length = 0.1;
    CordRodId rope = add_rod(c.world, &def);
    touch_with(c.world, mu);
    CordObstacleDef cylinder = obstacle_def(CORD_SOLID_CYLINDER, (CordVec3){pole, 0, 1}, (CordVec3){0, 0, 0});
    add_obstacle(c.world, &cylinder);
    add_force(c.world, rope, cord_at_start(), out[0]);
    CordClampDef line = clamp_def(rope, cord_at_start(), CORD_FIX_POSITION);
    line.slides = true, line.axis = out[0];
    add_clamp(c.world, &line);
    CordMotion draw = cord_motion_translate(times(out[1], 0.05 * time), 0.0, time);
    c.drawn = hold_moving(c.world, rope, cord_at_end(), CORD_FIX_POSITION, &draw, 1);
    c.out = out[1], c.ratio = exp(mu * phi * pole / R);
    return c;
}

static Capstan draw(Kind kind, double mu, double turns, double EA, double h, double time)
{
    Capstan c = open_capstan(kind, mu, turns, EA, time);
    int steps = (int)(time / h), count = 0;
    for (int i = 0; i < steps; i++) {
        CordVec3 force, torque;
        run(c.world, h, 1);
        CHECK_OK(cord_clamp_reaction(c.world, c.drawn, &force, &torque));
        double pull = -dot(force, c.out);
        if (i >= steps / 2) {
            c.mean += pull, count++;
            c.most = fmax(c.most, pull), c.least = fmin(c.least, pull);
        }
    }
    c.mean /= count;
    print_message(
        "    %s, mu %.1f, %.1f turns, steps of %.0f us: off by %.2f %%, from %.3f to %.3f of the mean\n",
        kind_names[kind], mu, turns, 1e6 * h, 100.0 * (c.mean / c.ratio - 1.0), c.least / c.mean,
        c.most / c.mean);
    cord_world_destroy(c.world);
    return c;
}

// Within 2 %, peaks within 10 %, as issue 22 asks for. EA is such that the rope slides all along after half
// of the time.
TEST(position_based_ropes_have_the_capstan_ratio_at_any_step)
{
    static const struct {
        double mu, turns, h;
    } of[] = {{0.1, 0.5, 1e-3}, {0.3, 1.0, 1e-3}, {0.3, 1.0, 1e-4}, {0.3, 2.0, 1e-3}};
    for (int i = 0; i < 4; i++) {
        Capstan c = draw(POSITION, of[i].mu, of[i].turns, 1e5, of[i].h, 0.2);
        CHECK_NEAR(c.mean / c.ratio, 1.0, 0.02);
        CHECK(c.most <= 1.1 * c.mean && c.least >= 0.9 * c.mean);
    }
}

// Without any damping: the waves of the first jerk run to and fro in the rope, so that the mean alone is
// Coulomb's. One turn with mu 0.3 is a hard case: contacts in the middles of elements are 23 % low here.
TEST(explicit_ropes_have_the_capstan_ratio_at_any_step)
{
    static const double steps[] = {1e-5, 2e-5, 5e-5};
    for (int i = 0; i < 3; i++) {
        Capstan c = draw(EXTENSIBLE, 0.3, 1.0, 1e3, steps[i], 0.1);
        CHECK_NEAR(c.mean / c.ratio, 1.0, 0.02);
    }
    Capstan c = draw(INEXTENSIBLE, 0.3, 1.0, 1e3, 3e-4, 0.16);
    CHECK_NEAR(c.mean / c.ratio, 1.0, 0.02);
}

// ---- rest

// A rubber rod is turned five times at its sliding end and winds around itself. Eight seconds later nothing
// moves. Motions are read from positions: 1e-12 of the elastic energy is 13 micrometres a second for 1 kg.
TEST(an_explicit_plectoneme_comes_to_rest)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = rod_def(EXTENSIBLE);
    def.material.young = 1e6, def.material.poisson = 0.5, def.material.density = 509.2958;
    def.material.twist_modulus = 2e6 / 3.0;
    def.section = cord_section_disc(0.025);
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 51);
    CordRodId rod = add_rod(world, &def);
    touch_with(world, 0.0);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    CordMotion turn = cord_motion_rotate((CordVec3){1, 0, 0}, 10.0 * pi, 0.0, 1.5);
    CordClampDef end = clamp_def(rod, cord_at_end(), CORD_FIX_FRAME);
    end.slides = true, end.axis = (CordVec3){1, 0, 0}, end.motions = &turn, end.motion_count = 1;
    add_clamp(world, &end);
    add_drag(world, rod, 60.0);
    CordLoadDef aside = cord_load_def_default();
    aside.kind = CORD_LOAD_FORCE, aside.rod = rod, aside.at = cord_at_node(25);
    aside.force = (CordVec3){0, 0, -0.01}, aside.to = 1.0;
    add_load(world, &aside);
    double h = 0.5 * cord_world_step_advice(world).step, kinetic = 0.0;
    run_many(world, h, (int)(9.5 / h));
    CordVec3 before[51], after[51];
    CHECK_OK(cord_rod_positions(world, rod, before));
    run(world, h, 1);
    CHECK_OK(cord_rod_positions(world, rod, after));
    for (int i = 0; i < 51; i++) {
        CordVec3 v = times(minus(after[i], before[i]), 1.0 / h);
        kinetic += 0.5 * (1.0 / 50.0) * dot(v, v);
    }
    print_message("    %d contacts; kinetic energy %.1g of %.3g J\n", cord_world_contact_count(world),
                  kinetic, elastic_energy(world, rod));
    CHECK(cord_world_contact_count(world) > 20);
    CHECK(kinetic < 1e-12 * elastic_energy(world, rod));
    cord_world_destroy(world);
}

TEST_GROUP(contact_coulomb)
