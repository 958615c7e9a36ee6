// Contact: the set of colliders, and the warm starts that last from step to step.
#include "base/real.h"
#include "world/contact_parts.h"

#include "world/island.h"
#include "world/obstacle.h"

// Over the radius: contacts of an iterate of Newton's method. Those that an iterate opens must still be known
// in the next one, or the two would alternate.
#define NEWTON_REACH 0.2

CordResult contact_no_memory(CordWorld* w)
{
    return message_fail(&w->message, CORD_NO_MEMORY, "no memory for contacts");
}

// ---- colliders

bool contact_add_obstacle(CordWorld* w, Colliders* cs, int i)
{
    const Obstacle* o = slots_at(&w->obstacles, i);
    ColliderSolid solid = {.solid = o->def.solid,
                           .mesh = obstacle_mesh(o),
                           .kind = CORD_TOUCH_OBSTACLE,
                           .index = i,
                           .stiffness = isinf(o->def.stiffness) ? 0.0 : o->def.stiffness,
                           .damping = o->def.damping,
                           .surface = contact_surface_of_solid(o->def.surface, o->def.friction,
                                                               o->def.friction_kinetic, o->def.restitution)};
    solid.surface.rolling = o->def.rolling_friction, solid.surface.spinning = o->def.spinning_friction;
    return colliders_add_solid(&w->memory, cs, &solid);
}

static bool add_body(CordWorld* w, ContactNewton* t, int i)
{
    Body* body = slots_at(&w->bodies, i);
    if (body->is_joint || body->def.intangible) {
        return true;
    }
    ColliderSolid solid = {.solid = body->def.solid,
                           .kind = CORD_TOUCH_BODY,
                           .carrier = &body->pose,
                           .index = i,
                           .surface =
                               contact_surface_of_solid(body->def.surface, body->def.friction,
                                                        body->def.friction_kinetic, body->def.restitution)};
    solid.surface.rolling = body->def.rolling_friction;
    solid.surface.spinning = body->def.spinning_friction;
    int at = t->colliders.solid_count;
    while (at >= t->solid_capacity) {
        if (!memory_grow(&w->memory, (void**)&t->solid_bodies, t->solid_capacity, &t->solid_capacity,
                         sizeof(Body*))) {
            return false;
        }
    }
    t->solid_bodies[at] = body;
    return colliders_add_solid(&w->memory, &t->colliders, &solid);
}

bool contact_add_rod(CordWorld* w, Colliders* cs, int i)
{
    Rod* rod = slots_at(&w->rods, i);
    bool added = colliders_add_rod(&w->memory, cs, rod, i);
    if (added) {
        // Far from their rest shape modes fold rods into themselves, and segments of a network meet anywhere.
        cs->rods[cs->rod_count - 1].passes_itself = model_of(rod)->reduced != NULL;
    }
    return added;
}

static bool fill_colliders(CordWorld* w, ContactNewton* t)
{
    Colliders* cs = &t->colliders;
    colliders_clear(cs);
    cs->tasks = w->tasks;
    double thickest = 0.0;
    for (int i = 0; i < w->rods.live_count; i++) {
        if (!((const Rod*)slots_at(&w->rods, i))->intangible && !contact_add_rod(w, cs, i)) {
            return false;
        }
    }
    for (int i = 0; i < w->obstacles.live_count; i++) {
        if (!contact_add_obstacle(w, cs, i)) {
            return false;
        }
    }
    while (t->solid_capacity < cs->solid_count) {
        if (!memory_grow(&w->memory, (void**)&t->solid_bodies, t->solid_capacity, &t->solid_capacity,
                         sizeof(Body*))) {
            return false;
        }
    }
    for (int i = 0; i < cs->solid_count; i++) {
        t->solid_bodies[i] = NULL;
    }
    for (int i = 0; i < w->bodies.live_count; i++) {
        if (!add_body(w, t, i)) {
            return false;
        }
    }
    for (int i = 0; i < cs->segment_count; i++) {
        thickest = real_max(thickest, cs->segments[i].radius);
    }
    cs->reach = real_max(NEWTON_REACH, w->contact.gap) * thickest;
    return true;
}

static bool find_islands(CordWorld* w, WorldContact* c)
{
    int count = world_solve_island_count(w);
    if (!memory_reserve(&w->memory, (void**)&c->islands, count, &c->island_capacity, sizeof(Island))) {
        return false;
    }
    c->island_count = 0;
    for (int i = 0; i < count; i++) {
        Island island = world_solve_island(w, i);
        if (stepper_of(island.rods[0])->contact == CONTACT_NEWTON) {
            island.joins = island.assembly ? island.assembly->joins : NULL;
            c->islands[c->island_count++] = island;
        }
    }
    return true;
}

// ---- steps

// Writes what makes all rods of the scene one system, which Newton's method solves. False: nothing does.
static bool find_newton_cause(const CordWorld* w, Message* cause)
{
    if (w->welds.live_count > 0) {
        const Weld* weld = slots_at(&w->welds, 0);
        message_fail(cause, CORD_OK, "rod '%s', which is %s", weld->clamp.rod->name,
                     weld->body->is_joint ? "joined" : "welded");
        return true;
    }
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        if (stepper_of(rod)->contact == CONTACT_NEWTON) {
            message_fail(cause, CORD_OK, "rod '%s', which is implicit", rod->name);
            return true;
        }
    }
    for (int i = 0; i < w->bodies.live_count; i++) {
        const Body* body = slots_at(&w->bodies, i);
        if (!body->is_joint && !body->def.intangible) {
            message_fail(cause, CORD_OK, "body '%s', which it may touch", body->name);
            return true;
        }
    }
    return false;
}

bool contact_switches_rods(const CordContactDef* def)
{
    return def->on && def->response != CORD_RESPONSE_ZONES;
}

static bool any_lags(const CordWorld* w)
{
    bool lags = false;
    for (int i = 0; i < w->rods.live_count && !lags; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        lags = stepper_of(rod)->switch_to_newton && stepper_of(rod)->times(rod, 0.0).lag > 0.0;
    }
    return lags;
}

// Nothing lags before the first step, in which worlds of many rods are made.
void contact_restart_before(CordWorld* w, const CordContactDef* def, bool is_cause)
{
    Message cause;
    bool may_lag = w->steps > 0 && contact_switches_rods(def);
    if (may_lag && (is_cause || find_newton_cause(w, &cause)) && any_lags(w)) {
        world_restart_leapfrog(w, NULL);
    }
}

// A rod that takes part in contact and has no step by Newton's method: a modal one. NULL: there is none.
static const Rod* rod_that_cannot_switch(const CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        const Stepper* stepper = stepper_of(rod);
        if (!rod->intangible && stepper->contact == CONTACT_IMPULSES && !stepper->switch_to_newton) {
            return rod;
        }
    }
    return NULL;
}

static CordResult check_switches(CordWorld* w, const char* cause)
{
    const Rod* rod = rod_that_cannot_switch(w);
    return rod ? message_fail(&w->message, CORD_NOT_SUPPORTED,
                              "rod '%s' is modal and shares its contacts with %s, and contact cannot couple "
                              "the two; take explicit or position-based rods beside it, without welds and "
                              "bodies, or leave the modal rod out of contact",
                              rod->name, cause)
               : CORD_OK;
}

// Explicit and position-based rods resolve contact by impulses after their step, unless the scene holds
// something that needs contact inside Newton's method. Impulses and Newton's method cannot be mixed.
CordResult contact_choose_steps(CordWorld* w)
{
    Message cause;
    bool together = contact_switches_rods(&w->contact) && find_newton_cause(w, &cause);
    CORD_TRY(together ? check_switches(w, cause.text) : CORD_OK);
    for (int i = 0; together && i < w->rods.live_count; i++) {
        CORD_TRY(stepper_reserve_switch(&w->memory, slots_at(&w->rods, i), &w->message));
    }
    for (int i = 0; together && i < w->rods.live_count; i++) {
        rod_switch_stepper(w, slots_at(&w->rods, i), cause.text);
    }
    bool rubs = w->contact.friction != 0.0 || w->contact.pair_count > 0;
    w->parts = 1;
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (stepper_of(rod)->set_contact) {
            stepper_of(rod)->set_contact(rod, w->contact.on && rubs);
        }
        int parts = stepper_of(rod)->substeps ? stepper_of(rod)->substeps(rod, w->contact.on) : 1;
        if (w->contact.on && parts > w->parts) {
            w->parts = parts;
        }
    }
    return CORD_OK;
}

static const Rod* rod_by_impulses(const CordWorld* w)
{
    const Rod* found = NULL;
    for (int i = 0; i < w->rods.live_count && !found; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        found = stepper_of(rod)->contact == CONTACT_IMPULSES ? rod : NULL;
    }
    return found;
}

// Impact zones move rods that have taken their steps already, so that no rod may switch to Newton's method.
static CordResult check_zones(CordWorld* w)
{
    const Rod* rod = w->contact.response == CORD_RESPONSE_ZONES ? rod_by_impulses(w) : NULL;
    Message cause;
    if (rod && find_newton_cause(w, &cause)) {
        return message_fail(
            &w->message, CORD_NOT_SUPPORTED,
            "rod '%s' shares its contacts with %s; the response \"zones\" takes explicit rods "
            "alone: choose \"impulses\", with which all rods are stepped implicitly",
            rod->name, cause.text);
    }
    const Rod* fixed = rod ? rod_that_cannot_switch(w) : NULL;
    if (fixed) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "rod '%s' is modal; the response \"zones\" takes explicit rods alone: choose "
                            "\"impulses\"",
                            fixed->name);
    }
    if (rod && contact_may_rebound(w, &w->touch->newton.colliders)) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "the response \"zones\" does not let rod '%s' rebound; choose \"impulses\", or "
                            "set the restitution of all materials, obstacles and pairs to 0",
                            rod->name);
    }
    if (rod && contact_may_roll(w, &w->touch->newton.colliders)) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "the response \"zones\" does not resist rolling and spinning of rod '%s'; choose "
                            "\"impulses\", or set the rolling and spinning friction of all materials, "
                            "obstacles and pairs to 0",
                            rod->name);
    }
    const ColliderSolid* soft = rod ? contact_find_compliant(&w->touch->newton.colliders) : NULL;
    if (soft) {
        return message_fail(
            &w->message, CORD_NOT_SUPPORTED,
            "obstacle '%s' is compliant; the response \"zones\" takes rigid ones alone: choose "
            "\"impulses\"",
            ((const Obstacle*)slots_at(&w->obstacles, soft->index))->name);
    }
    for (int i = 0; rod && i < w->obstacles.live_count; i++) {
        const Obstacle* o = slots_at(&w->obstacles, i);
        if (obstacle_mesh(o)) {
            return message_fail(
                &w->message, CORD_NOT_SUPPORTED,
                "obstacle '%s' is a mesh; the response \"zones\" takes none: choose \"impulses\"", o->name);
        }
    }
    return CORD_OK;
}

static bool reserve_constraints(CordWorld* w)
{
    ContactConstraints* b = &w->touch->constraints;
    const Colliders* cs = &w->touch->newton.colliders;
    return memory_reserve(&w->memory, (void**)&b->w, cs->node_count, &b->w_capacity, sizeof(double)) &&
           memory_reserve(&w->memory, (void**)&b->w_spin, cs->segment_count, &b->w_spin_capacity,
                          sizeof(double)) &&
           memory_reserve(&w->memory, (void**)&b->travel, cs->segment_count, &b->travel_capacity,
                          sizeof(double)) &&
           memory_reserve(&w->memory, (void**)&b->rods, cs->rod_count, &b->rod_capacity,
                          sizeof(ConstraintRod));
}

// Explicit rods that may touch store their velocities before length projection and contact.
static bool reserve_in_rods(CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (!rod->shift[0] && !rod_reserve_shift(&w->memory, rod)) {
            return false;
        }
        bool keeps = stepper_of(rod)->contact == CONTACT_IMPULSES;
        if (keeps && !rod->v_free[0] && !rod_reserve_free(&w->memory, rod)) {
            return false;
        }
    }
    return true;
}

static CordResult refill(CordWorld* w)
{
    WorldContact* c = w->touch;
    bool filled = fill_colliders(w, &c->newton) && reserve_constraints(w);
    c->stale &= !filled, c->remeshed &= !filled;
    return filled ? CORD_OK : contact_no_memory(w);
}

CordResult contact_fill(CordWorld* w)
{
    if (!w->touch) {
        w->touch = memory_array(&w->memory, WorldContact, 1);
        CORD_TRY(w->touch ? CORD_OK : contact_no_memory(w));
        w->touch->stale = true;
    }
    if (w->touch->stale) { // warm starts are keyed by collider numbers, which have just changed
        w->touch->newton.warm.count = w->touch->constraints.warm_count = 0;
    }
    return w->touch->stale || w->touch->remeshed ? refill(w) : CORD_OK;
}

CordResult contact_refill(CordWorld* w)
{
    return contact_is_on(w) ? refill(w) : CORD_OK;
}

int contact_find_rod(const CordWorld* w, const Rod* rod)
{
    const Colliders* cs = &w->touch->newton.colliders;
    int index = slots_index(&w->rods, rod->id.slot), from = 0, to = cs->rod_count;
    while (from < to) { // they are in the world's order
        int middle = from + (to - from) / 2;
        if (cs->rods[middle].index < index) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < cs->rod_count && cs->rods[from].rod == rod ? from : -1;
}

// Warm starts are keyed by segments. Those of changed segments are dropped.
static void remap_warm_starts(WorldContact* c, const ContactKeyRemap* shift)
{
    ContactConstraints* b = &c->constraints;
    int kept = 0;
    warm_starts_remap(&c->newton.warm, shift);
    for (int i = 0; i < b->warm_count; i++) {
        ImpulseWarmStart memory = b->warm[i];
        if (contact_key_remap(&memory.key, shift)) {
            b->warm[kept++] = memory;
        }
    }
    b->warm_count = kept;
}

// Colliders take the numbers that they will have when they are filled again: a rod that changes would fill
// those of all others.
static void renumber(Colliders* cs, int rod, int more_nodes, int more_segments)
{
    cs->rods[rod].node_count += more_nodes;
    cs->rods[rod].segment_count += more_segments;
    for (int i = rod + 1; i < cs->rod_count; i++) {
        cs->rods[i].first_node += more_nodes;
        cs->rods[i].first_segment += more_segments;
    }
    cs->candidates_valid = false;
}

void contact_remap(CordWorld* w, const Rod* rod, const Remesh* map)
{
    int i = contact_is_on(w) ? contact_find_rod(w, rod) : -1;
    if (i < 0) {
        return;
    }
    Colliders* cs = &w->touch->newton.colliders;
    const ColliderRod* r = &cs->rods[i];
    for (int j = 0; j < r->segment_count; j++) { // the map is not used after this
        map->old_edge[j] =
            map->kind[map->old_edge[j]] == REMESH_WHOLE ? r->first_segment + map->old_edge[j] : -1;
    }
    int more = map->edge_count - r->segment_count;
    remap_warm_starts(w->touch, &(ContactKeyRemap){r->first_segment, r->segment_count, more, map->old_edge});
    renumber(cs, i, map->node_count - r->node_count, more);
    w->touch->remeshed = true;
}

void contact_set_law(CordWorld* w)
{
    w->touch->newton.tolerance = w->contact.tolerance;
    w->touch->newton.law =
        (ContactLaw){.gap = NEWTON_REACH, .frozen = true, .tolerance = w->contact.tolerance};
}

CordResult contact_prepare(CordWorld* w)
{
    if (w->touch) {
        w->touch->stale |= (w->marks & MARK_COLLIDERS) != 0;
    }
    world_mark(w, NULL, MARK_KNOTS);
    if (!w->contact.on) {
        return CORD_OK;
    }
    CORD_TRY(contact_fill(w));
    ContactNewton* t = &w->touch->newton;
    t->colliders.candidates_valid &= t->colliders.rods_pass == !w->contact.rods;
    t->colliders.rods_pass = !w->contact.rods;
    contact_set_law(w);
    t->surfaces = contact_surface_laws(w);
    CORD_TRY(check_zones(w));
    return find_islands(w, w->touch) && reserve_in_rods(w) ? CORD_OK : contact_no_memory(w);
}

static void free_sharing(CordWorld* w, ContactConstraints* b) // it shares arrays of the step's constraints
{
    b->w = b->w_spin = b->travel = NULL;
    b->rods = NULL;
    contact_constraints_free(&w->memory, b);
}

void contact_free(CordWorld* w)
{
    WorldContact* c = w->touch;
    if (!c) {
        return;
    }
    contact_newton_free(&w->memory, &c->newton);
    contact_constraints_free(&w->memory, &c->constraints);
    free_sharing(w, &c->corrections);
    c->resting.warm = NULL;
    free_sharing(w, &c->resting);
    impact_zones_free(&w->memory, &c->zones);
    motion_limit_free(&w->memory, &c->limit);
    memory_array_free(&w->memory, c->group, c->group_capacity);
    memory_array_free(&w->memory, c->work, c->work_capacity);
    memory_array_free(&w->memory, c->energies, c->energy_capacity);
    memory_array_free(&w->memory, c->sleep_awake, c->sleep_awake_capacity);
    contact_points_free(&w->memory, &c->asleep);
    delassus_free(&w->memory, &c->delassus);
    arena_free(&w->memory, &c->delassus_arena);
    arena_free(&w->memory, &c->column_arena);
    dof_vector_free(&w->memory, &c->since, &c->since_size);
    dof_vector_free(&w->memory, &c->redone, &c->redone_size);
    dof_vector_free(&w->memory, &c->kept, &c->kept_size);
    memory_array_free(&w->memory, c->kept_pull, c->kept_pull_capacity);
    dof_vector_free(&w->memory, &c->detected, &c->detected_size);
    dof_vector_free(&w->memory, &c->mean, &c->mean_size);
    dof_vector_free(&w->memory, &c->velocity, &c->velocity_size);
    dof_vector_free(&w->memory, &c->kick, &c->kick_size);
    memory_array_free(&w->memory, c->islands, c->island_capacity);
    memory_array_free(&w->memory, c->list, c->list_capacity);
    dof_vector_free(&w->memory, &c->force, &c->force_size);
    memory_array_free(&w->memory, c, 1);
    w->touch = NULL;
}

size_t contact_batch_scratch(const CordWorld* w)
{
    size_t most = 0;
    for (int i = 0; i < w->island_count; i++) {
        const Island* island = &w->islands[i];
        size_t need = contact_is_batched(island->rods[0]) ? stepper_of(island->rods[0])->scratch(island) : 0;
        most = need > most ? need : most;
    }
    return most;
}

size_t contact_compliance_scratch(const CordWorld* w)
{
    size_t most = 0;
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        size_t need = stepper_of(rod)->compliance ? stepper_of(rod)->compliance_scratch(rod) : 0;
        most = need > most ? need : most;
    }
    return most;
}

static size_t redo_scratch(const CordWorld* w)
{
    size_t lanes = contact_batch_scratch(w);
    int all = w->rods.live_count;
    return lanes == 0
               ? 0
               : arena_space(sizeof(Rod*), all) + 2 * arena_space(sizeof(int), all + 1) +
                     arena_space(sizeof(BatchTask), CONTACT_TASKS) + CONTACT_TASKS * arena_space(lanes, 1);
}

size_t contact_scratch(const CordWorld* w)
{
    if (!contact_is_on(w)) {
        return 0;
    }
    size_t most = implicit_scratch(w->touch->islands, w->touch->island_count);
    for (int i = 0; i < w->island_count; i++) {
        const Island* island = &w->islands[i];
        const Stepper* stepper = stepper_of(island->rods[0]);
        bool applies = stepper->apply && !contact_is_batched(island->rods[0]);
        size_t need = applies ? stepper->scratch(island) : 0;
        most = need > most ? need : most;
    }
    size_t redo = redo_scratch(w);
    return redo > most ? redo : most;
}

// True also for an intangible rod, where others touch: one solve steps all rods.
bool rod_is_in_contact(const CordWorld* w, const Rod* rod)
{
    (void)rod;
    return contact_is_on(w);
}

bool contact_is_on(const CordWorld* w)
{
    return w->contact.on && w->touch && w->touch->newton.colliders.rod_count > 0;
}

// ---- state

static void visit_key(ContactKey* key, Bytes* b)
{
    bytes_int(b, &key->a);
    bytes_int(b, &key->b);
    bytes_int(b, &key->feature);
    bytes_int(b, &key->part);
}

// `rolls`: some contacts may have a couple.
static void visit_warm_start(WarmStart* s, bool rolls, Bytes* b)
{
    visit_key(&s->key, b);
    bytes_double(b, &s->normal);
    bytes_doubles(b, &s->friction.x, 3);
    bytes_bool(b, &s->slides);
    bytes_doubles(b, &s->couple.x, rolls ? 3 : 0);
}

static void visit_impulse_warm_start(ImpulseWarmStart* s, bool rolls, Bytes* b)
{
    visit_key(&s->key, b);
    bytes_double(b, &s->force);
    bytes_doubles(b, &s->friction.x, 3);
    bytes_bool(b, &s->slides);
    bytes_doubles(b, &s->couple.x, rolls ? 3 : 0);
}

// A count that is read must fit the remaining bytes: each entry takes more than one word.
static int visit_count(int count, Bytes* b)
{
    bytes_int(b, &count);
    b->failed |= b->mode == BYTES_READ && (count < 0 || (size_t)count > b->size / sizeof(double));
    return b->failed ? 0 : count;
}

void contact_state(CordWorld* w, Bytes* b)
{
    if (!contact_is_on(w)) {
        return;
    }
    if (b->mode != BYTES_HASH) { // positions determine it
        bytes_double(b, &w->touch->newton.left);
    }
    WarmStarts* s = &w->touch->newton.warm;
    ContactConstraints* constraints = &w->touch->constraints;
    bool rolls = contact_any_may_roll(w);
    int anchor_count = visit_count(s->count, b), constraint_count = visit_count(constraints->warm_count, b);
    if (b->mode == BYTES_READ) {
        bool room = warm_starts_reserve(&w->memory, s, anchor_count) &&
                    contact_constraints_reserve(&w->memory, constraints, constraint_count);
        b->failed |= !room;
        s->count = room ? anchor_count : 0;
        constraints->warm_count = room ? constraint_count : 0;
    }
    for (int i = 0; i < s->count; i++) {
        s->all[i].couple = b->mode == BYTES_READ ? (CordVec3){0, 0, 0} : s->all[i].couple;
        visit_warm_start(&s->all[i], rolls, b);
    }
    for (int i = 0; i < constraints->warm_count; i++) {
        ImpulseWarmStart* warm = &constraints->warm[i];
        warm->couple = b->mode == BYTES_READ ? (CordVec3){0, 0, 0} : warm->couple;
        visit_impulse_warm_start(warm, rolls, b);
    }
}
