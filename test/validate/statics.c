// Equilibria against closed forms, the literature, and the rod's own differential equations: cantilevers,
// columns, arches, rings, chains.
#include "kirchhoff.h"

// ---- cantilevers: errors are 1 to 2 times the square of the mesh, 1e-4

typedef struct Cantilever {
    const char* name;
    CordVec3 force, weight;
    double EI2; // about m2, where m1 is y
    bool inextensible;
    double tolerance;
} Cantilever;

static const Cantilever cantilevers[] = {
    {"a force at the tip, F L^2 / EI = 5", .force = {0, 0, -5}, .EI2 = 1.0, .inextensible = true,
     .tolerance = 2e-4},
    {"its own weight, mu g L^3 / EI = 20", .weight = {0, 0, -20}, .EI2 = 1.0, .inextensible = true,
     .tolerance = 3e-4},
    // it bends both ways, twists, and stretches
    {"flat, loaded askew", .force = {3, 2, -4}, .weight = {0, 0, -3}, .EI2 = 4.0, .tolerance = 3e-4},
};

#define CANTILEVER_EA 1000.0

static CordVec3 cantilever_tip(const Cantilever* c, int elements)
{
    CordWorld* world = new_world(c->weight);
    CordRodDef def = unit_rod(elements);
    def.half_edge_start = true, def.inextensible = c->inextensible;
    def.stiffness.EI2 = c->EI2, def.stiffness.EA = CANTILEVER_EA, def.m1 = (CordVec3){0, 1, 0};
    CordRodId rod = add_held(world, &def);
    add_force(world, rod, cord_at_end(), c->force);
    solve(world);
    CordVec3 tip = tip_of(world, rod);
    cord_world_destroy(world);
    return tip;
}

static CordVec3 cantilever_truth(const Cantilever* c)
{
    OdeRod rod = straight_ode();
    rod.force = c->force, rod.weight = c->weight, rod.K[1] = c->EI2;
    rod.EA = c->inextensible ? INFINITY : CANTILEVER_EA;
    return ode_tip(rod);
}

TEST(cantilevers_under_heavy_loads)
{
    for (size_t i = 0; i < sizeof cantilevers / sizeof *cantilevers; i++) {
        const Cantilever* c = &cantilevers[i];
        CordVec3 tip = cantilever_truth(c);
        print_message("  %s\n", c->name);
        double coarse = size_of(minus(cantilever_tip(c, 50), tip));
        double fine = size_of(minus(cantilever_tip(c, 100), tip));
        CHECK_NEAR(second_order_error(coarse, fine, 0.1), 0.0, c->tolerance);
    }
}

// The tip of the heavily loaded cantilever from elliptic integrals (Bisshopp and Drucker 1945): with p^2 = (1
// + sin phi0) / 2, sqrt(F L^2 / EI) = K(p) - F(p, psi), sin psi = 1 / (p sqrt 2); x = sqrt(2 EI sin(phi0) /
// F). of the first or second kind, by Simpson
static double elliptic(double p, double from, double to, bool second)
{
    enum { N = 2000 };
    double sum = 0.0, h = (to - from) / N;
    for (int i = 0; i <= N; i++) {
        double s = sin(from + i * h), root = sqrt(1 - p * p * s * s),
               weight = i == 0 || i == N ? 1
                        : i % 2          ? 4
                                         : 2;
        sum += weight * (second ? root : 1 / root);
    }
    return sum * h / 3;
}

static void bisshopp_drucker(double load, double* down, double* along) // load: F L^2 / EI
{
    double low = 1e-6, high = pi / 2 - 1e-6;
    for (int n = 0; n < 60; n++) {
        double phi0 = 0.5 * (low + high), p = sqrt(0.5 * (1 + sin(phi0))), psi = asin(1 / (p * sqrt(2)));
        double reach = elliptic(p, psi, pi / 2, false);
        *(reach * reach < load ? &low : &high) = phi0;
        *along = sqrt(2 * sin(phi0) / load);
        *down = 1 - 2 / sqrt(load) * elliptic(p, psi, pi / 2, true);
    }
}

VALIDATE(cantilever_under_a_heavy_tip_load, .source = "elastica: Bisshopp and Drucker 1945, F L^2 / EI = 5",
         .tolerance = 2e-4)
{
    double down, along;
    bisshopp_drucker(5.0, &down, &along);
    CordVec3 tip = cantilever_tip(&cantilevers[0], 100), shot = cantilever_truth(&cantilevers[0]);
    CHECK_NEAR(shot.x, along, 1e-8); // the shooting itself
    CHECK_NEAR(shot.z, -down, 1e-8);
    CHECK_NEAR(tip.y, 0.0, 1e-9);
    return hypot(tip.x - along, tip.z + down);
}

// ---- the 45-degree bend
//
// Bathe and Bolourchi, Int. J. Num. Meth. Engng. 14 (1979) 961: an arc of 45 degrees and radius 100 in, 1 in
// x 1 in, E = 1e7 psi, nu = 0, clamped at one end and loaded across its plane at the other. G J is taken as
// E/2 times 1/6, as they and later authors do.

enum { BEND_MOST = 80 };

static CordVec3 bend_tip(double load, int elements)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = cord_rod_def_default();
    CordVec3 x[BEND_MOST + 3];
    // Edge 0 is clamped at its middle, where the arc begins; the last node is at its end.
    double edge = pi / 4 / (elements - 0.5);
    for (int i = 0; i <= elements; i++) {
        double a = (i - 0.5) * edge;
        x[i] = (CordVec3){100 * sin(a), 100 * (1 - cos(a)), 0};
    }
    def.shape = cord_shape_points(x, elements + 1);
    def.stiffness = cord_stiffness_unset();
    def.stiffness.EI1 = def.stiffness.EI2 = 1e7 / 12, def.stiffness.GJ = 0.5e7 / 6, def.stiffness.EA = 1e7;
    def.stiffness.mass_per_length = 1.0;
    CordRodId rod = add_held(world, &def);
    CordVec3 before = tip_of(world, rod);
    add_force(world, rod, cord_at_end(), (CordVec3){0, 0, load});
    solve(world);
    CordVec3 moved = minus(tip_of(world, rod), before);
    cord_world_destroy(world);
    return moved;
}

static CordVec3 bend_truth(double load)
{
    OdeRod rod = {{1e7 / 12, 1e7 / 12, 0.5e7 / 6},
                  {0, 1 / 100.0, 0},
                  1e7,
                  100 * pi / 4,
                  {0, 0, load},
                  {0, 0, 0},
                  {0, 1, 0},
                  {0, 0, 1},
                  {1, 0, 0}};
    CordVec3 end = {100 * sin(pi / 4), 100 * (1 - cos(pi / 4)), 0};
    return minus(ode_tip(rod), end);
}

TEST(bend_of_45_degrees_against_the_equations)
{
    for (double load = 300.0; load <= 600.0; load += 300.0) {
        CordVec3 truth = bend_truth(load);
        double coarse = size_of(minus(bend_tip(load, BEND_MOST / 2), truth)) / size_of(truth);
        double fine = size_of(minus(bend_tip(load, BEND_MOST), truth)) / size_of(truth);
        CHECK_NEAR(second_order_error(coarse, fine, 0.1), 0.0, 1e-3);
    }
}

// Bathe and Bolourchi: moved by (-23.5, -13.4, 53.4) for P = 600. Simo and Vu-Quoc, Comp. Meth. Appl. Mech.
// Engng. 58 (1986) 79: the tip at (58.84, 22.33, 40.08) for P = 300, at (47.23, 15.79, 53.37) for P = 600,
// from (70.71, 29.29, 0). Both with 8 elements, and shear, which moves the tip by P L / kGA = 0.01: their
// figures agree with each other, and with the equations above, to 0.15 or so.
VALIDATE(bend_of_45_degrees_in_the_literature, .source = "Simo and Vu-Quoc 1986, P = 300 and 600, 8 elements",
         .tolerance = 4e-3)
{
    CordVec3 from = {100 * sin(pi / 4), 100 * (1 - cos(pi / 4)), 0};
    CordVec3 half = plus(bend_tip(300.0, BEND_MOST), from), whole = bend_tip(600.0, BEND_MOST);
    CHECK_VEC3(whole, ((CordVec3){-23.5, -13.4, 53.4}), 0.25);
    whole = plus(whole, from);
    double off = size_of(minus(half, (CordVec3){58.84, 22.33, 40.08}));
    return fmax(off, size_of(minus(whole, (CordVec3){47.23, 15.79, 53.37}))) / size_of(whole);
}

// ---- a straight rod bent into a semicircle, its ends clamped
//
// The semicircle is an equilibrium, of energy EI pi^2 / 2L: no force passes through it, only a moment. The
// clamps have to hold the directions of the curve's very ends; those of its first and last chords are a
// quarter of an element farther on, and 2 % off at 48 elements.

static double semicircle_error(int elements)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_ellipse((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, (CordVec3){0, 1, 0}, 1 / pi,
                                   1 / pi, elements + 1);
    def.shape.angle_to = pi;
    def.rest = CORD_REST_STRAIGHT;
    def.half_edge_start = def.half_edge_end = true, def.inextensible = true;
    def.stiffness = (CordStiffness){.EI1 = 1.0, .EI2 = 1.0, .GJ = 1.0, .EA = 1.0, .mass_per_length = 1.0};
    CordRodId rod = add_rod(world, &def);
    hold_ends(world, rod, CORD_FIX_FRAME);
    solve(world);
    double energy = cord_rod_energy(world, rod).bend;
    cord_world_destroy(world);
    return energy / (pi * pi / 2) - 1.0;
}

VALIDATE(a_rod_bent_into_a_semicircle_is_clamped_at_its_very_ends, .source = "EI pi^2 / 2L",
         .tolerance = 1e-3)
{
    return second_order_error(semicircle_error(24), semicircle_error(48), 0.1);
}

// ---- columns

static double complete(double k, bool second) // elliptic integral of modulus k
{
    return elliptic(k, 0, pi / 2, second);
}

static CordRodId column(CordWorld* world, int elements, bool inextensible)
{
    CordRodDef def = unit_rod(elements);
    def.half_edge_start = true, def.inextensible = inextensible, def.stiffness.EA = 1e6;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, elements + 1);
    CordRodId rod = add_held(world, &def);
    return rod;
}

// A column clamped below, its top inclined by alpha: k = sin(alpha/2), P = EI (K/L)^2, the top at
// 2E/sqrt(P/EI) - L up and 2k/sqrt(P/EI) aside. (Timoshenko and Gere, Theory of Elastic Stability, table 2-4:
// P/Pcr = 1.015, 1.063, 1.152, 1.293 for 20, 40, 60, 80 degrees.)
static double column_off(double alpha, int elements)
{
    double k = sin(0.5 * alpha), K = complete(k, false), load = K * K;
    double up = 2 * complete(k, true) / K - 1, aside = 2 * k / K;
    CordWorld* world = new_weightless_world();
    CordRodId rod = column(world, elements, true);
    add_force(world, rod, cord_at_end(), (CordVec3){0, 0, -load});
    CordSolveReport report = solve(world);
    CHECK(report.saddles_left >= 1); // it was straight
    CordVec3 top = tip_of(world, rod);
    cord_world_destroy(world);
    return hypot(top.z - up, hypot(top.x, top.y) - aside);
}

TEST(a_column_buckles_as_the_elastica_does)
{
    static const double ratio[] = {1.015, 1.063, 1.152, 1.293};
    for (int i = 0; i < 4; i++) {
        double alpha = (20 + 20 * i) * pi / 180, K = complete(sin(0.5 * alpha), false);
        CHECK_NEAR(K * K / (pi * pi / 4), ratio[i], 1e-3); // the table's last figure
        double fine = second_order_error(column_off(alpha, 60), column_off(alpha, 120), 0.15);
        CHECK_NEAR(fine, 0.0, 2e-3); // near the threshold, the load is what the mesh shifts: 1e-4 / 0.015
    }
}

// Plain Newton stays on the straight column, unstable in both directions; the default leaves it, downhill.
TEST(a_column_above_its_load_is_left_unless_asked_for)
{
    for (int inextensible = 0; inextensible < 2; inextensible++) {
        CordWorld* world = new_weightless_world();
        CordRodId rod = column(world, 60, inextensible);
        add_force(world, rod, cord_at_end(), (CordVec3){0, 0, -1.2 * pi * pi / 4});
        CordSolveReport straight = solve_as(world, true);
        CHECK_INT(straight.unstable, 2);
        CHECK_INT(straight.saddles_left, 0);
        CordVec3 top = tip_of(world, rod);
        CHECK_NEAR(hypot(top.x, top.y), 0.0, 1e-12);
        CordSolveReport bent = solve(world);
        CHECK(bent.saddles_left >= 1);
        CHECK(bent.energy < straight.energy - 1e-3);
        top = tip_of(world, rod);
        CHECK(hypot(top.x, top.y) > 0.5);
        CHECK(bent.residual_relative <= 1e-9);
        cord_world_destroy(world);
    }
}

// ---- branches that cross

// Follows time along the straight or plane state, and returns that of the first bifurcation: where the least
// eigenvalue is zero by linear interpolation, so that the error is 1e-5 or so for steps of a hundredth of the
// range.
static double first_bifurcation(CordWorld* world, double from, double to)
{
    CordBranchDef def = cord_branch_def_default();
    def.method = CORD_BRANCH_ARC, def.from = from, def.to = to, def.step = def.most = 0.01 * (to - from);
    CordBranch* branch;
    CordBranchPoint point = {0};
    CHECK_OK(cord_branch_create(world, &def, &branch));
    do {
        CHECK_WORLD_OK(world, cord_branch_next(branch, &point));
    } while (point.event == CORD_BRANCH_POINT);
    CHECK_INT(point.event, CORD_BRANCH_BIFURCATION);
    cord_branch_destroy(branch);
    return point.event_time;
}

static CordLoadId add_ramp(CordWorld* world, CordRodId rod, CordVec3 force) // all of it at t = 1
{
    CordLoadDef def = cord_load_def_default();
    def.rod = rod, def.at = cord_at_end(), def.force = force, def.from = 0.0, def.ramp = 1.0;
    return add_load(world, &def);
}

// A narrow cantilever loaded in its plane turns over sideways: P = 4.0126 sqrt(EI2 GJ) / L^2 (Timoshenko and
// Gere, section 6.3), if it hardly bends before: EI1 is 1e6 here, which changes the load by 1e-6.
static double lateral_load(int elements)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(elements);
    def.half_edge_start = true;
    def.stiffness.EI1 = 1e6, def.stiffness.EI2 = 1.0, def.stiffness.GJ = 0.7, def.m1 = (CordVec3){0, 1, 0};
    CordRodId rod = add_held(world, &def);
    add_ramp(world, rod, (CordVec3){0, 0, -5.0});
    double load = 5.0 * first_bifurcation(world, 0.5, 0.9);
    cord_world_destroy(world);
    return load;
}

VALIDATE(a_narrow_cantilever_turns_over, .source = "Timoshenko: 4.0126 sqrt(EI2 GJ) / L^2", .tolerance = 1e-3)
{
    return second_order(lateral_load(30), lateral_load(60), 4.01260 * sqrt(0.7), 0.1);
}

// Greenhill's column, built in at both ends: thrust P, torque M = GJ theta / L. In the complex deflection u,
// EI u''''
// - i M u''' + P u'' = 0 with u = u' = 0 at both ends. With a = M / 2EI, b^2 = a^2 + P / EI and L = 1, it has
// a solution where 2 (cos b - cos a) + (P / EI) sin(b) / b = 0. (Ends that turn freely would give Greenhill's
// own P/EI
// + (M/2EI)^2 = (pi/L)^2; a clamp that holds the twist holds the direction.) Without torque it is Euler's 4
// pi^2, without thrust tan a = a, M L / EI = 8.987. Divided by P^2, since it vanishes like that at P = 0 for
// any M.
static double greenhill(double M, double P)
{
    double a = 0.5 * M, square = a * a + P, b = sqrt(fabs(square));
    double cosine = square > 0 ? cos(b) : cosh(b), sinc = b < 1e-6     ? 1.0
                                                          : square > 0 ? sin(b) / b
                                                                       : sinh(b) / b;
    return (2 * (cosine - cos(a)) / P + sinc) / P;
}

static double greenhill_torque(double thrust)
{
    double low = 0.1, step = 0.01;
    while (greenhill(low, thrust) * greenhill(low + step, thrust) > 0.0) {
        low += step;
        CHECK(low < 20.0);
    }
    double high = low + step;
    for (int n = 0; n < 60; n++) {
        double middle = 0.5 * (low + high);
        *(greenhill(low, thrust) * greenhill(middle, thrust) > 0.0 ? &low : &high) = middle;
    }
    return low;
}

// Errors are a tenth of the square of the turn in an element, M / 60 EI.
static double buckling_torque(double thrust, int elements)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(elements);
    def.half_edge_start = def.half_edge_end = true, def.stiffness.GJ = 0.8;
    CordRodId rod = add_rod(world, &def);
    CordMotion turn = cord_motion_rotate((CordVec3){1, 0, 0}, 14.0, 0, 1);
    CordClampDef end = clamp_def(rod, cord_at_end(), CORD_FIX_FRAME);
    end.slides = true, end.axis = (CordVec3){1, 0, 0}, end.motions = &turn, end.motion_count = 1;
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    add_clamp(world, &end);
    add_force(world, rod, cord_at_end(), (CordVec3){-thrust, 0, 0});
    double torque = 0.8 * 14.0 * first_bifurcation(world, 0.0, 1.0);
    cord_world_destroy(world);
    return torque;
}

// Without thrust, with it, and held by tension.
TEST(a_twisted_column_buckles_under_any_thrust)
{
    const double thrust[] = {0.0, 15.0, -2.0}, alone = 2 * 4.493409457909064;
    CHECK_NEAR(greenhill_torque(1e-3), alone, 1e-3); // the formula itself
    CHECK_NEAR(greenhill_torque(4 * pi * pi - 0.01), 0.0, 0.2);
    for (int i = 0; i < 3; i++) {
        double P = thrust[i], truth = P == 0.0 ? alone : greenhill_torque(P);
        double off = second_order(buckling_torque(P, 30), buckling_torque(P, 60), truth, 0.2);
        CHECK_NEAR(off, 0.0, 3e-3);
    }
}

// The same in motion: one clamp turns slowly, from 8.5 to 9.5 rad, and is free to slide.
VALIDATE(a_rod_twisted_slowly_buckles, .source = "8.9868 EI / GJ, 100 elements", .tolerance = 0.02)
{
    enum { N = 100 };
    const double from = 8.5, to = 9.5, time = 25.0;
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(N);
    def.half_edge_start = def.half_edge_end = true;
    def.twist = from;
    CordRodId rod = add_held(world, &def);
    CordMotion turn = cord_motion_rotate((CordVec3){1, 0, 0}, to - from, 0.0, time);
    CordClampDef driven = clamp_def(rod, cord_at_end(), CORD_FIX_FRAME);
    driven.slides = true, driven.axis = (CordVec3){1, 0, 0};
    driven.motions = &turn, driven.motion_count = 1;
    add_clamp(world, &driven);
    CordVec3 v[N + 1] = {{0, 0, 0}};
    for (int i = 2; i < N - 1; i++) {
        v[i].y = 1e-4 * sin(pi * i / N); // the least push: a perfect rod would not know which way
    }
    CHECK_OK(cord_rod_set_velocities(world, rod, v));
    double h = 0.8 * cord_world_step_advice(world).step, aside = 0.0;
    while (aside < 5e-3 && cord_world_time(world) < time) {
        run_many(world, h, 200);
        CordVec3 middle = node_of(world, rod, N / 2);
        aside = hypot(middle.y, middle.z);
    }
    double twist = from + (to - from) * cord_world_time(world) / time;
    CHECK(aside >= 5e-3);
    CHECK(tip_of(world, rod).x < 1.0); // the clamp came along
    cord_world_destroy(world);
    return twist / 8.98681892 - 1.0;
}

// ---- rings

// An ellipse of a rod that is straight at rest, held nowhere: the circle of its length.
TEST(a_ring_that_nothing_holds_becomes_a_circle)
{
    enum { N = 60 };
    for (int inextensible = 0; inextensible < 2; inextensible++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = unit_rod(N);
        def.shape =
            cord_shape_ellipse((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, (CordVec3){0, 1, 0}, 1.3, 0.6, N);
        def.closed = true, def.rest = CORD_REST_STRAIGHT, def.inextensible = inextensible,
        def.stiffness.EA = 1e7;
        CordRodId rod = add_rod(world, &def);
        CordVec3 x[N], middle = {0, 0, 0};
        double length = cord_rod_length(world, rod), edge = length / N;
        CordSolveReport report = solve(world);
        CHECK_OK(cord_rod_positions(world, rod, x));
        for (int i = 0; i < N; i++) {
            middle = plus(middle, times(x[i], 1.0 / N));
        }
        for (int i = 0; i < N; i++) {
            // of the polygon of equal edges; these differ by 0.5 %, and give way by 1e-7
            double radius = edge / (2 * sin(pi / N));
            CHECK_NEAR(size_of(minus(x[i], middle)), radius, 1e-4);
        }
        CHECK_NEAR(report.energy / (N * 4 * pow(tan(pi / N), 2) / (2 * edge)), 1.0, 1e-4);
        cord_world_destroy(world);
    }
}

// ---- a chain

static double chain_off(int elements)
{
    const double w = 0.6;
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = unit_rod(elements);
    CordVec3 through[3] = {{0, 0, 0}, {0.5 * w, 0.05, -0.35}, {w, 0, 0}};
    def.stiffness.EI1 = def.stiffness.EI2 = 1e-9, def.stiffness.GJ = 1e-9;
    def.shape = cord_shape_spline(through, 3, elements + 1);
    def.rest = CORD_REST_STRAIGHT;
    CordRodId rod = add_rod(world, &def);
    hold_ends(world, rod, CORD_FIX_POSITION);
    solve(world);
    double sag = -node_of(world, rod, elements / 2).z, low = 0.01, high = 10.0;
    for (int k = 0; k < 80; k++) {
        double a = 0.5 * (low + high);
        *(2 * a * sinh(w / (2 * a)) > cord_rod_length(world, rod) ? &low : &high) = a;
    }
    cord_world_destroy(world);
    return sag / (low * (cosh(w / (2 * low)) - 1)) - 1.0;
}

// The polygon is a little shorter than its curve: each mesh has the catenary of its own length.
VALIDATE(a_chain_hangs_as_a_catenary, .source = "L = 2 a sinh(w / 2a), sag a (cosh(w / 2a) - 1)",
         .tolerance = 2e-4) // the square of the mesh
{
    return second_order_error(chain_off(40), chain_off(80), 0.15);
}

// A strip on edge that its weight turns over, from the plane in which it lies: there are ways down to the
// side all along. EI2/EI1 from where it stays in its plane to that of a ribbon a hundred times as wide as it
// is thick. The mirror image of where it ends up is as good: the side is not looked at.
TEST(a_strip_on_edge_turns_over_whatever_its_section)
{
    static const double ratio[] = {2, 6.3, 10, 20, 63, 1e3, 1e4};
    for (int i = 0; i < 7; i++) {
        CordWorld* world = new_world((CordVec3){0, 0, -20});
        CordRodDef def = unit_rod(40);
        def.stiffness.EI2 = ratio[i], def.m1 = (CordVec3){0, 0, 1}; // a weight bends it about m2
        def.half_edge_start = true;
        CordRodId rod = add_held(world, &def);
        CordSolveReport plane = solve_as(world, true);
        double aside = fabs(tip_of(world, rod).y);
        cord_world_destroy(world);
        world = new_world((CordVec3){0, 0, -20});
        rod = add_held(world, &def);
        CordSolveReport report = solve(world);
        CHECK_NEAR(aside, 0.0, 1e-9);
        CHECK((plane.unstable == 0) == (i == 0));
        CHECK(i == 0 || (report.energy < plane.energy && fabs(tip_of(world, rod).y) > 0.05));
        cord_world_destroy(world);
    }
}

// Frames with inertia rest where those without do.
TEST(inertia_of_frames_has_no_part_in_equilibria)
{
    CordVec3 tip[2];
    for (int i = 0; i < 2; i++) {
        CordWorld* world = new_world((CordVec3){0, 0, -3});
        CordRodDef def = unit_rod(20);
        def.stiffness.EI2 = 2.0, def.m1 = (CordVec3){0, 0.6, 0.8}, def.dynamic_twist = i;
        CordRodId rod = add_held(world, &def);
        add_force(world, rod, cord_at_end(), (CordVec3){0, 2, 0});
        solve(world);
        tip[i] = tip_of(world, rod);
        cord_world_destroy(world);
    }
    CHECK_VEC3(tip[0], tip[1], 1e-9); // the solver's tolerance
}

TEST_GROUP(statics)
