// DER, figure 10: a chain of open links, pulled apart until the links unbend and let go. It breaks at the
// force that opens one link by itself.
#include "lab.h"

#include <cordage/contact.h>
#include <cordage/solve.h>

#include <math.h>

enum { LINKS = 5, ELEMENTS = 80, NODES = ELEMENTS + 1 };

// As in the scene: half-axes of a link, radius of its wire [m], angle that it leaves out on either side of
// its gap's middle.
static const double wide = 0.016, high = 0.024, radius = 0.002, gap_angle = 15.0, young = 5e8,
                    friction = 0.02;

typedef struct Pull {
    double force;   // [N]
    double opening; // between the link's two ends [m]
} Pull;

static double force_on(const CordWorld* world, int obstacle)
{
    return cord_vec3_length(lab_obstacle_force(world, obstacle));
}

static double opening_of(const CordWorld* world, int link)
{
    CordVec3 x[NODES];
    (void)cord_rod_positions(world, cord_world_rod(world, link), x);
    return cord_vec3_distance(x[0], x[NODES - 1]);
}

// ---- theory
//
// Half a link, inextensible, from the middle of its back (s = 0) to its end. A neighbour touches it at s = c,
// where its tangent has turned by phi = pi/2 (less the angle of friction), and pulls with F along a line
// at a distance x: EI (phi' - rest curvature) = -F x. Beyond c it is as it was at rest.

enum { POINTS = 2000 };

typedef struct HalfLink {
    double h;                         // between points [m]
    double curvature[2 * POINTS + 1]; // at rest, at points and half way between them [1/m]
} HalfLink;

static double ellipse_speed(double t)
{
    return hypot(wide * sin(t), high * cos(t));
}

static void half_link(HalfLink* half)
{
    const int fine = 100000;
    double from = CORD_PI, to = gap_angle * CORD_PI / 180.0, dt = (to - from) / fine, length = 0.0;
    for (int i = 0; i < fine; i++) {
        length += ellipse_speed(from + (i + 0.5) * dt) * fabs(dt);
    }
    half->h = length / POINTS;
    double t = from;
    for (int i = 0; i <= 2 * POINTS; i++) {
        double speed = ellipse_speed(t);
        half->curvature[i] = wide * high / (speed * speed * speed);
        // the curve's parameter, half a point on, by the midpoint rule
        double middle = t - 0.25 * half->h / speed;
        t -= 0.5 * half->h / ellipse_speed(middle);
    }
}

typedef struct Shot {
    double phi;    // at the back; 0: it is an equilibrium
    double height; // of the place of contact above the back [m]
} Shot;

static Shot shoot(const HalfLink* half, int c, double force, double slant)
{
    double EI = young * CORD_PI / 4.0 * radius * radius * radius * radius, h = half->h;
    double phi = CORD_PI / 2.0 - slant, x = 0.0, height = 0.0;
    for (int i = c; i > 0; i--) { // the midpoint rule
        double phi_mid = phi - 0.5 * h * (half->curvature[2 * i] - force / EI * x),
               x_mid = x + 0.5 * h * sin(phi);
        height += h * cos(phi_mid);
        phi -= h * (half->curvature[2 * i - 1] - force / EI * x_mid);
        x += h * sin(phi_mid);
    }
    return (Shot){phi, height};
}

static double tip_height(const HalfLink* half, int c, double slant) // above the place of contact [m]
{
    double phi = CORD_PI / 2.0 - slant, height = 0.0;
    for (int i = c; i < POINTS; i++) {
        height += half->h * cos(phi + 0.5 * half->h * half->curvature[2 * i]);
        phi += half->h * half->curvature[2 * i + 1];
    }
    return height;
}

static bool balance(const HalfLink* half, int c, double slant, Pull* pull)
{
    double low = 0.0, high_force = 40.0;
    if (shoot(half, c, low, slant).phi > 0.0) {
        return false; // it would have to be pushed
    }
    for (int i = 0; i < 50; i++) {
        double mid = 0.5 * (low + high_force);
        *(shoot(half, c, mid, slant).phi < 0.0 ? &low : &high_force) = mid;
    }
    *pull = (Pull){low, 2.0 * (shoot(half, c, low, slant).height + tip_height(half, c, slant))};
    return true;
}

static double theory(Lab* lab, const HalfLink* half, double mu)
{
    double most = 0.0;
    for (int c = POINTS / 2; c <= POINTS; c += POINTS / 100) {
        Pull pull;
        if (balance(half, c, atan(mu), &pull)) {
            most = fmax(most, pull.force);
            if (mu <= 0.0) {
                lab_row(lab, "", "theory", pull.opening, pull.force);
            }
        }
    }
    return most;
}

// ---- one link at rest

static void add_ring(Lab* lab, CordWorld* world, double x, double by)
{
    CordMotion motion = cord_motion_translate((CordVec3){by, 0, 0}, 0.0, 1.0);
    CordObstacleDef ring = cord_obstacle_def_default();
    ring.solid = (CordSolid){.shape = CORD_SOLID_TORUS, .size = {high, radius, 0}};
    ring.position = (CordVec3){x, 0, 0};
    ring.motions = &motion;
    ring.motion_count = 1;
    CordObstacleId id;
    lab_ok(lab, world, cord_obstacle_create(world, &ring, &id));
}

static CordWorld* one_link(Lab* lab)
{
    CordWorld* world = lab_world_empty(lab, (CordVec3){0, 0, 0}, LAB_UNTIMED);
    CordRodDef rod = cord_rod_def_default();
    rod.shape =
        cord_shape_ellipse((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, (CordVec3){1, 0, 0}, wide, high, NODES);
    rod.shape.angle_from = gap_angle * CORD_PI / 180.0;
    rod.shape.angle_to = 2.0 * CORD_PI - rod.shape.angle_from;
    rod.closed = false;
    rod.section = cord_section_disc(radius);
    rod.material.young = young;
    rod.material.poisson = 0.45;
    rod.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    // so that all touch from the first
    double apart = 2.0 * (high - radius) - 0.5 * cord_contact_def_default().gap * radius;
    lab_rod(lab, world, &rod);
    lab_friction(lab, world, 0.0);
    add_ring(lab, world, -apart, -0.02);
    add_ring(lab, world, apart, 0.02);
    return world;
}

// Rings move apart. Soon after the force has passed its maximum the link slips off one of them: the branch
// ends there. The greatest force [N].
static double pull_one(Lab* lab)
{
    CordBranchDef def = cord_branch_def_default();
    def.from = 0.0, def.to = 1.0, def.step = 0.02, def.least = 5e-4;
    def.solve.tolerance = 1e-7;
    CordWorld* world = one_link(lab);
    CordBranch* branch = NULL;
    CordBranchPoint point;
    double most = 0.0;
    lab_ok(lab, world, cord_branch_create(world, &def, &branch));
    while (cord_branch_next(branch, &point) == CORD_OK && point.event != CORD_BRANCH_JUMP &&
           point.event != CORD_BRANCH_END) {
        most = fmax(most, force_on(world, 0));
        lab_row(lab, "", "link", opening_of(world, 0), force_on(world, 0));
    }
    cord_branch_destroy(branch);
    return most;
}

// ---- the chain

typedef struct Break {
    double force;   // the greatest before the chain breaks [N]
    double time;    // of it [s]
    double opening; // of the link that opens most, then [m]
    double bent;    // how far the back of that link is still bent, of its curvature at rest
    double stretch; // the greatest relative change of length of any link
    double apart;   // in the end, between the two neighbours that are farthest from each other [m]
    int link;       // which one opens most
} Break;

static double back_curvature(const CordWorld* world, int link) // [1/m]
{
    CordVec3 x[NODES];
    (void)cord_rod_positions(world, cord_world_rod(world, link), x);
    int step = 3, mid = NODES / 2; // over some nodes
    double a = cord_vec3_distance(x[mid - step], x[mid]), b = cord_vec3_distance(x[mid], x[mid + step]),
           c = cord_vec3_distance(x[mid - step], x[mid + step]);
    double s = 0.5 * (a + b + c), area2 = fmax(0.0, s * (s - a) * (s - b) * (s - c));
    return 4.0 * sqrt(area2) / (a * b * c);
}

static double between(const CordWorld* world, int link, CordVec3 point) // [m]
{
    CordVec3 x[NODES];
    double least = INFINITY;
    (void)cord_rod_positions(world, cord_world_rod(world, link), x);
    for (int i = 0; i < NODES; i++) {
        least = fmin(least, cord_vec3_distance(x[i], point));
    }
    return least;
}

// of its circle; less where it is not beside it
static double from_ring(const CordWorld* world, int ring, int link)
{
    CordVec3 center = {0, 0, 0};
    CordQuat turn;
    (void)cord_obstacle_pose(world, cord_world_obstacle(world, ring), &center, &turn);
    return between(world, link, center) - high;
}

static double farthest_neighbours(const CordWorld* world)
{
    double most = fmax(from_ring(world, 0, 0), from_ring(world, 1, LINKS - 1));
    for (int k = 0; k + 1 < LINKS; k++) {
        CordVec3 x[NODES];
        double least = INFINITY;
        (void)cord_rod_positions(world, cord_world_rod(world, k), x);
        for (int i = 0; i < NODES; i++) {
            least = fmin(least, between(world, k + 1, x[i]));
        }
        most = fmax(most, least);
    }
    return most;
}

static int widest(const CordWorld* world)
{
    int best = 0;
    for (int i = 1; i < LINKS; i++) {
        best = opening_of(world, i) > opening_of(world, best) ? i : best;
    }
    return best;
}

static Break pull_chain(Lab* lab)
{
    const double h = 2e-3, end = 1.0; // [s]
    CordWorld* world = lab_world(lab, "der/fig10", LAB_AS_SHIPPED);
    Break b = {.force = 0.0};
    double rest = back_curvature(world, 0);
    bool broken = false;
    for (int i = 1; i * h < end + 0.5 * h && !(broken && i * h > b.time + 0.04); i++) {
        lab_steps(lab, world, h, 1);
        double force = force_on(world, 0);
        broken |= b.force > 1.0 && force < 0.3 * b.force;
        int link = widest(world);
        if (!broken && force > b.force) {
            b.force = force, b.time = i * h, b.link = link, b.opening = opening_of(world, link);
            b.bent = back_curvature(world, link) / rest;
        }
        for (int k = 0; k < LINKS; k++) {
            b.stretch = fmax(b.stretch, cord_rod_stretch(world, cord_world_rod(world, k)));
        }
        if (!broken) {
            lab_row(lab, "", "chain", opening_of(world, link), force);
        }
    }
    b.apart = farthest_neighbours(world);
    return b;
}

// ---- the figure

static void run(Lab* lab)
{
    HalfLink* half = lab_room(lab, 1, sizeof *half);
    half_link(half);
    double smooth = theory(lab, half, 0.0), rough = theory(lab, half, friction), single = pull_one(lab);
    lab_say(lab,
            "open links of wire, 48 x 32 mm, 4 mm thick: the greatest force that one bears; theory "
            "%.4g N without friction, %.4g N with a coefficient of %g",
            smooth, rough, friction);
    lab_near(lab, "one link at rest between two rings, no friction [N]", single, smooth, 0.05,
             "half a link, inextensible and in a plane, by shooting");
    Break b = pull_chain(lab);
    lab_near(lab, "chain of five [N]", b.force, single, 0.05, "one link at rest");
    lab_say(lab, "at %.3f s link %d is the most open, %.1f mm between its ends, %.1f mm at rest", b.time,
            b.link + 1, 1e3 * b.opening, 2e3 * high * sin(gap_angle * CORD_PI / 180.0));
    lab_below(lab, "it opens by unbending: the back of that link is bent, over what it was at rest", b.bent,
              0.7, NULL);
    lab_below(lab, "it opens by unbending: no wire is longer than at rest by more than", b.stretch, 0.02,
              NULL);
    lab_above(lab, "0.04 s later two neighbours are apart by [m]", b.apart, 0.01, "the chain has broken");
}

const Experiment experiment_der_fig10 = {
    .id = "der-fig10",
    .about = "DER figure 10: a chain of open links, pulled until it breaks",
    .source = "DER figure 10",
    .run = run,
    .tables = LAB_TABLES({"", .columns = "what,opening [m],force [N]"}),
    .panels = LAB_PANELS(
        {.x = "between the ends of a link [mm]",
         .y = "force [N]",
         .set = "set xrange [0:*]\nset yrange [0:*]\nset key bottom right",
         .curves = LAB_CURVES(LAB_CURVE("", "theory", "1e3*{opening}", "force", "lines lw 5 lc rgb '#c8ccd2'",
                                        "half a link, inextensible: theory"),
                              LAB_CURVE("", "link", "1e3*{opening}", "force",
                                        "linespoints pt 7 ps 0.6 lc rgb '#2455a4'",
                                        "one link between two rings, at rest"),
                              LAB_CURVE("", "chain", "1e3*{opening}", "force", "lines lw 2 lc rgb '#c8452f'",
                                        "chain of five, pulled: the link that is most open"))}),
};
