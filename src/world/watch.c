// The topology watch: knots of rods and links between rings, which no step may change.
#include "world/contact_parts.h"

#include <string.h>

static bool is_watched(const Rod* rod) // closed, or held at both ends
{
    return rod->line.closed || (clamp_in_space(rod, 0) && clamp_in_space(rod, rod->line.node_count - 1));
}

static CordVec3* positions(CordWorld* w, const Rod* rod)
{
    CordVec3* x = memory_array(&w->memory, CordVec3, rod->line.node_count);
    for (int n = 0; x && n < rod->line.node_count; n++) {
        x[n] = node_position(&rod->line, n);
    }
    return x;
}

int64_t cord_rod_knot(const CordWorld* world, CordRodId id)
{
    CordWorld* w = (CordWorld*)world; // its memory is used, and given back
    const Rod* rod = world_rod(w, id);
    CordVec3* x = rod ? positions(w, rod) : NULL;
    if (!x) {
        return -1;
    }
    int64_t knot = cord_polygon_knot(x, rod->line.node_count, rod->line.closed);
    memory_array_free(&w->memory, x, rod->line.node_count);
    return knot;
}

static double link_of(CordWorld* w, const Rod* a, const Rod* b)
{
    CordVec3 *x = positions(w, a), *y = positions(w, b);
    double link = x && y ? cord_polygon_link(x, a->line.node_count, y, b->line.node_count) : NAN;
    memory_array_free(&w->memory, x, x ? a->line.node_count : 0);
    memory_array_free(&w->memory, y, y ? b->line.node_count : 0);
    return link;
}

static const Rod* rod_at(const CordWorld* w, int i)
{
    return slots_at(&w->rods, i);
}

static int number_count(int rods)
{
    return rods + rods * (rods - 1) / 2;
}

// Determinants of all rods, then links of all pairs; 0 for those that are not watched.
static void take_numbers(CordWorld* w, int64_t* numbers)
{
    int n = w->rods.live_count, at = n;
    for (int i = 0; i < n; i++) {
        numbers[i] = is_watched(rod_at(w, i)) ? cord_rod_knot(w, rod_at(w, i)->id) : 0;
        for (int k = 0; k < i; k++, at++) {
            bool rings = rod_at(w, i)->line.closed && rod_at(w, k)->line.closed;
            numbers[at] = rings ? (int64_t)nearbyint(link_of(w, rod_at(w, i), rod_at(w, k))) : 0;
        }
    }
}

void watch_free(CordWorld* w)
{
    memory_array_free(&w->memory, w->watch_before, w->watch_count);
    memory_array_free(&w->memory, w->watch_now, w->watch_count);
    w->watch_before = w->watch_now = NULL;
    w->watch_count = 0;
}

CordResult watch_begin(CordWorld* w)
{
    int count = number_count(w->rods.live_count);
    if (!w->contact.on || !w->contact.watch_topology || (w->watch_count == count && !w->watch_changed)) {
        return CORD_OK;
    }
    watch_free(w);
    w->watch_before = memory_array(&w->memory, int64_t, count);
    w->watch_now = memory_array(&w->memory, int64_t, count);
    if (!w->watch_before || !w->watch_now) {
        memory_array_free(&w->memory, w->watch_before, w->watch_before ? count : 0);
        memory_array_free(&w->memory, w->watch_now, w->watch_now ? count : 0);
        w->watch_before = w->watch_now = NULL;
        return contact_no_memory(w);
    }
    w->watch_count = count;
    w->watch_changed = false;
    take_numbers(w, w->watch_before);
    return CORD_OK;
}

// One that is no longer watched, since a clamp let go in the step, is not compared.
static bool has_changed(const CordWorld* w, int knot)
{
    return w->watch_now[knot] != 0 && w->watch_before[knot] != 0 && w->watch_now[knot] != w->watch_before[knot];
}

CordResult watch_check(CordWorld* w)
{
    if (!w->contact.on || !w->contact.watch_topology) {
        return CORD_OK;
    }
    int n = w->rods.live_count, at = n;
    take_numbers(w, w->watch_now);
    for (int i = 0; i < n; i++) {
        if (has_changed(w, i)) {
            return message_fail(
                &w->message, CORD_DIVERGED,
                "at t = %.9g s rod '%s' passed through itself: the determinant of its knot was %lld and would be %lld",
                w->time, rod_at(w, i)->name, (long long)w->watch_before[i], (long long)w->watch_now[i]);
        }
        for (int k = 0; k < i; k++, at++) {
            if (w->watch_now[at] != w->watch_before[at]) {
                return message_fail(&w->message, CORD_DIVERGED,
                                    "at t = %.9g s rods '%s' and '%s' passed through each other: their linking number was %lld and would "
                                    "be %lld",
                                    w->time, rod_at(w, k)->name, rod_at(w, i)->name,
                                    (long long)w->watch_before[at], (long long)w->watch_now[at]);
            }
        }
    }
    return CORD_OK;
}
