// The topology watch: knots of rods and links between them, which no step may change.
#include "rod/link.h"
#include "world/contact_parts.h"

#include <string.h>

#define NOT_WATCHED CORD_NO_LINK

static bool is_tied(const Rod* rod)
{
    return rod->line.closed || (clamp_in_space(rod, 0) && clamp_in_space(rod, rod->line.node_count - 1));
}

bool cord_rod_is_tied(const CordWorld* world, CordRodId id)
{
    const Rod* rod = world_rod((CordWorld*)world, id);
    return rod && is_tied(rod);
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

int64_t cord_rod_linking_number(const CordWorld* world, CordRodId id, CordRodId other)
{
    CordWorld* w = (CordWorld*)world; // likewise
    const Rod *a = world_rod(w, id), *b = world_rod(w, other);
    if (!a || !b || a == b) {
        return CORD_NO_LINK;
    }
    CordVec3 *x = positions(w, a), *y = positions(w, b);
    int64_t link = !x || !y ? CORD_NO_LINK
                            : link_number(&w->memory, (LinkLine){x, a->line.node_count, a->line.closed},
                                          (LinkLine){y, b->line.node_count, b->line.closed});
    memory_array_free(&w->memory, x, a->line.node_count);
    memory_array_free(&w->memory, y, b->line.node_count);
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

// A rod that is held goes on from its ends to where they were at first. So what closes it stays where it is while ends move, and they may
// move as they like.
static CordVec3* watched_line(CordWorld* w, int i, LinkLine* line)
{
    const Rod* rod = rod_at(w, i);
    int n = rod->line.node_count, more = rod->line.closed ? 0 : 1;
    CordVec3* x = memory_array(&w->memory, CordVec3, n + 2 * more);
    for (int k = 0; x && k < n; k++) {
        x[k + more] = node_position(&rod->line, k);
    }
    if (x && more) {
        x[0] = w->watch_ends[2 * i];
        x[n + 1] = w->watch_ends[2 * i + 1];
    }
    *line = (LinkLine){x, n + 2 * more, rod->line.closed};
    return x;
}

static int64_t watched_link(CordWorld* w, int i, int k)
{
    LinkLine a, b;
    CordVec3 *x = watched_line(w, i, &a), *y = watched_line(w, k, &b);
    int64_t link = x && y ? link_number(&w->memory, a, b) : CORD_NO_LINK;
    memory_array_free(&w->memory, x, a.count);
    memory_array_free(&w->memory, y, b.count);
    return link;
}

// Determinants of all rods, then links of all pairs.
static void take_numbers(CordWorld* w, int64_t* numbers)
{
    int n = w->rods.live_count, at = n;
    for (int i = 0; i < n; i++) {
        bool tied = is_tied(rod_at(w, i));
        numbers[i] = tied ? cord_rod_knot(w, rod_at(w, i)->id) : NOT_WATCHED;
        for (int k = 0; k < i; k++, at++) {
            numbers[at] = tied && is_tied(rod_at(w, k)) ? watched_link(w, i, k) : NOT_WATCHED;
        }
    }
}

static void take_ends(CordWorld* w)
{
    for (int i = 0; i < w->watch_rods; i++) {
        const CordCenterline* line = &rod_at(w, i)->line;
        w->watch_ends[2 * i] = node_position(line, 0);
        w->watch_ends[2 * i + 1] = node_position(line, line->node_count - 1);
    }
}

void watch_free(CordWorld* w)
{
    memory_array_free(&w->memory, w->watch_before, w->watch_count);
    memory_array_free(&w->memory, w->watch_now, w->watch_count);
    memory_array_free(&w->memory, w->watch_ends, 2 * w->watch_rods);
    w->watch_before = w->watch_now = NULL;
    w->watch_ends = NULL;
    w->watch_count = w->watch_rods = 0;
}

CordResult watch_begin(CordWorld* w)
{
    int count = number_count(w->rods.live_count);
    if (!w->contact.on || !w->contact.watch_topology || (w->watch_count == count && !w->watch_changed)) {
        return CORD_OK;
    }
    watch_free(w);
    w->watch_count = count;
    w->watch_rods = w->rods.live_count;
    w->watch_before = memory_array(&w->memory, int64_t, count);
    w->watch_now = memory_array(&w->memory, int64_t, count);
    w->watch_ends = memory_array(&w->memory, CordVec3, 2 * w->watch_rods);
    if (!w->watch_before || !w->watch_now || !w->watch_ends) {
        watch_free(w);
        return contact_no_memory(w);
    }
    w->watch_changed = false;
    take_ends(w);
    take_numbers(w, w->watch_before);
    return CORD_OK;
}

// One that is no longer watched, since a clamp let go in the step, is not compared.
static bool has_changed(const CordWorld* w, int number)
{
    int64_t before = w->watch_before[number], now = w->watch_now[number];
    return before != NOT_WATCHED && now != NOT_WATCHED && before != now;
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
            if (has_changed(w, at)) {
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
