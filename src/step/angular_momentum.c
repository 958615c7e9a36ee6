#include "step/angular_momentum.h"

#include "base/real.h"
#include "body/inertia.h"
#include "step/contact_newton.h"

// Smallest principal moment over the largest that is rotated about. A straight rod has almost no inertia
// about its axis.
#define LEAST_MOMENT 1e-9

// ---- islands of contact

static ContactIsland* island_of(ContactIsland* all, int i)
{
    while (all[i].parent != i) {
        i = all[i].parent;
    }
    return &all[i];
}

static void join(ContactIsland* all, int a, int b)
{
    ContactIsland *p = island_of(all, a), *q = island_of(all, b);
    bool held = p->held || q->held;
    if (p < q) {
        q->parent = (int)(p - all);
    } else {
        p->parent = (int)(q - all);
    }
    p->held = q->held = held;
}

static int island_of_segment(const ContactNewton* t, int segment)
{
    return (int)(t->rods[t->colliders.segments[segment].rod].sys - t->systems);
}

static int island_of_body(const ContactNewton* t, int i)
{
    for (int k = 0; k < t->system_count && !t->bodies[i].is_free; k++) {
        const NewtonSystem* sys = &t->systems[k];
        if (t->bodies[i].body >= sys->bodies && t->bodies[i].body < sys->bodies + sys->body_count) {
            return k;
        }
    }
    return t->system_count + i;
}

static int island_of_solid(const ContactNewton* t, int solid)
{
    for (int i = 0; i < t->body_count; i++) {
        if (t->bodies[i].solid == solid) {
            return island_of_body(t, i);
        }
    }
    return -1;
}

static int other_island(const ContactNewton* t, const ContactPoint* contact)
{
    return contact->kind == CONTACT_SEGMENTS ? island_of_segment(t, contact->key.b)
                                             : island_of_solid(t, contact->key.b);
}

static void join_contact(ContactNewton* t, const ContactPoint* contact)
{
    int a = island_of_segment(t, contact->key.a), b = other_island(t, contact);
    if (b >= 0) {
        join(t->islands, a, b);
    } else {
        island_of(t->islands, a)->held = true;
    }
}

static bool is_loaded(const Body* body)
{
    return vec3_dot(body->force, body->force) + vec3_dot(body->torque, body->torque) > 0.0;
}

static void open_island(ContactIsland* p, const NewtonSystem* sys)
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
        p->driven |= is_loaded(sys->bodies[i].body);
    }
}

static int island_count(const ContactNewton* t)
{
    return t->system_count + t->body_count;
}

void angular_momentum_begin(ContactNewton* t, const StepInfo* step)
{
    for (int i = 0; i < island_count(t); i++) {
        t->islands[i] = (ContactIsland){.parent = i, .h = step->h, .gravity = step->gravity};
    }
}

// ---- centre of mass

static void add_mass(ContactIsland* p, double mass, CordVec3 x, CordVec3 displacement, CordVec3 v0,
                     CordVec3 v1)
{
    p->mass += mass;
    p->center = vec3_madd(p->center, x, mass);
    p->displacement = vec3_madd(p->displacement, displacement, mass);
    p->v0 = vec3_madd(p->v0, v0, mass);
    p->v1 = vec3_madd(p->v1, v1, mass);
}

static CordVec3 displacement_of(const CordCenterline* c, int s)
{
    return vec3_sub(slot_get(c->x_next, s), slot_get(c->x, s));
}

static CordBodyState state_of(const Body* body)
{
    return body->engine->get(body->engine_user, body->handle);
}

// Velocity of a body before the step: the current one minus the changes by constraint forces, gravity and
// loads.
static CordVec3 velocity_before(const ContactIsland* p, const NewtonBody* b, CordVec3 now)
{
    CordVec3 gone = {b->gone[0], b->gone[1], b->gone[2]};
    CordVec3 fell = vec3_madd(p->gravity, b->body->force, 1.0 / b->inertia.mass);
    return vec3_madd(vec3_madd(now, gone, -1.0 / p->h), fell, -p->h);
}

static void sum_mass_of_body(ContactIsland* p, const NewtonBody* b)
{
    CordBodyState now = state_of(b->body);
    add_mass(p, b->inertia.mass, now.position, vec3_sub(now.position, b->before.point),
             velocity_before(p, b, now.velocity), now.velocity);
}

static void sum_mass_of_system(ContactIsland* p, const NewtonSystem* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        for (int n = 0; n < c->node_count; n++) {
            int s = slot_of(c, n);
            add_mass(p, sys->rods[i].weight[s], slot_get(c->x_next, s), displacement_of(c, s),
                     slot_get(c->v, s), slot_get(c->v_next, s));
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        sum_mass_of_body(p, &sys->bodies[i]);
    }
}

static void find_center(ContactIsland* p)
{
    double share = 1.0 / p->mass;
    p->center = vec3_mul(p->center, share);
    p->displacement = vec3_mul(p->displacement, share);
    p->v0 = vec3_mul(p->v0, share);
    p->v1 = vec3_mul(p->v1, share);
}

// ---- momentum, energy and loss

static void add_point(ContactIsland* p, double mass, CordVec3 x, CordVec3 displacement, CordVec3 v0,
                      CordVec3 v1)
{
    CordVec3 arm = vec3_sub(x, p->center), u0 = vec3_sub(v0, p->v0), u1 = vec3_sub(v1, p->v1);
    p->lost = vec3_madd(p->lost, vec3_cross(u0, vec3_sub(displacement, p->displacement)), mass);
    p->L = vec3_madd(p->L, vec3_cross(arm, u1), mass);
    p->energy_before += 0.5 * mass * vec3_dot(u0, u0);
    p->kinetic += 0.5 * mass * vec3_dot(u1, u1);
    tensor_add_point(p->tensor, mass, arm);
}

static CordVec3 tangent(double* const x[3], int s)
{
    return vec3_unit(vec3_sub(slot_get(x, s + 1), slot_get(x, s)));
}

static void add_spins(ContactIsland* p, const NewtonRod* r)
{
    const CordCenterline* c = &r->rod->line;
    const double *inertia = framed_of(r->rod)->spin_inertia, *may_turn = framed_of(r->rod)->may_turn;
    const double *spin = framed_of(r->rod)->spin, *next = framed_of(r->rod)->spin_next;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        if (may_turn[s] > 0.0) {
            CordVec3 t = tangent(c->x_next, s), before = tangent(c->x, s);
            CordVec3 e = vec3_sub(slot_get(c->x_next, s + 1), slot_get(c->x_next, s));
            CordVec3 was = vec3_sub(slot_get(c->x, s + 1), slot_get(c->x, s));
            // The spin goes along with its tangent; the step's spin forces carry it at its new rate.
            CordVec3 carried = vec3_mul(vec3_reject(vec3_sub(e, was), t), 1.0 / vec3_length(e));
            p->lost = vec3_madd(p->lost, carried, inertia[s] * next[s]);
            p->lost = vec3_madd(p->lost, vec3_sub(t, before), -inertia[s] * spin[s]);
            double I = inertia[s],
                   tensor[6] = {t.x * t.x, t.y * t.y, t.z * t.z, t.x * t.y, t.x * t.z, t.y * t.z};
            p->L = vec3_madd(p->L, t, I * next[s]);
            p->energy_before += 0.5 * I * spin[s] * spin[s];
            p->kinetic += 0.5 * I * next[s] * next[s];
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

static void measure_rod(ContactIsland* p, const NewtonRod* r)
{
    const CordCenterline* c = &r->rod->line;
    CordEnergy before = {0};
    model_of(r->rod)->energy(r->rod, &before);
    p->energy_before += before.bend + before.twist + before.stretch;
    p->potential += framed_trial_energy(r->rod, 0.0) + stretching(r);
    for (int n = 0; n < c->node_count; n++) {
        int s = slot_of(c, n);
        add_point(p, r->weight[s], slot_get(c->x_next, s), displacement_of(c, s), slot_get(c->v, s),
                  slot_get(c->v_next, s));
    }
    if (r->rod->dynamic_twist) {
        add_spins(p, r);
    }
}

static void measure_body(ContactIsland* p, const NewtonBody* b)
{
    CordBodyState now = state_of(b->body);
    CordBodyInertia inertia = body_inertia(b->body);
    CordVec3 L = tensor_mul(inertia.tensor, now.spin);
    CordVec3 turned = tensor_mul(b->inertia.tensor, (CordVec3){b->gone[3], b->gone[4], b->gone[5]});
    CordVec3 before = vec3_madd(L, turned, -1.0 / p->h); // of the free motion
    add_point(p, inertia.mass, now.position, vec3_sub(now.position, b->before.point),
              velocity_before(p, b, now.velocity), now.velocity);
    p->L = vec3_add(p->L, L);
    p->energy_before += 0.5 * vec3_dot(before, tensor_solve(b->inertia.tensor, before));
    p->kinetic += 0.5 * vec3_dot(L, now.spin);
    for (int k = 0; k < 6; k++) {
        p->tensor[k] += inertia.tensor[k];
    }
}

static void measure_system(ContactIsland* p, const NewtonSystem* sys)
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

static void find_added_spin(ContactIsland* p)
{
    Principal axes = inertia_principal(p->tensor);
    p->rigid_spin = spin_of(&axes, p->L);
    p->added_spin = spin_of(&axes, p->lost);
    double rigid = 0.5 * vec3_dot(p->L, p->rigid_spin), rest = p->kinetic - rigid;
    double slope = vec3_dot(p->L, p->added_spin), curve = 0.5 * vec3_dot(p->lost, p->added_spin);
    // energy available to the added rotation and the non-rigid motion
    double room = p->energy_before - p->potential - rigid;
    if (p->driven || rest + slope + curve <= room) {
        return;
    }
    p->slowdown = slope + curve < room ? 1.0 - sqrt((room - slope - curve) / rest) : 1.0;
    if (slope + curve > room) { // there is not enough energy for all of the rotation
        double share = room > 0.0 ? 2.0 * room / (slope + sqrt(slope * slope + 4.0 * curve * room)) : 0.0;
        p->added_spin = vec3_mul(p->added_spin, real_min(share, 1.0));
    }
}

static CordVec3 restored(const ContactIsland* p, CordVec3 x, CordVec3 v)
{
    CordVec3 arm = vec3_sub(x, p->center), rigid = vec3_add(p->v1, vec3_cross(p->rigid_spin, arm));
    return vec3_add(vec3_madd(v, vec3_sub(v, rigid), -p->slowdown), vec3_cross(p->added_spin, arm));
}

static void restore_rod(const ContactIsland* p, const NewtonRod* r)
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
        double rest = spin[s] - vec3_dot(p->rigid_spin, t);
        spin[s] += may_turn[s] * (vec3_dot(p->added_spin, t) - p->slowdown * rest);
    }
}

static void restore_body(ContactIsland* p, const NewtonBody* b)
{
    CordBodyState s = state_of(b->body);
    s.velocity = restored(p, s.position, s.velocity);
    s.spin = vec3_add(vec3_madd(s.spin, vec3_sub(s.spin, p->rigid_spin), -p->slowdown), p->added_spin);
    b->body->engine->set(b->body->engine_user, b->body->handle, &s);
}

static void restore(ContactIsland* p, const NewtonSystem* sys)
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
    ContactIsland p = {.h = step->h, .gravity = step->gravity};
    open_island(&p, sys);
    if (p.held) {
        return;
    }
    sum_mass_of_system(&p, sys);
    find_center(&p);
    measure_system(&p, sys);
    find_added_spin(&p);
    restore(&p, sys);
}

// ---- all islands in contact

static void join_all(ContactNewton* t)
{
    for (int i = 0; i < island_count(t); i++) {
        if (i < t->system_count) {
            open_island(&t->islands[i], &t->systems[i]);
        } else {
            const Body* body = t->bodies[i - t->system_count].body->body;
            t->islands[i].held = body->has_outside;
            t->islands[i].driven = is_loaded(body);
        }
    }
    for (int i = 0; i < t->contacts.count; i++) {
        if (t->contacts.all[i].push > 0.0) {
            join_contact(t, &t->contacts.all[i]);
        }
    }
    for (int i = 0; i < island_count(t); i++) {
        ContactIsland *p = &t->islands[i], *all = island_of(t->islands, i);
        if (p != all) {
            all->energy_before += p->energy_before;
            all->driven |= p->driven;
        }
    }
}

typedef void (*SystemPass)(ContactIsland* p, const NewtonSystem* sys);
typedef void (*BodyPass)(ContactIsland* p, const NewtonBody* b);

static void for_free_islands(ContactNewton* t, SystemPass of_system, BodyPass of_body)
{
    for (int i = 0; i < t->system_count; i++) {
        ContactIsland* p = island_of(t->islands, i);
        if (!p->held) {
            of_system(p, &t->systems[i]);
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        ContactIsland* p = island_of(t->islands, t->system_count + i);
        if (t->bodies[i].is_free && !p->held) {
            of_body(p, t->bodies[i].body);
        }
    }
}

void angular_momentum_restore(ContactNewton* t)
{
    join_all(t);
    for_free_islands(t, sum_mass_of_system, sum_mass_of_body);
    for (int i = 0; i < island_count(t); i++) {
        if (t->islands[i].mass > 0.0) {
            find_center(&t->islands[i]);
        }
    }
    for_free_islands(t, measure_system, measure_body);
    for (int i = 0; i < island_count(t); i++) {
        if (t->islands[i].mass > 0.0) {
            find_added_spin(&t->islands[i]);
        }
    }
    for_free_islands(t, restore, restore_body);
}
