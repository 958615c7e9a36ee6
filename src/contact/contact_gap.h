// Present gaps of contact points that the narrow phase found earlier in the step.
#ifndef CORD_CONTACT_CONTACT_GAP_H
#define CORD_CONTACT_CONTACT_GAP_H

#include "contact/narrow_phase.h"

// The present gap of a contact point that was found earlier: between its ends, or between the present closest
// points. It is negative if one has passed through the other, as seen along the old normal.
double contact_point_gap(const Colliders* cs, const ContactPoint* contact, const CordVec3* x);
// The same for the crossing of two rods, which is at segments a and b at the start of the step, and may move
// on to the next ones during it.
double crossing_gap(const Colliders* cs, int a, int b, CordVec3 n, const CordVec3* x);
// The distance of two segments' axes, signed likewise.
double segments_gap(int part, CordVec3 n, const CordVec3 a[2], const CordVec3 b[2]);

#endif
