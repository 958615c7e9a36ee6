// Quasistatic orientations: equilibrium at the end of a step by a modified Newton method. The initial guess
// is extrapolated with the angular velocities of the last step, so that two iterations usually suffice. The
// residual torque is then of second order in the step and proportional to the acceleration, so that a rigid
// motion is not damped. The factors of the matrix are reused over many steps, because the matrix depends on
// the relative rotations of neighbouring edges only, which change little. Too soft a matrix makes
// orientations overshoot and adds energy. After two iterations the error is quadratic and has one sign; after
// one it can have either. So iterations come in pairs.
#include "base/real.h"
#include "math/block_tridiag.h"
#include "math/elementary.h"
#include "model/corde/quaternion.h"

#include <string.h>

#define LEAST_STIFFNESS 1e-7 // added about the third axis, relative to the stiffness with neighbours held
#define LEAST_LOOSE 1e-4     // the same for a rod that nothing holds: round-off would spin a straight rod
#define MOST_TURNED 0.02     // relative rotation of neighbours after which the matrix is assembled anew [rad]
#define TURN_ENOUGH 1e-6     // an iteration with a smaller rotation ends the step [rad]
#define PATIENCE 5           // iterations with a matrix of an earlier step
#define MOST_ITERATIONS 200  // in a step
#define TORQUE_LEAST 1e-13   // residual torque in equilibrium, relative to the stiffness
#define LEAST_TURN 2e-16     // round-off of an edge's direction, times its length over its coordinates [rad]
#define MOST_RELAXATIONS 200
#define TURN_MOST 0.5  // largest rotation of one iteration [rad]
#define TURN_SNAP 0.05 // correction of the prediction above which edges snap through: rates are reset [rad]
// The same as TURN_ENOUGH for a rod that nothing holds. Where it is nearly straight, hardly anything resists
// that all of a flat rod turns, and the least curvature favours it: orientations then follow slowly [rad].
#define TURN_CREEP 1e-3
#define CREEP 0.9       // ratio of a rotation to the one before from which on orientations creep
#define TURN_SURE 0.05  // a smaller rotation with a positive definite matrix is not searched [rad]
#define TURN_FLAT 1e-12 // the same as TURN_ENOUGH where the matrix is not positive definite: a saddle [rad]
#define SMALL_STIFFNESS 0.01 // smaller regularisations hardly change a step
#define MOST_STIFFNESS 1e3   // largest regularisation, relative to the stiffness with neighbours held
#define MOST_SHORTENINGS 12  // line search: step reductions, each to a quarter
#define ROUND_OFF 1e-14      // of strains, and relative round-off of energies

// ---- Newton's system

static BlockTridiag chain_of(const CordCorde* m, const CordCenterline* c)
{
    BlockTridiag chain = {.n = c->edge_count, .closed = c->closed};
    for (int i = 0; i < 6; i++) {
        chain.diag[i] = m->factors[i] + c->halo;
    }
    for (int i = 0; i < 9; i++) {
        chain.link[i] = m->factors[6 + i] + c->halo;
        chain.work[i] = c->closed ? m->factors[15 + i] + c->halo : NULL;
    }
    for (int i = 0; i < 3; i++) {
        chain.r[i] = m->scratch[i] + c->halo;
    }
    return chain;
}

static void move_base(CordCorde* m, const Rod* rod, double inv_h)
{
    const CordCenterline* c = &rod->line;
    for (int k = 0; k < 4; k++) {
        memcpy(m->base_q[k], m->edges.q[k], (size_t)c->slot_count * sizeof(double));
    }
    CordeInput in = corde_input(m, rod, false);
    m->kernels->aside(&in, m->base_aside);
    m->base_inv_h = inv_h;
    m->turned = 0.0;
    m->factored = false;
}

// Convergence test: bending torques relative to bending stiffness and penalty, twisting torques relative to
// twisting stiffness. Hardly anything resists that all edges turn about themselves, so that it takes the
// round-off of coordinates into account: far from the origin it bends a rod, by nature as well.
static bool is_balanced(const CordCorde* m, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    const CordeCorners* k = &m->corners;
    double least = real_max(TORQUE_LEAST, LEAST_TURN * rod_reach(rod) * c->edge_count / rod->length);
    double across = 0.0, along = 0.0, bend = 0.0, twist = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        across = real_max(across, real_max(fabs(m->scratch[0][s]), fabs(m->scratch[1][s])));
        along = real_max(along, fabs(m->scratch[2][s]));
        bend = real_max(bend, real_max(m->edges.kappa_l[s], k->inv_l[s] * real_max(k->K11[s], k->K22[s])));
        twist = real_max(twist, k->inv_l[s] * real_max(k->K33[s], real_max(k->K11[s], k->K22[s])));
    }
    return across <= TORQUE_LEAST * bend && along <= least * twist;
}

// The rows of link[0] belong to the last edge in the rotated axes past the seam. Rotates them to its own
// axes.
static void turn_link(const CordCorde* m, const CordeMatrix* matrix, const CordCenterline* c)
{
    double cosine = cord_cos(m->seam), sine = cord_sin(m->seam);
    for (int k = 0; k < 3; k++) {
        double *x = matrix->link[k] + c->halo, *y = matrix->link[3 + k] + c->halo, x0 = *x;
        *x = cosine * x0 - sine * *y;
        *y = sine * x0 + cosine * *y;
    }
}

static bool try_factor(CordCorde* m, const Rod* rod, bool stressed, double least)
{
    CordeInput in = corde_input(m, rod, true);
    CordeEdges base = m->edges;
    CordeMatrix matrix = {.inv_h = m->base_inv_h, .stressed = stressed, .least = least};
    memcpy(base.q, m->base_q, sizeof base.q);
    memcpy(matrix.aside, m->base_aside, sizeof matrix.aside);
    memcpy(matrix.diag, m->factors, sizeof matrix.diag);
    memcpy(matrix.link, m->factors + 6, sizeof matrix.link);
    in.edges = &base;
    m->kernels->matrix(&in, &matrix);
    if (rod->line.closed && m->seam != 0.0) {
        turn_link(m, &matrix, &rod->line);
    }
    BlockTridiag chain = chain_of(m, &rod->line);
    return block_tridiag_factor(&chain);
}

// Assembles and factorises Newton's matrix. It is a pure function of the base and of the tables, so that a
// restored state continues bit by bit. A small stiffness about the third axis suppresses rotations without
// energy, such as the spin of a free round rod. Where bending favours turning an edge over, the matrix is not
// positive definite: that stiffness is then increased, by no more than it takes, so that the step is a
// descent direction and leaves the unstable position fast. The geometric part is left out where nothing else
// helps.
static bool factor(CordCorde* m, const Rod* rod)
{
    double first = m->loose ? LEAST_LOOSE : LEAST_STIFFNESS;
    for (double least = first; least < SMALL_STIFFNESS && !m->factored; least *= 100.0) {
        m->factored = try_factor(m, rod, true, least);
    }
    m->definite = m->factored;
    for (double least = SMALL_STIFFNESS; least < MOST_STIFFNESS && !m->factored; least *= 4.0) {
        m->factored = try_factor(m, rod, true, least);
    }
    m->factored = m->factored || try_factor(m, rod, false, LEAST_STIFFNESS);
    return m->factored;
}

// A round rod that nothing holds can rotate about its tangents without energy. Removes that rotation.
static void stop_idle_spin(const CordCorde* m, const CordCenterline* c)
{
    double sum = 0.0, *spin = m->scratch[2] + c->halo;
    for (int j = 0; j < c->edge_count; j++) {
        sum += spin[j];
    }
    for (int j = 0; j < c->edge_count; j++) {
        spin[j] -= sum / c->edge_count;
    }
}

// Rotates all orientations by h times the rates in scratch. The halo slots of a ring are excluded and filled
// anew. Returns the largest rotation [rad].
static double turn_all(CordCorde* m, const CordCenterline* c, double h, double most)
{
    for (int s = 0; s < c->halo; s++) {
        m->scratch[0][s] = m->scratch[1][s] = m->scratch[2][s] = 0.0;
    }
    m->turned += h * m->kernels->rate_difference(m->scratch, c->halo, c->halo + c->edge_count);
    return m->kernels->turn(&m->edges, m->scratch, h, c->halo + c->edge_count, most);
}

static void add_rates(const CordCorde* m, const CordCenterline* c, double rate)
{
    for (int k = 0; k < 3 && rate != 0.0; k++) {
        for (int s = c->halo; s < c->halo + c->edge_count; s++) {
            m->edges.omega[k][s] += rate * m->scratch[k][s];
        }
    }
}

// What the orientations minimise: the energy, the dissipation over the step, minus the work of torques.
// `turned` is the share of the rates in scratch by which they have turned. INFINITY: out of the model's
// range.
static double potential(const CordCorde* m, const Rod* rod, double inv_h, double turned)
{
    const CordCenterline* c = &rod->line;
    CordeInput in = corde_input(m, rod, false);
    CordeBend e = corde_bend_energy(m, c);
    double sum = e.bend + e.twist + corde_parallel_energy(m, c);
    sum += inv_h > 0.0 && m->drags ? corde_turn_friction(m, c) / inv_h : 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        sum -= turned * m->edges.torque[s] * m->scratch[2][s];
    }
    return m->kernels->is_in_range(&in) ? sum : INFINITY;
}

// Of the energies: round-off of strains changes an energy E by the root of this times E.
static double stiffness_sum(const CordCorde* m, const CordCenterline* c)
{
    double sum = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        sum += m->edges.kappa_l[s];
    }
    return sum;
}

// Rotates by a share of the rates in scratch, and changes the angular velocities to match.
static void turn_by(CordCorde* m, const Rod* rod, double inv_h, double share)
{
    turn_all(m, &rod->line, share, INFINITY);
    add_rates(m, &rod->line, share * inv_h);
    corde_wrap(m, &rod->line);
}

// Backtracking line search: orientations were rotated by a share of the rates in scratch; shortens it until
// the potential does not increase.
static void search_line(CordCorde* m, const Rod* rod, double inv_h, double share)
{
    double after = potential(m, rod, inv_h, share);
    turn_by(m, rod, inv_h, -share);
    if (isnan(m->before.sum)) { // far enough to lose turns
        m->before = corde_turns(m, rod);
    }
    double before = potential(m, rod, inv_h, 0.0), stiff = stiffness_sum(m, &rod->line);
    double enough = before + ROUND_OFF * (fabs(before) + sqrt(stiff * fabs(before)));
    turn_by(m, rod, inv_h, share);
    for (int n = 0; n < MOST_SHORTENINGS && !(after <= enough); n++) {
        turn_by(m, rod, inv_h, -0.75 * share);
        share *= 0.25;
        after = potential(m, rod, inv_h, share);
    }
}

// One Newton iteration. Returns the largest rotation [rad]; negative or not finite: it failed.
static double iterate(CordCorde* m, const Rod* rod, double inv_h, double most)
{
    const CordCenterline* c = &rod->line;
    if (m->base_inv_h != inv_h || m->turned > MOST_TURNED) {
        move_base(m, rod, inv_h);
    }
    if (!m->factored && !factor(m, rod)) {
        return -1.0;
    }
    CordeInput in = corde_input(m, rod, true);
    BlockTridiag chain = chain_of(m, c);
    in.drags &= inv_h > 0.0;
    in.damping_time = inv_h > 0.0 ? in.damping_time : 0.0;
    m->kernels->torques(&in, m->scratch);
    if (inv_h == 0.0 && is_balanced(m, rod)) {
        return 0.0;
    }
    block_tridiag_solve(&chain);
    if (m->loose && m->round) {
        stop_idle_spin(m, c);
    }
    double turn = turn_all(m, c, 1.0, most), share = turn > most ? most / turn : 1.0;
    add_rates(m, c, share * inv_h);
    corde_wrap(m, c);
    if (turn > TURN_SURE || (turn > TURN_FLAT && !m->definite)) {
        search_line(m, rod, inv_h, share);
    }
    return turn;
}

// ---- at the end of a step

// Initial guess: free orientations continue at their angular velocity.
static void predict(CordCorde* m, const CordCenterline* c, double h)
{
    for (int k = 0; k < 3; k++) {
        const double *may = m->edges.may_turn[k == 2], *omega = m->edges.omega[k];
        for (int s = c->halo; s < c->halo + c->edge_count; s++) {
            m->scratch[k][s] = may[s] * omega[s];
        }
    }
    turn_all(m, c, h, INFINITY);
}

static void stop(CordCorde* m, const CordCenterline* c)
{
    for (int k = 0; k < 3; k++) {
        const double* may = m->edges.may_turn[k == 2];
        for (int s = 0; s < c->slot_count; s++) {
            m->edges.omega[k][s] *= 1.0 - may[s];
        }
    }
}

// Is the iteration over, after a rotation of `turn` that followed one of `last`? A saddle is left unless it
// is exact.
static bool is_settled(const CordCorde* m, int iterations, double turn, double last)
{
    bool creeps = m->loose && iterations > PATIENCE && turn > CREEP * last;
    return turn <= (!m->definite ? TURN_FLAT : creeps ? TURN_CREEP : TURN_ENOUGH);
}

bool corde_solve_turns(CordCorde* m, const Rod* rod, double time, double h)
{
    double turn = 0.0, sum = 0.0;
    predict(m, &rod->line, h);
    bool wound = isinf(corde_hold(m, rod, time, h));
    bool done = false;
    for (int n = 0; n < MOST_ITERATIONS && !done; n++) {
        double last = turn;
        turn = iterate(m, rod, 1.0 / h, TURN_MOST);
        if (!(turn >= 0.0) || !isfinite(turn)) {
            return false;
        }
        sum += turn;
        done = n % 2 == 1 && is_settled(m, n, turn, last);
        // from here on each iteration has its own matrix
        m->turned = n >= PATIENCE || !m->definite ? INFINITY : m->turned;
    }
    if (sum > TURN_SNAP || wound) {
        stop(m, &rod->line);
    }
    return done;
}

// ---- equilibrium

bool corde_relax(CordCorde* m, const Rod* rod)
{
    double turn = INFINITY;
    m->before = m->lost[0] == '\0' ? corde_turns(m, rod) : m->before;
    m->base_inv_h = NAN; // the matrix of a step does not apply
    for (int n = 0; n < MOST_RELAXATIONS && turn > 0.0; n++) {
        turn = iterate(m, rod, 0.0, TURN_MOST);
        if (!(turn >= 0.0) || !isfinite(turn)) {
            return false;
        }
        m->turned = INFINITY; // each iteration has its own matrix
    }
    m->base_inv_h = NAN;
    return turn == 0.0;
}
