// Compliance W = J A^-1 J^T of the end of a step: columns of the inverse of the matrix that the direct solver
// factors. The four right-hand sides of one node are solved together by forward and back substitution. W is
// symmetric, so a column is needed only from its own node on.
#include "math/kernel.h"
#include "step/position_system.h"
#include "step/stepper.h"

#define OF_NODE 4 // unknowns, and right-hand sides, of a node

typedef struct Carried { // values of the unknowns in the front, for each right-hand side
    CordWide at[PBD_RING][OF_NODE];
} Carried;

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

// Adds a unit force on each unknown of the node that a lane asks for.
static void push_node(Carried* f, int first, const int node[WIDE_LANES], int i)
{
    for (int lane = 0; lane < WIDE_LANES; lane++) {
        for (int q = 0; node[lane] == i && q < OF_NODE; q++) {
            f->at[first + q][q][lane] += 1.0;
        }
    }
}

WIDE_INLINE void reduce(Carried* f, const CordWide* rows, int first, int size, CordWide* left)
{
    for (int q = 0; q < OF_NODE; q++) {
        const CordWide* row = rows + q * (size + 1);
        for (int c = 0; c < OF_NODE; c++) {
            CordWide y = f->at[first + q][c];
            left[OF_NODE * q + c] = y * row[first + q];
            for (int j = first + q + 1; j < size; j++) {
                f->at[j][c] -= row[j] * y;
            }
        }
    }
}

WIDE_INLINE void expand(Carried* f, const CordWide* rows, int first, int size, CordWide* left)
{
    for (int q = OF_NODE - 1; q >= 0; q--) {
        const CordWide* row = rows + q * (size + 1);
        for (int c = 0; c < OF_NODE; c++) {
            CordWide sum = left[OF_NODE * q + c];
            for (int j = first + q + 1; j < size; j++) {
                sum -= row[j] * f->at[j][c];
            }
            f->at[first + q][c] = left[OF_NODE * q + c] = sum;
        }
    }
}

WIDE_INLINE void step_on(Carried* f)
{
    for (int j = 0; j < PBD_FRONT; j++) {
        for (int c = 0; c < OF_NODE; c++) {
            f->at[j][c] = j + OF_NODE < PBD_FRONT ? f->at[j + OF_NODE][c] : wide_set(0.0);
        }
    }
}

WIDE_INLINE void step_back(Carried* f)
{
    for (int j = PBD_FRONT - 1; j >= OF_NODE; j--) {
        for (int c = 0; c < OF_NODE; c++) {
            f->at[j][c] = f->at[j - OF_NODE][c];
        }
    }
}

// Solves for the columns of the nodes that the lanes ask for, from node `from` on.
WIDE_INLINE void solve_columns(PbdLanes* p, const int node[WIDE_LANES], int from, int size, CordWide* columns)
{
    const int last = p->closed ? p->node_count - 2 : p->node_count, rows = OF_NODE * (size + 1);
    Carried f;
    memset(&f, 0, sizeof f);
    for (int i = last; i < p->node_count; i++) {
        push_node(&f, border_of(p, i), node, i);
    }
    for (int i = from; i < last; i++) {
        push_node(&f, 0, node, i);
        reduce(&f, p->rows + i * rows, 0, size, columns + i * OF_NODE * OF_NODE);
        step_on(&f);
    }
    for (int i = last; i < p->node_count; i++) {
        reduce(&f, p->rows + i * rows, border_of(p, i), size, columns + i * OF_NODE * OF_NODE);
    }
    for (int i = p->node_count - 1; i >= last; i--) {
        expand(&f, p->rows + i * rows, border_of(p, i), size, columns + i * OF_NODE * OF_NODE);
    }
    memset(&f, 0, sizeof(CordWide) * PBD_FRONT * OF_NODE);
    for (int i = last - 1; i >= from; i--) {
        expand(&f, p->rows + i * rows, 0, size, columns + i * OF_NODE * OF_NODE);
        step_back(&f);
    }
}

// Copies the columns of a lane's node into W, and by symmetry as rows.
static void take_columns(const Compliance* wanted, int k, int lane, double scale, const CordWide* columns)
{
    const int size = OF_NODE * wanted->count;
    for (int m = k; m < wanted->count; m++) {
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

void KERNEL(pbd_compliance)(PbdLanes* p, const Compliance* wanted, double scale, CordWide* columns)
{
    int most = 0;
    go_to_end(p);
    p->exact = (CordWideMask){-1, -1, -1, -1};
    assemble_exact(p);
    for (int lane = 0; lane < WIDE_LANES; lane++) {
        most = wanted[lane].count > most ? wanted[lane].count : most;
    }
    for (int k = 0; k < most; k++) {
        int node[WIDE_LANES], from = p->node_count - 1;
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            node[lane] = k < wanted[lane].count ? wanted[lane].node[k] : -1;
            from = node[lane] >= 0 && node[lane] < from ? node[lane] : from;
        }
        if (p->closed) {
            from = from < p->node_count - 2 ? from : p->node_count - 2;
            solve_columns(p, node, from, PBD_RING, columns);
        } else {
            solve_columns(p, node, from, PBD_FRONT, columns);
        }
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            if (node[lane] >= 0) {
                take_columns(&wanted[lane], k, lane, scale, columns);
            }
        }
    }
}
