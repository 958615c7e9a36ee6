// Stretching: E = sum over edges of EA/2 (|e|/rest - 1)^2 rest.
#include "model/der/uniform.h"

double der_stretch_tension(const CordDer* m, const CordCenterline* c, int edge)
{
    return m->EA[slot_of(c, edge)] * (vec3_length(edge_vector(c, edge)) / edge_rest_len(c, edge) - 1.0);
}

double der_stretch_energy(const CordDer* m, const CordCenterline* c)
{
    double sum = 0.0;
    for (int j = 0; j < c->edge_count; j++) {
        double strain = vec3_length(edge_vector(c, j)) / edge_rest_len(c, j) - 1.0;
        sum += 0.5 * m->EA[slot_of(c, j)] * strain * strain * edge_rest_len(c, j);
    }
    return sum;
}

void der_stretch_gradient(const CordDer* m, const CordCenterline* c, CordVec3* dE_dx)
{
    for (int j = 0; j < c->edge_count; j++) {
        int end = edge_end(c, j);
        CordVec3 p = vec3_mul(edge_tangent(c, j), der_stretch_tension(m, c, j));
        dE_dx[j] = vec3_sub(dE_dx[j], p);
        dE_dx[end] = vec3_add(dE_dx[end], p);
    }
}
