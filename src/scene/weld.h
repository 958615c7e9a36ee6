// Does a weld sit where the scene says it should?
#ifndef CORD_SCENE_WELD_H
#define CORD_SCENE_WELD_H

#include "scene/scene.h"

// For a weld with an offset, whose rod is in the world. CORD_BAD_ARGUMENT: it sits elsewhere, and that has
// been noted, as about welds[index].
CordResult weld_check_offset(CordScene* scene, int index, const CordWorld* world, const CordWeldDef* def);

#endif
