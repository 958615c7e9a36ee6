// The recording that a command writes.
#ifndef CORDAGE_CLI_OUTPUT_H
#define CORDAGE_CLI_OUTPUT_H

#include "console.h"
#include "library.h"

#define FORCE_OPTION(target)                                                                                 \
    {                                                                                                        \
        "force", 0, OPTION_FLAG, target, NULL,                                                               \
            "replace a file even if it is a recording of another scene, or none"                             \
    }

// Turns "a/b/swing.json" into "swing" with an ending, and a shipped scene "der/fig1" into "der_fig1" with it.
// False: too long.
bool output_path_default(const char* scene_path, const char* ending, char path[LIBRARY_PATH_MOST]);

// Can a file of that path be made, or be written to? It is left as it is. False: an error has been reported.
bool output_can_be_written(const char* path);

// Chooses `given`, or the scene's name with `ending` in the current directory. A recording of that name is
// replaced if it is of the same scene; any other file only with `force`. The same scene has the same file or
// the same text. False: an error has been reported.
bool output_path_choose(const char* given, const CordScene* scene, const char* ending, bool force,
                        char path[LIBRARY_PATH_MOST]);

// Creates a recording of frames or of a branch, with snapshots only where the caller puts them. Returns an
// exit status; an error has been reported.
int recording_create(const char* path, const CordScene* scene, CordWorld* world, bool branch,
                     CordRecorder** recorder);

// Closes the recording, which may be NULL. Returns `status`, or EXIT_FAILED if that fails.
int recording_close(CordRecorder* recorder, int status);

#endif
