// Compiled twice on x86-64: see cmake/CordageKernels.cmake.
//
// Single precision, eight nodes at a time. The time of a step is that of reading the mode table and summing
// it, and displacements to seven digits are as accurate as the modes. Quantities that are large compared with
// displacements are in double precision: positions, and sums over many nodes.
#include "model/modal/kernel.h"
#include "math/elementary.h"
#include "math/kernel.h"
#include "math/wide3.h"

#define SERIES_TERMS 10
// |w|^2 up to which the series are used: a rotation by a little more than pi. The first neglected term is at
// most 1e10 / 22!, which is 9e-12.
#define SERIES_MOST 10.0f
// Number of blocks whose loads are summed in single precision before they are added in double precision.
#define CHUNK 16

// ---- eight floats

typedef float Narrow __attribute__((vector_size(32)));
typedef float HalfNarrow __attribute__((vector_size(16)));
typedef int NarrowMask __attribute__((vector_size(32)));

typedef struct Narrow3 {
    Narrow x, y, z;
} Narrow3;

WIDE_INLINE Narrow narrow_load(const float* p)
{
    Narrow a;
    memcpy(&a, p, sizeof a);
    return a;
}

WIDE_INLINE void narrow_store(float* p, Narrow a)
{
    memcpy(p, &a, sizeof a);
}

WIDE_INLINE Narrow narrow_set(float a)
{
    return (Narrow){a, a, a, a, a, a, a, a};
}

WIDE_INLINE Narrow3 narrow_set3(const double a[3])
{
    return (Narrow3){narrow_set((float)a[0]), narrow_set((float)a[1]), narrow_set((float)a[2])};
}

WIDE_INLINE Narrow3 narrow_load3(const float* p)
{
    return (Narrow3){narrow_load(p), narrow_load(p + MODAL_LANES), narrow_load(p + 2 * MODAL_LANES)};
}

WIDE_INLINE Narrow narrow_dot3(Narrow3 a, Narrow3 b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

WIDE_INLINE Narrow3 narrow_madd3(Narrow3 a, Narrow3 b, Narrow s)
{
    return (Narrow3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

WIDE_INLINE Narrow3 narrow_cross3(Narrow3 a, Narrow3 b)
{
    return (Narrow3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Conversion between eight floats and two times four doubles.
WIDE_INLINE CordWide widen(Narrow a, int half)
{
    HalfNarrow part =
        half == 0 ? __builtin_shufflevector(a, a, 0, 1, 2, 3) : __builtin_shufflevector(a, a, 4, 5, 6, 7);
    return __builtin_convertvector(part, CordWide);
}

WIDE_INLINE Wide3 widen3(Narrow3 a, int half)
{
    return (Wide3){widen(a.x, half), widen(a.y, half), widen(a.z, half)};
}

WIDE_INLINE Narrow narrow_from(CordWide low, CordWide high)
{
    HalfNarrow a = __builtin_convertvector(low, HalfNarrow), b = __builtin_convertvector(high, HalfNarrow);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

WIDE_INLINE Wide3 set3(const double a[3])
{
    return (Wide3){wide_set(a[0]), wide_set(a[1]), wide_set(a[2])};
}

// ---- warping

typedef struct NarrowWarp { // as Warp
    Narrow3 w;
    Narrow sine, mean, rest;
} NarrowWarp;

// The factors of rotations beyond pi, lane by lane.
static __attribute__((noinline)) void warp_far(const float* x, float* mean, float* rest)
{
    for (int i = 0; i < MODAL_LANES; i++) {
        if (x[i] > SERIES_MOST) {
            double square = (double)x[i], angle = sqrt(square), s, c;
            cord_sin_cos(angle, &s, &c);
            mean[i] = (float)((1.0 - c) / square);
            rest[i] = (float)((1.0 - s / angle) / square);
        }
    }
}

// With x = |w|^2: mean = sum (-x)^k / (2k + 2)!, rest = sum (-x)^k / (2k + 3)!, and sin|w| / |w| = 1 - x
// rest.
WIDE_INLINE NarrowWarp warp_of(Narrow3 w)
{
    static const float mean_terms[SERIES_TERMS] = {0.5f,
                                                   -1.0f / 24,
                                                   1.0f / 720,
                                                   -1.0f / 40320,
                                                   1.0f / 3628800,
                                                   -1.0f / 479001600,
                                                   1.14707456e-11f,
                                                   -4.77947733e-14f,
                                                   1.56192070e-16f,
                                                   -4.11031762e-19f};
    static const float rest_terms[SERIES_TERMS] = {
        1.0f / 6,         -1.0f / 120,     1.0f / 5040,      -1.0f / 362880,  1.0f / 39916800,
        -1.60590438e-10f, 7.64716373e-13f, -2.81145725e-15f, 8.22063525e-18f, -1.95729411e-20f};
    Narrow x = narrow_dot3(w, w), mean = narrow_set(mean_terms[SERIES_TERMS - 1]),
           rest = narrow_set(rest_terms[SERIES_TERMS - 1]);
    for (int i = SERIES_TERMS - 2; i >= 0; i--) {
        mean = mean * x + narrow_set(mean_terms[i]);
        rest = rest * x + narrow_set(rest_terms[i]);
    }
    NarrowMask far = x > narrow_set(SERIES_MOST);
    CordWideMask any = (CordWideMask)far;
    if (wide_any(any)) {
        float xs[MODAL_LANES], means[MODAL_LANES], rests[MODAL_LANES];
        narrow_store(xs, x), narrow_store(means, mean), narrow_store(rests, rest);
        warp_far(xs, means, rests);
        mean = narrow_load(means), rest = narrow_load(rests);
    }
    return (NarrowWarp){w, narrow_set(1.0f) - x * rest, mean, rest};
}

// a + p w x a + q w x (w x a)
WIDE_INLINE Narrow3 combine(Narrow3 w, Narrow3 a, Narrow p, Narrow q)
{
    Narrow3 once = narrow_cross3(w, a);
    return narrow_madd3(narrow_madd3(a, once, p), narrow_cross3(w, once), q);
}

// Sum of the rows of all modes, each times its amplitude (MW eq. 7 and 9).
WIDE_INLINE Narrow3 mixture(const float* rows, const float* q, int modes)
{
    Narrow3 sum = {{0}, {0}, {0}};
    for (int k = 0; k < modes; k++, rows += 3 * MODAL_LANES) {
        sum = narrow_madd3(sum, narrow_load3(rows), narrow_set(q[k]));
    }
    return sum;
}

// ---- positions

WIDE_INLINE Wide3 times3(const double A[9], Wide3 a)
{
    return (Wide3){wide_set(A[0]) * a.x + wide_set(A[1]) * a.y + wide_set(A[2]) * a.z,
                   wide_set(A[3]) * a.x + wide_set(A[4]) * a.y + wide_set(A[5]) * a.z,
                   wide_set(A[6]) * a.x + wide_set(A[7]) * a.y + wide_set(A[8]) * a.z};
}

WIDE_INLINE Narrow3 displaced(const ModalArrays* a, Narrow3 w, Narrow3 u)
{
    if (!a->warp) {
        return u;
    }
    NarrowWarp warp = warp_of(w);
    return combine(w, u, warp.mean, warp.rest);
}

WIDE_INLINE void place_block(const ModalArrays* a, int b, const float* table, const float* q)
{
    int modes = a->mode_count;
    Narrow3 w = mixture(table, q, modes), u = mixture(table + (size_t)modes * 3 * MODAL_LANES, q, modes);
    Narrow3 d = displaced(a, w, u);
    for (int half = 0; half < 2; half++) {
        int at = MODAL_LANES * b + 4 * half;
        Wide3 x = add3(load3(a->rest, at), widen3(d, half));
        store3(a->x, at, a->carried ? add3(times3(a->turn, sub3(x, set3(a->origin))), set3(a->shift)) : x);
    }
}

// ---- loads

// Limits the length of a displacement to that of the structure, so that a force that grows with the position
// stays bounded.
WIDE_INLINE Wide3 within(Wide3 d, double reach)
{
    CordWide length = wide_sqrt(dot3(d, d)), most = wide_set(reach);
    return mul3(d, wide_select((CordWideMask)(length > most), most / length, wide_set(1.0)));
}

WIDE_INLINE Wide3 spread_at(const ModalArrays* a, int at, Wide3 d)
{
    Wide3 r = sub3(add3(load3(a->rest, at), within(d, a->reach)), set3(a->origin));
    return add3(set3(a->even), times3(a->spread, r));
}

// The pull on eight nodes, in the carrier's axes.
WIDE_INLINE Narrow3 pull_at(const ModalArrays* a, int b, Narrow3 d)
{
    if (!a->spreads) {
        return narrow_set3(a->even);
    }
    Wide3 low = spread_at(a, MODAL_LANES * b, widen3(d, 0)),
          high = spread_at(a, MODAL_LANES * b + 4, widen3(d, 1));
    return (Narrow3){narrow_from(low.x, high.x), narrow_from(low.y, high.y), narrow_from(low.z, high.z)};
}

WIDE_INLINE void load_block(const ModalArrays* a, int b, const float* table, const float* q, float* chunk)
{
    int modes = a->mode_count;
    Narrow3 w = mixture(table, q, modes), d = {{0}, {0}, {0}};
    if (a->spreads) {
        d = displaced(a, w, mixture(table + (size_t)modes * 3 * MODAL_LANES, q, modes));
    }
    Narrow3 pull = pull_at(a, b, d);
    if (a->warp) { // to the nodes' own axes: R^T F (MW eq. 11)
        NarrowWarp warp = warp_of(w);
        pull = combine(w, pull, -warp.sine, warp.mean);
    }
    const float* rows = table + (size_t)modes * 6 * MODAL_LANES;
    for (int k = 0; k < modes; k++, rows += 3 * MODAL_LANES) {
        float* sum = chunk + MODAL_LANES * k;
        narrow_store(sum, narrow_load(sum) + narrow_dot3(narrow_load3(rows), pull));
    }
}

static void add_chunk(const ModalArrays* a, float* chunk)
{
    for (int k = 0; k < a->mode_count; k++) {
        Narrow part = narrow_load(chunk + MODAL_LANES * k);
        a->load[k] += wide_sum(widen(part, 0) + widen(part, 1));
        narrow_store(chunk + MODAL_LANES * k, narrow_set(0.0f));
    }
}

static void place(const ModalArrays* given)
{
    const ModalArrays own = *given; // a copy that no store to the arrays can reach
    const ModalArrays* a = &own;
    int modes = a->mode_count;
    float *q = a->room, *ahead = q + modes, *chunk = ahead + modes;
    for (int k = 0; k < modes; k++) {
        q[k] = a->x[0] ? (float)a->q[k] : 0.0f;
        ahead[k] = a->load ? (float)a->ahead[k] : 0.0f;
    }
    memset(chunk, 0, sizeof *chunk * MODAL_LANES * (size_t)modes);
    for (int k = 0; k < modes && a->load; k++) {
        a->load[k] = 0.0;
    }
    const float* table = a->table;
    for (int b = 0; b < a->block_count; b++, table += (size_t)modes * MODAL_STRIDE) {
        if (a->x[0]) {
            place_block(a, b, table, q);
        }
        if (a->load) {
            load_block(a, b, table, ahead, chunk);
        }
        if (a->load && (b % CHUNK == CHUNK - 1 || b == a->block_count - 1)) {
            add_chunk(a, chunk);
        }
    }
}

extern const ModalKernels KERNEL(modal_kernels);
const ModalKernels KERNEL(modal_kernels) = {.place = place};
