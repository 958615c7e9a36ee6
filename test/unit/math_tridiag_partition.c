#include "check.h"
#include "math/tridiag_partition.h"
#include "math/tridiag_partition_kernel.h"
#include "random.h"

#define MOST 60

typedef struct System {
    TridiagPartition chain;
    double link[MOST], diag[MOST], r[MOST], given[MOST], work[3][MOST];
} System;

// Links as of springs in a row, or in a ring, each row also tied to the ground by `ground`.
static void fill(System* s, int n, bool cyclic, double ground, uint64_t seed)
{
    *s = (System){.chain = {.n = n, .factor = 1.3, .link = s->link, .diag = s->diag, .r = s->r}};
    for (int i = 0; i < n; i++) {
        s->link[i] = i > 0 || cyclic ? random_in(&seed, 0.2, 2.0) : 0.0;
        s->r[i] = s->given[i] = random_in(&seed, -1, 1);
    }
    for (int i = 0; i < n; i++) {
        double after = i + 1 < n ? s->link[i + 1] : s->link[0];
        s->diag[i] = s->chain.factor * (s->link[i] + after) + ground;
    }
    for (int k = 0; k < 3; k++) {
        s->chain.work[k] = s->work[k];
    }
}

static double residual(const System* s, int i)
{
    int n = s->chain.n, before = i > 0 ? i - 1 : n - 1, after = i + 1 < n ? i + 1 : 0;
    double links = s->link[i] * s->r[before] + s->link[after] * s->r[after];
    return s->diag[i] * s->r[i] - s->chain.factor * links - s->given[i];
}

// Round-off of rows of order 10 by unknowns of order 1 / ground.
TEST(solutions_satisfy_every_row)
{
    for (int n = 1; n <= MOST; n++) {
        for (int cyclic = 0; cyclic < (n > 2 ? 2 : 1); cyclic++) {
            System s;
            fill(&s, n, cyclic, 0.01, (uint64_t)n);
            double most = tridiag_partition_solve(&s.chain), largest = 0.0;
            for (int i = 0; i < n; i++) {
                CHECK_NEAR(residual(&s, i), 0.0, 1e-14 * most);
                largest = fmax(largest, fabs(s.r[i]));
            }
            CHECK(most == largest);
        }
    }
}

// With less than nothing to the ground, moving all rows alike has a negative energy, and it is the only one:
// wherever it shows, it must be seen.
TEST(what_is_not_definite_is_told_and_left_alone)
{
    for (int n = 1; n <= MOST; n++) {
        for (int cyclic = 0; cyclic < (n > 2 ? 2 : 1); cyclic++) {
            System s;
            fill(&s, n, cyclic, -0.001, (uint64_t)n);
            CHECK(tridiag_partition_solve(&s.chain) == -1.0);
            CHECK(memcmp(s.r, s.given, (size_t)n * sizeof *s.r) == 0);
        }
    }
}

TEST(both_kernels_give_the_same_bits)
{
    for (int n = 4; n <= MOST; n++) {
        System s[2];
        TridiagSchur left[2];
        double most[2];
        for (int k = 0; k < 2; k++) {
            const TridiagPartitionKernels* kernels =
                k ? KERNEL_CHOOSE(tridiag_partition_kernels) : &tridiag_partition_kernels_plain;
            fill(&s[k], n, n % 2, 0.01, (uint64_t)n);
            TridiagParts p = tridiag_parts(n);
            left[k] = kernels->eliminate(&s[k].chain, &p);
            most[k] = kernels->substitute(&s[k].chain, &p);
        }
        CHECK(memcmp(&left[0], &left[1], sizeof left[0]) == 0 && most[0] == most[1]);
        CHECK(memcmp(s[0].r, s[1].r, sizeof s[0].r) == 0 &&
              memcmp(s[0].work, s[1].work, sizeof s[0].work) == 0);
    }
}

TEST_GROUP(math_tridiag_partition)
