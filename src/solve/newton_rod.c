// The equations of a rod: edges, nodes, frames and clamps.
#include "base/real.h"
#include "math/elementary.h"
#include "solve/newton_parts.h"

#include <limits.h>
#include <string.h>

#define SLACK 1e-10 // relative to the compliance of an edge's nodes

// ---- edges, nodes, frames

static double viscous_of(const NewtonSystem* sys, const NewtonRod* r)
{
    return sys->reach > 0.0 ? r->rod->damping_time / sys->reach : 0.0;
}

static const Clamp* carrier_at(const NewtonRod* r, int s)
{
    const Clamp* clamp = r->held[newton_edge_at(r, s)];
    return clamp && clamp->carrier ? clamp : NULL;
}

bool newton_is_carried(const NewtonRod* r, int s)
{
    return r->rod->assembly && carrier_at(r, s);
}

bool newton_is_rigid(const NewtonRod* r, int s)
{
    const Clamp* a = r->rod->assembly ? carrier_at(r, s) : NULL;
    return a && a->node_count == 2 && a == carrier_at(r, s + 1);
}

// Backward Euler and statics: the force is n times the unit tangent at y. Midpoint rule: the discrete
// gradient of Gonzalez (1996) and Simo. The force is n (e0 + e1) / (l0 + l1) with n = EA ((l0 + l1) / (2
// rest) - 1), for the edge vectors e0, e1 and lengths l0, l1 at both ends of the step. Its work n (l1 - l0)
// is exactly the change of stretching energy. Damping adds a strain proportional to l1 - l0 (Kelvin-Voigt).
EdgeForce newton_edge_force(const NewtonSystem* sys, const NewtonRod* r, int s)
{
    const CordCenterline* c = &r->rod->line;
    CordVec3 e = vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s));
    CordVec3 before = vec3_sub(slot_get(c->x, s + 1), slot_get(c->x, s));
    CordVec3 after = sys->midpoint ? vec3_sub(vec3_mul(e, 2.0), before) : e;
    double rest = c->rest_len[s], l0 = vec3_length(before), l1 = vec3_length(after);
    EdgeForce f = {.end = vec3_mul(after, 1.0 / l1)};
    f.spread = sys->midpoint ? 2.0 / (l0 + l1) : 1.0 / l1;
    f.mean = vec3_mul(e, f.spread);
    double half = sys->midpoint ? 0.5 : 1.0; // of the change of length, as y moves
    if (r->rod->inextensible) {
        f.residual = half * (l1 - rest);
        return f;
    }
    int edge = (s - c->halo + c->node_count) % c->node_count;
    double viscous = viscous_of(sys, r), soft = r->soft[slot_of(c, edge)], stiffer = 1.0 + viscous;
    double change = (sys->midpoint ? 0.5 * (l0 + l1) : l1) - rest + viscous * half * (l1 - l0);
    f.compliance = soft / stiffer;
    f.residual = (change - soft * r->n[s]) / stiffer;
    return f;
}

static void pull_nodes(BandSystem* st, int k, CordVec3 force)
{
    int a = band_x(st, k), b = band_x(st, k + 1);
    double f[3] = {force.x, force.y, force.z};
    for (int i = 0; i < 3; i++) {
        band_add_right(st, band_next(a, i), f[i]);
        band_add_right(st, band_next(b, i), -f[i]);
    }
}

// K = n spread (1 - mean end^T) + pull mean end^T is the derivative of the edge's force by its vector. pull
// is 1/compliance where the tension is not an unknown, or the augmented stiffness.
static void add_edge_stiffness(BandSystem* st, int k, const EdgeForce* f, double n, double pull)
{
    double m[3] = {f->mean.x, f->mean.y, f->mean.z}, t[3] = {f->end.x, f->end.y, f->end.z}, K[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            K[3 * i + j] = (i == j ? n * f->spread : 0.0) + (pull - n * f->spread) * m[i] * t[j];
        }
    }
    band_add_edge(st, k, K);
}

// With `augment` a, the length equation times a * mean is added to the nodes' equations (augmented
// Lagrangian: Nocedal and Wright, Numerical Optimization). The factor 1 - a * compliance keeps the matrix
// symmetric.
static void add_tension_unknown(BandSystem* st, int k, const EdgeForce* f, double augment, double slack)
{
    int a = band_x(st, k), b = band_x(st, k + 1), n = band_tension(st, k);
    double m[3] = {f->mean.x, f->mean.y, f->mean.z}, t[3] = {f->end.x, f->end.y, f->end.z};
    double left = 1.0 - augment * f->compliance;
    for (int i = 0; i < 3; i++) {
        int ai = band_next(a, i), bi = band_next(b, i);
        band_add(st, ai, n, -left * m[i]);
        band_add(st, bi, n, left * m[i]);
        band_add(st, n, ai, -left * t[i]);
        band_add(st, n, bi, left * t[i]);
    }
    band_add(st, n, n, -left * f->compliance - slack);
    band_add_right(st, n, -left * f->residual);
}

// Stiffness across the edges, of the corners or, where it is larger, of the tension: an ideal chain has no
// other. It counts as stiffness that holds the nodes (slack) as well.
static void set_across(const NewtonSystem* sys, NewtonRod* r)
{
    const CornerHessian* h = &r->terms.hessian;
    const CordCenterline* c = &r->rod->line;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        double corners = 0.0;
        for (int i = 0; i < 3; i++) {
            static const int diagonal[3] = {0, 3, 5};
            corners += fabs(h->ff[diagonal[i]][s]) + fabs(h->ee[diagonal[i]][s + 1]);
        }
        r->stiffness_across[s] = real_max(corners, real_max(fabs(r->n[s]), sys->pull) * c->inv_rest[s]);
        r->slack[s] = real_max(r->slack[s], r->stiffness_across[s]);
    }
    centerline_wrap_one(c, r->stiffness_across);
}

// As large along an edge as the stiffness across it, and below the edge's own stiffness.
double newton_augmented(const NewtonSystem* sys, const NewtonRod* r, int s, double compliance)
{
    double stiff = sys->augment > 0.0 ? sys->augment * r->stiffness_across[s] : 0.0;
    return stiff * compliance < 0.5 ? stiff : 0.5 / compliance;
}

// A rod that is taut between two clamps has an undetermined tension. A small compliance of the tension's
// change regularises the system; it does not affect a converged tension. begin_slack and add_slack sum the
// stiffness that holds an edge's nodes, from inertia and from the corners on either side; finish_slack turns
// it into the compliance.
static void begin_slack(const NewtonSystem* sys, NewtonRod* r)
{
    for (int s = 0; s < r->rod->line.slot_count; s++) {
        r->slack[s] = sys->mass * r->weight[s];
    }
}

static void add_slack(NewtonRod* r, const CornerTerms* terms, int from, int to) // corners [from, to) by slot
{
    const CornerHessian* h = &terms->hessian;
    const CordCenterline* c = &r->rod->line;
    for (int s = from; s < to; s++) {
        int before = s > c->halo ? s - 1 : c->halo + c->edge_count - 1, i = s - terms->base;
        r->slack[s] += fabs(h->ff[0][i]) + fabs(h->ff[3][i]) + fabs(h->ff[5][i]);
        r->slack[before] += fabs(h->ee[0][i]) + fabs(h->ee[3][i]) + fabs(h->ee[5][i]);
    }
}

static void finish_slack(NewtonRod* r, int from, int to) // edges [from, to) by slot
{
    for (int s = from; s < to; s++) {
        r->slack[s] = r->slack[s] > 0.0 ? SLACK / r->slack[s] : 0.0;
    }
}

// Edges [first, k) below this k start and end inside the span.
static int inner_edges_to(const BandSystem* st)
{
    return st->blocks - 1;
}

// Skips the edges from `inner` on that start and end inside the span: add_inner_edges has added them.
static void add_edges(NewtonSystem* sys, NewtonRod* r, BandSystem* st, int inner)
{
    for (int i = 0; i < band_edge_count(st); i++) {
        int k = band_edge(st, i), s = band_slot(st, k);
        if (k >= inner && k < inner_edges_to(st)) {
            i += inner_edges_to(st) - 1 - k;
            continue;
        }
        if (newton_is_rigid(r, s)) {
            continue;
        }
        EdgeForce f = newton_edge_force(sys, r, s);
        if (st->block == 5) {
            double augment = newton_augmented(sys, r, s, f.compliance);
            pull_nodes(st, k, vec3_mul(f.mean, r->n[s] + augment * f.residual));
            add_edge_stiffness(st, k, &f, r->n[s], augment);
            add_tension_unknown(st, k, &f, augment, r->slack[s]);
        } else { // the tension follows from the length and is eliminated edge by edge
            double n = r->n[s] + f.residual / f.compliance;
            pull_nodes(st, k, vec3_mul(f.mean, n));
            add_edge_stiffness(st, k, &f, r->n[s], 1.0 / f.compliance);
        }
    }
}

// Drag uses the velocity (y - x) / reach and the tangents at the start of the step.
static void add_drag(const NewtonSystem* sys, const NewtonRod* r, int s, NodeForce* f)
{
    const CordCenterline* c = &r->rod->line;
    NodeDrag drag = loads_drag_at(r->rod, s - c->halo, newton_load_time(sys));
    double t[3] = {drag.t.x, drag.t.y, drag.t.z}, wind[3] = {drag.force.x, drag.force.y, drag.force.z};
    double rate = 1.0 / sys->reach, origin[3] = {sys->origin.x, sys->origin.y, sys->origin.z};
    for (int i = 0; i < 3; i++) {
        f->f[i] += wind[i];
        for (int j = 0; j < 3; j++) {
            double C = rate * ((drag.along - drag.across) * t[i] * t[j] + (i == j ? drag.across : 0.0));
            f->K[3 * i + j] += C;
            f->f[i] -= C * (r->y[j][s] - (c->x[j][s] - origin[j]));
        }
    }
}

static LoadPoint point_at(const NewtonSystem* sys, const NewtonRod* r, int s)
{
    const CordCenterline* c = &r->rod->line;
    CordVec3 x = slot_get(c->x, s), at = vec3_add(slot_get(r->y, s), sys->origin);
    if (sys->reach == 0.0) {
        return (LoadPoint){.time = newton_load_time(sys), .x = at, .from = at, .ahead = at};
    }
    double far = sys->midpoint ? 2.0 : 1.0;
    return (LoadPoint){.time = newton_load_time(sys),
                       .x = at,
                       .from = x,
                       .ahead = vec3_madd(x, slot_get(c->v, s), far * sys->reach)};
}

static bool is_tether(const NewtonSystem* sys, const Load* load)
{
    return load->kind->tether && load_acts(load, newton_load_time(sys));
}

// Adds the forces of tethers and minus their derivative.
static void add_tethers(const NewtonSystem* sys, const NewtonRod* r, int s, NodeForce* f)
{
    LoadPoint at = point_at(sys, r, s);
    CordVec3 moved = vec3_sub(slot_get(r->y, s), vec3_sub(at.from, sys->origin));
    for (int i = 0; i < r->rod->load_count; i++) {
        const Load* load = r->rod->loads[i];
        if (slot_of(&r->rod->line, load->node) != s || !is_tether(sys, load)) {
            continue;
        }
        LoadTether tether = load->kind->tether(load, at.from, at.ahead);
        double far = sys->midpoint ? 2.0 * tether_share(&tether, sys->assembly_mass, 2.0 * sys->reach) : 1.0;
        at.x = vec3_madd(at.from, moved, far);
        LoadTerms t = load->kind->terms(load, 1.0, &at);
        double C = sys->reach > 0.0 ? t.damping / sys->reach : 0.0;
        CordVec3 pull = vec3_madd(t.force, moved, -C);
        f->f[0] += pull.x, f->f[1] += pull.y, f->f[2] += pull.z;
        for (int k = 0; k < 3; k++) {
            f->K[4 * k] += far * t.K[4 * k] + C;
        }
    }
}

NodeForce newton_node_force(const NewtonSystem* sys, const NewtonRod* r, int s, NewtonPulls pulls)
{
    NodeForce f = {0};
    double m = r->weight[s], g[3] = {sys->gravity.x, sys->gravity.y, sys->gravity.z};
    for (int i = 0; i < 3; i++) {
        f.K[4 * i] = (1.0 + sys->extra_inertia) * sys->mass * m;
        f.f[i] = m * (g[i] - sys->mass * (r->y[i][s] - r->start[i][s]));
    }
    if (pulls.drag) {
        add_drag(sys, r, s, &f);
    }
    if (pulls.tethers) {
        add_tethers(sys, r, s, &f);
    }
    return f;
}

NewtonPulls newton_pulls(const NewtonSystem* sys, const NewtonRod* r)
{
    return (NewtonPulls){.drag = sys->reach > 0.0 && loads_have_drag(r->rod, newton_load_time(sys)),
                         .tethers = loads_have_tether(r->rod, newton_load_time(sys))};
}

static bool is_plain(const NewtonSystem* sys, const NewtonRod* r) // only tension, weight and inertia act
{
    NewtonPulls pulls = newton_pulls(sys, r);
    return sys->augment == 0.0 && !pulls.drag && !pulls.tethers;
}

static void add_nodes(NewtonSystem* sys, NewtonRod* r, BandSystem* st, int inner)
{
    NewtonPulls pulls = newton_pulls(sys, r);
    for (int n = 0; n < band_node_count(st); n++) {
        int k = band_node(st, n), s = band_slot(st, k), x = band_x(st, k);
        if (k >= inner && k < inner_edges_to(st)) {
            n += inner_edges_to(st) - 1 - k;
            continue;
        }
        if (newton_is_carried(r, s)) {
            continue;
        }
        NodeForce f = newton_node_force(sys, r, s, pulls);
        for (int i = 0; i < 3; i++) {
            band_add_right(st, band_next(x, i), f.f[i]);
            band_add(st, band_next(x, i), band_next(x, i), f.K[4 * i]);
            for (int j = 0; j < 3 && pulls.drag; j++) {
                band_add(st, band_next(x, i), band_next(x, j), i == j ? 0.0 : f.K[3 * i + j]);
            }
        }
    }
}

// A frame without inertia is given that of a half wave along the whole rod, which turns an edge by pi /
// length times its lateral displacement.
double newton_turn_inertia(const NewtonSystem* sys, const NewtonRod* r, int s)
{
    double lever = r->rod->length / CORD_PI;
    return r->rod->dynamic_twist ? framed_of(r->rod)->spin_inertia[s]
           : sys->frames_weigh   ? r->weight[s] * lever * lever
                                 : 0.0;
}

// Adds contact forces. Those of carried nodes go to their bodies.
static void add_contact(const NewtonRod* r, BandSystem* st)
{
    for (int n = 0; n < band_node_count(st); n++) {
        int k = band_node(st, n), s = band_slot(st, k), x = band_x(st, k);
        if (!newton_is_carried(r, s)) {
            CordVec3 f = r->touch.push[newton_edge_at(r, s)];
            band_add_right(st, band_next(x, 0), f.x);
            band_add_right(st, band_next(x, 1), f.y);
            band_add_right(st, band_next(x, 2), f.z);
        }
    }
    for (int n = 0; n < band_edge_count(st); n++) {
        int k = band_edge(st, n), edge = newton_edge_at(r, band_slot(st, k));
        band_add_right(st, band_angle(st, k), r->touch.torque[edge]);
    }
}

static void add_angle(NewtonSystem* sys, NewtonRod* r, BandSystem* st, int k)
{
    Rod* rod = r->rod;
    int s = band_slot(st, k), i = band_angle(st, k);
    double inertia = sys->mass * newton_turn_inertia(sys, r, s);
    band_add_right(st, i, framed_of(rod)->torque[s]);
    if (rod->dynamic_twist && sys->reach > 0.0) {
        band_add_right(st, i, -inertia * (r->turned[s] - sys->reach * framed_of(rod)->spin[s]));
    }
    if (framed_of(rod)->may_turn[s] > 0.0) {
        band_add(st, i, i,
                 (1.0 + sys->extra_inertia) * inertia +
                     (rod->dynamic_twist ? 0.0 : sys->resistance * r->indifferent));
    }
}

// Frames without inertia, of edges with contiguous slots.
static void add_angle_run(const NewtonSystem* sys, const NewtonRod* r, BandSystem* st, int from, int count)
{
    int s = band_slot(st, from), i = band_angle(st, from);
    const double *torque = framed_of(r->rod)->torque + s, *may_turn = framed_of(r->rod)->may_turn + s;
    double *right = st->r + i, *diag = band_ldu_at(&st->band, i, i);
    for (int n = 0; n < count; n++) {
        right[n * st->block] += torque[n];
    }
    for (int n = 0; n < count && !st->right_only; n++) {
        double stiff = sys->resistance * r->indifferent +
                       (sys->frames_weigh ? sys->mass * newton_turn_inertia(sys, r, s + n) : 0.0);
        diag[(ptrdiff_t)n * st->block * st->band.stride] += may_turn[n] * stiff;
    }
}

// Adds external torques on frames, their inertia if they have one, and the small stiffness against rotations
// that cost no energy.
static void add_angles(NewtonSystem* sys, NewtonRod* r, BandSystem* st)
{
    int to = r->rod->dynamic_twist ? 0 : inner_edges_to(st);
    for (int k = 0; k < to;) {
        int count = band_run(st, k, to);
        add_angle_run(sys, r, st, k, count);
        k += count;
    }
    for (int n = to > 0 ? to : 0; n < band_edge_count(st); n++) {
        add_angle(sys, r, st, band_edge(st, n));
    }
}

// ---- clamps

bool newton_is_held(const NewtonRod* r, int s)
{
    return r->rod->line.w[s] == 0.0;
}

bool newton_slides_as_one(const NewtonRod* r, int s) // of the edge after the slot's node
{
    int node = s - r->rod->line.halo;
    const Clamp* clamp = node < r->rod->line.node_count ? r->held[node] : NULL;
    return clamp && clamp->def.slides && clamp->node_count == 2 && clamp->node[0] == node;
}

static void hold_edge(NewtonRod* r, BandSystem* st, int k)
{
    int s = band_slot(st, k);
    if (framed_of(r->rod)->may_turn[s] == 0.0) {
        band_hold(st, band_angle(st, k), r->shift.angle[s]);
    }
    if (st->block == 5 && newton_is_held(r, s) && newton_is_held(r, s + 1)) {
        band_hold(st, band_tension(st, k), 0.0);
    }
}

static void hold_clamp(NewtonRod* r, BandSystem* st, const Clamp* clamp)
{
    bool slides = clamp->def.slides;
    int k = 0;
    for (int n = 0; n < clamp->node_count; n++) {
        if (!band_has(st, clamp->node[n], &k)) {
            return;
        }
        int s = band_slot(st, k), x = band_x(st, k);
        for (int j = 0; j < 3 && !slides; j++) {
            band_hold(st, band_next(x, j), r->shift.x[j][s]);
        }
        if (slides) {
            band_slide(st, k, clamp->axis, slot_get(r->shift.x, s));
        }
    }
    if (slides && clamp->node_count == 2) {
        int s = band_slot(st, k - 1), next = band_slot(st, k);
        CordVec3 difference = vec3_sub(slot_get(r->shift.x, next), slot_get(r->shift.x, s));
        band_slide_together(st, k - 1, clamp->axis, vec3_dot(difference, clamp->axis));
    }
}

static void add_clamps(NewtonRod* r, BandSystem* st)
{
    for (int n = 0; n < band_edge_count(st) && r->rod->clamp_count > 0; n++) {
        hold_edge(r, st, band_edge(st, n));
    }
    for (int i = 0; i < r->rod->clamp_count; i++) {
        const Clamp* clamp = r->rod->clamps[i];
        if (clamp->holds && !clamp->carrier) {
            hold_clamp(r, st, clamp);
        }
    }
}

BandEdges newton_edges(const NewtonSystem* sys, const NewtonRod* r)
{
    BandEdges k = {.n = r->n,
                   .rest_len = r->rod->line.rest_len,
                   .soft = r->soft,
                   .weight = r->weight,
                   .mass = sys->mass,
                   .extra_inertia = sys->extra_inertia,
                   .gravity = {sys->gravity.x, sys->gravity.y, sys->gravity.z},
                   .viscous = viscous_of(sys, r),
                   .midpoint = sys->midpoint,
                   .matrix = !sys->right_only,
                   .slack = r->slack};
    for (int i = 0; i < 3; i++) {
        k.y[i] = r->y[i], k.x[i] = r->rod->line.x[i], k.start[i] = r->start[i];
    }
    return k;
}

static void add_run(const NewtonSystem* sys, const NewtonRod* r, BandSystem* st, int from, int count)
{
    BandEdges k = newton_edges(sys, r);
    k.band = &st->band, k.right = st->r, k.block = st->block;
    k.first = from * st->block, k.slot = band_slot(st, from), k.count = count;
    band_kernels()->add_edges(&k);
}

// Edges between inner nodes, and the nodes they start from, go four at a time where only tension, weight and
// inertia act.
static void add_inner_edges(NewtonSystem* sys, NewtonRod* r, BandSystem* st, int first)
{
    for (int k = first; k < inner_edges_to(st);) {
        int count = band_run(st, k, inner_edges_to(st));
        add_run(sys, r, st, k, count);
        k += count;
    }
}

static void assemble_span(NewtonSystem* sys, NewtonRod* r, BandSystem* st)
{
    int first = st->left ? 1 : 0;
    bool fast = is_plain(sys, r);
    st->right_only = sys->right_only;
    band_clear(st);
    band_add_corners(st, &r->terms, band_corner_from(st), band_corner_to(st));
    if (fast) {
        add_inner_edges(sys, r, st, first);
    }
    add_edges(sys, r, st, fast ? first : INT_MAX);
    add_nodes(sys, r, st, fast ? first : INT_MAX);
    if (!st->right_only) {
        band_seal_first(st);
        band_seal_last(st);
    }
    add_angles(sys, r, st);
    if (r->touch.push) {
        add_contact(r, st);
    }
    if (sys->only_shift) {
        band_clear_right(st);
    }
    newton_add_loads(sys, r, st);
    add_clamps(r, st);
}

// Removes the augmented Lagrangian term from the residual forces: it is no physical force.
static void remove_augmented_force(const NewtonSystem* sys, NewtonRod* r)
{
    const CordCenterline* c = &r->rod->line;
    for (int j = 0; j < c->edge_count && sys->augment > 0.0; j++) {
        int s = slot_of(c, j), end = slot_of(c, edge_end(c, j));
        if (newton_is_rigid(r, s)) {
            continue;
        }
        EdgeForce f = newton_edge_force(sys, r, s);
        CordVec3 extra = vec3_mul(f.mean, newton_augmented(sys, r, s, f.compliance) * f.residual);
        if (!newton_is_held(r, s)) {
            slot_set(r->force.x, s, vec3_sub(slot_get(r->force.x, s), extra));
        }
        if (!newton_is_held(r, end)) {
            slot_set(r->force.x, end, vec3_add(slot_get(r->force.x, end), extra));
        }
    }
}

static int corners_from(const NewtonRod* r) // first corner, by slot
{
    return r->rod->line.closed ? r->rod->line.halo : 1;
}

static int corners_to(const NewtonRod* r)
{
    const CordCenterline* c = &r->rod->line;
    return c->closed ? c->halo + c->node_count : c->node_count - 1;
}

void newton_assemble_rod(NewtonSystem* sys, NewtonRod* r)
{
    const CordCenterline* c = &r->rod->line;
    int from = corners_from(r), to = corners_to(r);
    framed_trial_terms(r->rod, viscous_of(sys, r), from, to, &r->terms, !sys->right_only);
    if (!sys->right_only && r->spans->block == 5) {
        begin_slack(sys, r);
        add_slack(r, &r->terms, from, to);
        if (sys->augment > 0.0) {
            set_across(sys, r);
        }
        finish_slack(r, c->halo, c->halo + c->edge_count);
    }
    move_clear(c, &r->force);
    for (int i = 0; i < r->span_count; i++) {
        assemble_span(sys, r, &r->spans[i]);
        if (sys->joins || sys->reach == 0.0) { // bodies and static solves read the residual forces
            band_get_right(&r->spans[i], &r->force);
        }
    }
    if (!sys->only_shift) {
        remove_augmented_force(sys, r);
    }
}

// ---- streaming factorisation

// Blocks at a time, so that the working set fits into the first-level cache. Kernels write whole groups of
// four.
enum { STREAM_BLOCKS = 16, STREAM_ROOM = STREAM_BLOCKS + 4 };

bool newton_can_stream(const NewtonSystem* sys)
{
    const NewtonRod* r = sys->rods;
    return !sys->joins && r->spans->blocks > 2 && !r->rod->line.closed && is_plain(sys, r) &&
           !newton_is_skew(sys);
}

// Applies the clamps on nodes [from, to) and the edges between them. A clamp of two nodes is applied with its
// second node.
static void hold_blocks(NewtonRod* r, BandSystem* st, int from, int to)
{
    for (int k = from > 0 ? from - 1 : 0; k < to - 1 && r->rod->clamp_count > 0; k++) {
        hold_edge(r, st, k);
    }
    for (int i = 0; i < r->rod->clamp_count; i++) {
        const Clamp* clamp = r->rod->clamps[i];
        int last = clamp->node[clamp->node_count - 1];
        if (clamp->holds && last >= from && last < to) {
            hold_clamp(r, st, clamp);
        }
    }
}

// Adds corners [from, to), and the edges whose corners are complete by then: [from - 1, to - 1).
static void fill_blocks(NewtonSystem* sys, NewtonRod* r, BandSystem* st, const CornerTerms* terms, int from,
                        int to)
{
    bool last = to == band_corner_to(st);
    int edge_from = from - 1, edge_to = last ? inner_edges_to(st) : to - 1;
    framed_trial_terms(r->rod, viscous_of(sys, r), from, to, terms, true);
    band_stream_clear(st, to + 1);
    band_add_corners(st, terms, from, to);
    if (st->block == 5) {
        add_slack(r, terms, from, to);
        finish_slack(r, edge_from, edge_to);
    }
    add_run(sys, r, st, edge_from, edge_to - edge_from);
    if (!r->rod->dynamic_twist) {
        add_angle_run(sys, r, st, edge_from, edge_to - edge_from);
    }
    for (int k = edge_from; k < edge_to && r->rod->dynamic_twist; k++) {
        add_angle(sys, r, st, k);
    }
}

NewtonPivots newton_stream(NewtonSystem* sys, bool symmetric)
{
    NewtonRod* r = sys->rods;
    BandSystem* st = r->spans;
    int to = band_corner_to(st), ready = 0;
    CornerTerms terms = {0};
    double space[CORNER_TERMS_ARRAYS * STREAM_ROOM];
    corner_terms_open(&terms, space, STREAM_ROOM);
    st->right_only = false;
    band_stream_begin(st);
    begin_slack(sys, r);
    newton_add_loads(sys, r, st);
    for (int from = band_corner_from(st); from < to; from += STREAM_BLOCKS) {
        int end = to - from < STREAM_BLOCKS ? to : from + STREAM_BLOCKS, before = ready;
        terms.base = from;
        fill_blocks(sys, r, st, &terms, from, end);
        if (before == 0) {
            band_seal_first(st);
        }
        if (end == to) {
            add_nodes(sys, r, st, 0); // the last node
            band_seal_last(st);
        }
        ready = end < to ? end - 1 : st->blocks;
        hold_blocks(r, st, before, ready);
        band_stream_eliminate(st, ready, symmetric);
    }
    BandPivots p = band_stream_end(st, symmetric);
    return (NewtonPivots){p.negative, p.least};
}
