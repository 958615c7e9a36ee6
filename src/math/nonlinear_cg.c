#include "math/nonlinear_cg.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

// ---- line search

#define FALL 1e-4 // c1: sufficient decrease
#define FLAT 0.4  // c2: curvature condition
#define MOST_TRIES 12

typedef struct LineSearch {
    const NonlinearCg* d;
    const double *x, *p;                  // start and direction
    double f0, slope0;                    // value and slope at the start
    double at[NONLINEAR_CG_MAX_UNKNOWNS]; // last trial point
    double g[NONLINEAR_CG_MAX_UNKNOWNS];  // its gradient
    int tries;
} LineSearch;

typedef struct Trial {
    double a, f, slope; // step length along p; value and slope there
} Trial;

static Trial try_at(LineSearch* s, double a)
{
    int n = s->d->count;
    for (int i = 0; i < n; i++) {
        s->at[i] = s->x[i] + a * s->p[i];
    }
    s->tries++;
    double f = s->d->value(s->d->context, s->at, s->g);
    return (Trial){a, f, isfinite(f) ? dense_dot(n, s->g, s->p) : 0.0};
}

static bool decreases_enough(const LineSearch* s, const Trial* t)
{
    return t->f <= s->f0 + FALL * t->a * s->slope0;
}

static bool is_flat(const LineSearch* s, const Trial* t)
{
    return fabs(t->slope) <= -FLAT * s->slope0;
}

// Minimiser of the cubic through two trials (Nocedal and Wright, eq. 3.59), safeguarded; their middle where
// it has none.
static double cubic_minimiser(const Trial* lo, const Trial* hi)
{
    double width = hi->a - lo->a, middle = lo->a + 0.5 * width;
    if (!isfinite(hi->f)) {
        return lo->a + 0.2 * width;
    }
    double d1 = lo->slope + hi->slope - 3.0 * (hi->f - lo->f) / width,
           square = d1 * d1 - lo->slope * hi->slope;
    if (!(square >= 0.0)) {
        return middle;
    }
    double d2 = width > 0.0 ? sqrt(square) : -sqrt(square), under = hi->slope - lo->slope + 2.0 * d2;
    double a = hi->a - width * (hi->slope + d2 - d1) / under;
    double near = lo->a + 0.1 * width, far = hi->a - 0.1 * width;
    bool inside = width > 0.0 ? a > near && a < far : a < near && a > far;
    return inside ? a : middle;
}

// Nocedal and Wright, algorithm 3.6.
static Trial zoom(LineSearch* s, Trial lo, Trial hi)
{
    while (s->tries < MOST_TRIES) {
        Trial t = try_at(s, cubic_minimiser(&lo, &hi));
        if (!decreases_enough(s, &t) || t.f >= lo.f) {
            hi = t;
        } else if (is_flat(s, &t)) {
            return t;
        } else {
            hi = t.slope * (hi.a - lo.a) >= 0.0 ? lo : hi;
            lo = t;
        }
    }
    return lo.a > 0.0 ? try_at(s, lo.a) : lo;
}

// Nocedal and Wright, algorithm 3.5. Returns a = 0 if nothing better was found; otherwise the last trial
// point is the result.
static Trial line_search(LineSearch* s)
{
    Trial last = {0.0, s->f0, s->slope0};
    for (double a = 1.0; s->tries < MOST_TRIES; a *= 2.0) {
        Trial t = try_at(s, a);
        if (!decreases_enough(s, &t) || (s->tries > 1 && t.f >= last.f)) {
            return zoom(s, last, t);
        }
        if (is_flat(s, &t)) {
            return t;
        }
        if (t.slope >= 0.0) {
            return zoom(s, t, last);
        }
        last = t;
    }
    return last.a > 0.0 ? try_at(s, last.a) : last;
}

// ---- iteration

NonlinearCgResult nonlinear_cg_minimize(const NonlinearCg* d, double* x)
{
    int n = d->count;
    double g[NONLINEAR_CG_MAX_UNKNOWNS], z[NONLINEAR_CG_MAX_UNKNOWNS], p[NONLINEAR_CG_MAX_UNKNOWNS];
    NonlinearCgResult end = {.value = d->value(d->context, x, g), .evaluations = 1};
    d->precondition(d->context, g, z);
    double gz = dense_dot(n, g, z);
    for (int i = 0; i < n; i++) {
        p[i] = -z[i];
    }
    while (end.iterations < d->iterations && gz > d->enough && isfinite(end.value)) {
        LineSearch s = {.d = d, .x = x, .p = p, .f0 = end.value, .slope0 = dense_dot(n, g, p)};
        if (!(s.slope0 < 0.0)) {
            for (int i = 0; i < n; i++) {
                p[i] = -z[i];
            }
            s.slope0 = -gz;
        }
        Trial t = line_search(&s);
        end.evaluations += s.tries;
        end.iterations++;
        if (!(t.a > 0.0)) {
            break;
        }
        memcpy(x, s.at, sizeof *x * (size_t)n);
        memcpy(g, s.g, sizeof *g * (size_t)n);
        end.value = t.f;
        d->precondition(d->context, g, z);
        double next = dense_dot(n, g, z), beta = next / gz;
        for (int i = 0; i < n; i++) {
            p[i] = -z[i] + beta * p[i];
        }
        gz = next;
    }
    return end;
}
