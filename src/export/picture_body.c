// Rigid bodies and obstacles in a picture: solids, met by rays in their own axes.
#include "export/picture.h"

#include "export/picture_math.h"
#include "export/solid.h"

#include <stdlib.h>

static const double bullet_face = 0.55; // cosine of where its rim begins

bool picture_body_hit(const PictureBody* body, CordVec3 from, CordVec3 direction, double* distance)
{
    CordVec3 a = pv_to_axes(body->axes, pv_sub(from, body->center)), d = pv_to_axes(body->axes, direction);
    return cord_solid_ray(&body->solid, a, d, distance);
}

CordVec3 picture_body_normal(const PictureBody* body, CordVec3 point)
{
    CordVec3 n;
    cord_solid_distance(&body->solid, pv_to_axes(body->axes, pv_sub(point, body->center)), &n);
    return pv_from_axes(body->axes, n);
}

// What has no end has squares; a bullet has a rim in the other colour, so that it is seen on any.
int picture_body_tone(const PictureBody* body, CordVec3 point)
{
    CordVec3 p = pv_to_axes(body->axes, pv_sub(point, body->is_endless ? body->corner : body->center));
    CordSolidTones tones = cord_solid_kind((int)body->solid.shape)->tones;
    if (body->bullet != BULLET_NONE) {
        bool rim = p.z < bullet_face * body->solid.size.x;
        return (body->bullet == BULLET_WHITE) != rim;
    }
    if (body->is_endless) {
        return fmod(fabs(floor(p.x / body->square) + floor(p.y / body->square)), 2.0) > 0.5;
    }
    return tones == CORD_TONES_ONE || (p.x * p.y > 0) != (tones == CORD_TONES_EIGHTHS && p.z < 0) ? 0 : 1;
}

static bool is_finite(const CordFrameObstacle* solid)
{
    return pv_finite(solid->position) && pv_finite(solid->solid.size);
}

// From the solid's support along the axes of space.
bool picture_body_box(const CordFrameObstacle* solid, CordVec3* low, CordVec3* high)
{
    CordVec3 u[3];
    if (!solid_is_seen(solid) || !is_finite(solid) || solid_kind(solid)->is_endless) {
        return false;
    }
    pv_axes(solid->rotation, u);
    const CordVec3 space[3] = {{u[0].x, u[1].x, u[2].x}, {u[0].y, u[1].y, u[2].y}, {u[0].z, u[1].z, u[2].z}};
    double reach[2][3];
    for (int k = 0; k < 3; k++) {
        reach[0][k] = -cord_solid_support(&solid->solid, pv_mul(space[k], -1.0));
        reach[1][k] = cord_solid_support(&solid->solid, space[k]);
    }
    *low = pv_add(solid->position, (CordVec3){reach[0][0], reach[0][1], reach[0][2]});
    *high = pv_add(solid->position, (CordVec3){reach[1][0], reach[1][1], reach[1][2]});
    return low->x <= high->x;
}

// ---- all of a frame

static bool body_make(const CordFrameObstacle* from, bool obstacle, const PictureView* view, PictureBody* to)
{
    *to = (PictureBody){.solid = from->solid,
                        .obstacle = obstacle,
                        .is_endless = solid_kind(from)->is_endless,
                        .metre = 1.0 / view->scale};
    if (to->is_endless) {
        return picture_obstacle_plane(from, view, to);
    }
    to->center = picture_view_point(view, from->position);
    pv_axes(from->rotation, to->axes);
    to->solid.size = pv_mul(from->solid.size, to->metre);
    bool seen = picture_body_box(from, &to->low, &to->high);
    to->low = picture_view_point(view, to->low);
    to->high = picture_view_point(view, to->high);
    return seen;
}

// 0: met by its equation; 1: triangles; 2: a plane.
static int body_class(const CordFrameObstacle* solid)
{
    return solid_kind(solid)->is_endless ? 2 : solid_kind(solid)->is_mesh ? 1 : 0;
}

static CordResult bodies_fill(const CordFrame* frame, const PictureView* view, PictureBodies* bodies,
                              int class, CordMessage* message)
{
    for (int i = 0; i < frame->body_count + frame->obstacle_count; i++) {
        bool obstacle = i >= frame->body_count;
        CordFrameObstacle body = obstacle ? (CordFrameObstacle){0} : solid_from_body(&frame->bodies[i]);
        const CordFrameObstacle* solid = obstacle ? &frame->obstacles[i - frame->body_count] : &body;
        if (!is_finite(solid)) {
            return export_fail(
                message, CORD_BAD_ARGUMENT,
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
        return export_fail(message, CORD_NO_MEMORY, "no memory for a picture of %zu bodies and obstacles",
                           count);
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
