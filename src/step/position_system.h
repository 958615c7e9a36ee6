// The linear system of all constraints along a rod (position_corner.h), eliminated as it is assembled. Only
// kernels include this file.
#ifndef CORD_STEP_POSITION_SYSTEM_H
#define CORD_STEP_POSITION_SYSTEM_H

#include "step/position_single.h"

// ---- the front of a ring: `a`, `b` and `c` are the first unknowns of the node before a corner, of its own
// node, and of the next

WIDE_INLINE void add_at(PbdRing* f, int i, int j, CordWide value)
{
    *(i <= j ? &f->m[i][j] : &f->m[j][i]) += value;
}

static inline void add_ring_part(PbdRing* ring, const CornerPart* p, int a, int b, int c)
{
    PbdFront f;
    const int from[3] = {a, b, c};
    fill_front(&f, p);
    for (int i = 0; i < PBD_FRONT; i++) {
        int row = from[i / 4] + i % 4;
        ring->right[row] += f.right[i];
        for (int j = i; j < PBD_FRONT; j++) {
            add_at(ring, row, from[j / 4] + j % 4, f.m[i][j]);
        }
    }
}

static inline void add_ring_own(PbdRing* f, const PbdSlot* s, int a)
{
    CordWide m[6];
    Own own = inertia_of(s);
    Wide3 rail = rail_of(s, m);
    const CordWide force[4] = {rail.x, rail.y, rail.z, wide_set(0.0)};
    for (int i = 0; i < 4; i++) {
        f->m[a + i][a + i] += own.m[i];
        f->right[a + i] += own.right[i] + force[i];
    }
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            f->m[a + i][a + j] += m[place[i][j]];
        }
    }
}

// ---- the system

// Eliminates while it assembles; returns twice Phi.
static inline CordWide assemble_open(PbdLanes* p)
{
    const int rows = 4 * pbd_row_size(false);
    const CordWide across = least_across(p);
    const bool second = wide_any(p->exact);
    Merit sum = {wide_set(0.0), wide_set(0.0), wide_set(0.0)};
    PbdFront f;
    PbdLeft left;
    memset(&left, 0, sizeof left);
    PbdFrame a = pbd_frame(&p->slots[0]);
    for (int i = 0; i < p->node_count; i++) {
        const PbdSlot* s = &p->slots[i];
        CornerPart part = no_part();
        sum.nodes += node_merit(s, p->railed);
        if (i + 1 < p->edge_count) {
            PbdFrame b = pbd_frame(&p->slots[i + 1]);
            CordWide phi;
            part = part_at(p, s + 1, &a, &b, second, &phi);
            sum.corners += phi;
            a = b;
        }
        if (i < p->edge_count) {
            sum.edges += edge_merit(s);
            add_stretch(&part, s, across);
        }
        fill_front(&f, &part);
        add_left(&f, &left);
        add_own(&f, s, p->railed);
        front_eliminate(&f, p->rows + i * rows, &left);
    }
    return merit_sum(&sum);
}

static inline int front_index(const PbdLanes* p, int node, int base) // index in the front of a ring
{
    int border = node - (p->node_count - 2);
    return border >= 0 ? PBD_FRONT + 4 * border : 4 * (node - base);
}

// Adds the corner at a node and the edge before it.
static inline void add_ring_corner(PbdLanes* p, PbdRing* f, int i, int base)
{
    CordWide unused;
    int before = pbd_before(p, i), after = pbd_next(p, i);
    PbdFrame a = pbd_frame(&p->slots[before]), b = pbd_frame_after(p, i);
    CornerPart part = part_at(p, &p->slots[i], &a, &b, wide_any(p->exact), &unused);
    add_stretch(&part, &p->slots[before], least_across(p));
    add_ring_part(f, &part, front_index(p, before, base), front_index(p, i, base),
                  front_index(p, after, base));
}

static inline CordWide assemble_ring(PbdLanes* p)
{
    PbdRing f;
    const int count = p->node_count, inner = count - 2, rows = 4 * pbd_row_size(true);
    memset(&f, 0, sizeof f);
    add_ring_corner(p, &f, 0, 0);
    add_ring_corner(p, &f, count - 1, 0);
    add_ring_own(&f, &p->slots[inner], PBD_FRONT);
    add_ring_own(&f, &p->slots[inner + 1], PBD_FRONT + 4);
    for (int i = 0; i < inner; i++) {
        add_ring_own(&f, &p->slots[i], 0);
        add_ring_corner(p, &f, i + 1, i);
        for (int k = 4; i + 1 == inner && k < PBD_FRONT; k++) { // unknowns past the last inner node
            f.m[k][k] = wide_set(1.0);
        }
        ring_eliminate(&f, 0, p->rows + i * rows);
        ring_advance(&f);
    }
    ring_eliminate(&f, PBD_FRONT, p->rows + inner * rows);
    ring_eliminate(&f, PBD_FRONT + 4, p->rows + (inner + 1) * rows);
    return merit(p);
}

static inline CordWide assemble(PbdLanes* p)
{
    return p->closed ? assemble_ring(p) : is_single(p) ? assemble_single(p) : assemble_open(p);
}

static inline CordWideMask is_indefinite(const PbdLanes* p)
{
    const int size = pbd_row_size(p->closed), inner = p->closed ? p->node_count - 2 : p->node_count;
    CordWideMask safe = {-1, -1, -1, -1};
    for (int i = 0; i < p->node_count; i++) {
        int first = i < inner ? 0 : PBD_FRONT + 4 * (i - inner);
        for (int q = 0; q < 4; q++) {
            CordWide inv = p->rows[(4 * i + q) * size + first + q];
            safe &= pivot_is_safe(inv, q < 3 ? p->slots[i].inertia : p->slots[i].spin_inertia);
        }
    }
    return ~safe;
}

// Assembles with second derivatives in the lanes of p->exact, unless they are not safely positive definite.
static inline CordWide assemble_exact(PbdLanes* p)
{
    CordWide phi = assemble(p);
    CordWideMask back = wide_any(p->exact)
                            ? p->exact & (is_single(p) ? single_is_indefinite(p) : is_indefinite(p))
                            : p->exact;
    if (wide_any(back)) {
        p->exact &= ~back;
        return assemble(p);
    }
    return phi;
}

// ---- back substitution

WIDE_INLINE void back_substitute(PbdLanes* p, int node, int first, int size, CordWide known[PBD_RING],
                                 StepSize* step)
{
    const CordWide* rows = p->rows + 4 * (size + 1) * node;
    for (int q = 3; q >= 0; q--) {
        const CordWide* row = rows + q * (size + 1);
        CordWide sum = row[size];
#pragma GCC unroll 19
        for (int j = first + q + 1; j < size; j++) {
            sum -= row[j] * known[j];
        }
        known[first + q] = sum;
        p->slots[node].step[q] = sum;
    }
    add_step(step, p->slots[node].step);
}

WIDE_INLINE void solve_from(PbdLanes* p, int last, int size, CordWide known[PBD_RING], StepSize* step)
{
    for (int i = last; i >= 0; i--) {
        back_substitute(p, i, 0, size, known, step);
        for (int j = PBD_FRONT - 1; j >= 4; j--) {
            known[j] = known[j - 4];
        }
    }
}

// Returns the largest motion of a node over the mean edge, or rotation of a frame, whichever is larger.
static inline CordWide solve(PbdLanes* p)
{
    CordWide known[PBD_RING];
    StepSize step = {wide_set(0.0), wide_set(0.0)};
    int inner = p->node_count - 2;
    for (int j = 0; j < PBD_RING; j++) {
        known[j] = wide_set(0.0);
    }
    if (p->closed) {
        back_substitute(p, inner + 1, PBD_FRONT + 4, PBD_RING, known, &step);
        back_substitute(p, inner, PBD_FRONT, PBD_RING, known, &step);
        solve_from(p, inner - 1, PBD_RING, known, &step);
    } else if (p->single) {
        solve_single(p, &step);
    } else {
        solve_from(p, p->node_count - 1, PBD_FRONT, known, &step);
    }
    return wide_max(wide_sqrt(step.square) / p->mean_edge, step.turn);
}

#endif
