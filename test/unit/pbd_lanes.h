// Four crooked rods side by side, as the position-based kernels have them, and each of them as plain numbers.
#ifndef CORDAGE_TEST_PBD_LANES_H
#define CORDAGE_TEST_PBD_LANES_H

#include "rod/frame.h"
#include "step/position_constraint.h"
#include "world_rods.h"

#define LANES_NODES 9 // at the most

typedef struct Four {
    PbdLanes p;
    PbdSlot slots[LANES_NODES];
    PbdGhost ghosts[LANES_NODES];
    CordWide rows[4 * LANES_NODES * (PBD_RING + 1)];
} Four;

static inline CordVec3 lane3(const Wide3* a, int lane)
{
    return (CordVec3){a->x[lane], a->y[lane], a->z[lane]};
}

static inline void set_lane3(Wide3* a, int lane, CordVec3 v)
{
    a->x[lane] = v.x, a->y[lane] = v.y, a->z[lane] = v.z;
}

static inline CordVec3 random_unit(uint64_t* seed)
{
    CordVec3 v = random_vec3(seed, 1.0);
    return vec3_unit(vec3_length(v) > 0.1 ? v : (CordVec3){1, 0, 0});
}

static inline CordVec3 random_across(uint64_t* seed, CordVec3 t)
{
    CordVec3 u = vec3_cross(random_unit(seed), t);
    return vec3_length(u) > 0.1 ? vec3_unit(u) : vec3_unit(vec3_cross(t, (CordVec3){t.y, t.z, t.x}));
}

static inline void random_node(PbdSlot* s, int lane, CordVec3 x, double h, uint64_t* seed)
{
    CordVec3 v = random_vec3(seed, 1.0);
    set_lane3(&s->x, lane, x), set_lane3(&s->kept, lane, x), set_lane3(&s->start, lane, x);
    set_lane3(&s->v, lane, v), set_lane3(&s->goal, lane, vec3_madd(x, v, h));
    set_lane3(&s->push, lane, random_vec3(seed, 0.1));
    s->w[lane] = random_in(seed, 50.0, 200.0);
    s->inertia[lane] = 1.0 / (s->w[lane] * h * h);
}

// Frames that turn by a radian at the most from one edge to the next, but for the tangents.
static inline void random_edge(PbdSlot* s, int lane, CordVec3 e, CordVec3 m1, double h, uint64_t* seed)
{
    CordVec3 t = vec3_unit(e), across = vec3_unit(vec3_madd(m1, t, -vec3_dot(m1, t)));
    CordVec3 turned = quat_rotate(cord_quat_about(t, random_in(seed, -1.0, 1.0)), across);
    set_lane3(&s->t, lane, t), set_lane3(&s->kept_t, lane, t), set_lane3(&s->first_t, lane, t);
    set_lane3(&s->m1, lane, turned), set_lane3(&s->kept_m1, lane, turned),
        set_lane3(&s->first_m1, lane, turned);
    s->length[lane] = vec3_length(e), s->rest_length[lane] = s->length[lane] * random_in(seed, 0.9, 1.1);
    s->stretch[lane] = 500.0 * random_in(seed, 0.5, 1.5);
    s->spin[lane] = random_in(seed, -5.0, 5.0), s->spin_push[lane] = random_in(seed, -0.5, 0.5);
    s->spin_w[lane] = random_in(seed, 1e5, 3e5), s->spin_inertia[lane] = 1.0 / (s->spin_w[lane] * h * h);
    s->turn_goal[lane] = h * s->spin[lane];
}

static inline void random_corner(PbdSlot* s, int lane, uint64_t* seed)
{
    s->K11[lane] = 0.02 * random_in(seed, 0.5, 1.5), s->K22[lane] = 0.05 * random_in(seed, 0.5, 1.5);
    s->K12[lane] = 0.005 * random_in(seed, -1.0, 1.0), s->K33[lane] = 0.03 * random_in(seed, 0.5, 1.5);
    for (int k = 0; k < 3; k++) {
        s->rest[k][lane] = random_in(seed, -0.3, 0.3);
    }
}

static inline void random_lane(Four* f, int lane, uint64_t* seed)
{
    int n = f->p.node_count;
    CordVec3 x[LANES_NODES], m1 = {0, 0, 1};
    for (int i = 0; i < n; i++) {
        double angle = 2 * CORD_PI * i / n, radius = 0.1 * n / (2 * CORD_PI);
        x[i] =
            f->p.closed ? (CordVec3){radius * cos(angle), radius * sin(angle), 0} : (CordVec3){0.1 * i, 0, 0};
        x[i] = vec3_add(x[i], random_vec3(seed, 0.02));
    }
    for (int i = 0; i < n; i++) {
        PbdSlot* s = &f->slots[i];
        random_node(s, lane, x[i], f->p.h, seed);
        if (i < f->p.edge_count) {
            random_edge(s, lane, vec3_sub(x[(i + 1) % n], x[i]), m1, f->p.h, seed);
            m1 = lane3(&s->m1, lane);
        } else {
            s->rest_length[lane] = s->spin_inertia[lane] = 1.0;
        }
        if (f->p.closed || (i > 0 && i < n - 1)) {
            random_corner(s, lane, seed);
        }
    }
    double seam = f->p.closed ? random_in(seed, -1.0, 1.0) : 0.0;
    f->p.seam_cos[lane] = cos(seam), f->p.seam_sin[lane] = sin(seam);
    f->p.viscous[lane] = 0.3 * lane;
    f->p.mean_edge[lane] = 0.1;
}

// Rods of two nodes on, rings of three; one in four is not damped.
static inline void random_four(Four* f, int nodes, bool closed, double h, uint64_t seed)
{
    memset(f, 0, sizeof *f);
    f->p = (PbdLanes){.node_count = nodes,
                      .edge_count = closed ? nodes : nodes - 1,
                      .closed = closed,
                      .damped = true,
                      .h = h,
                      .def = cord_rod_def_default().pbd,
                      .slots = f->slots,
                      .rows = f->rows,
                      .ghosts = f->ghosts,
                      .gravity = {0.3, -0.2, -9.81}};
    f->p.def.iterations = 10;
    for (int lane = 0; lane < WIDE_LANES; lane++) {
        random_lane(f, lane, &seed);
    }
    pbd_resist(&f->p);
}

static inline void copy_four(Four* to, const Four* from)
{
    memcpy(to, from, sizeof *to);
    to->p.slots = to->slots, to->p.rows = to->rows, to->p.ghosts = to->ghosts;
}

// ---- the strain of a corner, in plain numbers

typedef struct Axes3 {
    CordVec3 d[3];
} Axes3;

static inline Axes3 axes_from(CordVec3 t, CordVec3 m1)
{
    return (Axes3){{m1, vec3_cross(t, m1), t}};
}

// The supplement's (46), times l; the sign such that turns count forward.
static inline CordVec3 darboux_of(const Axes3* a, const Axes3* b)
{
    double beta[3], trace = 1.0;
    for (int i = 0; i < 3; i++) {
        trace += vec3_dot(a->d[i], b->d[i]);
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        beta[k] = 2.0 * (vec3_dot(a->d[j], b->d[i]) - vec3_dot(a->d[i], b->d[j])) / trace;
    }
    return (CordVec3){beta[0], beta[1], beta[2]};
}

// A frame as the corner at the seam of a ring sees it: turned back about its tangent.
static inline Axes3 unglued(const Axes3* f, double seam_cos, double seam_sin)
{
    CordVec3 d1 = vec3_madd(vec3_mul(f->d[0], seam_cos), f->d[1], -seam_sin);
    return axes_from(f->d[2], d1);
}

static inline double component_of(CordVec3 a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

static inline void add_component(CordVec3* a, int k, double by)
{
    *(k == 0 ? &a->x : k == 1 ? &a->y : &a->z) += by;
}

#endif
