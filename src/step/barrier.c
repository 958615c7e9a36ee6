#include "step/barrier.h"

#include "base/real.h"
#include "body/inertia.h"

#include <string.h>

#define LEAST_GAP 0.2 // of a gap: what a step of Newton's method leaves of it at the least
#define SHALLOW 0.8   // of a barrier's reach: as far as something may come into it at once that was not in it
#define STEEPER 0.3   // of the gap of what was in it, likewise
#define TEMPERINGS 2  // of a share

// ---- opening

bool touching_reserve(Memory* m, void** array, int count, int* capacity, size_t size)
{
    if (count <= *capacity) {
        return true;
    }
    void* larger = memory_alloc(m, size * (size_t)count);
    if (!larger) {
        return false;
    }
    memory_free(m, *array, size * (size_t)*capacity);
    *array = larger;
    *capacity = count;
    return true;
}

static TouchRod rod_in(System* systems, int count, const Rod* rod)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < systems[i].rod_count; k++) {
            if (systems[i].rods[k].rod == rod) {
                return (TouchRod){&systems[i], &systems[i].rods[k]};
            }
        }
    }
    return (TouchRod){0};
}

// A rod sees its own part of the stage.
static void lend_rods(Touching* t)
{
    for (int i = 0; i < t->stage.rod_count; i++) {
        const StageRod* r = &t->stage.rods[i];
        t->rods[i] = rod_in(t->systems, t->system_count, r->rod);
        t->rods[i].rod->touch = (SystemTouch){.push = t->force.x + r->first_node,
                                              .torque = t->force.spin + r->first_segment,
                                              .stiff = t->stiff + (ptrdiff_t)49 * r->first_segment,
                                              .is_stiff = t->is_stiff + r->first_segment};
    }
}

static SystemBody* body_in(System* systems, int count, const Body* body)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < systems[i].body_count; k++) {
            if (systems[i].bodies[k].body == body) {
                return &systems[i].bodies[k];
            }
        }
    }
    return NULL;
}

// Bodies have flown for the step by themselves.
static void open_bodies(Touching* t)
{
    t->body_count = 0;
    for (int i = 0; i < t->stage.solid_count; i++) {
        Body* body = t->solid_bodies[i];
        if (!body) {
            continue;
        }
        TouchBody* b = &t->bodies[t->body_count++];
        *b = (TouchBody){.solid = i, .body = body_in(t->systems, t->system_count, body)};
        b->is_loose = !b->body;
        if (b->is_loose) {
            CordBodyState flown = body->engine->get(body->engine_user, body->handle);
            b->loose = (SystemBody){.body = body,
                                    .inertia = body_inertia(body),
                                    .before = body->pose,
                                    .pose = {flown.position, flown.rotation}};
            b->body = &b->loose;
        }
        t->stage.solids[i].begin = b->body->before;
    }
}

bool touching_begin(Touching* t, Memory* m, System* systems, int count, double mass)
{
    Stage* st = &t->stage;
    t->memory = m;
    t->mass = mass;
    t->systems = systems;
    t->system_count = count;
    t->no_memory = false;
    t->secant = 1.0;
    t->curved = false;
    t->iterations = 0;
    t->is_whole = whole_suits(t);
    if (!touching_reserve(m, (void**)&t->rods, st->rod_count, &t->rod_capacity, sizeof(TouchRod)) ||
        !touching_reserve(m, (void**)&t->bodies, st->solid_count, &t->body_capacity, sizeof(TouchBody)) ||
        !touching_reserve(m, (void**)&t->parties, count + st->solid_count, &t->party_capacity,
                          sizeof(Party)) ||
        !touching_reserve(m, (void**)&t->stiff, 49 * st->segment_count, &t->stiff_capacity, sizeof(double)) ||
        !touching_reserve(m, (void**)&t->is_stiff, st->segment_count, &t->is_stiff_capacity, sizeof(bool)) ||
        !stage_move_reserve(m, &t->force, st, &t->force_size) ||
        !stage_move_reserve(m, &t->move, st, &t->move_size)) {
        return false;
    }
    // a step goes on alike from a state that was put back: the order of elimination is its own
    t->whole.node_count = -1;
    // nothing of the last step is left in what rods are lent
    memset(t->is_stiff, 0, sizeof *t->is_stiff * (size_t)st->segment_count);
    stage_move_clear(&t->force, st);
    lend_rods(t);
    open_bodies(t);
    stage_begin(st);
    return stage_search(m, st) && touches_find(m, &t->touches, st, st->begin, &t->law) &&
           sticks_begin(m, &t->sticks, st, &t->touches, &t->friction);
}

void touching_free(Memory* m, Touching* t)
{
    stage_free(m, &t->stage);
    touches_free(m, &t->touches);
    touches_free(m, &t->ahead);
    sticks_free(m, &t->sticks);
    memory_array_free(m, t->rods, t->rod_capacity);
    memory_array_free(m, t->bodies, t->body_capacity);
    memory_array_free(m, t->solid_bodies, t->solid_capacity);
    memory_array_free(m, t->parties, t->party_capacity);
    memory_array_free(m, t->stiff, t->stiff_capacity);
    memory_array_free(m, t->is_stiff, t->is_stiff_capacity);
    stage_move_free(m, &t->force, &t->force_size);
    stage_move_free(m, &t->move, &t->move_size);
    memory_array_free(m, t->rows, t->row_capacity);
    memory_array_free(m, t->cg, t->cg_capacity);
    whole_free(m, &t->whole);
    *t = (Touching){0};
}

// ---- where things are

void touching_take(Touching* t)
{
    Stage* st = &t->stage;
    for (int i = 0; i < st->rod_count; i++) {
        const CordCenterline* c = &st->rods[i].rod->line;
        for (int n = 0; n < c->node_count; n++) {
            int at = st->rods[i].first_node + n;
            CordVec3 y = slot_get(t->rods[i].rod->y, slot_of(c, n));
            st->to[at] = t->rods[i].sys->midpoint ? vec3_sub(vec3_mul(y, 2.0), st->begin[at]) : y;
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        st->solids[t->bodies[i].solid].to = t->bodies[i].body->pose;
    }
}

double touching_set_out(Touching* t)
{
    stage_move_solids(&t->stage, 1.0);
    if (!stage_search(t->memory, &t->stage)) {
        t->no_memory = true;
        return 0.0;
    }
    return stage_sweep(&t->stage, LEAST_GAP);
}

void touching_step(Touching* t, double share)
{
    Stage* st = &t->stage;
    touching_take(t);
    memcpy(st->from, st->to, sizeof *st->from * (size_t)st->node_count);
    stage_move_solids(st, share);
    for (int i = 0; i < st->solid_count; i++) {
        st->solids[i].from = st->solids[i].to;
    }
}

bool touching_is_near(Touching* t)
{
    Stage* st = &t->stage;
    stage_move_solids(st, 1.0);
    if (t->touches.count > 0 || !stage_search(t->memory, st) ||
        !touches_find(t->memory, &t->touches, st, st->to, &t->law)) {
        return true;
    }
    return t->touches.count > 0 || stage_sweep(st, 0.5) < 1.0;
}

// The stage's `to` := y, moved by a share of the solution.
void touching_place(Touching* t, double share)
{
    Stage* st = &t->stage;
    for (int i = 0; i < st->rod_count; i++) {
        const CordCenterline* c = &st->rods[i].rod->line;
        for (int n = 0; n < c->node_count; n++) {
            int at = st->rods[i].first_node + n;
            st->to[at] = vec3_madd(st->from[at], slot_get(t->rods[i].rod->move.x, slot_of(c, n)), share);
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        st->solids[t->bodies[i].solid].to = system_moved_pose(t->bodies[i].body, false, share);
    }
    stage_move_solids(st, share);
}

double touching_reach(Touching* t, double share)
{
    touching_place(t, share);
    if (!stage_search(t->memory, &t->stage)) {
        t->no_memory = true;
        return 0.0;
    }
    return share * stage_sweep(&t->stage, LEAST_GAP);
}

double touching_temper(Touching* t, double share)
{
    Stage* st = &t->stage;
    for (int n = 0; n < TEMPERINGS; n++) {
        double less = 1.0;
        touching_place(t, share);
        if (!touches_find(t->memory, &t->ahead, st, st->to, &t->law)) {
            t->no_memory = true;
            return share;
        }
        for (int i = 0; i < t->ahead.count; i++) {
            const Touch* touch = &t->ahead.all[i];
            double before = touch_gap(st, touch, st->from), reach = touch->barrier.reach;
            double least = before < reach ? STEEPER * before : SHALLOW * reach;
            less = touch->gap < least ? real_min(less, (before - least) / (before - touch->gap)) : less;
        }
        if (less == 1.0) {
            break;
        }
        share *= less;
    }
    return share;
}

void touching_move_loose(Touching* t, double share)
{
    for (int i = 0; i < t->body_count; i++) {
        SystemBody* b = t->bodies[i].body;
        if (t->bodies[i].is_loose) {
            b->pose = system_moved_pose(b, false, share);
            for (int k = 0; k < 6; k++) {
                b->gone[k] += share * b->move[k];
            }
        }
    }
}

void touching_go_part(Touching* t, double share)
{
    for (int i = 0; i < t->body_count; i++) {
        SystemBody* b = t->bodies[i].body;
        CordVec3 way = vec3_sub(b->pose.point, b->before.point),
                 turn = pose_rotation_vector(b->before, b->pose);
        double move[6] = {way.x, way.y, way.z, turn.x, turn.y, turn.z};
        if (t->bodies[i].is_loose) {
            memcpy(b->move, move, sizeof move);
        }
    }
    touching_move_loose(t, share - 1.0);
}

double touching_change(const Touching* t)
{
    double most = 0.0;
    for (int i = 0; i < t->body_count; i++) {
        const double* m = t->bodies[i].body->move;
        most = real_max(most, sqrt(m[3] * m[3] + m[4] * m[4] + m[5] * m[5]));
    }
    return most;
}

// ---- forces and stiffness

// How everything has moved since the start of the step.
static void take_moves(Touching* t)
{
    const Stage* st = &t->stage;
    stage_move_clear(&t->move, st);
    for (int n = 0; n < st->node_count; n++) {
        t->move.x[n] = vec3_sub(st->to[n], st->begin[n]);
    }
    for (int i = 0; i < st->rod_count; i++) {
        const StageRod* r = &st->rods[i];
        for (int j = 0; j < r->segment_count; j++) {
            t->move.spin[r->first_segment + j] = t->rods[i].rod->turned[slot_of(&r->rod->line, j)];
        }
    }
}

static TouchRow row_of(const Stage* st, const Touch* touch)
{
    const int* a = st->segments[touch->key.a].node;
    TouchRow row = {
        .of = {touch->key.a, -1}, .node = {a[0], a[1], -1, -1}, .segment = {touch->key.a, -1}, .solid = -1};
    if (touch->kind == TOUCH_SEGMENTS) {
        const int* b = st->segments[touch->key.b].node;
        row.node[2] = b[0], row.node[3] = b[1], row.segment[1] = row.of[1] = touch->key.b;
    } else if (st->solids[touch->key.b].kind == CORD_TOUCH_BODY) {
        row.solid = touch->key.b;
    }
    return row;
}

static void keep_row(Touching* t, TouchRow row, double stiffness)
{
    if (stiffness == 0.0) {
        return;
    }
    if (t->row_count == t->row_capacity &&
        !memory_grow(t->memory, (void**)&t->rows, t->row_count, &t->row_capacity, sizeof(TouchRow))) {
        t->no_memory = true;
        return;
    }
    row.root = sqrt(fabs(stiffness));
    row.sign = stiffness < 0.0 ? -1.0 : 1.0;
    t->rows[t->row_count++] = row;
}

// A push in direction e at a touch: a force on the one side, its opposite on the other, as touch_scatter has
// it.
static void add_row(Touching* t, const Touch* touch, CordVec3 e, double stiffness)
{
    TouchRow row = row_of(&t->stage, touch);
    for (int side = 0; side < 2 && row.segment[side] >= 0; side++) {
        double s = side == 0 ? touch->s : touch->t, sign = side == 0 ? 1.0 : -1.0;
        CordVec3 f = vec3_mul(e, sign), torque = vec3_cross(touch->arm[side], f), axis = touch->axis[side];
        CordVec3 couple = vec3_mul(vec3_cross(torque, axis), touch->inv_len[side]);
        row.x[2 * side] = vec3_madd(vec3_mul(couple, -1.0), f, 1.0 - s);
        row.x[2 * side + 1] = vec3_madd(couple, f, s);
        row.spin[side] = vec3_dot(axis, torque);
    }
    if (row.solid >= 0) {
        CordVec3 f = vec3_mul(e, -1.0), torque = vec3_cross(touch->arm[1], f);
        double body[6] = {f.x, f.y, f.z, torque.x, torque.y, torque.z};
        memcpy(row.body, body, sizeof body);
    }
    keep_row(t, row, stiffness);
}

// How the push turns and slides, where the matrix is made as a whole; conjugate gradients need one that is
// not negative.
static void add_curve(Touching* t, const Touch* touch)
{
    TouchCurve curve = touch_curve(&t->stage, touch);
    for (int i = 0; i < curve.count; i++) {
        TouchRow row = row_of(&t->stage, touch);
        row.segment[0] = row.segment[1] = -1;
        memcpy(row.x, curve.node[i], sizeof row.x);
        keep_row(t, row, curve.stiffness[i]);
    }
}

// Unknowns of an edge: x of its first node, its angle, x of the second.
static void add_to_band(Touching* t, const Touch* touch, CordVec3 e, double stiffness)
{
    int segment = touch->key.a;
    CordVec3 torque = vec3_cross(touch->arm[0], e), axis = touch->axis[0];
    CordVec3 couple = vec3_mul(vec3_cross(torque, axis), touch->inv_len[0]);
    CordVec3 a = vec3_madd(vec3_mul(couple, -1.0), e, 1.0 - touch->s), b = vec3_madd(couple, e, touch->s);
    double g[7] = {a.x, a.y, a.z, vec3_dot(axis, torque), b.x, b.y, b.z};
    double* K = t->stiff + (ptrdiff_t)49 * segment;
    if (!t->is_stiff[segment]) {
        memset(K, 0, 49 * sizeof *K);
        t->is_stiff[segment] = true;
    }
    for (int i = 0; i < 7; i++) {
        for (int j = 0; j < 7; j++) {
            K[7 * i + j] += stiffness * g[i] * g[j];
        }
    }
}

static bool is_banded(const Touching* t, const Touch* touch)
{
    if (touch->kind == TOUCH_SEGMENTS || t->stage.solids[touch->key.b].kind == CORD_TOUCH_BODY) {
        return false;
    }
    const Segment* g = &t->stage.segments[touch->key.a];
    const SystemRod* r = t->rods[g->rod].rod;
    int s = slot_of(&r->rod->line, g->edge);
    return !system_is_carried(r, s) && !system_is_carried(r, s + 1);
}

static void add_stiffness(Touching* t, const Touch* touch, CordVec3 e, double stiffness)
{
    if (is_banded(t, touch)) {
        add_to_band(t, touch, e, stiffness);
    } else {
        add_row(t, touch, e, stiffness);
    }
}

static void update_sticks(Touching* t)
{
    const Stage* st = &t->stage;
    take_moves(t);
    for (int i = 0; i < t->sticks.count; i++) {
        Stick* stick = &t->sticks.all[i];
        stick_update(stick,
                     vec3_sub(touch_gather(st, &stick->touch, &t->move), touch_solid_way(st, &stick->touch)));
    }
}

bool touching_end(Touching* t)
{
    touching_take(t);
    stage_move_solids(&t->stage, 1.0);
    update_sticks(t);
    return stage_search(t->memory, &t->stage) &&
           touches_find(t->memory, &t->touches, &t->stage, t->stage.to, &t->law);
}

bool touching_has_passed(Touching* t)
{
    Stage* st = &t->stage;
    memcpy(st->from, st->begin, sizeof *st->from * (size_t)st->node_count);
    for (int i = 0; i < st->solid_count; i++) {
        st->solids[i].from = st->solids[i].begin;
    }
    if (!stage_search(t->memory, st)) {
        t->no_memory = true;
        return true;
    }
    return stage_passes(st);
}

static bool evaluate(Touching* t)
{
    Stage* st = &t->stage;
    if (!touches_find(t->memory, &t->touches, st, st->to, &t->law)) {
        return false;
    }
    stage_move_clear(&t->force, st);
    // a step goes on alike from a state that was put back: the order of elimination is its own
    t->whole.node_count = -1;
    memset(t->is_stiff, 0, sizeof *t->is_stiff * (size_t)st->segment_count);
    t->row_count = 0;
    for (int i = 0; i < t->touches.count; i++) {
        const Touch* touch = &t->touches.all[i];
        touch_scatter(st, touch, vec3_mul(touch->n, touch->push), &t->force);
        add_stiffness(t, touch, touch->n, touch->stiffness);
    }
    touches_tilt(st, &t->touches, &t->force);
    update_sticks(t);
    bool few = t->curved && (t->is_whole || t->touches.count + 2 * t->sticks.count <= TOUCH_DIRECT_MOST / 4);
    for (int i = 0; i < t->touches.count && few; i++) {
        add_curve(t, &t->touches.all[i]);
    }
    for (int i = 0; i < t->sticks.count; i++) {
        const Stick* stick = &t->sticks.all[i];
        touch_scatter(st, &stick->touch, stick->force, &t->force);
        StickStiffness k = stick_stiffness(stick, t->secant);
        add_stiffness(t, &stick->touch, k.e[0], k.k[0]);
        add_stiffness(t, &stick->touch, k.e[1], k.k[1]);
    }
    return !t->no_memory;
}

// What is left of the forces on bodies: those in systems add their own.
static void push_bodies(Touching* t)
{
    for (int i = 0; i < t->body_count; i++) {
        SystemBody* b = t->bodies[i].body;
        memcpy(b->touch, t->force.solid + 6 * t->bodies[i].solid, sizeof b->touch);
        if (t->bodies[i].is_loose) {
            CordVec3 turn = tensor_mul(b->inertia.tensor, (CordVec3){b->gone[3], b->gone[4], b->gone[5]});
            double inertia[6] = {b->inertia.mass * b->gone[0],
                                 b->inertia.mass * b->gone[1],
                                 b->inertia.mass * b->gone[2],
                                 turn.x,
                                 turn.y,
                                 turn.z};
            for (int k = 0; k < 6; k++) {
                b->force[k] = b->touch[k] - t->mass * inertia[k];
            }
        }
    }
}

void touching_answer_loose(Touching* t) // move := their force over their inertia
{
    for (int i = 0; i < t->body_count; i++) {
        SystemBody* b = t->bodies[i].body;
        if (t->bodies[i].is_loose) {
            CordVec3 turn =
                tensor_solve(b->inertia.tensor, (CordVec3){b->force[3], b->force[4], b->force[5]});
            double scale = 1.0 / (t->mass * b->inertia.mass);
            double move[6] = {scale * b->force[0], scale * b->force[1], scale * b->force[2],
                              turn.x / t->mass,    turn.y / t->mass,    turn.z / t->mass};
            memcpy(b->move, move, sizeof move);
        }
    }
}

bool touching_is_in_whole(const Touching* t, int system) // intangible rods are not
{
    return t->is_whole && t->systems[system].rods->touch.push;
}

bool touching_assemble(Touching* t)
{
    touching_take(t);
    if (!evaluate(t)) {
        t->no_memory = true;
        return false;
    }
    push_bodies(t);
    for (int i = 0; i < t->system_count; i++) {
        t->systems[i].right_only = false;
        t->systems[i].symmetric = true;
        system_assemble(&t->systems[i]);
        if (!touching_is_in_whole(t, i) && system_factor(&t->systems[i], true).least == 0.0) {
            return false;
        }
    }
    if (t->is_whole && !whole_fill(t)) {
        t->no_memory = true;
        return false;
    }
    return !t->is_whole || whole_factor(t);
}
