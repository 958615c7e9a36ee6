// Springs from a node to a point in space: hands and tethers.
//
// Over a step a spring is linear, and acts as it ends: f = K (p - x_next) - C v_next. K is less than its stiffness where it would pull harder than it may: where the step begins, or where the node would be at the end of it, whichever is farther away. To what solves for the end of the step that is a node of
// more mass, m + kick (h K + C), and other velocity, which no step is too long for. (A node of an explicit rod that a body carries is pushed as by any other force: there K h^2 must stay below the body's mass.)
#ifndef CORD_ROD_SPRING_H
#define CORD_ROD_SPRING_H

#include "rod/load.h"

CordResult spring_check(const CordLoadDef* def, Message* message);
bool spring_acts(const Load* load, double time); // is it a spring, and pulls?
bool springs_act(const Rod* rod, double time);   // any of the rod's

double spring_stiffness(const Load* load, CordVec3 x,
                        CordVec3 ahead); // K of a step that begins at x, and would end at `ahead` [N/m]
CordVec3 spring_force(const Load* load, CordVec3 x, CordVec3 v); // on a node at x that goes at v [N]
double spring_energy(const Load* load, CordVec3 x);              // [J]

// What springs make of v, which has all other forces over `kick`, at a step of h; and of the masses of the nodes they pull, until they are dropped.
void springs_take(Rod* rod, double time, double h, double kick, double* const v[3]);
void springs_drop(Rod* rod); // masses are the nodes' own again
// Velocities, by node, to which forces as they are now have been added over `lag`: those of springs, as they will be at the end of that.
void springs_slow(const Rod* rod, double time, double lag, CordVec3* v);

#endif
