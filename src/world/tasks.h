// Steps of rods as tasks for the caller's scheduler.
#ifndef CORD_WORLD_TASKS_H
#define CORD_WORLD_TASKS_H

#include "world/world.h"

typedef struct RodsTask {
    CordWorld* world;
    int first, last; // rods [first, last)
    double h;
    int steps;
    int done; // steps that the task's last rod has done
    Arena scratch;
    Stopwatch watch;
    CordResult result;
    const Rod* rod; // the rod that failed, or the first of its batch
    Message message;
} RodsTask;

#endif
