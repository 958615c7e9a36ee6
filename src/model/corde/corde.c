#include "model/corde/corde.h"

#include "base/real.h"
#include "math/kernel.h"
#include "rod/frame.h"

KERNEL_DECLARE(CordeKernels, corde_kernels);

const CordeKernels* corde_kernels(void)
{
    return KERNEL_CHOOSE(corde_kernels);
}

// ---- memory

static void carve_some(Carver* c, double** arrays, int count)
{
    for (int i = 0; i < count; i++) {
        arrays[i] = carve(c);
    }
}

static void carve_all(Carver* c, CordCorde* m, bool closed)
{
    CordeEdges* e = &m->edges;
    CordeCorners* k = &m->corners;
    double** ones[] = {&e->EA,  &e->drag, &e->kappa_l, &e->torque, &k->inv_l,
                       &k->K11, &k->K12,  &k->K22,     &k->K33,    &k->drag};
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
        carve_some(c, ones[i], 1);
    }
    carve_some(c, e->q, 4), carve_some(c, e->omega, 3);
    carve_some(c, e->inertia, 3), carve_some(c, e->turn_w, 3), carve_some(c, e->may_turn, 2),
        carve_some(c, k->rest, 3);
    carve_some(c, m->scratch, CORDE_SCRATCH);
    if (m->inertial) {
        carve_some(c, m->omega_next, 3);
    } else {
        carve_some(c, m->base_q, 4), carve_some(c, m->base_aside, 2);
        carve_some(c, m->factors, closed ? CORDE_FACTORS : CORDE_FACTORS - 9);
    }
}

static bool reserve(Memory* memory, CordCorde* m, const Rod* rod)
{
    Carver count = {.stride = centerline_stride(&rod->line)};
    carve_all(&count, m, rod->line.closed);
    m->block_size = count.count * count.stride * sizeof(double);
    m->block = memory_alloc(memory, m->block_size);
    Carver carver = {.next = m->block, .stride = count.stride};
    if (m->block) {
        carve_all(&carver, m, rod->line.closed);
    }
    return m->block != NULL;
}

// ---- creation

static void corde_destroy(Memory* memory, Rod* rod)
{
    CordCorde* m = corde_of(rod);
    if (m) {
        memory_free(memory, m->block, m->block_size);
        rod->framed = m->framed ? m->framed : rod->framed;
        memory_free(memory, m, sizeof *m);
        rod->data = NULL;
    }
    framed_destroy(memory, rod->framed);
    rod->framed = NULL;
}

static CordResult check_inertia(const Rod* rod, Message* message)
{
    for (int j = 0; j < (rod->along ? rod->line.edge_count : 1); j++) {
        const CordStiffness* k = rod_stiffness_at(rod, j);
        if (!(k->rotary1 > 0.0 && k->rotary2 > 0.0 && k->spin_inertia > 0.0)) {
            return message_fail(message, CORD_BAD_ARGUMENT,
                                "rod '%s': explicit orientations need inertia: rotary1, rotary2 and "
                                "spin_inertia, per length, must be positive",
                                rod->name);
        }
    }
    return CORD_OK;
}

static CordResult check_def(const Rod* rod, const CordRodDef* def, Message* message)
{
    const CordCordeDef* d = &def->corde;
    if (d->orientations != CORD_ORIENTATIONS_QUASISTATIC && d->orientations != CORD_ORIENTATIONS_EXPLICIT) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "rod '%s': the orientations (%d) are none that there are", rod->name,
                            (int)d->orientations);
    }
    if (!isnan(d->penalty) && !(d->penalty > 0.0 && isfinite(d->penalty))) {
        return message_fail(
            message, CORD_BAD_ARGUMENT,
            "rod '%s': the penalty is %g; it is in N and must be positive, or NAN for one from the stiffness",
            rod->name, d->penalty);
    }
    for (int k = 0; k < 2; k++) {
        double drag = k == 0 ? d->friction_stretch : d->friction_turn;
        if (!isnan(drag) && !(drag >= 0.0 && isfinite(drag))) {
            return message_fail(message, CORD_BAD_ARGUMENT,
                                "rod '%s': the friction in %s is %g; it must not be negative, or NAN for "
                                "that of the retardation time",
                                rod->name, k == 0 ? "stretching" : "turning", drag);
        }
    }
    if (d->printed_strain && rod_is_implicit(rod)) {
        return message_fail(message, CORD_NOT_SUPPORTED,
                            "rod '%s': the printed strain is for explicit integrators; leave it out, or take "
                            "\"verlet\" or \"symplectic_euler\"",
                            rod->name);
    }
    return CORD_OK;
}

#define MOST_PENALTY 1e8 // over the default one: more leaves no digits to bending

static CordResult check_penalty(CordCorde* m, const Rod* rod, Message* message)
{
    double given = m->penalty, least = INFINITY;
    m->penalty = NAN;
    corde_fill_tables(m, rod);
    for (int s = rod->line.halo; s < rod->line.halo + rod->line.edge_count; s++) {
        least = real_min(least, m->edges.kappa_l[s] * rod->line.inv_rest[s]);
    }
    m->penalty = given;
    return !(given > MOST_PENALTY * least)
               ? CORD_OK
               : message_fail(message, CORD_BAD_ARGUMENT,
                              "rod '%s': the penalty is %g N, so much more than bending needs that nothing "
                              "would be left of it: take at "
                              "most %.2g N, or leave it out for %.2g N",
                              rod->name, given, MOST_PENALTY * least, least);
}

static void set_rest(CordCorde* m, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k);
        double a[3];
        framed_rest_alpha(m->framed, rod, i, a);
        double square = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) / 16.0; // tan(phi/4)^2
        double factor = m->printed ? 1.0 / (1.0 + square) : 1.0;          // 2 sin(phi/2) over 4 tan(phi/4)
        for (int d = 0; d < 3; d++) {
            m->corners.rest[d][slot_of(c, i)] = factor * a[d];
        }
    }
}

// From the framed rod that has been made.
static CordResult create_explicit(Memory* memory, Rod* rod, const CordCordeDef* def, CordVec3 spin,
                                  Message* message)
{
    CordCorde* m = memory_array(memory, CordCorde, 1);
    rod->data = m;
    if (m) {
        m->inertial = rod->dynamic_twist;
    }
    if (!m || !reserve(memory, m, rod)) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
    }
    m->kernels = corde_kernels();
    m->base_inv_h = NAN;
    m->printed = def->printed_strain;
    m->penalty = def->penalty;
    m->drag_stretch = def->friction_stretch;
    m->drag_turn = def->friction_turn;
    m->drags = m->drag_stretch > 0.0 || m->drag_turn > 0.0 || rod->damping_time > 0.0;
    m->damping_time = isnan(m->drag_turn) ? rod->damping_time : 0.0;
    m->framed = rod->framed;
    rod->framed = NULL;
    rod->drags = m->drags;
    CORD_TRY(check_penalty(m, rod, message));
    set_rest(m, rod);
    corde_from_frames(m, rod);
    corde_set_spin(m, rod, spin);
    corde_fill_tables(m, rod);
    return CORD_OK;
}

static CordResult corde_create(Memory* memory, Rod* rod, const CordRodDef* def, Message* message)
{
    rod->dynamic_twist |= !rod_is_implicit(rod) && def->corde.orientations == CORD_ORIENTATIONS_EXPLICIT;
    CordResult result = check_def(rod, def, message);
    if (result == CORD_OK && rod->dynamic_twist && !rod_is_implicit(rod)) {
        result = check_inertia(rod, message);
    }
    if (result == CORD_OK) {
        result = framed_create(memory, rod, def, CORNER_LAW_CORDE, message);
    }
    if (result == CORD_OK && !rod_is_implicit(rod)) {
        result = create_explicit(memory, rod, &def->corde, def->spin, message);
    }
    if (result != CORD_OK) {
        corde_destroy(memory, rod);
    }
    return result;
}

// ---- other nodes

static bool is_glued(const CordCorde* old, const Remesh* map)
{
    return map->piece && old->seam != 0.0 && map->edge[map->edge_count - 1] < map->edge[0];
}

// A piece has no place for what was glued in: beyond it, the frames of a round rod are turned back by as
// much.
static void unglue(const CordCorde* old, Rod* rod, const Remesh* map)
{
    Framed* g = rod->framed;
    for (int j = 1; j < map->edge_count; j++) {
        int s = slot_of(&rod->line, j);
        if (map->edge[j] < map->edge[0]) {
            CordVec3 m1 = slot_get(g->now.edges.m1, s), t = slot_get(g->now.edges.t, s);
            slot_set(g->now.edges.m1, s, frame_rotate(m1, t, -old->seam));
        }
        if (map->node[j] == 0) {
            g->now.nodes.m[s] -= old->seam;
            g->now.nodes.rest_m[s] = 0.0;
        }
    }
    framed_update_held(g, rod);
}

static CordResult remesh_explicit(Memory* memory, Rod* rod, const Remesh* map, Message* message)
{
    CordCorde* old = corde_of(map->from);
    if (is_glued(old, map) && !old->round) {
        return message_fail(message, CORD_NOT_SUPPORTED, "rod '%s' was glued there", rod->name);
    }
    if (is_glued(old, map)) {
        unglue(old, rod, map);
    }
    CordCordeDef def = {.penalty = old->penalty,
                        .friction_stretch = old->drag_stretch,
                        .friction_turn = old->drag_turn,
                        .printed_strain = old->printed};
    CORD_TRY(create_explicit(memory, rod, &def, (CordVec3){0, 0, 0}, message));
    corde_remesh_orientations(corde_of(rod), rod, old, map);
    return CORD_OK;
}

static CordResult corde_remesh(Memory* memory, Rod* rod, const Remesh* map, Message* message)
{
    CordCorde* old = corde_of(map->from);
    if (old) {
        corde_to_frames(old, map->from);
    }
    CordResult result =
        framed_remesh(memory, rod, map, old ? old->framed : map->from->framed, CORNER_LAW_CORDE)
            ? CORD_OK
            : message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
    if (result == CORD_OK && old) {
        result = remesh_explicit(memory, rod, map, message);
    }
    if (result != CORD_OK) {
        corde_destroy(memory, rod);
    }
    return result;
}

static void corde_rest_strain(const Rod* rod, int node, double strain[3])
{
    framed_rest_strain(corde_of(rod) ? corde_of(rod)->framed : rod->framed, rod, node, strain);
}

static CordResult corde_update_held(Memory* memory, Rod* rod, double time, Message* message)
{
    (void)memory, (void)message;
    CordCorde* m = corde_of(rod);
    if (m) {
        corde_fill_tables(m, rod);
        loads_set_torques(rod, time, true, m->edges.torque);
        corde_hold(m, rod, time, 0.0);
        m->factored = false;
        if (rod->started && !m->inertial) {
            // what was let go, or is turned from now on, is in equilibrium at once
            rod->unsettled = !corde_relax(m, rod);
        }
        return CORD_OK;
    }
    framed_update_held(rod->framed, rod);
    framed_hold(rod->framed, &rod->framed->now, rod, time);
    if (rod->started && !rod->dynamic_twist) {
        // what was let go, or is turned from now on, is in equilibrium at once
        rod->unsettled = framed_relax(rod->framed, &rod->framed->now, rod, 0.0) < 0;
    }
    return CORD_OK;
}

// ---- the step

CordeInput corde_input(const CordCorde* m, const Rod* rod, bool friction)
{
    const CordCenterline* c = &rod->line;
    return (CordeInput){.slot_count = c->slot_count,
                        .edges = &m->edges,
                        .corners = &m->corners,
                        .x = {c->x[0], c->x[1], c->x[2]},
                        .v = {c->v[0], c->v[1], c->v[2]},
                        .inv_rest = c->inv_rest,
                        .printed = m->printed,
                        .drags = friction && m->drags,
                        .round = m->round,
                        .damping_time = friction ? m->damping_time : 0.0};
}

static bool is_the_papers(const Rod* rod) // way to step orientations
{
    return rod->integrator == CORD_INTEGRATOR_SYMPLECTIC_EULER;
}

static double corde_kick(const Rod* rod, const StepInfo* step, bool drift)
{
    CordCorde* m = corde_of(rod);
    if (rod->framed) {
        return framed_kick(rod->framed, rod, step, drift);
    }
    const CordCenterline* c = &rod->line;
    loads_set_torques(rod, step->time, true, m->edges.torque);
    CordeKick k = {.in = corde_input(m, rod, true),
                   .w = c->w,
                   .gravity = {step->gravity.x, step->gravity.y, step->gravity.z},
                   .kick = step->kick,
                   .h = drift ? step->h : 0.0,
                   .gyroscopic = is_the_papers(rod)};
    for (int i = 0; i < 3; i++) {
        k.x_next[i] = c->x_next[i], k.v_next[i] = c->v_next[i];
        k.omega_next[i] = m->omega_next[i];
    }
    m->under_way = true;
    return m->kernels->kick(&k);
}

// False: some edge turns so far in a step that nothing can be right.
static bool turn_freely(CordCorde* m, const Rod* rod, double h)
{
    const CordCenterline* c = &rod->line;
    double turn = m->kernels->spin(&m->edges, m->omega_next, h, c->slot_count - 1, is_the_papers(rod));
    for (int k = 0; k < 3; k++) {
        double* old = m->edges.omega[k];
        m->edges.omega[k] = m->omega_next[k];
        m->omega_next[k] = old;
    }
    return turn <= CORDE_MOST_TURN;
}

static void settle(CordCorde* m, Rod* rod, double time)
{
    loads_set_torques(rod, time, true, m->edges.torque);
    if (!m->under_way) { // positions were set
        corde_carry(m, rod);
        corde_hold(m, rod, time, 0.0);
        rod->unsettled = !m->inertial && !corde_relax(m, rod);
    } else if (m->inertial) {
        rod->unsettled = !turn_freely(m, rod, rod->last_step);
        corde_hold(m, rod, time, rod->last_step);
    } else {
        rod->unsettled = !corde_solve_turns(m, rod, time, rod->last_step);
    }
    m->under_way = false;
}

static void corde_settle(Rod* rod, double time)
{
    if (!rod->framed) {
        settle(corde_of(rod), rod, time);
        return;
    }
    framed_settle(rod->framed, rod, time);
    rod->unsettled = !rod->dynamic_twist && rod->framed->turn_iterations < 0;
}

static void corde_jump(Rod* rod, double time)
{
    CordCorde* m = corde_of(rod);
    if (rod->framed) {
        framed_jump(rod->framed, rod, time);
        rod->unsettled = !rod->dynamic_twist && rod->framed->turn_iterations < 0;
        return;
    }
    loads_set_torques(rod, time, true, m->edges.torque);
    if (m->inertial) {
        corde_carry_from_frames(m, rod);
    }
    corde_hold(m, rod, time, 0.0);
    rod->unsettled = !m->inertial && !corde_relax(m, rod);
}

// ---- state

// Orientations of no length, or of one that no step leaves, are from a file that is damaged.
static bool are_unit(const CordCorde* m, const CordCenterline* c)
{
    for (int j = 0; j < c->edge_count; j++) {
        double norm = quat_norm(corde_orientation(m, slot_of(c, j)));
        if (!(fabs(norm - 1.0) < 1e-9)) {
            return false;
        }
    }
    return true;
}

static void corde_state(Rod* rod, Bytes* b)
{
    CordCorde* m = corde_of(rod);
    if (rod->framed) {
        framed_state(rod->framed, rod, b);
        return;
    }
    const CordCenterline* c = &rod->line;
    for (int k = 0; k < 7; k++) {
        double* a = k < 4 ? m->edges.q[k] : m->edges.omega[k - 4];
        bytes_doubles(b, a + c->halo, c->edge_count);
    }
    bytes_double(b, &m->seam_sign);
    for (int k = 0; k < 6 && !m->inertial; k++) { // what Newton's matrix goes by
        bytes_doubles(b, (k < 4 ? m->base_q[k] : m->base_aside[k - 4]) + c->halo, c->edge_count);
    }
    bytes_double(b, &m->base_inv_h);
    bytes_double(b, &m->turned);
    if (b->mode == BYTES_READ) {
        b->failed |= !are_unit(m, c);
        corde_wrap(m, c);
        m->factored = false;
        m->under_way = false;
    }
}

const CordModelOps cord_model_corde = {
    .name = "corde",
    .create = corde_create,
    .destroy = corde_destroy,
    .update_held = corde_update_held,
    .kick = corde_kick,
    .settle = corde_settle,
    .frames = corde_frames,
    .energy = corde_energy,
    .spin = corde_spin,
    .gradient = corde_gradient,
    .tension = corde_tension,
    .moments = corde_moments,
    .sections = corde_sections,
    .couple = corde_couple,
    .twist = corde_twist,
    .couple_stiffness = corde_couple_stiffness,
    .limit = corde_limit,
    .trouble = corde_trouble,
    .penalty_limit = corde_penalty_limit,
    .state = corde_state,
    .rest_strain = corde_rest_strain,
    .remesh = corde_remesh,
    .jump = corde_jump,
    .trial = &corde_trial,
};
