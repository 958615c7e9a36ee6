// Adaptive rods at rest: a node taken in, or given up, leaves a rod at rest; one put in the middle of its
// element does not.
#include "adapts.h"

#include <stdlib.h>

// ---- rods that are bent, twisted and stretched, and come to rest

enum { ELEMENTS = 24 };

typedef CordRodId (*Make)(CordWorld* world, CordRodDef def);

// Between clamps 0.6 m apart that lean towards each other: half a turn of an arch, which hangs a little.
static CordRodId make_arch(CordWorld* world, CordRodDef def)
{
    def.shape = cord_shape_ellipse((CordVec3){0, 0, 0}, (CordVec3){-1, 0, 0}, (CordVec3){0, 0, 1}, 0.3, 0.35,
                                   ELEMENTS + 1);
    def.shape.angle_from = 0.0, def.shape.angle_to = pi;
    def.rest = CORD_REST_STRAIGHT;
    CordRodId rod = add_rod(world, &def);
    hold_ends(world, rod, CORD_FIX_FRAME);
    return rod;
}

// The same, wound up by two turns: it leaves its plane.
static CordRodId make_wound_arch(CordWorld* world, CordRodDef def)
{
    def.twist = 4.0 * pi;
    return make_arch(world, def);
}

// A spring of one and a half coils that hangs from its upper end by its own weight.
static CordRodId make_spring(CordWorld* world, CordRodDef def)
{
    def.shape = cord_shape_helix((CordVec3){0, 0, 0}, (CordVec3){0, 0, -1}, 0.1, 0.06, 1.5, ELEMENTS + 1);
    CordRodId rod = add_held(world, &def);
    return rod;
}

// A ring of a straight rod with a turn of twist, less than what would buckle it, held at one edge.
static CordRodId make_ring(CordWorld* world, CordRodDef def)
{
    def.shape = cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){0, 0.3, 1}, 0.16, ELEMENTS);
    def.closed = true, def.rest = CORD_REST_STRAIGHT, def.twist = 2.0 * pi;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_edge(0), CORD_FIX_FRAME);
    return rod;
}

static const struct {
    const char* name;
    Make make;
} shapes[] = {
    {"arch", make_arch}, {"wound arch", make_wound_arch}, {"spring", make_spring}, {"ring", make_ring}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct Rest {
    CordWorld* world;
    CordRodId rod;
    double elastic; // energy [J]
    Saved state;
} Rest;

static void keep_rest(Rest* r) // the present state, brought to rest
{
    CordSolveReport report = solve_as(r->world, false);
    CHECK_INT(report.unstable, 0);
    r->elastic = elastic_energy(r->world, r->rod);
    drop_saved(&r->state);
    r->state = save(r->world);
}

static Rest at_rest(const Kind* kind, Make make, CordPlacement placement)
{
    Rest r = {.world = new_world((CordVec3){0, 0, -9.81})};
    CordRodDef def = adaptive_rod(kind);
    def.adapt.placement = placement;
    r.rod = make(r.world, def);
    keep_rest(&r);
    return r;
}

static void forget(Rest* r)
{
    drop_saved(&r->state);
    cord_world_destroy(r->world);
}

// ---- what a change does to them

typedef struct Stir {
    double jump;    // of the elastic energy, at the most, over that of the rod
    double kinetic; // energy at the most in what follows, likewise
    int changes;
} Stir;

static const double watched = 0.2; // [s]

// What a change has done, and what it does in the time that follows.
static void watch(const Rest* r, bool implicit, Stir* stir)
{
    enum { LOOKS = 200 };
    double jump = fabs(elastic_energy(r->world, r->rod) - r->elastic) / r->elastic;
    double step = implicit ? watched / LOOKS : 0.5 * cord_world_step_advice(r->world).step;
    int steps = (int)ceil(watched / LOOKS / step);
    CHECK(fastest(r->world, r->rod) == 0.0);
    stir->jump = fmax(stir->jump, jump);
    stir->changes++;
    for (int i = 0; i < LOOKS; i++) {
        run_many(r->world, watched / LOOKS / steps, steps);
        stir->kinetic = fmax(stir->kinetic, cord_rod_energy(r->world, r->rod).kinetic / r->elastic);
    }
}

static Stir stir_by_refining(const Rest* r, bool implicit)
{
    Stir stir = {0};
    int edges = cord_rod_edge_count(r->world, r->rod);
    for (int e = 1; e < edges; e += 2) { // the last of a ring is next to the first
        restore(r->world, &r->state);
        if (cord_rod_refine(r->world, r->rod, e) == CORD_OK) {
            watch(r, implicit, &stir);
        }
    }
    return stir;
}

TEST(a_rod_at_rest_stays_at_rest_when_a_node_is_taken_in)
{
    for (int k = 0; k < KINDS; k++) {
        for (int s = 0; s < SHAPES; s++) {
            Rest least = at_rest(&kinds[k], shapes[s].make, CORD_PLACEMENT_MINIMUM);
            Rest middle = at_rest(&kinds[k], shapes[s].make, CORD_PLACEMENT_MIDPOINT);
            bool implicit = is_implicit(kinds[k].integrator);
            Stir a = stir_by_refining(&least, implicit), b = stir_by_refining(&middle, implicit);
            print_message("    %s, %s: %d changes; energy jumps by %.2g %%, kinetic energy up to %.2g %%; "
                          "midpoint %.2g %% and %.2g %%\n",
                          kinds[k].name, shapes[s].name, a.changes, 1e2 * a.jump, 1e2 * a.kinetic,
                          1e2 * b.jump, 1e2 * b.kinetic);
            CHECK(a.changes >= 10);
            CHECK(a.jump < 0.01 && a.kinetic < 0.01);
            CHECK(b.jump > 10.0 * a.jump && b.kinetic > 10.0 * a.kinetic);
            forget(&least);
            forget(&middle);
        }
    }
}

static Stir stir_by_merging(Rest* r, bool implicit)
{
    Stir stir = {0};
    int level[MOST_NODES];
    for (int e = 0; e < cord_rod_edge_count(r->world, r->rod); e += 2) { // a half, and on to what follows it
        (void)cord_rod_refine(r->world, r->rod, e);
    }
    keep_rest(r);
    int nodes = cord_rod_node_count(r->world, r->rod);
    CHECK_OK(cord_rod_levels(r->world, r->rod, level));
    for (int i = 0; i < nodes; i++) {
        restore(r->world, &r->state);
        if (level[i] > 0 && i % 3 == 0) {
            CHECK_OK(cord_rod_merge(r->world, r->rod, i));
            watch(r, implicit, &stir);
        }
    }
    return stir;
}

TEST(a_rod_at_rest_stays_at_rest_when_a_node_is_given_up)
{
    for (int k = 0; k < KINDS; k++) {
        for (int s = 0; s < SHAPES; s++) {
            Rest r = at_rest(&kinds[k], shapes[s].make, CORD_PLACEMENT_MINIMUM);
            Stir a = stir_by_merging(&r, is_implicit(kinds[k].integrator));
            print_message("    %s, %s: %d changes; energy jumps by %.2g %%, kinetic energy up to %.2g %%\n",
                          kinds[k].name, shapes[s].name, a.changes, 1e2 * a.jump, 1e2 * a.kinetic);
            CHECK(a.changes >= 7);
            CHECK(a.jump < 0.01 && a.kinetic < 0.01);
            forget(&r);
        }
    }
}

TEST_GROUP(adapt)
