// Vibrations about an equilibrium against closed forms: beams, columns, strings and rings, each at second
// order in the mesh.
#include "rods.h"

// ---- beams

typedef enum Ends { CANTILEVER, CLAMPED, PINNED, FREE } Ends;

// The mode'th squared frequency of a flat beam of length 1: EI1 = 1 about m1 = z, EI2 = 3. Modes of the
// second bending lie between.
static double beam(Ends ends, bool inextensible, int mode, int elements)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(elements);
    def.stiffness.EI2 = 3.0, def.stiffness.EA = 1e6, def.m1 = (CordVec3){0, 0, 1};
    def.inextensible = inextensible;
    def.half_edge_start = ends == CANTILEVER || ends == CLAMPED, def.half_edge_end = ends == CLAMPED;
    CordRodId rod = add_rod(world, &def);
    if (ends != FREE) {
        CordFix fix = ends == PINNED ? CORD_FIX_POSITION : CORD_FIX_FRAME;
        hold(world, rod, cord_at_start(), fix);
        if (ends != CANTILEVER) {
            hold(world, rod, cord_at_end(), fix);
        }
    }
    double omega2[16];
    CHECK_OK(cord_world_modes(world, mode + 1, omega2, NULL));
    cord_world_destroy(world);
    return sqrt(omega2[mode]);
}

static double cantilever_first(int n)
{
    return beam(CANTILEVER, true, 0, n);
}

static double cantilever_aside(int n) // first about m2
{
    return beam(CANTILEVER, true, 1, n);
}

static double cantilever_second(int n)
{
    return beam(CANTILEVER, false, 2, n);
}

static double clamped_first(int n)
{
    return beam(CLAMPED, false, 0, n);
}

static double pinned_second(int n) // 4 pi^2 comes after pi^2 and sqrt(3) pi^2
{
    return beam(PINNED, false, 2, n);
}

static double free_first(int n) // after five motions as a whole: turning about itself moves no node
{
    return beam(FREE, true, 5, n);
}

static double free_aside(int n)
{
    return beam(FREE, false, 6, n);
}

// Errors go with the square of the mesh times a few.
VALIDATE(cantilever_bends_at_its_first_frequency, .source = "1.8751^2 sqrt(EI / mu L^4)", .tolerance = 1e-3)
{
    return second_order(cantilever_first, 40, 1.875104068711961 * 1.875104068711961, 0.1);
}

VALIDATE(cantilever_bends_the_stiff_way_faster, .source = "1.8751^2 sqrt(EI2 / mu L^4)", .tolerance = 1e-3)
{
    return second_order(cantilever_aside, 40, sqrt(3.0) * 1.875104068711961 * 1.875104068711961, 0.1);
}

VALIDATE(cantilever_bends_at_its_second_frequency, .source = "4.6941^2 sqrt(EI / mu L^4)", .tolerance = 1e-3)
{
    return second_order(cantilever_second, 40, 4.694091132974175 * 4.694091132974175, 0.1);
}

VALIDATE(clamped_beam_bends_at_its_first_frequency, .source = "4.7300^2 sqrt(EI / mu L^4)", .tolerance = 1e-3)
{
    return second_order(clamped_first, 40, 4.730040744862704 * 4.730040744862704, 0.1);
}

VALIDATE(pinned_beam_bends_at_its_second_frequency, .source = "4 pi^2 sqrt(EI / mu L^4)", .tolerance = 1e-3)
{
    return second_order(pinned_second, 40, 4 * pi * pi, 0.1);
}

VALIDATE(free_beam_bends_at_its_first_frequency, .source = "4.7300^2 sqrt(EI / mu L^4)", .tolerance = 2e-3)
{
    return second_order(free_first, 40, 4.730040744862704 * 4.730040744862704, 0.1);
}

VALIDATE(free_beam_bends_the_stiff_way_faster, .source = "4.7300^2 sqrt(EI2 / mu L^4)", .tolerance = 2e-3)
{
    return second_order(free_aside, 40, sqrt(3.0) * 4.730040744862704 * 4.730040744862704, 0.1);
}

// ---- torsion, of frames with inertia: far below all bending

static double torsion(int elements, int mode)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(elements);
    def.stiffness.spin_inertia = 25.0, def.dynamic_twist = true, def.half_edge_start = true;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    double omega2[4];
    CHECK_OK(cord_world_modes(world, mode + 1, omega2, NULL));
    cord_world_destroy(world);
    return sqrt(omega2[mode]);
}

static double torsion_first(int n)
{
    return torsion(n, 0);
}

static double torsion_second(int n)
{
    return torsion(n, 1);
}

VALIDATE(a_cantilever_turns_at_its_first_frequency, .source = "pi/2 sqrt(GJ / I L^2)", .tolerance = 1e-3)
{
    return second_order(torsion_first, 40, 0.5 * pi / 5.0, 0.1);
}

VALIDATE(a_cantilever_turns_at_its_second_frequency, .source = "3 pi/2 sqrt(GJ / I L^2)", .tolerance = 2e-3)
{
    return second_order(torsion_second, 40, 1.5 * pi / 5.0, 0.1);
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
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
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
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
    double omega2[3];
    solve(world);
    CHECK_OK(cord_world_modes(world, 3, omega2, NULL));
    cord_world_destroy(world);
    return sqrt(omega2[2]);
}

VALIDATE(a_stretched_string_sounds_its_octave, .source = "2 pi sqrt(T / mu), strained by a quarter",
         .tolerance = 1e-3)
{
    double tension = 25.0, mass = 0.8; // EA by 0.25; the mass of 0.8 m is on 1 m now
    return second_order(string_second, 40, 2 * pi * sqrt(tension / mass), 0.1);
}

// ---- rings

enum { PLANE, ACROSS };

// A ring of radius 1 as shaped, GJ = 0.6 EI: the mode with n waves around, in its plane or across it. Motions
// as a whole are the first six; then come pairs.
static double ring(int waves, int direction, int nodes)
{
    enum { MODES = 16 };
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(nodes);
    def.shape = cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 1.0, nodes);
    def.closed = true, def.stiffness.GJ = 0.6;
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

static double ring_plane_2(int n)
{
    return ring(2, PLANE, n);
}

static double ring_plane_3(int n)
{
    return ring(3, PLANE, n);
}

static double ring_across_2(int n)
{
    return ring(2, ACROSS, n);
}

static double ring_across_3(int n)
{
    return ring(3, ACROSS, n);
}

// Love, Mathematical Theory of Elasticity, section 293: n (n^2 - 1) / sqrt(n^2 + 1) in its plane,
// inextensible; n (n^2 - 1) / sqrt(n^2 + EI / GJ) across it, both times sqrt(EI / mu R^4). (Love has 1 + nu
// for EI / GJ, a round section.)
VALIDATE(a_ring_bends_in_its_plane_with_two_waves, .source = "Love, section 293: n(n^2-1)/sqrt(n^2+1)",
         .tolerance = 2e-3)
{
    return second_order(ring_plane_2, 40, 2 * 3 / sqrt(5), 0.1);
}

VALIDATE(a_ring_bends_in_its_plane_with_three_waves, .source = "Love, section 293: n(n^2-1)/sqrt(n^2+1)",
         .tolerance = 4e-3)
{
    return second_order(ring_plane_3, 40, 3 * 8 / sqrt(10), 0.1);
}

VALIDATE(a_ring_bends_across_its_plane_with_two_waves,
         .source = "Love, section 293: n(n^2-1)/sqrt(n^2+EI/GJ)", .tolerance = 2e-3)
{
    return second_order(ring_across_2, 40, 2 * 3 / sqrt(4 + 1 / 0.6), 0.1);
}

VALIDATE(a_ring_bends_across_its_plane_with_three_waves,
         .source = "Love, section 293: n(n^2-1)/sqrt(n^2+EI/GJ)", .tolerance = 4e-3)
{
    return second_order(ring_across_3, 40, 3 * 8 / sqrt(9 + 1 / 0.6), 0.1);
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
    double omega2[7]; // six motions as a whole come first
    CHECK_OK(cord_world_modes(world, 7, omega2, NULL));
    cord_world_destroy(world);
    return sqrt(omega2[6]);
}

VALIDATE(a_ring_turns_inside_out_and_back, .source = "Love, section 293: sqrt(EI / I R^2)", .tolerance = 1e-3)
{
    return second_order(ring_turning, 40, 1.0 / 5.0, 0.1);
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

TEST_GROUP(vibration, a_ring_turns_inside_out_and_back, a_cantilever_turns_at_its_first_frequency,
           a_cantilever_turns_at_its_second_frequency, cantilever_bends_at_its_first_frequency,
           cantilever_bends_the_stiff_way_faster, cantilever_bends_at_its_second_frequency,
           clamped_beam_bends_at_its_first_frequency, pinned_beam_bends_at_its_second_frequency,
           free_beam_bends_at_its_first_frequency, free_beam_bends_the_stiff_way_faster,
           a_free_beam_moves_as_a_whole_without_resistance, shapes_are_orthonormal_by_mass,
           a_thrust_softens_a_column_in_proportion, a_stretched_string_sounds_its_octave,
           a_ring_bends_in_its_plane_with_two_waves, a_ring_bends_in_its_plane_with_three_waves,
           a_ring_bends_across_its_plane_with_two_waves, a_ring_bends_across_its_plane_with_three_waves,
           too_many_vibrations_are_refused_by_number)
