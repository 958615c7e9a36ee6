#include "model/pbd/pbd.h"

#include "base/real.h"

#include <string.h>

#define ITERATIONS_DIRECT 24
#define ITERATIONS_SWEEPS 20

// ---- creation

static CordResult check_share(const Rod* rod, const char* what, double value, Message* message)
{
    return value >= 0.0 && value <= 1.0
               ? CORD_OK
               : message_fail(message, CORD_BAD_ARGUMENT,
                              "rod '%s': the %s is %g; it is a share, from 0 to 1", rod->name, what, value);
}

static CordResult check_words(const Rod* rod, const CordPbdDef* d, Message* message)
{
    bool known = (unsigned)d->solver <= CORD_PBD_PBD && (unsigned)d->method <= CORD_PBD_SWEEPS &&
                 (unsigned)d->order <= CORD_PBD_INTERLEAVED && (unsigned)d->gravity <= CORD_PBD_GRAVITY_NONE;
    return known ? CORD_OK
                 : message_fail(
                       message, CORD_BAD_ARGUMENT,
                       "rod '%s': its solver, method, order or gravity on ghosts is none that there is",
                       rod->name);
}

static CordResult check_def(const Rod* rod, const CordRodDef* def, Message* message)
{
    const CordPbdDef* d = &def->pbd;
    CORD_TRY(check_words(rod, d, message));
    if (d->substeps < 1 || d->iterations < 0) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "rod '%s': %d substeps of %d iterations; there must be one at least, or 0 "
                            "iterations for as many as is usual",
                            rod->name, d->substeps, d->iterations);
    }
    if (!(d->tolerance > 0.0 && d->tolerance <= 1.0)) {
        return message_fail(
            message, CORD_BAD_ARGUMENT,
            "rod '%s': the tolerance is %g; it is a share of an edge and must be positive, 1 at the most",
            rod->name, d->tolerance);
    }
    CORD_TRY(check_share(rod, "weight of bending about m1", d->weight_bend1, message));
    CORD_TRY(check_share(rod, "weight of bending about m2", d->weight_bend2, message));
    CORD_TRY(check_share(rod, "weight of twisting", d->weight_twist, message));
    CORD_TRY(check_share(rod, "weight of stretching", d->weight_stretch, message));
    CORD_TRY(check_share(rod, "damping", d->damping, message));
    if (!(d->ghost_mass > 0.0 && d->ghost_mass < 1.0) ||
        !(d->ghost_length > 0.0 && isfinite(d->ghost_length))) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "rod '%s': ghosts of mass %g at the distance %g; the first is a share of the "
                            "edge's, between 0 and 1, and the second over its length, positive",
                            rod->name, d->ghost_mass, d->ghost_length);
    }
    if (d->solver == CORD_PBD_PBD && def->adapt.on && !rod_is_implicit(rod)) {
        return message_fail(message, CORD_NOT_SUPPORTED,
                            "rod '%s': the solver \"pbd\" has ghost points of its own and keeps its nodes; "
                            "take \"xpbd\" for an adaptive rod",
                            rod->name);
    }
    return CORD_OK;
}

// A position-based rod has no other constraints than springs, however stiff. One that is not to stretch gets
// springs that its weight, or bending it into a ring, would stretch by a billionth.
#define STIFF 1e9

static void stiffen(Rod* rod)
{
    const CordStiffness* k = &rod->stiffness;
    double bend = 0.0, length = rod->length;
    for (int j = 0; j < (rod->along ? rod->line.edge_count : 1); j++) {
        k = rod_stiffness_at(rod, j);
        bend = real_max(bend, real_max(real_max(k->EI1, k->EI2), k->GJ));
    }
    double EA = STIFF * (9.81 * rod_mass(rod) + 40.0 * bend / (length * length));
    rod->inextensible = false;
    rod->stiffened = true;
    rod->stiffness.EA = EA;
    for (int j = 0; rod->along && j < rod->line.edge_count; j++) {
        rod->along[j].EA = EA;
    }
}

static void carve_all(Carver* c, CordPbd* m, bool damped)
{
    m->spin_end = carve(c);
    m->tension_end = carve(c);
    for (int k = 0; k < 3 && damped; k++) {
        m->past[k] = carve(c), m->past_next[k] = carve(c);
    }
    m->past_length = damped ? carve(c) : NULL;
    m->past_length_next = damped ? carve(c) : NULL;
    for (int k = 0; k < 3 && m->def.solver == CORD_PBD_PBD; k++) {
        m->ghost[k] = carve(c), m->ghost_v[k] = carve(c), m->mid[k] = carve(c);
        m->ghost_next[k] = carve(c), m->ghost_v_next[k] = carve(c), m->mid_next[k] = carve(c);
    }
}

static bool reserve(Memory* memory, CordPbd* m, const Rod* rod)
{
    Carver count = {.stride = centerline_stride(&rod->line)};
    carve_all(&count, m, rod->damping_time > 0.0);
    m->block_size = count.count * count.stride * sizeof(double);
    m->block = memory_alloc(memory, m->block_size);
    Carver carver = {.next = m->block, .stride = count.stride};
    if (m->block) {
        carve_all(&carver, m, rod->damping_time > 0.0);
    }
    return m->block != NULL;
}

static void pbd_destroy(Memory* memory, Rod* rod)
{
    CordPbd* m = pbd_of(rod);
    if (m) {
        memory_free(memory, m->block, m->block_size);
        memory_free(memory, m, sizeof *m);
        rod->data = NULL;
    }
    framed_destroy(memory, rod->framed);
    rod->framed = NULL;
}

static CordResult no_memory(const Rod* rod, Message* message)
{
    return message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
}

static CordResult create_data(Memory* memory, Rod* rod, const CordPbdDef* def, Message* message)
{
    CordPbd* m = memory_array(memory, CordPbd, 1);
    rod->data = m;
    if (!m) {
        return no_memory(rod, message);
    }
    m->def = *def;
    bool sweeps = def->solver == CORD_PBD_PBD || def->method == CORD_PBD_SWEEPS;
    m->def.iterations = def->iterations > 0 ? def->iterations
                        : sweeps            ? ITERATIONS_SWEEPS
                                            : ITERATIONS_DIRECT;
    return reserve(memory, m, rod) ? CORD_OK : no_memory(rod, message);
}

static CordResult create(Memory* memory, Rod* rod, const CordRodDef* def, Message* message)
{
    CORD_TRY(check_def(rod, def, message));
    CORD_TRY(create_data(memory, rod, &def->pbd, message));
    CordPbd* m = pbd_of(rod);
    m->inextensible = rod->inextensible;
    m->dynamic_twist = rod->dynamic_twist;
    rod->positioned = rod->any_step = !rod_is_implicit(rod);
    if (rod->positioned) { // its frames always have inertia
        rod->dynamic_twist = true;
        rod->no_torque = def->pbd.solver == CORD_PBD_PBD;
        if (rod->inextensible) {
            stiffen(rod);
        }
    }
    CORD_TRY(framed_create(memory, rod, def, CORNER_LAW_PBD, message));
    rod->framed->damping_time = rod->positioned ? 0.0 : rod->damping_time; // rates are the solver's business
    return CORD_OK;
}

static CordResult pbd_create(Memory* memory, Rod* rod, const CordRodDef* def, Message* message)
{
    CordResult result = create(memory, rod, def, message);
    if (result != CORD_OK) {
        pbd_destroy(memory, rod);
    } else if (pbd_has_ghosts(rod)) {
        pbd_place_ghosts(rod);
    }
    return result;
}

static CordResult pbd_remesh(Memory* memory, Rod* rod, const Remesh* map, Message* message)
{
    const CordPbd* old = pbd_of(map->from);
    CordResult result = create_data(memory, rod, &old->def, message);
    if (result == CORD_OK) {
        pbd_of(rod)->inextensible = old->inextensible;
        pbd_of(rod)->dynamic_twist = old->dynamic_twist;
        result = framed_remesh(memory, rod, map, map->from->framed, CORNER_LAW_PBD) ? CORD_OK
                                                                                    : no_memory(rod, message);
    }
    if (result == CORD_OK && rod->positioned) {
        rod->framed->damping_time = 0.0;
    }
    if (result != CORD_OK) {
        pbd_destroy(memory, rod);
    }
    return result;
}

// Newton's method takes over: what the direct solver goes to is backward Euler, whose frames are in
// equilibrium if they were not asked to have inertia.
static CordResult pbd_reserve_implicit(Memory* memory, Rod* rod, Message* message)
{
    Framed* g = rod->framed;
    double before = g->damping_time;
    g->damping_time = rod->damping_time; // which the trial frames are made by
    bool made = framed_open_trial(memory, g, rod);
    g->damping_time = before;
    return made ? CORD_OK : no_memory(rod, message);
}

static void pbd_make_implicit(Rod* rod)
{
    const CordPbd* m = pbd_of(rod);
    rod->framed->damping_time = rod->damping_time;
    rod->positioned = rod->no_torque = false;
    rod->integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    rod->inextensible = m->inextensible;
    rod->stiffened = false;
    rod->dynamic_twist = m->dynamic_twist;
}

static CordResult pbd_update_held(Memory* memory, Rod* rod, double time, Message* message)
{
    (void)memory, (void)message;
    Framed* g = rod->framed;
    framed_update_held(g, rod);
    framed_hold(g, &g->now, rod, time);
    if (rod->started && !rod->dynamic_twist) {
        // what was let go, or is turned from now on, is in equilibrium at once
        rod->unsettled = framed_relax(g, &g->now, rod, 0.0) < 0;
    }
    return CORD_OK;
}

// ---- the step

static double stiffest(double mass, double part)
{
    return part > 0.0 ? PBD_STIFFEST * mass / (part * part) : INFINITY;
}

double pbd_stretch(const Rod* rod, int edge, double part)
{
    const CordStiffness* k = rod_stiffness_at(rod, edge);
    double length = edge_rest_len(&rod->line, edge);
    return real_min(k->EA / length, stiffest(k->mass_per_length * length, part));
}

double pbd_bend_share(const Rod* rod, double K, double part)
{
    double length = rod->length / rod->line.edge_count, mass = rod->stiffness.mass_per_length * length;
    return real_min(1.0, stiffest(mass * length * length, part) / K);
}

// Moment of inertia of an edge, over that of its mass at its length: below it frames follow at once in any
// case.
#define LEAST_SPIN 1e-9
// Turn that a torque alone would make in a substep, where directors are points [rad]: by the tangent of half
// of it, up to 2 % of the torque is lost.
#define MOST_GOAL 0.5

double pbd_spin_inertia(const Rod* rod, int s, double h)
{
    const CordCenterline* c = &rod->line;
    const Framed* g = rod->framed;
    const CordPbdDef* d = &pbd_of(rod)->def;
    double length = c->rest_len[s], mass = rod->stiffness.mass_per_length * length, part = h / d->substeps;
    double inertia = real_max(g->spin_inertia[s], LEAST_SPIN * mass * length * length);
    return d->method == CORD_PBD_SWEEPS
               ? real_max(inertia, fabs(g->torque[s] + g->load_torque[s]) * part * part / MOST_GOAL)
               : inertia;
}

// What comes from outside alone: constraints follow in pbd_advance.
static double pbd_kick(const Rod* rod, const StepInfo* step, bool drift)
{
    Framed* g = rod->framed;
    const CordCenterline* c = &rod->line;
    if (!rod->positioned) {
        return framed_kick(g, rod, step, drift);
    }
    const double gravity[3] = {step->gravity.x, step->gravity.y, step->gravity.z};
    double sum = 0.0;
    g->under_way = true;
    for (int k = 0; k < 3; k++) {
        for (int s = 0; s < c->slot_count; s++) {
            double v = c->v[k][s] + (c->w[s] > 0.0 ? step->h * gravity[k] : 0.0);
            c->v_next[k][s] = v;
            sum += v * v;
        }
    }
    loads_set_torques(rod, step->time, false, g->load_torque);
    for (int s = 0; s < c->slot_count; s++) {
        double torque = g->torque[s] + g->load_torque[s];
        double more = torque != 0.0 ? step->h * torque / pbd_spin_inertia(rod, s, step->h) : 0.0;
        g->spin_next[s] = g->may_turn[s] * (g->spin[s] + more);
    }
    return sum;
}

static void swap(double* a[3], double* b[3])
{
    for (int k = 0; k < 3; k++) {
        double* kept = a[k];
        a[k] = b[k], b[k] = kept;
    }
}

static void pbd_settle(Rod* rod, double time)
{
    Framed* g = rod->framed;
    CordPbd* m = pbd_of(rod);
    framed_settle(g, rod, time);
    rod->unsettled = !rod->dynamic_twist && g->turn_iterations < 0;
    if (!rod->positioned) {
        return;
    }
    m->since = rod->ends_step && rod->damping_time > 0.0 ? rod->last_step / m->def.substeps : 0.0;
    if (m->since > 0.0) {
        swap(m->past, m->past_next);
        memcpy(m->past_length, m->past_length_next, sizeof *m->past_length * (size_t)rod->line.slot_count);
    }
    if (rod->ends_step) {
        memcpy(g->spin, m->spin_end, sizeof *g->spin * (size_t)rod->line.slot_count);
    }
    if (rod->ends_step && pbd_has_ghosts(rod)) {
        swap(m->ghost, m->ghost_next), swap(m->ghost_v, m->ghost_v_next), swap(m->mid, m->mid_next);
    } else if (pbd_has_ghosts(rod)) {
        pbd_place_ghosts(rod);
    }
}

static void pbd_jump(Rod* rod, double time)
{
    framed_jump(rod->framed, rod, time);
    rod->unsettled = !rod->dynamic_twist && rod->framed->turn_iterations < 0;
}

void pbd_place_ghosts(const Rod* rod)
{
    CordPbd* m = pbd_of(rod);
    const CordCenterline* c = &rod->line;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j), end = slot_of(c, edge_end(c, j));
        CordVec3 middle = vec3_mul(vec3_add(slot_get(c->x, s), slot_get(c->x, end)), 0.5);
        CordVec3 v = vec3_mul(vec3_add(slot_get(c->v, s), slot_get(c->v, end)), 0.5);
        double length = m->def.ghost_length * c->rest_len[s];
        slot_set(m->ghost, s, vec3_madd(middle, slot_get(rod->framed->now.edges.m1, s), length));
        slot_set(m->ghost_v, s, v);
        slot_set(m->mid, s, v);
    }
}

// ---- what can be asked

static void energy(const Rod* rod, CordEnergy* e)
{
    rod->positioned ? pbd_energy(rod, e) : framed_energy(rod->framed, rod, e);
}

static void gradient(const Rod* rod, CordVec3* dE_dx)
{
    rod->positioned ? pbd_gradient(rod, dE_dx) : framed_gradient(rod->framed, rod, dE_dx);
}

static void tension(const Rod* rod, double* of)
{
    const CordCenterline* c = &rod->line;
    if (rod->positioned) {
        pbd_tension(rod, of);
    } else if (rod->damping_time > 0.0) {
        framed_tension(rod->framed, rod, of);
    }
    for (int j = 0; j < c->edge_count && !rod->positioned && !(rod->damping_time > 0.0); j++) {
        double strain = vec3_length(edge_vector(c, j)) * c->inv_rest[slot_of(c, j)] - 1.0;
        of[j] = rod->inextensible ? 0.0 : rod_stiffness_at(rod, j)->EA * strain;
    }
}

static void moments(const Rod* rod, CordVec3* moment)
{
    rod->positioned ? pbd_moments(rod, moment) : framed_moments(rod->framed, rod, moment);
}

static void sections(const Rod* rod, CordVec3* force)
{
    rod->positioned ? pbd_sections(rod, force) : framed_sections(rod->framed, rod, force);
}

static CordVec3 pbd_couple(const Rod* rod, int edge)
{
    double moment = rod->positioned ? pbd_spin_moment(rod, edge) : framed_spin_moment(rod->framed, rod, edge);
    return vec3_mul(slot_get(rod->framed->now.edges.t, slot_of(&rod->line, edge)), moment);
}

static double pbd_twist(const Rod* rod)
{
    return framed_twist(rod->framed, rod);
}

static void pbd_frames(const Rod* rod, CordVec3* m1)
{
    framed_frames(rod->framed, rod, m1);
}

static void pbd_spin(const Rod* rod, double lag, double* energy, CordVec3* momentum)
{
    (void)lag; // none
    const CordCenterline* c = &rod->line;
    const Framed* g = rod->framed;
    *energy = 0.0;
    *momentum = (CordVec3){0, 0, 0};
    for (int j = 0; j < c->edge_count && rod->positioned; j++) {
        int s = slot_of(c, j);
        double L = g->spin_inertia[s] * g->spin[s];
        *energy += 0.5 * L * g->spin[s];
        *momentum = vec3_madd(*momentum, slot_get(g->now.edges.t, s), L);
    }
}

// Any step is stable.
static StepLimitAt pbd_limit(const Rod* rod, const double* tension, double least_tension)
{
    (void)rod, (void)tension, (void)least_tension;
    return (StepLimitAt){0.0, CORD_LIMIT_NONE, 0};
}

static void pbd_rest_strain(const Rod* rod, int node, double strain[3])
{
    framed_rest_strain(rod->framed, rod, node, strain);
}

static void pbd_state(Rod* rod, Bytes* b)
{
    CordPbd* m = pbd_of(rod);
    const CordCenterline* c = &rod->line;
    framed_state(rod->framed, rod, b);
    for (int k = 0; k < 3 && rod->positioned && pbd_has_ghosts(rod); k++) {
        bytes_doubles(b, m->ghost[k] + c->halo, c->edge_count);
        bytes_doubles(b, m->ghost_v[k] + c->halo, c->edge_count);
        bytes_doubles(b, m->mid[k] + c->halo, c->edge_count);
    }
    for (int k = 0; k < 4 && rod->positioned && rod->damping_time > 0.0; k++) {
        bytes_doubles(b, (k < 3 ? m->past[k] : m->past_length) + c->halo, c->node_count);
    }
    if (rod->positioned) {
        bytes_double(b, &m->since);
    }
}

// ---- solves

// What is solved for has frames with inertia if that was asked for.
static CordResult trial_open(Memory* memory, Rod* rod, Message* message)
{
    if (!framed_open_trial(memory, rod->framed, rod)) {
        return message_fail(message, CORD_NO_MEMORY, "no memory to solve for rod '%s'", rod->name);
    }
    rod->dynamic_twist = pbd_of(rod)->dynamic_twist;
    return CORD_OK;
}

static void trial_close(Memory* memory, Rod* rod, double time)
{
    (void)time;
    framed_close_trial(memory, rod->framed, rod);
    rod->dynamic_twist |= rod->positioned;
    for (int s = 0; s < rod->line.slot_count && rod->positioned; s++) {
        rod->framed->spin[s] = 0.0; // all is at rest
    }
    if (rod->positioned && pbd_has_ghosts(rod)) {
        pbd_place_ghosts(rod);
    }
}

static const ModelTrial pbd_trial = {
    .open = trial_open,
    .close = trial_close,
    FRAMED_TRIAL,
};

const CordModelOps cord_model_pbd = {
    .name = "pbd",
    .create = pbd_create,
    .destroy = pbd_destroy,
    .update_held = pbd_update_held,
    .kick = pbd_kick,
    .alike = pbd_alike,
    .advance = pbd_advance,
    .advance_scratch = pbd_scratch,
    .response = pbd_response,
    .response_scratch = pbd_response_scratch,
    .reserve_implicit = pbd_reserve_implicit,
    .make_implicit = pbd_make_implicit,
    .settle = pbd_settle,
    .frames = pbd_frames,
    .energy = energy,
    .gradient = gradient,
    .tension = tension,
    .moments = moments,
    .sections = sections,
    .couple = pbd_couple,
    .twist = pbd_twist,
    .spin = pbd_spin,
    .limit = pbd_limit,
    .state = pbd_state,
    .rest_strain = pbd_rest_strain,
    .remesh = pbd_remesh,
    .jump = pbd_jump,
    .trial = &pbd_trial,
};
