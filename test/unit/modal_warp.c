// Warping: the mean of a growing turn, its rate, and the kernel that does it for eight nodes at a time.
#include "check.h"
#include "model/modal/kernel.h"
#include "model/modal/warp.h"
#include "random.h"

extern const ModalKernels modal_kernels_plain;
#if defined(__x86_64__) && !defined(CORD_NO_AVX2)
extern const ModalKernels modal_kernels_avx2;

static const ModalKernels* wide_kernels(void) // NULL: this processor has none
{
    return __builtin_cpu_supports("avx2") ? &modal_kernels_avx2 : NULL;
}
#else
static const ModalKernels* wide_kernels(void)
{
    return NULL; // this build has one kernel
}
#endif

// exp([w]) a, by Rodrigues' formula with the C library's functions
static CordVec3 turned(CordVec3 w, CordVec3 a)
{
    double angle = vec3_length(w);
    if (angle == 0.0) {
        return a;
    }
    CordVec3 n = vec3_mul(w, 1.0 / angle), b = vec3_mul(a, cos(angle));
    b = vec3_madd(b, vec3_cross(n, a), sin(angle));
    return vec3_madd(b, n, 2.0 * sin(0.5 * angle) * sin(0.5 * angle) * vec3_dot(n, a));
}

// The mean over s from 0 to 1 of exp(s [w]) u: Gauss's rule of five points on 40 parts is exact to round-off
// for |w| below 20.
static CordVec3 mean_turned(CordVec3 w, CordVec3 u)
{
    static const double at[5] = {-0.90617984593866399280, -0.53846931010568309104, 0, 0.53846931010568309104,
                                 0.90617984593866399280};
    static const double weight[5] = {0.23692688505618908751, 0.47862867049936646804, 0.56888888888888888889,
                                     0.47862867049936646804, 0.23692688505618908751};
    CordVec3 sum = {0, 0, 0};
    const int parts = 40;
    for (int i = 0; i < 5 * parts; i++) {
        double s = (i / 5 + 0.5 * (1.0 + at[i % 5])) / parts;
        sum = vec3_madd(sum, turned(vec3_mul(w, s), u), 0.5 * weight[i % 5] / parts);
    }
    return sum;
}

// ---- one node

TEST(warping_is_the_mean_of_a_turn_that_grows)
{
    uint64_t seed = 1;
    for (int n = 0; n < 400; n++) {
        double size = pow(10.0, -6.0 + 0.0175 * n); // angles from 1e-6 to 10
        CordVec3 w = random_vec3(&seed, size), u = random_vec3(&seed, 1.0);
        Warp warp = warp_of(w);
        CHECK_VEC3(warp_displace(&warp, u), mean_turned(w, u), 1e-14); // 200 terms of order 1/200
    }
}

TEST(warp_turns_vectors_there_and_back)
{
    uint64_t seed = 2;
    for (int n = 0; n < 400; n++) {
        CordVec3 w = random_vec3(&seed, pow(10.0, -6.0 + 0.0175 * n)), a = random_vec3(&seed, 1.0);
        Warp warp = warp_of(w);
        double round = 1e-15 * (4.0 + vec3_length(w)); // of the sine of a large angle, too
        CHECK_VEC3(warp_turn(&warp, a), turned(w, a), round);
        CHECK_VEC3(warp_turn_back(&warp, warp_turn(&warp, a)), a, 4.0 * round);
    }
}

// Both sides of the switch between series and closed forms, |w| = 0.1: what is one step of the last place
// apart may differ by round-off alone. Of mean and rest 1 - cos leaves 1e-16 / 0.01, and the difference in
// their slopes is taken once more.
TEST(small_angles_go_over_into_large_ones)
{
    CordVec3 axis = vec3_unit((CordVec3){1, -2, 0.5}), u = {0.3, -0.8, 1.1}, w_rate = {2, -1, 3},
             u_rate = {1, 1, -2};
    Warp below = warp_of(vec3_mul(axis, 0.1 * (1.0 - 1e-14))),
         above = warp_of(vec3_mul(axis, 0.1 * (1.0 + 1e-14)));
    CHECK_NEAR(below.sine, above.sine, 1e-15);
    CHECK_NEAR(below.mean, above.mean, 4e-14);
    CHECK_NEAR(below.rest, above.rest, 4e-14);
    CHECK_VEC3(warp_displace(&below, u), warp_displace(&above, u), 1e-14);
    CHECK_VEC3(warp_velocity(&below, u, w_rate, u_rate), warp_velocity(&above, u, w_rate, u_rate), 1e-13);
}

TEST(the_velocity_is_the_rate_of_the_displacement)
{
    uint64_t seed = 3;
    for (int n = 0; n < 400; n++) {
        CordVec3 w = random_vec3(&seed, pow(10.0, -4.0 + 0.0125 * n)), u = random_vec3(&seed, 1.0);
        CordVec3 w_rate = random_vec3(&seed, 1.0), u_rate = random_vec3(&seed, 1.0);
        // differences of fourth order: errors of d^4 / 30 times a fifth derivative of order 1
        const double d = 1e-3;
        const double of[4] = {1.0 / 12, -2.0 / 3, 2.0 / 3, -1.0 / 12}, step[4] = {-2, -1, 1, 2};
        CordVec3 rate = {0, 0, 0};
        for (int i = 0; i < 4; i++) {
            Warp warp = warp_of(vec3_madd(w, w_rate, step[i] * d));
            rate = vec3_madd(rate, warp_displace(&warp, vec3_madd(u, u_rate, step[i] * d)), of[i] / d);
        }
        Warp warp = warp_of(w);
        CHECK_VEC3(warp_velocity(&warp, u, w_rate, u_rate), rate, 1e-11); // and 1e-16 / d of round-off
    }
}

TEST(nothing_is_warped_where_nothing_turns)
{
    Warp warp = warp_of((CordVec3){0, 0, 0});
    CordVec3 u = {1.5, -2.5, 3.5};
    CHECK_VEC3(warp_displace(&warp, u), u, 0.0);
    CHECK_VEC3(warp_turn(&warp, u), u, 0.0);
}

// A rod that bends into an arc of radius R: linear theory has u = (0, 0, s^2 / 2 R) and w = -s / R about y at
// its end, and no shortening.
TEST(warping_draws_the_end_of_a_bent_rod_in)
{
    const double a = 0.2, R = 5.0, s = 1.0; // s = R a
    Warp warp = warp_of((CordVec3){0, -a, 0});
    CordVec3 d = warp_displace(&warp, (CordVec3){0, 0, s * s / (2 * R)});
    double x = R * sin(a) - s, z = R * (1 - cos(a));
    CHECK(x < 0.0 && d.x < 0.0);
    CHECK_NEAR(d.z / z, 1.0, a * a / 6); // 1 - a^2 / 6 against 1 - a^2 / 12
    // u of linear theory lies along the last section's axis: 1/4 against 1/6 of s a^2
    CHECK_NEAR(d.x / x, 1.5, a * a);
}

// ---- eight nodes at a time

#define MOST_BLOCKS 5
#define MOST_MODES 7
#define MOST_NODES (MODAL_LANES * MOST_BLOCKS)

typedef struct Case {
    float table[MOST_BLOCKS * MOST_MODES * MODAL_STRIDE];
    double rest[3][MOST_NODES], q[MOST_MODES], ahead[MOST_MODES];
    double x[3][MOST_NODES], load[MOST_MODES];
    float room[MODAL_ROOM * MOST_MODES];
} Case;

static ModalArrays random_case(Case* c, uint64_t seed, int blocks, int modes)
{
    memset(c, 0, sizeof *c);
    double size = pow(10.0, random_in(&seed, -4.0, 0.5)); // of turns
    ModalArrays a = {.block_count = blocks, .mode_count = modes, .table = c->table};
    a.q = c->q, a.ahead = c->ahead, a.load = c->load, a.room = c->room;
    for (int i = 0; i < blocks * modes * MODAL_STRIDE; i++) {
        c->table[i] = (float)random_in(&seed, -1, 1);
    }
    for (int k = 0; k < modes; k++) {
        c->q[k] = random_in(&seed, -size, size), c->ahead[k] = random_in(&seed, -size, size);
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < MODAL_LANES * blocks; i++) {
            c->rest[k][i] = random_in(&seed, -1, 1);
        }
        a.rest[k] = c->rest[k], a.x[k] = c->x[k];
        a.even[k] = random_in(&seed, -1, 1);
        a.origin[k] = random_in(&seed, -1, 1), a.shift[k] = random_in(&seed, -1, 1);
    }
    for (int k = 0; k < 9; k++) {
        a.spread[k] = random_in(&seed, -1, 1), a.turn[k] = random_in(&seed, -1, 1);
    }
    a.warp = seed >> 40 & 1, a.spreads = seed >> 41 & 1, a.carried = seed >> 42 & 1;
    a.reach = random_in(&seed, 0.01, 2.0);
    return a;
}

static CordVec3 three(const double a[3])
{
    return (CordVec3){a[0], a[1], a[2]};
}

static CordVec3 matrix_times(const double A[9], CordVec3 a)
{
    return (CordVec3){vec3_dot(three(A), a), vec3_dot(three(A + 3), a), vec3_dot(three(A + 6), a)};
}

static CordVec3 from_table(const ModalArrays* a, int node, int mode, int part) // turns, displacements, loads
{
    const float* block = a->table + (size_t)(node / MODAL_LANES * a->mode_count) * MODAL_STRIDE;
    const float* at = block + (size_t)(part * a->mode_count + mode) * 3 * MODAL_LANES + node % MODAL_LANES;
    return (CordVec3){(double)at[0], (double)at[MODAL_LANES], (double)at[2 * MODAL_LANES]};
}

static Warp node_at(const ModalArrays* a, const double* q, int node,
                    CordVec3* d) // its turn, and how far it is from its rest place
{
    CordVec3 w = {0, 0, 0}, u = {0, 0, 0};
    for (int k = 0; k < a->mode_count; k++) {
        w = vec3_madd(w, from_table(a, node, k, 0), q[k]);
        u = vec3_madd(u, from_table(a, node, k, 1), q[k]);
    }
    Warp warp = warp_of(a->warp ? w : (CordVec3){0, 0, 0});
    *d = warp_displace(&warp, u);
    return warp;
}

static CordVec3 rest_of(const ModalArrays* a, int node)
{
    return (CordVec3){a->rest[0][node], a->rest[1][node], a->rest[2][node]};
}

// The same, node by node with warp.c.
static CordVec3 place_one(const ModalArrays* a, int node)
{
    CordVec3 d;
    node_at(a, a->q, node, &d);
    CordVec3 x = vec3_add(rest_of(a, node), d);
    return a->carried ? vec3_add(matrix_times(a->turn, vec3_sub(x, three(a->origin))), three(a->shift)) : x;
}

static void load_one(const ModalArrays* a, int node, double* load)
{
    CordVec3 d, pull = three(a->even);
    Warp warp = node_at(a, a->ahead, node, &d);
    CordVec3 counts = vec3_length(d) > a->reach ? vec3_mul(d, a->reach / vec3_length(d)) : d;
    if (a->spreads) {
        pull = vec3_add(
            pull, matrix_times(a->spread, vec3_sub(vec3_add(rest_of(a, node), counts), three(a->origin))));
    }
    pull = warp_turn_back(&warp, pull);
    for (int k = 0; k < a->mode_count; k++) {
        load[k] += vec3_dot(from_table(a, node, k, 2), pull);
    }
}

// Sums over modes are taken in single precision: some 1e-7 of each of seven modes, of turns of up to 3 and
// loads of 40 nodes.
static void check_kernel(const ModalKernels* kernels)
{
    static Case c;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        ModalArrays a = random_case(&c, seed, 1 + (int)(seed % MOST_BLOCKS), 1 + (int)(seed % MOST_MODES));
        kernels->place(&a);
        double load[MOST_MODES] = {0};
        for (int i = 0; i < MODAL_LANES * a.block_count; i++) {
            load_one(&a, i, load);
            CHECK_VEC3(((CordVec3){c.x[0][i], c.x[1][i], c.x[2][i]}), place_one(&a, i), 2e-5);
        }
        for (int k = 0; k < a.mode_count; k++) {
            CHECK_NEAR(c.load[k], load[k], 4e-5);
        }
    }
}

TEST(the_plain_kernel_agrees_with_single_nodes)
{
    check_kernel(&modal_kernels_plain);
}

TEST(the_kernel_gives_positions_or_loads_alone)
{
    static Case both, one;
    ModalArrays a = random_case(&both, 7, 3, 4), b = random_case(&one, 7, 3, 4);
    modal_kernels_plain.place(&a);
    b.load = NULL, b.ahead = NULL;
    modal_kernels_plain.place(&b);
    CHECK_INT(memcmp(both.x, one.x, sizeof both.x), 0);
    b = random_case(&one, 7, 3, 4);
    b.x[0] = b.x[1] = b.x[2] = NULL, b.q = NULL;
    modal_kernels_plain.place(&b);
    CHECK_INT(memcmp(both.load, one.load, sizeof both.load), 0);
}

TEST(the_avx2_kernel_agrees_with_single_nodes_and_with_the_plain_one_to_the_bit)
{
    const ModalKernels* kernels = wide_kernels();
    if (!kernels) {
        skip();
    }
    check_kernel(kernels);
    static Case plain, wide;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        int blocks = 1 + (int)(seed % MOST_BLOCKS), modes = 1 + (int)(seed % MOST_MODES);
        ModalArrays a = random_case(&plain, seed, blocks, modes), b = random_case(&wide, seed, blocks, modes);
        modal_kernels_plain.place(&a);
        kernels->place(&b);
        CHECK_INT(memcmp(plain.x, wide.x, sizeof plain.x), 0);
        CHECK_INT(memcmp(plain.load, wide.load, sizeof plain.load), 0);
    }
}

TEST_GROUP(modal_warp)
