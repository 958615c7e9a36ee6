// Sleep: rods at rest in contact are left out of steps until something wakes them.
//
// A rod is quiet as long as no node of it, nor its surface where it spins, travels more than a share of its
// radius in some time. Rods that push each other fall asleep together, once all of them have been quiet for
// that time and for a few steps, and unless they fall: with gravity, a clamp or an obstacle must hold one up.
// A sleeping rod is neither predicted nor tested against other things at rest, and keeps its state and its
// contact forces. It wakes before a step in which something awake may come near it, or in which its clamps or
// the wind move. Where contact drives something into it that was not near, it wakes as well, and the substep
// begins anew. A call that changes the world wakes all rods at once (world_mark), so that whether they sleep
// is all that a state has to tell.
#include "base/real.h"
#include "world/contact_parts.h"
#include "world/obstacle.h"

#include <string.h>

#define WAKES_WITHIN 0.1 // over the thinner radius: distance at which what is awake wakes a rod
#define LEAST_STEPS 2.5  // in fewer than three steps, up to rounding, nothing has shown that it is at rest

static bool may_sleep(const CordWorld* w)
{
    return w->contact.sleep.time > 0.0 && contact_is_on(w) && contact_is_explicit(w);
}

static void set_asleep(CordWorld* w, Rod* rod, bool asleep)
{
    if (asleep != rod->rest.asleep) {
        w->sleepers += asleep ? 1 : -1;
        w->touch->sleepers_changed = true;
    }
    rod->rest.asleep = asleep;
}

static void rouse(CordWorld* w, Rod* rod)
{
    if (rod->rest.asleep) {
        set_asleep(w, rod, false);
        rod->rest = (RodRest){0};
    }
}

static void wake(CordWorld* w, Rod* rod)
{
    if (rod->rest.asleep) {
        rouse(w, rod);
        world_mark(w, NULL, MARK_LAW); // islands are those of rods that are awake
    }
}

bool sleep_wake_all(CordWorld* w)
{
    bool any = w->sleepers > 0;
    for (int i = 0; any && i < w->rods.live_count; i++) {
        rouse(w, slots_at(&w->rods, i));
    }
    return any;
}

// ---- what lets a rod sleep

static bool clamps_rest(const Rod* rod, double time)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        Pose next = clamp_pose(clamp, time), last = clamp->last;
        bool same = vec3_length(vec3_sub(next.point, last.point)) == 0.0 &&
                    next.rotation.x == last.rotation.x && next.rotation.y == last.rotation.y &&
                    next.rotation.z == last.rotation.z && next.rotation.w == last.rotation.w;
        if (!same || clamp_is_due(clamp, time)) {
            return false;
        }
    }
    return true;
}

// Drag in still air alone lets a rod rest.
static bool loads_rest(const Rod* rod, double time)
{
    for (int i = 0; i < rod->load_count; i++) {
        LoadFlow flow = load_flow(rod->loads[i], node_position(&rod->line, 0), time);
        if (!rod->loads[i]->kind->flow || vec3_dot(flow.wind, flow.wind) > 0.0 || flow.circulates) {
            return false;
        }
    }
    return true;
}

static bool can_sleep(const Rod* rod)
{
    return stepper_of(rod)->contact == CONTACT_IMPULSES && !model_of(rod)->reduced && rod->assembly == 0 &&
           !rod->grid && !rod->intangible;
}

// ---- waking

void sleep_begin_step(CordWorld* w, double h)
{
    for (int i = 0; i < w->rods.live_count && w->sleepers > 0; i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (rod->rest.asleep && !(clamps_rest(rod, w->time + h) && loads_rest(rod, w->time + h))) {
            wake(w, rod);
        }
    }
}

static void wake_near_rods(CordWorld* w, const Colliders* cs)
{
    for (int i = 0; i < cs->pair_count; i++) {
        const Segment *a = &cs->segments[cs->pairs[i].a], *b = &cs->segments[cs->pairs[i].b];
        Rod *p = cs->rods[a->rod].rod, *q = cs->rods[b->rod].rod;
        if (p->rest.asleep == q->rest.asleep) {
            continue;
        }
        const int* moves = p->rest.asleep ? b->node : a->node;
        double travel = real_max(colliders_node_travel(cs, moves[0]), colliders_node_travel(cs, moves[1]));
        double near = a->radius + b->radius + WAKES_WITHIN * real_min(a->radius, b->radius) + travel;
        if (closest_segment_segment(cs->from[a->node[0]], cs->from[a->node[1]], cs->from[b->node[0]],
                                    cs->from[b->node[1]])
                .distance <= near) {
            wake(w, p->rest.asleep ? p : q);
        }
    }
}

static void wake_near_solids(CordWorld* w, const Colliders* cs)
{
    for (int i = 0; i < cs->solid_pair_count; i++) {
        const Segment* g = &cs->segments[cs->solid_pairs[i].segment];
        const ColliderSolid* s = &cs->solids[cs->solid_pairs[i].solid];
        double moved = cs->rods[g->rod].rod->rest.asleep ? solid_moved(s, &s->begin, &s->goal) : 0.0;
        double near = (1.0 + WAKES_WITHIN) * g->radius + moved;
        if (moved > 0.0 && solid_segment(&s->solid, pose_into(&s->begin, cs->from[g->node[0]]),
                                         pose_into(&s->begin, cs->from[g->node[1]]), near)
                                   .distance <= near) {
            wake(w, cs->rods[g->rod].rod);
        }
    }
    for (int i = 0; i < cs->mesh_pair_count; i++) {
        const ColliderSolid* s = &cs->solids[cs->mesh_pairs[i].solid];
        if (solid_moved(s, &s->begin, &s->goal) > 0.0) {
            wake(w, cs->rods[cs->segments[cs->mesh_pairs[i].segment].rod].rod);
        }
    }
}

CordResult sleep_wake_touched(CordWorld* w, double h, bool* woken)
{
    int before = w->sleepers;
    *woken = false;
    if (before == 0) {
        return CORD_OK;
    }
    Colliders* cs = &w->touch->newton.colliders;
    w->touch->constraints.count = 0; // those of the last step
    contact_move_solids(w, h);
    colliders_begin_step(cs);
    for (int i = 0; i < cs->rod_count; i++) {
        const CordCenterline* c = &cs->rods[i].rod->line;
        for (int n = 0; n < c->node_count; n++) {
            cs->to[cs->rods[i].first_node + n] = slot_get(c->x_next, slot_of(c, n));
        }
    }
    colliders_move_solids(cs, 1.0);
    if (!broad_phase_update(&w->memory, cs)) {
        return contact_no_memory(w);
    }
    wake_near_rods(w, cs);
    wake_near_solids(w, cs);
    w->touch->used_before = w->touch->used;
    *woken = w->sleepers < before;
    return CORD_OK;
}

bool sleep_wake_pushed(CordWorld* w)
{
    int before = w->sleepers;
    if (before == 0) {
        return false;
    }
    const ContactConstraints* b = &w->touch->constraints;
    const Colliders* cs = &w->touch->newton.colliders;
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* c = &b->all[i];
        for (int k = 0; k < c->sides && c->normal_impulse > 0.0; k++) {
            wake(w, cs->rods[c->side[k].rod].rod);
        }
    }
    bool woken = w->sleepers < before;
    if (woken) { // the step begins anew, but for the budget that it has spent
        w->touch->used = w->touch->used_before;
        contact_rollback(w);
    }
    return woken;
}

// ---- falling asleep

// Path of the node that moved farthest in a substep of h, and that of the surface which turned farthest about
// the axis [m]. x_next has the positions before.
static double travel_of(const Rod* rod, double h)
{
    const CordCenterline* c = &rod->line;
    double far2 = 0.0, turned = 0.0;
    for (int n = 0; n < c->node_count; n++) {
        CordVec3 by = vec3_sub(node_position(c, n), slot_get(c->x_next, slot_of(c, n)));
        far2 = real_max(far2, vec3_dot(by, by));
    }
    const double* spin = rod->dynamic_twist ? model_of(rod)->spin(rod).now : NULL;
    for (int j = 0; spin && j < c->edge_count; j++) {
        turned = real_max(turned, h * rod_radius_at(rod, j) * fabs(spin[slot_of(c, j)]));
    }
    return sqrt(far2) + turned;
}

void sleep_note_motion(CordWorld* w, double h)
{
    for (int i = 0; i < w->rods.live_count && may_sleep(w); i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (rod->rest.asleep) {
            continue;
        }
        rod->rest.travel += travel_of(rod, h);
        rod->rest.quiet += h;
        if (rod->rest.travel > w->contact.sleep.tolerance * rod->radius) {
            rod->rest = (RodRest){0};
        }
    }
}

// Nothing of its next step is left to differ from the present, and its velocities are those of its positions.
static void hold_still(Rod* rod)
{
    rod->last_step = 0.0;
    rod->report.unfinished = false;
    CordCenterline* c = &rod->line;
    RodSpin spin = rod->dynamic_twist ? model_of(rod)->spin(rod) : (RodSpin){0};
    for (int s = 0; s < c->slot_count; s++) {
        slot_set(c->x_next, s, slot_get(c->x, s));
        slot_set(c->v, s, (CordVec3){0, 0, 0});
        slot_set(c->v_next, s, (CordVec3){0, 0, 0});
        slot_set(rod->v_free, s, (CordVec3){0, 0, 0});
        if (spin.now) {
            spin.now[s] = spin.next[s] = rod->spin_free[s] = 0.0;
        }
    }
}

static int first_of(int* group, int rod)
{
    while (group[rod] != rod) {
        rod = group[rod] = group[group[rod]]; // the way is halved for the next one
    }
    return rod;
}

void contact_find_groups(const WorldContact* c, int* group)
{
    int count = c->newton.colliders.rod_count;
    for (int i = 0; i < count; i++) {
        group[i] = i;
    }
    for (int i = 0; i < c->constraints.count; i++) {
        const ContactConstraint* k = &c->constraints.all[i];
        if (k->sides == 2 && k->normal_impulse > 0.0) {
            int p = first_of(group, k->side[0].rod), q = first_of(group, k->side[1].rod);
            group[p < q ? q : p] = p < q ? p : q;
        }
    }
    for (int i = 0; i < count; i++) {
        group[i] = group[group[i]]; // the first rod has the lowest number, so its group is known
    }
}

// Sets `held` of the first rod of each group that something holds up: a clamp, or a push of an obstacle.
static void find_held(const WorldContact* c, const int* group, bool* held)
{
    const Colliders* cs = &c->newton.colliders;
    memset(held, 0, sizeof *held * (size_t)cs->rod_count);
    for (int i = 0; i < cs->rod_count; i++) {
        held[group[i]] |= cs->rods[i].rod->clamp_count > 0;
    }
    for (int i = 0; i < c->constraints.count; i++) {
        const ContactConstraint* k = &c->constraints.all[i];
        held[group[k->side[0].rod]] |= k->sides == 1 && k->normal_impulse > 0.0;
    }
}

// `awake` of the first rod of a group is set if some rod of it does not rest, or something moves one. What
// nothing holds up falls, however slow it is: its weight is balanced by nothing.
static void find_awake(const CordWorld* w, const int* group, const bool* held, bool* awake)
{
    const WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    double next = w->time + w->last_step;
    double quiet = real_max(w->contact.sleep.time, LEAST_STEPS * w->last_step);
    bool falls = vec3_dot(w->gravity, w->gravity) > 0.0;
    for (int i = 0; i < cs->rod_count; i++) {
        awake[i] = falls && !held[i];
    }
    for (int i = 0; i < cs->rod_count; i++) {
        const Rod* rod = cs->rods[i].rod;
        awake[group[i]] |=
            !can_sleep(rod) || rod->rest.quiet < quiet || !clamps_rest(rod, next) || !loads_rest(rod, next);
    }
    for (int i = 0; i < c->constraints.count; i++) {
        const ContactConstraint* k = &c->constraints.all[i];
        if (k->sides == 1 && k->normal_impulse > 0.0) {
            int solid = c->constraints.contacts.all[c->constraints.past[i].contact].key.b;
            const ColliderSolid* s = &cs->solids[solid];
            awake[group[k->side[0].rod]] |= solid_moved(s, &s->begin, &s->goal) > 0.0;
        }
    }
}

void sleep_commit_step(CordWorld* w)
{
    if (!may_sleep(w) || w->contact.response == CORD_RESPONSE_ZONES) {
        return;
    }
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    if (!contact_reserve_work(w) || !memory_reserve(&w->memory, (void**)&c->sleep_awake, 2 * cs->rod_count,
                                                    &c->sleep_awake_capacity, sizeof(bool))) {
        return; // all stay awake
    }
    contact_find_groups(c, c->group);
    bool* held = c->sleep_awake + cs->rod_count;
    find_held(c, c->group, held);
    find_awake(w, c->group, held, c->sleep_awake);
    for (int i = 0; i < cs->rod_count; i++) {
        Rod* rod = cs->rods[i].rod;
        if (!rod->rest.asleep && !c->sleep_awake[c->group[i]]) {
            set_asleep(w, rod, true);
            hold_still(rod);
            ledger_note_sleep(w);
            world_mark(w, NULL, MARK_LAW);
        }
    }
}

// ---- forces of what sleeps on obstacles

// The contacts that it finds are kept apart from those of the step, which the ledger and adaptive rods read.
static CordResult find_forces(CordWorld* w)
{
    WorldContact* c = w->touch;
    Colliders* cs = &c->newton.colliders;
    ContactLaw law = {.gap = w->contact.gap, .tolerance = w->contact.tolerance};
    for (int i = 0; i < w->obstacles.live_count; i++) {
        Obstacle* o = slots_at(&w->obstacles, i);
        o->force_asleep = o->torque_asleep = (CordVec3){0, 0, 0};
    }
    if (w->sleepers == 0) { // implicit rods never sleep, nor do those that resolve contact by impact zones
        return CORD_OK;
    }
    if (!narrow_phase_find(&w->memory, &c->asleep, cs, cs->to, &law)) {
        return contact_no_memory(w);
    }
    for (int i = 0; i < c->asleep.count; i++) {
        const ContactPoint* at = &c->asleep.all[i];
        const ImpulseWarmStart* warm = contact_constraints_warm_start(&c->constraints, at);
        const Rod* rod = cs->rods[cs->segments[at->key.a].rod].rod;
        if (warm && rod->rest.asleep && at->kind != CONTACT_SEGMENTS) {
            Obstacle* o = slots_at(&w->obstacles, cs->solids[at->key.b].index);
            CordVec3 f = vec3_madd(warm->friction, at->n, warm->force);
            o->force_asleep = vec3_sub(o->force_asleep, f);
            o->torque_asleep = vec3_sub(o->torque_asleep, vec3_add(vec3_cross(at->arm[1], f), warm->couple));
        }
    }
    return CORD_OK;
}

CordResult sleep_update_forces(CordWorld* w)
{
    CORD_TRY(w->touch->sleepers_changed ? find_forces(w) : CORD_OK);
    w->touch->sleepers_changed = false;
    return CORD_OK;
}

// ---- state

void sleep_state(CordWorld* w, Bytes* b)
{
    if (!(w->contact.sleep.time > 0.0) || b->mode == BYTES_HASH) {
        return;
    }
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        bool asleep = rod->rest.asleep;
        bytes_bool(b, &asleep);
        bytes_double(b, &rod->rest.quiet);
        bytes_double(b, &rod->rest.travel);
        if (b->mode == BYTES_READ && !b->failed) {
            set_asleep(w, rod, asleep && may_sleep(w) && can_sleep(rod) && rod->v_free[0]);
        }
        if (b->mode == BYTES_READ && rod->rest.asleep) {
            hold_still(rod);
        }
    }
    if (b->mode == BYTES_READ && w->touch) {
        w->touch->sleepers_changed = true;
        world_mark(w, NULL, MARK_LAW);
    }
}

bool cord_rod_is_asleep(const CordWorld* w, CordRodId id)
{
    const Rod* rod = world_rod(w, id);
    return rod && rod->rest.asleep;
}
