// Measures the phases of a step. Without a clock it costs a test of a pointer.
#ifndef CORD_BASE_STOPWATCH_H
#define CORD_BASE_STOPWATCH_H

#include <cordage/cordage.h>

typedef struct Stopwatch {
    CordClock clock;
    double last; // start of the present phase [s]
    CordStepTimes times;
} Stopwatch;

static inline void stopwatch_start(Stopwatch* s)
{
    if (s->clock.now) {
        s->last = s->clock.now(s->clock.user);
    }
}

static inline void stopwatch_lap(Stopwatch* s,
                                 double* phase) // adds the time since the last lap to this phase
{
    if (s->clock.now) {
        double now = s->clock.now(s->clock.user);
        *phase += now - s->last;
        s->last = now;
    }
}

static inline void stopwatch_add(Stopwatch* to, const Stopwatch* from)
{
    to->times.forces += from->times.forces;
    to->times.lengths += from->times.lengths;
    to->times.frames += from->times.frames;
    to->times.bodies += from->times.bodies;
    to->times.implicit += from->times.implicit;
    to->times.contact += from->times.contact;
    to->times.adapt += from->times.adapt;
}

#endif
