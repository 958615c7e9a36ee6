// Modes of modal rods, for those who ask.
#include "model/modal/modal.h"
#include "world/world.h"

#include <string.h>

const char* cord_mode_kind_name(CordModeKind kind)
{
    static const char* const names[] = {"bend", "twist", "stretch", "coupled"};
    return (unsigned)kind <= CORD_MODE_COUPLED ? names[kind] : NULL;
}

// A modal rod with its modes; else the message says why not.
static CordResult look(const CordWorld* w, CordRodId id, Rod** rod, CordModal** modal)
{
    *rod = world_rod(w, id);
    *modal = NULL;
    if (!*rod) {
        return bad_id(w, "rod");
    }
    if (!(*rod)->modal) {
        return message_fail(world_message(w), CORD_NOT_SUPPORTED,
                            "rod '%s' is not modal and has no modes of its own", (*rod)->name);
    }
    CORD_TRY(world_prepare(w));
    *modal = modal_of(*rod);
    return CORD_OK;
}

int cord_rod_mode_count(const CordWorld* w, CordRodId id)
{
    Rod* rod;
    CordModal* m;
    return look(w, id, &rod, &m) == CORD_OK ? m->count : 0;
}

static CordResult look_at(const CordWorld* w, CordRodId id, int index, Rod** rod, CordModal** m)
{
    CORD_TRY(look(w, id, rod, m));
    return index >= 0 && index < (*m)->count ? CORD_OK
                                             : message_fail(world_message(w), CORD_BAD_ARGUMENT,
                                                            "mode %d was asked for; rod '%s' has modes 0 to %d",
                                                            index, (*rod)->name, (*m)->count - 1);
}

CordResult cord_rod_mode(const CordWorld* w, CordRodId id, int index, CordMode* mode)
{
    Rod* rod;
    CordModal* m;
    CORD_TRY(look_at(w, id, index, &rod, &m));
    *mode = m->mode[index];
    return CORD_OK;
}

CordResult cord_rod_mode_shape(const CordWorld* w, CordRodId id, int index, CordVec3* displacement, CordVec3* turn)
{
    Rod* rod;
    CordModal* m;
    CORD_TRY(look_at(w, id, index, &rod, &m));
    size_t n = (size_t)rod->line.node_count;
    for (size_t i = 0; i < n; i++) {
        const double* phi = m->shape + ((size_t)index * n + i) * NODE_FREEDOMS;
        if (displacement) {
            displacement[i] = (CordVec3){phi[0], phi[1], phi[2]};
        }
        if (turn) {
            turn[i] = (CordVec3){phi[3], phi[4], phi[5]};
        }
    }
    return CORD_OK;
}

CordResult cord_rod_amplitudes(const CordWorld* w, CordRodId id, double* q, double* rate)
{
    Rod* rod;
    CordModal* m;
    CORD_TRY(look(w, id, &rod, &m));
    size_t size = sizeof(double) * (size_t)m->count;
    memcpy(q, m->now.q, size);
    memcpy(rate, m->now.rate, size);
    return CORD_OK;
}

CordResult cord_rod_set_amplitudes(CordWorld* w, CordRodId id, const double* q, const double* rate)
{
    Rod* rod;
    CordModal* m;
    CORD_TRY(check_no_branch(w, "no amplitudes are set"));
    CORD_TRY(look(w, id, &rod, &m));
    for (int k = 0; k < m->count; k++) {
        if (!isfinite(q[k]) || !isfinite(rate[k])) {
            return message_fail(&w->message, CORD_BAD_ARGUMENT,
                                "the amplitude of mode %d given for rod '%s', or its rate, is not finite", k,
                                rod->name);
        }
    }
    size_t size = sizeof(double) * (size_t)m->count;
    memcpy(m->now.q, q, size);
    memcpy(m->now.rate, rate, size);
    m->now.loaded = false;
    modal_place(rod, &m->now, rod->line.x);
    w->revision++;
    return CORD_OK;
}

CordResult cord_rod_modal_report(const CordWorld* w, CordRodId id, CordModalReport* report)
{
    Rod* rod;
    CordModal* m;
    CORD_TRY(look(w, id, &rod, &m));
    *report = m->report;
    return CORD_OK;
}

// ---- statics

CordResult modal_check_none(CordWorld* w, const char* refused)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        if (rod->modal) {
            return message_fail(&w->message, CORD_NOT_SUPPORTED, "rod '%s' is modal: %s", rod->name, refused);
        }
    }
    return CORD_OK;
}

int modal_count(const CordWorld* w)
{
    int count = 0;
    for (int i = 0; i < w->rods.live_count; i++) {
        count += ((const Rod*)slots_at(&w->rods, i))->modal;
    }
    return count;
}

double modal_softest(const CordWorld* w)
{
    double least = INFINITY;
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        least = rod->modal ? fmin(least, modal_of(rod)->omega2[0]) : least;
    }
    return least;
}

// Clamps where they are at `time`, at rest. Its own stiffness always brings it back: what the load does to that is not looked at.
CordResult modal_solve(CordWorld* w, Rod* rod, double time, CordSolveReport* report)
{
    Carrier carrier = {.pose = carrier_pose(rod, time)};
    Pull pull = {.even = modal_inward(&carrier, w->gravity)};
    *report = (CordSolveReport){.unstable = -1};
    CORD_TRY(carrier_check(rod, time, &w->message));
    ModalRest rest = {0};
    CordResult result = modal_rest(&w->memory, rod, &pull, &carrier, time, &rest, &w->message);
    clamps_arrive(rod, time);
    rod_at_rest(rod);
    CordEnergy energy = {0};
    modal_energy(rod, &energy);
    *report = (CordSolveReport){.converged = result == CORD_OK,
                                .unstable = -1,
                                .iterations = rest.iterations,
                                .residual_relative = rest.off,
                                .energy = energy.bend + energy.twist + energy.stretch};
    for (int i = 0; i < rod->line.node_count; i++) {
        report->energy -= rod_node_mass(rod, i) * vec3_dot(w->gravity, node_position(&rod->line, i));
    }
    return result;
}

void modal_take_modes(const Rod* rod, int count, double* omega2, double* shape, size_t stride)
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

// ---- what supports take

// What the elements at a clamp's nodes do to it: few modes tell that badly.
static void elements_pull(const Clamp* clamp, CordVec3 point, CordVec3* force, CordVec3* torque)
{
    const Rod* rod = clamp->rod;
    *force = *torque = (CordVec3){0, 0, 0};
    for (int k = 0; k < clamp->node_count; k++) {
        CordVec3 pull, moment, arm = vec3_sub(node_position(&rod->line, clamp->node[k]), point);
        modal_pull_on(rod, clamp->node[k], &pull, &moment);
        *force = vec3_add(*force, pull);
        *torque = vec3_add(*torque, vec3_add(moment, vec3_cross(arm, pull)));
    }
}

// All supports together take what acts on the structure, which is known well. One alone has all of it; several have what their elements do, and share what is missing of the force.
CordResult modal_reaction(const CordWorld* world, const Clamp* clamp, CordVec3* force, CordVec3* torque)
{
    CordWorld* w = (CordWorld*)world; // its memory is used, and given back
    const Rod* rod = clamp->rod;
    if (clamp->def.guide) {
        *force = vec3_mul(clamp->led, -1.0), *torque = (CordVec3){0, 0, 0};
        return CORD_OK;
    }
    size_t nodes = (size_t)rod->line.node_count, modes = (size_t)modal_of(rod)->count;
    size_t size = nodes * sizeof(CordVec3) + 2 * modes * sizeof(double);
    CordVec3* f = memory_alloc(&w->memory, size);
    if (!f) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for what the clamps of rod '%s' take",
                            rod->name);
    }
    StepInfo at = {.time = w->time, .gravity = w->gravity};
    modal_velocities((Rod*)rod); // drag goes by them
    loads_add_forces(rod, w->time, f);
    contact_add_forces(w, rod, f);
    int supports = 0;
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* other = rod->clamps[i];
        supports += !other->def.guide;
        if (other->def.guide) {
            f[other->node[0]] = vec3_add(f[other->node[0]], other->led);
        }
    }
    modal_resultant(rod, &at, clamp->last.point, f, (double*)(f + nodes), force, torque);
    memory_free(&w->memory, f, size);
    if (supports == 1) {
        return CORD_OK;
    }
    CordVec3 missing = *force, own_force, own_torque, other;
    for (int i = 0; i < rod->clamp_count; i++) {
        if (rod->clamps[i]->def.guide) {
            continue;
        }
        elements_pull(rod->clamps[i], clamp->last.point, &own_force, &other);
        missing = vec3_sub(missing, own_force);
    }
    elements_pull(clamp, clamp->last.point, &own_force, &own_torque);
    *force = vec3_madd(own_force, missing, 1.0 / supports);
    *torque = own_torque;
    return CORD_OK;
}
