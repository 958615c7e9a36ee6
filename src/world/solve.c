// Statics: implements cordage/solve.h.
#include "base/real.h"
#include "solve/statics.h"
#include "world/contact_group.h"

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
    NewtonGroup group = {.islands = g, .island_count = 1};
    if (!arena_reserve(&w->memory, &w->query, statics_scratch(&group))) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to solve for rod '%s'", g->rods[0]->name);
    }
    arena_reset(&w->query);
    Statics st;
    statics_open(&st, &group, w->gravity, w->time, &w->query);
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

static void commit_motions(CordWorld* w, double time)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        clamps_commit_motion(slots_at(&w->rods, i), time);
    }
    obstacles_commit_motion(w);
    world_mark(w, NULL, MARK_STATE);
}

typedef struct TouchingSolve {
    CordWorld* world;
    const CordSolveDef* def;
} TouchingSolve;

static CordResult report_touching(const TouchingSolve* s, ContactGroup* g, CordSolveReport* report)
{
    CordWorld* w = s->world;
    Statics st;
    bool slides = contact_friction_slides(w);
    CORD_TRY(contact_group_open_islands(g));
    if (!arena_reserve(&w->memory, &w->query, statics_scratch(&g->group))) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to judge an equilibrium");
    }
    arena_reset(&w->query);
    g->contact.judges = true;
    statics_open(&st, &g->group, w->gravity, w->time, &w->query);
    st.loads = &w->loads;
    statics_report(&st, s->def, report);
    report->unstable = slides ? -1 : report->unstable;
    return contact_check_balance(w, &st, s->def, report);
}

// Clamps and obstacles are where they are at `time`.
static CordResult judge_touching(void* user, double time, CordSolveReport* report)
{
    const TouchingSolve* s = user;
    CordWorld* w = s->world;
    ContactGroup g;
    commit_motions(w, time);
    CordResult result =
        contact_group_open(w, &g, CONTACT_HOLD_PRESSING, s->def->friction != CORD_SOLVE_FRICTION_OFF);
    result = result == CORD_OK ? report_touching(s, &g, report) : result;
    contact_group_close(&g);
    world_mark(w, NULL, MARK_STATE);
    return result;
}

static CordResult solve_touching(CordWorld* w, const CordSolveDef* def, CordSolveReport* report)
{
    TouchingSolve s = {w, def};
    CORD_TRY(contact_set_grip(w, def->friction));
    CordResult result = solve_in_contact(w, def, w->time, judge_touching, &s, report);
    commit_motions(w, w->time);
    contact_release_grip(w);
    return result;
}

static CordResult solve_rods(CordWorld* w, const CordSolveDef* def, CordSolveReport* report)
{
    world_release_clamps(w, w->time);
    CORD_TRY(world_prepare(w));
    if (contact_is_on(w)) {
        CORD_TRY(modal_check_none(
            w, "no equilibrium is solved for where contact is on; let it come to rest in a run"));
        return solve_touching(w, def, report);
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
