// Bodies, welds and joints: creation, destruction and queries.
#include "base/message.h"
#include "base/real.h"
#include "body/inertia.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

static CordResult no_memory(CordWorld* w)
{
    return message_fail(&w->message, CORD_NO_MEMORY, "the allocator has no memory left");
}

Body* world_body(const CordWorld* w, CordBodyId id)
{
    return slots_get(&w->bodies, id.slot, id.generation);
}

// ---- bodies

// Velocities are given at the time of the positions; a staggered engine needs them half a step earlier.
static void set_body_velocity(const CordWorld* w, Body* body, CordVec3 velocity, CordVec3 spin)
{
    CordBodyState state = body->engine->get(body->engine_user, body->handle);
    BodyForce f = body_force(w, body);
    CordBodyInertia inertia = body_inertia(body);
    double lag = bodies_lag(w);
    state.velocity = vec3_madd(velocity, f.force, -lag / inertia.mass);
    state.spin = vec3_madd(spin, tensor_solve(inertia.tensor, f.torque), -lag);
    body->engine->set(body->engine_user, body->handle, &state);
}

// Whatever may fail comes before the restart of velocities.
static CordResult add_body(CordWorld* w, Body* body, const EngineUse* engine)
{
    if (!slots_reserve(&w->memory, &w->bodies)) {
        return no_memory(w);
    }
    body->engine = engine->ops;
    body->engine_user = engine->user;
    CordResult result = engine->ops->create(engine->user, &body->def, &body->handle);
    if (result != CORD_OK) {
        return message_fail(&w->message, result, "the engine '%s' cannot make body '%s'%s", engine->ops->name,
                            body->name, result == CORD_NO_MEMORY ? ": it has no memory" : "");
    }
    if (!body->is_joint && !body->def.intangible) { // the welds of a joint do that
        contact_restart_before(w, &w->contact, true);
    }
    SlotId id;
    slots_add(&w->memory, &w->bodies, body, body->name, &id);
    body->id = (CordBodyId){id.slot, id.generation};
    set_body_velocity(w, body, body->def.velocity, body->def.spin);
    body_refresh_pose(body);
    world_mark(w, NULL, MARK_WELDS | MARK_COLLIDERS);
    return CORD_OK;
}

CordResult cord_body_create(CordWorld* w, const CordBodyDef* def, CordBodyId* body_id)
{
    *body_id = (CordBodyId){0};
    CORD_TRY(check_def_given(w, def, "body"));
    CORD_TRY(check_no_branch(w, "no body is made"));
    char name[64];
    CordBodyDef named = *def;
    CORD_TRY(name_set_choose(&w->bodies.names, def->name, "body", "a body or joint", name, &w->message));
    named.name = name;
    Body* body = memory_array(&w->memory, Body, 1);
    if (!body) {
        return no_memory(w);
    }
    LedgerTotals before = ledger_begin_change(w);
    CordResult result = body_init(body, &named, &w->message);
    result = result == CORD_OK ? add_body(w, body, &w->engines[0]) : result;
    if (result != CORD_OK) {
        memory_free(&w->memory, body, sizeof *body);
        return result;
    }
    *body_id = body->id;
    ledger_add_change(w, &before);
    const double* t = body->def.inertia;
    log_write(&w->log, CORD_LOG_INFO, "body '%s': %g kg, inertia %g %g %g kg m^2, moved by engine %s",
              body->name, body->def.mass, t[0], t[1], t[2], body->engine->name);
    return CORD_OK;
}

static void destroy_body(CordWorld* w, Body* body)
{
    body->engine->destroy(body->engine_user, body->handle);
    memory_free(&w->memory, body, sizeof *body);
}

CordResult cord_body_destroy(CordWorld* w, CordBodyId id)
{
    CORD_TRY(check_no_branch(w, "no body is destroyed"));
    Body* body = world_body(w, id);
    if (!body) {
        return bad_id(w, "body");
    }
    LedgerTotals before = ledger_begin_change(w);
    while (body->welds.first) {
        remove_weld(w, LIST_ENTRY(body->welds.first, Weld, link));
    }
    while (body->loads.first) {
        remove_load(w, LIST_ENTRY(body->loads.first, Load, link));
    }
    slots_remove(&w->bodies, id.slot, id.generation);
    destroy_body(w, body);
    world_mark(w, NULL, MARK_WELDS | MARK_COLLIDERS);
    ledger_add_change(w, &before);
    return CORD_OK;
}

void bodies_destroy_all(CordWorld* w)
{
    for (int i = 0; i < w->welds.live_count; i++) {
        Weld* weld = slots_at(&w->welds, i);
        clamp_free(&w->memory, &weld->clamp);
        memory_free(&w->memory, weld, sizeof *weld);
    }
    for (int i = 0; i < w->bodies.live_count; i++) {
        destroy_body(w, slots_at(&w->bodies, i));
    }
    for (int i = 0; i < w->engine_count; i++) {
        memory_free(&w->memory, w->engines[i].snapshot, w->engines[i].snapshot_size);
    }
    slots_free(&w->memory, &w->welds);
    slots_free(&w->memory, &w->bodies);
    assemblies_free(&w->memory, &w->assemblies);
    free_bodies_destroy(&w->free_bodies);
}

int cord_world_body_count(const CordWorld* w)
{
    return w->bodies.live_count;
}

CordBodyId cord_world_body(const CordWorld* w, int index)
{
    SlotId id = slots_id_at(&w->bodies, index);
    return (CordBodyId){id.slot, id.generation};
}

const char* cord_body_name(const CordWorld* w, CordBodyId id)
{
    const Body* body = world_body(w, id);
    return body ? body->name : NULL;
}

CordResult cord_body_pose(const CordWorld* w, CordBodyId id, CordVec3* position, CordQuat* rotation)
{
    const Body* body = world_body(w, id);
    if (!body) {
        return bad_id(w, "body");
    }
    *position = body->pose.point;
    *rotation = body->pose.rotation;
    return CORD_OK;
}

CordResult cord_body_velocity(const CordWorld* w, CordBodyId id, CordVec3* velocity, CordVec3* spin)
{
    const Body* body = world_body(w, id);
    if (!body) {
        return bad_id(w, "body");
    }
    const CordBodyState* now = body_now(w, body);
    if (!now) {
        return CORD_NO_MEMORY;
    }
    *velocity = now->velocity;
    *spin = now->spin;
    return CORD_OK;
}

CordResult cord_body_set_velocity(CordWorld* w, CordBodyId id, CordVec3 velocity, CordVec3 spin)
{
    Body* body = world_body(w, id);
    if (!body) {
        return bad_id(w, "body");
    }
    if (!vec3_finite(velocity) || !vec3_finite(spin)) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "the velocity and spin given for body '%s' are not finite", body->name);
    }
    CORD_TRY(world_prepare(w));
    set_body_velocity(w, body, velocity, spin);
    world_mark(w, NULL, MARK_STATE);
    return CORD_OK;
}

CordResult cord_body_push(CordWorld* w, CordBodyId id, CordVec3 force, CordVec3 torque)
{
    Body* body = world_body(w, id);
    if (!body) {
        return bad_id(w, "body");
    }
    if (!vec3_finite(force) || !vec3_finite(torque)) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "the force and torque given for body '%s' are not finite", body->name);
    }
    body->force = vec3_add(body->force, force);
    body->torque = vec3_add(body->torque, torque);
    return CORD_OK;
}

CordEnergy cord_body_energy(const CordWorld* w, CordBodyId id)
{
    const Body* body = world_body(w, id);
    CordMomentum momentum;
    return body && body_now(w, body) ? body_energy_now(w, body, &momentum) : (CordEnergy){0};
}

CordMomentum cord_body_momentum(const CordWorld* w, CordBodyId id)
{
    const Body* body = world_body(w, id);
    CordMomentum momentum = {0};
    if (body && body_now(w, body)) {
        body_energy_now(w, body, &momentum);
    }
    return momentum;
}

// ---- welds

CordWeldDef cord_weld_def_default(void)
{
    return (CordWeldDef){.at = {.kind = CORD_AT_END}, .fix = CORD_FIX_FRAME};
}

// Does a weld switch the rod to Newton's method? It does if the rod's stepper cannot join it to a body, or
// not together with contact.
static bool switches(const CordWorld* w, const Rod* rod)
{
    const Stepper* stepper = stepper_of(rod);
    return stepper->switch_to_newton && (!stepper->join || contact_switches_rods(&w->contact));
}

static CordResult reserve_switch(CordWorld* w, Rod* rod)
{
    return switches(w, rod) ? stepper_reserve_switch(&w->memory, rod, &w->message) : CORD_OK;
}

static void switch_to_newton(CordWorld* w, Rod* rod, const Body* body)
{
    Message cause;
    message_fail(&cause, CORD_OK, "its %s '%s'", body->is_joint ? "joint" : "weld to body", body->name);
    if (switches(w, rod)) {
        rod_switch_stepper(w, rod, cause.text);
    }
}

static CordIntegrator welded_integrator(const CordWorld* w, const Rod* rod)
{
    return switches(w, rod) ? stepper_of(rod)->newton : rod->integrator;
}

// Body velocities are staggered as those of the welded rods are, so all rods of an assembly must agree.
static CordResult check_integrator(CordWorld* w, const Rod* rod)
{
    bool joins = stepper_of(rod)->joins || switches(w, rod);
    if (rod->inextensible && rod->length_method == CORD_LENGTH_FAST_PROJECTION && !joins) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "rod '%s' keeps its length by fast projection, which takes no welds; use RATTLE, "
                            "or let it stretch",
                            rod->name);
    }
    const Weld* other = w->welds.live_count > 0 ? slots_at(&w->welds, 0) : NULL;
    if (other && welded_integrator(w, other->clamp.rod) != welded_integrator(w, rod)) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "rods '%s' and '%s' have welds and different integrators; give them the same",
                            other->clamp.rod->name, rod->name);
    }
    return CORD_OK;
}

static CordResult make_weld(CordWorld* w, Weld* weld, const CordWeldDef* def, Rod* rod, Body* body)
{
    CordClampDef clamp = cord_clamp_def_default();
    clamp.rod = def->rod, clamp.at = def->at, clamp.fix = def->fix;
    Message inner;
    weld->body = body;
    CordResult result = clamp_init(&w->memory, &weld->clamp, rod, &clamp, (CordVec3){0, 0, 0}, false, &inner);
    if (result != CORD_OK) {
        return body->is_joint
                   ? message_fail(&w->message, result, "joint '%s': %s", body->name, inner.text)
                   : message_fail(&w->message, result, "rod '%s' cannot be welded to body '%s': %s",
                                  rod->name, body->name, inner.text);
    }
    CORD_TRY(clamp_store_axis(w, &weld->clamp));
    if (!memory_grow(&w->memory, (void**)&rod->clamps, rod->clamp_count, &rod->clamp_capacity,
                     sizeof *rod->clamps) ||
        !slots_reserve(&w->memory, &w->welds)) {
        return no_memory(w);
    }
    contact_restart_before(w, &w->contact, true);
    SlotId id;
    slots_add(&w->memory, &w->welds, weld, NULL, &id);
    weld->id = (CordWeldId){id.slot, id.generation};
    rod_take_clamp(w, rod, &weld->clamp);
    clamp_attach_to_body(&weld->clamp, &body->pose);
    list_append(&body->welds, &weld->link);
    world_mark(w, rod, MARK_WELDS | MARK_COLLIDERS);
    return CORD_OK;
}

static CordResult add_weld(CordWorld* w, const CordWeldDef* def, Rod* rod, Body* body, CordWeldId* id)
{
    if ((unsigned)def->fix > CORD_FIX_FRAME) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "a weld of rod '%s' fixes something unknown (number %d)", rod->name,
                            (int)def->fix);
    }
    CORD_TRY(check_integrator(w, rod));
    Weld* weld = memory_array(&w->memory, Weld, 1);
    if (!weld) {
        return no_memory(w);
    }
    CordResult result = make_weld(w, weld, def, rod, body);
    if (result != CORD_OK) {
        clamp_free(&w->memory, &weld->clamp);
        memory_free(&w->memory, weld, sizeof *weld);
        return result;
    }
    *id = weld->id;
    return CORD_OK;
}

CordResult cord_weld_create(CordWorld* w, const CordWeldDef* def, CordWeldId* weld)
{
    *weld = (CordWeldId){0};
    CORD_TRY(check_def_given(w, def, "weld"));
    CORD_TRY(check_no_branch(w, "no weld is made"));
    Rod* rod = world_rod(w, def->rod);
    Body* body = world_body(w, def->body);
    if (!rod) {
        return bad_id(w, "rod");
    }
    if (!body) {
        return message_fail(&w->message, CORD_BAD_ID,
                            "rod '%s' is to be welded to a body that does not exist (any more)", rod->name);
    }
    if (model_of(rod)->reduced) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "rod '%s' is modal and carries no body: its modes are those of a structure on "
                            "supports that are held",
                            rod->name);
    }
    if (body->is_joint) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "'%s' is a joint of rods; name rod '%s' among them when it is made", body->name,
                            rod->name);
    }
    CORD_TRY(reserve_switch(w, rod));
    CORD_TRY(bodies_before_weld(w));
    double lag = bodies_lag(w);
    CORD_TRY(add_weld(w, def, rod, body, weld));
    switch_to_newton(w, rod, body);
    bodies_after_weld(w, body, lag);
    return CORD_OK;
}

void remove_weld(CordWorld* w, Weld* weld)
{
    Rod* rod = weld->clamp.rod;
    bool lags = bodies_lag(w) > 0.0;
    rod_drop_clamp(w, rod, &weld->clamp);
    list_remove(&weld->body->welds, &weld->link);
    slots_remove(&w->welds, weld->id.slot, weld->id.generation);
    clamp_free(&w->memory, &weld->clamp);
    memory_free(&w->memory, weld, sizeof *weld);
    w->body_step = lags ? w->body_step : 0.0; // without welds they would lag
    world_mark(w, NULL, MARK_WELDS | MARK_COLLIDERS);
}

CordResult cord_weld_destroy(CordWorld* w, CordWeldId id)
{
    CORD_TRY(check_no_branch(w, "no weld is destroyed"));
    Weld* weld = slots_get(&w->welds, id.slot, id.generation);
    if (!weld) {
        return bad_id(w, "weld");
    }
    remove_weld(w, weld);
    return CORD_OK;
}

int cord_world_weld_count(const CordWorld* w)
{
    return w->welds.live_count;
}

CordWeldId cord_world_weld(const CordWorld* w, int index)
{
    SlotId id = slots_id_at(&w->welds, index);
    return (CordWeldId){id.slot, id.generation};
}

CordResult cord_weld_reaction(const CordWorld* w, CordWeldId id, CordVec3* force, CordVec3* torque)
{
    const Weld* weld = slots_get(&w->welds, id.slot, id.generation);
    return weld ? weld_reaction_now(w, weld, force, torque) : bad_id(w, "weld");
}

// ---- joints

CordJointDef cord_joint_def_default(void)
{
    return (CordJointDef){.kind = CORD_JOINT_WELD};
}

typedef struct Member { // a rod at a joint
    Rod* rod;
    int node_count;
    int node[2];
    bool at_node; // a node, not a whole edge
    CordVec3 point;
} Member;

static CordVec3 member_x(const Member* m, int k)
{
    return node_position(&m->rod->line, m->node[k]);
}

static CordResult find_member(CordWorld* w, const CordJointDef* def, int i, const char* name, Member* m)
{
    Message inner = {""};
    *m = (Member){.rod = world_rod(w, def->rods[i]), .node_count = 1, .at_node = true};
    if (!m->rod) {
        return message_fail(&w->message, CORD_BAD_ID,
                            "joint '%s': its rod number %d does not exist (any more)", name, i);
    }
    const CordCenterline* c = &m->rod->line;
    CordPlaceKind kind = def->at[i].kind;
    if (def->kind == CORD_JOINT_PIN) {
        m->node[0] = place_node(c, def->at[i], &inner);
    } else {
        m->node[0] = place_edge(c, def->at[i], &inner);
        m->node[1] = m->node[0] < 0 ? -1 : edge_end(c, m->node[0]);
        m->node_count = 2;
        m->at_node = kind == CORD_AT_START || kind == CORD_AT_END;
    }
    if (m->node[0] < 0) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT, "joint '%s', rod '%s': %s", name, m->rod->name,
                            inner.text);
    }
    bool last = m->node_count == 2 && kind == CORD_AT_END;
    m->point =
        m->at_node ? member_x(m, last ? 1 : 0) : vec3_mul(vec3_add(member_x(m, 0), member_x(m, 1)), 0.5);
    return CORD_OK;
}

// Distance from a point to the node or the edge where the rod may be joined.
static double distance_to(const Member* m, CordVec3 point)
{
    if (m->at_node) {
        return vec3_length(vec3_sub(point, m->point));
    }
    CordVec3 a = member_x(m, 0), e = vec3_sub(member_x(m, 1), a);
    double along = real_min(real_max(vec3_dot(vec3_sub(point, a), e) / vec3_dot(e, e), 0.0), 1.0);
    return vec3_length(vec3_sub(point, vec3_madd(a, e, along)));
}

#define JOINT_TOLERANCE 1e-6 // over a rod's length: points farther apart do not count as one

static CordResult check_together(CordWorld* w, const Member* members, int count, const char* name)
{
    int first = 0;
    while (first < count - 1 && !members[first].at_node) {
        first++;
    }
    for (int i = 0; i < count; i++) {
        double away = distance_to(&members[i], members[first].point);
        if (away > JOINT_TOLERANCE * members[i].rod->length) {
            return message_fail(&w->message, CORD_BAD_ARGUMENT,
                                "joint '%s': rod '%s' is %.3g m away from rod '%s' where they are to be "
                                "joined, so that they cannot "
                                "close; move them together",
                                name, members[i].rod->name, away, members[first].rod->name);
        }
    }
    return CORD_OK;
}

static bool shares_node(const Member* a, const Member* b, int node)
{
    return a->rod == b->rod && (b->node[0] == node || (b->node_count == 2 && b->node[1] == node));
}

// Nothing is welded unless all members can be: a weld that is undone has changed frames.
static CordResult check_free(CordWorld* w, const Member* members, int count, const char* name)
{
    for (int i = 0; i < count; i++) {
        Message inner = {""};
        const Member* m = &members[i];
        CordResult result = clamp_check_free(m->rod, m->node, m->node_count, &inner);
        if (result != CORD_OK) {
            return message_fail(&w->message, result, "joint '%s': %s", name, inner.text);
        }
        CORD_TRY(check_integrator(w, m->rod));
        for (int j = 0; j < i; j++) {
            int k = shares_node(m, &members[j], m->node[0]) ? 0 : m->node_count - 1;
            if (shares_node(m, &members[j], m->node[k])) {
                return message_fail(&w->message, CORD_BAD_ARGUMENT,
                                    "joint '%s' joins node %d of rod '%s' with itself; choose another place",
                                    name, m->node[k], m->rod->name);
            }
        }
    }
    return CORD_OK;
}

#define JOINT_MASS_SHARE 0.5 // share of its nodes' mass that a rod gives to a joint
// Least inertia of a joint about any axis, over the largest. Rods in one line have almost none about it.
#define LEAST_MOMENT 0.01

// Inertia of the nodes' shares of mass, and of the rods about their own tangents.
static void joint_inertia(const Member* members, int count, CordVec3 center, double tensor[6])
{
    double longest = 0.0, mass = 0.0;
    for (int i = 0; i < count; i++) {
        const Member* m = &members[i];
        for (int k = 0; k < m->node_count; k++) {
            double share = JOINT_MASS_SHARE * rod_node_mass(m->rod, m->node[k]);
            tensor_add_point(tensor, share, vec3_sub(member_x(m, k), center));
            mass += share;
        }
        longest = real_max(longest, m->rod->length / m->rod->line.edge_count);
    }
    Principal p = inertia_principal(tensor);
    double most = real_max(real_max(p.moments[0], p.moments[1]),
                           real_max(p.moments[2], LEAST_MOMENT * mass * longest * longest));
    double own[6] = {0};
    for (int i = 0; i < 3; i++) {
        own[i] = real_max(p.moments[i], LEAST_MOMENT * most);
    }
    tensor_rotate(p.axes, own, tensor);
}

// Velocity and angular velocity of the mass that the joint takes over. Staggered nodes have the velocity of
// half a step ago.
static void joint_motion(const CordWorld* w, const Member* members, int count, Body* joint)
{
    CordVec3 linear = {0, 0, 0}, angular = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        const Rod* rod = members[i].rod;
        for (int k = 0; k < members[i].node_count; k++) {
            CordVec3 arm = vec3_sub(member_x(&members[i], k), joint->def.position);
            CordVec3 v = vec3_madd(node_velocity(&rod->line, members[i].node[k]), w->gravity,
                                   stepper_of(rod)->times(rod, 0.0).lag);
            double share = JOINT_MASS_SHARE * rod_node_mass(rod, members[i].node[k]);
            linear = vec3_madd(linear, v, share);
            angular = vec3_madd(angular, vec3_cross(arm, v), share);
        }
    }
    joint->def.velocity = vec3_mul(linear, 1.0 / joint->def.mass);
    joint->def.spin = tensor_solve(joint->def.inertia, angular);
}

static CordResult make_joint(CordWorld* w, const Member* members, int count, const char* name, Body* joint)
{
    CordVec3 center = {0, 0, 0};
    double mass = 0.0, tensor[6] = {0};
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < members[i].node_count; k++) {
            double share = JOINT_MASS_SHARE * rod_node_mass(members[i].rod, members[i].node[k]);
            center = vec3_madd(center, member_x(&members[i], k), share);
            mass += share;
        }
    }
    center = vec3_mul(center, 1.0 / mass);
    joint_inertia(members, count, center, tensor);
    body_init_joint(joint, name, center, mass, tensor);
    joint_motion(w, members, count, joint);
    return add_body(w, joint, &w->engines[w->engine_count - 1]);
}

static CordResult weld_members(CordWorld* w, const CordJointDef* def, const Member* members, Body* joint)
{
    for (int i = 0; i < def->count; i++) {
        CordFix fix = def->kind == CORD_JOINT_PIN ? CORD_FIX_POSITION : CORD_FIX_FRAME;
        CordWeldDef weld = {.rod = def->rods[i], .at = def->at[i], .fix = fix, .body = joint->id};
        CordWeldId id = {0};
        CORD_TRY(add_weld(w, &weld, members[i].rod, joint, &id));
        ((Weld*)slots_get(&w->welds, id.slot, id.generation))->clamp.joint_mass_share = JOINT_MASS_SHARE;
    }
    return CORD_OK;
}

CordResult cord_joint_create(CordWorld* w, const CordJointDef* def, CordBodyId* joint_id)
{
    *joint_id = (CordBodyId){0};
    CORD_TRY(check_def_given(w, def, "joint"));
    CORD_TRY(check_no_branch(w, "no joint is made"));
    char name[64];
    Member members[CORD_JOINT_MOST];
    CORD_TRY(name_set_choose(&w->bodies.names, def->name, "joint", "a body or joint", name, &w->message));
    if ((unsigned)def->kind > CORD_JOINT_PIN) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT, "joint '%s': there is no kind number %d", name,
                            (int)def->kind);
    }
    if (def->count < 2 || def->count > CORD_JOINT_MOST) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT, "joint '%s' has %d rods; it takes 2 to %d", name,
                            def->count, CORD_JOINT_MOST);
    }
    for (int i = 0; i < def->count; i++) {
        CORD_TRY(find_member(w, def, i, name, &members[i]));
        if (model_of(members[i].rod)->reduced) {
            return message_fail(&w->message, CORD_NOT_SUPPORTED,
                                "joint '%s' joins rod '%s', which is modal: write what hangs together as one "
                                "rod, of the shape \"network\"",
                                name, members[i].rod->name);
        }
    }
    CORD_TRY(check_together(w, members, def->count, name));
    CORD_TRY(check_free(w, members, def->count, name));
    for (int i = 0; i < def->count; i++) {
        CORD_TRY(reserve_switch(w, members[i].rod));
    }
    Body* joint = memory_array(&w->memory, Body, 1);
    if (!joint) {
        return no_memory(w);
    }
    CordResult result = make_joint(w, members, def->count, name, joint);
    if (result != CORD_OK) {
        memory_free(&w->memory, joint, sizeof *joint);
        return result;
    }
    double lag = bodies_lag(w);
    result = bodies_before_weld(w);
    result = result == CORD_OK ? weld_members(w, def, members, joint) : result;
    if (result != CORD_OK) {
        cord_body_destroy(w, joint->id);
        return result;
    }
    for (int i = 0; i < def->count; i++) {
        switch_to_newton(w, members[i].rod, joint);
    }
    bodies_after_weld(w, joint, lag);
    *joint_id = joint->id;
    return CORD_OK;
}
