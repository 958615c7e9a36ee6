// Triangle meshes from files: Wavefront OBJ, and STL as text or in binary. What is in the file decides which it is, not its
// name.
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
} MeshFile;

typedef struct PlacedMesh {
    MeshFile mesh; // in its own axes; no triangles: it could not be read
    CordVec3 position;
    CordQuat rotation;
} PlacedMesh;

void read_placed_mesh(Reader* r, const JsonValue* value, void* placed); // PlacedMesh: an obstacle's `mesh`

// The mesh in the file whose path is `value`, as seen from the scene's folder, each coordinate times `scale`. It stands in the
// scene's pool. False: noted, about `value`.
bool read_mesh_file(Reader* r, const JsonValue* value, double scale, MeshFile* mesh);

// The same from the bytes of a file; the mesh stands in the pool. Returns NULL, or what is wrong and where, in one sentence:
// "line 7, column 3: ...". Without memory the pool has failed.
const char* mesh_file_parse(Pool* pool, const char* bytes, size_t size, double scale, MeshFile* mesh);

#endif
