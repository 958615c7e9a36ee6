#include "modal.h"

#include "command.h"
#include "console.h"
#include "progress.h"

#include <cordage/eigs.h>
#include <cordage/math.h>

#include <math.h>
#include <stdio.h>

static const double announced_from = 10.0; // shorter searches are not announced [s]

// Unknowns from which ARPACK is used. Below, the built-in solver is as fast on surfaces, and gives the same
// bits on every machine.
static const int arpack_from = 100000;

static struct ModalState {
    CordModeStore store;
    CordModalHooks hooks;
    CordModalHooks kept; // load and save of the store
    CordModalCost cost;  // of the rod that takes longest, in the world built last
    bool announced, quiet;
    Progress progress;
} modal;

// Nothing is shown in the first second, when most searches end. Nobody calls again while a matrix is
// factorised, so a terminal shows at once what is being done.
static void show_progress(const char* what, double share)
{
    Progress* p = &modal.progress;
    double part = isnan(share) ? 0.0 : share, spent = clock_wall() - p->begun;
    bool first = p->terminal && !p->quiet && isnan(share);
    if (first || (spent >= 1.0 && progress_is_due(p, part))) {
        char percent[16] = "";
        if (part > 0.0) {
            snprintf(percent, sizeof percent, " %.0f%%", 100.0 * part);
        }
        progress_show(p, "modes: %s%s, %s", what, percent, text_duration(spent).text);
    }
}

static bool update(void* user, const char* what, double share)
{
    (void)user;
    if (isnan(share)) { // the first call for each rod
        interrupt_watch();
        modal.progress = progress_begin(modal.quiet);
        if (!modal.quiet && !modal.announced && modal.cost.seconds > announced_from) {
            console_note("finding modes of %s unknowns: at most %s and %s of memory, once; they are kept",
                         text_count((int64_t)modal.cost.unknowns).text,
                         text_duration(modal.cost.seconds).text, text_bytes(modal.cost.memory).text);
            modal.announced = true;
        }
    }
    show_progress(what, share);
    return !interrupt_raised();
}

static bool load(void* user, const uint64_t key[2], void* bytes, size_t size)
{
    (void)user;
    return modal.kept.load(modal.kept.store_user, key, bytes, size);
}

static void save(void* user, const uint64_t key[2], const void* bytes, size_t size)
{
    (void)user;
    progress_clear(&modal.progress);
    modal.kept.save(modal.kept.store_user, key, bytes, size);
}

const CordModalHooks* modal_hooks(void)
{
    if (!modal.hooks.progress) {
        modal.store = cord_mode_store_default();
        cord_mode_store_hooks(&modal.store, &modal.kept);
        const CordEigenSolver* solver = cord_eigs_solver();
        modal.hooks = (CordModalHooks){.solver = solver ? *solver : (CordEigenSolver){0},
                                       .solver_from = arpack_from,
                                       .load = load,
                                       .save = save,
                                       .progress = update};
    }
    return &modal.hooks;
}

CordModalHooks modal_hooks_uncached(void)
{
    CordModalHooks hooks = *modal_hooks();
    hooks.load = NULL;
    hooks.save = NULL;
    hooks.progress = NULL;
    return hooks;
}

// ---- cost

bool scene_rod_is_modal(const CordScene* scene, int rod)
{
    return cord_scene_rod(scene, rod)->model == CORD_MODEL_MODAL;
}

static CordModalCost rod_cost(const CordScene* scene, const CordWorld* world,
                              int i) // zero if it is not modal
{
    CordRodId rod = cord_world_rod(world, i);
    return scene_rod_is_modal(scene, i)
               ? cord_modal_cost(cord_rod_node_count(world, rod), cord_rod_edge_count(world, rod),
                                 cord_scene_rod(scene, i)->modal.modes)
               : (CordModalCost){0};
}

void modal_expect(const CordScene* scene, const CordWorld* world)
{
    modal.cost = (CordModalCost){0};
    modal.announced = false;
    for (int i = 0; i < cord_scene_rod_count(scene) && i < cord_world_rod_count(world); i++) {
        CordModalCost cost = rod_cost(scene, world, i);
        modal.cost = cost.seconds > modal.cost.seconds ? cost : modal.cost;
    }
}

void modal_set_quiet(bool quiet)
{
    modal.quiet = quiet;
}

double modal_frequency(const CordMode* mode)
{
    return sqrt(fmax(mode->omega2, 0.0)) / (2.0 * CORD_PI);
}

ModalSearch modal_search_estimate(const CordScene* scene, const CordWorld* world)
{
    ModalSearch s = {.rods = 0};
    for (int i = 0; i < cord_scene_rod_count(scene); i++) {
        CordModalCost cost = rod_cost(scene, world, i);
        s.rods += scene_rod_is_modal(scene, i);
        s.unknowns += cost.unknowns;
        s.seconds += cost.seconds;
        s.memory = cost.memory > s.memory ? cost.memory : s.memory; // rods are searched one after the other
    }
    return s;
}

void modal_search_print(const ModalSearch* s, const CordScene* scene, const CordWorld* world, bool found)
{
    if (s->rods == 0) {
        return;
    }
    printf("modes           of %s unknowns: at most %s and %s to find, less if they were found before\n",
           text_count((int64_t)s->unknowns).text, text_duration(s->seconds).text, text_bytes(s->memory).text);
    for (int i = 0; i < cord_scene_rod_count(scene) && found; i++) {
        CordModalReport report;
        CordRodId rod = cord_world_rod(world, i);
        CordMode lowest, highest;
        if (scene_rod_is_modal(scene, i) && cord_rod_modal_report(world, rod, &report) == CORD_OK &&
            cord_rod_mode(world, rod, 0, &lowest) == CORD_OK &&
            cord_rod_mode(world, rod, report.found - 1, &highest) == CORD_OK) {
            printf("                rod \"%s\": %d, from %.4g to %.4g Hz\n", cord_rod_name(world, rod),
                   report.found, modal_frequency(&lowest), modal_frequency(&highest));
        }
    }
}

void modal_search_json(Json* j, const ModalSearch* s)
{
    json_object(j, "modal");
    json_int(j, "rods", s->rods);
    json_number(j, "unknowns", s->unknowns);
    json_number(j, "seconds_at_most", s->seconds);
    json_number(j, "memory_bytes_at_most", s->memory);
    json_close_object(j);
}

// ---- search

typedef struct OrdinalText {
    char text[16];
} OrdinalText;

static OrdinalText ordinal(int n) // "1st", "12th"
{
    OrdinalText t;
    bool teen = n / 10 % 10 == 1;
    const char* ending = teen ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
    snprintf(t.text, sizeof t.text, "%d%s", n, ending);
    return t;
}

// Modes of one frequency are kept together, so that more may be found than asked for.
static void say_found(const CordWorld* world, CordRodId rod)
{
    CordModalReport report;
    CordMode last;
    const char* name = cord_rod_name(world, rod);
    if (cord_rod_modal_report(world, rod, &report) != CORD_OK) {
        return;
    }
    if (report.found > report.asked && cord_rod_mode(world, rod, report.asked - 1, &last) == CORD_OK) {
        bool pair = last.cluster_count == 2;
        console_note(
            "rod \"%s\": asked for %d mode%s; %d are kept, since the %s %s the %s have one frequency", name,
            report.asked, text_plural(report.asked), report.found, ordinal(last.cluster_first + 1).text,
            pair ? "and" : "to", ordinal(last.cluster_first + last.cluster_count).text);
    } else if (report.found < report.asked) {
        console_note("rod \"%s\": asked for %d modes; it has %d", name, report.asked, report.found);
    }
    if (report.rigid > 0) {
        console_note(
            "rod \"%s\": %d motion%s that no stiffness resists %s left out, so nothing carries it away", name,
            report.rigid, text_plural(report.rigid), report.rigid == 1 ? "is" : "are");
    }
}

int modal_search_run(const Simulation* s, bool quiet)
{
    const CordScene* scene = s->scene;
    CordWorld* world = s->world;
    for (int i = 0; i < cord_scene_rod_count(scene); i++) {
        CordRodId rod = cord_world_rod(world, i);
        if (!scene_rod_is_modal(scene, i)) {
            continue;
        }
        bool found = cord_rod_mode_count(world, rod) > 0;
        if (!found && interrupt_raised()) {
            console_note("interrupted: the modes of rod \"%s\" are not found, and nothing of them is kept",
                         cord_rod_name(world, rod));
            return EXIT_FAILED;
        }
        if (!found) {
            simulation_error(s);
            return EXIT_USAGE;
        }
        if (!quiet) {
            say_found(world, rod);
        }
    }
    return EXIT_GOOD;
}
