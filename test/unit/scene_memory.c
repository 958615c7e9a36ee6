// Every allocation of a scene may fail: the call says so, gives everything back, and nothing else happens.
#include "heap.h"
#include "scene_text.h"

#include "scene/scene.h"

static char* read_everything(size_t* size)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/test/fuzz/scene/everything.json", CORD_SOURCE_DIR);
    FILE* file = fopen(path, "rb");
    CHECK(file != NULL);
    char* text = calloc(1, 100000);
    *size = fread(text, 1, 99999, file);
    fclose(file);
    return text;
}

static const char* const settings[] = {"rods[0].elements=9", "rods[*].velocity=[0, 0, 1]", "clamps[5].at=end",
                                       "clamps[5].rod=b"};

// One try with the nth allocation failing. Returns whether it was reached. A path of another length shifts
// all that comes after it, so that other takers meet the end of a chunk.
static bool try_parse(const char* text, size_t size, const char* path, int n, bool fail_after,
                      CordResult expected)
{
    Heap heap = {.fail = n, .from_then_on = fail_after};
    CordScene* scene;
    CordResult result = scene_parse((CordAllocator){heap_alloc, heap_free, &heap}, NULL, text, size, path,
                                    settings, 4, &scene);
    bool reached = heap.calls >= n;
    if (reached) {
        CHECK_RESULT(result, CORD_NO_MEMORY);
        CHECK(scene == NULL);
    } else {
        CHECK_INT(result, expected);
        cord_scene_destroy(scene);
    }
    CHECK_INT(heap.held, 0);
    return reached;
}

static int try_all(const char* text, size_t size, CordResult expected)
{
    char path[4096];
    int most = 0;
    for (size_t length = 0; length < sizeof path; length += 173) {
        memset(path, 'x', length);
        path[length] = '\0';
        int n = 1;
        while (try_parse(text, size, path, n, false, expected)) {
            try_parse(text, size, path, n, true, expected);
            n++;
        }
        most = n - 1 > most ? n - 1 : most;
    }
    return most;
}

TEST(reading_survives_every_failure)
{
    size_t size;
    char* text = read_everything(&size);
    CHECK(try_all(text, size, CORD_OK) > 5);
    free(text);
}

TEST(reading_what_is_wrong_survives_every_failure)
{
    size_t size;
    char* text = read_everything(&size);
    for (char* at = strstr(text, "\"rod\""); at; at = strstr(at, "\"rod\"")) {
        memcpy(at, "\"rid\"", 5); // each of these is an error with a guess
    }
    memcpy(strstr(text, "\"title\""), "\"cordg\"", 7);
    CHECK(try_all(text, size, CORD_BAD_FILE) > 5);
    free(text);
}

// Objects with many keys and long lists take memory of their own.
TEST(reading_what_is_large_survives_every_failure)
{
    char* text = malloc(1 << 20);
    size_t size = (size_t)sprintf(text, "{");
    for (int i = 0; i < 5000; i++) {
        size += (size_t)sprintf(text + size, "\"k%d\": [%d, %d],", i, i, i);
    }
    size += (size_t)sprintf(text + size, "}");
    CHECK(try_all(text, size, CORD_BAD_FILE) > 5);
    free(text);
}

TEST(loading_a_file_survives_every_failure)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/test/fuzz/scene/everything.json", CORD_SOURCE_DIR);
    bool reached = true;
    for (int n = 1; reached; n++) {
        Heap heap = {.fail = n};
        CordScene* scene;
        CordResult result = scene_load((CordAllocator){heap_alloc, heap_free, &heap}, path, NULL, 0, &scene);
        reached = heap.calls >= n;
        CHECK_INT(result, reached ? CORD_NO_MEMORY : CORD_OK);
        CHECK((scene == NULL) == reached);
        cord_scene_destroy(scene);
        CHECK_INT(heap.held, 0);
    }
}

TEST(building_survives_every_failure_of_the_world_s_memory)
{
    size_t size;
    char* text = read_everything(&size);
    CordScene* scene;
    CHECK_OK(cord_scene_parse(text, size, "x.json", NULL, 0, &scene));
    int warnings = cord_scene_note_count(scene);
    bool reached = true;
    int n = 1;
    for (; reached; n++) {
        Heap heap = {.fail = n};
        CordWorldDef hooks = cord_world_def_default();
        CordWorld* world;
        hooks.allocator = (CordAllocator){heap_alloc, heap_free, &heap};
        CordResult result = cord_scene_build(scene, &hooks, &world);
        reached = heap.calls >= n;
        CHECK_INT(result, reached ? CORD_NO_MEMORY : CORD_OK);
        CHECK((world == NULL) == reached);
        CHECK_INT(cord_scene_note_count(scene), warnings);
        cord_world_destroy(world);
        CHECK_INT(heap.held, 0);
    }
    CHECK(n > 20);
    cord_scene_destroy(scene);
    free(text);
}

// Builds a scene whose last thing is refused.
static void try_builds(const char* text)
{
    Heap heap = {0};
    CordScene* scene;
    CHECK_OK(scene_parse((CordAllocator){heap_alloc, heap_free, &heap}, NULL, text, strlen(text), "", NULL, 0,
                         &scene));
    bool reached = true;
    for (int n = 1; reached; n++) {
        CordWorld* world;
        heap.calls = 0;
        heap.fail = n;
        CordResult result = cord_scene_build(scene, NULL, &world);
        reached = heap.calls >= n;
        CHECK_INT(result, reached ? CORD_NO_MEMORY : CORD_BAD_ARGUMENT);
        CHECK(world == NULL);
    }
    CHECK_INT(cord_scene_note_count(scene), 1);
    cord_scene_destroy(scene);
    CHECK_INT(heap.held, 0);
}

#define LINE "\"shape\": {\"line\": {\"from\": [0, 0, 0], \"to\": [1, 0, 0]}}, \"elements\": 10"

TEST(building_survives_every_failure_of_the_scene_s_memory)
{
    // a clamp that is not on the rod
    try_builds("{\"cordage\": 1, \"rods\": [{\"material\": \"rubber\", \"section\": {\"disc\": {\"radius\": "
               "0.01}}, " LINE "}], "
               "\"clamps\": [{\"at\": {\"arc\": 7}}]}");
    // arrays along a rod, and a weld that sits elsewhere than it says
    try_builds("{\"cordage\": 1, \"rods\": [{\"material\": \"rubber\", \"section\": {\"disc\": {\"radius\": "
               "[0.01, 0.02]}}, "
               "\"stiffness\": {\"along\": [{\"at\": 0, \"bend\": 1}, {\"at\": 1, \"bend\": 2}]}, \"frame\": "
               "{\"toward\": [0, 0, 1]}, " LINE
               "}], \"bodies\": [{\"shape\": {\"sphere\": {\"radius\": 0.1}}, \"mass\": 1}], \"welds\": "
               "[{\"at\": \"end\", \"offset\": [0, 0, 0]}]}");
    // a frame that points along an edge
    try_builds(
        "{\"cordage\": 1, \"rods\": [{\"material\": \"rubber\", \"section\": {\"disc\": {\"radius\": 0.01}}, "
        "\"frame\": {\"toward\": [1, 0, 0]}, " LINE "}]}");
}

TEST_GROUP(scene_memory, reading_survives_every_failure, reading_what_is_wrong_survives_every_failure,
           reading_what_is_large_survives_every_failure, loading_a_file_survives_every_failure,
           building_survives_every_failure_of_the_world_s_memory,
           building_survives_every_failure_of_the_scene_s_memory)
