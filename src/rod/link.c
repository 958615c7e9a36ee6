// Two polygons, of which open ones are closed outside, where nothing is but what closes the other.
#include "rod/link.h"

#include "math/vec3.h"

#include <cordage/contact.h>

#define FAR 1000.0     // how far out ends are carried, in sizes of the two polygons
#define TAIL 5         // vertices of what closes a polygon
#define AT_CENTER 1e-9 // an end nearer to the centre than this, in sizes, lies in no direction
#define SAME_WAY 0.01  // between the directions of two ends

static const CordVec3 meet = {0.3112, 0.1713, 0.9348}; // where ends are joined: a direction that is no scene's axis

static bool is_finite(LinkLine l)
{
    bool finite = true;
    for (int i = 0; i < l.count; i++) {
        finite = finite && vec3_finite(l.x[i]);
    }
    return finite;
}

static double farthest(LinkLine l, CordVec3 center)
{
    double most = 0.0;
    for (int i = 0; i < l.count; i++) {
        most = fmax(most, vec3_length(vec3_sub(l.x[i], center)));
    }
    return most;
}

// In the middle of all ends.
static CordVec3 center_of_ends(LinkLine a, LinkLine b)
{
    CordVec3 of_a = vec3_mul(vec3_add(a.x[0], a.x[a.count - 1]), 0.5);
    CordVec3 of_b = vec3_mul(vec3_add(b.x[0], b.x[b.count - 1]), 0.5);
    return a.closed ? of_b : b.closed ? of_a : vec3_mul(vec3_add(of_a, of_b), 0.5);
}

// From the centre to an end; for an end that is there, the way its edge points.
static CordVec3 outward(LinkLine l, bool last, CordVec3 center, double size)
{
    CordVec3 end = l.x[last ? l.count - 1 : 0], before = l.x[last ? l.count - 2 : 1];
    CordVec3 out = vec3_sub(end, center);
    return vec3_unit(vec3_length(out) > AT_CENTER * size ? out : vec3_sub(end, before));
}

static bool ends_are_apart(LinkLine a, LinkLine b, CordVec3 center, double size)
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

// Straight out from both ends to the distance `far`, and there along straight lines by way of `meet`. All of it lies in half planes that the axis
// through `meet` bounds, one for each end; so what closes another polygon meets it only where the two share a half plane.
static int close_outside(LinkLine l, CordVec3 center, double size, double far, CordVec3* y)
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

int64_t link_number(Memory* m, LinkLine a, LinkLine b)
{
    if (a.count < 2 || b.count < 2 || !is_finite(a) || !is_finite(b)) {
        return CORD_NO_LINK;
    }
    CordVec3 center = center_of_ends(a, b);
    double size = fmax(farthest(a, center), farthest(b, center)), link = NAN;
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

int64_t cord_polygon_linking_number(const CordVec3* x, int x_count, bool x_closed, const CordVec3* y,
                                    int y_count, bool y_closed)
{
    Memory heap;
    memory_init(&heap, (CordAllocator){0});
    return link_number(&heap, (LinkLine){x, x_count, x_closed}, (LinkLine){y, y_count, y_closed});
}
