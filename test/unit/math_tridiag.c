#include "math/tridiag.h"

#include "math_dense.h"

#define MOST 40

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
        s.diag[i] = random_in(&seed, 2.5, 4) * random_sign(&seed);
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
        dense_solve(s.dense[0], MOST, n, s.r);
        check_entries(x, s.r, n, 1e-14); // solutions of order 1, conditions below 10
    }
}

TEST(systems_of_every_size_agree_with_dense_elimination)
{
    for (int n = 1; n <= MOST; n++) {
        check_against_dense(n, false);
        if (n >= 3) {
            check_against_dense(n, true);
        }
    }
}

TEST(the_corners_of_an_open_system_are_not_read)
{
    System s = random_system(10, false, 3);
    double x[MOST];
    s.lower[0] = s.upper[9] = NAN;
    Tridiag t = tridiag_of(&s);
    CHECK(tridiag_factor(&t));
    memcpy(x, s.r, sizeof x);
    tridiag_solve(&t, x);
    dense_solve(s.dense[0], MOST, 10, s.r);
    check_entries(x, s.r, 10, 1e-14);
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

// The lengths of a straight chain between two held nodes, next to those of one that is held at one end. The
// last pivot of the first is round-off, and not in the middle of the matrix.
TEST(rows_that_follow_from_others_are_reported_and_count_for_nothing)
{
    enum { TAUT = 4, ROWS = 10 };
    double w[ROWS + 1], x[ROWS], expected[ROWS] = {0.3, -0.7, 0.2, 0.9, 0.0, 1.1, -0.4, 0.6, 0.1, -0.8};
    System s = {.n = ROWS};
    for (int i = 0; i <= ROWS; i++) {
        w[i] = i == 0 || i == TAUT || i == TAUT + 1 ? 0.0 : 1.0 / (3.0 + i);
    }
    for (int i = 0; i < ROWS; i++) {
        s.lower[i] = -w[i], s.upper[i] = -w[i + 1], s.diag[i] = i == TAUT ? 1.0 : w[i] + w[i + 1];
    }
    System rows = s;
    for (int i = 0; i < ROWS; i++) {
        x[i] = s.diag[i] * expected[i] + (i > 0 ? s.lower[i] * expected[i - 1] : 0.0) +
               (i < ROWS - 1 ? s.upper[i] * expected[i + 1] : 0.0);
    }
    memcpy(s.r, x, sizeof x);
    Tridiag t = tridiag_of(&s);
    CHECK(!tridiag_factor(&t));
    tridiag_solve(&t, x);
    for (int i = 0; i < ROWS; i++) {
        double left = rows.diag[i] * x[i] + (i > 0 ? rows.lower[i] * x[i - 1] : 0.0) +
                      (i < ROWS - 1 ? rows.upper[i] * x[i + 1] : 0.0) - s.r[i];
        CHECK_NEAR(left, 0.0, 1e-14);
        CHECK_NEAR(x[i], i < TAUT ? x[i] : expected[i], 1e-13);
    }
}

// Straight chains between held nodes, of 3 and 4 links of any length, whose ends approach by 0.12 and part by
// 0.4: every link has the same strain of that, whatever nodes in between weigh. Rows are length times its
// change.
TEST(rows_that_contradict_each_other_share_what_contradicts)
{
    enum { FIRST = 3, ROWS = 7 };
    const double w[ROWS + 1] = {0.0, 0.7, 0.2, 0.0, 0.3, 1.1, 0.5, 0.0};
    const double length[ROWS] = {0.1, 0.4, 0.7, 0.1, 0.8, 0.5, 0.6},
                 change[ROWS] = {-0.12, [4] = 0.3, [6] = 0.1};
    double r[ROWS], weight[ROWS];
    System s = {.n = ROWS};
    for (int i = 0; i < ROWS; i++) {
        double l = length[i];
        s.lower[i] = i > 0 ? -w[i] * l * length[i - 1] : 0.0;
        s.upper[i] = i < ROWS - 1 ? -w[i + 1] * l * length[i + 1] : 0.0;
        s.diag[i] = (w[i] + w[i + 1]) * l * l;
        r[i] = l * change[i], weight[i] = l * l * l;
    }
    Tridiag t = tridiag_of(&s);
    CHECK(!tridiag_factor(&t));
    double own[ROWS];
    memcpy(own, r, sizeof r);
    tridiag_share(&t, weight, r);
    for (int i = 0; i < ROWS; i++) {
        CHECK_NEAR((own[i] - r[i]) / (length[i] * length[i]), i < FIRST ? -0.12 / 1.2 : 0.4 / 2.0, 1e-14);
    }
}

TEST_GROUP(math_tridiag)
