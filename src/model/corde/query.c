// Queries of a CORDE rod.
#include "base/real.h"
#include "math/elementary.h"
#include "model/corde/quaternion.h"

static CordeForces forces_of(const Rod* rod, bool friction)
{
    const CordCorde* m = corde_of(rod);
    CordeForces f;
    for (int i = 0; i < 3; i++) {
        f.section[i] = m->scratch[i], f.torque[i] = m->scratch[3 + i], f.moment[i] = m->scratch[6 + i];
    }
    CordeInput in = corde_input(m, rod, friction);
    m->kernels->forces(&in, &f);
    return f;
}

// The energy of the penalty counts as bending energy: it is due to directors that lag behind the tangents.
void corde_energy(const Rod* rod, CordEnergy* energy)
{
    const CordCorde* m = corde_of(rod);
    CordeBend sum = corde_bend_energy(m, &rod->line);
    energy->bend = sum.bend + corde_parallel_energy(m, &rod->line);
    energy->twist = sum.twist;
    energy->stretch = corde_stretch_energy(m, &rod->line);
}

double corde_dissipation(const Rod* rod)
{
    const CordCorde* m = corde_of(rod);
    return 2.0 * (corde_stretch_friction(m, &rod->line) + corde_turn_friction(m, &rod->line));
}

void corde_gradient(const Rod* rod, CordVec3* dE_dx)
{
    const CordCenterline* c = &rod->line;
    CordeForces f = forces_of(rod, false);
    for (int j = 0; j < c->edge_count; j++) {
        CordVec3 p = slot_get(f.section, slot_of(c, j));
        dE_dx[j] = vec3_sub(dE_dx[j], p);
        dE_dx[edge_end(c, j)] = vec3_add(dE_dx[edge_end(c, j)], p);
    }
}

void corde_frames(const Rod* rod, CordVec3* m1)
{
    for (int j = 0; j < rod->line.edge_count; j++) {
        m1[j] = corde_axis(corde_of(rod), rod, j);
    }
}

void corde_sections(const Rod* rod, CordVec3* force, double* tension)
{
    CordeForces f = forces_of(rod, true);
    for (int j = 0; j < rod->line.edge_count; j++) {
        CordVec3 section = slot_get(f.section, slot_of(&rod->line, j));
        if (force) {
            force[j] = section;
        }
        if (tension) { // the force of the penalty is perpendicular to the tangent
            tension[j] = vec3_dot(section, edge_tangent(&rod->line, j));
        }
    }
}

void corde_moments(const Rod* rod, CordVec3* moment)
{
    CordeForces f = forces_of(rod, true);
    for (int k = 0; k < inner_count(&rod->line); k++) {
        int i = inner_node(&rod->line, k);
        moment[i] = vec3_add(moment[i], slot_get(f.moment, slot_of(&rod->line, i)));
    }
}

// Evaluates three edges as a rod of their own. The torque on the middle one is exact; those at the ends lack
// a neighbour and are not used.
enum { PIECE = 4, PIECE_ROOM = 8 };

static void shift(double** arrays, size_t count, int by)
{
    for (size_t i = 0; i < count; i++) {
        arrays[i] += by;
    }
}

// Bending acts on orientations, not on nodes, so that the clamp of a held edge carries it as a couple.
CordVec3 corde_couple(const Rod* rod, int edge, double* stiffness)
{
    int s = slot_of(&rod->line, edge);
    *stiffness = corde_couple_stiffness(rod, edge);
    const CordCorde* m = corde_of(rod);
    CordeEdges edges = m->edges;
    CordeCorners corners = m->corners;
    shift((double**)&edges, sizeof edges / sizeof(double*), s - 1); // both structs hold arrays by slot only
    shift((double**)&corners, sizeof corners / sizeof(double*), s - 1);
    CordeInput in = corde_input(m, rod, true);
    double room[9][PIECE_ROOM] = {{0}};
    CordeForces f = {{room[0], room[1], room[2]}, {room[3], room[4], room[5]}, {room[6], room[7], room[8]}};
    in.slot_count = PIECE, in.edges = &edges, in.corners = &corners, in.inv_rest += s - 1;
    for (int k = 0; k < 3; k++) {
        in.x[k] += s - 1, in.v[k] += s - 1;
    }
    m->kernels->forces(&in, &f);
    // the clamp of a held edge also carries the torque on it
    f.torque[2][1] += m->edges.may_turn[1][s] == 0.0 ? m->edges.torque[s] : 0.0;
    return quat_rotate(corde_orientation(m, s), slot_get(f.torque, 1));
}

// Total twist of the frames aligned with the tangents, full turns included.
double corde_twist(const Rod* rod)
{
    CordCorde* m = corde_of(rod);
    corde_to_frames(m, rod);
    return framed_twist(m->framed, rod);
}

// The angular velocities are those of the time `lag` before the orientations.
void corde_spin(const Rod* rod, double lag, double* energy, CordVec3* momentum)
{
    const CordCorde* m = corde_of(rod);
    *energy = 0.0;
    *momentum = (CordVec3){0, 0, 0};
    if (!m->inertial) {
        return;
    }
    CordeForces f = forces_of(rod, true);
    for (int j = 0; j < rod->line.edge_count; j++) {
        int s = slot_of(&rod->line, j);
        double L[3];
        for (int k = 0; k < 3; k++) {
            double torque = f.torque[k][s] + (k == 2 ? m->edges.torque[s] : 0.0);
            double rate = m->edges.omega[k][s] + lag * torque * m->edges.turn_w[k][s];
            // a held axis has the momentum of its clamp, which is not counted
            L[k] = m->edges.turn_w[k][s] > 0.0 ? m->edges.inertia[k][s] * rate : 0.0;
            *energy += 0.5 * L[k] * rate;
        }
        *momentum = vec3_add(*momentum, quat_rotate(corde_orientation(m, s), (CordVec3){L[0], L[1], L[2]}));
    }
}

void corde_advance_spin(Rod* rod, double time, double lag)
{
    CordCorde* m = corde_of(rod);
    if (!m->inertial) {
        return;
    }
    loads_set_torques(rod, time, true, m->edges.torque);
    CordeForces f = forces_of(rod, true);
    for (int j = 0; j < rod->line.edge_count; j++) {
        int s = slot_of(&rod->line, j);
        for (int k = 0; k < 3; k++) {
            double torque = f.torque[k][s] + (k == 2 ? m->edges.torque[s] : 0.0);
            m->edges.omega[k][s] += lag * torque * m->edges.turn_w[k][s];
        }
    }
    corde_wrap(m, &rod->line);
}

// 1 + p_4 at a relative rotation of three quarters of a turn, close to the pole of the strain.
#define NEAR_THE_POLE 0.3
#define LEFT_THE_TANGENT 0.5 // cosine of the angle from d3 to the tangent; the penalty fails at a right angle

static double scalar_part(const Rod* rod, int node) // of the turn from one edge to the next
{
    const CordCorde* m = corde_of(rod);
    int s = slot_of(&rod->line, node);
    CordQuat a = corde_orientation(m, s - 1), b = corde_orientation(m, s);
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static bool spins_too_fast(const Rod* rod, int edge)
{
    const CordCorde* m = corde_of(rod);
    CordVec3 omega = slot_get(m->edges.omega, slot_of(&rod->line, edge));
    return m->inertial && !(rod->last_step * vec3_length(omega) <= CORDE_MOST_TURN);
}

const char* corde_trouble(const Rod* rod, int* node)
{
    const CordCorde* m = corde_of(rod);
    for (int j = 0; j < rod->line.edge_count; j++) {
        *node = j;
        if (spins_too_fast(rod, j)) {
            return "has an edge that turns by a quarter of a turn in a step: take a shorter step";
        }
    }
    if (m->lost[0] != '\0') {
        *node = m->before.node;
        return m->lost;
    }
    for (int k = 0; k < inner_count(&rod->line); k++) {
        *node = inner_node(&rod->line, k);
        if (!(1.0 + scalar_part(rod, *node) > NEAR_THE_POLE)) {
            return FRAMED_TURNED_TOO_FAR;
        }
    }
    for (int j = 0; j < rod->line.edge_count; j++) {
        CordQuat q = corde_orientation(m, slot_of(&rod->line, j));
        *node = j;
        if (!(vec3_dot(edge_tangent(&rod->line, j), quat_rotate(q, (CordVec3){0, 0, 1})) >
              LEFT_THE_TANGENT)) {
            return "has a director that has left the tangent, farther than the penalty can hold it: take a "
                   "larger \"penalty\", or more elements";
        }
    }
    return NULL;
}
