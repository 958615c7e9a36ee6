// Shapes of modal rods that are networks: lists of nodes and edges, a grid, a tree, or the edges of a mesh.
#include "scene/graph.h"

#include <string.h>

#define MERGE_SHARE 1e-9 // of a mesh's extent: vertices that are nearer to each other are merged
#define LEAST_SINE 1e-9  // least sine of the angle between two edges of a grid

static const Quantity quantity_split =
    AT_LEAST(1, "split is how many elements an edge is cut into", NULL, 1000000);

#define SPLIT_FIELD(type)                                                                                    \
    {                                                                                                        \
        FIELD("split", COUNT, type, split), .about = "Number of elements that every edge is cut into.",      \
                                            .quantity = &quantity_split                                      \
    }

// ---- all kinds

static bool check_many(Reader* r, const JsonValue* value, double nodes, double edges, int split)
{
    nodes += edges * (split - 1);
    edges *= split;
    if (nodes <= GRAPH_MOST && edges <= GRAPH_MOST) {
        return true;
    }
    return reader_error(r, value, "makes %.10g nodes and %.10g elements; a network has at most %d of each",
                        nodes, edges, GRAPH_MOST);
}

static void warn_of_pieces(Reader* r, const JsonValue* value, const Graph* graph)
{
    GraphPieces pieces;
    if (graph_pieces(r->pool, graph, &pieces) && pieces.count > 1) {
        reader_warning(r, value,
                       "is in %d pieces that no edge joins, of which the smallest has %d nodes; each needs "
                       "supports of its own",
                       pieces.count, pieces.smallest);
    }
}

// Splits the edges of the graph and makes it the shape.
static void finish(Reader* r, const JsonValue* value, Graph* graph, int split, const char* noun,
                   SceneShape* shape)
{
    if (!check_many(r, value, graph->node_count, graph->edge_count, split)) {
        return;
    }
    warn_of_pieces(r, value, graph);
    SceneNetwork network = {.edge_count = graph->edge_count, .split = split, .size = graph->size};
    if (graph_split(r->pool, split, graph)) {
        *shape = (SceneShape){.shape = {.kind = CORD_SHAPE_NETWORK,
                                        .node_count = graph->node_count,
                                        .points = graph->nodes,
                                        .point_count = graph->node_count,
                                        .ends = graph->ends,
                                        .edge_count = graph->edge_count},
                              .noun = noun,
                              .network = network};
    }
}

// ---- lists

typedef struct NetworkKeys {
    List nodes; // CordVec3
    int split;
} NetworkKeys;

typedef struct EdgeReader {
    Graph graph;
    EdgeSet set;
    bool* has_edge; // (node_count)
} EdgeReader;

static bool read_node_number(Reader* r, const JsonValue* edge, const JsonValue* value, int node_count,
                             int* node)
{
    if (value->kind != JSON_NUMBER || value->number != floor(value->number)) {
        return part_error(r, edge, value, "has %s for a node; nodes are numbered from 0",
                          reader_describe(r, value));
    }
    if (value->number < 0.0 || value->number >= node_count) {
        return part_error(r, edge, value, "names node %s; there are %d nodes, 0 to %d",
                          reader_describe(r, value), node_count, node_count - 1);
    }
    *node = (int)value->number;
    return true;
}

static void read_edge(Reader* r, const JsonValue* entry, int index, void* user)
{
    EdgeReader* edges = user;
    Graph* g = &edges->graph;
    int* ends = &g->ends[2 * (size_t)index];
    ends[0] = ends[1] = 0;
    if (!check_list(r, entry, 2, 2, "an edge is the two nodes that it joins, such as [0, 1]")) {
        return;
    }
    int a = 0, b = 0;
    if (!read_node_number(r, entry, entry->first, g->node_count, &a) ||
        !read_node_number(r, entry, entry->first->next, g->node_count, &b)) {
        return;
    }
    edges->has_edge[a] = edges->has_edge[b] = true;
    if (a == b) {
        reader_error(r, entry, "joins node %d to itself; an edge needs two nodes", a);
        return;
    }
    if (cord_vec3_equal(g->nodes[a], g->nodes[b])) {
        reader_error(r, entry, "joins nodes %d and %d, which are at the same place; an edge needs a length",
                     a, b);
    }
    ends[0] = a, ends[1] = b;
    int twin = edge_set_add(&edges->set, g->ends, index);
    if (twin >= 0) {
        reader_error(r, entry, "joins nodes %d and %d, and so does edges[%d]; leave one of them out", a, b,
                     twin);
    }
}

static void read_edges(Reader* r, const JsonValue* value, void* edges)
{
    read_list(r, value, read_edge, edges);
}

static void read_node(Reader* r, const JsonValue* entry, int index, void* entries)
{
    CordVec3* node = (CordVec3*)entries + index;
    *node = (CordVec3){NAN, NAN, NAN};
    read_vector(r, entry, &quantity_position, node);
}

static const Field network_fields[] = {
    {FIELD("nodes", VECTORS, NetworkKeys, nodes),
     .about = "Positions of the nodes, which are numbered from 0.",
     .needed = "a list of points in metres, such as [[0, 0, 0], [1, 0, 0]]", .quantity = &quantity_position,
     .least = 2, .example = "[[0, 0, 0], [1, 0, 0]]", ENTRIES(CordVec3, read_node)},
    {WHOLE("edges", EDGES), .about = "The two nodes of each edge.",
     .needed = "a list of the nodes that they join, such as [[0, 1]]", .quantity = &quantity_index,
     .least = 1, .example = "[[0, 1], [1, 2]]", .later = true, .read = read_edges},
    SPLIT_FIELD(NetworkKeys),
};

static void refuse_lone_nodes(Reader* r, const JsonValue* nodes, const EdgeReader* edges)
{
    const JsonValue* node = nodes->first;
    for (int i = 0; i < edges->graph.node_count; i++, node = node->next) {
        if (!edges->has_edge[i]) {
            reader_error(r, node, "is on no edge; leave node %d out, or join it to others", i);
        }
    }
}

static void network_convert(Reader* r, const JsonValue* value, const void* read_keys, void* target)
{
    const NetworkKeys* keys = read_keys;
    const JsonValue* list = json_member(value, "edges");
    int nodes = keys->nodes.count, edges = list->kind == JSON_ARRAY ? (int)list->count : 0;
    Pool scratch = pool_beside(r->pool);
    EdgeReader reader = {.has_edge = pool_array(&scratch, bool, nodes)};
    bool made = edge_set_make(&reader.set, &scratch, (size_t)edges) && reader.has_edge &&
                graph_make(r->pool, nodes, edges, &reader.graph);
    if (made) {
        memcpy(reader.graph.nodes, keys->nodes.entries, sizeof(CordVec3) * (size_t)nodes);
    }
    if (made && read_later(r, value, &table_network, "edges", &reader)) {
        int errors = r->notes->error_count;
        refuse_lone_nodes(r, json_member(value, "nodes"), &reader);
        if (r->notes->error_count == errors) {
            finish(r, value, &reader.graph, keys->split, "a network", target);
        }
    }
    pool_end(&scratch, r->pool);
}

const Table table_network = TABLE(
    "network", "a network", network_fields, .about = "A network: nodes, and edges between any two of them.",
    .size = sizeof(NetworkKeys), .defaults = &(const NetworkKeys){.split = 1}, .convert = network_convert);

// ---- grids

typedef struct GridKeys {
    GraphCells cells;
    int cell_count; // numbers in `cells`: 2, or 3 with w
    int split;
} GridKeys;

static const Quantity quantity_cells =
    AT_LEAST(1, "cells are counted along each edge of a grid", NULL, 1000000);
static const Quantity quantity_side = NONZERO_VECTOR("an edge of a grid is in metres", "m");

static void read_cells(Reader* r, const JsonValue* value, void* target)
{
    GridKeys* keys = target;
    if (!check_list(r, value, 2, 3,
                    "cells are two numbers, along u and v, or three, along w as well, such as [4, 3]")) {
        return;
    }
    const JsonValue* entry = value->first;
    for (int i = 0; i < (int)value->count; i++, entry = entry->next) {
        read_count(r, entry, &quantity_cells, &keys->cells.count[i]);
    }
    keys->cell_count = (int)value->count;
}

static const Field grid_fields[] = {
    {FIELD("corner", VECTOR, GridKeys, cells.corner), .about = "Corner where the grid begins.",
     .quantity = &quantity_position},
    {FIELD("u", VECTOR, GridKeys, cells.u), .about = "The grid's whole first edge, from the corner.",
     .needed = "its first edge from the corner, in metres", .quantity = &quantity_side},
    {FIELD("v", VECTOR, GridKeys, cells.v), .about = "The grid's whole second edge, from the corner.",
     .needed = "its second edge from the corner, in metres", .quantity = &quantity_side},
    {FIELD("w", VECTOR, GridKeys, cells.w),
     .about = "The whole third edge of a lattice of boxes, from the corner.", .otherwise = "a plane grid",
     .quantity = &quantity_side},
    {WHOLE("cells", COUNTS), .about = "Number of cells along u and v, and along w.",
     .needed = "how many cells it has along u and v, such as [4, 3]", .quantity = &quantity_cells, .least = 2,
     .most = 3, .read = read_cells},
    {FIELD("diagonals", BOOL, GridKeys, cells.diagonals),
     .about = "Whether each face of a cell has a diagonal."},
    SPLIT_FIELD(GridKeys),
};
// Sides in one line or one plane would put nodes at the same place.
static bool check_sides(Reader* r, const JsonValue* value, const GraphCells* c, bool has_w)
{
    CordVec3 across = cord_vec3_cross(c->u, c->v);
    double area = cord_vec3_length(across), w = cord_vec3_length(c->w);
    if (!check_axes(r, value, c->u, c->v, "u and v")) {
        return false;
    }
    if (has_w && !(fabs(cord_vec3_dot(across, c->w)) > LEAST_SINE * area * w)) {
        return reader_error(r, value,
                            "has u, v and w in one plane; leave w out, or let it point out of the plane");
    }
    return true;
}

static void grid_convert(Reader* r, const JsonValue* value, const void* read_keys, void* target)
{
    const GridKeys* keys = read_keys;
    bool has_w = json_member(value, "w") != NULL;
    if (has_w != (keys->cell_count == 3)) {
        reader_error(
            r, value,
            has_w ? "has w, and cells along u and v alone; write three numbers of cells"
                  : "has three numbers of cells and no w; write the third edge, or leave the number out");
        return;
    }
    double nodes, edges;
    graph_grid_size(&keys->cells, &nodes, &edges);
    Graph graph;
    if (check_sides(r, value, &keys->cells, has_w) && check_many(r, value, nodes, edges, keys->split) &&
        graph_grid(r->pool, &keys->cells, &graph)) {
        finish(r, value, &graph, keys->split, "a grid", target);
    }
}

const Table table_grid =
    TABLE("grid", "a grid", grid_fields, .about = "Beams along all lines of a grid.",
          .size = sizeof(GridKeys), .defaults = &(const GridKeys){.split = 1}, .convert = grid_convert);

// ---- trees

typedef struct TreeKeys {
    GraphTree tree;
    int split;
} TreeKeys;

static const Quantity quantity_levels =
    AT_LEAST(1, "levels are counted, the trunk being the first", NULL, 100);
static const Quantity quantity_branches =
    AT_LEAST(1, "branches are counted at the tip of each edge", NULL, 1000);
static const Quantity quantity_tree_ratio =
    AT_LEAST(0.01, "a ratio is that of a branch to what it is on", NULL, 10);

#define DEGREES (CORD_PI / 180.0)

static const TreeKeys default_tree = {
    {.branches = 2, .ratio = 0.7, .taper = NAN, .angle = 30.0 * DEGREES, .turn = 90.0 * DEGREES}, 1};

static const Field tree_fields[] = {
    {FIELD("base", VECTOR, TreeKeys, tree.base), .about = "Point where the trunk begins.",
     .needed = "where the trunk begins, in metres", .quantity = &quantity_position},
    {FIELD("tip", VECTOR, TreeKeys, tree.tip), .about = "Point where the trunk ends.",
     .needed = "where the trunk ends, in metres", .quantity = &quantity_position},
    {FIELD("levels", COUNT, TreeKeys, tree.levels), .about = "Number of levels; the trunk is the first.",
     .needed = "how many there are, the trunk being the first", .quantity = &quantity_levels},
    {FIELD("branches", COUNT, TreeKeys, tree.branches), .about = "Number of branches at each tip.",
     .quantity = &quantity_branches},
    {FIELD("ratio", NUMBER, TreeKeys, tree.ratio),
     .about = "Length of a branch over that of the one it grows on.", .quantity = &quantity_tree_ratio},
    {FIELD("taper", NUMBER, TreeKeys, tree.taper),
     .about = "Widths of a branch's section over those of the one it grows on.", .otherwise = "as `ratio`",
     .quantity = &quantity_tree_ratio},
    {FIELD("angle", OBJECT, TreeKeys, tree.angle), .about = "Angle of a branch to the one it grows on.",
     .otherwise = "30 degrees", .table = &table_angle},
    {FIELD("turn", OBJECT, TreeKeys, tree.turn),
     .about = "Angle of the first branch about the one it grows on.", .otherwise = "90 degrees",
     .table = &table_angle},
    SPLIT_FIELD(TreeKeys),
};
static void tree_convert(Reader* r, const JsonValue* value, const void* read_keys, void* target)
{
    const TreeKeys* keys = read_keys;
    GraphTree tree = keys->tree;
    tree.taper = isnan(tree.taper) ? tree.ratio : tree.taper;
    if (cord_vec3_equal(tree.base, tree.tip)) {
        reader_error(r, value, "goes from a point to the same point; base and tip must be apart");
        return;
    }
    double edges = graph_tree_size(&tree);
    Graph graph;
    if (check_many(r, value, edges + 1.0, edges, keys->split) && graph_tree(r->pool, &tree, &graph)) {
        finish(r, value, &graph, keys->split, "a tree", target);
    }
}

const Table table_tree = TABLE("tree", "a tree", tree_fields,
                               .about = "A trunk, branches at its tip, branches at their tips, and so on.",
                               .size = sizeof(TreeKeys), .defaults = &default_tree, .convert = tree_convert);

// ---- meshes

typedef struct MeshNetworkKeys {
    MeshKeys mesh;
    double merge; // NAN: a share of the mesh's extent
    int split;
} MeshNetworkKeys;

static const Quantity quantity_merge =
    NOT_NEGATIVE("the distance within which vertices are one is in metres", "m", 1e9);

static const Field mesh_network_fields[] = {
    MESH_FIELDS(offsetof(MeshNetworkKeys, mesh)),
    {FIELD("merge", NUMBER, MeshNetworkKeys, merge),
     .about = "Distance within which vertices are merged into one.", .otherwise = "1e-9 of the mesh's extent",
     .quantity = &quantity_merge},
    SPLIT_FIELD(MeshNetworkKeys),
};
static void warn_of_mesh(Reader* r, const JsonValue* value, const GraphMesh* report)
{
    if (report->lone > 0) {
        reader_warning(r, value, "has %d vertices without an edge, which are left out", report->lone);
    }
    if (report->flat > 0) {
        reader_warning(r, value, "has %d edges whose two ends are at the same place, which are left out",
                       report->flat);
    }
}

static void mesh_network_convert(Reader* r, const JsonValue* value, const void* read_keys, void* target)
{
    const MeshNetworkKeys* keys = read_keys;
    PlacedMesh placed;
    GraphMesh report;
    Graph graph;
    if (!read_mesh_keys(r, value, &keys->mesh, true, &placed)) {
        return;
    }
    double extent = graph_extent(placed.mesh.vertices, placed.mesh.vertex_count);
    double merge = isnan(keys->merge) ? MERGE_SHARE * extent : keys->merge;
    if (!graph_from_mesh(r->pool, &placed, merge, &graph, &report)) {
        return;
    }
    if (graph.edge_count == 0) {
        reader_error(r, value,
                     "has no edges: all its vertices are within %g m of each other; write a smaller merge",
                     merge);
        return;
    }
    warn_of_mesh(r, value, &report);
    finish(r, value, &graph, keys->split, "a network from a mesh", target);
}

const Table table_mesh_network =
    TABLE("mesh_network", "a network from a mesh", mesh_network_fields,
          .about = "A network from a mesh: its vertices are nodes, and each edge of its polygons and lines "
                   "is an edge.",
          .size = sizeof(MeshNetworkKeys),
          .defaults = &(const MeshNetworkKeys){.mesh = MESH_KEYS_NONE, .merge = NAN, .split = 1},
          .convert = mesh_network_convert);
