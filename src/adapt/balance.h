// The forces that hold the elastic forces of a rod at bay: weight, contact, loads, inertia. What is there
// when nodes change goes on acting.
#ifndef CORD_ADAPT_BALANCE_H
#define CORD_ADAPT_BALANCE_H

#include "model/model.h"

// Loads on single nodes, which are no matter of mass: added to what is there, so many times.
void balance_add_loads(const Rod* rod, double time, double times, CordVec3* force);

// By node [N]; less `without`, which may be NULL.
void balance_forces(const Rod* rod, const CordVec3* without, CordVec3* force);

// As the nodes have them that the map leads to: new ones by their mass, from both sides where nothing holds
// these.
void balance_share(const Remesh* map, const Rod* rod, const CordVec3* force, CordVec3* next);

#endif
