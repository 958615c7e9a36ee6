// Three-vectors and unit quaternions, by value.
#ifndef CORD_MATH_VEC3_H
#define CORD_MATH_VEC3_H

#include <cordage/cordage.h>

#include <math.h>

static inline CordVec3 vec3_add(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline CordVec3 vec3_sub(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline CordVec3 vec3_mul(CordVec3 a, double s)
{
    return (CordVec3){a.x * s, a.y * s, a.z * s};
}

static inline CordVec3 vec3_madd(CordVec3 a, CordVec3 b, double s) // a + s b
{
    return (CordVec3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

static inline double vec3_dot(CordVec3 a, CordVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline CordVec3 vec3_cross(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec3_length(CordVec3 a)
{
    return sqrt(vec3_dot(a, a));
}

static inline CordVec3 vec3_unit(CordVec3 a)
{
    return vec3_mul(a, 1.0 / vec3_length(a));
}

static inline bool vec3_finite(CordVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// The component of a perpendicular to the unit vector t.
static inline CordVec3 vec3_reject(CordVec3 a, CordVec3 t)
{
    return vec3_madd(a, t, -vec3_dot(a, t));
}

// A unit vector perpendicular to the unit vector t, from the coordinate axis that t is least along.
static inline CordVec3 vec3_any_normal(CordVec3 t)
{
    double ax = fabs(t.x), ay = fabs(t.y), az = fabs(t.z);
    CordVec3 axis = {0, 0, 0};
    if (az <= ax && az <= ay) {
        axis.z = 1;
    } else if (ay <= ax) {
        axis.y = 1;
    } else {
        axis.x = 1;
    }
    return vec3_unit(vec3_reject(axis, t));
}

static inline CordQuat quat_identity(void)
{
    return (CordQuat){0, 0, 0, 1};
}

static inline CordQuat quat_mul(CordQuat a, CordQuat b) // rotation by b, then by a
{
    return (CordQuat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

static inline CordQuat quat_conjugate(CordQuat q) // the inverse of a unit quaternion
{
    return (CordQuat){-q.x, -q.y, -q.z, q.w};
}

static inline double quat_norm(CordQuat q)
{
    return sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
}

static inline CordQuat quat_unit(CordQuat q)
{
    double s = 1.0 / quat_norm(q);
    return (CordQuat){q.x * s, q.y * s, q.z * s, q.w * s};
}

static inline CordVec3 quat_rotate(CordQuat q, CordVec3 a)
{
    CordVec3 u = {q.x, q.y, q.z};
    CordVec3 c = vec3_mul(vec3_cross(u, a), 2.0);
    return vec3_add(vec3_madd(a, c, q.w), vec3_cross(u, c));
}

#endif
