// Small vector algebra on CordVec3 and CordQuat, by value, and pi. Everything is inline: a program that
// includes this header links nothing more than the C library's sqrt. cordage/cordage.h does not bring it
// along.
#ifndef CORDAGE_MATH_H
#define CORDAGE_MATH_H

#include <math.h>
#include <stdbool.h>

#include <cordage/cordage.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CORD_PI 3.14159265358979323846

// ---- vectors

static inline CordVec3 cord_vec3(double x, double y, double z)
{
    CordVec3 v = {x, y, z};
    return v;
}

static inline CordVec3 cord_vec3_add(CordVec3 a, CordVec3 b)
{
    return cord_vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline CordVec3 cord_vec3_sub(CordVec3 a, CordVec3 b)
{
    return cord_vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline CordVec3 cord_vec3_scale(CordVec3 a, double s) // s a
{
    return cord_vec3(a.x * s, a.y * s, a.z * s);
}

static inline CordVec3 cord_vec3_div(CordVec3 a, double s) // a / s, rounded once
{
    return cord_vec3(a.x / s, a.y / s, a.z / s);
}

static inline CordVec3 cord_vec3_madd(CordVec3 a, CordVec3 b, double s) // a + s b
{
    return cord_vec3(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}

static inline CordVec3 cord_vec3_lerp(CordVec3 a, CordVec3 b, double s) // (1 - s) a + s b
{
    return cord_vec3_madd(cord_vec3_scale(a, 1.0 - s), b, s);
}

static inline double cord_vec3_dot(CordVec3 a, CordVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline CordVec3 cord_vec3_cross(CordVec3 a, CordVec3 b)
{
    return cord_vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double cord_vec3_length(CordVec3 a)
{
    return sqrt(cord_vec3_dot(a, a));
}

static inline double cord_vec3_distance(CordVec3 a, CordVec3 b)
{
    return cord_vec3_length(cord_vec3_sub(a, b));
}

static inline bool cord_vec3_finite(CordVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline CordVec3 cord_vec3_unit(CordVec3 a) // a must not be zero
{
    return cord_vec3_scale(a, 1.0 / cord_vec3_length(a));
}

// The unit vector along a, or `otherwise` if a is zero or its length is not finite.
static inline CordVec3 cord_vec3_unit_or(CordVec3 a, CordVec3 otherwise)
{
    double length = cord_vec3_length(a);
    return length > 0.0 && isfinite(length) ? cord_vec3_scale(a, 1.0 / length) : otherwise;
}

// The part of a at right angles to the unit vector t.
static inline CordVec3 cord_vec3_reject(CordVec3 a, CordVec3 t)
{
    return cord_vec3_madd(a, t, -cord_vec3_dot(a, t));
}

// ---- rotations: unit quaternions

static inline CordQuat cord_quat_identity(void)
{
    CordQuat q = {0.0, 0.0, 0.0, 1.0};
    return q;
}

static inline CordQuat cord_quat_mul(CordQuat a, CordQuat b) // the rotation b, then a
{
    CordQuat q = {
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
    return q;
}

static inline CordQuat cord_quat_inverse(CordQuat q) // the conjugate of a unit quaternion
{
    CordQuat inverse = {-q.x, -q.y, -q.z, q.w};
    return inverse;
}

static inline double cord_quat_norm(CordQuat q)
{
    return sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
}

static inline CordQuat cord_quat_unit(CordQuat q) // q must not be zero
{
    double s = 1.0 / cord_quat_norm(q);
    CordQuat unit = {q.x * s, q.y * s, q.z * s, q.w * s};
    return unit;
}

// a + 2 w (u x a) + 2 u x (u x a), where u is the vector part of q. cord_quat_about makes q from an axis.
static inline CordVec3 cord_quat_rotate(CordQuat q, CordVec3 a)
{
    CordVec3 u = {q.x, q.y, q.z};
    CordVec3 c = cord_vec3_scale(cord_vec3_cross(u, a), 2.0);
    return cord_vec3_add(cord_vec3_madd(a, c, q.w), cord_vec3_cross(u, c));
}

#ifdef __cplusplus
}
#endif

#endif
