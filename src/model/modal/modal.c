// The Model table of modal warping (MW, Choi and Song 2013). docs/models/modal.md has the equations.
#include "model/modal/modal.h"

#include "rod/frame.h"

#include <string.h>

#define MOST_DAMPING 1e9 // largest damping ratio, or rate [1/s]

// ---- creation

static CordResult refuse(const Rod* rod, const char* what, Message* message)
{
    return message_fail(message, CORD_NOT_SUPPORTED, "rod '%s' is modal and %s", rod->name, what);
}

static CordResult check_damping(const CordModalDef* d, Message* message)
{
    bool good = d->mass_damping >= 0.0 && d->mass_damping <= MOST_DAMPING && d->damping_ratio >= 0.0 &&
                d->damping_ratio <= MOST_DAMPING && d->damping_ratio_count >= 0 &&
                (d->damping_ratio_count == 0 || d->damping_ratios);
    for (int k = 0; good && k < d->damping_ratio_count; k++) {
        good = d->damping_ratios[k] >= 0.0 && d->damping_ratios[k] <= MOST_DAMPING;
    }
    return good ? CORD_OK
                : message_fail(message, CORD_BAD_ARGUMENT, "the damping of modes must lie between 0 and %g",
                               MOST_DAMPING);
}

static CordResult check_stiff(const Rod* rod, Message* message)
{
    for (int j = 0; j < (rod->along ? rod->line.edge_count : 1); j++) {
        const CordStiffness* s = rod_stiffness_at(rod, j);
        bool good = s->EI1 > 0.0 && s->EI2 > 0.0 && s->GJ > 0.0 && s->EA > 0.0 && isfinite(s->EA) &&
                    s->spin_inertia > 0.0 && s->EI12 * s->EI12 < s->EI1 * s->EI2;
        if (!good) {
            return message_fail(
                message, CORD_BAD_ARGUMENT,
                "element %d of modal rod '%s' has a stiffness (EI1 %g, EI2 %g, GJ %g N m^2, EA %g N) or an "
                "inertia about its axis (%g kg m) that is not above zero; modes need all of them",
                j, rod->name, s->EI1, s->EI2, s->GJ, s->EA, s->spin_inertia);
        }
    }
    return CORD_OK;
}

static CordResult check_def(const Rod* rod, const CordRodDef* def, Message* message)
{
    if (def->modal.modes < 1) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "%d modes are asked for; a modal rod has one at the least", def->modal.modes);
    }
    CORD_TRY(check_damping(&def->modal, message));
    if ((unsigned)def->modal.rigid > CORD_RIGID_REMOVE) {
        return message_fail(message, CORD_BAD_ARGUMENT, "there is no treatment of rigid motions number %d",
                            (int)def->modal.rigid);
    }
    if (def->rest != CORD_REST_AS_SHAPED) {
        return refuse(rod, "begins in its rest shape: it takes \"rest\": \"as_shaped\" alone", message);
    }
    if (def->twist != 0.0 || def->rest_twist != 0.0) {
        return refuse(rod, "begins without twist: clamps of its modes cannot wind it up", message);
    }
    if (def->inextensible) {
        return refuse(rod, "stretches: leave \"inextensible\" out", message);
    }
    if (def->adapt.on) {
        return refuse(rod, "keeps its elements: leave \"adapt\" out", message);
    }
    return check_stiff(rod, message);
}

static bool make_arrays(Memory* memory, Rod* rod, CordModal* m, const CordModalDef* def)
{
    int n = rod->line.node_count, edges = rod->line.edge_count;
    m->rest = memory_array(memory, CordVec3, n);
    m->m1 = memory_array(memory, CordVec3, edges);
    m->chain = rod->line.ends ? NULL : memory_array(memory, int, 2 * (size_t)edges);
    double* ratios = memory_array(memory, double, def->damping_ratio_count);
    m->def = *def;
    m->def.damping_ratios = ratios;
    if (!m->rest || !m->m1 || (!m->chain && !rod->line.ends) || !ratios) {
        return false;
    }
    if (def->damping_ratio_count > 0) {
        memcpy(ratios, def->damping_ratios, sizeof *ratios * (size_t)def->damping_ratio_count);
    }
    for (int i = 0; i < n; i++) {
        m->rest[i] = node_position(&rod->line, i);
    }
    for (int j = 0; j < edges && m->chain; j++) {
        m->chain[2 * j] = j, m->chain[2 * j + 1] = edge_end(&rod->line, j);
    }
    return true;
}

static CordVec3 across(CordVec3 wish, CordVec3 t) // unit vector perpendicular to t, nearest to `wish`
{
    CordVec3 a = vec3_reject(wish, t);
    return vec3_length(a) > 1e-6 * vec3_length(wish) ? vec3_unit(a) : vec3_any_normal(t);
}

// Material axes of the sections: those of the def, or transported along a chain without twist. Those of a
// network point upward where possible.
static void set_axes(const Rod* rod, const CordRodDef* def)
{
    CordModal* m = modal_of(rod);
    CordVec3 before = {0, 0, 0}, t_before = {0, 0, 0};
    for (int j = 0; j < rod->line.edge_count; j++) {
        CordVec3 t = edge_tangent(&rod->line, j);
        bool given = def->m1_along && vec3_length(def->m1_along[j]) > 0.0, first = j == 0 || rod->line.ends;
        if (given) {
            m->m1[j] = across(def->m1_along[j], t);
        } else if (!first) {
            m->m1[j] = across(frame_transport(before, t_before, t), t);
        } else if (vec3_length(def->m1) > 0.0) {
            m->m1[j] = across(def->m1, t);
        } else {
            m->m1[j] = rod->line.ends ? across((CordVec3){0, 0, 1}, t) : vec3_any_normal(t);
        }
        before = m->m1[j], t_before = t;
    }
}

static void destroy(Memory* memory, Rod* rod)
{
    CordModal* m = modal_of(rod);
    if (!m) {
        return;
    }
    modal_forget(memory, rod);
    memory_array_free(memory, m->rest, rod->line.node_count);
    memory_array_free(memory, m->m1, rod->line.edge_count);
    memory_array_free(memory, m->chain, 2 * (size_t)rod->line.edge_count);
    memory_array_free(memory, m->supports, m->support_count);
    memory_array_free(memory, (double*)m->def.damping_ratios, m->def.damping_ratio_count);
    memory_free(memory, m, sizeof *m);
    rod->data = NULL;
}

static CordResult create(Memory* memory, Rod* rod, const CordRodDef* def, const CordModalHooks* hooks,
                         Message* message)
{
    CORD_TRY(check_def(rod, def, message));
    CordModal* m = memory_alloc(memory, sizeof *m);
    rod->data = m;
    if (!m || !make_arrays(memory, rod, m, &def->modal)) {
        destroy(memory, rod);
        return message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
    }
    m->hooks = hooks;
    set_axes(rod, def);
    rod->dynamic_twist = false;
    rod->integrator = CORD_INTEGRATOR_SYMPLECTIC_EULER; // positions and velocities belong to the same time
    return CORD_OK;
}

// ---- velocities and supports

// Projects the node velocities, relative to the motion of the supports, on the modes.
void modal_take_velocities(Rod* rod)
{
    CordModal* m = modal_of(rod);
    const Carrier* c = &m->now.carrier;
    size_t n = (size_t)rod->line.node_count;
    memset(m->now.rate, 0, sizeof(double) * (size_t)m->count);
    for (size_t i = 0; i < n; i++) {
        CordVec3 u, w;
        modal_node(rod, m->now.q, (int)i, &u, &w);
        Warp warp = warp_of(m->def.linear ? (CordVec3){0, 0, 0} : w);
        CordVec3 arm = vec3_sub(vec3_add(m->rest[i], warp_displace(&warp, u)), m->origin);
        CordVec3 carried = vec3_add(c->velocity, vec3_cross(c->spin, arm));
        CordVec3 v = vec3_sub(modal_inward(c, node_velocity(&rod->line, (int)i)), carried);
        CordVec3 p = vec3_mul(warp_turn_back(&warp, v), rod_node_mass(rod, (int)i));
        for (int k = 0; k < m->count; k++) {
            const double* phi = m->shape + ((size_t)k * n + i) * NODE_FREEDOMS;
            m->now.rate[k] += phi[0] * p.x + phi[1] * p.y + phi[2] * p.z;
        }
    }
    m->now.ahead_valid = false;
}

static CordResult constrain(Memory* memory, Rod* rod, double time, bool release, Message* message)
{
    (void)release;
    CordModal* m = modal_of(rod);
    bool changed;
    CORD_TRY(supports_take(memory, rod, &changed, message));
    CORD_TRY(carrier_check(rod, time, message));
    if (m->found && !changed) {
        return CORD_OK;
    }
    const Clamp* first = supports_leader(rod);
    m->origin = first ? first->point : (CordVec3){0, 0, 0};
    modal_forget(memory, rod);
    CORD_TRY(modal_find(memory, rod, message));
    m->now.carrier.pose = carrier_pose(rod, time);
    modal_take_velocities(rod);
    modal_place(rod, &m->now, rod->line.x);
    return CORD_OK;
}

// ---- steps

static void update_frames(Rod* rod, const FramesUpdate* update)
{
    CordModal* m = modal_of(rod);
    m->nodes_known = false;
    if (update->h > 0.0) {
        ModalState kept = m->now;
        m->now = m->next, m->next = kept;
    }
}

static CordVec3 couple(const Rod* rod, int edge, double* stiffness)
{
    (void)rod, (void)edge;
    *stiffness = 0.0;
    return (CordVec3){0, 0, 0};
}

static void state(Rod* rod, Bytes* b)
{
    CordModal* m = modal_of(rod);
    ModalState* s = &m->now;
    double* arrays[] = {s->q, s->rate, s->load, s->before, s->ahead, s->force, s->extra};
    bytes_expect(b, m->count);
    for (int i = 0; i < 7; i++) {
        bytes_doubles(b, arrays[i], m->count);
    }
    bytes_bool(b, &s->loaded);
    bytes_bool(b, &s->ahead_valid);
    bytes_double(b, &s->step);
    bytes_doubles(b, &s->pull.even.x, 3);
    bytes_doubles(b, s->pull.spread[0], 9);
    bytes_bool(b, &s->pull.spreads);
    bytes_doubles(b, &s->acted.even.x, 3);
    bytes_doubles(b, s->acted.spread[0], 9);
    bytes_bool(b, &s->acted.spreads);
    bytes_doubles(b, &s->carrier.pose.point.x, 3);
    bytes_doubles(b, &s->carrier.pose.rotation.x, 4);
    bytes_doubles(b, &s->carrier.velocity.x, 3);
    bytes_doubles(b, &s->carrier.spin.x, 3);
    if (b->mode != BYTES_HASH) {
        bytes_bool(b, &s->yields);
    }
    if (b->mode == BYTES_READ && !b->failed) {
        bool ahead_valid = s->ahead_valid;
        modal_place(rod, s, rod->line.x);
        s->ahead_valid = ahead_valid;
    }
    for (int k = 0; k < 3 && s->yields; k++) { // the amplitudes do not tell them
        bytes_doubles(b, rod->line.x[k] + rod->line.halo, rod->line.node_count);
    }
    if (b->mode == BYTES_READ && s->yields) {
        centerline_wrap(&rod->line, rod->line.x);
    }
}

// ---- reduced model

static CordResult equilibrium(Memory* memory, Rod* rod, CordVec3 gravity, double time, ModalRest* rest,
                              Message* message)
{
    Carrier carrier = {.pose = carrier_pose(rod, time)};
    Pull pull = {.even = modal_inward(&carrier, gravity)};
    return modal_rest(memory, rod, &pull, &carrier, time, rest, message);
}

static int mode_count(const Rod* rod)
{
    return modal_of(rod)->count;
}

static void modes(const Rod* rod, int count, double* omega2, double* shape, size_t stride)
{
    const CordModal* m = modal_of(rod);
    size_t n = (size_t)rod->line.node_count;
    for (int k = 0; k < count; k++) {
        omega2[k] = m->omega2[k];
        for (size_t i = 0; i < n; i++) {
            const double* phi = m->shape + ((size_t)k * n + i) * NODE_FREEDOMS;
            memcpy(shape + (size_t)k * stride + 3 * i, phi, 3 * sizeof *phi);
        }
    }
}

static const ReducedModel reduced = {
    .node_velocities = modal_velocities,
    .set_node_velocities = modal_take_velocities,
    .fit = modal_fit,
    .equilibrium = equilibrium,
    .mode_count = mode_count,
    .modes = modes,
};

const Model model_modal = {
    .name = "modal",
    .node_turns = true,
    .create = create,
    .destroy = destroy,
    .constrain = constrain,
    .update_frames = update_frames,
    .material_frames = modal_frames,
    .spin_energy = modal_spin,
    .energy = modal_energy,
    .dissipation = modal_dissipation,
    .gradient = modal_gradient,
    .sections = modal_sections,
    .moments = modal_moments,
    .couple = couple,
    .twist = modal_twist,
    .state = state,
    .reduced = &reduced,
};
