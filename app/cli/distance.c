#include "distance.h"

#include "heap.h"

#include <cordage/math.h>

#include <math.h>
#include <stdlib.h>

static const double pairs_most = 5e8; // a few seconds

static double clamp01(double s)
{
    return s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
}

// The point of the segment p + s d, s in [0, 1], that is closest to x.
static CordVec3 nearest_on(CordVec3 p, CordVec3 d, CordVec3 x)
{
    double length2 = cord_vec3_dot(d, d);
    return cord_vec3_madd(p, d,
                          length2 > 0.0 ? clamp01(cord_vec3_dot(cord_vec3_sub(x, p), d) / length2) : 0.0);
}

// The closest points lie inside both segments or at an end of one. The ends are tried in any case, which also
// covers parallel and degenerate segments.
double distance_segments(CordVec3 a0, CordVec3 a1, CordVec3 b0, CordVec3 b1)
{
    CordVec3 d = cord_vec3_sub(a1, a0), e = cord_vec3_sub(b1, b0), r = cord_vec3_sub(a0, b0);
    double least2 = INFINITY;
    double a = cord_vec3_dot(d, d), b = cord_vec3_dot(d, e), c = cord_vec3_dot(e, e), f = cord_vec3_dot(d, r),
           g = cord_vec3_dot(e, r);
    double det = a * c - b * b;
    if (det > 0.0) {
        double s = (b * g - c * f) / det, t = (a * g - b * f) / det;
        if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) {
            CordVec3 between = cord_vec3_sub(cord_vec3_madd(a0, d, s), cord_vec3_madd(b0, e, t));
            least2 = cord_vec3_dot(between, between);
        }
    }
    CordVec3 ends[4] = {cord_vec3_sub(a0, nearest_on(b0, e, a0)), cord_vec3_sub(a1, nearest_on(b0, e, a1)),
                        cord_vec3_sub(b0, nearest_on(a0, d, b0)), cord_vec3_sub(b1, nearest_on(a0, d, b1))};
    for (int i = 0; i < 4; i++) {
        least2 = fmin(least2, cord_vec3_dot(ends[i], ends[i]));
    }
    return sqrt(least2);
}

// ---- pairs

typedef struct Edge {
    CordVec3 a, b, middle;
    double half; // half its length [m]
    double arc;  // from the rod's start to the midpoint [m]
    double radius;
    int rod, index;
} Edge;

static void edges_fill(const CordFrame* frame, Edge* edges, double* rod_length)
{
    for (int i = 0; i < frame->rod_count; i++) {
        const CordFrameRod* rod = &frame->rods[i];
        double arc = 0.0;
        for (int k = 0; k < rod->edge_count; k++) {
            int nodes[2];
            cord_frame_ends(frame, i, k, nodes);
            CordVec3 a = frame->x[nodes[0]], b = frame->x[nodes[1]];
            double half = 0.5 * cord_vec3_distance(a, b);
            edges[rod->first_edge + k] = (Edge){.a = a,
                                                .b = b,
                                                .middle = cord_vec3_madd(a, cord_vec3_sub(b, a), 0.5),
                                                .half = half,
                                                .arc = arc + half,
                                                .radius = frame->radius[rod->first_edge + k],
                                                .rod = i,
                                                .index = k};
            arc += 2.0 * half;
        }
        rod_length[i] = arc;
    }
}

// Do two edges of one rod share a node, or are they close only because the rod between them is short?
static bool are_neighbours(const CordFrameRod* rod, double rod_length, const Edge* p, const Edge* q)
{
    int apart = abs(p->index - q->index);
    if (apart == 1 || (rod->closed && apart == rod->edge_count - 1)) {
        return true;
    }
    double way = fabs(p->arc - q->arc);
    way = rod->closed ? fmin(way, rod_length - way) : way;
    CordVec3 between = cord_vec3_sub(p->middle, q->middle);
    return 4.0 * cord_vec3_dot(between, between) >= way * way;
}

// ---- joints

typedef struct Joined {
    int (*rods)[2]; // pairs, the lower index first (count)
    int count;
} Joined;

static bool are_joined(const Joined* joined, int p, int q)
{
    for (int i = 0; i < joined->count; i++) {
        if (joined->rods[i][0] == p && joined->rods[i][1] == q) {
            return true;
        }
    }
    return false;
}

static void joined_add(Joined* joined, int p, int q)
{
    joined->rods = heap_grow(joined->rods, (size_t)joined->count + 1, sizeof *joined->rods);
    joined->rods[joined->count][0] = p;
    joined->rods[joined->count++][1] = q;
}

static bool has_joints(const CordFrame* frame)
{
    for (int i = 0; i < frame->body_count; i++) {
        CordVec3 size = frame->bodies[i].solid.size;
        if (size.x == 0.0 && size.y == 0.0 && size.z == 0.0) {
            return true;
        }
    }
    return false;
}

// A frame does not say which rods a joint connects. They have a point in common, within the tolerance of a
// joint.
static void joined_find(Joined* joined, const CordFrame* frame, const Edge* edges)
{
    const double together = 1e-6; // over the length of the edges
    for (int i = 0; i < frame->edge_count; i++) {
        for (int k = i + 1; k < frame->edge_count; k++) {
            const Edge *p = &edges[i], *q = &edges[k];
            CordVec3 m = cord_vec3_sub(p->middle, q->middle);
            double reach = 1.01 * (p->half + q->half);
            bool shares = p->rod != q->rod && cord_vec3_dot(m, m) < reach * reach &&
                          distance_segments(p->a, p->b, q->a, q->b) < together * (p->half + q->half);
            if (shares && !are_joined(joined, p->rod, q->rod)) {
                joined_add(joined, p->rod, q->rod);
            }
        }
    }
}

// ---- the least

typedef struct Search {
    const CordFrame* frame;
    const double* rod_length; // (rod_count)
    Joined joined;
    Distance least;
} Search;

static void pair_try(Search* s, const Edge* p, const Edge* q)
{
    Distance* least = &s->least;
    // The midpoints less both half lengths bound the distance from below.
    CordVec3 m = cord_vec3_sub(p->middle, q->middle);
    double reach = least->distance + p->half + q->half;
    if (cord_vec3_dot(m, m) >= reach * reach) {
        return;
    }
    if (p->rod == q->rod && are_neighbours(&s->frame->rods[p->rod], s->rod_length[p->rod], p, q)) {
        return;
    }
    double distance = distance_segments(p->a, p->b, q->a, q->b);
    if (distance < least->distance && !are_joined(&s->joined, p->rod, q->rod)) {
        *least = (Distance){.found = true,
                            .distance = distance,
                            .gap = distance - p->radius - q->radius,
                            .rod = {p->rod, q->rod},
                            .edge = {p->index, q->index}};
    }
}

// Pairs of edges, without those within one network.
static double pair_count(const CordFrame* frame)
{
    double count = 0.5 * (double)frame->edge_count * (double)frame->edge_count;
    for (int i = 0; i < frame->rod_count; i++) {
        double edges = (double)frame->rods[i].edge_count;
        count -= frame->rods[i].network ? 0.5 * edges * edges : 0.0;
    }
    return count;
}

Distance distance_least(const CordFrame* frame)
{
    Search s = {.frame = frame, .least = {.distance = INFINITY}};
    if (pair_count(frame) > pairs_most) {
        s.least.skipped = true;
        return s.least;
    }
    Edge* edges = heap_take((size_t)frame->edge_count, sizeof *edges);
    double* rod_length = heap_take((size_t)frame->rod_count, sizeof *rod_length);
    edges_fill(frame, edges, rod_length);
    s.rod_length = rod_length;
    if (has_joints(frame)) {
        joined_find(&s.joined, frame, edges);
    }
    for (int i = 0; i < frame->edge_count; i++) {
        const CordFrameRod* rod = &frame->rods[edges[i].rod];
        for (int k = rod->network ? rod->first_edge + rod->edge_count : i + 1; k < frame->edge_count; k++) {
            pair_try(&s, &edges[i], &edges[k]);
        }
    }
    free(edges);
    free(rod_length);
    free(s.joined.rods);
    return s.least;
}
