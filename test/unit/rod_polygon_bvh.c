#include "base_heap.h"
#include "check.h"
#include "math/vec3.h"
#include "random.h"
#include "rod/polygon_bvh.h"

#define MOST 300

static CordVec3 random_point(uint64_t* seed)
{
    double a = random_in(seed, 0, 1), b = random_in(seed, 0, 1), c = random_in(seed, 0, 1);
    return (CordVec3){a, b, c};
}

typedef struct Seen {
    int leaves[MOST], count, most;
} Seen;

static bool see(void* user, int leaf)
{
    Seen* seen = user;
    seen->leaves[seen->count++] = leaf;
    return seen->count < seen->most;
}

static bool overlap(BoundingBox a, BoundingBox b)
{
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
           a.low.z <= b.high.z && b.low.z <= a.high.z;
}

// Every leaf that meets the query and no other, in order.
static void check_visits(const PolygonBvh* b, const BoundingBox* leaves, int count, BoundingBox query)
{
    Seen seen = {.most = MOST + 1};
    CHECK(polygon_bvh_query(b, query, see, &seen));
    int expected = 0;
    for (int k = 0; k < count; k++) {
        if (overlap(leaves[k], query)) {
            CHECK(expected < seen.count);
            CHECK_INT(seen.leaves[expected++], k);
        }
    }
    CHECK_INT(seen.count, expected);
}

TEST(visits_are_those_of_brute_force)
{
    Memory m = new_memory();
    uint64_t seed = 1;
    PolygonBvh b;
    CHECK(polygon_bvh_create(&m, &b, MOST));
    CordVec3 x[MOST];
    BoundingBox leaves[MOST];
    for (int count = 1; count <= MOST; count = 2 * count + 1) {
        for (int i = 0; i < count; i++) {
            x[i] = random_point(&seed);
        }
        for (int i = 0; i < count; i++) {
            CordVec3 ends[2] = {x[i], x[(i + 1) % count]};
            leaves[i] = bounding_box_of_points(ends, 2, 0.0);
        }
        polygon_bvh_fit(&b, x, count);
        for (int k = 0; k < 100; k++) {
            CordVec3 p = random_point(&seed);
            check_visits(&b, leaves, count, bounding_box_of_points(&p, 1, 0.1));
            int changed = k % count;
            leaves[changed] = k % 3 == 0 ? bounding_box_empty() : bounding_box_of_points(&p, 1, 0.05);
            polygon_bvh_set_leaf(&b, changed, leaves[changed]);
        }
    }
    polygon_bvh_destroy(&m, &b);
    CHECK_INT(m.bytes, 0);
}

TEST(a_visit_ends_when_it_is_told)
{
    Memory m = new_memory();
    PolygonBvh b;
    CHECK(polygon_bvh_create(&m, &b, 4));
    const CordVec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    polygon_bvh_fit(&b, x, 4);
    Seen seen = {.most = 2};
    CHECK(!polygon_bvh_query(&b, bounding_box_of_points(x, 4, 0.0), see, &seen));
    CHECK_INT(seen.count, 2);
    polygon_bvh_destroy(&m, &b);
}

// A tree of three edges has a leaf to spare, which is empty; queries may be without end along an axis.
TEST(spare_leaves_meet_nothing)
{
    Memory m = new_memory();
    PolygonBvh b;
    CHECK(polygon_bvh_create(&m, &b, 3));
    const CordVec3 x[3] = {{0, 0, 0}, {1, 0, 5}, {1, 1, 0}};
    polygon_bvh_fit(&b, x, 3);
    BoundingBox query = bounding_box_of_points(x, 3, 0.0);
    query.low.z = -INFINITY, query.high.z = INFINITY;
    Seen seen = {.most = MOST + 1};
    CHECK(polygon_bvh_query(&b, query, see, &seen));
    CHECK_INT(seen.count, 3);
    polygon_bvh_destroy(&m, &b);
}

TEST_GROUP(rod_polygon_bvh)
