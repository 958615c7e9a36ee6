// Surfaces that go along with rods, for pictures and exports.
#include "scene/mesh_file.h"
#include "scene/space.h"

#define MOST_SURFACES 10000

typedef struct SurfaceDefKeys {
    CordSurfaceDef def;
    PlacedMesh mesh;
    int rod;
} SurfaceDefKeys;

static const Field surface_fields[] = {
    {FIELD("name", OTHER, SurfaceDefKeys, def.name), .read = read_name},
    {FIELD("rod", OTHER, SurfaceDefKeys, rod), .read = read_rod},
    {FIELD("mesh", OTHER, SurfaceDefKeys, mesh), .needed = "the mesh, such as {\"file\": \"skin.obj\"}",
     .read = read_placed_mesh},
    {FIELD("hides", BOOL, SurfaceDefKeys, def.hides),
     .what = "this says whether pictures show it in place of the rod"},
};
const Table table_surface = TABLE("surface", "a surface", surface_fields);

static void read_entry(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordScene* scene = user;
    SurfaceDefKeys keys = {.def = cord_surface_def_default(), .rod = -1};
    keys.def.name = pool_format(r->pool, "surface%d", index + 1);
    bool good = read_table(r, entry, &table_surface, &keys);
    MeshFile* mesh = &keys.mesh.mesh;
    for (int i = 0; i < mesh->vertex_count; i++) {
        mesh->vertices[i] = space_add(keys.mesh.position, space_turn(keys.mesh.rotation, mesh->vertices[i]), 1.0);
    }
    keys.def.vertices = mesh->vertices, keys.def.vertex_count = mesh->vertex_count;
    keys.def.triangles = mesh->triangles, keys.def.triangle_count = mesh->triangle_count;
    int rod = good ? rod_or_only(r, entry, keys.rod) : -1;
    scene->surfaces[index] = (SceneSurface){keys.def, rod, entry};
}

static const char* surface_name(const void* context, int i)
{
    const CordScene* scene = context;
    return scene->surfaces[i].def.name;
}

static const JsonValue* surface_place(const void* context, int i)
{
    const CordScene* scene = context;
    return scene->surfaces[i].at;
}

void read_surfaces(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    NameIndex index;
    bool is_list = value->kind == JSON_ARRAY;
    if (is_list && value->count > MOST_SURFACES) {
        reader_error(r, value, "is a list of %u; at most %d are kept", value->count, MOST_SURFACES);
        return;
    }
    scene->surfaces = is_list ? pool_array(r->pool, SceneSurface, value->count) : NULL;
    if (is_list && !scene->surfaces) {
        return;
    }
    read_list(r, value, "surfaces are a list", read_entry, scene);
    scene->surface_count = scene->surfaces ? (int)value->count : 0;
    if (name_index_make(r->pool, &index, surface_name, scene, scene->surface_count)) {
        names_check(r, "surfaces", &index, surface_place, scene);
    }
}
