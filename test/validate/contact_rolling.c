// Resistance to rolling and spinning, for every model and stepper: against a disc on a plane, a rod on a
// cylinder and on rails of rods, a ball on rails, and a rod that spins on its end.
#include "steppers.h"

#include <stdlib.h>

static const double g = 9.81, radius = 0.004;

static const struct {
    double ratio; // of the radius to the length of an element
    int elements;
} sizes[] = {{0.2, 12}, {1.0, 24}, {2.5, 40}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static const double steps[] = {20e-6, 0.2e-3, 2e-3};
enum { STEPS = sizeof steps / sizeof *steps };

// ---- a rod across a slope that goes down along x

typedef enum Support { PLANE, CYLINDER, RAILS } Support;

typedef struct Rolling {
    const Kind* kind;
    int size;
    double h; // [s]
    Support on;
    double tangent; // of the slope
    double length;  // of the rolling friction [m]
    double speed;   // with which it rolls at the start [m/s]
} Rolling;

// Two rods along x, held at both ends, that the rod lies on.
static void add_rails(CordWorld* world, const Kind* kind, double half)
{
    for (int i = 0; i < 2; i++) {
        CordRodDef rail = rod_of(kind, radius, 1e10);
        double y = (i == 0 ? -0.5 : 0.5) * half;
        rail.dynamic_twist = true;
        rail.shape = cord_shape_line((CordVec3){-0.05, y, -radius}, (CordVec3){0.05, y, -radius}, 5);
        hold_ends(world, add_rod(world, &rail), CORD_FIX_FRAME);
    }
}

static CordWorld* lay_across(const Rolling* l)
{
    double half = 0.5 * sizes[l->size].elements * radius / sizes[l->size].ratio, tilt = atan(l->tangent);
    CordWorld* world = new_world((CordVec3){g * sin(tilt), 0, -g * cos(tilt)});
    CordRodDef def = rod_of(l->kind, radius, l->on == RAILS ? 1e9 : 1e5);
    def.dynamic_twist = true;
    def.shape = cord_shape_line((CordVec3){0, -half, radius}, (CordVec3){0, half, radius},
                                sizes[l->size].elements + 1);
    def.velocity = (CordVec3){l->speed, 0, 0}, def.spin = (CordVec3){0, l->speed / radius, 0};
    def.material.rolling_friction = l->length;
    add_rod(world, &def);
    touch_with(world, 1.0);
    CordObstacleDef ground = cord_obstacle_def_default();
    if (l->on == CYLINDER) {
        ground = obstacle_def(CORD_SOLID_CYLINDER, (CordVec3){0.05, 0, 20}, (CordVec3){0, 0, -0.05});
        ground.rotation = cord_quat_about((CordVec3){1, 0, 0}, pi / 2);
    }
    if (l->on == RAILS) {
        add_rails(world, l->kind, half);
    } else {
        add_obstacle(world, &ground);
    }
    return world;
}

static double speed_of(const CordWorld* world)
{
    CordRodId rod = cord_world_rod(world, 0);
    return cord_rod_momentum(world, rod).linear.x / cord_rod_mass(world, rod);
}

static bool is_stable(const Rolling* l)
{
    CordWorld* world = lay_across(l);
    bool stable = !l->kind->is_explicit || l->h <= 0.5 * cord_world_step_advice(world).step;
    cord_world_destroy(world);
    return stable;
}

static int count_of(double h)
{
    return (int)fmin(fmax(0.02 / h, 20.0), 200.0);
}

// The sum of the normal forces on the rod that rolls.
static double push_on(const CordWorld* world)
{
    double sum = 0.0;
    for (int i = 0; i < cord_world_contact_count(world); i++) {
        sum += cord_world_contacts(world)[i].push;
    }
    return sum;
}

// A disc that rolls: the couple of its weight about the line of contact, less that of the resistance. It
// swings on rails, so that the normal forces are those of the contacts there.
static void check_roll(Rolling l)
{
    CordWorld* world = lay_across(&l);
    int count = l.on == RAILS ? (int)lround(0.01 / l.h) : count_of(l.h), first = count / 4;
    double tilt = atan(l.tangent), mass = cord_rod_mass(world, cord_world_rod(world, 0)), push = 0.0, v = 0.0;
    for (int n = 0; n < count; n++) {
        v = n == first ? speed_of(world) : v;
        CHECK_WORLD_OK(world, cord_world_step(world, l.h));
        push += n < first || l.on != RAILS ? 0.0 : push_on(world) / (count - first);
    }
    push = l.on == RAILS ? push : mass * g * cos(tilt);
    double a = (speed_of(world) - v) / (l.h * (count - first)),
           expected = 2.0 / 3.0 * (g * sin(tilt) - l.length / radius * push / mass);
    print_message("    %-20s r/l %g h %g: %.5g m/s^2, off by %.2g\n", l.kind->name, sizes[l.size].ratio, l.h,
                  a, a / expected - 1.0);
    // Explicit rods swing on rails without damping, with resistance or without.
    double most = l.on == RAILS && l.kind->is_explicit ? 0.03 : 0.01;
    CHECK_NEAR(a, expected, most * fabs(expected));
    cord_world_destroy(world);
}

static void check_stay(Rolling l)
{
    CordWorld* world = lay_across(&l);
    CHECK_WORLD_OK(world, cord_world_step_many(world, l.h, count_of(l.h)));
    double free = 2.0 / 3.0 * g * sin(atan(l.tangent)) * cord_world_time(world), v = speed_of(world);
    print_message("    %-20s r/l %g h %g: %.2g of the speed of free rolling\n", l.kind->name,
                  sizes[l.size].ratio, l.h, v / free);
    CHECK_NEAR(v, 0.0, 1e-6 * free);
    cord_world_destroy(world);
}

typedef void (*Check)(Rolling l);

static void check_all_of(Rolling l, Check check)
{
    for (int i = 0; i < KINDS * SIZES * STEPS; i++) {
        l.kind = &kinds[i / (SIZES * STEPS)], l.size = i / STEPS % SIZES, l.h = steps[i % STEPS];
        if (is_stable(&l)) {
            check(l);
        }
    }
}

TEST(a_rod_rolls_down_a_slope_beyond_its_resistance)
{
    check_all_of((Rolling){.tangent = 0.3, .length = 0.2 * radius}, check_roll);
    check_all_of((Rolling){.tangent = 0.202, .length = 0.2 * radius}, check_roll);
}

TEST(a_rod_stays_on_a_slope_within_its_resistance)
{
    check_all_of((Rolling){.tangent = 0.198, .length = 0.2 * radius}, check_stay);
}

TEST(a_rod_that_rolls_on_a_level_plane_slows_down)
{
    check_all_of((Rolling){.length = 0.2 * radius, .speed = 1.0}, check_roll);
}

TEST(a_rod_stays_on_top_of_a_leaning_cylinder)
{
    check_all_of((Rolling){.on = CYLINDER, .tangent = 0.198, .length = 0.2 * radius}, check_stay);
}

TEST(a_rod_rolls_on_rails_of_rods)
{
    for (int i = 0; i < KINDS; i++) {
        Rolling l = {.kind = &kinds[i], .on = RAILS, .tangent = 0.3, .length = 0.1 * radius, .h = 1e-3};
        while (!is_stable(&l)) {
            l.h *= 0.5;
        }
        l.length = 0.0;
        check_roll(l);
        l.length = 0.1 * radius;
        check_roll(l);
    }
}

// ---- a ball on two rails

// With the rails at an angle of +-phi below it, a ball of the radius R rolls about R cos(phi), and turns at
// each contact about a tangent by cos(phi) of its spin, and about the normal by sin(phi). How much it is
// wedged between the rails by friction is not determined, so that normal forces are those of the contacts.
static void check_ball(const Kind* kind, double rolling, double spinning)
{
    const double tangent = 0.3, R = 0.02, apart = 0.03, h = 0.5e-3, speed = 0.4;
    const int count = 100, first = 10;
    double tilt = atan(tangent), sine = 0.5 * apart / (R + radius), cosine = sqrt(1.0 - sine * sine),
           start = 0.0, push = 0.0, lever = R * cosine;
    CordWorld* world = new_world((CordVec3){g * sin(tilt), 0, -g * cos(tilt)});
    add_rails(world, kind, apart);
    CordBodyDef ball = cord_body_def_default();
    ball.solid = (CordSolid){.shape = CORD_SOLID_SPHERE, .size = {R, 0, 0}};
    ball.mass = 0.01, ball.position = (CordVec3){-0.03, 0, cosine * (R + radius) - radius};
    ball.velocity = (CordVec3){speed, 0, 0}, ball.spin = (CordVec3){0, speed / lever, 0};
    ball.rolling_friction = rolling, ball.spinning_friction = spinning;
    CordBodyId id;
    CHECK_WORLD_OK(world, cord_body_create(world, &ball, &id));
    touch_with(world, 1.0);
    for (int n = 0; n < count; n++) {
        CHECK_WORLD_OK(world, cord_world_step(world, h));
        start = n == first ? cord_body_momentum(world, id).linear.x : start;
        push += n > first ? push_on(world) / (count - 1 - first) : 0.0;
    }
    double resists = push * (rolling * cosine + spinning * sine) / (ball.mass * lever),
           expected = (g * sin(tilt) - resists) / (1.0 + 0.4 * R * R / (lever * lever)),
           a = (cord_body_momentum(world, id).linear.x - start) / (ball.mass * h * (count - 1 - first));
    print_message("    %-20s rolling %g, spinning %g mm: %.5g m/s^2, off by %.2g\n", kind->name,
                  1e3 * rolling, 1e3 * spinning, a, a / expected - 1.0);
    CHECK_NEAR(a, expected, 0.01 * expected);
    cord_world_destroy(world);
}

TEST(a_ball_rolls_and_spins_on_rails_of_rods)
{
    for (int i = 0; i < KINDS; i++) {
        check_ball(&kinds[i], 0.0, 0.0);
        check_ball(&kinds[i], 0.3e-3, 0.0);
        check_ball(&kinds[i], 0.0, 0.3e-3);
        check_ball(&kinds[i], 0.3e-3, 0.6e-3);
    }
}

// ---- a rod that stands on its end, and spins

TEST(a_rod_that_spins_on_its_end_slows_down)
{
    for (int i = 0; i < 2 * KINDS; i++) {
        const Kind* kind = &kinds[i / 2];
        const double spinning = 0.05 * radius, time = 0.02;
        double h = i % 2 == 0 ? 0.2e-3 : 1e-3;
        CordWorld* world = new_world((CordVec3){0, 0, -g});
        CordRodDef def = rod_of(kind, radius, 1e7);
        def.dynamic_twist = true, def.inextensible = kind->is_explicit;
        def.shape = cord_shape_line((CordVec3){0, 0, radius}, (CordVec3){0, 0, 10.0 * radius}, 5);
        def.spin = (CordVec3){0, 0, 50};
        def.material.spinning_friction = spinning;
        CordRodId rod = add_rod(world, &def);
        touch_with(world, 0.3);
        CordObstacleDef ground = cord_obstacle_def_default();
        add_obstacle(world, &ground);
        double before = cord_rod_momentum(world, rod).angular.z,
               expected = -spinning * cord_rod_mass(world, rod) * g * time;
        h = kind->is_explicit ? fmin(h, 0.4 * cord_world_step_advice(world).step) : h;
        int count = (int)lround(time / h);
        CHECK_WORLD_OK(world, cord_world_step_many(world, time / count, count));
        double lost = cord_rod_momentum(world, rod).angular.z - before;
        print_message("    %-20s h %g: loses %.5g of %.5g N m s of %.5g\n", kind->name, time / count, lost,
                      expected, before);
        CHECK_NEAR(lost, expected, 0.01 * fabs(expected));
        cord_world_destroy(world);
    }
}

// ---- what stays

typedef struct Sums {
    CordMomentum momentum;
    double energy;
} Sums;

static Sums sums_of(const CordWorld* world)
{
    return (Sums){world_momentum(world), world_energy(world)};
}

// Two free rods that meet crosswise while both spin. Returns what changes of the angular momentum, over the
// largest part of it.
static double meet(const Kind* kind, double length, double* gained)
{
    CordWorld* world = new_world((CordVec3){0, 0, 0});
    for (int k = 0; k < 2; k++) {
        CordRodDef def = rod_of(kind, radius, 1e7);
        CordVec3 half = k == 0 ? (CordVec3){0.05, 0.01, 0} : (CordVec3){-0.02, 0.05, 0},
                 at = {0.003 * k, 0.002, k == 0 ? 0.0 : 2.05 * radius};
        def.dynamic_twist = true, def.inextensible = kind->is_explicit;
        def.shape = cord_shape_line(plus(at, times(half, -1.0)), plus(at, half), 9);
        def.velocity = (CordVec3){0.1, k == 0 ? 0.0 : 0.2, k == 0 ? 0.2 : -0.3};
        def.spin = k == 0 ? (CordVec3){40, 3, 1} : (CordVec3){-2, 30, -4};
        def.material.rolling_friction = length, def.material.spinning_friction = 0.5 * length;
        add_rod(world, &def);
    }
    touch_with(world, 0.5);
    Sums before = sums_of(world);
    double h = kind->is_explicit ? fmin(0.1e-3, 0.2 * cord_world_step_advice(world).step) : 0.1e-3;
    CHECK_WORLD_OK(world, cord_world_step_many(world, h, (int)lround(0.02 / h)));
    Sums after = sums_of(world);
    *gained = after.energy / before.energy - 1.0;
    double size = size_of(before.momentum.angular),
           change = size_of(minus(after.momentum.angular, before.momentum.angular)) / size;
    CHECK(size_of(minus(after.momentum.linear, before.momentum.linear)) <=
          1e-11 * size_of(before.momentum.linear));
    cord_world_destroy(world);
    return change;
}

TEST(rods_that_roll_on_each_other_keep_momentum_and_make_no_energy)
{
    for (int i = 0; i < KINDS; i++) {
        double gained[2], free = meet(&kinds[i], 0.0, &gained[0]),
                          resists = meet(&kinds[i], 0.3 * radius, &gained[1]);
        print_message(
            "    %-20s angular momentum off by %.2g, without resistance by %.2g; energy %+.3g, without "
            "%+.3g\n",
            kinds[i].name, resists, free, gained[1], gained[0]);
        CHECK(resists <= 10.0 * free + 1e-11);
        CHECK(gained[1] <= 1e-6);
        CHECK(gained[1] != gained[0]); // the couples act
    }
}

// It comes to rest for good, and sleeps; without resistance it rolls on.
TEST(a_rod_that_rolls_out_sleeps)
{
    for (int i = 0; i < 2; i++) {
        const Kind* kind = &kinds[4];
        Rolling l = {.kind = kind, .h = 1e-3, .length = i == 0 ? 0.2 * radius : 0.0, .speed = 0.05};
        CordWorld* world = lay_across(&l);
        CordSleep sleep = cord_sleep_default();
        sleep.time = 0.1;
        CHECK_OK(cord_world_set_sleep(world, sleep));
        CHECK_WORLD_OK(world, cord_world_step_many(world, l.h, 300));
        print_message("    rolling friction %g mm: %.3g m/s, asleep: %d\n", 1e3 * l.length, speed_of(world),
                      cord_rod_is_asleep(world, cord_world_rod(world, 0)));
        CHECK_INT(cord_rod_is_asleep(world, cord_world_rod(world, 0)), i == 0);
        cord_world_destroy(world);
    }
}

static CordVec3 fall_aslant(const Kind* kind, double length)
{
    CordWorld* world = new_world((CordVec3){0, 0, -g});
    CordRodDef def = rod_of(kind, radius, 1e7);
    def.dynamic_twist = true;
    def.shape = cord_shape_line((CordVec3){0, 0, 0.03}, (CordVec3){0.4, 0, 0.044}, 21);
    def.material.rolling_friction = def.material.spinning_friction = length;
    CordRodId rod = add_rod(world, &def);
    touch_with(world, 0.5);
    CordObstacleDef ground = cord_obstacle_def_default();
    add_obstacle(world, &ground);
    double h = kind->is_explicit ? fmin(1e-3, 0.5 * cord_world_step_advice(world).step) : 1e-3;
    CHECK_WORLD_OK(world, cord_world_step_many(world, h, (int)(0.12 / h)));
    CordVec3 x[21];
    CHECK_OK(cord_rod_positions(world, rod, x));
    cord_world_destroy(world);
    return x[0];
}

// A rod that falls aslant in the xz plane neither rolls about its axis nor spins about the normal.
TEST(resistance_does_nothing_where_nothing_rolls)
{
    for (int i = 0; i < KINDS; i++) {
        CordVec3 free = fall_aslant(&kinds[i], 0.0), resists = fall_aslant(&kinds[i], 0.2 * radius);
        double apart = fmax(fabs(free.x - resists.x), fabs(free.z - resists.z));
        print_message("    %-20s %.2g m apart\n", kinds[i].name, apart);
        CHECK(apart <= 0.01 * radius); // sweeps leave 1e-3 of what contact moves in a step, for some steps
    }
}

// Couples are part of the state: what was saved goes on to the same bits.
TEST(a_restored_snapshot_repeats_resistance_to_rolling)
{
    for (int i = 0; i < KINDS; i++) {
        Rolling l = {.kind = &kinds[i], .h = 1e-3, .tangent = 0.198, .length = 0.2 * radius, .speed = 0.01};
        while (!is_stable(&l)) {
            l.h *= 0.5;
        }
        CordWorld* world = lay_across(&l);
        CHECK_WORLD_OK(world, cord_world_step_many(world, l.h, 10));
        size_t size = cord_world_state_size(world);
        void* state = malloc(size);
        CHECK_OK(cord_world_state_get(world, state, size));
        CHECK_WORLD_OK(world, cord_world_step_many(world, l.h, 10));
        uint64_t hash = cord_world_state_hash(world);
        CHECK_OK(cord_world_state_set(world, state, size));
        CHECK_WORLD_OK(world, cord_world_step_many(world, l.h, 10));
        CHECK(cord_world_state_hash(world) == hash);
        free(state);
        cord_world_destroy(world);
    }
}

TEST_GROUP(contact_rolling)
