// What holds modal rods: rigid motions are counted and named, supports that cannot be are refused, and so is
// what modal rods cannot do.
#include "world_parts.h"

#include <cordage/modal.h>

static CordRodDef modal_def(int nodes)
{
    CordRodDef def = line_def(nodes);
    def.model = CORD_MODEL_MODAL;
    def.stiffness.spin_inertia = 1e-6;
    def.modal.modes = 4;
    return def;
}

static CordClampId hold_freedoms(CordWorld* world, CordRodId rod, int node, unsigned freedoms)
{
    CordClampDef def = clamp_def(rod, cord_at_node(node), CORD_FIX_FREEDOMS);
    def.freedoms = freedoms;
    return add_clamp(world, &def);
}

#define ALL_FREEDOMS                                                                                         \
    (CORD_HOLD_X | CORD_HOLD_Y | CORD_HOLD_Z | CORD_HOLD_TURN_X | CORD_HOLD_TURN_Y | CORD_HOLD_TURN_Z)

typedef struct Held { // a rod of 6 nodes along x, or a network
    CordWorld* world;
    CordRodId rod;
} Held;

static Held held_of(CordRodDef def)
{
    Held h = {.world = new_weightless_world()};
    h.rod = add_rod(h.world, &def);
    return h;
}

static Held rod_that(CordRigid rigid)
{
    CordRodDef def = modal_def(6);
    def.modal.rigid = rigid;
    return held_of(def);
}

static int rigid_of(Held h) // motions left out; the world is gone after that
{
    CordModalReport report;
    CHECK_WORLD_OK(h.world, cord_rod_modal_report(h.world, h.rod, &report));
    CordMode first;
    CHECK_OK(cord_rod_mode(h.world, h.rod, 0, &first));
    // the first that is told bends, twists or stretches the metre
    CHECK(first.omega2 > 1e-3 * RODS_EI / RODS_MASS);
    cord_world_destroy(h.world);
    return report.rigid;
}

static void check_refused(Held h, const char* part, const char* another)
{
    CHECK_INT(cord_rod_mode_count(h.world, h.rod), 0);
    CHECK_CONTAINS(cord_world_message(h.world), part);
    CHECK_CONTAINS(cord_world_message(h.world), another);
    CHECK_CONTAINS(cord_world_message(h.world), "\"rigid\": \"remove\"");
    CHECK_RESULT(cord_world_step(h.world, 0.01), CORD_NOT_SUPPORTED);
    cord_world_destroy(h.world);
}

// ---- one part

typedef enum Support { NO_SUPPORT, PIN, TWO_PINS, SLIDE, WALL, SUPPORTS } Support;

static Held supported(Support support, CordRigid rigid)
{
    Held h = rod_that(rigid);
    if (support == PIN) {
        hold(h.world, h.rod, cord_at_node(2), CORD_FIX_POSITION);
    } else if (support == TWO_PINS) {
        hold(h.world, h.rod, cord_at_node(1), CORD_FIX_POSITION);
        hold(h.world, h.rod, cord_at_end(), CORD_FIX_POSITION);
    } else if (support == SLIDE) {
        hold_sliding(h.world, h.rod, cord_at_start(), CORD_FIX_FRAME, (CordVec3){0, 0, 2});
    } else if (support == WALL) {
        hold(h.world, h.rod, cord_at_start(), CORD_FIX_FRAME);
    }
    return h;
}

// Counted where they are left out, and named where they are refused.
TEST(supports_leave_rigid_motions)
{
    static const struct {
        int count;
        const char *part, *another; // of the message
    } left[SUPPORTS] = {[NO_SUPPORT] = {6, "'rod1' is not held", "shift and turn in all directions"},
                        [PIN] = {3, "turn about", ", turn about"},
                        [TWO_PINS] = {1, "it is free to: turn about x;", "clamp it"},
                        [SLIDE] = {1, "it is free to: shift along z;", "clamp it"},
                        [WALL] = {0, NULL, NULL}};
    for (Support i = 0; i < SUPPORTS; i++) {
        CHECK_INT(rigid_of(supported(i, CORD_RIGID_REMOVE)), left[i].count);
        if (left[i].count > 0) {
            check_refused(supported(i, CORD_RIGID_REFUSE), left[i].part, left[i].another);
        } else {
            CHECK_INT(rigid_of(supported(i, CORD_RIGID_REFUSE)), 0);
        }
    }
}

TEST(an_axis_aslant_is_named_by_its_direction)
{
    CordRodDef def = modal_def(6);
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){0.6, 0.8, 0}, 6);
    Held h = held_of(def);
    hold(h.world, h.rod, cord_at_start(), CORD_FIX_DIRECTION); // free to turn about itself
    CHECK_INT(cord_rod_mode_count(h.world, h.rod), 0);
    const char* message = cord_world_message(h.world);
    CHECK(strstr(message, "turn about (0.6, 0.8, ") || strstr(message, "turn about (-0.6, -0.8, "));
    cord_world_destroy(h.world);
}

TEST(each_freedom_that_is_not_held_is_free)
{
    for (unsigned free_one = 0; free_one < 6; free_one++) {
        Held h = rod_that(CORD_RIGID_REMOVE);
        hold_freedoms(h.world, h.rod, 3, ALL_FREEDOMS & ~(1u << free_one));
        CHECK_INT(rigid_of(h), 1);
        static const char* const name[6] = {"shift along x", "shift along y", "shift along z",
                                            "turn about x",  "turn about y",  "turn about z"};
        h = rod_that(CORD_RIGID_REFUSE);
        hold_freedoms(h.world, h.rod, 3, ALL_FREEDOMS & ~(1u << free_one));
        check_refused(h, name[free_one], "clamp it");
    }
}

// Six freedoms spread over three nodes, none of them a turn: enough, if the nodes are not in line.
TEST(six_freedoms_of_three_nodes_hold_a_structure)
{
    const CordVec3 x[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int ends[] = {0, 1, 1, 2, 2, 0};
    CordRodDef def = modal_def(3);
    def.shape = cord_shape_network(x, 3, ends, 3);
    Held h = held_of(def);
    hold_freedoms(h.world, h.rod, 0, CORD_HOLD_X | CORD_HOLD_Y | CORD_HOLD_Z);
    hold_freedoms(h.world, h.rod, 1, CORD_HOLD_Y | CORD_HOLD_Z);
    hold_freedoms(h.world, h.rod, 2, CORD_HOLD_Z);
    CHECK_INT(rigid_of(h), 0);
}

TEST(a_node_that_holds_still_does_so)
{
    Held h = rod_that(CORD_RIGID_REFUSE);
    hold_freedoms(h.world, h.rod, 0, ALL_FREEDOMS);
    hold_freedoms(h.world, h.rod, 4, CORD_HOLD_Y | CORD_HOLD_TURN_Z);
    CordVec3 u[6], w[6];
    CHECK(cord_rod_mode_count(h.world, h.rod) >= 4);
    for (int k = 0; k < 4; k++) {
        CHECK_OK(cord_rod_mode_shape(h.world, h.rod, k, u, w));
        CHECK_VEC3(u[0], ((CordVec3){0, 0, 0}), 0.0);
        CHECK_VEC3(w[0], ((CordVec3){0, 0, 0}), 0.0);
        CHECK_NEAR(u[4].y, 0.0, 0.0);
        CHECK_NEAR(w[4].z, 0.0, 0.0);
    }
    cord_world_destroy(h.world);
}

// A support whose axes are aslant: what it holds is held, and the rest is free.
TEST(a_clamp_that_slides_aslant_moves_along_its_axis_alone)
{
    Held h = rod_that(CORD_RIGID_REFUSE);
    hold(h.world, h.rod, cord_at_start(), CORD_FIX_FRAME);
    CordClampDef def = clamp_def(h.rod, cord_at_end(), CORD_FIX_POSITION);
    CordVec3 axis = vec3_unit((CordVec3){1, 2, -2});
    def.slides = true, def.axis = axis;
    add_clamp(h.world, &def);
    CordVec3 u[6];
    double most = 0.0;
    for (int k = 0; k < cord_rod_mode_count(h.world, h.rod); k++) {
        CHECK_OK(cord_rod_mode_shape(h.world, h.rod, k, u, NULL));
        CHECK_NEAR(vec3_length(vec3_reject(u[5], axis)), 0.0,
                   1e-15 * vec3_length(u[5])); // three axes, orthonormal to round-off
        most = fmax(most, vec3_length(u[5]));
    }
    CHECK(most > 0.1);
    cord_world_destroy(h.world);
}

// ---- several parts

static Held two_parts(CordRigid rigid)
{
    const CordVec3 x[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 2}, {1, 0, 2}};
    const int ends[] = {0, 1, 3, 4, 1, 2};
    CordRodDef def = modal_def(5);
    def.shape = cord_shape_network(x, 5, ends, 3);
    def.modal.rigid = rigid;
    return held_of(def);
}

TEST(each_part_needs_its_own_supports)
{
    CHECK_INT(rigid_of(two_parts(CORD_RIGID_REMOVE)), 12);
    Held h = two_parts(CORD_RIGID_REMOVE);
    hold(h.world, h.rod, cord_at_node(0), CORD_FIX_FRAME);
    CHECK_INT(rigid_of(h), 6);
    h = two_parts(CORD_RIGID_REFUSE);
    hold(h.world, h.rod, cord_at_node(0), CORD_FIX_FRAME);
    check_refused(h, "of its 2 parts, the one of 2 nodes with node 3", "shift and turn in all directions");
    h = two_parts(CORD_RIGID_REFUSE);
    hold(h.world, h.rod, cord_at_node(0), CORD_FIX_FRAME);
    hold(h.world, h.rod, cord_at_node(4), CORD_FIX_FRAME);
    CHECK_INT(rigid_of(h), 0);
}

// ---- too much

TEST(a_rod_that_is_held_all_over_has_no_modes)
{
    CordRodDef def = modal_def(2);
    Held h = held_of(def);
    hold_freedoms(h.world, h.rod, 0, ALL_FREEDOMS);
    hold_freedoms(h.world, h.rod, 1, ALL_FREEDOMS);
    CHECK_INT(cord_rod_mode_count(h.world, h.rod), 0);
    CHECK_CONTAINS(cord_world_message(h.world), "all of rod 'rod1' is held");
    cord_world_destroy(h.world);
}

TEST(no_more_modes_are_found_than_there_are)
{
    CordRodDef def = modal_def(2);
    def.modal.modes = 1000;
    Held h = held_of(def);
    hold(h.world, h.rod, cord_at_start(), CORD_FIX_FRAME);
    CHECK_INT(cord_rod_mode_count(h.world, h.rod), 6);
    CordModalReport report;
    CHECK_OK(cord_rod_modal_report(h.world, h.rod, &report));
    CHECK_INT(report.unknowns, 6);
    CHECK_INT(report.found, 6);
    cord_world_destroy(h.world);
}

// ---- loads

static double share_of(Held h, CordLoadKind kind, CordPlace at, CordVec3 value)
{
    CordLoadDef def = cord_load_def_default();
    CordLoadId load;
    double share;
    def.kind = kind, def.rod = h.rod, def.at = at, def.force = def.torque = value;
    CHECK_WORLD_OK(h.world, cord_load_create(h.world, &def, &load));
    CHECK_WORLD_OK(h.world, cord_load_mode_share(h.world, load, &share));
    return share;
}

// All modes carry all of a load. The lowest of a cantilever bend: they carry nothing of what stretches or
// twists it.
TEST(modes_carry_a_share_of_each_load)
{
    for (int all = 0; all < 2; all++) {
        CordRodDef def = modal_def(6);
        CordVec3 any = {1, 2, 3}, x = {1, 0, 0}, y = {0, 1, 0};
        def.modal.modes = all ? 30 : 4;
        Held h = held_of(def);
        hold_freedoms(h.world, h.rod, 0, ALL_FREEDOMS);
        hold_freedoms(h.world, h.rod, 3, CORD_HOLD_Z);
        CordPlace end = cord_at_node(5), last = cord_at_edge(4);
        CHECK_INT(cord_rod_mode_count(h.world, h.rod), all ? 29 : 4);
        CHECK_NEAR(share_of(h, CORD_LOAD_FORCE, end, x), all, 1e-9);
        CHECK_NEAR(share_of(h, CORD_LOAD_TORQUE, last, x), all, 1e-9);
        CHECK_NEAR(share_of(h, CORD_LOAD_FORCE, end, y), 1.0, all ? 1e-9 : 0.01);
        CHECK_NEAR(share_of(h, CORD_LOAD_FORCE, end, any), 1.0, all ? 1e-9 : 0.1);
        CHECK_NEAR(share_of(h, CORD_LOAD_TORQUE, last, any), 1.0, all ? 1e-9 : 0.9);
        CHECK(isnan(share_of(h, CORD_LOAD_FORCE, cord_at_node(0), any)));
        cord_world_destroy(h.world);
    }
    Held free = rod_that(CORD_RIGID_REMOVE);
    CHECK(isnan(share_of(free, CORD_LOAD_FORCE, cord_at_node(5), (CordVec3){1, 0, 0})));
    cord_world_destroy(free.world);
}

// ---- supports that move

static CordResult with_motions(CordMotion a, CordMotion b, char* message, size_t size) // of both ends
{
    Held h = rod_that(CORD_RIGID_REFUSE);
    hold_moving(h.world, h.rod, cord_at_start(), CORD_FIX_FRAME, &a, 1);
    hold_moving(h.world, h.rod, cord_at_end(), CORD_FIX_FRAME, &b, 1);
    CordResult result = cord_world_step_many(h.world, 0.01, 20);
    snprintf(message, size, "%s", cord_world_message(h.world));
    cord_world_destroy(h.world);
    return result;
}

TEST(supports_that_move_as_one_carry_the_rod)
{
    char message[400];
    CordMotion shift = cord_motion_translate((CordVec3){0.1, 0.2, 0.3}, 0.0, 0.1);
    CHECK_OK(with_motions(shift, shift, message, sizeof message));
    CordMotion turn = cord_motion_rotate((CordVec3){0, 1, 1}, 1.0, 0.0, 0.1);
    turn.center_is_clamp = false, turn.center = (CordVec3){0.5, 1, 2};
    CHECK_OK(with_motions(turn, turn, message, sizeof message));
}

TEST(supports_that_move_apart_are_refused)
{
    char message[400];
    CordMotion shift = cord_motion_translate((CordVec3){0.1, 0, 0}, 0.0, 0.1),
               other = cord_motion_translate((CordVec3){0.2, 0, 0}, 0.0, 0.1);
    CHECK_RESULT(with_motions(shift, other, message, sizeof message), CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(message, "do not move as one");
    CHECK_CONTAINS(message, "node 5");
    CordMotion turn = cord_motion_rotate((CordVec3){0, 0, 1}, 1.0, 0.0, 0.1); // each about its own point
    CHECK_RESULT(with_motions(turn, turn, message, sizeof message), CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(message, "with one centre");
    CordMotion roll = cord_motion_rotate((CordVec3){1, 0, 0}, 1.0, 0.0, 0.1), // in place
        stay = cord_motion_translate((CordVec3){0, 0, 0}, 0.0, 0.1);
    CHECK_RESULT(with_motions(stay, roll, message, sizeof message), CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(message, "is off by 0.1 rad from where that of node 0");
}

// Positions, turns and m1 go with the supports: the same picture in axes that go along, at rest and without
// gravity.
TEST(a_rod_at_rest_on_moving_supports_moves_as_they_do)
{
    Held h = rod_that(CORD_RIGID_REFUSE);
    CordClampId clamp = hold(h.world, h.rod, cord_at_start(), CORD_FIX_FRAME);
    CHECK(cord_rod_mode_count(h.world, h.rod) > 0);
    CordQuat turn = cord_quat_about((CordVec3){1, 2, 3}, 0.7);
    CordVec3 offset = {0.3, -0.1, 0.2}, x[6], m1[5], before[5];
    CHECK_OK(cord_rod_material_frames(h.world, h.rod, before));
    CHECK_OK(cord_clamp_move(h.world, clamp, offset, turn));
    double q[16], rate[16];
    CHECK(cord_rod_mode_count(h.world, h.rod) <= 16);
    run(h.world, 0.01, 2); // the first step takes the rod there, the second ends at rest
    memset(q, 0, sizeof q), memset(rate, 0, sizeof rate);
    CHECK_OK(cord_rod_set_amplitudes(h.world, h.rod, q, rate));
    CHECK_OK(cord_rod_positions(h.world, h.rod, x));
    CHECK_OK(cord_rod_material_frames(h.world, h.rod, m1));
    for (int i = 0; i < 6; i++) {
        CHECK_VEC3(x[i], vec3_add(offset, quat_rotate(turn, (CordVec3){0.2 * i, 0, 0})), 1e-15);
        CHECK_VEC3(m1[i < 5 ? i : 0], quat_rotate(turn, before[i < 5 ? i : 0]), 1e-14);
    }
    cord_world_destroy(h.world);
}

// ---- what a modal rod cannot be

static void check_no_rod(CordRodDef def, CordResult expected, const char* part)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod;
    def.name = "the beam";
    CHECK_RESULT(cord_rod_create(world, &def, &rod), expected);
    CHECK_CONTAINS(cord_world_message(world), part);
    CHECK_CONTAINS(cord_world_message(world), "'the beam'");
    CHECK_INT(cord_world_rod_count(world), 0);
    cord_world_destroy(world);
}

TEST(what_modal_rods_cannot_do_is_refused_by_name)
{
    CordRodDef def = modal_def(5);
    def.inextensible = true;
    check_no_rod(def, CORD_NOT_SUPPORTED, "\"inextensible\"");
    def = modal_def(5), def.rest = CORD_REST_STRAIGHT;
    check_no_rod(def, CORD_NOT_SUPPORTED, "\"as_shaped\"");
    def = modal_def(5), def.twist = 1.0;
    check_no_rod(def, CORD_NOT_SUPPORTED, "without twist");
    def = modal_def(5), def.rest_twist = 1.0;
    check_no_rod(def, CORD_NOT_SUPPORTED, "without twist");
    def = modal_def(5), def.adapt.on = true;
    check_no_rod(def, CORD_NOT_SUPPORTED, "\"adapt\"");
}

TEST(modes_need_stiffness_inertia_and_damping_that_make_sense)
{
    CordRodDef def = modal_def(5);
    def.modal.modes = 0;
    check_no_rod(def, CORD_BAD_ARGUMENT, "0 modes");
    def = modal_def(5), def.modal.damping_ratio = -0.1;
    check_no_rod(def, CORD_BAD_ARGUMENT, "must lie between 0 and");
    def = modal_def(5), def.modal.mass_damping = NAN;
    check_no_rod(def, CORD_BAD_ARGUMENT, "must lie between 0 and");
    const double ratios[2] = {0.1, -1.0};
    def = modal_def(5), def.modal.damping_ratios = ratios, def.modal.damping_ratio_count = 2;
    check_no_rod(def, CORD_BAD_ARGUMENT, "damping");
    def = modal_def(5), def.stiffness.EI1 = 0.0;
    check_no_rod(def, CORD_BAD_ARGUMENT, "EI1");
    def = modal_def(5), def.stiffness.GJ = 0.0;
    check_no_rod(def, CORD_BAD_ARGUMENT, "GJ");
    def = modal_def(5), def.stiffness.spin_inertia = 0.0;
    check_no_rod(def, CORD_BAD_ARGUMENT, "above zero");
    def = modal_def(5), def.stiffness.EI12 = 2.0 * RODS_EI; // no section is like that
    check_no_rod(def, CORD_BAD_ARGUMENT, "EI12");
}

TEST(clamps_of_modal_rods_neither_twist_nor_let_go)
{
    Held h = rod_that(CORD_RIGID_REFUSE);
    CordClampId clamp;
    CordClampDef def = clamp_def(h.rod, cord_at_start(), CORD_FIX_FRAME);
    def.has_torque = true, def.torque = 1.0;
    CHECK_RESULT(cord_clamp_create(h.world, &def, &clamp), CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(cord_world_message(h.world), "\"torque\"");
    def = clamp_def(h.rod, cord_at_start(), CORD_FIX_FRAME), def.release = 1.0;
    CHECK_RESULT(cord_clamp_create(h.world, &def, &clamp), CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(cord_world_message(h.world), "\"release\"");
    cord_world_destroy(h.world);
}

TEST(single_freedoms_are_for_modal_rods_alone)
{
    Held h = held_of(line_def(5));
    CordClampDef c = clamp_def(h.rod, cord_at_node(2), CORD_FIX_FREEDOMS);
    c.freedoms = CORD_HOLD_X;
    CordClampId clamp;
    CHECK_RESULT(cord_clamp_create(h.world, &c, &clamp), CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(cord_world_message(h.world), "modal");
    cord_world_destroy(h.world);
}

// ---- networks

static void check_no_network(int node_count, const CordVec3* x, int edge_count, const int* ends,
                             const char* part)
{
    CordRodDef def = modal_def(2);
    def.shape = cord_shape_network(x, node_count, ends, edge_count);
    check_no_rod(def, CORD_BAD_ARGUMENT, part);
}

TEST(networks_that_are_none_are_refused)
{
    const CordVec3 x[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 0}};
    check_no_network(3, x, 2, (int[]){0, 1, 1, 3},
                     "edge 1 joins nodes 1 and 3; the network has nodes 0 to 2");
    check_no_network(3, x, 2, (int[]){0, 1, -1, 2}, "edge 1 joins nodes -1 and 2");
    check_no_network(3, x, 3, (int[]){0, 1, 1, 2, 1, 0}, "edges 0 and 2 join the same two nodes");
    check_no_network(3, x, 2, (int[]){0, 1, 1, 1}, "edge 1 joins node 1 with itself");
    check_no_network(4, x, 3, (int[]){0, 1, 1, 2, 2, 3}, "edge 2 has no length");
    check_no_network(3, x, 1, (int[]){0, 1}, "node 2 of the network has no edge");
}

TEST(other_models_refuse_networks)
{
    const CordVec3 x[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    const int ends[] = {0, 1, 0, 2};
    for (int model = 0; model < CORD_MODEL_COUNT; model++) {
        CordRodDef def = modal_def(2);
        def.model = (CordModel)model;
        def.shape = cord_shape_network(x, 3, ends, 2);
        if (model != CORD_MODEL_MODAL) {
            check_no_rod(def, CORD_NOT_SUPPORTED, "modal");
        }
    }
}

TEST_GROUP(modal_supports)
