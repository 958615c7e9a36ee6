#include "export/section.h"

#include "export/geometry.h"

static CordVec3 edge_vector(const CordFrame* frame, const CordFrameRod* rod, int edge)
{
    int nodes[2];
    cord_frame_ends(frame, (int)(rod - frame->rods), edge, nodes);
    return cord_vec3_sub(frame->x[nodes[1]], frame->x[nodes[0]]);
}

static CordVec3 reject(CordVec3 v, CordVec3 t)
{
    return cord_vec3_madd(v, t, -cord_vec3_dot(v, t));
}

// Parallel transport of v from the unit vector a to the unit vector b. Opposite vectors leave v as it is.
static CordVec3 transport(CordVec3 v, CordVec3 a, CordVec3 b)
{
    double c = cord_vec3_dot(a, b);
    if (1.0 + c < 1e-12) {
        return v;
    }
    CordVec3 w = cord_vec3_cross(a, b);
    CordVec3 turned = cord_vec3_madd(cord_vec3_cross(w, v), v, c);
    return cord_vec3_madd(turned, w, cord_vec3_dot(w, v) / (1.0 + c));
}

SectionAxes section_of_edge(const CordFrame* frame, const CordFrameRod* rod, int edge)
{
    CordVec3 m1 = frame->m1[rod->first_edge + edge], u, v;
    frame_about(cord_vec3_unit_or(m1, (CordVec3){1, 0, 0}), &u, &v);
    // an edge of zero length points anywhere at right angles to m1
    CordVec3 t = cord_vec3_unit_or(edge_vector(frame, rod, edge), u);
    frame_about(t, &u, &v);
    return (SectionAxes){t, cord_vec3_unit_or(reject(m1, t), u)};
}

// The edges beside a node of a chain. At an open end both are the same edge.
static int edge_before(const CordFrameRod* rod, int node)
{
    return node > 0 ? node - 1 : rod->closed ? rod->edge_count - 1 : 0;
}

static int edge_after(const CordFrameRod* rod, int node)
{
    return node < rod->edge_count ? node : rod->edge_count - 1;
}

SectionAxes section_of_node(const CordFrame* frame, const CordFrameRod* rod, int node)
{
    SectionAxes before = section_of_edge(frame, rod, edge_before(rod, node));
    SectionAxes after = section_of_edge(frame, rod, edge_after(rod, node));
    CordVec3 t = cord_vec3_unit_or(cord_vec3_add(before.t, after.t), before.t);
    CordVec3 first = transport(before.m1, before.t, t), second = transport(after.m1, after.t, t);
    CordVec3 u, v, mean = reject(cord_vec3_add(first, second), t);
    frame_about(t, &u, &v);
    // Opposite axes have no mean; either one is as good.
    CordVec3 m1 = cord_vec3_length(mean) > 1e-6 ? mean : reject(first, t);
    return (SectionAxes){t, cord_vec3_unit_or(m1, u)};
}

double section_edge_length(const CordFrame* frame, const CordFrameRod* rod, int edge)
{
    return cord_vec3_length(edge_vector(frame, rod, edge));
}

// ---- internal forces

void cord_frame_forces(const CordFrame* frame, int rod, CordSectionForce* forces)
{
    const CordFrameRod* r = &frame->rods[rod];
    double arc = 0.0;
    for (int j = 0; j < r->edge_count; j++) {
        SectionAxes axes = section_of_edge(frame, r, j);
        CordVec3 force = frame->force[r->first_edge + j];
        double length = section_edge_length(frame, r, j);
        forces[j] = (CordSectionForce){
            .arc = r->network ? NAN : arc + 0.5 * length,
            .tension = frame->tension[r->first_edge + j],
            .shear1 = cord_vec3_dot(force, axes.m1),
            .shear2 = cord_vec3_dot(force, cord_vec3_cross(axes.t, axes.m1)),
        };
        arc += length;
    }
}

void cord_frame_moments(const CordFrame* frame, int rod, CordSectionMoment* moments)
{
    const CordFrameRod* r = &frame->rods[rod];
    double arc = 0.0;
    for (int i = 0; r->network && i < r->node_count; i++) {
        moments[i] = (CordSectionMoment){NAN, NAN, NAN, NAN};
    }
    for (int i = 0; !r->network && i < r->node_count; i++) {
        SectionAxes axes = section_of_node(frame, r, i);
        CordVec3 moment = frame->moment[r->first_node + i];
        moments[i] = (CordSectionMoment){
            .arc = arc,
            .moment1 = cord_vec3_dot(moment, axes.m1),
            .moment2 = cord_vec3_dot(moment, cord_vec3_cross(axes.t, axes.m1)),
            .torque = cord_vec3_dot(moment, axes.t),
        };
        arc += i < r->edge_count ? section_edge_length(frame, r, i) : 0.0;
    }
}
