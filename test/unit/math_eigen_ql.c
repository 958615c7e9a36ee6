#include "math/eigen_ql.h"

#include "math/eigen_jacobi.h"
#include "symmetric.h"

#define MOST 60

// Entries of order 1, eigenvalues up to sqrt(n): rounding of some n operations on each.
TEST(pairs_of_random_matrices_satisfy_their_equation)
{
    uint64_t seed = 1;
    for (int n = 1; n <= MOST; n++) {
        double a[MOST * MOST] = {0}, spent[MOST * MOST], values[MOST], vectors[MOST * MOST], work[MOST];
        random_symmetric(n, &seed, a);
        memcpy(spent, a, sizeof a);
        CHECK(eigen_ql(n, spent, values, vectors, work));
        CHECK_NEAR(worst_pair(n, a, values, vectors, n, 1), 0.0, 1e-13);
        for (int k = 1; k < n; k++) {
            CHECK(values[k - 1] <= values[k]);
        }
    }
}

TEST(values_are_those_of_jacobi)
{
    enum { N = 24 };
    uint64_t seed = 5;
    double a[N * N], b[N * N], by_ql[N], by_jacobi[N], vectors[N * N], work[N];
    random_symmetric(N, &seed, a);
    memcpy(b, a, sizeof a);
    CHECK(eigen_ql(N, a, by_ql, vectors, work));
    eigen_jacobi(N, b, by_jacobi, NULL);
    for (int k = 0; k < N; k++) {
        CHECK_NEAR(by_ql[k], by_jacobi[k], 1e-13); // as above
    }
}

// Diagonal, of zeros, of ones: nothing to turn, or one value n - 1 times.
TEST(values_that_coincide_have_orthonormal_vectors)
{
    enum { N = 9 };
    for (int kind = 0; kind < 3; kind++) {
        double a[N * N], spent[N * N], values[N], vectors[N * N], work[N];
        for (int i = 0; i < N * N; i++) {
            bool diagonal = i / N == i % N;
            a[i] = kind == 0 ? 0.0 : kind == 1 ? (diagonal ? i % 3 : 0.0) : 1.0 + (diagonal ? 3.0 : 0.0);
        }
        memcpy(spent, a, sizeof a);
        CHECK(eigen_ql(N, spent, values, vectors, work));
        CHECK_NEAR(worst_pair(N, a, values, vectors, N, 1), 0.0, 1e-13); // as above
    }
}

TEST(a_matrix_that_is_not_finite_is_refused)
{
    double a[9] = {1, 2, 3, 2, NAN, 1, 3, 1, 2}, values[3], vectors[9], work[3];
    CHECK(!eigen_ql(3, a, values, vectors, work));
}

TEST_GROUP(math_eigen_ql)
