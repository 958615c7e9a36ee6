#include "math/lanczos.h"

#include "base/real.h"
#include "math/eigen_ql.h"
#include "math/envelope_cholesky.h"
#include "math/residual.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Vectors of a block, so also copies of an eigenvalue that one start finds; the next start finds further
// ones.
#define BLOCK ENVELOPE_MAX_SIDES
#define MOST_CYCLES 500 // a few are usual
#define LOST 1e-12      // a vector that orthogonalisation leaves shorter than this is rounding
#define WORST_PAIR 1e-6 // largest residual of a pair that is returned; usual ones are far below
// Largest (|A u| - theta) / theta: the error of u is then 1.4e-5, and that of A u far less. theta has the
// rounding error of the largest Ritz value, 2e-11 of the smallest that is found beside it.
#define WORST_NORM 1e-10
#define FAR_BELOW 1e-5 // of the largest Ritz value: smaller ones are refined separately
#define LOSS 1e-13     // relative error of a solve that needs no refinement
#define MOST_TURNS 8   // of iterative refinement; two are usual
#define CHUNK 128      // entries of all vectors that are rotated at once

// The operator A = (K - shift M)^-1 M is symmetric in the inner product of M; its largest eigenvalues theta
// belong to the lowest lambda = shift + 1 / theta. A v_i = sum_j h_ij v_j for the first `done` vectors of the
// basis.
typedef struct Lanczos {
    Memory* memory;
    const CordEigenProblem* p;
    Envelope factor;
    int n;
    int most;        // vectors that A is applied to before a restart
    int room;        // vectors that the basis has room for: a block more
    int used;        // vectors in the basis
    int done;        // of these, how many A has been applied to
    double* v;       // the basis, v_i M v_j = 1 or 0 (room x n)
    double* h;       // v_j M A v_i at h[i room + j], j >= i (room x room)
    double *w, *z;   // (n)
    double* ahead;   // A v for the vectors from `done` on (BLOCK x n)
    double* dots;    // (room)
    double* small;   // -h, the projected eigenproblem (most x most)
    double* theta;   // Ritz values, the largest first (most)
    double* y;       // Ritz vectors in the basis, one after the other (done x done)
    double* rest;    // residual norms |A u - theta u| (most)
    double* work;    // (most)
    double* rotated; // (most x CHUNK)
    double* sides;   // right-hand sides and residuals of linear systems (2 BLOCK x n)
    bool loses;      // solves lose digits, so that they are refined
    double loss;     // largest relative error of the solves for the present shapes
    uint64_t seed;
    double share; // estimate of the share of the work that is done
} Lanczos;

// ---- vectors

static double dot(int n, const double* a, const double* b)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int i = 0;
    for (; i + 3 < n; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < n; i++) {
        s0 += a[i] * b[i];
    }
    return (s0 + s1) + (s2 + s3);
}

static void add(int n, double* a, double s, const double* b)
{
    for (int i = 0; i < n; i++) {
        a[i] += s * b[i];
    }
}

// out = A x; columns are rows, by symmetry.
static void multiply(const CordEigenProblem* p, const double* entries, const double* x, double* out)
{
    for (int i = 0; i < p->size; i++) {
        double sum = 0.0;
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            sum += entries[k] * x[p->row[k]];
        }
        out[i] = sum;
    }
}

static double* basis(const Lanczos* s, int i)
{
    return s->v + (size_t)i * (size_t)s->n;
}

// Gram-Schmidt: w -= v (v' z) for `count` vectors v, where z = M w; adds the coefficients to dots. Returns
// the M-norm of the result, if that is not much smaller than the norm of w.
static double project_out(Lanczos* s, const double* vectors, int count, double* w, const double* z,
                          double* dots)
{
    double norm2 = dot(s->n, w, z);
    for (int j = 0; j < count; j++) {
        const double* v = vectors + (size_t)j * (size_t)s->n;
        double d = dot(s->n, v, z);
        dots[j] += d;
        norm2 -= d * d;
        add(s->n, w, -d, v);
    }
    return sqrt(real_max(norm2, 0.0));
}

// Gram-Schmidt twice ("twice is enough", Kahan and Parlett): the second coefficients are small, so that the
// norm is right to rounding. z is M w on entry. Writes the norm to *norm and returns its ratio to the norm
// that w had.
static double orthogonalise(Lanczos* s, const double* vectors, int count, double* w, double* dots,
                            double* norm)
{
    double before = sqrt(real_max(dot(s->n, w, s->z), 0.0));
    project_out(s, vectors, count, w, s->z, dots);
    multiply(s->p, s->p->M, w, s->z);
    *norm = project_out(s, vectors, count, w, s->z, dots);
    return before > 0.0 ? *norm / before : 0.0;
}

static void append(Lanczos* s, double norm)
{
    double* v = basis(s, s->used++);
    for (int i = 0; i < s->n; i++) {
        v[i] = s->w[i] / norm;
    }
}

// A random start vector: a linear congruential sequence between -1 and 1, the same in every run.
static void append_random(Lanczos* s)
{
    double norm = 0.0, kept = 0.0;
    for (int tries = 0; tries < 10 && s->used < s->n && !(kept > 1e-6); tries++) {
        for (int i = 0; i < s->n; i++) {
            s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
            s->w[i] = (double)(s->seed >> 11) * 0x1p-52 - 1.0;
        }
        multiply(s->p, s->p->M, s->w, s->z);
        kept = orthogonalise(s, s->v, s->used, s->w, s->dots, &norm);
        if (kept > 1e-6) {
            multiply(s->p, s->p->M, s->w, s->z);
            norm = project_out(s, s->v, s->used, s->w, s->z, s->dots);
        }
    }
    if (kept > 1e-6) {
        append(s, norm);
    }
}

// ---- the basis

static bool report_progress(const CordEigenProblem* p, const char* what, double share)
{
    return !p->progress || p->progress(p->progress_user, what, share);
}

// Applies A to the next vectors of the basis. Returns how many.
static int apply(Lanczos* s)
{
    int count = (s->used < s->most ? s->used : s->most) - s->done;
    for (int k = 0; k < count; k++) {
        multiply(s->p, s->p->M, basis(s, s->done + k), s->ahead + (size_t)k * (size_t)s->n);
    }
    envelope_solve(&s->factor, count, s->ahead);
    return count;
}

// The part of A v that is orthogonal to the basis becomes its next vector.
static void expand(Lanczos* s, const double* av)
{
    double *dots = s->h + (size_t)s->done * (size_t)s->room, norm = 0.0;
    memset(dots, 0, (size_t)s->room * sizeof *dots);
    memcpy(s->w, av, (size_t)s->n * sizeof *s->w);
    multiply(s->p, s->p->M, s->w, s->z);
    double kept = orthogonalise(s, s->v, s->used, s->w, dots, &norm);
    if (s->used == s->n) {
        norm = 0.0; // the basis spans the whole space
    } else if (kept > LOST) {
        dots[s->used] = norm;
        append(s, norm);
    } else {
        append_random(s);
    }
    s->done++;
}

// Rayleigh-Ritz: eigenpairs of A projected onto the basis, and their residual norms.
static bool rayleigh_ritz(Lanczos* s)
{
    int m = s->done;
    for (int i = 0; i < m; i++) {
        for (int j = i; j < m; j++) {
            s->small[i * m + j] = s->small[j * m + i] = -s->h[i * s->room + j];
        }
    }
    if (!eigen_ql(m, s->small, s->theta, s->y, s->work)) {
        return false;
    }
    for (int k = 0; k < m; k++) {
        double sum = 0.0;
        for (int f = m; f < s->used; f++) {
            double r = 0.0;
            for (int i = 0; i < m; i++) {
                r += s->h[i * s->room + f] * s->y[k * m + i];
            }
            sum += r * r;
        }
        s->theta[k] = -s->theta[k];
        s->rest[k] = sqrt(sum);
    }
    return true;
}

// Replaces the basis by the first `keep` Ritz vectors, in chunks of entries.
static void rotate_basis(Lanczos* s, int keep)
{
    for (int from = 0; from < s->n; from += CHUNK) {
        int length = s->n - from < CHUNK ? s->n - from : CHUNK;
        memset(s->rotated, 0, (size_t)keep * CHUNK * sizeof(double));
        for (int k = 0; k < keep; k++) {
            for (int i = 0; i < s->done; i++) {
                add(length, s->rotated + (size_t)k * CHUNK, s->y[k * s->done + i], basis(s, i) + from);
            }
        }
        for (int k = 0; k < keep; k++) {
            memcpy(basis(s, k) + from, s->rotated + (size_t)k * CHUNK, (size_t)length * sizeof(double));
        }
    }
}

// Thick restart (Wu and Simon 2000): keeps Ritz vectors u, with A u = theta u + their part in the vectors
// that A has not been applied to, which follow them.
static void restart(Lanczos* s, int keep)
{
    int left = s->used - s->done;
    rotate_basis(s, keep);
    for (int k = 0; k < keep; k++) {
        double beside[BLOCK] = {0};
        for (int f = 0; f < left; f++) {
            for (int i = 0; i < s->done; i++) {
                beside[f] += s->h[i * s->room + s->done + f] * s->y[k * s->done + i];
            }
        }
        memcpy(s->work + BLOCK * k, beside, sizeof beside); // h is still in use
    }
    memset(s->h, 0, (size_t)s->room * (size_t)s->room * sizeof *s->h);
    for (int k = 0; k < keep; k++) {
        s->h[k * s->room + k] = s->theta[k];
        memcpy(s->h + k * s->room + keep, s->work + BLOCK * k, (size_t)left * sizeof(double));
    }
    memmove(basis(s, keep), basis(s, s->done), (size_t)left * (size_t)s->n * sizeof(double));
    s->done = keep;
    s->used = keep + left;
}

// Keeps the first pairs and goes on from random vectors that are orthogonal to them.
static void restart_random(Lanczos* s, int keep)
{
    if (s->done > 0) {
        restart(s, keep);
        memset(s->h, 0, (size_t)s->room * (size_t)s->room * sizeof *s->h);
    }
    for (int k = 0; k < keep; k++) {
        s->h[k * s->room + k] = s->theta[k];
    }
    s->used = keep;
    for (int k = 0; k < BLOCK && s->used < s->n; k++) {
        append_random(s);
    }
}

// ---- iteration

static int converged(const Lanczos* s)
{
    int k = 0;
    double rounding = 4.0 * DBL_EPSILON * s->theta[0];
    while (k < s->p->count && k < s->done &&
           s->rest[k] <= real_max(s->p->tolerance * s->theta[k], rounding)) {
        k++;
    }
    return k;
}

// Is the next Ritz value, with its error, no better than the last wanted one?
static bool next_is_worse(const Lanczos* s)
{
    int count = s->p->count;
    return s->done == s->n ||
           (s->done > count && s->theta[count] + s->rest[count] <= s->theta[count - 1] * (1.0 + 1e-10));
}

// A start finds at most BLOCK copies of an eigenvalue. Converged values are therefore accepted only once a
// fresh start, orthogonal to them, has found nothing better than the last.
static CordResult iterate(Lanczos* s, Message* message)
{
    int count = s->p->count;
    bool fresh = false;
    restart_random(s, 0);
    for (int cycle = 0; cycle < MOST_CYCLES; cycle++) {
        while (s->done < s->most && s->done < s->used) {
            if (!report_progress(s->p, "finding modes", s->share)) {
                return message_fail(message, CORD_NOT_CONVERGED, "finding modes was stopped");
            }
            for (int k = 0, ahead = apply(s); k < ahead; k++) {
                expand(s, s->ahead + (size_t)k * (size_t)s->n);
            }
        }
        if (s->done == 0 || !rayleigh_ritz(s)) { // no vector has a length that is finite and not zero
            return message_fail(message, CORD_DIVERGED,
                                "the matrices of the modes have entries that are not finite");
        }
        int good = converged(s);
        s->share = real_max(s->share, (double)good / (count + 1));
        if (good == count && (s->done == s->n || (fresh && next_is_worse(s)))) {
            return CORD_OK;
        }
        bool settled = good == count && !fresh;
        int keep = count + (s->most - count) / 3, most = s->done - 1;
        if (settled) {
            restart_random(s, count);
        } else {
            restart(s, keep < most ? keep : most);
        }
        fresh = settled || (fresh && good == count);
    }
    return message_fail(message, CORD_NOT_CONVERGED,
                        "%d of %d modes were found in %d rounds; ask for fewer modes", converged(s), count,
                        MOST_CYCLES);
}

// ---- refinement

// The Rayleigh quotient phi' K phi of a normalised vector, and its rounding error.
static double rayleigh_quotient(const CordEigenProblem* p, const double* phi, double* rounding)
{
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < p->size; i++) {
        double row = 0.0, row_size = 0.0;
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            double term = p->K[k] * phi[p->row[k]];
            row += term;
            row_size += fabs(term);
        }
        sum += row * phi[i];
        size += row_size * fabs(phi[i]);
    }
    *rounding = DBL_EPSILON * size;
    return sum;
}

// A u for `count` shapes, into ahead, by iterative refinement: the rounding error of L is that of the
// stiffest parts, so the residual in twice the precision is solved for until it is small. If the first solves
// lose nothing, the rest are not refined.
static void apply_refined(Lanczos* s, int count, const double* u)
{
    size_t n = (size_t)s->n;
    double *b = s->sides, *r = s->sides + BLOCK * n;
    for (int k = 0; k < count; k++) {
        multiply(s->p, s->p->M, u + (size_t)k * n, b + (size_t)k * n);
    }
    memcpy(s->ahead, b, (size_t)count * n * sizeof *b);
    envelope_solve(&s->factor, count, s->ahead);
    double off = s->loses ? 1.0 : 0.0, first = 0.0;
    for (int turn = 0; turn < MOST_TURNS && off * off > DBL_EPSILON; turn++) {
        for (int k = 0; k < count; k++) {
            residual_dot2(s->p, s->p->shift, b + (size_t)k * n, s->ahead + (size_t)k * n, r + (size_t)k * n);
        }
        envelope_solve(&s->factor, count, r);
        off = 0.0;
        for (int k = 0; k < count; k++) {
            double *x = s->ahead + (size_t)k * n, *d = r + (size_t)k * n;
            off = real_max(off, sqrt(dot(s->n, d, d) / dot(s->n, x, x)));
            add(s->n, x, 1.0, d);
        }
        first = turn == 0 ? off : first;
    }
    s->loss = real_max(s->loss, first);
}

// One step of subspace iteration for the shapes from `first` on, orthogonal to those before them.
// Rayleigh-Ritz separates what rounding has mixed.
static bool iterate_shapes(Lanczos* s, int first, double* phi)
{
    size_t n = (size_t)s->n;
    double* u = phi + (size_t)first * n;
    s->done = s->used = s->p->count - first;
    s->loss = 0.0;
    for (int i = 0; i < s->done; i++) {
        if (i % BLOCK == 0) {
            apply_refined(s, s->done - i < BLOCK ? s->done - i : BLOCK, u + (size_t)i * n);
        }
        double* w = basis(s, i);
        memcpy(w, s->ahead + (size_t)(i % BLOCK) * n, n * sizeof *w);
        multiply(s->p, s->p->M, w, s->z);
        project_out(s, phi, first, w, s->z, s->dots);
        multiply(s->p, s->p->M, w, s->z);
        for (int j = i; j < s->done; j++) {
            s->h[i * s->room + j] = dot(s->n, u + (size_t)j * n, s->z);
        }
    }
    s->loses = s->loss > LOSS; // decided by all of them: some lose nothing where others do
    if (!rayleigh_ritz(s)) {
        return false;
    }
    rotate_basis(s, s->done);
    return true;
}

// Shape k from w = A u, and its eigenvalue. theta has lost the digits by which the first is larger, so that a
// high eigenvalue is taken from the Rayleigh quotient of K. False: it has not converged.
static bool accept_shape(Lanczos* s, int k, double* w, double theta, double* lambda, double* phi)
{
    double *u = phi + (size_t)k * (size_t)s->n, norm = 0.0, rounding = 0.0;
    multiply(s->p, s->p->M, w, s->z);
    orthogonalise(s, phi, k, w, s->dots, &norm);
    for (int i = 0; i < s->n; i++) {
        u[i] = w[i] / norm;
    }
    double by_k = rayleigh_quotient(s->p, u, &rounding), by_theta = s->p->shift + 1.0 / theta;
    bool high = rounding < DBL_EPSILON * s->theta[0] / (theta * theta);
    lambda[k] = high ? by_k : by_theta;
    // |A u|^2 = theta^2 + residual^2, so norm - theta measures the residual without cancellation.
    return high ? fabs(by_k - by_theta) * theta <= WORST_PAIR : norm - theta <= WORST_NORM * theta;
}

static void sort(int n, int count, double* lambda, double* phi, double* spare)
{
    size_t size = (size_t)n * sizeof *phi;
    for (int k = 1; k < count; k++) {
        for (int j = k; j > 0 && lambda[j] < lambda[j - 1]; j--) {
            double t = lambda[j], *a = phi + (size_t)j * (size_t)n, *b = a - n;
            lambda[j] = lambda[j - 1], lambda[j - 1] = t;
            memcpy(spare, a, size), memcpy(a, b, size), memcpy(b, spare, size);
        }
    }
}

// Ritz values have the rounding error of the largest, so those far below it are refined again without it.
// *next: the first of these.
static bool refine(Lanczos* s, int first, int* next, double* lambda, double* phi)
{
    if (!iterate_shapes(s, first, phi)) {
        return false;
    }
    *next = first;
    while (*next < s->p->count && s->theta[*next - first] > FAR_BELOW * s->theta[0]) {
        (*next)++;
    }
    bool good = *next > first;
    for (int k = first; k < s->p->count; k++) {
        good =
            (accept_shape(s, k, basis(s, k - first), s->theta[k - first], lambda, phi) || k >= *next) && good;
    }
    return good;
}

static CordResult refine_shapes(Lanczos* s, double* lambda, double* phi, Message* message)
{
    int count = s->p->count;
    rotate_basis(s, count);
    memcpy(phi, s->v, (size_t)count * (size_t)s->n * sizeof *phi);
    s->loses = true;
    for (int first = 0, next = 0; first < count; first = next) {
        bool good = false;
        for (int turn = 0; turn < MOST_TURNS && !good; turn++) {
            good = refine(s, first, &next, lambda, phi);
        }
        if (!good) {
            return message_fail(message, CORD_NOT_CONVERGED,
                                "modes from %d on cannot be told apart: the stiffest and the softest parts "
                                "are too far apart; ask for fewer modes",
                                first + 1);
        }
    }
    sort(s->n, count, lambda, phi, s->w);
    return CORD_OK;
}

static bool lanczos_create(Lanczos* s)
{
    size_t room = (size_t)s->room, most = (size_t)s->most, n = (size_t)s->n;
    s->v = memory_array(s->memory, double, room* n);
    s->h = memory_array(s->memory, double, room* room);
    s->w = memory_array(s->memory, double, n);
    s->z = memory_array(s->memory, double, n);
    s->ahead = memory_array(s->memory, double, BLOCK* n);
    s->sides = memory_array(s->memory, double, 2 * BLOCK * n);
    s->dots = memory_array(s->memory, double, room);
    s->small = memory_array(s->memory, double, most* most);
    s->theta = memory_array(s->memory, double, most);
    s->y = memory_array(s->memory, double, most* most);
    s->rest = memory_array(s->memory, double, most);
    s->work = memory_array(s->memory, double, BLOCK* most);
    s->rotated = memory_array(s->memory, double, most* CHUNK);
    return s->v && s->h && s->w && s->z && s->ahead && s->sides && s->dots && s->small && s->theta && s->y &&
           s->rest && s->work && s->rotated;
}

static void lanczos_destroy(Lanczos* s)
{
    size_t room = (size_t)s->room, most = (size_t)s->most, n = (size_t)s->n;
    memory_array_free(s->memory, s->v, room * n);
    memory_array_free(s->memory, s->h, room * room);
    memory_array_free(s->memory, s->w, n);
    memory_array_free(s->memory, s->z, n);
    memory_array_free(s->memory, s->ahead, BLOCK * n);
    memory_array_free(s->memory, s->sides, 2 * BLOCK * n);
    memory_array_free(s->memory, s->dots, room);
    memory_array_free(s->memory, s->small, most * most);
    memory_array_free(s->memory, s->theta, most);
    memory_array_free(s->memory, s->y, most * most);
    memory_array_free(s->memory, s->rest, most);
    memory_array_free(s->memory, s->work, BLOCK * most);
    memory_array_free(s->memory, s->rotated, most * CHUNK);
    envelope_destroy(&s->factor);
}

static CordResult find_lowest(Lanczos* s, double* lambda, double* phi, Message* message)
{
    const char* what = "ordering and factorising";
    if (!report_progress(s->p, what, (double)NAN)) {
        return message_fail(message, CORD_NOT_CONVERGED, "finding modes was stopped");
    }
    if (!lanczos_create(s) || !envelope_create(s->memory, s->p, &s->factor)) {
        return message_fail(message, CORD_NO_MEMORY, "there is no memory to find the modes of %d unknowns",
                            s->n);
    }
    int bad = envelope_factor(&s->factor, s->p, s->p->shift);
    if (bad >= 0) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "K - shift M is not positive definite at unknown %d: lower the shift, or see "
                            "that each unknown has mass",
                            bad);
    }
    CORD_TRY(iterate(s, message));
    return refine_shapes(s, lambda, phi, message);
}

CordResult lanczos_lowest(Memory* memory, const CordEigenProblem* p, double* lambda, double* phi,
                          Message* message)
{
    if (p->count < 1 || p->count > p->size) {
        return message_fail(message, CORD_BAD_ARGUMENT, "%d modes are wanted of %d unknowns: ask for 1 to %d",
                            p->count, p->size, p->size);
    }
    int most = p->count + (p->count > 24 ? p->count : 24);
    most = most < p->size ? most : p->size;
    Lanczos s = {.memory = memory, .p = p, .n = p->size, .most = most, .room = most + BLOCK, .seed = 1};
    CordResult result = find_lowest(&s, lambda, phi, message);
    lanczos_destroy(&s);
    return result;
}
