#include "input.h"

#include "command.h"
#include "console.h"
#include "heap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- reels

static bool is_reel(const char* path)
{
    char start[8];
    struct stat status;
    bool ordinary = stat(path, &status) == 0 && S_ISREG(status.st_mode); // a pipe could not be read again
    FILE* file = ordinary ? fopen(path, "rb") : NULL;
    size_t size = file ? fread(start, 1, sizeof start, file) : 0;
    if (file) {
        fclose(file);
    }
    return cord_reel_is(start, size);
}

static void* read_bytes(const char* path, size_t* size)
{
    struct stat status;
    FILE* file = fopen(path, "rb");
    void* bytes = NULL;
    if (!file || fstat(fileno(file), &status) != 0) {
        console_error("%s cannot be read: %s", path, strerror(errno));
    } else if (status.st_size > CORD_REEL_MOST) {
        console_error("%s has %s; the most that is read of a reel is %s", path,
                      text_bytes((double)status.st_size).text, text_bytes(CORD_REEL_MOST).text);
    } else {
        bytes = heap_take((size_t)status.st_size, 1);
        *size = fread(bytes, 1, (size_t)status.st_size, file);
    }
    if (file) {
        fclose(file);
    }
    return bytes;
}

// Reads the reel and its scene. *scene is the result of parsing that; CORD_BAD_FILE: the reel has none.
static int read_reel(Input* input, CordResult* scene)
{
    size_t size = 0;
    CordMessage message = {""};
    input->reel_bytes = read_bytes(input->path, &size);
    if (!input->reel_bytes) {
        return EXIT_FAILED;
    }
    CordResult result = cord_reel_open(input->reel_bytes, size, &input->reel, &message);
    if (result != CORD_OK) {
        console_error("%s: %s", input->path, message.text);
        return result == CORD_NO_MEMORY ? EXIT_FAILED : EXIT_USAGE;
    }
    const CordReelScene* kept = cord_reel_scene(input->reel);
    *scene = kept ? cord_reel_scene_parse(kept, &input->sim.scene) : CORD_BAD_FILE;
    return EXIT_GOOD;
}

// ---- opening

CordWorld* input_world(const CordWorldDef* hooks, const char* name, const char* const* settings,
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
        console_error("%s: there is no memory for the scene", path);
    } else if (result != CORD_OK) {
        console_scene_notes(scene, true);
    }
    cord_scene_destroy(scene);
    return world;
}

static int build_scene(Input* input)
{
    int status = simulation_build(&input->sim, 1, false);
    if (status == EXIT_GOOD) {
        input->frames = cord_world_frames(input->sim.world);
    }
    return status;
}

static int open_recording(Input* input)
{
    CordMessage message = {""};
    if (cord_recording_open(input->path, &input->recording, &message) != CORD_OK) {
        return error_usage("%s", message.text);
    }
    input->frames = cord_recording_frames(input->recording);
    input->recorded = true;
    // A recording is readable without its scene, for example when a file that the scene names is gone.
    if (cord_recording_scene(input->recording, &input->sim.scene, &message) != CORD_OK) {
        cord_scene_destroy(input->sim.scene);
        input->sim.scene = NULL;
    }
    return EXIT_GOOD;
}

// A reel without frames is a scene, and any error in it counts.
static int open_reel(Input* input)
{
    CordResult result;
    int status = read_reel(input, &result);
    if (status != EXIT_GOOD) {
        return status;
    }
    input->frames = cord_reel_frames(input->reel);
    input->recorded = input->frames.count > 0;
    if (input->recorded && result != CORD_OK) {
        cord_scene_destroy(input->sim.scene);
        input->sim.scene = NULL;
    }
    if (input->recorded) {
        return EXIT_GOOD;
    }
    if (result != CORD_OK && input->sim.scene) {
        console_scene_notes(input->sim.scene, true);
    } else if (result != CORD_OK) {
        console_error("%s: there is no memory to read its scene", input->path);
    }
    return result == CORD_OK ? build_scene(input) : EXIT_USAGE;
}

void input_build(Input* input)
{
    if (input->reel) {
        return; // a reel keeps no velocities, so the world could not be moved to its frames
    }
    if (!input->sim.world && input->sim.scene) {
        simulation_build_with(&input->sim, cord_world_def_default());
    }
    if (!input->sim.world) {
        console_warning("%s: its scene cannot be built again, so there are no masses and no momentum",
                        input->path);
    }
}

static int open_scene(Input* input, const OptionList* settings)
{
    int status = simulation_load(&input->sim, input->path, settings, false);
    return status == EXIT_GOOD ? build_scene(input) : status;
}

int input_open(Input* input, const char* name, const OptionList* settings)
{
    memset(input, 0, sizeof *input);
    if (!library_find(name, input->path)) {
        return EXIT_USAGE;
    }
    int status = EXIT_USAGE;
    bool recording = cord_recording_is(input->path), reel = is_reel(input->path);
    if (!recording && !reel) {
        status = open_scene(input, settings);
    } else if (settings && settings->count > 0) {
        console_error("%s is a %s; --set changes scenes only", input->path, reel ? "reel" : "recording");
    } else {
        status = reel ? open_reel(input) : open_recording(input);
    }
    if (status != EXIT_GOOD) {
        input_close(input);
    }
    return status;
}

void input_close(Input* input)
{
    simulation_destroy(&input->sim);
    cord_recording_close(input->recording);
    cord_reel_close(input->reel);
    free(input->reel_bytes);
    *input = (Input){0};
}

bool input_scene_gather(const Input* input, InputScene* scene)
{
    *scene = (InputScene){0};
    CordMessage message = {""};
    if (input->reel) {
        scene->scene = cord_reel_scene(input->reel);
    } else if (!input->sim.scene) {
        console_warning("%s: its scene cannot be read again, so there will be frames alone", input->path);
    } else if (cord_reel_scene_gather(input->sim.scene, &scene->gathered, &message) == CORD_OK) {
        scene->scene = &scene->gathered;
    } else {
        console_error("%s", message.text);
        input_scene_free(scene);
        return false;
    }
    return true;
}

void input_scene_free(InputScene* scene)
{
    cord_reel_scene_free(&scene->gathered);
    scene->scene = NULL;
}

bool input_is_file(const Input* input, const char* path)
{
    struct stat mine, other;
    return stat(input->path, &mine) == 0 && stat(path, &other) == 0 && mine.st_dev == other.st_dev &&
           mine.st_ino == other.st_ino;
}

int input_probe_count(const Input* input)
{
    if (input->recording) {
        return cord_recording_probe_count(input->recording);
    }
    return input->sim.world ? cord_world_probe_count(input->sim.world) : 0;
}

InputProbe input_probe(const Input* input, int index)
{
    if (input->recording) {
        return (InputProbe){cord_recording_probe_name(input->recording, index),
                            cord_recording_probe_measure(input->recording, index)};
    }
    CordProbeId probe = cord_world_probe(input->sim.world, index);
    return (InputProbe){cord_probe_name(input->sim.world, probe),
                        cord_probe_measure(input->sim.world, probe)};
}

// ---- frames

int input_read_frame(const Input* input, int index, CordFrame* frame)
{
    CordMessage message = {""};
    if (input->frames.read(input->frames.user, index, frame, &message) != CORD_OK) {
        return error_failed("%s: frame %d cannot be read: %s", input->path, index, message.text);
    }
    return EXIT_GOOD;
}

bool input_frame_index(int wanted, int count, int* index)
{
    *index = wanted < 0 ? wanted + count : wanted;
    if (*index >= 0 && *index < count) {
        return true;
    }
    if (count == 0) {
        console_error("there are no frames in it");
    } else {
        console_error("there is no frame %d: frames go from 0 to %d (or from -1, the last, back to -%d)",
                      wanted, count - 1, count);
    }
    return false;
}

bool input_frame_range(const char* text, int count, int* first, int* last)
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
        return error_false("--frames takes A:B, A:, :B or A with whole numbers, not \"%s\"", text);
    }
    if (!input_frame_index(from, count, first) || !input_frame_index(to, count, last)) {
        return false;
    }
    if (*first > *last) {
        return error_false("--frames %s is empty: it begins at frame %d and ends at %d", text, *first, *last);
    }
    return true;
}
