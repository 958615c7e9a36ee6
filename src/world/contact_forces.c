// Contact forces of an accepted step: the reactions of obstacles, and what the ledger counts.
#include "world/contact_parts.h"
#include "world/obstacle.h"

// ---- reactions

static void store_forces(CordWorld* w, const DofVector* force, double h)
{
    const Colliders* cs = &w->touch->newton.colliders;
    for (int i = 0; i < cs->solid_count; i++) {
        const ColliderSolid* s = &cs->solids[i];
        const double* f = force->solid + 6 * i;
        if (s->kind == CORD_TOUCH_OBSTACLE) {
            Obstacle* o = slots_at(&w->obstacles, s->index);
            o->force = (CordVec3){f[0], f[1], f[2]};
            o->torque = (CordVec3){f[3], f[4], f[5]};
            o->impulse = vec3_mul(o->force, h), o->angular_impulse = vec3_mul(o->torque, h);
        }
    }
}

void contact_store_reactions(CordWorld* w)
{
    cord_world_contact_count(w); // finds them, with their forces
    store_forces(w, &w->touch->force, 0.0);
}

static void add_reaction(Obstacle* o, const ContactPoint* contact, CordVec3 f, CordVec3 couple, double kick)
{
    CordVec3 torque = vec3_add(vec3_cross(contact->arm[1], f), couple);
    o->force = vec3_sub(o->force, f), o->torque = vec3_sub(o->torque, torque);
    o->impulse = vec3_madd(o->impulse, f, -kick);
    o->angular_impulse = vec3_madd(o->angular_impulse, torque, -kick);
}

// Reactions of contact forces on solids.
static void store_constraint_forces(CordWorld* w, double h)
{
    const ContactConstraints* b = &w->touch->constraints;
    const Colliders* cs = &w->touch->newton.colliders;
    for (int i = 0; i < cs->solid_count; i++) { // bodies are left out
        Obstacle* o = slots_at(&w->obstacles, cs->solids[i].index);
        o->force = o->force_asleep, o->torque = o->torque_asleep;
        o->impulse = vec3_mul(o->force, h), o->angular_impulse = vec3_mul(o->torque, h);
    }
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* c = &b->all[i];
        const ContactPoint* contact = &b->contacts.all[b->past[i].contact];
        if (contact->kind != CONTACT_SEGMENTS) {
            add_reaction(slots_at(&w->obstacles, cs->solids[contact->key.b].index), contact,
                         constraint_force(cs, c, h), constraint_couple(cs, b, i, h), constraint_kick(cs, c));
        }
    }
}

// ---- the ledger

// The displacement of nodes and turns of frames that a contact force works on: that of the step, and for
// staggered velocities the mean with the step before (StepTimes.force_at). `t` knows how far frames without
// inertia have turned; NULL: contact does not turn them.
static void mean_motion(const Colliders* cs, const ContactNewton* t, DofVector* mean, double h)
{
    dof_vector_clear(mean, cs);
    for (int i = 0; i < cs->rod_count; i++) {
        const ColliderRod* r = &cs->rods[i];
        const CordCenterline* c = &r->rod->line;
        double share = stepper_of(r->rod)->times(r->rod, h).force_at;
        bool by_motion = share == 1.0 || model_of(r->rod)->reduced; // v is not that of a reduced model
        for (int n = 0; n < c->node_count; n++) {
            int s = slot_of(c, n);
            CordVec3 moved = vec3_sub(slot_get(c->x_next, s), slot_get(c->x, s));
            CordVec3 mean_v = vec3_add(slot_get(c->v, s), slot_get(c->v_next, s));
            mean->x[r->first_node + n] = by_motion ? moved : vec3_mul(mean_v, 0.5 * h);
        }
        bool spins = r->rod->dynamic_twist;
        RodSpin spin = spins ? model_of(r->rod)->spin(r->rod) : (RodSpin){0};
        for (int j = 0; j < r->segment_count; j++) {
            int s = slot_of(c, j);
            mean->spin[r->first_segment + j] = spins
                                                   ? h * (share * spin.next[s] + (1.0 - share) * spin.now[s])
                                               : t ? t->rods[i].rod->turned[s]
                                                   : 0.0;
        }
    }
}

// Adds what a contact does by its force f on the first of its two sides.
static void tally_contact(CordWorld* w, const ContactPoint* contact, CordVec3 f, CordVec3 motion)
{
    const Colliders* cs = &w->touch->newton.colliders;
    double work = vec3_dot(f, vec3_sub(motion, contact_point_solid_motion(cs, contact)));
    ledger_add_contact(w, work, fabs(work));
    contact_point_scatter(cs, contact, f, &w->touch->force);
}

static void tally_couple(CordWorld* w, const ContactPoint* contact, CordVec3 couple, CordVec3 turn)
{
    const Colliders* cs = &w->touch->newton.colliders;
    double work = vec3_dot(couple, vec3_sub(turn, contact_point_solid_turn(cs, contact)));
    ledger_add_contact(w, work, fabs(work));
    contact_point_scatter_couple(cs, contact, couple, &w->touch->force);
}

static void tally_constraints(CordWorld* w, double h)
{
    const ContactConstraints* b = &w->touch->constraints;
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* c = &b->all[i];
        CordVec3 f = vec3_madd(c->friction_impulse, c->n, c->normal_impulse);
        tally_contact(w, &b->contacts.all[b->past[i].contact], vec3_mul(f, 1.0 / (h * h)),
                      constraint_motion(c, &w->touch->mean));
        if (b->rolls) {
            tally_couple(w, &b->contacts.all[b->past[i].contact],
                         vec3_mul(b->couples[i].impulse, 1.0 / (h * h)), constraint_turn(c, &w->touch->mean));
        }
    }
}

static void tally_push(CordWorld* w, const ContactPoint* contact, CordVec3 f)
{
    tally_contact(w, contact, f, contact_point_gather(&w->touch->newton.colliders, contact, &w->touch->mean));
}

static void tally_newton_forces(CordWorld* w)
{
    const ContactNewton* t = &w->touch->newton;
    for (int i = 0; i < t->contacts.count; i++) {
        tally_push(w, &t->contacts.all[i], t->points[i].force);
        if (t->surfaces.rolls) {
            tally_couple(w, &t->contacts.all[i], t->couples[i].couple,
                         contact_point_gather_turn(&t->colliders, &t->contacts.all[i], &w->touch->mean));
        }
    }
}

// What contact does to the frames of a rod, by its torques about their tangents [N m] and how far they turn.
// The spins that these change are no work and no moment of the integrator.
static void tally_frames(const ColliderRod* r, const double* torque, const double* turned, double h)
{
    const CordCenterline* c = &r->rod->line;
    MadeTally* made = &r->rod->made;
    for (int j = 0; j < r->segment_count; j++) {
        int s = slot_of(c, j);
        CordVec3 t = vec3_unit(vec3_sub(slot_get(c->x_next, s + 1), slot_get(c->x_next, s)));
        made->by_contact += torque[j] * turned[j];
        made->turned_by_contact =
            vec3_madd(made->turned_by_contact, t, r->rod->dynamic_twist ? h * torque[j] : 0.0);
    }
}

static void tally_clamps(const ColliderRod* r, const DofVector* force)
{
    for (int i = 0; i < r->rod->clamp_count; i++) {
        Clamp* clamp = r->rod->clamps[i];
        for (int k = 0; k < clamp->node_count; k++) {
            clamp->pushed[k] = force->x[r->first_node + clamp->node[k]];
        }
        bool holds_frame = clamp->edge >= 0 && r->rod->dynamic_twist && !clamp->def.has_torque;
        clamp->rubbed = holds_frame ? force->spin[r->first_segment + clamp->edge] : 0.0;
    }
}

static void tally_contacts(CordWorld* w, double h)
{
    const ContactNewton* t = &w->touch->newton;
    const Colliders* cs = &t->colliders;
    const DofVector *f = &w->touch->force, *mean = &w->touch->mean;
    bool by_newton = !contact_is_explicit(w) && t->contacts.count > 0;
    mean_motion(cs, by_newton ? t : NULL, &w->touch->mean, h);
    dof_vector_clear(&w->touch->force, cs);
    if (contact_is_explicit(w)) {
        tally_constraints(w, h);
    } else {
        tally_newton_forces(w);
    }
    for (int i = 0; i < cs->rod_count; i++) {
        tally_frames(&cs->rods[i], f->spin + cs->rods[i].first_segment,
                     mean->spin + cs->rods[i].first_segment, h);
        tally_clamps(&cs->rods[i], f);
    }
}

static bool reserve_tally(CordWorld* w)
{
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    return dof_vector_reserve(&w->memory, &c->mean, cs, &c->mean_size) &&
           dof_vector_reserve(&w->memory, &c->force, cs, &c->force_size);
}

// What sleeps keeps the overlap that it had.
static void note_overlap(CordWorld* w)
{
    ContactNewton* t = &w->touch->newton;
    t->left = real_max(t->contacts.deepest, w->sleepers > 0 ? t->left : 0.0);
}

// Whatever may fail comes first.
CordResult contact_commit(CordWorld* w, double h)
{
    if (!contact_is_on(w)) {
        return CORD_OK;
    }
    bool is_explicit = contact_is_explicit(w);
    const Colliders* cs = &w->touch->newton.colliders;
    if (w->ledger && !reserve_tally(w)) {
        return contact_no_memory(w);
    }
    CORD_TRY(sleep_update_forces(w));
    bool kept = is_explicit ? contact_constraints_end(&w->memory, &w->touch->constraints, cs, h)
                            : contact_newton_keep_forces(&w->touch->newton);
    if (!kept) {
        return contact_no_memory(w);
    }
    note_overlap(w);
    if (w->ledger) {
        tally_contacts(w, h);
    }
    if (is_explicit) {
        store_constraint_forces(w, h);
    } else {
        store_forces(w, &w->touch->newton.force, h);
    }
    return CORD_OK;
}

void contact_rollback(CordWorld* w)
{
    if (w->touch) {
        w->touch->newton.colliders.candidates_valid = false;
    }
}
