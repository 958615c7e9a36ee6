// Adaptive rods in motion: what no change of their nodes may change.
#include "adapts.h"

// ---- rods that move

enum { ELEMENTS = 40 };

typedef enum Held { FREE, RING, CLAMPED } Held;

typedef struct Mover {
    const char* name;
    Held held;
    CordRodId (*make)(CordWorld* world, CordRodDef def);
} Mover;

// Every node is thrown, so that nothing is as smooth as it would be by itself.
static void throw_nodes(CordWorld* world, CordRodId rod, double speed)
{
    CordVec3 v[MOST_NODES];
    unsigned seed = 5;
    CHECK_OK(cord_rod_velocities(world, rod, v));
    for (int i = 0; i < cord_rod_node_count(world, rod); i++) {
        v[i] = plus(v[i], times(random_unit(&seed), speed));
    }
    CHECK_OK(cord_rod_set_velocities(world, rod, v));
}

// Bent from straight, it tumbles and flies.
static CordRodId make_tumbling(CordWorld* world, CordRodDef def)
{
    def.shape = cord_shape_ellipse((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, (CordVec3){0, 1, 0.3}, 0.35, 0.3,
                                   ELEMENTS + 1);
    def.shape.angle_from = 0.0, def.shape.angle_to = 0.8 * pi;
    def.rest = CORD_REST_STRAIGHT;
    def.velocity = (CordVec3){1, -2, 0.5}, def.spin = (CordVec3){3, -2, 4};
    CordRodId rod = add_rod(world, &def);
    throw_nodes(world, rod, 0.2);
    return rod;
}

// Curved by nature, with a flat section that the curve winds around.
static CordRodId make_spring(CordWorld* world, CordRodDef def)
{
    def.shape = cord_shape_helix((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 0.1, 0.08, 1.5, ELEMENTS + 1);
    def.section = cord_section_rectangle(0.02, 0.012);
    def.velocity = (CordVec3){-1, 1, 2}, def.spin = (CordVec3){1, 4, -2};
    CordRodId rod = add_rod(world, &def);
    throw_nodes(world, rod, 0.2);
    return rod;
}

// Link 2: twice around with its frames, of a straight rod, less than what would buckle it.
static CordRodId make_ring(CordWorld* world, CordRodDef def)
{
    def.shape = cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){0.2, 0.3, 1}, 0.16, ELEMENTS);
    def.closed = true, def.rest = CORD_REST_STRAIGHT, def.twist = 4.0 * pi;
    def.velocity = (CordVec3){2, 1, -1}, def.spin = (CordVec3){-3, 2, 1};
    CordRodId rod = add_rod(world, &def);
    throw_nodes(world, rod, 0.2);
    return rod;
}

// Three turns of twist between clamps, with slack.
static CordRodId make_wound(CordWorld* world, CordRodDef def)
{
    def.shape = cord_shape_ellipse((CordVec3){0, 0, 0}, (CordVec3){-1, 0, 0}, (CordVec3){0, 0, 1}, 0.4, 0.2,
                                   ELEMENTS + 1);
    def.shape.angle_from = 0.0, def.shape.angle_to = pi;
    def.rest = CORD_REST_STRAIGHT, def.twist = 6.0 * pi;
    CordRodId rod = add_rod(world, &def);
    hold_ends(world, rod, CORD_FIX_FRAME);
    throw_nodes(world, rod, 0.2);
    return rod;
}

static const Mover movers[] = {
    {"tumbling", FREE, make_tumbling},
    {"spring", FREE, make_spring},
    {"ring", RING, make_ring},
    {"wound", CLAMPED, make_wound},
};
enum { MOVERS = sizeof movers / sizeof *movers };

// ---- what must not change

typedef struct Ledger {
    double mass, length;       // [kg], [m]
    CordVec3 momentum, center; // momentum of free rods: what is held gives to its clamps and takes from them
    double link;               // of every fiftieth, since writhe takes the square of the nodes [turns]
} Ledger;

// Twist and writhe. What clamps hold is closed by tails that carry its ends on, far beside it, and around:
// they do not move as long as the clamps do not.
static double link_of(CordWorld* world, CordRodId rod, Held held)
{
    CordVec3 x[MOST_NODES + 4];
    int n = cord_rod_node_count(world, rod);
    if (held == FREE) {
        return 0.0;
    }
    if (held == RING) {
        return cord_rod_twist(world, rod) + cord_rod_writhe(world, rod);
    }
    CHECK_OK(cord_rod_positions(world, rod, x));
    CordVec3 out = minus(x[n - 1], x[n - 2]), in = minus(x[1], x[0]), aside = {0, 300.0, 0};
    x[n] = plus(x[n - 1], times(out, 100.0 / size_of(out)));
    x[n + 1] = plus(x[n], aside);
    x[n + 3] = minus(x[0], times(in, 100.0 / size_of(in)));
    x[n + 2] = plus(x[n + 3], aside);
    return cord_rod_twist(world, rod) + cord_polygon_writhe(x, n + 4, true);
}

static Ledger ledger_of(CordWorld* world, CordRodId rod, Held held, bool with_link)
{
    double mass[MOST_NODES], sum = 0.0;
    CordMomentum m = cord_rod_momentum(world, rod);
    CHECK_OK(cord_rod_masses(world, rod, mass));
    for (int i = 0; i < cord_rod_node_count(world, rod); i++) {
        sum += mass[i];
    }
    CHECK_NEAR(cord_rod_mass(world, rod), sum, 1e-14 * sum); // of fifty nodes
    CordVec3 none = {0, 0, 0};
    return (Ledger){sum, cord_rod_length(world, rod), held == CLAMPED ? none : m.linear, m.center,
                    with_link ? link_of(world, rod, held) : NAN};
}

typedef struct Most {
    double mass, length, momentum, link; // relative; link in turns
    double shift;                        // of the centre of mass, over the element's length
    double stretch;
} Most;

static void compare(const Ledger* a, const Ledger* b, double speed, Most* most)
{
    most->mass = fmax(most->mass, fabs(b->mass / a->mass - 1.0));
    most->length = fmax(most->length, fabs(b->length / a->length - 1.0));
    most->momentum = fmax(most->momentum, size_of(minus(b->momentum, a->momentum)) / (a->mass * speed));
    most->link = fmax(most->link, fabs(b->link - a->link)); // not where there is none
}

// A thousand changes, or three hundred with a step before each. Comparisons are across each change, and from
// before the first to after the last.
static Most change_often(const Kind* kind, const Mover* mover, bool steps)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod = mover->make(world, adaptive_rod(kind));
    Most most = {0};
    unsigned seed = 11;
    Ledger first = ledger_of(world, rod, mover->held, true);
    double speed = fastest(world, rod);
    const int changes = steps ? 300 : 1000;
    int made = 0, nodes = 0;
    for (int tries = 0; made < changes && tries < 20 * changes; tries++) {
        if (steps) {
            run_many(world, is_implicit(kind->integrator) ? 1e-4 : 0.3 * cord_world_step_advice(world).step,
                     1);
        }
        bool with_link = made % 50 == 0;
        Ledger before = ledger_of(world, rod, mover->held, with_link);
        Change change = change_at_random(world, rod, &seed);
        if (change.made) {
            Ledger after = ledger_of(world, rod, mover->held, with_link);
            compare(&before, &after, speed, &most);
            most.shift = fmax(most.shift, size_of(minus(after.center, before.center)) / change.element);
            most.stretch = fmax(most.stretch, cord_rod_stretch(world, rod));
            nodes += cord_rod_node_count(world, rod);
            made++;
        }
    }
    Ledger last = ledger_of(world, rod, mover->held, true);
    // which steps keep to the tolerance of Newton's method
    last.momentum = steps ? first.momentum : last.momentum;
    compare(&first, &last, speed, &most);
    CHECK_INT(made, changes);
    CHECK(nodes / made > ELEMENTS + 5);
    cord_world_destroy(world);
    return most;
}

static void check_kept(const Kind* kind, const Mover* mover, bool steps)
{
    Most m = change_often(kind, mover, steps);
    print_message("    %s, %s, %s: mass %.1e, length %.1e, momentum %.1e, link %.1e; centre of mass by %.1e "
                  "of an element; stretch %.1e\n",
                  kind->name, mover->name, steps ? "steps between" : "no steps", m.mass, m.length, m.momentum,
                  m.link, m.shift, m.stretch);
    CHECK_NEAR(m.mass, 0.0, 1e-13); // round-off of sums over fifty nodes, a thousand times
    CHECK_NEAR(m.length, 0.0, 1e-13);
    CHECK_NEAR(m.momentum, 0.0, 1e-12);
    CHECK_NEAR(m.link, 0.0, 1e-9); // round-off of writhe, which adds 10,000 solid angles
    // goes with the square of the number of elements: rods of 12, which turn by half a radian each, reach
    // 5e-3
    CHECK(m.shift < 1e-3);
    CHECK(!kind->inextensible || m.stretch < 1e-9);
}

TEST(a_thousand_changes_keep_mass_momentum_length_and_link)
{
    for (int k = 0; k < KINDS; k++) {
        for (int i = 0; i < MOVERS; i++) {
            check_kept(&kinds[k], &movers[i], false);
        }
    }
}

TEST(changes_between_steps_keep_mass_momentum_length_and_link)
{
    for (int k = 0; k < KINDS; k++) {
        for (int i = 0; i < MOVERS; i++) {
            check_kept(&kinds[k], &movers[i], true);
        }
    }
}

TEST_GROUP(adapt_motion)
