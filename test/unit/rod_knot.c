#include "base_heap.h"
#include "check.h"
#include "math/elementary.h"
#include "math/vec3.h"
#include "random.h"
#include "rod/knot.h"

#include <cordage/contact.h>

#define MOST 20000

static CordVec3 x[MOST];
static int count;

static int64_t knot(bool closed)
{
    return cord_polygon_knot(x, count, closed);
}

// ---- curves

static void add(double a, double b, double c)
{
    CHECK(count < MOST);
    x[count++] = (CordVec3){a, b, c};
}

// Winds p times around the axis and q times through the hole; a negative q is the other hand.
static void torus_knot(int p, int q, int n)
{
    count = 0;
    for (int i = 0; i < n; i++) {
        double u = 2.0 * CORD_PI * i / n, ring = 2.0 + 0.7 * cord_cos(q * u);
        add(ring * cord_cos(p * u), ring * cord_sin(p * u), 0.7 * cord_sin(q * u));
    }
}

static void figure_eight(int n)
{
    count = 0;
    for (int i = 0; i < n; i++) {
        double u = 2.0 * CORD_PI * i / n, ring = 2.0 + cord_cos(2.0 * u);
        add(ring * cord_cos(3.0 * u), ring * cord_sin(3.0 * u), cord_sin(4.0 * u));
    }
}

// An overhand knot along x, from (at, 0, 0) to (at + 8, 0, 0): two strands that cross three times, under a
// loop. `hand` is 1 or -1.
static void add_overhand(double at, int hand)
{
    static const double path[][3] = {{0, 0, 0}, {1, 0, 1},  {2, 1, -1}, {3, 0, -1},   {4, -1, 1}, {5, 0, 1},
                                     {6, 1, 0}, {5, 4, 0},  {1, 4, 0},  {-0.5, 1, 0}, {1, 0, -1}, {2, -1, 1},
                                     {3, 0, 1}, {4, 1, -1}, {5, 0, -1}, {6.5, -1, 0}, {8, 0, 0}};
    for (int i = 0; i < (int)(sizeof path / sizeof *path); i++) {
        add(at + path[i][0], path[i][1], hand * path[i][2]);
    }
}

// Two strands that cross `twists` times; they end in a loop, through which one of them is led. Open, with
// both tails free.
static void twist_knot(int twists)
{
    count = 0;
    add(-6, -1, 0);
    add(-1, -1, 0);
    for (int k = 0; k < twists; k++) {
        add(2 * k, 0, k % 2 == 0 ? 1 : -1);
        add(2 * k + 1, k % 2 == 0 ? 1 : -1, 0);
    }
    double end = 2 * twists, side = twists % 2 == 0 ? -1 : 1; // of the strand that comes to the loop
    add(end, side, side < 0 ? 1 : -1);
    add(end + 2, 0, 0);
    add(end, -side, side < 0 ? -1 : 1);
    for (int k = twists - 1; k >= 0; k--) {
        add(2 * k + 1, k % 2 == 0 ? -1 : 1, 0);
        add(2 * k, 0, k % 2 == 0 ? -1 : 1);
    }
    add(-1, 1, 0);
    add(-2, 4, 0);
    add(end, 4, 0);
    add(end, 1, 1);
    add(end, -1, -1);
    add(end, -4, 0);
    add(end + 8, -4, 0);
}

// Puts new vertices on every edge, until there are n at least.
static void subdivide(int n, bool closed)
{
    static CordVec3 old[MOST];
    int edges = closed ? count : count - 1, pieces = (n + edges - 1) / edges, had = count;
    memcpy(old, x, sizeof(CordVec3) * (size_t)count);
    count = 0;
    for (int j = 0; j < edges; j++) {
        CordVec3 d = vec3_sub(old[(j + 1) % had], old[j]);
        for (int k = 0; k < pieces; k++) {
            CordVec3 p = vec3_madd(old[j], d, (double)k / pieces);
            add(p.x, p.y, p.z);
        }
    }
    if (!closed) {
        x[count++] = old[had - 1];
    }
}

static CordQuat random_rotation(uint64_t* seed)
{
    CordVec3 axis = random_vec3(seed, 1.0);
    return cord_quat_about(axis, random_in(seed, 0.0, 6.0));
}

static void rotate(CordQuat q)
{
    for (int i = 0; i < count; i++) {
        x[i] = quat_rotate(q, x[i]);
    }
}

// Space is sheared by waves, one after the other along random axes: each maps it onto itself without a tear,
// so no knot changes, and a curve becomes a tangle.
static void shear(uint64_t* seed, int times, double amplitude)
{
    for (int k = 0; k < times; k++) {
        CordVec3 along = vec3_unit(random_vec3(seed, 1.0));
        CordVec3 wave = vec3_mul(vec3_reject(random_vec3(seed, 1.0), along), 1.5);
        double phase = random_in(seed, 0.0, 6.0);
        for (int i = 0; i < count; i++) {
            x[i] = vec3_madd(x[i], along, amplitude * cord_sin(vec3_dot(wave, x[i]) + phase));
        }
    }
}

// ---- knots

TEST(circles_are_not_knotted)
{
    uint64_t seed = 1;
    for (int n = 3; n < 10000; n = 2 * n - 1) {
        torus_knot(1, 0, n);
        CHECK_INT(knot(true), 1);
        rotate(random_rotation(&seed));
        CHECK_INT(knot(true), 1);
    }
}

TEST(tangling_keeps_the_determinant)
{
    uint64_t seed = 2;
    for (int k = 0; k < 30; k++) {
        torus_knot(1, 0, 4000);
        shear(&seed, 12, 1.5);
        CHECK_INT(knot(true), 1);
    }
    for (int k = 0; k < 10; k++) {
        torus_knot(2, 3, 4000);
        shear(&seed, 8, 1.5);
        CHECK_INT(knot(true), 3);
        figure_eight(4000);
        shear(&seed, 8, 1.5);
        CHECK_INT(knot(true), 5);
    }
}

TEST(torus_knots_have_their_determinants)
{
    static const int known[][3] = {{2, 3, 3},      {2, -3, 3}, {2, 5, 5}, {2, 7, 7}, {2, 25, 25},
                                   {2, -101, 101}, {3, 4, 3},  {3, 5, 1}, {3, 2, 3}, {4, 7, 7},
                                   {5, 6, 5},      {5, 7, 1},  {3, 1, 1}}; // p, q, determinant
    for (int k = 0; k < (int)(sizeof known / sizeof *known); k++) {
        torus_knot(known[k][0], known[k][1], 1500);
        CHECK_INT(knot(true), known[k][2]);
    }
}

TEST(few_vertices_are_enough_for_a_trefoil)
{
    torus_knot(2, 3, 12);
    CHECK_INT(knot(true), 3);
    torus_knot(2, 3, 5); // no polygon of five is knotted
    CHECK_INT(knot(true), 1);
}

TEST(figure_eights_have_five)
{
    figure_eight(300);
    CHECK_INT(knot(true), 5);
}

TEST(overhand_knots_in_a_rope_have_three)
{
    for (int hand = -1; hand <= 1; hand += 2) {
        count = 0;
        add(-5, 0, 0);
        add_overhand(0, hand);
        add(13, 0, 0);
        CHECK_INT(knot(false), 3);
    }
}

// The determinant of a sum of knots is the product of theirs.
TEST(square_and_granny_have_nine)
{
    for (int hand = -1; hand <= 1; hand += 2) {
        count = 0;
        add_overhand(0, 1);
        add_overhand(10, hand);
        CHECK_INT(knot(false), 9);
    }
}

TEST(large_determinants_are_exact)
{
    count = 0;
    int64_t power = 1;
    for (int k = 0; k < 39; k++) {
        add_overhand(10 * k, k % 3 == 0 ? -1 : 1);
        power *= 3;
    }
    CHECK_INT(knot(false), power); // 4.05e18
    add_overhand(390, 1);
    CHECK_INT(knot(false), -1); // 1.2e19 is beyond 63 bits
}

// Alternating two-bridge knots: 2 twists + 1.
TEST(twist_knots_have_their_determinants)
{
    for (int twists = 1; twists < 12; twists++) {
        twist_knot(twists);
        CHECK_INT(knot(false), 2 * twists + 1);
    }
    twist_knot(300);
    CHECK_INT(knot(false), 601);
}

TEST(vertices_on_the_edges_change_nothing)
{
    twist_knot(40);
    subdivide(5000, false);
    CHECK_INT(knot(false), 81);
    torus_knot(2, 9, 60);
    subdivide(5000, true);
    CHECK_INT(knot(true), 9);
    torus_knot(1, 0, 7);
    subdivide(5000, true);
    CHECK_INT(knot(true), 1);
}

TEST(no_view_changes_the_determinant)
{
    uint64_t seed = 4;
    for (int k = 0; k < 50; k++) {
        CordQuat q = random_rotation(&seed);
        torus_knot(2, 7, 200);
        rotate(q);
        CHECK_INT(knot(true), 7);
        twist_knot(6);
        rotate(q);
        CHECK_INT(knot(false), 13);
        CHECK_INT(cord_polygon_knot(x + 1, count - 2, false), 13); // shorter tails
    }
}

// A trefoil of edges along the axes: of each pair that cross in the plane, one is at height 1 and one at
// height 0.
TEST(polygons_on_a_grid_are_no_special_case)
{
    static const CordVec3 trefoil[] = {{0, 2, 1}, {3, 2, 1}, {3, 2, 0}, {6, 2, 0}, {6, 2, 1}, {6, 6, 1},
                                       {2, 6, 1}, {2, 6, 0}, {2, 0, 0}, {2, 0, 1}, {4, 0, 1}, {4, 4, 1},
                                       {4, 4, 0}, {4, 8, 0}, {0, 8, 0}, {0, 8, 1}};
    count = 0;
    for (int i = 0; i < (int)(sizeof trefoil / sizeof *trefoil); i++) {
        add(trefoil[i].x, trefoil[i].y, trefoil[i].z);
    }
    CHECK_INT(knot(true), 3);
    uint64_t seed = 5;
    for (int k = 0; k < 20; k++) {
        rotate(random_rotation(&seed));
        CHECK_INT(knot(true), 3);
    }
}

TEST(size_and_place_make_no_difference)
{
    for (int power = -300; power <= 300; power += 50) {
        torus_knot(2, 3, 90);
        for (int i = 0; i < count; i++) {
            x[i] = vec3_mul(x[i], cord_exp(power * 2.302585));
        }
        CHECK_INT(knot(true), 3);
    }
    torus_knot(2, 3, 90);
    for (int i = 0; i < count; i++) {
        x[i] = vec3_add(x[i], (CordVec3){1e8, -1e8, 0});
    }
    CHECK_INT(knot(true), 3);
}

// ---- ends

TEST(lines_and_arcs_are_not_knotted)
{
    count = 0;
    add(0, 0, 0);
    add(1, 2, 3);
    CHECK_INT(knot(false), 1);
    subdivide(1000, false);
    CHECK_INT(knot(false), 1);
    torus_knot(1, 0, 100);
    CHECK_INT(cord_polygon_knot(x, 60, false), 1);
    CHECK_INT(cord_polygon_knot(x, 100, false), 1); // all but one edge of a circle
}

// Both ends of a flat spiral would be led through its turns in the plane, where they meet them.
TEST(flat_spirals_are_not_knotted)
{
    for (int turns = 1; turns < 8; turns++) {
        count = 0;
        for (int i = 0; i <= 100 * turns; i++) {
            double u = 2.0 * CORD_PI * i / 100.0;
            add((1.0 + u) * cord_cos(u), (1.0 + u) * cord_sin(u), 0.0);
        }
        CHECK_INT(knot(false), 1);
    }
}

TEST(the_last_edge_of_a_tail_does_not_matter)
{
    uint64_t seed = 6;
    for (int k = 0; k < 50; k++) {
        count = 0;
        CordVec3 a = vec3_unit(random_vec3(&seed, 1.0)), b = vec3_unit(random_vec3(&seed, 1.0));
        add(-8 + a.x, a.y, a.z);
        add(-8, 0, 0);
        add_overhand(0, 1);
        add(16, 0, 0);
        add(16 + b.x, b.y, b.z);
        CHECK_INT(knot(false), 3);
    }
}

TEST(a_knotted_ring_with_a_gap_is_knotted)
{
    torus_knot(2, 3, 500);
    CHECK_INT(cord_polygon_knot(x, 499, false), 3);
    CHECK_INT(cord_polygon_knot(x + 250, 249, false), 1); // less than half of it
}

TEST(ends_that_meet_make_a_ring)
{
    torus_knot(2, 3, 500);
    x[count++] = x[0];
    CHECK_INT(knot(false), 3);
    CHECK_INT(knot(true), 3); // with its first vertex twice
}

// ---- degenerate polygons

TEST(small_polygons_are_not_knotted)
{
    CHECK_INT(cord_polygon_knot(NULL, 0, true), 1);
    torus_knot(1, 0, 8);
    for (int n = 1; n < 6; n++) {
        CHECK_INT(cord_polygon_knot(x, n, true), 1);
        CHECK_INT(cord_polygon_knot(x, n, false), 1);
    }
}

TEST(points_and_lines_there_and_back_are_not_knotted)
{
    count = 0;
    for (int i = 0; i < 100; i++) {
        add(1, 2, 3);
    }
    CHECK_INT(knot(true), 1);
    CHECK_INT(knot(false), 1);
    for (int i = 0; i < 100; i++) {
        x[i] = (CordVec3){i % 7, 2.0 * (i % 7), 0.0};
    }
    CHECK_INT(knot(true), 1);
    CHECK_INT(knot(false), 1);
}

TEST(repeated_vertices_change_nothing)
{
    torus_knot(2, 3, 40);
    int n = count;
    for (int i = n - 1; i >= 0; i--) {
        x[3 * i] = x[3 * i + 1] = x[3 * i + 2] = x[i];
    }
    count = 3 * n;
    CHECK_INT(knot(true), 3);
}

TEST(spikes_change_nothing)
{
    torus_knot(2, 3, 60);
    int n = count;
    count = 0;
    static CordVec3 old[60];
    memcpy(old, x, sizeof old);
    for (int i = 0; i < n; i++) { // out along z by a little, and back
        add(old[i].x, old[i].y, old[i].z);
        add(old[i].x, old[i].y, old[i].z + 0.01);
        add(old[i].x, old[i].y, old[i].z);
    }
    CHECK_INT(knot(true), 3);
}

// Where a polygon meets itself there is no knot to speak of; a drawing in the plane is taken to be laid down
// without one.
TEST(drawings_in_the_plane_are_not_knotted)
{
    for (int step = 2; step < 12; step++) { // stars of 25 points
        count = 0;
        for (int i = 0; i < 25; i++) {
            double u = 2.0 * CORD_PI * step * i / 25.0;
            add(cord_cos(u), cord_sin(u), 0.0);
        }
        CHECK_INT(knot(true), 1);
    }
    uint64_t seed = 7;
    for (int k = 0; k < 20; k++) {
        count = 0;
        for (int i = 0; i < 30; i++) {
            add(random_in(&seed, -1, 1), random_in(&seed, -1, 1), 0.0);
        }
        rotate(random_rotation(&seed));
        CHECK_INT(knot(true), 1);
    }
}

TEST(what_is_not_finite_has_no_determinant)
{
    torus_knot(2, 3, 40);
    x[17].y = NAN;
    CHECK_INT(knot(true), -1);
    x[17].y = INFINITY;
    CHECK_INT(knot(false), -1);
}

// ---- memory

TEST(without_memory_there_is_no_answer_and_no_leak)
{
    twist_knot(30);
    int64_t answer = -1;
    int allowed = 0;
    for (; answer < 0; allowed++) {
        CHECK(allowed < 1000);
        Heap heap = {.fail = allowed + 1, .from_then_on = true};
        Memory m = memory_on(&heap);
        answer = knot_determinant(&m, x, count, false);
        CHECK_INT(heap.held, 0);
    }
    CHECK_INT(answer, 61);
    CHECK(allowed > 10); // so many that each kind has failed
}

// ---- shrinking

static void shrink_torus_knot(int p, int q)
{
    Memory m = new_memory();
    torus_knot(p, q, 5000);
    for (int i = 0; i < count; i++) {
        x[i] = vec3_mul(x[i], 0.3);
    }
    count = knot_reduce(&m, x, count);
    CHECK_INT(m.bytes, 0);
}

TEST(circles_shrink_to_five_vertices_and_trefoils_to_few)
{
    shrink_torus_knot(1, 0);
    CHECK_INT(count, 5);
    shrink_torus_knot(2, 3);
    CHECK(count >= 6 && count < 30); // six is the least there is
    CHECK_INT(knot(true), 3);
}

static int64_t determinant_as_drawn(Memory* m, const CordVec3* y, int n, bool simplify)
{
    KnotDiagram d;
    CHECK(knot_diagram_create(m, &d, y, n));
    CHECK(!simplify || knot_diagram_simplify(m, &d));
    int64_t determinant = knot_diagram_determinant(m, &d);
    knot_diagram_destroy(m, &d);
    return determinant;
}

// Polygons through random points in a box, most of them knotted: with all their vertices and crossings,
// without some of the crossings, and without some of the vertices.
TEST(shrinking_and_simplifying_keep_the_determinant)
{
    Memory m = new_memory();
    uint64_t seed = 8;
    int knotted = 0;
    for (int k = 0; k < 300; k++) {
        count = 0;
        for (int i = 0; i < 6 + k / 10; i++) {
            CordVec3 p = random_vec3(&seed, 1.0);
            add(0.5 * p.x, 0.5 * p.y, 0.5 * p.z);
        }
        int64_t whole = determinant_as_drawn(&m, x, count, false);
        CHECK_INT(whole % 2, 1); // as every knot's
        CHECK_INT(determinant_as_drawn(&m, x, count, true), whole);
        count = knot_reduce(&m, x, count);
        CHECK_INT(determinant_as_drawn(&m, x, count, true), whole);
        knotted += whole > 1;
    }
    CHECK(knotted > 50);
    CHECK_INT(m.bytes, 0);
}

TEST_GROUP(rod_knot)
