#include "progress.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double redraw_every = 0.1; // on a terminal [s]
static const double line_soonest = 1.0; // elsewhere a line for every tenth part, but no sooner than this [s],
static const double line_latest = 10.0; // and no later than this [s]
static const double rate_memory = 3.0;  // time constant of the smoothed rates [s]

// ---- the line

Progress progress_begin(bool quiet)
{
    double now = clock_wall();
    return (Progress){.quiet = quiet, .terminal = isatty(STDERR_FILENO) == 1, .begun = now, .shown = now};
}

bool progress_is_due(Progress* p, double part)
{
    double since = clock_wall() - p->shown;
    bool tenth = since >= line_soonest && floor(10.0 * part) > floor(10.0 * p->shown_part); // false for NAN
    bool due = !p->quiet && (p->terminal ? since >= redraw_every : since >= line_latest || tenth);
    p->shown_part = due ? part : p->shown_part;
    return due;
}

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void progress_show(Progress* p, const char* format, ...)
{
    char line[256];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    if (p->terminal) {
        fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1, line);
        fflush(stderr);
        p->drawn = true;
    } else {
        fprintf(stderr, "%s\n", line);
    }
    p->shown = clock_wall();
}

void progress_clear(Progress* p)
{
    if (p->drawn) {
        fputs("\r\033[K", stderr);
        p->drawn = false;
    }
}

double progress_left(const Progress* p, double part)
{
    return part > 0.0 ? (clock_wall() - p->begun) * (1.0 - part) / part : (double)INFINITY;
}

// ---- runs

WorldTotals world_totals(const CordWorld* world)
{
    WorldTotals totals = {0};
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

RunProgress progress_run_begin(const CordWorld* world, double end, bool quiet)
{
    RunProgress p = {.line = progress_begin(quiet),
                     .end = end,
                     .elements = world_totals(world).elements,
                     .time = cord_world_time(world),
                     .steps = cord_world_steps(world)};
    p.line.shown_part = p.time / end;
    p.clock = p.line.begun;
    return p;
}

static void measure_rates(RunProgress* p, const CordWorld* world)
{
    double now = clock_wall(), spent = now - p->clock, time = cord_world_time(world);
    int64_t steps = cord_world_steps(world);
    if (spent <= 0.0 || steps <= p->steps) {
        return;
    }
    double rate = (time - p->time) / spent;
    double cost = spent / ((double)(steps - p->steps) * fmax(1.0, (double)p->elements));
    double weight = p->rate > 0.0 ? 1.0 - exp(-spent / rate_memory) : 1.0;
    p->rate += weight * (rate - p->rate);
    p->step_cost += weight * (cost - p->step_cost);
    p->clock = now;
    p->time = time;
    p->steps = steps;
}

// The line fits into 80 columns; ns/el are nanoseconds per element and step.
void progress_run_update(RunProgress* p, const CordWorld* world)
{
    if (!progress_is_due(&p->line, cord_world_time(world) / p->end)) {
        return;
    }
    measure_rates(p, world);
    WorldTotals totals = world_totals(world);
    double left = p->rate > 0.0 ? fmax(0.0, p->end - p->time) / p->rate : INFINITY;
    progress_show(&p->line, "%3.0f%% %.4g/%.4g s  %.3g s/s  %.0f ns/el  %s left  E %.3g J  stretch %.0e",
                  100.0 * p->time / p->end, p->time, p->end, p->rate, 1e9 * p->step_cost,
                  text_duration(left).text, totals.energy, totals.stretch);
}

// ---- exports

FrameProgress progress_frames_begin(const char* doing)
{
    return (FrameProgress){.line = progress_begin(false), .doing = doing};
}

static bool frames_update(void* user, int done, int total)
{
    FrameProgress* p = user;
    p->done = done;
    p->total = total;
    if (progress_is_due(&p->line, NAN)) {
        progress_show(&p->line, "%s %d of %d", p->doing, done, total);
    }
    return !interrupt_raised();
}

CordProgress progress_frames_hook(FrameProgress* p)
{
    return (CordProgress){.update = frames_update, .user = p};
}

// ---- interruption

static volatile sig_atomic_t raised; // a signal handler can reach nothing but a global

static void on_signal(int signal_number)
{
    (void)signal_number;
    raised = 1;
}

void interrupt_watch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    // Restart: a write to the recording that was under way goes on. Reset: the second signal meets the
    // default action.
    action.sa_flags = (int)(SA_RESTART | SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction hangup;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) { // nohup ignores it
        sigaction(SIGHUP, &action, NULL);
    }
}

bool interrupt_raised(void)
{
    return raised != 0;
}
