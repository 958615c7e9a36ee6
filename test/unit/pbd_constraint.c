// The constraints of position-based rods: their measure of a turn, and what each asks of its points, against
// gradients by differences.
#include "differences.h"
#include "math/dense.h"
#include "pbd_lanes.h"

#define pbd_sweeps_plain sweeps_under_test
#include "step/position_gauss_seidel_kernel.c"

#define SEEDS 20

// ---- the measure of a turn

static PbdFrame same_in_all(const Axes3* f)
{
    PbdFrame out = {.inv_len = wide_set(10.0)};
    for (int lane = 0; lane < WIDE_LANES; lane++) {
        set_lane3(&out.d1, lane, f->d[0]), set_lane3(&out.d2, lane, f->d[1]),
            set_lane3(&out.t, lane, f->d[2]);
    }
    return out;
}

static Axes3 random_axes(uint64_t* seed)
{
    CordVec3 t = random_unit(seed);
    return axes_from(t, random_across(seed, t));
}

static Axes3 turned_axes(const Axes3* f, CordVec3 axis, double angle) // the axis in its own axes
{
    CordVec3 n = vec3_madd(vec3_madd(vec3_mul(f->d[0], axis.x), f->d[1], axis.y), f->d[2], axis.z);
    CordQuat q = cord_quat_about(n, angle);
    return axes_from(quat_rotate(q, f->d[2]), quat_rotate(q, f->d[0]));
}

static CordVec3 beta_of(const Axes3* a, const Axes3* b)
{
    PbdFrame fa = same_in_all(a), fb = same_in_all(b);
    PbdBend bend = pbd_bend(&fa, &fb);
    CHECK(bend.beta.x[0] == bend.beta.x[3] && bend.beta.z[1] == bend.beta.z[2]);
    return lane3(&bend.beta, 2);
}

// Omega is beta over the length of the corner, which is the same factor on both sides. Axes are good to
// 1e-16, of which 1 + tan^2, 200 at most, makes 1e-13 or so of the strain.
TEST(a_turn_about_a_material_axis_is_twice_the_tangent_of_its_half)
{
    uint64_t seed = 1;
    const double l = 0.037;
    for (int k = 0; k < 3; k++) {
        for (double phi = -3.0; phi <= 3.0; phi += 0.01) {
            Axes3 a = random_axes(&seed), b = turned_axes(&a, (CordVec3){k == 0, k == 1, k == 2}, phi);
            CordVec3 beta = beta_of(&a, &b);
            double right = 2.0 * tan(0.5 * phi), near = 1e-12 * fmax(1.0, fabs(right));
            for (int i = 0; i < 3; i++) {
                CHECK_NEAR(component_of(beta, i), i == k ? right : 0.0, near);
                CHECK_NEAR(component_of(beta, i) / l, i == k ? 2.0 / l * tan(0.5 * phi) : 0.0, near / l);
            }
        }
    }
}

TEST(a_turn_about_any_axis_is_the_papers_darboux_vector)
{
    for (uint64_t seed = 1; seed <= 500; seed++) {
        uint64_t own = seed;
        CordVec3 axis = random_unit(&own);
        double phi = random_in(&own, -2.9, 2.9), size = 1.0 + pow(tan(0.5 * phi), 2);
        Axes3 a = random_axes(&own), b = turned_axes(&a, axis, phi);
        CordVec3 beta = beta_of(&a, &b);
        CHECK_VEC3(beta, vec3_mul(axis, 2.0 * tan(0.5 * phi)), 1e-14 * size);
        CHECK_VEC3(beta, darboux_of(&a, &b), 1e-14 * size);
    }
}

// Differences of fourth order over 1e-3 rad leave (1 + tan^2)^3 1e-12 or so, and round-off 1e-13 of the
// strain.
TEST(its_slope_is_that_of_frames_that_turn)
{
    const double far = 1e-3;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint64_t own = seed;
        Axes3 a = random_axes(&own), b = turned_axes(&a, random_unit(&own), random_in(&own, -2.0, 2.0));
        CordVec3 g = vec3_mul(beta_of(&a, &b), 0.5);
        WideMat T = pbd_slope((Wide3){wide_set(g.x), wide_set(g.y), wide_set(g.z)});
        for (int on_b = 0; on_b < 2; on_b++) {
            for (int k = 0; k < 3; k++) {
                double at[3][4];
                for (int n = 0; n < 4; n++) {
                    CordVec3 axis = {k == 0, k == 1, k == 2};
                    Axes3 moved = turned_axes(on_b ? &b : &a, axis, far * steps_away(n));
                    CordVec3 beta = on_b ? beta_of(&a, &moved) : beta_of(&moved, &b);
                    at[0][n] = beta.x, at[1][n] = beta.y, at[2][n] = beta.z;
                }
                for (int i = 0; i < 3; i++) {
                    double is = on_b ? T.a[i][k][0] : -T.a[k][i][0];
                    CHECK_NEAR(is, slope_between(at[i], far), 1e-8);
                }
            }
        }
    }
}

// Beyond 4 cos^2(phi/2) = PBD_FOLDED it stays as large as it is there, and at the fold itself, where no axis
// is left, it is about m1. That square has an error of some 4e-16: half of what that is of it remains, and
// nearer to the fold than 1e-7 nothing but the order of magnitude.
TEST(a_fold_has_a_finite_strain)
{
    uint64_t seed = 3;
    const double most = 4.0 / sqrt(PBD_FOLDED);
    const double from_fold[] = {1e-1, 1e-2, 1.01e-3, 9e-4, 1e-4, 1e-6, 1e-9, 0.0, -1e-12, -1e-5};
    for (int n = 0; n < 10; n++) {
        CordVec3 axis = random_unit(&seed);
        Axes3 a = random_axes(&seed), b = turned_axes(&a, axis, CORD_PI - from_fold[n]);
        double size = vec3_length(beta_of(&a, &b)), angle = fabs(from_fold[n]);
        CHECK(size <= 2.0 * most);
        if (angle > 1e-7) {
            CHECK_NEAR(size, angle > 1e-3 ? 2.0 / tan(0.5 * angle) : most,
                       most * (1e-6 + 1e-15 / (angle * angle)));
        }
    }
    Axes3 a = axes_from((CordVec3){1, 0, 0}, (CordVec3){0, 1, 0});
    Axes3 folded = axes_from((CordVec3){-1, 0, 0}, (CordVec3){0, 1, 0});
    CHECK_VEC3(beta_of(&a, &folded), ((CordVec3){most, 0, 0}), 0.0);
}

// ---- frames

static Wide3 wide3(CordVec3 a)
{
    return (Wide3){wide_set(a.x), wide_set(a.y), wide_set(a.z)};
}

TEST(frames_are_carried_along_turned_and_never_lost)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t own = seed;
        CordVec3 s = random_unit(&own), t = random_unit(&own), u = random_across(&own, s);
        double by = random_in(&own, -5.0, 5.0);
        Wide3 carried = pbd_carried(wide3(u), wide3(s), wide3(t));
        CHECK_VEC3(lane3(&carried, 1), frame_transport(u, s, t), 1e-13 / (1.0 + vec3_dot(s, t)));
        Wide3 turned = pbd_turned(wide3(u), wide3(s), wide_set(by));
        CHECK_VEC3(lane3(&turned, 1), quat_rotate(cord_quat_about(s, 2.0 * atan(0.5 * by)), u), 1e-14);
        // the last three have nothing across s
        const Wide3 wanted[] = {wide3(t), wide3(s), zero3(), wide3(vec3_mul(s, -3.0))};
        for (int k = 0; k < 4; k++) {
            Wide3 across = pbd_across(wanted[k], wide3(s));
            CHECK_NEAR(vec3_length(lane3(&across, 3)), 1.0, 1e-14);
            // what is left of 1e-6 across, at the least
            CHECK_NEAR(vec3_dot(lane3(&across, 3), s), 0.0, 1e-9);
        }
        Wide3 back = pbd_carried(wide3(u), wide3(s), wide3(vec3_mul(s, -1.0)));
        CHECK_VEC3(lane3(&back, 0), u, 0.0);
        CordWide length;
        Wide3 kept = pbd_tangent(zero3(), wide3(s), wide_set(0.1), &length);
        CHECK_VEC3(lane3(&kept, 2), s, 0.0);
        CHECK_NEAR(length[2], 0.0, 0.0);
    }
}

TEST(a_frame_that_turned_tells_by_how_much)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t own = seed;
        CordVec3 s = random_unit(&own), t = random_unit(&own), u = random_across(&own, s);
        double angle = random_in(&own, -2.8, 2.8);
        if (vec3_dot(s, t) < -0.9) {
            continue; // round-off of transport over a half turn
        }
        PbdSlot slot = {.t = wide3(t)};
        slot.m1 = wide3(quat_rotate(cord_quat_about(t, angle), frame_transport(u, s, t)));
        CordWide turn = pbd_turn(&slot, wide3(s), wide3(u));
        CHECK_NEAR(turn[0], 2.0 * tan(0.5 * angle), 1e-12); // 1 + tan^2 is 34 at most
    }
}

// ---- points and ghost points, in plain numbers

typedef enum Reach { DIRECTORS, POINTS } Reach; // what ghosts are: of xpbd, of pbd

typedef struct Points { // nodes 0, 1, 2 and the ghosts of the edges between them
    CordVec3 p[5];
    double w[5];
    double seam_cos, seam_sin;
    Reach reach;
} Points;

static CordVec3 ghost_arm(const Points* a, int edge)
{
    double half = a->reach == POINTS ? 0.5 : 0.0;
    return vec3_sub(a->p[3 + edge], vec3_mul(vec3_add(a->p[edge], a->p[edge + 1]), half));
}

static CordVec3 edge_of(const Points* a, int edge)
{
    return vec3_sub(a->p[edge + 1], a->p[edge]);
}

// The supplement's frame of an edge: d3 along it, d2 across it and the ghost.
static Axes3 points_axes(const Points* a, int edge)
{
    CordVec3 d3 = vec3_unit(edge_of(a, edge)), d2 = vec3_unit(vec3_cross(d3, ghost_arm(a, edge)));
    return (Axes3){{vec3_cross(d2, d3), d2, d3}};
}

typedef double (*Constraint)(const Points* a);

static double length_of(const Points* a)
{
    return vec3_length(edge_of(a, 0));
}

static double slant_of(const Points* a) // C_P
{
    return vec3_dot(ghost_arm(a, 0), edge_of(a, 0));
}

static double distance_of(const Points* a) // C_D
{
    return vec3_length(ghost_arm(a, 0));
}

static CordVec3 strain_of(const Points* a)
{
    Axes3 before = points_axes(a, 0), after = points_axes(a, 1),
          seen = unglued(&after, a->seam_cos, a->seam_sin);
    return darboux_of(&before, &seen);
}

static double strain_1(const Points* a)
{
    return strain_of(a).x;
}

static double strain_2(const Points* a)
{
    return strain_of(a).y;
}

static double strain_3(const Points* a)
{
    return strain_of(a).z;
}

typedef struct Gradient {
    CordVec3 on[5];
} Gradient;

#define FAR 1e-4 // over edges of a tenth: differences of fourth order are good to 1e-11

static Gradient gradient_of(Constraint of, const Points* at)
{
    Gradient out = {0};
    for (int i = 0; i < 15; i++) {
        double values[4];
        for (int n = 0; n < 4; n++) {
            Points moved = *at;
            add_component(&moved.p[i / 3], i % 3, FAR * steps_away(n));
            values[n] = of(&moved);
        }
        add_component(&out.on[i / 3], i % 3, slope_between(values, FAR));
    }
    return out;
}

static double weighed(const Gradient* a, const Gradient* b, const double* w)
{
    double sum = 0.0;
    for (int i = 0; i < 5; i++) {
        sum += w[i] * vec3_dot(a->on[i], b->on[i]);
    }
    return sum;
}

// A multiplier of a constraint of which `off` is to go, and what it does to the points.
static void move_points(Points* a, const Gradient* g, double lambda)
{
    for (int i = 0; i < 5; i++) {
        a->p[i] = vec3_madd(a->p[i], g->on[i], a->w[i] * lambda);
    }
}

static double project(Points* a, Constraint of, double off, double compliance, double lambda)
{
    Gradient g = gradient_of(of, a);
    double more = -(off + compliance * lambda) / (weighed(&g, &g, a->w) + compliance);
    move_points(a, &g, more);
    return lambda + more;
}

// ---- a kernel's points

typedef struct Bench {
    Four four;
    Sweep sweep;
    int first; // the node that is point 0
} Bench;

static void random_bench(Bench* b, Reach reach, int corner, uint64_t seed)
{
    Four* f = &b->four;
    random_four(f, 4, true, 0.01, seed);
    f->p.damped = false;
    f->p.viscous = wide_set(0.0);
    pbd_resist(&f->p);
    f->p.def.solver = reach == POINTS ? CORD_PBD_PBD : CORD_PBD_XPBD;
    f->p.def.weight_bend1 = 0.9, f->p.def.weight_bend2 = 0.7, f->p.def.weight_twist = 0.6;
    f->p.def.weight_stretch = 0.8;
    b->sweep = sweep_of(&f->p, reach == DIRECTORS);
    b->first = (corner + 3) % 4;
    for (int i = 0; i < 4; i++) {
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            CordVec3 x = lane3(&f->slots[i].x, lane), y = lane3(&f->slots[(i + 1) % 4].x, lane);
            CordVec3 arm = vec3_madd(vec3_mul(lane3(&f->slots[i].m1, lane), 0.09), vec3_sub(y, x),
                                     random_in(&seed, -0.2, 0.2));
            CordVec3 from = vec3_mul(vec3_add(x, y), reach == POINTS ? 0.5 : 0.0);
            set_lane3(&f->ghosts[i].x, lane, vec3_add(from, arm));
            f->ghosts[i].w[lane] = random_in(&seed, 50.0, 200.0);
            f->ghosts[i].length[lane] = 0.1;
            f->ghosts[i].compliance[lane] = random_in(&seed, 10.0, 100.0);
            f->ghosts[i].lambda[lane] = random_in(&seed, -1e-4, 1e-4);
        }
    }
}

static Points points_of(const Bench* b, int lane)
{
    const Four* f = &b->four;
    Points a = {.seam_cos = 1.0, .reach = b->sweep.compliant ? DIRECTORS : POINTS};
    for (int i = 0; i < 5; i++) {
        int node = (b->first + (i < 3 ? i : i - 3)) % 4;
        a.p[i] = lane3(i < 3 ? &f->slots[node].x : &f->ghosts[node].x, lane);
        a.w[i] = (i < 3 ? f->slots[node].w : f->ghosts[node].w)[lane];
    }
    if ((b->first + 1) % 4 == 0) {
        a.seam_cos = f->p.seam_cos[lane], a.seam_sin = f->p.seam_sin[lane];
    }
    return a;
}

// Points are where they are expected: gradients are good to 1e-9, of moves of a centimetre.
#define MOVES 1e-10

static void check_points(const Bench* b, const Points expected[WIDE_LANES])
{
    for (int lane = 0; lane < WIDE_LANES; lane++) {
        Points is = points_of(b, lane);
        for (int i = 0; i < 5; i++) {
            CHECK_VEC3(is.p[i], expected[lane].p[i], MOVES);
        }
    }
}

// The supplement's (43) to (45): d beta comes from psi, by which d_k changes by psi x d_k.
TEST(axes_turn_with_the_points_of_their_edge)
{
    for (int i = 0; i < 2 * SEEDS; i++) {
        Bench b;
        random_bench(&b, (Reach)(i % 2), 1, (uint64_t)i + 1);
        Ghost ghost = ghost_of(&b.sweep, 0, i % 4 < 2 ? PLAIN : CAREFUL);
        Arms arms = arms_of(&b.sweep, &ghost);
        CHECK(wide_all(ghost.there));
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            Points at = points_of(&b, lane);
            Axes3 axes = points_axes(&at, 0);
            CHECK_VEC3(lane3(&ghost.frame.d1, lane), axes.d[0], 1e-14);
            CHECK_VEC3(lane3(&ghost.frame.d2, lane), axes.d[1], 1e-14);
            for (int n = 0; n < 9; n++) {
                int point = n / 3 == 2 ? 3 : n / 3, k = n % 3;
                double on_1 = component_of(axes.d[0], k), on_2 = component_of(axes.d[1], k);
                double bend = point == 0 ? -arms.bend[lane] : point == 1 ? arms.bend[lane] : 0.0;
                double twist = point == 0 ? arms.near[lane] : point == 1 ? -arms.far[lane] : arms.ghost[lane];
                double psi[3] = {-bend * on_2, bend * on_1, twist * on_2};
                CordVec3 turn = {0, 0, 0};
                for (int j = 0; j < 3; j++) {
                    turn = vec3_madd(turn, axes.d[j], psi[j]);
                }
                for (int j = 0; j < 3; j++) {
                    CordVec3 d[4];
                    for (int m = 0; m < 4; m++) {
                        Points moved = at;
                        add_component(&moved.p[point], k, FAR * steps_away(m));
                        d[m] = points_axes(&moved, 0).d[j];
                    }
                    CordVec3 slope =
                        vec3_madd(vec3_mul(vec3_sub(d[2], d[1]), 8.0), vec3_sub(d[3], d[0]), -1.0);
                    // of 10 per metre
                    CHECK_VEC3(vec3_cross(turn, axes.d[j]), vec3_mul(slope, 1.0 / (12.0 * FAR)), 1e-8);
                }
            }
        }
    }
}

TEST(lengths_are_put_right_along_their_gradient)
{
    for (int i = 0; i < 2 * SEEDS; i++) {
        Bench b;
        Points expected[WIDE_LANES];
        double lambda[WIDE_LANES];
        random_bench(&b, (Reach)(i % 2), 1, (uint64_t)i + 1);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            const PbdGhost* g = &b.four.ghosts[0];
            double off = 0.0;
            expected[lane] = points_of(&b, lane);
            off = length_of(&expected[lane]) - b.four.slots[0].rest_length[lane];
            lambda[lane] =
                b.sweep.compliant
                    ? project(&expected[lane], length_of, off, g->compliance[lane], g->lambda[lane])
                    : (project(&expected[lane], length_of, 0.8 * off, 0.0, 0.0), g->lambda[lane]);
        }
        Edge e = edge_begin(&b.sweep, 0);
        keep_length(&b.sweep, &e, PLAIN);
        edge_store(&e);
        check_points(&b, expected);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            CHECK_NEAR(b.four.ghosts[0].lambda[lane], lambda[lane], 1e-12); // of 1e-4
        }
    }
}

// C_P, and then C_D from where that has left the points.
TEST(ghosts_are_put_right_along_their_gradients)
{
    for (int i = 0; i < 2 * SEEDS; i++) {
        Bench b;
        Points expected[WIDE_LANES];
        random_bench(&b, (Reach)(i % 2), 1, (uint64_t)i + 1);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            Points* a = &expected[lane];
            *a = points_of(&b, lane);
            project(a, slant_of, slant_of(a), 0.0, 0.0);
            project(a, distance_of, distance_of(a) - 0.1, 0.0, 0.0);
        }
        Edge e = edge_begin(&b.sweep, 0);
        keep_across(&b.sweep, &e);
        keep_distance(&b.sweep, &e, PLAIN);
        edge_store(&e);
        check_points(&b, expected);
    }
}

// ---- C_BT

// All three components at once; `a` is the compliance. Lambda is what there was and what comes.
static void project_strain(Points* at, const double right[3], double a[3][3], double lambda[3])
{
    const Constraint of[3] = {strain_1, strain_2, strain_3};
    Gradient g[3];
    double m[9], more[3] = {right[0], right[1], right[2]};
    for (int i = 0; i < 3; i++) {
        g[i] = gradient_of(of[i], at);
    }
    for (int i = 0; i < 9; i++) {
        m[i] = weighed(&g[i / 3], &g[i % 3], at->w) + a[i / 3][i % 3];
    }
    CHECK(dense_solve(3, m, more));
    for (int i = 0; i < 3; i++) {
        move_points(at, &g[i], more[i]);
        lambda[i] += more[i];
    }
}

static void expect_corner(const Bench* b, int corner, int lane, Points* at, double lambda[3])
{
    const PbdSlot* s = &b->four.slots[corner];
    const PbdGhost* gs = &b->four.ghosts[corner];
    const double weight[3] = {0.9, 0.7, 0.6};
    double a[3][3] = {0}, right[3];
    CordVec3 beta = strain_of(at), was = lane3(&gs->bend_lambda, lane);
    lambda[0] = was.x, lambda[1] = was.y, lambda[2] = was.z;
    if (b->sweep.compliant) {
        a[0][0] = gs->bend_compliance[0][lane], a[0][1] = a[1][0] = gs->bend_compliance[1][lane];
        a[1][1] = gs->bend_compliance[2][lane], a[2][2] = gs->bend_compliance[3][lane];
    }
    for (int k = 0; k < 3; k++) {
        right[k] = -(component_of(beta, k) - s->now_rest[k][lane]) * (b->sweep.compliant ? 1.0 : weight[k]);
        for (int j = 0; j < 3; j++) {
            right[k] -= a[k][j] * lambda[j];
        }
    }
    project_strain(at, right, a, lambda);
}

// Rests within 0.05 of what there is, so that no point has to go farther than a constraint takes it at once.
static void near_rest(Bench* b, int corner, uint64_t seed)
{
    PbdSlot* s = &b->four.slots[corner];
    PbdGhost* gs = &b->four.ghosts[corner];
    for (int lane = 0; lane < WIDE_LANES; lane++) {
        Points at = points_of(b, lane);
        CordVec3 beta = strain_of(&at);
        for (int k = 0; k < 3; k++) {
            s->now_rest[k][lane] = component_of(beta, k) + random_in(&seed, -0.05, 0.05);
        }
        gs->bend_compliance[0][lane] = random_in(&seed, 1e4, 1e5),
        gs->bend_compliance[2][lane] = random_in(&seed, 1e4, 1e5);
        gs->bend_compliance[1][lane] = random_in(&seed, -5e3, 5e3),
        gs->bend_compliance[3][lane] = random_in(&seed, 1e4, 1e5);
        set_lane3(&gs->bend_lambda, lane, random_vec3(&seed, 1e-7));
    }
}

// Corners along a rod, and the one where a ring was glued.
TEST(corners_are_put_right_along_their_gradients)
{
    for (int i = 0; i < 4 * SEEDS; i++) {
        Bench b;
        Points expected[WIDE_LANES];
        double lambda[WIDE_LANES][3];
        int corner = i / 2 % 2 ? 2 : 0;
        random_bench(&b, (Reach)(i % 2), corner, (uint64_t)i + 1);
        near_rest(&b, corner, (uint64_t)i + 77);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            expected[lane] = points_of(&b, lane);
            expect_corner(&b, corner, lane, &expected[lane], lambda[lane]);
        }
        sweep_corner(&b.sweep, corner);
        check_points(&b, expected);
        for (int lane = 0; lane < WIDE_LANES && b.sweep.compliant; lane++) {
            CordVec3 is = lane3(&b.four.ghosts[corner].bend_lambda, lane);
            for (int k = 0; k < 3; k++) {
                CHECK_NEAR(component_of(is, k), lambda[lane][k], 1e-13); // of 1e-6
            }
        }
    }
}

// A corner that nothing holds against twist has no end of compliance there, which must not hide what the
// others are: it bends as another does.
TEST(a_corner_that_does_not_resist_twist_resists_bending)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Bench b;
        Points expected[WIDE_LANES];
        random_bench(&b, DIRECTORS, 2, seed);
        near_rest(&b, 2, seed);
        PbdGhost* gs = &b.four.ghosts[2];
        gs->bend_compliance[3] = wide_set(1e300), gs->bend_lambda.z = wide_set(0.0);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            double lambda[3];
            expected[lane] = points_of(&b, lane);
            expect_corner(&b, 2, lane, &expected[lane], lambda);
        }
        Four before;
        copy_four(&before, &b.four);
        sweep_corner(&b.sweep, 2);
        check_points(&b, expected);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            CordVec3 moved = vec3_sub(lane3(&b.four.slots[2].x, lane), lane3(&before.slots[2].x, lane));
            CHECK(vec3_length(moved) > 1e3 * MOVES);
        }
    }
}

// With multipliers that have met their end the corner is off by what its compliance gives way: the moment is
// K (beta - rest).
TEST(a_compliant_corner_comes_to_its_moment)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Bench b;
        random_bench(&b, DIRECTORS, 2, seed);
        near_rest(&b, 2, seed);
        const PbdGhost* gs = &b.four.ghosts[2];
        for (int n = 0; n < 60; n++) {
            sweep_corner(&b.sweep, 2);
        }
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            Points at = points_of(&b, lane);
            CordVec3 beta = strain_of(&at), l = lane3(&gs->bend_lambda, lane);
            const CordWide *a = gs->bend_compliance, *rest = b.four.slots[2].now_rest;
            CHECK_NEAR(beta.x - rest[0][lane], -(a[0][lane] * l.x + a[1][lane] * l.y), 1e-12);
            CHECK_NEAR(beta.y - rest[1][lane], -(a[1][lane] * l.x + a[2][lane] * l.y), 1e-12);
            CHECK_NEAR(beta.z - rest[2][lane], -(a[3][lane] * l.z), 1e-12);
        }
    }
}

// Gradients of what a rigid motion leaves as it is: the paper's points keep their momentum, linear and
// angular.
TEST(the_papers_points_keep_their_momentum)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Bench b;
        Points before[WIDE_LANES];
        random_bench(&b, POINTS, 2, seed);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            before[lane] = points_of(&b, lane);
        }
        sweep_corner(&b.sweep, 2);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            Points after = points_of(&b, lane);
            CordVec3 linear = {0, 0, 0}, angular = {0, 0, 0};
            double most = 0.0;
            for (int i = 0; i < 5; i++) {
                CordVec3 moved = vec3_mul(vec3_sub(after.p[i], before[lane].p[i]), 1.0 / after.w[i]);
                linear = vec3_add(linear, moved);
                angular = vec3_add(angular, vec3_cross(before[lane].p[i], moved));
                most = fmax(most, vec3_length(moved));
            }
            CHECK(most > 1e-6);
            CHECK_VEC3(linear, ((CordVec3){0, 0, 0}), 1e-13 * most);
            CHECK_VEC3(angular, ((CordVec3){0, 0, 0}), 1e-13 * most);
        }
    }
}

// What is folded, has lost its length or its ghost: no number is lost, and no point goes farther than half an
// edge.
TEST(degenerate_corners_move_little_and_stay_finite)
{
    for (int i = 0; i < 8 * SEEDS; i++) {
        Bench b;
        random_bench(&b, (Reach)(i % 2), 2, (uint64_t)i + 1);
        PbdSlot* s = b.four.slots;
        switch (i / 2 % 4) {
        case 0: s[3].x = s[1].x; break; // folded onto itself
        case 1: s[2].x = s[1].x; break; // an edge that is gone
        case 2: b.four.ghosts[1].x = mul3(add3(s[1].x, s[2].x), b.sweep.reach); break;
        default: s[2].x = s[1].x, s[3].x = s[1].x; break;
        }
        Four before;
        copy_four(&before, &b.four);
        sweep_corner(&b.sweep, 2);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            double most = 0.5 * fmin(s[1].rest_length[lane], s[2].rest_length[lane]);
            for (int n = 0; n < 4; n++) {
                CordVec3 moved = vec3_sub(lane3(&s[n].x, lane), lane3(&before.slots[n].x, lane));
                CordVec3 ghost = vec3_sub(lane3(&b.four.ghosts[n].x, lane), lane3(&before.ghosts[n].x, lane));
                CHECK(vec3_length(moved) <= most * (1 + 1e-12));
                CHECK(vec3_length(ghost) <= most * (1 + 1e-12));
            }
        }
        sweep_edge(&b.sweep, 1);
        sweep_edge(&b.sweep, 2);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            for (int n = 0; n < 4; n++) {
                CHECK(vec3_finite(lane3(&s[n].x, lane)) && vec3_finite(lane3(&b.four.ghosts[n].x, lane)));
            }
        }
    }
}

static bool same_lane(const Four* a, const Four* b, int lane)
{
    bool same = true;
    for (int i = 0; i < a->p.node_count; i++) {
        const double* of_a[] = {(const double*)&a->slots[i].x, (const double*)&a->ghosts[i].x,
                                (const double*)&a->ghosts[i].lambda,
                                (const double*)&a->ghosts[i].bend_lambda};
        const double* of_b[] = {(const double*)&b->slots[i].x, (const double*)&b->ghosts[i].x,
                                (const double*)&b->ghosts[i].lambda,
                                (const double*)&b->ghosts[i].bend_lambda};
        for (int k = 0; k < 4; k++) {
            for (int n = 0; n < (k == 2 ? 1 : 3); n++) {
                same &= memcmp(&of_a[k][WIDE_LANES * n + lane], &of_b[k][WIDE_LANES * n + lane],
                               sizeof(double)) == 0;
            }
        }
    }
    return same;
}

static void lose(Four* f, const Sweep* w, int what, int lane)
{
    PbdSlot* s = f->slots;
    CordVec3 x = lane3(&s[1].x, lane), y = lane3(&s[2].x, lane);
    switch (what) {
    case 0: set_lane3(&s[3].x, lane, x); break; // folded
    case 1: set_lane3(&s[2].x, lane, x); break; // an edge
    case 2: set_lane3(&f->ghosts[1].x, lane, vec3_mul(vec3_add(x, y), w->reach[lane])); break;
    case 3:
        s[1].w[lane] = s[2].w[lane] = s[3].w[lane] = f->ghosts[1].w[lane] = f->ghosts[2].w[lane] = 0.0;
        break;
    default:
        s[2].now_rest[1][lane] = 1e6;
        break; // would have to go farther than a constraint takes it at once
    }
}

// One lane that needs care, and all of them take the other way; what the others come to stays the same to the
// last bit.
TEST(a_lane_that_has_lost_something_does_not_touch_the_others)
{
    for (int i = 0; i < 10 * SEEDS; i++) {
        Bench b;
        int bad = i % WIDE_LANES;
        random_bench(&b, (Reach)(i % 2), 2, (uint64_t)i + 1);
        near_rest(&b, 2, (uint64_t)i + 5);
        Four alone;
        copy_four(&alone, &b.four);
        Sweep sweep = sweep_of(&alone.p, b.sweep.compliant);
        lose(&b.four, &b.sweep, i / 2 % 5, bad);
        sweep_edge(&b.sweep, 1), sweep_edge(&sweep, 1);
        CHECK(i / 2 % 5 == 0 || i / 2 % 5 == 4 || !same_lane(&b.four, &alone, bad));
        sweep_corner(&b.sweep, 2), sweep_corner(&sweep, 2);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            CHECK(same_lane(&b.four, &alone, lane) == (lane != bad));
        }
    }
}

TEST(what_is_held_stays_where_it_is)
{
    for (int i = 0; i < 2 * SEEDS; i++) {
        Bench b;
        random_bench(&b, (Reach)(i % 2), 2, (uint64_t)i + 1);
        b.four.slots[1].w = b.four.slots[2].w = b.four.ghosts[1].w = wide_set(0.0);
        Four before;
        copy_four(&before, &b.four);
        sweep_edge(&b.sweep, 1);
        sweep_corner(&b.sweep, 2);
        CHECK_INT(memcmp(&b.four.slots[1].x, &before.slots[1].x, sizeof(Wide3)), 0);
        CHECK_INT(memcmp(&b.four.slots[2].x, &before.slots[2].x, sizeof(Wide3)), 0);
        CHECK_INT(memcmp(&b.four.ghosts[1].x, &before.ghosts[1].x, sizeof(Wide3)), 0);
        CHECK(memcmp(&b.four.slots[3].x, &before.slots[3].x, sizeof(Wide3)) != 0);
    }
}

// ---- the order

TEST(every_order_comes_to_each_constraint_once)
{
    const int first[][4] = {{0, 1, 2, 3}, {0, 6, 1, 5}, {0, 2, 4, 6}};
    for (CordPbdOrder order = CORD_PBD_NATURAL; order <= CORD_PBD_INTERLEAVED; order++) {
        for (int count = 1; count < 30; count++) {
            bool seen[30] = {false};
            for (int k = 0; k < count; k++) {
                int at = in_order(order, k, count);
                CHECK(at >= 0 && at < count && !seen[at]);
                seen[at] = true;
            }
        }
        for (int k = 0; k < 4; k++) {
            CHECK_INT(in_order(order, k, 7), first[order][k]);
        }
    }
}

// Edges first and then corners, whatever goes along with what.
static void sweep_plainly(const Sweep* w)
{
    const PbdLanes* p = w->p;
    int first = pbd_corner_first(p), corners = pbd_corner_last(p) - first;
    for (int k = 0; k < p->edge_count; k++) {
        sweep_edge(w, in_order(p->def.order, k, p->edge_count));
    }
    for (int k = 0; k < corners; k++) {
        sweep_corner(w, first + in_order(p->def.order, k, corners));
    }
}

TEST(corners_that_go_along_with_edges_come_to_the_same_as_after_them)
{
    for (int i = 0; i < 12 * SEEDS; i++) {
        Four f, plain;
        bool closed = i / 2 % 2 == 0, compliant = i % 2 == 0;
        random_four(&f, 3 + i % 7, closed, 0.01, (uint64_t)i + 1);
        f.p.def.order = (CordPbdOrder)(i / 4 % 3);
        f.p.def.weight_bend1 = f.p.def.weight_bend2 = f.p.def.weight_twist = f.p.def.weight_stretch = 0.7;
        Sweep w = sweep_of(&f.p, compliant);
        set_compliance(&f.p);
        for (int k = 0; k < f.p.edge_count; k++) {
            const PbdSlot *s = &f.slots[k], *next = &f.slots[pbd_next(&f.p, k)];
            f.ghosts[k].w = wide_set(100.0), f.ghosts[k].length = s->rest_length;
            f.ghosts[k].x = madd3(mul3(add3(s->x, next->x), w.reach), s->m1, s->rest_length);
        }
        copy_four(&plain, &f);
        Sweep v = sweep_of(&plain.p, compliant);
        sweep_all(&w), sweep_plainly(&v);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            CHECK(same_lane(&f, &plain, lane));
        }
    }
}

TEST_GROUP(pbd_constraint)
