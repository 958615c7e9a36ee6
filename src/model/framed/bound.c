// Upper bound of the highest frequency of a rod, which limits explicit steps.
#include "base/real.h"
#include "model/framed/framed.h"

static double inverse_mass_at(const Rod* rod, int node)
{
    return rod->line.w[slot_of(&rod->line, node)];
}

static void limit_by(SpectralBound* most, double omega2, CordStepLimit limit, int node)
{
    if (omega2 > most->omega2) {
        *most = (SpectralBound){.omega2 = omega2, .limit = limit, .node = node};
    }
}

// Inverse of the mass that a node gives to one of `pieces` that share it; an end of the rod gives all to the
// one it is in.
static double shared(const Rod* rod, int node, double pieces)
{
    bool end = !rod->line.closed && (node == 0 || node == rod->line.node_count - 1);
    return inverse_mass_at(rod, node) * (end ? 1.0 : pieces);
}

static double stretch_omega2(const Rod* rod, int edge)
{
    if (rod->inextensible) {
        return 0.0;
    }
    double w = shared(rod, edge, 2.0) + shared(rod, edge_end(&rod->line, edge), 2.0);
    return w * rod_stiffness_at(rod, edge)->EA / edge_rest_len(&rod->line, edge);
}

// Damping that resists the last step's rate of strain shortens the stable step by sqrt(1 + z^2) + z, z =
// omega time / 2.
static double damping_factor(const Rod* rod, double omega2)
{
    double z = 0.5 * rod->damping_time * sqrt(omega2);
    return sqrt(1.0 + z * z) + z;
}

// No frequency of the whole exceeds the highest of its pieces, however the mass is shared among them (Irons
// and Treharne). A stretched edge takes half of each node's mass. A bend takes a quarter, a half and a
// quarter of its three nodes': shares that are exact for the shortest wave on a uniform rod, where omega^2 =
// 16 EI / (mu h^4). Tension adds the stiffness of a string to a bend; a corner stiffens it by 4 (2 - cos) /
// (1 + cos)^2, from the second derivative of tan^2; twist couples the two directions; and where the rod
// turns, stretching and bending mix, so that the two add up.
SpectralBound corner_bound(const Rod* rod, const BoundInput* in, CornerStiffnessAt stiffness_at)
{
    const CordCenterline* c = &rod->line;
    const double* tension = in->tension;
    double least_tension = in->least_tension;
    SpectralBound most = {.limit = CORD_LIMIT_NONE};
    for (int j = 0; j < c->edge_count; j++) {
        limit_by(&most, stretch_omega2(rod, j), CORD_LIMIT_STRETCH, j);
    }
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k), a = edge_before(c, i), b = edge_after(c, i), end = edge_end(c, b);
        CordVec3 ea = edge_vector(c, a), eb = edge_vector(c, b);
        double la = vec3_length(ea), lb = vec3_length(eb), u = 1.0 / la, v = 1.0 / lb;
        double cosine = vec3_dot(ea, eb) * u * v, r = 1.0 / (1.0 + cosine);
        double sum = u * u * shared(rod, a, 4.0) + (u + v) * (u + v) * shared(rod, i, 2.0) +
                     v * v * shared(rod, end, 4.0);
        CornerStiffness at = stiffness_at(rod, i);
        double bend = sum * at.bend * r * r * (2.0 - cosine);
        double pull =
            0.5 * (real_max(tension[a], least_tension) * u * (shared(rod, a, 2.0) + shared(rod, i, 2.0)) +
                   real_max(tension[b], least_tension) * v * (shared(rod, i, 2.0) + shared(rod, end, 2.0)));
        double turn = sum * at.moment * 0.5 * r * real_min(la, lb) * real_max(u, v);
        double stretch =
            real_min(1.0, 4.0 * (1.0 - cosine)) * real_max(stretch_omega2(rod, a), stretch_omega2(rod, b));
        CordStepLimit limit = stretch > bend + turn && stretch > pull ? CORD_LIMIT_STRETCH
                              : bend + turn >= pull                   ? CORD_LIMIT_BEND
                                                                      : CORD_LIMIT_TENSION;
        limit_by(&most, bend + pull + turn + stretch, limit, i);
        if (rod->dynamic_twist) {
            limit_by(&most, framed_twist_omega2(framed_of(rod), rod, i), CORD_LIMIT_TWIST, i);
        }
    }
    double shorter = damping_factor(rod, most.omega2);
    most.omega2 *= shorter * shorter;
    most.limit = shorter > 2.0 ? CORD_LIMIT_DAMPING : most.limit; // what takes more than the waves leave
    return most;
}
