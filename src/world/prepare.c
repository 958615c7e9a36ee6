// Data derived from the scene, and rebuilt when the scene changes. One function marks changes; one table says
// what each mark makes out of date.
#include "base/assert.h"
#include "world/island.h"
#include "world/tasks.h"

#include <string.h>

#define MOST_TASKS 64 // more would balance no better and need more scratch

void world_mark(CordWorld* w, Rod* rod, unsigned marks)
{
    bool wakes = !w->stepping && !w->restoring && sleep_wake_all(w);
    w->revision++;
    w->marks |= marks | (wakes ? MARK_LAW : 0); // islands are those of rods that are awake
    if (rod) {
        rod->marks |= marks & (MARK_HELD | MARK_MOVED);
    }
}

// ---- rods

CordResult rod_prepare(CordWorld* w, Rod* rod)
{
    if (rod->marks & MARK_HELD) {
        rod_update_held(rod);
        bool release = rod->stepped || w->starting;
        CORD_TRY(model_of(rod)->constrain(&w->memory, rod, w->time, release, &w->message));
        rod->marks &= ~(unsigned)MARK_HELD;
    }
    if (rod->marks & MARK_MOVED) {
        stepper_update_frames(rod, w->time, 0.0);
        rod->marks &= ~(unsigned)MARK_MOVED;
    }
    return CORD_OK;
}

static CordResult rods_prepare(CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        CORD_TRY(rod_prepare(w, slots_at(&w->rods, i)));
    }
    return CORD_OK;
}

// ---- scratch of a step

static size_t scratch_of(const Island* island)
{
    const Stepper* stepper = stepper_of(island->rods[0]);
    return stepper->scratch ? stepper->scratch(island) : 0;
}

size_t step_task_scratch(const CordWorld* w)
{
    size_t most = 0;
    for (int i = 0; i < w->island_count; i++) {
        size_t need = w->islands[i].assembly ? 0 : scratch_of(&w->islands[i]); // else it is joined later
        most = need > most ? need : most;
    }
    return most;
}

size_t join_scratch(const CordWorld* w)
{
    size_t most = 0;
    for (int i = 0; i < w->assemblies.count; i++) {
        Island island = assembly_island(&w->assemblies.all[i]);
        size_t need = scratch_of(&island);
        most = need > most ? need : most;
    }
    return most;
}

int step_task_count(const CordWorld* w)
{
    return w->island_count < MOST_TASKS ? w->island_count : MOST_TASKS;
}

static size_t step_scratch(const CordWorld* w)
{
    int tasks = step_task_count(w);
    return arena_space(sizeof(StepTask), tasks) + arena_space(step_task_scratch(w), 1) * (size_t)tasks +
           arena_space(join_scratch(w), 1) + arena_space(contact_scratch(w), 1);
}

CordResult world_reserve_snapshot(CordWorld* w, size_t size)
{
    if (size > w->snapshot_size) {
        void* larger = memory_alloc(&w->memory, size);
        if (!larger) {
            return message_fail(&w->message, CORD_NO_MEMORY, "no memory to keep the state before a step");
        }
        if (w->snapshot) { // a step in progress may have to be undone from it
            memcpy(larger, w->snapshot, w->snapshot_size);
        }
        memory_free(&w->memory, w->snapshot, w->snapshot_size);
        w->snapshot = larger;
        w->snapshot_size = size;
    }
    return CORD_OK;
}

CordResult world_take_snapshot(CordWorld* w)
{
    CORD_TRY(world_prepare(w));
    if (world_state_write(w, w->snapshot, w->snapshot_size) == CORD_OK) { // the last one had the same size
        return CORD_OK;
    }
    CORD_TRY(world_reserve_snapshot(w, world_state_count(w)));
    return world_state_write(w, w->snapshot, w->snapshot_size);
}

static bool may_retry(const CordWorld* w) // some rod may fail where a shorter step may succeed
{
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        const Stepper* stepper = stepper_of(rod);
        if ((stepper->may_retry && stepper->may_retry(rod)) || rod->assembly || rod_is_in_contact(w, rod) ||
            stepper_frames_may_fail(rod)) {
            return true;
        }
    }
    return false;
}

void world_trim_snapshot(CordWorld* w)
{
    if (!may_retry(w) && !w->contact.watch_topology) {
        memory_free(&w->memory, w->snapshot, w->snapshot_size);
        w->snapshot = NULL;
        w->snapshot_size = 0;
    }
}

static CordResult scratch_prepare(CordWorld* w)
{
    if (w->branch) { // rods are lent to its solves; destroying it marks them
        return CORD_OK;
    }
    if (!arena_reserve(&w->memory, &w->scratch, step_scratch(w))) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for the scratch of a step");
    }
    return may_retry(w) ? world_reserve_snapshot(w, world_state_count(w)) : CORD_OK;
}

// ---- the table

typedef struct Preparation {
    unsigned marks; // any of these marks makes it necessary
    CordResult (*make)(CordWorld* w);
} Preparation;

// Each row may set marks that later rows read. A row that fails runs again next time, with all later rows.
static const Preparation preparations[] = {
    {MARK_COLLIDERS | MARK_WELDS | MARK_LAW, contact_choose_steps},
    {MARK_HELD, rods_prepare},
    {MARK_WELDS, bodies_prepare},
    {MARK_HELD | MARK_NODES | MARK_COLLIDERS | MARK_WELDS | MARK_LAW, islands_prepare},
    {MARK_HELD | MARK_NODES | MARK_COLLIDERS | MARK_WELDS | MARK_LAW, contact_prepare},
    {MARK_HELD | MARK_NODES | MARK_COLLIDERS | MARK_WELDS | MARK_LAW, scratch_prepare},
};

static CordResult prepare_marked(CordWorld* w)
{
    for (size_t i = 0; i < sizeof preparations / sizeof *preparations; i++) {
        CORD_TRY((w->marks & preparations[i].marks) ? preparations[i].make(w) : CORD_OK);
    }
    w->marks &= MARK_KNOTS;
    return CORD_OK;
}

CordResult world_prepare(const CordWorld* world)
{
    // All of this derives from the scene: rebuilding it changes nothing visible.
    CordWorld* w = (CordWorld*)world;
    CORD_TRY(bodies_reserve_engines(w));
    if ((w->marks & ~(unsigned)MARK_KNOTS) != 0) {
        bool restoring = w->restoring;
        w->restoring = true;
        CordResult result = prepare_marked(w);
        w->restoring = restoring;
        CORD_TRY(result);
    }
    CORD_ASSERT(w->branch || w->scratch.size >= step_scratch(w)); // every change has set its mark
    return CORD_OK;
}
