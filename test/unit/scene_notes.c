// Scenes and the notes they get: test/scene_notes/NAME.json beside NAME.txt, "line:column: error: text" a
// line.
//
// With CORDAGE_WRITE_NOTES in the environment the notes of today are written instead of compared: read what
// changed before it is committed.
#include "scene_text.h"

#include <dirent.h>

static void path_of(char path[1000], const char* name, size_t size, const char* ending)
{
    snprintf(path, 1000, CORD_SOURCE_DIR "/test/scene_notes/%.*s%s", (int)size, name, ending);
}

// What reading and building the scene notes; "" if there is nothing.
static char* notes_of(const char* path)
{
    CordScene* scene;
    CordWorld* world = NULL;
    CordResult result = cord_scene_load(path, NULL, 0, &scene);
    result = result == CORD_OK ? cord_scene_build(scene, NULL, &world) : result;
    char* notes = scene_text_notes(scene);
    CHECK((strstr(notes, ": error: ") != NULL) == (result != CORD_OK) &&
          (world != NULL) == (result == CORD_OK));
    cord_world_destroy(world);
    cord_scene_destroy(scene);
    return notes;
}

static void compare(const char* path, const char* notes)
{
    static char expected[20000];
    FILE* file = fopen(path, "rb");
    if (!file) {
        check_fail(__FILE__, __LINE__, "%s cannot be opened; run with CORDAGE_WRITE_NOTES=1 to make it",
                   path);
    }
    expected[fread(expected, 1, sizeof expected - 1, file)] = '\0';
    fclose(file);
    if (strcmp(notes, expected) != 0) {
        check_fail(__FILE__, __LINE__, "%s has\n%sand the notes are\n%s", path, expected, notes);
    }
}

static void write_notes(const char* path, const char* notes)
{
    FILE* file = fopen(path, "wb");
    CHECK(file != NULL);
    fputs(notes, file);
    CHECK_INT(fclose(file), 0);
}

TEST(every_scene_gets_its_notes)
{
    DIR* directory = opendir(CORD_SOURCE_DIR "/test/scene_notes");
    CHECK(directory != NULL);
    int scenes = 0, texts = 0;
    for (struct dirent* entry = readdir(directory); entry; entry = readdir(directory)) {
        const char* ending = strrchr(entry->d_name, '.');
        texts += ending && strcmp(ending, ".txt") == 0;
        if (!ending || strcmp(ending, ".json") != 0) {
            continue;
        }
        size_t size = (size_t)(ending - entry->d_name);
        char path[1000];
        scenes++;
        path_of(path, entry->d_name, size, ".json");
        char* notes = notes_of(path);
        path_of(path, entry->d_name, size, ".txt");
        (getenv("CORDAGE_WRITE_NOTES") ? write_notes : compare)(path, notes);
        free(notes);
    }
    closedir(directory);
    CHECK(scenes > 40);
    CHECK(getenv("CORDAGE_WRITE_NOTES") || texts == scenes);
}

TEST_GROUP(scene_notes)
