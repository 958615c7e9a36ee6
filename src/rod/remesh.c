#include "rod/remesh.h"

#include "rod/grid.h"

#include <string.h>

// ---- the map

bool remesh_reserve(Memory* m, Remesh* map, int count, int old_count)
{
    if (count > map->capacity) {
        int* node = memory_array(m, int, 3 * count);
        RemeshKind* kind = memory_array(m, RemeshKind, count);
        if (!node || !kind) {
            memory_array_free(m, node, 3 * count);
            memory_array_free(m, kind, count);
            return false;
        }
        memory_array_free(m, map->node, 3 * map->capacity);
        memory_array_free(m, map->kind, map->capacity);
        map->node = node, map->edge = node + count, map->tick = node + 2 * count;
        map->kind = kind;
        map->capacity = count;
    }
    if (old_count > map->old_capacity) {
        int* old = memory_array(m, int, 2 * old_count);
        if (!old) {
            return false;
        }
        memory_array_free(m, map->old_node, 2 * map->old_capacity);
        map->old_node = old, map->old_edge = old + old_count;
        map->old_capacity = old_count;
    }
    return true;
}

void remesh_free(Memory* m, Remesh* map)
{
    memory_array_free(m, map->node, 3 * map->capacity);
    memory_array_free(m, map->kind, map->capacity);
    memory_array_free(m, map->old_node, 2 * map->old_capacity);
    *map = (Remesh){0};
}

static void put_edge(Remesh* map, int old, RemeshKind kind)
{
    map->edge[map->edge_count] = old;
    map->kind[map->edge_count++] = kind;
}

static void put_node(Remesh* map, int old, int tick)
{
    map->node[map->node_count] = old;
    map->tick[map->node_count++] = tick;
}

void remesh_fill(Remesh* map, const Rod* from, const bool* halve, const bool* drop)
{
    const CordCenterline* c = &from->line;
    const RodGrid* g = from->grid;
    map->from = from;
    map->piece = false;
    map->node_count = map->edge_count = 0;
    for (int i = 0; i < c->node_count; i++) {
        map->old_node[i] = drop[i] ? -1 : map->node_count;
        map->old_edge[i] = drop[i] ? map->edge_count - 1 : map->edge_count;
        if (drop[i]) { // its second edge has become part of its first
            map->kind[map->edge_count - 1] = REMESH_MERGED;
            continue;
        }
        put_node(map, i, g->tick[i]);
        if (i >= c->edge_count) {
            continue;
        }
        put_edge(map, i, halve[i] ? REMESH_FIRST_HALF : REMESH_WHOLE);
        if (halve[i]) {
            put_node(map, -1, (g->tick[i] + grid_tick_after(g, c, i)) / 2);
            put_edge(map, i, REMESH_SECOND_HALF);
        }
    }
}

static int node_at(const Rod* from, int tick) // -1: there is none
{
    const CordCenterline* c = &from->line;
    if (!c->closed && tick == from->grid->end) {
        return c->node_count - 1;
    }
    int edge = grid_edge_at(from->grid, c, tick);
    return from->grid->tick[edge] == tick ? edge : -1;
}

void remesh_fill_ticks(Remesh* map, const Rod* from, const int* tick, int node_count)
{
    const CordCenterline* c = &from->line;
    const RodGrid* g = from->grid;
    map->from = from;
    map->piece = false;
    map->node_count = map->edge_count = 0;
    for (int i = 0; i < c->node_count; i++) {
        map->old_node[i] = map->old_edge[i] = -1;
    }
    for (int i = 0; i < node_count; i++) {
        int was = node_at(from, tick[i]);
        put_node(map, was, tick[i]);
        if (was >= 0) {
            map->old_node[was] = i;
        }
        if (i == node_count - 1 && !c->closed) {
            break;
        }
        int end = i + 1 < node_count ? tick[i + 1] : g->end, edge = grid_edge_at(g, c, tick[i]);
        int old_end = grid_tick_after(g, c, edge);
        bool whole = was >= 0 && old_end == end;
        for (int e = edge; e < c->edge_count && g->tick[e] < end; e++) { // all that is in it
            map->old_edge[e] = map->old_edge[e] < 0 ? i : map->old_edge[e];
        }
        put_edge(map, edge, whole ? REMESH_WHOLE : end > old_end ? REMESH_MERGED : REMESH_FIRST_HALF);
    }
}

void remesh_fill_piece(Remesh* map, const Rod* from, int first, int count, int drop)
{
    const CordCenterline* c = &from->line;
    map->from = from;
    map->piece = true;
    map->node_count = map->edge_count = 0;
    for (int i = 0; i < count; i++) {
        int node = (first + i) % c->node_count;
        if (node == drop) {
            map->kind[map->edge_count - 1] = REMESH_MERGED;
            continue;
        }
        put_node(map, node, from->grid->tick[node]);
        if (i + 1 < count) {
            put_edge(map, node, REMESH_WHOLE);
        }
    }
}

static int tick_after(const Remesh* map, int edge) // around a ring the end has the tick of its start
{
    int next = edge + 1 < map->node_count ? map->tick[edge + 1] : 0;
    return next > map->tick[edge] ? next : map->from->grid->end;
}

bool remesh_keeps_corner(const Remesh* map, const CordCenterline* c, int node)
{
    return map->node[node] >= 0 && map->kind[edge_before(c, node)] == REMESH_WHOLE &&
           map->kind[edge_after(c, node)] == REMESH_WHOLE;
}

void remesh_rest_strain(const Remesh* map, const Rod* rod, int node, double strain[3])
{
    const RodGrid* g = map->from->grid;
    const CordCenterline* c = &rod->line;
    int before = edge_before(c, node), after = edge_after(c, node);
    double part[2][3] = {{0.0}};
    grid_strain(g, map->tick[before], tick_after(map, before), true, part[0]);
    grid_strain(g, map->tick[after], tick_after(map, after), false, part[1]);
    for (int k = 0; k < 3; k++) { // half edges at clamped ends count as whole
        strain[k] = grid_edge_weight(rod, before) * part[0][k] + grid_edge_weight(rod, after) * part[1][k];
    }
    grid_add_kink(g, map->tick[node], 1.0, strain);
}

// ---- the rod

static double old_edge_length(const Remesh* map, int j)
{
    return edge_rest_len(&map->from->line, map->edge[j]);
}

static void set_lengths(Rod* rod, const Remesh* map)
{
    CordCenterline* c = &rod->line;
    const RodGrid* g = map->from->grid;
    for (int j = 0; j < c->edge_count; j++) {
        double len = map->kind[j] == REMESH_WHOLE ? old_edge_length(map, j)
                                                  : grid_length(g, map->tick[j], tick_after(map, j));
        c->rest_len[slot_of(c, j)] = len;
        c->inv_rest[slot_of(c, j)] = 1.0 / len;
    }
    centerline_wrap_one(c, c->rest_len);
    centerline_wrap_one(c, c->inv_rest);
}

static bool set_sections(Memory* m, Rod* rod, const Remesh* map)
{
    const Rod* from = map->from;
    rod->along = NULL;
    rod->radii = NULL;
    if (!from->along) {
        return true;
    }
    rod->along = memory_array(m, CordStiffness, rod->line.edge_count);
    rod->radii = memory_array(m, double, rod->line.edge_count);
    if (!rod->along || !rod->radii) {
        return false;
    }
    for (int j = 0; j < rod->line.edge_count; j++) {
        rod->along[j] = from->along[map->edge[j]], rod->radii[j] = from->radii[map->edge[j]];
    }
    return true;
}

// By node: as it was, or half-way between its neighbours.
static void carry_nodes(const Rod* rod, const Remesh* map, double* const to[3], double* const from[3])
{
    const CordCenterline *c = &rod->line, *old = &map->from->line;
    for (int i = 0; i < c->node_count; i++) {
        int was = map->node[i], left = slot_of(old, was >= 0 ? was : map->edge[i]);
        CordVec3 a = slot_get(from, left);
        slot_set(to, slot_of(c, i), was >= 0 ? a : vec3_mul(vec3_add(a, slot_get(from, left + 1)), 0.5));
    }
    centerline_wrap(c, to);
}

// By edge: tensions, or what they are over the length.
static void carry_edges(const Rod* rod, const Remesh* map, double* to, const double* from, bool per_length)
{
    const CordCenterline *c = &rod->line, *old = &map->from->line;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(old, map->edge[j]);
        double value = map->kind[j] == REMESH_MERGED ? 0.5 * (from[s] + from[s + 1]) : from[s];
        to[slot_of(c, j)] = per_length ? value * old_edge_length(map, j) / edge_rest_len(c, j) : value;
    }
    centerline_wrap_one(c, to);
}

typedef struct Share { // of momentum, and the mass that has it
    CordVec3 momentum;
    double mass;
} Share;

static double old_edge_mass(const Remesh* map, int edge)
{
    return rod_stiffness_at(map->from, edge)->mass_per_length * edge_rest_len(&map->from->line, edge);
}

// Of the node that an edge has lost, what the node at its start, or end, gains: half of the mass of the farther of the two.
static Share lost_in(const Remesh* map, int edge, bool at_end)
{
    if (map->kind[edge] != REMESH_MERGED) {
        return (Share){{0, 0, 0}, 0.0};
    }
    int first = map->edge[edge], gone = edge_end(&map->from->line, first);
    double half = 0.5 * old_edge_mass(map, at_end ? first : gone);
    return (Share){vec3_mul(node_velocity(&map->from->line, gone), half), half};
}

// A node that goes leaves its mass and momentum to its neighbours; one that is held takes no part in it.
static void share_momentum(const Rod* rod, const Remesh* map, double* const v[3])
{
    const CordCenterline *c = &rod->line, *old = &map->from->line;
    for (int i = 0; i < c->node_count; i++) {
        int was = map->node[i], s = slot_of(c, i);
        Share before = c->closed || i > 0 ? lost_in(map, edge_before(c, i), true) : (Share){{0, 0, 0}, 0.0};
        Share after = i < c->edge_count ? lost_in(map, i, false) : (Share){{0, 0, 0}, 0.0};
        double more = before.mass + after.mass;
        if (was >= 0 && more > 0.0 && old->w[slot_of(old, was)] > 0.0) {
            double mass = rod_node_mass(map->from, was);
            CordVec3 sum = vec3_madd(vec3_add(before.momentum, after.momentum), slot_get(v, s), mass);
            slot_set(v, s, vec3_mul(sum, 1.0 / (mass + more)));
        }
    }
    centerline_wrap(c, v);
}

static bool set_accelerations(Memory* m, Rod* rod, const Remesh* map)
{
    rod->accel_block = NULL;
    if (map->piece || !rod_is_implicit(rod)) {
        return true;
    }
    if (!rod_reserve_accelerations(m, rod)) {
        return false;
    }
    carry_nodes(rod, map, rod->accel, map->from->accel);
    carry_nodes(rod, map, rod->jerk, map->from->jerk);
    carry_edges(rod, map, rod->pull_rate, map->from->pull_rate, false);
    return true;
}

// What is a piece's own: it stands still between two edges that are held, and stretches, so that lengths may be found.
static void make_piece(Rod* rod, const Remesh* map)
{
    const CordCenterline* c = &map->from->line;
    rod->grid = NULL;
    rod->clamps = NULL, rod->loads = NULL;
    rod->clamp_count = rod->clamp_capacity = rod->load_count = rod->load_capacity = 0;
    rod->integrator = CORD_INTEGRATOR_VERLET;
    rod->damping_time = 0.0;
    rod->dynamic_twist = rod->drags = rod->frames_stand = false;
    rod->half_start = rod->half_start && map->node[0] == 0;
    rod->half_end = rod->half_end && map->node[map->node_count - 1] == c->node_count - 1;
    rod->inextensible = rod->touched = rod->unsettled = false;
    rod->started = rod->stepped = true;
    rod->assembly = NULL;
    rod->now = (RodNow){0};
}

bool remesh_rod(Memory* m, Rod* rod, const Remesh* map)
{
    const Rod* from = map->from;
    *rod = *from;
    rod->line = (CordCenterline){0};
    rod->along = NULL, rod->radii = NULL, rod->accel_block = NULL;
    rod->v_free[0] = NULL;
    rod->data = NULL, rod->framed = NULL;
    rod->now = (RodNow){0};
    if (map->piece) {
        make_piece(rod, map);
    }
    bool made = centerline_create(m, &rod->line, map->node_count, from->line.closed && !map->piece) == CORD_OK &&
                set_sections(m, rod, map);
    if (made) {
        set_lengths(rod, map);
        carry_nodes(rod, map, rod->line.x, from->line.x);
        carry_nodes(rod, map, rod->line.v, from->line.v);
        share_momentum(rod, map, rod->line.v);
        carry_edges(rod, map, rod->line.pull, from->line.pull, !rod_is_implicit(from));
        made = set_accelerations(m, rod, map) && (map->piece || !from->v_free[0] || rod_reserve_free(m, rod));
    }
    if (!made) {
        rod_free_arrays(m, rod);
    }
    return made;
}

static int renumbered(const int* to, int count, bool back, int number)
{
    if (!back) {
        return to[number];
    }
    for (int i = 0; i < count; i++) {
        if (to[i] == number) {
            return i;
        }
    }
    return number;
}

void remesh_renumber(Rod* rod, const Remesh* map, bool back)
{
    int nodes = map->from->line.node_count, edges = map->from->line.edge_count;
    for (int i = 0; i < rod->clamp_count; i++) {
        Clamp* clamp = rod->clamps[i];
        for (int k = 0; k < clamp->node_count; k++) {
            clamp->node[k] = renumbered(map->old_node, nodes, back, clamp->node[k]);
        }
        clamp->edge = clamp->edge >= 0 ? renumbered(map->old_edge, edges, back, clamp->edge) : clamp->edge;
    }
    for (int i = 0; i < rod->load_count; i++) {
        Load* load = rod->loads[i];
        if (load->rod == rod) { // those on every rod act on no node
            load->node = renumbered(map->old_node, nodes, back, load->node);
        }
    }
}
