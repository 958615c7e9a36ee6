// Restores the angular momentum that backward Euler dissipates.
//
// Backward Euler goes to x1 = x0 + h v1 with internal impulses evaluated at x1. Internal forces have no total
// torque at x1, so a step loses the angular momentum sum m (x1 - x0) x v0, and that of
// spinning frames I (spin0 t1 - spin0 t0 - spin1 (t1 - t0)) to first order. The loss is restored as a rigid
// rotation about the centre of mass, which changes no strain. Friction acts at the positions of the start of
// the step and loses nothing, so its share is subtracted.
//
// The rotation may add more energy than the step started with. Then the non-rigid part of the motion, which
// carries no momentum, is slowed down until the energy fits.
//
// An island that a clamp holds or an obstacle pushes exchanges momentum with the outside. It is left
// unchanged.
#ifndef CORD_STEP_ANGULAR_MOMENTUM_H
#define CORD_STEP_ANGULAR_MOMENTUM_H

#include "solve/newton.h"

typedef struct ContactNewton ContactNewton;

typedef struct ContactIsland { // rods and bodies in contact; velocities and energies are relative to its
                               // centre
    int parent;                // parent in the union-find forest; itself: the root
    bool held;                 // by a clamp or an obstacle
    bool driven;               // external loads do work on it
    double h;                  // time step [s]
    CordVec3 gravity;          // [m/s^2]
    double mass;               // [kg]
    CordVec3 center;           // centre of mass at the end of the step [m]
    CordVec3 displacement;     // displacement of the centre [m]
    CordVec3 v0, v1;           // velocity of the centre before and after [m/s]
    CordVec3 lost;             // angular momentum that the step loses [kg m^2/s]
    CordVec3 L;                // angular momentum after the step [kg m^2/s]
    double tensor[6];          // moment of inertia [kg m^2]
    double energy_before;      // kinetic and elastic energy before the step [J]
    double potential;          // elastic energy after the step [J]
    double kinetic;            // kinetic energy after the step [J]
    CordVec3 added_spin;       // angular velocity to be added [rad/s]
    CordVec3 rigid_spin;       // angular velocity of the rigid part of the motion, before that [rad/s]
    double slowdown;           // share by which the non-rigid motion is slowed down
} ContactIsland;

// Call at the start of the step.
void angular_momentum_begin(ContactNewton* t, const StepInfo* step);

// Call when the end of a backward Euler step is in x_next, v_next and the body engines. The first restores
// all islands of contact; the second restores one Newton system without contact.
void angular_momentum_restore(ContactNewton* t);
void angular_momentum_restore_alone(const NewtonSystem* sys, const StepInfo* step);

#endif
