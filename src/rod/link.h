// Linking numbers of polygons that may be open.
#ifndef CORD_ROD_LINK_H
#define CORD_ROD_LINK_H

#include "base/memory.h"

typedef struct LinkLine {
    const CordVec3* x; // (count)
    int count;
    bool closed;
} LinkLine;

// As cord_polygon_linking_number, with memory from m.
int64_t link_number(Memory* m, LinkLine a, LinkLine b);

#endif
