#include "output.h"

#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_path_default(const char* scene_path, const char* ending, char path[LIBRARY_PATH_MOST])
{
    char name[LIBRARY_PATH_MOST];
    const char* slash = strrchr(scene_path, '/');
    const char* base = library_is_shipped(scene_path, name) ? name : slash ? slash + 1 : scene_path;
    const char* dot = strrchr(base, '.');
    int length = (int)(dot && dot != base ? (size_t)(dot - base) : strlen(base));
    bool fits = snprintf(path, LIBRARY_PATH_MOST, "%.*s%s", length, base, ending) < LIBRARY_PATH_MOST;
    for (char* at = strchr(path, '/'); at; at = strchr(at, '/')) {
        *at = '_';
    }
    return fits;
}

static bool folder_exists(const char* path)
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

// Permissions alone do not tell whether a file can be made in a folder, so one is made and removed. It has a
// name of its own, because whoever waits for the output must not see it before it is there for good.
static bool folder_takes_files(const char* path)
{
    char trial[LIBRARY_PATH_MOST];
    const char* slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) + 1 : 0;
    if (snprintf(trial, sizeof trial, "%.*s.cordage-XXXXXX", length, path) >= (int)sizeof trial) {
        errno = ENAMETOOLONG;
        return false;
    }
    int file = mkstemp(trial);
    if (file < 0) {
        return false;
    }
    close(file);
    unlink(trial);
    return true;
}

bool output_can_be_written(const char* path)
{
    if (strcmp(path, "-") == 0) {
        return true; // standard output
    }
    if (!folder_exists(path)) {
        return false;
    }
    if (access(path, F_OK) == 0 ? access(path, W_OK) == 0 : errno == ENOENT && folder_takes_files(path)) {
        return true;
    }
    return error_false("%s cannot be written: %s; choose another place with -o", path, strerror(errno));
}

static bool is_same_file(const char* a, const char* b)
{
    struct stat x, y;
    return strcmp(a, b) == 0 ||
           (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

static bool is_of_scene(const CordRecording* recording, const CordScene* scene)
{
    size_t size, recorded_size;
    const char* text = cord_scene_text(scene, &size);
    const char* recorded = cord_recording_scene_text(recording, &recorded_size);
    return recorded && (is_same_file(cord_recording_scene_path(recording), cord_scene_path(scene)) ||
                        (size == recorded_size && memcmp(text, recorded, size) == 0));
}

static bool may_be_replaced(const char* path, const CordScene* scene, bool force)
{
    struct stat status;
    if (lstat(path, &status) != 0) {
        return true; // nothing to replace
    }
    if (is_same_file(path, cord_scene_path(scene))) {
        return error_false("%s is the scene itself; choose another name with -o", path);
    }
    CordRecording* recording = NULL;
    CordMessage message;
    if (force) {
        return true;
    }
    if (!cord_recording_is(path) || cord_recording_open(path, &recording, &message) != CORD_OK) {
        return error_false("%s is there already and is not a recording, so it is left alone; choose another "
                           "name with -o, or replace it with --force",
                           path);
    }
    bool same = is_of_scene(recording, scene);
    if (!same) {
        const char* other = cord_recording_scene_path(recording);
        console_error("%s is a recording of another scene, %s, so it is left alone; choose another name with "
                      "-o, or replace it with --force",
                      path, other ? other : "which has no file");
    }
    cord_recording_close(recording);
    return same;
}

bool output_path_choose(const char* given, const CordScene* scene, const char* ending, bool force,
                        char path[LIBRARY_PATH_MOST])
{
    bool fits = given ? snprintf(path, LIBRARY_PATH_MOST, "%s", given) < LIBRARY_PATH_MOST
                      : output_path_default(cord_scene_path(scene), ending, path);
    if (!fits) {
        return error_false("the recording's path is too long; choose another with -o");
    }
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        bool ends = text_ends_with(path, "/");
        return error_false("\"%s\" is a folder; write -o %s%sNAME.h5", path, path, ends ? "" : "/");
    }
    if (exists && !S_ISREG(status.st_mode)) {
        return error_false("\"%s\" is a device or pipe, and a recording is a file; write -o NAME.h5", path);
    }
    if (!text_ends_with(path, ".h5") && !text_ends_with(path, ".hdf5")) {
        const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
        int kept = (int)(dot && dot > name ? dot - path : (ptrdiff_t)strlen(path));
        return error_false("a recording's name ends in .h5; \"%s\" does not, so write -o %.*s%s.h5", path,
                           kept, path, *name ? "" : "NAME");
    }
    return output_can_be_written(path) && may_be_replaced(path, scene, force);
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
