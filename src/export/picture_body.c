// Rigid bodies and obstacles in a picture: exact shapes, met by rays in their own axes. Most of them are convex, so a ray is
// inside from one distance to another.
#include "export/picture.h"

#include "export/picture_math.h"
#include "export/solid.h"

#include <stdlib.h>

typedef struct Span { // inside from here to there along a ray; empty if enter > leave
    double enter, leave;
} Span;

static const double bullet_face = 0.55; // cosine of where its rim begins

static const Span nowhere = {INFINITY, -INFINITY};

static Span span_both(Span a, Span b)
{
    return (Span){pv_max(a.enter, b.enter), pv_min(a.leave, b.leave)};
}

static Span span_either(Span a, Span b) // two that overlap, or of which one is empty
{
    return (Span){pv_min(a.enter, b.enter), pv_max(a.leave, b.leave)};
}

static Span slab_span(double from, double direction, double half)
{
    if (direction == 0) {
        return fabs(from) <= half ? (Span){-INFINITY, INFINITY} : nowhere;
    }
    double a = (-half - from) / direction, b = (half - from) / direction;
    return (Span){pv_min(a, b), pv_max(a, b)};
}

// Where |a + s d|^2 <= radius^2, for vectors of which only products are given: a.a, a.d and d.d.
static Span round_span(double aa, double ad, double dd, double radius)
{
    if (dd == 0) {
        return aa <= radius * radius ? (Span){-INFINITY, INFINITY} : nowhere;
    }
    double middle = -ad / dd, square = middle * middle - (aa - radius * radius) / dd;
    if (square < 0) {
        return nowhere;
    }
    double half = sqrt(square);
    return (Span){middle - half, middle + half};
}

static Span ball_span(CordVec3 from, CordVec3 direction, double z, double radius)
{
    CordVec3 a = {from.x, from.y, from.z - z};
    return round_span(pv_dot(a, a), pv_dot(a, direction), pv_dot(direction, direction), radius);
}

static Span drum_span(CordVec3 a, CordVec3 d, double radius, double half)
{
    Span across = round_span(a.x * a.x + a.y * a.y, a.x * d.x + a.y * d.y, d.x * d.x + d.y * d.y, radius);
    return span_both(across, slab_span(a.z, d.z, half));
}

static Span body_span(const PictureBody* b, CordVec3 a, CordVec3 d) // of a convex one
{
    switch (b->shape) {
    case CORD_OBSTACLE_SPHERE: return ball_span(a, d, 0, b->half.x);
    case CORD_OBSTACLE_BOX:
        return span_both(span_both(slab_span(a.x, d.x, b->half.x), slab_span(a.y, d.y, b->half.y)),
                         slab_span(a.z, d.z, b->half.z));
    case CORD_OBSTACLE_CYLINDER: return drum_span(a, d, b->half.x, b->half.z);
    case CORD_OBSTACLE_CAPSULE: {
        Span drum = drum_span(a, d, b->half.x, b->half.z);
        Span span = span_either(ball_span(a, d, -b->half.z, b->half.x), ball_span(a, d, b->half.z, b->half.x));
        return drum.enter <= drum.leave ? span_either(span, drum) : span;
    }
    default: return nowhere;
    }
}

static bool span_meet(Span span, double* distance) // ahead of the ray's start
{
    *distance = span.enter > 0 ? span.enter : span.leave;
    return span.enter <= span.leave && span.leave > 0;
}

// A ray is in the wall of a tube before the hole, or after it, or both.
static bool tube_meet(const PictureBody* b, CordVec3 a, CordVec3 d, double* distance)
{
    Span drum = drum_span(a, d, b->half.x, b->half.z);
    Span hole = round_span(a.x * a.x + a.y * a.y, a.x * d.x + a.y * d.y, d.x * d.x + d.y * d.y, b->half.y);
    if (!(hole.enter <= hole.leave)) {
        return span_meet(drum, distance);
    }
    return span_meet(span_both(drum, (Span){-INFINITY, hole.enter}), distance) ||
           span_meet(span_both(drum, (Span){hole.leave, INFINITY}), distance);
}

static double torus_gap(const PictureBody* b, CordVec3 p) // from its surface; negative inside
{
    double across = sqrt(p.x * p.x + p.y * p.y) - b->half.x;
    return sqrt(across * across + p.z * p.z) - b->half.y;
}

// The distance to a torus is known everywhere, and a ray can go so far without meeting it: step by step. Rays that graze it
// take many steps; one that is still not past it then has met it as nearly as can be seen.
static bool torus_meet(const PictureBody* b, CordVec3 a, CordVec3 d, double* distance)
{
    const double met = 1e-7, nearly = 1e-5;
    Span box = drum_span(a, d, b->half.x + b->half.y, b->half.y);
    double at = pv_max(0.0, box.enter), length = pv_length(d), gap = INFINITY;
    for (int step = 0; step < 300 && at <= box.leave && gap > met; step++) {
        gap = fabs(torus_gap(b, pv_madd(a, d, at)));
        at += gap > met ? gap / length : 0.0;
    }
    *distance = at;
    return at <= box.leave && gap < nearly;
}

// From the front alone: a ray from below comes from inside, where there is no end.
static bool plane_meet(const PictureBody* b, CordVec3 a, CordVec3 d, double* distance)
{
    *distance = a.z / -d.z;
    CordVec3 p = pv_madd(a, d, *distance);
    return a.z > 0 && d.z < 0 && fabs(p.x) <= b->half.x && fabs(p.y) <= b->half.y;
}

bool picture_body_hit(const PictureBody* body, CordVec3 from, CordVec3 direction, double* distance)
{
    CordVec3 a = pv_to_axes(body->axes, pv_sub(from, body->center)), d = pv_to_axes(body->axes, direction);
    switch (body->shape) {
    case CORD_OBSTACLE_PLANE: return plane_meet(body, a, d, distance);
    case CORD_OBSTACLE_TORUS: return torus_meet(body, a, d, distance);
    case CORD_OBSTACLE_TUBE: return tube_meet(body, a, d, distance);
    default: return span_meet(body_span(body, a, d), distance);
    }
}

static CordVec3 box_normal(CordVec3 p, CordVec3 half)
{
    double x = half.x - fabs(p.x), y = half.y - fabs(p.y), z = half.z - fabs(p.z); // below each face
    return x <= y && x <= z ? (CordVec3){copysign(1, p.x), 0, 0}
           : y <= z         ? (CordVec3){0, copysign(1, p.y), 0}
                            : (CordVec3){0, 0, copysign(1, p.z)};
}

static CordVec3 drum_normal(CordVec3 p, CordVec3 half)
{
    if (half.z - fabs(p.z) > half.x - hypot(p.x, p.y)) {
        return pv_unit_or((CordVec3){p.x, p.y, 0}, (CordVec3){0, 0, 1});
    }
    return (CordVec3){0, 0, copysign(1, p.z)};
}

static CordVec3 tube_normal(CordVec3 p, CordVec3 half)
{
    double across = hypot(p.x, p.y);
    double outer = fabs(half.x - across), inner = fabs(half.y - across), rim = fabs(half.z - fabs(p.z));
    if (rim < outer && rim < inner) {
        return (CordVec3){0, 0, copysign(1, p.z)};
    }
    double side = inner < outer ? -1.0 : 1.0;
    return pv_unit_or((CordVec3){side * p.x, side * p.y, 0}, (CordVec3){0, 0, 1});
}

CordVec3 picture_body_normal(const PictureBody* body, CordVec3 point)
{
    CordVec3 p = pv_to_axes(body->axes, pv_sub(point, body->center)), n = {0, 0, 1};
    double along = body->shape == CORD_OBSTACLE_CAPSULE ? pv_clamp(p.z, -body->half.z, body->half.z) : 0;
    switch (body->shape) {
    case CORD_OBSTACLE_BOX: n = box_normal(p, body->half); break;
    case CORD_OBSTACLE_CYLINDER: n = drum_normal(p, body->half); break;
    case CORD_OBSTACLE_TUBE: n = tube_normal(p, body->half); break;
    case CORD_OBSTACLE_TORUS:
        n = pv_madd(p, pv_unit_or((CordVec3){p.x, p.y, 0}, (CordVec3){1, 0, 0}), -body->half.x);
        n = pv_unit_or(n, (CordVec3){0, 0, 1});
        break;
    case CORD_OBSTACLE_SPHERE:
    case CORD_OBSTACLE_CAPSULE: n = pv_unit_or((CordVec3){p.x, p.y, p.z - along}, n); break;
    case CORD_OBSTACLE_PLANE:
    case CORD_OBSTACLE_MESH:
    case CORD_OBSTACLE_SHAPE_COUNT: break;
    }
    return pv_from_axes(body->axes, n);
}

// Quarters around its z axis in turn, and the other way round on a ball's lower half: how a body turns is seen from
// anywhere. A box shows it by its faces; a plane has squares; a bullet has a rim in the other colour, so that it is seen on any.
int picture_body_tone(const PictureBody* body, CordVec3 point)
{
    bool plane = body->shape == CORD_OBSTACLE_PLANE;
    CordVec3 p = pv_to_axes(body->axes, pv_sub(point, plane ? body->corner : body->center));
    if (body->bullet != BULLET_NONE) {
        bool rim = p.z < bullet_face * body->half.x;
        return (body->bullet == BULLET_WHITE) != rim;
    }
    switch (body->shape) {
    case CORD_OBSTACLE_BOX:
    case CORD_OBSTACLE_MESH: return 0;
    case CORD_OBSTACLE_PLANE:
        return fmod(fabs(floor(p.x / body->square) + floor(p.y / body->square)), 2.0) > 0.5;
    default: return (p.x * p.y > 0) != (body->shape == CORD_OBSTACLE_SPHERE && p.z < 0) ? 0 : 1;
    }
}

// Half of what the body needs along each axis of space.
static CordVec3 body_extent(CordObstacleShape shape, const CordVec3 axes[3], CordVec3 half)
{
    if (shape == CORD_OBSTACLE_SPHERE) {
        return (CordVec3){half.x, half.x, half.x};
    }
    const CordVec3 *u = &axes[0], *v = &axes[1], *w = &axes[2];
    if (shape == CORD_OBSTACLE_BOX || shape == CORD_OBSTACLE_PLANE) {
        return (CordVec3){fabs(u->x) * half.x + fabs(v->x) * half.y + fabs(w->x) * half.z,
                          fabs(u->y) * half.x + fabs(v->y) * half.y + fabs(w->y) * half.z,
                          fabs(u->z) * half.x + fabs(v->z) * half.y + fabs(w->z) * half.z};
    }
    bool ball = shape == CORD_OBSTACLE_CAPSULE; // else a disc at right angles to w
    double rx = half.x * (ball ? 1.0 : sqrt(pv_max(0.0, 1.0 - w->x * w->x)));
    double ry = half.x * (ball ? 1.0 : sqrt(pv_max(0.0, 1.0 - w->y * w->y)));
    double rz = half.x * (ball ? 1.0 : sqrt(pv_max(0.0, 1.0 - w->z * w->z)));
    if (shape == CORD_OBSTACLE_TORUS) { // a ball along the rim of the disc
        return (CordVec3){rx + half.y, ry + half.y, rz + half.y};
    }
    return (CordVec3){fabs(w->x) * half.z + rx, fabs(w->y) * half.z + ry, fabs(w->z) * half.z + rz};
}

static CordVec3 body_half(const CordFrameObstacle* solid)
{
    CordVec3 size = solid->size;
    switch (solid->shape) {
    case CORD_OBSTACLE_BOX: return pv_mul(size, 0.5);
    case CORD_OBSTACLE_TORUS: return (CordVec3){size.x, size.y, 0};
    default: return (CordVec3){size.x, size.y, 0.5 * size.z};
    }
}

static bool is_finite(const CordFrameObstacle* solid)
{
    return pv_finite(solid->position) && pv_finite(solid->size);
}

bool picture_body_box(const CordFrameObstacle* solid, CordVec3* low, CordVec3* high)
{
    CordVec3 axes[3];
    if (!solid_is_seen(solid) || !is_finite(solid) || solid->shape == CORD_OBSTACLE_PLANE) {
        return false;
    }
    if (solid->shape == CORD_OBSTACLE_MESH) {
        return picture_obstacle_mesh_box(solid, low, high);
    }
    pv_axes(solid->rotation, axes);
    CordVec3 extent = body_extent(solid->shape, axes, body_half(solid));
    *low = pv_sub(solid->position, extent);
    *high = pv_add(solid->position, extent);
    return true;
}

// ---------------------------------------------------------------------------------------------------- all of a frame

static bool body_make(const CordFrameObstacle* from, bool obstacle, const PictureView* view, PictureBody* to)
{
    *to = (PictureBody){.shape = from->shape, .obstacle = obstacle, .metre = 1.0 / view->scale};
    if (from->shape == CORD_OBSTACLE_PLANE) {
        return picture_obstacle_plane(from, view, to);
    }
    to->center = picture_view_point(view, from->position);
    pv_axes(from->rotation, to->axes);
    to->half = pv_mul(body_half(from), to->metre);
    to->mesh = from->shape == CORD_OBSTACLE_MESH ? from : NULL;
    bool seen = picture_body_box(from, &to->low, &to->high);
    to->low = picture_view_point(view, to->low);
    to->high = picture_view_point(view, to->high);
    return seen;
}

// 0: met by its equation; 1: triangles; 2: a plane.
static int body_class(const CordFrameObstacle* solid)
{
    return solid->shape == CORD_OBSTACLE_PLANE ? 2 : solid->shape == CORD_OBSTACLE_MESH ? 1 : 0;
}

static CordResult bodies_fill(const CordFrame* frame, const PictureView* view, PictureBodies* bodies,
                              int class, CordMessage* message)
{
    for (int i = 0; i < frame->body_count + frame->obstacle_count; i++) {
        bool obstacle = i >= frame->body_count;
        CordFrameObstacle body = obstacle ? (CordFrameObstacle){0} : solid_from_body(&frame->bodies[i]);
        const CordFrameObstacle* solid = obstacle ? &frame->obstacles[i - frame->body_count] : &body;
        if (!is_finite(solid)) {
            return export_fail(message, CORD_BAD_ARGUMENT,
                               "%s \"%s\" is not at a finite point at t = %g s, so the frame cannot be drawn; render "
                               "an earlier one",
                               obstacle ? "obstacle" : "body", solid->name, frame->time);
        }
        if (body_class(solid) == class && body_make(solid, obstacle, view, &bodies->list[bodies->count])) {
            bodies->count++;
        }
    }
    return CORD_OK;
}

CordResult picture_bodies_make(const CordFrame* frame, const PictureView* view, PictureBodies* bodies,
                               CordMessage* message)
{
    size_t count = (size_t)frame->body_count + (size_t)frame->obstacle_count;
    *bodies = (PictureBodies){.list = calloc(count + 1, sizeof *bodies->list)};
    if (!bodies->list) {
        return export_fail(message, CORD_NO_MEMORY, "no memory for a picture of %zu bodies and obstacles", count);
    }
    CORD_TRY(bodies_fill(frame, view, bodies, 0, message));
    bodies->exact_count = bodies->count;
    CORD_TRY(bodies_fill(frame, view, bodies, 1, message));
    bodies->mesh_count = bodies->count - bodies->exact_count;
    return bodies_fill(frame, view, bodies, 2, message);
}

void picture_bodies_free(PictureBodies* bodies)
{
    free(bodies->list);
    *bodies = (PictureBodies){0};
}
