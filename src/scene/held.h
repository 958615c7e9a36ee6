// No node is held twice: by clamps, welds and joints of rods.
#ifndef CORD_SCENE_HELD_H
#define CORD_SCENE_HELD_H

#include "scene/values.h"

// Once all of them are read. Places given by arc length are left to the world, which knows where they are.
void held_check(Reader* r);

#endif
