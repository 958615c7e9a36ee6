// Small frames for the tests of pictures, filled in by hand.
#ifndef CORDAGE_TEST_PICTURE_FRAMES_H
#define CORDAGE_TEST_PICTURE_FRAMES_H

#include "export_fixture.h"

#include "export/mesh.h"
#include "export/picture.h"

#include <cordage/math.h>

#define TEST_PI 3.14159265358979323846

enum { RODS_MOST = 4, NODES_MOST = 1024, BODIES_MOST = 8 };

typedef struct Stage {
    CordFrame frame;
    CordFrameRod rods[RODS_MOST];
    CordVec3 x[NODES_MOST], m1[NODES_MOST];
    double radius[NODES_MOST];
    CordFrameBody bodies[BODIES_MOST];
} Stage;

static inline double random_between(double low, double high)
{
    static uint32_t random_state = 1;
    random_state = random_state * 1664525u + 1013904223u;
    return low + (high - low) * (random_state >> 8) / (1 << 24);
}

static inline CordVec3 random_vector(double reach)
{
    return (CordVec3){random_between(-reach, reach), random_between(-reach, reach),
                      random_between(-reach, reach)};
}

static inline Stage* stage_make(void)
{
    Stage* s = keep_zeros(sizeof *s);
    s->frame = (CordFrame){.rods = s->rods, .x = s->x, .m1 = s->m1, .radius = s->radius, .bodies = s->bodies};
    return s;
}

// Adds a rod whose nodes the caller then sets; material axes point along z.
static inline CordVec3* stage_rod(Stage* s, int nodes, bool closed, double radius)
{
    CordFrame* f = &s->frame;
    int edges = closed ? nodes : nodes - 1;
    s->rods[f->rod_count++] =
        (CordFrameRod){"rope", f->node_count, nodes, f->edge_count, edges, closed, false};
    for (int j = 0; j < edges; j++) {
        s->m1[f->edge_count + j] = (CordVec3){0, 0, 1};
        s->radius[f->edge_count + j] = radius;
    }
    CordVec3* x = &s->x[f->node_count];
    f->node_count += nodes;
    f->edge_count += edges;
    return x;
}

// A straight rod from a along x, whose material axis starts towards -y (the viewer) and makes `turns` turns
// about it.
static inline Stage* stage_line(double length, int nodes, double radius, double turns)
{
    Stage* s = stage_make();
    CordVec3* x = stage_rod(s, nodes, false, radius);
    for (int i = 0; i < nodes; i++) {
        x[i] = (CordVec3){length * i / (nodes - 1), 0, 0};
    }
    for (int j = 0; j < nodes - 1; j++) {
        double angle = 2 * TEST_PI * turns * (j + 0.5) / (nodes - 1);
        s->m1[j] = (CordVec3){0, -cos(angle), -sin(angle)};
    }
    return s;
}

static inline Stage* stage_ring(double radius, int nodes, double thickness)
{
    Stage* s = stage_make();
    CordVec3* x = stage_rod(s, nodes, true, thickness);
    for (int i = 0; i < nodes; i++) {
        double angle = 2 * TEST_PI * i / nodes;
        x[i] = (CordVec3){radius * cos(angle), radius * sin(angle), 0};
    }
    return s;
}

// One of each shape, the first a sphere, of about the same size, turned some way.
static const CordVec3 body_sizes[] = {[CORD_SOLID_SPHERE] = {0.5, 0, 0},
                                      [CORD_SOLID_BOX] = {0.6, 0.8, 1.0},
                                      [CORD_SOLID_CYLINDER] = {0.3, 0, 0.8},
                                      [CORD_SOLID_CAPSULE] = {0.3, 0, 0.6}};

static inline CordFrameBody* stage_body(Stage* s, CordSolidShape shape, CordVec3 position)
{
    CordFrameBody* body = &s->bodies[s->frame.body_count++];
    *body = (CordFrameBody){
        .name = "bob", .solid.shape = shape, .solid.size = body_sizes[shape], .position = position};
    body->rotation = cord_quat_about((CordVec3){1, 2, -1}, 0.8);
    return body;
}

// Small, seen from the front (along y), without a floor or a label.
static inline CordPictureDef plain_def(int width, int height)
{
    CordPictureDef def = cord_picture_def_default();
    def.width = width;
    def.height = height;
    def.eye = (CordVec3){0, -1, 0};
    def.target = (CordVec3){0, 0, 0};
    def.ground = false;
    def.label = false;
    def.samples = 4;
    return def;
}

typedef struct Box {
    CordVec3 low, high;
} Box;

static inline void box_add(Box* box, const CordFrame* frame)
{
    cord_picture_bounds(frame, &box->low, &box->high);
}

static inline Box box_of(const CordFrame* frame)
{
    Box box = {{1, 1, 1}, {-1, -1, -1}}; // empty
    box_add(&box, frame);
    return box;
}

static inline CordVec3 box_corner(const Box* box, int k) // of eight
{
    return (CordVec3){k & 1 ? box->high.x : box->low.x, k & 2 ? box->high.y : box->low.y,
                      k & 4 ? box->high.z : box->low.z};
}

// The box around the vertices of a mesh with this many sides.
static inline Box box_of_solid(const CordFrameObstacle* solid, int sides)
{
    Box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    Mesh mesh;
    CHECK(mesh_of_solid(&mesh, solid, solid->position, solid->position, sides));
    for (int i = 0; i < mesh.vertex_count; i++) {
        CordVec3 x = mesh.x[i];
        box.low = (CordVec3){fmin(box.low.x, x.x), fmin(box.low.y, x.y), fmin(box.low.z, x.z)};
        box.high = (CordVec3){fmax(box.high.x, x.x), fmax(box.high.y, x.y), fmax(box.high.z, x.z)};
    }
    mesh_free(&mesh);
    return box;
}

static inline CordPictureDef def_fitted(const CordFrame* frame, CordPictureDef def)
{
    Box box = box_of(frame);
    cord_picture_fit(&def, box.low, box.high);
    return def;
}

static inline PictureCamera camera_of(const CordPictureDef* def)
{
    PictureCamera camera;
    CordMessage message = {""};
    check_said(picture_camera_make(def, &camera, &message), &message);
    return camera;
}

static inline CordVec3 camera_eye(const PictureCamera* camera)
{
    return cord_vec3_scale(camera->forward, -1.0);
}

// ---- what is drawn of a frame

typedef struct Shot {
    PictureCamera camera;
    PictureCurves curves;
    PictureSolids bodies;
    PictureSurfaces surfaces;
    PictureTracer* tracer;
    PictureMask mask;
} Shot;

static inline void shot_release(void* thing)
{
    Shot* shot = thing;
    picture_mask_free(&shot->mask);
    picture_tracer_destroy(shot->tracer);
    picture_curves_free(&shot->curves);
    picture_solids_free(&shot->bodies);
    picture_surfaces_free(&shot->surfaces);
    free(shot);
}

static inline Shot* shot_make(const CordFrame* frame, const CordPictureDef* def)
{
    Shot* shot = keep(calloc(1, sizeof *shot), shot_release);
    CordMessage message = {""};
    shot->camera = camera_of(def);
    if (frame->rod_count > 0) {
        check_said(picture_curves_make(frame, def, &shot->camera, &shot->curves, &message), &message);
    }
    check_said(picture_solids_make(frame, &shot->camera, &shot->bodies, &message), &message);
    check_said(picture_surfaces_make(frame, &shot->camera, &shot->surfaces, &message), &message);
    return shot;
}

static inline Shot* shot_of(const CordFrame* frame) // from the front; its units are metres
{
    CordPictureDef def = plain_def(640, 360);
    def.least_radius = 0;
    return shot_make(frame, &def);
}

static inline void check_lost(const CordFrame* frame, const char* text)
{
    CordPictureDef def = plain_def(640, 360);
    PictureCamera camera = camera_of(&def);
    PictureSolids bodies;
    CordMessage message = {""};
    CHECK_RESULT(picture_solids_make(frame, &camera, &bodies, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, text);
    picture_solids_free(&bodies);
}

static inline void shot_trace(Shot* shot) // in a build without Embree the test is skipped
{
    CordMessage message = {""};
    CordResult result =
        picture_tracer_create(&shot->curves, &shot->bodies, &shot->surfaces, &shot->tracer, &message);
    if (result == CORD_NOT_SUPPORTED) {
        skip();
    }
    check_said(result, &message);
}

static inline uint8_t* drawn(const CordFrame* frame, const CordPictureDef* def) // likewise
{
    uint8_t* rgb = keep_zeros(3 * (size_t)def->width * (size_t)def->height);
    CordMessage message = {""};
    CordResult result = cord_picture_render(frame, def, rgb, &message);
    if (result == CORD_NOT_SUPPORTED) {
        skip();
    }
    check_said(result, &message);
    return rgb;
}

static inline void skip_without_pictures(void)
{
    CordPictureDef def = plain_def(1, 1);
    drawn(&stage_line(1, 2, 0.1, 0)->frame, &def);
}

#endif
