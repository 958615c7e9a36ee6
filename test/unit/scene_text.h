// Scenes from texts in a test, and what is noted about them.
//
// Texts are written with ' for ", since C would need a backslash at each; SCENE(...) is a whole scene with
// one rod called "rope", and what is in the brackets is put before the rod's keys.
#ifndef CORDAGE_TEST_SCENE_TEXT_H
#define CORDAGE_TEST_SCENE_TEXT_H

#include "check.h"

#include <cordage/io.h>

#include <stdlib.h>

typedef struct SceneText {
    CordScene* scene;
    CordResult result;
} SceneText;

// `settings`: NULL, or settings separated by line ends.
static inline SceneText scene_text(const char* quoted, const char* settings)
{
    SceneText s = {NULL, CORD_OK};
    size_t size = strlen(quoted), settings_size = settings ? strlen(settings) : 0;
    char* text = malloc(size + 1);
    char* copy = malloc(settings_size + 1);
    const char* list[64] = {NULL};
    int count = 0;
    for (size_t i = 0; i <= size; i++) {
        text[i] = quoted[i] == '\'' ? '"' : quoted[i];
    }
    memcpy(copy, settings ? settings : "", settings_size + 1);
    for (char* at = settings ? strtok(copy, "\n") : NULL; at; at = strtok(NULL, "\n")) {
        list[count++] = at;
    }
    s.result = cord_scene_parse(text, size, "scene.json", list, count, &s.scene);
    free(copy);
    free(text);
    CHECK(s.scene != NULL);
    return s;
}

// The notes as "line:column: error: text", one line each.
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

// A scene that is right: there is nothing to note about it.
static inline CordScene* made_set(const char* quoted, const char* settings)
{
    SceneText s = scene_text(quoted, settings);
    char* notes = scene_text_notes(s.scene);
    CHECK_STR(notes, "");
    CHECK_OK(s.result);
    free(notes);
    return s.scene;
}

static inline CordScene* made(const char* quoted)
{
    return made_set(quoted, NULL);
}

// Reads the text and compares all its notes with what is expected. Both are freed before a failure is told.
static inline void check_notes(const char* file, int line, const char* text, const char* settings,
                               const char* expected)
{
    SceneText s = scene_text(text, settings);
    char* notes = scene_text_notes(s.scene);
    bool errors = strstr(notes, ": error: ") != NULL, agree = errors == (s.result == CORD_BAD_FILE);
    bool same = strcmp(notes, expected) == 0;
    cord_scene_destroy(s.scene);
    if (!same || !agree) {
        char copy[4096];
        snprintf(copy, sizeof copy, "%s", notes);
        free(notes);
        check_fail(file, line, "for\n%s\n(settings %s) the notes are\n%sexpected\n%s%s", text,
                   settings ? settings : "none", copy, expected,
                   agree ? "" : "and the result does not fit them\n");
    }
    free(notes);
}

#define CHECK_NOTES(text, expected) check_notes(__FILE__, __LINE__, (text), NULL, (expected))
#define CHECK_NOTES_SET(text, settings, expected)                                                            \
    check_notes(__FILE__, __LINE__, (text), (settings), (expected))

// On line 1: keys of the scene; on line 2: keys of the rod that come before its own; the rod's own are on
// line 3.
#define SCENE_WITH(scene_keys, rod_keys)                                                                     \
    "{'cordage': 1, " scene_keys "'rods': [{'name': 'rope',\n" rod_keys                                      \
    "\n'material': 'rubber', 'section': {'disc': {'radius': 0.01}},"                                         \
    " 'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0, 0]}}, 'elements': 10}]}"
#define SCENE SCENE_WITH("", "")

// The keys of a scene, as a note about one that is none lists them.
#define SCENE_KEYS                                                                                           \
    "$schema, cordage, title, gravity, time, materials, rods, clamps, engine, bodies, welds, joints, "       \
    "body_joints, obstacles, surfaces, contact, loads, probes, solve or camera"

#endif
