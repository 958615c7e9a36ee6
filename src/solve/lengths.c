#include "solve/lengths.h"

#include "math/cpu.h"
#include "math/tridiag.h"
#include "solve/lengths_kernel.h"

#include <string.h>

extern const LengthsKernels lengths_kernels_plain;
#ifndef CORD_NO_AVX2
extern const LengthsKernels lengths_kernels_avx2;
#endif

#define TOLERANCE 1e-12 // of |e|^2 / rest^2 - 1: a few round-offs; looser, and RATTLE's energy drifts
#define MOST_ITERATIONS 60
#define FRESH_MATRIX_EVERY 4 // iterations with one matrix before it is made anew
#define ARRAYS 12

typedef struct Lengths {
    const Rod* rod;
    LengthsArrays a;
    Tridiag matrix;  // factored; its arrays start at the first row
    double* border;
    double* change;
} Lengths;

// ---- scratch

size_t lengths_scratch(const Rod* rod)
{
    return ARRAYS * arena_space(sizeof(double), (int)centerline_stride(&rod->line)) +
           arena_space(sizeof(CordVec3), 2 * rod->clamp_count);
}

// Padding is zero, so that wide loops may run over the ends.
static double* push_array(const Rod* rod, Arena* scratch)
{
    const CordCenterline* c = &rod->line;
    double* a = (double*)arena_push(scratch, double, centerline_stride(c)) + CENTERLINE_PAD;
    int edges = c->slot_count - 1;
    memset(a - CENTERLINE_PAD, 0, CENTERLINE_PAD * sizeof *a);
    memset(a + edges, 0, (centerline_stride(c) - CENTERLINE_PAD - (size_t)edges) * sizeof *a);
    return a;
}

static Lengths lengths_open(const Rod* rod, double h, Arena* scratch)
{
    const CordCenterline* c = &rod->line;
    Lengths l = {.rod = rod};
    l.a = (LengthsArrays){
        .slot_count = c->slot_count, .edge_slots = c->slot_count - 1, .w = c->w, .rest_len = c->rest_len, .h = h};
    l.a.inv_rest = c->inv_rest;
    l.a.first = c->halo;
    l.a.rows = c->edge_count;
    for (int k = 0; k < 3; k++) {
        l.a.x[k] = c->x[k];
        l.a.v[k] = c->v_next[k];
        l.a.x_next[k] = c->x_next[k];
        l.a.d[k] = push_array(rod, scratch);
        l.a.e[k] = push_array(rod, scratch);
    }
    l.a.lambda = c->pull_next;
    l.a.lower = push_array(rod, scratch);
    l.a.diag = push_array(rod, scratch);
    l.a.upper = push_array(rod, scratch);
    l.a.residual = push_array(rod, scratch);
    l.border = push_array(rod, scratch);
    l.change = push_array(rod, scratch);
    return l;
}

// ---- rows beside a clamp that slides: its node has inverse mass along one axis only

// A vector as the inverse mass at a slot sees it; beyond a seam the node is the one across it.
static CordVec3 slot_filter(const Lengths* l, int s, CordVec3 a)
{
    const CordCenterline* c = &l->rod->line;
    return clamp_filter(l->rod, (s - c->halo + c->node_count) % c->node_count, a);
}

// What the multipliers do to a node, and to an edge, with the clamps seen to.
static CordVec3 node_moved(const Lengths* l, int s)
{
    const LengthsArrays* a = &l->a;
    CordVec3 y0 = vec3_mul(slot_get(a->d, s - 1), a->lambda[s - 1]), y1 = vec3_mul(slot_get(a->d, s), a->lambda[s]);
    return slot_filter(l, s, vec3_sub(y1, y0));
}

static void row_beside_slide(const Lengths* l, int s, bool matrix)
{
    const LengthsArrays* a = &l->a;
    CordVec3 e = vec3_add(slot_get(a->e, s), vec3_sub(node_moved(l, s + 1), node_moved(l, s)));
    CordVec3 at_start = slot_filter(l, s, e), at_end = slot_filter(l, s + 1, e);
    CordVec3 d = slot_get(a->d, s);
    double rest = a->rest_len[s], diag = vec3_dot(at_start, d) + vec3_dot(at_end, d);
    bool moves = diag != 0.0; // else it is held so that no multiplier does anything
    a->residual[s] = moves ? 0.5 * (vec3_dot(e, e) - rest * rest) : 0.0;
    if (matrix) {
        a->lower[s] = -vec3_dot(at_start, slot_get(a->d, s - 1));
        a->diag[s] = moves ? diag : 1.0;
        a->upper[s] = -vec3_dot(at_end, slot_get(a->d, s + 1));
    }
}

// A clamp that slides touches the edges around its nodes; in a ring, the last edge is beside the first node.
static void rows_beside_slides(const Lengths* l, bool matrix)
{
    const Rod* rod = l->rod;
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        for (int k = 0; clamp->holds && clamp->def.slides && k < clamp->node_count; k++) {
            int before = c->closed || clamp->node[k] > 0 ? edge_before(c, clamp->node[k]) : -1;
            int after = clamp->node[k] < c->edge_count ? edge_after(c, clamp->node[k]) : -1;
            if (before >= 0) {
                row_beside_slide(l, slot_of(c, before), matrix);
            }
            if (after >= 0) {
                row_beside_slide(l, slot_of(c, after), matrix);
            }
        }
    }
}

// ---- RATTLE

static double worst(const Lengths* l, int* edge)
{
    const CordCenterline* c = &l->rod->line;
    double most = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        double miss = 2.0 * fabs(l->a.residual[s]) / (c->rest_len[s] * c->rest_len[s]);
        if (!(miss <= most)) { // true for what is not a number, too
            most = miss;
            *edge = s - c->halo;
        }
    }
    return most;
}

static bool factor(Lengths* l)
{
    int first = l->rod->line.halo;
    l->matrix = (Tridiag){.n = l->rod->line.edge_count,
                          .cyclic = l->rod->line.closed,
                          .lower = l->a.lower + first,
                          .diag = l->a.diag + first,
                          .upper = l->a.upper + first,
                          .border = l->border + first};
    return tridiag_factor(&l->matrix);
}

static void correct(Lengths* l)
{
    const CordCenterline* c = &l->rod->line;
    memcpy(l->change + c->halo, l->a.residual + c->halo, (size_t)c->edge_count * sizeof(double));
    tridiag_solve(&l->matrix, l->change + c->halo);
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        l->a.lambda[s] += l->change[s];
    }
    centerline_wrap_one(c, l->a.lambda);
}

static CordResult not_converged(const Lengths* l, double miss, int edge, Message* message)
{
    return message_fail(message, CORD_NOT_CONVERGED,
                        "rod '%s': edge %d cannot keep its length (it is off by %.3g %%); its clamps may be farther apart than the "
                        "rod is long, or the step too long",
                        l->rod->name, edge, 50.0 * miss);
}

// Residuals, and the matrix if it is to be made anew; returns the largest relative miss.
static double assemble(const Lengths* l, const LengthsKernels* kernels, bool matrix, bool slides)
{
    double miss = (matrix ? kernels->linearise : kernels->evaluate)(&l->a);
    if (slides) {
        int edge;
        rows_beside_slides(l, matrix);
        miss = worst(l, &edge);
    }
    return miss;
}

// Newton for the multipliers, along the edges at the start of the step. The last step's tension is the first guess, and one
// matrix serves several iterations, so that each makes the miss smaller by the same factor: two are the rule. A third
// look is not needed where that factor says that the last correction was enough.
static CordResult solve_multipliers(Lengths* l, const LengthsKernels* kernels, bool slides, Message* message)
{
    double miss = INFINITY;
    for (int n = 0; n < MOST_ITERATIONS; n++) {
        bool fresh = n % FRESH_MATRIX_EVERY == 0;
        double before = miss;
        miss = assemble(l, kernels, fresh, slides);
        if (miss <= TOLERANCE) {
            return CORD_OK;
        }
        if (!isfinite(miss) || (fresh && !factor(l))) {
            break;
        }
        correct(l);
        if (!fresh && miss * (miss / before) <= 0.01 * TOLERANCE) {
            return CORD_OK;
        }
    }
    int edge = 0;
    miss = worst(l, &edge);
    return not_converged(l, miss, edge, message);
}

static bool any_slides(const Rod* rod)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        if (rod->clamps[i]->holds && rod->clamps[i]->def.slides) {
            return true;
        }
    }
    return false;
}

// The velocities of nodes that slide, after the multipliers: the wide loops below know nothing of clamps.
static void slide_velocities(const Lengths* l, CordVec3* v)
{
    const Rod* rod = l->rod;
    int count = 0;
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        for (int k = 0; clamp->holds && clamp->def.slides && k < clamp->node_count; k++) {
            int s = slot_of(&rod->line, clamp->node[k]);
            v[count++] = vec3_madd(slot_get(rod->line.v_next, s), node_moved(l, s), 1.0 / l->a.h);
        }
    }
}

static void put_slide_velocities(const Lengths* l, const CordVec3* v)
{
    const CordCenterline* c = &l->rod->line;
    int count = 0;
    for (int i = 0; i < l->rod->clamp_count; i++) {
        const Clamp* clamp = l->rod->clamps[i];
        for (int k = 0; clamp->holds && clamp->def.slides && k < clamp->node_count; k++) {
            int s = slot_of(c, clamp->node[k]);
            slot_set(c->v_next, s, v[count]);
            slot_set(c->x_next, s, vec3_madd(slot_get(c->x, s), v[count++], l->a.h));
        }
    }
}

// SHAKE, with velocities projected when they are read: as the projection of RATTLE's velocities acts along the same
// edges as the next step's multipliers, which take it up, both give the same positions.
static CordResult rattle(Rod* rod, double h, double kick, Arena* scratch, double* speed2, Message* message)
{
    const LengthsKernels* kernels = CPU_CHOOSE(&lengths_kernels_avx2, &lengths_kernels_plain);
    CordCenterline* c = &rod->line;
    Lengths l = lengths_open(rod, h, scratch);
    CordVec3* slides = arena_push(scratch, CordVec3, 2 * rod->clamp_count);
    double scale = h * kick, inv_scale = 1.0 / scale; // a force f over the kick moves a node by w h kick f
    for (int s = 0; s < c->slot_count; s++) {
        l.a.lambda[s] = scale * c->pull[s];
    }
    kernels->start(&l.a);
    CORD_TRY(solve_multipliers(&l, kernels, any_slides(rod), message));
    slide_velocities(&l, slides);
    *speed2 = kernels->finish(&l.a);
    put_slide_velocities(&l, slides);
    for (int s = 0; s < c->slot_count; s++) {
        c->pull_next[s] = l.a.lambda[s] * inv_scale;
    }
    return CORD_OK;
}

// ---- the paper's way

// Rows of grad C W grad C^T in the present edges, into lower, diag and upper.
static void symmetric_rows(const Lengths* l)
{
    const CordCenterline* c = &l->rod->line;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        CordVec3 d = slot_get(l->a.d, s);
        CordVec3 at_start = clamp_filter(l->rod, j, d), at_end = clamp_filter(l->rod, edge_end(c, j), d);
        double diag = vec3_dot(at_start, d) + vec3_dot(at_end, d);
        l->a.lower[s] = -vec3_dot(at_start, slot_get(l->a.d, s - 1));
        l->a.diag[s] = diag != 0.0 ? diag : 1.0;
        l->a.upper[s] = -vec3_dot(at_end, slot_get(l->a.d, s + 1));
    }
}

static void edges_of(const CordCenterline* c, double* const x[3], double* const d[3])
{
    for (int s = 0; s < c->slot_count - 1; s++) {
        slot_set(d, s, vec3_sub(slot_get(x, s + 1), slot_get(x, s)));
    }
}

// Fast projection (Goldenthal et al. 2007): Newton steps along the edges as they are now, from the free position; the
// velocity is then what the corrected position says. It loses energy: see docs/models/der.md.
static CordResult fast_projection(Rod* rod, double h, double kick, Arena* scratch, double* speed2, Message* message)
{
    CordCenterline* c = &rod->line;
    Lengths l = lengths_open(rod, h, scratch);
    memset(l.a.lambda, 0, (size_t)c->slot_count * sizeof(double));
    for (int k = 0; k < 3; k++) {
        for (int s = 0; s < c->slot_count; s++) {
            c->x_next[k][s] = c->x[k][s] + h * c->v_next[k][s];
        }
    }
    double miss = INFINITY;
    int edge = 0;
    for (int n = 0; n < MOST_ITERATIONS; n++) {
        edges_of(c, c->x_next, l.a.d);
        symmetric_rows(&l);
        for (int s = c->halo; s < c->halo + c->edge_count; s++) {
            CordVec3 d = slot_get(l.a.d, s);
            bool held = c->w[s] + c->w[s + 1] == 0.0;
            l.a.residual[s] = held ? 0.0 : 0.5 * (vec3_dot(d, d) - c->rest_len[s] * c->rest_len[s]);
        }
        miss = worst(&l, &edge);
        if (miss <= TOLERANCE || !isfinite(miss) || !factor(&l)) {
            break;
        }
        memcpy(l.change + c->halo, l.a.residual + c->halo, (size_t)c->edge_count * sizeof(double));
        tridiag_solve(&l.matrix, l.change + c->halo);
        centerline_wrap_one(c, l.change);
        for (int i = 0; i < c->node_count; i++) {
            int s = slot_of(c, i);
            CordVec3 y0 = vec3_mul(slot_get(l.a.d, s - 1), l.change[s - 1]);
            CordVec3 y1 = vec3_mul(slot_get(l.a.d, s), l.change[s]);
            slot_set(c->x_next, s, vec3_add(slot_get(c->x_next, s), clamp_filter(rod, i, vec3_sub(y1, y0))));
        }
        for (int s = c->halo; s < c->halo + c->edge_count; s++) {
            l.a.lambda[s] += l.change[s];
        }
        centerline_wrap(c, c->x_next);
    }
    if (!(miss <= TOLERANCE)) {
        return not_converged(&l, miss, edge, message);
    }
    *speed2 = 0.0;
    for (int s = 0; s < c->slot_count; s++) {
        CordVec3 v = vec3_mul(vec3_sub(slot_get(c->x_next, s), slot_get(c->x, s)), 1.0 / h);
        slot_set(c->v_next, s, v);
        *speed2 += vec3_dot(v, v);
        c->pull_next[s] = l.a.lambda[s] / (h * kick);
    }
    return CORD_OK;
}

CordResult lengths_project(Rod* rod, double h, double kick, Arena* scratch, double* speed2, Message* message)
{
    bool fast = rod->length_method == CORD_LENGTH_FAST_PROJECTION;
    CORD_TRY((fast ? fast_projection : rattle)(rod, h, kick, scratch, speed2, message));
    centerline_wrap(&rod->line, rod->line.x_next);
    centerline_wrap(&rod->line, rod->line.v_next);
    centerline_wrap_one(&rod->line, rod->line.pull_next);
    return CORD_OK;
}

// ---- velocities and tensions in the present state

// Solves grad C W grad C^T mu = right side (in l->change, by slot) in the present edges.
static void solve_symmetric(Lengths* l)
{
    const CordCenterline* c = &l->rod->line;
    symmetric_rows(l);
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        if (c->w[s] + c->w[s + 1] == 0.0) {
            l->change[s] = 0.0;
        }
    }
    if (factor(l)) {
        tridiag_solve(&l->matrix, l->change + c->halo);
    } else {
        memset(l->change, 0, (size_t)c->slot_count * sizeof(double));
    }
    centerline_wrap_one(c, l->change);
}

void lengths_project_velocities(const Rod* rod, CordVec3* v, Arena* scratch)
{
    const CordCenterline* c = &rod->line;
    Lengths l = lengths_open(rod, 1.0, scratch);
    edges_of(c, c->x, l.a.d);
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        l.change[s] = vec3_dot(slot_get(l.a.d, s), vec3_sub(v[edge_end(c, j)], v[j]));
    }
    solve_symmetric(&l);
    for (int i = 0; i < c->node_count; i++) {
        int s = slot_of(c, i);
        CordVec3 y0 = vec3_mul(slot_get(l.a.d, s - 1), l.change[s - 1]), y1 = vec3_mul(slot_get(l.a.d, s), l.change[s]);
        v[i] = vec3_add(v[i], clamp_filter(rod, i, vec3_sub(y1, y0)));
    }
}

static CordVec3 free_acceleration(const Rod* rod, int node, const CordVec3* f)
{
    const Clamp* clamp = clamp_of_node(rod, node);
    if (!clamp) {
        return clamp_filter(rod, node, f[node]);
    }
    CordVec3 held = clamp->acceleration[clamp->node_count > 1 && clamp->node[1] == node ? 1 : 0];
    return clamp->def.slides ? vec3_add(vec3_reject(held, clamp->axis), clamp_filter(rod, node, f[node])) : held;
}

void lengths_tension(const Rod* rod, const CordVec3* f, const CordVec3* v, double* tension, Arena* scratch)
{
    const CordCenterline* c = &rod->line;
    Lengths l = lengths_open(rod, 1.0, scratch);
    edges_of(c, c->x, l.a.d);
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j), end = edge_end(c, j);
        CordVec3 apart = vec3_sub(v[end], v[j]);
        CordVec3 pull = vec3_sub(free_acceleration(rod, end, f), free_acceleration(rod, j, f));
        l.change[s] = vec3_dot(slot_get(l.a.d, s), pull) + vec3_dot(apart, apart);
    }
    solve_symmetric(&l);
    for (int j = 0; j < c->edge_count; j++) {
        tension[j] = l.change[slot_of(c, j)] * vec3_length(edge_vector(c, j));
    }
}
