// The linear system of a single open rod (position_corner.h). With the same rod in all lanes every lane would
// do the same work. Instead, each lane takes a corner of its own, of four in a row, and the elimination of a
// node has the columns of the front in its lanes. Every number comes from the same operations in the same
// order as for four rods side by side, so that a rod has the same bits in either case. Only kernels include
// this file.
#ifndef CORD_STEP_POSITION_SINGLE_H
#define CORD_STEP_POSITION_SINGLE_H

#include "step/position_corner.h"

#define SINGLE_WIDES 3 // in a row of the front: its eleven columns, and the right-hand side
#define SINGLE_RIGHT 3 // lane of the right-hand side in the last of them

// Row i is there from the wide value with its diagonal on.
typedef struct SingleFront {
    CordWide m[PBD_FRONT][SINGLE_WIDES];
} SingleFront;

typedef struct SingleRows { // of the LDL^T factors, for a node
    double l[4][4];         // in the columns of the node itself, above the diagonal
    CordWide m[4][2];       // in the other columns, and the right-hand side
    CordWide inverse_pivots;
} SingleRows;

WIDE_INLINE bool is_single(const PbdLanes* p)
{
    return p->single && !p->closed;
}

WIDE_INLINE SingleRows* single_rows(const PbdLanes* p) // in the memory of p->rows, which is larger
{
    return (SingleRows*)p->rows;
}

#define GATHER(s, field) ((CordWide){(s)[0]->field[0], (s)[1]->field[0], (s)[2]->field[0], (s)[3]->field[0]})
#define GATHER3(s, field) ((Wide3){GATHER(s, field.x), GATHER(s, field.y), GATHER(s, field.z)})

WIDE_INLINE Wide3 spread3(Wide3 a, int lane) // to all lanes
{
    return (Wide3){wide_set(a.x[lane]), wide_set(a.y[lane]), wide_set(a.z[lane])};
}

// ---- four frames in a row

static inline void follow_single(PbdLanes* p, CordWideMask goes)
{
    for (int first = 0; first < p->edge_count; first += WIDE_LANES) {
        PbdSlot *s[WIDE_LANES], *after[WIDE_LANES], here, next;
        for (int k = 0; k < WIDE_LANES; k++) { // lanes past the last edge repeat it
            s[k] = &p->slots[first + k < p->edge_count ? first + k : p->edge_count - 1];
            after[k] = s[k] + 1;
        }
        here.x = GATHER3(s, x), next.x = GATHER3(after, x);
        here.kept_t = GATHER3(s, kept_t), here.kept_m1 = GATHER3(s, kept_m1);
        here.rest_length = GATHER(s, rest_length);
        here.turn = GATHER(s, turn), here.kept_turn = GATHER(s, kept_turn);
        pbd_follow(&here, &next, goes);
        for (int k = 0; k < WIDE_LANES; k++) {
            s[k]->t = spread3(here.t, k), s[k]->m1 = spread3(here.m1, k);
            s[k]->length = wide_set(here.length[k]);
        }
    }
}

// ---- four corners in a row

// The frames of four edges from `first` on, and what their stretching and the corners before them need. Lanes
// past the last edge repeat it.
WIDE_INLINE void four_in_a_row(const PbdLanes* p, int first, PbdSlot* four)
{
    const PbdSlot* s[WIDE_LANES];
    for (int k = 0; k < WIDE_LANES; k++) {
        s[k] = &p->slots[first + k < p->edge_count ? first + k : p->edge_count - 1];
    }
    four->t = GATHER3(s, t), four->m1 = GATHER3(s, m1);
    four->length = GATHER(s, length), four->rest_length = GATHER(s, rest_length);
    four->now_length = GATHER(s, now_length), four->now_stretch = GATHER(s, now_stretch);
    four->tension = GATHER(s, tension);
    for (int k = 0; k < 4; k++) {
        four->now_K[k] = GATHER(s, now_K[k]);
    }
    for (int k = 0; k < 3; k++) {
        four->now_rest[k] = GATHER(s, now_rest[k]);
    }
}

static inline void keep_first(CornerPart* part, int count) // the other lanes become zero
{
    CordWide value, zero = wide_set(0.0);
    for (size_t k = 0; k < sizeof *part; k += sizeof value) {
        memcpy(&value, (char*)part + k, sizeof value);
        value = wide_select(wide_first(count), value, zero);
        memcpy((char*)part + k, &value, sizeof value);
    }
}

// From a corner in each lane to a column in each lane.
WIDE_INLINE void split_front(const PbdFront* f, SingleFront four[WIDE_LANES])
{
#pragma GCC unroll 11
    for (int i = 0; i < PBD_FRONT; i++) {
#pragma GCC unroll 3
        for (int b = i / 4; b < SINGLE_WIDES; b++) {
            CordWide columns[4];
#pragma GCC unroll 4
            for (int k = 0; k < 4; k++) {
                int j = 4 * b + k;
                columns[k] = j == PBD_FRONT ? f->right[i] : j < i ? wide_set(0.0) : f->m[i][j];
            }
            wide_transpose(columns);
#pragma GCC unroll 4
            for (int k = 0; k < WIDE_LANES; k++) {
                four[k].m[i][b] = columns[k];
            }
        }
    }
}

// What each of four nodes adds with the edge and the corner after it. Returns twice the energy of these
// corners.
static inline CordWide four_fronts(const PbdLanes* p, int first, CordWide across, bool second,
                                   SingleFront four[WIDE_LANES])
{
    PbdSlot here, next;
    PbdFront f;
    CordWide phi;
    four_in_a_row(p, first, &here), four_in_a_row(p, first + 1, &next);
    PbdFrame a = pbd_frame(&here), b = pbd_frame(&next);
    CornerPart part = part_at(p, &next, &a, &b, second, &phi);
    int edges = p->edge_count - first; // no corner follows the last one
    if (edges <= WIDE_LANES) {
        keep_first(&part, edges - 1);
        phi = wide_select(wide_first(edges - 1), phi, wide_set(0.0));
    }
    add_stretch(&part, &here, across);
    if (edges < WIDE_LANES) {
        keep_first(&part, edges);
    }
    fill_front(&f, &part);
    split_front(&f, four);
    return phi;
}

// ---- elimination

typedef struct SingleLeft { // Schur complement on the unknowns from the next node on, and the right-hand side
    CordWide m[PBD_LEFT][2];
} SingleLeft;

// Row i of the front from its second wide value on, with what is left of the nodes before. The right-hand
// side stays in its column.
WIDE_INLINE void row_with_left(const SingleFront* f, const SingleLeft* left, int i, CordWide row[2])
{
    const CordWideMask columns = wide_first(SINGLE_RIGHT);
    row[0] = f->m[i][1], row[1] = f->m[i][2];
    if (i < PBD_LEFT) {
        row[0] = wide_select(columns, row[0] + left->m[i][1], row[0]);
        row[1] = wide_select(columns, row[1], row[1] + left->m[i][1]);
    }
}

WIDE_INLINE void add_right(CordWide row[2], CordWide value)
{
    row[1] = wide_select(wide_first(SINGLE_RIGHT), row[1], row[1] + value);
}

// Adds what the node has of its own: to its own columns, and to the right-hand side.
WIDE_INLINE void add_single_own(double own_columns[4][4], CordWide rows[4][2], const PbdSlot* s, bool railed)
{
    Own own = inertia_of(s);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        own_columns[i][i] += own.m[i][0];
        add_right(rows[i], own.right[i]);
    }
    if (railed) {
        CordWide m[6];
        Wide3 rail = rail_of(s, m);
        const CordWide force[3] = {rail.x, rail.y, rail.z};
#pragma GCC unroll 3
        for (int i = 0; i < 3; i++) {
#pragma GCC unroll 3
            for (int j = i; j < 3; j++) {
                own_columns[i][j] += m[place[i][j]][0];
            }
            add_right(rows[i], force[i]);
        }
    }
}

// Eliminates the pivot block: y becomes D L^T, with l and the inverse pivots in `rows`. Each pivot waits for
// the one before, which takes longer than all other arithmetic of a node. Plain numbers need no shuffles on
// the way.
WIDE_INLINE void eliminate_pivots(double y[4][4], SingleRows* rows, double l[4][4], double inv[4])
{
#pragma GCC unroll 4
    for (int p = 0; p < 4; p++) {
        double least = PBD_LEAST_PIVOT * y[p][p];
#pragma GCC unroll 4
        for (int q = p; q < 4; q++) {
#pragma GCC unroll 4
            for (int k = 0; k < p; k++) {
                y[p][q] -= l[k][p] * y[k][q];
            }
        }
        inv[p] = 1.0 / (least <= y[p][p] ? y[p][p] : least);
#pragma GCC unroll 4
        for (int q = p + 1; q < 4; q++) {
            l[p][q] = y[p][q] * inv[p];
            rows->l[p][q] = l[p][q];
        }
    }
    rows->inverse_pivots = (CordWide){inv[0], inv[1], inv[2], inv[3]};
}

// front_eliminate with columns in the lanes.
WIDE_INLINE void eliminate_single(const SingleFront* f, const PbdSlot* s, bool railed, SingleLeft* left,
                                  SingleRows* rows)
{
    CordWide y[4][2], u[4][2];
    double d[4][4], l[4][4], inv[4];
#pragma GCC unroll 4
    for (int p = 0; p < 4; p++) {
#pragma GCC unroll 4
        for (int q = p; q < 4; q++) {
            d[p][q] = f->m[p][0][q] + left->m[p][0][q];
        }
        row_with_left(f, left, p, y[p]);
    }
    add_single_own(d, y, s, railed);
    eliminate_pivots(d, rows, l, inv);
#pragma GCC unroll 4
    for (int p = 0; p < 4; p++) {
#pragma GCC unroll 2
        for (int b = 0; b < 2; b++) {
#pragma GCC unroll 4
            for (int k = 0; k < p; k++) {
                y[p][b] -= wide_set(l[k][p]) * y[k][b];
            }
            u[p][b] = y[p][b] * wide_set(inv[p]);
            rows->m[p][b] = u[p][b];
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < PBD_LEFT; i++) {
        CordWide row[2];
        row_with_left(f, left, i + 4, row);
#pragma GCC unroll 2
        for (int b = i / 4; b < 2; b++) {
#pragma GCC unroll 4
            for (int k = 0; k < 4; k++) {
                row[b] -= wide_set(u[k][i / 4][i % 4]) * y[k][b];
            }
            left->m[i][b] = row[b];
        }
    }
}

// Eliminates while it assembles; returns twice Phi.
static inline CordWide assemble_single(PbdLanes* p)
{
    const CordWide across = least_across(p);
    const bool second = wide_any(p->exact);
    Merit sum = {wide_set(0.0), wide_set(0.0), wide_set(0.0)};
    SingleFront four[WIDE_LANES];
    SingleLeft left;
    CordWide phi = wide_set(0.0);
    memset(&left, 0, sizeof left);
    for (int i = 0; i < p->node_count; i++) {
        const PbdSlot* s = &p->slots[i];
        int lane = i % WIDE_LANES;
        if (lane == 0) {
            phi = four_fronts(p, i, across, second, four);
        }
        sum.nodes += node_merit(s, p->railed);
        sum.edges += i < p->edge_count ? edge_merit(s) : wide_set(0.0);
        sum.corners += wide_set(phi[lane]);
        eliminate_single(&four[lane], s, p->railed, &left, &single_rows(p)[i]);
    }
    return merit_sum(&sum);
}

static inline CordWideMask single_is_indefinite(const PbdLanes* p)
{
    CordWideMask safe = {-1, -1, -1, -1};
    for (int i = 0; i < p->node_count; i++) {
        CordWide inertia = wide_select(wide_first(3), p->slots[i].inertia, p->slots[i].spin_inertia);
        safe &= pivot_is_safe(single_rows(p)[i].inverse_pivots, inertia);
    }
    return wide_all(safe) ? (CordWideMask){0, 0, 0, 0} : (CordWideMask){-1, -1, -1, -1};
}

// ---- back substitution

static inline void solve_single(PbdLanes* p, StepSize* size)
{
    double known[PBD_FRONT] = {0.0};
    for (int i = p->node_count - 1; i >= 0; i--) {
        const SingleRows* rows = &single_rows(p)[i];
        for (int q = 3; q >= 0; q--) {
            double sum = rows->m[q][1][SINGLE_RIGHT];
#pragma GCC unroll 11
            for (int j = q + 1; j < PBD_FRONT; j++) {
                sum -= (j < 4 ? rows->l[q][j] : rows->m[q][j / 4 - 1][j % 4]) * known[j];
            }
            known[q] = sum;
            p->slots[i].step[q] = wide_set(sum);
        }
        add_step(size, p->slots[i].step);
        for (int j = PBD_FRONT - 1; j >= 4; j--) {
            known[j] = known[j - 4];
        }
    }
}

#endif
