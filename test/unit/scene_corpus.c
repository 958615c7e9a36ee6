// The fuzzer's inputs without the fuzzer, so that they run in every build: the shipped scenes, the hostile
// files and the fuzzer's own, as they are, with settings, and mutated in the same way on every run.
#include "check.h"
#include "fuzz/mutate.h"
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

// ---- mutated

#define MUTATIONS 5000 // inputs that are made; a quarter of a minute with sanitizers

typedef struct Corpus {
    MutateInput inputs[200];
    int count;
} Corpus;

static void corpus_add_file(Corpus* corpus, const char* path)
{
    FILE* file = fopen(path, "rb");
    uint8_t* data = malloc(MUTATE_MOST_BYTES + 1);
    size_t size = file ? fread(data, 1, MUTATE_MOST_BYTES + 1, file) : 0;
    bool taken = size > 0 && size <= MUTATE_MOST_BYTES;
    CHECK(corpus->count < 200);
    corpus->inputs[corpus->count] = (MutateInput){data, size};
    corpus->count += taken;
    if (!taken) {
        free(data);
    }
    if (file) {
        fclose(file);
    }
}

static int is_file(const struct dirent* entry)
{
    return strchr(entry->d_name, '.') != entry->d_name; // folders are read as empty files, and left out so
}

static void corpus_add_folder(Corpus* corpus, const char* folder) // in the order of names
{
    char path[1000];
    struct dirent** entries;
    snprintf(path, sizeof path, "%s/%s", CORD_SOURCE_DIR, folder);
    int count = scandir(path, &entries, is_file, alphasort);
    CHECK(count > 0);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", CORD_SOURCE_DIR, folder, entries[i]->d_name);
        corpus_add_file(corpus, path);
        free(entries[i]);
    }
    free(entries);
}

TEST(mutated_inputs_do_no_harm)
{
    static Mutator mutator = {.random = 1};
    static Corpus corpus;
    mutate_read_words(&mutator, CORD_SOURCE_DIR "/test/fuzz/scene.dict");
    CHECK(mutator.word_count > 300);
    corpus_add_folder(&corpus, "test/fuzz/scene");
    corpus_add_folder(&corpus, "test/hostile");
    corpus_add_folder(&corpus, "scenes");
    MutateInput input = {malloc(MUTATE_MOST_BYTES), 0};
    for (int n = 0; n < MUTATIONS; n++) {
        MutateInput from = corpus.inputs[mutate_random(&mutator, (size_t)corpus.count)];
        memcpy(input.data, from.data, from.size);
        input.size = from.size;
        for (uint32_t left = 1 + mutate_random(&mutator, 4); left > 0; left--) {
            mutate_once(&mutator, &input, corpus.inputs[mutate_random(&mutator, (size_t)corpus.count)]);
        }
        scene_input_run(input.data, input.size);
    }
    free(input.data);
    for (int i = 0; i < corpus.count; i++) {
        free(corpus.inputs[i].data);
    }
}

TEST_GROUP(scene_corpus)
