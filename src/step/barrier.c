#include "step/barrier.h"

#include "base/real.h"
#include "body/inertia.h"

#include <string.h>

#define GAP_LEFT 0.2         // share of a gap that a Newton step leaves at least
#define NEW_CONTACT_LEFT 0.8 // share of the barrier's reach that a new contact keeps at least
#define OLD_CONTACT_LEFT 0.3 // share of its gap that an existing contact keeps at least
#define MOST_REDUCTIONS 2    // reductions of one share

// ---- start of a step

bool barrier_reserve(Memory* m, void** array, int count, int* capacity, size_t size)
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

static BarrierRod rod_in(NewtonSystem* systems, int count, const Rod* rod)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < systems[i].rod_count; k++) {
            if (systems[i].rods[k].rod == rod) {
                return (BarrierRod){&systems[i], &systems[i].rods[k]};
            }
        }
    }
    return (BarrierRod){0};
}

// Gives each rod its own part of the contact arrays.
static void share_contact_arrays(BarrierSolver* t)
{
    for (int i = 0; i < t->colliders.rod_count; i++) {
        const ColliderRod* r = &t->colliders.rods[i];
        t->rods[i] = rod_in(t->systems, t->system_count, r->rod);
        t->rods[i].rod->touch = (NewtonContact){.push = t->force.x + r->first_node,
                                                .torque = t->force.spin + r->first_segment,
                                                .stiff = t->stiff + (ptrdiff_t)49 * r->first_segment,
                                                .is_stiff = t->is_stiff + r->first_segment};
    }
}

static BarrierBody body_in(NewtonSystem* systems, int count, const Body* body)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < systems[i].body_count; k++) {
            if (systems[i].bodies[k].body == body) {
                return (BarrierBody){.body = &systems[i].bodies[k], .origin = systems[i].origin};
            }
        }
    }
    return (BarrierBody){.is_free = true};
}

// The bodies have already moved freely for the step.
static void open_bodies(BarrierSolver* t)
{
    t->body_count = 0;
    for (int i = 0; i < t->colliders.solid_count; i++) {
        Body* body = t->solid_bodies[i];
        if (!body) {
            continue;
        }
        BarrierBody* b = &t->bodies[t->body_count++];
        *b = body_in(t->systems, t->system_count, body);
        b->solid = i;
        if (b->is_free) {
            CordBodyState flown = body->engine->get(body->engine_user, body->handle);
            b->free_body = (NewtonBody){.body = body,
                                        .inertia = body_inertia(body),
                                        .before = body->pose,
                                        .pose = {flown.position, flown.rotation},
                                        .free = flown.rotation};
            b->body = &b->free_body;
        }
        t->colliders.solids[i].begin = b->body->before;
    }
}

bool barrier_begin(BarrierSolver* t, Memory* m, NewtonSystem* systems, int count, double mass)
{
    Colliders* cs = &t->colliders;
    t->memory = m;
    t->mass = mass;
    t->systems = systems;
    t->system_count = count;
    t->no_memory = false;
    t->secant = 1.0;
    t->curved = false;
    t->iterations = 0;
    t->is_sparse = sparse_suits(t);
    if (!barrier_reserve(m, (void**)&t->rods, cs->rod_count, &t->rod_capacity, sizeof(BarrierRod)) ||
        !barrier_reserve(m, (void**)&t->bodies, cs->solid_count, &t->body_capacity, sizeof(BarrierBody)) ||
        !barrier_reserve(m, (void**)&t->islands, count + cs->solid_count, &t->island_capacity,
                         sizeof(ContactIsland)) ||
        !barrier_reserve(m, (void**)&t->stiff, 49 * cs->segment_count, &t->stiff_capacity, sizeof(double)) ||
        !barrier_reserve(m, (void**)&t->is_stiff, cs->segment_count, &t->is_stiff_capacity, sizeof(bool)) ||
        !dof_vector_reserve(m, &t->force, cs, &t->force_size) ||
        !dof_vector_reserve(m, &t->move, cs, &t->move_size)) {
        return false;
    }
    // The elimination order must not depend on earlier steps: a restored snapshot repeats a step bit by bit.
    t->sparse.node_count = -1;
    // The arrays that the rods see must not hold data of the last step.
    memset(t->is_stiff, 0, sizeof *t->is_stiff * (size_t)cs->segment_count);
    dof_vector_clear(&t->force, cs);
    share_contact_arrays(t);
    open_bodies(t);
    colliders_begin_step(cs);
    return broad_phase_update(m, cs) && narrow_phase_find(m, &t->contacts, cs, cs->begin, &t->law) &&
           friction_anchors_begin(m, &t->anchors, cs, &t->contacts, &t->friction);
}

void barrier_free(Memory* m, BarrierSolver* t)
{
    colliders_free(m, &t->colliders);
    contact_points_free(m, &t->contacts);
    contact_points_free(m, &t->ahead);
    friction_anchors_free(m, &t->anchors);
    memory_array_free(m, t->rods, t->rod_capacity);
    memory_array_free(m, t->bodies, t->body_capacity);
    memory_array_free(m, t->solid_bodies, t->solid_capacity);
    memory_array_free(m, t->islands, t->island_capacity);
    memory_array_free(m, t->stiff, t->stiff_capacity);
    memory_array_free(m, t->is_stiff, t->is_stiff_capacity);
    dof_vector_free(m, &t->force, &t->force_size);
    dof_vector_free(m, &t->move, &t->move_size);
    memory_array_free(m, t->rows, t->row_capacity);
    memory_array_free(m, t->cg, t->cg_capacity);
    sparse_free(m, &t->sparse);
    *t = (BarrierSolver){0};
}

// ---- positions

void barrier_update_positions(BarrierSolver* t)
{
    Colliders* cs = &t->colliders;
    for (int i = 0; i < cs->rod_count; i++) {
        const CordCenterline* c = &cs->rods[i].rod->line;
        for (int n = 0; n < c->node_count; n++) {
            int at = cs->rods[i].first_node + n;
            CordVec3 y = slot_get(t->rods[i].rod->y, slot_of(c, n)), origin = t->rods[i].sys->origin;
            CordVec3 begin = vec3_sub(cs->begin[at], origin);
            cs->to[at] = vec3_add(t->rods[i].sys->midpoint ? vec3_sub(vec3_mul(y, 2.0), begin) : y, origin);
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        cs->solids[t->bodies[i].solid].to = pose_shifted(t->bodies[i].body->pose, t->bodies[i].origin);
    }
}

double barrier_prediction_limit(BarrierSolver* t)
{
    colliders_move_solids(&t->colliders, 1.0);
    if (!broad_phase_update(t->memory, &t->colliders)) {
        t->no_memory = true;
        return 0.0;
    }
    return colliders_time_of_impact(&t->colliders, GAP_LEFT);
}

void barrier_accept_step(BarrierSolver* t, double share)
{
    Colliders* cs = &t->colliders;
    barrier_update_positions(t);
    memcpy(cs->from, cs->to, sizeof *cs->from * (size_t)cs->node_count);
    colliders_move_solids(cs, share);
    for (int i = 0; i < cs->solid_count; i++) {
        cs->solids[i].from = cs->solids[i].to;
    }
}

bool barrier_is_near(BarrierSolver* t)
{
    Colliders* cs = &t->colliders;
    colliders_move_solids(cs, 1.0);
    if (t->contacts.count > 0 || !broad_phase_update(t->memory, cs) ||
        !narrow_phase_find(t->memory, &t->contacts, cs, cs->to, &t->law)) {
        return true;
    }
    return t->contacts.count > 0 || colliders_time_of_impact(cs, 0.5) < 1.0;
}

void barrier_place_trial(BarrierSolver* t, double share)
{
    Colliders* cs = &t->colliders;
    for (int i = 0; i < cs->rod_count; i++) {
        const CordCenterline* c = &cs->rods[i].rod->line;
        for (int n = 0; n < c->node_count; n++) {
            int at = cs->rods[i].first_node + n;
            cs->to[at] = vec3_madd(cs->from[at], slot_get(t->rods[i].rod->move.x, slot_of(c, n)), share);
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        const BarrierBody* b = &t->bodies[i];
        cs->solids[b->solid].to = pose_shifted(newton_moved_pose(b->body, false, share), b->origin);
    }
    colliders_move_solids(cs, share);
}

double barrier_step_limit(BarrierSolver* t, double share)
{
    barrier_place_trial(t, share);
    if (!broad_phase_update(t->memory, &t->colliders)) {
        t->no_memory = true;
        return 0.0;
    }
    return share * colliders_time_of_impact(&t->colliders, GAP_LEFT);
}

double barrier_limit_depth(BarrierSolver* t, double share)
{
    Colliders* cs = &t->colliders;
    for (int n = 0; n < MOST_REDUCTIONS; n++) {
        double less = 1.0;
        barrier_place_trial(t, share);
        if (!narrow_phase_find(t->memory, &t->ahead, cs, cs->to, &t->law)) {
            t->no_memory = true;
            return share;
        }
        for (int i = 0; i < t->ahead.count; i++) {
            const ContactPoint* contact = &t->ahead.all[i];
            double before = contact_point_gap(cs, contact, cs->from), reach = contact->barrier.reach;
            double least = before < reach ? OLD_CONTACT_LEFT * before : NEW_CONTACT_LEFT * reach;
            less = contact->gap < least ? real_min(less, (before - least) / (before - contact->gap)) : less;
        }
        if (less == 1.0) {
            break;
        }
        share *= less;
    }
    return share;
}

void barrier_move_free_bodies(BarrierSolver* t, double share)
{
    for (int i = 0; i < t->body_count; i++) {
        NewtonBody* b = t->bodies[i].body;
        if (t->bodies[i].is_free) {
            newton_move_body(b, false, share);
        }
    }
}

void barrier_set_body_motion(NewtonBody* b, CordVec3 origin)
{
    CordVec3 gone = vec3_sub(b->pose.point, vec3_sub(b->before.point, origin)),
             turn = pose_rotation_vector(b->before, b->pose);
    double move[6] = {gone.x, gone.y, gone.z, turn.x, turn.y, turn.z};
    memcpy(b->move, move, sizeof move);
}

void barrier_rewind_free_bodies(BarrierSolver* t, double share)
{
    for (int i = 0; i < t->body_count; i++) {
        if (t->bodies[i].is_free) {
            barrier_set_body_motion(t->bodies[i].body, (CordVec3){0, 0, 0});
        }
    }
    barrier_move_free_bodies(t, share - 1.0);
}

double barrier_body_rotation(const BarrierSolver* t)
{
    double most = 0.0;
    for (int i = 0; i < t->body_count; i++) {
        const double* m = t->bodies[i].body->move;
        most = real_max(most, sqrt(m[3] * m[3] + m[4] * m[4] + m[5] * m[5]));
    }
    return most;
}

// ---- forces and stiffness

// Sets `move` to the motion of nodes and frames since the start of the step.
static void measure_motion(BarrierSolver* t)
{
    const Colliders* cs = &t->colliders;
    dof_vector_clear(&t->move, cs);
    for (int n = 0; n < cs->node_count; n++) {
        t->move.x[n] = vec3_sub(cs->to[n], cs->begin[n]);
    }
    for (int i = 0; i < cs->rod_count; i++) {
        const ColliderRod* r = &cs->rods[i];
        for (int j = 0; j < r->segment_count; j++) {
            t->move.spin[r->first_segment + j] = t->rods[i].rod->turned[slot_of(&r->rod->line, j)];
        }
    }
}

static BarrierRow row_of(const Colliders* cs, const ContactPoint* contact)
{
    const int* a = cs->segments[contact->key.a].node;
    BarrierRow row = {.of = {contact->key.a, -1},
                      .node = {a[0], a[1], -1, -1},
                      .segment = {contact->key.a, -1},
                      .solid = -1};
    if (contact->kind == CONTACT_SEGMENTS) {
        const int* b = cs->segments[contact->key.b].node;
        row.node[2] = b[0], row.node[3] = b[1], row.segment[1] = row.of[1] = contact->key.b;
    } else if (cs->solids[contact->key.b].kind == CORD_TOUCH_BODY) {
        row.solid = contact->key.b;
    }
    return row;
}

static void store_row(BarrierSolver* t, BarrierRow row, double stiffness)
{
    if (stiffness == 0.0) {
        return;
    }
    if (t->row_count == t->row_capacity &&
        !memory_grow(t->memory, (void**)&t->rows, t->row_count, &t->row_capacity, sizeof(BarrierRow))) {
        t->no_memory = true;
        return;
    }
    row.root = sqrt(fabs(stiffness));
    row.sign = stiffness < 0.0 ? -1.0 : 1.0;
    t->rows[t->row_count++] = row;
}

// Adds the row of a contact force in direction e: the force on one side, its opposite on the other, as in
// contact_point_scatter.
static void add_row(BarrierSolver* t, const ContactPoint* contact, CordVec3 e, double stiffness)
{
    BarrierRow row = row_of(&t->colliders, contact);
    for (int side = 0; side < 2 && row.segment[side] >= 0; side++) {
        double s = side == 0 ? contact->s : contact->t, sign = side == 0 ? 1.0 : -1.0;
        CordVec3 f = vec3_mul(e, sign), torque = vec3_cross(contact->arm[side], f),
                 axis = contact->axis[side];
        CordVec3 couple = vec3_mul(vec3_cross(torque, axis), contact->inv_len[side]);
        row.x[2 * side] = vec3_madd(vec3_mul(couple, -1.0), f, 1.0 - s);
        row.x[2 * side + 1] = vec3_madd(couple, f, s);
        row.spin[side] = vec3_dot(axis, torque);
    }
    if (row.solid >= 0) {
        CordVec3 f = vec3_mul(e, -1.0), torque = vec3_cross(contact->arm[1], f);
        double body[6] = {f.x, f.y, f.z, torque.x, torque.y, torque.z};
        memcpy(row.body, body, sizeof body);
    }
    store_row(t, row, stiffness);
}

// Adds the geometric stiffness of a contact. It may be negative, so only the direct solvers use it.
static void add_geometric_stiffness(BarrierSolver* t, const ContactPoint* contact)
{
    GeometricStiffness curve = contact_point_stiffness(&t->colliders, contact);
    for (int i = 0; i < curve.count; i++) {
        BarrierRow row = row_of(&t->colliders, contact);
        row.segment[0] = row.segment[1] = -1;
        memcpy(row.x, curve.node[i], sizeof row.x);
        store_row(t, row, curve.stiffness[i]);
    }
}

// Adds to the 7 x 7 stiffness of an edge: x of its first node, its angle, x of its second node.
static void add_to_band(BarrierSolver* t, const ContactPoint* contact, CordVec3 e, double stiffness)
{
    int segment = contact->key.a;
    CordVec3 torque = vec3_cross(contact->arm[0], e), axis = contact->axis[0];
    CordVec3 couple = vec3_mul(vec3_cross(torque, axis), contact->inv_len[0]);
    CordVec3 a = vec3_madd(vec3_mul(couple, -1.0), e, 1.0 - contact->s), b = vec3_madd(couple, e, contact->s);
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

static bool is_banded(const BarrierSolver* t, const ContactPoint* contact)
{
    if (contact->kind == CONTACT_SEGMENTS || t->colliders.solids[contact->key.b].kind == CORD_TOUCH_BODY) {
        return false;
    }
    const Segment* g = &t->colliders.segments[contact->key.a];
    const NewtonRod* r = t->rods[g->rod].rod;
    int s = slot_of(&r->rod->line, g->edge);
    return !newton_is_carried(r, s) && !newton_is_carried(r, s + 1);
}

static void add_stiffness(BarrierSolver* t, const ContactPoint* contact, CordVec3 e, double stiffness)
{
    if (is_banded(t, contact)) {
        add_to_band(t, contact, e, stiffness);
    } else {
        add_row(t, contact, e, stiffness);
    }
}

static void update_anchors(BarrierSolver* t)
{
    const Colliders* cs = &t->colliders;
    measure_motion(t);
    for (int i = 0; i < t->anchors.count; i++) {
        FrictionAnchor* anchor = &t->anchors.all[i];
        friction_anchor_update(anchor, vec3_sub(contact_point_gather(cs, &anchor->contact, &t->move),
                                                contact_point_solid_motion(cs, &anchor->contact)));
    }
}

bool barrier_end(BarrierSolver* t)
{
    barrier_update_positions(t);
    colliders_move_solids(&t->colliders, 1.0);
    update_anchors(t);
    return broad_phase_update(t->memory, &t->colliders) &&
           narrow_phase_find(t->memory, &t->contacts, &t->colliders, t->colliders.to, &t->law);
}

bool barrier_tunnels(BarrierSolver* t)
{
    Colliders* cs = &t->colliders;
    memcpy(cs->from, cs->begin, sizeof *cs->from * (size_t)cs->node_count);
    for (int i = 0; i < cs->solid_count; i++) {
        cs->solids[i].from = cs->solids[i].begin;
    }
    if (!broad_phase_update(t->memory, cs)) {
        t->no_memory = true;
        return true;
    }
    return colliders_tunnel(cs);
}

static bool evaluate(BarrierSolver* t)
{
    Colliders* cs = &t->colliders;
    if (!narrow_phase_find(t->memory, &t->contacts, cs, cs->to, &t->law)) {
        return false;
    }
    dof_vector_clear(&t->force, cs);
    // The elimination order must not depend on earlier steps: a restored snapshot repeats a step bit by bit.
    t->sparse.node_count = -1;
    memset(t->is_stiff, 0, sizeof *t->is_stiff * (size_t)cs->segment_count);
    t->row_count = 0;
    for (int i = 0; i < t->contacts.count; i++) {
        const ContactPoint* contact = &t->contacts.all[i];
        contact_point_scatter(cs, contact, vec3_mul(contact->n, contact->push), &t->force);
        add_stiffness(t, contact, contact->n, contact->stiffness);
    }
    contact_points_add_mollifier(cs, &t->contacts, &t->force);
    update_anchors(t);
    bool few = t->curved && (t->is_sparse || t->contacts.count + 2 * t->anchors.count <= MOST_DENSE_ROWS / 4);
    for (int i = 0; i < t->contacts.count && few; i++) {
        add_geometric_stiffness(t, &t->contacts.all[i]);
    }
    for (int i = 0; i < t->anchors.count; i++) {
        const FrictionAnchor* anchor = &t->anchors.all[i];
        contact_point_scatter(cs, &anchor->contact, anchor->force, &t->force);
        FrictionStiffness k = friction_anchor_stiffness(anchor, t->secant);
        add_stiffness(t, &anchor->contact, k.e[0], k.k[0]);
        add_stiffness(t, &anchor->contact, k.e[1], k.k[1]);
    }
    return !t->no_memory;
}

// Residual forces of the bodies. Bodies in Newton systems add their inertia there.
static void set_body_forces(BarrierSolver* t)
{
    for (int i = 0; i < t->body_count; i++) {
        NewtonBody* b = t->bodies[i].body;
        memcpy(b->touch, t->force.solid + 6 * t->bodies[i].solid, sizeof b->touch);
        if (t->bodies[i].is_free) {
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

void barrier_solve_free_bodies(BarrierSolver* t)
{
    for (int i = 0; i < t->body_count; i++) {
        NewtonBody* b = t->bodies[i].body;
        if (t->bodies[i].is_free) {
            CordVec3 turn =
                tensor_solve(b->inertia.tensor, (CordVec3){b->force[3], b->force[4], b->force[5]});
            double scale = 1.0 / (t->mass * b->inertia.mass);
            double move[6] = {scale * b->force[0], scale * b->force[1], scale * b->force[2],
                              turn.x / t->mass,    turn.y / t->mass,    turn.z / t->mass};
            memcpy(b->move, move, sizeof move);
        }
    }
}

bool barrier_is_in_sparse(const BarrierSolver* t, int system)
{
    return t->is_sparse && t->systems[system].rods->touch.push;
}

bool barrier_assemble(BarrierSolver* t)
{
    barrier_update_positions(t);
    if (!evaluate(t)) {
        t->no_memory = true;
        return false;
    }
    set_body_forces(t);
    for (int i = 0; i < t->system_count; i++) {
        t->systems[i].right_only = false;
        t->systems[i].symmetric = true;
        newton_assemble(&t->systems[i]);
        if (!barrier_is_in_sparse(t, i) && newton_factor(&t->systems[i], true).least == 0.0) {
            return false;
        }
    }
    if (t->is_sparse && !sparse_fill(t)) {
        t->no_memory = true;
        return false;
    }
    return !t->is_sparse || sparse_factor(t);
}
