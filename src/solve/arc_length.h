// Rods and bodies of a branch that is followed by its arc length: Newton's method with time as an unknown
// (Riks, Keller). What moves them is split into what forces that are left ask for and what time does; how
// much of the second is one number for all, and is decided by the branch.
#ifndef CORD_SOLVE_ARC_LENGTH_H
#define CORD_SOLVE_ARC_LENGTH_H

#include "solve/statics.h"

typedef struct ArcLengthRod {
    Move step, rate, tangent;
    double* last[3];   // positions at the point before (slot_count)
    double* marked[3]; // positions to measure from (slot_count)
} ArcLengthRod;

typedef struct ArcLengthBody {
    double step[6], rate[6], tangent[6];
    Pose last;
} ArcLengthBody;

typedef struct ArcLength {
    Statics st;
    ArcLengthRod* rods;
    ArcLengthBody* bodies;
} ArcLength;

typedef enum ArcLengthKind {
    ARC_STEP,   // that forces left ask for
    ARC_RATE,   // by time [1/s]
    ARC_TANGENT // of the branch
} ArcLengthKind;

size_t arc_length_scratch(Rod* rod, const Joins* joins);
void arc_length_open(ArcLength* arc, Rod* rod, const Joins* joins, CordVec3 gravity, double time,
                     Arena* scratch);

void arc_length_begin(ArcLength* arc); // at the present state
bool arc_length_steps(ArcLength* arc, double time,
                      double rate_step);            // both moves, at the trial; false: singular
void arc_length_move(ArcLength* arc, double along); // trial goes by step + along * rate
void arc_length_predict(ArcLength* arc, double by); // trial goes by `by` along the tangent
// largest of that move: positions by edge length, angles as they are
double arc_length_change(const ArcLength* arc, double along);
void arc_length_set_tangent(ArcLength* arc, double share); // a share of the rate; 0: none

// of two moves, weighed by mass, over mass and length squared
double arc_length_product(const ArcLength* arc, ArcLengthKind a, ArcLengthKind b);
double arc_length_gone_along_mode(
    const ArcLength* arc);            // likewise, along the softest motion as it was found last
void arc_length_mark(ArcLength* arc); // the present place
// from there to where the rods are: the square, weighed by mass, over mass and length squared
double arc_length_gone(const ArcLength* arc);
// from the point before to the trial, along the tangent, in the same measure
double arc_length_distance(const ArcLength* arc);

#endif
