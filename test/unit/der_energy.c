// Each energy of DER against its gradient, and against shapes whose energy is known.
#include "model/der/uniform.h"
#include "rod_crooked.h"

#define NODES 12
#define CONFIGURATIONS 100

// ---- gradients against central differences

typedef void (*Gradient)(Rod* rod, CordVec3* dE_dx);

static double bend_energy(Rod* rod)
{
    return der_bend_energy(der_of(rod), &rod->line);
}

static void bend_gradient(Rod* rod, CordVec3* dE_dx)
{
    der_bend_gradient(der_of(rod), &rod->line, dE_dx);
}

static double stretch_energy(Rod* rod)
{
    return der_stretch_energy(der_of(rod), &rod->line);
}

static void stretch_gradient(Rod* rod, CordVec3* dE_dx)
{
    der_stretch_gradient(der_of(rod), &rod->line, dE_dx);
}

static double twist_energy(Rod* rod)
{
    der_twist_settle(rod, 0.0); // the frames follow the nodes
    return der_twist_energy(der_of(rod));
}

static void twist_gradient(Rod* rod, CordVec3* dE_dx)
{
    der_twist_settle(rod, 0.0);
    der_twist_gradient(der_of(rod), &rod->line, dE_dx);
}

static double sparse_energy(Rod* rod)
{
    CordEnergy e = {0};
    der_twist_settle(rod, 0.0);
    model_uniform.energy(rod, &e);
    return e.bend + e.twist + e.stretch;
}

static void sparse_gradient(Rod* rod, CordVec3* dE_dx)
{
    der_twist_settle(rod, 0.0);
    model_uniform.gradient(rod, dE_dx);
}

typedef enum Kind { OPEN, RING, CLAMPED_RING, THREE_CLAMPS, TORQUE, HALF_EDGES } Kind;

// A crooked rod: nodes of a line or ring moved by up to a third of an edge, and not of the lengths they have
// at rest; twisted by two radians or so. Clamps take hold of the frames as they are.
static CordRodId crooked_rod(CordWorld* world, Kind kind, uint64_t seed)
{
    bool closed = kind == RING || kind == CLAMPED_RING;
    CordVec3 x[NODES];
    for (int i = 0; i < NODES; i++) {
        double a = 2 * CORD_PI * i / NODES;
        x[i] = closed ? (CordVec3){0.2 * cos(a), 0.2 * sin(a), 0} : (CordVec3){0.1 * i, 0, 0};
        x[i] = vec3_add(x[i], random_vec3(&seed, 0.03));
    }
    CordRodDef def = closed ? ring_def(NODES) : line_def(NODES);
    def.shape = cord_shape_points(x, NODES);
    if (!closed) {
        def.rest = CORD_REST_SHAPE;
        def.rest_shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1.2, 0, 0}, NODES);
    }
    def.twist = random_in(&seed, 1.0, 3.0) * (seed % 2 ? 1 : -1);
    def.half_edge_start = def.half_edge_end = kind == HALF_EDGES;
    CordRodId rod = add_rod(world, &def);
    if (closed) {
        shake(world, rod, &seed, 0.01);
    }
    if (kind == CLAMPED_RING) {
        hold(world, rod, cord_at_edge(4), CORD_FIX_FRAME);
    } else if (!closed) {
        CordClampDef end = clamp_def(rod, cord_at_end(), CORD_FIX_FRAME);
        end.has_torque = kind == TORQUE, end.torque = 0.01;
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        add_clamp(world, &end);
    }
    if (kind == THREE_CLAMPS) {
        hold(world, rod, cord_at_edge(5), CORD_FIX_FRAME);
    }
    CHECK_OK(world_prepare(world));
    return rod;
}

// At all nodes but so many at either end.
static void check_inner_gradient(Kind kind, RodEnergy energy, Gradient gradient, int ends)
{
    for (uint64_t seed = 1; seed <= CONFIGURATIONS; seed++) {
        CordWorld* world = new_weightless_world();
        Rod* rod = world_rod(world, crooked_rod(world, kind, seed));
        CordVec3 dE_dx[NODES] = {{0, 0, 0}};
        gradient(rod, dE_dx);
        CHECK_NEAR(gradient_error(rod, energy, dE_dx, ends, NODES - ends), 0.0, 1e-6);
        cord_world_destroy(world);
    }
}

static void check_gradient(Kind kind, RodEnergy energy, Gradient gradient)
{
    check_inner_gradient(kind, energy, gradient, 0);
}

TEST(bend_gradient_is_exact)
{
    check_gradient(OPEN, bend_energy, bend_gradient);
    check_gradient(RING, bend_energy, bend_gradient);
    check_gradient(HALF_EDGES, bend_energy, bend_gradient);
}

TEST(stretch_gradient_is_exact)
{
    check_gradient(OPEN, stretch_energy, stretch_gradient);
    check_gradient(RING, stretch_energy, stretch_gradient);
}

TEST(twist_gradient_between_held_frames_is_exact)
{
    check_gradient(OPEN, twist_energy, twist_gradient);
    check_gradient(THREE_CLAMPS, twist_energy, twist_gradient);
    check_gradient(HALF_EDGES, twist_energy, twist_gradient);
}

TEST(twist_gradient_of_a_ring_is_exact)
{
    check_gradient(RING, twist_energy, twist_gradient);
    check_gradient(CLAMPED_RING, twist_energy, twist_gradient);
}

TEST(the_gradient_of_all_energies_is_exact)
{
    check_gradient(OPEN, sparse_energy, sparse_gradient);
    check_gradient(RING, sparse_energy, sparse_gradient);
}

// A frame that a torque turns gives way: the energy less the torque's work is what has no other slope.
static double energy_less_work(Rod* rod)
{
    der_twist_settle(rod, 0.0);
    CordVec3 m1[NODES];
    model_uniform.material_frames(rod, m1);
    CordVec3 u = m1[0], s = edge_tangent(&rod->line, 0);
    for (int j = 1; j < rod->line.edge_count; j++) {
        CordVec3 t = edge_tangent(&rod->line, j);
        double ratio = vec3_dot(u, t) / (1.0 + vec3_dot(s, t));
        u = vec3_madd(u, vec3_add(s, t), -ratio);
        s = t;
    }
    // the angle from a direction fixed in space, made normal to the last edge, to the transported frame
    CordVec3 fixed = vec3_unit(vec3_reject((CordVec3){0.1, 0.9, 0.4}, s));
    double turned = atan2(vec3_dot(vec3_cross(fixed, u), s), vec3_dot(fixed, u));
    return der_twist_energy(der_of(rod)) - 0.01 * turned;
}

// Nodes of the last edge turn the fixed direction too, so the claim is about the others.
TEST(a_torque_pushes_the_centreline_as_its_work_says)
{
    check_inner_gradient(TORQUE, energy_less_work, twist_gradient, 2);
}

// ---- energies of known shapes

// The energy is EI |kb|^2 / l, |kb| = 2 tan(phi / 2), and the moment about the normal is its derivative with
// respect to the angle phi.
TEST(a_ring_of_n_nodes_has_the_energy_and_the_moment_of_its_corners)
{
    for (int n = 3; n <= 40; n++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = ring_def(n);
        CordRodId rod = add_rod(world, &def);
        CordEnergy e = cord_rod_energy(world, rod);
        CordVec3 moment[40];
        CHECK_OK(cord_rod_moments(world, rod, moment));
        double edge = 2 * 0.2 * sin(CORD_PI / n), tangent = tan(CORD_PI / n);
        double energy = n * RODS_EI * 4 * tangent * tangent / (2 * edge);
        double M = RODS_EI * 2 * tangent * (1 + tangent * tangent) / edge;
        // corners of 0.16 from nodes right to 1e-16 in edges of 0.03
        CHECK_NEAR(e.bend / energy, 1.0, 1e-12);
        CHECK_NEAR(e.stretch, 0.0, 1e-25);
        CHECK_NEAR(e.twist, 0.0, 1e-25);
        for (int i = 0; i < n; i++) {
            CHECK_VEC3(moment[i], ((CordVec3){0, 0, M}), 1e-12 * M);
        }
        CHECK(n < 40 || fabs(M - RODS_EI / 0.2) <= RODS_EI / 0.2 * 0.01); // and close to EI / R
        cord_world_destroy(world);
    }
}

TEST(a_rod_stretched_evenly_has_the_energy_of_its_strain)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(11);
    CordRodId rod = add_rod(world, &def);
    CordVec3 x[11];
    double tension[10];
    CHECK_OK(cord_rod_tensions(world, rod, tension)); // must not be kept for later
    for (int i = 0; i < 11; i++) {
        x[i] = (CordVec3){0, 0.11 * i, 0}; // a tenth longer, and turned
    }
    CHECK_OK(cord_rod_set_positions(world, rod, x));
    CordEnergy e = cord_rod_energy(world, rod);
    CHECK_NEAR(e.stretch, 0.5 * RODS_EA * 0.01, 1e-14); // EA/2 strain^2 L
    CHECK_NEAR(e.bend, 0.0, 1e-28);
    CHECK_OK(cord_rod_tensions(world, rod, tension));
    for (int j = 0; j < 10; j++) {
        CHECK_NEAR(tension[j], 0.1 * RODS_EA, 1e-12);
    }
    CHECK_NEAR(cord_rod_stretch(world, rod), 0.1, 1e-14);
    cord_world_destroy(world);
}

// GJ theta^2 / 2L. Frames act at the middles of the end edges, so L is shorter by one edge; with half edges
// that are held, the clamps act at the very ends.
TEST(a_twisted_rod_has_the_energy_of_its_twist)
{
    static const double lengths[] = {0.95, 1.0 - 0.5 / 19.5, 1.0 - 0.5 / 19.5, 1.0};
    for (int halves = 0; halves < 4; halves++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(21);
        def.twist = 5.0;
        def.half_edge_start = (halves & 1) != 0, def.half_edge_end = (halves & 2) != 0;
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        hold(world, rod, cord_at_end(), CORD_FIX_FRAME);
        CHECK_NEAR(cord_rod_energy(world, rod).twist, 0.5 * RODS_GJ * 25.0 / lengths[halves], 1e-14);
        CHECK_NEAR(cord_rod_twist(world, rod), 5.0 / (2 * CORD_PI), 1e-14);
        CordVec3 moment[21];
        CHECK_OK(cord_rod_moments(world, rod, moment));
        for (int i = 0; i <= 20; i++) {
            CHECK_VEC3(moment[i], ((CordVec3){RODS_GJ * 5.0 / lengths[halves], 0, 0}), 1e-15);
        }
        cord_world_destroy(world);
    }
}

// Cut, turned by a radian and glued: the twist stays, though the frames do not meet at the seam. A free ring,
// and one held.
TEST(a_ring_keeps_the_twist_it_was_glued_with)
{
    for (int held = 0; held < 2; held++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = ring_def(20);
        def.twist = 1.0;
        CordRodId ring = add_rod(world, &def);
        if (held) {
            hold(world, ring, cord_at_edge(7), CORD_FIX_FRAME);
        }
        double length = 20 * 2 * 0.2 * sin(CORD_PI / 20);
        CHECK_NEAR(cord_rod_energy(world, ring).twist, 0.5 * RODS_GJ / length, 1e-15);
        run(world, 1e-4, 20); // it begins to leave its plane: link stays, writhe takes some
        CHECK_NEAR(cord_rod_twist(world, ring) + cord_rod_writhe(world, ring), 1 / (2 * CORD_PI), 1e-13);
        cord_world_destroy(world);
    }
}

TEST_GROUP(der_energy)
