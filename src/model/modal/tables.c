// Tables computed from the eigenpairs: mode shapes by node, the mode table of the kernel, energy matrices,
// and the report of each mode.
#include "math/eigen_jacobi.h"
#include "model/modal/kernel.h"
#include "model/modal/modal.h"

#include <string.h>

#define STATE_ARRAYS 7 // of each state
#define STEP_ARRAYS 6  // of a step with contact
#define ALIGN_MOST 8   // largest cluster of equal frequencies that is aligned with the axes

static bool make_tables(Memory* memory, Rod* rod, int count)
{
    CordModal* m = modal_of(rod);
    size_t n = (size_t)rod->line.node_count, k = (size_t)count;
    m->count = count;
    m->block_count = (rod->line.node_count + MODAL_LANES - 1) / MODAL_LANES;
    m->state_size = (2 * STATE_ARRAYS + STEP_ARRAYS) * k;
    m->omega2 = memory_array(memory, double, k);
    m->damping = memory_array(memory, double, 2 * k);
    m->shape = memory_array(memory, double, k* n* NODE_FREEDOMS);
    m->wide[0] = memory_array(memory, double, 3 * MODAL_LANES * (size_t)m->block_count);
    m->table = memory_array(memory, float, (size_t)m->block_count* k* MODAL_STRIDE);
    m->room = memory_array(memory, float, MODAL_ROOM* k);
    m->loads = memory_array(memory, double, k* n * 3);
    m->spin_load = memory_array(memory, CordVec3, k);
    m->lengths = memory_array(memory, double, 7 * n);
    m->nodes = memory_array(memory, double, NODE_FREEDOMS* n);
    m->twist = memory_array(memory, double, 3 * k * k);
    m->mode = memory_array(memory, CordMode, k);
    m->step = memory_array(memory, Oscillator, 2 * k);
    m->block = memory_array(memory, double, m->state_size);
    return m->omega2 && m->damping && m->shape && m->wide[0] && m->table && m->room && m->loads &&
           m->spin_load && m->lengths && m->nodes && m->twist && m->mode && m->step && m->block;
}

void modal_forget(Memory* memory, Rod* rod)
{
    CordModal* m = modal_of(rod);
    size_t n = (size_t)rod->line.node_count, k = (size_t)m->count;
    memory_array_free(memory, m->omega2, k);
    memory_array_free(memory, m->damping, 2 * k);
    memory_array_free(memory, m->shape, k * n * NODE_FREEDOMS);
    memory_array_free(memory, m->wide[0], 3 * MODAL_LANES * (size_t)m->block_count);
    memory_array_free(memory, m->table, (size_t)m->block_count * k * MODAL_STRIDE);
    memory_array_free(memory, m->room, MODAL_ROOM * k);
    memory_array_free(memory, m->loads, k * n * 3);
    memory_array_free(memory, m->spin_load, k);
    memory_array_free(memory, m->lengths, 7 * n);
    memory_array_free(memory, m->nodes, NODE_FREEDOMS * n);
    memory_array_free(memory, m->twist, 3 * k * k);
    memory_array_free(memory, m->mode, k);
    memory_array_free(memory, m->step, 2 * k);
    memory_array_free(memory, m->block, m->state_size);
    m->omega2 = m->damping = m->shape = m->wide[0] = m->loads = m->lengths = m->nodes = m->twist = m->block =
        NULL;
    m->spin_load = NULL;
    m->table = m->room = NULL, m->mode = NULL, m->step = NULL;
    m->count = 0, m->state_size = 0, m->found = false, m->h = 0.0;
}

static void set_states(CordModal* m)
{
    size_t k = (size_t)m->count;
    ModalState* states[2] = {&m->now, &m->next};
    for (int i = 0; i < 2; i++) {
        double* at = m->block + STATE_ARRAYS * k * (size_t)i;
        *states[i] = (ModalState){.q = at,
                                  .rate = at + k,
                                  .load = at + 2 * k,
                                  .before = at + 3 * k,
                                  .ahead = at + 4 * k,
                                  .force = at + 5 * k,
                                  .extra = at + 6 * k};
        states[i]->carrier.pose = (Pose){m->origin, quat_identity()};
    }
    m->start_rate = m->block + 2 * STATE_ARRAYS * k;
    m->free_force = m->start_rate + k, m->free_extra = m->free_force + k, m->kept = m->free_extra + k;
    m->half = m->step + k;
    m->stretch = m->twist + k * k;
    m->drag = m->twist + 2 * k * k;
    m->drag_damping = m->damping + k;
    m->drag_key[0] = m->drag_key[1] = 0.0;
}

// The sign of an eigenvector is arbitrary. Makes the largest entry positive; the first one if several are
// equal to within 1e-4.
static void make_positive(double* shape, size_t size)
{
    double most = 0.0, sign = 1.0;
    for (size_t i = 0; i < size; i++) {
        if (fabs(shape[i]) > 1.0001 * most) {
            most = fabs(shape[i]), sign = shape[i] < 0.0 ? -1.0 : 1.0;
        }
    }
    for (size_t i = 0; i < size; i++) {
        shape[i] *= sign;
    }
}

static void expand_shape(const Rod* rod, const ModalMatrix* a, const double* phi, double* shape)
{
    const CordModal* m = modal_of(rod);
    for (int k = 0; k < NODE_FREEDOMS * rod->line.node_count; k++) {
        shape[k] = a->unknown[k] >= 0 ? phi[a->unknown[k]] : 0.0;
    }
    for (int i = 0; i < m->support_count; i++) { // transform from the axes of supports to those of space
        double* at = shape + NODE_FREEDOMS * (size_t)m->supports[i].node;
        for (int part = 0; part < 6; part += 3) {
            const CordVec3* axes = m->supports[i].axes + part;
            CordVec3 sum = vec3_mul(axes[0], at[part]);
            sum = vec3_madd(vec3_madd(sum, axes[1], at[part + 1]), axes[2], at[part + 2]);
            at[part] = sum.x, at[part + 1] = sum.y, at[part + 2] = sum.z;
        }
    }
}

// Nodal forces of a unit acceleration of the whole structure along each axis: M times a translation (6 x 3 by
// node).
static void add_shift(BeamMatrix M, const int ends[2], double* shift)
{
    for (int i = 0; i < BEAM_FREEDOMS; i++) {
        double* at = shift + ((size_t)ends[i / 6] * NODE_FREEDOMS + (size_t)(i % 6)) * 3;
        for (int c = 0; c < 3; c++) {
            at[c] += M[i][c] + M[i][6 + c];
        }
    }
}

static void add_lengths(const Beam* beam, const int ends[2], double* lengths)
{
    CordVec3 t = beam->axes[0];
    const double part[7] = {1.0, t.x * t.x, t.x * t.y, t.x * t.z, t.y * t.y, t.y * t.z, t.z * t.z};
    for (int k = 0; k < 14; k++) {
        lengths[7 * (size_t)ends[k / 7] + (size_t)(k % 7)] += 0.5 * beam->length * part[k % 7];
    }
}

static int cluster_end(const Rod* rod, int first)
{
    const CordModal* m = modal_of(rod);
    int last = first + 1;
    while (last < m->count && modal_is_one_with_next(rod, m->omega2, last - 1)) {
        last++;
    }
    return last;
}

static void mix(double* shape, size_t size, int count, const double* turn)
{
    for (size_t i = 0; i < size; i++) {
        double mixed[ALIGN_MOST] = {0};
        for (int k = 0; k < count; k++) {
            for (int l = 0; l < count; l++) {
                mixed[k] += turn[l * count + k] * shape[(size_t)l * size + i];
            }
        }
        for (int k = 0; k < count; k++) {
            shape[(size_t)k * size + i] = mixed[k];
        }
    }
}

// The basis of an eigenspace is arbitrary. Rotates it so that the first mode is the one that acceleration
// along x excites most, or else y, or else z.
static void align_cluster(double* shape, size_t size, int count, const double* shift)
{
    double A[ALIGN_MOST * ALIGN_MOST] = {0}, values[ALIGN_MOST], turn[ALIGN_MOST * ALIGN_MOST];
    const double weight[3] = {1.0, 0.5, 0.25};
    for (size_t axis = 0; axis < 3; axis++) {
        double part[ALIGN_MOST] = {0};
        for (int k = 0; k < count; k++) {
            for (size_t i = 0; i < size; i++) {
                part[k] += shape[(size_t)k * size + i] * shift[3 * i + axis];
            }
        }
        for (int k = 0; k < count * count; k++) {
            A[k] -= weight[axis] * part[k / count] * part[k % count];
        }
    }
    eigen_jacobi(count, A, values, turn);
    mix(shape, size, count, turn);
}

static void align(const Rod* rod, const double* shift)
{
    CordModal* m = modal_of(rod);
    size_t size = NODE_FREEDOMS * (size_t)rod->line.node_count;
    for (int first = 0, last; first < m->count; first = last) {
        last = cluster_end(rod, first);
        if (last - first > 1 && last - first <= ALIGN_MOST) {
            align_cluster(m->shape + (size_t)first * size, size, last - first, shift);
        }
    }
    for (int k = 0; k < m->count; k++) {
        make_positive(m->shape + (size_t)k * size, size);
    }
}

static void fill_table(const Rod* rod, const double* shift)
{
    CordModal* m = modal_of(rod);
    size_t n = (size_t)rod->line.node_count, modes = (size_t)m->count;
    for (int k = 0; k < m->count; k++) {
        for (int i = 0; i < rod->line.node_count; i++) {
            const double* phi = m->shape + ((size_t)k * n + (size_t)i) * NODE_FREEDOMS;
            float* at = m->table + (size_t)(i / MODAL_LANES) * modes * MODAL_STRIDE +
                        (size_t)(3 * k * MODAL_LANES + i % MODAL_LANES);
            for (int c = 0; c < 3; c++) {
                double load = 0.0;
                for (int r = 0; r < NODE_FREEDOMS; r++) {
                    load += phi[r] * shift[((size_t)i * NODE_FREEDOMS + (size_t)r) * 3 + (size_t)c];
                }
                m->loads[((size_t)k * n + (size_t)i) * 3 + (size_t)c] = load;
                at[MODAL_LANES * c] = (float)phi[3 + c];
                at[(3 * modes + (size_t)c) * MODAL_LANES] = (float)phi[c];
                at[(6 * modes + (size_t)c) * MODAL_LANES] = (float)load;
            }
        }
    }
}

static bool make_loads(Memory* memory, Rod* rod)
{
    CordModal* m = modal_of(rod);
    int n = rod->line.node_count;
    double* shift = memory_array(memory, double, 3 * NODE_FREEDOMS * (size_t)n);
    if (!shift) {
        return false;
    }
    for (int j = 0; j < rod->line.edge_count; j++) {
        Beam beam = modal_beam(rod, j);
        BeamMatrix M;
        beam_mass(&beam, M);
        add_shift(M, modal_ends(rod) + 2 * j, shift);
        add_lengths(&beam, modal_ends(rod) + 2 * j, m->lengths);
    }
    align(rod, shift);
    fill_table(rod, shift);
    memory_array_free(memory, shift, 3 * NODE_FREEDOMS * (size_t)n);
    for (int k = 0; k < 3; k++) {
        m->wide[k] = m->wide[0] + (size_t)k * MODAL_LANES * (size_t)m->block_count;
    }
    for (int i = 0; i < n; i++) {
        slot_set(m->wide, i, m->rest[i]);
    }
    return true;
}

// Total twist and elongation of an element in a mode.
static void strains(const Rod* rod, const Beam* beam, int edge, int mode, double* twist, double* stretch)
{
    const CordModal* m = modal_of(rod);
    const int* ends = modal_ends(rod) + 2 * edge;
    const double* shape = m->shape + (size_t)mode * (size_t)rod->line.node_count * NODE_FREEDOMS;
    const double *a = shape + NODE_FREEDOMS * (size_t)ends[0], *b = shape + NODE_FREEDOMS * (size_t)ends[1];
    CordVec3 t = beam->axes[0];
    *stretch = t.x * (b[0] - a[0]) + t.y * (b[1] - a[1]) + t.z * (b[2] - a[2]);
    *twist = t.x * (b[3] - a[3]) + t.y * (b[4] - a[4]) + t.z * (b[5] - a[5]);
}

static void add_spin_loads(const Rod* rod, const Beam* beam, int edge)
{
    CordModal* m = modal_of(rod);
    CordVec3 t = beam->axes[0];
    for (int k = 0; k < m->count; k++) {
        for (int p = 0; p < 2; p++) {
            size_t node = (size_t)modal_ends(rod)[2 * edge + p];
            const double* psi =
                m->shape + ((size_t)k * (size_t)rod->line.node_count + node) * NODE_FREEDOMS + 3;
            double turn = t.x * psi[0] + t.y * psi[1] + t.z * psi[2];
            m->spin_load[k] =
                vec3_madd(m->spin_load[k], t, 0.5 * beam->length * beam->stiffness.spin_inertia * turn);
        }
    }
}

static bool make_energies(Memory* memory, const Rod* rod)
{
    const CordModal* m = modal_of(rod);
    int modes = m->count;
    double* of = memory_array(memory, double, 2 * (size_t)modes);
    if (!of) {
        return false;
    }
    for (int j = 0; j < rod->line.edge_count; j++) {
        Beam beam = modal_beam(rod, j);
        add_spin_loads(rod, &beam, j);
        for (int k = 0; k < modes; k++) {
            strains(rod, &beam, j, k, &of[k], &of[modes + k]);
        }
        double GJ = beam.stiffness.GJ / beam.length, EA = beam.stiffness.EA / beam.length;
        for (int k = 0; k < modes; k++) {
            for (int l = 0; l < modes; l++) {
                m->twist[k * modes + l] += GJ * of[k] * of[l];
                m->stretch[k * modes + l] += EA * of[modes + k] * of[modes + l];
            }
        }
    }
    memory_array_free(memory, of, 2 * (size_t)modes);
    return true;
}

static double damping_of(const Rod* rod, int k, double omega2)
{
    const CordModalDef* d = &modal_of(rod)->def;
    double ratio = k < d->damping_ratio_count ? d->damping_ratios[k] : d->damping_ratio;
    return d->mass_damping + rod->damping_time * omega2 + 2.0 * ratio * sqrt(omega2);
}

static CordModeKind kind_of(const CordMode* mode)
{
    const double most = 0.9;
    return mode->bend >= most      ? CORD_MODE_BEND
           : mode->twist >= most   ? CORD_MODE_TWIST
           : mode->stretch >= most ? CORD_MODE_STRETCH
                                   : CORD_MODE_COUPLED;
}

// Effective modal mass along each axis: the square of the sum of the mode's loads.
static CordVec3 effective_mass(const Rod* rod, int k)
{
    const CordModal* m = modal_of(rod);
    size_t n = (size_t)rod->line.node_count;
    double sum[3] = {0};
    for (size_t i = 0; i < 3 * n; i++) {
        sum[i % 3] += m->loads[(size_t)k * n * 3 + i];
    }
    return (CordVec3){sum[0] * sum[0], sum[1] * sum[1], sum[2] * sum[2]};
}

static void describe(const Rod* rod)
{
    CordModal* m = modal_of(rod);
    for (int k = 0; k < m->count; k++) {
        CordMode* mode = &m->mode[k];
        double omega2 = m->omega2[k];
        m->damping[k] = damping_of(rod, k, omega2);
        *mode = (CordMode){.omega2 = omega2,
                           .ratio = 0.5 * m->damping[k] / sqrt(omega2),
                           .twist = m->twist[k * m->count + k] / omega2,
                           .stretch = m->stretch[k * m->count + k] / omega2,
                           .effective_mass = effective_mass(rod, k),
                           .cluster_first = k,
                           .cluster_count = 1};
        mode->bend = 1.0 - mode->twist - mode->stretch;
        mode->kind = kind_of(mode);
    }
    for (int first = 0, last; first < m->count; first = last) {
        last = cluster_end(rod, first);
        for (int k = first; k < last; k++) {
            m->mode[k].cluster_first = first, m->mode[k].cluster_count = last - first;
        }
    }
}

CordResult modal_take_pairs(Memory* memory, Rod* rod, const ModalMatrix* a, const double* lambda,
                            const double* phi, int count, Message* message)
{
    CordModal* m = modal_of(rod);
    if (!make_tables(memory, rod, count)) {
        modal_forget(memory, rod);
        return message_fail(message, CORD_NO_MEMORY, "no memory for %d modes of rod '%s'", count, rod->name);
    }
    set_states(m);
    size_t n = (size_t)rod->line.node_count, unknowns = (size_t)a->unknowns;
    for (int k = 0; k < count; k++) {
        m->omega2[k] = lambda[k];
        expand_shape(rod, a, phi + (size_t)k * unknowns, m->shape + (size_t)k * n * NODE_FREEDOMS);
    }
    if (!make_loads(memory, rod) || !make_energies(memory, rod)) {
        modal_forget(memory, rod);
        return message_fail(message, CORD_NO_MEMORY, "no memory for %d modes of rod '%s'", count, rod->name);
    }
    describe(rod);
    m->found = true;
    return CORD_OK;
}
