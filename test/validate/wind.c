// Equilibria in wind, against tilted gravity, against the rest of damped runs, and their stability.
#include "rods.h"

static CordLoadDef wind_def(double along, double across, CordVec3 velocity)
{
    CordLoadDef def = cord_load_def_default();
    def.kind = CORD_LOAD_DRAG, def.along = along, def.across = across, def.wind.velocity = velocity;
    return def;
}

typedef struct Kind {
    const char* name;
    CordModel model;
    CordIntegrator integrator;
    bool inextensible;
    double vortex; // [m/s]
} Kind;

static const Kind kinds[] = {
    {"der", CORD_MODEL_DER, CORD_INTEGRATOR_BACKWARD_EULER, false, 0.0},
    {"der, inextensible", CORD_MODEL_DER, CORD_INTEGRATOR_BACKWARD_EULER, true, 0.0},
    {"der, vortices", CORD_MODEL_DER, CORD_INTEGRATOR_BACKWARD_EULER, true, 2.0},
    {"corde", CORD_MODEL_CORDE, CORD_INTEGRATOR_BACKWARD_EULER, false, 0.0},
    {"pbd", CORD_MODEL_PBD, CORD_INTEGRATOR_BACKWARD_EULER, true, 0.0},
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))
#define ELEMENTS 16

// A slack cord between two pins 0.8 m apart, across the wind.
static CordRodDef cord_def(const Kind* kind)
{
    CordRodDef def = unit_rod(ELEMENTS);
    def.model = kind->model, def.integrator = kind->integrator, def.inextensible = kind->inextensible;
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = 1e-2;
    static const CordVec3 v[3] = {{0, 0, 0}, {0.4, 0, -0.3}, {0.8, 0, 0}};
    def.shape = cord_shape_polyline(v, 3, ELEMENTS + 1);
    def.rest = CORD_REST_STRAIGHT;
    return def;
}

// ---- positions

static void positions(CordWorld* world, CordRodId rod, CordVec3* x)
{
    CHECK_OK(cord_rod_positions(world, rod, x));
}

static double farthest(const CordVec3* a, const CordVec3* b, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, size_of(minus(a[i], b[i])));
    }
    return most;
}

// Drag as strong along a rod as across it is a constant force per length: gravity of another direction. The
// tilted world's own solve is the truth, to the tolerance of both.
TEST(an_even_wind_is_tilted_gravity)
{
    for (int i = 0; i < KINDS; i++) {
        CordVec3 x[2][ELEMENTS + 1];
        CordSolveReport report[2];
        for (int tilted = 0; tilted < 2 && kinds[i].vortex == 0.0; tilted++) {
            CordWorld* world = new_world((CordVec3){0, tilted ? 4.2 : 0.0, -9.81});
            CordRodDef def = cord_def(&kinds[i]);
            CordLoadDef wind = wind_def(0.6, 0.6, (CordVec3){0, tilted ? 0.0 : 7.0, 0});
            CordRodId rod = add_rod(world, &def);
            hold_ends(world, rod, CORD_FIX_POSITION);
            add_load(world, &wind);
            report[tilted] = solve(world);
            positions(world, rod, x[tilted]);
            double omega2; // a constant force has a potential, and vibrations
            CHECK_OK(cord_world_modes(world, 1, &omega2, NULL));
            cord_world_destroy(world);
        }
        if (kinds[i].vortex == 0.0) {
            print_message("    %s: %.2g m apart\n", kinds[i].name, farthest(x[0], x[1], ELEMENTS + 1));
            CHECK(farthest(x[0], x[1], ELEMENTS + 1) < 1e-9);
            CHECK(report[0].iterations <= 3 * report[1].iterations);
        }
    }
}

// Drag itself lets the run come to rest. What is left of the motion, and the tolerances of solve and steps
// times the compliance of the slack cord, are below 1e-9 m.
TEST(a_solve_in_wind_is_the_rest_of_a_run)
{
    for (int i = 0; i < KINDS; i++) {
        CordVec3 x[2][ELEMENTS + 1];
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        CordRodDef def = cord_def(&kinds[i]);
        CordLoadDef wind = wind_def(2.0, 5.0, (CordVec3){0.6, 1.2, 0.3});
        CordRodId rod = add_rod(world, &def);
        hold_ends(world, rod, CORD_FIX_POSITION);
        add_load(world, &wind);
        if (kinds[i].vortex > 0.0) { // standing vortices: those that the wind carries never come to rest
            CordLoadDef vortices = wind_def(0.5, 1.0, (CordVec3){0, 0, 0});
            vortices.wind.vortex = kinds[i].vortex, vortices.wind.spacing = 0.5;
            add_load(world, &vortices);
        }
        Saved start = save(world);
        run_many(world, 0.05, 400);
        positions(world, rod, x[0]);
        restore(world, &start);
        CordSolveReport report = solve(world);
        positions(world, rod, x[1]);
        print_message("    %s: %.2g m apart after %d iterations\n", kinds[i].name,
                      farthest(x[0], x[1], ELEMENTS + 1), report.iterations);
        CHECK(farthest(x[0], x[1], ELEMENTS + 1) < 1e-9);
        drop_saved(&start);
        cord_world_destroy(world);
    }
}

// ---- explicit steps

static const Kind explicit_kinds[] = {
    {"der", CORD_MODEL_DER, CORD_INTEGRATOR_VERLET, false, 0.0},
    {"der, inextensible", CORD_MODEL_DER, CORD_INTEGRATOR_VERLET, true, 0.0},
    {"der, symplectic Euler", CORD_MODEL_DER, CORD_INTEGRATOR_SYMPLECTIC_EULER, true, 0.0},
};
#define EXPLICIT_KINDS ((int)(sizeof explicit_kinds / sizeof *explicit_kinds))

static CordWorld* cord_in_wind(const Kind* kind, CordRodId* rod)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = cord_def(kind);
    CordLoadDef wind = wind_def(2.0, 5.0, (CordVec3){0.6, 1.2, 0.3});
    *rod = add_rod(world, &def);
    hold_ends(world, *rod, CORD_FIX_POSITION);
    add_load(world, &wind);
    return world;
}

// Where forces balance nothing moves, whatever the step. What is left is the tolerance of the solve and the
// motion that it starts, which decays over 3 s.
TEST(an_explicit_rod_rests_where_forces_balance)
{
    for (int i = 0; i < 2 * EXPLICIT_KINDS; i++) {
        const Kind* kind = &explicit_kinds[i / 2];
        CordRodId rod;
        CordVec3 x[2][ELEMENTS + 1];
        CordWorld* world = cord_in_wind(kind, &rod);
        double h = (kind->inextensible ? 5e-4 : 2e-4) / (1 + i % 2);
        solve(world);
        positions(world, rod, x[0]);
        run_many(world, h, (int)(3.0 / h));
        positions(world, rod, x[1]);
        print_message("    %s, step %g s: %.2g m apart\n", kind->name, h, farthest(x[0], x[1], ELEMENTS + 1));
        CHECK(farthest(x[0], x[1], ELEMENTS + 1) < 1e-10);
        cord_world_destroy(world);
    }
}

// Order in the step of the way there, by four steps: Verlet and RATTLE are of second order, with drag too.
TEST(drag_leaves_explicit_steps_at_second_order)
{
    for (int i = 0; i < EXPLICIT_KINDS; i++) {
        const Kind* kind = &explicit_kinds[i];
        CordVec3 x[4][ELEMENTS + 1];
        for (int n = 0; n < 4; n++) {
            CordRodId rod;
            CordWorld* world = cord_in_wind(kind, &rod);
            run_many(world, ldexp(0.1, -10 - n), 1024 << n);
            positions(world, rod, x[n]);
            cord_world_destroy(world);
        }
        double coarse = farthest(x[0], x[1], ELEMENTS + 1), fine = farthest(x[2], x[3], ELEMENTS + 1);
        double order = 0.5 * log2(coarse / fine);
        print_message("    %s: %.2g m and %.2g m, order %.2f\n", kind->name, coarse, fine, order);
        CHECK_NEAR(order, kind->integrator == CORD_INTEGRATOR_VERLET ? 2.0 : 1.0,
                   0.1); // terms of higher order
    }
}

// A ring, and rods that a body joins: the wind on carried nodes acts on the body.
static CordWorld* flag_on_a_line(const Kind* kind, CordRodId rods[2])
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = cord_def(kind);
    CordBodyDef body = ball_def((CordVec3){0.8, 0, 0}, 0.2, 1e-3);
    CordVec3 other[3] = {{1.6, 0, 0}, {1.2, 0, -0.3}, {0.8, 0, 0}};
    CordBodyId bob = add_body(world, &body);
    for (int k = 0; k < 2; k++) {
        rods[k] = add_rod(world, &def);
        def.shape = cord_shape_polyline(other, 3, ELEMENTS + 1);
        hold(world, rods[k], cord_at_start(), CORD_FIX_POSITION);
        weld(world, rods[k], cord_at_end(), bob, CORD_FIX_FRAME);
    }
    CordLoadDef wind = wind_def(2.0, 5.0, (CordVec3){0.6, 1.2, 0.3});
    add_load(world, &wind);
    return world;
}

TEST(wind_on_welded_rods_moves_their_body)
{
    CordRodId rods[2];
    CordVec3 x[2][ELEMENTS + 1];
    CordWorld* world = flag_on_a_line(&kinds[0], rods);
    run_many(world, 0.05, 800);
    positions(world, rods[1], x[0]);
    CordSolveReport report = solve(world);
    positions(world, rods[1], x[1]);
    CHECK(farthest(x[0], x[1], ELEMENTS + 1) < 1e-8);
    CHECK(report.iterations < 4); // by the full derivatives
    cord_world_destroy(world);
}

TEST(explicit_rods_and_their_body_rest_where_forces_balance)
{
    for (int i = 0; i < EXPLICIT_KINDS; i++) {
        CordRodId rods[2];
        CordVec3 x[2][ELEMENTS + 1];
        CordWorld* world = flag_on_a_line(&explicit_kinds[i], rods);
        solve(world);
        positions(world, rods[1], x[0]);
        run_many(world, 2e-4, 25000);
        positions(world, rods[1], x[1]);
        print_message("    %s: %.2g m apart\n", explicit_kinds[i].name, farthest(x[0], x[1], ELEMENTS + 1));
        CHECK(farthest(x[0], x[1], ELEMENTS + 1) < 1e-9); // the tolerance of the solve, by a soft rod
        cord_world_destroy(world);
    }
}

TEST(a_ring_in_wind_comes_to_the_rest_of_a_run)
{
    for (int explicit = 0; explicit < 2; explicit ++) {
        CordVec3 x[2][ELEMENTS];
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        CordRodDef def = cord_def(explicit ? &explicit_kinds[1] : &kinds[0]);
        def.shape = cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){0, 1, 0}, 0.16, ELEMENTS);
        def.rest = CORD_REST_AS_SHAPED;
        def.closed = true;
        CordRodId rod = add_rod(world, &def);
        CordLoadDef wind = wind_def(2.0, 5.0, (CordVec3){0.6, 1.2, 0.3});
        hold(world, rod, cord_at_edge(4), CORD_FIX_DIRECTION);
        add_load(world, &wind);
        run_many(world, explicit ? 5e-4 : 0.05, explicit ? 20000 : 800);
        positions(world, rod, x[0]);
        CordSolveReport report = solve(world);
        positions(world, rod, x[1]);
        CHECK(farthest(x[0], x[1], ELEMENTS) < 1e-8);
        CHECK(report.iterations < 4);
        cord_world_destroy(world);
    }
}

// ---- stability

// A round column under 1.5 times Euler's load may fall to any side: two modes. In a wind along it the sign of
// the determinant does not tell two from none: it is not told as stable.
TEST(wind_does_not_hide_that_a_column_falls)
{
    for (int loaded = 0; loaded < 2; loaded++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = unit_rod(20);
        def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 21);
        CordRodId rod = add_held(world, &def);
        CordLoadDef wind = wind_def(0.0, 0.1, (CordVec3){0, 0, -0.1}), force = cord_load_def_default();
        force.rod = rod, force.force = (CordVec3){0, 0, loaded ? -1.5 * 2.4674 : -0.5 * 2.4674};
        add_load(world, &wind);
        add_load(world, &force);
        CHECK_INT(solve_as(world, true).unstable, loaded ? -1 : 0);
        double omega2;
        CHECK_RESULT(cord_world_modes(world, 1, &omega2, NULL), CORD_NOT_SUPPORTED);
        CHECK_CONTAINS(cord_world_message(world), "no potential");
        cord_world_destroy(world);
    }
}

// Drag in still air changes no equilibrium and none of its vibrations.
TEST(still_air_has_no_part_in_equilibria)
{
    double omega2[2];
    for (int air = 0; air < 2; air++) {
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        CordRodDef def = cord_def(&kinds[0]);
        CordRodId rod = add_rod(world, &def);
        hold_ends(world, rod, CORD_FIX_POSITION);
        CordLoadDef drag = wind_def(0.1, 3.0, (CordVec3){0, 0, 0});
        if (air) {
            add_load(world, &drag);
        }
        solve(world);
        CHECK_OK(cord_world_modes(world, 1, &omega2[air], NULL));
        cord_world_destroy(world);
    }
    CHECK_NEAR(omega2[1], omega2[0], 0.0);
}

TEST_GROUP(wind)
