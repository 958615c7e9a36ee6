// Four quaternions at a time, scalar part last.
#ifndef CORD_MATH_WIDE_QUAT_H
#define CORD_MATH_WIDE_QUAT_H

#include "math/wide3.h"

typedef struct WideQuat {
    Wide3 v;
    CordWide w;
} WideQuat;

WIDE_INLINE WideQuat load_quat(double* const q[4], int s)
{
    return (WideQuat){{wide_load(q[0] + s), wide_load(q[1] + s), wide_load(q[2] + s)}, wide_load(q[3] + s)};
}

WIDE_INLINE void store_quat(double* const q[4], int s, WideQuat a)
{
    wide_store(q[0] + s, a.v.x), wide_store(q[1] + s, a.v.y), wide_store(q[2] + s, a.v.z);
    wide_store(q[3] + s, a.w);
}

WIDE_INLINE WideQuat quat_zero(void)
{
    return (WideQuat){zero3(), wide_set(0.0)};
}

WIDE_INLINE WideQuat earlier_quat(WideQuat before, WideQuat here)
{
    return (WideQuat){earlier3(before.v, here.v), wide_earlier(before.w, here.w)};
}

WIDE_INLINE WideQuat quat_between(WideQuat a,
                                  WideQuat b) // conj(a) b: the rotation from a to b in the axes of a
{
    Wide3 v = add3(sub3(mul3(b.v, a.w), mul3(a.v, b.w)), cross3(b.v, a.v));
    return (WideQuat){v, a.w * b.w + dot3(a.v, b.v)};
}

// A vector rotated by a unit quaternion, and by its inverse.
WIDE_INLINE Wide3 quat_rotated(WideQuat q, Wide3 a)
{
    Wide3 c = cross3(q.v, a), d = madd3(cross3(q.v, c), c, q.w);
    return add3(a, add3(d, d));
}

WIDE_INLINE Wide3 quat_rotated_back(WideQuat q, Wide3 a)
{
    Wide3 c = cross3(q.v, a), d = sub3(cross3(q.v, c), mul3(c, q.w));
    return add3(a, add3(d, d));
}

WIDE_INLINE Wide3 quat_third_axis(WideQuat q) // d_3 of a unit quaternion: CORDE eq. (5)
{
    const CordWide one = wide_set(1.0);
    CordWide x = q.v.x + q.v.x, y = q.v.y + q.v.y;
    return (Wide3){x * q.v.z + y * q.w, y * q.v.z - x * q.w, one - (x * q.v.x + y * q.v.y)};
}

#endif
