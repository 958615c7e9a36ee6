#include "lab_inside.h"

#include <cordage/contact.h>
#include <cordage/io.h>
#include <cordage/solve.h>

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SETTINGS = 16, SETTINGS_SIZE = 2000 };

// ---- memory

static void* allocate(size_t size) // zeroed
{
    void* bytes = calloc(1, size);
    if (!bytes) {
        fprintf(stderr, "there is no memory for the experiment\n");
        exit(EXIT_FAILURE);
    }
    return bytes;
}

void* lab_room(Lab* lab, size_t count, size_t size)
{
    LabRoom* room = allocate(sizeof *room + count * size);
    room->next = lab->rooms;
    lab->rooms = room;
    return room->bytes;
}

static Lab* create(const LabHost* host)
{
    Lab* lab = allocate(sizeof *lab);
    lab->host = host;
    return lab;
}

static void destroy(Lab* lab)
{
    for (LabWorld* w = lab->worlds; w; w = w->next) {
        cord_world_destroy(w->world);
    }
    while (lab->rooms) {
        LabRoom* next = lab->rooms->next;
        free(lab->rooms);
        lab->rooms = next;
    }
    free(lab);
}

const char* lab_text(Lab* lab, const char* format, ...)
{
    char* text = lab->texts[lab->text++ % LAB_TEXTS];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, LAB_TEXT_SIZE, format, arguments);
    va_end(arguments);
    return text;
}

void lab_say(Lab* lab, const char* format, ...)
{
    va_list arguments;
    (void)lab;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
}

double lab_pick(const Lab* lab, double quick, double whole)
{
    return lab->quick ? quick : whole;
}

void lab_models(Lab* lab, const char* quick, void (*follow)(Lab* lab, const char* model))
{
    static const char* const models[] = {"der", "corde"};
    for (int i = 0; i < 2; i++) {
        if (!lab->quick || strcmp(quick, models[i]) == 0) {
            follow(lab, models[i]);
        }
    }
}

// ---- worlds

static double wall_now(void* user)
{
    return ((const Lab*)user)->host->clock();
}

static double cpu_now(void* user)
{
    return ((const Lab*)user)->host->cpu_clock();
}

static CordWorldDef hooks_of(Lab* lab, LabTimed timed)
{
    static double (*const clocks[])(void*) = {
        [LAB_UNTIMED] = NULL, [LAB_BY_WALL] = wall_now, [LAB_BY_CPU] = cpu_now};
    CordWorldDef hooks = cord_world_def_default();
    hooks.clock = (CordClock){.now = clocks[timed], .user = lab};
    hooks.modal = &lab->host->modal;
    return hooks;
}

// A part that lab_try runs may be writing a table to standard output.
static _Noreturn void give_up(Lab* lab, const char* message)
{
    if (lab->experiment) {
        lab_say(lab, "  FAIL  %s", message);
    } else {
        lab->host->note("%s", message);
    }
    lab->failed++;
    longjmp(lab->end, 1);
}

void lab_adopt(Lab* lab, CordWorld* world)
{
    if (!world) {
        give_up(lab, "a world could not be made");
    }
    LabWorld* w = lab_room(lab, 1, sizeof *w);
    *w = (LabWorld){lab->worlds, world};
    lab->worlds = w;
}

void lab_discard(Lab* lab, CordWorld* world)
{
    LabWorld* w = lab->worlds;
    while (w->world != world) {
        w = w->next;
    }
    w->world = NULL;
    cord_world_destroy(world);
}

static CordWorld* open_world(Lab* lab, LabTimed timed, const char* scene, const char* format,
                             va_list arguments)
{
    char text[SETTINGS_SIZE];
    const char* settings[SETTINGS];
    int count = 0;
    vsnprintf(text, sizeof text, format, arguments);
    for (char* at = strtok(text, ";"); at && count < SETTINGS; at = strtok(NULL, ";")) {
        settings[count] = at + strspn(at, " ");
        count += *settings[count] != '\0';
    }
    CordWorldDef hooks = hooks_of(lab, timed);
    CordWorld* world = lab->host->open(&hooks, scene, settings, count);
    lab_adopt(lab, world);
    return world;
}

CordWorld* lab_world(Lab* lab, const char* scene, const char* settings, ...)
{
    va_list arguments;
    va_start(arguments, settings);
    CordWorld* world = open_world(lab, LAB_BY_WALL, scene, settings, arguments);
    va_end(arguments);
    return world;
}

CordWorld* lab_world_timed(Lab* lab, LabTimed timed, const char* scene, const char* settings, ...)
{
    va_list arguments;
    va_start(arguments, settings);
    CordWorld* world = open_world(lab, timed, scene, settings, arguments);
    va_end(arguments);
    return world;
}

CordWorld* lab_world_empty(Lab* lab, CordVec3 gravity, LabTimed timed)
{
    CordWorldDef def = hooks_of(lab, timed);
    CordWorld* world = NULL;
    def.gravity = gravity;
    (void)cord_world_create(&def, &world);
    lab_adopt(lab, world);
    return world;
}

void lab_ok(Lab* lab, const CordWorld* world, CordResult result)
{
    if (result != CORD_OK) {
        give_up(lab, cord_world_message(world));
    }
}

void lab_steps(Lab* lab, CordWorld* world, double h, int count)
{
    lab_ok(lab, world, cord_world_step_many(world, h, count));
}

void lab_solve(Lab* lab, CordWorld* world)
{
    CordSolveDef def = cord_solve_def_default();
    CordSolveReport report;
    lab_ok(lab, world, cord_world_solve(world, &def, &report));
}

CordRodId lab_rod(Lab* lab, CordWorld* world, const CordRodDef* def)
{
    CordRodId rod;
    lab_ok(lab, world, cord_rod_create(world, def, &rod));
    return rod;
}

CordLoadId lab_load(Lab* lab, CordWorld* world, const CordLoadDef* def)
{
    CordLoadId load;
    lab_ok(lab, world, cord_load_create(world, def, &load));
    return load;
}

CordClampId lab_clamp(Lab* lab, CordWorld* world, CordRodId rod, CordPlace at, CordFix fix)
{
    CordClampDef def = cord_clamp_def_default();
    CordClampId clamp;
    def.rod = rod;
    def.at = at;
    def.fix = fix;
    lab_ok(lab, world, cord_clamp_create(world, &def, &clamp));
    return clamp;
}

void lab_keep(Lab* lab, CordWorld* world, LabState* state)
{
    size_t size = cord_world_state_size(world);
    if (size != state->size) {
        *state = (LabState){lab_room(lab, 1, size), size};
    }
    lab_ok(lab, world, cord_world_state_get(world, state->bytes, size));
}

void lab_restore(Lab* lab, CordWorld* world, const LabState* state)
{
    lab_ok(lab, world, cord_world_state_set(world, state->bytes, state->size));
}

const CordVec3* lab_nodes(Lab* lab, const CordWorld* world, int rod)
{
    LabNodes* nodes = &lab->nodes[lab->node++ % LAB_NODES];
    CordRodId id = cord_world_rod(world, rod);
    int count = cord_rod_node_count(world, id);
    if (count > nodes->room) {
        *nodes = (LabNodes){lab_room(lab, 2 * (size_t)count, sizeof *nodes->x), 2 * count};
    }
    lab_ok(lab, world, cord_rod_positions(world, id, nodes->x));
    return nodes->x;
}

CordVec3 lab_node(Lab* lab, const CordWorld* world, int rod, int node)
{
    int count = cord_rod_node_count(world, cord_world_rod(world, rod));
    return lab_nodes(lab, world, rod)[node < 0 ? count - 1 : node];
}

double lab_radius(CordWorld* world)
{
    CordFrame frame;
    return cord_world_frame(world, &frame) == CORD_OK ? frame.radius[0] : (double)NAN;
}

double lab_overlap(const CordWorld* world, double radius)
{
    CordContact deepest;
    return cord_world_deepest(world, &deepest) ? -deepest.gap / radius : 0.0;
}

CordVec3 lab_reaction(const CordWorld* world, int clamp)
{
    CordVec3 force = {0, 0, 0}, torque;
    (void)cord_clamp_reaction(world, cord_world_clamp(world, clamp), &force, &torque);
    return force;
}

CordVec3 lab_obstacle_force(const CordWorld* world, int obstacle)
{
    CordVec3 force = {0, 0, 0}, torque;
    (void)cord_obstacle_force(world, cord_world_obstacle(world, obstacle), &force, &torque);
    return force;
}

CordVec3 lab_probe(const CordWorld* world, int probe)
{
    double value[CORD_PROBE_MOST] = {0};
    (void)cord_probe_read(world, cord_world_probe(world, probe), value);
    return (CordVec3){value[0], value[1], value[2]};
}

void lab_friction(Lab* lab, CordWorld* world, double friction)
{
    CordContactDef contact = cord_contact_def_default();
    contact.friction = friction;
    lab_ok(lab, world, cord_world_set_contact(world, &contact));
}

CordAdaptReport lab_adapt_report(const CordWorld* world, int rods)
{
    CordAdaptReport sum = {.nodes = 0};
    for (int i = 0; i < rods; i++) {
        CordAdaptReport r = cord_rod_adapt_report(world, cord_world_rod(world, i));
        sum.made_with += r.made_with, sum.nodes += r.nodes, sum.finest += r.finest;
        sum.refined += r.refined, sum.merged += r.merged, sum.kept_off += r.kept_off;
        sum.iterations += r.iterations, sum.steps += r.steps, sum.flickers += r.flickers;
        sum.node_steps += r.node_steps;
    }
    return sum;
}

// ---- comparisons

static bool verdict(Lab* lab, bool pass, const char* what, const char* wanted, const char* source)
{
    printf("  %s  %s: %s   [%s]\n", pass ? "pass" : "FAIL", what, wanted,
           source ? source : lab->experiment->source);
    fflush(stdout);
    *(pass ? &lab->passed : &lab->failed) += 1;
    return pass;
}

bool lab_near(Lab* lab, const char* what, double value, double reference, double tolerance,
              const char* source)
{
    double error = value / reference - 1.0;
    return verdict(lab, fabs(error) < tolerance, what,
                   lab_text(lab, "%.7g, should be %.7g within %g %%; off by %.2g %%", value, reference,
                            100.0 * tolerance, 100.0 * error),
                   source);
}

bool lab_within(Lab* lab, const char* what, double value, double reference, double tolerance,
                const char* source)
{
    return verdict(lab, fabs(value - reference) < tolerance, what,
                   lab_text(lab, "%.9g, should be %.9g within %g", value, reference, tolerance), source);
}

bool lab_between(Lab* lab, const char* what, double value, double low, double high, const char* source)
{
    return verdict(lab, value > low && value < high, what,
                   lab_text(lab, "%.6g, should be between %g and %g", value, low, high), source);
}

bool lab_below(Lab* lab, const char* what, double value, double most, const char* source)
{
    return verdict(lab, value < most, what, lab_text(lab, "%.5g, should be below %.6g", value, most), source);
}

bool lab_above(Lab* lab, const char* what, double value, double least, const char* source)
{
    return verdict(lab, value > least, what, lab_text(lab, "%.5g, should be above %.6g", value, least),
                   source);
}

bool lab_equal(Lab* lab, const char* what, double value, double reference, const char* source)
{
    return verdict(lab, value >= reference && value <= reference, what,
                   lab_text(lab, "%.10g, should be %.10g", value, reference), source);
}

bool lab_true(Lab* lab, const char* what, bool holds, const char* source)
{
    return verdict(lab, holds, what, holds ? "so it is" : "it is not so", source);
}

bool lab_order(Lab* lab, const char* what, const double* errors, int count, double low, double high,
               const char* source)
{
    double order = log2(errors[count - 2] / errors[count - 1]);
    return lab_between(lab, lab_text(lab, "%s: order of convergence", what), order, low, high, source);
}

const double lab_overlap_most = 1e-3;

bool lab_apart(Lab* lab, double deepest)
{
    return lab_below(lab, "deepest overlap, over the radius", deepest, lab_overlap_most,
                     "the contact's tolerance");
}

void lab_goal(Lab* lab, const char* what, double value, double most, const char* source)
{
    lab_say(lab, "  goal  %s: %.4g, the goal is %g at the most: %s   [%s]", what, value, most,
            value <= most ? "reached" : "missed", source ? source : lab->experiment->source);
}

// ---- pictures and time

void lab_picture(Lab* lab, CordWorld* world, const LabView* view, const char* suffix)
{
    char path[4096];
    CordPictureDef def = cord_picture_def_default();
    CordMessage message = {""};
    CordFrame frame;
    def.width = 960, def.height = 600;
    def.fit = false;
    def.eye = view->eye;
    def.target = view->target;
    def.field_of_view = view->degrees * CORD_PI / 180.0;
    def.radius_scale = view->thick;
    def.ground = true;
    def.ground_height = view->ground;
    snprintf(path, sizeof path, "%s/%s%s%s.png", lab->directory, lab->experiment->id, *suffix ? "-" : "",
             suffix);
    if (cord_world_frame(world, &frame) != CORD_OK ||
        cord_picture_png(&frame, &def, path, &message) != CORD_OK) {
        lab->host->note("no picture was drawn: %s", message.text);
    } else {
        lab->host->note("%s shows it", path);
    }
}

double lab_clock(const Lab* lab)
{
    return lab->host->cpu_clock();
}

double lab_time(Lab* lab, CordWorld* world, double h, int steps, int rounds, int threads)
{
    double seconds = lab->host->time(world, h, steps, rounds, threads);
    lab_ok(lab, world, isfinite(seconds) ? CORD_OK : CORD_DIVERGED);
    return seconds;
}

static double sum_of(CordStepTimes t)
{
    return t.forces + t.lengths + t.frames + t.bodies + t.implicit + t.contact + t.adapt;
}

CordStepTimes lab_phases(Lab* lab, CordWorld* world, double h, int steps, int rounds)
{
    CordStepTimes best = {.forces = INFINITY};
    for (int round = 0; round < rounds; round++) {
        CordStepTimes a = cord_world_step_times(world);
        lab_steps(lab, world, h, steps);
        CordStepTimes b = cord_world_step_times(world);
        CordStepTimes t = {.forces = (b.forces - a.forces) / steps,
                           .lengths = (b.lengths - a.lengths) / steps,
                           .frames = (b.frames - a.frames) / steps,
                           .bodies = (b.bodies - a.bodies) / steps,
                           .implicit = (b.implicit - a.implicit) / steps,
                           .contact = (b.contact - a.contact) / steps,
                           .adapt = (b.adapt - a.adapt) / steps};
        best = sum_of(t) < sum_of(best) ? t : best;
    }
    return best;
}

// ---- an experiment

bool lab_run(const LabHost* host, const Experiment* experiment, const char* directory, bool quick)
{
    Lab* lab = create(host);
    lab->experiment = experiment;
    lab->directory = directory;
    lab->quick = quick;
    if (setjmp(lab->end) == 0) {
        experiment->run(lab);
    }
    bool written = lab_tables_close(lab), pass = written && lab->failed == 0 && lab->passed > 0;
    lab_say(lab, "%s: %s, %d of %d comparisons", experiment->id, pass ? "pass" : "FAIL", lab->passed,
            lab->passed + lab->failed);
    if (written && experiment->panels) {
        lab_plot(lab);
    }
    destroy(lab);
    return pass;
}

bool lab_try(const LabHost* host, void (*part)(Lab* lab, void* context), void* context)
{
    Lab* lab = create(host);
    if (setjmp(lab->end) == 0) {
        part(lab, context);
    }
    bool good = lab->failed == 0;
    destroy(lab);
    return good;
}
