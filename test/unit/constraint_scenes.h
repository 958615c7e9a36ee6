// Contact constraints: pairs and stacks of short rods, as the tests of contact's response begin
// with them.
#ifndef CORD_TEST_CONSTRAINT_SCENES_H
#define CORD_TEST_CONSTRAINT_SCENES_H

#include "collider_rods.h"
#include "contact/constraint.h"

#define RADIUS 0.01
#define LEN 0.05 // of an element [m]
#define TOLERANCE 1e-3
#define H 1e-3 // [s]

enum { LAYERS = 4, MOST_RODS = 2 * LAYERS, MOST_NODES = 3 * MOST_RODS, MOST_SEGMENTS = 2 * MOST_RODS };

typedef struct Scene {
    CordWorld* world;
    Colliders colliders;
    ContactConstraints constraints;
    DofVector since;
    size_t since_size;
    SurfaceLaws friction;
} Scene;

static inline Scene open_rods(int rods, int nodes)
{
    Scene s = {.world = new_weightless_world(), .friction = {.friction = 0.3}};
    Memory* m = &s.world->memory;
    add_straight_rods(s.world, &s.colliders, rods, nodes, LEN, RADIUS);
    s.colliders.reach = 0.05 * RADIUS;
    s.constraints.w_capacity = s.colliders.node_count;
    s.constraints.w_spin_capacity = s.constraints.travel_capacity = s.colliders.segment_count;
    s.constraints.w = memory_array(m, double, s.colliders.node_count);
    s.constraints.w_spin = memory_array(m, double, s.colliders.segment_count);
    s.constraints.travel = memory_array(m, double, s.colliders.segment_count);
    s.constraints.rod_capacity = rods;
    s.constraints.rods = memory_array(m, ConstraintRod, rods);
    return s;
}

static inline Scene open_scene(int rods) // of two elements each
{
    return open_rods(rods, 3);
}

static inline void close_scene(Scene* s)
{
    Memory* m = &s->world->memory;
    contact_constraints_free(m, &s->constraints);
    dof_vector_free(m, &s->since, &s->since_size);
    colliders_free(m, &s->colliders);
    cord_world_destroy(s->world);
}

static inline void add_solid(Scene* s, CordSolidShape shape, CordVec3 size, CordVec3 at)
{
    add_still_solid(s->world, &s->colliders, shape, size, at, 0.3);
}

static inline void begin(Scene* s)
{
    ContactLaw law = {.gap = 0.2, .tolerance = TOLERANCE};
    Colliders* cs = &s->colliders;
    memcpy(cs->from, cs->begin, sizeof(CordVec3) * (size_t)cs->node_count);
    CHECK(broad_phase_update(&s->world->memory, cs));
    CHECK(dof_vector_reserve(&s->world->memory, &s->since, cs, &s->since_size));
    dof_vector_clear(&s->since, cs);
    for (int i = 0; i < cs->rod_count; i++) {
        cs->rods[i].kick = H;
    }
    CHECK(
        contact_constraints_begin(&s->world->memory, &s->constraints, cs, cs->begin, &law, &s->friction, H));
}

static inline const ContactPoint* touch_of(const Scene* s, int i)
{
    return &s->constraints.contacts.all[s->constraints.past[i].contact];
}

// Masses of any kind: their inverses are between 0.5 and `most`.
static inline void random_masses(Scene* s, uint64_t* seed, double most)
{
    for (int n = 0; n < s->colliders.node_count; n++) {
        s->constraints.w[n] = random_in(seed, 0.5, most);
    }
    for (int k = 0; k < s->colliders.segment_count; k++) {
        s->constraints.w_spin[k] = random_in(seed, 0.5, most) / (RADIUS * RADIUS);
    }
}

// Turns what contact has moved into the impulses that did so.
static inline void divide_by_masses(Scene* s)
{
    DofVector* moved = &s->constraints.moved;
    for (int n = 0; n < s->colliders.node_count; n++) {
        moved->x[n] = vec3_mul(moved->x[n], 1.0 / s->constraints.w[n]);
    }
    for (int k = 0; k < s->colliders.segment_count; k++) {
        moved->spin[k] /= s->constraints.w_spin[k];
    }
}

typedef struct Tally { // of contacts
    int pushing, idle, sliding, sticking;
} Tally;

// The most that friction may be.
static inline double limit_of(const Scene* s, int i)
{
    const ContactConstraint* constraint = &s->constraints.all[i];
    const CordVec3 axis[2] = {constraint->side[0].axis, constraint->side[1].axis};
    double size = vec3_length(constraint->friction_impulse),
           most = constraint->mu * constraint->normal_impulse;
    return size > 0.0 ? most * friction_anisotropy(axis, &s->constraints.past[i].shape, constraint->sides,
                                                   vec3_mul(constraint->friction_impulse, 1.0 / size))
                      : most;
}

// Two elements that cross or nearly do not, or one on a ball, with masses of any kind.
static inline void place_pair(Scene* s, uint64_t* seed, double sine)
{
    Colliders* cs = &s->colliders;
    CordVec3 a = {LEN, 0, 0}, b = {LEN * sqrt(1.0 - sine * sine), LEN * sine, 0};
    CordVec3 up = {0, 0, 2.0 * RADIUS + 0.1 * RADIUS * random_in(seed, 0.1, 0.9)};
    CordVec3 shift = {random_in(seed, -0.4, 0.4) * LEN, 0.4 * sine * random_in(seed, -LEN, LEN), 0};
    cs->begin[0] = vec3_mul(a, -0.5), cs->begin[1] = vec3_mul(a, 0.5);
    cs->begin[2] = vec3_add(cs->begin[1], (CordVec3){0.02, 0, -0.03});
    if (cs->rod_count > 1) {
        cs->begin[3] = vec3_add(vec3_madd(up, b, -0.5), shift);
        cs->begin[4] = vec3_madd(cs->begin[3], b, 1.0);
        cs->begin[5] = vec3_add(cs->begin[4], (CordVec3){0.02, 0, 0.03});
    }
    for (int n = 0; n < cs->node_count; n++) {
        cs->begin[n] = vec3_add(cs->begin[n], random_vec3(seed, 0.01 * RADIUS));
        cs->to[n] = cs->begin[n];
    }
    random_masses(s, seed, 5.0);
}

// Layers of two rods each, at touch, across each other, on the ground; every rod is on its way down and
// aside, the upper ones faster.
static inline Scene open_stack(uint64_t* seed, double across, double aside)
{
    Scene s = open_scene(MOST_RODS);
    Colliders* cs = &s.colliders;
    add_solid(&s, CORD_SOLID_PLANE, (CordVec3){0, 0, 0}, (CordVec3){0, 0, 0});
    for (int r = 0; r < MOST_RODS; r++) {
        int layer = r / 2;
        bool along_x = layer % 2 == 0;
        double off = (r % 2 == 0 ? -0.6 : 0.6) * LEN + random_in(seed, -0.1, 0.1) * LEN;
        CordVec3 way = {aside * layer * random_in(seed, 0.5, 1.0), aside * layer * random_in(seed, -1.0, 1.0),
                        -RADIUS * random_in(seed, -0.005, 0.05)}; // some rise
        cs->rods[r].rod->surface.friction_across = across;
        for (int n = 0; n < 3; n++) {
            double at = (n - 1) * 1.5 * LEN;
            CordVec3 x = {along_x ? at : off, along_x ? off : at, RADIUS * (2 * layer + 1)};
            cs->begin[3 * r + n] = x;
            cs->to[3 * r + n] = vec3_add(x, way);
            s.constraints.w[3 * r + n] = random_in(seed, 0.5, 2.0);
        }
        for (int k = 0; k < 2; k++) {
            s.constraints.w_spin[2 * r + k] = random_in(seed, 0.5, 2.0) / (RADIUS * RADIUS);
        }
    }
    return s;
}

#endif
