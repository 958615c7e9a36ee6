// Guides: clamps that do not hold a node but lead it by constraint forces on the modes. The forces make the
// nodes end the step at the guides' positions and velocities, as far as the modes can follow. Springs are
// treated in the same way with compliance: the force of a spring is that at its length at the end of the
// step. While a spring pulls, all modes of the rod are stepped by backward Euler. A force that is constant
// over a step and matches its end would feed the modes that oscillate faster than the step.
#include "math/dense.h"
#include "math/eigen_jacobi.h"
#include "step/modal.h"

#include <string.h>

// iterations of Newton's method: positions are not linear in the amplitudes
#define MOST_ITERATIONS 4
// Regularisation: share of the mean compliance that is added to the diagonal, so that guides with conflicting
// targets on the same modes get a compromise. An iteration leaves that share of the residual.
#define REGULARISATION 1e-4
// Compliance over the largest one at the node, below which a guide does not act in a direction.
#define STIFF_BELOW 0.1

typedef struct Guide { // contributes three rows
    Clamp* clamp;      // NULL: a spring
    CordVec3 to;       // target of the spring in world axes [m]
    double compliance; // compliance of the spring [m/N]; 0: a clamp
    int node;
} Guide;

typedef struct Guides {
    Rod* rod;
    Guide* all; // (count)
    int count, n, modes;
    double euler;  // time step if it is by backward Euler [s]; else 0
    double *J, *A; // Jacobian dx/dq (n x modes); J W J^T (n x n)
    // residual, then multipliers; multipliers of the last iteration; their sum (n)
    double *right, *round, *sum;
} Guides;

static bool is_guide(const Clamp* clamp)
{
    return clamp->def.guide && clamp->holds;
}

int guides_count(const Rod* rod)
{
    int count = 0;
    for (int i = 0; i < rod->clamp_count; i++) {
        count += is_guide(rod->clamps[i]);
    }
    for (int i = 0; i < rod->load_count; i++) {
        count += rod->loads[i]->kind->tether != NULL;
    }
    return count;
}

// A step that ends at x has the spring force K (p - x) - C (x - x0) / h.
static Guide tether_guide(const Load* load, double h)
{
    CordVec3 x0 = node_position(&load->rod->line, load->node);
    CordVec3 ahead = vec3_madd(x0, modal_node_velocity(load->rod, load->node), h);
    LoadTether s = load->kind->tether(load, x0, ahead);
    double C = s.damping / h, compliance = 1.0 / (s.stiffness + C);
    CordVec3 to = vec3_madd(vec3_mul(s.target, s.stiffness * compliance), x0, C * compliance);
    return (Guide){.to = to, .compliance = compliance, .node = load->node};
}

static void find_guides(Guides* g, double time, double h)
{
    for (int i = 0; i < g->rod->clamp_count; i++) {
        Clamp* clamp = g->rod->clamps[i];
        if (is_guide(clamp)) {
            g->all[g->count++] = (Guide){.clamp = clamp, .node = clamp->node[0]};
        }
    }
    for (int i = 0; i < g->rod->load_count; i++) {
        const Load* load = g->rod->loads[i];
        if (load->kind->tether && load_acts(load, time)) {
            g->all[g->count++] = tether_guide(load, h);
        }
    }
    g->n = 3 * g->count;
    g->euler = modal_of(g->rod)->euler ? h : 0.0;
}

size_t guides_scratch(const Rod* rod)
{
    int n = 3 * guides_count(rod), modes = modal_of(rod)->count;
    return n == 0 ? 0
                  : arena_space(sizeof(Guide), n / 3) + arena_space(sizeof(double) * (size_t)modes, n) +
                        arena_space(sizeof(double) * (size_t)n, n) + 3 * arena_space(sizeof(double), n) +
                        arena_space(4 * sizeof(double), modes);
}

// Target of a guide in the axes of the supports.
static CordVec3 target(const CordModal* m, const Guide* guide, const Carrier* c, double time)
{
    CordVec3 x = guide->clamp ? clamp_target(guide->clamp, 0, time) : guide->to;
    return vec3_add(m->origin, modal_inward(c, vec3_sub(x, c->pose.point)));
}

// Removes the direction along which a sliding guide leaves its node free.
static CordVec3 guided_part(const CordModal* m, const Guide* guide, CordVec3 a)
{
    const Clamp* clamp = guide->clamp;
    return clamp && clamp->def.slides ? vec3_reject(a, modal_inward(&m->next.carrier, clamp->axis)) : a;
}

// Computes the Jacobian of a guide at the end of the step; returns the position of its node.
static CordVec3 find_rows(const Guides* g, const Guide* guide, double* J)
{
    int node = guide->node;
    const CordModal* m = modal_of(g->rod);
    size_t nodes = (size_t)g->rod->line.node_count, modes = (size_t)g->modes;
    CordVec3 u, w, none = {0, 0, 0};
    modal_node(g->rod, m->next.q, node, &u, &w);
    Warp warp = warp_of(m->def.linear ? none : w);
    for (size_t k = 0; k < modes; k++) {
        const double* phi = m->shape + (k * nodes + (size_t)node) * NODE_FREEDOMS;
        CordVec3 turn = m->def.linear ? none : (CordVec3){phi[3], phi[4], phi[5]};
        CordVec3 d = guided_part(m, guide, warp_velocity(&warp, u, turn, (CordVec3){phi[0], phi[1], phi[2]}));
        J[k] = d.x, J[modes + k] = d.y, J[2 * modes + k] = d.z;
    }
    return vec3_add(m->rest[node], warp_displace(&warp, u));
}

// Change of a mode's amplitude at the end of the step by a unit force during it.
static double mode_compliance(const Guides* g, int k)
{
    const CordModal* m = modal_of(g->rod);
    return g->euler > 0.0 ? g->euler * g->euler / modal_implicit(m, k, g->euler) : m->step[k].qf;
}

// Solves (J W J^T + regularisation) lambda = right, W being the compliances of the modes.
static void solve(const Guides* g, bool by_force)
{
    double trace = 0.0;
    for (int i = 0; i < g->n; i++) {
        for (int j = 0; j < g->n; j++) {
            double sum = 0.0;
            for (int k = 0; k < g->modes; k++) {
                sum += g->J[i * g->modes + k] * g->J[j * g->modes + k] *
                       (by_force ? mode_compliance(g, k) : 1.0);
            }
            g->A[i * g->n + j] = sum;
        }
        trace += g->A[i * g->n + i];
    }
    for (int i = 0; i < g->n; i++) {
        g->A[i * g->n + i] += REGULARISATION * trace / g->n + (by_force ? g->all[i / 3].compliance : 0.0);
    }
    if (!(trace > 0.0) || !dense_solve(g->n, g->A, g->right)) { // no mode moves any guided node
        memset(g->right, 0, sizeof(double) * (size_t)g->n);
    }
}

static double on_mode(const Guides* g, int k)
{
    double sum = 0.0;
    for (int i = 0; i < g->n; i++) {
        sum += g->J[i * g->modes + k] * g->right[i];
    }
    return sum;
}

// Removes from the residual and Jacobian of a guide the directions in which the modes hardly move, such as
// along an inextensible rod. Forces in these directions would be arbitrary.
static void drop_stiff_directions(const Guides* g, int row)
{
    double *J = g->J + row * g->modes, *off = g->right + row, A[9] = {0}, eigenvalues[3], turn[9];
    for (int c = 0; c < 9; c++) {
        for (int k = 0; k < g->modes; k++) {
            A[c] += J[c / 3 * g->modes + k] * J[c % 3 * g->modes + k] * mode_compliance(g, k);
        }
    }
    eigen_jacobi(3, A, eigenvalues, turn);
    for (int d = 0; d < 3 && eigenvalues[d] < STIFF_BELOW * eigenvalues[2]; d++) {
        const double t[3] = {turn[d], turn[3 + d], turn[6 + d]};
        double along = t[0] * off[0] + t[1] * off[1] + t[2] * off[2];
        for (int c = 0; c < 3; c++) {
            off[c] -= along * t[c];
        }
        for (int k = 0; k < g->modes; k++) {
            double by = t[0] * J[k] + t[1] * J[g->modes + k] + t[2] * J[2 * g->modes + k];
            for (int c = 0; c < 3; c++) {
                J[c * g->modes + k] -= by * t[c];
            }
        }
    }
}

// Computes the residuals; returns the sum of their squares.
static double find_residual(const Guides* g, double time)
{
    CordModal* m = modal_of(g->rod);
    double sum = 0.0;
    for (int i = 0, row = 0; i < g->count; i++, row += 3) {
        const Guide* guide = &g->all[i];
        CordVec3 x = find_rows(g, guide, g->J + row * g->modes);
        CordVec3 off = guided_part(m, guide, vec3_sub(target(m, guide, &m->next.carrier, time), x));
        double* right = g->right + row;
        right[0] = off.x, right[1] = off.y, right[2] = off.z;
        for (int c = 0; c < 3; c++) { // the spring's extension is compliance times force
            right[c] -= guide->compliance * (g->sum[row + c] + g->round[row + c]);
        }
        if (guide->clamp) {
            drop_stiff_directions(g, row);
        }
        sum += right[0] * right[0] + right[1] * right[1] + right[2] * right[2];
    }
    return sum;
}

static void correct_positions(const Guides* g)
{
    CordModal* m = modal_of(g->rod);
    solve(g, true);
    for (int k = 0; k < g->modes; k++) {
        double f = on_mode(g, k);
        double gain = mode_compliance(g, k);
        m->next.q[k] += gain * f;
        m->next.rate[k] += g->euler > 0.0 ? gain * f / g->euler : m->step[k].vf * f;
        m->next.force[k] += f;
        m->next.extra[k] += f;
    }
    memcpy(g->round, g->right, sizeof(double) * (size_t)g->n);
}

// Corrects the velocities of the guided nodes to those of their guides: forces that correct a position within
// a step make the velocity oscillate. Springs leave velocities to their damping.
static void correct_velocities(const Guides* g, const StepInfo* step)
{
    CordModal* m = modal_of(g->rod);
    double end = step->time + step->h;
    for (int i = 0, row = 0; i < g->count; i++) {
        const Guide* guide = &g->all[i];
        if (!guide->clamp) {
            memset(g->right + row, 0, 3 * sizeof(double));
            memset(g->J + row * g->modes, 0, sizeof(double) * 3 * (size_t)g->modes);
            row += 3;
            continue;
        }
        CordVec3 motion =
            vec3_sub(target(m, guide, &m->next.carrier, end), target(m, guide, &m->now.carrier, step->time));
        motion = guided_part(m, guide, motion);
        double v[3] = {motion.x / step->h, motion.y / step->h, motion.z / step->h};
        for (int c = 0; c < 3; c++, row++) {
            g->right[row] = v[c];
            for (int k = 0; k < g->modes; k++) {
                g->right[row] -= g->J[row * g->modes + k] * m->next.rate[k];
            }
        }
    }
    solve(g, false);
    for (int k = 0; k < g->modes; k++) {
        m->next.rate[k] += on_mode(g, k);
    }
    for (int i = 0; i < g->n; i++) { // an impulse over the step
        g->sum[i] += g->right[i] / step->h;
    }
}

static void copy_state(const ModalState* s, double* kept, int modes, bool back)
{
    double* const of[4] = {s->q, s->rate, s->force, s->extra};
    for (int i = 0; i < 4; i++) {
        double* at = kept + i * modes;
        memcpy(back ? of[i] : at, back ? at : of[i], sizeof(double) * (size_t)modes);
    }
}

void guides_lead(Rod* rod, const StepInfo* step, Arena* scratch)
{
    const CordModal* m = modal_of(rod);
    Guides g = {.rod = rod, .modes = m->count};
    int most = guides_count(rod);
    if (most == 0) {
        return;
    }
    g.all = arena_push(scratch, Guide, most);
    find_guides(&g, step->time, step->h);
    if (g.count == 0) {
        return;
    }
    g.J = arena_push(scratch, double, (size_t)g.n*(size_t)g.modes);
    g.A = arena_push(scratch, double, (size_t)g.n*(size_t)g.n);
    g.right = arena_push(scratch, double, g.n);
    g.round = arena_push(scratch, double, g.n);
    g.sum = arena_push(scratch, double, g.n);
    memset(g.round, 0, sizeof(double) * (size_t)g.n);
    memset(g.sum, 0, sizeof(double) * (size_t)g.n);
    double *kept = arena_push(scratch, double, 4 * (size_t)g.modes), off = INFINITY;
    copy_state(&m->next, kept, g.modes, false);
    for (int i = 0; i <= MOST_ITERATIONS; i++) {
        double left = find_residual(&g, step->time + step->h);
        if (!(left < off)) { // the modes cannot follow: undoes the last iteration
            copy_state(&m->next, kept, g.modes, true);
            break;
        }
        off = left;
        copy_state(&m->next, kept, g.modes, false);
        for (int k = 0; k < g.n; k++) {
            g.sum[k] += g.round[k];
        }
        if (i < MOST_ITERATIONS) {
            correct_positions(&g);
        }
    }
    correct_velocities(&g, step);
    for (int i = 0; i < g.count; i++) {
        CordVec3 f = {g.sum[3 * i], g.sum[3 * i + 1], g.sum[3 * i + 2]};
        if (g.all[i].clamp) {
            g.all[i].clamp->guide_force_next = quat_rotate(m->next.carrier.pose.rotation, f);
        }
    }
}
