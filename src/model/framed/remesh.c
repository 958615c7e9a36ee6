// Frames of a remeshed rod. Edges that stay keep their frames. The halves of a bisected edge are rotated
// against each other by the twist along the edge. A merged edge gets the frame at its middle. The total twist
// is kept, full turns included.
#include "model/framed/framed.h"
#include "rod/frame.h"
#include "rod/grid.h"

static CordVec3 tangent_of(const Framed* g, int s)
{
    return slot_get(g->now.edges.t, s);
}

// Twist at a node of the old rod without the seam angle; 0 where there is no corner.
static double twist_at(const Framed* old, const Rod* rod, int node)
{
    const CordCenterline* c = &rod->line;
    bool inner = c->closed || (node > 0 && node < c->node_count - 1);
    return inner ? old->now.nodes.m[slot_of(c, node)] - (node == 0 ? old->seam : 0.0) : 0.0;
}

// Half the twist per length at a node of the old rod: m / l, and l is twice the Voronoi length. A free end
// has its rest value.
static double twist_per_length(const Framed* old, const Rod* rod, int node)
{
    const CordCenterline* c = &rod->line;
    bool inner = c->closed || (node > 0 && node < c->node_count - 1);
    return inner ? twist_at(old, rod, node) / rod_bend_length(rod, node)
                 : 0.5 * rod->grid->strain[node == 0 ? 2 : 3 * rod->grid->base_count + 2];
}

// Angle about the tangent from the frame of the old edge to that of the new one [rad].
static double turn_within(const Framed* old, const Remesh* map, int edge)
{
    const Rod* rod = map->from;
    int was = map->edge[edge], end = edge_end(&rod->line, was);
    double quarter = 0.5 * edge_rest_len(&rod->line, was); // a quarter of the edge, times 2 (see above)
    switch (map->kind[edge]) {
    case REMESH_FIRST_HALF: return -quarter * twist_per_length(old, rod, was);
    case REMESH_SECOND_HALF: return quarter * twist_per_length(old, rod, end);
    case REMESH_MERGED: return 0.5 * twist_at(old, rod, end);
    default: return 0.0;
    }
}

static void place_frame(Framed* g, const Rod* rod, const Framed* old, const Remesh* map, int edge)
{
    const CordCenterline* c = &rod->line;
    int s = slot_of(c, edge), was = slot_of(&map->from->line, map->edge[edge]);
    CordVec3 t = tangent_of(old, was), m1 = slot_get(old->now.edges.m1, was);
    double inv_len = old->now.edges.inv_len[was];
    if (map->kind[edge] != REMESH_WHOLE) {
        CordVec3 e = edge_vector(c, edge), to;
        inv_len = 1.0 / vec3_length(e);
        to = vec3_mul(e, inv_len);
        m1 = frame_rotate(frame_transport(m1, t, to), to, turn_within(old, map, edge));
        m1 = vec3_unit(vec3_reject(m1, to));
        t = to;
    }
    slot_set(g->now.edges.t, s, t);
    slot_set(g->now.edges.m1, s, m1);
    g->now.edges.inv_len[s] = inv_len;
    g->spin[s] =
        map->kind[edge] == REMESH_MERGED ? 0.5 * (old->spin[was] + old->spin[was + 1]) : old->spin[was];
}

// Expected twist between two new edges: the sum of the old twists between them, plus the difference of the
// angles of turn_within.
static double expected_twist(const Framed* old, const Remesh* map, int before, int after)
{
    const CordCenterline* c = &map->from->line;
    double sum = turn_within(old, map, after) - turn_within(old, map, before);
    for (int e = map->edge[before]; e != map->edge[after]; e = (e + 1) % c->edge_count) {
        sum += twist_at(old, map->from, edge_end(c, e));
    }
    return sum;
}

static double measured_twist(const Framed* g, const CordCenterline* c, int node)
{
    int a = slot_of(c, edge_before(c, node)), b = slot_of(c, node);
    CordVec3 u = frame_transport(slot_get(g->now.edges.m1, a), tangent_of(g, a), tangent_of(g, b));
    return frame_angle(u, slot_get(g->now.edges.m1, b), tangent_of(g, b));
}

static void copy_corner(const Framed* g, const Framed* old, int s, int was)
{
    const CornerNodes *to = &g->now.nodes, *from = &old->now.nodes;
    for (int k = 0; k < 2; k++) {
        to->rest_A[k][s] = from->rest_A[k][was], to->rest_B[k][s] = from->rest_B[k][was];
    }
    to->rest_m[s] = from->rest_m[was];
    to->m[s] = from->m[was];
    if (to->glued) {
        to->glued[s] = from->glued[was];
    }
}

// The rest strain is a function of where the nodes are, whatever the rod's nodes were before, so that a state
// which is set goes on with the same bits. A piece ends where it was cut: its corners are those of the rod.
static void place_corner(Framed* g, const Rod* rod, const Framed* old, const Remesh* map, int node)
{
    const CordCenterline* c = &rod->line;
    bool keeps = remesh_keeps_corner(map, c, node);
    if (keeps && map->piece) {
        copy_corner(g, old, slot_of(c, node), slot_of(&map->from->line, map->node[node]));
        return;
    }
    double strain[3], seam = node == 0 ? g->seam : 0.0;
    remesh_rest_strain(map, rod, node, strain);
    framed_set_rest(g, rod, node, strain);
    if (keeps) {
        g->now.nodes.m[slot_of(c, node)] = old->now.nodes.m[slot_of(&map->from->line, map->node[node])];
        return;
    }
    double expected = expected_twist(old, map, edge_before(c, node), node) + seam;
    g->now.nodes.m[slot_of(c, node)] = frame_unwrap(measured_twist(g, c, node), expected);
}

// Copies an array by node at the corners that stay, and leaves the other entries.
static void copy_corners(const Rod* rod, const Remesh* map, double* to, const double* from)
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; to && i < c->node_count; i++) {
        bool inner = c->closed || (i > 0 && i < c->node_count - 1);
        if (inner && remesh_keeps_corner(map, c, i)) {
            to[slot_of(c, i)] = from[slot_of(&map->from->line, map->node[i])];
        }
    }
    if (to) {
        centerline_wrap_one(c, to);
    }
}

// Corners that stay keep their strain rates; new corners start with none.
static void copy_rates(Framed* g, const Rod* rod, const Framed* old, const Remesh* map)
{
    const CordCenterline* c = &rod->line;
    FramedStrains past = framed_past(&g->now, g->past_len), was = framed_past(&old->now, old->past_len);
    framed_strains(g, &g->now, rod, &past);
    for (int i = 0; i < FRAMED_STRAINS - 1; i++) {
        copy_corners(rod, map, past.of[i], was.of[i]);
        copy_corners(rod, map, g->rise.of[i], old->rise.of[i]);
        copy_corners(rod, map, g->bow.of[i], old->bow.of[i]);
    }
    for (int j = 0; j < c->edge_count; j++) { // past lengths, in proportion to the present ones
        int s = slot_of(c, j), e = slot_of(&map->from->line, map->edge[j]);
        double share = old->now.edges.inv_len[e] / g->now.edges.inv_len[s];
        g->past_len[s] = old->past_len[e] * share;
    }
    centerline_wrap_one(c, g->past_len);
    g->since = old->since;
    g->ratio = old->ratio;
}

Framed* framed_remesh(Memory* memory, const Rod* rod, const Remesh* map, const Framed* old)
{
    const CordCenterline* c = &rod->line;
    Framed* g = framed_alloc(memory, rod, old->law);
    if (!g) {
        return NULL;
    }
    g->seam = map->piece ? 0.0 : old->seam;
    if (g->now.nodes.glued) {
        g->now.nodes.glued[slot_of(c, 0)] = g->seam;
    }
    for (int j = 0; j < c->edge_count; j++) {
        place_frame(g, rod, old, map, j);
    }
    framed_wrap(&g->now, c);
    centerline_wrap_one(c, g->spin);
    for (int k = 0; k < inner_count(c); k++) {
        place_corner(g, rod, old, map, inner_node(c, k));
    }
    framed_wrap(&g->now, c);
    framed_wrap_rest(&g->now, c);
    framed_update_held(g, rod);
    if (rod->damping_time > 0.0) {
        copy_rates(g, rod, old, map);
    }
    return g;
}
