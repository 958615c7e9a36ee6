// Four corners at a time, for every law: frames, strains and twist, and the chain rule from the derivatives
// in the strains to those in tangents and frame angles. Only kernels include this header.
#ifndef CORD_MODEL_FRAMED_CORNER_WIDE_H
#define CORD_MODEL_FRAMED_CORNER_WIDE_H

#include "math/wide3.h"
#include "model/framed/corner.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Frame { // of four edges
    Wide3 t, m1, m2;
    CordWide inv_len;
} Frame;

WIDE_INLINE Wide3 load_const3(double* const a[3], int s)
{
    return (Wide3){wide_load(a[0] + s), wide_load(a[1] + s), wide_load(a[2] + s)};
}

WIDE_INLINE Frame frame_at(const CornerEdges* edges, int s)
{
    Frame f = {.t = load_const3(edges->t, s),
               .m1 = load_const3(edges->m1, s),
               .inv_len = wide_load(edges->inv_len + s)};
    f.m2 = cross3(f.t, f.m1);
    return f;
}

WIDE_INLINE bool all_of(CordWideMask m)
{
#if defined(__AVX__)
    return _mm256_movemask_pd((__m256d)m) == 15;
#else
    return m[0] & m[1] & m[2] & m[3];
#endif
}

// ---- strains

typedef struct Corner { // four of them
    Frame e, f;
    CordWide c, q, r;           // cosine of the turning angle, 2 / (1 + c), 1 / (1 + c)
    CordWide a[2], b[2];        // t_f in the frame of e, and t_e in the frame of f
    CordWide A[2], B[2];        // strains: q a and -q b, as kb = q t_e x t_f (DER eq. 1 and 2)
    CordWide g_e[2], g_f[2], T; // moments: derivatives of the energy with respect to A, B and m
} Corner;

WIDE_INLINE void strains_of(Corner* k)
{
    k->c = dot3(k->e.t, k->f.t);
    k->r = wide_set(1.0) / (wide_set(1.0) + k->c);
    k->q = k->r + k->r;
    Wide3 x = cross3(k->e.t, k->f.t);
    k->a[0] = dot3(k->f.t, k->e.m1), k->a[1] = -dot3(x, k->e.m1);
    k->b[0] = dot3(k->e.t, k->f.m1), k->b[1] = dot3(x, k->f.m1);
    for (int i = 0; i < 2; i++) {
        k->A[i] = k->q * k->a[i];
        k->B[i] = -(k->q * k->b[i]);
    }
}

WIDE_INLINE Corner corner_at(const CornerInput* in, int s)
{
    Corner k = {.e = frame_at(in->edges, s - 1), .f = frame_at(in->edges, s)};
    strains_of(&k);
    return k;
}

// Strain minus rest strain, plus the viscous part: viscous * (strain - past strain).
WIDE_INLINE CordWide strained(const CornerInput* in, CordWide strain, const double* rest, const double* past,
                              int s, bool damped)
{
    CordWide d = strain - wide_load(rest + s);
    return damped ? d + wide_set(in->viscous) * (strain - wide_load(past + s)) : d;
}

WIDE_INLINE CordWide quadratic(const CordWide B[3], CordWide u, CordWide v)
{
    return B[0] * u * u + wide_set(2.0) * B[1] * u * v + B[2] * v * v;
}

typedef struct LawEnergy { // twice the energies
    CordWide bend, twist, viscous;
} LawEnergy;

typedef struct LawTurns { // second derivatives of the energy with respect to the two frame angles
    CordWide ee, ef, ff;
} LawTurns;

// ---- twist

// Coefficients of the odd Taylor series of asin.
static const double arc[] = {1.0 / 6,
                             3.0 / 40,
                             15.0 / 336,
                             105.0 / 3456,
                             945.0 / 42240,
                             10395.0 / 599040,
                             135135.0 / 9676800,
                             2027025.0 / 175472640,
                             34459425.0 / 3530096640.0,
                             654729075.0 / 78033715200.0,
                             13749310575.0 / 1880240947200.0};

WIDE_INLINE CordWide small_asin(CordWide s) // |s| <= 1/16: relative error below 2e-19
{
    CordWide q = s * s, qq = q * q;
    CordWide low = wide_set(arc[0]) + wide_set(arc[1]) * q, middle = wide_set(arc[2]) + wide_set(arc[3]) * q,
             high = wide_set(arc[4]) + wide_set(arc[5]) * q;
    return s + s * q * (low + qq * (middle + qq * high));
}

WIDE_INLINE CordWide medium_asin(CordWide s) // |s| <= 1/4: relative error below 3e-17
{
    CordWide q = s * s, sum = wide_set(arc[10]);
    for (int i = 9; i >= 0; i--) {
        sum = sum * q + wide_set(arc[i]);
    }
    return s + s * q * sum;
}

// atan2(s, c): the angle is reflected at pi/2, pi/4, pi/8 and pi/16 in turn, until it is at most pi/16.
WIDE_INLINE CordWide any_angle(CordWide c, CordWide s)
{
    static const double mirror[][5] = {
        // angle, its cosine and sine, those of its half
        {3.14159265358979323846, -1.0, 0.0, 0.0, 1.0},
        {1.57079632679489661923, 0.0, 1.0, 0.70710678118654752440, 0.70710678118654752440},
        {0.78539816339744830962, 0.70710678118654752440, 0.70710678118654752440, 0.92387953251128675613,
         0.38268343236508977173},
        {0.39269908169872415481, 0.92387953251128675613, 0.38268343236508977173, 0.98078528040323044913,
         0.19509032201612826785}};
    CordWide sum = wide_set(0.0), sign = wide_set(1.0);
    CordWideMask negative = (CordWideMask)(s < sum);
    s = wide_abs(s);
    for (int i = 0; i < 4; i++) {
        CordWideMask beyond = (CordWideMask)(s * wide_set(mirror[i][3]) > c * wide_set(mirror[i][4]));
        CordWide cosine = wide_set(mirror[i][1]), sine = wide_set(mirror[i][2]);
        CordWide mirrored_c = c * cosine + s * sine, mirrored_s = c * sine - s * cosine;
        sum = wide_select(beyond, sum + sign * wide_set(mirror[i][0]), sum);
        sign = wide_select(beyond, -sign, sign);
        c = wide_select(beyond, mirrored_c, c);
        s = wide_select(beyond, mirrored_s, s);
    }
    sum += sign * medium_asin(s);
    return wide_select(negative, -sum, sum);
}

WIDE_INLINE CordWide unwrapped(CordWide angle, CordWide last) // frame_unwrap
{
    // adding and subtracting 1.5 * 2^52 rounds to the nearest integer
    const CordWide whole = wide_set(6755399441055744.0);
    CordWide turns = ((last - angle) * wide_set(0.15915494309189533577) + whole) - whole;
    return angle + wide_set(6.28318530717958647692) * turns;
}

// Twist m: the angle from the frame of e, transported to f, to the frame of f, unwrapped to be nearest to
// `last`.
WIDE_INLINE CordWide twist_of(const Corner* k, CordWide last)
{
    const CordWide zero = wide_set(0.0);
    // frame_transport
    CordWide ratio = wide_select((CordWideMask)(k->c != wide_set(-1.0)), k->r * k->a[0], zero);
    CordWide cosine = dot3(k->e.m1, k->f.m1) - ratio * k->b[0];
    CordWide sine = ratio * k->b[1] - dot3(k->e.m1, k->f.m2);
    CordWideMask small = (CordWideMask)(wide_abs(sine) <= wide_set(0.0625)) & (CordWideMask)(cosine >= zero) &
                         (CordWideMask)(wide_abs(last) <= wide_set(3.0));
    return all_of(small) ? small_asin(sine) : unwrapped(any_angle(cosine, sine), last);
}

// ---- first derivatives

WIDE_INLINE CordWide phi_e_gradient(const Corner* k)
{
    return k->g_e[0] * k->A[1] - k->g_e[1] * k->A[0] - k->T;
}

WIDE_INLINE CordWide phi_f_gradient(const Corner* k)
{
    return k->g_f[0] * k->B[1] - k->g_f[1] * k->B[0] + k->T;
}

// Derivatives of the energy with respect to the two unit tangents. They are perpendicular to the tangents;
// divided by the edge length they are those with respect to the edge vectors. With M = g1 m2 - g2 m1 summed
// over both frames, the derivative of M.kb with respect to t_e is r (2 t_f x M - kb.M (t_e + t_f)); twist
// adds T kb / 2, the holonomy (DER eq. 9).
WIDE_INLINE void tangent_gradient(const Corner* k, Wide3* on_e, Wide3* on_f)
{
    Wide3 M = sub3(add3(mul3(k->e.m2, k->g_e[0]), mul3(k->f.m2, k->g_f[0])),
                   add3(mul3(k->e.m1, k->g_e[1]), mul3(k->f.m1, k->g_f[1])));
    CordWide K = k->g_e[0] * k->A[0] + k->g_e[1] * k->A[1] + k->g_f[0] * k->B[0] + k->g_f[1] * k->B[1];
    M = add3(M, M);
    Wide3 both = mul3(add3(k->e.t, k->f.t), K);
    *on_e = mul3(sub3(cross3(k->f.t, madd3(M, k->e.t, -k->T)), both), k->r);
    *on_f = mul3(sub3(cross3(madd3(M, k->f.t, -k->T), k->e.t), both), k->r);
}

WIDE_INLINE void store_gradient(const CornerGradient* out, int s, const Corner* k)
{
    Wide3 on_e, on_f;
    tangent_gradient(k, &on_e, &on_f);
    store3(out->e, s, mul3(on_e, k->e.inv_len));
    store3(out->f, s, mul3(on_f, k->f.inv_len));
    wide_store(out->phi_e + s, phi_e_gradient(k));
    wide_store(out->phi_f + s, phi_f_gradient(k));
}

// Internal moment: the derivative of the energy with respect to a rigid rotation of the rod after the corner.
WIDE_INLINE Wide3 moment_of(const Corner* k)
{
    Wide3 on_e, on_f;
    tangent_gradient(k, &on_e, &on_f);
    return madd3(cross3(k->f.t, on_f), k->f.t, phi_f_gradient(k));
}

#endif
