// Statics: implements cordage/solve.h.
#include "base/real.h"
#include "solve/statics.h"
#include "world/island.h"

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
    world_mark(w, NULL, MARK_STATE);
    return CORD_OK;
}

// ---- equilibrium

static CordResult solve_open_island(CordWorld* w, const Island* g, const CordSolveDef* def,
                                    CordSolveReport* report, bool* arrived)
{
    if (!arena_reserve(&w->memory, &w->query, statics_scratch(g))) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to solve for rod '%s'", g->rods[0]->name);
    }
    arena_reset(&w->query);
    Statics st;
    statics_open(&st, g, w->gravity, w->time, &w->query);
    st.loads = &w->loads;
    CORD_TRY(statics_follow(&st, w->time, &w->message));
    island_commit_motion(g, w->time);
    *arrived = true;
    return statics_solve(&st, def, report, &w->message);
}

static size_t visit_island(CordWorld* w, const Island* g, BytesMode mode, void* data, size_t size)
{
    Bytes b = bytes_start(mode, data, size);
    for (int i = 0; i < island_body_count(g); i++) {
        // Bodies come before the rods, whose welded frames follow them.
        body_state(g->assembly->bodies[i], &b);
    }
    for (int i = 0; i < g->rod_count; i++) {
        world_rod_state(w, g->rods[i], &b);
    }
    return b.used;
}

// If the clamps cannot reach their targets, the state is rolled back. If the solve does not converge, the
// best state found remains.
static CordResult solve_island(CordWorld* w, Island* g, const CordSolveDef* def, CordSolveReport* report)
{
    size_t size = visit_island(w, g, BYTES_COUNT, NULL, 0);
    void* before = memory_alloc(&w->memory, size);
    if (!before) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to keep the state before a solve");
    }
    visit_island(w, g, BYTES_WRITE, before, size);
    bool arrived = false;
    CordResult result = island_open(w, g);
    if (result == CORD_OK) {
        result = solve_open_island(w, g, def, report, &arrived);
    }
    for (int i = 0; i < g->rod_count && arrived; i++) {
        stepper_rest(g->rods[i]);
    }
    island_close(w, g);
    if (!arrived) {
        visit_island(w, g, BYTES_READ, before, size);
    }
    memory_free(&w->memory, before, size);
    return result;
}

void solve_add_report(CordSolveReport* sum, const CordSolveReport* one)
{
    sum->converged &= one->converged;
    sum->iterations += one->iterations;
    sum->residual = real_max(sum->residual, one->residual);
    sum->residual_relative = real_max(sum->residual_relative, one->residual_relative);
    sum->unstable = sum->unstable < 0 || one->unstable < 0 ? -1 : sum->unstable + one->unstable;
    sum->saddles_left += one->saddles_left;
    sum->energy += one->energy;
}

double solve_rods_energy(const CordWorld* w)
{
    double sum = 0.0;
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        CordEnergy energy = {0};
        model_of(rod)->energy(rod, &energy);
        sum += energy.stretch + energy.bend + energy.twist;
        for (int n = 0; n < rod->line.node_count; n++) {
            sum -= rod_node_mass(rod, n) * vec3_dot(w->gravity, node_position(&rod->line, n));
        }
    }
    return sum;
}

static CordResult solve_rods(CordWorld* w, const CordSolveDef* def, CordSolveReport* report)
{
    world_release_clamps(w, w->time);
    CORD_TRY(world_prepare(w));
    if (contact_is_on(w)) {
        CORD_TRY(modal_check_none(
            w, "no equilibrium is solved for where contact is on; let it come to rest in a run"));
        CordResult relaxed = solve_in_contact(w, def, w->time, report);
        for (int i = 0; i < w->rods.live_count; i++) {
            clamps_commit_motion(slots_at(&w->rods, i), w->time);
        }
        obstacles_commit_motion(w);
        report->energy = solve_rods_energy(w);
        world_mark(w, NULL, MARK_STATE);
        return relaxed;
    }
    CORD_TRY(bodies_check_held(w, w->time, def->tolerance));
    CordResult result = CORD_OK;
    *report = (CordSolveReport){.converged = true};
    for (int i = 0; i < world_solve_island_count(w); i++) {
        Island g = world_solve_island(w, i);
        CordSolveReport one = {.unstable = -1};
        CordResult r = island_check_held(w, &g, w->time, def->tolerance);
        bool reduced = model_of(g.rods[0])->reduced != NULL;
        r = r != CORD_OK ? r
            : reduced    ? modal_solve(w, g.rods[0], w->time, &one)
                         : solve_island(w, &g, def, &one);
        result = result == CORD_OK ? r : result;
        solve_add_report(report, &one);
    }
    world_mark(w, NULL, MARK_STATE);
    return result;
}

// A solve that does not converge keeps the best state found. Any other failure changes nothing.
CordResult cord_world_solve(CordWorld* w, const CordSolveDef* def, CordSolveReport* report)
{
    *report = (CordSolveReport){.unstable = -1};
    CORD_TRY(check_def_given(w, def, "solve"));
    CORD_TRY(check_no_branch(w, "nothing else is solved"));
    CORD_TRY(solve_check_def(w, def));
    CORD_TRY(world_take_snapshot(w));
    CordResult result = solve_rods(w, def, report);
    if (result != CORD_OK && result != CORD_NOT_CONVERGED) {
        world_restore(w, w->snapshot, w->snapshot_size);
    }
    world_trim_snapshot(w);
    return result;
}

// ---- vibrations

typedef struct Mode {
    double omega2;
    Island island; // the island it belongs to; closed
    const double* shape;
} Mode;

typedef struct Modes {
    int wanted;
    double* omega2; // eigenvalues of one island (wanted)
    double* shapes; // of all islands, one after the other (size)
    size_t size;    // [bytes]
    Mode* softest;  // the lowest of all islands, ascending (wanted)
    int count;      // entries in softest
} Modes;

static int island_edges(const Island* g)
{
    int count = 0;
    for (int i = 0; i < g->rod_count; i++) {
        count += g->rods[i]->line.edge_count;
    }
    return count;
}

// Tensions that keep the lengths of inextensible rods under the present loads. A state that no solve has
// found knows no others.
static CordResult find_tensions(const CordWorld* w, const Island* g, double* tension)
{
    for (int i = 0; i < g->rod_count; i++) {
        CORD_TRY(cord_rod_tensions(w, g->rods[i]->id, tension));
        tension += g->rods[i]->line.edge_count;
    }
    return CORD_OK;
}

static CordResult open_island_modes(CordWorld* w, Island* g, int count, const double* tension, double* omega2,
                                    double* shape)
{
    CORD_TRY(island_open(w, g));
    Statics st;
    size_t need = statics_scratch(g);
    bool good = arena_reserve(&w->memory, &w->query, need);
    for (int pass = 0; pass < 2 && good; pass++) { // the size is known once the island is open
        arena_reset(&w->query);
        statics_open(&st, g, w->gravity, w->time, &w->query);
        good = arena_reserve(&w->memory, &w->query, need + statics_modes_scratch(&st.sys, count));
    }
    if (!good) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for vibrations");
    }
    if (newton_is_skew(&st.sys)) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "a torque or a wind acts on rod '%s', which has no potential: its vibrations are "
                            "not those of an energy; take it away, or run the scene",
                            g->rods[0]->name);
    }
    st.loads = &w->loads;
    statics_offer_tensions(&st, tension);
    statics_keep(&st);
    good = statics_factor_vibrations(&st) && statics_modes(&st, count, omega2, shape, &w->query);
    return good ? CORD_OK
                : message_fail(&w->message, CORD_NOT_CONVERGED, "the vibrations of rod '%s' were not found",
                               g->rods[0]->name);
}

static int island_nodes(const Island* g)
{
    int count = 0;
    for (int i = 0; i < g->rod_count; i++) {
        count += g->rods[i]->line.node_count;
    }
    return count;
}

static size_t island_vector(const Island* g) // entries in a mode shape: see modes.c
{
    return 3u * (size_t)island_nodes(g) + (size_t)island_edges(g) + 6u * (size_t)island_body_count(g);
}

static CordResult island_modes(CordWorld* w, Island* g, int count, double* omega2, double* shape)
{
    double* tension = memory_array(&w->memory, double, island_edges(g));
    if (!tension) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for vibrations");
    }
    CordResult result = find_tensions(w, g, tension);
    if (result == CORD_OK) {
        result = open_island_modes(w, g, count, tension, omega2, shape);
        island_close(w, g);
    }
    memory_array_free(&w->memory, tension, island_edges(g));
    return result;
}

static int island_most_modes(const Island* g)
{
    const ReducedModel* reduced = model_of(g->rods[0])->reduced;
    if (reduced) {
        return reduced->mode_count(g->rods[0]);
    }
    int sum = 0;
    for (int i = 0; i < g->rod_count; i++) {
        sum += statics_freedom(g->rods[i]);
    }
    for (int i = 0; i < island_body_count(g); i++) {
        sum += statics_body_freedom(g->assembly->bodies[i]);
    }
    return sum > 0 ? sum : 0;
}

static void add_mode(Modes* m, Mode mode)
{
    if (m->count == m->wanted && !(mode.omega2 < m->softest[m->count - 1].omega2)) {
        return;
    }
    int at = m->count < m->wanted ? m->count++ : m->count - 1;
    for (; at > 0 && mode.omega2 < m->softest[at - 1].omega2; at--) {
        m->softest[at] = m->softest[at - 1];
    }
    m->softest[at] = mode;
}

static CordResult find_modes(CordWorld* w, Modes* m)
{
    double* shapes = m->shapes;
    for (int i = 0; i < world_solve_island_count(w); i++) {
        Island g = world_solve_island(w, i);
        int most = island_most_modes(&g), own = m->wanted < most ? m->wanted : most;
        const ReducedModel* reduced = model_of(g.rods[0])->reduced;
        if (reduced) {
            reduced->modes(g.rods[0], own, m->omega2, shapes, island_vector(&g));
        } else {
            CORD_TRY(own > 0 ? island_modes(w, &g, own, m->omega2, shapes) : CORD_OK);
        }
        for (int k = 0; k < own; k++) {
            add_mode(m, (Mode){m->omega2[k], g, shapes + (size_t)k * island_vector(&g)});
        }
        shapes += (size_t)own * island_vector(&g);
    }
    return CORD_OK;
}

// Copies from the island's order of rods to the world's. Rods of other islands get zero.
static void copy_shape(const CordWorld* w, const Mode* mode, CordVec3* shape)
{
    const Island* g = &mode->island;
    const double* v = mode->shape;
    for (int i = 0, next = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        bool own = next < g->rod_count && g->rods[next] == rod;
        next += own;
        for (int k = 0; k < rod->line.node_count; k++, v += own ? 3 : 0) {
            *shape++ = own ? (CordVec3){v[0], v[1], v[2]} : (CordVec3){0, 0, 0};
        }
    }
}

// Counts the modes and the memory that they need.
static CordResult count_modes(CordWorld* w, Modes* m, size_t* nodes)
{
    double all = 0.0, size = 0.0;
    for (int i = 0; i < world_solve_island_count(w); i++) {
        Island g = world_solve_island(w, i);
        int most = island_most_modes(&g), own = m->wanted < most ? m->wanted : most;
        all += most;
        size += (double)own * (double)island_vector(&g) * sizeof(double);
        *nodes += (size_t)island_nodes(&g);
    }
    if (all < m->wanted) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "%d vibrations were asked for, and these rods have %.0f: three for a free node, "
                            "six for a body and three for a pin, less one for each edge "
                            "that keeps its length",
                            m->wanted, all);
    }
    if (m->wanted > STATICS_MOST_MODES) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "%d vibrations were asked for; ask for %d at the most", m->wanted,
                            STATICS_MOST_MODES);
    }
    if (size > 0.25 * (double)SIZE_MAX) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for vibrations");
    }
    m->size = (size_t)size;
    return CORD_OK;
}

static CordResult modes_of_rods(CordWorld* w, int count, double* omega2, CordVec3* shape)
{
    world_release_clamps(w, w->time);
    CORD_TRY(world_prepare(w));
    int touches = cord_world_contact_count(w);
    if (touches > 0) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "vibrations of what touches are not worked out, and there are %d contacts: move "
                            "things apart, or turn contact off",
                            touches);
    }
    Modes m = {.wanted = count};
    size_t nodes = 0;
    CORD_TRY(count_modes(w, &m, &nodes));
    m.omega2 = memory_array(&w->memory, double, count);
    m.shapes = memory_alloc(&w->memory, m.size);
    m.softest = memory_array(&w->memory, Mode, count);
    CordResult result = m.omega2 && m.shapes && m.softest
                            ? find_modes(w, &m)
                            : message_fail(&w->message, CORD_NO_MEMORY, "no memory for vibrations");
    for (int k = 0; k < count && result == CORD_OK; k++) {
        omega2[k] = m.softest[k].omega2;
        if (shape) {
            copy_shape(w, &m.softest[k], shape + (size_t)k * nodes);
        }
    }
    memory_array_free(&w->memory, m.omega2, count);
    memory_free(&w->memory, m.shapes, m.size);
    memory_array_free(&w->memory, m.softest, count);
    return result;
}

// Clamps that are due let go for the answer, and rods take another form and back: all of it is undone.
CordResult cord_world_modes(CordWorld* w, int count, double* omega2, CordVec3* shape)
{
    CORD_TRY(check_no_branch(w, "vibrations are not looked for"));
    if (count < 1) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "%d vibrations were asked for; ask for one at least", count);
    }
    CORD_TRY(world_take_snapshot(w));
    CordResult result = modes_of_rods(w, count, omega2, shape);
    world_restore(w, w->snapshot, w->snapshot_size);
    world_trim_snapshot(w);
    return result;
}
