// Arc-length continuation of a branch of equilibria: Newton's method with time as an additional unknown (Riks
// 1979, Keller 1977). The bordered system is solved by block elimination. One solve gives the Newton step at
// fixed time, a second one the derivative of the state with respect to time. The arc-length constraint of the
// caller then decides how far time moves.
#ifndef CORD_SOLVE_ARC_LENGTH_H
#define CORD_SOLVE_ARC_LENGTH_H

#include "solve/statics.h"

typedef struct ArcLengthRod {
    Move step, rate, tangent;
    double* last[3];   // positions at the last accepted point (slot_count)
    double* marked[3]; // reference positions of arc_length_gone (slot_count)
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
    ARC_STEP,   // Newton step at fixed time
    ARC_RATE,   // derivative of the state with respect to time [1/s]
    ARC_TANGENT // tangent of the branch
} ArcLengthKind;

size_t arc_length_scratch(const NewtonGroup* group);
void arc_length_open(ArcLength* arc, const NewtonGroup* group, CordVec3 gravity, double time, Arena* scratch);

// Starts a step at the present state, which is that of `time`: loads and obstacles are those of then.
void arc_length_begin(ArcLength* arc, double time);
// Solves for the Newton step and the rate at the trial state. Returns false if the
// Jacobian is singular.
bool arc_length_steps(ArcLength* arc, double time, double rate_step);
void arc_length_combine(ArcLength* arc, double along); // sets the Newton step to step + along * rate
void arc_length_move(ArcLength* arc, double along);    // moves the trial by it
void arc_length_predict(ArcLength* arc, double by);    // moves the trial by `by` times the tangent
// Largest entry of step + along * rate: positions relative to edge length, angles in radians.
double arc_length_change(const ArcLength* arc, double along);
void arc_length_take_move(ArcLength* arc, ArcLengthKind kind); // keeps what was solved for last
void arc_length_set_tangent(ArcLength* arc, ArcLengthKind kind, double share); // tangent = share * move
void arc_length_scale_tangent(ArcLength* arc, double by);

// Inner product of two moves, weighted by mass and divided by the total mass times the squared length.
double arc_length_product(const ArcLength* arc, ArcLengthKind a, ArcLengthKind b);
void arc_length_mark(ArcLength* arc); // stores the present positions as the reference
// Squared displacement of the nodes since arc_length_mark, in the norm of arc_length_product.
double arc_length_gone(const ArcLength* arc);
double arc_length_gone_along(const ArcLength* arc); // the same displacement, projected on the tangent
double arc_length_moved(const ArcLength* arc);      // squared, from the last accepted point to the trial
// Displacement from the last accepted point to the trial, projected on the tangent, in the same norm.
double arc_length_distance(const ArcLength* arc);

#endif
