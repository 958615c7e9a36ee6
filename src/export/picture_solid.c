// Rigid bodies and obstacles in a picture. Rays meet them in their own axes.
#include "export/picture.h"

#include "export/geometry.h"
#include "export/mesh.h"

#include <stdlib.h>

static const double marker_face = 0.55; // cosine of the angle at which its rim begins

bool picture_solid_hit(const PictureSolid* body, CordVec3 from, CordVec3 direction, double* distance)
{
    CordVec3 a = axes_from_space(body->axes, cord_vec3_sub(from, body->center)),
             d = axes_from_space(body->axes, direction);
    return cord_solid_ray(&body->solid, a, d, distance);
}

CordVec3 picture_solid_normal(const PictureSolid* body, CordVec3 point)
{
    CordVec3 n;
    cord_solid_distance(&body->solid, axes_from_space(body->axes, cord_vec3_sub(point, body->center)), &n);
    return axes_to_space(body->axes, n);
}

// An endless solid has squares. A marker has a rim in the other colour, so that it is visible on any rod.
int picture_solid_tone(const PictureSolid* body, CordVec3 point)
{
    CordVec3 p =
        axes_from_space(body->axes, cord_vec3_sub(point, body->is_endless ? body->corner : body->center));
    CordSolidTones tones = cord_solid_kind((int)body->solid.shape)->tones;
    if (body->marker != MARKER_NONE) {
        bool rim = p.z < marker_face * body->solid.size.x;
        return (body->marker == MARKER_WHITE) != rim;
    }
    if (body->is_endless) {
        return fmod(fabs(floor(p.x / body->square) + floor(p.y / body->square)), 2.0) > 0.5;
    }
    return tones == CORD_TONES_ONE || (p.x * p.y > 0) != (tones == CORD_TONES_EIGHTHS && p.z < 0) ? 0 : 1;
}

static bool is_finite(const CordFrameObstacle* solid)
{
    return cord_vec3_finite(solid->position) && cord_vec3_finite(solid->solid.size);
}

// The bounding box, from the support function along the axes of space.
bool picture_solid_box(const CordFrameObstacle* solid, CordVec3* low, CordVec3* high)
{
    CordVec3 u[3];
    if (!solid_is_seen(solid) || !is_finite(solid) || solid_kind(solid)->is_endless) {
        return false;
    }
    axes_of_rotation(solid->rotation, u);
    const CordVec3 space[3] = {{u[0].x, u[1].x, u[2].x}, {u[0].y, u[1].y, u[2].y}, {u[0].z, u[1].z, u[2].z}};
    double reach[2][3];
    for (int k = 0; k < 3; k++) {
        reach[0][k] = -cord_solid_support(&solid->solid, cord_vec3_scale(space[k], -1.0));
        reach[1][k] = cord_solid_support(&solid->solid, space[k]);
    }
    *low = cord_vec3_add(solid->position, (CordVec3){reach[0][0], reach[0][1], reach[0][2]});
    *high = cord_vec3_add(solid->position, (CordVec3){reach[1][0], reach[1][1], reach[1][2]});
    return low->x <= high->x;
}

// ---- planes: they are endless

static const double plane_half = 0.6; // half the side of the part that is drawn; units

static CordVec3 plane_normal(const CordFrameObstacle* plane)
{
    CordVec3 axes[3];
    axes_of_rotation(plane->rotation, axes);
    return axes[2];
}

static bool plane_faces_up(const CordFrameObstacle* plane)
{
    CordVec3 n = plane_normal(plane);
    return n.z > 0 && hypot(n.x, n.y) < 1e-6; // a slope that is not visible
}

double picture_floor_height(const CordFrame* frame)
{
    double height = NAN;
    for (int i = 0; i < frame->obstacle_count; i++) {
        const CordFrameObstacle* o = &frame->obstacles[i];
        if (solid_kind(o)->is_endless && plane_faces_up(o) && cord_vec3_finite(o->position)) {
            height = isnan(height) ? o->position.z : max_of(height, o->position.z);
        }
    }
    return height;
}

// The square around the point of the plane nearest to the camera's target. It depends on the camera alone, so
// it is the same in all frames of a movie. A plane that is seen from behind is left out, because it would
// hide everything in front of it.
static bool plane_make(const CordFrameObstacle* plane, const PictureCamera* camera, PictureSolid* body)
{
    if (plane_faces_up(plane)) {
        return false;
    }
    axes_of_rotation(plane->rotation, body->axes);
    CordVec3 n = body->axes[2], eye = cord_vec3_scale(camera->forward, -1.0);
    body->center = cord_vec3_scale(n, cord_vec3_dot(picture_camera_point(camera, plane->position), n));
    body->solid.size = (CordVec3){2.0 * plane_half, 0, 0};
    body->corner = picture_camera_point(camera, plane->position);
    body->square = picture_stage_grid(camera) / camera->scale;
    for (int k = 0; k < 2; k++) {
        const CordVec3* axis = &body->axes[k];
        double half = plane_half;
        CordVec3 extent = {fabs(axis->x) * half, fabs(axis->y) * half, fabs(axis->z) * half};
        body->low = cord_vec3_sub(k == 0 ? body->center : body->low, extent);
        body->high = cord_vec3_add(k == 0 ? body->center : body->high, extent);
    }
    return cord_vec3_dot(cord_vec3_sub(eye, body->center), n) > 0;
}

// ---- all of a frame

static bool body_make(const CordFrameObstacle* from, bool obstacle, const PictureCamera* camera,
                      PictureSolid* to)
{
    *to = (PictureSolid){.solid = from->solid,
                         .obstacle = obstacle,
                         .is_endless = solid_kind(from)->is_endless,
                         .metre = 1.0 / camera->scale};
    if (to->is_endless) {
        return plane_make(from, camera, to);
    }
    to->center = picture_camera_point(camera, from->position);
    axes_of_rotation(from->rotation, to->axes);
    to->solid.size = cord_vec3_scale(from->solid.size, to->metre);
    bool seen = picture_solid_box(from, &to->low, &to->high);
    to->low = picture_camera_point(camera, to->low);
    to->high = picture_camera_point(camera, to->high);
    return seen;
}

// The order of solids. 0: those with an equation; 1: triangles; 2: planes.
static int body_class(const CordFrameObstacle* solid)
{
    return solid_kind(solid)->is_endless ? 2 : solid_kind(solid)->is_mesh ? 1 : 0;
}

static CordResult bodies_fill(const CordFrame* frame, const PictureCamera* camera, PictureSolids* bodies,
                              int class, CordMessage* message)
{
    for (int i = 0; i < frame->body_count + frame->obstacle_count; i++) {
        bool obstacle = i >= frame->body_count;
        CordFrameObstacle solid = solid_of_frame(frame, i);
        if (!is_finite(&solid)) {
            return export_fail(
                message, CORD_BAD_ARGUMENT,
                "%s \"%s\" is not at a finite point at t = %g s, so the frame cannot be drawn; render "
                "an earlier one",
                obstacle ? "obstacle" : "body", solid.name, frame->time);
        }
        if (body_class(&solid) == class &&
            body_make(&solid, obstacle, camera, &bodies->list[bodies->count])) {
            bodies->count++;
        }
    }
    return CORD_OK;
}

CordResult picture_solids_make(const CordFrame* frame, const PictureCamera* camera, PictureSolids* bodies,
                               CordMessage* message)
{
    size_t count = (size_t)frame->body_count + (size_t)frame->obstacle_count;
    *bodies = (PictureSolids){.list = calloc(count + 1, sizeof *bodies->list)};
    if (!bodies->list) {
        return export_fail(message, CORD_NO_MEMORY, "no memory for a picture of %zu bodies and obstacles",
                           count);
    }
    CORD_TRY(bodies_fill(frame, camera, bodies, 0, message));
    bodies->exact_count = bodies->count;
    CORD_TRY(bodies_fill(frame, camera, bodies, 1, message));
    bodies->mesh_count = bodies->count - bodies->exact_count;
    return bodies_fill(frame, camera, bodies, 2, message);
}

void picture_solids_free(PictureSolids* bodies)
{
    free(bodies->list);
    *bodies = (PictureSolids){0};
}
