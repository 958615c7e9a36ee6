#include <cordage/eigs.h>

#include "math/residual.h"
#include "sparse_lu.h"

#include <arpack/arpack.h>

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#define MORE 2            // modes beyond those asked for, so that the last of these converge quickly
#define MOST_RESTARTS 300 // of ARPACK
#define MOST_TURNS 8      // of iterative refinement; one or two are usual
#define ROUGHLY 1e-4      // relative error at which a value shows whether it is among the wanted

static mtx_t arpack; // ARPACK has static state
static once_flag arpack_once = ONCE_FLAG_INIT;

typedef struct Search {
    const CordEigenProblem* p;
    SparseLu* lu;
    int found, most; // pairs found, and room for pairs
    double* lambda;  // (most)
    double* phi;     // (most x size)
    double *x, *mx;  // (size)
    double* basis;   // Lanczos vectors (size x ncv), and other arrays of ARPACK
    double *work, *small, *rest;
    int* chosen;
    int solves, expected;
    uint64_t seed;
    char* why;
    size_t why_size;
} Search;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static CordResult
fail(const Search* s, CordResult result, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->why, s->why_size, format, arguments);
    va_end(arguments);
    return result;
}

static bool report_progress(const CordEigenProblem* p, const char* what, double share)
{
    return !p->progress || p->progress(p->progress_user, what, share);
}

// ---- vectors

static void multiply_mass(const CordEigenProblem* p, const double* x, double* out)
{
    for (int i = 0; i < p->size; i++) {
        double sum = 0.0;
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            sum += p->M[k] * x[p->row[k]];
        }
        out[i] = sum;
    }
}

static double dot(int n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static double* shape(const Search* s, int k)
{
    return s->phi + (size_t)k * (size_t)s->p->size;
}

// Deflation: makes x M-orthogonal to the first `count` pairs.
static void deflate(Search* s, int count, double* x)
{
    if (count == 0) {
        return;
    }
    multiply_mass(s->p, x, s->mx);
    for (int k = 0; k < count; k++) {
        double d = dot(s->p->size, shape(s, k), s->mx);
        for (int i = 0; i < s->p->size; i++) {
            x[i] -= d * shape(s, k)[i];
        }
    }
}

// ---- ARPACK

// y = (K - shift M)^-1 b, deflated by the pairs that were found.
static bool solve_deflated(Search* s, const double* b, double* y)
{
    if (b != y) {
        memcpy(y, b, (size_t)s->p->size * sizeof *y);
    }
    bool good = sparse_lu_solve(s->lu, y);
    deflate(s, s->found, y);
    s->solves++;
    return good && report_progress(s->p, "finding modes", fmin(0.95, (double)s->solves / s->expected));
}

static void start_at_random(Search* s)
{
    for (int i = 0; i < s->p->size; i++) {
        s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
        s->rest[i] = (double)(s->seed >> 11) * 0x1p-52 - 1.0;
    }
    deflate(s, s->found, s->rest);
}

// Implicitly restarted Lanczos in shift-invert mode by reverse communication: ARPACK asks for products with M
// or the operator.
static CordResult iterate(Search* s, int count, int ncv, double tolerance, a_int* parameters, a_int* places)
{
    int n = s->p->size;
    a_int ido = 0, info = 1; // the start vector is in rest
    start_at_random(s);
    for (;;) {
        dsaupd_c(&ido, "G", n, "LM", count, tolerance, s->rest, ncv, s->basis, n, parameters, places, s->work,
                 s->small, ncv * (ncv + 8), &info);
        double *from = s->work + places[0] - 1, *to = s->work + places[1] - 1;
        bool good = true;
        if (ido == -1) {
            multiply_mass(s->p, from, to);
            good = solve_deflated(s, to, to);
        } else if (ido == 1) {
            good = solve_deflated(s, s->work + places[2] - 1, to);
        } else if (ido == 2) {
            multiply_mass(s->p, from, to);
        } else {
            break;
        }
        if (!good) {
            return fail(s, CORD_NOT_CONVERGED, "finding modes was stopped");
        }
    }
    if (info != 0 || parameters[4] < count) {
        return fail(s, CORD_NOT_CONVERGED, "ARPACK found %d of %d modes in %d rounds; ask for fewer modes",
                    (int)parameters[4], count, (int)parameters[2]);
    }
    return CORD_OK;
}

// The lowest `count` pairs after deflation, appended to those that were found.
static CordResult find_deflated(Search* s, int count, int ncv, double tolerance)
{
    int n = s->p->size;
    a_int parameters[11] = {0}, places[11] = {0}, info = 0;
    parameters[0] = 1, parameters[2] = MOST_RESTARTS, parameters[3] = 1, parameters[6] = 3;
    CordResult result = iterate(s, count, ncv, tolerance, parameters, places);
    if (result != CORD_OK) {
        return result;
    }
    dseupd_c(1, "A", s->chosen, s->lambda + s->found, shape(s, s->found), n, s->p->shift, "G", n, "LM", count,
             tolerance, s->rest, ncv, s->basis, n, parameters, places, s->work, s->small, ncv * (ncv + 8),
             &info);
    return info == 0 ? CORD_OK
                     : fail(s, CORD_NOT_CONVERGED, "ARPACK could not hand out its modes (dseupd says %d)",
                            (int)info);
}

// ---- pairs

static void swap(Search* s, int a, int b)
{
    size_t size = (size_t)s->p->size * sizeof *s->x;
    double t = s->lambda[a];
    s->lambda[a] = s->lambda[b], s->lambda[b] = t;
    memcpy(s->x, shape(s, a), size), memcpy(shape(s, a), shape(s, b), size), memcpy(shape(s, b), s->x, size);
}

// Accepts appended pairs: orthonormalises and sorts them.
static void accept(Search* s, int count)
{
    int n = s->p->size;
    for (int k = s->found; k < s->found + count; k++) {
        deflate(s, k, shape(s, k));
        multiply_mass(s->p, shape(s, k), s->mx);
        double norm = sqrt(dot(n, shape(s, k), s->mx));
        for (int i = 0; i < n; i++) {
            shape(s, k)[i] /= norm;
        }
    }
    s->found += count;
    for (int k = 1; k < s->found; k++) {
        for (int j = k; j > 0 && s->lambda[j] < s->lambda[j - 1]; j--) {
            swap(s, j, j - 1);
        }
    }
}

// A single-vector Lanczos method may miss copies of an eigenvalue. A start that is deflated by what was found
// finds the first missing one; if it is among the wanted, there may be another. A rough value decides that
// long before it has converged.
static CordResult find_missing(Search* s)
{
    const CordEigenProblem* p = s->p;
    int ncv = p->size - s->found < 20 ? p->size - s->found : 20;
    while (s->found < s->most && ncv > 2) {
        double last = s->lambda[p->count - 1] - p->shift;
        CordResult result = find_deflated(s, 1, ncv, ROUGHLY);
        if (result != CORD_OK || s->lambda[s->found] - p->shift > last * (1.0 + 2.0 * ROUGHLY)) {
            return result;
        }
        result = find_deflated(s, 1, ncv, p->tolerance);
        if (result != CORD_OK || s->lambda[s->found] - p->shift > last * (1.0 - 1e-10)) {
            return result;
        }
        accept(s, 1);
        ncv = p->size - s->found < ncv ? p->size - s->found : ncv;
    }
    return CORD_OK;
}

// Solves have the rounding error of the stiffest parts, and so have the low modes. One inverse iteration for
// each with iterative refinement in twice the precision restores all digits that are in K.
static bool refine(Search* s)
{
    const CordEigenProblem* p = s->p;
    size_t size = (size_t)p->size * sizeof(double);
    bool good = true;
    for (int k = 0; k < p->count && good; k++) {
        double off = 1.0;
        multiply_mass(p, shape(s, k), s->mx);
        memcpy(s->x, s->mx, size);
        good = sparse_lu_solve(s->lu, s->x);
        for (int turn = 0; turn < MOST_TURNS && good && off * off > DBL_EPSILON; turn++) {
            residual_dot2(p, p->shift, s->mx, s->x, s->rest);
            good = sparse_lu_solve(s->lu, s->rest) && report_progress(p, "finding modes", 0.97);
            off = sqrt(dot(p->size, s->rest, s->rest) / dot(p->size, s->x, s->x));
            for (int i = 0; i < p->size; i++) {
                s->x[i] += s->rest[i];
            }
        }
        s->lambda[k] = p->shift + 1.0 / dot(p->size, s->mx, s->x);
        memcpy(shape(s, k), s->x, size);
    }
    s->found = 0;
    accept(s, p->count);
    return good;
}

// ---- the solver

static bool search_create(Search* s, int ncv)
{
    size_t n = (size_t)s->p->size, m = (size_t)ncv, most = (size_t)s->most + 1;
    s->lambda = calloc(most, sizeof(double));
    s->phi = calloc(most * n, sizeof(double));
    s->x = calloc(n, sizeof(double));
    s->mx = calloc(n, sizeof(double));
    s->basis = calloc(n * m, sizeof(double));
    s->work = calloc(3 * n, sizeof(double));
    s->small = calloc(m * (m + 8), sizeof(double));
    s->rest = calloc(n, sizeof(double));
    s->chosen = calloc(m, sizeof(int));
    return s->lambda && s->phi && s->x && s->mx && s->basis && s->work && s->small && s->rest && s->chosen;
}

static void search_destroy(Search* s)
{
    free(s->lambda), free(s->phi), free(s->x), free(s->mx), free(s->basis), free(s->work), free(s->small);
    free(s->rest), free(s->chosen);
    sparse_lu_destroy(s->lu);
}

static CordResult search(Search* s, double* lambda, double* phi)
{
    const CordEigenProblem* p = s->p;
    int wanted = p->count + MORE < p->size - 1 ? p->count + MORE : p->size - 1;
    int ncv = 2 * wanted + 20 < p->size ? 2 * wanted + 20 : p->size;
    CordResult result = CORD_OK;
    s->most = wanted + p->count;
    s->expected = 3 * ncv + 30;
    if (!report_progress(p, "ordering and factorising", (double)NAN)) {
        return fail(s, CORD_NOT_CONVERGED, "finding modes was stopped");
    }
    if (!search_create(s, ncv)) {
        return fail(s, CORD_NO_MEMORY, "there is no memory to find the modes of %d unknowns", p->size);
    }
    s->lu = sparse_lu_create(p, &result);
    if (!s->lu) {
        return result == CORD_NO_MEMORY
                   ? fail(s, result, "there is no memory to factorise a matrix of %d unknowns", p->size)
                   : fail(s, result,
                          "K - shift M is not positive definite: lower the shift, or see that each unknown "
                          "has mass");
    }
    result = find_deflated(s, wanted, ncv, p->tolerance);
    if (result == CORD_OK) {
        accept(s, wanted);
        result = find_missing(s);
    }
    if (result == CORD_OK && !refine(s)) {
        result = fail(s, CORD_NOT_CONVERGED, "finding modes was stopped");
    }
    if (result == CORD_OK) {
        memcpy(lambda, s->lambda, (size_t)p->count * sizeof *lambda);
        memcpy(phi, s->phi, (size_t)p->count * (size_t)p->size * sizeof *phi);
    }
    return result;
}

static void make_lock(void)
{
    mtx_init(&arpack, mtx_plain);
}

static CordResult solve(void* user, const CordEigenProblem* p, double* lambda, double* phi, char* why,
                        size_t why_size)
{
    (void)user;
    Search s = {.p = p, .seed = 1, .why = why, .why_size = why_size};
    if (p->count < 1 || p->count > p->size - 2) {
        return fail(&s, CORD_BAD_ARGUMENT,
                    "%d modes are wanted of %d unknowns: ask for 1 to %d, or the built-in solver", p->count,
                    p->size, p->size - 2);
    }
    call_once(&arpack_once, make_lock);
    mtx_lock(&arpack);
    CordResult result = search(&s, lambda, phi);
    mtx_unlock(&arpack);
    search_destroy(&s);
    return result;
}

const CordEigenSolver* cord_eigs_solver(void)
{
    static const CordEigenSolver solver = {.name = "arpack", .solve = solve};
    return &solver;
}
