// All rods and bodies that may touch, as one static system: their islands, with contact between them.
#include "world/contact_group.h"

// Residual of an equilibrium, over the tolerance. Steps end by their motion, and the points and sagittas of
// contacts are those of their start: up to 15 times the tolerance of the forces is left.
#define BALANCED 100.0

static void place_obstacles(void* user, double time)
{
    contact_place_obstacles(user, time);
}

// Bodies that nothing is welded to move by contact alone. Those that cannot be touched are no part of it.
static void find_bodies(ContactGroup* g)
{
    CordWorld* w = g->world;
    for (int i = 0; i < w->bodies.live_count; i++) {
        Body* body = slots_at(&w->bodies, i);
        if (body->assembly == 0 && !body->def.intangible) {
            g->bodies[g->body_count++] = body;
        }
    }
}

CordResult contact_group_open_islands(ContactGroup* g)
{
    for (int i = 0; i < g->island_count; i++) {
        g->opened++;
        CORD_TRY(island_open(g->world, &g->islands[i]));
    }
    return CORD_OK;
}

CordResult contact_group_open(CordWorld* w, ContactGroup* g, ContactHold hold, bool frozen)
{
    *g = (ContactGroup){
        .world = w, .island_count = world_solve_island_count(w), .body_capacity = w->bodies.live_count};
    CORD_TRY(modal_check_none(w, "no equilibrium with contact is known of it; run the scene instead"));
    g->islands = memory_array(&w->memory, Island, g->island_count);
    g->bodies = memory_array(&w->memory, Body*, g->body_capacity);
    if (!g->islands || !g->bodies) {
        return contact_no_memory(w);
    }
    find_bodies(g);
    for (int i = 0; i < g->island_count; i++) {
        g->islands[i] = world_solve_island(w, i);
    }
    contact_set_law(w);
    g->contact = (ContactStatics){.contact = &w->touch->newton,
                                  .memory = &w->memory,
                                  .place = place_obstacles,
                                  .user = w,
                                  .hold = hold,
                                  .frozen = frozen};
    g->group = (NewtonGroup){.islands = g->islands,
                             .island_count = g->island_count,
                             .bodies = g->bodies,
                             .body_count = g->body_count,
                             .coupling = &contact_statics_coupling,
                             .coupled = &g->contact};
    return CORD_OK;
}

void contact_group_close(ContactGroup* g)
{
    CordWorld* w = g->world;
    for (int i = 0; i < g->opened; i++) {
        island_close(w, &g->islands[i]);
    }
    if (g->contact.memory) {
        contact_statics_free(&g->contact);
    }
    memory_array_free(&w->memory, g->islands, g->island_count);
    memory_array_free(&w->memory, g->bodies, g->body_capacity);
    *g = (ContactGroup){0};
}

static bool is_zero(CordVec3 v)
{
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

// Every solve leaves all velocities zero.
static bool is_at_rest(const CordWorld* w)
{
    bool rests = true;
    for (int i = 0; i < w->rods.live_count && rests; i++) {
        const CordCenterline* c = &((const Rod*)slots_at(&w->rods, i))->line;
        for (int n = 0; n < c->node_count; n++) {
            rests &= is_zero(node_velocity(c, n));
        }
    }
    for (int i = 0; i < w->bodies.live_count && rests; i++) {
        const Body* body = slots_at(&w->bodies, i);
        CordBodyState s = body->engine->get(body->engine_user, body->handle);
        rests &= is_zero(s.velocity) && is_zero(s.spin);
    }
    return rests;
}

// Whatever the response, the contact list has the forces of the present state. What has slid to where it
// rests is at the limit of its friction: it would slip on in that direction alone.
CordResult contact_group_take_forces(ContactGroup* g)
{
    CordWorld* w = g->world;
    int count = cord_world_contact_count(w);
    ContactNewton* t = &w->touch->newton;
    if (!warm_starts_reserve(&w->memory, &t->warm, count)) {
        return contact_no_memory(w);
    }
    const CordContact* list = w->touch->list;
    bool rests = is_at_rest(w);
    t->warm.count = 0;
    for (int i = 0; i < t->contacts.count && i < count; i++) {
        if (list[i].push > 0.0) {
            t->warm.all[t->warm.count++] =
                (WarmStart){contact_persistent_key(&t->contacts.all[i]), list[i].push, list[i].friction,
                            list[i].slides && !rests, list[i].couple};
        }
    }
    warm_starts_sort(&t->warm);
    return CORD_OK;
}

static bool rod_has_friction(const Rod* rod)
{
    bool has = rod->surface.friction > 0.0;
    for (int i = 0; i < rod->stretch_count; i++) {
        has |= rod->stretches[i].surface.friction > 0.0;
    }
    return has;
}

// Every contact that a solve knows has a rod on one of its sides, without whose friction it has none.
bool contact_has_friction(const CordWorld* w)
{
    bool has = w->contact.friction > 0.0, by_material = isnan(w->contact.friction);
    for (int i = 0; i < w->contact.pair_count; i++) {
        has |= w->contact.pairs[i].friction > 0.0;
    }
    for (int i = 0; i < w->rods.live_count && by_material; i++) {
        has |= rod_has_friction(slots_at(&w->rods, i));
    }
    return has;
}

CordResult contact_set_grip(CordWorld* w, CordSolveFriction friction)
{
    ContactNewton* t = &w->touch->newton;
    bool off = friction == CORD_SOLVE_FRICTION_OFF || !contact_has_friction(w);
    t->grip = off ? GRIP_OFF : friction == CORD_SOLVE_FRICTION_FROZEN ? GRIP_FROZEN : GRIP_COULOMB;
    t->memory = &w->memory;
    if (t->grip == GRIP_FROZEN) {
        cord_world_contact_count(w); // finds them
        CORD_TRY(contact_newton_freeze(t) ? CORD_OK : contact_no_memory(w));
    }
    return CORD_OK;
}

void contact_release_grip(CordWorld* w)
{
    w->touch->newton.grip = GRIP_COULOMB;
    w->touch->newton.stuck.count = 0;
}

bool contact_friction_slides(CordWorld* w)
{
    int count = cord_world_contact_count(w);
    const CordContact* all = cord_world_contacts(w);
    bool slides = false;
    for (int i = 0; i < count; i++) {
        slides |= all[i].slides && vec3_length(all[i].friction) > 0.0;
    }
    return slides;
}

CordResult contact_check_balance(CordWorld* w, const Statics* st, const CordSolveDef* def,
                                 CordSolveReport* report)
{
    report->converged =
        report->residual_relative <= BALANCED * def->tolerance || report->residual <= st->round_off;
    return report->converged
               ? CORD_OK
               : message_fail(&w->message, CORD_NOT_CONVERGED,
                              "what touches came to rest, but its forces do not balance: %.3g N is left "
                              "(%.2g of the largest), so that this is no equilibrium; take another start, "
                              "or let the scene run and come to rest",
                              report->residual, report->residual_relative);
}
