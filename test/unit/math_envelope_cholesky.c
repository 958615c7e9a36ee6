#include "math/envelope_cholesky.h"

#include "base_heap.h"
#include "beam_matrices.h"
#include "check.h"
#include "math/cuthill_mckee.h"
#include "math/envelope_cholesky_kernel.h"

// b = (K - shift M) x for an x of entries between -1 and 1; solving gives x back. Beams as stiff along as
// across, so that little is lost.
static double worst_solution(BeamMatrices* matrices, double shift)
{
    const CordEigenProblem* p = &matrices->problem;
    Heap heap = {0};
    Memory memory = memory_on(&heap);
    Envelope e;
    CHECK(envelope_create(&memory, p, &e));
    CHECK_INT(envelope_factor(&e, p, shift), -1);
    size_t n = (size_t)p->size;
    double *x = malloc(3 * n * sizeof *x), *b = malloc(3 * n * sizeof *b), worst = 0.0;
    for (size_t i = 0; i < 3 * n; i++) {
        x[i] = (double)((i * 7919) % 1000) / 500.0 - 1.0;
    }
    for (size_t i = 0; i < 3 * n; i++) {
        b[i] = 0.0;
        for (int k = p->start[i % n]; k < p->start[i % n + 1]; k++) {
            b[i] += (p->K[k] - shift * p->M[k]) * x[i / n * n + (size_t)p->row[k]];
        }
    }
    envelope_solve(&e, 3, b);
    for (size_t i = 0; i < 3 * n; i++) {
        worst = fmax(worst, fabs(b[i] - x[i]));
    }
    free(x), free(b);
    envelope_destroy(&e);
    CHECK_INT(heap.held, 0);
    return worst;
}

// With the shift, K - shift M is about as well conditioned as M, whose turns weigh less by the square of the
// elements' length: 1e-16 times some 1e4.
TEST(solutions_solve_their_system)
{
    for (int elements = 1; elements < 12; elements++) {
        BeamNet net = beam_net_line(elements, 1.0);
        BeamMatrices m = beam_matrices(&net, 1, 0.0);
        CHECK_NEAR(worst_solution(&m, -1e9), 0.0, 1e-11);
        beam_matrices_free(&m), beam_net_free(&net);
    }
    BeamNet net = beam_net_sphere(7, 11, 1.0);
    BeamMatrices m = beam_matrices(&net, 1, 0.0);
    CHECK_NEAR(worst_solution(&m, -1e9), 0.0, 1e-11);
    beam_matrices_free(&m), beam_net_free(&net);
}

TEST(every_unknown_has_its_place)
{
    BeamNet net = beam_net_sphere(5, 8, 1.0);
    BeamMatrices m = beam_matrices(&net, 1, 0.0);
    Heap heap = {0};
    Memory memory = memory_on(&heap);
    int n = m.problem.size, *order = malloc((size_t)n * sizeof(int)), *seen = calloc((size_t)n, sizeof(int));
    CHECK(reverse_cuthill_mckee(&memory, n, m.start, m.row, order));
    for (int i = 0; i < n; i++) {
        CHECK(order[i] >= 0 && order[i] < n && seen[order[i]]++ == 0);
    }
    free(order), free(seen);
    beam_matrices_free(&m), beam_net_free(&net);
}

// A chain whose nodes come in any order is a band again: two nodes and a few places that fours are rounded
// by.
TEST(a_shuffled_chain_is_a_band)
{
    enum { N = 101 };
    BeamNet net = beam_net_line(N - 1, 1.0);
    for (int e = 0; e < 2 * (N - 1); e++) {
        net.ends[e] = net.ends[e] * 37 % N;
    }
    for (int i = 0; i < N; i++) {
        net.x[i * 37 % N] = (CordVec3){0.01 * i, 0, 0};
    }
    BeamMatrices m = beam_matrices(&net, 1, 0.0);
    Heap heap = {0};
    Memory memory = memory_on(&heap);
    Envelope e;
    CHECK(envelope_create(&memory, &m.problem, &e));
    for (int i = 0; i < e.rows / 4; i++) {
        CHECK(4 * i - e.first[i] <= 12);
    }
    envelope_destroy(&e);
    beam_matrices_free(&m), beam_net_free(&net);
}

TEST(what_is_not_positive_definite_is_named)
{
    int start[] = {0, 1, 2, 3, 4, 5}, row[] = {0, 1, 2, 3, 4};
    double K[] = {1, 1, 1, -1, 1}, M[] = {1, 1, 1, 1, 1};
    CordEigenProblem p = {.size = 5, .start = start, .row = row, .K = K, .M = M};
    Heap heap = {0};
    Memory memory = memory_on(&heap);
    Envelope e;
    CHECK(envelope_create(&memory, &p, &e));
    CHECK_INT(envelope_factor(&e, &p, 0.0), 3);
    CHECK_INT(envelope_factor(&e, &p, -2.0), -1);
    K[1] = NAN;
    CHECK_INT(envelope_factor(&e, &p, -2.0), 1);
    envelope_destroy(&e);
}

TEST(kernels_give_the_same_bits)
{
    BeamNet net = beam_net_sphere(7, 11, 1.0);
    BeamMatrices m = beam_matrices(&net, 1, 0.0);
    Heap heap = {0};
    Memory memory = memory_on(&heap);
    Envelope e;
    CHECK(envelope_create(&memory, &m.problem, &e));
    const EnvelopeKernels* kernels[2] = {&envelope_kernels_plain, KERNEL_CHOOSE(envelope_kernels)};
    size_t entries = e.start[e.rows / 4], rows = (size_t)e.rows;
    double *l[2], *x[2];
    // fills the envelope: what stands there then is as good as any matrix
    envelope_factor(&e, &m.problem, -1.0);
    for (size_t i = 0; i < entries; i++) {
        e.l[i] *= 1e-6;
    }
    for (int i = 0; i < e.rows; i++) {
        e.l[e.start[i / 4] + 4 * (size_t)(i - e.first[i / 4]) + (size_t)(i % 4)] = 1e9;
    }
    for (int k = 0; k < 2; k++) {
        Envelope copy = e;
        copy.l = l[k] = malloc(entries * sizeof(double));
        x[k] = malloc(rows * sizeof(double));
        memcpy(l[k], e.l, entries * sizeof(double));
        for (size_t i = 0; i < rows; i++) {
            x[k][i] = (double)(i % 17) - 8.0;
        }
        CHECK_INT(kernels[k]->factor(&copy), -1);
        kernels[k]->solve(&copy, 1, x[k]);
    }
    CHECK(memcmp(l[0], l[1], entries * sizeof(double)) == 0);
    CHECK(memcmp(x[0], x[1], rows * sizeof(double)) == 0);
    for (int k = 0; k < 2; k++) {
        free(l[k]), free(x[k]);
    }
    envelope_destroy(&e);
    beam_matrices_free(&m), beam_net_free(&net);
}

TEST_GROUP(math_envelope_cholesky)
