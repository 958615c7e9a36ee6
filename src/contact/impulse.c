#include "contact/impulse.h"

#include "base/sort.h"

#include <stdlib.h>

// ---- what a contact moves, and is moved by

static inline double larger(double a, double b) // of numbers: fmax asks whether they are
{
    return a > b ? a : b;
}

static inline CordVec3 gather_side(const Blow* blow, int side, const StageMove* move)
{
    const int* node = blow->node + 2 * side;
    return blow_surface(blow, side, move->x[node[0]], move->x[node[1]], move->spin[blow->segment[side]]);
}

// How surface a moves over surface b.
static inline CordVec3 gather(const Blow* blow, const StageMove* move)
{
    CordVec3 u = gather_side(blow, 0, move);
    return blow->sides == 2 ? vec3_sub(u, gather_side(blow, 1, move)) : u;
}

static inline void push_side(Blows* b, const Blow* blow, int side, CordVec3 f)
{
    const int* node = blow->node + 2 * side;
    CordVec3 *p = &b->moved.x[node[0]], *q = &b->moved.x[node[1]], second = blow_second(blow, side, f);
    *p = vec3_madd(*p, vec3_sub(f, second), b->w[node[0]]);
    *q = vec3_madd(*q, second, b->w[node[1]]);
    if (blow->w_spin[side] > 0.0) {
        b->moved.spin[blow->segment[side]] += blow->w_spin[side] * blow_torque(blow, side, f);
    }
}

// Displacements that a force makes: its scatter, weighed by inverse masses.
static inline void push(Blows* b, const Blow* blow, CordVec3 f)
{
    push_side(b, blow, 0, f);
    if (blow->sides == 2) {
        push_side(b, blow, 1, vec3_mul(f, -1.0));
    }
}

static void weigh_side(const Blows* b, const Touch* touch, int side, Blow* blow)
{
    double s = side == 0 ? touch->s : touch->t, slope = vec3_dot(blow->n, blow->axis[side]);
    double p = b->w[blow->node[2 * side]], q = b->w[blow->node[2 * side + 1]];
    double at = blow->at[side], lever = blow->lever[side], arm = blow->arm[side];
    double tilt = larger(0.0, 1.0 - slope * slope); // squared, of the axis across the normal
    double couple = (p + q) * lever * lever, spin = blow->w_spin[side] * arm * arm;
    blow->give += p * (1.0 - s) * (1.0 - s) + q * s * s;
    blow->give_across += p * (1.0 - at) * (1.0 - at) + q * at * at + tilt * larger(couple, spin);
    blow->aside =
        vec3_madd(blow->aside, vec3_reject(blow->axis[side], blow->n), lever * (p * (1.0 - s) - q * s));
}

static void set_side(const Blows* b, const Stage* st, const Touch* touch, int side, Blow* blow)
{
    int segment = side == 0 ? touch->key.a : touch->key.b;
    const Segment* g = &st->segments[segment];
    double s = side == 0 ? touch->s : touch->t;
    blow->node[2 * side] = g->node[0], blow->node[2 * side + 1] = g->node[1];
    blow->segment[side] = segment;
    blow->axis[side] = touch->axis[side];
    blow->arm[side] = (side == 0 ? -1.0 : 1.0) * (g->radius + 0.5 * touch->gap);
    blow->lever[side] = blow->arm[side] * touch->inv_len[side];
    blow->at[side] = s + blow->lever[side] * vec3_dot(blow->n, blow->axis[side]);
    blow->w_spin[side] = b->w_spin[segment];
    blow->radii += g->radius;
    weigh_side(b, touch, side, blow);
}

// Field by field: all at once would be a copy of all of it.
static void set_blow(Blow* blow, const Blows* b, const Stage* st, const Touch* touch, double mu)
{
    blow->sides = touch->kind == TOUCH_SEGMENTS ? 2 : 1;
    blow->part = touch->key.part;
    blow->n = touch->n;
    blow->radius = touch->radius;
    blow->mu = mu;
    blow->radii = blow->give = blow->give_across = blow->push = blow->gap = 0.0;
    blow->aside = blow->drag = blow->slip = (CordVec3){0, 0, 0};
    blow->slides = false;
    for (int side = 0; side < blow->sides; side++) {
        set_side(b, st, touch, side, blow);
    }
}

// Most touches in a row are of the same two.
typedef struct LastGrip {
    int rod, other;
    TouchKind kind;
    Grip grip;
} LastGrip;

static Grip grip_of(const Stage* st, const Touch* touch, const FrictionLaw* law, LastGrip* last)
{
    int rod = st->segments[touch->key.a].rod;
    int other = touch->kind == TOUCH_SEGMENTS ? st->segments[touch->key.b].rod : touch->key.b;
    if (last->rod != rod || last->other != other || last->kind != touch->kind) {
        *last = (LastGrip){rod, other, touch->kind, touch_grip(st, touch, law)};
    }
    return last->grip;
}

// ---- from step to step

static int compare(const void* p, const void* q)
{
    return touch_key_order(&((const BlowMemory*)p)->key, &((const BlowMemory*)q)->key);
}

const BlowMemory* blows_remember(const Blows* b, const Touch* touch)
{
    BlowMemory wanted = {.key = touch_memory_key(touch)};
    return b->kept_count > 0 ? bsearch(&wanted, b->kept, (size_t)b->kept_count, sizeof wanted, compare)
                             : NULL;
}

// Touches come in the order of their keys, but for those of meshes: what is remembered of the next one is
// mostly near by.
static const BlowMemory* remember_next(const Blows* b, const Touch* touch, int* next)
{
    TouchKey key = touch_memory_key(touch);
    while (*next < b->kept_count && touch_key_order(&b->kept[*next].key, &key) < 0) {
        (*next)++;
    }
    if (*next < b->kept_count && touch_key_order(&b->kept[*next].key, &key) == 0) {
        return &b->kept[*next];
    }
    bool passed = *next > 0 && touch_key_order(&b->kept[*next - 1].key, &key) >= 0;
    return passed ? blows_remember(b, touch) : NULL;
}

static void recall(Blows* b, Blow* blow, BlowPast* past, const BlowMemory* memory, double h)
{
    past->drift = vec3_reject(memory->drift, blow->n);
    blow->push = memory->force * h * h;
    blow->drag = vec3_mul(vec3_reject(memory->friction, blow->n), h * h);
    push(b, blow, vec3_madd(blow->drag, blow->n, blow->push));
}

static double way_of(const Stage* st, int segment)
{
    const int* n = st->segments[segment].node;
    CordVec3 p = vec3_sub(st->to[n[0]], st->begin[n[0]]), q = vec3_sub(st->to[n[1]], st->begin[n[1]]);
    return sqrt(larger(vec3_dot(p, p), vec3_dot(q, q)));
}

static bool make_room(Memory* m, Blows* b, int count)
{
    return memory_reserve(m, (void**)&b->all, count, &b->capacity, sizeof(Blow)) &&
           memory_reserve(m, (void**)&b->past, count, &b->past_capacity, sizeof(BlowPast));
}

bool blows_begin(Memory* m, Blows* b, Stage* st, const TouchLaw* law, const FrictionLaw* friction, double h)
{
    b->count = b->sweeps = b->rounds = 0;
    for (int i = 0; i < st->segment_count; i++) {
        b->way[i] = way_of(st, i);
    }
    TouchLaw by_motion = *law;
    by_motion.way = b->way;
    if (!stage_move_reserve(m, &b->moved, st, &b->moved_size) ||
        !touches_find(m, &b->touches, st, st->begin, &by_motion) || !make_room(m, b, b->touches.count)) {
        return false;
    }
    stage_move_clear(&b->moved, st);
    int next = 0;
    LastGrip last = {.rod = -1};
    for (int i = 0; i < b->touches.count; i++) {
        const Touch* touch = &b->touches.all[i];
        Grip grip = grip_of(st, touch, friction, &last);
        Blow* blow = &b->all[b->count];
        BlowPast* past = &b->past[b->count];
        set_blow(blow, b, st, touch, grip.mu);
        past->touch = i;
        past->across[0] = grip.across[0], past->across[1] = grip.across[1];
        past->change = INFINITY;
        past->drift = (CordVec3){0, 0, 0};
        if (blow->give == 0.0) { // held on both sides
            continue;
        }
        const BlowMemory* memory = remember_next(b, touch, &next);
        if (memory) {
            recall(b, blow, past, memory, h);
        }
        b->count++;
    }
    return true;
}

bool blows_reserve(Memory* m, Blows* b, int count)
{
    return memory_reserve(m, (void**)&b->kept, count, &b->kept_capacity, sizeof(BlowMemory));
}

CordVec3 blows_slip(const Blows* b, int blow)
{
    const Blow* at = &b->all[blow];
    return vec3_add(at->slip, vec3_reject(gather(at, &b->moved), at->n));
}

void blows_push(Blows* b, int blow, CordVec3 force)
{
    push(b, &b->all[blow], force);
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
                (BlowMemory){.key = touch_memory_key(&b->touches.all[b->past[i].touch]),
                             .force = blow->push * per,
                             .friction = vec3_mul(blow->drag, per),
                             .drift = blow->slides ? (CordVec3){0, 0, 0} : blows_slip(b, i),
                             .slides = blow->slides};
        }
    }
    heap_sort(b->kept, b->kept_count, sizeof *b->kept, compare);
    return true;
}

void blows_free(Memory* m, Blows* b)
{
    touches_free(m, &b->touches);
    memory_array_free(m, b->all, b->capacity);
    memory_array_free(m, b->past, b->past_capacity);
    memory_array_free(m, b->kept, b->kept_capacity);
    stage_move_free(m, &b->moved, &b->moved_size);
    memory_array_free(m, b->w, b->w_capacity);
    memory_array_free(m, b->w_spin, b->w_spin_capacity);
    memory_array_free(m, b->way, b->way_capacity);
    memory_array_free(m, b->rods, b->rod_capacity);
    *b = (Blows){0};
}

// ---- where things are

static double gap_now(const Blows* b, const Stage* st, int i)
{
    const Blow* blow = &b->all[i];
    if (blow->sides == 1) {
        return touch_gap(st, &b->touches.all[b->past[i].touch], st->to);
    }
    const int* k = blow->node;
    CordVec3 p[2] = {st->to[k[0]], st->to[k[1]]}, q[2] = {st->to[k[2]], st->to[k[3]]};
    return sides_gap(blow->part, blow->n, p, q) - blow->radii;
}

double blows_measure(Blows* b, const Stage* st, const StageMove* since_begin)
{
    double deepest = 0.0;
    for (int i = 0; i < b->count; i++) {
        Blow* blow = &b->all[i];
        CordVec3 own = gather(blow, &b->moved), free = vec3_sub(gather(blow, since_begin), own);
        double gap = gap_now(b, st, i);
        if (blow->sides == 1) {
            free = vec3_sub(free, touch_solid_way(st, &b->touches.all[b->past[i].touch]));
        }
        deepest = larger(deepest, -gap / blow->radius);
        b->past[i].gap = gap;
        blow->gap = gap - b->wanted * blow->radius - vec3_dot(blow->n, own);
        blow->slip = vec3_reject(vec3_add(b->past[i].drift, free), blow->n);
    }
    return deepest;
}

// ---- one sweep after the other

// What there is of a drag that is wanted, with mu times the push at the most.
static CordVec3 within_cone(Blow* blow, const BlowPast* past, CordVec3 wanted, double force)
{
    double size = vec3_length(wanted), most = blow->mu * force;
    if (size > 0.0 && (past->across[0] != 1.0 || past->across[1] != 1.0)) {
        most *= grip_factor(blow->axis, past->across, blow->sides, vec3_mul(wanted, 1.0 / size));
    }
    blow->slides = size > most;
    return blow->slides ? vec3_mul(wanted, most / size) : wanted;
}

// Normal: what is missing of the gap, but never a pull. Returns by how much the surfaces were moved, over the
// radius.
static double correct(Blows* b, Blow* blow, const BlowPast* past)
{
    CordVec3 u = gather(blow, &b->moved);
    double next = larger(0.0, blow->push - (blow->gap + vec3_dot(blow->n, u)) / blow->give);
    if (next == 0.0 && blow->push == 0.0) { // apart, and so without drag
        return 0.0;
    }
    double change = next - blow->push, far = fabs(change) * blow->give;
    CordVec3 f = vec3_mul(blow->n, change);
    if (blow->mu > 0.0) {
        // what brings the drift back to nothing
        CordVec3 slip = vec3_add(blow->slip, vec3_reject(vec3_madd(u, blow->aside, change), blow->n));
        CordVec3 wanted = vec3_madd(blow->drag, slip, -1.0 / blow->give_across);
        CordVec3 drag = within_cone(blow, past, wanted, next), more = vec3_sub(drag, blow->drag);
        far = larger(far, vec3_length(more) * blow->give_across);
        f = vec3_add(f, more);
        blow->drag = drag;
    }
    if (far > 0.0) {
        push(b, blow, f);
        blow->push = next;
    }
    return far / blow->radius;
}

void blows_find_busy(Blows* b, const Stage* st, double enough)
{
    for (int i = 0; i < st->rod_count; i++) {
        b->rods[i].busy = false;
    }
    for (int i = 0; i < b->count; i++) {
        const Blow* blow = &b->all[i];
        BlowPast* past = &b->past[i];
        bool holds = -past->gap <= enough * blow->radius && past->change <= enough;
        for (int side = 0; side < blow->sides && !holds; side++) {
            b->rods[st->segments[blow->segment[side]].rod].busy = true;
        }
    }
    for (int i = 0; i < b->count; i++) {
        const Blow* blow = &b->all[i];
        b->past[i].rests = true;
        for (int side = 0; side < blow->sides; side++) {
            b->past[i].rests &= !b->rods[st->segments[blow->segment[side]].rod].busy;
        }
        b->past[i].change = 0.0;
    }
}

double blows_sweep(Blows* b, double enough, int most)
{
    double change = INFINITY, first = 0.0;
    for (int n = 0; n < most && change > enough; n++) {
        change = 0.0;
        for (int k = 0; k < b->count; k++) {
            int i = n % 2 == 0 ? k : b->count - 1 - k; // there and back: news travels both ways
            change = larger(change, correct(b, &b->all[i], &b->past[i]));
        }
        first = n == 0 ? change : first;
        b->sweeps++;
        b->sweeps_in_all++;
    }
    return first;
}

// ---- where rounds of sweeps lead

#define FIRST_ROUNDS 5 // until shares are the same
#define EVERY 4        // rounds: those between tell the share
#define LEAST_SHARE 0.3
#define MOST_SHARE 0.9999
#define SAME 0.2 // of what is left of one: by which the shares of two rounds may differ

// How a contact went on in the last round, beside the one before.
static void compare_rounds(const Blows* b, int i, double* same, double* size)
{
    const Blow* blow = &b->all[i];
    BlowPast* past = &b->past[i];
    if (b->rounds == 0) {
        // what recalled pushes were is of no interest: the first round has nothing before it
        past->push = past->push_step = 0.0;
        past->drag = past->drag_step = (CordVec3){0, 0, 0};
    }
    double step = blow->push - past->push;
    CordVec3 drag = vec3_sub(blow->drag, past->drag);
    *same += blow->give * step * past->push_step + blow->give_across * vec3_dot(drag, past->drag_step);
    *size += blow->give * past->push_step * past->push_step +
             blow->give_across * vec3_dot(past->drag_step, past->drag_step);
    past->push_step = step, past->drag_step = drag;
    past->push = blow->push, past->drag = blow->drag;
}

static bool leads_on(double share, double before)
{
    return share >= LEAST_SHARE && share <= MOST_SHARE && fabs(share - before) <= SAME * (1.0 - share);
}

static void go_on(Blows* b, int i, double share)
{
    double more = share / (1.0 - share);
    Blow* blow = &b->all[i];
    BlowPast* past = &b->past[i];
    double next = larger(0.0, blow->push + more * past->push_step);
    CordVec3 drag = within_cone(blow, past, vec3_madd(blow->drag, past->drag_step, more), next);
    push(b, blow, vec3_madd(vec3_sub(drag, blow->drag), blow->n, next - blow->push));
    blow->push = past->push = next;
    blow->drag = past->drag = drag;
}

static BlowRod* rod_of(const Blows* b, const Stage* st, int i)
{
    return &b->rods[st->segments[b->all[i].segment[0]].rod];
}

// Rods that rest on solids go their own ways: each by its own share.
static bool foresee_by_rod(Blows* b, const Stage* st, bool now)
{
    bool any = false;
    for (int i = 0; i < st->rod_count; i++) {
        b->rods[i].same = b->rods[i].size = 0.0;
    }
    for (int i = 0; i < b->count; i++) {
        BlowRod* rod = rod_of(b, st, i);
        compare_rounds(b, i, &rod->same, &rod->size);
    }
    for (int i = 0; i < st->rod_count; i++) {
        BlowRod* rod = &b->rods[i];
        double before = rod->share;
        rod->share = rod->size > 0.0 ? rod->same / rod->size : 0.0;
        rod->leads = now && rod->busy && !rod->tells && leads_on(rod->share, before);
        any |= rod->leads;
    }
    for (int i = 0; i < b->count && any; i++) {
        if (rod_of(b, st, i)->leads) {
            go_on(b, i, rod_of(b, st, i)->share);
        }
    }
    return any;
}

bool blows_foresee(Blows* b, const Stage* st)
{
    bool now = b->rounds + 1 > FIRST_ROUNDS && (b->rounds + 1) % EVERY == 0;
    double same = 0.0, size = 0.0, before = b->share;
    if (b->by_rod) {
        bool any = foresee_by_rod(b, st, now);
        b->rounds++;
        return any;
    }
    for (int i = 0; i < b->count; i++) {
        compare_rounds(b, i, &same, &size);
    }
    b->rounds++;
    b->share = size > 0.0 ? same / size : 0.0;
    if (!now || !leads_on(b->share, before)) {
        return false;
    }
    for (int i = 0; i < b->count; i++) {
        go_on(b, i, b->share);
    }
    return true;
}
