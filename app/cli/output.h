// The recording that a command writes.
#ifndef CORDAGE_CLI_OUTPUT_H
#define CORDAGE_CLI_OUTPUT_H

#include "console.h"
#include "library.h"

// Turns "a/b/swing.json" into "swing" with an ending. False: too long.
bool output_path_default(const char* scene_path, const char* ending, char path[LIBRARY_PATH_MOST]);

// Does the folder of the path exist? False: an error has been reported.
bool output_folder_exists(const char* path);

// Chooses `given`, or the scene's name with `ending` in the current directory. A recording of that name is
// replaced, any other file is refused. False: an error has been reported.
bool output_path_choose(const char* given, const char* scene_path, const char* ending,
                        char path[LIBRARY_PATH_MOST]);

// Creates a recording of frames or of a branch, with snapshots only where the caller puts them. Returns an
// exit status; an error has been reported.
int recording_create(const char* path, const CordScene* scene, CordWorld* world, bool branch,
                     CordRecorder** recorder);

// Closes the recording, which may be NULL. Returns `status`, or EXIT_FAILED if that fails.
int recording_close(CordRecorder* recorder, int status);

#endif
