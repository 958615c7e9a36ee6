// Tubes, bodies and obstacles must be closed surfaces that face outwards, whatever the rod does.
#include "export_text.h"

enum { MOST = 20000 };

typedef struct Surface {
    CordVec3 v[MOST], vn[MOST];
    double vt[MOST][2];
    MeshFace faces[MOST];                    // of points
    int textures[MOST][4], normals[MOST][4]; // from 0
    int v_count, vn_count, vt_count, face_count;
    int object_faces[8]; // the first face of each object
    int object_count;
} Surface;

static Surface surface;

static void parse(char* text)
{
    memset(&surface, 0, sizeof surface);
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
                int c = surface.faces[f].count++;
                CHECK(c < 4 && v > 0 && v <= surface.v_count);
                surface.faces[f].vertex[c] = v - 1;
                surface.textures[f][c] = t - 1;
                surface.normals[f][c] = n - 1;
                at += used;
            }
        }
        CHECK(surface.v_count < MOST && surface.vt_count < MOST && surface.face_count < MOST);
    }
    surface.object_faces[surface.object_count] = surface.face_count;
}

static void export_sides(const CordFrames* frames, int sides)
{
    CordExportDef def = export_def("obj", "frame.obj");
    def.first = 2;
    def.sides = sides;
    parse(export_text(frames, &def));
}

static double volume(int object)
{
    int first = surface.object_faces[object], end = surface.object_faces[object + 1];
    return export_volume(surface.faces + first, end - first, surface.v);
}

TEST(tubes_are_closed_face_outwards_and_have_their_volume)
{
    CordFrames frames = export_frames();
    CordFrame frame = frame_at(&frames, 2);
    int sides = 16;
    export_sides(&frames, sides);
    CHECK_INT(surface.object_count, 6); // two rods, two bodies, two obstacles
    CHECK(surface.object_faces[2] >= (9 + 12 + 2 * (sides / 4)) * sides); // walls, and rows of the round ends
    for (int r = 0; r < 2; r++) {
        double expected = 0.0, pi = 3.14159265358979323846;
        for (int j = 0; j < frame.rods[r].edge_count; j++) {
            int a = frame.rods[r].first_node + j;
            int b = frame.rods[r].first_node + (j + 1) % frame.rods[r].node_count;
            double radius = frame.radius[frame.rods[r].first_edge + j];
            CordVec3 e = cord_vec3_sub(frame.x[b], frame.x[a]);
            expected += sqrt(cord_vec3_dot(e, e)) * radius * radius * 0.5 * sides * sin(2.0 * pi / sides);
            // the ends
            expected += frame.rods[r].closed || j > 0 ? 0.0 : 4.0 / 3.0 * pi * radius * radius * radius;
        }
        // The curve through the ring's 12 corners is longer than the polygon by 1 part in 87, and balls have
        // few sides.
        CHECK_NEAR(volume(r) / expected, 1.0, 0.03);
    }
    CHECK(volume(2) > 0.0);
    CHECK_NEAR(volume(3), 0.1 * 0.2 * 0.3, 1e-8); // nine digits
    for (int i = 0; i < surface.vn_count; i++) {
        CHECK_NEAR(cord_vec3_dot(surface.vn[i], surface.vn[i]), 1.0, 1e-7); // nine digits each
    }
}

TEST(textures_run_once_around_and_along_without_a_jump)
{
    CordFrames frames = export_frames();
    export_sides(&frames, 5);
    for (int f = 0; f < surface.object_faces[2]; f++) { // of the rods
        double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
        for (int c = 0; c < surface.faces[f].count; c++) {
            int t = surface.textures[f][c];
            CHECK(t >= 0 && t < surface.vt_count && surface.normals[f][c] >= 0 &&
                  surface.normals[f][c] < surface.vn_count);
            for (int k = 0; k < 2; k++) {
                low[k] = fmin(low[k], surface.vt[t][k]);
                high[k] = fmax(high[k], surface.vt[t][k]);
            }
        }
        if (surface.faces[f].count == 4) {
            CHECK_NEAR(high[0] - low[0], 0.2, 1e-8);           // a fifth of the way around, at the seam too
            CHECK(high[1] > low[1] && high[1] - low[1] < 4.0); // one edge, in circumferences
        }
    }
}

static CordVec3 face_normal(const MeshFace* face, const CordVec3* x) // not of length 1
{
    const int* p = face->vertex;
    return cord_vec3_cross(cord_vec3_sub(x[p[1]], x[p[0]]), cord_vec3_sub(x[p[2]], x[p[0]]));
}

// Each vertex has the normal of the faces around it.
static double mesh_volume(const Mesh* mesh)
{
    for (int f = 0; f < mesh->face_count; f++) {
        const MeshFace* face = &mesh->faces[f];
        CHECK(cord_vec3_dot(face_normal(face, mesh->x), mesh->normal[face->vertex[0]]) > 0);
        surface.faces[f].count = face->count;
        for (int c = 0; c < face->count; c++) {
            surface.faces[f].vertex[c] = mesh->point[face->vertex[c]];
            surface.v[mesh->point[face->vertex[c]]] = mesh->x[face->vertex[c]];
        }
    }
    return export_volume(surface.faces, mesh->face_count, surface.v);
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
        double missing = solids[k % count].flat ? 0.0 : fmin(1.0, 25.0 / (n * n)), found = mesh_volume(&mesh);
        CHECK(found < exact * (1.0 + 1e-12) && found > exact * (1.0 - missing - 1e-12));
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
    CordFrames frames = export_touch_frames();
    export_sides(&frames, 8);
    CHECK_INT(surface.object_count, 5); // two rods, a ball, the ground, a ring
    int plane = surface.object_faces[3];
    CHECK_INT(surface.object_faces[4] - plane, 1);
    CHECK_INT(surface.faces[plane].count, 4);
    const int* p = surface.faces[plane].vertex;
    CordVec3 n = face_normal(&surface.faces[plane], surface.v);
    CHECK(n.x == 0 && n.y == 0 && n.z > 4 * 4); // it faces up, and is wider than all that stands on it
    for (int c = 0; c < 4; c++) {
        CHECK(surface.v[p[c]].z == 0 && fabs(surface.v[p[c]].x - 0.5) > 1 && fabs(surface.v[p[c]].y) > 1.2);
    }
    CHECK(volume(4) > 0.0);
}

TEST(impossible_sides_are_refused)
{
    CordFrames frames = export_frames();
    CordExportDef def = export_def("obj", "sides.obj");
    def.sides = 2;
    export_check_refused(&frames, &def, "a tube of 2 sides cannot be made; give 3 to 1000");
    def.sides = 1001;
    export_check_refused(&frames, &def, "1001 sides");
}

TEST(tubes_follow_the_skin_of_their_own_frame)
{
    CordFrames frames = export_change_frames();
    CordExportDef def = export_def("obj", "change.obj");
    double low = INFINITY, high = -INFINITY;
    def.sides = 4;
    def.first = 1;
    parse(export_text(&frames, &def));
    for (int i = 0; i < surface.v_count; i++) {
        if (surface.v[i].z < 2.5) { // the rope, not the bar
            low = fmin(low, surface.v[i].z);
            high = fmax(high, surface.v[i].z);
        }
    }
    CHECK_NEAR(0.5 * (low + high), 0.25, 1e-12); // where the skin is; rounding
    CHECK(surface.v_count >= 4 * (export_change_nodes[1] + CHANGE_OTHER));
}

TEST_GROUP(export_obj)
