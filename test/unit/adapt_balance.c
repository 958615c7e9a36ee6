#include "adapt/balance.h"
#include "remesh_rods.h"

static CordVec3 sum_of(const CordVec3* f, int count)
{
    CordVec3 sum = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        sum = vec3_add(sum, f[i]);
    }
    return sum;
}

static CordRodDef adaptive(CordRodDef def)
{
    def.adapt.on = true;
    def.adapt.refine_turn = 3.0; // so that none begins with halves
    return def;
}

#define NODES 12

// Bent and stretched, by differences.
TEST(forces_are_the_gradient_of_the_energy)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = adaptive(line_def(NODES));
    Rod* rod = world_rod(world, add_rod(world, &def));
    const CordCenterline* c = &rod->line;
    uint64_t seed = 1;
    shake(world, rod->id, &seed, 0.01);
    CHECK_OK(world_prepare(world));
    CordVec3 force[NODES], without[NODES], less[NODES];
    balance_forces(rod, NULL, force);
    const double h = 1e-6;
    for (int i = 0; i < NODES; i++) {
        double* x = &c->x[1][slot_of(c, i)];
        double at = *x, energy[2];
        for (int k = 0; k < 2; k++) {
            CordEnergy e = {0};
            *x = at + (k == 0 ? h : -h);
            model_of(rod)->energy(rod, &e);
            energy[k] = e.bend + e.twist + e.stretch;
        }
        *x = at;
        // rounding of energies of 1e-2 J, over 2e-6 m
        CHECK_NEAR(force[i].y, (energy[0] - energy[1]) / (2 * h), 1e-7);
        without[i] = random_vec3(&seed, 1.0);
    }
    CHECK(vec3_length(force[5]) > 0.1);
    balance_forces(rod, without, less);
    for (int i = 0; i < NODES; i++) {
        CHECK_VEC3(less[i], vec3_sub(force[i], without[i]), 1e-15);
    }
    cord_world_destroy(world);
}

// A straight rod whose tension grows from edge to edge, whichever way it is kept.
TEST(tensions_of_an_inextensible_rod_are_among_the_forces)
{
    for (int implicit = 0; implicit < 2; implicit++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = adaptive(line_def(NODES));
        def.inextensible = true;
        def.integrator = implicit ? CORD_INTEGRATOR_BACKWARD_EULER : CORD_INTEGRATOR_VERLET;
        Rod* rod = world_rod(world, add_rod(world, &def));
        CHECK_OK(world_prepare(world));
        const CordCenterline* c = &rod->line;
        for (int j = 0; j < c->edge_count; j++) {
            c->pull[slot_of(c, j)] = (double)(j + 1) / (implicit ? 1.0 : edge_rest_len(c, j));
        }
        CordVec3 force[NODES];
        balance_forces(rod, NULL, force);
        for (int i = 0; i < NODES; i++) { // straight along x: from one edge to the next it grows by 1 N
            double expected = i == NODES - 1 ? NODES - 1.0 : -1.0;
            CHECK_VEC3(force[i], ((CordVec3){expected, 0, 0}), 1e-13);
        }
        cord_world_destroy(world);
    }
}

TEST(shares_add_up_to_what_there_was_and_weight_stays_weight)
{
    for (int kind = 0; kind < 4; kind++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = adaptive(kind % 2 ? ring_def(NODES) : line_def(NODES));
        CordStiffness along[NODES];
        uint64_t seed = (uint64_t)kind;
        for (int j = 0; j < NODES; j++) {
            along[j] = def.stiffness;
            along[j].mass_per_length *= random_in(&seed, 0.5, 2.0);
        }
        if (kind >= 2) {
            def.stiffness = cord_stiffness_unset();
            def.stiffnesses = along, def.along_count = kind % 2 ? NODES : NODES - 1;
        }
        Rod* rod = world_rod(world, add_rod(world, &def));
        CHECK_OK(world_prepare(world));
        remesh_at_random(world, rod, 10, true, &seed);
        int n = rod->line.node_count;
        Wish wish = {0};
        for (int j = 0; j < rod->line.edge_count; j++) { // neighbours, too, and across node 0
            wish.halve[j] = may_halve(rod, j) && random_in(&seed, 0, 1) < 0.7;
        }
        Remesh map = map_of(world, rod, &wish);
        CordVec3 force[REMESH_MOST], next[REMESH_MOST], weight[REMESH_MOST];
        const CordVec3 g = {0, 0, -9.81};
        for (int i = 0; i < n; i++) {
            force[i] = random_vec3(&seed, 1.0);
            weight[i] = vec3_mul(g, rod_node_mass(rod, i));
        }
        CHECK(map.node_count > n + 2);
        balance_share(&map, rod, force, next);
        CHECK_VEC3(sum_of(next, map.node_count), sum_of(force, n), 1e-14 * n);
        balance_share(&map, rod, weight, next);
        Rod fresh;
        CHECK(remesh_rod(&world->memory, &fresh, &map));
        for (int i = 0; i < map.node_count; i++) { // each node has its own, as its mass has it
            CHECK_VEC3(next[i], vec3_mul(g, rod_node_mass(&fresh, i)), 1e-15);
        }
        rod_free_arrays(&world->memory, &fresh);
        remesh_free(&world->memory, &map);
        cord_world_destroy(world);
    }
}

// What holds a node pulls as it must, whatever the mass: new nodes beside it are pulled as those on their
// other side, and between two that are held by nothing.
TEST(what_holds_a_node_is_not_shared)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = adaptive(line_def(NODES));
    CordRodId id = add_rod(world, &def);
    Rod* rod = world_rod(world, id);
    hold(world, id, cord_at_node(3), CORD_FIX_POSITION);
    hold(world, id, cord_at_node(6), CORD_FIX_POSITION);
    hold(world, id, cord_at_node(7), CORD_FIX_POSITION);
    CHECK_OK(world_prepare(world));
    CordVec3 force[NODES], next[REMESH_MOST];
    double mass = rod_node_mass(rod, 5);
    for (int i = 0; i < NODES; i++) {
        force[i] = (CordVec3){0, 0, i == 3 || i == 6 || i == 7 ? 1e6 : -9.81 * rod_node_mass(rod, i)};
    }
    Wish wish = {.halve = {[2] = true, [3] = true, [6] = true}};
    Remesh map = map_of(world, rod, &wish);
    balance_share(&map, rod, force, next);
    CHECK_INT(map.node[3], -1);
    CHECK_VEC3(next[3], ((CordVec3){0, 0, -9.81 * 0.5 * mass}), 1e-15);
    CHECK_INT(map.node[5], -1);
    CHECK_VEC3(next[5], ((CordVec3){0, 0, -9.81 * 0.5 * mass}), 1e-15);
    CHECK_INT(map.node[9], -1);
    CHECK_VEC3(next[9], ((CordVec3){0, 0, 0}), 0.0);
    remesh_free(&world->memory, &map);
    cord_world_destroy(world);
}

TEST_GROUP(adapt_balance)
