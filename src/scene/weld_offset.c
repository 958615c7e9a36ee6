#include "scene/build.h"

#define NEAR_ENOUGH 1e-6 // relative to the rod's length; scenes are written with six digits

typedef struct Nodes {
    const CordVec3* x;
    int node_count, edge_count;
} Nodes;

static double edge_length(const Nodes* n, int edge)
{
    return cord_vec3_distance(n->x[edge], n->x[(edge + 1) % n->node_count]);
}

static CordVec3 edge_middle(const Nodes* n, int edge)
{
    CordVec3 a = n->x[edge], b = n->x[(edge + 1) % n->node_count];
    return cord_vec3_scale(cord_vec3_add(a, b), 0.5);
}

// The nearest node, or the middle of the edge, at a fraction of the rod's length. Rest lengths are assumed to
// be in proportion to the lengths of the shape.
static CordVec3 point_at_fraction(const Nodes* n, double fraction, bool of_node)
{
    double whole = 0.0, before = 0.0;
    for (int i = 0; i < n->edge_count; i++) {
        whole += edge_length(n, i);
    }
    int edge = 0;
    while (edge < n->edge_count - 1 && fraction * whole > before + edge_length(n, edge)) {
        before += edge_length(n, edge++);
    }
    if (!of_node) {
        return edge_middle(n, edge);
    }
    bool first = fraction * whole <= before + 0.5 * edge_length(n, edge);
    return n->x[first ? edge : (edge + 1) % n->node_count];
}

// The point that a weld holds: the rod's end, a node, or the middle of an edge.
static CordVec3 welded_point(const Nodes* n, const CordWeldDef* def, double length)
{
    switch (def->at.kind) {
    case CORD_AT_START: return n->x[0];
    case CORD_AT_END: return n->x[n->node_count - 1];
    case CORD_AT_NODE: return n->x[def->at.index];
    case CORD_AT_EDGE: return edge_middle(n, def->at.index);
    case CORD_AT_ARC: break;
    }
    return point_at_fraction(n, def->at.arc / length, def->fix == CORD_FIX_POSITION);
}

// Replaces components that are zero but for rounding, for messages.
static CordVec3 tidy(CordVec3 a, double length)
{
    double least = 1e-12 * length;
    return (CordVec3){fabs(a.x) > least ? a.x : 0.0, fabs(a.y) > least ? a.y : 0.0,
                      fabs(a.z) > least ? a.z : 0.0};
}

static CordResult compare(CordScene* scene, int index, CordVec3 point, double length)
{
    const SceneWeld* weld = &scene->welds[index];
    const CordBodyDef* body = &scene->bodies[weld->body].def;
    CordVec3 arm = cord_quat_rotate(body->rotation, weld->offset), to = cord_vec3_sub(point, arm);
    CordVec3 there = cord_vec3_add(body->position, arm);
    if (cord_vec3_distance(there, point) <= NEAR_ENOUGH * length) {
        return CORD_OK;
    }
    there = tidy(there, length), point = tidy(point, length), to = tidy(to, length);
    Reader r = scene_reader(scene);
    reader_error(&r, weld->offset_at,
                 "is at (%.9g, %.9g, %.9g) on body \"%s\", and the welded point of rod \"%s\" is at (%.9g, "
                 "%.9g, %.9g); move the body to (%.9g, %.9g, %.9g), or leave offset out",
                 there.x, there.y, there.z, body->name, scene->rods[weld->rod].def.name, point.x, point.y,
                 point.z, to.x, to.y, to.z);
    return CORD_BAD_ARGUMENT;
}

// Warns of a weld whose point is far from the body's surface, at the end of a lever that is not seen.
static void warn_of_lever(CordScene* scene, int index, CordVec3 point, double length)
{
    const SceneWeld* weld = &scene->welds[index];
    const CordBodyDef* body = &scene->bodies[weld->body].def;
    CordVec3 from = cord_vec3_sub(point, body->position);
    CordQuat back = {-body->rotation.x, -body->rotation.y, -body->rotation.z, body->rotation.w};
    double lever = cord_solid_distance(&body->solid, cord_quat_rotate(back, from), NULL);
    if (lever > length && lever > cord_solid_support(&body->solid, cord_vec3(0, 0, 1))) {
        Reader r = scene_reader(scene);
        reader_warning(&r, weld->at,
                       "holds the rod %g m from the surface of body \"%s\", which cannot be meant: the lever "
                       "between them is longer than the rod; move the body to the rod's place",
                       lever, body->name);
    }
}

CordResult weld_check_place(CordScene* scene, int index, const CordWorld* world, const CordWeldDef* def)
{
    CordRodId rod = def->rod;
    Nodes nodes = {.node_count = cord_rod_node_count(world, rod),
                   .edge_count = cord_rod_edge_count(world, rod)};
    Pool scratch = pool_beside(&scene->pool);
    CordVec3* x = pool_array(&scratch, CordVec3, nodes.node_count);
    nodes.x = x;
    CordResult result = x ? cord_rod_positions(world, rod, x) : CORD_NO_MEMORY;
    if (result == CORD_OK) {
        double length = cord_rod_length(world, rod);
        CordVec3 point = welded_point(&nodes, def, length);
        warn_of_lever(scene, index, point, length);
        result = scene->welds[index].offset_at ? compare(scene, index, point, length) : CORD_OK;
    }
    pool_end(&scratch, &scene->pool);
    return result;
}
