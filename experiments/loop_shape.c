#include "loop_shape.h"

#include <cordage/math.h>

// Of the circle that touches the two edges at a node.
double loop_curvature(const CordVec3* x, int node)
{
    CordVec3 a = cord_vec3_sub(x[node], x[node - 1]), b = cord_vec3_sub(x[node + 1], x[node]);
    double angle = atan2(cord_vec3_length(cord_vec3_cross(a, b)), cord_vec3_dot(a, b));
    return 4.0 * tan(0.5 * angle) / (cord_vec3_length(a) + cord_vec3_length(b));
}

int loop_apex(const CordVec3* x, int nodes)
{
    int apex = nodes / 2;
    for (int i = nodes / 4; i < nodes - nodes / 4; i++) {
        apex = loop_curvature(x, i) > loop_curvature(x, apex) * (1.0 + 1e-9) ? i : apex;
    }
    return apex;
}

typedef struct Flat {
    double x, up;
} Flat;

static Flat flat_edge(const CordVec3* x, int from, int to, CordVec3 up)
{
    CordVec3 e = cord_vec3_sub(x[to], x[from]);
    return (Flat){e.x, up.y * e.y + up.z * e.z};
}

static double cross(Flat a, Flat b)
{
    return a.x * b.up - a.up * b.x;
}

bool loop_crosses(const CordVec3* x, int apex, int edge, int other)
{
    CordVec3 up = cord_vec3_sub(x[apex], x[0]);
    Flat d = flat_edge(x, edge, edge + 1, up), e = flat_edge(x, other, other + 1, up);
    Flat w = flat_edge(x, edge, other, up);
    double sine = cross(d, e), s = cross(w, e) / sine, t = cross(w, d) / sine;
    return s >= 0.0 && s < 1.0 && t >= 0.0 && t < 1.0;
}

int loop_crossings(const CordVec3* x, int nodes)
{
    int count = 0, apex = loop_apex(x, nodes);
    for (int i = 0; i < nodes - 1; i++) {
        for (int j = i + 2; j < nodes - 1; j++) {
            count += loop_crosses(x, apex, i, j);
        }
    }
    return count;
}
