// Knots that are cut into elements: whether they stay tied, and how many elements that takes.
#include "base_heap.h"
#include "check.h"

#include <cordage/contact.h>

#include "rod/knot.h"
#include "rod/knot_shape.h"

#include <stdlib.h>
#include <string.h>

static CordShape rope(const char* name, int strand, int elements)
{
    int nodes = cord_knot_closed(name, strand) ? elements : elements + 1;
    return cord_shape_knot(name, strand, (CordVec3){1, 2, 3}, 0.3, 0.15, nodes);
}

static bool stays(const CordShape* shape, bool closed, Message* message)
{
    Memory heap;
    memory_init(&heap, (CordAllocator){0});
    CordResult result = knot_sampling_check(&heap, shape, (ShapeEnds){.closed = closed}, message);
    CHECK(result == CORD_OK || result == CORD_BAD_ARGUMENT);
    return result == CORD_OK;
}

static bool rope_stays(const char* name, int strand, int elements, Message* message)
{
    CordShape shape = rope(name, strand, elements);
    return stays(&shape, cord_knot_closed(name, strand), message);
}

static int number_after(const char* text, const char* words)
{
    const char* found = strstr(text, words);
    CHECK(found != NULL);
    return atoi(found + strlen(words));
}

static int64_t determinant(const CordShape* shape, bool closed)
{
    Memory heap;
    static CordVec3 x[2000];
    Message message;
    memory_init(&heap, (CordAllocator){0});
    CHECK_OK(shape_sample(&heap, shape, (ShapeEnds){.closed = closed}, x, &message));
    return cord_polygon_knot(x, shape->node_count, closed);
}

// The numbers are those of the drawings; they may change with them.
TEST(every_knot_says_how_many_elements_it_takes)
{
    static const struct {
        const char* name;
        int least[2];
    } knots[] = {{"overhand", {14}},       {"figure_eight", {11}},
                 {"stevedore", {22}},      {"double_overhand", {19}},
                 {"square", {9, 9}},       {"granny", {9, 9}},
                 {"square_loop", {22}},    {"granny_loop", {22}},
                 {"sheet_bend", {10, 13}}, {"double_fisherman", {27, 27}},
                 {"bowline", {29}},        {"shoelace", {64}},
                 {"prusik", {0, 28}},      {"clove_hitch", {11}}};
    CHECK_INT(sizeof knots / sizeof *knots, (size_t)cord_knot_count());
    for (int k = 0; k < cord_knot_count(); k++) {
        for (int s = 0; s < cord_knot_strands(knots[k].name); s++) {
            Message message = {""};
            int least = knots[k].least[s], told = 0;
            if (!rope_stays(knots[k].name, s, least > 20 ? least - 1 : 5, &message)) {
                CHECK_CONTAINS(message.text, knots[k].name);
                told = number_after(message.text, "it takes at least ");
            }
            CHECK_INT(told, least);
            for (int n = least; n > 0 && n < least + 8; n++) { // from there on all do
                CHECK(rope_stays(knots[k].name, s, n, &message));
            }
        }
    }
}

// What is said to stay a knot is that knot by its determinant, which is found in another way.
TEST(a_knot_that_stays_has_its_determinant)
{
    int lost = 0;
    for (int k = 0; k < cord_knot_count(); k++) {
        const char* name = cord_knot_name(k);
        CordShape fine = rope(name, 0, 1000);
        bool closed = cord_knot_closed(name, 0);
        int64_t whole = determinant(&fine, closed);
        for (int n = 20; n < 60; n += 22) {
            Message message = {""};
            CordShape shape = rope(name, 0, n);
            int64_t left = determinant(&shape, closed);
            bool tied = stays(&shape, closed, &message);
            CHECK(!tied || left == whole);
            CHECK(tied || left == whole || strstr(message.text, "determinant"));
            lost += left != whole;
        }
    }
    CHECK(lost > 2); // some are lost
}

TEST(torus_knots_take_elements_too)
{
    CordShape shape = cord_shape_torus_knot((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 2, 3, 0.2, 0.08, 5);
    Message message = {""};
    CHECK(!stays(&shape, true, &message));
    CHECK_CONTAINS(message.text, "torus knot");
    shape.node_count = number_after(message.text, "it takes at least ");
    CHECK(shape.node_count > 5 && shape.node_count < 40);
    CHECK(stays(&shape, true, &message));
    CHECK_INT(determinant(&shape, true), 3);
    shape.knot_p = 1, shape.node_count = 4; // a ring with waves
    CHECK(stays(&shape, true, &message));
    shape = cord_shape_torus_knot((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 300, 301, 0.2, 0.08, 50);
    CHECK(!stays(&shape, true, &message));
    shape.node_count = number_after(message.text, "it takes at least ");
    CHECK(stays(&shape, true, &message));
}

// A ring through another, as a chain has them: the coarse one is a triangle that no longer goes around.
TEST(links_are_kept_too)
{
    enum { PARTS = 40, NODES = 3 * PARTS };
    CordVec3 x[NODES + 2];
    Memory heap;
    memory_init(&heap, (CordAllocator){0});
    for (int i = 0; i < 2; i++) {
        double away = i == 0 ? 0.4 : 0.9; // inside the triangle, or between it and the circle
        bool kept;
        for (int k = 0; k < NODES; k++) {
            double angle = 2.0 * 3.14159265358979323846 * k / NODES;
            x[k] = (CordVec3){cos(angle), sin(angle), 0};
        }
        x[NODES] = (CordVec3){-away, 0, -1}, x[NODES + 1] = (CordVec3){-away, 0, 1};
        KnotCurve curves[2] = {{NODES, true, PARTS}, {2, false, 1}};
        CHECK(knot_coarsen(&heap, x, curves, 2, &kept));
        CHECK(kept == (i == 0));
    }
}

TEST(without_memory_nothing_leaks)
{
    CordShape shape = rope("square", 0, 8); // one too few
    CordResult result = CORD_NO_MEMORY;
    for (int allowed = 0; result == CORD_NO_MEMORY; allowed++) {
        Message message = {""};
        CHECK(allowed < 10000);
        Heap heap = {.fail = allowed + 1, .from_then_on = true};
        Memory m = memory_on(&heap);
        result = knot_sampling_check(&m, &shape, (ShapeEnds){.closed = false}, &message);
        CHECK_INT(heap.held, 0);
    }
    CHECK_RESULT(result, CORD_BAD_ARGUMENT);
}

TEST_GROUP(rod_knot_sampling)
