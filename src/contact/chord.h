// The lever of friction: the chord of a rod with which the surface at a contact turns. It is the smallest
// symmetric window of nodes about the contact that is two radii long: the segment itself if it is so long;
// moved inwards at the ends of an open rod, and the whole rod if that is shorter.
#ifndef CORD_CONTACT_CHORD_H
#define CORD_CONTACT_CHORD_H

#include "contact/colliders.h"

typedef struct Chord {
    int node[2];
    CordVec3 axis;  // unit
    double inv_len; // 1 / length [1/m]
    double roll;    // 1 / cosine between the segment's axis and the chord
} Chord;

bool chord_is_segment(const Colliders* cs, int segment);
// About the place s on a segment with the unit vector `axis`, at positions x.
Chord chord_about(const Colliders* cs, const CordVec3* x, int segment, double s, CordVec3 axis);

#endif
