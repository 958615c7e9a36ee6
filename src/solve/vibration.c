// Vibration modes about an equilibrium: the softest eigenvectors of K u = omega^2 M u.
#include "solve/statics.h"

#include "base/real.h"
#include "body/inertia.h"
#include "math/eigen_jacobi.h"
#include "solve/taut.h"

#include <float.h>
#include <string.h>

#define MODE_ITERATIONS 40

// Deterministic pseudorandom numbers (linear congruential generator): a start vector without symmetry.
static double noise(uint64_t* state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

// ---- vectors
//
// A vector has three entries for each node of all rods, then one for each edge's frame, then six for each
// body. The entries of carried nodes are ignored.

static int nodes_of(const NewtonSystem* sys)
{
    int count = 0;
    for (int i = 0; i < sys->rod_count; i++) {
        count += sys->rods[i].rod->line.node_count;
    }
    return count;
}

static int edges_of(const NewtonSystem* sys)
{
    int count = 0;
    for (int i = 0; i < sys->rod_count; i++) {
        count += sys->rods[i].rod->line.edge_count;
    }
    return count;
}

static int vector_size(const NewtonSystem* sys)
{
    return 3 * nodes_of(sys) + edges_of(sys) + 6 * sys->body_count;
}

static double mass_at(const NewtonRod* r, int node)
{
    return r->rod->line.w[slot_of(&r->rod->line, node)] > 0.0 ? rod_node_mass(r->rod, node) : 0.0;
}

static double turn_inertia_at(const NewtonSystem* sys, const NewtonRod* r, int edge)
{
    int s = slot_of(&r->rod->line, edge);
    return framed_of(r->rod)->may_turn[s] * newton_turn_inertia(sys, r, s);
}

// Sets mass times a vector as the right-hand side. Carried nodes move with their bodies.
static void put_vector(Statics* st, const double* v)
{
    NewtonSystem* sys = &st->sys;
    const double *turns = v + 3 * nodes_of(sys), *bodies = turns + edges_of(sys);
    for (int i = 0; i < sys->body_count; i++) {
        NewtonBody* b = &sys->bodies[i];
        const double* u = bodies + 6 * i;
        CordVec3 turn = tensor_mul(b->inertia.tensor, (CordVec3){u[3], u[4], u[5]});
        double force[6] = {
            b->inertia.mass * u[0], b->inertia.mass * u[1], b->inertia.mass * u[2], turn.x, turn.y, turn.z};
        memcpy(b->force, force, sizeof force);
    }
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        move_clear(c, &r->force);
        for (int n = 0; n < c->node_count; n++, v += 3) {
            double m = mass_at(r, n);
            slot_set(r->force.x, slot_of(c, n), (CordVec3){m * v[0], m * v[1], m * v[2]});
        }
        for (int j = 0; j < c->edge_count; j++) {
            r->force.angle[slot_of(c, j)] = turn_inertia_at(sys, r, j) * *turns++;
        }
    }
    newton_put_right(sys);
}

static void get_vector(const Statics* st, double* v)
{
    const NewtonSystem* sys = &st->sys;
    for (int i = 0; i < sys->rod_count; i++) {
        const NewtonRod* r = &sys->rods[i];
        for (int n = 0; n < r->rod->line.node_count; n++, v += 3) {
            CordVec3 u = slot_get(r->move.x, slot_of(&r->rod->line, n));
            v[0] = u.x, v[1] = u.y, v[2] = u.z;
        }
    }
    for (int i = 0; i < sys->rod_count; i++) {
        const NewtonRod* r = &sys->rods[i];
        for (int j = 0; j < r->rod->line.edge_count; j++) {
            *v++ = r->move.angle[slot_of(&r->rod->line, j)];
        }
    }
    for (int i = 0; i < sys->body_count; i++, v += 6) {
        memcpy(v, sys->bodies[i].move, sizeof sys->bodies[i].move);
    }
}

static double product(const Statics* st, const double* a, const double* b) // M inner product
{
    const NewtonSystem* sys = &st->sys;
    double sum = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        for (int n = 0; n < sys->rods[i].rod->line.node_count; n++, a += 3, b += 3) {
            sum += mass_at(&sys->rods[i], n) * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
        }
    }
    for (int i = 0; i < sys->rod_count; i++) {
        for (int j = 0; j < sys->rods[i].rod->line.edge_count; j++) {
            sum += turn_inertia_at(sys, &sys->rods[i], j) * *a++ * *b++;
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

// ---- the softest mode

// One inverse iteration: the last solution, normalised to unit mass, times the mass matrix becomes the next
// right-hand side. Returns the Rayleigh quotient's omega^2.
static double inverse_step(Statics* st)
{
    NewtonSystem* sys = &st->sys;
    double size = 0.0, along = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        double scale = pass == 0 ? 0.0 : 1.0 / sqrt(size);
        for (int i = 0; i < sys->rod_count; i++) {
            NewtonRod* r = &sys->rods[i];
            const CordCenterline* c = &r->rod->line;
            for (int n = 0; n < c->node_count; n++) {
                int s = slot_of(c, n);
                CordVec3 u = slot_get(r->move.x, s);
                size += pass == 0 ? mass_at(r, n) * vec3_dot(u, u) : 0.0;
                slot_set(r->force.x, s, vec3_mul(u, mass_at(r, n) * scale));
                slot_set(st->rods[i].mode.x, s, vec3_mul(u, scale));
                r->force.n[s] = 0.0;
            }
            for (int j = 0; j < c->edge_count; j++) {
                int s = slot_of(c, j);
                double turn = r->move.angle[s], inertia = turn_inertia_at(sys, r, j);
                size += pass == 0 ? inertia * turn * turn : 0.0;
                r->force.angle[s] = inertia * turn * scale;
                st->rods[i].mode.angle[s] = turn * scale;
            }
        }
        for (int i = 0; i < sys->body_count; i++) {
            NewtonBody* b = &sys->bodies[i];
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
    newton_put_right(sys);
    newton_solve(sys);
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        for (int n = 0; n < c->node_count; n++) {
            int s = slot_of(c, n);
            along += mass_at(&sys->rods[i], n) *
                     vec3_dot(slot_get(sys->rods[i].move.x, s), slot_get(st->rods[i].mode.x, s));
        }
        for (int j = 0; j < c->edge_count; j++) {
            int s = slot_of(c, j);
            along += turn_inertia_at(sys, &sys->rods[i], j) * sys->rods[i].move.angle[s] *
                     st->rods[i].mode.angle[s];
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        const NewtonBody* b = &sys->bodies[i];
        const double *u = b->move, *v = st->bodies[i].mode;
        CordVec3 spin = tensor_mul(b->inertia.tensor, (CordVec3){u[3], u[4], u[5]});
        along += b->inertia.mass * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) +
                 vec3_dot(spin, (CordVec3){v[3], v[4], v[5]});
    }
    return 1.0 / along - sys->mass;
}

// Part of omega^2 that the small stiffness against rotations without energy gives to the mode.
static double indifferent_part(const Statics* st)
{
    double sum = 0.0;
    for (int i = 0; i < st->sys.rod_count; i++) {
        const NewtonRod* r = &st->sys.rods[i];
        const double* may_turn = framed_of(r->rod)->may_turn;
        for (int j = 0; j < r->rod->line.edge_count && !r->rod->dynamic_twist; j++) {
            int s = slot_of(&r->rod->line, j);
            sum += may_turn[s] * r->indifferent * st->rods[i].mode.angle[s] * st->rods[i].mode.angle[s];
        }
    }
    for (int i = 0; i < st->sys.body_count; i++) {
        for (int k = 3; k < 6; k++) {
            sum += st->sys.bodies[i].indifferent * st->bodies[i].mode[k] * st->bodies[i].mode[k];
        }
    }
    return sum;
}

// Inverse iteration with the factored matrix (Golub and Van Loan, 4th edition, section 8.2). The first vector
// is at random in the material frames, so that what a solve finds turns with its rods.
double statics_softest(Statics* st, uint64_t seed)
{
    NewtonSystem* sys = &st->sys;
    uint64_t state = seed * 2u + 1u;
    double omega2 = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        move_clear(c, &sys->rods[i].force);
        const CornerEdges* edges = &framed_of(sys->rods[i].rod)->trial.edges;
        for (int n = 0; n < c->node_count; n++) {
            double m = mass_at(&sys->rods[i], n), x = noise(&state), y = noise(&state), z = noise(&state);
            int s = slot_of(c, n < c->edge_count ? n : n - 1);
            CordVec3 t = slot_get(edges->t, s), m1 = slot_get(edges->m1, s);
            CordVec3 push = vec3_madd(vec3_mul(m1, m * x), vec3_cross(t, m1), m * y);
            slot_set(sys->rods[i].force.x, slot_of(c, n), vec3_madd(push, t, m * z));
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        memset(sys->bodies[i].force, 0, sizeof sys->bodies[i].force);
    }
    newton_put_right(sys);
    newton_solve(sys);
    for (int n = 0; n < MODE_ITERATIONS; n++) {
        omega2 = inverse_step(st);
    }
    return omega2 - indifferent_part(st);
}

// Rate of the rotation, about the centre of mass, that has the mode's angular momentum; 0: nothing can turn.
// A rod that has buckled less than the root of round-off is straight: so much makes an excess load of
// round-off.
static double rotation_of_mode(const Statics* st)
{
    const NewtonSystem* sys = &st->sys;
    CordVec3 centre = {0, 0, 0}, momentum = {0, 0, 0};
    double mass = 0.0, tensor[6] = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < sys->rod_count; i++) {
            const NewtonRod* r = &sys->rods[i];
            for (int n = 0; n < r->rod->line.node_count; n++) {
                int s = slot_of(&r->rod->line, n);
                double m = r->weight[s];
                CordVec3 x = slot_get(r->y, s), arm = vec3_sub(x, vec3_mul(centre, 1.0 / mass));
                if (pass == 0) {
                    centre = vec3_madd(centre, x, m);
                    mass += m;
                } else {
                    tensor_add_point(tensor, m, arm);
                    momentum = vec3_madd(momentum, vec3_cross(arm, slot_get(st->rods[i].mode.x, s)), m);
                }
            }
        }
    }
    double least = DBL_EPSILON * (tensor[0] + tensor[1] + tensor[2]);
    tensor[0] += least, tensor[1] += least, tensor[2] += least;
    double rate = vec3_length(tensor_solve(tensor, momentum));
    return isfinite(rate) ? rate : 0.0;
}

// Along a motion that costs nothing, such as the rotation of a rod that has buckled about its axis, the
// energy is constant: u K u + f a = 0, where nodes move along curves with the acceleration a. A residual
// force f seems to give it a stiffness. The acceleration of a node is its velocity times the rate at which
// things turn.
double statics_softest_error(const Statics* st, double omega2, double residual)
{
    const NewtonSystem* sys = &st->sys;
    double sum = 0.0, turning = newton_turning(sys) * fabs(omega2 + sys->mass); // of the mode of unit mass
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        for (int n = 0; n < c->node_count; n++) {
            sum += vec3_length(slot_get(st->rods[i].mode.x, slot_of(c, n)));
        }
    }
    return st->noise + real_max(residual, st->round_off) * sum * real_max(turning, rotation_of_mode(st));
}

// ---- several modes: subspace iteration with the factored matrix (Bathe, Finite Element Procedures)

static void orthonormalise(const Statics* st, double* v, int count, int n)
{
    for (int a = 0; a < count; a++) {
        double* u = v + (size_t)a * (size_t)n;
        for (int pass = 0; pass < 2; pass++) { // Gram-Schmidt twice is enough (Parlett)
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

static int block_size(const NewtonSystem* sys, int count)
{
    int most = 0, p = 2 * count < count + 8 ? 2 * count : count + 8;
    for (int i = 0; i < sys->rod_count; i++) {
        most += statics_freedom(sys->rods[i].rod);
    }
    for (int i = 0; i < sys->body_count; i++) {
        most += statics_body_freedom(sys->bodies[i].body);
    }
    most = most > sys->held ? most - sys->held : 0;
    return p < most ? p : most;
}

size_t statics_modes_scratch(const NewtonSystem* sys, int count)
{
    int n = vector_size(sys), p = block_size(sys, count);
    size_t n_doubles = (size_t)n * sizeof(double), p_doubles = (size_t)p * sizeof(double);
    return 2 * arena_space(n_doubles, p) + 2 * arena_space(p_doubles, p) + 2 * arena_space(sizeof(double), p);
}

// Every length constraint removes one degree of freedom, as does every coordinate that a clamp holds.
int statics_freedom(const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    int sum = 3 * c->node_count + (rod->dynamic_twist ? c->edge_count : 0);
    for (int j = 0; j < c->edge_count && rod->inextensible; j++) {
        int s = slot_of(c, j);
        sum -= c->w[s] > 0.0 || c->w[s + 1] > 0.0;
    }
    sum += taut_pull(rod, NULL, 0.0);
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        const CordClampDef* d = &clamp->def;
        if (clamp->holds) {
            bool whole = clamp->node_count == 2,
                 turns = rod->dynamic_twist && d->fix == CORD_FIX_FRAME && !d->has_torque;
            sum -= clamp->node_count * (d->slides ? 2 : 3) + turns;
            sum += whole && clamp->carrier && rod->inextensible; // its edge is part of the body
            sum -= whole && d->slides && !rod->inextensible;     // its two nodes slide together
        }
    }
    return sum;
}

int statics_body_freedom(const Body* body)
{
    CordBodyInertia own;
    return 3 + body_own_inertia(body, &own);
}

// Rayleigh-Ritz: eigenvectors of the inverse within the span of w = (K + shift M)^-1 M v.
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
    eigen_jacobi(p, small, values, vectors); // ascending in -1 / (omega^2 + shift): the softest come first
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

// Whether all values have converged: of two close ones the last may converge before others do. Round-off is
// that of the softest, which is the largest here.
static bool have_converged(const double* values, const double* before, int count)
{
    bool good = true;
    for (int a = 0; a < count; a++) {
        good &= fabs(values[a] - before[a]) <= 1e-13 * fabs(values[a]) + 4e-16 * fabs(values[0]);
    }
    return good;
}

// Sets the mode of Statics to a shape, and the move to what an inverse iteration from there gives.
static void load_mode(Statics* st, const double* shape, double omega2)
{
    NewtonSystem* sys = &st->sys;
    double reach = 1.0 / (omega2 + sys->mass);
    const double *turn = shape + 3 * nodes_of(sys), *body = turn + edges_of(sys);
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        Move* mode = &st->rods[i].mode;
        for (int n = 0; n < c->node_count; n++, shape += 3) {
            slot_set(mode->x, slot_of(c, n), (CordVec3){shape[0], shape[1], shape[2]});
        }
        for (int j = 0; j < c->edge_count; j++) {
            mode->angle[slot_of(c, j)] = *turn++;
        }
        move_clear(c, &sys->rods[i].move);
        move_add(c, &sys->rods[i].move, mode, reach);
        move_wrap(c, &sys->rods[i].move);
    }
    for (int i = 0; i < sys->body_count; i++, body += 6) {
        for (int k = 0; k < 6; k++) {
            st->bodies[i].mode[k] = body[k];
            sys->bodies[i].move[k] = reach * body[k];
        }
    }
}

bool statics_modes(Statics* st, int count, double* omega2, double* shape, Arena* scratch)
{
    int n = vector_size(&st->sys), p = block_size(&st->sys, count);
    size_t block = (size_t)n * (size_t)p, square = (size_t)p * (size_t)p;
    double *v = arena_push(scratch, double, block), *w = arena_push(scratch, double, block);
    double *small = arena_push(scratch, double, square), *vectors = arena_push(scratch, double, square);
    double *values = arena_push(scratch, double, p), *before = arena_push(scratch, double, p);
    uint64_t state = 1;
    for (size_t i = 0; i < block; i++) {
        v[i] = noise(&state);
    }
    for (int a = 0; a < p; a++) { // removes motions of held nodes
        put_vector(st, v + (size_t)a * (size_t)n);
        newton_solve(&st->sys);
        get_vector(st, v + (size_t)a * (size_t)n);
    }
    memset(before, 0, (size_t)p * sizeof *before);
    for (int iteration = 0; iteration < 200; iteration++) {
        orthonormalise(st, v, p, n);
        for (int a = 0; a < p; a++) {
            put_vector(st, v + (size_t)a * (size_t)n);
            if (!newton_solve(&st->sys)) {
                return false;
            }
            get_vector(st, w + (size_t)a * (size_t)n);
        }
        rotate_block(st, v, w, p, n, small, vectors, values);
        if (have_converged(values, before, count)) {
            break;
        }
        memcpy(before, values, (size_t)p * sizeof *before);
    }
    orthonormalise(st, v, p, n);
    for (int a = 0; a < count; a++) {
        omega2[a] = -1.0 / values[a] - st->sys.mass;
        load_mode(st, v + (size_t)a * (size_t)n, omega2[a]);
        omega2[a] -= indifferent_part(st);
    }
    memcpy(shape, v, (size_t)count * (size_t)n * sizeof *shape);
    return true;
}

// Two modes, so that the softest converges fast: their number is half of what is iterated.
static int softest_count(const NewtonSystem* sys)
{
    return block_size(sys, 2) < 2 ? block_size(sys, 2) : 2;
}

size_t statics_softest_scratch(const NewtonSystem* sys)
{
    int count = softest_count(sys);
    return statics_modes_scratch(sys, count) + arena_space((size_t)vector_size(sys) * sizeof(double), count);
}

double statics_softest_vibration(Statics* st, Arena* scratch)
{
    double omega2[2];
    int count = softest_count(&st->sys);
    double* shape = arena_push(scratch, double, (size_t)vector_size(&st->sys) * (size_t)count);
    if (count == 0 || !statics_modes(st, count, omega2, shape, scratch)) {
        return INFINITY;
    }
    load_mode(st, shape, omega2[0]);
    return omega2[0];
}
