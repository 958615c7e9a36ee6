// Angular momentum that backward Euler loses, given back.
//
// A step to x1 = x0 + h v1 with impulses J of forces at x1 changes it by the torque of J at x1 and, besides,
// by the sum of m (x1 - x0) x v0. Forces of rods and bodies on each other have no torque at x1 in all, so
// that sum is what the step loses. It is given back as a rigid rotation about the common centre, which
// strains nothing. Friction pushes where things were at the start of the step, and loses nothing: its share
// is taken out.
//
// Given back, it may be more energy than there was. Then all that is not rigid motion, and so has no
// momentum, is slowed down by as much.
//
// Where clamps hold or obstacles push, momentum comes and goes, and nothing is changed.
#ifndef CORD_STEP_ANGULAR_MOMENTUM_H
#define CORD_STEP_ANGULAR_MOMENTUM_H

#include "solve/newton.h"

typedef struct BarrierSolver BarrierSolver;

typedef struct Party { // rods and bodies that push each other; all but its centre as seen from there
    int with;          // a party that it is part of; itself: none
    bool held;         // from outside
    bool driven;       // loads do work on it
    double h;          // of the step [s]
    CordVec3 gravity;  // [m/s^2]
    double mass;       // [kg]
    CordVec3 center;   // at the end of the step [m]
    CordVec3 way;      // of the centre, in the step [m]
    CordVec3 v0, v1;   // of the centre, before and after [m/s]
    CordVec3 lost;     // angular momentum [kg m^2/s]
    CordVec3 L;        // what is left of it
    double tensor[6];  // of inertia [kg m^2]
    double had;        // energy before: of motion, strains and barriers [J]
    double strains;    // after: of strains and barriers
    double motion;     // after: of motion
    CordVec3 turn;     // to be given back [rad/s]
    CordVec3 spin;     // of the rigid part of its motion, before that [rad/s]
    double less;       // of what is not rigid: by what share it is slowed down
} Party;

// with the touches of its start: what barriers hold there
void angular_momentum_begin(BarrierSolver* t, const StepInfo* step);

// Once the end of a step of backward Euler is in x_next, v_next and the bodies' engines.
void angular_momentum_restore(BarrierSolver* t); // of all that touches
void angular_momentum_restore_alone(const NewtonSystem* sys,
                                    const StepInfo* step); // of rods and bodies by themselves

#endif
