// Loops on the caller's threads. A loop is cut into contiguous ranges. Results do not depend on the number of
// ranges: each range writes what is its own, and what all of them add up to is joined in their order.
#ifndef CORD_BASE_TASKS_H
#define CORD_BASE_TASKS_H

#include <cordage/cordage.h>

#define TASKS_RANGES 64 // at most

// Calls task(context, i) once for each i in [0, count), on the caller's threads if it has any.
void tasks_run(const CordTasks* tasks, void (*task)(void* context, int index), void* context, int count);

// Returns the number of ranges for a loop over `count` entries, with at least `least` in each; 1 if the
// caller has no threads.
int tasks_ranges(const CordTasks* tasks, int count, int least);
// Calls task(context, i, first, last) for each of so many ranges [first, last) of [0, count).
typedef void (*RangeTask)(void* context, int range, int first, int last);
void tasks_run_ranges(const CordTasks* tasks, int ranges, int count, RangeTask task, void* context);
// First index of a range; that after the last of them is `count`.
int tasks_range_start(int ranges, int count, int range);

#endif
