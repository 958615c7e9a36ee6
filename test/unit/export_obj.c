// Tubes, bodies and obstacles must be closed surfaces that face outwards, whatever the rod does.
#include "export_text.h"

#include "export/mesh.h"

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
            int a = surface.faces[f][c], b = surface.faces[f][(c + 1) % surface.corners[f]], back = 0,
                again = 0;
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
    CHECK(surface.object_faces[2] >= (9 + 12 + 2 * (sides / 4)) * sides); // walls, and rows of the round ends
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
            // the ends
            expected += frame.rods[r].closed || j > 0 ? 0.0 : 4.0 / 3.0 * pi * radius * radius * radius;
        }
        // The curve through the ring's 12 corners is longer than the polygon by 1 part in 87, and balls have
        // few sides.
        CHECK_NEAR(volume(first, end) / expected, 1.0, 0.03);
    }
    for (int b = 2; b < 4; b++) {
        check_closed(surface.object_faces[b], surface.object_faces[b + 1]);
    }
    // nine digits
    CHECK_NEAR(volume(surface.object_faces[3], surface.object_faces[4]), 0.1 * 0.2 * 0.3, 1e-8);
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

// The last is a tetrahedron, of which one vertex is not used. A polygon of n sides has 1 - 2 pi^2 / (3 n^2)
// of the circle's area; a ball and a ring lose as much once more, and a ball a little for its few rings.
TEST(solids_are_closed_face_outwards_and_have_their_volume)
{
    const double pi = 3.14159265358979323846;
    const CordVec3 corners[] = {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int triangles[] = {1, 3, 2, 1, 2, 4, 1, 4, 3, 2, 3, 4};
    const struct {
        CordSolid solid;
        double volume;
        bool flat;
    } solids[] = {
        {{CORD_SOLID_SPHERE, {0.5, 0, 0}, {0}}, pi / 6.0, false},
        {{CORD_SOLID_BOX, {1, 2, 3}, {0}}, 6.0, true},
        {{CORD_SOLID_CYLINDER, {0.5, 0, 2}, {0}}, 0.5 * pi, false},
        {{CORD_SOLID_CAPSULE, {0.5, 0, 2}, {0}}, pi / 6.0 + 0.5 * pi, false},
        {{CORD_SOLID_TORUS, {2, 0.5, 0}, {0}}, 2 * pi * pi * 2 * 0.25, false},
        {{CORD_SOLID_TUBE, {2, 1.5, 3}, {0}}, 3 * pi * (4 - 2.25), false},
        {{CORD_SOLID_MESH, {0, 0, 0}, {corners, 5, triangles, 4}}, 1.0 / 6.0, true},
        {{CORD_SOLID_CONE, {0.5, 0, 2}, {0}}, pi / 6.0, false},
    };
    const int sides[] = {3, 5, 12, 40};
    const int count = (int)(sizeof solids / sizeof *solids);
    CHECK_INT(count, CORD_SOLID_COUNT - 1); // all but the plane
    for (int k = 0; k < 4 * count; k++) {
        int n = sides[k / count];
        CordFrameObstacle obstacle = {.solid = solids[k % count].solid, .position = {3, -1, 2}};
        double exact = solids[k % count].volume;
        obstacle.rotation = cord_quat_about((CordVec3){1, 2, 3}, 2.0);
        Mesh mesh;
        CHECK(mesh_of_solid(&mesh, &obstacle, obstacle.position, obstacle.position, n));
        surface_from_mesh(&mesh);
        check_closed(0, mesh.face_count);
        double missing = solids[k % count].flat ? 0.0 : fmin(1.0, 25.0 / (n * n));
        CHECK(volume(0, mesh.face_count) < exact * (1.0 + 1e-12));
        CHECK(volume(0, mesh.face_count) > exact * (1.0 - missing - 1e-12));
        CHECK(obstacle.solid.shape != CORD_SOLID_MESH || (mesh.point_count == 4 && mesh.vertex_count == 12));
        mesh_free(&mesh);
    }
    CordFrameBody joint = {.name = "joint", .solid.shape = CORD_SOLID_SPHERE};
    CordFrameObstacle solid = solid_from_body(&joint);
    Mesh mesh;
    CHECK(mesh_of_solid(&mesh, &solid, joint.position, joint.position, 12) && mesh.face_count == 0);
    mesh_free(&mesh);
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

TEST_GROUP(export_obj, tubes_follow_the_skin_of_their_own_frame,
           tubes_are_closed_face_outwards_and_have_their_volume,
           solids_are_closed_face_outwards_and_have_their_volume,
           a_frame_has_its_obstacles_and_of_a_plane_a_square,
           textures_run_once_around_and_along_without_a_jump, impossible_sides_are_refused)
