#include "solve/system.h"

#include "body/inertia.h"
#include "math/trig.h"

#include <limits.h>
#include <string.h>

#define INDIFFERENT                                                                                          \
    1e-9 // of the twisting stiffness: a trace against turns that cost nothing, such as that of a free round rod as a whole
#define LEAST_GJ 1e-12 // of EI, as the model has it
#define SLACK 1e-10    // of what an edge's nodes give way by

// ---- opening

static bool is_held_at(const Rod* rod, int node, bool slides_only)
{
    const CordCenterline* c = &rod->line;
    const Clamp* clamp = clamp_of_node(rod, (node + c->node_count) % c->node_count);
    return clamp && (clamp->def.slides || !slides_only);
}

// Rings are cut where no clamp is, nor next to it: a tension between a port and a held node would have no pivot. If clamps are everywhere, then at least where none slides.
static int seam_of(const Rod* rod)
{
    int fixed = 0;
    for (int edge = rod->line.edge_count - 1; edge >= 0; edge--) {
        bool free = true;
        for (int node = edge - 1; node <= edge + 2; node++) {
            free &= !is_held_at(rod, node, false);
        }
        if (free) {
            return edge;
        }
        fixed = is_held_at(rod, edge, true) || is_held_at(rod, edge + 1, true) ? fixed : edge;
    }
    return fixed;
}

static int strands_of(const Joins* joins, int rod)
{
    return joins ? joins->first_strand[rod + 1] - joins->first_strand[rod] : 1;
}

static size_t rod_scratch(const Rod* rod, int strands)
{
    const CordCenterline* c = &rod->line;
    return arena_space(sizeof(Clamp*), c->node_count) + slots_scratch(c, 11) + 3 * move_scratch(c) +
           CORNER_TERMS_ARRAYS * slots_scratch(c, 1) + strand_scratch(rod, strands) +
           arena_space(sizeof(Strand), strands);
}

size_t system_scratch(Rod* rod, const Joins* joins)
{
    if (!joins) {
        return arena_space(sizeof(SystemRod), 1) + rod_scratch(rod, 1);
    }
    const Assembly* a = joins->assembly;
    size_t sum = arena_space(sizeof(SystemRod), a->rod_count) + arena_space(sizeof(SystemBody), a->body_count) +
                 arena_space(sizeof(CordVec3), a->tie_count) + arena_space(sizeof(double), joins->blocks.n);
    for (int i = 0; i < a->rod_count; i++) {
        sum += rod_scratch(a->rods[i], strands_of(joins, i));
    }
    return sum;
}

static void open_held(SystemRod* r, Arena* scratch)
{
    const Rod* rod = r->rod;
    r->held = arena_push(scratch, const Clamp*, rod->line.node_count);
    memset(r->held, 0, sizeof *r->held * (size_t)rod->line.node_count);
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        for (int k = 0; clamp->holds && k < clamp->node_count; k++) {
            r->held[clamp->node[k]] = clamp;
        }
    }
}

static void open_strands(SystemRod* r, int index, const Joins* joins, bool tensions, Arena* scratch)
{
    bool own = tensions || strand_needs_tensions(r->rod), ring = r->rod->line.closed;
    r->strand_count = strands_of(joins, index);
    r->strands = arena_push(scratch, Strand, r->strand_count);
    if (!joins) {
        int seam = ring ? seam_of(r->rod) : -1;
        strand_open(r->strands, r->rod, own, seam, seam, scratch);
        r->strands->ring = r->strands->own_right = ring;
        return;
    }
    for (int i = 0; i < r->strand_count; i++) {
        const JoinStrand* s = &joins->strands[joins->first_strand[index] + i];
        int left = s->left >= 0 ? joins->joins[s->left].edge : -1,
            right = s->right >= 0 ? joins->joins[s->right].edge : -1;
        strand_open(&r->strands[i], r->rod, own, left, right, scratch);
        r->strands[i].own_left = s->own_left, r->strands[i].own_right = s->own_right;
    }
}

static void open_rod(SystemRod* r, Rod* rod, int index, const Joins* joins, bool tensions, Arena* scratch)
{
    const CordCenterline* c = &rod->line;
    size_t stride = centerline_stride(c);
    *r = (SystemRod){.rod = rod, .trial = model_ops(rod->model)->trial};
    for (int k = 0; k < 3; k++) {
        r->y[k] = slots_push(c, scratch);
        r->start[k] = slots_push(c, scratch);
    }
    r->n = slots_push(c, scratch);
    r->turned = slots_push(c, scratch);
    r->soft = slots_push(c, scratch);
    r->weight = slots_push(c, scratch);
    r->slack = slots_push(c, scratch);
    for (int n = 0; n < c->node_count; n++) {
        r->weight[slot_of(c, n)] = rod_node_mass(rod, n);
    }
    for (int j = 0; j < c->edge_count; j++) {
        const CordStiffness* stiff = rod_stiffness_at(rod, j);
        r->soft[slot_of(c, j)] = rod->inextensible ? 0.0 : edge_rest_len(c, j) / stiff->EA;
        double GJ = fmax(stiff->GJ, LEAST_GJ * fmax(stiff->EI1, stiff->EI2));
        r->indifferent = fmax(r->indifferent, INDIFFERENT * GJ / edge_rest_len(c, j));
    }
    r->shift = move_open(c, scratch);
    r->force = move_open(c, scratch);
    r->move = move_open(c, scratch);
    double* terms = arena_push(scratch, double, CORNER_TERMS_ARRAYS* stride);
    memset(terms, 0, CORNER_TERMS_ARRAYS * stride * sizeof *terms);
    corner_terms_open(&r->terms, terms + CENTERLINE_PAD, stride);
    open_held(r, scratch);
    open_strands(r, index, joins, tensions, scratch);
}

void system_open(System* sys, Rod* rod, const Joins* joins, bool tensions, Arena* scratch)
{
    const Assembly* a = joins ? joins->assembly : NULL;
    *sys = (System){.rod_count = a ? a->rod_count : 1, .body_count = a ? a->body_count : 0, .joins = joins};
    sys->rods = arena_push(scratch, SystemRod, sys->rod_count);
    for (int i = 0; i < sys->rod_count; i++) {
        open_rod(&sys->rods[i], a ? a->rods[i] : rod, i, joins, tensions, scratch);
    }
    if (!a) {
        return;
    }
    sys->bodies = arena_push(scratch, SystemBody, sys->body_count);
    sys->blocks = (Blocks*)&joins->blocks; // its values are scratch
    sys->r = arena_push(scratch, double, joins->blocks.n);
    sys->carried = arena_push(scratch, CordVec3, a->tie_count);
    memset(sys->carried, 0, sizeof *sys->carried * (size_t)a->tie_count);
    for (int i = 0; i < sys->body_count; i++) {
        sys->bodies[i] = (SystemBody){.body = a->bodies[i],
                                      .inertia = body_inertia(a->bodies[i]),
                                      .before = a->bodies[i]->pose,
                                      .pose = a->bodies[i]->pose};
    }
}

// ---- the equations of a rod

static double viscous_of(const System* sys, const SystemRod* r)
{
    return sys->reach > 0.0 ? r->rod->damping_time / sys->reach : 0.0;
}

static const Clamp* carrier_at(const SystemRod* r, int s)
{
    const CordCenterline* c = &r->rod->line;
    const Clamp* clamp = r->held[(s - c->halo + c->node_count) % c->node_count];
    return clamp && clamp->carrier ? clamp : NULL;
}

bool system_is_carried(const SystemRod* r, int s)
{
    return r->rod->assembly && carrier_at(r, s);
}

// An edge both of whose nodes one body carries has no length to look after.
static bool is_rigid(const SystemRod* r, int s)
{
    const Clamp* a = r->rod->assembly ? carrier_at(r, s) : NULL;
    return a && a->node_count == 2 && a == carrier_at(r, s + 1);
}

typedef struct EdgeForce { // of one edge: n times direction
    CordVec3 mean;         // along which it pulls
    CordVec3 end;          // the edge's direction at the end of the step: how its length answers
    double spread;         // 1 / length over which the direction turns [1/m]
    double miss;       // by how much the length is off what the tension asks, as a change of y sees it [m]
    double compliance; // [m/N]; 0: inextensible
} EdgeForce;

static EdgeForce edge_force(const System* sys, const SystemRod* r, int s)
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
        f.miss = half * (l1 - rest);
        return f;
    }
    int edge = (s - c->halo + c->node_count) % c->node_count;
    double viscous = viscous_of(sys, r), soft = rest / rod_stiffness_at(r->rod, edge)->EA, stiffer = 1.0 + viscous;
    double change = (sys->midpoint ? 0.5 * (l0 + l1) : l1) - rest + viscous * half * (l1 - l0);
    f.compliance = soft / stiffer;
    f.miss = (change - soft * r->n[s]) / stiffer;
    return f;
}

static void pull_nodes(Strand* st, int k, CordVec3 force)
{
    int a = strand_x(st, k), b = strand_x(st, k + 1);
    double f[3] = {force.x, force.y, force.z};
    for (int i = 0; i < 3; i++) {
        strand_add_right(st, strand_next(a, i), f[i]);
        strand_add_right(st, strand_next(b, i), -f[i]);
    }
}

// K = n spread (1 - mean end') + pull mean end': how the force answers to the edge; pull is 1/compliance where the tension is not an unknown.
static void add_edge_stiffness(Strand* st, int k, const EdgeForce* f, double n, double pull)
{
    double m[3] = {f->mean.x, f->mean.y, f->mean.z}, t[3] = {f->end.x, f->end.y, f->end.z}, K[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            K[3 * i + j] = (i == j ? n * f->spread : 0.0) + (pull - n * f->spread) * m[i] * t[j];
        }
    }
    strand_add_edge(st, k, K);
}

// With `augment` a the equation of the length, times a mean, is added to those of the nodes; a factor keeps the matrix symmetric.
static void add_tension_unknown(Strand* st, int k, const EdgeForce* f, double augment, double slack)
{
    int a = strand_x(st, k), b = strand_x(st, k + 1), n = strand_tension(st, k);
    double m[3] = {f->mean.x, f->mean.y, f->mean.z}, t[3] = {f->end.x, f->end.y, f->end.z};
    double left = 1.0 - augment * f->compliance;
    for (int i = 0; i < 3; i++) {
        int ai = strand_next(a, i), bi = strand_next(b, i);
        strand_add(st, ai, n, -left * m[i]);
        strand_add(st, bi, n, left * m[i]);
        strand_add(st, n, ai, -left * t[i]);
        strand_add(st, n, bi, left * t[i]);
    }
    strand_add(st, n, n, -left * f->compliance - slack);
    strand_add_right(st, n, -left * f->miss);
}

// Stiffness along an edge as large as the corners' across it, and below its own.
static double augmented(const System* sys, const SystemRod* r, int s, double compliance)
{
    const CornerHessian* h = &r->terms.hessian;
    double across = 0.0;
    for (int i = 0; i < 3 && sys->augment > 0.0; i++) {
        static const int diagonal[3] = {0, 3, 5};
        across += fabs(h->ff[diagonal[i]][s]) + fabs(h->ee[diagonal[i]][s + 1]);
    }
    double stiff = sys->augment * across;
    return stiff * compliance < 0.5 ? stiff : 0.5 / compliance;
}

// A taut rod between two clamps has a tension that nothing determines. A trace of give to its change lets the system be solved; once it changes no more, none is left.
// First what holds its nodes is summed up, inertia and the corners on either side; then it becomes the give.
static void begin_slack(const System* sys, SystemRod* r)
{
    for (int s = 0; s < r->rod->line.slot_count; s++) {
        r->slack[s] = sys->mass * r->weight[s];
    }
}

static void add_slack(SystemRod* r, const CornerTerms* terms, int from, int to) // of corners, by slot
{
    const CornerHessian* h = &terms->hessian;
    const CordCenterline* c = &r->rod->line;
    for (int s = from; s < to; s++) {
        int before = s > c->halo ? s - 1 : c->halo + c->edge_count - 1, i = s - terms->base;
        r->slack[s] += fabs(h->ff[0][i]) + fabs(h->ff[3][i]) + fabs(h->ff[5][i]);
        r->slack[before] += fabs(h->ee[0][i]) + fabs(h->ee[3][i]) + fabs(h->ee[5][i]);
    }
}

static void finish_slack(SystemRod* r, int from, int to) // of edges, by slot
{
    for (int s = from; s < to; s++) {
        r->slack[s] = r->slack[s] > 0.0 ? SLACK / r->slack[s] : 0.0;
    }
}

// The k below which edges [first, k) start and end inside the strand.
static int inner_edges_to(const Strand* st)
{
    return st->blocks - 1;
}

// Edges from `inner` on that start and end inside the strand are done already.
static void add_edges(System* sys, SystemRod* r, Strand* st, int inner)
{
    for (int i = 0; i < strand_edge_count(st); i++) {
        int k = strand_edge(st, i), s = strand_slot(st, k);
        if (k >= inner && k < inner_edges_to(st)) {
            i += inner_edges_to(st) - 1 - k;
            continue;
        }
        if (is_rigid(r, s)) {
            continue;
        }
        EdgeForce f = edge_force(sys, r, s);
        if (st->block == 5) {
            double augment = augmented(sys, r, s, f.compliance);
            pull_nodes(st, k, vec3_mul(f.mean, r->n[s] + augment * f.miss));
            add_edge_stiffness(st, k, &f, r->n[s], augment);
            add_tension_unknown(st, k, &f, augment, r->slack[s]);
        } else { // eliminated edge by edge: the tension that the length asks for
            double n = r->n[s] + f.miss / f.compliance;
            pull_nodes(st, k, vec3_mul(f.mean, n));
            add_edge_stiffness(st, k, &f, r->n[s], 1.0 / f.compliance);
        }
    }
}

// What acts on a node besides its neighbours: how it answers to y, and the force. Carried nodes hand both to their bodies.
typedef struct NodeForce {
    double K[9]; // row-major [N/m]
    double f[3]; // [N]
} NodeForce;

// The velocity that drag sees is (y - x) / reach; its directions are those of the start of the step.
static void add_drag(const System* sys, const SystemRod* r, int s, NodeForce* f)
{
    const CordCenterline* c = &r->rod->line;
    NodeDrag drag = load_drag_at(r->rod, s - c->halo, sys->time);
    double t[3] = {drag.t.x, drag.t.y, drag.t.z}, wind[3] = {drag.force.x, drag.force.y, drag.force.z};
    double rate = 1.0 / sys->reach;
    for (int i = 0; i < 3; i++) {
        f->f[i] += wind[i];
        for (int j = 0; j < 3; j++) {
            double C = rate * ((drag.along - drag.across) * t[i] * t[j] + (i == j ? drag.across : 0.0));
            f->K[3 * i + j] += C;
            f->f[i] -= C * (r->y[j][s] - c->x[j][s]);
        }
    }
}

static NodeForce node_force(const System* sys, const SystemRod* r, int s, bool drag)
{
    NodeForce f = {0};
    double m = r->weight[s], g[3] = {sys->gravity.x, sys->gravity.y, sys->gravity.z};
    for (int i = 0; i < 3; i++) {
        f.K[4 * i] = sys->mass * m;
        f.f[i] = m * (g[i] - sys->mass * (r->y[i][s] - r->start[i][s]));
    }
    if (drag) {
        add_drag(sys, r, s, &f);
    }
    return f;
}

static bool has_drag(const System* sys, const SystemRod* r)
{
    return sys->reach > 0.0 && loads_drag(r->rod, sys->time);
}

static void add_nodes(System* sys, SystemRod* r, Strand* st, int inner)
{
    bool drag = has_drag(sys, r);
    for (int n = 0; n < strand_node_count(st); n++) {
        int k = strand_node(st, n), s = strand_slot(st, k), x = strand_x(st, k);
        if (k >= inner && k < inner_edges_to(st)) {
            n += inner_edges_to(st) - 1 - k;
            continue;
        }
        if (system_is_carried(r, s)) {
            continue;
        }
        NodeForce f = node_force(sys, r, s, drag);
        for (int i = 0; i < 3; i++) {
            strand_add_right(st, strand_next(x, i), f.f[i]);
            strand_add(st, strand_next(x, i), strand_next(x, i), f.K[4 * i]);
            for (int j = 0; j < 3 && drag; j++) {
                strand_add(st, strand_next(x, i), strand_next(x, j), i == j ? 0.0 : f.K[3 * i + j]);
            }
        }
    }
}

// A force's share now; while rates are asked for, that.
static double share_of(const System* sys, const Load* load)
{
    if (load->def.kind != CORD_LOAD_FORCE) {
        return 0.0;
    }
    double now = load_share(load, sys->time);
    return sys->only_shift
               ? (sys->rate_step > 0.0 ? (load_share(load, sys->time + sys->rate_step) - now) / sys->rate_step : 0.0)
               : now;
}

static void add_loads(System* sys, SystemRod* r, Strand* st)
{
    for (int i = 0; i < r->rod->load_count; i++) {
        const Load* load = r->rod->loads[i];
        double share = share_of(sys, load);
        int k;
        if (share != 0.0 && strand_has(st, load->node, &k) && !system_is_carried(r, strand_slot(st, k))) {
            int x = strand_x(st, k);
            strand_add_right(st, strand_next(x, 0), share * load->def.force.x);
            strand_add_right(st, strand_next(x, 1), share * load->def.force.y);
            strand_add_right(st, strand_next(x, 2), share * load->def.force.z);
        }
    }
}

// What is made up is that of a half wave along the whole rod, which turns an edge by pi / length of how far it moves it aside.
double system_turn_inertia(const System* sys, const SystemRod* r, int s)
{
    double lever = r->rod->length / CORD_PI;
    return r->rod->dynamic_twist ? r->trial->spin_inertia(r->rod)[s]
           : sys->frames_weigh   ? r->weight[s] * lever * lever
                                 : 0.0;
}

static void add_angle(System* sys, SystemRod* r, Strand* st, int k)
{
    Rod* rod = r->rod;
    int s = strand_slot(st, k), i = strand_angle(st, k);
    double inertia = sys->mass * system_turn_inertia(sys, r, s);
    strand_add_right(st, i, r->trial->torque(rod)[s]);
    if (rod->dynamic_twist && sys->reach > 0.0) {
        strand_add_right(st, i, -inertia * (r->turned[s] - sys->reach * r->trial->spin(rod)[s]));
    }
    if (r->trial->may_turn(rod)[s] > 0.0) {
        strand_add(st, i, i, inertia + (rod->dynamic_twist ? 0.0 : r->indifferent));
    }
}

// Frames without inertia of their own, of edges whose slots follow each other.
static void add_angle_run(const System* sys, const SystemRod* r, Strand* st, int from, int count)
{
    int s = strand_slot(st, from), i = strand_angle(st, from);
    const double *torque = r->trial->torque(r->rod) + s, *may_turn = r->trial->may_turn(r->rod) + s;
    double *right = st->r + i, *diag = band_at(&st->band, i, i);
    for (int n = 0; n < count; n++) {
        right[n * st->block] += torque[n];
    }
    for (int n = 0; n < count && !st->right_only; n++) {
        double stiff = r->indifferent + (sys->frames_weigh ? sys->mass * system_turn_inertia(sys, r, s + n) : 0.0);
        diag[(ptrdiff_t)n * st->block * st->band.stride] += may_turn[n] * stiff;
    }
}

// Frames: what turns them from outside, and their inertia if they have one; turns that cost nothing are not made.
static void add_angles(System* sys, SystemRod* r, Strand* st)
{
    int to = r->rod->dynamic_twist ? 0 : inner_edges_to(st);
    for (int k = 0; k < to;) {
        int count = strand_run(st, k, to);
        add_angle_run(sys, r, st, k, count);
        k += count;
    }
    for (int n = to > 0 ? to : 0; n < strand_edge_count(st); n++) {
        add_angle(sys, r, st, strand_edge(st, n));
    }
}

// ---- what is held

static bool is_held(const SystemRod* r, int s)
{
    return r->rod->line.w[s] == 0.0;
}

static bool slides_as_one(const SystemRod* r, int s) // the edge after the slot's node
{
    int node = s - r->rod->line.halo;
    const Clamp* clamp = node < r->rod->line.node_count ? r->held[node] : NULL;
    return clamp && clamp->def.slides && clamp->node_count == 2 && clamp->node[0] == node;
}

static void hold_edge(SystemRod* r, Strand* st, int k)
{
    int s = strand_slot(st, k);
    if (r->trial->may_turn(r->rod)[s] == 0.0) {
        strand_hold(st, strand_angle(st, k), r->shift.angle[s]);
    }
    if (st->block == 5 && is_held(r, s) && is_held(r, s + 1)) {
        strand_hold(st, strand_tension(st, k), 0.0);
    }
}

static void hold_clamp(SystemRod* r, Strand* st, const Clamp* clamp)
{
    bool slides = clamp->def.slides;
    int k = 0;
    for (int n = 0; n < clamp->node_count; n++) {
        if (!strand_has(st, clamp->node[n], &k)) {
            return;
        }
        int s = strand_slot(st, k), x = strand_x(st, k);
        for (int j = 0; j < 3 && !slides; j++) {
            strand_hold(st, strand_next(x, j), r->shift.x[j][s]);
        }
        if (slides) {
            strand_slide(st, k, clamp->axis, slot_get(r->shift.x, s));
        }
    }
    if (slides && clamp->node_count == 2) {
        int s = strand_slot(st, k - 1), next = strand_slot(st, k);
        CordVec3 apart = vec3_sub(slot_get(r->shift.x, next), slot_get(r->shift.x, s));
        strand_slide_together(st, k - 1, clamp->axis, vec3_dot(apart, clamp->axis));
    }
}

static void add_clamps(SystemRod* r, Strand* st)
{
    for (int n = 0; n < strand_edge_count(st) && r->rod->clamp_count > 0; n++) {
        hold_edge(r, st, strand_edge(st, n));
    }
    for (int i = 0; i < r->rod->clamp_count; i++) {
        const Clamp* clamp = r->rod->clamps[i];
        if (clamp->holds && !clamp->carrier) {
            hold_clamp(r, st, clamp);
        }
    }
}

static StrandEdges edges_of(const System* sys, const SystemRod* r)
{
    StrandEdges k = {.n = r->n,
                     .rest_len = r->rod->line.rest_len,
                     .soft = r->soft,
                     .weight = r->weight,
                     .mass = sys->mass,
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

static void add_run(const System* sys, const SystemRod* r, Strand* st, int from, int count)
{
    StrandEdges k = edges_of(sys, r);
    k.band = &st->band, k.right = st->r, k.block = st->block;
    k.first = from * st->block, k.slot = strand_slot(st, from), k.count = count;
    strand_kernels()->add_edges(&k);
}

// Edges between a strand's own nodes, and the nodes they start from, go four at a time where nothing but tension, weight and inertia is in it.
static void add_inner_edges(System* sys, SystemRod* r, Strand* st, int first)
{
    for (int k = first; k < inner_edges_to(st);) {
        int count = strand_run(st, k, inner_edges_to(st));
        add_run(sys, r, st, k, count);
        k += count;
    }
}

static void assemble_strand(System* sys, SystemRod* r, Strand* st)
{
    int first = st->left ? 1 : 0;
    bool fast = sys->augment == 0.0 && !has_drag(sys, r);
    st->right_only = sys->right_only;
    strand_clear(st);
    strand_add_corners(st, &r->terms, strand_corner_from(st), strand_corner_to(st));
    if (fast) {
        add_inner_edges(sys, r, st, first);
    }
    add_edges(sys, r, st, fast ? first : INT_MAX);
    add_nodes(sys, r, st, fast ? first : INT_MAX);
    if (!st->right_only) {
        strand_seal_first(st);
        strand_seal_last(st);
    }
    add_angles(sys, r, st);
    if (sys->only_shift) {
        strand_clear_right(st);
    }
    add_loads(sys, r, st);
    add_clamps(r, st);
}

// What the augmented stiffness makes of lengths that are off is no force.
static void take_augmented_off(const System* sys, SystemRod* r)
{
    const CordCenterline* c = &r->rod->line;
    for (int j = 0; j < c->edge_count && sys->augment > 0.0; j++) {
        int s = slot_of(c, j), end = slot_of(c, edge_end(c, j));
        if (is_rigid(r, s)) {
            continue;
        }
        EdgeForce f = edge_force(sys, r, s);
        CordVec3 extra = vec3_mul(f.mean, augmented(sys, r, s, f.compliance) * f.miss);
        if (!is_held(r, s)) {
            slot_set(r->force.x, s, vec3_sub(slot_get(r->force.x, s), extra));
        }
        if (!is_held(r, end)) {
            slot_set(r->force.x, end, vec3_add(slot_get(r->force.x, end), extra));
        }
    }
}

static int corners_from(const SystemRod* r) // by slot
{
    return r->rod->line.closed ? r->rod->line.halo : 1;
}

static int corners_to(const SystemRod* r)
{
    const CordCenterline* c = &r->rod->line;
    return c->closed ? c->halo + c->node_count : c->node_count - 1;
}

static void assemble_rod(System* sys, SystemRod* r)
{
    const CordCenterline* c = &r->rod->line;
    int from = corners_from(r), to = corners_to(r);
    r->trial->terms(r->rod, viscous_of(sys, r), from, to, &r->terms, !sys->right_only);
    if (!sys->right_only && r->strands->block == 5) {
        begin_slack(sys, r);
        add_slack(r, &r->terms, from, to);
        finish_slack(r, c->halo, c->halo + c->edge_count);
    }
    move_clear(c, &r->force);
    for (int i = 0; i < r->strand_count; i++) {
        assemble_strand(sys, r, &r->strands[i]);
        if (sys->joins || sys->reach == 0.0) { // bodies and solves ask for it
            strand_get_right(&r->strands[i], &r->force);
        }
    }
    if (!sys->only_shift) {
        take_augmented_off(sys, r);
    }
}

// ---- a rod in one go

// At a time: what is worked on then fits into the first cache. Kernels write whole fours.
enum { STREAM_BLOCKS = 16, STREAM_ROOM = STREAM_BLOCKS + 4 };

bool system_can_stream(const System* sys)
{
    const SystemRod* r = sys->rods;
    return !sys->joins && r->strands->blocks > 2 && !r->rod->line.closed && sys->augment == 0.0 &&
           !has_drag(sys, r);
}

// Clamps that hold nodes [from, to), and edges between them; a clamp of two nodes comes with the second.
static void hold_blocks(SystemRod* r, Strand* st, int from, int to)
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

// Corners [from, to), and the edges whose corners are all there by then: [from - 1, to - 1).
static void fill_blocks(System* sys, SystemRod* r, Strand* st, const CornerTerms* terms, int from, int to)
{
    bool last = to == strand_corner_to(st);
    int edge_from = from - 1, edge_to = last ? inner_edges_to(st) : to - 1;
    r->trial->terms(r->rod, viscous_of(sys, r), from, to, terms, true);
    strand_stream_clear(st, to + 1);
    strand_add_corners(st, terms, from, to);
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

SystemPivots system_stream(System* sys, bool symmetric)
{
    SystemRod* r = sys->rods;
    Strand* st = r->strands;
    int to = strand_corner_to(st), ready = 0;
    CornerTerms terms = {0};
    double space[CORNER_TERMS_ARRAYS * STREAM_ROOM];
    corner_terms_open(&terms, space, STREAM_ROOM);
    st->right_only = false;
    strand_stream_begin(st);
    begin_slack(sys, r);
    add_loads(sys, r, st);
    for (int from = strand_corner_from(st); from < to; from += STREAM_BLOCKS) {
        int end = to - from < STREAM_BLOCKS ? to : from + STREAM_BLOCKS, before = ready;
        terms.base = from;
        fill_blocks(sys, r, st, &terms, from, end);
        if (before == 0) {
            strand_seal_first(st);
        }
        if (end == to) {
            add_nodes(sys, r, st, 0); // the last one
            strand_seal_last(st);
        }
        ready = end < to ? end - 1 : st->blocks;
        hold_blocks(r, st, before, ready);
        strand_stream_eliminate(st, ready, symmetric);
    }
    StrandPivots p = strand_stream_end(st, symmetric);
    return (SystemPivots){p.negative, p.least};
}

// ---- bodies

static CordVec3 arm_of(const Pose* pose, const Weld* weld, int k)
{
    return quat_rotate(pose->rotation, weld->clamp.offset[k]);
}

typedef enum ArmSide {
    ARM_END, // how nodes answer to the body: by where it will be
    ARM_MEAN // how the body answers to forces on nodes: halfway, so that angular momentum is kept
} ArmSide;

static CordVec3 arm_at(const System* sys, const Weld* weld, int k, ArmSide side)
{
    const SystemBody* b = &sys->bodies[weld->body->index];
    CordVec3 end = arm_of(&b->pose, weld, k);
    return side == ARM_MEAN && sys->midpoint ? vec3_mul(vec3_add(end, arm_of(&b->before, weld, k)), 0.5) : end;
}

static JoinMap map_of(const System* sys, const Join* join, ArmSide side)
{
    const SystemRod* r = &sys->rods[join->rod];
    int s = slot_of(&r->rod->line, join->edge);
    CordVec3 zero = {0, 0, 0}, t = vec3_unit(vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s)));
    return join_map(sys->joins, join, join->a ? arm_at(sys, join->a, join->a_k, side) : zero,
                    join->b ? arm_at(sys, join->b, join->b_k, side) : zero, t);
}

static void add_block(System* sys, int i, int j, int row, int column, double value)
{
    double* block = blocks_at(sys->blocks, i, j);
    block[row * blocks_stride(sys->blocks, j) + column] += value;
}

// T_left' S T_right into the blocks of the rows that both ends touch.
static void add_mapped(System* sys, const JoinMap* left, const JoinMap* right, int size,
                       double S[][STRAND_PORT_MOST])
{
    for (int a = 0; a < left->count; a++) {
        for (int b = 0; b < right->count; b++) {
            double ST[STRAND_PORT_MOST][6];
            for (int i = 0; i < size; i++) {
                for (int q = 0; q < right->size[b]; q++) {
                    ST[i][q] = 0.0;
                    for (int j = 0; j < size; j++) {
                        ST[i][q] += S[i][j] * right->T[b][j][q];
                    }
                }
            }
            for (int p = 0; p < left->size[a]; p++) {
                for (int q = 0; q < right->size[b]; q++) {
                    double sum = 0.0;
                    for (int i = 0; i < size; i++) {
                        sum += left->T[a][i][p] * ST[i][q];
                    }
                    add_block(sys, left->row[a], right->row[b], p, q, sum);
                }
            }
        }
    }
}

typedef struct PortMatrices {
    double LL[STRAND_PORT_MOST][STRAND_PORT_MOST], LR[STRAND_PORT_MOST][STRAND_PORT_MOST];
    double RL[STRAND_PORT_MOST][STRAND_PORT_MOST], RR[STRAND_PORT_MOST][STRAND_PORT_MOST];
} PortMatrices;

static void read_ports(const Strand* s, PortMatrices* p)
{
    const Band* b = &s->band;
    int at = strand_port(s);
    for (int i = 0; i < s->port_size; i++) {
        for (int j = 0; j < s->port_size; j++) {
            p->RR[i][j] = s->right && (i > j ? i - j : j - i) <= b->half ? *band_at(b, at + i, at + j) : 0.0;
            p->LL[i][j] = s->left ? b->corner[i * b->border_stride + j] : 0.0;
            p->RL[i][j] = s->left && s->right ? b->col[(at + i) * b->border_stride + j] : 0.0;
            p->LR[i][j] = s->left && s->right ? b->row[(at + j) * b->border_stride + i] : 0.0;
        }
    }
}

static void condense(System* sys, const Strand* s, const JoinStrand* js)
{
    PortMatrices p;
    JoinMap left = {0}, right = {0}, left_row = {0}, right_row = {0};
    read_ports(s, &p);
    if (s->left) {
        left = map_of(sys, &sys->joins->joins[js->left], ARM_END);
        left_row = map_of(sys, &sys->joins->joins[js->left], ARM_MEAN);
        add_mapped(sys, &left_row, &left, s->port_size, p.LL);
    }
    if (s->right) {
        right = map_of(sys, &sys->joins->joins[js->right], ARM_END);
        right_row = map_of(sys, &sys->joins->joins[js->right], ARM_MEAN);
        add_mapped(sys, &right_row, &right, s->port_size, p.RR);
    }
    if (s->left && s->right) {
        add_mapped(sys, &left_row, &right, s->port_size, p.LR);
        add_mapped(sys, &right_row, &left, s->port_size, p.RL);
    }
}

// Shift and turn of a body that one of its nodes' forces asks for.
static void add_wrench(double wrench[6], CordVec3 arm, CordVec3 f)
{
    CordVec3 torque = vec3_cross(arm, f);
    wrench[0] += f.x, wrench[1] += f.y, wrench[2] += f.z;
    wrench[3] += torque.x, wrench[4] += torque.y, wrench[5] += torque.z;
}

static void add_body_mass(System* sys, int i)
{
    const SystemBody* b = &sys->bodies[i];
    const double* t = b->inertia.tensor;
    double I[3][3] = {{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}};
    for (int k = 0; k < 3; k++) {
        add_block(sys, i, i, k, k, sys->mass * b->inertia.mass);
        for (int j = 0; j < 3; j++) {
            add_block(sys, i, i, 3 + k, 3 + j, sys->mass * I[k][j]);
        }
    }
}

// A carried node's own inertia and drag, and what its force does to the body as the arm turns: (F p' + p F')/2 - F.p of the energy's gradient -F.
static void add_carried(System* sys, const SystemRod* r, const Tie* tie, CordVec3 total)
{
    CordVec3 q = arm_at(sys, tie->weld, tie->k, ARM_END), p = arm_at(sys, tie->weld, tie->k, ARM_MEAN);
    NodeForce f = node_force(sys, r, tie->slot, has_drag(sys, r));
    double column[3][6] = {{1, 0, 0, 0, q.z, -q.y}, {0, 1, 0, -q.z, 0, q.x}, {0, 0, 1, q.y, -q.x, 0}};
    double row[3][6] = {{1, 0, 0, 0, p.z, -p.y}, {0, 1, 0, -p.z, 0, p.x}, {0, 0, 1, p.y, -p.x, 0}};
    for (int a = 0; a < 6; a++) {
        for (int b = 0; b < 6; b++) {
            double sum = 0.0;
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    sum += row[i][a] * f.K[3 * i + j] * column[j][b];
                }
            }
            add_block(sys, tie->body, tie->body, a, b, sum);
        }
    }
    double F[3] = {total.x, total.y, total.z}, arm[3] = {q.x, q.y, q.z}, along = vec3_dot(total, q);
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            add_block(sys, tie->body, tie->body, 3 + a, 3 + b,
                      -0.5 * (F[a] * arm[b] + arm[a] * F[b]) + (a == b ? along : 0.0));
        }
    }
}

static CordVec3 load_at(const System* sys, const SystemRod* r, int s)
{
    CordVec3 sum = {0, 0, 0};
    for (int i = 0; i < r->rod->load_count; i++) {
        const Load* load = r->rod->loads[i];
        if (load->def.kind == CORD_LOAD_FORCE && slot_of(&r->rod->line, load->node) == s) {
            sum = vec3_madd(sum, load->def.force, share_of(sys, load));
        }
    }
    return sum;
}

// Own forces of carried nodes, which no strand counts: added to what the strands have found there.
static CordVec3 own_force(const System* sys, const SystemRod* r, int s)
{
    CordVec3 load = load_at(sys, r, s);
    if (sys->only_shift) {
        return load;
    }
    NodeForce f = node_force(sys, r, s, has_drag(sys, r));
    return vec3_add(load, (CordVec3){f.f[0], f.f[1], f.f[2]});
}

static void gather_bodies(System* sys)
{
    for (int i = 0; i < sys->body_count; i++) {
        SystemBody* b = &sys->bodies[i];
        CordVec3 gone = {b->gone[3], b->gone[4], b->gone[5]};
        CordVec3 turn = tensor_mul(b->inertia.tensor, gone);
        for (int k = 0; k < 6; k++) {
            double inertia = k < 3    ? b->inertia.mass * b->gone[k]
                             : k == 3 ? turn.x
                             : k == 4 ? turn.y
                                      : turn.z;
            b->own[k] = b->force[k] = sys->only_shift ? b->push_rate[k] : b->push[k] - sys->mass * inertia;
        }
    }
    const Assembly* a = sys->joins->assembly;
    for (int i = 0; i < a->tie_count; i++) {
        const Tie* tie = &a->ties[i];
        SystemRod* r = &sys->rods[tie->rod];
        CordVec3 own = own_force(sys, r, tie->slot), total = vec3_add(slot_get(r->force.x, tie->slot), own);
        CordVec3 arm = arm_at(sys, tie->weld, tie->k, ARM_MEAN);
        slot_set(r->force.x, tie->slot, total);
        sys->carried[i] = sys->only_shift ? sys->carried[i] : total;
        add_wrench(sys->bodies[tie->body].force, arm, total);
        add_wrench(sys->bodies[tie->body].own, arm, own);
        if (tie->k == 0 && tie->weld->clamp.def.fix == CORD_FIX_FRAME) {
            int s = slot_of(&r->rod->line, tie->weld->clamp.edge);
            CordVec3 t = vec3_unit(vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s)));
            double moment = r->force.angle[s];
            double* torque = sys->bodies[tie->body].force + 3;
            torque[0] += moment * t.x, torque[1] += moment * t.y, torque[2] += moment * t.z;
        }
    }
}

static void assemble_bodies(System* sys)
{
    const Assembly* a = sys->joins->assembly;
    gather_bodies(sys);
    if (sys->right_only) {
        return;
    }
    blocks_clear(sys->blocks);
    for (int i = 0; i < sys->body_count; i++) {
        add_body_mass(sys, i);
    }
    for (int i = 0; i < a->tie_count; i++) {
        const SystemRod* r = &sys->rods[a->ties[i].rod];
        add_carried(sys, r, &a->ties[i], sys->carried[i]);
    }
}

void system_assemble(System* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        assemble_rod(sys, &sys->rods[i]);
    }
    if (sys->joins) {
        assemble_bodies(sys);
    }
}

// ---- solving

static Strand* strand_of(const System* sys, int index, const JoinStrand** js) // of the joins' list
{
    *js = &sys->joins->strands[index];
    return &sys->rods[(*js)->rod].strands[index - sys->joins->first_strand[(*js)->rod]];
}

SystemPivots system_factor(System* sys, bool symmetric)
{
    SystemPivots all = {0, 1.0};
    for (int i = 0; i < sys->rod_count; i++) {
        for (int k = 0; k < sys->rods[i].strand_count; k++) {
            StrandPivots p = strand_factor(&sys->rods[i].strands[k], symmetric);
            all.negative += p.negative;
            all.least = fmin(all.least, p.least);
        }
    }
    if (sys->joins) {
        for (int i = 0; i < sys->joins->strand_count; i++) {
            const JoinStrand* js;
            const Strand* s = strand_of(sys, i, &js);
            condense(sys, s, js);
        }
        BlocksPivots p = blocks_factor(sys->blocks);
        all.negative += p.negative;
        all.least = fmin(all.least, p.least);
    }
    return all;
}

// Ports' right-hand sides to the block rows, by the arms that forces act with; solutions back, by those that nodes move with.
static void port_to_rows(System* sys, const Join* join, const double* r, int size)
{
    JoinMap map = map_of(sys, join, ARM_MEAN);
    for (int a = 0; a < map.count; a++) {
        for (int p = 0; p < map.size[a]; p++) {
            for (int i = 0; i < size; i++) {
                sys->r[sys->blocks->offset[map.row[a]] + p] += map.T[a][i][p] * r[i];
            }
        }
    }
}

static void rows_to_port(const System* sys, const Join* join, double* r, int size)
{
    JoinMap map = map_of(sys, join, ARM_END);
    memset(r, 0, (size_t)size * sizeof *r);
    for (int a = 0; a < map.count; a++) {
        for (int p = 0; p < map.size[a]; p++) {
            for (int i = 0; i < size; i++) {
                r[i] += map.T[a][i][p] * sys->r[sys->blocks->offset[map.row[a]] + p];
            }
        }
    }
}

static void put_bodies(System* sys)
{
    memset(sys->r, 0, (size_t)sys->blocks->n * sizeof(double));
    for (int i = 0; i < sys->body_count; i++) {
        memcpy(sys->r + sys->blocks->offset[i], sys->bodies[i].own, sizeof sys->bodies[i].own);
    }
}

static void solve_joined(System* sys)
{
    put_bodies(sys);
    for (int i = 0; i < sys->joins->strand_count; i++) {
        const JoinStrand* js;
        Strand* s = strand_of(sys, i, &js);
        strand_forward(s);
        if (s->left) {
            port_to_rows(sys, &sys->joins->joins[js->left], s->r_left, s->port_size);
        }
        if (s->right) {
            port_to_rows(sys, &sys->joins->joins[js->right], s->r + strand_port(s), s->port_size);
        }
    }
    blocks_solve(sys->blocks, sys->r);
    for (int i = 0; i < sys->joins->strand_count; i++) {
        const JoinStrand* js;
        Strand* s = strand_of(sys, i, &js);
        if (s->left) {
            rows_to_port(sys, &sys->joins->joins[js->left], s->r_left, s->port_size);
        }
        if (s->right) {
            rows_to_port(sys, &sys->joins->joins[js->right], s->r + strand_port(s), s->port_size);
        }
        strand_backward(s);
    }
    for (int i = 0; i < sys->body_count; i++) {
        memcpy(sys->bodies[i].move, sys->r + sys->blocks->offset[i], sizeof sys->bodies[i].move);
    }
}

// Carried nodes move with their bodies.
static void get_carried(System* sys)
{
    const Assembly* a = sys->joins->assembly;
    for (int i = 0; i < a->tie_count; i++) {
        const Tie* tie = &a->ties[i];
        const double* m = sys->bodies[tie->body].move;
        CordVec3 arm = arm_at(sys, tie->weld, tie->k, ARM_END), turn = {m[3], m[4], m[5]};
        slot_set(sys->rods[tie->rod].move.x, tie->slot,
                 vec3_add((CordVec3){m[0], m[1], m[2]}, vec3_cross(turn, arm)));
    }
}

bool system_solve(System* sys)
{
    bool good = true;
    if (sys->joins) {
        solve_joined(sys);
    } else {
        Strand* s = sys->rods->strands;
        strand_forward(s);
        good = strand_solve_ring(s);
        strand_backward(s);
    }
    for (int i = 0; i < sys->rod_count; i++) {
        SystemRod* r = &sys->rods[i];
        for (int k = 0; k < r->strand_count; k++) {
            strand_get_solution(&r->strands[k], &r->move);
        }
    }
    if (sys->joins) {
        get_carried(sys);
    }
    for (int i = 0; i < sys->rod_count; i++) {
        move_wrap(&sys->rods[i].rod->line, &sys->rods[i].move);
    }
    return good;
}

// ---- right-hand sides of one's own

// As the clamps see them: along the axis where they slide, nothing where they hold.
static void project_right(SystemRod* r)
{
    const CordCenterline* c = &r->rod->line;
    const double* may_turn = r->trial->may_turn(r->rod);
    for (int i = 0; i < r->rod->clamp_count; i++) {
        const Clamp* clamp = r->rod->clamps[i];
        for (int n = 0; clamp->holds && !clamp->carrier && n < clamp->node_count; n++) {
            int s = slot_of(c, clamp->node[n]);
            double along = clamp->def.slides ? vec3_dot(slot_get(r->force.x, s), clamp->axis) : 0.0;
            slot_set(r->force.x, s, vec3_mul(clamp->axis, along));
        }
    }
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        r->force.angle[s] *= may_turn[s];
        if ((is_held(r, s) && is_held(r, s + 1)) || slides_as_one(r, s)) {
            r->force.n[s] = 0.0;
        }
    }
}

static void put_rods(System* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        SystemRod* r = &sys->rods[i];
        project_right(r);
        for (int k = 0; k < r->strand_count; k++) {
            strand_put_right(&r->strands[k], &r->force);
        }
    }
}

void system_put_right(System* sys)
{
    put_rods(sys);
    for (int i = 0; i < sys->body_count; i++) {
        memcpy(sys->bodies[i].own, sys->bodies[i].force, sizeof sys->bodies[i].own);
    }
    for (int i = 0; sys->joins && i < sys->joins->assembly->tie_count; i++) {
        const Tie* tie = &sys->joins->assembly->ties[i];
        add_wrench(sys->bodies[tie->body].own, arm_at(sys, tie->weld, tie->k, ARM_MEAN),
                   slot_get(sys->rods[tie->rod].force.x, tie->slot));
    }
}

void system_put_misses(System* sys)
{
    for (int i = 0; i < sys->body_count; i++) {
        memset(sys->bodies[i].force, 0, sizeof sys->bodies[i].force);
    }
    for (int i = 0; i < sys->rod_count; i++) {
        SystemRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        move_clear(c, &r->force);
        for (int j = 0; j < c->edge_count; j++) {
            int s = slot_of(c, j), end = slot_of(c, edge_end(c, j));
            if (is_rigid(r, s) || (is_held(r, s) && is_held(r, s + 1)) || slides_as_one(r, s)) {
                continue;
            }
            EdgeForce f = edge_force(sys, r, s);
            double augment = augmented(sys, r, s, f.compliance);
            CordVec3 pull = vec3_mul(f.mean, augment * f.miss);
            slot_set(r->force.x, s, vec3_add(slot_get(r->force.x, s), pull));
            slot_set(r->force.x, end, vec3_sub(slot_get(r->force.x, end), pull));
            r->force.n[s] = -(1.0 - augment * f.compliance) * f.miss;
        }
    }
    system_put_right(sys);
}

// ---- the solution

static CordVec3 edge_change(const SystemRod* r, int s)
{
    return vec3_sub(slot_get(r->move.x, s + 1), slot_get(r->move.x, s));
}

static void largest(double* most, double value) // true for what is not a number, too
{
    *most = value <= *most ? *most : value;
}

static StrandMoves moves_of(const SystemRod* r, int count)
{
    return (StrandMoves){.slot = r->rod->line.halo,
                         .count = count,
                         .x = {r->move.x[0], r->move.x[1], r->move.x[2]},
                         .angle = r->move.angle,
                         .rest_len = r->rod->line.rest_len,
                         .n = r->n};
}

double system_change(const System* sys)
{
    double most = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        StrandMoves moves = moves_of(&sys->rods[i], sys->rods[i].rod->line.node_count);
        largest(&most, strand_kernels()->change(&moves));
    }
    for (int i = 0; i < sys->body_count; i++) {
        for (int k = 3; k < 6; k++) {
            largest(&most, fabs(sys->bodies[i].move[k]));
        }
    }
    return most;
}

double system_turning(const System* sys)
{
    double most = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        const SystemRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        for (int j = 0; j < c->edge_count; j++) {
            int s = slot_of(c, j);
            CordVec3 e = vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s));
            double len = vec3_length(e);
            largest(&most, vec3_length(vec3_reject(edge_change(r, s), vec3_mul(e, 1.0 / len))) / len);
            largest(&most, fabs(r->move.angle[s]));
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        const double* m = sys->bodies[i].move;
        largest(&most, sqrt(m[3] * m[3] + m[4] * m[4] + m[5] * m[5]));
    }
    return most;
}

static void move_tension(const System* sys, SystemRod* r, int s, double share)
{
    if (is_rigid(r, s)) {
        return;
    }
    if (slides_as_one(r, s)) { // what keeps its nodes together is no tension
        r->n[s] = 0.0;
    } else if (r->strands->block == 5) {
        r->n[s] += share * r->move.n[s];
    } else {
        EdgeForce f = edge_force(sys, r, s);
        r->n[s] += share * (f.miss + vec3_dot(f.end, edge_change(r, s))) / f.compliance;
    }
}

static bool any_slides(const Rod* rod)
{
    bool any = false;
    for (int i = 0; i < rod->clamp_count; i++) {
        any |= rod->clamps[i]->def.slides;
    }
    return any;
}

// Tensions before positions: those that were eliminated answer to the edges as they were.
static void move_tensions(const System* sys, SystemRod* r, double share)
{
    const CordCenterline* c = &r->rod->line;
    if (r->rod->assembly || r->strands->block == 5 || any_slides(r->rod)) {
        for (int j = 0; j < c->edge_count; j++) {
            move_tension(sys, r, slot_of(c, j), share);
        }
    } else {
        StrandEdges edges = edges_of(sys, r);
        StrandMoves moves = moves_of(r, c->edge_count);
        moves.edges = &edges, moves.share = share;
        strand_kernels()->pull(&moves);
    }
    centerline_wrap_one(c, r->n);
}

static Pose moved_pose(const System* sys, const SystemBody* b, double share)
{
    double far = sys->midpoint ? 2.0 * share : share; // y is halfway
    CordVec3 turn = vec3_mul((CordVec3){b->move[3], b->move[4], b->move[5]}, far);
    double angle = vec3_length(turn);
    CordQuat q = angle > 0.0 ? cord_quat_about(turn, angle) : quat_identity();
    return (Pose){vec3_madd(b->pose.point, (CordVec3){b->move[0], b->move[1], b->move[2]}, far),
                  quat_unit(quat_mul(q, b->pose.rotation))};
}

// Held frames ask the body's own record for its pose: halfway between old and new, where y is.
static void put_pose(const System* sys, const SystemBody* b)
{
    if (!sys->midpoint) {
        b->body->pose = b->pose;
        return;
    }
    CordQuat p = b->before.rotation, q = b->pose.rotation;
    double side = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0.0 ? -1.0 : 1.0;
    CordQuat sum = {p.x + side * q.x, p.y + side * q.y, p.z + side * q.z, p.w + side * q.w};
    b->body->pose = (Pose){vec3_mul(vec3_add(b->before.point, b->pose.point), 0.5), quat_unit(sum)};
}

void system_carry(System* sys)
{
    for (int i = 0; i < sys->body_count; i++) {
        put_pose(sys, &sys->bodies[i]);
    }
    for (int i = 0; sys->joins && i < sys->joins->assembly->tie_count; i++) {
        const Tie* tie = &sys->joins->assembly->ties[i];
        SystemRod* r = &sys->rods[tie->rod];
        CordVec3 end = body_node(&sys->bodies[tie->body].pose, tie->weld, tie->k);
        CordVec3 y = sys->midpoint ? vec3_mul(vec3_add(end, slot_get(r->rod->line.x, tie->slot)), 0.5) : end;
        slot_set(r->y, tie->slot, y);
    }
}

void system_shift_bodies(System* sys, double share)
{
    for (int i = 0; i < sys->body_count; i++) {
        SystemBody* b = &sys->bodies[i];
        b->pose = moved_pose(sys, b, share);
        for (int k = 0; k < 6; k++) {
            b->gone[k] += share * b->move[k];
        }
    }
    system_carry(sys);
}

void system_follow(System* sys, double share)
{
    for (int i = 0; i < sys->rod_count; i++) {
        SystemRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        const double* may_turn = r->trial->may_turn(r->rod);
        double* turn = r->force.angle;            // forces are done with
        for (int s = 0; s < c->slot_count; s++) { // held ones follow their clamps
            turn[s] = may_turn[s] * share * r->move.angle[s];
            r->turned[s] += turn[s];
        }
        r->trial->follow(r->rod, r->y, sys->time);
        r->trial->turn(r->rod, turn);
    }
}

void system_move(System* sys, double share)
{
    for (int i = 0; i < sys->rod_count; i++) {
        SystemRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        move_tensions(sys, r, share);
        for (int k = 0; k < 3; k++) {
            for (int s = 0; s < c->slot_count; s++) {
                r->y[k][s] += share * r->move.x[k][s];
            }
        }
    }
    system_shift_bodies(sys, share);
    for (int i = 0; i < sys->rod_count; i++) {
        centerline_wrap(&sys->rods[i].rod->line, sys->rods[i].y);
    }
    system_follow(sys, share);
}

double system_mass(const System* sys)
{
    double sum = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        sum += rod_mass(sys->rods[i].rod);
    }
    for (int i = 0; i < sys->body_count; i++) {
        sum += sys->bodies[i].inertia.mass;
    }
    return sum;
}
