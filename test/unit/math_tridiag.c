#include "check.h"
#include "math/tridiag.h"

#define MOST 40

static double random_in(uint64_t* seed, double from, double to)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * ((double)(*seed >> 11) * 0x1p-53);
}

typedef struct System {
    int n;
    bool cyclic;
    double lower[MOST], diag[MOST], upper[MOST], border[MOST], r[MOST];
    double dense[MOST][MOST];
} System;

// Diagonally dominant, so that no method loses digits.
static System random_system(int n, bool cyclic, uint64_t seed)
{
    System s = {.n = n, .cyclic = cyclic};
    for (int i = 0; i < n; i++) {
        s.lower[i] = random_in(&seed, -1, 1);
        s.upper[i] = random_in(&seed, -1, 1);
        s.diag[i] = random_in(&seed, 2.5, 4) * (random_in(&seed, -1, 1) < 0 ? -1 : 1);
        s.r[i] = random_in(&seed, -1, 1);
        s.dense[i][i] += s.diag[i];
        if (i > 0 || cyclic) {
            s.dense[i][(i + n - 1) % n] += s.lower[i];
        }
        if (i < n - 1 || cyclic) {
            s.dense[i][(i + 1) % n] += s.upper[i];
        }
    }
    return s;
}

static void solve_dense(System* s, double* x)
{
    memcpy(x, s->r, sizeof s->r);
    for (int k = 0; k < s->n; k++) {
        for (int i = k + 1; i < s->n; i++) {
            double factor = s->dense[i][k] / s->dense[k][k];
            for (int j = k; j < s->n; j++) {
                s->dense[i][j] -= factor * s->dense[k][j];
            }
            x[i] -= factor * x[k];
        }
    }
    for (int i = s->n - 1; i >= 0; i--) {
        for (int j = i + 1; j < s->n; j++) {
            x[i] -= s->dense[i][j] * x[j];
        }
        x[i] /= s->dense[i][i];
    }
}

static Tridiag tridiag_of(System* s)
{
    return (Tridiag){.n = s->n,
                     .cyclic = s->cyclic,
                     .lower = s->lower,
                     .diag = s->diag,
                     .upper = s->upper,
                     .border = s->border};
}

static void check_against_dense(int n, bool cyclic)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        System s = random_system(n, cyclic, seed * 1000 + (uint64_t)n);
        double x[MOST], again[MOST];
        Tridiag t = tridiag_of(&s);
        CHECK(tridiag_factor(&t));
        memcpy(x, s.r, sizeof x);
        memcpy(again, s.r, sizeof again);
        tridiag_solve(&t, x);
        tridiag_solve(&t, again);
        CHECK_INT(memcmp(x, again, sizeof x), 0); // factored once, solved often
        double expected[MOST];
        solve_dense(&s, expected);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(x[i], expected[i], 1e-14); // solutions of order 1, conditions below 10
        }
    }
}

TEST(open_systems_of_every_size_agree_with_dense_elimination)
{
    for (int n = 1; n <= MOST; n++) {
        check_against_dense(n, false);
    }
}

TEST(cyclic_systems_of_every_size_agree_with_dense_elimination)
{
    for (int n = 3; n <= MOST; n++) {
        check_against_dense(n, true);
    }
}

TEST(the_corners_of_an_open_system_are_not_read)
{
    System s = random_system(10, false, 3);
    double x[MOST], expected[MOST];
    s.lower[0] = s.upper[9] = NAN;
    Tridiag t = tridiag_of(&s);
    CHECK(tridiag_factor(&t));
    memcpy(x, s.r, sizeof x);
    tridiag_solve(&t, x);
    solve_dense(&s, expected);
    CHECK_NEAR(x[0], expected[0], 1e-14);
    CHECK_NEAR(x[9], expected[9], 1e-14);
}

static bool factors_with(int row, double diag, bool cyclic)
{
    System s = random_system(9, cyclic, 5);
    s.diag[row] = diag;
    s.lower[row] = s.upper[row] = 0.0; // so that elimination does not touch the pivot
    if (row > 0) {
        s.upper[row - 1] = 0.0;
    }
    if (row < 8) {
        s.lower[row + 1] = 0.0;
    }
    Tridiag t = tridiag_of(&s);
    return tridiag_factor(&t);
}

TEST(a_pivot_that_is_zero_or_no_number_is_reported_wherever_it_is)
{
    for (int row = 0; row < 8; row++) {
        for (int cyclic = 0; cyclic < 2; cyclic++) {
            CHECK(factors_with(row, 3.0, cyclic != 0));
            CHECK(!factors_with(row, 0.0, cyclic != 0));
            CHECK(!factors_with(row, NAN, cyclic != 0));
        }
    }
}

TEST_GROUP(math_tridiag, open_systems_of_every_size_agree_with_dense_elimination,
           cyclic_systems_of_every_size_agree_with_dense_elimination,
           the_corners_of_an_open_system_are_not_read,
           a_pivot_that_is_zero_or_no_number_is_reported_wherever_it_is)
