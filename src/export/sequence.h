// The frames of an export that moves. All of them are looked at before anything is written, so that what is
// made of the first goes with the last.
#ifndef CORD_EXPORT_SEQUENCE_H
#define CORD_EXPORT_SEQUENCE_H

#include "export/tessellation.h"

typedef struct Sequence {
    const CordFrames* frames;
    const CordExportDef* def;
    CordPictureDef picture; // camera and ground, placed
    int count;              // frames
    // since the first [s]; of a branch, or where time stands still, SEQUENCE_INTERVAL for each (count)
    double* time;
    bool counted;
    int rod_count, body_count, obstacle_count, surface_count;
    TubePlan* rods;        // (rod_count)
    TubeSection* sections; // scratch, of the rod that has most of them
    CordVec3 low, high;    // around all that is there in any frame [m]
    double floor;          // height of a plane that faces up in the first [m]; NAN: there is none
    PictureCurves curves;  // of the frame read last
} Sequence;

#define SEQUENCE_INTERVAL (1.0 / 25.0)

CordResult sequence_begin(Sequence* sequence, const CordFrames* frames, const CordExportDef* def,
                          CordMessage* message);
void sequence_end(Sequence* sequence);

// from 0, and its curves
CordResult sequence_read(Sequence* sequence, int index, CordFrame* frame, CordMessage* message);
const TubeSection* sequence_sections(Sequence* sequence, const CordFrame* frame,
                                     int rod);         // of the frame read last, until the next call
int sequence_group(const Sequence* sequence, int rod); // which of the pairs of colours it has

#endif
