// The frames of an export that moves. All of them are looked at before anything is written, so that what is made of the first goes with the last.
#ifndef CORD_EXPORT_TAKE_H
#define CORD_EXPORT_TAKE_H

#include "export/ring.h"

typedef struct Take {
    const CordFrames* frames;
    const CordExportDef* def;
    CordPictureDef picture; // camera and ground, placed
    int count;              // frames
    double* time; // since the first [s]; of a branch, or where time stands still, TAKE_COUNTED for each (count)
    bool counted;
    int rod_count, body_count, obstacle_count, surface_count;
    RodRings* rods;       // (rod_count)
    Ring* rings;          // scratch, of the rod that has most of them
    CordVec3 low, high;   // around all that is there in any frame [m]
    double floor;         // height of a plane that faces up in the first [m]; NAN: there is none
    PictureCurves curves; // of the frame read last
} Take;

#define TAKE_COUNTED (1.0 / 25.0)

CordResult take_begin(Take* take, const CordFrames* frames, const CordExportDef* def, CordMessage* message);
void take_end(Take* take);

CordResult take_read(Take* take, int index, CordFrame* frame, CordMessage* message); // from 0, and its curves
const Ring* take_rings(Take* take, const CordFrame* frame, int rod); // of the frame read last, until the next call
int take_group(const Take* take, int rod);                           // which of the pairs of colours it has

#endif
