// Loads other than gravity.
#ifndef CORD_ROD_LOAD_H
#define CORD_ROD_LOAD_H

#include "base/message.h"
#include "rod/centerline.h"

typedef struct Rod Rod;

typedef struct Load {
    CordLoadDef def;
    Rod* rod; // NULL: every rod
    int node; // of a point force or a spring
} Load;

CordResult load_init(Load* load, Rod* rod, const CordLoadDef* def, Message* message);
static inline bool load_acts(const Load* load, double time)
{
    return load->def.from <= time && time < load->def.to;
}

double load_share(const Load* load, double time);   // of a force that acts: grows from 0 to 1 over its ramp
CordVec3 load_force(const Load* load, double time); // of a force or a spring, at the node as it is [N]

// Of the wind: without its vortices; and these, which are waves of so many radians in a metre, and of that speed in each of six parts.
typedef struct WindVortices {
    double wave_number; // [1/m]
    double speed;       // [m/s]
} WindVortices;

CordVec3 wind_mean(const CordWind* w, double time);
WindVortices wind_vortices(const CordWind* w);
CordVec3 load_wind_at(const CordWind* w, CordVec3 x, double time); // all of it [m/s]

// Viscous drag at a node: -along on the velocity along t, -across on the rest, and `force` from the wind.
typedef struct NodeDrag {
    CordVec3 t;
    double along, across; // [N s/m]
    CordVec3 force;       // [N]
} NodeDrag;

bool loads_drag(const Rod* rod, double time); // is there any?
NodeDrag load_drag_at(const Rod* rod, int node, double time);

// Adds to v the velocity that the loads give over `kick`. Drag is implicit: it only ever slows.
void loads_push(const Rod* rod, double time, double kick, double* const v[3]);      // forces alone
void loads_apply(Rod* rod, double time, double h, double kick, double* const v[3]); // at a step of h

void loads_add_forces(const Rod* rod, double time, CordVec3* f); // in the present state, by node [N]

#endif
