// Queries of a modal rod. Elements bend, twist and stretch by linear theory, in axes that rotate with their
// nodes.
#include "model/modal/modal.h"

#include <string.h>

typedef struct EdgeNow {
    Beam beam;
    double u[BEAM_FREEDOMS]; // linear displacements and rotations of its ends
    Warp warp;               // mean rotation of its ends
} EdgeNow;

// Evaluates all nodes once: a node has several edges, and queries read each of them several times.
static void find_nodes(const Rod* rod)
{
    CordModal* m = modal_of(rod);
    size_t size = NODE_FREEDOMS * (size_t)rod->line.node_count;
    memset(m->nodes, 0, sizeof *m->nodes * size);
    for (int k = 0; k < m->count; k++) {
        const double* shape = m->shape + (size_t)k * size;
        for (size_t i = 0; i < size; i++) {
            m->nodes[i] += shape[i] * m->now.q[k];
        }
    }
    m->nodes_known = true;
}

static EdgeNow edge_now(const Rod* rod, int edge)
{
    const CordModal* m = modal_of(rod);
    if (!m->nodes_known) {
        find_nodes(rod);
    }
    EdgeNow e = {.beam = modal_beam(rod, edge)};
    CordVec3 mean = {0, 0, 0};
    for (int p = 0; p < 2; p++) {
        const double* of = m->nodes + NODE_FREEDOMS * (size_t)modal_ends(rod)[2 * edge + p];
        memcpy(e.u + NODE_FREEDOMS * p, of, NODE_FREEDOMS * sizeof *of);
        mean = vec3_madd(mean, (CordVec3){of[3], of[4], of[5]}, 0.5);
    }
    e.warp = warp_of(m->def.linear ? (CordVec3){0, 0, 0} : mean);
    return e;
}

static CordVec3 to_space(const Rod* rod, CordVec3 a) // from the carrier's axes
{
    return quat_rotate(modal_of(rod)->now.carrier.pose.rotation, a);
}

// Transforms a vector from the element's own axes to those of space.
static CordVec3 edge_vector_of(const Rod* rod, const EdgeNow* e, const double a[3])
{
    CordVec3 sum = vec3_mul(e->beam.axes[0], a[0]);
    sum = vec3_madd(vec3_madd(sum, e->beam.axes[1], a[1]), e->beam.axes[2], a[2]);
    return to_space(rod, warp_turn(&e->warp, sum));
}

CordVec3 modal_node_velocity(const Rod* rod, int node)
{
    const CordModal* m = modal_of(rod);
    const Carrier* carrier = &m->now.carrier;
    CordVec3 u, w, u_rate, w_rate;
    modal_node(rod, m->now.q, node, &u, &w);
    modal_node(rod, m->now.rate, node, &u_rate, &w_rate);
    if (m->def.linear) {
        w = w_rate = (CordVec3){0, 0, 0};
    }
    Warp warp = warp_of(w);
    CordVec3 arm = vec3_sub(vec3_add(m->rest[node], warp_displace(&warp, u)), m->origin);
    CordVec3 v = vec3_add(carrier->velocity, vec3_cross(carrier->spin, arm));
    return to_space(rod, vec3_add(v, warp_velocity(&warp, u, w_rate, u_rate)));
}

void modal_velocities(Rod* rod)
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < c->node_count && modal_of(rod)->found; i++) {
        slot_set(c->v, slot_of(c, i), modal_node_velocity(rod, i));
    }
    centerline_wrap(c, c->v);
}

void modal_frames(const Rod* rod, CordVec3* m1)
{
    const CordModal* m = modal_of(rod);
    for (int j = 0; j < rod->line.edge_count; j++) {
        m1[j] = m->m1[j];
        if (m->found) {
            EdgeNow e = edge_now(rod, j);
            CordVec3 turned = to_space(rod, warp_turn(&e.warp, m->m1[j])), t = edge_tangent(&rod->line, j);
            CordVec3 across = vec3_reject(turned, t);
            m1[j] = vec3_length(across) > 1e-6 ? vec3_unit(across) : vec3_any_normal(t);
        }
    }
}

void modal_energy(const Rod* rod, CordEnergy* e)
{
    const CordModal* m = modal_of(rod);
    double all = 0.0;
    for (int k = 0; k < m->count; k++) {
        all += 0.5 * m->omega2[k] * m->now.q[k] * m->now.q[k];
        for (int l = 0; l < m->count; l++) {
            double both = 0.5 * m->now.q[k] * m->now.q[l];
            e->twist += both * m->twist[k * m->count + l];
            e->stretch += both * m->stretch[k * m->count + l];
        }
    }
    e->bend += all - e->twist - e->stretch;
}

double modal_dissipation(const Rod* rod)
{
    const CordModal* m = modal_of(rod);
    double sum = 0.0;
    for (int k = 0; k < m->count; k++) {
        sum += m->damping[k] * m->now.rate[k] * m->now.rate[k];
    }
    return sum;
}

// Kinetic energy that lumped nodal masses do not contain: consistent mass between the nodes, and rotary
// inertia of the edges about their axes. The total is |q'|^2 / 2, as modes are M-orthonormal.
void modal_spin(const Rod* rod, double lag, double* energy, CordVec3* momentum)
{
    (void)lag; // amplitudes and rates belong to the same time
    const CordModal* m = modal_of(rod);
    *energy = 0.0, *momentum = (CordVec3){0, 0, 0};
    for (int k = 0; k < m->count; k++) {
        *energy += 0.5 * m->now.rate[k] * m->now.rate[k];
    }
    for (int i = 0; i < rod->line.node_count && m->found; i++) {
        CordVec3 v, w;
        modal_node(rod, m->now.rate, i, &v, &w);
        *energy -= 0.5 * rod_node_mass(rod, i) * vec3_dot(v, v);
    }
}

void modal_gradient(const Rod* rod, CordVec3* dE_dx)
{
    const int* ends = modal_ends(rod);
    for (int j = 0; j < rod->line.edge_count; j++) {
        EdgeNow e = edge_now(rod, j);
        double f[BEAM_FREEDOMS];
        beam_end_forces(&e.beam, e.u, f);
        for (int p = 0; p < 2; p++) {
            int node = ends[2 * j + p];
            dE_dx[node] = vec3_add(dE_dx[node], edge_vector_of(rod, &e, f + NODE_FREEDOMS * p));
        }
    }
}

// Section force: the force of the part after the section on the part before, which is the end force at the
// element's second node.
void modal_sections(const Rod* rod, CordVec3* force, double* tension)
{
    for (int j = 0; j < rod->line.edge_count; j++) {
        EdgeNow e = edge_now(rod, j);
        double f[BEAM_FREEDOMS];
        beam_end_forces(&e.beam, e.u, f);
        if (tension) {
            tension[j] = f[NODE_FREEDOMS];
        }
        if (force) {
            force[j] = edge_vector_of(rod, &e, f + NODE_FREEDOMS);
        }
    }
}

// The moment at a node is the mean of those of its two elements. Nodes of a network, where many elements
// meet, have none.
void modal_moments(const Rod* rod, CordVec3* moment)
{
    const CordCenterline* c = &rod->line;
    for (int j = 0; j < c->edge_count && !c->ends; j++) {
        EdgeNow e = edge_now(rod, j);
        double f[BEAM_FREEDOMS];
        beam_end_forces(&e.beam, e.u, f);
        int a = j, b = edge_end(c, j);
        double at_a = c->closed || a > 0 ? 0.5 : 1.0, at_b = c->closed || b < c->node_count - 1 ? 0.5 : 1.0;
        moment[a] = vec3_madd(moment[a], edge_vector_of(rod, &e, f + 3), -at_a);
        moment[b] = vec3_madd(moment[b], edge_vector_of(rod, &e, f + 9), at_b);
    }
}

double modal_twist(const Rod* rod)
{
    double sum = 0.0;
    for (int j = 0; j < rod->line.edge_count && !rod->line.ends; j++) {
        EdgeNow e = edge_now(rod, j);
        CordVec3 t = e.beam.axes[0];
        sum += t.x * (e.u[9] - e.u[3]) + t.y * (e.u[10] - e.u[4]) + t.z * (e.u[11] - e.u[5]);
    }
    return sum;
}

// ---- support reactions

CordVec3 modal_pull_at(const Rod* rod, const Pull* pull, int node, CordVec3 d)
{
    const CordModal* m = modal_of(rod);
    if (!pull->spreads) {
        return pull->even;
    }
    double length = vec3_length(d); // limited to the length of the structure, as in kernel.c
    CordVec3 near = length > rod->length ? vec3_mul(d, rod->length / length) : d;
    CordVec3 r = vec3_sub(vec3_add(m->rest[node], near), m->origin);
    const double(*S)[3] = pull->spread;
    return vec3_add(pull->even, (CordVec3){S[0][0] * r.x + S[0][1] * r.y + S[0][2] * r.z,
                                           S[1][0] * r.x + S[1][1] * r.y + S[1][2] * r.z,
                                           S[2][0] * r.x + S[2][1] * r.y + S[2][2] * r.z});
}

void modal_pulls(const Rod* rod, CordVec3* force, CordVec3* moment)
{
    for (int j = 0; j < rod->line.edge_count; j++) {
        EdgeNow e = edge_now(rod, j);
        double f[BEAM_FREEDOMS];
        beam_end_forces(&e.beam, e.u, f);
        for (int p = 0; p < 2; p++) {
            int node = modal_ends(rod)[2 * j + p];
            force[node] = vec3_sub(force[node], edge_vector_of(rod, &e, f + NODE_FREEDOMS * p));
            moment[node] = vec3_sub(moment[node], edge_vector_of(rod, &e, f + NODE_FREEDOMS * p + 3));
        }
    }
}

// Modal accelerations of the last step: q'' = f - C q' - Lambda q (MW eq. 8), with drag. Coriolis forces are
// neglected.
static void find_accelerations(const CordModal* m, double* a)
{
    const ModalState* s = &m->now;
    for (int k = 0; k < m->count; k++) {
        a[k] = s->force[k] - (m->damping[k] + m->drag_damping[k]) * s->rate[k] - m->omega2[k] * s->q[k];
        for (int l = 0; l < m->count; l++) {
            a[k] -= m->drag[k * m->count + l] * s->rate[l];
        }
    }
}

void modal_resultant(const Rod* rod, CordVec3 gravity, CordVec3 point, const CordVec3* f, double* a,
                     CordVec3* force, CordVec3* torque)
{
    const CordModal* m = modal_of(rod);
    const ModalState* s = &m->now;
    bool acted = s->acted.spreads || vec3_dot(s->acted.even, s->acted.even) > 0.0;
    Pull pull = acted ? s->acted : (Pull){.even = modal_inward(&s->carrier, gravity)};
    find_accelerations(m, a);
    *force = *torque = (CordVec3){0, 0, 0};
    for (int i = 0; i < rod->line.node_count; i++) {
        CordVec3 u, w, u2, w2;
        modal_node(rod, s->q, i, &u, &w);
        modal_node(rod, a, i, &u2, &w2);
        Warp warp = warp_of(m->def.linear ? (CordVec3){0, 0, 0} : w);
        CordVec3 rel = vec3_sub(modal_pull_at(rod, &pull, i, warp_displace(&warp, u)), warp_turn(&warp, u2));
        CordVec3 sum = vec3_madd(f[i], to_space(rod, rel), rod_node_mass(rod, i));
        *force = vec3_add(*force, sum);
        *torque = vec3_add(*torque, vec3_cross(vec3_sub(node_position(&rod->line, i), point), sum));
    }
}
