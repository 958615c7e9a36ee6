// Rigid bodies in a picture: exact shapes, met by rays in their own axes. All of them are convex, so a ray is inside from
// one distance to another.
#include "export/picture.h"

#include "export/picture_math.h"

#include <stdlib.h>

typedef struct Span { // inside from here to there along a ray; empty if enter > leave
    double enter, leave;
} Span;

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

static Span body_span(const PictureBody* b, CordVec3 a, CordVec3 d)
{
    switch (b->shape) {
    case CORD_BODY_SPHERE: return ball_span(a, d, 0, b->half.x);
    case CORD_BODY_BOX:
        return span_both(span_both(slab_span(a.x, d.x, b->half.x), slab_span(a.y, d.y, b->half.y)),
                         slab_span(a.z, d.z, b->half.z));
    case CORD_BODY_CYLINDER: return drum_span(a, d, b->half.x, b->half.z);
    case CORD_BODY_CAPSULE: {
        Span drum = drum_span(a, d, b->half.x, b->half.z);
        Span span = span_either(ball_span(a, d, -b->half.z, b->half.x), ball_span(a, d, b->half.z, b->half.x));
        return drum.enter <= drum.leave ? span_either(span, drum) : span;
    }
    }
    return nowhere;
}

bool picture_body_hit(const PictureBody* body, CordVec3 from, CordVec3 direction, double* distance)
{
    CordVec3 a = pv_to_axes(body->axes, pv_sub(from, body->center)), d = pv_to_axes(body->axes, direction);
    Span span = body_span(body, a, d);
    if (!(span.enter <= span.leave) || span.leave <= 0) {
        return false;
    }
    *distance = span.enter > 0 ? span.enter : span.leave;
    return true;
}

static CordVec3 box_normal(CordVec3 p, CordVec3 half)
{
    double x = half.x - fabs(p.x), y = half.y - fabs(p.y), z = half.z - fabs(p.z); // below each face
    return x <= y && x <= z ? (CordVec3){copysign(1, p.x), 0, 0}
           : y <= z         ? (CordVec3){0, copysign(1, p.y), 0}
                            : (CordVec3){0, 0, copysign(1, p.z)};
}

CordVec3 picture_body_normal(const PictureBody* body, CordVec3 point)
{
    CordVec3 p = pv_to_axes(body->axes, pv_sub(point, body->center)), n = {0, 0, 1};
    double along = body->shape == CORD_BODY_CAPSULE ? pv_clamp(p.z, -body->half.z, body->half.z) : 0;
    switch (body->shape) {
    case CORD_BODY_BOX: n = box_normal(p, body->half); break;
    case CORD_BODY_CYLINDER:
        if (body->half.z - fabs(p.z) > body->half.x - hypot(p.x, p.y)) {
            n = pv_unit_or((CordVec3){p.x, p.y, 0}, n);
        } else {
            n.z = copysign(1, p.z);
        }
        break;
    case CORD_BODY_SPHERE:
    case CORD_BODY_CAPSULE: n = pv_unit_or((CordVec3){p.x, p.y, p.z - along}, n); break;
    }
    return pv_from_axes(body->axes, n);
}

// Quarters around its z axis in turn, and the other way round on a ball's lower half: how a body turns is seen from
// anywhere. A box shows it by its faces.
int picture_body_tone(const PictureBody* body, CordVec3 point)
{
    CordVec3 p = pv_to_axes(body->axes, pv_sub(point, body->center));
    bool turned = body->shape == CORD_BODY_SPHERE && p.z < 0;
    return body->shape == CORD_BODY_BOX || ((p.x * p.y > 0) != turned) ? 0 : 1;
}

// Half of what the body needs along each axis of space.
static CordVec3 body_extent(CordBodyShape shape, const CordVec3 axes[3], CordVec3 half)
{
    if (shape == CORD_BODY_SPHERE) {
        return (CordVec3){half.x, half.x, half.x};
    }
    const CordVec3 *u = &axes[0], *v = &axes[1], *w = &axes[2];
    if (shape == CORD_BODY_BOX) {
        return (CordVec3){fabs(u->x) * half.x + fabs(v->x) * half.y + fabs(w->x) * half.z,
                          fabs(u->y) * half.x + fabs(v->y) * half.y + fabs(w->y) * half.z,
                          fabs(u->z) * half.x + fabs(v->z) * half.y + fabs(w->z) * half.z};
    }
    bool ball = shape == CORD_BODY_CAPSULE; // else a disc at right angles to w
    double rx = half.x * (ball ? 1.0 : sqrt(pv_max(0.0, 1.0 - w->x * w->x)));
    double ry = half.x * (ball ? 1.0 : sqrt(pv_max(0.0, 1.0 - w->y * w->y)));
    double rz = half.x * (ball ? 1.0 : sqrt(pv_max(0.0, 1.0 - w->z * w->z)));
    return (CordVec3){fabs(w->x) * half.z + rx, fabs(w->y) * half.z + ry, fabs(w->z) * half.z + rz};
}

static CordVec3 body_half(const CordFrameBody* body)
{
    bool box = body->shape == CORD_BODY_BOX;
    return (CordVec3){body->size.x * (box ? 0.5 : 1.0), body->size.y * 0.5, body->size.z * 0.5};
}

bool picture_body_box(const CordFrameBody* body, CordVec3* low, CordVec3* high)
{
    CordVec3 axes[3];
    if (!(body->size.x > 0) || !pv_finite(body->position) || !pv_finite(body->size)) {
        return false;
    }
    pv_axes(body->rotation, axes);
    CordVec3 extent = body_extent(body->shape, axes, body_half(body));
    *low = pv_sub(body->position, extent);
    *high = pv_add(body->position, extent);
    return true;
}

CordResult picture_bodies_make(const CordFrame* frame, const PictureView* view, PictureBodies* bodies,
                               CordMessage* message)
{
    *bodies = (PictureBodies){.list = calloc((size_t)frame->body_count + 1, sizeof *bodies->list)};
    if (!bodies->list) {
        return export_fail(message, CORD_NO_MEMORY, "no memory for a picture of %d bodies", frame->body_count);
    }
    for (int i = 0; i < frame->body_count; i++) {
        const CordFrameBody* from = &frame->bodies[i];
        if (!pv_finite(from->position) || !pv_finite(from->size)) {
            return export_fail(message, CORD_BAD_ARGUMENT,
                               "body \"%s\" is not at a finite point at t = %g s, so the frame cannot be drawn; render "
                               "an earlier one",
                               from->name, frame->time);
        }
        if (!(from->size.x > 0)) {
            continue; // a joint of rods: nothing to be seen
        }
        PictureBody* to = &bodies->list[bodies->count++];
        to->shape = from->shape;
        to->center = picture_view_point(view, from->position);
        pv_axes(from->rotation, to->axes);
        to->half = pv_mul(body_half(from), 1.0 / view->scale);
        CordVec3 extent = body_extent(to->shape, to->axes, to->half);
        to->low = pv_sub(to->center, extent);
        to->high = pv_add(to->center, extent);
    }
    return CORD_OK;
}

void picture_bodies_free(PictureBodies* bodies)
{
    free(bodies->list);
    *bodies = (PictureBodies){0};
}
