#include "math/tridiag_partition.h"

#include "base/real.h"
#include "math/tridiag_partition_kernel.h"

#include <math.h>
#include <stdbool.h>

TridiagParts tridiag_parts(int n)
{
    TridiagParts p = {.rows = n / 4 - 1, .longer = n % 4};
    int before = -1;
    for (int i = 0; i < 4; i++) {
        before += p.rows + (i < p.longer) + 1;
        p.separator[i] = before;
    }
    int m = p.separator[1];
    p.start[0] = 0, p.start[1] = m - 1, p.start[2] = m + 1, p.start[3] = n - 2;
    return p;
}

// Gaussian elimination of the Schur complement. False: a pivot is not positive.
static bool solve_four(double a[4][4], double r[4])
{
    bool definite = true;
    for (int i = 0; i < 4; i++) {
        definite &= a[i][i] > 0.0;
        for (int j = i + 1; j < 4; j++) {
            double f = a[j][i] / a[i][i];
            for (int k = i; k < 4; k++) {
                a[j][k] -= f * a[i][k];
            }
            r[j] -= f * r[i];
        }
    }
    for (int i = 3; i >= 0; i--) {
        for (int j = i + 1; j < 4; j++) {
            r[i] -= a[i][j] * r[j];
        }
        r[i] /= a[i][i];
    }
    return definite;
}

static void couple(double a[4][4], int i, int j, double link)
{
    a[i][j] -= link;
    a[j][i] -= link;
}

static double solve_few(const TridiagPartition* c) // n < 4
{
    double a[4][4] = {{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
    double r[4] = {0.0, 0.0, 0.0, 0.0}, most = 0.0;
    for (int i = 0; i < c->n; i++) {
        a[i][i] = c->diag[i], r[i] = c->r[i];
    }
    for (int i = 0; i < c->n; i++) {
        couple(a, i, i > 0 ? i - 1 : c->n - 1, c->factor * c->link[i]);
    }
    if (!solve_four(a, r)) {
        return -1.0;
    }
    for (int i = 0; i < c->n; i++) {
        c->r[i] = r[i];
        most = real_max(most, fabs(r[i]));
    }
    return most;
}

double tridiag_partition_solve(const TridiagPartition* c)
{
    if (c->n < 4) {
        return solve_few(c);
    }
    static const int near[4] = {0, 0, 2, 2}, far[4] = {3, 1, 1, 3}; // separators of each part
    const TridiagPartitionKernels* kernels = KERNEL_CHOOSE(tridiag_partition_kernels);
    TridiagParts p = tridiag_parts(c->n);
    TridiagSchur left = kernels->eliminate(c, &p);
    double a[4][4] = {{0.0}}, r[4], most = 0.0;
    for (int i = 0; i < 4; i++) {
        a[i][i] += c->diag[p.separator[i]];
        r[i] = c->r[p.separator[i]];
    }
    for (int i = 0; i < 4; i++) {
        a[near[i]][near[i]] -= left.near_diag[i];
        a[far[i]][far[i]] -= left.far_diag[i];
        r[near[i]] += left.near_r[i];
        r[far[i]] += left.far_r[i];
        couple(a, near[i], far[i], left.link[i]);
    }
    if (!solve_four(a, r) || !(left.least > 0.0)) {
        return -1.0;
    }
    for (int i = 0; i < 4; i++) {
        c->r[p.separator[i]] = r[i];
        most = real_max(most, fabs(r[i]));
    }
    return real_max(most, kernels->substitute(c, &p));
}
