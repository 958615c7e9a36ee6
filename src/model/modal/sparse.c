// Assembly of the stiffness and mass matrices (MW eq. 6), without the degrees of freedom that supports hold.
#include "model/modal/modal.h"

#include <string.h>

Beam modal_beam(const Rod* rod, int edge)
{
    const CordModal* m = modal_of(rod);
    const int* ends = modal_ends(rod);
    CordVec3 e = vec3_sub(m->rest[ends[2 * edge + 1]], m->rest[ends[2 * edge]]), t = vec3_unit(e);
    return (Beam){*rod_stiffness_at(rod, edge), vec3_length(e), {t, m->m1[edge], vec3_cross(t, m->m1[edge])}};
}

// ---- adjacency

typedef struct Neighbours { // neighbours of each node, itself included, in ascending order
    int* start;             // (node_count + 1)
    int* node;              // (start[node_count])
    int* offset;            // number of rows above those of this neighbour in a column (start[node_count])
    int node_count, edge_count;
} Neighbours;

static void neighbours_free(Memory* m, Neighbours* n)
{
    memory_array_free(m, n->start, n->node_count + 1);
    memory_array_free(m, n->node, n->node_count + 2 * n->edge_count);
    memory_array_free(m, n->offset, n->node_count + 2 * n->edge_count);
}

static bool neighbours_make(Memory* m, const Rod* rod, Neighbours* n)
{
    const int* ends = modal_ends(rod);
    *n = (Neighbours){.node_count = rod->line.node_count, .edge_count = rod->line.edge_count};
    n->start = memory_array(m, int, n->node_count + 1);
    n->node = memory_array(m, int, n->node_count + 2 * n->edge_count);
    n->offset = memory_array(m, int, n->node_count + 2 * n->edge_count);
    int* next = memory_array(m, int, n->node_count);
    if (!n->start || !n->node || !n->offset || !next) {
        memory_array_free(m, next, n->node_count);
        neighbours_free(m, n);
        return false;
    }
    for (int i = 0; i < n->node_count; i++) {
        n->start[i + 1] = 1;
    }
    for (int k = 0; k < 2 * n->edge_count; k++) {
        n->start[ends[k] + 1]++;
    }
    for (int i = 0; i < n->node_count; i++) {
        n->start[i + 1] += n->start[i];
        next[i] = n->start[i];
    }
    // Nodes are visited in ascending order, and each is appended to the lists of its neighbours, which are
    // sorted thereby. `offset`, not in use yet, first stores the edges by node.
    for (int j = 0; j < n->edge_count; j++) {
        n->offset[next[ends[2 * j]]++] = ends[2 * j + 1];
        n->offset[next[ends[2 * j + 1]]++] = ends[2 * j];
    }
    for (int i = 0; i < n->node_count; i++) {
        n->offset[next[i]] = i;
        next[i] = n->start[i];
    }
    for (int i = 0; i < n->node_count; i++) {
        for (int k = n->start[i]; k < n->start[i + 1]; k++) {
            int other = n->offset[k];
            n->node[next[other]++] = i;
        }
    }
    memory_array_free(m, next, n->node_count);
    return true;
}

static int find_neighbour(const Neighbours* n, int node, int other) // index of `other` in n->node
{
    int low = n->start[node], high = n->start[node + 1];
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (n->node[middle] <= other) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// ---- numbering

// 1 + index of each node's support, 0: none (node_count)
static int* supports_by_node(Memory* memory, const Rod* rod)
{
    const CordModal* m = modal_of(rod);
    int* of = memory_array(memory, int, rod->line.node_count);
    for (int i = 0; of && i < m->support_count; i++) {
        of[m->supports[i].node] = i + 1;
    }
    return of;
}

static int number_unknowns(const Rod* rod, const int* support, int* unknown)
{
    const CordModal* m = modal_of(rod);
    int count = 0;
    for (int i = 0; i < rod->line.node_count; i++) {
        unsigned held = support[i] > 0 ? m->supports[support[i] - 1].held : 0;
        for (int k = 0; k < NODE_FREEDOMS; k++) {
            unknown[NODE_FREEDOMS * i + k] = held >> k & 1 ? -1 : count++;
        }
    }
    return count;
}

static int free_at(const int* unknown, int node)
{
    int count = 0;
    for (int k = 0; k < NODE_FREEDOMS; k++) {
        count += unknown[NODE_FREEDOMS * node + k] >= 0;
    }
    return count;
}

static int64_t count_entries(const int* unknown, Neighbours* n)
{
    int64_t sum = 0;
    for (int i = 0; i < n->node_count; i++) {
        int rows = 0;
        for (int k = n->start[i]; k < n->start[i + 1]; k++) {
            n->offset[k] = rows;
            rows += free_at(unknown, n->node[k]);
        }
        sum += (int64_t)rows * free_at(unknown, i);
    }
    return sum;
}

static void set_pattern(ModalMatrix* a, const Neighbours* n)
{
    int at = 0;
    for (int i = 0; i < n->node_count; i++) {
        for (int c = 0; c < NODE_FREEDOMS; c++) {
            int column = a->unknown[NODE_FREEDOMS * i + c];
            if (column < 0) {
                continue;
            }
            a->start[column] = at;
            for (int k = n->start[i]; k < n->start[i + 1]; k++) {
                for (int r = 0; r < NODE_FREEDOMS; r++) {
                    int row = a->unknown[NODE_FREEDOMS * n->node[k] + r];
                    if (row >= 0) {
                        a->row[at++] = row;
                    }
                }
            }
        }
    }
    a->start[a->unknowns] = at;
}

// ---- elements

// Transforms the rows and columns of a supported node from the axes of space to those of the support.
static void turn_to_support(const Support* s, int end, BeamMatrix A)
{
    for (int part = 0; part < 2; part++) {
        int from = NODE_FREEDOMS * end + 3 * part;
        for (int i = 0; i < BEAM_FREEDOMS; i++) {
            CordVec3 a = {A[i][from], A[i][from + 1], A[i][from + 2]};
            for (int k = 0; k < 3; k++) {
                A[i][from + k] = vec3_dot(a, s->axes[3 * part + k]);
            }
        }
        for (int j = 0; j < BEAM_FREEDOMS; j++) {
            CordVec3 a = {A[from][j], A[from + 1][j], A[from + 2][j]};
            for (int k = 0; k < 3; k++) {
                A[from + k][j] = vec3_dot(a, s->axes[3 * part + k]);
            }
        }
    }
    beam_symmetrise(A);
}

static void add_element(ModalMatrix* a, const Neighbours* n, const int ends[2], double* values, BeamMatrix A)
{
    for (int p = 0; p < 2; p++) {     // columns of end p
        for (int q = 0; q < 2; q++) { // rows of end q
            int offset = n->offset[find_neighbour(n, ends[p], ends[q])];
            for (int c = 0; c < NODE_FREEDOMS; c++) {
                int column = a->unknown[NODE_FREEDOMS * ends[p] + c];
                if (column < 0) {
                    continue;
                }
                double* at = values + a->start[column] + offset;
                for (int r = 0; r < NODE_FREEDOMS; r++) {
                    if (a->unknown[NODE_FREEDOMS * ends[q] + r] >= 0) {
                        *at++ += A[NODE_FREEDOMS * q + r][NODE_FREEDOMS * p + c];
                    }
                }
            }
        }
    }
}

static void add_elements(const Rod* rod, const int* support, const Neighbours* n, ModalMatrix* a)
{
    const CordModal* m = modal_of(rod);
    for (int j = 0; j < rod->line.edge_count; j++) {
        const int* ends = modal_ends(rod) + 2 * j;
        Beam beam = modal_beam(rod, j);
        BeamMatrix K, M;
        beam_stiffness(&beam, K);
        beam_mass(&beam, M);
        for (int p = 0; p < 2; p++) {
            if (support[ends[p]] > 0) {
                turn_to_support(&m->supports[support[ends[p]] - 1], p, K);
                turn_to_support(&m->supports[support[ends[p]] - 1], p, M);
            }
        }
        add_element(a, n, ends, a->K, K);
        add_element(a, n, ends, a->M, M);
    }
}

// ---- the matrices

void modal_matrix_free(Memory* m, ModalMatrix* a)
{
    memory_array_free(m, a->unknown, NODE_FREEDOMS * (size_t)a->node_count);
    memory_array_free(m, a->start, a->unknowns + 1);
    memory_array_free(m, a->row, a->entries);
    memory_array_free(m, a->K, a->entries);
    memory_array_free(m, a->M, a->entries);
    *a = (ModalMatrix){0};
}

static CordResult make_entries(Memory* m, const Rod* rod, const int* support, Neighbours* n, ModalMatrix* a,
                               Message* message)
{
    a->entries = count_entries(a->unknown, n);
    if (a->entries > INT32_MAX) {
        return message_fail(message, CORD_NOT_SUPPORTED,
                            "the matrix of rod '%s' would have %lld entries; at most %d are supported",
                            rod->name, (long long)a->entries, INT32_MAX);
    }
    a->start = memory_array(m, int, a->unknowns + 1);
    a->row = memory_array(m, int, a->entries);
    a->K = memory_array(m, double, a->entries);
    a->M = memory_array(m, double, a->entries);
    if (!a->start || !a->row || !a->K || !a->M) {
        return message_fail(message, CORD_NO_MEMORY,
                            "no memory for the %lld entries of the matrix of rod '%s'", (long long)a->entries,
                            rod->name);
    }
    set_pattern(a, n);
    add_elements(rod, support, n, a);
    return CORD_OK;
}

CordResult modal_matrix_make(Memory* m, const Rod* rod, ModalMatrix* a, Message* message)
{
    Neighbours n = {0};
    *a = (ModalMatrix){.node_count = rod->line.node_count};
    int* support = supports_by_node(m, rod);
    a->unknown = memory_array(m, int, NODE_FREEDOMS*(size_t)a->node_count);
    CordResult result = CORD_NO_MEMORY;
    if (support && a->unknown && neighbours_make(m, rod, &n)) {
        a->unknowns = number_unknowns(rod, support, a->unknown);
        result = make_entries(m, rod, support, &n, a, message);
        neighbours_free(m, &n);
    } else {
        message_fail(message, result, "no memory for the matrix of rod '%s'", rod->name);
    }
    memory_array_free(m, support, a->node_count);
    if (result != CORD_OK) {
        modal_matrix_free(m, a);
    }
    return result;
}
