// The obstacles of a recording: their shapes and meshes, which do not change.
#include "export/recording.h"

#include <stdlib.h>

// They come in the order in which they were written: the checksum runs through them all.
static void* read_table(CordRecording* rec, const char* name, Hdf5Type type, int width, int64_t rows,
                        int64_t* count)
{
    return recording_read_table(rec, (RecordingTable){name, type, width, rows}, count, &rec->obstacle_check);
}

static bool corners_fit(const CordSolidMesh* o)
{
    for (int k = 0; k < 3 * o->triangle_count; k++) {
        if (o->triangles[k] < 0 || o->triangles[k] >= o->vertex_count) {
            return false;
        }
    }
    return true;
}

_Static_assert(sizeof(int) == sizeof(int32_t), "the corners of triangles are read in place");

static bool read_meshes(CordRecording* rec)
{
    int count = rec->obstacles.count;
    int64_t vertices = 0, triangles = 0, offsets;
    int64_t* vertex = read_table(rec, "obstacles/vertex_offset", HDF5_I64, 1, count + 1, &offsets);
    int64_t* triangle = read_table(rec, "obstacles/triangle_offset", HDF5_I64, 1, count + 1, &offsets);
    rec->vertices = read_table(rec, "obstacles/vertices", HDF5_F64, 3, -1, &vertices);
    rec->triangles = read_table(rec, "obstacles/triangles", HDF5_I32, 3, -1, &triangles);
    bool good = vertex && triangle && rec->vertices && rec->triangles &&
                recording_offsets_fit(vertex, count, vertices) &&
                recording_offsets_fit(triangle, count, triangles);
    for (int i = 0; good && i < count; i++) {
        CordSolidMesh* o = &rec->obstacle_list[i].solid.mesh;
        o->vertices = rec->vertices + vertex[i];
        o->vertex_count = (int)(vertex[i + 1] - vertex[i]);
        o->triangles = rec->triangles + 3 * triangle[i];
        o->triangle_count = (int)(triangle[i + 1] - triangle[i]);
        good = corners_fit(o);
    }
    free(vertex);
    free(triangle);
    return good;
}

static bool read_shapes(CordRecording* rec)
{
    Hdf5Names shapes = {0};
    int64_t rows;
    int count = rec->obstacles.count;
    bool good =
        recording_read_names(rec, "obstacles/shape", &shapes, &rec->obstacle_check) && shapes.count == count;
    CordVec3* sizes = good ? read_table(rec, "obstacles/size", HDF5_F64, 3, count, &rows) : NULL;
    good = sizes != NULL;
    for (int i = 0; good && i < count; i++) {
        rec->obstacle_list[i].name = hdf5_name(&rec->obstacles, i);
        rec->obstacle_list[i].solid.size = sizes[i];
        good = cord_solid_named(hdf5_name(&shapes, i), &rec->obstacle_list[i].solid.shape);
    }
    hdf5_names_free(&shapes);
    free(sizes);
    return good;
}

CordResult recording_open_obstacles(CordRecording* rec, CordMessage* message)
{
    rec->obstacle_check = LAYOUT_CHECK;
    bool good = recording_read_names(rec, "obstacles/name", &rec->obstacles, &rec->obstacle_check);
    int count = good ? rec->obstacles.count : 0;
    rec->obstacle_list = calloc((size_t)count + 1, sizeof *rec->obstacle_list);
    good = good && rec->obstacle_list && (count == 0 || (read_shapes(rec) && read_meshes(rec)));
    rec->shape.frame.obstacle_count = count;
    return good ? CORD_OK : recording_damaged(rec, "the list of obstacles", message);
}

void recording_free_obstacles(CordRecording* rec)
{
    hdf5_names_free(&rec->obstacles);
    free(rec->obstacle_list);
    free(rec->vertices);
    free(rec->triangles);
}
