// Compliance W = J A^-1 J^T of the end of a step: entries of the inverse Z of the matrix A = L D L^T that the
// direct solver factors. Z = D^-1 L^-1 + (1 - L^T) Z gives its rows from the last one on, without forward
// substitution (Takahashi, Fagan and Chin 1973): first those entries that lie in the front of each node, and
// then the columns that are asked for, from their own node back. W is symmetric, so that is enough.
#include "math/kernel.h"
#include "step/position_system.h"
#include "step/stepper.h"

#define OF_NODE 4 // unknowns, and right-hand sides, of a node

typedef struct Carried { // values of the unknowns in the front, for each right-hand side
    CordWide at[PBD_RING][OF_NODE];
} Carried;

typedef struct Inverse { // entries of Z of the unknowns in the front
    CordWide at[PBD_RING][PBD_RING];
} Inverse;

// Moves the frames to the end of the step.
static void go_to_end(PbdLanes* p)
{
    const CordWideMask all = {-1, -1, -1, -1};
    pbd_resist(p);
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* s = &p->slots[i];
        s->goal = s->x;
        s->turn_goal = s->turn;
        s->kept_turn = wide_set(0.0);
    }
    for (int i = 0; i < p->edge_count; i++) {
        pbd_follow(&p->slots[i], &p->slots[pbd_next(p, i)], all);
    }
}

// First unknown of a ring's border node in the front, or 0.
static int border_of(const PbdLanes* p, int node)
{
    int border = node - (p->node_count - 2);
    return p->closed && border >= 0 ? PBD_FRONT + OF_NODE * border : 0;
}

// Finds the entries of a node's four unknowns, which begin at `first`, with themselves and all later ones.
WIDE_INLINE void invert_node(Inverse* z, const CordWide* rows, int first, int size)
{
    for (int q = OF_NODE - 1; q >= 0; q--) {
        const CordWide* row = rows + q * (size + 1);
        int i = first + q;
        for (int j = i + 1; j < size; j++) {
            CordWide sum = wide_set(0.0);
            for (int k = i + 1; k < size; k++) {
                sum -= row[k] * z->at[k][j];
            }
            z->at[i][j] = z->at[j][i] = sum;
        }
        CordWide sum = row[i]; // 1 / D
        for (int k = i + 1; k < size; k++) {
            sum -= row[k] * z->at[k][i];
        }
        z->at[i][i] = sum;
    }
}

// Moves the front to the node before. The border of a ring stays.
WIDE_INLINE void move_back(Inverse* z, int size)
{
    for (int i = PBD_FRONT - 1; i >= OF_NODE; i--) {
        for (int j = PBD_FRONT - 1; j >= OF_NODE; j--) {
            z->at[i][j] = z->at[i - OF_NODE][j - OF_NODE];
        }
        for (int j = PBD_FRONT; j < size; j++) {
            z->at[i][j] = z->at[j][i] = z->at[i - OF_NODE][j];
        }
    }
}

// Stores the columns of a node as far as the front goes.
WIDE_INLINE void store_seed(const Inverse* z, int first, int size, CordWide* seed)
{
    for (int j = 0; j < size; j++) {
        for (int c = 0; c < OF_NODE; c++) {
            seed[OF_NODE * j + c] = z->at[j][first + c];
        }
    }
}

// A seed for each node: the columns of its unknowns in its own front.
WIDE_INLINE void find_seeds(const PbdLanes* p, int size, CordWide* seeds)
{
    const int last = p->closed ? p->node_count - 2 : p->node_count, rows = OF_NODE * (size + 1);
    Inverse z;
    memset(&z, 0, sizeof z);
    for (int i = p->node_count - 1; i >= last; i--) {
        invert_node(&z, p->rows + i * rows, border_of(p, i), size);
    }
    for (int i = last; i < p->node_count; i++) {
        store_seed(&z, border_of(p, i), size, seeds + i * OF_NODE * size);
    }
    for (int i = last - 1; i >= 0; i--) {
        invert_node(&z, p->rows + i * rows, 0, size);
        store_seed(&z, 0, size, seeds + i * OF_NODE * size);
        move_back(&z, size);
    }
}

// Starts the columns with the node's seed, in the lanes that ask for this node.
static void plant_seed(Carried* f, const int node[WIDE_LANES], int i, int size, const CordWide* seeds)
{
    for (int lane = 0; lane < WIDE_LANES; lane++) {
        for (int j = 0; node[lane] == i && j < OF_NODE * size; j++) {
            f->at[j / OF_NODE][j % OF_NODE][lane] = seeds[i * OF_NODE * size + j][lane];
        }
    }
}

// The next rows of the columns: L^T Z = 0 before their own node.
WIDE_INLINE void expand(Carried* f, const CordWide* rows, int size)
{
    for (int q = OF_NODE - 1; q >= 0; q--) {
        const CordWide* row = rows + q * (size + 1);
        for (int c = 0; c < OF_NODE; c++) {
            CordWide sum = wide_set(0.0);
            for (int j = q + 1; j < size; j++) {
                sum -= row[j] * f->at[j][c];
            }
            f->at[q][c] = sum;
        }
    }
}

static void store_rows(const Carried* f, int first, CordWide* columns)
{
    memcpy(columns, f->at[first], sizeof *columns * OF_NODE * OF_NODE);
}

WIDE_INLINE void step_back(Carried* f)
{
    for (int j = PBD_FRONT - 1; j >= OF_NODE; j--) {
        for (int c = 0; c < OF_NODE; c++) {
            f->at[j][c] = f->at[j - OF_NODE][c];
        }
    }
}

// Columns of the nodes that the lanes ask for, from these back to node `to`. All that lies after them is 0.
WIDE_INLINE void find_columns(const PbdLanes* p, const int node[WIDE_LANES], int to, int size,
                              const CordWide* seeds, CordWide* columns)
{
    const int last = p->closed ? p->node_count - 2 : p->node_count, rows = OF_NODE * (size + 1);
    int from = 0;
    for (int lane = 0; lane < WIDE_LANES; lane++) {
        from = node[lane] > from ? node[lane] : from;
    }
    Carried f;
    memset(&f, 0, sizeof f);
    for (int i = last; i < p->node_count; i++) {
        plant_seed(&f, node, i, size, seeds);
    }
    for (int i = last; i < p->node_count; i++) {
        store_rows(&f, border_of(p, i), columns + i * OF_NODE * OF_NODE);
    }
    for (int i = from < last ? from : last - 1; i >= to; i--) {
        expand(&f, p->rows + i * rows, size);
        plant_seed(&f, node, i, size, seeds);
        store_rows(&f, 0, columns + i * OF_NODE * OF_NODE);
        step_back(&f);
    }
}

// Copies the columns of a lane's node into W, and by symmetry as rows.
static void take_columns(const Compliance* wanted, int k, int lane, double scale, const CordWide* columns)
{
    const int size = OF_NODE * wanted->count;
    for (int m = 0; m <= k; m++) {
        const CordWide* from = columns + wanted->node[m] * OF_NODE * OF_NODE;
        for (int q = 0; q < OF_NODE; q++) {
            for (int c = 0; c < OF_NODE; c++) {
                double value = from[OF_NODE * q + c][lane] * scale;
                wanted->W[(OF_NODE * k + c) * size + OF_NODE * m + q] = value;
                wanted->W[(OF_NODE * m + q) * size + OF_NODE * k + c] = value;
            }
        }
    }
}

// Written out for the two sizes of a front, so that their loops are known when they are compiled.
WIDE_INLINE void find_all(const PbdLanes* p, const Compliance* wanted, double scale, int size,
                          CordWide* columns)
{
    CordWide* seeds = columns + OF_NODE * OF_NODE * p->node_count;
    int most = 0, to = p->node_count - 1;
    for (int lane = 0; lane < WIDE_LANES; lane++) {
        most = wanted[lane].count > most ? wanted[lane].count : most;
        to = wanted[lane].count > 0 && wanted[lane].node[0] < to ? wanted[lane].node[0] : to;
    }
    find_seeds(p, size, seeds);
    for (int k = 0; k < most; k++) {
        int node[WIDE_LANES];
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            node[lane] = k < wanted[lane].count ? wanted[lane].node[k] : -1;
        }
        find_columns(p, node, to, size, seeds, columns);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            if (node[lane] >= 0) {
                take_columns(&wanted[lane], k, lane, scale, columns);
            }
        }
    }
}

void KERNEL(pbd_compliance)(PbdLanes* p, const Compliance* wanted, double scale, CordWide* columns)
{
    go_to_end(p);
    p->exact = (CordWideMask){-1, -1, -1, -1};
    assemble_exact(p);
    if (p->closed) {
        find_all(p, wanted, scale, PBD_RING, columns);
    } else {
        find_all(p, wanted, scale, PBD_FRONT, columns);
    }
}
