#include "solve/touching.h"

#include "body/inertia.h"

#include <string.h>

#define LEAST_GAP 0.2     // of a gap: what a step of Newton's method leaves of it at the least
#define CG_MOST 2000      // iterations
#define CG_TOLERANCE 1e-9 // of the residual, relative
#define DIRECT_MOST 200   // rows for which their matrix is made

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
        !touching_reserve(m, (void**)&t->parties, count + st->solid_count, &t->party_capacity, sizeof(Party)) ||
        !touching_reserve(m, (void**)&t->stiff, 49 * st->segment_count, &t->stiff_capacity, sizeof(double)) ||
        !touching_reserve(m, (void**)&t->is_stiff, st->segment_count, &t->is_stiff_capacity, sizeof(bool)) ||
        !stage_move_reserve(m, &t->force, st, &t->force_size) ||
        !stage_move_reserve(m, &t->move, st, &t->move_size)) {
        return false;
    }
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
static void place_moved(Touching* t, double share)
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
    place_moved(t, share);
    if (!stage_search(t->memory, &t->stage)) {
        t->no_memory = true;
        return 0.0;
    }
    return share * stage_sweep(&t->stage, LEAST_GAP);
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
        CordVec3 way = vec3_sub(b->pose.point, b->before.point), turn = pose_turn(b->before, b->pose);
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
        most = fmax(most, sqrt(m[3] * m[3] + m[4] * m[4] + m[5] * m[5]));
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

// A push in direction e at a touch: a force on the one side, its opposite on the other, as touch_scatter has it.
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

// How the push turns and slides, where the matrix is made as a whole; conjugate gradients need one that is not negative.
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
    memset(t->is_stiff, 0, sizeof *t->is_stiff * (size_t)st->segment_count);
    t->row_count = 0;
    for (int i = 0; i < t->touches.count; i++) {
        const Touch* touch = &t->touches.all[i];
        touch_scatter(st, touch, vec3_mul(touch->n, touch->push), &t->force);
        add_stiffness(t, touch, touch->n, touch->stiffness);
    }
    touches_tilt(st, &t->touches, &t->force);
    update_sticks(t);
    bool few = t->curved && (t->is_whole || t->touches.count + 2 * t->sticks.count <= DIRECT_MOST / 4);
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

static void answer_loose(Touching* t) // move := their force over their inertia
{
    for (int i = 0; i < t->body_count; i++) {
        SystemBody* b = t->bodies[i].body;
        if (t->bodies[i].is_loose) {
            CordVec3 turn = tensor_solve(b->inertia.tensor, (CordVec3){b->force[3], b->force[4], b->force[5]});
            double scale = 1.0 / (t->mass * b->inertia.mass);
            double move[6] = {scale * b->force[0], scale * b->force[1], scale * b->force[2],
                              turn.x / t->mass,    turn.y / t->mass,    turn.z / t->mass};
            memcpy(b->move, move, sizeof move);
        }
    }
}

static bool is_in_whole(const Touching* t, int system) // intangible rods are not
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
        system_assemble(&t->systems[i]);
        if (!is_in_whole(t, i) && system_factor(&t->systems[i], true).least == 0.0) {
            return false;
        }
    }
    if (t->is_whole && !whole_fill(t)) {
        t->no_memory = true;
        return false;
    }
    return !t->is_whole || whole_factor(t);
}

// ---- solving

static void keep_solution(System* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        move_copy(&sys->rods[i].rod->line, &sys->rods[i].kept, &sys->rods[i].move);
    }
    for (int i = 0; i < sys->body_count; i++) {
        memcpy(sys->bodies[i].kept, sys->bodies[i].move, sizeof sys->bodies[i].kept);
    }
}

// move := what was kept, less what it is now.
static void take_from_kept(System* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        SystemRod* r = &sys->rods[i];
        move_add(&r->rod->line, &r->kept, &r->move, -1.0);
        move_copy(&r->rod->line, &r->move, &r->kept);
    }
    for (int i = 0; i < sys->body_count; i++) {
        for (int k = 0; k < 6; k++) {
            sys->bodies[i].move[k] = sys->bodies[i].kept[k] - sys->bodies[i].move[k];
        }
    }
}

static void clear_forces(System* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        move_clear(&sys->rods[i].rod->line, &sys->rods[i].force);
    }
    for (int i = 0; i < sys->body_count; i++) {
        memset(sys->bodies[i].force, 0, sizeof sys->bodies[i].force);
    }
}

// move := A^-1 of the stage's forces; as a whole, with the stiffness of touches.
static bool answer(Touching* t)
{
    const Stage* st = &t->stage;
    bool good = true;
    for (int i = 0; i < t->system_count; i++) {
        clear_forces(&t->systems[i]);
    }
    for (int i = 0; i < st->rod_count; i++) {
        const StageRod* r = &st->rods[i];
        const CordCenterline* c = &r->rod->line;
        SystemRod* to = t->rods[i].rod;
        for (int n = 0; n < r->node_count; n++) {
            slot_set(to->force.x, slot_of(c, n), t->move.x[r->first_node + n]);
        }
        for (int j = 0; j < r->segment_count; j++) {
            to->force.angle[slot_of(c, j)] = t->move.spin[r->first_segment + j];
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        memcpy(t->bodies[i].body->force, t->move.solid + 6 * t->bodies[i].solid, sizeof t->bodies[i].body->force);
    }
    answer_loose(t);
    for (int i = 0; i < t->system_count; i++) {
        system_put_right(&t->systems[i]);
        good &= is_in_whole(t, i) || system_solve(&t->systems[i]);
    }
    if (t->is_whole) {
        whole_take_right(t);
        whole_solve(t);
    }
    return good;
}

static void gather_moves(Touching* t)
{
    const Stage* st = &t->stage;
    for (int i = 0; i < st->rod_count; i++) {
        const StageRod* r = &st->rods[i];
        const CordCenterline* c = &r->rod->line;
        const SystemRod* from = t->rods[i].rod;
        for (int n = 0; n < r->node_count; n++) {
            t->move.x[r->first_node + n] = slot_get(from->move.x, slot_of(c, n));
        }
        for (int j = 0; j < r->segment_count; j++) {
            t->move.spin[r->first_segment + j] = from->move.angle[slot_of(c, j)];
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        memcpy(t->move.solid + 6 * t->bodies[i].solid, t->bodies[i].body->move, 6 * sizeof(double));
    }
}

static void scatter_rows(Touching* t, const double* y) // the stage's move := G D y
{
    stage_move_clear(&t->move, &t->stage);
    for (int i = 0; i < t->row_count; i++) {
        const TouchRow* row = &t->rows[i];
        double f = row->root * y[i];
        for (int k = 0; k < 4; k++) {
            if (row->node[k] >= 0) {
                t->move.x[row->node[k]] = vec3_madd(t->move.x[row->node[k]], row->x[k], f);
            }
        }
        for (int k = 0; k < 2; k++) {
            if (row->segment[k] >= 0) {
                t->move.spin[row->segment[k]] += f * row->spin[k];
            }
        }
        for (int k = 0; row->solid >= 0 && k < 6; k++) {
            t->move.solid[6 * row->solid + k] += f * row->body[k];
        }
    }
}

static void gather_rows(Touching* t, double* z) // z := D G' move of the systems
{
    stage_move_clear(&t->move, &t->stage);
    gather_moves(t);
    for (int i = 0; i < t->row_count; i++) {
        const TouchRow* row = &t->rows[i];
        double sum = 0.0;
        for (int k = 0; k < 4; k++) {
            sum += row->node[k] >= 0 ? vec3_dot(row->x[k], t->move.x[row->node[k]]) : 0.0;
        }
        for (int k = 0; k < 2; k++) {
            sum += row->segment[k] >= 0 ? row->spin[k] * t->move.spin[row->segment[k]] : 0.0;
        }
        for (int k = 0; row->solid >= 0 && k < 6; k++) {
            sum += row->body[k] * t->move.solid[6 * row->solid + k];
        }
        z[i] = row->root * sum;
    }
}

static double dot(const double* a, const double* b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// y of (1 + D G' A^-1 G D) y = b, b being overwritten by the residual.
static bool conjugate_gradients(Touching* t, double* b, double* y)
{
    int n = t->row_count;
    double *p = b + 2 * n, *q = b + 3 * n;
    memset(y, 0, sizeof *y * (size_t)n);
    memcpy(p, b, sizeof *p * (size_t)n);
    double rho = dot(b, b, n), enough = CG_TOLERANCE * CG_TOLERANCE * rho;
    for (int it = 0; it < CG_MOST && rho > enough; it++) {
        t->iterations++;
        t->iterations_in_all++;
        scatter_rows(t, p);
        if (!answer(t)) {
            return false;
        }
        gather_rows(t, q);
        for (int i = 0; i < n; i++) {
            q[i] += p[i];
        }
        double curvature = dot(p, q, n);
        if (!(curvature > 0.0)) {
            return it > 0;
        }
        double step = rho / curvature, before = rho;
        for (int i = 0; i < n; i++) {
            y[i] += step * p[i];
            b[i] -= step * q[i];
        }
        rho = dot(b, b, n);
        for (int i = 0; i < n; i++) {
            p[i] = b[i] + rho / before * p[i];
        }
    }
    return isfinite(rho);
}

// The matrix 1 + D G' A^-1 G D itself, column by column, into S; with -1 in place of 1 where a stiffness is negative.
static bool make_matrix(Touching* t, double* S, double* unit)
{
    int n = t->row_count;
    memset(unit, 0, sizeof *unit * (size_t)n);
    for (int j = 0; j < n; j++) {
        unit[j] = 1.0;
        scatter_rows(t, unit);
        if (!answer(t)) {
            return false;
        }
        gather_rows(t, S + (ptrdiff_t)j * n);
        S[(ptrdiff_t)j * n + j] += t->rows[j].sign;
        unit[j] = 0.0;
    }
    return true;
}

// L D L' in place of its lower half.
static bool factor_matrix(double* S, int n)
{
    for (int j = 0; j < n; j++) {
        double* row = S + (ptrdiff_t)j * n;
        for (int i = 0; i < j; i++) {
            row[i] = 0.5 * (row[i] + S[(ptrdiff_t)i * n + j]); // as it was before row i was made
        }
        double pivot = row[j];
        for (int i = 0; i < j; i++) {
            const double* above = S + (ptrdiff_t)i * n;
            for (int k = 0; k < i; k++) {
                row[i] -= row[k] * above[k];
            }
        }
        for (int i = 0; i < j; i++) {
            double scaled = row[i] / S[(ptrdiff_t)i * n + i];
            pivot -= scaled * row[i];
            row[i] = scaled;
        }
        if (pivot == 0.0 || !isfinite(pivot)) {
            return false;
        }
        row[j] = pivot;
    }
    return true;
}

static void solve_matrix(const double* S, int n, double* y)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            y[i] -= S[(ptrdiff_t)i * n + k] * y[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        y[i] /= S[(ptrdiff_t)i * n + i];
        for (int k = i + 1; k < n; k++) {
            y[i] -= S[(ptrdiff_t)k * n + i] * y[k];
        }
    }
}

static bool solve_directly(Touching* t, const double* b, double* y, double* S)
{
    int n = t->row_count;
    t->iterations += n;
    t->iterations_in_all += n;
    if (!make_matrix(t, S, y) || !factor_matrix(S, n)) {
        return false;
    }
    memcpy(y, b, sizeof *y * (size_t)n);
    solve_matrix(S, n, y);
    return true;
}

// Rows give way: what stands in the systems' moves, of A alone, becomes that of the whole matrix. `made`: which is there from a solution before.
static bool solve_rows(Touching* t, bool made)
{
    int n = t->row_count;
    double *b = t->cg, *y = t->cg + n, *S = t->cg + 2 * (ptrdiff_t)n;
    for (int i = 0; i < t->system_count; i++) {
        keep_solution(&t->systems[i]);
    }
    for (int i = 0; i < t->body_count; i++) {
        memcpy(t->bodies[i].body->kept, t->bodies[i].body->move, sizeof t->bodies[i].body->kept);
    }
    gather_rows(t, b);
    if (n > DIRECT_MOST) {
        if (!conjugate_gradients(t, b, y)) {
            return false;
        }
    } else if (made) {
        memcpy(y, b, sizeof *y * (size_t)n);
        solve_matrix(S, n, y);
    } else if (!solve_directly(t, b, y, S)) {
        return false;
    }
    scatter_rows(t, y);
    bool good = answer(t);
    for (int i = 0; i < t->system_count; i++) {
        take_from_kept(&t->systems[i]);
    }
    for (int i = 0; i < t->body_count; i++) {
        SystemBody* body = t->bodies[i].body;
        for (int k = 0; t->bodies[i].is_loose && k < 6; k++) {
            body->move[k] = body->kept[k] - body->move[k];
        }
    }
    return good;
}

bool touching_solve(Touching* t)
{
    bool good = true;
    answer_loose(t);
    for (int i = 0; i < t->system_count; i++) {
        good &= is_in_whole(t, i) || system_solve(&t->systems[i]);
    }
    if (t->is_whole) {
        whole_solve(t);
    }
    if (!good || t->is_whole || t->row_count == 0) {
        return good;
    }
    int n = t->row_count, arrays = n <= DIRECT_MOST ? n + 2 : 4;
    if (!touching_reserve(t->memory, (void**)&t->cg, arrays * n, &t->cg_capacity, sizeof(double))) {
        t->no_memory = true;
        return false;
    }
    return solve_rows(t, false);
}

// ---- what slopes do not tell

// Things that slide over each other while they turn come nearer by the square of their way. In a narrow gap that leaves no room for the step that the slopes ask for, and the gap would close by the
// same share time and again. So the same matrix is asked once more, with the forces that make up for what was lost.

static void keep_first(Touching* t)
{
    for (int i = 0; i < t->system_count; i++) {
        for (int k = 0; k < t->systems[i].rod_count; k++) {
            SystemRod* r = &t->systems[i].rods[k];
            move_copy(&r->rod->line, &r->first, &r->move);
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        memcpy(t->bodies[i].body->first, t->bodies[i].body->move, sizeof t->bodies[i].body->first);
    }
}

static void add_first(Touching* t, double share) // move := first + share move
{
    for (int i = 0; i < t->system_count; i++) {
        for (int k = 0; k < t->systems[i].rod_count; k++) {
            SystemRod* r = &t->systems[i].rods[k];
            move_add(&r->rod->line, &r->first, &r->move, share);
            move_copy(&r->rod->line, &r->move, &r->first);
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        SystemBody* b = t->bodies[i].body;
        for (int k = 0; k < 6; k++) {
            b->move[k] = b->first[k] + share * b->move[k];
        }
    }
}

// By how much each gap is less at the end of the solution than its slope has it, as forces: into the stage's move. The stage's `to` is there.
static void scatter_losses(Touching* t)
{
    const Stage* st = &t->stage;
    stage_move_clear(&t->move, st);
    gather_moves(t);
    for (int i = 0; i < t->touches.count; i++) {
        Touch* touch = &t->touches.all[i];
        double linear = touch->gap + vec3_dot(touch->n, touch_gather(st, touch, &t->move));
        touch->loss = linear - touch_gap(st, touch, st->to);
    }
    stage_move_clear(&t->move, st);
    for (int i = 0; i < t->touches.count; i++) {
        const Touch* touch = &t->touches.all[i];
        touch_scatter(st, touch, vec3_mul(touch->n, touch->stiffness * touch->loss), &t->move);
    }
}

bool touching_correct(Touching* t)
{
    if (t->touches.count == 0) {
        return false;
    }
    place_moved(t, 1.0);
    scatter_losses(t);
    keep_first(t);
    bool good = answer(t) && (t->is_whole || t->row_count == 0 || solve_rows(t, true));
    add_first(t, good ? 1.0 : 0.0);
    return good;
}
