// The world's contact settings: checks and copies.
#include "world/world.h"

#include <stdio.h>
#include <string.h>

#define MOST_FRICTION 100.0

CordSleep cord_sleep_default(void)
{
    return (CordSleep){.tolerance = 0.01};
}

CordContactDef cord_contact_def_default(void)
{
    return (CordContactDef){.on = true,
                            .response = CORD_RESPONSE_IMPULSES,
                            .friction = NAN,
                            .friction_kinetic = NAN,
                            .stick_speed = 1e-3,
                            .restitution = NAN,
                            .impact_speed = 0.01,
                            .gap = 0.05,
                            .tolerance = 1e-3,
                            .iterations = 200,
                            .rods = true,
                            .sleep = cord_sleep_default()};
}

CordSurfacePair cord_surface_pair_default(int surface, int other, double friction)
{
    return (CordSurfacePair){{surface, other}, friction, NAN, NAN, NAN, NAN};
}

static bool is_friction(double friction)
{
    return friction >= 0.0 && friction <= MOST_FRICTION;
}

static double length_or_none(double length) // NAN: by material
{
    return isnan(length) ? 0.0 : length;
}

static CordResult check_pairs(const CordContactDef* def, Message* message)
{
    if (def->pair_count < 0 || (def->pair_count > 0 && !def->pairs)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the pairs of surfaces are said to be %d, and none are given", def->pair_count);
    }
    for (int i = 0; i < def->pair_count; i++) {
        const CordSurfacePair* pair = &def->pairs[i];
        if (!is_friction(pair->friction)) {
            return message_fail(message, CORD_BAD_ARGUMENT,
                                "the friction between surfaces %d and %d is %g; it must be between 0 and %g",
                                pair->surface[0], pair->surface[1], pair->friction, MOST_FRICTION);
        }
        char what[64];
        snprintf(what, sizeof what, "surfaces %d and %d", pair->surface[0], pair->surface[1]);
        CORD_TRY(contact_surface_check_kinetic(pair->friction, pair->friction_kinetic, what, message));
        if (!isnan(pair->restitution)) {
            CORD_TRY(contact_surface_check_restitution(pair->restitution, what, message));
        }
        CORD_TRY(contact_surface_check_turning(length_or_none(pair->rolling_friction),
                                               length_or_none(pair->spinning_friction), what, message));
    }
    return CORD_OK;
}

static CordResult check_budget(CordWorld* w, const CordBudget* budget)
{
    if (budget->iterations < 0) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "the budget is %d iterations; give it one at least, or 0 for no limit",
                            budget->iterations);
    }
    if (!(budget->seconds >= 0.0 && isfinite(budget->seconds))) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "the budget is %g s a step; it must be positive, or 0 for no limit",
                            budget->seconds);
    }
    if (budget->seconds > 0.0 && !w->watch.clock.now) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "a budget of %g s needs a clock: give the world one in CordWorldDef.clock, or "
                            "set a budget in iterations",
                            budget->seconds);
    }
    return CORD_OK;
}

static CordResult check_sleep(const CordSleep* sleep, Message* message)
{
    if (!(sleep->time >= 0.0 && isfinite(sleep->time))) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the time of sleep is %g s; it must be positive, or 0 if no rod is to sleep",
                            sleep->time);
    }
    if (sleep->time > 0.0 && !(sleep->tolerance > 0.0 && sleep->tolerance <= 1.0)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the tolerance of sleep is %g; it is a share of a radius, above 0 and at most 1; "
                            "start from cord_sleep_default",
                            sleep->tolerance);
    }
    return CORD_OK;
}

static CordResult check_friction(const CordContactDef* def, Message* message)
{
    if (!isnan(def->friction) && !is_friction(def->friction)) {
        return message_fail(
            message, CORD_BAD_ARGUMENT,
            "the friction of all contacts is %g; it must be between 0 and %g, or NAN to leave it to the "
            "materials",
            def->friction, MOST_FRICTION);
    }
    if (isnan(def->friction) && !isnan(def->friction_kinetic)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the kinetic friction of all contacts is %g, and their static friction is left "
                            "to the materials; set both, or leave both to the materials",
                            def->friction_kinetic);
    }
    if (!(def->stick_speed >= 0.0 && isfinite(def->stick_speed))) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the speed below which contacts stick is %g; it is in m/s and must not be "
                            "negative",
                            def->stick_speed);
    }
    return contact_surface_check_kinetic(def->friction, def->friction_kinetic, "all contacts", message);
}

static CordResult check_impact(const CordContactDef* def, Message* message)
{
    if (!(def->impact_speed >= 0.0 && isfinite(def->impact_speed))) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the speed below which contacts do not rebound is %g; it is in m/s and must not "
                            "be negative",
                            def->impact_speed);
    }
    return isnan(def->restitution)
               ? CORD_OK
               : contact_surface_check_restitution(def->restitution, "all contacts", message);
}

static CordResult check_def(const CordContactDef* def, Message* message)
{
    if ((unsigned)def->response > CORD_RESPONSE_ZONES) {
        return message_fail(message, CORD_BAD_ARGUMENT, "there is no contact response number %d",
                            (int)def->response);
    }
    CORD_TRY(check_friction(def, message));
    CORD_TRY(check_impact(def, message));
    if (!(def->gap > 0.0 && def->gap <= 0.5)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the gap is %g; it is a share of a radius, above 0 and at most 0.5", def->gap);
    }
    if (!(def->tolerance > 0.0 && def->tolerance <= 0.1)) {
        return message_fail(
            message, CORD_BAD_ARGUMENT,
            "the tolerance of contacts is %g; it is a share of a radius, above 0 and at most 0.1",
            def->tolerance);
    }
    if (def->iterations < 1) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "contacts may take %d iterations; they need one at least", def->iterations);
    }
    return check_pairs(def, message);
}

CordResult cord_world_set_contact(CordWorld* w, const CordContactDef* def)
{
    CORD_TRY(check_def_given(w, def, "contact"));
    CORD_TRY(check_no_branch(w, "contact is not changed"));
    CORD_TRY(check_def(def, &w->message));
    CORD_TRY(check_budget(w, &def->budget));
    CORD_TRY(check_sleep(&def->sleep, &w->message));
    CordContactDef kept = *def;
    CordSurfacePair* pairs = memory_array(&w->memory, CordSurfacePair, def->pair_count);
    if (!pairs) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for %d pairs of surfaces",
                            def->pair_count);
    }
    if (def->pair_count > 0) {
        memcpy(pairs, def->pairs, sizeof *pairs * (size_t)def->pair_count);
    }
    kept.pairs = pairs;
    contact_restart_before(w, def, false);
    // Contacts and warm starts survive if only the contact law has changed.
    bool others =
        kept.on != w->contact.on || kept.gap != w->contact.gap || kept.response != w->contact.response;
    world_mark(w, NULL, MARK_LAW | (others ? MARK_COLLIDERS : 0));
    contact_def_free(w);
    w->contact = kept;
    return CORD_OK;
}

CordResult cord_world_set_budget(CordWorld* w, CordBudget budget)
{
    CORD_TRY(check_budget(w, &budget));
    w->contact.budget = budget;
    return CORD_OK;
}

CordResult cord_world_set_sleep(CordWorld* w, CordSleep sleep)
{
    CORD_TRY(check_sleep(&sleep, &w->message));
    w->contact.sleep = sleep;
    world_mark(w, NULL, MARK_LAW);
    return CORD_OK;
}

CordContactDef cord_world_contact_def(const CordWorld* w)
{
    return w->contact;
}

void contact_def_free(CordWorld* w)
{
    memory_free(&w->memory, (void*)w->contact.pairs,
                sizeof *w->contact.pairs * (size_t)w->contact.pair_count);
    w->contact.pairs = NULL;
    w->contact.pair_count = 0;
}
