#include "picture_frames.h"

static PictureStage stage_for(CordPictureDef* def, CordVec3 low, CordVec3 high, PictureCamera* camera)
{
    PictureStage stage;
    cord_picture_fit(def, low, high);
    *camera = camera_of(def);
    picture_stage_make(def, camera, &stage);
    return stage;
}

static CordPictureDef def_with_floor(void)
{
    CordPictureDef def = plain_def(640, 360);
    def.eye = (CordVec3){0.3, -1, 0.36};
    def.ground = true;
    return def;
}

TEST(grid_is_1_2_or_5_and_fits_the_scene)
{
    for (int k = -60; k <= 60; k++) {
        double size = pow(10.0, k / 10.0);
        CordPictureDef def = def_with_floor();
        PictureCamera camera;
        CordVec3 low = {0, 0, 0}, high = {size, size, size};
        PictureStage stage = stage_for(&def, low, high, &camera);
        double power = pow(10.0, floor(log10(stage.grid_metres) + 1e-6));
        double digit = stage.grid_metres / power;
        CHECK(fabs(digit - 1) < 1e-9 || fabs(digit - 2) < 1e-9 || fabs(digit - 5) < 1e-9);
        CHECK(stage.grid_metres > size / 25 && stage.grid_metres < size); // some lines under it, not hundreds
        CHECK(stage.grid_strong == 10 || stage.grid_strong == 5 || stage.grid_strong == 2);
        CHECK_NEAR(stage.grid_strong * digit, 10, 1e-6); // stronger lines at powers of ten
    }
}

static double ink_at(const PictureStage* stage, const PictureCamera* camera, CordVec3 x)
{
    PictureColor paper = {1, 1, 1};
    PictureFloor floor = {
        .point = picture_camera_point(camera, x), .foot_x = 1e-5, .foot_y = 1e-5, .foot = 1e-5, .fade = 1};
    return 1 - picture_stage_floor_color(stage, &floor, paper).g;
}

TEST(lines_lie_on_multiples_of_the_grid)
{
    CordPictureDef def = def_with_floor();
    PictureCamera camera;
    PictureStage stage = stage_for(&def, (CordVec3){7.3, -2.1, 0}, (CordVec3){8.4, -1.2, 1}, &camera);
    double g = stage.grid_metres, z = def.ground_height;
    double x = g * round(7.9 / g), y = g * round(-1.7 / g);
    CHECK(ink_at(&stage, &camera, (CordVec3){x, y + 0.5 * g, z}) > 0.1);
    CHECK(ink_at(&stage, &camera, (CordVec3){x + 0.5 * g, y, z}) > 0.1);
    CHECK_NEAR(ink_at(&stage, &camera, (CordVec3){x + 0.5 * g, y + 0.5 * g, z}), 0, 0);
    double ten = g * stage.grid_strong, strong = ten * round(7.9 / ten);
    CHECK(ink_at(&stage, &camera, (CordVec3){strong, y + 0.5 * g, z}) >
          1.3 * ink_at(&stage, &camera, (CordVec3){strong + g, y + 0.5 * g, z}));
}

// Where a pixel spans many lines it shows their mean: 0.012 of a spacing each way is no more than a shade.
TEST(distant_lines_fade_instead_of_flickering)
{
    CordPictureDef def = def_with_floor();
    PictureCamera camera;
    PictureStage stage = stage_for(&def, (CordVec3){0, 0, 0}, (CordVec3){1, 1, 1}, &camera);
    double least = 1, most = 0;
    for (int k = 0; k < 100; k++) {
        PictureFloor floor = {.point = {0.0137 * k, 0.0071 * k, 0}, .fade = 1};
        floor.foot_x = floor.foot_y = floor.foot = 20 * stage.grid;
        double ink = 1 - picture_stage_floor_color(&stage, &floor, (PictureColor){1, 1, 1}).g;
        least = fmin(least, ink);
        most = fmax(most, ink);
    }
    CHECK(most < 0.05);
    CHECK_NEAR(most, least, 1e-12); // the same everywhere
}

TEST(floor_is_hidden_from_below)
{
    CordPictureDef def = def_with_floor();
    def.eye = (CordVec3){0, -1, -0.5};
    PictureCamera camera;
    PictureStage stage = stage_for(&def, (CordVec3){0, 0, 0}, (CordVec3){1, 1, 1}, &camera);
    CHECK(!stage.floor);
}

// The lamp shines from above, whichever way the camera looks; straight down and straight up too.
TEST(lamp_is_above_and_in_front)
{
    const CordVec3 from[] = {{0.3, -1, 0.36}, {0, 0, 1}, {0, 0, -1}, {-1, 2, 0}, {1, 0, -0.5}};
    for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
        CordPictureDef def = def_with_floor();
        def.eye = from[k];
        PictureCamera camera;
        PictureStage stage = stage_for(&def, (CordVec3){0, 0, 0}, (CordVec3){1, 1, 1}, &camera);
        CHECK(stage.key.z > 0.5);
        // from the left
        CHECK(stage.key.x * camera.right.x + stage.key.y * camera.right.y + stage.key.z * camera.right.z < 0);
    }
}

static double luminance(PictureColor c)
{
    return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b; // of sRGB's primaries
}

// Told apart by lightness alone, that is with any colour blindness: the two sides of a rod by the 3:1 that
// WCAG asks of graphics (amber, sky and olive come a little short of it in exchange for their hue), and rod
// from background.
TEST(stripes_contrast)
{
    CordPictureDef def = def_with_floor();
    PictureCamera camera;
    PictureStage stage = stage_for(&def, (CordVec3){0, 0, 0}, (CordVec3){1, 1, 1}, &camera);
    double paper = luminance(picture_stage_background(0.5, 0.7));
    for (int k = 0; k < PICTURE_PAIRS; k++) {
        double strong = luminance(picture_stage_rod_color(&stage, k, 0));
        double light = luminance(picture_stage_rod_color(&stage, k, 1));
        CHECK((light + 0.05) / (strong + 0.05) > 2.2);
        CHECK(light < 0.95 * paper);
    }
}

static bool has_color_of(const PictureStage* stage, int rod, int group)
{
    PictureColor a = picture_stage_rod_color(stage, rod, 0), b = stage->pairs[group][0];
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

TEST(rods_of_a_group_share_its_colours)
{
    const CordPictureGroup groups[] = {{"a", 2}, {"none", 0}, {"b", 1}};
    CordPictureDef def = def_with_floor();
    def.groups = groups;
    def.group_count = 3;
    PictureCamera camera;
    PictureStage stage = stage_for(&def, (CordVec3){0, 0, 0}, (CordVec3){1, 1, 1}, &camera);
    const int expected[] = {0, 0, 2, 3, 4, 5, 6, 7, 0}; // after the last group each rod goes on by itself
    for (int rod = 0; rod < 9; rod++) {
        CHECK(has_color_of(&stage, rod, expected[rod]));
    }
    def.groups = NULL; // the count alone means nothing
    stage = stage_for(&def, (CordVec3){0, 0, 0}, (CordVec3){1, 1, 1}, &camera);
    CHECK(has_color_of(&stage, 1, 1));
}

TEST_GROUP(picture_stage)
