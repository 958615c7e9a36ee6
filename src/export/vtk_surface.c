// Surfaces of rods: all of a frame in one file. The arrays "surface" and "rod" tell them apart.
#include "export/tessellation.h"
#include "export/vtk.h"

#include <stdlib.h>

typedef struct Sums { // over all surfaces of a frame
    int vertices, triangles;
} Sums;

static Sums sums_of(const CordFrame* frame)
{
    Sums sums = {0, 0};
    for (int i = 0; i < frame->surface_count; i++) {
        sums.vertices += frame->surfaces[i].vertex_count;
        sums.triangles += frame->surfaces[i].triangle_count;
    }
    return sums;
}

static bool array_normals(FILE* file, const CordFrame* frame, Sums sums)
{
    CordVec3* normals = malloc(sizeof *normals * ((size_t)sums.vertices + 1));
    for (int i = 0, first = 0; normals && i < frame->surface_count;
         first += frame->surfaces[i].vertex_count, i++) {
        surface_normals(&frame->surfaces[i], normals + first);
    }
    if (normals) {
        vtk_array_floats(file, "Normals", 3, (const double*)normals, sums.vertices);
    }
    free(normals);
    return normals != NULL;
}

static void array_points(FILE* file, const CordFrame* frame, Sums sums)
{
    VtkArray array = vtk_array_begin(file, "Float64", "points", 3, (size_t)sums.vertices * sizeof(CordVec3));
    for (int i = 0; i < frame->surface_count; i++) {
        const CordFrameSurface* s = &frame->surfaces[i];
        base64_put(&array.text, s->vertices, (size_t)s->vertex_count * sizeof *s->vertices);
    }
    vtk_array_end(&array);
}

// The number of the surface or of the rod that each triangle belongs to.
static void array_owners(FILE* file, const char* name, const CordFrame* frame, Sums sums, bool rods)
{
    VtkArray array = vtk_array_begin(file, "Int32", name, 1, (size_t)sums.triangles * sizeof(int32_t));
    for (int i = 0; i < frame->surface_count; i++) {
        int32_t owner = rods ? frame->surfaces[i].rod : i;
        for (int k = 0; k < frame->surfaces[i].triangle_count; k++) {
            base64_put(&array.text, &owner, sizeof owner);
        }
    }
    vtk_array_end(&array);
}

static void array_triangles(FILE* file, const CordFrame* frame, Sums sums)
{
    size_t count = (size_t)sums.triangles;
    VtkArray array = vtk_array_begin(file, "Int64", "connectivity", 1, 3 * count * sizeof(int64_t));
    int64_t first = 0;
    for (int i = 0; i < frame->surface_count; first += frame->surfaces[i].vertex_count, i++) {
        for (int k = 0; k < 3 * frame->surfaces[i].triangle_count; k++) {
            int64_t point = first + frame->surfaces[i].triangles[k];
            base64_put(&array.text, &point, sizeof point);
        }
    }
    vtk_array_end(&array);
    array = vtk_array_begin(file, "Int64", "offsets", 1, count * sizeof(int64_t));
    for (int64_t end = 3; end <= 3 * (int64_t)count; end += 3) {
        base64_put(&array.text, &end, sizeof end);
    }
    vtk_array_end(&array);
}

bool vtk_put_surfaces(FILE* file, const CordFrame* frame, const VtkScope* scope)
{
    (void)scope;
    Sums sums = sums_of(frame);
    vtk_put_piece(file, &(VtkPiece){.time = frame->time, .points = sums.vertices, .polys = sums.triangles});
    fputs("<PointData Normals=\"Normals\">\n", file);
    bool good = array_normals(file, frame, sums);
    fputs("</PointData>\n<CellData>\n", file);
    array_owners(file, "surface", frame, sums, false);
    array_owners(file, "rod", frame, sums, true);
    fputs("</CellData>\n<Points>\n", file);
    array_points(file, frame, sums);
    fputs("</Points>\n<Polys>\n", file);
    array_triangles(file, frame, sums);
    fputs("</Polys>\n", file);
    vtk_put_end(file);
    return good;
}
