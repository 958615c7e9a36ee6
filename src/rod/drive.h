// What changes with time and drives rods: prescribed motions, loads, clamps that let go.
#ifndef CORD_ROD_DRIVE_H
#define CORD_ROD_DRIVE_H

#include "base/real.h"

#include <math.h>
#include <stdbool.h>

// Is a time due at which something begins, ends or lets go? The present time is a sum of steps, of which each
// rounds by up to 1.1e-16 of it: 1e-10 is what 900 000 steps may round by.
static inline bool time_is_reached(double time, double due)
{
    return time >= due - 1e-10 * fabs(due); // false for a due time of INFINITY, true for -INFINITY
}

// For loads of a step that are taken at its end: those that act until then, and not those that begin there.
static inline double time_just_before(double time)
{
    return time - 3e-10 * fabs(time);
}

static inline bool time_is_between(double at, double after, double until)
{
    return time_is_reached(until, at) && !time_is_reached(after, at);
}

// Largest phase of a drive in one step [rad]: a step then misses its path by 3 % of the amplitude.
#define DRIVE_MOST_PHASE 0.5

typedef struct Drive {
    double time;  // the present [s]
    double step;  // the longest step from there that follows all drives [s]; INFINITY: any does
    double event; // when the next of them begins or ends [s]; INFINITY: never
    double jump;  // when a load next comes or goes, or a clamp lets go [s]; INFINITY: never
} Drive;

static inline void drive_add_event(Drive* d, double at)
{
    d->event = time_is_reached(d->time, at) ? d->event : real_min(d->event, at);
}

static inline void drive_add_jump(Drive* d, double at)
{
    drive_add_event(d, at);
    d->jump = time_is_reached(d->time, at) ? d->jump : real_min(d->jump, at);
}

// From one time to another, something changes like an oscillation of `rate` [rad/s]; 0: it only begins. A
// step may reach into it from before, by as much as a step within it has.
static inline void drive_add(Drive* d, double from, double to, double rate)
{
    drive_add_event(d, from);
    if (rate > 0.0 && !time_is_reached(d->time, to)) {
        d->step = real_min(d->step, real_max(from - d->time, 0.0) + DRIVE_MOST_PHASE / rate);
    }
}

#endif
