#include "contact/rod_newton.h"

#include "base/real.h"
#include "contact/gauss_seidel.h"
#include "math/dense.h"

#include <string.h>

#define MOST_ITERATIONS 12
#define PROXIMAL                                                                                             \
    1e-9 // over the diagonal: impulses of redundant contacts stay near those of the iterate before
#define MOST_WORSE 3 // iterations: the set of contacts that push then mostly repeats itself
#define BETTER 0.5   // of the residual before: what is kept
#define EXACT 1e-3   // likewise: enough

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
        for (int k = 0; k < 3; k++) {
            CordVec3 f = axis_of(m, j, k);
            for (int i = 0; i < m->count; i++) {
                CordVec3 u = delassus_response(m->delassus, m->constraints, m->index[i], m->index[j], f);
                for (int l = 0; l < 3; l++) {
                    m->K[size * (3 * i + l) + 3 * j + k] = vec3_dot(u, axis_of(m, i, l));
                }
            }
        }
        m->K[(size + 1) * 3 * j] += m->constraints->all[m->index[j]].compliance;
    }
}

static void begin(RodContacts* m)
{
    int size = 3 * m->count;
    for (int i = 0; i < m->count; i++) {
        const ContactConstraint* c = &m->constraints->all[m->index[i]];
        CordVec3 u = vec3_add(delassus_motion(m->delassus, c), c->slip);
        for (int k = 0; k < 3; k++) {
            CordVec3 e = axis_of(m, i, k);
            m->z[3 * i + k] = k == 0 ? c->normal_impulse : vec3_dot(c->friction_impulse, e);
            m->r[3 * i + k] = vec3_dot(u, e) + (k == 0 ? -constraint_lack(c) : 0.0);
        }
    }
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
    double first = residual(m), least = first;
    int since = 0; // the best iterate
    memcpy(m->best, m->z, bytes);
    for (int n = 0; n < MOST_ITERATIONS && least > EXACT * first && since < MOST_WORSE; n++, since++) {
        linearise(m);
        if (!dense_solve(3 * m->count, m->system, m->next)) {
            break;
        }
        memcpy(m->z, m->next, bytes);
        find_residuals(m);
        double now = residual(m);
        if (now < least) {
            least = now;
            since = -1;
            memcpy(m->best, m->z, bytes);
        }
    }
    return first > 0.0 ? least / first : 1.0;
}

static void apply(const RodContacts* m, ContactConstraints* b)
{
    for (int i = 0; i < m->count; i++) {
        ContactConstraint* c = &b->all[m->index[i]];
        const double* z = m->best + 3 * i;
        CordVec3 friction = vec3_madd(vec3_mul(axis_of(m, i, 1), z[1]), axis_of(m, i, 2), z[2]);
        double normal = real_max(0.0, z[0]);
        CordVec3 more = vec3_madd(vec3_sub(friction, c->friction_impulse), c->n, normal - c->normal_impulse);
        c->normal_impulse = normal;
        c->friction_impulse = friction;
        delassus_push(m->delassus, b, m->index[i], more);
    }
}

bool rod_newton_solve(const Delassus* y, ContactConstraints* b, int first, int last, double enough)
{
    RodContacts m = {.delassus = y, .constraints = b, .index = y->together};
    for (int k = first; k < last; k++) {
        const DelassusBlock* block = &y->all[y->order[k]];
        bool has_columns = block->G[0] && (b->all[y->order[k]].sides == 1 || block->G[1]);
        if (block->known && block->W_nn > 0.0 && block->last > enough && has_columns) {
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
    m.K = y->dense, m.system = m.K + size * size;
    m.z = m.system + size * size, m.r = m.z + size, m.q = m.r + size, m.next = m.q + size,
    m.best = m.next + size;
    find_operator(&m);
    begin(&m);
    bool better = iterate(&m) <= BETTER;
    if (better) {
        apply(&m, b);
    }
    return better;
}
