#include "camera.h"
#include "command.h"
#include "console.h"
#include "modes.h"
#include "output.h"

#include <cordage/math.h>

enum {
    PERIODS = 2,        // recorded
    PERIOD_FRAMES = 60, // in each period
};

static double extent(const CordVec3* x, int nodes)
{
    CordVec3 low = x[0], high = x[0];
    for (int i = 1; i < nodes; i++) {
        low = (CordVec3){fmin(low.x, x[i].x), fmin(low.y, x[i].y), fmin(low.z, x[i].z)};
        high = (CordVec3){fmax(high.x, x[i].x), fmax(high.y, x[i].y), fmax(high.z, x[i].z)};
    }
    return fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
}

double vibration_scale(const CordVec3* x, const CordVec3* u, int nodes, double amplitude)
{
    double most = 0.0;
    for (int i = 0; i < nodes; i++) {
        most = fmax(most, cord_vec3_length(u[i]));
    }
    return (isnan(amplitude) ? 0.05 * extent(x, nodes) : amplitude) / most;
}

static int frames_put(const Vibration* v, const CordWorld* world, CordRecorder* recorder)
{
    CordMessage message = {""};
    for (int k = 0; k <= PERIODS * PERIOD_FRAMES; k++) {
        if (v->pose(v->user, k * v->period / PERIOD_FRAMES) != CORD_OK) {
            return error_failed("%s", cord_world_message(world));
        }
        if (cord_recorder_put_frame(recorder, &message) != CORD_OK) {
            return error_failed("%s", message.text);
        }
    }
    return EXIT_GOOD;
}

bool vibration_fits(const CordScene* scene, const char* path, bool force)
{
    char chosen[LIBRARY_PATH_MOST];
    return text_ends_with(path, ".png") ? output_can_be_written(path)
                                        : output_path_choose(path, scene, NULL, force, chosen);
}

static int vibration_record(const Vibration* v, const CordScene* scene, CordWorld* world, const char* path)
{
    CordRecorder* recorder = NULL;
    int status = recording_create(path, scene, world, false, &recorder);
    status = status == EXIT_GOOD ? frames_put(v, world, recorder) : status;
    status = recording_close(recorder, status);
    if (status == EXIT_GOOD) {
        console_note("mode %d, %d periods in %d frames in %s; for one period in two seconds: cordage render "
                     "%s --speed %.3g -o mode.mp4",
                     v->number, PERIODS, PERIODS * PERIOD_FRAMES + 1, path, path, 0.5 * v->period);
    }
    return status;
}

static int vibration_draw(const Vibration* v, const CordScene* scene, CordWorld* world, const char* path)
{
    CordPictureDef def = cord_picture_def_default();
    CordMessage message = {""};
    CordFrame frame;
    camera_from_scene(cord_scene_camera(scene), &def);
    def.label = false;
    if (v->pose(v->user, 0.25 * v->period) != CORD_OK || cord_world_frame(world, &frame) != CORD_OK) {
        return error_failed("%s", cord_world_message(world));
    }
    if (cord_picture_png(&frame, &def, path, &message) != CORD_OK) {
        return error_failed("%s", message.text);
    }
    console_note("mode %d at its farthest, in %s", v->number, path);
    return EXIT_GOOD;
}

int vibration_show(const Vibration* v, const CordScene* scene, CordWorld* world, const char* path)
{
    return text_ends_with(path, ".png") ? vibration_draw(v, scene, world, path)
                                        : vibration_record(v, scene, world, path);
}
