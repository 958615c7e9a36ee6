// Networks and surfaces in pictures.
#include "network_frames.h"
#include "picture_frames.h"

enum { WIDE = 200, HIGH = 120 };

static CordPictureDef from_above(void)
{
    CordPictureDef def = plain_def(WIDE, HIGH);
    def.eye = (CordVec3){0.5, 1.5, 10};
    def.target = (CordVec3){0.5, 1.5, 0};
    def.up = (CordVec3){0, 1, 0};
    def.fit = false;
    def.least_radius = 0;
    return def;
}

static Shot* shot_from_above(const CordFrame* frame)
{
    CordPictureDef def = from_above();
    return shot_make(frame, &def);
}

TEST(edges_of_a_network_are_straight_and_stand_alone)
{
    NetFrame* net = net_frame();
    const Shot* shot = shot_from_above(&net->frame);
    const PictureCurves* c = &shot->curves;
    CHECK_INT(c->edge_count, NET_EDGES);
    CHECK(c->edges[0].after == 1 && c->edges[1].before == 0 && !c->edges[0].network);
    for (int j = 2; j < NET_EDGES; j++) {
        const PictureEdge* e = &c->edges[j];
        CHECK(e->network && e->before == -1 && e->after == -1 && e->pieces == 1);
        for (int k = 0; k < 2; k++) {
            CordVec3 x = picture_camera_point(&shot->camera, net->x[net->ends[2 * j + k]]);
            CHECK_VEC3(picture_curves_point(c, j, k), x, 1e-15);
            // of order 1
            CHECK_NEAR(picture_curves_radius(c, j, k) * shot->camera.scale, net->radius[j], 1e-15 * 10);
        }
    }
}

TEST(many_edges_are_drawn_thinner_than_one_rod_has_to_be)
{
    enum { EDGES = 4900 };
    static int ends[2 * EDGES];
    static CordVec3 m1[EDGES];
    static double radius[EDGES];
    CordVec3 x[2] = {{0, 0, 0}, {1, 0, 0}};
    CordFrameRod rod = {"many", 0, 2, 0, EDGES, false, true};
    CordFrame frame = {.rod_count = 1,
                       .node_count = 2,
                       .edge_count = EDGES,
                       .rods = &rod,
                       .x = x,
                       .m1 = m1,
                       .radius = radius,
                       .ends = ends};
    CordPictureDef def = from_above();
    for (int j = 0; j < EDGES; j++) {
        ends[2 * j + 1] = 1;
    }
    def.least_radius = 0.003;
    const Shot* shot = shot_make(&frame, &def);
    CHECK_NEAR(picture_curves_radius(&shot->curves, 7, 0.5), 2 * shot->camera.half_height * 0.07 / 70.0,
               1e-15); // at distance 1
}

TEST(a_network_whose_edges_lead_elsewhere_is_refused)
{
    NetFrame* net = net_frame();
    PictureCurves c;
    PictureCamera camera = {.scale = 1, .half_height = 1, .height = 1};
    CordPictureDef def = plain_def(WIDE, HIGH);
    CordMessage message = {""};
    net->ends[7] = 1; // a node of the rope
    CHECK_RESULT(picture_curves_make(&net->frame, &def, &camera, &c, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "frame, bent");
}

TEST(a_hidden_rod_is_not_among_the_curves)
{
    NetFrame* net = net_frame();
    net->surface.hides = true;
    CHECK_INT(shot_from_above(&net->frame)->curves.edge_count, 2);
    net->surface.rod = 0; // the first one: what comes after it keeps its rod
    const PictureCurves* c = &shot_from_above(&net->frame)->curves;
    CHECK_INT(c->edge_count, 6);
    CHECK(c->edges[0].network && c->edges[0].rod == 1);
    CHECK(box_of(&net->frame).high.y < 2.0); // without the rope
}

TEST(bounds_hold_the_surface)
{
    NetFrame* net = net_frame();
    net->vertices[0] = (CordVec3){-5, 0, 7};
    Box box = box_of(&net->frame);
    CHECK_NEAR(box.low.x, -5.0, 0);
    CHECK_NEAR(box.high.z, 7.0, 0);
}

TEST(joints_have_a_bullet_each_as_large_as_their_thickest_edge_asks)
{
    NetFrame* net = net_frame();
    CordMessage message = {""};
    Shot* shot = shot_from_above(&net->frame);
    CHECK_OK(picture_markers_make(&net->frame, &shot->curves, &shot->camera, &shot->bodies, &message));
    CHECK_INT(shot->bodies.count, NET_NODES);
    const PictureSolid* top = &shot->bodies.list[7]; // held by edges 2 to 5
    CordVec3 x = picture_camera_point(&shot->camera, net->x[7]);
    double away = cord_vec3_length(cord_vec3_sub(top->center, x));
    CHECK_NEAR(away * shot->camera.scale, net->radius[5], 1e-12); // units of ten metres, and back
}

// ---- rendered

static const uint8_t* pixel_at(const uint8_t* rgb, CordVec3 x) // of a point in the plane z = 0, from above
{
    CordPictureDef def = from_above();
    PictureCamera camera = camera_of(&def);
    double pixel[2];
    CHECK(picture_camera_project(&camera, picture_camera_point(&camera, x), pixel) > 0);
    return rgb + 3 * ((int)pixel[1] * WIDE + (int)pixel[0]);
}

static const uint8_t* render(const NetFrame* net)
{
    CordPictureDef def = from_above();
    return drawn(&net->frame, &def);
}

static bool is_reddish(const uint8_t* p) // the first rod's colours: vermilion and sand
{
    return p[0] > p[2] + 20;
}

static bool is_bluish(const uint8_t* p) // the second's: blue and ice
{
    return p[2] > p[0] + 20;
}

TEST(networks_and_surfaces_are_seen_where_they_are_in_their_rods_colours)
{
    NetFrame* net = net_frame();
    for (int j = 0; j < NET_EDGES; j++) {
        net->radius[j] = 0.05;
    }
    net->frame.surface_count = 0;
    const uint8_t* rgb = render(net);
    CHECK(is_reddish(pixel_at(rgb, (CordVec3){1.5, 3, 0})));
    CHECK(is_bluish(pixel_at(rgb, (CordVec3){0.5, 0, 0})));  // edge 6
    CHECK(is_bluish(pixel_at(rgb, (CordVec3){0.5, 1, 0})));  // edge 7
    CHECK(!is_bluish(pixel_at(rgb, (CordVec3){0, 0.5, 0}))); // there is none
    CHECK(!is_bluish(pixel_at(rgb, (CordVec3){0.2, 0.5, 0})));
    net->frame.surface_count = 1;
    rgb = render(net);
    CHECK(is_bluish(pixel_at(rgb, (CordVec3){0.2, 0.5, 0}))); // the roof
    CHECK(!is_bluish(pixel_at(rgb, (CordVec3){1.5, 0.5, 0})));
    net->surface.hides = true;
    net->triangles[0] = net->triangles[1] = net->triangles[2] = 0; // half of it alone
    rgb = render(net);
    CHECK(is_bluish(pixel_at(rgb, (CordVec3){0.2, 0.7, 0})));
    CHECK(!is_bluish(pixel_at(rgb, (CordVec3){0.5, 0, 0}))); // edge 6 is hidden
}

TEST(a_surface_is_seen_from_both_sides)
{
    NetFrame* net = net_frame();
    net->surface.hides = true;                // nothing keeps the light off it
    for (int k = 0; k < NET_TRIANGLES; k++) { // turned over
        int swap = net->triangles[3 * k];
        net->triangles[3 * k] = net->triangles[3 * k + 1], net->triangles[3 * k + 1] = swap;
    }
    const uint8_t* p = pixel_at(render(net), (CordVec3){0.2, 0.5, 0});
    CHECK(is_bluish(p) && p[2] > 150); // in the light
}

// A ball of radius 1 about (0.5, 1.5, 0), whose triangles are 15 and 22 degrees wide; its poles, where it has
// small holes, lie along y.
enum { RINGS = 12, SIDES = 16, VERTICES = (RINGS + 1) * SIDES, TRIANGLES = 2 * RINGS * SIDES };

static CordFrameSurface ball_make(CordVec3* vertices, int* triangles)
{
    for (int i = 0; i <= RINGS; i++) {
        for (int k = 0; k < SIDES; k++) {
            double a = TEST_PI * (i + 1e-3 * (i == 0) - 1e-3 * (i == RINGS)) / RINGS,
                   b = 2 * TEST_PI * k / SIDES;
            vertices[i * SIDES + k] = (CordVec3){0.5 + sin(a) * cos(b), 1.5 + cos(a), -sin(a) * sin(b)};
        }
    }
    for (int i = 0, t = 0; i < RINGS; i++) {
        for (int k = 0; k < SIDES; k++, t += 6) {
            int a = i * SIDES + k, b = i * SIDES + (k + 1) % SIDES;
            int corners[6] = {a, a + SIDES, b, b, a + SIDES, b + SIDES};
            memcpy(&triangles[t], corners, sizeof corners);
        }
    }
    return (CordFrameSurface){.name = "ball",
                              .hides = true,
                              .vertex_count = VERTICES,
                              .triangle_count = TRIANGLES,
                              .vertices = vertices,
                              .triangles = triangles};
}

// Normals are those of the round ball, but for what triangles leave: their middles lie 0.02 below it, and a
// mean of normals is off by a few hundredths. Flat triangles would be off by up to 0.23.
TEST(a_coarse_ball_has_the_normals_of_a_round_one)
{
    static CordVec3 vertices[VERTICES];
    static int triangles[3 * TRIANGLES];
    CordFrameSurface ball = ball_make(vertices, triangles);
    CordFrameRod rod = {"rope", 0, 2, 0, 1, false, false};
    CordVec3 x[2] = {{0, 0, 0}, {1, 0, 0}}, m1 = {0, 0, 1};
    double radius = 0.1;
    CordFrame frame = {
        .rod_count = 1, .node_count = 2, .edge_count = 1, .rods = &rod, .x = x, .m1 = &m1, .radius = &radius};
    frame.surfaces = &ball, frame.surface_count = 1;
    Shot* shot = shot_from_above(&frame);
    CHECK_INT(shot->curves.edge_count, 0);
    shot_trace(shot);
    double worst = 0;
    int hits = 0;
    for (int i = 0; i < 900; i++) {
        CordVec3 to = {0.5 - 0.9 + 1.8 * (i % 30) / 29, 1.5 - 0.9 + 1.8 * (i / 30) / 29, 0}, eye = {0, 0, 1};
        CordVec3 d = cord_vec3_unit_or(cord_vec3_sub(picture_camera_point(&shot->camera, to), eye), eye);
        PictureHit hit;
        if (!picture_tracer_hit(shot->tracer, eye, d, &hit)) {
            continue;
        }
        CHECK(hit.edge == -1 && hit.body == shot->bodies.count);
        CordVec3 p = cord_vec3_scale(cord_vec3_madd(eye, d, hit.distance), 10); // [m]
        CordVec3 off = cord_vec3_sub(hit.normal, cord_vec3_unit_or(p, eye));
        worst = fmax(worst, cord_vec3_length(off));
        CHECK(cord_vec3_dot(hit.lift, p) >= 0); // outwards
        hits++;
    }
    CHECK(hits > 600);
    CHECK(worst < 0.06);
}

TEST_GROUP(picture_network)
