// Space curves of tied knots, from their drawings.
#ifndef CORD_ROD_KNOT_SHAPE_H
#define CORD_ROD_KNOT_SHAPE_H

#include "rod/shape.h"

CordResult knot_shape_check(const CordShape* shape, bool closed, Message* message);

// Points close together along the curve of `shape`, which shape_check has accepted. The caller frees them.
CordResult knot_shape_points(Memory* m, const CordShape* shape, CordVec3** points, int* count,
                             Message* message);

// Checks that what the shape is sampled into is still its knot, and linked with the knot's other ropes and
// the pole of a hitch. A message says how many elements it takes. Shapes that are no knots pass.
CordResult knot_sampling_check(Memory* m, const CordShape* shape, ShapeEnds ends, Message* message);

#endif
