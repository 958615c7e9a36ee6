// What an adaptive rod may touch while its nodes change has colliders of its own. A change looks at the box
// of every rod, and at the elements of near ones alone.
#include "base/real.h"
#include "world/adapt_parts.h"

#include <string.h>

static double thickest(const Rod* rod)
{
    double most = 0.0;
    for (int j = 0; j < rod->line.edge_count; j++) {
        most = real_max(most, rod_radius_at(rod, j));
    }
    return most;
}

static Aabb box_about(const Rod* rod, double more)
{
    double by = thickest(rod) + more;
    Aabb box = AABB_EMPTY;
    for (int n = 0; n < rod->line.node_count; n++) {
        aabb_add(&box, node_position(&rod->line, n));
    }
    for (int k = 0; k < 3; k++) {
        box.lo[k] -= by;
        box.hi[k] += by;
    }
    return box;
}

// A distance that no node exceeds when a node is inserted or removed [m].
static double room_of(const Rod* rod)
{
    double longest = 0.0;
    for (int j = 0; j < rod->line.edge_count; j++) {
        longest = real_max(longest, vec3_length(edge_vector(&rod->line, j)));
    }
    return 2.0 * longest;
}

// Rods are added in the order of the world, so that contacts keep their order.
static bool add_near_rods(CordWorld* w, const Rod* rod, double far)
{
    WorldAdapt* a = w->adapt;
    Aabb region = box_about(rod, far);
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* other = slots_at(&w->rods, i);
        Aabb box = box_about(other, 0.0);
        if (other->intangible || (other != rod && !aabb_overlap(&box, &region))) {
            continue;
        }
        if (!contact_add_rod(w, &a->near, i)) {
            return false;
        }
        a->contact.rod = other == rod ? a->near.rod_count - 1 : a->contact.rod;
    }
    return true;
}

static bool add_solids(CordWorld* w)
{
    const Colliders* cs = &w->touch->newton.colliders;
    contact_move_solids(w, 0.0);
    bool added = true;
    for (int i = 0; i < cs->solid_count && added; i++) {
        added = colliders_add_solid(&w->memory, &w->adapt->near, &cs->solids[i]);
    }
    return added;
}

CordResult adapt_open_contact(CordWorld* w, const Rod* rod)
{
    PatchContact* pc = &w->adapt->contact;
    Colliders* near = &w->adapt->near;
    pc->colliders = NULL;
    if (!contact_is_on(w) || rod->intangible) {
        return CORD_OK;
    }
    const Colliders* all = &w->touch->newton.colliders;
    colliders_clear(near);
    near->reach = all->reach;
    near->rods_pass = all->rods_pass;
    pc->tolerance = w->contact.tolerance;
    pc->room = room_of(rod);
    if (!add_near_rods(w, rod, pc->room + all->reach) || !add_solids(w)) {
        return contact_no_memory(w);
    }
    colliders_begin_step(near);
    if (!broad_phase_update(&w->memory, near)) {
        return contact_no_memory(w);
    }
    pc->colliders = near;
    return CORD_OK;
}

// ---- contact forces

void adapt_forget_forces(CordWorld* w)
{
    w->adapt->known_count = 0;
}

void adapt_forget_near(CordWorld* w)
{
    WorldAdapt* a = w->adapt;
    for (int i = 0; a->contact.colliders && i < a->near.rod_count && a->known_count > 0; i++) {
        a->known[a->near.rods[i].index] = -1;
    }
    a->known_count = a->contact.colliders ? a->known_count : 0;
}

static bool keep_forces(CordWorld* w)
{
    WorldAdapt* a = w->adapt;
    int rods = w->rods.live_count, nodes = 0;
    for (int i = 0; i < rods; i++) {
        nodes += ((const Rod*)slots_at(&w->rods, i))->line.node_count;
    }
    if (!memory_reserve(&w->memory, (void**)&a->known, rods, &a->known_capacity, sizeof *a->known) ||
        !memory_reserve(&w->memory, (void**)&a->pushed, nodes, &a->pushed_capacity, sizeof *a->pushed)) {
        return false;
    }
    nodes = 0;
    for (int i = 0; i < rods; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        const CordVec3* force = contact_forces_now(w, rod);
        a->known[i] = force ? nodes : -1;
        if (force) {
            memcpy(a->pushed + nodes, force, sizeof *force * (size_t)rod->line.node_count);
            nodes += rod->line.node_count;
        }
    }
    a->known_count = rods;
    return true;
}

const CordVec3* adapt_contact_forces(CordWorld* w, const Rod* rod)
{
    WorldAdapt* a = w->adapt;
    if (!contact_is_on(w) || contact_is_explicit(w) || rod->intangible) {
        return NULL;
    }
    int i = slots_index(&w->rods, rod->id.slot);
    if ((a->known_count == 0 || a->known[i] < 0) && !keep_forces(w)) {
        return contact_forces_now(w, rod);
    }
    return a->known[i] < 0 ? NULL : a->pushed + a->known[i];
}
