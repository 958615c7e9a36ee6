// Surfaces that go along with rods, for pictures and exports.
#include "scene/mesh_file.h"

typedef struct SurfaceDefKeys {
    CordSurfaceDef def;
    PlacedMesh mesh;
    int rod;
} SurfaceDefKeys;

static void surface_start(void* keys)
{
    *(SurfaceDefKeys*)keys = (SurfaceDefKeys){.def = cord_surface_def_default(), .rod = -1};
}

static const Field surface_fields[] = {
    {FIELD("name", NAME, SurfaceDefKeys, def.name), .about = "Name in recordings.",
     .otherwise = "`surface1`, `surface2`, ..."},
    {FIELD("rod", STRING, SurfaceDefKeys, rod), .about = "Name of the rod.", .otherwise = "the only rod",
     .read = read_rod},
    {FIELD("mesh", OBJECT, SurfaceDefKeys, mesh), .about = "Mesh of the surface at the start of the scene.",
     .needed = "the mesh, such as {\"file\": \"skin.obj\"}", .table = &table_mesh, .read = read_placed_mesh},
    {FIELD("hides", BOOL, SurfaceDefKeys, def.hides),
     .about = "Whether pictures show the surface in place of the rod.",
     .what = "this says whether pictures show it in place of the rod"},
};
const Table table_surface =
    TABLE("surface", "a surface", surface_fields,
          .about = "A surface of triangles that follows a rod, as its skin. Nothing touches it.",
          .size = sizeof(SurfaceDefKeys), .start = surface_start);

static void read_entry(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordScene* scene = user;
    SurfaceDefKeys keys;
    surface_start(&keys);
    keys.def.name = pool_format(r->pool, "surface%d", index + 1);
    bool good = read_table(r, entry, &table_surface, &keys);
    MeshFile* mesh = &keys.mesh.mesh;
    for (int i = 0; i < mesh->vertex_count; i++) {
        mesh->vertices[i] =
            cord_vec3_add(keys.mesh.position, cord_quat_rotate(keys.mesh.rotation, mesh->vertices[i]));
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
