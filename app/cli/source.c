#include "source.h"

#include "command.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

CordWorld* source_world(const CordWorldDef* hooks, const char* name, const char* const* settings,
                        int setting_count)
{
    char path[LIBRARY_PATH_MOST];
    CordScene* scene = NULL;
    CordWorld* world = NULL;
    if (!library_find(name, path)) {
        return NULL;
    }
    CordResult result = cord_scene_load(path, settings, setting_count, &scene);
    if (result == CORD_OK) {
        result = cord_scene_build(scene, hooks, &world);
    }
    if (!scene || result == CORD_NO_MEMORY) {
        talk_error("%s: there is no memory for the scene", path);
    } else if (result != CORD_OK) {
        talk_scene_notes(scene, true);
    }
    cord_scene_destroy(scene);
    return world;
}

static int build_scene(Source* source)
{
    int status = simulation_build(&source->sim, 1, false);
    if (status == EXIT_GOOD) {
        source->frames = cord_world_frames(source->sim.world);
    }
    return status;
}

static int open_recording(Source* source)
{
    CordMessage message = {""};
    if (cord_recording_open(source->path, &source->recording, &message) != CORD_OK) {
        talk_error("%s", message.text);
        return EXIT_USAGE;
    }
    source->frames = cord_recording_frames(source->recording);
    source->recorded = true;
    // A recording can be looked at without its scene, for example when a file the scene names is gone.
    if (cord_recording_scene(source->recording, &source->sim.scene, &message) != CORD_OK) {
        cord_scene_destroy(source->sim.scene);
        source->sim.scene = NULL;
    }
    return EXIT_GOOD;
}

// A reel without frames is a scene to be run, and then all of it must be right.
static int open_reel(Source* source)
{
    int status = reel_file_open(&source->reel, source->path);
    if (status != EXIT_GOOD) {
        return status;
    }
    CordResult result = reel_file_scene(&source->reel, &source->sim.scene);
    source->frames = cord_reel_frames(source->reel.reel);
    source->recorded = source->frames.count > 0;
    if (source->recorded && result != CORD_OK) {
        cord_scene_destroy(source->sim.scene);
        source->sim.scene = NULL;
    }
    if (source->recorded) {
        return EXIT_GOOD;
    }
    if (result != CORD_OK && source->sim.scene) {
        talk_scene_notes(source->sim.scene, true);
    } else if (result != CORD_OK) {
        talk_error("%s: there is no memory to read its scene", source->path);
    }
    return result == CORD_OK ? build_scene(source) : EXIT_USAGE;
}

void source_build(Source* source)
{
    if (source->reel.reel) {
        return; // it has no velocities, so the world could not be put where the frames are
    }
    if (!source->sim.world && source->sim.scene) {
        simulation_build_with(&source->sim, cord_world_def_default());
    }
    if (!source->sim.world) {
        talk_warning("%s: its scene cannot be built again, so there are no masses and no momentum",
                     source->path);
    }
}

static int open_scene(Source* source, const OptionList* settings)
{
    int status = simulation_load(&source->sim, source->path, settings, false);
    return status == EXIT_GOOD ? build_scene(source) : status;
}

int source_open(Source* source, const char* name, const OptionList* settings)
{
    memset(source, 0, sizeof *source);
    if (!library_find(name, source->path)) {
        return EXIT_USAGE;
    }
    int status = EXIT_USAGE;
    bool recording = cord_recording_is(source->path), reel = reel_file_is(source->path);
    if (!recording && !reel) {
        status = open_scene(source, settings);
    } else if (settings && settings->count > 0) {
        talk_error("%s is a %s; --set changes scenes only", source->path, reel ? "reel" : "recording");
    } else {
        status = reel ? open_reel(source) : open_recording(source);
    }
    if (status != EXIT_GOOD) {
        source_close(source);
    }
    return status;
}

void source_close(Source* source)
{
    simulation_destroy(&source->sim);
    cord_recording_close(source->recording);
    reel_file_close(&source->reel);
    *source = (Source){0};
}

bool source_scene_gather(const Source* source, SourceScene* scene)
{
    *scene = (SourceScene){0};
    CordMessage message = {""};
    if (source->reel.reel) {
        scene->scene = cord_reel_scene(source->reel.reel);
    } else if (!source->sim.scene) {
        talk_warning("%s: its scene cannot be read again, so there will be frames alone", source->path);
    } else if (cord_reel_scene_gather(source->sim.scene, &scene->gathered, &message) == CORD_OK) {
        scene->scene = &scene->gathered;
    } else {
        talk_error("%s", message.text);
        source_scene_free(scene);
        return false;
    }
    return true;
}

void source_scene_free(SourceScene* scene)
{
    cord_reel_scene_free(&scene->gathered);
    scene->scene = NULL;
}

bool source_is_file(const Source* source, const char* path)
{
    struct stat mine, other;
    return stat(source->path, &mine) == 0 && stat(path, &other) == 0 && mine.st_dev == other.st_dev &&
           mine.st_ino == other.st_ino;
}

int source_probe_count(const Source* source)
{
    if (source->recording) {
        return cord_recording_probe_count(source->recording);
    }
    return source->sim.world ? cord_world_probe_count(source->sim.world) : 0;
}

SourceProbe source_probe(const Source* source, int index)
{
    if (source->recording) {
        return (SourceProbe){cord_recording_probe_name(source->recording, index),
                             cord_recording_probe_measure(source->recording, index)};
    }
    CordProbeId probe = cord_world_probe(source->sim.world, index);
    return (SourceProbe){cord_probe_name(source->sim.world, probe),
                         cord_probe_measure(source->sim.world, probe)};
}

// ---- frames

int source_read_frame(const Source* source, int index, CordFrame* frame)
{
    CordMessage message = {""};
    if (source->frames.read(source->frames.user, index, frame, &message) != CORD_OK) {
        talk_error("%s: frame %d cannot be read: %s", source->path, index, message.text);
        return EXIT_FAILED;
    }
    return EXIT_GOOD;
}

bool source_frame_index(int wanted, int count, int* index)
{
    *index = wanted < 0 ? wanted + count : wanted;
    if (*index >= 0 && *index < count) {
        return true;
    }
    if (count == 0) {
        talk_error("there are no frames in it");
    } else {
        talk_error("there is no frame %d: frames go from 0 to %d (or from -1, the last, back to -%d)", wanted,
                   count - 1, count);
    }
    return false;
}

bool source_frame_range(const char* text, int count, int* first, int* last)
{
    char part[32];
    const char* colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    int from = 0, to = -1;
    bool good = length < sizeof part;
    if (good) {
        memcpy(part, text, length);
        part[length] = '\0';
        good = (colon && length == 0) || option_int(part, &from);
        to = colon ? -1 : from;
        good = good && (!colon || colon[1] == '\0' || option_int(colon + 1, &to));
    }
    if (!good) {
        talk_error("--frames takes A:B, A:, :B or A with whole numbers, not \"%s\"", text);
        return false;
    }
    if (!source_frame_index(from, count, first) || !source_frame_index(to, count, last)) {
        return false;
    }
    if (*first > *last) {
        talk_error("--frames %s is empty: it begins at frame %d and ends at %d", text, *first, *last);
        return false;
    }
    return true;
}
