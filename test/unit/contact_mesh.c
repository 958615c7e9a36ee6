#include "base_heap.h"
#include "check.h"

#include "contact/mesh.h"

static Memory memory;
static Message message;

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static CordResult create(Mesh* mesh, const CordVec3* vertices, int vertex_count, const int* triangles,
                         int triangle_count)
{
    memory = new_memory();
    message.text[0] = '\0';
    return mesh_create(&memory, mesh, vertices, vertex_count, triangles, triangle_count, &message);
}

#define CREATE(mesh, vertices, triangles)                                                                    \
    create((mesh), (vertices), COUNT(vertices), &(triangles)[0][0], COUNT(triangles))

static void destroy(Mesh* mesh)
{
    mesh_destroy(&memory, mesh);
    CHECK_INT(memory.bytes, 0);
}

static bool has_edge(const Mesh* mesh, int a, int b)
{
    int times = 0;
    for (int i = 0; i < mesh->edge_count; i++) {
        const int* e = &mesh->edges[2 * i];
        times += (e[0] == a && e[1] == b) || (e[0] == b && e[1] == a);
    }
    CHECK(times <= 1);
    return times == 1;
}

// Vertex 4 x + 2 y + z of the unit cube; two triangles on each face, seen from outside.
static const CordVec3 cube_vertices[] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1},
                                         {1, 0, 0}, {1, 0, 1}, {1, 1, 0}, {1, 1, 1}};
static const int cube[][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                              {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};

TEST(a_cube_is_closed_and_has_twelve_edges)
{
    Mesh mesh;
    CHECK_OK(CREATE(&mesh, cube_vertices, cube));
    CHECK(mesh.closed);
    CHECK_INT(mesh.degenerate, 0);
    CHECK_INT(mesh.triangle_count, 12);
    CHECK_INT(mesh.edge_count, 12); // of eighteen: the diagonals of faces are flat
    for (int a = 0; a < 8; a++) {
        for (int b = a + 1; b < 8; b++) {
            int apart = a ^ b;
            CHECK_INT(has_edge(&mesh, a, b), apart == 1 || apart == 2 || apart == 4);
        }
    }
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(mesh.box.lo[k], 0.0, 0.0);
        CHECK_NEAR(mesh.box.hi[k], 1.0, 0.0);
    }
    destroy(&mesh);
}

TEST(a_triangle_that_is_turned_leaves_a_mesh_not_closed)
{
    int turned[COUNT(cube)][3];
    memcpy(turned, cube, sizeof cube);
    turned[3][1] = 5, turned[3][2] = 7;
    Mesh mesh;
    CHECK_OK(CREATE(&mesh, cube_vertices, turned));
    CHECK(!mesh.closed);
    CHECK_INT(mesh.edge_count, 12); // what is flat is so however the triangles are turned
    destroy(&mesh);
}

TEST(an_open_sheet_keeps_its_border)
{
    static const CordVec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}};
    static const int triangles[][3] = {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}};
    Mesh mesh;
    CHECK_OK(CREATE(&mesh, vertices, triangles));
    CHECK(!mesh.closed);
    CHECK_INT(mesh.edge_count, 6);
    CHECK(has_edge(&mesh, 0, 1) && has_edge(&mesh, 1, 2) && has_edge(&mesh, 2, 5) && has_edge(&mesh, 5, 4) &&
          has_edge(&mesh, 4, 3) && has_edge(&mesh, 3, 0));
    destroy(&mesh);
}

// Two triangles along the edge 0 1; the third corner of the second is turned about it by `angle` from flat.
static int edges_when_bent(double angle)
{
    CordVec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0.3, 1, 0}, {0.6, -cos(angle), sin(angle)}};
    static const int triangles[][3] = {{0, 1, 2}, {1, 0, 3}};
    Mesh mesh;
    CHECK_OK(CREATE(&mesh, vertices, triangles));
    int count = mesh.edge_count;
    CHECK_INT(has_edge(&mesh, 0, 1), count == 5);
    destroy(&mesh);
    return count;
}

TEST(an_edge_is_left_out_only_where_the_surface_is_flat)
{
    CHECK_INT(edges_when_bent(0.0), 4);
    CHECK_INT(edges_when_bent(0.9e-6), 4);
    CHECK_INT(edges_when_bent(-0.9e-6), 4);
    CHECK_INT(edges_when_bent(1.1e-6), 5);
    CHECK_INT(edges_when_bent(-1.1e-6), 5);
    CHECK_INT(edges_when_bent(1.5), 5);
    CHECK_INT(edges_when_bent(3.14159265358979), 5); // folded back onto itself
}

TEST(three_triangles_may_share_an_edge)
{
    static const CordVec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}};
    static const int triangles[][3] = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
    Mesh mesh;
    CHECK_OK(CREATE(&mesh, vertices, triangles));
    CHECK(!mesh.closed);
    CHECK_INT(mesh.edge_count, 7); // the shared one too, although two of the three lie flat
    CHECK(has_edge(&mesh, 0, 1));
    destroy(&mesh);
}

// A third triangle at an edge, even without area, leaves it an edge.
TEST(an_edge_of_three_triangles_is_kept_though_one_is_left_out)
{
    static const CordVec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {2, 0, 0}};
    static const int triangles[][3] = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
    Mesh mesh;
    CHECK_OK(CREATE(&mesh, vertices, triangles));
    CHECK_INT(mesh.degenerate, 1);
    CHECK_INT(mesh.edge_count, 5);
    CHECK(has_edge(&mesh, 0, 1));
    destroy(&mesh);
}

TEST(a_surface_that_is_there_twice_is_not_closed)
{
    int twice[2 * COUNT(cube)][3];
    memcpy(twice, cube, sizeof cube);
    memcpy(twice[COUNT(cube)], cube, sizeof cube);
    Mesh mesh;
    CHECK_OK(CREATE(&mesh, cube_vertices, twice));
    CHECK(!mesh.closed);
    CHECK_INT(mesh.edge_count, 18);
    destroy(&mesh);
}

TEST(triangles_without_area_are_left_out_and_counted)
{
    static const CordVec3 vertices[] = {{0, 0, 0},     {2, 0, 0}, {0, 2, 0},      {1, 1, 0},
                                        {1, 1, 1e-15}, {2, 2, 0}, {1e9, 1e9, 1e9}};
    static const int triangles[][3] = {{0, 1, 2}, {1, 3, 2}, {0, 0, 1}, {4, 4, 4}, {1, 2, 4}, {3, 1, 5}};
    Mesh mesh;
    CHECK_OK(CREATE(&mesh, vertices, triangles));
    CHECK_INT(mesh.degenerate, 4);
    CHECK_INT(mesh.triangle_count, 2);
    CHECK_INT(mesh.triangles[0], 0);
    CHECK_INT(mesh.triangles[3], 3);
    CHECK_INT(mesh.triangles[5], 5);
    CHECK_INT(mesh.edge_count, 6);
    CHECK_NEAR(mesh.box.hi[2], 0.0, 0.0); // vertices of no triangle do not count
    destroy(&mesh);
}

// The middle of an edge is a vertex on one side of it and not on the other; a triangle without area fills the
// slit.
TEST(a_mesh_with_a_slit_filled_is_closed)
{
    static const CordVec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0, 0}};
    static const int triangles[][3] = {{0, 2, 1}, {0, 4, 3}, {4, 1, 3}, {0, 1, 4}, {1, 2, 3}, {2, 0, 3}};
    Mesh mesh;
    CHECK_OK(CREATE(&mesh, vertices, triangles));
    CHECK_INT(mesh.degenerate, 1);
    CHECK(mesh.closed);
    CHECK(has_edge(&mesh, 0, 1) && has_edge(&mesh, 0, 4) && has_edge(&mesh, 1, 4) && !has_edge(&mesh, 3, 4));
    destroy(&mesh);
}

TEST(a_fan_of_many_triangles_is_quick_and_right)
{
    enum { SPOKES = 200000 };
    CordVec3* vertices = calloc(SPOKES + 1, sizeof *vertices);
    int* triangles = calloc(3 * SPOKES, sizeof *triangles);
    for (int i = 0; i < SPOKES; i++) {
        double angle = 6.283185307179586 * i / SPOKES;
        vertices[i + 1] = (CordVec3){cos(angle), sin(angle), 0.1};
        triangles[3 * i + 1] = i + 1;
        triangles[3 * i + 2] = (i + 1) % SPOKES + 1;
    }
    Mesh mesh;
    CordResult result = create(&mesh, vertices, SPOKES + 1, triangles, SPOKES);
    free(vertices);
    free(triangles);
    CHECK_OK(result);
    CHECK_INT(mesh.triangle_count, SPOKES);
    CHECK_INT(mesh.edge_count, 2 * SPOKES); // bent by 2 pi / SPOKES x 0.1, which is more than flat
    destroy(&mesh);
}

static bool count_hit(void* context, int i)
{
    (void)i;
    ++*(int*)context;
    return true;
}

TEST(what_is_near_is_found)
{
    Mesh mesh;
    CHECK_OK(CREATE(&mesh, cube_vertices, cube));
    Aabb corner = {{0.9, 0.9, 0.9}, {1.1, 1.1, 1.1}}, inside = {{0.4, 0.4, 0.4}, {0.6, 0.6, 0.6}};
    int triangles = 0, edges = 0;
    CHECK(mesh_triangles_near(&mesh, &corner, count_hit, &triangles));
    CHECK(mesh_edges_near(&mesh, &corner, count_hit, &edges));
    CHECK_INT(edges, 3);
    CHECK_INT(triangles, 6); // boxes of all on three faces
    triangles = edges = 0;
    CHECK(mesh_triangles_near(&mesh, &inside, count_hit, &triangles));
    CHECK(mesh_edges_near(&mesh, &inside, count_hit, &edges));
    CHECK_INT(edges + triangles, 0);
    destroy(&mesh);
}

// ---- what is refused

TEST(what_is_wrong_is_named)
{
    CordVec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}};
    int good[][3] = {{0, 1, 2}, {1, 3, 2}}, high[][3] = {{0, 1, 2}, {1, 4, 2}}, low[][3] = {{0, 1, -1}};
    int line[][3] = {{0, 1, 3}, {0, 1, 1}};
    Mesh mesh;
    CHECK_RESULT(CREATE(&mesh, vertices, high), CORD_BAD_ARGUMENT);
    CHECK_STR(message.text, "triangle 1 of its mesh has vertex 4; its vertices are 0 to 3");
    CHECK_RESULT(CREATE(&mesh, vertices, low), CORD_BAD_ARGUMENT);
    CHECK_STR(message.text, "triangle 0 of its mesh has vertex -1; its vertices are 0 to 3");
    CHECK_RESULT(CREATE(&mesh, vertices, line), CORD_BAD_ARGUMENT);
    CHECK_STR(message.text,
              "none of the 2 triangles of its mesh has an area; its vertices are all on one line");
    CHECK_RESULT(create(&mesh, vertices, 4, &good[0][0], 0), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "its mesh has 4 vertices and 0 triangles");
    CHECK_RESULT(create(&mesh, vertices, 0, &good[0][0], 2), CORD_BAD_ARGUMENT);
    CHECK_RESULT(create(&mesh, vertices, 4, &good[0][0], INT32_MAX), CORD_BAD_ARGUMENT);
    CHECK_RESULT(create(&mesh, vertices, -1, &good[0][0], -5), CORD_BAD_ARGUMENT);
    vertices[3].y = NAN;
    CHECK_RESULT(CREATE(&mesh, vertices, good), CORD_BAD_ARGUMENT);
    CHECK_STR(message.text, "vertex 3 of its mesh is not finite");
    vertices[3].y = -2e9;
    CHECK_RESULT(CREATE(&mesh, vertices, good), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "vertex 3 of its mesh is at (2, -2e+09, 0); a position is in metres");
    CHECK(mesh.vertices == NULL);
    destroy(&mesh);
}

TEST(every_allocation_may_fail)
{
    int fail = 1;
    for (bool failed = true; failed; fail++) {
        Heap heap = {.fail = fail};
        Mesh mesh;
        memory = memory_on(&heap);
        CordResult result = mesh_create(&memory, &mesh, cube_vertices, 8, &cube[0][0], 12, &message);
        failed = heap.calls >= fail;
        CHECK_RESULT(result, failed ? CORD_NO_MEMORY : CORD_OK);
        mesh_destroy(&memory, &mesh);
        CHECK_INT(heap.held, 0);
    }
    CHECK(fail > 10);
}

TEST_GROUP(contact_mesh)
