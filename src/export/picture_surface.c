// Surfaces of rods in a picture: triangles with smooth shading.
#include "export/picture.h"

#include "export/geometry.h"
#include "export/tessellation.h"

#include <stdlib.h>

static CordResult surface_make(const CordFrameSurface* from, double time, const PictureCamera* camera,
                               PictureSurface* to, CordMessage* message)
{
    *to = (PictureSurface){.from = from};
    to->x = malloc(sizeof *to->x * ((size_t)from->vertex_count + 1));
    to->normal = malloc(sizeof *to->normal * ((size_t)from->vertex_count + 1));
    if (!to->x || !to->normal) {
        return export_fail(message, CORD_NO_MEMORY, "no memory for a picture of %d vertices",
                           from->vertex_count);
    }
    for (int i = 0; i < from->vertex_count; i++) {
        if (!cord_vec3_finite(from->vertices[i])) {
            return export_fail(
                message, CORD_BAD_ARGUMENT,
                "vertex %d of surface \"%s\" is not a finite point at t = %g s, so the frame cannot be "
                "drawn; render an earlier one",
                i, from->name, time);
        }
        to->x[i] = picture_camera_point(camera, from->vertices[i]);
    }
    surface_normals(from, to->normal);
    return CORD_OK;
}

CordResult picture_surfaces_make(const CordFrame* frame, const PictureCamera* camera,
                                 PictureSurfaces* surfaces, CordMessage* message)
{
    *surfaces = (PictureSurfaces){.list = calloc((size_t)frame->surface_count + 1, sizeof *surfaces->list)};
    if (!surfaces->list) {
        return export_fail(message, CORD_NO_MEMORY, "no memory for a picture of %d surfaces",
                           frame->surface_count);
    }
    for (int i = 0; i < frame->surface_count; i++) {
        surfaces->count++;
        CORD_TRY(surface_make(&frame->surfaces[i], frame->time, camera, &surfaces->list[i], message));
    }
    return CORD_OK;
}

void picture_surfaces_free(PictureSurfaces* surfaces)
{
    for (int i = 0; i < surfaces->count; i++) {
        free(surfaces->list[i].x);
        free(surfaces->list[i].normal);
    }
    free(surfaces->list);
    *surfaces = (PictureSurfaces){0};
}

CordVec3 picture_surface_normal(const PictureSurface* surface, int triangle, const double share[3])
{
    const int* corner = &surface->from->triangles[3 * triangle];
    CordVec3 n = cord_vec3_scale(surface->normal[corner[0]], share[0]);
    n = cord_vec3_madd(cord_vec3_madd(n, surface->normal[corner[1]], share[1]), surface->normal[corner[2]],
                       share[2]);
    return cord_vec3_unit_or(n, surface->normal[corner[0]]);
}

// The height above a triangle of the smooth surface that shading assumes: the mean of the heights of the
// tangent planes at the corners. Shadow rays start there, so that the triangles beside it do not block them
// and show their edges (Hanika, Hacking the Shadow Terminator, 2021).
CordVec3 picture_surface_lift(const PictureSurface* surface, int triangle, const double share[3], double side)
{
    const int* corner = &surface->from->triangles[3 * triangle];
    CordVec3 lift = {0, 0, 0}, point = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        point = cord_vec3_madd(point, surface->x[corner[k]], share[k]);
    }
    for (int k = 0; k < 3; k++) {
        CordVec3 normal = cord_vec3_scale(surface->normal[corner[k]], side);
        double below = min_of(0.0, cord_vec3_dot(cord_vec3_sub(point, surface->x[corner[k]]), normal));
        lift = cord_vec3_madd(lift, normal, -below * share[k]);
    }
    return lift;
}
