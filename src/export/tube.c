#include "export/tube.h"

#include "export/picture.h"
#include "export/picture_math.h"
#include "export/section.h"

#include <stdlib.h>

static void ring_fill(Tube* tube, int ring, CordVec3 center, SectionAxes axes, double radius)
{
    CordVec3 m2 = pv_cross(axes.t, axes.m1);
    tube->center[ring] = center;
    tube->t[ring] = axes.t;
    for (int k = 0; k < tube->sides; k++) {
        double angle = 2.0 * PICTURE_PI * k / tube->sides;
        CordVec3 n = pv_madd(pv_mul(axes.m1, cos(angle)), m2, sin(angle));
        tube->normal[ring * tube->sides + k] = n;
        tube->x[ring * tube->sides + k] = pv_madd(center, n, radius);
    }
}

// A ring stands half way between the two edges of its node: in direction, in turn, and in radius.
static void ring_make(Tube* tube, const CordFrame* frame, const CordFrameRod* rod, int ring)
{
    const double* radii = frame->radius + rod->first_edge;
    double radius = 0.5 * (radii[section_edge_before(rod, ring)] + radii[section_edge_after(rod, ring)]);
    ring_fill(tube, ring, picture_skin(frame)[rod->first_node + ring], section_of_node(frame, rod, ring), radius);
}

static void tube_fill(Tube* tube, const CordFrame* frame, const CordFrameRod* rod)
{
    double length = 0.0, radii = 0.0;
    for (int i = 0; i < tube->ring_count; i++) {
        ring_make(tube, frame, rod, i);
    }
    tube->along[0] = 0.0;
    for (int j = 0; j < rod->edge_count; j++) {
        length += section_edge_length(frame, rod, j);
        radii += frame->radius[rod->first_edge + j];
        tube->along[j + 1] = length;
    }
    double circumference = 2.0 * PICTURE_PI * radii / rod->edge_count;
    for (int j = 0; j <= rod->edge_count; j++) {
        tube->along[j] = circumference > 0.0 ? tube->along[j] / circumference : 0.0;
    }
}

static bool tube_alloc(Tube* tube, int ring_count, int sides, bool closed)
{
    size_t rings = (size_t)ring_count, points = rings * (size_t)sides;
    *tube = (Tube){.ring_count = ring_count, .sides = sides, .closed = closed};
    tube->x = calloc(points, sizeof *tube->x);
    tube->normal = calloc(points, sizeof *tube->normal);
    tube->center = calloc(rings, sizeof *tube->center);
    tube->t = calloc(rings, sizeof *tube->t);
    tube->along = calloc(rings + 1, sizeof *tube->along);
    if (!tube->x || !tube->normal || !tube->center || !tube->t || !tube->along) {
        tube_free(tube);
        return false;
    }
    return true;
}

bool tube_make(Tube* tube, const CordFrame* frame, int rod, int sides)
{
    const CordFrameRod* r = &frame->rods[rod];
    if (!tube_alloc(tube, r->node_count, sides, r->closed)) {
        return false;
    }
    tube_fill(tube, frame, r);
    return true;
}

bool tube_make_edge(Tube* tube, const CordFrame* frame, int rod, int edge, int sides)
{
    const CordFrameRod* r = &frame->rods[rod];
    double radius = frame->radius[r->first_edge + edge], circumference = 2.0 * PICTURE_PI * radius;
    int nodes[2];
    if (!tube_alloc(tube, 2, sides, false)) {
        return false;
    }
    cord_frame_ends(frame, rod, edge, nodes);
    SectionAxes axes = section_of_edge(frame, r, edge);
    for (int ring = 0; ring < 2; ring++) {
        ring_fill(tube, ring, picture_skin(frame)[nodes[ring]], axes, radius);
    }
    tube->along[1] = circumference > 0.0 ? section_edge_length(frame, r, edge) / circumference : 0.0;
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
