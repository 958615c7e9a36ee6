// Block tridiagonal systems against a dense solve: open, cyclic, and with rows that are held.
#include "check.h"
#include "math/block_tridiag.h"
#include "random.h"

#define MOST 24
#define UNKNOWNS (3 * MOST)

typedef struct System {
    BlockTridiag chain;
    double diag[6][MOST], link[9][MOST], work[9][MOST], r[3][MOST], given[3][MOST];
} System;

static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}; // in diag

static void open_system(System* s, int n, bool closed)
{
    memset(s, 0, sizeof *s);
    s->chain = (BlockTridiag){.n = n, .closed = closed};
    for (int k = 0; k < 9; k++) {
        s->chain.link[k] = s->link[k], s->chain.work[k] = s->work[k];
    }
    for (int k = 0; k < 6; k++) {
        s->chain.diag[k] = s->diag[k];
    }
    for (int k = 0; k < 3; k++) {
        s->chain.r[k] = s->r[k];
    }
}

// Springs between neighbours of random 3 x 3 stiffness B'B, in axes that differ from link to link; each link
// is also tied to the ground.
static void couple(System* s, int before, int after, uint64_t* seed)
{
    double g[2][3][3], row[6];
    for (int i = 0; i < 18; i++) {
        g[i / 9][i / 3 % 3][i % 3] = random_in(seed, -1.0, 1.0);
    }
    for (int k = 0; k < 3; k++) { // (g0 x_before - g1 x_after)^2, row by row
        for (int i = 0; i < 6; i++) {
            row[i] = i < 3 ? g[0][k][i] : -g[1][k][i - 3];
        }
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                s->link[3 * i + j][after] += row[i] * row[3 + j];
                s->diag[place[i][j]][before] += j >= i ? row[i] * row[j] : 0.0;
                s->diag[place[i][j]][after] += j >= i ? row[3 + i] * row[3 + j] : 0.0;
            }
        }
    }
}

static void fill(System* s, int n, bool closed, double ground, uint64_t seed)
{
    open_system(s, n, closed);
    for (int i = closed ? 0 : 1; i < n; i++) {
        couple(s, i > 0 ? i - 1 : n - 1, i, &seed);
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            s->diag[place[k][k]][i] += ground;
            s->r[k][i] = s->given[k][i] = random_in(&seed, -1.0, 1.0);
        }
    }
}

// As what is held is in corde's matrix: its rows and columns are those of the unit matrix, and nothing acts
// on it.
static void hold(System* s, int i, int k)
{
    int next = (i + 1) % s->chain.n;
    for (int j = 0; j < 3; j++) {
        s->diag[place[k][j]][i] = j == k ? 1.0 : 0.0;
        s->link[3 * j + k][i] = 0.0;
        s->link[3 * k + j][next] = 0.0;
    }
    s->r[k][i] = s->given[k][i] = 0.0;
}

static void write_out(const System* s, double a[UNKNOWNS][UNKNOWNS])
{
    int n = s->chain.n;
    memset(a, 0, sizeof(double[UNKNOWNS][UNKNOWNS]));
    for (int i = 0; i < n; i++) {
        int before = i > 0 ? i - 1 : n - 1;
        for (int k = 0; k < 9; k++) {
            a[3 * i + k / 3][3 * i + k % 3] += s->diag[place[k / 3][k % 3]][i];
            if (i > 0 || s->chain.closed) {
                a[3 * before + k / 3][3 * i + k % 3] += s->link[k][i];
                a[3 * i + k % 3][3 * before + k / 3] += s->link[k][i];
            }
        }
    }
}

// Largest of what the solution leaves of the right-hand side.
static double residual(const System* s, double a[UNKNOWNS][UNKNOWNS])
{
    double most = 0.0;
    for (int row = 0; row < 3 * s->chain.n; row++) {
        double sum = -s->given[row % 3][row / 3];
        for (int column = 0; column < 3 * s->chain.n; column++) {
            sum += a[row][column] * s->r[column % 3][column / 3];
        }
        most = fmax(most, fabs(sum));
    }
    return most;
}

static double largest(const System* s)
{
    double most = 0.0;
    for (int i = 0; i < 3 * s->chain.n; i++) {
        most = fmax(most, fabs(s->r[i % 3][i / 3]));
    }
    return most;
}

static void check_solution(System* s)
{
    static double a[UNKNOWNS][UNKNOWNS];
    write_out(s, a);
    CHECK(block_tridiag_factor(&s->chain));
    block_tridiag_solve(&s->chain);
    CHECK_NEAR(residual(s, a), 0.0,
               // rows of order 10, and cofactors of blocks of condition 1e2 or so
               1e-12 * fmax(1.0, largest(s)));
}

// Two links in a ring are coupled twice; a ring has three at least.
TEST(solutions_satisfy_every_row)
{
    for (int n = 1; n <= MOST; n++) {
        for (int closed = 0; closed < (n > 2 ? 2 : 1); closed++) {
            for (uint64_t seed = 1; seed <= 20; seed++) {
                System s;
                fill(&s, n, closed, 0.1, seed);
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
            fill(&s, n, closed, 0.1, seed);
            bool held[3][MOST] = {{false}};
            for (int i = 0; i < n; i++) {
                int k = (int)random_in(&seed, 0.0, 3.0), link = (int)random_in(&seed, 0.0, n);
                hold(&s, link, k);
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
        static double a[UNKNOWNS][UNKNOWNS];
        System s;
        fill(&s, MOST, closed, 0.1, 5);
        write_out(&s, a);
        CHECK(block_tridiag_factor(&s.chain));
        for (uint64_t seed = 1; seed <= 5; seed++) {
            uint64_t next = seed;
            for (int i = 0; i < 3 * MOST; i++) {
                s.r[i % 3][i / 3] = s.given[i % 3][i / 3] = random_in(&next, -1.0, 1.0);
            }
            block_tridiag_solve(&s.chain);
            CHECK_NEAR(residual(&s, a), 0.0, 1e-12 * fmax(1.0, largest(&s)));
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
                fill(&s, n, closed, 0.1, (uint64_t)n);
                s.diag[place[i % 3][i % 3]][i / 3] = -0.1;
                CHECK(!block_tridiag_factor(&s.chain));
            }
        }
    }
}

TEST(what_is_not_finite_is_told)
{
    for (int closed = 0; closed < 2; closed++) {
        for (int i = 0; i < MOST; i++) {
            System s;
            fill(&s, MOST, closed, 0.1, 1);
            s.diag[3][i] = NAN;
            CHECK(!block_tridiag_factor(&s.chain));
        }
    }
}

TEST_GROUP(math_block_tridiag, solutions_satisfy_every_row, what_is_held_stays_and_the_rest_moves_as_before,
           factors_serve_more_than_once, what_is_not_definite_is_told, what_is_not_finite_is_told)
