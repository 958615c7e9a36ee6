#include "solve/newton.h"

#include "base/assert.h"
#include "base/real.h"
#include "body/inertia.h"
#include "solve/newton_parts.h"

#include <string.h>

// Relative to the twisting stiffness: a small stiffness against rotations that cost no energy, such as that
// of a free round rod about its own axis.
#define INDIFFERENT 1e-9
#define LEAST_GJ 1e-12 // relative to EI, as in the model; in a chain, on whose frames nothing acts, [N m^2]

// ---- opening

static bool is_held_at(const Rod* rod, int node, bool slides_only)
{
    const CordCenterline* c = &rod->line;
    const Clamp* clamp = clamp_of_node(rod, (node + c->node_count) % c->node_count);
    return clamp && (clamp->def.slides || !slides_only);
}

// Cuts a ring at an edge without clamps on or next to it: a tension between a port and a held node would have
// a zero pivot. If there is no such edge, it cuts where no clamp slides.
static int seam_of(const Rod* rod)
{
    int fixed = 0;
    for (int edge = rod->line.edge_count - 1; edge >= 0; edge--) {
        bool free = true;
        for (int node = edge - 1; node <= edge + 2; node++) {
            free &= !is_held_at(rod, node, false);
        }
        if (free) {
            return edge;
        }
        fixed = is_held_at(rod, edge, true) || is_held_at(rod, edge + 1, true) ? fixed : edge;
    }
    return fixed;
}

static int span_count_of(const Joins* joins, int rod)
{
    return joins ? joins->first_span[rod + 1] - joins->first_span[rod] : 1;
}

static size_t rod_scratch(const Rod* rod, int span_count)
{
    const CordCenterline* c = &rod->line;
    return arena_space(sizeof(Clamp*), c->node_count) + arena_space(sizeof(int), c->node_count) +
           slots_scratch(c, 12) + 5 * move_scratch(c) +
           arena_space(centerline_block_size(c, CORNER_TERMS_ARRAYS), 1) + band_scratch(rod, span_count) +
           arena_space(sizeof(BandSystem), span_count);
}

size_t newton_scratch(const Island* island)
{
    const Joins* joins = island->joins;
    size_t sum = arena_space(sizeof(NewtonRod), island->rod_count);
    for (int i = 0; i < island->rod_count; i++) {
        sum += rod_scratch(island->rods[i], span_count_of(joins, i));
    }
    if (joins) {
        sum += arena_space(sizeof(NewtonBody), joins->assembly->body_count) +
               arena_space(sizeof(CordVec3), joins->assembly->tie_count) +
               arena_space(sizeof(double), joins->blocks.n);
    }
    return sum;
}

static void open_held(NewtonRod* r, Arena* scratch)
{
    const Rod* rod = r->rod;
    r->held = arena_push(scratch, const Clamp*, rod->line.node_count);
    memset(r->held, 0, sizeof *r->held * (size_t)rod->line.node_count);
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        for (int k = 0; clamp->holds && k < clamp->node_count; k++) {
            r->held[clamp->node[k]] = clamp;
        }
    }
}

static void open_spans(NewtonRod* r, int index, const Joins* joins, bool tensions, Arena* scratch)
{
    bool own = tensions || band_needs_tensions(r->rod), ring = r->rod->line.closed;
    r->span_count = span_count_of(joins, index);
    r->spans = arena_push(scratch, BandSystem, r->span_count);
    if (!joins) {
        int seam = ring ? seam_of(r->rod) : -1;
        band_open(r->spans, r->rod, own, seam, seam, scratch);
        r->spans->ring = r->spans->own_right = ring;
        return;
    }
    for (int i = 0; i < r->span_count; i++) {
        const JoinSpan* s = &joins->spans[joins->first_span[index] + i];
        int left = s->left >= 0 ? joins->joins[s->left].edge : -1,
            right = s->right >= 0 ? joins->joins[s->right].edge : -1;
        band_open(&r->spans[i], r->rod, own, left, right, scratch);
        r->spans[i].own_left = s->own_left, r->spans[i].own_right = s->own_right;
    }
}

static void open_rod(NewtonRod* r, Rod* rod, int index, const Joins* joins, bool tensions, Arena* scratch)
{
    const CordCenterline* c = &rod->line;
    *r = (NewtonRod){.rod = rod};
    for (int k = 0; k < 3; k++) {
        r->y[k] = slots_push(c, scratch);
        r->start[k] = slots_push(c, scratch);
    }
    r->n = slots_push(c, scratch);
    r->turned = slots_push(c, scratch);
    r->soft = slots_push(c, scratch);
    r->weight = slots_push(c, scratch);
    r->slack = slots_push(c, scratch);
    r->stiffness_across = slots_push(c, scratch);
    for (int n = 0; n < c->node_count; n++) {
        r->weight[slot_of(c, n)] = rod_node_mass(rod, n);
    }
    for (int j = 0; j < c->edge_count; j++) {
        const CordStiffness* stiff = rod_stiffness_at(rod, j);
        r->soft[slot_of(c, j)] =
            rod->inextensible ? 0.0 : edge_rest_len(c, j) / rod_stretch_stiffness(rod, j);
        double len = edge_rest_len(c, j), EI = real_max(stiff->EI1, stiff->EI2);
        double GJ = real_max(stiff->GJ, LEAST_GJ * (EI > 0.0 ? EI : 1.0));
        r->indifferent = real_max(r->indifferent, INDIFFERENT * GJ / len);
    }
    r->shift = move_open(c, scratch);
    r->force = move_open(c, scratch);
    r->move = move_open(c, scratch);
    r->kept = move_open(c, scratch);
    r->first = move_open(c, scratch);
    size_t terms_size = centerline_block_size(c, CORNER_TERMS_ARRAYS);
    double* terms = arena_push_bytes(scratch, terms_size);
    memset(terms, 0, terms_size);
    corner_terms_open(&r->terms, terms + CENTERLINE_PAD, centerline_stride(c));
    open_held(r, scratch);
    r->tension_row = arena_push(scratch, int, c->node_count);
    open_spans(r, index, joins, tensions, scratch);
}

NewtonBody newton_body_at_rest(Body* body)
{
    return (NewtonBody){.body = body,
                        .inertia = body_inertia(body),
                        .before = body->pose,
                        .pose = body->pose,
                        .free = body->pose.rotation};
}

void newton_open(NewtonSystem* sys, const Island* island, bool tensions, Arena* scratch)
{
    NewtonRod* rods = arena_push(scratch, NewtonRod, island->rod_count);
    NewtonBody* bodies =
        island->joins ? arena_push(scratch, NewtonBody, island->joins->assembly->body_count) : NULL;
    newton_open_in(sys, island, tensions, rods, bodies, scratch);
}

void newton_open_in(NewtonSystem* sys, const Island* island, bool tensions, NewtonRod* rods,
                    NewtonBody* bodies, Arena* scratch)
{
    const Joins* joins = island->joins;
    *sys = (NewtonSystem){.rod_count = island->rod_count,
                          .body_count = island_body_count(island),
                          .joins = joins,
                          .resistance = 1.0};
    sys->rods = rods;
    for (int i = 0; i < sys->rod_count; i++) {
        open_rod(&sys->rods[i], island->rods[i], i, joins, tensions, scratch);
    }
    if (!joins) {
        return;
    }
    const Assembly* a = joins->assembly;
    sys->bodies = bodies;
    sys->blocks = (SparseLdu*)&joins->blocks; // its values are scratch
    sys->r = arena_push(scratch, double, joins->blocks.n);
    sys->carried = arena_push(scratch, CordVec3, a->tie_count);
    memset(sys->carried, 0, sizeof *sys->carried * (size_t)a->tie_count);
    for (int i = 0; i < sys->body_count; i++) {
        sys->bodies[i] = newton_body_at_rest(a->bodies[i]);
    }
}

// ---- assembly

void newton_assemble(NewtonSystem* sys)
{
    if (sys->coupling) {
        newton_assemble_group(sys);
        return;
    }
    for (int i = 0; i < sys->rod_count; i++) {
        newton_assemble_rod(sys, &sys->rods[i]);
    }
    if (sys->joins) {
        newton_assemble_bodies(sys);
    }
}

// ---- solution

// The span at an index of the list of joins.
static BandSystem* band_of(const NewtonSystem* sys, int index, const JoinSpan** js)
{
    *js = &sys->joins->spans[index];
    return &sys->rods[(*js)->rod].spans[index - sys->joins->first_span[(*js)->rod]];
}

static int count_tensions(const NewtonRod* r)
{
    const CordCenterline* c = &r->rod->line;
    int count = 0;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        bool rigid = newton_is_carried(r, s) && newton_is_carried(r, s + 1);
        count += !rigid && !(c->w[s] == 0.0 && c->w[s + 1] == 0.0);
    }
    return count;
}

int newton_tensions(const NewtonSystem* sys)
{
    int count = 0;
    for (int i = 0; i < sys->rod_count; i++) {
        count +=
            sys->rods[i].span_count > 0 && sys->rods[i].spans->block == 5 ? count_tensions(&sys->rods[i]) : 0;
    }
    return count;
}

NewtonPivots newton_factor(NewtonSystem* sys, bool symmetric)
{
    if (sys->coupling) {
        return sys->coupling->factor(sys->coupled);
    }
    NewtonPivots all = {0, 1.0};
    for (int i = 0; i < sys->rod_count; i++) {
        for (int k = 0; k < sys->rods[i].span_count; k++) {
            BandPivots p = band_factor(&sys->rods[i].spans[k], symmetric);
            all.negative += p.negative;
            all.least = real_min(all.least, p.least);
        }
    }
    if (sys->joins) {
        for (int i = 0; i < sys->joins->span_count; i++) {
            const JoinSpan* js;
            const BandSystem* s = band_of(sys, i, &js);
            newton_condense(sys, s, js);
        }
        LduPivots p = sparse_ldu_factor(sys->blocks);
        all.negative += p.negative;
        all.least = real_min(all.least, p.least);
    }
    return all;
}

// Port right-hand sides are added to the block rows with the arms that forces act on (T^T); solutions are
// read back with the arms that nodes move by (T).
static void port_to_rows(NewtonSystem* sys, const Join* join, const double* r, int size)
{
    JoinMap map = newton_join_map(sys, join, ARM_MEAN);
    for (int a = 0; a < map.count; a++) {
        for (int p = 0; p < map.size[a]; p++) {
            for (int i = 0; i < size; i++) {
                sys->r[sys->blocks->offset[map.row[a]] + p] += map.T[a][i][p] * r[i];
            }
        }
    }
}

static void rows_to_port(const NewtonSystem* sys, const Join* join, double* r, int size)
{
    JoinMap map = newton_join_map(sys, join, ARM_END);
    memset(r, 0, (size_t)size * sizeof *r);
    for (int a = 0; a < map.count; a++) {
        for (int p = 0; p < map.size[a]; p++) {
            for (int i = 0; i < size; i++) {
                r[i] += map.T[a][i][p] * sys->r[sys->blocks->offset[map.row[a]] + p];
            }
        }
    }
}

static void put_bodies(NewtonSystem* sys)
{
    memset(sys->r, 0, (size_t)sys->blocks->n * sizeof(double));
    for (int i = 0; i < sys->body_count; i++) {
        memcpy(sys->r + sys->blocks->offset[i], sys->bodies[i].own, sizeof sys->bodies[i].own);
    }
}

static void solve_joined(NewtonSystem* sys)
{
    put_bodies(sys);
    for (int i = 0; i < sys->joins->span_count; i++) {
        const JoinSpan* js;
        BandSystem* s = band_of(sys, i, &js);
        band_forward(s);
        if (s->left) {
            port_to_rows(sys, &sys->joins->joins[js->left], s->r_left, s->port_size);
        }
        if (s->right) {
            port_to_rows(sys, &sys->joins->joins[js->right], s->r + band_port(s), s->port_size);
        }
    }
    sparse_ldu_solve(sys->blocks, sys->r);
    for (int i = 0; i < sys->joins->span_count; i++) {
        const JoinSpan* js;
        BandSystem* s = band_of(sys, i, &js);
        if (s->left) {
            rows_to_port(sys, &sys->joins->joins[js->left], s->r_left, s->port_size);
        }
        if (s->right) {
            rows_to_port(sys, &sys->joins->joins[js->right], s->r + band_port(s), s->port_size);
        }
        band_backward(s);
    }
    for (int i = 0; i < sys->body_count; i++) {
        memcpy(sys->bodies[i].move, sys->r + sys->blocks->offset[i], sizeof sys->bodies[i].move);
    }
}

// Displacement of carried nodes by their bodies.
static void get_carried(NewtonSystem* sys)
{
    const Assembly* a = sys->joins->assembly;
    for (int i = 0; i < a->tie_count; i++) {
        const Tie* tie = &a->ties[i];
        const double* m = sys->bodies[tie->body].move;
        CordVec3 arm = newton_arm(sys, tie->weld, tie->k, ARM_END), turn = {m[3], m[4], m[5]};
        slot_set(sys->rods[tie->rod].move.x, tie->slot,
                 vec3_add((CordVec3){m[0], m[1], m[2]}, vec3_cross(turn, arm)));
    }
}

bool newton_solve(NewtonSystem* sys)
{
    if (sys->coupling) {
        return sys->coupling->solve(sys->coupled);
    }
    bool good = true;
    if (sys->joins) {
        solve_joined(sys);
    } else {
        BandSystem* s = sys->rods->spans;
        band_forward(s);
        good = band_solve_ring(s);
        band_backward(s);
    }
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        for (int k = 0; k < r->span_count; k++) {
            band_get_solution(&r->spans[k], &r->move);
        }
    }
    if (sys->joins) {
        get_carried(sys);
    }
    for (int i = 0; i < sys->rod_count; i++) {
        move_wrap(&sys->rods[i].rod->line, &sys->rods[i].move);
    }
    return good;
}

// ---- given right-hand sides

// Projects the right-hand side on the clamps' free directions: the axis of a sliding clamp, nothing of a
// fixed one.
static void project_right(NewtonRod* r)
{
    const CordCenterline* c = &r->rod->line;
    const double* may_turn = framed_of(r->rod)->may_turn;
    for (int i = 0; i < r->rod->clamp_count; i++) {
        const Clamp* clamp = r->rod->clamps[i];
        for (int n = 0; clamp->holds && !clamp->carrier && n < clamp->node_count; n++) {
            int s = slot_of(c, clamp->node[n]);
            double along = clamp->def.slides ? vec3_dot(slot_get(r->force.x, s), clamp->axis) : 0.0;
            slot_set(r->force.x, s, vec3_mul(clamp->axis, along));
        }
    }
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        r->force.angle[s] *= may_turn[s];
        if ((newton_is_held(r, s) && newton_is_held(r, s + 1)) || newton_slides_as_one(r, s)) {
            r->force.n[s] = 0.0;
        }
    }
}

static void put_rods(NewtonSystem* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        project_right(r);
        for (int k = 0; k < r->span_count; k++) {
            band_put_right(&r->spans[k], &r->force);
        }
    }
}

// Forces on carried nodes are taken to their bodies, past the spans.
void newton_put_right(NewtonSystem* sys)
{
    if (sys->coupling) {
        newton_put_group_right(sys);
        return;
    }
    for (int i = 0; i < sys->body_count; i++) {
        memcpy(sys->bodies[i].own, sys->bodies[i].force, sizeof sys->bodies[i].own);
    }
    for (int i = 0; sys->joins && i < sys->joins->assembly->tie_count; i++) {
        const Tie* tie = &sys->joins->assembly->ties[i];
        Move* force = &sys->rods[tie->rod].force;
        newton_add_wrench(sys->bodies[tie->body].own, newton_arm(sys, tie->weld, tie->k, ARM_MEAN),
                          slot_get(force->x, tie->slot));
        slot_set(force->x, tie->slot, (CordVec3){0, 0, 0});
    }
    put_rods(sys);
}

void newton_put_length_residuals(NewtonSystem* sys)
{
    for (int i = 0; i < sys->body_count; i++) {
        memset(sys->bodies[i].force, 0, sizeof sys->bodies[i].force);
    }
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        move_clear(c, &r->force);
        for (int j = 0; j < c->edge_count; j++) {
            int s = slot_of(c, j), end = slot_of(c, edge_end(c, j));
            if (newton_is_rigid(r, s) || (newton_is_held(r, s) && newton_is_held(r, s + 1)) ||
                newton_slides_as_one(r, s)) {
                continue;
            }
            EdgeForce f = newton_edge_force(sys, r, s);
            double augment = newton_augmented(sys, r, s, f.compliance);
            CordVec3 pull = vec3_mul(f.mean, augment * f.residual);
            slot_set(r->force.x, s, vec3_add(slot_get(r->force.x, s), pull));
            slot_set(r->force.x, end, vec3_sub(slot_get(r->force.x, end), pull));
            r->force.n[s] = -(1.0 - augment * f.compliance) * f.residual;
        }
    }
    newton_put_right(sys);
}

// ---- the Newton step

static CordVec3 edge_change(const NewtonRod* r, int s)
{
    return vec3_sub(slot_get(r->move.x, s + 1), slot_get(r->move.x, s));
}

static void largest(double* most, double value) // keeps a value that is not a number
{
    *most = value <= *most ? *most : value;
}

static BandMoves moves_of(const NewtonRod* r, int count)
{
    return (BandMoves){.slot = r->rod->line.halo,
                       .count = count,
                       .x = {r->move.x[0], r->move.x[1], r->move.x[2]},
                       .angle = r->move.angle,
                       .rest_len = r->rod->line.rest_len,
                       .n = r->n};
}

static double body_turn(const NewtonBody* b)
{
    return vec3_length((CordVec3){b->move[3], b->move[4], b->move[5]});
}

double newton_change(const NewtonSystem* sys)
{
    double most = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        BandMoves moves = moves_of(&sys->rods[i], sys->rods[i].rod->line.node_count);
        largest(&most, band_kernels()->change(&moves));
    }
    for (int i = 0; i < sys->body_count; i++) {
        largest(&most, body_turn(&sys->bodies[i]));
    }
    return most;
}

double newton_position_change(const NewtonSystem* sys)
{
    double most = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        const NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        for (int n = 0; n < c->node_count; n++) {
            int s = slot_of(c, n);
            largest(&most,
                    vec3_length(slot_get(r->move.x, s)) / real_max(c->rest_len[s], c->rest_len[s - 1]));
        }
    }
    return most;
}

double newton_turning(const NewtonSystem* sys)
{
    double most = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        const NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        for (int j = 0; j < c->edge_count; j++) {
            int s = slot_of(c, j);
            CordVec3 e = vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s));
            double len = vec3_length(e);
            largest(&most, vec3_length(vec3_reject(edge_change(r, s), vec3_mul(e, 1.0 / len))) / len);
            largest(&most, fabs(r->move.angle[s]));
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        largest(&most, body_turn(&sys->bodies[i]));
    }
    return most;
}

static void move_tension(const NewtonSystem* sys, NewtonRod* r, int s, double share)
{
    if (newton_is_rigid(r, s)) {
        return;
    }
    if (newton_slides_as_one(r, s)) { // its multiplier is no tension
        r->n[s] = 0.0;
    } else if (r->spans->block == 5) {
        r->n[s] += share * r->move.n[s];
    } else {
        EdgeForce f = newton_edge_force(sys, r, s);
        r->n[s] += share * (f.residual + vec3_dot(f.end, edge_change(r, s))) / f.compliance;
    }
}

static bool any_slides(const Rod* rod)
{
    bool any = false;
    for (int i = 0; i < rod->clamp_count; i++) {
        any |= rod->clamps[i]->def.slides;
    }
    return any;
}

// Tensions move before positions: an eliminated tension follows from the edges before the move.
static void move_tensions(const NewtonSystem* sys, NewtonRod* r, double share)
{
    const CordCenterline* c = &r->rod->line;
    if (r->rod->assembly || r->spans->block == 5 || any_slides(r->rod)) {
        for (int j = 0; j < c->edge_count; j++) {
            move_tension(sys, r, slot_of(c, j), share);
        }
    } else {
        BandEdges edges = newton_edges(sys, r);
        BandMoves moves = moves_of(r, c->edge_count);
        moves.edges = &edges, moves.share = share;
        band_kernels()->pull(&moves);
    }
    centerline_wrap_one(c, r->n);
}

Pose newton_moved_pose(const NewtonBody* b, bool midpoint, double share)
{
    double far = midpoint ? 2.0 * share : share; // y is the midpoint
    CordVec3 turn = vec3_mul((CordVec3){b->move[3], b->move[4], b->move[5]}, far);
    double angle = vec3_length(turn);
    CordQuat q = angle > 0.0 ? cord_quat_about(turn, angle) : quat_identity();
    return (Pose){vec3_madd(b->pose.point, (CordVec3){b->move[0], b->move[1], b->move[2]}, far),
                  quat_unit(quat_mul(q, b->pose.rotation))};
}

// Rotations do not add up. What is gone is therefore the rotation from the free motion to the pose, and not
// the sum of the Newton steps, which depends on the way that they took.
void newton_move_body(NewtonBody* b, bool midpoint, double share)
{
    b->pose = newton_moved_pose(b, midpoint, share);
    CordVec3 turn =
        vec3_mul(pose_rotation_vector((Pose){.rotation = b->free}, b->pose), midpoint ? 0.5 : 1.0);
    for (int k = 0; k < 3; k++) {
        b->gone[k] += share * b->move[k];
    }
    b->gone[3] = turn.x, b->gone[4] = turn.y, b->gone[5] = turn.z;
}

void newton_free_body(NewtonBody* b)
{
    b->free = b->pose.rotation;
    memset(b->gone, 0, sizeof b->gone);
}

CordVec3 newton_chord(const NewtonSystem* sys, const NewtonRod* r, int from, int to)
{
    double* const* x = r->rod->line.x;
    CordVec3 y = vec3_sub(slot_get(r->y, to), slot_get(r->y, from));
    return sys->midpoint ? vec3_sub(vec3_mul(y, 2.0), vec3_sub(slot_get(x, to), slot_get(x, from))) : y;
}

CordVec3 newton_edge_vector(const NewtonSystem* sys, const NewtonRod* r, int s)
{
    return newton_chord(sys, r, s, s + 1);
}

// Held frames read the body's pose, which must be the one at y: at the midpoint of old and new.
static void put_pose(const NewtonSystem* sys, const NewtonBody* b)
{
    Pose end = pose_shifted(b->pose, sys->origin);
    if (!sys->midpoint) {
        b->body->pose = end;
        return;
    }
    CordQuat p = b->before.rotation, q = b->pose.rotation;
    double side = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0.0 ? -1.0 : 1.0;
    CordQuat sum = {p.x + side * q.x, p.y + side * q.y, p.z + side * q.z, p.w + side * q.w};
    b->body->pose = (Pose){vec3_mul(vec3_add(b->before.point, end.point), 0.5), quat_unit(sum)};
}

void newton_carry(NewtonSystem* sys)
{
    for (int i = 0; i < sys->body_count; i++) {
        put_pose(sys, &sys->bodies[i]);
    }
    for (int i = 0; sys->joins && i < sys->joins->assembly->tie_count; i++) {
        const Tie* tie = &sys->joins->assembly->ties[i];
        NewtonRod* r = &sys->rods[tie->rod];
        CordVec3 end = body_node(&sys->bodies[tie->body].pose, tie->weld, tie->k);
        CordVec3 x = vec3_sub(slot_get(r->rod->line.x, tie->slot), sys->origin);
        CordVec3 y = sys->midpoint ? vec3_mul(vec3_add(end, x), 0.5) : end;
        slot_set(r->y, tie->slot, y);
    }
    for (int i = 0; i < sys->part_count; i++) {
        newton_carry(&sys->parts[i]);
    }
}

void newton_shift_bodies(NewtonSystem* sys, double share)
{
    for (int i = 0; i < sys->body_count; i++) {
        newton_move_body(&sys->bodies[i], sys->midpoint, share);
    }
    newton_carry(sys);
}

// What frames with inertia have turned by is measured from their start. The sum over the Newton steps depends
// on the way that these took, for it turns a transported frame to go around by several tangents.
void newton_follow(NewtonSystem* sys, double share)
{
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        const double* may_turn = framed_of(r->rod)->may_turn;
        double* turn = r->force.angle;            // the forces are used up
        for (int s = 0; s < c->slot_count; s++) { // held frames follow their clamps
            turn[s] = may_turn[s] * share * r->move.angle[s];
            r->turned[s] += framed_turned_by(turn[s]);
        }
        framed_trial_follow(r->rod, r->y, sys->time);
        framed_trial_turn(r->rod, turn);
        bool spins = r->rod->dynamic_twist && sys->reach > 0.0; // a solve has no inertia
        for (int s = c->halo; spins && s < c->halo + c->edge_count; s++) {
            r->turned[s] = may_turn[s] * framed_trial_turned(r->rod, s, r->turned[s]);
        }
    }
}

void newton_move(NewtonSystem* sys, double share)
{
    if (sys->coupling) {
        CORD_ASSERT(share == 1.0);
        sys->coupling->move(sys->coupled);
    }
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        move_tensions(sys, r, share);
        for (int k = 0; k < 3; k++) {
            for (int s = 0; s < c->slot_count; s++) {
                r->y[k][s] += share * r->move.x[k][s];
            }
        }
    }
    newton_shift_bodies(sys, share);
    for (int i = 0; i < sys->rod_count; i++) {
        centerline_wrap(&sys->rods[i].rod->line, sys->rods[i].y);
    }
    newton_follow(sys, share);
}

void newton_stop_idle_turns(NewtonSystem* sys)
{
    for (int i = 0; i < sys->rod_count && !sys->joins; i++) {
        NewtonRod* r = &sys->rods[i];
        const Rod* rod = r->rod;
        bool idle = !rod->dynamic_twist && rod->damping_time == 0.0;
        if (idle && framed_is_round(framed_of(rod), rod)) {
            framed_stop_idle_turn(framed_of(rod), &rod->line, r->move.angle);
            move_wrap(&rod->line, &r->move);
        }
    }
}

// Largest turn of a frame without inertia in the Newton step.
static double turns_of(const NewtonSystem* sys)
{
    double most = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        const NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        for (int s = c->halo; s < c->halo + c->edge_count && !r->rod->dynamic_twist; s++) {
            largest(&most, fabs(r->move.angle[s]));
        }
    }
    return most;
}

#define SLOW 0.5        // ratio of a change to the one before from which on the iteration is slow
#define SHORT_TURN 1e-2 // change below which the resistance is taken back
#define MOST_TURN 0.3   // turn of a frame that a slow iteration may make [rad]

NewtonTurns newton_adapt_resistance(NewtonSystem* sys, double change, double before)
{
    if (!(change > SLOW * before) || turns_of(sys) < change) {
        if (sys->resistance > 1.0 && change <= SHORT_TURN) {
            sys->resistance = real_max(1.0, 0.1 * sys->resistance);
        }
        return NEWTON_TURNS_FAST;
    }
    bool far = change > MOST_TURN;
    sys->resistance *= far ? 2.0 * change / MOST_TURN : 0.5;
    return far ? NEWTON_TURNS_FAR : NEWTON_TURNS_SLOW;
}

// Forces that carry the spin of the frames along with their edges, at the present iterate. A force F on a
// node moves the place that its inertia refers to by reach^2 F / m. Their derivatives are left out of the
// matrix, for in a step they turn an edge by little.
void newton_add_spin_forces(NewtonSystem* sys)
{
    const double reach = sys->reach, origin[3] = {sys->origin.x, sys->origin.y, sys->origin.z};
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        const double* inertia = framed_of(r->rod)->spin_inertia;
        for (int k = 0; k < 3 && r->rod->dynamic_twist; k++) {
            for (int s = 0; s < c->slot_count; s++) {
                r->start[k][s] = c->x[k][s] - origin[k] + reach * c->v[k][s];
            }
        }
        for (int j = 0; r->rod->dynamic_twist && j < c->edge_count; j++) {
            int s = slot_of(c, j), end = slot_of(c, edge_end(c, j));
            CordVec3 e = vec3_sub(slot_get(r->y, end), slot_get(r->y, s));
            CordVec3 change = vec3_sub(e, edge_vector(c, j));
            CordVec3 push = framed_spin_force(inertia[s] * r->turned[s], e, change); // times reach^2
            slot_set(r->start, s, vec3_madd(slot_get(r->start, s), push, -c->w[s]));
            slot_set(r->start, end, vec3_madd(slot_get(r->start, end), push, c->w[end]));
        }
        centerline_wrap(c, r->start);
    }
}

double newton_mass(const NewtonSystem* sys)
{
    double sum = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        sum += rod_mass(sys->rods[i].rod);
    }
    for (int i = 0; i < sys->body_count; i++) {
        sum += sys->bodies[i].inertia.mass;
    }
    return sum;
}
