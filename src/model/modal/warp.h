// Warping (MW section 3.3): a displacement u and a turn w of linear theory, made into a displacement that
// keeps lengths where turns are large.
#ifndef CORD_MODEL_MODAL_WARP_H
#define CORD_MODEL_MODAL_WARP_H

#include "math/vec3.h"

typedef struct Warp {
    CordVec3 w;              // [rad]
    double sine, mean, rest; // sin|w| / |w|, (1 - cos|w|) / |w|^2, (1 - sin|w| / |w|) / |w|^2
} Warp;

Warp warp_of(CordVec3 w);
CordVec3 warp_displace(const Warp* warp, CordVec3 u);  // W(w) u, the mean of exp(s [w]) over s from 0 to 1
CordVec3 warp_turn(const Warp* warp, CordVec3 a);      // exp([w]) a: from the node's axes to the frame's
CordVec3 warp_turn_back(const Warp* warp, CordVec3 a); // the reverse
CordVec3 warp_velocity(const Warp* warp, CordVec3 u, CordVec3 w_rate, CordVec3 u_rate); // of W(w) u

#endif
