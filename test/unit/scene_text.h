// Scenes from texts in a test, and what is noted about them.
//
// Texts are written with ' for ", since C would need a backslash at each. The scene and the world that were
// made last live until the next ones are made, so a test frees neither.
#ifndef CORDAGE_TEST_SCENE_TEXT_H
#define CORDAGE_TEST_SCENE_TEXT_H

#include "check.h"

#include <cordage/io.h>

#include <stdlib.h>

#if defined(__GNUC__)
#define CHECK_FORMAT __attribute__((format(printf, 1, 2)))
#else
#define CHECK_FORMAT
#endif

typedef struct SceneText {
    CordScene* scene;
    CordResult result;
} SceneText;

static CordScene* scene_text_last;
static CordWorld* scene_text_last_world;

// The text with " for each '.
static inline char* scene_text_quoted(const char* text)
{
    size_t size = strlen(text);
    char* copy = malloc(size + 1);
    for (size_t i = 0; i <= size; i++) {
        copy[i] = text[i] == '\'' ? '"' : text[i];
    }
    return copy;
}

// A file of the repository, with a zero after it. The caller frees it.
static inline char* scene_text_file(const char* name, size_t* size)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", CORD_SOURCE_DIR, name);
    FILE* file = fopen(path, "rb");
    if (!file) {
        check_fail(__FILE__, __LINE__, "%s cannot be opened", path);
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char* text = calloc(1, *size + 1);
    CHECK_INT(fread(text, 1, *size, file), *size);
    fclose(file);
    return text;
}

typedef struct SceneTextFile { // a file in memory
    const char* bytes;
    size_t size;
} SceneTextFile;

static inline bool scene_text_lend(void* user, const char* name, const char** bytes, size_t* size)
{
    const SceneTextFile* file = user;
    (void)name;
    *bytes = file->bytes;
    *size = file->size;
    return true;
}

// `settings`: NULL, or settings separated by line ends. `file`: NULL, or what every file that the scene names
// holds.
static inline SceneText scene_text_with(const char* quoted, const char* settings, SceneTextFile* file)
{
    SceneText s = {NULL, CORD_OK};
    char *text = scene_text_quoted(quoted), *copy = strdup(settings ? settings : "");
    const CordFiles files = {scene_text_lend, file};
    const char* list[64] = {NULL};
    int count = 0;
    for (char* at = strtok(copy, "\n"); at; at = strtok(NULL, "\n")) {
        list[count++] = at;
    }
    s.result =
        cord_scene_parse_with(text, strlen(text), "scene.json", list, count, file ? &files : NULL, &s.scene);
    free(copy);
    free(text);
    CHECK(s.scene != NULL);
    cord_world_destroy(scene_text_last_world);
    cord_scene_destroy(scene_text_last);
    scene_text_last_world = NULL;
    scene_text_last = s.scene;
    return s;
}

static inline SceneText scene_text(const char* quoted, const char* settings)
{
    return scene_text_with(quoted, settings, NULL);
}

// The notes as "line:column: error: text", one line each. The caller frees them.
static inline char* scene_text_notes(const CordScene* scene)
{
    size_t room = 1;
    char* all = calloc(1, 1);
    for (int i = 0; i < cord_scene_note_count(scene); i++) {
        CordSceneNote note = cord_scene_note(scene, i);
        size_t more = strlen(note.text) + 60, used = strlen(all);
        room += more;
        all = realloc(all, room);
        snprintf(all + used, more, "%d:%d: %s: %s\n", note.line, note.column,
                 note.is_error ? "error" : "warning", note.text);
    }
    return all;
}

// Compares all notes of a scene with what is expected.
static inline void check_noted(const char* file, int line, const CordScene* scene, const char* expected)
{
    char* notes = scene_text_notes(scene);
    char copy[4096];
    bool same = strcmp(notes, expected) == 0;
    snprintf(copy, sizeof copy, "%s", notes);
    free(notes);
    if (!same) {
        check_fail(file, line, "the notes are\n%sexpected\n%s", copy, expected);
    }
}

#define CHECK_NOTED(scene, expected) check_noted(__FILE__, __LINE__, (scene), (expected))

// A scene that is right: there is nothing to note about it.
static inline CordScene* made_set(const char* quoted, const char* settings)
{
    SceneText s = scene_text(quoted, settings);
    CHECK_NOTED(s.scene, "");
    CHECK_OK(s.result);
    return s.scene;
}

static inline CordScene* made(const char* quoted)
{
    return made_set(quoted, NULL);
}

CHECK_FORMAT static inline CordScene* made_from(const char* format, ...)
{
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    CHECK(vsnprintf(text, sizeof text, format, arguments) < (int)sizeof text);
    va_end(arguments);
    return made(text);
}

// The world of the scene that was made last.
static inline CordWorld* built(CordScene* scene)
{
    CHECK(scene == scene_text_last);
    cord_world_destroy(scene_text_last_world);
    CHECK_OK(cord_scene_build(scene, NULL, &scene_text_last_world));
    return scene_text_last_world;
}

// Reads the text and compares all its notes with what is expected.
static inline void check_notes(const char* file, int line, const char* text, const char* settings,
                               const char* expected)
{
    SceneText s = scene_text(text, settings);
    bool errors = strstr(expected, ": error: ") != NULL;
    if (errors != (s.result == CORD_BAD_FILE)) {
        check_fail(file, line, "reading\n%s\nreturned %d, which does not fit the notes\n%s", text, s.result,
                   expected);
    }
    check_noted(file, line, s.scene, expected);
}

#define CHECK_NOTES(text, expected) check_notes(__FILE__, __LINE__, (text), NULL, (expected))
#define CHECK_NOTES_SET(text, settings, expected)                                                            \
    check_notes(__FILE__, __LINE__, (text), (settings), (expected))

// Keys of a rod.
#define SOLID_ROD "'material': 'rubber', 'section': {'disc': {'radius': 0.01}}, "
#define BARE_ROD "'stiffness': {'bend': 1, 'twist': 1, 'stretch': 1, 'mass_per_length': 1}, "
#define LINE_OF(elements) "'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0, 0]}}, 'elements': " elements
#define LINE LINE_OF("4")

// A scene with one rod. Its keys are on line 2, from column 1.
#define ROD(keys) "{'cordage': 1, 'rods': [{'name': 'rope',\n" keys "}]}"

// On line 1: keys of the scene; on line 2: keys of the rod that come before its own; the rod's own are on
// line 3.
#define SCENE_WITH(scene_keys, rod_keys)                                                                     \
    "{'cordage': 1, " scene_keys "'rods': [{'name': 'rope',\n" rod_keys "\n" SOLID_ROD LINE_OF("10") "}]}"
#define SCENE SCENE_WITH("", "")

// The keys of a scene, as a note about one that is none lists them.
#define SCENE_KEYS                                                                                           \
    "$schema, cordage, title, gravity, time, materials, rods, clamps, engine, bodies, welds, joints, "       \
    "body_joints, obstacles, surfaces, contact, loads, probes, solve or camera"

#endif
