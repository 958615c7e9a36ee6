#include "step/contact_newton.h"

#include "base/real.h"
#include "body/inertia.h"
#include "contact/contact_gap.h"
#include "solve/newton_parts.h"

#include <string.h>

// Proximal term: rho over the stiffness of the nodes that a contact pushes. 1/rho must be small beside their
// compliance, so that forces of the iterate before hardly matter, and large beside its rounding errors.
#define PROXIMAL 1e4
#define HELD_BY_STRETCH 1e-6 // of EA / length, for rods with hardly any bending stiffness and inertia
#define ROUNDING 5e-10       // over the radius: overlaps that count as touching
#define HELD_BY_INERTIA 1.0  // of the inertia of frames, which holds them
#define HELD 1e-9            // likewise, of their stiffness against twist
#define FROZEN 1e6           // coefficient of friction of contacts that do not slip

// ---- start of a step

bool contact_newton_reserve(Memory* m, void** array, int count, int* capacity, size_t size)
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

// Looks in the system at `last` first, where the rod before was found: both lists are mostly in one order.
static ContactNewtonRod rod_in(NewtonSystem* systems, int count, const Rod* rod, int* last)
{
    for (int n = 0; n < count; n++) {
        NewtonSystem* sys = &systems[(*last + n) % count];
        for (int k = 0; k < sys->rod_count; k++) {
            if (sys->rods[k].rod == rod) {
                *last = (*last + n) % count;
                return (ContactNewtonRod){sys, &sys->rods[k]};
            }
        }
    }
    return (ContactNewtonRod){0};
}

// Gives each rod its own part of the contact arrays.
static void share_contact_arrays(ContactNewton* t)
{
    int last = 0;
    for (int i = 0; i < t->colliders.rod_count; i++) {
        const ColliderRod* r = &t->colliders.rods[i];
        t->rods[i] = rod_in(t->systems, t->system_count, r->rod, &last);
        t->rods[i].rod->touch =
            (NewtonContact){.push = t->force.x + r->first_node, .torque = t->force.spin + r->first_segment};
    }
}

static ContactNewtonBody body_in(NewtonSystem* systems, int count, const Body* body, int* last)
{
    for (int n = 0; n < count; n++) {
        NewtonSystem* sys = &systems[(*last + n) % count];
        for (int k = 0; k < sys->body_count; k++) {
            if (sys->bodies[k].body == body) {
                *last = (*last + n) % count;
                return (ContactNewtonBody){.body = &sys->bodies[k], .origin = sys->origin};
            }
        }
    }
    return (ContactNewtonBody){.is_free = true};
}

// The bodies have already moved freely for the step.
static void open_bodies(ContactNewton* t)
{
    int last = 0;
    t->body_count = 0;
    for (int i = 0; i < t->colliders.solid_count; i++) {
        Body* body = t->solid_bodies[i];
        if (!body) {
            continue;
        }
        ContactNewtonBody* b = &t->bodies[t->body_count++];
        *b = body_in(t->systems, t->system_count, body, &last);
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

bool contact_newton_begin(ContactNewton* t, Memory* m, NewtonSystem* systems, int count, double mass)
{
    Colliders* cs = &t->colliders;
    t->memory = m;
    t->mass = mass;
    t->systems = systems;
    t->system_count = count;
    t->no_memory = false;
    t->law.shape = NULL;
    t->curved = t->is_close = t->has_step = t->recovers = t->at_rest = t->smooth = false;
    t->extra_inertia = t->smoothing = t->enough = 0.0;
    t->ease = 1.0;
    t->iterations = 0;
    if (!contact_newton_reserve(m, (void**)&t->rods, cs->rod_count, &t->rod_capacity,
                                sizeof(ContactNewtonRod)) ||
        !contact_newton_reserve(m, (void**)&t->bodies, cs->solid_count, &t->body_capacity,
                                sizeof(ContactNewtonBody)) ||
        !contact_newton_reserve(m, (void**)&t->shapes, 3 * cs->node_count, &t->shape_capacity,
                                sizeof(CordVec3)) ||
        !contact_newton_reserve(m, (void**)&t->step, cs->node_count, &t->step_capacity, sizeof(CordVec3)) ||
        !contact_newton_reserve(m, (void**)&t->islands, count + cs->solid_count, &t->island_capacity,
                                sizeof(ContactIsland)) ||
        !dof_vector_reserve(m, &t->force, cs, &t->force_size) ||
        !dof_vector_reserve(m, &t->move, cs, &t->move_size) || !warm_starts_copy(m, &t->last, &t->warm)) {
        return false;
    }
    // The elimination order must not depend on earlier steps: a restored snapshot repeats a step bit by bit.
    t->sparse.is_built = false;
    // The arrays that the rods see must not hold data of the last step.
    dof_vector_clear(&t->force, cs);
    share_contact_arrays(t);
    open_bodies(t);
    colliders_begin_step(cs);
    return broad_phase_update(m, cs) && narrow_phase_find(m, &t->contacts, cs, cs->begin, &t->law);
}

void contact_newton_push_bodies(ContactNewton* t, CordVec3 gravity, double time)
{
    for (int i = 0; i < t->system_count && t->loads; i++) {
        for (int k = 0; k < t->systems[i].body_count; k++) {
            newton_push_body(&t->systems[i].bodies[k], gravity, t->loads, time, 0.0);
        }
    }
    for (int i = 0; i < t->body_count && t->loads; i++) {
        newton_push_body(t->bodies[i].body, gravity, t->loads, time, 0.0);
    }
}

bool contact_newton_moves_bodies(const ContactNewton* t)
{
    bool any = false;
    for (int i = 0; i < t->body_count; i++) {
        any |= t->bodies[i].is_free;
    }
    return t->loads && any;
}

void contact_newton_free(Memory* m, ContactNewton* t)
{
    colliders_free(m, &t->colliders);
    contact_points_free(m, &t->contacts);
    memory_array_free(m, t->points, t->point_capacity);
    memory_array_free(m, t->couples, t->couple_capacity);
    warm_starts_free(m, &t->warm);
    warm_starts_free(m, &t->last);
    warm_starts_free(m, &t->stuck);
    memory_array_free(m, t->rods, t->rod_capacity);
    memory_array_free(m, t->bodies, t->body_capacity);
    memory_array_free(m, t->solid_bodies, t->solid_capacity);
    memory_array_free(m, t->shapes, t->shape_capacity);
    memory_array_free(m, t->step, t->step_capacity);
    memory_array_free(m, t->islands, t->island_capacity);
    dof_vector_free(m, &t->force, &t->force_size);
    dof_vector_free(m, &t->move, &t->move_size);
    sparse_free(m, &t->sparse);
    *t = (ContactNewton){0};
}

// ---- positions

void contact_newton_update_positions(ContactNewton* t)
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

double contact_newton_motion(const ContactNewton* t)
{
    const Colliders* cs = &t->colliders;
    double most = 0.0;
    for (int i = 0; i < cs->segment_count; i++) {
        const Segment* g = &cs->segments[i];
        for (int k = 0; k < 2; k++) {
            double far = vec3_length(vec3_sub(cs->to[g->node[k]], cs->begin[g->node[k]]));
            most = real_max(most, far / (g->arc[1] - g->arc[0]));
        }
    }
    return most;
}

double contact_newton_prediction_limit(ContactNewton* t)
{
    colliders_move_solids(&t->colliders, 1.0);
    if (!broad_phase_update(t->memory, &t->colliders)) {
        t->no_memory = true;
        return 0.0;
    }
    return colliders_time_of_impact(&t->colliders, TIME_OF_ITERATES);
}

double contact_newton_force_limit(const ContactNewton* t, double share)
{
    for (int i = 0; i < t->contacts.count; i++) {
        const NewtonContactPoint* p = &t->points[i];
        double now = vec3_dot(p->force, t->contacts.all[i].n), lost = p->normal_before - now;
        share = now > 0.0 && lost > 0.0 ? real_min(share, p->normal_before / lost) : share;
    }
    return real_max(1.0, share);
}

// In a solve with friction off or frozen, does this contact have any?
static bool rubs(const ContactNewton* t, const NewtonContactPoint* p)
{
    return t->grip == GRIP_COULOMB || p->law.mu > 0.0;
}

static CordVec3 within_cone(const CoulombPoint* law, CordVec3 friction, double normal)
{
    int sides = law->contact->kind == CONTACT_SEGMENTS ? 2 : 1;
    return friction_within_cone(law->contact->axis, &law->shape, sides, friction, law->mu * normal);
}

// Friction of an iterate that moved by a share of the step. A solve without friction has none, where
// round-off across the normal would leave some.
static CordVec3 friction_after(const ContactNewton* t, int i, double normal, double share)
{
    const NewtonContactPoint* p = &t->points[i];
    if (!rubs(t, p)) {
        return (CordVec3){0, 0, 0};
    }
    CordVec3 friction = vec3_madd(vec3_mul(p->friction_before, 1.0 - share),
                                  vec3_reject(p->force, t->contacts.all[i].n), share);
    return share > 1.0 ? within_cone(&p->law, friction, normal) : friction;
}

// The forces of an iterate that moved by a share of the step lie between those before and after it, within
// the friction cone, which is convex. Those of an extrapolated step are put back into it.
void contact_newton_update_forces(ContactNewton* t, double share)
{
    t->last.count = 0;
    if (!warm_starts_reserve(t->memory, &t->last, t->contacts.count)) {
        t->no_memory = true;
        return;
    }
    for (int i = 0; i < t->contacts.count; i++) {
        const NewtonContactPoint* p = &t->points[i];
        CordVec3 n = t->contacts.all[i].n;
        double normal = p->normal_before + share * (vec3_dot(p->force, n) - p->normal_before);
        CordVec3 couple = {0, 0, 0};
        if (t->surfaces.rolls) {
            const NewtonCouple* k = &t->couples[i];
            couple = vec3_madd(k->before, vec3_sub(k->couple, k->before), share);
        }
        if (normal > 0.0) {
            t->last.all[t->last.count++] = (WarmStart){contact_persistent_key(&t->contacts.all[i]), normal,
                                                       friction_after(t, i, normal, share),
                                                       rubs(t, p) && p->state == CONTACT_SLIDES, couple};
        }
    }
    warm_starts_sort(&t->last);
}

bool contact_newton_keep_forces(ContactNewton* t)
{
    return warm_starts_copy(t->memory, &t->warm, &t->last);
}

void contact_newton_accept_step(ContactNewton* t, double share)
{
    Colliders* cs = &t->colliders;
    contact_newton_update_positions(t);
    memcpy(cs->from, cs->to, sizeof *cs->from * (size_t)cs->node_count);
    colliders_move_solids(cs, share);
    for (int i = 0; i < cs->solid_count; i++) {
        cs->solids[i].from = cs->solids[i].to;
    }
}

bool contact_newton_is_near(ContactNewton* t)
{
    Colliders* cs = &t->colliders;
    colliders_move_solids(cs, 1.0);
    if (t->warm.count > 0 || !broad_phase_update(t->memory, cs) ||
        !narrow_phase_find(t->memory, &t->contacts, cs, cs->to, &t->law)) {
        return true;
    }
    return t->contacts.nearest <= 0.0 || colliders_time_of_impact(cs, 0.0) < 1.0;
}

// Sets the colliders' `to` to the current iterate, moved by a share of the Newton step.
static void place_trial(ContactNewton* t, double share)
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
        const ContactNewtonBody* b = &t->bodies[i];
        cs->solids[b->solid].to = pose_shifted(newton_moved_pose(b->body, false, share), b->origin);
    }
    colliders_move_solids(cs, share);
}

double contact_newton_step_ratio(ContactNewton* t)
{
    const Colliders* cs = &t->colliders;
    double dot = 0.0, square = 0.0;
    for (int i = 0; i < cs->rod_count; i++) {
        const CordCenterline* c = &cs->rods[i].rod->line;
        for (int n = 0; n < c->node_count; n++) {
            CordVec3 now = slot_get(t->rods[i].rod->move.x, slot_of(c, n)),
                     *last = &t->step[cs->rods[i].first_node + n];
            dot += vec3_dot(now, *last), square += vec3_dot(*last, *last);
            *last = now;
        }
    }
    bool first = !t->has_step;
    t->has_step = true;
    return first || !(square > 0.0) ? 0.0 : dot / square;
}

double contact_newton_step_limit(ContactNewton* t, double share)
{
    place_trial(t, share);
    if (!broad_phase_update(t->memory, &t->colliders)) {
        t->no_memory = true;
        return 0.0;
    }
    return share * colliders_time_of_impact(&t->colliders, TIME_OF_ITERATES);
}

void contact_newton_move_free_bodies(ContactNewton* t, double share)
{
    for (int i = 0; i < t->body_count; i++) {
        NewtonBody* b = t->bodies[i].body;
        if (t->bodies[i].is_free) {
            newton_move_body(b, false, share);
        }
    }
}

void contact_newton_set_body_motion(NewtonBody* b, CordVec3 origin)
{
    CordVec3 gone = vec3_sub(b->pose.point, vec3_sub(b->before.point, origin)),
             turn = pose_rotation_vector(b->before, b->pose);
    double move[6] = {gone.x, gone.y, gone.z, turn.x, turn.y, turn.z};
    memcpy(b->move, move, sizeof move);
}

void contact_newton_rewind_free_bodies(ContactNewton* t, double share)
{
    for (int i = 0; i < t->body_count; i++) {
        if (t->bodies[i].is_free) {
            contact_newton_set_body_motion(t->bodies[i].body, (CordVec3){0, 0, 0});
        }
    }
    contact_newton_move_free_bodies(t, share - 1.0);
}

double contact_newton_body_change(const ContactNewton* t)
{
    double most = 0.0;
    for (int i = 0; i < t->body_count; i++) {
        const double* m = t->bodies[i].body->move;
        double extent = solid_extent(&t->colliders.solids[t->bodies[i].solid]),
               far = sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) / extent,
               turn = sqrt(m[3] * m[3] + m[4] * m[4] + m[5] * m[5]);
        most = far <= most ? most : far; // keeps a value that is not a number
        most = turn <= most || isnan(most) ? most : turn;
    }
    return most;
}

// ---- forces and stiffness

// Sets `move` to the motion of nodes and frames since the start of the step.
static void measure_motion(ContactNewton* t)
{
    const Colliders* cs = &t->colliders;
    dof_vector_clear(&t->move, cs);
    for (int n = 0; n < cs->node_count; n++) {
        t->move.x[n] = vec3_sub(cs->to[n], cs->begin[n]);
    }
    for (int i = 0; i < cs->rod_count; i++) {
        const ColliderRod* r = &cs->rods[i];
        for (int j = 0; j < r->segment_count; j++) {
            t->move.spin[r->first_segment + j] = newton_frame_turned(t->rods[i].sys, t->rods[i].rod, j);
        }
    }
}

// ---- the law of contact

// Compliance of a rod where it is pushed across [m/N]. The push moves a length of it that bending ties
// together against inertia, as in a beam on an elastic foundation: (64 EI / k)^(1/4), where k is the
// foundation's stiffness, here mass / h^2 per length; at least an element, and at most the rod. A rod that is
// held yields by no more than a cantilever of its length.
static double side_compliance(const ContactNewton* t, int segment)
{
    const Segment* g = &t->colliders.segments[segment];
    const Rod* rod = t->colliders.rods[g->rod].rod;
    const CordStiffness* k = rod_stiffness_at(rod, g->edge);
    double len = g->arc[1] - g->arc[0], EI = real_max(k->EI1, k->EI2), base = t->mass * k->mass_per_length,
           moved = real_min(real_max(sqrt(sqrt(64.0 * EI / base)), len), rod->length);
    return 1.0 / (base * moved + 3.0 * EI / (rod->length * rod->length * rod->length) +
                  (rod->inextensible ? 0.0 : HELD_BY_STRETCH * k->EA / rod->length));
}

static double compliance_of(const ContactNewton* t, const ContactPoint* contact)
{
    double sum = side_compliance(t, contact->key.a);
    return contact->kind == CONTACT_SEGMENTS ? sum + side_compliance(t, contact->key.b) : sum;
}

// Gap of a contact's points at the start of the step [m].
static double gap_at_start(ContactNewton* t, const ContactPoint* contact)
{
    Colliders* cs = &t->colliders;
    Pose now = {0};
    bool solid = contact->kind != CONTACT_SEGMENTS;
    if (solid) {
        now = cs->solids[contact->key.b].to;
        cs->solids[contact->key.b].to = cs->solids[contact->key.b].begin;
    }
    double gap = contact_point_gap(cs, contact, cs->begin) + contact->sagitta - contact->sagitta_at_start;
    if (solid) {
        cs->solids[contact->key.b].to = now;
    }
    return gap;
}

// Velocity of surface a relative to b at the start of the step, where the law depends on it [m/s].
static CordVec3 velocity_at_start(const ContactNewton* t, const ContactPoint* contact, const SurfaceLaw* law)
{
    bool depends = law->mu != law->mu_kinetic || law->restitution > 0.0;
    return depends && t->surfaces.velocity
               ? contact_point_gather(&t->colliders, contact, t->surfaces.velocity)
               : (CordVec3){0, 0, 0};
}

// Newton's law of impact. Of other forces it knows gravity, which moves rods but no obstacle.
static Rebound rebound_of(const ContactNewton* t, const ContactPoint* contact, const SurfaceLaw* law,
                          CordVec3 velocity, double gap)
{
    double h = 1.0 / sqrt(t->mass);
    bool falls =
        contact->kind != CONTACT_SEGMENTS && t->colliders.solids[contact->key.b].kind == CORD_TOUCH_OBSTACLE;
    CordVec3 kick = vec3_mul(t->surfaces.gravity, falls ? h : 0.0);
    return surface_rebound(&t->surfaces, law, contact->n, velocity, kick, gap, h);
}

// The spring of a compliant obstacle. In a solve for an equilibrium it has no damper.
static ContactSpring spring_of(ContactNewton* t, const ContactPoint* contact)
{
    double h = t->at_rest || t->loads ? INFINITY : 1.0 / sqrt(t->mass);
    return contact_point_spring(&t->colliders, contact, gap_at_start(t, contact), h);
}

// Surfaces may overlap at the start of a step, by rounding or because a sagitta has changed. They must not
// come closer then. What they lack is not made up by the step, since it would be a velocity, but by positions
// alone after it (recover_overlaps in implicit.c). Surfaces that hit each other are to part.
static void set_gap_and_slip(ContactNewton* t, int i, const SurfaceLaw* law, CordVec3 velocity)
{
    const ContactPoint* contact = &t->contacts.all[i];
    NewtonContactPoint* p = &t->points[i];
    CordVec3 slip = vec3_sub(contact_point_gather(&t->colliders, contact, &t->move),
                             contact_point_solid_motion(&t->colliders, contact));
    p->slip = vec3_reject(slip, contact->n);
    p->gap = contact->gap;
    bool gives =
        contact->kind != CONTACT_SEGMENTS && solid_is_compliant(&t->colliders.solids[contact->key.b]);
    if (gives) {
        ContactSpring spring = spring_of(t, contact);
        p->gap -= spring.asked;
        p->compliance = spring.compliance;
    } else {
        double start = gap_at_start(t, contact);
        Rebound rebound = rebound_of(t, contact, law, velocity, start);
        bool parts = rebound.parts > 0.0;
        double asked = parts ? start + rebound.parts : real_min(0.0, start + ROUNDING * contact->radius);
        p->gap -= t->recovers ? real_max(0.0, asked) : asked;
        p->slip = parts ? vec3_add(p->slip, rebound.slip) : p->slip;
    }
}

static SurfaceLaw law_of_surfaces(const ContactNewton* t, const ContactPoint* contact)
{
    return surface_pair_law(&t->surfaces, contact_point_surfaces(&t->colliders, contact));
}

static SurfaceLaw grip_of(const ContactNewton* t, const ContactPoint* contact)
{
    bool sticks = t->grip == GRIP_FROZEN && warm_starts_find(&t->stuck, contact);
    double mu = sticks ? FROZEN : 0.0;
    return t->grip == GRIP_COULOMB
               ? law_of_surfaces(t, contact)
               : (SurfaceLaw){.mu = mu, .mu_kinetic = mu, .shape = {{1.0, 1.0}, {1.0, 1.0}, true}};
}

bool contact_newton_freeze(ContactNewton* t)
{
    t->stuck.count = 0;
    if (!warm_starts_reserve(t->memory, &t->stuck, t->contacts.count)) {
        return false;
    }
    for (int i = 0; i < t->contacts.count; i++) {
        const ContactPoint* contact = &t->contacts.all[i];
        const WarmStart* last = warm_starts_find(&t->warm, contact);
        bool touches = last || contact->gap <= t->tolerance * contact->radius;
        if (touches && !(last && last->slides) && law_of_surfaces(t, contact).mu > 0.0) {
            t->stuck.all[t->stuck.count++] = (WarmStart){.key = contact_persistent_key(contact)};
        }
    }
    warm_starts_sort(&t->stuck);
    return true;
}

static bool reserve_points(ContactNewton* t)
{
    int count = t->contacts.count;
    return contact_newton_reserve(t->memory, (void**)&t->points, count, &t->point_capacity,
                                  sizeof(NewtonContactPoint)) &&
           (!t->surfaces.rolls || contact_newton_reserve(t->memory, (void**)&t->couples, count,
                                                         &t->couple_capacity, sizeof(NewtonCouple)));
}

static void open_point(ContactNewton* t, int i)
{
    const Colliders* cs = &t->colliders;
    ContactPoint* contact = &t->contacts.all[i];
    const WarmStart* last = warm_starts_find(&t->last, contact);
    SurfaceLaw grip = grip_of(t, contact);
    if (grip.mu > 0.0) { // only friction has a lever
        contact_point_set_chords(cs, cs->to, contact);
    }
    CordVec3 e = vec3_any_normal(contact->n), velocity = velocity_at_start(t, contact, &grip);
    double w = compliance_of(t, contact);
    NewtonContactPoint* p = &t->points[i];
    *p = (NewtonContactPoint){.w = w,
                              .normal_before = last ? last->normal : 0.0,
                              .law = {.contact = contact,
                                      .axis = {contact->n, e, vec3_cross(contact->n, e)},
                                      .mu = friction_coefficient(&t->surfaces, &grip, contact->n, velocity),
                                      .bound = -1.0,
                                      .shape = grip.shape,
                                      .smoothing = t->smoothing * contact->radius,
                                      .w = w}};
    set_gap_and_slip(t, i, &grip, velocity);
    contact->push = p->normal_before;
    if (last) {
        p->friction_before = vec3_reject(last->friction, contact->n);
        p->state = last->slides ? CONTACT_SLIDES : CONTACT_STICKS;
    }
    if (t->surfaces.rolls) {
        newton_couple_open(t, i, &grip, last);
    }
}

void contact_newton_set_proximal_terms(ContactNewton* t)
{
    for (int i = 0; i < t->contacts.count; i++) {
        t->points[i].rho = PROXIMAL / (t->ease * t->points[i].w);
        if (t->surfaces.rolls) {
            t->couples[i].rho = PROXIMAL / (t->ease * t->couples[i].weight);
        }
    }
}

CordVec3 contact_newton_mul(const double C[9], CordVec3 u)
{
    return (CordVec3){C[0] * u.x + C[1] * u.y + C[2] * u.z, C[3] * u.x + C[4] * u.y + C[5] * u.z,
                      C[6] * u.x + C[7] * u.y + C[8] * u.z};
}

// Forces of the iterate before, at the present contact points: what the right-hand side holds of contact.
static void scatter_forces(ContactNewton* t)
{
    dof_vector_clear(&t->force, &t->colliders);
    for (int i = 0; i < t->contacts.count; i++) {
        const NewtonContactPoint* p = &t->points[i];
        const ContactPoint* contact = &t->contacts.all[i];
        contact_point_scatter(&t->colliders, contact,
                              vec3_madd(p->friction_before, contact->n, p->normal_before), &t->force);
        if (t->surfaces.rolls) {
            contact_point_scatter_couple(&t->colliders, contact, t->couples[i].before, &t->force);
        }
    }
}

// Finds the contacts at the iterate, with the forces of the iterate before.
static bool find_contacts(ContactNewton* t)
{
    Colliders* cs = &t->colliders;
    if (!narrow_phase_find(t->memory, &t->contacts, cs, cs->to, &t->law) || !reserve_points(t)) {
        t->no_memory = true;
        return false;
    }
    measure_motion(t);
    for (int i = 0; i < t->contacts.count; i++) {
        open_point(t, i);
    }
    contact_newton_set_proximal_terms(t);
    scatter_forces(t);
    return true;
}

bool contact_newton_end(ContactNewton* t)
{
    contact_newton_update_positions(t);
    colliders_move_solids(&t->colliders, 1.0);
    if (!broad_phase_update(t->memory, &t->colliders) || !find_contacts(t)) {
        return false;
    }
    for (int i = 0; i < t->contacts.count; i++) {
        const ContactPoint* contact = &t->contacts.all[i];
        NewtonContactPoint* p = &t->points[i];
        p->force = vec3_madd(p->friction_before, contact->n, p->normal_before);
        if (t->surfaces.rolls) {
            t->couples[i].couple = t->couples[i].before;
        }
    }
    return true;
}

// A fixed-point iteration, accelerated by one step of Anderson's method once two shapes were found from it.
void contact_newton_renew_sagittas(ContactNewton* t, int round)
{
    const Colliders* cs = &t->colliders;
    CordVec3 *shape = t->shapes, *found = shape + cs->node_count, *lacked = found + cs->node_count;
    double dot = 0.0, square = 0.0;
    for (int i = 0; i < cs->node_count && round > 0; i++) {
        CordVec3 lacks = vec3_sub(cs->to[i], shape[i]),
                 change = round > 1 ? vec3_sub(lacks, lacked[i]) : (CordVec3){0, 0, 0};
        dot += vec3_dot(lacks, change), square += vec3_dot(change, change);
        lacked[i] = lacks;
    }
    double share = square > 0.0 ? real_max(-1.0, real_min(1.0, dot / square)) : 0.0;
    for (int i = 0; i < cs->node_count; i++) {
        shape[i] = vec3_madd(cs->to[i], vec3_sub(cs->to[i], found[i]), -share);
        found[i] = cs->to[i];
    }
    t->law.shape = shape;
}

bool contact_newton_tunnels(ContactNewton* t)
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

// Residual forces of the bodies. Bodies in Newton systems add their inertia there.
static void set_body_forces(ContactNewton* t)
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
                b->force[k] = b->push[k] + b->touch[k] - t->mass * inertia[k];
            }
        }
    }
}

bool contact_newton_is_in_sparse(const ContactNewton* t, int system)
{
    const NewtonSystem* sys = &t->systems[system];
    bool touches = false;
    for (int i = 0; i < sys->rod_count; i++) {
        touches |= sys->rods[i].touch.push != NULL;
    }
    for (int i = 0; i < t->body_count && sys->joins; i++) {
        const NewtonBody* body = t->bodies[i].body;
        touches |= body >= sys->bodies && body < sys->bodies + sys->body_count;
    }
    return touches;
}

// Frames without inertia may turn freely, and the tiny stiffness that the matrix gives them would drown the
// compliance of contacts in rounding errors. A part of the inertia that they would have is a proximal term:
// it holds them where they are in the iteration, and vanishes as that converges.
static void hold_free_frames(NewtonSystem* sys, double mass)
{
    for (int i = 0; i < sys->rod_count; i++) {
        const NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        for (int k = 0; k < r->span_count && !r->rod->dynamic_twist; k++) {
            BandSystem* span = &r->spans[k];
            for (int n = 0; n < band_edge_count(span); n++) {
                int row = band_angle(span, band_edge(span, n)),
                    edge = newton_edge_at(r, band_slot(span, band_edge(span, n)));
                const CordStiffness* s = rod_stiffness_at(r->rod, edge);
                double len = edge_rest_len(c, edge), radius = rod_radius_at(r->rod, edge);
                band_add(span, row, row,
                         HELD_BY_INERTIA * mass * s->mass_per_length * len * radius * radius +
                             HELD * s->GJ / len);
            }
        }
    }
}

bool contact_newton_find(ContactNewton* t)
{
    contact_newton_update_positions(t);
    if (!find_contacts(t)) {
        return false;
    }
    set_body_forces(t);
    return true;
}

bool contact_newton_assemble(ContactNewton* t)
{
    if (!contact_newton_find(t)) {
        return false;
    }
    bool rubs = false;
    for (int i = 0; i < t->contacts.count; i++) {
        rubs |= t->points[i].law.mu > 0.0;
    }
    for (int i = 0; i < t->system_count; i++) {
        t->systems[i].right_only = false;
        t->systems[i].symmetric = true;
        t->systems[i].extra_inertia = t->extra_inertia;
        newton_assemble(&t->systems[i]);
        if (rubs) {
            hold_free_frames(&t->systems[i], t->mass);
        }
        if (!contact_newton_is_in_sparse(t, i) && newton_factor(&t->systems[i], true).least == 0.0) {
            return false;
        }
    }
    if (!sparse_begin(t)) {
        t->no_memory = true;
        return false;
    }
    return true;
}
