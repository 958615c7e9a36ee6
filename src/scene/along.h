// What varies along a rod, edge by edge, as cord_rod_create takes it. It is worked out when the rod is built,
// from the nodes that its shape is sampled into.
#ifndef CORD_SCENE_ALONG_H
#define CORD_SCENE_ALONG_H

#include "scene/scene.h"

typedef struct Along {
    int node_count, edge_count;
    CordVec3* x;                // (node_count)
    CordSection* sections;      // (edge_count), NULL: one for all
    CordStiffness* stiffnesses; // (edge_count), NULL: none
    CordVec3* m1;               // (edge_count), NULL: carried along
} Along;

// Fills *def with the rod's def and, where something varies, arrays that live until along_free. On
// CORD_BAD_ARGUMENT what is wrong has been noted, as about rods[index]. `hooks`: memory for sampling.
CordResult along_make(CordScene* scene, int index, const CordWorldDef* hooks, Along* along, CordRodDef* def);
// The nodes that the shape of a rod is sampled into (node_count), unless it is a network. As along_make
// otherwise.
CordResult along_sample(CordScene* scene, int index, const CordWorldDef* hooks, CordVec3* x);

void along_free(CordScene* scene, Along* along); // after a failure too

#endif
