// Mesh files from bytes in a test.
#ifndef CORDAGE_TEST_SCENE_MESH_H
#define CORDAGE_TEST_SCENE_MESH_H

#include "check.h"

#include "scene/mesh_file.h"

#include <stdlib.h>

static Pool mesh_pool; // of the mesh that was read last

// From a block of its own size, so that a byte too many is found.
static inline const char* mesh_parse(const char* bytes, size_t size, double scale, MeshFile* mesh)
{
    pool_free(&mesh_pool);
    pool_init(&mesh_pool, (CordAllocator){0});
    char* block = malloc(size > 0 ? size : 1);
    memcpy(block, bytes, size);
    const char* problem = mesh_file_parse(&mesh_pool, block, size, scale, mesh);
    free(block);
    CHECK(!mesh_pool.failed);
    return problem;
}

static inline void mesh_check(const MeshFile* mesh)
{
    CHECK(mesh->triangle_count + mesh->line_count > 0);
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        CHECK(0 <= mesh->triangles[i] && mesh->triangles[i] < mesh->vertex_count);
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        CordVec3 p = mesh->vertices[i];
        CHECK(fabs(p.x) <= 1e9 && fabs(p.y) <= 1e9 && fabs(p.z) <= 1e9);
    }
}

// Bytes that may be spoilt: they are refused, or the mesh is good.
static inline void mesh_check_any(const char* bytes, size_t size)
{
    MeshFile mesh;
    if (!mesh_parse(bytes, size, 1.0, &mesh)) {
        mesh_check(&mesh);
    }
}

static inline MeshFile mesh_read(int line, const char* bytes, size_t size, int vertices, int triangles)
{
    MeshFile mesh;
    const char* problem = mesh_parse(bytes, size, 1.0, &mesh);
    if (problem) {
        check_fail(__FILE__, line, "%.60s: %s", bytes, problem);
    }
    mesh_check(&mesh);
    CHECK_INT(mesh.vertex_count, vertices);
    CHECK_INT(mesh.triangle_count, triangles);
    return mesh;
}

static inline void mesh_check_bad(int line, const char* bytes, size_t size, const char* expected)
{
    MeshFile mesh;
    const char* problem = mesh_parse(bytes, size, 1.0, &mesh);
    if (!problem || strcmp(problem, expected) != 0) {
        check_fail(__FILE__, line, "%.60s: %s\nexpected %s", bytes, problem ? problem : "(read)", expected);
    }
}

#define GOOD(text, vertices, triangles) mesh_read(__LINE__, (text), sizeof(text) - 1, (vertices), (triangles))
#define BAD(text, expected) mesh_check_bad(__LINE__, (text), sizeof(text) - 1, (expected))

#define NO_TRIANGLES "it has no triangles; a mesh is an OBJ, PLY or STL file with one at least"

static inline void check_corners(const MeshFile* mesh, int triangle, int a, int b, int c)
{
    const int* corner = &mesh->triangles[3 * triangle];
    CHECK_INT(corner[0], a);
    CHECK_INT(corner[1], b);
    CHECK_INT(corner[2], c);
}

#endif
