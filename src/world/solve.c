// Statics, as cordage/solve.h has it.
#include "solve/statics.h"
#include "world/group.h"

CordSolveDef cord_solve_def_default(void)
{
    return (CordSolveDef){.tolerance = 1e-9, .iterations = 300};
}

CordResult solve_check_def(CordWorld* w, const CordSolveDef* def)
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
    CORD_TRY(check_no_branch(w, "time is not set"));
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
                rod->accel[k][s] = rod->jerk[k][s] = rod->pull_rate[s] = 0.0;
            }
        }
    }
    rod->last_step = 0.0;
}

// ---- groups: rods by themselves, and assemblies

int world_group_count(const CordWorld* w)
{
    int count = w->assemblies.count;
    for (int i = 0; i < w->rods.live_count; i++) {
        count += ((const Rod*)slots_at(&w->rods, i))->assembly == NULL;
    }
    return count;
}

Group world_group(const CordWorld* w, int index)
{
    if (index < w->assemblies.count) {
        Assembly* a = &w->assemblies.all[index];
        return (Group){.assembly = a, .rods = a->rods, .rod_count = a->rod_count};
    }
    index -= w->assemblies.count;
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (!rod->assembly && index-- == 0) {
            return (Group){.alone = rod, .rod_count = 1};
        }
    }
    return (Group){0};
}

CordResult group_open(CordWorld* w, Group* g)
{
    for (int i = 0; i < g->rod_count; i++) {
        Rod* rod = group_rod(g, i);
        CORD_TRY(model_ops(rod->model)->trial->open(&w->memory, rod, &w->message));
    }
    if (!g->assembly) {
        return CORD_OK;
    }
    g->joins = memory_array(&w->memory, Joins, 1);
    return g->joins ? joins_create(&w->memory, g->joins, g->assembly, true, &w->message)
                    : message_fail(&w->message, CORD_NO_MEMORY, "no memory to solve for welded rods");
}

void group_arrive(const Group* g, double time)
{
    for (int i = 0; i < g->rod_count; i++) {
        clamps_arrive(group_rod(g, i), time);
    }
}

void group_close(CordWorld* w, Group* g)
{
    for (int i = 0; i < g->rod_count; i++) {
        Rod* rod = group_rod(g, i);
        model_ops(rod->model)->trial->close(&w->memory, rod, w->time);
    }
    if (g->joins) {
        joins_destroy(&w->memory, g->joins);
        memory_array_free(&w->memory, g->joins, 1);
    }
}

// ---- equilibrium

static CordResult solve_open_group(CordWorld* w, const Group* g, const CordSolveDef* def,
                                   CordSolveReport* report, bool* arrived)
{
    if (!arena_reserve(&w->memory, &w->query, statics_scratch(g->alone, g->joins))) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to solve for rod '%s'", group_rod(g, 0)->name);
    }
    arena_reset(&w->query);
    Statics st;
    statics_open(&st, g->alone, g->joins, w->gravity, w->time, &w->query);
    st.loads = &w->loads;
    CORD_TRY(statics_follow(&st, w->time, &w->message));
    group_arrive(g, w->time);
    *arrived = true;
    return statics_solve(&st, def, report, &w->message);
}

// Clamps that cannot get where they belong leave all as it was; a solve that does not converge leaves the best it found.
static CordResult solve_group(CordWorld* w, Group* g, const CordSolveDef* def, CordSolveReport* report)
{
    size_t size = cord_world_state_size(w);
    void* before = memory_alloc(&w->memory, size);
    if (!before || cord_world_state_get(w, before, size) != CORD_OK) {
        memory_free(&w->memory, before, size);
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to keep the state before a solve");
    }
    bool arrived = false;
    CordResult result = group_open(w, g);
    if (result == CORD_OK) {
        result = solve_open_group(w, g, def, report, &arrived);
    }
    for (int i = 0; i < g->rod_count && arrived; i++) {
        at_rest(group_rod(g, i));
    }
    group_close(w, g);
    if (!arrived) {
        world_restore(w, before, size);
    }
    memory_free(&w->memory, before, size);
    return result;
}

void solve_add_report(CordSolveReport* sum, const CordSolveReport* one)
{
    sum->converged &= one->converged;
    sum->iterations += one->iterations;
    sum->residual = fmax(sum->residual, one->residual);
    sum->residual_relative = fmax(sum->residual_relative, one->residual_relative);
    sum->unstable += one->unstable;
    sum->saddles_left += one->saddles_left;
    sum->energy += one->energy;
}

CordResult cord_world_solve(CordWorld* w, const CordSolveDef* def, CordSolveReport* report)
{
    *report = (CordSolveReport){0};
    CORD_TRY(check_no_branch(w, "nothing else is solved"));
    CORD_TRY(solve_check_def(w, def));
    CORD_TRY(world_prepare(w));
    CORD_TRY(bodies_check_held(w, w->time, def->tolerance));
    CordResult result = CORD_OK;
    report->converged = true;
    for (int i = 0; i < world_group_count(w); i++) {
        CordSolveReport one = {0};
        Group g = world_group(w, i);
        CordResult r = group_check_held(w, &g, w->time, def->tolerance);
        r = r == CORD_OK ? solve_group(w, &g, def, &one) : r;
        result = result == CORD_OK ? r : result;
        solve_add_report(report, &one);
    }
    w->revision++;
    return result;
}

// ---- vibrations

typedef struct Mode {
    double omega2;
    int group, number; // of the group
} Mode;

static CordResult open_group_modes(CordWorld* w, Group* g, int count, double* omega2, double* shape)
{
    CORD_TRY(group_open(w, g));
    Statics st;
    size_t need = statics_scratch(g->alone, g->joins);
    bool good = arena_reserve(&w->memory, &w->query, need);
    for (int pass = 0; pass < 2 && good; pass++) { // how much the modes take is known once it is open
        arena_reset(&w->query);
        statics_open(&st, g->alone, g->joins, w->gravity, w->time, &w->query);
        good = arena_reserve(&w->memory, &w->query, need + statics_modes_scratch(&st.sys, count));
    }
    if (!good) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for vibrations");
    }
    st.loads = &w->loads;
    statics_keep(&st);
    st.sys.mass = st.soft;
    system_assemble(&st.sys);
    good = statics_factor_definite(&st) && statics_modes(&st, count, omega2, shape, &w->query);
    return good ? CORD_OK
                : message_fail(&w->message, CORD_NOT_CONVERGED, "the vibrations of rod '%s' were not found",
                               group_rod(g, 0)->name);
}

static int group_nodes(const Group* g)
{
    int count = 0;
    for (int i = 0; i < g->rod_count; i++) {
        count += group_rod(g, i)->line.node_count;
    }
    return count;
}

static size_t group_vector(const Group* g) // numbers in a shape: see modes.c
{
    return 3u * (size_t)group_nodes(g) + 6u * (size_t)(g->assembly ? g->assembly->body_count : 0);
}

static int soft_modes(const Group* g, int count) // it has
{
    int most = 3 * group_nodes(g);
    for (int i = 0; i < g->rod_count; i++) {
        const CordCenterline* c = &group_rod(g, i)->line;
        for (int n = 0; n < c->node_count; n++) {
            most -= c->w[slot_of(c, n)] == 0.0 ? 3 : 0;
        }
    }
    return count < most / 2 ? count : most / 2;
}

static CordResult find_modes(CordWorld* w, int count, double* found, double* shapes, Mode* all, int* total)
{
    for (int i = 0; i < world_group_count(w); i++) {
        Group g = world_group(w, i);
        int own = soft_modes(&g, count);
        CordResult result = own > 0 ? open_group_modes(w, &g, own, found, shapes) : CORD_OK;
        group_close(w, &g);
        CORD_TRY(result);
        for (int k = 0; k < own; k++) {
            all[(*total)++] = (Mode){found[k], i, k};
        }
        shapes += (size_t)count * group_vector(&g);
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

// From the group's own order of rods to the world's.
static void copy_shape(const CordWorld* w, const Mode* mode, int count, const double* shapes, CordVec3* shape)
{
    for (int i = 0; i < mode->group; i++) {
        Group before = world_group(w, i);
        shapes += (size_t)count * group_vector(&before);
    }
    Group g = world_group(w, mode->group);
    const double* v = shapes + (size_t)mode->number * group_vector(&g);
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        const double* own = NULL;
        size_t at = 0;
        for (int k = 0; k < g.rod_count; k++) {
            own = group_rod(&g, k) == rod ? v + at : own;
            at += 3u * (size_t)group_rod(&g, k)->line.node_count;
        }
        for (int k = 0; k < rod->line.node_count; k++) {
            *shape++ = own ? (CordVec3){own[3 * k], own[3 * k + 1], own[3 * k + 2]} : (CordVec3){0, 0, 0};
        }
    }
}

CordResult cord_world_modes(CordWorld* w, int count, double* omega2, CordVec3* shape)
{
    CORD_TRY(check_no_branch(w, "vibrations are not looked for"));
    if (count < 1) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "%d vibrations were asked for; ask for one at least", count);
    }
    CORD_TRY(world_prepare(w));
    int groups = world_group_count(w), nodes = 0, total = 0;
    size_t size = 0;
    for (int i = 0; i < groups; i++) {
        Group g = world_group(w, i);
        size += (size_t)count * group_vector(&g) * sizeof(double);
        nodes += group_nodes(&g);
    }
    double *found = memory_array(&w->memory, double, count), *shapes = memory_alloc(&w->memory, size);
    Mode* all = memory_array(&w->memory, Mode, count * groups);
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
    memory_free(&w->memory, shapes, size);
    memory_array_free(&w->memory, all, count * groups);
    return result;
}
