#include "picture_frames.h"

enum { WIDTH = 640, HEIGHT = 360 };

static uint8_t* grey(void)
{
    return memset(keep_zeros(3 * WIDTH * HEIGHT), 200, 3 * WIDTH * HEIGHT);
}

static uint8_t* labelled(double time, double span, double grid)
{
    uint8_t* rgb = grey();
    PictureStage stage = {.floor = grid > 0, .grid_metres = grid};
    picture_label_draw(&stage, time, span, WIDTH, HEIGHT, rgb);
    return rgb;
}

static bool changed(const uint8_t* rgb, int x, int y)
{
    const uint8_t* p = &rgb[3 * (y * WIDTH + x)];
    return p[0] != 200 || p[1] != 200 || p[2] != 200;
}

// How many columns have ink in them, in the left or the right half.
static int text_width(const uint8_t* rgb, bool right)
{
    int least = WIDTH, most = -1;
    for (int x = right ? WIDTH / 2 : 0; x < (right ? WIDTH : WIDTH / 2); x++) {
        for (int y = 0; y < HEIGHT; y++) {
            if (changed(rgb, x, y)) {
                least = x < least ? x : least;
                most = x > most ? x : most;
            }
        }
    }
    return most < 0 ? 0 : most - least + 1;
}

static int width_of(double time, double span, double grid, bool right)
{
    return text_width(labelled(time, span, grid), right);
}

TEST(label_stays_in_the_lower_corners)
{
    uint8_t* rgb = labelled(1.25, 2, 0.5);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            bool corner = y > 0.9 * HEIGHT && (x < 0.25 * WIDTH || x > 0.75 * WIDTH);
            CHECK(corner || !changed(rgb, x, y));
        }
    }
    CHECK(text_width(rgb, false) > 30 && text_width(rgb, true) > 30);
}

TEST(grid_is_named_only_with_a_floor)
{
    CHECK(width_of(1, 1, 0.5, false) > 30);
    CHECK_INT(width_of(1, 1, 0, false), 0);
}

// "t = 0.00 s" and "t = 7.89 s" are equally wide; "t = 0.00 ms" is wider by a letter.
TEST(running_time_does_not_jump)
{
    int width = width_of(0, 5, 0, true);
    for (double time = 0.11; time < 9.99; time += 0.37) {
        CHECK_INT(abs(width_of(time, 5, 0, true) - width) <= 2, 1); // a narrow 1 at the end leaves two pixels
    }
    CHECK(width_of(0, 0.005, 0, true) > width + 3);
}

TEST(units_follow_the_span)
{
    uint8_t* one = labelled(1.5, 1.5, 0);
    uint8_t* thousandth = labelled(1.5e-3, 1.5e-3, 0);
    uint8_t* lost = labelled(1.5e-3, 1.5, 0); // among seconds it is 0.00
    uint8_t* zero = labelled(0, 1.5, 0);
    CHECK(memcmp(one, thousandth, 3 * WIDTH * HEIGHT) != 0);
    CHECK_INT(memcmp(lost, zero, 3 * WIDTH * HEIGHT), 0);
}

// "grid 0.5 m", "grid 50 mm", "grid 5 mm", "grid 5 km": never a row of zeros.
TEST(lengths_are_short)
{
    for (int k = -8; k <= 5; k++) {
        int width = width_of(0, 1, 5 * pow(10, k), false);
        CHECK(width > 40 && width < 100);
    }
}

TEST(odd_times_and_small_pictures_do_no_harm)
{
    const double times[] = {-3.5, 1e300, -1e300, NAN, INFINITY};
    for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
        labelled(times[k], 1, 1e300);
    }
    uint8_t small[3 * 5 * 4] = {0};
    PictureStage stage = {.floor = true, .grid_metres = 1};
    picture_label_draw(&stage, 1, 1, 5, 4, small);
    for (size_t k = 0; k < sizeof small; k++) {
        CHECK_INT(small[k], 0); // there is no room
    }
}

static uint8_t* with_legend(const CordPictureGroup* groups, int count)
{
    uint8_t* rgb = grey();
    PictureStage stage = {.groups = groups, .group_count = count};
    picture_legend_draw(&stage, WIDTH, HEIGHT, rgb);
    return rgb;
}

static int pixels_of(const uint8_t* rgb, uint32_t color)
{
    int count = 0;
    for (int k = 0; k < WIDTH * HEIGHT; k++) {
        count +=
            color == ((uint32_t)rgb[3 * k] << 16 | (uint32_t)rgb[3 * k + 1] << 8 | (uint32_t)rgb[3 * k + 2]);
    }
    return count;
}

// In the colours of its rods; a group without a name keeps its colour to itself.
TEST(legend_names_groups_in_the_upper_left_corner)
{
    const CordPictureGroup groups[] = {{"der", 1}, {NULL, 1}, {"corde", 1}};
    uint8_t* rgb = with_legend(groups, 3);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            CHECK((y < 0.15 * HEIGHT && x < 0.25 * WIDTH) || !changed(rgb, x, y));
        }
    }
    for (int k = 0; k < 3; k++) {
        CHECK_INT(pixels_of(rgb, cord_picture_color(k)) > 20, k != 1);
        CHECK_INT(pixels_of(rgb, picture_stage_pair(k, 1)) > 10, k != 1);
    }
}

// Letters have strokes of their own: no two look alike, and none is blank.
TEST(every_letter_is_drawn)
{
    const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-+=.";
    enum { COUNT = sizeof letters - 1 };
    uint8_t* blank = with_legend(&(CordPictureGroup){" ", 1}, 1);
    uint8_t* seen[COUNT];
    for (int i = 0; i < COUNT; i++) {
        const char name[] = {letters[i], '\0'};
        seen[i] = with_legend(&(CordPictureGroup){name, 1}, 1);
        CHECK(memcmp(seen[i], blank, 3 * WIDTH * HEIGHT) != 0);
        for (int j = 0; j < i; j++) {
            CHECK(memcmp(seen[i], seen[j], 3 * WIDTH * HEIGHT) != 0);
        }
    }
}

TEST(long_legends_do_no_harm)
{
    char name[500];
    memset(name, 'w', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    CordPictureGroup groups[40];
    for (int k = 0; k < 40; k++) {
        groups[k] = (CordPictureGroup){name, 1};
    }
    with_legend(groups, 40);
    uint8_t small[3 * 5 * 4] = {0};
    PictureStage stage = {.groups = groups, .group_count = 40};
    picture_legend_draw(&stage, 5, 4, small);
    for (size_t k = 0; k < sizeof small; k++) {
        CHECK_INT(small[k], 0); // there is no room
    }
}

TEST_GROUP(picture_label)
