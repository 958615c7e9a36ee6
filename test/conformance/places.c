// Where a rod is does not matter, nor how it got there: origin and axes, positions that are set, and nodes
// that come and go.
#include "claims.h"

enum { NODES = 9, MOST = 64 };

static const CordVec3 origin = {0, 0, 0}, away = {3, -2, 5};

static CordQuat turn(void)
{
    return cord_quat_about((CordVec3){0.48, 0.6, 0.64}, 0.7);
}

static CordVec3 moved(CordVec3 x) // a place in the world that is turned and lies elsewhere
{
    return plus(rotate(turn(), x), away);
}

// ---- origin and axes

typedef struct Pose {
    CordVec3 x[NODES], m1[NODES], force, torque;
    CordEnergy energy;
} Pose;

// A flat rod, bent from straight and held by its first edge, that swings under gravity and a force. Its nodes
// have coordinates that are exact far away, too.
static Pose swung(const Subject* s, bool elsewhere, CordVec3 by)
{
    Pose p = {0};
    CordVec3 g = {0, 0, -9.81}, f = {0, 0.02, 0.01}, m1 = {0, 1, 0.4};
    CordWorld* world = new_world(elsewhere ? rotate(turn(), g) : g);
    CordRodDef def = subject_def(s);
    for (int i = 0; i < NODES; i++) {
        double a = 0.1 * i;
        CordVec3 x = {rint(0x1p16 * sin(a)) / 0x1p16, rint(0x1p16 * 0.1 * a) / 0x1p16,
                      rint(0x1p16 * (1.0 - cos(a))) / 0x1p16};
        p.x[i] = elsewhere ? moved(x) : plus(x, by);
    }
    def.shape = cord_shape_points(p.x, NODES), def.adapt.refine_turn = 3.0, def.adapt.merge_time = 1e3;
    def.rest = s->model == CORD_MODEL_MODAL ? CORD_REST_AS_SHAPED : CORD_REST_STRAIGHT;
    def.section = cord_section_rectangle(0.02, 0.014), def.m1 = elsewhere ? rotate(turn(), m1) : m1;
    CordRodId rod = add_rod(world, &def);
    CordClampId clamp = hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    add_force(world, rod, cord_at_end(), elsewhere ? rotate(turn(), f) : f);
    run(world, s->step, 20);
    CHECK_INT(cord_rod_node_count(world, rod), NODES);
    CHECK_OK(cord_rod_positions(world, rod, p.x));
    CHECK_OK(cord_rod_material_frames(world, rod, p.m1));
    CHECK_OK(cord_clamp_reaction(world, clamp, &p.force, &p.torque));
    p.energy = cord_rod_energy(world, rod);
    cord_world_destroy(world);
    return p;
}

static void origin_and_axes(const Subject* s)
{
    Pose here = swung(s, false, origin), there = swung(s, true, origin);
    double x = 0.0, m1 = 0.0;
    for (int i = 0; i < NODES; i++) {
        x = fmax(x, size_of(minus(there.x[i], moved(here.x[i]))));
        m1 = fmax(m1, size_of(minus(there.m1[i], rotate(turn(), here.m1[i]))));
    }
    double force = size_of(minus(there.force, rotate(turn(), here.force))) / size_of(here.force);
    double torque = size_of(minus(there.torque, rotate(turn(), here.torque))) / size_of(here.torque);
    double bend = fabs(there.energy.bend / here.energy.bend - 1.0);
    print_message("    positions off by %.2g m, frames %.2g, reactions %.2g and %.2g, energy %.2g\n", x, m1,
                  force, torque, bend);
    // round-off, which twenty steps hand on; modes are kept as floats
    double most = s->model == CORD_MODEL_MODAL ? 1e-6 : 1e-10;
    CHECK(x <= 0.1 * most && m1 <= most && force <= most && torque <= most && bend <= most);
}

static void far_away(const Subject* s)
{
    const CordVec3 far = {0x1p17, -0x1p16, 0x1p17};
    Pose here = swung(s, false, origin), there = swung(s, false, far);
    double x = 0.0, m1 = 0.0;
    for (int i = 0; i < NODES; i++) {
        x = fmax(x, size_of(minus(minus(there.x[i], far), here.x[i])));
        m1 = fmax(m1, size_of(minus(there.m1[i], here.m1[i])));
    }
    print_message("    positions off by %.2g m, frames %.2g\n", x, m1);
    // twenty roundings of coordinates, by 1.5e-11 m, over the length of an edge in frames
    CHECK(x <= 20 * 1.5e-11 && m1 <= 20 * 1.5e-10);
}

// ---- positions that are set

// Set to where they are, they change nothing but round-off. What is set can be read.
static void set_in_place(const Subject* s)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = subject_rod(s, NODES);
    CordRodId rod = add_rod(world, &def);
    CordVec3 x[MOST], v[MOST], w[MOST], before[MOST], after[MOST];
    uint64_t seed = 9;
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    run(world, s->step, 10); // twist is untwisting, where it does so by itself
    int n = cord_rod_node_count(world, rod);
    CHECK_OK(cord_rod_positions(world, rod, x));
    CHECK_OK(cord_rod_material_frames(world, rod, before));
    CHECK_OK(cord_rod_set_positions(world, rod, x));
    CHECK_OK(cord_rod_material_frames(world, rod, after));
    for (int j = 0; j < n - 1; j++) {
        CHECK_VEC3(after[j], before[j], 1e-14);
    }
    for (int i = 0; i < n; i++) {
        x[i] = plus(x[i], random_vec3(&seed, 1e-3)), v[i] = random_vec3(&seed, 0.1);
    }
    x[0] = (CordVec3){0, 0, 1}, x[1] = (CordVec3){1.0 / (NODES - 1), 0, 1};
    v[0] = v[1] = (CordVec3){0, 0, 0};
    CHECK_OK(cord_rod_set_positions(world, rod, x));
    CHECK_OK(cord_rod_positions(world, rod, after));
    CHECK_INT(memcmp(x, after, sizeof *x * (size_t)n), 0);
    CHECK_OK(cord_rod_set_velocities(world, rod, v));
    CHECK_OK(cord_rod_velocities(world, rod, w));
    for (int i = 0; i < n && !s->inextensible; i++) { // which puts velocities right
        CHECK_VEC3(w[i], v[i], 0.0);
    }
    cord_world_destroy(world);
}

// Set elsewhere and turned as a whole, it is as stressed as before, and goes on as it would have here.
static void set_elsewhere(const Subject* s)
{
    CordVec3 x[2][NODES], m1[2][NODES], set[2][NODES], y[NODES];
    CordEnergy e[2];
    double twist[2];
    for (int there = 0; there < 2; there++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = subject_rod(s, NODES);
        def.adapt.refine_turn = 3.0, def.adapt.merge_time = 1e3;
        def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, NODES);
        def.section = cord_section_rectangle(0.02, 0.014), def.twist = 2.0, def.m1 = (CordVec3){0, 1, 0.2};
        CordRodId rod = add_rod(world, &def);
        CHECK_OK(cord_rod_positions(world, rod, y));
        for (int i = 0; i < NODES && there; i++) {
            // about an axis across the rod: frames go along by the least turn
            y[i] = plus(rotate(cord_quat_about((CordVec3){0, 0.6, 0.8}, 0.7), y[i]), away);
        }
        CHECK_OK(cord_rod_set_positions(world, rod, y));
        e[there] = cord_rod_energy(world, rod), twist[there] = cord_rod_twist(world, rod);
        CHECK_OK(cord_rod_material_frames(world, rod, set[there]));
        run(world, s->step, 10);
        CHECK_OK(cord_rod_positions(world, rod, x[there]));
        CHECK_OK(cord_rod_material_frames(world, rod, m1[there]));
        cord_world_destroy(world);
    }
    CordQuat q = cord_quat_about((CordVec3){0, 0.6, 0.8}, 0.7);
    double far = 0.0, frames = 0.0, at_once = 0.0;
    for (int i = 0; i < NODES; i++) {
        far = fmax(far, size_of(minus(x[1][i], plus(rotate(q, x[0][i]), away))));
    }
    for (int j = 0; j < NODES - 1; j++) {
        frames = fmax(frames, size_of(minus(m1[1][j], rotate(q, m1[0][j]))));
        at_once = fmax(at_once, size_of(minus(set[1][j], rotate(q, set[0][j]))));
    }
    print_message("    twist energy %.3g and %.3g J, positions off by %.2g m, frames by %.2g and %.2g\n",
                  e[0].twist, e[1].twist, far, at_once, frames);
    bool free = e[0].twist < 1e-20; // frames in equilibrium have untwisted, to a residual
    CHECK_NEAR(e[1].twist, e[0].twist, 1e-12 * e[0].twist + 1e-28);
    CHECK_NEAR(e[1].bend, e[0].bend, 1e-24);
    CHECK_NEAR(twist[1], twist[0], 1e-12);
    CHECK_NEAR(at_once, 0.0, free ? 1e-5 : 1e-12);
    CHECK_NEAR(far, 0.0, 1e-11);
    CHECK_NEAR(frames, 0.0, free ? 1e-5 : 1e-12);
}

// Nothing acts on it: it stays, or goes on with the velocity that it was given or that was set.
static void left_alone(const Subject* s)
{
    for (int i = 0; i < 3; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = subject_rod(s, NODES);
        CordVec3 v[NODES], x[NODES], speed = {0, i ? 0.5 : 0.0, i ? 1.0 : 0.0};
        def.twist = 0.0, def.adapt.merge_time = 1e3, def.velocity = i == 2 ? (CordVec3){0.1, 0, 0} : speed;
        CordRodId rod = add_rod(world, &def);
        for (int n = 0; n < NODES; n++) {
            v[n] = speed;
        }
        if (i == 2) {
            run(world, s->step, 5);
            CHECK_OK(cord_rod_set_velocities(world, rod, v));
        }
        double time = 20.0 * s->step;
        run(world, s->step, 20);
        CHECK_OK(cord_rod_positions(world, rod, x));
        CHECK_OK(cord_rod_velocities(world, rod, v));
        for (int n = 0; n < NODES; n++) {
            CordVec3 start = {n / (NODES - 1.0) + (i == 2 ? 0.1 * 5.0 * s->step : 0.0), 0, 1};
            CHECK_VEC3(x[n], plus(start, times(speed, time)), i == 0 ? 1e-14 : 1e-12);
            CHECK_VEC3(v[n], speed, i == 0 ? 1e-13 : 1e-10); // round-off of positions, over a step
        }
        cord_world_destroy(world);
    }
}

// ---- nodes that come and go

// An edge is halved, and the node given up again: mass, length, momentum and twist are kept, and so is all
// that holds the rod.
static void remesh(const Subject* s)
{
    CordWorld* world = new_weightless_world();
    CordVec3 points[TUMBLER_NODES];
    CordRodDef def = tumbler_def(s, false, points);
    def.adapt.refine_turn = 3.0, def.adapt.merge_turn = 1e-9, def.adapt.merge_time = 1e9;
    CordRodId rod = add_rod(world, &def);
    CordLoadId force = add_force(world, rod, cord_at_node(8), (CordVec3){0, 0, 0.01});
    run(world, s->step, 3);
    for (int i = 0; i < 200; i++) {
        CordMomentum before = cord_rod_momentum(world, rod);
        double mass = cord_rod_mass(world, rod), length = cord_rod_length(world, rod), arc[MOST];
        int n = cord_rod_node_count(world, rod), node;
        CordResult result = i % 5 < 3 ? cord_rod_refine(world, rod, (7 * i) % (n - 1))
                                      : cord_rod_merge(world, rod, 1 + (5 * i) % (n - 2));
        CHECK(result == CORD_OK || result == CORD_BAD_ARGUMENT);
        if (result == CORD_OK) {
            CordMomentum after = cord_rod_momentum(world, rod);
            CHECK_INT(cord_rod_node_count(world, rod), i % 5 < 3 ? n + 1 : n - 1);
            CHECK_NEAR(cord_rod_mass(world, rod), mass, 1e-14 * mass);
            CHECK_NEAR(cord_rod_length(world, rod), length, 1e-14 * length);
            CHECK_VEC3(after.linear, before.linear, 1e-14);
            CHECK_OK(cord_load_at(world, force, &rod, &node));
            CHECK_OK(cord_rod_arcs(world, rod, arc));
            CHECK_NEAR(arc[node], 8 * length / 12, 0.05);
            run(world, s->step, 1);
        }
    }
    CordAdaptReport report = cord_rod_adapt_report(world, rod);
    print_message("    %d refined, %d merged\n", (int)report.refined, (int)report.merged);
    CHECK(report.refined > 20 && report.merged > 10);
    cord_world_destroy(world);
}

static const Claim claims[] = {
    {.name = "origin and axes", .run = origin_and_axes},
    {.name = "far away", .run = far_away},
    {.name = "set in place", .needs = IS_CHAIN, .run = set_in_place},
    {.name = "set elsewhere", .needs = IS_CHAIN, .run = set_elsewhere},
    {.name = "left alone", .needs = IS_CHAIN, .run = left_alone},
    {.name = "remesh", .needs = IS_ADAPTIVE, .run = remesh},
};

CLAIM_GROUP(places)
