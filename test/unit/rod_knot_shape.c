#include "base_heap.h"
#include "check.h"
#include "contact/closest_points.h"
#include "math/elementary.h"
#include "math/vec3.h"
#include "rod/shape.h"

#include <cordage/contact.h>

#define MOST 8000
#define MARGIN 1.3 // a scene without a size takes that of ropes so much thicker

typedef struct Rope {
    CordVec3 x[MOST];
    int count;
    bool closed;
    double edge; // mean length
} Rope;

static Rope ropes[2];
static Message message;

static void sample(Rope* rope, CordShape shape)
{
    Memory m = new_memory();
    rope->closed = cord_knot_closed(shape.knot_name, shape.knot_strand);
    rope->count = shape.node_count;
    CHECK(shape.node_count <= MOST);
    CHECK_OK(shape_check(&shape, rope->closed, &message));
    CHECK_OK(shape_sample(&m, &shape, (ShapeEnds){.closed = rope->closed}, rope->x, &message));
    CHECK_INT(m.bytes, 0);
    double length = 0.0;
    int edges = rope->closed ? rope->count : rope->count - 1;
    for (int j = 0; j < edges; j++) {
        length += vec3_length(vec3_sub(rope->x[(j + 1) % rope->count], rope->x[j]));
    }
    rope->edge = length / edges;
}

static CordShape knot_shape(const char* name, int strand, double tails, int nodes)
{
    return cord_shape_knot(name, strand, (CordVec3){0, 0, 0}, 1.0, tails, nodes);
}

// All ropes of a knot of size 1, in edges of about the length given.
static int tie(const char* name, double tails, double edge)
{
    int strands = cord_knot_strands(name);
    for (int s = 0; s < strands; s++) {
        sample(&ropes[s], knot_shape(name, s, tails, 1000));
        sample(&ropes[s], knot_shape(name, s, tails, (int)(ropes[s].edge * 1000.0 / edge) + 2));
    }
    return strands;
}

// ---- distances

// Of edges i and j of two ropes, or of one; edges that are nearer along it than half a turn of the radius do
// not count.
static double edge_distance(const Rope* a, int i, const Rope* b, int j, double radius)
{
    if (a == b) {
        int apart = j > i ? j - i : i - j;
        apart = a->closed && apart > a->count / 2 ? a->count - apart : apart;
        if ((apart - 1) * a->edge <= CORD_PI * radius) {
            return INFINITY;
        }
    }
    return closest_segment_segment(a->x[i], a->x[(i + 1) % a->count], b->x[j], b->x[(j + 1) % b->count])
        .distance;
}

static double least_distance(int strands, double radius)
{
    double least = INFINITY;
    for (int s = 0; s < strands; s++) {
        for (int t = s; t < strands; t++) {
            const Rope *a = &ropes[s], *b = &ropes[t];
            for (int i = 0; i < (a->closed ? a->count : a->count - 1); i++) {
                for (int j = s == t ? i + 1 : 0; j < (b->closed ? b->count : b->count - 1); j++) {
                    least = fmin(least, edge_distance(a, i, b, j, radius));
                }
            }
        }
    }
    return least;
}

static double least_to_pole(void) // from its axis
{
    double least = INFINITY;
    for (int i = 0; i < ropes[0].count; i++) {
        CordVec3 p = ropes[0].x[i];
        least = fmin(least, sqrt(p.x * p.x + p.z * p.z));
    }
    return least;
}

// Thick: as a scene makes them that gives no size.
TEST(ropes_do_not_touch)
{
    static const double thinner[] = {1.0, 3.0, 10.0};
    for (int k = 0; k < cord_knot_count(); k++) {
        const char* name = cord_knot_name(k);
        for (int i = 0; i < 3; i++) {
            double radius = cord_knot_clearance(name, 1.0) / (MARGIN * thinner[i]);
            int strands = tie(name, 0.3, (i < 2 ? 1.0 : 2.0) * radius);
            double least = least_distance(strands, radius), pole = cord_knot_pole(name, 1.0);
            if (!(least >= 2.0 * radius) || (pole > 0.0 && !(least_to_pole() >= pole + radius))) {
                check_fail(__FILE__, __LINE__,
                           "%s: least distance %g for a radius of %g, %g from the pole's axis (%g)", name,
                           least, radius, least_to_pole(), pole);
            }
        }
    }
}

// What is asked for is what there is: ropes a little thicker would touch. Chords cut corners by the square of
// their length.
TEST(the_clearance_is_sharp)
{
    for (int k = 0; k < cord_knot_count(); k++) {
        const char* name = cord_knot_name(k);
        double radius = cord_knot_clearance(name, 1.0);
        CHECK(radius > 1.0 / 60.0 && radius < 1.0 / 10.0);
        CHECK_NEAR(cord_knot_clearance(name, 7.0), 7.0 * radius, 1e-15 * 7.0);
        int strands = tie(name, 0.0, 0.25 * radius);
        CHECK(least_distance(strands, radius) >= 1.98 * radius); // (1/4)^2 / 8 on each side
    }
}

TEST(edges_are_of_equal_length)
{
    for (int k = 0; k < cord_knot_count(); k++) {
        const char* name = cord_knot_name(k);
        double radius = cord_knot_clearance(name, 1.0);
        int strands = tie(name, 0.5, 0.5 * radius);
        for (int s = 0; s < strands; s++) {
            const Rope* rope = &ropes[s];
            double least = INFINITY, most = 0.0;
            for (int j = 0; j < (rope->closed ? rope->count : rope->count - 1); j++) {
                double len = vec3_length(vec3_sub(rope->x[(j + 1) % rope->count], rope->x[j]));
                least = fmin(least, len), most = fmax(most, len);
            }
            // a chord is shorter than its arc by (length / bend radius)^2 / 24
            CHECK(most / least - 1.0 < 0.25 / 24.0 + 1e-3);
        }
    }
}

// ---- which knots they are

static int64_t determinant(const char* name, int strand, bool mirrored)
{
    CordShape shape = knot_shape(name, strand, 0.3, 700);
    shape.knot_mirrored = mirrored;
    sample(&ropes[0], shape);
    return cord_polygon_knot(ropes[0].x, ropes[0].count, ropes[0].closed);
}

TEST(knots_have_their_determinants)
{
    static const struct {
        const char* name;
        int64_t determinant[2];
    } known[] = {
        {"overhand", {3}},            // the trefoil
        {"figure_eight", {5}},        //
        {"stevedore", {9}},           // 6_1
        {"double_overhand", {5}},     // 5_1
        {"square", {1, 1}},           // each rope alone is a loop
        {"granny", {1, 1}},           //
        {"square_loop", {9}},         // two trefoils
        {"granny_loop", {9}},         //
        {"sheet_bend", {1, 1}},       //
        {"double_fisherman", {5, 5}}, // double overhands
        {"bowline", {9}},             //
        {"shoelace", {3}},    // pulled at its ends it comes undone, but for the half knot below: a trefoil
        {"prusik", {1, 1}},   //
        {"clove_hitch", {1}}, // without its pole it falls apart
    };
    CHECK_INT(cord_knot_count(), sizeof known / sizeof *known);
    for (int k = 0; k < cord_knot_count(); k++) {
        CHECK_STR(cord_knot_name(k), known[k].name);
        for (int s = 0; s < cord_knot_strands(known[k].name); s++) {
            CHECK_INT(determinant(known[k].name, s, false), known[k].determinant[s]);
            CHECK_INT(determinant(known[k].name, s, true), known[k].determinant[s]);
        }
    }
}

static double writhe(const char* name, bool mirrored)
{
    determinant(name, 0, mirrored);
    return cord_polygon_writhe(ropes[0].x, ropes[0].count, ropes[0].closed);
}

TEST(mirrored_knots_are_of_the_other_hand)
{
    CHECK_NEAR(writhe("overhand", true), -writhe("overhand", false), 1e-12);
    CHECK(fabs(writhe("overhand", false)) > 2.5); // three crossings of one sign
}

// A trefoil and its mirror image, against two of one hand: six crossings whose signs cancel, or add up.
TEST(a_square_knot_is_no_granny)
{
    CHECK(fabs(writhe("square_loop", false)) < 0.5);
    CHECK(fabs(writhe("granny_loop", false)) > 5.0);
}

// Closes each rope on its own side, far away, and counts how often they are linked.
static double link(const char* name)
{
    tie(name, 0.5, 0.02);
    for (int s = 0; s < 2; s++) {
        Rope* rope = &ropes[s];
        double far = s == 0 ? -20.0 : 20.0;
        CordVec3 first = rope->x[0], last = rope->x[rope->count - 1];
        rope->x[rope->count++] = (CordVec3){far, last.y, last.z};
        rope->x[rope->count++] = (CordVec3){far, first.y, first.z};
    }
    return cord_polygon_link(ropes[0].x, ropes[0].count, ropes[1].x, ropes[1].count);
}

// Mirrored in a plane along the ropes, a square knot is itself with both ropes the other way around: its link
// is minus itself. In a granny all six crossings of the two ropes have one sign.
TEST(the_ropes_of_a_granny_are_linked_and_those_of_a_square_knot_not)
{
    CHECK_NEAR(link("square"), 0.0, 1e-6); // an integer, to the rounding of its terms
    CHECK_NEAR(fabs(link("granny")), 3.0, 1e-6);
}

// How often a stretch of a rope goes around the x axis, with its sign.
static double turns_about_x(const Rope* rope, int from, int to)
{
    double angle = 0.0;
    for (int i = from; i < to; i++) {
        CordVec3 a = rope->x[i], b = rope->x[i + 1];
        angle += cord_atan2(a.y * b.z - a.z * b.y, a.y * b.y + a.z * b.z);
    }
    return angle / (2.0 * CORD_PI);
}

// From the lowest point of the cord's loop to the middle of its bridge there are three turns; from there back
// as many the other way.
TEST(a_prusik_has_three_turns_on_each_side)
{
    tie("prusik", 0.0, 0.005);
    CHECK(cord_knot_closed("prusik", 1));
    Rope* rope = &ropes[0];
    Rope* cord = &ropes[1];
    double height = rope->x[0].y; // the rope lies above the drawing's centre
    int lowest = 0, bridge = 0;
    for (int i = 0; i < cord->count; i++) {
        cord->x[i].y -= height;
        lowest = cord->x[i].y < cord->x[lowest].y ? i : lowest;
        bridge = cord->x[i].z > cord->x[bridge].z ? i : bridge;
    }
    CordVec3 turned[MOST];
    memcpy(turned, cord->x, sizeof turned);
    for (int i = 0; i < cord->count; i++) { // begin at the lowest point
        cord->x[i] = turned[(i + lowest) % cord->count];
    }
    bridge = (bridge - lowest + cord->count) % cord->count;
    double there = turns_about_x(cord, 0, bridge), back = turns_about_x(cord, bridge, cord->count - 1);
    CHECK_NEAR(fabs(there), 3.0, 0.25);  // loop and bridge are in front, but not in the same direction
    CHECK_NEAR(there + back, 0.0, 0.02); // an edge is left out
}

// Five times past the other rope, front and back in turn, make two turns and a half around it.
TEST(a_fishermans_knot_goes_around_the_other_rope_twice)
{
    tie("double_fisherman", 0.0, 0.002);
    const Rope* rope = &ropes[0];
    int from = 0;
    while (from < rope->count - 1 && rope->x[from].x < 0.08) {
        from++;
    }
    CHECK_NEAR(fabs(turns_about_x(rope, from, rope->count - 1)), 2.5, 0.1);
    for (int i = 0; i < ropes[1].count; i++) { // a half turn about z maps one rope on the other
        CordVec3 p = ropes[1].x[i], q = ropes[0].x[i];
        CHECK_VEC3(p, ((CordVec3){-q.x, -q.y, q.z}), 1e-12);
    }
}

// ---- size, place, tails

TEST(size_place_and_tails_are_as_asked_for)
{
    CordShape shape = cord_shape_knot("overhand", 0, (CordVec3){1, 2, 3}, 0.4, 0.25, 500);
    sample(&ropes[0], shape);
    CHECK_NEAR(ropes[0].x[0].x, 1.0 - 0.2 - 0.25, 1e-14); // rounding of 1
    CHECK_NEAR(ropes[0].x[499].x, 1.0 + 0.2 + 0.25, 1e-14);
    shape.axis1 = (CordVec3){0, 0, 2};
    shape.axis2 = (CordVec3){1, 0, 1};
    sample(&ropes[0], shape);
    CHECK_NEAR(ropes[0].x[0].z, 3.0 - 0.2 - 0.25, 1e-14);
    CHECK_NEAR(ropes[0].x[0].y, 2.0, 1e-14);
    double high = 0.0;
    for (int i = 0; i < 500; i++) { // the loop is on the side of axis2
        high = fmax(high, ropes[0].x[i].x - 1.0);
    }
    CHECK(high > 0.08);
}

TEST(a_knot_without_tails_is_sampled_too)
{
    for (int k = 0; k < cord_knot_count(); k++) {
        sample(&ropes[0], knot_shape(cord_knot_name(k), 0, 0.0, 400));
        for (int i = 0; i < 400; i++) {
            CHECK(vec3_finite(ropes[0].x[i]));
        }
    }
}

// ---- mistakes

static void refused(CordShape shape, bool closed, const char* part)
{
    CHECK_RESULT(shape_check(&shape, closed, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, part);
}

TEST(mistakes_are_told)
{
    refused(knot_shape("slipery", 0, 0.1, 100), false,
            "there is no knot \"slipery\"; there are overhand, figure_eight, stevedore, ");
    refused(knot_shape("slipery", 0, 0.1, 100), false, " and clove_hitch");
    refused(knot_shape(NULL, 0, 0.1, 100), false, "there is no knot \"\"");
    refused(knot_shape("square", 2, 0.1, 100), false, "the knot square has no rope 2; it is tied in 2");
    refused(knot_shape("square", -1, 0.1, 100), false, "no rope -1");
    refused(knot_shape("overhand", 0, 0.1, 100), true, "open and cannot be closed");
    refused(knot_shape("prusik", 1, 0.1, 100), false, "a ring: make it a closed rod");
    refused(knot_shape("overhand", 0, -0.1, 100), false, "tails are not negative");
    refused(cord_shape_knot("overhand", 0, (CordVec3){0, 0, 0}, 0.0, 0.1, 100), false,
            "the size is positive");
    refused(cord_shape_knot("overhand", 0, (CordVec3){0, 0, 0}, NAN, 0.1, 100), false,
            "the size is positive");
    refused(knot_shape("overhand", 0, INFINITY, 100), false, "tails");
}

TEST(questions_about_no_knot_have_answers)
{
    CHECK(cord_knot_name(-1) == NULL);
    CHECK(cord_knot_name(cord_knot_count()) == NULL);
    CHECK_INT(cord_knot_strands("no such knot"), 0);
    CHECK_INT(cord_knot_strands(NULL), 0);
    CHECK(!cord_knot_closed("no such knot", 0));
    CHECK(!cord_knot_closed("prusik", 2));
    CHECK_NEAR(cord_knot_clearance("no such knot", 1.0), 0.0, 0.0);
    CHECK_NEAR(cord_knot_pole("overhand", 1.0), 0.0, 0.0);
    CHECK(cord_knot_pole("clove_hitch", 1.0) > 0.05);
}

// ---- memory

TEST(without_memory_nothing_leaks)
{
    CordShape shape = knot_shape("square", 1, 0.1, 200);
    CordResult result = CORD_NO_MEMORY;
    for (int allowed = 0; result != CORD_OK; allowed++) {
        CHECK(allowed < 100);
        Heap heap = {.fail = allowed + 1, .from_then_on = true};
        Memory m = memory_on(&heap);
        result = shape_sample(&m, &shape, (ShapeEnds){0}, ropes[0].x, &message);
        CHECK(result == CORD_OK || result == CORD_NO_MEMORY);
        CHECK_INT(heap.held, 0);
    }
}

TEST_GROUP(rod_knot_shape)
