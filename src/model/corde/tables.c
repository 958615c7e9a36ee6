// Arrays of the CORDE kernels, computed from stiffnesses, lengths and clamps.
#include "base/real.h"
#include "math/elementary.h"
#include "model/corde/quaternion.h"

// Default penalty kappa, relative to EI / l^2. It acts as the shear stiffness of a beam: the tip deflection
// of a cantilever of length L grows by 3 EI / (kappa L^2) = (1/8) (l / L)^2, while the discretisation with
// edges of length l reduces it by (1/4) (l / L)^2. See docs/models/corde.md.
#define PENALTY 24.0

static double value_or(double given, double otherwise)
{
    return isnan(given) ? otherwise : given;
}

// Half the sum of the corner lengths at both ends. This is the length of the edge, except that a half edge at
// a clamped end counts in full.
static double corner_length(const Rod* rod, int edge)
{
    const CordCenterline* c = &rod->line;
    int ends[2] = {edge, edge_end(c, edge)};
    double sum = 0.0, count = 0.0;
    for (int k = 0; k < 2; k++) {
        bool inner = c->closed || (ends[k] > 0 && ends[k] < c->node_count - 1);
        sum += inner ? 0.5 * rod_bend_length(rod, ends[k]) : 0.0;
        count += inner ? 1.0 : 0.0;
    }
    return count > 0.0 ? sum / count : edge_rest_len(c, edge);
}

// The larger principal bending stiffness. A rod without bending stiffness uses its twisting stiffness; with
// neither, any penalty will do.
static double stiffest(const CordStiffness* k)
{
    double mean = 0.5 * (k->EI1 + k->EI2), difference = 0.5 * (k->EI1 - k->EI2);
    double EI = mean + sqrt(difference * difference + k->EI12 * k->EI12);
    return EI > 0.0 ? EI : k->GJ > 0.0 ? k->GJ : 1e-6;
}

static void fill_edge(CordCorde* m, const Rod* rod, int edge)
{
    const CordCenterline* c = &rod->line;
    const CordStiffness* k = rod_stiffness_at(rod, edge);
    CordeEdges* e = &m->edges;
    int s = slot_of(c, edge);
    double l = edge_rest_len(c, edge), span = corner_length(rod, edge);
    double kappa = value_or(m->penalty, PENALTY * stiffest(k) / (span * span));
    double inertia[3] = {k->rotary1 * l, k->rotary2 * l, k->spin_inertia * l};
    e->EA[s] = rod->inextensible ? 0.0 : rod_stretch_stiffness(rod, edge);
    e->drag[s] = e->EA[s] / k->EA * value_or(m->drag_stretch, rod->damping_time * k->EA);
    e->kappa_l[s] = kappa * l;
    e->torque[s] = 0.0;
    e->may_turn[0][s] = e->may_turn[1][s] = 1.0;
    for (int i = 0; i < 3; i++) { // quasistatic orientations have no inertia
        e->inertia[i][s] = m->inertial ? inertia[i] : 0.0;
        e->turn_w[i][s] = m->inertial ? 1.0 / inertia[i] : 0.0;
    }
}

typedef struct Bending { // stiffness of a section [N m^2]
    double K11, K12, K22;
} Bending;

static Bending turned(Bending K, double angle) // in axes that are turned by minus the angle
{
    double mean = 0.5 * (K.K11 + K.K22), difference = 0.5 * (K.K11 - K.K22);
    double cosine = cord_cos(2.0 * angle), sine = cord_sin(2.0 * angle),
           half = difference * cosine - K.K12 * sine;
    return angle == 0.0 ? K : (Bending){mean + half, K.K12 * cosine + difference * sine, mean - half};
}

// The corner at node 0 is seen from the first edge: the axes of the last one end turned by the seam angle.
static void fill_corner(CordCorde* m, const Rod* rod, int node)
{
    const CordCenterline* c = &rod->line;
    const CordStiffness *a = rod_stiffness_at(rod, edge_before(c, node)), *b = rod_stiffness_at(rod, node);
    CordeCorners* k = &m->corners;
    int s = slot_of(c, node);
    Bending last = turned((Bending){a->EI1, -a->EI12, a->EI2}, node == 0 ? -m->seam : 0.0);
    k->inv_l[s] = 2.0 / rod_bend_length(rod, node);
    k->K11[s] = 0.5 * (last.K11 + b->EI1), k->K22[s] = 0.5 * (last.K22 + b->EI2);
    k->K12[s] = 0.5 * (last.K12 - b->EI12), k->K33[s] = 0.5 * (a->GJ + b->GJ);
    k->drag[s] = value_or(m->drag_turn, 0.0);
}

static void hold(CordCorde* m, const Rod* rod, const Clamp* clamp)
{
    CordeEdges* e = &m->edges;
    int s = slot_of(&rod->line, clamp->edge);
    bool frame = clamp->def.fix == CORD_FIX_FRAME;
    e->may_turn[0][s] = 0.0;
    e->turn_w[0][s] = e->turn_w[1][s] = 0.0;
    if (frame && !clamp->def.has_torque) {
        e->may_turn[1][s] = 0.0;
        e->turn_w[2][s] = 0.0;
    }
    e->torque[s] = frame && clamp->def.has_torque ? clamp->def.torque : e->torque[s];
}

static void wrap_all(const CordCenterline* c, double* const* arrays, int count)
{
    for (int i = 0; i < count; i++) {
        centerline_wrap_one(c, arrays[i]);
    }
}

// The corner at node 0 as seen from the last edge: past the seam, its axes are rotated by the seam angle.
static void turn_seam(CordCorde* m, const CordCenterline* c)
{
    CordeCorners* k = &m->corners;
    int s = c->halo + c->edge_count;
    double cosine = cord_cos(m->seam), sine = cord_sin(m->seam), x = k->rest[0][s], y = k->rest[1][s];
    Bending K = turned((Bending){k->K11[s], k->K12[s], k->K22[s]}, m->seam);
    k->rest[0][s] = cosine * x - sine * y, k->rest[1][s] = sine * x + cosine * y;
    k->K11[s] = K.K11, k->K12[s] = K.K12, k->K22[s] = K.K22;
}

static bool is_round(const CordCorde* m, const CordCenterline* c)
{
    const CordeEdges* e = &m->edges;
    const CordeCorners* k = &m->corners;
    bool round = true;
    for (int s = 0; s < c->slot_count; s++) {
        round &= k->K11[s] == k->K22[s] && k->K12[s] == 0.0 && e->inertia[0][s] == e->inertia[1][s];
        round &= k->rest[0][s] == 0.0 && k->rest[1][s] == 0.0 && k->rest[2][s] == 0.0;
    }
    return round;
}

void corde_fill_tables(CordCorde* m, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    CordeEdges* e = &m->edges;
    CordeCorners* k = &m->corners;
    m->shortest = INFINITY;
    for (int j = 0; j < c->edge_count; j++) {
        fill_edge(m, rod, j);
        m->shortest = real_min(m->shortest, 1.0 / c->inv_rest[slot_of(c, j)]);
    }
    for (int n = 0; n < inner_count(c); n++) {
        fill_corner(m, rod, inner_node(c, n));
    }
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (clamp->holds && clamp->edge >= 0) {
            hold(m, rod, clamp);
        }
    }
    double* edges[] = {e->EA,          e->drag,        e->kappa_l,    e->torque,
                       e->may_turn[0], e->may_turn[1], e->inertia[0], e->inertia[1],
                       e->inertia[2],  e->turn_w[0],   e->turn_w[1],  e->turn_w[2]};
    double* corners[] = {k->inv_l, k->K11,     k->K12,     k->K22,    k->K33,
                         k->drag,  k->rest[0], k->rest[1], k->rest[2]};
    wrap_all(c, edges, (int)(sizeof edges / sizeof *edges));
    wrap_all(c, corners, (int)(sizeof corners / sizeof *corners));
    if (c->closed) { // the outermost corners lack an edge
        k->inv_l[0] = k->inv_l[c->slot_count - 1] = 0.0;
        if (m->seam != 0.0) {
            turn_seam(m, c);
        }
    }
    m->round = is_round(m, c);
    m->loose = !loads_have_torque(rod);
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        m->loose &= e->may_turn[1][s] == 1.0 && e->torque[s] == 0.0;
    }
}
