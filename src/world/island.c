// Islands of a world: what is stepped as one system, and what is solved as one.
#include "world/island.h"

#include "base/assert.h"
#include "solve/joins.h"

// ---- islands of a step

static bool reserve(CordWorld* w)
{
    int count = w->rods.live_count;
    return memory_reserve(&w->memory, (void**)&w->island_rods, count, &w->island_rod_capacity,
                          sizeof(Rod*)) &&
           memory_reserve(&w->memory, (void**)&w->islands, count, &w->island_capacity, sizeof(Island));
}

// Orders the rods: those in no assembly first, and of these the ones that are awake. Returns how many these
// are.
static int order_rods(CordWorld* w)
{
    int count = 0, awake = 0;
    for (int part = 0; part < 3; part++) {
        for (int i = 0; i < w->rods.live_count; i++) {
            Rod* rod = slots_at(&w->rods, i);
            if ((rod->assembly != 0 ? 2 : rod->rest.asleep ? 1 : 0) == part) {
                w->island_rods[count++] = rod;
            }
        }
        awake = part == 0 ? count : awake;
        w->unwelded_count = part == 1 ? count : w->unwelded_count;
    }
    return awake;
}

// Counts the rods from `first` that can be stepped side by side with it.
static int batch_size(const CordWorld* w, int first, int awake)
{
    Rod* const* rods = w->island_rods + first;
    const Stepper* stepper = stepper_of(rods[0]);
    int count = 1;
    while (count < stepper->batch && first + count < awake && stepper_of(rods[count]) == stepper &&
           stepper->alike(rods[0], rods[count])) {
        count++;
    }
    return count;
}

CordResult islands_prepare(CordWorld* w)
{
    if (w->branch) { // rods are lent to its solves; destroying it marks them
        return CORD_OK;
    }
    if (!reserve(w)) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to step rods together");
    }
    int awake = order_rods(w);
    w->island_count = 0;
    for (int i = 0, count; i < w->rods.live_count; i += count) {
        if (i >= awake && i < w->unwelded_count) { // asleep
            count = 1;
            continue;
        }
        count = batch_size(w, i, awake);
        w->islands[w->island_count++] =
            (Island){.rods = w->island_rods + i,
                     .rod_count = count,
                     .assembly = assembly_at(&w->assemblies, w->island_rods[i]->assembly)};
    }
    return CORD_OK;
}

void islands_free(CordWorld* w)
{
    memory_array_free(&w->memory, w->islands, w->island_capacity);
    memory_array_free(&w->memory, w->island_rods, w->island_rod_capacity);
}

Island assembly_island(Assembly* a)
{
    return (Island){.rods = a->rods, .rod_count = a->rod_count, .assembly = a, .joins = a->joins};
}

// ---- islands of a solve

int world_solve_island_count(const CordWorld* w)
{
    return w->assemblies.count + w->unwelded_count;
}

Island world_solve_island(const CordWorld* w, int index)
{
    int rod = index - w->assemblies.count;
    if (rod >= 0) {
        return (Island){.rods = w->island_rods + rod, .rod_count = 1};
    }
    Island island = assembly_island(&w->assemblies.all[index]);
    island.joins = NULL; // the solve makes its own
    return island;
}

CordResult island_open(CordWorld* w, Island* island)
{
    for (int i = 0; i < island->rod_count; i++) {
        Rod* rod = island->rods[i];
        CORD_TRY(model_of(rod)->open_frames(&w->memory, rod, &w->message));
    }
    if (!island->assembly) {
        return CORD_OK;
    }
    island->joins = memory_array(&w->memory, Joins, 1);
    return island->joins ? joins_create(&w->memory, island->joins, island->assembly, true, &w->message)
                         : message_fail(&w->message, CORD_NO_MEMORY, "no memory to solve for welded rods");
}

void island_commit_motion(const Island* island, double time)
{
    for (int i = 0; i < island->rod_count; i++) {
        clamps_commit_motion(island->rods[i], time);
    }
}

void island_close(CordWorld* w, Island* island)
{
    for (int i = 0; i < island->rod_count; i++) {
        Rod* rod = island->rods[i];
        model_of(rod)->close_frames(&w->memory, rod, w->time);
    }
    if (island->joins) {
        CORD_ASSERT(island->joins != island->assembly->joins);
        joins_destroy(&w->memory, island->joins);
        memory_array_free(&w->memory, island->joins, 1);
        island->joins = NULL;
    }
}
