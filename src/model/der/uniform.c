#include "model/der/uniform.h"

#include "base/real.h"
#include "math/kernel.h"

KERNEL_DECLARE(DerKernels, der_kernels);

const DerKernels* der_kernels(void)
{
    return KERNEL_CHOOSE(der_kernels);
}

// ---- creation

// True if the rest shape is straight. The tolerance admits points that were written with six digits.
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

// True if the rod needs a material frame on every edge, and so the framed form.
static bool is_general(const Rod* rod, const CordRodDef* def)
{
    const CordStiffness* s = &rod->stiffness;
    bool round = fabs(s->EI1 - s->EI2) <= 1e-12 * real_max(s->EI1, s->EI2) && s->EI12 == 0.0;
    return !round || rod->along || is_curved(rod, def) || def->rest_twist != 0.0 || def->m1_along ||
           rod->damping_time > 0.0 || rod->dynamic_twist || rod_def_is_implicit(def);
}

static void fill_tables(const Rod* rod)
{
    CordDer* m = der_of(rod);
    const CordCenterline* c = &rod->line;
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k);
        m->bend[slot_of(c, i)] = 8.0 * m->EI / rod_bend_length(rod, i);
    }
    for (int j = 0; j < c->edge_count; j++) {
        m->EA[slot_of(c, j)] = rod_stretch_stiffness(rod, j);
    }
    centerline_wrap_one(c, m->bend);
    centerline_wrap_one(c, m->EA);
}

static void destroy(Memory* memory, Rod* rod)
{
    CordDer* m = der_of(rod);
    if (m) {
        framed_destroy(memory, m->framed);
        memory_free(memory, m->block, m->block_size);
        memory_array_free(memory, m->knot_block, 2 * m->knot_capacity);
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
    m->block_size = centerline_block_size(&rod->line, 3);
    m->block = memory_alloc(memory, m->block_size);
    if (m->block) {
        m->bend = m->block + CENTERLINE_PAD;
        m->moment = m->bend + stride;
        m->EA = m->moment + stride;
        fill_tables(rod);
    }
    return m->block != NULL;
}

static CordResult no_memory(const Rod* rod, Message* message)
{
    return message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
}

static CordResult create(Memory* memory, Rod* rod, const CordRodDef* def, const CordModalHooks* hooks,
                         Message* message)
{
    (void)hooks;
    if (is_general(rod, def)) {
        return framed_create_rod(memory, rod, def, CORNER_LAW_DER, message);
    }
    rod->data = memory_array(memory, CordDer, 1);
    bool made = rod->data && start_uniform(memory, rod) &&
                der_twist_create(memory, rod, def->twist, def->m1) == CORD_OK;
    if (!made) {
        destroy(memory, rod);
        return no_memory(rod, message);
    }
    return CORD_OK;
}

static CordResult remesh(Memory* memory, Rod* rod, const Remesh* map, Message* message)
{
    rod->data = memory_array(memory, CordDer, 1);
    if (!rod->data || !start_uniform(memory, rod) || !der_twist_remesh(memory, rod, map)) {
        destroy(memory, rod);
        return no_memory(rod, message);
    }
    return CORD_OK;
}

static void rest_strain(const Rod* rod, int node, double strain[3])
{
    (void)rod, (void)node;
    strain[0] = strain[1] = strain[2] = 0.0;
}

static void replace_by_frames(Memory* memory, Rod* rod, Framed* g)
{
    destroy(memory, rod);
    rod->data = g;
    rod->form = MODEL_FRAMED;
}

// With a torque between its ends the twist is not uniform.
static CordResult take_torque(Memory* memory, Rod* rod, double time, bool release, Message* message)
{
    Framed* g = der_make_frames(memory, rod);
    if (!g) {
        return no_memory(rod, message);
    }
    replace_by_frames(memory, rod, g);
    return model_framed.constrain(memory, rod, time, release, message);
}

static void become_framed(Memory* memory, Rod* rod)
{
    Framed* g = der_of(rod)->framed;
    der_of(rod)->framed = NULL;
    replace_by_frames(memory, rod, g);
}

static CordResult constrain(Memory* memory, Rod* rod, double time, bool release, Message* message)
{
    if (loads_have_torque(rod)) {
        return take_torque(memory, rod, time, release, message);
    }
    CORD_TRY(der_twist_update_held(memory, rod, time, release, message));
    fill_tables(rod);
    return CORD_OK;
}

// ---- the step

static double kick(const Rod* rod, const StepInfo* step, bool drift)
{
    const CordDer* m = der_of(rod);
    const CordCenterline* c = &rod->line;
    DerKick k = {.slot_count = c->slot_count,
                 .edge_slots = c->slot_count - 1,
                 .w = c->w,
                 .inv_rest = c->inv_rest,
                 .bend = m->bend,
                 .moment = m->twisted ? m->moment : NULL,
                 .EA = rod->inextensible ? NULL : m->EA,
                 .gravity = {step->gravity.x, step->gravity.y, step->gravity.z},
                 .kick = step->kick,
                 .h = drift ? step->h : 0.0};
    for (int i = 0; i < 3; i++) {
        k.x[i] = c->x[i], k.v[i] = c->v[i];
        k.x_next[i] = c->x_next[i], k.v_next[i] = c->v_next[i];
    }
    return m->kernels->kick(&k);
}

static void update_frames(Rod* rod, const FramesUpdate* update)
{
    der_twist_settle(rod, update->time);
}

// ---- queries

static void energy(const Rod* rod, CordEnergy* e)
{
    const CordDer* m = der_of(rod);
    e->bend = der_bend_energy(m, &rod->line);
    e->twist = der_twist_energy(m);
    e->stretch = rod->inextensible ? 0.0 : der_stretch_energy(m, &rod->line);
}

static void gradient(const Rod* rod, CordVec3* dE_dx)
{
    const CordDer* m = der_of(rod);
    der_bend_gradient(m, &rod->line, dE_dx);
    der_twist_gradient(m, &rod->line, dE_dx);
    if (!rod->inextensible) {
        der_stretch_gradient(m, &rod->line, dE_dx);
    }
}

static void moments(const Rod* rod, CordVec3* moment)
{
    const CordDer* m = der_of(rod);
    der_bend_moments(m, &rod->line, moment);
    der_twist_moments(m, &rod->line, moment);
}

// Section force: the derivative of the energy with respect to the edge vector. The force on a node is the
// difference of those of its two edges.
static void sections(const Rod* rod, CordVec3* force, double* tension)
{
    const CordDer* m = der_of(rod);
    const CordCenterline* c = &rod->line;
    for (int j = 0; j < c->edge_count; j++) {
        double pull = rod->inextensible ? 0.0 : der_stretch_tension(m, c, j);
        if (tension) {
            tension[j] = pull;
        }
        if (force) {
            force[j] = vec3_mul(edge_tangent(c, j), pull);
        }
    }
    if (force) {
        der_bend_sections(m, c, force);
        der_twist_sections(m, c, force);
    }
}

// The couple is about the tangent: -dE/dtheta of the edge, where dE/dtheta is the twisting moment at the node
// before the edge minus that at the node after it.
static CordVec3 couple(const Rod* rod, int edge, double* stiffness)
{
    const CordDer* m = der_of(rod);
    const CordCenterline* c = &rod->line;
    *stiffness = 0.0;
    double moment = m->moment[slot_of(c, edge_end(c, edge))] - m->moment[slot_of(c, edge)];
    return vec3_mul(edge_tangent(c, edge), moment);
}

static double twist(const Rod* rod)
{
    return der_twist_total(der_of(rod));
}

static CornerStiffness stiffness_at(const Rod* rod, int node)
{
    const CordDer* m = der_of(rod);
    int s = slot_of(&rod->line, node);
    bool held = m->knot_count > (rod->line.closed ? 0 : 1); // else twist leaves by an end
    return (CornerStiffness){.bend = m->bend[s],
                             .bending_moment = INFINITY,
                             .moment = fabs(m->moment[s]),
                             .twist = held ? 2.0 * m->GJ / rod_bend_length(rod, node) : 0.0};
}

static SpectralBound bound(const Rod* rod, const BoundInput* in)
{
    return corner_bound(rod, in, stiffness_at);
}

const Model model_uniform = {
    .name = "uniform",
    .create = create,
    .destroy = destroy,
    .constrain = constrain,
    .kick = kick,
    .update_frames = update_frames,
    .material_frames = der_twist_frames,
    .energy = energy,
    .gradient = gradient,
    .sections = sections,
    .moments = moments,
    .couple = couple,
    .twist = twist,
    .bound = bound,
    .open_frames = der_open_frames,
    .close_frames = der_close_frames,
    .reserve_framed = der_reserve_framed,
    .become_framed = become_framed,
    .rest_strain = rest_strain,
    .remesh = remesh,
    .state = der_twist_state,
};
