// Steps of islands as tasks for the caller's scheduler.
#ifndef CORD_WORLD_TASKS_H
#define CORD_WORLD_TASKS_H

#include "world/world.h"

typedef struct StepTask {
    CordWorld* world;
    int first, last; // islands [first, last)
    double h;
    int steps;
    int done; // steps that the task's last island has done
    Arena scratch;
    Stopwatch watch;
    CordResult result;
    const Rod* rod; // the first of the island that failed
    Message message;
} StepTask;

int step_task_count(const CordWorld* w);      // tasks that share the islands
size_t step_task_scratch(const CordWorld* w); // the most that one island needs [bytes]
size_t join_scratch(const CordWorld* w);      // the most that joining an assembly needs [bytes]

#endif
