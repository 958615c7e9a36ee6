#include "rod/knot.h"

#include "base/real.h"
#include "math/vec3.h"

#include <cordage/contact.h>

#define FAR 4.0          // distance at which ends are joined, in radii of a ball about the polygon
#define FEWEST 6         // vertices of a knotted polygon (the stick number of the trefoil)
#define SAME_WAY 1e-6    // distance of two directions that count as equal
#define OPPOSITE_WAY 0.1 // distance of a direction from the reverse of another that counts as opposite

static CordVec3 center_of(const CordVec3* x, int n, bool closed)
{
    CordVec3 sum = {0, 0, 0};
    double length = 0.0;
    for (int j = 0; j < (closed ? n : n - 1); j++) {
        CordVec3 a = x[j], b = x[j + 1 < n ? j + 1 : 0];
        double len = vec3_length(vec3_sub(b, a));
        sum = vec3_madd(sum, vec3_add(a, b), 0.5 * len);
        length += len;
    }
    return length > 0.0 ? vec3_mul(sum, 1.0 / length) : x[0];
}

// Scales the polygon into the unit ball about its centre. False: it is a point.
static bool fit(const CordVec3* x, int n, bool closed, CordVec3* y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        // a quarter, so that the largest numbers do not overflow
        y[i] = vec3_sub(vec3_mul(x[i], 0.25), vec3_mul(x[0], 0.25));
        most = real_max(most, real_max(fabs(y[i].x), real_max(fabs(y[i].y), fabs(y[i].z))));
    }
    if (most == 0.0) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        y[i] = (CordVec3){y[i].x / most, y[i].y / most, y[i].z / most};
    }
    CordVec3 center = center_of(y, n, closed);
    double radius = 0.0;
    for (int i = 0; i < n; i++) {
        y[i] = vec3_sub(y[i], center);
        radius = real_max(radius, vec3_length(y[i]));
    }
    for (int i = 0; i < n; i++) {
        y[i] = vec3_mul(y[i], 1.0 / radius);
    }
    return true;
}

static bool differ(CordVec3 a, CordVec3 b)
{
    return vec3_length(vec3_sub(a, b)) > KNOT_TOUCH;
}

static int drop_repeated(CordVec3* y, int n, bool closed)
{
    int kept = 1;
    for (int i = 1; i < n; i++) {
        if (differ(y[i], y[kept - 1])) {
            y[kept++] = y[i];
        }
    }
    while (closed && kept > 1 && !differ(y[kept - 1], y[0])) {
        kept--;
    }
    return kept;
}

// Direction from the centre to an end; for an end at the centre, that of its edge.
static CordVec3 outward(CordVec3 end, CordVec3 before)
{
    return vec3_unit(differ(end, (CordVec3){0, 0, 0}) ? end : vec3_sub(end, before));
}

// Joins the ends outside the ball; the path there makes no difference, as nothing else is outside. Ends in
// the same direction are joined by a straight line, as their paths outwards would coincide. Returns the new
// number of vertices.
static int join_ends(CordVec3* y, int n)
{
    CordVec3 a = outward(y[n - 1], y[n - 2]), b = outward(y[0], y[1]);
    if (vec3_length(vec3_sub(a, b)) < SAME_WAY) {
        return n;
    }
    CordVec3 between = vec3_add(a, b);
    between = vec3_length(between) > OPPOSITE_WAY ? vec3_unit(between) : vec3_any_normal(a);
    y[n] = vec3_mul(a, FAR);
    y[n + 1] = vec3_mul(between, FAR);
    y[n + 2] = vec3_mul(b, FAR);
    return n + 3;
}

// Determinant of a closed polygon of size 1, which is overwritten.
static int64_t closed_determinant(Memory* m, CordVec3* y, int n)
{
    n = knot_reduce(m, y, n);
    if (n < FEWEST) {
        return n < 0 ? -1 : 1;
    }
    KnotDiagram diagram;
    if (!knot_diagram_create(m, &diagram, y, n)) {
        return -1;
    }
    bool simple = knot_diagram_simplify(m, &diagram) && diagram.crossing_count <= KNOT_MOST_CROSSINGS;
    int64_t determinant = simple ? knot_diagram_determinant(m, &diagram) : -1;
    knot_diagram_destroy(m, &diagram);
    return determinant;
}

int64_t knot_determinant(Memory* m, const CordVec3* x, int node_count, bool closed)
{
    for (int i = 0; i < node_count; i++) {
        if (!vec3_finite(x[i])) {
            return -1;
        }
    }
    if (node_count < 3) {
        return 1;
    }
    int room = node_count + 3; // join_ends adds three
    CordVec3* y = memory_array(m, CordVec3, room);
    if (!y) {
        return -1;
    }
    int64_t determinant = 1;
    if (fit(x, node_count, closed, y)) {
        closed = closed || !differ(y[0], y[node_count - 1]);
        int n = drop_repeated(y, node_count, closed);
        n = closed || n < 2 ? n : join_ends(y, n);
        determinant = closed_determinant(m, y, n);
    }
    memory_array_free(m, y, room);
    return determinant;
}

int64_t cord_polygon_knot(const CordVec3* x, int node_count, bool closed)
{
    Memory heap;
    memory_init(&heap, (CordAllocator){0});
    return knot_determinant(&heap, x, node_count, closed);
}
