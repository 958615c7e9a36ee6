// What the fuzzer does with an input, and a test with the fuzzer's inputs: the bytes up to the first zero are
// a scene, each further piece up to the next zero is a setting. What is read without error is built and, if
// its work is small, stepped once. The bound is on counts and not on time, so that a run is the same on every
// machine.
#ifndef CORDAGE_TEST_SCENE_INPUT_H
#define CORDAGE_TEST_SCENE_INPUT_H

#include <cordage/io.h>
#include <cordage/modal.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_MOST_SETTINGS 16
#define INPUT_MOST_BYTES ((size_t)32 << 20) // of a world
#define INPUT_MOST_NODES 2000               // of one that is stepped
#define INPUT_MOST_MODE_SECONDS                                                                              \
    0.02 // of finding its modes, as cord_modal_cost counts them; sanitizers take 30 times as long

typedef struct InputBudget {
    size_t left;
} InputBudget;

static inline void* input_alloc(void* user, size_t size, size_t align)
{
    InputBudget* budget = user;
    if (size > budget->left) {
        return NULL;
    }
    budget->left -= size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static inline void input_free(void* user, void* memory, size_t size, size_t align)
{
    InputBudget* budget = user;
    (void)align;
    budget->left += size;
    free(memory);
}

static inline bool input_is_small(const CordScene* scene, const CordWorld* world)
{
    int nodes = 0;
    double seconds = 0.0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordRodId rod = cord_world_rod(world, i);
        const CordRodDef* def = cord_scene_rod(scene, i);
        int count = cord_rod_node_count(world, rod);
        nodes += count;
        if (def->model == CORD_MODEL_MODAL) {
            seconds += cord_modal_cost(count, cord_rod_edge_count(world, rod), def->modal.modes).seconds;
        }
    }
    return nodes <= INPUT_MOST_NODES && seconds <= INPUT_MOST_MODE_SECONDS;
}

static inline void input_build(CordScene* scene)
{
    InputBudget budget = {INPUT_MOST_BYTES};
    CordWorldDef hooks = cord_world_def_default();
    CordWorld* world;
    hooks.allocator = (CordAllocator){input_alloc, input_free, &budget};
    if (cord_scene_build(scene, &hooks, &world) != CORD_OK) {
        return;
    }
    if (input_is_small(scene, world)) {
        cord_world_step(world, 1e-5);
    }
    cord_world_destroy(world);
}

// Reads every note, so that a text outside its memory is found.
static inline size_t input_weigh_notes(const CordScene* scene)
{
    size_t weight = 0;
    for (int i = 0; i < cord_scene_note_count(scene); i++) {
        CordSceneNote note = cord_scene_note(scene, i);
        weight += strlen(note.text) + (size_t)note.line + (size_t)note.column;
    }
    return weight;
}

static inline void scene_input_run(const uint8_t* data, size_t size)
{
    char* copy = malloc(size + 1); // settings need a zero at their end
    if (!copy) {
        return;
    }
    memcpy(copy, data, size);
    copy[size] = '\0';
    const char* settings[INPUT_MOST_SETTINGS];
    int count = 0;
    size_t text_size = strlen(copy);
    for (size_t at = text_size + 1; at < size && count < INPUT_MOST_SETTINGS; at += strlen(copy + at) + 1) {
        settings[count++] = copy + at;
    }
    CordScene* scene;
    CordResult result = cord_scene_parse(copy, text_size, "fuzz.json", settings, count, &scene);
    if (result == CORD_OK) {
        input_build(scene);
    }
    if (scene) {
        size_t weight = input_weigh_notes(scene);
        if (result == CORD_BAD_FILE && weight == 0) {
            abort(); // refused without a word
        }
    }
    cord_scene_destroy(scene);
    free(copy);
}

#endif
