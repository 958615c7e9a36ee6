// Four three-vectors at a time, and rotations of them in a plane.
#ifndef CORD_MATH_WIDE3_H
#define CORD_MATH_WIDE3_H

#include "math/wide.h"

typedef struct Wide3 {
    CordWide x, y, z;
} Wide3;

WIDE_INLINE Wide3 load3(const double* const a[3], int s)
{
    return (Wide3){wide_load(a[0] + s), wide_load(a[1] + s), wide_load(a[2] + s)};
}

WIDE_INLINE void store3(double* const a[3], int s, Wide3 v)
{
    wide_store(a[0] + s, v.x), wide_store(a[1] + s, v.y), wide_store(a[2] + s, v.z);
}

WIDE_INLINE Wide3 zero3(void)
{
    return (Wide3){wide_set(0.0), wide_set(0.0), wide_set(0.0)};
}

WIDE_INLINE Wide3 mul3(Wide3 a, CordWide s)
{
    return (Wide3){a.x * s, a.y * s, a.z * s};
}

WIDE_INLINE Wide3 add3(Wide3 a, Wide3 b)
{
    return (Wide3){a.x + b.x, a.y + b.y, a.z + b.z};
}

WIDE_INLINE Wide3 sub3(Wide3 a, Wide3 b)
{
    return (Wide3){a.x - b.x, a.y - b.y, a.z - b.z};
}

WIDE_INLINE Wide3 madd3(Wide3 a, Wide3 b, CordWide s) // a + s b
{
    return (Wide3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

WIDE_INLINE CordWide dot3(Wide3 a, Wide3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

WIDE_INLINE Wide3 cross3(Wide3 a, Wide3 b)
{
    return (Wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

WIDE_INLINE Wide3 earlier3(Wide3 before, Wide3 here)
{
    return (Wide3){wide_earlier(before.x, here.x), wide_earlier(before.y, here.y),
                   wide_earlier(before.z, here.z)};
}

WIDE_INLINE Wide3 later3(Wide3 here, Wide3 next)
{
    return (Wide3){wide_later(here.x, next.x), wide_later(here.y, next.y), wide_later(here.z, next.z)};
}

WIDE_INLINE Wide3 select3(CordWideMask mask, Wide3 yes, Wide3 no)
{
    return (Wide3){wide_select(mask, yes.x, no.x), wide_select(mask, yes.y, no.y),
                   wide_select(mask, yes.z, no.z)};
}

// ---- rotations in a plane

typedef struct PlaneRotation {
    CordWide cosine, sine;
} PlaneRotation;

WIDE_INLINE PlaneRotation plane_rotation_cayley(CordWide angle)
{
    CordWide half = wide_set(0.5) * angle, square = half * half;
    CordWide scale = wide_set(1.0) / (wide_set(1.0) + square);
    return (PlaneRotation){(wide_set(1.0) - square) * scale, (half + half) * scale};
}

WIDE_INLINE Wide3 rotated3(Wide3 u, Wide3 v, PlaneRotation by) // u rotated towards v
{
    return madd3(mul3(u, by.cosine), v, by.sine);
}

#endif
