#include "compare.h"

#include "command.h"
#include "heap.h"
#include "output.h"
#include "progress.h"
#include "settings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct CompareOptions {
    const char *models, *output;
    const char* step;    // [s], or auto
    double until;        // [s]; NAN: not given
    OptionList settings; // common to all variants
    OptionList at;       // times of pictures [s]
    int threads;
    bool no_recording, no_pictures, untangle, json, quiet, force;
} CompareOptions;

// The state of the command while the runs go on.
typedef struct CompareWork {
    const CompareOptions* options;
    Compare* compare;
    Progress progress;
    double* lengths; // of the reference's rods [m]
    Overlay overlay; // of the last frame
} CompareWork;

// ---- options

static bool options_agree(const CompareOptions* o)
{
    if (!settings_check_threads("compare", o->threads) || !settings_check_until("compare", o->until)) {
        return false;
    }
    if (o->at.count > 0 && o->no_pictures) {
        return error_false("compare --at and --no-pictures exclude each other");
    }
    return true;
}

static bool moments_fit(const CompareOptions* o, double end)
{
    for (int i = 0; i < o->at.count; i++) {
        double time;
        if (!option_number(o->at.items[i], &time) || time < 0.0 || time > end * (1.0 + 1e-9)) {
            return error_false("compare --at takes a time from 0 to the end, %g s, not \"%s\"", end,
                               o->at.items[i]);
        }
    }
    return true;
}

// ---- beginning

// Loads the scene without any of the models, so that errors of its own are not blamed on a model.
static int look_at_scene(Compare* c, const CompareOptions* o, const char* name)
{
    Simulation s = {0};
    if (!simulation_find(name, "compare takes a scene, which it runs itself; " SIMULATION_INFO, c->scene)) {
        return EXIT_USAGE;
    }
    int status = simulation_load(&s, c->scene, &o->settings, true);
    if (status == EXIT_GOOD) {
        c->end = cord_scene_run(s.scene)->end;
        c->fps = cord_scene_run(s.scene)->fps;
        status = moments_fit(o, c->end) ? EXIT_GOOD : EXIT_USAGE;
    }
    simulation_destroy(&s);
    return status;
}

static void run_refuse(CompareRun* run, const char* why)
{
    run->state = COMPARE_REFUSED;
    snprintf(run->message, sizeof run->message, "%s", why);
}

static void refuse_by_notes(CompareRun* run)
{
    run_refuse(run, "there is no memory for it");
    for (int i = 0; i < cord_scene_note_count(run->sim.scene); i++) {
        CordSceneNote note = cord_scene_note(run->sim.scene, i);
        if (note.is_error) {
            char place[32] = "";
            if (note.line > 0) {
                snprintf(place, sizeof place, ":%d:%d", note.line, note.column);
            }
            snprintf(run->message, sizeof run->message, "%s%s: %s", cord_scene_path(run->sim.scene), place,
                     note.text);
            return;
        }
    }
}

// Does the model accept the scene without the variant's own settings? Then those are wrong.
static bool model_takes_scene(const Compare* c, const Variant* v)
{
    CordScene* scene = NULL;
    CordResult result = cord_scene_load(c->scene, v->settings.items, v->settings.count - v->own, &scene);
    cord_scene_destroy(scene);
    return result == CORD_OK;
}

static int run_load(const Compare* c, CompareRun* run)
{
    const Variant* v = run->variant;
    CordResult result = cord_scene_load(c->scene, v->settings.items, v->settings.count, &run->sim.scene);
    if (!run->sim.scene) {
        return error_failed("%s: there is no memory to read the scene", c->scene);
    }
    if (result == CORD_OK) {
        const CordSceneRun* plan = cord_scene_run(run->sim.scene);
        if (plan->end == c->end && plan->fps == c->fps) {
            return EXIT_GOOD;
        }
        return error_usage(
            "compare --models: \"%s\" has a time.end or time.fps of its own, but all must have the "
            "same frames; use --set for all of them",
            v->name);
    }
    if (v->own > 0 && model_takes_scene(c, v)) {
        console_error("compare --models: the settings of \"%s\" do not fit the scene", v->name);
        console_scene_notes(run->sim.scene, true);
        return EXIT_USAGE;
    }
    refuse_by_notes(run);
    return EXIT_GOOD;
}

// Builds the world, or records why it was refused.
static void run_build(CompareRun* run, const CompareOptions* o)
{
    CordWorldDef hooks = cord_world_def_default();
    hooks.tasks = cord_tasks_openmp(o->threads);
    if (simulation_build_with(&run->sim, hooks) != CORD_OK) {
        refuse_by_notes(run);
        return;
    }
    StartReport overlap = overlap_check(&run->sim);
    if (overlap.refused && !(overlap.overlaps && o->untangle)) {
        run_refuse(run, overlap.message.text);
    } else if (overlap.refused && cord_world_untangle(run->sim.world) != CORD_OK) {
        run_refuse(run, cord_world_message(run->sim.world));
    }
    CordFrame frame; // fails if a modal rod has no modes
    if (run->state != COMPARE_REFUSED && cord_world_frame(run->sim.world, &frame) != CORD_OK) {
        run_refuse(run, cord_world_message(run->sim.world));
    }
}

static bool rods_agree(const Compare* c, const CompareRun* run)
{
    int rods = cord_world_rod_count(run->sim.world),
        first = cord_world_rod_count(compare_reference(c)->sim.world);
    if (rods != first) {
        console_error(
            "compare --models: \"%s\" has %d rod%s, and \"%s\" %d; only the same rods can be compared",
            run->variant->name, rods, text_plural(rods), compare_reference(c)->variant->name, first);
    }
    return rods == first;
}

static int run_record(const Compare* c, CompareRun* run, bool force)
{
    char path[LIBRARY_PATH_MOST + VARIANT_NAME_MOST + 8];
    snprintf(path, sizeof path, "%s/%s.h5", c->directory, run->variant->name);
    if (!output_path_choose(path, run->sim.scene, NULL, force, run->path)) {
        return EXIT_USAGE;
    }
    return recording_create(run->path, run->sim.scene, run->sim.world, false, &run->recorder);
}

static void run_tick(void* user);

// Without --models, models that refuse the scene are left out.
static void say_refused(const CompareRun* run, const CompareOptions* o)
{
    if (o->models) {
        console_error("%s refuses the scene: %s", run->variant->name, run->message);
    } else if (!o->quiet) {
        console_note("%s is left out, it refuses the scene: %s", run->variant->name, run->message);
    }
}

// Loads and builds all runs, and chooses the reference.
static int runs_build(CompareWork* work)
{
    Compare* c = work->compare;
    c->reference = -1;
    for (int k = 0; k < c->variants.count; k++) {
        CompareRun* run = &c->runs[k];
        run->variant = &c->variants.items[k];
        run->state = COMPARE_DONE;
        run->gap = INFINITY;
        run->largest_time = run->over_time = NAN;
        int status = run_load(c, run);
        if (status == EXIT_GOOD && run->state == COMPARE_DONE) {
            run_build(run, work->options);
        }
        if (run->state == COMPARE_REFUSED) {
            say_refused(run, work->options);
        } else if (status == EXIT_GOOD && c->reference < 0) {
            c->reference = k;
            c->title = cord_scene_run(run->sim.scene)->title;
            console_scene_notes(run->sim.scene, false); // warnings, for the reference alone
        } else if (status == EXIT_GOOD && !rods_agree(c, run)) {
            status = EXIT_USAGE;
        }
        if (status != EXIT_GOOD) {
            return status;
        }
    }
    if (c->reference < 0 && !work->options->models) {
        console_error("no model takes the scene; %s says: %s", c->runs[0].variant->name, c->runs[0].message);
    }
    return c->reference < 0 ? EXIT_USAGE : EXIT_GOOD;
}

static bool records(const CompareOptions* o)
{
    if (!o->no_recording && !strstr(cord_io_features(), "hdf5")) {
        console_warning("there will be no recordings: this build has no hdf5");
        return false;
    }
    return !o->no_recording;
}

static int directory_make(Compare* c, const char* given)
{
    bool fits = given ? snprintf(c->directory, sizeof c->directory, "%s", given) < LIBRARY_PATH_MOST
                      : output_path_default(c->scene, ".compare", c->directory);
    if (!fits || !c->directory[0]) {
        return error_usage("the directory's name is %s; choose another with -o", fits ? "empty" : "too long");
    }
    struct stat status;
    if (mkdir(c->directory, 0777) != 0 &&
        (errno != EEXIST || stat(c->directory, &status) != 0 || !S_ISDIR(status.st_mode))) {
        return error_usage("%s: cannot make this directory for the results (%s)", c->directory,
                           strerror(errno));
    }
    return EXIT_GOOD;
}

static int runs_begin(CompareWork* work)
{
    Compare* c = work->compare;
    bool recorded = records(work->options);
    int status = directory_make(c, work->options->output);
    for (int k = 0; k < c->variants.count && status == EXIT_GOOD; k++) {
        CompareRun* run = &c->runs[k];
        if (run->state == COMPARE_REFUSED) {
            continue;
        }
        status = recorded ? run_record(c, run, work->options->force) : EXIT_GOOD;
        run->def = (RunnerDef){.world = run->sim.world,
                               .scene = run->sim.scene,
                               .recorder = run->recorder,
                               .step = cord_scene_run(run->sim.scene)->step,
                               .end = c->end,
                               .fps = c->fps,
                               .quiet = true,
                               .name = run->variant->name,
                               .timed = true,
                               .tick = run_tick,
                               .user = work};
    }
    return status;
}

// ---- progress

static void run_tick(void* user)
{
    CompareWork* work = user;
    const Compare* c = work->compare;
    double done = 0.0, all = 0.0, least = c->end;
    for (int k = 0; k < c->variants.count; k++) {
        const CompareRun* run = &c->runs[k];
        if (run->state == COMPARE_DONE && run->runner.going) { // runs that have stopped cost nothing more
            double time = cord_world_time(run->sim.world);
            done += time;
            all += c->end;
            least = fmin(least, time);
        }
    }
    if (all > 0.0 && progress_is_due(&work->progress, done / all)) {
        progress_show(&work->progress, "%3.0f%% %s left  t = %.4g of %.4g s", 100.0 * done / all,
                      text_duration(progress_left(&work->progress, done / all)).text, least, c->end);
    }
}

// ---- frames

// Total twist, with all its turns; 0 for a network.
static double rod_twist(const CompareRun* run, const CordFrame* frame, int rod)
{
    return frame->rods[rod].network ? 0.0
                                    : cord_rod_twist(run->sim.world, cord_world_rod(run->sim.world, rod));
}

static void row_measure(CompareRun* run, const CompareRun* other, const CordFrame* frame,
                        const CordFrame* reference, const double* lengths)
{
    run->rows = heap_grow(run->rows, (size_t)run->row_count + 1, sizeof *run->rows);
    CompareRow* row = &run->rows[run->row_count++];
    *row = (CompareRow){.time = frame->time, .energy = report_energy(frame), .compared = reference != NULL};
    for (int i = 0; i < frame->rod_count; i++) {
        row->twist += rod_twist(run, frame, i);
    }
    if (!reference) {
        return;
    }
    row->difference = difference_of(reference, frame, lengths);
    for (int i = 0; i < frame->rod_count; i++) {
        double twist = rod_twist(run, frame, i) - rod_twist(other, frame, i);
        row->difference.twist = fmax(row->difference.twist, fabs(twist));
    }
    if (isnan(run->largest_time) || row->difference.share > run->largest.share) {
        run->largest = row->difference;
        run->largest_time = row->time;
    }
    if (isnan(run->over_time) && row->difference.share > COMPARE_SHARE) {
        run->over_time = row->time;
    }
}

static bool draw(const CompareWork* work, const char* name)
{
    const CompareRun* reference = compare_reference(work->compare);
    char path[LIBRARY_PATH_MOST + 80];
    CordFrame stage;
    snprintf(path, sizeof path, "%s/%s.png", work->compare->directory, name);
    return cord_world_frame(reference->sim.world, &stage) == CORD_OK &&
           overlay_draw(&work->overlay, &stage, cord_scene_camera(reference->sim.scene), path);
}

// Draws this frame for every --at time that it is the last frame before.
static void draw_moments(CompareWork* work)
{
    const CompareOptions* o = work->options;
    double time = work->overlay.time, slack = 1e-6 / work->compare->fps;
    double next = fmin(time + 1.0 / work->compare->fps, work->compare->end);
    for (int i = 0; i < o->at.count; i++) {
        double moment = 0.0;
        option_number(o->at.items[i], &moment);
        bool last = time > work->compare->end - slack;
        if (moment > time - slack && (moment < next - slack || last)) {
            char name[64];
            snprintf(name, sizeof name, "shapes_%.6g", moment);
            progress_clear(&work->progress);
            draw(work, name);
        }
    }
}

// Measures the frame that some runs have just reached.
static void frame_measure(CompareWork* work)
{
    Compare* c = work->compare;
    CordFrame frames[VARIANTS_MOST];
    const CordFrame* there[VARIANTS_MOST] = {NULL};
    bool any = false;
    for (int k = 0; k < c->variants.count; k++) {
        CompareRun* run = &c->runs[k];
        if (run->at_frame && cord_world_frame(run->sim.world, &frames[k]) == CORD_OK) {
            there[k] = &frames[k];
            any = true;
            if (cord_scene_contact(run->sim.scene)->on) {
                run->gap = fmin(run->gap, cord_world_contact_report(run->sim.world).nearest);
            }
        }
    }
    for (int k = 0; k < c->variants.count; k++) {
        if (there[k]) {
            row_measure(&c->runs[k], &c->runs[c->reference], there[k], there[c->reference], work->lengths);
        }
    }
    if (any && !work->options->no_pictures) {
        overlay_free(&work->overlay);
        overlay_make(&work->overlay, there, &c->variants);
        draw_moments(work);
    }
}

// ---- the runs

static double* lengths_of(const CordWorld* world)
{
    int count = cord_world_rod_count(world);
    double* lengths = heap_take((size_t)count, sizeof *lengths);
    for (int i = 0; i < count; i++) {
        lengths[i] = cord_rod_length(world, cord_world_rod(world, i));
    }
    return lengths;
}

// Lockstep: all runs reach a frame before any goes on to the next.
static void runs_advance(CompareWork* work)
{
    Compare* c = work->compare;
    bool going = true;
    while (going) {
        going = false;
        for (int k = 0; k < c->variants.count; k++) {
            CompareRun* run = &c->runs[k];
            run->at_frame = run->runner.going && runner_advance(&run->runner);
            going = going || run->runner.going;
        }
        frame_measure(work);
    }
}

// Advice against divergence. A variant's own settings stand after colons.
static void say_remedy(const CompareRun* run)
{
    const Variant* v = run->variant;
    bool plain = v->own == 0 && v->model && strcmp(v->name, v->model) == 0;
    char remedy[80] = "add :time.step=auto to its settings in --models";
    if (plain) {
        snprintf(remedy, sizeof remedy, "write %s:time.step=auto in --models", v->name);
    }
    if (run->report.h > run->report.stable) {
        console_note(
            "%s took steps of %.3g s, longer than the %.3g s that were stable; to give it its own, %s",
            v->name, run->report.h, run->report.stable, remedy);
    }
}

static void run_conclude(CompareRun* run, Progress* progress)
{
    progress_clear(progress);
    run->report = runner_end(&run->runner);
    run->state = COMPARE_STOPPED;
    switch (run->report.end) {
    case RUNNER_DONE: run->state = COMPARE_DONE; return;
    case RUNNER_INTERRUPTED: run->state = COMPARE_INTERRUPTED; return;
    case RUNNER_STEP_TOO_SHORT:
        snprintf(run->message, sizeof run->message, "%s",
                 step_too_short_text(run->sim.world, run->report.choice, run->report.h).text);
        break;
    case RUNNER_DIVERGED:
        snprintf(run->message, sizeof run->message, "%s", cord_world_message(run->sim.world));
        run->state = run->report.result == CORD_DIVERGED ? COMPARE_DIVERGED : COMPARE_STOPPED;
        if (run->recorder) {
            cord_recorder_set_failure(run->recorder, run->message);
        }
        break;
    case RUNNER_ENERGY:
    case RUNNER_NOT_RECORDED: {
        CordMessage said = run->report.message;
        snprintf(run->message, sizeof run->message, "%s", said.text);
        break;
    }
    }
    bool diverged = run->state == COMPARE_DIVERGED;
    console_error("%s %s at t = %.6g s: %s", run->variant->name, diverged ? "diverged" : "stopped",
                  cord_world_time(run->sim.world), run->message);
    if (diverged) {
        say_remedy(run);
    }
}

static int runs_conclude(CompareWork* work)
{
    Compare* c = work->compare;
    int status = EXIT_GOOD;
    for (int k = 0; k < c->variants.count; k++) {
        CompareRun* run = &c->runs[k];
        if (run->state != COMPARE_REFUSED) {
            run_conclude(run, &work->progress);
            status = recording_close(run->recorder, status);
            run->recorder = NULL;
            CordFrame frame;
            if (cord_world_frame(run->sim.world, &frame) == CORD_OK) {
                report_make(&run->last, &frame, NULL, false);
            } else {
                status = error_failed("%s: %s", run->variant->name, cord_world_message(run->sim.world));
            }
        }
        bool left_out = run->state == COMPARE_REFUSED && !work->options->models;
        status = run->state == COMPARE_DONE || left_out ? status : EXIT_FAILED;
    }
    return status;
}

static int compare_run(CompareWork* work)
{
    Compare* c = work->compare;
    work->lengths = lengths_of(compare_reference(c)->sim.world);
    interrupt_watch();
    work->progress = progress_begin(work->options->quiet);
    for (int k = 0; k < c->variants.count; k++) {
        CompareRun* run = &c->runs[k];
        if (run->state != COMPARE_REFUSED) {
            run->runner = runner_begin(&run->def);
            run->at_frame = run->runner.report.end == RUNNER_DONE;
        }
    }
    frame_measure(work);
    runs_advance(work);
    return runs_conclude(work);
}

// ---- what is left behind

static void say_beginning(const Compare* c)
{
    char names[VARIANTS_MOST * (VARIANT_NAME_MOST + 2)] = "";
    size_t n = 0;
    for (int k = 0; k < c->variants.count; k++) {
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", k > 0 ? ", " : "",
                              c->variants.items[k].name);
    }
    console_note("%s: %s; t from 0 to %.4g s at %g frames/s -> %s",
                 c->title && *c->title ? c->title : c->scene, names, c->end, c->fps, c->directory);
}

static int compare_leave(const CompareWork* work, int status)
{
    const Compare* c = work->compare;
    const CompareOptions* o = work->options;
    if (o->json) {
        compare_print_json(c);
    } else {
        compare_print_table(c);
    }
    fflush(stdout);
    if (!compare_write(c)) {
        return EXIT_FAILED;
    }
    if (o->no_pictures) {
        return status;
    }
    if (compare_reference(c)->row_count == 0) { // not even the first frame was recorded
        return status;
    }
    compare_plot(c, o->quiet);
    if (draw(work, "shapes") && !o->quiet) {
        console_note("%s/shapes.png shows the rods at t = %.4g s", c->directory, work->overlay.time);
    }
    return status;
}

// ---- the command

static void compare_close(CompareWork* work)
{
    Compare* c = work->compare;
    for (int k = 0; k < c->variants.count; k++) {
        CompareRun* run = &c->runs[k];
        recording_close(run->recorder, EXIT_FAILED);
        report_free(&run->last);
        free(run->rows);
        simulation_destroy(&run->sim);
    }
    free(work->lengths);
    overlay_free(&work->overlay);
    variant_list_free(&c->variants);
}

static int compare_go(CompareOptions* o, const char* name)
{
    Compare* c = heap_take(1, sizeof *c);
    CompareWork work = {.options = o, .compare = c};
    int status = look_at_scene(c, o, name);
    if (status == EXIT_GOOD) {
        status = variant_list_parse(&c->variants, o->models, &o->settings);
    }
    if (status == EXIT_GOOD) {
        status = runs_build(&work);
    }
    if (status == EXIT_GOOD) {
        status = runs_begin(&work);
    }
    if (status == EXIT_GOOD) {
        if (!o->quiet) {
            say_beginning(c);
        }
        status = compare_leave(&work, compare_run(&work));
    }
    compare_close(&work);
    free(c);
    return status;
}

static int compare_command(void* given, const Operands* operands)
{
    CompareOptions* o = given;
    if (!options_agree(o)) {
        return EXIT_USAGE;
    }
    settings_add_end(&o->settings, o->until);
    return settings_add_step(&o->settings, "compare", o->step) ? compare_go(o, operands->items[0])
                                                               : EXIT_USAGE;
}

static const Option options[] = {
    {"models", 0, OPTION_TEXT, offsetof(CompareOptions, models), "M,M,...",
     "what is compared, with the first of them: models, or \"scene\" for the\n"
     "model that the scene gives each rod, each with settings of its own\n"
     "after colons, and with a name of its own before an equals sign:\n"
     "MODEL[:PATH=VALUE]... or NAME=MODEL[:PATH=VALUE]...\n"
     "Default: every model that takes the scene"},
    {"output", 'o', OPTION_TEXT, offsetof(CompareOptions, output), "DIR",
     "where table, plot, pictures and recordings go; default: the scene's\n"
     "name with .compare, in the current directory"},
    FORCE_OPTION(offsetof(CompareOptions, force)),
    {"until", 0, OPTION_NUMBER, offsetof(CompareOptions, until), "T",
     "stop at this simulated time [s]: the same as --set time.end=T"},
    {"step", 0, OPTION_TEXT, offsetof(CompareOptions, step), "H",
     "time step of all [s], or auto: the same as --set time.step=H"},
    SETTINGS_OPTION(offsetof(CompareOptions, settings),
                    "change any value of the scene, for all of them; may be given many times"),
    {"at", 0, OPTION_LIST, offsetof(CompareOptions, at), "T",
     "a picture of this moment [s], too; may be given many times"},
    {"threads", 0, OPTION_INT, offsetof(CompareOptions, threads), "N",
     "rods are shared out among so many threads; default: 1"},
    {"untangle", 0, OPTION_FLAG, offsetof(CompareOptions, untangle), NULL, "as in run"},
    {"no-recording", 0, OPTION_FLAG, offsetof(CompareOptions, no_recording), NULL, "keep no recordings"},
    {"no-pictures", 0, OPTION_FLAG, offsetof(CompareOptions, no_pictures), NULL,
     "draw no pictures and no plot"},
    {"json", 0, OPTION_FLAG, offsetof(CompareOptions, json), NULL,
     "all of it as JSON, with every frame, instead of tables"},
    {"quiet", 'q', OPTION_FLAG, offsetof(CompareOptions, quiet), NULL,
     "say nothing but the tables, errors and warnings"},
};

const Command command_compare = {
    .name = "compare",
    .arguments = "SCENE",
    .summary = "the same scene under several models: shapes, energies, cost",
    .usage = "compare SCENE --models M,M,... [options]",
    .about = "Runs a scene under several models, or several ways of one model, and says how they differ:\n"
             "shapes, energies, cost. All rods get the model. One that refuses the scene, or fails, is\n"
             "reported by name, and the others go on.",
    .closing =
        "examples:\n"
        "  cordage compare swing --models der,corde,pbd --until 1\n"
        "  cordage compare rope.json --models 'corde,paper=corde:rods[*].corde.orientations=explicit'\n"
        "  cordage compare rope.json --models 'pbd,sweeps=pbd:rods[*].pbd.method=sweeps'\n"
        "  cordage compare rope.json --models 'n50=der:rods[*].elements=50,n100=der:rods[*].elements=100'\n"
        "  cordage compare rope.json --models der,corde --json > rope.compare.json",
    .operands = {1, 1},
    COMMAND_OPTIONS(CompareOptions, .until = NAN, .threads = 1),
    .run = compare_command,
};
