// Surfaces that follow rods, for pictures and exports.
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
    {FIELD("rod", ROD, SurfaceDefKeys, rod), .about = "Name of the rod.", .otherwise = "the only rod"},
    {FIELD("mesh", OBJECT, SurfaceDefKeys, mesh), .about = "Mesh of the surface at the start of the scene.",
     .needed = "the mesh, such as {\"file\": \"skin.obj\"}", .table = &table_mesh},
    {FIELD("hides", BOOL, SurfaceDefKeys, def.hides),
     .about = "Whether pictures show the surface in place of the rod."},
};
const Table table_surface =
    TABLE("surface", "a surface", surface_fields,
          .about = "A surface of triangles that follows a rod, as its skin. Nothing touches it.",
          .size = sizeof(SurfaceDefKeys), .start = surface_start);

static void read_entry(Reader* r, const JsonValue* entry, int index, void* entries)
{
    SurfaceDefKeys keys;
    surface_start(&keys);
    keys.def.name = pool_format(r->pool, "surface%d", index + 1);
    bool good = read_table(r, entry, &table_surface, &keys);
    const MeshFile* mesh = &keys.mesh.mesh;
    mesh_place(&keys.mesh);
    keys.def.vertices = mesh->vertices, keys.def.vertex_count = mesh->vertex_count;
    keys.def.triangles = mesh->triangles, keys.def.triangle_count = mesh->triangle_count;
    int rod = good ? rod_or_only(r, entry, keys.rod) : -1;
    ((SceneSurface*)entries)[index] = (SceneSurface){keys.def, rod, entry};
}

void read_surfaces(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    List surfaces = read_named(r, value, read_entry, NAMED_LIST(SceneSurface, def.name, NULL, 0), NULL);
    scene->surfaces = surfaces.entries;
    scene->surface_count = surfaces.count;
}
