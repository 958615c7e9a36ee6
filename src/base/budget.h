// The budget of a step: how many iterations contact may take, and how many seconds the whole step. Iterations
// are the same everywhere, so a budget in iterations leaves the same bits; one in seconds does not.
#ifndef CORD_BASE_BUDGET_H
#define CORD_BASE_BUDGET_H

#include "base/real.h"

#include <cordage/contact.h>
#include <math.h>

#define BUDGET_FOR_ENDING 0.25 // share of a budget that is kept for the end of the step

typedef struct Budget {
    CordClock clock;
    double left;      // iterations; INFINITY: no limit
    double end;       // time of the clock at which it is spent [s]; INFINITY: no limit
    double keep;      // iterations for the end of the step
    double keep_time; // likewise [s]
} Budget;

static const Budget budget_none = {.left = INFINITY, .end = INFINITY};

static inline Budget budget_start(const CordBudget* limit, CordClock clock)
{
    bool counts = limit->iterations > 0, times = limit->seconds > 0.0 && clock.now;
    return (Budget){.clock = clock,
                    .left = counts ? (double)limit->iterations : INFINITY,
                    .end = times ? clock.now(clock.user) + limit->seconds : INFINITY,
                    .keep = counts ? BUDGET_FOR_ENDING * limit->iterations : 0.0,
                    .keep_time = times ? BUDGET_FOR_ENDING * limit->seconds : 0.0};
}

static inline double budget_time_left(const Budget* b) // [s]
{
    return b->end < INFINITY ? b->end - b->clock.now(b->clock.user) : INFINITY;
}

static inline bool budget_is_spent(const Budget* b)
{
    return b->left <= 0.0 || budget_time_left(b) <= 0.0;
}

// Only what is kept for the end of the step is left.
static inline bool budget_is_low(const Budget* b)
{
    return b->left <= b->keep || budget_time_left(b) <= b->keep_time;
}

static inline void budget_take(Budget* b, int iterations)
{
    b->left -= iterations;
}

// A part of what is left above what is kept, and at least one iteration.
static inline Budget budget_part(const Budget* b, double share)
{
    double time = b->end < INFINITY ? b->clock.now(b->clock.user) : 0.0;
    double spare = real_max(b->end - b->keep_time - time, 0.0);
    return (Budget){.clock = b->clock,
                    .left = real_max(floor(share * (b->left - b->keep)), 1.0),
                    .end = b->end < INFINITY ? time + share * spare : INFINITY};
}

#endif
