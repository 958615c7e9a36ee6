// Modal warping (MW section 3.3; Choi and Ko 2005): converts the displacement u and the rotation vector w of
// linear theory to a displacement that hardly changes lengths under large rotations.
#ifndef CORD_MODEL_MODAL_WARP_H
#define CORD_MODEL_MODAL_WARP_H

#include "math/vec3.h"

typedef struct Warp {
    CordVec3 w;              // [rad]
    double sine, mean, rest; // sin|w| / |w|, (1 - cos|w|) / |w|^2, (1 - sin|w| / |w|) / |w|^2
} Warp;

Warp warp_of(CordVec3 w);
CordVec3 warp_displace(const Warp* warp, CordVec3 u);  // W(w) u, W the mean of exp(s [w]) over 0 <= s <= 1
CordVec3 warp_turn(const Warp* warp, CordVec3 a);      // exp([w]) a: from the node's axes to the carrier's
CordVec3 warp_turn_back(const Warp* warp, CordVec3 a); // exp(-[w]) a
CordVec3 warp_velocity(const Warp* warp, CordVec3 u, CordVec3 w_rate, CordVec3 u_rate); // d/dt of W(w) u

#endif
