// Blows on a stage: pairs and stacks of short rods, as the tests of contact's response begin with them.
#ifndef CORD_TEST_BLOW_STAGE_H
#define CORD_TEST_BLOW_STAGE_H

#include "contact/impulse.h"
#include "stage_rods.h"

#define RADIUS 0.01
#define LEN 0.05 // of an element [m]
#define TOLERANCE 1e-3
#define H 1e-3 // [s]

enum { LAYERS = 4, MOST_RODS = 2 * LAYERS, MOST_NODES = 3 * MOST_RODS, MOST_SEGMENTS = 2 * MOST_RODS };

typedef struct Scene {
    CordWorld* world;
    Stage stage;
    Blows blows;
    StageMove since;
    size_t since_size;
    FrictionLaw friction;
} Scene;

static inline Scene open_rods(int rods, int nodes)
{
    Scene s = {.world = new_weightless_world(), .friction = {.friction = 0.3}};
    Memory* m = &s.world->memory;
    stage_straight_rods(s.world, &s.stage, rods, nodes, LEN, RADIUS);
    s.stage.reach = 0.05 * RADIUS;
    s.blows.w_capacity = s.stage.node_count;
    s.blows.w_spin_capacity = s.blows.way_capacity = s.stage.segment_count;
    s.blows.w = memory_array(m, double, s.stage.node_count);
    s.blows.w_spin = memory_array(m, double, s.stage.segment_count);
    s.blows.way = memory_array(m, double, s.stage.segment_count);
    s.blows.rod_capacity = rods;
    s.blows.rods = memory_array(m, BlowRod, rods);
    return s;
}

static inline Scene open_scene(int rods) // of two elements each
{
    return open_rods(rods, 3);
}

static inline void close_scene(Scene* s)
{
    Memory* m = &s->world->memory;
    blows_free(m, &s->blows);
    stage_move_free(m, &s->since, &s->since_size);
    stage_free(m, &s->stage);
    cord_world_destroy(s->world);
}

static inline void add_solid(Scene* s, CordSolidShape shape, CordVec3 size, CordVec3 at)
{
    Pose pose = {at, {0, 0, 0, 1}};
    StageSolid solid = {.solid = {.shape = shape, .size = size},
                        .begin = pose,
                        .goal = pose,
                        .from = pose,
                        .to = pose,
                        .friction = 0.3};
    CHECK(stage_add_solid(&s->world->memory, &s->stage, &solid));
}

static inline void begin(Scene* s)
{
    TouchLaw law = {.gap = 0.2, .tolerance = TOLERANCE};
    Stage* st = &s->stage;
    memcpy(st->from, st->begin, sizeof(CordVec3) * (size_t)st->node_count);
    CHECK(stage_search(&s->world->memory, st));
    CHECK(stage_move_reserve(&s->world->memory, &s->since, st, &s->since_size));
    stage_move_clear(&s->since, st);
    CHECK(blows_begin(&s->world->memory, &s->blows, st, &law, &s->friction, H));
}

static inline const Touch* touch_of(const Scene* s, int i)
{
    return &s->blows.touches.all[s->blows.past[i].touch];
}

// Two elements that cross or nearly do not, or one on a ball, with masses of any kind.
static inline void place_pair(Scene* s, uint64_t* seed, double sine)
{
    Stage* st = &s->stage;
    CordVec3 a = {LEN, 0, 0}, b = {LEN * sqrt(1.0 - sine * sine), LEN * sine, 0};
    CordVec3 up = {0, 0, 2.0 * RADIUS + 0.1 * RADIUS * random_in(seed, 0.1, 0.9)};
    CordVec3 shift = {random_in(seed, -0.4, 0.4) * LEN, 0.4 * sine * random_in(seed, -LEN, LEN), 0};
    st->begin[0] = vec3_mul(a, -0.5), st->begin[1] = vec3_mul(a, 0.5);
    st->begin[2] = vec3_add(st->begin[1], (CordVec3){0.02, 0, -0.03});
    if (st->rod_count > 1) {
        st->begin[3] = vec3_add(vec3_madd(up, b, -0.5), shift);
        st->begin[4] = vec3_madd(st->begin[3], b, 1.0);
        st->begin[5] = vec3_add(st->begin[4], (CordVec3){0.02, 0, 0.03});
    }
    for (int n = 0; n < st->node_count; n++) {
        st->begin[n] = vec3_add(st->begin[n], random_vec3(seed, 0.01 * RADIUS));
        st->to[n] = st->begin[n];
        s->blows.w[n] = random_in(seed, 0.5, 5.0);
    }
    for (int k = 0; k < st->segment_count; k++) {
        s->blows.w_spin[k] = random_in(seed, 0.5, 5.0) / (RADIUS * RADIUS);
    }
}

// Layers of two rods each, at touch, across each other, on the ground; every rod is on its way down and
// aside, the upper ones faster.
static inline Scene open_stack(uint64_t* seed, double across, double aside)
{
    Scene s = open_scene(MOST_RODS);
    Stage* st = &s.stage;
    add_solid(&s, CORD_SOLID_PLANE, (CordVec3){0, 0, 0}, (CordVec3){0, 0, 0});
    for (int r = 0; r < MOST_RODS; r++) {
        int layer = r / 2;
        bool along_x = layer % 2 == 0;
        double off = (r % 2 == 0 ? -0.6 : 0.6) * LEN + random_in(seed, -0.1, 0.1) * LEN;
        CordVec3 way = {aside * layer * random_in(seed, 0.5, 1.0), aside * layer * random_in(seed, -1.0, 1.0),
                        -RADIUS * random_in(seed, -0.005, 0.05)}; // some rise
        st->rods[r].rod->friction_across = across;
        for (int n = 0; n < 3; n++) {
            double at = (n - 1) * 1.5 * LEN;
            CordVec3 x = {along_x ? at : off, along_x ? off : at, RADIUS * (2 * layer + 1)};
            st->begin[3 * r + n] = x;
            st->to[3 * r + n] = vec3_add(x, way);
            s.blows.w[3 * r + n] = random_in(seed, 0.5, 2.0);
        }
        for (int k = 0; k < 2; k++) {
            s.blows.w_spin[2 * r + k] = random_in(seed, 0.5, 2.0) / (RADIUS * RADIUS);
        }
    }
    return s;
}

#endif
