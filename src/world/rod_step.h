// The step of a rod, or of several side by side.
#ifndef CORD_WORLD_ROD_STEP_H
#define CORD_WORLD_ROD_STEP_H

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

double rod_kick(const Rod* rod, double h); // time over which the forces of a step of h act [s]
double rod_speed2(const Rod* rod);         // sum of the squares of v_next
CordResult rod_check_speed(const Rod* rod, double speed2, double h, Message* message);

// A rod of the world, and those up to `last` that can be stepped side by side with it; how many that is.
int rods_take(const CordWorld* w, int first, int last, Rod* rods[MODEL_LANES]);
CordResult rods_predict(Rod* const* rods, int count, const StepInfo* step, Arena* scratch, Stopwatch* watch,
                        Message* message);
void rod_settle(Rod* rod, const StepInfo* step, Stopwatch* watch);

#endif
