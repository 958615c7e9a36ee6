// What a command reads: a scene, a recording, or a reel, which holds a scene, frames, or both. Each gives
// frames.
#ifndef CORDAGE_CLI_INPUT_H
#define CORDAGE_CLI_INPUT_H

#include "simulation.h"

#include <cordage/reel.h>

typedef struct Input {
    char path[LIBRARY_PATH_MOST];
    CordRecording* recording; // NULL: a scene or a reel
    CordReel* reel;           // NULL: not a reel
    void* reel_bytes;         // the file that the reel reads from
    bool recorded;            // the frames were recorded; otherwise there is one, the world's initial state
    Simulation sim;           // its scene is NULL if a recording's scene cannot be read again
    CordFrames frames;
} Input;

// Opens a path, or a shipped scene by its name. Settings, which may be NULL, apply to scenes alone. Returns
// an exit status; on failure an error has been reported and the input is closed.
int input_open(Input* input, const char* name, const OptionList* settings);
void input_close(Input* input);

// Builds the world of a recording in its initial state, if its scene allows it; otherwise a warning is
// printed.
void input_build(Input* input);

// The world of a shipped scene alone, with the caller's hooks and the built-in engine. NULL: an error has
// been reported.
CordWorld* input_world(const CordWorldDef* hooks, const char* name, const char* const* settings,
                       int setting_count);

// The scene for a reel, together with the files that it names.
typedef struct InputScene {
    const CordReelScene* scene; // NULL: the recording's scene cannot be read again, which has been reported
    CordReelScene gathered;
} InputScene;

bool input_scene_gather(const Input* input, InputScene* scene); // false: an error has been reported
void input_scene_free(InputScene* scene);

bool input_is_file(const Input* input, const char* path); // would writing to path overwrite the input?

typedef struct InputProbe {
    const char* name;
    CordMeasure measure;
} InputProbe;

int input_probe_count(const Input* input);
InputProbe input_probe(const Input* input, int index);

int input_read_frame(const Input* input, int index,
                     CordFrame* frame); // exit status; an error has been reported

// Reads "A:B", "A:", ":B" or "A" as frames within [0, count). Negative numbers count from the end. False: an
// error has been reported.
bool input_frame_range(const char* text, int count, int* first, int* last);
bool input_frame_index(int wanted, int count, int* index);

#endif
