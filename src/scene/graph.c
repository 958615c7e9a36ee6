#include "scene/graph.h"

#include <string.h>

bool graph_make(Pool* pool, int node_count, int edge_count, Graph* graph)
{
    *graph = (Graph){.node_count = node_count, .edge_count = edge_count};
    graph->nodes = pool_array(pool, CordVec3, node_count);
    graph->ends = pool_array(pool, int, 2 * (size_t)edge_count);
    return graph->nodes && graph->ends;
}

bool graph_split(Pool* pool, int pieces, Graph* graph)
{
    const Graph from = *graph;
    if (pieces == 1) {
        return true;
    }
    if (!graph_make(pool, from.node_count + (pieces - 1) * from.edge_count, pieces * from.edge_count,
                    graph)) {
        return false;
    }
    graph->size = from.size;
    memcpy(graph->nodes, from.nodes, sizeof *from.nodes * (size_t)from.node_count);
    int next = from.node_count, *ends = graph->ends;
    for (int k = 0; k < from.edge_count; k++) {
        int a = from.ends[2 * (size_t)k], b = from.ends[2 * (size_t)k + 1], before = a;
        CordVec3 e = cord_vec3_sub(from.nodes[b], from.nodes[a]);
        for (int i = 1; i < pieces; i++, before = next++, ends += 2) {
            graph->nodes[next] = cord_vec3_madd(from.nodes[a], e, (double)i / (double)pieces);
            ends[0] = before, ends[1] = next;
        }
        ends[0] = before, ends[1] = b;
        ends += 2;
    }
    return true;
}

// ---- edges by their nodes

bool edge_set_make(EdgeSet* set, Pool* pool, size_t most)
{
    *set = (EdgeSet){.slot_count = 16};
    while (set->slot_count < 2 * most) {
        set->slot_count *= 2;
    }
    set->slots = pool_array(pool, int, set->slot_count);
    return set->slots != NULL;
}

static uint64_t pair_of(const int* ends, int edge) // the same for both directions
{
    uint64_t a = (uint64_t)ends[2 * (size_t)edge], b = (uint64_t)ends[2 * (size_t)edge + 1];
    return a < b ? a << 32 | b : b << 32 | a;
}

static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

int edge_set_add(EdgeSet* set, const int* ends, int edge)
{
    uint64_t pair = pair_of(ends, edge);
    for (size_t at = (size_t)mix(pair);; at++) {
        int* slot = &set->slots[at & (set->slot_count - 1)];
        if (*slot == 0) {
            *slot = edge + 1;
            return -1;
        }
        if (pair_of(ends, *slot - 1) == pair) {
            return *slot - 1;
        }
    }
}

// ---- pieces

static int root_of(int* up, int node)
{
    while (up[node] != node) {
        up[node] = up[up[node]];
        node = up[node];
    }
    return node;
}

bool graph_pieces(Pool* pool, const Graph* g, GraphPieces* pieces)
{
    Pool scratch = pool_beside(pool);
    int* up = pool_array(&scratch, int, g->node_count);
    int* count = pool_array(&scratch, int, g->node_count);
    bool made = up && count;
    for (int i = 0; made && i < g->node_count; i++) {
        up[i] = i;
    }
    for (int k = 0; made && k < g->edge_count; k++) {
        int a = root_of(up, g->ends[2 * (size_t)k]), b = root_of(up, g->ends[2 * (size_t)k + 1]);
        up[a > b ? a : b] = a > b ? b : a;
    }
    for (int i = 0; made && i < g->node_count; i++) {
        count[root_of(up, i)]++;
    }
    *pieces = (GraphPieces){0};
    for (int i = 0; made && i < g->node_count; i++) {
        if (count[i] > 0) {
            pieces->smallest =
                pieces->count == 0 || count[i] < pieces->smallest ? count[i] : pieces->smallest;
            pieces->count++;
        }
    }
    pool_end(&scratch, pool);
    return made;
}

// ---- grids

void graph_grid_size(const GraphCells* c, double* nodes, double* edges)
{
    double u = c->count[0], v = c->count[1], w = c->count[2];
    *nodes = (u + 1.0) * (v + 1.0) * (w + 1.0);
    *edges = u * (v + 1.0) * (w + 1.0) + (u + 1.0) * v * (w + 1.0) + (u + 1.0) * (v + 1.0) * w;
    if (c->diagonals) {
        *edges += u * v * (w + 1.0) + u * (v + 1.0) * w + (u + 1.0) * v * w;
    }
}

// Adds an edge from each node to the node that is `step` further along u, v and w.
static int* add_edges(const GraphCells* c, const int step[3], int* ends)
{
    int nu = c->count[0] + 1, nv = c->count[1] + 1, by = step[0] + nu * (step[1] + nv * step[2]);
    for (int k = 0; k + step[2] <= c->count[2]; k++) {
        for (int j = 0; j + step[1] <= c->count[1]; j++) {
            for (int i = 0; i + step[0] <= c->count[0]; i++, ends += 2) {
                ends[0] = i + nu * (j + nv * k);
                ends[1] = ends[0] + by;
            }
        }
    }
    return ends;
}

bool graph_grid(Pool* pool, const GraphCells* c, Graph* graph)
{
    static const int steps[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};
    double nodes, edges;
    graph_grid_size(c, &nodes, &edges);
    if (!graph_make(pool, (int)nodes, (int)edges, graph)) {
        return false;
    }
    int nu = c->count[0] + 1, nv = c->count[1] + 1;
    for (int n = 0; n < graph->node_count; n++) {
        int i = n % nu, j = n / nu % nv, k = n / nu / nv;
        CordVec3 x = cord_vec3_madd(c->corner, c->u, (double)i / (double)c->count[0]);
        x = cord_vec3_madd(x, c->v, (double)j / (double)c->count[1]);
        graph->nodes[n] = k > 0 ? cord_vec3_madd(x, c->w, (double)k / (double)c->count[2]) : x;
    }
    int* ends = graph->ends;
    for (int s = 0; s < (c->diagonals ? 6 : 3); s++) {
        ends = add_edges(c, steps[s], ends);
    }
    return true;
}

// ---- trees

double graph_tree_size(const GraphTree* tree)
{
    double all = 0.0, level = 1.0;
    for (int i = 0; i < tree->levels; i++, level *= tree->branches) {
        all += level;
    }
    return all;
}

typedef struct Branch { // an edge of a tree
    CordVec3 along;     // its unit direction
    CordVec3 side;      // a unit vector at right angles to it
} Branch;

// The branch number `which` on the edge `on`. Its side lies in the plane of the two.
static Branch branch_on(const GraphTree* tree, Branch on, int which)
{
    double around = tree->turn + 2.0 * CORD_PI * (double)which / (double)tree->branches;
    CordVec3 out = cord_quat_rotate(cord_quat_about(on.along, around), on.side);
    CordQuat lean = cord_quat_about(cord_vec3_cross(on.along, out), tree->angle);
    return (Branch){cord_quat_rotate(lean, on.along), cord_quat_rotate(lean, out)};
}

// The number of edges that carry branches: all but those of the last level.
static int inner_count(const GraphTree* tree, int edges)
{
    return (edges - 1) / tree->branches;
}

// Edge k ends in node k + 1. Its branches are the edges from branches * k + 1 on, so edges come level by
// level.
static void grow(const GraphTree* tree, Branch* of, double length, Graph* g)
{
    int inner = inner_count(tree, g->edge_count);
    for (int k = 0, last = 0; k < inner; k++) {
        if (k == 0 || k > last) { // the first edge of its level
            last = k == 0 ? 0 : tree->branches * (last + 1);
            length *= tree->ratio;
        }
        for (int i = 0; i < tree->branches; i++) {
            int next = tree->branches * k + 1 + i;
            Branch branch = branch_on(tree, of[k], i);
            if (next < inner) {
                of[next] = branch;
            }
            g->nodes[next + 1] = cord_vec3_madd(g->nodes[k + 1], branch.along, length);
            g->size[next] = g->size[k] * tree->taper;
            g->ends[2 * (size_t)next] = k + 1, g->ends[2 * (size_t)next + 1] = next + 1;
        }
    }
}

bool graph_tree(Pool* pool, const GraphTree* tree, Graph* graph)
{
    int edges = (int)graph_tree_size(tree);
    Pool scratch = pool_beside(pool);
    Branch* of = pool_array(&scratch, Branch, inner_count(tree, edges) + 1);
    bool made =
        of && graph_make(pool, edges + 1, edges, graph) && (graph->size = pool_array(pool, double, edges));
    if (made) {
        CordVec3 trunk = cord_vec3_sub(tree->tip, tree->base), z = {0, 0, 1}, x = {1, 0, 0};
        CordVec3 along = unit_or(trunk, z), from = fabs(along.z) > 0.999999 ? x : z;
        of[0] = (Branch){along, unit_or(cord_vec3_reject(from, along), x)};
        graph->nodes[0] = tree->base, graph->nodes[1] = tree->tip;
        graph->ends[0] = 0, graph->ends[1] = 1;
        graph->size[0] = 1.0;
        grow(tree, of, cord_vec3_length(trunk), graph);
    }
    pool_end(&scratch, pool);
    return made;
}
