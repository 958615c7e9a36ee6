// The softest motions of a rod at rest.
#include "solve/statics.h"

#include "math/eigen.h"

#include <string.h>

#define MODE_ITERATIONS 40

// Deterministic noise: a vector that no symmetry of the rod is blind to.
static double noise(uint64_t* state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

static void put_mass_times(Statics* st, double* const v[3])
{
    Strand* strand = &st->sys.strand;
    const CordCenterline* c = &st->sys.rod->line;
    memset(strand->r, 0, (size_t)strand->band.n * sizeof(double));
    memset(strand->r_left, 0, sizeof strand->r_left);
    for (int k = 0; k < strand_node_to(strand); k++) {
        int s = strand_slot(strand, k);
        double m = c->w[s] > 0.0 ? rod_node_mass(st->sys.rod, s - c->halo) : 0.0;
        for (int i = 0; i < 3; i++) {
            strand_add_right(strand, strand_next(strand_x(strand, k), i), m * v[i][s]);
        }
    }
}

// The direction of least stiffness, by inverse iteration with the matrix that is factored; left in the strand as a solution. Returns its squared frequency.
double statics_softest(Statics* st, uint64_t seed)
{
    Strand* strand = &st->sys.strand;
    const CordCenterline* c = &st->sys.rod->line;
    double* const* v = st->mode;
    uint64_t state = seed * 2u + 1u;
    for (int s = 0; s < c->slot_count; s++) {
        for (int i = 0; i < 3; i++) {
            v[i][s] = noise(&state);
        }
    }
    double omega2 = 0.0;
    for (int n = 0; n < MODE_ITERATIONS; n++) {
        double along = 0.0, size = 0.0;
        put_mass_times(st, v);
        system_project_right(&st->sys);
        strand_solve(strand);
        for (int k = 0; k < strand_node_to(strand); k++) {
            int s = strand_slot(strand, k);
            double m = c->w[s] > 0.0 ? rod_node_mass(st->sys.rod, s - c->halo) : 0.0;
            for (int i = 0; i < 3; i++) {
                double u = strand_solution(strand, strand_next(strand_x(strand, k), i));
                along += m * u * v[i][s];
                size += m * u * u;
                v[i][s] = u;
            }
        }
        omega2 = along / size - st->sys.mass;
        for (int s = 0; s < c->slot_count; s++) {
            for (int i = 0; i < 3; i++) {
                v[i][s] /= sqrt(size);
            }
        }
    }
    return omega2;
}

// ---- several of them: subspace iteration with the factored matrix

// Vectors of positions by node: 3 node_count entries each.
static void put_vector(Statics* st, const double* v)
{
    const CordCenterline* c = &st->sys.rod->line;
    for (int i = 0; i < c->node_count; i++) {
        for (int k = 0; k < 3; k++) {
            st->mode[k][slot_of(c, i)] = v[3 * i + k];
        }
    }
    put_mass_times(st, st->mode);
    system_project_right(&st->sys);
}

static void get_vector(const Statics* st, double* v)
{
    const Strand* strand = &st->sys.strand;
    const CordCenterline* c = &st->sys.rod->line;
    for (int k = 0; k < strand_node_to(strand); k++) {
        int i = strand_slot(strand, k) - c->halo;
        for (int j = 0; j < 3; j++) {
            v[3 * i + j] = strand_solution(strand, strand_next(strand_x(strand, k), j));
        }
    }
}

static double product(const Statics* st, const double* a, const double* b) // weighed by mass
{
    const CordCenterline* c = &st->sys.rod->line;
    double sum = 0.0;
    for (int i = 0; i < c->node_count; i++) {
        double m = c->w[slot_of(c, i)] > 0.0 ? rod_node_mass(st->sys.rod, i) : 0.0;
        sum += m * (a[3 * i] * b[3 * i] + a[3 * i + 1] * b[3 * i + 1] + a[3 * i + 2] * b[3 * i + 2]);
    }
    return sum;
}

static void orthonormalise(const Statics* st, double* v, int count, int n)
{
    for (int a = 0; a < count; a++) {
        double* u = v + (size_t)a * (size_t)n;
        for (int pass = 0; pass < 2; pass++) { // twice is enough
            for (int b = 0; b < a; b++) {
                const double* w = v + (size_t)b * (size_t)n;
                double along = product(st, u, w);
                for (int i = 0; i < n; i++) {
                    u[i] -= along * w[i];
                }
            }
        }
        double size = sqrt(product(st, u, u));
        for (int i = 0; i < n; i++) {
            u[i] /= size;
        }
    }
}

size_t statics_modes_scratch(const Rod* rod, int count)
{
    int n = 3 * rod->line.node_count, p = statics_modes_block(rod, count);
    return 2 * arena_space(sizeof(double), n * p) + 2 * arena_space(sizeof(double), p * p) +
           arena_space(sizeof(double), p);
}

int statics_modes_block(const Rod* rod, int count)
{
    int p = 2 * count < count + 8 ? 2 * count : count + 8;
    return p < 3 * rod->line.node_count ? p : 3 * rod->line.node_count;
}

// Rayleigh and Ritz: within the span of the vectors w = (K + shift M)^-1 M v the inverse's eigenvectors are found exactly.
static void rotate_block(Statics* st, double* v, const double* w, int p, int n, double* small,
                         double* vectors, double* values)
{
    for (int a = 0; a < p; a++) {
        for (int b = 0; b < p; b++) {
            small[a * p + b] = -product(st, v + (size_t)a * (size_t)n, w + (size_t)b * (size_t)n);
        }
    }
    for (int a = 0; a < p; a++) {
        for (int b = 0; b < a; b++) {
            small[a * p + b] = small[b * p + a] = 0.5 * (small[a * p + b] + small[b * p + a]);
        }
    }
    eigen_symmetric(p, small, values, vectors); // ascending in -1 / (omega^2 + shift): the softest come first
    for (int i = 0; i < n; i++) {
        for (int a = 0; a < p; a++) {
            double sum = 0.0;
            for (int b = 0; b < p; b++) {
                sum += w[(size_t)b * (size_t)n + (size_t)i] * vectors[b * p + a];
            }
            v[(size_t)a * (size_t)n + (size_t)i] = sum;
        }
    }
}

bool statics_modes(Statics* st, int count, double* omega2, double* shape, Arena* scratch)
{
    const Rod* rod = st->sys.rod;
    int n = 3 * rod->line.node_count, p = statics_modes_block(rod, count);
    double *v = arena_push(scratch, double, n*p), *w = arena_push(scratch, double, n*p);
    double *small = arena_push(scratch, double, p*p), *vectors = arena_push(scratch, double, p*p);
    double* values = arena_push(scratch, double, p);
    uint64_t state = 1;
    for (int i = 0; i < n * p; i++) {
        v[i] = noise(&state);
    }
    for (int a = 0; a < p; a++) { // held nodes out of it
        put_vector(st, v + (size_t)a * (size_t)n);
        strand_solve(&st->sys.strand);
        get_vector(st, v + (size_t)a * (size_t)n);
    }
    double before = INFINITY;
    for (int iteration = 0; iteration < 200; iteration++) {
        orthonormalise(st, v, p, n);
        for (int a = 0; a < p; a++) {
            put_vector(st, v + (size_t)a * (size_t)n);
            if (!strand_solve(&st->sys.strand)) {
                return false;
            }
            get_vector(st, w + (size_t)a * (size_t)n);
        }
        rotate_block(st, v, w, p, n, small, vectors, values);
        double last = values[count - 1];
        if (fabs(last - before) <= 1e-13 * fabs(last)) {
            break;
        }
        before = last;
    }
    orthonormalise(st, v, p, n);
    for (int a = 0; a < count; a++) {
        omega2[a] = -1.0 / values[a] - st->sys.mass;
    }
    memcpy(shape, v, (size_t)count * (size_t)n * sizeof *shape);
    return true;
}
