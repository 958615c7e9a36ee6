#include "base_heap.h"
#include "check.h"

#include "contact/bvh.h"
#include "random.h"

#define MOST 1200 // boxes in a set here

static Memory memory;

// ---- sets of boxes

typedef enum Kind {
    KIND_SPREAD,  // all through a cube, some of them overlapping
    KIND_POINTS,  // without extent
    KIND_SAME,    // all in one place
    KIND_FAR,     // 1e5 m away, of a millimetre
    KIND_UNEQUAL, // sizes from 1e-6 to 1
    KIND_FLAT,    // in a plane
    KIND_LINE,    // along an axis, touching with their faces
    KIND_GAPS,    // likewise, with gaps that a float does not have
    KIND_LOST,    // in a small cluster, but for one that is far off
    KIND_NOT_ALL, // with some that are not finite, too far or inside out
    KIND_IMMENSE, // as far as is allowed
    KIND_COUNT
} Kind;

static Aabb box_about(const double middle[3], double half)
{
    Aabb box;
    for (int k = 0; k < 3; k++) {
        box.lo[k] = middle[k] - half;
        box.hi[k] = middle[k] + half;
    }
    return box;
}

static void spoil(Aabb* box, int how)
{
    switch (how) {
    case 0: box->lo[1] = NAN; break;
    case 1: box->hi[2] = INFINITY; break;
    case 2: box->lo[0] = -INFINITY; break;
    case 3: box->lo[0] = 2.0, box->hi[0] = 1.0; break;
    case 4: box->hi[0] = 1e300; break;
    default: break;
    }
}

static bool counts(const Aabb* box)
{
    for (int k = 0; k < 3; k++) {
        if (!(box->lo[k] >= -1e30 && box->lo[k] <= box->hi[k] && box->hi[k] <= 1e30)) {
            return false;
        }
    }
    return true;
}

static void make_boxes(Aabb* boxes, int count, Kind kind, uint64_t seed)
{
    uint64_t state = seed * 1000 + (uint64_t)kind;
    double width = 0.5 / cbrt(count + 1.0); // so that each overlaps a few
    for (int i = 0; i < count; i++) {
        double p[3], half = width * random_in(&state, 0.0, 1.0);
        for (int k = 0; k < 3; k++) {
            p[k] = random_in(&state, 0.0, 1.0);
        }
        switch (kind) {
        case KIND_POINTS:
            half = 0.0;
            p[0] = floor(4.0 * p[0]), p[1] = floor(4.0 * p[1]), p[2] = floor(4.0 * p[2]); // some coincide
            break;
        case KIND_SAME: p[0] = p[1] = p[2] = 0.3, half = 0.1; break;
        case KIND_FAR:
            p[0] = 1e5 + 1e-3 * p[0], p[1] = -1e5 + 1e-3 * p[1], p[2] = 1e-3 * p[2], half *= 1e-3;
            break;
        case KIND_UNEQUAL: half = pow(10.0, -6.0 * random_in(&state, 0.0, 1.0)); break;
        case KIND_FLAT: p[2] = 0.7; break;
        case KIND_LINE: p[0] = i, p[1] = p[2] = 0.0, half = 0.5; break;
        case KIND_GAPS: p[0] = i, p[1] = p[2] = 0.0, half = 0.5 - 1e-10; break;
        case KIND_LOST: p[0] = i == count / 2 ? 1e6 : p[0]; break;
        case KIND_IMMENSE: p[0] = 1e29 * p[0], p[1] = -1e29 * p[1], half = 1e28; break;
        default: break;
        }
        boxes[i] = box_about(p, half);
        if (kind == KIND_NOT_ALL) {
            spoil(&boxes[i], random_int(&state, 20));
        }
    }
}

// ---- what is found, and what should be

typedef struct Found {
    uint8_t pairs[MOST][MOST]; // how often (i, j) was found
    int64_t count;
    int64_t stop_after; // 0: never
} Found;

static bool note_pair(void* context, int i, int j)
{
    Found* found = context;
    CHECK(0 <= i && i < j && j < MOST);
    found->pairs[i][j]++;
    found->count++;
    return found->count != found->stop_after;
}

static bool note_hit(void* context, int i)
{
    Found* found = context;
    CHECK(0 <= i && i < MOST);
    found->pairs[0][i]++;
    found->count++;
    return found->count != found->stop_after;
}

static Found found; // too large for a stack

static void check_pairs(const Bvh* tree, const Aabb* boxes, int count, const char* what, int seed)
{
    memset(&found, 0, sizeof found);
    CHECK(bvh_pairs(tree, boxes, note_pair, &found));
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            int expected = counts(&boxes[i]) && counts(&boxes[j]) && aabb_overlap(&boxes[i], &boxes[j]);
            if (found.pairs[i][j] != expected) {
                check_fail(__FILE__, __LINE__,
                           "%s, seed %d: boxes %d and %d of %d were found %d times; expected %d", what, seed,
                           i, j, count, found.pairs[i][j], expected);
            }
        }
    }
}

static void check_hits(const Bvh* tree, const Aabb* boxes, int count, const Aabb* box, const char* what)
{
    memset(&found, 0, sizeof found);
    CHECK(bvh_query(tree, boxes, box, note_hit, &found));
    for (int i = 0; i < count; i++) {
        int expected = counts(&boxes[i]) && aabb_overlap(&boxes[i], box);
        if (found.pairs[0][i] != expected) {
            check_fail(__FILE__, __LINE__, "%s: box %d of %d was hit %d times; expected %d", what, i, count,
                       found.pairs[0][i], expected);
        }
    }
}

static const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 16, 17, 63, 64, 65, 257, MOST};
#define SIZE_COUNT ((int)(sizeof sizes / sizeof *sizes))

static Aabb set[MOST];

TEST(pairs_are_those_of_all_against_all)
{
    memory = new_memory();
    Bvh tree = {0};
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        for (int s = 0; s < SIZE_COUNT; s++) {
            for (int seed = 0; seed < (sizes[s] > 100 ? 2 : 20); seed++) {
                make_boxes(set, sizes[s], (Kind)kind, (uint64_t)seed);
                CHECK(bvh_fit(&memory, &tree, set, sizes[s]));
                char what[40];
                snprintf(what, sizeof what, "kind %d", kind);
                check_pairs(&tree, set, sizes[s], what, seed);
            }
        }
    }
    bvh_free(&memory, &tree);
    CHECK_INT(memory.bytes, 0);
}

TEST(hits_are_those_of_all)
{
    memory = new_memory();
    Bvh tree = {0};
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        for (int s = 0; s < SIZE_COUNT; s++) {
            make_boxes(set, sizes[s], (Kind)kind, 5);
            CHECK(bvh_fit(&memory, &tree, set, sizes[s]));
            for (int i = 0; i < sizes[s]; i += 1 + sizes[s] / 20) {
                Aabb wide = set[i];
                wide.lo[0] -= 0.2, wide.hi[1] += 0.1;
                check_hits(&tree, set, sizes[s], &set[i], "a box of the set");
                check_hits(&tree, set, sizes[s], &wide, "a wider box");
            }
            static const Aabb queries[] = {
                {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}},
                {{-INFINITY, 0.2, -INFINITY}, {INFINITY, 0.4, 0.0}},
                {{-1e300, -1e300, -1e300}, {1e300, 1e300, 1e300}},
                {{1e300, 1e300, 1e300}, {INFINITY, INFINITY, INFINITY}},
                {{NAN, -1, -1}, {1, 1, 1}},
                {{-1, -1, -1}, {1, NAN, 1}},
            };
            for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
                check_hits(&tree, set, sizes[s], &queries[i], "a box that is not finite");
            }
        }
    }
    bvh_free(&memory, &tree);
}

static void move_boxes(Aabb* boxes, int count, double far, uint64_t* state)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            double by = far * random_in(state, -0.5, 0.5);
            boxes[i].lo[k] += by;
            boxes[i].hi[k] += by;
        }
    }
}

TEST(pairs_are_right_after_boxes_have_moved)
{
    memory = new_memory();
    for (int seed = 0; seed < 30; seed++) {
        Bvh tree = {0};
        uint64_t state = (uint64_t)seed;
        int count = 20 + 9 * seed;
        make_boxes(set, count, KIND_SPREAD, state);
        for (int turn = 0; turn < 6; turn++) {
            CHECK(bvh_fit(&memory, &tree, set, count));
            check_pairs(&tree, set, count, "moved", seed);
            move_boxes(set, count, turn < 3 ? 0.01 : 10.0, &state);
        }
        bvh_free(&memory, &tree);
    }
}

// ---- when leaves are put in order

TEST(the_order_is_kept_while_all_move_or_grow_alike)
{
    memory = new_memory();
    Bvh tree = {0};
    make_boxes(set, MOST, KIND_SPREAD, 1);
    CHECK(bvh_fit(&memory, &tree, set, MOST));
    CHECK_INT(tree.orders, 1);
    for (int turn = 0; turn < 10; turn++) {
        for (int i = 0; i < MOST; i++) {
            for (int k = 0; k < 3; k++) {
                set[i].lo[k] += 100.0 - 0.05 * turn;
                set[i].hi[k] += 100.0 + 0.05 * turn;
            }
        }
        CHECK(bvh_fit(&memory, &tree, set, MOST));
        CHECK_INT(tree.orders, 1);
    }
    bvh_free(&memory, &tree);
}

TEST(the_order_is_found_anew_once_boxes_have_moved_far)
{
    memory = new_memory();
    Bvh tree = {0};
    uint64_t state = 3;
    make_boxes(set, MOST, KIND_SPREAD, 1);
    CHECK(bvh_fit(&memory, &tree, set, MOST));
    move_boxes(set, MOST, 0.001, &state);
    CHECK(bvh_fit(&memory, &tree, set, MOST));
    CHECK_INT(tree.orders, 1);
    make_boxes(set, MOST, KIND_SPREAD, 2); // each somewhere else
    CHECK(bvh_fit(&memory, &tree, set, MOST));
    CHECK_INT(tree.orders, 2);
    double cost = tree.cost;
    CHECK(bvh_fit(&memory, &tree, set, MOST));
    CHECK_INT(tree.orders, 2);
    CHECK_NEAR(tree.cost, cost, 0.0);
    bvh_free(&memory, &tree);
}

// PolygonBvh at the places of a grid: along the curve each is beside the one before it.
TEST(leaves_stand_along_a_curve_that_does_not_jump)
{
    memory = new_memory();
    Bvh tree = {0};
    for (int i = 0; i < 512; i++) {
        double p[3] = {i / 64, i / 8 % 8, i % 8};
        set[i] = box_about(p, 0.9); // two cells to a box make eight along each axis
    }
    CHECK(bvh_fit(&memory, &tree, set, 512));
    for (int i = 1; i < 512; i++) {
        int a = tree.order[i - 1], b = tree.order[i];
        CHECK_INT(abs(a / 64 - b / 64) + abs(a / 8 % 8 - b / 8 % 8) + abs(a % 8 - b % 8), 1);
    }
    bvh_free(&memory, &tree);
}

// Points of a grid in no order, and one that is lost: along the curve the others still follow each other
// closely.
TEST(a_lost_box_leaves_the_others_in_order)
{
    memory = new_memory();
    Bvh tree = {0};
    for (int i = 0; i < 1000; i++) {
        int j = 211 * i % 1000;
        double p[3] = {j / 100, j / 10 % 10, j % 10};
        set[i] = box_about(p, 0.0);
    }
    set[77] = box_about((double[3]){3e7, 0, 0}, 0.0);
    CHECK(bvh_fit(&memory, &tree, set, 1000));
    double length = 0.0;
    for (int i = 1; i < 1000; i++) {
        const double *a = set[tree.order[i - 1]].lo, *b = set[tree.order[i]].lo;
        double step = fabs(a[0] - b[0]) + fabs(a[1] - b[1]) + fabs(a[2] - b[2]);
        length += step < 100.0 ? step : 0.0;
    }
    CHECK(length < 1.6 * 999); // 1 apart if cells fit the grid, 10 in no order
    bvh_free(&memory, &tree);
}

// ---- calls

TEST(the_caller_can_stop_it)
{
    memory = new_memory();
    Bvh tree = {0};
    make_boxes(set, 300, KIND_SAME, 1);
    CHECK(bvh_fit(&memory, &tree, set, 300));
    for (int after = 1; after < 300; after += 7) {
        memset(&found, 0, sizeof found);
        found.stop_after = after;
        CHECK(!bvh_pairs(&tree, set, note_pair, &found));
        CHECK_INT(found.count, after);
        memset(&found, 0, sizeof found);
        found.stop_after = after;
        CHECK(!bvh_query(&tree, set, &set[0], note_hit, &found));
        CHECK_INT(found.count, after);
    }
    bvh_free(&memory, &tree);
}

TEST(a_fit_of_as_many_boxes_allocates_nothing)
{
    Heap heap = {0};
    memory = memory_on(&heap);
    Bvh tree = {0};
    make_boxes(set, MOST, KIND_SPREAD, 0);
    CHECK(bvh_fit(&memory, &tree, set, MOST));
    int64_t calls = heap.calls;
    for (int seed = 1; seed < 10; seed++) {
        make_boxes(set, MOST, (Kind)(seed % KIND_COUNT), (uint64_t)seed);
        CHECK(bvh_fit(&memory, &tree, set, MOST / (1 + seed % 3)));
        CHECK(bvh_pairs(&tree, set, note_pair, &found));
    }
    CHECK_INT(heap.calls, calls);
    CHECK(tree.orders > 5);
    bvh_free(&memory, &tree);
    CHECK_INT(heap.held, 0);
}

TEST(without_memory_the_tree_is_empty)
{
    make_boxes(set, 100, KIND_SPREAD, 0);
    for (int fail = 1; fail <= 6; fail++) {
        Heap heap = {.fail = fail};
        memory = memory_on(&heap);
        Bvh tree = {0};
        memset(&found, 0, sizeof found);
        bool fitted = bvh_fit(&memory, &tree, set, 10) && bvh_fit(&memory, &tree, set, 100);
        CHECK(!fitted);
        CHECK_INT(tree.leaf_count, 0);
        CHECK(bvh_pairs(&tree, set, note_pair, &found) && bvh_query(&tree, set, &set[0], note_hit, &found));
        CHECK_INT(found.count, 0);
        CHECK(bvh_fit(&memory, &tree, set, 100));
        check_pairs(&tree, set, 100, "after all", 0);
        bvh_free(&memory, &tree);
        CHECK_INT(heap.held, 0);
    }
}

TEST_GROUP(contact_bvh)
