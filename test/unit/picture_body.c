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

// The distance at which a ray meets a triangle; NAN: it does not.
static double triangle_distance(CordVec3 from, CordVec3 d, CordVec3 a, CordVec3 b, CordVec3 c)
{
    CordVec3 ab = sub(b, a), ac = sub(c, a), p = cross(d, ac), t = sub(from, a), q = cross(t, ab);
    double det = dot(ab, p), u = dot(t, p) / det, v = dot(d, q) / det, s = dot(ac, q) / det;
    return u >= 0 && v >= 0 && u + v <= 1 && s > 0 ? s : NAN;
}

static double mesh_distance(const Mesh* mesh, CordVec3 from, CordVec3 direction, int* face)
{
    double least = INFINITY;
    for (int f = 0; f < mesh->face_count; f++) {
        for (int c = 2; c < mesh->faces[f].count; c++) {
            const int* v = mesh->faces[f].vertex;
            double s = triangle_distance(from, direction, mesh->x[v[0]], mesh->x[v[c - 1]], mesh->x[v[c]]);
            if (s < least) {
                least = s;
                *face = f;
            }
        }
    }
    return least;
}

typedef struct Made { // one body, by itself and as a fine mesh
    Stage* stage;
    PictureBodies bodies;
    Mesh mesh;
} Made;

static Made body_made(CordBodyShape shape)
{
    Made made = {.stage = stage_make()};
    CordPictureDef def = plain_def(640, 360);
    PictureView view;
    CordMessage message;
    def.eye = (CordVec3){0, -1, 0}; // the view's units are metres
    CHECK_OK(picture_view_make(&def, &view, &message));
    stage_body(made.stage, shape, (CordVec3){0.1, -0.2, 0.3});
    CHECK_OK(picture_bodies_make(&made.stage->frame, &view, &made.bodies, &message));
    CHECK_INT(made.bodies.count, 1);
    CHECK(mesh_make(&made.mesh, &made.stage->bodies[0], 96));
    return made;
}

static void made_free(Made* made)
{
    picture_bodies_free(&made->bodies);
    mesh_free(&made->mesh);
    free(made->stage);
}

// Two ways to know a shape: equations, and a mesh whose faces lie at most 1 - cos^2(pi / 96) = 1.1e-3 of the radius, which is
// 0.5, inside: as seen along a ray that is not grazing, at most 2e-3. Vertices of a face differ from any place of it by 5.3
// degrees at most, of which the cosine is 0.9957, but for rays that meet an edge of the one and not of the other.
TEST(rays_meet_what_the_mesh_says)
{
    for (int shape = 0; shape < 4; shape++) {
        Made made = body_made((CordBodyShape)shape);
        const PictureBody* body = &made.bodies.list[0];
        int met = 0, missed = 0, turned = 0;
        for (int k = 0; k < 3000; k++) {
            CordVec3 from = random_vector(3), direction = sub(random_vector(0.9), from);
            double length = sqrt(dot(direction, direction)), distance, inside;
            direction = (CordVec3){direction.x / length, direction.y / length, direction.z / length};
            if (picture_body_hit(body, body->center, sub(from, body->center), &inside) && inside > 1) {
                continue; // it starts inside
            }
            int face = 0;
            double expected = mesh_distance(&made.mesh, from, direction, &face);
            bool hit = picture_body_hit(body, from, direction, &distance);
            if (isfinite(expected)) {
                CHECK(hit);
                CordVec3 point = {from.x + distance * direction.x, from.y + distance * direction.y,
                                  from.z + distance * direction.z};
                CordVec3 normal = picture_body_normal(body, point);
                CHECK_NEAR(dot(normal, normal), 1, 1e-12);
                CHECK(dot(normal, direction) < 1e-9);
                if (dot(normal, direction) < -0.3) {
                    CHECK_NEAR(distance, expected, 2e-3);
                    turned += dot(normal, made.mesh.normal[made.mesh.faces[face].vertex[0]]) < 0.995;
                }
                met++;
            } else {
                missed += !hit;
            }
        }
        CHECK(met > 300 && missed > 300 && turned < met / 100);
        made_free(&made);
    }
}

TEST(rays_from_inside_meet_the_far_side)
{
    for (int shape = 0; shape < 4; shape++) {
        Made made = body_made((CordBodyShape)shape);
        const PictureBody* body = &made.bodies.list[0];
        for (int k = 0; k < 300; k++) {
            CordVec3 direction = random_vector(1);
            double there, back;
            CordVec3 opposite = {-direction.x, -direction.y, -direction.z};
            CHECK(picture_body_hit(body, body->center, direction, &there) && there > 0);
            CHECK(picture_body_hit(body, body->center, opposite, &back));
            CHECK_NEAR(there, back, 1e-12 * there); // each shape is the same on both sides
        }
        CHECK(!picture_body_hit(body, (CordVec3){5, 5, 5}, (CordVec3){1, 1, 1}, &(double){0})); // it lies behind
        made_free(&made);
    }
}

// Rays along the axes, where a slope is zero: no 0 / 0 comes out.
TEST(rays_along_the_axes_are_met)
{
    Stage* s = stage_make();
    CordMessage message;
    CordPictureDef def = plain_def(640, 360);
    PictureView view;
    def.eye = (CordVec3){0, -1, 0};
    CHECK_OK(picture_view_make(&def, &view, &message));
    for (int shape = 0; shape < 4; shape++) {
        stage_body(s, (CordBodyShape)shape, (CordVec3){0, 0, 0})->rotation = (CordQuat){0, 0, 0, 1};
    }
    PictureBodies bodies;
    CHECK_OK(picture_bodies_make(&s->frame, &view, &bodies, &message));
    const CordVec3 halves[] = {{0.5, 0.5, 0.5}, {0.3, 0.4, 0.5}, {0.3, 0.3, 0.4}, {0.3, 0.3, 0.6}};
    for (int k = 0; k < 4; k++) {
        double distance;
        CHECK(picture_body_hit(&bodies.list[k], (CordVec3){-2, 0, 0}, (CordVec3){1, 0, 0}, &distance));
        CHECK_NEAR(distance, 2 - halves[k].x, 1e-12);
        CHECK(picture_body_hit(&bodies.list[k], (CordVec3){0, 2, 0}, (CordVec3){0, -1, 0}, &distance));
        CHECK_NEAR(distance, 2 - halves[k].y, 1e-12);
        CHECK(picture_body_hit(&bodies.list[k], (CordVec3){0, 0, -2}, (CordVec3){0, 0, 1}, &distance));
        CHECK_NEAR(distance, 2 - halves[k].z, 1e-12);
        CHECK(!picture_body_hit(&bodies.list[k], (CordVec3){0, 0.7, -2}, (CordVec3){0, 0, 1}, &distance));
    }
    picture_bodies_free(&bodies);
    free(s);
}

// A quarter turn about z swaps the two tones of what is round about z.
TEST(tones_turn_with_the_body)
{
    Stage* s = stage_make();
    CordMessage message;
    CordPictureDef def = plain_def(640, 360);
    PictureView view;
    def.eye = (CordVec3){0, -1, 0};
    CHECK_OK(picture_view_make(&def, &view, &message));
    for (int k = 0; k < 2; k++) {
        stage_body(s, CORD_BODY_SPHERE, (CordVec3){0, 0, 0})->rotation =
            cord_quat_about((CordVec3){0, 0, 1}, 0.5 * TEST_PI * k);
    }
    PictureBodies bodies;
    CHECK_OK(picture_bodies_make(&s->frame, &view, &bodies, &message));
    int first = 0;
    for (int k = 0; k < 200; k++) {
        CordVec3 point = random_vector(1);
        int tone = picture_body_tone(&bodies.list[0], point);
        CHECK_INT(picture_body_tone(&bodies.list[1], point), 1 - tone);
        first += tone == 0;
    }
    CHECK(first > 60 && first < 140); // half of it each
    picture_bodies_free(&bodies);
    free(s);
}

TEST(joints_are_not_seen_and_lost_bodies_are_named)
{
    Stage* s = stage_make();
    CordMessage message;
    CordPictureDef def = plain_def(640, 360);
    PictureView view;
    def.eye = (CordVec3){0, -1, 0};
    CHECK_OK(picture_view_make(&def, &view, &message));
    stage_body(s, CORD_BODY_SPHERE, (CordVec3){0, 0, 0})->size = (CordVec3){0, 0, 0};
    stage_body(s, CORD_BODY_BOX, (CordVec3){0, 0, 0});
    PictureBodies bodies;
    CHECK_OK(picture_bodies_make(&s->frame, &view, &bodies, &message));
    CHECK(bodies.count == 1 && bodies.list[0].shape == CORD_OBSTACLE_BOX);
    picture_bodies_free(&bodies);
    s->bodies[1].position.x = INFINITY;
    CHECK_RESULT(picture_bodies_make(&s->frame, &view, &bodies, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "body \"bob\" is not at a finite point");
    picture_bodies_free(&bodies);
    free(s);
}

TEST_MAIN(rays_meet_what_the_mesh_says, rays_from_inside_meet_the_far_side, rays_along_the_axes_are_met,
          tones_turn_with_the_body, joints_are_not_seen_and_lost_bodies_are_named)
