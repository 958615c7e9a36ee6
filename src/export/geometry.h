// Geometry that cordage/math.h does not have: frames of axes, and limits of numbers.
#ifndef CORD_EXPORT_GEOMETRY_H
#define CORD_EXPORT_GEOMETRY_H

#include <cordage/math.h>

// Unit vectors u, v that make a right-handed frame with the unit vector n. The formula has no branch and no
// pole: Duff et al., Building an Orthonormal Basis, Revisited (2017).
static inline void frame_about(CordVec3 n, CordVec3* u, CordVec3* v)
{
    double sign = copysign(1.0, n.z);
    double a = -1.0 / (sign + n.z);
    double b = n.x * n.y * a;
    *u = (CordVec3){1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *v = (CordVec3){b, sign + n.y * n.y * a, -n.y};
}

// The axes of a rotated body in space. A quaternion that is zero or not finite counts as the identity.
static inline void axes_of_rotation(CordQuat q, CordVec3 axes[3])
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

static inline CordVec3 axes_to_space(const CordVec3 axes[3], CordVec3 a) // body axes to space
{
    return cord_vec3_madd(cord_vec3_madd(cord_vec3_scale(axes[0], a.x), axes[1], a.y), axes[2], a.z);
}

static inline CordVec3 axes_from_space(const CordVec3 axes[3], CordVec3 a) // space to body axes
{
    return (CordVec3){cord_vec3_dot(axes[0], a), cord_vec3_dot(axes[1], a), cord_vec3_dot(axes[2], a)};
}

// One instruction each; fmin and fmax are library calls, because they treat NAN as missing.
static inline double min_of(double a, double b)
{
    return a < b ? a : b;
}

static inline double max_of(double a, double b)
{
    return a > b ? a : b;
}

static inline double clamp(double a, double low, double high)
{
    return a < low ? low : a > high ? high : a;
}

static inline double smoothstep(double from, double to, double a)
{
    double s = clamp((a - from) / (to - from), 0.0, 1.0);
    return s * s * (3.0 - 2.0 * s);
}

#endif
