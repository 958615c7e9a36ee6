#include "math/tridiag_partition_kernel.h"

#include "base/real.h"
#include "math/wide.h"

typedef struct Rows { // one row of each part
    int at[4];
} Rows;

WIDE_INLINE Rows rows_from(const TridiagParts* p)
{
    return (Rows){{p->start[0], p->start[1], p->start[2], p->start[3]}};
}

WIDE_INLINE Rows moved(Rows rows, int by) // towards the near separators
{
    return (Rows){{rows.at[0] + by, rows.at[1] - by, rows.at[2] + by, rows.at[3] - by}};
}

// Second rows of the longer parts, first rows of the others.
WIDE_INLINE Rows equal_rows(const TridiagParts* p)
{
    Rows first = rows_from(p), rows = moved(first, 1);
    for (int i = p->longer; i < 4; i++) {
        rows.at[i] = first.at[i];
    }
    return rows;
}

WIDE_INLINE CordWide gather(const double* a, Rows rows)
{
    return (CordWide){a[rows.at[0]], a[rows.at[1]], a[rows.at[2]], a[rows.at[3]]};
}

typedef struct Elimination {
    CordWide diag, r;         // subtracted from the next row's diagonal, added to its right-hand side
    CordWide link;            // couples the next row and the far separator
    CordWide far_diag, far_r; // the same as diag and r for the far separator, from all rows so far
    CordWide least;           // smallest pivot
} Elimination;

// Eliminates a row of each part: its unknown is z + k next + g far. Pivots wait for each other, so the next
// diagonal is computed from the pivot and not from k.
WIDE_INLINE void eliminate_rows(const TridiagPartition* c, Elimination* s, Rows rows, int n)
{
    const double* link = c->link;
    CordWide next =
        (CordWide){link[rows.at[0] + 1], link[rows.at[1]], link[rows.at[2] + 1], link[rows.at[3]]} *
        wide_set(c->factor);
    CordWide pivot = gather(c->diag, rows) - s->diag, inv = wide_set(1.0) / pivot;
    CordWide k = next * inv, z = (gather(c->r, rows) + s->r) * inv, g = s->link * inv;
    s->least = wide_select((CordWideMask)(pivot < s->least), pivot, s->least);
    s->diag = next * next / pivot;
    s->r = next * z;
    s->far_diag += s->link * g;
    s->far_r += s->link * z;
    s->link = next * g;
    wide_store(c->work[0] + n, k);
    wide_store(c->work[1] + n, z);
    wide_store(c->work[2] + n, g);
}

WIDE_INLINE void select_first(Elimination* s, const Elimination* old,
                              int count) // the other parts stay as they were
{
    CordWideMask there = wide_first(count);
    s->diag = wide_select(there, s->diag, old->diag), s->r = wide_select(there, s->r, old->r);
    s->link = wide_select(there, s->link, old->link);
    s->far_diag = wide_select(there, s->far_diag, old->far_diag);
    s->far_r = wide_select(there, s->far_r, old->far_r);
    s->least = wide_select(there, s->least, old->least);
}

static TridiagSchur eliminate(const TridiagPartition* given, const TridiagParts* p)
{
    const TridiagPartition own = *given; // a copy that no store to the arrays can alias
    const TridiagPartition* c = &own;
    const CordWide zero = wide_set(0.0);
    const int m = p->separator[1];
    CordWide link =
        (CordWide){c->link[0], c->link[m], c->link[m + 1], c->link[c->n - 1]} * wide_set(c->factor);
    Elimination s = {zero, zero, link, zero, zero, wide_set(INFINITY)};
    int n = 0;
    if (p->longer > 0) {
        Elimination start = s;
        eliminate_rows(c, &s, rows_from(p), n);
        select_first(&s, &start, p->longer);
        n += WIDE_LANES;
    }
    Rows rows = equal_rows(p);
    for (int i = 0; i < p->rows; i++, n += WIDE_LANES) {
        eliminate_rows(c, &s, moved(rows, i), n);
    }
    TridiagSchur left;
    wide_store(left.near_diag, s.diag);
    wide_store(left.near_r, s.r);
    wide_store(left.far_diag, s.far_diag);
    wide_store(left.far_r, s.far_r);
    wide_store(left.link, s.link);
    left.least = real_min(real_min(s.least[0], s.least[1]), real_min(s.least[2], s.least[3]));
    return left;
}

WIDE_INLINE CordWide unknowns(const TridiagPartition* c, int n, CordWide next, CordWide far)
{
    return wide_load(c->work[1] + n) + wide_load(c->work[2] + n) * far + wide_load(c->work[0] + n) * next;
}

static double substitute(const TridiagPartition* given, const TridiagParts* p)
{
    const TridiagPartition own = *given;
    const TridiagPartition* c = &own;
    double q1 = c->r[p->separator[0]], m = c->r[p->separator[1]], q3 = c->r[p->separator[2]],
           last = c->r[c->n - 1];
    CordWide x = {q1, q1, q3, q3}, far = {last, m, m, last}, most = wide_set(0.0);
    int n = WIDE_LANES * (p->rows + (p->longer > 0));
    Rows rows = equal_rows(p);
    for (int i = p->rows - 1; i >= 0; i--) {
        n -= WIDE_LANES;
        x = unknowns(c, n, x, far);
        most = wide_max(most, wide_abs(x));
        Rows at = moved(rows, i);
        for (int k = 0; k < 4; k++) {
            c->r[at.at[k]] = x[k];
        }
    }
    double largest = real_max(real_max(most[0], most[1]), real_max(most[2], most[3]));
    x = unknowns(c, 0, x, far);
    for (int k = 0; k < p->longer; k++) {
        c->r[p->start[k]] = x[k];
        largest = real_max(largest, fabs(x[k]));
    }
    return largest;
}

const TridiagPartitionKernels KERNEL(tridiag_partition_kernels) = {.eliminate = eliminate,
                                                                   .substitute = substitute};
