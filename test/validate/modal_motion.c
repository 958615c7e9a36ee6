// Modal rods in motion: free vibration to round-off, stability at any step whatever pulls at them, and
// velocities.
#include "modals.h"
#include "random.h"

// ---- free vibration

// One mode by itself, without damping, for 10,000 steps of h: how far it is from q cos(omega t), over q. The
// phase is known to as many digits as omega t has.
static double vibration_error(double h, int mode, double amplitude)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = rubber_def(31, 8);
    CordRodId rod = add_held(world, &def);
    double q[16] = {0}, rate[16] = {0}, worst = 0.0, omega = omega_of(world, rod, mode);
    CHECK(mode_count(world, rod) <= 16);
    q[mode] = amplitude;
    CHECK_OK(cord_rod_set_amplitudes(world, rod, q, rate));
    for (int n = 1; n <= 100; n++) {
        run_many(world, h, 100);
        CHECK_OK(cord_rod_amplitudes(world, rod, q, rate));
        double angle = omega * h * 100 * n;
        worst = fmax(worst, fabs(q[mode] - amplitude * cos(angle)) / amplitude);
        worst = fmax(worst, fabs(rate[mode] + amplitude * omega * sin(angle)) / (amplitude * omega));
        CHECK_NEAR(hypot(q[mode], rate[mode] / omega) / amplitude, 1.0, 1e-10); // 1e4 steps of round-off
        for (int k = 0; k < mode_count(world, rod); k++) {
            CHECK(k == mode || q[k] == 0.0); // no other mode takes part
        }
    }
    cord_world_destroy(world);
    return worst;
}

VALIDATE(a_mode_vibrates_on_and_on_at_any_step, .source = "q cos(omega t), 10,000 steps", .tolerance = 1e-9)
{
    const double steps[] = {1e-5, 1e-3, 1.0 / 30, 1.0}; // omega h up to 12 and, of the last mode, 1,900
    double worst = 0.0;
    for (int i = 0; i < 4; i++) {
        for (int mode = 0; mode < 9; mode += 4) {
            double error = vibration_error(steps[i], mode, 1e-3);
            worst = fmax(worst, error);
        }
    }
    return worst;
}

// Ratios of damping, each mode its own, and Rayleigh's: from one crest to the next.
TEST(damping_is_what_is_asked_for)
{
    const double ratios[] = {0.01, 0.02, 0.03, 0.04};
    CordWorld* world = new_weightless_world();
    CordRodDef def = rubber_def(31, 6);
    def.modal.damping_ratios = ratios, def.modal.damping_ratio_count = 4;
    def.modal.damping_ratio = 0.05, def.modal.mass_damping = 0.2, def.damping_time = 1e-5;
    CordRodId rod = add_held(world, &def);
    double q[16] = {0}, rate[16] = {0};
    CHECK_INT(mode_count(world, rod), 6);
    for (int k = 0; k < 6; k++) {
        CordMode m;
        CHECK_OK(cord_rod_mode(world, rod, k, &m));
        double omega = sqrt(m.omega2), ratio = (k < 4 ? ratios[k] : 0.05) + 0.1 / omega + 0.5e-5 * omega;
        CHECK_NEAR(m.ratio, ratio, 1e-14);
        memset(q, 0, sizeof q), memset(rate, 0, sizeof rate);
        q[k] = 1e-3;
        CHECK_OK(cord_rod_set_amplitudes(world, rod, q, rate));
        double period = 2 * pi / (omega * sqrt(1 - ratio * ratio));
        run_many(world, period / 7, 7);
        CHECK_OK(cord_rod_amplitudes(world, rod, q, rate));
        CHECK_NEAR(q[k], 1e-3 * exp(-ratio * omega * period), 1e-16); // round-off of a few steps
        CHECK_NEAR(rate[k], 0.0, 1e-15 * omega);
    }
    cord_world_destroy(world);
}

// ---- stability

#define FRAME (1.0 / 30) // the paper's step [s]
#define MANY 250000

typedef struct Storm {
    CordWorld* world;
    CordRodId rod;
    CordClampId clamp;
    CordLoadId force[3];
    int modes;
} Storm;

static const double push = 0.5;      // of each force, in each direction [N]
static const double shift = 0.02;    // of the support [m]
static const double turn_most = 1.0; // likewise [rad]
static const double drag = 0.05;     // [N s/m^2]
static const double wind = 20.0;     // [m/s]

static Storm make_storm(double ratio, bool linear, bool airless)
{
    Storm s = {.world = new_world((CordVec3){0, 0, -9.8})};
    CordRodDef def = rubber_def(4, 4);
    def.modal.damping_ratio = ratio, def.modal.linear = linear;
    s.rod = add_rod(s.world, &def);
    s.clamp = hold(s.world, s.rod, cord_at_start(), CORD_FIX_FRAME);
    for (int i = 0; i < 3; i++) {
        s.force[i] = add_force(s.world, s.rod, cord_at_node(2 + i), (CordVec3){0, 0, 0});
    }
    CordLoadDef air = cord_load_def_default();
    air.kind = CORD_LOAD_DRAG, air.along = drag / 2, air.across = drag;
    air.wind = (CordWind){
        .velocity = {wind / 2, 0, 0}, .gust = 0.5, .period = 0.7, .vortex = wind / 4, .spacing = 0.1};
    if (!airless) {
        add_load(s.world, &air);
    }
    s.modes = mode_count(s.world, s.rod);
    return s;
}

// Forces on three nodes, another each step; now and then the support jerks, turns, or rests for a while.
static void blow(Storm* s, uint64_t* seed, int step)
{
    for (int i = 0; i < 3; i++) {
        CHECK_OK(cord_load_set_force(s->world, s->force[i], random_vec3(seed, push)));
    }
    if (step % 1000 < 700) { // the rest of the time it rests
        CordQuat q = cord_quat_about((CordVec3){0.3, -0.4, 0.8}, random_in(seed, -turn_most, turn_most));
        CHECK_OK(cord_clamp_move(s->world, s->clamp, random_vec3(seed, shift), q));
    }
    run(s->world, FRAME, 1);
}

// Most that can act on mode k, in units of its mass-normalised coordinate: each node's mass or force times
// how far the mode moves it.
static double most_force(const Storm* s, int k)
{
    double mass[8], speed = 2 * (2 * shift * sqrt(3.0) / FRAME), spin = 2 * turn_most / FRAME, sum = 0.0;
    CordVec3 u[8], w[8];
    int n = cord_rod_node_count(s->world, s->rod);
    CHECK_OK(cord_rod_masses(s->world, s->rod, mass));
    CHECK_OK(cord_rod_mode_shape(s->world, s->rod, k, u, w));
    // From velocities of up to `speed` and `spin` to their opposites in a step, and twice the length as the
    // greatest arm.
    double pull =
        9.8 + 2 * speed / FRAME + spin * speed + (2 * spin / FRAME + spin * spin) * 2 * RUBBER_LENGTH;
    double air = wind + speed + spin * 2 * RUBBER_LENGTH, element = RUBBER_LENGTH / (n - 1);
    for (int i = 0; i < n; i++) {
        // loads are of consistent mass: the turns of nodes and the neighbours count, too
        double moves = size_of(u[i]) + element * size_of(w[i]);
        sum += moves * (2 * mass[i] * pull + (i >= 2 ? sqrt(3.0) * push : 0.0) + drag * element * air);
    }
    return sum;
}

// The energy norm of all modes under forces of at most F in all: steps add h F each, and what is there fades
// by e^(-zeta omega h).
static double bound_of(const Storm* s, double ratio)
{
    double F = 0.0, slowest = omega_of(s->world, s->rod, 0);
    for (int k = 0; k < s->modes; k++) {
        F += most_force(s, k);
    }
    return FRAME * F / (1.0 - exp(-ratio * slowest * FRAME));
}

static double size_now(const Storm* s) // root of twice the energy
{
    double q[16], rate[16], sum = 0.0;
    CHECK_OK(cord_rod_amplitudes(s->world, s->rod, q, rate));
    for (int k = 0; k < s->modes; k++) {
        double omega = omega_of(s->world, s->rod, k);
        sum += rate[k] * rate[k] + omega * omega * q[k] * q[k];
    }
    return sqrt(sum);
}

// Bounded, and no larger in the second half of the time than in the first, but for luck.
static void weather(double ratio, bool linear, bool airless, int steps)
{
    Storm s = make_storm(ratio, linear, airless);
    uint64_t seed = (uint64_t)steps;
    double bound = bound_of(&s, ratio), most[2] = {0.0, 0.0};
    for (int i = 0; i < steps; i++) {
        blow(&s, &seed, i);
        int half = i >= steps / 2;
        most[half] = i % 16 == 0 ? fmax(most[half], size_now(&s)) : most[half];
    }
    CordVec3 tip = tip_of(s.world, s.rod);
    print_message("    %d steps, ratio %g%s: energy norm up to %.3g and %.3g, bound %.3g\n", steps, ratio,
                  airless ? ", no air" : "", most[0], most[1], bound);
    CHECK(most[0] < bound && most[1] < bound);
    CHECK(most[1] < 2.0 * most[0]);
    CHECK(isfinite(tip.x + tip.y + tip.z));
    cord_world_destroy(s.world);
}

TEST(many_random_steps_stay_bounded)
{
    weather(1e-3, false, false, MANY);
}

TEST(so_they_do_in_a_vacuum_without_warping_and_with_other_damping)
{
    weather(1e-3, false, true, MANY / 10);
    weather(1e-3, true, true, MANY / 10);
    weather(1e-3, true, false, MANY / 10);
    weather(1e-6, false, false, MANY / 10);
    weather(0.5, false, true, MANY / 10);
    weather(5.0, false, true, MANY / 10);
}

// Hardly damped, released under twice gravity: forces that turn with the rod, guessed for a step of a tenth
// of the swing, must not feed it.
TEST(a_rod_that_swings_far_comes_to_rest)
{
    CordWorld* world = new_world((CordVec3){0, 0, -19.6});
    CordRodDef def = rubber_def(31, 8);
    def.modal.damping_ratio = 1e-4;
    CordRodId rod = add_held(world, &def);
    double lowest[2] = {0, 0}, highest[2] = {-1, -1};
    for (int i = 0; i < 18000; i++) {
        run_many(world, FRAME, 1);
        double z = tip_of(world, rod).z;
        int late = i >= 15000;
        lowest[late] = fmin(lowest[late], z);
        highest[late] = fmax(highest[late], z);
    }
    print_message("    tip between %.4f and %.4f m, in the end %.4f and %.4f m\n", lowest[0], highest[0],
                  lowest[1], highest[1]);
    CHECK(highest[1] - lowest[1] < 0.5 * (highest[0] - lowest[0])); // e^(-1e-4 omega t), omega t = 18 x 500
    cord_world_destroy(world);
}

// Drag so strong that forces taken at the start of a step would blow up: h drag / mass from 1 to 10,000. No
// swing is larger than that without drag, and all come to rest where it is of no account.
TEST(drag_of_any_strength_is_stable)
{
    for (double strength = 1.0; strength < 2e4; strength *= 10.0) {
        CordWorld* world = new_world((CordVec3){0, 0, -0.098}); // small turns
        CordRodDef def = rubber_def(8, 6);
        def.modal.damping_ratio = 0.01;
        CordRodId rod = add_held(world, &def);
        CordLoadDef air = cord_load_def_default();
        air.kind = CORD_LOAD_DRAG, air.across = strength * rubber_mass() / FRAME,
        air.along = 0.5 * air.across;
        add_load(world, &air);
        double rest = rubber_mass() * 0.098 * pow(RUBBER_LENGTH, 4) / (8 * rubber_EI());
        for (int i = 0; i < 2000; i++) {
            run_many(world, FRAME, 1);
            double z = -tip_of(world, rod).z;
            CHECK(z > -0.01 * rest && z < 2.01 * rest);
        }
        cord_world_destroy(world);
    }
}

// ---- velocities

// Three rods in the wind, whose supports rest, turn, or turn and shake.
static CordWorld* busy_world(void)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordMotion motions[2] = {cord_motion_rotate((CordVec3){0, 0.6, 0.8}, 20.0, 0.1, 4.0),
                             cord_motion_oscillate((CordVec3){0.01, 0.02, 0}, 3.0, 0.4)};
    motions[0].ease = CORD_EASE_SMOOTH;
    for (int i = 0; i < 3; i++) {
        CordRodDef def = rubber_def(12 + i, 6 + i);
        def.shape.p.y = def.shape.q.y = 0.1 * i;
        def.modal.damping_ratio = 0.01;
        CordRodId rod = add_rod(world, &def);
        hold_moving(world, rod, cord_at_start(), CORD_FIX_FRAME, motions, i);
        add_force(world, rod, cord_at_end(), (CordVec3){0.01, 0.02, 0.03 * i});
    }
    CordLoadDef air = cord_load_def_default();
    air.kind = CORD_LOAD_DRAG, air.along = 0.01, air.across = 0.03;
    air.wind = (CordWind){.velocity = {3, 1, 0}, .gust = 0.5, .period = 0.3, .vortex = 1.0, .spacing = 0.2};
    add_load(world, &air);
    return world;
}

// Of nodes, on a support that turns: what positions a little before and after say.
VALIDATE(velocities_are_the_rates_of_positions, .source = "differences over 2 h, h = 0.1 ms",
         .tolerance = 1e-4)
{
    CordWorld* world = busy_world();
    CordRodId rod = cord_world_rod(world, 2); // turns and shakes
    const double h = 1e-4;
    run_many(world, h, 8000);
    CordVec3 before = tip_of(world, rod), v[32];
    run_many(world, h, 1);
    CHECK_OK(cord_rod_velocities(world, rod, v));
    run_many(world, h, 1);
    CordVec3 rate = times(minus(tip_of(world, rod), before), 0.5 / h),
             told = v[cord_rod_node_count(world, rod) - 1];
    print_message("    tip moves at %.3f m/s\n", size_of(told));
    CHECK(size_of(told) > 0.1);
    cord_world_destroy(world);
    return size_of(minus(rate, told)) / size_of(told);
}

TEST_GROUP(modal_motion)
