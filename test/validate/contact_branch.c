// Branches of equilibria along which contacts open and close, against beam theory.
#include "contacts.h"

#include <cordage/solve.h>

// ---- a column between two walls
//
// A column of length L and EI = 1, clamped at both ends, which approach each other by d, buckles between two
// frictionless walls at a distance h from its axis. With P = EI k^2 and small slopes (Chateau and Nguyen
// 1991; Domokos, Holmes and Royce 1997):
//   - until it touches, at d = pi^2 h^2 / (4 L), k L = 2 pi;
//   - it then touches at one point, and each half is a column whose ends stay parallel, h apart, until
//     k L = 4 pi and d = 3 h^2 / L.
// From there on a part of it lies flat on the wall. The parts beside it are at their own critical load all
// along: neutral, so that the mesh decides where the branch goes. With a load q along it towards the wall
// they are stable. Where it lies flat then, w = A (1 - cos) + B (k s - sin) + q s^2 / (2 P) beside it, up to
// where it is level, straight, and h high.

enum { ELEMENTS_MOST = 121 };
static const double h = 0.01, thickness = 0.002;

typedef struct Column {
    CordWorld* world;
    CordRodId rod;
    int elements;
    double length; // between the middles of its end edges, where clamps act [m]
    double first;  // shortening at the start, over h^2 / length
    double last;   // and at the end
} Column;

static void add_wall(CordWorld* world, double side)
{
    CordObstacleDef def =
        obstacle_def(CORD_SOLID_PLANE, (CordVec3){1, 0, 0}, (CordVec3){0, side * (h + thickness), 0});
    def.rotation = cord_quat_about((CordVec3){1, 0, 0}, side * 0.5 * pi);
    add_obstacle(world, &def);
}

// Buckled to half the distance of the walls. Time is the shortening over h^2 / length.
static Column column(int elements, double load, double last)
{
    CordWorldDef world = cord_world_def_default();
    world.gravity = (CordVec3){0, load, 0}; // of a mass per length of 1
    Column c = {.elements = elements, .last = last};
    CHECK_OK(cord_world_create(&world, &c.world));
    CordVec3 x[ELEMENTS_MOST + 1];
    double all = 0.0;
    for (int i = 0; i <= elements; i++) {
        double at = (double)i / elements;
        bool held = i < 2 || i > elements - 2;
        x[i] = (CordVec3){at, held ? 0.0 : 0.25 * h * (1.0 - cos(2.0 * pi * at)), 0.0};
        all += i > 0 ? size_of(minus(x[i], x[i - 1])) : 0.0;
    }
    CordRodDef def = unit_rod(elements);
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.section = cord_section_disc(thickness);
    def.stiffness.EI2 = 100.0, def.stiffness.GJ = 100.0, def.m1 = (CordVec3){0, 0, 1};
    def.shape = cord_shape_points(x, elements + 1);
    def.rest = CORD_REST_STRAIGHT;
    c.rod = add_rod(c.world, &def);
    c.length = all * (elements - 1.0) / elements;
    double unit = h * h / c.length;
    c.first = (all - 1.0) / unit;
    CordMotion approach = cord_motion_translate((CordVec3){(c.first - last) * unit, 0, 0}, c.first, last);
    hold(c.world, c.rod, cord_at_start(), CORD_FIX_FRAME);
    hold_moving(c.world, c.rod, cord_at_end(), CORD_FIX_FRAME, &approach, 1);
    add_wall(c.world, 1.0);
    add_wall(c.world, -1.0);
    touch_with(c.world, 0.0);
    return c;
}

static double wave_number(const Column* c) // k L
{
    double tension[ELEMENTS_MOST];
    CHECK_OK(cord_rod_tensions(c->world, c->rod, tension));
    return sqrt(-tension[0]) * c->length;
}

static int pressing(const Column* c) // contacts that bear a force
{
    const CordContact* all = cord_world_contacts(c->world);
    int count = 0;
    for (int i = 0; i < cord_world_contact_count(c->world); i++) {
        count += all[i].push > 1e-9;
    }
    return count;
}

typedef struct Bulge { // w = A (1 - cos k s) + B (k s - sin k s) + C (k s)^2 / 2, over h, beside a contact
    double A, B, C;
    double x; // k times its length
} Bulge;

// Shortening of two of them over h^2 / L, at k L.
static double shortening_of(const Bulge* b, double kL)
{
    enum { N = 2000 };
    double sum = 0.0;
    for (int i = 0; i < N; i++) { // of the square of the slope, by the midpoint rule
        double at = (i + 0.5) * b->x / N, slope = b->A * sin(at) + b->B * (1.0 - cos(at)) + b->C * at;
        sum += slope * slope * b->x / N;
    }
    return kL * sum;
}

// A half of a column that touches at one point: h high and level there.
static Bulge bulge_to_point(double kL)
{
    double x = 0.5 * kL, ratio = -(1.0 - cos(x)) / sin(x); // A over B
    double B = 1.0 / (ratio * (1.0 - cos(x)) + x - sin(x));
    return (Bulge){ratio * B, B, 0.0, x};
}

// Beside a flat part, at which its curvature vanishes as well. `C`: q / (EI k^4 h). As long as it is, it gets
// higher.
static Bulge bulge_to_flat(double C)
{
    double low = 1e-3, high = 2.0 * pi;
    Bulge b = {.C = C};
    for (int n = 0; n < 60; n++) {
        double x = b.x = 0.5 * (low + high), c = cos(x), s = sin(x), det = c * (1.0 - c) - s * s;
        b.A = (-C * (1.0 - c) + C * x * s) / det; // curvature and slope vanish
        b.B = (-C * x * c + C * s) / det;
        double top = b.A * (1.0 - c) + b.B * (x - s) + 0.5 * C * x * x;
        *(top < 1.0 ? &low : &high) = x;
    }
    return b;
}

// The wave number k L at which the shortening is d; it rises with k.
static double wave_number_at(double d)
{
    double low = 2.0 * pi * (1.0 + 1e-9), high = 4.0 * pi * (1.0 - 1e-9);
    for (int n = 0; n < 50 && d > 0.25 * pi * pi; n++) {
        double kL = 0.5 * (low + high);
        Bulge b = bulge_to_point(kL);
        *(shortening_of(&b, kL) < d ? &low : &high) = kL;
    }
    return d > 0.25 * pi * pi ? 0.5 * (low + high) : 2.0 * pi;
}

typedef void (*PointCheck)(const Column* c, const CordBranchPoint* p, double* worst);

// Follows the branch. Returns the largest error.
static double follow(Column c, PointCheck check)
{
    CordBranchDef def = cord_branch_def_default();
    def.method = CORD_BRANCH_ARC, def.from = c.first, def.to = c.last, def.step = 0.02, def.most = 0.1;
    CordBranch* branch;
    CHECK_WORLD_OK(c.world, cord_branch_create(c.world, &def, &branch));
    double worst = 0.0;
    for (CordBranchPoint p = {0}; p.event != CORD_BRANCH_END;) {
        CHECK_WORLD_OK(c.world, cord_branch_next(branch, &p));
        check(&c, &p, &worst);
        CHECK(cord_world_contact_report(c.world).deepest < 1e-6);
    }
    cord_branch_destroy(branch);
    cord_world_destroy(c.world);
    return worst;
}

static void check_buckled(const Column* c, const CordBranchPoint* p, double* worst)
{
    double k = wave_number(c), off = k / wave_number_at(p->time) - 1.0;
    print_message("    d %.4f, k L / pi %.4f, off by %.1e, least %.4g, %d contacts\n", p->time, k / pi, off,
                  p->least_eigenvalue, pressing(c));
    *worst = fmax(*worst, fabs(off));
    CHECK_INT(p->solve.unstable, 0);
    CHECK(pressing(c) > 0 || p->time < 0.25 * pi * pi + 0.02);
}

// Where it begins to touch, k rises as the root of d: errors of second order are largest there.
TEST(a_column_buckles_and_touches_a_wall)
{
    double even = follow(column(120, 0.0, 2.95), check_buckled), // a node, or an edge, is in the middle
        odd = follow(column(121, 0.0, 2.95), check_buckled);
    print_message("  off by at most %.2g and %.2g\n", even, odd);
    CHECK(even < 0.01 && odd < 0.01);
}

static const double push = 20.0; // q

static void check_flat(const Column* c, const CordBranchPoint* p, double* worst)
{
    double k = wave_number(c) / c->length, kL = k * c->length;
    CHECK_INT(p->solve.unstable, 0);
    if (pressing(c) < 6 || !(kL > pi)) { // at first the load pulls it out
        return;
    }
    Bulge b = bulge_to_flat(push / (k * k * k * k * h));
    double off = shortening_of(&b, kL) / p->time - 1.0, flat = c->length - 2.0 * b.x / k;
    print_message("    d %.4f, k L / pi %.4f, off by %.1e, %.3f flat, %d contacts\n", p->time,
                  k * c->length / pi, off, flat, pressing(c));
    *worst = fmax(*worst, fabs(off));
    CHECK_NEAR(pressing(c), flat * (c->elements - 1.0) / c->length + 1.0, 3.0);
}

TEST(a_column_that_is_pushed_to_a_wall_lies_flat_on_it)
{
    double off = follow(column(121, push, 5.5), check_flat);
    print_message("  off by at most %.2g\n", off);
    CHECK(off > 0.0 && off < 0.01);
}

// ---- an arch that lands
//
// A shallow arch snaps through under a load at its apex, but lands on a plate on the way. From there on the
// plate bears what the load is more, and nothing moves.

typedef struct Arch {
    CordWorld* world;
    CordRodId rod;
    CordObstacleId plate;
    int apex; // its node
} Arch;

static const double most_load = 40.0, plate_height = 0.02;

static Arch arch(int elements)
{
    const double radius = 0.002;
    Arch a = {.world = new_weightless_world(), .apex = elements / 2};
    CordRodDef def = unit_rod(elements);
    CordVec3 x[ELEMENTS_MOST + 1];
    for (int i = 0; i <= elements; i++) {
        x[i] = (CordVec3){(double)i / elements, 0.0, 0.05 * sin(pi * i / elements)};
    }
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.inextensible = false;
    def.section = cord_section_disc(radius);
    def.stiffness.EI2 = def.stiffness.GJ = 100.0, def.m1 = (CordVec3){0, 1, 0};
    def.shape = cord_shape_points(x, elements + 1);
    a.rod = add_rod(a.world, &def);
    hold_ends(a.world, a.rod, CORD_FIX_FRAME);
    CordObstacleDef plate = obstacle_def(CORD_SOLID_BOX, (CordVec3){0.01, 0.1, 0.02},
                                         (CordVec3){0.5, 0, plate_height - radius - 0.01});
    a.plate = add_obstacle(a.world, &plate);
    touch_with(a.world, 0.0);
    CordLoadDef load = cord_load_def_default();
    load.kind = CORD_LOAD_FORCE, load.rod = a.rod, load.at = cord_at_node(a.apex);
    load.force = (CordVec3){0, 0, -most_load}, load.from = 0.0, load.ramp = 1.0;
    CordLoadId id;
    CHECK_WORLD_OK(a.world, cord_load_create(a.world, &load, &id));
    return a;
}

TEST(a_plate_bears_what_an_arch_that_has_landed_does_not)
{
    Arch a = arch(20);
    CordBranchDef def = cord_branch_def_default();
    def.method = CORD_BRANCH_ARC, def.to = 1.0, def.step = 0.02;
    CordBranch* branch;
    CHECK_WORLD_OK(a.world, cord_branch_create(a.world, &def, &branch));
    double borne = NAN; // of the load, by the arch
    for (CordBranchPoint p = {0}; p.event != CORD_BRANCH_END;) {
        CordVec3 force, torque;
        CHECK_WORLD_OK(a.world, cord_branch_next(branch, &p));
        CHECK_OK(cord_obstacle_force(a.world, a.plate, &force, &torque));
        double z = node_of(a.world, a.rod, a.apex).z, arches = most_load * p.time + force.z;
        print_message("    t %.4f, height %.6f, %.4f N on the plate, %.4f N on the arch, unstable %d\n",
                      p.time, z, force.z, arches, p.solve.unstable);
        if (force.z < 0.0) {
            borne = isnan(borne) ? arches : borne;
            CHECK_NEAR(arches, borne, 1e-6 * borne);
            CHECK_NEAR(z, plate_height, 1e-10);
            CHECK_INT(p.solve.unstable, 0);
        }
    }
    CHECK(borne > 0.0);
    cord_branch_destroy(branch);
    cord_world_destroy(a.world);
}

// ---- an obstacle that moves
//
// A ball under the tip of a cantilever rises by d from where it touches: it pushes with 3 EI d / L^3.

static double force_of_rising_ball(int elements, double d)
{
    const double radius = 0.01, ball = 0.05;
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(elements);
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.section = cord_section_disc(radius);
    def.half_edge_start = true;
    CordRodId rod = add_held(world, &def);
    CordObstacleDef sphere =
        obstacle_def(CORD_SOLID_SPHERE, (CordVec3){ball, 0, 0}, (CordVec3){1.0, 0.0, -(radius + ball) - d});
    CordMotion rise = cord_motion_translate((CordVec3){0, 0, 2.0 * d}, 0.0, 1.0);
    sphere.motions = &rise, sphere.motion_count = 1;
    CordObstacleId id = add_obstacle(world, &sphere);
    touch_with(world, 0.0);
    CordBranchDef branch_def = cord_branch_def_default();
    branch_def.method = CORD_BRANCH_ARC, branch_def.step = 0.1;
    CordBranch* branch;
    CHECK_WORLD_OK(world, cord_branch_create(world, &branch_def, &branch));
    CordVec3 force = {0, 0, 0}, torque;
    for (CordBranchPoint p = {0}; p.event != CORD_BRANCH_END;) {
        CHECK_WORLD_OK(world, cord_branch_next(branch, &p));
        CHECK_OK(cord_obstacle_force(world, id, &force, &torque));
        CHECK(p.time > 0.5 || force.z == 0.0);
    }
    print_message("    tip at %.6g m\n", tip_of(world, rod).z);
    cord_branch_destroy(branch);
    cord_world_destroy(world);
    return -force.z;
}

TEST(a_ball_that_rises_lifts_a_cantilever)
{
    const double d = 1e-3;
    double force = force_of_rising_ball(40, d);
    print_message("    %.6g N\n", force);
    CHECK_NEAR(force / (3.0 * d), 1.0,
               1e-3); // the contact is off the tip by the slope times the ball's radius
}

TEST_GROUP(contact_branch)
