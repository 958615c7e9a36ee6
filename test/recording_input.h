// What the fuzzer of recordings does with an input, and a test with the fuzzer's inputs. Bytes that begin as
// HDF5 does are a file; others are changes of a good one: each takes four bytes for a place and one for what
// is there, and the first byte of all says how much of the file is cut off. Whatever is read without an error
// must be sound.
#ifndef CORDAGE_TEST_RECORDING_INPUT_H
#define CORDAGE_TEST_RECORDING_INPUT_H

#include "reel_input.h"

#include <cordage/io.h>

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char recording_input_scene[] =
    "{ \"cordage\": 1, \"rods\": [{ \"material\": { \"young\": 1e6, \"density\": 1000 }, \"elements\": 6,\n"
    "    \"section\": { \"disc\": { \"radius\": 0.01 } }, \"adapt\": {}, \"integrator\": "
    "\"backward_euler\",\n"
    "    \"shape\": { \"line\": { \"from\": [0, 0, 0.02], \"to\": [1, 0, 0.02] } } }],\n"
    "  \"bodies\": [{ \"shape\": { \"sphere\": { \"radius\": 0.1 } }, \"mass\": 1, \"position\": [0, 2, 1] "
    "}],\n"
    "  \"obstacles\": [{ \"plane\": {} }],\n"
    "  \"probes\": [{ \"name\": \"tip\", \"at\": \"end\", \"measure\": \"position\" }] }\n";

typedef struct RecordingInput {
    char folder[64], path[80];
    uint8_t *whole, *bytes; // (size) a good recording, and a copy to be changed
    size_t size;
} RecordingInput;

static inline void recording_input_record(RecordingInput* r)
{
    CordScene* scene;
    CordWorld* world = NULL;
    CordRecorder* recorder;
    CordWorldDef hooks = cord_world_def_default();
    CordRecorderDef def = cord_recorder_def_default();
    CordMessage message = {""};
    reel_input_must(cord_scene_parse(recording_input_scene, strlen(recording_input_scene), "fuzz.json", NULL,
                                     0, &scene) == CORD_OK &&
                    cord_scene_build(scene, &hooks, &world) == CORD_OK);
    def.path = r->path, def.scene = scene, def.snapshot_every = 2;
    reel_input_must(cord_recorder_create(&def, world, &recorder, &message) == CORD_OK);
    for (int i = 0; i < 5; i++) {
        reel_input_must(cord_recorder_put_frame(recorder, &message) == CORD_OK);
        reel_input_must(cord_world_step_many(world, 1e-4, 200) == CORD_OK);
        reel_input_must(cord_recorder_put_probes(recorder, &message) == CORD_OK);
    }
    reel_input_must(cord_recorder_close(recorder, &message) == CORD_OK);
    cord_world_destroy(world);
    cord_scene_destroy(scene);
}

static inline RecordingInput* recording_input(void) // made once
{
    static RecordingInput r;
    if (r.size == 0) {
        snprintf(r.folder, sizeof r.folder, "/tmp/cordage-XXXXXX");
        reel_input_must(mkdtemp(r.folder) != NULL);
        snprintf(r.path, sizeof r.path, "%s/a.h5", r.folder);
        recording_input_record(&r);
        FILE* file = fopen(r.path, "rb");
        size_t room = (size_t)4 << 20;
        r.whole = malloc(room), r.bytes = malloc(room);
        reel_input_must(file && r.whole && r.bytes);
        r.size = fread(r.whole, 1, room, file);
        fclose(file);
        unlink(r.path);
        rmdir(r.folder);
    }
    return &r;
}

static inline void recording_input_rest(CordRecording* recording)
{
    CordMessage message = {""};
    CordScene* scene;
    int64_t rows = cord_recording_probe_rows(recording);
    reel_input_must(rows >= 0 && rows < 1000000);
    double* values = malloc(sizeof *values * (size_t)(rows * CORD_PROBE_MOST + 1));
    for (int i = 0; i < cord_recording_probe_count(recording); i++) {
        reel_input_must(strlen(cord_recording_probe_name(recording, i)) < SIZE_MAX);
        reel_input_must(cord_recording_probe_values(recording, i, values, &message) == CORD_OK ||
                        message.text[0] != '\0');
    }
    free(values);
    if (cord_recording_scene(recording, &scene, &message) != CORD_OK) {
        reel_input_must(message.text[0] != '\0');
    }
    cord_scene_destroy(scene);
}

// Returns the number of frames that were read, or -1: it was refused.
static inline int64_t recording_input_read(const char* path)
{
    CordRecording* recording;
    CordMessage message = {""};
    int64_t count = 0;
    if (cord_recording_open(path, &recording, &message) != CORD_OK) {
        reel_input_must(recording == NULL && message.text[0] != '\0');
        return -1;
    }
    CordFrames frames = cord_recording_frames(recording);
    for (int i = 0; i < frames.count && i < 100; i++) {
        CordFrame frame;
        bool good = frames.read(frames.user, i, &frame, &message) == CORD_OK;
        reel_input_must(good || message.text[0] != '\0');
        if (good) {
            reel_input_frame(&frame);
            count++;
        }
    }
    recording_input_rest(recording);
    cord_recording_close(recording);
    return count;
}

static inline int64_t recording_input_run(const uint8_t* data, size_t size)
{
    RecordingInput* r = recording_input();
    const uint8_t* bytes = data;
    size_t count = size;
    if (size < 4 || memcmp(data, "\x89HDF", 4) != 0) {
        memcpy(r->bytes, r->whole, r->size);
        bytes = r->bytes;
        count = r->size - (size > 0 && data[0] > 240 ? r->size * (256u - data[0]) / 32 : 0);
        for (size_t i = 1; i + 5 <= size; i += 5) {
            uint32_t at = data[i] | (uint32_t)data[i + 1] << 8 | (uint32_t)data[i + 2] << 16 |
                          (uint32_t)data[i + 3] << 24;
            r->bytes[at % r->size] = data[i + 4];
        }
    }
    reel_input_must(mkdir(r->folder, 0700) == 0);
    FILE* file = fopen(r->path, "wb");
    reel_input_must(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
    int64_t frames = recording_input_read(r->path);
    unlink(r->path);
    rmdir(r->folder);
    return frames;
}

#endif
