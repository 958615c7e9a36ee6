#include "base_heap.h"
#include "math/sparse_ldu.h"
#include "math/sparse_ldu_kernel.h"
#include "math_dense.h"

#include <stdlib.h>

#define MOST 240 // unknowns of a system that is checked against a dense one
#define MOST_PAIRS 2000

typedef enum Kind { CHAIN, STAR, TREE, RING, GRID, SCATTERED, COMPLETE, APART, KINDS } Kind;

// What is coupled with what.
typedef struct Net {
    int count, pair_count;
    int sizes[MOST];
    SparseLduPair pairs[MOST_PAIRS];
} Net;

static void couple(Net* net, int i, int j)
{
    net->pairs[net->pair_count++] = (SparseLduPair){i, j};
}

static Net random_net(Kind kind, int count, uint64_t seed)
{
    Net net = {.count = count};
    for (int i = 0; i < count; i++) {
        net.sizes[i] = 1 + random_int(&seed, SPARSE_LDU_MAX_SIZE);
        for (int j = 0; j < i; j++) {
            if (kind == COMPLETE || (kind == SCATTERED && random_int(&seed, count) < 2)) {
                couple(&net, i, j);
            }
        }
        if (i > 0 && (kind == CHAIN || kind == RING || kind == STAR || kind == TREE)) {
            couple(&net, i, kind == STAR ? 0 : kind == TREE ? random_int(&seed, i) : i - 1);
        }
        if (kind == GRID && i % 5 > 0) {
            couple(&net, i - 1, i);
        }
        if (kind == GRID && i >= 5) {
            couple(&net, i, i - 5);
        }
    }
    if (kind == RING && count > 2) {
        couple(&net, 0, count - 1);
        couple(&net, count - 1, 0); // twice is once
    }
    return net;
}

// A matrix twice: in blocks and dense.
typedef struct System {
    Heap heap;
    Memory memory;
    SparseLdu blocks;
    double dense[MOST][MOST];
    double r[MOST];
} System;

static System* new_system(const Net* net)
{
    System* s = calloc(1, sizeof *s);
    s->memory = memory_on(&s->heap);
    CHECK_OK(sparse_ldu_create(&s->memory, &s->blocks, net->sizes, net->count, net->pairs, net->pair_count));
    CHECK(s->blocks.n <= MOST);
    return s;
}

static void free_system(System* s)
{
    sparse_ldu_destroy(&s->blocks);
    CHECK_INT(s->heap.held, 0);
    free(s);
}

static void write_blocks(System* s)
{
    SparseLdu* b = &s->blocks;
    sparse_ldu_clear(b);
    for (int i = 0; i < b->count; i++) {
        for (int j = 0; j < b->count; j++) {
            double* a = sparse_ldu_at(b, i, j);
            for (int k = 0; a && k < sparse_ldu_size(b, i); k++) {
                for (int c = 0; c < sparse_ldu_size(b, j); c++) {
                    a[k * sparse_ldu_stride(b, j) + c] = s->dense[b->offset[i] + k][b->offset[j] + c];
                }
            }
        }
    }
}

static void random_couplings(System* s, const Net* net, bool symmetric, uint64_t* seed)
{
    const SparseLdu* b = &s->blocks;
    for (int k = -net->count; k < net->pair_count; k++) {
        int i = k < 0 ? k + net->count : net->pairs[k].i, j = k < 0 ? i : net->pairs[k].j;
        for (int p = b->offset[i]; p < b->offset[i + 1]; p++) {
            for (int q = b->offset[j]; q < b->offset[j + 1]; q++) {
                s->dense[p][q] = random_in(seed, -1, 1);
                s->dense[q][p] = symmetric ? s->dense[p][q] : random_in(seed, -1, 1);
            }
        }
    }
}

static System* random_system(const Net* net, bool symmetric, uint64_t seed)
{
    System* s = new_system(net);
    random_couplings(s, net, symmetric, &seed);
    dense_dominate(s->dense[0], MOST, s->blocks.n, &seed);
    for (int i = 0; i < s->blocks.n; i++) {
        s->r[i] = random_in(&seed, -1, 1);
    }
    write_blocks(s);
    return s;
}

static void check_against_dense(const Net* net, bool symmetric, uint64_t seed)
{
    System* s = random_system(net, symmetric, seed);
    int n = s->blocks.n;
    int64_t calls = s->heap.calls;
    LduPivots p = sparse_ldu_factor(&s->blocks);
    CHECK_INT(p.negative, dense_negative_diagonals(s->dense[0], MOST, n));
    CHECK(p.least > 0.25 && p.least <= 1.0 && p.where < n);
    double x[MOST], again[MOST];
    memcpy(x, s->r, sizeof x);
    memcpy(again, s->r, sizeof again);
    sparse_ldu_solve(&s->blocks, x);
    sparse_ldu_solve(&s->blocks, again);
    CHECK_INT(memcmp(x, again, sizeof x), 0); // factored once, solved often
    CHECK_INT(s->heap.calls, calls);          // and nothing allocated
    dense_solve(s->dense[0], MOST, n, s->r);
    check_entries(x, s->r, n, 2e-15); // solutions of order 1, conditions below 4
    free_system(s);
}

TEST(nets_of_every_kind_agree_with_dense_elimination)
{
    for (Kind kind = CHAIN; kind < KINDS; kind++) {
        for (int count = 0; count <= 24; count++) {
            for (uint64_t seed = 0; seed < 5; seed++) {
                Net net = random_net(kind, count, seed + 100 * (uint64_t)count);
                check_against_dense(&net, false, seed);
                check_against_dense(&net, true, seed);
            }
        }
    }
}

TEST(blocks_that_are_not_coupled_are_not_there)
{
    Net net = random_net(CHAIN, 10, 1);
    System* s = new_system(&net);
    for (int i = 0; i < 10; i++) {
        for (int j = 0; j < 10; j++) {
            CHECK_INT(sparse_ldu_at(&s->blocks, i, j) != NULL, abs(i - j) <= 1);
        }
    }
    free_system(s);
}

TEST(blocks_do_not_overlap_and_fill_the_memory)
{
    Net net = random_net(GRID, 24, 2);
    System* s = new_system(&net);
    SparseLdu* b = &s->blocks;
    size_t total = 0;
    for (int i = 0; i < b->count; i++) {
        for (int j = 0; j < b->count; j++) {
            double* a = sparse_ldu_at(b, i, j);
            for (int k = 0; a && k < sparse_ldu_size(b, i) * sparse_ldu_stride(b, j); k++) {
                CHECK_NEAR(a[k], 0.0, 0.0);
                a[k] = 1.0;
                total++;
            }
        }
    }
    CHECK_INT(total, b->value_count);
    sparse_ldu_clear(b);
    for (size_t k = 0; k < b->value_count; k++) {
        CHECK_NEAR(b->values[k], 0.0, 0.0);
    }
    free_system(s);
}

// How many edges a large net of bodies has, fill included.
static int edges_of(Kind kind, int count)
{
    uint64_t seed = 5;
    int pair_count = 0;
    SparseLduPair* pairs = malloc(sizeof *pairs * (size_t)count);
    int* sizes = malloc(sizeof *sizes * (size_t)count);
    for (int i = 0; i < count; i++) {
        sizes[i] = 6;
        if (i > 0) {
            pairs[pair_count++] = (SparseLduPair){i, kind == TREE   ? random_int(&seed, i)
                                                     : kind == STAR ? 0
                                                                    : i - 1};
        }
    }
    if (kind == RING) {
        pairs[pair_count++] = (SparseLduPair){0, count - 1};
    }
    Memory memory = new_memory();
    SparseLdu b;
    CHECK_OK(sparse_ldu_create(&memory, &b, sizes, count, pairs, pair_count));
    CHECK_INT(b.value_count, 48 * (b.count + 2 * b.edge_count)); // six rows of eight each
    int edges = b.edge_count;
    sparse_ldu_destroy(&b);
    CHECK_INT(memory.bytes, 0);
    free(sizes);
    free(pairs);
    return edges;
}

TEST(trees_have_no_fill_and_rings_as_much_as_they_must)
{
    static const int counts[] = {10, 1000, 10000};
    for (int k = 0; k < 3; k++) {
        int count = counts[k];
        CHECK_INT(edges_of(CHAIN, count), count - 1);
        CHECK_INT(edges_of(STAR, count), count - 1);
        CHECK_INT(edges_of(TREE, count), count - 1);
        CHECK_INT(edges_of(RING, count), 2 * count - 3); // a polygon cut into triangles
    }
}

// The next block row by the rule: of those left, the one with the fewest neighbours left, fill included; of
// such, the first.
static int next_by_rule(int count, bool coupled[][MOST], const bool* gone)
{
    int best = -1, best_degree = 0;
    for (int i = 0; i < count; i++) {
        int degree = 0;
        for (int j = 0; j < count; j++) {
            degree += !gone[j] && coupled[i][j];
        }
        if (!gone[i] && (best < 0 || degree < best_degree)) {
            best = i, best_degree = degree;
        }
    }
    return best;
}

TEST(the_order_is_that_of_least_degree_then_least_number)
{
    for (Kind kind = CHAIN; kind < KINDS; kind++) {
        Net net = random_net(kind, 24, 11);
        System* s = new_system(&net);
        static bool coupled[MOST][MOST];
        bool gone[MOST] = {false};
        memset(coupled, 0, sizeof coupled);
        for (int k = 0; k < net.pair_count; k++) {
            coupled[net.pairs[k].i][net.pairs[k].j] = coupled[net.pairs[k].j][net.pairs[k].i] = true;
        }
        for (int p = 0; p < net.count; p++) {
            int i = next_by_rule(net.count, coupled, gone);
            CHECK_INT(s->blocks.order[p], i);
            CHECK_INT(s->blocks.place[i], p);
            gone[i] = true;
            for (int a = 0; a < net.count; a++) {
                for (int c = 0; c < net.count; c++) {
                    bool both = !gone[a] && !gone[c] && coupled[i][a] && coupled[i][c];
                    coupled[a][c] = coupled[a][c] || (both && a != c);
                }
            }
        }
        free_system(s);
    }
}

// The blocks of the lower triangle follow a tree, children before parents.
TEST(negative_pivots_count_the_negative_eigenvalues_of_a_congruence)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        uint64_t state = seed;
        Net net = {.count = 20};
        for (int i = 0; i < net.count; i++) {
            net.sizes[i] = 1 + random_int(&state, SPARSE_LDU_MAX_SIZE);
            if (i + 1 < net.count) {
                couple(&net, i, i + 1 + random_int(&state, net.count - i - 1));
            }
        }
        System* s = new_system(&net);
        const SparseLdu* b = &s->blocks;
        static double l[MOST][MOST];
        memset(l, 0, sizeof l);
        for (int k = -net.count; k < net.pair_count; k++) {
            int i = k < 0 ? k + net.count : net.pairs[k].i, j = k < 0 ? i : net.pairs[k].j;
            for (int p = b->offset[j]; p < b->offset[j + 1]; p++) {
                for (int q = b->offset[i]; q < b->offset[i + 1]; q++) {
                    l[p][q] = p == q ? 1.0 : p > q ? random_in(&state, -0.5, 0.5) : 0.0;
                }
            }
        }
        int negative = dense_add_congruence(s->dense[0], MOST, b->n, l[0], &state);
        write_blocks(s);
        CHECK_INT(sparse_ldu_factor(&s->blocks).negative, negative);
        free_system(s);
    }
}

// Bodies joined by springs in all directions and held nowhere, or at one: six rigid translations are free, or
// none.
static System* joined(Kind kind, double anchor)
{
    Net net = random_net(kind, 20, 4);
    for (int i = 0; i < net.count; i++) {
        net.sizes[i] = 6;
    }
    System* s = new_system(&net);
    for (int k = 0; k < net.pair_count; k++) {
        int p = s->blocks.offset[net.pairs[k].i], q = s->blocks.offset[net.pairs[k].j];
        for (int c = 0; c < 6; c++) {
            dense_add_spring(s->dense[0], MOST, p + c, q + c, 1.0 + 0.3 * k + c);
        }
    }
    for (int c = 0; c < 6; c++) {
        s->dense[c][c] += anchor;
    }
    write_blocks(s);
    return s;
}

TEST(a_matrix_that_is_singular_to_rounding_shows_where)
{
    static const Kind kinds[] = {CHAIN, STAR, TREE, RING, GRID};
    for (int k = 0; k < 5; k++) {
        System* s = joined(kinds[k], 0.0);
        LduPivots p = sparse_ldu_factor(&s->blocks);
        CHECK(p.least < 1e-13);
        CHECK(p.where / 6 == s->blocks.order[19]); // rigid motion is left to the last
        free_system(s);
        s = joined(kinds[k], 1.0);
        CHECK(sparse_ldu_factor(&s->blocks).least > 1e-3); // the anchor against all springs of a body
        free_system(s);
    }
}

TEST(a_pivot_that_is_zero_or_no_number_is_reported_where_it_is)
{
    static const double bad[] = {0.0, NAN};
    Net net = random_net(TREE, 12, 6);
    System* s = random_system(&net, true, 8);
    for (int where = 0; where < s->blocks.n; where++) {
        for (int k = 0; k < 2; k++) {
            free_system(s);
            s = random_system(&net, true, 8);
            dense_isolate(s->dense[0], MOST, s->blocks.n, where, bad[k]);
            write_blocks(s);
            LduPivots p = sparse_ldu_factor(&s->blocks);
            CHECK_NEAR(p.least, 0.0, 0.0);
            CHECK_INT(p.where, where);
        }
    }
    free_system(s);
}

// Three block rows, of which each is coupled with the others, of random numbers.
static void create_random(Memory* memory, SparseLdu* b, const int sizes[3], uint64_t seed)
{
    const SparseLduPair pairs[] = {{0, 1}, {1, 2}, {2, 0}};
    CHECK_OK(sparse_ldu_create(memory, b, sizes, 3, pairs, 3));
    for (int i = 0; i < 9; i++) {
        double* block = sparse_ldu_at(b, i / 3, i % 3);
        for (int k = 0; k < sizes[i / 3] * sizes[i % 3]; k++) {
            int row = k / sizes[i % 3], column = k % sizes[i % 3];
            block[row * sparse_ldu_stride(b, i % 3) + column] = random_in(&seed, -1, 1);
        }
    }
}

static void factor_and_solve(const SparseLduKernels* kernels, SparseLdu* b, double* r)
{
    for (int p = 0; p < b->count; p++) {
        kernels->eliminate(b, p);
    }
    for (int p = 0; p < b->count; p++) {
        kernels->forward(b, p, r);
    }
    for (int p = b->count - 1; p >= 0; p--) {
        kernels->backward(b, p, r);
    }
}

TEST(both_kernels_give_the_same_bits)
{
    Memory memory = new_memory();
    for (int i = 0; i < SPARSE_LDU_MAX_SIZE * SPARSE_LDU_MAX_SIZE; i++) {
        const int one = i / SPARSE_LDU_MAX_SIZE + 1, other = i % SPARSE_LDU_MAX_SIZE + 1;
        SparseLdu a, b;
        create_random(&memory, &a, (int[]){one, other, one}, (uint64_t)i);
        create_random(&memory, &b, (int[]){one, other, one}, (uint64_t)i);
        double r[3 * SPARSE_LDU_MAX_SIZE], x[3 * SPARSE_LDU_MAX_SIZE];
        for (int k = 0; k < a.n; k++) {
            r[k] = x[k] = 1.0 / (k + 1);
        }
        factor_and_solve(&sparse_ldu_kernels_plain, &a, r);
        factor_and_solve(KERNEL_CHOOSE(sparse_ldu_kernels), &b, x);
        CHECK_INT(memcmp(r, x, sizeof *r * (size_t)a.n), 0);
        CHECK_INT(memcmp(a.values, b.values, sizeof *a.values * a.value_count), 0);
        CHECK_INT(memcmp(a.inv, b.inv, sizeof *a.inv * (size_t)a.n), 0);
        sparse_ldu_destroy(&a);
        sparse_ldu_destroy(&b);
    }
}

TEST(an_outer_product_is_added_to_a_block_and_to_nothing_else)
{
    const int sizes[] = {3, 6, 8};
    const SparseLduPair pairs[] = {{0, 1}, {1, 2}};
    const double left[8] = {1, -2, 3, 5, 7, -11, 13, 17}, right[8] = {2, 3, -5, 7, 11, 13, 19, -23};
    Memory memory = new_memory();
    SparseLdu b;
    CHECK_OK(sparse_ldu_create(&memory, &b, sizes, 3, pairs, 2));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double *block = sparse_ldu_at(&b, i, j), row[8] = {0}, sum = 0.0, rows = 0.0, columns = 0.0;
            if (!block) {
                continue;
            }
            memcpy(row, right, sizeof *row * (size_t)sizes[j]);
            sparse_ldu_add_outer(&b, block, sizes[i], j, 0.5, left, row);
            for (int k = 0; k < sizes[i] * sizes[j]; k++) {
                int r = k / sizes[j], c = k % sizes[j];
                CHECK_NEAR(block[r * sparse_ldu_stride(&b, j) + c], 0.5 * left[r] * right[c], 0.0);
            }
            for (int r = 0; r < sizes[i]; r++) {
                rows += left[r];
            }
            for (int c = 0; c < sizes[j]; c++) {
                columns += right[c];
            }
            for (size_t k = 0; k < b.value_count; k++) {
                sum += b.values[k];
            }
            CHECK_NEAR(sum, 0.5 * rows * columns, 0.0); // whole numbers and halves: exact
            sparse_ldu_clear(&b);
        }
    }
    sparse_ldu_destroy(&b);
}

// Multipliers with a zero on the diagonal, each after the two block rows that it ties together.
TEST(what_is_ordered_later_is_eliminated_later)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Net net = random_net(SCATTERED, 20, seed);
        SparseLduPair later[10];
        uint64_t s = seed;
        for (int k = 0; k < 5; k++) {
            int row = net.count++, a = random_int(&s, 20), b = (a + 1 + random_int(&s, 19)) % 20;
            net.sizes[row] = 1;
            couple(&net, row, a), couple(&net, row, b);
            later[2 * k] = (SparseLduPair){row, a}, later[2 * k + 1] = (SparseLduPair){row, b};
        }
        System* system = calloc(1, sizeof *system);
        SparseLdu* b = &system->blocks;
        system->memory = memory_on(&system->heap);
        CHECK_OK(sparse_ldu_create_ordered(&system->memory, b, net.sizes, net.count, net.pairs,
                                           net.pair_count, later, 10));
        for (int k = 0; k < 10; k++) {
            CHECK(b->place[later[k].i] > b->place[later[k].j]);
        }
        CHECK(b->n <= MOST);
        random_couplings(system, &net, true, &s);
        dense_dominate(system->dense[0], MOST, b->offset[20], &s);
        for (int i = b->offset[20]; i < b->n; i++) {
            for (int j = b->offset[20]; j < b->n; j++) {
                system->dense[i][j] = 0.0;
            }
        }
        double x[MOST];
        for (int i = 0; i < b->n; i++) {
            x[i] = system->r[i] = random_in(&s, -1, 1);
        }
        write_blocks(system);
        CHECK(sparse_ldu_factor(b).least > 0.0);
        sparse_ldu_solve(b, x);
        dense_solve(system->dense[0], MOST, b->n, system->r);
        check_entries(x, system->r, b->n, 1e-10); // solutions of order 10, conditions of order 1e4
        free_system(system);
    }
}

TEST(each_allocation_may_fail_and_nothing_is_left_behind)
{
    Net net = random_net(SCATTERED, 60, 3);
    Heap heap = {0};
    Memory memory = memory_on(&heap);
    CordResult result = CORD_NO_MEMORY;
    int tries = 0;
    for (; result != CORD_OK && tries < 100; tries++) {
        SparseLdu b;
        heap.calls = 0;
        heap.fail = tries + 1;
        result = sparse_ldu_create(&memory, &b, net.sizes, net.count, net.pairs, net.pair_count);
        if (result == CORD_OK) {
            CHECK(b.edge_count > 64); // the table of couplings has grown
            sparse_ldu_destroy(&b);
        } else {
            CHECK_RESULT(result, CORD_NO_MEMORY);
            CHECK(b.values == NULL && b.order == NULL);
        }
        CHECK_INT(heap.held, 0);
    }
    CHECK_OK(result);
    CHECK(tries > 15);
}

TEST_GROUP(math_sparse_ldu)
