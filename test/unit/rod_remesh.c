#include "base_heap.h"
#include "remesh_rods.h"
#include "rod_crooked.h"

static CordRodDef adaptive(CordRodDef def)
{
    def.adapt.on = true;
    def.adapt.refine_turn = 3.0; // so that none begins with halves
    return def;
}

static Rod* add_adaptive(CordWorld* world, CordRodDef def)
{
    def = adaptive(def);
    return world_rod(world, add_rod(world, &def));
}

static void check_ints(const int* actual, const int* expected, int count)
{
    for (int i = 0; i < count; i++) {
        CHECK_INT(actual[i], expected[i]);
    }
}

// ---- maps

static const RemeshKind W = REMESH_WHOLE, F = REMESH_FIRST_HALF, S = REMESH_SECOND_HALF, M = REMESH_MERGED;

static void check_kinds(const Remesh* map, const RemeshKind* expected)
{
    for (int j = 0; j < map->edge_count; j++) {
        CHECK_INT(map->kind[j], expected[j]);
    }
}

TEST(halves_are_put_in_and_taken_out_of_an_open_rod)
{
    CordWorld* world = new_weightless_world();
    Rod* rod = add_adaptive(world, line_def(5));
    Wish wish = {.halve = {[0] = true, [3] = true}};
    Remesh map = map_of(world, rod, &wish);
    CHECK_INT(map.node_count, 7);
    CHECK_INT(map.edge_count, 6);
    check_ints(map.node, (int[]){0, -1, 1, 2, 3, -1, 4}, 7);
    check_ints(map.edge, (int[]){0, 0, 1, 2, 3, 3}, 6);
    check_kinds(&map, (RemeshKind[]){F, S, W, W, F, S});
    check_ints(map.tick, (int[]){0, 2, 4, 8, 12, 14, 16}, 7);
    check_ints(map.old_node, (int[]){0, 2, 3, 4, 6}, 5);
    check_ints(map.old_edge, (int[]){0, 2, 3, 4}, 4);
    take_map(world, rod, &map);
    remesh_free(&world->memory, &map);
    wish = (Wish){.drop = {[1] = true, [5] = true}, .halve = {[2] = true}};
    map = map_of(world, rod, &wish);
    CHECK_INT(map.node_count, 6);
    check_ints(map.node, (int[]){0, 2, -1, 3, 4, 6}, 6);
    check_ints(map.edge, (int[]){0, 2, 2, 3, 4}, 5);
    check_kinds(&map, (RemeshKind[]){M, F, S, W, M});
    check_ints(map.tick, (int[]){0, 4, 6, 8, 12, 16}, 6);
    check_ints(map.old_node, (int[]){0, -1, 1, 3, 4, -1, 5}, 7);
    check_ints(map.old_edge, (int[]){0, 0, 1, 3, 4, 4}, 6);
    for (int i = 1; i < 5; i++) {
        CHECK(!remesh_keeps_corner(&map, &rod->line, i)); // there is a change beside each
    }
    remesh_free(&world->memory, &map);
    cord_world_destroy(world);
}

TEST(corners_between_edges_that_stay_are_kept)
{
    CordWorld* world = new_weightless_world();
    Rod* rod = add_adaptive(world, ring_def(6));
    Wish wish = {.halve = {[2] = true}};
    Remesh map = map_of(world, rod, &wish);
    Rod fresh;
    CHECK(remesh_rod(&world->memory, &fresh, &map));
    static const bool kept[] = {true, true, false, false, false, true, true};
    for (int i = 0; i < 7; i++) {
        CHECK_INT(remesh_keeps_corner(&map, &fresh.line, i), kept[i]);
    }
    rod_free_arrays(&world->memory, &fresh);
    remesh_free(&world->memory, &map);
    cord_world_destroy(world);
}

TEST(a_ring_is_halved_and_merged_on_both_sides_of_its_first_node)
{
    CordWorld* world = new_weightless_world();
    Rod* rod = add_adaptive(world, ring_def(6));
    double side = edge_rest_len(&rod->line, 5);
    CordVec3 last = node_position(&rod->line, 5), first = node_position(&rod->line, 0);
    Wish wish = {.halve = {[0] = true, [5] = true}};
    Remesh map = map_of(world, rod, &wish);
    check_ints(map.node, (int[]){0, -1, 1, 2, 3, 4, 5, -1}, 8);
    check_ints(map.edge, (int[]){0, 0, 1, 2, 3, 4, 5, 5}, 8);
    check_kinds(&map, (RemeshKind[]){F, S, W, W, W, W, F, S});
    check_ints(map.tick, (int[]){0, 2, 4, 8, 12, 16, 20, 22}, 8);
    take_map(world, rod, &map);
    remesh_free(&world->memory, &map);
    CHECK_VEC3(node_position(&rod->line, 7), vec3_mul(vec3_add(last, first), 0.5), 0.0);
    CHECK_NEAR(edge_rest_len(&rod->line, 7), 0.5 * side, 0.0);
    CHECK_NEAR(edge_rest_len(&rod->line, 6), 0.5 * side, 0.0);
    // copies across the seam, too
    CHECK_VEC3(edge_vector(&rod->line, 7), vec3_mul(vec3_sub(first, last), 0.5), 1e-16);
    wish = (Wish){.drop = {[1] = true, [7] = true}};
    map = map_of(world, rod, &wish);
    check_ints(map.node, (int[]){0, 2, 3, 4, 5, 6}, 6);
    check_kinds(&map, (RemeshKind[]){M, W, W, W, W, M});
    check_ints(map.old_edge, (int[]){0, 0, 1, 2, 3, 4, 5, 5}, 8);
    take_map(world, rod, &map);
    remesh_free(&world->memory, &map);
    CHECK_NEAR(edge_rest_len(&rod->line, 5), side, 0.0);
    CHECK_VEC3(edge_vector(&rod->line, 5), vec3_sub(first, last), 1e-16);
    cord_world_destroy(world);
}

TEST(a_piece_may_lie_across_the_first_node_of_a_ring)
{
    CordWorld* world = new_weightless_world();
    Rod* rod = add_adaptive(world, ring_def(9));
    halve_edge(world, rod, 8);
    Remesh map = {0};
    Rod piece;
    CHECK(remesh_reserve(&world->memory, &map, 16, 1));
    remesh_fill_piece(&map, rod, 7, 6, -1);
    check_ints(map.node, (int[]){7, 8, 9, 0, 1, 2}, 6);
    check_ints(map.edge, (int[]){7, 8, 9, 0, 1}, 5);
    check_kinds(&map, (RemeshKind[]){W, W, W, W, W});
    CHECK(remesh_rod(&world->memory, &piece, &map));
    CHECK(!piece.line.closed && !piece.grid && piece.clamp_count == 0 && piece.load_count == 0);
    for (int i = 0; i < 6; i++) {
        CHECK_VEC3(node_position(&piece.line, i), node_position(&rod->line, map.node[i]), 0.0);
    }
    for (int j = 0; j < 5; j++) {
        CHECK_NEAR(edge_rest_len(&piece.line, j), edge_rest_len(&rod->line, map.edge[j]), 0.0);
    }
    rod_free_arrays(&world->memory, &piece);
    remesh_fill_piece(&map, rod, 7, 6, 9); // and without the one in the middle of the last edge
    CHECK_INT(map.node_count, 5);
    check_ints(map.node, (int[]){7, 8, 0, 1, 2}, 5);
    check_kinds(&map, (RemeshKind[]){W, M, W, W});
    CHECK(remesh_rod(&world->memory, &piece, &map));
    CHECK_NEAR(edge_rest_len(&piece.line, 1), 2.0 * edge_rest_len(&rod->line, 8), 1e-16);
    CHECK_VEC3(node_position(&piece.line, 2), node_position(&rod->line, 0), 0.0);
    rod_free_arrays(&world->memory, &piece);
    remesh_free(&world->memory, &map);
    cord_world_destroy(world);
}

// To the ticks that are there, to all there may be, and to as few as there may be.
TEST(any_ticks_can_be_gone_to)
{
    for (int closed = 0; closed < 2; closed++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = adaptive(closed ? ring_def(8) : line_def(9));
        def.adapt.longest = 2.0;
        Rod* rod = world_rod(world, add_rod(world, &def));
        halve_edge(world, rod, 3);
        halve_edge(world, rod, 3);
        double length = centerline_rest_length(&rod->line);
        for (int way = 0; way < 3; way++) {
            Remesh map = {0};
            int tick[64], count = 0, end = rod->grid->end, step = way == 1 ? 1 : 8,
                          was = rod->line.node_count;
            for (int t = 0; t < end + !closed; t += step) {
                tick[count++] = t;
            }
            count = way == 0 ? was : count;
            memcpy(tick, way == 0 ? rod->grid->tick : tick, sizeof(int) * (size_t)count);
            CHECK(remesh_reserve(&world->memory, &map, count + 1, was));
            remesh_fill_ticks(&map, rod, tick, count);
            CHECK_INT(map.node_count, count);
            CHECK_INT(map.edge_count, closed ? count : count - 1);
            check_ints(map.tick, tick, count);
            for (int i = 0; i < count; i++) { // both ways lead to the same node
                CHECK(map.node[i] < 0 ||
                      (rod->grid->tick[map.node[i]] == tick[i] && map.old_node[map.node[i]] == i));
                CHECK(way == 1 || map.node[i] >= 0);
            }
            for (int j = 0; j < rod->line.edge_count; j++) { // what an edge has become has its start in it
                int edge = map.old_edge[j], t = rod->grid->tick[j];
                CHECK(edge >= 0 && edge < map.edge_count && tick[edge] <= t);
                CHECK(edge + 1 >= count || t < tick[edge + 1]);
            }
            for (int j = 0; j < map.edge_count; j++) {
                CHECK(way > 0 || map.kind[j] == REMESH_WHOLE);
            }
            take_map(world, rod, &map);
            CHECK_INT(rod->line.node_count, count);
            CHECK_NEAR(centerline_rest_length(&rod->line), length, 1e-15);
            remesh_free(&world->memory, &map);
        }
        cord_world_destroy(world);
    }
}

// ---- the rod

typedef struct Sums {
    double mass, length;
    CordVec3 momentum;
} Sums;

static Sums sums_of(const Rod* rod)
{
    Sums s = {0};
    for (int i = 0; i < rod->line.node_count; i++) {
        double mass = rod_node_mass(rod, i);
        s.mass += mass;
        s.momentum = vec3_madd(s.momentum, node_velocity(&rod->line, i), mass);
    }
    s.length = centerline_rest_length(&rod->line);
    return s;
}

static void check_sums(const Rod* rod, const Sums* expected)
{
    Sums s = sums_of(rod);
    CHECK_NEAR(s.mass, expected->mass, 1e-14 * expected->mass); // a rounding from each of a hundred nodes
    CHECK_NEAR(s.length, expected->length, 1e-14 * expected->length);
    CHECK_VEC3(s.momentum, expected->momentum, 1e-14 * expected->mass); // at a metre per second or so
}

#define UNEVEN 11

static Rod* add_uneven(CordWorld* world, bool closed, bool varies, uint64_t* seed)
{
    CordVec3 x[UNEVEN];
    CordStiffness along[UNEVEN];
    CordRodDef def = adaptive(closed ? ring_def(UNEVEN) : line_def(UNEVEN));
    for (int i = 0; i < UNEVEN; i++) {
        x[i] = vec3_add(even_point(i, UNEVEN, closed), random_vec3(seed, 0.02));
        along[i] = def.stiffness;
        along[i].mass_per_length *= random_in(seed, 0.5, 2.0);
        along[i].EI1 *= random_in(seed, 0.5, 2.0);
        along[i].EI2 = along[i].EI1;
    }
    def.shape = cord_shape_points(x, UNEVEN);
    if (varies) {
        def.stiffness = cord_stiffness_unset();
        def.stiffnesses = along, def.along_count = closed ? UNEVEN : UNEVEN - 1;
    }
    return world_rod(world, add_rod(world, &def));
}

TEST(mass_length_and_momentum_are_kept)
{
    for (int kind = 0; kind < 4; kind++) {
        CordWorld* world = new_weightless_world();
        uint64_t seed = (uint64_t)kind;
        Rod* rod = add_uneven(world, kind % 2, kind >= 2, &seed);
        for (int n = 0; n < 100; n++) {
            throw_nodes(rod, &seed, 1.0);
            Sums sums = sums_of(rod);
            remesh_at_random(world, rod, 10, true, &seed);
            check_sums(rod, &sums);
        }
        cord_world_destroy(world);
    }
}

// Every second node of a rod of halves: each that stays has half of two that go, or of one.
TEST(momentum_is_kept_where_nodes_go_on_both_sides_of_one)
{
    for (int kind = 0; kind < 4; kind++) {
        CordWorld* world = new_weightless_world();
        uint64_t seed = (uint64_t)kind;
        Rod* rod = add_uneven(world, kind % 2, kind >= 2, &seed);
        Wish halves = {0}, back = {0};
        for (int j = 0; j < rod->line.edge_count; j++) {
            halves.halve[j] = true;
            back.drop[2 * j + 1] = true;
        }
        take_wish(world, rod, &halves);
        throw_nodes(rod, &seed, 1.0);
        Sums sums = sums_of(rod);
        take_wish(world, rod, &back);
        CHECK_INT(rod->line.node_count, UNEVEN);
        check_sums(rod, &sums);
        cord_world_destroy(world);
    }
}

TEST(what_is_halved_and_merged_is_as_it_was)
{
    for (int kind = 0; kind < 4; kind++) {
        CordWorld* world = new_weightless_world();
        uint64_t seed = (uint64_t)kind;
        Rod* rod = add_uneven(world, kind % 2, kind >= 2, &seed);
        const CordCenterline* c = &rod->line;
        CordVec3 x[UNEVEN];
        double length[UNEVEN], mass[UNEVEN];
        for (int i = 0; i < UNEVEN; i++) {
            x[i] = node_position(c, i);
            length[i] = c->rest_len[slot_of(c, i)];
            mass[i] = rod_node_mass(rod, i);
        }
        remesh_at_random(world, rod, 1000, true, &seed);
        remesh_back(world, rod);
        CHECK_INT(c->node_count, UNEVEN);
        for (int i = 0; i < UNEVEN; i++) {
            CHECK_VEC3(node_position(c, i), x[i], 0.0);
            CHECK_NEAR(c->rest_len[slot_of(c, i)], length[i], 0.0); // of the base, not of sums
            CHECK_NEAR(rod_node_mass(rod, i), mass[i], 0.0);
        }
        cord_world_destroy(world);
    }
}

// An explicit rod keeps tension over length, an implicit one tension.
TEST(tension_is_the_same_in_halves_and_in_what_they_become)
{
    for (int implicit = 0; implicit < 2; implicit++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = adaptive(line_def(5));
        def.inextensible = true;
        def.integrator = implicit ? CORD_INTEGRATOR_BACKWARD_EULER : CORD_INTEGRATOR_VERLET;
        Rod* rod = world_rod(world, add_rod(world, &def));
        const CordCenterline* c = &rod->line;
        for (int j = 0; j < 4; j++) {
            c->pull[j] = (3.0 + j) / (implicit ? 1.0 : edge_rest_len(c, j));
        }
        halve_edge(world, rod, 1);
        halve_edge(world, rod, 1);
        static const double pulls[] = {3, 4, 4, 4, 5, 6};
        for (int j = 0; j < 6; j++) {
            CHECK_NEAR(c->pull[j] * (implicit ? 1.0 : edge_rest_len(c, j)), pulls[j], 1e-15);
        }
        drop_node(world, rod, 2);
        drop_node(world, rod, 2);
        for (int j = 0; j < 4; j++) {
            CHECK_NEAR(c->pull[j] * (implicit ? 1.0 : edge_rest_len(c, j)), 3.0 + j, 1e-15);
        }
        cord_world_destroy(world);
    }
}

TEST(clamps_and_loads_are_renumbered_there_and_back)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = adaptive(line_def(9));
    CordRodId id = add_rod(world, &def);
    Rod* rod = world_rod(world, id);
    hold(world, id, cord_at_edge(3), CORD_FIX_FRAME);
    hold(world, id, cord_at_node(6), CORD_FIX_POSITION);
    add_force(world, id, cord_at_end(), (CordVec3){0, 0, 1});
    add_drag(world, (CordRodId){0, 0}, 0.1);
    CHECK_OK(world_prepare(world));
    Wish wish = {.halve = {[0] = true, [4] = true, [7] = true}};
    Remesh map = map_of(world, rod, &wish);
    for (int back = 0; back < 2; back++) {
        remesh_renumber(rod, &map, back);
        CHECK_INT(rod->clamps[0]->edge, back ? 3 : 4);
        CHECK_INT(rod->clamps[0]->node[0], back ? 3 : 4);
        CHECK_INT(rod->clamps[0]->node[1], back ? 4 : 5);
        CHECK_INT(rod->clamps[1]->edge, -1);
        CHECK_INT(rod->clamps[1]->node[0], back ? 6 : 8);
        CHECK_INT(rod->loads[0]->node, back ? 8 : 11);
        CHECK(rod->loads[1]->rod == NULL && rod->loads[1]->node == 0); // on every rod
    }
    take_map(world, rod, &map);
    remesh_free(&world->memory, &map);
    CHECK_NEAR(rod->line.w[8], 0.0, 0.0);
    CHECK_NEAR(rod->line.w[4] + rod->line.w[5], 0.0, 0.0);
    CHECK(rod->line.w[6] > 0.0);
    wish = (Wish){.drop = {[1] = true, [6] = true}};
    take_wish(world, rod, &wish);
    CHECK_INT(rod->clamps[0]->edge, 3);
    CHECK_INT(rod->clamps[1]->node[0], 6);
    CHECK_INT(rod->loads[0]->node, 9);
    cord_world_destroy(world);
}

// ---- no memory

TEST(a_rod_that_finds_no_memory_leaves_nothing_behind)
{
    for (int kind = 0; kind < 3; kind++) {
        int64_t fails = 0;
        for (bool made = false; !made; fails++) {
            Heap heap = {0};
            CordWorld* world = world_on(&heap);
            uint64_t seed = 1;
            Rod* rod = add_uneven(world, kind % 2, kind >= 2, &seed);
            Wish wish = {.halve = {[4] = true}};
            Remesh map = map_of(world, rod, &wish);
            int64_t held = heap.held;
            Rod fresh;
            heap.fail = heap.calls + 1 + fails;
            made = remesh_rod(&world->memory, &fresh, &map);
            heap.fail = 0;
            if (made) {
                rod_free_arrays(&world->memory, &fresh);
            }
            CHECK_INT(heap.held, held);
            remesh_free(&world->memory, &map);
            cord_world_destroy(world);
            CHECK_INT(heap.held, 0);
        }
        CHECK(fails > (kind < 2 ? 1 : 3)); // the centreline; sections and radii
    }
}

TEST(a_map_that_finds_no_memory_is_as_it_was)
{
    for (int64_t n = 1; n <= 3; n++) {
        Heap heap = {0};
        Memory memory = memory_on(&heap);
        Remesh map = {0};
        CHECK(remesh_reserve(&memory, &map, 8, 4));
        heap.fail = heap.calls + n;
        CHECK(!remesh_reserve(&memory, &map, 100, 50));
        heap.fail = 0;
        CHECK(map.capacity >= 8 && map.old_capacity >= 4);
        CHECK(remesh_reserve(&memory, &map, 100, 50));
        int64_t calls = heap.calls;
        CHECK(remesh_reserve(&memory, &map, 90, 50));
        CHECK_INT(heap.calls, calls);
        remesh_free(&memory, &map);
        CHECK_INT(heap.held, 0);
    }
}

TEST_GROUP(rod_remesh)
