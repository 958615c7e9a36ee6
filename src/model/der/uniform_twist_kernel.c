// Compiled twice on x86-64: see cmake/CordageKernels.cmake.
#include "model/der/uniform_twist_kernel.h"

#include "math/kernel.h"
#include "math/vec3.h"
#include "math/wide3.h"

// Quaternions are normalised after so many nodes, before the product of squared edge lengths can overflow.
#define NODES_AT_ONCE 8

typedef struct Quat4 { // four quaternions of any norm
    Wide3 v;
    CordWide w;
} Quat4;

WIDE_INLINE Quat4 product(Quat4 a, Quat4 b) // first b, then a
{
    return (Quat4){add3(cross3(a.v, b.v), add3(mul3(b.v, a.w), mul3(a.v, b.w))), a.w * b.w - dot3(a.v, b.v)};
}

WIDE_INLINE Quat4 unit(Quat4 q)
{
    CordWide scale = wide_set(1.0) / wide_sqrt(dot3(q.v, q.v) + q.w * q.w);
    return (Quat4){mul3(q.v, scale), q.w * scale};
}

// Each lane processes one quarter of the nodes, in order.
typedef struct Lanes {
    int at[4];
} Lanes;

WIDE_INLINE Wide3 nodes_at(const double* const x[3], Lanes lanes, int by)
{
    CordWide a[3];
    for (int k = 0; k < 3; k++) {
        a[k] = (CordWide){x[k][lanes.at[0] + by], x[k][lanes.at[1] + by], x[k][lanes.at[2] + by],
                          x[k][lanes.at[3] + by]};
    }
    return (Wide3){a[0], a[1], a[2]};
}

typedef struct Walk {
    Wide3 x, e;    // the node, and the edge before it
    CordWide len2; // |e|^2
} Walk;

WIDE_INLINE Walk walk_from(const double* const x[3], Lanes lanes)
{
    Walk w = {.x = nodes_at(x, lanes, 0)};
    w.e = sub3(w.x, nodes_at(x, lanes, -1));
    w.len2 = dot3(w.e, w.e);
    return w;
}

// The minimal rotation from e to f is the quaternion (|e| |f| + e.f, e x f) up to its norm. If f = -e it is
// not unique, and frames stay.
WIDE_INLINE Quat4 turn_at(Walk* w, Wide3 next)
{
    Wide3 f = sub3(next, w->x);
    CordWide len2 = dot3(f, f), real = wide_sqrt(w->len2 * len2) + dot3(w->e, f);
    CordWideMask any = (CordWideMask)(real > wide_set(0.0));
    Quat4 q = {select3(any, cross3(w->e, f), zero3()), wide_select(any, real, wide_set(1.0))};
    *w = (Walk){next, f, len2};
    return q;
}

static CordQuat lane_of(Quat4 q, int i)
{
    return (CordQuat){q.v.x[i], q.v.y[i], q.v.z[i], q.w[i]};
}

WIDE_INLINE Quat4 transport_lanes(const double* const x[3], Lanes lanes, int count)
{
    const CordWide zero = wide_set(0.0);
    Quat4 sum = {{zero, zero, zero}, wide_set(1.0)};
    Walk walk = walk_from(x, lanes);
    for (int i = 0; i < count; i++) {
        sum = product(turn_at(&walk, nodes_at(x, lanes, i + 1)), sum);
        if (i % NODES_AT_ONCE == NODES_AT_ONCE - 1) {
            sum = unit(sum);
        }
    }
    return unit(sum);
}

static CordQuat transport(const double* const x[3], int from, int to)
{
    const double* const own[3] = {x[0], x[1], x[2]};
    int count = (to - from) / 4, first = from + 1;
    Lanes quarters = {{first, first + count, first + 2 * count, first + 3 * count}};
    Quat4 most = transport_lanes(own, quarters, count);
    CordQuat sum = lane_of(most, 0);
    for (int i = 1; i < 4; i++) {
        sum = quat_mul(lane_of(most, i), sum);
    }
    int last = first + 4 * count; // up to three nodes remain
    for (; last <= to; last++) {
        Quat4 one = transport_lanes(own, (Lanes){{last, last, last, last}}, 1);
        sum = quat_mul(lane_of(one, 0), sum);
    }
    return quat_unit(sum);
}

extern const TwistKernels KERNEL(twist_kernels);
const TwistKernels KERNEL(twist_kernels) = {.transport = transport};
