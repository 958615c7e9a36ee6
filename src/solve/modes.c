// The softest motions of rods and bodies at rest.
#include "solve/statics.h"

#include "body/inertia.h"
#include "math/eigen.h"

#include <string.h>

#define MODE_ITERATIONS 40

// Deterministic noise: a vector that no symmetry of the rod is blind to.
static double noise(uint64_t* state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

// ---- vectors: three entries for each node of all rods, then six for each body; a carried node's are not looked at

int statics_nodes(const System* sys)
{
    int count = 0;
    for (int i = 0; i < sys->rod_count; i++) {
        count += sys->rods[i].rod->line.node_count;
    }
    return count;
}

static int vector_size(const System* sys)
{
    return 3 * statics_nodes(sys) + 6 * sys->body_count;
}

static double mass_at(const SystemRod* r, int node)
{
    return r->rod->line.w[slot_of(&r->rod->line, node)] > 0.0 ? rod_node_mass(r->rod, node) : 0.0;
}

// Mass times a vector as the right-hand side; carried nodes move with their bodies.
static void put_vector(Statics* st, const double* v)
{
    System* sys = &st->sys;
    const double* bodies = v + 3 * statics_nodes(sys);
    for (int i = 0; i < sys->body_count; i++) {
        SystemBody* b = &sys->bodies[i];
        const double* u = bodies + 6 * i;
        CordVec3 turn = tensor_mul(b->inertia.tensor, (CordVec3){u[3], u[4], u[5]});
        double force[6] = {
            b->inertia.mass * u[0], b->inertia.mass * u[1], b->inertia.mass * u[2], turn.x, turn.y, turn.z};
        memcpy(b->force, force, sizeof force);
    }
    for (int i = 0; i < sys->rod_count; i++) {
        SystemRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        move_clear(c, &r->force);
        for (int n = 0; n < c->node_count; n++, v += 3) {
            double m = mass_at(r, n);
            slot_set(r->force.x, slot_of(c, n), (CordVec3){m * v[0], m * v[1], m * v[2]});
        }
    }
    system_put_right(sys);
}

static void get_vector(const Statics* st, double* v)
{
    const System* sys = &st->sys;
    for (int i = 0; i < sys->rod_count; i++) {
        const SystemRod* r = &sys->rods[i];
        for (int n = 0; n < r->rod->line.node_count; n++, v += 3) {
            CordVec3 u = slot_get(r->move.x, slot_of(&r->rod->line, n));
            v[0] = u.x, v[1] = u.y, v[2] = u.z;
        }
    }
    for (int i = 0; i < sys->body_count; i++, v += 6) {
        memcpy(v, sys->bodies[i].move, sizeof sys->bodies[i].move);
    }
}

static double product(const Statics* st, const double* a, const double* b) // weighed by mass
{
    const System* sys = &st->sys;
    double sum = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        for (int n = 0; n < sys->rods[i].rod->line.node_count; n++, a += 3, b += 3) {
            sum += mass_at(&sys->rods[i], n) * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
        }
    }
    for (int i = 0; i < sys->body_count; i++, a += 6, b += 6) {
        const CordBodyInertia* inertia = &sys->bodies[i].inertia;
        CordVec3 turn = tensor_mul(inertia->tensor, (CordVec3){a[3], a[4], a[5]});
        sum += inertia->mass * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) +
               vec3_dot(turn, (CordVec3){b[3], b[4], b[5]});
    }
    return sum;
}

// ---- one

// The solution u of the step before, scaled to unit mass, becomes mass times itself as right-hand side, and the next solution. Returns omega^2.
static double inverse_step(Statics* st)
{
    System* sys = &st->sys;
    double size = 0.0, along = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        double scale = pass == 0 ? 0.0 : 1.0 / sqrt(size);
        for (int i = 0; i < sys->rod_count; i++) {
            SystemRod* r = &sys->rods[i];
            const CordCenterline* c = &r->rod->line;
            for (int n = 0; n < c->node_count; n++) {
                int s = slot_of(c, n);
                CordVec3 u = slot_get(r->move.x, s);
                size += pass == 0 ? mass_at(r, n) * vec3_dot(u, u) : 0.0;
                slot_set(r->force.x, s, vec3_mul(u, mass_at(r, n) * scale));
                slot_set(st->rods[i].mode.x, s, vec3_mul(u, scale));
                r->force.angle[s] = r->force.n[s] = 0.0;
            }
        }
        for (int i = 0; i < sys->body_count; i++) {
            SystemBody* b = &sys->bodies[i];
            const double* u = b->move;
            CordVec3 shift = {u[0], u[1], u[2]}, turn = {u[3], u[4], u[5]},
                     spin = tensor_mul(b->inertia.tensor, turn);
            size += pass == 0 ? b->inertia.mass * vec3_dot(shift, shift) + vec3_dot(spin, turn) : 0.0;
            double m = b->inertia.mass * scale,
                   f[6] = {m * u[0], m * u[1], m * u[2], scale * spin.x, scale * spin.y, scale * spin.z};
            memcpy(b->force, f, sizeof f);
            for (int k = 0; k < 6; k++) {
                st->bodies[i].mode[k] = scale * u[k];
            }
        }
    }
    system_put_right(sys);
    system_solve(sys);
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        for (int n = 0; n < c->node_count; n++) {
            int s = slot_of(c, n);
            along += mass_at(&sys->rods[i], n) *
                     vec3_dot(slot_get(sys->rods[i].move.x, s), slot_get(st->rods[i].mode.x, s));
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        const SystemBody* b = &sys->bodies[i];
        const double *u = b->move, *v = st->bodies[i].mode;
        CordVec3 spin = tensor_mul(b->inertia.tensor, (CordVec3){u[3], u[4], u[5]});
        along += b->inertia.mass * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) +
                 vec3_dot(spin, (CordVec3){v[3], v[4], v[5]});
    }
    return 1.0 / along - sys->mass;
}

// The direction of least stiffness, by inverse iteration with the matrix that is factored.
double statics_softest(Statics* st, uint64_t seed)
{
    System* sys = &st->sys;
    uint64_t state = seed * 2u + 1u;
    double omega2 = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        move_clear(c, &sys->rods[i].force);
        for (int n = 0; n < c->node_count; n++) {
            double m = mass_at(&sys->rods[i], n);
            slot_set(sys->rods[i].force.x, slot_of(c, n),
                     (CordVec3){m * noise(&state), m * noise(&state), m * noise(&state)});
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        memset(sys->bodies[i].force, 0, sizeof sys->bodies[i].force);
    }
    system_put_right(sys);
    system_solve(sys);
    for (int n = 0; n < MODE_ITERATIONS; n++) {
        omega2 = inverse_step(st);
    }
    return omega2;
}

// ---- several of them: subspace iteration with the factored matrix

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

size_t statics_modes_scratch(const System* sys, int count)
{
    int n = vector_size(sys), p = statics_modes_block(sys, count);
    return 2 * arena_space(sizeof(double), n * p) + 2 * arena_space(sizeof(double), p * p) +
           arena_space(sizeof(double), p);
}

int statics_modes_block(const System* sys, int count)
{
    int p = 2 * count < count + 8 ? 2 * count : count + 8;
    return p < vector_size(sys) ? p : vector_size(sys);
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
    int n = vector_size(&st->sys), p = statics_modes_block(&st->sys, count);
    double *v = arena_push(scratch, double, n*p), *w = arena_push(scratch, double, n*p);
    double *small = arena_push(scratch, double, p*p), *vectors = arena_push(scratch, double, p*p);
    double* values = arena_push(scratch, double, p);
    uint64_t state = 1;
    for (int i = 0; i < n * p; i++) {
        v[i] = noise(&state);
    }
    for (int a = 0; a < p; a++) { // held nodes out of it
        put_vector(st, v + (size_t)a * (size_t)n);
        system_solve(&st->sys);
        get_vector(st, v + (size_t)a * (size_t)n);
    }
    double before = INFINITY;
    for (int iteration = 0; iteration < 200; iteration++) {
        orthonormalise(st, v, p, n);
        for (int a = 0; a < p; a++) {
            put_vector(st, v + (size_t)a * (size_t)n);
            if (!system_solve(&st->sys)) {
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
