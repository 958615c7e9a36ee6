#include "progress.h"

#include "interrupt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// On a terminal, often enough to look alive; elsewhere every tenth part, but not in quick succession nor
// after a long silence.
static const double redraw_every = 0.1; // [s]
static const double line_soonest = 1.0; // [s]
static const double line_latest = 10.0; // [s]
static const double rate_memory = 3.0;  // the rates forget in about this time [s]

ProgressTotals progress_totals(const CordWorld* world)
{
    ProgressTotals totals = {0};
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordRodId rod = cord_world_rod(world, i);
        CordEnergy e = cord_rod_energy(world, rod);
        totals.energy += e.kinetic + e.bend + e.twist + e.stretch + e.gravity;
        totals.stretch = fmax(totals.stretch, cord_rod_stretch(world, rod));
        totals.elements += cord_rod_edge_count(world, rod);
    }
    for (int i = 0; i < cord_world_body_count(world); i++) {
        CordEnergy e = cord_body_energy(world, cord_world_body(world, i));
        totals.energy += e.kinetic + e.gravity;
    }
    return totals;
}

Progress progress_begin(const CordWorld* world, double end, bool quiet)
{
    double now = talk_clock();
    return (Progress){
        .quiet = quiet,
        .terminal = isatty(STDERR_FILENO) == 1,
        .end = end,
        .elements = progress_totals(world).elements,
        .shown = now,
        .shown_part = cord_world_time(world) / end,
        .clock = now,
        .time = cord_world_time(world),
        .steps = cord_world_steps(world),
    };
}

static void measure_rates(Progress* p, const CordWorld* world, double now)
{
    double spent = now - p->clock;
    double time = cord_world_time(world);
    int64_t steps = cord_world_steps(world);
    if (spent <= 0.0 || steps <= p->steps) {
        return;
    }
    double rate = (time - p->time) / spent;
    double cost = spent / ((double)(steps - p->steps) * fmax(1.0, (double)p->elements));
    double weight = p->rate > 0.0 ? 1.0 - exp(-spent / rate_memory) : 1.0;
    p->rate += weight * (rate - p->rate);
    p->element_cost += weight * (cost - p->element_cost);
    p->clock = now;
    p->time = time;
    p->steps = steps;
}

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void draw(bool terminal, const char* line, bool* drawn)
{
    if (terminal) {
        fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1, line);
        fflush(stderr);
        *drawn = true;
    } else {
        fprintf(stderr, "%s\n", line);
    }
}

static void show(Progress* p, const CordWorld* world)
{
    ProgressTotals totals = progress_totals(world);
    double left = p->rate > 0.0 ? fmax(0.0, p->end - p->time) / p->rate : INFINITY;
    char line[256]; // 80 columns must do; ns/el: nanoseconds per element and step
    snprintf(line, sizeof line, "%3.0f%% %.4g/%.4g s  %.3g s/s  %.0f ns/el  %s left  E %.3g J  stretch %.0e",
             100.0 * p->time / p->end, p->time, p->end, p->rate, 1e9 * p->element_cost,
             talk_duration(left).text, totals.energy, totals.stretch);
    draw(p->terminal, line, &p->drawn);
}

static bool is_due(bool terminal, double since, double part, double shown_part)
{
    return terminal ? since >= redraw_every
                    : since >= line_latest ||
                          (since >= line_soonest && floor(10.0 * part) > floor(10.0 * shown_part));
}

void progress_update(Progress* p, const CordWorld* world)
{
    if (p->quiet) {
        return;
    }
    double now = talk_clock();
    double part = cord_world_time(world) / p->end;
    if (!is_due(p->terminal, now - p->shown, part, p->shown_part)) {
        return;
    }
    measure_rates(p, world, now);
    show(p, world);
    p->shown = now;
    p->shown_part = part;
}

static void erase(bool* drawn)
{
    if (*drawn) {
        fputs("\r\033[K", stderr);
        *drawn = false;
    }
}

void progress_clear(Progress* p)
{
    erase(&p->drawn);
}

// ---- frames

ProgressFrames progress_frames_begin(const char* doing)
{
    return (ProgressFrames){.doing = doing, .terminal = isatty(STDERR_FILENO) == 1, .shown = talk_clock()};
}

static bool frames_update(void* user, int done, int total)
{
    ProgressFrames* p = user;
    p->done = done;
    p->total = total;
    double now = talk_clock();
    if (now - p->shown >= (p->terminal ? redraw_every : line_latest)) {
        const char* format = p->terminal ? "\r%s %d of %d\033[K" : "%s %d of %d\n";
        fprintf(stderr, format, p->doing, done, total);
        fflush(stderr);
        p->shown = now;
    }
    return !interrupt_raised();
}

CordProgress progress_frames_hook(ProgressFrames* p)
{
    return (CordProgress){.update = frames_update, .user = p};
}

void progress_frames_end(ProgressFrames* p)
{
    if (p->terminal) {
        fputs("\r\033[K", stderr);
    }
}

// ---- parts

ProgressPart progress_part_begin(bool quiet)
{
    double now = talk_clock();
    return (ProgressPart){.quiet = quiet, .terminal = isatty(STDERR_FILENO) == 1, .begun = now, .shown = now};
}

void progress_part_update(ProgressPart* p, double part, const char* doing)
{
    double now = talk_clock();
    if (p->quiet || !is_due(p->terminal, now - p->shown, part, p->shown_part)) {
        return;
    }
    double left = part > 0.0 ? (now - p->begun) * (1.0 - part) / part : INFINITY;
    char line[256];
    snprintf(line, sizeof line, "%3.0f%% %s left  %s", 100.0 * part, talk_duration(left).text, doing);
    draw(p->terminal, line, &p->drawn);
    p->shown = now;
    p->shown_part = part;
}

void progress_part_clear(ProgressPart* p)
{
    erase(&p->drawn);
}

// ---- modes

ProgressModes progress_modes_begin(bool quiet)
{
    double now = talk_clock();
    return (ProgressModes){
        .quiet = quiet, .terminal = isatty(STDERR_FILENO) == 1, .begun = now, .shown = now};
}

// Nothing in the first second: most modes are there by then.
void progress_modes_update(ProgressModes* p, const char* what, double share)
{
    double now = talk_clock(), part = isnan(share) ? 0.0 : share;
    bool due = now - p->begun >= line_soonest && is_due(p->terminal, now - p->shown, part, p->shown_part);
    if (p->quiet || !(due || (p->terminal && isnan(share)))) {
        // nobody calls again while a matrix is factorised
        return;
    }
    char line[256], percent[16] = "";
    if (part > 0.0) {
        snprintf(percent, sizeof percent, " %.0f%%", 100.0 * part);
    }
    snprintf(line, sizeof line, "modes: %s%s, %s", what, percent, talk_duration(now - p->begun).text);
    draw(p->terminal, line, &p->drawn);
    p->shown = now;
    p->shown_part = part;
}

void progress_modes_clear(ProgressModes* p)
{
    erase(&p->drawn);
}

// ---- branches

ProgressBranch progress_branch_begin(const CordBranchDef* def, bool quiet)
{
    double now = talk_clock();
    return (ProgressBranch){.quiet = quiet,
                            .terminal = isatty(STDERR_FILENO) == 1,
                            .returns = def->method == CORD_BRANCH_ARC,
                            .from = def->from,
                            .to = def->to,
                            .begun = now,
                            .shown = now,
                            .points = 1};
}

static const char* stability_word(int unstable)
{
    return unstable < 0 ? "stability not known" : unstable > 0 ? "unstable" : "stable";
}

static void show_point(ProgressBranch* p, const CordBranchPoint* point, double now)
{
    double part = (point->time - p->from) / (p->to - p->from);
    char left[80] = "", line[256]; // 80 columns must do
    if (!p->returns && part > 0.0) {
        snprintf(left, sizeof left, "  %s left", talk_duration((now - p->begun) * (1.0 - part) / part).text);
    }
    snprintf(line, sizeof line, "%3.0f%% t %.4g/%.4g s  point %d  %s%s  %d event%s", 100.0 * part,
             point->time, p->to, p->points, stability_word(point->solve.unstable), left, p->events,
             talk_plural(p->events));
    draw(p->terminal, line, &p->drawn);
}

void progress_branch_update(ProgressBranch* p, const CordBranchPoint* point)
{
    double now = talk_clock();
    p->points++;
    p->events += point->event != CORD_BRANCH_POINT;
    if (!p->quiet && now - p->shown >= (p->terminal ? redraw_every : line_latest)) {
        show_point(p, point, now);
        p->shown = now;
    }
}

void progress_branch_end(ProgressBranch* p)
{
    if (p->drawn) {
        fputs("\r\033[K", stderr);
        p->drawn = false;
    }
}
