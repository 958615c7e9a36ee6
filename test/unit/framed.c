// Framed rods: any section, curved and twisted at rest, sections that vary. Energy against gradient, frames
// in equilibrium, and the straight round rod taken the general way.
#include "rod_crooked.h"

#include "model/framed/framed.h"

#define NODES CROOKED_NODES
#define CONFIGURATIONS 40

// ---- crooked rods of every kind

typedef enum Kind { FREE, CLAMPED, INNER_CLAMP, TORQUE, HALF_EDGES, RING, CLAMPED_RING, KINDS } Kind;

static CordRodId crooked_rod(CordWorld* world, CordModel model, Kind kind, uint64_t seed)
{
    Crooked a;
    crooked_rod_def(&a, kind == RING || kind == CLAMPED_RING, seed);
    a.def.model = model;
    a.def.integrator = // explicit ones are not framed
        model == CORD_MODEL_CORDE ? CORD_INTEGRATOR_MIDPOINT : a.def.integrator;
    a.def.half_edge_start = a.def.half_edge_end = kind == HALF_EDGES;
    CordRodId rod = add_rod(world, &a.def);
    if (kind == CLAMPED_RING || kind == INNER_CLAMP) {
        hold(world, rod, cord_at_edge(5), CORD_FIX_FRAME);
    }
    if (kind == CLAMPED || kind == TORQUE || kind == HALF_EDGES) {
        CordClampDef end = clamp_def(rod, cord_at_end(), CORD_FIX_FRAME);
        end.has_torque = kind == TORQUE, end.torque = 0.01;
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        add_clamp(world, &end);
    }
    CHECK_OK(world_prepare(world));
    return rod;
}

static Framed* general_of(const Rod* rod)
{
    Framed* g = framed_of(rod);
    CHECK(g != NULL);
    return g;
}

static void settle(Rod* rod) // frames to where nodes, clamps and equilibrium have them
{
    Framed* g = general_of(rod);
    framed_follow(g, &g->now, rod, rod->line.x);
    framed_hold(g, &g->now, rod, 0.0);
    CHECK(framed_relax(g, &g->now, rod, 0.0) >= 0);
}

static double energy_of(const Rod* rod)
{
    CordEnergy e = {0};
    framed_energy(framed_of(rod), rod, &e);
    return e.bend + e.twist + e.stretch;
}

// The work that a torque does on its frame counts, too: by how much the frame has been turned since it was as
// in m1. Frames are in equilibrium to 1e-7, which the energy sees squared.
static double settled_energy(Rod* rod)
{
    settle(rod);
    return energy_of(rod);
}

// Frames that are free are in equilibrium, so that what they do when a node moves is no change of energy: the
// gradient at fixed frames is the whole gradient.
static void check_gradients(CordModel model)
{
    for (Kind kind = 0; kind < KINDS; kind++) {
        for (uint64_t seed = 1; kind != TORQUE && seed <= CONFIGURATIONS; seed++) {
            CordWorld* world = new_weightless_world();
            Rod* rod = world_rod(world, crooked_rod(world, model, kind, seed));
            CordVec3 dE_dx[NODES] = {{0, 0, 0}};
            settle(rod);
            framed_gradient(framed_of(rod), rod, dE_dx);
            CHECK_NEAR(gradient_error(rod, settled_energy, dE_dx, 0, NODES), 0.0, 1e-8);
            cord_world_destroy(world);
        }
    }
}

TEST(the_gradient_at_frames_in_equilibrium_is_exact)
{
    check_gradients(CORD_MODEL_DER);
    check_gradients(CORD_MODEL_CORDE);
}

// ---- frames in equilibrium

// The largest moment left on a frame that may turn, relative to the largest that acts on any.
static double frame_residual(const Rod* rod)
{
    Framed* g = general_of(rod);
    const CordCenterline* c = &rod->line;
    CornerInput in = framed_input(&g->now, rod, 0.0);
    CornerTerms terms;
    double space[CORNER_TERMS_ARRAYS][NODES + 32] = {{0}}, most = 0.0, size = 0.0;
    corner_terms_open(&terms, space[0] + 8, NODES + 32);
    in.first = 1, in.last = in.slot_count; // the copies at the seam of a ring, too
    g->kernels->gradient(&in, &terms.gradient);
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        double f = terms.gradient.phi_f[s], e = terms.gradient.phi_e[s + 1];
        most = fmax(most, g->may_turn[s] * fabs(g->torque[s] - (f + e)));
        size = fmax(size, fmax(fabs(f), fabs(e)));
    }
    return most / size;
}

static double worst_frame(const Rod* rod)
{
    const CornerEdges* e = &general_of(rod)->now.edges;
    double worst = 0.0;
    for (int j = 0; j < rod->line.edge_count; j++) {
        int s = slot_of(&rod->line, j);
        CordVec3 t = edge_tangent(&rod->line, j), m1 = slot_get(e->m1, s);
        worst = fmax(worst, fmax(fabs(vec3_length(m1) - 1.0), fabs(vec3_dot(m1, t))));
        worst = fmax(worst, vec3_length(vec3_sub(t, slot_get(e->t, s))));
    }
    return worst;
}

// Thrown about: nodes at random speeds up to 3 m/s, that is a third of a radian or so in a millisecond.
// Newton's last turn leaves less than 1e-11 of the least 2 GJ / l. Steps of no length given are half of those
// that are stable. Moments that frames out of equilibrium leave would turn a rod that nothing holds.
static void check_motion(CordModel model, double h, int steps)
{
    for (Kind kind = 0; kind < KINDS; kind++) {
        for (uint64_t seed = 1; seed <= 5; seed++) {
            CordWorld* world = new_weightless_world();
            const Rod* rod = world_rod(world, crooked_rod(world, model, kind, seed));
            uint64_t speeds = seed;
            throw_nodes(rod, &speeds, 3.0);
            double step = h > 0.0 ? h : 0.5 * cord_world_step_advice(world).step;
            for (int n = 0; n < steps; n++) {
                CordVec3 before = cord_rod_momentum(world, rod->id).angular;
                run(world, step, 1);
                CordVec3 after = cord_rod_momentum(world, rod->id).angular;
                if (kind == FREE || kind == RING) {
                    CHECK_VEC3(after, before, 1e-12 * vec3_length(before));
                }
                CHECK(general_of(rod)->turn_iterations > 0);
                CHECK_NEAR(frame_residual(rod), 0.0, 1e-10);
                CHECK_NEAR(worst_frame(rod), 0.0, 5e-15); // round-off of one step: it does not pile up
            }
            cord_world_destroy(world);
        }
    }
}

TEST(frames_are_in_equilibrium_after_every_step_of_a_wild_motion)
{
    check_motion(CORD_MODEL_DER, 0.0, 400);
    check_motion(CORD_MODEL_CORDE, 1e-3, 100); // implicit steps
}

// From any frames whatever: Newton's method far from the solution, where bending would rather turn a frame
// over.
static void check_anywhere(CordModel model)
{
    for (Kind kind = 0; kind < KINDS; kind++) {
        for (uint64_t seed = 1; seed <= 100; seed++) {
            CordWorld* world = new_weightless_world();
            Rod* rod = world_rod(world, crooked_rod(world, model, kind, seed));
            Framed* g = general_of(rod);
            uint64_t turns = seed;
            for (int s = 0; s < rod->line.slot_count; s++) {
                g->turn[s] = g->may_turn[s] * random_in(&turns, -3.0, 3.0);
            }
            centerline_wrap_one(&rod->line, g->turn);
            framed_turn(g, &g->now, rod, g->turn);
            double before = energy_of(rod);
            CHECK(framed_relax(g, &g->now, rod, 0.0) >= 0);
            CHECK_NEAR(frame_residual(rod), 0.0, 1e-10);
            CHECK(kind == TORQUE || energy_of(rod) < before);
            cord_world_destroy(world);
        }
    }
}

TEST(frames_find_an_equilibrium_from_anywhere)
{
    check_anywhere(CORD_MODEL_DER);
    check_anywhere(CORD_MODEL_CORDE);
}

// ---- the straight round rod taken the general way

static CordWorld* twisted_world(bool general, bool closed, bool inextensible, CordRodId* rod)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = line_def(31);
    def.shape = closed ? cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){0, 0.1, 1}, 0.2, 31)
                : inextensible
                    ? cord_shape_helix((CordVec3){0, 0, 0}, (CordVec3){1, 0.2, 0.1}, 0.01, 0.3, 3.0, 31)
                    : cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0.2, 0.1}, 31);
    def.closed = closed, def.rest = CORD_REST_STRAIGHT, def.inextensible = inextensible;
    def.stiffness.EA = 500.0;
    def.twist = 4.0, def.m1 = (CordVec3){0.1, 0.2, 1.0};
    def.stiffness.EI12 = general ? 1e-30 : NAN;
    *rod = add_rod(world, &def);
    CHECK((world_rod(world, *rod)->form == MODEL_FRAMED) == general);
    if (!closed) {
        CordMotion motions[] = {cord_motion_rotate((CordVec3){1, 0.2, 0.1}, 3.0, 0, 0.05),
                                cord_motion_translate((CordVec3){-0.2, 0.05, 0.02}, 0, 0.05)};
        CordClampDef end = clamp_def(*rod, cord_at_end(), CORD_FIX_FRAME);
        end.motions = motions, end.motion_count = 2;
        hold(world, *rod, cord_at_start(), CORD_FIX_FRAME);
        add_clamp(world, &end);
    }
    return world;
}

// Two ways to the same forces: they differ by round-off, which a thousand steps of a motion without chaos
// make hardly larger.
TEST(a_straight_round_rod_moves_the_same_the_general_way)
{
    for (int i = 0; i < 4; i++) {
        CordRodId a, b;
        CordVec3 x[31], y[31], m[31], k[31];
        CordWorld* uniform = twisted_world(false, i % 2, i / 2, &a);
        CordWorld* general = twisted_world(true, i % 2, i / 2, &b);
        run(uniform, 2e-5, 2000);
        run(general, 2e-5, 2000);
        CHECK_OK(cord_rod_positions(uniform, a, x));
        CHECK_OK(cord_rod_positions(general, b, y));
        CHECK_OK(cord_rod_material_frames(uniform, a, m));
        CHECK_OK(cord_rod_material_frames(general, b, k));
        for (int n = 0; n < 31; n++) {
            CHECK_VEC3(x[n], y[n], 1e-12);
        }
        for (int j = 0; j < cord_rod_edge_count(uniform, a); j++) {
            CHECK_VEC3(m[j], k[j], 1e-11);
        }
        CordEnergy e = cord_rod_energy(uniform, a), f = cord_rod_energy(general, b);
        CHECK(e.bend > 1e-3 && e.twist > 1e-3); // both do something
        CHECK_NEAR(f.bend, e.bend, 1e-11 * e.bend);
        CHECK_NEAR(f.twist, e.twist, 1e-11 * e.twist);
        CHECK_NEAR(f.kinetic, e.kinetic, 1e-10 * e.kinetic);
        CHECK_NEAR(cord_rod_twist(general, b), cord_rod_twist(uniform, a), 1e-12);
        cord_world_destroy(uniform);
        cord_world_destroy(general);
    }
}

// ---- rest shapes

// As shaped means free of stress, whatever the shape, the frames and the twist.
TEST(a_rod_as_shaped_is_free_of_stress)
{
    for (int i = 0; i < 12; i++) {
        bool closed = i / 3 % 2;
        CordVec3 m1[NODES];
        uint64_t seed = (uint64_t)i + 1;
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(NODES);
        def.model = i < 6 ? CORD_MODEL_DER : CORD_MODEL_CORDE;
        def.integrator = i < 6 ? def.integrator : CORD_INTEGRATOR_MIDPOINT;
        def.stiffness.EI2 = 5 * RODS_EI, def.stiffness.EI12 = RODS_EI;
        def.shape =
            closed ? cord_shape_torus_knot((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 1, 1, 0.3, 0.1, NODES)
                   : cord_shape_helix((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 0.1, 0.2, 1.5, NODES);
        def.closed = closed;
        def.twist = def.rest_twist = i % 3 == 1 ? 5.0 : 0.0;
        for (int j = 0; j < NODES; j++) {
            m1[j] = random_vec3(&seed, 1.0);
        }
        def.m1_along = i % 3 == 2 ? m1 : NULL, def.along_count = closed ? NODES : NODES - 1;
        CordRodId rod = add_rod(world, &def);
        CordVec3 f[NODES], x[NODES], y[NODES];
        CHECK_OK(cord_rod_forces(world, rod, f));
        CHECK_OK(cord_rod_positions(world, rod, x));
        CordEnergy e = cord_rod_energy(world, rod);
        // strains are round-off, 1e-16, squared, by EI / l = 0.05
        CHECK_NEAR(e.bend + e.twist + e.stretch, 0.0, 1e-28);
        for (int n = 0; n < NODES; n++) {
            // round-off of strains by EI / l^2, and EA by that of lengths
            CHECK_VEC3(f[n], ((CordVec3){0, 0, 0}), 1e-13);
        }
        run(world, 1e-4, 100);
        CHECK_OK(cord_rod_positions(world, rod, y));
        for (int n = 0; n < NODES; n++) {
            CHECK_VEC3(y[n], x[n], 1e-14);
        }
        cord_world_destroy(world);
    }
}

// A rod begins with its twist, and rests with its rest twist, whether its rest shape is straight by name or
// because it is shaped so.
TEST(a_rod_begins_with_its_twist_whatever_its_rest)
{
    const double twists[3][2] = {{0.0, 3.0}, {3.0, 3.0}, {5.0, 2.0}}; // at first and at rest [rad]
    const CordModel models[] = {CORD_MODEL_DER, CORD_MODEL_CORDE, CORD_MODEL_PBD};
    for (int k = 0; k < 9; k++) {
        double energies[2];
        for (int straight = 0; straight < 2; straight++) {
            CordWorld* world = new_weightless_world();
            CordRodDef def = line_def(NODES);
            def.model = models[k % 3], def.rest = straight ? CORD_REST_STRAIGHT : CORD_REST_AS_SHAPED;
            def.twist = twists[k / 3][0], def.rest_twist = twists[k / 3][1];
            CordRodId rod = add_rod(world, &def);
            CHECK_NEAR(cord_rod_twist(world, rod) * 2 * CORD_PI, def.twist, 1e-12);
            energies[straight] = cord_rod_energy(world, rod).twist;
            cord_world_destroy(world);
        }
        // GJ strain^2 / 2L is 4.5 GJ, at most twice that by the law and the half edges at the ends
        bool strained = twists[k / 3][0] != twists[k / 3][1];
        CHECK_NEAR(energies[0], strained ? energies[1] : 0.0, strained ? 1e-12 * energies[1] : 1e-28);
        CHECK(!strained || (energies[0] > 4.5 * RODS_GJ && energies[0] < 9.0 * RODS_GJ));
    }
}

// m1_along is what the frames are, made normal to the tangents; twist comes on top.
TEST(frames_start_as_the_def_has_them)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(5);
    CordVec3 along[4] = {{0, 1, 0}, {0.3, 0, 2}, {0, -1, 0}, {0, 1, 1}}, m1[4];
    def.m1_along = along, def.along_count = 4;
    CHECK_OK(cord_rod_material_frames(world, add_rod(world, &def), m1));
    CHECK_VEC3(m1[0], ((CordVec3){0, 1, 0}), 1e-15);
    CHECK_VEC3(m1[1], ((CordVec3){0, 0, 1}), 1e-15);
    CHECK_VEC3(m1[2], ((CordVec3){0, -1, 0}), 1e-15);
    CHECK_VEC3(m1[3], ((CordVec3){0, sqrt(0.5), sqrt(0.5)}), 1e-15);
    CordRodDef flat = line_def(5);
    flat.stiffness.EI2 = 2 * RODS_EI, flat.m1 = (CordVec3){1, 1, 0}, flat.twist = 3 * CORD_PI / 2;
    // a quarter of a circle a corner... of three
    CHECK_OK(cord_rod_material_frames(world, add_rod(world, &flat), m1));
    CHECK_VEC3(m1[0], ((CordVec3){0, 1, 0}), 1e-15);
    CHECK_VEC3(m1[1], ((CordVec3){0, 0, 1}), 1e-15);
    CHECK_VEC3(m1[2], ((CordVec3){0, -1, 0}), 1e-15);
    CHECK_VEC3(m1[3], ((CordVec3){0, 0, -1}), 1e-15);
    cord_world_destroy(world);
}

// ---- what is refused

static void refused(CordRodDef def, const char* part)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod;
    CHECK_RESULT(cord_rod_create(world, &def, &rod), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), part);
    CHECK_INT(cord_world_rod_count(world), 0);
    cord_world_destroy(world);
}

TEST(sections_that_make_no_sense_are_refused_by_name)
{
    CordRodDef def = line_def(5);
    def.stiffness.EI12 = 1.01 * RODS_EI;
    refused(def, "EI12");
    CordSection sections[4];
    for (int j = 0; j < 4; j++) {
        sections[j] = cord_section_disc(0.01);
    }
    def = line_def(5);
    def.sections = sections, def.along_count = 3;
    refused(def, "3 edges");
    def.along_count = 4, def.stiffness = cord_stiffness_unset(), sections[2].radius = -1.0;
    refused(def, "radius");
    def = line_def(5);
    def.rest_twist = INFINITY;
    refused(def, "rest twist");
    def = line_def(5);
    def.damping_time = -1.0;
    refused(def, "retardation");
    CordVec3 m1[4] = {{0, 0, 1}, {0, NAN, 0}, {0, 0, 1}, {0, 0, 1}};
    def = line_def(5);
    def.m1_along = m1, def.along_count = 4;
    refused(def, "edge 1");
    def = line_def(5);
    def.dynamic_twist = true, def.stiffness.spin_inertia = 0.0;
    refused(def, "spin inertia");
}

TEST_GROUP(framed)
