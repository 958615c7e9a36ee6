#include "model/modal/warp.h"

#include "math/elementary.h"

#define SMALL2 1e-2 // |w|^2 below which the series are used; the first neglected terms are below 1e-17

static double series3(double x, double a, double b, double c, double d, double e, double f)
{
    return a + x * (b + x * (c + x * (d + x * (e + x * f))));
}

Warp warp_of(CordVec3 w)
{
    double x = vec3_dot(w, w);
    if (x < SMALL2) {
        return (Warp){
            w, series3(x, 1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800),
            series3(x, 0.5, -1.0 / 24, 1.0 / 720, -1.0 / 40320, 1.0 / 3628800, -1.0 / 479001600),
            series3(x, 1.0 / 6, -1.0 / 120, 1.0 / 5040, -1.0 / 362880, 1.0 / 39916800, -1.0 / 6227020800)};
    }
    double angle = sqrt(x), sine, cosine;
    cord_sin_cos(angle, &sine, &cosine);
    double s = sine / angle;
    return (Warp){w, s, (1.0 - cosine) / x, (1.0 - s) / x};
}

// a + p w x a + q w x (w x a)
static CordVec3 combine(CordVec3 w, CordVec3 a, double p, double q)
{
    CordVec3 once = vec3_cross(w, a);
    return vec3_madd(vec3_madd(a, once, p), vec3_cross(w, once), q);
}

CordVec3 warp_displace(const Warp* warp, CordVec3 u)
{
    return combine(warp->w, u, warp->mean, warp->rest);
}

CordVec3 warp_turn(const Warp* warp, CordVec3 a)
{
    return combine(warp->w, a, warp->sine, warp->mean);
}

CordVec3 warp_turn_back(const Warp* warp, CordVec3 a)
{
    return combine(warp->w, a, -warp->sine, warp->mean);
}

// Derivatives of mean and rest with respect to |w|^2 / 2. Times w.w' they are the time derivatives.
static void slopes(const Warp* warp, double* mean, double* rest)
{
    double x = vec3_dot(warp->w, warp->w);
    if (x < SMALL2) {
        *mean = series3(x, -1.0 / 12, 1.0 / 180, -1.0 / 6720, 1.0 / 453600, -1.0 / 47900160, 0.0);
        *rest = series3(x, -1.0 / 60, 1.0 / 1260, -1.0 / 60480, 1.0 / 4989600, -1.0 / 622702080, 0.0);
        return;
    }
    *mean = (warp->sine - 2.0 * warp->mean) / x;
    *rest = (warp->mean - 3.0 * warp->rest) / x;
}

CordVec3 warp_velocity(const Warp* warp, CordVec3 u, CordVec3 w_rate, CordVec3 u_rate)
{
    double mean, rest, rate = vec3_dot(warp->w, w_rate);
    slopes(warp, &mean, &rest);
    CordVec3 w = warp->w, once = vec3_cross(w, u), turned = vec3_cross(w_rate, u);
    CordVec3 v = warp_displace(warp, u_rate);
    v = vec3_madd(v, once, mean * rate);
    v = vec3_madd(v, vec3_cross(w, once), rest * rate);
    v = vec3_madd(v, turned, warp->mean);
    return vec3_madd(v, vec3_add(vec3_cross(w_rate, once), vec3_cross(w, turned)), warp->rest);
}
