// Vibrations about the present state: implements cord_world_modes of cordage/solve.h. Where nothing touches,
// every island vibrates by itself. Where something does, all rods and bodies are one system, whose contacts
// are held.
#include "solve/statics.h"
#include "world/contact_group.h"

#include <string.h>

typedef struct Mode {
    double omega2;
    int first, count; // islands that it belongs to
    const double* shape;
} Mode;

typedef struct Modes {
    int wanted;
    Island* islands; // of the world; closed (island_count)
    int island_count;
    double* omega2; // eigenvalues of one group (wanted)
    double* shapes; // of all groups, one after the other (size)
    size_t size;    // [bytes]
    Mode* softest;  // the lowest of all groups, ascending (wanted)
    int count;      // entries in softest
} Modes;

static int island_edges(const Island* g)
{
    int count = 0;
    for (int i = 0; i < g->rod_count; i++) {
        count += g->rods[i]->line.edge_count;
    }
    return count;
}

static int island_nodes(const Island* g)
{
    int count = 0;
    for (int i = 0; i < g->rod_count; i++) {
        count += g->rods[i]->line.node_count;
    }
    return count;
}

static size_t group_vector(const NewtonGroup* group) // entries in a mode shape: see vibration.c
{
    size_t sum = 6u * (size_t)newton_group_bodies(group);
    for (int i = 0; i < group->island_count; i++) {
        sum += 3u * (size_t)island_nodes(&group->islands[i]) + (size_t)island_edges(&group->islands[i]);
    }
    return sum;
}

static int group_edges(const NewtonGroup* group)
{
    int count = 0;
    for (int i = 0; i < group->island_count; i++) {
        count += island_edges(&group->islands[i]);
    }
    return count;
}

static int group_most_modes(const NewtonGroup* group)
{
    int sum = 0;
    for (int i = 0; i < group->island_count; i++) {
        const Island* g = &group->islands[i];
        const ReducedModel* reduced = model_of(g->rods[0])->reduced;
        if (reduced) {
            return reduced->mode_count(g->rods[0]);
        }
        for (int k = 0; k < g->rod_count; k++) {
            sum += statics_freedom(g->rods[k]);
        }
        for (int k = 0; k < island_body_count(g); k++) {
            sum += statics_body_freedom(g->assembly->bodies[k]);
        }
    }
    for (int i = 0; i < group->body_count; i++) {
        sum += statics_body_freedom(group->bodies[i]);
    }
    return sum > 0 ? sum : 0;
}

// ---- the modes of a group

// Tensions that keep the lengths of inextensible rods under the present loads. A state that no solve has
// found knows no others.
static CordResult find_tensions(const CordWorld* w, const NewtonGroup* group, double* tension)
{
    for (int i = 0; i < group->island_count; i++) {
        const Island* g = &group->islands[i];
        for (int k = 0; k < g->rod_count; k++) {
            CORD_TRY(cord_rod_tensions(w, g->rods[k]->id, tension));
            tension += g->rods[k]->line.edge_count;
        }
    }
    return CORD_OK;
}

static CordResult check_held(CordWorld* w, const NewtonSystem* sys, const NewtonGroup* group, int count)
{
    int most = group_most_modes(group) - sys->held;
    return count <= most
               ? CORD_OK
               : message_fail(&w->message, CORD_BAD_ARGUMENT,
                              "%d vibrations were asked for, and contacts, which are held, leave %d", count,
                              most > 0 ? most : 0);
}

// The islands of the group must be open.
static CordResult group_modes(CordWorld* w, const NewtonGroup* group, int count, const double* tension,
                              double* omega2, double* shape)
{
    Statics st;
    size_t need = statics_scratch(group);
    bool good = arena_reserve(&w->memory, &w->query, need);
    for (int pass = 0; pass < 2 && good; pass++) { // the size is known once the group is open
        arena_reset(&w->query);
        statics_open(&st, group, w->gravity, w->time, &w->query);
        good = arena_reserve(&w->memory, &w->query, need + statics_modes_scratch(&st.sys, count));
    }
    if (!good) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for vibrations");
    }
    const char* name = group->islands[0].rods[0]->name;
    if (newton_is_skew(&st.sys)) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "a torque or a wind acts on rod '%s', which has no potential: its vibrations are "
                            "not those of an energy; take it away, or run the scene",
                            name);
    }
    st.loads = &w->loads;
    statics_offer_tensions(&st, tension);
    statics_keep(&st);
    good = statics_factor_vibrations(&st);
    if (good) {
        CORD_TRY(check_held(w, &st.sys, group, count));
        good = statics_modes(&st, count, omega2, shape, &w->query);
    }
    return good ? CORD_OK
                : message_fail(&w->message, CORD_NOT_CONVERGED, "the vibrations of rod '%s' were not found",
                               name);
}

static CordResult island_modes(CordWorld* w, Modes* m, Island* g, int count, double* shapes)
{
    NewtonGroup group = {.islands = g, .island_count = 1};
    double* tension = memory_array(&w->memory, double, island_edges(g));
    if (!tension) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for vibrations");
    }
    CordResult result = find_tensions(w, &group, tension);
    if (result == CORD_OK) {
        result = island_open(w, g);
        result = result == CORD_OK ? group_modes(w, &group, count, tension, m->omega2, shapes) : result;
        island_close(w, g);
    }
    memory_array_free(&w->memory, tension, island_edges(g));
    return result;
}

static void add_mode(Modes* m, Mode mode)
{
    if (m->count == m->wanted && !(mode.omega2 < m->softest[m->count - 1].omega2)) {
        return;
    }
    int at = m->count < m->wanted ? m->count++ : m->count - 1;
    for (; at > 0 && mode.omega2 < m->softest[at - 1].omega2; at--) {
        m->softest[at] = m->softest[at - 1];
    }
    m->softest[at] = mode;
}

static CordResult find_modes(CordWorld* w, Modes* m)
{
    double* shapes = m->shapes;
    for (int i = 0; i < m->island_count; i++) {
        Island* g = &m->islands[i];
        NewtonGroup group = {.islands = g, .island_count = 1};
        int most = group_most_modes(&group), own = m->wanted < most ? m->wanted : most;
        const ReducedModel* reduced = model_of(g->rods[0])->reduced;
        if (reduced) {
            reduced->modes(g->rods[0], own, m->omega2, shapes, group_vector(&group));
        } else {
            CORD_TRY(own > 0 ? island_modes(w, m, g, own, shapes) : CORD_OK);
        }
        for (int k = 0; k < own; k++) {
            add_mode(m, (Mode){m->omega2[k], i, 1, shapes + (size_t)k * group_vector(&group)});
        }
        shapes += (size_t)own * group_vector(&group);
    }
    return CORD_OK;
}

// ---- contacts that are held

static CordResult contact_modes(CordWorld* w, Modes* m, ContactGroup* g)
{
    int edges = group_edges(&g->group);
    double* tension = memory_array(&w->memory, double, edges);
    if (!tension) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for vibrations");
    }
    CordResult result = find_tensions(w, &g->group, tension);
    result = result == CORD_OK ? contact_group_take_forces(g) : result;
    result = result == CORD_OK ? contact_group_open_islands(g) : result;
    result = result == CORD_OK ? group_modes(w, &g->group, m->wanted, tension, m->omega2, m->shapes) : result;
    for (int k = 0; k < m->wanted && result == CORD_OK; k++) {
        add_mode(m,
                 (Mode){m->omega2[k], 0, m->island_count, m->shapes + (size_t)k * group_vector(&g->group)});
    }
    memory_array_free(&w->memory, tension, edges);
    return result;
}

// ---- the modes of a world

// First node of a rod among those of all rods.
static size_t first_node(const CordWorld* w, const Rod* rod)
{
    size_t sum = 0;
    for (int i = 0; slots_at(&w->rods, i) != rod; i++) {
        sum += (size_t)((const Rod*)slots_at(&w->rods, i))->line.node_count;
    }
    return sum;
}

// Copies from the order of the mode's islands to the world's. Rods of other islands get zero.
static void copy_shape(const CordWorld* w, const Modes* m, const Mode* mode, CordVec3* shape, size_t nodes)
{
    const double* v = mode->shape;
    memset(shape, 0, nodes * sizeof *shape);
    for (int i = mode->first; i < mode->first + mode->count; i++) {
        for (int k = 0; k < m->islands[i].rod_count; k++) {
            const Rod* rod = m->islands[i].rods[k];
            CordVec3* to = shape + first_node(w, rod);
            for (int n = 0; n < rod->line.node_count; n++, v += 3) {
                to[n] = (CordVec3){v[0], v[1], v[2]};
            }
        }
    }
}

static CordResult check_count(CordWorld* w, const Modes* m, double all)
{
    if (all < m->wanted) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "%d vibrations were asked for, and these rods have %.0f: three for a free node, "
                            "six for a body and three for a pin, less one for each edge "
                            "that keeps its length",
                            m->wanted, all);
    }
    if (m->wanted > STATICS_MOST_MODES) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "%d vibrations were asked for; ask for %d at the most", m->wanted,
                            STATICS_MOST_MODES);
    }
    return CORD_OK;
}

// Counts the modes and the memory that they need. `contact`: NULL, or all islands as one system.
static CordResult count_modes(CordWorld* w, Modes* m, const NewtonGroup* contact)
{
    double all = 0.0, size = 0.0;
    for (int i = 0; i < (contact ? 1 : m->island_count); i++) {
        NewtonGroup group = contact ? *contact : (NewtonGroup){.islands = &m->islands[i], .island_count = 1};
        int most = group_most_modes(&group), own = m->wanted < most ? m->wanted : most;
        all += most;
        size += (double)own * (double)group_vector(&group) * sizeof(double);
    }
    CORD_TRY(check_count(w, m, all));
    if (size > 0.25 * (double)SIZE_MAX) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for vibrations");
    }
    m->size = (size_t)size;
    return CORD_OK;
}

static CordResult fill_modes(CordWorld* w, Modes* m, ContactGroup* contact)
{
    CORD_TRY(count_modes(w, m, contact ? &contact->group : NULL));
    m->omega2 = memory_array(&w->memory, double, m->wanted);
    m->shapes = memory_alloc(&w->memory, m->size);
    m->softest = memory_array(&w->memory, Mode, m->wanted);
    if (!m->omega2 || !m->shapes || !m->softest) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for vibrations");
    }
    return contact ? contact_modes(w, m, contact) : find_modes(w, m);
}

static CordResult modes_of_rods(CordWorld* w, Modes* m, CordSolveFriction friction)
{
    world_release_clamps(w, w->time);
    CORD_TRY(world_prepare(w));
    m->island_count = world_solve_island_count(w);
    m->islands = memory_array(&w->memory, Island, m->island_count);
    if (!m->islands) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for vibrations");
    }
    for (int i = 0; i < m->island_count; i++) {
        m->islands[i] = world_solve_island(w, i);
    }
    if (cord_world_contact_count(w) == 0) {
        return fill_modes(w, m, NULL);
    }
    ContactGroup contact;
    CordResult result =
        contact_group_open(w, &contact, CONTACT_HOLD_TOUCHING, friction != CORD_SOLVE_FRICTION_OFF);
    contact.contact.judges = true;
    result = result == CORD_OK ? fill_modes(w, m, &contact) : result;
    contact_group_close(&contact);
    return result;
}

static void free_modes(CordWorld* w, Modes* m)
{
    memory_array_free(&w->memory, m->islands, m->island_count);
    memory_array_free(&w->memory, m->omega2, m->wanted);
    memory_free(&w->memory, m->shapes, m->size);
    memory_array_free(&w->memory, m->softest, m->wanted);
}

// Clamps that are due let go for the answer, and rods take another form and back: all of it is undone.
CordResult cord_world_modes_with(CordWorld* w, CordSolveFriction friction, int count, double* omega2,
                                 CordVec3* shape)
{
    CORD_TRY(check_no_branch(w, "vibrations are not looked for"));
    if (count < 1) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "%d vibrations were asked for; ask for one at least", count);
    }
    CORD_TRY(world_take_snapshot(w));
    Modes m = {.wanted = count};
    CordResult result = modes_of_rods(w, &m, friction);
    size_t nodes = 0;
    for (int i = 0; i < w->rods.live_count; i++) {
        nodes += (size_t)((const Rod*)slots_at(&w->rods, i))->line.node_count;
    }
    for (int k = 0; k < count && result == CORD_OK; k++) {
        omega2[k] = m.softest[k].omega2;
        if (shape) {
            copy_shape(w, &m, &m.softest[k], shape + (size_t)k * nodes, nodes);
        }
    }
    free_modes(w, &m);
    world_restore(w, w->snapshot, w->snapshot_size);
    world_trim_snapshot(w);
    return result;
}

CordResult cord_world_modes(CordWorld* w, int count, double* omega2, CordVec3* shape)
{
    return cord_world_modes_with(w, CORD_SOLVE_FRICTION_COULOMB, count, omega2, shape);
}
