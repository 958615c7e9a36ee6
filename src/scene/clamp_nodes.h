// Where a clamp holds its rod: at one place, or at many nodes of a modal rod, which then move as one body.
#ifndef CORD_SCENE_CLAMP_NODES_H
#define CORD_SCENE_CLAMP_NODES_H

#include "scene/values.h"

typedef struct ClampPlace {
    CordPlace one;
    const JsonValue* nodes;  // a list of them; NULL: not given
    const JsonValue* in_box; // NULL: not given
    Region box;
} ClampPlace;

void read_clamp_place(Reader* r, const JsonValue* value, void* place); // ClampPlace

typedef struct ClampNodes {
    int* list; // ascending (count), in memory of their own
    int count;
    CordVec3 middle; // of them all [m]
} ClampNodes;

// The nodes that such a place names on a rod; `at` is the value of the place. False: noted, or there is no
// memory.
bool clamp_nodes_make(Reader* r, const JsonValue* at, const ClampPlace* place, int rod, ClampNodes* nodes);
void clamp_nodes_free(Reader* r, ClampNodes* nodes);

// Makes the motions of the clamp `entry` such that all nodes move as one body: what turns about the clamped
// point turns about their middle. False: that cannot be, and is noted, or there is no memory.
bool clamp_nodes_move(Reader* r, const JsonValue* entry, CordVec3 middle, CordClampDef* def);

#endif
