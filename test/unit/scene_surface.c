// Surfaces in scenes: their keys, what is wrong with them, and that the world has them.
#include "scene_text.h"

#include "scene/scene.h"

#include <unistd.h>

#define RODS                                                                                                 \
    "'rods': [{'name': 'a', 'material': 'rubber', 'section': {'disc': {'radius': 0.01}}, 'shape': {'line': " \
    "{'from': [0, 0, 0], "                                                                                   \
    "'to': [1, 0, 0]}}, 'elements': 4}, {'name': 'b', 'material': 'rubber', 'section': {'disc': {'radius': " \
    "0.01}}, 'shape': "                                                                                      \
    "{'line': {'from': [0, 1, 0], 'to': [1, 1, 0]}}, 'elements': 4}]"

// A triangle in a file, read by a scene with these surfaces, in which %s is the path of the file.
static SceneText with_mesh(const char* surfaces)
{
    static const char bytes[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    char path[] = "/tmp/cordage_surface_XXXXXX", list[600], text[1200];
    int file = mkstemp(path);
    CHECK(file >= 0);
    CHECK_INT(write(file, bytes, sizeof bytes - 1), sizeof bytes - 1);
    close(file);
    snprintf(list, sizeof list, surfaces, path, path);
    snprintf(text, sizeof text, "{'cordage': 1,\n'surfaces': [%s], " RODS "}", list);
    SceneText s = scene_text(text, NULL);
    unlink(path);
    return s;
}

TEST(each_key_arrives)
{
    SceneText s =
        with_mesh("{'rod': 'b', 'mesh': {'file': '%s', 'scale': 2, 'position': [0, 0, 3], 'rotate': {'axis': "
                  "[0, 0, 1], "
                  "'degrees': 90}}, 'hides': false}, {'name': 'skin', 'rod': 'a', 'mesh': {'file': '%s'}}");
    char* notes = scene_text_notes(s.scene);
    CHECK_STR(notes, "");
    free(notes);
    CHECK_OK(s.result);
    CHECK_INT(s.scene->surface_count, 2);
    const SceneSurface* surface = s.scene->surfaces;
    CHECK_STR(surface[0].def.name, "surface1");
    CHECK_INT(surface[0].rod, 1);
    CHECK(!surface[0].def.hides && surface[1].def.hides);
    CHECK_INT(surface[0].def.vertex_count, 3);
    CHECK_INT(surface[0].def.triangle_count, 1);
    CHECK_VEC3(surface[0].def.vertices[1], ((CordVec3){0, 2, 3}), 1e-15); // a turn rounds
    CHECK_VEC3(surface[1].def.vertices[1], ((CordVec3){1, 0, 0}), 0.0);
    CHECK_STR(surface[1].def.name, "skin");
    cord_scene_destroy(s.scene);
}

TEST(the_world_has_them_on_their_rods)
{
    SceneText s = with_mesh(
        "{'rod': 'b', 'mesh': {'file': '%s'}}, {'name': 'skin', 'rod': 'a', 'mesh': {'file': '%s'}}");
    CordWorld* world;
    CHECK_OK(cord_scene_build(s.scene, NULL, &world));
    CHECK_INT(cord_world_surface_count(world), 2);
    CHECK_STR(cord_surface_name(world, cord_world_surface(world, 0)), "surface1");
    CHECK_STR(cord_surface_name(world, cord_world_surface(world, 1)), "skin");
    cord_world_destroy(world);
    cord_scene_destroy(s.scene);
}

TEST_GROUP(scene_surface, each_key_arrives, the_world_has_them_on_their_rods)
