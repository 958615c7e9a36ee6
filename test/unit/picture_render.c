#include "picture_frames.h"

enum { WIDTH = 200, HEIGHT = 120 };

static const uint8_t* pixel_at(const uint8_t* rgb, const CordPictureDef* def, int x, int y)
{
    return &rgb[3 * (y * def->width + x)];
}

// The first rod is vermilion and sand; background and floor are grey, towards blue.
static bool is_rod(const uint8_t* pixel)
{
    return pixel[0] > pixel[2] + 20;
}

static bool is_strong(const uint8_t* pixel) // vermilion
{
    return pixel[0] > 2 * pixel[1];
}

static double brightness(const uint8_t* pixel)
{
    return (pixel[0] + pixel[1] + pixel[2]) / 3.0;
}

typedef struct Segment { // a straight rod as it should appear [pixels]
    double a[2], b[2], radius;
} Segment;

static Segment segment_of(const Stage* s, const CordPictureDef* def)
{
    Segment g;
    PictureCamera camera = camera_of(def);
    CordVec3 a = picture_camera_point(&camera, s->x[0]),
             b = picture_camera_point(&camera, s->x[s->frame.node_count - 1]);
    double depth = picture_camera_project(&camera, a, g.a);
    CHECK_NEAR(picture_camera_project(&camera, b, g.b), depth, 1e-9); // the rod lies across the view
    g.radius = s->radius[0] / camera.scale / depth / camera.half_height * 0.5 * def->height;
    return g;
}

static double segment_distance(const Segment* g, double x, double y)
{
    double ex = g->b[0] - g->a[0], ey = g->b[1] - g->a[1];
    double t = ((x - g->a[0]) * ex + (y - g->a[1]) * ey) / (ex * ex + ey * ey);
    t = fmax(0, fmin(1, t));
    return hypot(x - g->a[0] - t * ex, y - g->a[1] - t * ey);
}

TEST(rod_is_drawn_where_the_projection_says)
{
    Stage* s = stage_line(1, 5, 0.05, 0);
    for (int i = 0; i < 5; i++) {
        s->x[i].z = 0.3 * s->x[i].x;
    }
    CordPictureDef def = def_fitted(&s->frame, plain_def(WIDTH, HEIGHT));
    Segment g = segment_of(s, &def);
    uint8_t* rgb = drawn(&s->frame, &def);
    int inside = 0, outside = 0;
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            double distance = segment_distance(&g, x + 0.5, y + 0.5);
            if (distance < g.radius - 2) {
                // a pixel's rays reach one pixel, and perspective thickens the tube a little
                CHECK(is_rod(pixel_at(rgb, &def, x, y)));
                inside++;
            } else if (distance > g.radius + 2) {
                CHECK(!is_rod(pixel_at(rgb, &def, x, y)));
                outside++;
            }
        }
    }
    CHECK(inside > 1000 && outside > 5000);
}

// The first rod is hidden behind a ball, so all that is drawn is the ball: a disc of the right size, as seen
// from far.
TEST(bodies_are_drawn_where_the_projection_says)
{
    for (int shape = CORD_SOLID_SPHERE; shape <= CORD_SOLID_CAPSULE; shape++) {
        Stage* s = stage_line(1e-3, 2, 1e-3, 0);
        CordFrameBody* body = stage_body(s, (CordSolidShape)shape, (CordVec3){0, 0, 0});
        CordPictureDef def = plain_def(WIDTH, HEIGHT);
        def.least_radius = 0;
        def.field_of_view = 0.02; // nearly parallel rays
        def = def_fitted(&s->frame, def);
        uint8_t* rgb = drawn(&s->frame, &def);
        body->solid.size = (CordVec3){0, 0, 0};
        s->x[0].z = s->x[1].z = 1e3; // out of sight
        uint8_t* empty = drawn(&s->frame, &def);
        body->solid.size = body_sizes[shape];
        const Shot* shot = shot_make(&s->frame, &def);
        CordVec3 eye = camera_eye(&shot->camera);
        int inside = 0, outside = 0;
        for (int y = 1; y < HEIGHT - 1; y++) {
            for (int x = 1; x < WIDTH - 1; x++) {
                int met = 0; // of rays around the pixel, as far as its own rays reach
                for (int k = 0; k < 9; k++) {
                    double distance;
                    CordVec3 to = picture_camera_ray(&shot->camera, x - 0.5 + k % 3, y - 0.5 + (int)(k / 3));
                    met += picture_solid_hit(&shot->bodies.list[0], eye, to, &distance);
                }
                const uint8_t *pixel = pixel_at(rgb, &def, x, y), *behind = pixel_at(empty, &def, x, y);
                bool differs =
                    abs(pixel[0] - behind[0]) + abs(pixel[1] - behind[1]) + abs(pixel[2] - behind[2]) > 20;
                CHECK(met != 9 || differs);
                CHECK(met != 0 || !differs);
                inside += met == 9;
                outside += met == 0;
            }
        }
        CHECK(inside > 1000 && outside > 5000);
    }
}

TEST(bodies_throw_shadows_and_hide_rods)
{
    Stage* s = stage_line(1, 5, 0.03, 0);
    // in front of the rod's middle
    stage_body(s, CORD_SOLID_SPHERE, (CordVec3){0.5, -0.6, 0})->solid.size.x = 0.2;
    CordPictureDef def = plain_def(WIDTH, HEIGHT);
    def.eye = (CordVec3){0, -1, 0.3};
    def.ground = true;
    def = def_fitted(&s->frame, def);
    PictureCamera camera = camera_of(&def);
    uint8_t* with = drawn(&s->frame, &def);
    s->frame.body_count = 0;
    uint8_t* without = drawn(&s->frame, &def);
    double pixel[2];
    picture_camera_project(&camera, picture_camera_point(&camera, (CordVec3){0.5, -0.6, 0}), pixel);
    CHECK(!is_rod(pixel_at(with, &def, (int)pixel[0], (int)pixel[1])));
    picture_camera_project(&camera, picture_camera_point(&camera, s->x[2]), pixel);
    CHECK(is_rod(pixel_at(without, &def, (int)pixel[0], (int)pixel[1])));
    int darker = 0, below = (int)(0.75 * HEIGHT);
    for (int k = below * WIDTH; k < WIDTH * HEIGHT; k++) {
        darker += brightness(&with[3 * k]) < brightness(&without[3 * k]) - 15;
    }
    CHECK(darker > 100);
}

TEST(picture_is_the_same_every_time_and_for_any_threads)
{
    Stage* s = stage_ring(1, 12, 0.1);
    stage_body(s, CORD_SOLID_CAPSULE, (CordVec3){0.2, 0, 0});
    CordPictureDef def = plain_def(300, 170); // more than one tile each way
    def.ground = def.label = true;
    def.eye = (CordVec3){0.3, -1, 0.4};
    def.samples = 16;
    uint8_t* once = drawn(&s->frame, &def);
    for (int threads = 1; threads <= 3; threads++) {
        def.tasks = cord_tasks_openmp(threads);
        CHECK_INT(memcmp(once, drawn(&s->frame, &def), 3 * 300 * 170), 0);
    }
}

static void run_backwards(void* user, void (*task)(void* context, int index), void* context, int count)
{
    (void)user;
    for (int k = count - 1; k >= 0; k--) {
        task(context, k);
    }
}

TEST(picture_does_not_depend_on_the_order_of_its_tiles)
{
    Stage* s = stage_ring(1, 12, 0.1);
    CordPictureDef def = plain_def(300, 170);
    def.ground = true;
    def.eye = (CordVec3){0.3, -1, 0.4};
    uint8_t* forwards = drawn(&s->frame, &def);
    def.tasks = (CordTasks){run_backwards, NULL};
    CHECK_INT(memcmp(forwards, drawn(&s->frame, &def), 3 * 300 * 170), 0);
}

// Changes of colour along the middle of a straight rod.
static int stripe_changes(const Stage* s)
{
    CordPictureDef def = plain_def(400, 100);
    // from far away, so that the front of the tube is as long in the picture as its axis
    def.field_of_view = 0.05;
    def = def_fitted(&s->frame, def);
    Segment g = segment_of(s, &def);
    uint8_t* rgb = drawn(&s->frame, &def);
    int changes = 0, y = (int)g.a[1];
    int from = (int)g.a[0] + 1, to = (int)g.b[0] - 1;
    for (int x = from + 1; x < to; x++) {
        changes += is_strong(pixel_at(rgb, &def, x, y)) != is_strong(pixel_at(rgb, &def, x - 1, y));
    }
    return changes;
}

// The axis starts towards the viewer, in the middle of a strong strand; a turn passes two strands and two
// gaps.
TEST(stripes_count_the_turns)
{
    for (int turns = 0; turns <= 4; turns++) {
        Stage* s = stage_line(1, 41, 0.03, turns);
        CHECK_INT(stripe_changes(s), 4 * turns);
    }
}

TEST(the_sides_of_m1_are_the_strong_ones)
{
    const CordVec3 axes[] = {{0, -1, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}}; // to the viewer, away, up, down
    for (int k = 0; k < 4; k++) {
        Stage* s = stage_line(1, 11, 0.2, 0);
        for (int j = 0; j < 10; j++) {
            s->m1[j] = axes[k];
        }
        CordPictureDef def = def_fitted(&s->frame, plain_def(WIDTH, HEIGHT));
        Segment g = segment_of(s, &def);
        uint8_t* rgb = drawn(&s->frame, &def);
        int x = (int)(0.5 * (g.a[0] + g.b[0])), y = (int)g.a[1], rim = (int)lround(0.9 * g.radius);
        CHECK_INT(is_strong(pixel_at(rgb, &def, x, y)), k < 2);
        // and the other colour towards the outline
        CHECK_INT(is_strong(pixel_at(rgb, &def, x, y - rim)), k >= 2);
        CHECK_INT(is_strong(pixel_at(rgb, &def, x, y + rim)), k >= 2);
    }
}

TEST(ends_are_round)
{
    Stage* s = stage_line(1, 5, 0.1, 0);
    CordPictureDef def = def_fitted(&s->frame, plain_def(WIDTH, HEIGHT));
    Segment g = segment_of(s, &def);
    uint8_t* rgb = drawn(&s->frame, &def);
    int x = (int)(g.b[0] + 0.8 * g.radius), y = (int)g.b[1];
    CHECK(is_rod(pixel_at(rgb, &def, x, y)));                           // beyond the last node
    CHECK(!is_rod(pixel_at(rgb, &def, x, y + (int)(0.85 * g.radius)))); // where a flat end's corner would be
    CHECK(is_rod(pixel_at(rgb, &def, (int)g.b[0] - 5, y + (int)(0.8 * g.radius)))); // the tube is that thick
}

// The same floor with and without the rod: darker below it, on the side away from the lamp, and nowhere
// lighter.
TEST(rods_throw_shadows_on_the_floor)
{
    Stage* s = stage_line(1, 5, 0.05, 0);
    CordPictureDef def = plain_def(WIDTH, HEIGHT);
    def.eye = (CordVec3){0, -1, 1};
    def.ground = true;
    def.ground_height = -0.1;
    def = def_fitted(&s->frame, def);
    uint8_t* with = drawn(&s->frame, &def);
    for (int i = 0; i < 5; i++) {
        s->x[i].z += 1e3; // out of sight, out of the light
    }
    uint8_t* without = drawn(&s->frame, &def);
    int darker = 0, lighter = 0;
    for (int k = 0; k < WIDTH * HEIGHT; k++) {
        double change = is_rod(&with[3 * k]) ? 0 : brightness(&with[3 * k]) - brightness(&without[3 * k]);
        darker += change < -20;
        lighter += change > 8; // a pixel at the rod's outline may hold some of its highlight
    }
    CHECK(darker > 300);
    CHECK_INT(lighter, 0);
}

TEST(thin_wires_are_seen)
{
    Stage* s = stage_line(1, 21, 1e-4, 0);
    CordPictureDef def = def_fitted(&s->frame, plain_def(WIDTH, HEIGHT));
    Segment g = segment_of(s, &def);
    CHECK(g.radius < 0.05); // much less than a pixel
    def.least_radius = 0.01;
    uint8_t* rgb = drawn(&s->frame, &def);
    for (int x = (int)g.a[0] + 1; x < (int)g.b[0]; x++) {
        CHECK(is_rod(pixel_at(rgb, &def, x, (int)g.a[1])));
    }
}

// A millimetre and a kilometre of the same shape are the same picture, to a rounding of the last bit here and
// there.
TEST(size_does_not_matter)
{
    Stage* s = stage_ring(1, 16, 0.08);
    CordPictureDef def = plain_def(WIDTH, HEIGHT);
    def.eye = (CordVec3){0, -1, 0.5};
    uint8_t* one = drawn(&s->frame, &def);
    const double sizes[] = {1e-3, 1e3};
    for (int k = 0; k < 2; k++) {
        Stage* other = stage_ring(sizes[k], 16, 0.08 * sizes[k]);
        uint8_t* rgb = drawn(&other->frame, &def);
        int differ = 0;
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            differ += fabs(brightness(&one[3 * i]) - brightness(&rgb[3 * i])) > 3;
        }
        CHECK(differ < 20);
    }
}

TEST(label_is_drawn_if_wanted)
{
    Stage* s = stage_line(1, 5, 0.05, 0);
    s->frame.time = 1.25;
    CordPictureDef def = plain_def(320, 180);
    uint8_t* without = drawn(&s->frame, &def);
    def.label = true;
    uint8_t* with = drawn(&s->frame, &def);
    s->frame.time = 1.26;
    uint8_t* later = drawn(&s->frame, &def);
    int changed = 0, ticked = 0;
    for (int k = 0; k < 320 * 180; k++) {
        bool corner = k / 320 > 150 && k % 320 > 200; // lower right
        bool differs = memcmp(&with[3 * k], &without[3 * k], 3) != 0;
        CHECK(corner || !differs);
        changed += differs;
        ticked += memcmp(&with[3 * k], &later[3 * k], 3) != 0;
    }
    CHECK(changed > 100);
    CHECK(ticked > 5 && ticked < changed / 2); // the last digit
}

TEST(a_single_point_is_drawn_as_a_ball)
{
    Stage* s = stage_line(0, 4, 0.5, 0);
    CordPictureDef def = def_fitted(&s->frame, plain_def(WIDTH, HEIGHT));
    uint8_t* rgb = drawn(&s->frame, &def);
    CHECK(is_rod(pixel_at(rgb, &def, WIDTH / 2, HEIGHT / 2)));
    CHECK(!is_rod(pixel_at(rgb, &def, 10, HEIGHT / 2)));
    s->radius[0] = s->radius[1] = s->radius[2] = 0;
    def = plain_def(WIDTH, HEIGHT);
    drawn(&s->frame, &def); // without even a radius: something small, and no crash
}

TEST(bad_defs_and_frames_are_refused_with_a_sentence)
{
    Stage* s = stage_line(1, 5, 0.05, 0);
    uint8_t rgb[3 * 16 * 16];
    CordMessage message;
    const CordPictureDef good = plain_def(16, 16);
    CordPictureDef def = good;
#define REFUSED(change, words)                                                                               \
    do {                                                                                                     \
        def = good;                                                                                          \
        change;                                                                                              \
        CHECK_RESULT(cord_picture_render(&s->frame, &def, rgb, &message), CORD_BAD_ARGUMENT);                \
        CHECK_CONTAINS(message.text, words);                                                                 \
    } while (0)
    REFUSED(def.width = 0, "0 x 16 pixels");
    REFUSED(def.height = -5, "16 x -5 pixels");
    REFUSED(def.width = 1000000, "16384");
    REFUSED(def.samples = 0, "0 rays per pixel");
    REFUSED(def.field_of_view = NAN, "field of view");
    REFUSED(def.field_of_view = 4, "field of view");
    REFUSED(def.radius_scale = 0, "radius scale");
    REFUSED(def.least_radius = -1, "least radius");
    const CordPictureGroup less = {"less", -1};
    REFUSED((def.groups = &less, def.group_count = 1), "group 0 of the picture has -1 rods");
    REFUSED((def.fit = false, def.eye = def.target), "eye and target");
    s->x[3].y = NAN;
    REFUSED((void)0, "node 3 of rod \"rope\"");
    for (int i = 0; i < 5; i++) {
        s->x[i] = (CordVec3){NAN, NAN, NAN};
    }
    REFUSED((void)0, "node 0 of rod \"rope\"");
    for (int i = 0; i < 5; i++) {
        s->x[i] = (CordVec3){i, 0, 0};
    }
    stage_body(s, CORD_SOLID_BOX, (CordVec3){0, NAN, 0});
    REFUSED((void)0, "body \"bob\" is not at a finite point");
    s->frame.rod_count = 0;
    REFUSED((void)0, "no rods");
#undef REFUSED
    CHECK_RESULT(cord_picture_render(&s->frame, &good, rgb, NULL), CORD_BAD_ARGUMENT); // nobody listens
}

TEST_GROUP(picture_render)
