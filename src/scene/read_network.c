// Networks: shapes of nodes and edges, for modal rods. A list of them, a grid, a tree, or the edges of a
// mesh.
#include "scene/graph.h"

#define MERGE_SHARE 1e-9 // of a mesh's extent, within which its vertices are one
#define LEAST_SINE 1e-9  // of the angle between two edges of a grid

static const Quantity quantity_split = {.what = "split is how many elements an edge is cut into",
                                        .must = "be at least 1",
                                        .low = 1,
                                        QUANTITY_UP_TO(1000000)};

#define SPLIT_FIELD(type)                                                                                    \
    {                                                                                                        \
        FIELD("split", COUNT, type, split), .about = "Number of elements that every edge is cut into.",      \
                                            .quantity = &quantity_split                                      \
    }

// ---- what all have in common

static bool check_many(Reader* r, const JsonValue* value, double nodes, double edges, int split)
{
    nodes += edges * (split - 1);
    edges *= split;
    if (nodes <= GRAPH_MOST && edges <= GRAPH_MOST) {
        return true;
    }
    reader_error(r, value, "makes %.10g nodes and %.10g elements; a network has at most %d of each", nodes,
                 edges, GRAPH_MOST);
    return false;
}

static void warn_of_pieces(Reader* r, const JsonValue* value, const Graph* graph)
{
    GraphPieces pieces;
    if (!graph_pieces(&r->pool->memory, graph, &pieces)) {
        r->pool->failed = true;
        return;
    }
    if (pieces.count > 1) {
        reader_warning(r, value,
                       "is in %d pieces that no edge joins, of which the smallest has %d nodes; each needs "
                       "supports of its own",
                       pieces.count, pieces.smallest);
    }
}

// Once there are no errors: `graph`, cut, becomes the shape.
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
    const JsonValue *nodes, *edges;
    int split;
} NetworkKeys;

static void network_start(void* keys)
{
    *(NetworkKeys*)keys = (NetworkKeys){.split = 1};
}

static const Field network_fields[] = {
    {FIELD("nodes", VECTORS, NetworkKeys, nodes),
     .about = "Positions of the nodes, which are numbered from 0.",
     .needed = "a list of points in metres, such as [[0, 0, 0], [1, 0, 0]]", .quantity = &quantity_position,
     .least = 2, .keep = true},
    {FIELD("edges", EDGES, NetworkKeys, edges), .about = "The two nodes of each edge.",
     .needed = "a list of the nodes that they join, such as [[0, 1]]", .quantity = &quantity_index,
     .least = 1, .keep = true},
    SPLIT_FIELD(NetworkKeys),
};
const Table table_network = TABLE("network", "a network", network_fields,
                                  .about = "A network: nodes, and edges between any two of them.",
                                  .size = sizeof(NetworkKeys), .start = network_start);

typedef struct Lists {
    Graph graph;
    EdgeSet set;
    bool* has_edge; // (node_count)
} Lists;

static void read_node(Reader* r, const JsonValue* entry, int index, void* user)
{
    Lists* lists = user;
    lists->graph.nodes[index] = (CordVec3){NAN, NAN, NAN};
    read_vector(r, entry, &quantity_position, &lists->graph.nodes[index]);
}

static bool read_node_number(Reader* r, const JsonValue* value, int node_count, int* node)
{
    if (value->kind != JSON_NUMBER || value->number != floor(value->number)) {
        reader_error(r, value, "has %s for a node; nodes are numbered from 0", reader_describe(r, value));
        return false;
    }
    if (value->number < 0.0 || value->number >= node_count) {
        reader_error(r, value, "names node %s; there are %d nodes, 0 to %d", reader_describe(r, value),
                     node_count, node_count - 1);
        return false;
    }
    *node = (int)value->number;
    return true;
}

static void read_edge(Reader* r, const JsonValue* entry, int index, void* user)
{
    Lists* lists = user;
    Graph* g = &lists->graph;
    int* ends = &g->ends[2 * (size_t)index];
    ends[0] = ends[1] = 0;
    if (entry->kind != JSON_ARRAY || entry->count != 2) {
        reader_error(r, entry, "is %s; an edge is the two nodes that it joins, such as [0, 1]",
                     reader_describe(r, entry));
        return;
    }
    int a = 0, b = 0;
    if (!read_node_number(r, entry->first, g->node_count, &a) ||
        !read_node_number(r, entry->first->next, g->node_count, &b)) {
        return;
    }
    lists->has_edge[a] = lists->has_edge[b] = true;
    if (a == b) {
        reader_error(r, entry, "joins node %d to itself; an edge needs two nodes", a);
        return;
    }
    if (cord_vec3_equal(g->nodes[a], g->nodes[b])) {
        reader_error(r, entry, "joins nodes %d and %d, which are at the same place; an edge needs a length",
                     a, b);
    }
    ends[0] = a, ends[1] = b;
    int twin = edge_set_add(&lists->set, g->ends, index);
    if (twin >= 0) {
        reader_error(r, entry, "joins nodes %d and %d, and so does edges[%d]; leave one of them out", a, b,
                     twin);
    }
}

static void refuse_lone_nodes(Reader* r, const JsonValue* nodes, const Lists* lists)
{
    const JsonValue* node = nodes->first;
    Path list;
    reader_enter(r, &list, "nodes");
    for (int i = 0; i < lists->graph.node_count; i++, node = node->next) {
        Path path = {&list, NULL, i};
        if (!lists->has_edge[i]) {
            r->path = &path;
            reader_error(r, node, "is on no edge; leave node %d out, or join it to others", i);
        }
    }
    reader_leave(r, &list);
}

static bool read_in_list(Reader* r, const char* key, const JsonValue* value, const char* what,
                         void (*read)(Reader* r, const JsonValue* entry, int index, void* user), Lists* lists)
{
    Path path;
    reader_enter(r, &path, key);
    bool good = read_list(r, value, what, read, lists);
    reader_leave(r, &path);
    return good;
}

static bool read_lists(Reader* r, const NetworkKeys* keys, Lists* lists)
{
    bool good = read_in_list(r, "nodes", keys->nodes, "nodes are a list, such as [[0, 0, 0], [1, 0, 0]]",
                             read_node, lists);
    if (keys->nodes->kind != JSON_ARRAY) {
        return false;
    }
    bool edges =
        read_in_list(r, "edges", keys->edges, "edges are a list, such as [[0, 1], [1, 2]]", read_edge, lists);
    if (edges) {
        refuse_lone_nodes(r, keys->nodes, lists);
    }
    return good && edges;
}

void read_shape_network(Reader* r, const JsonValue* value, void* target)
{
    NetworkKeys keys;
    network_start(&keys);
    int errors = r->notes->error_count;
    if (!read_table(r, value, &table_network, &keys)) {
        return;
    }
    bool are_lists = keys.nodes->kind == JSON_ARRAY && keys.edges->kind == JSON_ARRAY;
    int nodes = are_lists ? (int)keys.nodes->count : 0, edges = are_lists ? (int)keys.edges->count : 0;
    if (are_lists && (nodes < 2 || edges < 1)) {
        reader_error(r, value,
                     "has %d nodes and %d edges; a network needs two nodes and an edge at the least", nodes,
                     edges);
        return;
    }
    Memory* memory = &r->pool->memory;
    Lists lists = {.has_edge = memory_array(memory, bool, nodes)};
    bool made = edge_set_make(&lists.set, memory, (size_t)edges) && lists.has_edge &&
                graph_make(r->pool, nodes, edges, &lists.graph);
    r->pool->failed = r->pool->failed || !made;
    if (made && read_lists(r, &keys, &lists) && r->notes->error_count == errors) {
        finish(r, value, &lists.graph, keys.split, "a network", target);
    }
    edge_set_free(&lists.set);
    memory_array_free(memory, lists.has_edge, nodes);
}

// ---- grids

typedef struct GridKeys {
    GraphCells cells;
    int cell_count; // how many numbers `cells` has
    int split;
} GridKeys;

static const Quantity quantity_cells = {.what = "cells are counted along each edge of a grid",
                                        .must = "be at least 1",
                                        .low = 1,
                                        QUANTITY_UP_TO(1000000)};
static const Quantity quantity_side = {
    .what = "an edge of a grid is in metres", .unit = "m", QUANTITY_ANY, .nonzero = true};

static void read_cells(Reader* r, const JsonValue* value, void* target)
{
    GridKeys* keys = target;
    if (value->kind != JSON_ARRAY || value->count < 2 || value->count > 3) {
        reader_error(r, value,
                     "is %s; cells are two numbers, along u and v, or three, along w as well, such as [4, 3]",
                     reader_describe(r, value));
        return;
    }
    const JsonValue* entry = value->first;
    for (int i = 0; i < (int)value->count; i++, entry = entry->next) {
        Path path = {r->path, NULL, i};
        r->path = &path;
        read_count(r, entry, &quantity_cells, &keys->cells.count[i]);
        r->path = path.up;
    }
    keys->cell_count = (int)value->count;
}

static void grid_start(void* keys)
{
    *(GridKeys*)keys = (GridKeys){.split = 1};
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
     .about = "Whether each face of a cell has a diagonal.",
     .what = "this says whether each face of a cell has a diagonal"},
    SPLIT_FIELD(GridKeys),
};
const Table table_grid = TABLE("grid", "a grid", grid_fields, .about = "Beams along all lines of a grid.",
                               .size = sizeof(GridKeys), .start = grid_start);

// Edges that span no plane, or no room, would put nodes at the same place.
static bool check_sides(Reader* r, const JsonValue* value, const GraphCells* c, bool has_w)
{
    CordVec3 across = cord_vec3_cross(c->u, c->v);
    double area = cord_vec3_length(across), u = cord_vec3_length(c->u), v = cord_vec3_length(c->v),
           w = cord_vec3_length(c->w);
    if (!(area > LEAST_SINE * u * v)) {
        reader_error(r, value, "has u and v in the same direction; they must not be parallel");
        return false;
    }
    if (has_w && !(fabs(cord_vec3_dot(across, c->w)) > LEAST_SINE * area * w)) {
        reader_error(r, value, "has u, v and w in one plane; leave w out, or let it point out of the plane");
        return false;
    }
    return true;
}

void read_shape_grid(Reader* r, const JsonValue* value, void* target)
{
    GridKeys keys;
    grid_start(&keys);
    if (!read_table(r, value, &table_grid, &keys)) {
        return;
    }
    bool has_w = json_member(value, "w") != NULL;
    if (has_w != (keys.cell_count == 3)) {
        reader_error(
            r, value,
            has_w ? "has w, and cells along u and v alone; write three numbers of cells"
                  : "has three numbers of cells and no w; write the third edge, or leave the number out");
        return;
    }
    double nodes, edges;
    graph_grid_size(&keys.cells, &nodes, &edges);
    Graph graph;
    if (check_sides(r, value, &keys.cells, has_w) && check_many(r, value, nodes, edges, keys.split) &&
        graph_grid(r->pool, &keys.cells, &graph)) {
        finish(r, value, &graph, keys.split, "a grid", target);
    }
}

// ---- trees

typedef struct TreeKeys {
    GraphTree tree;
    int split;
} TreeKeys;

static const Quantity quantity_levels = {.what = "levels are counted, the trunk being the first",
                                         .must = "be at least 1",
                                         .low = 1,
                                         QUANTITY_UP_TO(100)};
static const Quantity quantity_branches = {.what = "branches are counted at the tip of each edge",
                                           .must = "be at least 1",
                                           .low = 1,
                                           QUANTITY_UP_TO(1000)};
static const Quantity quantity_tree_ratio = {.what = "a ratio is that of a branch to what it is on",
                                             .must = "be at least 0.01",
                                             .low = 0.01,
                                             QUANTITY_UP_TO(10)};

static void tree_start(void* keys)
{
    const double degrees = CORD_PI / 180.0;
    *(TreeKeys*)keys = (TreeKeys){
        {.branches = 2, .ratio = 0.7, .taper = NAN, .angle = 30.0 * degrees, .turn = 90.0 * degrees}, 1};
}

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
     .otherwise = "30 degrees", .table = &table_angle, .read = read_angle},
    {FIELD("turn", OBJECT, TreeKeys, tree.turn),
     .about = "Angle of the first branch about the one it grows on.", .otherwise = "90 degrees",
     .table = &table_angle, .read = read_angle},
    SPLIT_FIELD(TreeKeys),
};
const Table table_tree = TABLE("tree", "a tree", tree_fields,
                               .about = "A trunk, branches at its tip, branches at their tips, and so on.",
                               .size = sizeof(TreeKeys), .start = tree_start);

void read_shape_tree(Reader* r, const JsonValue* value, void* target)
{
    TreeKeys keys;
    tree_start(&keys);
    if (!read_table(r, value, &table_tree, &keys)) {
        return;
    }
    keys.tree.taper = isnan(keys.tree.taper) ? keys.tree.ratio : keys.tree.taper;
    if (cord_vec3_equal(keys.tree.base, keys.tree.tip)) {
        reader_error(r, value, "goes from a point to the same point; base and tip must be apart");
        return;
    }
    double edges = graph_tree_size(&keys.tree);
    Graph graph;
    if (check_many(r, value, edges + 1.0, edges, keys.split) && graph_tree(r->pool, &keys.tree, &graph)) {
        finish(r, value, &graph, keys.split, "a tree", target);
    }
}

// ---- meshes

typedef struct MeshNetworkKeys {
    MeshKeys mesh;
    double merge; // NAN: a share of the mesh's extent
    int split;
} MeshNetworkKeys;

static const Quantity quantity_merge = {.what = "the distance within which vertices are one is in metres",
                                        .unit = "m",
                                        QUANTITY_NOT_NEGATIVE,
                                        QUANTITY_UP_TO(1e9)};

static void mesh_network_start(void* keys)
{
    *(MeshNetworkKeys*)keys = (MeshNetworkKeys){.mesh = MESH_KEYS_NONE, .merge = NAN, .split = 1};
}

static const Field mesh_network_fields[] = {
    MESH_FIELDS(MeshNetworkKeys, mesh),
    {FIELD("merge", NUMBER, MeshNetworkKeys, merge),
     .about = "Distance within which vertices are merged into one.", .otherwise = "1e-9 of the mesh's extent",
     .quantity = &quantity_merge},
    SPLIT_FIELD(MeshNetworkKeys),
};
const Table table_mesh_network =
    TABLE("mesh_network", "a network from a mesh", mesh_network_fields,
          .about = "A network from a mesh: its vertices are nodes, and each edge of its polygons and lines "
                   "is an edge.",
          .size = sizeof(MeshNetworkKeys), .start = mesh_network_start);

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

void read_shape_mesh(Reader* r, const JsonValue* value, void* target)
{
    MeshNetworkKeys keys;
    mesh_network_start(&keys);
    PlacedMesh placed;
    GraphMesh report;
    Graph graph;
    if (!read_table(r, value, &table_mesh_network, &keys) || !read_mesh_keys(r, &keys.mesh, true, &placed)) {
        return;
    }
    double extent = graph_extent(placed.mesh.vertices, placed.mesh.vertex_count);
    double merge = isnan(keys.merge) ? MERGE_SHARE * extent : keys.merge;
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
    finish(r, value, &graph, keys.split, "a network from a mesh", target);
}
