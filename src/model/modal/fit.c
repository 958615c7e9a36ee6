// Fits modal amplitudes to given node positions: nonlinear least squares weighted by the nodal masses, by the
// Gauss-Newton method. The target moves in stages from the rest shape to the given one (continuation),
// because from far away the iteration would not converge.
#include "math/dense.h"
#include "model/modal/modal.h"

#include <string.h>

#define STAGES 8
#define ROUNDS 6     // Gauss-Newton iterations of each stage
#define ENOUGH 1e-10 // relative decrease of the sum of squares below which a stage ends

typedef struct Fit {
    Rod* rod;
    const CordVec3* wanted; // target positions of the nodes in the carrier's axes [m]
    int modes;
    double *q, *tried; // amplitudes (modes)
    double *A, *right; // normal equations: matrix (modes x modes) and right-hand side (modes)
    double* J;         // Jacobian of one node's position (3 modes)
} Fit;

static Warp node_rows(const Fit* f, const double* q, int node, CordVec3* d)
{
    const CordModal* m = modal_of(f->rod);
    size_t nodes = (size_t)f->rod->line.node_count;
    CordVec3 u, w, none = {0, 0, 0};
    modal_node(f->rod, q, node, &u, &w);
    Warp warp = warp_of(m->def.linear ? none : w);
    for (int k = 0; k < f->modes && f->J; k++) {
        const double* phi = m->shape + ((size_t)k * nodes + (size_t)node) * NODE_FREEDOMS;
        CordVec3 turn = m->def.linear ? none : (CordVec3){phi[3], phi[4], phi[5]};
        CordVec3 row = warp_velocity(&warp, u, turn, (CordVec3){phi[0], phi[1], phi[2]});
        f->J[k] = row.x, f->J[f->modes + k] = row.y, f->J[2 * f->modes + k] = row.z;
    }
    *d = warp_displace(&warp, u);
    return warp;
}

static CordVec3 residual(const Fit* f, int node, double share, CordVec3 d)
{
    CordVec3 target = vec3_sub(f->wanted[node], modal_of(f->rod)->rest[node]);
    return vec3_sub(vec3_mul(target, share), d);
}

static double sum_of_squares(const Fit* f, const double* q, double share)
{
    Fit bare = *f;
    bare.J = NULL;
    double sum = 0.0;
    for (int i = 0; i < f->rod->line.node_count; i++) {
        CordVec3 d, r;
        node_rows(&bare, q, i, &d);
        r = residual(f, i, share, d);
        sum += rod_node_mass(f->rod, i) * vec3_dot(r, r);
    }
    return sum;
}

static bool find_step(const Fit* f, double share) // writes the Gauss-Newton step to f->right
{
    int n = f->modes;
    memset(f->A, 0, sizeof(double) * (size_t)n * (size_t)n);
    memset(f->right, 0, sizeof(double) * (size_t)n);
    for (int i = 0; i < f->rod->line.node_count; i++) {
        CordVec3 d;
        node_rows(f, f->q, i, &d);
        CordVec3 at = residual(f, i, share, d);
        double mass = rod_node_mass(f->rod, i), r[3] = {at.x, at.y, at.z};
        for (int c = 0; c < 3; c++) {
            const double* J = f->J + c * n;
            for (int k = 0; k < n; k++) {
                f->right[k] += mass * J[k] * r[c];
                for (int l = 0; l < n; l++) {
                    f->A[k * n + l] += mass * J[k] * J[l];
                }
            }
        }
    }
    for (int k = 0; k < n; k++) {
        // regularisation: modes that hardly move any node, such as twisting modes, keep their amplitude
        f->A[k * (n + 1)] += 1e-6;
    }
    return dense_solve(n, f->A, f->right);
}

// One Gauss-Newton iteration with a line search. False: no further decrease.
static bool fit_round(const Fit* f, double share, double* sum)
{
    if (!find_step(f, share)) {
        return false;
    }
    for (double length = 1.0; length > 0.05; length *= 0.5) {
        for (int k = 0; k < f->modes; k++) {
            f->tried[k] = f->q[k] + length * f->right[k];
        }
        double next = sum_of_squares(f, f->tried, share);
        if (next < *sum) {
            bool more = next < (1.0 - ENOUGH) * *sum;
            memcpy(f->q, f->tried, sizeof(double) * (size_t)f->modes);
            *sum = next;
            return more;
        }
    }
    return false;
}

static void fit_shape(const Fit* f)
{
    for (int stage = 1; stage <= STAGES; stage++) {
        double share = (double)stage / STAGES, sum = sum_of_squares(f, f->q, share);
        for (int i = 0; i < ROUNDS && fit_round(f, share, &sum); i++) {
        }
    }
}

CordResult modal_fit(Memory* memory, Rod* rod, double time, const CordVec3* x, const CordVec3* v,
                     Message* message)
{
    CordModal* m = modal_of(rod);
    int n = m->count, nodes = rod->line.node_count;
    size_t count = (size_t)n * (size_t)n + 6 * (size_t)n;
    double* room = memory_alloc(memory, sizeof(double) * count);
    CordVec3* wanted = memory_array(memory, CordVec3, nodes);
    CordResult result = room && wanted ? CORD_OK
                                       : message_fail(message, CORD_NO_MEMORY,
                                                      "no memory to fit the modes of rod '%s'", rod->name);
    if (result == CORD_OK) {
        Fit f = {
            .rod = rod, .wanted = wanted, .modes = n, .q = room, .tried = room + n, .right = room + 2 * n};
        f.J = room + 3 * n, f.A = room + 6 * n;
        memset(f.q, 0, sizeof(double) * (size_t)n);
        m->now.carrier = (Carrier){.pose = carrier_pose(rod, time)};
        for (int i = 0; i < nodes; i++) {
            wanted[i] =
                vec3_add(m->origin, modal_inward(&m->now.carrier, vec3_sub(x[i], m->now.carrier.pose.point)));
            slot_set(rod->line.v, slot_of(&rod->line, i), v[i]);
        }
        fit_shape(&f);
        memcpy(m->now.q, f.q, sizeof(double) * (size_t)n);
        m->now.loaded = false;
        modal_take_velocities(rod);
        modal_place(rod, &m->now, rod->line.x);
        m->nodes_known = false;
    }
    memory_free(memory, room, sizeof(double) * count);
    memory_array_free(memory, wanted, nodes);
    return result;
}
