// Guides: clamps that hold no node but lead it, by forces on the modes. Those are such that the step ends with the nodes where their guides have them, and going along with them; what the modes
// cannot follow stays undone.
#include "math/dense.h"
#include "math/eigen.h"
#include "model/modal/modal.h"

#include <string.h>

// Of Newton's method: places are not linear in amplitudes.
#define ROUNDS 4
// Share of the mean compliance that is added to all, so that guides which want different things of the same modes are settled between; a round leaves so much undone.
#define SLACK 1e-4
// Of the way that a node gives most: where it gives less, its guide has no say.
#define STIFF 0.1

typedef struct Guides {
    Rod* rod;
    int n, modes;                // three rows for each guide
    double *J, *A;               // d place / d amplitudes (n x modes); n x n
    double *right, *round, *sum; // what is off, and then what it takes; that of the last round, and in all (n)
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
    return count;
}

size_t guides_scratch(const Rod* rod)
{
    int n = 3 * guides_count(rod), modes = modal_of(rod)->count;
    return n == 0 ? 0
                  : arena_space(sizeof(double) * (size_t)modes, n) + arena_space(sizeof(double) * (size_t)n, n) +
                        3 * arena_space(sizeof(double), n) + arena_space(4 * sizeof(double), modes);
}

// Where a guide has its node, along the carrier's axes.
static CordVec3 target(const CordModal* m, const Clamp* clamp, const Carrier* c, double time)
{
    return vec3_add(m->origin, modal_inward(c, vec3_sub(clamp_target(clamp, 0, time), c->pose.point)));
}

// What a guide has no say in: the way along the axis that it lets its node slide along.
static CordVec3 led_part(const CordModal* m, const Clamp* clamp, CordVec3 a)
{
    return clamp->def.slides ? vec3_reject(a, modal_inward(&m->next.carrier, clamp->axis)) : a;
}

// The rows of a guide, and the place of its node, at the amplitudes of the end of the step.
static CordVec3 find_rows(const Guides* g, const Clamp* clamp, double* J)
{
    int node = clamp->node[0];
    const CordModal* m = modal_of(g->rod);
    size_t nodes = (size_t)g->rod->line.node_count, modes = (size_t)g->modes;
    CordVec3 u, w, none = {0, 0, 0};
    modal_node(g->rod, m->next.q, node, &u, &w);
    Warp warp = warp_of(m->def.linear ? none : w);
    for (size_t k = 0; k < modes; k++) {
        const double* phi = m->shape + (k * nodes + (size_t)node) * NODE_FREEDOMS;
        CordVec3 turn = m->def.linear ? none : (CordVec3){phi[3], phi[4], phi[5]};
        CordVec3 d = led_part(m, clamp, warp_velocity(&warp, u, turn, (CordVec3){phi[0], phi[1], phi[2]}));
        J[k] = d.x, J[modes + k] = d.y, J[2 * modes + k] = d.z;
    }
    return vec3_add(m->rest[node], warp_displace(&warp, u));
}

// J W J^T, W the weights of the modes, and a little more: then `right` becomes what it takes.
static void solve(const Guides* g, bool by_force)
{
    const CordModal* m = modal_of(g->rod);
    double trace = 0.0;
    for (int i = 0; i < g->n; i++) {
        for (int j = 0; j < g->n; j++) {
            double sum = 0.0;
            for (int k = 0; k < g->modes; k++) {
                sum += g->J[i * g->modes + k] * g->J[j * g->modes + k] * (by_force ? m->step[k].qf : 1.0);
            }
            g->A[i * g->n + j] = sum;
        }
        trace += g->A[i * g->n + i];
    }
    for (int i = 0; i < g->n; i++) {
        g->A[i * g->n + i] += SLACK * trace / g->n;
    }
    if (!(trace > 0.0) || !dense_solve(g->n, g->A, g->right)) { // no mode moves any of them
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

// What is off of a guide, and its rows, without the directions in which the modes hardly give, as along a rod that does not stretch: forces there would have nothing to do with where the node is to go.
static void leave_stiff(const Guides* g, int row)
{
    const CordModal* m = modal_of(g->rod);
    double *J = g->J + row * g->modes, *off = g->right + row, A[9] = {0}, gives[3], turn[9];
    for (int c = 0; c < 9; c++) {
        for (int k = 0; k < g->modes; k++) {
            A[c] += J[c / 3 * g->modes + k] * J[c % 3 * g->modes + k] * m->step[k].qf;
        }
    }
    eigen_symmetric(3, A, gives, turn);
    for (int d = 0; d < 3 && gives[d] < STIFF * gives[2]; d++) {
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

// Returns how far off the nodes are, before.
static double find_off(const Guides* g, double time)
{
    CordModal* m = modal_of(g->rod);
    for (int i = 0, row = 0; i < g->rod->clamp_count; i++) {
        const Clamp* clamp = g->rod->clamps[i];
        if (is_guide(clamp)) {
            CordVec3 x = find_rows(g, clamp, g->J + row * g->modes);
            CordVec3 off = led_part(m, clamp, vec3_sub(target(m, clamp, &m->next.carrier, time), x));
            g->right[row] = off.x, g->right[row + 1] = off.y, g->right[row + 2] = off.z;
            row += 3;
        }
    }
    for (int row = 0; row < g->n; row += 3) {
        leave_stiff(g, row);
    }
    double sum = 0.0;
    for (int i = 0; i < g->n; i++) {
        sum += g->right[i] * g->right[i];
    }
    return sum;
}

static void lead_places(const Guides* g)
{
    CordModal* m = modal_of(g->rod);
    solve(g, true);
    for (int k = 0; k < g->modes; k++) {
        double f = on_mode(g, k);
        m->next.q[k] += m->step[k].qf * f;
        m->next.rate[k] += m->step[k].vf * f;
        m->next.force[k] += f;
        m->next.extra[k] += f;
    }
    memcpy(g->round, g->right, sizeof(double) * (size_t)g->n);
}

// The nodes leave with the velocities of their guides: forces that bring a place about within a step make velocities swing.
static void lead_rates(const Guides* g, const StepInfo* step)
{
    CordModal* m = modal_of(g->rod);
    double end = step->time + step->h;
    for (int i = 0, row = 0; i < g->rod->clamp_count; i++) {
        const Clamp* clamp = g->rod->clamps[i];
        if (!is_guide(clamp)) {
            continue;
        }
        CordVec3 way =
            vec3_sub(target(m, clamp, &m->next.carrier, end), target(m, clamp, &m->now.carrier, step->time));
        way = led_part(m, clamp, way);
        double v[3] = {way.x / step->h, way.y / step->h, way.z / step->h};
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
    for (int i = 0; i < g->n; i++) { // an impulse
        g->sum[i] += g->right[i] / step->h;
    }
}

static void keep(const ModalState* s, double* kept, int modes, bool back)
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
    Guides g = {.rod = rod, .n = 3 * guides_count(rod), .modes = m->count};
    if (g.n == 0) {
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
    keep(&m->next, kept, g.modes, false);
    for (int i = 0; i <= ROUNDS; i++) {
        double left = find_off(&g, step->time + step->h);
        if (!(left < off)) { // what the modes cannot follow, and led astray: the last round did not happen
            keep(&m->next, kept, g.modes, true);
            break;
        }
        off = left;
        keep(&m->next, kept, g.modes, false);
        for (int k = 0; k < g.n; k++) {
            g.sum[k] += g.round[k];
        }
        if (i < ROUNDS) {
            lead_places(&g);
        }
    }
    lead_rates(&g, step);
    for (int i = 0, row = 0; i < rod->clamp_count; i++) {
        Clamp* clamp = rod->clamps[i];
        if (is_guide(clamp)) {
            CordVec3 f = {g.sum[row], g.sum[row + 1], g.sum[row + 2]};
            clamp->led = quat_rotate(m->next.carrier.pose.rotation, f);
            row += 3;
        }
    }
}
