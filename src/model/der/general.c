#include "model/der/general.h"

#include "math/cpu.h"
#include "math/tridiag.h"
#include "math/trig.h"
#include "rod/frame.h"

#include <string.h>

extern const CornerKernels corner_kernels_plain;
#ifndef CORD_NO_AVX2
extern const CornerKernels corner_kernels_avx2;
#endif

const CornerKernels* corner_kernels(void)
{
    return CPU_CHOOSE(&corner_kernels_avx2, &corner_kernels_plain);
}

#define MOST_TURN_ITERATIONS 60
#define TURN_ENOUGH 3e-7 // [rad]: Newton's next turn is its square
#define TURN_MOST 0.5    // in one iteration [rad]
#define TURN_SMALL 0.05  // too short to go uphill from where the matrix is definite [rad]
#define MOST_HALVINGS 30
#define MOST_SHIFTS 40
#define FIRST_SHIFT 1e-3      // of the largest stiffness
#define LEAST_STIFFNESS 1e-12 // of the frames' system, relative: turns that cost nothing are not made

// ---- memory

// Hands out arrays by slot with their padding; the first pass, without memory, counts.
typedef struct Carver {
    double* next;
    size_t stride;
    size_t count;
} Carver;

static double* carve(Carver* c)
{
    c->count++;
    if (!c->next) {
        return NULL;
    }
    double* a = c->next + CENTERLINE_PAD;
    c->next += c->stride;
    return a;
}

// What changes with the state is the trial's own.
static void carve_trial(Carver* c, DerGeneral* g)
{
    CornerEdges* e = &g->trial.edges;
    CornerNodes* n = &g->trial.nodes;
    g->trial = g->now;
    for (int k = 0; k < 3; k++) {
        e->t[k] = carve(c), e->m1[k] = carve(c);
    }
    e->inv_len = carve(c);
    n->m = carve(c), n->cos_m = carve(c), n->sin_m = carve(c);
}

static void carve_all(Carver* c, DerGeneral* g, bool damped)
{
    CornerEdges* e = &g->now.edges;
    CornerNodes* n = &g->now.nodes;
    for (int k = 0; k < 3; k++) {
        e->t[k] = carve(c), e->m1[k] = carve(c), g->section[k] = carve(c);
        g->gradient.e[k] = carve(c), g->gradient.f[k] = carve(c);
    }
    for (int k = 0; k < 2; k++) {
        n->rest_A[k] = carve(c), n->rest_B[k] = carve(c);
        n->past_A[k] = damped ? carve(c) : NULL, n->past_B[k] = damped ? carve(c) : NULL;
    }
    n->past_m = damped ? carve(c) : NULL;
    g->past_len = damped ? carve(c) : NULL;
    double** rest[] = {
        &e->inv_len,      &e->B11,    &e->B12,      &e->B22,    &n->inv_l,          &n->GJ2,
        &n->rest_m,       &n->m,      &n->cos_m,    &n->sin_m,  &g->gradient.phi_e, &g->gradient.phi_f,
        &g->tension,      &g->EA,     &g->may_turn, &g->torque, &g->spin,           &g->spin_next,
        &g->spin_inertia, &g->lower,  &g->diag,     &g->upper,  &g->border,         &g->turn,
        &g->scaled,       &g->phi_ee, &g->phi_ef,   &g->phi_ff};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        *rest[i] = carve(c);
    }
    carve_trial(c, g);
}

static DerGeneral* general_alloc(Memory* m, const Rod* rod)
{
    DerGeneral* g = memory_array(m, DerGeneral, 1);
    if (!g) {
        return NULL;
    }
    bool damped = rod->damping_time > 0.0;
    Carver count = {.stride = centerline_stride(&rod->line)};
    carve_all(&count, g, damped);
    g->block_size = count.count * count.stride * sizeof(double);
    g->block = memory_alloc(m, g->block_size);
    if (!g->block) {
        memory_free(m, g, sizeof *g);
        return NULL;
    }
    Carver carver = {.next = g->block, .stride = count.stride};
    carve_all(&carver, g, damped);
    g->kernels = corner_kernels();
    g->damping_time = rod->damping_time;
    return g;
}

void der_general_destroy(Memory* m, DerGeneral* g)
{
    if (g) {
        memory_free(m, g->block, g->block_size);
        memory_free(m, g, sizeof *g);
    }
}

// ---- frames

static void wrap_frames(const DerFrames* f, const CordCenterline* c)
{
    centerline_wrap(c, f->edges.m1);
    centerline_wrap(c, f->edges.t);
    centerline_wrap_one(c, f->edges.inv_len);
}

static void wrap_twist(const DerFrames* f, const CordCenterline* c)
{
    centerline_wrap_one(c, f->nodes.m);
    centerline_wrap_one(c, f->nodes.cos_m);
    centerline_wrap_one(c, f->nodes.sin_m);
}

CornerInput der_general_input(const DerGeneral* g, const DerFrames* f, const Rod* rod, double viscous)
{
    const CordCenterline* c = &rod->line; // an open rod's corners are its inner nodes
    return (CornerInput){.slot_count = c->slot_count,
                         .first = c->closed ? c->halo : 1,
                         .last = c->closed ? c->halo + c->node_count : c->node_count - 1,
                         .edges = &f->edges,
                         .nodes = &f->nodes,
                         .viscous = g->since > 0.0 ? viscous : 0.0};
}

static double viscous_now(const DerGeneral* g)
{
    return g->since > 0.0 ? g->damping_time / g->since : 0.0;
}

static CordVec3 edge_axis(double* const a[3], const CordCenterline* c, int edge)
{
    return slot_get(a, slot_of(c, edge));
}

static double angle_at(const DerFrames* f, const CordCenterline* c, int node)
{
    int before = edge_before(c, node);
    CordVec3 s = edge_axis(f->edges.t, c, before), t = edge_axis(f->edges.t, c, node);
    CordVec3 u = frame_transport(edge_axis(f->edges.m1, c, before), s, t);
    return frame_angle(u, edge_axis(f->edges.m1, c, node), t);
}

// Twist from the frames. Where it changed by much the angle is taken anew, with the whole turns nearest to before.
static void measure(const DerGeneral* g, const DerFrames* f, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    CornerInput in = der_general_input(g, f, rod, 0.0);
    if (!g->kernels->measure(&in)) {
        for (int k = 0; k < inner_count(c); k++) {
            int i = inner_node(c, k);
            double* m = &f->nodes.m[slot_of(c, i)];
            double anew = frame_unwrap(angle_at(f, c, i), *m);
            *m = fabs(anew - *m) > 1e-9 ? anew : *m; // what was measured already stays to the last bit
        }
    }
    wrap_twist(f, c);
}

void der_general_follow(const DerGeneral* g, DerFrames* f, const Rod* rod, double* const x[3])
{
    const CordCenterline* c = &rod->line;
    g->kernels->carry(&f->edges, (const double* const[3]){x[0], x[1], x[2]}, c->slot_count - 1);
    wrap_frames(f, c);
    measure(g, f, rod);
}

void der_general_turn(const DerGeneral* g, DerFrames* f, const Rod* rod, const double* turn)
{
    const CordCenterline* c = &rod->line;
    g->kernels->turn(&f->edges, turn, c->slot_count - 1);
    wrap_frames(f, c);
    measure(g, f, rod);
}

void der_general_hold(const DerGeneral* g, DerFrames* f, const Rod* rod, double time)
{
    const CordCenterline* c = &rod->line;
    bool any = false;
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (clamp->holds && clamp->def.fix == CORD_FIX_FRAME && !clamp->def.has_torque) {
            int s = slot_of(c, clamp->edge);
            slot_set(f->edges.m1, s, clamp_frame(clamp, slot_get(f->edges.t, s), time));
            any = true;
        }
    }
    if (any) {
        wrap_frames(f, c);
        measure(g, f, rod);
    }
}

// ---- frames in equilibrium

// Newton's system for the turns: row j has what the corners at both ends of edge j make of its turn. Returns the largest moment that is left.
static double turn_system(DerGeneral* g, const DerFrames* f, const Rod* rod, double viscous)
{
    const CordCenterline* c = &rod->line;
    const CornerGradient* p = &g->gradient;
    CornerInput in = der_general_input(g, f, rod, viscous);
    g->kernels->turning(&in, p->phi_e, p->phi_f, g->phi_ee, g->phi_ef, g->phi_ff);
    double most = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        double may = g->may_turn[s];
        g->turn[s] = may * (g->torque[s] - (p->phi_f[s] + p->phi_e[s + 1]));
        most = fmax(most, fabs(g->turn[s]));
    }
    return most;
}

// Its matrix, with `shift` added along the diagonal. Turns that cost nothing, such as that of a free round rod as a whole, would make it singular: a trace of stiffness stops them.
static void turn_matrix(DerGeneral* g, const Rod* rod, double shift)
{
    const CordCenterline* c = &rod->line;
    double most = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        double may = g->may_turn[s];
        g->diag[s] = may > 0.0 ? g->phi_ff[s] + g->phi_ee[s + 1] : 1.0;
        g->lower[s] = may * g->may_turn[s - 1] * g->phi_ef[s];
        g->upper[s] = may * g->may_turn[s + 1] * g->phi_ef[s + 1];
        most = fmax(most, fabs(g->diag[s]));
    }
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        g->diag[s] += LEAST_STIFFNESS * most + shift;
    }
}

// Are all pivots of the symmetric, for rings cyclic, matrix positive?
static bool is_definite(const DerGeneral* g, const CordCenterline* c)
{
    int first = c->halo, last = c->halo + c->edge_count - 1;
    double pivot = g->diag[first], border = c->closed && last > first ? g->lower[first] : 0.0,
           corner = g->diag[last];
    for (int s = first; s < last; s++) {
        if (!(pivot > 0.0)) {
            return false;
        }
        double ratio = g->upper[s] / pivot;
        bool end = s + 1 == last;
        if (c->closed) {
            corner -= (border + (end ? g->upper[s] : 0.0)) * (border + (end ? g->upper[s] : 0.0)) / pivot;
            border = -ratio * border;
        }
        pivot = g->diag[s + 1] - ratio * g->lower[s + 1];
    }
    return c->closed && last > first ? corner > 0.0 : pivot > 0.0;
}

// Where bending would rather turn a frame over, as much is added to the diagonal as makes the matrix definite, so that the step goes downhill. Returns the shift, or -1 if the
// system could not be solved.
static double solve_turns(DerGeneral* g, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    double shift = 0.0;
    turn_matrix(g, rod, shift);
    for (int n = 0; n < MOST_SHIFTS && !is_definite(g, c); n++) {
        double size = 0.0;
        for (int s = c->halo; s < c->halo + c->edge_count && n == 0; s++) {
            size = fmax(size, fabs(g->diag[s]));
        }
        shift = n == 0 ? FIRST_SHIFT * size : 4.0 * shift;
        turn_matrix(g, rod, shift);
    }
    Tridiag system = {.n = c->edge_count,
                      .cyclic = c->closed,
                      .lower = g->lower + c->halo,
                      .diag = g->diag + c->halo,
                      .upper = g->upper + c->halo,
                      .border = g->border + c->halo};
    if (!tridiag_factor(&system)) {
        return -1.0;
    }
    tridiag_solve(&system, g->turn + c->halo);
    return shift;
}

static double largest_turn(const DerGeneral* g, const CordCenterline* c)
{
    double most = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        double turn = fabs(g->turn[s]);
        most = turn <= most ? most : turn; // also if it is not a number
    }
    return most;
}

// What turns may lower: the corners' energy, with what viscous moments and torques add.
static double turn_energy(const DerGeneral* g, const DerFrames* f, const Rod* rod, double viscous)
{
    CornerInput in = der_general_input(g, f, rod, viscous);
    CornerEnergy e = g->kernels->energy(&in);
    return e.bend + e.twist + e.viscous;
}

static double torque_work(const DerGeneral* g, const CordCenterline* c, double share)
{
    double sum = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        sum += g->torque[s] * share * g->turn[s];
    }
    return sum;
}

static void turn_by(DerGeneral* g, DerFrames* f, const Rod* rod, double share)
{
    const CordCenterline* c = &rod->line;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        g->scaled[s] = share * g->turn[s];
    }
    centerline_wrap_one(c, g->scaled);
    der_general_turn(g, f, rod, g->scaled);
}

// A long turn is made as far as the energy goes down.
static void turn_downhill(DerGeneral* g, DerFrames* f, const Rod* rod, double viscous, double most)
{
    double before = turn_energy(g, f, rod, viscous), share = fmin(1.0, TURN_MOST / most);
    for (int n = 0;; n++) {
        turn_by(g, f, rod, share);
        double gain = torque_work(g, &rod->line, share);
        if (turn_energy(g, f, rod, viscous) - gain <= before + 1e-14 * fabs(before) || n == MOST_HALVINGS) {
            return;
        }
        turn_by(g, f, rod, -share); // and back
        share *= 0.5;
    }
}

int der_general_relax(DerGeneral* g, DerFrames* f, const Rod* rod, double viscous)
{
    for (int n = 1; n <= MOST_TURN_ITERATIONS; n++) {
        if (turn_system(g, f, rod, viscous) == 0.0) {
            return n;
        }
        double shift = solve_turns(g, rod), most = largest_turn(g, &rod->line);
        if (shift < 0.0 || !isfinite(most)) {
            return -1;
        }
        if (most <= TURN_SMALL && shift == 0.0) {
            turn_by(g, f, rod, 1.0);
        } else {
            turn_downhill(g, f, rod, viscous, most);
        }
        if (most <= TURN_ENOUGH && shift == 0.0) {
            return n;
        }
    }
    return -1;
}

// ---- the rest state

static void place_frames(DerGeneral* g, const Rod* rod, const CordVec3* x, CordVec3 first, const CordVec3* along)
{
    const CordCenterline* c = &rod->line;
    CordVec3 s = {0, 0, 0}, u = s;
    for (int j = 0; j < c->edge_count; j++) {
        CordVec3 t = vec3_unit(vec3_sub(x[edge_end(c, j)], x[j]));
        CordVec3 wish = along ? along[j] : j == 0 ? first : frame_transport(u, s, t);
        CordVec3 across = vec3_reject(wish, t);
        bool any = vec3_dot(across, across) <= 1e-20 * vec3_dot(wish, wish) || vec3_dot(wish, wish) == 0.0;
        u = any ? vec3_any_normal(t) : vec3_unit(across);
        slot_set(g->now.edges.t, slot_of(c, j), t);
        slot_set(g->now.edges.m1, slot_of(c, j), u);
        s = t;
    }
    wrap_frames(&g->now, c);
}

static double total_bend_length(const Rod* rod)
{
    double sum = 0.0;
    for (int k = 0; k < inner_count(&rod->line); k++) {
        sum += rod_bend_length(rod, inner_node(&rod->line, k));
    }
    return sum;
}

// Turns the frames so that `twist` is added evenly along the rod, from its first edge on.
static void add_twist(DerGeneral* g, const Rod* rod, double twist)
{
    const CordCenterline* c = &rod->line;
    double length = total_bend_length(rod), angle = 0.0;
    for (int j = 1; j < c->edge_count && twist != 0.0; j++) { // node j sits before edge j
        angle += twist * rod_bend_length(rod, j) / length;
        int s = slot_of(c, j);
        slot_set(g->now.edges.m1, s, frame_turn(slot_get(g->now.edges.m1, s), slot_get(g->now.edges.t, s), angle));
    }
    wrap_frames(&g->now, c);
}

// The angles between the frames that are nearest to a share of `twist` each.
static void measure_near(DerGeneral* g, const Rod* rod, double twist, double* m)
{
    const CordCenterline* c = &rod->line;
    double length = total_bend_length(rod);
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k);
        m[slot_of(c, i)] = frame_unwrap(angle_at(&g->now, c, i), twist * rod_bend_length(rod, i) / length);
    }
}

// Frames of a ring that were carried around it miss where they started: that angle, spread evenly, closes them. A ring bent from a
// straight rod is glued as it comes instead: no twist is in it.
static double closing_twist(const DerGeneral* g, const Rod* rod)
{
    return rod->line.closed ? -angle_at(&g->now, &rod->line, 0)
                            : 0.0; // from the last frame, carried over, on to the first
}

// Strains without stress. They are worked out in the frames of the rest shape, which the rod's own replace afterwards.
static CordResult set_rest(Memory* memory, DerGeneral* g, const Rod* rod, const CordRodDef* def, Message* message)
{
    const CordCenterline* c = &rod->line;
    CordVec3* x = memory_array(memory, CordVec3, c->node_count);
    if (!x) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
    }
    CordResult result = rod_rest_nodes(memory, rod, def, x, message);
    if (result == CORD_OK) {
        bool own = vec3_length(def->rest_m1) > 0.0;
        bool shaped = def->rest == CORD_REST_AS_SHAPED;
        place_frames(g, rod, x, own ? def->rest_m1 : def->m1, shaped && !own ? def->m1_along : NULL);
        double twist = def->rest_twist + (shaped && def->m1_along ? 0.0 : closing_twist(g, rod));
        add_twist(g, rod, twist);
        measure_near(g, rod, twist, g->now.nodes.rest_m);
        CornerInput in = der_general_input(g, &g->now, rod, 0.0);
        g->kernels->strains(&in, g->now.nodes.rest_A, g->now.nodes.rest_B);
    }
    memory_array_free(memory, x, c->node_count);
    return result;
}

// A straight rod has no strain of its own but its rest twist.
static void set_straight_rest(DerGeneral* g, const Rod* rod, double twist)
{
    double length = total_bend_length(rod);
    for (int k = 0; k < inner_count(&rod->line); k++) {
        int i = inner_node(&rod->line, k);
        g->now.nodes.rest_m[slot_of(&rod->line, i)] = twist * rod_bend_length(rod, i) / length;
    }
}

static void set_frames(DerGeneral* g, const Rod* rod, const CordRodDef* def, CordVec3* x)
{
    const CordCenterline* c = &rod->line;
    bool straight = def->rest == CORD_REST_STRAIGHT, shaped = def->rest == CORD_REST_AS_SHAPED;
    for (int i = 0; i < c->node_count; i++) {
        x[i] = node_position(c, i);
    }
    place_frames(g, rod, x, def->m1, def->m1_along);
    double twist = def->twist + (shaped ? def->rest_twist : 0.0);
    double all = twist + (straight || def->m1_along ? 0.0 : closing_twist(g, rod));
    add_twist(g, rod, all);
    measure_near(g, rod, all, g->now.nodes.m);
    if (c->closed && straight) {
        int s = slot_of(c, 0);
        double own = (twist - def->rest_twist) * rod_bend_length(rod, 0) / total_bend_length(rod);
        g->seam = g->now.nodes.m[s] - own - g->now.nodes.rest_m[s];
        g->now.nodes.rest_m[s] += g->seam;
    }
}

static void wrap_rest(const DerGeneral* g, const CordCenterline* c)
{
    for (int k = 0; k < 2; k++) {
        centerline_wrap_one(c, g->now.nodes.rest_A[k]);
        centerline_wrap_one(c, g->now.nodes.rest_B[k]);
    }
    centerline_wrap_one(c, g->now.nodes.rest_m);
}

CordResult der_general_create(Memory* memory, Rod* rod, const CordRodDef* def, DerGeneral** general, Message* message)
{
    const CordCenterline* c = &rod->line;
    DerGeneral* g = *general = general_alloc(memory, rod);
    CordVec3* x = memory_array(memory, CordVec3, c->node_count);
    if (!g || !x) {
        memory_array_free(memory, x, c->node_count);
        return message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
    }
    der_general_update_held(g, rod);
    CordResult result = CORD_OK;
    if (def->rest == CORD_REST_STRAIGHT) {
        set_straight_rest(g, rod, def->rest_twist);
    } else {
        result = set_rest(memory, g, rod, def, message);
    }
    if (result == CORD_OK) {
        set_frames(g, rod, def, x);
        wrap_rest(g, c);
        der_general_follow(g, &g->now, rod, c->x);
    }
    memory_array_free(memory, x, c->node_count);
    return result;
}

DerGeneral* der_general_from_frames(Memory* memory, Rod* rod, const CordVec3* m1, const double* turn)
{
    const CordCenterline* c = &rod->line;
    DerGeneral* g = general_alloc(memory, rod);
    if (!g) {
        return NULL;
    }
    der_general_update_held(g, rod);
    for (int j = 0; j < c->edge_count; j++) {
        slot_set(g->now.edges.t, slot_of(c, j), edge_tangent(c, j));
        slot_set(g->now.edges.m1, slot_of(c, j), m1[j]);
    }
    wrap_frames(&g->now, c);
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k), s = slot_of(c, i);
        g->now.nodes.m[s] = frame_unwrap(angle_at(&g->now, c, i), turn[i]);
        g->now.nodes.rest_m[s] = i == 0 ? g->now.nodes.m[s] - turn[i] : 0.0; // where a ring was glued
    }
    wrap_rest(g, c);
    der_general_follow(g, &g->now, rod, c->x);
    return g;
}

double der_general_stressed_turn(const DerGeneral* g, const Rod* rod, int node)
{
    int s = slot_of(&rod->line, node);
    return g->now.nodes.m[s] - g->now.nodes.rest_m[s];
}

static void fill_stiffness(DerGeneral* g, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    for (int j = 0; j < c->edge_count; j++) {
        const CordStiffness* k = rod_stiffness_at(rod, j);
        int s = slot_of(c, j);
        g->now.edges.B11[s] = k->EI2, g->now.edges.B12[s] = k->EI12, g->now.edges.B22[s] = k->EI1;
        g->EA[s] = rod->inextensible ? 0.0 : k->EA;
        g->spin_inertia[s] = k->spin_inertia * edge_rest_len(c, j);
        g->may_turn[s] = 1.0;
        g->torque[s] = 0.0;
    }
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k), s = slot_of(c, i);
        double GJ = 0.5 * (rod_stiffness_at(rod, edge_before(c, i))->GJ + rod_stiffness_at(rod, i)->GJ);
        g->now.nodes.inv_l[s] = 1.0 / rod_bend_length(rod, i);
        g->now.nodes.GJ2[s] = 2.0 * GJ * g->now.nodes.inv_l[s];
    }
}

void der_general_update_held(DerGeneral* g, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    fill_stiffness(g, rod);
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (clamp->holds && clamp->def.fix == CORD_FIX_FRAME) {
            int s = slot_of(c, clamp->edge);
            g->may_turn[s] = clamp->def.has_torque ? 1.0 : 0.0;
            g->torque[s] = clamp->def.has_torque ? clamp->def.torque : 0.0;
        }
    }
    double* all[] = {g->now.edges.B11, g->now.edges.B12, g->now.edges.B22,   g->EA,           g->spin_inertia,
                     g->may_turn,      g->torque,        g->now.nodes.inv_l, g->now.nodes.GJ2};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        centerline_wrap_one(c, all[i]);
    }
    if (c->closed) { // the outermost corners lack an edge
        g->now.nodes.inv_l[0] = g->now.nodes.GJ2[0] = 0.0;
        g->now.nodes.inv_l[c->slot_count - 1] = g->now.nodes.GJ2[c->slot_count - 1] = 0.0;
    }
}

// ---- the step

static void evaluate(DerGeneral* g, const Rod* rod, double viscous)
{
    const CordCenterline* c = &rod->line;
    CornerInput in = der_general_input(g, &g->now, rod, viscous);
    g->kernels->gradient(&in, &g->gradient);
    for (int s = 0; s < c->slot_count; s++) {
        double rest = c->rest_len[s], len = g->now.edges.inv_len[s] > 0.0 ? 1.0 / g->now.edges.inv_len[s] : 0.0;
        double change = len - rest;
        if (in.viscous > 0.0) {
            change += viscous * (len - g->past_len[s]);
        }
        g->tension[s] = g->EA[s] * change * c->inv_rest[s];
    }
}

static CornerKick kick_of(const DerGeneral* g, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    CornerKick k = {.slot_count = c->slot_count,
                    .edges = &g->now.edges,
                    .gradient = &g->gradient,
                    .tension = g->tension,
                    .w = c->w};
    for (int i = 0; i < 3; i++) {
        k.x[i] = c->x[i], k.v[i] = c->v[i];
        k.x_next[i] = c->x_next[i], k.v_next[i] = c->v_next[i];
        k.section[i] = g->section[i];
    }
    return k;
}

double der_general_kick(DerGeneral* g, const Rod* rod, const StepInfo* step, bool drift)
{
    const CordCenterline* c = &rod->line;
    evaluate(g, rod, viscous_now(g));
    for (int s = 0; rod->dynamic_twist && s + 1 < c->slot_count; s++) {
        double moment = g->torque[s] - (g->gradient.phi_f[s] + g->gradient.phi_e[s + 1]);
        g->spin_next[s] = g->may_turn[s] * (g->spin[s] + step->kick * moment / g->spin_inertia[s]);
    }
    CornerKick k = kick_of(g, rod);
    k.gravity[0] = step->gravity.x, k.gravity[1] = step->gravity.y, k.gravity[2] = step->gravity.z;
    k.kick = step->kick;
    k.h = drift ? step->h : 0.0;
    return g->kernels->kick(&k);
}

void der_general_keep_past(DerGeneral* g, const Rod* rod, double h)
{
    if (g->damping_time == 0.0) {
        return;
    }
    const CordCenterline* c = &rod->line;
    CornerInput in = der_general_input(g, &g->now, rod, 0.0);
    g->kernels->strains(&in, g->now.nodes.past_A, g->now.nodes.past_B);
    for (int s = 0; s < c->slot_count; s++) {
        g->now.nodes.past_m[s] = g->now.nodes.m[s];
        g->past_len[s] = g->now.edges.inv_len[s] > 0.0 ? 1.0 / g->now.edges.inv_len[s] : 0.0;
    }
    g->since = h;
}

// By how much frames with inertia still have to turn: an explicit step goes with the new rate all the way, the midpoint rule is halfway there with the
// mean, backward Euler is there.
static double share_after(const Rod* rod)
{
    return !rod_is_implicit(rod) ? 1.0 : rod->integrator == CORD_INTEGRATOR_MIDPOINT ? 0.25 : 0.0;
}

static double share_before(const Rod* rod)
{
    return rod->integrator == CORD_INTEGRATOR_MIDPOINT ? 0.25 : 0.0;
}

void der_general_settle(DerGeneral* g, const Rod* rod, double time)
{
    const CordCenterline* c = &rod->line;
    if (!rod_is_implicit(rod)) { // implicit steps have kept theirs, and brought the frames near to where they will be
        der_general_keep_past(g, rod, rod->last_step);
    }
    der_general_follow(g, &g->now, rod, c->x);
    if (rod->dynamic_twist) {
        double before = share_before(rod), after = share_after(rod);
        for (int s = 0; s < c->slot_count; s++) {
            g->turn[s] = rod->last_step * (before * g->spin[s] + after * g->spin_next[s]);
            g->spin[s] = g->spin_next[s];
        }
        centerline_wrap_one(c, g->turn);
        der_general_turn(g, &g->now, rod, g->turn);
    }
    der_general_hold(g, &g->now, rod, time);
    if (!rod->dynamic_twist) {
        g->turn_iterations = der_general_relax(g, &g->now, rod, viscous_now(g));
    }
}

// ---- what can be asked

void der_general_frames(const DerGeneral* g, const Rod* rod, CordVec3* m1)
{
    for (int j = 0; j < rod->line.edge_count; j++) {
        m1[j] = edge_axis(g->now.edges.m1, &rod->line, j);
    }
}

void der_general_energy(const DerGeneral* g, const Rod* rod, CordEnergy* energy)
{
    const CordCenterline* c = &rod->line;
    CornerInput in = der_general_input(g, &g->now, rod, 0.0);
    CornerEnergy sum = g->kernels->energy(&in);
    energy->bend = sum.bend;
    energy->twist = sum.twist;
    energy->stretch = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        double change = 1.0 / g->now.edges.inv_len[s] - c->rest_len[s];
        energy->stretch += 0.5 * g->EA[s] * change * change * c->inv_rest[s];
    }
}

void der_general_sections(DerGeneral* g, const Rod* rod, CordVec3* force)
{
    evaluate(g, rod, viscous_now(g));
    CornerKick k = kick_of(g, rod);
    g->kernels->sections(&k);
    for (int j = 0; j < rod->line.edge_count; j++) {
        force[j] = edge_axis(g->section, &rod->line, j);
    }
}

void der_general_gradient(DerGeneral* g, const Rod* rod, CordVec3* dE_dx)
{
    const CordCenterline* c = &rod->line;
    evaluate(g, rod, 0.0);
    CornerKick k = kick_of(g, rod);
    g->kernels->sections(&k);
    for (int j = 0; j < c->edge_count; j++) {
        CordVec3 p = edge_axis(g->section, c, j);
        dE_dx[j] = vec3_sub(dE_dx[j], p);
        dE_dx[edge_end(c, j)] = vec3_add(dE_dx[edge_end(c, j)], p);
    }
}

// Bending moments of both edges' frames, as vectors, and twist along the mean tangent.
void der_general_moments(DerGeneral* g, const Rod* rod, CordVec3* moment)
{
    const CordCenterline* c = &rod->line;
    CornerInput in = der_general_input(g, &g->now, rod, 0.0);
    g->kernels->moments(&in, g->section);
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k);
        moment[i] = vec3_add(moment[i], edge_axis(g->section, c, i));
    }
}

double der_general_spin_moment(DerGeneral* g, const Rod* rod, int edge)
{
    int s = slot_of(&rod->line, edge);
    evaluate(g, rod, viscous_now(g));
    return -(g->gradient.phi_f[s] + g->gradient.phi_e[s + 1]);
}

double der_general_twist(const DerGeneral* g, const Rod* rod)
{
    double sum = -g->seam;
    for (int k = 0; k < inner_count(&rod->line); k++) {
        sum += g->now.nodes.m[slot_of(&rod->line, inner_node(&rod->line, k))];
    }
    return sum;
}

// ---- bounds for the step

static double largest_stiffness(const DerGeneral* g, int s) // eigenvalue of B
{
    double mean = 0.5 * (g->now.edges.B11[s] + g->now.edges.B22[s]),
           half = 0.5 * (g->now.edges.B11[s] - g->now.edges.B22[s]);
    return mean + sqrt(half * half + g->now.edges.B12[s] * g->now.edges.B12[s]);
}

CornerStiffness der_general_stiffness(const DerGeneral* g, const Rod* rod, int node)
{
    const CornerNodes* n = &g->now.nodes;
    int s = slot_of(&rod->line, node);
    double EI = 0.5 * (largest_stiffness(g, s - 1) + largest_stiffness(g, s));
    double curved = sqrt(n->rest_A[0][s] * n->rest_A[0][s] + n->rest_A[1][s] * n->rest_A[1][s]);
    return (CornerStiffness){8.0 * EI * n->inv_l[s],
                             fabs(n->GJ2[s] * (n->m[s] - n->rest_m[s])) + 4.0 * EI * n->inv_l[s] * curved};
}

// A frame shares its inertia between the two corners at its ends.
double der_general_twist_omega2(const DerGeneral* g, const Rod* rod, int node)
{
    const CornerNodes* n = &g->now.nodes;
    int s = slot_of(&rod->line, node);
    CornerStiffness at = der_general_stiffness(g, rod, node);
    double bent = n->rest_A[0][s] * n->rest_A[0][s] + n->rest_A[1][s] * n->rest_A[1][s];
    return (n->GJ2[s] + at.bend * bent) * 2.0 * (1.0 / g->spin_inertia[s - 1] + 1.0 / g->spin_inertia[s]);
}

// ---- state

static void visit_slots(const CordCenterline* c, double* a, Bytes* b)
{
    bytes_doubles(b, a + c->halo, c->node_count);
    if (b->mode == BYTES_READ) {
        centerline_wrap_one(c, a);
    }
}

// Cosines and sines of the twist follow from the frames.
void der_general_state(DerGeneral* g, Rod* rod, Bytes* b)
{
    const CordCenterline* c = &rod->line;
    for (int k = 0; k < 3; k++) {
        visit_slots(c, g->now.edges.t[k], b);
        visit_slots(c, g->now.edges.m1[k], b);
    }
    visit_slots(c, g->now.edges.inv_len, b);
    visit_slots(c, g->spin, b);
    bytes_double(b, &g->since);
    if (g->damping_time > 0.0) {
        double* past[] = {g->now.nodes.past_A[0], g->now.nodes.past_A[1], g->now.nodes.past_B[0],
                          g->now.nodes.past_B[1], g->now.nodes.past_m,    g->past_len};
        for (size_t i = 0; i < sizeof past / sizeof *past; i++) {
            visit_slots(c, past[i], b);
        }
    }
    if (b->mode == BYTES_READ) {
        CornerInput in = der_general_input(g, &g->now, rod, 0.0);
        g->kernels->measure(&in);
    }
    visit_slots(c, g->now.nodes.m, b);
    if (b->mode == BYTES_READ) {
        wrap_twist(&g->now, c);
    }
}
