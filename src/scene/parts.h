// What the edges of a network are made of, element by element, as cord_rod_create takes it.
#ifndef CORD_SCENE_PARTS_H
#define CORD_SCENE_PARTS_H

#include "scene/along.h"

// As along_make has it, for a rod whose shape is a network: sections and stiffnesses where they differ, and
// m1 of every element.
CordResult parts_along(CordScene* scene, int index, Along* along);

#endif
