// What eigensolvers return, and what must be true of it.
#ifndef CORD_TEST_MODE_PAIRS_H
#define CORD_TEST_MODE_PAIRS_H

#include "beam_matrices.h"
#include "check.h"

typedef struct ModePairs {
    double *lambda, *phi;
} ModePairs;

static inline ModePairs mode_pairs(const CordEigenProblem* p)
{
    size_t count = p->count > 0 ? (size_t)p->count : 1;
    return (ModePairs){calloc(count, sizeof(double)), calloc(count * (size_t)p->size, sizeof(double))};
}

static inline void mode_pairs_free(ModePairs* pairs)
{
    free(pairs->lambda), free(pairs->phi);
}

// Ascending; phi M phi = 1 or 0, to `normal`; and K phi - lambda M phi, in units of |K| |phi| as they are
// without signs, to `rest`.
static inline void mode_pairs_check(const CordEigenProblem* p, const ModePairs* pairs, double normal,
                                    double rest)
{
    int n = p->size;
    double* mass = malloc((size_t)n * sizeof *mass);
    for (int k = 0; k < p->count; k++) {
        const double* phi = pairs->phi + (size_t)k * (size_t)n;
        double worst = 0.0, size = 0.0;
        for (int i = 0; i < n; i++) {
            double force = 0.0, all = 0.0;
            mass[i] = 0.0;
            for (int j = p->start[i]; j < p->start[i + 1]; j++) {
                force += p->K[j] * phi[p->row[j]];
                all += fabs(p->K[j] * phi[p->row[j]]);
                mass[i] += p->M[j] * phi[p->row[j]];
            }
            worst = fmax(worst, fabs(force - pairs->lambda[k] * mass[i]));
            size = fmax(size, all);
        }
        CHECK_NEAR(worst / size, 0.0, rest);
        CHECK(k == 0 || pairs->lambda[k - 1] <= pairs->lambda[k]);
        for (int j = 0; j <= k; j++) {
            double dot = 0.0;
            for (int i = 0; i < n; i++) {
                dot += mass[i] * pairs->phi[(size_t)j * (size_t)n + (size_t)i];
            }
            CHECK_NEAR(dot, j == k ? 1.0 : 0.0, normal);
        }
    }
    free(mass);
}

// Equal cantilevers side by side that do not touch.
static inline BeamNet mode_pairs_beams(int beams, int elements)
{
    BeamNet net = beam_net(beams * (elements + 1), beams * elements);
    for (int b = 0; b < beams; b++) {
        for (int i = 0; i <= elements; i++) {
            net.x[b * (elements + 1) + i] = (CordVec3){(double)i / elements, b, 0};
        }
        for (int e = 0; e < elements; e++) {
            net.ends[2 * (b * elements + e)] = b * (elements + 1) + e;
            net.ends[2 * (b * elements + e) + 1] = b * (elements + 1) + e + 1;
        }
        net.held[b * (elements + 1)] = true;
    }
    return net;
}

// Their modes: each of the beam's own, twice for the two ways it bends, for every beam. Finer than 1e-9
// rounding of K does not allow: 1e-16 (number of elements)^4 and some.
static inline void mode_pairs_check_beams(const ModePairs* pairs, int count, int beams, int elements)
{
    static const double root[] = {1.8751040687119611, 4.6940911329741745, 7.8547574382376126};
    for (int k = 0; k < count && k < 6 * beams; k++) {
        double b = root[k / (2 * beams)], exact = b * b * b * b * 1e9 * 1e-4 / 4.0 / 1000.0;
        double off = pow(b / elements, 4.0) / 720.0; // of Hermite's cubics, to first order
        CHECK_NEAR(pairs->lambda[k] / exact - 1.0, off, 0.1 * off + 1e-9);
    }
}

// A cantilever of 1000 elements has the frequencies of a beam: what its elements are off by is 1e-14 and
// less, what rounding has left of K 2e-8 (solved with 113 bits). The two ways of bending stay together, since
// both are rounded alike.
static inline void mode_pairs_check_fine_beam(ModePairs (*find)(const CordEigenProblem* p))
{
    static const double root[] = {1.8751040687119611, 4.6940911329741745, 7.8547574382376126};
    BeamNet net = beam_net_line(1000, 1.0);
    BeamMatrices m = beam_matrices(&net, 6, 0.0);
    ModePairs found = find(&m.problem);
    for (int k = 0; k < 6; k++) {
        double b = root[k / 2], exact = b * b * b * b * net.E * net.r * net.r / 4.0 / net.rho;
        CHECK_NEAR(found.lambda[k] / exact, 1.0, 1e-7);
        CHECK_NEAR(found.lambda[k] / found.lambda[k ^ 1], 1.0, 1e-10);
    }
    mode_pairs_free(&found), beam_matrices_free(&m), beam_net_free(&net);
}

#endif
