// What rods do in motion, against mechanics: forces and energies, what is kept, the order of the error, and
// the longest stable step.
#include "claims.h"

// ---- gradient

// A rod whose section varies from edge to edge, curved and twisted at rest, with every node moved at random.
static Tumbler make_crooked(const Subject* s, bool closed, uint64_t seed)
{
    CordVec3 x[TUMBLER_NODES], rest[TUMBLER_NODES];
    CordStiffness along[TUMBLER_NODES];
    CordRodDef def = tumbler_def(s, closed, x);
    Tumbler t = {.world = new_weightless_world()};
    for (int i = 0; i < TUMBLER_NODES; i++) {
        CordStiffness k = cord_stiffness_unset();
        rest[i] = plus(x[i], random_vec3(&seed, 0.01));
        x[i] = plus(x[i], random_vec3(&seed, 0.01));
        k.EI1 = 2e-3 * random_in(&seed, 0.5, 1.5), k.EI2 = 2e-3 * random_in(&seed, 2.0, 6.0);
        k.EI12 = 2e-3 * random_in(&seed, -0.6, 0.6), k.GJ = 3e-3 * random_in(&seed, 0.5, 1.5);
        k.EA = 50.0 * random_in(&seed, 0.5, 1.5), k.mass_per_length = 0.1 * random_in(&seed, 0.5, 1.5);
        along[i] = k;
    }
    // edges that do not stretch have their rest length
    def.rest = s->inextensible ? CORD_REST_STRAIGHT : CORD_REST_SHAPE;
    def.rest_shape = cord_shape_points(rest, TUMBLER_NODES);
    def.stiffnesses = along, def.along_count = closed ? TUMBLER_NODES : TUMBLER_NODES - 1;
    def.m1 = random_vec3(&seed, 1.0), def.rest_twist = random_in(&seed, -1.0, 1.0);
    def.twist = closed ? (s->adaptive ? 2.0 * pi : 1.0) : // adaptive rings have whole turns
                    random_in(&seed, -1.0, 1.0);
    def.velocity = def.spin = (CordVec3){0, 0, 0};
    t.rod = add_rod(t.world, &def);
    if (!closed) {
        hold(t.world, t.rod, cord_at_start(), CORD_FIX_FRAME);
        hold(t.world, t.rod, cord_at_end(), CORD_FIX_FRAME);
    }
    return t;
}

// The energy of a rod whose node was moved from a saved state.
static double energy_moved(const Tumbler* t, const Saved* from, int node, int axis, double by)
{
    CordVec3 x[TUMBLER_NODES];
    restore(t->world, from);
    CHECK_OK(cord_rod_positions(t->world, t->rod, x));
    *(axis == 0 ? &x[node].x : axis == 1 ? &x[node].y : &x[node].z) += by;
    CHECK_OK(cord_rod_set_positions(t->world, t->rod, x));
    return elastic_energy(t->world, t->rod);
}

static double slope(const Tumbler* t, const Saved* from, int node, int axis) // of fourth order
{
    const double far = 1e-5;
    double inner = energy_moved(t, from, node, axis, far) - energy_moved(t, from, node, axis, -far);
    double outer = energy_moved(t, from, node, axis, 2 * far) - energy_moved(t, from, node, axis, -2 * far);
    return (8.0 * inner - outer) / (12.0 * far);
}

// Forces are minus the gradient of the energy. Frames are in equilibrium or are carried along, and so add
// nothing to first order.
static void gradient(const Subject* s)
{
    for (int i = 0; i < 6; i++) {
        bool closed = i % 2;
        Tumbler t = i < 4 ? make_crooked(s, closed, (uint64_t)i + 1)
                          : make_tumbler(s, closed ? ROUND_RING : ROUND_OPEN, (CordVec3){0, 0, 0});
        CordVec3 f[TUMBLER_NODES];
        double most = 0.0, worst = 0.0;
        run(t.world, 1e-6, 1); // frames into equilibrium
        Saved from = save(t.world);
        CHECK_OK(cord_rod_forces(t.world, t.rod, f));
        for (int n = 2; n < TUMBLER_NODES - 2; n++) { // which no clamp holds
            CordVec3 dE = {slope(&t, &from, n, 0), slope(&t, &from, n, 1), slope(&t, &from, n, 2)};
            most = fmax(most, size_of(f[n])), worst = fmax(worst, size_of(plus(f[n], dE)));
        }
        print_message("    %s: forces up to %.3g N, off by %.2g of it\n", closed ? "ring" : "clamped", most,
                      worst / most);
        CHECK(most > 1e-2);
        CHECK(worst <= 1e-8 * most);
        drop_saved(&from);
        cord_world_destroy(t.world);
    }
}

// ---- what a free rod keeps

typedef struct Drift {
    int steps;              // of the run
    double linear, angular; // most that a momentum changes over it, relative to what there is
} Drift;

// Explicit steps add forces that cancel in pairs, to round-off. Implicit ones take velocities from positions
// of more than a metre, whose round-off is over a step of milliseconds. Sweeps, fast projection and Newton's
// method for orientations leave a residual. Each limit is at least twice the largest value measured of its
// kind.
static Drift allowed_drift(const Subject* s)
{
    bool position = s->model == CORD_MODEL_PBD, fast = s->length_method == CORD_LENGTH_FAST_PROJECTION;
    bool newton = s->model == CORD_MODEL_CORDE && s->orientations == CORD_ORIENTATIONS_QUASISTATIC;
    if (subject_is_implicit(s)) {
        return (Drift){1000, 5e-12, 2e-11};
    }
    if (position && s->method == CORD_PBD_SWEEPS) {
        return (Drift){1000, 2e-11, 2e-11};
    }
    return (Drift){10000, fast ? 2e-11 : 1e-13, newton ? 1e-10 : position ? 5e-12 : 1e-12};
}

static void momentum(const Subject* s)
{
    Drift allowed = allowed_drift(s);
    for (Form form = 0; form < FORMS; form++) {
        Tumbler t = make_tumbler(s, form, (CordVec3){0, 0, 0});
        run(t.world, s->step, 1); // frames into equilibrium
        CordMomentum before = cord_rod_momentum(t.world, t.rod);
        double scale = sqrt(2.0 * cord_rod_mass(t.world, t.rod) * cord_rod_energy(t.world, t.rod).kinetic);
        run_many(t.world, s->step, allowed.steps);
        CordMomentum after = cord_rod_momentum(t.world, t.rod);
        double linear = size_of(minus(after.linear, before.linear)) / scale;
        double angular = size_of(minus(after.angular, before.angular)) / size_of(before.angular);
        print_message("    %s: linear off by %.2g, angular by %.2g\n", form_names[form], linear, angular);
        CHECK_NEAR(linear, 0.0, allowed.linear);
        if (subject_traits(s) & KEEPS_ANGULAR) {
            CHECK_NEAR(angular, 0.0, allowed.angular);
        }
        cord_world_destroy(t.world);
    }
}

// Gravity is a constant force, which every integrator follows exactly: v to v + h g, and x by the mean of
// both velocities, or by the later one at first order.
static void parabola(const Subject* s)
{
    const CordVec3 g = {1.0, -2.0, -9.81};
    bool fast = s->length_method == CORD_LENGTH_FAST_PROJECTION;
    bool residual = fast || !(subject_traits(s) & IS_SOLVED); // which grows with the number of steps
    double close = residual ? 1e-11 : 1e-12;                  // else the round-off of all steps
    for (Form form = 0; form < FORMS; form++) {
        Tumbler t = make_tumbler(s, form, g);
        CordMomentum m = cord_rod_momentum(t.world, t.rod);
        double h = 0.5 * s->step, mass = cord_rod_mass(t.world, t.rod), lag = subject_order(s) == 1 ? h : 0.0;
        run_many(t.world, h, subject_traits(s) & IS_EXPLICIT ? 10000 : 500);
        CHECK_INT(cord_world_retries(t.world), 0); // half a step falls less far
        double time = cord_world_time(t.world);
        CordVec3 right =
            plus(m.center, plus(times(m.linear, time / mass), times(g, 0.5 * time * (time + lag))));
        CordMomentum after = cord_rod_momentum(t.world, t.rod);
        CHECK_VEC3(after.center, right, close * (1.0 + size_of(right)));
        CHECK_VEC3(after.linear, plus(m.linear, times(g, mass * time)), close * mass * 9.81 * time);
        cord_world_destroy(t.world);
    }
}

static double energy_error(const Subject* s, Form form, double h, int steps, double* rise)
{
    Tumbler t = make_tumbler(s, form, (CordVec3){0, 0, 0});
    run(t.world, 1e-7, 1); // frames into equilibrium
    double start = total_energy(t.world, t.rod), most = 0.0;
    *rise = -INFINITY;
    for (int i = 0; i < steps; i++) {
        double before = total_energy(t.world, t.rod);
        run(t.world, h, 1);
        double now = total_energy(t.world, t.rod);
        most = fmax(most, fabs(now - start)), *rise = fmax(*rise, now - before);
    }
    cord_world_destroy(t.world);
    *rise /= start;
    return most / start;
}

// The error of the energy goes with the order of the integrator. Waves of stretching that backward Euler does
// not resolve are damped at any step, so that the order of its loss is less than one.
static void energy(const Subject* s)
{
    double h = fmin(s->step, s->dynamic_twist ? 3e-4 : 2e-4);
    int steps = (int)(0.03 / h + 0.5);
    for (Form form = 0; form < FORMS; form++) {
        double rise[2];
        double coarse = energy_error(s, form, h, steps, &rise[0]);
        double fine = energy_error(s, form, 0.5 * h, 2 * steps, &rise[1]), order = log2(coarse / fine);
        print_message("    %s: energy off by %.2g, order %.2f, rise in a step %+.2g\n", form_names[form],
                      fine, order, rise[1]);
        if (subject_is_lossy(s)) {
            bool projects = s->length_method == CORD_LENGTH_FAST_PROJECTION;
            CHECK(fmax(rise[0], rise[1]) <
                  (projects ? 1e-5 : 1e-12)); // what bends a rod takes, and gives back
            CHECK(order > 0.5);
        } else {
            // with inertia, errors of nodes and frames partly cancel at this step
            CHECK_NEAR(order, subject_order(s), s->dynamic_twist ? 0.1 : 0.05);
            // the frames of a flat ring with inertia swing an order of magnitude faster than its nodes
            CHECK(fine < (s->dynamic_twist ? 4.5e-5 : subject_order(s) == 2 ? 2e-6 : 5e-4));
        }
    }
}

// Edges that do not stretch have their length after every step.
static void lengths(const Subject* s)
{
    for (Form form = 0; form < FORMS; form++) {
        Tumbler t = make_tumbler(s, form, (CordVec3){0, 0, -9.81});
        double most = 0.0;
        hold(t.world, t.rod, cord_at_start(), CORD_FIX_POSITION);
        for (int n = 0; n < 300; n++) {
            run(t.world, s->step, 1);
            most = fmax(most, cord_rod_stretch(t.world, t.rod));
        }
        print_message("    %s: stretched by %.2g\n", form_names[form], most);
        CHECK_NEAR(most, 0.0, s->length_method == CORD_LENGTH_FAST_PROJECTION ? 1e-9 : 1e-12);
        cord_world_destroy(t.world);
    }
}

// ---- order in time

enum { SWING_NODES = 11 };

typedef struct Swing {
    CordVec3 x[SWING_NODES], m1[SWING_NODES];
} Swing;

// Where a flat cantilever is that falls while its clamp is moved and turned, or a ring held at a node.
static void swing(const Subject* s, bool closed, int steps, Swing* at)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = subject_rod(s, SWING_NODES);
    CordMotion motions[] = {cord_motion_translate((CordVec3){0, 0.1, 0.05}, 0, 0.1),
                            cord_motion_rotate((CordVec3){1, 1, 0}, 1.0, 0, 0.1)};
    def.section = cord_section_rectangle(0.02, 0.014), def.twist = 0.0;
    def.adapt.refine_turn = 3.0, def.adapt.merge_time = 1e3; // it keeps its nodes
    if (closed) {
        def.shape = cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 0.2, SWING_NODES);
        def.closed = true;
    }
    CordRodId rod = add_rod(world, &def);
    motions[0].ease = motions[1].ease = CORD_EASE_SMOOTH;
    hold_moving(world, rod, cord_at_start(), closed ? CORD_FIX_POSITION : CORD_FIX_FRAME, motions, 2);
    run_many(world, 0.05 / steps, steps);
    CHECK_INT(cord_rod_node_count(world, rod), SWING_NODES);
    CHECK_OK(cord_rod_positions(world, rod, at->x));
    CHECK_OK(cord_rod_material_frames(world, rod, at->m1));
    cord_world_destroy(world);
}

static double order_of(const CordVec3* coarse, const CordVec3* fine, const CordVec3* finer, int count)
{
    double apart[2] = {0, 0};
    for (int i = 0; i < count; i++) {
        apart[0] = fmax(apart[0], size_of(minus(coarse[i], fine[i])));
        apart[1] = fmax(apart[1], size_of(minus(fine[i], finer[i])));
    }
    return log2(apart[0] / apart[1]);
}

static void order_in_time(const Subject* s)
{
    int steps = (int)(0.05 / fmin(s->step, 2e-4) + 0.5);
    for (int closed = 0; closed < 2; closed++) {
        Swing at[3];
        for (int k = 0; k < 3; k++) {
            swing(s, closed, steps << k, &at[k]);
        }
        double order = order_of(at[0].x, at[1].x, at[2].x, SWING_NODES);
        double turned = order_of(at[0].m1, at[1].m1, at[2].m1, SWING_NODES - 1);
        print_message("    %s: order %.2f, of frames %.2f\n", closed ? "ring" : "open", order, turned);
        CHECK_NEAR(turned, subject_order(s), 0.05);
        CHECK_NEAR(order, subject_order(s), 0.05);
    }
}

// ---- frequency

static const double first_root = 1.875104068711961; // of cosh(k) cos(k) = -1: a cantilever's first bending

static const double rotary = 1e-5; // inertia of a section, over mass per length and length squared

static double first_shape(double x)
{
    const double k = first_root, ratio = (cosh(k) + cos(k)) / (sinh(k) + sin(k));
    return cosh(k * x) - cos(k * x) - ratio * (sinh(k * x) - sin(k * x));
}

// Of a cantilever of unit length, EI and mass, which is thrown in the shape of its first mode: 2 pi over the
// time between passages of its tip through zero.
static double frequency(const Subject* s, int elements, double* h)
{
    CordVec3 x[64], v[64] = {{0, 0, 0}};
    CordWorld* world = new_weightless_world();
    CordRodDef def = subject_def(s);
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = def.stiffness.mass_per_length = 1.0;
    def.stiffness.EA = 1e4, def.stiffness.spin_inertia = 2.0 * rotary;
    def.stiffness.rotary1 = def.stiffness.rotary2 = rotary;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, elements + 1);
    def.half_edge_start = s->model != CORD_MODEL_MODAL, def.adapt.merge_time = 1e3;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    CHECK_OK(cord_rod_positions(world, rod, x));
    for (int i = 1; i <= elements; i++) {
        v[i].z = i == 1 && def.half_edge_start ? 0.0 : 1e-4 * first_shape(x[i].x);
    }
    CHECK_OK(cord_rod_set_velocities(world, rod, v));
    bool any = !(subject_traits(s) & IS_EXPLICIT);
    *h = any ? 2.0 * pi / (first_root * first_root) / 400.0 : 0.5 * cord_world_step_advice(world).step;
    double before = 0.0, first = NAN, last = NAN;
    for (int found = 0; found < 2;) {
        run(world, *h, 1);
        CHECK(cord_world_time(world) < 6.0);
        CHECK_OK(cord_rod_positions(world, rod, x));
        double z = x[elements].z;
        if (before > 0.0 && z <= 0.0) {
            last = cord_world_time(world) - *h * z / (z - before);
            first = found++ == 0 ? last : first;
        }
        before = z;
    }
    cord_world_destroy(world);
    return 2.0 * pi / (last - first);
}

// Frequency that exact elements would have in steps of h. Backward Euler turns exp(i omega h) into 1 / (1 - i
// omega h), the midpoint rule into (2 + i omega h) / (2 - i omega h). Orientations with inertia of their own
// slow it (Rayleigh).
static double frequency_of_steps(const Subject* s, double h)
{
    const double slope2 = 4.6477781; // integral of phi'^2 over that of phi^2, of the first clamped-free mode
    double omega = first_root * first_root;
    if (subject_is_lossy(s) && s->length_method != CORD_LENGTH_FAST_PROJECTION) {
        return atan(omega * h) / h;
    }
    if (s->integrator == CORD_INTEGRATOR_MIDPOINT) {
        return 2.0 * atan(0.5 * omega * h) / h;
    }
    return subject_traits(s) & OWN_DIRECTORS ? omega * (1.0 - 0.5 * slope2 * rotary) : omega;
}

static void frequency_in_theory(const Subject* s)
{
    double error[2];
    for (int k = 0; k < 2; k++) {
        double h = NAN, found = frequency(s, 20 << k, &h);
        error[k] = found / frequency_of_steps(s, h) - 1.0;
    }
    double order = log2(fabs(error[0] / error[1]));
    print_message("    off by %.2g with 40 elements, order %.2f\n", error[1], order);
    CHECK(fabs(error[1]) < 2e-4);       // 1.0e-4 to 1.6e-4 of the mesh, by the model
    if (s->model != CORD_MODEL_MODAL) { // its elements are of fourth order, and all but exact
        CHECK_NEAR(order, 2.0, 0.05);
    }
}

// ---- the longest step

// A straight rod, pushed at random and so slightly that it hardly leaves its place.
static bool is_stable(const Subject* s, double share, int steps)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = subject_rod(s, 21);
    CordVec3 v[21];
    uint64_t seed = 7;
    def.twist = 0.0;
    CordRodId rod = add_rod(world, &def);
    for (int i = 0; i < 21; i++) {
        v[i] = random_vec3(&seed, 1e-4);
        v[i].x *= s->inextensible ? 0.0 : 1.0;
    }
    CHECK_OK(cord_rod_set_velocities(world, rod, v));
    double h = share * cord_world_step_advice(world).step, start = total_energy(world, rod);
    bool stable = true;
    for (int i = 0; i < 50 && stable; i++) {
        stable =
            cord_world_step_many(world, h, steps / 50) == CORD_OK && total_energy(world, rod) < 4.0 * start;
    }
    cord_world_destroy(world);
    return stable;
}

static void limit(const Subject* s)
{
    CHECK(is_stable(s, 0.98, 5000));
    CHECK(!is_stable(s, 1.02, 5000));
}

static const Claim claims[] = {
    {.name = "gradient", .needs = IS_CHAIN, .bars = OWN_DIRECTORS, .run = gradient},
    {.name = "momentum", .needs = IS_CHAIN | IS_PHYSICAL, .run = momentum},
    // nodes that come and go move the centre of mass a little
    {.name = "parabola", .needs = IS_CHAIN | IS_PHYSICAL, .bars = IS_ADAPTIVE, .run = parabola},
    {.name = "energy", .needs = IS_CHAIN | IS_PHYSICAL, .bars = IS_ADAPTIVE, .run = energy},
    {.name = "lengths", .needs = IS_INEXTENSIBLE, .run = lengths},
    {.name = "order in time", .needs = IS_CHAIN | IS_PHYSICAL, .run = order_in_time},
    {.name = "frequency", .needs = IS_SOLVED, .run = frequency_in_theory},
    {.name = "limit", .needs = IS_EXPLICIT, .bars = IS_ADAPTIVE, .run = limit},
};

CLAIM_GROUP(motion)
