// Block tridiagonal systems against a dense solve: open, cyclic, and with rows that are held.
#include "math/block_tridiag.h"

#include "math_dense.h"

#define MOST 24
#define UNKNOWNS (3 * MOST)

// A matrix twice: in blocks, and dense.
typedef struct System {
    BlockTridiag chain;
    double diag[6][MOST], link[9][MOST], work[9][MOST], r[3][MOST];
    double dense[UNKNOWNS][UNKNOWNS], given[UNKNOWNS];
} System;

// Springs between neighbours of random 3 x 3 stiffness B'B, in axes that differ from link to link.
static void couple(System* s, int before, int after, uint64_t* seed)
{
    for (int k = 0; k < 3; k++) { // (g0 x_before - g1 x_after)^2, row by row
        double row[6];
        for (int i = 0; i < 6; i++) {
            row[i] = random_in(seed, -1.0, 1.0);
        }
        for (int i = 0; i < 36; i++) {
            int p = i / 6, q = i % 6;
            s->dense[p < 3 ? 3 * before + p : 3 * after + p - 3]
                    [q < 3 ? 3 * before + q : 3 * after + q - 3] += row[p] * row[q];
        }
    }
}

// Each link is also tied to the ground.
static void fill(System* s, int n, bool closed, uint64_t seed)
{
    *s = (System){.chain = {.n = n, .closed = closed}};
    for (int i = closed ? 0 : 1; i < n; i++) {
        couple(s, i > 0 ? i - 1 : n - 1, i, &seed);
    }
    for (int i = 0; i < 3 * n; i++) {
        s->dense[i][i] += 0.1;
        s->given[i] = random_in(&seed, -1.0, 1.0);
    }
}

static void write_right(System* s)
{
    for (int i = 0; i < 3 * s->chain.n; i++) {
        s->r[i % 3][i / 3] = s->given[i];
    }
}

static bool factor(System* s)
{
    static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5}; // in diag
    int n = s->chain.n;
    for (int k = 0; k < 9; k++) {
        s->chain.link[k] = s->link[k], s->chain.work[k] = s->work[k];
        s->chain.diag[place[k]] = s->diag[place[k]], s->chain.r[k % 3] = s->r[k % 3];
        for (int i = 0; i < n; i++) {
            int before = i > 0 ? i - 1 : n - 1;
            s->diag[place[k]][i] = s->dense[3 * i + k / 3][3 * i + k % 3];
            s->link[k][i] = i > 0 || s->chain.closed ? s->dense[3 * before + k / 3][3 * i + k % 3] : 0.0;
        }
    }
    write_right(s);
    return block_tridiag_factor(&s->chain);
}

// What the solution leaves of the right-hand side.
static void check_residual(const System* s)
{
    double left = 0.0, largest = 1.0;
    for (int row = 0; row < 3 * s->chain.n; row++) {
        double sum = -s->given[row];
        for (int column = 0; column < 3 * s->chain.n; column++) {
            sum += s->dense[row][column] * s->r[column % 3][column / 3];
        }
        left = fmax(left, fabs(sum));
        largest = fmax(largest, fabs(s->r[row % 3][row / 3]));
    }
    // rows of order 10, and cofactors of blocks of condition 1e2 or so
    CHECK_NEAR(left, 0.0, 1e-12 * largest);
}

static void check_solution(System* s)
{
    CHECK(factor(s));
    block_tridiag_solve(&s->chain);
    check_residual(s);
}

// Two links in a ring are coupled twice; a ring has three at least.
TEST(solutions_satisfy_every_row)
{
    for (int n = 1; n <= MOST; n++) {
        for (int closed = 0; closed < (n > 2 ? 2 : 1); closed++) {
            for (uint64_t seed = 1; seed <= 20; seed++) {
                System s;
                fill(&s, n, closed, seed);
                check_solution(&s);
            }
        }
    }
}

TEST(what_is_held_stays_and_the_rest_moves_as_before)
{
    for (int n = 3; n <= MOST; n++) {
        for (int closed = 0; closed < 2; closed++) {
            System s;
            uint64_t seed = (uint64_t)n;
            fill(&s, n, closed, seed);
            bool held[3][MOST] = {{false}};
            for (int i = 0; i < n; i++) {
                int k = (int)random_in(&seed, 0.0, 3.0), link = (int)random_in(&seed, 0.0, n);
                // as in corde's matrix: the unit matrix's row and column, and nothing acts on it
                dense_isolate(s.dense[0], UNKNOWNS, 3 * n, 3 * link + k, 1.0);
                s.given[3 * link + k] = 0.0;
                held[k][link] = true;
            }
            check_solution(&s);
            for (int i = 0; i < 3 * n; i++) {
                CHECK(!held[i % 3][i / 3] || s.r[i % 3][i / 3] == 0.0);
            }
        }
    }
}

TEST(factors_serve_more_than_once)
{
    for (int closed = 0; closed < 2; closed++) {
        System s;
        fill(&s, MOST, closed, 5);
        CHECK(factor(&s));
        for (uint64_t seed = 1; seed <= 5; seed++) {
            uint64_t next = seed;
            for (int i = 0; i < 3 * MOST; i++) {
                s.given[i] = random_in(&next, -1.0, 1.0);
            }
            write_right(&s);
            block_tridiag_solve(&s.chain);
            check_residual(&s);
        }
    }
}

// With one direction of one link pushed away from the ground harder than all springs can hold it.
TEST(what_is_not_definite_is_told)
{
    for (int n = 1; n <= MOST; n++) {
        for (int closed = 0; closed < (n > 2 ? 2 : 1); closed++) {
            for (int i = 0; i < 3 * n; i++) {
                System s;
                fill(&s, n, closed, (uint64_t)n);
                s.dense[i][i] = -0.1;
                CHECK(!factor(&s));
            }
        }
    }
}

TEST(what_is_not_finite_is_told)
{
    for (int closed = 0; closed < 2; closed++) {
        for (int i = 0; i < MOST; i++) {
            System s;
            fill(&s, MOST, closed, 1);
            s.dense[3 * i + 1][3 * i + 1] = NAN;
            CHECK(!factor(&s));
        }
    }
}

TEST_GROUP(math_block_tridiag)
