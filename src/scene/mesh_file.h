// Triangle meshes from files: Wavefront OBJ, and PLY and STL as text or in binary. The content of a file
// decides its format, not its name.
#ifndef CORD_SCENE_MESH_FILE_H
#define CORD_SCENE_MESH_FILE_H

#include "scene/values.h"

#define MESH_FILE_MOST_BYTES ((size_t)512 << 20)
#define MESH_FILE_MOST_TRIANGLES 10000000 // and vertices

typedef struct MeshFile {
    CordVec3* vertices; // [m] (vertex_count)
    int vertex_count;
    int* triangles; // three vertices each (3 triangle_count)
    int triangle_count;
    // The edges of a triangle that are edges of its polygon, a sum of MESH_OUTER_ (triangle_count); NULL:
    // all.
    uint8_t* outer;
    int* lines; // two vertices of each line (2 line_count)
    int line_count;
} MeshFile;

enum {
    MESH_OUTER_1 = 1,
    MESH_OUTER_2 = 2,
    MESH_OUTER_3 = 4
}; // the edge after its first, second, third vertex

typedef struct PlacedMesh {
    MeshFile mesh; // in its own axes; it has no triangles if it could not be read
    CordVec3 position;
    CordQuat rotation;
} PlacedMesh;

typedef struct MeshKeys {
    const char* file;
    double scale;
    CordVec3 position;
    Turn rotate;
} MeshKeys;

extern const Quantity quantity_mesh_scale;

#define MESH_KEYS_NONE                                                                                       \
    {                                                                                                        \
        .scale = 1.0, .rotate = {.by = ANGLE_NONE }                                                          \
    }
#define MESH_FIELDS(base)                                                                                    \
    {FIELD_IN(base, "file", STRING, MeshKeys, file),                                                         \
     .about = "Path of an OBJ, PLY or STL file, relative to the scene's folder.",                            \
     .needed = "the path of an OBJ, PLY or STL file, as seen from the scene"},                               \
        {FIELD_IN(base, "scale", NUMBER, MeshKeys, scale),                                                   \
         .about = "Factor on the coordinates of the file: 0.001 if they are in millimetres.",                \
         .quantity = &quantity_mesh_scale},                                                                  \
        {FIELD_IN(base, "position", VECTOR, MeshKeys, position), .about = "Position of the mesh's origin.",  \
         .quantity = &quantity_position},                                                                    \
    {                                                                                                        \
        FIELD_IN(base, "rotate", OBJECT, MeshKeys, rotate), .about = "Rotation about the mesh's origin.",    \
                                                            .otherwise = "not turned", .table = &table_turn  \
    }

// Reads the mesh that the keys of `value` ask for, in the scene's pool. A mesh for a network may have lines
// alone. False: a note about the file was added, or there is no memory.
bool read_mesh_keys(Reader* r, const JsonValue* value, const MeshKeys* keys, bool lines_will_do,
                    PlacedMesh* placed);

void mesh_place(PlacedMesh* placed); // moves the vertices to their places in space

// Reads a mesh from the bytes of a file, into the pool. Returns NULL, or what is wrong and where: "line 7,
// column 3: ...". Without memory the pool has failed.
const char* mesh_file_parse(Pool* pool, const char* bytes, size_t size, double scale, MeshFile* mesh);

#endif
