// A scene with a mistake in it must be refused, with its place; the mended one must become a world with one
// rod.
#include <cordage/io.h>
#include <stdio.h>
#include <string.h>

static int rods_in(const char* text)
{
    CordScene* scene = NULL;
    CordWorld* world = NULL;
    CordWorldDef hooks = cord_world_def_default();
    int rods = -1;
    if (cord_scene_parse(text, strlen(text), "scene.json", NULL, 0, &scene) == CORD_OK &&
        cord_scene_build(scene, &hooks, &world) == CORD_OK) {
        rods = cord_world_rod_count(world);
    } else if (scene != NULL && cord_scene_note_count(scene) > 0) {
        CordSceneNote note = cord_scene_note(scene, 0);
        printf("scene.json:%d:%d: %s\n", note.line, note.column, note.text);
    }
    cord_world_destroy(world);
    cord_scene_destroy(scene);
    return rods;
}

int main(void)
{
    int wrong = rods_in("{ \"cordage\": 1, \"rodz\": [] }");
    int right = rods_in("{ \"cordage\": 1, \"rods\": [{ \"material\": \"nylon\", \"elements\": 10,\n"
                        "  \"section\": { \"disc\": { \"radius\": 0.01 } },\n"
                        "  \"shape\": { \"line\": { \"from\": [0, 0, 0], \"to\": [1, 0, 0] } } }] }");
    printf("version %s with %s: %d and %d rods\n", cord_version(), cord_io_features(), wrong, right);
    return wrong == -1 && right == 1 ? 0 : 1;
}
