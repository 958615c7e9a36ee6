// Branches of equilibria: implements the continuation of cordage/solve.h.
#include "world/branch.h"
#include "base/real.h"

#include <stdlib.h>
#include <string.h>

#define EASY_ITERATIONS 4 // with at most this many the next step is longer
#define TOLERANCE 1e-9    // tolerance: change of position over edge length, or of an angle [rad]
#define ROUND_OFF 1e-6    // the same where it does not decrease: motions that cost nothing amplify round-off
#define LONGER 1.5
#define MOST_UNSETTLED 3     // iterations in which contacts open and close without an end
#define JUMP_LEAST 0.02      // least mean displacement of a jump, over the length
#define JUMP_FACTOR 5.0      // displacement of a jump over the extrapolated one
#define EVENT_TOLERANCE 1e-8 // of the time of a bifurcation, over the range
#define MOST_EVENT_SOLVES 40 // to find it
#define MOST_CORNER_SOLVES                                                                                   \
    8                 // likewise with contact, where a contact that opens or closes may be what changes
#define SEPARATE 1e-6 // times of bifurcations that are told apart, over the range

CordBranchDef cord_branch_def_default(void)
{
    return (CordBranchDef){.solve = cord_solve_def_default(), .to = 1.0, .points = 1000};
}

// ---- creation

static CordResult check_def(CordWorld* w, const CordBranchDef* d)
{
    if (!isfinite(d->from) || !isfinite(d->to) || d->from == d->to) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "a branch is followed from one time to another; these are %g and %g s", d->from,
                            d->to);
    }
    CORD_TRY(solve_check_def(w, &d->solve));
    bool steps = isfinite(d->step) && d->step >= 0.0 && isfinite(d->least) && d->least >= 0.0 &&
                 isfinite(d->most) && d->most >= 0.0 && d->points > 0;
    if (!steps) {
        return message_fail(
            &w->message, CORD_BAD_ARGUMENT,
            "the steps of a branch must not be negative, and its number of points must be positive");
    }
    return CORD_OK;
}

// Every island by itself. Modal rods are solved apart.
static CordResult open_islands(CordBranch* b)
{
    CordWorld* w = b->world;
    size_t need = 0;
    int at = 0;
    for (int i = 0; i < b->island_count; i++) {
        do {
            b->islands[i] = world_solve_island(w, at++);
        } while (model_of(b->islands[i].rods[0])->reduced);
        b->opened++;
        CORD_TRY(island_open(w, &b->islands[i]));
        need += arc_length_scratch(&(NewtonGroup){.islands = &b->islands[i], .island_count = 1});
    }
    if (!arena_reserve(&w->memory, &b->arena, need)) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to follow a branch");
    }
    for (int i = 0; i < b->island_count; i++) {
        NewtonGroup group = {.islands = &b->islands[i], .island_count = 1};
        arc_length_open(&b->arcs[i], &group, w->gravity, b->def.from, &b->arena);
        b->arcs[i].st.loads = &w->loads;
    }
    return CORD_OK;
}

static CordResult open_branch(CordBranch* b)
{
    CordWorld* w = b->world;
    b->arcs = memory_array(&w->memory, ArcLength, b->arc_count);
    b->stability[0] = memory_array(&w->memory, BranchStability, b->arc_count);
    b->stability[1] = memory_array(&w->memory, BranchStability, b->arc_count);
    b->islands = contact_is_on(w) ? NULL : memory_array(&w->memory, Island, b->island_count);
    bool memory = b->arcs && (b->islands || contact_is_on(w)) && b->stability[0] && b->stability[1];
    if (!memory) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to follow a branch");
    }
    CORD_TRY(contact_is_on(w) ? branch_open_contact(b) : open_islands(b));
    b->snapshot_size = cord_world_state_size(w); // of rods as they are while the branch is open
    b->snapshot = memory_alloc(&w->memory, b->snapshot_size);
    return b->snapshot ? CORD_OK : message_fail(&w->message, CORD_NO_MEMORY, "no memory to follow a branch");
}

static CordResult check_world(CordWorld* w, const CordBranchDef* def)
{
    bool arc = def->method == CORD_BRANCH_ARC;
    if (arc) {
        CORD_TRY(modal_check_none(
            w, "its equilibria are followed by the method \"natural\" alone, not by \"arc\""));
    }
    if (!contact_is_on(w)) {
        return CORD_OK;
    }
    if (arc && def->solve.friction == CORD_SOLVE_FRICTION_COULOMB && contact_has_friction(w)) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "with friction, where rods rest depends on how they came there, so that the "
                            "method \"arc\" has no branch to follow: write \"friction\": \"off\" or "
                            "\"friction\": \"frozen\" in \"solve\", or take the method \"natural\"");
    }
    return modal_check_none(w,
                            "no equilibrium is solved for where contact is on; let it come to rest in a run");
}

static CordResult begin(CordWorld* w, const CordBranchDef* def, CordBranch** branch)
{
    world_release_clamps(w, def->from);
    CORD_TRY(world_prepare(w));
    CORD_TRY(check_world(w, def));
    CordBranch* b = memory_array(&w->memory, CordBranch, 1);
    if (!b) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to follow a branch");
    }
    double range = def->to - def->from;
    *b = (CordBranch){.world = w, .def = *def, .island_count = world_solve_island_count(w) - modal_count(w)};
    b->arc_count = contact_is_on(w) ? 1 : b->island_count;
    b->step = def->step > 0.0 ? def->step : fabs(range) / 50.0;
    b->def.step = b->step;
    b->def.least = def->least > 0.0 ? def->least : 1e-4 * b->step;
    b->def.most = def->most > 0.0 ? def->most : real_max(5.0 * b->step, fabs(range) / 20.0);
    b->follows_drives = !(def->most > 0.0);
    b->def.solve.accept_saddle |= def->method == CORD_BRANCH_ARC;
    b->direction = range > 0.0 ? 1.0 : -1.0;
    CordResult result = open_branch(b);
    if (result != CORD_OK) {
        cord_branch_destroy(b);
        return result;
    }
    *branch = w->branch = b;
    return CORD_OK;
}

static CordResult check_branch(CordWorld* w, const CordBranchDef* def)
{
    CORD_TRY(check_def_given(w, def, "branch"));
    CORD_TRY(check_no_branch(w, "no other is begun"));
    return check_def(w, def);
}

CordResult cord_branch_check(CordWorld* w, const CordBranchDef* def)
{
    CORD_TRY(check_branch(w, def));
    CORD_TRY(world_prepare(w));
    return check_world(w, def);
}

CordResult cord_branch_create(CordWorld* w, const CordBranchDef* def, CordBranch** branch)
{
    *branch = NULL;
    CORD_TRY(check_branch(w, def));
    CORD_TRY(world_take_snapshot(w));
    CordResult result = begin(w, def, branch);
    if (result != CORD_OK) {
        world_restore(w, w->snapshot, w->snapshot_size);
    }
    world_trim_snapshot(w);
    return result;
}

void cord_branch_destroy(CordBranch* b)
{
    if (!b) {
        return;
    }
    CordWorld* w = b->world;
    w->branch = w->branch == b ? NULL : w->branch;
    for (int i = 0; i < b->opened; i++) {
        island_close(w, &b->islands[i]);
    }
    if (b->contact) {
        branch_close_contact(b);
    } else {
        memory_array_free(&w->memory, b->islands, b->island_count);
    }
    world_mark(w, NULL, MARK_NODES);
    memory_free(&w->memory, b->snapshot, b->snapshot_size);
    memory_array_free(&w->memory, b->arcs, b->arc_count);
    memory_array_free(&w->memory, b->stability[0], b->arc_count);
    memory_array_free(&w->memory, b->stability[1], b->arc_count);
    arena_free(&w->memory, &b->arena);
    memory_free(&w->memory, b, sizeof *b);
}

// ---- points

static CordResult solve_island_at(CordBranch* b, int i, double time, CordSolveReport* report)
{
    CordWorld* w = b->world;
    Statics* st = &b->arcs[i].st;
    *report = (CordSolveReport){.unstable = -1};
    CORD_TRY(island_check_held(w, &b->islands[i], time, b->def.solve.tolerance));
    arc_length_begin(&b->arcs[i], b->world->time);
    CORD_TRY(statics_follow(st, time, &w->message));
    island_commit_motion(&b->islands[i], time);
    return statics_solve(st, &b->def.solve, report, &w->message);
}

// What is held changes nothing along a branch.
static CordResult check_clamps_hold(CordWorld* w, double time)
{
    for (int i = 0; i < w->clamps.live_count; i++) {
        const Clamp* clamp = slots_at(&w->clamps, i);
        if (clamp_is_due(clamp, time)) {
            return message_fail(&w->message, CORD_NOT_SUPPORTED,
                                "a clamp of rod '%s' lets go at %g s, where a branch of equilibria ends: end "
                                "it before, or begin another one there",
                                clamp->rod->name, clamp->def.release);
        }
    }
    return CORD_OK;
}

CordResult branch_solve_at(CordBranch* b, double time, CordSolveReport* report)
{
    CordWorld* w = b->world;
    CORD_TRY(check_clamps_hold(w, time));
    if (b->contact) {
        return branch_solve_contact(b, time, report);
    }
    *report = (CordSolveReport){.converged = true};
    CordResult result = bodies_check_held(w, time, b->def.solve.tolerance);
    for (int i = 0; i < b->island_count && result == CORD_OK; i++) {
        CordSolveReport one;
        result = solve_island_at(b, i, time, &one);
        solve_add_report(report, &one);
    }
    for (int i = 0; i < w->rods.live_count && result == CORD_OK; i++) {
        Rod* rod = slots_at(&w->rods, i);
        CordSolveReport one;
        if (model_of(rod)->reduced) {
            result = modal_solve(w, rod, time, &one);
            solve_add_report(report, &one);
        }
    }
    report->converged &= result == CORD_OK;
    report->unstable = result == CORD_OK ? report->unstable : -1;
    w->time = result == CORD_OK ? time : w->time;
    return result;
}

// Squared frequency of a motion that nothing opposes, over the error that is estimated for it: up to 0.03 in
// free straight rods of 6 to 25 elements, and up to 230 in rings that such rods were bent to, whose stress
// has a round-off of its own.
#define MOST_ERRORS 1000.0

static double softest_vibration(CordWorld* w, Statics* st)
{
    arena_reset(&w->query);
    return arena_reserve(&w->memory, &w->query, statics_softest_scratch(&st->sys)) &&
                   statics_factor_vibrations(st)
               ? statics_softest_vibration(st, &w->query)
               : INFINITY;
}

static BranchStability stability_of(CordBranch* b, int i, double residual)
{
    Statics* st = &b->arcs[i].st;
    BranchStability s = {.least = NAN};
    branch_contact_judge(b, true);
    arc_length_begin(&b->arcs[i], b->world->time);
    s.unstable = statics_count_unstable(st);
    if (!newton_is_skew(&st->sys)) {
        arc_length_begin(&b->arcs[i], b->world->time);
        s.least = softest_vibration(b->world, st);
        s.error = statics_softest_error(st, s.least, residual);
        bool within = s.least > 0.0 && s.least <= MOST_ERRORS * s.error;
        bool drifts = !b->contact && island_drifts(&b->islands[i], b->world->time);
        s.least = within && drifts ? 0.0 : s.least;
        st->sys.frames_weigh = true;
    }
    branch_contact_judge(b, false);
    return s;
}

double branch_judge(CordBranch* b, double residual, double* error)
{
    double least = modal_softest(b->world);
    *error = 0.0;
    for (int i = 0; i < b->arc_count; i++) {
        BranchStability* here = &b->stability[1][i];
        b->stability[0][i] = *here;
        *here = stability_of(b, i, residual);
        if (isnan(here->least) || here->least < least) {
            least = here->least;
            *error = here->error;
        }
    }
    return least;
}

int branch_critical(const CordBranch* b)
{
    int i = b->arc_count - 1;
    while (i >= 0 && b->stability[0][i].unstable == b->stability[1][i].unstable) {
        i--;
    }
    return i;
}

bool branch_snapshot(CordBranch* b)
{
    return world_state_write(b->world, b->snapshot, b->snapshot_size) == CORD_OK;
}

void branch_rollback(CordBranch* b)
{
    world_restore(b->world, b->snapshot, b->snapshot_size);
}

static CordResult fail_too_short(CordBranch* b)
{
    CordWorld* w = b->world;
    char why[sizeof w->message.text];
    memcpy(why, w->message.text, sizeof why);
    return message_fail(&w->message, CORD_NOT_CONVERGED,
                        "the branch ends at t = %.9g s: no equilibrium within a step of %.2g s (%s)",
                        b->last.time, b->def.least, why);
}

// Takes the next step in time, and retries at half the step where there is no equilibrium.
static CordResult natural_point(CordBranch* b, CordBranchPoint* p)
{
    double end = b->def.to;
    for (;;) {
        double left = fabs(end - b->last.time), by = real_min(b->step, left);
        p->time = by == left ? end : b->last.time + b->direction * by;
        branch_snapshot(b);
        if (branch_solve_at(b, p->time, &p->solve) == CORD_OK) {
            p->arc = b->arc + by;
            if (p->solve.iterations <= EASY_ITERATIONS * b->island_count) {
                b->step = real_min(LONGER * b->step, b->def.most);
            }
            return CORD_OK;
        }
        branch_rollback(b);
        b->step = 0.5 * by;
        if (b->step < b->def.least) {
            return fail_too_short(b);
        }
    }
}

// ---- arc-length continuation

static double time_range(const CordBranch* b)
{
    return fabs(b->def.to - b->def.from);
}

double branch_low(const CordBranch* b)
{
    return real_min(b->def.from, b->def.to);
}

double branch_high(const CordBranch* b)
{
    return real_max(b->def.from, b->def.to);
}

// Unit tangent of the branch at the present point, from the rates in time, oriented along the last step.
// Positions are scaled by length, time by the range.
static bool find_tangent(CordBranch* b, double* time_rate)
{
    double range2 = time_range(b) * time_range(b), along = *time_rate / range2, size = 1.0 / range2;
    for (int i = 0; i < b->arc_count; i++) {
        ArcLength* arc = &b->arcs[i];
        arc_length_begin(arc, b->world->time);
        if (!arc_length_steps(arc, b->world->time, BRANCH_RATE_STEP * time_range(b))) {
            return false;
        }
        along += arc_length_product(arc, ARC_TANGENT, ARC_RATE);
        size += arc_length_product(arc, ARC_RATE, ARC_RATE);
    }
    *time_rate = (along >= 0.0 ? 1.0 : -1.0) / sqrt(size);
    for (int i = 0; i < b->arc_count; i++) {
        arc_length_set_tangent(&b->arcs[i], ARC_RATE, *time_rate);
    }
    return true;
}

bool branch_has_converged(const CordBranch* b, double change, double before)
{
    bool settled = !b->contact || b->contact->contact.settled;
    return settled && (change <= TOLERANCE || (change <= ROUND_OFF && change > 0.5 * before));
}

// Solves for the change of time with which the next iterate is in the plane; NAN: there is none.
static double solve_in_plane(CordBranch* b, double ds, double time_rate, double time)
{
    double range = time_range(b), off = (time - b->world->time) * time_rate / (range * range) - ds;
    double by_step = 0.0, by_rate = time_rate / (range * range);
    for (int i = 0; i < b->arc_count; i++) {
        ArcLength* arc = &b->arcs[i];
        if (!arc_length_steps(arc, time, BRANCH_RATE_STEP * range)) {
            return NAN;
        }
        off += arc_length_distance(arc);
        by_step += arc_length_product(arc, ARC_TANGENT, ARC_STEP);
        by_rate += arc_length_product(arc, ARC_TANGENT, ARC_RATE);
    }
    return -(off + by_step) / by_rate;
}

bool branch_newton(CordBranch* b, double ds, double time_rate, double* time, int* iterations)
{
    double range = time_range(b), before = INFINITY;
    for (int n = 1, unsettled = 0; n <= BRANCH_MOST_ITERATIONS && unsettled <= MOST_UNSETTLED; n++) {
        *iterations = n;
        double along, change = 0.0;
        do {
            along = solve_in_plane(b, ds, time_rate, *time);
        } while (isfinite(along) && !branch_contact_agrees(b, *time + along, along));
        if (!isfinite(along)) {
            return false;
        }
        *time += along;
        for (int i = 0; i < b->arc_count; i++) {
            double one = arc_length_change(&b->arcs[i], along);
            change = one <= change ? change : one;
            b->arcs[i].st.sys.time = *time;
            arc_length_move(&b->arcs[i], along);
        }
        if (!(change <= BRANCH_MOST_CHANGE)) {
            return false;
        }
        if (branch_has_converged(b, change, before) && fabs(along) <= TOLERANCE * range) {
            return branch_contact_holds(b);
        }
        unsettled += b->contact && !b->contact->contact.settled;
        before = change;
    }
    return false;
}

void branch_accept(CordBranch* b, double time)
{
    for (int i = 0; i < b->arc_count; i++) {
        statics_accept(&b->arcs[i].st);
    }
    for (int i = 0; i < b->island_count; i++) {
        island_commit_motion(&b->islands[i], time);
    }
    b->world->time = time;
    if (b->contact) {
        obstacles_commit_motion(b->world);
    }
}

// Predicts along the tangent and corrects back to the branch. Returns false if the step was too long.
static bool arc_length_try(CordBranch* b, double ds, double* time, int* iterations)
{
    *time = b->world->time + ds * b->direction;
    for (int i = 0; i < b->arc_count; i++) {
        arc_length_begin(&b->arcs[i], b->world->time);
        branch_contact_predict(b);
        b->arcs[i].st.sys.time = *time;
        arc_length_predict(&b->arcs[i], ds);
    }
    return branch_newton(b, ds, b->direction, time, iterations) && branch_stays_near(b, ds);
}

CordResult branch_solve_along(CordBranch* b, double ds, double time, CordSolveReport* report)
{
    double at;
    int iterations;
    if (!arc_length_try(b, ds, &at, &iterations)) {
        return CORD_NOT_CONVERGED;
    }
    branch_accept(b, at);
    return branch_solve_at(b, time, report);
}

// The trial is `ds` along the arc, or less where it has left the range.
static CordResult arc_length_accept(CordBranch* b, double ds, double time, CordBranchPoint* p)
{
    p->time = real_max(branch_low(b), real_min(time, branch_high(b)));
    if (p->time != time) {
        branch_rollback(b);
        ds *= (p->time - b->world->time) / (time - b->world->time);
        p->arc = b->arc + ds * time_range(b);
        return branch_solve_along(b, ds, p->time, &p->solve);
    }
    branch_accept(b, time);
    p->arc = b->arc + ds * time_range(b);
    return branch_solve_at(b, time, &p->solve); // converges at once, and counts unstable modes
}

static CordResult fail_to_follow(CordBranch* b, bool good)
{
    return good ? fail_too_short(b)
                : message_fail(&b->world->message, CORD_NOT_CONVERGED,
                               "the branch could not be followed past t = %.9g s with steps of %.2g s",
                               b->last.time, b->def.least);
}

// Rolls back and retries at half the step where a step fails.
static CordResult arc_length_point(CordBranch* b, CordBranchPoint* p)
{
    branch_snapshot(b);
    for (int spent = 0;;) { // counts iterations, also those of failed steps
        double ds = b->step / time_range(b), time;
        int iterations = 0;
        bool good = arc_length_try(b, ds, &time, &iterations);
        spent += iterations;
        if (good && arc_length_accept(b, ds, time, p) == CORD_OK) {
            p->solve.iterations += spent;
            b->step = iterations <= EASY_ITERATIONS ? real_min(LONGER * b->step, b->def.most) : b->step;
            return CORD_OK;
        }
        spent += good ? p->solve.iterations : 0;
        branch_rollback(b);
        b->step *= 0.5;
        if (b->step < b->def.least) {
            return fail_to_follow(b, good);
        }
    }
}

static void update_direction(CordBranch* b)
{
    double before = b->direction;
    if (b->def.method == CORD_BRANCH_ARC && !find_tangent(b, &b->direction)) {
        b->direction = before;
    }
}

// ---- events

static double line_root(double t0, double y0, double t1, double y1)
{
    return t0 - y0 * (t1 - t0) / (y1 - y0);
}

// Root of the line through both points; their mean, if there is no root between them.
static double crossing(double t0, double y0, double t1, double y1)
{
    return y0 * y1 <= 0.0 && y0 != y1 ? line_root(t0, y0, t1, y1) : 0.5 * (t0 + t1);
}

// The equilibrium at `time` of the branch between the last point and p, of which a snapshot was taken.
static CordResult solve_between(CordBranch* b, const CordBranchPoint* p, double time, CordSolveReport* report)
{
    bool saddle = b->def.solve.accept_saddle;
    double share = (time - p->time) / (p->time - b->last.time), ds = (p->arc - b->arc) / time_range(b);
    branch_rollback(b);
    b->def.solve.accept_saddle = true;
    CordResult result = CORD_NOT_CONVERGED;
    if (b->def.method == CORD_BRANCH_ARC) {
        result = branch_solve_along(b, share * ds, time, report);
    }
    if (result != CORD_OK) {
        branch_rollback(b);
        result = branch_solve_at(b, time, report);
    }
    b->def.solve.accept_saddle = saddle;
    return result;
}

// Solves for equilibria between the last point and this one, at which another number of modes is unstable,
// and closes in on the time where the number changes. If the lowest eigenvalue of the island that gives way
// changes sign there, its root is found by the Illinois method (Dowell and Jarratt 1971), otherwise by
// bisection: a motion that costs nothing anywhere has the lowest eigenvalue on the stable side. A motion
// counts as unstable only if its eigenvalue is well below zero (Statics.soft), so that a bisection goes on to
// the root of the line through its last two points on the other side, a little beyond.
static double bifurcation_time(CordBranch* b, const CordBranchPoint* p)
{
    int island = branch_critical(b), side = -1; // that moved last
    int stable = b->last.solve.unstable < p->solve.unstable ? 0 : 1;
    double t[2] = {b->last.time, p->time}, y[2] = {NAN, NAN}, at = t[0];
    double former[2] = {NAN, NAN}; // time and eigenvalue of the unstable side before it moved
    bool failed = false;           // the last solve; then a time that is closer to this point is tried
    bool first = island >= 0 && b->stability[stable][island].unstable == 0;
    if (first) {
        y[0] = b->stability[0][island].least, y[1] = b->stability[1][island].least;
    }
    bool has_root = first && y[stable] > b->arcs[island].st.soft && y[1 - stable] < 0.0;
    y[stable] = has_root ? y[stable] : NAN;
    bool arc = b->def.method == CORD_BRANCH_ARC; // natural steps with contact are expensive
    int most = !b->contact ? MOST_EVENT_SOLVES : arc ? MOST_CORNER_SOLVES : 0;
    branch_snapshot(b);
    for (int n = 0; n < most; n++) {
        double before = at;
        CordSolveReport report;
        at = failed ? 0.5 * (at + t[1]) : crossing(t[0], y[0], t[1], y[1]);
        if (fabs(at - before) <= EVENT_TOLERANCE * time_range(b)) {
            break;
        }
        failed = solve_between(b, p, at, &report) != CORD_OK;
        if (!failed) {
            double lowest = first ? stability_of(b, island, 0.0).least : NAN;
            bool is_stable =
                has_root ? lowest > 0.0 : (report.unstable == b->last.solve.unstable) == (stable == 0);
            int moves = is_stable ? stable : 1 - stable;
            if (!is_stable) {
                former[0] = t[moves], former[1] = y[moves];
            }
            y[1 - moves] *= has_root && moves == side ? 0.5 : 1.0;
            t[moves] = at, y[moves] = has_root || !is_stable ? lowest : NAN, side = moves;
        }
    }
    branch_rollback(b);
    double beyond = line_root(former[0], former[1], t[1 - stable], y[1 - stable]);
    return !has_root && fabs(beyond - at) < fabs(p->time - b->last.time) ? beyond
                                                                         : crossing(t[0], y[0], t[1], y[1]);
}

static int crossed(const CordBranch* b, const CordBranchPoint* p) // modes whose stability has changed
{
    bool known = b->last.solve.unstable >= 0 && p->solve.unstable >= 0;
    return known ? abs(p->solve.unstable - b->last.solve.unstable) : 0;
}

// If several modes have changed stability in this step, goes back by bisection to a point past the first, so
// that each bifurcation is found by itself. Those of a round rod, in two planes at once, are one.
static void separate(CordBranch* b, CordBranchPoint* p)
{
    double t0 = b->last.time, t1 = p->time;
    branch_snapshot(b);
    while (crossed(b, p) > 1 && fabs(t1 - t0) > SEPARATE * time_range(b)) {
        CordBranchPoint q = {.time = 0.5 * (t0 + t1)};
        if (solve_between(b, p, q.time, &q.solve) != CORD_OK) {
            break;
        }
        bool more = crossed(b, &q) > 0 && crossed(b, &q) < crossed(b, p);
        *(q.solve.unstable == b->last.solve.unstable ? &t0 : &t1) = q.time;
        if (more) {
            q.arc = b->arc + (p->arc - b->arc) * (q.time - b->last.time) / (p->time - b->last.time);
            *p = q;
            branch_snapshot(b);
            update_direction(b);
        }
    }
    branch_rollback(b);
}

// A fold lies where the tangent in time changes sign. Returns the extremum of the cubic through both points
// with both rates, which have opposite signs.
static double fold_time(double t0, double rate0, double t1, double rate1, double by)
{
    double a = by * rate0, b = 3.0 * (t1 - t0) - by * (2.0 * rate0 + rate1),
           c = by * (rate0 + rate1) - 2.0 * (t1 - t0);
    double u = a / (copysign(sqrt(real_max(b * b - 3.0 * a * c, 0.0)), a) - b);
    return t0 + u * (a + u * (b + u * c));
}

// Compares the displacement of this step with the extrapolation from the step before.
static bool has_jumped(CordBranch* b, double dt)
{
    double gone = 0.0, rate = real_max(b->speed, b->speed_before); // one may be that of a turning point
    for (int i = 0; i < b->arc_count; i++) {
        gone += arc_length_gone(&b->arcs[i]);
    }
    gone = sqrt(gone);
    b->speed_before = isfinite(b->speed) ? b->speed : 0.0;
    b->speed = gone / fabs(dt);
    return b->points > 1 && gone > JUMP_LEAST && gone > JUMP_FACTOR * rate * fabs(dt);
}

static void detect_event(CordBranch* b, CordBranchPoint* p, double rate_before)
{
    bool arc = b->def.method == CORD_BRANCH_ARC, turned = arc && b->direction * rate_before < 0.0;
    p->event = CORD_BRANCH_POINT;
    p->event_time = p->time;
    if (!arc && (p->solve.saddles_left > 0 || has_jumped(b, p->time - b->last.time))) {
        p->event = CORD_BRANCH_JUMP;
        b->speed = INFINITY; // no extrapolation from a jump
    } else if (turned) {
        p->event = CORD_BRANCH_FOLD;
        p->event_time =
            fold_time(b->last.time, rate_before, p->time, b->direction, (p->arc - b->arc) / time_range(b));
    } else if (crossed(b, p) > 0) {
        p->event = CORD_BRANCH_BIFURCATION;
        p->crossed = crossed(b, p);
        p->event_time = bifurcation_time(b, p);
    }
}

static bool past_end(const CordBranch* b)
{
    double t = b->last.time, low = branch_low(b), high = branch_high(b);
    bool at_end = b->points > 1 && (t == high || t == low);
    return at_end || t > high || t < low || b->points >= b->def.points;
}

// The first point is the equilibrium at the start.
static CordResult first_point(CordBranch* b, CordBranchPoint* p)
{
    p->time = b->def.from;
    branch_snapshot(b);
    CordResult result = branch_solve_at(b, b->def.from, &p->solve);
    if (result != CORD_OK) {
        branch_rollback(b);
    }
    return result;
}

static CordResult next_point(CordBranch* b, CordBranchPoint* p)
{
    return !b->started                        ? first_point(b, p)
           : b->def.method == CORD_BRANCH_ARC ? arc_length_point(b, p)
                                              : natural_point(b, p);
}

CordResult cord_branch_next(CordBranch* b, CordBranchPoint* point)
{
    CordBranchPoint p = {.solve.unstable = -1};
    if (b->started && past_end(b)) {
        *point = b->last;
        point->event = CORD_BRANCH_END;
        return CORD_OK;
    }
    for (int i = 0; i < b->arc_count; i++) {
        arc_length_begin(&b->arcs[i], b->world->time);
        arc_length_mark(&b->arcs[i]);
    }
    b->step = b->follows_drives ? real_min(b->step, world_drive_step(b->world)) : b->step;
    CordResult result = next_point(b, &p);
    world_mark(b->world, NULL, MARK_STATE);
    if (result != CORD_OK) {
        *point = b->last;
        point->solve = p.solve;
        return result;
    }
    double before = b->direction, error;
    update_direction(b);
    if (b->started && b->direction * before >= 0.0 && crossed(b, &p) > 1) {
        separate(b, &p);
    }
    p.least_eigenvalue = branch_judge(b, p.solve.residual, &error);
    if (b->contact && p.solve.unstable < 0) { // friction that slides has no potential
        p.least_eigenvalue = NAN;
    }
    if (b->started) {
        detect_event(b, &p, before);
    }
    b->started = true;
    b->unstable_before = b->last.solve.unstable;
    b->points++;
    b->arc = p.arc;
    b->last = *point = p;
    // nobody knows its sign, or a motion that is all but free counts as neutral: see Statics.soft
    if (fabs(p.least_eigenvalue) <= error || (p.least_eigenvalue < 0.0 && p.solve.unstable == 0)) {
        point->least_eigenvalue = 0.0;
    }
    return CORD_OK;
}
