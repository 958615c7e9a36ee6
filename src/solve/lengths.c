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
#define ARRAYS 13

typedef struct Lengths {
    const Rod* rod;
    LengthsArrays a;
    Tridiag matrix; // factored; its arrays start at the first row
    double* border;
    double* change;
    double* zero; // multipliers that do nothing
} Lengths;

// ---- scratch

size_t lengths_scratch(const Rod* rod)
{
    return ARRAYS * arena_space(sizeof(double), (int)centerline_stride(&rod->line)) +
           arena_space(sizeof(CordVec3), 2 * rod->clamp_count) +
           arena_space(sizeof(CordVec3), rod->line.node_count);
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
    l.zero = push_array(rod, scratch);
    memset(l.zero, 0, (size_t)c->slot_count * sizeof(double));
    return l;
}

// ---- rows with clamps seen to
//
// A node that slides moves along its clamp's axis only. An edge that slides is rigid: its two nodes move as one, so that its own
// multiplier has nothing to do, and its place among the unknowns is taken by how far the clamp slides. The row there is
// the clamp's balance of momentum; the matrix stays tridiagonal.

static const Clamp* slide_at(const Lengths* l, int s)
{
    const CordCenterline* c = &l->rod->line;
    const Clamp* clamp = clamp_of_node(l->rod, (s - c->halo + c->node_count) % c->node_count);
    return clamp && clamp->def.slides ? clamp : NULL;
}

// Is the node at the slot the first of an edge that slides? (Else it is the second, or slides alone.)
static bool starts_slide(const Lengths* l, const Clamp* clamp, int s)
{
    const CordCenterline* c = &l->rod->line;
    return clamp->node_count == 2 && clamp->node[0] == (s - c->halo + c->node_count) % c->node_count;
}

// What the unknowns do to a node.
static CordVec3 node_moved(const Lengths* l, int s, const double* unknowns)
{
    const LengthsArrays* a = &l->a;
    const Clamp* clamp = slide_at(l, s);
    if (clamp && clamp->node_count == 2) {
        return vec3_mul(clamp->axis, unknowns[starts_slide(l, clamp, s) ? s : s - 1]);
    }
    CordVec3 y0 = vec3_mul(slot_get(a->d, s - 1), unknowns[s - 1]), y1 = vec3_mul(slot_get(a->d, s), unknowns[s]);
    CordVec3 y = vec3_mul(vec3_sub(y1, y0), a->w[s]);
    return clamp ? vec3_mul(clamp->axis, vec3_dot(y, clamp->axis)) : y;
}

// M slide = (y after - y before) . axis
static void row_of_slide(const Lengths* l, int s, const Clamp* clamp, bool matrix)
{
    const LengthsArrays* a = &l->a;
    double before = vec3_dot(clamp->axis, slot_get(a->d, s - 1)),
           after = vec3_dot(clamp->axis, slot_get(a->d, s + 1));
    double mass = 1.0 / a->w[s] + 1.0 / a->w[s + 1];
    a->residual[s] = after * a->lambda[s + 1] - before * a->lambda[s - 1] - mass * a->lambda[s];
    if (matrix) {
        a->lower[s] = before;
        a->diag[s] = mass;
        a->upper[s] = -after;
    }
}

// How the node at slot s, one end of an edge e, answers to the multiplier of the edge (own) and to the unknown on its other side
// (next), which has the edge vector d_next there.
static void answer(const Lengths* l, int s, CordVec3 e, CordVec3 d, CordVec3 d_next, double* own, double* next)
{
    const Clamp* clamp = slide_at(l, s);
    if (clamp && clamp->node_count == 2) {
        *next = starts_slide(l, clamp, s) ? -vec3_dot(e, clamp->axis) : vec3_dot(e, clamp->axis);
        return;
    }
    CordVec3 moved = vec3_mul(e, l->a.w[s]);
    if (clamp) {
        moved = vec3_mul(clamp->axis, vec3_dot(moved, clamp->axis));
    }
    *own += vec3_dot(moved, d);
    *next = -vec3_dot(moved, d_next);
}

static void row_with_clamps(const Lengths* l, int s, bool matrix)
{
    const LengthsArrays* a = &l->a;
    const Clamp* clamp = slide_at(l, s);
    if (clamp && starts_slide(l, clamp, s)) {
        row_of_slide(l, s, clamp, matrix);
        return;
    }
    CordVec3 e =
        vec3_add(slot_get(a->e, s), vec3_sub(node_moved(l, s + 1, a->lambda), node_moved(l, s, a->lambda)));
    CordVec3 d = slot_get(a->d, s);
    double own = 0.0, lower = 0.0, upper = 0.0, rest = a->rest_len[s];
    answer(l, s, e, d, slot_get(a->d, s - 1), &own, &lower);
    answer(l, s + 1, e, d, slot_get(a->d, s + 1), &own, &upper);
    // held, or sliding across: then no multiplier does anything, and there is nothing to ask of one
    bool moves = fabs(own) + fabs(lower) + fabs(upper) > 1e-12 * (a->w[s] + a->w[s + 1]) * rest * rest;
    a->residual[s] = moves ? 0.5 * (vec3_dot(e, e) - rest * rest) : 0.0;
    if (matrix) {
        a->lower[s] = moves ? lower : 0.0;
        a->diag[s] = moves ? own : 1.0;
        a->upper[s] = moves ? upper : 0.0;
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
            if (c->closed || clamp->node[k] > 0) {
                row_with_clamps(l, slot_of(c, edge_before(c, clamp->node[k])), matrix);
            }
            if (clamp->node[k] < c->edge_count) {
                row_with_clamps(l, slot_of(c, edge_after(c, clamp->node[k])), matrix);
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

static CordResult not_converged(const Lengths* l, bool singular, Message* message)
{
    int edge = 0;
    double miss = worst(l, &edge);
    if (singular) {
        return message_fail(
            message, CORD_NOT_CONVERGED,
            "rod '%s' is taut between its clamps, so that no tension can keep its lengths: give it slack, or let it stretch",
            l->rod->name);
    }
    if (miss < 1e-3) {
        return message_fail(message, CORD_NOT_CONVERGED,
                            "rod '%s': an edge turns too far in one step; take a shorter one", l->rod->name);
    }
    return message_fail(message, CORD_NOT_CONVERGED,
                        "rod '%s': edge %d cannot keep its length (it is off by %.3g %%); its clamps may be farther apart than the "
                        "rod is long, or the step too long",
                        l->rod->name, edge, 50.0 * miss);
}

// Does any edge turn, as predicted, by more than the wide loops allow? For rods with slides, whose rows they get wrong.
static bool turns_too_far(const Lengths* l)
{
    const CordCenterline* c = &l->rod->line;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        CordVec3 d = slot_get(l->a.d, s), e = slot_get(l->a.e, s);
        double ed = vec3_dot(e, d);
        bool held = c->w[s] + c->w[s + 1] == 0.0;
        if (!held && ed * fabs(ed) < LENGTHS_COS2_MOST_TURN * vec3_dot(e, e) * vec3_dot(d, d)) {
            return true;
        }
    }
    return false;
}

// Residuals, and the matrix if it is to be made anew; returns the largest relative miss.
static double assemble(const Lengths* l, const LengthsKernels* kernels, bool matrix, bool slides)
{
    double miss = (matrix ? kernels->linearise : kernels->evaluate)(&l->a);
    if (slides) {
        int edge;
        rows_beside_slides(l, matrix);
        miss = turns_too_far(l) ? INFINITY : worst(l, &edge);
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
        if (!isfinite(miss)) {
            break;
        }
        if (fresh && !factor(l)) {
            return not_converged(l, true, message);
        }
        correct(l);
        if (!fresh && miss * (miss / before) <= 0.01 * TOLERANCE) {
            return CORD_OK;
        }
    }
    return not_converged(l, false, message);
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
            v[count++] = vec3_madd(slot_get(rod->line.v_next, s), node_moved(l, s, l->a.lambda), 1.0 / l->a.h);
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

// Rows of grad C W grad C^T in the present edges, into lower, diag and upper; and in residual how far each is off its length.
static void symmetric_rows(Lengths* l)
{
    const CordCenterline* c = &l->rod->line;
    l->a.lambda = l->zero;
    for (int k = 0; k < 3; k++) {
        l->a.e[k] = l->a.d[k];
    }
    for (int j = 0; j < c->edge_count; j++) {
        row_with_clamps(l, slot_of(c, j), true);
    }
}

static void edges_of(const CordCenterline* c, double* const x[3], double* const d[3])
{
    for (int s = 0; s < c->slot_count - 1; s++) {
        slot_set(d, s, vec3_sub(slot_get(x, s + 1), slot_get(x, s)));
    }
}

// One step of Newton's method on x_next, along the edges as they are there. False: the matrix is singular.
static bool project_once(Lengths* l)
{
    const CordCenterline* c = &l->rod->line;
    if (!factor(l)) {
        return false;
    }
    memcpy(l->change + c->halo, l->a.residual + c->halo, (size_t)c->edge_count * sizeof(double));
    tridiag_solve(&l->matrix, l->change + c->halo);
    centerline_wrap_one(c, l->change);
    for (int i = 0; i < c->node_count; i++) {
        int s = slot_of(c, i);
        slot_set(c->x_next, s, vec3_add(slot_get(c->x_next, s), node_moved(l, s, l->change)));
    }
    centerline_wrap(c, c->x_next);
    return true;
}

// Fast projection (Goldenthal et al. 2007): from the free position, and the velocity is then what the corrected position
// says. It loses energy: see docs/models/der.md.
static CordResult fast_projection(Rod* rod, double h, double kick, Arena* scratch, double* speed2, Message* message)
{
    CordCenterline* c = &rod->line;
    Lengths l = lengths_open(rod, h, scratch);
    (void)kick;
    for (int k = 0; k < 3; k++) {
        for (int s = 0; s < c->slot_count; s++) {
            c->x_next[k][s] = c->x[k][s] + h * c->v_next[k][s];
        }
    }
    double miss = INFINITY;
    for (int n = 0, edge; n < MOST_ITERATIONS && miss > TOLERANCE; n++) {
        edges_of(c, c->x_next, l.a.d);
        symmetric_rows(&l);
        miss = worst(&l, &edge);
        if (isfinite(miss) && miss > TOLERANCE && !project_once(&l)) {
            return not_converged(&l, true, message);
        }
    }
    if (!(miss <= TOLERANCE)) {
        return not_converged(&l, false, message);
    }
    *speed2 = 0.0;
    for (int s = 0; s < c->slot_count; s++) {
        CordVec3 v = vec3_mul(vec3_sub(slot_get(c->x_next, s), slot_get(c->x, s)), 1.0 / h);
        slot_set(c->v_next, s, v);
        *speed2 += vec3_dot(v, v);
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

// Solves grad C W grad C^T mu = right side (in l->change, by slot) in the present edges. A rod that is taut between its clamps
// has no answer: then mu is 0, and it is the step that says so.
static void solve_symmetric(Lengths* l)
{
    const CordCenterline* c = &l->rod->line;
    symmetric_rows(l);
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        const Clamp* clamp = slide_at(l, s);
        if (c->w[s] + c->w[s + 1] == 0.0 || (clamp && starts_slide(l, clamp, s))) {
            l->change[s] = 0.0; // held; or the row of a slide, which starts balanced
        }
    }
    if (factor(l)) {
        tridiag_solve(&l->matrix, l->change + c->halo);
    } else {
        memset(l->change, 0, (size_t)c->slot_count * sizeof(double));
    }
    centerline_wrap_one(c, l->change);
}

// The two nodes of an edge that slides share one speed, or acceleration, along the axis: that of their common momentum.
static void share_slides(const Rod* rod, CordVec3* a)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (!clamp->holds || !clamp->def.slides || clamp->node_count < 2) {
            continue;
        }
        CordVec3 *a0 = &a[clamp->node[0]], *a1 = &a[clamp->node[1]];
        double m0 = rod_node_mass(rod, clamp->node[0]), m1 = rod_node_mass(rod, clamp->node[1]);
        double u0 = vec3_dot(*a0, clamp->axis), u1 = vec3_dot(*a1, clamp->axis),
               u = (m0 * u0 + m1 * u1) / (m0 + m1);
        *a0 = vec3_madd(*a0, clamp->axis, u - u0);
        *a1 = vec3_madd(*a1, clamp->axis, u - u1);
    }
}

void lengths_project_velocities(const Rod* rod, CordVec3* v, Arena* scratch)
{
    const CordCenterline* c = &rod->line;
    Lengths l = lengths_open(rod, 1.0, scratch);
    edges_of(c, c->x, l.a.d);
    share_slides(rod, v);
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        l.change[s] = vec3_dot(slot_get(l.a.d, s), vec3_sub(v[edge_end(c, j)], v[j]));
    }
    solve_symmetric(&l);
    for (int i = 0; i < c->node_count; i++) {
        v[i] = vec3_add(v[i], node_moved(&l, slot_of(c, i), l.change));
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
    CordVec3* a = arena_push(scratch, CordVec3, c->node_count);
    edges_of(c, c->x, l.a.d);
    for (int i = 0; i < c->node_count; i++) {
        a[i] = free_acceleration(rod, i, f);
    }
    share_slides(rod, a);
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j), end = edge_end(c, j);
        CordVec3 apart = vec3_sub(v[end], v[j]);
        l.change[s] = vec3_dot(slot_get(l.a.d, s), vec3_sub(a[end], a[j])) + vec3_dot(apart, apart);
    }
    solve_symmetric(&l);
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        const Clamp* clamp = slide_at(&l, s);
        bool rigid = clamp && starts_slide(&l, clamp, s);
        tension[j] = rigid ? 0.0 : l.change[s] * vec3_length(edge_vector(c, j));
    }
}
