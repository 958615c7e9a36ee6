// Tubes, bodies and obstacles must be closed surfaces that face outwards, whatever the rod does.
#include "export_text.h"

#include "export/mesh.h"
#include "export/tube.h"

enum { MOST = 20000 };

typedef struct Surface {
    CordVec3 v[MOST], vn[MOST];
    double vt[MOST][2];
    int faces[MOST][4], textures[MOST][4], normals[MOST][4]; // from 0
    int corners[MOST];
    int v_count, vn_count, vt_count, face_count;
    int object_faces[8]; // the first face of each object
    int object_count;
} Surface;

static Surface surface;

static void parse(const char* path)
{
    memset(&surface, 0, sizeof surface);
    char* text = export_load(path);
    for (char* line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        CordVec3 a;
        if (sscanf(line, "v %lf %lf %lf", &a.x, &a.y, &a.z) == 3) {
            surface.v[surface.v_count++] = a;
        } else if (sscanf(line, "vn %lf %lf %lf", &a.x, &a.y, &a.z) == 3) {
            surface.vn[surface.vn_count++] = a;
        } else if (sscanf(line, "vt %lf %lf", &a.x, &a.y) == 2) {
            surface.vt[surface.vt_count][0] = a.x;
            surface.vt[surface.vt_count++][1] = a.y;
        } else if (line[0] == 'o') {
            surface.object_faces[surface.object_count++] = surface.face_count;
        } else if (line[0] == 'f') {
            int f = surface.face_count++, used;
            char* at = line + 1;
            int v, t = 0, n;
            while (sscanf(at, " %d/%d/%d%n", &v, &t, &n, &used) == 3 ||
                   sscanf(at, " %d//%d%n", &v, &n, &used) == 2) {
                int c = surface.corners[f]++;
                CHECK(c < 4);
                surface.faces[f][c] = v - 1;
                surface.textures[f][c] = t - 1;
                surface.normals[f][c] = n - 1;
                at += used;
            }
        }
        CHECK(surface.v_count < MOST && surface.vt_count < MOST && surface.face_count < MOST);
    }
    surface.object_faces[surface.object_count] = surface.face_count;
    free(text);
}

static void export_frame(const char* path, const CordFrames* frames, int sides)
{
    CordExportDef def = export_def("obj", path);
    CordMessage message = {""};
    def.first = 2;
    def.sides = sides;
    CHECK_OK(cord_export(frames, &def, &message));
    parse(path);
}

static CordVec3 sub(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static CordVec3 cross(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(CordVec3 a, CordVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Each edge of a closed, oriented surface is walked once in each direction.
static void check_closed(int first, int end)
{
    for (int f = first; f < end; f++) {
        for (int c = 0; c < surface.corners[f]; c++) {
            int a = surface.faces[f][c], b = surface.faces[f][(c + 1) % surface.corners[f]], back = 0, again = 0;
            CHECK(a >= 0 && a < surface.v_count && a != b);
            for (int g = first; g < end; g++) {
                for (int d = 0; d < surface.corners[g]; d++) {
                    int p = surface.faces[g][d], q = surface.faces[g][(d + 1) % surface.corners[g]];
                    back += p == b && q == a;
                    again += p == a && q == b;
                }
            }
            CHECK(back == 1 && again == 1);
        }
    }
}

static double volume(int first, int end) // of tetrahedra to the origin
{
    double sum = 0.0;
    for (int f = first; f < end; f++) {
        for (int c = 1; c + 1 < surface.corners[f]; c++) {
            const int* p = surface.faces[f];
            sum += dot(surface.v[p[0]], cross(surface.v[p[c]], surface.v[p[c + 1]])) / 6.0;
        }
    }
    return sum;
}

TEST(tubes_are_closed_face_outwards_and_have_their_volume)
{
    CordRecording* recording = export_recording();
    CordFrames frames = cord_recording_frames(recording);
    CordMessage message = {""};
    CordFrame frame;
    CHECK_OK(frames.read(frames.user, 2, &frame, &message));
    int sides = 16;
    export_frame(record_path("tube.obj"), &frames, sides);
    CHECK_INT(surface.object_count, 6); // two rods, two bodies, two obstacles
    CHECK_INT(surface.object_faces[2], 9 * sides + 12 * sides + 2 * sides);
    for (int r = 0; r < 2; r++) {
        int first = surface.object_faces[r], end = surface.object_faces[r + 1];
        check_closed(first, end);
        double expected = 0.0, pi = 3.14159265358979323846;
        for (int j = 0; j < frame.rods[r].edge_count; j++) {
            int a = frame.rods[r].first_node + j;
            int b = frame.rods[r].first_node + (j + 1) % frame.rods[r].node_count;
            double radius = frame.radius[frame.rods[r].first_edge + j];
            CordVec3 e = sub(frame.x[b], frame.x[a]);
            expected += sqrt(dot(e, e)) * radius * radius * 0.5 * sides * sin(2.0 * pi / sides);
        }
        // Rings stand across the bends, which takes cos(half the bend) from the section: the ring's 12 corners turn by
        // 30 degrees and cos 15 degrees is 0.966. Turning frames twist the quads, which takes a little more.
        CHECK_NEAR(volume(first, end) / expected, 1.0, 0.06);
    }
    for (int b = 2; b < 4; b++) {
        check_closed(surface.object_faces[b], surface.object_faces[b + 1]);
    }
    CHECK_NEAR(volume(surface.object_faces[3], surface.object_faces[4]), 0.1 * 0.2 * 0.3, 1e-8); // nine digits
    for (int i = 0; i < surface.vn_count; i++) {
        CHECK_NEAR(dot(surface.vn[i], surface.vn[i]), 1.0, 1e-7); // nine digits each
    }
    cord_recording_close(recording);
}

TEST(textures_run_once_around_and_along_without_a_jump)
{
    CordRecording* recording = export_recording();
    CordFrames frames = cord_recording_frames(recording);
    export_frame(record_path("texture.obj"), &frames, 5);
    for (int f = 0; f < surface.object_faces[2]; f++) { // of the rods
        double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
        for (int c = 0; c < surface.corners[f]; c++) {
            int t = surface.textures[f][c];
            CHECK(t >= 0 && t < surface.vt_count && surface.normals[f][c] >= 0 &&
                  surface.normals[f][c] < surface.vn_count);
            for (int k = 0; k < 2; k++) {
                low[k] = fmin(low[k], surface.vt[t][k]);
                high[k] = fmax(high[k], surface.vt[t][k]);
            }
        }
        if (surface.corners[f] == 4) {
            CHECK_NEAR(high[0] - low[0], 0.2, 1e-8);           // a fifth of the way around, at the seam too
            CHECK(high[1] > low[1] && high[1] - low[1] < 4.0); // one edge, in circumferences
        }
    }
    cord_recording_close(recording);
}

// Each vertex has the normal of the faces around it.
static void surface_from_mesh(const Mesh* mesh)
{
    surface.face_count = mesh->face_count;
    surface.v_count = mesh->point_count;
    for (int f = 0; f < mesh->face_count; f++) {
        surface.corners[f] = mesh->faces[f].count;
        for (int c = 0; c < mesh->faces[f].count; c++) {
            int vertex = mesh->faces[f].vertex[c];
            surface.faces[f][c] = mesh->point[vertex];
            surface.v[mesh->point[vertex]] = mesh->x[vertex];
        }
        const int* p = surface.faces[f];
        CordVec3 n = cross(sub(surface.v[p[1]], surface.v[p[0]]), sub(surface.v[p[2]], surface.v[p[0]]));
        CHECK(dot(n, mesh->normal[mesh->faces[f].vertex[0]]) > 0);
    }
}

TEST(bodies_are_closed_face_outwards_and_have_their_volume)
{
    const double pi = 3.14159265358979323846;
    const CordFrameBody bodies[] = {
        {.name = "ball", .shape = CORD_BODY_SPHERE, .size = {0.5, 0, 0}},
        {.name = "brick", .shape = CORD_BODY_BOX, .size = {1, 2, 3}},
        {.name = "drum", .shape = CORD_BODY_CYLINDER, .size = {0.5, 0, 2}},
        {.name = "pill", .shape = CORD_BODY_CAPSULE, .size = {0.5, 0, 2}},
    };
    const double ball = pi / 6.0, volumes[] = {ball, 6.0, 0.5 * pi, ball + 0.5 * pi};
    const int sides[] = {3, 5, 12, 64};
    for (int s = 0; s < 4; s++) {
        for (int b = 0; b < 4; b++) {
            CordFrameBody body = bodies[b];
            body.position = (CordVec3){3, -1, 2};
            body.rotation = cord_quat_about((CordVec3){1, 2, 3}, 2.0);
            Mesh mesh;
            CHECK(mesh_make(&mesh, &body, sides[s]));
            surface_from_mesh(&mesh);
            check_closed(0, mesh.face_count);
            // A polygon of n sides has 1 - 2 pi^2 / (3 n^2) of the circle's area; a ball loses as much once more, and a
            // little for its few rings.
            double missing = b == 1 ? 0.0 : fmin(1.0, 25.0 / (sides[s] * sides[s]));
            CHECK(volume(0, mesh.face_count) < volumes[b] * (1.0 + 1e-12));
            CHECK(volume(0, mesh.face_count) > volumes[b] * (1.0 - missing - 1e-12));
            mesh_free(&mesh);
        }
    }
    CordFrameBody joint = {.name = "joint"};
    Mesh mesh;
    CHECK(mesh_make(&mesh, &joint, 12) && mesh.face_count == 0);
    mesh_free(&mesh);
}

// The last is a tetrahedron, of which one vertex is not used.
TEST(obstacles_are_closed_face_outwards_and_have_their_volume)
{
    const double pi = 3.14159265358979323846;
    const CordVec3 corners[] = {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int triangles[] = {1, 3, 2, 1, 2, 4, 1, 4, 3, 2, 3, 4};
    const CordFrameObstacle obstacles[] = {
        {.name = "ring", .shape = CORD_OBSTACLE_TORUS, .size = {2, 0.5, 0}},
        {.name = "pipe", .shape = CORD_OBSTACLE_TUBE, .size = {2, 1.5, 3}},
        {.name = "drum", .shape = CORD_OBSTACLE_CYLINDER, .size = {0.5, 0, 2}},
        {.name = "hull",
         .shape = CORD_OBSTACLE_MESH,
         .vertices = corners,
         .triangles = triangles,
         .vertex_count = 5,
         .triangle_count = 4},
    };
    const double volumes[] = {2 * pi * pi * 2 * 0.25, 3 * pi * (4 - 2.25), 0.5 * pi, 1.0 / 6.0};
    const int sides[] = {3, 5, 12, 40};
    for (int s = 0; s < 4; s++) {
        for (int k = 0; k < 4; k++) {
            CordFrameObstacle obstacle = obstacles[k];
            obstacle.position = (CordVec3){3, -1, 2};
            obstacle.rotation = cord_quat_about((CordVec3){1, 2, 3}, 2.0);
            Mesh mesh;
            CHECK(mesh_make_obstacle(&mesh, &obstacle, obstacle.position, obstacle.position, sides[s]));
            surface_from_mesh(&mesh);
            check_closed(0, mesh.face_count);
            double missing = k == 3 ? 0.0 : fmin(1.0, 25.0 / (sides[s] * sides[s])); // as of bodies
            CHECK(volume(0, mesh.face_count) < volumes[k] * (1.0 + 1e-12));
            CHECK(volume(0, mesh.face_count) > volumes[k] * (1.0 - missing - 1e-12));
            CHECK(k != 3 || (mesh.point_count == 4 && mesh.vertex_count == 12));
            mesh_free(&mesh);
        }
    }
}

TEST(a_frame_has_its_obstacles_and_of_a_plane_a_square)
{
    ExportTouch touch = export_touch();
    CordFrames frames = export_touch_frames(&touch);
    export_frame(record_path("touch.obj"), &frames, 8);
    CHECK_INT(surface.object_count, 5); // two rods, a ball, the ground, a ring
    int plane = surface.object_faces[3];
    CHECK_INT(surface.object_faces[4] - plane, 1);
    CHECK_INT(surface.corners[plane], 4);
    const int* p = surface.faces[plane];
    CordVec3 n = cross(sub(surface.v[p[1]], surface.v[p[0]]), sub(surface.v[p[2]], surface.v[p[0]]));
    CHECK(n.x == 0 && n.y == 0 && n.z > 4 * 4); // it faces up, and is wider than all that stands on it
    for (int c = 0; c < 4; c++) {
        CHECK(surface.v[p[c]].z == 0 && fabs(surface.v[p[c]].x - 0.5) > 1 && fabs(surface.v[p[c]].y) > 1.2);
    }
    check_closed(surface.object_faces[4], surface.face_count);
}

// A straight rod turned by a known angle: the first point of each ring is where m1 points.
TEST(rings_turn_with_the_material_frame)
{
    enum { N = 6 };
    CordVec3 x[N], m1[N - 1];
    double radius[N - 1];
    double turn = 0.3;
    for (int i = 0; i < N; i++) {
        x[i] = (CordVec3){0.1 * i, 0, 0};
    }
    for (int j = 0; j < N - 1; j++) {
        m1[j] = (CordVec3){0, cos(turn * j), sin(turn * j)};
        radius[j] = 0.01;
    }
    CordFrameRod rod = {"bar", 0, N, 0, N - 1, false, false};
    CordFrame frame = {
        .rod_count = 1, .node_count = N, .edge_count = N - 1, .rods = &rod, .x = x, .m1 = m1, .radius = radius};
    Tube tube;
    CHECK(tube_make(&tube, &frame, 0, 4));
    for (int i = 0; i < N; i++) {
        double angle = turn * (i == 0 ? 0 : i == N - 1 ? N - 2 : i - 0.5); // half way between the edges
        CHECK_VEC3(tube.normal[4 * i], ((CordVec3){0, cos(angle), sin(angle)}), 1e-14);
        CHECK_VEC3(tube.x[4 * i + 1], ((CordVec3){0.1 * i, -0.01 * sin(angle), 0.01 * cos(angle)}), 1e-15);
    }
    CHECK_NEAR(tube.along[N - 1], 0.5 / (2.0 * 3.14159265358979323846 * 0.01), 1e-12);
    tube_free(&tube);
}

// Folded back on itself, without length, turned by half a turn: nothing that is not a number comes out.
TEST(degenerate_rods_give_finite_tubes)
{
    CordVec3 x[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 1, 0}};
    CordVec3 m1[] = {{0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    double radius[] = {0.1, 0, 0.1, 0.1};
    CordFrameRod rod = {"odd", 0, 5, 0, 4, false, false};
    CordFrame frame = {
        .rod_count = 1, .node_count = 5, .edge_count = 4, .rods = &rod, .x = x, .m1 = m1, .radius = radius};
    Tube tube;
    CHECK(tube_make(&tube, &frame, 0, 7));
    for (int i = 0; i < 5 * 7; i++) {
        CHECK(isfinite(tube.x[i].x) && isfinite(tube.x[i].y) && isfinite(tube.x[i].z));
        CHECK_NEAR(dot(tube.normal[i], tube.normal[i]), 1.0, 1e-12);
    }
    tube_free(&tube);
}

TEST(impossible_sides_are_refused)
{
    CordRecording* recording = export_recording();
    CordFrames frames = cord_recording_frames(recording);
    CordExportDef def = export_def("obj", record_path("sides.obj"));
    def.sides = 2;
    export_check_refused(&frames, &def, "a tube of 2 sides cannot be made; give 3 to 1000");
    def.sides = 1001;
    export_check_refused(&frames, &def, "1001 sides");
    cord_recording_close(recording);
}

TEST(tubes_follow_the_skin_of_their_own_frame)
{
    ExportChange change;
    CordFrames frames = export_change_frames(&change);
    CordExportDef def = export_def("obj", record_path("change.obj"));
    CordMessage message = {""};
    def.sides = 4;
    def.first = 1;
    CHECK_OK(cord_export(&frames, &def, &message));
    char* text = export_load(def.path);
    double low = INFINITY, high = -INFINITY, x, y, z;
    int count = 0;
    for (const char* at = strstr(text, "\nv "); at; at = strstr(at + 1, "\nv ")) {
        CHECK_INT(sscanf(at, " v %lf %lf %lf", &x, &y, &z), 3);
        if (z < 2.5) { // the rope, not the bar
            low = fmin(low, z);
            high = fmax(high, z);
        }
        count++;
    }
    CHECK_NEAR(0.5 * (low + high), 0.25, 1e-12); // where the skin is; rounding
    CHECK(count >= 4 * (export_change_nodes[1] + CHANGE_OTHER));
    free(text);
}

TEST_MAIN(tubes_follow_the_skin_of_their_own_frame, tubes_are_closed_face_outwards_and_have_their_volume,
          bodies_are_closed_face_outwards_and_have_their_volume,
          obstacles_are_closed_face_outwards_and_have_their_volume,
          a_frame_has_its_obstacles_and_of_a_plane_a_square, textures_run_once_around_and_along_without_a_jump,
          rings_turn_with_the_material_frame, degenerate_rods_give_finite_tubes, impossible_sides_are_refused)
