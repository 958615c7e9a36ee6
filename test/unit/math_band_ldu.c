#include "math/band_ldu.h"
#include "math/band_ldu_kernel.h"
#include "math_dense.h"

#include <stdlib.h>

#define MOST 88 // unknowns, those of the border included

// Half-bandwidths; negative: the blocks of four that a block couples to on either side.
static const int halves[] = {1, 2, 3, 4, 5, 8, 10, 11, 12, 13, 16, 32, -1, -2, -3};
#define HALVES ((int)(sizeof halves / sizeof halves[0]))

// A matrix twice: banded, and dense with the border's unknowns last. r is a right-hand side.
typedef struct System {
    int n, border, all;
    BandLdu band;
    double* space;
    double dense[MOST][MOST];
    double r[MOST];
} System;

static BandLduWidth width_of(int half)
{
    return half < 0 ? band_ldu_block_width(-half) : band_ldu_width(half);
}

static System* new_system(int n, int half, int border)
{
    System* s = calloc(1, sizeof *s);
    s->n = n, s->border = border, s->all = n + border;
    CHECK(s->all <= MOST);
    s->space = aligned_alloc(64, (sizeof(double) * band_ldu_space(n, width_of(half), border) + 63) / 64 * 64);
    band_ldu_init(&s->band, n, width_of(half), border, s->space);
    return s;
}

static void free_system(System* s)
{
    free(s->space);
    free(s);
}

static double* entry(const System* s, int i, int j)
{
    const BandLdu* b = &s->band;
    int n = s->n, width = b->border_stride;
    if (i < n && j < n) {
        return band_ldu_at(b, i, j);
    }
    if (i < n) {
        return b->col + i * width + (j - n);
    }
    return j < n ? b->row + j * width + (i - n) : b->corner + (i - n) * width + (j - n);
}

static bool stored(const System* s, int i, int j)
{
    return i >= s->n || j >= s->n || band_ldu_has(&s->band, i, j);
}

static void write_band(System* s)
{
    band_ldu_clear(&s->band);
    for (int i = 0; i < s->all; i++) {
        for (int j = 0; j < s->all; j++) {
            if (stored(s, i, j)) {
                *entry(s, i, j) = s->dense[i][j];
            }
        }
    }
}

// Diagonally dominant. The border touches the first unknowns only, as the left port of a chain does.
static System* random_system(int n, int half, int border, bool symmetric, uint64_t seed)
{
    System* s = new_system(n, half, border);
    half = s->band.half;
    for (int i = 0; i < s->all; i++) {
        s->r[i] = random_in(&seed, -1, 1);
        for (int j = 0; j < s->all; j++) {
            bool apart = (i >= n && j < n && j >= half) || (j >= n && i < n && i >= half);
            if (i != j && stored(s, i, j) && !apart) {
                s->dense[i][j] = symmetric && j < i ? s->dense[j][i] : random_in(&seed, -1, 1);
            }
        }
    }
    dense_dominate(s->dense[0], MOST, s->all, &seed);
    write_band(s);
    return s;
}

static LduPivots factor(System* s, int pivots, bool symmetric)
{
    return symmetric ? band_ldu_factor_symmetric(&s->band, pivots) : band_ldu_factor(&s->band, pivots);
}

static void check_whole(int n, int half, bool symmetric)
{
    System* s = random_system(n, half, 0, symmetric, (uint64_t)(1000 * n + half));
    double x[MOST], again[MOST];
    LduPivots p = factor(s, n, symmetric);
    CHECK_INT(p.negative, dense_negative_diagonals(s->dense[0], MOST, n));
    CHECK(p.least > 0.25 && p.least <= 1.0 && p.where >= 0 && p.where < n);
    memcpy(x, s->r, sizeof x);
    memcpy(again, s->r, sizeof again);
    band_ldu_solve(&s->band, x);
    band_ldu_solve(&s->band, again);
    CHECK_INT(memcmp(x, again, sizeof x), 0); // factored once, solved often
    dense_solve(s->dense[0], MOST, n, s->r);
    check_entries(x, s->r, n, 1e-15); // solutions below 1, conditions below 4
    free_system(s);
}

TEST(bands_of_every_size_agree_with_dense_elimination)
{
    for (int h = 0; h < HALVES; h++) {
        for (int n = 1; n <= MOST; n++) {
            check_whole(n, halves[h], false);
            check_whole(n, halves[h], true);
        }
    }
}

// Elimination up to the ports, then the ports' own dense system, then back.
static void check_ports(int n, int half, int border, int right, bool symmetric)
{
    System* s =
        random_system(n, half, border, symmetric, (uint64_t)(10000 * n + 100 * half + 10 * border + right));
    double x[MOST], expected[MOST];
    memcpy(x, s->r, sizeof x);
    int pivots = n - right;
    CHECK_INT(factor(s, pivots, symmetric).negative, dense_negative_diagonals(s->dense[0], MOST, pivots));
    dense_eliminate(s->dense[0], MOST, s->all, pivots, s->r);
    for (int i = pivots; i < s->all; i++) {
        for (int j = pivots; j < s->all; j++) {
            if (stored(s, i, j)) {
                // entries up to 2 * MOST, with their rounding
                CHECK_NEAR(*entry(s, i, j), s->dense[i][j], 1e-13);
            }
        }
    }
    band_ldu_forward(&s->band, x, x + n);
    check_entries(x + pivots, s->r + pivots, s->all - pivots, 1e-15); // of order 1
    memcpy(expected, s->r, sizeof expected);
    dense_solve(s->dense[0], MOST, s->all, expected); // goes on where elimination has stopped
    memcpy(x + pivots, expected + pivots, sizeof *x * (size_t)(s->all - pivots));
    band_ldu_backward(&s->band, x, x + n);
    check_entries(x, expected, s->all, 1e-15);
    free_system(s);
}

TEST(chains_between_ports_agree_with_the_whole_dense_system)
{
    for (int h = 0; h < HALVES; h++) {
        for (int border = 0; border <= BAND_LDU_MAX_BORDER; border++) {
            for (int right = 0; right <= 8; right++) {
                for (int n = right; n <= 60; n += n < 24 ? 1 : 7) {
                    check_ports(n, halves[h], border, right, false);
                    check_ports(n, halves[h], border, right, true);
                }
            }
        }
    }
}

TEST(a_symmetric_matrix_is_read_from_its_upper_triangle_alone)
{
    System* s = random_system(50, 12, 6, true, 7);
    System* blind = random_system(50, 12, 6, true, 7);
    for (int i = 0; i < s->all; i++) {
        for (int j = 0; j < i; j++) {
            if (stored(blind, i, j)) {
                *entry(blind, i, j) = NAN;
            }
        }
    }
    LduPivots p = band_ldu_factor_symmetric(&s->band, 43), q = band_ldu_factor_symmetric(&blind->band, 43);
    CHECK_INT(p.negative, q.negative);
    CHECK_NEAR(p.least, q.least, 0.0);
    for (int i = 43; i < s->all; i++) {
        for (int j = 43; j < s->all; j++) {
            CHECK_NEAR(*entry(blind, i, j), *entry(s, i, j), 0.0);
        }
    }
    double x[MOST], y[MOST];
    memcpy(x, s->r, sizeof x);
    memcpy(y, s->r, sizeof y);
    band_ldu_forward(&s->band, x, x + 50);
    band_ldu_backward(&s->band, x, x + 50);
    band_ldu_forward(&blind->band, y, y + 50);
    band_ldu_backward(&blind->band, y, y + 50);
    CHECK_INT(memcmp(x, y, sizeof x), 0);
    free_system(blind);
    free_system(s);
}

TEST(negative_pivots_count_the_negative_eigenvalues_of_a_congruence)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        uint64_t state = seed;
        int n = 4 + (int)(seed % 60), half = 12;
        System* s = new_system(n, half, 0);
        double l[MOST][MOST] = {0};
        for (int i = 0; i < n; i++) {
            l[i][i] = 1.0;
            for (int j = i > half ? i - half : 0; j < i; j++) {
                l[i][j] = random_in(&state, -0.5, 0.5);
            }
        }
        int negative = dense_add_congruence(s->dense[0], MOST, n, l[0], &state);
        for (int symmetric = 0; symmetric < 2; symmetric++) {
            write_band(s);
            CHECK_INT(factor(s, n, symmetric).negative, negative);
        }
        free_system(s);
    }
}

// Springs in a row. With both ends free their matrix is singular: all but the last pivot are 1, and the last
// is 0.
static System* springs(int n, double anchor)
{
    System* s = new_system(n, 12, 0);
    for (int i = 0; i + 1 < n; i++) {
        dense_add_spring(s->dense[0], MOST, i, i + 1, 1.0 + 0.3 * i);
    }
    s->dense[0][0] += anchor;
    write_band(s);
    return s;
}

TEST(a_matrix_that_is_singular_to_rounding_shows_where)
{
    for (int n = 2; n < 60; n++) {
        System* s = springs(n, 0.0);
        for (int symmetric = 0; symmetric < 2; symmetric++) {
            write_band(s);
            LduPivots p = factor(s, n, symmetric);
            CHECK(p.least < 1e-14 * n); // a rounding from each row above
            CHECK_INT(p.where, n - 1);
        }
        free_system(s);
        s = springs(n, 1.0);
        CHECK(band_ldu_factor(&s->band, n).least > 1e-3); // 60 springs in series against the last: 5e-3
        free_system(s);
    }
}

TEST(a_pivot_that_is_zero_or_no_number_is_reported_where_it_is)
{
    static const double bad[] = {0.0, NAN};
    for (int where = 0; where < 23; where++) {
        for (int k = 0; k < 4; k++) {
            System* s = random_system(23, 10, 0, true, 3);
            dense_isolate(s->dense[0], MOST, 23, where, bad[k / 2]);
            write_band(s);
            LduPivots p = factor(s, 23, k % 2);
            CHECK_NEAR(p.least, 0.0, 0.0);
            CHECK_INT(p.where, where);
            free_system(s);
        }
    }
}

TEST(the_least_pivot_does_not_depend_on_units)
{
    System* s = springs(40, 1e-3);
    System* t = new_system(40, 12, 0);
    for (int i = 0; i < 40; i++) {
        for (int j = 0; j < 40; j++) { // exact: powers of two
            t->dense[i][j] = ldexp(s->dense[i][j], (i % 5) * 9 + (j % 5) * 9);
        }
    }
    write_band(t);
    LduPivots p = band_ldu_factor(&s->band, 40), q = band_ldu_factor(&t->band, 40);
    CHECK(p.least < 1e-3);
    CHECK_NEAR(q.least, p.least, 0.0);
    CHECK_INT(q.where, p.where);
    free_system(t);
    free_system(s);
}

TEST(without_pivots_nothing_changes)
{
    System* s = random_system(8, 5, 3, false, 9);
    double x[MOST];
    LduPivots p = band_ldu_factor(&s->band, 0);
    CHECK_INT(p.negative, 0);
    CHECK_NEAR(p.least, 1.0, 0.0);
    CHECK_INT(p.where, -1);
    memcpy(x, s->r, sizeof x);
    band_ldu_forward(&s->band, x, x + 8);
    band_ldu_backward(&s->band, x, x + 8);
    CHECK_INT(memcmp(x, s->r, sizeof x), 0);
    CHECK_NEAR(*entry(s, 2, 3), s->dense[2][3], 0.0);
    free_system(s);
}

TEST(only_pivots_are_judged)
{
    System* s = random_system(23, 10, 0, true, 3);
    for (int i = 0; i < 23; i++) {
        s->band.inv[i] = -1.0, s->band.diag[i] = 1e30; // as an earlier factoring may have left them
    }
    LduPivots p = band_ldu_factor(&s->band, 17);
    CHECK_INT(p.negative, dense_negative_diagonals(s->dense[0], MOST, 17));
    CHECK(p.least > 0.25 && p.where < 17);
    free_system(s);
}

// In parts of every size, with rows cleared and filled in only as they are needed: the same bits.
static void check_parts(int n, int half, int part, bool symmetric)
{
    System *whole = random_system(n, half, 0, symmetric, 7), *s = random_system(n, half, 0, symmetric, 7);
    double x[MOST], y[MOST];
    memcpy(x, whole->r, sizeof x);
    memcpy(y, s->r, sizeof y);
    LduPivots p = factor(whole, n, symmetric);
    band_ldu_solve(&whole->band, x);
    band_ldu_begin(&s->band, n);
    bool last = false; // near the end all that is left goes at once
    for (int done = 0, kept = 0; done < n;) {
        int to = last || done + part > n ? n : done + part, reach = to + whole->band.half;
        int keep = reach < n ? reach : n;
        band_ldu_save_diagonal(&s->band, kept, keep);
        kept = keep;
        int reached = band_ldu_eliminate(&s->band, done, to, symmetric, y);
        last = reached == done;
        done = reached;
    }
    LduPivots q = band_ldu_end(&s->band, symmetric);
    band_ldu_backward(&s->band, y, NULL);
    CHECK(p.least == q.least && p.negative == q.negative && p.where == q.where);
    CHECK_INT(memcmp(x, y, sizeof *x * (size_t)n), 0);
    free_system(s);
    free_system(whole);
}

TEST(elimination_in_parts_gives_the_same_bits)
{
    for (int n = 1; n < 70; n += 3) {
        for (int part = 4; part < 80; part = part < 12 ? part + 1 : 2 * part) {
            check_parts(n, 10, part, n % 2);
            check_parts(n, 12, part, n % 2);
            check_parts(n, -2, part, n % 2);
            check_parts(n, 5, part, n % 2);
        }
    }
}

// All that a factoring and a solve leave behind.
static void work(const BandLduKernels* kernels, System* s, int pivots, bool symmetric, double* x)
{
    s->band.pivots = pivots;
    (symmetric ? kernels->factor_symmetric : kernels->factor)(&s->band, 0, pivots);
    memcpy(x, s->r, sizeof s->r);
    kernels->forward(&s->band, x, x + s->n, 0, pivots);
    kernels->backward(&s->band, x, x + s->n);
}

static void check_same_bits(int n, int half, int border, int pivots, bool symmetric)
{
    System* s = random_system(n, half, border, symmetric, (uint64_t)(n + half));
    System* t = random_system(n, half, border, symmetric, (uint64_t)(n + half));
    double x[MOST], y[MOST];
    work(&band_ldu_kernels_plain, s, pivots, symmetric, x);
    work(KERNEL_CHOOSE(band_ldu_kernels), t, pivots, symmetric, y);
    CHECK_INT(memcmp(s->space, t->space, sizeof(double) * band_ldu_space(n, width_of(half), border)), 0);
    CHECK_INT(memcmp(x, y, sizeof *x * (size_t)s->all), 0);
    free_system(t);
    free_system(s);
}

TEST(both_kernels_give_the_same_bits)
{
    for (int h = 0; h < HALVES; h++) {
        for (int n = 1; n <= 60; n++) {
            for (int symmetric = 0; symmetric < 2; symmetric++) {
                check_same_bits(n, halves[h], 0, n, symmetric);
                check_same_bits(n, halves[h], n % 9, n - n % 4, symmetric);
            }
        }
    }
}

TEST_GROUP(math_band_ldu)
