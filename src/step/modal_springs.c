#include "step/modal_springs.h"

#include "base/real.h"
#include "math/dense.h"

#include <string.h>

#define MOST_ITERATIONS 60  // Newton steps; about ten where many contacts begin to slide at once
#define MOST_HALVINGS 40    // halvings in a line search
#define CURVATURE_BOUND 0.5 // directional derivative at the end of a step, over that at its start
#define TOLERANCE 1e-10     // gradient over the size of its terms, at convergence
#define ROUNDING 1e-6       // gradient over the size of its terms, below which it may be round-off

// ---- one spring

typedef struct SpringPull { // trial force of a spring before the limits: along the normal, and across it
    double along;
    CordVec3 across;
    double size; // |across|
} SpringPull;

static SpringPull pull_of(const Spring* s, CordVec3 v)
{
    CordVec3 had = vec3_reject(s->had, s->n), slip = vec3_reject(v, s->n);
    SpringPull p = {vec3_dot(s->had, s->n) - vec3_dot(v, s->n) / s->compliance,
                    vec3_madd(had, slip, -1.0 / s->compliance_across), 0.0};
    p.size = vec3_length(p.across);
    return p;
}

CordVec3 springs_force(const Spring* s, CordVec3 v, bool* slides)
{
    SpringPull p = pull_of(s, v);
    *slides = p.size > s->most;
    CordVec3 f = vec3_mul(s->n, real_max(p.along, 0.0));
    return vec3_madd(f, p.across, *slides ? s->most / p.size : 1.0);
}

static void add_outer(double A[3][3], CordVec3 a, double share)
{
    double u[3] = {a.x, a.y, a.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            A[i][j] += share * u[i] * u[j];
        }
    }
}

// Hessian of psi; the gradient of psi is `had` minus the force. A sliding contact resists only across its
// slip direction.
static bool stiffness_of(const Spring* s, CordVec3 v, double A[3][3])
{
    SpringPull p = pull_of(s, v);
    memset(A, 0, 9 * sizeof(double));
    if (p.along > 0.0) {
        add_outer(A, s->n, 1.0 / s->compliance);
    }
    bool slides = p.size > s->most;
    double across = (slides ? s->most / p.size : 1.0) / s->compliance_across;
    if (across > 0.0) {
        add_outer(A, s->n, -across);
        for (int k = 0; k < 3; k++) {
            A[k][k] += across;
        }
        if (slides) {
            add_outer(A, vec3_mul(p.across, 1.0 / p.size), -across);
        }
    }
    return p.along > 0.0 || across > 0.0;
}

// ---- all of them

CordVec3 springs_move(const Springs* s, int spring, const double* y)
{
    int n = s->freedoms;
    const double* row = s->rows + (size_t)spring * 3 * (size_t)n;
    double sum[3] = {0, 0, 0};
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < n; k++) {
            sum[c] += row[c * n + k] * (s->scale[k] * y[k]);
        }
    }
    return vec3_add(s->all[spring].at, (CordVec3){sum[0], sum[1], sum[2]});
}

// Computes the gradient of the energy; returns the norm of its terms before cancellation.
static double gradient_at(const Springs* s, const double* y, double* slope)
{
    int n = s->freedoms;
    double size = 0.0;
    for (int k = 0; k < n; k++) {
        slope[k] = y[k];
        size += y[k] * y[k];
    }
    for (int i = 0; i < s->count; i++) {
        bool slides;
        CordVec3 f = springs_force(&s->all[i], springs_move(s, i, y), &slides), had = s->all[i].had;
        const double* row = s->rows + (size_t)i * 3 * (size_t)n;
        for (int k = 0; k < n; k++) {
            double now = s->scale[k] * (row[k] * f.x + row[n + k] * f.y + row[2 * n + k] * f.z);
            double before = s->scale[k] * (row[k] * had.x + row[n + k] * had.y + row[2 * n + k] * had.z);
            slope[k] -= now - before;
            size += now * now + before * before;
        }
    }
    return sqrt(size);
}

static void add_stiffness(int n, const double* row, const double* scale, double A[3][3], double* H)
{
    for (int k = 0; k < n; k++) {
        double a[3] = {row[k], row[n + k], row[2 * n + k]}, b[3];
        for (int c = 0; c < 3; c++) {
            b[c] = A[c][0] * a[0] + A[c][1] * a[1] + A[c][2] * a[2];
        }
        for (int l = 0; l <= k; l++) {
            H[k * n + l] += scale[k] * scale[l] * (b[0] * row[l] + b[1] * row[n + l] + b[2] * row[2 * n + l]);
        }
    }
}

static void hessian_at(const Springs* s, const double* y, double* H)
{
    int n = s->freedoms;
    memset(H, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int k = 0; k < n; k++) {
        H[k * n + k] = 1.0;
    }
    for (int i = 0; i < s->count; i++) {
        double A[3][3];
        if (stiffness_of(&s->all[i], springs_move(s, i, y), A)) {
            add_stiffness(n, s->rows + (size_t)i * 3 * (size_t)n, s->scale, A, H);
        }
    }
    for (int k = 0; k < n; k++) {
        for (int l = 0; l < k; l++) {
            H[l * n + k] = H[k * n + l];
        }
    }
}

static double dot_of(int n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

static double norm_of(int n, const double* a)
{
    return sqrt(dot_of(n, a, a));
}

// Line search by halving. The energy is convex, so its directional derivative grows along the step; it is
// accurate to round-off, the energy is not. Leaves the gradient at the new point and returns the norm of its
// terms.
static double line_search(const Springs* s, double* y, double* slope, const double* step, double* trial)
{
    int n = s->freedoms;
    double before = dot_of(n, slope, step), share = 1.0, size = 0.0;
    for (int i = 0; i < MOST_HALVINGS; i++, share *= 0.5) {
        for (int k = 0; k < n; k++) {
            trial[k] = y[k] + share * step[k];
        }
        size = gradient_at(s, trial, slope);
        if (dot_of(n, slope, step) <= -CURVATURE_BOUND * before) {
            break;
        }
    }
    memcpy(y, trial, sizeof *y * (size_t)n);
    return size;
}

void springs_relax(const Springs* s, double* y)
{
    int n = s->freedoms;
    double *H = s->room, *slope = H + n * n, *step = slope + n, *trial = step + n;
    double size = gradient_at(s, y, slope), left = norm_of(n, slope), before = INFINITY;
    for (int i = 0; i < MOST_ITERATIONS && left > TOLERANCE * size; i++) {
        if (left < ROUNDING * size && left > 0.5 * before) {
            return; // only round-off is left
        }
        hessian_at(s, y, H);
        for (int k = 0; k < n; k++) {
            step[k] = -slope[k];
        }
        if (!dense_solve(n, H, step)) {
            return;
        }
        before = left;
        size = line_search(s, y, slope, step, trial);
        left = norm_of(n, slope);
    }
}
