// Vectors of the pictures, by value: directions and points as CordVec3, and what a surface does to them.
#ifndef CORD_EXPORT_PICTURE_MATH_H
#define CORD_EXPORT_PICTURE_MATH_H

#include <cordage/cordage.h>

#include <math.h>

#define PICTURE_PI 3.14159265358979323846

static inline CordVec3 pv_add(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline CordVec3 pv_sub(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline CordVec3 pv_mul(CordVec3 a, double s)
{
    return (CordVec3){a.x * s, a.y * s, a.z * s};
}

static inline CordVec3 pv_madd(CordVec3 a, CordVec3 b, double s) // a + s b
{
    return (CordVec3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

static inline CordVec3 pv_mix(CordVec3 a, CordVec3 b, double s) // a at s = 0, b at s = 1
{
    return pv_madd(pv_mul(a, 1.0 - s), b, s);
}

static inline double pv_dot(CordVec3 a, CordVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline CordVec3 pv_cross(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double pv_length(CordVec3 a)
{
    return sqrt(pv_dot(a, a));
}

static inline bool pv_finite(CordVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// a / |a|, or `otherwise` if a has no direction.
static inline CordVec3 pv_unit_or(CordVec3 a, CordVec3 otherwise)
{
    double length = pv_length(a);
    return length > 0 && isfinite(length) ? pv_mul(a, 1.0 / length) : otherwise;
}

// Unit vectors u, v that make a right-handed frame with the unit vector n (Duff et al.'s formula: no branch,
// no pole).
static inline void pv_frame(CordVec3 n, CordVec3* u, CordVec3* v)
{
    double sign = copysign(1.0, n.z);
    double a = -1.0 / (sign + n.z);
    double b = n.x * n.y * a;
    *u = (CordVec3){1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *v = (CordVec3){b, sign + n.y * n.y * a, -n.y};
}

// The axes of a body, in space; a rotation that is none leaves them as they are.
static inline void pv_axes(CordQuat q, CordVec3 axes[3])
{
    double square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    double s = square > 0 && isfinite(square) ? 2.0 / square : 0;
    axes[0] = (CordVec3){1.0 - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y + q.w * q.z),
                         s * (q.x * q.z - q.w * q.y)};
    axes[1] = (CordVec3){s * (q.x * q.y - q.w * q.z), 1.0 - s * (q.x * q.x + q.z * q.z),
                         s * (q.y * q.z + q.w * q.x)};
    axes[2] = (CordVec3){s * (q.x * q.z + q.w * q.y), s * (q.y * q.z - q.w * q.x),
                         1.0 - s * (q.x * q.x + q.y * q.y)};
}

static inline CordVec3 pv_from_axes(const CordVec3 axes[3], CordVec3 a) // from the body to space
{
    return pv_madd(pv_madd(pv_mul(axes[0], a.x), axes[1], a.y), axes[2], a.z);
}

static inline CordVec3 pv_to_axes(const CordVec3 axes[3], CordVec3 a) // and back
{
    return (CordVec3){pv_dot(axes[0], a), pv_dot(axes[1], a), pv_dot(axes[2], a)};
}

// fmin and fmax are calls into the library, for the sake of numbers that are none; these are an instruction.
static inline double pv_min(double a, double b)
{
    return a < b ? a : b;
}

static inline double pv_max(double a, double b)
{
    return a > b ? a : b;
}

static inline double pv_clamp(double a, double low, double high)
{
    return a < low ? low : a > high ? high : a;
}

static inline double pv_smoothstep(double from, double to, double a)
{
    double s = pv_clamp((a - from) / (to - from), 0.0, 1.0);
    return s * s * (3.0 - 2.0 * s);
}

#endif
