// What the fuzzer of meshes does with an input, and a test with the fuzzer's inputs: the bytes are a file,
// OBJ, PLY or STL, that a scene names as an obstacle, a surface and a network. What is read without error is
// built and stepped once, if it is small.
#ifndef CORDAGE_TEST_MESH_INPUT_H
#define CORDAGE_TEST_MESH_INPUT_H

#include "scene_input.h"

typedef struct MeshInput {
    const uint8_t* data;
    size_t size;
} MeshInput;

static inline bool mesh_input_find(void* user, const char* name, const char** bytes, size_t* size)
{
    const MeshInput* input = user;
    (void)name;
    *bytes = (const char*)input->data;
    *size = input->size;
    return true;
}

static inline int64_t mesh_input_run(const uint8_t* data, size_t size)
{
#define MESH_INPUT_ROD                                                                                       \
    "{\"cordage\": 1, \"contact\": true, \"rods\": [{\"material\": {\"young\": 1e6, \"density\": 1000}, "    \
    "\"section\": {\"disc\": {\"radius\": 0.01}}, \"shape\": "
#define MESH_INPUT_LINE "{\"line\": {\"from\": [0, 0, 3], \"to\": [1, 0, 3]}}, \"elements\": 5}], "
    static const char* const uses[] = {
        MESH_INPUT_ROD MESH_INPUT_LINE "\"obstacles\": [{\"mesh\": {\"file\": \"a\"}}]}",
        MESH_INPUT_ROD MESH_INPUT_LINE "\"surfaces\": [{\"mesh\": {\"file\": \"a\"}}]}",
        MESH_INPUT_ROD "{\"mesh\": {\"file\": \"a\"}}, \"model\": \"modal\", \"modal\": {\"modes\": 2, "
                       "\"rigid\": \"remove\"}}]}"};
    MeshInput input = {data, size};
    CordFiles files = {mesh_input_find, &input};
    int64_t read = 0;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        CordScene* scene;
        CordResult result =
            cord_scene_parse_with(uses[i], strlen(uses[i]), "fuzz.json", NULL, 0, &files, &scene);
        if (result == CORD_OK) {
            input_build(scene);
            read++;
        }
        if (scene && result == CORD_BAD_FILE && input_weigh_notes(scene) == 0) {
            abort(); // refused without a word
        }
        cord_scene_destroy(scene);
    }
    return read;
}

#endif
