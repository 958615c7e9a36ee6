// The budget of contact in a step: what happens once it is spent.
#include "base/real.h"
#include "world/contact_parts.h"

void contact_begin_use(CordWorld* w)
{
    BudgetUse* used = &w->touch->used;
    *used = (BudgetUse){
        .spent = used->spent, .spent_in_all = used->spent_in_all, .limited_in_all = used->limited_in_all};
}

void contact_begin_budget(CordWorld* w)
{
    w->budget = budget_start(&w->contact.budget, w->watch.clock);
    if (w->touch) {
        w->touch->used.spent = false;
        contact_begin_use(w);
    }
}

void contact_commit_budget(CordWorld* w)
{
    if (w->touch) {
        w->touch->used.spent_in_all += w->touch->used.spent;
        w->touch->used.limited_in_all += w->touch->used.limited;
    }
}

bool contact_has_spent_budget(const CordWorld* w)
{
    return w->touch && w->touch->used.spent_in_all > 0;
}

// ---- energy

static double kinetic_energy(Rod* rod)
{
    if (model_of(rod)->reduced) {
        model_of(rod)->reduced->node_velocities(rod);
    }
    const CordCenterline* c = &rod->line;
    RodSpin spin = rod->dynamic_twist ? model_of(rod)->spin(rod) : (RodSpin){0};
    double sum = 0.0;
    for (int n = 0; n < c->node_count; n++) {
        CordVec3 v = node_velocity(c, n);
        sum += 0.5 * rod_lumped_mass(rod, n) * vec3_dot(v, v);
    }
    for (int j = 0; spin.now && j < c->edge_count; j++) {
        int s = slot_of(c, j);
        sum += 0.5 * spin.inertia[s] * spin.now[s] * spin.now[s];
    }
    return sum;
}

static double potential_energy(const CordWorld* w, const Rod* rod)
{
    CordEnergy e = rod_elastic_energy(rod);
    double sum = e.bend + e.twist + e.stretch;
    for (int n = 0; n < rod->line.node_count; n++) {
        sum -= rod_lumped_mass(rod, n) * vec3_dot(w->gravity, node_position(&rod->line, n));
    }
    return sum;
}

static bool is_driven(const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    bool driven = rod->load_count > 0;
    for (int n = 0; n < c->node_count; n++) {
        CordVec3 v = slot_get(c->v_next, slot_of(c, n));
        driven |= c->w[slot_of(c, n)] == 0.0 && vec3_dot(v, v) > 0.0;
    }
    return driven;
}

static bool solid_drives(const ColliderSolid* solid)
{
    return solid_is_compliant(solid) || solid_moved(solid, &solid->begin, &solid->goal) > 0.0;
}

// A group is limited if some of its rods push, were put right in positions, or had their motion shortened.
static void mark_limited(const WorldContact* c)
{
    const Colliders* cs = &c->newton.colliders;
    const ContactConstraints* const both[2] = {&c->constraints, &c->corrections};
    for (int i = 0; i < cs->rod_count; i++) {
        bool shortened = c->used.limited > 0 && c->limit.rods[i].share < 1.0;
        c->energies[i] = (GroupEnergy){.most = shortened ? 0.0 : INFINITY};
    }
    for (int i = 0; i < cs->rod_count; i++) {
        double* most = &c->energies[c->group[i]].most;
        *most = real_min(*most, c->energies[i].most);
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < both[k]->count; i++) {
            if (both[k]->all[i].normal_impulse > 0.0) {
                c->energies[c->group[both[k]->all[i].side[0].rod]].most = 0.0;
            }
        }
    }
}

// Stores the energy of each group of rods that push each other or an obstacle, at the start of the step.
// INFINITY: it is not limited, since contact has not acted on it, or clamps, loads, obstacles that move or
// the springs of compliant ones may do work on it.
static void store_energies(const CordWorld* w)
{
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    const ContactConstraints* b = &c->constraints;
    contact_find_groups(c, c->group);
    mark_limited(c);
    for (int i = 0; i < b->count; i++) {
        const ContactPoint* at = &b->contacts.all[b->past[i].contact];
        if (b->all[i].sides == 1 && solid_drives(&cs->solids[at->key.b])) {
            c->energies[c->group[b->all[i].side[0].rod]].most = INFINITY;
        }
    }
    for (int i = 0; i < cs->rod_count; i++) { // x_next and v_next are not committed yet
        Rod* rod = cs->rods[i].rod;
        double* most = &c->energies[c->group[i]].most;
        *most += is_driven(rod) ? INFINITY : kinetic_energy(rod) + potential_energy(w, rod);
    }
}

static void slow_rod(Rod* rod, double factor)
{
    CordCenterline* c = &rod->line;
    RodSpin spin = rod->dynamic_twist ? model_of(rod)->spin(rod) : (RodSpin){0};
    for (int s = 0; s < c->slot_count; s++) {
        slot_set(c->v, s, vec3_mul(slot_get(c->v, s), factor));
    }
    if (model_of(rod)->reduced) {
        model_of(rod)->reduced->set_node_velocities(rod);
    }
    for (int s = 0; spin.now && s < c->slot_count; s++) {
        spin.now[s] *= factor;
    }
}

// Impulses that have not converged may bend and twist rods by more than the motion that they stop.
void contact_keep_energy(CordWorld* w)
{
    if (!w->touch || !w->touch->used.keeps_energy) {
        return;
    }
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    c->used.keeps_energy = false;
    for (int i = 0; i < cs->rod_count; i++) {
        GroupEnergy* group = &c->energies[c->group[i]];
        if (group->most < INFINITY) {
            group->most -= potential_energy(w, cs->rods[i].rod);
            group->motion += kinetic_energy(cs->rods[i].rod);
        }
    }
    for (int i = 0; i < cs->rod_count; i++) {
        const GroupEnergy* group = &c->energies[c->group[i]];
        double left = real_max(group->most, 0.0);
        if (group->motion > left) {
            slow_rod(cs->rods[i].rod, sqrt(left / group->motion));
        }
    }
}

// ---- the end of a step

void contact_end_rounds(CordWorld* w, double residual)
{
    BudgetUse* used = &w->touch->used;
    used->spent = used->open = true;
    used->residual = real_max(used->residual, residual / w->touch->constraints.radius);
}

static int count_unmet(const ContactPoints* contacts, double tolerance)
{
    int count = 0;
    for (int i = 0; i < contacts->count; i++) {
        count += -contacts->all[i].gap > tolerance * contacts->all[i].radius;
    }
    return count;
}

static int shorten_rods(const MotionLimit* limit, const Colliders* cs)
{
    int count = 0;
    for (int i = 0; i < cs->rod_count; i++) {
        const RodLimit* rod = &limit->rods[i];
        if (rod->share < 1.0 || !rod->corrects) {
            stepper_shorten(cs->rods[i].rod, cs->to + cs->rods[i].first_node, rod->share);
            count++;
        }
    }
    return count;
}

static CordResult fail_limit(const MotionLimit* limit, bool limited, Message* message)
{
    if (limit->no_memory) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for contacts");
    }
    return message_fail(message, CORD_NOT_CONVERGED,
                        "the budget of the step is spent, and %s, or take a shorter step",
                        limited ? "rods would pass through each other or an obstacle; give it more iterations"
                                : "clamps or obstacles press into rods; give it more iterations");
}

CordResult contact_end_spent(CordWorld* w, double h, bool clear, Message* message)
{
    WorldContact* c = w->touch;
    Colliders* cs = &c->newton.colliders;
    if (clear && !c->used.open) {
        return CORD_OK;
    }
    if (!clear) {
        bool limited = motion_limit_find(&w->memory, &c->limit, cs, c->constraints.w, h);
        if (!limited || colliders_tunnel(cs)) {
            return fail_limit(&c->limit, limited, message);
        }
        c->used.spent = true;
        c->used.limited = shorten_rods(&c->limit, cs);
        ContactLaw law = {.awake = true};
        if (!narrow_phase_find(&w->memory, &c->newton.contacts, cs, cs->to, &law)) {
            return message_fail(message, CORD_NO_MEMORY, "no memory for contacts");
        }
    }
    store_energies(w);
    c->used.keeps_energy = true;
    c->used.unmet = count_unmet(&c->newton.contacts, w->contact.tolerance);
    return CORD_OK;
}
