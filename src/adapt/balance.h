// External forces that balance the elastic forces of a rod: weight, contact, loads and inertia. They keep
// acting when its nodes change.
#ifndef CORD_ADAPT_BALANCE_H
#define CORD_ADAPT_BALANCE_H

#include "model/model.h"

// Adds `times` the loads on single nodes, which do not scale with mass.
void balance_add_loads(const Rod* rod, double time, double times, CordVec3* force);

// Writes the balancing force of each node [N], without `without`, which may be NULL.
void balance_forces(const Rod* rod, const CordVec3* without, CordVec3* force);

// Transfers the forces to the nodes of the remeshed rod. A new node gets force by its mass, from both
// neighbours where they are free.
void balance_share(const Remesh* map, const Rod* rod, const CordVec3* force, CordVec3* next);

#endif
