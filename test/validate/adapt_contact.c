// Adaptive rods that touch: no change of their nodes makes anything overlap, or pass through anything.
#include "adapts.h"

static const double radius = 0.004; // of the ropes [m]
static const double element = 3.0;  // length as they are made, over the radius
static const double deep = 1e-3;    // overlap that contact leaves to explicit rods, over the radius

static double step_of(const Kind* kind)
{
    return is_implicit(kind->integrator) ? 1e-3 : 4e-5; // [s]
}

// A rope that is easily bent, a twentieth of a kilogram a metre. It stretches, where it may, so that explicit
// steps can be long.
static CordRodDef rope_def(const Kind* kind)
{
    CordRodDef def = adaptive_rod(kind);
    def.section = cord_section_disc(radius);
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = 1e-4;
    def.stiffness.EA = 50.0, def.stiffness.mass_per_length = 0.05;
    return def;
}

// The shape with elements of the length that ropes are made with.
static CordRodId add_rope(CordWorld* world, CordRodDef def)
{
    CordWorld* other = new_weightless_world(); // where it is measured
    def.shape.node_count = MOST_NODES;
    double length = cord_rod_length(other, add_rod(other, &def));
    cord_world_destroy(other);
    def.shape.node_count = (int)(length / (element * radius)) + 1;
    return add_rod(world, &def);
}

// How deep anything overlaps, over the radius; by the world's own account, and of the rope with itself by
// brute force.
static double depth(CordWorld* world, CordRodId rope)
{
    CordContact deepest;
    double told = cord_world_deepest(world, &deepest) ? -deepest.gap / radius : 0.0;
    double found = fmax(0.0, -least_gap_along(world, rope) / radius);
    CHECK(found <= told + 1e-9); // round-off of two ways to a distance
    return told;
}

static void check_apart(CordWorld* world, CordRodId rope)
{
    CHECK(depth(world, rope) <= deep);
}

// Tries eight changes, and looks at what each of them has made. Returns how many there were.
static int change_eight_times(CordWorld* world, CordRodId rope, unsigned* seed)
{
    int made = 0;
    for (int t = 0; t < 8; t++) {
        if (change_at_random(world, rope, seed).made) {
            check_apart(world, rope);
            made++;
        }
    }
    return made;
}

// ---- a knot

typedef struct Knot {
    CordWorld* world;
    CordRodId rope;
    CordClampId hands[2];
} Knot;

// An overhand knot in the hands, which pull at it.
static Knot tie(const Kind* kind, CordAdaptDef adapt)
{
    Knot k = {.world = new_weightless_world()};
    CordRodDef def = rope_def(kind);
    double size = 1.5 * radius / cord_knot_clearance("overhand", 1.0);
    def.shape = cord_shape_knot("overhand", 0, (CordVec3){0, 0, 0}, size, 10.0 * radius, 0);
    def.rest = CORD_REST_STRAIGHT, def.adapt = adapt;
    k.rope = add_rope(k.world, def);
    add_drag(k.world, (CordRodId){0, 0}, 0.5);
    touch_with(k.world, 0.1);
    k.hands[0] = hold(k.world, k.rope, cord_at_start(), CORD_FIX_FRAME);
    k.hands[1] = hold(k.world, k.rope, cord_at_end(), CORD_FIX_FRAME);
    return k;
}

static void pull(const Knot* k, const Kind* kind, double time)
{
    int steps = (int)(time / step_of(kind) + 0.5);
    for (int i = 0; i < steps; i++) {
        double way = 0.4 * (cord_world_time(k->world) + step_of(kind)); // [m]
        CHECK_OK(cord_clamp_move(k->world, k->hands[0], (CordVec3){-way, 0, 0}, (CordQuat){0, 0, 0, 1}));
        CHECK_OK(cord_clamp_move(k->world, k->hands[1], (CordVec3){way, 0, 0}, (CordQuat){0, 0, 0, 1}));
        run_many(k->world, step_of(kind), 1);
    }
}

// As the knot is drawn tight, it has three to five changes each millisecond.
TEST(changes_at_random_in_a_knot_make_no_overlap_and_keep_the_knot)
{
    for (int i = 0; i < KINDS; i++) {
        Knot k = tie(&kinds[i], adaptive_rod(&kinds[i]).adapt);
        unsigned seed = 3;
        int made = 0, touched = 0;
        CHECK_INT(cord_rod_knot(k.world, k.rope), 3);
        for (int n = 0; n < 100; n++) {
            pull(&k, &kinds[i], 1e-3);
            check_apart(k.world, k.rope);
            made += change_eight_times(k.world, k.rope, &seed);
            touched += cord_world_contact_count(k.world) > 0;
            CHECK_INT(cord_rod_knot(k.world, k.rope), 3);
        }
        CordAdaptReport report = cord_rod_adapt_report(k.world, k.rope);
        print_message("    %s: %d changes, %lld kept off; it touched itself in %d of 100 looks, %d contacts "
                      "in the end\n",
                      kinds[i].name, made, (long long)report.kept_off, touched,
                      cord_world_contact_count(k.world));
        CHECK(made > 200);
        CHECK(touched > 20);
        cord_world_destroy(k.world);
    }
}

// Within so many radii from its ends, where it is straight and free, does it have the nodes it was made with?
static bool has_coarse_tails(const Knot* k)
{
    double arc[MOST_NODES], tail = 8.0 * radius, length = cord_rod_length(k->world, k->rope);
    int level[MOST_NODES], n = cord_rod_node_count(k->world, k->rope);
    CHECK_OK(cord_rod_arcs(k->world, k->rope, arc));
    CHECK_OK(cord_rod_levels(k->world, k->rope, level));
    bool coarse = true;
    for (int i = 0; i < n; i++) {
        coarse = coarse && (level[i] == 0 || (arc[i] > tail && arc[i] < length - tail));
    }
    return coarse;
}

// Left to itself, it takes in nodes where it is tied, and nowhere else.
TEST(a_knot_is_refined_where_it_is_tied)
{
    for (int i = 0; i < KINDS; i++) {
        CordAdaptDef adapt = cord_adapt_def_default();
        adapt.on = true;
        Knot k = tie(&kinds[i], adapt);
        for (int n = 0; n < 100; n++) {
            pull(&k, &kinds[i], 1e-3);
            check_apart(k.world, k.rope);
            CHECK_INT(cord_rod_knot(k.world, k.rope), 3);
        }
        CordAdaptReport report = cord_rod_adapt_report(k.world, k.rope);
        print_message("    %s: %d nodes have become %d, of at most %d\n", kinds[i].name, report.made_with,
                      report.nodes, report.finest);
        CHECK(report.refined > 10);
        CHECK(has_coarse_tails(&k));
        cord_world_destroy(k.world);
    }
}

static void wait(const Knot* k, const Kind* kind, double time)
{
    run_many(k->world, step_of(kind), (int)(time / step_of(kind) + 0.5));
}

TEST(no_element_of_a_knot_at_rest_flickers)
{
    for (int i = 0; i < KINDS; i++) {
        CordAdaptDef adapt = cord_adapt_def_default();
        adapt.on = true;
        Knot k = tie(&kinds[i], adapt);
        pull(&k, &kinds[i], 0.08);
        wait(&k, &kinds[i], 0.6); // until it rests
        CordAdaptReport before = cord_rod_adapt_report(k.world, k.rope);
        wait(&k, &kinds[i], 4.0 * adapt.merge_time);
        CordAdaptReport after = cord_rod_adapt_report(k.world, k.rope);
        print_message(
            "    %s: %d nodes, of which in %g s %lld come and %lld go; kinetic energy %.1e of the elastic\n",
            kinds[i].name, after.nodes, 4.0 * adapt.merge_time, (long long)(after.refined - before.refined),
            (long long)(after.merged - before.merged),
            cord_rod_energy(k.world, k.rope).kinetic / elastic_energy(k.world, k.rope));
        CHECK(after.nodes > after.made_with + 10);
        CHECK_INT(after.flickers, before.flickers);
        cord_world_destroy(k.world);
    }
}

// ---- a coil

// Four turns on top of each other, a little apart, above the ground.
static CordWorld* drop_coil(const Kind* kind, CordRodId* rope)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = rope_def(kind);
    def.shape =
        cord_shape_helix((CordVec3){0, 0, 1.3 * radius}, (CordVec3){0, 0, 1}, 0.05, 2.3 * radius, 3.0, 0);
    def.rest = CORD_REST_STRAIGHT;
    *rope = add_rope(world, def);
    touch_with(world, 0.3);
    add_ground(world);
    return world;
}

TEST(changes_at_random_in_a_coil_make_no_overlap)
{
    for (int i = 0; i < KINDS; i++) {
        CordRodId rope;
        CordWorld* world = drop_coil(&kinds[i], &rope);
        unsigned seed = 9;
        int made = 0, contacts = 0;
        for (int n = 0; n < 60; n++) {
            run(world, step_of(&kinds[i]), (int)(1e-3 / step_of(&kinds[i]) + 0.5));
            made += change_eight_times(world, rope, &seed);
            contacts =
                cord_world_contact_count(world) > contacts ? cord_world_contact_count(world) : contacts;
        }
        print_message("    %s: %d changes, %lld kept off; up to %d contacts\n", kinds[i].name, made,
                      (long long)cord_rod_adapt_report(world, rope).kept_off, contacts);
        CHECK(made > 150);
        CHECK(contacts > 10);
        cord_world_destroy(world);
    }
}

TEST_GROUP(adapt_contact)
