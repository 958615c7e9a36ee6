// The axes of a rod's sections, as a frame has them for edges and as they are between them.
#ifndef CORD_EXPORT_SECTION_H
#define CORD_EXPORT_SECTION_H

#include <cordage/io.h>

typedef struct SectionAxes {
    CordVec3 t, m1; // unit, at right angles; m2 = t x m1
} SectionAxes;

// rods are the frame's own
SectionAxes section_of_edge(const CordFrame* frame, const CordFrameRod* rod, int edge);
SectionAxes section_of_node(const CordFrame* frame, const CordFrameRod* rod,
                            int node); // half way between its edges: of chains alone
double section_edge_length(const CordFrame* frame, const CordFrameRod* rod, int edge); // as it is now [m]

#endif
