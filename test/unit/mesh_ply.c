// PLY files: text and both byte orders, any properties, what is wrong in them, and files that are spoilt at
// every byte.
#include "scene_mesh.h"

static void check_triangle(const MeshFile* mesh, int triangle, int a, int b, int c, int outer)
{
    check_corners(mesh, triangle, a, b, c);
    CHECK_INT(mesh->outer[triangle], outer);
}

#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define HEADER(format, faces)                                                                                \
    "ply\nformat " format " 1.0\ncomment made by hand\nelement vertex 4\n" XYZ "element face " faces         \
    "\nproperty list uchar int vertex_indices\nend_header\n"
#define FOUR "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"

// ---- text

TEST(a_text_file_is_read_with_its_polygons)
{
    MeshFile mesh = GOOD(HEADER("ascii", "2") FOUR "4 0 1 2 3\n3 0 1 3\n", 4, 3);
    CHECK_VEC3(mesh.vertices[2], ((CordVec3){1, 1, 0}), 0.0);
    check_triangle(&mesh, 0, 0, 1, 2, MESH_OUTER_1 | MESH_OUTER_2); // the third edge is a diagonal
    check_triangle(&mesh, 1, 0, 2, 3, MESH_OUTER_2 | MESH_OUTER_3);
    check_triangle(&mesh, 2, 0, 1, 3, MESH_OUTER_1 | MESH_OUTER_2 | MESH_OUTER_3);
}

TEST(other_properties_and_elements_are_passed_over)
{
    MeshFile mesh =
        GOOD("ply\r\nformat ascii 1.0\r\nobj_info scanned\r\nelement material 1\r\nproperty list uchar char "
             "name\r\n"
             "property int id\r\nelement face 1\r\nproperty uchar red\r\nproperty list uint8 uint32 "
             "vertex_index\r\n"
             "property list uchar float uv\r\nelement vertex 3\r\nproperty float nx\r\nproperty double z\r\n"
             "property double y\r\nproperty double x\r\nelement nothing 5\r\nend_header\r\n"
             "2 65 66 7\r\n255 3 2 1 0 2 nan nan\r\nnan 3 2 1\r\n0 6 5 4\r\n0 9 8 7\r\n",
             3, 1);
    CHECK_VEC3(mesh.vertices[0], ((CordVec3){1, 2, 3}), 0.0);
    CHECK_VEC3(mesh.vertices[2], ((CordVec3){7, 8, 9}), 0.0);
    check_triangle(&mesh, 0, 2, 1, 0, 7);
}

TEST(edges_are_lines)
{
    MeshFile mesh =
        GOOD("ply\nformat ascii 1.0\nelement vertex 3\n" XYZ
             "element edge 2\nproperty int vertex1\nproperty int vertex2\nproperty uchar red\nend_header\n"
             "0 0 0 1 0 0 0 1 0\n0 1 255\n2 1 0\n",
             3, 0);
    CHECK_INT(mesh.line_count, 2);
    CHECK_INT(mesh.lines[0], 0);
    CHECK_INT(mesh.lines[1], 1);
    CHECK_INT(mesh.lines[2], 2);
    CHECK_INT(mesh.lines[3], 1);
}

// ---- binary

// A square whose numbers have bytes that differ, so that their order matters: 256.5 is 0x43804000.
#define LITTLE_SQUARE                                                                                        \
    HEADER("binary_little_endian", "1")                                                                      \
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\x40\x80\x43\0\0\0\0\0\0\0\0\0\x40\x80\x43\0\0\x80\x3f\0\0\0\0\0\0\0\0\0\0"   \
    "\x80\x3f\0\0\0\0"                                                                                       \
    "\4\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0"
#define BIG_SQUARE                                                                                           \
    HEADER("binary_big_endian", "1")                                                                         \
    "\0\0\0\0\0\0\0\0\0\0\0\0\x43\x80\x40\0\0\0\0\0\0\0\0\0\x43\x80\x40\0\x3f\x80\0\0\0\0\0\0\0\0\0\0\x3f"   \
    "\x80\0\0\0\0\0\0"                                                                                       \
    "\4\0\0\0\0\0\0\0\1\0\0\0\2\0\0\0\3"

static void check_square(const MeshFile* mesh)
{
    CHECK_VEC3(mesh->vertices[1], ((CordVec3){256.5, 0, 0}), 0.0);
    CHECK_VEC3(mesh->vertices[2], ((CordVec3){256.5, 1, 0}), 0.0);
    CHECK_VEC3(mesh->vertices[3], ((CordVec3){0, 1, 0}), 0.0);
    check_triangle(mesh, 0, 0, 1, 2, 3);
    check_triangle(mesh, 1, 0, 2, 3, 6);
}

TEST(binary_files_of_both_byte_orders_are_read)
{
    MeshFile mesh = GOOD(LITTLE_SQUARE, 4, 2);
    check_square(&mesh);
    mesh = GOOD(BIG_SQUARE, 4, 2);
    check_square(&mesh);
}

TEST(every_type_is_read_in_binary)
{
    MeshFile mesh =
        GOOD("ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty char x\nproperty short y\n"
             "property double z\nelement face 1\nproperty list ushort uchar vertex_indices\nend_header\n"
             "\xff\xfe\xff\0\0\0\0\0\0\xf8\x3f" // -1, -2, 1.5
             "\1\0\1\0\0\0\0\0\0\0\0"           // 1, 256, 0
             "\0\0\0\0\0\0\0\0\0\0\xc0"         // 0, 0, -2
             "\3\0\0\1\2",
             3, 1);
    CHECK_VEC3(mesh.vertices[0], ((CordVec3){-1, -2, 1.5}), 0.0);
    CHECK_VEC3(mesh.vertices[1], ((CordVec3){1, 256, 0}), 0.0);
    CHECK_VEC3(mesh.vertices[2], ((CordVec3){0, 0, -2}), 0.0);
    mesh = GOOD("ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty int x\nproperty ushort "
                "y\nproperty uint z\n"
                "element face 1\nproperty list int char vertex_indices\nend_header\n"
                "\xff\xff\xff\xff\xff\xff\x01\0\0\0" // -1, 65535, 2^24
                "\0\0\0\2\0\0\0\0\0\0"
                "\0\0\0\3\0\0\0\0\0\0"
                "\0\0\0\3\0\1\2",
                3, 1);
    CHECK_VEC3(mesh.vertices[0], ((CordVec3){-1, 65535, 16777216}), 0.0);
}

// Binary begins with the byte after the header's last line, whichever way lines end.
TEST(a_header_whose_lines_end_in_two_bytes_may_be_before_binary)
{
    MeshFile mesh = GOOD(
        "ply\r\nformat binary_little_endian 1.0\r\nelement vertex 3\r\nproperty uchar x\r\nproperty uchar "
        "y\r\n"
        "property uchar z\r\nelement face 1\r\nproperty list uchar uchar vertex_indices\r\nend_header\r\n"
        "\n\1\2\3\4\5\6\7\x8\3\0\1\2",
        3, 1);
    CHECK_VEC3(mesh.vertices[0], ((CordVec3){10, 1, 2}), 0.0);
}

// ---- what is wrong

TEST(what_is_wrong_in_the_header_is_told_by_line)
{
    BAD("ply\nformat ascii 1.0\n", "line 3, column 1: the file ends before end_header");
    BAD("ply\nformat text 1.0\n",
        "line 2, column 8: a format is ascii, binary_little_endian or binary_big_endian");
    BAD("ply\nelement vertex 1\nend_header\n", "line 3, column 11: there is no format before end_header");
    BAD("ply\nformat ascii 1.0\nelement vertex x\n",
        "line 3, column 16: expected how many of them there are");
    BAD("ply\nformat ascii 1.0\nelement vertex -1\n",
        "line 3, column 16: expected how many of them there are");
    BAD("ply\nformat ascii 1.0\nelement vertex 99999999\n",
        "line 3, column 16: there are more than 10000000 of them");
    BAD("ply\nformat ascii 1.0\nproperty int x\n", "line 3, column 9: a property stands after its element");
    BAD("ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\n",
        "line 4, column 10: expected a type: char, uchar, short, ushort, int, uint, float or double");
    BAD("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n",
        "line 5, column 11: there is no element vertex with the properties x, y and z");
    BAD("ply\nformat ascii 1.0\nelement vertex 1\n" XYZ "element face 1\nproperty int corner\nend_header\n",
        "line 9, column 11: faces need a property list vertex_indices");
    BAD("ply\nformat ascii 1.0\nelement vertex 1\n" XYZ "element edge 1\nproperty int vertex1\nend_header\n",
        "line 9, column 11: edges need the properties vertex1 and vertex2");
    BAD("ply\nformat ascii 1.0\nmesh\n",
        "line 3, column 1: expected format, element, property, comment or end_header");
}

#define CUT "the file ends before all that its header names; it may have been cut short"

TEST(what_is_wrong_behind_the_header_is_told_by_line)
{
    BAD(HEADER("ascii", "1") FOUR "3 0 1 4\n",
        "line 15, column 7: there is no vertex 4; the file has 4, counted from 0");
    BAD(HEADER("ascii", "1") FOUR "3 0 1 -1\n",
        "line 15, column 7: there is no vertex -1; the file has 4, counted from 0");
    BAD(HEADER("ascii", "1") FOUR "2 0 1\n", "line 15, column 1: a face needs at least three vertices");
    BAD(HEADER("ascii", "1") FOUR "3 0 1\n", "line 16, column 1: " CUT);
    BAD(HEADER("ascii", "1") FOUR "9999 0 1\n", "line 15, column 1: a list begins with how many values it "
                                                "has, and the file does not have so many more");
    BAD(HEADER("ascii", "1") "0 nan 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n",
        "line 11, column 3: expected a number, and one that is finite");
    BAD(HEADER("ascii", "1") "0 2e9 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n",
        "line 11, column 3: a position is in metres and must be at most 1e9");
    BAD(HEADER("ascii", "0") FOUR, NO_TRIANGLES);
}

TEST(a_binary_file_may_end_anywhere)
{
    MeshFile mesh;
    size_t whole = sizeof LITTLE_SQUARE - 1;
    for (size_t size = 4; size < whole; size++) {
        CHECK(mesh_parse(LITTLE_SQUARE, size, 1.0, &mesh) != NULL);
    }
    CHECK(mesh_parse(LITTLE_SQUARE, whole, 1.0, &mesh) == NULL);
    CHECK_CONTAINS(mesh_parse(LITTLE_SQUARE, whole - 1, 1.0, &mesh), "byte ");
    CHECK_CONTAINS(mesh_parse(LITTLE_SQUARE, whole - 1, 1.0, &mesh), CUT);
}

// A header may name more than there is memory for; the file shows that it is not there before any is taken.
TEST(numbers_in_a_header_cost_nothing)
{
    BAD("ply\nformat binary_little_endian 1.0\nelement vertex 10000000\n" XYZ
        "element face 10000000\nproperty list uchar int vertex_indices\nend_header\n",
        "byte 183: " CUT);
    BAD("ply\nformat ascii 1.0\nelement thing 2000000000\nelement vertex 0\n" XYZ "end_header\n",
        NO_TRIANGLES);
}

TEST(files_spoilt_at_any_byte_do_no_harm)
{
    static const char good[] = LITTLE_SQUARE;
    static const char text[] = HEADER("ascii", "2") FOUR "4 0 1 2 3\n3 0 1 3\n";
    const struct {
        const char* bytes;
        size_t size;
    } files[] = {{good, sizeof good - 1}, {text, sizeof text - 1}};
    for (size_t f = 0; f < 2; f++) {
        for (size_t i = 0; i < files[f].size; i++) {
            for (int value = 0; value < 256; value += 5) {
                char copy[400];
                memcpy(copy, files[f].bytes, files[f].size);
                copy[i] = (char)value;
                mesh_check_any(copy, files[f].size);
            }
        }
    }
}

TEST_GROUP(mesh_ply)
