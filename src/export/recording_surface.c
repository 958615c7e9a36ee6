// The surfaces of a recording: triangles and ties, which do not change, and the vertices that they give in a
// frame.
#include "export/recording.h"

#include <limits.h>
#include <stdlib.h>

enum { TIES = CORD_SURFACE_TIES };

// They come in the order in which they were written: the checksum runs through them all.
static void* read_table(CordRecording* rec, const char* name, Hdf5Type type, int width, int64_t rows,
                        int64_t* count)
{
    return recording_read_table(rec, (RecordingTable){name, type, width, rows}, count, &rec->surface_check);
}

static bool read_ties(CordRecording* rec, int64_t vertices)
{
    int64_t rows;
    int32_t* edge = read_table(rec, "surfaces/tie_edge", HDF5_I32, TIES, vertices, &rows);
    double* weight = read_table(rec, "surfaces/tie_weight", HDF5_F64, TIES, vertices, &rows);
    double* along = read_table(rec, "surfaces/tie_along", HDF5_F64, TIES, vertices, &rows);
    CordVec3* offset = read_table(rec, "surfaces/tie_offset", HDF5_F64, 3 * TIES, vertices, &rows);
    rec->ties = calloc((size_t)(TIES * vertices) + 1, sizeof *rec->ties);
    bool good = edge && weight && along && offset && rec->ties;
    for (int64_t k = 0; good && k < TIES * vertices; k++) {
        rec->ties[k] = (CordSurfaceTie){edge[k], weight[k], along[k], offset[k]};
        good = edge[k] >= 0;
    }
    free(edge);
    free(weight);
    free(along);
    free(offset);
    return good;
}

static bool surface_fits(const CordRecording* rec, int index)
{
    const CordFrameSurface* s = &rec->surface_list[index];
    bool fits = s->rod >= 0 && s->rod < rec->rods.count && !rec->adaptive[s->rod];
    for (int k = 0; fits && k < 3 * s->triangle_count; k++) {
        fits = s->triangles[k] >= 0 && s->triangles[k] < s->vertex_count;
    }
    for (int k = 0; fits && k < TIES * s->vertex_count; k++) {
        rec->tie_edges[index] =
            s->ties[k].edge > rec->tie_edges[index] ? s->ties[k].edge : rec->tie_edges[index];
    }
    return fits;
}

_Static_assert(sizeof(int) == sizeof(int32_t), "the corners of triangles are read in place");

static bool read_surfaces(CordRecording* rec)
{
    int count = rec->surfaces.count;
    int64_t rows, triangles = 0;
    int32_t* rod = read_table(rec, "surfaces/rod", HDF5_I32, 1, count, &rows);
    uint8_t* hides = read_table(rec, "surfaces/hides", HDF5_U8, 1, count, &rows);
    int64_t* vertex = read_table(rec, "surfaces/vertex_offset", HDF5_I64, 1, count + 1, &rows);
    int64_t* triangle = read_table(rec, "surfaces/triangle_offset", HDF5_I64, 1, count + 1, &rows);
    rec->surface_triangles = read_table(rec, "surfaces/triangles", HDF5_I32, 3, -1, &triangles);
    int64_t vertices = vertex ? vertex[count] : -1;
    bool good = rod && hides && triangle && rec->surface_triangles && vertices >= 0 &&
                vertices < INT_MAX / (3 * TIES) && recording_offsets_fit(vertex, count, vertices) &&
                recording_offsets_fit(triangle, count, triangles) && read_ties(rec, vertices);
    rec->surface_vertices = good ? calloc((size_t)vertices + 1, sizeof *rec->surface_vertices) : NULL;
    good = good && rec->surface_vertices;
    for (int i = 0; good && i < count; i++) {
        rec->surface_list[i] = (CordFrameSurface){.name = hdf5_name(&rec->surfaces, i),
                                                  .rod = rod[i],
                                                  .hides = hides[i] != 0,
                                                  .vertex_count = (int)(vertex[i + 1] - vertex[i]),
                                                  .triangle_count = (int)(triangle[i + 1] - triangle[i]),
                                                  .vertices = rec->surface_vertices + vertex[i],
                                                  .triangles = rec->surface_triangles + 3 * triangle[i],
                                                  .ties = rec->ties + TIES * vertex[i]};
        good = surface_fits(rec, i);
    }
    free(rod);
    free(hides);
    free(vertex);
    free(triangle);
    return good;
}

CordResult recording_open_surfaces(CordRecording* rec, CordMessage* message)
{
    rec->surface_check = LAYOUT_CHECK;
    bool good = recording_read_names(rec, "surfaces/name", &rec->surfaces, &rec->surface_check);
    size_t count = good ? (size_t)rec->surfaces.count : 0;
    rec->surface_list = calloc(count + 1, sizeof *rec->surface_list);
    rec->tie_edges = calloc(count + 1, sizeof *rec->tie_edges);
    good = good && rec->surface_list && rec->tie_edges && (count == 0 || read_surfaces(rec));
    rec->shape.frame.surface_count = (int)count;
    return good ? CORD_OK : recording_damaged(rec, "the list of surfaces", message);
}

void recording_free_surfaces(CordRecording* rec)
{
    hdf5_names_free(&rec->surfaces);
    free(rec->surface_list);
    free(rec->tie_edges);
    free(rec->surface_vertices);
    free(rec->surface_triangles);
    free(rec->ties);
}

bool recording_place_surfaces(CordRecording* rec, CordFrame* frame)
{
    CordVec3* vertices = rec->surface_vertices;
    for (int i = 0; i < rec->surfaces.count; vertices += rec->surface_list[i].vertex_count, i++) {
        if (rec->tie_edges[i] >= frame->rods[rec->surface_list[i].rod].edge_count) {
            return false;
        }
        cord_surface_place(frame, &rec->surface_list[i], vertices);
    }
    frame->surface_count = rec->surfaces.count;
    frame->surfaces = rec->surface_list;
    return true;
}
