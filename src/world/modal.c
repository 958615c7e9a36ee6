// Queries of modal rods: modes, amplitudes, statics and support reactions.
#include "step/modal.h"
#include "base/real.h"
#include "math/dense.h"
#include "world/world.h"

#include <string.h>

// [m kg^1/2], [m kg^1/2/s]: positions pass through single precision, whose squares overflow at 1e38.
#define MOST_AMPLITUDE 1e12

const char* cord_mode_kind_name(CordModeKind kind)
{
    static const char* const names[] = {"bend", "twist", "stretch", "coupled"};
    return (unsigned)kind <= CORD_MODE_COUPLED ? names[kind] : NULL;
}

// Finds a modal rod with its modes, or fails with a message.
static CordResult find_modal_rod(const CordWorld* w, CordRodId id, Rod** rod, CordModal** modal)
{
    *rod = world_rod(w, id);
    *modal = NULL;
    if (!*rod) {
        return bad_id(w, "rod");
    }
    if (!model_of(*rod)->reduced) {
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
    return find_modal_rod(w, id, &rod, &m) == CORD_OK ? m->count : 0;
}

static CordResult find_mode(const CordWorld* w, CordRodId id, int index, Rod** rod, CordModal** m)
{
    CORD_TRY(find_modal_rod(w, id, rod, m));
    return index >= 0 && index < (*m)->count
               ? CORD_OK
               : message_fail(world_message(w), CORD_BAD_ARGUMENT,
                              "mode %d was asked for; rod '%s' has modes 0 to %d", index, (*rod)->name,
                              (*m)->count - 1);
}

CordResult cord_rod_mode(const CordWorld* w, CordRodId id, int index, CordMode* mode)
{
    Rod* rod;
    CordModal* m;
    CORD_TRY(find_mode(w, id, index, &rod, &m));
    *mode = m->mode[index];
    return CORD_OK;
}

CordResult cord_rod_mode_shape(const CordWorld* w, CordRodId id, int index, CordVec3* displacement,
                               CordVec3* turn)
{
    Rod* rod;
    CordModal* m;
    CORD_TRY(find_mode(w, id, index, &rod, &m));
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
    CORD_TRY(find_modal_rod(w, id, &rod, &m));
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
    CORD_TRY(find_modal_rod(w, id, &rod, &m));
    for (int k = 0; k < m->count; k++) {
        if (!isfinite(q[k]) || !isfinite(rate[k])) {
            return message_fail(&w->message, CORD_BAD_ARGUMENT,
                                "the amplitude of mode %d given for rod '%s', or its rate, is not finite", k,
                                rod->name);
        }
    }
    double most = 0.0;
    for (int k = 0; k < m->count; k++) {
        most = real_max(most, real_max(fabs(q[k]), fabs(rate[k])));
    }
    if (most > MOST_AMPLITUDE) {
        return message_fail(
            &w->message, CORD_BAD_ARGUMENT,
            "an amplitude of %g m kg^1/2, or a rate, given for rod '%s' is beyond what it can have", most,
            rod->name);
    }
    size_t size = sizeof(double) * (size_t)m->count;
    memcpy(m->now.q, q, size);
    memcpy(m->now.rate, rate, size);
    m->now.loaded = false;
    modal_place(rod, &m->now, rod->line.x);
    world_mark(w, NULL, MARK_STATE);
    return CORD_OK;
}

CordResult cord_rod_modal_report(const CordWorld* w, CordRodId id, CordModalReport* report)
{
    Rod* rod;
    CordModal* m;
    CORD_TRY(find_modal_rod(w, id, &rod, &m));
    *report = m->report;
    return CORD_OK;
}

CordResult cord_load_mode_share(const CordWorld* w, CordLoadId id, double* share)
{
    const Load* load = slots_get(&w->loads, id.slot, id.generation);
    Rod* rod;
    CordModal* m;
    *share = NAN;
    if (!load) {
        return bad_id(w, "load");
    }
    bool steady = load->def.kind == CORD_LOAD_FORCE || load->def.kind == CORD_LOAD_TORQUE;
    if (!load->rod || !model_of(load->rod)->reduced || !steady) {
        return CORD_OK;
    }
    CORD_TRY(find_modal_rod(w, load->rod->id, &rod, &m));
    return modal_load_share(&((CordWorld*)w)->memory, rod, load, share, world_message(w));
}

CordResult cord_rod_weight_mode_share(const CordWorld* w, CordRodId id, double* share)
{
    Rod* rod;
    CordModal* m;
    CORD_TRY(find_modal_rod(w, id, &rod, &m));
    return modal_weight_share(&((CordWorld*)w)->memory, rod, w->gravity, share, world_message(w));
}

// ---- statics

CordResult modal_check_none(CordWorld* w, const char* refused)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        if (model_of(rod)->reduced) {
            return message_fail(&w->message, CORD_NOT_SUPPORTED, "rod '%s' is modal: %s", rod->name, refused);
        }
    }
    return CORD_OK;
}

int modal_count(const CordWorld* w)
{
    int count = 0;
    for (int i = 0; i < w->rods.live_count; i++) {
        count += model_of(slots_at(&w->rods, i))->reduced != NULL;
    }
    return count;
}

double modal_softest(const CordWorld* w)
{
    double least = INFINITY;
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        least = model_of(rod)->reduced ? real_min(least, modal_of(rod)->omega2[0]) : least;
    }
    return least;
}

// Solves with the clamps where they are at `time`, at rest. The elastic stiffness alone acts: the geometric
// stiffness of the load is left out.
CordResult modal_solve(CordWorld* w, Rod* rod, double time, CordSolveReport* report)
{
    *report = (CordSolveReport){.unstable = -1};
    CORD_TRY(carrier_check(rod, time, &w->message));
    if (guides_count(rod) > 0) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "rod '%s' has guides or springs, with which no equilibrium is solved for; let it "
                            "come to rest in a run",
                            rod->name);
    }
    ModalRest rest = {0};
    CordResult result =
        model_of(rod)->reduced->equilibrium(&w->memory, rod, w->gravity, time, &rest, &w->message);
    clamps_commit_motion(rod, time);
    stepper_rest(rod);
    CordEnergy energy = {0};
    model_of(rod)->energy(rod, &energy);
    *report = (CordSolveReport){.converged = result == CORD_OK,
                                .unstable = -1,
                                .iterations = rest.iterations,
                                .residual_relative = rest.residual,
                                .energy = energy.bend + energy.twist + energy.stretch};
    for (int i = 0; i < rod->line.node_count; i++) {
        report->energy -= rod_node_mass(rod, i) * vec3_dot(w->gravity, node_position(&rod->line, i));
    }
    return result;
}

// ---- support reactions

// The sum of all support reactions is known well: it balances the loads on the structure. The elements give
// each single reaction, poorly where modes are few. So each support takes the reaction of its elements along
// the degrees of freedom that it holds, plus the least-norm correction that makes the sum right: six
// equations for as many unknowns as there are held degrees of freedom.
typedef struct Reactions {
    const Rod* rod;
    CordVec3 point;            // reference point of torques [m]
    CordVec3 *force, *moment;  // of the elements on each node (node_count)
    CordVec3* f;               // external force on each node (node_count)
    double whole[6], gram[36]; // missing total force and torque; Gram matrix of the held degrees of freedom
} Reactions;

// A held degree of freedom as the force and torque of one newton, or newton metre, along it. A rotation is
// weighted by its displacement at the other end of the rod.
static void row_of(const Reactions* r, const Support* s, int k, double row[6])
{
    const CordModal* m = modal_of(r->rod);
    CordVec3 axis = quat_rotate(m->now.carrier.pose.rotation, s->axes[k]);
    CordVec3 turn = vec3_cross(vec3_sub(node_position(&r->rod->line, s->node), r->point), axis);
    double weight = k < 3 ? 1.0 : r->rod->length;
    row[0] = k < 3 ? axis.x : 0.0, row[1] = k < 3 ? axis.y : 0.0, row[2] = k < 3 ? axis.z : 0.0;
    row[3] = k < 3 ? turn.x : weight * axis.x, row[4] = k < 3 ? turn.y : weight * axis.y;
    row[5] = k < 3 ? turn.z : weight * axis.z;
}

// Reaction of the elements along a held degree of freedom, weighted.
static double element_reaction(const Reactions* r, const Support* s, int k)
{
    CordVec3 axis = quat_rotate(modal_of(r->rod)->now.carrier.pose.rotation, s->axes[k]);
    return k < 3 ? vec3_dot(axis, r->force[s->node]) : vec3_dot(axis, r->moment[s->node]) / r->rod->length;
}

static void find_missing(Reactions* r)
{
    const CordModal* m = modal_of(r->rod);
    for (int i = 0; i < m->support_count; i++) {
        for (int k = 0; k < NODE_FREEDOMS; k++) {
            double row[6], own = element_reaction(r, &m->supports[i], k);
            row_of(r, &m->supports[i], k, row);
            for (int c = 0; c < 36 && m->supports[i].held >> k & 1; c++) {
                r->gram[c] += row[c / 6] * row[c % 6];
                r->whole[c / 6] -= c % 6 == 0 ? row[c / 6] * own : 0.0;
            }
        }
    }
    for (int c = 0; c < 6; c++) { // a structure may be free where rigid motions are left out
        r->gram[7 * c] += 1e-12 * (r->gram[0] + r->gram[7] + r->gram[14]);
    }
    dense_solve(6, r->gram, r->whole);
}

static void sum_clamp(const Reactions* r, const Clamp* clamp, CordVec3* force, CordVec3* torque)
{
    const CordModal* m = modal_of(r->rod);
    double sum[6] = {0};
    for (int i = 0; i < m->support_count; i++) {
        const Support* s = &m->supports[i];
        bool own = s->node == clamp->node[0] || (clamp->node_count == 2 && s->node == clamp->node[1]);
        for (int k = 0; own && k < NODE_FREEDOMS; k++) {
            double row[6], share = element_reaction(r, s, k);
            row_of(r, s, k, row);
            for (int c = 0; c < 6; c++) {
                share += row[c] * r->whole[c];
            }
            for (int c = 0; c < 6 && s->held >> k & 1; c++) {
                sum[c] += share * row[c];
            }
        }
    }
    *force = (CordVec3){sum[0], sum[1], sum[2]}, *torque = (CordVec3){sum[3], sum[4], sum[5]};
}

static void find_outside(CordWorld* w, const Reactions* r)
{
    modal_velocities((Rod*)r->rod); // drag depends on the velocities
    loads_add_forces(r->rod, w->time, r->f);
    contact_add_forces(w, r->rod, r->f);
    for (int i = 0; i < r->rod->clamp_count; i++) {
        const Clamp* clamp = r->rod->clamps[i];
        if (clamp->def.guide) {
            r->f[clamp->node[0]] = vec3_add(r->f[clamp->node[0]], clamp->guide_force);
        }
    }
}

// Torques of loads on edges, which their node forces do not contain.
static CordVec3 torques_about_edges(const Rod* rod, double time)
{
    CordVec3 sum = {0, 0, 0};
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        double share = load->edge >= 0 ? load_share(load, time) : 0.0;
        if (share > 0.0) {
            CordVec3 e = edge_vector(&rod->line, load->edge);
            double torque = load->kind->terms(load, share, &(LoadPoint){.edge = e}).torque;
            sum = vec3_madd(sum, vec3_unit(e), torque);
        }
    }
    return sum;
}

CordResult modal_reaction(const CordWorld* world, const Clamp* clamp, CordVec3* force, CordVec3* torque)
{
    CordWorld* w = (CordWorld*)world; // scratch memory only
    const Rod* rod = clamp->rod;
    if (clamp->def.guide) {
        *force = vec3_mul(clamp->guide_force, -1.0), *torque = (CordVec3){0, 0, 0};
        return CORD_OK;
    }
    size_t nodes = (size_t)rod->line.node_count, modes = (size_t)modal_of(rod)->count;
    size_t size = 3 * nodes * sizeof(CordVec3) + modes * sizeof(double);
    CordVec3* room = memory_alloc(&w->memory, size);
    if (!room) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for what the clamps of rod '%s' take",
                            rod->name);
    }
    Reactions r = {rod, clamp->last.point, room, room + nodes, room + 2 * nodes, {0}, {0}};
    CordVec3 whole, turn;
    find_outside(w, &r);
    modal_pulls(rod, r.force, r.moment);
    modal_resultant(rod, w->gravity, r.point, r.f, (double*)(room + 3 * nodes), &whole, &turn);
    turn = vec3_add(turn, torques_about_edges(rod, w->time));
    const double all[6] = {whole.x, whole.y, whole.z, turn.x, turn.y, turn.z};
    memcpy(r.whole, all, sizeof all);
    find_missing(&r);
    sum_clamp(&r, clamp, force, torque);
    memory_free(&w->memory, room, size);
    return CORD_OK;
}
