// The fuzzer's inputs without the fuzzer, so that they run in every build: the shipped scenes, the hostile
// files and the fuzzer's own, as they are and with settings.
#include "check.h"
#include "scene_input.h"

#include <dirent.h>
#include <stdio.h>

static void run_file(const char* path)
{
    static const char settings[] =
        "\0rods[*].elements=5\0time.step=auto\0rods[0].material=steel\0clamps[0].fix=frame\0x";
    FILE* file = fopen(path, "rb");
    CHECK(file != NULL);
    size_t room = 1 << 20;
    uint8_t* bytes = malloc(room + sizeof settings);
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    scene_input_run(bytes, size);
    memcpy(bytes + size, settings, sizeof settings);
    scene_input_run(bytes, size + sizeof settings);
    free(bytes);
}

static int run_folder(const char* folder)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", CORD_SOURCE_DIR, folder);
    DIR* directory = opendir(path);
    CHECK(directory != NULL);
    int count = 0;
    for (struct dirent* entry = readdir(directory); entry; entry = readdir(directory)) {
        snprintf(path, sizeof path, "%s/%s/%s", CORD_SOURCE_DIR, folder, entry->d_name);
        DIR* is_folder = opendir(path);
        if (is_folder) {
            closedir(is_folder);
        } else {
            run_file(path);
            count++;
        }
    }
    closedir(directory);
    return count;
}

TEST(the_shipped_scenes_do_no_harm)
{
    CHECK(run_folder("scenes") >= 6);
}

TEST(the_hostile_files_do_no_harm)
{
    CHECK(run_folder("test/hostile") >= 15);
}

TEST(the_fuzzer_s_own_inputs_do_no_harm)
{
    CHECK(run_folder("test/fuzz/scene") >= 3);
}

TEST_MAIN(the_shipped_scenes_do_no_harm, the_hostile_files_do_no_harm, the_fuzzer_s_own_inputs_do_no_harm)
