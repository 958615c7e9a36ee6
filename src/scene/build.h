// What building a world from a scene needs beyond the defs: per-edge arrays of rods, and checks of welds.
#ifndef CORD_SCENE_BUILD_H
#define CORD_SCENE_BUILD_H

#include "scene/scene.h"

typedef struct EdgeArrays {
    Pool pool;
    int node_count, edge_count;
    CordVec3* x;                // sampled shape [m] (node_count)
    CordSection* sections;      // (edge_count), NULL: one section for all edges
    CordStiffness* stiffnesses; // (edge_count), NULL: none is given
    CordVec3* m1;               // (edge_count), NULL: m1 is transported from the first edge
} EdgeArrays;

// Fills *def with the rod's def and with arrays for what differs from edge to edge. The arrays live until
// edge_arrays_free. On CORD_BAD_ARGUMENT the scene has a note about rods[index]. `hooks` gives the memory in
// which the shape is sampled.
CordResult edge_arrays_make(CordScene* scene, int index, const CordWorldDef* hooks, EdgeArrays* arrays,
                            CordRodDef* def);
void edge_arrays_free(CordScene* scene, EdgeArrays* arrays); // after a failure too

// A note of what the world refused: `entry` of a list asked for it, and the note stands at `at`.
void note_refusal(CordScene* scene, const JsonValue* entry, const JsonValue* at, const char* message);

// Samples the shape of a chain into its nodes (node_count). Results are those of edge_arrays_make.
CordResult sample_shape(CordScene* scene, int index, const CordWorldDef* hooks, CordVec3* x);

// Compares the offset that a weld gives with the place of the welded point in the world. On CORD_BAD_ARGUMENT
// they differ, and the scene has a note about welds[index]. Warns of a point that is far from the body.
CordResult weld_check_place(CordScene* scene, int index, const CordWorld* world, const CordWeldDef* def);

// Warns of values that cannot be meant, by what follows from them in the world of the scene.
void plausible_check(CordScene* scene, const CordWorld* world);

// Warns of motions, loads and releases that can never act.
void inert_check(CordScene* scene, const CordWorld* world);

#endif
