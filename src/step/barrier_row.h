// A row of G: a direction in which a touch pushes, by what each unknown counts for in it.
#ifndef CORD_STEP_BARRIER_ROW_H
#define CORD_STEP_BARRIER_ROW_H

#include "math/vec3.h"

typedef struct BarrierSolver BarrierSolver;

typedef struct BarrierRow {
    int of[2];      // segments of the stage; -1: none
    int node[4];    // theirs: those of a, then of b; -1: none
    CordVec3 x[4];  // what each counts for
    int segment[2]; // that it turns about their axes; -1: none
    double spin[2];
    int solid; // -1: none
    double body[6];
    double root; // of its stiffness's size
    double sign; // of its stiffness: 1 or -1
} BarrierRow;

#endif
