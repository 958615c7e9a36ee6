// What belongs together and cannot touch: parts of one rod that lie near each other along it, rods where they
// are joined, and a rod and a body where it is welded to it.
#ifndef CORD_CONTACT_KIN_H
#define CORD_CONTACT_KIN_H

#include "contact/stage.h"

bool kin_segments(const Stage* st, int a, int b);
bool kin_solid(const Stage* st, int segment, int solid);

#endif
