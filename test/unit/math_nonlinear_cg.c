#include "check.h"
#include "math/dense.h"
#include "math/nonlinear_cg.h"
#include "random.h"

#define MOST NONLINEAR_CG_MAX_UNKNOWNS

static double dot(const double* a, const double* b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// ---- small matrices

// G G' + n, which is positive and has a condition below 12 or so.
static void random_matrix(double* a, int n, uint64_t* seed)
{
    double g[MOST * MOST];
    for (int i = 0; i < n * n; i++) {
        g[i] = random_in(seed, -1, 1);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i * n + j] = dot(g + i * n, g + j * n, n) + (i == j ? n : 0.0);
        }
    }
}

TEST(positive_matrices_are_solved_to_rounding)
{
    uint64_t seed = 1;
    for (int n = 1; n <= MOST; n++) {
        double a[MOST * MOST], factor[MOST * MOST], x[MOST], b[MOST];
        random_matrix(a, n, &seed);
        memcpy(factor, a, sizeof a);
        for (int i = 0; i < n; i++) {
            x[i] = random_in(&seed, -1, 1);
        }
        for (int i = 0; i < n; i++) {
            b[i] = dot(a + i * n, x, n);
        }
        CHECK(dense_cholesky_factor(factor, n));
        dense_cholesky_solve(factor, n, b);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(b[i], x[i], 1e-14); // of order 1, conditions below 12
        }
    }
}

TEST(matrices_that_are_not_positive_are_refused)
{
    double indefinite[] = {1, 2, 2, 1}, negative[] = {-1}, singular[] = {1, 1, 1, 1}, nothing[] = {0},
           undefined[] = {NAN}, later[] = {1, NAN, NAN, 1};
    CHECK(!dense_cholesky_factor(indefinite, 2));
    CHECK(!dense_cholesky_factor(negative, 1));
    CHECK(!dense_cholesky_factor(singular, 2));
    CHECK(!dense_cholesky_factor(nothing, 1));
    CHECK(!dense_cholesky_factor(undefined, 1));
    CHECK(!dense_cholesky_factor(later, 2));
}

// ---- functions

typedef struct Problem {
    NonlinearCg cg;
    double matrix[MOST * MOST]; // of a quadratic
    double factor[MOST * MOST]; // what its preconditioner solves by
    double least[MOST];         // where it is
    double scale;               // other preconditioners: gradient to direction
    int values;                 // that were asked for
    double last[MOST];          // where
} Problem;

static double quadratic(void* context, const double* x, double* gradient)
{
    Problem* p = context;
    int n = p->cg.count;
    double from[MOST];
    p->values++;
    memcpy(p->last, x, sizeof *x * (size_t)n);
    for (int i = 0; i < n; i++) {
        from[i] = x[i] - p->least[i];
    }
    for (int i = 0; i < n; i++) {
        gradient[i] = dot(p->matrix + i * n, from, n);
    }
    return 0.5 * dot(from, gradient, n);
}

static void by_factor(void* context, const double* gradient, double* direction)
{
    const Problem* p = context;
    memcpy(direction, gradient, sizeof *direction * (size_t)p->cg.count);
    dense_cholesky_solve(p->factor, p->cg.count, direction);
}

static void by_scale(void* context, const double* gradient, double* direction)
{
    const Problem* p = context;
    for (int i = 0; i < p->cg.count; i++) {
        direction[i] = p->scale * gradient[i];
    }
}

// Its context is the problem itself, so it must stay where it is.
static void open_problem(Problem* p, int count, double (*value)(void*, const double*, double*), double scale)
{
    *p = (Problem){.scale = scale};
    p->cg = (NonlinearCg){.count = count,
                          .value = value,
                          .precondition = by_scale,
                          .context = p,
                          .iterations = 1000,
                          .enough = 1e-20};
}

static void open_quadratic(Problem* p, int n, uint64_t* seed)
{
    open_problem(p, n, quadratic, 1.0 / n);
    random_matrix(p->matrix, n, seed);
    for (int i = 0; i < n; i++) {
        p->least[i] = random_in(seed, -1, 1);
    }
}

TEST(a_quadratic_with_its_own_inverse_takes_one_step)
{
    uint64_t seed = 2;
    for (int n = 1; n <= MOST; n++) {
        Problem p;
        double x[MOST] = {0.0};
        open_quadratic(&p, n, &seed);
        memcpy(p.factor, p.matrix, sizeof p.matrix);
        CHECK(dense_cholesky_factor(p.factor, n));
        p.cg.precondition = by_factor;
        NonlinearCgResult end = nonlinear_cg_minimize(&p.cg, x);
        CHECK_INT(end.iterations, 1);
        CHECK_INT(end.evaluations, 2);
        CHECK_INT(p.values, 2);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(x[i], p.least[i], 1e-14); // one solve
        }
    }
}

// Conjugate gradients with exact searches would take n. Those that stop where 0.4 of the slope is left gain a
// digit per step or so: 1e-20 below values of order 1 is 20.
TEST(a_quadratic_without_its_inverse_takes_a_few_times_as_many_as_digits)
{
    uint64_t seed = 3;
    for (int n = 1; n <= MOST; n++) {
        Problem p;
        double x[MOST] = {0.0};
        open_quadratic(&p, n, &seed);
        NonlinearCgResult end = nonlinear_cg_minimize(&p.cg, x);
        CHECK(end.iterations <= 40);
        CHECK(end.value <= 1e-19);
        CHECK_INT(end.evaluations, p.values);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(x[i], p.least[i], 1e-9); // the square root of the value, over a stiffness above n
        }
    }
}

// Rosenbrock's valley, x least at (1, 1): a curved one, whose walls are a hundred times as steep as its
// floor.
static double valley(void* context, const double* x, double* gradient)
{
    Problem* p = context;
    double across = x[1] - x[0] * x[0], along = 1.0 - x[0];
    p->values++;
    gradient[0] = -400.0 * across * x[0] - 2.0 * along;
    gradient[1] = 200.0 * across;
    return 100.0 * across * across + along * along;
}

TEST(a_curved_valley_is_followed_to_its_end)
{
    Problem p;
    double x[2] = {-1.2, 1.0};
    open_problem(&p, 2, valley, 1e-2);
    NonlinearCgResult end = nonlinear_cg_minimize(&p.cg, x);
    CHECK(end.iterations < 1000); // it ended of itself
    CHECK(end.value < 1e-16);
    CHECK_NEAR(x[0], 1.0, 1e-7); // the floor rises as the square
    CHECK_NEAR(x[1], 1.0, 2e-7);
}

// x - log x, which is not at x <= 0, and least at 1.
static double walled(void* context, const double* x, double* gradient)
{
    Problem* p = context;
    p->values++;
    if (!(x[0] > 0.0)) {
        gradient[0] = NAN; // nobody may look at it
        return INFINITY;
    }
    gradient[0] = 1.0 - 1.0 / x[0];
    return x[0] - log(x[0]);
}

TEST(places_where_it_may_not_be_are_stepped_back_from)
{
    static const double starts[] = {0.2, 0.5, 3.0, 50.0};
    for (int k = 0; k < 4; k++) {
        for (double scale = 0.1; scale < 2e2; scale *= 10.0) { // the longest steps lead far behind the wall
            Problem p;
            double x[1] = {starts[k]};
            open_problem(&p, 1, walled, scale);
            p.cg.enough = 1e-20 * scale;
            NonlinearCgResult end = nonlinear_cg_minimize(&p.cg, x);
            CHECK(isfinite(end.value) && end.value <= starts[k] - log(starts[k]));
            CHECK_NEAR(x[0], 1.0, 1e-7);
        }
    }
}

TEST(a_start_where_it_may_not_be_is_left_as_it_is)
{
    Problem p;
    double x[1] = {-1.0};
    open_problem(&p, 1, walled, 1.0);
    NonlinearCgResult end = nonlinear_cg_minimize(&p.cg, x);
    CHECK(end.value == INFINITY && x[0] == -1.0);
    CHECK_INT(end.iterations, 0);
    CHECK_INT(end.evaluations, 1);
}

TEST(a_start_at_the_least_value_is_left_as_it_is)
{
    Problem p;
    double x[2] = {1.0, 1.0};
    open_problem(&p, 2, valley, 1.0);
    p.cg.enough = 0.0;
    NonlinearCgResult end = nonlinear_cg_minimize(&p.cg, x);
    CHECK(end.value == 0.0 && x[0] == 1.0 && x[1] == 1.0);
    CHECK_INT(end.iterations, 0);
    CHECK_INT(p.values, 1);
}

// A sum of waves: valleys and hills of many sizes, above -1.7.
static double waves(void* context, const double* x, double* gradient)
{
    Problem* p = context;
    double sum = 0.0;
    p->values++;
    for (int i = 0; i < p->cg.count; i++) {
        sum += 0.5 * x[i] * x[i] + 0.3 * sin(5.0 * x[i]) + 0.1 * cos(13.0 * x[i]);
        gradient[i] = x[i] + 1.5 * cos(5.0 * x[i]) - 1.3 * sin(13.0 * x[i]);
    }
    return sum;
}

// evaluations of an iteration that has used up its search: the start, twelve, and the best of them again
#define TRIES 14

// One iteration goes along minus the preconditioned gradient, so both conditions can be seen from
// outside: the value falls by 1e-4 of what the slope promises, and 0.4 of the slope is left at the most.
TEST(a_step_ends_where_the_strong_wolfe_conditions_hold)
{
    uint64_t seed = 5;
    int flat = 0;
    for (int k = 0; k < 500; k++) {
        Problem p;
        int n = 1 + k % 6;
        double x[6], from[6], g0[6], g1[6], step[6], scale = pow(10.0, random_in(&seed, -3, 1));
        open_problem(&p, n, waves, scale);
        for (int i = 0; i < n; i++) {
            x[i] = from[i] = random_in(&seed, -3, 3);
        }
        p.cg.iterations = 1;
        double before = waves(&p, from, g0);
        NonlinearCgResult end = nonlinear_cg_minimize(&p.cg, x);
        CHECK_INT(end.iterations, 1);
        CHECK(waves(&p, x, g1) == end.value);
        for (int i = 0; i < n; i++) {
            step[i] = x[i] - from[i];
            // along the gradient
            CHECK_NEAR(step[i] * g0[0], step[0] * g0[i], 1e-12 * fabs(step[0] * g0[i]) + 1e-13);
        }
        CHECK(dot(step, g0, n) < 0.0);
        CHECK(end.value <= before + 1e-4 * dot(step, g0, n));
        if (end.evaluations < TRIES) {
            CHECK(fabs(dot(step, g1, n)) <= -0.4 * (1.0 + 1e-12) * dot(step, g0, n));
            flat++;
        }
    }
    CHECK(flat >= 490); // the others have come down a hill or two, and never fell flat within their tries
}

TEST(whatever_it_is_given_to_do_it_never_ends_higher_and_keeps_to_its_iterations)
{
    uint64_t seed = 7;
    for (int k = 0; k < 1000; k++) {
        Problem p;
        int n = 1 + k % MOST;
        double x[MOST], g[MOST];
        open_problem(&p, n, waves, pow(10.0, random_in(&seed, -6, 4)));
        p.cg.iterations = k % 30;
        for (int i = 0; i < n; i++) {
            x[i] = random_in(&seed, -3, 3);
        }
        double before = waves(&p, x, g);
        p.values = 0;
        NonlinearCgResult end = nonlinear_cg_minimize(&p.cg, x);
        CHECK(end.iterations <= p.cg.iterations && end.value <= before);
        CHECK(end.iterations > 0 || end.value == before);
        CHECK_INT(end.evaluations, p.values);
        CHECK(waves(&p, x, g) == end.value); // it ends at the point whose value it tells
    }
}

// Falls for ever.
static double slope(void* context, const double* x, double* gradient)
{
    ((Problem*)context)->values++;
    gradient[0] = 1.0;
    return x[0];
}

TEST(what_has_no_least_value_comes_to_an_end)
{
    Problem p;
    double x[1] = {0.0};
    open_problem(&p, 1, slope, 1.0);
    p.cg.iterations = 10;
    NonlinearCgResult end = nonlinear_cg_minimize(&p.cg, x);
    CHECK_INT(end.iterations, 10);
    CHECK(end.value < -1e3 && end.value == x[0] && end.evaluations <= 1 + 10 * 13);
}

TEST_GROUP(math_nonlinear_cg)
