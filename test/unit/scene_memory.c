// Every allocation of a scene may fail: the call says so, gives everything back, and nothing else happens.
#include "heap.h"
#include "scene_text.h"

#include "scene/scene.h"

#define EVERYTHING "test/fuzz/scene/everything.json"
#define CONTACT "test/fuzz/scene/contact.json"

// ---- reading

typedef struct Reading {
    const char* text; // NULL: the file `path`
    size_t size;
    const char* path;
    const CordFiles* files;
    int setting_count;
    CordResult expected; // if no allocation fails
} Reading;

static const char* const settings[] = {"rods[0].elements=9", "rods[*].velocity=[0, 0, 1]", "clamps[5].at=end",
                                       "clamps[5].rod=b"};

// Returns whether an allocation failed.
static bool try_read(const Reading* r, Heap heap)
{
    CordScene* scene;
    CordResult result = scene_parse((CordAllocator){heap_alloc, heap_free, &heap}, r->files, r->text, r->size,
                                    r->path, settings, r->setting_count, &scene);
    bool failed = heap.calls >= heap.fail;
    CHECK_RESULT(result, failed ? CORD_NO_MEMORY : r->expected);
    CHECK((scene == NULL) == failed);
    cord_scene_destroy(scene);
    CHECK_INT(heap.held, 0);
    return failed;
}

// Returns how many allocations there are.
static int try_every(const Reading* r)
{
    int n = 1;
    while (try_read(r, (Heap){.fail = n})) {
        try_read(r, (Heap){.fail = n, .from_then_on = true});
        n++;
    }
    return n - 1;
}

// A path of another length shifts all that comes after it, so that other takers meet the end of a chunk.
static void try_paths(Reading r)
{
    char path[4096];
    r.path = path;
    for (size_t length = 0; length < sizeof path; length += 173) {
        memset(path, 'x', length);
        path[length] = '\0';
        CHECK(try_every(&r) > 2);
    }
}

TEST(reading_survives_every_failure)
{
    size_t size;
    char* text = scene_text_file(EVERYTHING, &size);
    try_paths((Reading){.text = text, .size = size, .setting_count = 4});
    free(text);
    text = scene_text_file(CONTACT, &size);
    try_paths((Reading){.text = text, .size = size});
    free(text);
}

TEST(reading_what_is_wrong_survives_every_failure)
{
    size_t size;
    char* text = scene_text_file(EVERYTHING, &size);
    for (char* at = strstr(text, "\"rod\""); at; at = strstr(at, "\"rod\"")) {
        memcpy(at, "\"rid\"", 5); // each of these is an error with a guess
    }
    memcpy(strstr(text, "\"title\""), "\"cordg\"", 7);
    try_paths((Reading){.text = text, .size = size, .setting_count = 4, .expected = CORD_BAD_FILE});
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
    try_paths((Reading){.text = text, .size = size, .setting_count = 4, .expected = CORD_BAD_FILE});
    free(text);
}

#define NETWORK "{'cordage': 1, 'rods': [{'model': 'modal', " SOLID_ROD

TEST(reading_shapes_survives_every_failure)
{
    static const char* const quoted[] = {
        NETWORK "'parts': [{'edges': [[0, 1]], 'section': {'disc': {'radius': 0.5}}}], 'shape': {'network': "
                "{'nodes': [[0, 0, 0], [1, 0, 0], [1, 0, 1]], 'edges': [[0, 1], [1, 2]], 'split': 2}}}]}",
        NETWORK "'shape': {'tree': {'base': [0, 0, 0], 'tip': [0, 0, 1], 'levels': 8, 'split': 2}}}]}",
        NETWORK LINE_OF("400") "}], 'clamps': [{'at': {'box': {'low': [0, 0, 0], 'high': [1, 0, 0]}}, "
                               "'motion': [{'rotate': {'axis': [0, 0, 1], 'turns': 1}, 'to': 1}]}]}",
        "{'cordage': 1, 'rods': [{'name': 'hair', " SOLID_ROD "'elements': 10, 'strands': {'mesh': {'file': "
        "'square.obj', 'position': [0, 0, 2]}, 'count': 300, 'length': 0.1, 'where': [{'offset': 1}]}}], "
        "'clamps': [{'rod': 'hair', 'at': 'start'}]}",
        SCENE_WITH("'obstacles': [{'mesh': {'file': 'a.obj'}}, {'mesh': {'file': 'a.obj', 'scale': 2}}], ",
                   ""),
    };
    static const char square[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    SceneTextFile file = {square, sizeof square - 1};
    const CordFiles files = {scene_text_lend, &file};
    for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++) {
        char* text = scene_text_quoted(quoted[i]);
        CHECK(try_every(&(Reading){.text = text, .size = strlen(text), .path = "", .files = &files}) > 2);
        free(text);
    }
}

TEST(loading_a_file_survives_every_failure)
{
    CHECK(try_every(&(Reading){.path = CORD_SOURCE_DIR "/" EVERYTHING}) > 2);
}

// ---- building

static void try_worlds(const char* name)
{
    size_t size;
    char* text = scene_text_file(name, &size);
    CordScene* scene;
    CHECK_OK(cord_scene_parse(text, size, "x.json", NULL, 0, &scene));
    int warnings = cord_scene_note_count(scene), n = 1;
    for (bool reached = true; reached; n++) {
        Heap heap = {.fail = n};
        CordWorldDef hooks = def_on(&heap);
        CordWorld* world;
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

TEST(building_survives_every_failure_of_the_world_s_memory)
{
    try_worlds(EVERYTHING);
    try_worlds(CONTACT);
}

// Builds a scene whose last thing is refused.
static void try_builds(const char* quoted)
{
    Heap heap = {0};
    CordScene* scene;
    char* text = scene_text_quoted(quoted);
    CHECK_OK(scene_parse((CordAllocator){heap_alloc, heap_free, &heap}, NULL, text, strlen(text), "", NULL, 0,
                         &scene));
    free(text);
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

TEST(building_survives_every_failure_of_the_scene_s_memory)
{
    // a clamp that is not on the rod
    try_builds(SCENE_WITH("'clamps': [{'at': {'arc': 7}}], ", ""));
    // arrays along a rod, and a weld that sits elsewhere than it says
    try_builds(
        "{'cordage': 1, 'rods': [{'material': 'rubber', 'section': {'disc': {'radius': [0.01, 0.02]}}, "
        "'stiffness': {'along': [{'at': 0, 'bend': 1}, {'at': 1, 'bend': 2}]}, "
        "'frame': {'toward': [0, 0, 1]}, " LINE "}], 'bodies': [{'shape': {'sphere': {'radius': 0.1}}, "
        "'mass': 1}], 'welds': [{'at': 'end', 'offset': [0, 0, 0]}]}");
    // a frame that points along an edge
    try_builds(SCENE_WITH("", "'frame': {'toward': [1, 0, 0]}, "));
}

TEST_GROUP(scene_memory)
