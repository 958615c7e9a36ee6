// Networks in scenes: lists, grids, trees and meshes, what is wrong with them, and what their edges are made
// of.
#include "scene_edges.h"

#include "scene/graph.h"

// The shape's keys begin in column 11 of line 2; other keys of the rod are on line 3.
#define SHAPED(shape, rod_keys)                                                                              \
    "{'cordage': 1, 'rods': [{'name': 'frame', 'model': 'modal',\n'shape': {" shape                          \
    "},\n" rod_keys SOLID_ROD "}]}"
#define TRIANGLE "'network': {'nodes': [[0, 0, 0], [1, 0, 0], [0, 2, 0]], 'edges': [[0, 1], [1, 2], [2, 0]]}"

static void check_edge(const CordShape* shape, int edge, int a, int b)
{
    CHECK_INT(shape->ends[2 * edge], a);
    CHECK_INT(shape->ends[2 * edge + 1], b);
}

// ---- lists

TEST(nodes_and_edges_arrive)
{
    CordScene* s = made(SHAPED(TRIANGLE, ""));
    const CordShape* shape = &s->rods[0].def.shape;
    CHECK_INT(shape->kind, CORD_SHAPE_NETWORK);
    CHECK_INT(shape->node_count, 3);
    CHECK_INT(shape->point_count, 3);
    CHECK_INT(shape->edge_count, 3);
    CHECK_VEC3(shape->points[2], ((CordVec3){0, 2, 0}), 0.0);
    check_edge(shape, 1, 1, 2);
    check_edge(shape, 2, 2, 0);
    CHECK(!s->rods[0].def.closed);
}

TEST(a_split_edge_keeps_its_place)
{
    CordScene* s = made(SHAPED(
        "'network': {'nodes': [[0, 0, 0], [4, 0, 0], [4, 4, 0]], 'edges': [[0, 1], [2, 1]], 'split': 4}",
        ""));
    const CordShape* shape = &s->rods[0].def.shape;
    CHECK_INT(shape->node_count, 9);
    CHECK_INT(shape->edge_count, 8);
    CHECK_VEC3(shape->points[1], ((CordVec3){4, 0, 0}), 0.0);
    for (int i = 0; i < 3; i++) { // between the nodes that were there
        CHECK_VEC3(shape->points[3 + i], ((CordVec3){1.0 + i, 0, 0}), 0.0);
        CHECK_VEC3(shape->points[6 + i], ((CordVec3){4, 3.0 - i, 0}), 0.0);
    }
    check_edge(shape, 0, 0, 3);
    check_edge(shape, 3, 5, 1);
    check_edge(shape, 4, 2, 6);
    check_edge(shape, 7, 8, 1);
}

TEST(a_thousand_wrong_edges_are_counted)
{
    char* text = malloc(1 << 20);
    size_t size = (size_t)sprintf(text, "{'cordage': 1, 'rods': [{'model': 'modal', " SOLID_ROD
                                        "'shape': {'network': {'nodes': [[0, 0, 0], [1, 0, 0]], 'edges': [");
    for (int i = 0; i < 1000; i++) {
        size += (size_t)sprintf(text + size, "[0, %d],\n", 5 + i);
    }
    sprintf(text + size, "]}}}]}");
    SceneText s = scene_text(text, NULL);
    CHECK_RESULT(s.result, CORD_BAD_FILE);
    CHECK_INT(cord_scene_note_count(s.scene), 101);
    CHECK_STR(cord_scene_note(s.scene, 100).text, "900 more errors and 0 more warnings are not shown");
    free(text);
}

// ---- grids

TEST(a_grid_has_its_nodes_and_edges_in_order)
{
    CordScene* s =
        made(SHAPED("'grid': {'corner': [1, 0, 0], 'u': [2, 0, 0], 'v': [0, 0, 3], 'cells': [2, 3]}", ""));
    const CordShape* shape = &s->rods[0].def.shape;
    CHECK_INT(shape->node_count, 12);
    CHECK_INT(shape->edge_count, 2 * 4 + 3 * 3);
    CHECK_VEC3(shape->points[1], ((CordVec3){2, 0, 0}), 0.0);
    CHECK_VEC3(shape->points[11], ((CordVec3){3, 0, 3}), 0.0);
    check_edge(shape, 0, 0, 1);
    check_edge(shape, 7, 10, 11);
    check_edge(shape, 8, 0, 3);
    check_edge(shape, 16, 8, 11);
}

TEST(a_lattice_has_a_diagonal_on_every_face)
{
    CordScene* s = made(SHAPED(
        "'grid': {'u': [1, 0, 0], 'v': [0, 1, 0], 'w': [0, 0, 2], 'cells': [1, 1, 2], 'diagonals': true}",
        ""));
    const CordShape* shape = &s->rods[0].def.shape;
    CHECK_INT(shape->node_count, 12);
    CHECK_INT(shape->edge_count, 6 + 6 + 8 + 3 + 4 + 4); // along u, v, w; on faces uv, uw, vw
    CHECK_VEC3(shape->points[11], ((CordVec3){1, 1, 2}), 0.0);
    check_edge(shape, 12, 0, 4);
    check_edge(shape, 20, 0, 3);
    check_edge(shape, 23, 0, 5);
    check_edge(shape, 30, 5, 11);
}

TEST(a_million_edges_are_read)
{
    CordScene* s = made(SHAPED("'grid': {'u': [1, 0, 0], 'v': [0, 1, 0], 'cells': [500, 1000]}", ""));
    CHECK_INT(s->rods[0].def.shape.edge_count, 500 * 1001 + 501 * 1000);
}

// ---- trees

static double edge_length(const CordShape* shape, int edge)
{
    CordVec3 a = shape->points[shape->ends[2 * edge]], b = shape->points[shape->ends[2 * edge + 1]];
    return sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z));
}

static CordVec3 direction(const CordShape* shape, int edge)
{
    CordVec3 a = shape->points[shape->ends[2 * edge]], b = shape->points[shape->ends[2 * edge + 1]];
    double l = edge_length(shape, edge);
    return (CordVec3){(b.x - a.x) / l, (b.y - a.y) / l, (b.z - a.z) / l};
}

static double dot(CordVec3 a, CordVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

TEST(a_tree_branches_level_by_level)
{
    CordScene* s =
        made(SHAPED("'tree': {'base': [0, 0, 1], 'tip': [0, 0, 3], 'levels': 3, 'branches': 3, 'ratio': 0.5, "
                    "'taper': 0.25, 'angle': {'degrees': 60}, 'turn': {'degrees': 0}}",
                    ""));
    const SceneRod* rod = &s->rods[0];
    const CordShape* shape = &rod->def.shape;
    CHECK_INT(shape->edge_count, 1 + 3 + 9);
    CHECK_INT(shape->node_count, 14);
    CHECK_VEC3(shape->points[0], ((CordVec3){0, 0, 1}), 0.0);
    CHECK_VEC3(shape->points[1], ((CordVec3){0, 0, 3}), 0.0);
    CHECK_VEC3(shape->points[2], ((CordVec3){sqrt(0.75), 0, 3.5}), 1e-15); // from x, as the trunk is upright
    for (int k = 1; k < 13; k++) {
        int on = (k - 1) / 3;
        CHECK_INT(shape->ends[2 * k], on + 1);
        CHECK_INT(shape->ends[2 * k + 1], k + 1);
        CHECK_NEAR(edge_length(shape, k), k < 4 ? 1.0 : 0.5, 1e-14);            // roundings of some turns
        CHECK_NEAR(dot(direction(shape, k), direction(shape, on)), 0.5, 1e-14); // cos 60 degrees
        CHECK_NEAR(rod->network.size[k], k < 4 ? 0.25 : 0.0625, 0.0);
    }
    for (int k = 1; k < 13; k += 3) { // those on one tip are evenly around it: 1/4 + 3/4 cos 120 degrees
        CHECK_NEAR(dot(direction(shape, k), direction(shape, k + 1)), -0.125, 1e-14);
        CHECK_NEAR(dot(direction(shape, k), direction(shape, k + 2)), -0.125, 1e-14);
    }
}

// ---- meshes

// What is in the file tells which kind it is; its name has no ending.
static SceneText read_mesh(const char* bytes, const char* more)
{
    char text[700];
    snprintf(text, sizeof text, SHAPED("'mesh': {'file': 'mesh'%s}", ""), more);
    return scene_text_with(text, NULL, &(SceneTextFile){bytes, strlen(bytes)});
}

static void check_mesh(const char* bytes, const char* more, int nodes, int edges, const char* expected)
{
    SceneText s = read_mesh(bytes, more);
    CHECK_NOTED(s.scene, expected);
    CHECK_INT(s.scene->rods[0].def.shape.node_count, nodes);
    CHECK_INT(s.scene->rods[0].def.shape.edge_count, edges);
}

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

TEST(edges_of_polygons_are_there_once_and_diagonals_are_not)
{
    check_mesh(SQUARE "f 1 2 3 4\n", "", 4, 4, "");
    check_mesh(SQUARE "f 1 2 3\nf 1 3 4\n", "", 4, 5, "");
    check_mesh(SQUARE "v 2 2 0\nf 1 2 3 4\nl 3 5\nl 1 2\n", "", 5, 5, "");
    check_mesh(SQUARE "l 1 2 3 4\n", "", 4, 3, "");
    check_mesh("ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
               "z\nelement face 1\n"
               "property list uchar int vertex_indices\nend_header\n0 0 0 1 0 0 1 1 0 0 1 0\n4 0 1 2 3\n",
               "", 4, 4, "");
    check_mesh(SQUARE "f 1 2 3 4\n", ", 'split': 3", 12, 12, "");
}

TEST(vertices_at_the_same_place_are_one)
{
    check_mesh(
        "solid a\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 1 1 0 endloop endfacet\n"
        "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 1 1e-12 vertex 0 1 0 endloop "
        "endfacet\nendsolid\n",
        "", 4, 5, "");
    check_mesh(SQUARE "v 1.05 1 0\nv 2 1 0\nf 1 2 3 4\nl 5 6\n", ", 'merge': 0.1", 5, 5, "");
    check_mesh(SQUARE "v 1.05 1 0\nv 2 1 0\nf 1 2 3 4\nl 5 6\n", "", 6, 5,
               "2:19: warning: rods[0].shape.mesh is in 2 pieces that no edge joins, of which the smallest "
               "has 2 nodes; each "
               "needs supports of its own\n");
}

TEST(what_is_left_out_of_a_mesh_is_told)
{
    check_mesh("v 9 9 9\n" SQUARE "f 2 3 4 5\n", "", 4, 4,
               "2:19: warning: rods[0].shape.mesh has 1 vertices without an edge, which are left out\n");
    check_mesh(SQUARE "v 1 1 0\nf 1 2 3 5 4\n", "", 4, 4,
               "2:19: warning: rods[0].shape.mesh has 1 edges whose two ends are at the same place, which "
               "are left out\n");
    SceneText s = read_mesh(SQUARE "f 1 2 3 4\n", ", 'merge': 10");
    CHECK_CONTAINS(cord_scene_note(s.scene, 0).text,
                   "has no edges: all its vertices are within 10 m of each other");
    s = read_mesh("v 0 0 0\n", "");
    CHECK_CONTAINS(cord_scene_note(s.scene, 0).text, "it has no triangles");
}

TEST(a_mesh_is_scaled_turned_and_moved)
{
    SceneText s =
        read_mesh(SQUARE "f 1 2 3 4\n",
                  ", 'scale': 2, 'position': [0, 0, 5], 'rotate': {'axis': [0, 0, 1], 'degrees': 90}");
    CHECK_VEC3(s.scene->rods[0].def.shape.points[1], ((CordVec3){0, 2, 5}), 1e-15); // a turn rounds
}

// A lattice of points, each written three times with a jitter of a tenth of the tolerance: neighbours in
// cells beside each other.
TEST(merging_finds_neighbours_across_cells)
{
    enum { SIDE = 12, COUNT = 3 * SIDE * SIDE };
    static CordVec3 x[COUNT];
    static int lines[2 * COUNT];
    uint32_t random = 1;
    for (int i = 0; i < COUNT; i++) {
        double jitter[3];
        for (int k = 0; k < 3; k++) {
            random = random * 1664525u + 1013904223u;
            jitter[k] = 1e-3 * (random / 4294967296.0 - 0.5);
        }
        x[i] = (CordVec3){i / 3 % SIDE + jitter[0], i / 3 / SIDE + jitter[1], jitter[2]};
        lines[2 * i] = i, lines[2 * i + 1] = (i + 3) % COUNT;
    }
    PlacedMesh placed = {.mesh = {.vertices = x, .vertex_count = COUNT, .lines = lines, .line_count = COUNT},
                         .rotation = {0, 0, 0, 1}};
    Pool pool;
    Graph graph;
    GraphMesh report;
    pool_init(&pool, (CordAllocator){0});
    CHECK(graph_from_mesh(&pool, &placed, 1e-2, &graph, &report));
    CHECK_INT(graph.node_count, SIDE * SIDE);
    CHECK_INT(graph.edge_count, SIDE * SIDE);
    CHECK_INT(report.merged, 2 * SIDE * SIDE);
    pool_free(&pool);
}

// ---- what edges are made of

#define CORNER                                                                                               \
    "'network': {'nodes': [[0, 0, 0], [1, 0, 0], [1, 0, 1]], 'edges': [[0, 1], [1, 2]], 'split': 2}"

TEST(m1_is_made_from_z_or_from_x)
{
    CordRodDef def = scene_edges(made(SHAPED(CORNER, "")))->def;
    CHECK_INT(def.along_count, 4);
    CHECK(def.sections == NULL && def.stiffnesses == NULL);
    CHECK_VEC3(def.m1_along[0], ((CordVec3){0, 0, 1}), 0.0);
    CHECK_VEC3(def.m1_along[3], ((CordVec3){1, 0, 0}), 0.0);
    def = scene_edges(made(SHAPED(CORNER, "'frame': [2, 2, 0], ")))->def;
    CHECK_VEC3(def.m1_along[1], ((CordVec3){0, 1, 0}), 0.0);
    CHECK_VEC3(def.m1_along[2], ((CordVec3){sqrt(0.5), sqrt(0.5), 0}), 1e-15);
    def = scene_edges(made(SHAPED(CORNER, "'frame': [1, 0, 0], ")))->def; // along the first edge: z instead
    CHECK_VEC3(def.m1_along[0], ((CordVec3){0, 0, 1}), 0.0);
}

TEST(parts_have_sections_materials_and_frames_of_their_own)
{
    CordScene* s = made(SHAPED(
        CORNER, "'parts': [{'edges': [[0, 1]], 'section': {'disc': {'radius': 0.5}}}, "
                "{'box': {'low': [1, 0, 0], 'high': [1, 0, 1]}, 'material': 'steel', 'm1': [0, 1, 0]}, "
                "{'edges': [0], 'section': {'disc': {'radius': 0.25}}}], "));
    CordRodDef def = scene_edges(s)->def;
    CHECK_INT(def.along_count, 4);
    CordSection first = cord_section_disc(0.25), second = cord_section_disc(0.5);
    CordMaterial steel = cord_material_default();
    for (int i = 0; i < cord_material_count(); i++) {
        steel = strcmp(cord_material_named(i)->name, "steel") == 0 ? cord_material_named(i)->material : steel;
    }
    CordStiffness stiffness = cord_stiffness_from(&steel, &second);
    for (int j = 0; j < 4; j++) { // the later part counts
        CHECK_NEAR(def.sections[j].area, j < 2 ? first.area : second.area, 0.0);
        CHECK_VEC3(def.m1_along[j], j < 2 ? ((CordVec3){0, 0, 1}) : ((CordVec3){0, 1, 0}), 0.0);
        CHECK(isnan(def.stiffnesses[j].EI1) == (j < 2));
    }
    CHECK_NEAR(def.stiffnesses[2].EI1, stiffness.EI1, 0.0);
    CHECK_NEAR(def.stiffnesses[3].mass_per_length, stiffness.mass_per_length, 0.0);
}

TEST(sections_of_a_tree_taper)
{
    CordScene* s =
        made(SHAPED("'tree': {'base': [0, 0, 0], 'tip': [0, 0, 1], 'levels': 2, 'taper': 0.5}", ""));
    CordRodDef def = scene_edges(s)->def;
    CHECK_INT(def.along_count, 3);
    CordSection whole = cord_section_disc(0.01), half = cord_section_disc(0.005);
    CHECK_NEAR(def.sections[0].I1, whole.I1, 0.0);
    CHECK_NEAR(def.sections[2].radius, 0.005, 0.0);
    // powers of a half are exact, the disc's radius is not
    CHECK_NEAR(def.sections[2].area, half.area, 1e-15 * half.area);
    CHECK_NEAR(def.sections[2].I1, half.I1, 1e-15 * half.I1);
    CHECK_NEAR(def.sections[2].J, half.J, 1e-15 * half.J);
}

// ---- supports

// The five nodes at x = 0 are turned by a quarter about z, about their middle at (0, 1, 0), and lifted by 3.
TEST(a_support_moves_as_one_rigid_body)
{
    CordScene* s =
        made("{'cordage': 1, 'gravity': [0, 0, 0], 'rods': [{'model': 'modal', 'modal': "
             "{'damping_ratio': 1}, " SOLID_ROD "'shape': {'grid': {'u': [2, 0, 0], 'v': [0, 2, 0], "
             "'cells': [4, 4]}}}], 'clamps': [{'at': {'box': {'low': "
             "[0, 0, 0], 'high': [0, 2, 0]}}, 'fix': 'frame', 'motion': [{'translate': {'by': [0, 0, "
             "3]}, 'to': 1}, "
             "{'rotate': {'axis': [0, 0, 1], 'degrees': 90}, 'to': 1}]}]}");
    CordWorld* world = built(s);
    CordVec3 x[25];
    for (int i = 0; i < 110; i++) {
        CHECK_OK(cord_world_step(world, 0.01));
    }
    CHECK_OK(cord_rod_positions(world, cord_world_rod(world, 0), x));
    for (int j = 0; j < 5; j++) {
        // held nodes are put there: roundings alone
        CHECK_VEC3(x[5 * j], ((CordVec3){1.0 - 0.5 * j, 1, 3}), 1e-12);
    }
}

TEST_GROUP(scene_network)
