// Files that a scene names, from the caller instead of the disk.
#include "heap.h"
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

#define HEAD "{\"cordage\": 1, "
#define ROD(shape)                                                                                           \
    "\"rods\": [{\"name\": \"rope\", \"material\": \"rubber\", \"section\": {\"disc\": {\"radius\": "        \
    "0.01}}, "                                                                                               \
    "\"shape\": " shape "}]}"

static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3";
static const char csv[] = "0,0,0\n1,0,0\n1,1,0";
static const char mesh_scene[] =
    HEAD "\"obstacles\": [{\"mesh\": {\"file\": \"parts/a.obj\"}}, {\"mesh\": {\"file\": \"parts/a.obj\", "
         "\"scale\": 2}}], " ROD("{\"line\": {\"from\": [0, 0, 1], \"to\": [1, 0, 1]}}, \"elements\": 4");
static const char points_scene[] = HEAD ROD("{\"file\": {\"path\": \"curve.csv\"}}");

static CordResult parse(CordAllocator allocator, const char* text, Lent* lent, CordScene** scene)
{
    char* bytes = lent->bytes && lent->size < 1000 ? block_of(lent->bytes, lent->size) : NULL;
    Lent copy = {lent->name, bytes ? bytes : lent->bytes, lent->size, 0};
    CordFiles files = {lend, &copy};
    CordResult result =
        scene_parse(allocator, &files, text, strlen(text), "no/such/folder/x.json", NULL, 0, scene);
    free(bytes); // the scene must not need it any more
    lent->asked = copy.asked;
    return result;
}

TEST(a_mesh_comes_from_the_caller)
{
    Lent lent = {"parts/a.obj", obj, sizeof obj - 1, 0};
    CordScene* scene;
    CHECK_OK(parse((CordAllocator){0}, mesh_scene, &lent, &scene));
    CHECK_INT(lent.asked, 2);
    CHECK_INT(cord_scene_file_count(scene), 1);
    CHECK(strcmp(cord_scene_file_name(scene, 0), "parts/a.obj") == 0);
    CHECK(strcmp(cord_scene_file_path(scene, 0), "parts/a.obj") == 0);
    CordWorldDef hooks = cord_world_def_default();
    CordWorld* world;
    CHECK_OK(cord_scene_build(scene, &hooks, &world));
    CHECK_INT(scene->obstacles[1].def.solid.mesh.vertex_count, 3);
    CHECK_VEC3(scene->obstacles[1].def.solid.mesh.vertices[1], ((CordVec3){2, 0, 0}), 0.0);
    cord_world_destroy(world);
    cord_scene_destroy(scene);
}

TEST(a_curve_comes_from_the_caller)
{
    Lent lent = {"curve.csv", csv, sizeof csv - 1, 0};
    CordScene* scene;
    CHECK_OK(parse((CordAllocator){0}, points_scene, &lent, &scene));
    CHECK_INT(cord_scene_rod(scene, 0)->shape.point_count, 3);
    CHECK_VEC3(cord_scene_rod(scene, 0)->shape.points[2], ((CordVec3){1, 1, 0}), 0.0);
    cord_scene_destroy(scene);
}

static void check_refused(int line, const char* text, Lent lent, const char* expected)
{
    CordScene* scene;
    CordResult result = parse((CordAllocator){0}, text, &lent, &scene);
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
    char path[] = CORD_SOURCE_DIR "/scenes/swing.json", text[sizeof path + 400];
    snprintf(text, sizeof text, HEAD ROD("{\"file\": {\"path\": \"%s\"}}"), path);
    check_refused(__LINE__, text, (Lent){"curve.csv", csv, sizeof csv - 1, 0},
                  "it was not given with the scene");
}

TEST(files_of_the_caller_may_be_empty_or_too_large)
{
    check_refused(__LINE__, points_scene, (Lent){"curve.csv", NULL, 0, 0}, "it has 0 points");
    // Of one that is too large nothing is read.
    check_refused(__LINE__, mesh_scene, (Lent){"parts/a.obj", obj, (size_t)600 << 20, 0},
                  "it has 600 MB; the most that is read is 512 MB");
}

TEST(without_files_of_the_caller_the_disk_is_read)
{
    CordScene* scene;
    CHECK_RESULT(cord_scene_parse_with(points_scene, strlen(points_scene), "x.json", NULL, 0, NULL, &scene),
                 CORD_BAD_FILE);
    cord_scene_destroy(scene);
}

TEST(reading_survives_every_failure)
{
    Lent lent = {"parts/a.obj", obj, sizeof obj - 1, 0};
    bool reached = true;
    for (int n = 1; reached; n++) {
        Heap heap = {.fail = n};
        CordScene* scene;
        CordResult result = parse((CordAllocator){heap_alloc, heap_free, &heap}, mesh_scene, &lent, &scene);
        reached = heap.calls >= n;
        CHECK_INT(result, reached ? CORD_NO_MEMORY : CORD_OK);
        cord_scene_destroy(scene);
        CHECK_INT(heap.held, 0);
    }
}

TEST_GROUP(scene_files, a_mesh_comes_from_the_caller, a_curve_comes_from_the_caller,
           what_the_caller_has_not_is_not_looked_for_on_the_disk,
           files_of_the_caller_may_be_empty_or_too_large, without_files_of_the_caller_the_disk_is_read,
           reading_survives_every_failure)
