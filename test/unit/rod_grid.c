#include "rod/grid.h"
#include "rod_crooked.h"

// ---- defs

static void refused(CordAdaptDef def, const char* part)
{
    CordWorld* world = new_weightless_world();
    CordRodDef rod = line_def(5);
    CordRodId id;
    rod.adapt = def, rod.adapt.on = true;
    CHECK_RESULT(cord_rod_create(world, &rod, &id), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), part);
    CHECK_INT(id.slot, 0);
    rod.adapt.on = false; // what is not asked for is not looked at
    CHECK_OK(cord_rod_create(world, &rod, &id));
    CHECK(world_rod(world, id)->grid == NULL);
    cord_world_destroy(world);
}

TEST(defs_that_make_no_sense_are_refused)
{
    CordAdaptDef good = cord_adapt_def_default(), bad;
    CHECK(!good.on);
    bad = good, bad.merge_turn = 0.6;
    refused(bad, "the first must be the larger");
    bad = good, bad.merge_turn = -0.1;
    refused(bad, "less than -0.1");
    bad = good, bad.refine_turn = 3.2;
    refused(bad, "more than 3.2 rad");
    bad = good, bad.refine_turn = NAN;
    refused(bad, "at most pi");
    bad = good, bad.merge_turn = NAN;
    refused(bad, "at most pi");
    bad = good, bad.merge_time = -1.0;
    refused(bad, "to merge (-1 s)");
    bad = good, bad.merge_time = INFINITY;
    refused(bad, "times to merge");
    bad = good, bad.blend = NAN;
    refused(bad, "times to merge");
    static const double shortest[] = {0.0, -0.25, 0.3, 2.0, 1.0 / 128, NAN, INFINITY};
    static const double longest[] = {0.0, 0.5, 3.0, 128.0, NAN, INFINITY};
    for (int i = 0; i < 7; i++) {
        bad = good, bad.shortest = shortest[i];
        refused(bad, "the shortest element");
    }
    for (int i = 0; i < 6; i++) {
        bad = good, bad.longest = longest[i];
        refused(bad, "and the longest 1, 2, 4 ... 64");
    }
    bad = good, bad.iterations = 0;
    refused(bad, "its iterations (0)");
    bad = good, bad.placement = (CordPlacement)7;
    refused(bad, "placement of new nodes (7)");
}

// ---- a grid, and ticks that wander about on it

typedef struct Wander {
    CordWorld* world;
    Rod* rod;
    RodGrid* g;
    CordCenterline line; // counts alone: of the rod as it would be
} Wander;

static CordRodDef adaptive(CordRodDef def, double shortest, double longest)
{
    def.adapt.on = true;
    def.adapt.shortest = shortest, def.adapt.longest = longest;
    def.adapt.refine_turn = 3.0; // so that none begins with halves
    return def;
}

static Wander open_wander(const CordRodDef* def)
{
    Wander w = {.world = new_weightless_world()};
    w.rod = world_rod(w.world, add_rod(w.world, def));
    w.g = w.rod->grid;
    CHECK(grid_reserve(&w.world->memory, w.g, w.g->report.finest));
    w.line = (CordCenterline){.node_count = w.rod->line.node_count,
                              .edge_count = w.rod->line.edge_count,
                              .closed = w.rod->line.closed};
    return w;
}

static void set_node_count(Wander* w, int count)
{
    w->line.node_count = count;
    w->line.edge_count = w->line.closed ? count : count - 1;
}

static void halve(Wander* w, int edge)
{
    int middle = (w->g->tick[edge] + grid_tick_after(w->g, &w->line, edge)) / 2, n = w->line.node_count;
    memmove(w->g->tick + edge + 2, w->g->tick + edge + 1, sizeof(int) * (size_t)(n - edge - 1));
    w->g->tick[edge + 1] = middle;
    set_node_count(w, n + 1);
}

static void drop(Wander* w, int node)
{
    int n = w->line.node_count;
    memmove(w->g->tick + node, w->g->tick + node + 1, sizeof(int) * (size_t)(n - node - 1));
    set_node_count(w, n - 1);
}

static void wander(Wander* w, int changes, uint64_t* seed)
{
    for (int k = 0; k < changes; k++) {
        int at = (int)random_in(seed, 0, w->line.node_count);
        if (random_in(seed, -1, 1) < 0.0 && at < w->line.edge_count && grid_can_halve(w->g, &w->line, at)) {
            halve(w, at);
        } else if (grid_can_merge(w->g, &w->line, at)) {
            drop(w, at);
        }
    }
}

// As it was made.
static void go_home(Wander* w)
{
    set_node_count(w, w->rod->line.node_count);
    for (int i = 0; i < w->line.node_count; i++) {
        w->g->tick[i] = i * w->g->unit;
    }
}

static double total_length(const Wander* w)
{
    double sum = 0.0;
    for (int j = 0; j < w->line.edge_count; j++) {
        sum += grid_length(w->g, w->g->tick[j], grid_tick_after(w->g, &w->line, j));
    }
    return sum;
}

// Of all corners, kinks among them, and of what lies beyond the last of them at either end.
static void total_strain(const Wander* w, double sum[3])
{
    sum[0] = sum[1] = sum[2] = 0.0;
    for (int j = 0; j < w->line.edge_count; j++) {
        int from = w->g->tick[j], to = grid_tick_after(w->g, &w->line, j);
        grid_strain(w->g, from, to, false, sum);
        grid_strain(w->g, from, to, true, sum);
    }
    for (int i = 0; i < w->line.node_count; i++) {
        grid_add_kink(w->g, w->g->tick[i], w->g->tick[i] < w->g->end ? 1.0 : 0.0, sum);
    }
}

// Without stress, of the halves of both edges beside an inner node, whose length is returned.
static double corner_strain(const Wander* w, int node, double strain[3])
{
    int before = edge_before(&w->line, node), here = w->g->tick[node];
    int from = w->g->tick[before], at = grid_tick_after(w->g, &w->line, before);
    int to = grid_tick_after(w->g, &w->line, node);
    strain[0] = strain[1] = strain[2] = 0.0;
    grid_strain(w->g, from, at, true, strain);
    grid_strain(w->g, here, to, false, strain);
    return grid_length(w->g, from, at) + grid_length(w->g, here, to);
}

#define BASE 13 // elements: 8 + 4 + 1, if they may become that long

// Of uneven lengths, bent and twisted at rest.
static void crooked_points(CordVec3* x, bool closed)
{
    uint64_t seed = 11;
    for (int i = 0; i < BASE + 1; i++) {
        x[i] = vec3_add(even_point(i, BASE + 1, closed), random_vec3(&seed, 0.02));
    }
}

TEST(lengths_and_strains_without_stress_add_up_whatever_was_halved_and_merged)
{
    static const double longest[] = {1, 2, 8};
    for (int kind = 0; kind < 12; kind++) {
        CordVec3 x[BASE + 1];
        bool closed = kind % 2 == 1;
        crooked_points(x, closed);
        CordRodDef def = adaptive(line_def(BASE + 1), 0.125, longest[kind / 2 % 3]);
        def.model = kind < 6 ? CORD_MODEL_DER : CORD_MODEL_CORDE;
        def.shape = cord_shape_points(x, BASE + 1);
        def.closed = closed;
        def.rest = CORD_REST_AS_SHAPED;
        def.twist = def.rest_twist = closed ? 2.0 * CORD_PI : 4.0;
        Wander w = open_wander(&def);
        double length = total_length(&w), strain[3], size = 0.0;
        total_strain(&w, strain);
        for (int k = 0; k < 3; k++) {
            size += fabs(strain[k]);
        }
        CHECK(size > 4.0); // the twist, at least
        uint64_t seed = (uint64_t)kind;
        for (int n = 0; n < 50; n++) {
            double now[3];
            wander(&w, 40, &seed);
            total_strain(&w, now);
            // a rounding from each of the elements, about
            CHECK_NEAR(total_length(&w), length, 1e-15 * BASE * length);
            for (int k = 0; k < 3; k++) {
                CHECK_NEAR(now[k], strain[k], 1e-15 * BASE * 16); // likewise, of halves of up to 1 rad
            }
        }
        CHECK(w.line.node_count != BASE + 1);
        go_home(&w);
        for (int k = 0; k < inner_count(&w.line); k++) { // and each corner has what it was made with
            int i = inner_node(&w.line, k);
            double made[3], now[3];
            model_of(w.rod)->rest_strain(w.rod, i, made);
            corner_strain(&w, i, now);
            grid_add_kink(w.g, w.g->tick[i], 1.0, now);
            for (int m = 0; m < 3; m++) {
                CHECK_NEAR(now[m], made[m], 1e-15); // one product each way
            }
        }
        cord_world_destroy(w.world);
    }
}

// A rod of even elements and the same strain everywhere: every corner has it by its length, whoever its
// neighbours are.
TEST(even_strains_stay_even)
{
    for (int kind = 0; kind < 4; kind++) {
        CordRodDef def = adaptive(kind % 2 ? ring_def(12) : line_def(13), 0.25, kind < 2 ? 1.0 : 4.0);
        def.stiffness.EI2 *= 2.0; // a general rod, whose twist is strain of its corners
        def.rest_twist = 30.0;
        Wander w = open_wander(&def);
        // between the middles of the ends
        double per = kind % 2 ? 30.0 / w.rod->length : 30.0 / (11.0 / 12.0);
        uint64_t seed = (uint64_t)kind;
        for (int n = 0; n < 30; n++) {
            wander(&w, 20, &seed);
            for (int k = 0; k < inner_count(&w.line); k++) {
                double strain[3], length = corner_strain(&w, inner_node(&w.line, k), strain);
                CHECK_NEAR(strain[2], 0.5 * per * length, 1e-13); // of up to 10 rad, in sums of 4
                CHECK_NEAR(strain[0], 0.0, 0.0);
                CHECK_NEAR(strain[1], 0.0, 0.0);
            }
        }
        cord_world_destroy(w.world);
    }
}

static double bend_at(const Wander* w, int node) // without stress [rad]
{
    double strain[3];
    corner_strain(w, node, strain);
    grid_add_kink(w->g, w->g->tick[node], 1.0, strain);
    return sqrt(strain[0] * strain[0] + strain[1] * strain[1]);
}

// A rod that is straight at rest but for one corner of a radian: it stays where it is as its neighbours are
// halved, and where its node goes, both ends of what is left have half of it.
TEST(a_corner_is_no_arc)
{
    CordVec3 x[9];
    for (int i = 0; i < 9; i++) {
        x[i] = i <= 5 ? (CordVec3){0.1 * (i - 5), 0, 0}
                      : (CordVec3){0.1 * (i - 5) * cos(1.0), 0.1 * (i - 5) * sin(1.0), 0};
    }
    CordRodDef def = adaptive(line_def(9), 0.25, 2.0);
    def.shape = cord_shape_points(x, 9);
    def.rest = CORD_REST_AS_SHAPED;
    Wander w = open_wander(&def);
    for (int corner = 5; corner < 8; corner++) {
        for (int i = 1; i < w.line.edge_count; i++) {
            CHECK_NEAR(bend_at(&w, i), i == corner ? 1.0 : 0.0, 1e-14);
        }
        if (corner < 7) { // those beside it, down to quarters
            halve(&w, corner);
            halve(&w, corner - 1);
        }
    }
    go_home(&w);
    drop(&w, 5);
    for (int i = 1; i < w.line.edge_count; i++) {
        CHECK_NEAR(bend_at(&w, i), i == 4 || i == 5 ? 0.5 : 0.0, 1e-14);
    }
    cord_world_destroy(w.world);
}

// ---- which nodes there may be

#define MOST_TICKS 16

// A set of nodes as bits by tick; the first has none, nor has an open rod's last.
static uint32_t bits_of(const Wander* w)
{
    uint32_t bits = 0;
    for (int i = 1; i < w->line.node_count; i++) {
        bits |= w->g->tick[i] < w->g->end ? 1u << w->g->tick[i] : 0u;
    }
    return bits;
}

static void take_bits(Wander* w, uint32_t bits)
{
    int count = 1;
    w->g->tick[0] = 0;
    for (int tick = 1; tick < w->g->end; tick++) {
        if (bits >> tick & 1u) {
            w->g->tick[count++] = tick;
        }
    }
    if (!w->line.closed) {
        w->g->tick[count++] = w->g->end;
    }
    set_node_count(w, count);
}

// All that can be reached from the rod as it was made, one change at a time.
static void reach_all(Wander* w, bool* reached)
{
    static uint32_t list[1u << MOST_TICKS];
    int count = 0;
    go_home(w);
    list[count++] = bits_of(w);
    reached[list[0]] = true;
    for (int k = 0; k < count; k++) {
        for (int way = 0; way < 2; way++) {
            take_bits(w, list[k]);
            for (int i = 0; i < w->line.node_count; i++) {
                take_bits(w, list[k]);
                bool may = way == 0 ? i < w->line.edge_count && grid_can_halve(w->g, &w->line, i)
                                    : grid_can_merge(w->g, &w->line, i);
                if (!may) {
                    continue;
                }
                (way == 0 ? halve : drop)(w, i);
                uint32_t bits = bits_of(w);
                if (!reached[bits]) {
                    reached[bits] = true;
                    list[count++] = bits;
                }
            }
        }
    }
}

// Every set of nodes of a small rod: what is admitted from a file is what halving and merging lead to, and
// the report's bounds are the bounds.
static void check_every_set(int base, double shortest, double longest, bool closed)
{
    static bool reached[1u << MOST_TICKS];
    CordRodDef def = adaptive(closed ? ring_def(base) : line_def(base + 1), shortest, longest);
    Wander w = open_wander(&def);
    int end = w.g->end, least = INT32_MAX, most = 0;
    CHECK(end <= MOST_TICKS);
    memset(reached, 0, sizeof reached);
    reach_all(&w, reached);
    for (uint32_t bits = 0; bits < 1u << end; bits += 2) { // the first node is not among them
        take_bits(&w, bits);
        bool admitted = grid_admits(w.g, &w.line, w.g->tick, w.line.node_count);
        if (admitted != reached[bits]) {
            print_error("%d elements of %g to %g, %s: ticks %x\n", base, shortest, longest,
                        closed ? "closed" : "open", bits);
        }
        CHECK_INT(admitted, reached[bits]);
        if (reached[bits]) {
            least = w.line.node_count < least ? w.line.node_count : least;
            most = w.line.node_count > most ? w.line.node_count : most;
        }
    }
    CHECK_INT(w.g->report.made_with, base + !closed);
    CHECK_INT(w.g->report.finest, most);
    if (w.g->report.coarsest != least) {
        print_error("%d elements of %g to %g, %s\n", base, shortest, longest, closed ? "closed" : "open");
    }
    CHECK_INT(w.g->report.coarsest, least);
    cord_world_destroy(w.world);
}

TEST(what_is_admitted_is_what_halving_and_merging_lead_to)
{
    for (int closed = 0; closed < 2; closed++) {
        for (int base = 3; base <= 8; base++) {
            check_every_set(base, 0.5, 1, closed);
            check_every_set(base, 0.5, 2, closed);
            check_every_set(base, 0.5, 4, closed);
            check_every_set(base, 1, 8, closed);
        }
        check_every_set(3, 0.25, 4, closed);
        check_every_set(4, 0.25, 1, closed);
    }
}

TEST(ticks_that_are_none_are_not_admitted)
{
    CordRodDef def = adaptive(line_def(5), 0.25, 2.0);
    Wander w = open_wander(&def);
    static const int bad[][4] = {{1, 4, 8, 16},         {0, 4, 8, 12},  {0, 8, 4, 16},
                                 {0, 8, 8, 16},         {0, -8, 8, 16}, {0, 8, INT32_MAX, 16},
                                 {0, INT32_MIN, 8, 16}, {0, 8, 24, 16}, {0, 6, 8, 16}};
    static const int good[] = {0, 8, 16};
    CHECK(grid_admits(w.g, &w.line, good, 3));
    for (int i = 0; i < 9; i++) {
        CHECK(!grid_admits(w.g, &w.line, bad[i], 4));
    }
    CHECK(!grid_admits(w.g, &w.line, good, 1));
    CHECK(!grid_admits(w.g, &w.line, good, 0));
    cord_world_destroy(w.world);
}

// Elements 0 and 1 are alike, 2 and 3 differ by one number: halves become one in any of them, wholes where
// they are alike.
TEST(elements_become_one_where_sections_are_alike)
{
    for (int number = 0; number < 6; number++) {
        CordStiffness along[4];
        for (int j = 0; j < 4; j++) {
            along[j] = line_def(2).stiffness;
            along[j].rotary1 = along[j].rotary2 = 1e-6, along[j].spin_inertia = 2e-6;
        }
        double* numbers[] = {
            &along[3].EI1,    &along[3].EI2, &along[3].GJ, &along[3].EA, &along[3].mass_per_length,
            &along[3].rotary1};
        *numbers[number] *= 1.1;
        along[3].spin_inertia = along[3].rotary1 + along[3].rotary2;
        CordRodDef def = adaptive(line_def(5), 0.5, 2.0);
        def.stiffness = cord_stiffness_unset();
        def.stiffnesses = along, def.along_count = 4;
        Wander w = open_wander(&def);
        CHECK(grid_can_merge(w.g, &w.line, 1));
        CHECK(!grid_can_merge(w.g, &w.line, 2)); // they are no pair
        CHECK(!grid_can_merge(w.g, &w.line, 3));
        static const int good[] = {0, 4, 6, 8}, bad[] = {0, 2, 4, 8};
        CHECK(grid_admits(w.g, &w.line, good, 4));
        CHECK(!grid_admits(w.g, &w.line, bad, 4));
        halve(&w, 3);
        CHECK(grid_can_merge(w.g, &w.line, 4));
        cord_world_destroy(w.world);
    }
}

TEST(levels_count_the_halvings_and_ticks_are_found)
{
    for (int closed = 0; closed < 2; closed++) {
        CordRodDef def = adaptive(closed ? ring_def(8) : line_def(9), 0.125, 4.0);
        Wander w = open_wander(&def);
        static const int levels[] = {0, 3, 2, 3, 1, 3, 2, 3};
        uint64_t seed = 3;
        for (int n = 0; n < 20; n++) {
            wander(&w, 30, &seed);
            for (int tick = 0; tick < w.g->end; tick++) {
                int edge = grid_edge_at(w.g, &w.line, tick);
                CHECK_INT(grid_level(w.g, tick), levels[tick % 8]);
                CHECK(w.g->tick[edge] <= tick && tick < grid_tick_after(w.g, &w.line, edge));
            }
            CHECK_INT(grid_edge_at(w.g, &w.line, w.g->end), w.line.edge_count - 1);
        }
        cord_world_destroy(w.world);
    }
}

TEST_GROUP(rod_grid)
