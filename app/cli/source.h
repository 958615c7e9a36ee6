// What a command reads: a scene, a recording, or a reel, which is either. Each gives frames.
#ifndef CORDAGE_CLI_SOURCE_H
#define CORDAGE_CLI_SOURCE_H

#include "reel_file.h"
#include "simulation.h"

typedef struct Source {
    char path[LIBRARY_PATH_MOST];
    CordRecording* recording; // NULL: it is a scene or a reel
    ReelFile reel;            // its reel NULL: it is none
    bool recorded;            // the frames are of a run that was recorded; else there is one, of the world
    Simulation sim; // its scene is NULL if a recording's cannot be read again; see source_build for its world
    CordFrames frames;
} Source;

// Opens what the user named: a path, or the name of a shipped scene. Settings (or NULL) are for scenes alone.
// What is wrong has been said when it returns other than EXIT_GOOD; the source is then closed.
int source_open(Source* source, const char* name, const OptionList* settings);
void source_build(Source* source); // the world of a recording, as it was at the beginning
void source_close(Source* source);

// The world of a shipped scene alone, with hooks of one's own and without engines. NULL: it could not be
// made, and that was said.
CordWorld* source_world(const CordWorldDef* hooks, const char* name, const char* const* settings,
                        int setting_count);

// The scene for a reel, with the files that it names. False: it has been said. A recording whose scene could
// not be read again has none, which is said, too, and is no failure.
typedef struct SourceScene {
    const CordReelScene* scene; // NULL: there is none
    CordReelScene gathered;
} SourceScene;

bool source_scene_gather(const Source* source, SourceScene* scene);
void source_scene_free(SourceScene* scene);

bool source_is_file(const Source* source, const char* path); // would writing to path destroy it?

typedef struct SourceProbe {
    const char* name;
    CordMeasure measure;
} SourceProbe;

int source_probe_count(const Source* source);
SourceProbe source_probe(const Source* source, int index);

// One frame; what is wrong has been said when it returns other than EXIT_GOOD.
int source_read_frame(const Source* source, int index, CordFrame* frame);

// "A:B", "A:", ":B" or "A", negative numbers counting from the end, as frames within [0, count). False: it
// has been said.
bool source_frame_range(const char* text, int count, int* first, int* last);
bool source_frame_index(int wanted, int count, int* index);

#endif
