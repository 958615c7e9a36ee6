#include "adaptive.h"
#include "command.h"
#include "modal.h"
#include "output.h"
#include "progress.h"
#include "rod_method.h"
#include "runner.h"
#include "saddle.h"
#include "settings.h"
#include "simulation.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct RunOptions {
    const char* output;
    const char* resume;
    const char* model;
    const char* step; // [s], or auto
    double until;     // [s]; NAN: not given
    OptionList settings;
    int threads;
    bool no_recording, quiet, untangle, force;
} RunOptions;

// The simulation, and where its recording goes.
typedef struct Run {
    Simulation sim;
    CordRecorder* recorder;
    char path[LIBRARY_PATH_MOST]; // of the recording
    double end;                   // [s]
} Run;

// ---- options

static bool run_options_agree(const RunOptions* o, const Operands* operands)
{
    if (!o->resume && operands->count == 0) {
        return error_false("run needs a scene: cordage run SCENE, or cordage run --resume FILE.h5");
    }
    if (o->resume && operands->count > 0) {
        return error_false("run --resume takes the scene from %s; leave out \"%s\"", o->resume,
                           operands->items[0]);
    }
    if (o->resume &&
        (o->output || o->model || o->step || o->settings.count > 0 || o->no_recording || o->force)) {
        return error_false(
            "run --resume goes on as the recording began, in the same file; of the options that "
            "change a run only --until can be given with it");
    }
    if (o->output && o->no_recording) {
        return error_false("run --output and --no-recording exclude each other");
    }
    return settings_check_threads("run", o->threads) && settings_check_until("run", o->until);
}

static bool run_settings(RunOptions* o)
{
    settings_add_end(&o->settings, o->until);
    return settings_add_step(&o->settings, "run", o->step) &&
           settings_add_model(&o->settings, "run", o->model);
}

// ---- the recording

static int open_ledger(Run* run)
{
    return cord_ledger_open(run->sim.world) == CORD_OK
               ? EXIT_GOOD
               : error_failed("%s", cord_world_message(run->sim.world));
}

static int run_create(Run* run, const RunOptions* o, const char* name)
{
    char scene_path[LIBRARY_PATH_MOST];
    if (!simulation_find(name, "to go on with it write: cordage run --resume", scene_path)) {
        return EXIT_USAGE;
    }
    int status = simulation_load(&run->sim, scene_path, &o->settings, true);
    if (status == EXIT_GOOD) {
        status = simulation_build(&run->sim, o->threads, true);
    }
    if (status == EXIT_GOOD) {
        status = modal_search_run(&run->sim, o->quiet);
    }
    if (status == EXIT_GOOD) {
        status = overlap_resolve(&run->sim, o->untangle);
    }
    if (status == EXIT_GOOD) {
        status = open_ledger(run);
    }
    if (status != EXIT_GOOD || o->no_recording) {
        return status;
    }
    if (!output_path_choose(o->output, run->sim.scene, ".h5", o->force, run->path)) {
        return EXIT_USAGE;
    }
    return recording_create(run->path, run->sim.scene, run->sim.world, false, &run->recorder);
}

// Does the recording reach the end? *last is the time of its last frame.
static bool is_finished(CordRecording* recording, double end, double fps, double* last)
{
    CordFrames frames = cord_recording_frames(recording);
    CordFrame frame;
    CordMessage message;
    if (frames.count == 0 || frames.read(frames.user, frames.count - 1, &frame, &message) != CORD_OK) {
        return false;
    }
    *last = frame.time;
    return cord_recording_complete(recording) && frame.time >= end - 1e-6 / fps;
}

// What is kept of it is copied into a file beside it, which then takes its place.
static bool may_be_replaced_in_place(const char* path)
{
    char folder[LIBRARY_PATH_MOST];
    const char* slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    return (access(path, W_OK) == 0 && access(folder, W_OK) == 0) ||
           error_false("%s cannot be written: %s; to go on, copy it to a folder that you may write to", path,
                       strerror(errno));
}

// Opens the recording, and reads its scene. *finished: the recording is complete, which has been reported.
static int resume_scene(Run* run, const RunOptions* o, bool* finished)
{
    CordMessage message = {""};
    CordRecording* recording = NULL;
    if (!cord_recording_is(o->resume)) {
        return error_usage(
            access(o->resume, F_OK) == 0
                ? "%s is not a recording; run --resume takes one that an earlier run has made"
                : "%s: there is no such file; run --resume takes a recording that an earlier run has made",
            o->resume);
    }
    CordResult result = cord_recording_open(o->resume, &recording, &message);
    if (result == CORD_OK) {
        result = cord_recording_scene(recording, &run->sim.scene, &message);
    }
    bool good = result == CORD_OK || error_false("%s", message.text);
    if (good && cord_recording_is_branch(recording)) {
        good = error_false(
            "%s cannot be resumed: a branch of equilibria is followed in one go; solve it again", o->resume);
    }
    if (good) {
        const CordSceneRun* plan = cord_scene_run(run->sim.scene);
        double last = 0.0;
        *finished = is_finished(recording, isnan(o->until) ? plan->end : o->until, plan->fps, &last);
        if (*finished && isnan(o->until)) {
            console_note("%s is complete up to t = %.6g s; to go further add --until T", o->resume, last);
        } else if (*finished) {
            console_note("%s reaches t = %.6g s already; to go further give a later --until", o->resume,
                         last);
        }
        good = *finished || may_be_replaced_in_place(o->resume);
    }
    cord_recording_close(recording);
    return good ? EXIT_GOOD : EXIT_USAGE;
}

static int run_resume(Run* run, const RunOptions* o, bool* finished)
{
    int status = resume_scene(run, o, finished);
    if (status != EXIT_GOOD || *finished) {
        return status;
    }
    status = simulation_build(&run->sim, o->threads, true);
    if (status == EXIT_GOOD) {
        status = open_ledger(run);
    }
    if (status != EXIT_GOOD) {
        return status;
    }
    snprintf(run->path, sizeof run->path, "%s", o->resume);
    CordRecorderDef def = cord_recorder_def_default();
    def.path = run->path;
    def.scene = run->sim.scene;
    def.snapshot_every = 0;
    CordMessage message = {""};
    if (cord_recorder_resume(&def, run->sim.world, &run->recorder, &message) != CORD_OK) {
        return error_failed("%s", message.text);
    }
    return EXIT_GOOD;
}

// ---- what is said

static void say_beginning(const Run* run)
{
    int rods = cord_world_rod_count(run->sim.world);
    const CordSceneRun* plan = cord_scene_run(run->sim.scene);
    const char* title = plan->title && *plan->title ? plan->title : cord_scene_path(run->sim.scene);
    double time = cord_world_time(run->sim.world);
    console_note("%s: %d rod%s, %s nodes; t from %.4g to %.4g s at %g frames/s%s%s", title, rods,
                 text_plural(rods), text_count(simulation_node_count(run->sim.world)).text, time, run->end,
                 plan->fps, run->recorder ? " -> " : "", run->path);
}

// The world names the time, the rod and the node. Its step advice is for the diverged state, so the advice
// from before is used.
static void say_divergence(const Run* run, const RunnerReport* report)
{
    console_error("the run failed: %s", cord_world_message(run->sim.world));
    bool watched =
        strstr(cord_world_message(run->sim.world), "passed through") != NULL; // from contact.watch_topology
    bool unstable = report->h > report->stable; // and then it has led to whatever the message says
    if ((report->result != CORD_DIVERGED && !unstable) || watched) {
        return; // the message has the cause
    }
    if (unstable) {
        console_note("likely cause: the step of %.3g s is longer than the %.3g s that were stable before; "
                     "write \"step\": \"auto\", or use --step %.2g",
                     report->h, report->stable, CORD_PACE_SAFETY * report->stable);
    } else {
        const char* driver = cord_scene_driver(run->sim.scene);
        console_note("likely cause: the step of %.3g s is too long for %s%s, or try --step %.2g", report->h,
                     driver ? driver : "how fast the rods move; make that slower",
                     driver ? "; make that gentler" : "", report->h / 4.0);
    }
}

static void say_energy(const Run* run, const RunnerReport* report)
{
    console_error("the run was stopped: %s", report->message.text);
    if (!report->ledger_remeshed) {
        console_note("try --step %.2g%s", report->h / 4.0,
                     report->iterations > 0 ? ""
                                            : ", or \"integrator\": \"implicit\""); // it may be that already
    }
    if (run->recorder) {
        cord_recorder_set_failure(run->recorder, report->message.text);
    }
}

static void say_adaptive(CordWorld* world)
{
    CordFrame frame;
    if (cord_world_frame(world, &frame) != CORD_OK) {
        return;
    }
    AdaptiveRods rods = adaptive_rods(&frame);
    if (rods.count > 0) {
        AdaptiveText text = adaptive_text(&rods);
        console_note("nodes of adaptive rods: %s; %s", text.nodes, text.changes);
    }
}

// Less than one in a thousand is not reported.
static void say_unfinished(const Run* run, const RunnerReport* report)
{
    int positioned = 0;
    for (int i = 0; i < cord_scene_rod_count(run->sim.scene); i++) {
        positioned += rod_method(cord_scene_rod(run->sim.scene, i)).solver != NULL;
    }
    double all = (double)report->steps * positioned;
    if ((double)report->unfinished > 1e-3 * all) {
        console_note("%.3g %% of the position-based steps of rods ran out of iterations before they were "
                     "where they belong: shorter steps, substeps or more iterations would be more exact",
                     100.0 * (double)report->unfinished / all);
    }
}

static void say_asleep(const CordWorld* world)
{
    CordContactDef contact = cord_world_contact_def(world);
    if (contact.on && contact.sleep.time > 0.0) {
        console_note("%d of %d rods sleep in the end", cord_world_contact_report(world).asleep,
                     cord_world_rod_count(world));
    }
}

static void say_spent(const RunnerReport* report)
{
    if (report->spent == 0) {
        return;
    }
    console_note("the budget of contact was spent in %s of %s steps, which left contacts less exact",
                 text_count(report->spent).text, text_count(report->steps).text);
    if (report->limited > 0) {
        console_note("%s times a rod would have passed through something then, and took a part of its step",
                     text_count(report->limited).text);
    }
}

typedef struct BySteps {
    char text[120];
} BySteps;

static BySteps by_steps(const char* what, double energy, double turnover) // empty below 1 %
{
    BySteps by = {""};
    if (energy > 0.01 * turnover) {
        snprintf(by.text, sizeof by.text, "; the integrator %s %.3g J, %s", what, energy,
                 text_percent(energy / turnover).text);
    }
    return by;
}

static void say_summary(const Run* run, const RunnerReport* report)
{
    const CordWorld* w = run->sim.world;
    char where[LIBRARY_PATH_MOST + 64] = "";
    if (run->recorder) {
        int frames = cord_recorder_frame_count(run->recorder);
        snprintf(where, sizeof where, ", %d frame%s in %s", frames, text_plural(frames), run->path);
    }
    console_note("%s: t = %.6g s, %s steps in %s%s, energy %.6g -> %.6g J, state %016" PRIx64,
                 report->end == RUNNER_DONE ? "done" : "stopped", cord_world_time(w),
                 text_count(report->steps).text, text_duration(report->wall).text, where,
                 report->energy_start, report->energy_end, cord_world_state_hash(w));
    if (report->ledger_still) {
        console_note("ledger: nothing moves");
    } else if (report->ledger_turnover > 0.0) {
        double rest = report->ledger_error / report->ledger_turnover;
        console_note("ledger: %+.3g J, %s%s of the energy in motion, are not accounted for%s%s",
                     report->ledger_error, rest < 0.0 ? "" : "+", text_percent(rest).text,
                     by_steps("made", report->ledger_made, report->ledger_turnover).text,
                     by_steps("took", report->ledger_taken, report->ledger_turnover).text);
        if (report->ledger_advice) {
            console_note("ledger: the integrator damps the motion more than the scene does: %s",
                         report->ledger_advice);
        }
        if (report->hidden_losses[0] && fabs(rest) > 0.01) {
            console_note("ledger: not every loss has an entry in this scene (%s)", report->hidden_losses);
        }
    }
    say_adaptive(run->sim.world);
    if (report->iterations > 0) {
        console_note("implicit steps of %.3g to %.3g s, %.3g iterations a step, %s taken in halves",
                     report->shortest, report->longest, (double)report->iterations / (double)report->steps,
                     text_count(report->retries).text);
    } else if (report->retries > 0) {
        console_note("%s step%s did not converge at once and had to be taken in halves; a shorter step would "
                     "be more exact",
                     text_count(report->retries).text, text_plural(report->retries));
    }
    say_unfinished(run, report);
    say_spent(report);
    say_asleep(w);
}

static int run_report(const Run* run, const RunnerReport* report, bool quiet)
{
    switch (report->end) {
    case RUNNER_DONE:
    case RUNNER_INTERRUPTED:
        if (!quiet) {
            say_summary(run, report);
        }
        if (report->end == RUNNER_INTERRUPTED && run->recorder) {
            console_note("interrupted; to go on: cordage run --resume %s", run->path);
        }
        return report->end == RUNNER_DONE ? EXIT_GOOD : EXIT_FAILED;
    case RUNNER_STEP_TOO_SHORT:
        return error_usage("%s", step_too_short_text(run->sim.world, report->choice, report->h).text);
    case RUNNER_DIVERGED:
        say_divergence(run, report);
        if (run->recorder) {
            cord_recorder_set_failure(run->recorder, cord_world_message(run->sim.world));
        }
        break;
    case RUNNER_ENERGY: say_energy(run, report); break;
    case RUNNER_NOT_RECORDED: console_error("%s", report->message.text); break;
    }
    int frames = run->recorder ? cord_recorder_frame_count(run->recorder) : 0;
    if (frames > 0) {
        console_note("kept: %d frame%s up to t = %.6g s in %s", frames, text_plural(frames),
                     report->last_frame, run->path);
    }
    return EXIT_FAILED;
}

// ---- the command

static int run_go(Run* run, const RunOptions* o)
{
    const CordSceneRun* plan = cord_scene_run(run->sim.scene);
    run->end = isnan(o->until) ? plan->end : o->until;
    if (!o->quiet) {
        say_beginning(run);
    }
    interrupt_watch();
    const RunnerDef def = {.world = run->sim.world,
                           .scene = run->sim.scene,
                           .recorder = run->recorder,
                           .step = plan->step,
                           .end = run->end,
                           .fps = plan->fps,
                           .quiet = o->quiet};
    double start = cord_world_time(run->sim.world);
    RunnerReport report = runner_run(&def);
    int status = run_report(run, &report, o->quiet);
    if (report.end == RUNNER_DONE) {
        saddle_warn(&run->sim, run->end - start);
    }
    return status;
}

static int run_close(Run* run, int status)
{
    status = recording_close(run->recorder, status);
    simulation_destroy(&run->sim);
    return status;
}

static int run_command(void* given, const Operands* operands)
{
    RunOptions* o = given;
    Run run = {0};
    bool finished = false;
    int status = EXIT_USAGE;
    modal_set_quiet(o->quiet);
    if (run_options_agree(o, operands) && (o->resume || run_settings(o))) {
        status = o->resume ? run_resume(&run, o, &finished) : run_create(&run, o, operands->items[0]);
    }
    if (status == EXIT_GOOD && !finished) {
        status = run_go(&run, o);
    }
    return run_close(&run, status);
}

static const Option options[] = {
    {"output", 'o', OPTION_TEXT, offsetof(RunOptions, output), "FILE.h5",
     "where the recording goes; default: the scene's name with .h5, in the\n"
     "current directory. A recording of the same scene is replaced, any other\n"
     "file is not"},
    FORCE_OPTION(offsetof(RunOptions, force)),
    {"until", 0, OPTION_NUMBER, offsetof(RunOptions, until), "T",
     "stop at this simulated time [s]: the same as --set time.end=T"},
    MODEL_OPTION(offsetof(RunOptions, model)),
    {"step", 0, OPTION_TEXT, offsetof(RunOptions, step), "H",
     "time step [s], or auto: the same as --set time.step=H"},
    SETTINGS_OPTION(
        offsetof(RunOptions, settings),
        "change any value of the scene, for example rods[0].elements=200;\nmay be given many times"),
    {"threads", 0, OPTION_INT, offsetof(RunOptions, threads), "N",
     "rods are shared out among so many threads; default: 1. Worth it for\n"
     "thousands of elements in many rods; results do not depend on it"},
    {"resume", 0, OPTION_TEXT, offsetof(RunOptions, resume), "FILE.h5",
     "go on with a recording that was stopped or killed; its scene and\n"
     "settings are in it. Only --until can change: to go further"},
    {"no-recording", 0, OPTION_FLAG, offsetof(RunOptions, no_recording), NULL,
     "keep nothing: for timing, or for the final state alone"},
    {"untangle", 0, OPTION_FLAG, offsetof(RunOptions, untangle), NULL,
     "if rods overlap each other or obstacles at the start, push them\napart first; refused where it is not "
     "clear to which side"},
    {"quiet", 'q', OPTION_FLAG, offsetof(RunOptions, quiet), NULL, "say nothing but errors and warnings"},
};

const Command command_run = {
    .name = "run",
    .arguments = "SCENE",
    .summary = "simulate a scene and record it",
    .usage = "run SCENE [options]\n       cordage run --resume FILE.h5 [--until T]",
    .about = "Simulates a scene (a file, or the name of a shipped one) and records it.\n"
             "Ctrl-C stops at the end of the step and keeps all finished frames; a second one ends the "
             "program at once.",
    .closing = "examples:\n"
               "  cordage run swing                             a shipped scene, into swing.h5\n"
               "  cordage run rope.json -o thick.h5 --set 'rods[0].section.disc.radius=0.01'\n"
               "  cordage run rope.json --until 0.5 --set 'rods[*].elements=400'\n"
               "  cordage run --resume swing.h5                 after Ctrl-C, a crash or a power cut\n"
               "  cordage run --resume swing.h5 --until 20      further than the scene says",
    .operands = {0, 1},
    COMMAND_OPTIONS(RunOptions, .until = NAN, .threads = 1),
    .run = run_command,
};
