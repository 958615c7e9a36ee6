// Material frames of four edges at a time: parallel transport in time, and rotation about the tangents. Only
// kernels include this header.
#ifndef CORD_MODEL_FRAMED_CORNER_FRAMES_H
#define CORD_MODEL_FRAMED_CORNER_FRAMES_H

#include "math/wide3.h"
#include "model/framed/corner_wide.h"

// Taylor series of cosine and sine: errors below 1e-17 for angles up to CORNER_SMALL_TURN.
WIDE_INLINE PlaneRotation plane_rotation_small(CordWide a)
{
    CordWide q = a * a;
    return (PlaneRotation){wide_set(1.0) - q * (wide_set(0.5) - wide_set(1.0 / 24) * q),
                           a - a * q * (wide_set(1.0 / 6) - wide_set(1.0 / 120) * q)};
}

// Removes accumulated round-off: makes u orthogonal to the tangent and of unit length. As |u| is close to 1,
// one Newton step for 1/sqrt is exact to round-off.
WIDE_INLINE Wide3 orthonormal(Wide3 u, Wide3 t)
{
    u = madd3(u, t, -dot3(u, t));
    return mul3(u, wide_set(1.5) - wide_set(0.5) * dot3(u, u));
}

// Parallel transport in time (frame_transport).
WIDE_INLINE Wide3 transported(Wide3 u, Wide3 s, Wide3 t)
{
    CordWide c = wide_set(1.0) + dot3(s, t);
    CordWide ratio = wide_select((CordWideMask)(c != wide_set(0.0)), dot3(u, t) / c, wide_set(0.0));
    Wide3 moved = madd3(u, add3(s, t), -ratio);
    CordWideMask over = (CordWideMask)(c < wide_set(1e-8)); // close to half a turn the formula cancels
    if (wide_any(over)) {
        Wide3 a = madd3(moved, t, -dot3(moved, t));
        CordWide square = dot3(a, a);
        over &= (CordWideMask)(square > wide_set(1e-12));
        moved = select3(over, mul3(a, wide_set(1.0) / wide_sqrt(wide_select(over, square, wide_set(1.0)))),
                        moved);
    }
    return moved;
}

WIDE_INLINE PlaneRotation plane_rotation_guessed(CordWide angle)
{
    CordWideMask small = (CordWideMask)(wide_abs(angle) <= wide_set(CORNER_SMALL_TURN));
    return plane_rotation_small(wide_select(small, angle, wide_set(0.0)));
}

// Processes the four edges from slot s, of which `count` exist; padding stays zero. Frames are rotated about
// the old tangent before the transport. The result is the same as afterwards, and the rotation does not wait
// for the new tangents.
WIDE_INLINE void follow_edges(const CornerEdges* edges, const double* const x[3], const double* spin,
                              double h, int s, int count, bool guess)
{
    const CordWide one = wide_set(1.0);
    const double* const x1[3] = {x[0] + 1, x[1] + 1, x[2] + 1};
    CordWideMask there = wide_first(count);
    Wide3 t = load_const3(edges->t, s), m1 = orthonormal(load_const3(edges->m1, s), t);
    if (spin) {
        CordWide angle = wide_load(spin + s) * wide_set(h);
        m1 =
            rotated3(m1, cross3(t, m1), guess ? plane_rotation_guessed(angle) : plane_rotation_cayley(angle));
    }
    Wide3 e = sub3(load3(x1, s), load3(x, s));
    CordWide len2 = wide_select(there, dot3(e, e), one), inv_len = one / wide_sqrt(len2);
    Wide3 t_next = select3(there, mul3(e, inv_len), zero3());
    store3(edges->t, s, t_next);
    store3(edges->m1, s, select3(there, transported(m1, t, t_next), zero3()));
    wide_store(edges->inv_len + s, wide_select(there, inv_len, wide_set(0.0)));
}

static inline void turn(const CornerEdges* edges, const double* angle, int edge_slots)
{
    for (int s = 0; s < edge_slots; s += WIDE_LANES) { // padding is zero and stays zero
        Wide3 t = load_const3(edges->t, s), m1 = load_const3(edges->m1, s);
        store3(edges->m1, s, rotated3(m1, cross3(t, m1), plane_rotation_cayley(wide_load(angle + s))));
    }
}

static inline void nudge(const CornerInput* in, const double* angle)
{
    const CornerEdges edges = *in->edges;
    double* m = in->nodes->m;
    for (int s = 0; s < in->slot_count; s += WIDE_LANES) {
        CordWide a = wide_load(angle + s);
        Wide3 t = load_const3(edges.t, s), m1 = load_const3(edges.m1, s);
        store3(edges.m1, s, rotated3(m1, cross3(t, m1), plane_rotation_small(a)));
        wide_store(m + s, wide_load(m + s) + (a - wide_load(angle + s - 1)));
    }
}

static inline void measure(const CornerInput* in)
{
    for (int s = 0; s < in->slot_count; s += WIDE_LANES) {
        Corner k = corner_at(in, s);
        wide_store(in->nodes->m + s, twist_of(&k, wide_load(in->nodes->m + s)));
    }
}

#endif
