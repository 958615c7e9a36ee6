// Compiled twice on x86-64: see cmake/CordageKernels.cmake.
#include "solve/rattle_kernel.h"

#include "base/real.h"
#include "math/kernel.h"
#include "math/wide.h"

// All loops run over whole blocks of four. Arrays are padded, and values past the last edge are finite and
// unused.

static void start(const RattleArrays* given)
{
    const RattleArrays own = *given;
    const RattleArrays* a = &own;
    const CordWide h = wide_set(a->h);
    for (int s = 0; s < a->edge_slots; s += WIDE_LANES) {
        for (int k = 0; k < 3; k++) {
            CordWide d = wide_load(a->x[k] + s + 1) - wide_load(a->x[k] + s);
            CordWide dv = wide_load(a->v[k] + s + 1) - wide_load(a->v[k] + s);
            wide_store(a->d[k] + s, d);
            wide_store(a->e[k] + s, d + h * dv);
        }
    }
}

// The multipliers move node i by u_i = w_i (y_i - y_{i-1}); edge j becomes e + u_{j+1} - u_j. Slot 0 has no
// edge before it: its neighbour is read from the padding in front, where lambda is 0.
WIDE_INLINE CordWide moved_edge(const RattleArrays* a, int s, int k)
{
    CordWide y0 = wide_load(a->lambda + s - 1) * wide_load(a->d[k] + s - 1);
    CordWide y1 = wide_load(a->lambda + s) * wide_load(a->d[k] + s);
    CordWide y2 = wide_load(a->lambda + s + 1) * wide_load(a->d[k] + s + 1);
    CordWide w0 = wide_load(a->w + s), w1 = wide_load(a->w + s + 1);
    return wide_load(a->e[k] + s) + (w1 * (y2 - y1) - w0 * (y1 - y0));
}

// Four rows from slot s on; returns each edge's relative length error.
WIDE_INLINE CordWide rows(const RattleArrays* a, int s, int matrix)
{
    CordWide e2 = wide_set(0.0), before = e2, own = e2, after = e2, d2 = e2;
    for (int k = 0; k < 3; k++) {
        CordWide e = moved_edge(a, s, k);
        e2 += e * e;
        if (matrix) {
            before += e * wide_load(a->d[k] + s - 1);
            CordWide d = wide_load(a->d[k] + s);
            own += e * d;
            d2 += d * d;
            after += e * wide_load(a->d[k] + s + 1);
        }
    }
    CordWide rest = wide_load(a->rest_len + s), inv = wide_load(a->inv_rest + s);
    CordWide w0 = wide_load(a->w + s), w1 = wide_load(a->w + s + 1);
    const CordWide zero = wide_set(0.0);
    CordWideMask held = (CordWideMask)(w0 + w1 == zero); // both ends are held: no unknown
    CordWide twice = wide_select(held, zero, e2 - rest * rest);
    CordWide error = wide_abs(twice * inv * inv);
    wide_store(a->residual + s, wide_set(0.5) * twice);
    if (matrix) {
        CordWideMask turned =
            (CordWideMask)(own * wide_abs(own) < wide_set(RATTLE_COS2_MOST_TURN) * e2 * d2) & ~held;
        error = wide_select(turned, wide_set(INFINITY), error);
        wide_store(a->lower + s, -(w0 * before));
        wide_store(a->diag + s, wide_select(held, wide_set(1.0), (w0 + w1) * own));
        wide_store(a->upper + s, -(w1 * after));
    }
    return error;
}

WIDE_INLINE double all_rows(const RattleArrays* given, int matrix)
{
    const RattleArrays own = *given; // a local copy, which no store to the arrays can alias
    const RattleArrays* a = &own;
    CordWide most = wide_set(0.0), sum = most;
    int s = a->first, end = a->first + a->rows;
    for (; s + WIDE_LANES <= end; s += WIDE_LANES) {
        CordWide error = rows(a, s, matrix);
        most = wide_max(most, error);
        sum += error; // NAN propagates
    }
    if (s < end) {
        CordWide error = wide_select(wide_first(end - s), rows(a, s, matrix), wide_set(0.0));
        most = wide_max(most, error);
        sum += error;
    }
    double largest = real_max(real_max(most[0], most[1]), real_max(most[2], most[3]));
    return isfinite(wide_sum(sum)) ? largest : INFINITY;
}

static double linearise(const RattleArrays* a)
{
    return all_rows(a, 1);
}

static double evaluate(const RattleArrays* a)
{
    return all_rows(a, 0);
}

static double finish(const RattleArrays* given)
{
    const RattleArrays own = *given;
    const RattleArrays* a = &own;
    CordWide sum = wide_set(0.0), h = wide_set(a->h), inv_h = wide_set(1.0 / a->h);
    for (int s = 0; s < a->slot_count; s += WIDE_LANES) {
        CordWide weight = wide_load(a->w + s) * inv_h;
        for (int k = 0; k < 3; k++) {
            CordWide y0 = wide_load(a->lambda + s - 1) * wide_load(a->d[k] + s - 1);
            CordWide y1 = wide_load(a->lambda + s) * wide_load(a->d[k] + s);
            CordWide v = wide_load(a->v[k] + s) + weight * (y1 - y0);
            wide_store(a->v[k] + s, v);
            wide_store(a->x_next[k] + s, wide_load(a->x[k] + s) + h * v);
            sum += v * v;
        }
    }
    return wide_sum(sum);
}

extern const RattleKernels KERNEL(rattle_kernels);
const RattleKernels KERNEL(rattle_kernels) = {
    .start = start, .linearise = linearise, .evaluate = evaluate, .finish = finish};
