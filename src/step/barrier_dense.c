#include "step/barrier_dense.h"

#include "base/real.h"

#include <string.h>

#define FIRST_ITERATIONS 6 // of Newton's method, from the forces of the iterate before
#define ITERATIONS 12
#define SWEEPS 30
#define ROUNDS 5
#define CLOSER 0.1 // of the merit: from there sweeps go on
#define HALVINGS 5
#define DECREASE 0.1   // of the merit, over the share of the step
#define LEAST 1e-9     // smallest slope of the gap by the normal force, over W_nn
#define SECULAR 40     // iterations of the secular equation
#define ON_CONE 1e-12  // relative tolerance of the secular equation
#define ALONE 30       // iterations for the normal and friction force of one contact
#define ENOUGH 1e-11   // relative tolerance of the normal force
#define ROUNDING 1e-13 // over the radius: the least motion that counts

size_t dense_contacts_space(int count)
{
    size_t n = 3 * (size_t)count;
    return 2 * n * n + 12 * n + (size_t)count * ((sizeof(DensePoint) + sizeof(double) - 1) / sizeof(double));
}

void dense_contacts_open(DenseContacts* d, int count, double* space)
{
    size_t n = 3 * (size_t)count;
    *d = (DenseContacts){.count = count, .n = 3 * count};
    d->W = space, d->M = d->W + n * n;
    double** vectors[] = {&d->b, &d->f, &d->v, &d->best, &d->F, &d->df, &d->dv, &d->f_try, &d->v_try, &d->swept};
    double* at = d->M + n * n;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++, at += n) {
        *vectors[i] = at;
    }
    d->row = (int*)at;
    d->all = (DensePoint*)(at + n);
}

static double* block_at(const DenseContacts* d, int i, int j)
{
    return d->W + (ptrdiff_t)i * d->n + j;
}

// Rotates two rows and columns.
static void turn_tangents(const DenseContacts* d, int k, double c, double s)
{
    DensePoint* p = &d->all[k];
    int i = 3 * k + 1;
    double *x = block_at(d, i, 0), *y = block_at(d, i + 1, 0);
    for (int j = 0; j < d->n; j++) {
        double a = x[j], b = y[j];
        x[j] = c * a + s * b, y[j] = c * b - s * a;
    }
    for (int j = 0; j < d->n; j++) {
        double *q = block_at(d, j, i), a = q[0], b = q[1];
        q[0] = c * a + s * b, q[1] = c * b - s * a;
    }
    double* vectors[] = {d->b + i, d->f + i};
    for (int j = 0; j < 2; j++) {
        double a = vectors[j][0], b = vectors[j][1];
        vectors[j][0] = c * a + s * b, vectors[j][1] = c * b - s * a;
    }
    CordVec3 a = p->axis[1], b = p->axis[2];
    p->axis[1] = vec3_madd(vec3_mul(a, c), b, s), p->axis[2] = vec3_madd(vec3_mul(b, c), a, -s);
}

void dense_contacts_begin(DenseContacts* d)
{
    for (int k = 0; k < d->count; k++) {
        DensePoint* p = &d->all[k];
        int i = 3 * k;
        double half = 0.5 * (*block_at(d, i + 1, i + 1) - *block_at(d, i + 2, i + 2)),
               off = 0.5 * (*block_at(d, i + 1, i + 2) + *block_at(d, i + 2, i + 1)),
               size = sqrt(half * half + off * off);
        if (size > 0.0) { // cosine and sine of half the angle of (half, off)
            double c = sqrt(0.5 * (1.0 + half / size)), s = c > 0.0 ? off / (2.0 * size * c) : 1.0;
            turn_tangents(d, k, c, s);
        }
        for (int j = 0; j < 3; j++) {
            p->w[j] = *block_at(d, i + j, i + j);
        }
        p->W_tn[0] = *block_at(d, i, i + 1), p->W_tn[1] = *block_at(d, i, i + 2);
        p->even = p->across[0] == 1.0 && p->across[1] == 1.0;
    }
}

bool dense_contacts_are_good(const DenseContacts* d)
{
    bool good = true;
    for (int k = 0; k < d->count; k++) {
        const DensePoint* p = &d->all[k];
        good &= p->w[0] > 0.0 && p->w[1] > 0.0 && p->w[2] > 0.0;
    }
    return good;
}

static void product(const DenseContacts* d, const double* x, double* y) // y = W x
{
    memset(y, 0, sizeof *y * (size_t)d->n);
    for (int j = 0; j < d->n; j++) {
        const double *column = block_at(d, j, 0), by = x[j]; // W is symmetric
        for (int i = 0; by != 0.0 && i < d->n; i++) {
            y[i] += by * column[i];
        }
    }
}

static void set_motion(const DenseContacts* d) // v = b + W f
{
    product(d, d->f, d->v);
    for (int i = 0; i < d->n; i++) {
        d->v[i] += d->b[i];
    }
}

static double grip_along(const DensePoint* p, const double t[2], double size)
{
    if (p->even || size == 0.0) {
        return p->mu;
    }
    CordVec3 e = vec3_mul(vec3_madd(vec3_mul(p->axis[1], t[0]), p->axis[2], t[1]), 1.0 / size);
    return p->mu * friction_anisotropy(p->contact->axis, p->across,
                                       p->contact->kind == CONTACT_SEGMENTS ? 2 : 1, e);
}

// ---- the natural map

static void solve_sliding(const DensePoint* p, const double goal[2], double normal, Projection* to);

Projection contact_project(const DensePoint* p, const double f[3], const double v[3])
{
    Projection to = {.normal = real_max(0.0, f[0] - v[0] / p->w[0])};
    if (p->mu > 0.0 && to.normal > 0.0) {
        to.to[0] = to.t[0] = f[1] - v[1] / p->w[1], to.to[1] = to.t[1] = f[2] - v[2] / p->w[2];
        double size = sqrt(to.t[0] * to.t[0] + to.t[1] * to.t[1]);
        to.grip = grip_along(p, to.t, size);
        to.limit = to.grip * to.normal;
        to.slides = size > to.limit;
        if (to.slides && p->even && p->w[1] == p->w[2]) {
            to.lambda = to.limit > 0.0 ? p->w[1] * (size / to.limit - 1.0) : INFINITY;
            to.to[0] *= to.limit / size, to.to[1] *= to.limit / size;
        } else if (to.slides) {
            const double goal[2] = {p->w[1] * to.t[0], p->w[2] * to.t[1]};
            solve_sliding(p, goal, to.normal, &to);
        }
    }
    return to;
}

void contact_defect(const Projection* to, const double f[3], double F[3])
{
    F[0] = f[0] - to->normal;
    F[1] = f[1] - to->to[0], F[2] = f[2] - to->to[1];
}

// Soft directions count by their forces.
void residual_add(Residual* sum, const DensePoint* p, const double f[3], const double F[3])
{
    for (int k = 0; k < 3; k++) {
        double w = real_min(p->w[k], p->w[0]);
        sum->merit += w * F[k] * F[k];
        sum->most = real_max(sum->most, w * fabs(F[k]));
    }
    sum->scale = real_max(sum->scale, p->w[0] * fabs(f[0]));
}

bool residual_is_enough(const Residual* r, double tolerance, double radius)
{
    return r->most <= real_max(tolerance * r->scale, ROUNDING * radius);
}

static Residual residual(const DenseContacts* d, const double* f, const double* v, double* F)
{
    Residual sum = {0};
    for (int k = 0; k < d->count; k++) {
        double local[3], *at = F ? F + 3 * k : local;
        Projection to = contact_project(&d->all[k], f + 3 * k, v + 3 * k);
        contact_defect(&to, f + 3 * k, at);
        residual_add(&sum, &d->all[k], f + 3 * k, at);
    }
    return sum;
}

static bool is_enough(const DenseContacts* d, const Residual* r, double tolerance)
{
    return residual_is_enough(r, tolerance, d->all[0].contact->radius);
}

bool dense_contacts_slide(const DenseContacts* d, int k)
{
    return contact_project(&d->all[k], d->f + 3 * k, d->v + 3 * k).slides;
}

// See contact/gauss_seidel.c.
static void solve_sliding(const DensePoint* p, const double goal[2], double normal, Projection* to)
{
    double *d = to->to, lambda = 0.0, least = 0.0, most = INFINITY, last = 0.0, last_share = 0.0;
    for (int n = 0; n < SECULAR; n++) {
        double a = 1.0 / (p->w[1] + lambda), b = 1.0 / (p->w[2] + lambda);
        d[0] = goal[0] * a, d[1] = goal[1] * b;
        double size2 = d[0] * d[0] + d[1] * d[1], size = sqrt(size2);
        to->grip = grip_along(p, d, size);
        double share = to->grip * normal / size;
        if (fabs(share - 1.0) <= ON_CONE) {
            break;
        }
        double slope = share * (d[0] * d[0] * a + d[1] * d[1] * b) / size2,
               next = lambda + (1.0 - share) / slope;
        if (n > 0 && !p->even) {
            double secant = lambda + (1.0 - share) * (lambda - last) / (share - last_share);
            next = secant > least ? secant : next;
        }
        *(share < 1.0 ? &least : &most) = lambda;
        last = lambda, last_share = share;
        lambda = next > least && next < most ? next : 0.5 * (least + most);
    }
    double size = sqrt(d[0] * d[0] + d[1] * d[1]);
    to->limit = to->grip * normal;
    double scale = size > 0.0 ? to->limit / size : 0.0;
    d[0] *= scale, d[1] *= scale; // exactly onto the cone
    to->lambda = lambda;
}

ProjectionSlope contact_slope(const DensePoint* p, const Projection* to)
{
    ProjectionSlope slope = {{0.0, 0.0}, {{1.0, 0.0}, {0.0, 1.0}}};
    if (!to->slides) {
        return slope;
    }
    double E[2] = {1.0 / (p->w[1] + to->lambda), 1.0 / (p->w[2] + to->lambda)},
           size = to->to[0] * E[0] * to->to[0] + to->to[1] * E[1] * to->to[1];
    if (!(size > 0.0)) {
        return (ProjectionSlope){{0.0, 0.0}, {{0.0, 0.0}, {0.0, 0.0}}};
    }
    for (int a = 0; a < 2; a++) {
        slope.n[a] = E[a] * to->to[a] * to->limit * to->grip / size;
        for (int b = 0; b < 2; b++) {
            slope.t[a][b] = (a == b) * E[b] * p->w[1 + b] -
                            E[a] * to->to[a] * E[b] * p->w[1 + b] * to->to[b] / size;
        }
    }
    return slope;
}

// ---- Newton's method

// Row `i` of the Newton matrix: `of_v` times row i of W, and forces by themselves.
static void put_row(const DenseContacts* d, double* row, double* right, int i, double of_v)
{
    const double* W = block_at(d, i, 0);
    for (int j = 0; j < d->n && of_v != 0.0; j++) {
        if (d->row[j] >= 0) {
            row[d->row[j]] += of_v * W[j];
        } else {
            *right += of_v * W[j] * d->F[j];
        }
    }
}

// Returns the number of unknowns. The right-hand side goes to df.
static int fill_newton(const DenseContacts* d)
{
    int m = 0;
    for (int k = 0; k < d->count; k++) {
        const DensePoint* p = &d->all[k];
        bool presses = d->f[3 * k] - d->v[3 * k] / p->w[0] > 0.0;
        for (int j = 0; j < 3; j++) {
            d->row[3 * k + j] = presses && (j == 0 || p->mu > 0.0) ? m++ : -1;
        }
    }
    memset(d->M, 0, sizeof *d->M * (size_t)m * (size_t)m);
    for (int k = 0; k < d->count; k++) {
        const DensePoint* p = &d->all[k];
        int i = 3 * k, at = d->row[i];
        const double* F = d->F + i;
        if (at < 0) {
            continue;
        }
        double *row = d->M + (ptrdiff_t)at * m, *right = d->df + at;
        *right = -F[0];
        put_row(d, row, right, i, 1.0 / p->w[0]);
        if (p->mu == 0.0) {
            continue;
        }
        Projection to = contact_project(p, d->f + i, d->v + i);
        ProjectionSlope slope = contact_slope(p, &to);
        for (int a = 0; a < 2; a++) {
            row = d->M + (ptrdiff_t)(at + 1 + a) * m, right = d->df + at + 1 + a;
            *right = -F[1 + a];
            for (int b = 0; b < 2; b++) {
                row[at + 1 + b] += (a == b) - slope.t[a][b];
                put_row(d, row, right, i + 1 + b, slope.t[a][b] / p->w[1 + b]);
            }
            row[at] -= slope.n[a]; // the limit follows the normal force
            *right += slope.n[a] * F[0];
        }
    }
    return m;
}

// Gaussian elimination with row exchanges. False: singular.
static bool eliminate(double* M, double* y, int n)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            best = fabs(M[(ptrdiff_t)i * n + k]) > fabs(M[(ptrdiff_t)best * n + k]) ? i : best;
        }
        double* pivot_row = M + (ptrdiff_t)k * n;
        if (best != k) {
            double *other = M + (ptrdiff_t)best * n, swap = y[k];
            y[k] = y[best], y[best] = swap;
            for (int j = k; j < n; j++) {
                swap = pivot_row[j], pivot_row[j] = other[j], other[j] = swap;
            }
        }
        double pivot = pivot_row[k];
        if (!(fabs(pivot) > 0.0) || !isfinite(pivot)) {
            return false;
        }
        for (int i = k + 1; i < n; i++) {
            double *row = M + (ptrdiff_t)i * n, share = row[k] / pivot;
            if (share == 0.0) {
                continue;
            }
            for (int j = k + 1; j < n; j++) {
                row[j] -= share * pivot_row[j];
            }
            y[i] -= share * y[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        const double* row = M + (ptrdiff_t)k * n;
        for (int j = k + 1; j < n; j++) {
            y[k] -= row[j] * y[j];
        }
        y[k] /= row[k];
    }
    return true;
}

// The Newton step df and its motion dv. False: singular.
static bool newton_step(const DenseContacts* d)
{
    int m = fill_newton(d);
    if (!eliminate(d->M, d->df, m)) {
        return false;
    }
    for (int i = d->n - 1; i >= 0; i--) { // rows are in the order of the unknowns
        d->df[i] = d->row[i] >= 0 ? d->df[d->row[i]] : -d->F[i];
    }
    product(d, d->df, d->dv);
    return true;
}

static void try_step(const DenseContacts* d, double share)
{
    for (int i = 0; i < d->n; i++) {
        d->f_try[i] = d->f[i] + share * d->df[i];
        d->v_try[i] = d->v[i] + share * d->dv[i];
    }
}

static Residual newton_iterations(DenseContacts* d, int most, double tolerance)
{
    Residual now = residual(d, d->f, d->v, d->F);
    for (int n = 0; n < most && !is_enough(d, &now, tolerance) && newton_step(d); n++) {
        Residual next = {.merit = INFINITY};
        double share = 1.0;
        d->iterations++;
        for (int k = 0; k <= HALVINGS; k++, share *= 0.5) {
            try_step(d, share);
            next = residual(d, d->f_try, d->v_try, NULL);
            if (next.merit <= (1.0 - DECREASE * share) * now.merit) {
                break;
            }
        }
        if (!(next.merit < now.merit)) {
            break;
        }
        memcpy(d->f, d->f_try, sizeof *d->f * (size_t)d->n);
        memcpy(d->v, d->v_try, sizeof *d->v * (size_t)d->n);
        now = residual(d, d->f, d->v, d->F);
    }
    return now;
}

// ---- one contact, as all the others leave it

typedef struct Isolated {
    const DensePoint* p;
    double gap, slip[2];
} Isolated;

typedef struct Friction {
    double d[2];
    bool slides;
    double grip, lambda; // of a sliding contact: friction coefficient along d, and the multiplier
} Friction;

static Friction friction_at(const Isolated* lone, double normal)
{
    Friction friction = {.slides = false};
    double goal[2];
    for (int k = 0; k < 2; k++) {
        goal[k] = -(lone->slip[k] + normal * lone->p->W_tn[k]);
        friction.d[k] = goal[k] / lone->p->w[1 + k];
    }
    double size = sqrt(friction.d[0] * friction.d[0] + friction.d[1] * friction.d[1]);
    friction.slides = size > grip_along(lone->p, friction.d, size) * normal;
    if (friction.slides) {
        Projection to;
        solve_sliding(lone->p, goal, normal, &to);
        friction.d[0] = to.to[0], friction.d[1] = to.to[1];
        friction.grip = to.grip, friction.lambda = to.lambda;
    }
    return friction;
}

static double gap_slope(const Isolated* lone, const Friction* friction, double normal)
{
    const DensePoint* p = lone->p;
    double slope = p->w[0], by_coupling = 0.0, by_friction = 0.0, inverse[2];
    for (int k = 0; k < 2; k++) {
        inverse[k] = 1.0 / (p->w[1 + k] + friction->lambda);
        slope -= p->W_tn[k] * p->W_tn[k] * inverse[k];
        by_coupling += friction->d[k] * inverse[k] * p->W_tn[k];
        by_friction += friction->d[k] * inverse[k] * friction->d[k];
    }
    return friction->slides
               ? slope + by_coupling * (friction->grip * friction->grip * normal + by_coupling) / by_friction
               : slope;
}

static double solve_contact(const Isolated* lone, double guess, Friction* friction)
{
    const DensePoint* p = lone->p;
    double normal = guess > 0.0 ? guess : -lone->gap / p->w[0], least = 0.0, most = INFINITY;
    for (int n = 0;; n++) {
        *friction = friction_at(lone, normal);
        double gap =
            lone->gap + p->w[0] * normal + p->W_tn[0] * friction->d[0] + p->W_tn[1] * friction->d[1];
        double slope = gap_slope(lone, friction, normal), next = normal - gap / slope;
        if (fabs(next - normal) <= ENOUGH * normal || n == ALONE) {
            return normal;
        }
        *(gap < 0.0 ? &least : &most) = normal;
        if (!(slope >= LEAST * p->w[0] && next > least && next < most)) {
            next = most < INFINITY ? 0.5 * (least + most) : normal - gap / p->w[0];
        }
        normal = next;
    }
}

// ---- sweeps

static void correct(const DenseContacts* d, int k)
{
    const DensePoint* p = &d->all[k];
    double *f = d->f + 3 * k, *v = d->v + 3 * k;
    if (f[0] == 0.0 && v[0] >= 0.0 && f[1] == 0.0 && f[2] == 0.0) {
        return;
    }
    Isolated lone = {.p = p, .gap = v[0] - p->w[0] * f[0]};
    for (int j = 0; j < 2; j++) {
        lone.gap -= p->W_tn[j] * f[1 + j];
        lone.slip[j] = v[1 + j] - p->W_tn[j] * f[0] - p->w[1 + j] * f[1 + j];
    }
    Friction friction = {.slides = false};
    double normal = 0.0;
    if (lone.gap < 0.0) {
        normal = p->mu > 0.0 ? solve_contact(&lone, f[0], &friction) : -lone.gap / p->w[0];
    }
    double next[3] = {normal, friction.d[0], friction.d[1]};
    for (int j = 0; j < 3; j++) {
        double by = next[j] - f[j];
        const double* W = block_at(d, 3 * k + j, 0);
        for (int i = 0; by != 0.0 && i < d->n; i++) {
            d->v[i] += by * W[i];
        }
        f[j] = next[j];
    }
}

static double change_norm2(const DenseContacts* d)
{
    double sum = 0.0;
    for (int k = 0; k < d->count; k++) {
        for (int j = 0; j < 3; j++) {
            double by = d->f[3 * k + j] - d->f_try[3 * k + j];
            sum += d->all[k].w[j] * by * by;
        }
    }
    return sum;
}

// Conjugate gradients: see contact/gauss_seidel.c. df and dv are the direction.
static Residual sweep(DenseContacts* d, int most, double tolerance)
{
    double before = 0.0;
    Residual now = {0};
    memset(d->df, 0, sizeof *d->df * (size_t)d->n);
    memset(d->dv, 0, sizeof *d->dv * (size_t)d->n);
    for (int n = 0; n < most; n++) {
        memcpy(d->f_try, d->f, sizeof *d->f * (size_t)d->n);
        memcpy(d->v_try, d->v, sizeof *d->v * (size_t)d->n);
        for (int k = 0; k < d->count; k++) {
            correct(d, n % 2 == 0 ? k : d->count - 1 - k);
        }
        d->sweeps++;
        now = residual(d, d->f, d->v, NULL);
        if (is_enough(d, &now, tolerance) || n + 1 == most) {
            break;
        }
        double norm2 = change_norm2(d), share = before > 0.0 && norm2 < before ? norm2 / before : 0.0;
        for (int i = 0; i < d->n; i++) {
            double f = share * d->df[i], v = share * d->dv[i];
            d->df[i] = f + (d->f[i] - d->f_try[i]), d->dv[i] = v + (d->v[i] - d->v_try[i]);
            d->f[i] += f, d->v[i] += v;
        }
        before = norm2;
    }
    return now;
}

// ---- rounds

static bool keep_best(const DenseContacts* d, const Residual* now, Residual* best)
{
    if (now->merit > best->merit) {
        return false;
    }
    *best = *now;
    memcpy(d->best, d->f, sizeof *d->f * (size_t)d->n);
    return true;
}

// Sweeps go on where the last ones ended, unless Newton's method has come closer.
double dense_contacts_solve(DenseContacts* d, double tolerance)
{
    set_motion(d);
    Residual now = newton_iterations(d, FIRST_ITERATIONS, tolerance), best = now;
    memcpy(d->best, d->f, sizeof *d->f * (size_t)d->n);
    for (int n = 0, sweeps = SWEEPS; n < ROUNDS && !is_enough(d, &best, tolerance); n++, sweeps *= 2) {
        now = sweep(d, sweeps, tolerance);
        memcpy(d->swept, d->f, sizeof *d->f * (size_t)d->n);
        keep_best(d, &now, &best);
        if (is_enough(d, &best, tolerance)) {
            break;
        }
        Residual by_newton = newton_iterations(d, ITERATIONS, tolerance);
        keep_best(d, &by_newton, &best);
        if (by_newton.merit > CLOSER * now.merit) {
            memcpy(d->f, d->swept, sizeof *d->f * (size_t)d->n);
        }
        set_motion(d);
    }
    memcpy(d->f, d->best, sizeof *d->f * (size_t)d->n);
    set_motion(d);
    for (int k = 0; k < d->count; k++) { // into the cone
        double F[3];
        Projection to = contact_project(&d->all[k], d->f + 3 * k, d->v + 3 * k);
        contact_defect(&to, d->f + 3 * k, F);
        for (int j = 0; j < 3; j++) {
            d->f[3 * k + j] -= F[j];
        }
    }
    set_motion(d);
    return best.scale > 0.0 ? best.most / best.scale : 0.0;
}
