#include "solve/rattle_rows.h"

#include "math/kernel.h"

#include <string.h>

KERNEL_DECLARE(RattleKernels, rattle_kernels);

// ---- scratch
//
// Arrays by slot, side by side, with padding between them that wide loops may read and write. Past the ends
// of d and e the padding is zero: it is multiplied by multipliers that are zero there, and must be finite.

#define ARRAYS 10 // d, e, the matrix and the residuals
#define ROOM 4

static size_t array_space(const Rod* rod)
{
    return ((size_t)rod->line.slot_count + 3) / 4 * 4 + ROOM;
}

static size_t rows_space(const Rod* rod) // a ring also has a border
{
    return ROOM + (rod->line.closed ? ARRAYS + 1 : ARRAYS) * array_space(rod);
}

size_t rattle_array_scratch(const Rod* rod)
{
    return arena_space(sizeof(double), (int)(ROOM + array_space(rod)));
}

size_t rattle_rows_scratch(const Rod* rod)
{
    return arena_space(sizeof(double), (int)rows_space(rod)) +
           arena_space(sizeof(CordVec3), 2 * rod->clamp_count);
}

double* rattle_push_array(const Rod* rod, Arena* scratch)
{
    size_t count = ROOM + array_space(rod);
    double* a = arena_push(scratch, double, count);
    memset(a, 0, count * sizeof *a);
    return a + ROOM;
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

// Takes the next array. It is zero past its last edge, and hence also before the first slot of the array that
// follows.
static double* take_array(double** at, const Rod* rod)
{
    double* a = *at;
    *at += array_space(rod);
    for (double* past = a + rod->line.slot_count - 1; past < *at; past++) {
        *past = 0.0;
    }
    return a;
}

Rattle rattle_open(const Rod* rod, double h, Arena* scratch)
{
    const CordCenterline* c = &rod->line;
    Rattle l = {.rod = rod, .kernels = KERNEL_CHOOSE(rattle_kernels), .slides = any_slides(rod)};
    l.a = (RattleArrays){.slot_count = c->slot_count,
                         .edge_slots = c->slot_count - 1,
                         .w = c->w,
                         .rest_len = c->rest_len,
                         .h = h};
    l.a.inv_rest = c->inv_rest;
    l.a.first = c->halo;
    l.a.rows = c->edge_count;
    size_t space = array_space(rod);
    double* at = arena_push(scratch, double, rows_space(rod));
    memset(at, 0, ROOM * sizeof *at);
    at += ROOM;
    for (int k = 0; k < 3; k++) {
        l.a.x[k] = c->x[k];
        l.a.v[k] = c->v_next[k];
        l.a.x_next[k] = c->x_next[k];
        l.a.d[k] = take_array(&at, rod);
        l.a.e[k] = take_array(&at, rod);
    }
    l.a.lambda = c->pull_next;
    l.a.lower = at;
    l.a.diag = at + space;
    l.a.upper = at + 2 * space;
    l.a.residual = at + 3 * space;
    l.border = c->closed ? at + 4 * space : NULL;
    l.slide_speeds = l.slides ? arena_push(scratch, CordVec3, 2 * rod->clamp_count) : NULL;
    return l;
}

// ---- rows next to sliding clamps
//
// A node of a sliding clamp moves along the clamp's axis only. An edge of a sliding clamp is rigid: its two
// nodes move together, so that its own multiplier has no effect. Its place among the unknowns is taken by the
// displacement of the clamp, and its row is the clamp's balance of momentum. The matrix stays tridiagonal.
// Both are scaled by the edge's length over the clamp's mass, to the units of multipliers and of lengths
// squared: what is negligible in a row, and when the iteration ends, depends on no choice of units.

static const Clamp* slide_at(const Rattle* l, int s)
{
    const CordCenterline* c = &l->rod->line;
    const Clamp* clamp = clamp_of_node(l->rod, (s - c->halo + c->node_count) % c->node_count);
    return clamp && clamp->def.slides ? clamp : NULL;
}

// Whether the node at the slot is the first of a sliding edge. (Otherwise it is the second, or slides alone.)
static bool starts_slide(const Rattle* l, const Clamp* clamp, int s)
{
    const CordCenterline* c = &l->rod->line;
    return clamp->node_count == 2 && clamp->node[0] == (s - c->halo + c->node_count) % c->node_count;
}

// Displacement of a sliding edge per unit of its unknown.
static double slide_scale(const Rattle* l, int s)
{
    const RattleArrays* a = &l->a;
    return a->rest_len[s] / (1.0 / a->w[s] + 1.0 / a->w[s + 1]);
}

CordVec3 rattle_node_moved(const Rattle* l, int s, const double* unknowns)
{
    const RattleArrays* a = &l->a;
    const Clamp* clamp = l->slides ? slide_at(l, s) : NULL;
    if (clamp && clamp->node_count == 2) {
        int edge = starts_slide(l, clamp, s) ? s : s - 1;
        return vec3_mul(clamp->axis, slide_scale(l, edge) * unknowns[edge]);
    }
    CordVec3 y0 = vec3_mul(slot_get(a->d, s - 1), unknowns[s - 1]),
             y1 = vec3_mul(slot_get(a->d, s), unknowns[s]);
    CordVec3 y = vec3_mul(vec3_sub(y1, y0), a->w[s]);
    return clamp ? vec3_mul(clamp->axis, vec3_dot(y, clamp->axis)) : y;
}

// M slide = (y after - y before) . axis
static void row_of_slide(const Rattle* l, int s, const Clamp* clamp, bool matrix)
{
    const RattleArrays* a = &l->a;
    double before = vec3_dot(clamp->axis, slot_get(a->d, s - 1)),
           after = vec3_dot(clamp->axis, slot_get(a->d, s + 1));
    double scale = slide_scale(l, s), rest = a->rest_len[s];
    a->residual[s] = scale * (after * a->lambda[s + 1] - before * a->lambda[s - 1] - rest * a->lambda[s]);
    if (matrix) {
        a->lower[s] = scale * before;
        a->diag[s] = scale * rest;
        a->upper[s] = -scale * after;
    }
}

// Derivatives of the length of edge e by its own multiplier (own, added to) and by the unknown on the other
// side (next), through the motion of the node at slot s, one end of the edge. d_next is the edge vector on
// the other side.
static void add_response(const Rattle* l, int s, CordVec3 e, CordVec3 d, CordVec3 d_next, double* own,
                         double* next)
{
    const Clamp* clamp = slide_at(l, s);
    if (clamp && clamp->node_count == 2) {
        bool first = starts_slide(l, clamp, s);
        *next = vec3_dot(e, clamp->axis) * slide_scale(l, first ? s : s - 1) * (first ? -1.0 : 1.0);
        return;
    }
    CordVec3 moved = vec3_mul(e, l->a.w[s]);
    if (clamp) {
        moved = vec3_mul(clamp->axis, vec3_dot(moved, clamp->axis));
    }
    *own += vec3_dot(moved, d);
    *next = -vec3_dot(moved, d_next);
}

static void row_with_clamps(const Rattle* l, int s, bool matrix)
{
    const RattleArrays* a = &l->a;
    const Clamp* clamp = slide_at(l, s);
    if (clamp && starts_slide(l, clamp, s)) {
        row_of_slide(l, s, clamp, matrix);
        return;
    }
    CordVec3 e = vec3_add(slot_get(a->e, s), vec3_sub(rattle_node_moved(l, s + 1, a->lambda),
                                                      rattle_node_moved(l, s, a->lambda)));
    CordVec3 d = slot_get(a->d, s);
    double own = 0.0, lower = 0.0, upper = 0.0, rest = a->rest_len[s];
    add_response(l, s, e, d, slot_get(a->d, s - 1), &own, &lower);
    add_response(l, s + 1, e, d, slot_get(a->d, s + 1), &own, &upper);
    // if the edge is held or slides across, no multiplier acts on it and no equation is posed
    bool moves = fabs(own) + fabs(lower) + fabs(upper) > 1e-12 * (a->w[s] + a->w[s + 1]) * rest * rest;
    a->residual[s] = moves ? 0.5 * (vec3_dot(e, e) - rest * rest) : 0.0;
    if (matrix) {
        a->lower[s] = moves ? lower : 0.0;
        a->diag[s] = moves ? own : 1.0;
        a->upper[s] = moves ? upper : 0.0;
    }
}

// Recomputes the rows of the edges next to sliding clamps. In a ring, the last edge is next to the first
// node.
static void rows_beside_slides(const Rattle* l, bool matrix)
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

// ---- Newton's method for the multipliers

void rattle_begin(Rattle* l, double kick)
{
    const CordCenterline* c = &l->rod->line;
    double scale = l->a.h * kick; // a force f over the kick displaces a node by w h kick f
    for (int s = 0; s < c->slot_count; s++) {
        l->a.lambda[s] = scale * c->pull[s];
    }
    l->kernels->start(&l->a);
    // After the last slot is padding, and an edge from there reaches to the origin.
    for (int k = 0; k < 3; k++) {
        l->a.d[k][l->a.edge_slots] = l->a.e[k][l->a.edge_slots] = 0.0;
    }
}

static double worst_error(const Rattle* l, int* edge)
{
    const CordCenterline* c = &l->rod->line;
    double most = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        double error = 2.0 * fabs(l->a.residual[s]) / (c->rest_len[s] * c->rest_len[s]);
        if (!(error <= most)) { // also true if it is not a number
            most = error;
            *edge = s - c->halo;
        }
    }
    return most;
}

bool rattle_factor(Rattle* l)
{
    int first = l->rod->line.halo;
    l->matrix = (Tridiag){.n = l->rod->line.edge_count,
                          .cyclic = l->rod->line.closed,
                          .lower = l->a.lower + first,
                          .diag = l->a.diag + first,
                          .upper = l->a.upper + first,
                          .border = l->border ? l->border + first : NULL};
    return tridiag_factor(&l->matrix);
}

// Whether the predicted step turns an edge by more than the kernels allow. For rods with sliding clamps,
// whose rows the kernels get wrong.
static bool turns_too_far(const Rattle* l)
{
    const CordCenterline* c = &l->rod->line;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        CordVec3 d = slot_get(l->a.d, s), e = slot_get(l->a.e, s);
        double ed = vec3_dot(e, d);
        bool held = l->a.w[s] + l->a.w[s + 1] == 0.0;
        if (!held && ed * fabs(ed) < RATTLE_COS2_MOST_TURN * vec3_dot(e, e) * vec3_dot(d, d)) {
            return true;
        }
    }
    return false;
}

double rattle_assemble(const Rattle* l, bool matrix)
{
    double error = (matrix ? l->kernels->linearise : l->kernels->evaluate)(&l->a);
    if (l->slides) {
        int edge;
        rows_beside_slides(l, matrix);
        error = turns_too_far(l) ? INFINITY : worst_error(l, &edge);
    }
    return error;
}

CordResult rattle_fail(const Rattle* l, bool dependent, Message* message)
{
    int edge = 0;
    double error = worst_error(l, &edge);
    bool held_apart = l->rod->clamp_count > 1; // clamps and welds
    if (dependent) {
        return message_fail(message, CORD_NOT_CONVERGED,
                            held_apart
                                ? "rod '%s' is taut between its clamps, where no tension balances what "
                                  "pulls across it: give it slack, or let it stretch"
                                : "rod '%s' folds back on itself, so that no tension can keep its "
                                  "lengths: take a shorter step, or let it stretch",
                            l->rod->name);
    }
    if (error < 1e-3) {
        return message_fail(message, CORD_NOT_CONVERGED, "rod '%s': an edge turns too far in one step; %s",
                            l->rod->name,
                            held_apart ? "take a shorter one, or, where rods are taut between clamps, give "
                                         "them slack or let them stretch"
                                       : "take a shorter one");
    }
    return message_fail(
        message, CORD_NOT_CONVERGED, "rod '%s': edge %d cannot keep its length (it is off by %.3g %%); %s",
        l->rod->name, edge, 50.0 * error,
        held_apart ? "its clamps may be farther apart than the rod is long, or the step too long"
                   : "the step is too long for what moves the rod: take a shorter one");
}

// ---- results

// Velocities of sliding nodes after the multipliers: the kernels below know nothing of clamps.
static void save_slide_speeds(const Rattle* l)
{
    const Rod* rod = l->rod;
    CordVec3* v = l->slide_speeds;
    int count = 0;
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        for (int k = 0; clamp->holds && clamp->def.slides && k < clamp->node_count; k++) {
            int s = slot_of(&rod->line, clamp->node[k]);
            v[count++] =
                vec3_madd(slot_get(rod->line.v_next, s), rattle_node_moved(l, s, l->a.lambda), 1.0 / l->a.h);
        }
    }
}

static void put_slide_speeds(const Rattle* l)
{
    const CordCenterline* c = &l->rod->line;
    const CordVec3* v = l->slide_speeds;
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

double rattle_finish(Rattle* l, double kick)
{
    const CordCenterline* c = &l->rod->line;
    double inv_scale = 1.0 / (l->a.h * kick);
    if (l->slides) {
        save_slide_speeds(l);
    }
    double speed2 = l->kernels->finish(&l->a);
    if (l->slides) {
        put_slide_speeds(l);
    }
    for (int s = 0; s < c->slot_count; s++) {
        c->pull_next[s] = l->a.lambda[s] * inv_scale;
    }
    return speed2;
}

// ---- the present state

double rattle_symmetric_rows(Rattle* l, double* zero)
{
    l->a.lambda = zero;
    for (int k = 0; k < 3; k++) {
        l->a.e[k] = l->a.d[k];
    }
    return rattle_assemble(l, true);
}

void rattle_edges(const CordCenterline* c, double* const x[3], double* const d[3])
{
    for (int s = 0; s < c->slot_count - 1; s++) {
        slot_set(d, s, vec3_sub(slot_get(x, s + 1), slot_get(x, s)));
    }
}

bool rattle_row_is_free(const Rattle* l, int s)
{
    const Clamp* clamp = l->slides ? slide_at(l, s) : NULL;
    return l->a.w[s] + l->a.w[s + 1] != 0.0 && !(clamp && starts_slide(l, clamp, s));
}

void rattle_guess(const Rattle* l, double* guess)
{
    const CordCenterline* c = &l->rod->line;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        double length = vec3_length(edge_vector(c, j));
        guess[s] = rattle_row_is_free(l, s) ? c->pull[s] * rod_pull_unit(l->rod, length) / length : 0.0;
    }
    centerline_wrap_one(c, guess);
}

void rattle_share_slides(const Rod* rod, double* const from[3], CordVec3* a)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (!clamp->holds || !clamp->def.slides || clamp->node_count < 2) {
            continue;
        }
        CordVec3 *a0 = &a[clamp->node[0]], *a1 = &a[clamp->node[1]];
        double m0 = rod_node_mass(rod, clamp->node[0]), m1 = rod_node_mass(rod, clamp->node[1]);
        double u0 = vec3_dot(*a0, clamp->axis), u1 = vec3_dot(*a1, clamp->axis);
        if (from) {
            u0 -= vec3_dot(slot_get(from, slot_of(&rod->line, clamp->node[0])), clamp->axis);
            u1 -= vec3_dot(slot_get(from, slot_of(&rod->line, clamp->node[1])), clamp->axis);
        }
        double u = (m0 * u0 + m1 * u1) / (m0 + m1);
        *a0 = vec3_madd(*a0, clamp->axis, u - u0);
        *a1 = vec3_madd(*a1, clamp->axis, u - u1);
    }
}

CordVec3 rattle_free_acceleration(const Rod* rod, int node, const CordVec3* f)
{
    const Clamp* clamp = clamp_in_space(rod, node);
    if (!clamp) {
        return clamp_filter(rod, node, f[node]);
    }
    CordVec3 held = clamp_acceleration(clamp, node);
    return clamp->def.slides ? vec3_add(vec3_reject(held, clamp->axis), clamp_filter(rod, node, f[node]))
                             : held;
}
