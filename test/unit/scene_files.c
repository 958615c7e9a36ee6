// Files that a scene names, from the caller instead of the disk.
#include "scene_text.h"

#include "scene/scene.h"

typedef struct Lent {
    const char *name, *bytes;
    size_t size;
    int asked;
} Lent;

static bool lend(void* user, const char* name, const char** bytes, size_t* size)
{
    Lent* lent = user;
    lent->asked++;
    *bytes = lent->bytes;
    *size = lent->size;
    return strcmp(name, lent->name) == 0;
}

// In blocks of their own size, so that a byte too many is found.
static char* block_of(const char* bytes, size_t size)
{
    char* block = malloc(size > 0 ? size : 1);
    memcpy(block, bytes, size);
    return block;
}

static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3";
static const char csv[] = "0,0,0\n1,0,0\n1,1,0";
static const char mesh_scene[] = SCENE_WITH("'obstacles': [{'mesh': {'file': 'parts/a.obj'}}, "
                                            "{'mesh': {'file': 'parts/a.obj', 'scale': 2}}], ",
                                            "");
#define POINTS_SCENE(path) ROD(SOLID_ROD "'shape': {'file': {'path': '" path "'}}")

static CordResult parse(const char* quoted, Lent* lent, CordScene** scene)
{
    char *text = scene_text_quoted(quoted),
         *bytes = lent->bytes && lent->size < 1000 ? block_of(lent->bytes, lent->size) : NULL;
    Lent copy = {lent->name, bytes ? bytes : lent->bytes, lent->size, 0};
    CordFiles files = {lend, &copy};
    CordResult result =
        cord_scene_parse_with(text, strlen(text), "no/such/folder/x.json", NULL, 0, &files, scene);
    free(text);
    free(bytes); // the scene must not need it any more
    lent->asked = copy.asked;
    return result;
}

TEST(a_mesh_comes_from_the_caller)
{
    Lent lent = {"parts/a.obj", obj, sizeof obj - 1, 0};
    CordScene* scene;
    CHECK_OK(parse(mesh_scene, &lent, &scene));
    CHECK_INT(lent.asked, 2);
    CHECK_INT(cord_scene_file_count(scene), 1);
    CHECK(strcmp(cord_scene_file_name(scene, 0), "parts/a.obj") == 0);
    CHECK(strcmp(cord_scene_file_path(scene, 0), "parts/a.obj") == 0);
    CordWorld* world;
    CHECK_OK(cord_scene_build(scene, NULL, &world));
    CHECK_INT(scene->obstacles[1].def.solid.mesh.vertex_count, 3);
    CHECK_VEC3(scene->obstacles[1].def.solid.mesh.vertices[1], ((CordVec3){2, 0, 0}), 0.0);
    cord_world_destroy(world);
    cord_scene_destroy(scene);
}

TEST(a_curve_comes_from_the_caller)
{
    Lent lent = {"curve.csv", csv, sizeof csv - 1, 0};
    CordScene* scene;
    CHECK_OK(parse(POINTS_SCENE("curve.csv"), &lent, &scene));
    CHECK_INT(cord_scene_rod(scene, 0)->shape.point_count, 3);
    CHECK_VEC3(cord_scene_rod(scene, 0)->shape.points[2], ((CordVec3){1, 1, 0}), 0.0);
    cord_scene_destroy(scene);
}

static void check_refused(int line, const char* text, Lent lent, const char* expected)
{
    CordScene* scene;
    CordResult result = parse(text, &lent, &scene);
    char* notes = scene_text_notes(scene);
    bool good = result == CORD_BAD_FILE && strstr(notes, expected);
    cord_scene_destroy(scene);
    if (!good) {
        check_fail(__FILE__, line, "the notes are\n%sexpected\n%s", notes, expected);
    }
    free(notes);
}

TEST(what_the_caller_has_not_is_not_looked_for_on_the_disk)
{
    check_refused(__LINE__, mesh_scene, (Lent){"parts/b.obj", obj, sizeof obj - 1, 0},
                  "is \"parts/a.obj\": it was not given with the scene");
    check_refused(__LINE__, POINTS_SCENE(CORD_SOURCE_DIR "/scenes/swing.json"),
                  (Lent){"curve.csv", csv, sizeof csv - 1, 0}, "it was not given with the scene");
}

TEST(files_of_the_caller_may_be_empty_or_too_large)
{
    check_refused(__LINE__, POINTS_SCENE("curve.csv"), (Lent){"curve.csv", NULL, 0, 0}, "it has 0 points");
    // Of one that is too large nothing is read.
    check_refused(__LINE__, mesh_scene, (Lent){"parts/a.obj", obj, (size_t)600 << 20, 0},
                  "it has 600 MB; the most that is read is 512 MB");
}

TEST(without_files_of_the_caller_the_disk_is_read)
{
    CHECK_RESULT(scene_text_with(POINTS_SCENE("curve.csv"), NULL, NULL).result, CORD_BAD_FILE);
}

TEST_GROUP(scene_files)
