// Random corners of framed rods for tests of the kernels.
#ifndef CORDAGE_TEST_FRAMED_LINKS_H
#define CORDAGE_TEST_FRAMED_LINKS_H

#include "world_rods.h"

#include "model/framed/corner.h"
#include "rod/frame.h"

#include <stdlib.h>

#define SLOTS 24
#define PAD 8
#define ARRAYS 113

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
    }
    double** singles[] = {&e->inv_len, &e->B11,    &e->B12, &e->B22,    &n->inv_l,
                          &n->GJ2,     &n->rest_m, &n->m,   &n->past_m, &c->turn};
    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++) {
        *singles[i] = array(c);
    }
    corner_terms_open(&c->terms, array(c), SLOTS + 2 * PAD);
    c->used += CORNER_TERMS_ARRAYS - 1;
}

// Edges of 0.5 to 1.5 that turn by a radian or so, frames at any angle, B with EI12, strains and twist at rest, and
// others of the past. Turns of whole circles are in the twist, too; CORDE's, which has to be below 2 pi, counts from a seam.
static inline Links* random_links(CornerLaw law, int slots, uint64_t seed, double viscous)
{
    Links* c = calloc(1, sizeof *c);
    open_arrays(c);
    c->slots = slots;
    c->kernels = corner_kernels(law);
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
    }
    for (int s = 1; s < slots - 1; s++) {
        CordVec3 before = slot_get(c->edges.t, s - 1), after = slot_get(c->edges.t, s);
        CordVec3 u = frame_transport(slot_get(c->edges.m1, s - 1), before, after);
        double angle = frame_angle(u, slot_get(c->edges.m1, s), after);
        c->nodes.inv_l[s] = random_in(&seed, 0.4, 0.8), c->nodes.GJ2[s] = random_in(&seed, 0.5, 1.5);
        c->nodes.m[s] = angle + 2 * CORD_PI * (double)(s % 3 - 1);
        double stressed = random_in(&seed, -1, 1);
        c->nodes.rest_m[s] = c->nodes.m[s] + (law == CORNER_LAW_DER ? 1.0 : 4.5) * stressed;
        c->nodes.past_m[s] = c->nodes.m[s] + random_in(&seed, -1, 1);
        for (int k = 0; k < 2; k++) {
            c->nodes.rest_A[k][s] = random_in(&seed, -1, 1), c->nodes.rest_B[k][s] = random_in(&seed, -1, 1);
            c->nodes.past_A[k][s] = random_in(&seed, -1, 1), c->nodes.past_B[k][s] = random_in(&seed, -1, 1);
        }
        c->nodes.K[0][s] = c->nodes.inv_l[s] * (c->edges.B11[s - 1] + c->edges.B11[s]);
        c->nodes.K[1][s] = c->nodes.inv_l[s] * (c->edges.B12[s - 1] + c->edges.B12[s]);
        c->nodes.K[2][s] = c->nodes.inv_l[s] * (c->edges.B22[s - 1] + c->edges.B22[s]);
    }
    c->in = (CornerInput){
        .slot_count = slots, .first = 1, .last = slots - 1, .edges = &c->edges, .nodes = &c->nodes, .viscous = viscous};
    const double* const x[3] = {c->x[0], c->x[1], c->x[2]};
    c->kernels->follow(&c->in, x, NULL, 0.0, NULL);
    return c;
}

#endif
