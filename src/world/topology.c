// Topology check: no step may change the knots of rods or the links between them.
#include "rod/linking_number.h"
#include "world/contact_parts.h"

#include <string.h>

#define NOT_WATCHED INT64_MIN

static bool is_tied(const Rod* rod)
{
    if (rod->line.ends) {
        return false; // a network has no knot type
    }
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
    CordWorld* w = (CordWorld*)world; // scratch memory only
    const Rod* rod = world_rod(w, id);
    CordVec3* x = rod && !rod->line.ends ? positions(w, rod) : NULL;
    if (!x) {
        return -1;
    }
    int64_t knot = cord_polygon_knot(x, rod->line.node_count, rod->line.closed);
    memory_array_free(&w->memory, x, rod->line.node_count);
    return knot;
}

int64_t cord_rod_linking_number(const CordWorld* world, CordRodId id, CordRodId other)
{
    CordWorld* w = (CordWorld*)world; // scratch memory only
    const Rod *a = world_rod(w, id), *b = world_rod(w, other);
    if (!a || !b || a == b || a->line.ends || b->line.ends) {
        return CORD_NO_LINK;
    }
    CordVec3 *x = positions(w, a), *y = positions(w, b);
    int64_t link = !x || !y ? CORD_NO_LINK
                            : linking_number(&w->memory, (LinkPolygon){x, a->line.node_count, a->line.closed},
                                             (LinkPolygon){y, b->line.node_count, b->line.closed});
    memory_array_free(&w->memory, x, a->line.node_count);
    memory_array_free(&w->memory, y, b->line.node_count);
    return link;
}

static const Rod* rod_at(const CordWorld* w, int i)
{
    return slots_at(&w->rods, i);
}

static int64_t knot_at(CordWorld* w, int i)
{
    return is_tied(rod_at(w, i)) ? cord_rod_knot(w, rod_at(w, i)->id) : NOT_WATCHED;
}

static int nodes_in_all(const CordWorld* w)
{
    int nodes = 0;
    for (int i = 0; i < w->rods.live_count; i++) {
        nodes += rod_at(w, i)->line.node_count;
    }
    return nodes;
}

void topology_free(CordWorld* w)
{
    memory_array_free(&w->memory, w->topology_knots, w->topology_rods);
    memory_array_free(&w->memory, w->topology_x, 2 * w->topology_nodes);
    w->topology_knots = NULL;
    w->topology_x = NULL;
    w->topology_rods = w->topology_nodes = 0;
}

static void copy_nodes(const CordWorld* w, CordVec3* x)
{
    for (int i = 0, at = 0; i < w->rods.live_count; i++) {
        const CordCenterline* line = &rod_at(w, i)->line;
        for (int n = 0; n < line->node_count; n++) {
            x[at++] = node_position(line, n);
        }
    }
}

CordResult topology_begin(CordWorld* w)
{
    if (!w->contact.on || !w->contact.watch_topology) {
        return CORD_OK;
    }
    int rods = w->rods.live_count, nodes = nodes_in_all(w);
    bool same = w->topology_rods == rods && w->topology_nodes == nodes && !(w->marks & MARK_KNOTS);
    if (!same) {
        topology_free(w);
        w->topology_rods = rods, w->topology_nodes = nodes;
        w->topology_knots = memory_array(&w->memory, int64_t, rods);
        w->topology_x = memory_array(&w->memory, CordVec3, 2 * nodes);
        if (!w->topology_knots || !w->topology_x) {
            topology_free(w);
            return contact_no_memory(w);
        }
    }
    for (int i = 0; i < rods && !same; i++) {
        w->topology_knots[i] = knot_at(w, i);
    }
    w->marks &= ~(unsigned)MARK_KNOTS;
    copy_nodes(w, w->topology_x);
    return CORD_OK;
}

// The rod may cross the closure of an open knot. If the knot type changes, other closures decide.
static CordResult check_knot(CordWorld* w, int i, const CordVec3* x)
{
    const CordCenterline* line = &rod_at(w, i)->line;
    LinkPolygon then = {x, line->node_count, line->closed},
                after = {x + w->topology_nodes, line->node_count, line->closed};
    int64_t before = w->topology_knots[i], now = knot_at(w, i);
    if (before == NOT_WATCHED || now == NOT_WATCHED || before == now || // a clamp may have let go in the step
        !knot_determinant_changes(&w->memory, then, after)) {
        w->topology_knots[i] = before == NOT_WATCHED ? before : now;
        return CORD_OK;
    }
    return message_fail(&w->message, CORD_DIVERGED,
                        "at t = %.9g s rod '%s' passed through itself: the determinant of its knot was %lld "
                        "and would be %lld",
                        w->time, rod_at(w, i)->name, (long long)before, (long long)now);
}

static CordResult check_link(CordWorld* w, const Rod* a, const CordVec3* x, const Rod* b, const CordVec3* y)
{
    int n = a->line.node_count, m = b->line.node_count, now = w->topology_nodes;
    int64_t change = linking_number_change(
        &w->memory, (LinkPolygon){x, n, a->line.closed}, (LinkPolygon){x + now, n, a->line.closed},
        (LinkPolygon){y, m, b->line.closed}, (LinkPolygon){y + now, m, b->line.closed});
    return change == 0 ? CORD_OK
                       : message_fail(&w->message, CORD_DIVERGED,
                                      "at t = %.9g s rods '%s' and '%s' passed through each other: their "
                                      "linking number would change "
                                      "by %lld",
                                      w->time, b->name, a->name, (long long)change);
}

CordResult topology_check(CordWorld* w)
{
    if (!w->contact.on || !w->contact.watch_topology) {
        return CORD_OK;
    }
    copy_nodes(w, w->topology_x + w->topology_nodes);
    for (int i = 0, at = 0; i < w->topology_rods; at += rod_at(w, i++)->line.node_count) {
        CORD_TRY(check_knot(w, i, w->topology_x + at));
        for (int k = 0, other = 0; k < i && is_tied(rod_at(w, i)); other += rod_at(w, k++)->line.node_count) {
            if (is_tied(rod_at(w, k))) {
                CORD_TRY(
                    check_link(w, rod_at(w, i), w->topology_x + at, rod_at(w, k), w->topology_x + other));
            }
        }
    }
    return CORD_OK;
}

// Hashes knots and linking numbers. Remeshing must not change them.
uint64_t topology_signature(CordWorld* w)
{
    uint64_t sum = 1;
    if (!w->contact.on || !w->contact.watch_topology) {
        return sum;
    }
    for (int i = 0; i < w->rods.live_count; i++) {
        sum = sum * 1099511628211u + (uint64_t)knot_at(w, i);
        for (int k = 0; k < i && is_tied(rod_at(w, i)); k++) {
            bool tied = is_tied(rod_at(w, k));
            int64_t link = tied ? cord_rod_linking_number(w, rod_at(w, i)->id, rod_at(w, k)->id) : 0;
            sum = sum * 1099511628211u + (uint64_t)link;
        }
    }
    return sum;
}
