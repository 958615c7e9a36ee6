// Queries of a framed rod.
#include "model/framed/framed.h"

void framed_frames(const Framed* g, const Rod* rod, CordVec3* m1)
{
    for (int j = 0; j < rod->line.edge_count; j++) {
        m1[j] = slot_get(g->now.edges.m1, slot_of(&rod->line, j));
    }
}

void framed_energy(const Framed* g, const Rod* rod, CordEnergy* energy)
{
    const CordCenterline* c = &rod->line;
    CornerInput in = framed_input(&g->now, rod, 0.0);
    CornerEnergy sum = g->kernels->energy(&in);
    energy->bend = sum.bend;
    energy->twist = sum.twist;
    energy->stretch = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        double change = 1.0 / g->now.edges.inv_len[s] - c->rest_len[s];
        energy->stretch += 0.5 * g->EA[s] * change * change * c->inv_rest[s];
    }
}

// The kernel's viscous energy is v K d^2 / 2, with the change of strain d over g->since = T / v, where T is
// the retardation time. The power T K (d / since)^2 is 2 / since times it.
double framed_dissipation(const Framed* g, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    double viscous = framed_viscous_now(g);
    if (viscous == 0.0) {
        return 0.0;
    }
    CornerInput in = framed_input(&g->now, rod, viscous);
    double twice = 2.0 * g->kernels->energy(&in).viscous;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        double change = 1.0 / g->now.edges.inv_len[s] - g->past_len[s];
        twice += viscous * g->EA[s] * change * change * c->inv_rest[s];
    }
    return twice / g->since;
}

// Tension by the length that the frames have, without its viscous part.
static double tension_of_length(const Framed* g, const CordCenterline* c, int s)
{
    return g->EA[s] * (1.0 / g->now.edges.inv_len[s] - c->rest_len[s]) * c->inv_rest[s];
}

// Force in the sections, to scratch. Kernels take the tension from the length: replaces it by rod_tension
// where Newton's method has left a tension.
static void find_sections(Framed* g, const Rod* rod, double viscous)
{
    const CordCenterline* c = &rod->line;
    CornerKick k = framed_kick_input(g, rod, viscous);
    g->kernels->sections(&k);
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        if (g->EA[s] > 0.0 && c->pull[s] != 0.0) {
            double more = rod_tension(rod, j, g->EA[s] * c->inv_rest[s]) - tension_of_length(g, c, s);
            slot_set(g->scratch, s, vec3_madd(slot_get(g->scratch, s), slot_get(g->now.edges.t, s), more));
        }
    }
}

void framed_sections(Framed* g, const Rod* rod, CordVec3* force)
{
    find_sections(g, rod, framed_viscous_now(g));
    for (int j = 0; j < rod->line.edge_count; j++) {
        force[j] = slot_get(g->scratch, slot_of(&rod->line, j));
    }
}

void framed_corner_sections(Framed* g, const Rod* rod, CordVec3* force)
{
    const CordCenterline* c = &rod->line;
    double viscous = framed_viscous_now(g);
    CornerKick k = framed_kick_input(g, rod, viscous);
    g->kernels->sections(&k);
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        double rate = viscous > 0.0 ? viscous * (1.0 / g->now.edges.inv_len[s] - g->past_len[s]) : 0.0;
        double tension = tension_of_length(g, c, s) + g->EA[s] * rate * c->inv_rest[s];
        force[j] = vec3_madd(slot_get(g->scratch, s), slot_get(g->now.edges.t, s), -tension);
    }
}

void framed_tension(const Framed* g, const Rod* rod, double* tension)
{
    const CordCenterline* c = &rod->line;
    double viscous = framed_viscous_now(g);
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        double rate = viscous > 0.0 ? viscous * (1.0 / g->now.edges.inv_len[s] - g->past_len[s]) : 0.0;
        bool kept = g->EA[s] > 0.0 && c->pull[s] != 0.0;
        tension[j] = kept ? rod_tension(rod, j, g->EA[s] * c->inv_rest[s]) : tension_of_length(g, c, s);
        tension[j] += g->EA[s] * rate * c->inv_rest[s];
    }
}

void framed_gradient(Framed* g, const Rod* rod, CordVec3* dE_dx)
{
    const CordCenterline* c = &rod->line;
    find_sections(g, rod, 0.0);
    for (int j = 0; j < c->edge_count; j++) {
        CordVec3 p = slot_get(g->scratch, slot_of(c, j));
        dE_dx[j] = vec3_sub(dE_dx[j], p);
        dE_dx[edge_end(c, j)] = vec3_add(dE_dx[edge_end(c, j)], p);
    }
}

// Adds the internal moment at each inner node.
void framed_moments(Framed* g, const Rod* rod, CordVec3* moment)
{
    const CordCenterline* c = &rod->line;
    CornerInput in = framed_input(&g->now, rod, framed_viscous_now(g));
    g->kernels->moments(&in, g->scratch);
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k);
        moment[i] = vec3_add(moment[i], slot_get(g->scratch, slot_of(c, i)));
    }
}

double framed_spin_moment(Framed* g, const Rod* rod, int edge)
{
    int s = slot_of(&rod->line, edge);
    // the clamp of a held frame also carries the load torque on it
    return framed_moment_on_frame(g, rod, s) + (g->may_turn[s] == 0.0 ? g->load_torque[s] : 0.0);
}

// ---- frames with inertia

CordVec3 framed_spin_force(double momentum, CordVec3 e, CordVec3 rate)
{
    double square = vec3_dot(e, e);
    return vec3_mul(vec3_cross(e, rate), momentum / (square * sqrt(square)));
}

void framed_add_spin_forces(const Framed* g, const Rod* rod, CordVec3* f)
{
    const CordCenterline* c = &rod->line;
    for (int j = 0; rod->dynamic_twist && j < c->edge_count; j++) {
        int s = slot_of(c, j), end = edge_end(c, j);
        CordVec3 rate = vec3_sub(node_velocity(c, end), node_velocity(c, j));
        CordVec3 force = framed_spin_force(g->spin_inertia[s] * g->spin[s], edge_vector(c, j), rate);
        f[j] = vec3_sub(f[j], force);
        f[end] = vec3_add(f[end], force);
    }
}

// Sets g->turn to the moments on the frames, if spins lag behind them.
static void find_moments(Framed* g, const Rod* rod, double lag)
{
    if (lag > 0.0 && rod->dynamic_twist) {
        framed_turn_system(g, &g->now, rod, framed_viscous_now(g));
    }
}

static double angular_momentum(const Framed* g, int s, double lag)
{
    double moment = lag > 0.0 ? g->torque[s] + g->turn[s] + g->load_torque[s] : 0.0;
    return g->may_turn[s] * (g->spin_inertia[s] * g->spin[s] + lag * moment);
}

void framed_spins(Framed* g, const Rod* rod, double lag, double* spin)
{
    find_moments(g, rod, lag);
    for (int j = 0; j < rod->line.edge_count; j++) {
        int s = slot_of(&rod->line, j);
        spin[j] = angular_momentum(g, s, lag) / g->spin_inertia[s];
    }
}

void framed_spin_energy(Framed* g, const Rod* rod, double lag, double* energy, CordVec3* momentum)
{
    const CordCenterline* c = &rod->line;
    *energy = 0.0;
    *momentum = (CordVec3){0, 0, 0};
    find_moments(g, rod, lag);
    for (int j = 0; rod->dynamic_twist && j < c->edge_count; j++) {
        int s = slot_of(c, j);
        double L = angular_momentum(g, s, lag);
        // position-based frames without inertia follow at once
        *energy += g->spin_inertia[s] > 0.0 ? 0.5 * L * L / g->spin_inertia[s] : 0.0;
        *momentum = vec3_madd(*momentum, slot_get(g->now.edges.t, s), L);
    }
}

double framed_twist(const Framed* g, const Rod* rod)
{
    double sum = -g->seam;
    for (int k = 0; k < inner_count(&rod->line); k++) {
        sum += g->now.nodes.m[slot_of(&rod->line, inner_node(&rod->line, k))];
    }
    return sum;
}

double framed_turn_at(const Framed* g, const Rod* rod, int node)
{
    return g->now.nodes.m[slot_of(&rod->line, node)];
}

void framed_rest_alpha(const Framed* g, const Rod* rod, int node, double alpha[3])
{
    const CornerNodes* n = &g->now.nodes;
    int s = slot_of(&rod->line, node);
    alpha[0] = -n->rest_A[1][s], alpha[1] = n->rest_A[0][s], alpha[2] = n->rest_B[0][s];
}
