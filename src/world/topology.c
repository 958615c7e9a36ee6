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
    Topology* t = &w->topology;
    memory_array_free(&w->memory, t->knots, t->rods);
    memory_array_free(&w->memory, t->x, 2 * t->nodes);
    memory_array_free(&w->memory, t->tied, t->rods);
    memory_array_free(&w->memory, t->boxes, t->rods);
    bvh_free(&w->memory, &t->bvh);
    *t = (Topology){.link_tests = t->link_tests};
}

static bool topology_create(CordWorld* w, int rods, int nodes)
{
    Topology* t = &w->topology;
    topology_free(w);
    t->rods = rods, t->nodes = nodes;
    t->knots = memory_array(&w->memory, int64_t, rods);
    t->x = memory_array(&w->memory, CordVec3, 2 * nodes);
    t->tied = memory_array(&w->memory, TiedRod, rods);
    t->boxes = memory_array(&w->memory, Aabb, rods);
    bool created = t->knots && t->x && t->tied && t->boxes;
    if (!created) {
        topology_free(w);
    }
    return created;
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
    Topology* t = &w->topology;
    int rods = w->rods.live_count, nodes = nodes_in_all(w);
    bool same = t->rods == rods && t->nodes == nodes && !(w->marks & MARK_KNOTS);
    if (!same && !topology_create(w, rods, nodes)) {
        return contact_no_memory(w);
    }
    for (int i = 0; i < rods && !same; i++) {
        t->knots[i] = knot_at(w, i);
    }
    w->marks &= ~(unsigned)MARK_KNOTS;
    copy_nodes(w, t->x);
    return CORD_OK;
}

// ---- the test of a step

// The rod may cross the closure of an open knot. If the knot type changes, other closures decide.
static CordResult check_knot(CordWorld* w, int i, const CordVec3* x)
{
    const CordCenterline* line = &rod_at(w, i)->line;
    LinkPolygon then = {x, line->node_count, line->closed},
                after = {x + w->topology.nodes, line->node_count, line->closed};
    int64_t* known = &w->topology.knots[i];
    int64_t before = *known, now = knot_at(w, i);
    if (before == NOT_WATCHED || now == NOT_WATCHED || before == now || // a clamp may have let go in the step
        !knot_determinant_changes(&w->memory, then, after)) {
        *known = before == NOT_WATCHED ? before : now;
        return CORD_OK;
    }
    return message_fail(&w->message, CORD_DIVERGED,
                        "at t = %.9g s rod '%s' passed through itself: the determinant of its knot was %lld "
                        "and would be %lld",
                        w->time, rod_at(w, i)->name, (long long)before, (long long)now);
}

// Adds the rod to those that may be linked, with the box about its way.
static void add_tied(CordWorld* w, int i, int first)
{
    Topology* t = &w->topology;
    Aabb box = AABB_EMPTY;
    for (int n = first; n < first + rod_at(w, i)->line.node_count; n++) {
        aabb_add(&box, t->x[n]);
        aabb_add(&box, t->x[t->nodes + n]);
    }
    t->boxes[t->tied_count] = box;
    t->tied[t->tied_count++] = (TiedRod){i, first};
}

typedef struct LinkSearch {
    CordWorld* world;
    TiedRod rod, other; // whose link changes: the first such pair
    int64_t change;
} LinkSearch;

static bool test_link(void* context, int i, int j) // i < j
{
    LinkSearch* s = context;
    Topology* t = &s->world->topology;
    TiedRod a = t->tied[j], b = t->tied[i];
    const CordCenterline *p = &rod_at(s->world, a.rod)->line, *q = &rod_at(s->world, b.rod)->line;
    const CordVec3 *x = t->x + a.first, *y = t->x + b.first;
    int n = p->node_count, m = q->node_count;
    t->link_tests++;
    int64_t change = linking_number_change(
        &s->world->memory, (LinkPolygon){x, n, p->closed}, (LinkPolygon){x + t->nodes, n, p->closed},
        (LinkPolygon){y, m, q->closed}, (LinkPolygon){y + t->nodes, m, q->closed});
    bool earlier = s->change == 0 || a.rod < s->rod.rod || (a.rod == s->rod.rod && b.rod < s->other.rod);
    if (change != 0 && earlier) {
        *s = (LinkSearch){s->world, a, b, change};
    }
    return true;
}

// Rods that are linked have boxes that overlap.
static CordResult check_links(CordWorld* w)
{
    Topology* t = &w->topology;
    LinkSearch search = {.world = w};
    if (!bvh_fit(&w->memory, &t->bvh, t->boxes, t->tied_count)) {
        return contact_no_memory(w);
    }
    bvh_pairs(&t->bvh, t->boxes, test_link, &search);
    return search.change == 0
               ? CORD_OK
               : message_fail(&w->message, CORD_DIVERGED,
                              "at t = %.9g s rods '%s' and '%s' passed through each other: their linking "
                              "number would change by %lld",
                              w->time, rod_at(w, search.other.rod)->name, rod_at(w, search.rod.rod)->name,
                              (long long)search.change);
}

CordResult topology_check(CordWorld* w)
{
    if (!w->contact.on || !w->contact.watch_topology) {
        return CORD_OK;
    }
    Topology* t = &w->topology;
    copy_nodes(w, t->x + t->nodes);
    t->tied_count = 0;
    for (int i = 0, at = 0; i < t->rods; at += rod_at(w, i++)->line.node_count) {
        CORD_TRY(check_knot(w, i, t->x + at));
        if (is_tied(rod_at(w, i))) {
            add_tied(w, i, at);
        }
    }
    return check_links(w);
}

// Remeshing a rod must not change its knot or its links.
uint64_t topology_signature(CordWorld* w, const Rod* rod)
{
    uint64_t sum = 1;
    if (!w->contact.on || !w->contact.watch_topology || !is_tied(rod)) {
        return sum;
    }
    sum = sum * 1099511628211u + (uint64_t)cord_rod_knot(w, rod->id);
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* other = rod_at(w, i);
        int64_t link = other != rod && is_tied(other) ? cord_rod_linking_number(w, rod->id, other->id) : 0;
        sum = sum * 1099511628211u + (uint64_t)link;
    }
    return sum;
}
