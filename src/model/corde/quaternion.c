#include "model/corde/quaternion.h"

#include "base/real.h"
#include "math/elementary.h"
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
    m->block_size = centerline_block_size(&rod->line, count.count);
    m->block = memory_alloc(memory, m->block_size);
    Carver carver = {.next = m->block, .stride = count.stride};
    if (m->block) {
        carve_all(&carver, m, rod->line.closed);
    }
    return m->block != NULL;
}

// ---- creation

static void destroy(Memory* memory, Rod* rod)
{
    CordCorde* m = corde_of(rod);
    if (m) {
        framed_destroy(memory, m->framed);
        memory_free(memory, m->block, m->block_size);
        memory_free(memory, m, sizeof *m);
        rod->data = NULL;
    }
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
        return message_fail(message, CORD_BAD_ARGUMENT, "rod '%s': unknown kind of orientations (%d)",
                            rod->name, (int)d->orientations);
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
    if (d->printed_strain && rod_def_is_implicit(def)) {
        return message_fail(message, CORD_NOT_SUPPORTED,
                            "rod '%s': the printed strain is for explicit integrators; leave it out, or take "
                            "\"verlet\" or \"symplectic_euler\"",
                            rod->name);
    }
    return CORD_OK;
}

#define MOST_PENALTY 1e8 // relative to the default; a larger penalty would drown bending in round-off

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
        double factor = m->printed ? 1.0 / (1.0 + square) : 1.0;          // 2 sin(phi/2) / (4 tan(phi/4))
        double seam = i == 0 ? m->framed->seam : 0.0;
        if (seam != 0.0) { // given in the axes of the last edge
            double x = a[0], y = a[1], cosine = cord_cos(seam), sine = cord_sin(seam);
            a[0] = cosine * x + sine * y, a[1] = cosine * y - sine * x;
        }
        for (int d = 0; d < 3; d++) {
            m->corners.rest[d][slot_of(c, i)] = factor * a[d];
        }
    }
}

// Creates the data of an explicit rod from its frames, and takes ownership of them.
static CordResult create_explicit(Memory* memory, Rod* rod, Framed* frames, const CordCordeDef* def,
                                  CordVec3 spin, Message* message)
{
    CordCorde* m = memory_array(memory, CordCorde, 1);
    rod->data = m;
    if (!m) {
        framed_destroy(memory, frames);
        return message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
    }
    m->framed = frames;
    m->inertial = rod->dynamic_twist;
    if (!reserve(memory, m, rod)) {
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
    CORD_TRY(check_penalty(m, rod, message));
    set_rest(m, rod);
    corde_from_frames(m, rod);
    corde_set_spin(m, rod, spin);
    corde_fill_tables(m, rod);
    return CORD_OK;
}

static CordResult create(Memory* memory, Rod* rod, const CordRodDef* def, const CordModalHooks* hooks,
                         Message* message)
{
    (void)hooks;
    CORD_TRY(check_def(rod, def, message));
    if (rod_def_is_implicit(def)) {
        return framed_create_rod(memory, rod, def, CORNER_LAW_CORDE, message);
    }
    rod->dynamic_twist |= def->corde.orientations == CORD_ORIENTATIONS_EXPLICIT;
    if (rod->dynamic_twist) {
        CORD_TRY(check_inertia(rod, message));
    }
    CordResult result;
    Framed* frames = framed_create(memory, rod, def, CORNER_LAW_CORDE, &result, message);
    if (result == CORD_OK) {
        result = create_explicit(memory, rod, frames, &def->corde, def->spin, message);
    }
    if (result != CORD_OK) {
        destroy(memory, rod);
    }
    return result;
}

// ---- remeshing

static bool has_seam(const CordCorde* old, const Remesh* map)
{
    return map->piece && old->seam != 0.0 && map->edge[map->edge_count - 1] < map->edge[0];
}

// A piece cut from a ring has no seam: the frames of its edges past the seam are rotated back by the seam
// angle. The rod is round, so that its stiffness does not change.
static void remove_seam(const CordCorde* old, const Rod* rod, Framed* g, const Remesh* map)
{
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

static CordResult remesh(Memory* memory, Rod* rod, const Remesh* map, Message* message)
{
    CordCorde* old = corde_of(map->from);
    if (has_seam(old, map) && !old->round) {
        return message_fail(message, CORD_NOT_SUPPORTED, "rod '%s' was glued there", rod->name);
    }
    corde_to_frames(old, map->from);
    Framed* frames = framed_remesh(memory, rod, map, old->framed);
    if (!frames) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
    }
    if (has_seam(old, map)) {
        remove_seam(old, rod, frames, map);
    }
    CordCordeDef def = {.penalty = old->penalty,
                        .friction_stretch = old->drag_stretch,
                        .friction_turn = old->drag_turn,
                        .printed_strain = old->printed};
    CordResult result = create_explicit(memory, rod, frames, &def, (CordVec3){0, 0, 0}, message);
    if (result != CORD_OK) {
        destroy(memory, rod);
        return result;
    }
    corde_remesh_orientations(corde_of(rod), rod, old, map);
    return CORD_OK;
}

static void become_framed(Memory* memory, Rod* rod)
{
    Framed* g = corde_take_frames(rod);
    destroy(memory, rod);
    rod->data = g;
    rod->form = MODEL_FRAMED;
}

static void rest_strain(const Rod* rod, int node, double strain[3])
{
    framed_rest_strain(corde_of(rod)->framed, rod, node, strain);
}

// Orientations that were released, or on which a torque now acts, are brought to equilibrium at once.
static CordResult constrain(Memory* memory, Rod* rod, double time, bool release, Message* message)
{
    (void)memory;
    CordCorde* m = corde_of(rod);
    corde_fill_tables(m, rod);
    loads_set_torques(rod, time, true, m->edges.torque);
    corde_begin_turns(m, rod, false);
    corde_hold(m, rod, time, 0.0);
    m->factored = false;
    if (m->lost[0] != '\0') {
        return message_fail(message, CORD_NOT_CONVERGED, "rod '%s' %s (node %d)", rod->name, m->lost,
                            m->before.node);
    }
    if (release && !m->inertial) {
        rod->unsettled = !corde_end_turns(m, rod, corde_relax(m, rod));
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

static bool uses_paper_step(const Rod* rod) // orientations are stepped by (40) to (42) as printed
{
    return rod->integrator == CORD_INTEGRATOR_SYMPLECTIC_EULER;
}

// No tangent turns by more than CORDE_SURE_TURN in a step of h, at whose start every edge has half its rest
// length, if no velocity differs from that of one node by more than the root of this [m^2/s^2]: the ends of
// an edge then part by twice that at most.
static double most_off2(const CordCorde* m, double h)
{
    double most = cord_sin(CORDE_SURE_TURN) * 0.25 * m->shortest / h;
    return most * most;
}

static double kick(const Rod* rod, const StepInfo* step, bool drift)
{
    CordCorde* m = corde_of(rod);
    const CordCenterline* c = &rod->line;
    m->reference_velocity = slot_get(c->v, c->halo);
    loads_set_torques(rod, step->time, true, m->edges.torque);
    CordeKick k = {
        .in = corde_input(m, rod, true),
        .w = c->w,
        .gravity = {step->gravity.x, step->gravity.y, step->gravity.z},
        .kick = step->kick,
        .h = drift ? step->h : 0.0,
        .at_risk = &m->at_risk,
        .reference_velocity = {m->reference_velocity.x, m->reference_velocity.y, m->reference_velocity.z},
        .most_off2 = most_off2(m, step->h),
        .gyroscopic = uses_paper_step(rod)};
    for (int i = 0; i < 3; i++) {
        k.x_next[i] = c->x_next[i], k.v_next[i] = c->v_next[i];
        k.omega_next[i] = m->omega_next[i];
    }
    return m->kernels->kick(&k);
}

// Returns the largest rotation of an edge [rad].
static double turn_freely(CordCorde* m, const Rod* rod, double h)
{
    CordeInput in = corde_input(m, rod, false);
    for (int k = 0; k < 3; k++) {
        double* old = m->edges.omega[k];
        m->edges.omega[k] = m->omega_next[k];
        m->omega_next[k] = old;
    }
    return m->kernels->spin(&in, h, uses_paper_step(rod));
}

// Whether what moves nodes besides the kick turns no tangent by more than CORDE_SURE_TURN in a step of h.
// Only of clamps is that known.
static bool others_turn_little(const CordCorde* m, const Rod* rod, double h)
{
    bool known = rod->load_count == 0 && !rod->inextensible && rod->assembly == 0 && !rod->v_free[0];
    double most2 = most_off2(m, h), off2 = 0.0;
    for (int i = 0; i < rod->clamp_count; i++) {
        for (int k = 0; k < rod->clamps[i]->node_count; k++) {
            CordVec3 v = node_velocity(&rod->line, rod->clamps[i]->node[k]),
                     off = vec3_sub(v, m->reference_velocity);
            off2 = real_max(off2, vec3_dot(off, off));
        }
    }
    return known && off2 <= most2;
}

// Updates the orientations at the end of a step of h. False: no equilibrium was found, or edges with inertia
// turn too far to be accurate or leave the model's range. A pass along the rod that finds out about the range
// is made only if some orientation was near its end, or some orientation or tangent may have turned far.
static bool end_step(CordCorde* m, const Rod* rod, double time, double h)
{
    if (!m->inertial) {
        return corde_solve_turns(m, rod, time, h);
    }
    double turn = turn_freely(m, rod, h), held = corde_hold(m, rod, time, h);
    CordeInput in = corde_input(m, rod, false);
    bool sure =
        !m->at_risk && turn <= CORDE_SURE_TURN && held <= CORDE_SURE_TURN && others_turn_little(m, rod, h);
    return turn <= CORDE_MOST_TURN && (sure || m->kernels->is_in_range(&in));
}

// Transports orientations to the tangents after positions were set or nodes changed.
static bool carry_along(CordCorde* m, const Rod* rod, const FramesUpdate* update)
{
    if (!update->jump) {
        corde_carry(m, rod);
    } else if (m->inertial) {
        corde_carry_from_frames(m, rod);
    }
    corde_hold(m, rod, update->time, 0.0);
    return m->inertial || corde_relax(m, rod);
}

static void update_frames(Rod* rod, const FramesUpdate* update)
{
    CordCorde* m = corde_of(rod);
    loads_set_torques(rod, update->time, true, m->edges.torque);
    corde_begin_turns(m, rod, update->h > 0.0);
    bool good = update->h > 0.0 ? end_step(m, rod, update->time, update->h) : carry_along(m, rod, update);
    rod->unsettled = !corde_end_turns(m, rod, good);
}

static bool frames_may_fail(const Rod* rod)
{
    (void)rod;
    return true;
}

static bool takes_near_turns(const Rod* rod)
{
    return corde_of(rod)->inertial;
}

static RodSpin spin(const Rod* rod)
{
    const CordCorde* m = corde_of(rod);
    return (RodSpin){m->edges.omega[2], m->omega_next[2], m->omega_next[2], m->edges.inertia[2],
                     m->edges.may_turn[1]};
}

static bool is_damped(const Rod* rod)
{
    return corde_of(rod)->drags;
}

// ---- state

// Rejects states from damaged files: every step leaves unit quaternions.
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

static void state(Rod* rod, Bytes* b)
{
    CordCorde* m = corde_of(rod);
    const CordCenterline* c = &rod->line;
    for (int k = 0; k < 7; k++) {
        double* a = k < 4 ? m->edges.q[k] : m->edges.omega[k - 4];
        bytes_doubles(b, a + c->halo, c->edge_count);
    }
    bytes_double(b, &m->seam_sign);
    for (int k = 0; k < 6 && !m->inertial; k++) { // Newton's matrix is a function of these
        bytes_doubles(b, (k < 4 ? m->base_q[k] : m->base_aside[k - 4]) + c->halo, c->edge_count);
    }
    bytes_double(b, &m->base_inv_h);
    bytes_double(b, &m->turned);
    if (b->mode == BYTES_READ) {
        b->failed |= !are_unit(m, c);
        corde_wrap(m, c);
        m->factored = false;
    }
}

const Model model_quaternion = {
    .name = "quaternion",
    .create = create,
    .destroy = destroy,
    .constrain = constrain,
    .kick = kick,
    .update_frames = update_frames,
    .frames_may_fail = frames_may_fail,
    .material_frames = corde_frames,
    .takes_near_turns = takes_near_turns,
    .spin = spin,
    .spin_energy = corde_spin,
    .advance_spin = corde_advance_spin,
    .energy = corde_energy,
    .gradient = corde_gradient,
    .is_damped = is_damped,
    .dissipation = corde_dissipation,
    .sections = corde_sections,
    .moments = corde_moments,
    .couple = corde_couple,
    .twist = corde_twist,
    .bound = corde_bound,
    .trouble = corde_trouble,
    .open_frames = corde_open_frames,
    .close_frames = corde_close_frames,
    .reserve_framed = corde_reserve_framed,
    .become_framed = become_framed,
    .rest_strain = rest_strain,
    .remesh = remesh,
    .state = state,
};
