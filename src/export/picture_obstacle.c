// What is particular about planes in a picture: they have no end.
#include "export/picture.h"

#include "export/picture_math.h"
#include "export/solid.h"

static const double plane_half = 0.6; // of the part that is drawn; units

static CordVec3 plane_normal(const CordFrameObstacle* plane)
{
    CordVec3 axes[3];
    pv_axes(plane->rotation, axes);
    return axes[2];
}

static bool plane_faces_up(const CordFrameObstacle* plane)
{
    CordVec3 n = plane_normal(plane);
    return n.z > 0 && hypot(n.x, n.y) < 1e-6; // a slope that cannot be seen
}

double picture_obstacle_floor(const CordFrame* frame)
{
    double height = NAN;
    for (int i = 0; i < frame->obstacle_count; i++) {
        const CordFrameObstacle* o = &frame->obstacles[i];
        if (solid_kind(o)->is_endless && plane_faces_up(o) && pv_finite(o->position)) {
            height = isnan(height) ? o->position.z : pv_max(height, o->position.z);
        }
    }
    return height;
}

// A square around the place before the camera's target. It depends on the camera alone, so that it is the
// same in all frames of a movie. A plane whose front is turned away is left out: it would hide all that lies
// before it.
bool picture_obstacle_plane(const CordFrameObstacle* plane, const PictureView* view, PictureBody* body)
{
    if (plane_faces_up(plane)) {
        return false;
    }
    pv_axes(plane->rotation, body->axes);
    CordVec3 n = body->axes[2], eye = pv_mul(view->forward, -1.0);
    body->center = pv_mul(n, pv_dot(picture_view_point(view, plane->position), n));
    body->solid.size = (CordVec3){2.0 * plane_half, 0, 0};
    body->corner = picture_view_point(view, plane->position);
    body->square = picture_stage_grid(view) / view->scale;
    for (int k = 0; k < 2; k++) {
        const CordVec3* axis = &body->axes[k];
        double half = plane_half;
        CordVec3 extent = {fabs(axis->x) * half, fabs(axis->y) * half, fabs(axis->z) * half};
        body->low = pv_sub(k == 0 ? body->center : body->low, extent);
        body->high = pv_add(k == 0 ? body->center : body->high, extent);
    }
    return pv_dot(pv_sub(eye, body->center), n) > 0;
}
