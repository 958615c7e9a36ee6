// Vectors for tests that see the public interface alone.
#ifndef CORD_TEST_VECTORS_H
#define CORD_TEST_VECTORS_H

#include <cordage/cordage.h>

#include <math.h>

static const double pi = 3.14159265358979323846;

static inline CordVec3 plus(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline CordVec3 minus(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline CordVec3 times(CordVec3 a, double s)
{
    return (CordVec3){s * a.x, s * a.y, s * a.z};
}

static inline double dot(CordVec3 a, CordVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline CordVec3 cross(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double size_of(CordVec3 a)
{
    return sqrt(dot(a, a));
}

static inline CordVec3 rotate(CordQuat q, CordVec3 v) // v + 2 u x (u x v + w v), u the vector part
{
    CordVec3 u = {q.x, q.y, q.z};
    return plus(v, times(cross(u, plus(cross(u, v), times(v, q.w))), 2.0));
}

#endif
