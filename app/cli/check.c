#include "adaptive.h"
#include "command.h"
#include "heap.h"
#include "json.h"
#include "modal.h"
#include "rod_method.h"
#include "runner.h"
#include "settings.h"
#include "simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int trial_steps = 48;         // timed to estimate the cost,
static const double trial_seconds = 2.0;   // but for no longer than this [s]
static const double steps_many = 1e8;      // a run of more steps is warned of,
static const double bytes_many = 1e10;     // and so is a recording of more bytes
static const double search_seconds = 10.0; // a longer search for modes is not made [s]
static const double sweeps_off = 0.01;     // error that is warned of, over the rod's length

// What a run of the scene would cost.
typedef struct Estimate {
    CordPaceChoice choice;
    CordPacePlan plan; // for the first frame
    double frames;     // of the recording
    double steps;      // in all, at the initial step
    double seconds;    // wall time; NAN: the trial failed
    double step_cost;  // wall time of one step [s]
    double memory;     // of the world [bytes]
    double recording;  // at most [bytes]
    AdaptiveRods adaptive;
    double nodes_least, nodes_most; // bounds for all rods, since adaptive ones change
    int trial_count;                // steps timed
    double iterations;              // of Newton's method in a step; 0: no rod is implicit
    int64_t halves;                 // steps retried at half their length
    int contacts;                   // largest number in a step timed
    ModalSearch search;             // for modes
    bool searched;                  // false: the modes were not searched for, and no step was timed
    CordResult trial;
} Estimate;

// ---- estimate

static int64_t count_edges(const CordWorld* world)
{
    int64_t edges = 0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        edges += cord_rod_edge_count(world, cord_world_rod(world, i));
    }
    return edges;
}

// Times a few steps from the initial state, and restores it.
static void estimate_cost(Estimate* e, CordWorld* world)
{
    size_t size = cord_world_state_size(world);
    void* state = heap_take(1, size);
    e->trial = cord_world_state_get(world, state, size);
    e->seconds = NAN;
    if (e->trial == CORD_OK && e->plan.count > 0) {
        e->trial = cord_world_step(world, e->plan.h); // warm-up
        double clock = clock_wall(), spent = 0.0;
        int64_t iterations = 0, retries = cord_world_retries(world);
        while (e->trial == CORD_OK && e->trial_count < trial_steps && spent < trial_seconds) {
            e->trial = cord_world_step(world, e->plan.h);
            e->trial_count++;
            iterations += cord_world_step_report(world).iterations;
            int contacts = cord_world_contact_report(world).contacts;
            e->contacts = contacts > e->contacts ? contacts : e->contacts;
            spent = clock_wall() - clock;
        }
        e->iterations = e->trial_count > 0 ? (double)iterations / e->trial_count : 0.0;
        e->halves = cord_world_retries(world) - retries;
        if (e->trial == CORD_OK) {
            e->step_cost = spent / e->trial_count;
            e->seconds = e->steps * e->step_cost;
        }
        cord_world_state_set(world, state, size);
    }
    free(state);
}

// An upper bound, without compression. A frame holds positions, velocities and moments of nodes; frames,
// radii, tensions and forces of edges; energies of rods; poses, velocities and energies of bodies.
static double estimate_recording(const Estimate* e, CordWorld* world)
{
    double nodes = e->nodes_most, columns = 0.0;
    double edges = fmax(nodes, (double)count_edges(world)); // only networks have more edges than nodes
    int rods = cord_world_rod_count(world);
    for (int i = 0; i < cord_world_probe_count(world); i++) {
        columns += cord_measure_size(cord_probe_measure(world, cord_world_probe(world, i)));
    }
    double frame = 8.0 * (9.0 * nodes + 8.0 * edges + 6.0 * rods + 15.0 * cord_world_body_count(world));
    if (e->adaptive.count > 0) { // skins, arc lengths and levels of nodes; reports of rods
        frame += (24.0 + 8.0 + 1.0) * nodes + 80.0 * rods;
    }
    double finest = e->nodes_most / fmax(1.0, (double)simulation_node_count(world));
    double state = e->searched ? (double)cord_world_state_size(world) : 0.0; // that of modal rods is small
    double snapshots = finest * state * (1.0 + e->frames / 10.0);
    double readings = columns > 0.0 ? 8.0 * (1.0 + columns) * e->steps : 0.0;
    return e->frames * frame + snapshots + readings;
}

// Bounds for the number of nodes of adaptive rods.
static void estimate_nodes(Estimate* e, CordWorld* world)
{
    CordFrame frame;
    if (cord_world_frame(world, &frame) == CORD_OK) {
        e->adaptive = adaptive_rods(&frame);
        const CordAdaptReport* sum = &e->adaptive.sum;
        e->nodes_least = frame.node_count + sum->coarsest - sum->nodes;
        e->nodes_most = frame.node_count + sum->finest - sum->nodes;
    }
}

// Does not touch the state, which would start the search for modes. Modal rods have no stable step.
static CordPaceChoice step_untried(const CordSceneRun* run, double any)
{
    bool automatic = !(run->step > 0.0);
    return (CordPaceChoice){.longest = automatic ? any : run->step,
                            .automatic = automatic,
                            .advice = {.step = INFINITY,
                                       .change_time = INFINITY,
                                       .drive = INFINITY,
                                       .event = INFINITY,
                                       .jump = INFINITY}};
}

static Estimate estimate(const CordScene* scene, CordWorld* world, size_t memory)
{
    const CordSceneRun* run = cord_scene_run(scene);
    double interval = run->end > 0.0 ? fmin(1.0 / run->fps, run->end) : 1.0 / run->fps;
    double any = cord_pace_any_step(scene, interval).step, nodes = (double)simulation_node_count(world);
    Estimate e = {.search = modal_search_estimate(scene, world), .memory = (double)memory};
    e.searched = e.search.seconds <= search_seconds;
    e.choice = e.searched ? cord_pace_choose(world, run->step, any) : step_untried(run, any);
    e.plan = cord_pace_plan(interval, interval, e.choice.longest);
    e.frames = ceil(run->end * run->fps * (1.0 - 1e-9)) + 1.0;
    e.steps = ceil(run->end / e.plan.h * (1.0 - 1e-9));
    e.nodes_least = e.nodes_most = nodes;
    e.seconds = NAN;
    if (e.searched) {
        estimate_nodes(&e, world);
        estimate_cost(&e, world);
    }
    e.recording = estimate_recording(&e, world);
    return e;
}

// ---- what is said

static const char* step_origin(const Estimate* e, const CordSceneRun* run)
{
    if (e->choice.automatic) {
        return "chosen (auto)";
    }
    return cord_pace_exceeds_frame(run->step, run->fps) ? "a frame: the scene's is longer" : "from the scene";
}

static void print_step(const CordScene* scene, const CordWorld* world, const Estimate* e)
{
    const CordPaceChoice* c = &e->choice;
    CordAnyStep any = cord_pace_any_step(scene, 1.0 / cord_scene_run(scene)->fps);
    bool driven = step_is_driven(*c), free_choice = c->automatic && (isinf(c->advice.step) || driven);
    if (isinf(c->advice.step)) {
        printf("stable step     any: %s\n", any.why);
    } else if (c->advice.limit == CORD_LIMIT_ERROR) {
        printf("stable step     any: implicit; to begin with %.4g s, then by the error of a step\n",
               c->advice.step);
    } else if (c->advice.limit == CORD_LIMIT_DAMPING) { // damping has no frequency
        printf("stable step     up to %.4g s, limited by %s\n", c->advice.step,
               step_limit_text(world, c->advice).text);
    } else {
        printf("stable step     up to %.4g s, limited by %s (%.4g Hz)\n", c->advice.step,
               step_limit_text(world, c->advice).text, c->advice.frequency);
    }
    printf("step            %.4g s, %s%s%s\n", e->plan.h, step_origin(e, cord_scene_run(scene)),
           free_choice ? ": " : "", free_choice ? (driven ? STEP_DRIVEN : any.taken) : "");
    if (e->iterations > 0.0) {
        printf("iterations      %.3g a step, %lld of %d steps taken in halves\n", e->iterations,
               (long long)e->halves, e->trial_count);
    }
}

static void print_obstacles(CordWorld* world)
{
    CordFrame frame;
    int counts[CORD_SOLID_COUNT] = {0};
    int64_t triangles = 0;
    if (cord_world_obstacle_count(world) == 0 || cord_world_frame(world, &frame) != CORD_OK) {
        return;
    }
    for (int i = 0; i < frame.obstacle_count; i++) {
        counts[frame.obstacles[i].solid.shape]++;
        triangles += frame.obstacles[i].solid.mesh.triangle_count;
    }
    printf("obstacles       %d:", frame.obstacle_count);
    const char* before = " ";
    for (int s = 0; s < CORD_SOLID_COUNT; s++) {
        if (counts[s] > 0) {
            const CordSolidKind* kind = cord_solid_kind(s);
            printf("%s%d %s", before, counts[s], counts[s] > 1 ? kind->plural : kind->name);
            before = ", ";
        }
    }
    if (triangles > 0) {
        printf(" with %s triangles", text_count(triangles).text);
    }
    printf("\n");
}

static const char* response_name(const CordContactDef* contact)
{
    return contact->response == CORD_RESPONSE_ZONES ? "zones" : "impulses";
}

static void print_contact(const CordContactDef* contact, int obstacles)
{
    if (!contact->on) {
        printf("%s", obstacles > 0 ? "contact         off\n" : "");
        return;
    }
    printf("contact         %s (explicit rods), inside Newton's method (implicit ones, statics), to %g of a "
           "radius; "
           "friction ",
           response_name(contact), contact->tolerance);
    if (isnan(contact->friction)) {
        printf("by material");
    } else {
        printf("%g", contact->friction);
    }
    if (!isnan(contact->friction_kinetic)) {
        printf(" at rest and %g sliding", contact->friction_kinetic);
    }
    if (contact->restitution > 0.0) {
        printf(", restitution %g", contact->restitution);
    }
    if (contact->pair_count > 0) {
        printf(", %d pair%s of materials", contact->pair_count, text_plural(contact->pair_count));
    }
    if (contact->budget.iterations > 0) {
        printf("; at most %d iterations a step", contact->budget.iterations);
    }
    if (contact->budget.seconds > 0.0) {
        printf("; at most %g s a step", contact->budget.seconds);
    }
    if (contact->sleep.time > 0.0) {
        printf("; rods sleep after %g s at rest", contact->sleep.time);
    }
    printf("%s\n", contact->watch_topology ? "; knots and links are watched" : "");
}

// The cost is nearly proportional to the number of nodes; the step is that of the finest elements in any
// case.
static void print_adaptive(const CordWorld* world, const Estimate* e)
{
    int count = e->adaptive.count;
    double nodes = (double)simulation_node_count(world);
    if (count == 0) {
        return;
    }
    printf("adaptive        %d rod%s: %s to %s nodes in all", count, text_plural(count),
           text_count((int64_t)e->nodes_least).text, text_count((int64_t)e->nodes_most).text);
    if (!isnan(e->seconds)) {
        printf(", for a time of about %s to %s", text_duration(e->seconds * e->nodes_least / nodes).text,
               text_duration(e->seconds * e->nodes_most / nodes).text);
    }
    printf("\n");
}

static void print_text(const CordScene* scene, CordWorld* world, const Estimate* e, int warnings)
{
    const CordSceneRun* run = cord_scene_run(scene);
    int rods = cord_world_rod_count(world);
    RodMethodList ways = rod_methods(scene);
    printf("%s: no errors, %d warning%s\n", cord_scene_path(scene), warnings, text_plural(warnings));
    if (run->title && *run->title) {
        printf("title           %s\n", run->title);
    }
    printf("rods            %d, with %s nodes; %d clamp%s, %d probe%s\n", rods,
           text_count(simulation_node_count(world)).text, cord_world_clamp_count(world),
           text_plural(cord_world_clamp_count(world)), cord_world_probe_count(world),
           text_plural(cord_world_probe_count(world)));
    rod_methods_print(&ways);
    if (cord_world_body_count(world) > 0) {
        printf("bodies, joints  %d; %d weld%s\n", cord_world_body_count(world), cord_world_weld_count(world),
               text_plural(cord_world_weld_count(world)));
    }
    if (e->searched) {
        print_obstacles(world);
    }
    print_contact(cord_scene_contact(scene), cord_world_obstacle_count(world));
    modal_search_print(&e->search, scene, world, e->searched);
    print_step(scene, world, e);
    printf("to run          %.6g s: %.4g steps, %.4g frames\n", run->end, e->steps, e->frames);
    printf("memory          %s\n", text_bytes(e->memory).text);
    printf("recording       at most %s\n", text_bytes(e->recording).text);
    if (isnan(e->seconds)) {
        printf("time            not known: %s\n", e->searched
                                                      ? "a trial of a few steps failed"
                                                      : "no step was tried, since that finds the modes");
    } else {
        bool untouched = cord_scene_contact(scene)->on && e->contacts == 0;
        printf(
            "time            about %s here%s, from %d steps tried out on the initial state (%.3g us each)\n",
            text_duration(e->seconds).text,
            untouched ? " without contact, which will take more: nothing touches yet" : "", e->trial_count,
            1e6 * e->step_cost);
    }
    print_adaptive(world, e);
}

static void json_note(Json* j, bool is_error, ScenePlace place, const char* text)
{
    json_object(j, NULL);
    json_text(j, "kind", is_error ? "error" : "warning");
    json_int(j, "line", place.line);
    json_int(j, "column", place.column);
    json_text(j, "text", text);
    json_close_object(j);
}

static void json_notes(Json* j, const CordScene* scene, const StartReport* start)
{
    json_array(j, "notes");
    for (int i = 0; i < cord_scene_note_count(scene); i++) {
        CordSceneNote note = cord_scene_note(scene, i);
        json_note(j, note.is_error, (ScenePlace){note.line, note.column}, note.text);
    }
    if (start->refused) {
        json_note(j, true, start->place, start->message.text);
    }
    json_close_array(j);
}

static void json_contact(Json* j, const CordContactDef* contact)
{
    if (!contact->on) {
        json_null(j, "contact");
        return;
    }
    json_object(j, "contact");
    json_text(j, "response", response_name(contact));
    json_number(j, "friction", contact->friction);                 // null: from the materials
    json_number(j, "friction_kinetic", contact->friction_kinetic); // null: the same, or from the materials
    json_number(j, "restitution", contact->restitution);           // null: from the materials
    json_int(j, "pairs", contact->pair_count);
    json_number(j, "gap", contact->gap);
    json_number(j, "tolerance", contact->tolerance);
    json_int(j, "iterations", contact->iterations);
    json_int(j, "budget_iterations", contact->budget.iterations); // 0: no limit
    json_number(j, "budget_seconds", contact->budget.seconds);    // likewise
    json_number(j, "sleep_time", contact->sleep.time);            // 0: no rod sleeps
    json_bool(j, "watch_topology", contact->watch_topology);
    json_close_object(j);
}

static void json_estimate(Json* j, const CordScene* scene, CordWorld* world, const Estimate* e)
{
    const CordSceneRun* run = cord_scene_run(scene);
    const CordStepAdvice* advice = &e->choice.advice;
    RodMethodList ways = rod_methods(scene);
    json_text(j, "title", run->title);
    json_int(j, "rods", cord_world_rod_count(world));
    json_int(j, "nodes", simulation_node_count(world));
    rod_methods_json(j, &ways);
    json_int(j, "adaptive_rods", e->adaptive.count);
    json_number(j, "least_nodes", e->nodes_least);
    json_number(j, "most_nodes", e->nodes_most);
    json_int(j, "clamps", cord_world_clamp_count(world));
    json_int(j, "probes", cord_world_probe_count(world));
    json_int(j, "bodies", cord_world_body_count(world));
    json_int(j, "welds", cord_world_weld_count(world));
    json_int(j, "obstacles", cord_world_obstacle_count(world));
    json_contact(j, cord_scene_contact(scene));
    if (e->search.rods > 0) {
        modal_search_json(j, &e->search);
    }
    json_number(j, "end", run->end);
    json_number(j, "fps", run->fps);
    json_object(j, "step");
    json_number(j, "length", e->plan.h);
    json_bool(j, "auto", e->choice.automatic);
    json_number(j, "stable", advice->step);
    json_number(j, "frequency", advice->frequency);
    json_text(j, "limit", cord_step_limit_name(advice->limit));
    json_text(j, "rod", cord_rod_name(world, advice->rod));
    json_int(j, "node", advice->node);
    json_close_object(j);
    json_number(j, "steps", e->steps);
    json_number(j, "frames", e->frames);
    json_number(j, "memory_bytes", e->memory);
    json_number(j, "recording_bytes_at_most", e->recording);
    json_number(j, "seconds", e->seconds);
    json_number(j, "seconds_per_step", e->step_cost);
    json_number(j, "iterations_per_step", e->iterations);
    json_int(j, "contacts_tried", e->contacts);
}

// NULL e: the scene has errors.
static void print_json(const CordScene* scene, CordWorld* world, const StartReport* start, const Estimate* e)
{
    Json json = json_begin(stdout);
    json_object(&json, NULL);
    json_text(&json, "file", cord_scene_path(scene));
    json_bool(&json, "good", e != NULL);
    json_notes(&json, scene, start);
    if (e) {
        json_estimate(&json, scene, world, e);
    }
    json_close_object(&json);
    json_end(&json);
}

// ---- the command

// Each returns the number of warnings printed.
static int warn_of_step(const CordWorld* world, const Estimate* e)
{
    bool unstable = e->plan.h > e->choice.advice.step && e->choice.advice.limit != CORD_LIMIT_ERROR;
    if (unstable) {
        console_warning("the scene's step of %.3g s is longer than the %.3g s that are stable (%s); write "
                        "\"step\": \"auto\", or %s",
                        e->plan.h, e->choice.advice.step, step_limit_text(world, e->choice.advice).text,
                        step_remedy_text(world, e->choice.advice, e->plan.h).text);
    }
    if (e->plan.count == 0) {
        console_error("a step of %.3g s would take more than %g steps for one frame", e->plan.h,
                      CORD_PACE_MOST_STEPS);
    }
    return unstable;
}

static int warn_of_frames(const CordSceneRun* run)
{
    bool longer = cord_pace_exceeds_frame(run->step, run->fps);
    if (longer) {
        step_warn_of_frame(NULL, run->step, run->fps);
    }
    return longer;
}

static double two_digits(double value)
{
    double unit = pow(10.0, floor(log10(value)) - 1.0);
    return unit * round(value / unit);
}

// Warns of the rod with the largest error.
static int warn_of_sweeps(const CordScene* scene, const CordWorld* world, double h)
{
    SweepEstimate worst = {.off = sweeps_off};
    int rod = -1, few = 0;
    for (int i = 0; i < cord_scene_rod_count(scene); i++) {
        RodMethod way = rod_method(cord_scene_rod(scene, i));
        if (!way.method || strcmp(way.method, "sweeps") != 0) {
            continue;
        }
        SweepEstimate s = sweep_estimate(world, cord_world_rod(world, i), h / way.substeps, way.iterations);
        few += s.off > sweeps_off;
        if (s.off > worst.off) {
            worst = s;
            rod = i;
        }
    }
    if (rod < 0) {
        return 0;
    }
    RodMethod way = rod_method(cord_scene_rod(scene, rod));
    char others[48] = "";
    if (few > 1) {
        snprintf(others, sizeof others, " (and %d other rod%s)", few - 1, text_plural(few - 1));
    }
    console_warning(
        "rod \"%s\"%s will be about %.10g times softer than its material, and off by some %.2g %% of its "
        "length: %d sweep%s %s too few for %d elements in steps of %.3g s; take \"method\": \"direct\", or "
        "some %.10g sweeps",
        cord_rod_name(world, cord_world_rod(world, rod)), others, two_digits(worst.needed / way.iterations),
        100.0 * worst.off, way.iterations, text_plural(way.iterations), way.iterations == 1 ? "is" : "are",
        cord_rod_edge_count(world, cord_world_rod(world, rod)), h / way.substeps, two_digits(worst.needed));
    return 1;
}

static int warn_of_cost(const Estimate* e)
{
    bool steps = e->steps > steps_many, bytes = e->recording > bytes_many;
    if (steps) {
        bool chosen = e->choice.automatic;
        console_warning(
            "a run would take %.3g steps of %.3g s, limited by %s; %s, or end it earlier", e->steps,
            e->plan.h, chosen ? cord_step_limit_name(e->choice.advice.limit) : "the scene's step",
            chosen ? "take \"integrator\": \"implicit\", or fewer elements" : "write \"step\": \"auto\"");
    }
    if (bytes) {
        console_warning("a recording could take %s; record fewer frames a second (\"fps\"), or fewer probes, "
                        "which are read at every step",
                        text_bytes(e->recording).text);
    }
    return steps + bytes;
}

// The scene cannot be run at all, for example for want of any support; failures during the run do not count.
static bool is_refused(const Estimate* e)
{
    return e->trial == CORD_NOT_SUPPORTED || e->trial == CORD_BAD_ARGUMENT;
}

// held: the bytes that the world holds. It must outlive the world, whose allocator counts in it.
static int check_tell(Simulation* s, bool sound, bool as_json, size_t* held)
{
    CordWorldDef hooks = cord_world_def_default();
    hooks.allocator = heap_counting(held);
    CordScene* scene = s->scene;
    Estimate e;
    StartReport start = {0};
    int warnings = 0;
    modal_set_quiet(as_json);
    sound = sound && simulation_build_with(s, hooks) == CORD_OK;
    CordWorld* world = s->world;
    if (sound && modal_search_estimate(scene, world).seconds <= search_seconds) {
        // checking the overlap finds the modes
        start = overlap_check(s);
        start = !start.refused && cord_scene_solve(scene)->given ? branch_check(s) : start;
        sound = !start.refused;
    }
    if (sound) {
        e = estimate(scene, world, *held);
        warnings += warn_of_step(world, &e) + warn_of_cost(&e) + warn_of_frames(cord_scene_run(scene)) +
                    warn_of_sweeps(scene, world, e.plan.h);
        sound = e.plan.count > 0;
    }
    if (as_json) {
        print_json(scene, world, &start, sound && !is_refused(&e) ? &e : NULL);
        if (sound && is_refused(&e)) {
            console_error("%s", cord_world_message(world));
        }
    } else {
        warnings += cord_scene_note_count(scene) - console_scene_notes(scene, false);
        if (start.refused) {
            scene_error_at(scene, start.place, start.message.text);
        }
        if (sound && is_refused(&e)) {
            simulation_error(s);
        } else if (sound && e.trial != CORD_OK) {
            simulation_warn_of_failure(s);
            warnings++;
        }
        if (sound && !is_refused(&e)) {
            print_text(scene, world, &e, warnings);
        }
    }
    return sound && !is_refused(&e) ? EXIT_GOOD : EXIT_USAGE;
}

static int check_file(const char* name, const OptionList* settings, bool as_json)
{
    char path[LIBRARY_PATH_MOST];
    Simulation s = {0};
    size_t held;
    if (!simulation_find(name, "check reads scenes; " SIMULATION_INFO, path)) {
        return EXIT_USAGE;
    }
    CordResult result = cord_scene_load(path, settings->items, settings->count, &s.scene);
    if (!s.scene) {
        return error_failed("%s: there is no memory to read the scene", path);
    }
    int status = check_tell(&s, result == CORD_OK, as_json, &held);
    simulation_destroy(&s);
    return status;
}

typedef struct CheckOptions {
    const char* model;
    OptionList settings;
    bool json;
} CheckOptions;

static int check_command(void* given, const Operands* operands)
{
    CheckOptions* o = given;
    return settings_add_model(&o->settings, "check", o->model)
               ? check_file(operands->items[0], &o->settings, o->json)
               : EXIT_USAGE;
}

static const Option options[] = {
    MODEL_OPTION(offsetof(CheckOptions, model)),
    SETTINGS_OPTION(offsetof(CheckOptions, settings), SETTINGS_HELP),
    {"json", 0, OPTION_FLAG, offsetof(CheckOptions, json), NULL,
     "print JSON, with the errors and warnings in it"},
};

const Command command_check = {
    .name = "check",
    .arguments = "SCENE",
    .summary = "errors and warnings, the stable time step, what a run would cost",
    .usage = "check SCENE [options]",
    .about = "Reads a scene and reports every error and warning with its line and column, the time step\n"
             "that is stable and what limits it, and what a run would cost. A few dozen steps are tried\n"
             "out on the initial state to time them; nothing else is run and nothing is written.",
    .closing = "Exit status 0: the scene can be run; 2: it has errors.\n"
               "\n"
               "examples:\n"
               "  cordage check rope.json\n"
               "  cordage check swing --set 'rods[0].elements=400'",
    .operands = {1, 1},
    COMMAND_OPTIONS(CheckOptions, .json = false),
    .run = check_command,
};
