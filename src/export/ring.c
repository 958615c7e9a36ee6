#include "export/ring.h"

#include "export/picture_math.h"
#include "export/surface.h"

#include <cordage/adapt.h>

#include <stdlib.h>
#include <string.h>

// From one ring to the next: straight walls lose 1 - cos(twist / 2) of their width on the way.
static const double twist_most = 40.0 * PICTURE_PI / 180.0;
static const double bend_most = 15.0 * PICTURE_PI / 180.0;
enum { PIECES_MOST = 8 }; // of an edge

static const double arc_alike = 1e-9; // nodes as near as this, of the rod's length, are at one place of it

CordResult ring_curves(const CordFrame* frame, PictureCurves* curves, CordMessage* message)
{
    const CordPictureDef def = {.radius_scale = 1.0};
    const PictureView metres = {.scale = 1.0, .half_height = 1.0, .height = 1};
    bool seen = false;
    *curves = (PictureCurves){0};
    for (int r = 0; r < frame->rod_count; r++) {
        seen = seen || !surface_hides(frame, r);
    }
    return seen ? picture_curves_make(frame, &def, &metres, curves, message) : CORD_OK;
}

// ---------------------------------------------------------------------------------------------------- places of adaptive rods

static double length_at_rest(const RodRings* rings, const CordFrame* frame)
{
    const CordFrameRod* rod = &frame->rods[rings->rod];
    const double* arc = frame->arc + rod->first_node;
    double last = arc[rod->node_count - 1];
    if (!rod->closed) {
        return last;
    }
    // How long the edge that closes it is at rest is not in the frame; any length will do that is longer than where its rings are.
    CordVec3 back = pv_sub(frame->x[rod->first_node], frame->x[rod->first_node + rod->node_count - 1]);
    return last + pv_length(back);
}

// Where a node of a frame is, in the arcs of the first one. They are the same in every recording.
static double node_arc(const RodRings* rings, const CordFrame* frame, int node)
{
    const CordFrameRod* rod = &frame->rods[rings->rod];
    const double* arc = frame->arc + rod->first_node;
    double last = arc[rod->node_count - 1];
    return rod->closed || last == rings->length ? arc[node] : arc[node] * (rings->length / last);
}

static int arc_find(const RodRings* rings, double arc) // the first that is not before it
{
    int low = 0, high = rings->count;
    double slack = arc_alike * rings->length;
    while (low < high) {
        int middle = (low + high) / 2;
        if (rings->arc[middle] < arc - slack) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool arc_add(RodRings* rings, double arc)
{
    int at = arc_find(rings, arc);
    if (at < rings->count && rings->arc[at] <= arc + arc_alike * rings->length) {
        return true;
    }
    if (rings->count == rings->arc_capacity) {
        int capacity = 2 * rings->arc_capacity + 64;
        double* grown = realloc(rings->arc, (size_t)capacity * sizeof *grown);
        if (!grown) {
            return false;
        }
        rings->arc = grown;
        rings->arc_capacity = capacity;
    }
    memmove(rings->arc + at + 1, rings->arc + at, (size_t)(rings->count - at) * sizeof *rings->arc);
    rings->arc[at] = arc;
    rings->count++;
    return true;
}

// ---------------------------------------------------------------------------------------------------- looking at frames

static CordResult no_memory(const CordFrameRod* rod, CordMessage* message)
{
    return export_fail(message, CORD_NO_MEMORY, "there is not enough memory for rod \"%s\"", rod->name);
}

CordResult rod_rings_begin(RodRings* rings, const CordFrame* frame, int rod, CordMessage* message)
{
    const CordFrameRod* r = &frame->rods[rod];
    *rings = (RodRings){.rod = rod,
                        .hidden = surface_hides(frame, rod),
                        .network = r->network,
                        .closed = r->closed,
                        .adaptive = frame->arc && frame->adapt && frame->adapt[rod].made_with > 0,
                        .nodes = r->node_count,
                        .edges = r->edge_count};
    rings->length = rings->adaptive ? length_at_rest(rings, frame) : 0.0;
    rings->pieces = calloc((size_t)rings->edges + 1, sizeof *rings->pieces);
    rings->at_node = calloc((size_t)rings->edges + 1, sizeof *rings->at_node);
    return rings->pieces && rings->at_node ? CORD_OK : no_memory(r, message);
}

static int edge_pieces(const PictureCurves* curves, int edge)
{
    const PictureEdge* e = &curves->edges[edge];
    CordVec3 from = picture_curves_tangent(curves, edge, 0.0), to = picture_curves_tangent(curves, edge, 1.0);
    double bend = atan2(pv_length(pv_cross(from, to)), pv_dot(from, to));
    double twist = pv_max(fabs(e->turn), e->before >= 0 ? fabs(curves->edges[e->before].turn) : 0.0);
    double pieces = ceil(pv_max(bend / bend_most, twist / twist_most));
    return (int)pv_clamp(pieces, 1.0, PIECES_MOST);
}

static CordResult see_chain(RodRings* rings, const CordFrame* frame, const PictureCurves* curves, CordMessage* message)
{
    const CordFrameRod* rod = &frame->rods[rings->rod];
    if (rod->node_count != rings->nodes || rod->edge_count != rings->edges) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "rod \"%s\" has %d nodes at first and %d at t = %g s, and which is which is not known; "
                           "choose frames in which it has the same ones, with --frames",
                           rod->name, rings->nodes, rod->node_count, frame->time);
    }
    for (int j = 0; !rings->network && j < rings->edges; j++) {
        int pieces = edge_pieces(curves, rings->first_edge + j);
        rings->pieces[j] = pieces > rings->pieces[j] ? pieces : rings->pieces[j];
    }
    return CORD_OK;
}

static CordResult see_adaptive(RodRings* rings, const CordFrame* frame, CordMessage* message)
{
    const CordFrameRod* rod = &frame->rods[rings->rod];
    bool room = true;
    if (rod->closed) {
        rings->length = pv_max(rings->length, length_at_rest(rings, frame));
    }
    for (int i = 0; room && i < rod->node_count; i++) {
        room = arc_add(rings, node_arc(rings, frame, i));
    }
    return room ? CORD_OK : no_memory(rod, message);
}

CordResult rod_rings_see(RodRings* rings, const CordFrame* frame, const PictureCurves* curves, CordMessage* message)
{
    return rings->hidden     ? CORD_OK
           : rings->adaptive ? see_adaptive(rings, frame, message)
                             : see_chain(rings, frame, curves, message);
}

void rod_rings_settle(RodRings* rings)
{
    if (rings->hidden || rings->adaptive) {
        return;
    }
    for (int j = 0; j < rings->edges; j++) {
        rings->at_node[j + 1] = rings->at_node[j] + rings->pieces[j];
    }
    rings->count = rings->network ? 2 * rings->edges : rings->at_node[rings->edges] + (rings->closed ? 0 : 1);
}

void rod_rings_free(RodRings* rings)
{
    free(rings->pieces);
    free(rings->at_node);
    free(rings->arc);
    *rings = (RodRings){0};
}

// ---------------------------------------------------------------------------------------------------- rings

static Ring ring_at(const PictureCurves* curves, int edge, double u)
{
    CordVec3 t = picture_curves_tangent(curves, edge, u), x, y;
    pv_frame(t, &x, &y);
    CordVec3 m1 = picture_curves_m1(curves, edge, u, t);
    m1 = pv_unit_or(pv_madd(m1, t, -pv_dot(m1, t)), x);
    return (Ring){picture_curves_point(curves, edge, u), m1, pv_cross(t, m1), t,
                  picture_curves_radius(curves, edge, u)};
}

static void fill_adaptive(const RodRings* rings, const CordFrame* frame, const PictureCurves* curves, Ring* list)
{
    const CordFrameRod* rod = &frame->rods[rings->rod];
    double slack = arc_alike * rings->length;
    for (int k = 0, j = 0; k < rings->count; k++) {
        double at = rings->arc[k];
        while (j + 1 < rod->edge_count && node_arc(rings, frame, j + 1) <= at + slack) {
            j++;
        }
        double start = node_arc(rings, frame, j);
        double end = j + 1 < rod->node_count ? node_arc(rings, frame, j + 1) : rings->length;
        double u = fabs(at - start) <= slack ? 0.0
                   : fabs(end - at) <= slack ? 1.0
                                             : (at - start) / (end - start);
        list[k] = ring_at(curves, rings->first_edge + j, pv_clamp(u, 0.0, 1.0));
    }
}

static void fill_chain(const RodRings* rings, const PictureCurves* curves, Ring* list)
{
    for (int j = 0; j < rings->edges; j++) {
        for (int k = 0; k < rings->pieces[j]; k++) {
            *list++ = ring_at(curves, rings->first_edge + j, (double)k / rings->pieces[j]);
        }
    }
    if (!rings->closed) {
        *list = ring_at(curves, rings->first_edge + rings->edges - 1, 1.0);
    }
}

void rod_rings_fill(const RodRings* rings, const CordFrame* frame, const PictureCurves* curves, Ring* list)
{
    if (rings->hidden) {
        return;
    }
    if (rings->adaptive) {
        fill_adaptive(rings, frame, curves, list);
    } else if (!rings->network) {
        fill_chain(rings, curves, list);
    }
    for (int k = 0; rings->network && k < rings->count; k++) {
        list[k] = ring_at(curves, rings->first_edge + k / 2, k % 2);
    }
}

int rod_rings_node(const RodRings* rings, int ring)
{
    int low = 0, high = rings->edges;
    if (rings->network || rings->adaptive) {
        return -1;
    }
    while (low < high) { // the first node that is not before it
        int middle = (low + high) / 2;
        if (rings->at_node[middle] < ring) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return rings->at_node[low] == ring ? low : -1;
}
