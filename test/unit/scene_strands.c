// Strands: nearest points on meshes, roots, styles, and what an entry with strands makes of a scene.
#include "heap.h"
#include "scene_text.h"

#include "scene/groom.h"
#include "scene/scene.h"

// ---- meshes

static const CordVec3 square_vertices[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const int square_triangles[] = {0, 1, 2, 0, 2, 3};

typedef struct Ball { // an octahedron, each face cut into SIDE^2, pushed out to a sphere
    CordVec3 vertices[8 * 8 * 8 * 3];
    int triangles[8 * 8 * 8 * 3];
    MeshFile mesh;
} Ball;

#define SIDE 8

static void add_triangle(Ball* ball, const CordVec3 corners[3], const int at[3][2])
{
    for (int k = 0; k < 3; k++) {
        double b = (double)at[k][0] / SIDE, c = (double)at[k][1] / SIDE;
        CordVec3 p = {0, 0, 0};
        p = cord_vec3_madd(cord_vec3_madd(cord_vec3_madd(p, corners[0], 1.0 - b - c), corners[1], b),
                           corners[2], c);
        int i = ball->mesh.vertex_count++;
        ball->vertices[i] = unit_or(p, p);
        ball->triangles[3 * ball->mesh.triangle_count + k] = i;
    }
    ball->mesh.triangle_count++;
}

static const MeshFile* make_ball(Ball* ball)
{
    *ball = (Ball){.mesh = {0}};
    for (int face = 0; face < 8; face++) {
        double x = face & 1 ? -1 : 1, y = face & 2 ? -1 : 1, z = face & 4 ? -1 : 1;
        bool turned = x * y * z < 0.0;
        CordVec3 corners[3] = {
            {x, 0, 0}, {0, turned ? 0 : y, turned ? z : 0}, {0, turned ? y : 0, turned ? 0 : z}};
        for (int b = 0; b < SIDE; b++) {
            for (int c = 0; c < SIDE - b; c++) {
                add_triangle(ball, corners, (const int[3][2]){{b, c}, {b + 1, c}, {b, c + 1}});
                if (c < SIDE - b - 1) {
                    add_triangle(ball, corners, (const int[3][2]){{b + 1, c}, {b + 1, c + 1}, {b, c + 1}});
                }
            }
        }
    }
    ball->mesh.vertices = ball->vertices, ball->mesh.triangles = ball->triangles;
    return &ball->mesh;
}

static uint32_t random_state;

static double random_number(void) // -1 to 1
{
    random_state = random_state * 1664525u + 1013904223u;
    return (double)random_state / 2147483648.0 - 1.0;
}

static double distance_to_edge(CordVec3 p, CordVec3 a, CordVec3 b)
{
    CordVec3 e = cord_vec3_sub(b, a);
    double s = fmin(fmax(cord_vec3_dot(cord_vec3_sub(p, a), e) / cord_vec3_dot(e, e), 0.0), 1.0);
    return cord_vec3_length(cord_vec3_sub(p, cord_vec3_madd(a, e, s)));
}

// Another way than that of the source: the plane's distance, if p is on the inner side of all three edges.
static double distance_to_triangle(const MeshFile* mesh, int i, CordVec3 p)
{
    CordVec3 v[3];
    double best = INFINITY;
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        v[k] = mesh->vertices[mesh->triangles[3 * i + k]];
    }
    CordVec3 n = cord_vec3_cross(cord_vec3_sub(v[1], v[0]), cord_vec3_sub(v[2], v[0]));
    n = unit_or(n, n);
    for (int k = 0; k < 3; k++) {
        CordVec3 a = v[k], b = v[(k + 1) % 3];
        inside = inside && cord_vec3_dot(cord_vec3_cross(n, cord_vec3_sub(b, a)), cord_vec3_sub(p, a)) >= 0.0;
        best = fmin(best, distance_to_edge(p, a, b));
    }
    return inside ? fabs(cord_vec3_dot(cord_vec3_sub(p, v[0]), n)) : best;
}

TEST(the_nearest_point_of_a_mesh_is_found)
{
    static Ball ball;
    const MeshFile* mesh = make_ball(&ball);
    const double reach = 0.3;
    Pool pool;
    MeshGrid cells;
    int found = 0;
    pool_init(&pool, (CordAllocator){0});
    CHECK(mesh_grid_make(&pool, mesh, reach, &cells));
    for (int i = 0; i < 2000; i++) {
        CordVec3 p = {1.6 * random_number(), 1.6 * random_number(), 1.6 * random_number()};
        double least = INFINITY;
        MeshPoint near;
        for (int k = 0; k < mesh->triangle_count; k++) {
            least = fmin(least, distance_to_triangle(mesh, k, p));
        }
        bool there = mesh_grid_nearest(&cells, p, &near);
        CHECK(there == (least <= reach));
        if (there) {
            found++;
            // a few roundings of numbers near 1
            CHECK_NEAR(cord_vec3_length(cord_vec3_sub(p, near.point)), least, 1e-14);
            // triangles 0.27 wide at the most, flat: cos 0.16 squared
            CHECK(cord_vec3_dot(near.normal, near.point) > 0.96);
        }
    }
    CHECK(found > 200);
    pool_free(&pool);
}

TEST(triangles_as_long_as_the_mesh_do_not_fill_every_cell)
{
    enum { COUNT = 2000 };
    static CordVec3 vertices[3 * COUNT];
    static int triangles[3 * COUNT];
    for (int i = 0; i < 3 * COUNT; i++) {
        vertices[i] =
            (CordVec3){i % 3 == 0 ? -1.0 : 1.0, i % 3 == 1 ? -1.0 : 1.0, (i % 3 - 1.0) * (1.0 + 1e-6 * i)};
        triangles[i] = i;
    }
    MeshFile mesh = {
        .vertices = vertices, .vertex_count = 3 * COUNT, .triangles = triangles, .triangle_count = COUNT};
    Heap heap = {0};
    Pool pool;
    MeshGrid cells;
    MeshPoint near;
    pool_init(&pool, (CordAllocator){heap_alloc, heap_free, &heap});
    CHECK(mesh_grid_make(&pool, &mesh, 0.1, &cells));
    CHECK(heap.held < 1000 * COUNT); // at most 32 cells of 4 bytes for each, and the vertices' normals
    CHECK(mesh_grid_nearest(&cells, vertices[7], &near));
    CHECK_VEC3(near.point, vertices[7], 1e-15);
    pool_free(&pool);
}

// ---- strands

enum { ELEMENTS = 24, STRANDS = 400 };

typedef struct Grown {
    CordVec3 x[STRANDS][ELEMENTS + 1];
} Grown;

static MeshFile square(void)
{
    return (MeshFile){.vertices = (CordVec3*)square_vertices,
                      .vertex_count = 4,
                      .triangles = (int*)square_triangles,
                      .triangle_count = 2};
}

static GroomDef plain(const MeshFile* mesh)
{
    return (GroomDef){.mesh = mesh,
                      .count = STRANDS,
                      .elements = ELEMENTS,
                      .length = {0.2, 0.3},
                      .lift = 0.001,
                      .style = {.bend = 0.05, .clearance = {0.002, 0.002}}};
}

// Grows strands until one cannot be grown, or until there are all. Returns how it went with the last.
static GroomEnd grow_some(const GroomDef* def, Grown* grown)
{
    Pool pool;
    Groom groom;
    GroomEnd end = GROOM_GROWN;
    pool_init(&pool, (CordAllocator){0});
    CHECK(groom_make(&pool, def, &groom));
    for (int i = 0; i < def->count && end == GROOM_GROWN; i++) {
        end = groom_grow(&groom, grown->x[i]);
    }
    pool_free(&pool);
    return end;
}

static void grow(const GroomDef* def, Grown* grown)
{
    CHECK_INT(grow_some(def, grown), GROOM_GROWN);
}

static double length_of(const CordVec3* x)
{
    double sum = 0.0;
    for (int i = 0; i < ELEMENTS; i++) {
        sum += cord_vec3_length(cord_vec3_sub(x[i + 1], x[i]));
    }
    return sum;
}

TEST(strands_without_a_style_stand_off_the_mesh)
{
    static Grown grown;
    MeshFile mesh = square();
    GroomDef def = plain(&mesh);
    int quarter[4] = {0};
    double least = INFINITY, most = 0.0;
    grow(&def, &grown);
    for (int i = 0; i < STRANDS; i++) {
        const CordVec3* x = grown.x[i];
        double length = length_of(x);
        CHECK(0.0 <= x[0].x && x[0].x <= 1.0 && 0.0 <= x[0].y && x[0].y <= 1.0);
        CHECK_NEAR(x[0].z, 0.001, 1e-15);
        // of some hundred roundings
        CHECK_VEC3(x[ELEMENTS], ((CordVec3){x[0].x, x[0].y, 0.001 + length}), 1e-14);
        CHECK(length > 0.2 - 1e-14 && length < 0.3 + 1e-14);
        least = fmin(least, length), most = fmax(most, length);
        quarter[(x[0].x > 0.5) + 2 * (x[0].y > 0.5)]++;
    }
    CHECK(least < 0.205 && most > 0.295); // 400 numbers leave a gap of 5 % at an end once in 10^8
    for (int i = 0; i < 4; i++) {
        // of each triangle's 200 roots, by halves: a deviation of 7 in the mean, here four of them
        CHECK(quarter[i] > 72 && quarter[i] < 128);
    }
}

TEST(roots_are_above_all_planes)
{
    static Grown grown;
    MeshFile mesh = square();
    GroomDef def = plain(&mesh);
    const GroomPlane where[] = {{{0.5, 0, 0}, {1, 0, 0}}, {{0, 0.9, 0}, {0, -0.6, 0.8}}};
    def.where = where, def.plane_count = 2;
    grow(&def, &grown);
    for (int i = 0; i < STRANDS; i++) {
        CHECK(grown.x[i][0].x >= 0.5 && grown.x[i][0].y <= 0.9);
    }
}

TEST(roots_without_a_place_are_told_of)
{
    MeshFile mesh = square();
    GroomDef def = plain(&mesh);
    const GroomPlane nowhere = {{0, 0, 0.1}, {0, 0, 1}}, hardly = {{1.0 - 1e-7, 1.0 - 1e-7, 0}, {1, 1, 0}};
    static Grown grown;
    def.count = 1;
    for (int i = 0; i < 2; i++) {
        def.where = i == 0 ? &nowhere : &hardly, def.plane_count = 1;
        CHECK_INT(grow_some(&def, &grown), GROOM_NO_ROOT);
    }
}

// A floor and a wall.
static const CordVec3 valley_vertices[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}};
static const int valley_triangles[] = {0, 1, 2, 0, 2, 3, 0, 3, 5, 0, 5, 4};

TEST(no_edge_of_a_strand_comes_near_the_mesh)
{
    static Grown grown;
    MeshFile mesh = {.vertices = (CordVec3*)valley_vertices,
                     .vertex_count = 6,
                     .triangles = (int*)valley_triangles,
                     .triangle_count = 4};
    GroomDef def = plain(&mesh);
    int leaning = 0;
    def.lift = 0.003, def.least = 0.0025;
    def.style.lean = (CordVec3){-1, 0, 0.1}; // those on the floor run against the wall
    def.style.clearance[0] = def.style.clearance[1] = 0.003;
    grow(&def, &grown);
    for (int i = 0; i < STRANDS; i++) {
        leaning += grown.x[i][ELEMENTS].x < 0.1;
        for (int k = 0; k < 20 * ELEMENTS; k++) {
            const CordVec3* x = &grown.x[i][k / 20];
            CordVec3 p = cord_vec3_madd(x[0], cord_vec3_sub(x[1], x[0]), k % 20 / 20.0);
            for (int t = 0; t < 4; t++) {
                // steps of a thousandth of an edge, 0.012 m long
                CHECK(distance_to_triangle(&mesh, t, p) > 0.0025 - 1e-5);
            }
        }
    }
    CHECK(leaning > 50); // many do come to the wall
}

// A roof, whose ridge is on the y axis.
static const CordVec3 roof_vertices[] = {{-1, 0, -0.2}, {0, 0, 0}, {1, 0, -0.2},
                                         {-1, 1, -0.2}, {0, 1, 0}, {1, 1, -0.2}};
static const int roof_triangles[] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};

// Edges that lead over the ridge cut it between their ends. Those whose ends and middles are clear of it, and
// other points are not, are no better.
TEST(no_edge_of_a_strand_cuts_a_ridge)
{
    static Grown grown;
    MeshFile mesh = {.vertices = (CordVec3*)roof_vertices,
                     .vertex_count = 6,
                     .triangles = (int*)roof_triangles,
                     .triangle_count = 4};
    GroomDef def = plain(&mesh);
    int over = 0;
    def.elements = 4, def.length[0] = def.length[1] = 0.4;
    def.lift = 0.03, def.least = 0.021;
    def.style.lean = (CordVec3){1, 0, -0.3};
    def.style.bend = 0.01;
    def.style.clearance[0] = def.style.clearance[1] = 0.03;
    grow(&def, &grown);
    for (int i = 0; i < STRANDS; i++) {
        over += grown.x[i][0].x < 0.0 && grown.x[i][4].x > 0.0;
        for (int k = 0; k < 100 * def.elements; k++) {
            const CordVec3* x = &grown.x[i][k / 100];
            CordVec3 p = cord_vec3_madd(x[0], cord_vec3_sub(x[1], x[0]), k % 100 / 100.0);
            double above = p.z + 0.2 * fabs(p.x); // the surface is z = -0.2 |x|
            double nearest = INFINITY;
            for (int t = 0; t < 4; t++) {
                nearest = fmin(nearest, distance_to_triangle(&mesh, t, p));
            }
            // steps of a thousandth of an edge, 0.1 m long
            CHECK((above > 0.0 || fabs(p.x) > 1.0) && nearest > def.least - 1e-4);
        }
    }
    CHECK(over > 10); // some do lead over the ridge
}

TEST(strands_without_room_are_told_of)
{
    MeshFile mesh = square();
    GroomDef def = plain(&mesh);
    static Grown grown;
    def.count = 1;
    def.least = 2.0 * def.lift; // the roots are too near
    CHECK_INT(grow_some(&def, &grown), GROOM_NO_ROOM);
}

TEST(strands_turn_to_where_they_lean)
{
    static Grown grown;
    MeshFile mesh = square();
    GroomDef def = plain(&mesh);
    def.length[0] = def.length[1] = 0.3;
    def.style.lean = (CordVec3){3, 0, 4};
    def.style.bend = 0.02;
    grow(&def, &grown);
    for (int i = 0; i < STRANDS; i++) {
        CordVec3 first = cord_vec3_sub(grown.x[i][1], grown.x[i][0]),
                 e = cord_vec3_sub(grown.x[i][ELEMENTS], grown.x[i][ELEMENTS - 1]);
        CordVec3 last = unit_or(e, e), begin = unit_or(first, first);
        CHECK(begin.z > 0.92); // not there in the first element: 0.8
        // exp(-0.3/0.02) = 3e-7 is left, and rounding up for the steps
        CHECK_VEC3(last, ((CordVec3){0.6, 0, 0.8}), 1e-5);
        CHECK_NEAR(length_of(grown.x[i]), 0.3, 1e-3); // chords of what bends by 0.64 rad in a tenth of it
    }
}

TEST(strands_keep_clear_of_the_mesh)
{
    static Grown grown;
    static Ball ball;
    GroomDef def = plain(make_ball(&ball));
    double least = INFINITY, most = 0.0;
    def.length[0] = def.length[1] = 2.0; // more than half around
    def.style.lean = (CordVec3){0, 0.2, -1};
    def.style.spread = 0.3;
    def.style.clearance[0] = 0.04, def.style.clearance[1] = 0.1;
    grow(&def, &grown);
    for (int i = 0; i < STRANDS; i++) {
        double nearest = INFINITY;
        for (int k = 4; k <= ELEMENTS; k++) {
            double height = INFINITY;
            for (int t = 0; t < ball.mesh.triangle_count; t++) {
                height = fmin(height, distance_to_triangle(&ball.mesh, t, grown.x[i][k]));
            }
            // outside; the flat triangles are 0.013 below the sphere
            CHECK(cord_vec3_length(grown.x[i][k]) > 0.98);
            nearest = fmin(nearest, height);
        }
        least = fmin(least, nearest), most = fmax(most, nearest);
    }
    // Pushed out after each piece of 0.02, which then has its length again: that brings it nearer by no more
    // than 0.02^2 / 2 / 0.04.
    CHECK(least > 0.035 && most > 0.09);
}

TEST(a_curl_has_its_radius_and_turns)
{
    static Grown grown;
    MeshFile mesh = square();
    GroomDef def = plain(&mesh);
    const double radius = 0.01;
    def.count = 20;
    def.length[0] = def.length[1] = 0.4;
    def.style.curl_radius = radius, def.style.curl_turns = 2.0, def.style.curl_from = 0.25;
    grow(&def, &grown);
    for (int i = 0; i < def.count; i++) {
        const CordVec3* x = grown.x[i];
        double turned = 0.0;
        CordVec3 middle = {0, 0, 0};
        for (int k = 16; k < 25; k++) { // the last turn: 9 elements of 0.0167 m, on 0.15 m
            middle = cord_vec3_madd(middle, x[k], k == 16 || k == 24 ? 0.5 / 8.0 : 1.0 / 8.0);
        }
        for (int k = 16; k < 25; k++) {
            double r =
                sqrt((x[k].x - middle.x) * (x[k].x - middle.x) + (x[k].y - middle.y) * (x[k].y - middle.y));
            CHECK_NEAR(r, radius, 0.25 * radius); // the mean of eight points is off the axis by a part of it
        }
        for (int k = 16; k < 24; k++) {
            CordVec3 a = cord_vec3_sub(x[k], middle), b = cord_vec3_sub(x[k + 1], middle);
            turned += atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y);
        }
        CHECK_NEAR(turned, 6.2832 * 8 * (0.4 / 24) / 0.15, 0.4); // the same
        // chords of a seventh of a turn, of which 0.4 is sideways: 0.4 %
        CHECK_NEAR(length_of(x), 0.4, 0.002);
    }
}

// As everywhere: no function of the C library comes in whose last bit may differ.
TEST(strands_are_the_same_everywhere)
{
    static Grown grown;
    static Ball ball;
    GroomDef def = plain(make_ball(&ball));
    uint64_t hash[2] = {0};
    def.style = (GroomStyle){.lean = {0, 1, -1},
                             .bend = 0.05,
                             .spread = 0.2,
                             .clearance = {0.01, 0.02},
                             .curl_radius = 0.004,
                             .curl_turns = 3.0,
                             .curl_from = 0.5};
    for (int seed = 0; seed < 2; seed++) {
        def.seed = seed;
        grow(&def, &grown);
        const unsigned char* bytes = (const unsigned char*)&grown;
        hash[seed] = 0xcbf29ce484222325u;
        for (size_t i = 0; i < sizeof grown; i++) {
            hash[seed] = (hash[seed] ^ bytes[i]) * 0x100000001b3u;
        }
    }
    CHECK(hash[0] != hash[1]);
    if (hash[0] != 0x0afd70355353bc77u) {
        check_fail(__FILE__, __LINE__, "the strands have changed: their hash is 0x%016llx",
                   (unsigned long long)hash[0]);
    }
}

// ---- scenes

// A scene with strands on a square: keys of the strands, then keys of the scene.
#define STRANDS_OF(strand_keys, scene_keys)                                                                  \
    "{'cordage': 1, 'rods': [{'name': 'hair', 'material': 'nylon', 'section': {'disc': {'radius': 0.001}}, " \
    "'strands': {'mesh': {'file': 'square.obj', 'position': [0, 0, 2]}, " strand_keys                        \
    "}, 'elements': 10}], " scene_keys "}"

static CordWorld* world_of(const char* text, const char* settings)
{
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    SceneText s = scene_text_with(text, settings, &(SceneTextFile){obj, sizeof obj - 1});
    CHECK_NOTED(s.scene, "");
    return built(s.scene);
}

TEST(an_entry_with_strands_is_many_rods)
{
    CordWorld* world = world_of(
        STRANDS_OF(
            "'count': 30, 'length': 0.1",
            "'clamps': [{'rod': 'hair', 'at': 'start', 'fix': 'frame'}, {'rod': 'hair_00030', 'at': 'end'}],"
            "'probes': [{'name': 'tip', 'rod': 'hair_00007', 'at': 'end', 'measure': 'position'}]"),
        NULL);
    CordVec3 x[11];
    CHECK_INT(cord_world_rod_count(world), 30);
    CHECK_INT(cord_world_clamp_count(world), 31);
    CHECK_STR(cord_rod_name(world, cord_world_rod(world, 0)), "hair_00001");
    CHECK_STR(cord_rod_name(world, cord_world_rod(world, 29)), "hair_00030");
    for (int i = 0; i < 30; i++) {
        CHECK_INT(cord_rod_node_count(world, cord_world_rod(world, i)), 11);
        CHECK_OK(cord_rod_positions(world, cord_world_rod(world, i), x));
        CHECK_NEAR(x[0].z, 2.0015, 1e-12);                           // 1.5 radii
        CHECK_NEAR(x[1].z - x[0].z, 0.5 * (x[2].z - x[1].z), 1e-12); // a clamp of the frame: half an edge
        CHECK_NEAR(x[10].z, 2.1015, 1e-12);
    }
    for (int i = 0; i < 20; i++) {
        CHECK_OK(cord_world_step(world, 1e-6));
    }
    CHECK_OK(cord_rod_positions(world, cord_world_rod(world, 3), x));
    CHECK_NEAR(x[0].z, 2.0015, 1e-12); // held
}

TEST(a_setting_changes_how_many_there_are)
{
    CordWorld* world = world_of(
        STRANDS_OF("'count': 30, 'length': [0.1, 0.2]", "'clamps': [{'at': 'start', 'fix': 'frame'}]"),
        "rods[0].strands.count=4\nrods[hair].strands.seed=5");
    CHECK_INT(cord_world_rod_count(world), 4);
    CHECK_INT(cord_world_clamp_count(world), 4); // the only entry needs no name
}

TEST_GROUP(scene_strands)
