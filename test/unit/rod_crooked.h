// Crooked rods for tests of the models, thrown about, and their energies against gradients.
#ifndef CORD_TEST_UNIT_ROD_CROOKED_H
#define CORD_TEST_UNIT_ROD_CROOKED_H

#include "world_rods.h"

#define CROOKED_NODES 14

// Around a ring, or along a helix.
static inline CordVec3 even_point(int i, int nodes, bool closed)
{
    double angle = 2 * CORD_PI * i / nodes;
    return closed ? (CordVec3){0.2 * cos(angle), 0.2 * sin(angle), 0}
                  : (CordVec3){0.1 * cos(0.3 * i), 0.1 * sin(0.3 * i), 0.08 * i};
}

static inline CordStiffness random_section(uint64_t* seed)
{
    CordStiffness k = cord_stiffness_unset();
    k.EI1 = RODS_EI * random_in(seed, 0.5, 1.5), k.EI2 = RODS_EI * random_in(seed, 2.0, 6.0);
    k.EI12 = RODS_EI * random_in(seed, -0.6, 0.6), k.GJ = RODS_GJ * random_in(seed, 0.5, 1.5);
    k.EA = RODS_EA * random_in(seed, 0.5, 1.5), k.mass_per_length = RODS_MASS * random_in(seed, 0.5, 1.5);
    k.rotary1 = 1e-5 * random_in(seed, 0.5, 1.5), k.rotary2 = 1e-5 * random_in(seed, 2.0, 6.0);
    k.spin_inertia = k.rotary1 + k.rotary2;
    return k;
}

// What a crooked rod is made from, which a def borrows.
typedef struct Crooked {
    CordRodDef def;
    CordVec3 x[CROOKED_NODES], rest[CROOKED_NODES];
    CordStiffness along[CROOKED_NODES];
} Crooked;

// A flat rod whose section varies from edge to edge, curved and twisted at rest, its nodes then moved by up
// to a third of an edge.
static inline void crooked_rod_def(Crooked* a, bool closed, uint64_t seed)
{
    for (int i = 0; i < CROOKED_NODES; i++) {
        CordVec3 x = even_point(i, CROOKED_NODES, closed);
        a->x[i] = vec3_add(x, random_vec3(&seed, 0.02));
        a->rest[i] = vec3_add(x, random_vec3(&seed, 0.02));
        a->along[i] = random_section(&seed);
    }
    a->def = line_def(CROOKED_NODES);
    a->def.stiffness = cord_stiffness_unset();
    a->def.shape = cord_shape_points(a->x, CROOKED_NODES);
    a->def.rest = CORD_REST_SHAPE;
    a->def.rest_shape = cord_shape_points(a->rest, CROOKED_NODES);
    a->def.closed = closed;
    a->def.stiffnesses = a->along, a->def.along_count = closed ? CROOKED_NODES : CROOKED_NODES - 1;
    a->def.m1 = random_vec3(&seed, 1.0);
    a->def.twist = random_in(&seed, -2.0, 2.0), a->def.rest_twist = random_in(&seed, -2.0, 2.0);
}

static inline void throw_nodes(const Rod* rod, uint64_t* seed, double speed)
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < c->node_count; i++) {
        slot_set(c->v, slot_of(c, i), random_vec3(seed, speed));
    }
    centerline_wrap(c, c->v);
}

static inline double largest_length(const CordVec3* a, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, vec3_length(a[i]));
    }
    return most;
}

static const CordVec3 kick_gravity = {0.3, -0.2, -9.81};

// Velocities and positions after a kick by forces f on the nodes, to a rounding of these; without a step
// nothing is moved.
static inline void check_kicked(const CordCenterline* c, const CordVec3* f, double kick, double h,
                                double rounding)
{
    double most_w = 0.0;
    for (int i = 0; i < c->node_count; i++) {
        most_w = fmax(most_w, c->w[slot_of(c, i)]);
    }
    double round = rounding * (1.0 + kick * most_w * largest_length(f, c->node_count));
    for (int i = 0; i < c->node_count; i++) {
        int s = slot_of(c, i);
        CordVec3 v = vec3_madd(node_velocity(c, i), f[i], kick * c->w[s]), next = slot_get(c->v_next, s);
        CHECK_VEC3(next, vec3_madd(v, kick_gravity, kick), round);
        CordVec3 moved = h > 0.0 ? vec3_madd(node_position(c, i), next, h) : (CordVec3){0, 0, 0};
        CHECK_VEC3(slot_get(c->x_next, s), moved, 0.0); // exact, or not written
    }
}

// ---- gradients by differences

typedef double (*RodEnergy)(Rod* rod);
typedef void (*RodMove)(Rod* rod, int index, int component, double by); // back by the opposite

static inline void move_node(Rod* rod, int node, int component, double by)
{
    rod->line.x[component][slot_of(&rod->line, node)] += by;
    centerline_wrap(&rod->line, rod->line.x);
}

// Of fourth order: central differences over one step and over two.
static inline double energy_slope(Rod* rod, RodEnergy energy, RodMove move, int index, int component,
                                  double step)
{
    static const double to[4] = {-2.0, -1.0, 1.0, 2.0};
    double at[4];
    for (int k = 0; k < 4; k++) {
        move(rod, index, component, step * to[k]);
        at[k] = energy(rod);
        move(rod, index, component, -step * to[k]);
    }
    return (8.0 * (at[2] - at[1]) - (at[3] - at[0])) / (12.0 * step);
}

// The largest error of a gradient at nodes from .. to - 1 over its largest component. Steps of 1e-6 in edges
// of 0.1 m: 1e-20 of the fifth derivative, which is large where a frame is about to turn over, is left of the
// slope, round-off 1e-16 of the energy over the step, 1e-9 of the slope.
static inline double gradient_error(Rod* rod, RodEnergy energy, const CordVec3* dE_dx, int from, int to)
{
    double error = 0.0, size = 0.0;
    for (int i = from; i < to; i++) {
        const double given[3] = {dE_dx[i].x, dE_dx[i].y, dE_dx[i].z};
        for (int k = 0; k < 3; k++) {
            double slope = energy_slope(rod, energy, move_node, i, k, 1e-6);
            error = fmax(error, fabs(slope - given[k]));
            size = fmax(size, fabs(slope));
        }
    }
    CHECK(size > 0.0);
    return error / size;
}

#endif
