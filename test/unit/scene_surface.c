// Surfaces in scenes: their keys, and that the world has them.
#include "scene_text.h"

#include "scene/scene.h"

// Every file holds a triangle.
static CordScene* with_mesh(void)
{
    static const char triangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    SceneText s =
        scene_text_with("{'cordage': 1, 'surfaces': [{'rod': 'b', 'mesh': {'file': 'a.obj', 'scale': 2, "
                        "'position': [0, 0, 3], "
                        "'rotate': {'axis': [0, 0, 1], 'degrees': 90}}, 'hides': false}, "
                        "{'name': 'skin', 'rod': 'a', 'mesh': {'file': 'a.obj'}}], "
                        "'rods': [{'name': 'a', " SOLID_ROD LINE "}, {'name': 'b', " SOLID_ROD LINE "}]}",
                        NULL, &(SceneTextFile){triangle, sizeof triangle - 1});
    CHECK_NOTED(s.scene, "");
    return s.scene;
}

TEST(each_key_arrives)
{
    CordScene* s = with_mesh();
    CHECK_INT(s->surface_count, 2);
    const SceneSurface* surface = s->surfaces;
    CHECK_STR(surface[0].def.name, "surface1");
    CHECK_INT(surface[0].rod, 1);
    CHECK(!surface[0].def.hides && surface[1].def.hides);
    CHECK_INT(surface[0].def.vertex_count, 3);
    CHECK_INT(surface[0].def.triangle_count, 1);
    CHECK_VEC3(surface[0].def.vertices[1], ((CordVec3){0, 2, 3}), 1e-15); // a turn rounds
    CHECK_VEC3(surface[1].def.vertices[1], ((CordVec3){1, 0, 0}), 0.0);
    CHECK_STR(surface[1].def.name, "skin");
}

TEST(the_world_has_them_on_their_rods)
{
    CordWorld* world = built(with_mesh());
    CHECK_INT(cord_world_surface_count(world), 2);
    CHECK_STR(cord_surface_name(world, cord_world_surface(world, 0)), "surface1");
    CHECK_STR(cord_surface_name(world, cord_world_surface(world, 1)), "skin");
}

TEST_GROUP(scene_surface)
