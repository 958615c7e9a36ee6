// What belongs together and cannot touch: parts of one rod that lie near each other along it, rods where they
// are joined, and a rod and a body where it is welded to it.
#ifndef CORD_CONTACT_FILTER_H
#define CORD_CONTACT_FILTER_H

#include "contact/colliders.h"

bool filter_rejects_segments(const Colliders* cs, int a, int b);
bool filter_rejects_solid(const Colliders* cs, int segment, int solid);

#endif
