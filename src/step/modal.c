// A step of a modal rod (Choi and Song 2013). In the frame of the moving supports each mode is an independent
// oscillator,
//
//     q'' + C q' + Lambda q = Phi^T R^T F                                                     (8), (11)
//
// whose update is exact for a constant force F. F rotates with the nodes: it is the mean of the force at the
// start and at the predicted end of the step. (The force at the start alone would lag half a step and feed
// vibrations; the mean hardly does.) Velocity-dependent forces (drag, Coriolis) couple the modes and would be
// unstable for long steps if taken explicitly. They act for half a step before and half a step after the
// oscillators (Strang splitting), by the trapezoidal rule, which never adds energy.
#include "step/modal.h"
#include "base/real.h"
#include "math/dense.h"
#include "math/eigen_ql.h"

#include <string.h>

// iterations for the load at the end of a step, where supports move
#define LOAD_ITERATIONS 2

static bool pulls_alike(const Pull* a, const Pull* b)
{
    return !a->spreads && !b->spreads && memcmp(&a->even, &b->even, sizeof a->even) == 0;
}

static void set_step(CordModal* m, double h)
{
    if (h == m->h) {
        return;
    }
    for (int k = 0; k < m->count; k++) {
        double damping = m->damping[k] + m->drag_damping[k];
        m->step[k] = oscillator_over(m->omega2[k], damping, h);
        m->half[k] = oscillator_over(m->omega2[k], damping, 0.5 * h);
    }
    m->h = h;
}

// ---- scratch of a step

typedef struct Scratch {
    double *force, *middle, *right; // (m)
    double* rows;                   // (3 m)
    double *A, *B;                  // (m x m)
} Scratch;

// ---- velocity-dependent forces

static void drag_in_all(const Rod* rod, double time, double* along, double* across)
{
    *along = *across = 0.0;
    for (int i = 0; i < rod->load_count; i++) {
        LoadFlow drag = load_flow(rod->loads[i], (CordVec3){0, 0, 0}, time);
        *along += drag.along, *across += drag.across;
    }
}

// In the nodes' own axes drag does not change as they rotate: one matrix serves all times.
static void make_drag(const Rod* rod, double along, double across)
{
    CordModal* m = modal_of(rod);
    int n = m->count;
    size_t nodes = (size_t)rod->line.node_count;
    memset(m->drag, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (size_t i = 0; i < nodes; i++) {
        for (int k = 0; k < n; k++) {
            const double* phi = m->shape + ((size_t)k * nodes + i) * NODE_FREEDOMS;
            CordVec3 f = modal_drag(rod, (int)i, along, across, (CordVec3){phi[0], phi[1], phi[2]});
            modal_add_force(rod, (int)i, f, m->drag + (size_t)k * (size_t)n);
        }
    }
    m->drag_key[0] = along, m->drag_key[1] = across;
}

// Moves a part of the drag into the damping of each mode, where it is exact however strong it is: the largest
// share of the diagonal that leaves a positive semidefinite matrix behind. If drag is proportional to mass,
// that is all of it.
static void split_drag(CordModal* m, const Scratch* r)
{
    int n = m->count;
    double most = 0.0;
    for (int k = 0; k < n; k++) {
        most = real_max(most, m->drag[k * (n + 1)]);
    }
    for (int k = 0; k < n * n; k++) {
        double a = m->drag[k / n * (n + 1)], b = m->drag[k % n * (n + 1)];
        bool both = real_min(a, b) > 1e-12 * most; // purely twisting modes have no drag
        m->drag[k] = both ? m->drag[k] : 0.0;
        r->A[k] = both ? m->drag[k] / sqrt(a * b) : k / n == k % n ? 1.0 : 0.0;
    }
    bool finite = eigen_ql(n, r->A, r->right, r->B, r->middle);
    double share = finite ? real_max(r->right[0] - 1e-12, 0.0) : 0.0; // minus a margin for round-off
    for (int k = 0; k < n; k++) {
        m->drag_damping[k] = share * m->drag[k * (n + 1)];
        m->drag[k * (n + 1)] -= m->drag_damping[k];
    }
    m->h = 0.0; // the oscillators must be recomputed
}

static void set_drag(const Rod* rod, double time, const Scratch* r)
{
    CordModal* m = modal_of(rod);
    double along, across;
    drag_in_all(rod, time, &along, &across);
    if (along != m->drag_key[0] || across != m->drag_key[1]) {
        make_drag(rod, along, across);
        split_drag(m, r);
    }
}

// Adds the Coriolis matrix 2 m phi_k . (omega x phi_l), with omega in the node's own axes. It is
// skew-symmetric and does no work.
static void add_coriolis(const Rod* rod, CordVec3 spin, const double* q, double* A)
{
    const CordModal* m = modal_of(rod);
    int n = m->count;
    size_t nodes = (size_t)rod->line.node_count;
    for (size_t i = 0; i < nodes; i++) {
        NodeNow now = modal_node_now(rod, q, (int)i);
        CordVec3 w = vec3_mul(warp_turn_back(&now.warp, spin), 2.0 * rod_node_mass(rod, (int)i));
        for (int l = 0; l < n; l++) {
            const double* phi = m->shape + ((size_t)l * nodes + i) * NODE_FREEDOMS;
            CordVec3 f = vec3_cross(w, (CordVec3){phi[0], phi[1], phi[2]});
            for (int k = 0; k < n; k++) {
                const double* psi = m->shape + ((size_t)k * nodes + i) * NODE_FREEDOMS;
                A[k * n + l] += psi[0] * f.x + psi[1] * f.y + psi[2] * f.z;
            }
        }
    }
}

// Trapezoidal rule for v' = -A v over a time t: (I + t/2 A) v1 = (I - t/2 A) v0. `room` has n x n numbers.
static void damp_trapezoidal(int n, const double* A, double t, double* v, double* room, double* right)
{
    for (int i = 0; i < n; i++) {
        right[i] = v[i];
        for (int j = 0; j < n; j++) {
            right[i] -= 0.5 * t * A[i * n + j] * v[j];
            room[i * n + j] = (i == j ? 1.0 : 0.0) + 0.5 * t * A[i * n + j];
        }
    }
    // never singular for finite numbers: its symmetric part is positive definite
    if (dense_solve(n, room, right)) {
        memcpy(v, right, sizeof *v * (size_t)n);
    }
}

// ---- the step

static size_t scratch_of(const Island* island)
{
    const Rod* rod = island->rods[0];
    int n = modal_of(rod)->count;
    return guides_scratch(rod) + 3 * arena_space(sizeof(double), n) + arena_space(3 * sizeof(double), n) +
           2 * arena_space(sizeof(double) * (size_t)n, n);
}

static Scratch push_scratch(const CordModal* m, Arena* scratch)
{
    size_t n = (size_t)m->count;
    arena_reset(scratch);
    Scratch r = {.force = arena_push(scratch, double, n)};
    r.middle = arena_push(scratch, double, n);
    r.right = arena_push(scratch, double, n);
    r.rows = arena_push(scratch, double, 3 * n);
    r.A = arena_push(scratch, double, n* n);
    r.B = arena_push(scratch, double, n* n);
    return r;
}

// Predicts the amplitudes at the middle of the step under the last force.
static void find_middle(const CordModal* m, double* middle)
{
    for (int k = 0; k < m->count; k++) {
        const Oscillator* o = &m->half[k];
        middle[k] = o->qq * m->now.q[k] + o->qv * m->now.rate[k] + o->qf * m->now.force[k];
    }
}

// Predicts the amplitudes at the end of the step under a force.
static void predict_end(const CordModal* m, const double* q, const double* rate, const double* force,
                        double* end)
{
    for (int k = 0; k < m->count; k++) {
        const Oscillator* o = &m->step[k];
        end[k] = o->qq * q[k] + o->qv * rate[k] + o->qf * force[k];
    }
}

// Extrapolates the force of the next step from the loads at this state and at the one before.
static void extrapolate_force(const CordModal* m, const double* load, const double* before,
                              const double* extra, double* force)
{
    for (int k = 0; k < m->count; k++) {
        force[k] = 1.5 * load[k] - 0.5 * before[k] + extra[k];
    }
}

static void find_load(const Rod* rod, const Pull* pull, const double* q, double* load)
{
    modal_evaluate(rod, &modal_of(rod)->now.carrier, NULL, NULL, pull, q, load);
}

// Supports at rest: usually the load at the start is known as the end load of the last step, and the end load
// was predicted together with the last positions, so that a step reads the table of modes once.
static void load_at_rest(const Rod* rod, const Pull* pull, double h, const Scratch* r)
{
    CordModal* m = modal_of(rod);
    const ModalState* now = &m->now;
    ModalState* next = &m->next;
    size_t size = sizeof(double) * (size_t)m->count;
    bool known = now->loaded && pulls_alike(&now->pull, pull);
    if (known) {
        memcpy(next->before, now->load, size);
    } else {
        find_load(rod, pull, now->q, next->before);
    }
    if (known && now->ahead_valid && now->step == h) {
        memcpy(next->load, now->ahead, size);
    } else {
        extrapolate_force(m, next->before, known ? now->before : next->before, now->extra, r->force);
        predict_end(m, now->q, now->rate, r->force, r->right);
        find_load(rod, pull, r->right, next->load);
    }
    for (int k = 0; k < m->count; k++) {
        r->force[k] = 0.5 * (next->before[k] + next->load[k]);
    }
}

// Moving supports: each step has its own inertial force, whose load is computed at the start and, by
// fixed-point iteration, at the end of the step.
static void load_in_motion(const Rod* rod, const Pull* pull, const Scratch* r)
{
    CordModal* m = modal_of(rod);
    double *first = m->next.load, *last = r->B;
    size_t size = sizeof(double) * (size_t)m->count;
    memset(m->next.before, 0, size); // not known here, and part of the state
    memset(m->next.ahead, 0, size);
    find_load(rod, pull, m->now.q, first);
    memcpy(r->force, first, size);
    for (int i = 0; i < LOAD_ITERATIONS; i++) {
        for (int k = 0; k < m->count; k++) {
            r->right[k] = r->force[k] + m->now.extra[k];
        }
        predict_end(m, m->now.q, m->next.rate, r->right, last);
        find_load(rod, pull, last, r->right);
        for (int k = 0; k < m->count; k++) {
            r->force[k] = 0.5 * (first[k] + r->right[k]);
        }
    }
}

static void find_force(const Rod* rod, const StepInfo* step, const Scratch* r)
{
    CordModal* m = modal_of(rod);
    ModalState *now = &m->now, *next = &m->next;
    Pull pull = modal_pull(step->gravity, &m->start, &next->carrier, step->h);
    bool resting = carrier_rests(&m->start) && carrier_rests(&next->carrier) && !pull.spreads;
    if (resting) {
        load_at_rest(rod, &pull, step->h, r);
    } else {
        load_in_motion(rod, &pull, r);
    }
    next->loaded = resting;
    next->pull = next->acted = pull;
    Carrier middle = {pose_interpolate(now->carrier.pose, next->carrier.pose, 0.5),
                      vec3_mul(vec3_add(m->start.velocity, next->carrier.velocity), 0.5),
                      vec3_mul(vec3_add(m->start.spin, next->carrier.spin), 0.5)};
    memset(next->extra, 0, sizeof(double) * (size_t)m->count);
    modal_add_loads(rod, &middle, step->time + 0.5 * step->h, r->middle, next->extra);
    CordVec3 alpha = vec3_mul(vec3_sub(next->carrier.spin, m->start.spin), 1.0 / step->h);
    for (int k = 0; k < m->count; k++) {
        next->extra[k] -= vec3_dot(m->spin_load[k], alpha);
    }
    for (int k = 0; k < m->count; k++) {
        r->force[k] += next->extra[k];
    }
}

// Builds the matrix of velocity-dependent forces. False: there are none.
static bool find_damping_matrix(const Rod* rod, const Scratch* r)
{
    const CordModal* m = modal_of(rod);
    CordVec3 spin = vec3_mul(vec3_add(m->start.spin, m->next.carrier.spin), 0.5);
    bool spins = vec3_dot(spin, spin) > 0.0;
    if (m->drag_key[0] == 0.0 && m->drag_key[1] == 0.0 && !spins) {
        return false;
    }
    memcpy(r->A, m->drag, sizeof(double) * (size_t)m->count * (size_t)m->count);
    if (spins) {
        add_coriolis(rod, spin, r->middle, r->A);
    }
    return true;
}

static bool is_jump(CordVec3 before, CordVec3 after, CordVec3 end)
{
    double jump = vec3_length(vec3_sub(after, before)), rest = vec3_length(vec3_sub(end, after));
    return jump > 0.1 * rest + 1e-6 * (vec3_length(before) + vec3_length(after));
}

// A jump of the support velocity at the start of the step gives the structure an impulse. Spread over the
// step, it would leave the structure half a step behind. Gradual changes in the step are no jump.
static void apply_support_jump(const Rod* rod, const StepInfo* step, const Scratch* r)
{
    CordModal* m = modal_of(rod);
    const Carrier *before = &m->now.carrier, *end = &m->next.carrier;
    Carrier after = carrier_from(rod, step->time, step->h);
    m->start = *before;
    if (!is_jump(before->velocity, after.velocity, end->velocity) &&
        !is_jump(before->spin, after.spin, end->spin)) {
        return;
    }
    CordVec3 turn = vec3_sub(after.spin, before->spin);
    // with velocities in place of accelerations
    Pull impulse = {.even = vec3_sub(before->velocity, after.velocity), .spreads = true};
    modal_add_cross(turn, -1.0, impulse.spread);
    find_load(rod, &impulse, m->now.q, r->right);
    for (int k = 0; k < m->count; k++) {
        m->next.rate[k] += r->right[k] - vec3_dot(m->spin_load[k], turn);
    }
    m->start = after;
}

// Computes positions at the end of the step, and the load where the next step is predicted to end.
static void predict_next_load(Rod* rod, double h, const Scratch* r)
{
    CordModal* m = modal_of(rod);
    ModalState* next = &m->next;
    if (next->loaded) {
        extrapolate_force(m, next->load, next->before, next->extra, r->force);
        predict_end(m, next->q, next->rate, r->force, r->right);
    }
    modal_evaluate(rod, &next->carrier, next->q, rod->line.x_next, &next->pull, r->right,
                   next->loaded ? next->ahead : NULL);
    next->ahead_valid = next->loaded;
    next->step = h;
}

static void step_exact(CordModal* m, int k, double f)
{
    const Oscillator* o = &m->step[k];
    double q = m->now.q[k], v = m->next.rate[k];
    m->next.q[k] = o->qq * q + o->qv * v + o->qf * f;
    m->next.rate[k] = o->vq * q + o->vv * v + o->vf * f;
}

// Backward Euler, used while springs pull (modal_guide.c) and where contact acts. A contact force that is
// constant over a step would throw back what it stops, and exact impulses would not leave what rests at rest.
static void step_backward_euler(CordModal* m, int k, double h, double f)
{
    double q = m->now.q[k], v = m->next.rate[k];
    m->next.q[k] = q + h * (v + h * (f - m->omega2[k] * q)) / modal_implicit(m, k, h);
    m->next.rate[k] = (m->next.q[k] - q) / h;
}

// The oscillators, between the two halves of the velocity-dependent forces, then guides and positions.
static void advance_modes(Rod* rod, const StepInfo* step, const Scratch* r, bool damped, Arena* scratch)
{
    CordModal* m = modal_of(rod);
    for (int k = 0; k < m->count; k++) {
        m->euler ? step_backward_euler(m, k, step->h, m->next.force[k]) : step_exact(m, k, m->next.force[k]);
    }
    if (damped) {
        damp_trapezoidal(m->count, r->A, 0.5 * step->h, m->next.rate, r->B, r->right);
    }
    guides_lead(rod, step, scratch);
    predict_next_load(rod, step->h, r);
}

// Keeps what contact begins again from, and tells the velocities of nodes, which impulses are added to.
static void keep_start(Rod* rod)
{
    CordModal* m = modal_of(rod);
    size_t size = sizeof(double) * (size_t)m->count;
    memcpy(m->start_rate, m->next.rate, size);
    memcpy(m->free_force, m->next.force, size);
    memcpy(m->free_extra, m->next.extra, size);
    modal_velocities(rod);
    for (int k = 0; k < 3; k++) {
        memcpy(rod->line.v_next[k], rod->line.v[k], sizeof(double) * (size_t)rod->line.slot_count);
    }
    stepper_keep_free(rod);
}

static void advance_one(Rod* rod, const StepInfo* step, Arena* scratch)
{
    CordModal* m = modal_of(rod);
    ModalState *now = &m->now, *next = &m->next;
    Scratch r = push_scratch(m, scratch);
    size_t size = sizeof(double) * (size_t)m->count;
    rod->kick = step->kick;
    set_drag(rod, step->time + 0.5 * step->h, &r);
    set_step(m, step->h);
    next->carrier = carrier_at(rod, step->time + step->h, step->h);
    next->yields = false;
    memcpy(next->rate, now->rate, size);
    apply_support_jump(rod, step, &r);
    find_middle(m, r.middle);
    bool damped = find_damping_matrix(rod, &r);
    if (damped) {
        damp_trapezoidal(m->count, r.A, 0.5 * step->h, next->rate, r.B, r.right);
    }
    find_force(rod, step, &r);
    memcpy(next->force, r.force, size);
    m->euler = loads_have_tether(rod, step->time);
    if (step->in_contact) {
        keep_start(rod);
    }
    advance_modes(rod, step, &r, damped, scratch);
}

static CordResult apply(Rod* const* rods, int count, const StepInfo* step, Arena* scratch, Message* message)
{
    (void)count, (void)message; // one, and it cannot fail
    Rod* rod = rods[0];
    CordModal* m = modal_of(rod);
    Scratch r = push_scratch(m, scratch);
    for (int k = 0; k < m->count; k++) { // without contact the step may lead far away
        r.middle[k] = m->euler ? 0.5 * (m->now.q[k] + m->next.q[k]) : m->now.q[k];
    }
    modal_contact_force(rod, r.middle, step->h, r.rows, r.force);
    for (int k = 0; k < m->count; k++) {
        m->next.force[k] = m->free_force[k] + r.force[k];
        m->next.extra[k] = m->free_extra[k] + r.force[k];
        m->next.rate[k] = m->start_rate[k];
    }
    find_middle(m, r.middle);
    m->euler = true;
    advance_modes(rod, step, &r, find_damping_matrix(rod, &r), scratch);
    modal_yield(rod, step->h);
    return CORD_OK;
}

static void shorten(Rod* rod, double share)
{
    CordModal* m = modal_of(rod);
    for (int k = 0; k < m->count; k++) {
        m->next.q[k] = m->now.q[k] + share * (m->next.q[k] - m->now.q[k]);
        m->next.rate[k] *= share;
    }
    m->next.yields = true; // in case that positions are not those of these amplitudes
    m->next.ahead_valid = false;
}

static void keep(Rod* rod, bool restore)
{
    CordModal* m = modal_of(rod);
    double* const arrays[3] = {m->next.rate, m->next.force, m->next.extra};
    for (int i = 0; i < 3; i++) {
        double* kept = m->kept + i * m->count;
        memcpy(restore ? arrays[i] : kept, restore ? kept : arrays[i], sizeof(double) * (size_t)m->count);
    }
}

#define MOST_LENGTHS 1e3 // largest deflection over the rod length; more means divergence

static CordResult check_step(const Rod* rod, double time, Message* message)
{
    const ModalState* next = &modal_of(rod)->next;
    double sum = 0.0, far = MOST_LENGTHS * rod->length;
    for (int k = 0; k < modal_of(rod)->count; k++) {
        sum += next->q[k] * next->q[k] + 0.0 * next->rate[k];
    }
    // Modes are mass-orthonormal, so the sum of squares bounds the mean square displacement times the mass.
    if (!isfinite(sum) || sum > far * far * rod_mass(rod)) {
        return message_fail(message, CORD_DIVERGED,
                            "rod '%s' diverged: its modes bend it by more than a thousand times its length",
                            rod->name);
    }
    return carrier_check(rod, time, message);
}

static CordResult predict(const Island* island, const StepInfo* step, Arena* scratch, Stopwatch* watch,
                          Message* message)
{
    Rod* rod = island->rods[0];
    stopwatch_start(watch);
    arena_reset(scratch);
    advance_one(rod, step, scratch);
    stopwatch_lap(watch, &watch->times.forces);
    return check_step(rod, step->time + step->h, message);
}

static StepTimes times(const Rod* rod, double h)
{
    (void)rod;
    return (StepTimes){.kick = h, .force_at = 0.5};
}

// Velocities of nodes are computed from the amplitudes when they are asked for, so that `v` and `v_next` hold
// none of this step: the clamps must not take a difference of what was asked at other times as acceleration.
static void commit(Rod* rod, const StepInfo* step)
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < rod->clamp_count; i++) {
        for (int k = 0; k < rod->clamps[i]->node_count; k++) {
            int s = slot_of(c, rod->clamps[i]->node[k]);
            slot_set(c->v_next, s, slot_get(c->v, s));
        }
    }
    stepper_commit(rod, step);
}

static const char* hidden_loss(const Rod* rod)
{
    (void)rod;
    return "modal rods";
}

const Stepper stepper_modal = {
    .name = "modal",
    .any_step = true,
    .batch = 1,
    .adapt_every = 1,
    .ledger_every = 1,
    .contact = CONTACT_IMPULSES,
    .again = true,
    .hidden_loss = hidden_loss,
    .scratch = scratch_of,
    .times = times,
    .predict = predict,
    .apply = apply,
    .shorten = shorten,
    .keep = keep,
    .compliance_nodes = MODAL_MOST_TOUCHED,
    .compliance_scratch = modal_compliance_scratch,
    .compliance_rank = modal_compliance_rank,
    .compliance = modal_compliance,
    .commit = commit,
};
