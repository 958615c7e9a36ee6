// Curves of rods: a Bezier curve along each edge, and the material frame along the curve.
#include "export/picture.h"

#include "export/geometry.h"
#include "export/tessellation.h"

#include <stdlib.h>

typedef struct Rod { // one rod's nodes and edges, in the frame and in the curves
    const CordFrame* frame;
    const CordFrameRod* rod;
    const PictureCamera* camera;
    PictureEdge* edges; // of this rod
    int index;          // in the frame
} Rod;

static CordVec3 edge_node(const Rod* r, int j, int end) // 0: its start; 1: its end
{
    int nodes[2];
    cord_frame_ends(r->frame, r->index, j, nodes);
    return picture_camera_point(r->camera, picture_skin(r->frame)[nodes[end]]);
}

// An edge of zero length takes its neighbour's direction, so that every edge has a tangent.
static void edges_direct(Rod* r)
{
    CordVec3 t = {1, 0, 0};
    for (int j = 0; j < r->rod->edge_count; j++) { // the first direction, for edges of zero length before it
        CordVec3 e = cord_vec3_sub(edge_node(r, j, 1), edge_node(r, j, 0));
        if (cord_vec3_length(e) > 0) {
            t = cord_vec3_unit_or(e, t);
            break;
        }
    }
    for (int j = 0; j < r->rod->edge_count; j++) {
        PictureEdge* edge = &r->edges[j];
        CordVec3 e = cord_vec3_sub(edge_node(r, j, 1), edge_node(r, j, 0));
        edge->length = cord_vec3_length(e);
        edge->t = t = cord_vec3_unit_or(e, t);
        CordVec3 m1 = r->frame->m1[r->rod->first_edge + j], u, v;
        frame_about(t, &u, &v);
        edge->m1 = cord_vec3_unit_or(cord_vec3_madd(m1, t, -cord_vec3_dot(m1, t)), u);
    }
}

// The edges of a network have no neighbours.
static void edges_join(Rod* r, int first)
{
    int count = r->rod->edge_count;
    for (int j = 0; j < count; j++) {
        PictureEdge* edge = &r->edges[j];
        edge->rod = r->index;
        edge->network = r->rod->network;
        edge->before = j > 0 ? first + j - 1 : r->rod->closed ? first + count - 1 : -1;
        edge->after = j + 1 < count ? first + j + 1 : r->rod->closed ? first : -1;
        if (edge->network) {
            edge->before = edge->after = -1;
        }
    }
}

// Approximately the tangent of the circle through a node and its two neighbours: it divides the turning angle
// between the edges in proportion to their lengths. At an open end it mirrors the other end's tangent, so
// that the curve there is an arc.
static CordVec3 node_tangent(const PictureCurves* c, int before, int after)
{
    const PictureEdge* a = &c->edges[before];
    const PictureEdge* b = &c->edges[after];
    return cord_vec3_unit_or(cord_vec3_madd(cord_vec3_scale(a->t, b->length), b->t, a->length), b->t);
}

static CordVec3 mirrored(CordVec3 tangent, CordVec3 t)
{
    return cord_vec3_madd(cord_vec3_scale(tangent, -1.0), t, 2.0 * cord_vec3_dot(tangent, t));
}

static void edge_tangents(const PictureCurves* c, int j, CordVec3* start, CordVec3* end)
{
    const PictureEdge* edge = &c->edges[j];
    *start = *end = edge->t;
    if (edge->before >= 0) {
        *start = node_tangent(c, edge->before, j);
    }
    if (edge->after >= 0) {
        *end = node_tangent(c, j, edge->after);
    }
    if (edge->before < 0) {
        *start = mirrored(*end, edge->t);
    }
    if (edge->after < 0) {
        *end = mirrored(*start, edge->t);
    }
}

// The length of a handle follows from a quarter of the angle between the tangent and the chord: the nodes of
// a circle then give a circle (with a turn of 90 degrees per edge the error is 3e-4 of the radius).
static double handle_length(const PictureEdge* edge, CordVec3 tangent)
{
    return 2.0 / 3.0 * edge->length / (1.0 + max_of(0.0, cord_vec3_dot(tangent, edge->t)));
}

typedef struct Thickness { // how thick to draw
    double scale;          // metres to units, times the picture's radius_scale
    double least;          // smallest radius per unit of distance from the eye
    const PictureCamera* camera;
} Thickness;

// The edges of a large network are drawn thinner than a single rod has to be; otherwise they would fill the
// space between them.
static double least_radius(const CordPictureDef* def, const CordFrameRod* rod)
{
    const double cover = 0.07; // radius of n edges over the picture's height, times the square root of n
    return rod->network ? min_of(def->least_radius, cover / sqrt((double)rod->edge_count))
                        : def->least_radius;
}

static double thickness_at(const Thickness* k, double radius, CordVec3 x)
{
    double depth = 1.0 + cord_vec3_dot(x, k->camera->forward);
    return max_of(radius * k->scale, k->least * max_of(depth, 0.0));
}

static double edge_radius(const Rod* r, int j)
{
    double radius = r->frame->radius[r->rod->first_edge + j];
    return isfinite(radius) && radius > 0 ? radius : 0;
}

// The tracer misses an edge of zero length, so it gets a length too small to be visible.
static PictureBezier edge_control(const Rod* r, int j, const PictureEdge* edge, const CordVec3 tangents[2],
                                  const double radius[2])
{
    CordVec3 a = edge_node(r, j, 0), b = edge_node(r, j, 1);
    double missing = max_of(0.0, 1e-3 * min_of(radius[0], radius[1]) - edge->length);
    a = cord_vec3_madd(a, edge->t, -0.5 * missing);
    b = cord_vec3_madd(b, edge->t, 0.5 * missing);
    CordVec3 a1 = cord_vec3_madd(a, tangents[0], handle_length(edge, tangents[0]));
    CordVec3 b1 = cord_vec3_madd(b, tangents[1], -handle_length(edge, tangents[1]));
    return (PictureBezier){{a, a1, b1, b}, {radius[0], radius[1]}};
}

static void rod_control(const Rod* r, int first, const Thickness* k, PictureCurves* c)
{
    for (int j = 0; j < r->rod->edge_count; j++) {
        const PictureEdge* edge = &c->edges[first + j];
        double own = edge_radius(r, j);
        double before = edge->before >= 0 ? 0.5 * (own + edge_radius(r, edge->before - first)) : own;
        double after = edge->after >= 0 ? 0.5 * (own + edge_radius(r, edge->after - first)) : own;
        double radius[2] = {thickness_at(k, before, edge_node(r, j, 0)),
                            thickness_at(k, after, edge_node(r, j, 1))};
        CordVec3 tangents[2];
        edge_tangents(c, first + j, &tangents[0], &tangents[1]);
        c->control[first + j] = edge_control(r, j, edge, tangents, radius);
    }
}

// Parallel transport: rotates `a`, at right angles to the unit vector `from`, by the least rotation that
// takes `from` to the unit vector `to`.
static CordVec3 transport(CordVec3 a, CordVec3 from, CordVec3 to)
{
    double c = cord_vec3_dot(from, to);
    if (c < -0.999) { // a hairpin: the axis is arbitrary
        return cord_vec3_unit_or(cord_vec3_madd(a, to, -cord_vec3_dot(a, to)), a);
    }
    CordVec3 w = cord_vec3_cross(from, to);
    return cord_vec3_madd(cord_vec3_add(cord_vec3_scale(a, c), cord_vec3_cross(w, a)), w,
                          cord_vec3_dot(w, a) / (1.0 + c));
}

// The rotation about the tangent of the node between two edges that takes one material frame to the other.
static double edge_turn(const PictureCurves* c, int j)
{
    const PictureEdge* a = &c->edges[j];
    if (a->after < 0) {
        return 0;
    }
    const PictureEdge* b = &c->edges[a->after];
    CordVec3 tangent = node_tangent(c, j, a->after);
    CordVec3 from = transport(a->m1, a->t, tangent), to = transport(b->m1, b->t, tangent);
    return atan2(cord_vec3_dot(to, cord_vec3_cross(tangent, from)), cord_vec3_dot(to, from));
}

// The number of straight pieces: none deviates by a tenth of a pixel, and the corners between them are blunt.
static int edge_pieces(const PictureCurves* c, int j, const PictureCamera* camera)
{
    CordVec3 start, end;
    edge_tangents(c, j, &start, &end);
    double turn =
        2.0 * acos(clamp(min_of(cord_vec3_dot(start, c->edges[j].t), cord_vec3_dot(end, c->edges[j].t)), -1.0,
                         1.0));
    double pixel = 2.0 * camera->half_height / camera->height; // at the target
    double sagitta = c->edges[j].length * turn / 8.0;
    double count = max_of(sqrt(sagitta / (0.1 * pixel)), turn / 0.25);
    return 1 + (int)min_of(count, 31.0);
}

static bool rod_is_valid(const CordFrame* frame, const CordFrameRod* rod)
{
    if (!rod->network) {
        return rod->node_count >= 2 && rod->edge_count == rod->node_count - (rod->closed ? 0 : 1);
    }
    bool whole = rod->edge_count > 0 && frame->ends;
    for (int k = 0; whole && k < 2 * rod->edge_count; k++) {
        int node = frame->ends[2 * rod->first_edge + k] - rod->first_node;
        whole = node >= 0 && node < rod->node_count;
    }
    return whole;
}

static CordResult frame_check(const CordFrame* frame, CordMessage* message)
{
    int edges = 0;
    for (int k = 0; k < frame->rod_count; k++) {
        const CordFrameRod* rod = &frame->rods[k];
        if (!rod_is_valid(frame, rod)) {
            return export_fail(message, CORD_BAD_ARGUMENT,
                               "rod \"%s\" has %d nodes and %d edges, which make no rod", rod->name,
                               rod->node_count, rod->edge_count);
        }
        for (int i = 0; i < rod->node_count; i++) {
            if (!cord_vec3_finite(picture_skin(frame)[rod->first_node + i])) {
                return export_fail(
                    message, CORD_BAD_ARGUMENT,
                    "node %d of rod \"%s\" is not a finite point at t = %g s, so the frame cannot be "
                    "drawn; render an earlier one",
                    i, rod->name, frame->time);
            }
        }
        edges += rod->edge_count;
    }
    if (edges + frame->surface_count == 0) {
        return export_fail(message, CORD_BAD_ARGUMENT, "the frame has no rods, so there is nothing to draw");
    }
    return CORD_OK;
}

static bool curves_alloc(PictureCurves* c, int edge_count)
{
    *c = (PictureCurves){.edge_count = edge_count};
    c->edges = calloc((size_t)edge_count + 1, sizeof *c->edges);
    c->control = calloc((size_t)edge_count + 1, sizeof *c->control);
    return c->edges && c->control;
}

CordResult picture_curves_make(const CordFrame* frame, const CordPictureDef* def, const PictureCamera* camera,
                               PictureCurves* curves, CordMessage* message)
{
    *curves = (PictureCurves){0};
    CordResult result = frame_check(frame, message);
    if (result != CORD_OK) {
        return result;
    }
    int edge_count = 0;
    for (int k = 0; k < frame->rod_count; k++) {
        edge_count += surface_hides(frame, k) ? 0 : frame->rods[k].edge_count;
    }
    if (!curves_alloc(curves, edge_count)) {
        picture_curves_free(curves);
        return export_fail(message, CORD_NO_MEMORY, "no memory for a picture of %d rod elements", edge_count);
    }
    for (int k = 0, first = 0; k < frame->rod_count; k++) {
        Rod r = {frame, &frame->rods[k], camera, &curves->edges[first], k};
        if (!surface_hides(frame, k)) {
            double least = 2.0 * least_radius(def, r.rod) * camera->half_height;
            Thickness thickness = {def->radius_scale / camera->scale, least, camera};
            edges_direct(&r);
            edges_join(&r, first);
            rod_control(&r, first, &thickness, curves);
            first += r.rod->edge_count;
        }
    }
    for (int j = 0; j < edge_count; j++) {
        curves->edges[j].turn = edge_turn(curves, j);
        curves->edges[j].first_piece = curves->piece_count;
        curves->edges[j].pieces = edge_pieces(curves, j, camera);
        curves->piece_count += curves->edges[j].pieces;
    }
    return CORD_OK;
}

void picture_curves_free(PictureCurves* curves)
{
    free(curves->edges);
    free(curves->control);
    *curves = (PictureCurves){0};
}

static CordVec3 bezier(const PictureBezier* b, const double w[4])
{
    CordVec3 x = cord_vec3_madd(cord_vec3_scale(b->x[0], w[0]), b->x[1], w[1]);
    return cord_vec3_madd(cord_vec3_madd(x, b->x[2], w[2]), b->x[3], w[3]);
}

CordVec3 picture_curves_point(const PictureCurves* curves, int edge, double u)
{
    double v = 1.0 - u;
    return bezier(&curves->control[edge],
                  (double[4]){v * v * v, 3.0 * u * v * v, 3.0 * u * u * v, u * u * u});
}

double picture_curves_radius(const PictureCurves* curves, int edge, double u)
{
    const double* r = curves->control[edge].radius;
    return r[0] + u * (r[1] - r[0]);
}

static CordVec3 curve_derivative(const PictureCurves* curves, int edge, double u)
{
    // lengths of the legs of the control polygon
    double v = 1.0 - u, a = 3.0 * v * v, b = 6.0 * u * v, c = 3.0 * u * u;
    return bezier(&curves->control[edge], (double[4]){-a, a - b, b - c, c});
}

CordVec3 picture_curves_tangent(const PictureCurves* curves, int edge, double u)
{
    return cord_vec3_unit_or(curve_derivative(curves, edge, u), curves->edges[edge].t);
}

double picture_curves_nearest(const PictureCurves* curves, int edge, double u, CordVec3 point)
{
    for (int k = 0; k < 4; k++) {
        CordVec3 d = curve_derivative(curves, edge, u);
        double square = cord_vec3_dot(d, d);
        double off = cord_vec3_dot(cord_vec3_sub(point, picture_curves_point(curves, edge, u)), d);
        double better = square > 0 ? clamp(u + off / square, 0.0, 1.0) : u;
        bool close = fabs(better - u) < 0.01; // the next error is this times the turning angle: invisible
        u = better;
        if (close) {
            break;
        }
    }
    return u;
}

CordVec3 picture_curves_m1(const PictureCurves* curves, int edge, double u, CordVec3 tangent)
{
    const PictureEdge* here = &curves->edges[edge];
    CordVec3 a = transport(here->m1, here->t, tangent);
    bool first_half = u < 0.5;
    int other = first_half ? here->before : here->after;
    if (other < 0) {
        return a;
    }
    const PictureEdge* there = &curves->edges[other];
    double lengths = here->length + there->length;
    // share of the way to the neighbour's middle
    double share = lengths > 0 ? 2.0 * fabs(u - 0.5) * here->length / lengths : 0;
    double turn = share * (first_half ? -there->turn : here->turn);
    return cord_vec3_madd(cord_vec3_scale(a, cos(turn)), cord_vec3_cross(tangent, a), sin(turn));
}
