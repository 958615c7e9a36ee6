// Replaces a rod by its remeshed copy.
#include "world/adapt_parts.h"

#include <string.h>

CordResult adapt_no_memory(CordWorld* w)
{
    return message_fail(&w->message, CORD_NO_MEMORY, "no memory to change the nodes of a rod");
}

// ---- memory

static void free_node_arrays(CordWorld* w)
{
    WorldAdapt* a = w->adapt;
    memory_array_free(&w->memory, a->halve, 4 * a->node_capacity);
    memory_array_free(&w->memory, a->force, 3 * a->node_capacity);
    memory_array_free(&w->memory, a->tick, 2 * a->node_capacity);
    memory_array_free(&w->memory, a->bend, a->node_capacity);
    a->node_capacity = 0;
}

bool adapt_reserve_nodes(CordWorld* w, int count)
{
    WorldAdapt* a = w->adapt;
    if (count <= a->node_capacity) {
        return true;
    }
    bool* flags = memory_array(&w->memory, bool, 4 * count);
    CordVec3* force = memory_array(&w->memory, CordVec3, 3 * count);
    int* tick = memory_array(&w->memory, int, 2 * count);
    double* bend = memory_array(&w->memory, double, count);
    if (!flags || !force || !tick || !bend) {
        memory_array_free(&w->memory, flags, 4 * count);
        memory_array_free(&w->memory, force, 3 * count);
        memory_array_free(&w->memory, tick, 2 * count);
        memory_array_free(&w->memory, bend, count);
        return false;
    }
    free_node_arrays(w);
    a->halve = flags, a->drop = flags + count, a->pinned = flags + 2 * count, a->moves = flags + 3 * count;
    a->force = force, a->next = force + count, a->goal = force + 2 * count;
    a->tick = tick, a->counted = tick + count;
    a->bend = bend;
    a->node_capacity = count;
    return true;
}

bool adapt_reserve_edges(CordWorld* w, int rods, int edges)
{
    WorldAdapt* a = w->adapt;
    return memory_reserve(&w->memory, (void**)&a->first_edge, rods, &a->rod_capacity, sizeof(int)) &&
           memory_reserve(&w->memory, (void**)&a->touched, edges, &a->touched_capacity, sizeof(uint8_t)) &&
           memory_reserve(&w->memory, (void**)&a->contacts, edges, &a->contact_capacity, sizeof(int));
}

bool adapt_open(CordWorld* w)
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
    colliders_free(&w->memory, &a->near);
    memory_array_free(&w->memory, a->known, a->known_capacity);
    memory_array_free(&w->memory, a->pushed, a->pushed_capacity);
    memory_array_free(&w->memory, a->first_edge, a->rod_capacity);
    memory_array_free(&w->memory, a->touched, a->touched_capacity);
    memory_array_free(&w->memory, a->contacts, a->contact_capacity);
    free_node_arrays(w);
    memory_array_free(&w->memory, a, 1);
    w->adapt = NULL;
}

// ---- remeshing

// Factor on merge_time for halves that had to be made again soon after they were merged.
#define MERGE_DELAY 10.0

// Returns the time since which an edge exists; new halves and merged edges exist from now on.
static double edge_since(const RodGrid* g, const Remesh* map, int edge, double time)
{
    bool half = map->kind[edge] == REMESH_FIRST_HALF || map->kind[edge] == REMESH_SECOND_HALF;
    bool again = half && time - g->merged[map->edge[edge]] < g->def.merge_time;
    return map->kind[edge] == REMESH_WHOLE ? g->since[map->edge[edge]]
           : again                         ? time + MERGE_DELAY * g->def.merge_time
                                           : time;
}

// Transfers the grid's values by node and edge.
static void transfer_grid(RodGrid* g, const Remesh* map, double time)
{
    int n = map->node_count;
    bool grows = n > map->from->line.node_count;
    for (int k = 0; k < n; k++) { // in the direction that overwrites no value before it is read
        int i = grows ? n - 1 - k : k, was = map->node[i];
        bool edge = i < map->edge_count;
        bool whole = edge && map->kind[i] == REMESH_WHOLE;
        double since = edge ? edge_since(g, map, i, time) : time;
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

// A node's probe stays with the node, which it pins. An edge's probe stays with the edge's middle.
static void transfer_probes(const Rod* rod, const Remesh* map)
{
    for (Link* link = rod->probes.first; link; link = link->after) {
        Probe* probe = LIST_ENTRY(link, Probe, link);
        int edge = map->edge_count - 1;
        while (edge > 0 && 2 * map->tick[edge] > probe->twice_tick) {
            edge--;
        }
        probe->node = map->old_node[probe->node];
        probe->edge = edge;
    }
}

// Clamps and loads belong to the old nodes again.
static void take_back(Rod* rod, const Remesh* map)
{
    remesh_renumber(rod, map, true);
    rod_weigh_nodes(rod);
}

// Creates the remeshed rod with its model, and renumbers clamps and loads for it.
static CordResult create_remeshed(CordWorld* w, Rod* rod, Rod* fresh, const Remesh* map)
{
    if (!remesh_rod(&w->memory, fresh, map)) {
        return adapt_no_memory(w);
    }
    remesh_renumber(rod, map, false);
    rod_update_held(fresh);
    const Stepper* stepper = stepper_of(rod);
    CordResult result = model_of(rod)->remesh(&w->memory, fresh, map, &w->message);
    if (result == CORD_OK && stepper->remesh && !stepper->remesh(&w->memory, fresh, map)) {
        rod_destroy_parts(&w->memory, fresh);
        result = adapt_no_memory(w);
    }
    if (result != CORD_OK) {
        take_back(rod, map);
        rod_free_arrays(&w->memory, fresh);
    }
    return result;
}

// Replaces the rod in place, so that pointers to it stay valid.
CordResult adapt_swap_rod(CordWorld* w, Rod* rod, Remesh* map)
{
    Rod fresh;
    CORD_TRY(grid_reserve(&w->memory, rod->grid, map->node_count) ? CORD_OK : adapt_no_memory(w));
    CORD_TRY(create_remeshed(w, rod, &fresh, map));
    transfer_probes(rod, map);
    transfer_grid(rod->grid, map, w->time);
    rod_destroy_parts(&w->memory, rod);
    rod_now_free(&w->memory, rod);
    rod_free_arrays(&w->memory, rod);
    *rod = fresh;
    map->from = NULL;
    world_mark(w, NULL, MARK_NODES | MARK_KNOTS | (rod->assembly ? MARK_WELDS : 0));
    return CORD_OK;
}

// Finds nodes that a clamp, load or probe needs.
void adapt_find_pinned(const Rod* rod, bool* pinned)
{
    memset(pinned, 0, sizeof *pinned * (size_t)rod->line.node_count);
    for (int i = 0; i < rod->clamp_count; i++) {
        for (int k = 0; k < rod->clamps[i]->node_count; k++) {
            pinned[rod->clamps[i]->node[k]] = true;
        }
    }
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        if (load->rod == rod) {
            pinned[load->node] = true;
            pinned[load->edge >= 0 ? edge_end(&rod->line, load->edge) : load->node] = true;
        }
    }
    for (Link* link = rod->probes.first; link; link = link->after) {
        pinned[LIST_ENTRY(link, Probe, link)->node] = true;
    }
}

CordResult rod_remesh_to_ticks(CordWorld* w, Rod* rod, const int* tick, int node_count)
{
    if (!adapt_open(w) || !remesh_reserve(&w->memory, &w->adapt->map, node_count + 1, rod->line.node_count)) {
        return adapt_no_memory(w);
    }
    Remesh* map = &w->adapt->map;
    remesh_fill_ticks(map, rod, tick, node_count);
    if (!adapt_reserve_nodes(w, rod->line.node_count)) {
        return adapt_no_memory(w);
    }
    adapt_find_pinned(rod, w->adapt->pinned);
    for (int i = 0; i < rod->line.node_count; i++) {
        if (w->adapt->pinned[i] && map->old_node[i] < 0) {
            return message_fail(
                &w->message, CORD_BAD_STATE,
                "the state has no node of rod '%s' where something holds it, pulls at it or measures",
                rod->name);
        }
    }
    return adapt_swap_rod(w, rod, map);
}

CordResult rod_finest_bound(CordWorld* w, Rod* rod, const BoundInput* in, SpectralBound* bound)
{
    const RodGrid* g = rod->grid;
    int count = grid_tick_count(g, rod->line.closed);
    if (!adapt_open(w) || !adapt_reserve_nodes(w, count) ||
        !remesh_reserve(&w->memory, &w->adapt->map, count + 1, rod->line.node_count)) {
        return adapt_no_memory(w);
    }
    Remesh* map = &w->adapt->map;
    for (int i = 0; i < count; i++) {
        w->adapt->tick[i] = i;
    }
    remesh_fill_ticks(map, rod, w->adapt->tick, count);
    double *fine = memory_array(&w->memory, double, count), *rate = memory_array(&w->memory, double, count);
    Rod fresh;
    CordResult result = fine && rate ? create_remeshed(w, rod, &fresh, map) : adapt_no_memory(w);
    if (result == CORD_OK) {
        for (int j = 0; j < fresh.line.edge_count; j++) {
            fine[j] = in->tension[map->edge[j]];
            rate[j] = in->rate ? in->rate[map->edge[j]] : 0.0;
        }
        BoundInput finest = {.tension = fine, .rate = rate, .least_tension = in->least_tension};
        *bound = model_of(&fresh)->bound(&fresh, &finest);
        int last = map->edge_count - 1;
        bound->node = map->edge[bound->node < last ? bound->node : last];
        bound->drift_node = map->edge[bound->drift_node < last ? bound->drift_node : last];
        rod_destroy_parts(&w->memory, &fresh);
        rod_free_arrays(&w->memory, &fresh);
        take_back(rod, map);
    }
    memory_array_free(&w->memory, fine, count);
    memory_array_free(&w->memory, rate, count);
    return result;
}
