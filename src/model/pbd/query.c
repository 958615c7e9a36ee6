// Queries of a position-based rod. They use the strain measure of the position solver
// (step/position_constraint.h), which is also defined for folded corners. Viscous moments and tensions are
// those of the last substep.
#include "base/real.h"
#include "model/pbd/pbd.h"

#include "math/elementary.h"

typedef struct Frame3 {
    CordVec3 d[3];
    double inv_len;
} Frame3;

typedef struct Corner3 { // the corner at a node
    CordVec3 on_a, on_b; // derivatives of its energy with respect to the edge vectors before and after [N]
    double phi_a, phi_b; // derivatives with respect to their frame angles [N m]
    CordVec3 moment;     // internal moment [N m]
    double bend, twist;  // [J]
} Corner3;

static Frame3 frame_of(const Rod* rod, int edge)
{
    const CordCenterline* c = &rod->line;
    int s = slot_of(c, edge);
    CordVec3 t = slot_get(pbd_of(rod)->framed->now.edges.t, s),
             m1 = slot_get(pbd_of(rod)->framed->now.edges.m1, s);
    double length = vec3_length(edge_vector(c, edge));
    return (Frame3){{m1, vec3_cross(t, m1), t}, 1.0 / real_max(length, PBD_SHORT * c->rest_len[s])};
}

// Frame of the edge after a node, as used by the corner: at the seam of a ring rotated back by the seam
// angle.
static Frame3 frame_after(const Rod* rod, int node)
{
    Frame3 f = frame_of(rod, node);
    if (rod->line.closed && node == 0) {
        double sine, cosine;
        cord_sin_cos(pbd_of(rod)->framed->now.nodes.rest_m[slot_of(&rod->line, 0)], &sine, &cosine);
        CordVec3 d1 = f.d[0], d2 = f.d[1];
        f.d[0] = vec3_madd(vec3_mul(d1, cosine), d2, -sine);
        f.d[1] = vec3_madd(vec3_mul(d2, cosine), d1, sine);
    }
    return f;
}

static CordVec3 rodrigues(const Frame3* a, const Frame3* b) // g of step/position_constraint.h
{
    const CordVec3 *d = a->d, *e = b->d;
    CordVec3 skew = {vec3_dot(d[2], e[1]) - vec3_dot(d[1], e[2]), vec3_dot(d[0], e[2]) - vec3_dot(d[2], e[0]),
                     vec3_dot(d[1], e[0]) - vec3_dot(d[0], e[1])};
    double whole = 1.0 + (vec3_dot(d[0], e[0]) + vec3_dot(d[1], e[1]) + vec3_dot(d[2], e[2]));
    if (whole < PBD_FLAT) {
        return (CordVec3){2.0 / sqrt(PBD_FOLDED), 0.0, 0.0};
    }
    return vec3_mul(skew, 1.0 / real_max(whole, sqrt(whole * PBD_FOLDED)));
}

static double last_substep(const Rod* rod) // length of the last substep [s]; 0: there was none
{
    return rod->last_step / pbd_of(rod)->substeps;
}

// tension [N]; since: interval of the viscous part [s], 0: elastic part only
static double tension_of(const Rod* rod, int edge, double since)
{
    const CordCenterline* c = &rod->line;
    int s = slot_of(c, edge);
    double stretch = pbd_stretch(rod, edge, last_substep(rod));
    if (since == 0.0) {
        return rod_tension(rod, edge, stretch);
    }
    double length = vec3_length(edge_vector(c, edge)), longer = length - c->rest_len[s];
    longer += rod->damping_time / since * (length - pbd_of(rod)->past_length[s]);
    return stretch * longer;
}

// Moments about the axes from the strain beta, and the energies.
static CordVec3 moments_at(const Rod* rod, int node, CordVec3 beta, double since, double* bend, double* twist)
{
    const CornerNodes* n = &pbd_of(rod)->framed->now.nodes;
    int s = slot_of(&rod->line, node);
    CordVec3 off = {beta.x + n->rest_A[1][s], beta.y - n->rest_A[0][s], beta.z - n->rest_B[0][s]};
    double less = pbd_bend_share(rod, real_max(n->K[2][s], n->K[0][s]), last_substep(rod));
    double K11 = less * n->K[2][s], K12 = -less * n->K[1][s], K22 = less * n->K[0][s];
    double K33 = pbd_bend_share(rod, n->GJ2[s], last_substep(rod)) * n->GJ2[s];
    *bend = 0.5 * (K11 * off.x * off.x + 2.0 * K12 * off.x * off.y + K22 * off.y * off.y);
    *twist = 0.5 * K33 * off.z * off.z;
    if (since > 0.0) {
        off = vec3_madd(off, vec3_sub(beta, slot_get(pbd_of(rod)->past, s)), rod->damping_time / since);
    }
    return (CordVec3){K11 * off.x + K12 * off.y, K12 * off.x + K22 * off.y, K33 * off.z};
}

// Converts a moment on the frame to a force on the edge vector e: its rotation is psi_1 = -d2.de/|e|,
// psi_2 = d1.de/|e|.
static CordVec3 on_edge(const Frame3* f, CordVec3 psi)
{
    return vec3_mul(vec3_madd(vec3_mul(f->d[0], psi.y), f->d[1], -psi.x), f->inv_len);
}

static Corner3 corner_at(const Rod* rod, int node, double since)
{
    Corner3 c;
    Frame3 a = frame_of(rod, edge_before(&rod->line, node)), b = frame_after(rod, node);
    CordVec3 g = rodrigues(&a, &b), n = moments_at(rod, node, vec3_mul(g, 2.0), since, &c.bend, &c.twist);
    CordVec3 both = vec3_madd(n, g, vec3_dot(g, n)), turned = vec3_cross(g, n);
    CordVec3 psi_a = vec3_mul(vec3_add(both, turned), -1.0), psi_b = vec3_sub(both, turned); // -T n, T' n
    c.on_a = on_edge(&a, psi_a), c.on_b = on_edge(&b, psi_b);
    c.phi_a = psi_a.z, c.phi_b = psi_b.z;
    c.moment = vec3_madd(vec3_madd(vec3_mul(b.d[0], psi_b.x), b.d[1], psi_b.y), b.d[2], psi_b.z);
    return c;
}

void pbd_energy(const Rod* rod, CordEnergy* energy)
{
    const CordCenterline* c = &rod->line;
    energy->bend = energy->twist = energy->stretch = 0.0;
    for (int k = 0; k < inner_count(c); k++) {
        Corner3 corner = corner_at(rod, inner_node(c, k), 0.0);
        energy->bend += corner.bend;
        energy->twist += corner.twist;
    }
    for (int j = 0; j < c->edge_count; j++) {
        double longer = vec3_length(edge_vector(c, j)) - edge_rest_len(c, j);
        energy->stretch += 0.5 * pbd_stretch(rod, j, last_substep(rod)) * longer * longer;
    }
}

// The viscous moments and tensions times the rates of their strains.
double pbd_dissipation(const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    const CordPbd* m = pbd_of(rod);
    double sum = 0.0, since = m->since;
    for (int k = 0; k < inner_count(c) && since > 0.0; k++) {
        int i = inner_node(c, k);
        double bend, twist;
        Frame3 a = frame_of(rod, edge_before(c, i)), b = frame_after(rod, i);
        CordVec3 beta = vec3_mul(rodrigues(&a, &b), 2.0);
        CordVec3 rate = vec3_mul(vec3_sub(beta, slot_get(m->past, slot_of(c, i))), 1.0 / since);
        CordVec3 all = moments_at(rod, i, beta, since, &bend, &twist);
        sum += vec3_dot(vec3_sub(all, moments_at(rod, i, beta, 0.0, &bend, &twist)), rate);
    }
    for (int j = 0; j < c->edge_count && since > 0.0; j++) {
        double rate = (vec3_length(edge_vector(c, j)) - m->past_length[slot_of(c, j)]) / since;
        sum += (tension_of(rod, j, since) - tension_of(rod, j, 0.0)) * rate;
    }
    return sum;
}

void pbd_sections(const Rod* rod, CordVec3* force, double* tension)
{
    const CordCenterline* c = &rod->line;
    const CordPbd* m = pbd_of(rod);
    for (int j = 0; j < c->edge_count; j++) {
        double pull = tension_of(rod, j, m->since);
        if (tension) {
            tension[j] = pull;
        }
        if (force) {
            force[j] = vec3_mul(slot_get(m->framed->now.edges.t, slot_of(c, j)), pull);
        }
    }
    for (int k = 0; force && k < inner_count(c); k++) {
        int i = inner_node(c, k), before = edge_before(c, i);
        Corner3 corner = corner_at(rod, i, m->since);
        force[before] = vec3_add(force[before], corner.on_a);
        force[i] = vec3_add(force[i], corner.on_b);
    }
}

static void add_edge(const CordCenterline* c, CordVec3* dE_dx, int edge, CordVec3 slope)
{
    int end = edge_end(c, edge);
    dE_dx[edge] = vec3_sub(dE_dx[edge], slope);
    dE_dx[end] = vec3_add(dE_dx[end], slope);
}

// Gradient of the elastic energy, without the viscous part.
void pbd_gradient(const Rod* rod, CordVec3* dE_dx)
{
    const CordCenterline* c = &rod->line;
    for (int j = 0; j < c->edge_count; j++) {
        add_edge(
            c, dE_dx, j,
            vec3_mul(slot_get(pbd_of(rod)->framed->now.edges.t, slot_of(c, j)), tension_of(rod, j, 0.0)));
    }
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k);
        Corner3 corner = corner_at(rod, i, 0.0);
        add_edge(c, dE_dx, edge_before(c, i), corner.on_a);
        add_edge(c, dE_dx, i, corner.on_b);
    }
}

void pbd_moments(const Rod* rod, CordVec3* moment)
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < c->node_count; i++) {
        bool inner = c->closed || (i > 0 && i < c->node_count - 1);
        moment[i] = inner ? corner_at(rod, i, pbd_of(rod)->since).moment : (CordVec3){0, 0, 0};
    }
}

double pbd_spin_moment(const Rod* rod, int edge)
{
    const CordCenterline* c = &rod->line;
    int end = edge_end(c, edge);
    bool before = c->closed || edge > 0, after = c->closed || end < c->node_count - 1;
    return -((before ? corner_at(rod, edge, pbd_of(rod)->since).phi_b : 0.0) +
             (after ? corner_at(rod, end, pbd_of(rod)->since).phi_a : 0.0));
}
