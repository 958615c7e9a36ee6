// Statics, as cordage/solve.h has it.
#include "solve/statics.h"
#include "world/world.h"

CordSolveDef cord_solve_def_default(void)
{
    return (CordSolveDef){.tolerance = 1e-9, .iterations = 300};
}

static CordResult check_def(CordWorld* w, const CordSolveDef* def)
{
    if (!(def->tolerance > 0.0 && def->tolerance < 1.0)) {
        return message_fail(
            &w->message, CORD_BAD_ARGUMENT,
            "the tolerance of a solve is %g; it is a share of the largest force and must lie between 0 and 1",
            def->tolerance);
    }
    if (def->iterations < 1) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT, "a solve needs at least one iteration, not %d",
                            def->iterations);
    }
    return CORD_OK;
}

CordResult cord_world_set_time(CordWorld* w, double time)
{
    if (!isfinite(time)) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT, "the time must be finite");
    }
    w->time = time;
    w->revision++;
    return CORD_OK;
}

static void at_rest(Rod* rod)
{
    CordCenterline* c = &rod->line;
    for (int k = 0; k < 3; k++) {
        for (int s = 0; s < c->slot_count; s++) {
            c->v[k][s] = 0.0;
            if (rod->accel[k]) {
                rod->accel[k][s] = 0.0;
            }
        }
    }
    rod->last_step = 0.0;
}

static CordResult solve_rod(CordWorld* w, Rod* rod, const CordSolveDef* def, CordSolveReport* report)
{
    const ModelTrial* trial = model_ops(rod->model)->trial;
    CORD_TRY(trial->open(&w->memory, rod, &w->message));
    if (!arena_reserve(&w->memory, &w->query, statics_scratch(rod))) {
        trial->close(&w->memory, rod, w->time);
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to solve for rod '%s'", rod->name);
    }
    arena_reset(&w->query);
    Statics st;
    statics_open(&st, rod, w->gravity, w->time, &w->query);
    CordResult result = statics_follow(&st, w->time, &w->message);
    if (result == CORD_OK) {
        result = statics_solve(&st, def, report, &w->message);
    }
    at_rest(rod);
    trial->close(&w->memory, rod, w->time);
    return result;
}

CordResult cord_world_solve(CordWorld* w, const CordSolveDef* def, CordSolveReport* report)
{
    *report = (CordSolveReport){.converged = true};
    CORD_TRY(check_def(w, def));
    CORD_TRY(world_prepare(w));
    CordResult result = CORD_OK;
    for (int i = 0; i < w->rods.live_count; i++) {
        CordSolveReport one = {0};
        CordResult r = solve_rod(w, slots_at(&w->rods, i), def, &one);
        result = result == CORD_OK ? r : result;
        report->converged &= one.converged;
        report->iterations += one.iterations;
        report->residual = fmax(report->residual, one.residual);
        report->residual_relative = fmax(report->residual_relative, one.residual_relative);
        report->unstable += one.unstable;
        report->saddles_left += one.saddles_left;
        report->energy += one.energy;
    }
    w->revision++;
    return result;
}

// ---- vibrations

typedef struct Mode {
    double omega2;
    int rod, number; // of the rod
} Mode;

// The modes of each rod by itself.
static CordResult rod_modes(CordWorld* w, Rod* rod, int count, double* omega2, double* shape)
{
    const ModelTrial* trial = model_ops(rod->model)->trial;
    CORD_TRY(trial->open(&w->memory, rod, &w->message));
    bool good = arena_reserve(&w->memory, &w->query, statics_scratch(rod) + statics_modes_scratch(rod, count));
    if (good) {
        arena_reset(&w->query);
        Statics st;
        statics_open(&st, rod, w->gravity, w->time, &w->query);
        trial->begin(rod, 0.0);
        statics_keep(&st);
        st.sys.mass = st.soft;
        system_assemble(&st.sys);
        good = statics_factor_definite(&st) && statics_modes(&st, count, omega2, shape, &w->query);
    }
    trial->close(&w->memory, rod, w->time);
    return good ? CORD_OK
                : message_fail(&w->message, CORD_NOT_CONVERGED, "the vibrations of rod '%s' were not found",
                               rod->name);
}

static int soft_modes(const Rod* rod, int count) // it has
{
    int most = 3 * rod->line.node_count;
    for (int i = 0; i < rod->line.node_count; i++) {
        most -= rod->line.w[slot_of(&rod->line, i)] == 0.0 ? 3 : 0;
    }
    return count < most / 2 ? count : most / 2;
}

static CordResult find_modes(CordWorld* w, int count, double* found, double* shapes, Mode* all, int* total)
{
    size_t at = 0;
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        int own = soft_modes(rod, count);
        CORD_TRY(own > 0 ? rod_modes(w, rod, own, found, shapes + at) : CORD_OK);
        for (int k = 0; k < own; k++) {
            all[(*total)++] = (Mode){found[k], i, k};
        }
        at += (size_t)count * 3u * (size_t)rod->line.node_count;
    }
    return CORD_OK;
}

static void sort_modes(Mode* all, int total)
{
    for (int i = 1; i < total; i++) {
        for (int j = i; j > 0 && all[j].omega2 < all[j - 1].omega2; j--) {
            Mode t = all[j];
            all[j] = all[j - 1];
            all[j - 1] = t;
        }
    }
}

static void copy_shape(const CordWorld* w, const Mode* mode, int count, const double* shapes, CordVec3* shape)
{
    size_t at = 0;
    for (int i = 0; i < w->rods.live_count; i++) {
        int n = ((const Rod*)slots_at(&w->rods, i))->line.node_count;
        const double* v = shapes + at + (size_t)mode->number * 3u * (size_t)n;
        for (int k = 0; k < n; k++) {
            *shape++ = i == mode->rod ? (CordVec3){v[3 * k], v[3 * k + 1], v[3 * k + 2]} : (CordVec3){0, 0, 0};
        }
        at += (size_t)count * 3u * (size_t)n;
    }
}

CordResult cord_world_modes(CordWorld* w, int count, double* omega2, CordVec3* shape)
{
    if (count < 1) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "%d vibrations were asked for; ask for one at least", count);
    }
    CORD_TRY(world_prepare(w));
    int nodes = 0, rods = w->rods.live_count, total = 0;
    for (int i = 0; i < rods; i++) {
        nodes += ((const Rod*)slots_at(&w->rods, i))->line.node_count;
    }
    double *found = memory_array(&w->memory, double, count),
           *shapes = memory_array(&w->memory, double, 3 * nodes * count);
    Mode* all = memory_array(&w->memory, Mode, count * rods);
    CordResult result = found && shapes && all
                            ? find_modes(w, count, found, shapes, all, &total)
                            : message_fail(&w->message, CORD_NO_MEMORY, "no memory for vibrations");
    if (result == CORD_OK && total < count) {
        result = message_fail(&w->message, CORD_BAD_ARGUMENT,
                              "%d vibrations were asked for, and these rods have %d", count, total);
    }
    sort_modes(all, result == CORD_OK ? total : 0);
    for (int k = 0; k < count && result == CORD_OK; k++) {
        omega2[k] = all[k].omega2;
        if (shape) {
            copy_shape(w, &all[k], count, shapes, shape + (size_t)k * (size_t)nodes);
        }
    }
    memory_array_free(&w->memory, found, count);
    memory_array_free(&w->memory, shapes, 3 * nodes * count);
    memory_array_free(&w->memory, all, count * rods);
    return result;
}
