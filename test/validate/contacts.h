// Rods that touch, for the claims about contact: worlds with contact on, obstacles, and gaps by brute force.
#ifndef CORDAGE_TEST_VALIDATE_CONTACTS_H
#define CORDAGE_TEST_VALIDATE_CONTACTS_H

#include "rods.h"

#include <cordage/contact.h>

static const char* const integrator_names[] = {"verlet", "symplectic Euler", "midpoint", "backward Euler"};

static inline const char* kind_name(CordIntegrator integrator, bool inextensible)
{
    static const char* const names[][2] = {
        {"verlet, extensible", "verlet, inextensible"},
        {"symplectic Euler, extensible", "symplectic Euler, inextensible"},
        {"midpoint, extensible", "midpoint, inextensible"},
        {"backward Euler, extensible", "backward Euler, inextensible"},
    };
    return names[integrator][inextensible];
}

static inline bool is_implicit(CordIntegrator integrator)
{
    return integrator == CORD_INTEGRATOR_MIDPOINT || integrator == CORD_INTEGRATOR_BACKWARD_EULER;
}

static inline void touch_with(CordWorld* world, double friction)
{
    CordContactDef def = cord_contact_def_default();
    def.friction = friction;
    CHECK_OK(cord_world_set_contact(world, &def));
}

static inline CordObstacleDef obstacle_def(CordSolidShape shape, CordVec3 size, CordVec3 position)
{
    CordObstacleDef def = cord_obstacle_def_default();
    def.solid = (CordSolid){.shape = shape, .size = size}, def.position = position;
    return def;
}

static inline CordObstacleId add_obstacle(CordWorld* world, const CordObstacleDef* def)
{
    CordObstacleId id;
    CHECK_WORLD_OK(world, cord_obstacle_create(world, def, &id));
    return id;
}

static inline CordObstacleId add_ground(CordWorld* world)
{
    CordObstacleDef def = cord_obstacle_def_default();
    return add_obstacle(world, &def);
}

static inline CordMomentum world_momentum(const CordWorld* world) // its centre is left out
{
    CordMomentum sum = {0};
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordMomentum m = cord_rod_momentum(world, cord_world_rod(world, i));
        sum.linear = plus(sum.linear, m.linear), sum.angular = plus(sum.angular, m.angular);
    }
    for (int i = 0; i < cord_world_body_count(world); i++) {
        CordMomentum m = cord_body_momentum(world, cord_world_body(world, i));
        sum.linear = plus(sum.linear, m.linear), sum.angular = plus(sum.angular, m.angular);
    }
    return sum;
}

// ---- a heavy cantilever that rests on a ball near its end; `young` is in Pa

typedef struct Prop {
    CordWorld* world;
    CordRodId rod;
    CordClampId clamp;
    CordObstacleId ball;
} Prop;

static inline Prop propped_cantilever(int elements, double young, double friction)
{
    const double radius = 0.005, ball = 0.02, area = 3.14159265358979 * radius * radius;
    Prop p;
    CordWorldDef heavy = cord_world_def_default();
    CHECK_OK(cord_world_create(&heavy, &p.world));
    CordRodDef def = unit_rod(elements);
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.inextensible = false;
    def.section = cord_section_disc(radius);
    def.shape = cord_shape_line((CordVec3){0, 0, radius}, (CordVec3){0.5, 0, radius}, elements + 1);
    def.stiffness.EA = young * area, def.stiffness.mass_per_length = 1000.0 * area;
    def.stiffness.EI1 = def.stiffness.EI2 = 0.25 * young * area * radius * radius;
    def.stiffness.GJ = def.stiffness.EI1 / 1.5;
    p.rod = add_rod(p.world, &def);
    p.clamp = hold(p.world, p.rod, cord_at_start(), CORD_FIX_FRAME);
    CordObstacleDef support =
        obstacle_def(CORD_SOLID_SPHERE, (CordVec3){ball, 0, 0}, (CordVec3){0.498, 0, -ball});
    p.ball = add_obstacle(p.world, &support);
    touch_with(p.world, friction);
    return p;
}

// ---- gaps by brute force, with formulas of their own

static inline double clamp01(double s)
{
    return s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
}

static inline double point_to_segment(CordVec3 x, CordVec3 p, CordVec3 q)
{
    CordVec3 e = minus(q, p);
    double s = clamp01(dot(minus(x, p), e) / dot(e, e));
    return size_of(minus(x, plus(p, times(e, s))));
}

// The least of five: from each end to the other segment, and between the lines, where they are nearest inside
// both.
static inline double segment_to_segment(CordVec3 p, CordVec3 q, CordVec3 u, CordVec3 v)
{
    double least = fmin(fmin(point_to_segment(p, u, v), point_to_segment(q, u, v)),
                        fmin(point_to_segment(u, p, q), point_to_segment(v, p, q)));
    CordVec3 d = minus(q, p), e = minus(v, u), n = cross(d, e), w = minus(u, p);
    double nn = dot(n, n), s = dot(cross(w, e), n) / nn, t = dot(cross(w, d), n) / nn;
    if (nn > 0.0 && s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) {
        least = fmin(least, fabs(dot(w, n)) / sqrt(nn));
    }
    return least;
}

// Do edges i < j of one rod lie nearer to each other along it than half a turn of its radius? Its edges are
// alike.
static inline bool are_neighbours(const CordWorld* world, int rod, const CordFrameRod* r, int i, int j,
                                  double radius)
{
    double len = cord_rod_length(world, cord_world_rod(world, rod)) / r->edge_count;
    int between = j - i - 1, around = r->edge_count - (j - i) - 1;
    return len * (r->closed && around < between ? around : between) < pi * radius;
}

static inline double gap_of_edges(const CordFrame* f, const CordFrameRod* a, int i, const CordFrameRod* b,
                                  int j)
{
    const CordVec3 *x = f->x + a->first_node, *y = f->x + b->first_node;
    int i1 = (i + 1) % a->node_count, j1 = (j + 1) % b->node_count;
    return segment_to_segment(x[i], x[i1], y[j], y[j1]) - f->radius[a->first_edge + i] -
           f->radius[b->first_edge + j];
}

// Least distance between the surfaces of all edges that can touch.
static inline double least_gap(CordWorld* world)
{
    CordFrame f;
    CHECK_OK(cord_world_frame(world, &f));
    double least = INFINITY;
    for (int a = 0; a < f.rod_count; a++) {
        for (int b = a; b < f.rod_count; b++) {
            const CordFrameRod *ra = &f.rods[a], *rb = &f.rods[b];
            for (int i = 0; i < ra->edge_count; i++) {
                for (int j = a == b ? i + 1 : 0; j < rb->edge_count; j++) {
                    if (a != b || !are_neighbours(world, a, ra, i, j, f.radius[ra->first_edge + i])) {
                        least = fmin(least, gap_of_edges(&f, ra, i, rb, j));
                    }
                }
            }
        }
    }
    return least;
}

#endif
