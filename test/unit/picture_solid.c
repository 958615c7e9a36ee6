#include "export/picture.h"

#include "check.h"
#include "picture_frames.h"

static CordVec3 sub(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(CordVec3 a, CordVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Rays in the picture's units and axes against the solid's own: contact_solid.c has where they meet that.
TEST(rays_meet_solids_as_they_are_turned_and_scaled)
{
    for (int shape = CORD_SOLID_SPHERE; shape <= CORD_SOLID_CAPSULE; shape++) {
        Stage* s = stage_make();
        CordPictureDef def = plain_def(640, 360);
        PictureCamera camera;
        PictureSolids bodies;
        CordMessage message;
        def.eye = (CordVec3){0, -4, 0}; // a unit of the view is four metres
        CHECK_OK(picture_camera_make(&def, &camera, &message));
        CordFrameBody* from = stage_body(s, (CordSolidShape)shape, (CordVec3){0.1, -0.2, 0.3});
        CHECK_OK(picture_solids_make(&s->frame, &camera, &bodies, &message));
        CHECK_INT(bodies.count, 1);
        const PictureSolid* body = &bodies.list[0];
        int met = 0;
        for (int k = 0; k < 1000; k++) {
            CordVec3 start = random_vector(1), d = sub(random_vector(0.2), start), n = {0, 0, 0};
            double distance;
            if (picture_solid_hit(body, start, d, &distance)) {
                CordVec3 p = {start.x + distance * d.x, start.y + distance * d.y, start.z + distance * d.z};
                CordVec3 off = sub((CordVec3){4 * p.x, 4 * p.y, 4 * p.z}, from->position), normal;
                CordVec3 own = {dot(off, body->axes[0]), dot(off, body->axes[1]), dot(off, body->axes[2])};
                CHECK_NEAR(cord_solid_distance(&from->solid, own, &n), 0, 1e-12);
                normal = picture_solid_normal(body, p);
                CHECK_NEAR(dot(normal, normal), 1, 1e-12);
                CHECK_NEAR(dot(normal, body->axes[2]), n.z, 1e-6);
                met++;
            }
        }
        CHECK(met > 100 && met < 1000);
        picture_solids_free(&bodies);
        free(s);
    }
}

// A quarter turn about z swaps the two tones of what is round about z.
TEST(tones_turn_with_the_body)
{
    Stage* s = stage_make();
    CordMessage message;
    CordPictureDef def = plain_def(640, 360);
    PictureCamera camera;
    def.eye = (CordVec3){0, -1, 0};
    CHECK_OK(picture_camera_make(&def, &camera, &message));
    for (int k = 0; k < 2; k++) {
        stage_body(s, CORD_SOLID_SPHERE, (CordVec3){0, 0, 0})->rotation =
            cord_quat_about((CordVec3){0, 0, 1}, 0.5 * TEST_PI * k);
    }
    PictureSolids bodies;
    CHECK_OK(picture_solids_make(&s->frame, &camera, &bodies, &message));
    int first = 0;
    for (int k = 0; k < 200; k++) {
        CordVec3 point = random_vector(1);
        int tone = picture_solid_tone(&bodies.list[0], point);
        CHECK_INT(picture_solid_tone(&bodies.list[1], point), 1 - tone);
        first += tone == 0;
    }
    CHECK(first > 60 && first < 140); // half of it each
    picture_solids_free(&bodies);
    free(s);
}

TEST(joints_are_not_seen_and_lost_bodies_are_named)
{
    Stage* s = stage_make();
    CordMessage message;
    CordPictureDef def = plain_def(640, 360);
    PictureCamera camera;
    def.eye = (CordVec3){0, -1, 0};
    CHECK_OK(picture_camera_make(&def, &camera, &message));
    stage_body(s, CORD_SOLID_SPHERE, (CordVec3){0, 0, 0})->solid.size = (CordVec3){0, 0, 0};
    stage_body(s, CORD_SOLID_BOX, (CordVec3){0, 0, 0});
    PictureSolids bodies;
    CHECK_OK(picture_solids_make(&s->frame, &camera, &bodies, &message));
    CHECK(bodies.count == 1 && bodies.list[0].solid.shape == CORD_SOLID_BOX);
    picture_solids_free(&bodies);
    s->bodies[1].position.x = INFINITY;
    CHECK_RESULT(picture_solids_make(&s->frame, &camera, &bodies, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "body \"bob\" is not at a finite point");
    picture_solids_free(&bodies);
    free(s);
}

TEST_GROUP(picture_solid, rays_meet_solids_as_they_are_turned_and_scaled, tones_turn_with_the_body,
           joints_are_not_seen_and_lost_bodies_are_named)
