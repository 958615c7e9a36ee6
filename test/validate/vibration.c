// Vibrations about an equilibrium against closed forms: beams, columns, strings and rings, each at second
// order in the mesh.
#include "rods.h"

// ---- beams

typedef enum Ends { CANTILEVER, CLAMPED, PINNED, FREE } Ends;

// A flat beam of length 1, bent about m1 = z with EI1 = 1, or aside with EI2 = 3: its vibrations are found
// together. A free one has five motions as a whole before them: turning about itself moves no node.
typedef struct Beam {
    const char* name;
    Ends ends;
    bool inextensible;
    int mode;         // its number, from 0
    double root;      // k, of a frequency k^2 sqrt(EI / mu L^4)
    double stiffness; // EI
    double tolerance; // errors go with the square of the mesh times a few
} Beam;

static const Beam beams[] = {
    {"cantilever, first", CANTILEVER, true, 0, 1.875104068711961, 1.0, 1e-3},
    {"cantilever, first aside", CANTILEVER, true, 1, 1.875104068711961, 3.0, 1e-3},
    {"cantilever, second", CANTILEVER, false, 2, 4.694091132974175, 1.0, 1e-3},
    {"clamped, first", CLAMPED, false, 0, 4.730040744862704, 1.0, 1e-3},
    {"pinned, second", PINNED, false, 2, 2.0 * 3.14159265358979323846, 1.0, 1e-3},
    {"free, first", FREE, true, 5, 4.730040744862704, 1.0, 2e-3},
    {"free, first aside", FREE, false, 6, 4.730040744862704, 3.0, 2e-3},
};

static double frequency(CordWorld* world, int mode) // of this number, from 0
{
    double omega2[16];
    CHECK_OK(cord_world_modes(world, mode + 1, omega2, NULL));
    cord_world_destroy(world);
    return sqrt(omega2[mode]);
}

static double beam_frequency(const Beam* b, int elements)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(elements);
    def.stiffness.EI2 = 3.0, def.stiffness.EA = 1e6, def.m1 = (CordVec3){0, 0, 1};
    def.inextensible = b->inextensible;
    def.half_edge_start = b->ends == CANTILEVER || b->ends == CLAMPED;
    def.half_edge_end = b->ends == CLAMPED;
    CordRodId rod = add_rod(world, &def);
    CordFix fix = b->ends == PINNED ? CORD_FIX_POSITION : CORD_FIX_FRAME;
    if (b->ends != FREE) {
        hold(world, rod, cord_at_start(), fix);
    }
    if (b->ends == CLAMPED || b->ends == PINNED) {
        hold(world, rod, cord_at_end(), fix);
    }
    return frequency(world, b->mode);
}

TEST(beams_bend_at_their_frequencies)
{
    for (size_t i = 0; i < sizeof beams / sizeof *beams; i++) {
        const Beam* b = &beams[i];
        print_message("  %s\n", b->name);
        double truth = b->root * b->root * sqrt(b->stiffness);
        double off = second_order(beam_frequency(b, 40), beam_frequency(b, 80), truth, 0.1);
        CHECK_NEAR(off, 0.0, b->tolerance);
    }
}

// ---- torsion, of frames with inertia: far below all bending

static double torsion(int elements, int mode)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(elements);
    def.stiffness.spin_inertia = 25.0, def.dynamic_twist = true, def.half_edge_start = true;
    hold(world, add_rod(world, &def), cord_at_start(), CORD_FIX_FRAME);
    return frequency(world, mode);
}

VALIDATE(a_cantilever_turns_at_its_first_frequency, .source = "pi/2 sqrt(GJ / I L^2)", .tolerance = 1e-3)
{
    return second_order(torsion(40, 0), torsion(80, 0), 0.5 * pi / 5.0, 0.1);
}

VALIDATE(a_cantilever_turns_at_its_second_frequency, .source = "3 pi/2 sqrt(GJ / I L^2)", .tolerance = 2e-3)
{
    return second_order(torsion(40, 1), torsion(80, 1), 1.5 * pi / 5.0, 0.1);
}

// Motions as a whole cost nothing: 1e-5 of the lowest bending, squared, is what counts as slow.
TEST(a_free_beam_moves_as_a_whole_without_resistance)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(30);
    double omega2[6];
    add_rod(world, &def);
    CHECK_OK(cord_world_modes(world, 6, omega2, NULL));
    for (int k = 0; k < 5; k++) {         // turning about itself moves no node
        CHECK_NEAR(omega2[k], 0.0, 1e-4); // of 500 for the first bending
    }
    CHECK(omega2[5] > 400.0);
    cord_world_destroy(world);
}

// Shapes are orthonormal by mass, and a cantilever's are those of the textbook: the tip of the first at 2
// over the root of the mass.
TEST(shapes_are_orthonormal_by_mass)
{
    enum { N = 60, MODES = 4 };
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(N);
    def.stiffness.EI2 = 3.0, def.half_edge_start = true;
    CordRodId rod = add_held(world, &def);
    double omega2[MODES], mass[N + 1];
    CordVec3 shape[MODES * (N + 1)];
    CHECK_OK(cord_world_modes(world, MODES, omega2, shape));
    CHECK_OK(cord_rod_masses(world, rod, mass));
    for (int a = 0; a < MODES; a++) {
        for (int b = 0; b <= a; b++) {
            double sum = 0.0;
            for (int i = 0; i <= N; i++) {
                sum += mass[i] * dot(shape[a * (N + 1) + i], shape[b * (N + 1) + i]);
            }
            CHECK_NEAR(sum, a == b ? 1.0 : 0.0, 1e-9);
        }
        CHECK_NEAR(size_of(shape[a * (N + 1) + N]), 2.0, 5e-3); // 2 for every mode; the mesh
        CHECK_VEC3(shape[a * (N + 1)], ((CordVec3){0, 0, 0}), 0.0);
    }
    cord_world_destroy(world);
}

// ---- under load

// A pinned column under a thrust: omega^2 = omega0^2 (1 - P / Pcr), in the same mesh.
TEST(a_thrust_softens_a_column_in_proportion)
{
    for (int inextensible = 0; inextensible < 2; inextensible++) {
        double omega2[3];
        for (int i = 0; i < 3; i++) {
            CordWorld* world = new_weightless_world();
            CordRodDef def = unit_rod(40);
            def.inextensible = inextensible, def.stiffness.EA = 1e9; // hardly any shortening
            CordRodId rod = add_rod(world, &def);
            hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
            CordClampDef end = clamp_def(rod, cord_at_end(), CORD_FIX_POSITION);
            end.slides = true, end.axis = (CordVec3){1, 0, 0};
            add_clamp(world, &end);
            add_force(world, rod, cord_at_end(), (CordVec3){-4.0 * i, 0, 0});
            solve(world);
            CHECK_OK(cord_world_modes(world, 1, &omega2[i], NULL));
            cord_world_destroy(world);
        }
        CHECK_NEAR(omega2[0], pi * pi * pi * pi, 0.2); // the mesh: 1e-3 or so
        CHECK_NEAR((omega2[0] - omega2[2]) / (2 * (omega2[0] - omega2[1])), 1.0, 1e-6);
        double critical = 4.0 * omega2[0] / (omega2[0] - omega2[1]);
        CHECK_NEAR(critical / (pi * pi), 1.0, 2e-3); // both of second order in the mesh
    }
}

// A string: hardly any bending, stretched by its clamps. Its squared frequency has the bending's added, 1e-4
// of the tension's.
static double string_second(int n)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(n);
    def.inextensible = false, def.stiffness.EA = 100.0, def.stiffness.EI1 = def.stiffness.EI2 = 1e-7;
    def.rest = CORD_REST_SHAPE,
    def.rest_shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){0.8, 0, 0}, n + 1);
    CordRodId rod = add_rod(world, &def);
    hold_ends(world, rod, CORD_FIX_POSITION);
    solve(world);
    return frequency(world, 2);
}

VALIDATE(a_stretched_string_sounds_its_octave, .source = "2 pi sqrt(T / mu), strained by a quarter",
         .tolerance = 1e-3)
{
    double tension = 25.0, mass = 0.8; // EA by 0.25; the mass of 0.8 m is on 1 m now
    return second_order(string_second(40), string_second(80), 2 * pi * sqrt(tension / mass), 0.1);
}

// ---- rings

enum { PLANE, ACROSS };

#define RING_GJ 0.6 // over EI

// A ring of radius 1 as shaped: the mode with n waves around, in its plane or across it. Motions
// as a whole are the first six; then come pairs.
static double ring(int waves, int direction, int nodes)
{
    enum { MODES = 16 };
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(nodes);
    def.shape = cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 1.0, nodes);
    def.closed = true, def.stiffness.GJ = RING_GJ;
    add_rod(world, &def);
    double omega2[MODES];
    CordVec3 shape[MODES * 400];
    CHECK_OK(cord_world_modes(world, MODES, omega2, shape));
    double found = NAN;
    for (int k = 6, seen = 1; k < MODES; k++) { // of each kind in order, each twice
        double plane = 0.0, across = 0.0;
        for (int i = 0; i < nodes; i++) {
            CordVec3 u = shape[k * nodes + i];
            plane += u.x * u.x + u.y * u.y, across += u.z * u.z;
        }
        if ((plane > across) == (direction == PLANE)) {
            seen++;
            found = seen / 2 == waves - 1 && isnan(found) ? sqrt(omega2[k]) : found;
        }
    }
    cord_world_destroy(world);
    return found;
}

// Love, Mathematical Theory of Elasticity, section 293: n (n^2 - 1) / sqrt(n^2 + 1) in its plane,
// inextensible; n (n^2 - 1) / sqrt(n^2 + EI / GJ) across it, both times sqrt(EI / mu R^4). (Love has 1 + nu
// for EI / GJ, a round section.)
TEST(rings_bend_at_their_frequencies)
{
    for (int i = 0; i < 4; i++) {
        int n = 2 + i % 2, direction = i < 2 ? PLANE : ACROSS;
        double truth = n * (n * n - 1) / sqrt(n * n + (direction == PLANE ? 1.0 : 1.0 / RING_GJ));
        print_message("  %d waves %s its plane\n", n, direction == PLANE ? "in" : "across");
        double off = second_order(ring(n, direction, 40), ring(n, direction, 80), truth, 0.1);
        CHECK_NEAR(off, 0.0, n == 2 ? 2e-3 : 4e-3);
    }
}

// All sections of a ring turned about its centreline at once: it would rather be curved as it was, about the
// same axis of the section. Without displacement, and below all other vibrations if frames have so much
// inertia.
static double ring_turning(int nodes)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(nodes);
    def.shape = cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 1.0, nodes);
    def.closed = true, def.dynamic_twist = true, def.stiffness.spin_inertia = 25.0;
    add_rod(world, &def);
    return frequency(world, 6); // six motions as a whole come first
}

VALIDATE(a_ring_turns_inside_out_and_back, .source = "Love, section 293: sqrt(EI / I R^2)", .tolerance = 1e-3)
{
    return second_order(ring_turning(40), ring_turning(80), 1.0 / 5.0, 0.1);
}

// ---- what is refused

TEST(too_many_vibrations_are_refused_by_number)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(4);
    double omega2[100];
    add_rod(world, &def);
    CHECK_RESULT(cord_world_modes(world, 0, omega2, NULL), CORD_BAD_ARGUMENT);
    CHECK_RESULT(cord_world_modes(world, 100, omega2, NULL), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "100 vibrations");
    cord_world_destroy(world);
}

TEST_GROUP(vibration)
