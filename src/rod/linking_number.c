// Linking numbers by Gauss's integral. An open polygon is closed outside, where only the closure of the other
// one is.
#include "rod/linking_number.h"

#include "base/real.h"
#include "math/vec3.h"
#include "rod/knot.h"
#include "rod/polygon_bvh.h"

#include <cordage/contact.h>

#define FAR 1000.0     // distance of the closure, in sizes of the two polygons
#define TAIL 5         // vertices of the closure
#define AT_CENTER 1e-9 // in sizes: an end nearer to the centre has no direction from it
#define SAME_WAY 0.01  // distance of two directions that count as equal

// Direction in which ends are joined; no scene has an axis there.
static const CordVec3 meet = {0.3112, 0.1713, 0.9348};

static bool is_finite(LinkPolygon l)
{
    bool finite = true;
    for (int i = 0; i < l.count; i++) {
        finite = finite && vec3_finite(l.x[i]);
    }
    return finite;
}

static double farthest(LinkPolygon l, CordVec3 center)
{
    double most = 0.0;
    for (int i = 0; i < l.count; i++) {
        most = real_max(most, vec3_length(vec3_sub(l.x[i], center)));
    }
    return most;
}

static void box_add(BoundingBox* box, LinkPolygon l)
{
    for (int i = 0; i < l.count; i++) {
        bounding_box_add(box, l.x[i]);
    }
}

// Do the boxes of both polygons, before and after a motion, not overlap?
static bool lie_apart(LinkPolygon a, LinkPolygon a_now, LinkPolygon b, LinkPolygon b_now)
{
    BoundingBox p = {a.x[0], a.x[0]}, q = {b.x[0], b.x[0]};
    box_add(&p, a), box_add(&p, a_now);
    box_add(&q, b), box_add(&q, b_now);
    return !bounding_boxes_overlap(&p, &q);
}

static CordVec3 center_of_ends(LinkPolygon a, LinkPolygon b)
{
    CordVec3 of_a = vec3_mul(vec3_add(a.x[0], a.x[a.count - 1]), 0.5);
    CordVec3 of_b = vec3_mul(vec3_add(b.x[0], b.x[b.count - 1]), 0.5);
    return a.closed ? of_b : b.closed ? of_a : vec3_mul(vec3_add(of_a, of_b), 0.5);
}

// Direction from the centre to an end; for an end at the centre, that of its edge.
static CordVec3 outward(LinkPolygon l, bool last, CordVec3 center, double size)
{
    CordVec3 end = l.x[last ? l.count - 1 : 0], before = l.x[last ? l.count - 2 : 1];
    CordVec3 out = vec3_sub(end, center);
    return vec3_unit(vec3_length(out) > AT_CENTER * size ? out : vec3_sub(end, before));
}

static bool ends_are_apart(LinkPolygon a, LinkPolygon b, CordVec3 center, double size)
{
    for (int i = 0; i < 4 && !a.closed && !b.closed; i++) {
        CordVec3 out = outward(a, i % 2, center, size);
        if (vec3_length(vec3_sub(out, outward(b, i / 2, center, size))) < SAME_WAY) {
            return false;
        }
    }
    return true;
}

// Bisector of a direction and `meet`, so that straight lines between such points stay far out.
static CordVec3 half_way(CordVec3 out)
{
    CordVec3 to = vec3_unit(meet), sum = vec3_add(out, to);
    return vec3_length(sum) > SAME_WAY ? vec3_unit(sum) : vec3_any_normal(to);
}

// Closes a polygon straight out from both ends to the distance `far`, and there along straight lines by way
// of `meet`. The closure lies in two half planes that the axis through `meet` bounds, one for each end, so
// that two closures meet only if they share a half plane.
static int close_outside(LinkPolygon l, CordVec3 center, double size, double far, CordVec3* y)
{
    for (int i = 0; i < l.count; i++) {
        y[i] = vec3_sub(l.x[i], center);
    }
    if (l.closed) {
        return l.count;
    }
    CordVec3 first = outward(l, false, center, size), last = outward(l, true, center, size);
    const CordVec3 tail[TAIL] = {last, half_way(last), vec3_unit(meet), half_way(first), first};
    for (int k = 0; k < TAIL; k++) {
        y[l.count + k] = vec3_mul(tail[k], far);
    }
    return l.count + TAIL;
}

int64_t linking_number(Memory* m, LinkPolygon a, LinkPolygon b)
{
    if (a.count < 2 || b.count < 2 || !is_finite(a) || !is_finite(b)) {
        return CORD_NO_LINK;
    }
    if (a.closed && b.closed && lie_apart(a, a, b, b)) {
        return 0;
    }
    CordVec3 center = center_of_ends(a, b);
    double size = real_max(farthest(a, center), farthest(b, center)), link = NAN;
    if (!isfinite(size) || !ends_are_apart(a, b, center, size)) {
        return CORD_NO_LINK;
    }
    CordVec3 *x = memory_array(m, CordVec3, a.count + TAIL), *y = memory_array(m, CordVec3, b.count + TAIL);
    if (x && y) {
        int n = close_outside(a, center, size, FAR * size, x);
        link = cord_polygon_link(x, n, y, close_outside(b, center, size, 2.0 * FAR * size, y));
    }
    memory_array_free(m, x, a.count + TAIL);
    memory_array_free(m, y, b.count + TAIL);
    return isfinite(link) ? (int64_t)nearbyint(link) : CORD_NO_LINK;
}

// ---- changes

#define ASIDE 2 // vertices of the closure at one end
// Directions of a tetrahedron: what slips over an end crosses the closures on one side of it only, so never
// all four.
#define DIRECTIONS 4

static const CordVec3 sides[DIRECTIONS] = {{0.5912, 0.6135, 0.5237},
                                           {-0.5207, -0.4913, 0.6982},
                                           {0.5521, -0.7214, -0.4183},
                                           {-0.6226, 0.5992, -0.5036}};

// Closes a polygon from its ends straight to where they were before, and from there to the distance `far` on
// one side.
static int close_aside(LinkPolygon now, LinkPolygon before, CordVec3 side, double far, CordVec3* y)
{
    int n = now.count;
    for (int i = 0; i < n; i++) {
        y[i] = now.x[i];
    }
    if (now.closed) {
        return n;
    }
    CordVec3 first = before.x[0], last = before.x[before.count - 1];
    y[n] = last;
    y[n + 1] = vec3_madd(last, side, far);
    y[n + 2] = vec3_madd(first, side, far);
    y[n + 3] = first;
    return n + 2 * ASIDE;
}

static int64_t link_aside(LinkPolygon a, LinkPolygon a_now, LinkPolygon b, LinkPolygon b_now, int side,
                          double far, CordVec3* x, CordVec3* y)
{
    double change = 0.0;
    for (int now = 0; now < 2; now++) {
        int n = close_aside(now ? a_now : a, a, sides[side], far, x);
        double link = cord_polygon_link(x, n, y, close_aside(now ? b_now : b, b, sides[side], 2.0 * far, y));
        change = link - change;
    }
    return isfinite(change) ? (int64_t)nearbyint(change) : 0;
}

// A passage of the polygons through each other changes the number whatever the closure; a crossing of a
// closure does not.
int64_t linking_number_change(Memory* m, LinkPolygon a, LinkPolygon a_now, LinkPolygon b, LinkPolygon b_now)
{
    if (lie_apart(a, a_now, b, b_now)) {
        return 0;
    }
    CordVec3* x = memory_array(m, CordVec3, a.count + 2 * ASIDE);
    CordVec3* y = memory_array(m, CordVec3, b.count + 2 * ASIDE);
    double far = FAR * real_max(real_max(farthest(a, a.x[0]), farthest(a_now, a.x[0])),
                                real_max(farthest(b, a.x[0]), farthest(b_now, a.x[0])));
    int64_t change = x && y ? 1 : 0;
    for (int side = 0; side < DIRECTIONS && change != 0; side++) {
        change = link_aside(a, a_now, b, b_now, side, far, x, y);
    }
    memory_array_free(m, x, a.count + 2 * ASIDE);
    memory_array_free(m, y, b.count + 2 * ASIDE);
    return change;
}

bool knot_determinant_changes(Memory* m, LinkPolygon a, LinkPolygon a_now)
{
    CordVec3* x = memory_array(m, CordVec3, a.count + 2 * ASIDE);
    double far = FAR * real_max(farthest(a, a.x[0]), farthest(a_now, a.x[0]));
    bool changes = x != NULL;
    for (int side = 0; side < (a.closed ? 1 : DIRECTIONS) && changes; side++) {
        int64_t before = knot_determinant(m, x, close_aside(a, a, sides[side], far, x), true);
        int64_t now = knot_determinant(m, x, close_aside(a_now, a, sides[side], far, x), true);
        changes = before >= 0 && now >= 0 && before != now;
    }
    memory_array_free(m, x, a.count + 2 * ASIDE);
    return changes;
}

int64_t cord_polygon_linking_number(const CordVec3* x, int x_count, bool x_closed, const CordVec3* y,
                                    int y_count, bool y_closed)
{
    Memory heap;
    memory_init(&heap, (CordAllocator){0});
    return linking_number(&heap, (LinkPolygon){x, x_count, x_closed}, (LinkPolygon){y, y_count, y_closed});
}
