// Nothing passes through anything: threads shot at each other and at walls, by up to a thousand of their
// radii in a step.
//
// After every step all gaps are measured by brute force as well, links and knots counted anew, and threads
// found on the side of the wall from which they came.
#include "contacts.h"

static const double speed = 10.0; // of a bundle [m/s]

typedef struct Kind { // of threads
    const char* name;
    CordIntegrator integrator;
    bool inextensible, implicit;
} Kind;

static Kind kind_of(int i) // one of eight
{
    CordIntegrator integrator = (CordIntegrator)(i / 2);
    return (Kind){kind_name(integrator, i % 2), integrator, i % 2, is_implicit(integrator)};
}

// All eight kinds, but of the implicit ones, which take long, in turns every other one.
enum { KINDS = 6 };

static Kind kind_at(int i, int turn)
{
    return kind_of(i < 4 ? i : 2 * i - 4 + (i + turn) % 2);
}

// Radius of threads [m]. Explicit ones stretch by waves, which a bundle must be much slower than, and waves
// move by less than an element in a step: a thousand radii must be little beside that.
static double thin_of(Kind kind)
{
    return kind.implicit ? 1e-5 : 2e-6;
}

enum { RING = 10, BUNDLE = 2, LINE = 8 }; // elements of a ring, rings of a bundle, elements of an open thread

static CordRodDef thread(Kind kind)
{
    CordRodDef def = cord_rod_def_default();
    def.integrator = kind.integrator, def.inextensible = kind.inextensible;
    def.section = cord_section_disc(thin_of(kind));
    def.material.young = kind.implicit ? 1e9 : 5e6;
    return def;
}

typedef struct Watch {
    CordWorld* world;
    double thin;
    int links[2 * BUNDLE][2 * BUNDLE];
    int64_t knots[2 * BUNDLE];
    double deepest; // penetration that was reported, over the radius
    double least;   // gap between threads, by brute force, likewise
    int contacts;   // at the most
} Watch;

static int link_of(const CordWorld* world, int a, int b)
{
    CordVec3 x[MOST_NODES], y[MOST_NODES];
    CordRodId p = cord_world_rod(world, a), q = cord_world_rod(world, b);
    CHECK_OK(cord_rod_positions(world, p, x));
    CHECK_OK(cord_rod_positions(world, q, y));
    return (int)lround(cord_polygon_link(x, cord_rod_node_count(world, p), y, cord_rod_node_count(world, q)));
}

static Watch watch(CordWorld* world, double thin)
{
    Watch w = {.world = world, .thin = thin, .least = INFINITY};
    for (int a = 0; a < cord_world_rod_count(world); a++) {
        w.knots[a] = cord_rod_knot(world, cord_world_rod(world, a));
        for (int b = 0; b < a; b++) {
            w.links[a][b] = link_of(world, a, b);
        }
    }
    return w;
}

static void look(Watch* w)
{
    CordContactReport report = cord_world_contact_report(w->world);
    w->deepest = fmax(w->deepest, report.deepest);
    w->least = fmin(w->least, least_gap(w->world) / w->thin);
    w->contacts = report.contacts > w->contacts ? report.contacts : w->contacts;
    CHECK(w->deepest < 1e-3 && w->least > -1e-3);
}

static void look_at_rings(Watch* w)
{
    look(w);
    for (int a = 0; a < cord_world_rod_count(w->world); a++) {
        CHECK_INT(cord_rod_knot(w->world, cord_world_rod(w->world, a)), w->knots[a]);
        for (int b = 0; b < a; b++) {
            CHECK_INT(link_of(w->world, a, b), w->links[a][b]);
        }
    }
}

// ---- rings

static void add_bundle(CordWorld* world, const CordRodDef* thread_def, double side, unsigned* seed)
{
    for (int k = 0; k < BUNDLE; k++) {
        CordRodDef def = *thread_def;
        CordVec3 center = plus((CordVec3){0.05 * side, 0, 0}, times(random_unit(seed), 0.01));
        def.closed = true;
        def.shape = cord_shape_circle(center, random_unit(seed), 0.03 + 0.01 * random_pm(seed), RING);
        def.velocity =
            (CordVec3){-speed * side, 0.1 * speed * random_pm(seed), 0.1 * speed * random_pm(seed)};
        def.spin = times(random_unit(seed), 20.0);
        add_rod(world, &def);
    }
}

TEST(bundles_of_rings_do_not_pass_through_each_other)
{
    for (int k = 0; k < KINDS; k++) {
        Kind kind = kind_at(k, 0);
        CordWorld* world = new_weightless_world();
        CordRodDef def = thread(kind);
        unsigned seed = 17u + (unsigned)kind.inextensible;
        add_bundle(world, &def, -1.0, &seed);
        add_bundle(world, &def, 1.0, &seed);
        touch_with(world, 0.0);
        double thin = thin_of(kind),
               h = 500.0 * thin / speed; // each by 500 radii, towards each other by a thousand
        CHECK(kind.implicit || h < cord_world_step_advice(world).step);
        Watch w = watch(world, thin);
        for (int n = 0; n < (int)(0.012 / h); n++) {
            run_many(world, h, 1);
            look_at_rings(&w);
        }
        print_message("    %s: up to %d contacts; %.1g of a radius deep; %.2g between surfaces; %d retries\n",
                      kind.name, w.contacts, w.deepest, w.least, (int)cord_world_retries(world));
        CHECK(w.contacts >= 2);
        cord_world_destroy(world);
    }
}

// Two rings through each other, and a trefoil, torn apart.
TEST(links_of_a_chain_stay_linked)
{
    for (int k = 0; k < KINDS; k++) {
        Kind kind = kind_at(k, 1);
        CordWorld* world = new_weightless_world();
        CordRodDef def = thread(kind);
        def.closed = true;
        def.shape = cord_shape_circle((CordVec3){-0.015, 0, 0}, (CordVec3){0, 0.1, 1}, 0.03, 16);
        def.velocity = (CordVec3){-speed, 0, 0.5};
        add_rod(world, &def);
        def.shape = cord_shape_torus_knot((CordVec3){0.02, 0.003, 0.002}, (CordVec3){0, 1, 0.1}, 2, 3, 0.03,
                                          0.012, 30);
        def.velocity = (CordVec3){speed, 0, 0};
        add_rod(world, &def);
        touch_with(world, 0.0);
        double thin = thin_of(kind), h = 500.0 * thin / speed;
        CHECK(kind.implicit || h < cord_world_step_advice(world).step);
        Watch w = watch(world, thin);
        CHECK(w.links[1][0] != 0 && w.knots[1] == 3);
        for (int n = 0; n < (int)(0.01 / h); n++) {
            run_many(world, h, 1);
            look_at_rings(&w);
        }
        print_message("    %s: linked %d times; up to %d contacts; %.1g of a radius deep; %.2g between "
                      "surfaces; %d retries\n",
                      kind.name, w.links[1][0], w.contacts, w.deepest, w.least,
                      (int)cord_world_retries(world));
        CHECK(w.contacts >= 2);
        cord_world_destroy(world);
    }
}

// ---- walls

typedef enum Wall { WALL_PLANE, WALL_SPHERE, WALL_BOX, WALL_SHEET, WALLS } Wall;

static const char* const wall_names[] = {"plane", "sphere", "thin box", "sheet of triangles"};
enum { GRID = 5 };
static const double ball = 0.05, wide = 0.4,
                    dent = 0.004; // radius; half the width of sheet and box; how uneven the sheet is [m]
static CordVec3 sheet[GRID * GRID];
static int sheet_triangles[6 * (GRID - 1) * (GRID - 1)];

static void make_sheet(void)
{
    int n = 0;
    for (int i = 0; i < GRID * GRID; i++) {
        int column = i % GRID, row = i / GRID;
        sheet[i] = (CordVec3){wide * (0.5 * column - 1.0), wide * (0.5 * row - 1.0),
                              -dent * ((7 * column + 3 * row) % 5)};
        if (column < GRID - 1 && row < GRID - 1) {
            int corners[6] = {i, i + 1, i + GRID + 1, i, i + GRID + 1, i + GRID};
            memcpy(sheet_triangles + n, corners, sizeof corners);
            n += 6;
        }
    }
}

static CordObstacleDef wall_def(Wall wall)
{
    if (wall == WALL_SPHERE) {
        return obstacle_def(CORD_SOLID_SPHERE, (CordVec3){ball, 0, 0}, (CordVec3){0, 0, -ball});
    }
    if (wall == WALL_BOX) { // a hundredth of what threads move in a step
        return obstacle_def(CORD_SOLID_BOX, (CordVec3){2.0 * wide, 2.0 * wide, 1e-4},
                            (CordVec3){0, 0, -5e-5});
    }
    CordObstacleDef def = cord_obstacle_def_default();
    if (wall == WALL_SHEET) {
        make_sheet();
        def.solid.shape = CORD_SOLID_MESH;
        def.solid.mesh.vertices = sheet, def.solid.mesh.vertex_count = GRID * GRID;
        def.solid.mesh.triangles = sheet_triangles;
        def.solid.mesh.triangle_count = 2 * (GRID - 1) * (GRID - 1);
    }
    return def;
}

// How high a point is above the sheet, along z: its triangles lie between y - x and the diagonal, on either
// side of it.
static double above_sheet(CordVec3 p)
{
    double cell = 0.5 * wide, u = (p.x + wide) / cell, v = (p.y + wide) / cell;
    int column = (int)fmin(fmax(floor(u), 0.0), GRID - 2.0), row = (int)fmin(fmax(floor(v), 0.0), GRID - 2.0);
    const CordVec3* corner = sheet + GRID * row + column;
    double a = u - column, b = v - row, z00 = corner[0].z, z11 = corner[GRID + 1].z;
    double z = a > b ? z00 + a * (corner[1].z - z00) + b * (z11 - corner[1].z)
                     : z00 + b * (corner[GRID].z - z00) + a * (z11 - corner[GRID].z);
    return p.z - z;
}

// The height of an edge's axis over the wall, at the most so: of the sheet, in steps along it.
static double height_of_edge(Wall wall, CordVec3 p, CordVec3 q)
{
    double least = fmin(p.z, q.z);
    if (wall == WALL_SPHERE) {
        return point_to_segment((CordVec3){0, 0, -ball}, p, q) - ball;
    }
    for (int k = 0; k <= 64 && wall == WALL_SHEET; k++) {
        double height = above_sheet(plus(times(p, 1.0 - k / 64.0), times(q, k / 64.0)));
        least = k == 0 ? height : fmin(least, height);
    }
    return least;
}

// Over the wall as it stands now, if it has come up from z = 0 by `up`.
static double least_height(CordWorld* world, Wall wall, double up)
{
    CordFrame frame;
    CHECK_OK(cord_world_frame(world, &frame));
    CordVec3 by = {0, 0, -up};
    double least = INFINITY;
    for (int r = 0; r < frame.rod_count; r++) {
        const CordVec3* x = frame.x + frame.rods[r].first_node;
        for (int j = 0; j < frame.rods[r].edge_count; j++) {
            CHECK(wall == WALL_PLANE || wall == WALL_SPHERE || fmax(fabs(x[j].x), fabs(x[j].y)) < wide);
            least = fmin(least, height_of_edge(wall, plus(x[j], by), plus(x[j + 1], by)));
        }
    }
    return least;
}

// Threads come down on the wall, or it comes up to them.
static void shoot_at_wall(Wall wall, int i, bool moving)
{
    const double end = 0.015; // [s]
    Kind kind = kind_of(i);
    CordWorld* world = new_weightless_world();
    unsigned seed = 5u + (unsigned)wall;
    for (int k = 0; k < 3; k++) {
        CordRodDef def = thread(kind);
        CordVec3 center = plus((CordVec3){0, 0, 0.06}, times(random_unit(&seed), 0.01)),
                 half = times(random_unit(&seed), 0.04);
        def.shape = cord_shape_line(minus(center, half), plus(center, half), LINE + 1);
        def.velocity =
            (CordVec3){0.1 * speed * random_pm(&seed), 0.1 * speed * random_pm(&seed), moving ? 0.0 : -speed};
        def.spin = times(random_unit(&seed), 20.0);
        add_rod(world, &def);
    }
    touch_with(world, 0.0);
    CordObstacleDef def = wall_def(wall);
    CordMotion rise = cord_motion_translate((CordVec3){0, 0, speed * end}, 0.0, end);
    def.motions = &rise, def.motion_count = moving ? 1 : 0;
    add_obstacle(world, &def);
    double thin = thin_of(kind), h = (kind.inextensible || kind.implicit ? 1000.0 : 500.0) * thin / speed;
    double lowest = INFINITY;
    CHECK(kind.implicit || h < cord_world_step_advice(world).step);
    Watch w = watch(world, thin);
    for (int n = 0; n < (int)(end / h); n++) {
        run_many(world, h, 1);
        look(&w);
        lowest = fmin(lowest, least_height(world, wall, moving ? speed * (n + 1) * h : 0.0) / thin);
    }
    print_message("    %s%s, %s: up to %d contacts; %.1g of a radius deep; axes no lower than %.4f "
                  "radii; %d retries\n",
                  moving ? "rising " : "", wall_names[wall], kind.name, w.contacts, w.deepest, lowest,
                  (int)cord_world_retries(world));
    CHECK(w.contacts >= 1);
    // On the sheet, heights along z are more than distances, but not by more than the slope of its triangles
    // has it.
    CHECK(lowest > 1.0 - 1e-3);
    cord_world_destroy(world);
}

TEST(threads_do_not_pass_through_walls)
{
    for (int wall = 0; wall < WALLS; wall++) {
        for (int i = 0; i < 8; i++) {
            shoot_at_wall((Wall)wall, i, (wall + i) % 2 == 0); // each integrator meets both
        }
    }
}

// ---- what turns

// Threads lie beside the axis y, within reach of what turns about it and a little ahead of it, so that a turn
// clears them away. One that it passed through would be left lying, at rest.
typedef enum Turner { TURNER_PADDLE, TURNER_GATE, TURNER_BALL, TURNERS } Turner;

static const char* const turner_names[] = {"paddle", "gate of triangles", "ball on an orbit"};
// of paddle and gate: how far they reach from the axis, and along it [m]
static const double arm = 0.02, broad = 0.2;

static CordObstacleDef turner_def(Turner turner, CordMotion* turn)
{
    static const CordVec3 corners[4] = {{0, -0.1, 0}, {0.02, -0.1, 0}, {0.02, 0.1, 0}, {0, 0.1, 0}};
    static const int triangles[6] = {0, 1, 2, 0, 2, 3};
    CordObstacleDef def =
        turner == TURNER_PADDLE
            ? obstacle_def(CORD_SOLID_BOX, (CordVec3){2.0 * arm, broad, 1e-5}, (CordVec3){0, 0, 0})
            : obstacle_def(CORD_SOLID_SPHERE, (CordVec3){0.4 * arm, 0, 0}, (CordVec3){0.6 * arm, 0, 0});
    if (turner == TURNER_GATE) {
        def = obstacle_def(CORD_SOLID_MESH, (CordVec3){0, 0, 0}, (CordVec3){0, 0, 0});
        def.solid.mesh.vertices = corners, def.solid.mesh.vertex_count = 4;
        def.solid.mesh.triangles = triangles, def.solid.mesh.triangle_count = 2;
    }
    turn->center_is_clamp &= turner != TURNER_BALL;
    def.motions = turn, def.motion_count = 1;
    return def;
}

static const double thicker = 1e-4; // radius of the threads from here on [m]

// A centimetre along the axis.
static CordRodDef short_thread(Kind kind, CordVec3 center)
{
    CordRodDef def = thread(kind);
    CordVec3 half = {0.0003, 0.005, -0.0002};
    def.section = cord_section_disc(thicker);
    def.material.young = kind.implicit ? 1e9 : 1e5; // soft, for bending waves that a step can follow
    def.shape = cord_shape_line(minus(center, half), plus(center, half), 5);
    return def;
}

static CordVec3 centre_of(CordWorld* world, int rod)
{
    CordVec3 x[MOST_NODES], sum = {0, 0, 0};
    CordRodId id = cord_world_rod(world, rod);
    int count = cord_rod_node_count(world, id);
    CHECK_OK(cord_rod_positions(world, id, x));
    for (int n = 0; n < count; n++) {
        sum = plus(sum, times(x[n], 1.0 / count));
    }
    return sum;
}

// A full turn at the least, by so much in each step. `ahead`: angle to the first thread.
static void clear_away(Turner turner, int i, double angle, double ahead)
{
    Kind kind = kind_of(i);
    const double h = kind.implicit ? 1e-2 : 1e-3;
    const int steps = angle < 2.0 * pi ? (int)(2.0 * pi / angle) + 1 : 1;
    CordWorld* world = new_weightless_world();
    CordVec3 before[2];
    for (int k = 0; k < 2; k++) {
        double phase = ahead + 0.2 * k, far = 0.6 * arm;
        before[k] = (CordVec3){far * cos(phase), 0.0, far * sin(phase)};
        CordRodDef def = short_thread(kind, before[k]);
        add_rod(world, &def);
    }
    touch_with(world, 0.0);
    // from x towards z
    CordMotion turn = cord_motion_rotate((CordVec3){0, -1, 0}, steps * angle, 0.0, steps * h);
    CordObstacleDef def = turner_def(turner, &turn);
    add_obstacle(world, &def);
    CHECK(kind.implicit || h < cord_world_step_advice(world).step);
    Watch w = watch(world, thicker);
    for (int n = 0; n < steps; n++) {
        run_many(world, h, 1);
        look(&w);
    }
    double moved =
        fmin(size_of(minus(centre_of(world, 0), before[0])), size_of(minus(centre_of(world, 1), before[1])));
    print_message("    %s, %.1f turns a step, %s: %.1g of a radius deep; threads were moved by %.3f m; "
                  "%d retries\n",
                  turner_names[turner], angle / (2.0 * pi), kind.name, w.deepest, moved,
                  (int)cord_world_retries(world));
    CHECK(moved > arm);
    cord_world_destroy(world);
}

TEST(what_turns_clears_away_what_is_in_its_way)
{
    const double turns[] = {0.1, 1.0, 2.0, 3.3}; // a step
    for (int turner = 0; turner < TURNERS; turner++) {
        for (int i = 0; i < 8; i++) {
            if (!is_implicit((CordIntegrator)(i / 2)) && i % 2 == 0) {
                continue; // waves along explicit threads that stretch would have to be faster than the paddle
            }
            for (int k = 0; k < 4; k++) {
                clear_away((Turner)turner, i, 2.0 * pi * turns[k], k % 2 == 0 ? 3.0 : 1.0);
            }
        }
    }
}

// Threads that fly past the axis in a single step, from three arms above it to three below, while a paddle
// turns by half a turn, or three: as seen from it they go there and back. It meets them on the way, and they
// do not arrive where they were going.
static void fly_through(int i, double angle)
{
    Kind kind = kind_of(i);
    const double h = kind.implicit ? 1e-2 : 1e-3;
    CordWorld* world = new_weightless_world();
    CordVec3 center = {0.3 * arm, 0, 3.0 * arm}, free = {0.3 * arm, 0, -3.0 * arm};
    CordRodDef def = short_thread(kind, center);
    def.velocity = times(minus(free, center), 1.0 / h);
    add_rod(world, &def);
    touch_with(world, 0.0);
    CordMotion turn = cord_motion_rotate((CordVec3){0, -1, 0}, angle, 0.0, h);
    CordObstacleDef paddle = turner_def(TURNER_PADDLE, &turn);
    add_obstacle(world, &paddle);
    Watch w = watch(world, thicker);
    run_many(world, h, 1);
    look(&w);
    double aside = size_of(minus(centre_of(world, 0), free));
    print_message("    a paddle, %.1f turns a step, %s: off by %.3f m; %d retries\n", angle / (2.0 * pi),
                  kind.name, aside, (int)cord_world_retries(world));
    CHECK(aside > 0.5 * arm);
    cord_world_destroy(world);
}

TEST(threads_do_not_fly_through_what_turns)
{
    for (int i = 1; i < 8; i++) {
        if (is_implicit((CordIntegrator)(i / 2)) || i % 2 == 1) {
            fly_through(i, pi);
            fly_through(i, 3.0 * pi);
        }
    }
}

// ---- bodies

typedef struct Shot {
    const char* name;
    CordSolidShape shape;
    CordVec3 size;
    double way, turn; // in a step [m], [rad]
    CordVec3 axis;
} Shot;

// Threads held at both ends, and a body that comes down on them.
static void shoot_body(const Shot* shot, int i)
{
    Kind kind = kind_of(i);
    const double h = 1e-2, lane = 0.003;
    CordWorld* world = new_weightless_world();
    for (int k = 0; k < 3; k++) {
        CordRodDef def = thread(kind);
        double y = lane * (k - 1);
        def.section = cord_section_disc(thicker);
        def.shape = cord_shape_line((CordVec3){-0.1, y, 0}, (CordVec3){0.1, y, 0}, 17);
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
        if (!kind.inextensible) {
            hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
        }
    }
    CordBodyDef def = cord_body_def_default();
    def.solid.shape = shot->shape, def.solid.size = shot->size;
    def.position = (CordVec3){0.004, 0.0002, 0.06};
    if (shot->shape == CORD_SOLID_CAPSULE) {
        def.rotation = cord_quat_about((CordVec3){1, 0, 0}, 0.5 * pi); // across the threads
    }
    def.velocity = (CordVec3){0, 0, -shot->way / h};
    def.spin = times(shot->axis, shot->turn / h);
    CordBodyId body = add_body(world, &def);
    touch_with(world, 0.0);
    Watch w = watch(world, thicker);
    CordVec3 at, mid = {0, 0, 0};
    CordQuat turned;
    for (int n = 0; n < (int)ceil(0.1 / shot->way); n++) { // 4 cm beyond the threads, were they not there
        run_many(world, h, 1);
        look(&w);
    }
    CHECK_OK(cord_body_pose(world, body, &at, &turned));
    double highest = -INFINITY;
    for (int k = 0; k < 3; k++) {
        mid = node_of(world, cord_world_rod(world, k), 8);
        highest = fmax(highest, mid.z - at.z);
    }
    print_message("    %s, %.1f mm and %.1f rad a step, %s: %.1g of a radius deep; threads %.1f mm above "
                  "its centre; %d retries\n",
                  shot->name, 1e3 * shot->way, shot->turn, kind.name, w.deepest, 1e3 * highest,
                  (int)cord_world_retries(world));
    CHECK(highest < 0.0);
    cord_world_destroy(world);
}

TEST(bodies_do_not_pass_through_threads)
{
    const Shot shots[] = {
        {"roll", CORD_SOLID_CAPSULE, {0.01, 0, 0.03}, 0.1, 0.0, {0, 1, 0}},
        {"roll", CORD_SOLID_CAPSULE, {0.01, 0, 0.03}, 0.05, 20.0, {0, 1, 0}},
        {"plate", CORD_SOLID_BOX, {0.03, 0.03, 0.001}, 0.1, 0.0, {0, 0, 1}},
        {"plate", CORD_SOLID_BOX, {0.03, 0.03, 0.001}, 0.02, 7.0, {0, 0, 1}},
        {"plate", CORD_SOLID_BOX, {0.03, 0.03, 0.001}, 0.1, 3.14, {0, 1, 0}}, // turned over
    };
    for (size_t k = 0; k < sizeof shots / sizeof *shots; k++) {
        // each integrator, of threads that stretch and that do not, in turn
        shoot_body(&shots[k], k % 2 == 0 ? 4 : 5);
        shoot_body(&shots[k], k % 2 == 0 ? 7 : 6);
    }
    // Edge on. Threads that stretch, in backward Euler, stop that run: iterations go to and fro across the
    // edge.
    shoot_body(&(Shot){"plate", CORD_SOLID_BOX, {0.03, 0.03, 0.001}, 0.1, 2.0, {0, 1, 0}}, 5);
}

TEST_GROUP(contact_tunnel)
