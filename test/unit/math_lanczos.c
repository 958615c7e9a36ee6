#include "math/lanczos.h"

#include "base_heap.h"
#include "beam_matrices.h"
#include "check.h"
#include "math/eigen_jacobi.h"
#include "mode_pairs.h"

static CordResult lowest(const CordEigenProblem* p, Heap* heap, ModePairs* pairs, Message* message)
{
    *pairs = mode_pairs(p);
    Memory memory = memory_on(heap);
    CordResult result = lanczos_lowest(&memory, p, pairs->lambda, pairs->phi, message);
    CHECK_INT(heap->held, 0);
    return result;
}

static ModePairs find(const CordEigenProblem* p)
{
    ModePairs pairs;
    Heap heap = {0};
    Message message = {""};
    CordResult result = lowest(p, &heap, &pairs, &message);
    CHECK_STR(message.text, "");
    CHECK_OK(result);
    return pairs;
}

// Roots of cos b cosh b = -1. Hermite's cubics with consistent mass are off by (b h / L)^4 / 720 of omega^2,
// to first order, so a part in a hundred is left open; rounding of K, 1e-16 times (number of elements)^4, is
// less.
TEST(a_cantilever_has_its_frequencies)
{
    static const double root[] = {1.8751040687119611, 4.6940911329741745, 7.8547574382376126};
    enum { N = 31 };
    BeamNet net = beam_net_line(N, 1.0);
    BeamMatrices m = beam_matrices(&net, 6, 0.0);
    ModePairs found = find(&m.problem);
    for (int k = 0; k < 6; k++) {
        double b = root[k / 2], exact = b * b * b * b * net.E * net.r * net.r / 4.0 / net.rho;
        double off = pow(b / N, 4.0) / 720.0;
        CHECK_NEAR(found.lambda[k] / exact - 1.0, off, 0.01 * off + 1e-9);
    }
    mode_pairs_check(&m.problem, &found, 1e-13, 1e-9);
    mode_pairs_free(&found), beam_matrices_free(&m), beam_net_free(&net);
}

// Elements k times shorter are k^4 times stiffer beside the softest mode: with 1000 of them plain solves are
// off by 2e-4. What K's own entries have lost is 2e-8.
TEST(short_elements_lose_no_digits)
{
    mode_pairs_check_fine_beam(find);
}

// K and M of up to 30 unknowns as dense matrices: C = L^-1 K L^-T with M = L L', by Jacobi; right to rounding
// of the largest.
static void dense_values(const CordEigenProblem* p, double* values)
{
    int n = p->size;
    double l[30 * 30] = {0}, c[30 * 30] = {0};
    for (int j = 0; j < n; j++) {
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            l[p->row[k] * n + j] = p->M[k], c[p->row[k] * n + j] = p->K[k];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            for (int k = 0; k < j; k++) {
                l[i * n + j] -= l[i * n + k] * l[j * n + k];
            }
            l[i * n + j] = i == j ? sqrt(l[i * n + i]) : l[i * n + j] / l[j * n + j];
        }
    }
    for (int side = 0; side < 2; side++) { // L^-1 from the left, then the same on the transpose
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) {
                for (int k = 0; k < i; k++) {
                    c[i * n + j] -= l[i * n + k] * c[k * n + j];
                }
                c[i * n + j] /= l[i * n + i];
            }
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++) {
                double t = c[i * n + j];
                c[i * n + j] = c[j * n + i], c[j * n + i] = t;
            }
        }
    }
    eigen_jacobi(n, c, values, NULL);
}

// As many modes as there are unknowns, or one, or some.
TEST(small_structures_have_the_modes_of_dense_matrices)
{
    for (int elements = 1; elements <= 5; elements++) {
        BeamNet net = beam_net_line(elements, 1.0);
        net.x[elements].y = 0.3;
        for (int count = 1; count <= 6 * elements; count += count < 4 ? 1 : 4) {
            BeamMatrices m = beam_matrices(&net, count == 29 ? 30 : count, -1.0);
            ModePairs found = find(&m.problem);
            double dense[30];
            dense_values(&m.problem, dense);
            for (int k = 0; k < m.problem.count; k++) {
                // rounding of the largest
                CHECK_NEAR(found.lambda[k], dense[k], 1e-13 * dense[m.problem.size - 1]);
            }
            mode_pairs_check(&m.problem, &found, 1e-12, 1e-9);
            mode_pairs_free(&found), beam_matrices_free(&m);
        }
        beam_net_free(&net);
    }
}

// Springs in a row, three rows of them that have nothing to do with each other, a million times stiffer each:
// k (2 - 2 cos(j pi / (n + 1))). All are right to their own rounding, though the largest is 1e14 times the
// least.
TEST(stiff_and_soft_parts_have_all_their_digits)
{
    enum { N = 10, SIZE = 3 * N };
    int start[SIZE + 1] = {0}, row[3 * SIZE], entries = 0;
    double K[3 * SIZE], M[3 * SIZE], stiffness[3] = {1.0, 1e6, 1e12};
    for (int i = 0; i < SIZE; i++) {
        for (int j = i - 1; j <= i + 1; j++) {
            if (j >= 0 && j < SIZE && j / N == i / N) {
                row[entries] = j, M[entries] = i == j,
                K[entries++] = stiffness[i / N] * (i == j ? 2.0 : -1.0);
            }
        }
        start[i + 1] = entries;
    }
    CordEigenProblem p = {SIZE, start, row, K, M, SIZE, 0.0, 1e-12, NULL, NULL};
    ModePairs found = find(&p);
    for (int k = 0; k < SIZE; k++) {
        double exact = stiffness[k / N] * (2.0 - 2.0 * cos((k % N + 1) * 3.14159265358979323846 / (N + 1)));
        CHECK_NEAR(found.lambda[k] / exact, 1.0, 1e-12);
    }
    mode_pairs_check(&p, &found, 1e-13, 1e-9);
    mode_pairs_free(&found);
}

// Far more copies than any block has vectors.
TEST(equal_beams_have_equal_modes_all_of_them)
{
    enum { BEAMS = 9, N = 12 };
    BeamNet net = mode_pairs_beams(BEAMS, N);
    for (int count = 1; count <= 4 * BEAMS + 1; count += 6) {
        BeamMatrices m = beam_matrices(&net, count, 0.0);
        ModePairs found = find(&m.problem);
        mode_pairs_check(&m.problem, &found, 1e-12, 1e-9);
        mode_pairs_check_beams(&found, count, BEAMS, N);
        mode_pairs_free(&found), beam_matrices_free(&m);
    }
    beam_net_free(&net);
}

// 1 forty times, then 2, 3, ...: M is the unit matrix.
TEST(a_value_of_forty_copies_is_found_forty_times)
{
    enum { SIZE = 200, COPIES = 40 };
    int start[SIZE + 1], row[SIZE];
    double K[SIZE], M[SIZE];
    for (int i = 0; i < SIZE; i++) {
        int place = i * 7 % SIZE;
        start[i] = row[i] = i, M[i] = 1.0;
        K[i] = place < COPIES ? 1.0 : 2.0 + (place - COPIES);
    }
    start[SIZE] = SIZE;
    CordEigenProblem p = {SIZE, start, row, K, M, COPIES + 5, -1.0, 1e-12, NULL, NULL};
    ModePairs found = find(&p);
    for (int k = 0; k < p.count; k++) {
        CHECK_NEAR(found.lambda[k], k < COPIES ? 1.0 : 2.0 + (k - COPIES), 1e-11); // 1e-12, relative
    }
    mode_pairs_check(&p, &found, 1e-13, 1e-9);
    mode_pairs_free(&found);
}

TEST(the_same_problem_has_the_same_bits)
{
    BeamNet net = beam_net_sphere(5, 8, 1.0);
    BeamMatrices m = beam_matrices(&net, 10, -1.0);
    ModePairs a = find(&m.problem), b = find(&m.problem);
    CHECK(memcmp(a.lambda, b.lambda, 10 * sizeof(double)) == 0);
    CHECK(memcmp(a.phi, b.phi, 10 * (size_t)m.problem.size * sizeof(double)) == 0);
    mode_pairs_free(&a), mode_pairs_free(&b), beam_matrices_free(&m), beam_net_free(&net);
}

// ---- refusals

static CordResult try(const CordEigenProblem* p, Heap* heap, Message* message)
{
    ModePairs pairs;
    CordResult result = lowest(p, heap, &pairs, message);
    mode_pairs_free(&pairs);
    return result;
}

static bool stop_after(void* user, const char* what, double share)
{
    CHECK(what[0] != '\0' && (isnan(share) || (share >= 0.0 && share <= 1.0)));
    return --*(int*)user >= 0;
}

TEST(what_cannot_be_found_is_refused)
{
    BeamNet net = beam_net_line(2, 1.0);
    BeamMatrices m = beam_matrices(&net, 13, 0.0);
    Heap heap = {0};
    Message message = {""};
    CHECK_RESULT(try(&m.problem, &heap, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "1 to 12");
    m.problem.count = 0;
    CHECK_RESULT(try(&m.problem, &heap, &message), CORD_BAD_ARGUMENT);
    m.problem.count = 3, m.problem.shift = 1e9;
    CHECK_RESULT(try(&m.problem, &heap, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "not positive definite");
    m.problem.shift = 0.0;
    for (int calls = 0; calls < 3; calls++) {
        int left = calls;
        m.problem.progress = stop_after, m.problem.progress_user = &left;
        CHECK_RESULT(try(&m.problem, &heap, &message), CORD_NOT_CONVERGED);
        CHECK_CONTAINS(message.text, "stopped");
    }
    beam_matrices_free(&m), beam_net_free(&net);
}

TEST(memory_may_run_out_anywhere)
{
    BeamNet net = beam_net_sphere(3, 5, 1.0);
    BeamMatrices m = beam_matrices(&net, 4, -1.0);
    Message message = {""};
    Heap all = {0};
    CHECK_OK(try(&m.problem, &all, &message));
    CHECK(all.calls > 10);
    for (int64_t k = 1; k <= all.calls; k++) {
        Heap heap = {.fail = k};
        CHECK_RESULT(try(&m.problem, &heap, &message), CORD_NO_MEMORY);
    }
    beam_matrices_free(&m), beam_net_free(&net);
}

TEST_GROUP(math_lanczos)
