// Coulomb's law on a grid: sliding, sticking, slipping, rolling and the capstan, for every model and stepper,
// elements from 10 radii to a tenth of a radius, steps from 1 us to 10 ms.
//
// `test_validate contact_coulomb --all` runs the whole grid; without --all it leaves out what takes long.
#include "capstan.h"
#include "open_rows.h"
#include "steppers.h"

static const double g = 9.81, mu = 0.4, radius = 0.004;

static const struct {
    double ratio; // of the radius to the length of an element
    int elements;
    int most_steps; // in a run: short elements take long
} sizes[] = {{0.1, 12, 400}, {1.0, 24, 400}, {2.5, 40, 200}, {10.0, 80, 60}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static const double steps[] = {1e-6, 20e-6, 0.2e-3, 1e-3, 10e-3};
enum { STEPS = sizeof steps / sizeof *steps };

// ---- a straight rod on a plane, or on the top of a cylinder along x

typedef struct Lying {
    const Kind* kind;
    int size;       // of its elements
    double h;       // [s]
    bool cylinder;  // it lies on top of one, and along it
    double tangent; // of the slope, which goes down along x
    double speed;   // along x at the start [m/s]
    bool across;    // it lies across the slope, and may roll
    bool inextensible;
} Lying;

static CordWorld* lay_down(const Lying* l, double height)
{
    double half = 0.5 * sizes[l->size].elements * radius / sizes[l->size].ratio, tilt = atan(l->tangent);
    CordVec3 end = l->across ? (CordVec3){0, half, height} : (CordVec3){half, 0, height};
    CordVec3 start = {-end.x, -end.y, height};
    CordWorld* world = new_world((CordVec3){g * sin(tilt), 0, -g * cos(tilt)});
    CordRodDef def = rod_of(l->kind, radius, 1e5);
    def.dynamic_twist = l->across, def.inextensible = l->inextensible;
    def.shape = cord_shape_line(start, end, sizes[l->size].elements + 1);
    def.velocity = (CordVec3){l->speed, 0, 0};
    add_rod(world, &def);
    touch_with(world, mu);
    CordObstacleDef ground = cord_obstacle_def_default();
    if (l->cylinder) {
        ground = obstacle_def(CORD_SOLID_CYLINDER, (CordVec3){0.05, 0, 20}, (CordVec3){0, 0, -0.05});
        ground.rotation = cord_quat_about((CordVec3){0, 1, 0}, pi / 2);
    }
    add_obstacle(world, &ground);
    return world;
}

static double speed_of(const CordWorld* world)
{
    CordRodId rod = cord_world_rod(world, 0);
    return cord_rod_momentum(world, rod).linear.x / cord_rod_mass(world, rod);
}

static bool is_stable(const Lying* l)
{
    CordWorld* world = lay_down(l, radius);
    bool stable = !l->kind->is_explicit || l->h <= 0.5 * cord_world_step_advice(world).step;
    cord_world_destroy(world);
    return stable;
}

// The mean acceleration along x from a quarter of the run on [m/s^2]; NAN: a step was refused. Where a start
// in touch is refused the rod starts as far above as a barrier holds it: contact_rest.c is about such starts.
static double acceleration(const Lying* l, double* time, char note[96])
{
    int count = (int)fmin(fmax(0.02 / l->h, 30.0), sizes[l->size].most_steps);
    double result = NAN;
    *note = '\0';
    for (int attempt = 0; attempt < 2 && isnan(result); attempt++) {
        CordWorld* world = lay_down(l, radius * (attempt == 0 ? 1.0 : 1.045));
        bool fine = cord_world_step_many(world, l->h, count / 4) == CORD_OK;
        double v = speed_of(world), t = cord_world_time(world);
        fine = fine && cord_world_step_many(world, l->h, count - count / 4) == CORD_OK;
        *time = cord_world_time(world);
        result = fine ? (speed_of(world) - v) / (*time - t) : (double)NAN;
        if (!fine) {
            snprintf(note, 96, "%s", cord_world_message(world));
        } else if (attempt > 0) {
            snprintf(note, 96, "not from touch");
        }
        cord_world_destroy(world);
    }
    return result;
}

static void name_row(char name[80], const char* what, const Lying* l)
{
    snprintf(name, 80, "%s %s %s r/l %g h %g", what, l->cylinder ? "cylinder" : "plane", l->kind->name,
             sizes[l->size].ratio, l->h);
}

static bool is_quick(const Lying* l)
{
    return check_all || l->size < 3 || l->h > 1e-4;
}

// The longest step of the grid up to 1 ms that is stable [s].
static double usual_step(Lying l)
{
    for (int i = 3; i > 0; i--) {
        l.h = steps[i];
        if (is_stable(&l)) {
            return l.h;
        }
    }
    return steps[0];
}

// ---- rows

#define LIFTS "friction lifts the uphill end of a rod so short, which bends and swings"
#define WAVES "waves of the start run to and fro in the rope"

#define UNEVEN "forces of neighbouring nodes grow uneven in steps so short; it is not known why"
#define COARSE "overlaps are put right to a fiftieth of the tolerance; exactly, it is 0.01"

static const OpenRow open_rows[] = {
    {"stick * explicit r/l 10 *", LIFTS},
    {"slip * explicit r/l 10 *", LIFTS},
    {"capstan peak pbd * 2 turns mu 0.3 h 1e-05", WAVES},
    {"capstan peak * explicit 1 turns mu 0.3 h 1e-05", UNEVEN},
    {"capstan peak * explicit 2 turns mu 0.? h 1e-05", UNEVEN},
    {"capstan der explicit 2 turns mu 0.3 h 1e-05", COARSE},
    {NULL, NULL},
};

static void check_sliding(Rows* rows, const Lying* l)
{
    char name[80], note[96];
    double time;
    name_row(name, "slide", l);
    check_row(rows, name, fabs(acceleration(l, &time, note) / (-mu * g) - 1.0), 0.01, note);
}

TEST(a_sliding_rod_has_coulombs_friction)
{
    Rows rows = {.open = open_rows};
    for (int i = 0; i < 2 * KINDS * SIZES * STEPS; i++) {
        Lying l = {.cylinder = i / (KINDS * SIZES * STEPS) == 1,
                   .kind = &kinds[i / (SIZES * STEPS) % KINDS],
                   .size = i / STEPS % SIZES,
                   .h = steps[i % STEPS],
                   .speed = 2.0};
        if (is_quick(&l) && is_stable(&l)) {
            check_sliding(&rows, &l);
        }
    }
    check_rows(&rows);
}

// Friction at the surface of a rod is a couple, which unloads its uphill end and presses on the other one.
// The uphill end cannot bear its own weight then, and what bears it is up to 40 radii away, if friction is
// 0.99 of what it may be. A rod that can stretch slides there until its tension suffices, so this one cannot.
//
// What sticks does not move, as far as contacts are solved; with a friction anchor it moves by less than a
// thousandth of what it would without friction. What is pulled by 1 % more than friction bears is accelerated
// by the difference, which is 1 % of the friction.
static void check_cone(Rows* rows, Lying l)
{
    char name[80], note[96];
    double time, a;
    l.tangent = 0.99 * mu;
    name_row(name, "stick", &l);
    a = acceleration(&l, &time, note);
    check_row(rows, name, fabs(a) / (g * sin(atan(l.tangent))), l.inextensible ? 1e-6 : 1e-3, note);
    l.tangent = 1.01 * mu;
    name_row(name, "slip", &l);
    a = acceleration(&l, &time, note);
    double tilt = atan(l.tangent), excess = g * (sin(tilt) - mu * cos(tilt));
    check_row(rows, name, fabs(a / excess - 1.0), l.inextensible ? 1e-3 : 0.5, note);
}

TEST(a_rod_sticks_below_the_cone_and_slips_beyond_it)
{
    Rows rows = {.open = open_rows};
    for (int i = 0; i < KINDS * SIZES; i++) {
        Lying l = {.kind = &kinds[i / SIZES], .size = i % SIZES};
        l.inextensible = true;
        if (is_quick(&l)) {
            l.h = usual_step(l);
            check_cone(&rows, l);
        }
    }
    check_rows(&rows);
}

TEST(a_rod_across_a_slope_rolls_as_a_cylinder)
{
    Rows rows = {.open = open_rows};
    for (int i = 0; i < KINDS * SIZES; i++) {
        Lying l = {.kind = &kinds[i / SIZES], .size = i % SIZES, .tangent = 0.3, .across = true};
        if (is_quick(&l)) {
            char name[80], note[96];
            double time;
            l.h = usual_step(l);
            name_row(name, "roll", &l);
            double a = acceleration(&l, &time, note);
            check_row(&rows, name, fabs(a / (2.0 / 3.0 * g * sin(atan(l.tangent))) - 1.0), 0.01, note);
        }
    }
    check_rows(&rows);
}

// ---- the capstan

typedef struct Pull {
    double mean, peak; // at the end that is drawn out [N]
} Pull;

// The rope is drawn out at 5 cm/s for 60 ms, of which the second half counts, without any damping.
static Pull drawn(const CordRodDef* rope, double mu_here, double turns, double h, double* ratio,
                  char note[96])
{
    const double speed = 0.05, time = 0.06;
    Capstan c = capstan(rope, mu_here, 2.0 * pi * turns, 5e-4);
    CordMotion draw = cord_motion_translate(times(c.out[1], speed * time), 0.0, time);
    CordClampId id = hold_moving(c.world, c.rope, cord_at_end(), CORD_FIX_POSITION, &draw, 1);
    int count = (int)lround(time / h);
    Pull p = {0};
    *note = '\0';
    *ratio = exp(mu_here * 2.0 * pi * turns * cylinder / (cylinder + c.thickness));
    for (int i = 0; i < count; i++) {
        CordVec3 force, torque;
        if (cord_world_step(c.world, h) != CORD_OK) {
            snprintf(note, 96, "%s", cord_world_message(c.world));
            p = (Pull){NAN, NAN};
            break;
        }
        CHECK_OK(cord_clamp_reaction(c.world, id, &force, &torque));
        double pull = i >= count / 2 ? -dot(force, c.out[1]) : 0.0;
        p.mean += pull / (count - count / 2), p.peak = fmax(p.peak, pull);
    }
    cord_world_destroy(c.world);
    return p;
}

static const struct {
    double turns, mu;
} windings[] = {{0.5, 0.1}, {0.5, 0.3}, {1.0, 0.1}, {1.0, 0.3}, {2.0, 0.1}, {2.0, 0.3}};
enum { WINDINGS = sizeof windings / sizeof *windings };

static const double capstan_steps[] = {1e-5, 1e-4, 1e-3};

static bool capstan_runs(const Kind* kind, double h) // explicit ropes are stable below 40 us at 40 N
{
    return (!kind->is_explicit || h < 4e-5) && (check_all || kind->model != CORD_MODEL_CORDE);
}

static void check_capstan(Rows* rows, const Kind* kind, int winding, double h)
{
    char name[80], note[96];
    double ratio;
    CordRodDef rope = cord_rod_def_default();
    rope.model = kind->model, rope.integrator = kind->integrator;
    rope.inextensible = kind->model != CORD_MODEL_PBD;
    if (!rope.inextensible) { // so that it slides all along before a few millimetres are drawn
        rope.stiffness.EA = 1e5;
    }
    rope.stiffness.EA =
        1e5; // of what can stretch: the rope must slide all along before a few millimetres are drawn
    Pull p = drawn(&rope, windings[winding].mu, windings[winding].turns, h, &ratio, note);
    snprintf(name, sizeof name, "capstan %s %g turns mu %g h %g", kind->name, windings[winding].turns,
             windings[winding].mu, h);
    check_row(rows, name, fabs(p.mean / ratio - 1.0), 0.02, note);
    snprintf(name, sizeof name, "capstan peak %s %g turns mu %g h %g", kind->name, windings[winding].turns,
             windings[winding].mu, h);
    check_row(rows, name, p.peak / p.mean - 1.0, 0.1, note);
}

TEST(a_rope_around_a_cylinder_has_the_capstan_ratio_at_any_step)
{
    Rows rows = {.open = open_rows};
    for (int i = 0; i < 3 * KINDS * WINDINGS; i++) {
        const Kind* kind = &kinds[i / (3 * WINDINGS)];
        double h = capstan_steps[i % 3];
        int winding = i / 3 % WINDINGS;
        bool quick = check_all || (winding < 4 && h > 5e-5) || (winding < 2 && kind->is_explicit);
        if (quick && capstan_runs(kind, h)) {
            check_capstan(&rows, kind, winding, h);
        }
    }
    check_rows(&rows);
}

TEST_GROUP(contact_coulomb)
