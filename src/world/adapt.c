// Adaptive rods: at the end of each step, elements that bend or are touched are halved, and those that no longer do become one again.
#include "adapt/balance.h"
#include "adapt/criteria.h"
#include "adapt/patch.h"
#include "base/log.h"
#include "rod/grid.h"
#include "world/contact_parts.h"

#include <string.h>

struct WorldAdapt {
    Remesh map;   // from the nodes of a rod to others
    Remesh piece; // and to those of a piece of it
    PatchContact contact;
    int* first_edge; // of each rod (rod_capacity)
    int rod_capacity;
    uint8_t* touched; // halves of all edges of all rods (touched_capacity)
    int* contacts;    // and how often (contact_capacity)
    int touched_capacity, contact_capacity;
    bool *halve, *drop, *pinned;  // of the rod that is looked at (node_capacity)
    CordVec3 *force, *next_force; // on its nodes, before and after it has others [N] (node_capacity)
    int* tick;                    // (node_capacity)
    double* bend;                 // (node_capacity)
    int node_capacity;
};

static CordResult no_memory(CordWorld* w)
{
    return message_fail(&w->message, CORD_NO_MEMORY, "no memory to change the nodes of a rod");
}

// ---- memory

static void free_node_arrays(CordWorld* w)
{
    WorldAdapt* a = w->adapt;
    memory_array_free(&w->memory, a->halve, 3 * a->node_capacity);
    memory_array_free(&w->memory, a->force, 2 * a->node_capacity);
    memory_array_free(&w->memory, a->tick, a->node_capacity);
    memory_array_free(&w->memory, a->bend, a->node_capacity);
    a->node_capacity = 0;
}

static bool reserve_nodes(CordWorld* w, int count)
{
    WorldAdapt* a = w->adapt;
    if (count <= a->node_capacity) {
        return true;
    }
    bool* flags = memory_array(&w->memory, bool, 3 * count);
    CordVec3* force = memory_array(&w->memory, CordVec3, 2 * count);
    int* tick = memory_array(&w->memory, int, count);
    double* bend = memory_array(&w->memory, double, count);
    if (!flags || !force || !tick || !bend) {
        memory_array_free(&w->memory, flags, 3 * count);
        memory_array_free(&w->memory, force, 2 * count);
        memory_array_free(&w->memory, tick, count);
        memory_array_free(&w->memory, bend, count);
        return false;
    }
    free_node_arrays(w);
    a->halve = flags, a->drop = flags + count, a->pinned = flags + 2 * count;
    a->force = force, a->next_force = force + count;
    a->tick = tick;
    a->bend = bend;
    a->node_capacity = count;
    return true;
}

static bool reserve_edges(CordWorld* w, int rods, int edges)
{
    WorldAdapt* a = w->adapt;
    return memory_reserve(&w->memory, (void**)&a->first_edge, rods, &a->rod_capacity, sizeof(int)) &&
           memory_reserve(&w->memory, (void**)&a->touched, edges, &a->touched_capacity, sizeof(uint8_t)) &&
           memory_reserve(&w->memory, (void**)&a->contacts, edges, &a->contact_capacity, sizeof(int));
}

static bool open_adapt(CordWorld* w)
{
    if (!w->adapt) {
        w->adapt = memory_array(&w->memory, WorldAdapt, 1);
    }
    return w->adapt != NULL;
}

void adapt_free(CordWorld* w)
{
    WorldAdapt* a = w->adapt;
    if (!a) {
        return;
    }
    remesh_free(&w->memory, &a->map);
    remesh_free(&w->memory, &a->piece);
    patch_contact_free(&w->memory, &a->contact);
    memory_array_free(&w->memory, a->first_edge, a->rod_capacity);
    memory_array_free(&w->memory, a->touched, a->touched_capacity);
    memory_array_free(&w->memory, a->contacts, a->contact_capacity);
    free_node_arrays(w);
    memory_array_free(&w->memory, a, 1);
    w->adapt = NULL;
}

// ---- other nodes

// What is kept by node or edge of the grid: halves have just been made, and so has what has become one.
static void move_grid(RodGrid* g, const Remesh* map, double time)
{
    int n = map->node_count;
    bool grows = n > map->from->line.node_count;
    for (int k = 0; k < n; k++) { // in the direction in which nothing is overwritten that is still needed
        int i = grows ? n - 1 - k : k, was = map->node[i];
        bool edge = i < map->edge_count;
        bool whole = edge && map->kind[i] == REMESH_WHOLE;
        double since = whole ? g->since[map->edge[i]] : time;
        double merged = whole                                   ? g->merged[map->edge[i]]
                        : edge && map->kind[i] == REMESH_MERGED ? time
                                                                : -INFINITY;
        CordVec3 aside = was >= 0 ? g->aside[was] : (CordVec3){0, 0, 0};
        double changed = was >= 0 ? g->changed[was] : -INFINITY;
        g->since[i] = since, g->merged[i] = merged, g->aside[i] = aside, g->changed[i] = changed;
    }
    memcpy(g->tick, map->tick, sizeof *g->tick * (size_t)n);
    g->report.nodes = n;
}

// Probes of a node stay with it, which something that measures pins; those of an edge with what was its middle.
static void move_probes(CordWorld* w, const Rod* rod, const Remesh* map)
{
    for (int i = 0; i < w->probes.live_count; i++) {
        Probe* probe = slots_at(&w->probes, i);
        if (probe->rod != rod) {
            continue;
        }
        int edge = map->edge_count - 1;
        while (edge > 0 && 2 * map->tick[edge] > probe->twice_tick) {
            edge--;
        }
        probe->node = map->old_node[probe->node];
        probe->edge = edge;
    }
}

// The rod that the map describes, with its model; clamps and loads are numbered as it has them.
static CordResult make_rod(CordWorld* w, Rod* rod, Rod* fresh, const Remesh* map)
{
    if (!remesh_rod(&w->memory, fresh, map)) {
        return no_memory(w);
    }
    remesh_renumber(rod, map, false);
    rod_update_held(fresh);
    CordResult result = model_ops(rod->model)->remesh(&w->memory, fresh, map, &w->message);
    if (result != CORD_OK) {
        remesh_renumber(rod, map, true);
        rod_free_arrays(&w->memory, fresh);
    }
    return result;
}

// In place of the one there was. Whoever knows the rod by its address still does.
static CordResult swap_rod(CordWorld* w, Rod* rod, Remesh* map)
{
    Rod fresh;
    CORD_TRY(grid_reserve(&w->memory, rod->grid, map->node_count) ? CORD_OK : no_memory(w));
    CORD_TRY(make_rod(w, rod, &fresh, map));
    move_probes(w, rod, map);
    move_grid(rod->grid, map, w->time);
    model_ops(rod->model)->destroy(&w->memory, rod);
    rod_now_free(&w->memory, rod);
    rod_free_arrays(&w->memory, rod);
    *rod = fresh;
    map->from = NULL;
    w->sizes_changed = w->watch_changed = true;
    w->welds_changed |= rod->assembly != NULL;
    w->revision++;
    return CORD_OK;
}

// Nodes that something holds, pulls at or measures.
static void find_pinned(const CordWorld* w, const Rod* rod, bool* pinned)
{
    memset(pinned, 0, sizeof *pinned * (size_t)rod->line.node_count);
    for (int i = 0; i < rod->clamp_count; i++) {
        for (int k = 0; k < rod->clamps[i]->node_count; k++) {
            pinned[rod->clamps[i]->node[k]] = true;
        }
    }
    for (int i = 0; i < rod->load_count; i++) {
        if (rod->loads[i]->rod == rod) {
            pinned[rod->loads[i]->node] = true;
        }
    }
    for (int i = 0; i < w->probes.live_count; i++) {
        const Probe* probe = slots_at(&w->probes, i);
        if (probe->rod == rod) {
            pinned[probe->node] = true;
        }
    }
}

CordResult rod_take_ticks(CordWorld* w, Rod* rod, const int* tick, int node_count)
{
    if (!open_adapt(w) || !remesh_reserve(&w->memory, &w->adapt->map, node_count + 1, rod->line.node_count)) {
        return no_memory(w);
    }
    Remesh* map = &w->adapt->map;
    remesh_fill_ticks(map, rod, tick, node_count);
    if (!reserve_nodes(w, rod->line.node_count)) {
        return no_memory(w);
    }
    find_pinned(w, rod, w->adapt->pinned);
    for (int i = 0; i < rod->line.node_count; i++) {
        if (w->adapt->pinned[i] && map->old_node[i] < 0) {
            return message_fail(&w->message, CORD_BAD_STATE,
                                "the state has no node of rod '%s' where something holds it, pulls at it or measures",
                                rod->name);
        }
    }
    return swap_rod(w, rod, map);
}

CordResult rod_finest_limit(CordWorld* w, Rod* rod, const double* tension, double least_tension, StepLimitAt* limit)
{
    const RodGrid* g = rod->grid;
    int count = g->end + (rod->line.closed ? 0 : 1);
    if (!open_adapt(w) || !reserve_nodes(w, count) ||
        !remesh_reserve(&w->memory, &w->adapt->map, count + 1, rod->line.node_count)) {
        return no_memory(w);
    }
    Remesh* map = &w->adapt->map;
    for (int i = 0; i < count; i++) {
        w->adapt->tick[i] = i;
    }
    remesh_fill_ticks(map, rod, w->adapt->tick, count);
    double* fine = memory_array(&w->memory, double, count);
    Rod fresh;
    CordResult result = fine ? make_rod(w, rod, &fresh, map) : no_memory(w);
    if (result == CORD_OK) {
        for (int j = 0; j < fresh.line.edge_count; j++) {
            fine[j] = tension[map->edge[j]];
        }
        *limit = model_ops(rod->model)->limit(&fresh, fine, least_tension);
        limit->node = map->edge[limit->node < map->edge_count ? limit->node : map->edge_count - 1];
        model_ops(rod->model)->destroy(&w->memory, &fresh);
        rod_free_arrays(&w->memory, &fresh);
        remesh_renumber(rod, map, true);
    }
    memory_array_free(&w->memory, fine, count);
    return result;
}

// ---- the skin

static CordVec3 skin_at(const Rod* rod, int node, double time)
{
    const RodGrid* g = rod->grid;
    double left = g->def.blend > 0.0 ? 1.0 - (time - g->changed[node]) / g->def.blend : 0.0;
    left = left > 0.0 && left <= 1.0 ? left * left * (3.0 - 2.0 * left) : left > 1.0 ? 1.0 : 0.0;
    return vec3_madd(node_position(&rod->line, node), g->aside[node], left);
}

void rod_skin(const Rod* rod, double time, CordVec3* skin)
{
    for (int i = 0; i < rod->line.node_count; i++) {
        skin[i] = rod->grid ? skin_at(rod, i, time) : node_position(&rod->line, i);
    }
}

// Where the skin of an element is half-way: on the curve through its ends and their neighbours that pictures draw.
static CordVec3 skin_between(const Rod* rod, int before, int after, double time)
{
    const CordCenterline* c = &rod->line;
    bool left = c->closed || before > 0, right = c->closed || after < c->node_count - 1;
    CordVec3 a = skin_at(rod, before, time), b = skin_at(rod, after, time);
    CordVec3 far_a = left ? skin_at(rod, (before + c->node_count - 1) % c->node_count, time) : a;
    CordVec3 far_b = right ? skin_at(rod, (after + 1) % c->node_count, time) : b;
    CordVec3 sum = vec3_mul(vec3_add(a, b), 9.0 / 16.0);
    return vec3_madd(sum, vec3_add(far_a, far_b), -1.0 / 16.0);
}

// A node that is about to be moved to x stays where it is, as far as pictures go, and is there a little later.
static void keep_skin(Rod* rod, int node, CordVec3 skin, CordVec3 x, double time)
{
    rod->grid->aside[node] = vec3_sub(skin, x);
    rod->grid->changed[node] = time;
}

// ---- changes

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

// Of those that may move the one with fewer contacts; `contacts` by edge of the rod as it is, or NULL.
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

static void open_contact(CordWorld* w, const Rod* rod)
{
    PatchContact* pc = &w->adapt->contact;
    pc->stage = NULL;
    if (!contact_is_on(w)) {
        return;
    }
    Touching* t = &w->touch->touching;
    for (int i = 0; i < t->stage.rod_count; i++) {
        if (t->stage.rods[i].rod == rod) {
            pc->stage = &t->stage;
            pc->rod = i;
        }
    }
    contact_set_law(w);
    pc->law = t->law;
    pc->law.no_barrier = contact_is_explicit(w);
    pc->law.gap = pc->law.no_barrier ? 0.05 : pc->law.gap;
    pc->tolerance = w->contact.tolerance;
}

// All are where they are, and near whom they are.
static CordResult look_around(CordWorld* w)
{
    if (!w->adapt->contact.stage) {
        return CORD_OK;
    }
    Stage* st = &w->touch->touching.stage;
    contact_solids_over(w, 0.0);
    stage_begin(st);
    return stage_search(&w->memory, st) ? CORD_OK : contact_no_memory(w);
}

static CordResult reserve_maps(CordWorld* w, const Rod* rod)
{
    WorldAdapt* a = w->adapt;
    int n = rod->line.node_count;
    return remesh_reserve(&w->memory, &a->map, 2 * n + 1, n) &&
                   remesh_reserve(&w->memory, &a->piece, 16, 1) && reserve_nodes(w, 2 * n + 1)
               ? CORD_OK
               : no_memory(w);
}

static void move_node(Rod* rod, int node, CordVec3 x)
{
    slot_set(rod->line.x, slot_of(&rod->line, node), x);
    centerline_wrap(&rod->line, rod->line.x);
}

// Where there is no memory to look for a better place, the middle will do.
static void place_node_in(CordWorld* w, Rod* rod, int node)
{
    WorldAdapt* a = w->adapt;
    CordVec3 skin = skin_between(rod, (node + rod->line.node_count - 1) % rod->line.node_count,
                                 (node + 1) % rod->line.node_count, w->time);
    int neighbour = choose_neighbour(rod, node, NULL);
    PatchChange change = {
        .rod = rod,
        .node = node,
        .neighbour = neighbour,
        .time = w->time,
        .iterations = rod->grid->def.iterations,
        .force = {a->next_force[node], neighbour >= 0 ? a->next_force[neighbour] : (CordVec3){0, 0, 0}}};
    PatchEnd end = {.x = {node_position(&rod->line, node)}};
    bool least = rod->grid->def.placement == CORD_PLACEMENT_MINIMUM && !(rod->inextensible && neighbour < 0);
    if (least) {
        Message unused;
        PatchEnd found = patch_find(&w->memory, &a->piece, &change, &a->contact, &unused);
        end = found.result == CORD_OK ? found : end;
        if (found.result == CORD_OK && neighbour >= 0) {
            keep_skin(rod, neighbour, skin_at(rod, neighbour, w->time), found.x[1], w->time);
            move_node(rod, neighbour, found.x[1]);
        }
    }
    keep_skin(rod, node, skin, end.x[0], w->time);
    move_node(rod, node, end.x[0]);
    rod->grid->report.refined++;
    rod->grid->report.iterations += end.iterations;
}

// The stage follows the rod; without memory, the next step sees to it.
static void recast(CordWorld* w, Rod* rod)
{
    WorldAdapt* a = w->adapt;
    bool there = contact_recast(w, rod, &a->map) == CORD_OK;
    w->cast_changed |= !there;
    if (there) {
        open_contact(w, rod);
        there = look_around(w) == CORD_OK;
    }
    a->contact.stage = there ? a->contact.stage : NULL;
}

// Elements are halved, all at once; then each new node is put where it belongs, one after the other.
static CordResult refine(CordWorld* w, Rod* rod)
{
    WorldAdapt* a = w->adapt;
    balance_forces(rod, contact_is_on(w) && !contact_is_explicit(w) ? contact_forces_now(w, rod) : NULL, a->force);
    remesh_fill(&a->map, rod, a->halve, a->drop);
    balance_share(&a->map, rod, a->force, a->next_force);
    int flickers = 0;
    for (int j = 0; j < rod->line.edge_count; j++) {
        flickers += a->halve[j] && w->time - rod->grid->merged[j] < rod->grid->def.merge_time;
    }
    CORD_TRY(swap_rod(w, rod, &a->map));
    rod->grid->report.flickers += flickers;
    recast(w, rod);
    for (int i = 0; i < rod->line.node_count; i++) {
        if (a->map.node[i] < 0) {
            place_node_in(w, rod, i);
        }
    }
    model_ops(rod->model)->jump(rod, w->time);
    w->revision++;
    return CORD_OK;
}

typedef struct Going { // nodes that are to go
    int count, kept_off, iterations;
} Going;

// For each node that is to go, where that leaves its neighbour; what cannot go, stays.
static CordResult prepare_to_go(CordWorld* w, Rod* rod, int node, const int* contacts, Going* going)
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
                          .force = {{0, 0, 0}, force}};
    Message unused;
    PatchEnd end = patch_find(&w->memory, &a->piece, &change, &a->contact, &unused);
    CORD_TRY(end.result == CORD_NO_MEMORY ? no_memory(w) : CORD_OK);
    bool straight = neighbour >= 0 || !rod->inextensible;
    if (end.result != CORD_OK || !straight) {
        a->drop[node] = false;
        going->kept_off++;
        if (contacts) { // it is not asked for again at once
            rod->grid->since[node - 1] = rod->grid->since[node] = w->time;
        }
        return CORD_OK;
    }
    if (neighbour >= 0) {
        a->pinned[neighbour] = true; // from now on: it is to be moved
        a->next_force[neighbour] = end.x[1];
    }
    going->count++;
    going->iterations += end.iterations;
    return CORD_OK;
}

// Once the others are gone.
static void move_neighbours(CordWorld* w, Rod* rod)
{
    WorldAdapt* a = w->adapt;
    for (int i = 0; i < rod->line.node_count; i++) {
        int was = a->map.node[i];
        if (a->pinned[was]) {
            keep_skin(rod, i, skin_at(rod, i, w->time), a->next_force[was], w->time);
            move_node(rod, i, a->next_force[was]);
        }
    }
}

static CordResult merge(CordWorld* w, Rod* rod, const int* contacts)
{
    WorldAdapt* a = w->adapt;
    open_contact(w, rod);
    CORD_TRY(look_around(w));
    balance_forces(rod, contact_is_on(w) && !contact_is_explicit(w) ? contact_forces_now(w, rod) : NULL, a->force);
    Going going = {0};
    memset(a->pinned, 0, sizeof *a->pinned * (size_t)rod->line.node_count);
    for (int i = 0; i < rod->line.node_count; i++) {
        if (a->drop[i]) {
            CORD_TRY(prepare_to_go(w, rod, i, contacts, &going));
        }
    }
    if (going.count > 0) {
        remesh_fill(&a->map, rod, a->halve, a->drop);
        CORD_TRY(swap_rod(w, rod, &a->map));
    }
    CordAdaptReport* report = &rod->grid->report;
    report->kept_off += going.kept_off, report->merged += going.count, report->iterations += going.iterations;
    if (going.count == 0) {
        return CORD_OK;
    }
    move_neighbours(w, rod);
    w->cast_changed |= contact_recast(w, rod, &a->map) != CORD_OK;
    model_ops(rod->model)->jump(rod, w->time);
    w->revision++;
    return CORD_OK;
}

// ---- after a step

static CordResult mark_touched(CordWorld* w)
{
    WorldAdapt* a = w->adapt;
    int edges = 0, rods = w->rods.live_count;
    for (int i = 0; i < rods; i++) {
        edges += ((const Rod*)slots_at(&w->rods, i))->line.edge_count;
    }
    CORD_TRY(reserve_edges(w, rods, edges) ? CORD_OK : no_memory(w));
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
    find_pinned(w, rod, a->pinned);
    Criteria in = {.time = w->time, .touched = a->touched + first, .bend = a->bend, .pinned = a->pinned};
    if (criteria_choose(rod, &in, a->halve, a->drop) == 0) {
        return CORD_OK;
    }
    bool halves = memchr(a->halve, true, sizeof *a->halve * (size_t)rod->line.node_count) != NULL;
    int64_t changes = g->report.refined + g->report.merged;
    CordResult result = halves ? refine(w, rod) : merge(w, rod, a->contacts + first);
    g->report.steps += g->report.refined + g->report.merged > changes;
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

// Explicit steps are so short that not each of them need be looked at.
#define EVERY 8

static bool is_its_turn(const CordWorld* w, const Rod* rod)
{
    return rod->grid && (rod_is_implicit(rod) || w->steps % EVERY == 0);
}

// A step that has been taken stands, whether there is memory to adapt to it or not.
void world_adapt(CordWorld* w)
{
    bool any = false;
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        any |= is_its_turn(w, rod);
        if (rod->grid) {
            rod->grid->report.node_steps += rod->line.node_count;
        }
    }
    if (!any) {
        return;
    }
    stopwatch_start(&w->watch);
    CordResult result = open_adapt(w) ? mark_touched(w) : no_memory(w);
    for (int i = 0; i < w->rods.live_count && result == CORD_OK; i++) {
        Rod* rod = slots_at(&w->rods, i);
        result = is_its_turn(w, rod) ? adapt_rod(w, rod, i) : CORD_OK;
    }
    if (result != CORD_OK) {
        log_write(&w->log, CORD_LOG_WARNING, "%s", w->message.text);
    }
    stopwatch_lap(&w->watch, &w->watch.times.adapt);
}

// ---- what can be asked, and done by hand

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

// All that a change by hand needs; the flags that say which are clear.
static CordResult open_by_hand(CordWorld* w, Rod* rod)
{
    CORD_TRY(check_no_branch(w, "no rod changes its nodes"));
    CORD_TRY(world_prepare(w));
    CORD_TRY(open_adapt(w) ? CORD_OK : no_memory(w));
    CORD_TRY(reserve_maps(w, rod));
    WorldAdapt* a = w->adapt;
    memset(a->halve, 0, sizeof *a->halve * (size_t)rod->line.node_count);
    memset(a->drop, 0, sizeof *a->drop * (size_t)rod->line.node_count);
    find_pinned(w, rod, a->pinned);
    return CORD_OK;
}

CordResult cord_rod_refine(CordWorld* w, CordRodId id, int edge)
{
    CordResult result;
    Rod* rod = adaptive_rod(w, id, &result);
    CORD_TRY(result);
    CORD_TRY(open_by_hand(w, rod));
    if (edge < 0 || edge >= rod->line.edge_count || !grid_can_halve(rod->grid, &rod->line, edge) ||
        criteria_holds_edge(rod, edge)) {
        return message_fail(
            &w->message, CORD_BAD_ARGUMENT,
            "edge %d of rod '%s' cannot be halved: there is none, it is as short as adapt.shortest allows, or it is held",
            edge, rod->name);
    }
    w->adapt->halve[edge] = true;
    return refine(w, rod);
}

CordResult cord_rod_merge(CordWorld* w, CordRodId id, int node)
{
    CordResult result;
    Rod* rod = adaptive_rod(w, id, &result);
    CORD_TRY(result);
    CORD_TRY(open_by_hand(w, rod));
    if (node < 0 || node >= rod->line.node_count || w->adapt->pinned[node] ||
        !grid_can_merge(rod->grid, &rod->line, node) || criteria_holds_edge(rod, node - 1) ||
        criteria_holds_edge(rod, node)) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "node %d of rod '%s' cannot go: there is none, the elements beside it were not one, or something holds, pulls at or "
                            "measures it",
                            node, rod->name);
    }
    w->adapt->drop[node] = true;
    int64_t merged = rod->grid->report.merged;
    CORD_TRY(merge(w, rod, NULL));
    return rod->grid->report.merged > merged
               ? CORD_OK
               : message_fail(&w->message, CORD_BAD_ARGUMENT,
                              "node %d of rod '%s' cannot go: what is left would come too near something, or not keep its length",
                              node, rod->name);
}
