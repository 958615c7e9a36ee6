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
    CordWide m[4][SINGLE_WIDES];
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

// ---- four corners in a row

#define GATHER(s, field) ((CordWide){(s)[0]->field[0], (s)[1]->field[0], (s)[2]->field[0], (s)[3]->field[0]})

// The frames of four edges from `first` on, and what their stretching and the corners before them need. Lanes
// past the last edge repeat it.
static inline PbdSlot four_in_a_row(const PbdLanes* p, int first)
{
    const PbdSlot* s[WIDE_LANES];
    PbdSlot four;
    for (int k = 0; k < WIDE_LANES; k++) {
        s[k] = &p->slots[first + k < p->edge_count ? first + k : p->edge_count - 1];
    }
    four.t = (Wide3){GATHER(s, t.x), GATHER(s, t.y), GATHER(s, t.z)};
    four.m1 = (Wide3){GATHER(s, m1.x), GATHER(s, m1.y), GATHER(s, m1.z)};
    four.length = GATHER(s, length), four.rest_length = GATHER(s, rest_length);
    four.now_length = GATHER(s, now_length), four.now_stretch = GATHER(s, now_stretch);
    four.tension = GATHER(s, tension);
    for (int k = 0; k < 4; k++) {
        four.now_K[k] = GATHER(s, now_K[k]);
    }
    for (int k = 0; k < 3; k++) {
        four.now_rest[k] = GATHER(s, now_rest[k]);
    }
    return four;
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

// What each of four nodes adds with the edge and the corner after it, and twice the energy of these corners.
static inline CordWide four_parts(const PbdLanes* p, int first, CordWide across, bool second,
                                  CornerPart* part)
{
    CordWide phi;
    PbdSlot here = four_in_a_row(p, first), next = four_in_a_row(p, first + 1);
    PbdFrame a = pbd_frame(&here), b = pbd_frame(&next);
    *part = part_at(p, &next, &a, &b, second, &phi);
    if (first + WIDE_LANES < p->edge_count) {
        add_stretch(part, &here, across);
        return phi;
    }
    int edges = p->edge_count - first; // no corner follows the last one
    keep_first(part, edges - 1);
    add_stretch(part, &here, across);
    keep_first(part, edges);
    return wide_select(wide_first(edges - 1), phi, wide_set(0.0));
}

// From a corner in each lane to a column in each lane.
static inline void split_front(const PbdFront* f, SingleFront four[WIDE_LANES])
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

static inline CordWide four_fronts(const PbdLanes* p, int first, CordWide across, bool second,
                                   SingleFront four[WIDE_LANES])
{
    CornerPart part;
    PbdFront f;
    CordWide phi = four_parts(p, first, across, second, &part);
    fill_front(&f, &part);
    split_front(&f, four);
    return phi;
}

// ---- elimination

// What is left of the nodes before, in the columns that they had: those of the next node on. The right-hand
// side stays in its column.
WIDE_INLINE void add_single_left(SingleFront* f, const SingleFront* left)
{
    const CordWideMask columns = wide_first(SINGLE_RIGHT);
#pragma GCC unroll 8
    for (int i = 0; i < PBD_LEFT; i++) {
        const CordWide* row = left->m[i + 4];
        if (i < 4) {
            f->m[i][0] += row[1];
        }
        f->m[i][1] = wide_select(columns, f->m[i][1] + row[2], f->m[i][1]);
        f->m[i][2] = wide_select(columns, f->m[i][2], f->m[i][2] + row[2]);
    }
}

WIDE_INLINE void add_to_lane(CordWide* to, int lane, CordWide value)
{
    CordWideMask others = wide_first(lane), until = wide_first(lane + 1);
    *to = wide_select(until & ~others, *to + value, *to);
}

WIDE_INLINE void add_single_own(SingleFront* f, const PbdSlot* s, bool railed)
{
    Own own = inertia_of(s);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        add_to_lane(&f->m[i][0], i, own.m[i]);
        add_to_lane(&f->m[i][2], SINGLE_RIGHT, own.right[i]);
    }
    if (railed) {
        CordWide m[6];
        Wide3 rail = rail_of(s, m);
        const CordWide force[3] = {rail.x, rail.y, rail.z};
#pragma GCC unroll 3
        for (int i = 0; i < 3; i++) {
#pragma GCC unroll 3
            for (int j = i; j < 3; j++) {
                add_to_lane(&f->m[i][0], j, m[place[i][j]]);
            }
            add_to_lane(&f->m[i][2], SINGLE_RIGHT, force[i]);
        }
    }
}

// front_eliminate with columns in the lanes. What is left stays in the rows from 4 on. Values that the next
// pivot waits for are local, and not read back from memory.
WIDE_INLINE void eliminate_single(SingleFront* f, SingleRows* rows)
{
    CordWide y[4][SINGLE_WIDES], l[4][SINGLE_WIDES];
    double inv[4];
#pragma GCC unroll 4
    for (int p = 0; p < 4; p++) {
#pragma GCC unroll 3
        for (int b = 0; b < SINGLE_WIDES; b++) {
            y[p][b] = f->m[p][b];
#pragma GCC unroll 4
            for (int k = 0; k < p; k++) {
                y[p][b] -= wide_set(l[k][0][p]) * y[k][b];
            }
        }
        double pivot = y[p][0][p], least = PBD_LEAST_PIVOT * f->m[p][0][p];
        inv[p] = 1.0 / (least <= pivot ? pivot : least);
#pragma GCC unroll 3
        for (int b = 0; b < SINGLE_WIDES; b++) {
            l[p][b] = rows->m[p][b] = y[p][b] * wide_set(inv[p]);
        }
    }
    rows->inverse_pivots = (CordWide){inv[0], inv[1], inv[2], inv[3]};
#pragma GCC unroll 11
    for (int i = 4; i < PBD_FRONT; i++) {
#pragma GCC unroll 3
        for (int b = i / 4; b < SINGLE_WIDES; b++) {
            CordWide sum = f->m[i][b];
#pragma GCC unroll 4
            for (int k = 0; k < 4; k++) {
                sum -= wide_set(l[k][i / 4][i % 4]) * y[k][b];
            }
            f->m[i][b] = sum;
        }
    }
}

// Eliminates while it assembles; returns twice Phi.
static inline CordWide assemble_single(PbdLanes* p)
{
    const CordWide across = least_across(p);
    const bool second = wide_any(p->exact);
    Merit sum = {wide_set(0.0), wide_set(0.0), wide_set(0.0)};
    SingleFront fronts[2][WIDE_LANES]; // of four nodes, and of the four before them
    const SingleFront* left = &fronts[1][WIDE_LANES - 1];
    CordWide phi = wide_set(0.0);
    memset(fronts, 0, sizeof fronts);
    for (int i = 0; i < p->node_count; i++) {
        const PbdSlot* s = &p->slots[i];
        int lane = i % WIDE_LANES;
        SingleFront* four = fronts[i / WIDE_LANES % 2];
        if (lane == 0) {
            phi = four_fronts(p, i, across, second, four);
        }
        sum.nodes += node_merit(s, p->railed);
        sum.edges += i < p->edge_count ? edge_merit(s) : wide_set(0.0);
        sum.corners += wide_set(phi[lane]);
        add_single_left(&four[lane], left);
        add_single_own(&four[lane], s, p->railed);
        eliminate_single(&four[lane], &single_rows(p)[i]);
        left = &four[lane];
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

static inline void solve_single(PbdLanes* p)
{
    double known[PBD_FRONT] = {0.0};
    for (int i = p->node_count - 1; i >= 0; i--) {
        const SingleRows* rows = &single_rows(p)[i];
        for (int q = 3; q >= 0; q--) {
            double sum = rows->m[q][2][SINGLE_RIGHT];
#pragma GCC unroll 11
            for (int j = q + 1; j < PBD_FRONT; j++) {
                sum -= rows->m[q][j / 4][j % 4] * known[j];
            }
            known[q] = sum;
            p->slots[i].step[q] = wide_set(sum);
        }
        for (int j = PBD_FRONT - 1; j >= 4; j--) {
            known[j] = known[j - 4];
        }
    }
}

#endif
