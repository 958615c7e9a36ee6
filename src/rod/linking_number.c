// Two polygons, of which open ones are closed outside, where nothing is but what closes the other.
#include "rod/linking_number.h"

#include "base/real.h"
#include "math/vec3.h"
#include "rod/knot.h"

#include <cordage/contact.h>

#define FAR 1000.0     // how far out ends are carried, in sizes of the two polygons
#define TAIL 5         // vertices of what closes a polygon
#define AT_CENTER 1e-9 // an end nearer to the centre than this, in sizes, lies in no direction
#define SAME_WAY 0.01  // between the directions of two ends

// where ends are joined: a direction that is no scene's axis
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

typedef struct BoundingBox {
    CordVec3 low, high;
} BoundingBox;

static void box_add(BoundingBox* box, LinkPolygon l)
{
    for (int i = 0; i < l.count; i++) {
        CordVec3 p = l.x[i];
        box->low =
            (CordVec3){real_min(box->low.x, p.x), real_min(box->low.y, p.y), real_min(box->low.z, p.z)};
        box->high =
            (CordVec3){real_max(box->high.x, p.x), real_max(box->high.y, p.y), real_max(box->high.z, p.z)};
    }
}

// Is there a plane, square to an axis, between where one polygon is, was and passed, and the other? Most of
// many need not be looked at, then.
static bool lie_apart(LinkPolygon a, LinkPolygon a_now, LinkPolygon b, LinkPolygon b_now)
{
    BoundingBox p = {a.x[0], a.x[0]}, q = {b.x[0], b.x[0]};
    box_add(&p, a), box_add(&p, a_now);
    box_add(&q, b), box_add(&q, b_now);
    return p.low.x > q.high.x || p.low.y > q.high.y || p.low.z > q.high.z || q.low.x > p.high.x ||
           q.low.y > p.high.y || q.low.z > p.high.z;
}

// In the middle of all ends.
static CordVec3 center_of_ends(LinkPolygon a, LinkPolygon b)
{
    CordVec3 of_a = vec3_mul(vec3_add(a.x[0], a.x[a.count - 1]), 0.5);
    CordVec3 of_b = vec3_mul(vec3_add(b.x[0], b.x[b.count - 1]), 0.5);
    return a.closed ? of_b : b.closed ? of_a : vec3_mul(vec3_add(of_a, of_b), 0.5);
}

// From the centre to an end; for an end that is there, the way its edge points.
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

// Half the way from a direction to `meet`, so that straight lines between such places stay far out.
static CordVec3 half_way(CordVec3 out)
{
    CordVec3 to = vec3_unit(meet), sum = vec3_add(out, to);
    return vec3_length(sum) > SAME_WAY ? vec3_unit(sum) : vec3_any_normal(to);
}

// Straight out from both ends to the distance `far`, and there along straight lines by way of `meet`. All of
// it lies in half planes that the axis through `meet` bounds, one for each end; so what closes another
// polygon meets it only where the two share a half plane.
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

#define ASIDE 2 // vertices that close a polygon on one side of it
#define DIRECTIONS                                                                                           \
    4 // of a tetrahedron: what slips over an end crosses lines from it on one side alone, so never all four

static const CordVec3 sides[DIRECTIONS] = {{0.5912, 0.6135, 0.5237},
                                           {-0.5207, -0.4913, 0.6982},
                                           {0.5521, -0.7214, -0.4183},
                                           {-0.6226, 0.5992, -0.5036}};

// From the ends straight to where they were, and from there to a distance `far` on one side.
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

// A real passage changes the number however the polygons are closed; one that only crosses what closes them
// does not.
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
