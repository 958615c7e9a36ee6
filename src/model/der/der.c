#include "model/der/der.h"

#include "base/real.h"
#include "math/kernel.h"

KERNEL_DECLARE(DerKernels, der_kernels);

const DerKernels* der_kernels(void)
{
    return KERNEL_CHOOSE(der_kernels);
}

// ---- creation

// Is the stress-free shape straight? Points written with six digits are, though not to the last bit.
static bool is_straight(const CordCenterline* c)
{
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k);
        CordVec3 s = edge_tangent(c, edge_before(c, i)), t = edge_tangent(c, edge_after(c, i));
        if (vec3_length(vec3_sub(t, s)) > 1e-5) {
            return false;
        }
    }
    return true;
}

static bool is_curved(const Rod* rod, const CordRodDef* def)
{
    return def->rest == CORD_REST_AS_SHAPED
               ? def->shape.kind != CORD_SHAPE_LINE && (rod->line.closed || !is_straight(&rod->line))
               : def->rest == CORD_REST_SHAPE && def->rest_shape.kind != CORD_SHAPE_LINE;
}

// Does it take frames of its own on every edge?
static bool is_general(const Rod* rod, const CordRodDef* def)
{
    const CordStiffness* s = &rod->stiffness;
    bool round = fabs(s->EI1 - s->EI2) <= 1e-12 * real_max(s->EI1, s->EI2) && s->EI12 == 0.0;
    return !round || rod->along || is_curved(rod, def) || def->rest_twist != 0.0 || def->m1_along ||
           rod->damping_time > 0.0 || rod->dynamic_twist || rod_is_implicit(rod);
}

static void fill_tables(const Rod* rod)
{
    CordDer* m = der_of(rod);
    const CordCenterline* c = &rod->line;
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k);
        m->bend[slot_of(c, i)] = 8.0 * m->EI / rod_bend_length(rod, i);
    }
    centerline_wrap_one(c, m->bend);
}

static void der_destroy(Memory* memory, Rod* rod)
{
    CordDer* m = der_of(rod);
    if (m) {
        memory_free(memory, m->block, m->block_size);
        memory_array_free(memory, m->knot_block, 2 * m->knot_capacity);
        framed_destroy(memory, rod->framed);
        memory_free(memory, m, sizeof *m);
        rod->data = NULL;
    }
}

static bool start_uniform(Memory* memory, Rod* rod)
{
    CordDer* m = der_of(rod);
    m->kernels = der_kernels();
    m->EI = rod->stiffness.EI1;
    m->GJ = rod->stiffness.GJ;
    size_t stride = centerline_stride(&rod->line);
    m->block_size = 2 * stride * sizeof(double);
    m->block = memory_alloc(memory, m->block_size);
    if (m->block) {
        m->bend = m->block + CENTERLINE_PAD;
        m->moment = m->bend + stride;
        fill_tables(rod);
    }
    return m->block != NULL;
}

static CordResult no_memory(const Rod* rod, Message* message)
{
    return message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
}

static CordResult create_uniform(Memory* memory, Rod* rod, const CordRodDef* def, Message* message)
{
    bool made = start_uniform(memory, rod) && der_twist_create(memory, rod, def->twist, def->m1) == CORD_OK;
    return made ? CORD_OK : no_memory(rod, message);
}

static CordResult der_create(Memory* memory, Rod* rod, const CordRodDef* def, Message* message)
{
    CordDer* m = memory_array(memory, CordDer, 1);
    rod->data = m;
    if (!m) {
        return no_memory(rod, message);
    }
    CordResult result = is_general(rod, def) ? framed_create(memory, rod, def, CORNER_LAW_DER, message)
                                             : create_uniform(memory, rod, def, message);
    if (result != CORD_OK) {
        der_destroy(memory, rod);
    }
    return result;
}

static CordResult der_remesh(Memory* memory, Rod* rod, const Remesh* map, Message* message)
{
    rod->data = memory_array(memory, CordDer, 1);
    const Framed* old = map->from->framed;
    bool made = rod->data && (old ? framed_remesh(memory, rod, map, old, CORNER_LAW_DER)
                                  : start_uniform(memory, rod) && der_twist_remesh(memory, rod, map));
    if (!made) {
        der_destroy(memory, rod);
        return no_memory(rod, message);
    }
    return CORD_OK;
}

static void der_rest_strain(const Rod* rod, int node, double strain[3])
{
    strain[0] = strain[1] = strain[2] = 0.0;
    if (rod->framed) {
        framed_rest_strain(rod->framed, rod, node, strain);
    }
}

static CordResult der_update_held(Memory* memory, Rod* rod, double time, Message* message)
{
    if (!rod->framed && loads_have_torque(rod) && !der_make_framed(memory, rod)) {
        // between its ends twist is uniform no more
        return no_memory(rod, message);
    }
    Framed* g = rod->framed;
    if (g) {
        framed_update_held(g, rod);
        framed_hold(g, &g->now, rod, time);
        if (rod->started && !rod->dynamic_twist) {
            // what was let go, or is turned from now on, is in equilibrium at once
            rod->unsettled = framed_relax(g, &g->now, rod, 0.0) < 0;
        }
        return CORD_OK;
    }
    CORD_TRY(der_twist_update_held(memory, rod, time, message));
    fill_tables(rod);
    return CORD_OK;
}

// ---- the step

static double der_kick(const Rod* rod, const StepInfo* step, bool drift)
{
    const CordDer* m = der_of(rod);
    const CordCenterline* c = &rod->line;
    if (rod->framed) {
        return framed_kick(rod->framed, rod, step, drift);
    }
    DerKick k = {.slot_count = c->slot_count,
                 .edge_slots = c->slot_count - 1,
                 .w = c->w,
                 .inv_rest = c->inv_rest,
                 .bend = m->bend,
                 .moment = m->twisted ? m->moment : NULL,
                 .EA = rod->inextensible ? 0.0 : rod->stiffness.EA,
                 .gravity = {step->gravity.x, step->gravity.y, step->gravity.z},
                 .kick = step->kick,
                 .h = drift ? step->h : 0.0};
    for (int i = 0; i < 3; i++) {
        k.x[i] = c->x[i], k.v[i] = c->v[i];
        k.x_next[i] = c->x_next[i], k.v_next[i] = c->v_next[i];
    }
    return m->kernels->kick(&k);
}

static void der_settle(Rod* rod, double time)
{
    Framed* g = rod->framed;
    if (g) {
        framed_settle(g, rod, time);
        rod->unsettled = !rod->dynamic_twist && g->turn_iterations < 0;
    } else {
        der_twist_settle(rod, time);
    }
}

static void der_jump(Rod* rod, double time)
{
    if (rod->framed) {
        framed_jump(rod->framed, rod, time);
        rod->unsettled = !rod->dynamic_twist && rod->framed->turn_iterations < 0;
    } else {
        der_twist_settle(rod, time);
    }
}

// ---- what can be asked

static void der_energy(const Rod* rod, CordEnergy* energy)
{
    const CordDer* m = der_of(rod);
    if (rod->framed) {
        framed_energy(rod->framed, rod, energy);
        return;
    }
    energy->bend = der_bend_energy(m, &rod->line);
    energy->twist = der_twist_energy(m);
    energy->stretch = rod->inextensible ? 0.0 : der_stretch_energy(rod->stiffness.EA, &rod->line);
}

static void der_gradient(const Rod* rod, CordVec3* dE_dx)
{
    const CordDer* m = der_of(rod);
    if (rod->framed) {
        framed_gradient(rod->framed, rod, dE_dx);
        return;
    }
    der_bend_gradient(m, &rod->line, dE_dx);
    der_twist_gradient(m, &rod->line, dE_dx);
    if (!rod->inextensible) {
        der_stretch_gradient(rod->stiffness.EA, &rod->line, dE_dx);
    }
}

static void der_tension(const Rod* rod, double* tension)
{
    const Framed* g = rod->framed;
    if (g && rod->damping_time > 0.0) {
        framed_tension(g, rod, tension);
        return;
    }
    for (int j = 0; j < rod->line.edge_count; j++) {
        tension[j] =
            rod->inextensible ? 0.0 : der_stretch_tension(rod_stiffness_at(rod, j)->EA, &rod->line, j);
    }
}

static void der_moments(const Rod* rod, CordVec3* moment)
{
    const CordDer* m = der_of(rod);
    if (rod->framed) {
        framed_moments(rod->framed, rod, moment);
        return;
    }
    der_bend_moments(m, &rod->line, moment);
    der_twist_moments(m, &rod->line, moment);
}

// The derivative of the energy in the edge vectors: forces at the nodes are the differences.
static void der_sections(const Rod* rod, CordVec3* force)
{
    const CordDer* m = der_of(rod);
    const CordCenterline* c = &rod->line;
    if (rod->framed) {
        framed_sections(rod->framed, rod, force);
        return;
    }
    for (int j = 0; j < c->edge_count; j++) {
        double tension = rod->inextensible ? 0.0 : der_stretch_tension(rod->stiffness.EA, c, j);
        force[j] = vec3_mul(edge_tangent(c, j), tension);
    }
    der_bend_sections(m, c, force);
    der_twist_sections(m, c, force);
}

// About the tangent. dE/dtheta of an edge is the moment at the node before it less the one after.
static CordVec3 der_couple(const Rod* rod, int edge)
{
    const CordDer* m = der_of(rod);
    const CordCenterline* c = &rod->line;
    double moment = rod->framed ? framed_spin_moment(rod->framed, rod, edge)
                                : m->moment[slot_of(c, edge_end(c, edge))] - m->moment[slot_of(c, edge)];
    return vec3_mul(edge_tangent(c, edge), moment);
}

static double der_twist(const Rod* rod)
{
    return rod->framed ? framed_twist(rod->framed, rod) : der_twist_total(der_of(rod));
}

// ---- the longest stable step

static double inverse_mass_at(const Rod* rod, int node)
{
    return rod->line.w[slot_of(&rod->line, node)];
}

static void limit_by(StepLimitAt* most, double omega2, CordStepLimit limit, int node)
{
    if (omega2 > most->omega2) {
        *most = (StepLimitAt){omega2, limit, node};
    }
}

// Inverse of the mass that a node gives to one of `pieces` that share it; an end of the rod gives all to the
// one it is in.
static double shared(const Rod* rod, int node, double pieces)
{
    bool end = !rod->line.closed && (node == 0 || node == rod->line.node_count - 1);
    return inverse_mass_at(rod, node) * (end ? 1.0 : pieces);
}

static double stretch_omega2(const Rod* rod, int edge)
{
    if (rod->inextensible) {
        return 0.0;
    }
    double w = shared(rod, edge, 2.0) + shared(rod, edge_end(&rod->line, edge), 2.0);
    return w * rod_stiffness_at(rod, edge)->EA / edge_rest_len(&rod->line, edge);
}

static CornerStiffness corner_stiffness(const Rod* rod, int node)
{
    const CordDer* m = der_of(rod);
    int s = slot_of(&rod->line, node);
    if (!rod->framed) {
        return (CornerStiffness){m->bend[s], fabs(m->moment[s])};
    }
    return framed_stiffness(rod->framed, rod, node);
}

// Damping that resists the last step's rate of strain shortens the stable step by sqrt(1 + z^2) + z, z =
// omega time / 2.
static double damping_factor(const Rod* rod, double omega2)
{
    double z = 0.5 * rod->damping_time * sqrt(omega2);
    return sqrt(1.0 + z * z) + z;
}

// No frequency of the whole exceeds the highest of its pieces, however the mass is shared among them (Irons
// and Treharne). A stretched edge takes half of each node's mass. A bend takes a quarter, a half and a
// quarter of its three nodes': shares that are exact for the shortest wave on a uniform rod, where omega^2 =
// 16 EI / (mu h^4). Tension adds the stiffness of a string to a bend; a corner stiffens it by 4 (2 - cos) /
// (1 + cos)^2, from the second derivative of tan^2; twist couples the two directions; and where the rod
// turns, stretching and bending mix, so that the two add up.
static StepLimitAt der_limit(const Rod* rod, const double* tension, double least_tension)
{
    const CordCenterline* c = &rod->line;
    StepLimitAt most = {0.0, CORD_LIMIT_NONE, 0};
    for (int j = 0; j < c->edge_count; j++) {
        limit_by(&most, stretch_omega2(rod, j), CORD_LIMIT_STRETCH, j);
    }
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k), a = edge_before(c, i), b = edge_after(c, i), end = edge_end(c, b);
        CordVec3 ea = edge_vector(c, a), eb = edge_vector(c, b);
        double la = vec3_length(ea), lb = vec3_length(eb), u = 1.0 / la, v = 1.0 / lb;
        double cosine = vec3_dot(ea, eb) * u * v, r = 1.0 / (1.0 + cosine);
        double sum = u * u * shared(rod, a, 4.0) + (u + v) * (u + v) * shared(rod, i, 2.0) +
                     v * v * shared(rod, end, 4.0);
        CornerStiffness at = corner_stiffness(rod, i);
        double bend = sum * at.bend * r * r * (2.0 - cosine);
        double pull =
            0.5 * (real_max(tension[a], least_tension) * u * (shared(rod, a, 2.0) + shared(rod, i, 2.0)) +
                   real_max(tension[b], least_tension) * v * (shared(rod, i, 2.0) + shared(rod, end, 2.0)));
        double turn = sum * at.moment * 0.5 * r * real_min(la, lb) * real_max(u, v);
        double stretch =
            real_min(1.0, 4.0 * (1.0 - cosine)) * real_max(stretch_omega2(rod, a), stretch_omega2(rod, b));
        CordStepLimit limit = stretch > bend + turn && stretch > pull ? CORD_LIMIT_STRETCH
                              : bend + turn >= pull                   ? CORD_LIMIT_BEND
                                                                      : CORD_LIMIT_TENSION;
        limit_by(&most, bend + pull + turn + stretch, limit, i);
        if (rod->dynamic_twist) {
            limit_by(&most, framed_twist_omega2(rod->framed, rod, i), CORD_LIMIT_TWIST, i);
        }
    }
    double shorter = damping_factor(rod, most.omega2);
    most.omega2 *= shorter * shorter;
    most.limit = shorter > 2.0 ? CORD_LIMIT_DAMPING : most.limit; // what takes more than the waves leave
    return most;
}

static void der_state(Rod* rod, Bytes* b)
{
    Framed* g = rod->framed;
    g ? framed_state(g, rod, b) : der_twist_state(rod, b);
}

static void der_frames(const Rod* rod, CordVec3* m1)
{
    rod->framed ? framed_frames(rod->framed, rod, m1) : der_twist_frames(rod, m1);
}

const CordModelOps cord_model_der = {
    .name = "der",
    .create = der_create,
    .destroy = der_destroy,
    .update_held = der_update_held,
    .kick = der_kick,
    .settle = der_settle,
    .frames = der_frames,
    .energy = der_energy,
    .gradient = der_gradient,
    .tension = der_tension,
    .moments = der_moments,
    .sections = der_sections,
    .couple = der_couple,
    .twist = der_twist,
    .limit = der_limit,
    .state = der_state,
    .rest_strain = der_rest_strain,
    .remesh = der_remesh,
    .jump = der_jump,
    .trial = &der_trial,
};
