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

// Stores the energy of each group of rods that push each other, at the start of the substep, which they may
// not exceed at its end. x_next and v_next are not committed yet.
static void store_energies(CordWorld* w)
{
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    contact_find_groups(c, c->group);
    for (int i = 0; i < cs->rod_count; i++) {
        c->work[i] = (ContactWork){0};
    }
    for (int i = 0; i < cs->rod_count; i++) {
        c->work[c->group[i]].energy += kinetic_energy(cs->rods[i].rod) + potential_energy(w, cs->rods[i].rod);
    }
    c->used.keeps_energy = true;
}

// True if obstacles, clamps or loads may do work on rods in contact. The springs of compliant obstacles do.
static bool is_driven(const CordWorld* w)
{
    const Colliders* cs = &w->touch->newton.colliders;
    bool driven = contact_find_compliant(cs) != NULL;
    for (int i = 0; i < cs->solid_count; i++) {
        driven |= solid_moved(&cs->solids[i], &cs->solids[i].begin, &cs->solids[i].goal) > 0.0;
    }
    for (int i = 0; i < cs->rod_count; i++) {
        const CordCenterline* c = &cs->rods[i].rod->line;
        driven |= cs->rods[i].rod->load_count > 0;
        for (int n = 0; n < c->node_count; n++) {
            CordVec3 v = slot_get(c->v_next, slot_of(c, n));
            driven |= c->w[slot_of(c, n)] == 0.0 && vec3_dot(v, v) > 0.0;
        }
    }
    return driven;
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

// Impulses that have not converged may bend and twist rods by more than the motion that they stop. Velocities
// of a group are scaled to what its potential energy at the end leaves of its energy at the start.
void contact_keep_energy(CordWorld* w)
{
    if (!w->touch || !w->touch->used.keeps_energy) {
        return;
    }
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    c->used.keeps_energy = false;
    for (int i = 0; i < cs->rod_count; i++) {
        ContactWork* sum = &c->work[c->group[i]];
        sum->work += kinetic_energy(cs->rods[i].rod); // of motion
        sum->energy -= potential_energy(w, cs->rods[i].rod);
    }
    for (int i = 0; i < cs->rod_count; i++) {
        const ContactWork* sum = &c->work[c->group[i]];
        double left = real_max(sum->energy, 0.0);
        if (sum->work > left) {
            slow_rod(cs->rods[i].rod, sqrt(left / sum->work));
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
    if (!is_driven(w)) {
        store_energies(w);
    }
    c->used.unmet = count_unmet(&c->newton.contacts, w->contact.tolerance);
    return CORD_OK;
}
