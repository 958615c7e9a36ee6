#include "solve/system.h"

#include <string.h>

#define INDIFFERENT 1e-9 // of the twisting stiffness

// ---- scratch

size_t system_scratch(const Rod* rod)
{
    size_t array = arena_space(sizeof(double), (int)centerline_stride(&rod->line));
    return (13 + CORNER_TERMS_ARRAYS) * array + strand_scratch(rod);
}

static double* push_slots(const Rod* rod, Arena* scratch)
{
    size_t stride = centerline_stride(&rod->line);
    double* a = arena_push(scratch, double, stride);
    memset(a, 0, stride * sizeof *a);
    return a + CENTERLINE_PAD;
}

// An edge that slides as one needs its tension as an unknown.
static bool has_sliding_edge(const Rod* rod)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (clamp->holds && clamp->def.slides && clamp->node_count == 2) {
            return true;
        }
    }
    return false;
}

// Rings are cut where no clamp is, or at least none that slides.
static int seam_of(const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    int fixed = 0;
    for (int edge = c->edge_count - 1; edge >= 0; edge--) {
        const Clamp *a = clamp_of_node(rod, edge), *b = clamp_of_node(rod, edge_end(c, edge));
        if (!a && !b) {
            return edge;
        }
        fixed = (a && a->def.slides) || (b && b->def.slides) ? fixed : edge;
    }
    return fixed;
}

void system_open(System* sys, Rod* rod, bool tensions, Arena* scratch)
{
    const CordCenterline* c = &rod->line;
    size_t stride = centerline_stride(c);
    *sys = (System){.rod = rod, .trial = model_ops(rod->model)->trial};
    double** singles[] = {&sys->n, &sys->change, &sys->turned, &sys->shift_angle};
    for (int k = 0; k < 3; k++) {
        sys->y[k] = push_slots(rod, scratch);
        sys->start[k] = push_slots(rod, scratch);
        sys->shift[k] = push_slots(rod, scratch);
    }
    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++) {
        *singles[i] = push_slots(rod, scratch);
    }
    double* terms = arena_push(scratch, double, CORNER_TERMS_ARRAYS* stride);
    memset(terms, 0, CORNER_TERMS_ARRAYS * stride * sizeof *terms);
    corner_terms_open(&sys->terms, terms + CENTERLINE_PAD, stride);
    strand_open(&sys->strand, rod, tensions || rod->inextensible || has_sliding_edge(rod),
                c->closed ? seam_of(rod) : 0, scratch);
}

// ---- the equations

typedef struct EdgeForce { // of one edge: n times direction
    CordVec3 mean;         // along which it pulls
    CordVec3 end;          // the edge's direction at the end of the step: how its length answers
    double spread;         // 1 / length over which the direction turns [1/m]
    double miss;       // by how much the length is off what the tension asks, as a change of y sees it [m]
    double compliance; // [m/N]; 0: inextensible
} EdgeForce;

static EdgeForce edge_force(const System* sys, int s)
{
    const CordCenterline* c = &sys->rod->line;
    CordVec3 e = vec3_sub(slot_get(sys->y, s + 1), slot_get(sys->y, s));
    CordVec3 before = vec3_sub(slot_get(c->x, s + 1), slot_get(c->x, s));
    CordVec3 after = sys->midpoint ? vec3_sub(vec3_mul(e, 2.0), before) : e;
    double rest = c->rest_len[s], l0 = vec3_length(before), l1 = vec3_length(after);
    EdgeForce f = {.end = vec3_mul(after, 1.0 / l1)};
    f.spread = sys->midpoint ? 2.0 / (l0 + l1) : 1.0 / l1;
    f.mean = vec3_mul(e, f.spread);
    double half = sys->midpoint ? 0.5 : 1.0; // of the change of length, as y moves
    if (sys->rod->inextensible) {
        f.miss = half * (l1 - rest);
        return f;
    }
    int edge = (s - c->halo + c->node_count) % c->node_count;
    double soft = rest / rod_stiffness_at(sys->rod, edge)->EA, stiffer = 1.0 + sys->viscous;
    double change = (sys->midpoint ? 0.5 * (l0 + l1) : l1) - rest + sys->viscous * half * (l1 - l0);
    f.compliance = soft / stiffer;
    f.miss = (change - soft * sys->n[s]) / stiffer;
    return f;
}

static void pull_nodes(System* sys, int k, CordVec3 force)
{
    int a = strand_x(&sys->strand, k), b = strand_x(&sys->strand, k + 1);
    double f[3] = {force.x, force.y, force.z};
    for (int i = 0; i < 3; i++) {
        strand_add_right(&sys->strand, strand_next(a, i), f[i]);
        strand_add_right(&sys->strand, strand_next(b, i), -f[i]);
    }
}

// K = n spread (1 - mean end') + pull mean end': how the force answers to the edge; pull is 1/compliance where the tension is not an unknown.
static void add_edge_stiffness(System* sys, int k, const EdgeForce* f, double n, double pull)
{
    double m[3] = {f->mean.x, f->mean.y, f->mean.z}, t[3] = {f->end.x, f->end.y, f->end.z}, K[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            K[3 * i + j] = (i == j ? n * f->spread : 0.0) + (pull - n * f->spread) * m[i] * t[j];
        }
    }
    strand_add_edge(&sys->strand, k, K);
}

// With `augment` a the equation of the length, times a mean, is added to those of the nodes; a factor keeps the matrix symmetric.
static void add_tension_unknown(System* sys, int k, const EdgeForce* f, double augment)
{
    Strand* st = &sys->strand;
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
    strand_add(st, n, n, -left * f->compliance);
    strand_add_right(st, n, -left * f->miss);
}

// Stiffness along an edge as large as the corners' across it, and below its own.
static double augmented(const System* sys, int s, double compliance)
{
    const CornerHessian* h = &sys->terms.hessian;
    double across = 0.0;
    for (int i = 0; i < 3; i++) {
        static const int diagonal[3] = {0, 3, 5};
        across += fabs(h->ff[diagonal[i]][s]) + fabs(h->ee[diagonal[i]][s + 1]);
    }
    double stiff = sys->augment * across;
    return stiff * compliance < 0.5 ? stiff : 0.5 / compliance;
}

static void add_edges(System* sys)
{
    Strand* st = &sys->strand;
    for (int k = 0; k < strand_edge_to(st); k++) {
        int s = strand_slot(st, k);
        EdgeForce f = edge_force(sys, s);
        if (st->block == 5) {
            double augment = augmented(sys, s, f.compliance);
            pull_nodes(sys, k, vec3_mul(f.mean, sys->n[s] + augment * f.miss));
            add_edge_stiffness(sys, k, &f, sys->n[s], augment);
            add_tension_unknown(sys, k, &f, augment);
        } else { // eliminated edge by edge: the tension that the length asks for
            double n = sys->n[s] + f.miss / f.compliance;
            pull_nodes(sys, k, vec3_mul(f.mean, n));
            add_edge_stiffness(sys, k, &f, sys->n[s], 1.0 / f.compliance);
        }
    }
}

static void add_nodes(System* sys)
{
    const Rod* rod = sys->rod;
    const CordCenterline* c = &rod->line;
    Strand* st = &sys->strand;
    double g[3] = {sys->gravity.x, sys->gravity.y, sys->gravity.z};
    for (int k = 0; k < strand_node_to(st); k++) {
        int s = strand_slot(st, k), x = strand_x(st, k);
        double m = rod_node_mass(rod, s - c->halo);
        for (int i = 0; i < 3; i++) {
            int xi = strand_next(x, i);
            strand_add(st, xi, xi, sys->mass * m);
            strand_add_right(st, xi, m * (g[i] - sys->mass * (sys->y[i][s] - sys->start[i][s])));
        }
    }
}

// The velocity that drag sees is (y - x) / reach; its directions are those of the start of the step.
static void add_drag(System* sys, int k, double time)
{
    const CordCenterline* c = &sys->rod->line;
    Strand* st = &sys->strand;
    int s = strand_slot(st, k), x = strand_x(st, k);
    NodeDrag drag = load_drag_at(sys->rod, s - c->halo, time);
    double t[3] = {drag.t.x, drag.t.y, drag.t.z}, force[3] = {drag.force.x, drag.force.y, drag.force.z};
    double rate = 1.0 / sys->reach;
    for (int i = 0; i < 3; i++) {
        strand_add_right(st, strand_next(x, i), force[i]);
        for (int j = 0; j < 3; j++) {
            double C = rate * ((drag.along - drag.across) * t[i] * t[j] + (i == j ? drag.across : 0.0));
            strand_add(st, strand_next(x, i), strand_next(x, j), C);
            strand_add_right(st, strand_next(x, i), -C * (sys->y[j][s] - c->x[j][s]));
        }
    }
}

static void add_force(System* sys, const Load* load, double share)
{
    const CordCenterline* c = &sys->rod->line;
    Strand* st = &sys->strand;
    int x = strand_x(st, (load->node - st->first + c->node_count) % c->node_count);
    strand_add_right(st, strand_next(x, 0), share * load->def.force.x);
    strand_add_right(st, strand_next(x, 1), share * load->def.force.y);
    strand_add_right(st, strand_next(x, 2), share * load->def.force.z);
}

static void add_load_rates(System* sys)
{
    const Rod* rod = sys->rod;
    double later = sys->time + sys->rate_step;
    for (int i = 0; sys->rate_step > 0.0 && i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        if (load->def.kind == CORD_LOAD_FORCE) {
            add_force(sys, load, (load_share(load, later) - load_share(load, sys->time)) / sys->rate_step);
        }
    }
}

static void add_loads(System* sys)
{
    const Rod* rod = sys->rod;
    Strand* st = &sys->strand;
    double time = sys->time;
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        if (load->def.kind == CORD_LOAD_FORCE) {
            add_force(sys, load, load_share(load, time));
        }
    }
    for (int k = 0; sys->reach > 0.0 && loads_drag(rod, time) && k < strand_node_to(st); k++) {
        add_drag(sys, k, time);
    }
}

// Frames: what turns them from outside, their inertia if they have one, and those that are held.
static void add_angles(System* sys)
{
    Rod* rod = sys->rod;
    Strand* st = &sys->strand;
    const double *may_turn = sys->trial->may_turn(rod), *torque = sys->trial->torque(rod);
    const double *spin = sys->trial->spin(rod), *inertia = sys->trial->spin_inertia(rod);
    for (int k = 0; k < strand_frame_to(st); k++) {
        int s = strand_slot(st, k), i = strand_angle(st, k);
        strand_add_right(st, i, torque[s]);
        if (rod->dynamic_twist) {
            strand_add(st, i, i, sys->mass * inertia[s]);
            strand_add_right(st, i, -sys->mass * inertia[s] * (sys->turned[s] - sys->reach * spin[s]));
        }
        if (may_turn[s] > 0.0 && !rod->dynamic_twist) { // turns that cost nothing are not made
            strand_add(st, i, i, sys->indifferent);
        }
    }
}

static void add_holds(System* sys) // of frames
{
    const double* may_turn = sys->trial->may_turn(sys->rod);
    for (int k = 0; k < strand_frame_to(&sys->strand); k++) {
        int s = strand_slot(&sys->strand, k);
        if (may_turn[s] == 0.0) {
            strand_hold(&sys->strand, strand_angle(&sys->strand, k), sys->shift_angle[s]);
        }
    }
}

static int strand_node(const System* sys, int node) // of the strand's own count
{
    const CordCenterline* c = &sys->rod->line;
    return (node - sys->strand.first + c->node_count) % c->node_count;
}

static bool is_held(const System* sys, int s)
{
    return sys->rod->line.w[s] == 0.0;
}

static bool slides_as_one(const System* sys, int s) // the edge after the slot's node
{
    const CordCenterline* c = &sys->rod->line;
    const Clamp* clamp = clamp_of_node(sys->rod, s - c->halo);
    return clamp && clamp->def.slides && clamp->node_count == 2 && clamp->node[0] == s - c->halo;
}

static void add_clamps(System* sys)
{
    const Rod* rod = sys->rod;
    Strand* st = &sys->strand;
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        for (int n = 0; clamp->holds && n < clamp->node_count; n++) {
            int k = strand_node(sys, clamp->node[n]), x = strand_x(st, k);
            for (int j = 0; j < 3 && !clamp->def.slides; j++) {
                strand_hold(st, strand_next(x, j), sys->shift[j][strand_slot(st, k)]);
            }
            if (clamp->def.slides) {
                strand_slide(st, k, clamp->axis, slot_get(sys->shift, strand_slot(st, k)));
            }
        }
        if (clamp->holds && clamp->def.slides && clamp->node_count == 2) {
            strand_slide_together(st, strand_node(sys, clamp->node[0]), clamp->axis);
        }
    }
    for (int k = 0; st->block == 5 && k < strand_edge_to(st); k++) {
        int s = strand_slot(st, k);
        if (is_held(sys, s) && is_held(sys, s + 1)) {
            strand_hold(st, strand_tension(st, k), 0.0);
        }
    }
}

// A trace of stiffness against turns that cost nothing, such as that of a free round rod as a whole.
static double least_stiffness(const System* sys)
{
    double most = 0.0;
    for (int s = 0; s < sys->rod->line.slot_count; s++) {
        most = fmax(most, sys->terms.hessian.phi_ff[s]);
    }
    return INDIFFERENT * most;
}

void system_assemble(System* sys)
{
    Strand* st = &sys->strand;
    strand_clear(st);
    sys->trial->terms(sys->rod, sys->viscous, &sys->terms, true);
    sys->indifferent = least_stiffness(sys);
    for (int k = strand_corner_from(st); k < strand_corner_to(st); k++) {
        strand_add_corner(st, k, &sys->terms, true);
    }
    add_edges(sys);
    add_nodes(sys);
    add_loads(sys);
    strand_seal(st);
    add_angles(sys);
    if (sys->only_shift) {
        strand_clear_right(st);
        add_load_rates(sys);
    }
    add_holds(sys);
    add_clamps(sys);
}

// Held nodes get no force.
static void clear_held(System* sys)
{
    Strand* st = &sys->strand;
    for (int k = 0; k < strand_node_to(st); k++) {
        int x = strand_x(st, k);
        for (int i = 0; i < 3 && is_held(sys, strand_slot(st, k)); i++) {
            int xi = strand_next(x, i);
            *(xi >= 0 ? &st->r[xi] : &st->r_left[-1 - xi]) = 0.0;
        }
    }
}

void system_project_right(System* sys)
{
    const Rod* rod = sys->rod;
    Strand* st = &sys->strand;
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        for (int n = 0; clamp->holds && clamp->def.slides && n < clamp->node_count; n++) {
            int x = strand_x(st, strand_node(sys, clamp->node[n]));
            CordVec3 r = {st->r[x], st->r[x + 1], st->r[x + 2]};
            r = vec3_mul(clamp->axis, vec3_dot(r, clamp->axis));
            st->r[x] = r.x, st->r[x + 1] = r.y, st->r[x + 2] = r.z;
        }
    }
}

// Lengths that are off, alone, as a right-hand side.
void system_put_misses(System* sys)
{
    const CordCenterline* c = &sys->rod->line;
    Strand* st = &sys->strand;
    strand_clear_right(st);
    for (int k = 0; k < strand_edge_to(st); k++) {
        int s = strand_slot(st, k);
        EdgeForce f = edge_force(sys, s);
        double augment = augmented(sys, s, f.compliance);
        if (!(is_held(sys, s) && is_held(sys, s + 1)) && !slides_as_one(sys, s)) {
            pull_nodes(sys, k, vec3_mul(f.mean, augment * f.miss));
            strand_add_right(st, strand_tension(st, k), -(1.0 - augment * f.compliance) * f.miss);
        }
    }
    (void)c;
    system_project_right(sys);
    clear_held(sys);
}

// By the solution, in straight lines; angles are added to their changes, frames do not follow yet.
void system_shift(System* sys)
{
    const Strand* st = &sys->strand;
    const CordCenterline* c = &sys->rod->line;
    const double* may_turn = sys->trial->may_turn(sys->rod);
    for (int k = 0; k < strand_edge_to(st); k++) {
        sys->n[strand_slot(st, k)] += strand_solution(st, strand_tension(st, k));
    }
    for (int k = 0; k < strand_node_to(st); k++) {
        int x = strand_x(st, k), s = strand_slot(st, k);
        for (int i = 0; i < 3; i++) {
            sys->y[i][s] += strand_solution(st, strand_next(x, i));
        }
    }
    for (int k = 0; k < strand_frame_to(st); k++) {
        int s = strand_slot(st, k);
        sys->change[s] += may_turn[s] * strand_solution(st, strand_angle(st, k));
    }
    centerline_wrap(c, sys->y);
    centerline_wrap_one(c, sys->n);
}

void system_forces(const System* sys, double* force)
{
    const Strand* st = &sys->strand;
    for (int i = 0; i < st->band.n; i++) {
        force[i] = strand_right(st, i);
    }
    for (int k = 0; k < strand_edge_to(st); k++) {
        int s = strand_slot(st, k), a = strand_x(st, k), b = strand_x(st, k + 1);
        EdgeForce f = edge_force(sys, s);
        double extra = augmented(sys, s, f.compliance) * f.miss, m[3] = {f.mean.x, f.mean.y, f.mean.z};
        for (int i = 0; i < 3; i++) {
            force[strand_plain(st, strand_next(a, i))] -= is_held(sys, s) ? 0.0 : extra * m[i];
            force[strand_plain(st, strand_next(b, i))] += is_held(sys, s + 1) ? 0.0 : extra * m[i];
        }
    }
}

// ---- the solution

static CordVec3 edge_change(const System* sys, int k)
{
    const Strand* st = &sys->strand;
    int a = strand_x(st, k), b = strand_x(st, k + 1);
    return (CordVec3){strand_solution(st, strand_next(b, 0)) - strand_solution(st, strand_next(a, 0)),
                      strand_solution(st, strand_next(b, 1)) - strand_solution(st, strand_next(a, 1)),
                      strand_solution(st, strand_next(b, 2)) - strand_solution(st, strand_next(a, 2))};
}

// The largest change, positions by edge length, angles as they are; NAN if any is.
double system_change(const System* sys)
{
    const Strand* st = &sys->strand;
    const CordCenterline* c = &sys->rod->line;
    double most = 0.0;
    for (int k = 0; k < strand_node_to(st); k++) {
        int x = strand_x(st, k), s = strand_slot(st, k);
        double rest = fmax(c->rest_len[s], c->rest_len[s > 0 ? s - 1 : s]);
        for (int i = 0; i < 3; i++) {
            double change = fabs(strand_solution(st, strand_next(x, i))) / rest;
            most = change <= most ? most : change;
        }
    }
    for (int k = 0; k < strand_frame_to(st); k++) {
        double change = fabs(strand_solution(st, strand_angle(st, k)));
        most = change <= most ? most : change;
    }
    return most;
}

// How far edges turn, and frames about them.
double system_turning(const System* sys)
{
    const Strand* st = &sys->strand;
    double most = 0.0;
    for (int k = 0; k < strand_edge_to(st); k++) {
        int s = strand_slot(st, k);
        CordVec3 e = vec3_sub(slot_get(sys->y, s + 1), slot_get(sys->y, s)), de = edge_change(sys, k);
        double len = vec3_length(e), turn = vec3_length(vec3_reject(de, vec3_mul(e, 1.0 / len))) / len;
        most = turn <= most ? most : turn;
    }
    for (int k = 0; k < strand_frame_to(st); k++) {
        double change = fabs(strand_solution(st, strand_angle(st, k)));
        most = change <= most ? most : change;
    }
    return most;
}

// Tensions before positions: those that were eliminated answer to the edges as they were.
static void move_tensions(System* sys, double share)
{
    const Strand* st = &sys->strand;
    const CordCenterline* c = &sys->rod->line;
    for (int k = 0; k < strand_edge_to(st); k++) {
        int s = strand_slot(st, k);
        if (st->block == 5) {
            sys->n[s] += share * strand_solution(st, strand_tension(st, k));
            continue;
        }
        EdgeForce f = edge_force(sys, s);
        sys->n[s] += share * (f.miss + vec3_dot(f.end, edge_change(sys, k))) / f.compliance;
    }
    centerline_wrap_one(c, sys->n);
}

void system_move(System* sys, double share)
{
    const Strand* st = &sys->strand;
    const CordCenterline* c = &sys->rod->line;
    const double* may_turn = sys->trial->may_turn(sys->rod);
    move_tensions(sys, share);
    for (int k = 0; k < strand_node_to(st); k++) {
        int x = strand_x(st, k), s = strand_slot(st, k);
        for (int i = 0; i < 3; i++) {
            sys->y[i][s] += share * strand_solution(st, strand_next(x, i));
        }
    }
    for (int k = 0; k < strand_frame_to(st); k++) {
        int s = strand_slot(st, k);
        sys->change[s] = may_turn[s] * share * strand_solution(st, strand_angle(st, k)); // held ones follow their clamps
        sys->turned[s] += sys->change[s];
    }
    centerline_wrap(c, sys->y);
    centerline_wrap_one(c, sys->change);
    sys->trial->follow(sys->rod, sys->y, sys->time);
    sys->trial->turn(sys->rod, sys->change);
}
