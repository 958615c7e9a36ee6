#include "contact/rod_newton.h"

#include "base/real.h"
#include "contact/gauss_seidel.h"
#include "math/dense.h"

#include <string.h>

#define MOST_ITERATIONS 12
#define PROXIMAL                                                                                             \
    1e-9 // over the diagonal: impulses of redundant contacts stay near those of the iterate before
// Iterations that make the residual larger: the set of contacts that push then mostly repeats itself. Where
// contacts are redundant the first one does, by far, and the next ones recover.
#define MOST_WORSE 3
#define BETTER 0.5 // of the residual before: what is kept
#define EXACT 1e-3 // likewise: enough

// The contacts of a rod. Impulses z and residuals r have three entries for each: along its normal and along
// the two tangents of its diagonal block. r = K z - q.
typedef struct RodContacts {
    const Delassus* delassus;
    const ContactConstraints* constraints;
    int count;
    int* index; // of the constraint (count)
    double *K, *system;
    double *z, *r, *q, *next, *best;
} RodContacts;

static CordVec3 axis_of(const RodContacts* m, int i, int k)
{
    int at = m->index[i];
    return k == 0 ? m->constraints->all[at].n : m->delassus->all[at].across[k - 1];
}

static bool rubs(const RodContacts* m, int i)
{
    return m->constraints->all[m->index[i]].mu > 0.0 && m->delassus->all[m->index[i]].W_tt[0] > 0.0;
}

static void find_operator(RodContacts* m)
{
    int size = 3 * m->count;
    for (int j = 0; j < m->count; j++) {
        for (int i = 0; i < m->count; i++) {
            double W[3][3];
            delassus_response(m->delassus, m->constraints, m->index[i], m->index[j], W);
            for (int k = 0; k < 9; k++) {
                m->K[size * (3 * i + k / 3) + 3 * j + k % 3] = W[k / 3][k % 3];
            }
        }
        m->K[(size + 1) * 3 * j] += m->constraints->all[m->index[j]].compliance;
    }
}

static void read_state(RodContacts* m)
{
    for (int i = 0; i < m->count; i++) {
        const DelassusBlock* block = &m->delassus->all[m->index[i]];
        double u[4], *r = m->r + 3 * i, *z = m->z + 3 * i;
        delassus_motion(m->delassus, block, u);
        z[0] = block->impulse[0], z[1] = block->impulse[1], z[2] = block->impulse[2];
        r[0] = u[0] + block->gap + m->constraints->all[m->index[i]].compliance * z[0];
        r[1] = u[1] + block->slip[0], r[2] = u[2] + block->slip[1];
    }
}

static void begin(RodContacts* m)
{
    int size = 3 * m->count;
    read_state(m);
    for (int i = 0; i < size; i++) {
        m->q[i] = dense_dot(size, m->K + size * i, m->z) - m->r[i];
    }
}

typedef struct Trial { // a contact's step along its residual, before it is projected on the friction cone
    double normal, grip, t[2], size;
} Trial;

static Trial trial_of(const RodContacts* m, int i)
{
    int at = m->index[i];
    const DelassusBlock* block = &m->delassus->all[at];
    const double *z = m->z + 3 * i, *r = m->r + 3 * i;
    Trial trial = {.normal = z[0] - r[0] / block->W_nn};
    if (rubs(m, i)) {
        trial.t[0] = z[1] - r[1] / block->W_tt[0], trial.t[1] = z[2] - r[2] / block->W_tt[0];
        trial.size = sqrt(trial.t[0] * trial.t[0] + trial.t[1] * trial.t[1]);
        CordVec3 t = vec3_madd(vec3_mul(axis_of(m, i, 1), trial.t[0]), axis_of(m, i, 2), trial.t[1]);
        trial.grip = constraint_grip(&m->constraints->all[at], &m->constraints->past[at], t, trial.size);
    }
    return trial;
}

// Residual of the natural map of the friction cones: the largest displacement of a contact [m].
static double residual(const RodContacts* m)
{
    double most = 0.0;
    for (int i = 0; i < m->count; i++) {
        const DelassusBlock* block = &m->delassus->all[m->index[i]];
        const double* z = m->z + 3 * i;
        Trial trial = trial_of(m, i);
        double normal = real_max(0.0, trial.normal), cone = trial.grip * normal;
        double share = trial.size > cone ? cone / trial.size : 1.0, p = z[1] - share * trial.t[0],
               q = z[2] - share * trial.t[1];
        most = real_max(most, block->W_nn * fabs(z[0] - normal));
        most = real_max(most, block->W_tt[0] * sqrt(p * p + q * q));
    }
    return most;
}

// Row of the system: share times that of r along e, and the rest times the diagonal along f.
static void set_row(const RodContacts* m, int i, int row, double share, const double e[3], const double f[3])
{
    int size = 3 * m->count;
    const DelassusBlock* block = &m->delassus->all[m->index[i]];
    double *out = m->system + size * row,
           scale = (1.0 - share) * (row % 3 == 0 ? block->W_nn : block->W_tt[0]);
    memset(out, 0, sizeof *out * (size_t)size);
    m->next[row] = 0.0;
    for (int k = 0; k < 3 && share > 0.0; k++) {
        const double* K = m->K + size * (3 * i + k);
        for (int j = 0; j < size && e[k] != 0.0; j++) {
            out[j] += share * e[k] * K[j];
        }
        double keep = PROXIMAL * (k == 0 ? block->W_nn : block->W_tt[0]) * share * e[k];
        out[3 * i + k] += keep;
        m->next[row] += share * e[k] * m->q[3 * i + k] + keep * m->z[3 * i + k];
    }
    for (int k = 0; k < 3; k++) {
        out[3 * i + k] += scale * f[k];
    }
}

// The linearised natural map: an open contact has no impulse, one that sticks no residual. With d the
// direction of friction of one that slides and e that across it, d.z' = grip z_n' and
// (1 - s) W e.z' + s e.r' = 0, where s is the cone's radius over the trial's size.
static void linearise(const RodContacts* m)
{
    const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, none[3] = {0, 0, 0};
    for (int i = 0; i < m->count; i++) {
        Trial trial = trial_of(m, i);
        bool open = trial.normal <= 0.0, frictionless = !rubs(m, i);
        bool slides = !open && !frictionless && trial.size > trial.grip * trial.normal;
        set_row(m, i, 3 * i, open ? 0.0 : 1.0, axes[0], open ? axes[0] : none);
        if (!slides) {
            for (int k = 1; k < 3; k++) {
                set_row(m, i, 3 * i + k, open || frictionless ? 0.0 : 1.0, axes[k],
                        open || frictionless ? axes[k] : none);
            }
            continue;
        }
        double x = trial.t[0] / trial.size, y = trial.t[1] / trial.size,
               s = real_min(trial.grip * trial.normal / trial.size, 1.0);
        const double along[3] = {-trial.grip, x, y}, across[3] = {0.0, -y, x};
        set_row(m, i, 3 * i + 1, 0.0, none, along);
        set_row(m, i, 3 * i + 2, s, across, across);
    }
}

static void find_residuals(const RodContacts* m)
{
    int size = 3 * m->count;
    for (int i = 0; i < size; i++) {
        m->r[i] = dense_dot(size, m->K + size * i, m->z) - m->q[i];
    }
}

// Keeps the best iterate. Returns its residual over that of the first.
static double iterate(RodContacts* m)
{
    size_t bytes = 3 * sizeof(double) * (size_t)m->count;
    double first = residual(m), least = first, last = first;
    int worse = 0; // iterations since the best one whose residual did not fall
    memcpy(m->best, m->z, bytes);
    for (int n = 0; n < MOST_ITERATIONS && least > EXACT * first && worse < MOST_WORSE; n++) {
        linearise(m);
        if (!dense_solve(3 * m->count, m->system, m->next)) {
            break;
        }
        memcpy(m->z, m->next, bytes);
        find_residuals(m);
        double now = residual(m);
        worse += now >= last;
        last = now;
        if (now < least) {
            least = now, worse = 0;
            memcpy(m->best, m->z, bytes);
        }
    }
    return first > 0.0 ? least / first : 1.0;
}

static void set_impulse(const RodContacts* m, int i, const double z[3])
{
    int at = m->index[i];
    DelassusBlock* block = &m->delassus->all[at];
    const double next[3] = {real_max(0.0, z[0]), z[1], z[2]};
    double more[4] = {0};
    for (int k = 0; k < 3; k++) {
        more[k] = next[k] - block->impulse[k];
        block->impulse[k] = next[k];
    }
    delassus_push(m->delassus, &m->constraints->all[at], block, more);
}

static void apply(const RodContacts* m)
{
    for (int i = 0; i < m->count; i++) {
        set_impulse(m, i, m->best + 3 * i);
    }
}

static int together_size(int size)
{
    return 2 * size * size + 5 * size;
}

bool rod_newton_solve(const Delassus* y, ContactConstraints* b, int first, int last, double enough,
                      Arena scratch)
{
    RodContacts m = {
        .delassus = y, .constraints = b, .index = arena_push(&scratch, int, DELASSUS_MOST_TOGETHER)};
    for (int k = first; k < last; k++) {
        const DelassusBlock* block = &y->all[y->order[k]];
        bool has_columns = block->G[0] && (b->all[y->order[k]].sides == 1 || block->G[1]);
        if (block->known && block->W_nn > 0.0 && larger(block->last[0], block->last[1]) > enough &&
            has_columns) {
            if (m.count == DELASSUS_MOST_TOGETHER) {
                return false;
            }
            m.index[m.count++] = y->order[k];
        }
    }
    if (m.count == 0) {
        return false;
    }
    int size = 3 * m.count;
    m.K = arena_push(&scratch, double, together_size(size));
    m.system = m.K + size * size;
    m.z = m.system + size * size, m.r = m.z + size, m.q = m.r + size, m.next = m.q + size,
    m.best = m.next + size;
    find_operator(&m);
    begin(&m);
    bool better = iterate(&m) <= BETTER;
    if (better) {
        apply(&m);
    }
    return better;
}

// ---- rods that move in a few ways
//
// With W_ij = B_i B_j' for i != j and C_i the rest of the diagonal blocks, the linearised natural map
// S_i r_i + T_i z_i = 0 is
//
//     (S_i C_i + T_i) dz_i + S_i B_i y = -(S_i r_i + T_i z_i),     y = sum of B_j' dz_j
//
// so that each contact needs a system of three unknowns and all together one of as many as there are ways.
// Contacts that share a node, or another rod, couple by more than that: the iterations measure residuals with
// all of W.

typedef struct FewWays {
    RodContacts contacts; // z and r
    ContactConstraints* all;
    int rod, rank;
    double *B, *G; // G_i = (S_i C_i + T_i)^-1 S_i B_i (3 count x rank)
    double* g;     // (3 count)
    double *A, *y; // (rank x rank), (rank)
} FewWays;

static void find_ways(const FewWays* f)
{
    const Delassus* delassus = f->contacts.delassus;
    const DelassusRod* rod = &delassus->rods[f->rod];
    for (int row = 0; row < 3 * f->contacts.count; row++) {
        const ContactConstraint* c = &f->all->all[f->contacts.index[row / 3]];
        CordVec3 axis = axis_of(&f->contacts, row / 3, row % 3);
        double* B = f->B + row * f->rank;
        memset(B, 0, sizeof *B * (size_t)f->rank);
        for (int side = 0; side < c->sides; side++) {
            if (c->side[side].rod != f->rod) {
                continue;
            }
            SideForce force =
                contact_side_force(&c->side[side], c->n, side == 0 ? axis : vec3_mul(axis, -1.0));
            for (int k = 0; k < 4; k++) {
                const double* way = rod->factor + 3 * delassus->place[c->side[side].node[k]];
                CordVec3 p = force.node[k];
                for (int l = 0; l < f->rank; l++, way += 3 * rod->count) {
                    B[l] += way[0] * p.x + way[1] * p.y + way[2] * p.z;
                }
            }
        }
    }
}

// C_i, in the axes of the contact.
static void find_rest(const FewWays* f, int i, double C[3][3])
{
    const DelassusBlock* block = &f->contacts.delassus->all[f->contacts.index[i]];
    const double* B = f->B + 3 * i * f->rank;
    double W[3][3] = {
        {block->W_nn + f->all->all[f->contacts.index[i]].compliance, block->W_tn[0], block->W_tn[1]},
        {block->W_tn[0], block->W_tt[0], 0.0},
        {block->W_tn[1], 0.0, block->W_tt[1]}};
    for (int k = 0; k < 9; k++) {
        C[k / 3][k % 3] = W[k / 3][k % 3] - dense_dot(f->rank, B + k / 3 * f->rank, B + k % 3 * f->rank);
    }
}

// The rows of a contact's linearised natural map: see linearise.
static void find_map(const RodContacts* m, int i, double S[3][3], double T[3][3])
{
    Trial trial = trial_of(m, i);
    bool open = trial.normal <= 0.0, sticks = !open && rubs(m, i);
    memset(S, 0, 9 * sizeof(double));
    memset(T, 0, 9 * sizeof(double));
    S[0][0] = !open, T[0][0] = open;
    S[1][1] = S[2][2] = sticks, T[1][1] = T[2][2] = !sticks;
    if (!sticks || trial.size <= trial.grip * trial.normal) {
        return;
    }
    double x = trial.t[0] / trial.size, y = trial.t[1] / trial.size,
           s = trial.grip * trial.normal / trial.size,
           rest = (1.0 - s) * m->delassus->all[m->index[i]].W_tt[0];
    S[1][1] = S[2][2] = 0.0;
    T[1][0] = -trial.grip, T[1][1] = x, T[1][2] = y;
    S[2][1] = -s * y, S[2][2] = s * x;
    T[2][1] = -rest * y, T[2][2] = rest * x;
}

static bool invert(double M[3][3], double inverse[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int p = (j + 1) % 3, q = (j + 2) % 3, r = (i + 1) % 3, s = (i + 2) % 3;
            inverse[i][j] = M[p][r] * M[q][s] - M[p][s] * M[q][r];
        }
    }
    double det = M[0][0] * inverse[0][0] + M[0][1] * inverse[1][0] + M[0][2] * inverse[2][0];
    for (int k = 0; k < 9 && det != 0.0; k++) {
        inverse[k / 3][k % 3] /= det;
    }
    return det != 0.0;
}

// M = S C + T, and right = -(S r + T z). False: M is singular.
static bool invert_own(const FewWays* f, int i, double S[3][3], double inverse[3][3], double right[3])
{
    const double *z = f->contacts.z + 3 * i, *r = f->contacts.r + 3 * i;
    double C[3][3], T[3][3], M[3][3];
    find_rest(f, i, C);
    find_map(&f->contacts, i, S, T);
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            M[a][b] = S[a][0] * C[0][b] + S[a][1] * C[1][b] + S[a][2] * C[2][b] + T[a][b];
        }
        right[a] = -(S[a][0] * r[0] + S[a][1] * r[1] + S[a][2] * r[2] + T[a][0] * z[0] + T[a][1] * z[1] +
                     T[a][2] * z[2]);
    }
    return invert(M, inverse);
}

// Eliminates the impulses of a contact, and adds what it does to the ways.
static bool eliminate(const FewWays* f, int i)
{
    int rank = f->rank;
    const double* B = f->B + 3 * i * rank;
    double S[3][3], inverse[3][3], right[3];
    if (!invert_own(f, i, S, inverse, right)) {
        return false;
    }
    for (int a = 0; a < 3; a++) {
        const double *N = inverse[a], *way = B + a * rank;
        double *G = f->G + (3 * i + a) * rank, g = N[0] * right[0] + N[1] * right[1] + N[2] * right[2];
        double NS[3];
        for (int b = 0; b < 3; b++) {
            NS[b] = N[0] * S[0][b] + N[1] * S[1][b] + N[2] * S[2][b];
        }
        for (int l = 0; l < rank; l++) {
            G[l] = NS[0] * B[l] + NS[1] * B[rank + l] + NS[2] * B[2 * rank + l];
        }
        f->g[3 * i + a] = g;
        for (int k = 0; k < rank; k++) {
            f->y[k] += way[k] * g;
            for (int l = 0; l < rank; l++) {
                f->A[k * rank + l] += way[k] * G[l];
            }
        }
    }
    return true;
}

static bool step_few(FewWays* f)
{
    int rank = f->rank;
    memset(f->A, 0, sizeof *f->A * (size_t)(rank * rank));
    memset(f->y, 0, sizeof *f->y * (size_t)rank);
    for (int i = 0; i < f->contacts.count; i++) {
        if (!eliminate(f, i)) {
            return false;
        }
    }
    for (int k = 0; k < rank; k++) {
        f->A[k * rank + k] += 1.0;
    }
    if (!dense_solve(rank, f->A, f->y)) {
        return false;
    }
    for (int i = 0; i < f->contacts.count; i++) {
        double z[3];
        for (int k = 0; k < 3; k++) {
            z[k] =
                f->contacts.z[3 * i + k] + f->g[3 * i + k] - dense_dot(rank, f->G + (3 * i + k) * rank, f->y);
        }
        set_impulse(&f->contacts, i, z);
    }
    read_state(&f->contacts);
    return true;
}

static int few_size(int count, int rank)
{
    return 6 * count * rank + 12 * count + rank * (rank + 1);
}

static FewWays open_few(const Delassus* y, ContactConstraints* b, int first, int last, Arena* scratch)
{
    int* index = arena_push(scratch, int, last - first);
    FewWays f = {.contacts = {.delassus = y, .constraints = b, .index = index},
                 .all = b,
                 .rod = b->all[y->order[first]].side[0].rod};
    for (int k = first; k < last; k++) {
        if (y->all[y->order[k]].known && y->all[y->order[k]].W_nn > 0.0) {
            f.contacts.index[f.contacts.count++] = y->order[k];
        }
    }
    int size = 3 * f.contacts.count;
    f.rank = y->rods[f.rod].rank;
    f.B = arena_push(scratch, double, few_size(f.contacts.count, f.rank));
    f.G = f.B + size * f.rank, f.A = f.G + size * f.rank, f.y = f.A + f.rank * f.rank;
    f.g = f.y + f.rank, f.contacts.z = f.g + size, f.contacts.r = f.contacts.z + size;
    f.contacts.best = f.contacts.r + size;
    return f;
}

size_t rod_newton_scratch(const DelassusRod* rod)
{
    int count = rod->last_constraint - rod->first_constraint, most = DELASSUS_MOST_TOGETHER;
    return rod->factor
               ? arena_space(sizeof(int), count) + arena_space(sizeof(double), few_size(count, rod->rank))
               : arena_space(sizeof(int), most) + arena_space(sizeof(double), together_size(3 * most));
}

bool rod_newton_solve_few(const Delassus* y, ContactConstraints* b, int first, int last, double enough,
                          Arena scratch)
{
    FewWays f = open_few(y, b, first, last, &scratch);
    RodContacts* m = &f.contacts;
    size_t bytes = 3 * sizeof(double) * (size_t)m->count;
    if (m->count < 2) {
        return false;
    }
    find_ways(&f);
    read_state(m);
    double begin = residual(m), least = begin;
    memcpy(m->best, m->z, bytes);
    double previous = begin;
    int worse = 0; // as in iterate
    bool is_best = true;
    for (int n = 0; n < MOST_ITERATIONS && least > EXACT * enough && worse < MOST_WORSE; n++) {
        if (!step_few(&f)) {
            break;
        }
        double now = residual(m);
        worse += now >= previous;
        previous = now;
        is_best = now < least;
        if (is_best) {
            least = now, worse = 0;
            memcpy(m->best, m->z, bytes);
        }
    }
    if (!is_best) {
        apply(m);
    }
    return least <= BETTER * begin;
}
