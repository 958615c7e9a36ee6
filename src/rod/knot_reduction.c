// KMT reduction (Koniaris and Muthukumar 1991): a vertex is removed, and its two edges are replaced by one,
// if no other edge passes through the triangle of the three; the knot type does not change. Most rods reduce
// to a few vertices.
#include "base/real.h"
#include "rod/knot.h"
#include "rod/polygon_bvh.h"

#include "math/vec3.h"

#define FEW_ENOUGH 5    // vertices: no polygon of five is knotted
#define LEAST_SHARE 100 // a pass that removes less than 1 / LEAST_SHARE of the vertices is the last

typedef struct Triangle {
    CordVec3 p[3];   // the vertex is p[1]
    CordVec3 normal; // not unit
    double width;    // least height; 0: degenerate, treated as its edges
} Triangle;

typedef struct Reduction {
    CordVec3* x;
    int *before, *after;     // cyclic list of the vertices that are left
    PolygonBvh boxes;        // of the edge after each vertex
    Triangle triangle;       // under test
    int first, vertex, last; // its corners
} Reduction;

// ---- distances

static double point_segment(CordVec3 p, CordVec3 a, CordVec3 b)
{
    CordVec3 d = vec3_sub(b, a), w = vec3_sub(p, a);
    double dd = vec3_dot(d, d);
    double s = dd > 0.0 ? real_min(real_max(vec3_dot(w, d) / dd, 0.0), 1.0) : 0.0;
    return vec3_length(vec3_madd(w, d, -s));
}

// The distance is that of two interior points, which the common normal joins, or of an end.
static double segment_segment(CordVec3 a, CordVec3 b, CordVec3 p, CordVec3 q)
{
    CordVec3 d = vec3_sub(b, a), e = vec3_sub(q, p), w = vec3_sub(p, a), n = vec3_cross(d, e);
    double nn = vec3_dot(n, n);
    double s = vec3_dot(vec3_cross(w, e), n), t = vec3_dot(vec3_cross(w, d), n);
    if (nn > 0.0 && s >= 0.0 && s <= nn && t >= 0.0 && t <= nn) {
        return fabs(vec3_dot(w, n)) / sqrt(nn);
    }
    return real_min(real_min(point_segment(a, p, q), point_segment(b, p, q)),
                    real_min(point_segment(p, a, b), point_segment(q, a, b)));
}

static Triangle triangle_make(CordVec3 a, CordVec3 b, CordVec3 c)
{
    Triangle t = {{a, b, c}, vec3_cross(vec3_sub(b, a), vec3_sub(c, a)), 0.0};
    double longest = real_max(vec3_length(vec3_sub(b, a)),
                              real_max(vec3_length(vec3_sub(c, b)), vec3_length(vec3_sub(a, c))));
    double width = vec3_length(t.normal) / longest;
    t.width = width > KNOT_TOUCH ? width : 0.0;
    return t;
}

static bool above_face(const Triangle* t, CordVec3 p)
{
    for (int k = 0; k < 3; k++) {
        CordVec3 a = t->p[k], b = t->p[(k + 1) % 3];
        if (vec3_dot(vec3_cross(vec3_sub(b, a), vec3_sub(p, a)), t->normal) < 0.0) {
            return false;
        }
    }
    return true;
}

static bool clear_of_point(const Triangle* t, CordVec3 p)
{
    double away = fabs(vec3_dot(t->normal, vec3_sub(p, t->p[0]))),
           touch = KNOT_TOUCH * vec3_length(t->normal);
    if (t->width > 0.0 && (away > touch || above_face(t, p))) {
        return away > touch;
    }
    for (int k = 0; k < 3; k++) {
        if (point_segment(p, t->p[k], t->p[(k + 1) % 3]) <= KNOT_TOUCH) {
            return false;
        }
    }
    return true;
}

// Is the segment farther from the triangle than KNOT_TOUCH? Signs that round-off could change belong to
// segments that touch.
static bool clear_of_segment(const Triangle* t, CordVec3 p, CordVec3 q)
{
    if (t->width > 0.0) {
        double at_p = vec3_dot(t->normal, vec3_sub(p, t->p[0])),
               at_q = vec3_dot(t->normal, vec3_sub(q, t->p[0]));
        double touch = KNOT_TOUCH * vec3_length(t->normal);
        if (real_min(at_p, at_q) > touch || real_max(at_p, at_q) < -touch) {
            return true;
        }
        bool passes = (at_p < 0.0) != (at_q < 0.0);
        if (passes && above_face(t, vec3_madd(p, vec3_sub(q, p), at_p / (at_p - at_q)))) {
            return false;
        }
        if ((fabs(at_p) <= touch && above_face(t, p)) || (fabs(at_q) <= touch && above_face(t, q))) {
            return false;
        }
    }
    for (int k = 0; k < 3; k++) {
        if (segment_segment(t->p[k], t->p[(k + 1) % 3], p, q) <= KNOT_TOUCH) {
            return false;
        }
    }
    return true;
}

// ---- removal

// An edge that shares a corner with the triangle meets it only there, unless its other end lies on it.
static bool edge_is_clear(void* user, int j)
{
    const Reduction* s = user;
    int k = s->after[j];
    if (j == s->vertex || k == s->vertex) {
        return true;
    }
    if (k == s->first || j == s->last) {
        return clear_of_point(&s->triangle, s->x[k == s->first ? j : k]);
    }
    return clear_of_segment(&s->triangle, s->x[j], s->x[k]);
}

static bool can_remove(Reduction* s, int v)
{
    int a = s->before[v], b = s->after[v];
    s->first = a, s->vertex = v, s->last = b;
    s->triangle = triangle_make(s->x[a], s->x[v], s->x[b]);
    if (vec3_length(vec3_sub(s->x[b], s->x[a])) <= KNOT_TOUCH) {
        return false;
    }
    BoundingBox box = bounding_box_of_points(s->triangle.p, 3, KNOT_TOUCH);
    return polygon_bvh_query(&s->boxes, box, edge_is_clear, s);
}

static void remove_vertex(Reduction* s, int v)
{
    int a = s->before[v], b = s->after[v];
    CordVec3 ends[2] = {s->x[a], s->x[b]};
    s->after[a] = b;
    s->before[b] = a;
    s->after[v] = -1;
    polygon_bvh_set_leaf(&s->boxes, v, bounding_box_empty());
    polygon_bvh_set_leaf(&s->boxes, a, bounding_box_of_points(ends, 2, 0.0));
}

static void link_vertices(Reduction* s, int count)
{
    for (int i = 0; i < count; i++) {
        s->before[i] = i > 0 ? i - 1 : count - 1;
        s->after[i] = i + 1 < count ? i + 1 : 0;
    }
    polygon_bvh_fit(&s->boxes, s->x, count);
}

// One pass around. The vertex after a removed one stays, so that edges grow evenly. Returns how many are
// left.
static int pass_over(Reduction* s, int count)
{
    link_vertices(s, count);
    int left = count;
    for (int v = 0; v < count && left > FEW_ENOUGH; v++) {
        if (can_remove(s, v)) {
            remove_vertex(s, v);
            left--;
            v++;
        }
    }
    for (int i = 0, kept = 0; i < count; i++) {
        if (s->after[i] >= 0) {
            s->x[kept++] = s->x[i];
        }
    }
    return left;
}

static bool reduction_create(Memory* m, Reduction* s, CordVec3* x, int count)
{
    *s = (Reduction){.x = x, .before = memory_array(m, int, count), .after = memory_array(m, int, count)};
    return polygon_bvh_create(m, &s->boxes, count) && s->before && s->after;
}

static void reduction_destroy(Memory* m, Reduction* s, int count)
{
    polygon_bvh_destroy(m, &s->boxes);
    memory_array_free(m, s->after, count);
    memory_array_free(m, s->before, count);
}

int knot_reduce(Memory* m, CordVec3* x, int count)
{
    if (count <= FEW_ENOUGH) {
        return count;
    }
    Reduction s;
    int room_count = count, left = -1;
    if (reduction_create(m, &s, x, count)) {
        for (left = pass_over(&s, count); left > FEW_ENOUGH && count - left > left / LEAST_SHARE;) {
            count = left;
            left = pass_over(&s, count);
        }
    }
    reduction_destroy(m, &s, room_count);
    return left;
}

// ---- coarse polygons

static void link_curves(Reduction* s, const KnotCurve* curves, int curve_count, int count)
{
    link_vertices(s, count);
    for (int k = 0, first = 0; k < curve_count; first += curves[k].count, k++) {
        int last = first + curves[k].count - 1;
        CordVec3 ends[2] = {s->x[last], s->x[first]};
        s->after[last] = curves[k].closed ? first : -1;
        s->before[first] = curves[k].closed ? last : -1;
        polygon_bvh_set_leaf(&s->boxes, last,
                             curves[k].closed ? bounding_box_of_points(ends, 2, 0.0) : bounding_box_empty());
    }
}

bool knot_coarsen(Memory* m, CordVec3* x, const KnotCurve* curves, int curve_count, bool* kept)
{
    int count = 0;
    for (int k = 0; k < curve_count; k++) {
        count += curves[k].count;
    }
    Reduction s;
    bool room = reduction_create(m, &s, x, count);
    *kept = room;
    if (room) {
        link_curves(&s, curves, curve_count, count);
    }
    for (int k = 0, first = 0; k < curve_count && *kept; first += curves[k].count, k++) {
        for (int i = 0; i < curves[k].count && *kept; i++) {
            *kept = i % curves[k].stays == 0 || can_remove(&s, first + i);
            if (*kept && i % curves[k].stays != 0) {
                remove_vertex(&s, first + i);
            }
        }
    }
    reduction_destroy(m, &s, count);
    return room;
}
