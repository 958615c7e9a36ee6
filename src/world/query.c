// Queries of a rod and its clamps in the present state.
#include "math/elementary.h"
#include "solve/rattle.h"
#include "world/world.h"

#include <string.h>

// ---- cached evaluation of the present state

static void elastic_forces(const Rod* rod, CordVec3* f)
{
    memset(f, 0, sizeof *f * (size_t)rod->line.node_count);
    model_of(rod)->gradient(rod, f);
    for (int i = 0; i < rod->line.node_count; i++) {
        f[i] = vec3_mul(f[i], -1.0);
    }
}

// Sections transmit both.
void rod_inner_forces(const Rod* rod, CordVec3* f)
{
    if (!model_of(rod)->is_damped || !model_of(rod)->is_damped(rod)) {
        elastic_forces(rod, f);
        return;
    }
    model_of(rod)->sections(rod, f, NULL);
    rod_sections_to_nodes(rod, f);
}

// Staggered steps: advances the velocities by half a step, to the time of the positions.
static void synchronise_velocities(const Rod* rod, const CordVec3* f, double lag, CordVec3* v)
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < c->node_count; i++) {
        CordVec3 start = node_velocity(c, i);
        v[i] = lag == 0.0 ? start : vec3_madd(start, vec3_mul(f[i], c->w[slot_of(c, i)]), lag);
    }
    for (int i = 0; i < rod->clamp_count && lag != 0.0; i++) {
        const Clamp* clamp = rod->clamps[i];
        for (int k = 0; clamp->holds && !clamp->carrier && k < clamp->node_count; k++) {
            int node = clamp->node[k];
            CordVec3 held = clamp_acceleration(clamp, node), start = node_velocity(c, node);
            v[node] = clamp->def.slides ? vec3_madd(vec3_madd(start, vec3_reject(held, clamp->axis), lag),
                                                    clamp_filter(rod, node, f[node]), lag)
                                        : vec3_madd(start, held, lag);
        }
    }
}

void rod_now_free(Memory* m, Rod* rod)
{
    int n = rod->line.node_count, edges = n > rod->line.edge_count ? n : rod->line.edge_count;
    memory_array_free(m, rod->now.f, n);
    memory_array_free(m, rod->now.v, n);
    memory_array_free(m, rod->now.tension, edges);
    memory_array_free(m, rod->now.rate, edges);
    memory_array_free(m, rod->now.section, edges);
    rod->now = (RodNow){0};
}

static bool reserve_now(Memory* m, Rod* rod)
{
    int n = rod->line.node_count, edges = n > rod->line.edge_count ? n : rod->line.edge_count;
    if (rod->now.f) {
        return true;
    }
    rod->now.f = memory_array(m, CordVec3, n);
    rod->now.v = memory_array(m, CordVec3, n);
    rod->now.tension = memory_array(m, double, edges);
    rod->now.rate = memory_array(m, double, edges);
    rod->now.section = memory_array(m, CordVec3, edges);
    if (!rod->now.f || !rod->now.v || !rod->now.tension || !rod->now.rate || !rod->now.section) {
        rod_now_free(m, rod);
        return false;
    }
    return true;
}

static CordResult no_query_memory(CordWorld* w, const Rod* rod)
{
    return message_fail(&w->message, CORD_NO_MEMORY, "no memory for a query on rod '%s'", rod->name);
}

CordResult rod_now_open(CordWorld* w, Rod* rod)
{
    if (!reserve_now(&w->memory, rod)) {
        return no_query_memory(w, rod);
    }
    RodNow* now = &rod->now;
    if (model_of(rod)->reduced) {
        model_of(rod)->reduced->node_velocities(rod);
    }
    rod_inner_forces(rod, now->f);
    if (model_of(rod)->spin_forces) {
        model_of(rod)->spin_forces(rod, now->f);
    }
    for (int i = 0; i < rod->line.node_count; i++) {
        now->f[i] = vec3_madd(now->f[i], w->gravity, rod_node_mass(rod, i));
    }
    loads_add_forces(rod, w->time, now->f);
    contact_add_forces(w, rod, now->f);
    double lag = stepper_of(rod)->times(rod, 0.0).lag;
    synchronise_velocities(rod, now->f, lag, now->v);
    loads_make_tethers_implicit(rod, w->time, lag, now->v);
    if (!rod->inextensible) {
        model_of(rod)->sections(rod, NULL, now->tension);
    }
    now->has_tensions = !rod->inextensible || rod->assembly; // welds find those of all their rods together
    now->revision = w->revision;
    return CORD_OK;
}

const RodNow* rod_motion_now(const CordWorld* world, const Rod* const_rod)
{
    // A cache is not part of the visible state.
    CordWorld* w = (CordWorld*)world;
    Rod* rod = (Rod*)const_rod;
    if (world_prepare(w) != CORD_OK) {
        return NULL;
    }
    Assembly* a = assembly_at(&w->assemblies, rod->assembly);
    if (a) {
        return assembly_now(w, a) == CORD_OK ? &rod->now : NULL;
    }
    if (rod->now.f && rod->now.revision == w->revision) {
        return &rod->now;
    }
    if (rod->inextensible && !arena_reserve(&w->memory, &w->query, rattle_scratch(rod))) {
        no_query_memory(w, rod);
        return NULL;
    }
    if (rod_now_open(w, rod) != CORD_OK) {
        return NULL;
    }
    if (rod->inextensible) {
        arena_reset(&w->query);
        rattle_project_velocities(rod, rod->now.v, &w->query);
    }
    return &rod->now;
}

const RodNow* rod_now(const CordWorld* world, const Rod* const_rod)
{
    RodNow* now = (RodNow*)rod_motion_now(world, const_rod);
    if (now && !now->has_tensions) {
        Arena* scratch = &((CordWorld*)world)->query;
        arena_reset(scratch);
        rattle_tension(const_rod, now->f, now->v, now->tension, scratch);
        now->has_tensions = true;
    }
    return now;
}

// ---- clamp reactions

// Reaction of a held node: the forces on it less mass times its prescribed acceleration.
CordVec3 clamp_node_reaction(const Clamp* clamp, int node, const RodNow* now)
{
    const Rod* rod = clamp->rod;
    const CordCenterline* c = &rod->line;
    CordVec3 sum = vec3_madd(now->f[node], clamp_acceleration(clamp, node), -rod_node_mass(rod, node));
    if (rod->inextensible) {
        bool has_before = c->closed || node > 0, has_after = c->closed || node < c->node_count - 1;
        int before = has_before ? edge_before(c, node) : 0;
        sum = has_before ? vec3_madd(sum, edge_tangent(c, before), -now->tension[before]) : sum;
        sum = has_after ? vec3_madd(sum, edge_tangent(c, node), now->tension[node]) : sum;
    }
    return clamp->def.slides ? vec3_reject(sum, clamp->axis) : sum;
}

// The kick of an explicit step tells the forces on held nodes at a small part of the cost of rod_now, but not
// those of constraints, of contacts and of spin.
static bool kick_tells_forces(const CordWorld* w, const Rod* rod)
{
    return stepper_of(rod)->frees_nodes && !rod->inextensible && !rod->dynamic_twist && !rod->assembly &&
           !rod_is_in_contact(w, rod);
}

static void kick_free_nodes(const CordWorld* w, Rod* rod) // for a second; its masses are put back
{
    StepInfo step = {.time = w->time, .h = 1.0, .kick = 1.0, .gravity = w->gravity};
    clamps_free_nodes(rod);
    model_of(rod)->kick(rod, &step, false);
    clamps_hold_nodes(rod);
}

static CordVec3 kicked_node_reaction(const CordWorld* w, const Clamp* clamp, int node)
{
    const Rod* rod = clamp->rod;
    const CordCenterline* c = &rod->line;
    int s = slot_of(c, node);
    CordVec3 a = vec3_sub(slot_get(c->v_next, s), slot_get(c->v, s)); // nothing reads v_next between steps
    CordVec3 sum = vec3_madd(loads_force_on(rod, node, w->time), vec3_sub(a, clamp_acceleration(clamp, node)),
                             rod_node_mass(rod, node));
    return clamp->def.slides ? vec3_reject(sum, clamp->axis) : sum;
}

CordResult clamp_reaction_now(const CordWorld* w, const Clamp* clamp, CordVec3* force, CordVec3* torque)
{
    const Rod* rod = clamp->rod;
    const CordCenterline* c = &rod->line;
    *force = *torque = (CordVec3){0, 0, 0};
    if (!clamp->holds) {
        return CORD_OK;
    }
    if (clamp->carrier) {
        return weld_reaction_now(w, weld_of(clamp), force, torque);
    }
    CORD_TRY(world_prepare(w));
    if (model_of(rod)->reduced) {
        return modal_reaction(w, clamp, force, torque);
    }
    bool kicks = kick_tells_forces(w, rod);
    const RodNow* now = kicks ? NULL : rod_now(w, rod);
    if (kicks) {
        kick_free_nodes(w, clamp->rod);
    } else if (!now) {
        return CORD_NO_MEMORY;
    }
    CordVec3 point = clamp->last.point;
    for (int k = 0; clamp->def.slides && k < clamp->node_count; k++) { // it moves with the mean of the nodes
        CordVec3 offset = vec3_add(point, quat_rotate(clamp->last.rotation, clamp->offset[k]));
        point = vec3_madd(point, vec3_sub(node_position(c, clamp->node[k]), offset), 1.0 / (k + 1));
    }
    for (int k = 0; k < clamp->node_count; k++) {
        int node = clamp->node[k];
        CordVec3 part = kicks ? kicked_node_reaction(w, clamp, node) : clamp_node_reaction(clamp, node, now);
        *force = vec3_add(*force, part);
        *torque = vec3_add(*torque, vec3_cross(vec3_sub(node_position(c, node), point), part));
    }
    *torque = vec3_add(*torque, model_couple(clamp));
    return CORD_OK;
}

CordResult cord_clamp_reaction(const CordWorld* w, CordClampId id, CordVec3* force, CordVec3* torque)
{
    const Clamp* clamp = slots_get(&w->clamps, id.slot, id.generation);
    return clamp ? clamp_reaction_now(w, clamp, force, torque) : bad_id(w, "clamp");
}

// ---- energy and momentum

typedef struct Spin {
    double energy;
    CordVec3 momentum;
} Spin;

static Spin spin_of(const Rod* rod)
{
    Spin spin = {0};
    if (model_of(rod)->spin_energy) {
        model_of(rod)->spin_energy(rod, stepper_of(rod)->times(rod, 0.0).lag, &spin.energy, &spin.momentum);
    }
    return spin;
}

// What the springs of position-based rods store that stand for lengths is no energy of an inextensible rod.
// Sweeps that are too few leave much in them, and lose it again.
CordEnergy rod_elastic_energy(const Rod* rod)
{
    CordEnergy energy = {0};
    model_of(rod)->energy(rod, &energy);
    energy.stretch = rod->stiffened ? 0.0 : energy.stretch;
    return energy;
}

CordEnergy rod_energy_now(const CordWorld* w, const Rod* rod, const CordVec3* v)
{
    CordEnergy energy = rod_elastic_energy(rod);
    energy.kinetic = spin_of(rod).energy;
    for (int i = 0; i < rod->line.node_count; i++) {
        double mass = rod_lumped_mass(rod, i);
        energy.kinetic += 0.5 * mass * vec3_dot(v[i], v[i]);
        energy.gravity -= mass * vec3_dot(w->gravity, node_position(&rod->line, i));
    }
    return energy;
}

static CordMomentum momentum_of(const Rod* rod, const CordVec3* v)
{
    CordMomentum m = {.angular = spin_of(rod).momentum};
    double total = 0.0;
    for (int i = 0; i < rod->line.node_count; i++) {
        double mass = rod_lumped_mass(rod, i);
        CordVec3 x = node_position(&rod->line, i);
        m.linear = vec3_madd(m.linear, v[i], mass);
        m.angular = vec3_madd(m.angular, vec3_cross(x, v[i]), mass);
        m.center = vec3_madd(m.center, x, mass);
        total += mass;
    }
    m.center = vec3_mul(m.center, 1.0 / total);
    return m;
}

// ---- public functions

const char* cord_rod_name(const CordWorld* w, CordRodId id)
{
    const Rod* rod = world_rod(w, id);
    return rod ? rod->name : NULL;
}

int cord_rod_node_count(const CordWorld* w, CordRodId id)
{
    const Rod* rod = world_rod(w, id);
    return rod ? rod->line.node_count : 0;
}

int cord_rod_edge_count(const CordWorld* w, CordRodId id)
{
    const Rod* rod = world_rod(w, id);
    return rod ? rod->line.edge_count : 0;
}

double cord_rod_length(const CordWorld* w, CordRodId id)
{
    const Rod* rod = world_rod(w, id);
    return rod ? rod->length : 0.0;
}

CordResult cord_rod_masses(const CordWorld* w, CordRodId id, double* mass)
{
    const Rod* rod = world_rod(w, id);
    if (!rod) {
        return bad_id(w, "rod");
    }
    for (int i = 0; i < rod->line.node_count; i++) {
        mass[i] = rod_lumped_mass(rod, i);
    }
    return CORD_OK;
}

double cord_rod_mass(const CordWorld* w, CordRodId id)
{
    const Rod* rod = world_rod(w, id);
    return rod ? rod_mass(rod) : 0.0;
}

CordStiffness cord_rod_stiffness(const CordWorld* w, CordRodId id)
{
    const Rod* rod = world_rod(w, id);
    return rod ? rod->stiffness : (CordStiffness){0};
}

CordResult query_rod(const CordWorld* w, CordRodId id, const Rod** rod)
{
    *rod = world_rod(w, id);
    return *rod ? world_prepare(w) : bad_id(w, "rod");
}

CordResult query_rod_now(const CordWorld* w, CordRodId id, const Rod** rod, const RodNow** now)
{
    CORD_TRY(query_rod(w, id, rod));
    *now = rod_now(w, *rod);
    return *now ? CORD_OK : CORD_NO_MEMORY;
}

CordResult cord_rod_positions(const CordWorld* w, CordRodId id, CordVec3* x)
{
    const Rod* rod = world_rod(w, id);
    if (!rod) {
        return bad_id(w, "rod");
    }
    for (int i = 0; i < rod->line.node_count; i++) {
        x[i] = node_position(&rod->line, i);
    }
    return CORD_OK;
}

CordResult cord_rod_velocities(const CordWorld* w, CordRodId id, CordVec3* v)
{
    const Rod* rod;
    CORD_TRY(query_rod(w, id, &rod));
    const RodNow* now = rod_motion_now(w, rod);
    CORD_TRY(now ? CORD_OK : CORD_NO_MEMORY);
    memcpy(v, now->v, sizeof *v * (size_t)rod->line.node_count);
    return CORD_OK;
}

static CordResult all_finite(CordWorld* w, const Rod* rod, const CordVec3* a, const char* what)
{
    for (int i = 0; i < rod->line.node_count; i++) {
        if (!vec3_finite(a[i])) {
            return message_fail(&w->message, CORD_BAD_ARGUMENT, "%s %d given for rod '%s' is not finite",
                                what, i, rod->name);
        }
    }
    return CORD_OK;
}

#define MOST_STRETCH 1e9 // of an edge, or its inverse: farther, forces lose all digits, and squares overflow

CordResult cord_rod_set_positions(CordWorld* w, CordRodId id, const CordVec3* x)
{
    Rod* rod = world_rod(w, id);
    if (!rod) {
        return bad_id(w, "rod");
    }
    if (model_of(rod)->reduced) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "rod '%s' is modal: its positions follow from amplitudes of modes, which "
                            "cord_rod_set_amplitudes sets",
                            rod->name);
    }
    CORD_TRY(all_finite(w, rod, x, "position"));
    CORD_TRY(world_prepare(w));
    for (int j = 0; j < rod->line.edge_count; j++) {
        double length = vec3_length(vec3_sub(x[edge_end(&rod->line, j)], x[j]));
        double rest = edge_rest_len(&rod->line, j);
        if (length == 0.0) {
            return message_fail(&w->message, CORD_BAD_ARGUMENT, "edge %d of rod '%s' would have no length", j,
                                rod->name);
        }
        if (!(length < MOST_STRETCH * rest && rest < MOST_STRETCH * length)) {
            return message_fail(&w->message, CORD_BAD_ARGUMENT,
                                "edge %d of rod '%s' would be %.3g m long, and it is %.3g m long at rest: "
                                "its forces cannot be worked out",
                                j, rod->name, length, rest);
        }
    }
    for (int k = 0; k < inner_count(&rod->line); k++) {
        int i = inner_node(&rod->line, k), before = edge_before(&rod->line, i);
        CordVec3 a = vec3_sub(x[i], x[before]), b = vec3_sub(x[edge_end(&rod->line, i)], x[i]);
        if (vec3_dot(a, b) <= (1e-15 - 1.0) * vec3_length(a) * vec3_length(b)) {
            return message_fail(&w->message, CORD_BAD_ARGUMENT,
                                "edge %d of rod '%s' would lie folded onto edge %d", i, rod->name, before);
        }
    }
    for (int i = 0; i < rod->line.node_count; i++) {
        slot_set(rod->line.x, slot_of(&rod->line, i), x[i]);
    }
    centerline_wrap(&rod->line, rod->line.x);
    welds_move_nodes(rod);
    stepper_update_frames(rod, w->time, 0.0);
    world_mark(w, NULL, MARK_KNOTS);
    return CORD_OK;
}

CordResult cord_rod_set_velocities(CordWorld* w, CordRodId id, const CordVec3* v)
{
    Rod* rod = world_rod(w, id);
    if (!rod) {
        return bad_id(w, "rod");
    }
    CORD_TRY(all_finite(w, rod, v, "velocity"));
    for (int i = 0; i < rod->line.node_count; i++) {
        slot_set(rod->line.v, slot_of(&rod->line, i), v[i]);
    }
    centerline_wrap(&rod->line, rod->line.v);
    if (model_of(rod)->reduced) {
        CORD_TRY(world_prepare(w));
        model_of(rod)->reduced->set_node_velocities(rod);
    }
    rod->last_step = 0.0; // the new velocities belong to the positions
    world_mark(w, NULL, MARK_STATE);
    return CORD_OK;
}

CordResult cord_rod_material_frames(const CordWorld* w, CordRodId id, CordVec3* m1)
{
    const Rod* rod;
    CORD_TRY(query_rod(w, id, &rod));
    model_of(rod)->material_frames(rod, m1);
    return CORD_OK;
}

CordResult cord_rod_forces(const CordWorld* w, CordRodId id, CordVec3* f)
{
    const Rod* rod;
    CORD_TRY(query_rod(w, id, &rod));
    elastic_forces(rod, f);
    return CORD_OK;
}

CordEnergy cord_rod_energy(const CordWorld* w, CordRodId id)
{
    const Rod* rod = world_rod(w, id);
    const RodNow* now = rod ? rod_motion_now(w, rod) : NULL;
    return now ? rod_energy_now(w, rod, now->v) : (CordEnergy){0};
}

CordMomentum cord_rod_momentum(const CordWorld* w, CordRodId id)
{
    const Rod* rod = world_rod(w, id);
    const RodNow* now = rod ? rod_motion_now(w, rod) : NULL;
    return now ? momentum_of(rod, now->v) : (CordMomentum){0};
}

double cord_rod_stretch(const CordWorld* w, CordRodId id)
{
    const Rod* rod = world_rod(w, id);
    return rod ? rod_stretch(rod) : 0.0;
}

double cord_rod_twist(const CordWorld* w, CordRodId id)
{
    const Rod* rod = world_rod(w, id);
    if (!rod || world_prepare(w) != CORD_OK) {
        return 0.0;
    }
    return model_of(rod)->twist(rod) / (2.0 * CORD_PI);
}

double cord_rod_writhe(const CordWorld* w, CordRodId id)
{
    const Rod* rod = world_rod(w, id);
    bool chain = rod && !rod->line.ends;
    CordVec3* x = chain ? memory_array((Memory*)&w->memory, CordVec3, rod->line.node_count) : NULL;
    if (!x) {
        return 0.0;
    }
    cord_rod_positions(w, id, x);
    double writhe = cord_polygon_tailed_writhe(x, rod->line.node_count, rod->line.closed);
    memory_array_free((Memory*)&w->memory, x, rod->line.node_count);
    return writhe;
}

double cord_rod_link(const CordWorld* w, CordRodId id)
{
    return cord_rod_twist(w, id) + cord_rod_writhe(w, id);
}
