#include "continuation.h"

#include "heap.h"
#include "progress.h"
#include "simulation.h"

#include <cordage/math.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct Continuation {
    const ContinuationDef* def;
    CordWorld* world;
    CordBranch* branch;
    ContinuationReport report;
    Progress progress;
    int bifurcations, events; // so far
} Continuation;

// A function that stops the continuation returns false and leaves the reason in the report.
static bool stop(Continuation* f, ContinuationEnd end, const char* message)
{
    f->report.end = end;
    if (message) {
        snprintf(f->report.message.text, sizeof f->report.message.text, "%s", message);
    }
    return false;
}

// ---- the start

// Moves all rods along a shape of all nodes, so that its fastest node moves by `amplitude`.
static CordResult push_along(CordWorld* world, const CordVec3* shape, int nodes, double amplitude)
{
    double most = 0.0;
    for (int i = 0; i < nodes; i++) {
        most = fmax(most, cord_vec3_length(shape[i]));
    }
    double scale = most > 0.0 ? amplitude / most : 0.0;
    CordVec3* x = heap_take((size_t)nodes, sizeof *x);
    CordResult result = CORD_OK;
    for (int r = 0, first = 0; r < cord_world_rod_count(world) && result == CORD_OK; r++) {
        CordRodId rod = cord_world_rod(world, r);
        int count = cord_rod_node_count(world, rod);
        result = cord_rod_positions(world, rod, x);
        for (int i = 0; i < count; i++) {
            x[i] = cord_vec3_madd(x[i], shape[first + i], scale);
        }
        result = result == CORD_OK ? cord_rod_set_positions(world, rod, x) : result;
        first += count;
    }
    free(x);
    return result;
}

static CordResult push(CordWorld* world, const CordSceneSolve* plan)
{
    int nodes = (int)simulation_node_count(world), mode = plan->push_mode;
    double* omega2 = heap_take((size_t)mode, sizeof *omega2);
    CordVec3* shape = heap_take((size_t)nodes * (size_t)mode, sizeof *shape);
    CordResult result = cord_world_modes_with(world, plan->branch.solve.friction, mode, omega2, shape);
    if (result == CORD_OK) {
        result = push_along(world, shape + (size_t)(mode - 1) * (size_t)nodes, nodes, plan->push);
    }
    free(omega2);
    free(shape);
    return result;
}

CordResult continuation_start(CordWorld* world, const CordSceneSolve* plan, CordSolveReport* report)
{
    *report = (CordSolveReport){0};
    CordResult result = cord_world_set_time(world, plan->branch.from);
    if (result == CORD_OK && plan->push != 0.0) {
        result = push(world, plan);
    }
    return result == CORD_OK ? cord_world_solve(world, &plan->branch.solve, report) : result;
}

// ---- points

static bool keep_point(Continuation* f, const CordBranchPoint* point)
{
    ContinuationReport* r = &f->report;
    r->points = heap_grow(r->points, (size_t)r->count + 1, sizeof *r->points);
    r->points[r->count++] = *point;
    CordRecorder* recorder = f->def->recorder;
    if (recorder && (cord_recorder_put_probes(recorder, &r->message) != CORD_OK ||
                     cord_recorder_put_branch_point(recorder, point, &r->message) != CORD_OK)) {
        return stop(f, CONTINUATION_NOT_RECORDED, NULL);
    }
    return true;
}

// Records the best state, as a point that has not converged, or the start of a branch that has no other.
static bool first_failed(Continuation* f, double time)
{
    CordBranchPoint best = {
        .time = time, .event_time = time, .solve = f->report.start, .least_eigenvalue = NAN};
    bool none = !best.solve.converged && best.solve.residual == 0.0; // it failed before its first iteration
    return none || keep_point(f, &best) ? stop(f, CONTINUATION_NOT_CONVERGED, cord_world_message(f->world))
                                        : false;
}

// Finds the first point of the branch.
static bool first_point(Continuation* f)
{
    const CordSceneSolve* plan = f->def->plan;
    CordResult started = continuation_start(f->world, plan, &f->report.start);
    if (started == CORD_BAD_ARGUMENT) { // the rods do not have the vibration to push along
        return stop(f, CONTINUATION_REFUSED, cord_world_message(f->world));
    }
    if (started == CORD_NOT_SUPPORTED) {
        return stop(f, CONTINUATION_NOT_SUPPORTED, cord_world_message(f->world));
    }
    if (started != CORD_OK) {
        return first_failed(f, plan->branch.from);
    }
    f->report.moves = cord_world_changes(f->world, plan->branch.from, plan->branch.to);
    CordBranchDef def = plan->branch;
    def.to = f->report.moves ? def.to : def.from + 1.0; // only the start is used
    CordBranchPoint point;
    if (cord_branch_create(f->world, &def, &f->branch) != CORD_OK ||
        cord_branch_next(f->branch, &point) != CORD_OK) {
        return first_failed(f, plan->branch.from);
    }
    point.solve.iterations = f->report.start.iterations; // the branch only solved it again
    point.solve.saddles_left += f->report.start.saddles_left;
    return keep_point(f, &point);
}

// Switches to the crossing branch if the plan asks for it at this bifurcation.
static bool take_switch(Continuation* f, const CordBranchPoint* point)
{
    const CordSceneSolve* plan = f->def->plan;
    f->bifurcations += point->event == CORD_BRANCH_BIFURCATION;
    for (int i = 0; i < plan->switch_count && point->event == CORD_BRANCH_BIFURCATION; i++) {
        if (plan->switches[i].at == f->bifurcations) {
            f->report.switches++;
            return cord_branch_switch(f->branch, plan->switches[i].amplitude) == CORD_OK ||
                   stop(f, CONTINUATION_NOT_CONVERGED, cord_world_message(f->world));
        }
    }
    return true;
}

// The line fits into 80 columns. Time may run back along an arc, so that the time left is unknown.
static void show_progress(Continuation* f, const CordBranchPoint* point)
{
    const CordBranchDef* range = &f->def->plan->branch;
    int unstable = point->solve.unstable;
    double part = (point->time - range->from) / (range->to - range->from);
    f->events += point->event != CORD_BRANCH_POINT;
    if (!progress_is_due(&f->progress, NAN)) {
        return;
    }
    char left[80] = "";
    if (range->method != CORD_BRANCH_ARC && part > 0.0) {
        snprintf(left, sizeof left, "  %s left", text_duration(progress_left(&f->progress, part)).text);
    }
    progress_show(&f->progress, "%3.0f%% t %.4g/%.4g s  point %d  %s%s  %d event%s", 100.0 * part,
                  point->time, range->to, f->report.count + 1,
                  unstable < 0   ? "stability not known"
                  : unstable > 0 ? "unstable"
                                 : "stable",
                  left, f->events, text_plural(f->events));
}

static bool next_point(Continuation* f, bool* ended)
{
    CordBranchPoint point;
    if (interrupt_raised()) {
        return stop(f, CONTINUATION_INTERRUPTED, NULL);
    }
    if (cord_branch_next(f->branch, &point) != CORD_OK) {
        return stop(f, CONTINUATION_NOT_CONVERGED, cord_world_message(f->world));
    }
    *ended = point.event == CORD_BRANCH_END;
    if (*ended) {
        return true;
    }
    show_progress(f, &point);
    return keep_point(f, &point) && take_switch(f, &point);
}

static bool is_cut_short(const Continuation* f)
{
    const CordBranchDef* range = &f->def->plan->branch;
    double last = f->report.points[f->report.count - 1].time;
    return f->report.count >= range->points && last > range->from && last < range->to;
}

ContinuationReport continuation_run(const ContinuationDef* def)
{
    Continuation f = {.def = def, .world = def->world};
    f.progress = progress_begin(def->quiet);
    double clock = clock_cpu();
    bool going = first_point(&f), ended = false;
    while (going && f.report.moves && !ended) {
        going = next_point(&f, &ended);
    }
    if (going && f.report.moves && is_cut_short(&f)) {
        stop(&f, CONTINUATION_POINTS_SPENT, NULL);
    }
    progress_clear(&f.progress);
    f.report.cpu = clock_cpu() - clock;
    cord_branch_destroy(f.branch);
    return f.report;
}

void continuation_free(ContinuationReport* report)
{
    free(report->points);
    report->points = NULL;
}
