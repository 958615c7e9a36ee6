// Rods that have other nodes by the map alone: new ones are in the middle, and nothing else moves.
#ifndef CORDAGE_TEST_REMESH_RODS_H
#define CORDAGE_TEST_REMESH_RODS_H

#include "rod/grid.h"
#include "rod/remesh.h"
#include "world_rods.h"

#define REMESH_MOST 256 // nodes

typedef struct Wish { // what is to be halved, and to go
    bool halve[REMESH_MOST], drop[REMESH_MOST];
} Wish;

static inline Remesh map_of(CordWorld* world, const Rod* rod, const Wish* wish)
{
    Remesh map = {0};
    int n = rod->line.node_count;
    CHECK(2 * n < REMESH_MOST);
    CHECK(remesh_reserve(&world->memory, &map, 2 * n + 1, n));
    remesh_fill(&map, rod, wish->halve, wish->drop);
    return map;
}

// In place of the rod there was, its model with it.
static inline void take_map(CordWorld* world, Rod* rod, const Remesh* map)
{
    Rod fresh;
    Message message;
    RodGrid* g = rod->grid;
    CHECK(remesh_rod(&world->memory, &fresh, map));
    remesh_renumber(rod, map, false);
    rod_update_held(&fresh);
    CHECK_OK(model_of(rod)->remesh(&world->memory, &fresh, map, &message));
    const Stepper* stepper = stepper_of(rod);
    CHECK(!stepper->remesh || stepper->remesh(&world->memory, &fresh, map));
    CHECK(grid_reserve(&world->memory, g, map->node_count));
    memcpy(g->tick, map->tick, sizeof(int) * (size_t)map->node_count);
    g->report.nodes = map->node_count;
    rod_destroy_parts(&world->memory, rod);
    rod_now_free(&world->memory, rod);
    rod_free_arrays(&world->memory, rod);
    *rod = fresh;
    world_mark(world, NULL, MARK_NODES);
}

static inline void take_wish(CordWorld* world, Rod* rod, const Wish* wish)
{
    Remesh map = map_of(world, rod, wish);
    take_map(world, rod, &map);
    remesh_free(&world->memory, &map);
}

static inline void halve_edge(CordWorld* world, Rod* rod, int edge)
{
    Wish wish = {0};
    wish.halve[edge] = true;
    take_wish(world, rod, &wish);
}

static inline void drop_node(CordWorld* world, Rod* rod, int node)
{
    Wish wish = {0};
    wish.drop[node] = true;
    take_wish(world, rod, &wish);
}

static inline bool is_held_edge(const Rod* rod, int edge)
{
    bool held = false;
    for (int i = 0; i < rod->clamp_count; i++) {
        held |= rod->clamps[i]->edge == edge;
    }
    return held;
}

static inline bool may_halve(const Rod* rod, int edge)
{
    return edge < rod->line.edge_count && grid_can_halve(rod->grid, &rod->line, edge) &&
           !is_held_edge(rod, edge);
}

// One change after the other, anywhere, or, of an open rod, anywhere but at the ends; half of the wishes are
// to halve.
static inline void remesh_at_random(CordWorld* world, Rod* rod, int changes, bool ends, uint64_t* seed)
{
    while (changes > 0) {
        int at = (int)random_in(seed, 0, rod->line.node_count);
        bool inside = ends || rod->line.closed || (at > 0 && at < rod->line.edge_count - 1);
        if (random_in(seed, -1, 1) < 0.0) {
            if (inside && may_halve(rod, at)) {
                halve_edge(world, rod, at);
                changes--;
            }
        } else if (grid_can_merge(rod->grid, &rod->line, at)) {
            drop_node(world, rod, at);
            changes--;
        }
    }
}

// As it was made, node by node.
static inline void remesh_back(CordWorld* world, Rod* rod)
{
    for (int i = 0; i < rod->line.node_count;) {
        bool extra = grid_level(rod->grid, rod->grid->tick[i]) > 0;
        if (extra && grid_can_merge(rod->grid, &rod->line, i)) {
            drop_node(world, rod, i);
            i = 0;
        } else {
            i++;
        }
    }
}

// ---- what must hold of every model

#define REMESH_ROUNDING 1e-12 // a thousand changes, each of which turns a frame or two: 1e-15 each

static inline void rest_strains(const Rod* rod, double (*strain)[3])
{
    for (int k = 0; k < inner_count(&rod->line); k++) {
        int i = inner_node(&rod->line, k);
        model_of(rod)->rest_strain(rod, i, strain[i]);
    }
}

// A thousand changes anywhere but at the ends, and back: twist, of up to `turned` in a rounding, and writhe
// stay all the way, and rest strains come back.
static inline void check_there_and_back(CordWorld* world, Rod* rod, double turned, double strain_rounding,
                                        uint64_t seed)
{
    double strain[REMESH_MOST][3] = {{0.0}}, now[REMESH_MOST][3] = {{0.0}};
    double total = model_of(rod)->twist(rod), writhe = cord_rod_writhe(world, rod->id);
    int nodes = rod->line.node_count;
    rest_strains(rod, strain);
    CHECK(fabs(total) > turned);
    for (int part = 0; part < 10; part++) {
        remesh_at_random(world, rod, 100, false, &seed);
        CHECK_NEAR(model_of(rod)->twist(rod), total, REMESH_ROUNDING * turned);
        // of the same polygon, in other parts
        CHECK_NEAR(cord_rod_writhe(world, rod->id), writhe, REMESH_ROUNDING);
    }
    CHECK(rod->line.node_count > nodes);
    remesh_back(world, rod);
    CHECK_INT(rod->line.node_count, nodes);
    CHECK_NEAR(model_of(rod)->twist(rod), total, REMESH_ROUNDING * turned);
    rest_strains(rod, now);
    for (int i = 0; i < 3 * nodes; i++) {
        // from the base, not from what there was
        CHECK_NEAR(now[i / 3][i % 3], strain[i / 3][i % 3], strain_rounding);
    }
}

static inline CordResult piece_energy(CordWorld* world, const Rod* rod, int first, int count,
                                      CordEnergy* energy, Message* message)
{
    Remesh map = {0};
    Rod piece;
    CHECK(remesh_reserve(&world->memory, &map, count + 1, 1));
    remesh_fill_piece(&map, rod, first, count, -1);
    CHECK(remesh_rod(&world->memory, &piece, &map));
    rod_update_held(&piece);
    CordResult result = model_of(rod)->remesh(&world->memory, &piece, &map, message);
    *energy = (CordEnergy){0};
    if (result == CORD_OK) {
        model_of(rod)->energy(&piece, energy);
        model_of(rod)->destroy(&world->memory, &piece);
    }
    rod_free_arrays(&world->memory, &piece);
    remesh_free(&world->memory, &map);
    return result;
}

// Two pieces that have an edge in common have every corner between them, once, around a ring and across what
// was glued in: the first up to node k, the second from there on. Bending is summed to this rounding, and
// twist to 1e-13, since its squares have what was glued in.
static inline void check_piece_energies(CordWorld* world, const Rod* rod, double rounding)
{
    int n = rod->line.node_count;
    CordEnergy whole = {0}, a, b;
    Message message;
    model_of(rod)->energy(rod, &whole);
    double most = whole.bend + whole.twist;
    CHECK(most > 1e-5);
    for (int k = 1; k + 2 < n; k++) {
        CHECK_OK(piece_energy(world, rod, 0, k + 2, &a, &message));
        CHECK_OK(piece_energy(world, rod, k, rod->line.closed ? n - k + 2 : n - k, &b, &message));
        CHECK_NEAR(a.bend + b.bend, whole.bend, rounding * n * most);
        CHECK_NEAR(a.twist + b.twist, whole.twist, 1e-13 * n * most);
    }
}

// Halves an edge of a rod in a world of its own while the nth allocation of its model fails, and gives all
// back.
static inline CordResult remesh_without_memory(Heap* heap, CordWorld* world, Rod* rod, int edge, int64_t n)
{
    Wish wish = {.halve = {[0] = false}};
    wish.halve[edge] = true;
    Remesh map = map_of(world, rod, &wish);
    int64_t held = heap->held;
    Rod fresh;
    Message message;
    CHECK(remesh_rod(&world->memory, &fresh, &map));
    remesh_renumber(rod, &map, false);
    rod_update_held(&fresh);
    heap->fail = heap->calls + n;
    CordResult result = model_of(rod)->remesh(&world->memory, &fresh, &map, &message);
    heap->fail = 0;
    remesh_renumber(rod, &map, true);
    CHECK(result == CORD_OK || result == CORD_NO_MEMORY);
    if (result == CORD_OK) {
        model_of(rod)->destroy(&world->memory, &fresh);
    } else {
        CHECK_CONTAINS(message.text, "no memory for rod");
    }
    rod_free_arrays(&world->memory, &fresh);
    CHECK_INT(heap->held, held);
    remesh_free(&world->memory, &map);
    cord_world_destroy(world);
    CHECK_INT(heap->held, 0);
    return result;
}

#endif
