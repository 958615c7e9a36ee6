// The wide kernels of DER and of the length projection against plain code, and against each other.
#include "math/kernel.h"
#include "model/der/uniform.h"
#include "rod_crooked.h"
#include "solve/rattle_kernel.h"

#include <stdlib.h>

KERNEL_DECLARE(DerKernels, der_kernels);
KERNEL_DECLARE(RattleKernels, rattle_kernels);

#define MOST 40
#define KICK 1e-3
#define STEP 2e-3

typedef struct Case {
    int nodes;
    bool closed, stretch, twist, drift;
} Case;

// A crooked rod with velocities, twist and one held node.
static Rod* rod_of(CordWorld* world, Case a)
{
    uint64_t seed = (uint64_t)a.nodes;
    CordRodDef def = a.closed ? ring_def(a.nodes) : line_def(a.nodes);
    def.twist = a.twist ? 3.0 : 0.0;
    CordRodId id = add_rod(world, &def);
    throw_nodes(world_rod(world, id), &seed, 1.0);
    if (a.nodes > 4) {
        hold(world, id, cord_at_start(), CORD_FIX_FRAME);
        hold(world, id, cord_at_edge(a.nodes - 2), CORD_FIX_FRAME);
    }
    shake(world, id, &seed, 0.2 / a.nodes); // a fifth of an edge or less
    return world_rod(world, id);
}

static DerKick kick_of(const Rod* rod, Case a)
{
    const CordCenterline* c = &rod->line;
    const CordDer* m = der_of(rod);
    DerKick k = {.slot_count = c->slot_count,
                 .edge_slots = c->slot_count - 1,
                 .w = c->w,
                 .inv_rest = c->inv_rest,
                 .bend = m->bend,
                 .moment = a.twist ? m->moment : NULL,
                 .EA = a.stretch ? m->EA : NULL,
                 .gravity = {kick_gravity.x, kick_gravity.y, kick_gravity.z},
                 .kick = KICK,
                 .h = a.drift ? STEP : 0.0};
    for (int i = 0; i < 3; i++) {
        k.x[i] = c->x[i], k.v[i] = c->v[i];
        k.x_next[i] = c->x_next[i], k.v_next[i] = c->v_next[i];
    }
    return k;
}

static void gradient_of(const Rod* rod, Case a, CordVec3* dE_dx)
{
    memset(dE_dx, 0, sizeof *dE_dx * (size_t)a.nodes);
    der_bend_gradient(der_of(rod), &rod->line, dE_dx);
    if (a.twist) {
        der_twist_gradient(der_of(rod), &rod->line, dE_dx);
    }
    if (a.stretch) {
        der_stretch_gradient(der_of(rod), &rod->line, dE_dx);
    }
}

static void check_kick(const DerKernels* kernels, Case a)
{
    CordWorld* world = new_weightless_world();
    Rod* rod = rod_of(world, a);
    DerKick k = kick_of(rod, a);
    CordVec3 f[MOST];
    gradient_of(rod, a, f);
    for (int i = 0; i < a.nodes; i++) {
        f[i] = vec3_mul(f[i], -1.0);
    }
    kernels->kick(&k);
    check_kicked(&rod->line, f, KICK, k.h, 1e-13); // both sum some twenty terms of that size
    cord_world_destroy(world);
}

static void each_case(const DerKernels* kernels, void (*check)(const DerKernels*, Case))
{
    for (int nodes = 2; nodes <= MOST; nodes++) {
        for (int bits = 0; bits < 16; bits++) {
            Case a = {nodes, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
            if (!a.closed || nodes >= 3) {
                check(kernels, a);
            }
        }
    }
}

TEST(kicks_agree_with_the_scalar_gradients_for_every_size)
{
    each_case(&der_kernels_plain, check_kick);
    each_case(der_kernels(), check_kick);
}

TEST(the_kick_leaves_padding_zero_and_sums_the_speeds)
{
    for (int nodes = 2; nodes <= MOST; nodes++) {
        CordWorld* world = new_weightless_world();
        Case a = {nodes, false, true, true, true};
        Rod* rod = rod_of(world, a);
        const CordCenterline* c = &rod->line;
        DerKick k = kick_of(rod, a);
        double sum = der_kernels()->kick(&k), expected = 0.0;
        for (int i = 0; i < nodes; i++) {
            CordVec3 v = slot_get(c->v_next, i);
            expected += vec3_dot(v, v);
        }
        CHECK_NEAR(sum / expected, 1.0, 1e-14);
        for (int s = nodes; s < nodes + CENTERLINE_PAD; s++) {
            for (int i = 0; i < 3; i++) {
                CHECK_NEAR(c->v_next[i][s], 0.0, 0.0);
                CHECK_NEAR(c->x_next[i][s], 0.0, 0.0);
            }
        }
        cord_world_destroy(world);
    }
}

TEST(a_node_that_is_not_finite_shows_in_the_sum)
{
    for (int node = 0; node < 20; node++) {
        CordWorld* world = new_weightless_world();
        Case a = {20, false, true, false, true};
        Rod* rod = rod_of(world, a);
        rod->line.x[1][node] = NAN;
        DerKick k = kick_of(rod, a);
        CHECK(!isfinite(der_kernels()->kick(&k)));
        cord_world_destroy(world);
    }
}

#define PAD 8
#define ROW (MOST + 2 * PAD)

typedef struct RattleData {
    double array[28][ROW];
} RattleData;

static RattleArrays lengths_of(RattleData* data, int nodes, uint64_t seed)
{
    memset(data, 0, sizeof *data);
    for (int row = 0; row < 10; row++) { // x, v, w, rest_len, inv_rest, lambda
        for (int s = 0; s < nodes; s++) {
            double most = row == 9 ? 1e-3 : 1.0; // multipliers that turn no edge far
            data->array[row][PAD + s] = random_in(&seed, 0.1 * most, most);
        }
    }
    data->array[6][PAD + nodes / 2] = 0.0; // a held node
    data->array[9][PAD + nodes - 1] = 0.0; // no edge after the last
    double* at[28];
    for (int row = 0; row < 28; row++) {
        at[row] = data->array[row] + PAD;
    }
    return (RattleArrays){.slot_count = nodes,
                          .edge_slots = nodes - 1,
                          .first = 0,
                          .rows = nodes - 1,
                          .x = {at[0], at[1], at[2]},
                          .v = {at[3], at[4], at[5]},
                          .w = at[6],
                          .rest_len = at[7],
                          .inv_rest = at[8],
                          .lambda = at[9],
                          .h = STEP,
                          .x_next = {at[10], at[11], at[12]},
                          .d = {at[13], at[14], at[15]},
                          .e = {at[16], at[17], at[18]},
                          .lower = at[19],
                          .diag = at[20],
                          .upper = at[21],
                          .residual = at[22]};
}

TEST(an_edge_that_turns_too_far_is_too_much_for_the_projection)
{
    static RattleData data;
    const double most = acos(sqrt(RATTLE_COS2_MOST_TURN)),
                 turns[] = {0.0, 0.95 * most, 1.05 * most, 1.6, 3.0};
    for (int i = 0; i < 5; i++) {
        RattleArrays a = lengths_of(&data, 2, 1);
        memset(data.array, 0, 6 * sizeof *data.array); // x and v: from along x to the angle, in one step
        data.array[9][PAD] = 0.0;
        data.array[0][PAD + 1] = 1.0;
        data.array[3][PAD + 1] = (cos(turns[i]) - 1.0) / STEP;
        data.array[4][PAD + 1] = sin(turns[i]) / STEP;
        rattle_kernels_plain.start(&a);
        CHECK((rattle_kernels_plain.linearise(&a) == INFINITY) == (turns[i] > most));
    }
}

static void check_same_bits(const DerKernels* kernels, Case a)
{
    CordWorld* world = new_weightless_world();
    Rod* rod = rod_of(world, a);
    DerKick k = kick_of(rod, a);
    size_t bytes = rod->line.block_size;
    double plain_sum = der_kernels_plain.kick(&k);
    void* plain = malloc(bytes);
    memcpy(plain, rod->line.block, bytes);
    double sum = kernels->kick(&k);
    CHECK_INT(memcmp(&sum, &plain_sum, sizeof sum), 0);
    CHECK_INT(memcmp(plain, rod->line.block, bytes), 0); // all arrays, padding too
    free(plain);
    cord_world_destroy(world);
}

TEST(all_kernels_of_kicks_give_the_same_bits)
{
    each_case(der_kernels(), check_same_bits);
}

static void all_of(const RattleKernels* k, const RattleArrays* a, double* numbers)
{
    k->start(a);
    numbers[0] = k->linearise(a);
    numbers[1] = k->evaluate(a);
    numbers[2] = k->finish(a);
}

TEST(all_kernels_of_lengths_give_the_same_bits)
{
    static RattleData plain, wide;
    for (int nodes = 2; nodes <= MOST; nodes++) {
        double a[3], b[3];
        RattleArrays arrays = lengths_of(&plain, nodes, (uint64_t)nodes);
        all_of(&rattle_kernels_plain, &arrays, a);
        arrays = lengths_of(&wide, nodes, (uint64_t)nodes);
        all_of(KERNEL_CHOOSE(rattle_kernels), &arrays, b);
        CHECK_INT(memcmp(a, b, sizeof a), 0);
        CHECK_INT(memcmp(&plain, &wide, sizeof plain), 0);
        CHECK(a[0] == a[1] && a[0] > 0.0); // with and without the matrix: the same residual
    }
}

TEST_GROUP(der_kernel)
