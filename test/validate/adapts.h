// Adaptive rods of every kind, for the claims about them: what they are made of, how they are held, and what
// must not change as they do.
#ifndef CORDAGE_TEST_VALIDATE_ADAPTS_H
#define CORDAGE_TEST_VALIDATE_ADAPTS_H

#include "contacts.h"

#include <cordage/adapt.h>

typedef struct Kind {
    const char* name;
    CordModel model;
    CordIntegrator integrator;
    bool inextensible;
} Kind;

static const Kind kinds[] = {
    {"der", CORD_MODEL_DER, CORD_INTEGRATOR_VERLET, false},
    {"der, inextensible", CORD_MODEL_DER, CORD_INTEGRATOR_VERLET, true},
    {"der, implicit", CORD_MODEL_DER, CORD_INTEGRATOR_BACKWARD_EULER, false},
    {"der, implicit, inextensible", CORD_MODEL_DER, CORD_INTEGRATOR_BACKWARD_EULER, true},
    {"corde", CORD_MODEL_CORDE, CORD_INTEGRATOR_VERLET, false},
    {"corde, inextensible", CORD_MODEL_CORDE, CORD_INTEGRATOR_VERLET, true},
    {"corde, implicit", CORD_MODEL_CORDE, CORD_INTEGRATOR_BACKWARD_EULER, false},
    {"corde, implicit, inextensible", CORD_MODEL_CORDE, CORD_INTEGRATOR_BACKWARD_EULER, true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

// A metre or so of rubber, 2 cm thick, whose nodes change by hand alone.
static inline CordRodDef adaptive_rod(const Kind* kind)
{
    CordRodDef def = cord_rod_def_default();
    def.model = kind->model, def.integrator = kind->integrator, def.inextensible = kind->inextensible;
    def.material.young = 4e6, def.material.poisson = 0.4, def.material.density = 1100.0;
    def.section = cord_section_disc(0.01);
    def.adapt = cord_adapt_def_default();
    def.adapt.on = true, def.adapt.by_contact = false;
    def.adapt.refine_turn = 3.0, def.adapt.merge_turn = 1e-9, def.adapt.merge_time = 1e9;
    return def;
}

static inline double fastest(const CordWorld* world, CordRodId rod) // of its nodes [m/s]
{
    CordVec3 v[MOST_NODES];
    CHECK(cord_rod_node_count(world, rod) <= MOST_NODES);
    CHECK_OK(cord_rod_velocities(world, rod, v));
    double most = 0.0;
    for (int i = 0; i < cord_rod_node_count(world, rod); i++) {
        most = fmax(most, size_of(v[i]));
    }
    return most;
}

// Least distance between the surfaces of all edges of a rod that can touch, by brute force: those with at
// least half a turn of the radius between them, along the rod.
static inline double least_gap_along(CordWorld* world, CordRodId rod)
{
    CordFrame f;
    double arc[MOST_NODES], length = cord_rod_length(world, rod), least = INFINITY;
    CHECK_OK(cord_rod_arcs(world, rod, arc));
    CHECK_OK(cord_world_frame(world, &f)); // of a world with this rod alone
    CHECK(f.rod_count == 1 && f.node_count < MOST_NODES);
    arc[f.node_count] = length;
    for (int i = 0; i < f.edge_count; i++) {
        for (int j = i + 1; j < f.edge_count; j++) {
            double between = arc[j] - arc[i + 1], around = length - arc[j + 1] + arc[i];
            if (fmin(between, f.rods[0].closed ? around : between) >= pi * f.radius[i]) {
                least = fmin(least, gap_of_edges(&f, &f.rods[0], i, &f.rods[0], j));
            }
        }
    }
    return least;
}

typedef struct Change {
    bool made;
    double element; // the one that was halved, or that two halves have become: its rest length [m]
} Change;

static inline double edge_length(const CordWorld* world, CordRodId rod, int edge)
{
    double arc[MOST_NODES];
    CHECK(cord_rod_node_count(world, rod) <= MOST_NODES);
    CHECK_OK(cord_rod_arcs(world, rod, arc));
    bool last = edge + 1 == cord_rod_node_count(world, rod); // of a ring
    return (last ? cord_rod_length(world, rod) : arc[edge + 1]) - arc[edge];
}

// One change at random, if the rod's bounds allow it there.
static inline Change change_at_random(CordWorld* world, CordRodId rod, unsigned* seed)
{
    int nodes = cord_rod_node_count(world, rod), edges = cord_rod_edge_count(world, rod);
    bool merges = random_pm(seed) > 0.0;
    double where = 0.5 * (1.0 + random_pm(seed)) * (1.0 - 1e-9);
    int node = (int)(where * nodes), edge = (int)(where * edges);
    double halved = edge_length(world, rod, edge);
    CordResult result = merges ? cord_rod_merge(world, rod, node) : cord_rod_refine(world, rod, edge);
    if (result == CORD_BAD_ARGUMENT) {
        CHECK_INT(cord_rod_node_count(world, rod), nodes);
        return (Change){0};
    }
    CHECK_OK(result);
    CHECK_INT(cord_rod_node_count(world, rod), merges ? nodes - 1 : nodes + 1);
    int before = node > 0 ? node - 1 : nodes - 2; // of the edges that have become one
    return (Change){true, merges ? edge_length(world, rod, before) : halved};
}

#endif
