#include "base_heap.h"
#include "check.h"
#include "math/elementary.h"
#include "math/vec3.h"
#include "rod/linking_number.h"

#include <cordage/contact.h>

#include <stdlib.h>

enum { RING = 40 };

static void ring(CordVec3 center, CordVec3 e1, CordVec3 e2, CordVec3* x)
{
    for (int i = 0; i < RING; i++) {
        double a = 2.0 * CORD_PI * i / RING;
        x[i] = vec3_madd(vec3_madd(center, e1, cord_cos(a)), e2, cord_sin(a));
    }
}

static int64_t link_of(const CordVec3* x, int nx, bool x_closed, const CordVec3* y, int ny, bool y_closed)
{
    int64_t link = cord_polygon_linking_number(x, nx, x_closed, y, ny, y_closed);
    if (x_closed || y_closed) {
        CHECK_INT(cord_polygon_linking_number(y, ny, y_closed, x, nx, x_closed), link); // either way
    }
    return link;
}

TEST(rings_are_linked_as_they_are)
{
    CordVec3 x[RING], y[RING];
    ring((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, (CordVec3){0, 1, 0}, x);
    ring((CordVec3){1, 0, 0}, (CordVec3){1, 0, 0}, (CordVec3){0, 0, 1}, y);
    CHECK_INT(link_of(x, RING, true, y, RING, true), (int64_t)nearbyint(cord_polygon_link(x, RING, y, RING)));
    CHECK_INT(llabs(link_of(x, RING, true, y, RING, true)), 1);
    ring((CordVec3){3, 0, 0}, (CordVec3){1, 0, 0}, (CordVec3){0, 0, 1}, y);
    CHECK_INT(link_of(x, RING, true, y, RING, true), 0);
}

// A straight rod through a ring, in any direction and of any size: 1, as the right hand has it; beside it
// none.
TEST(a_held_rod_goes_through_a_ring)
{
    static const CordVec3 ways[] = {{0, 0, 1}, {0.3, -0.5, 0.8}, {0.3112, 0.1713, 0.9348}, {-0.2, 0.6, -0.1}};
    static const double sizes[] = {1e-6, 1.0, 1e6};
    for (int k = 0; k < 12; k++) {
        CordVec3 t = vec3_unit(ways[k % 4]), e1 = vec3_any_normal(t), x[RING];
        double size = sizes[k / 4];
        CordVec3 line[3] = {vec3_mul(t, -3 * size), vec3_mul(e1, 0.2 * size), vec3_mul(t, 3 * size)};
        ring((CordVec3){0, 0, 0}, vec3_mul(e1, size), vec3_mul(vec3_cross(t, e1), size), x);
        CHECK_INT(link_of(x, RING, true, line, 3, false), 1);
        CordVec3 back[3] = {line[2], line[1], line[0]};
        CHECK_INT(link_of(x, RING, true, back, 3, false), -1);
        line[1] = vec3_mul(e1, 1.5 * size); // around the ring's outside
        CHECK_INT(link_of(x, RING, true, line, 3, false), 0);
    }
}

// Two bights, one through the other; drawn apart they are none.
static int64_t hooked(double apart)
{
    const CordVec3 x[4] = {{-1, 0.2, 0}, {0.2, 0.2, 0}, {0.2, -0.2, 0}, {-1, -0.2, 0}};
    const CordVec3 y[4] = {{1, 0, 0.2}, {apart, 0, 0.2}, {apart, 0, -0.2}, {1, 0, -0.2}};
    return link_of(x, 4, false, y, 4, false);
}

TEST(hooked_cords_are_linked)
{
    CHECK_INT(llabs(hooked(0.0)), 1);
    CHECK_INT(llabs(hooked(0.19)), 1);
    CHECK_INT(hooked(0.21), 0);
    CHECK_INT(hooked(0.9), 0);
}

// What they do between their ends makes no difference, as long as they do not meet.
TEST(straight_cords_that_cross_keep_their_side)
{
    const CordVec3 x[3] = {{-1, -0.1, 0}, {0, 0, 0}, {1, 0.1, 0}};
    CordVec3 y[3] = {{0.1, -1, 0}, {0, 0, 0}, {-0.1, 1, 0}};
    int64_t above = 0, below = 0;
    for (int k = 1; k <= 20; k++) {
        y[1] = (CordVec3){0.04 * k - 0.4, 0.3, 0.05 * k};
        int64_t link = link_of(x, 3, false, y, 3, false);
        above = k == 1 ? link : above;
        CHECK_INT(link, above);
        y[1].z = -y[1].z;
        link = link_of(x, 3, false, y, 3, false);
        below = k == 1 ? link : below;
        CHECK_INT(link, below);
    }
    CHECK_INT(llabs(above - below), 1);
}

// ---- what has no number

TEST(ends_in_one_direction_have_no_number)
{
    const CordVec3 x[3] = {{-2, 0, 0}, {0, 1, 0}, {2, 0, 0}}, y[3] = {{-1, 0, 0}, {0, 0, 1}, {1, 0, 0}};
    CHECK(link_of(x, 3, false, y, 3, false) == CORD_NO_LINK);
    CHECK_INT(link_of(x, 3, true, y, 3, false), 0); // a ring has no ends
}

TEST(what_is_not_finite_has_no_number)
{
    CordVec3 x[3] = {{-2, 0, 0}, {0, 1, 0}, {2, 0, 0}};
    const CordVec3 y[3] = {{0, -1, 0}, {0, 0, 1}, {0, 1, 0}};
    CHECK_INT(link_of(x, 3, true, y, 3, true), 0);
    CHECK(link_of(x, 1, false, y, 3, true) == CORD_NO_LINK);
    x[1].y = NAN;
    CHECK(link_of(x, 3, false, y, 3, true) == CORD_NO_LINK);
    x[1].y = INFINITY;
    CHECK(link_of(x, 3, true, y, 3, true) == CORD_NO_LINK);
    x[1].y = 1e200; // finite, but nothing of its square is
    CHECK(link_of(x, 3, true, y, 3, false) == CORD_NO_LINK);
    x[0] = x[1] = x[2] = (CordVec3){0, 0, 0}; // all ends in the middle, without an edge
    CHECK(link_of(x, 3, false, y, 3, false) == CORD_NO_LINK);
}

TEST(without_memory_there_is_no_number)
{
    const CordVec3 x[3] = {{-2, 0, 0}, {0, 1, 0}, {2, 0, 0}}, y[3] = {{0, -1, 0}, {0, 0, 1}, {0, 1, 0}};
    for (int allowed = 0; allowed <= 2; allowed++) {
        Heap heap = {.fail = allowed + 1, .from_then_on = true};
        Memory m = memory_on(&heap);
        int64_t link = linking_number(&m, (LinkPolygon){x, 3, false}, (LinkPolygon){y, 3, false});
        CHECK((link == CORD_NO_LINK) == (allowed < 2));
        CHECK_INT(m.bytes, 0);
    }
}

TEST_GROUP(rod_linking_number)
