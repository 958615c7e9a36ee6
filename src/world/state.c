// The state of a world as bytes: all that the next step depends on.
#include "rod/grid.h"
#include "world/world.h"

#include <string.h>

#define STATE_VERSION 1

// Reads the nodes of an adaptive rod if they are those it has now. This takes no memory, so that a step that
// found none can still be rolled back.
static bool read_same_nodes(const RodGrid* g, int count, Bytes* b)
{
    Bytes ahead = *b;
    for (int i = 0; i < count; i++) {
        int tick = 0;
        bytes_int(&ahead, &tick);
        if (ahead.failed || tick != g->tick[i]) {
            return false;
        }
    }
    *b = ahead;
    return true;
}

static CordResult read_other_nodes(CordWorld* w, Rod* rod, int count, Bytes* b)
{
    int* tick = memory_array(&w->memory, int, count);
    if (!tick) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for the nodes of rod '%s'", rod->name);
    }
    for (int i = 0; i < count; i++) {
        bytes_int(b, &tick[i]);
    }
    b->failed |= !grid_admits(rod->grid, &rod->line, tick, count);
    CordResult result = b->failed ? CORD_OK : rod_remesh_to_ticks(w, rod, tick, count);
    memory_array_free(&w->memory, tick, count);
    return result;
}

// The nodes of an adaptive rod come first, since it may have other nodes now.
static CordResult visit_nodes(CordWorld* w, Rod* rod, Bytes* b)
{
    RodGrid* g = rod->grid;
    int count = rod->line.node_count;
    bytes_int(b, &count);
    b->failed |= count < g->report.coarsest || count > g->report.finest;
    if (b->failed) {
        return CORD_OK;
    }
    for (int i = 0; i < count && b->mode != BYTES_READ; i++) {
        bytes_int(b, &g->tick[i]);
    }
    bool reads_others =
        b->mode == BYTES_READ && !(count == rod->line.node_count && read_same_nodes(g, count, b));
    CORD_TRY(reads_others ? read_other_nodes(w, rod, count, b) : CORD_OK);
    if (!b->failed) {
        grid_state(g, &rod->line, b);
    }
    return CORD_OK;
}

// Clamps come first: which of them hold decides what follows.
CordResult world_rod_state(CordWorld* w, Rod* rod, Bytes* b)
{
    if (rod->grid) {
        CORD_TRY(visit_nodes(w, rod, b));
    }
    if (b->failed) {
        return CORD_OK;
    }
    bytes_expect(b, rod->clamp_count);
    for (int i = 0; i < rod->clamp_count; i++) {
        clamp_state(rod->clamps[i], w->time, b);
    }
    rod_state(rod, b);
    if (b->mode == BYTES_READ && !b->failed) {
        world_mark(w, rod, MARK_HELD);
        CORD_TRY(rod_prepare(w, rod));
    }
    model_of(rod)->state(rod, b);
    if (b->mode != BYTES_HASH) { // the frames determine it
        bytes_bool(b, &rod->unsettled);
    }
    return CORD_OK;
}

static CordResult visit_world(CordWorld* w, Bytes* b)
{
    bytes_expect(b, STATE_VERSION);
    bytes_double(b, &w->time);
    bytes_i64(b, &w->steps);
    bytes_i64(b, &w->retries);
    bytes_double(b, &w->last_step);
    if (b->mode != BYTES_HASH) { // whoever chooses the steps keeps it, not the rods
        bytes_i64(b, &w->advice_memory.due);
        bytes_i64(b, &w->advice_memory.since);
        bytes_double(b, &w->advice_memory.least);
    }
    CordVec3 gravity = w->gravity;
    bytes_doubles(b, &gravity.x, 3);
    bytes_expect(b, w->rods.live_count);
    if (b->mode == BYTES_READ && !b->failed && memcmp(&gravity, &w->gravity, sizeof gravity) != 0) {
        world_set_gravity(w, gravity);
    }
    for (int i = 0; i < w->loads.live_count; i++) {
        bytes_doubles(b, &load_value(slots_at(&w->loads, i))->x, 3);
    }
    obstacles_state(w, b);
    contact_state(w, b);
    bodies_state(w, b); // before the rods, whose welded frames follow them
    for (int i = 0; i < w->rods.live_count && !b->failed; i++) {
        CORD_TRY(world_rod_state(w, slots_at(&w->rods, i), b));
    }
    sleep_state(w, b);
    return b->mode == BYTES_READ && (w->marks & MARK_NODES) ? contact_refill(w) : CORD_OK;
}

// Only reading writes to the world.
static CordWorld* as_visited(const CordWorld* w)
{
    return (CordWorld*)w;
}

size_t world_state_count(const CordWorld* w)
{
    Bytes b = bytes_start(BYTES_COUNT, NULL, 0);
    visit_world(as_visited(w), &b);
    return b.used;
}

size_t cord_world_state_size(const CordWorld* w)
{
    return world_prepare(w) == CORD_OK ? world_state_count(w) : 0;
}

CordResult world_state_write(const CordWorld* w, void* bytes, size_t size)
{
    Bytes b = bytes_start(BYTES_WRITE, bytes, size);
    CORD_TRY(visit_world(as_visited(w), &b));
    return b.failed ? CORD_BAD_STATE : CORD_OK;
}

CordResult cord_world_state_get(const CordWorld* w, void* bytes, size_t size)
{
    CORD_TRY(world_prepare(w));
    if (size != cord_world_state_size(w)) {
        return message_fail(world_message(w), CORD_BAD_ARGUMENT,
                            "the state takes %zu bytes and %zu were offered", cord_world_state_size(w), size);
    }
    CORD_TRY(world_state_write(w, bytes, size));
    ledger_mark(as_visited(w));
    return CORD_OK;
}

// Reads a state. The rods that it has asleep stay so, in spite of all that it changes.
static CordResult read_world(CordWorld* w, Bytes* b, unsigned marks)
{
    bool restoring = w->restoring;
    w->restoring = true;
    CordResult result = visit_world(w, b);
    world_mark(w, NULL, marks);
    w->restoring = restoring;
    return result;
}

void world_restore(CordWorld* w, const void* bytes, size_t size)
{
    Bytes b = bytes_start(BYTES_READ, (void*)bytes, size);
    read_world(w, &b, MARK_STATE);
}

// Reads into the world itself. If the bytes do not fit, the former state is restored.
CordResult cord_world_state_set(CordWorld* w, const void* bytes, size_t size)
{
    CORD_TRY(check_no_branch(w, "no state is set"));
    CORD_TRY(world_prepare(w));
    size_t own = cord_world_state_size(w);
    void* before = memory_alloc(&w->memory, own);
    if (!before) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to set a state");
    }
    CordResult result = world_state_write(w, before, own);
    if (result == CORD_OK) {
        Bytes b = bytes_start(BYTES_READ, (void*)bytes, size);
        result = read_world(w, &b, MARK_KNOTS);
        if (result != CORD_OK || b.failed || b.used != size) {
            world_restore(w, before, own);
            result = result == CORD_NO_MEMORY
                         ? message_fail(&w->message, result, "no memory to set a state")
                         : message_fail(&w->message, CORD_BAD_STATE,
                                        "the state of %zu bytes does not fit this world, which was built "
                                        "differently, or is damaged",
                                        size);
        }
    }
    memory_free(&w->memory, before, own);
    ledger_go_back(w);
    return result;
}

uint64_t cord_world_state_hash(const CordWorld* w)
{
    Bytes b = bytes_start(BYTES_HASH, NULL, 0);
    if (world_prepare(w) != CORD_OK) {
        return 0;
    }
    visit_world(as_visited(w), &b);
    return b.hash;
}
