// The law of contact between two surfaces, for every model and stepper: static and kinetic friction, friction
// that depends on the direction, stretches of a rod with another surface, and restitution.
#include "random.h"
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

// ---- a straight rod along x on the ground

typedef struct Lying {
    const Kind* kind;
    int size;
    double h;          // [s]
    double tangent;    // of the slope, which goes down along x
    CordVec3 velocity; // at the start [m/s]
    CordMaterial material;
    CordSurfacePair pair; // of the rod, surface 1, on the ground, surface 2; friction NAN: by materials
    const CordSurfaceStretch* stretch;
} Lying;

static double length_of(int size)
{
    return sizes[size].elements * radius / sizes[size].ratio;
}

static CordWorld* lay_down(const Lying* l)
{
    double half = 0.5 * length_of(l->size), tilt = atan(l->tangent);
    CordWorld* world = new_world((CordVec3){g * sin(tilt), 0, -g * cos(tilt)});
    CordRodDef def = rod_of(l->kind, radius, 1e5);
    def.material = l->material, def.material.young = 1e5, def.surface = 1;
    def.inextensible = true;
    def.shape = cord_shape_line((CordVec3){-half, 0, radius}, (CordVec3){half, 0, radius},
                                sizes[l->size].elements + 1);
    def.velocity = l->velocity;
    def.stretches = l->stretch, def.stretch_count = l->stretch ? 1 : 0;
    add_rod(world, &def);
    CordContactDef contact = cord_contact_def_default();
    contact.pairs = &l->pair, contact.pair_count = isnan(l->pair.friction) ? 0 : 1;
    contact.stick_speed = 1e-5;
    CHECK_OK(cord_world_set_contact(world, &contact));
    CordObstacleDef ground = cord_obstacle_def_default();
    ground.surface = 2, ground.friction = 1.0;
    add_obstacle(world, &ground);
    return world;
}

static bool is_stable(const Lying* l)
{
    CordWorld* world = lay_down(l);
    bool stable = !l->kind->is_explicit || l->h <= 0.5 * cord_world_step_advice(world).step;
    cord_world_destroy(world);
    return stable;
}

static CordVec3 velocity_of(const CordWorld* world)
{
    CordRodId rod = cord_world_rod(world, 0);
    return times(cord_rod_momentum(world, rod).linear, 1.0 / cord_rod_mass(world, rod));
}

// The mean acceleration from a third of the run on [m/s^2].
static CordVec3 acceleration(const Lying* l)
{
    int count = (int)fmin(fmax(0.02 / l->h, 15.0), 150.0);
    CordWorld* world = lay_down(l);
    CHECK_WORLD_OK(world, cord_world_step_many(world, l->h, count / 3));
    CordVec3 v = velocity_of(world);
    double t = cord_world_time(world);
    CHECK_WORLD_OK(world, cord_world_step_many(world, l->h, count - count / 3));
    CordVec3 a = times(minus(velocity_of(world), v), 1.0 / (cord_world_time(world) - t));
    cord_world_destroy(world);
    return a;
}

static void note(const char* what, const Lying* l, double value, double expected)
{
    print_message("    %-8s %-20s r/l %-4g h %-6g %12.5g m/s^2, expected %.5g\n", what, l->kind->name,
                  sizes[l->size].ratio, l->h, value, expected);
}

// Calls a check for each kind of rod, size of its elements and stable step.
static void for_all(Lying l, void (*check)(Lying l))
{
    for (int i = 0; i < KINDS * SIZES * STEPS; i++) {
        l.kind = &kinds[i / (SIZES * STEPS)], l.size = i / STEPS % SIZES, l.h = steps[i % STEPS];
        if (is_stable(&l)) {
            check(l);
        }
    }
}

// ---- static and kinetic friction

static const double mu_static = 0.5, mu_kinetic = 0.3;

static const Lying at_rest = {.pair = {{1, 2}, 0.5, 0.3, NAN, NAN, NAN}};

static Lying lying(void)
{
    Lying l = at_rest;
    l.material = cord_material_default();
    return l;
}

static void check_stick(Lying l)
{
    l.tangent = 0.99 * mu_static;
    double a = acceleration(&l).x;
    note("stick", &l, a, 0.0);
    CHECK_NEAR(a, 0.0, 1e-6 * g);
}

TEST(a_rod_at_rest_sticks_at_099_of_static_friction)
{
    for_all(lying(), check_stick);
}

// Static friction acts until the rod is faster than stick_speed.
static void check_slip(Lying l)
{
    l.tangent = 1.01 * mu_static;
    double tilt = atan(l.tangent), a = acceleration(&l).x,
           expected = g * (sin(tilt) - mu_kinetic * cos(tilt));
    note("slip", &l, a, expected);
    CHECK_NEAR(a, expected, 0.01 * expected);
}

TEST(a_rod_slips_at_101_of_static_friction_and_then_has_kinetic_friction)
{
    for_all(lying(), check_slip);
}

// On a slope between the two, what rests stays and what slides goes on to slide.
static void check_between(Lying l)
{
    l.tangent = 0.4;
    double tilt = atan(l.tangent), rests = acceleration(&l).x;
    CHECK_NEAR(rests, 0.0, 1e-6 * g);
    l.velocity = (CordVec3){0.5, 0, 0};
    double slides = acceleration(&l).x, expected = g * (sin(tilt) - mu_kinetic * cos(tilt));
    note("slide", &l, slides, expected);
    CHECK_NEAR(slides, expected, 0.01 * expected);
}

TEST(between_the_two_what_rests_stays_and_what_slides_goes_on)
{
    for_all(lying(), check_between);
}

// Explicit velocities lag by half a step. What brings them up to date knows that the rod slides.
TEST(the_velocity_of_a_sliding_rod_is_read_with_kinetic_friction)
{
    Lying l = lying();
    l.kind = &kinds[0], l.h = 0.2e-3, l.velocity = (CordVec3){2, 0, 0};
    CordWorld* world = lay_down(&l);
    CHECK_WORLD_OK(world, cord_world_step_many(world, l.h, 50));
    double read = velocity_of(world).x, expected = 2.0 - mu_kinetic * g * cord_world_time(world);
    print_message("    %.9g m/s, expected %.9g\n", read, expected);
    CHECK_NEAR(read, expected, 0.1 * (mu_static - mu_kinetic) * g * l.h);
    cord_world_destroy(world);
}

// A rod that slides comes to rest by kinetic friction and stays: v^2 / (2 mu_k g) farther on.
static void check_stop(Lying l)
{
    const double speed = 0.05;
    l.velocity = (CordVec3){speed, 0, 0};
    CordWorld* world = lay_down(&l);
    double time = 1.5 * speed / (mu_kinetic * g),
           x = cord_rod_momentum(world, cord_world_rod(world, 0)).center.x;
    CHECK_WORLD_OK(world, cord_world_step_many(world, l.h, (int)(time / l.h) + 1));
    double way = cord_rod_momentum(world, cord_world_rod(world, 0)).center.x - x,
           expected = speed * speed / (2.0 * mu_kinetic * g);
    // A step of first order is off by half the way of a step.
    CHECK_NEAR(way, expected, 0.01 * expected + 0.6 * speed * l.h);
    CHECK_NEAR(velocity_of(world).x, 0.0, 1e-6 * speed);
    cord_world_destroy(world);
}

TEST(kinetic_friction_brings_a_rod_to_rest)
{
    Lying l = lying();
    for (int i = 0; i < KINDS; i++) {
        l.kind = &kinds[i], l.size = 0, l.h = l.kind->is_explicit ? 0.1e-3 : 1e-3;
        check_stop(l);
    }
}

// ---- directions

static void check_direction(Lying l, CordVec3 way, double mu)
{
    l.velocity = times(way, 2.0);
    double a = dot(acceleration(&l), way);
    note("slide", &l, a, -mu * g);
    CHECK_NEAR(a, -mu * g, 0.01 * mu * g);
}

static void check_directions(Lying l)
{
    check_direction(l, (CordVec3){1, 0, 0}, 0.2);
    check_direction(l, (CordVec3){-1, 0, 0}, 0.2 * 3.0);
    check_direction(l, (CordVec3){0, 1, 0}, 0.2 * 1.7);
    if (!l.kind->is_explicit) { // the others begin to roll, which turns the slip
        return;
    }
    // Friction is opposite to the slip in any direction.
    CordVec3 back = {-0.8, 0.6, 0};
    double mu = 0.2 * sqrt(0.8 * 0.8 * 9.0 + 0.6 * 0.6 * 1.7 * 1.7);
    l.velocity = times(back, 2.0);
    CordVec3 a = acceleration(&l);
    CHECK_NEAR(dot(a, back), -mu * g, 0.02 * mu * g);
    CHECK_NEAR(dot(a, (CordVec3){0.6, 0.8, 0}), 0.0, 0.02 * mu * g);
}

TEST(friction_differs_forwards_backwards_and_across)
{
    Lying l = lying();
    l.pair = cord_surface_pair_default(1, 2, 0.2);
    l.material.friction_backward = 3.0, l.material.friction_across = 1.7;
    for_all(l, check_directions);
}

// ---- stretches

// The stretch holds all nodes but a few at each end, alike, so that the couple of friction has no effect.
static void check_stretch(Lying l)
{
    int n = sizes[l.size].elements, few = n / 4;
    double len = length_of(l.size) / n, share = (double)(n - 2 * few + 1) / n;
    CordSurfaceStretch rough = {(few - 0.5) * len, (n - few + 0.5) * len, cord_material_default(), 3};
    rough.material.friction = 0.36;
    l.stretch = &rough;
    l.velocity = (CordVec3){2, 0, 0};
    double mu = share * 0.6 + (1.0 - share) * 0.2, a = acceleration(&l).x;
    note("stretch", &l, a, -mu * g);
    CHECK_NEAR(a, -mu * g, 0.01 * mu * g);
}

TEST(a_stretch_of_a_rod_has_friction_of_its_own)
{
    Lying l = lying();
    l.pair = cord_surface_pair_default(1, 2, 0.2);
    for_all(l, check_stretch);
}

// ---- restitution

// A rod that falls flat on the ground, from a height of its surface [m].
static CordWorld* drop(const Kind* kind, int size, double restitution, double friction, double height,
                       CordVec3 velocity)
{
    double half = 0.5 * length_of(size), z = radius + height;
    CordWorld* world = new_world((CordVec3){0, 0, -g});
    CordRodDef def = rod_of(kind, radius, 1e6);
    def.shape = cord_shape_line((CordVec3){-half, 0, z}, (CordVec3){half, 0, z}, sizes[size].elements + 1);
    def.velocity = velocity, def.material.restitution = restitution, def.material.friction = friction;
    add_rod(world, &def);
    CordContactDef contact = cord_contact_def_default();
    CHECK_OK(cord_world_set_contact(world, &contact));
    CordObstacleDef ground = cord_obstacle_def_default();
    add_obstacle(world, &ground);
    return world;
}

static double height_of(const CordWorld* world)
{
    return cord_rod_momentum(world, cord_world_rod(world, 0)).center.z - radius;
}

static double energy_of(const CordWorld* world)
{
    CordEnergy e = cord_rod_energy(world, cord_world_rod(world, 0));
    return e.kinetic + e.gravity + e.bend + e.twist + e.stretch;
}

// The greatest height after the first bounce [m].
static double bounce(const Kind* kind, int size, double restitution, double height, double h)
{
    CordWorld* world = drop(kind, size, restitution, 0.3, height, (CordVec3){0, 0, 0});
    double fall = sqrt(2.0 * height / g), most = 0.0, first = energy_of(world);
    h = kind->is_explicit ? fmin(h, 0.5 * cord_world_step_advice(world).step) : h;
    int count = (int)ceil((fall + 1.2 * restitution * fall) / h);
    for (int n = 0; n < count; n++) {
        CHECK_WORLD_OK(world, cord_world_step(world, h));
        most = cord_world_time(world) > fall + 2.0 * h ? fmax(most, height_of(world)) : most;
        CHECK(energy_of(world) - first < 1e-6 * fabs(first) + 1e-9);
    }
    cord_world_destroy(world);
    return most;
}

TEST(a_rod_that_falls_flat_rebounds_to_the_square_of_its_restitution)
{
    const double restitutions[] = {0.3, 0.7, 1.0}, height = 0.2;
    for (int i = 0; i < KINDS * SIZES * 3; i++) {
        const Kind* kind = &kinds[i / (3 * SIZES)];
        double e = restitutions[i % 3], h = 0.1e-3, most = bounce(kind, i / 3 % SIZES, e, height, h);
        print_message("    %-20s r/l %-4g e %g: %.5g of the height, expected %.5g\n", kind->name,
                      sizes[i / 3 % SIZES].ratio, e, most / height, e * e);
        CHECK_NEAR(most, e * e * height, 0.01 * e * e * height);
    }
}

// The rebound begins where the rod is at the start of the step, up to the way of a step above the ground.
TEST(long_steps_rebound_to_within_the_way_of_a_step)
{
    const double steps_long[] = {0.5e-3, 1e-3, 4e-3, 10e-3}, height = 0.2;
    for (int i = 0; i < KINDS * 4; i++) {
        const Kind* kind = &kinds[i / 4];
        double h = steps_long[i % 4], e = 0.7;
        if (kind->is_explicit) {
            continue;
        }
        double most = bounce(kind, 1, e, height, h);
        print_message("    %-20s h %-6g: %.5g of the height, expected %.5g\n", kind->name, h, most / height,
                      e * e);
        double way = h * sqrt(2.0 * g * height); // of a step at the speed of the impact
        CHECK_NEAR(most, e * e * height, 0.01 * e * e * height + way);
    }
}

// A rod comes to rest after a finite time: slow contacts do not rebound, and nothing rattles.
TEST(a_rod_that_bounces_comes_to_rest)
{
    for (int i = 0; i < KINDS; i++) {
        const Kind* kind = &kinds[i];
        double h = kind->is_explicit ? 0.1e-3 : 1e-3, height = 0.02, e = 0.6;
        CordWorld* world = drop(kind, 0, e, 0.3, height, (CordVec3){0, 0, 0});
        double time = 1.5 * sqrt(2.0 * height / g) * (1.0 + e) / (1.0 - e);
        CHECK_WORLD_OK(world, cord_world_step_many(world, h, (int)(time / h)));
        CordEnergy energy = cord_rod_energy(world, cord_world_rod(world, 0));
        print_message("    %-20s at rest: %.3g J, %.3g m above the ground\n", kind->name, energy.kinetic,
                      height_of(world));
        CHECK(energy.kinetic < 1e-12 && fabs(height_of(world)) < 1e-3 * radius);
        cord_world_destroy(world);
    }
}

enum { NODES = 8 };

static double velocity_of_middle(const CordWorld* world, int rod)
{
    CordVec3 v[NODES];
    CHECK_OK(cord_rod_velocities(world, cord_world_rod(world, rod), v));
    return 0.5 * (v[NODES / 2 - 1].z + v[NODES / 2].z);
}

// Two alike rods that meet in the middle, crosswise: momentum is kept, and the points that meet part with e
// times the speed at which they approached.
TEST(rods_that_meet_rebound_from_each_other)
{
    for (int i = 0; i < KINDS; i++) {
        const Kind* kind = &kinds[i];
        CordWorld* world = new_world((CordVec3){0, 0, 0});
        for (int k = 0; k < 2; k++) {
            CordRodDef def = rod_of(kind, radius, 1e7);
            double z = (k == 0 ? -1.0 : 1.0) * (radius + 1e-4), a = 0.03;
            CordVec3 end = k == 0 ? (CordVec3){a, 0, z} : (CordVec3){0, a, z};
            def.shape = cord_shape_line((CordVec3){-end.x, -end.y, z}, end, NODES);
            def.velocity = (CordVec3){0, 0, k == 0 ? 1.0 : 0.0};
            def.material.restitution = 0.8 * k;
            add_rod(world, &def);
        }
        touch_with(world, 0.0);
        double first = world_momentum(world).linear.z, energy = 0.0;
        for (int k = 0; k < 2; k++) {
            energy += cord_rod_energy(world, cord_world_rod(world, k)).kinetic;
        }
        double parting = -1.0, total = 0.0;
        for (int n = 0; n < 20 && parting < -0.5; n++) { // until they have met
            CHECK_WORLD_OK(world, cord_world_step(world, 2e-5));
            parting = velocity_of_middle(world, 1) - velocity_of_middle(world, 0);
        }
        for (int k = 0; k < 2; k++) {
            CordEnergy e = cord_rod_energy(world, cord_world_rod(world, k));
            total += e.kinetic + e.bend + e.stretch + e.twist;
        }
        print_message("    %-20s part at %.5g m/s, with %.4g of the energy\n", kind->name, parting,
                      total / energy);
        CHECK_NEAR(parting, 0.8, 0.02);
        CHECK_NEAR(world_momentum(world).linear.z, first, 1e-9 * first);
        CHECK(total < energy * (1.0 + 1e-6));
        cord_world_destroy(world);
    }
}

// A ball that hits a rod a million times as heavy parts from it with e times its speed.
TEST(a_body_rebounds_from_a_rod)
{
    for (int i = 0; i < 2; i++) {
        double e = i == 0 ? 0.5 : 1.0;
        CordWorld* world = new_world((CordVec3){0, 0, 0});
        CordRodDef def = rod_of(&kinds[1], radius, 1e9);
        def.shape = cord_shape_line((CordVec3){-0.1, 0, 0}, (CordVec3){0.1, 0, 0}, 12);
        def.material.density = 1e8;
        add_rod(world, &def);
        CordBodyDef ball = cord_body_def_default();
        CordBodyId id;
        ball.solid = (CordSolid){.shape = CORD_SOLID_SPHERE, .size = {0.02, 0, 0}};
        ball.mass = 0.01, ball.position = (CordVec3){0.003, 0, radius + 0.0202};
        ball.velocity = (CordVec3){0, 0, -1}, ball.restitution = e;
        CHECK_WORLD_OK(world, cord_body_create(world, &ball, &id));
        touch_with(world, 0.0);
        CHECK_WORLD_OK(world, cord_world_step_many(world, 0.1e-3, 6));
        CordMomentum m = cord_body_momentum(world, id);
        print_message("    e %g: the ball parts at %.6g m/s\n", e, m.linear.z / ball.mass);
        CHECK_NEAR(m.linear.z / ball.mass, e, 1e-3); // the rod gives way where it is hit
        cord_world_destroy(world);
    }
}

static CordWorld* slide_and_sink(const Kind* kind)
{
    CordWorld* world = drop(kind, 0, 0.5, 0.6, 1e-3, (CordVec3){0.3, 0.1, -0.5});
    CordObstacleDef bed = obstacle_def(CORD_SOLID_BOX, (CordVec3){1, 1, 0.01}, (CordVec3){0, 0, -0.006});
    bed.stiffness = 1e4, bed.damping = 1.0;
    add_obstacle(world, &bed);
    CordContactDef contact = cord_contact_def_default();
    contact.friction = 0.6, contact.friction_kinetic = 0.2;
    CHECK_OK(cord_world_set_contact(world, &contact));
    return world;
}

// A snapshot in the middle of sliding, bouncing and sinking repeats what follows to the last bit, also in an
// equal world that has taken no step, and after gravity was changed.
TEST(a_restored_snapshot_repeats_the_law_of_contact)
{
    for (int i = 0; i < KINDS; i++) {
        CordWorld *world = slide_and_sink(&kinds[i]), *fresh = slide_and_sink(&kinds[i]);
        double h = kinds[i].is_explicit ? 0.1e-3 : 1e-3;
        CHECK_WORLD_OK(world, cord_world_step_many(world, h, 20));
        CHECK_OK(cord_world_set_gravity(world, (CordVec3){0, 2, -100}));
        size_t size = cord_world_state_size(world);
        void* state = malloc(size);
        CHECK_OK(cord_world_state_get(world, state, size));
        CHECK_WORLD_OK(world, cord_world_step_many(world, h, 30));
        uint64_t first = cord_world_state_hash(world);
        CordWorld* const others[] = {world, fresh};
        for (int k = 0; k < 2; k++) {
            CHECK_OK(cord_world_state_set(others[k], state, size));
            CHECK_WORLD_OK(others[k], cord_world_step_many(others[k], h, 30));
            CHECK(cord_world_state_hash(others[k]) == first);
        }
        free(state);
        cord_world_destroy(world);
        cord_world_destroy(fresh);
    }
}

// Rods that fall askew, spin and slide, and rebound at several places one after the other.
TEST(a_rebound_does_not_make_energy)
{
    uint64_t seed = 7;
    for (int i = 0; i < 5 * KINDS; i++) {
        const Kind* kind = &kinds[i % KINDS];
        double e = i / KINDS % 2 == 0 ? 1.0 : 0.6, h = 0.1e-3, worst = 0.0;
        CordWorld* world = new_world((CordVec3){0, 0, -g});
        CordRodDef def = rod_of(kind, radius, 1e7);
        CordVec3 way = {0.05, 0.02, random_in(&seed, -0.03, 0.03)}, at = {0, 0, 0.06};
        def.shape = cord_shape_line(minus(at, way), plus(at, way), 12);
        def.velocity = (CordVec3){random_in(&seed, -1, 1), 0, random_in(&seed, -2, 0)};
        def.spin = (CordVec3){0, random_in(&seed, -20, 20), random_in(&seed, -20, 20)};
        def.material.restitution = e, def.material.friction = 0.5;
        add_rod(world, &def);
        touch_with(world, NAN);
        add_ground(world);
        h = kind->is_explicit ? fmin(h, 0.2 * cord_world_step_advice(world).step) : h;
        double most = energy_of(world), first = most;
        for (int n = 0; n < (int)(0.15 / h); n++) {
            CHECK_WORLD_OK(world, cord_world_step(world, h));
            double now = energy_of(world);
            worst = fmax(worst, (now - most) / first);
            most = fmin(most, now);
        }
        print_message("    %-20s e %g: energy rises by %.2g at the most, and ends at %.3g\n", kind->name, e,
                      worst, energy_of(world) / first);
        // Work against elastic forces, and the fluctuation of energies of the explicit integrator.
        CHECK(worst < 0.005);
        CHECK(kind->is_explicit || e == 1.0 || worst < 1e-5);
        cord_world_destroy(world);
    }
}

// ---- compliant obstacles

// A rod of mass per length m on ground of the stiffness k per length: it sinks by m g / k, and swings with
// the frequency sqrt(k / m).
typedef struct Bed {
    CordWorld* world;
    double mass; // per length [kg/m]
    double k, c; // per length
} Bed;

static Bed lay_on_bed(const Kind* kind, int size, double sink, double damping_ratio, double height)
{
    Bed b = {.world = drop(kind, size, 0.0, 0.3, height, (CordVec3){0, 0, 0})};
    CHECK_OK(cord_obstacle_destroy(b.world, cord_world_obstacle(b.world, 0)));
    b.mass = cord_rod_mass(b.world, cord_world_rod(b.world, 0)) / length_of(size);
    b.k = b.mass * g / sink, b.c = 2.0 * damping_ratio * sqrt(b.k * b.mass);
    CordObstacleDef ground = cord_obstacle_def_default();
    ground.stiffness = b.k, ground.damping = b.c;
    add_obstacle(b.world, &ground);
    return b;
}

TEST(a_rod_sinks_into_compliant_ground_by_its_weight)
{
    const double sinks[] = {0.3 * radius, 0.01 * radius, 1e-6 * radius};
    for (int i = 0; i < KINDS * SIZES * 3; i++) {
        const Kind* kind = &kinds[i / (3 * SIZES)];
        int size = i / 3 % SIZES;
        double sink = sinks[i % 3];
        Bed b = lay_on_bed(kind, size, sink, 0.7, 0.0);
        double h = kind->is_explicit ? 0.4 * cord_world_step_advice(b.world).step : 1e-3;
        CHECK_WORLD_OK(b.world, cord_world_step_many(b.world, h, (int)(0.15 / h)));
        print_message("    %-20s r/l %-4g sinks by %.6g of %.3g m\n", kind->name, sizes[size].ratio,
                      -height_of(b.world) / sink, sink);
        CHECK_NEAR(-height_of(b.world), sink, 1e-3 * sink);
        // What rests is read as at rest; the softest ground still swings by 1e-4 of its first swing.
        CHECK_NEAR(velocity_of(b.world).z, 0.0, 0.05 * g * h + 1e-4 * sqrt(g * sink));
        cord_world_destroy(b.world);
    }
}

// What would sink in to its axis might pass: the step fails, and the world stays as it was.
TEST(a_rod_does_not_pass_soft_ground)
{
    for (int i = 0; i < KINDS; i++) {
        Bed b = lay_on_bed(&kinds[i], 0, 2.0 * radius, 0.7, 0.0);
        double h = kinds[i].is_explicit ? 0.1e-3 : 1e-3, lowest = 0.0;
        CordResult result = CORD_OK;
        for (int n = 0; n < (int)(0.2 / h) && result == CORD_OK; n++) {
            result = cord_world_step(b.world, h);
            lowest = height_of(b.world);
        }
        print_message("    %-20s %.3g of a radius deep: %s\n", kinds[i].name, -lowest / radius,
                      cord_world_message(b.world));
        CHECK_RESULT(result, CORD_NOT_CONVERGED);
        CHECK_CONTAINS(cord_world_message(b.world), "needs a larger stiffness");
        CHECK_CONTAINS(cord_world_message(b.world), "deeper than 0.9");
        CHECK(-lowest <= 0.91 * radius && -lowest > 0.8 * radius);
        cord_world_destroy(b.world);
    }
}

// Friction on compliant ground is Coulomb's, too.
TEST(a_rod_slides_on_compliant_ground)
{
    for (int i = 0; i < KINDS; i++) {
        Bed b = lay_on_bed(&kinds[i], 0, 0.05 * radius, 0.7, -0.05 * radius);
        CordContactDef contact = cord_contact_def_default();
        contact.friction = 0.4;
        CHECK_OK(cord_world_set_contact(b.world, &contact));
        CordVec3 v[16];
        for (int n = 0; n <= sizes[0].elements; n++) {
            v[n] = (CordVec3){2, 0, 0};
        }
        CHECK_OK(cord_rod_set_velocities(b.world, cord_world_rod(b.world, 0), v));
        double h = kinds[i].is_explicit ? 0.1e-3 : 1e-3;
        CHECK_WORLD_OK(b.world, cord_world_step_many(b.world, h, (int)lround(0.1 / h)));
        print_message("    %-20s slows down by %.5g m/s\n", kinds[i].name, 2.0 - velocity_of(b.world).x);
        CHECK_NEAR(velocity_of(b.world).x, 2.0 - 0.4 * g * 0.1, 0.01 * 0.4 * g * 0.1);
        cord_world_destroy(b.world);
    }
}

// Starts in touch and swings about m g / k below. The implicit spring damps by half the angle of a step.
static void check_swing(const Kind* kind, double ratio)
{
    const double sink = 0.2 * radius;
    Bed b = lay_on_bed(kind, 1, sink, ratio, 0.0);
    double omega = sqrt(b.k / b.mass), h = 0.01 / omega, lowest = 0.0, time = 0.0;
    h = kind->is_explicit ? fmin(h, 0.4 * cord_world_step_advice(b.world).step) : h;
    for (int n = 0; n < (int)(4.5 / (omega * h)); n++) {
        CHECK_WORLD_OK(b.world, cord_world_step(b.world, h));
        if (height_of(b.world) < lowest) {
            lowest = height_of(b.world), time = cord_world_time(b.world);
        }
    }
    double zeta = ratio + 0.5 * omega * h, swing = sqrt(1.0 - zeta * zeta),
           expected = -sink * (1.0 + exp(-pi * zeta / swing));
    print_message("    %-20s damping %g: lowest %.5g of %.5g m, after %.4g of %.4g s\n", kind->name, ratio,
                  lowest, expected, time, pi / (omega * swing));
    CHECK_NEAR(lowest, expected, 0.01 * sink);
    CHECK_NEAR(time, pi / (omega * swing), 0.02 * pi / omega);
    cord_world_destroy(b.world);
}

TEST(a_rod_swings_on_compliant_ground)
{
    for (int i = 0; i < 2 * KINDS; i++) {
        check_swing(&kinds[i / 2], i % 2 == 0 ? 0.0 : 0.2);
    }
}

TEST_GROUP(contact_law)
