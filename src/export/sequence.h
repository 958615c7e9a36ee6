// The frames of an animated export. All of them are read once before anything is written, so that the mesh
// made for the first frame fits the last one.
#ifndef CORD_EXPORT_SEQUENCE_H
#define CORD_EXPORT_SEQUENCE_H

#include "export/tessellation.h"

typedef struct Sequence {
    const CordFrames* frames;
    const CordExportDef* def;
    CordPictureDef picture; // with its camera and ground placed
    int count;              // frames
    // Time since the first frame [s] (count). Frames of a branch, and frames whose time does not increase,
    // are SEQUENCE_INTERVAL apart.
    double* time;
    bool counted;
    int rod_count, body_count, obstacle_count, surface_count;
    TubePlan* rods;        // (rod_count)
    Keyframes* solids;     // poses of bodies, then obstacles (body_count + obstacle_count)
    TubeSection* sections; // scratch, as long as the longest rod needs
    CordVec3 low, high;    // bounds of everything in all frames [m]
    double floor;          // height of a plane that faces up in the first frame [m]; NAN: there is none
    PictureCurves curves;  // of the frame read last
} Sequence;

#define SEQUENCE_INTERVAL (1.0 / 25.0)

// Failures that all animated exports share.
CordResult sequence_no_memory(CordMessage* message);
CordResult sequence_not_finite(CordMessage* message);

CordResult sequence_begin(Sequence* sequence, const CordFrames* frames, const CordExportDef* def,
                          CordMessage* message);
void sequence_end(Sequence* sequence);

// Reads frame `index`, counted from 0, and makes its curves.
CordResult sequence_read(Sequence* sequence, int index, CordFrame* frame, CordMessage* message);
const TubeSection* sequence_sections(Sequence* sequence, const CordFrame* frame,
                                     int rod); // of the frame read last; valid until the next call
// Stores the poses of the solids in a frame. Call it for every frame, in order.
void sequence_pose_solids(Sequence* sequence, const CordFrame* frame, int index);
int sequence_group(const Sequence* sequence, int rod); // index of its pair of colours

#endif
