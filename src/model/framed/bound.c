// Upper bound of the highest angular frequency of a rod, which limits the explicit step.
#include "base/real.h"
#include "model/framed/framed.h"

static double inverse_mass_at(const Rod* rod, int node)
{
    return rod->line.w[slot_of(&rod->line, node)];
}

static void raise_bound(SpectralBound* most, double omega2, CordStepLimit limit, int node)
{
    if (omega2 > most->omega2) {
        *most = (SpectralBound){.omega2 = omega2, .limit = limit, .node = node};
    }
}

// Inverse of the mass that a node contributes to one of the `pieces` elements that share it. The end node of
// an open rod belongs to one element and contributes all of its mass.
static double shared_w(const Rod* rod, int node, double pieces)
{
    bool end = !rod->line.closed && (node == 0 || node == rod->line.node_count - 1);
    return inverse_mass_at(rod, node) * (end ? 1.0 : pieces);
}

static double stretch_omega2(const Rod* rod, int edge)
{
    if (rod->inextensible) {
        return 0.0;
    }
    double w = shared_w(rod, edge, 2.0) + shared_w(rod, edge_end(&rod->line, edge), 2.0);
    return w * rod_stiffness_at(rod, edge)->EA / edge_rest_len(&rod->line, edge);
}

// Explicit damping, which uses the strain rate of the last step, shortens the stable step by the factor
// sqrt(1 + z^2) + z with z = omega damping_time / 2.
static double damping_factor(const Rod* rod, double omega2)
{
    double z = 0.5 * rod->damping_time * sqrt(omega2);
    return sqrt(1.0 + z * z) + z;
}

// Element eigenvalue theorem (Irons and Treharne 1971): no frequency of the structure exceeds the highest one
// of its elements, however the nodal masses are divided among them. A stretching element gets half of the
// mass of each of its nodes. A bending element gets a quarter, a half and a quarter of the masses of its
// three nodes. These shares are exact for the shortest wave on a uniform rod, where omega^2 = 16 EI / (mu
// l^4) with edge length l and mass per length mu. Tension adds the stiffness of a string. A corner of angle
// phi is stiffer than a straight one by 4 (2 - cos phi) / (1 + cos phi)^2, the second derivative of 2
// tan^2(phi/2). Twist couples the two bending directions. Where the rod turns, stretching and bending are
// coupled, so that their bounds add.
SpectralBound corner_bound(const Rod* rod, const BoundInput* in, CornerStiffnessAt stiffness_at)
{
    const CordCenterline* c = &rod->line;
    const double* tension = in->tension;
    double least_tension = in->least_tension;
    SpectralBound most = {.limit = CORD_LIMIT_NONE};
    for (int j = 0; j < c->edge_count; j++) {
        raise_bound(&most, stretch_omega2(rod, j), CORD_LIMIT_STRETCH, j);
    }
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k), a = edge_before(c, i), b = edge_after(c, i), end = edge_end(c, b);
        CordVec3 ea = edge_vector(c, a), eb = edge_vector(c, b);
        double la = vec3_length(ea), lb = vec3_length(eb), u = 1.0 / la, v = 1.0 / lb;
        double cosine = vec3_dot(ea, eb) * u * v, r = 1.0 / (1.0 + cosine);
        double sum = u * u * shared_w(rod, a, 4.0) + (u + v) * (u + v) * shared_w(rod, i, 2.0) +
                     v * v * shared_w(rod, end, 4.0);
        CornerStiffness at = stiffness_at(rod, i);
        double bend = sum * at.bend * r * r * (2.0 - cosine);
        double pull =
            0.5 *
            (real_max(tension[a], least_tension) * u * (shared_w(rod, a, 2.0) + shared_w(rod, i, 2.0)) +
             real_max(tension[b], least_tension) * v * (shared_w(rod, i, 2.0) + shared_w(rod, end, 2.0)));
        double turn = sum * at.moment * 0.5 * r * real_min(la, lb) * real_max(u, v);
        double stretch =
            real_min(1.0, 4.0 * (1.0 - cosine)) * real_max(stretch_omega2(rod, a), stretch_omega2(rod, b));
        CordStepLimit limit = stretch > bend + turn && stretch > pull ? CORD_LIMIT_STRETCH
                              : bend + turn >= pull                   ? CORD_LIMIT_BEND
                                                                      : CORD_LIMIT_TENSION;
        raise_bound(&most, bend + pull + turn + stretch, limit, i);
        if (rod->dynamic_twist) {
            raise_bound(&most, framed_twist_omega2(framed_of(rod), rod, i), CORD_LIMIT_TWIST, i);
        }
    }
    double shorter = damping_factor(rod, most.omega2);
    most.omega2 *= shorter * shorter;
    most.limit = shorter > 2.0 ? CORD_LIMIT_DAMPING : most.limit; // damping halves the step at least
    return most;
}
