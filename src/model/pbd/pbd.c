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
    if (d->solver == CORD_PBD_PBD && def->adapt.on && !rod_def_is_implicit(def)) {
        return message_fail(message, CORD_NOT_SUPPORTED,
                            "rod '%s': the solver \"pbd\" has ghost points of its own and keeps its nodes; "
                            "take \"xpbd\" for an adaptive rod",
                            rod->name);
    }
    return CORD_OK;
}

// All constraints of a position-based rod are compliant. An inextensible rod gets a stretching stiffness at
// which its own weight, bending it into a ring, or a force that would stretch its material by MATERIAL
// stretches it by a billionth. The last counts where nothing weighs and little resists bending.
#define STIFF 1e9
#define MATERIAL 1e-5

static void set_stretch_stiffness(Rod* rod, double EA)
{
    rod->stiffness.EA = EA;
    for (int j = 0; rod->along && j < rod->line.edge_count; j++) {
        rod->along[j].EA = EA;
    }
}

// Returns the force that counts without weight.
static double stiffen(Rod* rod)
{
    double length = rod->length, force = 0.0;
    for (int j = 0; j < (rod->along ? rod->line.edge_count : 1); j++) {
        const CordStiffness* k = rod_stiffness_at(rod, j);
        double bend = real_max(real_max(k->EI1, k->EI2), k->GJ);
        force = real_max(force, real_max(40.0 * bend / (length * length), MATERIAL * k->EA));
    }
    rod->inextensible = false;
    rod->stiffened = true;
    set_stretch_stiffness(rod, STIFF * force);
    return force;
}

static void fit_to_gravity(Rod* rod, double gravity)
{
    if (!rod->stiffened) {
        return;
    }
    const CordPbd* m = pbd_of(rod);
    const CordCenterline* c = &rod->line;
    set_stretch_stiffness(rod, STIFF * real_max(m->least_force, gravity * rod_mass(rod)));
    for (int s = 0; s < c->slot_count; s++) {
        m->framed->EA[s] = rod->stiffness.EA;
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
    m->block_size = centerline_block_size(&rod->line, count.count);
    m->block = memory_alloc(memory, m->block_size);
    Carver carver = {.next = m->block, .stride = count.stride};
    if (m->block) {
        carve_all(&carver, m, rod->damping_time > 0.0);
    }
    return m->block != NULL;
}

static void destroy(Memory* memory, Rod* rod)
{
    CordPbd* m = pbd_of(rod);
    if (m) {
        framed_destroy(memory, m->framed);
        memory_free(memory, m->block, m->block_size);
        memory_free(memory, m, sizeof *m);
        rod->data = NULL;
    }
}

static CordResult no_memory(const Rod* rod, Message* message)
{
    return message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
}

// Sets the ghost points from the frames. They move with the midpoints of their edges.
static void place_ghosts(const Rod* rod)
{
    CordPbd* m = pbd_of(rod);
    const CordCenterline* c = &rod->line;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j), end = slot_of(c, edge_end(c, j));
        CordVec3 middle = vec3_mul(vec3_add(slot_get(c->x, s), slot_get(c->x, end)), 0.5);
        CordVec3 v = vec3_mul(vec3_add(slot_get(c->v, s), slot_get(c->v, end)), 0.5);
        double length = m->def.ghost_length * c->rest_len[s];
        slot_set(m->ghost, s, vec3_madd(middle, slot_get(m->framed->now.edges.m1, s), length));
        slot_set(m->ghost_v, s, v);
        slot_set(m->mid, s, v);
    }
}

// Takes ownership of the frames, also on failure. They have no damping of their own, because the position
// solver damps the strains.
static CordResult create_data(Memory* memory, Rod* rod, Framed* frames, const CordPbdDef* def,
                              Message* message)
{
    CordPbd* m = memory_array(memory, CordPbd, 1);
    rod->data = m;
    if (!m) {
        framed_destroy(memory, frames);
        return no_memory(rod, message);
    }
    m->framed = frames;
    m->framed->damping_time = 0.0;
    m->def = *def;
    m->substeps = def->substeps;
    m->wound = -1;
    bool sweeps = def->solver == CORD_PBD_PBD || def->method == CORD_PBD_SWEEPS;
    m->def.iterations = def->iterations > 0 ? def->iterations
                        : sweeps            ? ITERATIONS_SWEEPS
                                            : ITERATIONS_DIRECT;
    if (!reserve(memory, m, rod)) {
        destroy(memory, rod);
        return no_memory(rod, message);
    }
    return CORD_OK;
}

static CordResult create(Memory* memory, Rod* rod, const CordRodDef* def, const CordModalHooks* hooks,
                         Message* message)
{
    (void)hooks;
    CORD_TRY(check_def(rod, def, message));
    if (rod_def_is_implicit(def)) {
        return framed_create_rod(memory, rod, def, CORNER_LAW_PBD, message);
    }
    bool inextensible = rod->inextensible, dynamic_twist = rod->dynamic_twist;
    rod->dynamic_twist = true; // frames always have inertia
    double least_force = rod->inextensible ? stiffen(rod) : 0.0;
    CordResult result;
    Framed* frames = framed_create(memory, rod, def, CORNER_LAW_PBD, &result, message);
    CORD_TRY(result);
    CORD_TRY(create_data(memory, rod, frames, &def->pbd, message));
    CordPbd* m = pbd_of(rod);
    m->inextensible = inextensible;
    m->least_force = least_force;
    m->dynamic_twist = dynamic_twist;
    if (pbd_has_ghosts(rod)) { // they have no spin
        memset(frames->spin, 0, sizeof *frames->spin * (size_t)rod->line.slot_count);
        place_ghosts(rod);
    }
    return CORD_OK;
}

// A piece of a rod is used for statics only (the local minimisation of a refinement), so that it is framed.
static CordResult remesh(Memory* memory, Rod* rod, const Remesh* map, Message* message)
{
    const CordPbd* old = pbd_of(map->from);
    Framed* frames = framed_remesh(memory, rod, map, old->framed);
    if (!frames) {
        return no_memory(rod, message);
    }
    if (map->piece) {
        rod->form = MODEL_FRAMED;
        rod->data = frames;
        return CORD_OK;
    }
    CORD_TRY(create_data(memory, rod, frames, &old->def, message));
    pbd_of(rod)->inextensible = old->inextensible;
    pbd_of(rod)->least_force = old->least_force;
    pbd_of(rod)->dynamic_twist = old->dynamic_twist;
    return CORD_OK;
}

static CordResult reserve_framed(Memory* memory, Rod* rod, Message* message)
{
    Framed* g = pbd_of(rod)->framed;
    g->damping_time = rod->damping_time; // decides which arrays the trial frames have
    bool made = framed_open_trial(memory, g, rod);
    g->damping_time = 0.0;
    return made ? CORD_OK : no_memory(rod, message);
}

// Inextensible and with inertial frames as in its def.
static void become_framed(Memory* memory, Rod* rod)
{
    CordPbd* m = pbd_of(rod);
    Framed* g = m->framed;
    m->framed = NULL;
    rod->inextensible = m->inextensible;
    rod->stiffened = false;
    rod->dynamic_twist = m->dynamic_twist;
    destroy(memory, rod);
    g->damping_time = rod->damping_time;
    rod->form = MODEL_FRAMED;
    rod->data = g;
}

static CordResult constrain(Memory* memory, Rod* rod, double time, bool release, Message* message)
{
    (void)memory, (void)release, (void)message;
    Framed* g = pbd_of(rod)->framed;
    framed_update_held(g, rod);
    framed_hold(g, &g->now, rod, time);
    return CORD_OK;
}

static const char* refuses_torque(const Rod* rod)
{
    return pbd_of(rod)->def.solver == CORD_PBD_PBD ? "is solved for by weights (\"solver\": \"pbd\") and has "
                                                     "no stiffness that a torque could act "
                                                     "on; take \"xpbd\""
                                                   : NULL;
}

bool pbd_is_direct(const CordPbdDef* def)
{
    return def->solver == CORD_PBD_XPBD && def->method == CORD_PBD_DIRECT;
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
    double EA = rod->inextensible ? k->EA : pbd_of(rod)->framed->EA[slot_of(&rod->line, edge)];
    return real_min(EA / length, stiffest(k->mass_per_length * length, part));
}

double pbd_bend_share(const Rod* rod, double K, double part)
{
    double length = rod->length / rod->line.edge_count, mass = rod->stiffness.mass_per_length * length;
    return real_min(1.0, stiffest(mass * length * length, part) / K);
}

// Lower limit of the moment of inertia of an edge about its tangent, relative to its mass times its squared
// length. Frames with less inertia are quasistatic for all purposes.
#define LEAST_SPIN 1e-9
// Upper limit of the rotation by a torque alone in a substep of the sweep solver, whose directors are points
// [rad]. The solver rotates by the tangent of half the angle, which loses up to 2 % of the torque.
#define MOST_GOAL 0.5

double pbd_spin_inertia(const Rod* rod, int s, double h)
{
    const CordCenterline* c = &rod->line;
    const Framed* g = pbd_of(rod)->framed;
    const CordPbdDef* d = &pbd_of(rod)->def;
    double length = c->rest_len[s], mass = rod->stiffness.mass_per_length * length,
           part = h / pbd_of(rod)->substeps;
    double inertia = real_max(g->spin_inertia[s], LEAST_SPIN * mass * length * length);
    return d->method == CORD_PBD_SWEEPS
               ? real_max(inertia, fabs(g->torque[s] + g->load_torque[s]) * part * part / MOST_GOAL)
               : inertia;
}

// Applies gravity and torques only. The stepper adds the other loads and solves the constraints.
static double kick(const Rod* rod, const StepInfo* step, bool drift)
{
    (void)drift;
    Framed* g = pbd_of(rod)->framed;
    const CordCenterline* c = &rod->line;
    const double gravity[3] = {step->gravity.x, step->gravity.y, step->gravity.z};
    double sum = 0.0;
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

static void end_step(Rod* rod, double h)
{
    CordPbd* m = pbd_of(rod);
    m->since = rod->damping_time > 0.0 ? h / m->substeps : 0.0;
    if (m->since > 0.0) {
        swap(m->past, m->past_next);
        memcpy(m->past_length, m->past_length_next, sizeof *m->past_length * (size_t)rod->line.slot_count);
    }
    memcpy(m->framed->spin, m->spin_end, sizeof *m->spin_end * (size_t)rod->line.slot_count);
    if (pbd_has_ghosts(rod)) {
        swap(m->ghost, m->ghost_next), swap(m->ghost_v, m->ghost_v_next), swap(m->mid, m->mid_next);
    }
}

static void update_frames(Rod* rod, const FramesUpdate* update)
{
    CordPbd* m = pbd_of(rod);
    framed_update(m->framed, rod, update);
    rod->unsettled = false;
    if (update->h > 0.0) {
        end_step(rod, update->h);
    } else if (!update->jump) {
        m->since = 0.0;
        if (pbd_has_ghosts(rod)) {
            place_ghosts(rod);
        }
    }
}

static bool takes_near_turns(const Rod* rod)
{
    (void)rod;
    return true;
}

// The step has looked at its end.
static const char* trouble(const Rod* rod, int* node)
{
    *node = pbd_of(rod)->wound;
    return *node >= 0 ? FRAMED_TWISTED_TOO_FAR : NULL;
}

static RodSpin spin(const Rod* rod)
{
    const Framed* g = pbd_of(rod)->framed;
    return (RodSpin){g->spin, g->spin_next, pbd_of(rod)->spin_end, g->spin_inertia, g->may_turn};
}

// ---- queries

static CordVec3 couple(const Rod* rod, int edge, double* stiffness)
{
    *stiffness = 0.0;
    return vec3_mul(slot_get(pbd_of(rod)->framed->now.edges.t, slot_of(&rod->line, edge)),
                    pbd_spin_moment(rod, edge));
}

static double twist(const Rod* rod)
{
    return framed_twist(pbd_of(rod)->framed, rod);
}

static void material_frames(const Rod* rod, CordVec3* m1)
{
    framed_frames(pbd_of(rod)->framed, rod, m1);
}

static bool is_physical(const Rod* rod)
{
    return pbd_of(rod)->def.solver != CORD_PBD_PBD; // its weights are no stiffness
}

static bool is_damped(const Rod* rod)
{
    return rod->damping_time > 0.0;
}

bool pbd_carries_spin(const Rod* rod)
{
    return pbd_of(rod)->dynamic_twist && !pbd_has_ghosts(rod);
}

static void spin_forces(const Rod* rod, CordVec3* f)
{
    if (pbd_carries_spin(rod)) {
        framed_add_spin_forces(pbd_of(rod)->framed, rod, f);
    }
}

static void spin_energy(const Rod* rod, double lag, double* energy, CordVec3* momentum)
{
    framed_spin_energy(pbd_of(rod)->framed, rod, lag, energy, momentum);
}

static void rest_strain(const Rod* rod, int node, double strain[3])
{
    framed_rest_strain(pbd_of(rod)->framed, rod, node, strain);
}

static void state(Rod* rod, Bytes* b)
{
    CordPbd* m = pbd_of(rod);
    const CordCenterline* c = &rod->line;
    framed_state(m->framed, rod, b);
    for (int k = 0; k < 3 && pbd_has_ghosts(rod); k++) {
        bytes_doubles(b, m->ghost[k] + c->halo, c->edge_count);
        bytes_doubles(b, m->ghost_v[k] + c->halo, c->edge_count);
        bytes_doubles(b, m->mid[k] + c->halo, c->edge_count);
    }
    for (int k = 0; k < 4 && rod->damping_time > 0.0; k++) {
        bytes_doubles(b, (k < 3 ? m->past[k] : m->past_length) + c->halo, c->node_count);
    }
    bytes_double(b, &m->since);
}

// ---- solves

// In a solve the frames have inertia only if the def asks for dynamic twist.
static CordResult open_frames(Memory* memory, Rod* rod, Message* message)
{
    CordPbd* m = pbd_of(rod);
    if (m->def.solver == CORD_PBD_PBD) {
        return message_fail(
            message, CORD_NOT_SUPPORTED,
            "rod '%s' is solved for by weights (\"solver\": \"pbd\"), so that its shape at rest "
            "depends on steps and iterations and is no equilibrium; take \"xpbd\"",
            rod->name);
    }
    if (!framed_open_trial(memory, m->framed, rod)) {
        return message_fail(message, CORD_NO_MEMORY, "no memory to solve for rod '%s'", rod->name);
    }
    rod->dynamic_twist = m->dynamic_twist;
    framed_lend(rod, m->framed);
    return CORD_OK;
}

static void close_frames(Memory* memory, Rod* rod, double time)
{
    (void)time;
    if (rod->form != MODEL_FRAMED) { // opening failed
        return;
    }
    Framed* g = framed_return(rod);
    framed_close_trial(memory, g, rod);
    rod->dynamic_twist = true;
    for (int s = 0; s < rod->line.slot_count; s++) {
        g->spin[s] = 0.0; // an equilibrium is at rest
    }
    if (pbd_has_ghosts(rod)) {
        place_ghosts(rod);
    }
}

const Model model_position = {
    .name = "position",
    .refuses_torque = refuses_torque,
    .create = create,
    .fit_to_gravity = fit_to_gravity,
    .destroy = destroy,
    .constrain = constrain,
    .kick = kick,
    .update_frames = update_frames,
    .material_frames = material_frames,
    .takes_near_turns = takes_near_turns,
    .spin = spin,
    .spin_energy = spin_energy,
    .spin_forces = spin_forces,
    .energy = pbd_energy,
    .gradient = pbd_gradient,
    .is_physical = is_physical,
    .is_damped = is_damped,
    .dissipation = pbd_dissipation,
    .sections = pbd_sections,
    .moments = pbd_moments,
    .couple = couple,
    .twist = twist,
    .trouble = trouble,
    .open_frames = open_frames,
    .close_frames = close_frames,
    .reserve_framed = reserve_framed,
    .become_framed = become_framed,
    .rest_strain = rest_strain,
    .remesh = remesh,
    .state = state,
};
