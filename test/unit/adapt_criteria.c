#include "adapt/criteria.h"
#include "remesh_rods.h"

#define MOST 128 // nodes

// A rod in a plane whose corners are turned one by one, and what is asked about it.
typedef struct Bent {
    CordWorld* world;
    Rod* rod;
    double turn[MOST]; // at each node [rad]
    uint8_t touched[MOST];
    bool pinned[MOST];
    double bend[MOST];
    bool halve[MOST], drop[MOST];
    double time; // [s]
} Bent;

static void place(Bent* b)
{
    CordCenterline* c = &b->rod->line;
    CordVec3 at = {0, 0, 0};
    double angle = 0.0;
    for (int i = 0; i < c->node_count; i++) {
        slot_set(c->x, slot_of(c, i), at);
        angle += i > 0 ? b->turn[i] : 0.0;
        at = vec3_madd(at, (CordVec3){cos(angle), sin(angle), 0}, c->rest_len[slot_of(c, i)]);
    }
    centerline_wrap(c, c->x);
}

static void turn_corner(Bent* b, int node, double angle)
{
    b->turn[node] = angle;
    place(b);
}

static Bent* open_bent(CordRodDef def)
{
    static Bent b;
    b = (Bent){.world = new_weightless_world(), .time = 1.0};
    def.adapt.on = true;
    b.rod = world_rod(b.world, add_rod(b.world, &def));
    CHECK(b.rod->line.node_count <= MOST);
    return &b;
}

static void set_since(Bent* b, double time) // of all edges
{
    for (int j = 0; j < b->rod->line.edge_count; j++) {
        b->rod->grid->since[j] = time;
    }
}

static Bent* open_line(void) // of eleven elements
{
    Bent* b = open_bent(line_def(12));
    place(b);
    return b;
}

static void bend_all(Bent* b, double turn)
{
    for (int i = 0; i < MOST; i++) {
        b->turn[i] = turn;
    }
    place(b);
}

// A rod of quarters, straight.
static Bent* open_fine(int elements)
{
    Bent* b = open_bent(line_def(elements + 1));
    for (int pass = 0; pass < 2; pass++) {
        Wish wish = {0};
        memset(wish.halve, true, sizeof(bool) * (size_t)b->rod->line.edge_count);
        take_wish(b->world, b->rod, &wish);
    }
    set_since(b, 0.0);
    place(b);
    return b;
}

static int choose(Bent* b)
{
    Criteria in = {.time = b->time, .touched = b->touched, .bend = b->bend, .pinned = b->pinned};
    memset(b->halve, true, sizeof b->halve); // what was there does not matter
    memset(b->drop, true, sizeof b->drop);
    return criteria_choose(b->rod, &in, b->halve, b->drop);
}

static int chosen(const bool* flags, int count, int* list)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (flags[i]) {
            list[n++] = i;
        }
    }
    return n;
}

static void check_chosen(const Bent* b, const bool* flags, const int* expected, int count)
{
    int list[MOST], n = chosen(flags, b->rod->line.node_count, list);
    CHECK_INT(n, count);
    for (int i = 0; i < count; i++) {
        CHECK_INT(list[i], expected[i]);
    }
}

// ---- bending

#define EXACT 2e-5 // of the angle: the rational function is 1.06e-5 off at 0.6 rad

TEST(elements_that_turn_by_more_than_refine_turn_are_halved)
{
    Bent* b = open_line();
    bend_all(b, 0.6 - EXACT);
    CHECK_INT(choose(b), 0);
    check_chosen(b, b->halve, NULL, 0);
    check_chosen(b, b->drop, NULL, 0); // no two of them were one
    bend_all(b, 0.6 + EXACT);
    CHECK_INT(choose(b), 3);
    // as many as are far enough apart; ends are as bent as their neighbours
    check_chosen(b, b->halve, (int[]){0, 5, 10}, 3);
    check_chosen(b, b->drop, NULL, 0);
    cord_world_destroy(b->world);
}

// An element has half of what is at its ends: a corner of 1 rad turns each by a half, one of 1.3 rad by 0.65.
TEST(an_element_has_half_of_each_corner)
{
    Bent* b = open_line();
    turn_corner(b, 5, 1.0);
    CHECK_INT(choose(b), 0);
    turn_corner(b, 5, 1.3);
    CHECK_INT(choose(b), 1);
    check_chosen(b, b->halve, (int[]){4}, 1);        // the other, beside it, has its turn in another step
    turn_corner(b, 5, 0.9), turn_corner(b, 6, -0.4); // whichever way
    CHECK_INT(choose(b), 1);
    check_chosen(b, b->halve, (int[]){5}, 1);
    cord_world_destroy(b->world);
}

// Lengths count: what turns by as much at its ends, but is half as long, turns by less within. A corner
// between lengths l and l/2 has 2/(3/2) of its angle per l, half of which are the long one's, at one end.
TEST(the_share_of_an_element_is_by_its_length)
{
    Bent* b = open_line();
    CordCenterline* c = &b->rod->line;
    double l = edge_rest_len(c, 5);
    c->rest_len[slot_of(c, 5)] = 0.5 * l;
    turn_corner(b, 6, 0.92); // of edge 6, by 2/3: 0.613; of edge 5 by 1/3
    CHECK_INT(choose(b), 1);
    check_chosen(b, b->halve, (int[]){6}, 1);
    turn_corner(b, 6, 0.88); // 0.587
    CHECK_INT(choose(b), 0);
    cord_world_destroy(b->world);
}

// Where edges lie on each other no turn can be measured: the worst that may come of it is a halving.
TEST(a_fold_breaks_nothing)
{
    Bent* b = open_line();
    static const double turns[] = {3.0, 3.1415, CORD_PI};
    for (int k = 0; k < 3; k++) {
        turn_corner(b, 5, turns[k]);
        int count = choose(b);
        CHECK(count == 1 || (k == 2 && count == 0));
        check_chosen(b, b->halve, (int[]){4}, count);
        check_chosen(b, b->drop, NULL, 0);
    }
    cord_world_destroy(b->world);
}

// ---- hysteresis

// Between the thresholds nothing changes, whatever was done before.
TEST(between_the_thresholds_all_stays_as_it_is)
{
    Bent* b = open_fine(5);
    for (double turn = 0.2 + EXACT; turn < 0.6; turn += 0.05) {
        bend_all(b, turn);
        CHECK_INT(choose(b), 0);
    }
    bend_all(b, 0.2 - EXACT);
    CHECK(choose(b) > 0);
    check_chosen(b, b->halve, NULL, 0);
    check_chosen(b, b->drop, (int[]){1, 7, 13, 19}, 4); // middles of halves, five nodes apart or more
    cord_world_destroy(b->world);
}

TEST(nodes_stay_until_merge_time_has_passed)
{
    Bent* b = open_fine(5);
    b->time = 2.0;
    set_since(b, 2.0 - 0.0625);
    CHECK_INT(choose(b), 0);
    set_since(b, 2.0 - 0.1001); // 0.1 s is the default
    CHECK(choose(b) > 0);
    b->rod->grid->since[7] = b->time - 0.09; // one of the two is enough
    CHECK(choose(b) > 0 && !b->drop[7]);
    cord_world_destroy(b->world);
}

// ---- contact

TEST(elements_touched_in_both_halves_are_halved)
{
    Bent* b = open_line();
    b->touched[3] = TOUCHED_FIRST, b->touched[8] = TOUCHED_SECOND;
    CHECK_INT(choose(b), 0);
    b->touched[3] |= TOUCHED_SECOND;
    CHECK_INT(choose(b), 1);
    check_chosen(b, b->halve, (int[]){3}, 1);
    b->rod->grid->def.by_contact = false;
    CHECK_INT(choose(b), 0);
    cord_world_destroy(b->world);
}

TEST(nodes_beside_a_touched_edge_stay)
{
    Bent* b = open_fine(1);
    CHECK_INT(choose(b), 1);
    check_chosen(b, b->drop, (int[]){1}, 1);
    b->touched[0] = TOUCHED_SECOND;
    CHECK_INT(choose(b), 1);
    check_chosen(b, b->drop, (int[]){3}, 1);
    b->touched[3] = TOUCHED_FIRST;
    CHECK_INT(choose(b), 0);
    b->rod->grid->def.by_contact = false; // nobody asks
    CHECK_INT(choose(b), 1);
    cord_world_destroy(b->world);
}

// ---- what holds, pulls at or measures

TEST(nodes_that_are_pinned_stay)
{
    Bent* b = open_fine(1);
    b->pinned[1] = true;
    CHECK_INT(choose(b), 1);
    check_chosen(b, b->drop, (int[]){3}, 1);
    b->pinned[3] = true;
    CHECK_INT(choose(b), 0);
    cord_world_destroy(b->world);
}

TEST(edges_that_are_held_stay_whole)
{
    Bent* b = open_line();
    hold(b->world, b->rod->id, cord_at_edge(5), CORD_FIX_FRAME);
    hold(b->world, b->rod->id, cord_at_node(9), CORD_FIX_POSITION); // of a node: its edges are free
    CHECK(criteria_holds_edge(b->rod, 5));
    CHECK(!criteria_holds_edge(b->rod, 4) && !criteria_holds_edge(b->rod, 6));
    CHECK(!criteria_holds_edge(b->rod, 8) && !criteria_holds_edge(b->rod, 9));
    for (int j = 4; j < 7; j++) {
        b->touched[j] = TOUCHED_FIRST | TOUCHED_SECOND;
    }
    b->touched[4] = 0;
    CHECK_INT(choose(b), 1);
    check_chosen(b, b->halve, (int[]){6}, 1);
    cord_world_destroy(b->world);
}

TEST(no_node_goes_beside_an_edge_that_is_held)
{
    Bent* b = open_fine(1);
    hold(b->world, b->rod->id, cord_at_edge(1), CORD_FIX_FRAME);
    CHECK_INT(choose(b), 1);
    check_chosen(b, b->drop, (int[]){3}, 1);
    cord_world_destroy(b->world);
}

// ---- far enough apart

#define APART 5

TEST(changes_are_far_apart_around_a_ring_too)
{
    for (int nodes = 4; nodes < 60; nodes++) {
        CordRodDef def = ring_def(nodes);
        def.adapt.refine_turn = 3.0; // so that none begins with halves
        Bent* b = open_bent(def);
        for (int j = 0; j < nodes; j++) {
            b->touched[j] = TOUCHED_FIRST | TOUCHED_SECOND;
        }
        int list[MOST], count = choose(b);
        CHECK_INT(chosen(b->halve, nodes, list), count);
        CHECK_INT(count, nodes < 2 * APART ? 1 : nodes / APART);
        for (int i = 0; i < count && count > 1; i++) {
            int next = i + 1 < count ? list[i + 1] : list[0] + nodes;
            CHECK(next - list[i] >= APART);
        }
        cord_world_destroy(b->world);
    }
}

TEST(nothing_goes_while_anything_is_to_be_halved)
{
    Bent* b = open_fine(6);
    drop_node(b->world, b->rod, 1);
    set_since(b, 0.0);
    b->touched[0] = TOUCHED_FIRST | TOUCHED_SECOND; // which is a half now
    CHECK_INT(choose(b), 1);
    check_chosen(b, b->halve, (int[]){0}, 1);
    check_chosen(b, b->drop, NULL, 0);
    b->touched[0] = 0;
    CHECK(choose(b) > 1);
    check_chosen(b, b->halve, NULL, 0);
    cord_world_destroy(b->world);
}

TEST_GROUP(adapt_criteria)
