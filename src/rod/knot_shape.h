// Space curves of tied knots, from their drawings.
#ifndef CORD_ROD_KNOT_SHAPE_H
#define CORD_ROD_KNOT_SHAPE_H

#include "base/memory.h"
#include "base/message.h"

CordResult knot_shape_check(const CordShape* shape, bool closed, Message* message);

// Points close together along the curve of `shape`, which shape_check has accepted. The caller frees them.
CordResult knot_shape_points(Memory* m, const CordShape* shape, CordVec3** points, int* count,
                             Message* message);

#endif
