// A column of G: the Jacobian of one contact direction with respect to the unknowns that it acts on.
#ifndef CORD_STEP_BARRIER_ROW_H
#define CORD_STEP_BARRIER_ROW_H

#include "math/vec3.h"

typedef struct BarrierSolver BarrierSolver;

typedef struct BarrierRow {
    int of[2];      // segments of the colliders; -1: none
    int node[4];    // nodes of the segments, first those of a, then of b; -1: none
    CordVec3 x[4];  // derivative with respect to each node
    int segment[2]; // segments that it twists about their axes; -1: none
    double spin[2]; // derivative with respect to their rotation [m]
    int solid;      // the solid of a body; -1: none
    double body[6]; // derivative with respect to its position and its rotation
    double root;    // sqrt |stiffness|
    double sign;    // sign of the stiffness: 1 or -1
} BarrierRow;

#endif
