// What touches comes to rest, and what starts in touch stays quiet.
//
// `test_validate contact_rest --all` runs every model and stepper; without --all it leaves out what takes
// long.
#include "open_rows.h"
#include "steppers.h"

#include <time.h>

static const double g = 9.81, radius = 0.004;

#define BENDS "what is put right in positions bends crossing rods by a part of the overlap"

static const OpenRow open_rows[] = {
    {"touch rod 1e-6 * implicit", BENDS},
    {NULL, NULL},
};

static double kinetic_energy(const CordWorld* world)
{
    double sum = 0.0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        sum += cord_rod_energy(world, cord_world_rod(world, i)).kinetic;
    }
    return sum;
}

static double strain_energy(const CordWorld* world)
{
    double sum = 0.0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        sum += elastic_energy(world, cord_world_rod(world, i));
    }
    return sum;
}

// The largest kinetic energy of any step; NAN: a step was refused, and `note` gets why.
static double most_kinetic(CordWorld* world, double h, int count, char note[96])
{
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        if (cord_world_step(world, h) != CORD_OK) {
            snprintf(note, 96, "%s", cord_world_message(world));
            return (double)NAN;
        }
        most = fmax(most, kinetic_energy(world));
    }
    return most;
}

// The kinetic energy of a step's displacements, for comparison with that of the velocities that are read.
static double moving_energy(CordWorld* world, double h)
{
    static CordVec3 x[20][MOST_NODES], y[MOST_NODES];
    static double mass[MOST_NODES];
    double sum = 0.0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CHECK_OK(cord_rod_positions(world, cord_world_rod(world, i), x[i]));
    }
    if (cord_world_step(world, h) != CORD_OK) {
        return (double)NAN;
    }
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordRodId rod = cord_world_rod(world, i);
        CHECK_OK(cord_rod_positions(world, rod, y));
        CHECK_OK(cord_rod_masses(world, rod, mass));
        for (int k = 0; k < cord_rod_node_count(world, rod); k++) {
            CordVec3 moved = minus(y[k], x[i][k]);
            sum += 0.5 * mass[k] * dot(moved, moved) / (h * h);
        }
    }
    return sum;
}

// ---- starts in touch

typedef enum Support { ON_PLANE, ON_CYLINDER, ON_ROD } Support;

static const struct {
    const char* name;
    Support support;
    double overlap; // over the radius
} starts[] = {
    {"plane", ON_PLANE, 0.0},       {"plane 1e-12", ON_PLANE, 1e-12},     {"plane 1e-6", ON_PLANE, 1e-6},
    {"cylinder", ON_CYLINDER, 0.0}, {"cylinder 1e-6", ON_CYLINDER, 1e-6}, {"rod", ON_ROD, 0.0},
    {"rod 1e-12", ON_ROD, 1e-12},   {"rod 1e-6", ON_ROD, 1e-6},
};
enum { STARTS = sizeof starts / sizeof *starts };

// A straight rod along x. It lies on a plane, along the top of a cylinder, or without weight across another
// rod.
static CordWorld* touching(const Kind* kind, int start)
{
    Support support = starts[start].support;
    CordWorld* world = support == ON_ROD ? new_weightless_world() : new_world((CordVec3){0, 0, -g});
    CordRodDef def = rod_of(kind, radius, 1e5);
    double z = ((support == ON_ROD ? 2.0 : 1.0) - starts[start].overlap) * radius;
    def.shape = cord_shape_line((CordVec3){-0.05, 0, z}, (CordVec3){0.05, 0, z}, 9);
    add_rod(world, &def);
    if (support == ON_ROD) {
        def.shape = cord_shape_line((CordVec3){0.005, -0.05, 0}, (CordVec3){0.005, 0.05, 0}, 9);
        add_rod(world, &def);
    }
    touch_with(world, 0.3);
    CordObstacleDef ground = cord_obstacle_def_default();
    if (support == ON_CYLINDER) {
        ground = obstacle_def(CORD_SOLID_CYLINDER, (CordVec3){0.05, 0, 1}, (CordVec3){0, 0, -0.05});
        ground.rotation = cord_quat_about((CordVec3){0, 1, 0}, pi / 2);
    }
    if (support != ON_ROD) {
        add_obstacle(world, &ground);
    }
    return world;
}

// Rounding of a position by 1e-16 of its size, in a step of 0.1 ms, is a speed of some 1e-13 m/s, and far
// less than 1e-16 of what lifts the rod by a radius.
TEST(a_start_in_touch_gains_no_energy)
{
    Rows rows = {.open = open_rows};
    for (int i = 0; i < STARTS * KINDS; i++) {
        const Kind* kind = &kinds[i % KINDS];
        char name[80], note[96] = "";
        CordWorld* world = touching(kind, i / KINDS);
        double scale = cord_rod_mass(world, cord_world_rod(world, 0)) * g * radius;
        double h = kind->is_explicit ? 1e-4 : 1e-3, most = most_kinetic(world, h, 200, note);
        if (isfinite(most)) {
            snprintf(note, sizeof note, "%.2g by positions", moving_energy(world, h) / scale);
        }
        snprintf(name, sizeof name, "touch %s %s", starts[i / KINDS].name, kind->name);
        check_row(&rows, name, most / scale, 1e-16, note);
        cord_world_destroy(world);
    }
    check_rows(&rows);
}

// A rod that falls flat on a plane stops, and is not read as if it flew back.
TEST(what_lands_is_not_read_to_rebound)
{
    for (int i = 0; i < KINDS; i++) {
        const double h = 1e-4, fall = 0.25 * radius;
        CordVec3 v[MOST_NODES];
        double most = -1.0, fastest = 0.0;
        if (!kinds[i].is_explicit) {
            continue;
        }
        CordWorld* world = new_world((CordVec3){0, 0, -g});
        CordRodDef def = rod_of(&kinds[i], radius, 1e5);
        double z = radius + fall;
        def.shape = cord_shape_line((CordVec3){-0.05, 0, z}, (CordVec3){0.05, 0, z}, 9);
        CordRodId rod = add_rod(world, &def);
        touch_with(world, 0.3);
        add_ground(world);
        for (double time = 2.0 * sqrt(2.0 * fall / g); cord_world_time(world) < time;) {
            run_many(world, h, 1);
            CHECK_OK(cord_rod_velocities(world, rod, v));
            for (int k = 0; k < cord_rod_node_count(world, rod); k++) {
                most = fmax(most, v[k].z), fastest = fmax(fastest, -v[k].z);
            }
        }
        CHECK_NEAR(fastest, sqrt(2.0 * g * fall), 2.0 * g * h);
        CHECK(most < 1e-9 * fastest);
        cord_world_destroy(world);
    }
}

// ---- rest

static void brake(CordWorld* world, double rate) // drag that slows everything down at a rate [1/s]
{
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordRodId rod = cord_world_rod(world, i);
        add_drag(world, rod, rate * cord_rod_mass(world, rod) / cord_rod_length(world, rod));
    }
}

// As in scenes/peers/elastica_plectoneme.json: the sliding end is turned 2.78 times in a second.
static CordWorld* plectoneme(const Kind* kind)
{
    enum { ELEMENTS = 50 };
    CordWorld* world = new_weightless_world();
    CordRodDef def = rod_of(kind, 0.025, 1e6);
    def.material.poisson = 0.5, def.material.density = 509.3, def.material.twist_modulus = 1e6 / 1.5;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, ELEMENTS + 1);
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    CordMotion turn = cord_motion_rotate((CordVec3){1, 0, 0}, 2.78 * 2.0 * pi, 0.0, 1.0);
    CordClampDef end = clamp_def(rod, cord_at_end(), CORD_FIX_FRAME);
    end.slides = true, end.axis = (CordVec3){1, 0, 0}, end.motions = &turn, end.motion_count = 1;
    add_clamp(world, &end);
    CordLoadDef touch = cord_load_def_default();
    touch.rod = rod, touch.at = cord_at_node(ELEMENTS / 2), touch.force = (CordVec3){0, 0, -0.01},
    touch.to = 1.0;
    add_load(world, &touch);
    touch_with(world, 0.0);
    brake(world, 60.0);
    return world;
}

// A limp rope dropped in loose turns: it comes to lie on itself and on the ground.
static CordWorld* pile(const Kind* kind)
{
    CordWorld* world = new_world((CordVec3){0, 0, -g});
    CordRodDef def = rod_of(kind, radius, 1e5);
    def.material.bend_modulus = def.material.twist_modulus = 1e4;
    def.shape = cord_shape_helix((CordVec3){0, 0, 0.02}, (CordVec3){0.15, 0.05, 1}, 0.02, 0.03, 4.0, 61);
    def.rest = CORD_REST_STRAIGHT;
    add_rod(world, &def);
    touch_with(world, 0.4);
    add_ground(world);
    brake(world, 10.0);
    return world;
}

static void add_wall(CordWorld* world, CordVec3 size, CordVec3 position)
{
    CordObstacleDef def = obstacle_def(CORD_SOLID_BOX, size, position);
    add_obstacle(world, &def);
}

// Six wires in a trough, three, two and one above each other, which start a sixteenth of a radius apart.
static CordWorld* stack(const Kind* kind)
{
    CordWorld* world = new_world((CordVec3){0, 0, -g});
    const double apart = 2.0625 * radius;
    for (int row = 0; row < 3; row++) {
        for (int k = 0; k < 3 - row; k++) {
            CordRodDef def = rod_of(kind, radius, 1e5);
            double y = (k - 1.0 + 0.5 * row) * apart, z = 1.0625 * radius + row * sqrt(0.75) * apart;
            def.shape = cord_shape_line((CordVec3){-0.05, y, z}, (CordVec3){0.05, y, z}, 9);
            add_rod(world, &def);
        }
    }
    touch_with(world, 0.3);
    add_ground(world);
    for (int side = -1; side < 2; side += 2) {
        add_wall(world, (CordVec3){0.2, 0.02, 0.04}, (CordVec3){0, side * (3.2 * radius + 0.01), 0.02});
    }
    brake(world, 10.0);
    return world;
}

static void pull(CordWorld* world, CordRodId rod, CordPlace at, double force)
{
    hold_sliding(world, rod, at, CORD_FIX_FRAME, (CordVec3){1, 0, 0});
    add_force(world, rod, at, (CordVec3){force, 0, 0});
}

static CordWorld* trefoil(const Kind* kind)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = rod_of(kind, 0.005, 1e6);
    def.shape = cord_shape_knot("overhand", 0, (CordVec3){0, 0, 0}, 0.15, 0.1, 61);
    def.rest = CORD_REST_STRAIGHT;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    pull(world, rod, cord_at_end(), 3.0);
    touch_with(world, 0.2);
    brake(world, 20.0);
    return world;
}

static CordWorld* square_knot(const Kind* kind)
{
    CordWorld* world = new_weightless_world();
    CordRodId ropes[2];
    for (int k = 0; k < 2; k++) {
        CordRodDef def = rod_of(kind, radius, 1e6);
        def.shape = cord_shape_knot("square", k, (CordVec3){0, 0, 0}, 0.15, 0.06, 61);
        def.rest = CORD_REST_STRAIGHT;
        ropes[k] = add_rod(world, &def);
    }
    hold(world, ropes[0], cord_at_start(), CORD_FIX_FRAME);
    add_force(world, ropes[0], cord_at_end(), (CordVec3){-3, 0, 0});
    pull(world, ropes[1], cord_at_start(), 3.0);
    add_force(world, ropes[1], cord_at_end(), (CordVec3){3, 0, 0});
    touch_with(world, 0.3);
    brake(world, 20.0);
    return world;
}

// Twenty ropes in layers, every other one across, that fall into a box.
static CordWorld* heap(const Kind* kind)
{
    CordWorld* world = new_world((CordVec3){0, 0, -g});
    for (int i = 0; i < 20; i++) {
        CordRodDef def = rod_of(kind, radius, 1e5);
        double side = 0.03 * (i % 4 - 1.5), z = 0.01 + 0.012 * (i / 4), lean = 0.002 * (i % 3);
        CordVec3 from = {-0.05, side, z + lean}, to = {0.05, side + 0.004, z};
        bool turned = i / 4 % 2 == 1;
        def.shape = turned
                        ? cord_shape_line((CordVec3){from.y, from.x, from.z}, (CordVec3){to.y, to.x, to.z}, 9)
                        : cord_shape_line(from, to, 9);
        add_rod(world, &def);
    }
    touch_with(world, 0.4);
    add_ground(world);
    for (int side = -1; side < 2; side += 2) {
        add_wall(world, (CordVec3){0.2, 0.02, 0.1}, (CordVec3){0, side * 0.07, 0.05});
        add_wall(world, (CordVec3){0.02, 0.12, 0.1}, (CordVec3){side * 0.07, 0, 0.05});
    }
    brake(world, 10.0);
    return world;
}

static const struct {
    const char* name;
    CordWorld* (*build)(const Kind* kind);
    double motion;    // when the last motion ends [s]
    const char* slow; // kinds that take long
} scenes[] = {
    {"plectoneme", plectoneme, 1.0, ""},
    {"pile", pile, 1.0, ""},
    {"stack", stack, 1.0, ""},
    {"trefoil", trefoil, 1.0, ""},
    {"square knot", square_knot, 1.0, "der explicit"},
    {"heap", heap, 1.0, "der implicit"},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static double step_of(const Kind* kind, const CordWorld* world)
{
    return kind->is_explicit ? 0.4 * cord_world_step_advice(world).step
           : kind->model == CORD_MODEL_PBD && !is_implicit(kind->integrator) ? 1.0 / 120.0
                                                                             : 4e-3;
}

// Ten seconds after the last motion, over the elastic energy: the largest of twenty steps.
static void check_rest(Rows* rows, int scene, const Kind* kind)
{
    char name[80], note[96] = "";
    CordWorld* world = scenes[scene].build(kind);
    double h = step_of(kind, world), end = scenes[scene].motion + 10.0, kinetic = NAN;
    clock_t begun = clock();
    if (cord_world_step_many(world, h, (int)(end / h)) == CORD_OK) {
        kinetic = most_kinetic(world, h, 20, note);
    } else {
        snprintf(note, sizeof note, "%s", cord_world_message(world));
    }
    if (isfinite(kinetic)) {
        snprintf(note, sizeof note, "%.2g of %.2g J, %.2g J by positions, %d contacts, %.1f s", kinetic,
                 strain_energy(world), moving_energy(world, h), cord_world_contact_report(world).contacts,
                 (double)(clock() - begun) / CLOCKS_PER_SEC);
    }
    snprintf(name, sizeof name, "rest %s %s", scenes[scene].name, kind->name);
    check_row(rows, name, kinetic / strain_energy(world), 1e-12, note);
    cord_world_destroy(world);
}

TEST(what_touches_comes_to_rest)
{
    Rows rows = {.open = open_rows};
    for (int i = 0; i < SCENES * KINDS; i++) {
        const Kind* kind = &kinds[i % KINDS];
        bool usual = kind->model == CORD_MODEL_DER || strcmp(kind->name, "pbd position-based") == 0;
        if (check_all || (usual && strstr(scenes[i / KINDS].slow, kind->name) == NULL)) {
            check_rest(&rows, i / KINDS, kind);
        }
    }
    check_rows(&rows);
}

TEST_GROUP(contact_rest)
