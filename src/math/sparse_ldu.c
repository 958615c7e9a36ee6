#include "math/sparse_ldu.h"

#include "base/assert.h"
#include "math/sparse_ldu_kernel.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// ---- minimum-degree order

// The elimination graph of the block rows: eliminating a node couples all its neighbours that are left
// (fill).
typedef struct Coupling {
    int ends[2];
    int next[2]; // next coupling of either end; -1: none
} Coupling;

typedef struct Graph {
    Memory* memory;
    int count;
    Coupling* couplings;
    int coupling_count, coupling_capacity;
    int* table; // hash of the two ends -> coupling + 1, 0: free
    int table_size;
    int* head;   // last coupling of a node, -1: none
    int* degree; // neighbours that are left
    int* heap;   // nodes that are left, least degree and then least number first
    int* slot;   // slot of a node in the heap; -1: eliminated
    int heap_count;
    const SparseLduPair* later; // constraints on the order
    int later_count;
    int* waits;       // nodes left that must come before a node
    int* first_later; // first constraint by the node that comes before; -1: none
    int* next_later;  // next constraint with the same one (later_count)
    int* around;      // neighbours of the node being eliminated
} Graph;

static int hash_slot(const Graph* g, int i, int j)
{
    uint64_t key = i < j ? (uint64_t)i << 32 | (uint64_t)j : (uint64_t)j << 32 | (uint64_t)i;
    return (int)((key * 0x9e3779b97f4a7c15u >> 32) & (uint64_t)(g->table_size - 1));
}

// Table entry of the coupling of i and j; 0 in it: there is none yet.
static int* table_find(const Graph* g, int i, int j)
{
    for (int s = hash_slot(g, i, j);; s = (s + 1) & (g->table_size - 1)) {
        const Coupling* coupling = g->table[s] > 0 ? &g->couplings[g->table[s] - 1] : NULL;
        if (!coupling || (coupling->ends[0] == i && coupling->ends[1] == j) ||
            (coupling->ends[0] == j && coupling->ends[1] == i)) {
            return &g->table[s];
        }
    }
}

static bool table_grow(Graph* g) // keeps it at most half full
{
    if (2 * (g->coupling_count + 1) <= g->table_size) {
        return true;
    }
    int size = g->table_size > 0 ? 2 * g->table_size : 64;
    int* table = memory_array(g->memory, int, size);
    if (!table) {
        return false;
    }
    memory_array_free(g->memory, g->table, g->table_size);
    g->table = table, g->table_size = size;
    for (int k = 0; k < g->coupling_count; k++) {
        *table_find(g, g->couplings[k].ends[0], g->couplings[k].ends[1]) = k + 1;
    }
    return true;
}

// False: no memory.
static bool couple(Graph* g, int i, int j)
{
    if (!table_grow(g) || !memory_grow(g->memory, (void**)&g->couplings, g->coupling_count,
                                       &g->coupling_capacity, sizeof *g->couplings)) {
        return false;
    }
    int* entry = table_find(g, i, j);
    if (*entry == 0) {
        int k = g->coupling_count++;
        g->couplings[k] = (Coupling){{i, j}, {g->head[i], g->head[j]}};
        g->head[i] = g->head[j] = k;
        g->degree[i]++, g->degree[j]++;
        *entry = k + 1;
    }
    return true;
}

// Nodes that must wait for others come last.
static bool comes_before(const Graph* g, int i, int j)
{
    if ((g->waits[i] > 0) != (g->waits[j] > 0)) {
        return g->waits[j] > 0;
    }
    return g->degree[i] != g->degree[j] ? g->degree[i] < g->degree[j] : i < j;
}

static void heap_put(Graph* g, int s, int i)
{
    g->heap[s] = i;
    g->slot[i] = s;
}

// Restores the heap after the degree of node i has changed.
static void heap_sift(Graph* g, int i)
{
    int s = g->slot[i];
    for (; s > 0 && comes_before(g, i, g->heap[(s - 1) / 2]); s = (s - 1) / 2) {
        heap_put(g, s, g->heap[(s - 1) / 2]);
    }
    for (int child = 2 * s + 1; child < g->heap_count; child = 2 * s + 1) {
        if (child + 1 < g->heap_count && comes_before(g, g->heap[child + 1], g->heap[child])) {
            child++;
        }
        if (!comes_before(g, g->heap[child], i)) {
            break;
        }
        heap_put(g, s, g->heap[child]);
        s = child;
    }
    heap_put(g, s, i);
}

static int heap_pop(Graph* g)
{
    int least = g->heap[0], last = g->heap[--g->heap_count];
    g->slot[least] = -1;
    if (last != least) {
        heap_put(g, 0, last);
        heap_sift(g, last);
    }
    return least;
}

// Lists the neighbours of i that are left in g->around. Returns how many there are.
static int neighbours(Graph* g, int i)
{
    int count = 0;
    for (int k = g->head[i]; k >= 0;) {
        const Coupling* coupling = &g->couplings[k];
        int side = coupling->ends[1] == i, other = coupling->ends[1 - side];
        if (g->slot[other] >= 0) {
            g->around[count++] = other;
        }
        k = coupling->next[side];
    }
    return count;
}

static bool eliminate(Graph* g, int i)
{
    int count = neighbours(g, i);
    for (int a = 0; a < count; a++) {
        g->degree[g->around[a]]--;
        for (int c = 0; c < a; c++) {
            if (!couple(g, g->around[a], g->around[c])) {
                return false;
            }
        }
    }
    for (int a = 0; a < count; a++) {
        heap_sift(g, g->around[a]);
    }
    for (int k = g->first_later[i]; k >= 0; k = g->next_later[k]) {
        if (--g->waits[g->later[k].i] == 0) {
            heap_sift(g, g->later[k].i);
        }
    }
    return true;
}

static void graph_destroy(Graph* g)
{
    memory_array_free(g->memory, g->couplings, g->coupling_capacity);
    memory_array_free(g->memory, g->table, g->table_size);
    memory_array_free(g->memory, g->head, g->count);
    memory_array_free(g->memory, g->degree, g->count);
    memory_array_free(g->memory, g->heap, g->count);
    memory_array_free(g->memory, g->slot, g->count);
    memory_array_free(g->memory, g->around, g->count);
    memory_array_free(g->memory, g->waits, g->count);
    memory_array_free(g->memory, g->first_later, g->count);
    memory_array_free(g->memory, g->next_later, g->later_count);
}

static void add_constraints(Graph* g)
{
    for (int i = 0; i < g->count; i++) {
        g->first_later[i] = -1;
    }
    for (int k = 0; k < g->later_count; k++) {
        SparseLduPair pair = g->later[k];
        CORD_ASSERT(pair.i != pair.j && pair.i >= 0 && pair.i < g->count && pair.j >= 0 && pair.j < g->count);
        g->waits[pair.i]++;
        g->next_later[k] = g->first_later[pair.j];
        g->first_later[pair.j] = k;
    }
}

static bool graph_create(Graph* g, const SparseLduPair* pairs, int pair_count)
{
    Memory* memory = g->memory;
    int count = g->count;
    g->head = memory_array(memory, int, count);
    g->degree = memory_array(memory, int, count);
    g->heap = memory_array(memory, int, count);
    g->slot = memory_array(memory, int, count);
    g->around = memory_array(memory, int, count);
    g->waits = memory_array(memory, int, count);
    g->first_later = memory_array(memory, int, count);
    g->next_later = memory_array(memory, int, g->later_count);
    if (!g->head || !g->degree || !g->heap || !g->slot || !g->around || !g->waits || !g->first_later ||
        !g->next_later) {
        return false;
    }
    add_constraints(g);
    for (int i = 0; i < count; i++) {
        g->head[i] = -1;
    }
    for (int k = 0; k < pair_count; k++) {
        SparseLduPair pair = pairs[k];
        CORD_ASSERT(pair.i != pair.j && pair.i >= 0 && pair.i < count && pair.j >= 0 && pair.j < count);
        if (!couple(g, pair.i, pair.j)) {
            return false;
        }
    }
    return true;
}

static bool order_by_degree(Graph* g, SparseLdu* b)
{
    for (int i = 0; i < g->count; i++) {
        heap_put(g, g->heap_count++, i);
        heap_sift(g, i);
    }
    for (int p = 0; p < g->count; p++) {
        int i = heap_pop(g);
        CORD_ASSERT(g->waits[i] == 0);
        b->order[p] = i;
        b->place[i] = p;
        if (!eliminate(g, i)) {
            return false;
        }
    }
    return true;
}

// ---- storage

// Counting sort of the edges by place of the earlier block row, then of the later.
static void sort_edges(const Graph* g, SparseLdu* b)
{
    for (int k = 0; k < g->coupling_count; k++) {
        int p = b->place[g->couplings[k].ends[0]], q = b->place[g->couplings[k].ends[1]];
        b->first[(p < q ? p : q) + 1]++;
    }
    for (int p = 0; p < b->count; p++) {
        b->first[p + 1] += b->first[p];
    }
    for (int q = 0; q < b->count; q++) {
        for (int i = b->order[q], k = g->head[i]; k >= 0;) {
            int side = g->couplings[k].ends[1] == i, p = b->place[g->couplings[k].ends[1 - side]];
            if (p < q) {
                b->later[b->first[p]++] = q; // first[p] ends up where first[p + 1] began
            }
            k = g->couplings[k].next[side];
        }
    }
    for (int p = b->count; p > 0; p--) {
        b->first[p] = b->first[p - 1];
    }
    b->first[0] = 0;
}

static void place_values(SparseLdu* b)
{
    size_t at = 0;
    for (int p = 0; p < b->count; p++) {
        int i = b->order[p];
        size_t size = (size_t)sparse_ldu_size(b, i), stride = (size_t)sparse_ldu_stride(b, i);
        b->square[p] = at;
        at += size * stride;
        for (int e = b->first[p]; e < b->first[p + 1]; e++) {
            int j = b->order[b->later[e]];
            b->edge[e] = at;
            at += size * (size_t)sparse_ldu_stride(b, j) + (size_t)sparse_ldu_size(b, j) * stride;
        }
    }
    b->value_count = at;
}

static CordResult create(SparseLdu* b, Graph* g, const int* sizes)
{
    b->offset = memory_array(b->memory, int, b->count + 1);
    b->place = memory_array(b->memory, int, b->count);
    b->order = memory_array(b->memory, int, b->count);
    b->size = memory_array(b->memory, int, b->count);
    b->first = memory_array(b->memory, int, b->count + 1);
    b->square = memory_array(b->memory, size_t, b->count);
    if (!b->offset || !b->place || !b->order || !b->size || !b->first || !b->square ||
        !order_by_degree(g, b)) {
        return CORD_NO_MEMORY;
    }
    for (int i = 0; i < b->count; i++) {
        CORD_ASSERT(sizes[i] >= 1 && sizes[i] <= SPARSE_LDU_MAX_SIZE);
        b->offset[i + 1] = b->offset[i] + sizes[i];
        b->size[b->place[i]] = sizes[i];
    }
    b->n = b->offset[b->count];
    b->edge_count = g->coupling_count;
    b->later = memory_array(b->memory, int, b->edge_count);
    b->edge = memory_array(b->memory, size_t, b->edge_count);
    b->inv = memory_array(b->memory, double, b->n);
    b->diag = memory_array(b->memory, double, b->n);
    if (!b->later || !b->edge || !b->inv || !b->diag) {
        return CORD_NO_MEMORY;
    }
    sort_edges(g, b);
    place_values(b);
    b->values = memory_array(b->memory, double, b->value_count);
    return b->values ? CORD_OK : CORD_NO_MEMORY;
}

CordResult sparse_ldu_create(Memory* memory, SparseLdu* b, const int* sizes, int count,
                             const SparseLduPair* pairs, int pair_count)
{
    return sparse_ldu_create_ordered(memory, b, sizes, count, pairs, pair_count, NULL, 0);
}

CordResult sparse_ldu_create_ordered(Memory* memory, SparseLdu* b, const int* sizes, int count,
                                     const SparseLduPair* pairs, int pair_count, const SparseLduPair* later,
                                     int later_count)
{
    Graph g = {.memory = memory, .count = count, .later = later, .later_count = later_count};
    *b = (SparseLdu){.memory = memory, .count = count};
    CordResult result = graph_create(&g, pairs, pair_count) ? create(b, &g, sizes) : CORD_NO_MEMORY;
    graph_destroy(&g);
    if (result != CORD_OK) {
        sparse_ldu_destroy(b);
    }
    return result;
}

void sparse_ldu_destroy(SparseLdu* b)
{
    memory_array_free(b->memory, b->offset, b->count + 1);
    memory_array_free(b->memory, b->place, b->count);
    memory_array_free(b->memory, b->order, b->count);
    memory_array_free(b->memory, b->size, b->count);
    memory_array_free(b->memory, b->first, b->count + 1);
    memory_array_free(b->memory, b->square, b->count);
    memory_array_free(b->memory, b->later, b->edge_count);
    memory_array_free(b->memory, b->edge, b->edge_count);
    memory_array_free(b->memory, b->inv, b->n);
    memory_array_free(b->memory, b->diag, b->n);
    memory_array_free(b->memory, b->values, b->value_count);
    *b = (SparseLdu){0};
}

void sparse_ldu_clear(SparseLdu* b)
{
    memset(b->values, 0, sizeof *b->values * b->value_count);
}

typedef struct Block {
    double* values; // row-major
    int rows;
    int stride; // distance between rows
} Block;

static Block square_at(const SparseLdu* b, int p)
{
    return (Block){b->values + b->square[p], b->size[p], sparse_ldu_padded(b->size[p])};
}

// The blocks of edge e of the block row at place p.
static Block upper_at(const SparseLdu* b, int p, int e)
{
    return (Block){b->values + b->edge[e], b->size[p], sparse_ldu_padded(b->size[b->later[e]])};
}

static Block lower_at(const SparseLdu* b, int p, int e)
{
    int rows = b->size[b->later[e]];
    return (Block){b->values + b->edge[e] + b->size[p] * sparse_ldu_padded(rows), rows,
                   sparse_ldu_padded(b->size[p])};
}

// The edge between two places; -1: there is none.
static int find_edge(const SparseLdu* b, int early, int late)
{
    int from = b->first[early], to = b->first[early + 1], end = to;
    while (from < to) {
        int middle = from + (to - from) / 2;
        if (b->later[middle] < late) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < end && b->later[from] == late ? from : -1;
}

bool sparse_ldu_pair_at(const SparseLdu* b, int i, int j, double* block[2])
{
    int p = b->place[i], q = b->place[j], early = p < q ? p : q, late = p < q ? q : p;
    if (p == q) {
        block[0] = block[1] = square_at(b, p).values;
        return true;
    }
    int e = find_edge(b, early, late);
    if (e < 0) {
        return false;
    }
    block[p < q ? 0 : 1] = upper_at(b, early, e).values;
    block[p < q ? 1 : 0] = lower_at(b, early, e).values;
    return true;
}

double* sparse_ldu_at(const SparseLdu* b, int i, int j)
{
    double* block[2];
    return sparse_ldu_pair_at(b, i, j, block) ? block[0] : NULL;
}

void sparse_ldu_add_outer(const SparseLdu* b, double* block, int rows, int j, double scale,
                          const double* left, const double* right)
{
    const SparseLduKernels* kernels = KERNEL_CHOOSE(sparse_ldu_kernels);
    kernels->add_outer(block, rows, sparse_ldu_stride(b, j), scale, left, right);
}

void sparse_ldu_add_outers(const SparseLdu* b, double* block, int rows, int columns, int j, int rank,
                           const double* left, const double* right)
{
    const SparseLduKernels* kernels = KERNEL_CHOOSE(sparse_ldu_kernels);
    kernels->add_outers(block, rows, columns, sparse_ldu_stride(b, j), rank, left, right);
}

// ---- factoring

static void save_diagonal(SparseLdu* b)
{
    for (int p = 0; p < b->count; p++) {
        Block square = square_at(b, p);
        for (int k = 0; k < square.rows; k++) {
            b->diag[b->offset[b->order[p]] + k] = square.values[k * square.stride + k];
        }
    }
}

// In elimination order, so that `where` is the first of equal ratios.
static LduPivots pivots_of(const SparseLdu* b)
{
    LduPivots pivots = {.where = b->n > 0 ? b->offset[b->order[0]] : -1};
    double worst = 1.0;
    for (int p = 0; p < b->count; p++) {
        for (int k = b->offset[b->order[p]]; k < b->offset[b->order[p] + 1]; k++) {
            double loss = fabs(b->diag[k] * b->inv[k]);
            loss = isnan(loss) ? INFINITY : loss;
            pivots.negative += b->inv[k] < 0.0;
            if (loss > worst) {
                worst = loss;
                pivots.where = k;
            }
        }
    }
    pivots.least = 1.0 / worst;
    return pivots;
}

LduPivots sparse_ldu_factor(SparseLdu* b)
{
    const SparseLduKernels* kernels = KERNEL_CHOOSE(sparse_ldu_kernels);
    save_diagonal(b);
    for (int p = 0; p < b->count; p++) {
        kernels->eliminate(b, p);
    }
    return pivots_of(b);
}

// ---- solving

void sparse_ldu_solve(const SparseLdu* b, double* r)
{
    const SparseLduKernels* kernels = KERNEL_CHOOSE(sparse_ldu_kernels);
    for (int p = 0; p < b->count; p++) {
        kernels->forward(b, p, r);
    }
    for (int p = b->count - 1; p >= 0; p--) {
        kernels->backward(b, p, r);
    }
}
