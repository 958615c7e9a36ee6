// Stability limit of the explicit step.
#include "base/real.h"
#include "model/corde/quaternion.h"

typedef struct Contributions { // to the squared angular frequency of an edge's fastest motion [1/s^2]
    double stretch, bend, tension, penalty, turn, twist;
    // decay rates of the same motions by friction alone [1/s]
    double stretch_drag, turn_drag, twist_drag;
} Contributions;

// Explicit friction, which uses the rates of the last step, shortens the stable step. With h^2 omega^2 + 2 h
// drag = 4 the limit is that of the frequency omega (z + sqrt(1 + z^2)), z = drag / (2 omega).
static void raise_bound(SpectralBound* most, double omega2, double drag, double rate, CordStepLimit limit,
                        int node)
{
    double z = omega2 > 0.0 ? 0.5 * drag / sqrt(omega2) : 0.0, shorter = z + sqrt(1.0 + z * z);
    double effective = omega2 * shorter * shorter;
    if (effective > most->omega2) {
        most->omega2 = effective, most->node = node;
        most->limit = shorter > 2.0 ? CORD_LIMIT_DAMPING : limit;
    }
    if (effective * rate > most->drift) {
        most->drift = effective * rate, most->drift_node = node;
    }
}

// Inverse of the mass that a node contributes to one of its two edges. An end node of an open rod contributes
// all of its mass.
static double half_w(const Rod* rod, int node)
{
    bool end = !rod->line.closed && (node == 0 || node == rod->line.node_count - 1);
    return rod->line.w[slot_of(&rod->line, node)] * (end ? 1.0 : 2.0);
}

// Upper bound of the stiffness of a bent corner relative to a straight one: the second derivative of
// (4 tan(phi/4))^2 / 2 with respect to phi.
static double stiffening(const CordCorde* m, int slot)
{
    CordQuat a = corde_orientation(m, slot - 1), b = corde_orientation(m, slot);
    double w = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w, r = 2.0 / (1.0 + w); // 1 / cos(phi/4)^2
    return m->printed ? 1.0 : r * (3.0 * r - 2.0);
}

typedef struct Corner {
    double bend, twist; // stiffness, with its geometric part [N m]
} Corner;

static Corner corner_at(const CordCorde* m, int slot)
{
    const CordeCorners* k = &m->corners;
    double mean = 0.5 * (k->K11[slot] + k->K22[slot]), difference = 0.5 * (k->K11[slot] - k->K22[slot]);
    double K = mean + sqrt(difference * difference + k->K12[slot] * k->K12[slot]);
    double factor = k->inv_l[slot] > 0.0 ? k->inv_l[slot] * stiffening(m, slot) : 0.0;
    return (Corner){factor * K, factor * k->K33[slot]};
}

// Sum of the two corners of an edge. A corner rotates its two edges against each other, which costs at most
// twice what the rotation of one edge costs.
static Corner corners_of(const CordCorde* m, int slot)
{
    Corner a = corner_at(m, slot), b = corner_at(m, slot + 1);
    return (Corner){2.0 * (a.bend + b.bend), 2.0 * (a.twist + b.twist)};
}

// Orientations with inertia, by the element eigenvalue theorem (Irons and Treharne 1971): no frequency of the
// structure exceeds the highest one of its elements, however the inertia is divided among them. An edge
// divides its inertia between its penalty and its corners in proportion to their stiffnesses, so that these
// add.
static Contributions explicit_at(const CordCorde* m, const Rod* rod, int edge, double tension)
{
    const CordCenterline* c = &rod->line;
    const CordeEdges* e = &m->edges;
    int s = slot_of(c, edge);
    double w = half_w(rod, edge) + half_w(rod, edge_end(c, edge)), len = vec3_length(edge_vector(c, edge));
    double inv_bend = real_max(e->turn_w[0][s], e->turn_w[1][s]);
    Corner k = corners_of(m, s);
    double turn = k.bend * inv_bend, twist = k.twist * e->turn_w[2][s];
    double drag =
        2.0 * (m->corners.drag[s] * m->corners.inv_l[s] + m->corners.drag[s + 1] * m->corners.inv_l[s + 1]);
    return (Contributions){.stretch = w * e->EA[s] * c->inv_rest[s],
                           .tension = w * tension / len,
                           .penalty = e->kappa_l[s] * (inv_bend + w / (len * len)),
                           .turn = turn,
                           .twist = twist,
                           .stretch_drag = w * e->drag[s] * c->inv_rest[s],
                           .turn_drag = m->damping_time * turn + drag * inv_bend,
                           .twist_drag = m->damping_time * twist + drag * e->turn_w[2][s]};
}

// Quasistatic orientations: the bending stiffness B of the corners acts on the nodes in series with the
// penalty k.
static double in_series(double k, double B)
{
    return k + B > 0.0 ? k * B / (k + B) : 0.0;
}

static Contributions quasistatic_at(const CordCorde* m, const Rod* rod, int edge, double tension)
{
    const CordCenterline* c = &rod->line;
    const CordeEdges* e = &m->edges;
    int s = slot_of(c, edge);
    double w = half_w(rod, edge) + half_w(rod, edge_end(c, edge)), len = vec3_length(edge_vector(c, edge));
    double across = w / (len * len), B = corners_of(m, s).bend, bend = across * in_series(e->kappa_l[s], B);
    for (int n = 0; n < 8 && m->damping_time > 0.0 && bend > 0.0; n++) {
        // the stiffness of viscous corners grows with the frequency
        bend = across * in_series(e->kappa_l[s], B * (1.0 + m->damping_time * sqrt(bend)));
    }
    return (Contributions){.stretch = w * e->EA[s] * c->inv_rest[s],
                           .tension = w * tension / len,
                           .bend = bend,
                           .stretch_drag = w * e->drag[s] * c->inv_rest[s]};
}

// Stiffness of the couple on a held edge. Its neighbours either rotate with their inertia, or are
// quasistatic, and then the penalty acts in series.
double corde_couple_stiffness(const Rod* rod, int edge)
{
    const CordCorde* m = corde_of(rod);
    return 0.5 * corners_of(m, slot_of(&rod->line, edge)).bend;
}

static void limit_across(SpectralBound* most, const Contributions* k, double rate, int edge)
{
    double sum = k->bend + k->tension + k->penalty + k->turn;
    double largest = real_max(real_max(k->bend, k->tension), real_max(k->penalty, k->turn));
    CordStepLimit limit = largest == k->tension   ? CORD_LIMIT_TENSION
                          : largest == k->penalty ? CORD_LIMIT_PENALTY
                          : largest == k->turn    ? CORD_LIMIT_TURN
                                                  : CORD_LIMIT_BEND;
    raise_bound(most, sum, k->turn_drag, rate, limit, edge);
}

// Stiffest penalty that is stable at in->h: the part of 4 / h^2 - 2 drag / h that the other terms leave,
// divided by the share of a penalty of 1 N.
static double stiffest_penalty(const Rod* rod, const BoundInput* in)
{
    const CordCorde* m = corde_of(rod);
    const CordCenterline* c = &rod->line;
    double least = INFINITY, h = in->h, room = 4.0 / (h * h);
    for (int j = 0; m->inertial && j < c->edge_count; j++) {
        int s = slot_of(c, j);
        Contributions k = explicit_at(m, rod, j, real_max(in->tension[j], in->least_tension));
        double kappa = m->edges.kappa_l[s] * c->inv_rest[s],
               left = room - k.tension - k.turn - 2.0 * k.turn_drag / h;
        bool others = k.stretch + 2.0 * k.stretch_drag / h <= room &&
                      k.twist + 2.0 * k.twist_drag / h <= room && left > 0.0;
        least = real_min(least, others && k.penalty > 0.0 ? kappa * left / k.penalty
                                : others                  ? INFINITY
                                                          : 0.0);
    }
    return isfinite(least) ? least : 0.0;
}

SpectralBound corde_bound(const Rod* rod, const BoundInput* in)
{
    const CordCorde* m = corde_of(rod);
    const CordCenterline* c = &rod->line;
    SpectralBound most = {.limit = CORD_LIMIT_NONE};
    for (int j = 0; j < c->edge_count; j++) {
        double pull = real_max(in->tension[j], in->least_tension);
        Contributions k = m->inertial ? explicit_at(m, rod, j, pull) : quasistatic_at(m, rod, j, pull);
        double rate = in->rate ? in->rate[j] : 0.0;
        raise_bound(&most, k.stretch, k.stretch_drag, rate, CORD_LIMIT_STRETCH, j);
        raise_bound(&most, k.twist, k.twist_drag, rate, CORD_LIMIT_TWIST, j);
        limit_across(&most, &k, rate, j);
    }
    most.penalty = in->h > 0.0 ? stiffest_penalty(rod, in) : 0.0;
    return most;
}
