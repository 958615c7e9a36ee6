// Contact in the step: inside Newton's method for implicit rods, impulses after the step for explicit ones.
#include "base/real.h"
#include "contact/contact_gap.h"
#include "world/contact_parts.h"

#include "world/obstacle.h"

#include <stdio.h>
#include <string.h>

// ---- the step

// Fails so that the step is retried at half its length, where contact cannot follow the rotation of an edge.
static CordResult check_turns(CordWorld* w)
{
    return colliders_turn_too_far(&w->touch->newton.colliders)
               ? message_fail(&w->message, CORD_NOT_CONVERGED,
                              "at t = %.9g s something turns so far in one step that what it meets on its "
                              "way is not known; take a shorter step",
                              w->time)
               : CORD_OK;
}

#define TOO_DEEP 0.8 // over the radius: what sinks so far into a compliant obstacle is about to be refused

typedef struct Place {
    char text[320];
} Place;

// "rod 'a' LINK rod 'b' at its edge 3: at its edge 7, near (0.1, 0, 0.2) m"
static Place place_of(const CordWorld* w, const ContactPoint* contact, const char* link)
{
    const Colliders* cs = &w->touch->newton.colliders;
    const Segment* a = &cs->segments[contact->key.a];
    CordVec3 p = colliders_axis_point(cs, cs->begin, contact->key.a, contact->s);
    char other[160];
    if (contact->kind == CONTACT_SEGMENTS) {
        const Segment* b = &cs->segments[contact->key.b];
        bool same = a->rod == b->rod;
        snprintf(other, sizeof other, "%s%s%s at its edge %d", same ? "itself" : "rod '",
                 same ? "" : cs->rods[b->rod].rod->name, same ? "" : "'", b->edge);
    } else {
        const ColliderSolid* s = &cs->solids[contact->key.b];
        bool body = s->kind == CORD_TOUCH_BODY;
        bool sinks = solid_is_compliant(s) && contact->gap < -TOO_DEEP * contact->radius;
        snprintf(other, sizeof other, "%s '%s'%s", body ? "body" : "obstacle",
                 body ? ((const Body*)slots_at(&w->bodies, s->index))->name
                      : ((const Obstacle*)slots_at(&w->obstacles, s->index))->name,
                 sinks ? " (which needs a larger stiffness)" : "");
    }
    Place place;
    const CordCenterline* c = &cs->rods[a->rod].rod->line;
    bool held = c->w[slot_of(c, a->edge)] == 0.0 || c->w[slot_of(c, edge_end(c, a->edge))] == 0.0;
    snprintf(place.text, sizeof place.text, "rod '%s' %s %s: at its edge %d%s, near (%.4g, %.4g, %.4g) m",
             cs->rods[a->rod].rod->name, link, other, a->edge, held ? ", which a clamp holds" : "", p.x, p.y,
             p.z);
    return place;
}

CordResult contact_overlap(CordWorld* w, const ContactPoint* worst, double deep)
{
    return message_fail(
        &w->message, CORD_BAD_ARGUMENT,
        "at t = %.9g s %s, %.3g of a radius deep; move them apart, make them thinner, or untangle them first",
        w->time, place_of(w, worst, "overlaps").text, deep);
}

CordResult contact_tangle(CordWorld* w, const ContactPoint* worst, double deep, const char* why)
{
    return message_fail(&w->message, CORD_NOT_CONVERGED,
                        "cannot be untangled, %s: at t = %.9g s %s, %.3g of a radius deep; move them apart "
                        "or make them thinner",
                        why, w->time, place_of(w, worst, "overlaps").text, deep);
}

static CordResult solve_implicit(CordWorld* w, double h, Arena* scratch)
{
    WorldContact* c = w->touch;
    StepInfo step = {w->time, h, h, w->gravity, true};
    Message message;
    contact_move_solids(w, h);
    contact_set_law(w);
    CORD_TRY(contact_read_velocities(w, h) ? CORD_OK : contact_no_memory(w));
    colliders_begin_step(&c->newton.colliders);
    CORD_TRY(check_turns(w)); // cheap, so it comes first
    CordResult result =
        implicit_steps(c->islands, c->island_count, &c->newton, &w->memory, &step, scratch, &message);
    if (result == CORD_BAD_ARGUMENT) {
        return contact_overlap(w, &c->newton.contacts.worst, c->newton.contacts.deepest);
    }
    if (result == CORD_NOT_CONVERGED && c->newton.contacts.nearest < INFINITY) {
        return message_fail(&w->message, result, "at t = %.9g s %s (most pressed: %s)", w->time, message.text,
                            place_of(w, &c->newton.contacts.worst, "against").text);
    }
    return result == CORD_OK ? check_turns(w)
                             : message_fail(&w->message, result, "at t = %.9g s %s", w->time, message.text);
}

// ---- explicit rods

#define MOST_OVERLAP 4.0 // over the tolerance, at the start of a step, beyond what the last one left
#define ROUND_SHARE 0.5  // of what is left of the budget: most of it that a round takes
#define MOST_ATTEMPTS 3  // attempts per step, each with contacts of a wider margin than the one before
// Over a radius: how much nearer than predicted things may come while contacts are resolved.
#define FIRST_MARGIN 0.02
#define WIDER 2.0       // factor on the margin where rounds move things farther than that
#define MOST_MARGIN 0.3 // and its limit
// Over a radius, beyond the deepest overlap: contacts of position-based rods that are farther apart do not
// take part in a round.
#define NEAR 0.1
// Over the largest lack of a gap: residual of a round. Position-based rods respond otherwise than their
// linearisation tells, so that more exact rounds would not come closer (an inexact Newton method).
#define FORCING 0.05
#define MOST_HALVINGS 4 // of a round's impulses
#define MOST_GROWTH 1.0 // of the misfit of contacts in a round
// Residual of a contact, over what contact moves in the step.
#define RESIDUAL 1e-3
// Residuals in a scene at rest, where they would be all of its motion: in general, and after a few sweeps.
#define RESIDUAL_AT_REST 1e-7
#define LOOSE_AT_REST 1e-3
#define AT_REST 1e-2 // motion in a step, over that by contact and other forces
// Share of the rounds in which that residual is to be reached. After these, it is enough that nothing
// overlaps or moves by more than half the tolerance, as a share of a radius.
#define EXACT_ROUNDS 0.1
// Rounds without improvement, for position-based rods. Contacts then oscillate, and the relaxation factor is
// halved.
#define MOST_STALLS 6
// Limit on rounds for position-based rods, and on rounds with deep overlaps: beyond it, a retry at half the
// step is cheaper.
#define MOST_ROUNDS 60
#define DEEP_ROUNDS 12
#define MOST_FUTILE 4    // of these, without fewer overlaps
#define WORK_HALVINGS 11 // of a step, beyond which contact may do work
#define CORRECTED 0.25   // over the tolerance: overlaps that are deeper are put right at the end of the step
#define CORRECTED_GAP 1e-12 // over the radius: what they are put right to
// Over the tolerance: residual of putting them right. To be more exact, as with RESIDUAL, took 60 sweeps
// instead of 10 in a pile, and kept tight knots in motion. It makes the capstan ratio of two turns at mu 0.3
// in steps of 10 us 2.4 % wrong instead of 1 %.
#define CORRECTED_TO 0.02

bool contact_is_explicit(const CordWorld* w)
{
    return w->touch->island_count == 0;
}

void contact_set_masses(const Colliders* cs, ContactConstraints* b)
{
    for (int i = 0; i < cs->rod_count; i++) {
        ColliderRod* r = &cs->rods[i];
        r->kick = r->rod->kick;
        const CordCenterline* c = &r->rod->line;
        const Stepper* stepper = stepper_of(r->rod);
        RodSpin spin = r->rod->dynamic_twist ? model_of(r->rod)->spin(r->rod) : (RodSpin){0};
        double share = stepper->node_share ? stepper->node_share(r->rod) : 1.0;
        for (int n = 0; n < r->node_count; n++) {
            b->w[r->first_node + n] = r->rod->rest.asleep ? 0.0 : c->w[slot_of(c, n)] / share;
        }
        for (int j = 0; j < r->segment_count; j++) {
            int s = slot_of(c, j);
            b->w_spin[r->first_segment + j] =
                spin.inertia && !r->rod->rest.asleep ? spin.may_turn[s] / spin.inertia[s] : 0.0;
        }
    }
}

// Updates the collider positions at the end of the step, and the displacement since its start.
void contact_measure_rod(const Colliders* cs, const ColliderRod* r, DofVector* since, double h)
{
    const CordCenterline* c = &r->rod->line;
    for (int n = 0; n < r->node_count; n++) {
        int at = r->first_node + n;
        cs->to[at] = slot_get(c->x_next, slot_of(c, n));
        since->x[at] = vec3_sub(cs->to[at], cs->begin[at]);
    }
    const double* spin = r->rod->dynamic_twist ? model_of(r->rod)->spin(r->rod).next : NULL;
    for (int j = 0; spin && j < r->segment_count; j++) {
        since->spin[r->first_segment + j] = h * spin[slot_of(c, j)];
    }
}

static void measure_rods(const Colliders* cs, DofVector* since, double h)
{
    dof_vector_clear(since, cs);
    for (int i = 0; i < cs->rod_count; i++) {
        contact_measure_rod(cs, &cs->rods[i], since, h);
    }
}

// Contact moves the nodes of a sliding clamp along its axis only.
static void project_sliding_clamps(const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        for (int k = 0; clamp->holds && clamp->def.slides && k < clamp->node_count; k++) {
            int s = slot_of(c, clamp->node[k]);
            CordVec3 free = slot_get(rod->v_free, s), added = vec3_sub(slot_get(c->v_next, s), free);
            slot_set(c->v_next, s, vec3_madd(free, clamp->axis, vec3_dot(added, clamp->axis)));
        }
    }
}

// Adds the contact impulses to the predicted velocities.
void contact_apply_impulses(const ColliderRod* r, const DofVector* moved, double h)
{
    Rod* rod = r->rod;
    CordCenterline* c = &rod->line;
    for (int n = 0; n < r->node_count; n++) {
        int s = slot_of(c, n);
        slot_set(c->v_next, s, vec3_madd(slot_get(rod->v_free, s), moved->x[r->first_node + n], 1.0 / h));
    }
    project_sliding_clamps(rod);
    centerline_wrap(c, c->v_next);
    double* spin = rod->dynamic_twist ? model_of(rod)->spin(rod).next : NULL;
    for (int j = 0; spin && j < r->segment_count; j++) {
        int s = slot_of(c, j);
        spin[s] = rod->spin_free[s] + moved->spin[r->first_segment + j] / h;
    }
    if (spin) {
        centerline_wrap_one(c, spin);
    }
}

// Repeats the end of the step with these impulses: positions and length projection.
static CordResult apply_to_rod(const ColliderRod* r, const DofVector* moved, double h, Arena* scratch,
                               Message* message)
{
    StepInfo step = {.h = h, .kick = r->rod->kick, .in_contact = true};
    contact_apply_impulses(r, moved, h);
    return stepper_of(r->rod)->apply(&r->rod, 1, &step, scratch, message);
}

static CordResult apply_to_rods(CordWorld* w, double h, Arena* scratch, Message* message)
{
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    for (int i = 0; i < cs->rod_count; i++) {
        if (!contact_is_batched(cs->rods[i].rod) && !cs->rods[i].rod->rest.asleep) {
            CORD_TRY(apply_to_rod(&cs->rods[i], &c->constraints.moved, h, scratch, message));
            contact_measure_rod(cs, &cs->rods[i], &c->since, h);
        }
    }
    contact_redo_batches(w, h, scratch);
    budget_take(&w->budget, 1);
    return CORD_OK;
}

static bool any_projected(const Colliders* cs)
{
    for (int i = 0; i < cs->rod_count; i++) {
        if (cs->rods[i].rod->inextensible || contact_is_batched(cs->rods[i].rod)) {
            return true;
        }
    }
    return false;
}

static const ContactPoint* deepest_of(const ContactConstraints* b)
{
    int at = 0;
    for (int i = 1; i < b->count; i++) {
        at = b->past[i].gap < b->past[at].gap ? i : at;
    }
    return &b->contacts.all[b->past[at].contact];
}

// True if clamps hold the rod at this contact with a solid during the whole step. No shorter step can help
// then.
static bool is_clamped_at(const CordWorld* w, const ContactPoint* contact, double h)
{
    const Colliders* cs = &w->touch->newton.colliders;
    const Segment* g = &cs->segments[contact->key.a];
    const Rod* rod = cs->rods[g->rod].rod;
    const double* inverse = w->touch->constraints.w;
    if (contact->kind == CONTACT_SEGMENTS || solid_is_compliant(&cs->solids[contact->key.b]) ||
        inverse[g->node[0]] * (1.0 - contact->s) + inverse[g->node[1]] * contact->s > 0.0) {
        return false;
    }
    for (int i = 0; i < rod->clamp_count; i++) {
        if (rod->clamps[i]->def.slides || time_is_reached(w->time + h, rod->clamps[i]->def.release)) {
            return false;
        }
    }
    return true;
}

// Cheap, so it comes before the solve.
static CordResult check_held(CordWorld* w, double h, Message* message)
{
    const Colliders* cs = &w->touch->newton.colliders;
    const ContactPoints* contacts = &w->touch->constraints.contacts;
    for (int i = 0; i < contacts->count; i++) {
        const ContactPoint* contact = &contacts->all[i];
        double deep =
            is_clamped_at(w, contact, h) ? -contact_point_gap(cs, contact, cs->to) / contact->radius : 0.0;
        if (deep > w->contact.tolerance) {
            w->retry_is_futile = true;
            return message_fail(message, CORD_NOT_CONVERGED,
                                "%s, and has nowhere to go: it would be %.2g of a radius deep; lead clamp or "
                                "obstacle elsewhere",
                                place_of(w, contact, "is pressed against").text, deep);
        }
    }
    return CORD_OK;
}

static CordResult no_memory(Message* message)
{
    return message_fail(message, CORD_NO_MEMORY, "no memory for contacts");
}

// Finds the contacts of the step at its start, with solids where they are then; or those that the present end
// of the step adds to them.
static CordResult find_constraints(CordWorld* w, double h, double margin, bool more, bool settled,
                                   Message* message)
{
    WorldContact* c = w->touch;
    Colliders* cs = &c->newton.colliders;
    ContactConstraints* b = &c->constraints;
    ContactLaw law = {.gap = margin,
                      .tolerance = w->contact.tolerance,
                      .at_hand = !more,
                      .settled = settled,
                      .awake = true};
    for (int i = 0; i < cs->solid_count; i++) {
        cs->solids[i].to = cs->solids[i].begin;
    }
    bool found = more ? contact_constraints_extend(&w->memory, b, cs, &law, &c->newton.surfaces)
                      : contact_constraints_begin(&w->memory, b, cs, cs->begin, &law, &c->newton.surfaces, h);
    if (!found) {
        return no_memory(message);
    }
    colliders_move_solids(cs, 1.0);
    memcpy(c->detected.x, cs->to, sizeof *cs->to * (size_t)cs->node_count);
    double most = c->newton.left + MOST_OVERLAP * w->contact.tolerance;
    return b->contacts.deepest > most ? CORD_BAD_ARGUMENT : check_held(w, h, message);
}

// Adds contacts once a node is so far from where it was when they were last found that others may push.
static CordResult update_constraints(CordWorld* w, double h, double* margin, double* lack, Message* message)
{
    WorldContact* c = w->touch;
    Colliders* cs = &c->newton.colliders;
    double far2 = 0.0, spare = 0.5 * *margin * c->constraints.radius;
    for (int i = 0; i < cs->node_count; i++) {
        CordVec3 by = vec3_sub(cs->to[i], c->detected.x[i]);
        far2 = real_max(far2, vec3_dot(by, by));
    }
    if (far2 <= spare * spare && !c->constraints.postponed) {
        return CORD_OK;
    }
    *margin = far2 <= spare * spare ? *margin : real_min(*margin * WIDER, MOST_MARGIN);
    if (!broad_phase_update(&w->memory, cs)) {
        return no_memory(message);
    }
    CORD_TRY(find_constraints(w, h, *margin, true, false, message));
    *lack = contact_constraints_measure(&c->constraints, cs, &c->since);
    return CORD_OK;
}

// In a long step, adds the contacts that were left out and overlap now.
static CordResult add_left_out(CordWorld* w, double h, double margin, bool* more, Message* message)
{
    ContactConstraints* b = &w->touch->constraints;
    int before = b->count;
    if (b->coarse) {
        CORD_TRY(broad_phase_update(&w->memory, &w->touch->newton.colliders) ? CORD_OK : no_memory(message));
        CORD_TRY(find_constraints(w, h, margin, true, true, message));
    }
    *more = b->count > before;
    return CORD_OK;
}

// True if gaps changed with the displacements of the last round as their linearisation told, to within
// `enough` [m]: surfaces curve with a radius of at least that of the rods.
static bool is_linear(const CordWorld* w, double enough)
{
    const WorldContact* c = w->touch;
    double most2 = 0.0;
    for (int i = 0; i < c->delassus.node_count; i++) {
        const double* u = c->delassus.u + 4 * c->delassus.node_at[i];
        most2 = real_max(most2, u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    return most2 <= enough * c->constraints.radius;
}

// True if rods in contact move at the start of the step by far less than contact and other forces move them.
static bool begins_at_rest(const CordWorld* w, double h)
{
    const Colliders* cs = &w->touch->newton.colliders;
    const DofVector* moved = &w->touch->constraints.moved;
    double motion = 0.0, forced = 0.0;
    for (int i = 0; i < cs->rod_count; i++) {
        const ColliderRod* r = &cs->rods[i];
        const CordCenterline* c = &r->rod->line;
        for (int n = 0; n < r->node_count; n++) {
            CordVec3 v = node_velocity(c, n), by_contact = moved->x[r->first_node + n];
            CordVec3 kick = vec3_sub(slot_get(r->rod->v_free, slot_of(c, n)), v);
            motion += h * h * vec3_dot(v, v);
            forced += h * h * vec3_dot(kick, kick) + vec3_dot(by_contact, by_contact);
        }
    }
    return motion <= AT_REST * AT_REST * forced;
}

// Applies the warm start. The impulses of an impact are no guess for the step after it: they would throw
// things farther apart than these would overlap without any, and are dropped then.
static CordResult apply_warm_start(CordWorld* w, double h, Arena* scratch, Message* message)
{
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    contact_constraints_measure(&c->constraints, cs, &c->since);
    double without = contact_constraints_misfit(&c->constraints, false);
    CORD_TRY(apply_to_rods(w, h, scratch, message));
    contact_constraints_measure(&c->constraints, cs, &c->since);
    if (contact_constraints_misfit(&c->constraints, true) <= without) {
        return CORD_OK;
    }
    contact_constraints_drop(&c->constraints, cs);
    return apply_to_rods(w, h, scratch, message);
}

// Line search: takes a round back by halves where overlaps and lifted contacts have become more.
// Position-based rods that are hit hard respond otherwise than their linearisation tells.
static CordResult search_line(CordWorld* w, double h, double before, double* lack, Arena* scratch,
                              Message* message)
{
    WorldContact* c = w->touch;
    ContactConstraints* b = &c->constraints;
    for (int n = 0; n < MOST_HALVINGS && b->per_rod && *lack > NEAR &&
                    contact_constraints_misfit(b, true) > MOST_GROWTH * before;
         n++) {
        delassus_retreat(&c->delassus, b);
        CORD_TRY(apply_to_rods(w, h, scratch, message));
        *lack = contact_constraints_measure(b, &c->newton.colliders, &c->since);
    }
    return CORD_OK;
}

// The looser residual of a round after a few sweeps. What it left of a round of position-based rods would
// take another round, with rods that are solved again, so that these have none unless they rest.
static double loose_residual(const ContactConstraints* b, bool rests)
{
    return rests ? LOOSE_AT_REST : b->per_rod ? 0.0 : CONTACT_LOOSE;
}

// Rounds of sweeps over linearised contacts. Between them rods are moved and gaps measured: a Newton method
// for contacts.
static CordResult solve_rounds(CordWorld* w, double h, double margin, bool again, Arena* scratch,
                               Message* message)
{
    WorldContact* c = w->touch;
    Colliders* cs = &c->newton.colliders;
    ContactConstraints* b = &c->constraints;
    CORD_TRY(find_constraints(w, h, margin, again, false, message));
    if (b->count == 0 && b->postponed) {
        CORD_TRY(find_constraints(w, h, margin, true, false, message));
    }
    double lack = INFINITY, least = INFINITY, misfit = INFINITY, loose = 0.5 * w->contact.tolerance;
    double least_misfit = INFINITY;
    int stalls = 0, futile = 0;
    b->per_rod = contact_batch_scratch(w) > 0;
    bool projected = any_projected(cs);
    int rounds = b->per_rod && w->contact.iterations > MOST_ROUNDS ? MOST_ROUNDS : w->contact.iterations;
    SweepResult done = {.change = INFINITY};
    bool rests = begins_at_rest(w, h);
    for (int i = 0; i < cs->rod_count; i++) {
        b->rods[i].enough = 0.0;
    }
    for (int n = 0; b->count > 0 && n < rounds && (n == 0 || !budget_is_low(&w->budget)); n++) {
        CORD_TRY(n == 0 && !again && b->per_rod ? apply_warm_start(w, h, scratch, message)
                                                : apply_to_rods(w, h, scratch, message));
        lack = contact_constraints_measure(b, cs, &c->since);
        if (n > 0) {
            CORD_TRY(search_line(w, h, misfit, &lack, scratch, message));
            CORD_TRY(update_constraints(w, h, &margin, &lack, message));
        }
        if (b->per_rod) {
            misfit = contact_constraints_misfit(b, true);
            contact_constraints_find_active(b, cs, lack + NEAR);
        }
        rests &= n <= EXACT_ROUNDS * rounds;
        ContactRound round = {b,
                              rests ? RESIDUAL_AT_REST : RESIDUAL,
                              loose_residual(b, rests),
                              b->per_rod ? FORCING * lack * b->radius : 0.0,
                              stalls < MOST_STALLS ? 1.0 : 0.5,
                              budget_part(&w->budget, ROUND_SHARE)};
        if (!contact_solve_round(w, h, &round, &done)) {
            return no_memory(message);
        }
        double enough = n > EXACT_ROUNDS * rounds ? real_max(done.enough, loose * b->radius) : done.enough;
        double last = real_max(done.last, enough), far = CONTACT_FAR * w->contact.tolerance * b->radius;
        bool holds =
            done.change <= enough || (!projected && last <= real_max(enough, far) && is_linear(w, last));
        if (holds && !b->postponed) {
            bool more = false;
            CORD_TRY(apply_to_rods(w, h, scratch, message));
            CORD_TRY(add_left_out(w, h, margin, &more, message));
            if (!more) {
                return CORD_OK;
            }
        }
        futile += lack > NEAR && !(misfit < 0.9 * least_misfit);
        least_misfit = real_min(misfit, least_misfit);
        if (b->per_rod && lack > NEAR && (n > DEEP_ROUNDS || futile > MOST_FUTILE)) {
            break;
        }
        stalls += stalls < MOST_STALLS && !(done.change < 0.9 * least);
        least = real_min(done.change, least);
        if (contact_is_blind(w)) {
            aitken_extrapolate(b, cs);
        }
    }
    if (b->count > 0 && budget_is_low(&w->budget)) {
        contact_end_rounds(w, done.last);
        CORD_TRY(apply_to_rods(w, h, scratch, message));
        lack = contact_constraints_measure(b, cs, &c->since);
        return search_line(w, h, misfit, &lack, scratch, message);
    }
    return b->count == 0
               ? CORD_OK
               : message_fail(message, CORD_NOT_CONVERGED,
                              "contacts do not come to rest in %d iterations, and may have nowhere to go: "
                              "%s, %.2g of a radius deep; press less, or "
                              "take a shorter step",
                              rounds, place_of(w, deepest_of(b), "is pressed against").text, lack);
}

// Rigid impact zones as in the paper: displacements of the predicted positions. Length projection and contact
// alternate.
static CordResult solve_impact_zones(CordWorld* w, double h, Arena* scratch, Message* message)
{
    WorldContact* c = w->touch;
    Colliders* cs = &c->newton.colliders;
    ContactConstraints* b = &c->constraints;
    double left = INFINITY;
    b->count = 0;
    if (!dof_vector_reserve(&w->memory, &b->moved, cs, &b->moved_size)) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for contacts");
    }
    dof_vector_clear(&b->moved, cs);
    impact_zones_begin(&c->zones);
    for (int n = 0; n < w->contact.iterations; n++) {
        if (!impact_zones_resolve(&w->memory, &c->zones, cs, b, &c->newton.surfaces,
                                  0.5 * w->contact.tolerance, w->contact.iterations, &left)) {
            return message_fail(message, CORD_NO_MEMORY, "no memory for contacts");
        }
        if (c->zones.rounds > 0) {
            CORD_TRY(apply_to_rods(w, h, scratch, message));
        }
        if (n > 0 && left <= 0.5 * w->contact.tolerance) {
            break;
        }
    }
    b->sweeps = (int)c->zones.rounds;
    b->sweeps_total += c->zones.rounds;
    return left <= 0.5 * w->contact.tolerance
               ? CORD_OK
               : message_fail(message, CORD_NOT_CONVERGED, "collisions are left %.2g of a radius deep", left);
}

// ---- overlaps at the end of the step

// Stores the velocities at the end of the step and the tensions that belong to them, or restores them. The
// mean spin of the step is none of these: frames turn by it to where their nodes are.
static void keep_velocities(const Colliders* cs, DofVector* kept, double* kept_pull, bool restore)
{
    for (int i = 0; i < cs->rod_count; i++) {
        const ColliderRod* r = &cs->rods[i];
        CordCenterline* c = &r->rod->line;
        double *pull = c->pull_next + c->halo, *pull_kept = kept_pull + r->first_segment;
        size_t pull_size = (size_t)r->segment_count * sizeof(double);
        memcpy(restore ? pull : pull_kept, restore ? pull_kept : pull, pull_size);
        double* spin = r->rod->dynamic_twist ? model_of(r->rod)->spin(r->rod).end : NULL;
        for (int n = 0; n < r->node_count; n++) {
            CordVec3* v = &kept->x[r->first_node + n];
            if (restore) {
                slot_set(c->v_next, slot_of(c, n), *v);
            }
            *v = slot_get(c->v_next, slot_of(c, n));
        }
        for (int j = 0; spin && j < r->segment_count; j++) {
            double* turn = &kept->spin[r->first_segment + j];
            spin[slot_of(c, j)] = restore ? *turn : spin[slot_of(c, j)];
            *turn = spin[slot_of(c, j)];
        }
        if (stepper_of(r->rod)->keep) {
            stepper_of(r->rod)->keep(r->rod, restore);
        }
        if (restore) {
            centerline_wrap(c, c->v_next);
            centerline_wrap_one(c, c->pull_next);
        }
        if (restore && spin) {
            centerline_wrap_one(c, spin);
        }
    }
}

// Displaces the ends of the step by contacts without friction, such that what overlaps there is apart.
static CordResult correct_overlaps(CordWorld* w, double h, Arena* scratch, Message* message)
{
    WorldContact* c = w->touch;
    Colliders* cs = &c->newton.colliders;
    ContactConstraints *b = &c->corrections, *of_step = &c->constraints;
    SurfaceLaws none = {0};
    ContactLaw law = {.gap = FIRST_MARGIN, .tolerance = w->contact.tolerance, .awake = true};
    SweepResult done;
    b->w = of_step->w, b->w_spin = of_step->w_spin, b->travel = of_step->travel, b->rods = of_step->rods;
    b->target_gap = CORRECTED_GAP;
    if (!contact_constraints_begin(&w->memory, b, cs, cs->to, &law, &none, h)) {
        return no_memory(message);
    }
    contact_constraints_measure(b, cs, &c->since);
    double enough = CORRECTED_TO * w->contact.tolerance * b->radius;
    ContactRound round = {b, RESIDUAL, 0.0, enough, 1.0, w->budget};
    round.budget.left = real_max(round.budget.left, CONTACT_FEW_SWEEPS);
    if (!contact_solve_round(w, h, &round, &done)) {
        return no_memory(message);
    }
    for (int n = 0; n < cs->node_count; n++) {
        of_step->moved.x[n] = vec3_add(of_step->moved.x[n], b->moved.x[n]);
    }
    return apply_to_rods(w, h, scratch, message);
}

// What corrections have moved since nodes were at `before`.
static void store_shifts(const Colliders* cs, const CordVec3* before)
{
    for (int i = 0; i < cs->rod_count; i++) {
        const ColliderRod* r = &cs->rods[i];
        for (int n = r->first_node; n < r->first_node + r->node_count; n++) {
            slot_set(r->rod->shift, slot_of(&r->rod->line, n - r->first_node),
                     vec3_sub(cs->to[n], before[n]));
        }
    }
}

// Tests that everything is apart at the end of the step and that nothing tunnelled. What overlaps is put
// right in positions alone: x_next moves, and v_next does not.
static CordResult check_clear(CordWorld* w, double h, Arena* scratch, Message* message, bool* clear)
{
    WorldContact* c = w->touch;
    ContactNewton* t = &c->newton;
    Colliders* cs = &t->colliders;
    ContactLaw law = {.awake = true};
    int rounds = w->contact.response == CORD_RESPONSE_ZONES ? 0 : w->contact.iterations;
    memcpy(c->limit.motion, cs->to, sizeof *cs->to * (size_t)cs->node_count);
    for (int n = 0;; n++) {
        if (!broad_phase_update(&w->memory, cs) ||
            !narrow_phase_find(&w->memory, &t->contacts, cs, cs->to, &law)) {
            return no_memory(message);
        }
        if (t->contacts.deepest <= CORRECTED * w->contact.tolerance || n == rounds) {
            break;
        }
        if (n > 0 && budget_is_spent(&w->budget)) {
            c->used.spent = true;
            break;
        }
        if (n == 0) {
            keep_velocities(cs, &c->kept, c->kept_pull, false);
        }
        CordResult result = correct_overlaps(w, h, scratch, message);
        keep_velocities(cs, &c->kept, c->kept_pull, true);
        CORD_TRY(result);
    }
    store_shifts(cs, c->limit.motion);
    *clear = t->contacts.deepest <= w->contact.tolerance && !colliders_tunnel(cs);
    return CORD_OK;
}

// Fails so that the step is retried at half its length. A whole step in which nothing moves far is not asked:
// normals do not turn in it, and what work there is comes from the residual of the sweeps, which shorter
// steps leave as well. In the parts of a step that was halved things did move far, and normals go on to turn;
// a residual may halve them once more than needed, which WORK_HALVINGS bounds.
static CordResult check_work(CordWorld* w, double h, Message* message)
{
    bool asks = w->contact.response == CORD_RESPONSE_IMPULSES &&
                (w->touch->constraints.coarse || w->halvings > 0) && w->halvings < WORK_HALVINGS;
    if (!asks || !contact_does_work(w, h)) {
        return CORD_OK;
    }
    if (budget_is_low(&w->budget)) {
        w->touch->used.spent = true;
        return CORD_OK;
    }
    return message_fail(message, CORD_NOT_CONVERGED,
                        "things slide so far over each other in one step that contact would do work; take a "
                        "shorter step");
}

// Of a step that ends with overlaps, or in which something tunnelled.
static CordResult fail_unclear(CordWorld* w)
{
    const ContactNewton* t = &w->touch->newton;
    bool soft, deep = t->contacts.deepest > w->contact.tolerance;
    double depth = contact_points_depth(&t->contacts, &t->colliders, &soft);
    if (!deep) {
        return message_fail(
            &w->message, CORD_NOT_CONVERGED,
            "at t = %.9g s rods would pass through each other or an obstacle; take a shorter step", w->time);
    }
    return message_fail(&w->message, CORD_NOT_CONVERGED,
                        soft
                            ? "at t = %.9g s %s: it would be %.3g of a radius deep, and a compliant obstacle "
                              "holds nothing deeper than 0.9 of one"
                            : "at t = %.9g s %s, and has nowhere to go: it would be %.2g of a radius deep; "
                              "let it give way, or lead what presses it elsewhere",
                        w->time, place_of(w, &t->contacts.worst, "is pressed against").text, depth);
}

// A resolved contact may have moved things near others, so the broad phase is repeated with a wider margin.
static CordResult solve_impulses(CordWorld* w, double h, Arena* scratch)
{
    WorldContact* c = w->touch;
    Colliders* cs = &c->newton.colliders;
    Message message;
    contact_move_solids(w, h);
    colliders_begin_step(cs);
    CordResult result = dof_vector_reserve(&w->memory, &c->since, cs, &c->since_size) &&
                                dof_vector_reserve(&w->memory, &c->redone, cs, &c->redone_size) &&
                                dof_vector_reserve(&w->memory, &c->detected, cs, &c->detected_size) &&
                                dof_vector_reserve(&w->memory, &c->kept, cs, &c->kept_size) &&
                                memory_reserve(&w->memory, (void**)&c->kept_pull, cs->segment_count,
                                               &c->kept_pull_capacity, sizeof *c->kept_pull) &&
                                motion_limit_reserve(&w->memory, &c->limit, cs) && contact_reserve_work(w) &&
                                contact_read_velocities(w, h)
                            ? CORD_OK
                            : contact_no_memory(w);
    CORD_TRY(result);
    dof_vector_clear(&c->redone, cs);
    contact_begin_use(w);
    contact_set_masses(cs, &c->constraints);
    measure_rods(cs, &c->since, h);
    CORD_TRY(contact_read_kick(w, &c->since, h) ? CORD_OK : contact_no_memory(w));
    CORD_TRY(check_turns(w));
    colliders_move_solids(cs, 1.0);
    double margin = FIRST_MARGIN;
    bool clear = false;
    for (int n = 0; n < MOST_ATTEMPTS; n++, margin *= 10.0) {
        if (!broad_phase_update(&w->memory, cs)) {
            return contact_no_memory(w);
        }
        if (n > 0 && w->contact.response != CORD_RESPONSE_ZONES) { // without corrections of positions
            contact_constraints_reapply(&c->constraints, cs);
        }
        result = w->contact.response == CORD_RESPONSE_ZONES
                     ? solve_impact_zones(w, h, scratch, &message)
                     : solve_rounds(w, h, margin, n > 0, scratch, &message);
        if (result == CORD_BAD_ARGUMENT) {
            return contact_overlap(w, &c->constraints.contacts.worst, c->constraints.contacts.deepest);
        }
        result = result == CORD_OK ? check_clear(w, h, scratch, &message, &clear) : result;
        bool ends = c->used.open || budget_is_low(&w->budget);
        result = result == CORD_OK && clear ? check_work(w, h, &message) : result;
        if (result == CORD_OK && ends) {
            result = contact_end_spent(w, h, clear, &message);
            clear = result == CORD_OK;
        }
        if (result != CORD_OK || clear || ends) {
            break;
        }
    }
    if (result != CORD_OK || clear) {
        return result == CORD_OK
                   ? CORD_OK
                   : message_fail(&w->message, result, "at t = %.9g s %s", w->time, message.text);
    }
    return fail_unclear(w);
}

static CordResult check_speeds(CordWorld* w, double h)
{
    for (int i = 0; i < w->island_count; i++) {
        const Island* island = &w->islands[i];
        Message message;
        CordResult result =
            rod_is_in_contact(w, island->rods[0]) ? stepper_check_speeds(island, h, &message) : CORD_OK;
        if (result != CORD_OK) {
            return message_fail(&w->message, result, "at t = %.9g s %s", w->time, message.text);
        }
    }
    return CORD_OK;
}

CordResult contact_solve(CordWorld* w, double h)
{
    if (!contact_is_on(w)) {
        return CORD_OK;
    }
    Arena scratch = arena_slice(&w->scratch, contact_scratch(w));
    bool impulses = contact_is_explicit(w);
    stopwatch_start(&w->watch);
    CordResult result = impulses ? solve_impulses(w, h, &scratch) : solve_implicit(w, h, &scratch);
    w->touch->newton.surfaces.velocity = w->touch->newton.surfaces.kick = NULL; // equilibria have none
    stopwatch_lap(&w->watch, impulses ? &w->watch.times.contact : &w->watch.times.implicit);
    CORD_TRY(result);
    return check_speeds(w, h);
}
