#include "output.h"

#include "command.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool output_path_default(const char* scene_path, const char* ending, char path[LIBRARY_PATH_MOST])
{
    const char* slash = strrchr(scene_path, '/');
    const char* base = slash ? slash + 1 : scene_path;
    const char* dot = strrchr(base, '.');
    int length = (int)(dot && dot != base ? (size_t)(dot - base) : strlen(base));
    return snprintf(path, LIBRARY_PATH_MOST, "%.*s%s", length, base, ending) < LIBRARY_PATH_MOST;
}

bool output_folder_exists(const char* path)
{
    const char* slash = strrchr(path, '/');
    char folder[LIBRARY_PATH_MOST];
    struct stat status;
    int length = slash ? (int)(slash - path) : 0;
    if (length == 0 || snprintf(folder, sizeof folder, "%.*s", length, path) >= (int)sizeof folder) {
        return true; // the current directory, the root, or too long, which opening the file reports
    }
    if (stat(folder, &status) == 0 && S_ISDIR(status.st_mode)) {
        return true;
    }
    return error_false(
        "%s cannot be written: there is no folder %s; make it, or choose another place with -o", path,
        folder);
}

// Replaces only what opens as a recording, and not any other HDF5 file.
static bool may_be_replaced(const char* path)
{
    struct stat status;
    if (lstat(path, &status) != 0) {
        return true; // nothing to replace
    }
    CordRecording* recording = NULL;
    CordMessage message;
    if (cord_recording_is(path) && cord_recording_open(path, &recording, &message) == CORD_OK) {
        cord_recording_close(recording);
        return true;
    }
    return error_false(
        "%s is there already and is not a recording, so it is left alone; choose another name with -o", path);
}

bool output_path_choose(const char* given, const char* scene_path, const char* ending,
                        char path[LIBRARY_PATH_MOST])
{
    bool fits = given ? snprintf(path, LIBRARY_PATH_MOST, "%s", given) < LIBRARY_PATH_MOST
                      : output_path_default(scene_path, ending, path);
    if (!fits) {
        console_error("the recording's path is too long; choose another with -o");
    }
    return fits && output_folder_exists(path) && may_be_replaced(path);
}

int recording_create(const char* path, const CordScene* scene, CordWorld* world, bool branch,
                     CordRecorder** recorder)
{
    CordRecorderDef def = cord_recorder_def_default();
    def.path = path;
    def.scene = scene;
    def.snapshot_every = 0;
    def.branch = branch;
    CordMessage message = {""};
    if (cord_recorder_create(&def, world, recorder, &message) != CORD_OK) {
        return error_failed("%s", message.text);
    }
    return EXIT_GOOD;
}

int recording_close(CordRecorder* recorder, int status)
{
    CordMessage message = {""};
    if (recorder && cord_recorder_close(recorder, &message) != CORD_OK && status == EXIT_GOOD) {
        return error_failed("%s", message.text);
    }
    return status;
}
