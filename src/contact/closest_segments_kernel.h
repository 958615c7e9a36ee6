// Closest points of four pairs of segments at a time, for the narrow phase.
#ifndef CORD_CONTACT_CLOSEST_SEGMENTS_KERNEL_H
#define CORD_CONTACT_CLOSEST_SEGMENTS_KERNEL_H

#include "contact/closest_points.h"
#include "math/kernel.h"

typedef struct ClosestSegmentsKernels {
    // With the bits of closest_segment_segment. node[i][k]: of pair k, the ends of its first segment, then
    // those of its second, among the positions x [m].
    void (*four)(const CordVec3* x, int node[4][4], ClosestPoints closest[4]);
} ClosestSegmentsKernels;

KERNEL_DECLARE(ClosestSegmentsKernels, closest_segments_kernels);

#endif
