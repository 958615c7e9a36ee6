#include "picture_frames.h"

enum { WIDE = 40, HIGH = 40, MIDDLE = 20 };

// A tile all of whose pixels see an open floor and no rod.
static PictureTile* tile_make(void)
{
    PictureTile* tile = keep_zeros(sizeof *tile);
    tile->wide = WIDE;
    tile->high = HIGH;
    tile->pixels = keep_zeros(WIDE * HIGH * sizeof *tile->pixels);
    tile->sums = keep_zeros((WIDE + 1) * (HIGH + 1) * sizeof *tile->sums);
    for (int k = 0; k < WIDE * HIGH; k++) {
        tile->pixels[k].faces[0].solid = tile->pixels[k].faces[1].solid = -1;
        tile->pixels[k].floor_seen = 1;
    }
    return tile;
}

static const PictureStage half_and_half = {.key_share = 0.5, .key_radius = 0.1};
static const double foot = 0.001; // a pixel on the floor

TEST(open_floor_has_all_its_light)
{
    PictureTile* tile = tile_make();
    picture_light_sum(tile);
    CHECK_NEAR(picture_light_on_floor(&half_and_half, tile, MIDDLE, MIDDLE, foot), 1, 0);
}

TEST(floor_without_lamp_has_the_skys_share)
{
    PictureTile* tile = tile_make();
    for (int k = 0; k < WIDE * HIGH; k++) {
        tile->pixels[k].floor_no_lamp = 1;
        tile->pixels[k].floor_lamp_gap = 0.05f;
    }
    picture_light_sum(tile);
    // rounding of sums
    CHECK_NEAR(picture_light_on_floor(&half_and_half, tile, MIDDLE, MIDDLE, foot), 0.5, 1e-12);
}

// The left half dark. Near the rod the edge is sharp, far from it as wide as the average reaches.
static double edge_light(double gap, int offset)
{
    PictureTile* tile = tile_make();
    for (int k = 0; k < WIDE * HIGH; k++) {
        if (k % WIDE < MIDDLE) {
            tile->pixels[k].floor_no_lamp = 1;
            tile->pixels[k].floor_lamp_gap = (float)gap;
        }
    }
    picture_light_sum(tile);
    return picture_light_on_floor(&half_and_half, tile, MIDDLE + offset, MIDDLE, foot);
}

TEST(shadows_near_the_rod_are_sharper)
{
    CHECK_NEAR(edge_light(0.001, -3), 0.5, 1e-12); // dark 3 pixels inside, light 3 pixels outside
    CHECK_NEAR(edge_light(0.001, 3), 1.0, 1e-12);
    CHECK(edge_light(1.0, -3) > 0.6 && edge_light(1.0, 3) < 0.9); // but blurred, far away
    for (int k = -7; k < 7; k++) {
        CHECK(edge_light(1.0, k) <= edge_light(1.0, k + 1) + 1e-12); // one way only
    }
}

// A pixel with many rays is still one pixel.
TEST(pixels_count_alike_however_many_rays_they_have)
{
    PictureTile* tile = tile_make();
    for (int k = 0; k < WIDE * HIGH; k++) {
        if (k % 2 == 0) { // every other column, all in shadow, looked at eight times
            tile->pixels[k].floor_seen = 8;
            tile->pixels[k].floor_no_lamp = 8;
            tile->pixels[k].floor_lamp_gap = 8;
        }
    }
    picture_light_sum(tile);
    // half of half
    CHECK_NEAR(picture_light_on_floor(&half_and_half, tile, MIDDLE, MIDDLE, foot), 0.75, 1e-12);
}

static double lamp_on(const PictureTile* tile, int i, int j, int face)
{
    double lamp, sky;
    picture_light_on_solid(tile, i, j, face, &lamp, &sky);
    return lamp;
}

static void pixel_rod(PicturePixel* pixel, int rod, double depth, double open)
{
    pixel->faces[0].solid = rod;
    pixel->faces[0].depth = (float)depth;
    pixel->faces[0].normal[2] = 1;
    pixel->lamp_all = pixel->sky_all = 2;
    pixel->lamp = pixel->sky = (float)(2 * open);
}

TEST(light_on_a_rod_is_averaged_over_that_rod)
{
    PictureTile* tile = tile_make();
    for (int k = 0; k < WIDE * HIGH; k++) {
        // above: one rod, in light and shadow by turns; below: another, all dark
        pixel_rod(&tile->pixels[k], k / WIDE < MIDDLE ? 0 : 1, 1, k / WIDE < MIDDLE ? k % 2 : 0);
    }
    CHECK_NEAR(lamp_on(tile, MIDDLE, MIDDLE - 1, 0), 0.5, 0.02); // the other rod's pixels count a fiftieth
    CHECK_NEAR(lamp_on(tile, MIDDLE, MIDDLE, 0), 0.0, 0.02);
}

TEST(light_does_not_leak_between_depths)
{
    PictureTile* tile = tile_make();
    for (int k = 0; k < WIDE * HIGH; k++) { // one rod that passes in front of itself
        pixel_rod(&tile->pixels[k], 0, k / WIDE < MIDDLE ? 1.0 : 1.2, k / WIDE < MIDDLE);
    }
    CHECK_NEAR(lamp_on(tile, MIDDLE, MIDDLE, 0), 0.0, 0.02);
}

// A pixel at the edge of a lit rod, with another behind it that is dark: each has its own light.
TEST(two_rods_in_a_pixel_are_lit_apart)
{
    PictureTile* tile = tile_make();
    for (int k = 0; k < WIDE * HIGH; k++) {
        pixel_rod(&tile->pixels[k], k / WIDE < MIDDLE ? 0 : 1, 1, k / WIDE < MIDDLE);
    }
    PicturePixel* edge = &tile->pixels[(MIDDLE - 1) * WIDE + MIDDLE];
    edge->faces[1] = edge[WIDE].faces[0];
    CHECK_NEAR(lamp_on(tile, MIDDLE, MIDDLE - 1, 0), 1.0, 0.02); // the other rod's pixels count a fiftieth
    CHECK_NEAR(lamp_on(tile, MIDDLE, MIDDLE - 1, 1), 0.0,
               0.03); // and are a little more than half of those around
}

TEST(no_place_is_black)
{
    PictureTile* tile = tile_make();
    pixel_rod(&tile->pixels[MIDDLE * WIDE + MIDDLE], 0, 1, 0); // alone, and both its rays met something
    double lamp, sky;
    picture_light_on_solid(tile, MIDDLE, MIDDLE, 0, &lamp, &sky);
    CHECK(sky > 0.1);
}

// 256 points over 16 squares are 16 each if perfectly even; by chance, some square would be off by 8 or more.
TEST(spread_is_even_from_any_start)
{
    for (int start = 0; start < 5000; start += 97) {
        int count[16] = {0};
        for (int k = 0; k < 256; k++) {
            double p[2];
            picture_spread(start + k, p);
            CHECK(p[0] >= 0 && p[0] < 1 && p[1] >= 0 && p[1] < 1);
            count[4 * (int)(4 * p[0]) + (int)(4 * p[1])]++;
        }
        for (int k = 0; k < 16; k++) {
            CHECK(abs(count[k] - 16) <= 5);
        }
    }
}

TEST_GROUP(picture_light)
