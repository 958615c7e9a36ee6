#include "continuation.h"

#include "heap.h"
#include "progress.h"
#include "simulation.h"

#include <cordage/math.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOKS = 64,          // times that are tried
    FEW_ITERATIONS = 10, // of Newton's method at each
};

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

// ---- what moves

// An equilibrium is compared by its nodes, material axes and tensions; only tensions show a load that grows
// on a straight column. Solving again without a change moves them by far less than this share of the distance
// between nodes or of the largest tension.
static const double stays = 1e-7;
static const double sure = 1000; // error of a tension, at most, over the residual force on a node

typedef struct Equilibrium {
    double* values;    // coordinates and axes, then tensions (place_count + edge_count)
    int place_count;   // coordinates [m] and components of axes
    int edge_count;    // tensions [N]
    double force_left; // residual force on a node [N]
} Equilibrium;

static bool equilibrium_copy(Equilibrium* s, CordWorld* world)
{
    CordFrame frame;
    if (cord_world_frame(world, &frame) != CORD_OK) {
        return false;
    }
    int nodes = 3 * frame.node_count, axes = 3 * frame.edge_count;
    s->place_count = nodes + axes;
    s->edge_count = frame.edge_count;
    s->values = heap_grow(s->values, (size_t)(s->place_count + s->edge_count), sizeof *s->values);
    memcpy(s->values, frame.x, sizeof(double) * (size_t)nodes);
    memcpy(s->values + nodes, frame.m1, sizeof(double) * (size_t)axes);
    memcpy(s->values + s->place_count, frame.tension, sizeof(double) * (size_t)s->edge_count);
    return true;
}

// Does the largest change exceed the noise? `stride`: values that far apart are of one kind, such as the x of
// all nodes, and count from the first of them, so that it does not matter where the origin is.
static bool values_differ(const double* a, const double* b, int count, int stride, double noise)
{
    double most = 0.0, change = 0.0;
    for (int i = 0; i < count; i++) {
        double first = stride > 0 ? a[i % stride] : 0.0;
        most = fmax(most, fmax(fabs(a[i] - first), fabs(b[i] - first)));
        change = fmax(change, fabs(a[i] - b[i]));
    }
    return change > fmax(stays * most, noise);
}

static bool equilibrium_differs(const Equilibrium* a, const Equilibrium* b)
{
    int places = a->place_count;
    return values_differ(a->values, b->values, places, 3, 0.0) ||
           values_differ(a->values + places, b->values + places, a->edge_count, 0,
                         sure * fmax(a->force_left, b->force_left));
}

static bool equilibrium_at(Equilibrium* s, CordWorld* world, const CordBranchDef* range, double time)
{
    CordSolveDef quick = range->solve;
    quick.iterations = quick.iterations < FEW_ITERATIONS ? quick.iterations : FEW_ITERATIONS;
    quick.accept_saddle = true;
    CordSolveReport report;
    bool found = cord_world_set_time(world, time) == CORD_OK &&
                 cord_world_solve(world, &quick, &report) == CORD_OK && equilibrium_copy(s, world);
    s->force_left = found ? report.residual : 0.0;
    return found;
}

// Do clamps or loads change the equilibrium within the range? Times are spread by the golden ratio, so that
// no periodic load is sampled in step.
static bool anything_moves(CordWorld* world, const CordBranchDef* range, double force_left)
{
    size_t size = cord_world_state_size(world);
    void* state = heap_take(1, size);
    Equilibrium rest = {.force_left = force_left}, now = {0};
    bool known = cord_world_state_get(world, state, size) == CORD_OK && equilibrium_copy(&rest, world);
    bool moves = !known;
    for (int k = 0; k <= LOOKS && !moves; k++) {
        double part = k == 0 ? 1.0 : fmod(0.6180339887498949 * k, 1.0);
        double time = range->from + part * (range->to - range->from);
        moves = !equilibrium_at(&now, world, range, time) || equilibrium_differs(&rest, &now);
        cord_world_state_set(world, state, size); // clamps that let go by then hold again
    }
    free(rest.values);
    free(now.values);
    free(state);
    return moves && range->to > range->from;
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
    f->report.moves = anything_moves(f->world, &plan->branch, f->report.start.residual);
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
