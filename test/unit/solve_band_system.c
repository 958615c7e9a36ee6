// The banded system of one rod against the same one written out: solving, counting, holding; and against the
// forces it is the derivative of.
#include "solve/newton.h"
#include "world_rods.h"

#include "math/dense.h"
#include "math/eigen_jacobi.h"
#include "model/der/uniform.h"
#include "model/framed/framed.h"
#include "rod/frame.h"

#include <stdlib.h>

extern const BandKernels band_kernels_plain;
#if defined(__x86_64__) && !defined(CORD_NO_AVX2)
extern const BandKernels band_kernels_avx2;
#define OTHER_KERNELS (&band_kernels_avx2)
#else
#define OTHER_KERNELS (&band_kernels_plain)
#endif

#define NODES 8
#define VISCOUS 1.0 // retardation time over the step
#define MOST (5 * NODES + 1 + BAND_PORT_MOST)

typedef struct Case {
    bool closed, inextensible, tensions, midpoint, augmented, spins;
} Case;

static const Case cases[] = {{0, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0}, {0, 0, 1, 0, 1, 0}, {0, 1, 1, 0, 0, 0},
                             {0, 1, 1, 0, 1, 0}, {0, 0, 0, 1, 0, 0}, {0, 1, 1, 1, 0, 0}, {1, 0, 0, 0, 0, 0},
                             {1, 0, 1, 0, 0, 0}, {1, 0, 1, 0, 1, 0}, {1, 1, 1, 0, 0, 0}, {1, 1, 1, 0, 1, 0},
                             {1, 0, 0, 1, 0, 0}, {1, 1, 1, 1, 0, 0}};
#define CASES ((int)(sizeof cases / sizeof cases[0]))

typedef struct Dense {
    int n;
    double a[2 * MOST][2 * MOST], r[2 * MOST];
} Dense;

// A system with its rod and memory.
typedef struct Bench {
    CordWorld* world;
    Rod* rod;
    Arena arena;
    NewtonSystem sys;
    NewtonRod* r;
    BandSystem* strand;
    Dense* dense; // what was assembled, written out; NULL: nothing yet
} Bench;

// A flat crooked rod, moving, damped, under its weight; y is where it goes in a step of 10 ms or so, tensions
// fit y.
static void open_bench(Bench* b, Case a, uint64_t seed)
{
    b->world = new_world((CordVec3){0.3, -0.2, -9.81});
    CordRodDef def = a.closed ? ring_def(NODES) : line_def(NODES);
    def.stiffness.EI2 = 4 * RODS_EI, def.stiffness.EI12 = RODS_EI;
    def.integrator = a.midpoint ? CORD_INTEGRATOR_MIDPOINT : CORD_INTEGRATOR_BACKWARD_EULER;
    def.inextensible = a.inextensible, def.damping_time = 0.01;
    def.rest_twist = 1.0, def.twist = 0.5;
    def.dynamic_twist = a.spins, def.stiffness.spin_inertia = 1e-3;
    CordRodId id = add_rod(b->world, &def);
    shake(b->world, id, &seed, 0.02);
    CHECK_OK(world_prepare(b->world));
    b->rod = world_rod(b->world, id);
    b->arena = (Arena){0};
    CHECK(arena_reserve(&b->world->memory, &b->arena,
                        newton_scratch(&(Island){.rods = &b->rod, .rod_count = 1})));
}

static void fill_bench(Bench* b, Case a, uint64_t seed)
{
    NewtonSystem* sys = &b->sys;
    const CordCenterline* c = &b->rod->line;
    newton_open(sys, &(Island){.rods = &b->rod, .rod_count = 1}, a.tensions, &b->arena);
    NewtonRod* r = b->r = sys->rods;
    b->strand = r->spans;
    sys->midpoint = a.midpoint;
    sys->reach = 0.01, sys->mass = 1e4;
    sys->augment = a.augmented ? 1.0 : 0.0;
    sys->gravity = (CordVec3){0, 0, -9.81};
    framed_trial_begin(b->rod, 0.01);
    for (int s = 0; s < c->slot_count; s++) {
        slot_set(r->start, s, slot_get(c->x, s));
        slot_set(r->y, s, vec3_add(slot_get(c->x, s), random_vec3(&seed, 0.01)));
        r->n[s] = random_in(&seed, -0.1, 0.1);
    }
    centerline_wrap(c, r->start);
    centerline_wrap(c, r->y);
    centerline_wrap_one(c, r->n);
    framed_trial_follow(b->rod, r->y, 0.0);
}

static Bench bench_of(Case a, uint64_t seed)
{
    Bench b = {0};
    open_bench(&b, a, seed);
    fill_bench(&b, a, seed + 77);
    return b;
}

static void close_bench(Bench* b)
{
    arena_free(&b->world->memory, &b->arena);
    cord_world_destroy(b->world);
    free(b->dense);
}

// ---- the same matrix, dense

// A ring's two ports are one: the left one's unknowns stand for the right one's.
static int plain(const BandSystem* s, int i)
{
    return i >= 0 ? i : band_port(s) + (-1 - i);
}

static Dense* dense_of(const BandSystem* s)
{
    Dense* d = calloc(1, sizeof *d);
    const BandLdu* b = &s->band;
    d->n = b->n;
    CHECK(d->n <= MOST);
    for (int i = 0; i < b->n; i++) {
        for (int j = 0; j < b->n; j++) {
            d->a[i][j] += band_ldu_has(b, i, j) ? *band_ldu_at(b, i, j) : 0.0;
        }
        for (int k = 0; k < b->border; k++) {
            int at = plain(s, -1 - k);
            d->a[i][at] += b->col[i * b->border_stride + k];
            d->a[at][i] += b->row[i * b->border_stride + k];
        }
        d->r[i] += s->r[i];
    }
    for (int k = 0; k < b->border; k++) {
        int at = plain(s, -1 - k);
        d->r[at] += s->r_left[k];
        for (int l = 0; l < b->border; l++) {
            d->a[at][plain(s, -1 - l)] += b->corner[k * b->border_stride + l];
        }
    }
    return d;
}

static void assemble_bench(Bench* b)
{
    newton_assemble(&b->sys);
    b->dense = dense_of(b->strand);
}

static Bench assembled_bench(Case a, uint64_t seed)
{
    Bench b = bench_of(a, seed);
    assemble_bench(&b);
    return b;
}

static double* packed(const Dense* d) // to be freed
{
    double* a = malloc(sizeof(double) * (size_t)(d->n * d->n));
    for (int i = 0; i < d->n * d->n; i++) {
        a[i] = d->a[i / d->n][i % d->n];
    }
    return a;
}

static void solve_dense(Dense* d) // r becomes the solution
{
    double* a = packed(d);
    CHECK(dense_solve(d->n, a, d->r));
    free(a);
}

static double largest(const double* a, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i]));
    }
    return most;
}

// The strand's solution is the dense one, but for unknown `skip`. Pivots go down to 1e-4 of the diagonal, so
// that 1e-16 may become 1e-10.
static void check_solution(Bench* b, bool symmetric, int skip)
{
    BandSystem* s = b->strand;
    Dense* d = b->dense;
    CHECK(band_factor(s, symmetric).least > 0.0);
    band_forward(s);
    CHECK(!s->ring || band_solve_ring(s));
    band_backward(s);
    solve_dense(d);
    for (int i = 0; i < s->band.n; i++) {
        if (i != skip) {
            CHECK_NEAR(s->r[i], d->r[i], 1e-9 * largest(d->r, s->band.n));
        }
    }
    for (int k = 0; k < s->band.border; k++) {
        CHECK_NEAR(s->r_left[k], d->r[plain(s, -1 - k)], 1e-9 * largest(d->r, s->band.n));
    }
}

TEST(the_solution_is_that_of_the_dense_matrix)
{
    for (int i = 0; i < CASES; i++) {
        for (uint64_t seed = 1; seed <= 10; seed++) {
            Bench b = assembled_bench(cases[i], seed);
            check_solution(&b, !cases[i].midpoint, -1);
            close_bench(&b);
        }
    }
}

// ---- how many eigenvalues are negative

static int count_negative(const Dense* d)
{
    double *a = packed(d), values[MOST];
    int count = 0;
    eigen_jacobi(d->n, a, values, NULL);
    for (int i = 0; i < d->n; i++) {
        count += values[i] < 0.0;
    }
    free(a);
    return count;
}

// With less and less mass the bent rod becomes unstable in more and more ways; tensions add one each.
TEST(pivots_count_negative_eigenvalues)
{
    int seen = 0;
    for (int i = 0; i < CASES; i++) {
        for (double mass = 1e4; !cases[i].midpoint && mass > 1e-3; mass *= 0.1) {
            Bench b = bench_of(cases[i], 3);
            b.sys.mass = mass;
            for (int s = 0; s < b.rod->line.slot_count; s++) {
                b.r->n[s] -= 5.0; // a push that buckles it
            }
            assemble_bench(&b);
            int negative = count_negative(b.dense), edges = b.rod->line.edge_count;
            seen += negative - (cases[i].tensions ? edges : 0);
            CHECK_INT(band_factor(b.strand, true).negative, negative);
            close_bench(&b);
        }
    }
    CHECK(seen > 20);
}

// ---- what is held

static void add_constraint(Dense* d, const double* row, int n, double value)
{
    int k = d->n++;
    for (int i = 0; i < n; i++) {
        d->a[i][k] = d->a[k][i] = row[i];
    }
    d->r[k] = value;
}

static void constrain(Bench* b, int k, CordVec3 row, double value)
{
    const BandSystem* s = b->strand;
    double all[MOST] = {0};
    int x = plain(s, band_x(s, k));
    all[x] = row.x, all[x + 1] = row.y, all[x + 2] = row.z;
    add_constraint(b->dense, all, s->band.n, value);
}

// Held unknowns have the value they are held at, and the others feel it: Lagrange's multipliers say the same.
TEST(what_is_held_is_held)
{
    for (int i = 0; i < CASES; i++) {
        if (cases[i].midpoint) {
            continue;
        }
        Bench b = assembled_bench(cases[i], cases[i].closed ? 5 : 4);
        BandSystem* s = b.strand;
        const int open[] = {band_x(s, 2) + 1, band_angle(s, 4), band_x(s, 7)},
                  ring[] = {band_x(s, 0), band_angle(s, s->blocks), band_x(s, s->blocks), band_x(s, 3)};
        const double values[] = {-0.001, 0.0, 0.001};
        for (int k = 0; k < (cases[i].closed ? 4 : 3); k++) { // of a ring ports, too, which stay
            double row[MOST] = {0}, value = cases[i].closed ? 0.0 : values[k];
            int at = cases[i].closed ? ring[k] : open[k];
            row[plain(s, at)] = 1.0;
            add_constraint(b.dense, row, s->band.n, value);
            band_hold(s, at, value);
        }
        check_solution(&b, true, -1);
        for (int k = 0; k < 3 && !cases[i].closed; k++) {
            CHECK(s->r[open[k]] == values[k]);
        }
        close_bench(&b);
    }
}

TEST(what_slides_moves_along_its_axis)
{
    CordVec3 axis = vec3_unit((CordVec3){1, 2, -0.5}), u = vec3_any_normal(axis), v = vec3_cross(axis, u);
    CordVec3 value = {0.002, -0.001, 0.003};
    for (int i = 0; i < CASES; i++) {
        for (int k = 0; k < NODES; k += 3) {
            if (cases[i].midpoint || cases[i].closed) {
                continue;
            }
            Bench b = assembled_bench(cases[i], 6);
            constrain(&b, k, u, vec3_dot(u, value));
            constrain(&b, k, v, vec3_dot(v, value));
            band_slide(b.strand, k, axis, value);
            check_solution(&b, true, -1);
            close_bench(&b);
        }
    }
}

TEST(an_edge_that_slides_does_so_as_one)
{
    CordVec3 axis = vec3_unit((CordVec3){1, 2, -0.5}), u = vec3_any_normal(axis), v = vec3_cross(axis, u);
    for (int i = 0; i < CASES; i++) {
        for (int k = 0; k < NODES - 1; k += 2) {
            if (cases[i].midpoint || cases[i].closed || !cases[i].tensions) {
                continue;
            }
            Bench b = assembled_bench(cases[i], 7);
            BandSystem* s = b.strand;
            double together[MOST] = {0}, none[MOST] = {0};
            int x = band_x(s, k), y = band_x(s, k + 1), n = band_tension(s, k);
            const double a[3] = {axis.x, axis.y, axis.z};
            for (int j = 0; j < 3; j++) {
                together[x + j] = -a[j], together[y + j] = a[j];
            }
            none[n] = 1.0;
            add_constraint(b.dense, together, s->band.n, 0.3);
            add_constraint(b.dense, none, s->band.n, 0.0);
            for (int end = k; end <= k + 1; end++) {
                constrain(&b, end, u, 0.0);
                constrain(&b, end, v, 0.0);
                band_slide(s, end, axis, (CordVec3){0, 0, 0});
            }
            band_slide_together(s, k, axis, 0.3);
            check_solution(&b, true, n);
            close_bench(&b);
        }
    }
}

// ---- the matrix is the derivative of the forces

typedef struct Kept {
    double y[3][NODES + 8], n[NODES + 8], turned[NODES + 8];
} Kept;

static Kept keep(const NewtonRod* r)
{
    Kept k;
    size_t size = (size_t)r->rod->line.slot_count * sizeof(double);
    for (int i = 0; i < 3; i++) {
        memcpy(k.y[i], r->y[i], size);
    }
    memcpy(k.n, r->n, size);
    memcpy(k.turned, r->turned, size);
    return k;
}

static void go_back(NewtonRod* r, const Kept* k)
{
    size_t size = (size_t)r->rod->line.slot_count * sizeof(double);
    for (int i = 0; i < 3; i++) {
        memcpy(r->y[i], k->y[i], size);
    }
    memcpy(r->n, k->n, size);
    memcpy(r->turned, k->turned, size);
    framed_trial_begin(r->rod, 0.01);
    framed_trial_follow(r->rod, r->y, 0.0);
    Framed* g = framed_of(r->rod);
    CHECK(framed_relax(g, &g->trial, r->rod, VISCOUS) > 0);
}

// The right-hand side with unknown i moved.
static void right_at(Bench* b, const Kept* kept, int unknown, double by, double* right)
{
    BandSystem* s = b->strand;
    go_back(b->r, kept);
    band_clear_right(s);
    s->r[unknown] = by;
    for (int k = 0; k < s->band.border; k++) {
        s->r_left[k] = plain(s, -1 - k) == unknown ? by : 0.0;
    }
    move_clear(&b->rod->line, &b->r->move);
    band_get_solution(s, &b->r->move);
    move_wrap(&b->rod->line, &b->r->move);
    newton_move(&b->sys, 1.0);
    newton_assemble(&b->sys);
    Dense* d = dense_of(s);
    memcpy(right, d->r, sizeof(double) * (size_t)d->n);
    free(d);
}

// Tensions are first made those that y asks for, so that no length is off: there the equations have no terms
// but these.
static void fit_tensions(Bench* b, Case a)
{
    NewtonRod* r = b->r;
    CordCenterline* c = &b->rod->line;
    if (a.inextensible) { // lengths cannot be: rest lengths are made what they are, instead
        for (int j = 0; j < c->edge_count; j++) {
            int s = slot_of(c, j);
            CordVec3 e = vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s));
            CordVec3 end = a.midpoint ? vec3_sub(vec3_mul(e, 2.0), edge_vector(c, j)) : e;
            c->rest_len[s] = vec3_length(end);
        }
        centerline_wrap_one(c, c->rest_len);
        return;
    }
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        CordVec3 e = vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s)), before = edge_vector(c, j);
        CordVec3 after = a.midpoint ? vec3_sub(vec3_mul(e, 2.0), before) : e;
        double l0 = vec3_length(before), l1 = vec3_length(after), mean = a.midpoint ? 0.5 * (l0 + l1) : l1;
        double grown = a.midpoint ? 0.5 * (l1 - l0) : l1 - l0;
        r->n[s] = RODS_EA * (mean - c->rest_len[s] + VISCOUS * grown) / c->rest_len[s];
    }
    centerline_wrap_one(c, r->n);
}

// Frames are in equilibrium: elsewhere forces that are taken with frames carried along have a curl, the
// moment on the frame by its holonomy, which the symmetric matrix has not. Steps of 1e-5 in edges of 0.1:
// central differences leave 1e-8 of a third derivative; rows are compared by their largest entry.
TEST(the_matrix_is_the_derivative_of_the_forces)
{
    const double step = 1e-5;
    for (int i = 0; i < CASES; i++) {
        Bench b = bench_of(cases[i], 8);
        fit_tensions(&b, cases[i]);
        Kept kept = keep(b.r);
        go_back(b.r, &kept);
        assemble_bench(&b);
        const Dense* d = b.dense;
        double up[MOST], down[MOST];
        for (int j = 0; j < d->n; j++) {
            right_at(&b, &kept, j, step, up);
            right_at(&b, &kept, j, -step, down);
            bool real = largest(up, d->n) != largest(down, d->n) ||
                        memcmp(up, down, sizeof(double) * (size_t)d->n) != 0;
            for (int k = 0; real && k < d->n; k++) { // unknowns that a block has no use for do nothing
                double size = largest(d->a[k], d->n);
                CHECK_NEAR((down[k] - up[k]) / (2 * step) / size, d->a[k][j] / size, 1e-6);
            }
        }
        close_bench(&b);
    }
}

// ---- assembling four at a time

static Bench assembled(Case a, uint64_t seed, bool drag, bool right_only)
{
    Bench b = {0};
    open_bench(&b, a, seed);
    if (drag) {
        add_drag(b.world, (CordRodId){0, 0}, 0.0); // none, but edges are then added one by one
    }
    fill_bench(&b, a, seed + 77);
    newton_assemble(&b.sys);
    b.sys.right_only = right_only;
    assemble_bench(&b);
    return b;
}

// Sums in another order: round-off.
TEST(edges_four_at_a_time_are_those_one_by_one)
{
    for (int i = 0; i < CASES; i++) {
        Bench a = assembled(cases[i], 9, false, false), b = assembled(cases[i], 9, true, false);
        const Dense *fast = a.dense, *slow = b.dense;
        for (int j = 0; j < fast->n; j++) {
            double size = largest(slow->a[j], slow->n);
            for (int k = 0; k < fast->n; k++) {
                CHECK_NEAR(fast->a[j][k], slow->a[j][k], 1e-13 * size);
            }
            CHECK_NEAR(fast->r[j], slow->r[j], 1e-13 * largest(slow->r, slow->n));
        }
        close_bench(&a), close_bench(&b);
    }
}

// What is not held: a right-hand side by itself is that beside the matrix.
TEST(the_right_hand_side_alone_is_that_beside_the_matrix)
{
    for (int i = 0; i < CASES; i++) {
        Bench a = assembled(cases[i], 10, false, false), b = assembled(cases[i], 10, false, true);
        const Dense *whole = a.dense, *alone = b.dense;
        for (int j = 0; j < whole->n && !cases[i].augmented; j++) {
            // with augment it takes the matrix's own stiffness
            CHECK_NEAR(alone->r[j], whole->r[j], 1e-13 * largest(whole->r, whole->n));
        }
        close_bench(&a), close_bench(&b);
    }
}

static BandLdu band_for(const BandLdu* like, double** space)
{
    BandLdu b;
    BandLduWidth width = {like->half, like->groups};
    size_t size = band_ldu_space(like->n, width, like->border);
    *space = aligned_alloc(64, (size * sizeof(double) + 63) / 64 * 64);
    band_ldu_init(&b, like->n, width, like->border, *space);
    band_ldu_clear(&b);
    return b;
}

TEST(both_kernels_give_the_same_bits)
{
    for (int i = 0; i < CASES; i++) {
        for (int count = 1; count <= NODES - 2; count++) {
            double right[2][MOST] = {{0}}, *space[2];
            BandLdu band[2];
            Bench b = bench_of(cases[i], 11);
            const CordCenterline* c = &b.rod->line;
            int block = b.strand->block, slot = slot_of(c, 1);
            newton_assemble(&b.sys);
            for (int which = 0; which < 2; which++) {
                const BandKernels* kernels = which ? OTHER_KERNELS : &band_kernels_plain;
                band[which] = band_for(&b.strand->band, &space[which]);
                kernels->add_corners(&(BandCorners){&band[which], right[which], &b.r->terms, block, 0, slot,
                                                    count < 6 ? count : 5, true});
                BandEdges e = {.band = &band[which],
                               .right = right[which],
                               .block = block,
                               .first = block,
                               .slot = slot,
                               .count = count < 6 ? count : 5,
                               .n = b.r->n,
                               .rest_len = c->rest_len,
                               .soft = b.r->soft,
                               .weight = b.r->weight,
                               .mass = 1e4,
                               .gravity = {0.3, 0.2, -9.81},
                               .viscous = VISCOUS,
                               .midpoint = cases[i].midpoint,
                               .matrix = true,
                               .slack = b.r->slack};
                for (int k = 0; k < 3; k++) {
                    e.y[k] = b.r->y[k], e.x[k] = c->x[k], e.start[k] = b.r->start[k];
                }
                kernels->add_edges(&e);
            }
            BandLduWidth width = {band[0].half, band[0].groups};
            size_t size = band_ldu_space(band[0].n, width, band[0].border) * sizeof(double);
            CHECK(memcmp(right[0], right[1], sizeof right[0]) == 0);
            CHECK(memcmp(space[0], space[1], size) == 0 && largest(right[0], band[0].n) > 0.0);
            free(space[0]);
            free(space[1]);
            close_bench(&b);
        }
    }
}

// Frames that follow their edges around a loop come back turned. That counts as a turn, so that what they
// have turned by is a matter of where they are.
TEST(turns_of_frames_with_inertia_do_not_depend_on_the_way)
{
    for (int closed = 0; closed < 2; closed++) {
        Bench b = bench_of((Case){.closed = closed, .spins = true}, 3);
        const CordCenterline* c = &b.rod->line;
        const CornerEdges *from = &framed_of(b.rod)->now.edges, *to = &framed_of(b.rod)->trial.edges;
        uint64_t seed = 5;
        double most = 0.0;
        for (int n = 0; n < 4; n++) {
            for (int s = 0; s < c->slot_count; s++) {
                slot_set(b.r->move.x, s, random_vec3(&seed, 0.05));
                b.r->move.angle[s] = random_in(&seed, -0.2, 0.2);
            }
            move_wrap(c, &b.r->move);
            newton_move(&b.sys, 1.0);
        }
        for (int j = 0; j < c->edge_count; j++) {
            int s = slot_of(c, j);
            CordVec3 t = slot_get(to->t, s);
            CordVec3 start = frame_transport(slot_get(from->m1, s), slot_get(from->t, s), t);
            double turned = frame_angle(start, slot_get(to->m1, s), t);
            CHECK_NEAR(b.r->turned[s], turned, 1e-13); // of four turns of up to a fifth
            most = fmax(most, fabs(turned));
        }
        CHECK(most > 0.1);
        close_bench(&b);
    }
}

TEST_GROUP(solve_band_system)
