// The lever of friction: the chord of a rod with which the surface at a contact turns. It is the smallest
// window of nodes about the contact's segment, or its node, that is two radii long: the segment itself if it
// is so long; moved inwards at the ends of an open rod, and the whole rod if that is shorter.
//
// The closest points of two segments may lie at a node in one iterate and beside it in the next. The chord is
// that of the segment in both, so that the iterates of a step have the same lever.
#ifndef CORD_CONTACT_CHORD_H
#define CORD_CONTACT_CHORD_H

#include "contact/narrow_phase.h"

typedef struct Chord {
    int node[2];
    CordVec3 axis;  // unit
    double inv_len; // 1 / length [1/m]
    double roll;    // 1 / cosine between the segment's axis and the chord
} Chord;

bool chord_is_segment(const Colliders* cs, int segment);
// Of one side of a contact, at positions x.
Chord chord_of(const Colliders* cs, const CordVec3* x, const ContactPoint* contact, int side);

#endif
