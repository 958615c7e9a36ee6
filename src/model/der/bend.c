// Bending of a naturally straight isotropic rod: E = sum over inner nodes of EI |kb|^2 / l (DER
// section 4.2.1).
#include "model/der/uniform.h"

typedef struct Corner {           // the two edges at an inner node
    CordVec3 s, t;                // unit tangents before and after
    double inv_before, inv_after; // 1 / current length
} Corner;

static Corner corner_at(const CordCenterline* c, int node)
{
    CordVec3 a = edge_vector(c, edge_before(c, node)), b = edge_vector(c, edge_after(c, node));
    double inv_a = 1.0 / vec3_length(a), inv_b = 1.0 / vec3_length(b);
    return (Corner){vec3_mul(a, inv_a), vec3_mul(b, inv_b), inv_a, inv_b};
}

// |kb|^2 = 4 tan^2(phi/2) = 4 |t - s|^2 / |t + s|^2 (DER eq. 1). This form is exact to round-off for nearly
// straight rods, where 1 - cos(phi) cancels.
double der_bend_energy(const CordDer* m, const CordCenterline* c)
{
    double sum = 0.0;
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k);
        Corner at = corner_at(c, i);
        CordVec3 difference = vec3_sub(at.t, at.s), along = vec3_add(at.t, at.s);
        sum += 0.5 * m->bend[slot_of(c, i)] * vec3_dot(difference, difference) / vec3_dot(along, along);
    }
    return sum;
}

typedef struct EdgeGradient { // of the energy at one corner
    CordVec3 before, after;
} EdgeGradient;

// uniform_kernel.c derives the formula.
static EdgeGradient gradient_at(const CordDer* m, const CordCenterline* c, int node)
{
    Corner at = corner_at(c, node);
    double cosine = vec3_dot(at.s, at.t), r = 1.0 / (1.0 + cosine);
    double g = m->bend[slot_of(c, node)] * r * r;
    return (EdgeGradient){vec3_mul(vec3_sub(vec3_mul(at.s, cosine), at.t), g * at.inv_before),
                          vec3_mul(vec3_sub(vec3_mul(at.t, cosine), at.s), g * at.inv_after)};
}

void der_bend_gradient(const CordDer* m, const CordCenterline* c, CordVec3* dE_dx)
{
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k), before = edge_before(c, i), after = edge_end(c, edge_after(c, i));
        EdgeGradient p = gradient_at(m, c, i);
        dE_dx[before] = vec3_sub(dE_dx[before], p.before);
        dE_dx[i] = vec3_add(dE_dx[i], vec3_sub(p.before, p.after));
        dE_dx[after] = vec3_add(dE_dx[after], p.after);
    }
}

void der_bend_sections(const CordDer* m, const CordCenterline* c, CordVec3* force)
{
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k), before = edge_before(c, i);
        EdgeGradient p = gradient_at(m, c, i);
        force[before] = vec3_add(force[before], p.before);
        force[i] = vec3_add(force[i], p.after);
    }
}

// Internal moment: the derivative dE/dphi = 2 EI |kb| / l / cos^2(phi/2) of the energy with respect to the
// turning angle phi, about the binormal. A couple on the end of a rod is that of every section.
void der_bend_moments(const CordDer* m, const CordCenterline* c, CordVec3* moment)
{
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k);
        Corner at = corner_at(c, i);
        double r = 1.0 / (1.0 + vec3_dot(at.s, at.t)); // kb is 2 r s x t, and cos^2(phi/2) is 1 / (2 r)
        moment[i] = vec3_madd(moment[i], vec3_cross(at.s, at.t), m->bend[slot_of(c, i)] * r * r);
    }
}
