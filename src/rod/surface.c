#include "rod/surface.h"

#include "base/real.h"
#include "math/vec3.h"

// Distance from an edge, in its lengths, below which a vertex is on it and follows it alone.
#define ON_EDGE 1e-9

// The reach of the weights is at least this much longer than the shortest distance; otherwise edges at equal
// distances would have no weight.
#define LEAST_REACH 1.001

typedef struct EdgeAxes {
    CordVec3 x0, x1;
    CordVec3 t, m1, m2;
} EdgeAxes;

static void find_ends(const SurfaceRod* rod, int edge, int nodes[2])
{
    bool wraps = edge + 1 == rod->node_count; // the last edge of a ring
    nodes[0] = rod->ends ? rod->ends[2 * edge] : rod->first_node + edge;
    nodes[1] = rod->ends ? rod->ends[2 * edge + 1] : rod->first_node + (wraps ? 0 : edge + 1);
}

// The axes of an edge of no length are chosen perpendicular to its material axis.
static EdgeAxes edge_axes(const SurfaceRod* rod, int edge)
{
    int nodes[2];
    find_ends(rod, edge, nodes);
    EdgeAxes a = {.x0 = rod->x[nodes[0]], .x1 = rod->x[nodes[1]]};
    CordVec3 e = vec3_sub(a.x1, a.x0), m1 = rod->m1[edge];
    double length = vec3_length(e), turned = vec3_length(m1);
    m1 = turned > 0.0 ? vec3_mul(m1, 1.0 / turned) : (CordVec3){1, 0, 0};
    a.t = length > 0.0 ? vec3_mul(e, 1.0 / length) : vec3_any_normal(m1);
    CordVec3 across = vec3_reject(m1, a.t);
    double square = vec3_length(across);
    a.m1 = square > 0.0 ? vec3_mul(across, 1.0 / square) : vec3_any_normal(a.t);
    a.m2 = vec3_cross(a.t, a.m1);
    return a;
}

static CordVec3 edge_point(const EdgeAxes* a, double along) // exactly x0 at 0 and x1 at 1
{
    return vec3_madd(vec3_mul(a->x0, 1.0 - along), a->x1, along);
}

static CordSurfaceTie tie_make(const SurfaceRod* rod, const ClosestEdge* near, double weight, CordVec3 vertex)
{
    EdgeAxes a = edge_axes(rod, near->edge);
    CordVec3 d = vec3_sub(vertex, edge_point(&a, near->along));
    return (CordSurfaceTie){near->edge, weight, near->along,
                            (CordVec3){vec3_dot(d, a.t), vec3_dot(d, a.m1), vec3_dot(d, a.m2)}};
}

static bool is_on(const SurfaceRod* rod, const ClosestEdge* near)
{
    int nodes[2];
    find_ends(rod, near->edge, nodes);
    return near->distance <= ON_EDGE * vec3_length(vec3_sub(rod->x[nodes[1]], rod->x[nodes[0]]));
}

// Franke-Little weights (1/d - 1/D)^2, where d is the distance to the edge and D that to the first edge that
// is not tied. They vanish where another edge takes over, so that neighbouring vertices have similar weights,
// and grow without bound towards the edge. At a node they change from one edge to the next over about the
// distance from the rod; a tube bent there does not turn inside out up to angles of 130 degrees.
void surface_tie(const SurfaceRod* rod, const EdgeBvh* tree, CordVec3 vertex,
                 CordSurfaceTie ties[CORD_SURFACE_TIES])
{
    ClosestEdge near[CORD_SURFACE_TIES + 1];
    int found = edge_bvh_closest(tree, vertex, CORD_SURFACE_TIES + 1, near);
    int count = found < CORD_SURFACE_TIES ? found : CORD_SURFACE_TIES;
    double reach = found > CORD_SURFACE_TIES ? near[CORD_SURFACE_TIES].distance : INFINITY;
    reach = real_max(reach, LEAST_REACH * near[0].distance);
    for (int k = 0; k < CORD_SURFACE_TIES; k++) {
        ties[k] = (CordSurfaceTie){0};
    }
    if (is_on(rod, &near[0])) {
        ties[0] = tie_make(rod, &near[0], 1.0, vertex);
        return;
    }
    double weights[CORD_SURFACE_TIES], sum = 0.0;
    for (int k = 0; k < count; k++) {
        double w = near[0].distance / near[k].distance - near[0].distance / reach;
        weights[k] = w * w;
        sum += weights[k];
    }
    for (int k = 0; k < count && weights[k] > 0.0; k++) {
        ties[k] = tie_make(rod, &near[k], weights[k] / sum, vertex);
    }
}

CordVec3 surface_place(const SurfaceRod* rod, const CordSurfaceTie ties[CORD_SURFACE_TIES])
{
    CordVec3 sum = {0, 0, 0};
    for (int k = 0; k < CORD_SURFACE_TIES && ties[k].weight > 0.0; k++) {
        EdgeAxes a = edge_axes(rod, ties[k].edge);
        CordVec3 p = edge_point(&a, ties[k].along);
        p = vec3_madd(p, a.t, ties[k].offset.x);
        p = vec3_madd(p, a.m1, ties[k].offset.y);
        p = vec3_madd(p, a.m2, ties[k].offset.z);
        sum = vec3_madd(sum, p, ties[k].weight);
    }
    return sum;
}
