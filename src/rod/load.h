// Loads other than gravity.
#ifndef CORD_ROD_LOAD_H
#define CORD_ROD_LOAD_H

#include "base/message.h"
#include "rod/centerline.h"

typedef struct Rod Rod;

typedef struct Load {
    CordLoadDef def;
    Rod* rod; // NULL: every rod
    int node; // of a point force
} Load;

CordResult load_init(Load* load, Rod* rod, const CordLoadDef* def, Message* message);
static inline bool load_acts(const Load* load, double time)
{
    return load->def.from <= time && time < load->def.to;
}

// Adds to v the velocity that the loads give over `kick`. Drag is implicit: it only ever slows.
void loads_apply(const Rod* rod, double time, double kick, double* const v[3]);

void loads_add_forces(const Rod* rod, double time, CordVec3* f); // in the present state, by node [N]

#endif
