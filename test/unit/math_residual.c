#include "math/residual.h"

#include "check.h"

#include <float.h>

// 1 + eps times 1 - eps is 1 - eps^2, which a double cannot tell from 1; and a large part that cancels leaves
// the small one whole.
TEST(what_a_double_would_round_away_is_there)
{
    int start[] = {0, 2, 4}, row[] = {0, 1, 0, 1};
    double K[] = {1.0 + DBL_EPSILON, 1e20, 1e20, 3.0}, M[] = {2.0, 0.0, 0.0, 5.0};
    CordEigenProblem p = {.size = 2, .start = start, .row = row, .K = K, .M = M};
    double b[] = {1.0, 0.0}, x[] = {1.0 - DBL_EPSILON, 0.0}, r[2];
    residual_dot2(&p, 0.0, b, x, r);
    CHECK_NEAR(r[0], DBL_EPSILON * DBL_EPSILON, 0.0);
    CHECK_NEAR(r[1], -1e20 * (1.0 - DBL_EPSILON), 0.0);
    double sides[] = {1e20 + 1e4, 0.0}, ones[] = {1e4, 1.0};
    // 1e20 + 1e4 is rounded to 1e20 + 16384, and 1e4 (1 + eps) is not rounded
    residual_dot2(&p, 0.0, sides, ones, r);
    CHECK_NEAR(r[0], 16384.0 - 1e4 * (1.0 + DBL_EPSILON), 0.0);
}

TEST(the_shift_counts)
{
    int start[] = {0, 1}, row[] = {0};
    double K[] = {3.0}, M[] = {2.0}, b[] = {1.0}, x[] = {4.0}, r[1];
    CordEigenProblem p = {.size = 1, .start = start, .row = row, .K = K, .M = M};
    residual_dot2(&p, -0.5, b, x, r);
    CHECK_NEAR(r[0], 1.0 - (3.0 + 0.5 * 2.0) * 4.0, 0.0);
}

TEST_GROUP(math_residual)
