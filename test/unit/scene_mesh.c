// Meshes from files: each format, each way of being wrong, and files that are spoilt at every byte.
#include "scene_mesh.h"
#include "heap.h"
#include "random.h"
#include "scene_text.h"

// ---- Wavefront OBJ

#define THREE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

TEST(an_obj_file_is_read_in_every_usual_form)
{
    MeshFile mesh = GOOD(THREE "f 1 2 3\n", 3, 1);
    CHECK_VEC3(mesh.vertices[1], ((CordVec3){1, 0, 0}), 0.0);
    check_corners(&mesh, 0, 0, 1, 2);
    GOOD(THREE "f 1 2 3", 3, 1);
    mesh = GOOD("# a mesh\r\no thing\r\nmtllib a.mtl\r\n\r\nv  0 0 0 1.0\r\n\tv 1 0 0 0.5 0.5 0.5\r\nv 0 1 0 "
                "# last\r\n"
                "vn 0 0 1\r\nvt 0 0\r\ng all\r\nusemtl red\r\ns off\r\nf 1/1/1 2//1 3/1\r\nl 1 2\r\n",
                3, 1);
    check_corners(&mesh, 0, 0, 1, 2);
    mesh = GOOD("\xef\xbb\xbf" THREE "v 0 0 1\nf -4 -3 -2\nv 9 9 9\nf -1 1 2\n", 5, 2);
    check_corners(&mesh, 0, 0, 1, 2);
    check_corners(&mesh, 1, 4, 0, 1);
    mesh = GOOD("f 1 2 3\n" THREE, 3, 1); // before its vertices
    mesh = GOOD("v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r", 3, 1);
    mesh = GOOD("v 0 0 \\\n0\nv 1 0\\\r\n 0\nv 0 1 0\nf 1 \\\n 2\\\n\\\n 3 \\", 3, 1); // lines that go on
    check_corners(&mesh, 0, 0, 1, 2);
    GOOD("# C:\\folder\\\n" THREE "f 1 2 3", 3, 1); // a comment does not
}

TEST(numbers_may_be_written_as_programs_do)
{
    MeshFile mesh = GOOD("v +1 .5 5.\nv -.25 007 1.E+2\nv -00.5 1e-3 2.5e+00\nf 1 2 3", 3, 1);
    CHECK_VEC3(mesh.vertices[0], ((CordVec3){1, 0.5, 5}), 0.0);
    CHECK_VEC3(mesh.vertices[1], ((CordVec3){-0.25, 7, 100}), 0.0);
    CHECK_VEC3(mesh.vertices[2], ((CordVec3){-0.5, 1e-3, 2.5}), 0.0);
}

TEST(polygons_are_cut_into_triangles)
{
    MeshFile mesh = GOOD(THREE "v 0 0 1\nv 2 2 2\nf 1 2 3 4 5\nf 3 2 1\n", 5, 4);
    check_corners(&mesh, 0, 0, 1, 2);
    check_corners(&mesh, 1, 0, 2, 3);
    check_corners(&mesh, 2, 0, 3, 4);
    check_corners(&mesh, 3, 2, 1, 0);
}

TEST(what_is_wrong_in_an_obj_file_is_told_by_line)
{
    BAD(THREE "f 1 2\n", "line 4, column 6: a face needs at least three vertices");
    BAD(THREE "f\n", "line 4, column 2: a face needs at least three vertices");
    BAD(THREE "f 1 2 4\n", "line 4, column 7: there is no vertex 4; the file has 3");
    BAD(THREE "f 1 2 99999999999999999999/1\n",
        "line 4, column 7: there is no vertex 9999999999; the file has 3");
    BAD("v 0 0 0\nf -1 -2 -3\n" THREE, "line 2, column 6: there is no vertex -2; the file has 1 up to here");
    BAD(THREE "f 0 1 2\n", "line 4, column 3: vertices of a face are counted from 1");
    BAD(THREE "f 1 two 3\n", "line 4, column 5: expected the number of a vertex");
    BAD(THREE "f 1 2 3.5\n", "line 4, column 7: expected the number of a vertex");
    BAD(THREE "f 1 2 -\n", "line 4, column 7: expected the number of a vertex");
    BAD(THREE "f 1 2 /3\n", "line 4, column 7: expected the number of a vertex");
    BAD("v 0 0\n", "line 1, column 6: a vertex needs three numbers, such as v 0 0 1");
    BAD("v 0 # 0 0\n", "line 1, column 5: a vertex needs three numbers, such as v 0 0 1");
    BAD("v 0,0,0\n", "line 1, column 3: expected a number, and one that is finite");
    BAD(THREE "v 1 nan 0\n", "line 4, column 5: expected a number, and one that is finite");
    BAD("v 1 -inf 0\n", "line 1, column 5: expected a number, and one that is finite");
    BAD("v 1 1e400 0\n", "line 1, column 5: expected a number, and one that is finite");
    BAD("v 1 . 0\n", "line 1, column 5: expected a number, and one that is finite");
    BAD("v 1 0x10 0\n", "line 1, column 5: expected a number, and one that is finite");
    BAD("v 1 2 3e9\n", "line 1, column 7: a position is in metres and must be at most 1e9");
}

TEST(a_file_without_triangles_is_refused)
{
    BAD("", NO_TRIANGLES);
    BAD("\n\n", NO_TRIANGLES);
    BAD(THREE, NO_TRIANGLES);
    BAD("Dear reader,\nthis is not a mesh.\n", NO_TRIANGLES);
    BAD("solid nothing\nendsolid nothing\n", NO_TRIANGLES);
}

TEST(other_files_are_told_from_meshes)
{
    BAD("glTF\2\0\0\0", "byte 0: this is a glTF file; save the mesh as OBJ, PLY or STL");
    BAD("OFF\n4 4 0\n", "byte 0: this is an OFF file; save the mesh as OBJ, PLY or STL");
    BAD("PK\003\004\024",
        "byte 0: this is a compressed archive, such as 3MF; save the mesh as OBJ, PLY or STL");
    BAD("\x89HDF\r\n\032\n",
        "byte 0: this is an HDF5 file, such as a recording; a mesh is an OBJ, PLY or STL file");
    BAD("\xff\xfev\0 \0", "byte 0: this text is in UTF-16; save it as UTF-8");
}

// ---- STL as text

#define FACET(a, b, c)                                                                                       \
    " facet normal 0 0 1\n  outer loop\n   vertex " a "\n   vertex " b "\n   vertex " c                      \
    "\n  endloop\n endfacet\n"
#define SOLID(facets) "solid a thing\n" facets "endsolid a thing\n"

TEST(a_text_stl_file_is_read)
{
    MeshFile mesh = GOOD(SOLID(FACET("0 0 0", "1 0 0", "0 1 0") FACET("0 1 0", "1 0 0", "1 1e0 -0.0")), 4, 2);
    check_corners(&mesh, 0, 0, 1, 2);
    check_corners(&mesh, 1, 2, 1, 3);
    CHECK_VEC3(mesh.vertices[3], ((CordVec3){1, 1, 0}), 0.0);
    // only one zero
    GOOD(SOLID(FACET("0 0 0", "1 0 0", "0 1 0")) SOLID(FACET("-0 0 -0.0", "1 0 0", "0 2 0")), 4, 2);
    GOOD("SOLID\r\nFACET NORMAL nan nan nan OUTER LOOP VERTEX 0 0 0 VERTEX 1 0 0 VERTEX 0 1 0 ENDLOOP "
         "ENDFACET\r\nENDSOLID",
         3, 1);
}

TEST(what_is_wrong_in_a_text_stl_file_is_told_by_line)
{
    BAD("solid a\n" FACET("0 0 0", "1 0 0", "0 1 0"),
        "line 9, column 1: the file ends before endsolid; it may have been cut short");
    BAD("solid a\n facet normal 0 0 1\n  outer loop\n", "line 4, column 1: the file ends within a triangle");
    BAD("solid a\nfacet normal 0 0 outer loop",
        "line 2, column 24: expected outer loop after a normal of three numbers");
    BAD("solid a\nfacet norm 0 0 1", "line 2, column 7: expected normal after facet");
    BAD("solid a\nfacet normal 0 0 1 outer vertex", "line 2, column 26: expected loop after outer");
    BAD("solid a\nfacets\n", "line 2, column 1: expected facet or endsolid");
    BAD(SOLID("") "facet", "line 3, column 1: expected solid");
    BAD(SOLID(FACET("0 0 0", "1 0 0", "0 1")), "line 7, column 3: expected a number, and one that is finite");
    BAD(SOLID(FACET("0 0 0", "1 nan 0", "0 1 0")),
        "line 5, column 13: expected a number, and one that is finite");
    BAD(SOLID(FACET("0 0 0", "1 0 -1e10", "0 1 0")),
        "line 5, column 15: a position is in metres and must be at most 1e9");
    BAD(SOLID(FACET("0 0 0", "1 0 0", "0 1 0\n vertex 1 1 1")),
        "line 7, column 2: expected endloop after three vertices");
    BAD("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n",
        "line 6, column 1: expected vertex: a loop has three");
    BAD("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nfacet",
        "line 8, column 1: expected endfacet after endloop");
}

// ---- binary STL

typedef struct Binary {
    char bytes[84 + 50 * 20];
    size_t size;
} Binary;

static void put_u32(char* at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (char)(unsigned char)(value >> 8 * i);
    }
}

static void put_float(char* at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(at, bits);
}

static void add_triangle(Binary* b, const float corners[9])
{
    for (int i = 0; i < 9; i++) {
        put_float(&b->bytes[b->size + 12 + 4 * (size_t)i], corners[i]);
    }
    b->size += 50;
    put_u32(&b->bytes[80], (uint32_t)(b->size - 84) / 50);
}

static Binary two_triangles(const char* header)
{
    static const float corners[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 1, -0.0F, 1, 0, 0, 1, 1.5F, 0}};
    Binary b = {.size = 84};
    memcpy(b.bytes, header, strlen(header));
    add_triangle(&b, corners[0]);
    add_triangle(&b, corners[1]);
    return b;
}

TEST(a_binary_stl_file_is_read_whatever_it_begins_with)
{
    static const char* const headers[] = {"", "solid made by a program\nfacet", "OFF", "v 0 0 0\nf 1 1 1\n"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        Binary b = two_triangles(headers[i]);
        MeshFile mesh = mesh_read(__LINE__, b.bytes, b.size, 4, 2);
        check_corners(&mesh, 0, 0, 1, 2);
        check_corners(&mesh, 1, 2, 1, 3);
        CHECK_VEC3(mesh.vertices[3], ((CordVec3){1, 1.5, 0}), 0.0);
    }
}

TEST(what_is_wrong_in_a_binary_stl_file_is_told_by_byte)
{
    Binary b = two_triangles("solid but not text");
    mesh_check_bad(
        __LINE__, b.bytes, b.size - 1,
        "byte 80: 2 triangles of binary STL would take 184 bytes, and the file has 183; it is damaged, "
        "or neither OBJ nor STL");
    mesh_check_bad(
        __LINE__, b.bytes, 50,
        "byte 50: the file ends before the number of triangles, which is at byte 80 of a binary STL file");
    put_u32(&b.bytes[80], 0xffffffff);
    mesh_check_bad(
        __LINE__, b.bytes, b.size,
        "byte 80: 4294967295 triangles of binary STL would take 214748364834 bytes, and the file has "
        "184; it is damaged, or "
        "neither OBJ nor STL");
    b = two_triangles("");
    put_float(&b.bytes[84 + 50 + 12 + 4], NAN);
    mesh_check_bad(__LINE__, b.bytes, b.size, "byte 150: a coordinate of a vertex must be a finite number");
    put_float(&b.bytes[84 + 50 + 12 + 4], -INFINITY);
    mesh_check_bad(__LINE__, b.bytes, b.size, "byte 150: a coordinate of a vertex must be a finite number");
    put_float(&b.bytes[84 + 50 + 12 + 4], 1e10F);
    mesh_check_bad(__LINE__, b.bytes, b.size, "byte 150: a position is in metres and must be at most 1e9");
    b = (Binary){.size = 84};
    mesh_check_bad(__LINE__, b.bytes, b.size, NO_TRIANGLES);
}

// ---- all formats

TEST(coordinates_are_scaled)
{
    MeshFile mesh;
    CHECK(mesh_parse(THREE "f 1 2 3", strlen(THREE "f 1 2 3"), 1e-3, &mesh) == NULL);
    CHECK_NEAR(mesh.vertices[1].x, 1e-3, 0.0);
    Binary b = two_triangles("");
    CHECK(mesh_parse(b.bytes, b.size, 0.5, &mesh) == NULL);
    CHECK_NEAR(mesh.vertices[3].y, 0.75, 0.0);
    const char* stl = SOLID(FACET("0 0 0", "1 0 0", "0 1 0"));
    CHECK(mesh_parse(stl, strlen(stl), 25.4, &mesh) == NULL);
    CHECK_NEAR(mesh.vertices[1].x, 25.4, 0.0);
    CHECK_CONTAINS(mesh_parse(stl, strlen(stl), 1e10, &mesh), "at most 1e9");
}

// A sheet of n by n squares, each corner of it written anew for every triangle: they become one again.
TEST(equal_corners_become_one_vertex)
{
    enum { SIDE = 100 };
    size_t size = 84 + 50 * 2 * SIDE * SIDE;
    char* bytes = calloc(1, size);
    put_u32(bytes + 80, 2 * SIDE * SIDE);
    for (int t = 0; t < 2 * SIDE * SIDE; t++) {
        static const int steps[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
        for (int k = 0; k < 3; k++) {
            char* at = bytes + 84 + 50 * t + 12 + 12 * k;
            put_float(at, 0.1F * (float)(t / 2 / SIDE + steps[t % 2][k][0]));
            put_float(at + 4, 0.1F * (float)(t / 2 % SIDE + steps[t % 2][k][1]));
        }
    }
    MeshFile mesh = mesh_read(__LINE__, bytes, size, (SIDE + 1) * (SIDE + 1), 2 * SIDE * SIDE);
    for (int i = 0; i < 3 * mesh.triangle_count; i++) {
        const char* at = bytes + 84 + 50 * (i / 3) + 12 + 12 * (i % 3);
        float x;
        memcpy(&x, at, sizeof x);
        CHECK_NEAR(mesh.vertices[mesh.triangles[i]].x, (double)x, 0.0);
    }
    free(bytes);
}

static void spoil_and_parse(const char* bytes, size_t size, uint64_t seed)
{
    char* copy = malloc(size);
    memcpy(copy, bytes, size);
    static const char marks[] = " \n\r\\-/.#e0179vf\0\xff\x7f";
    for (int change = 0; change < 1 + (int)(seed % 4); change++) {
        random_bits(&seed);
        copy[(seed >> 33) % size] = marks[(seed >> 20) % (sizeof marks - 1)];
    }
    mesh_check_any(copy, seed % 5 == 0 ? (seed >> 40) % size : size);
    free(copy);
}

// Whatever is wrong, it is said, or the mesh is good. The sanitizers watch.
TEST(spoilt_files_are_refused_or_good)
{
    Binary b = two_triangles("solid");
    const char* obj = "# m\n" THREE "v 0 0 1 \\\n 1\nvt 0 0\nf 1/1 2//1 -1\nf 1 2 3 4\n";
    const char* stl = SOLID(FACET("0 0 0", "1.5e0 0 0", "0 1 0") FACET("0 0 0", "1 0 0", "0 -1 0"));
    for (size_t cut = 0; cut < strlen(obj); cut++) {
        mesh_check_any(obj, cut);
    }
    for (size_t cut = 0; cut < strlen(stl) - strlen(" a thing\n"); cut++) {
        MeshFile mesh;
        CHECK(mesh_parse(stl, cut, 1.0, &mesh) != NULL);
    }
    for (size_t cut = 0; cut < b.size; cut++) {
        MeshFile mesh;
        CHECK(mesh_parse(b.bytes, cut, 1.0, &mesh) != NULL);
    }
    for (uint64_t seed = 0; seed < 5000; seed++) {
        spoil_and_parse(obj, strlen(obj), seed);
        spoil_and_parse(stl, strlen(stl), seed);
        spoil_and_parse(b.bytes, b.size, seed);
    }
}

// ---- from a scene

static void check_file(const char* bytes, const char* expected)
{
    const char* text = SCENE_WITH("\n'obstacles': [{'mesh': {'file': 'a.obj'}}], ", "");
    CHECK_NOTED(scene_text_with(text, NULL, &(SceneTextFile){bytes, strlen(bytes)}).scene, expected);
}

TEST(a_scene_names_its_mesh_and_what_is_wrong_with_it)
{
    check_file(THREE "f 1 2 3\n", "");
    check_file(THREE "f 1 2 4\n", "2:33: error: obstacles[0].mesh.file is \"a.obj\": line 4, column 7: there "
                                  "is no vertex 4; the file has 3\n");
    check_file("", "2:33: error: obstacles[0].mesh.file is \"a.obj\": " NO_TRIANGLES "\n");
}

TEST(every_allocation_may_fail)
{
    const char* stl = SOLID(FACET("0 0 0", "1 0 0", "0 1 0"));
    const char* obj = THREE "f 1 2 3";
    const char* wrong = THREE "f 1 2 4";
    const char* const files[] = {stl, obj, wrong};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        bool reached = true;
        for (int fail = 1; reached; fail++) {
            Heap heap = {.fail = fail};
            Pool own;
            MeshFile mesh;
            pool_init(&own, (CordAllocator){heap_alloc, heap_free, &heap});
            mesh_file_parse(&own, files[i], strlen(files[i]), 1.0, &mesh);
            reached = heap.calls >= fail;
            CHECK_INT(own.failed, reached);
            pool_free(&own);
            CHECK_INT(heap.held, 0);
        }
    }
}

TEST_GROUP(scene_mesh)
