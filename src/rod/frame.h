// Frames along a polygon: parallel transport, angles between frames, twist, writhe and link.
#ifndef CORD_ROD_FRAME_H
#define CORD_ROD_FRAME_H

#include "math/vec3.h"

// Parallel transport of u, at right angles to the unit tangent s, to the unit tangent t: the least rotation
// that turns s into t. For such u the formula of DER section 4.2.2 shortens to a reflection in the plane
// between s and t. If t is -s, no rotation is the least; u is at right angles to both and stays.
static inline CordVec3 frame_transport(CordVec3 u, CordVec3 s, CordVec3 t)
{
    double c = 1.0 + vec3_dot(s, t), ratio = c != 0.0 ? vec3_dot(u, t) / c : 0.0;
    return vec3_madd(u, vec3_add(s, t), -ratio);
}

double frame_angle(CordVec3 from, CordVec3 to, CordVec3 t);  // about the unit vector t, (-pi, pi]
CordVec3 frame_rotate(CordVec3 u, CordVec3 t, double angle); // u, at right angles to t, turned about it

// `angle` plus the whole turns that bring it nearest to `last`.
double frame_unwrap(double angle, double last);

#endif
