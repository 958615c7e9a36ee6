// Adaptive rods. At the end of a step, elements that bend or are touched are halved, and elements that no
// longer need it are merged.
#include "adapt/balance.h"
#include "adapt/criteria.h"
#include "base/message.h"
#include "world/adapt_parts.h"

#include <string.h>

// ---- changes

// The centre of mass of forty elements moves by at most 1e-3 of one element; arcs of 0.6 rad use a quarter of
// that.
#define MOST_DISPLACEMENT 0.04

static bool may_move(const Rod* rod, int node)
{
    const CordCenterline* c = &rod->line;
    bool inner = c->closed || (node > 0 && node < c->node_count - 1);
    return inner && c->w[slot_of(c, node)] > 0.0 && !clamp_of_node(rod, node);
}

static int contacts_at(const int* contacts, const CordCenterline* c, int node)
{
    return contacts ? contacts[edge_before(c, node)] + contacts[edge_after(c, node)] : 0;
}

// Of the neighbours that may move, chooses the one with fewer contacts. `contacts` counts by edge of the
// present rod; NULL: not counted.
static int choose_neighbour(const Rod* rod, int node, const int* contacts)
{
    const CordCenterline* c = &rod->line;
    int before = (node + c->node_count - 1) % c->node_count, after = (node + 1) % c->node_count;
    bool left = may_move(rod, before), right = may_move(rod, after);
    if (left && right) {
        return contacts_at(contacts, c, before) < contacts_at(contacts, c, after) ? before : after;
    }
    return right ? after : left ? before : -1;
}

static CordResult reserve_maps(CordWorld* w, const Rod* rod)
{
    WorldAdapt* a = w->adapt;
    int n = rod->line.node_count;
    return remesh_reserve(&w->memory, &a->map, 2 * n + 1, n) &&
                   remesh_reserve(&w->memory, &a->piece, 16, 1) && adapt_reserve_nodes(w, 2 * n + 1)
               ? CORD_OK
               : adapt_no_memory(w);
}

static void move_node(Rod* rod, int node, CordVec3 x)
{
    slot_set(rod->line.x, slot_of(&rod->line, node), x);
    centerline_wrap(&rod->line, rod->line.x);
}

// Without memory for the search, the new node stays in the middle.
static void place_new_node(CordWorld* w, Rod* rod, int node, const int* contacts)
{
    WorldAdapt* a = w->adapt;
    CordVec3 skin = skin_between(rod, (node + rod->line.node_count - 1) % rod->line.node_count,
                                 (node + 1) % rod->line.node_count, w->time);
    int neighbour = choose_neighbour(rod, node, contacts);
    PatchChange change = {
        .rod = rod,
        .node = node,
        .neighbour = neighbour,
        .time = w->time,
        .iterations = rod->grid->def.iterations,
        .aside = MOST_DISPLACEMENT,
        .force = {a->next[node], neighbour >= 0 ? a->next[neighbour] : (CordVec3){0, 0, 0}}};
    PatchEnd end = {.x = {node_position(&rod->line, node)}};
    bool least = rod->grid->def.placement == CORD_PLACEMENT_MINIMUM && !a->blind &&
                 !(rod->inextensible && neighbour < 0);
    if (least) {
        Message unused;
        PatchEnd found = patch_find(&w->memory, &a->piece, &change, &a->contact, &unused);
        bool moved = found.result == CORD_OK && found.share > 0.0;
        end = moved ? found : end;
        if (moved && neighbour >= 0) {
            skin_keep(rod, neighbour, skin_at(rod, neighbour, w->time), found.x[1], w->time);
            move_node(rod, neighbour, found.x[1]);
        }
        end.iterations = found.iterations;
        rod->grid->report.kept_off += !moved;
    }
    skin_keep(rod, node, skin, end.x[0], w->time);
    move_node(rod, node, end.x[0]);
    rod->grid->report.refined++;
    rod->grid->report.iterations += end.iterations;
}

static void commit_change(CordWorld* w, Rod* rod)
{
    stepper_jump_frames(rod, w->time);
    adapt_forget_near(w);
    rod->grid->changes = true;
    world_mark(w, NULL, MARK_STATE);
}

// Each half gets the contact count of its element.
static const int* count_on_halves(WorldAdapt* a, const int* contacts)
{
    for (int j = 0; contacts && j < a->map.edge_count; j++) {
        a->counted[j] = contacts[a->map.edge[j]];
    }
    return contacts ? a->counted : NULL;
}

// Halves all chosen elements at once, then places the new nodes one after the other.
static CordResult refine(CordWorld* w, Rod* rod, const int* contacts)
{
    WorldAdapt* a = w->adapt;
    balance_forces(rod, adapt_contact_forces(w, rod), a->force);
    remesh_fill(&a->map, rod, a->halve, a->drop);
    balance_add_loads(rod, w->time, -1.0, a->force);
    balance_share(&a->map, rod, a->force, a->next);
    int flickers = 0;
    for (int j = 0; j < rod->line.edge_count; j++) {
        flickers += a->halve[j] && w->time - rod->grid->merged[j] < rod->grid->def.merge_time;
    }
    CORD_TRY(adapt_swap_rod(w, rod, &a->map));
    balance_add_loads(rod, w->time, 1.0, a->next);
    rod->grid->report.flickers += flickers;
    const int* counted = count_on_halves(a, contacts);
    contact_remap(w, rod, &a->map);
    a->blind = adapt_open_contact(w, rod) != CORD_OK;
    for (int i = 0; i < rod->line.node_count; i++) {
        if (a->map.node[i] < 0) {
            place_new_node(w, rod, i, counted);
        }
    }
    commit_change(w, rod);
    return CORD_OK;
}

typedef struct Removal { // outcome of removing nodes
    int count, kept_off, iterations;
} Removal;

// Finds the new position of the neighbour of a node to remove. If there is none, the node stays.
static CordResult try_removal(CordWorld* w, Rod* rod, int node, const int* contacts, Removal* removal)
{
    WorldAdapt* a = w->adapt;
    int neighbour = choose_neighbour(rod, node, contacts);
    CordVec3 force = {0, 0, 0};
    if (neighbour >= 0) {
        force = vec3_madd(a->force[neighbour], a->force[node], 0.5);
    }
    PatchChange change = {.rod = rod,
                          .node = node,
                          .goes = true,
                          .neighbour = neighbour,
                          .time = w->time,
                          .iterations = rod->grid->def.iterations,
                          .aside = MOST_DISPLACEMENT,
                          .force = {{0, 0, 0}, force}};
    Message unused;
    PatchEnd end = patch_find(&w->memory, &a->piece, &change, &a->contact, &unused);
    CORD_TRY(end.result == CORD_NO_MEMORY ? adapt_no_memory(w) : CORD_OK);
    bool straight = neighbour >= 0 || !rod->inextensible;
    if (end.result != CORD_OK || !straight) {
        a->drop[node] = false;
        removal->kept_off++;
        if (contacts) { // waits merge_time before the next try
            rod->grid->since[node - 1] = rod->grid->since[node] = w->time;
        }
        return CORD_OK;
    }
    if (neighbour >= 0) {
        a->moves[neighbour] = true;
        a->goal[neighbour] = end.x[1];
    }
    removal->count++;
    removal->iterations += end.iterations;
    return CORD_OK;
}

// Runs after the nodes are removed.
static void move_neighbours(CordWorld* w, Rod* rod)
{
    WorldAdapt* a = w->adapt;
    for (int i = 0; i < rod->line.node_count; i++) {
        int was = a->map.node[i];
        if (a->moves[was]) {
            skin_keep(rod, i, skin_at(rod, i, w->time), a->goal[was], w->time);
            move_node(rod, i, a->goal[was]);
        }
    }
}

static CordResult merge(CordWorld* w, Rod* rod, const int* contacts)
{
    WorldAdapt* a = w->adapt;
    CORD_TRY(adapt_open_contact(w, rod));
    balance_forces(rod, adapt_contact_forces(w, rod), a->force);
    Removal removal = {0};
    memset(a->moves, 0, sizeof *a->moves * (size_t)rod->line.node_count);
    for (int i = 0; i < rod->line.node_count; i++) {
        if (a->drop[i]) {
            CORD_TRY(try_removal(w, rod, i, contacts, &removal));
        }
    }
    if (removal.count > 0) {
        remesh_fill(&a->map, rod, a->halve, a->drop);
        CORD_TRY(adapt_swap_rod(w, rod, &a->map));
    }
    CordAdaptReport* report = &rod->grid->report;
    report->kept_off += removal.kept_off, report->merged += removal.count,
        report->iterations += removal.iterations;
    if (removal.count == 0) {
        return CORD_OK;
    }
    move_neighbours(w, rod);
    contact_remap(w, rod, &a->map);
    commit_change(w, rod);
    return CORD_OK;
}

typedef CordResult (*Change)(CordWorld* w, Rod* rod, const int* contacts); // refine or merge

static CordResult change_nodes(CordWorld* w, Rod* rod, const int* contacts, Change change)
{
    LedgerTotals before = ledger_totals(w);
    CordResult result = change(w, rod, contacts);
    ledger_add_remeshing(w, &before);
    return result;
}

// ---- after a step

static CordResult mark_touched(CordWorld* w)
{
    WorldAdapt* a = w->adapt;
    int edges = 0, rods = w->rods.live_count;
    for (int i = 0; i < rods; i++) {
        edges += ((const Rod*)slots_at(&w->rods, i))->line.edge_count;
    }
    CORD_TRY(adapt_reserve_edges(w, rods, edges) ? CORD_OK : adapt_no_memory(w));
    for (int i = 0, first = 0; i < rods; i++) {
        a->first_edge[i] = first;
        first += ((const Rod*)slots_at(&w->rods, i))->line.edge_count;
    }
    memset(a->touched, 0, sizeof *a->touched * (size_t)edges);
    memset(a->contacts, 0, sizeof *a->contacts * (size_t)edges);
    contact_mark(w, a->first_edge, a->touched, a->contacts);
    return CORD_OK;
}

static CordResult adapt_rod(CordWorld* w, Rod* rod, int index)
{
    WorldAdapt* a = w->adapt;
    RodGrid* g = rod->grid;
    CORD_TRY(reserve_maps(w, rod));
    int first = a->first_edge[index];
    for (int j = 0; j < rod->line.edge_count; j++) {
        g->since[j] = a->touched[first + j] ? w->time : g->since[j];
    }
    adapt_find_pinned(rod, a->pinned);
    Criteria in = {.time = w->time, .touched = a->touched + first, .bend = a->bend, .pinned = a->pinned};
    if (criteria_choose(rod, &in, a->halve, a->drop) == 0) {
        return CORD_OK;
    }
    bool halves = memchr(a->halve, true, sizeof *a->halve * (size_t)rod->line.node_count) != NULL;
    int64_t changes = g->report.refined + g->report.merged;
    uint64_t tied = topology_signature(w, rod);
    ledger_add_released(w);
    CordResult result = change_nodes(w, rod, a->contacts + first, halves ? refine : merge);
    g->report.steps += g->report.refined + g->report.merged > changes;
    if (result == CORD_OK && topology_signature(w, rod) != tied) {
        result = message_fail(&w->message, CORD_DIVERGED,
                              "at t = %.9g s rod '%s' passed through itself or another as its nodes changed",
                              w->time, rod->name);
    }
    return result;
}

bool world_is_adaptive(const CordWorld* w)
{
    bool any = false;
    for (int i = 0; i < w->rods.live_count && !any; i++) {
        any = ((const Rod*)slots_at(&w->rods, i))->grid != NULL;
    }
    return any;
}

static bool adapts_this_step(const CordWorld* w, const Rod* rod)
{
    return rod->grid && w->steps % stepper_of(rod)->adapt_every == 0;
}

// A step that was committed stays committed, also if there is no memory to adapt.
CordResult world_adapt(CordWorld* w)
{
    bool any = false;
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        any |= adapts_this_step(w, rod);
        if (rod->grid) {
            rod->grid->report.node_steps += rod->line.node_count;
        }
    }
    if (!any) {
        return CORD_OK;
    }
    stopwatch_start(&w->watch);
    CordResult result = adapt_open(w) ? mark_touched(w) : adapt_no_memory(w);
    if (result == CORD_OK) {
        adapt_forget_forces(w);
    }
    for (int i = 0; i < w->rods.live_count && result == CORD_OK; i++) {
        Rod* rod = slots_at(&w->rods, i);
        result = adapts_this_step(w, rod) ? adapt_rod(w, rod, i) : CORD_OK;
    }
    stopwatch_lap(&w->watch, &w->watch.times.adapt);
    if (result == CORD_NO_MEMORY) {
        log_write(&w->log, CORD_LOG_WARNING, "%s", w->message.text);
    }
    return result == CORD_NO_MEMORY ? CORD_OK : result;
}

// ---- queries and manual refinement

static Rod* adaptive_rod(CordWorld* w, CordRodId id, CordResult* result)
{
    Rod* rod = world_rod(w, id);
    *result = !rod ? bad_id(w, "rod") : CORD_OK;
    if (rod && !rod->grid) {
        *result =
            message_fail(&w->message, CORD_BAD_ARGUMENT,
                         "rod '%s' is not adaptive; set adapt.on in the def that it is made from", rod->name);
    }
    return *result == CORD_OK ? rod : NULL;
}

bool cord_rod_is_adaptive(const CordWorld* w, CordRodId id)
{
    const Rod* rod = world_rod(w, id);
    return rod && rod->grid;
}

CordAdaptReport cord_rod_adapt_report(const CordWorld* w, CordRodId id)
{
    const Rod* rod = world_rod(w, id);
    return rod && rod->grid ? rod->grid->report : (CordAdaptReport){0};
}

CordResult cord_rod_arcs(const CordWorld* w, CordRodId id, double* arc)
{
    const Rod* rod = world_rod(w, id);
    if (!rod) {
        return bad_id(w, "rod");
    }
    double sum = 0.0;
    for (int i = 0; i < rod->line.node_count; i++) {
        arc[i] = sum;
        sum += rod->line.rest_len[slot_of(&rod->line, i)]; // past the last edge it is 0
    }
    return CORD_OK;
}

CordResult cord_rod_levels(const CordWorld* w, CordRodId id, int* level)
{
    const Rod* rod = world_rod(w, id);
    if (!rod) {
        return bad_id(w, "rod");
    }
    for (int i = 0; i < rod->line.node_count; i++) {
        level[i] = rod->grid ? grid_level(rod->grid, rod->grid->tick[i]) : 0;
    }
    return CORD_OK;
}

// Allocates what a manual change needs, and clears the flags `halve` and `drop`.
static CordResult open_manual_change(CordWorld* w, Rod* rod)
{
    CORD_TRY(check_no_branch(w, "no rod changes its nodes"));
    CORD_TRY(world_prepare(w));
    CORD_TRY(adapt_open(w) ? CORD_OK : adapt_no_memory(w));
    CORD_TRY(reserve_maps(w, rod));
    WorldAdapt* a = w->adapt;
    memset(a->halve, 0, sizeof *a->halve * (size_t)rod->line.node_count);
    memset(a->drop, 0, sizeof *a->drop * (size_t)rod->line.node_count);
    adapt_forget_forces(w);
    adapt_find_pinned(rod, a->pinned);
    return CORD_OK;
}

static CordResult change_by_hand(CordWorld* w, Rod* rod, Change change)
{
    ledger_begin_step(w);
    CordResult result = change_nodes(w, rod, NULL, change);
    ledger_commit_step(w);
    return result;
}

CordResult cord_rod_refine(CordWorld* w, CordRodId id, int edge)
{
    CordResult result;
    Rod* rod = adaptive_rod(w, id, &result);
    CORD_TRY(result);
    CORD_TRY(open_manual_change(w, rod));
    if (edge < 0 || edge >= rod->line.edge_count || !grid_can_halve(rod->grid, &rod->line, edge) ||
        criteria_holds_edge(rod, edge)) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "edge %d of rod '%s' cannot be halved: there is none, it is as short as "
                            "adapt.shortest allows, or it is held",
                            edge, rod->name);
    }
    w->adapt->halve[edge] = true;
    return change_by_hand(w, rod, refine);
}

CordResult cord_rod_merge(CordWorld* w, CordRodId id, int node)
{
    CordResult result;
    Rod* rod = adaptive_rod(w, id, &result);
    CORD_TRY(result);
    CORD_TRY(open_manual_change(w, rod));
    if (node < 0 || node >= rod->line.node_count || w->adapt->pinned[node] ||
        !grid_can_merge(rod->grid, &rod->line, node) || criteria_holds_edge(rod, node - 1) ||
        criteria_holds_edge(rod, node)) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "node %d of rod '%s' cannot go: there is none, the elements beside it were not "
                            "one, or something holds, pulls at or "
                            "measures it",
                            node, rod->name);
    }
    w->adapt->drop[node] = true;
    int64_t merged = rod->grid->report.merged;
    CORD_TRY(change_by_hand(w, rod, merge));
    return rod->grid->report.merged > merged
               ? CORD_OK
               : message_fail(&w->message, CORD_BAD_ARGUMENT,
                              "node %d of rod '%s' cannot go: what is left would come too near something, or "
                              "not keep its length",
                              node, rod->name);
}
