#include "torsion.h"

#include <cordage/math.h>

#include <stdbool.h>
#include <stdlib.h>

// One quarter of the section, of cells that are 1 / fine of a unit wide: nodes (i, j), with the section's
// middle at (0, 0), the flange on top.
typedef struct Quarter {
    int columns, rows; // nodes, the outer ones on the boundary
    int web, below;    // the web reaches so many cells to the side; the flange begins so many up
    double* phi;       // (columns x rows)
} Quarter;

static bool is_inside(const Quarter* q, int i, int j)
{
    return j < q->rows - 1 && i < q->columns - 1 && (i < q->web || j > q->below);
}

static double* at(const Quarter* q, int i, int j) // in a mirror beyond the middle
{
    return &q->phi[(size_t)abs(j) * (size_t)q->columns + (size_t)abs(i)];
}

// One pass of over-relaxation of laplace(phi) = -2 with cells of width d; the greatest change comes back.
static double sweep(const Quarter* q, double d, double over)
{
    double most = 0.0;
    for (int j = 0; j < q->rows; j++) {
        for (int i = 0; i < q->columns; i++) {
            if (is_inside(q, i, j)) {
                double mean =
                    0.25 * (*at(q, i - 1, j) + *at(q, i + 1, j) + *at(q, i, j - 1) + *at(q, i, j + 1));
                double change = mean + 0.5 * d * d - *at(q, i, j);
                *at(q, i, j) += over * change;
                most = fmax(most, fabs(change));
            }
        }
    }
    return most;
}

static double twice_integral(const Quarter* q, double d) // over the whole section: J
{
    double sum = 0.0;
    for (int j = 0; j < q->rows; j++) {
        for (int i = 0; i < q->columns; i++) {
            sum += (i == 0 ? 0.5 : 1.0) * (j == 0 ? 0.5 : 1.0) * *at(q, i, j);
        }
    }
    return 8.0 * d * d * sum;
}

static double constant_on(TorsionH h, int fine)
{
    enum { SWEEPS_MOST = 100000 };
    Quarter q = {.columns = h.width / 2 * fine + 1, .rows = h.height / 2 * fine + 1};
    q.web = h.web * fine / 2;
    q.below = (h.height / 2 - h.flange) * fine;
    q.phi = calloc((size_t)q.columns * (size_t)q.rows, sizeof *q.phi);
    double d = 1.0 / fine, thick = fmax(h.web, h.flange) * fine, J = NAN;
    double over = 2.0 / (1.0 + CORD_PI / thick); // the best for a strip as thick
    if (q.phi) {
        for (int k = 0; k < SWEEPS_MOST && sweep(&q, d, over) > 1e-12 * h.flange * h.flange; k++) {
        }
        J = twice_integral(&q, d);
    }
    free(q.phi);
    return J;
}

double torsion_constant(TorsionH h)
{
    double a = constant_on(h, 4), b = constant_on(h, 8), c = constant_on(h, 16);
    // inner corners spoil the order, so it is taken from the three
    return c - (c - b) * (c - b) / ((c - b) - (b - a));
}
