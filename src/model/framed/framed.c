#include "model/framed/framed.h"

#include "base/assert.h"
#include "base/real.h"
#include "math/elementary.h"
#include "math/kernel.h"
#include "rod/frame.h"

#include <string.h>

#define LEAST_GJ 1e-12     // relative to EI: without any GJ the frame angles would be undetermined
#define KB_ROUND_OFF 3e-16 // relative to coordinates

extern const CornerKernels corner_der_plain, corner_corde_plain, corner_pbd_plain;
#ifndef CORD_NO_AVX2
extern const CornerKernels corner_der_avx2, corner_corde_avx2, corner_pbd_avx2;
#endif

const CornerKernels* corner_kernels(CornerLaw law)
{
    switch (law) {
    case CORNER_LAW_CORDE: return KERNEL_CHOOSE(corner_corde);
    case CORNER_LAW_PBD: return KERNEL_CHOOSE(corner_pbd);
    default: return KERNEL_CHOOSE(corner_der);
    }
}

// ---- memory

static void carve_edges(Carver* c, CornerEdges* e)
{
    for (int k = 0; k < 3; k++) {
        e->t[k] = carve(c), e->m1[k] = carve(c);
    }
    e->inv_len = carve(c);
}

static void carve_strains(Carver* c, FramedStrains* strains)
{
    for (int i = 0; i < FRAMED_STRAINS; i++) {
        strains->of[i] = carve(c);
    }
}

// The strain differences of the midpoint rule come last: framed_reserve_midpoint adds them to a block.
static void carve_all(Carver* c, Framed* g, const Rod* rod, bool midpoint)
{
    CornerNodes* n = &g->now.nodes;
    bool damped = rod->damping_time > 0.0;
    carve_edges(c, &g->now.edges);
    for (int k = 0; k < 2; k++) {
        n->rest_A[k] = carve(c), n->rest_B[k] = carve(c);
        n->past_A[k] = damped ? carve(c) : NULL, n->past_B[k] = damped ? carve(c) : NULL;
    }
    n->past_m = damped ? carve(c) : NULL;
    for (int k = 0; k < 3 && g->law != CORNER_LAW_DER; k++) {
        n->K[k] = carve(c);
    }
    if (g->law == CORNER_LAW_DER) {
        n->soft_e = carve(c), n->soft_f = carve(c), n->r = carve(c), n->glued = carve(c);
        n->Q[0] = carve(c), n->Q[1] = carve(c);
    }
    g->past_len = damped ? carve(c) : NULL;
    double** rest[] = {&g->now.edges.B11,
                       &g->now.edges.B12,
                       &g->now.edges.B22,
                       &n->inv_l,
                       &n->GJ2,
                       &n->rest_m,
                       &n->m,
                       &g->EA,
                       &g->may_turn,
                       &g->torque,
                       &g->load_torque,
                       &g->link,
                       &g->spin,
                       &g->spin_next,
                       &g->spin_inertia,
                       &g->diag,
                       &g->turn,
                       &g->scratch[0],
                       &g->scratch[1],
                       &g->scratch[2]};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        *rest[i] = carve(c);
    }
    if (damped && midpoint) {
        carve_strains(c, &g->rise), carve_strains(c, &g->bow);
    }
}

// The trial set has its own copy of the arrays that change with the state, and shares the others.
static void carve_trial(Carver* c, Framed* g)
{
    CornerNodes* n = &g->trial.nodes;
    g->trial = g->now;
    carve_edges(c, &g->trial.edges);
    n->m = carve(c);
    for (int k = 0; k < 2 && g->damping_time > 0.0; k++) {
        n->past_A[k] = carve(c), n->past_B[k] = carve(c);
    }
    n->past_m = g->damping_time > 0.0 ? carve(c) : NULL;
}

bool framed_open_trial(Memory* m, Framed* g, const Rod* rod)
{
    if (g->trial_block) {
        return true;
    }
    Carver count = {.stride = centerline_stride(&rod->line)};
    carve_trial(&count, g);
    g->trial_size = centerline_block_size(&rod->line, count.count);
    g->trial_block = memory_alloc(m, g->trial_size);
    Carver carver = {.next = g->trial_block, .stride = count.stride};
    carve_trial(&carver, g);
    return g->trial_block != NULL;
}

static void copy_slots(const CordCenterline* c, double* to, const double* from)
{
    memcpy(to, from, (size_t)c->slot_count * sizeof *to);
}

void framed_copy(const FrameSet* to, const FrameSet* from, const CordCenterline* c)
{
    for (int k = 0; k < 3; k++) {
        copy_slots(c, to->edges.t[k], from->edges.t[k]);
        copy_slots(c, to->edges.m1[k], from->edges.m1[k]);
    }
    copy_slots(c, to->edges.inv_len, from->edges.inv_len);
    copy_slots(c, to->nodes.m, from->nodes.m);
}

void framed_close_trial(Memory* m, Framed* g, const Rod* rod)
{
    if (g->keeps_trial || !g->trial_block) {
        return;
    }
    if (g->now.nodes.m != g->own_m) { // the accepted frames lie in the trial block
        FrameSet own = g->trial;
        framed_copy(&own, &g->now, &rod->line);
        g->now = own;
    }
    memory_free(m, g->trial_block, g->trial_size);
    g->trial_block = NULL;
}

Framed* framed_alloc(Memory* m, const Rod* rod, CornerLaw law)
{
    Framed* g = memory_array(m, Framed, 1);
    if (!g) {
        return NULL;
    }
    bool midpoint = rod->integrator == CORD_INTEGRATOR_MIDPOINT;
    g->law = law;
    Carver count = {.stride = centerline_stride(&rod->line)};
    carve_all(&count, g, rod, midpoint);
    g->block_size = centerline_block_size(&rod->line, count.count);
    g->block = memory_alloc(m, g->block_size);
    if (!g->block) {
        memory_free(m, g, sizeof *g);
        return NULL;
    }
    Carver carver = {.next = g->block, .stride = count.stride};
    carve_all(&carver, g, rod, midpoint);
    g->own_m = g->now.nodes.m;
    g->kernels = corner_kernels(law);
    g->damping_time = rod->damping_time;
    return g;
}

bool framed_reserve_midpoint(Memory* m, Framed* g, const Rod* rod)
{
    if (rod->damping_time == 0.0 || g->rise.of[0]) {
        return true;
    }
    CORD_ASSERT(!g->trial_block); // it shares arrays of the block
    Framed larger = *g;
    Carver count = {.stride = centerline_stride(&rod->line)};
    carve_all(&count, &larger, rod, true);
    larger.block_size = centerline_block_size(&rod->line, count.count);
    larger.block = memory_alloc(m, larger.block_size);
    if (!larger.block) {
        return false;
    }
    memcpy(larger.block, g->block, g->block_size);
    Carver carver = {.next = larger.block, .stride = count.stride};
    carve_all(&carver, &larger, rod, true);
    larger.own_m = larger.now.nodes.m;
    memory_free(m, g->block, g->block_size);
    *g = larger;
    return true;
}

void framed_destroy(Memory* m, Framed* g)
{
    if (g) {
        memory_free(m, g->trial_block, g->trial_size);
        memory_free(m, g->block, g->block_size);
        memory_free(m, g, sizeof *g);
    }
}

// ---- frames

void framed_wrap(const FrameSet* f, const CordCenterline* c)
{
    centerline_wrap(c, f->edges.m1);
    centerline_wrap(c, f->edges.t);
    centerline_wrap_one(c, f->edges.inv_len);
    centerline_wrap_one(c, f->nodes.m);
}

void framed_wrap_rest(const FrameSet* f, const CordCenterline* c)
{
    for (int k = 0; k < 2; k++) {
        centerline_wrap_one(c, f->nodes.rest_A[k]);
        centerline_wrap_one(c, f->nodes.rest_B[k]);
    }
    centerline_wrap_one(c, f->nodes.rest_m);
}

CornerInput framed_input(const FrameSet* f, const Rod* rod, double viscous)
{
    const CordCenterline* c = &rod->line; // an open rod's corners are its inner nodes
    return (CornerInput){.slot_count = c->slot_count,
                         .first = c->closed ? c->halo : 1,
                         .last = c->closed ? c->halo + c->node_count : c->node_count - 1,
                         .edges = &f->edges,
                         .nodes = &f->nodes,
                         .viscous = viscous};
}

double framed_viscous_now(const Framed* g)
{
    return g->since > 0.0 ? g->damping_time / g->since : 0.0;
}

void framed_follow(const Framed* g, FrameSet* f, const Rod* rod, double* const x[3])
{
    CornerInput in = framed_input(f, rod, 0.0);
    g->kernels->follow(&in, (const double* const[3]){x[0], x[1], x[2]}, NULL, 0.0, NULL);
    framed_wrap(f, &rod->line);
}

static void measure(const Framed* g, const FrameSet* f, const Rod* rod)
{
    framed_wrap(f, &rod->line);
    CornerInput in = framed_input(f, rod, 0.0);
    g->kernels->measure(&in);
}

void framed_turn(const Framed* g, FrameSet* f, const Rod* rod, const double* turn)
{
    g->kernels->turn(&f->edges, turn, rod->line.slot_count - 1);
    measure(g, f, rod);
}

void framed_rotate(FrameSet* f, const Rod* rod, const double* angle)
{
    const CordCenterline* c = &rod->line;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        slot_set(f->edges.m1, s, frame_rotate(slot_get(f->edges.m1, s), slot_get(f->edges.t, s), angle[s]));
    }
    for (int k = 0; k < inner_count(c); k++) {
        int s = slot_of(c, inner_node(c, k));
        f->nodes.m[s] += angle[s] - angle[s - 1];
    }
    framed_wrap(f, c);
}

void framed_wind(const Framed* g, FrameSet* f, const Rod* rod, double time, bool stepped)
{
    ClampFrame frame = f == &g->now ? CLAMP_NOW : CLAMP_TRIAL;
    if (clamps_turn_frames(rod, frame, time, !(stepped && rod->dynamic_twist), g->turn)) {
        framed_rotate(f, rod, g->turn);
    }
}

void framed_hold(const Framed* g, FrameSet* f, const Rod* rod, double time)
{
    bool any = false;
    framed_wind(g, f, rod, time, f == &g->trial && g->trial_reach > 0.0);
    if (f == &g->now) {
        loads_set_torques(rod, time, false, g->load_torque);
    }
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (clamp_holds_frame(clamp)) {
            int s = slot_of(&rod->line, clamp->edge);
            slot_set(f->edges.m1, s, clamp_frame(clamp, slot_get(f->edges.t, s), time));
            any = true;
        }
    }
    if (any) {
        measure(g, f, rod);
    }
}

// ---- stiffness

typedef struct Principal { // stiffness of a section [N m^2]
    double largest, smallest, difference;
} Principal;

static Principal principal_stiffness(const CornerEdges* edges, int s)
{
    double B11 = edges->B11[s], B12 = edges->B12[s], B22 = edges->B22[s];
    double mean = 0.5 * (B11 + B22), half = 0.5 * (B11 - B22), deviation = sqrt(half * half + B12 * B12);
    double smallest = B12 == 0.0 ? real_min(B11, B22) : (B11 * B22 - B12 * B12) / (mean + deviation);
    return (Principal){mean + deviation, smallest, 2.0 * deviation};
}

// Where two ends are glued into a ring at any angle, Q takes the strains of one frame into the other: Q_e
// after that turn, and that turn after Q_f.
bool framed_mean_stiffness(const CornerEdges* edges, const CornerNodes* n, int s)
{
    Principal e = principal_stiffness(edges, s - 1), f = principal_stiffness(edges, s);
    double quarter = 0.25 * n->inv_l[s], sine, cosine;
    double uneven_e = edges->B11[s - 1] - edges->B22[s - 1], uneven_f = edges->B11[s] - edges->B22[s];
    double coupled_e = 2.0 * edges->B12[s - 1], coupled_f = 2.0 * edges->B12[s];
    cord_sin_cos(n->glued[s], &sine, &cosine);
    n->soft_e[s] = n->inv_l[s] * e.smallest, n->soft_f[s] = n->inv_l[s] * f.smallest;
    n->r[s] = quarter * (e.difference + f.difference);
    n->Q[0][s] = quarter * (cosine * (uneven_e + uneven_f) + sine * (coupled_e - coupled_f));
    n->Q[1][s] = quarter * (cosine * (coupled_e + coupled_f) - sine * (uneven_e - uneven_f));
    return n->r[s] > 0.0;
}

static void find_bounds(Framed* g, const Rod* rod)
{
    const CornerNodes* n = &g->now.nodes;
    FramedBounds b = {.GJ2_least = INFINITY};
    for (int k = 0; k < inner_count(&rod->line); k++) {
        int node = inner_node(&rod->line, k), s = slot_of(&rod->line, node);
        double l = real_min(edge_rest_len(&rod->line, edge_before(&rod->line, node)),
                            edge_rest_len(&rod->line, node));
        Principal before = principal_stiffness(&g->now.edges, s - 1),
                  after = principal_stiffness(&g->now.edges, s);
        double GJ2 = n->GJ2[s], share = 2.0 * n->inv_l[s] / GJ2; // two corners act on a frame
        double A2 = n->rest_A[0][s] * n->rest_A[0][s] + n->rest_A[1][s] * n->rest_A[1][s];
        b.GJ2_least = real_min(b.GJ2_least, GJ2);
        b.GJ2_most = real_max(b.GJ2_most, GJ2);
        b.stiff = real_max(b.stiff, share * real_max(before.largest, after.largest));
        b.uneven = real_max(b.uneven, share * real_max(before.difference, after.difference));
        b.rest_bend = real_max(b.rest_bend, GJ2 * A2);
        b.per_length = real_max(b.per_length, 2.0 / l);
    }
    g->bounds = b;
}

// In kb coordinates are counted 1, -2 and 1 times, over l / 2.
double framed_kb_noise(const Framed* g, const Rod* rod)
{
    return KB_ROUND_OFF * rod_reach(rod) * g->bounds.per_length;
}

bool framed_is_round(const Framed* g, const Rod* rod)
{
    double noise = framed_kb_noise(g, rod);
    return g->bounds.uneven == 0.0 && g->bounds.rest_bend <= g->bounds.GJ2_most * noise * noise;
}

void framed_stop_idle_turn(const Framed* g, const CordCenterline* c, double* turn)
{
    double sum = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        if (g->may_turn[s] == 0.0) {
            return;
        }
        sum += turn[s];
    }
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        turn[s] -= sum / c->edge_count;
    }
}

// Per length [kg m]. Where a rod has none, but may touch, that of a solid cylinder.
static double spin_inertia(const Rod* rod, int edge)
{
    const CordStiffness* k = rod_stiffness_at(rod, edge);
    double r = rod_radius_at(rod, edge);
    return k->spin_inertia > 0.0 ? k->spin_inertia : 0.5 * k->mass_per_length * r * r;
}

static void fill_stiffness(Framed* g, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    for (int j = 0; j < c->edge_count; j++) {
        const CordStiffness* k = rod_stiffness_at(rod, j);
        int s = slot_of(c, j);
        g->now.edges.B11[s] = k->EI2, g->now.edges.B12[s] = k->EI12, g->now.edges.B22[s] = k->EI1;
        g->EA[s] = rod->inextensible ? 0.0 : rod_stretch_stiffness(rod, j);
        g->spin_inertia[s] = spin_inertia(rod, j) * edge_rest_len(c, j);
        g->may_turn[s] = 1.0;
        g->torque[s] = g->load_torque[s] = 0.0;
    }
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k), s = slot_of(c, i);
        const CordStiffness *before = rod_stiffness_at(rod, edge_before(c, i)),
                            *after = rod_stiffness_at(rod, i);
        double GJ = real_max(0.5 * (before->GJ + after->GJ), LEAST_GJ * real_max(after->EI1, after->EI2));
        g->now.nodes.inv_l[s] = 1.0 / rod_bend_length(rod, i);
        g->now.nodes.GJ2[s] = 2.0 * GJ * g->now.nodes.inv_l[s];
    }
}

// Bending stiffness K of both edges at a corner, in one frame. At the seam of a ring the stiffness of the
// edge after it is rotated by the seam angle.
static void fill_corners(Framed* g, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    const CornerEdges* e = &g->now.edges;
    const CornerNodes* n = &g->now.nodes;
    for (int k = 0; k < inner_count(c); k++) {
        int s = slot_of(c, inner_node(c, k)), before = slot_of(c, edge_before(c, inner_node(c, k)));
        double sine, cosine, mean = 0.5 * (e->B11[s] + e->B22[s]), half = 0.5 * (e->B11[s] - e->B22[s]);
        cord_sin_cos(2.0 * n->rest_m[s], &sine, &cosine);
        double turned = cosine * half - sine * e->B12[s], coupling = sine * half + cosine * e->B12[s];
        n->K[0][s] = n->inv_l[s] * (e->B11[before] + mean + turned);
        n->K[1][s] = n->inv_l[s] * (e->B12[before] + coupling);
        n->K[2][s] = n->inv_l[s] * (e->B22[before] + mean - turned);
    }
    for (int i = 0; i < 3; i++) {
        centerline_wrap_one(c, n->K[i]);
        if (c->closed) {
            n->K[i][0] = n->K[i][c->slot_count - 1] = 0.0;
        }
    }
}

static void fill_means(Framed* g, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    CornerNodes* n = &g->now.nodes;
    double* const all[] = {n->soft_e, n->soft_f, n->r, n->Q[0], n->Q[1]};
    n->uneven = false;
    for (int k = 0; k < inner_count(c); k++) {
        bool uneven = framed_mean_stiffness(&g->now.edges, n, slot_of(c, inner_node(c, k)));
        n->uneven = n->uneven || uneven;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        centerline_wrap_one(c, all[i]);
        if (c->closed) {
            all[i][0] = all[i][c->slot_count - 1] = 0.0;
        }
    }
    g->trial.nodes.uneven = n->uneven;
}

void framed_update_held(Framed* g, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    fill_stiffness(g, rod);
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (clamp->holds && clamp->def.fix == CORD_FIX_FRAME) {
            int s = slot_of(c, clamp->edge);
            g->may_turn[s] = clamp->def.has_torque ? 1.0 : 0.0;
            g->spin[s] *= g->may_turn[s];
            g->torque[s] = clamp->def.has_torque ? clamp->def.torque : 0.0;
        }
    }
    double* all[] = {g->now.edges.B11, g->now.edges.B12,   g->now.edges.B22, g->EA,          g->may_turn,
                     g->torque,        g->now.nodes.inv_l, g->now.nodes.GJ2, g->spin_inertia};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        centerline_wrap_one(c, all[i]);
    }
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        g->link[s] = g->may_turn[s - 1] * g->may_turn[s] * g->now.nodes.GJ2[s];
    }
    if (c->closed) { // the outermost corners lack an edge
        g->now.nodes.inv_l[0] = g->now.nodes.GJ2[0] = 0.0;
        g->now.nodes.inv_l[c->slot_count - 1] = g->now.nodes.GJ2[c->slot_count - 1] = 0.0;
    }
    if (g->law == CORNER_LAW_DER) {
        fill_means(g, rod);
    } else {
        fill_corners(g, rod);
    }
    find_bounds(g, rod);
}

// ---- the step

CornerKick framed_kick_input(const Framed* g, const Rod* rod, double viscous)
{
    const CordCenterline* c = &rod->line;
    CornerKick k = {.in = framed_input(&g->now, rod, viscous),
                    .EA = g->EA,
                    .rest_len = c->rest_len,
                    .inv_rest = c->inv_rest,
                    .past_len = g->past_len,
                    .w = c->w};
    for (int i = 0; i < 3; i++) {
        k.x[i] = c->x[i], k.v[i] = c->v[i];
        k.x_next[i] = c->x_next[i], k.v_next[i] = c->v_next[i];
        k.section[i] = g->scratch[i];
    }
    return k;
}

static void kick_frames(const Framed* g, const Rod* rod, double time, double kick)
{
    loads_set_torques(rod, time, false, g->load_torque);
    framed_turn_system(g, &g->now, rod, framed_viscous_now(g));
    for (int s = 0; s + 1 < rod->line.slot_count; s++) {
        double moment = g->torque[s] + g->turn[s] + g->load_torque[s];
        g->spin_next[s] = g->may_turn[s] * (g->spin[s] + kick * moment / g->spin_inertia[s]);
    }
}

void framed_advance_spin(const Framed* g, const Rod* rod, double time, double lag)
{
    if (rod->dynamic_twist) {
        kick_frames(g, rod, time, lag);
        memcpy(g->spin, g->spin_next, sizeof *g->spin * (size_t)rod->line.slot_count);
    }
}

static CordVec3 edge_velocity(const CordCenterline* c, double* const v[3], int edge)
{
    return vec3_sub(slot_get(v, slot_of(c, edge_end(c, edge))), slot_get(v, slot_of(c, edge)));
}

static CordVec3 edge_spin_impulse(const Framed* g, const Rod* rod, double kick, int edge, CordVec3 rate)
{
    int s = slot_of(&rod->line, edge);
    double momentum = 0.5 * g->spin_inertia[s] * (g->spin[s] + g->spin_next[s]);
    return vec3_mul(framed_spin_force(momentum, edge_vector(&rod->line, edge), rate), kick);
}

// Impulses of the spin forces at a node velocity, by edge; times the inverse mass they are added to v_next
// and are left in x_next, which the drift overwrites.
static void add_spin_impulses(const Framed* g, const Rod* rod, double kick, double* const v[3])
{
    const CordCenterline* c = &rod->line;
    for (int j = 0; j < c->edge_count; j++) {
        CordVec3 rate = edge_velocity(c, v, j);
        slot_set(g->scratch, slot_of(c, j), edge_spin_impulse(g, rod, kick, j, rate));
    }
    for (int i = 0; i < c->node_count; i++) {
        int s = slot_of(c, i);
        bool before = c->closed || i > 0, after = c->closed || i < c->node_count - 1;
        CordVec3 sum = before ? slot_get(g->scratch, slot_of(c, edge_before(c, i))) : (CordVec3){0, 0, 0};
        sum = vec3_mul(after ? vec3_sub(sum, slot_get(g->scratch, s)) : sum, c->w[s]);
        slot_set(c->x_next, s, sum);
        slot_set(c->v_next, s, vec3_add(slot_get(c->v_next, s), sum));
    }
    centerline_wrap(c, c->v_next);
    centerline_wrap(c, c->x_next);
}

#define SPIN_SERIES 3 // terms; each is smaller by half the angle that the spin turns an edge by in a step

// The spin forces act at the mean of the velocities of the start and of the end that all other forces leave,
// where they do no work: with G the linear map of velocities to their change by these forces,
// v_next = v_free + G (v + v_next) / 2, by a Neumann series.
void framed_kick_spin(const Framed* g, const Rod* rod, double kick)
{
    const CordCenterline* c = &rod->line;
    double* const* change = c->x_next;
    for (int k = 0; k < 3; k++) {
        for (int s = 0; s < c->slot_count; s++) {
            change[k][s] = c->v[k][s] + c->v_next[k][s];
        }
    }
    for (int n = 0; n < SPIN_SERIES; n++) {
        add_spin_impulses(g, rod, 0.5 * kick, change);
    }
}

CordVec3 framed_spin_impulse(const Framed* g, const Rod* rod, double kick, int node)
{
    const CordCenterline* c = &rod->line;
    CordVec3 sum = {0, 0, 0};
    const int edges[2] = {node > 0 || c->closed ? edge_before(c, node) : -1,
                          node < c->node_count - 1 || c->closed ? node : -1};
    for (int k = 0; k < 2; k++) {
        if (edges[k] >= 0) {
            CordVec3 rate = vec3_add(edge_velocity(c, c->v, edges[k]), edge_velocity(c, c->v_next, edges[k]));
            CordVec3 impulse = edge_spin_impulse(g, rod, 0.5 * kick, edges[k], rate);
            sum = k == 0 ? vec3_add(sum, impulse) : vec3_sub(sum, impulse);
        }
    }
    return sum;
}

double framed_kick(Framed* g, const Rod* rod, const StepInfo* step, bool drift)
{
    if (rod->dynamic_twist) {
        kick_frames(g, rod, step->time, step->kick);
    }
    CornerKick k = framed_kick_input(g, rod, framed_viscous_now(g));
    k.gravity[0] = step->gravity.x, k.gravity[1] = step->gravity.y, k.gravity[2] = step->gravity.z;
    k.kick = step->kick;
    k.h = drift ? step->h : 0.0;
    return g->kernels->kick(&k);
}

// ---- bounds for the step

// first and second derivative of the energy with respect to the twist of an unbent corner [N m]
typedef struct TwistAt {
    double moment, stiffness;
} TwistAt;

static TwistAt twist_at(const Framed* g, int s)
{
    const CornerNodes* n = &g->now.nodes;
    if (g->law == CORNER_LAW_DER) {
        return (TwistAt){n->GJ2[s] * (n->m[s] - n->rest_m[s]), n->GJ2[s]};
    }
    double sine, cosine;
    cord_sin_cos(0.5 * (n->m[s] - n->rest_m[s]), &sine, &cosine);
    bool quarter = g->law == CORNER_LAW_CORDE; // alpha_3 is 4 tan(m/4), beta_3 2 tan(m/2)
    double t = sine / (quarter ? 1.0 + cosine : cosine), slope = 1.0 + t * t;
    double moment = n->GJ2[s] * ((quarter ? 4.0 : 2.0) * t - n->rest_B[0][s]);
    return (TwistAt){moment * slope, slope * (n->GJ2[s] * slope + (quarter ? 0.5 : 1.0) * moment * t)};
}

// Sum of the sizes of the moments in the frames of both edges [N m].
static double bending_moment(const Framed* g, CordVec3 kb, int s)
{
    const CornerEdges* edges = &g->now.edges;
    const CornerNodes* n = &g->now.nodes;
    double strain[2][2], sum = 0.0;
    for (int j = 0; j < 2; j++) {
        CordVec3 t = slot_get(edges->t, s - 1 + j), m1 = slot_get(edges->m1, s - 1 + j);
        double* const* rest = j == 0 ? n->rest_A : n->rest_B;
        strain[j][0] = vec3_dot(kb, vec3_cross(t, m1)) - rest[0][s];
        strain[j][1] = -vec3_dot(kb, m1) - rest[1][s];
    }
    for (int j = 0; j < 2; j++) {
        int e = s - 1 + j;
        double a = strain[j][0], b = strain[j][1], l = n->inv_l[s];
        double p = l * (edges->B11[e] * a + edges->B12[e] * b),
               q = l * (edges->B12[e] * a + edges->B22[e] * b);
        if (n->uneven) {
            const double k = (j == 0 ? n->soft_e : n->soft_f)[s] + n->r[s], *other = strain[1 - j];
            p = k * a + (n->Q[0][s] * other[0] + n->Q[1][s] * other[1]);
            q = k * b + (n->Q[1][s] * other[0] - n->Q[0][s] * other[1]);
        }
        sum += sqrt(p * p + q * q);
    }
    return sum;
}

CornerStiffness framed_stiffness(const Framed* g, const Rod* rod, int node)
{
    const CornerNodes* n = &g->now.nodes;
    int s = slot_of(&rod->line, node);
    Principal before = principal_stiffness(&g->now.edges, s - 1),
              after = principal_stiffness(&g->now.edges, s);
    double largest = (before.largest + after.largest) * n->inv_l[s];
    double curved = sqrt(n->rest_A[0][s] * n->rest_A[0][s] + n->rest_A[1][s] * n->rest_A[1][s]);
    CordVec3 ta = slot_get(g->now.edges.t, s - 1), tb = slot_get(g->now.edges.t, s);
    CordVec3 kb = vec3_mul(vec3_cross(ta, tb), 2.0 / (1.0 + vec3_dot(ta, tb)));
    return (CornerStiffness){.bend = 4.0 * largest,
                             .bending_moment = bending_moment(g, kb, s),
                             .moment = fabs(twist_at(g, s).moment),
                             .twist = n->GJ2[s],
                             .rest_moment = largest * curved,
                             .uneven = 2.0 * (before.difference + after.difference) * n->inv_l[s]};
}

// Bound by elements (Irons and Treharne): a frame gives half of its inertia to each of its two corners.
double framed_twist_omega2(const Framed* g, const Rod* rod, int node)
{
    const CornerNodes* n = &g->now.nodes;
    int s = slot_of(&rod->line, node);
    CornerStiffness at = framed_stiffness(g, rod, node);
    double bent = n->rest_A[0][s] * n->rest_A[0][s] + n->rest_A[1][s] * n->rest_A[1][s];
    double stiffness = twist_at(g, s).stiffness + at.bend * bent;
    return stiffness * 2.0 * (1.0 / g->spin_inertia[s - 1] + 1.0 / g->spin_inertia[s]);
}

// ---- state

static void visit_slots(const CordCenterline* c, double* a, Bytes* b)
{
    bytes_doubles(b, a + c->halo, c->node_count);
    if (b->mode == BYTES_READ) {
        centerline_wrap_one(c, a);
    }
}

void framed_state(Framed* g, Rod* rod, Bytes* b)
{
    const CordCenterline* c = &rod->line;
    for (int k = 0; k < 3; k++) {
        visit_slots(c, g->now.edges.t[k], b);
        visit_slots(c, g->now.edges.m1[k], b);
    }
    visit_slots(c, g->now.edges.inv_len, b);
    visit_slots(c, g->now.nodes.m, b);
    visit_slots(c, g->spin, b);
    bytes_double(b, &g->since);
    const FramedStrains all[] = {framed_past(&g->now, g->past_len), g->rise, g->bow};
    for (int i = 0; i < 3 * FRAMED_STRAINS; i++) {
        double* a = all[i / FRAMED_STRAINS].of[i % FRAMED_STRAINS];
        if (a) {
            visit_slots(c, a, b);
        }
    }
}
