// Small frames for the tests of pictures, filled in by hand.
#ifndef CORDAGE_TEST_PICTURE_FRAMES_H
#define CORDAGE_TEST_PICTURE_FRAMES_H

#include <cordage/io.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    Stage* s = calloc(1, sizeof *s);
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

static inline bool pictures_are_built(void)
{
    Stage* s = stage_line(1, 2, 0.1, 0);
    CordPictureDef def = plain_def(1, 1);
    uint8_t rgb[3];
    CordMessage message;
    bool built = cord_picture_render(&s->frame, &def, rgb, &message) != CORD_NOT_SUPPORTED;
    free(s);
    return built;
}

#endif
