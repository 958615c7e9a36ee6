#include "picture_frames.h"

// The share of pixels that are masked out; every ray that meets a rod must start in one that is not.
static double mask_saving(const Stage* s, const CordPictureDef* def)
{
    Shot* shot = shot_make(&s->frame, def);
    const PictureCamera* camera = &shot->camera;
    CordVec3 eye = camera_eye(camera);
    shot_trace(shot);
    CHECK(picture_mask_make(&shot->curves, &shot->bodies, &shot->surfaces, camera, &shot->mask));
    int open = 0, hits = 0, all = 0;
    for (int y = -PICTURE_REACH; y < camera->height + PICTURE_REACH; y++) {
        for (int x = -PICTURE_REACH; x < camera->width + PICTURE_REACH; x++, all++) {
            bool masked_out = !picture_mask_at(&shot->mask, x, y);
            open += masked_out;
            for (int k = 0; k < 4; k++) { // at the far ends of a pixel's reach
                PictureHit hit;
                double px = x + (k & 1 ? 1.5 : -0.5), py = y + (k & 2 ? 1.5 : -0.5);
                bool met = picture_tracer_hit(shot->tracer, eye, picture_camera_ray(camera, px, py), &hit);
                CHECK(!(met && masked_out));
                hits += met;
            }
        }
    }
    CHECK(hits > 100);
    return (double)open / all;
}

static CordPictureDef def_from(const Stage* s, CordVec3 eye)
{
    CordPictureDef def = plain_def(320, 200);
    def.eye = eye;
    return def_fitted(&s->frame, def);
}

TEST(mask_misses_no_rod_and_saves_rays)
{
    const CordVec3 from[] = {{0.3, -1, 0.36}, {0, 0, 1}, {1, 0.1, 0.1}};
    for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
        Stage* s = stage_ring(1, 9, 0.07);
        CordVec3* x = stage_rod(s, 2, false, 0.03); // one long edge across
        x[0] = (CordVec3){-1.5, -1.2, -0.5};
        x[1] = (CordVec3){1.4, 1.3, 0.8};
        CordPictureDef def = def_from(s, from[k]);
        CHECK(mask_saving(s, &def) > 0.4);
    }
}

TEST(mask_gives_up_beside_the_eye)
{
    CordPictureDef def = plain_def(320, 200);
    def.eye = (CordVec3){0.5, -0.06, 0}; // almost touching
    def.target = (CordVec3){0.5, 0.5, 0};
    CHECK_NEAR(mask_saving(stage_line(1, 5, 0.05, 0), &def), 0, 0);
}

TEST(no_body_is_masked_out)
{
    for (int shape = CORD_SOLID_SPHERE; shape <= CORD_SOLID_CAPSULE; shape++) {
        Stage* s = stage_line(0.1, 2, 0.01, 0);
        stage_body(s, (CordSolidShape)shape, (CordVec3){1, 0, 0.3});
        CordPictureDef def = def_from(s, (CordVec3){0.3, -1, 0.4});
        CHECK(mask_saving(s, &def) > 0.2); // a body half as high as the picture
    }
}

TEST(a_body_around_the_eye_masks_nothing_out)
{
    Stage* s = stage_line(1, 2, 0.01, 0);
    CordPictureDef def = def_from(s, (CordVec3){0, -1, 0});
    stage_body(s, CORD_SOLID_SPHERE, def.eye);
    CHECK_NEAR(mask_saving(s, &def), 0, 0);
}

TEST_GROUP(picture_mask)
