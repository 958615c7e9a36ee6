// Position-based rods in motion (xpbd): frequencies against theory whatever the steps and the iterations,
// what a free rod keeps, and der at the same steps.
#include "random.h"
#include "rods.h"

// Backward Euler turns exp(i omega h) into 1 / (1 - i omega h): what it makes of a frequency, omega (1 -
// (omega h)^2 / 3 + ...).
static double slowed(double omega, double h)
{
    return atan(omega * h) / h;
}

// ---- bending

typedef struct Setting {
    int steps; // to a period
    int iterations, substeps;
} Setting;

static double tip_aside(CordWorld* world, CordRodId rod)
{
    return tip_of(world, rod).y;
}

// Of a cantilever that is let go from the shape of that, bent so little that it does not know of its length.
static double bending_frequency(int elements, Setting set)
{
    CordVec3 x[MOST_NODES];
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(elements);
    def.model = CORD_MODEL_PBD, def.inextensible = false, def.half_edge_start = true;
    def.pbd.iterations = set.iterations, def.pbd.substeps = set.substeps;
    CordRodId rod = add_held(world, &def);
    CHECK_OK(cord_rod_positions(world, rod, x));
    for (int i = 2; i <= elements; i++) {
        x[i].y = -1e-3 * first_shape(x[i].x);
    }
    CHECK_OK(cord_rod_set_positions(world, rod, x));
    double period = period_of(world, rod, tip_aside, 2.0 * pi / first_bending / set.steps, 0, 3);
    cord_world_destroy(world);
    return 2.0 * pi / period;
}

static const Setting settings[] = {{40, 10, 1}, {80, 10, 1}, {160, 10, 1}, {400, 10, 1}, {40, 1, 1},
                                   {40, 2, 1},  {40, 5, 1},  {40, 2, 4},   {40, 5, 4},   {40, 10, 4}};

TEST(a_cantilever_bends_at_its_first_frequency_whatever_the_step)
{
    double first = NAN;
    print_message("    steps to a period  iterations  substeps   off by  of which backward Euler\n");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        Setting s = settings[i];
        double h = 2.0 * pi / first_bending / (s.steps * s.substeps), truth = slowed(first_bending, h);
        double found = bending_frequency(50, s);
        first = i == 0 ? found : first;
        print_message("    %17d %11d %9d %8.1e %10.1e\n", s.steps, s.iterations, s.substeps,
                      found / first_bending - 1.0, truth / first_bending - 1.0);
        CHECK_NEAR(found / first_bending, 1.0, 0.02);
        CHECK_NEAR(found / first, 1.0, 0.01);
        CHECK_NEAR(found / truth, 1.0, 2e-4); // the mesh, 6e-5, and passages between steps
    }
}

// ---- torsion

static double frame_angle(CordWorld* world, CordRodId rod) // of the first edge from the last
{
    CordVec3 m1[MOST_NODES];
    CHECK_OK(cord_rod_material_frames(world, rod, m1));
    return m1[0].z - m1[cord_rod_edge_count(world, rod) - 1].z;
}

// A free rod, evenly twisted and let go. Of its vibrations, n = 1, 3, 5 ... as 1/n^2, the faster ones shift
// passages until they are damped.
static double torsion_frequency(int steps, CordPbdMethod method, int iterations)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(50);
    def.model = CORD_MODEL_PBD, def.inextensible = false, def.stiffness.spin_inertia = 1.0;
    def.twist = 0.1, def.m1 = (CordVec3){0, 1, 0};
    def.pbd.method = method, def.pbd.iterations = iterations;
    CordRodId rod = add_rod(world, &def);
    double period = period_of(world, rod, frame_angle, 2.0 / steps, 0, 3);
    cord_world_destroy(world);
    return 2.0 * pi / period;
}

TEST(frames_turn_at_their_first_frequency) // pi sqrt(GJ / I L^2)
{
    const struct {
        int steps;
        CordPbdMethod method;
        int iterations;
    } ways[] = {{40, CORD_PBD_DIRECT, 2},  {40, CORD_PBD_DIRECT, 10},   {160, CORD_PBD_DIRECT, 10},
                {400, CORD_PBD_DIRECT, 1}, {160, CORD_PBD_SWEEPS, 200}, {1600, CORD_PBD_SWEEPS, 1}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        double found = torsion_frequency(ways[i].steps, ways[i].method, ways[i].iterations);
        print_message("    %d steps to a period, %s, %d iterations: off by %.1e\n", ways[i].steps,
                      ways[i].method == CORD_PBD_DIRECT ? "direct" : "sweeps", ways[i].iterations,
                      found / pi - 1.0);
        CHECK_NEAR(found / pi, 1.0, 0.02);
    }
}

// ---- what a free rod keeps

enum { NODES = 20, SEEDS = 30 };

// A flat rod of a metre or a ring, crumpled, twisted, and every node thrown; from rubber foam to rubber.
static CordWorld* thrown(uint64_t seed, CordPbdMethod method, int iterations, double spin_inertia,
                         CordRodId* rod)
{
    CordVec3 x[NODES], v[NODES], spinning[NODES];
    random_in(&seed, 0.0, 1.0), random_in(&seed, 0.0, 1.0); // away from small seeds
    CordWorld* world = new_weightless_world();
    CordRodDef def = cord_rod_def_default();
    double speed = random_in(&seed, 0.0, 10.0);
    def.closed = random_in(&seed, 0.0, 1.0) < 0.3;
    for (int i = 0; i < NODES; i++) {
        double a = 2.0 * pi * i / NODES;
        CordVec3 ring = {0.2 * cos(a), 0.2 * sin(a), 0}, line = {0.05 * i, 0, 0};
        x[i] = plus(def.closed ? ring : line, random_vec3(&seed, 0.02)), v[i] = random_vec3(&seed, speed);
    }
    def.model = CORD_MODEL_PBD, def.pbd.method = method, def.pbd.iterations = iterations;
    def.shape = cord_shape_points(x, NODES), def.rest = CORD_REST_STRAIGHT;
    def.section = cord_section_rectangle(0.03, 0.015), def.stiffness.spin_inertia = spin_inertia;
    def.material.young = exp(random_in(&seed, log(1e3), log(1e9)));
    def.twist = random_in(&seed, -10.0, 10.0), def.spin = random_vec3(&seed, 20.0);
    *rod = add_rod(world, &def);
    CHECK_OK(cord_rod_velocities(world, *rod, spinning));
    for (int i = 0; i < NODES; i++) {
        v[i] = plus(v[i], spinning[i]);
    }
    CHECK_OK(cord_rod_set_velocities(world, *rod, v));
    return world;
}

typedef struct Kept { // the worst of all seeds and steps
    double linear;    // change of momentum, over the sum of all sizes
    double growth;    // of energy, in a step
    double above;     // energy over that at the start, less 1
    double bound;     // E' + m (v' - v)^2 / 2 over E + m v^2 / 2, less 1
} Kept;

static void watch(CordWorld* world, CordRodId rod, double h, Kept* worst)
{
    double mass[NODES], sizes = 0.0, start = total_energy(world, rod), before = start;
    CordVec3 v[NODES], old[NODES], linear = cord_rod_momentum(world, rod).linear;
    CHECK_OK(cord_rod_masses(world, rod, mass));
    CHECK_OK(cord_rod_velocities(world, rod, v));
    for (int i = 0; i < NODES; i++) {
        sizes += mass[i] * size_of(v[i]);
    }
    for (int n = 0; n < 30; n++) {
        memcpy(old, v, sizeof v);
        run_many(world, h, 1);
        CHECK_OK(cord_rod_velocities(world, rod, v));
        CordEnergy e = cord_rod_energy(world, rod);
        double now = total_energy(world, rod), left = e.bend + e.twist + e.stretch;
        for (int i = 0; i < NODES; i++) {
            left += 0.5 * mass[i] * dot(minus(v[i], old[i]), minus(v[i], old[i]));
        }
        worst->linear =
            fmax(worst->linear, size_of(minus(cord_rod_momentum(world, rod).linear, linear)) / sizes);
        worst->growth = fmax(worst->growth, now / before - 1.0);
        worst->above = fmax(worst->above, now / start - 1.0);
        worst->bound = fmax(worst->bound, left / before - 1.0);
        before = now;
    }
}

static Kept kept_by(CordPbdMethod method, int iterations, double h)
{
    Kept worst = {.growth = -INFINITY, .above = -INFINITY, .bound = -INFINITY};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        CordRodId rod;
        CordWorld* world = thrown(seed, method, iterations, NAN, &rod);
        watch(world, rod, h, &worst);
        cord_world_destroy(world);
    }
    return worst;
}

TEST(a_free_rod_keeps_its_linear_momentum_whatever_the_iterations)
{
    const struct {
        CordPbdMethod method;
        int iterations;
    } ways[] = {{CORD_PBD_DIRECT, 1}, {CORD_PBD_DIRECT, 2},  {CORD_PBD_DIRECT, 10},
                {CORD_PBD_SWEEPS, 1}, {CORD_PBD_SWEEPS, 20}, {CORD_PBD_SWEEPS, 100}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        for (int k = 0; k < 2; k++) {
            Kept kept = kept_by(ways[i].method, ways[i].iterations, k ? 1e-3 : 1e-2);
            CHECK_NEAR(kept.linear, 0.0, 1e-12); // round-off
        }
    }
}

// A step of the direct solver ends at a place of less energy than where it starts, or would have stayed: E' +
// m (v' - v)^2 / 2 <= E + m v^2 / 2, however few its iterations. So nothing blows up. Energy itself can grow
// in a step, where E is not convex: crumpled soft rods do, by less than a hundredth if iterations come to
// their end, and by 0.3 after a single one of 0.01 s.
TEST(the_energy_of_a_free_rod_is_bounded)
{
    const int iterations[] = {1, 2, 10, 100};
    for (int i = 0; i < 4; i++) {
        for (double h = 1e-2; h > 5e-5; h *= 0.1) {
            Kept kept = kept_by(CORD_PBD_DIRECT, iterations[i], h);
            print_message("    %d iterations, steps of %g s: energy in a step %+.1e, since the start %+.1e, "
                          "bound %+.1e\n",
                          iterations[i], h, kept.growth, kept.above, kept.bound);
            CHECK(kept.bound < 1e-9); // round-off of sums
            CHECK(iterations[i] < 10 || (kept.growth < 0.01 && kept.above < 0.01));
        }
    }
}

// In a thick rod of short elements the spin of frames turns edges by many radians in a step; the forces of
// this do no work.
TEST(frames_that_spin_fast_add_no_energy)
{
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = cord_rod_def_default();
        def.model = CORD_MODEL_PBD, def.dynamic_twist = true, def.closed = i % 2 == 1;
        def.section = cord_section_disc(0.002);
        def.shape = def.closed
                        ? cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 0.02, 120)
                        : cord_shape_helix((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 0.003, 0.002, 1.0, 41);
        def.spin = (CordVec3){i < 2 ? 300.0 : 3000.0, 100.0, 0.0};
        CordRodId rod = add_rod(world, &def);
        double energy = total_energy(world, rod);
        for (int n = 0; n < 100; n++) {
            run_many(world, 2e-4, 1);
            CHECK(total_energy(world, rod) <= 1.01 * energy); // as above
        }
        cord_world_destroy(world);
    }
}

// A thick rod that tumbles and spins about its own axis is a symmetric top: its angular momentum stays, and
// its energy is off by no more than the fourth power of the step, and does not grow.
TEST(a_rod_that_tumbles_and_spins_is_a_top)
{
    for (double h = 1e-2; h > 5e-4; h *= 0.3) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = cord_rod_def_default();
        def.model = CORD_MODEL_PBD, def.dynamic_twist = true;
        def.section = cord_section_disc(0.02), def.material.young = 1e9;
        def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){0.2, 0, 0}, 11);
        def.spin = (CordVec3){30.0, 10.0, 0.0};
        CordRodId rod = add_rod(world, &def);
        CordVec3 start = cord_rod_momentum(world, rod).angular;
        double energy = total_energy(world, rod), most = 0.0;
        for (int n = 0; n < 1000; n++) {
            run_many(world, h, 1);
            most = fmax(most, fabs(total_energy(world, rod) / energy - 1.0));
        }
        double change = size_of(minus(cord_rod_momentum(world, rod).angular, start)) / size_of(start);
        print_message("    steps of %g s: energy off by %.1e, angular momentum by %.1e\n", h, most, change);
        CHECK(most < 1e-2 * pow(h / 1e-2, 4.0));
        CHECK_NEAR(change, 0.0, 1e-10);
        cord_world_destroy(world);
    }
}

// The worst of a thousand steps: change of angular momentum, over what it was.
static double angular_change(CordWorld* world, CordRodId rod, double h)
{
    CordVec3 start = cord_rod_momentum(world, rod).angular;
    double worst = 0.0, energy = total_energy(world, rod);
    for (int n = 0; n < 1000; n++) {
        run_many(world, h, 1);
        CHECK(total_energy(world, rod) <= 1.01 * energy); // what is given back to a spin is not made
        worst = fmax(worst, size_of(minus(cord_rod_momentum(world, rod).angular, start)) / size_of(start));
    }
    return worst;
}

// A stiff or soft rod, straight, or a coil, or a ring, that spins about no axis of its own, half a turn in
// nine steps of 0.03 s.
static CordWorld* spinning(int kind, CordRodId* rod)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = cord_rod_def_default();
    const CordVec3 start = {0, 0, 0}, axis = {1, 0, 0};
    def.model = CORD_MODEL_PBD, def.section = cord_section_rectangle(0.01, 0.02);
    def.material.young = kind / 3 ? 1e9 : 1e8, def.spin = (CordVec3){3.0, 10.0, 5.0};
    def.closed = kind % 3 == 2;
    def.shape = kind % 3 == 0   ? cord_shape_line(start, axis, 21)
                : kind % 3 == 1 ? cord_shape_helix(start, axis, 0.1, 0.2, 2.0, 41)
                                : cord_shape_circle(start, axis, 0.3, 30);
    *rod = add_rod(world, &def);
    return world;
}

// What backward Euler loses is given back at the end of every step.
TEST(a_free_rod_keeps_its_angular_momentum)
{
    for (int i = 0; i < 12; i++) {
        CordRodId rod;
        CordWorld* world = spinning(i % 6, &rod);
        double change = angular_change(world, rod, i / 6 ? 1e-3 : 3e-2);
        print_message("    %s, E = %s, steps of %g s: off by %.1e\n",
                      (const char*[]){"straight", "a coil", "a ring"}[i % 3], i / 3 % 2 ? "1 GPa" : "0.1 GPa",
                      i / 6 ? 1e-3 : 3e-2, change);
        CHECK_NEAR(change, 0.0, 1e-10); // round-off of positions over a step, a thousand times
        cord_world_destroy(world);
    }
}

// So do rods that are crumpled and thrown, of all stiffnesses.
TEST(a_thrown_rod_keeps_its_angular_momentum)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        CordRodId rod;
        CordWorld* world = thrown(seed, CORD_PBD_DIRECT, 24, NAN, &rod);
        CHECK_NEAR(angular_change(world, rod, 1e-3), 0.0, 1e-9); // round-off, of slow spins of fast nodes
        cord_world_destroy(world);
    }
}

static const double free_frequency = 22.37328544806; // of a free beam, times sqrt(EI / mu L^4): 4.730041^2

// Straight, and at the speed of its first vibration; it spins across the plane of that, too, too slowly to
// get stiffer by it (1e-6).
static CordWorld* free_beam(double spin, CordRodId* rod)
{
    const double k = 4.730040744862704, ratio = (cosh(k) - cos(k)) / (sinh(k) - sin(k));
    CordVec3 v[MOST_NODES];
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(50);
    def.model = CORD_MODEL_PBD, def.inextensible = false;
    *rod = add_rod(world, &def);
    for (int i = 0; i <= 50; i++) {
        double x = 0.02 * i;
        double shape = cosh(k * x) + cos(k * x) - ratio * (sinh(k * x) + sin(k * x));
        v[i] = (CordVec3){0, 1e-3 * shape, spin * (x - 0.5)};
    }
    CHECK_OK(cord_rod_set_velocities(world, *rod, v));
    return world;
}

static double bow(CordWorld* world, CordRodId rod) // of the middle from the ends
{
    return node_of(world, rod, 25).y - 0.5 * (node_of(world, rod, 0).y + node_of(world, rod, 50).y);
}

// Given back to what turns, momentum is not taken from what vibrates: frequency and damping are those of
// backward Euler, whether it spins or not.
TEST(a_rod_that_spins_vibrates_as_one_that_does_not)
{
    const double h = 2.0 * pi / free_frequency / 200.0, spins[] = {0.0, 0.02};
    for (int i = 0; i < 2; i++) {
        CordRodId rod;
        CordWorld* world = free_beam(spins[i], &rod);
        double period = period_of(world, rod, bow, h, 0, 2), most[2] = {0.0, 0.0};
        for (int n = 0; n < 400; n++) {
            run_many(world, h, 1);
            most[n / 200] = fmax(most[n / 200], fabs(bow(world, rod)));
        }
        double decay = pow(1.0 + free_frequency * free_frequency * h * h, -100.0);
        print_message("    spins with %g rad/s: frequency off by %.1e, what a period leaves by %.1e\n",
                      spins[i], 2.0 * pi / period / slowed(free_frequency, h) - 1.0,
                      most[1] / most[0] / decay - 1.0);
        CHECK_NEAR(2.0 * pi / period / slowed(free_frequency, h), 1.0, 2e-3); // the mesh: 1.6e-3
        CHECK_NEAR(most[1] / most[0] / decay, 1.0, 5e-3);                     // where a step meets the crest
        cord_world_destroy(world);
    }
}

// ---- steps that are long

typedef enum Hung { ON_ITS_FIRST_NODE, BETWEEN_PINS, RING_ON_A_PIN, HUNGS } Hung;

static const char* const hung_names[] = {"held at one end", "an arc between pins", "a ring on a pin"};

// An arc of a metre over a chord of half a metre: R sin a = 1/4 where 2 a R = 1.
static CordVec3 on_arc(double s)
{
    const double half = 1.8954942670339809, R = 0.5 / half;
    double angle = half * (2.0 * s - 1.0);
    return (CordVec3){R * sin(angle), R * (cos(angle) - cos(half)), 0};
}

// A rope of a metre, straight at rest, is let go on the level. Where it is after each of `steps` steps;
// iterations 0: as many as is usual. Returns whether they always did.
static bool let_go(Hung hung, int elements, double h, int steps, int iterations, CordVec3* x)
{
    CordVec3 shape[201];
    int nodes = hung == RING_ON_A_PIN ? elements : elements + 1;
    for (int i = 0; i < nodes; i++) {
        double s = (double)i / elements, a = 2.0 * pi * s;
        shape[i] = hung == ON_ITS_FIRST_NODE ? (CordVec3){s, 0, 0}
                   : hung == BETWEEN_PINS    ? on_arc(s)
                                             : (CordVec3){cos(a) / (2.0 * pi), sin(a) / (2.0 * pi), 0};
    }
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = cord_rod_def_default();
    def.model = CORD_MODEL_PBD, def.inextensible = true, def.section = cord_section_disc(3e-3);
    def.material.young = 1e6, def.material.density = 1000.0;
    def.shape = cord_shape_points(shape, nodes), def.rest = CORD_REST_STRAIGHT,
    def.closed = hung == RING_ON_A_PIN;
    def.pbd.iterations = iterations, def.pbd.tolerance = iterations > 0 ? 1e-10 : def.pbd.tolerance;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    if (hung == BETWEEN_PINS) {
        hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
    }
    for (int n = 0; n < steps; n++) {
        run_many(world, h, 1);
        CHECK_OK(cord_rod_positions(world, rod, x + n * nodes));
    }
    bool did = cord_world_step_report(world).unfinished_in_all == 0;
    cord_world_destroy(world);
    return did;
}

// Against the same steps, solved to the end: iterations do not run out because edges that turn get longer,
// nor because lengths tell tensions that are not there.
TEST(inextensible_ropes_fall_as_fast_as_they_should_in_steps_of_any_length)
{
    static CordVec3 is[30 * 201], right[30 * 201];
    const int elements[] = {10, 50, 200};
    const double h[] = {0.1, 1.0 / 30.0, 1.0 / 60.0};
    for (int i = 0; i < 9 * HUNGS; i++) {
        Hung hung = (Hung)(i / 9);
        int n = elements[i / 3 % 3], steps = (int)lround(0.5 / h[i % 3]),
            nodes = hung == RING_ON_A_PIN ? n : n + 1;
        CHECK(let_go(hung, n, h[i % 3], steps, 0, is));
        let_go(hung, n, h[i % 3], steps, 3000, right);
        double worst = 0.0, lowest = 0.0;
        for (int k = 0; k < steps * nodes; k++) {
            worst = fmax(worst, size_of(minus(is[k], right[k])));
            lowest = fmin(lowest, is[k].z);
        }
        print_message("    %s, %d elements, steps of %.4f s: off by %.1e m, lowest at %.4f m\n",
                      hung_names[hung], n, h[i % 3], worst, lowest);
        CHECK_NEAR(worst, 0.0, 1e-5); // the tolerance is 1e-5 of an edge, in each of the steps
        CHECK(lowest < (hung == ON_ITS_FIRST_NODE ? -0.9 : -0.3));
    }
}

// ---- der

// A rod of two bending stiffnesses falls from the level about its clamped end, for half a second. In space:
// it is thrown to the side, too, and twisted.
static void swing(CordModel model, int elements, bool in_space, CordVec3* x)
{
    CordWorld* world = new_world((CordVec3){0, 0, -20.0});
    CordRodDef def = unit_rod(elements);
    def.model = model,
    def.integrator = model == CORD_MODEL_DER ? CORD_INTEGRATOR_BACKWARD_EULER : def.integrator;
    def.dynamic_twist = true, def.inextensible = false, def.half_edge_start = true;
    def.stiffness.spin_inertia = 1e-3, def.stiffness.EI2 = 3.0;
    def.twist = in_space ? 1.0 : 0.0, def.velocity = (CordVec3){0, in_space ? 2.0 : 0.0, 0};
    def.m1 = (CordVec3){0, 1, in_space ? 0.5 : 0.0};
    def.pbd.tolerance = 1e-10, def.pbd.iterations = 50;
    CordRodId rod = add_held(world, &def);
    run_many(world, 2e-3, 250);
    CHECK_OK(cord_rod_positions(world, rod, x));
    cord_world_destroy(world);
}

static double apart(int elements, bool in_space)
{
    CordVec3 a[MOST_NODES], b[MOST_NODES];
    double most = 0.0;
    swing(CORD_MODEL_DER, elements, in_space, a);
    swing(CORD_MODEL_PBD, elements, in_space, b);
    for (int i = 0; i <= elements; i++) {
        most = fmax(most, size_of(minus(a[i], b[i])));
    }
    return most;
}

// Backward Euler of both. In a plane the two have the same energy, and positions differ by what iterations
// leave; in space, by the square of an element.
TEST(der_and_pbd_move_alike)
{
    double plane = apart(20, false), coarse = apart(20, true), fine = apart(40, true);
    print_message("    in a plane %.1e m apart, in space %.1e m with 20 elements, %.1e m with 40\n", plane,
                  coarse, fine);
    CHECK_NEAR(plane, 0.0, 1e-8);
    CHECK_NEAR(fine, 0.0, 2e-3);
    CHECK_NEAR(log2(coarse / fine), 2.0, 0.2);
}

TEST_GROUP(pbd_motion)
