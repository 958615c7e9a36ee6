#include "export/picture.h"

#include "check.h"
#include "picture_frames.h"

typedef struct Shot {
    PictureCamera camera;
    PictureCurves curves;
    PictureSolids bodies;
    PictureSurfaces surfaces;
    PictureTracer* tracer;
    PictureMask mask;
} Shot;

static void shot_make(Shot* shot, const Stage* s, CordPictureDef def)
{
    CordMessage message = {""};
    CHECK_OK(picture_camera_make(&def, &shot->camera, &message));
    CHECK_OK(picture_curves_make(&s->frame, &def, &shot->camera, &shot->curves, &message));
    CHECK_OK(picture_solids_make(&s->frame, &shot->camera, &shot->bodies, &message));
    CHECK_OK(picture_surfaces_make(&s->frame, &shot->camera, &shot->surfaces, &message));
    if (picture_tracer_create(&shot->curves, &shot->bodies, &shot->surfaces, &shot->tracer, &message) ==
        CORD_NOT_SUPPORTED) {
        skip();
    }
    CHECK(shot->tracer != NULL);
    CHECK(picture_mask_make(&shot->curves, &shot->bodies, &shot->surfaces, &shot->camera, &shot->mask));
}

static void shot_free(Shot* shot)
{
    picture_mask_free(&shot->mask);
    picture_tracer_destroy(shot->tracer);
    picture_curves_free(&shot->curves);
    picture_solids_free(&shot->bodies);
    picture_surfaces_free(&shot->surfaces);
}

// The share of pixels that are masked out; every ray that meets a rod must start in one that is not.
static double mask_saving(const Shot* shot)
{
    const PictureCamera* camera = &shot->camera;
    CordVec3 eye = {-camera->forward.x, -camera->forward.y, -camera->forward.z};
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

static CordPictureDef def_fitted(const Stage* s, CordVec3 from)
{
    CordPictureDef def = plain_def(320, 200);
    def.eye = from;
    CordVec3 low = {1, 1, 1}, high = {-1, -1, -1};
    cord_picture_bounds(&s->frame, &low, &high);
    cord_picture_fit(&def, low, high);
    return def;
}

TEST(mask_misses_no_rod_and_saves_rays)
{
    const CordVec3 from[] = {{0.3, -1, 0.36}, {0, 0, 1}, {1, 0.1, 0.1}};
    for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
        Stage* s = stage_ring(1, 9, 0.07);
        CordVec3* x = stage_rod(s, 2, false, 0.03); // one long edge across
        x[0] = (CordVec3){-1.5, -1.2, -0.5};
        x[1] = (CordVec3){1.4, 1.3, 0.8};
        Shot shot;
        shot_make(&shot, s, def_fitted(s, from[k]));
        CHECK(mask_saving(&shot) > 0.4);
        shot_free(&shot);
        free(s);
    }
}

TEST(mask_gives_up_beside_the_eye)
{
    Stage* s = stage_line(1, 5, 0.05, 0);
    CordPictureDef def = plain_def(320, 200);
    def.eye = (CordVec3){0.5, -0.06, 0}; // almost touching
    def.target = (CordVec3){0.5, 0.5, 0};
    Shot shot;
    shot_make(&shot, s, def);
    CHECK_NEAR(mask_saving(&shot), 0, 0);
    shot_free(&shot);
    free(s);
}

TEST(no_body_is_masked_out)
{
    for (int shape = CORD_SOLID_SPHERE; shape <= CORD_SOLID_CAPSULE; shape++) {
        Stage* s = stage_line(0.1, 2, 0.01, 0);
        stage_body(s, (CordSolidShape)shape, (CordVec3){1, 0, 0.3});
        Shot shot = {0};
        shot_make(&shot, s, def_fitted(s, (CordVec3){0.3, -1, 0.4}));
        CHECK(mask_saving(&shot) > 0.2); // a body half as high as the picture
        shot_free(&shot);
        free(s);
    }
}

TEST(a_body_around_the_eye_masks_nothing_out)
{
    Stage* s = stage_line(1, 2, 0.01, 0);
    CordPictureDef def = def_fitted(s, (CordVec3){0, -1, 0});
    stage_body(s, CORD_SOLID_SPHERE, def.eye);
    Shot shot = {0};
    shot_make(&shot, s, def);
    CHECK_NEAR(mask_saving(&shot), 0, 0);
    shot_free(&shot);
    free(s);
}

TEST_GROUP(picture_mask, mask_misses_no_rod_and_saves_rays, mask_gives_up_beside_the_eye,
           no_body_is_masked_out, a_body_around_the_eye_masks_nothing_out)
