// Steps of rods as tasks for the caller's scheduler.
#ifndef CORD_WORLD_TASKS_H
#define CORD_WORLD_TASKS_H

#include "world/world.h"

typedef struct RodsTask {
    CordWorld* world;
    int first, last; // rods [first, last)
    double h;
    int steps;
    int done; // steps of the task's last rod
    Arena scratch;
    Stopwatch watch;
    CordResult result;
    const Rod* rod; // that it failed at, or the first of several side by side
    Message message;
} RodsTask;

#endif
