// Velocities of staggered rods in contact, at the time of their positions.
//
// Staggered velocities lag half a step behind. Half a kick of all other forces brings them to the time of the
// positions, and what touches then resists it, as in a step:
//
//     0 <= P_n  _|_  u_n - min(0, u_n of the step) >= 0,     |P_t| <= mu P_n
//
// The contact forces of the step itself would not do: those of an impact stop what approached, and half a
// kick of them would throw it back.
#include "base/real.h"
#include "solve/rattle.h"
#include "world/contact_parts.h"

#define TOUCHES 1e-6   // gap over the radius of what touches although it did not push in the last step
#define RESIDUAL 1e-7  // of velocities, over what contact changes in half a kick
#define PRECISION 1e-6 // of velocities, over the mean velocity of a rod: more is not asked for
// Rounds of sweeps. Where rods know their compliance, a second one only goes on with the sweeps of the first.
// Redundant contacts may need hundreds of those, and what is left after the first round is far below the
// residual of a step; only what rests has no other motion, and is solved for exactly.
#define ROUNDS 10
#define AT_REST 1e-2 // motion in the step, over what contact and other forces change in half a kick

static double lag_of(const Rod* rod)
{
    return stepper_of(rod)->times(rod, 0.0).lag;
}

bool contact_resists_kick(const CordWorld* w, const Rod* rod)
{
    return rod_is_in_contact(w, rod) && contact_is_explicit(w) &&
           w->contact.response == CORD_RESPONSE_IMPULSES && !rod->assembly && lag_of(rod) > 0.0;
}

// ---- contacts

static bool reserve(CordWorld* w)
{
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    return dof_vector_reserve(&w->memory, &c->since, cs, &c->since_size) &&
           dof_vector_reserve(&w->memory, &c->kept, cs, &c->kept_size) &&
           dof_vector_reserve(&w->memory, &c->mean, cs, &c->mean_size);
}

// Rods that do not lag keep their velocities. Returns the largest lag [s].
static double set_masses(const Colliders* cs, ContactConstraints* b)
{
    double most = 0.0;
    contact_set_masses(cs, b);
    for (int i = 0; i < cs->rod_count; i++) {
        ColliderRod* r = &cs->rods[i];
        r->kick = lag_of(r->rod);
        most = real_max(most, r->kick);
        for (int n = 0; n < r->node_count && r->kick == 0.0; n++) {
            b->w[r->first_node + n] = 0.0;
        }
        for (int j = 0; j < r->segment_count && r->kick == 0.0; j++) {
            b->w_spin[r->first_segment + j] = 0.0;
        }
    }
    return most;
}

// Leaves out contacts that do not touch.
static void keep_touching(ContactConstraints* b)
{
    int count = 0;
    for (int i = 0; i < b->count; i++) {
        const ContactPoint* contact = &b->contacts.all[b->past[i].contact];
        if (b->all[i].normal_impulse > 0.0 || contact->gap <= TOUCHES * contact->radius) {
            b->all[count] = b->all[i];
            if (b->rolls) {
                b->couples[count] = b->couples[i];
            }
            b->past[count++] = b->past[i];
        }
    }
    b->count = count;
}

// Finds what touches, and starts with the contact forces of the last step over the half kick. Impulses change
// velocities here, not positions: a warm start counts h^2 as that time.
static bool find_touching(CordWorld* w, ContactConstraints* b)
{
    WorldContact* c = w->touch;
    Colliders* cs = &c->newton.colliders;
    const ContactConstraints* of_step = &c->constraints;
    ContactLaw law = {.gap = TOUCHES, .tolerance = w->contact.tolerance};
    b->w = of_step->w, b->w_spin = of_step->w_spin, b->travel = of_step->travel, b->rods = of_step->rods;
    b->warm = of_step->warm, b->warm_count = of_step->warm_count;
    contact_move_solids(w, w->last_step);
    colliders_begin_step(cs);
    double lag = set_masses(cs, b);
    bool found =
        broad_phase_update(&w->memory, cs) && contact_read_velocities(w, w->last_step) &&
        contact_constraints_begin(&w->memory, b, cs, cs->begin, &law, &c->newton.surfaces, sqrt(lag));
    c->newton.surfaces.velocity = NULL;
    if (!found) {
        return false;
    }
    keep_touching(b);
    colliders_move_solids(cs, 1.0); // so that their motion is known
    return true;
}

// ---- velocities

// Frames with inertia get half a kick of their moments, too, so that what rolls goes on to roll.
static void read_spins(const ColliderRod* r, double* pushed, double* of_step)
{
    const Rod* rod = r->rod;
    const Model* model = model_of(rod);
    if (!rod->dynamic_twist) {
        return;
    }
    const double* spin = model->spin(rod).now;
    for (int j = 0; j < r->segment_count; j++) {
        pushed[j] = of_step[j] = spin[slot_of(&rod->line, j)];
    }
    if (model->spins && r->kick > 0.0) {
        model->spins(rod, r->kick, pushed);
    }
}

static void read_velocities(const Colliders* cs, DofVector* pushed, DofVector* of_step)
{
    dof_vector_clear(pushed, cs);
    dof_vector_clear(of_step, cs);
    for (int i = 0; i < cs->rod_count; i++) {
        const ColliderRod* r = &cs->rods[i];
        for (int n = 0; n < r->node_count; n++) {
            pushed->x[r->first_node + n] = r->rod->now.v[n];
            of_step->x[r->first_node + n] = node_velocity(&r->rod->line, n);
        }
        read_spins(r, pushed->spin + r->first_segment, of_step->spin + r->first_segment);
    }
}

// Contact moves the nodes of a sliding clamp along its axis only.
static void project_sliding_clamps(const Rod* rod, const CordVec3* free)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        for (int k = 0; clamp->holds && clamp->def.slides && k < clamp->node_count; k++) {
            CordVec3 *v = &rod->now.v[clamp->node[k]], before = free[clamp->node[k]];
            *v = vec3_madd(before, clamp->axis, vec3_dot(vec3_sub(*v, before), clamp->axis));
        }
    }
}

// Adds what contact has changed so far to the velocities that were pushed, and keeps lengths.
static void update_velocities(CordWorld* w, const DofVector* pushed, const DofVector* changed, DofVector* now)
{
    const Colliders* cs = &w->touch->newton.colliders;
    for (int i = 0; i < cs->rod_count; i++) {
        const ColliderRod* r = &cs->rods[i];
        const CordVec3 *free = pushed->x + r->first_node, *more = changed->x + r->first_node;
        for (int n = 0; n < r->node_count; n++) {
            r->rod->now.v[n] = vec3_add(free[n], more[n]);
        }
        project_sliding_clamps(r->rod, free);
        if (r->rod->inextensible && r->kick > 0.0) {
            arena_reset(&w->query);
            rattle_project_velocities(r->rod, r->rod->now.v, &w->query);
        }
        for (int n = 0; n < r->node_count; n++) {
            now->x[r->first_node + n] = r->rod->now.v[n];
        }
        for (int j = r->first_segment; j < r->first_segment + r->segment_count; j++) {
            now->spin[j] = pushed->spin[j] + changed->spin[j];
        }
    }
}

// Motion of the surfaces over each other in a second.
static CordVec3 surface_velocity(const CordWorld* w, const ContactConstraints* b, int i, const DofVector* v)
{
    const Colliders* cs = &w->touch->newton.colliders;
    const ContactConstraint* c = &b->all[i];
    CordVec3 u = constraint_motion(c, v);
    return c->sides == 2 ? u
                         : vec3_madd(u, contact_point_solid_motion(cs, &b->contacts.all[b->past[i].contact]),
                                     -1.0 / w->last_step);
}

// The turn of the surfaces against each other in a second.
static CordVec3 turning(const CordWorld* w, const ContactConstraints* b, int i, const DofVector* v)
{
    const Colliders* cs = &w->touch->newton.colliders;
    CordVec3 solid = contact_point_solid_turn(cs, &b->contacts.all[b->past[i].contact]);
    return vec3_madd(constraint_turn(&b->all[i], v), solid, -1.0 / w->last_step);
}

static void measure(const CordWorld* w, ContactConstraints* b, const DofVector* now, const DofVector* of_step)
{
    for (int i = 0; i < b->count; i++) {
        ContactConstraint* c = &b->all[i];
        CordVec3 u = surface_velocity(w, b, i, now);
        c->gap = vec3_dot(c->n, u) - real_min(0.0, vec3_dot(c->n, surface_velocity(w, b, i, of_step)));
        c->slip = vec3_reject(u, c->n);
        if (b->rolls) {
            b->couples[i].turn = turning(w, b, i, now);
        }
    }
}

// Over all rods, the least mean velocity of nodes [m/s].
static double least_speed(const Colliders* cs, const DofVector* v)
{
    double least2 = INFINITY;
    for (int i = 0; i < cs->rod_count; i++) {
        const ColliderRod* r = &cs->rods[i];
        double sum = 0.0;
        for (int n = r->first_node; n < r->first_node + r->node_count; n++) {
            sum += vec3_dot(v->x[n], v->x[n]);
        }
        least2 = real_min(least2, sum / r->node_count);
    }
    return cs->rod_count > 0 ? sqrt(least2) : 0.0;
}

// True if what touches moved in the step by far less than contact and other forces change in half a kick.
// Rods that nothing touches do not count.
static bool is_at_rest(const Colliders* cs, const ContactConstraints* b, const DofVector* pushed,
                       const DofVector* of_step)
{
    double motion = 0.0, forced = 0.0;
    for (int i = 0; i < b->count; i++) {
        for (int side = 0; side < b->all[i].sides; side++) {
            const ColliderRod* r = &cs->rods[b->all[i].side[side].rod];
            for (int n = r->first_node; n < r->first_node + r->node_count; n++) {
                CordVec3 kick = vec3_sub(pushed->x[n], of_step->x[n]);
                motion += vec3_dot(of_step->x[n], of_step->x[n]);
                forced += vec3_dot(kick, kick) + vec3_dot(b->moved.x[n], b->moved.x[n]);
            }
        }
    }
    return motion <= AT_REST * AT_REST * forced;
}

static bool resist(CordWorld* w, ContactConstraints* b)
{
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    int sweeps = c->constraints.sweeps;
    int64_t sweeps_total = c->constraints.sweeps_total;
    SweepResult done = {.change = INFINITY};
    bool good = true;
    read_velocities(cs, &c->kept, &c->mean);
    update_velocities(w, &c->kept, &b->moved, &c->since);
    double floor = PRECISION * least_speed(cs, &c->since);
    int rounds = is_at_rest(cs, b, &c->kept, &c->mean) ? ROUNDS : 1;
    for (int n = 0; n < rounds && b->count > 0 && good && done.change > real_max(done.enough, floor); n++) {
        measure(w, b, &c->since, &c->mean);
        good = contact_solve_round(w, 1.0, &(ContactRound){b, RESIDUAL, 0.0, floor, 1.0, budget_none}, &done);
        rounds = contact_is_blind(w) ? ROUNDS : rounds;
        update_velocities(w, &c->kept, &b->moved, &c->since);
    }
    c->constraints.sweeps = sweeps, c->constraints.sweeps_total = sweeps_total; // those of the step
    return good;
}

// ---- the ledger

// Work, impulse and angular impulse of an obstacle on what touches it during the half kick.
static void add_obstacle_work(const CordWorld* w, const ContactConstraints* b, int i, CordWork* sum)
{
    const Colliders* cs = &w->touch->newton.colliders;
    const ContactConstraint* c = &b->all[i];
    const ContactPoint* contact = &b->contacts.all[b->past[i].contact];
    CordVec3 P = vec3_madd(c->friction_impulse, c->n, c->normal_impulse);
    CordVec3 at = vec3_add(cs->solids[contact->key.b].begin.point, contact->arm[1]);
    sum->work += vec3_dot(P, contact_point_solid_motion(cs, contact)) / w->last_step;
    sum->impulse = vec3_add(sum->impulse, P);
    sum->angular = vec3_add(sum->angular, vec3_cross(at, P));
    if (b->rolls) {
        sum->work += vec3_dot(b->couples[i].impulse, contact_point_solid_turn(cs, contact)) / w->last_step;
        sum->angular = vec3_add(sum->angular, b->couples[i].impulse);
    }
}

static double friction_work(const CordWorld* w, const ContactConstraints* b, int i)
{
    const WorldContact* c = w->touch;
    CordVec3 P = vec3_madd(b->all[i].friction_impulse, b->all[i].n, b->all[i].normal_impulse);
    double work = 0.5 * vec3_dot(P, vec3_add(surface_velocity(w, b, i, &c->since),
                                             surface_velocity(w, b, i, &c->mean)));
    CordVec3 turned =
        b->rolls ? vec3_add(turning(w, b, i, &c->since), turning(w, b, i, &c->mean)) : (CordVec3){0, 0, 0};
    return b->rolls ? work + 0.5 * vec3_dot(b->couples[i].impulse, turned) : work;
}

// True if contact resists the half kick of some rod, and by which impulses is known.
static bool motion_is_known(const CordWorld* w)
{
    for (int i = 0; contact_is_on(w) && i < w->touch->newton.colliders.rod_count; i++) {
        const Rod* rod = w->touch->newton.colliders.rods[i].rod;
        if (contact_resists_kick(w, rod)) {
            return rod_motion_now(w, rod) != NULL;
        }
    }
    return false;
}

CordWork contact_work_in_lag(const CordWorld* w, int obstacle)
{
    CordWork sum = {0};
    bool known = motion_is_known(w);
    const ContactConstraints* b = known ? &w->touch->resting : NULL;
    for (int i = 0; known && i < b->count; i++) {
        int solid = b->all[i].sides == 1 ? b->contacts.all[b->past[i].contact].key.b : -1;
        if (obstacle < 0) {
            sum.work += friction_work(w, b, i);
        } else if (solid >= 0 && w->touch->newton.colliders.solids[solid].index == obstacle) {
            add_obstacle_work(w, b, i, &sum);
        }
    }
    return sum;
}

// ---- all rods

static CordResult open_rods(CordWorld* w)
{
    const Colliders* cs = &w->touch->newton.colliders;
    size_t most = 0;
    for (int i = 0; i < cs->rod_count; i++) {
        Rod* rod = cs->rods[i].rod;
        CORD_TRY(rod_now_open(w, rod));
        most = rod->inextensible && rattle_scratch(rod) > most ? rattle_scratch(rod) : most;
    }
    return arena_reserve(&w->memory, &w->query, most) ? CORD_OK : contact_no_memory(w);
}

CordResult contact_motion_now(CordWorld* w)
{
    CORD_TRY(contact_fill(w)); // some colliders may be destroyed
    CORD_TRY(open_rods(w));
    ContactConstraints* b = &w->touch->resting;
    if (reserve(w) && find_touching(w, b) && resist(w, b)) {
        return CORD_OK;
    }
    const Colliders* cs = &w->touch->newton.colliders;
    for (int i = 0; i < cs->rod_count; i++) {
        cs->rods[i].rod->now.revision = w->revision - 1; // its velocities are not found
    }
    return contact_no_memory(w);
}
