// The mask of a picture: which squares of pixels may show a rod, a solid or a surface.
#include "export/picture.h"

#include "export/geometry.h"

#include <stdlib.h>
#include <string.h>

enum { SQUARE = 8 }; // side [pixels]

static const double spread = 3.0; // width of a pixel's filter, and a margin [pixels]

static int square_index(double pixel, int count)
{
    return (int)clamp(floor((pixel + PICTURE_REACH) / SQUARE), 0.0, count - 1.0);
}

static void mask_set(PictureMask* mask, double left, double top, double right, double bottom)
{
    double low = -PICTURE_REACH, wide = mask->across * SQUARE, high = mask->down * SQUARE;
    if (right < low || bottom < low || left > wide || top > high) {
        return;
    }
    for (int j = square_index(top, mask->down); j <= square_index(bottom, mask->down); j++) {
        for (int i = square_index(left, mask->across); i <= square_index(right, mask->across); i++) {
            mask->squares[(size_t)j * (size_t)mask->across + (size_t)i] = true;
        }
    }
}

// The outline of a ball in the picture: its centre, and a radius that contains it. False: it is too close to
// the eye.
static bool ball_outline(const PictureCamera* camera, CordVec3 point, double radius, double pixel[2],
                         double* size)
{
    double depth = picture_camera_project(camera, point, pixel);
    if (depth < 4.0 * radius || depth < 1e-6) {
        return false;
    }
    // a ball looks larger at the corners of the picture
    double slant = 1.0 + camera->half_width * camera->half_width + camera->half_height * camera->half_height;
    // with a margin for the spread of a pixel's rays
    *size = 1.4 * slant * radius / depth / camera->half_height * 0.5 * camera->height + 3.0;
    return true;
}

static bool mask_edge(PictureMask* mask, const PictureCurves* curves, const PictureCamera* camera, int j)
{
    const PictureEdge* edge = &curves->edges[j];
    double from[2] = {0, 0}, from_size = 0;
    for (int k = 0; k <= edge->pieces; k++) {
        double u = (double)k / edge->pieces, to[2], to_size;
        if (!ball_outline(camera, picture_curves_point(curves, j, u), picture_curves_radius(curves, j, u), to,
                          &to_size)) {
            return false;
        }
        double length = k > 0 ? hypot(to[0] - from[0], to[1] - from[1]) : 0;
        double size = max_of(from_size, to_size);
        int steps = 1 + (int)min_of(length / SQUARE, 1e5);
        double gap = length / steps; // between the balls, so that they cover what is between them
        for (int i = k > 0 ? 0 : steps; i <= steps; i++) {
            double s = (double)i / steps, reach = size + 0.5 * gap;
            double x = from[0] + s * (to[0] - from[0]), y = from[1] + s * (to[1] - from[1]);
            mask_set(mask, x - reach, y - reach, x + reach, y + reach);
        }
        from[0] = to[0], from[1] = to[1], from_size = to_size;
    }
    return true;
}

// The picture of a convex hull lies between the pictures of its corners. False: one is beside the eye.
static bool mask_hull(PictureMask* mask, const CordVec3* corners, int count, const PictureCamera* camera)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < count; k++) {
        double pixel[2];
        if (picture_camera_project(camera, corners[k], pixel) < 1e-6) {
            return false;
        }
        for (int i = 0; i < 2; i++) {
            low[i] = min_of(low[i], pixel[i]);
            high[i] = max_of(high[i], pixel[i]);
        }
    }
    mask_set(mask, low[0] - spread, low[1] - spread, high[0] + spread, high[1] + spread);
    return true;
}

static bool mask_body(PictureMask* mask, const PictureSolid* body, const PictureCamera* camera)
{
    CordVec3 corners[8];
    for (int k = 0; k < 8; k++) {
        corners[k] = (CordVec3){k & 1 ? body->high.x : body->low.x, k & 2 ? body->high.y : body->low.y,
                                k & 4 ? body->high.z : body->low.z};
    }
    return mask_hull(mask, corners, 8, camera);
}

static bool mask_triangle(PictureMask* mask, const PictureSurface* surface, int triangle,
                          const PictureCamera* camera)
{
    const int* corner = &surface->from->triangles[3 * triangle];
    return mask_hull(mask, (CordVec3[]){surface->x[corner[0]], surface->x[corner[1]], surface->x[corner[2]]},
                     3, camera);
}

bool picture_mask_make(const PictureCurves* curves, const PictureSolids* bodies,
                       const PictureSurfaces* surfaces, const PictureCamera* camera, PictureMask* mask)
{
    mask->across = (camera->width + 2 * PICTURE_REACH + SQUARE - 1) / SQUARE;
    mask->down = (camera->height + 2 * PICTURE_REACH + SQUARE - 1) / SQUARE;
    size_t count = (size_t)mask->across * (size_t)mask->down;
    mask->squares = calloc(count, sizeof *mask->squares);
    if (!mask->squares) {
        return false;
    }
    bool known = true;
    for (int j = 0; known && j < curves->edge_count; j++) {
        known = mask_edge(mask, curves, camera, j);
    }
    for (int i = 0; known && i < bodies->count; i++) {
        known = mask_body(mask, &bodies->list[i], camera);
    }
    for (int i = 0; i < surfaces->count; i++) {
        for (int k = 0; known && k < surfaces->list[i].from->triangle_count; k++) {
            known = mask_triangle(mask, &surfaces->list[i], k, camera);
        }
    }
    if (!known) {
        memset(mask->squares, true, count); // something beside the eye may appear anywhere
    }
    return true;
}

void picture_mask_free(PictureMask* mask)
{
    free(mask->squares);
    *mask = (PictureMask){0};
}

bool picture_mask_at(const PictureMask* mask, int x, int y)
{
    size_t i = (size_t)((x + PICTURE_REACH) / SQUARE), j = (size_t)((y + PICTURE_REACH) / SQUARE);
    return mask->squares[j * (size_t)mask->across + i];
}
