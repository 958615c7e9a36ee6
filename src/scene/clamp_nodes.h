// The place of a clamp: one place on a rod, or many nodes of a modal rod, which move as one rigid body.
#ifndef CORD_SCENE_CLAMP_NODES_H
#define CORD_SCENE_CLAMP_NODES_H

#include "scene/values.h"

typedef struct ClampPlace {
    CordPlace one;
    bool many; // a list of nodes, or a box
    Region box;
} ClampPlace;

ValueReader read_clamp_place; // ClampPlace

typedef struct ClampNodes {
    int* list; // ascending (count)
    int count;
    CordVec3 middle; // their mean position [m]
} ClampNodes;

// Finds the nodes of the clamp `entry`, whose place is many nodes. False: a note was added, or there is no
// memory.
bool clamp_nodes_make(Reader* r, const JsonValue* entry, const ClampPlace* place, int rod, ClampNodes* nodes);

// Changes the motions of the clamp `entry` so that all nodes move as one rigid body: turns about the clamped
// point become turns about their middle. False: a note was added, or there is no memory.
bool clamp_nodes_move(Reader* r, const JsonValue* entry, CordVec3 middle, CordClampDef* def);

#endif
