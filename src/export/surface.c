#include "export/surface.h"

#include "export/picture_math.h"

bool surface_hides(const CordFrame* frame, int rod)
{
    for (int i = 0; i < frame->surface_count; i++) {
        if (frame->surfaces[i].rod == rod && frame->surfaces[i].hides) {
            return true;
        }
    }
    return false;
}

void surface_normals(const CordFrameSurface* s, CordVec3* normals)
{
    for (int i = 0; i < s->vertex_count; i++) {
        normals[i] = (CordVec3){0, 0, 0};
    }
    for (int k = 0; k < s->triangle_count; k++) {
        const int* corner = &s->triangles[3 * k];
        CordVec3 x[3] = {s->vertices[corner[0]], s->vertices[corner[1]], s->vertices[corner[2]]};
        CordVec3 normal = pv_unit_or(pv_cross(pv_sub(x[1], x[0]), pv_sub(x[2], x[0])), (CordVec3){0, 0, 0});
        for (int i = 0; i < 3; i++) {
            CordVec3 a = pv_sub(x[(i + 1) % 3], x[i]), b = pv_sub(x[(i + 2) % 3], x[i]);
            double angle = atan2(pv_length(pv_cross(a, b)), pv_dot(a, b));
            normals[corner[i]] = pv_madd(normals[corner[i]], normal, angle);
        }
    }
    for (int i = 0; i < s->vertex_count; i++) {
        normals[i] = pv_unit_or(normals[i], (CordVec3){0, 0, 1});
    }
}
