// The surfaces of a recording: triangles and ties, of all surfaces one after the other. Where their vertices
// are follows from the rods.
#include "export/recorder.h"

#include <cordage/surface.h>

#include <stdlib.h>

enum { TIES = CORD_SURFACE_TIES };

typedef struct SurfaceRows {
    const char** names; // (surface_count)
    int32_t* rod;
    uint8_t* hides;
    int64_t *vertex_offset, *triangle_offset; // (surface_count + 1)
    int32_t* triangles;                       // three vertices each, counted within their surface
    int32_t* tie_edge;                        // (TIES for each vertex), as the next ones
    double *tie_weight, *tie_along;
    CordVec3* tie_offset;
} SurfaceRows;

static void rows_free(SurfaceRows* s)
{
    free(s->names), free(s->rod), free(s->hides);
    free(s->vertex_offset), free(s->triangle_offset), free(s->triangles);
    free(s->tie_edge), free(s->tie_weight), free(s->tie_along), free(s->tie_offset);
}

static bool rows_alloc(SurfaceRows* s, const CordFrame* frame)
{
    size_t count = (size_t)frame->surface_count, vertices = 0, triangles = 0;
    for (size_t i = 0; i < count; i++) {
        vertices += (size_t)frame->surfaces[i].vertex_count;
        triangles += (size_t)frame->surfaces[i].triangle_count;
    }
    s->names = calloc(count + 1, sizeof *s->names);
    s->rod = calloc(count + 1, sizeof *s->rod);
    s->hides = calloc(count + 1, 1);
    s->vertex_offset = calloc(count + 1, sizeof *s->vertex_offset);
    s->triangle_offset = calloc(count + 1, sizeof *s->triangle_offset);
    s->triangles = calloc(3 * triangles + 1, sizeof *s->triangles);
    s->tie_edge = calloc(TIES * vertices + 1, sizeof *s->tie_edge);
    s->tie_weight = calloc(TIES * vertices + 1, sizeof *s->tie_weight);
    s->tie_along = calloc(TIES * vertices + 1, sizeof *s->tie_along);
    s->tie_offset = calloc(TIES * vertices + 1, sizeof *s->tie_offset);
    return s->names && s->rod && s->hides && s->vertex_offset && s->triangle_offset && s->triangles &&
           s->tie_edge && s->tie_weight && s->tie_along && s->tie_offset;
}

static void rows_fill(SurfaceRows* s, const CordFrame* frame)
{
    for (int i = 0; i < frame->surface_count; i++) {
        const CordFrameSurface* from = &frame->surfaces[i];
        int64_t vertex = s->vertex_offset[i], triangle = s->triangle_offset[i];
        s->names[i] = from->name;
        s->rod[i] = from->rod;
        s->hides[i] = from->hides;
        s->vertex_offset[i + 1] = vertex + from->vertex_count;
        s->triangle_offset[i + 1] = triangle + from->triangle_count;
        for (int k = 0; k < 3 * from->triangle_count; k++) {
            s->triangles[3 * triangle + k] = from->triangles[k];
        }
        for (int k = 0; k < TIES * from->vertex_count; k++) {
            const CordSurfaceTie* tie = &from->ties[k];
            s->tie_edge[TIES * vertex + k] = tie->edge;
            s->tie_weight[TIES * vertex + k] = tie->weight;
            s->tie_along[TIES * vertex + k] = tie->along;
            s->tie_offset[TIES * vertex + k] = tie->offset;
        }
    }
}

static bool rows_put(CordRecorder* rec, const SurfaceRows* s)
{
    int count = rec->shape.frame.surface_count;
    int64_t vertices = s->vertex_offset[count], triangles = s->triangle_offset[count];
    const struct {
        Hdf5TableDef def;
        const void* rows;
        int64_t count;
    } tables[] = {
        {{.name = "surfaces/rod", .type = HDF5_I32}, s->rod, count},
        {{.name = "surfaces/hides", .type = HDF5_U8}, s->hides, count},
        {{.name = "surfaces/vertex_offset", .type = HDF5_I64}, s->vertex_offset, count + 1},
        {{.name = "surfaces/triangle_offset", .type = HDF5_I64}, s->triangle_offset, count + 1},
        {{.name = "surfaces/triangles", .type = HDF5_I32, .row = {3}}, s->triangles, triangles},
        {{.name = "surfaces/tie_edge", .type = HDF5_I32, .row = {TIES}}, s->tie_edge, vertices},
        {{.name = "surfaces/tie_weight", .type = HDF5_F64, .row = {TIES}}, s->tie_weight, vertices},
        {{.name = "surfaces/tie_along", .type = HDF5_F64, .row = {TIES}}, s->tie_along, vertices},
        {{.name = "surfaces/tie_offset", .type = HDF5_F64, .row = {TIES, 3}, .unit = "m"},
         s->tie_offset,
         vertices},
    };
    bool good = true;
    for (size_t i = 0; good && i < sizeof tables / sizeof tables[0]; i++) {
        good = recorder_put_table(rec, tables[i].def, tables[i].rows, tables[i].count);
    }
    return good;
}

// Their checksum is one of its own, and counts as one number.
bool recorder_put_surfaces(CordRecorder* rec, const CordFrame* frame)
{
    uint64_t before = rec->check;
    SurfaceRows s = {0};
    rec->check = LAYOUT_CHECK;
    bool good = rows_alloc(&s, frame);
    if (good) {
        rows_fill(&s, frame);
        good = recorder_put_names(rec, "surfaces/name", s.names, rec->shape.frame.surface_count) &&
               (rec->shape.frame.surface_count == 0 || rows_put(rec, &s));
    }
    rec->check = layout_check_u64(before, &rec->check, 1);
    rows_free(&s);
    return good;
}
