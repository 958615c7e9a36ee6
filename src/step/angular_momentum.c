#include "step/angular_momentum.h"

#include "base/real.h"
#include "body/inertia.h"
#include "step/barrier.h"

// Smallest principal moment over the largest that is rotated about. A straight rod has almost no inertia
// about its axis.
#define LEAST_MOMENT 1e-9

// ---- islands of contact

static Party* party_of(Party* all, int i)
{
    while (all[i].with != i) {
        i = all[i].with;
    }
    return &all[i];
}

static void join(Party* all, int a, int b)
{
    Party *p = party_of(all, a), *q = party_of(all, b);
    bool held = p->held || q->held;
    if (p < q) {
        q->with = (int)(p - all);
    } else {
        p->with = (int)(q - all);
    }
    p->held = q->held = held;
}

static int party_of_segment(const BarrierSolver* t, int segment)
{
    return (int)(t->rods[t->colliders.segments[segment].rod].sys - t->systems);
}

static int party_of_body(const BarrierSolver* t, int i)
{
    for (int k = 0; k < t->system_count && !t->bodies[i].is_loose; k++) {
        const NewtonSystem* sys = &t->systems[k];
        if (t->bodies[i].body >= sys->bodies && t->bodies[i].body < sys->bodies + sys->body_count) {
            return k;
        }
    }
    return t->system_count + i;
}

static int party_of_solid(const BarrierSolver* t, int solid)
{
    for (int i = 0; i < t->body_count; i++) {
        if (t->bodies[i].solid == solid) {
            return party_of_body(t, i);
        }
    }
    return -1;
}

static int other_party(const BarrierSolver* t, const ContactPoint* contact)
{
    return contact->kind == CONTACT_SEGMENTS ? party_of_segment(t, contact->key.b)
                                             : party_of_solid(t, contact->key.b);
}

static void join_touch(BarrierSolver* t, const ContactPoint* contact)
{
    int a = party_of_segment(t, contact->key.a), b = other_party(t, contact);
    if (b >= 0) {
        join(t->parties, a, b);
    } else {
        party_of(t->parties, a)->held = true;
    }
}

static bool is_pushed(const Body* body)
{
    return vec3_dot(body->force, body->force) + vec3_dot(body->torque, body->torque) > 0.0;
}

static void open_party(Party* p, const NewtonSystem* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        const Rod* rod = sys->rods[i].rod;
        p->driven |= rod->load_count > 0;
        for (int k = 0; k < rod->clamp_count; k++) {
            p->held |= rod->clamps[k]->holds && !rod->clamps[k]->carrier;
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        p->held |= sys->bodies[i].body->has_outside;
        p->driven |= is_pushed(sys->bodies[i].body);
    }
}

static int party_count(const BarrierSolver* t)
{
    return t->system_count + t->body_count;
}

void angular_momentum_begin(BarrierSolver* t, const StepInfo* step)
{
    for (int i = 0; i < party_count(t); i++) {
        t->parties[i] = (Party){.with = i, .h = step->h, .gravity = step->gravity};
    }
    for (int i = 0; i < t->contacts.count; i++) {
        const ContactPoint* contact = &t->contacts.all[i];
        double half = 0.5 * contact->share * barrier_energy(&contact->barrier, contact->gap);
        int a = party_of_segment(t, contact->key.a), b = other_party(t, contact);
        t->parties[a].had += half;
        t->parties[b >= 0 ? b : a].had += half;
    }
}

// ---- centre of mass

static void add_mass(Party* p, double mass, CordVec3 x, CordVec3 way, CordVec3 v0, CordVec3 v1)
{
    p->mass += mass;
    p->center = vec3_madd(p->center, x, mass);
    p->way = vec3_madd(p->way, way, mass);
    p->v0 = vec3_madd(p->v0, v0, mass);
    p->v1 = vec3_madd(p->v1, v1, mass);
}

static CordVec3 way_of(const CordCenterline* c, int s)
{
    return vec3_sub(slot_get(c->x_next, s), slot_get(c->x, s));
}

static CordBodyState state_of(const Body* body)
{
    return body->engine->get(body->engine_user, body->handle);
}

// Velocity of a body before the step: the current one minus the changes by constraint forces, gravity and
// loads.
static CordVec3 velocity_before(const Party* p, const NewtonBody* b, CordVec3 now)
{
    CordVec3 gone = {b->gone[0], b->gone[1], b->gone[2]};
    CordVec3 fell = vec3_madd(p->gravity, b->body->force, 1.0 / b->inertia.mass);
    return vec3_madd(vec3_madd(now, gone, -1.0 / p->h), fell, -p->h);
}

static void weigh_body(Party* p, const NewtonBody* b)
{
    CordBodyState now = state_of(b->body);
    add_mass(p, b->inertia.mass, now.position, vec3_sub(now.position, b->before.point),
             velocity_before(p, b, now.velocity), now.velocity);
}

static void weigh(Party* p, const NewtonSystem* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        for (int n = 0; n < c->node_count; n++) {
            int s = slot_of(c, n);
            add_mass(p, sys->rods[i].weight[s], slot_get(c->x_next, s), way_of(c, s), slot_get(c->v, s),
                     slot_get(c->v_next, s));
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        weigh_body(p, &sys->bodies[i]);
    }
}

static void find_center(Party* p)
{
    double share = 1.0 / p->mass;
    p->center = vec3_mul(p->center, share);
    p->way = vec3_mul(p->way, share);
    p->v0 = vec3_mul(p->v0, share);
    p->v1 = vec3_mul(p->v1, share);
}

// ---- momentum, energy and loss

static void add_point(Party* p, double mass, CordVec3 x, CordVec3 way, CordVec3 v0, CordVec3 v1)
{
    CordVec3 arm = vec3_sub(x, p->center), u0 = vec3_sub(v0, p->v0), u1 = vec3_sub(v1, p->v1);
    p->lost = vec3_madd(p->lost, vec3_cross(u0, vec3_sub(way, p->way)), mass);
    p->L = vec3_madd(p->L, vec3_cross(arm, u1), mass);
    p->had += 0.5 * mass * vec3_dot(u0, u0);
    p->motion += 0.5 * mass * vec3_dot(u1, u1);
    tensor_add_point(p->tensor, mass, arm);
}

static CordVec3 tangent(double* const x[3], int s)
{
    return vec3_unit(vec3_sub(slot_get(x, s + 1), slot_get(x, s)));
}

static void add_spins(Party* p, const NewtonRod* r)
{
    const CordCenterline* c = &r->rod->line;
    const double *inertia = framed_of(r->rod)->spin_inertia, *may_turn = framed_of(r->rod)->may_turn;
    const double *spin = framed_of(r->rod)->spin, *next = framed_of(r->rod)->spin_next;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        if (may_turn[s] > 0.0) {
            CordVec3 t = tangent(c->x_next, s);
            double I = inertia[s],
                   tensor[6] = {t.x * t.x, t.y * t.y, t.z * t.z, t.x * t.y, t.x * t.z, t.y * t.z};
            p->L = vec3_madd(p->L, t, I * next[s]);
            p->had += 0.5 * I * spin[s] * spin[s];
            p->motion += 0.5 * I * next[s] * next[s];
            for (int k = 0; k < 6; k++) {
                p->tensor[k] += I * tensor[k];
            }
        }
    }
}

static double stretching(const NewtonRod* r) // stretching energy at the end of the step
{
    const CordCenterline* c = &r->rod->line;
    double sum = 0.0;
    for (int j = 0; j < c->edge_count && !r->rod->inextensible; j++) {
        int s = slot_of(c, j);
        CordVec3 e = vec3_sub(slot_get(c->x_next, s + 1), slot_get(c->x_next, s));
        double change = vec3_length(e) - c->rest_len[s];
        sum += 0.5 * change * change / r->soft[s];
    }
    return sum;
}

static void measure_rod(Party* p, const NewtonRod* r)
{
    const CordCenterline* c = &r->rod->line;
    CordEnergy before = {0};
    model_of(r->rod)->energy(r->rod, &before);
    p->had += before.bend + before.twist + before.stretch;
    p->strains += framed_trial_energy(r->rod, 0.0) + stretching(r);
    for (int n = 0; n < c->node_count; n++) {
        int s = slot_of(c, n);
        add_point(p, r->weight[s], slot_get(c->x_next, s), way_of(c, s), slot_get(c->v, s),
                  slot_get(c->v_next, s));
    }
    if (r->rod->dynamic_twist) {
        add_spins(p, r);
    }
}

static void measure_body(Party* p, const NewtonBody* b)
{
    CordBodyState now = state_of(b->body);
    CordBodyInertia inertia = body_inertia(b->body);
    CordVec3 L = tensor_mul(inertia.tensor, now.spin);
    CordVec3 turned = tensor_mul(b->inertia.tensor, (CordVec3){b->gone[3], b->gone[4], b->gone[5]});
    CordVec3 before = vec3_madd(L, turned, -1.0 / p->h); // of the free motion
    add_point(p, inertia.mass, now.position, vec3_sub(now.position, b->before.point),
              velocity_before(p, b, now.velocity), now.velocity);
    p->L = vec3_add(p->L, L);
    p->had += 0.5 * vec3_dot(before, tensor_solve(b->inertia.tensor, before));
    p->motion += 0.5 * vec3_dot(L, now.spin);
    for (int k = 0; k < 6; k++) {
        p->tensor[k] += inertia.tensor[k];
    }
}

static void measure(Party* p, const NewtonSystem* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        measure_rod(p, &sys->rods[i]);
    }
    for (int i = 0; i < sys->body_count; i++) {
        measure_body(p, &sys->bodies[i]);
    }
}

// ---- restoring

static CordVec3 spin_of(const Principal* p, CordVec3 L)
{
    double most = real_max(p->moments[0], real_max(p->moments[1], p->moments[2]));
    CordVec3 own = quat_rotate((CordQuat){-p->axes.x, -p->axes.y, -p->axes.z, p->axes.w}, L);
    double a[3] = {own.x, own.y, own.z};
    for (int i = 0; i < 3; i++) {
        a[i] = p->moments[i] > LEAST_MOMENT * most ? a[i] / p->moments[i] : 0.0;
    }
    return quat_rotate(p->axes, (CordVec3){a[0], a[1], a[2]});
}

static void find_turn(Party* p)
{
    Principal axes = inertia_principal(p->tensor);
    p->spin = spin_of(&axes, p->L);
    p->turn = spin_of(&axes, p->lost);
    double rigid = 0.5 * vec3_dot(p->L, p->spin), rest = p->motion - rigid;
    double slope = vec3_dot(p->L, p->turn), curve = 0.5 * vec3_dot(p->lost, p->turn);
    // energy available to the added rotation and the non-rigid motion
    double room = p->had - p->strains - rigid;
    if (p->driven || rest + slope + curve <= room) {
        return;
    }
    p->less = slope + curve < room ? 1.0 - sqrt((room - slope - curve) / rest) : 1.0;
    if (slope + curve > room) { // there is not enough energy for all of the rotation
        double share = room > 0.0 ? 2.0 * room / (slope + sqrt(slope * slope + 4.0 * curve * room)) : 0.0;
        p->turn = vec3_mul(p->turn, real_min(share, 1.0));
    }
}

static CordVec3 restored(const Party* p, CordVec3 x, CordVec3 v)
{
    CordVec3 arm = vec3_sub(x, p->center), rigid = vec3_add(p->v1, vec3_cross(p->spin, arm));
    return vec3_add(vec3_madd(v, vec3_sub(v, rigid), -p->less), vec3_cross(p->turn, arm));
}

static void restore_rod(const Party* p, const NewtonRod* r)
{
    const CordCenterline* c = &r->rod->line;
    for (int n = 0; n < c->node_count; n++) {
        int s = slot_of(c, n);
        slot_set(c->v_next, s, restored(p, slot_get(c->x_next, s), slot_get(c->v_next, s)));
    }
    centerline_wrap(c, c->v_next);
    double* spin = framed_of(r->rod)->spin_next;
    const double* may_turn = framed_of(r->rod)->may_turn;
    for (int j = 0; j < c->edge_count && r->rod->dynamic_twist; j++) {
        int s = slot_of(c, j);
        CordVec3 t = tangent(c->x_next, s);
        double rest = spin[s] - vec3_dot(p->spin, t);
        spin[s] += may_turn[s] * (vec3_dot(p->turn, t) - p->less * rest);
    }
}

static void restore_body(Party* p, const NewtonBody* b)
{
    CordBodyState s = state_of(b->body);
    s.velocity = restored(p, s.position, s.velocity);
    s.spin = vec3_add(vec3_madd(s.spin, vec3_sub(s.spin, p->spin), -p->less), p->turn);
    b->body->engine->set(b->body->engine_user, b->body->handle, &s);
}

static void restore(Party* p, const NewtonSystem* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        restore_rod(p, &sys->rods[i]);
    }
    for (int i = 0; i < sys->body_count; i++) {
        restore_body(p, &sys->bodies[i]);
    }
}

void angular_momentum_restore_alone(const NewtonSystem* sys, const StepInfo* step)
{
    Party p = {.h = step->h, .gravity = step->gravity};
    open_party(&p, sys);
    if (p.held) {
        return;
    }
    weigh(&p, sys);
    find_center(&p);
    measure(&p, sys);
    find_turn(&p);
    restore(&p, sys);
}

// ---- all islands in contact

static void join_all(BarrierSolver* t)
{
    for (int i = 0; i < party_count(t); i++) {
        if (i < t->system_count) {
            open_party(&t->parties[i], &t->systems[i]);
        } else {
            const Body* body = t->bodies[i - t->system_count].body->body;
            t->parties[i].held = body->has_outside;
            t->parties[i].driven = is_pushed(body);
        }
    }
    for (int i = 0; i < t->contacts.count; i++) {
        join_touch(t, &t->contacts.all[i]);
    }
    for (int i = 0; i < t->anchors.count; i++) {
        join_touch(t, &t->anchors.all[i].contact);
    }
    for (int i = 0; i < party_count(t); i++) {
        Party *p = &t->parties[i], *all = party_of(t->parties, i);
        if (p != all) {
            all->had += p->had;
            all->driven |= p->driven;
        }
    }
}

// Friction acts at the positions of the start of the step, so its impulses lose no angular momentum. This
// subtracts from `lost` what they would have lost at the end. Frames receive the friction torque about the
// old tangents and pass it on about the new ones.
static void take_friction_out(BarrierSolver* t)
{
    const Colliders* cs = &t->colliders;
    dof_vector_clear(&t->move, cs);
    for (int i = 0; i < t->anchors.count; i++) {
        contact_point_scatter(cs, &t->anchors.all[i].contact, t->anchors.all[i].force, &t->move);
    }
    for (int i = 0; i < cs->rod_count && t->anchors.count > 0; i++) {
        const ColliderRod* r = &cs->rods[i];
        const CordCenterline* c = &r->rod->line;
        Party* p = party_of(t->parties, (int)(t->rods[i].sys - t->systems));
        for (int n = 0; n < r->node_count; n++) {
            CordVec3 f = t->move.x[r->first_node + n];
            p->lost = vec3_madd(p->lost, vec3_cross(vec3_sub(way_of(c, slot_of(c, n)), p->way), f), -p->h);
        }
        for (int j = 0; j < r->segment_count; j++) {
            int s = slot_of(c, j);
            CordVec3 turned = vec3_sub(tangent(c->x_next, s), tangent(c->x, s));
            p->lost = vec3_madd(p->lost, turned, -p->h * t->move.spin[r->first_segment + j]);
        }
    }
    for (int i = 0; i < t->body_count && t->anchors.count > 0; i++) {
        const NewtonBody* b = t->bodies[i].body;
        const double* f = t->move.solid + 6 * t->bodies[i].solid;
        Party* p = party_of(t->parties, party_of_body(t, i));
        CordVec3 way = vec3_sub(vec3_sub(b->pose.point, b->before.point), p->way);
        p->lost = vec3_madd(p->lost, vec3_cross(way, (CordVec3){f[0], f[1], f[2]}), -p->h);
    }
}

static void keep_barriers(BarrierSolver* t)
{
    for (int i = 0; i < t->contacts.count; i++) {
        const ContactPoint* contact = &t->contacts.all[i];
        party_of(t->parties, party_of_segment(t, contact->key.a))->strains +=
            contact->share * barrier_energy(&contact->barrier, contact->gap);
    }
}

typedef void (*PartyPass)(Party* p, const NewtonSystem* sys);
typedef void (*PartyBodyPass)(Party* p, const NewtonBody* b);

static void for_all(BarrierSolver* t, PartyPass of_system, PartyBodyPass of_body)
{
    for (int i = 0; i < t->system_count; i++) {
        Party* p = party_of(t->parties, i);
        if (!p->held) {
            of_system(p, &t->systems[i]);
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        Party* p = party_of(t->parties, t->system_count + i);
        if (t->bodies[i].is_loose && !p->held) {
            of_body(p, t->bodies[i].body);
        }
    }
}

void angular_momentum_restore(BarrierSolver* t)
{
    join_all(t);
    for_all(t, weigh, weigh_body);
    for (int i = 0; i < party_count(t); i++) {
        if (t->parties[i].mass > 0.0) {
            find_center(&t->parties[i]);
        }
    }
    for_all(t, measure, measure_body);
    take_friction_out(t);
    keep_barriers(t);
    for (int i = 0; i < party_count(t); i++) {
        if (t->parties[i].mass > 0.0) {
            find_turn(&t->parties[i]);
        }
    }
    for_all(t, restore, restore_body);
}
