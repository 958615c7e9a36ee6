#include "math/eigen_jacobi.h"
#include "symmetric.h"

#define MOST 24

static void check_ascending(int n, const double* values)
{
    for (int k = 1; k < n; k++) {
        CHECK(values[k - 1] <= values[k]);
    }
}

// Entries of order 1: round-off of a few sweeps of n rotations each.
TEST(pairs_of_random_matrices_satisfy_their_equation)
{
    uint64_t seed = 1;
    for (int n = 1; n <= MOST; n++) {
        for (int trial = 0; trial < 20; trial++) {
            double a[MOST * MOST] = {0}, spent[MOST * MOST], values[MOST], vectors[MOST * MOST];
            random_symmetric(n, &seed, a);
            memcpy(spent, a, sizeof a);
            eigen_jacobi(n, spent, values, vectors);
            CHECK_NEAR(worst_pair(n, a, values, vectors, 1, n), 0.0, 1e-13);
            check_ascending(n, values);
        }
    }
}

TEST(values_alone_are_the_same_bits)
{
    uint64_t seed = 7;
    double a[MOST * MOST], b[MOST * MOST], with[MOST], alone[MOST], vectors[MOST * MOST];
    random_symmetric(MOST, &seed, a);
    memcpy(b, a, sizeof a);
    eigen_jacobi(MOST, a, with, vectors);
    eigen_jacobi(MOST, b, alone, NULL);
    CHECK(memcmp(with, alone, sizeof with) == 0);
}

// -1, 2, -1 has 2 - 2 cos(k pi / (n + 1)).
TEST(the_second_difference_has_its_known_values)
{
    for (int n = 1; n <= MOST; n++) {
        double a[MOST * MOST] = {0}, values[MOST];
        for (int i = 0; i < n; i++) {
            a[i * n + i] = 2.0;
            if (i > 0) {
                a[i * n + i - 1] = a[(i - 1) * n + i] = -1.0;
            }
        }
        eigen_jacobi(n, a, values, NULL);
        for (int k = 0; k < n; k++) {
            // as above
            CHECK_NEAR(values[k], 2.0 - 2.0 * cos((k + 1) * 3.14159265358979323846 / (n + 1)), 1e-13);
        }
    }
}

// One value n times but for one: the vectors of the many are any that are orthonormal.
TEST(values_that_coincide_still_have_orthonormal_vectors)
{
    enum { N = 9 };
    double a[N * N], spent[N * N], values[N], vectors[N * N];
    for (int i = 0; i < N * N; i++) {
        a[i] = 1.0 + (i / N == i % N ? 3.0 : 0.0); // 3 + the matrix of ones, whose value is N
    }
    memcpy(spent, a, sizeof a);
    eigen_jacobi(N, spent, values, vectors);
    CHECK_NEAR(worst_pair(N, a, values, vectors, 1, N), 0.0, 1e-13);
    for (int k = 0; k < N; k++) {
        CHECK_NEAR(values[k], k < N - 1 ? 3.0 : 3.0 + N, 1e-13);
    }
}

// The rotations stop at 1e-16 of the whole, so a value is right to that share of the largest, whatever its
// own size.
TEST(values_of_very_different_size_keep_their_signs)
{
    double a[] = {1e8, 1.0, 1e-3, 1.0, -2.0, 1e-4, 1e-3, 1e-4, 1e-5}, values[3];
    eigen_jacobi(3, a, values, NULL);
    CHECK_NEAR(values[0], -2.0, 1e-7);
    CHECK_NEAR(values[1], 1e-5 + 5e-9, 1e-8); // second order: (1e-4)^2 / 2
    CHECK_NEAR(values[2], 1e8, 1e-7);
}

TEST(a_matrix_of_zeros_and_a_diagonal_one_are_left_as_they_are)
{
    double zero[4] = {0}, values[3], vectors[9];
    eigen_jacobi(2, zero, values, vectors);
    CHECK(values[0] == 0.0 && values[1] == 0.0 && vectors[0] == 1.0 && vectors[3] == 1.0);
    double diagonal[9] = {3, 0, 0, 0, -1, 0, 0, 0, 2};
    eigen_jacobi(3, diagonal, values, vectors);
    CHECK(values[0] == -1.0 && values[1] == 2.0 && values[2] == 3.0);
    CHECK(vectors[3] == 1.0 && vectors[7] == 1.0 && vectors[2] == 1.0);
}

TEST_GROUP(math_eigen_jacobi)
