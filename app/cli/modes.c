#include "modes.h"

#include "command.h"
#include "continuation.h"
#include "heap.h"
#include "json.h"
#include "output.h"
#include "settings.h"
#include "simulation.h"

#include <cordage/math.h>

#include <limits.h>
#include <stdlib.h>

enum { COUNT = 10, COUNT_MOST = 1000 };

typedef struct ModesOptions {
    const char *output, *friction, *model, *rod;
    double amplitude; // [m]; NAN: chosen
    int count, shown; // count INT_MIN: not given
    OptionList settings;
    bool as_is, json, force;
} ModesOptions;

typedef struct Modes {
    Simulation sim;
    int nodes;
    double* omega2;  // [1/s^2] (count)
    CordVec3* shape; // (count x nodes)
    CordSolveReport solve;
    int limited; // contacts at the limit of their friction
} Modes;

// ---- options

static bool modes_options_agree(const ModesOptions* o)
{
    if (o->count != INT_MIN && (o->count < 1 || o->count > COUNT_MOST)) {
        return error_false("modes --count takes a number from 1 to %d, not %d", COUNT_MOST, o->count);
    }
    if (o->shown < 1) {
        return error_false("modes --mode %d: modes are counted from 1, the lowest", o->shown);
    }
    if (!isnan(o->amplitude) && !(o->amplitude > 0.0)) {
        return error_false("modes --amplitude takes a length in metres, greater than 0, not %g",
                           o->amplitude);
    }
    return true;
}

// ---- modal

// The number of modes of a modal rod is part of the scene, so that the scene is loaded again.
static int modes_load(Modes* m, ModesOptions* o, const char* path)
{
    int status = simulation_load(&m->sim, path, &o->settings, true);
    if (status != EXIT_GOOD || o->count == INT_MIN || !modes_modal_any(m->sim.scene)) {
        return status;
    }
    cord_scene_destroy(m->sim.scene);
    m->sim.scene = NULL;
    option_list_add(&o->settings, "rods[*].modal.modes=%d", o->count);
    return simulation_load(&m->sim, path, &o->settings, true);
}

static int modes_open(Modes* m, ModesOptions* o, const char* name)
{
    char path[LIBRARY_PATH_MOST];
    if (!simulation_find(name, "modes takes a scene; " SIMULATION_INFO, path)) {
        return EXIT_USAGE;
    }
    int status = modes_load(m, o, path);
    if (status == EXIT_GOOD) {
        status = simulation_build(&m->sim, 1, true);
    }
    bool good = status == EXIT_GOOD && simulation_has_equilibria(&m->sim) &&
                (!o->output || vibration_fits(m->sim.scene, o->output, o->force));
    return status == EXIT_GOOD && !good ? EXIT_USAGE : status;
}

static int contacts_at_limit(const CordWorld* world)
{
    int count = 0;
    const CordContact* all = cord_world_contacts(world);
    for (int i = 0; i < cord_world_contact_count(world); i++) {
        count += all[i].slides && cord_vec3_length(all[i].friction) > 0.0;
    }
    return count;
}

static int modes_find(Modes* m, const ModesOptions* o)
{
    if (!o->as_is && continuation_start(m->sim.world, cord_scene_solve(m->sim.scene), &m->solve) != CORD_OK) {
        simulation_error(&m->sim);
        console_note("--as-is takes the scene's own state instead");
        return EXIT_FAILED;
    }
    m->nodes = (int)simulation_node_count(m->sim.world);
    m->omega2 = heap_take((size_t)o->count, sizeof *m->omega2);
    m->shape = heap_take((size_t)o->count * (size_t)m->nodes, sizeof *m->shape);
    CordSolveFriction friction = cord_scene_solve(m->sim.scene)->branch.solve.friction;
    m->limited = friction == CORD_SOLVE_FRICTION_COULOMB ? contacts_at_limit(m->sim.world) : 0;
    CordResult result = cord_world_modes_with(m->sim.world, friction, o->count, m->omega2, m->shape);
    if (result != CORD_OK) {
        simulation_error(&m->sim);
    }
    return result == CORD_OK ? EXIT_GOOD : result == CORD_BAD_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
}

// Unstable modes come first; a negative square after them is zero within round-off. A state that was not
// solved for has no neutral modes.
static bool is_neutral(const Modes* m, const ModesOptions* o, int k)
{
    return m->omega2[k] <= 0.0 && !o->as_is && k >= m->solve.unstable;
}

static double frequency(double omega2) // [Hz]; NAN: no vibration
{
    return omega2 > 0.0 ? sqrt(omega2) / (2.0 * CORD_PI) : (double)NAN;
}

// ---- telling

static void print_text(const Modes* m, const ModesOptions* o)
{
    printf("%4s %16s %20s\n", "mode", "frequency [Hz]", "omega^2 [1/s^2]");
    for (int k = 0; k < o->count; k++) {
        if (m->omega2[k] > 0.0) {
            printf("%4d %16.7g %20.9g\n", k + 1, frequency(m->omega2[k]), m->omega2[k]);
        } else {
            printf("%4d %16s %20.9g\n", k + 1, is_neutral(m, o, k) ? "neutral" : "unstable", m->omega2[k]);
        }
    }
}

static void print_json(const Modes* m, const ModesOptions* o)
{
    Json json = json_begin(stdout);
    json_object(&json, NULL);
    json_text(&json, "file", cord_scene_path(m->sim.scene));
    json_bool(&json, "solved", !o->as_is);
    json_number(&json, "time", cord_world_time(m->sim.world));
    json_array(&json, "modes");
    for (int k = 0; k < o->count; k++) {
        json_object(&json, NULL);
        json_number(&json, "frequency", frequency(m->omega2[k]));
        json_number(&json, "omega2", m->omega2[k]);
        json_bool(&json, "neutral", is_neutral(m, o, k));
        json_close_object(&json);
    }
    json_close_array(&json);
    json_close_object(&json);
    json_end(&json);
}

// Friction has no potential. Where a contact has slid to its place, it sticks against all motions but one.
static void say_limited(const Modes* m, const ModesOptions* o)
{
    if (m->limited > 0 && !o->as_is) {
        console_note("%d contact%s at the limit of friction and held as if sticking, since a slip has no "
                     "frequency; --friction off lets all contacts slip freely",
                     m->limited, m->limited == 1 ? " is" : "s are");
    }
}

// ---- recording

typedef struct Pose {
    const Modes* modes;
    CordVec3* x;           // equilibrium positions [m] (nodes)
    CordVec3* now;         // (nodes)
    const CordVec3* shape; // (nodes)
    double scale;          // of the shape
    double period;         // [s]
} Pose;

static Pose pose_make(const Modes* m, const ModesOptions* o)
{
    double omega2 = m->omega2[o->shown - 1];
    Pose p = {.modes = m, .shape = m->shape + (size_t)(o->shown - 1) * (size_t)m->nodes};
    p.x = heap_take((size_t)m->nodes, sizeof *p.x);
    p.now = heap_take((size_t)m->nodes, sizeof *p.now);
    for (int r = 0, first = 0; r < cord_world_rod_count(m->sim.world); r++) {
        CordRodId rod = cord_world_rod(m->sim.world, r);
        cord_rod_positions(m->sim.world, rod, p.x + first);
        first += cord_rod_node_count(m->sim.world, rod);
    }
    p.scale = vibration_scale(p.x, p.shape, m->nodes, o->amplitude);
    // an unstable mode is shown as well
    p.period = omega2 > 0.0 ? 1.0 / frequency(omega2) : 1.0;
    return p;
}

static CordResult pose_at(void* user, double time)
{
    Pose* p = user;
    const Modes* m = p->modes;
    double by = p->scale * sin(2.0 * CORD_PI * time / p->period);
    for (int i = 0; i < m->nodes; i++) {
        p->now[i] = cord_vec3_madd(p->x[i], p->shape[i], by);
    }
    CordResult result = cord_world_set_time(m->sim.world, time);
    for (int r = 0, first = 0; r < cord_world_rod_count(m->sim.world) && result == CORD_OK; r++) {
        CordRodId rod = cord_world_rod(m->sim.world, r);
        result = cord_rod_set_positions(m->sim.world, rod, p->now + first);
        first += cord_rod_node_count(m->sim.world, rod);
    }
    return result;
}

static int modes_record(const Modes* m, const ModesOptions* o)
{
    Pose p = pose_make(m, o);
    const Vibration shown = {.pose = pose_at, .user = &p, .number = o->shown, .period = p.period};
    int status = vibration_show(&shown, m->sim.scene, m->sim.world, o->output);
    free(p.x);
    free(p.now);
    return status;
}

// ---- the command

static int modes_of_equilibrium(Modes* m, ModesOptions* o)
{
    o->count = o->count == INT_MIN ? COUNT : o->count;
    if (o->shown > o->count) {
        return error_usage(
            "modes --mode %d is not one of the %d that are found; modes are counted from 1, and "
            "--count takes more",
            o->shown, o->count);
    }
    int status = modes_find(m, o);
    if (status == EXIT_GOOD) {
        o->json ? print_json(m, o) : print_text(m, o);
        say_limited(m, o);
        status = o->output ? modes_record(m, o) : EXIT_GOOD;
    }
    free(m->omega2);
    free(m->shape);
    return status;
}

static int modes_go(Modes* m, ModesOptions* o, const char* name)
{
    int status = modes_open(m, o, name);
    if (status != EXIT_GOOD || !modes_modal_any(m->sim.scene)) {
        return status == EXIT_GOOD ? modes_of_equilibrium(m, o) : status;
    }
    const ModalModesOptions modal = {
        .output = o->output, .rod = o->rod, .shown = o->shown, .amplitude = o->amplitude, .json = o->json};
    return modes_modal_run(&m->sim, &modal);
}

static int modes_command(void* given, const Operands* operands)
{
    ModesOptions* o = given;
    Modes m = {0};
    bool good = modes_options_agree(o) && settings_add_model(&o->settings, "modes", o->model) &&
                settings_add_friction(&o->settings, "modes", o->friction);
    int status = good ? modes_go(&m, o, operands->items[0]) : EXIT_USAGE;
    simulation_destroy(&m.sim);
    return status;
}

static const Option options[] = {
    {"count", 'n', OPTION_INT, offsetof(ModesOptions, count), "N",
     "how many, from the lowest; default: 10, of modal rods as many as they have"},
    {"as-is", 0, OPTION_FLAG, offsetof(ModesOptions, as_is), NULL,
     "about the scene's own state, instead of the equilibrium near it"},
    {"output", 'o', OPTION_TEXT, offsetof(ModesOptions, output), "FILE.h5",
     "record one vibration as if it were a run, so that render and export\nshow it; FILE.png: draw it at its "
     "largest displacement"},
    FORCE_OPTION(offsetof(ModesOptions, force)),
    FRICTION_OPTION(offsetof(ModesOptions, friction)),
    {"mode", 0, OPTION_INT, offsetof(ModesOptions, shown), "K", "the one recorded; default: 1, the lowest"},
    {"rod", 0, OPTION_TEXT, offsetof(ModesOptions, rod), "NAME",
     "of several modal rods the one recorded; default: the first"},
    {"amplitude", 0, OPTION_NUMBER, offsetof(ModesOptions, amplitude), "A",
     "how far it moves [m]; default: a twentieth of what the scene spans"},
    MODEL_OPTION(offsetof(ModesOptions, model)),
    SETTINGS_OPTION(offsetof(ModesOptions, settings), SETTINGS_HELP),
    {"json", 0, OPTION_FLAG, offsetof(ModesOptions, json), NULL, "print JSON"},
};

const Command command_modes = {
    .name = "modes",
    .arguments = "SCENE",
    .summary = "the lowest frequencies at which a scene vibrates about its equilibrium",
    .usage = "modes SCENE [options]",
    .about =
        "The lowest frequencies at which a scene's rods vibrate about their equilibrium, which is found\n"
        "first, as solve does. A motion that is unstable, or costs no energy, has none.\n"
        "Modal rods have modes of their own, about their rest shape: what each bends, twists and\n"
        "stretches, and which part of the mass moves with it.",
    .closing = "examples:\n"
               "  cordage modes cantilever\n"
               "  cordage modes modal/fig6 --mode 3 -o third.png\n"
               "  cordage modes cantilever --mode 2 -o second.h5 && cordage render second.h5 -o second.mp4",
    .operands = {1, 1},
    COMMAND_OPTIONS(ModesOptions, .amplitude = NAN, .count = INT_MIN, .shown = 1),
    .run = modes_command,
};
