#include "math/block_tridiag.h"

#include <math.h>

typedef struct Sym { // 11 12 13 22 23 33
    double a, b, c, d, e, f;
} Sym;

typedef struct Block {
    double m[3][3];
} Block;

typedef struct Vec {
    double v[3];
} Vec;

static inline Sym sym_at(const BlockTridiag* c, int i)
{
    return (Sym){c->diag[0][i], c->diag[1][i], c->diag[2][i], c->diag[3][i], c->diag[4][i], c->diag[5][i]};
}

static inline Block block_at(double* const a[9], int i)
{
    return (Block){{{a[0][i], a[1][i], a[2][i]}, {a[3][i], a[4][i], a[5][i]}, {a[6][i], a[7][i], a[8][i]}}};
}

static inline void block_put(double* const a[9], int i, const Block* b)
{
    for (int k = 0; k < 9; k++) {
        a[k][i] = b->m[k / 3][k % 3];
    }
}

static inline Vec vec_at(const BlockTridiag* c, int i)
{
    return (Vec){{c->r[0][i], c->r[1][i], c->r[2][i]}};
}

static inline void vec_put(const BlockTridiag* c, int i, Vec v)
{
    c->r[0][i] = v.v[0], c->r[1][i] = v.v[1], c->r[2][i] = v.v[2];
}

// Inverse by cofactors. False: s is not positive definite.
static inline bool invert(Sym s, Sym* inverse)
{
    double A = s.d * s.f - s.e * s.e, B = s.c * s.e - s.b * s.f, C = s.b * s.e - s.c * s.d;
    double minor = s.a * s.d - s.b * s.b, det = s.a * A + s.b * B + s.c * C, q = 1.0 / det;
    *inverse =
        (Sym){A * q, B * q, C * q, (s.a * s.f - s.c * s.c) * q, (s.b * s.c - s.a * s.e) * q, minor * q};
    return s.a > 0.0 && minor > 0.0 && det > 0.0 && isfinite(q);
}

static inline Vec sym_times(Sym s, Vec v)
{
    return (Vec){{s.a * v.v[0] + s.b * v.v[1] + s.c * v.v[2], s.b * v.v[0] + s.d * v.v[1] + s.e * v.v[2],
                  s.c * v.v[0] + s.e * v.v[1] + s.f * v.v[2]}};
}

static inline Vec column(const Block* b, int k)
{
    return (Vec){{b->m[0][k], b->m[1][k], b->m[2][k]}};
}

static inline Block sym_times_block(Sym s, const Block* b)
{
    Block out;
    for (int k = 0; k < 3; k++) {
        Vec v = sym_times(s, column(b, k));
        out.m[0][k] = v.v[0], out.m[1][k] = v.v[1], out.m[2][k] = v.v[2];
    }
    return out;
}

static inline double dot(const Block* a, int i, const Block* b, int j) // of two columns
{
    return a->m[0][i] * b->m[0][j] + a->m[1][i] * b->m[1][j] + a->m[2][i] * b->m[2][j];
}

static inline Sym less_product(Sym s, const Block* a, const Block* b) // s - a' b, which is symmetric
{
    return (Sym){s.a - dot(a, 0, b, 0), s.b - dot(a, 0, b, 1), s.c - dot(a, 0, b, 2),
                 s.d - dot(a, 1, b, 1), s.e - dot(a, 1, b, 2), s.f - dot(a, 2, b, 2)};
}

static inline Block less_block_product(const Block* s, const Block* a, const Block* b) // s - a' b
{
    Block out;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out.m[i][j] = s->m[i][j] - dot(a, i, b, j);
        }
    }
    return out;
}

static inline Vec less_transposed(Vec v, const Block* a, Vec u) // v - a' u
{
    for (int i = 0; i < 3; i++) {
        v.v[i] -= a->m[0][i] * u.v[0] + a->m[1][i] * u.v[1] + a->m[2][i] * u.v[2];
    }
    return v;
}

static inline Vec less_times(Vec v, const Block* a, Vec u) // v - a u
{
    for (int i = 0; i < 3; i++) {
        v.v[i] -= a->m[i][0] * u.v[0] + a->m[i][1] * u.v[1] + a->m[i][2] * u.v[2];
    }
    return v;
}

static inline void sym_put(const BlockTridiag* c, int i, Sym s)
{
    const double all[6] = {s.a, s.b, s.c, s.d, s.e, s.f};
    for (int k = 0; k < 6; k++) {
        c->diag[k][i] = all[k];
    }
}

// ---- factoring

// D_0 = diag[0], D_i = diag[i] - link[i]' D_{i-1}^-1 link[i]. diag[i] becomes D_i^-1, and link[i] becomes
// W_i = D_{i-1}^-1 link[i].
static bool factor_open(const BlockTridiag* c, int n)
{
    Sym inverse;
    bool good = invert(sym_at(c, 0), &inverse);
    sym_put(c, 0, inverse);
    for (int i = 1; i < n; i++) {
        Block link = block_at(c->link, i), W = sym_times_block(inverse, &link);
        good &= invert(less_product(sym_at(c, i), &link, &W), &inverse);
        sym_put(c, i, inverse);
        block_put(c->link, i, &W);
    }
    return good;
}

// Each column of `work` is a right-hand side of the first n rows, and becomes the solution.
static void solve_columns(const BlockTridiag* c, int n)
{
    Block before = block_at(c->work, 0);
    for (int i = 1; i < n; i++) {
        Block W = block_at(c->link, i), here = block_at(c->work, i);
        before = less_block_product(&here, &W, &before);
        block_put(c->work, i, &before);
    }
    Block next = sym_times_block(sym_at(c, n - 1), &before);
    block_put(c->work, n - 1, &next);
    for (int i = n - 2; i >= 0; i--) {
        Block W = block_at(c->link, i + 1), rest = block_at(c->work, i),
              here = sym_times_block(sym_at(c, i), &rest);
        for (int k = 0; k < 3; k++) {
            Vec v = less_times(column(&here, k), &W, column(&next, k));
            here.m[0][k] = v.v[0], here.m[1][k] = v.v[1], here.m[2][k] = v.v[2];
        }
        block_put(c->work, i, &here);
        next = here;
    }
}

static Block link_to_first(const BlockTridiag* c) // transposed link[0]: row 0, column n - 1
{
    Block first = block_at(c->link, 0), out;
    for (int k = 0; k < 9; k++) {
        out.m[k % 3][k / 3] = first.m[k / 3][k % 3];
    }
    return out;
}

// The first n - 1 rows are open. With the border B, the last block column above the diagonal, `work` becomes
// A^-1 B, and diag[n-1] the inverse of the Schur complement diag[n-1] - B' A^-1 B.
static bool factor_closed(const BlockTridiag* c)
{
    int last = c->n - 1;
    Block first = link_to_first(c), end = block_at(c->link, last);
    bool good = factor_open(c, last);
    for (int k = 0; k < 9; k++) {
        for (int i = 0; i < last; i++) {
            c->work[k][i] = 0.0;
        }
        c->work[k][0] += first.m[k / 3][k % 3];
        c->work[k][last - 1] += end.m[k / 3][k % 3];
    }
    solve_columns(c, last);
    Block at_first = block_at(c->work, 0), at_end = block_at(c->work, last - 1);
    Sym inverse;
    good &= invert(less_product(less_product(sym_at(c, last), &first, &at_first), &end, &at_end), &inverse);
    sym_put(c, last, inverse);
    return good;
}

bool block_tridiag_factor(const BlockTridiag* c)
{
    return c->closed ? factor_closed(c) : factor_open(c, c->n);
}

// ---- solving

static void solve_open(const BlockTridiag* c, int n)
{
    Vec rest = vec_at(c, 0);
    for (int i = 1; i < n; i++) {
        Block W = block_at(c->link, i);
        rest = less_transposed(vec_at(c, i), &W, rest);
        vec_put(c, i, rest);
    }
    Vec next = sym_times(sym_at(c, n - 1), rest);
    vec_put(c, n - 1, next);
    for (int i = n - 2; i >= 0; i--) {
        Block W = block_at(c->link, i + 1);
        next = less_times(sym_times(sym_at(c, i), vec_at(c, i)), &W, next);
        vec_put(c, i, next);
    }
}

void block_tridiag_solve(const BlockTridiag* c)
{
    if (!c->closed) {
        solve_open(c, c->n);
        return;
    }
    int last = c->n - 1;
    Block first = link_to_first(c), end = block_at(c->link, last);
    solve_open(c, last);
    Vec r =
        less_transposed(less_transposed(vec_at(c, last), &first, vec_at(c, 0)), &end, vec_at(c, last - 1));
    Vec x = sym_times(sym_at(c, last), r);
    vec_put(c, last, x);
    for (int i = 0; i < last; i++) {
        Block border = block_at(c->work, i);
        vec_put(c, i, less_times(vec_at(c, i), &border, x));
    }
}
