// Rods and bodies of a branch that is followed by its arc length: Newton's method with time as an unknown
// (Riks, Keller). What moves them is split into what forces that are left ask for and what time does; how
// much of the second is one number for all, and is decided by the branch.
#ifndef CORD_SOLVE_ARC_LENGTH_H
#define CORD_SOLVE_ARC_LENGTH_H

#include "solve/statics.h"

typedef struct ArcRod {
    Move step, rate, tangent;
    double* last[3];   // positions at the point before (slot_count)
    double* marked[3]; // positions to measure from (slot_count)
} ArcRod;

typedef struct ArcBody {
    double step[6], rate[6], tangent[6];
    Pose last;
} ArcBody;

typedef struct Arc {
    Statics st;
    ArcRod* rods;
    ArcBody* bodies;
} Arc;

typedef enum ArcKind {
    ARC_STEP,   // that forces left ask for
    ARC_RATE,   // by time [1/s]
    ARC_TANGENT // of the branch
} ArcKind;

size_t arc_scratch(Rod* rod, const Joins* joins);
void arc_open(Arc* arc, Rod* rod, const Joins* joins, CordVec3 gravity, double time, Arena* scratch);

void arc_begin(Arc* arc);                                // at the present state
bool arc_steps(Arc* arc, double time, double rate_step); // both moves, at the trial; false: singular
void arc_move(Arc* arc, double along);                   // trial goes by step + along * rate
void arc_predict(Arc* arc, double by);                   // trial goes by `by` along the tangent
// largest of that move: positions by edge length, angles as they are
double arc_change(const Arc* arc, double along);
void arc_set_tangent(Arc* arc, double share); // a share of the rate; 0: none

// of two moves, weighed by mass, over mass and length squared
double arc_product(const Arc* arc, ArcKind a, ArcKind b);
double arc_gone_along_mode(const Arc* arc); // likewise, along the softest motion as it was found last
void arc_mark(Arc* arc);                    // the present place
// from there to where the rods are: the square, weighed by mass, over mass and length squared
double arc_gone(const Arc* arc);
// from the point before to the trial, along the tangent, in the same measure
double arc_distance(const Arc* arc);

#endif
