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

static void append_edge(Remesh* map, int old, RemeshKind kind)
{
    map->edge[map->edge_count] = old;
    map->kind[map->edge_count++] = kind;
}

static void append_node(Remesh* map, int old, int tick)
{
    map->node[map->node_count] = old;
    map->tick[map->node_count++] = tick;
}

static void begin_map(Remesh* map, const Rod* from, bool piece)
{
    map->from = from;
    map->piece = piece;
    map->node_count = map->edge_count = 0;
}

void remesh_fill(Remesh* map, const Rod* from, const bool* halve, const bool* drop)
{
    const CordCenterline* c = &from->line;
    const RodGrid* g = from->grid;
    begin_map(map, from, false);
    for (int i = 0; i < c->node_count; i++) {
        map->old_node[i] = drop[i] ? -1 : map->node_count;
        map->old_edge[i] = drop[i] ? map->edge_count - 1 : map->edge_count;
        if (drop[i]) { // its second edge has become part of its first
            map->kind[map->edge_count - 1] = REMESH_MERGED;
            continue;
        }
        append_node(map, i, g->tick[i]);
        if (i >= c->edge_count) {
            continue;
        }
        append_edge(map, i, halve[i] ? REMESH_FIRST_HALF : REMESH_WHOLE);
        if (halve[i]) {
            append_node(map, -1, (g->tick[i] + grid_tick_after(g, c, i)) / 2);
            append_edge(map, i, REMESH_SECOND_HALF);
        }
    }
}

static int node_at_tick(const Rod* from, int tick) // -1: there is no such node
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
    begin_map(map, from, false);
    for (int i = 0; i < c->node_count; i++) {
        map->old_node[i] = map->old_edge[i] = -1;
    }
    for (int i = 0; i < node_count; i++) {
        int was = node_at_tick(from, tick[i]);
        append_node(map, was, tick[i]);
        if (was >= 0) {
            map->old_node[was] = i;
        }
        if (i == node_count - 1 && !c->closed) {
            break;
        }
        int end = i + 1 < node_count ? tick[i + 1] : g->end, edge = grid_edge_at(g, c, tick[i]);
        int old_end = grid_tick_after(g, c, edge);
        bool whole = was >= 0 && old_end == end;
        for (int e = edge; e < c->edge_count && g->tick[e] < end; e++) { // sums over the old edges in it
            map->old_edge[e] = map->old_edge[e] < 0 ? i : map->old_edge[e];
        }
        append_edge(map, edge, whole ? REMESH_WHOLE : end > old_end ? REMESH_MERGED : REMESH_FIRST_HALF);
    }
}

void remesh_fill_piece(Remesh* map, const Rod* from, int first, int count, int drop)
{
    const CordCenterline* c = &from->line;
    begin_map(map, from, true);
    for (int i = 0; i < count; i++) {
        int node = (first + i) % c->node_count;
        if (node == drop) {
            map->kind[map->edge_count - 1] = REMESH_MERGED;
            continue;
        }
        append_node(map, node, from->grid->tick[node]);
        if (i + 1 < count) {
            append_edge(map, node, REMESH_WHOLE);
        }
    }
}

static int tick_after(const Remesh* map, int edge) // the seam of a ring has the tick of its start
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
    for (int k = 0; k < 3; k++) { // half edges at clamped ends count as whole ones
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

// Position of a new node along its old edge, from 0 to 1.
static double share_of_edge(const Remesh* map, int node)
{
    const RodGrid* g = map->from->grid;
    int edge = map->edge[node], start = g->tick[edge], end = grid_tick_after(g, &map->from->line, edge);
    return (double)(map->tick[node] - start) / (end - start);
}

// Keeps the value of an old node, and interpolates at a new one.
void remesh_nodes(const Rod* rod, const Remesh* map, double* const to[3], double* const from[3])
{
    const CordCenterline *c = &rod->line, *old = &map->from->line;
    for (int i = 0; i < c->node_count; i++) {
        int was = map->node[i], left = slot_of(old, was >= 0 ? was : map->edge[i]);
        double share = was >= 0 ? 0.0 : share_of_edge(map, i);
        CordVec3 a = slot_get(from, left);
        slot_set(to, slot_of(c, i),
                 was >= 0 ? a : vec3_madd(vec3_mul(a, 1.0 - share), slot_get(from, left + 1), share));
    }
    centerline_wrap(c, to);
}

// Transfers tensions, or tensions over length.
void remesh_edges(const Rod* rod, const Remesh* map, double* to, const double* from, bool per_length)
{
    const CordCenterline *c = &rod->line, *old = &map->from->line;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(old, map->edge[j]);
        double value = map->kind[j] == REMESH_MERGED ? 0.5 * (from[s] + from[s + 1]) : from[s];
        to[slot_of(c, j)] = per_length ? value * old_edge_length(map, j) / edge_rest_len(c, j) : value;
    }
    centerline_wrap_one(c, to);
}

// Leaves out the mass that a joint may have taken over. Elements at a joint never change.
static double lumped_mass(const Rod* rod, int node)
{
    const CordCenterline* c = &rod->line;
    bool before = c->closed || node > 0, after = node < c->edge_count;
    return 0.5 * ((before ? rod_edge_mass(rod, edge_before(c, node)) : 0.0) +
                  (after ? rod_edge_mass(rod, node) : 0.0));
}

// Velocity change of the two ends of a merged edge that conserves the momentum of the removed node. It is
// zero if that node moved with the mean of both, so smooth motions do not change.
static CordVec3 momentum_correction(const Rod* rod, const Remesh* map, int edge, const CordVec3 v[2])
{
    const Rod* from = map->from;
    int first = map->edge[edge], gone = edge_end(&from->line, first);
    double before = 0.5 * rod_edge_mass(from, first), after = 0.5 * rod_edge_mass(from, gone);
    double both = lumped_mass(rod, edge) + lumped_mass(rod, edge_end(&rod->line, edge));
    CordVec3 more = vec3_mul(node_velocity(&from->line, gone), before + after);
    more = vec3_madd(vec3_madd(more, v[0], -after), v[1], -before); // the ends have taken over these masses
    return vec3_mul(more, 1.0 / both);
}

// Held nodes keep their velocity.
static void share_momentum(const Rod* rod, const Remesh* map, double* const v[3])
{
    const CordCenterline *c = &rod->line, *old = &map->from->line;
    for (int j = 0; j < c->edge_count; j++) {
        if (map->kind[j] != REMESH_MERGED) {
            continue;
        }
        int ends[2] = {j, edge_end(c, j)};
        CordVec3 was[2];
        for (int k = 0; k < 2; k++) {
            was[k] = map->node[ends[k]] >= 0 ? node_velocity(old, map->node[ends[k]])
                                             : slot_get(v, slot_of(c, ends[k]));
        }
        CordVec3 faster = momentum_correction(rod, map, j, was);
        for (int k = 0; k < 2; k++) {
            int s = slot_of(c, ends[k]), node = map->node[ends[k]];
            if (node < 0 || old->w[slot_of(old, node)] > 0.0) {
                slot_set(v, s, vec3_add(slot_get(v, s), faster));
            }
        }
    }
    centerline_wrap(c, v);
}

// A piece rests between two clamped edges. It may stretch, so that edge lengths can be found.
static void init_piece(Rod* rod, const Remesh* map)
{
    const CordCenterline* c = &map->from->line;
    rod->grid = NULL;
    rod->clamps = NULL, rod->loads = NULL, rod->stretches = NULL, rod->stretch_count = 0;
    rod->clamp_count = rod->clamp_capacity = rod->load_count = rod->load_capacity = 0;
    rod->integrator = CORD_INTEGRATOR_VERLET;
    rod->stepper = STEPPER_EXPLICIT;
    rod->pull_is_tension = false;
    rod->damping_time = 0.0;
    rod->dynamic_twist = false;
    rod->ends.half_start = rod->ends.half_start && map->node[0] == 0;
    rod->ends.half_end = rod->ends.half_end && map->node[map->node_count - 1] == c->node_count - 1;
    rod->inextensible = rod->unsettled = false;
    rod->stepped = true;
    rod->assembly = 0;
    rod->now = (RodNow){0};
}

bool remesh_rod(Memory* m, Rod* rod, const Remesh* map)
{
    const Rod* from = map->from;
    *rod = *from;
    rod->line = (CordCenterline){0};
    rod->along = NULL, rod->radii = NULL;
    rod->v_free[0] = rod->shift[0] = NULL;
    rod->data = rod->stepping = NULL;
    rod->now = (RodNow){0};
    if (map->piece) {
        init_piece(rod, map);
    }
    bool made =
        centerline_create(m, &rod->line, map->node_count, from->line.closed && !map->piece) == CORD_OK &&
        set_sections(m, rod, map);
    if (made) {
        set_lengths(rod, map);
        remesh_nodes(rod, map, rod->line.x, from->line.x);
        remesh_nodes(rod, map, rod->line.v, from->line.v);
        share_momentum(rod, map, rod->line.v);
        remesh_edges(rod, map, rod->line.pull, from->line.pull, !from->pull_is_tension);
        made = map->piece || !from->v_free[0] || rod_reserve_free(m, rod);
        made = made && (map->piece || !from->shift[0] || rod_reserve_shift(m, rod));
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
            load->edge = load->edge >= 0 ? renumbered(map->old_edge, edges, back, load->edge) : load->edge;
        }
    }
}
