// Random corners of framed rods for tests of the kernels.
#ifndef CORDAGE_TEST_FRAMED_LINKS_H
#define CORDAGE_TEST_FRAMED_LINKS_H

#include "world_rods.h"

#include "model/framed/framed.h"
#include "rod/frame.h"

#include <stdlib.h>

#define SLOTS 24
#define PAD 8
#define ARRAYS 121

// Edges of every kind of corner, in arrays of its own.
typedef struct Links {
    double space[ARRAYS][SLOTS + 2 * PAD];
    int used;
    int slots;
    double* x[3];
    double* turn;
    CornerEdges edges;
    CornerNodes nodes;
    CornerInput in;
    CornerTerms terms;
    const CornerKernels* kernels;
} Links;

static inline double* array(Links* c)
{
    CHECK(c->used < ARRAYS);
    return c->space[c->used++] + PAD;
}

static inline void open_arrays(Links* c)
{
    CornerEdges* e = &c->edges;
    CornerNodes* n = &c->nodes;
    for (int k = 0; k < 3; k++) {
        c->x[k] = array(c), e->t[k] = array(c), e->m1[k] = array(c);
    }
    for (int k = 0; k < 3; k++) {
        n->K[k] = array(c);
    }
    for (int k = 0; k < 2; k++) {
        n->rest_A[k] = array(c), n->rest_B[k] = array(c), n->past_A[k] = array(c), n->past_B[k] = array(c);
        n->Q[k] = array(c);
    }
    double** singles[] = {&e->inv_len, &e->B11,    &e->B12,  &e->B22,    &n->inv_l,  &n->GJ2, &n->rest_m,
                          &n->m,       &n->past_m, &c->turn, &n->soft_e, &n->soft_f, &n->r,   &n->glued};
    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++) {
        *singles[i] = array(c);
    }
    corner_terms_open(&c->terms, array(c), SLOTS + 2 * PAD);
    c->used += CORNER_TERMS_ARRAYS - 1;
}

// Frames to where the nodes are.
static inline void follow_nodes(Links* c)
{
    const double* const x[3] = {c->x[0], c->x[1], c->x[2]};
    c->kernels->follow(&c->in, x, NULL, 0.0, NULL);
}

// Frames by c->turn, and the twist that goes with it.
static inline void turn_frames(Links* c)
{
    c->kernels->turn(&c->edges, c->turn, c->slots - 1);
    c->kernels->measure(&c->in);
}

// Edges of 0.5 to 1.5 that turn by a radian or so, frames at any angle, B with EI12, in DER's law half
// of them round, strains and twist at rest, and others of the past. Turns of whole circles are in the twist,
// too; CORDE's, which has to be below 2 pi, counts from a seam, as that of position-based rods does, which
// has to be below pi.
static inline Links* random_links(CornerLaw law, int slots, uint64_t seed, double viscous)
{
    static const double range[CORNER_LAW_COUNT] = {1.0, 4.5, 2.0};
    Links* c = calloc(1, sizeof *c);
    open_arrays(c);
    c->slots = slots;
    c->kernels = corner_kernels(law);
    const bool flat = law != CORNER_LAW_DER || (seed + (uint64_t)slots / 2) % 2 == 1;
    c->nodes.uneven = law == CORNER_LAW_DER && flat;
    CordVec3 at = {0, 0, 0}, t = {1, 0, 0};
    for (int s = 0; s < slots; s++) {
        slot_set(c->x, s, at);
        t = vec3_unit(vec3_add(t, random_vec3(&seed, 0.6)));
        at = vec3_madd(at, t, random_in(&seed, 0.5, 1.5));
        if (s == slots - 1) {
            break;
        }
        slot_set(c->edges.t, s, t);
        slot_set(c->edges.m1, s, vec3_unit(vec3_reject(random_vec3(&seed, 1.0), t)));
        c->edges.B11[s] = random_in(&seed, 0.5, 1.5), c->edges.B22[s] = random_in(&seed, 1.5, 3.0);
        c->edges.B12[s] = random_in(&seed, -0.5, 0.5);
        if (!flat) {
            c->edges.B22[s] = c->edges.B11[s], c->edges.B12[s] = 0.0;
        }
    }
    for (int s = 1; s < slots - 1; s++) {
        CordVec3 before = slot_get(c->edges.t, s - 1), after = slot_get(c->edges.t, s);
        CordVec3 u = frame_transport(slot_get(c->edges.m1, s - 1), before, after);
        double angle = frame_angle(u, slot_get(c->edges.m1, s), after);
        c->nodes.inv_l[s] = random_in(&seed, 0.4, 0.8), c->nodes.GJ2[s] = random_in(&seed, 0.5, 1.5);
        c->nodes.m[s] = angle + 2 * CORD_PI * (double)(s % 3 - 1);
        double stressed = random_in(&seed, -1, 1);
        c->nodes.rest_m[s] = c->nodes.m[s] + range[law] * stressed;
        c->nodes.past_m[s] = c->nodes.m[s] + random_in(&seed, -1, 1);
        for (int k = 0; k < 2; k++) {
            c->nodes.rest_A[k][s] = random_in(&seed, -1, 1), c->nodes.rest_B[k][s] = random_in(&seed, -1, 1);
            c->nodes.past_A[k][s] = random_in(&seed, -1, 1), c->nodes.past_B[k][s] = random_in(&seed, -1, 1);
        }
        CHECK(framed_mean_stiffness(&c->edges, &c->nodes, s) == flat);
        c->nodes.K[0][s] = c->nodes.inv_l[s] * (c->edges.B11[s - 1] + c->edges.B11[s]);
        c->nodes.K[1][s] = c->nodes.inv_l[s] * (c->edges.B12[s - 1] + c->edges.B12[s]);
        c->nodes.K[2][s] = c->nodes.inv_l[s] * (c->edges.B22[s - 1] + c->edges.B22[s]);
    }
    c->in = (CornerInput){.slot_count = slots,
                          .first = 1,
                          .last = slots - 1,
                          .edges = &c->edges,
                          .nodes = &c->nodes,
                          .viscous = viscous};
    follow_nodes(c);
    return c;
}

// ---- one corner

typedef struct Turned { // a frame turned against another
    double axis[3];     // along m1, m2 and t
    double angle;       // [rad]
} Turned;

static inline CordVec3 in_axes(CordVec3 m1, CordVec3 m2, CordVec3 t, double a, double b, double c)
{
    return vec3_madd(vec3_madd(vec3_mul(m1, a), m2, b), t, c);
}

static inline CordVec3 rotated(CordVec3 v, CordVec3 axis, double angle) // about a unit vector
{
    CordVec3 sum = vec3_madd(vec3_mul(v, cos(angle)), vec3_cross(axis, v), sin(angle));
    return vec3_madd(sum, axis, 2 * sin(0.5 * angle) * sin(0.5 * angle) * vec3_dot(axis, v));
}

// Edges of length 1, the second one's frame turned against the first one's. The twist that goes with it is
// that of the same quaternion.
static inline Links* turned_links(CornerLaw law, const Turned* by, uint64_t seed, double viscous)
{
    Links* c = random_links(law, 3, seed, viscous);
    CordVec3 t = slot_get(c->edges.t, 0), m1 = slot_get(c->edges.m1, 0), m2 = vec3_cross(t, m1);
    CordVec3 axis = in_axes(m1, m2, t, by->axis[0], by->axis[1], by->axis[2]);
    CordVec3 t1 = rotated(t, axis, by->angle), u = rotated(m1, axis, by->angle);
    slot_set(c->edges.t, 1, t1), slot_set(c->edges.m1, 1, u);
    slot_set(c->x, 1, vec3_add(slot_get(c->x, 0), t)), slot_set(c->x, 2, vec3_add(slot_get(c->x, 1), t1));
    double m = frame_angle(frame_transport(m1, t, t1), u, t1);
    c->nodes.rest_m[1] = 0.0;
    c->nodes.m[1] = cos(0.5 * m) * cos(0.5 * by->angle) < 0.0 ? m + (m < 0.0 ? 2 : -2) * CORD_PI : m;
    follow_nodes(c);
    return c;
}

static inline void strain_of(Links* c, double strain[3]) // about m1, m2 and t, of laws of the relative turn
{
    double space[4][SLOTS + 2 * PAD], *A[2] = {space[0] + PAD, space[1] + PAD},
                                      *B[2] = {space[2] + PAD, space[3] + PAD};
    c->kernels->strains(&c->in, A, B);
    strain[0] = -A[1][1], strain[1] = A[0][1], strain[2] = B[0][1];
}

static inline Turned random_turn(uint64_t* seed, double most)
{
    CordVec3 axis = vec3_unit(random_vec3(seed, 1.0));
    return (Turned){{axis.x, axis.y, axis.z}, random_in(seed, 0.1, most)};
}

#endif
