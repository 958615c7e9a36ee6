// One rod of a branch that is followed by its arc length: Newton's method with time as an unknown (Riks, Keller). What moves a rod is split into what forces that
// are left ask for and what time does; how much of the second is one number for all rods, and is decided by the branch.
#ifndef CORD_SOLVE_ARC_H
#define CORD_SOLVE_ARC_H

#include "solve/statics.h"

typedef struct ArcMove { // by slot
    double* x[3];
    double* n;
    double* angle;
} ArcMove;

typedef struct Arc {
    Statics st;
    ArcMove step;    // that forces left ask for
    ArcMove rate;    // by time [1/s]
    ArcMove tangent; // of the branch; positions alone
    double* last[3]; // positions at the point before
} Arc;

size_t arc_scratch(const Rod* rod);
void arc_open(Arc* arc, Rod* rod, CordVec3 gravity, double time, Arena* scratch);

void arc_begin(Arc* arc);                                // at the rod's present state
bool arc_steps(Arc* arc, double time, double rate_step); // both moves, at the trial; false: singular
void arc_move(Arc* arc, double along);                   // trial goes by step + along * rate
void arc_predict(Arc* arc, double by);                   // trial goes by `by` along the tangent
double arc_change(const Arc* arc, double along); // largest of that move: positions by edge length, angles as they are

double arc_product(const Arc* arc, const ArcMove* a,
                   const ArcMove* b); // of two moves, weighed by mass, over mass and length squared
double arc_distance(const Arc* arc); // from the point before to the trial, along the tangent, in the same measure

#endif
