// The direct solver of position-based rods: its linear system against one that is put together densely, from
// differences of the constraints; that Phi only falls; and that a rod has the same bits in any company, on
// any processor.
#include "differences.h"
#include "math/dense.h"
#include "pbd_lanes.h"
#include "world_parts.h"

#define pbd_direct_plain direct_under_test
#include "step/position_direct_kernel.c"
#undef pbd_direct_plain

#define SEEDS 12
#define MOST (4 * LANES_NODES)
#define STEP 0.01

extern void pbd_direct_plain(PbdLanes*lanes), pbd_sweeps_plain(PbdLanes*lanes);
#if defined(__x86_64__) && !defined(CORD_NO_AVX2)
extern void pbd_direct_avx2(PbdLanes*lanes), pbd_sweeps_avx2(PbdLanes*lanes);
#define HAS_WIDE __builtin_cpu_supports("avx2")
#else
#define HAS_WIDE false // this build has one of each
#define pbd_direct_avx2 pbd_direct_plain
#define pbd_sweeps_avx2 pbd_sweeps_plain
#endif

// ---- a lane in plain numbers: unknowns are three of each node's position, and the turn of the frame of the
// edge after it

typedef struct Plain {
    const Four* from;
    int lane;
    double u[MOST]; // moves and turns from where the lanes are
} Plain;

static CordVec3 plain_x(const Plain* a, int node)
{
    CordVec3 by = {a->u[4 * node], a->u[4 * node + 1], a->u[4 * node + 2]};
    return vec3_add(lane3(&a->from->slots[node].x, a->lane), by);
}

static CordVec3 plain_edge(const Plain* a, int edge)
{
    return vec3_sub(plain_x(a, (edge + 1) % a->from->p.node_count), plain_x(a, edge));
}

static Axes3 plain_axes(const Plain* a, int edge)
{
    const PbdSlot* s = &a->from->slots[edge];
    CordVec3 t = vec3_unit(plain_edge(a, edge));
    CordVec3 m1 = frame_transport(lane3(&s->m1, a->lane), lane3(&s->t, a->lane), t);
    return axes_from(t, quat_rotate(cord_quat_about(t, 2.0 * atan(0.5 * a->u[4 * edge + 3])), m1));
}

static CordVec3 plain_strain(const Plain* a, int node)
{
    const PbdLanes* p = &a->from->p;
    Axes3 before = plain_axes(a, node > 0 ? node - 1 : p->node_count - 1), after = plain_axes(a, node);
    Axes3 seen = node == 0 ? unglued(&after, p->seam_cos[a->lane], p->seam_sin[a->lane]) : after;
    return darboux_of(&before, &seen);
}

static void add_moments(const PbdSlot* s, int lane, const double off[3], double out[3])
{
    out[0] = s->now_K[0][lane] * off[0] + s->now_K[1][lane] * off[1];
    out[1] = s->now_K[1][lane] * off[0] + s->now_K[2][lane] * off[1];
    out[2] = s->now_K[3][lane] * off[2];
}

static double corner_energy(const Plain* a, int node)
{
    const PbdSlot* s = &a->from->slots[node];
    CordVec3 beta = plain_strain(a, node);
    double off[3], n[3];
    for (int k = 0; k < 3; k++) {
        off[k] = component_of(beta, k) - s->now_rest[k][a->lane];
    }
    add_moments(s, a->lane, off, n);
    return 0.5 * (n[0] * off[0] + n[1] * off[1] + n[2] * off[2]);
}

static double node_energy(const Plain* a, int node)
{
    const PbdSlot* s = &a->from->slots[node];
    int l = a->lane;
    CordVec3 off = vec3_sub(plain_x(a, node), lane3(&s->goal, l)), rail = lane3(&s->rail, l);
    CordVec3 across = vec3_madd(off, rail, -vec3_dot(off, rail));
    double turn = s->turn[l] + a->u[4 * node + 3] - s->turn_goal[l];
    return 0.5 * (s->inertia[l] * vec3_dot(off, off) + s->rail_hold[l] * vec3_dot(across, across) +
                  s->spin_inertia[l] * turn * turn);
}

static double edge_energy(const Plain* a, int edge)
{
    const PbdSlot* s = &a->from->slots[edge];
    double longer = vec3_length(plain_edge(a, edge)) - s->now_length[a->lane];
    return 0.5 * s->now_stretch[a->lane] * longer * longer;
}

static bool is_corner(const PbdLanes* p, int node)
{
    return p->closed || (node > 0 && node < p->node_count - 1);
}

static double plain_phi(const Plain* a)
{
    const PbdLanes* p = &a->from->p;
    double sum = 0.0;
    for (int i = 0; i < p->node_count; i++) {
        sum += node_energy(a, i) + (i < p->edge_count ? edge_energy(a, i) : 0.0) +
               (is_corner(p, i) ? corner_energy(a, i) : 0.0);
    }
    return sum;
}

// ---- the system, densely

typedef struct Dense {
    int size;
    double m[MOST][MOST], grad[MOST];
} Dense;

// Moves over a thousandth of an edge: differences of fourth order are good to 1e-11 of what they differ.
static double reach_of(int unknown)
{
    return unknown % 4 == 3 ? 1e-3 : 1e-4;
}

static void moved_to(Plain* a, int unknown, int n)
{
    a->u[unknown] = reach_of(unknown) * steps_away(n);
}

// Gauss-Newton: derivatives of the strain, between which K stands.
static void add_corner(Dense* d, const Four* f, int lane, int node)
{
    double J[MOST][3], n[MOST][3];
    for (int i = 0; i < d->size; i++) {
        Plain a = {.from = f, .lane = lane};
        double at[3][4];
        for (int k = 0; k < 4; k++) {
            moved_to(&a, i, k);
            CordVec3 beta = plain_strain(&a, node);
            at[0][k] = beta.x, at[1][k] = beta.y, at[2][k] = beta.z;
        }
        for (int k = 0; k < 3; k++) {
            J[i][k] = slope_between(at[k], reach_of(i));
        }
        add_moments(&f->slots[node], lane, J[i], n[i]);
    }
    for (int i = 0; i < d->size; i++) {
        for (int j = 0; j < d->size; j++) {
            d->m[i][j] += J[i][0] * n[j][0] + J[i][1] * n[j][1] + J[i][2] * n[j][2];
        }
    }
}

// k t t', and what an edge that pulls has across.
static void add_edge(Dense* d, const Four* f, int lane, int edge)
{
    Plain a = {.from = f, .lane = lane};
    const PbdSlot* s = &f->slots[edge];
    CordVec3 e = plain_edge(&a, edge), t = vec3_unit(e);
    double k = s->now_stretch[lane], pull = k * (vec3_length(e) - s->now_length[lane]);
    double across = fmax(pull, 0.0) / vec3_length(e);
    int end = (edge + 1) % f->p.node_count;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double along = component_of(t, i) * component_of(t, j),
                   m = k * along + across * ((i == j) - along);
            d->m[4 * edge + i][4 * edge + j] += m, d->m[4 * end + i][4 * end + j] += m;
            d->m[4 * edge + i][4 * end + j] -= m, d->m[4 * end + i][4 * edge + j] -= m;
        }
    }
}

static void add_node(Dense* d, const Four* f, int lane, int node)
{
    const PbdSlot* s = &f->slots[node];
    CordVec3 rail = lane3(&s->rail, lane);
    for (int i = 0; i < 3; i++) {
        d->m[4 * node + i][4 * node + i] += s->inertia[lane];
        for (int j = 0; j < 3; j++) {
            d->m[4 * node + i][4 * node + j] +=
                s->rail_hold[lane] * ((i == j) - component_of(rail, i) * component_of(rail, j));
        }
    }
    d->m[4 * node + 3][4 * node + 3] += s->spin_inertia[lane];
}

static void fill_dense(Dense* d, const Four* f, int lane)
{
    memset(d, 0, sizeof *d);
    d->size = 4 * f->p.node_count;
    for (int i = 0; i < f->p.node_count; i++) {
        add_node(d, f, lane, i);
        if (i < f->p.edge_count) {
            add_edge(d, f, lane, i);
        }
        if (is_corner(&f->p, i)) {
            add_corner(d, f, lane, i);
        }
    }
    for (int i = 0; i < d->size; i++) {
        Plain a = {.from = f, .lane = lane};
        double at[4];
        for (int k = 0; k < 4; k++) {
            moved_to(&a, i, k);
            at[k] = plain_phi(&a);
        }
        d->grad[i] = slope_between(at, reach_of(i));
    }
}

// The matrix is positive. The solution is left in `grad`, with its sign turned.
static void solve_dense(Dense* d)
{
    static double a[MOST * MOST];
    for (int i = 0; i < d->size * d->size; i++) {
        a[i] = d->m[i / d->size][i % d->size];
    }
    CHECK(dense_cholesky_factor(a, d->size));
    dense_cholesky_solve(a, d->size, d->grad);
    for (int p = 0; p < d->size; p++) {
        d->grad[p] = -d->grad[p];
    }
}

// Stiffness and inertia are within a factor of 1e4 of each other, rails apart: of the 1e-11 that differences
// are off by, 1e-7 of the largest move may remain.
#define SOLUTION 1e-6

static void check_system(const Four* f)
{
    for (int lane = 0; lane < WIDE_LANES; lane++) {
        static Dense d;
        double most[2] = {0, 0};
        fill_dense(&d, f, lane);
        solve_dense(&d);
        for (int i = 0; i < d.size; i++) {
            most[i % 4 == 3] = fmax(most[i % 4 == 3], fabs(d.grad[i]));
        }
        CHECK(most[0] > 1e-5);
        for (int i = 0; i < d.size; i++) {
            CHECK_NEAR(f->slots[i / 4].step[i % 4][lane], d.grad[i], SOLUTION * most[i % 4 == 3]);
        }
    }
}

static void each_size(bool closed, void (*check)(Four* f, uint64_t seed))
{
    for (int nodes = closed ? 3 : 2; nodes <= LANES_NODES; nodes++) {
        for (uint64_t seed = 1; seed <= SEEDS / 4; seed++) {
            static Four f;
            random_four(&f, nodes, closed, STEP, seed * 100 + (uint64_t)nodes);
            check(&f, seed);
        }
    }
}

static void one_iteration(Four* f, uint64_t seed)
{
    (void)seed;
    begin_tension(&f->p);
    CordWide phi = assemble(&f->p);
    solve(&f->p);
    check_system(f);
    for (int lane = 0; lane < WIDE_LANES; lane++) {
        Plain a = {.from = f, .lane = lane};
        CHECK_NEAR(0.5 * phi[lane], plain_phi(&a), 1e-13 * phi[lane]); // round-off of some hundred terms
        CHECK(phi[lane] == merit(&f->p)[lane]);
    }
}

TEST(an_iteration_solves_its_system)
{
    each_size(false, one_iteration);
    each_size(true, one_iteration);
}

// One lane held at its ends, one at a frame, one on a rail, one free.
static void hold_some(Four* f, uint64_t seed)
{
    int n = f->p.node_count;
    f->slots[0].inertia[0] = f->slots[n - 1].inertia[0] = PBD_HELD;
    f->slots[0].spin_inertia[1] = PBD_HELD;
    set_lane3(&f->slots[n / 2].rail, 2, random_unit(&seed));
    f->slots[n / 2].rail_hold[2] = 1e4 * f->slots[n / 2].inertia[2];
    f->p.railed = true;
    for (int i = 0; i < n; i++) { // what is held is where it goes
        CordVec3 x = lane3(&f->slots[i].x, 0);
        if (f->slots[i].inertia[0] >= PBD_HELD) {
            set_lane3(&f->slots[i].goal, 0, x);
        }
    }
    f->slots[0].turn_goal[1] = f->slots[0].turn[1];
}

static void one_iteration_held(Four* f, uint64_t seed)
{
    if (f->p.node_count < 3) {
        return; // nothing is left that moves
    }
    hold_some(f, seed);
    begin_tension(&f->p);
    assemble(&f->p);
    solve(&f->p);
    for (int lane = 0; lane < WIDE_LANES; lane++) {
        for (int i = 0; i < f->p.node_count; i++) {
            PbdSlot* s = &f->slots[i]; // in plain numbers with a hold that leaves digits for the rest
            for (int k = 0; k < 4; k++) {
                double* inertia = (double*)(k < 3 ? &s->inertia : &s->spin_inertia) + lane;
                if (*inertia >= PBD_HELD) {
                    CHECK_NEAR(s->step[k][lane], 0.0, 1e-80);
                }
            }
        }
    }
    static Four soft;
    copy_four(&soft, f);
    for (int i = 0; i < f->p.node_count; i++) {
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            soft.slots[i].inertia[lane] = fmin(f->slots[i].inertia[lane], 1e12);
            soft.slots[i].spin_inertia[lane] = fmin(f->slots[i].spin_inertia[lane], 1e12);
        }
    }
    check_system(&soft);
}

TEST(what_is_held_or_on_a_rail_has_its_place_in_the_system)
{
    each_size(false, one_iteration_held);
    each_size(true, one_iteration_held);
}

// ---- Phi

// From gentle to absurd: `harder` times the stiffness, goals `farther` away.
static void make_hard(Four* f, double harder, double farther)
{
    for (int i = 0; i < f->p.node_count; i++) {
        PbdSlot* s = &f->slots[i];
        const CordWide by = wide_set(harder);
        s->stretch *= by, s->K11 *= by, s->K12 *= by, s->K22 *= by, s->K33 *= by;
        s->goal = madd3(s->start, sub3(s->goal, s->start), wide_set(farther));
        s->turn_goal *= wide_set(farther);
    }
    pbd_resist(&f->p);
}

// It may rise on the way, but never is it above where it began, whenever the iterations end.
TEST(phi_never_ends_above_where_it_began)
{
    const double harder[] = {1.0, 1e4, 1e8, 1e-4}, farther[] = {1.0, 30.0, 1e4};
    for (int i = 0; i < 12 * SEEDS; i++) {
        static Four first, f;
        random_four(&first, 3 + i % 7, i % 2, STEP, (uint64_t)i + 1);
        make_hard(&first, harder[i % 4], farther[i / 4 % 3]);
        if (i % 5 == 0) {
            hold_some(&first, 1);
        }
        begin_at(&first.p);
        CordWide begun = merit(&first.p);
        for (int n = 1; n <= 12; n++) {
            copy_four(&f, &first);
            f.p.def.iterations = n, f.p.def.tolerance = 1e-14;
            minimise(&f.p);
            CordWide now = merit(&f.p);
            for (int lane = 0; lane < WIDE_LANES; lane++) {
                CHECK(isfinite(now[lane]));
                CHECK(now[lane] <= begun[lane] * (1.0 + 2.0 * n * ROUND_OFF));
            }
        }
    }
}

// ---- edges that turn

// Nodes go where the chain of springs that turn_edges solves has no slope, and frames stay out of it: against
// its equations, node by node.
static void check_chain(const Four* straight, const Four* turned, int lane)
{
    const PbdLanes* p = &straight->p;
    CordVec3 slope[LANES_NODES], u[LANES_NODES];
    double stiff[LANES_NODES], most = 0.0; // all springs at a node
    for (int i = 0; i < p->node_count; i++) {
        const PbdSlot* s = &straight->slots[i];
        u[i] = vec3_sub(lane3(&turned->slots[i].x, lane), lane3(&s->x, lane));
        stiff[i] = fmin(s->inertia[lane], 1e12) + s->rail_hold[lane];
        slope[i] = vec3_mul(u[i], stiff[i]);
    }
    for (int i = 0; i < p->edge_count; i++) {
        const PbdSlot* s = &straight->slots[i];
        int next = (i + 1) % p->node_count;
        CordVec3 e = vec3_sub(lane3(&straight->slots[next].x, lane), lane3(&s->x, lane));
        double counted = fmax(PBD_SHORT * s->rest_length[lane], vec3_dot(lane3(&s->kept_t, lane), e));
        CordVec3 gap = vec3_mul(e, counted / vec3_length(e) - 1.0);
        CordVec3 pull = vec3_mul(vec3_sub(vec3_sub(u[next], u[i]), gap), s->now_stretch[lane]);
        slope[i] = vec3_sub(slope[i], pull), slope[next] = vec3_add(slope[next], pull);
        stiff[i] += s->now_stretch[lane], stiff[next] += s->now_stretch[lane];
        most = fmax(most, vec3_length(gap));
    }
    CHECK(most > 1e-4);
    for (int i = 0; i < p->node_count; i++) {
        bool free = straight->slots[i].inertia[lane] < PBD_HELD;
        CHECK_VEC3(free ? slope[i] : u[i], ((CordVec3){0, 0, 0}),
                   free ? 1e-15 * stiff[i] : 0.0); // round-off of positions
    }
}

TEST(edges_that_turn_get_as_long_as_the_system_has_counted_on)
{
    for (int i = 0; i < 12 * SEEDS; i++) {
        static Four straight, turned;
        random_four(&straight, 3 + i % 7, i % 2, STEP, (uint64_t)i + 1);
        if (i % 3 == 0) {
            hold_some(&straight, 1);
        }
        for (int n = 0; n < straight.p.node_count; n++) {
            for (int k = 0; k < 4; k++) {
                straight.slots[n].step[k] =
                    wide_set(straight.slots[n].inertia[0] < PBD_HELD ? 0.02 * sin(7.0 * n + k) : 0.0);
            }
        }
        copy_four(&turned, &straight);
        try_straight(&straight.p, wide_set(1.0));
        try_share(&turned.p, wide_set(1.0), wide_set(0.0));
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            check_chain(&straight, &turned, lane);
        }
    }
}

// However stiff: springs 1e10 times the inertia, and edges are off by as little as forces of inertia stretch
// those.
TEST(edges_of_a_stiff_rod_turn_and_do_not_stretch)
{
    for (int i = 0; i < SEEDS; i++) {
        static Four f;
        random_four(&f, 9, false, STEP, (uint64_t)i + 1);
        for (int n = 0; n < 9; n++) {
            f.slots[n].now_stretch = wide_set(1e10) * f.slots[n].inertia;
            for (int k = 0; k < 4; k++) {
                f.slots[n].step[k] = wide_set(0.05 * sin(7.0 * n + k));
            }
        }
        f.slots[8].now_stretch = wide_set(0.0);
        try_share(&f.p, wide_set(1.0), wide_set(0.0));
        for (int n = 0; n < 8; n++) {
            const PbdSlot *s = &f.slots[n], *next = s + 1;
            Wide3 was = sub3(next->kept, s->kept),
                  by = {next->step[0] - s->step[0], next->step[1] - s->step[1], next->step[2] - s->step[2]};
            CordWide counted = dot3(add3(was, by), s->kept_t);
            for (int lane = 0; lane < WIDE_LANES; lane++) {
                double least = PBD_SHORT * s->rest_length[lane];
                CHECK_NEAR(s->length[lane], fmax(least, counted[lane]), 1e-9);
            }
        }
    }
}

// ---- where it begins, and ends

// Phi where forces from outside take the rod, frames by FIRST_TURN at the most, or where it was.
static double phi_begun(const Four* f, int lane, bool ahead)
{
    Plain a = {.from = f, .lane = lane};
    for (int n = 0; n < f->p.node_count; n++) {
        const PbdSlot* s = &f->slots[n];
        CordVec3 by = vec3_sub(lane3(&s->goal, lane), lane3(&s->start, lane));
        a.u[4 * n] = ahead ? by.x : 0.0, a.u[4 * n + 1] = ahead ? by.y : 0.0,
                a.u[4 * n + 2] = ahead ? by.z : 0.0;
        a.u[4 * n + 3] = ahead ? fmax(-FIRST_TURN, fmin(FIRST_TURN, s->turn_goal[lane])) : 0.0;
    }
    return plain_phi(&a);
}

TEST(it_begins_at_the_better_of_two_places)
{
    int ahead = 0, behind = 0;
    for (int i = 0; i < 4 * SEEDS; i++) {
        static Four before, f;
        random_four(&before, 3 + i % 7, i % 2, STEP, (uint64_t)i + 1);
        make_hard(&before, i % 3 ? 1e-3 : 1e3, i % 4 ? 1.0 : 40.0);
        copy_four(&f, &before);
        begin_at(&f.p);
        CordWide is = merit(&f.p);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            double there = phi_begun(&before, lane, true), stays = phi_begun(&before, lane, false);
            CHECK_NEAR(0.5 * is[lane], fmin(there, stays),
                       1e-10 * is[lane]); // strains near a fold, of frames that were carried there and back
            ahead += there < stays, behind += stays < there;
        }
    }
    CHECK(ahead > 10 && behind > 10);
}

// Of each lane by itself: one that has too few iterations, one that begins where it ends.
TEST(substeps_whose_iterations_run_out_are_counted)
{
    static Four f;
    random_four(&f, 9, false, STEP, 1);
    for (int n = 0; n < 9; n++) {
        PbdSlot* s = &f.slots[n];
        s->stretch[1] = s->K11[1] = s->K12[1] = s->K22[1] = s->K33[1] = 0.0; // x* at once
    }
    f.p.def.iterations = 2, f.p.def.substeps = 3, f.p.def.tolerance = 1e-9;
    direct_under_test(&f.p);
    CHECK(f.p.unfinished[0] == 3.0 && f.p.unfinished[1] == 0.0);
}

static double steepest(const Four* f, int lane) // slope of Phi
{
    static Dense d;
    double most = 0.0;
    fill_dense(&d, f, lane);
    for (int k = 0; k < d.size; k++) {
        most = fmax(most, fabs(d.grad[k]));
    }
    return most;
}

// Iterated until nothing moves, Phi has no slope: the gradient is a billionth of what it was.
TEST(it_comes_to_where_phi_has_no_slope)
{
    for (int i = 0; i < SEEDS; i++) {
        static Four f;
        double first[WIDE_LANES];
        random_four(&f, 3 + i % 7, i % 2, STEP, (uint64_t)i + 1);
        begin_at(&f.p);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            first[lane] = steepest(&f, lane);
        }
        f.p.def.iterations = 60, f.p.def.tolerance = 1e-12;
        minimise(&f.p);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            CHECK(steepest(&f, lane) <= 1e-8 * first[lane]); // as differences have it
        }
    }
}

// ---- bits

static void only_lane(Four* to, const Four* from, int lane) // the same rod in all lanes
{
    copy_four(to, from);
    CordWide* all[] = {(CordWide*)to->slots, &to->p.viscous, &to->p.seam_cos, &to->p.seam_sin,
                       &to->p.mean_edge};
    const size_t counts[] = {sizeof to->slots / (sizeof(CordWide)), 1, 1, 1, 1};
    for (int i = 0; i < 5; i++) {
        for (size_t k = 0; k < counts[i]; k++) {
            all[i][k] = wide_set(all[i][k][lane]);
        }
    }
}

static double in_slot(const Four* f, int node, size_t number, int lane)
{
    return ((const CordWide*)&f->slots[node])[number][lane];
}

// All that is left of a step: positions, velocities, frames, spins. (`step` and what is tried on the way are
// nobody's business.)
static void check_same_rod(const Four* a, const Four* b, int lane)
{
    const size_t numbers[] = {offsetof(PbdSlot, x), offsetof(PbdSlot, v), offsetof(PbdSlot, t),
                              offsetof(PbdSlot, m1)};
    for (int n = 0; n < a->p.node_count; n++) {
        for (size_t i = 0; i < 12; i++) {
            size_t number = numbers[i / 3] / sizeof(CordWide) + i % 3;
            CHECK(in_slot(a, n, number, lane) == in_slot(b, n, number, lane));
        }
        CHECK(a->slots[n].spin[lane] == b->slots[n].spin[lane]);
    }
}

TEST(a_rod_has_the_same_bits_in_any_company)
{
    const double tolerances[] = {1e-5, 1e-3, 3e-2};
    for (int i = 0; i < 12 * SEEDS; i++) {
        static Four first, together, alone;
        random_four(&first, 3 + i % 7, i % 2, STEP, (uint64_t)i + 1);
        for (int n = 0; n < first.p.node_count; n++) { // one lane hard, one soft: they take other ways
            first.slots[n].K11[1] *= 1e3, first.slots[n].K22[1] *= 1e3, first.slots[n].stretch[1] *= 1e3;
            first.slots[n].K11[2] *= 1e-3, first.slots[n].v.x[3] *= i % 2 ? 30.0 : 1e3;
        }
        if (i % 3 == 0) {
            hold_some(&first, 1);
        }
        first.p.def.substeps = 1 + i % 3, first.p.def.tolerance = tolerances[i / 3 % 3];
        copy_four(&together, &first);
        direct_under_test(&together.p);
        for (int k = 0; k < 2 * WIDE_LANES; k++) { // also where the lanes of a single rod share the work
            int lane = k / 2;
            only_lane(&alone, &first, lane);
            alone.p.single = k % 2;
            direct_under_test(&alone.p);
            check_same_rod(&together, &alone, lane);
        }
    }
}

static void check_same_kernels(void (*plain)(PbdLanes*), void (*wide)(PbdLanes*), CordPbdDef def)
{
    for (int i = 0; i < 2 * SEEDS; i++) {
        static Four a, b;
        random_four(&a, 3 + i % 7, i % 2, STEP, (uint64_t)i + 1);
        a.p.def = def;
        for (int n = 0; n < a.p.node_count; n++) {
            a.ghosts[n].x = add3(mul3(a.slots[n].m1, wide_set(0.1)),
                                 mul3(a.slots[n].x, wide_set(def.solver == CORD_PBD_PBD)));
            a.ghosts[n].length = wide_set(0.1), a.ghosts[n].w = wide_set(90.0);
        }
        copy_four(&b, &a);
        plain(&a.p), wide(&b.p);
        CHECK_INT(memcmp(a.slots, b.slots, sizeof a.slots), 0);
        CHECK_INT(memcmp(a.ghosts, b.ghosts, sizeof a.ghosts), 0);
        CHECK_INT(memcmp(a.rows, b.rows, sizeof a.rows), 0);
    }
}

TEST(avx2_and_plain_kernels_give_the_same_bits)
{
    if (!HAS_WIDE) {
        skip();
    }
    CordPbdDef def = cord_rod_def_default().pbd;
    def.iterations = 8, def.substeps = 2;
    check_same_kernels(pbd_direct_plain, pbd_direct_avx2, def);
    check_same_kernels(pbd_direct_plain, direct_under_test, def); // as the tests' own options compile it
    def.method = CORD_PBD_SWEEPS, def.order = CORD_PBD_BILATERAL;
    check_same_kernels(pbd_sweeps_plain, pbd_sweeps_avx2, def);
    def.solver = CORD_PBD_PBD, def.order = CORD_PBD_INTERLEAVED, def.damping = 0.1;
    check_same_kernels(pbd_sweeps_plain, pbd_sweeps_avx2, def);
}

// ---- through the world

// Mixed: lengths, solvers, rings, clamps, damping and stiffness, so that some are alike and others not.
static CordRodDef mixed_def(int kind)
{
    CordRodDef def = kind % 7 == 5 ? ring_def(9) : line_def(kind % 7 == 3 ? 12 : 9);
    def.model = CORD_MODEL_PBD;
    def.stiffness.EI1 *= 1.0 + 40.0 * (kind % 3), def.stiffness.EI2 *= 1.0 + 3.0 * kind;
    def.m1 = (CordVec3){0.1, 1, 0.3 * kind}, def.twist = 0.4 * kind;
    def.velocity = (CordVec3){0, 0, kind}, def.spin = (CordVec3){kind, 2.0 * kind, 0};
    def.shape.p.y = def.shape.q.y = -0.0; // which has bits, too
    def.damping_time = kind % 2 ? 0.02 : 0.0;
    def.pbd.method = kind % 7 == 4 ? CORD_PBD_SWEEPS : CORD_PBD_DIRECT;
    def.pbd.solver = kind % 7 == 6 ? CORD_PBD_PBD : CORD_PBD_XPBD;
    return def;
}

static CordRodId add_mixed(CordWorld* world, int kind)
{
    CordRodDef def = mixed_def(kind);
    CordRodId rod = add_rod(world, &def);
    if (kind % 2) {
        CordMotion swing = cord_motion_oscillate((CordVec3){0, 0.1, 0}, 3.0, 0.0);
        hold_moving(world, rod, cord_at_start(), CORD_FIX_FRAME, &swing, 1);
    }
    return rod;
}

typedef struct Seen {
    CordVec3 x[12], v[12], m1[12];
} Seen;

static Seen seen_of(CordWorld* world, CordRodId rod)
{
    Seen s = {0};
    CHECK_OK(cord_rod_positions(world, rod, s.x));
    CHECK_OK(cord_rod_velocities(world, rod, s.v));
    CHECK_OK(cord_rod_material_frames(world, rod, s.m1));
    return s;
}

TEST(rods_of_a_world_have_the_bits_they_have_alone)
{
    const int counts[] = {1, 2, 3, 4, 5, 7};
    Seen alone[7];
    for (int kind = 0; kind < 7; kind++) {
        CordWorld* world = new_world(down);
        CordRodId rod = add_mixed(world, kind);
        run(world, STEP, 20);
        alone[kind] = seen_of(world, rod);
        cord_world_destroy(world);
    }
    for (int n = 0; n < 18; n++) {
        // some from the first kind on, some from the second, on one thread and on two, in steps one by one
        // and many at once
        CordWorldDef def = cord_world_def_default();
        CordRodId rods[7];
        int count = counts[n % 6], from = n / 6;
        def.tasks = n % 2 ? cord_tasks_openmp(2) : def.tasks;
        CordWorld* world = make_world(&def);
        for (int i = 0; i < count; i++) {
            rods[i] = add_mixed(world, (from + i) % 7);
        }
        if (n % 3) {
            run(world, STEP, 20);
        } else {
            run_many(world, STEP, 20);
        }
        for (int i = 0; i < count; i++) {
            Seen is = seen_of(world, rods[i]);
            CHECK_INT(memcmp(&is, &alone[(from + i) % 7], sizeof is), 0);
        }
        cord_world_destroy(world);
    }
}

// Frames are told from one step to the next by other numbers than from one substep to the next, and gravity
// comes in other parts: round-off, which 80 iterations hand on. Clamps do not move, as they would go on a
// polygon of their own.
TEST(substeps_are_shorter_steps)
{
    for (int kind = 0; kind < 7; kind++) {
        Seen s[2];
        for (int i = 0; i < 2; i++) {
            CordWorld* world = new_world(down);
            CordRodDef def = mixed_def(kind);
            def.pbd.substeps = i == 0 ? 4 : 1;
            CordRodId rod = add_rod(world, &def);
            if (kind % 2) {
                hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
            }
            run(world, i == 0 ? STEP : STEP / 4, i == 0 ? 5 : 20);
            s[i] = seen_of(world, rod);
            cord_world_destroy(world);
        }
        for (int n = 0; n < 9; n++) {
            CHECK_VEC3(s[0].x[n], s[1].x[n], 1e-11);
            CHECK_VEC3(s[0].v[n], s[1].v[n], 1e-8);
            CHECK_VEC3(s[0].m1[n], s[1].m1[n], 1e-9);
        }
    }
}

// However few the iterations, whatever the stiffness: what nothing holds falls, and the springs within do not
// push it.
TEST(a_loose_rod_keeps_its_momentum_whatever_is_left_undone)
{
    for (int i = 0; i < 8; i++) {
        CordWorld* world = new_world(down);
        CordRodDef def = i % 2 ? ring_def(9) : line_def(9);
        def.model = CORD_MODEL_PBD, def.twist = 2.0;
        def.pbd.iterations = 1 + i / 4, def.stiffness.EI1 *= i / 2 % 2 ? 1e6 : 1.0;
        def.velocity = (CordVec3){1, 2, 3}, def.spin = (CordVec3){5, 20, 10};
        CordRodId rod = add_rod(world, &def);
        double mass = cord_rod_mass(world, rod);
        run(world, 0.05, 10);
        CordVec3 p = cord_rod_momentum(world, rod).linear, right = {mass, 2 * mass, mass * (3 - 9.81 * 0.5)};
        CHECK_VEC3(p, right, 1e-11 * mass); // round-off of positions over a step
        cord_world_destroy(world);
    }
}

TEST_GROUP(pbd_direct)
