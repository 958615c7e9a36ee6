// The axes of a rod's cross-sections at edges and at nodes.
#ifndef CORD_EXPORT_SECTION_H
#define CORD_EXPORT_SECTION_H

#include <cordage/io.h>

typedef struct SectionAxes {
    CordVec3 t, m1; // unit vectors at right angles; m2 = t x m1
} SectionAxes;

// `rod` must point into the frame's rods.
SectionAxes section_of_edge(const CordFrame* frame, const CordFrameRod* rod, int edge);
SectionAxes section_of_node(const CordFrame* frame, const CordFrameRod* rod,
                            int node); // of chains; half way between the edges beside it
double section_edge_length(const CordFrame* frame, const CordFrameRod* rod, int edge); // current length [m]

#endif
