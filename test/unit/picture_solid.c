#include "picture_frames.h"

// Rays in the picture's units and axes against the solid's own: contact_solid.c has where they meet that.
TEST(rays_meet_solids_as_they_are_turned_and_scaled)
{
    for (int shape = CORD_SOLID_SPHERE; shape <= CORD_SOLID_CAPSULE; shape++) {
        Stage* s = stage_make();
        CordPictureDef def = plain_def(640, 360);
        def.eye = (CordVec3){0, -4, 0}; // a unit of the view is four metres
        CordFrameBody* from = stage_body(s, (CordSolidShape)shape, (CordVec3){0.1, -0.2, 0.3});
        const PictureSolids* bodies = &shot_make(&s->frame, &def)->bodies;
        CHECK_INT(bodies->count, 1);
        const PictureSolid* body = &bodies->list[0];
        int met = 0;
        for (int k = 0; k < 1000; k++) {
            CordVec3 start = random_vector(1), d = cord_vec3_sub(random_vector(0.2), start), n = {0, 0, 0};
            double distance;
            if (picture_solid_hit(body, start, d, &distance)) {
                CordVec3 p = cord_vec3_madd(start, d, distance), normal;
                CordVec3 off = cord_vec3_sub(cord_vec3_scale(p, 4), from->position);
                CordVec3 own = {cord_vec3_dot(off, body->axes[0]), cord_vec3_dot(off, body->axes[1]),
                                cord_vec3_dot(off, body->axes[2])};
                CHECK_NEAR(cord_solid_distance(&from->solid, own, &n), 0, 1e-12);
                normal = picture_solid_normal(body, p);
                CHECK_NEAR(cord_vec3_dot(normal, normal), 1, 1e-12);
                CHECK_NEAR(cord_vec3_dot(normal, body->axes[2]), n.z, 1e-6);
                met++;
            }
        }
        CHECK(met > 100 && met < 1000);
    }
}

// A quarter turn about z swaps the two tones of what is round about z.
TEST(tones_turn_with_the_body)
{
    Stage* s = stage_make();
    for (int k = 0; k < 2; k++) {
        stage_body(s, CORD_SOLID_SPHERE, (CordVec3){0, 0, 0})->rotation =
            cord_quat_about((CordVec3){0, 0, 1}, 0.5 * TEST_PI * k);
    }
    const PictureSolids* bodies = &shot_of(&s->frame)->bodies;
    int first = 0;
    for (int k = 0; k < 200; k++) {
        CordVec3 point = random_vector(1);
        int tone = picture_solid_tone(&bodies->list[0], point);
        CHECK_INT(picture_solid_tone(&bodies->list[1], point), 1 - tone);
        first += tone == 0;
    }
    CHECK(first > 60 && first < 140); // half of it each
}

TEST(joints_are_not_seen_and_lost_bodies_are_named)
{
    Stage* s = stage_make();
    stage_body(s, CORD_SOLID_SPHERE, (CordVec3){0, 0, 0})->solid.size = (CordVec3){0, 0, 0};
    stage_body(s, CORD_SOLID_BOX, (CordVec3){0, 0, 0});
    const PictureSolids* bodies = &shot_of(&s->frame)->bodies;
    CHECK(bodies->count == 1 && bodies->list[0].solid.shape == CORD_SOLID_BOX);
    s->bodies[1].position.x = INFINITY;
    check_lost(&s->frame, "body \"bob\" is not at a finite point");
}

TEST_GROUP(picture_solid)
