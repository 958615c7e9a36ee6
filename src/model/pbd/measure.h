// Where the measure of strain of position-based rods ends: for queries and kernels alike.
#ifndef CORD_MODEL_PBD_MEASURE_H
#define CORD_MODEL_PBD_MEASURE_H

#define PBD_FOLDED 1e-6 // 1 + trace of R, 4 cos(phi/2)^2: nearer to a fold than that beta grows no further
#define PBD_FLAT 1e-24  // likewise: there is no axis to be told from it
#define PBD_SHORT 1e-3  // of its rest length: an edge that is shorter turns no faster than one of this length

#endif
