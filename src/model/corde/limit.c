// The longest stable step.
#include "model/corde/corde.h"

typedef struct Contributions { // to the squared angular frequency of an edge's fastest motion [1/s^2]
    double stretch, bend, tension, penalty, turn, twist;
} Contributions;

static void limit_by(StepLimitAt* most, double omega2, CordStepLimit limit, int node)
{
    if (omega2 > most->omega2) {
        *most = (StepLimitAt){omega2, limit, node};
    }
}

// Inverse of the mass that a node gives to one of the two edges it is in; an end of the rod gives all.
static double half_w(const Rod* rod, int node)
{
    bool end = !rod->line.closed && (node == 0 || node == rod->line.node_count - 1);
    return rod->line.w[slot_of(&rod->line, node)] * (end ? 1.0 : 2.0);
}

// How much stiffer a bent corner is than a straight one: the second derivative of (4 tan(phi/4))^2 / 2 in phi, or less.
static double stiffening(const CordCorde* m, int slot)
{
    CordQuat a = corde_orientation(m, slot - 1), b = corde_orientation(m, slot);
    double w = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w, r = 2.0 / (1.0 + w); // 1 / cos(phi/4)^2
    return m->printed ? 1.0 : r * (3.0 * r - 2.0);
}

typedef struct Corner {
    double bend, twist; // stiffness, and what stresses add to it [N m]
} Corner;

static Corner corner_at(const CordCorde* m, int slot)
{
    const CordeCorners* k = &m->corners;
    double mean = 0.5 * (k->K11[slot] + k->K22[slot]), apart = 0.5 * (k->K11[slot] - k->K22[slot]);
    double K = mean + sqrt(apart * apart + k->K12[slot] * k->K12[slot]);
    double factor = k->inv_l[slot] > 0.0 ? k->inv_l[slot] * stiffening(m, slot) : 0.0;
    return (Corner){factor * K, factor * k->K33[slot]};
}

// A corner turns its two edges against each other: half the sum of what both would make of it alone, at the most twice what one takes.
static Corner corners_of(const CordCorde* m, int slot)
{
    Corner a = corner_at(m, slot), b = corner_at(m, slot + 1);
    return (Corner){2.0 * (a.bend + b.bend), 2.0 * (a.twist + b.twist)};
}

// Orientations with inertia. No frequency of the whole exceeds the highest of its pieces, however inertia is shared among them (Irons and Treharne): an edge
// shares its own between its penalty and its corners as their stiffnesses are to each other, so that these add up.
static Contributions explicit_at(const CordCorde* m, const Rod* rod, int edge, double tension)
{
    const CordCenterline* c = &rod->line;
    const CordeEdges* e = &m->edges;
    int s = slot_of(c, edge);
    double w = half_w(rod, edge) + half_w(rod, edge_end(c, edge)), len = vec3_length(edge_vector(c, edge));
    double inv_bend = fmax(e->turn_w[0][s], e->turn_w[1][s]);
    Corner k = corners_of(m, s);
    return (Contributions){.stretch = w * e->EA[s] * c->inv_rest[s],
                           .tension = w * tension / len,
                           .penalty = e->kappa_l[s] * (inv_bend + w / (len * len)),
                           .turn = k.bend * inv_bend,
                           .twist = k.twist * e->turn_w[2][s]};
}

// Orientations that follow. At the shortest wave, which turns over with every step h, backward Euler makes their inertia I a stiffness of 4 I / h^2, beside
// that of the corners, B; in a row with the penalty k it bears on the nodes, whose inverse mass is `across`:
//
//     across k (B + 4 I / h^2) / (k + B + 4 I / h^2) = 4 / h^2,      of which h^2 is the positive root of a quadratic.
static double bend_omega2(double across, double k, double B, double I)
{
    double a = across * k * B, b = 4.0 * (across * k * I - (k + B));
    if (a <= 0.0) {
        return b > 0.0 ? 0.25 * b / I : 0.0;
    }
    double root = sqrt(b * b + 64.0 * a * I), h2 = b < 0.0 ? (root - b) / (2.0 * a) : 32.0 * I / (root + b);
    return 4.0 / h2;
}

static Contributions implicit_at(const CordCorde* m, const Rod* rod, int edge, double tension)
{
    const CordCenterline* c = &rod->line;
    const CordeEdges* e = &m->edges;
    int s = slot_of(c, edge);
    double w = half_w(rod, edge) + half_w(rod, edge_end(c, edge)), len = vec3_length(edge_vector(c, edge));
    double inertia = fmax(e->inertia[0][s], e->inertia[1][s]);
    return (Contributions){.stretch = w * e->EA[s] * c->inv_rest[s],
                           .tension = w * tension / len,
                           .bend = bend_omega2(w / (len * len), e->kappa_l[s], corners_of(m, s).bend, inertia)};
}

static void limit_across(StepLimitAt* most, const Contributions* k, int edge)
{
    double sum = k->bend + k->tension + k->penalty + k->turn;
    double largest = fmax(fmax(k->bend, k->tension), fmax(k->penalty, k->turn));
    CordStepLimit limit = largest == k->tension   ? CORD_LIMIT_TENSION
                          : largest == k->penalty ? CORD_LIMIT_PENALTY
                          : largest == k->turn    ? CORD_LIMIT_TURN
                                                  : CORD_LIMIT_BEND;
    limit_by(most, sum, limit, edge);
}

// Friction that resists the last step's rates shortens the step as it does in der; (28) and (30) by their largest share of the stiffness.
static double retardation(const CordCorde* m, const Rod* rod, int slot)
{
    const CordeEdges* e = &m->edges;
    const CordeCorners* k = &m->corners;
    double time = m->damping_time;
    time = fmax(time, e->EA[slot] > 0.0 ? e->drag[slot] / e->EA[slot] : 0.0);
    double least = fmin(fmin(k->K11[slot], k->K22[slot]), k->K33[slot]);
    bool explicit_turns = m->inertial && k->inv_l[slot] > 0.0 && least > 0.0;
    (void)rod;
    return fmax(time, explicit_turns ? k->drag[slot] / least : 0.0);
}

StepLimitAt corde_limit(const Rod* rod, const double* tension, double least_tension)
{
    const CordCorde* m = corde_of(rod);
    const CordCenterline* c = &rod->line;
    StepLimitAt most = {0.0, CORD_LIMIT_NONE, 0};
    double time = 0.0;
    for (int j = 0; j < c->edge_count; j++) {
        double pull = fmax(tension[j], least_tension);
        Contributions k = m->inertial ? explicit_at(m, rod, j, pull) : implicit_at(m, rod, j, pull);
        limit_by(&most, k.stretch, CORD_LIMIT_STRETCH, j);
        limit_by(&most, k.twist, CORD_LIMIT_TWIST, j);
        limit_across(&most, &k, j);
        time = fmax(time, retardation(m, rod, slot_of(c, j)));
    }
    double z = 0.5 * time * sqrt(most.omega2), shorter = sqrt(1.0 + z * z) + z;
    most.omega2 *= shorter * shorter;
    most.limit = shorter > 2.0 ? CORD_LIMIT_DAMPING : most.limit;
    return most;
}
