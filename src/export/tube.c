#include "export/tube.h"

#include "export/picture_math.h"

#include <stdlib.h>

typedef struct Edge { // one edge, as the rings beside it need it
    CordVec3 t, m1;
    double length, radius;
} Edge;

static Edge edge_at(const CordFrame* frame, const CordFrameRod* rod, int j)
{
    CordVec3 a = frame->x[rod->first_node + j];
    CordVec3 b = frame->x[rod->first_node + (j + 1) % rod->node_count];
    CordVec3 e = pv_sub(b, a);
    CordVec3 m1 = frame->m1[rod->first_edge + j];
    CordVec3 u, v;
    pv_frame(pv_unit_or(m1, (CordVec3){1, 0, 0}), &u, &v);
    return (Edge){
        .t = pv_unit_or(e, u), // an edge without length points anywhere at right angles to its frame
        .m1 = m1,
        .length = pv_length(e),
        .radius = frame->radius[rod->first_edge + j],
    };
}

// Parallel transport from the unit vector a to the unit vector b; opposite ones leave v as it is.
static CordVec3 transport(CordVec3 v, CordVec3 a, CordVec3 b)
{
    double c = pv_dot(a, b);
    if (1.0 + c < 1e-12) {
        return v;
    }
    CordVec3 w = pv_cross(a, b);
    CordVec3 turned = pv_madd(pv_cross(w, v), v, c);
    return pv_madd(turned, w, pv_dot(w, v) / (1.0 + c));
}

static CordVec3 reject(CordVec3 v, CordVec3 t)
{
    return pv_madd(v, t, -pv_dot(v, t));
}

// The ring at a node stands half way between its two edges: in direction, in turn, and in radius.
static void ring_make(Tube* tube, int ring, CordVec3 center, Edge before, Edge after)
{
    CordVec3 t = pv_unit_or(pv_add(before.t, after.t), before.t);
    CordVec3 u, v;
    pv_frame(t, &u, &v);
    CordVec3 first = transport(before.m1, before.t, t), second = transport(after.m1, after.t, t);
    CordVec3 m1 = pv_unit_or(reject(first, t), u);
    CordVec3 mean = reject(pv_add(first, second), t);
    if (pv_length(mean) > 1e-6) { // else the two are opposite and neither way round is the right one
        m1 = pv_unit_or(mean, u);
    }
    CordVec3 m2 = pv_cross(t, m1);
    double radius = 0.5 * (before.radius + after.radius);
    tube->center[ring] = center;
    tube->t[ring] = t;
    for (int k = 0; k < tube->sides; k++) {
        double angle = 2.0 * PICTURE_PI * k / tube->sides;
        CordVec3 n = pv_madd(pv_mul(m1, cos(angle)), m2, sin(angle));
        tube->normal[ring * tube->sides + k] = n;
        tube->x[ring * tube->sides + k] = pv_madd(center, n, radius);
    }
}

static void tube_fill(Tube* tube, const CordFrame* frame, const CordFrameRod* rod)
{
    int edges = rod->edge_count;
    double length = 0.0, radii = 0.0;
    for (int i = 0; i < tube->ring_count; i++) {
        int after = i < edges ? i : edges - 1;
        int before = i > 0 ? i - 1 : rod->closed ? edges - 1 : 0;
        ring_make(tube, i, frame->x[rod->first_node + i], edge_at(frame, rod, before), edge_at(frame, rod, after));
    }
    tube->along[0] = 0.0;
    for (int j = 0; j < edges; j++) {
        Edge edge = edge_at(frame, rod, j);
        length += edge.length;
        radii += edge.radius;
        tube->along[j + 1] = length;
    }
    double circumference = 2.0 * PICTURE_PI * radii / edges;
    for (int j = 0; j <= edges; j++) {
        tube->along[j] = circumference > 0.0 ? tube->along[j] / circumference : 0.0;
    }
}

bool tube_make(Tube* tube, const CordFrame* frame, int rod, int sides)
{
    const CordFrameRod* r = &frame->rods[rod];
    size_t rings = (size_t)r->node_count, points = rings * (size_t)sides;
    *tube = (Tube){.ring_count = r->node_count, .sides = sides, .closed = r->closed};
    tube->x = calloc(points, sizeof *tube->x);
    tube->normal = calloc(points, sizeof *tube->normal);
    tube->center = calloc(rings, sizeof *tube->center);
    tube->t = calloc(rings, sizeof *tube->t);
    tube->along = calloc(rings + 1, sizeof *tube->along);
    if (!tube->x || !tube->normal || !tube->center || !tube->t || !tube->along) {
        tube_free(tube);
        return false;
    }
    tube_fill(tube, frame, r);
    return true;
}

void tube_free(Tube* tube)
{
    free(tube->x);
    free(tube->normal);
    free(tube->center);
    free(tube->t);
    free(tube->along);
    *tube = (Tube){0};
}
