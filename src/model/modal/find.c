// The modes of a structure: the eigenproblem K Phi = M Phi Lambda (MW section 3.1) is solved once for its
// supports, or its solution is read from the cache.
#include "base/bytes.h"
#include "base/real.h"
#include "math/envelope_cholesky.h"
#include "math/lanczos.h"
#include "model/modal/modal.h"

#include <float.h>
#include <string.h>

#define EXTRA 6           // modes computed beyond those requested, to find the end of a cluster
#define SAME 1e-6         // relative difference of omega^2 below which modes have the same frequency
#define TOLERANCE 1e-13   // relative, of eigenvalues
#define OWN_SOLVER 100000 // unknowns up to which the built-in solver is the faster one
// Largest round-off relative to the lowest omega^2. The round-off is a bound; a sixtieth of it was observed.
#define MOST_ROUNDING 0.5
// Version of the computation. Increase it with every change of the modes: cached modes are then recomputed.
#define FOUND_BY 3
#define MOST_SHIFTS 6 // shifts that are tried for unsupported structures, each a hundred times the last

// ---- the eigenproblem

typedef struct Found {
    ModalMatrix matrix;
    int sought;     // number of eigenpairs
    double* lambda; // (sought)
    double* phi;    // (sought x unknowns)
} Found;

static void found_free_pairs(Memory* m, Found* f)
{
    memory_array_free(m, f->lambda, f->sought);
    memory_array_free(m, f->phi, (size_t)f->sought * (size_t)f->matrix.unknowns);
    f->lambda = f->phi = NULL;
}

// Scale of the lowest omega^2 of the structure: the least of EI / mu and GJ / mu over L^4, with mu the mass
// per length and L the diagonal of the bounding box. Modes far below it cannot be distinguished from rigid
// motions.
static double slow(const Rod* rod)
{
    const CordModal* m = modal_of(rod);
    CordVec3 low = m->rest[0], high = m->rest[0];
    for (int i = 1; i < rod->line.node_count; i++) {
        CordVec3 x = m->rest[i];
        low = (CordVec3){real_min(low.x, x.x), real_min(low.y, x.y), real_min(low.z, x.z)};
        high = (CordVec3){real_max(high.x, x.x), real_max(high.y, x.y), real_max(high.z, x.z)};
    }
    double size = vec3_length(vec3_sub(high, low)), least = INFINITY;
    for (int j = 0; j < rod->line.edge_count; j++) {
        const CordStiffness* s = rod_stiffness_at(rod, j);
        least = real_min(least, real_min(real_min(s->EI1, s->EI2), s->GJ) / s->mass_per_length);
    }
    return least / (size * size * size * size);
}

static void hash_structure(const Rod* rod, const char* solver, int sought, int salt, Bytes* b)
{
    const CordModal* m = modal_of(rod);
    bytes_expect(b, salt);
    bytes_expect(b, FOUND_BY);
    bytes_expect(b, sought);
    for (const char* c = solver; *c; c++) {
        bytes_expect(b, *c);
    }
    bytes_doubles(b, &m->rest[0].x, 3 * rod->line.node_count);
    bytes_doubles(b, &m->m1[0].x, 3 * rod->line.edge_count);
    for (int j = 0; j < 2 * rod->line.edge_count; j++) {
        bytes_expect(b, modal_ends(rod)[j]);
    }
    for (int j = 0; j < (rod->along ? rod->line.edge_count : 1); j++) {
        CordStiffness s = *rod_stiffness_at(rod, j);
        bytes_doubles(b, (double[7]){s.EI1, s.EI2, s.GJ, s.EA, s.mass_per_length, s.EI12, s.spin_inertia}, 7);
    }
    for (int i = 0; i < m->support_count; i++) {
        Support s = m->supports[i];
        bytes_expect(b, s.node);
        bytes_expect(b, (int64_t)s.held);
        bytes_doubles(b, &s.axes[0].x, 3 * NODE_FREEDOMS);
    }
}

typedef struct Solving {
    Memory* memory;
    const Rod* rod;
    const CordEigenSolver* solver; // NULL: the built-in solver
} Solving;

static CordResult solve_part(void* user, const CordEigenProblem* p, double* lambda, double* phi,
                             Message* message)
{
    const Solving* s = user;
    if (!s->solver || p->count > p->size - 2) { // Lanczos libraries need count < size - 1
        return lanczos_lowest(s->memory, p, lambda, phi, message);
    }
    char why[256] = "";
    CordResult result = s->solver->solve(s->solver->user, p, lambda, phi, why, sizeof why);
    return result == CORD_OK ? CORD_OK
                             : message_fail(message, result, "the modes of rod '%s' were not found by %s: %s",
                                            s->rod->name, s->solver->name, why);
}

// Reads the lowest `sought` eigenpairs from the cache, or computes them.
static CordResult find_pairs(Memory* m, Rod* rod, Found* f, double shift, Message* message)
{
    CordModal* own = modal_of(rod);
    const CordModalHooks* hooks = modal_of(rod)->hooks;
    const ModalMatrix* a = &f->matrix;
    int from = hooks && hooks->solver_from > 0 ? hooks->solver_from : OWN_SOLVER;
    const CordEigenSolver* solver =
        hooks && hooks->solver.solve && a->unknowns >= from ? &hooks->solver : NULL;
    own->report.solver = solver ? solver->name : "built-in";
    size_t pairs = (size_t)f->sought * (1 + (size_t)a->unknowns), size = pairs * sizeof(double);
    double* both = memory_alloc(m, size);
    f->lambda = memory_array(m, double, f->sought);
    f->phi = memory_array(m, double, (size_t)f->sought*(size_t)a->unknowns);
    if (!both || !f->lambda || !f->phi) {
        memory_free(m, both, size);
        return message_fail(message, CORD_NO_MEMORY, "no memory for %d modes of rod '%s'", f->sought,
                            rod->name);
    }
    uint64_t key[2];
    for (int k = 0; k < 2; k++) {
        Bytes b = bytes_start(BYTES_HASH, NULL, 0);
        hash_structure(rod, own->report.solver, f->sought, k, &b);
        key[k] = b.hash;
    }
    CordResult result = CORD_OK;
    own->report.kept = hooks && hooks->load && hooks->load(hooks->store_user, key, both, size);
    if (own->report.kept) {
        memcpy(f->lambda, both, sizeof(double) * (size_t)f->sought);
        memcpy(f->phi, both + f->sought, size - sizeof(double) * (size_t)f->sought);
    } else {
        CordEigenProblem p = {a->unknowns,
                              a->start,
                              a->row,
                              a->K,
                              a->M,
                              f->sought,
                              shift,
                              TOLERANCE,
                              hooks ? hooks->progress : NULL,
                              hooks ? hooks->progress_user : NULL};
        Solving solving = {m, rod, solver};
        result = parts_lowest(m, rod, a, &p, solve_part, &solving, f->lambda, f->phi, message);
        if (result == CORD_OK && hooks && hooks->save) {
            memcpy(both, f->lambda, sizeof(double) * (size_t)f->sought);
            memcpy(both + f->sought, f->phi, size - sizeof(double) * (size_t)f->sought);
            hooks->save(hooks->store_user, key, both, size);
        }
    }
    memory_free(m, both, size);
    return result;
}

// Bound of the round-off of K in any omega^2: a spurious spring at each node with DBL_EPSILON times the
// stiffness of the stiffest element there.
static double rounding_of(const Rod* rod)
{
    double most = 0.0;
    for (int j = 0; j < rod->line.edge_count; j++) {
        Beam beam = modal_beam(rod, j);
        const CordStiffness* s = &beam.stiffness;
        double l2 = beam.length * beam.length;
        most = real_max(most, 24.0 * real_max(s->EI1, s->EI2) / (l2 * l2) / s->mass_per_length);
    }
    return DBL_EPSILON * most;
}

bool modal_is_one_with_next(const Rod* rod, const double* lambda, int k)
{
    return lambda[k + 1] - lambda[k] <= real_max(SAME * lambda[k + 1], modal_of(rod)->rounding);
}

// Rigid motions make K singular, so that the eigenproblem needs a shift. The size that separates rigid
// motions from modes is not known in advance: the shift grows until the solver succeeds.
static CordResult find_shifted(Memory* m, Rod* rod, Found* f, double* shift, Message* message)
{
    CordResult result = find_pairs(m, rod, f, *shift, message);
    for (int i = 0; i < MOST_SHIFTS && result != CORD_OK && result != CORD_NO_MEMORY && *shift < 0.0; i++) {
        found_free_pairs(m, f);
        *shift *= 100.0;
        result = find_pairs(m, rod, f, *shift, message);
    }
    return result;
}

// Keeps clusters of equal frequencies complete: more eigenpairs are computed until the requested ones end
// with a cluster.
static CordResult find_clusters(Memory* m, Rod* rod, Found* f, int rigid, int* found, Message* message)
{
    CordModal* own = modal_of(rod);
    int most = f->matrix.unknowns, asked = own->def.modes < most - rigid ? own->def.modes : most - rigid;
    double shift = rigid > 0 ? -100.0 * slow(rod) : 0.0;
    own->report.asked = own->def.modes;
    for (int extra = EXTRA;; extra *= 2) {
        f->sought = asked + rigid + extra < most ? asked + rigid + extra : most;
        CORD_TRY(find_shifted(m, rod, f, &shift, message));
        int last = asked + rigid;
        while (last < f->sought && modal_is_one_with_next(rod, f->lambda, last - 1)) {
            last++;
        }
        if (last < f->sought || f->sought == most) {
            *found = last - rigid;
            return CORD_OK;
        }
        found_free_pairs(m, f);
    }
}

// ---- modal_find

static CordResult check_rigid(Memory* memory, const Rod* rod, int* rigid, Message* message)
{
    char names[400];
    CORD_TRY(supports_free(memory, rod, rigid, names, sizeof names, message));
    if (*rigid > 0 && modal_of(rod)->def.rigid == CORD_RIGID_REFUSE) {
        return message_fail(message, CORD_NOT_SUPPORTED,
                            "rod '%s' is not held: %s; clamp it, or have such motions left out with "
                            "\"modal\": {\"rigid\": \"remove\"}",
                            rod->name, names);
    }
    return CORD_OK;
}

CordResult modal_find(Memory* memory, Rod* rod, Message* message)
{
    CordModal* m = modal_of(rod);
    int rigid, count = 0;
    CORD_TRY(check_rigid(memory, rod, &rigid, message));
    Found f = {0};
    CORD_TRY(modal_matrix_make(memory, rod, &f.matrix, message));
    m->rounding = rounding_of(rod);
    m->report =
        (CordModalReport){.unknowns = f.matrix.unknowns, .nonzeros = f.matrix.entries, .rigid = rigid};
    CordResult result =
        f.matrix.unknowns > rigid
            ? find_clusters(memory, rod, &f, rigid, &count, message)
            : message_fail(message, CORD_BAD_ARGUMENT, "all of rod '%s' is held: it has no modes", rod->name);
    if (result == CORD_OK && m->rounding > MOST_ROUNDING * f.lambda[rigid]) {
        result = message_fail(message, CORD_NOT_SUPPORTED,
                              "the elements of rod '%s' are too short beside it: rounding would be felt in "
                              "its lowest frequencies; take fewer elements",
                              rod->name);
    }
    if (result == CORD_OK) {
        m->report.found = count;
        size_t left_out = (size_t)rigid * (size_t)f.matrix.unknowns;
        result = modal_take_pairs(memory, rod, &f.matrix, f.lambda + rigid, f.phi + left_out, count, message);
    }
    found_free_pairs(memory, &f);
    modal_matrix_free(memory, &f.matrix);
    return result;
}

// ---- what the modes leave out

typedef struct NodeLoad {
    int node;
    CordVec3 parts[2]; // force and torque
} NodeLoad;

// A load at rest, on one node or on the two of its edge. Returns their number.
static int load_at_rest(const Rod* rod, const Load* load, NodeLoad at[2])
{
    const CordVec3* rest = modal_of(rod)->rest;
    LoadPoint point = {.x = rest[load->node]};
    if (load->edge < 0) {
        at[0] = (NodeLoad){load->node, {load->kind->terms(load, 1.0, &point).force}};
        return 1;
    }
    const int* ends = modal_ends(rod) + 2 * (size_t)load->edge;
    point.edge = vec3_sub(rest[ends[1]], rest[ends[0]]);
    LoadTerms f = load->kind->terms(load, 1.0, &point);
    for (int i = 0; i < 2; i++) {
        CordVec3 turn = vec3_mul(vec3_unit(point.edge), 0.5 * f.torque);
        at[i] = (NodeLoad){ends[i], {vec3_mul(f.force, i == 0 ? -1.0 : 1.0), turn}};
    }
    return 2;
}

// f' Phi Lambda^-1 Phi' f
static double compliance_of_modes(const Rod* rod, const NodeLoad* at, int count)
{
    const CordModal* m = modal_of(rod);
    double sum = 0.0;
    for (int k = 0; k < m->count; k++) {
        double force = 0.0;
        for (int i = 0; i < 2 * count; i++) {
            size_t node = (size_t)k * (size_t)rod->line.node_count + (size_t)at[i / 2].node;
            const double* phi = m->shape + node * NODE_FREEDOMS + 3 * (i % 2);
            force += vec3_dot((CordVec3){phi[0], phi[1], phi[2]}, at[i / 2].parts[i % 2]);
        }
        sum += force * force / m->omega2[k];
    }
    return sum;
}

// Adds a load to the right-hand side b, along the axes of the node's support if it has one.
static void add_to_freedoms(const Rod* rod, const ModalMatrix* a, const NodeLoad* at, double* b)
{
    const CordModal* m = modal_of(rod);
    CordVec3 axes[NODE_FREEDOMS] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < m->support_count; i++) {
        if (m->supports[i].node == at->node) {
            memcpy(axes, m->supports[i].axes, sizeof axes);
        }
    }
    for (int k = 0; k < NODE_FREEDOMS; k++) {
        int unknown = a->unknown[NODE_FREEDOMS * at->node + k];
        if (unknown >= 0) {
            b[unknown] += vec3_dot(axes[k], at->parts[k / 3]);
        }
    }
}

// f' K^-1 f; 0: no memory, or K is singular
static double compliance_of_all(Memory* memory, const Rod* rod, const ModalMatrix* a, const NodeLoad* at,
                                int count)
{
    CordEigenProblem p = {.size = a->unknowns, .start = a->start, .row = a->row, .K = a->K, .M = a->M};
    Envelope factor;
    double sum = 0.0, *b = memory_array(memory, double, 2 * (size_t)a->unknowns), *x = b + a->unknowns;
    if (b && envelope_create(memory, &p, &factor)) {
        for (int i = 0; i < count; i++) {
            add_to_freedoms(rod, a, &at[i], b);
        }
        memcpy(x, b, sizeof *b * (size_t)a->unknowns);
        if (envelope_factor(&factor, &p, 0.0) < 0) {
            envelope_solve(&factor, 1, x);
            for (int i = 0; i < a->unknowns; i++) {
                sum += b[i] * x[i];
            }
        }
        envelope_destroy(&factor);
    }
    memory_array_free(memory, b, 2 * (size_t)a->unknowns);
    return sum;
}

static CordResult find_share(Memory* memory, const Rod* rod, const NodeLoad* at, int count, double* share,
                             Message* message)
{
    ModalMatrix a;
    CORD_TRY(modal_matrix_make(memory, rod, &a, message));
    double all = compliance_of_all(memory, rod, &a, at, count);
    *share = all > 0.0 ? compliance_of_modes(rod, at, count) / all : NAN;
    modal_matrix_free(memory, &a);
    return CORD_OK;
}

CordResult modal_load_share(Memory* memory, const Rod* rod, const Load* load, double* share, Message* message)
{
    NodeLoad at[2];
    *share = NAN;
    bool rigid = modal_of(rod)->report.rigid > 0;
    return rigid ? CORD_OK : find_share(memory, rod, at, load_at_rest(rod, load, at), share, message);
}

CordResult modal_weight_share(Memory* memory, const Rod* rod, CordVec3 gravity, double* share,
                              Message* message)
{
    int count = rod->line.node_count;
    NodeLoad* at = memory_array(memory, NodeLoad, (size_t)count);
    *share = NAN;
    for (int i = 0; at && i < count; i++) {
        at[i] = (NodeLoad){i, {vec3_mul(gravity, rod_node_mass(rod, i))}};
    }
    bool rigid = modal_of(rod)->report.rigid > 0;
    CordResult result = !at     ? message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name)
                        : rigid ? CORD_OK
                                : find_share(memory, rod, at, count, share, message);
    memory_array_free(memory, at, (size_t)count);
    return result;
}
