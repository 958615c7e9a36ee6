#include "branch_plot.h"
#include "branch_report.h"
#include "command.h"
#include "continuation.h"
#include "heap.h"
#include "modal.h"
#include "output.h"
#include "progress.h"
#include "settings.h"
#include "simulation.h"

#include <cordage/math.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { SWITCH_TEXT = 64 }; // bytes of one switch as JSON

typedef struct SolveOptions {
    const char *output, *method, *friction, *perturb, *axis, *model;
    double from, to, step, tolerance; // NAN: not given
    int points, iterations, seed;     // INT_MIN: not given
    OptionList settings, switches;
    bool accept_saddle, no_recording, no_plot, json, quiet, untangle, force;
} SolveOptions;

// The simulation, and where its points go.
typedef struct Solve {
    Simulation sim;
    CordRecorder* recorder;
    BranchAxis axis;
    char path[LIBRARY_PATH_MOST]; // of the recording
} Solve;

// ---- settings

static double count_given(int count)
{
    return count == INT_MIN ? (double)NAN : (double)count;
}

// Reads "A:B". The second number may be missing if *second is set.
static bool split_pair(const char* text, double* first, double* second)
{
    char* end;
    *first = strtod(text, &end);
    if (end == text || !isfinite(*first)) {
        return false;
    }
    return *end == ':' ? option_number(end + 1, second) : *end == '\0' && !isnan(*second);
}

static bool add_perturb(SolveOptions* o)
{
    double amplitude, mode = 1.0;
    if (!split_pair(o->perturb, &amplitude, &mode)) {
        return error_false(
            "solve --perturb takes AMPLITUDE or AMPLITUDE:MODE, such as 0.001 or 0.001:2, not \"%s\"",
            o->perturb);
    }
    option_list_add(&o->settings, "solve.perturb={\"amplitude\":%.17g,\"mode\":%.17g}", amplitude, mode);
    return true;
}

static bool add_switches(SolveOptions* o)
{
    size_t size = (size_t)(o->switches.count + 1) * SWITCH_TEXT, n = 0;
    char* text = heap_take(size, 1);
    bool good = true;
    for (int i = 0; i < o->switches.count && good; i++) {
        double at, amplitude = NAN;
        good = split_pair(o->switches.items[i], &at, &amplitude);
        if (good) {
            n += (size_t)snprintf(text + n, size - n, "%s{\"at\":%.9g,\"amplitude\":%.17g}", i > 0 ? "," : "",
                                  at, amplitude);
        } else {
            console_error(
                "solve --switch takes N:AMPLITUDE, such as 1:0.001 for the first bifurcation, not \"%s\"",
                o->switches.items[i]);
        }
    }
    if (good) {
        option_list_add(&o->settings, "solve.switch=[%s]", text);
    }
    free(text);
    return good;
}

static bool solve_settings(SolveOptions* o)
{
    const struct {
        const char* key;
        double value; // NAN: not given
    } numbers[] = {
        {"from", o->from},
        {"to", o->to},
        {"step", o->step},
        {"tolerance", o->tolerance},
        {"points", count_given(o->points)},
        {"iterations", count_given(o->iterations)},
        {"seed", count_given(o->seed)},
    };
    if (o->method && strcmp(o->method, "natural") != 0 && strcmp(o->method, "arc") != 0) {
        return error_false("solve --method is natural or arc, not \"%s\"", o->method);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!isnan(numbers[i].value)) {
            option_list_add(&o->settings, "solve.%s=%.17g", numbers[i].key, numbers[i].value);
        }
    }
    if (o->accept_saddle) {
        option_list_add(&o->settings, "solve.accept_saddle=true");
    }
    if (o->method) {
        option_list_add(&o->settings, "solve.method=\"%s\"", o->method);
    }
    return settings_add_friction(&o->settings, "solve", o->friction) &&
           settings_add_model(&o->settings, "solve", o->model) && (!o->perturb || add_perturb(o)) &&
           (o->switches.count == 0 || add_switches(o));
}

// ---- beginning

static int solve_open(Solve* s, const SolveOptions* o, const char* name)
{
    char scene_path[LIBRARY_PATH_MOST];
    if (!simulation_find(name, "solve takes a scene; " SIMULATION_INFO, scene_path)) {
        return EXIT_USAGE;
    }
    int status = simulation_load(&s->sim, scene_path, &o->settings, true);
    if (status == EXIT_GOOD) {
        status = simulation_build(&s->sim, 1, true);
    }
    if (status == EXIT_GOOD) {
        status = overlap_resolve(&s->sim, o->untangle);
    }
    if (status != EXIT_GOOD) {
        return status;
    }
    if (!simulation_has_equilibria(&s->sim) || !branch_axis_find(&s->axis, s->sim.world, o->axis)) {
        return EXIT_USAGE;
    }
    StartReport start = branch_check(&s->sim);
    if (start.refused) {
        scene_error_at(s->sim.scene, start.place, start.message.text);
        return EXIT_USAGE;
    }
    if (o->no_recording) {
        return EXIT_GOOD;
    }
    return output_path_choose(o->output, s->sim.scene, ".solve.h5", o->force, s->path)
               ? recording_create(s->path, s->sim.scene, s->sim.world, true, &s->recorder)
               : EXIT_USAGE;
}

// ---- the summary

typedef struct Totals { // over all points
    int64_t iterations, saddles_left;
    double residual, residual_relative; // largest [N], and over the largest force
    double energy_least, energy_most;   // [J]
} Totals;

static Totals totals_of(const ContinuationReport* r)
{
    Totals t = {.energy_least = INFINITY, .energy_most = -INFINITY};
    for (int i = 0; i < r->count; i++) {
        const CordSolveReport* one = &r->points[i].solve;
        t.iterations += one->iterations;
        t.saddles_left += one->saddles_left;
        t.residual = fmax(t.residual, one->residual);
        t.residual_relative = fmax(t.residual_relative, one->residual_relative);
        t.energy_least = fmin(t.energy_least, one->energy);
        t.energy_most = fmax(t.energy_most, one->energy);
    }
    return t;
}

static void print_equilibrium(const CordBranchPoint* p)
{
    const CordSolveReport* s = &p->solve;
    printf("equilibrium         at t = %.6g s, ", p->time);
    if (!s->converged) {
        printf("not reached\n");
    } else {
        branch_print_stable(p);
        printf("\n");
    }
    if (s->converged && isnan(p->least_eigenvalue)) {
        printf("  softest vibration not known\n");
    } else if (isfinite(p->least_eigenvalue)) {
        printf("  softest vibration omega^2 = %.6g /s^2", p->least_eigenvalue);
        printf(p->least_eigenvalue > 0.0 ? " (%.6g Hz)\n" : "\n",
               sqrt(fabs(p->least_eigenvalue)) / (2.0 * CORD_PI));
    }
}

static void print_summary(const ContinuationReport* r)
{
    Totals t = totals_of(r);
    bool potential = isfinite(r->points[r->count - 1].least_eigenvalue);
    const char* energies =
        potential ? "elastic, weight and loads" : "elastic, weight and those loads that have a potential";
    if (r->moves) {
        BranchReport b = branch_of(r->points, r->count);
        branch_print(&b, r->count - 1);
        printf("  energy            within %.6g to %.6g J: %s\n", t.energy_least, t.energy_most, energies);
    } else {
        print_equilibrium(&r->points[0]);
        printf("  energy            %.9g J: %s\n", t.energy_least, energies);
    }
    printf("  largest residual  %.3g N (%.3g of the largest force)\n", t.residual, t.residual_relative);
    printf("  iterations        %s; %s saddle%s left on the way\n", text_count(t.iterations).text,
           text_count(t.saddles_left).text, text_plural(t.saddles_left));
    printf("  cpu time          %s\n", text_duration(r->cpu).text);
}

static const char* end_word(ContinuationEnd end)
{
    static const char* const words[] = {"done",         "points_spent", "interrupted",  "not_converged",
                                        "not_recorded", "refused",      "not_supported"};
    return words[end];
}

static void print_json(const Solve* s, const ContinuationReport* r, bool plotted)
{
    Totals t = totals_of(r);
    Json json = json_begin(stdout);
    json_object(&json, NULL);
    json_text(&json, "file", cord_scene_path(s->sim.scene));
    json_text(&json, "end", end_word(r->end));
    json_text(&json, "message", *r->message.text ? r->message.text : NULL);
    json_bool(&json, "moves", r->moves);
    if (r->count > 0) {
        BranchReport b = branch_of(r->points, r->count);
        branch_json(&json, &b, r->count - 1);
        json_number(&json, "energy", r->points[r->count - 1].solve.energy);
    }
    json_number(&json, "residual", t.residual);
    json_number(&json, "residual_relative", t.residual_relative);
    json_int(&json, "iterations", t.iterations);
    json_int(&json, "saddles_left", t.saddles_left);
    json_int(&json, "switches", r->switches);
    json_number(&json, "cpu_seconds", r->cpu);
    json_text(&json, "recording", s->recorder ? s->path : NULL);
    json_bool(&json, "plotted", plotted);
    json_close_object(&json);
    json_end(&json);
}

// ---- the end

static void say_unused_switches(const Solve* s, const ContinuationReport* r)
{
    const CordSceneSolve* plan = cord_scene_solve(s->sim.scene);
    // a single point passes no bifurcation
    int wanted = plan->branch.to > plan->branch.from ? plan->switch_count : 0;
    if (r->switches < wanted && r->end != CONTINUATION_NOT_RECORDED && r->end < CONTINUATION_REFUSED) {
        console_warning(
            "%d of %d switches were not made: %s", wanted - r->switches, wanted,
            plan->branch.method == CORD_BRANCH_ARC
                ? "so many bifurcations were not met on the way"
                : "steps in time do not stay on the branch that crosses, so --switch takes --method arc");
    }
}

// A branch around folds may return to its start, and beyond.
static void say_turned_back(const Solve* s, const ContinuationReport* r)
{
    const CordBranchDef* range = &cord_scene_solve(s->sim.scene)->branch;
    double most = branch_of(r->points, r->count).most_time;
    if (r->moves && r->count > 1 && r->points[r->count - 1].time <= range->from) {
        console_warning("the branch turned back at t = %.6g s and left the range where it began; it does not "
                        "lead to %.6g s",
                        most, range->to);
    }
}

// Saddles are left on the way down an energy: without a potential, or in a modal rod, there is no such way.
static void say_unknown_stability(const Solve* s, const ContinuationReport* r)
{
    int unknown = 0;
    const CordBranchPoint* first = NULL;
    for (int i = r->count - 1; i >= 0 && !cord_scene_contact(s->sim.scene)->on; i--) {
        bool counts = r->points[i].solve.converged && r->points[i].solve.unstable < 0;
        unknown += counts;
        first = counts ? &r->points[i] : first;
    }
    if (first) {
        const char* why = isnan(first->least_eigenvalue)
                              ? "its wind or torques have no potential, so that no saddle is left on the way"
                              : "that of modal rods is not judged";
        console_warning("the stability of the equilibrium at t = %.6g s%s is not known (%s): it may be one "
                        "that a run leaves; run the scene to see whether it comes to rest there",
                        first->time, unknown > 1 ? " and of later ones" : "", why);
    }
}

// Natural steps pass over the load at which a branch ends or loses its stability.
static void say_where_jumps_are(const Solve* s, const ContinuationReport* r)
{
    int jumps = 0;
    for (int i = 0; i < r->count; i++) {
        jumps += r->points[i].event == CORD_BRANCH_JUMP;
    }
    if (jumps > 0 && !cord_scene_contact(s->sim.scene)->on) {
        console_note("a jump lies between two points, as far apart as the steps are long; --method arc finds "
                     "the fold or bifurcation that it comes from");
    }
}

static void say_kept(const Solve* s, const ContinuationReport* r)
{
    if (s->recorder && r->count > 0) {
        bool best = !r->points[r->count - 1].solve.converged;
        console_note("kept: %d point%s up to t = %.6g s in %s%s", r->count, text_plural(r->count),
                     r->points[r->count - 1].time, s->path, best ? "; the last is the best state found" : "");
    }
}

// What the library calls iterations is an option here.
static void say_more_iterations(const Solve* s, const ContinuationReport* r)
{
    int most = cord_scene_solve(s->sim.scene)->branch.solve.iterations;
    if (r->start.iterations >= most && !r->start.converged) {
        console_note("--iterations %d allows more (it is \"iterations\" in \"solve\")",
                     most <= INT_MAX / 4 ? 4 * most : INT_MAX);
    }
}

// The continuation fails where even its shortest step does, which is the last one tried.
static double time_of_failure(const Solve* s, const ContinuationReport* r)
{
    const CordBranchDef* plan = &cord_scene_solve(s->sim.scene)->branch;
    double step = plan->step > 0.0 ? plan->step : (plan->to - plan->from) / 50.0;
    double least = plan->least > 0.0 ? plan->least : 1e-4 * step;
    return r->count > 0 ? r->points[r->count - 1].time + 2.0 * least : plan->from;
}

static void say_place(const Solve* s, double time, const ContinuationReport* r)
{
    scene_error_at(s->sim.scene, scene_place_of_error(&s->sim, time, r->message.text), r->message.text);
}

static int solve_end(Solve* s, const ContinuationReport* r, bool quiet)
{
    say_unused_switches(s, r);
    switch (r->end) {
    case CONTINUATION_DONE:
    case CONTINUATION_POINTS_SPENT:
        if (r->end == CONTINUATION_POINTS_SPENT) {
            console_warning("%d points were spent at t = %.6g s, before the end; --points allows more",
                            r->count, r->points[r->count - 1].time);
        }
        say_turned_back(s, r);
        say_unknown_stability(s, r);
        if (!quiet) {
            say_where_jumps_are(s, r);
            say_kept(s, r);
        }
        return EXIT_GOOD;
    case CONTINUATION_INTERRUPTED:
        console_note("interrupted; a branch is followed in one go, so to have the rest of it solve again");
        break;
    case CONTINUATION_NOT_CONVERGED:
        say_place(s, time_of_failure(s, r), r);
        say_more_iterations(s, r);
        if (s->recorder) {
            cord_recorder_set_failure(s->recorder, r->message.text);
        }
        break;
    case CONTINUATION_NOT_RECORDED: console_error("%s", r->message.text); break;
    case CONTINUATION_REFUSED: return error_usage("solve.perturb (--perturb): %s", r->message.text);
    case CONTINUATION_NOT_SUPPORTED: say_place(s, NAN, r); return EXIT_USAGE;
    }
    say_kept(s, r);
    return EXIT_FAILED;
}

static int solve_go(Solve* s, const SolveOptions* o)
{
    interrupt_watch();
    const ContinuationDef def = {.world = s->sim.world,
                                 .recorder = s->recorder,
                                 .plan = cord_scene_solve(s->sim.scene),
                                 .quiet = o->quiet};
    ContinuationReport report = continuation_run(&def);
    int status = solve_end(s, &report, o->quiet);
    bool recorded = s->recorder != NULL;
    status = recording_close(s->recorder, status);
    bool plotted = recorded && !o->no_plot && report.count > 1 && report.end != CONTINUATION_NOT_RECORDED &&
                   branch_plot(s->path, s->axis, o->quiet);
    if (o->json) {
        print_json(s, &report, plotted);
    } else if (!o->quiet && report.count > 0) {
        print_summary(&report);
    }
    s->recorder = NULL;
    continuation_free(&report);
    return status;
}

static int solve_command(void* given, const Operands* operands)
{
    SolveOptions* o = given;
    Solve s = {0};
    modal_set_quiet(o->quiet);
    int status = solve_settings(o) ? solve_open(&s, o, operands->items[0]) : EXIT_USAGE;
    status = status == EXIT_GOOD ? solve_go(&s, o) : status;
    recording_close(s.recorder, status);
    simulation_destroy(&s.sim);
    return status;
}

static const Option options[] = {
    {"output", 'o', OPTION_TEXT, offsetof(SolveOptions, output), "FILE.h5",
     "where the recording goes; default: the scene's name with .solve.h5,\n"
     "in the current directory. Plots go beside it"},
    FORCE_OPTION(offsetof(SolveOptions, force)),
    {"from", 0, OPTION_NUMBER, offsetof(SolveOptions, from), "T",
     "where to start [s]: the same as --set solve.from=T"},
    {"to", 0, OPTION_NUMBER, offsetof(SolveOptions, to), "T",
     "how far to go [s]: the same as --set solve.to=T"},
    {"until", 0, OPTION_NUMBER, offsetof(SolveOptions, to), "T", "the same as --to"},
    {"method", 0, OPTION_TEXT, offsetof(SolveOptions, method), "M",
     "natural: time goes up, and where a branch ends the rods jump to\n"
     "another; arc: along the branch, around folds, where time runs back"},
    {"step", 0, OPTION_NUMBER, offsetof(SolveOptions, step), "H",
     "first step in time [s]; later ones are longer or shorter"},
    {"points", 0, OPTION_INT, offsetof(SolveOptions, points), "N", "stop after so many points"},
    {"tolerance", 0, OPTION_NUMBER, offsetof(SolveOptions, tolerance), "X",
     "force that may be left on a node, as a share of the largest force\nin the rods"},
    {"iterations", 0, OPTION_INT, offsetof(SolveOptions, iterations), "N",
     "of Newton's method for one point, at the most"},
    FRICTION_OPTION(offsetof(SolveOptions, friction)),
    {"accept-saddle", 0, OPTION_FLAG, offsetof(SolveOptions, accept_saddle), NULL,
     "stop where forces balance, even if the equilibrium is unstable"},
    {"switch", 0, OPTION_LIST, offsetof(SolveOptions, switches), "N:AMPLITUDE",
     "at the N-th bifurcation (from 1) go on along the branch that\n"
     "crosses, pushed by AMPLITUDE [m], whose sign chooses the side; may\n"
     "be given many times, and replaces the scene's"},
    {"perturb", 0, OPTION_TEXT, offsetof(SolveOptions, perturb), "AMPLITUDE[:MODE]",
     "before the start, push the rods by AMPLITUDE [m] along a vibration,\nthe softest being 1"},
    {"seed", 0, OPTION_INT, offsetof(SolveOptions, seed), "N",
     "of the push that leaves an unstable equilibrium: another may find\nanother way down"},
    {"plot", 0, OPTION_TEXT, offsetof(SolveOptions, axis), "PROBE[.COLUMN]",
     "what is plotted against time, such as tip.z; default: the largest\ndisplacement of a node"},
    MODEL_OPTION(offsetof(SolveOptions, model)),
    SETTINGS_OPTION(offsetof(SolveOptions, settings), SETTINGS_HELP),
    {"no-recording", 0, OPTION_FLAG, offsetof(SolveOptions, no_recording), NULL,
     "keep nothing, and plot nothing"},
    {"no-plot", 0, OPTION_FLAG, offsetof(SolveOptions, no_plot), NULL, "plot nothing"},
    {"json", 0, OPTION_FLAG, offsetof(SolveOptions, json), NULL, "print the summary as JSON"},
    {"untangle", 0, OPTION_FLAG, offsetof(SolveOptions, untangle), NULL,
     "push rods apart that overlap at the start, as in run"},
    {"quiet", 'q', OPTION_FLAG, offsetof(SolveOptions, quiet), NULL,
     "say nothing but errors and warnings; JSON if asked for"},
};

const Command command_solve = {
    .name = "solve",
    .arguments = "SCENE",
    .summary = "static equilibrium; the branch of them as clamps and loads move",
    .usage = "solve SCENE [options]",
    .about =
        "Finds the static equilibrium of a scene (a file, or the name of a shipped one): no time is\n"
        "stepped. If clamps or loads move in the scene, it follows them from its start to its end, so that\n"
        "every point is an equilibrium, records the branch, reports folds, bifurcations, jumps and\n"
        "stability, and plots it (with gnuplot, if installed). Options that are not given come from the\n"
        "scene's \"solve\". Ctrl-C stops at the next point and keeps those found; a second one ends the\n"
        "program at once.",
    .closing =
        "Exit status 0: an equilibrium, or the whole branch, was found; 1: not, and the best state is\n"
        "kept; 2: the input was wrong.\n"
        "\n"
        "examples:\n"
        "  cordage solve cantilever && cordage render cantilever.solve.h5 -o sag.png\n"
        "  cordage solve column.json --method arc --switch 1:0.001 --plot middle.z\n"
        "  cordage solve twist_buckle --to 3 -o twisted.h5\n"
        "  cordage export twisted.h5 --what branch -o twisted.csv",
    .operands = {1, 1},
    COMMAND_OPTIONS(SolveOptions, .from = NAN, .to = NAN, .step = NAN, .tolerance = NAN, .points = INT_MIN,
                    .iterations = INT_MIN, .seed = INT_MIN),
    .run = solve_command,
};
