#include "contact/stick.h"

#include "base/real.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#define SLIP 0.01 // of a radius: the drift at which friction has grown to its limit

// ---- moves and forces of what is on stage

bool stage_move_reserve(Memory* m, StageMove* move, const Stage* st, size_t* size)
{
    size_t nodes = (size_t)st->node_count * 3, segments = (size_t)st->segment_count,
           solids = 6 * (size_t)st->solid_count;
    size_t need = sizeof(double) * (nodes + segments + solids);
    if (need > *size) {
        double* block = memory_alloc(m, need);
        if (!block) {
            return false;
        }
        memory_free(m, move->x, *size);
        *size = need;
        move->x = (CordVec3*)block;
    }
    move->spin = (double*)move->x + nodes;
    move->solid = move->spin + segments;
    return true;
}

void stage_move_free(Memory* m, StageMove* move, size_t* size)
{
    memory_free(m, move->x, *size);
    *move = (StageMove){0};
    *size = 0;
}

void stage_move_clear(StageMove* move, const Stage* st)
{
    size_t count = 3 * (size_t)st->node_count + (size_t)st->segment_count + 6 * (size_t)st->solid_count;
    if (count > 0) {
        memset(move->x, 0, sizeof(double) * count);
    }
}

// A segment turns as its axis does, and by its own spin about it.
static CordVec3 gather_segment(const Stage* st, const Touch* touch, int side, const StageMove* move)
{
    const Segment* g = &st->segments[side == 0 ? touch->key.a : touch->key.b];
    int segment = side == 0 ? touch->key.a : touch->key.b;
    double s = side == 0 ? touch->s : touch->t;
    CordVec3 a = move->x[g->node[0]], b = move->x[g->node[1]], t = touch->axis[side];
    CordVec3 turn =
        vec3_madd(vec3_mul(vec3_cross(t, vec3_sub(b, a)), touch->inv_len[side]), t, move->spin[segment]);
    return vec3_add(vec3_madd(vec3_mul(a, 1.0 - s), b, s), vec3_cross(turn, touch->arm[side]));
}

CordVec3 touch_gather(const Stage* st, const Touch* touch, const StageMove* move)
{
    CordVec3 u = gather_segment(st, touch, 0, move);
    if (touch->kind == TOUCH_SEGMENTS) {
        return vec3_sub(u, gather_segment(st, touch, 1, move));
    }
    const double* b = move->solid + 6 * touch->key.b;
    CordVec3 shift = {b[0], b[1], b[2]}, turn = {b[3], b[4], b[5]};
    return vec3_sub(u, vec3_add(shift, vec3_cross(turn, touch->arm[1])));
}

static void scatter_segment(const Stage* st, const Touch* touch, int side, CordVec3 force, StageMove* move)
{
    int segment = side == 0 ? touch->key.a : touch->key.b;
    const Segment* g = &st->segments[segment];
    double s = side == 0 ? touch->s : touch->t;
    CordVec3 t = touch->axis[side], torque = vec3_cross(touch->arm[side], force);
    CordVec3 couple = vec3_mul(vec3_cross(torque, t), touch->inv_len[side]);
    CordVec3 *a = &move->x[g->node[0]], *b = &move->x[g->node[1]];
    *a = vec3_add(*a, vec3_madd(vec3_mul(couple, -1.0), force, 1.0 - s));
    *b = vec3_add(*b, vec3_madd(couple, force, s));
    move->spin[segment] += vec3_dot(t, torque);
}

void touch_scatter(const Stage* st, const Touch* touch, CordVec3 force, StageMove* move)
{
    CordVec3 back = vec3_mul(force, -1.0);
    scatter_segment(st, touch, 0, force, move);
    if (touch->kind == TOUCH_SEGMENTS) {
        scatter_segment(st, touch, 1, back, move);
        return;
    }
    CordVec3 torque = vec3_cross(touch->arm[1], back);
    double* b = move->solid + 6 * touch->key.b;
    b[0] += back.x, b[1] += back.y, b[2] += back.z;
    b[3] += torque.x, b[4] += torque.y, b[5] += torque.z;
}

void touches_tilt(const Stage* st, const Touches* touches, StageMove* force)
{
    for (int i = 0; i < touches->tilt_count; i++) {
        const TouchTilt* tilt = &touches->tilts[i];
        for (int k = 0; k < (tilt->b >= 0 ? 4 : 2); k++) {
            int node = st->segments[k < 2 ? tilt->a : tilt->b].node[k % 2];
            force->x[node] = vec3_add(force->x[node], tilt->force[k]);
        }
    }
}

CordVec3 touch_solid_way(const Stage* st, const Touch* touch)
{
    if (touch->kind == TOUCH_SEGMENTS) {
        return (CordVec3){0, 0, 0};
    }
    const StageSolid* s = &st->solids[touch->key.b];
    CordVec3 point = vec3_add(s->begin.point, touch->arm[1]);
    return vec3_sub(pose_out(&s->to, pose_into(&s->begin, point)), point);
}

// ---- coefficients

static double pair_friction(const FrictionLaw* law, int p, int q, double mu_p, double mu_q)
{
    for (int i = 0; i < law->pair_count; i++) {
        const int* s = law->pairs[i].surface;
        if ((s[0] == p && s[1] == q) || (s[0] == q && s[1] == p)) {
            return law->pairs[i].friction;
        }
    }
    return isnan(law->friction) ? sqrt(mu_p * mu_q) : law->friction;
}

Grip touch_grip(const Stage* st, const Touch* touch, const FrictionLaw* law)
{
    const Rod* a = st->rods[st->segments[touch->key.a].rod].rod;
    if (touch->kind != TOUCH_SEGMENTS) {
        const StageSolid* solid = &st->solids[touch->key.b];
        return (Grip){pair_friction(law, a->surface, solid->surface, a->friction, solid->friction),
                      {a->friction_across, 1.0}};
    }
    const Rod* b = st->rods[st->segments[touch->key.b].rod].rod;
    return (Grip){pair_friction(law, a->surface, b->surface, a->friction, b->friction),
                  {a->friction_across, b->friction_across}};
}

// Of a rod whose surface grips across it otherwise than along it, in a direction.
static double factor(CordVec3 axis, double across, CordVec3 e)
{
    double c = vec3_dot(axis, e);
    return across == 1.0 ? 1.0 : sqrt(c * c + across * across * real_max(0.0, 1.0 - c * c));
}

double grip_factor(const CordVec3 axis[2], const double across[2], int sides, CordVec3 e)
{
    double a = factor(axis[0], across[0], e);
    return sides == 2 ? sqrt(a * factor(axis[1], across[1], e)) : a;
}

// The most that friction does in the unit direction e.
static double stick_limit(const Stick* stick, CordVec3 e)
{
    const Touch* t = &stick->touch;
    int sides = t->kind == TOUCH_SEGMENTS ? 2 : 1;
    return stick->grip.mu * t->push * grip_factor(t->axis, stick->grip.across, sides, e);
}

// ---- the law

static double slip_length(const Stick* stick)
{
    return SLIP * stick->touch.radius;
}

void stick_update(Stick* stick, CordVec3 u)
{
    stick->slip = vec3_reject(vec3_add(stick->drift, u), stick->touch.n);
    double s = vec3_length(stick->slip), x = s / slip_length(stick);
    stick->slides = x >= 1.0;
    if (s == 0.0) {
        stick->force = (CordVec3){0, 0, 0};
        return;
    }
    CordVec3 e = vec3_mul(stick->slip, 1.0 / s);
    stick->force = vec3_mul(e, -stick_limit(stick, e) * (x < 1.0 ? x * (2.0 - x) : 1.0));
}

StickStiffness stick_stiffness(const Stick* stick, double secant)
{
    double s = vec3_length(stick->slip), slip = slip_length(stick), x = s / slip;
    CordVec3 e = s > 1e-9 * slip ? vec3_mul(stick->slip, 1.0 / s) : vec3_any_normal(stick->touch.n);
    double most = stick_limit(stick, e) / slip, across = x < 1.0 ? most * (2.0 - x) : most / x;
    double along = x < 1.0 ? most * 2.0 * (1.0 - x) : 0.0;
    return (StickStiffness){{e, vec3_cross(stick->touch.n, e)}, {along + secant * (across - along), across}};
}

// ---- from step to step

int touch_key_order(const TouchKey* p, const TouchKey* q)
{
    bool rods = p->feature < 0;
    if (rods != (q->feature < 0)) {
        return rods ? -1 : 1;
    }
    int a[4] = {rods ? p->a : p->b, rods ? p->b : p->a, p->feature, p->part};
    int b[4] = {rods ? q->a : q->b, rods ? q->b : q->a, q->feature, q->part};
    for (int i = 0; i < 4; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_memories(const void* p, const void* q)
{
    return touch_key_order(&((const StickMemory*)p)->key, &((const StickMemory*)q)->key);
}

// Solids by formula and meshes are numbered apart from segments.
TouchKey touch_memory_key(const Touch* touch)
{
    TouchKey key = touch->key;
    key.feature = touch->kind == TOUCH_SEGMENTS ? -1 : key.feature;
    return key;
}

static int moved_segment(int segment, const TouchShift* by)
{
    int at = segment - by->first;
    return at < 0 ? segment : at < by->old_count ? by->now[at] : segment + by->shift;
}

bool touch_key_move(TouchKey* key, const TouchShift* by)
{
    key->a = moved_segment(key->a, by);
    key->b = key->feature == -1 ? moved_segment(key->b, by) : key->b;
    return key->a >= 0 && key->b >= 0;
}

const StickMemory* sticks_remember(const Sticks* s, const Touch* touch)
{
    StickMemory wanted = {.key = touch_memory_key(touch)};
    return s->kept_count > 0
               ? bsearch(&wanted, s->kept, (size_t)s->kept_count, sizeof wanted, compare_memories)
               : NULL;
}

bool sticks_begin(Memory* m, Sticks* s, const Stage* st, const Touches* touches, const FrictionLaw* law)
{
    s->count = 0;
    for (int i = 0; i < touches->count; i++) {
        Stick stick = {.touch = touches->all[i], .grip = touch_grip(st, &touches->all[i], law)};
        if (stick.grip.mu == 0.0 || stick.touch.push == 0.0) {
            continue;
        }
        const StickMemory* memory = sticks_remember(s, &stick.touch);
        stick.drift = memory ? vec3_reject(memory->drift, stick.touch.n) : (CordVec3){0, 0, 0};
        stick_update(&stick, (CordVec3){0, 0, 0});
        if (!memory_grow(m, (void**)&s->all, s->count, &s->capacity, sizeof(Stick))) {
            return false;
        }
        s->all[s->count++] = stick;
    }
    return true;
}

// What slid beyond the slip length is lost.
static CordVec3 yielded(const Stick* stick)
{
    double s = vec3_length(stick->slip), slip = slip_length(stick);
    return s > slip ? vec3_mul(stick->slip, slip / s) : stick->slip;
}

bool sticks_reserve(Memory* m, Sticks* s, int count)
{
    return memory_reserve(m, (void**)&s->kept, count, &s->kept_capacity, sizeof(StickMemory));
}

bool sticks_end(Memory* m, Sticks* s)
{
    if (!sticks_reserve(m, s, s->count)) {
        return false;
    }
    s->kept_count = s->count;
    for (int i = 0; i < s->count; i++) {
        const Stick* stick = &s->all[i];
        s->kept[i] =
            (StickMemory){touch_memory_key(&stick->touch), yielded(stick), stick->force, stick->slides};
    }
    heap_sort(s->kept, s->kept_count, sizeof *s->kept, compare_memories);
    return true;
}

void sticks_free(Memory* m, Sticks* s)
{
    memory_array_free(m, s->all, s->capacity);
    memory_array_free(m, s->kept, s->kept_capacity);
    *s = (Sticks){0};
}
