// Islands of a world: what is stepped as one system, and what is solved as one.
#include "world/island.h"

#include "solve/joins.h"

// ---- islands of a step

static bool reserve(CordWorld* w)
{
    int most = w->assemblies.count + w->rods.live_count;
    return memory_reserve(&w->memory, (void**)&w->free_rods, w->rods.live_count, &w->free_capacity,
                          sizeof(Rod*)) &&
           memory_reserve(&w->memory, (void**)&w->islands, most, &w->island_capacity, sizeof(Island));
}

static void find_free_rods(CordWorld* w)
{
    w->free_count = 0;
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (!rod->assembly) {
            w->free_rods[w->free_count++] = rod;
        }
    }
}

// Counts the rods from `first` that can be stepped side by side with it.
static int batch_size(const CordWorld* w, int first)
{
    Rod* const* rods = w->free_rods + first;
    const Stepper* stepper = stepper_of(rods[0]);
    int count = 1;
    while (count < stepper->batch && first + count < w->free_count && stepper_of(rods[count]) == stepper &&
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
    find_free_rods(w);
    w->island_count = 0;
    for (int i = 0; i < w->assemblies.count; i++) {
        Assembly* a = &w->assemblies.all[i];
        w->islands[w->island_count++] =
            (Island){.rods = a->rods, .rod_count = a->rod_count, .assembly = a, .joins = a->joins};
    }
    for (int i = 0, count; i < w->free_count; i += count) {
        count = batch_size(w, i);
        w->islands[w->island_count++] = (Island){.rods = w->free_rods + i, .rod_count = count};
    }
    return CORD_OK;
}

void islands_free(CordWorld* w)
{
    memory_array_free(&w->memory, w->islands, w->island_capacity);
    memory_array_free(&w->memory, w->free_rods, w->free_capacity);
}

// ---- islands of a solve

int world_solve_island_count(const CordWorld* w)
{
    return w->assemblies.count + w->free_count;
}

Island world_solve_island(const CordWorld* w, int index)
{
    int rod = index - w->assemblies.count;
    if (rod >= 0) {
        return (Island){.rods = w->free_rods + rod, .rod_count = 1};
    }
    Assembly* a = &w->assemblies.all[index];
    return (Island){.rods = a->rods, .rod_count = a->rod_count, .assembly = a};
}

CordResult island_open(CordWorld* w, Island* g)
{
    for (int i = 0; i < g->rod_count; i++) {
        Rod* rod = g->rods[i];
        CORD_TRY(model_of(rod)->open_frames(&w->memory, rod, &w->message));
    }
    if (!g->assembly) {
        return CORD_OK;
    }
    g->joins = memory_array(&w->memory, Joins, 1);
    return g->joins ? joins_create(&w->memory, g->joins, g->assembly, true, &w->message)
                    : message_fail(&w->message, CORD_NO_MEMORY, "no memory to solve for welded rods");
}

void island_commit_motion(const Island* g, double time)
{
    for (int i = 0; i < g->rod_count; i++) {
        clamps_commit_motion(g->rods[i], time);
    }
}

void island_close(CordWorld* w, Island* g)
{
    for (int i = 0; i < g->rod_count; i++) {
        Rod* rod = g->rods[i];
        model_of(rod)->close_frames(&w->memory, rod, w->time);
    }
    if (g->joins) {
        joins_destroy(&w->memory, g->joins);
        memory_array_free(&w->memory, g->joins, 1);
        g->joins = NULL;
    }
}
