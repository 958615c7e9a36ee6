// The energies of the paper, one function each; kernel.c has their derivatives.
#include "model/corde/quaternion.h"

static CordQuat between(const CordCorde* m, int slot) // relative rotation at the slot's node
{
    CordQuat a = corde_orientation(m, slot - 1), b = corde_orientation(m, slot);
    return quat_mul((CordQuat){-a.x, -a.y, -a.z, a.w}, b);
}

double corde_stretch_energy(const CordCorde* m, const CordCenterline* c) // (24)
{
    double sum = 0.0;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        double strain = vec3_length(edge_vector(c, j)) * c->inv_rest[s] - 1.0;
        sum += 0.5 * m->edges.EA[s] * strain * strain * c->rest_len[s];
    }
    return sum;
}

CordeBend corde_bend_energy(const CordCorde* m, const CordCenterline* c) // (25)
{
    const CordeCorners* k = &m->corners;
    CordeBend sum = {0.0, 0.0};
    for (int n = 0; n < inner_count(c); n++) {
        int s = slot_of(c, inner_node(c, n));
        CordVec3 a = vec3_sub(corde_strain(between(m, s), m->printed), slot_get(k->rest, s));
        sum.bend +=
            0.5 * k->inv_l[s] * (k->K11[s] * a.x * a.x + 2.0 * k->K12[s] * a.x * a.y + k->K22[s] * a.y * a.y);
        sum.twist += 0.5 * k->inv_l[s] * k->K33[s] * a.z * a.z;
    }
    return sum;
}

double corde_parallel_energy(const CordCorde* m, const CordCenterline* c) // (33)
{
    double sum = 0.0;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        CordVec3 d3 = quat_rotate(corde_orientation(m, s), (CordVec3){0, 0, 1});
        CordVec3 difference = vec3_sub(edge_tangent(c, j), d3);
        sum += 0.5 * m->edges.kappa_l[s] * vec3_dot(difference, difference);
    }
    return sum;
}

double corde_stretch_friction(const CordCorde* m, const CordCenterline* c) // (28)
{
    double sum = 0.0;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        CordVec3 difference = vec3_sub(node_velocity(c, edge_end(c, j)), node_velocity(c, j));
        double rate = vec3_dot(difference, edge_tangent(c, j)) * c->inv_rest[s];
        sum += 0.5 * m->edges.drag[s] * rate * rate * c->rest_len[s];
    }
    return sum;
}

// Time derivative of corde_strain. It is written out, because a difference quotient would lose digits.
static CordVec3 strain_rate(CordQuat p, bool printed, CordVec3 before, CordVec3 after)
{
    CordVec3 v = {p.x, p.y, p.z}, d = vec3_sub(after, before), sum = vec3_add(after, before);
    CordVec3 dp = vec3_mul(vec3_add(vec3_mul(d, p.w), vec3_cross(v, sum)), 0.5);
    double dw = -0.5 * vec3_dot(v, d);
    if (printed) {
        return vec3_mul(dp, p.w < 0.0 ? -2.0 : 2.0);
    }
    double r = 1.0 / (1.0 + p.w);
    return vec3_mul(vec3_madd(dp, v, -dw * r), 4.0 * r);
}

// D_r (30), and the Kelvin-Voigt dissipation of the retardation time in the strains of (25)
double corde_turn_friction(const CordCorde* m, const CordCenterline* c)
{
    const CordeCorners* k = &m->corners;
    double sum = 0.0;
    for (int n = 0; n < inner_count(c); n++) {
        int s = slot_of(c, inner_node(c, n));
        CordVec3 before = slot_get(m->edges.omega, s - 1), after = slot_get(m->edges.omega, s);
        CordVec3 difference = vec3_sub(quat_rotate(corde_orientation(m, s), after),
                                       quat_rotate(corde_orientation(m, s - 1), before));
        CordVec3 a = strain_rate(between(m, s), m->printed, before, after);
        double viscous = k->K11[s] * a.x * a.x + 2.0 * k->K12[s] * a.x * a.y + k->K22[s] * a.y * a.y +
                         k->K33[s] * a.z * a.z;
        sum +=
            0.5 * k->inv_l[s] * (k->drag[s] * vec3_dot(difference, difference) + m->damping_time * viscous);
    }
    return sum;
}
