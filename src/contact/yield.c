#include "contact/yield.h"

#include "base/real.h"

#include <string.h>

#define LEAST 1e-9    // of the give in the softer direction across, that there is in the other
#define SECULAR 40    // iterations, at the most, until what slides is on the cone
#define ON_CONE 1e-12 // of its radius
#define ALONE 20      // iterations, at the most, until push and drag of a contact go together
#define ENOUGH 1e-9   // of the push

// ---- who takes part

static bool takes_part(const Blows* b, int i)
{
    return !b->past[i].rests;
}

static int rod_at(const Stage* st, const Blow* blow, int side)
{
    return st->segments[blow->segment[side]].rod;
}

static bool make_room(Memory* m, Yields* y, const Blows* b, const Stage* st)
{
    return memory_reserve(m, (void**)&y->all, b->count, &y->yield_capacity, sizeof(Yield)) &&
           memory_reserve(m, (void**)&y->order, b->count, &y->order_capacity, sizeof(int)) &&
           memory_reserve(m, (void**)&y->rods, st->rod_count, &y->rod_capacity, sizeof(YieldRod)) &&
           memory_reserve(m, (void**)&y->node, st->node_count, &y->node_capacity, sizeof(int)) &&
           memory_reserve(m, (void**)&y->place, st->node_count, &y->place_capacity, sizeof(int));
}

// By rod, and as they come.
static void find_order(Yields* y, const Blows* b, const Stage* st)
{
    int sum = 0;
    for (int i = 0; i < b->count; i++) {
        y->rods[rod_at(st, &b->all[i], 0)].last_blow += takes_part(b, i);
    }
    for (int i = 0; i < st->rod_count; i++) {
        YieldRod* rod = &y->rods[i];
        int count = rod->last_blow;
        rod->first_blow = rod->last_blow = sum;
        sum += count;
    }
    y->order_count = sum;
    for (int i = 0; i < b->count; i++) {
        if (takes_part(b, i)) {
            y->order[y->rods[rod_at(st, &b->all[i], 0)].last_blow++] = i;
        }
    }
}

static void find_nodes(Yields* y, const Blows* b, const Stage* st)
{
    memset(y->place, 0, sizeof *y->place * (size_t)st->node_count);
    for (int k = 0; k < y->order_count; k++) {
        const Blow* blow = &b->all[y->order[k]];
        for (int j = 0; j < 2 * blow->sides; j++) {
            y->place[blow->node[j]] = 1;
        }
    }
    y->node_count = 0;
    for (int i = 0; i < st->rod_count; i++) {
        YieldRod* rod = &y->rods[i];
        rod->first = y->node_count;
        for (int n = 0; n < st->rods[i].node_count; n++) {
            int* place = &y->place[st->rods[i].first_node + n];
            if (*place) {
                *place = y->node_count - rod->first;
                y->node[y->node_count++] = n;
            }
        }
        rod->count = y->node_count - rod->first;
    }
}

bool yields_find(Memory* m, Yields* y, const Blows* b, const Stage* st)
{
    if (!make_room(m, y, b, st)) {
        return false;
    }
    memset(y->rods, 0, sizeof *y->rods * (size_t)st->rod_count);
    find_order(y, b, st);
    find_nodes(y, b, st);
    for (int k = 0; k < y->order_count; k++) {
        const Blow* blow = &b->all[y->order[k]];
        Yield* yield = &y->all[y->order[k]];
        for (int side = 0; side < blow->sides; side++) {
            yield->rod[side] = rod_at(st, blow, side);
            yield->place[2 * side] = y->place[blow->node[2 * side]];
            yield->place[2 * side + 1] = y->place[blow->node[2 * side + 1]];
        }
    }
    return true;
}

YieldBatch yields_all(const Yields* y)
{
    return (YieldBatch){0, y->order_count, 0, y->node_count};
}

YieldBatch yields_of_rod(const Yields* y, int rod)
{
    const YieldRod* r = &y->rods[rod];
    return (YieldBatch){r->first_blow, r->last_blow, r->first, r->first + r->count};
}

void yields_free(Memory* m, Yields* y)
{
    memory_array_free(m, y->all, y->yield_capacity);
    memory_array_free(m, y->order, y->order_capacity);
    memory_array_free(m, y->rods, y->rod_capacity);
    memory_array_free(m, y->node, y->node_capacity);
    memory_array_free(m, y->place, y->place_capacity);
    *y = (Yields){0};
}

// ---- a side of a contact: seven unknowns, three of each node and the turn

#define OF_SIDE 7

static const int unknown[OF_SIDE] = {0, 1, 2, 3, 0, 1, 2};

static inline int index_of(const Yield* yield, int side, int k)
{
    return 4 * yield->place[2 * side + (k > 3)] + unknown[k];
}

static inline void forces_of(const Blow* blow, int side, CordVec3 f, double out[OF_SIDE])
{
    CordVec3 second = blow_second(blow, side, f), first = vec3_sub(f, second);
    out[0] = first.x, out[1] = first.y, out[2] = first.z;
    out[3] = blow->w_spin[side] > 0.0 ? blow_torque(blow, side, f) : 0.0;
    out[4] = second.x, out[5] = second.y, out[6] = second.z;
}

static inline CordVec3 surface_of(const Blow* blow, int side, const double u[OF_SIDE])
{
    return blow_surface(blow, side, (CordVec3){u[0], u[1], u[2]}, (CordVec3){u[4], u[5], u[6]}, u[3]);
}

static inline double mass_give(const Blows* b, const Blow* blow, int side, int k)
{
    return k == 3 ? blow->w_spin[side] : b->w[blow->node[2 * side + (k > 3)]];
}

static void push_side(const Yields* y, const Blows* b, const Blow* blow, const Yield* yield, int side,
                      CordVec3 f)
{
    const YieldRod* rod = &y->rods[yield->rod[side]];
    double force[OF_SIDE], *u = y->u + 4 * rod->first;
    forces_of(blow, side, f, force);
    if (!rod->W) {
        for (int k = 0; k < OF_SIDE; k++) {
            u[index_of(yield, side, k)] += mass_give(b, blow, side, k) * force[k];
        }
        return;
    }
    const int size = 4 * rod->count;
    const double* first = rod->W + (size_t)size * (size_t)(4 * yield->place[2 * side]);
    const double* second = rod->W + (size_t)size * (size_t)(4 * yield->place[2 * side + 1]);
    for (int i = 0; i < size; i++) {
        double p = first[i] * force[0] + first[size + i] * force[1] + first[2 * size + i] * force[2];
        double q = second[i] * force[4] + second[size + i] * force[5] + second[2 * size + i] * force[6];
        u[i] += (p + q) + first[3 * size + i] * force[3];
    }
}

static CordVec3 gather_side(const Yields* y, const Blow* blow, const Yield* yield, int side)
{
    const double* from = y->u + 4 * y->rods[yield->rod[side]].first;
    double u[OF_SIDE];
    for (int k = 0; k < OF_SIDE; k++) {
        u[k] = from[index_of(yield, side, k)];
    }
    return surface_of(blow, side, u);
}

static CordVec3 gather(const Yields* y, const Blow* blow, const Yield* yield)
{
    CordVec3 u = gather_side(y, blow, yield, 0);
    return blow->sides == 2 ? vec3_sub(u, gather_side(y, blow, yield, 1)) : u;
}

// ---- how a contact gives way to itself

// How the surface of `side` moves by a force on that of `other`; both are of the same rod.
static CordVec3 respond_side(const Yields* y, const Blows* b, const Blow* blow, const Yield* yield, int side,
                             int other, CordVec3 f)
{
    const YieldRod* rod = &y->rods[yield->rod[side]];
    double force[OF_SIDE], u[OF_SIDE] = {0};
    forces_of(blow, other, f, force);
    for (int i = 0; i < OF_SIDE; i++) {
        if (rod->W) {
            const double* row = rod->W + (size_t)(4 * rod->count) * (size_t)index_of(yield, side, i);
            for (int k = 0; k < OF_SIDE; k++) {
                u[i] += row[index_of(yield, other, k)] * force[k];
            }
        } else if (side == other) {
            u[i] = mass_give(b, blow, side, i) * force[i];
        }
    }
    return surface_of(blow, side, u);
}

static CordVec3 respond(const Yields* y, const Blows* b, const Blow* blow, const Yield* yield, CordVec3 f)
{
    CordVec3 sum = {0, 0, 0};
    for (int side = 0; side < blow->sides; side++) {
        for (int other = 0; other < blow->sides; other++) {
            if (yield->rod[side] == yield->rod[other]) {
                CordVec3 u = respond_side(y, b, blow, yield, side, other, f);
                sum = vec3_madd(sum, u, side == other ? 1.0 : -1.0);
            }
        }
    }
    return sum;
}

// Axes across in which its give is diagonal: those of the symmetric (a, b; b, c) of any two.
static void find_axes(Yield* yield, CordVec3 one, CordVec3 two, double a, double b, double c)
{
    double half = 0.5 * (a - c), size = sqrt(half * half + b * b), mean = 0.5 * (a + c);
    double cosine = 1.0, sine = 0.0;
    if (size > 0.0) { // half of the angle of (half, b)
        double x = sqrt(0.5 * (1.0 + fabs(half) / size)), other = b / (2.0 * size * x);
        cosine = half >= 0.0 ? x : fabs(other);
        sine = half >= 0.0 ? other : (b >= 0.0 ? x : -x);
    }
    yield->across[0] = vec3_madd(vec3_mul(one, cosine), two, sine);
    yield->across[1] = vec3_madd(vec3_mul(two, cosine), one, -sine);
    yield->give_across[0] = mean + size;
    yield->give_across[1] = real_max(mean - size, LEAST * (mean + size));
}

static void weigh(const Yields* y, const Blows* b, int i)
{
    const Blow* blow = &b->all[i];
    Yield* yield = &y->all[i];
    CordVec3 one = vec3_any_normal(blow->n), two = vec3_cross(blow->n, one);
    CordVec3 along = respond(y, b, blow, yield, blow->n), p = respond(y, b, blow, yield, one),
             q = respond(y, b, blow, yield, two);
    find_axes(yield, one, two, vec3_dot(p, one), 0.5 * (vec3_dot(p, two) + vec3_dot(q, one)),
              vec3_dot(q, two));
    yield->at_first = (YieldForce){blow->push, blow->drag};
    yield->way = (YieldForce){0};
    yield->give = vec3_dot(along, blow->n);
    yield->gap = b->past[i].gap - b->wanted * blow->radius;
    CordVec3 slip = blows_slip(b, i);
    for (int k = 0; k < 2; k++) {
        yield->aside[k] = vec3_dot(along, yield->across[k]);
        yield->slip[k] = vec3_dot(slip, yield->across[k]);
    }
}

void yields_weigh(const Yields* y, const Blows* b, YieldBatch batch)
{
    for (int k = batch.first; k < batch.last; k++) {
        weigh(y, b, y->order[k]);
    }
}

// ---- one sweep after the other

// A contact as all the others leave it: without its own push and drag.
typedef struct Alone {
    const Blow* blow;
    const BlowPast* past;
    const Yield* yield;
    double gap, slip[2];
} Alone;

typedef struct Drag {
    double d[2];
    bool slides;
    double grip, lambda; // of what slides
} Drag;

static Alone leave_alone(const Blows* b, int i, const Yield* yield, CordVec3 u)
{
    const Blow* blow = &b->all[i];
    Alone c = {.blow = blow, .past = &b->past[i], .yield = yield};
    c.gap = yield->gap + vec3_dot(blow->n, u) - yield->give * blow->push;
    for (int k = 0; k < 2; k++) {
        double drag = vec3_dot(blow->drag, yield->across[k]);
        c.gap -= yield->aside[k] * drag;
        c.slip[k] = yield->slip[k] + vec3_dot(u, yield->across[k]) - yield->aside[k] * blow->push -
                    yield->give_across[k] * drag;
    }
    return c;
}

static CordVec3 in_space(const Yield* yield, const double d[2])
{
    return vec3_madd(vec3_mul(yield->across[0], d[0]), yield->across[1], d[1]);
}

static bool is_even(const BlowPast* past) // its friction is the same in all directions
{
    return past->across[0] == 1.0 && past->across[1] == 1.0;
}

static double grip_along(const Alone* c, const double d[2], double size)
{
    if (is_even(c->past) || size == 0.0) {
        return c->blow->mu;
    }
    return c->blow->mu * grip_factor(c->blow->axis, c->past->across, c->blow->sides,
                                     vec3_mul(in_space(c->yield, d), 1.0 / size));
}

// What slides has a drag that is on the cone and against its slip: (G + lambda) d = goal for a lambda > 0,
// where goal = G d of what would stick. What there is over |d| is almost a line in lambda. Newton's method,
// or what the last two tell where friction depends on the direction.
static void slide(const Alone* c, const double goal[2], double push, Drag* drag)
{
    double *d = drag->d, lambda = 0.0, least = 0.0, most = INFINITY, last = 0.0, last_share = 0.0;
    for (int n = 0; n < SECULAR; n++) {
        double p = 1.0 / (c->yield->give_across[0] + lambda), q = 1.0 / (c->yield->give_across[1] + lambda);
        d[0] = goal[0] * p, d[1] = goal[1] * q;
        double size2 = d[0] * d[0] + d[1] * d[1], size = sqrt(size2);
        drag->grip = grip_along(c, d, size);
        double share = drag->grip * push / size;
        if (fabs(share - 1.0) <= ON_CONE) {
            break;
        }
        double slope = share * (d[0] * d[0] * p + d[1] * d[1] * q) / size2,
               next = lambda + (1.0 - share) / slope;
        if (n > 0 && !is_even(c->past)) {
            double secant = lambda + (1.0 - share) * (lambda - last) / (share - last_share);
            next = secant > least ? secant : next;
        }
        *(share < 1.0 ? &least : &most) = lambda;
        last = lambda, last_share = share;
        lambda = next > least && next < most ? next : 0.5 * (least + most);
    }
    double size = sqrt(d[0] * d[0] + d[1] * d[1]), scale = size > 0.0 ? drag->grip * push / size : 0.0;
    d[0] *= scale, d[1] *= scale; // the rest of the way
    drag->lambda = lambda;
}

// With a push that is known: what stops the slip, or what there is.
static Drag drag_at(const Alone* c, double push)
{
    Drag drag = {.slides = false};
    double goal[2];
    for (int k = 0; k < 2; k++) {
        goal[k] = -(c->slip[k] + push * c->yield->aside[k]);
        drag.d[k] = goal[k] / c->yield->give_across[k];
    }
    double size = sqrt(drag.d[0] * drag.d[0] + drag.d[1] * drag.d[1]);
    drag.slides = size > grip_along(c, drag.d, size) * push;
    if (drag.slides) {
        slide(c, goal, push, &drag);
    }
    return drag;
}

// How the gap grows with the push, and with the drag that follows it. Of what slides: (G + lambda) d' +
// lambda' d = -aside, and d d' = grip^2 push.
static double slope_at(const Alone* c, const Drag* drag, double push)
{
    const Yield* yield = c->yield;
    double slope = yield->give, by_aside = 0.0, by_drag = 0.0, inverse[2];
    for (int k = 0; k < 2; k++) {
        inverse[k] = 1.0 / (yield->give_across[k] + drag->lambda);
        slope -= yield->aside[k] * yield->aside[k] * inverse[k];
        by_aside += drag->d[k] * inverse[k] * yield->aside[k];
        by_drag += drag->d[k] * inverse[k] * drag->d[k];
    }
    return drag->slides ? slope + by_aside * (drag->grip * drag->grip * push + by_aside) / by_drag : slope;
}

// Push and drag at once: one of them after the other might go on for ever, where friction that follows the
// push lifts what is pushed.
static double push_at(const Alone* c, double guess, Drag* drag)
{
    const Yield* yield = c->yield;
    double push = guess > 0.0 ? guess : -c->gap / yield->give, least = 0.0, most = INFINITY;
    for (int n = 0;; n++) {
        *drag = drag_at(c, push);
        double gap =
            c->gap + yield->give * push + yield->aside[0] * drag->d[0] + yield->aside[1] * drag->d[1];
        double slope = slope_at(c, drag, push), next = push - gap / slope;
        if (fabs(next - push) <= ENOUGH * push || n == ALONE) {
            return push;
        }
        *(gap < 0.0 ? &least : &most) = push;
        if (!(slope >= LEAST * yield->give && next > least && next < most)) {
            next = most < INFINITY ? 0.5 * (least + most) : push - gap / yield->give;
        }
        push = next;
    }
}

// Never a pull. Returns by how much the surfaces were moved, over the radius.
static double correct(const Yields* y, Blows* b, int i)
{
    Blow* blow = &b->all[i];
    const Yield* yield = &y->all[i];
    if (!(yield->give > 0.0)) {
        return 0.0;
    }
    Alone c = leave_alone(b, i, yield, gather(y, blow, yield));
    Drag drag = {.slides = false};
    double next = 0.0;
    if (c.gap < 0.0) {
        bool drags = blow->mu > 0.0 && yield->give_across[0] > 0.0;
        next = drags ? push_at(&c, blow->push, &drag) : -c.gap / yield->give;
    }
    CordVec3 d = in_space(yield, drag.d), more = vec3_sub(d, blow->drag);
    double p = yield->give * (next - blow->push),
           q = yield->give_across[0] * vec3_dot(more, yield->across[0]),
           r = yield->give_across[1] * vec3_dot(more, yield->across[1]),
           far = real_max(fabs(p), sqrt(q * q + r * r));
    if (far > 0.0) {
        CordVec3 f = vec3_madd(more, blow->n, next - blow->push);
        push_side(y, b, blow, yield, 0, f);
        if (blow->sides == 2) {
            push_side(y, b, blow, yield, 1, vec3_mul(f, -1.0));
        }
    }
    blow->push = next;
    blow->drag = d;
    blow->slides = drag.slides;
    return far / blow->radius;
}

static double sweep(const Yields* y, Blows* b, YieldBatch batch, bool back, bool first)
{
    double change = 0.0;
    for (int k = batch.first; k < batch.last; k++) {
        // there and back: news travels both ways
        int i = y->order[back ? batch.first + batch.last - 1 - k : k];
        double far = correct(y, b, i);
        b->past[i].change = first ? far : b->past[i].change;
        change = real_max(change, far);
    }
    return change;
}

// ---- where sweeps lead
//
// A sweep is a step along a gradient, and so conjugate ones can be had of them (nonsmooth nonlinear conjugate
// gradients): Fletcher and Reeves's, started anew whenever sweeps grow.

static void begin_sweep(const Yields* y, const Blows* b, YieldBatch batch)
{
    size_t size = 4 * sizeof(double) * (size_t)(batch.last_node - batch.first_node);
    memcpy(y->u_before + 4 * batch.first_node, y->u + 4 * batch.first_node, size);
    for (int k = batch.first; k < batch.last; k++) {
        const Blow* blow = &b->all[y->order[k]];
        y->all[y->order[k]].before = (YieldForce){blow->push, blow->drag};
    }
}

// What the sweep did, squared.
static double size_of_sweep(const Yields* y, const Blows* b, YieldBatch batch)
{
    double sum = 0.0;
    for (int k = batch.first; k < batch.last; k++) {
        const Blow* blow = &b->all[y->order[k]];
        const Yield* yield = &y->all[y->order[k]];
        double push = blow->push - yield->before.push;
        CordVec3 drag = vec3_sub(blow->drag, yield->before.drag);
        sum += yield->give * push * push + yield->give_across[0] * vec3_dot(drag, drag);
    }
    return sum;
}

// way = share of the way + what the sweep did; then, by that share, along the way as it was.
static void go_on(const Yields* y, Blows* b, YieldBatch batch, double share)
{
    for (int i = 4 * batch.first_node; i < 4 * batch.last_node; i++) {
        double step = y->u[i] - y->u_before[i], more = share * y->u_way[i];
        y->u_way[i] = more + step;
        y->u[i] += more;
    }
    for (int k = batch.first; k < batch.last; k++) {
        Blow* blow = &b->all[y->order[k]];
        Yield* yield = &y->all[y->order[k]];
        double push = share * yield->way.push;
        CordVec3 drag = vec3_mul(yield->way.drag, share);
        yield->way.push = push + (blow->push - yield->before.push);
        yield->way.drag = vec3_add(drag, vec3_sub(blow->drag, yield->before.drag));
        blow->push += push;
        blow->drag = vec3_add(blow->drag, drag);
    }
}

YieldSweeps yields_sweep(const Yields* y, Blows* b, YieldBatch batch, double enough, int most, bool blind)
{
    YieldSweeps done = {0, 0.0};
    double before = 0.0;
    for (;;) {
        begin_sweep(y, b, batch);
        double change = sweep(y, b, batch, done.count % 2 != 0, done.count == 0);
        done.change = done.count == 0 ? change : done.change;
        done.count++;
        if (change <= enough || done.count >= most) {
            return done;
        }
        double now = size_of_sweep(y, b, batch);
        go_on(y, b, batch, !blind && before > 0.0 && now < before ? now / before : 0.0);
        before = now;
    }
}

// Cones are convex: between two forces that are within them are such alone.
void yields_take(const Yields* y, Blows* b, YieldBatch batch, double share)
{
    for (int k = batch.first; k < batch.last; k++) {
        int i = y->order[k];
        Blow* blow = &b->all[i];
        const YieldForce* first = &y->all[i].at_first;
        if (share < 1.0) {
            blow->push = first->push + share * (blow->push - first->push);
            blow->drag = vec3_madd(first->drag, vec3_sub(blow->drag, first->drag), share);
        }
        blows_push(b, i, vec3_madd(vec3_sub(blow->drag, first->drag), blow->n, blow->push - first->push));
    }
}
