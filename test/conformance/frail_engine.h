// An engine for rigid bodies, all of them balls in a wind that changes with the engine's own clock. From some
// call on it can be told to fail: the states of its bodies are then no longer finite, until they are set.
#ifndef CORDAGE_TEST_FRAIL_ENGINE_H
#define CORDAGE_TEST_FRAIL_ENGINE_H

#include "vectors.h"

#include <cordage/body.h>

#include <string.h>

enum { MOST_FRAIL_BODIES = 4 };

typedef struct FrailBody {
    CordBodyState state;
    double mass, inertia;
    CordVec3 force, torque; // of the next step
} FrailBody;

typedef struct FrailEngine {
    FrailBody bodies[MOST_FRAIL_BODIES];
    int count;
    double clock; // the only state beside those of the bodies [s]
    int calls;    // of add_wrench, step and correct
    int fail;     // the first of these calls that fails, and all later ones do; 0: none
} FrailEngine;

static inline void frail_call(FrailEngine* e)
{
    e->calls++;
    for (int i = 0; e->fail > 0 && e->calls >= e->fail && i < e->count; i++) {
        e->bodies[i].state.position.z = e->bodies[i].state.spin.x = NAN;
    }
}

static inline CordResult frail_create(void* user, const CordBodyDef* def, void** body)
{
    FrailEngine* e = user;
    if (e->count == MOST_FRAIL_BODIES) {
        return CORD_NO_MEMORY;
    }
    FrailBody* b = *body = &e->bodies[e->count++];
    *b = (FrailBody){.state = {def->position, def->rotation, def->velocity, def->spin},
                     .mass = def->mass,
                     .inertia = def->inertia[0]};
    return CORD_OK;
}

static inline void frail_destroy(void* user, void* body)
{
    (void)user, (void)body;
}

static inline CordBodyState frail_get(void* user, void* body)
{
    (void)user;
    return ((const FrailBody*)body)->state;
}

static inline void frail_set(void* user, void* body, const CordBodyState* state)
{
    (void)user;
    ((FrailBody*)body)->state = *state;
}

static inline CordBodyInertia frail_inertia(void* user, void* body)
{
    const FrailBody* b = body;
    (void)user;
    return (CordBodyInertia){b->mass, {b->inertia, b->inertia, b->inertia, 0, 0, 0}};
}

static inline void frail_add_wrench(void* user, void* body, CordVec3 force, CordVec3 torque)
{
    FrailBody* b = body;
    b->force = plus(b->force, force), b->torque = plus(b->torque, torque);
    frail_call(user);
}

static inline CordQuat frail_turned(CordQuat q, CordVec3 angle) // by a small one: (angle / 2, 1) q
{
    CordVec3 a = times(angle, 0.5), u = {q.x, q.y, q.z}, v = plus(plus(u, times(a, q.w)), cross(a, u));
    double w = q.w - dot(a, u), norm = sqrt(dot(v, v) + w * w);
    return (CordQuat){v.x / norm, v.y / norm, v.z / norm, w / norm};
}

static inline void frail_push(FrailBody* b, CordVec3 impulse, CordVec3 angular_impulse, double lever)
{
    CordVec3 dv = times(impulse, 1.0 / b->mass), ds = times(angular_impulse, 1.0 / b->inertia);
    b->state.velocity = plus(b->state.velocity, dv), b->state.spin = plus(b->state.spin, ds);
    b->state.position = plus(b->state.position, times(dv, lever));
    b->state.rotation = frail_turned(b->state.rotation, times(ds, lever));
}

static inline void frail_step(void* user, CordVec3 gravity, double before, double h, double after)
{
    FrailEngine* e = user;
    for (int i = 0; i < e->count; i++) {
        FrailBody* b = &e->bodies[i];
        CordVec3 wind = {0.1 * b->mass * sin(1e3 * e->clock), 0, 0};
        CordVec3 force = plus(plus(times(gravity, b->mass), wind), b->force);
        frail_push(b, times(force, before), times(b->torque, before), 0.0);
        b->state.position = plus(b->state.position, times(b->state.velocity, h));
        b->state.rotation = frail_turned(b->state.rotation, times(b->state.spin, h));
        frail_push(b, times(force, after), times(b->torque, after), 0.0);
        b->force = b->torque = (CordVec3){0, 0, 0};
    }
    e->clock += h;
    frail_call(e);
}

static inline void frail_correct(void* user, void* body, CordVec3 impulse, CordVec3 angular_impulse,
                                 double lever)
{
    frail_push(body, impulse, angular_impulse, lever);
    frail_call(user);
}

static inline size_t frail_state_size(void* user)
{
    return sizeof((FrailEngine*)user)->clock;
}

static inline void frail_state_get(void* user, void* bytes)
{
    memcpy(bytes, &((const FrailEngine*)user)->clock, sizeof(double));
}

static inline bool frail_state_set(void* user, const void* bytes, size_t size)
{
    memcpy(&((FrailEngine*)user)->clock, bytes, size);
    return true;
}

static const CordBodyEngine frail_engine = {.name = "frail",
                                            .create = frail_create,
                                            .destroy = frail_destroy,
                                            .get = frail_get,
                                            .set = frail_set,
                                            .inertia = frail_inertia,
                                            .add_wrench = frail_add_wrench,
                                            .step = frail_step,
                                            .correct = frail_correct,
                                            .state_size = frail_state_size,
                                            .state_get = frail_state_get,
                                            .state_set = frail_state_set};

#endif
