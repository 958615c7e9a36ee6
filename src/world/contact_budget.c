// The budget of contact in a step: what happens once it is spent.
#include "base/real.h"
#include "world/contact_parts.h"

void contact_begin_budget(CordWorld* w)
{
    w->budget = budget_start(&w->contact.budget, w->watch.clock);
    if (w->touch) {
        BudgetUse* used = &w->touch->used;
        *used = (BudgetUse){.spent_in_all = used->spent_in_all, .limited_in_all = used->limited_in_all};
    }
}

void contact_commit_budget(CordWorld* w)
{
    if (w->touch) {
        w->touch->used.spent_in_all += w->touch->used.spent;
        w->touch->used.limited_in_all += w->touch->used.limited;
    }
}

void contact_end_rounds(CordWorld* w, double residual)
{
    BudgetUse* used = &w->touch->used;
    used->spent = true;
    used->residual = real_max(used->residual, residual / w->touch->constraints.all[0].radius);
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
        if (limit->share[i] < 1.0) {
            stepper_shorten(cs->rods[i].rod, limit->share[i]);
            count++;
        }
    }
    return count;
}

CordResult contact_end_spent(CordWorld* w, double h, bool clear, Message* message)
{
    WorldContact* c = w->touch;
    Colliders* cs = &c->newton.colliders;
    if (!clear) {
        if (!motion_limit_find(&w->memory, &c->limit, cs, c->constraints.w, h)) {
            return c->limit.no_memory
                       ? message_fail(message, CORD_NO_MEMORY, "no memory for contacts")
                       : message_fail(message, CORD_NOT_CONVERGED,
                                      "the budget of the step is spent, and clamps or obstacles press into "
                                      "rods; give it more iterations, or take a shorter step");
        }
        c->used.spent = true;
        c->used.limited += shorten_rods(&c->limit, cs);
        ContactLaw law = {0};
        if (!narrow_phase_find(&w->memory, &c->newton.contacts, cs, cs->to, &law)) {
            return message_fail(message, CORD_NO_MEMORY, "no memory for contacts");
        }
    }
    c->used.unmet += count_unmet(&c->newton.contacts, w->contact.tolerance);
    return CORD_OK;
}
