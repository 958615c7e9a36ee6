#include "export/picture.h"

#include "check.h"
#include "export/mesh.h"
#include "picture_frames.h"

static uint32_t random_state = 1;

static double random_between(double low, double high)
{
    random_state = random_state * 1664525u + 1013904223u;
    return low + (high - low) * (random_state >> 8) / (1 << 24);
}

static CordVec3 random_vector(double reach)
{
    return (CordVec3){random_between(-reach, reach), random_between(-reach, reach), random_between(-reach, reach)};
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

static CordVec3 unit(CordVec3 a)
{
    double length = sqrt(dot(a, a));
    return (CordVec3){a.x / length, a.y / length, a.z / length};
}

static CordVec3 along(CordVec3 from, CordVec3 direction, double distance)
{
    return (CordVec3){from.x + distance * direction.x, from.y + distance * direction.y,
                      from.z + distance * direction.z};
}

static PictureView metre_view(void) // its units are metres, and the target is the origin
{
    CordPictureDef def = plain_def(640, 360);
    PictureView view;
    CordMessage message;
    def.eye = (CordVec3){0, -1, 0};
    CHECK_OK(picture_view_make(&def, &view, &message));
    return view;
}

static PictureBodies bodies_of(const CordFrame* frame)
{
    PictureBodies bodies;
    PictureView view = metre_view();
    CordMessage message;
    CHECK_OK(picture_bodies_make(frame, &view, &bodies, &message));
    return bodies;
}

static CordFrameObstacle ring_or_pipe(CordObstacleShape shape)
{
    CordVec3 size = shape == CORD_OBSTACLE_TORUS ? (CordVec3){0.5, 0.15, 0} : (CordVec3){0.4, 0.3, 0.9};
    return (CordFrameObstacle){.name = "round",
                               .shape = shape,
                               .size = size,
                               .position = {0.1, -0.2, 0.3},
                               .rotation = cord_quat_about((CordVec3){1, 2, -1}, 0.8)};
}

// How far a point is from the surface of a ring or of a pipe, by their definitions.
static double surface_gap(const PictureBody* b, CordVec3 point)
{
    CordVec3 d = sub(point, b->center);
    CordVec3 p = {dot(d, b->axes[0]), dot(d, b->axes[1]), dot(d, b->axes[2])};
    double across = hypot(p.x, p.y);
    if (b->shape == CORD_OBSTACLE_TORUS) {
        return fabs(hypot(across - b->half.x, p.z) - b->half.y);
    }
    double wall = fmax(across - b->half.x, b->half.y - across), end = fabs(p.z) - b->half.z;
    return fabs(fmax(wall, end));
}

static double triangle_distance(CordVec3 from, CordVec3 d, CordVec3 a, CordVec3 b, CordVec3 c) // NAN: none
{
    CordVec3 ab = sub(b, a), ac = sub(c, a), p = cross(d, ac), t = sub(from, a), q = cross(t, ab);
    double det = dot(ab, p), u = dot(t, p) / det, v = dot(d, q) / det, s = dot(ac, q) / det;
    return u >= 0 && v >= 0 && u + v <= 1 && s > 0 ? s : NAN;
}

static double mesh_distance(const Mesh* mesh, CordVec3 from, CordVec3 direction)
{
    double least = INFINITY;
    for (int f = 0; f < mesh->face_count; f++) {
        const int* v = mesh->faces[f].vertex;
        for (int c = 2; c < mesh->faces[f].count; c++) {
            least =
                fmin(least, triangle_distance(from, direction, mesh->x[v[0]], mesh->x[v[c - 1]], mesh->x[v[c]]));
        }
    }
    return least;
}

// A mesh of 96 sides lies at most 1 - cos(pi / 96) = 5.4e-4 of a radius beside the surface; rays that meet it at less than
// 17 degrees are left out, so 4 times that along a ray.
TEST(rays_meet_rings_and_pipes_where_their_meshes_are)
{
    for (int k = 0; k < 2; k++) {
        CordFrameObstacle obstacle = ring_or_pipe(k == 0 ? CORD_OBSTACLE_TORUS : CORD_OBSTACLE_TUBE);
        CordFrame frame = {.obstacle_count = 1, .obstacles = &obstacle};
        PictureBodies bodies = bodies_of(&frame);
        CHECK(bodies.count == 1 && bodies.exact_count == 1);
        const PictureBody* body = &bodies.list[0];
        Mesh mesh;
        CHECK(mesh_make_obstacle(&mesh, &obstacle, obstacle.position, obstacle.position, 96));
        int met = 0, missed = 0, beside = 0;
        for (int i = 0; i < 2000; i++) {
            CordVec3 from = along(body->center, unit(random_vector(1)), 2.0);
            CordVec3 direction = unit(sub(random_vector(0.8), from));
            double distance, expected = mesh_distance(&mesh, from, direction);
            if (!picture_body_hit(body, from, direction, &distance)) {
                beside += isfinite(expected);
                missed++;
                continue;
            }
            CordVec3 point = along(from, direction, distance), normal = picture_body_normal(body, point);
            CHECK(surface_gap(body, point) < 1.1e-5);
            CHECK_NEAR(dot(normal, normal), 1.0, 1e-12);
            CHECK(dot(normal, direction) < 1e-2);
            if (dot(normal, direction) < -0.3) {
                beside += !(fabs(distance - expected) < 4 * 5.4e-4 * 0.65);
            }
            met++;
        }
        CHECK(met > 300 && missed > 300);
        CHECK(beside < met / 100); // along an edge of the one and not of the other
        mesh_free(&mesh);
        picture_bodies_free(&bodies);
    }
}

TEST(rays_go_through_the_hole_and_meet_the_inside)
{
    CordFrameObstacle obstacle = ring_or_pipe(CORD_OBSTACLE_TUBE);
    CordFrame frame = {.obstacle_count = 1, .obstacles = &obstacle};
    PictureBodies bodies = bodies_of(&frame);
    const PictureBody* body = &bodies.list[0];
    CordVec3 axis = body->axes[2], before = along(body->center, axis, -3.0);
    double distance;
    CHECK(!picture_body_hit(body, before, axis, &distance));
    CHECK(picture_body_hit(body, body->center, body->axes[0], &distance));
    CHECK_NEAR(distance, 0.3, 1e-12);
    CHECK_NEAR(dot(picture_body_normal(body, along(body->center, body->axes[0], distance)), body->axes[0]),
               -1, 1e-12);
    CordVec3 in_wall = along(body->center, body->axes[0], 0.35);
    CHECK(picture_body_hit(body, in_wall, body->axes[0], &distance));
    CHECK_NEAR(distance, 0.05, 1e-12);
    picture_bodies_free(&bodies);

    obstacle = ring_or_pipe(CORD_OBSTACLE_TORUS);
    bodies = bodies_of(&frame);
    body = &bodies.list[0];
    axis = body->axes[2], before = along(body->center, axis, -3.0);
    CHECK(!picture_body_hit(body, before, axis, &distance));
    CHECK(picture_body_hit(body, body->center, body->axes[1], &distance));
    CHECK_NEAR(distance, 0.35, 2e-7); // as near as the steps go
    picture_bodies_free(&bodies);
}

static CordFrameObstacle plane_at(CordVec3 position, CordVec3 axis, double angle)
{
    return (CordFrameObstacle){.name = "plane",
                               .shape = CORD_OBSTACLE_PLANE,
                               .position = position,
                               .rotation = cord_quat_about(axis, angle)};
}

TEST(the_highest_plane_that_faces_up_is_the_floor)
{
    const CordVec3 x = {1, 0, 0};
    CordFrameObstacle planes[] = {
        plane_at((CordVec3){0, 0, 9}, x, 0.3),     // a slope
        plane_at((CordVec3){0, 0, 9}, x, TEST_PI), // a ceiling
        plane_at((CordVec3){5, 5, -2}, x, 0),
        plane_at((CordVec3){5, 5, -1}, (CordVec3){0, 0, 1}, 1.0),
    };
    CordFrame frame = {.obstacle_count = 2, .obstacles = planes};
    CHECK(isnan(picture_obstacle_floor(&frame)));
    frame.obstacle_count = 4;
    CHECK_NEAR(picture_obstacle_floor(&frame), -1.0, 0.0);
}

// The camera is at (0, -1, 0) and looks along y.
TEST(planes_are_seen_from_their_front)
{
    const CordVec3 x = {1, 0, 0};
    CordFrameObstacle planes[] = {
        plane_at((CordVec3){7, 0.5, 0}, x, 0.5 * TEST_PI),   // the wall behind, which faces the camera
        plane_at((CordVec3){0, -0.5, 0}, x, -0.5 * TEST_PI), // the one before, which would hide everything
        plane_at((CordVec3){0, 0, -1}, x, 0),                // the floor
    };
    CordFrame frame = {.obstacle_count = 3, .obstacles = planes};
    PictureBodies bodies = bodies_of(&frame);
    CHECK(bodies.count == 1 && bodies.exact_count == 0 && bodies.mesh_count == 0);
    const PictureBody* wall = &bodies.list[0];
    CHECK_VEC3(wall->center, ((CordVec3){0, 0.5, 0}), 1e-12); // before the camera, wherever the plane's own origin is
    double distance;
    CHECK(picture_body_hit(wall, (CordVec3){0.1, -1, 0.2}, (CordVec3){0, 1, 0}, &distance));
    CHECK_NEAR(distance, 1.5, 1e-12);
    CHECK_VEC3(picture_body_normal(wall, wall->center), ((CordVec3){0, -1, 0}), 1e-12);
    CHECK(!picture_body_hit(wall, (CordVec3){0, 1, 0}, (CordVec3){0, -1, 0}, &distance)); // from behind
    CHECK(!picture_body_hit(wall, (CordVec3){9, -1, 0}, (CordVec3){0, 1, 0}, &distance)); // past its edge
    int tones[2] = {0, 0};
    for (int i = 0; i < 400; i++) {
        CordVec3 point = {random_between(-0.5, 0.5), 0.5, random_between(-0.5, 0.5)};
        tones[picture_body_tone(wall, point)]++;
    }
    CHECK(tones[0] > 150 && tones[1] > 150); // squares in turn
    picture_bodies_free(&bodies);
}

TEST(the_box_holds_obstacles_but_no_planes_and_not_all_of_large_ones)
{
    Stage* s = stage_line(1, 3, 0.1, 0); // from (0, 0, 0) to (1, 0, 0)
    CordFrameObstacle obstacles[] = {
        plane_at((CordVec3){50, 0, -50}, (CordVec3){1, 0, 0}, 0.3),
        {.name = "ball",
         .shape = CORD_OBSTACLE_SPHERE,
         .size = {0.25, 0, 0},
         .position = {0.5, 0, 1},
         .rotation = {0, 0, 0, 1}},
        {.name = "floor",
         .shape = CORD_OBSTACLE_BOX,
         .size = {90, 90, 1},
         .position = {0, 0, -1},
         .rotation = {0, 0, 0, 1}},
    };
    CordVec3 low = {1, 1, 1}, high = {-1, -1, -1};
    s->frame.obstacles = obstacles;
    s->frame.obstacle_count = 2;
    cord_picture_bounds(&s->frame, &low, &high);
    CHECK_VEC3(low, ((CordVec3){-0.1, -0.25, -0.1}), 1e-12);
    CHECK_VEC3(high, ((CordVec3){1.1, 0.25, 1.25}), 1e-12);
    s->frame.obstacle_count = 3;
    low = (CordVec3){1, 1, 1}, high = (CordVec3){-1, -1, -1};
    cord_picture_bounds(&s->frame, &low, &high);
    CHECK_VEC3(low, ((CordVec3){-0.1 - 1.2, -0.1 - 1.2, -0.1 - 1.2}), 1e-12); // as far around as the rod is long
    CHECK_VEC3(high, ((CordVec3){1.1 + 1.2, 0.1 + 1.2, 1.25}), 1e-12);
    free(s);
}

// The corners of each shape's mesh are in its box, and touch every side of it.
TEST(boxes_hold_their_shapes_tightly)
{
    const CordVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int triangles[] = {0, 1, 2, 1, 2, 3};
    for (int shape = CORD_OBSTACLE_SPHERE; shape < CORD_OBSTACLE_SHAPE_COUNT; shape++) {
        CordFrameObstacle o = {.name = "it", .shape = (CordObstacleShape)shape, .size = {0.6, 0.2, 0.5}};
        o.position = random_vector(1);
        o.rotation = cord_quat_about((CordVec3){1, 2, -1}, 0.8);
        o.vertices = corners, o.vertex_count = 4, o.triangles = triangles, o.triangle_count = 2;
        CordVec3 low, high, least = {9, 9, 9}, most = {-9, -9, -9};
        Mesh mesh;
        CHECK(picture_body_box(&o, &low, &high));
        CHECK(mesh_make_obstacle(&mesh, &o, low, high, 200));
        for (int i = 0; i < mesh.vertex_count; i++) {
            CordVec3 x = mesh.x[i];
            least = (CordVec3){fmin(least.x, x.x), fmin(least.y, x.y), fmin(least.z, x.z)};
            most = (CordVec3){fmax(most.x, x.x), fmax(most.y, x.y), fmax(most.z, x.z)};
        }
        const double facets = 0.8 * 2 * (1 - cos(TEST_PI / 200)) + 1e-12; // around, and again along a ring or over a ball
        CHECK_VEC3(low, least, facets);
        CHECK_VEC3(high, most, facets);
        mesh_free(&mesh);
    }
}

// A square of two triangles, seen from its two sides: it is there from both.
TEST(surfaces_of_triangles_have_two_sides)
{
    if (!pictures_are_built()) {
        skip();
    }
    const CordVec3 corners[] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
    const int triangles[] = {0, 1, 2, 0, 2, 3};
    CordFrameObstacle sheet = {.name = "sheet", .shape = CORD_OBSTACLE_MESH, .rotation = {0, 0, 0, 1}};
    sheet.position = (CordVec3){0, 0.25, 0};
    sheet.vertices = corners, sheet.vertex_count = 4, sheet.triangles = triangles, sheet.triangle_count = 2;
    Stage* s = stage_line(0.1, 2, 0.01, 0);
    s->frame.obstacles = &sheet;
    s->frame.obstacle_count = 1;
    CordPictureDef def = plain_def(640, 360);
    PictureView view = metre_view();
    PictureCurves curves;
    PictureBodies bodies = bodies_of(&s->frame);
    PictureTracer* tracer;
    CordMessage message;
    CHECK_OK(picture_curves_make(&s->frame, &def, &view, &curves, &message));
    CHECK_OK(picture_tracer_create(&curves, &bodies, &(PictureSurfaces){0}, &tracer, &message));
    CHECK(bodies.exact_count == 0 && bodies.mesh_count == 1);
    for (int side = -1; side <= 1; side += 2) {
        PictureHit hit;
        CordVec3 from = {0.5, 0.25 + 2.0 * side, 0.5}, direction = {0, -side, 0};
        CHECK(picture_tracer_hit(tracer, from, direction, &hit));
        CHECK(hit.edge == -1 && hit.body == 0);
        CHECK_NEAR(hit.distance, 2.0, 1e-6); // single precision
        CHECK_NEAR(hit.normal.y, side, 1e-6);
        CHECK(picture_tracer_blocked(tracer, from, direction));
    }
    picture_tracer_destroy(tracer);
    picture_curves_free(&curves);
    picture_bodies_free(&bodies);
    free(s);
}

static int differing(const uint8_t* a, const uint8_t* b, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++) {
        sum += abs(a[i] - b[i]) > 24;
    }
    return sum;
}

// The rod lies on the ground, which is its floor: lowering the plane takes its shadow away from it.
TEST(pictures_show_obstacles)
{
    enum { WIDE = 96, HIGH = 64, SIZE = 3 * WIDE * HIGH };
    if (!pictures_are_built()) {
        skip();
    }
    static uint8_t plain[SIZE], seen[SIZE];
    Stage* s = stage_line(1, 3, 0.05, 0);
    CordPictureDef def = plain_def(WIDE, HIGH);
    CordMessage message;
    def.fit = false;
    def.target = (CordVec3){0.5, 0, 0};
    def.eye = (CordVec3){0.5, -3, 1.5};
    CHECK_OK(cord_picture_render(&s->frame, &def, plain, &message));
    for (int shape = 0; shape < CORD_OBSTACLE_MESH; shape++) {
        bool plane = shape == CORD_OBSTACLE_PLANE;
        CordFrameObstacle o = {.name = "it", .shape = (CordObstacleShape)shape, .size = {0.3, 0.1, 0.3}};
        o.position = plane ? (CordVec3){0, 1, 0} : (CordVec3){0.5, 0.5, 0.2};
        o.rotation = cord_quat_about((CordVec3){1, 0, 0}, plane ? 0.5 * TEST_PI : 0.4);
        s->frame.obstacles = &o;
        s->frame.obstacle_count = 1;
        CHECK_OK(cord_picture_render(&s->frame, &def, seen, &message));
        CHECK(differing(plain, seen, SIZE) > SIZE / 100);
    }
    CordFrameObstacle ground = plane_at((CordVec3){0, 0, -0.05}, (CordVec3){1, 0, 0}, 0);
    s->frame.obstacles = &ground;
    def.ground = true;
    CHECK_OK(cord_picture_render(&s->frame, &def, plain, &message));
    ground.position.z = -0.6;
    CHECK_OK(cord_picture_render(&s->frame, &def, seen, &message));
    CHECK(differing(plain, seen, SIZE) > SIZE / 100);
    free(s);
}

TEST(lost_obstacles_are_named)
{
    CordFrameObstacle lost = ring_or_pipe(CORD_OBSTACLE_TUBE);
    CordFrame frame = {.obstacle_count = 1, .obstacles = &lost};
    PictureBodies bodies;
    PictureView view = metre_view();
    CordMessage message;
    lost.position.x = NAN;
    CHECK_RESULT(picture_bodies_make(&frame, &view, &bodies, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "obstacle \"round\" is not at a finite point");
    picture_bodies_free(&bodies);
}

TEST_MAIN(rays_meet_rings_and_pipes_where_their_meshes_are, rays_go_through_the_hole_and_meet_the_inside,
          the_highest_plane_that_faces_up_is_the_floor, planes_are_seen_from_their_front,
          the_box_holds_obstacles_but_no_planes_and_not_all_of_large_ones, boxes_hold_their_shapes_tightly,
          surfaces_of_triangles_have_two_sides, pictures_show_obstacles, lost_obstacles_are_named)
