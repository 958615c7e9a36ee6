// What holds and leads modal rods: supports and what they take, guides, equilibria that are followed, drag
// that is stronger than all else.
#include "modals.h"

#include <cordage/solve.h>

#define STEP (1.0 / 30.0)

static CordWorld* world_with(double gravity)
{
    return new_world((CordVec3){0, 0, -gravity});
}

// ---- supports

// At rest the one support takes the weight and its moment, however few modes there are.
TEST(a_support_takes_the_weight)
{
    CordWorld* world = world_with(9.8);
    CordRodDef def = rubber_def(31, 8);
    def.modal.damping_ratio = 0.3;
    CordRodId rod = add_rod(world, &def);
    CordClampId foot = hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    run_many(world, STEP, 600);
    CordVec3 force, torque;
    CHECK_OK(cord_clamp_reaction(world, foot, &force, &torque));
    double weight = 9.8 * cord_rod_mass(world, rod);
    CordMomentum m = cord_rod_momentum(world, rod);
    // The load of a step is in single precision: it leaves accelerations of 1e-7 of gravity.
    CHECK_NEAR(force.z, -weight, 1e-5 * weight);
    CHECK_NEAR(torque.y, weight * m.center.x, 1e-5 * weight * m.center.x);
    cord_world_destroy(world);
}

TEST(two_supports_share_the_weight)
{
    CordWorld* world = world_with(9.8);
    CordRodDef def = rubber_def(31, 8);
    def.modal.damping_ratio = 0.3;
    CordRodId rod = add_rod(world, &def);
    CordClampId feet[2] = {hold(world, rod, cord_at_start(), CORD_FIX_FRAME),
                           hold(world, rod, cord_at_end(), CORD_FIX_FRAME)};
    run_many(world, STEP, 300);
    for (int i = 0; i < 2; i++) {
        CordVec3 force, torque;
        CHECK_OK(cord_clamp_reaction(world, feet[i], &force, &torque));
        CHECK_NEAR(force.z, -0.5 * 9.8 * cord_rod_mass(world, rod), 1e-5 * cord_rod_mass(world, rod) * 9.8);
    }
    cord_world_destroy(world);
}

// Modes are of the supports that there were: others are refused once the rod has moved, and go on being
// refused.
TEST(supports_stay_once_the_rod_has_moved)
{
    CordWorld* world = world_with(9.8);
    CordRodDef def = rubber_def(8, 4);
    CordRodId rod = add_held(world, &def);
    run_many(world, STEP, 3);
    CordClampDef clamp = clamp_def(rod, cord_at_end(), CORD_FIX_POSITION);
    CordClampId id = add_clamp(world, &clamp);
    CHECK_INT(cord_world_step(world, STEP), CORD_NOT_SUPPORTED);
    CHECK_INT(cord_world_step(world, STEP), CORD_NOT_SUPPORTED);
    CHECK_OK(cord_clamp_destroy(world, id)); // as before: it goes on
    run_many(world, STEP, 3);
    cord_world_destroy(world);
}

// ---- parts

// A field of equal stalks, each on a foot of its own: the lowest pair of each has the same frequency, and all
// are kept.
TEST(equal_parts_have_all_their_modes)
{
    enum { STALKS = 40, NODES = 3 * STALKS, EDGES = 2 * STALKS };
    CordVec3 x[NODES];
    int ends[2 * EDGES];
    double one = 0.0;
    for (int i = 0; i < NODES; i++) {
        x[i] = (CordVec3){0.1 * (i / 3), 0, 0.1 * (i % 3)};
    }
    for (int j = 0; j < EDGES; j++) {
        ends[2 * j] = j / 2 * 3 + j % 2, ends[2 * j + 1] = ends[2 * j] + 1;
    }
    for (int stalks = 1; stalks <= STALKS; stalks += STALKS - 1) {
        CordWorld* world = world_with(9.8);
        CordRodDef def = rubber_def(2, stalks == 1 ? 2 : 8);
        def.shape = cord_shape_network(x, 3 * stalks, ends, 2 * stalks);
        CordRodId rod = add_rod(world, &def);
        for (int i = 0; i < stalks; i++) {
            hold(world, rod, cord_at_node(3 * i), CORD_FIX_FRAME);
        }
        CHECK_INT(mode_count(world, rod), 2 * stalks);
        for (int k = 0; k < 2 * stalks; k++) {
            CordMode mode;
            CHECK_OK(cord_rod_mode(world, rod, k, &mode));
            one = stalks == 1 ? mode.omega2 : one;
            CHECK_NEAR(mode.omega2 / one, 1.0, 1e-10); // rounding of K
        }
        run_many(world, STEP, 10);
        cord_world_destroy(world);
    }
}

// ---- a support that is swung about

#define SWUNG 0.5    // for so long [s]
#define SWUNG_BY 3.0 // [rad]
#define LOOKS 10

// How far the tip is from where a rigid rod has it, along axes that go with the support, at ten times.
static void swing(CordModel model, CordVec3 along, double h, CordVec3 off[LOOKS])
{
    CordWorld* world = world_with(0.0);
    CordRodDef def = rubber_def(40, 12);
    CordVec3 foot = {0.1, 0, 0}, end = {0.1 + 0.2 * along.x, 0.2 * along.y, 0.2 * along.z};
    def.model = model, def.material.young = 10 * RUBBER_YOUNG, def.half_edge_start = model == CORD_MODEL_DER;
    def.shape = cord_shape_line(foot, end, 41);
    CordRodId rod = add_rod(world, &def);
    CordMotion motion = cord_motion_rotate((CordVec3){0, 0, 1}, SWUNG_BY, 0, SWUNG);
    motion.ease = CORD_EASE_SMOOTH, motion.center_is_clamp = false, motion.center = (CordVec3){0, 0, 0};
    hold_moving(world, rod, cord_at_start(), CORD_FIX_FRAME, &motion, 1);
    for (int i = 0; i < LOOKS; i++) {
        CHECK_OK(cord_world_step_many(world, h, (int)lround(SWUNG / LOOKS / h)));
        double s = (double)(i + 1) / LOOKS, angle = SWUNG_BY * s * s * (3.0 - 2.0 * s);
        CordVec3 tip = tip_of(world, rod);
        off[i] = (CordVec3){tip.x * cos(angle) + tip.y * sin(angle) - end.x,
                            tip.y * cos(angle) - tip.x * sin(angle) - end.y, tip.z - end.z};
    }
    cord_world_destroy(world);
}

// All the forces of axes that are accelerated and turn are in it, about a centre beside the rod: discrete
// elastic rods, which are stepped in space and know none of them, end where the modes do. Tips are off by up
// to 40 mm; a hundredth of that is what turns of a third of a radian make of linear modes.
TEST(forces_of_inertia_are_those_of_a_rod_in_space)
{
    const CordVec3 along[2] = {{0, 0, 1}, {0.6, 0, 0.8}};
    for (int d = 0; d < 2; d++) {
        CordVec3 modal[LOOKS], der[LOOKS];
        double worst = 0.0, most = 0.0;
        swing(CORD_MODEL_MODAL, along[d], 1e-3, modal);
        swing(CORD_MODEL_DER, along[d], 1e-5, der);
        for (int i = 0; i < LOOKS; i++) {
            double x = modal[i].x - der[i].x, y = modal[i].y - der[i].y, z = modal[i].z - der[i].z;
            worst = fmax(worst, sqrt(x * x + y * y + z * z));
            most = fmax(most, fabs(der[i].y));
        }
        print_message("    off by %.2g of %.2g m\n", worst, most);
        CHECK(most > 0.01);
        CHECK(worst < 0.01 * most);
    }
}

// Half a second after a support began to turn at once at 6 rad/s: a jolt is an impulse where it happens.
static CordVec3 tip_after_jolt(double h)
{
    CordWorld* world = world_with(9.8);
    CordRodDef def = rubber_def(31, 8);
    def.modal.damping_ratio = 0.02;
    CordRodId rod = add_rod(world, &def);
    CordMotion motion = cord_motion_rotate((CordVec3){0, 0, 1}, 600.0, 0, 100);
    hold_moving(world, rod, cord_at_start(), CORD_FIX_FRAME, &motion, 1);
    run_many(world, h, (int)lround(0.5 / h));
    CordVec3 tip = tip_of(world, rod);
    cord_world_destroy(world);
    return tip;
}

TEST(jolts_of_supports_are_of_second_order_in_the_step)
{
    CordVec3 x[3] = {tip_after_jolt(STEP / 2), tip_after_jolt(STEP / 4), tip_after_jolt(STEP / 64)};
    double off[2];
    for (int i = 0; i < 2; i++) {
        off[i] = sqrt(pow(x[i].x - x[2].x, 2) + pow(x[i].y - x[2].y, 2) + pow(x[i].z - x[2].z, 2));
    }
    print_message("    off by %.2g and %.2g m\n", off[0], off[1]);
    CHECK_NEAR(log2(off[0] / off[1]), 2.0, 0.1);
}

// ---- guides

static CordClampId guide(CordWorld* world, CordRodId rod, int node, const CordMotion* motion)
{
    CordClampDef def = clamp_def(rod, cord_at_node(node), CORD_FIX_POSITION);
    def.guide = true, def.motions = motion, def.motion_count = motion ? 1 : 0;
    def.slides = true, def.axis = (CordVec3){1, 0, 0}; // the modes do not stretch the rod
    return add_clamp(world, &def);
}

// Across the rod the modes follow wherever they are led. Each round leaves 1e-4 of what is off.
TEST(a_guide_leads_its_node)
{
    CordWorld* world = world_with(9.8);
    CordRodDef def = rubber_def(31, 8);
    def.modal.damping_ratio = 0.02;
    CordRodId rod = add_held(world, &def);
    CordMotion swing = cord_motion_oscillate((CordVec3){0, 0.02, 0.05}, 1.0, 0.0);
    guide(world, rod, 31, &swing);
    for (int i = 0; i < 300; i++) {
        run_many(world, STEP, 1);
        double by = sin(2.0 * pi * cord_world_time(world));
        CordVec3 tip = node_of(world, rod, 31);
        CHECK_NEAR(tip.y, 0.02 * by, 1e-7);
        CHECK_NEAR(tip.z, 0.05 * by, 1e-7);
    }
    cord_world_destroy(world);
}

// A prop under the tip of a cantilever carries 3/8 of its weight (small deflections). Modes that are left
// out, twelve pairs and more, and the compliance that is added have 1e-4 each at the most.
VALIDATE(a_guide_at_rest_is_a_prop, .source = "3 w L / 8", .tolerance = 2e-4)
{
    const double gravity = 1e-3; // so little that nothing turns
    CordWorld* world = world_with(gravity);
    CordRodDef def = rubber_def(31, 24);
    def.modal.damping_ratio = 0.5;
    CordRodId rod = add_held(world, &def);
    CordClampId prop = guide(world, rod, 31, NULL);
    run_many(world, STEP, 300);
    CordVec3 force, torque;
    CHECK_OK(cord_clamp_reaction(world, prop, &force, &torque));
    cord_world_destroy(world);
    return -force.z / (0.375 * gravity * rubber_mass() * RUBBER_LENGTH) - 1.0;
}

TEST(guides_are_for_modal_rods_and_positions)
{
    CordWorld* world = world_with(9.8);
    CordRodDef def = rubber_def(8, 4), other = rubber_def(8, 4);
    other.model = CORD_MODEL_DER;
    CordRodId modal = add_held(world, &def), der = add_held(world, &other);
    CordClampId id;
    CordClampDef clamp = clamp_def(der, cord_at_end(), CORD_FIX_POSITION);
    clamp.guide = true;
    CHECK_INT(cord_clamp_create(world, &clamp, &id), CORD_NOT_SUPPORTED);
    clamp.rod = modal, clamp.fix = CORD_FIX_FRAME;
    CHECK_INT(cord_clamp_create(world, &clamp, &id), CORD_BAD_ARGUMENT);
    cord_world_destroy(world);
}

// A guide is no support: what it alone holds is not held.
TEST(a_guide_holds_nothing)
{
    CordWorld* world = world_with(9.8);
    CordRodDef def = rubber_def(8, 4);
    CordRodId rod = add_rod(world, &def);
    guide(world, rod, 0, NULL);
    CHECK_INT(cord_rod_mode_count(world, rod), 0);
    CHECK_INT(cord_world_step(world, STEP), CORD_NOT_SUPPORTED);
    cord_world_destroy(world);
}

// ---- drag

// In honey a rod creeps: h c / mu = 100 at 1/30 s. The step of 1/30 s is as good as short ones, to h times
// the rate of the creep of the modes that are left.
TEST(a_rod_creeps_through_honey_at_any_step)
{
    double tip[2];
    for (int i = 0; i < 2; i++) {
        CordWorld* world = world_with(0.2);
        CordRodDef def = rubber_def(31, 8);
        CordRodId rod = add_held(world, &def);
        add_drag(world, (CordRodId){0, 0}, 100.0 * rubber_mass() / STEP);
        int parts = i == 0 ? 1 : 100;
        run_many(world, STEP / parts, 30 * parts);
        tip[i] = node_of(world, rod, 31).z;
        cord_world_destroy(world);
    }
    CHECK_NEAR(tip[0] / tip[1], 1.0, 0.1);
}

// ---- equilibria

// The support is turned over; at each time the equilibrium is that of the rod held so.
TEST(equilibria_follow_the_support)
{
    CordWorld* world = world_with(9.8);
    CordRodDef def = rubber_def(31, 8);
    CordRodId rod = add_rod(world, &def);
    CordMotion turn = cord_motion_rotate((CordVec3){0, 1, 0}, pi / 2, 0, 1); // the tip goes down
    hold_moving(world, rod, cord_at_start(), CORD_FIX_FRAME, &turn, 1);
    CordBranchDef branch_def = cord_branch_def_default();
    branch_def.from = 0.0, branch_def.to = 1.0;
    CordBranch* branch;
    CHECK_OK(cord_branch_create(world, &branch_def, &branch));
    CordBranchPoint point;
    do {
        CHECK_OK(cord_branch_next(branch, &point));
        CHECK(point.solve.converged);
    } while (point.event != CORD_BRANCH_END);
    cord_branch_destroy(branch);
    CordVec3 tip = node_of(world, rod, 31); // it hangs straight down, and eight modes have no stretch
    CHECK_NEAR(tip.x, 0.0, 1e-7);
    CHECK_NEAR(tip.z, -RUBBER_LENGTH, 1e-7);
    branch_def.method = CORD_BRANCH_ARC;
    CHECK_INT(cord_branch_create(world, &branch_def, &branch), CORD_NOT_SUPPORTED);
    cord_world_destroy(world);
}

TEST_GROUP(modal_held)
