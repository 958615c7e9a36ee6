// Small scenes of rods with a compliance, and the laws that contacts are to obey.
#ifndef CORD_TEST_DELASSUS_SCENES_H
#define CORD_TEST_DELASSUS_SCENES_H

#include "constraint_scenes.h"
#include "contact/gauss_seidel.h"

#include <stdlib.h>

#define STIFF 1e-3   // what is left of a push where a rod is stiff, and of what it moves: a give of 1 to 1e6
#define ENOUGH 1e-13 // of a radius: sweeps that move less are at their end
#define MOST 20000   // sweeps, where all that counts is the end
#define ROUND_OFF 1e-13 // of sums of some ten products

// ---- rods that tell

typedef struct Given {
    Scene s;
    Delassus y;
    double* room;    // for W
    double* columns; // A^-1 J', where they are used
    DofVector move;  // of all nodes and segments
    size_t move_size;
} Given;

// All that may touch, on the way from `begin` to `to`.
static inline void measure(Given* g)
{
    Colliders* cs = &g->s.colliders;
    begin(&g->s);
    for (int n = 0; n < cs->node_count; n++) {
        g->s.since.x[n] = vec3_sub(cs->to[n], cs->begin[n]);
    }
    contact_constraints_measure(&g->s.constraints, cs, &g->s.since);
}

// Room for what moves; no rod tells yet.
static inline void find(Given* g)
{
    const Colliders* cs = &g->s.colliders;
    CHECK(delassus_find(&g->s.world->memory, &g->y, &g->s.constraints, cs));
    size_t all = 1;
    for (int i = 0; i < cs->rod_count; i++) {
        all += 16 * (size_t)g->y.rods[i].count * (size_t)g->y.rods[i].count;
    }
    free(g->room);
    g->room = calloc(all, sizeof(double));
    CHECK(g->room);
    delassus_begin(&g->y, &g->s.constraints, delassus_all(&g->y));
}

static inline Given open_given(Scene s)
{
    Given g = {.s = s};
    measure(&g);
    CHECK(dof_vector_reserve(&g.s.world->memory, &g.move, &g.s.colliders, &g.move_size));
    contact_constraints_find_active(&g.s.constraints, &g.s.colliders, INFINITY);
    find(&g);
    return g;
}

// Constraints are pushed by their columns from here on, instead of by W.
static inline void use_columns(Given* g)
{
    DelassusBatch all = delassus_all(&g->y);
    g->columns = calloc(delassus_columns(&g->y, &g->s.constraints, all) + 1, sizeof(double));
    CHECK(g->columns);
    delassus_set_columns(&g->y, &g->s.constraints, all, g->columns);
}

static inline void close_given(Given* g)
{
    free(g->room);
    free(g->columns);
    dof_vector_free(&g->s.world->memory, &g->move, &g->move_size);
    delassus_free(&g->s.world->memory, &g->y);
    close_scene(&g->s);
}

static inline double* room_of(const Given* g, int rod)
{
    double* W = g->room;
    for (int i = 0; i < rod; i++) {
        W += 16 * (size_t)g->y.rods[i].count * (size_t)g->y.rods[i].count;
    }
    return W;
}

// W is symmetric and positive definite, whatever else; by how much pushes are felt along each axis, and moves
// are seen.
static inline void tell(Given* g, int rod, uint64_t* seed, CordVec3 felt)
{
    DelassusRod* r = &g->y.rods[rod];
    const int size = 4 * r->count;
    const double scale[4] = {felt.x, felt.y, felt.z, 1.0 / RADIUS};
    double* A = calloc((size_t)(size * size) + 1, sizeof(double));
    CHECK(A);
    for (int i = 0; i < size * size; i++) {
        A[i] = random_in(seed, -1.0, 1.0) / sqrt(size);
    }
    r->W = room_of(g, rod);
    for (int i = 0; i < size; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? 0.1 : 0.0;
            for (int k = 0; k < size; k++) {
                sum += A[size * i + k] * A[size * j + k];
            }
            r->W[size * i + j] = r->W[size * j + i] = scale[i % 4] * scale[j % 4] * sum;
        }
    }
    free(A);
}

static inline void tell_all(Given* g, uint64_t* seed, CordVec3 felt)
{
    for (int i = 0; i < g->s.colliders.rod_count; i++) {
        tell(g, i, seed, felt);
    }
}

// ---- the same by contact points (friction.c), node by node

enum { MOST_UNKNOWNS = 4 * 32 };

typedef struct Unknowns { // of the nodes that are touched, in the order of the Delassus operator
    double of[MOST_UNKNOWNS];
} Unknowns;

// Where one is in g->move: a node's x, or the turn of the segment after it, of which the last node
// has none.
static inline double* find_unknown(const Given* g, int rod, int at, int k)
{
    const ColliderRod* r = &g->s.colliders.rods[rod];
    int node = g->y.node[at];
    if (k == 3) {
        return node < r->segment_count ? &g->move.spin[r->first_segment + node] : NULL;
    }
    CordVec3* x = &g->move.x[r->first_node + node];
    return k == 0 ? &x->x : k == 1 ? &x->y : &x->z;
}

// Where an unknown is in the operator's own u.
static inline int u_index(const Given* g, int i)
{
    int rod = 0;
    while (i / 4 >= g->y.rods[rod].first + g->y.rods[rod].count) {
        rod++;
    }
    return 4 * (g->y.rods[rod].first_node + g->y.node[i / 4]) + i % 4;
}

// From g->move to the order of the Delassus operator, or back.
static inline void reorder(const Given* g, Unknowns* u, bool back)
{
    CHECK(4 * g->y.node_count <= MOST_UNKNOWNS);
    for (int rod = 0; rod < g->s.colliders.rod_count; rod++) {
        const DelassusRod* r = &g->y.rods[rod];
        for (int i = 4 * r->first; i < 4 * (r->first + r->count); i++) {
            double* value = find_unknown(g, rod, i / 4, i % 4);
            if (value && back) {
                *value = u->of[i];
            } else if (!back) {
                u->of[i] = value ? *value : 0.0;
            }
        }
    }
}

// Sets or reads the operator's own u.
static inline void put_u(Given* g, const Unknowns* u)
{
    for (int i = 0; i < 4 * g->y.node_count; i++) {
        g->y.u[u_index(g, i)] = u->of[i];
    }
}

static inline Unknowns get_u(const Given* g)
{
    Unknowns u = {0};
    for (int i = 0; i < 4 * g->y.node_count; i++) {
        u.of[i] = g->y.u[u_index(g, i)];
    }
    return u;
}

static inline Unknowns scatter(const Given* g, int constraint, CordVec3 force)
{
    Unknowns f = {0};
    DofVector move = g->move;
    dof_vector_clear(&move, &g->s.colliders);
    contact_point_scatter(&g->s.colliders, touch_of(&g->s, constraint), force, &move);
    reorder(g, &f, false);
    return f;
}

static inline CordVec3 gather(const Given* g, int constraint, Unknowns u)
{
    DofVector move = g->move;
    dof_vector_clear(&move, &g->s.colliders);
    reorder(g, &u, true);
    return contact_point_gather(&g->s.colliders, touch_of(&g->s, constraint), &move);
}

static inline double inverse_mass_of(const Given* g, int rod, int i)
{
    const ColliderRod* r = &g->s.colliders.rods[rod];
    int node = g->y.node[i / 4];
    if (i % 4 == 3) {
        return node < r->segment_count ? g->s.constraints.w_spin[r->first_segment + node] : 0.0;
    }
    return g->s.constraints.w[r->first_node + node];
}

static inline Unknowns respond(const Given* g, const Unknowns* f)
{
    Unknowns u = {0};
    for (int rod = 0; rod < g->s.colliders.rod_count; rod++) {
        const DelassusRod* r = &g->y.rods[rod];
        const int size = 4 * r->count, first = 4 * r->first;
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size && r->W; j++) {
                u.of[first + i] += r->W[size * i + j] * f->of[first + j];
            }
            u.of[first + i] += r->W ? 0.0 : inverse_mass_of(g, rod, first + i) * f->of[first + i];
        }
    }
    return u;
}

static inline Unknowns moved_by(const Given* g, int constraint, CordVec3 force)
{
    Unknowns f = scatter(g, constraint, force);
    return respond(g, &f);
}

static inline double product(const Given* g, const Unknowns* a, const Unknowns* b)
{
    double sum = 0.0;
    for (int i = 0; i < 4 * g->y.node_count; i++) {
        sum += a->of[i] * b->of[i];
    }
    return sum;
}

// Until a sweep moves less than `enough` of a radius.
static inline SweepResult sweep_until(Given* g, DelassusBatch batch, double enough, int most)
{
    SweepLimits limits = {.loose = INFINITY, .far = enough, .few = 1, .most = most};
    return gauss_seidel_solve(&g->y, &g->s.constraints, batch, &limits);
}

// ---- the laws

static inline CordVec3 force_of(const Given* g, int i)
{
    const ContactConstraint* constraint = &g->s.constraints.all[i];
    return vec3_madd(constraint->friction_impulse, constraint->n, constraint->normal_impulse);
}

static inline void add_scattered(const Given* g, Unknowns* f, int constraint, CordVec3 force)
{
    Unknowns more = scatter(g, constraint, force);
    for (int k = 0; k < 4 * g->y.node_count; k++) {
        f->of[k] += more.of[k];
    }
}

// By the impulses since delassus_begin.
static inline Unknowns all_moved(const Given* g)
{
    Unknowns f = {0};
    for (int i = 0; i < g->y.order_count; i++) {
        int constraint = g->y.order[i];
        const DelassusBlock* block = &g->y.all[constraint];
        if (!block->known) {
            continue; // its impulses have not changed
        }
        CordVec3 before = vec3_mul(g->s.constraints.all[constraint].n, block->start[0]);
        before = vec3_madd(before, block->across[0], block->start[1]);
        before = vec3_madd(before, block->across[1], block->start[2]);
        add_scattered(g, &f, constraint, vec3_sub(force_of(g, constraint), before));
    }
    return respond(g, &f);
}

static inline void check_cone(const Given* g, double tolerance)
{
    for (int i = 0; i < g->y.order_count; i++) {
        const ContactConstraint* constraint = &g->s.constraints.all[g->y.order[i]];
        CHECK(constraint->normal_impulse >= 0.0);
        CHECK_NEAR(vec3_dot(constraint->friction_impulse, constraint->n), 0.0,
                   1e-14 * constraint->normal_impulse * constraint->mu);
        CHECK(vec3_length(constraint->friction_impulse) <=
              limit_of(&g->s, g->y.order[i]) * (1.0 + tolerance));
    }
}

// Of all contacts, to within `off` of a radius; what slides is on the cone to 1e-9, far more than the 1e-12
// of its iterations.
static inline void check_laws(const Given* g, double off, Tally* tally)
{
    Unknowns u = all_moved(g);
    check_cone(g, 1e-9);
    for (int k = 0; k < g->y.order_count; k++) {
        int i = g->y.order[k];
        const ContactConstraint* constraint = &g->s.constraints.all[i];
        CordVec3 way = gather(g, i, u), slip = vec3_add(constraint->slip, vec3_reject(way, constraint->n));
        double gap = (constraint->gap + vec3_dot(constraint->n, way)) / RADIUS;
        CHECK(gap >= -off);
        CHECK(constraint->normal_impulse == 0.0 || gap <= off);
        tally->pushing += constraint->normal_impulse > 0.0, tally->idle += constraint->normal_impulse == 0.0;
        double most = limit_of(&g->s, i), size = vec3_length(constraint->friction_impulse);
        if (constraint->normal_impulse == 0.0 || constraint->mu == 0.0) {
            CHECK(size == 0.0);
        } else if (constraint->slides) {
            // against where it goes, and that is all that makes most of friction's work
            CordVec3 back = vec3_mul(constraint->friction_impulse, -vec3_length(slip) / size);
            CHECK_NEAR(size, most, 1e-9 * most);
            CHECK_NEAR(vec3_length(vec3_sub(slip, back)) / RADIUS, 0.0, off);
            tally->sliding++;
        } else {
            CHECK_NEAR(vec3_length(slip) / RADIUS, 0.0, off);
            tally->sticking++;
        }
    }
}

// A rod that is bent back over itself: its last element crosses its first.
static inline Scene open_loop(uint64_t* seed)
{
    Scene s = open_rods(1, 8);
    Colliders* cs = &s.colliders;
    const double corner[8][3] = {{-0.5, 0.1, 0},  {0.5, 0.0, 0}, {1.4, 0.3, 0.1},  {1.5, 1.3, 0.3},
                                 {0.6, 1.8, 0.6}, {0, 1.4, 0.6}, {0.1, 0.5, 0.42}, {-0.1, -0.5, 0.42}};
    for (int n = 0; n < cs->node_count; n++) {
        CordVec3 x = {corner[n][0] * LEN, corner[n][1] * LEN, corner[n][2] * LEN};
        cs->begin[n] = cs->to[n] = vec3_add(x, random_vec3(seed, 0.01 * RADIUS));
    }
    random_masses(&s, seed, 5.0);
    return s;
}

#endif
