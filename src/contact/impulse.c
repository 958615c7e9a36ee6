#include "contact/impulse.h"

#include <stdlib.h>
#include <string.h>

// ---- masses

// What a force on a segment at a touch, in direction e, moves there: the sum of squares of its shares, weighed by inverse masses.
static double give_of_side(const Blows* b, const Stage* st, const Touch* touch, int side, CordVec3 e)
{
    int segment = side == 0 ? touch->key.a : touch->key.b;
    const Segment* g = &st->segments[segment];
    double s = side == 0 ? touch->s : touch->t;
    CordVec3 t = touch->axis[side], torque = vec3_cross(touch->arm[side], e);
    CordVec3 couple = vec3_mul(vec3_cross(torque, t), touch->inv_len[side]);
    CordVec3 p = vec3_madd(vec3_mul(couple, -1.0), e, 1.0 - s), q = vec3_madd(couple, e, s);
    double spin = vec3_dot(t, torque);
    return b->w[g->node[0]] * vec3_dot(p, p) + b->w[g->node[1]] * vec3_dot(q, q) + b->w_spin[segment] * spin * spin;
}

static double give_of(const Blows* b, const Stage* st, const Touch* touch, CordVec3 e)
{
    double sum = give_of_side(b, st, touch, 0, e);
    return touch->kind == TOUCH_SEGMENTS ? sum + give_of_side(b, st, touch, 1, e) : sum;
}

static void weigh(const Blows* b, const Stage* st, Blow* blow)
{
    const Touch* t = &blow->stick.touch;
    CordVec3 e = vec3_any_normal(t->n);
    blow->give = give_of(b, st, t, t->n);
    blow->give_across = give_of(b, st, t, e) + give_of(b, st, t, vec3_cross(t->n, e));
}

// Displacements that a force makes: its scatter, weighed.
static void push_side(Blows* b, const Stage* st, const Touch* touch, int side, CordVec3 f)
{
    int segment = side == 0 ? touch->key.a : touch->key.b;
    const Segment* g = &st->segments[segment];
    double s = side == 0 ? touch->s : touch->t;
    CordVec3 t = touch->axis[side], torque = vec3_cross(touch->arm[side], f);
    CordVec3 couple = vec3_mul(vec3_cross(torque, t), touch->inv_len[side]);
    CordVec3 *p = &b->moved.x[g->node[0]], *q = &b->moved.x[g->node[1]];
    *p = vec3_madd(*p, vec3_madd(vec3_mul(couple, -1.0), f, 1.0 - s), b->w[g->node[0]]);
    *q = vec3_madd(*q, vec3_madd(couple, f, s), b->w[g->node[1]]);
    b->moved.spin[segment] += b->w_spin[segment] * vec3_dot(t, torque);
}

static void push(Blows* b, const Stage* st, const Touch* touch, CordVec3 f)
{
    push_side(b, st, touch, 0, f);
    if (touch->kind == TOUCH_SEGMENTS) {
        push_side(b, st, touch, 1, vec3_mul(f, -1.0));
    }
}

// ---- from step to step

static int compare(const void* p, const void* q)
{
    return touch_key_order(&((const BlowMemory*)p)->key, &((const BlowMemory*)q)->key);
}

const BlowMemory* blows_remember(const Blows* b, const Touch* touch)
{
    BlowMemory wanted = {.key = touch_memory_key(touch)};
    return b->kept_count > 0 ? bsearch(&wanted, b->kept, (size_t)b->kept_count, sizeof wanted, compare) : NULL;
}

static bool add(Memory* m, Blows* b, const Blow* blow)
{
    if (b->count == b->capacity && !memory_grow(m, (void**)&b->all, b->count, &b->capacity, sizeof(Blow))) {
        return false;
    }
    b->all[b->count++] = *blow;
    return true;
}

static void recall(Blows* b, const Stage* st, Blow* blow, double h)
{
    const BlowMemory* memory = blows_remember(b, &blow->stick.touch);
    if (!memory) {
        return;
    }
    CordVec3 n = blow->stick.touch.n;
    blow->stick.drift = vec3_reject(memory->drift, n);
    blow->push = memory->force * h * h;
    blow->drag = vec3_mul(vec3_reject(memory->friction, n), h * h);
    push(b, st, &blow->stick.touch, vec3_madd(blow->drag, n, blow->push));
}

static double way_of(const Stage* st, int segment)
{
    const int* n = st->segments[segment].node;
    CordVec3 p = vec3_sub(st->to[n[0]], st->begin[n[0]]), q = vec3_sub(st->to[n[1]], st->begin[n[1]]);
    return sqrt(fmax(vec3_dot(p, p), vec3_dot(q, q)));
}

// Two that were not found had more between them than both were to go, and the spare.
bool blows_have_strayed(const Blows* b, const Stage* st, double spare)
{
    for (int i = 0; i < st->segment_count; i++) {
        if (way_of(st, i) > b->way[i] + 0.5 * spare * b->thinnest) {
            return true;
        }
    }
    return false;
}

bool blows_begin(Memory* m, Blows* b, Stage* st, const TouchLaw* law, const FrictionLaw* friction, double h)
{
    b->count = b->sweeps = b->rounds = 0;
    b->thinnest = INFINITY;
    for (int i = 0; i < st->segment_count; i++) {
        b->way[i] = way_of(st, i);
        b->thinnest = fmin(b->thinnest, st->segments[i].radius);
    }
    if (!stage_move_reserve(m, &b->moved, st, &b->moved_size) || !touches_find(m, &b->touches, st, st->begin, law)) {
        return false;
    }
    stage_move_clear(&b->moved, st);
    for (int i = 0; i < b->touches.count; i++) {
        Blow blow = {.stick.touch = b->touches.all[i]};
        stick_set_friction(&blow.stick, st, friction);
        weigh(b, st, &blow);
        if (blow.give == 0.0) { // held on both sides
            continue;
        }
        recall(b, st, &blow, h);
        if (!add(m, b, &blow)) {
            return false;
        }
    }
    return true;
}

bool blows_reserve(Memory* m, Blows* b, int count)
{
    while (b->kept_capacity < count) {
        if (!memory_grow(m, (void**)&b->kept, b->kept_capacity, &b->kept_capacity, sizeof(BlowMemory))) {
            return false;
        }
    }
    return true;
}

bool blows_end(Memory* m, Blows* b, double h)
{
    double per = 1.0 / (h * h);
    if (!blows_reserve(m, b, b->count)) {
        return false;
    }
    b->kept_count = 0;
    for (int i = 0; i < b->count; i++) {
        const Blow* blow = &b->all[i];
        if (blow->push > 0.0) {
            b->kept[b->kept_count++] =
                (BlowMemory){.key = touch_memory_key(&blow->stick.touch),
                             .force = blow->push * per,
                             .friction = vec3_mul(blow->drag, per),
                             .drift = blow->stick.slides ? (CordVec3){0, 0, 0} : blow->stick.slip,
                             .slides = blow->stick.slides};
        }
    }
    if (b->kept_count > 0) {
        qsort(b->kept, (size_t)b->kept_count, sizeof *b->kept, compare);
    }
    return true;
}

void blows_free(Memory* m, Blows* b)
{
    touches_free(m, &b->touches);
    memory_array_free(m, b->all, b->capacity);
    memory_array_free(m, b->kept, b->kept_capacity);
    stage_move_free(m, &b->moved, &b->moved_size);
    memory_array_free(m, b->w, b->w_capacity);
    memory_array_free(m, b->w_spin, b->w_spin_capacity);
    memory_array_free(m, b->way, b->way_capacity);
    *b = (Blows){0};
}

// ---- one sweep after the other

// How much has moved since the measurement, at a touch.
static CordVec3 moved_since(const Blow* blow, const Blows* b, const Stage* st)
{
    return vec3_sub(touch_gather(st, &blow->stick.touch, &b->moved), blow->way);
}

// Normal: what is missing of the gap, but never a pull.
static double correct_push(Blow* blow, Blows* b, const Stage* st)
{
    double gap = blow->gap + vec3_dot(blow->stick.touch.n, moved_since(blow, b, st));
    double next = fmax(0.0, blow->push - gap / blow->give), change = next - blow->push;
    if (change != 0.0) {
        push(b, st, &blow->stick.touch, vec3_mul(blow->stick.touch.n, change));
        blow->push = next;
    }
    return fabs(change) * blow->give;
}

// Friction: what brings the drift back to nothing, as far as mu times the push goes.
static double correct_drag(Blow* blow, Blows* b, const Stage* st)
{
    Stick* stick = &blow->stick;
    CordVec3 since = vec3_reject(moved_since(blow, b, st), stick->touch.n);
    CordVec3 slip = vec3_add(stick->slip, since);
    CordVec3 wanted = vec3_madd(blow->drag, slip, -1.0 / blow->give_across);
    double size = vec3_length(wanted);
    stick->touch.push = blow->push;
    double most = size > 0.0 ? stick_limit(stick, vec3_mul(wanted, 1.0 / size)) : 0.0;
    stick->slides = size > most;
    CordVec3 next = stick->slides ? vec3_mul(wanted, most / size) : wanted, change = vec3_sub(next, blow->drag);
    double far = vec3_length(change);
    if (far > 0.0) {
        push(b, st, &stick->touch, change);
        blow->drag = next;
    }
    return far * blow->give_across;
}

// Gaps and slips at `to`. What has been moved so far is in there.
void blows_measure(Blows* b, const Stage* st, const StageMove* since_begin)
{
    for (int i = 0; i < b->count; i++) {
        Blow* blow = &b->all[i];
        blow->gap = touch_gap(st, &blow->stick.touch, st->to) - b->wanted * blow->stick.touch.radius;
        blow->way = touch_gather(st, &blow->stick.touch, &b->moved);
        CordVec3 u = touch_gather(st, &blow->stick.touch, since_begin);
        blow->stick.slip =
            vec3_reject(vec3_sub(vec3_add(blow->stick.drift, u), touch_solid_way(st, &blow->stick.touch)),
                        blow->stick.touch.n);
    }
}

double blows_sweep(Blows* b, const Stage* st, const StageMove* since_begin, double enough, int most)
{
    double change = INFINITY, first = 0.0;
    blows_measure(b, st, since_begin);
    for (int n = 0; n < most && change > enough; n++) {
        change = 0.0;
        for (int k = 0; k < b->count; k++) {
            Blow* blow = &b->all[n % 2 == 0 ? k : b->count - 1 - k]; // there and back: news travels both ways
            double far = correct_push(blow, b, st);
            far = blow->stick.mu > 0.0 ? fmax(far, correct_drag(blow, b, st)) : far;
            change = fmax(change, far / blow->stick.touch.radius);
        }
        first = n == 0 ? change : first;
        b->sweeps++;
        b->sweeps_in_all++;
    }
    return first;
}

#define FIRST_ROUNDS 5 // until shares are the same
#define EVERY 4        // rounds: those between tell the share
#define LEAST_SHARE 0.3
#define MOST_SHARE 0.9999
#define SAME 0.2 // of what is left of one: by which the shares of two rounds may differ

static double share_of_round(Blows* b)
{
    double same = 0.0, size = 0.0;
    for (int i = 0; i < b->count; i++) {
        Blow* blow = &b->all[i];
        double step = blow->push - blow->push_before;
        CordVec3 drag = vec3_sub(blow->drag, blow->drag_before);
        same += blow->give * step * blow->push_step + blow->give_across * vec3_dot(drag, blow->drag_step);
        size += blow->give * blow->push_step * blow->push_step +
                blow->give_across * vec3_dot(blow->drag_step, blow->drag_step);
        blow->push_step = step, blow->drag_step = drag;
        blow->push_before = blow->push, blow->drag_before = blow->drag;
    }
    return size > 0.0 ? same / size : 0.0;
}

void blows_foresee(Blows* b, const Stage* st)
{
    double share = share_of_round(b), before = b->share;
    bool same = fabs(share - before) <= SAME * (1.0 - share);
    b->rounds++;
    b->share = share;
    if (b->rounds <= FIRST_ROUNDS || b->rounds % EVERY != 0 ||
        !(share >= LEAST_SHARE && share <= MOST_SHARE) || !same) {
        return;
    }
    double more = share / (1.0 - share);
    for (int i = 0; i < b->count; i++) {
        Blow* blow = &b->all[i];
        double next = fmax(0.0, blow->push + more * blow->push_step);
        CordVec3 drag = vec3_mul(blow->drag_step, more);
        push(b, st, &blow->stick.touch, vec3_madd(drag, blow->stick.touch.n, next - blow->push));
        blow->push = blow->push_before = next;
        blow->drag = blow->drag_before = vec3_add(blow->drag, drag);
    }
}

double blows_deepest(const Blows* b, const Stage* st)
{
    double deepest = 0.0;
    for (int i = 0; i < b->count; i++) {
        const Touch* t = &b->all[i].stick.touch;
        deepest = fmax(deepest, -touch_gap(st, t, st->to) / t->radius);
    }
    return deepest;
}
