// The rods of several worlds at one moment, in one picture.
#ifndef CORDAGE_CLI_COMPARE_OVERLAY_H
#define CORDAGE_CLI_COMPARE_OVERLAY_H

#include "compare_variant.h"

#include <cordage/io.h>

typedef struct Overlay {
    double time; // [s]
    int rod_count, edge_count, node_count, body_count;
    CordFrameRod* rods;    // (rod_count)
    CordVec3* x;           // [m] (node_count)
    CordVec3* m1;          // (edge_count)
    double* radius;        // [m] (edge_count)
    int* ends;             // the nodes of each edge (2 edge_count)
    CordFrameBody* bodies; // (body_count)
    CordPictureGroup groups[VARIANTS_MOST];
    int group_count;
} Overlay;

// Copies what is to be seen of the frames, one for each variant; NULL: it has none, and its colour is left
// out. False: no memory.
bool overlay_make(Overlay* overlay, const CordFrame* const* frames, const VariantList* variants);
void overlay_free(Overlay* overlay);

// The picture, with the obstacles of `stage`, which all of them share. False: it has been said.
bool overlay_draw(const Overlay* overlay, const CordFrame* stage, const CordSceneCamera* camera,
                  const char* path);

#endif
