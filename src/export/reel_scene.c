// The scene of a reel, with the files that it names, because whoever opens the reel does not have them.
#include "export/output.h"

#include <cordage/reel.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char* without_folders(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static CordResult gather_file(const char* name, const char* path, CordReelFile* kept, CordMessage* message)
{
    kept->name = name;
    kept->bytes = input_read(path, (size_t)CORD_REEL_MOST, &kept->size);
    if (kept->bytes) {
        return CORD_OK;
    }
    bool full = errno == ENOMEM;
    return export_fail(message, full ? CORD_NO_MEMORY : CORD_BAD_FILE,
                       "%s, which the scene names, cannot be read: %s", path,
                       full ? "there is not enough memory" : strerror(errno));
}

CordResult cord_reel_scene_gather(const CordScene* scene, CordReelScene* gathered, CordMessage* message)
{
    int settings = cord_scene_setting_count(scene), files = cord_scene_file_count(scene);
    const char** setting = calloc((size_t)settings + 1, sizeof *setting);
    CordReelFile* file = calloc((size_t)files + 1, sizeof *file);
    *gathered =
        (CordReelScene){.path = without_folders(cord_scene_path(scene)), .settings = setting, .files = file};
    gathered->text = cord_scene_text(scene, &gathered->text_size);
    if (!setting || !file) {
        return export_fail(message, CORD_NO_MEMORY, "there is not enough memory for the scene");
    }
    for (int i = 0; i < settings; i++) {
        setting[i] = cord_scene_setting(scene, i);
    }
    gathered->setting_count = settings;
    for (int i = 0; i < files; i++) {
        gathered->file_count = i + 1;
        CORD_TRY(
            gather_file(cord_scene_file_name(scene, i), cord_scene_file_path(scene, i), &file[i], message));
    }
    return CORD_OK;
}

void cord_reel_scene_free(CordReelScene* gathered)
{
    for (int i = 0; i < gathered->file_count; i++) {
        free((void*)gathered->files[i].bytes);
    }
    free((void*)gathered->files);
    free((void*)gathered->settings);
    *gathered = (CordReelScene){0};
}
