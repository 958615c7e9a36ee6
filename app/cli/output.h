// Where a command's recording goes.
#ifndef CORDAGE_CLI_OUTPUT_H
#define CORDAGE_CLI_OUTPUT_H

#include "console.h"
#include "library.h"

// "a/b/swing.json" to "swing" with an ending. False: it is too long.
bool output_path_default(const char* scene_path, const char* ending, char path[LIBRARY_PATH_MOST]);

// False, and it has been said, if the folder that the path names is not there: then nothing can be written to
// it.
bool output_folder_exists(const char* path);

// `given`, or if it is NULL the scene's name with `ending`, in the current directory. A recording of that
// name may be replaced, any other file may not. False: it has been said.
bool output_path_choose(const char* given, const char* scene_path, const char* ending,
                        char path[LIBRARY_PATH_MOST]);

// A new recording of frames, or of the points of a branch, with snapshots only where they are put by hand.
// What is wrong has been said when it returns other than EXIT_GOOD.
int recording_create(const char* path, const CordScene* scene, CordWorld* world, bool branch,
                     CordRecorder** recorder);

// Closes it, if there is one. The status that the command has come to so far, or EXIT_FAILED.
int recording_close(CordRecorder* recorder, int status);

#endif
