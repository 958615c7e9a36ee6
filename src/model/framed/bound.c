// Upper bound of the highest angular frequency of a rod, which limits the explicit step.
#include "base/real.h"
#include "model/framed/framed.h"

static double inverse_mass_at(const Rod* rod, int node)
{
    return rod->line.w[slot_of(&rod->line, node)];
}

static void raise_bound(SpectralBound* most, double omega2, double rate, CordStepLimit limit, int node)
{
    if (omega2 > most->omega2) {
        most->omega2 = omega2, most->limit = limit, most->node = node;
    }
    if (omega2 * rate > most->drift) {
        most->drift = omega2 * rate, most->drift_node = node;
    }
}

static double rate_of(const BoundInput* in, int edge)
{
    return in->rate ? in->rate[edge] : 0.0;
}

// Inverse of the mass that a node contributes to one of the `pieces` elements that share it. The end node of
// an open rod belongs to one element and contributes all of its mass.
static double shared_w(const Rod* rod, int node, double pieces)
{
    bool end = !rod->line.closed && (node == 0 || node == rod->line.node_count - 1);
    return inverse_mass_at(rod, node) * (end ? 1.0 : pieces);
}

static double spring_of(const Rod* rod, int edge) // [N/m]
{
    return rod->inextensible ? 0.0 : rod_stretch_stiffness(rod, edge) / edge_rest_len(&rod->line, edge);
}

static double stretch_omega2(const Rod* rod, int edge, double spring)
{
    return spring * (shared_w(rod, edge, 2.0) + shared_w(rod, edge_end(&rod->line, edge), 2.0));
}

// Explicit damping, which uses the strain rate of the last step, shortens the stable step by the factor
// sqrt(1 + z^2) + z with z = omega damping_time / 2.
static double damping_factor(const Rod* rod, double omega2)
{
    double z = 0.5 * rod->damping_time * sqrt(omega2);
    return sqrt(1.0 + z * z) + z;
}

typedef struct CornerShape {       // an inner node and its two edges
    double cosine, sine, half_tan; // of the angle phi between the edges; tan(phi/2)
    double wide;                   // 1 / (1 + cos phi)
    double u, v;                   // inverse lengths of the edges [1/m]
    double before, here, after;    // inverse mass shares of the three nodes [1/kg]
} CornerShape;

static CornerShape shape_at(const Rod* rod, int node)
{
    const CordCenterline* c = &rod->line;
    int a = edge_before(c, node), b = edge_after(c, node);
    CordVec3 ea = edge_vector(c, a), eb = edge_vector(c, b);
    double u = 1.0 / vec3_length(ea), v = 1.0 / vec3_length(eb), cosine = vec3_dot(ea, eb) * u * v;
    double wide = 1.0 / (1.0 + cosine), sine = vec3_length(vec3_cross(ea, eb)) * u * v;
    return (CornerShape){.cosine = cosine,
                         .sine = sine,
                         .half_tan = sine * wide,
                         .wide = wide,
                         .u = u,
                         .v = v,
                         .before = shared_w(rod, a, 4.0),
                         .here = shared_w(rod, node, 2.0),
                         .after = shared_w(rod, edge_end(c, b), 4.0)};
}

// Largest value of u^2 |de|^2 + v^2 |df|^2 for motions of the three nodes with a kinetic energy of 1/2.
static double edges_turned(const CornerShape* k)
{
    return k->u * k->u * (k->before + k->here) + k->v * k->v * (k->here + k->after);
}

// Stiffness of a corner against the rotation of its edges [N m], and the part of its second derivatives that
// need not be positive and mixes the directions, a form in u |de| and v |df| [N m].
typedef struct CornerBend {
    double stiffness, mixing;
} CornerBend;

// With alpha and beta the rotations of the tangents and sigma and tau the rates at which the edges are
// stretched, over their lengths, the second derivative of bend/2 tan^2(phi/2) is
//     bend / (1 + c)^2 [(2 - c) (beta_1 - alpha_1)^2 + c (alpha_2^2 + beta_2^2) - 2 alpha_2 beta_2
//                       + 2 sin(phi) (sigma alpha_1 - tau beta_1)],
// where 1 is in the plane of the corner and 2 across it. The second and third terms are at most (beta_2 -
// alpha_2)^2. Natural curvature and sections that are not round add second derivatives of the curvature times
// a moment. Or all of them are bounded in this way, with the moment as it is: the better bound for a rod near
// its natural shape.
static CornerBend corner_bend(const CornerShape* k, CornerStiffness at)
{
    double T = k->half_tan, secant2 = 1.0 + T * T, curving = secant2 * (sqrt(secant2) + 8.0 * T);
    double material = at.bend * k->wide * k->wide;
    double straight = material * (2.0 - k->cosine),
           straight_mixing = material * k->sine + (at.rest_moment + at.uneven * T) * curving;
    double curved_mixing = at.bending_moment * curving;
    return straight + straight_mixing < material + curved_mixing ? (CornerBend){straight, straight_mixing}
                                                                 : (CornerBend){material, curved_mixing};
}

static double bend_omega2(const CornerShape* k, double stiffness)
{
    double sum = k->u * k->u * k->before + (k->u + k->v) * (k->u + k->v) * k->here + k->v * k->v * k->after;
    return sum * stiffness;
}

// The moments times second derivatives, and twist.
static double moment_omega2(const CornerShape* k, double mixing, CornerStiffness at)
{
    double T = k->half_tan, all = edges_turned(k), unequal = k->u - k->v;
    double across = 0.5 * k->u * k->v * sqrt(k->before * k->here + k->here * k->after + k->before * k->after);
    double twisted = at.moment * (sqrt(1.0 + T * T) * across + (T * T + T) * all);
    double wound =
        at.twist * T * T * (k->u * k->u * k->before + unequal * unequal * k->here + k->v * k->v * k->after);
    return mixing * all + twisted + wound;
}

// Stretching moves nodes along the edges, bending and tension across them. Where the rod is straight the two
// do not mix; at a corner they do, since what is along one edge has a part across the other. Returns the
// larger eigenvalue of [[along, g], [g, across]]. mixed: g^2.
static double coupled(double along, double across, double mixed)
{
    double half = 0.5 * fabs(along - across);
    return real_max(along, across) + (sqrt(half * half + mixed) - half);
}

// Everything at an inner node, and which part of it is the largest. spring_a, spring_b: of its two edges
// [N/m].
static double corner_omega2(const Rod* rod, const BoundInput* in, int node, CornerStiffness at,
                            double spring_a, double spring_b, CordStepLimit* limit)
{
    const CordCenterline* c = &rod->line;
    int a = edge_before(c, node), b = edge_after(c, node), end = edge_end(c, b);
    CornerShape k = shape_at(rod, node);
    CornerBend by = corner_bend(&k, at);
    double bend = bend_omega2(&k, by.stiffness), moment = moment_omega2(&k, by.mixing, at);
    double pull_a = real_max(in->tension[a], in->least_tension) * k.u;
    double pull_b = real_max(in->tension[b], in->least_tension) * k.v;
    double pull = real_max(pull_a * (shared_w(rod, a, 2.0) + shared_w(rod, node, 2.0)),
                           pull_b * (shared_w(rod, node, 2.0) + shared_w(rod, end, 2.0)));
    double stretch = real_max(stretch_omega2(rod, a, spring_a), stretch_omega2(rod, b, spring_b));
    double turned = k.sine * k.here;
    double mixed = turned * turned *
                   (by.stiffness * (spring_a * k.v * k.v + spring_b * k.u * k.u) + pull_a * spring_b +
                    pull_b * spring_a);
    *limit = stretch > bend + moment && stretch > pull ? CORD_LIMIT_STRETCH
             : bend + moment >= pull                   ? CORD_LIMIT_BEND
                                                       : CORD_LIMIT_TENSION;
    return coupled(stretch, bend + pull, mixed) + moment;
}

// Element eigenvalue theorem (Irons and Treharne 1971): no frequency of the structure exceeds the highest one
// of its elements, however the nodal masses are divided among them. A stretching element gets half of the
// mass of each of its nodes. A bending element gets a quarter, a half and a quarter of the masses of its
// three nodes. These shares are exact for the shortest wave on a uniform rod, where omega^2 = 16 EI / (mu
// l^4) with edge length l and mass per length mu. Tension adds the stiffness of a string; compression only
// takes stiffness away. All lengths and angles are those of the present state.
SpectralBound corner_bound(const Rod* rod, const BoundInput* in, CornerStiffnessAt stiffness_at)
{
    const CordCenterline* c = &rod->line;
    SpectralBound most = {.limit = CORD_LIMIT_NONE};
    for (int j = 0; j < c->edge_count; j++) {
        raise_bound(&most, stretch_omega2(rod, j, spring_of(rod, j)), rate_of(in, j), CORD_LIMIT_STRETCH, j);
    }
    double before = inner_count(c) > 0 ? spring_of(rod, edge_before(c, inner_node(c, 0))) : 0.0;
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k);
        CordStepLimit limit;
        double after = spring_of(rod, edge_after(c, i));
        double omega2 = corner_omega2(rod, in, i, stiffness_at(rod, i), before, after, &limit);
        before = after;
        double rate = real_max(rate_of(in, edge_before(c, i)), rate_of(in, edge_after(c, i)));
        raise_bound(&most, omega2, rate, limit, i);
        if (rod->dynamic_twist) {
            raise_bound(&most, framed_twist_omega2(framed_of(rod), rod, i), 0.0, CORD_LIMIT_TWIST, i);
        }
    }
    double shorter = damping_factor(rod, most.omega2);
    most.omega2 *= shorter * shorter;
    most.drift *= shorter * shorter;
    most.limit = shorter > 2.0 ? CORD_LIMIT_DAMPING : most.limit; // damping halves the step at least
    return most;
}
