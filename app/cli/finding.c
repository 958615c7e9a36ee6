#include "finding.h"

#include "interrupt.h"
#include "progress.h"
#include "talk.h"

#include <cordage/eigs.h>

#include <math.h>
#include <stdio.h>

static const double worth_saying = 10.0; // [s]
static const int arpack_from =
    100000; // unknowns: the built-in solver is as quick on surfaces up to here, and the same bits everywhere

static struct Finding {
    CordModeStore store;
    CordModalHooks hooks;
    CordModalHooks kept; // load and save of the store
    CordModalCost cost;  // of the rod that takes longest, of the world built last
    bool said, quiet;
    Progress progress;
} finding;

// Nothing is shown in the first second, when most searches end. Nobody calls again while a matrix is
// factorised, so a terminal shows at once what is being done.
static void show_progress(const char* what, double share)
{
    Progress* p = &finding.progress;
    double part = isnan(share) ? 0.0 : share, spent = talk_clock() - p->begun;
    bool first = p->terminal && !p->quiet && isnan(share);
    if (first || (spent >= 1.0 && progress_is_due(p, part))) {
        char percent[16] = "";
        if (part > 0.0) {
            snprintf(percent, sizeof percent, " %.0f%%", 100.0 * part);
        }
        progress_show(p, "modes: %s%s, %s", what, percent, talk_duration(spent).text);
    }
}

static bool update(void* user, const char* what, double share)
{
    (void)user;
    if (isnan(share)) { // the first that comes of each rod
        interrupt_watch();
        finding.progress = progress_begin(finding.quiet);
        if (!finding.quiet && !finding.said && finding.cost.seconds > worth_saying) {
            talk_note("finding modes of %s unknowns: at most %s and %s of memory, once; they are kept",
                      talk_count((int64_t)finding.cost.unknowns).text,
                      talk_duration(finding.cost.seconds).text, talk_bytes(finding.cost.memory).text);
            finding.said = true;
        }
    }
    show_progress(what, share);
    return !interrupt_raised();
}

static bool load(void* user, const uint64_t key[2], void* bytes, size_t size)
{
    (void)user;
    return finding.kept.load(finding.kept.store_user, key, bytes, size);
}

static void save(void* user, const uint64_t key[2], const void* bytes, size_t size)
{
    (void)user;
    progress_clear(&finding.progress);
    finding.kept.save(finding.kept.store_user, key, bytes, size);
}

const CordModalHooks* finding_hooks(void)
{
    if (!finding.hooks.progress) {
        finding.store = cord_mode_store_default();
        cord_mode_store_hooks(&finding.store, &finding.kept);
        const CordEigenSolver* solver = cord_eigs_solver();
        finding.hooks = (CordModalHooks){.solver = solver ? *solver : (CordEigenSolver){0},
                                         .solver_from = arpack_from,
                                         .load = load,
                                         .save = save,
                                         .progress = update};
    }
    return &finding.hooks;
}

CordModalHooks finding_hooks_anew(void)
{
    CordModalHooks hooks = *finding_hooks();
    hooks.load = NULL;
    hooks.save = NULL;
    hooks.progress = NULL;
    return hooks;
}

void finding_expect(const CordScene* scene, const CordWorld* world)
{
    finding.cost = (CordModalCost){0};
    finding.said = false;
    for (int i = 0; i < cord_scene_rod_count(scene) && i < cord_world_rod_count(world); i++) {
        const CordRodDef* def = cord_scene_rod(scene, i);
        CordRodId rod = cord_world_rod(world, i);
        CordModalCost cost = cord_modal_cost(cord_rod_node_count(world, rod), cord_rod_edge_count(world, rod),
                                             def->modal.modes);
        if (def->model == CORD_MODEL_MODAL && cost.seconds > finding.cost.seconds) {
            finding.cost = cost;
        }
    }
}

void finding_be_quiet(bool quiet)
{
    finding.quiet = quiet;
}
