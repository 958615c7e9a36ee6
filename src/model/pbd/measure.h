// Limits of the strain measure of position-based rods, shared by queries and kernels.
#ifndef CORD_MODEL_PBD_MEASURE_H
#define CORD_MODEL_PBD_MEASURE_H

#define PBD_FOLDED 1e-6 // limit of 1 + trace R = 4 cos(phi/2)^2: closer to a fold beta is bounded
#define PBD_FLAT 1e-24  // limit of the same: closer to a fold the rotation axis is undetermined
#define PBD_SHORT 1e-3  // share of the rest length: a shorter edge rotates like one of this length

#endif
