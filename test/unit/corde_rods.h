// Explicit corde rods, crooked and of every kind, and their orientations turned at will.
#ifndef CORDAGE_TEST_CORDE_RODS_H
#define CORDAGE_TEST_CORDE_RODS_H

#include "model/corde/quaternion.h"
#include "rod_crooked.h"

#define CORDE_NODES CROOKED_NODES
#define CORDE_EDGES CORDE_NODES // at the most

extern const CordeKernels corde_kernels_plain;

// A ring bent from a straight rod is glued as it comes, and has a seam; others have none.
typedef enum Kind { LOOSE, CLAMPED, HALF_EDGES, RING, GLUED_RING, CLAMPED_RING, KINDS } Kind;

static inline bool is_ring(Kind kind)
{
    return kind >= RING;
}

// A crooked rod, explicit.
static inline void crooked_def(Crooked* a, Kind kind, uint64_t seed)
{
    crooked_rod_def(a, is_ring(kind), seed);
    a->def.model = CORD_MODEL_CORDE, a->def.corde.orientations = CORD_ORIENTATIONS_EXPLICIT;
    a->def.rest = kind == GLUED_RING ? CORD_REST_STRAIGHT : CORD_REST_SHAPE;
    a->def.half_edge_start = a->def.half_edge_end = kind == HALF_EDGES;
}

static inline Rod* add_crooked(CordWorld* world, Kind kind, const CordRodDef* def)
{
    CordRodId rod = add_rod(world, def);
    if (kind == CLAMPED || kind == HALF_EDGES) {
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        hold(world, rod, cord_at_end(), kind == CLAMPED ? CORD_FIX_DIRECTION : CORD_FIX_FRAME);
    }
    if (kind == CLAMPED_RING) {
        hold(world, rod, cord_at_edge(5), CORD_FIX_FRAME);
    }
    CHECK_OK(world_prepare(world));
    CHECK(world_rod(world, rod)->form == MODEL_QUATERNION); // explicit indeed
    CHECK(kind != GLUED_RING || corde_of(world_rod(world, rod))->seam != 0.0);
    return world_rod(world, rod);
}

static inline void put_orientation(CordCorde* m, int slot, CordQuat q)
{
    m->edges.q[0][slot] = q.x, m->edges.q[1][slot] = q.y, m->edges.q[2][slot] = q.z,
    m->edges.q[3][slot] = q.w;
}

// q turned about its own axes, by delta to first order: q (delta/2, 1), normalised.
static inline CordQuat turned_by(CordQuat q, CordVec3 delta)
{
    return quat_unit(quat_mul(q, (CordQuat){0.5 * delta.x, 0.5 * delta.y, 0.5 * delta.z, 1.0}));
}

static inline void turn_edge(Rod* rod, int edge, int component,
                             double by) // by 2 atan(by / 2), the angle of which there and back are the same
{
    CordCorde* m = corde_of(rod);
    int s = slot_of(&rod->line, edge);
    CordVec3 delta = {component == 0 ? by : 0.0, component == 1 ? by : 0.0, component == 2 ? by : 0.0};
    put_orientation(m, s, turned_by(corde_orientation(m, s), delta));
    corde_wrap(m, &rod->line);
}

// A turn by up to `most` about any axis.
static inline CordQuat random_turn(uint64_t* seed, double most)
{
    CordVec3 axis = vec3_unit(random_vec3(seed, 1.0));
    return cord_quat_about(axis, random_in(seed, -most, most));
}

// Where a ring closes, by the shorter way round.
static inline void close_shortly(CordCorde* m, const CordCenterline* c)
{
    m->seam_sign = 1.0;
    corde_wrap(m, c);
    CordQuat a = corde_orientation(m, c->halo - 1), b = corde_orientation(m, c->halo);
    m->seam_sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0.0 ? -1.0 : 1.0;
}

// Nodes moved by a tenth of an edge, orientations turned by up to `most` more against each other, and rates
// of up to `speed` in the nodes [m/s] and ten times that in the orientations [rad/s].
static inline void throw_about(Rod* rod, uint64_t seed, double most, double speed)
{
    CordCorde* m = corde_of(rod);
    const CordCenterline* c = &rod->line;
    for (int j = 0; j < c->edge_count; j++) {
        CordQuat twist = cord_quat_about((CordVec3){0, 0, 1}, random_in(&seed, -0.25, 0.25) * most);
        // directors stay on this side of the tangents
        CordQuat tilt = random_turn(&seed, fmin(0.25 * most, 1.0));
        put_orientation(m, slot_of(c, j),
                        quat_mul(corde_orientation(m, slot_of(c, j)), quat_mul(twist, tilt)));
        slot_set(m->edges.omega, slot_of(c, j), random_vec3(&seed, 10.0 * speed));
    }
    for (int i = 0; i < c->node_count; i++) {
        slot_set(c->x, slot_of(c, i), vec3_add(node_position(c, i), random_vec3(&seed, 0.01)));
    }
    centerline_wrap(c, c->x);
    throw_nodes(rod, &seed, speed);
    if (c->closed) {
        close_shortly(m, c);
    }
    corde_wrap(m, c);
}

// Friction of (28) and (30), or of the retardation time, or none.
typedef enum Friction { NONE, PAPER, RETARDED } Friction;

#define MOST_TURN 3.0 // between neighbours [rad]: short of half a turn, where the printed strain jumps

static inline Rod* thrown_rod(CordWorld* world, Kind kind, Friction friction, bool printed, double speed,
                              uint64_t seed)
{
    Crooked made;
    crooked_def(&made, kind, seed);
    made.def.corde.printed_strain = printed;
    made.def.corde.penalty = 0.7; // of the order of EI / l^2
    made.def.damping_time = friction == RETARDED ? 0.03 : 0.0;
    if (friction == PAPER) {
        made.def.corde.friction_stretch = 0.4, made.def.corde.friction_turn = 2e-4;
    }
    Rod* rod = add_crooked(world, kind, &made.def);
    throw_about(rod, seed, MOST_TURN, speed);
    return rod;
}

// By the kernels' forces(): into the model's scratch, which stays valid until the next question.
static inline CordeForces forces_now(const Rod* rod, const CordeKernels* kernels)
{
    const CordCorde* m = corde_of(rod);
    CordeForces f;
    for (int i = 0; i < 3; i++) {
        f.section[i] = m->scratch[i], f.torque[i] = m->scratch[3 + i], f.moment[i] = m->scratch[6 + i];
    }
    CordeInput in = corde_input(m, rod, true);
    kernels->forces(&in, &f);
    return f;
}

static inline CordVec3 node_force(const Rod* rod, const CordeForces* f, int node)
{
    const CordCenterline* c = &rod->line;
    int s = slot_of(c, node);
    bool first = !c->closed && node == 0, last = !c->closed && node == c->node_count - 1;
    CordVec3 after = last ? (CordVec3){0, 0, 0} : slot_get(f->section, s);
    return first ? after : vec3_sub(after, slot_get(f->section, s - 1));
}

#endif
