// Frames along a polygon: parallel transport, angles between frames, twist, writhe and linking number.
#ifndef CORD_ROD_FRAME_H
#define CORD_ROD_FRAME_H

#include "math/vec3.h"

// Parallel transport of u, perpendicular to the unit tangent s, to the unit tangent t (DER section 4.2.2):
// the smallest rotation from s to t. For such u it shortens to u - (u.t) / (1 + s.t) (s + t). If t = -s the
// smallest rotation is not unique; u is perpendicular to both and stays.
static inline CordVec3 frame_transport(CordVec3 u, CordVec3 s, CordVec3 t)
{
    double c = 1.0 + vec3_dot(s, t), ratio = c != 0.0 ? vec3_dot(u, t) / c : 0.0;
    return vec3_madd(u, vec3_add(s, t), -ratio);
}

double frame_angle(CordVec3 from, CordVec3 to, CordVec3 t);  // about the unit vector t, (-pi, pi]
CordVec3 frame_rotate(CordVec3 u, CordVec3 t, double angle); // u, perpendicular to t, rotated about it

// `angle` plus the multiple of 2 pi that brings it nearest to `last`.
double frame_unwrap(double angle, double last);

#endif
