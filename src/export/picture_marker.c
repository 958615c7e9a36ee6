// Markers on the nodes of rods: black for nodes that the rod was made with, white for nodes of refined
// elements.
#include "export/picture.h"

#include "export/geometry.h"
#include "export/tessellation.h"

#include <stdlib.h>
#include <string.h>

static const double wide = 0.42;    // radius as a share of the rod's
static const double least = 0.0055; // but at least this share of the picture's height
static const double apart = 0.49;   // and at most this share of the distance to a neighbour
static const double dot = 0.0025;   // unless that makes it invisible, as a share of the picture's height

typedef struct NodeLook { // how a node is drawn
    CordVec3 x, t;        // position, and tangent of the rod
    double radius;        // of the rod there
    double near;          // distance of the nearer neighbour
} NodeLook;

static NodeLook node_look(const PictureCurves* curves, int before, int after) // -1: no such edge
{
    bool starts = after >= 0;
    int edge = starts ? after : before;
    const PictureBezier* b = &curves->control[edge];
    double behind = before >= 0 ? curves->edges[before].length : INFINITY;
    return (NodeLook){.x = b->x[starts ? 0 : 3],
                      .t = picture_curves_tangent(curves, edge, starts ? 0.0 : 1.0),
                      .radius = b->radius[starts ? 0 : 1],
                      .near = min_of(behind, starts ? curves->edges[after].length : INFINITY)};
}

// The marker is on the tube where the node's section is nearest to the eye.
static PictureSolid marker_make(const PictureCamera* camera, const NodeLook* node, bool white)
{
    PictureSolid b = {.solid.shape = CORD_SOLID_SPHERE, .marker = white ? MARKER_WHITE : MARKER_BLACK};
    CordVec3 eye = cord_vec3_scale(camera->forward, -1.0),
             to_eye = cord_vec3_unit_or(cord_vec3_sub(eye, node->x), eye);
    double depth = max_of(cord_vec3_dot(cord_vec3_sub(node->x, eye), camera->forward), 0.0);
    double height = 2.0 * camera->half_height * depth; // of the picture at that distance
    double radius = min_of(max_of(wide * node->radius, least * height), apart * node->near);
    radius = max_of(radius, dot * height);
    CordVec3 out =
        cord_vec3_unit_or(cord_vec3_madd(to_eye, node->t, -cord_vec3_dot(to_eye, node->t)), to_eye);
    b.axes[2] = to_eye; // the rim is around this axis
    frame_about(b.axes[2], &b.axes[0], &b.axes[1]);
    b.center = cord_vec3_madd(node->x, out, node->radius);
    b.solid.size.x = radius;
    b.low = cord_vec3_sub(b.center, (CordVec3){radius, radius, radius});
    b.high = cord_vec3_add(b.center, (CordVec3){radius, radius, radius});
    return b;
}

// A joint of a network is a sphere as thick as its thickest edge. Its marker is where the sphere faces the
// eye.
static bool network_markers(const CordFrame* frame, int index, int first, const PictureCurves* curves,
                            const PictureCamera* camera, PictureSolid* list)
{
    const CordFrameRod* rod = &frame->rods[index];
    NodeLook* nodes = calloc((size_t)rod->node_count + 1, sizeof *nodes);
    for (int k = 0; nodes && k < 2 * rod->edge_count; k++) {
        int ends[2], edge = first + k / 2;
        cord_frame_ends(frame, index, k / 2, ends);
        NodeLook* node = &nodes[ends[k % 2] - rod->first_node];
        double length = curves->edges[edge].length;
        node->near = node->radius > 0 ? min_of(node->near, length) : length;
        node->radius = max_of(node->radius, curves->control[edge].radius[k % 2]);
    }
    for (int i = 0; nodes && i < rod->node_count; i++) {
        nodes[i].x = picture_camera_point(camera, picture_skin(frame)[rod->first_node + i]);
        list[i] = marker_make(camera, &nodes[i], false);
    }
    free(nodes);
    return nodes != NULL;
}

static bool rod_markers(const CordFrame* frame, int index, int first, const PictureCurves* curves,
                        const PictureCamera* camera, PictureSolid* list)
{
    const CordFrameRod* rod = &frame->rods[index];
    for (int i = 0; i < rod->node_count; i++) {
        int before = i > 0 ? first + i - 1 : rod->closed ? first + rod->edge_count - 1 : -1;
        int after = i < rod->edge_count ? first + i : -1;
        NodeLook node = node_look(curves, before, after);
        list[i] = marker_make(camera, &node, frame->level && frame->level[rod->first_node + i] > 0);
    }
    return true;
}

CordResult picture_markers_make(const CordFrame* frame, const PictureCurves* curves,
                                const PictureCamera* camera, PictureSolids* bodies, CordMessage* message)
{
    int count = 0;
    for (int k = 0; k < frame->rod_count; k++) {
        count += surface_hides(frame, k) ? 0 : frame->rods[k].node_count;
    }
    size_t all = (size_t)bodies->count + (size_t)count, rest = (size_t)(bodies->count - bodies->exact_count);
    PictureSolid* list = realloc(bodies->list, (all + 1) * sizeof *list);
    if (!list) {
        return export_fail(message, CORD_NO_MEMORY, "no memory for a picture of %d nodes", count);
    }
    PictureSolid* at = list + bodies->exact_count;
    memmove(at + count, at, rest * sizeof *list); // the solids that have no equation
    bool good = true;
    for (int k = 0, first = 0; good && k < frame->rod_count; k++) {
        const CordFrameRod* rod = &frame->rods[k];
        if (!surface_hides(frame, k)) {
            good = (rod->network ? network_markers : rod_markers)(frame, k, first, curves, camera, at);
            at += rod->node_count;
            first += rod->edge_count;
        }
    }
    bodies->list = list;
    bodies->count += count;
    bodies->exact_count += count;
    return good ? CORD_OK
                : export_fail(message, CORD_NO_MEMORY, "no memory for a picture of %d nodes", count);
}
