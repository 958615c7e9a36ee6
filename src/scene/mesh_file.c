// Recognises the format of a mesh file, and reads it.
#include "scene/mesh_text.h"

#include <math.h>
#include <string.h>

#define LOOKED_AT 1000 // a file with a zero among its first bytes is binary

#define NO_TRIANGLES "it has no triangles; a mesh is an OBJ, PLY or STL file with one at least"

typedef struct Other { // formats that are not read
    const char* start;
    const char* advice;
} Other;

static const Other others[] = {
    {"glTF", "this is a glTF file; save the mesh as OBJ, PLY or STL"},
    {"OFF", "this is an OFF file; save the mesh as OBJ, PLY or STL"},
    {"PK\003\004", "this is a compressed archive, such as 3MF; save the mesh as OBJ, PLY or STL"},
    {"\x89HDF", "this is an HDF5 file, such as a recording; a mesh is an OBJ, PLY or STL file"},
    {"\xff\xfe", "this text is in UTF-16; save it as UTF-8"},
    {"\xfe\xff", "this text is in UTF-16; save it as UTF-8"},
};

static const char* other_kind(const MeshText* t)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t length = strlen(others[i].start);
        if (t->size >= length && memcmp(t->bytes, others[i].start, length) == 0) {
            return others[i].advice;
        }
    }
    return NULL;
}

static bool seems_binary(const MeshText* t)
{
    return memchr(t->bytes, '\0', t->size < LOOKED_AT ? t->size : LOOKED_AT) != NULL;
}

// Some binary STL files begin with the word "solid", as text ones do, so their size is checked first. Returns
// whether the file is binary.
static bool read_any(MeshText* t, MeshFile* mesh)
{
    if (mesh_stl_is_binary(t->bytes, t->size)) {
        mesh_stl_read_binary(t, mesh);
        return true;
    }
    if (mesh_ply_is(t->bytes, t->size)) {
        return mesh_ply_read(t, mesh);
    }
    t->problem = other_kind(t);
    if (t->problem) {
        return true;
    }
    if (seems_binary(t)) {
        mesh_stl_read_binary(t, mesh);
        return true;
    }
    t->at = t->size >= 3 && memcmp(t->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    size_t start = t->at;
    mesh_text_skip_gaps(t);
    bool is_stl = mesh_text_take(t, "solid");
    t->at = start;
    is_stl ? mesh_stl_read_text(t, mesh) : mesh_obj_read(t, mesh);
    return false;
}

static const char* problem_with(MeshText* t, bool binary)
{
    if (binary) {
        return pool_format(t->pool, "byte %zu: %s", t->at, t->problem);
    }
    JsonPosition at = json_position_start(t->bytes, t->size);
    json_position_move(&at, t->at);
    return pool_format(t->pool, "line %d, column %d: %s", at.line, at.column, t->problem);
}

const char* mesh_file_parse(Pool* pool, const char* bytes, size_t size, double scale, MeshFile* mesh)
{
    Pool scratch = pool_beside(pool);
    *mesh = (MeshFile){0};
    MeshText text = {.pool = pool, .scratch = &scratch, .bytes = bytes, .size = size, .scale = scale};
    bool binary = read_any(&text, mesh);
    pool_end(&scratch, pool);
    if (text.problem) {
        return problem_with(&text, binary);
    }
    bool empty = mesh->triangle_count == 0 && mesh->line_count == 0;
    return empty && !pool->failed ? NO_TRIANGLES : NULL;
}

// Whether the name ends in .obj, .ply or .stl, in any case. The content of a file without an ending decides.
static bool may_be_mesh(const char* name)
{
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
    char ending[5] = "";
    for (int i = 0; dot && i < 4 && dot[i]; i++) {
        ending[i] = (char)(dot[i] >= 'A' && dot[i] <= 'Z' ? dot[i] - 'A' + 'a' : dot[i]);
    }
    bool known = strcmp(ending, ".obj") == 0 || strcmp(ending, ".ply") == 0 || strcmp(ending, ".stl") == 0;
    return !dot || (strlen(dot) == 4 && known);
}

static const char* read_bytes(Reader* r, const char* name, double scale, bool lines_will_do, MeshFile* mesh)
{
    Pool scratch = pool_beside(r->pool); // the bytes of the file are many more than those of the mesh
    size_t size;
    const char* problem;
    const char* bytes = scene_file(r->scene, &scratch, name, MESH_FILE_MOST_BYTES, &size, &problem);
    if (bytes) {
        problem = mesh_file_parse(r->pool, bytes, size, scale, mesh);
        problem = !problem && mesh->triangle_count == 0 && !lines_will_do ? NO_TRIANGLES : problem;
    }
    problem = problem ? pool_format(r->pool, "%s", problem) : NULL;
    pool_end(&scratch, r->pool);
    return problem;
}

bool read_mesh_keys(Reader* r, const JsonValue* value, const MeshKeys* keys, bool lines_will_do,
                    PlacedMesh* placed)
{
    const char* path = reader_describe(r, json_member(value, "file"));
    if (!may_be_mesh(keys->file)) {
        return member_error(
            r, value, "file",
            "is %s; a mesh is an OBJ, PLY or STL file, and its name ends in .obj, .ply or .stl", path);
    }
    MeshFile mesh = {0};
    const char* problem = read_bytes(r, keys->file, keys->scale, lines_will_do, &mesh);
    if (problem) {
        member_error(r, value, "file", "is %s: %s", path, problem);
    }
    if (problem || r->pool->failed) {
        return false;
    }
    *placed = (PlacedMesh){mesh, keys->position, turn_rotation(&keys->rotate)};
    return true;
}

void mesh_place(PlacedMesh* placed)
{
    MeshFile* mesh = &placed->mesh;
    for (int i = 0; i < mesh->vertex_count; i++) {
        mesh->vertices[i] =
            cord_vec3_add(placed->position, cord_quat_rotate(placed->rotation, mesh->vertices[i]));
    }
}
