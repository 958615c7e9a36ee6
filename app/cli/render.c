#include "branch_report.h"
#include "camera.h"
#include "command.h"
#include "heap.h"
#include "input.h"
#include "output.h"
#include "progress.h"
#include "settings.h"

#include <cordage/math.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double fps_most = 60.0;   // default of a video, at most
static const double fps_branch = 25.0; // default of a branch, whose points have no rate

typedef struct RenderOptions {
    const char *output, *size, *from, *frames;
    int frame;            // INT_MIN: not given
    double time;          // [s]; NAN: not given
    double fps, speed;    // NAN: not given
    double field_of_view; // [degrees]; NAN: not given
    double thicker;       // NAN: not given
    int samples;          // 0: not given
    bool nodes, no_ground, no_label;
    OptionList settings;
} RenderOptions;

// ---- options

static bool parse_size(const char* text, CordPictureDef* def)
{
    char width[16];
    const char* x = strchr(text, 'x');
    size_t length = x ? (size_t)(x - text) : sizeof width;
    bool good = length < sizeof width;
    if (good) {
        memcpy(width, text, length);
        width[length] = '\0';
        good = option_int(width, &def->width) && option_int(x + 1, &def->height);
    }
    good = good && def->width >= 16 && def->width <= 16384 && def->height >= 16 && def->height <= 16384;
    if (!good) {
        console_error(
            "render --size takes WIDTHxHEIGHT in pixels, each from 16 to 16384, such as 1280x720, not \"%s\"",
            text);
    }
    return good;
}

static bool parse_direction(const char* text, CordPictureDef* def)
{
    double d[3];
    if (!option_vector(text, d) || !(fabs(d[0]) + fabs(d[1]) + fabs(d[2]) > 0.0)) {
        return error_false("render --from takes a direction x,y,z to look from, such as 1,-2,0.5, not \"%s\"",
                           text);
    }
    def->eye = cord_vec3_add(def->target, cord_vec3(d[0], d[1], d[2]));
    def->fit = true;
    return true;
}

static bool in_range(const char* name, double value, double least, double most)
{
    if (isnan(value) || (value >= least && value <= most)) {
        return true;
    }
    return error_false("render --%s takes a number from %g to %g, not %g", name, least, most, value);
}

static bool picture_from_options(const RenderOptions* o, CordPictureDef* def)
{
    if ((o->size && !parse_size(o->size, def)) || (o->from && !parse_direction(o->from, def)) ||
        !in_range("fov", o->field_of_view, 1.0, 150.0) || !in_range("fps", o->fps, 1.0, 1000.0) ||
        !in_range("speed", o->speed, 1e-6, 1e6) || !in_range("thicker", o->thicker, 1e-3, 1e6) ||
        !in_range("samples", o->samples == 0 ? NAN : (double)o->samples, 1.0, 4096.0)) {
        return false;
    }
    def->field_of_view =
        isnan(o->field_of_view) ? def->field_of_view : o->field_of_view * (2.0 * CORD_PI) / 360.0;
    def->radius_scale = isnan(o->thicker) ? def->radius_scale : o->thicker;
    def->samples = o->samples == 0 ? def->samples : o->samples;
    def->ground = def->ground && !o->no_ground;
    def->label = !o->no_label;
    def->nodes = o->nodes;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    def->tasks = cord_tasks_openmp(processors > 1 ? (int)processors : 1);
    return true;
}

// ---- stills

static bool is_branch(const Input* input)
{
    return input->recording && cord_recording_is_branch(input->recording);
}

static bool time_is_there(const Input* input, double time, double first, double last)
{
    double slack = 1e-9 * fmax(fabs(first), fabs(last)); // times are printed with fewer digits
    if (time >= first - slack && time <= last + slack) {
        return true;
    }
    if (input->recorded) {
        console_error("there is no frame at t = %g s: %s goes from t = %.6g to %.6g s", time, input->path,
                      first, last);
    } else {
        console_error(
            "there is no frame at t = %g s: %s is a scene, which has its beginning only; run it first", time,
            input->path);
    }
    return false;
}

// The first point of the branch that is nearest to the time.
static int point_at(const Input* input, double time, int* index)
{
    BranchReport branch;
    double nearest = INFINITY;
    if (branch_read(&branch, input) != EXIT_GOOD) {
        return EXIT_FAILED;
    }
    for (int i = 0; i < branch.count; i++) {
        double away = fabs(branch.points[i].time - time);
        *index = away < nearest ? i : *index;
        nearest = fmin(away, nearest);
    }
    bool there = time_is_there(input, time, branch.least_time, branch.most_time);
    branch_free(&branch);
    return there ? EXIT_GOOD : EXIT_USAGE;
}

// The last frame at or before the time.
static int frame_at(const Input* input, double time, int* index)
{
    int low = 0, high = input->frames.count - 1;
    CordFrame frame;
    double ends[2];
    for (int i = 0; i < 2; i++) {
        if (input_read_frame(input, i == 0 ? low : high, &frame) != EXIT_GOOD) {
            return EXIT_FAILED;
        }
        ends[i] = frame.time;
    }
    if (!time_is_there(input, time, ends[0], ends[1])) {
        return EXIT_USAGE;
    }
    while (low < high) {
        int middle = high - (high - low) / 2;
        if (input_read_frame(input, middle, &frame) != EXIT_GOOD) {
            return EXIT_FAILED;
        }
        if (frame.time <= time * (1.0 + 1e-12)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    *index = low;
    return EXIT_GOOD;
}

static int render_still(const Input* input, const RenderOptions* o, const CordPictureDef* def)
{
    int index;
    int wanted = o->frame == INT_MIN ? -1 : o->frame;
    if (!input_frame_index(wanted, input->frames.count, &index)) {
        return EXIT_USAGE;
    }
    int status = isnan(o->time)     ? EXIT_GOOD
                 : is_branch(input) ? point_at(input, o->time, &index)
                                    : frame_at(input, o->time, &index);
    CordFrame frame;
    if (status == EXIT_GOOD) {
        status = input_read_frame(input, index, &frame);
    }
    CordMessage message = {""};
    if (status == EXIT_GOOD && cord_picture_png(&frame, def, o->output, &message) != CORD_OK) {
        status = error_failed("%s", message.text);
    }
    return status;
}

// ---- films

// A video shows at even times the last frame recorded by then; of a branch it shows every point.
typedef struct Film {
    const CordFrames* frames; // of the input
    double* times;            // [s] (count)
    int first, count;         // range of frames
    bool in_turn;             // each frame once
    double step;              // simulated time from one picture to the next [s]
    CordVec3 low, high;       // bounds of all frames [m]
} Film;

static int film_measure(Film* film, const Input* input, int first, int last)
{
    film->frames = &input->frames;
    film->first = first;
    film->in_turn = is_branch(input);
    film->count = last - first + 1;
    film->low = (CordVec3){1.0, 0.0, 0.0}; // empty
    film->times = heap_take((size_t)film->count, sizeof *film->times);
    for (int i = 0; i < film->count; i++) {
        CordFrame frame;
        if (input_read_frame(input, first + i, &frame) != EXIT_GOOD) {
            return EXIT_FAILED;
        }
        film->times[i] = frame.time;
        film->in_turn = film->in_turn ||
                        (i > 0 && frame.time < film->times[i - 1]); // time runs back in the reel of a branch
        cord_picture_bounds(&frame, &film->low, &film->high);
    }
    return EXIT_GOOD;
}

static CordResult film_read(void* user, int index, CordFrame* frame, CordMessage* message)
{
    const Film* film = user;
    double time = film->times[0] + (index + 1e-6) * film->step;
    int low = film->in_turn ? index : 0, high = film->in_turn ? index : film->count - 1;
    while (low < high) {
        int middle = high - (high - low) / 2;
        if (film->times[middle] <= time) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return film->frames->read(film->frames->user, film->first + low, frame, message);
}

// Returns the number of pictures, and chooses the frame rate.
static int film_plan(Film* film, const RenderOptions* o, double* fps)
{
    double span = film->times[film->count - 1] - film->times[0];
    double speed = isnan(o->speed) ? 1.0 : o->speed;
    double natural =
        span > 0.0 ? speed * (film->count - 1) / span : 1.0; // rate at which every frame is shown once
    if (film->in_turn) {
        *fps = isnan(o->fps) ? fps_branch : o->fps;
        return film->count;
    }
    *fps = isnan(o->fps) ? fmax(1.0, fmin(fps_most, round(natural))) : o->fps;
    film->step = speed / *fps;
    return 1 + (int)fmin(1e8, floor(span / film->step + 1e-6));
}

static int render_film(const Input* input, const RenderOptions* o, CordPictureDef* def)
{
    int first, last;
    if (!input->recorded) {
        return error_usage("%s is a scene; run it first, then render its recording as a video", input->path);
    }
    if (!input_frame_range(o->frames ? o->frames : ":", input->frames.count, &first, &last)) {
        return EXIT_USAGE;
    }
    if (is_branch(input) && !isnan(o->speed)) {
        return error_usage(
            "%s is a branch: its points are not moments, so a video shows them one by one; leave "
            "out --speed (--fps says how many a second)",
            input->path);
    }
    Film film = {0};
    int status = film_measure(&film, input, first, last);
    if (status == EXIT_GOOD) {
        double fps;
        int pictures = film_plan(&film, o, &fps);
        CordFrames frames = {.count = pictures, .read = film_read, .user = &film};
        if (def->fit) {
            cord_picture_fit(def, film.low, film.high);
        }
        FrameProgress progress = progress_frames_begin("rendering picture");
        interrupt_watch();
        CordMessage message = {""};
        CordResult result = cord_picture_mp4(&frames, def, fps, 0, pictures - 1, o->output,
                                             progress_frames_hook(&progress), &message);
        progress_clear(&progress.line);
        if (result != CORD_OK) {
            status = error_failed("%s", message.text);
        } else if (interrupt_raised()) {
            status = error_failed("interrupted after %d of %d pictures", progress.done, pictures);
        }
    }
    free(film.times);
    return status;
}

// ---- the command

static int render_go(const RenderOptions* o, const char* name)
{
    bool film = o->output && text_ends_with(o->output, ".mp4");
    if (!o->output || (!film && !text_ends_with(o->output, ".png"))) {
        return error_usage("render writes png and mp4: %s", o->output
                                                                ? "end the name after -o in .png or .mp4"
                                                                : "add -o PATH.png or -o PATH.mp4");
    }
    if (film ? o->frame != INT_MIN || !isnan(o->time) : o->frames || !isnan(o->fps) || !isnan(o->speed)) {
        return error_usage(
            "render: --frame and --time are for a png, --frames, --fps and --speed for an mp4");
    }
    if (o->frame != INT_MIN && !isnan(o->time)) {
        return error_usage("render --frame and --time exclude each other");
    }
    if (!output_can_be_written(o->output)) {
        return EXIT_USAGE;
    }
    Input input;
    int status = input_open(&input, name, &o->settings);
    if (status != EXIT_GOOD) {
        return status;
    }
    CordPictureDef def = cord_picture_def_default();
    CordPictureGroup* groups = NULL;
    status = EXIT_USAGE;
    if (input.sim.scene) {
        camera_from_scene(cord_scene_camera(input.sim.scene), &def); // options override it
        groups = camera_strands(input.sim.scene, &def);
    }
    if (picture_from_options(o, &def)) {
        status = film ? render_film(&input, o, &def) : render_still(&input, o, &def);
    }
    free(groups);
    input_close(&input);
    return status;
}

static int render_command(void* given, const Operands* operands)
{
    return render_go(given, operands->items[0]);
}

static const Option options[] = {
    {"output", 'o', OPTION_TEXT, offsetof(RenderOptions, output), "PATH",
     "PATH.png or PATH.mp4; a file of that name is replaced"},
    {"frame", 0, OPTION_INT, offsetof(RenderOptions, frame), "K",
     "png: which frame, from 0, or from -1 (the last, the default)\nbackwards"},
    {"time", 0, OPTION_NUMBER, offsetof(RenderOptions, time), "T",
     "png: the frame at this time [s], or the last before it; of a branch, the\nfirst point nearest to it"},
    {"frames", 0, OPTION_TEXT, offsetof(RenderOptions, frames), "A:B",
     "mp4: frames A to B only, both included"},
    {"fps", 0, OPTION_NUMBER, offsetof(RenderOptions, fps), "F",
     "mp4: pictures per second of video; default: so that every frame is\nseen, 60 at the most"},
    {"speed", 0, OPTION_NUMBER, offsetof(RenderOptions, speed), "S",
     "mp4: simulated seconds per second of video; default: 1"},
    {"size", 0, OPTION_TEXT, offsetof(RenderOptions, size), "WxH", "in pixels; default: 1280x720"},
    {"from", 0, OPTION_TEXT, offsetof(RenderOptions, from), "X,Y,Z",
     "the direction to look from; z is up. Default: the scene's camera, or\nthe front, a little above"},
    {"fov", 0, OPTION_NUMBER, offsetof(RenderOptions, field_of_view), "DEGREES",
     "vertical field of view; the camera stands so that everything is seen"},
    {"thicker", 0, OPTION_NUMBER, offsetof(RenderOptions, thicker), "S",
     "draw rods this many times as thick as they are"},
    {"nodes", 0, OPTION_FLAG, offsetof(RenderOptions, nodes), NULL,
     "bullets on the nodes of rods: black, or white where an adaptive rod has\ntaken them in"},
    {"samples", 0, OPTION_INT, offsetof(RenderOptions, samples), "N",
     "rays per pixel: more is smoother and slower"},
    {"no-ground", 0, OPTION_FLAG, offsetof(RenderOptions, no_ground), NULL, "no floor under the rods"},
    {"no-label", 0, OPTION_FLAG, offsetof(RenderOptions, no_label), NULL,
     "no time and no scale in the corners"},
    SETTINGS_OPTION(offsetof(RenderOptions, settings), SETTINGS_HELP_FILE),
};

const Command command_render = {
    .name = "render",
    .arguments = "FILE",
    .summary = "a picture of a frame, or a video",
    .usage = "render FILE -o PATH.png|PATH.mp4 [options]",
    .about =
        "Makes a picture of one frame, or a video, of a recording; or a picture of a scene's initial state.\n"
        "Rods are tubes with stripes in a second colour, so that twist shows; bodies have two tones.",
    .closing = "examples:\n"
               "  cordage render swing.h5 -o last.png\n"
               "  cordage render swing.h5 -o above.png --time 1.5 --from 0,0,1 --size 1920x1080\n"
               "  cordage render swing.h5 -o swing.mp4\n"
               "  cordage render whip.h5 -o slow.mp4 --speed 0.1\n"
               "  cordage render swing -o start.png            the initial state of a shipped scene",
    .operands = {1, 1},
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .size = sizeof(RenderOptions),
    .defaults =
        &(RenderOptions){
            .frame = INT_MIN, .time = NAN, .fps = NAN, .speed = NAN, .field_of_view = NAN, .thicker = NAN},
    .run = render_command,
};
