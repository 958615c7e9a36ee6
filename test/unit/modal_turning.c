// Modal rods on supports that turn: centrifugal loads against the equilibrium that the same modes have under
// them, Coriolis forces against a motion that space knows nothing of, and jolts.
#include "model/modal/modal.h"
#include "world_parts.h"

#define LENGTH 0.2  // the paper's rubber rod [m]
#define GRAVITY 9.8 // along -z

static CordRodDef rubber(CordVec3 direction, int elements, int modes)
{
    CordRodDef def = cord_rod_def_default();
    def.model = CORD_MODEL_MODAL;
    def.material.young = 11e6, def.material.poisson = 0.5, def.material.density = 1100;
    def.section = cord_section_disc(4e-3);
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, vec3_mul(direction, LENGTH), elements + 1);
    def.modal.modes = modes;
    return def;
}

// Held at its start and turned about z through a centre, at a rate that is there from the beginning.
static CordWorld* turning_world(CordRodDef def, double gravity, CordVec3 center, double rate, CordRodId* rod)
{
    CordWorld* world = new_world((CordVec3){0, 0, -gravity});
    *rod = add_rod(world, &def);
    CordMotion motion = cord_motion_rotate((CordVec3){0, 0, 1}, rate * 1000.0, 0.0, 1000.0);
    motion.center_is_clamp = false, motion.center = center;
    hold_moving(world, *rod, cord_at_start(), CORD_FIX_FRAME, &motion, 1);
    CHECK(cord_rod_mode_count(world, *rod) > 0);
    return world;
}

// ---- steady turning

// The largest difference between amplitudes, over the largest of them.
static double difference(int n, const double* a, const double* b)
{
    double most = 0.0, size = 0.0;
    for (int k = 0; k < n; k++) {
        most = fmax(most, fabs(a[k] - b[k])), size = fmax(size, fabs(b[k]));
    }
    return most / size;
}

// Runs until all has settled, and then solves for the equilibrium of the modes in the frame that turns.
static double settled_error(CordVec3 direction, CordVec3 center, double rate, double h, double* q)
{
    CordRodDef def = rubber(direction, 31, 8);
    def.modal.damping_ratio = 0.3;
    CordRodId id;
    CordWorld* world = turning_world(def, GRAVITY, center, rate, &id);
    run_many(world, h, (int)(12.0 / h)); // e^(-0.3 omega t), omega = 18 / s: nothing is left
    Rod* rod = world_rod(world, id);
    CordModal* m = modal_of(rod);
    double ran[16];
    CHECK(m->count <= 16);
    memcpy(ran, m->now.q, sizeof(double) * (size_t)m->count);
    Carrier carrier = carrier_at(rod, world->time, h);
    Pull pull = modal_pull(world->gravity, &carrier, &carrier, h);
    CHECK(pull.spreads);
    ModalRest rest;
    CHECK_OK(modal_rest(&world->memory, rod, &pull, &carrier, world->time, &rest, &world->message));
    double error = difference(m->count, ran, m->now.q);
    memcpy(q, ran, sizeof ran);
    print_message("    rate %g, h %.4f: run and equilibrium differ by %.2g of the deflection\n", rate, h,
                  error);
    cord_world_destroy(world);
    return error;
}

TEST(a_rod_on_a_turning_support_settles_to_its_own_equilibrium)
{
    const CordVec3 directions[] = {{1, 0, 0}, {0.6, 0, 0.8}, {0.48, 0.64, -0.6}};
    double q[16];
    for (int i = 0; i < 3; i++) {
        CHECK(settled_error(directions[i], (CordVec3){0, 0, 0}, 6.0, 1.0 / 30, q) < 1e-6);
        CHECK(settled_error(directions[i], (CordVec3){-0.1, 0.05, 0.3}, -3.0, 1.0 / 30, q) < 1e-6);
    }
}

TEST(it_settles_to_the_same_at_any_step)
{
    double q[3][16] = {{0}};
    const double steps[] = {1.0 / 30, 1.0 / 120, 1.0 / 400};
    for (int i = 0; i < 3; i++) {
        CHECK(settled_error((CordVec3){0.8, 0, 0.6}, (CordVec3){0.05, 0, 0}, 5.0, steps[i], q[i]) < 1e-6);
        CHECK(difference(8, q[i], q[0]) < 1e-6);
    }
}

// The centrifugal load itself, on a rod that stretches along its radius and does not bend: u'' EA + mu
// Omega^2 x = 0, u(L) = mu Omega^2 L^3 / 3 EA in the limit of a stiff rod. All modes, so that nothing is left
// out; each node's load goes by its own place, of second order in the elements.
TEST(the_centrifugal_load_stretches_a_rod_as_it_should)
{
    double error[2], rate = 2.0;
    for (int i = 0; i < 2; i++) {
        int elements = 8 << i;
        CordRodDef def = rubber((CordVec3){1, 0, 0}, elements, 6 * elements);
        def.modal.damping_ratio = 1.0;
        CordRodId rod;
        CordWorld* world = turning_world(def, 0.0, (CordVec3){0, 0, 0}, rate, &rod);
        double h = 2e-3;
        run_many(world, h, 4000);
        CordVec3 tip = tip_of(world, rod);
        double due = 1100 * rate * rate * LENGTH * LENGTH * LENGTH / (3 * 11e6);
        error[i] = (hypot(tip.x, tip.y) - LENGTH) / due - 1.0;
        CHECK_NEAR(tip.z, 0.0, 1e-12);
        CordVec3 along = {cos(rate * world->time), sin(rate * world->time), 0};
        CHECK_NEAR(vec3_length(vec3_cross(along, tip)), 0.0, 1e-9); // it lies where the support points
        cord_world_destroy(world);
    }
    print_message("    8 elements: off by %.3g, 16: %.3g\n", error[0], error[1]);
    CHECK_NEAR(error[1], 0.0, 5e-3);
    CHECK_NEAR(error[0] / error[1], 4.0, 0.3);
}

// ---- Coriolis

#define SWING_RATE 5.0 // of the support [rad/s]; the rod swings at 18 rad/s
#define SWING 1e-6     // amplitude: linear theory

// A round rod along the axis that its support turns about: bent, and let go at rest in space, it swings on in
// one plane at its own frequency, whatever its foot does. In the frame that turns this takes centrifugal and
// Coriolis forces, and a velocity to begin with.
static CordWorld* whirling_world(int elements, double h, CordRodId* rod, double* omega)
{
    CordRodDef def = rubber((CordVec3){0, 0, 1}, elements, 2);
    CordWorld* world = turning_world(def, 0.0, (CordVec3){0, 0, 0}, SWING_RATE, rod);
    run_many(world, h, 1); // from now on it turns steadily
    CordMode mode;
    CordVec3 u[2][64];
    CHECK_INT(cord_rod_mode_count(world, *rod), 2);
    for (int k = 0; k < 2; k++) {
        CHECK_OK(cord_rod_mode(world, *rod, k, &mode));
        CHECK_OK(cord_rod_mode_shape(world, *rod, k, u[k], NULL));
    }
    *omega = sqrt(mode.omega2);
    double way = vec3_dot(vec3_cross((CordVec3){0, 0, 1}, u[0][elements]), u[1][elements]) > 0.0
                     ? 1.0
                     : -1.0; // of the turn from the first to the second
    const double q[2] = {SWING, 0}, rate[2] = {0, -way * SWING_RATE * SWING};
    CHECK_OK(cord_rod_set_amplitudes(world, *rod, q, rate));
    return world;
}

// Off from that plane and that frequency, at the most in ten swings, over the swing; and the change of
// energy.
static double whirl_error(int elements, double* energy_change)
{
    CordRodId rod;
    double worst = 0.0, omega, h = 1e-3;
    CordWorld* world = whirling_world(elements, h, &rod, &omega);
    CordVec3 first = tip_of(world, rod);
    double size = hypot(first.x, first.y), energy = total_energy(world, rod);
    *energy_change = 0.0;
    for (int i = 1; h * i * omega < 20 * CORD_PI; i++) {
        run_many(world, h, 1);
        CordVec3 tip = tip_of(world, rod);
        double c = cos(omega * h * i);
        worst = fmax(worst, hypot(tip.x - c * first.x, tip.y - c * first.y) / size);
        *energy_change = fmax(*energy_change, fabs(total_energy(world, rod) / energy - 1.0));
    }
    print_message("    %d elements: off by %.3g of the swing in ten swings, energy by %.3g\n", elements,
                  worst, *energy_change);
    cord_world_destroy(world);
    return worst;
}

// Each node has its own mass in Coriolis forces, which is of second order in the elements: (l / L)^2 of the
// turn of the foot, 18 rad here.
TEST(a_foot_that_turns_does_not_turn_the_swing)
{
    double energy, coarse = whirl_error(16, &energy), fine = whirl_error(32, &energy);
    CHECK(fine < 0.02);
    CHECK_NEAR(log2(coarse / fine), 2.0, 0.1);
    CHECK(energy < 2e-3); // likewise
}

static CordVec3 tip_after_whirl(double h) // of 1.28 s
{
    CordRodId rod;
    double omega;
    CordWorld* world = whirling_world(12, h, &rod, &omega);
    run_many(world, h, (int)lround(1.28 / h));
    CordVec3 tip = tip_of(world, rod);
    cord_world_destroy(world);
    double back = -SWING_RATE * h; // each begins a step later, when the rod has turned by so much
    return vec3_mul(quat_rotate(cord_quat_about((CordVec3){0, 0, 1}, back), tip), 1.0 / SWING);
}

TEST(coriolis_and_centrifugal_forces_are_of_second_order_in_the_step)
{
    CordVec3 limit = tip_after_whirl(1e-4), coarse = tip_after_whirl(0.016), fine = tip_after_whirl(0.008);
    double a = vec3_length(vec3_sub(coarse, limit)), b = vec3_length(vec3_sub(fine, limit));
    print_message("    16 ms: off by %.3g, 8 ms: %.3g\n", a, b);
    CHECK_NEAR(log2(a / b), 2.0, 0.2);
}

// Undamped and for long: a thousand swings at the paper's step do not grow. Forces that are guessed for a
// step may take energy, a little, but must not bring any.
TEST(coriolis_and_centrifugal_forces_bring_no_energy)
{
    CordRodId rod;
    double omega, most[2] = {0.0, 0.0};
    CordWorld* world = whirling_world(31, 1.0 / 30, &rod, &omega);
    for (int i = 0; i < 10000; i++) {
        run_many(world, 1.0 / 30, 1);
        int late = i >= 5000;
        most[late] = fmax(most[late], total_energy(world, rod));
    }
    print_message("    energy up to %.4g, later up to %.4g\n", most[0], most[1]);
    CHECK(most[1] < 1.01 * most[0]);
    cord_world_destroy(world);
}

// ---- jolts

// A support that jumps from rest to a speed in no time: the rod stays behind, and after one short step all of
// it that the modes hold has the opposite velocity in the frame of the support.
TEST(a_jolt_counts_in_full)
{
    CordRodDef def = rubber((CordVec3){1, 0, 0}, 12, 72);
    CordWorld* world = new_weightless_world();
    CordRodId rod = add_rod(world, &def);
    CordMotion motion = cord_motion_translate((CordVec3){0, 0, 10}, 0.0, 10.0); // 1 m/s
    hold_moving(world, rod, cord_at_start(), CORD_FIX_FRAME, &motion, 1);
    CHECK(cord_rod_mode_count(world, rod) == 72);
    run_many(world, 1e-9, 1);
    CordVec3 v[13];
    CHECK_OK(cord_rod_velocities(world, rod, v));
    CHECK_NEAR(v[0].z, 1.0, 1e-6); // goes with the support
    for (int i = 4; i < 13; i++) {
        // stays: elements near the support ripple, as those of a consistent mass do
        CHECK_VEC3(v[i], ((CordVec3){0, 0, 0}), 2e-2);
    }
    cord_world_destroy(world);
}

// The same way in different keyframes and steps: a support that speeds up evenly and goes on. After it, the
// rod swings as one does under an even pull for that time.
TEST(a_support_that_speeds_up_pulls_as_gravity_does)
{
    const double a = 2.0, h = 1e-3; // [m/s^2]
    CordVec3 tip[2];
    for (int i = 0; i < 2; i++) {
        CordRodDef def = rubber((CordVec3){1, 0, 0}, 12, 6);
        CordWorld* world = new_world((CordVec3){0, 0, i == 0 ? -a : 0.0});
        CordRodId rod = add_rod(world, &def);
        CordClampId clamp = hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        double z = 0.0;
        for (int n = 1; n <= 300; n++) {
            z = 0.5 * a * h * h * n * n;
            if (i == 1) {
                CHECK_OK(cord_clamp_move(world, clamp, (CordVec3){0, 0, z}, quat_identity()));
            }
            run_many(world, h, 1);
        }
        tip[i] = vec3_sub(tip_of(world, rod), (CordVec3){0, 0, i == 1 ? z : 0.0});
        cord_world_destroy(world);
    }
    print_message("    tip %.6g m under gravity, %.6g m as the support speeds up\n", tip[0].z, tip[1].z);
    // The velocity of a step is that of its chord, half a step behind: h omega / 2 of the swing, with omega =
    // 18 / s, and the like.
    CHECK_NEAR(tip[1].z / tip[0].z, 1.0, 0.02);
}

TEST_GROUP(modal_turning)
