// The equations of one rod for Newton's method: forces at positions y that are looked for, with frames and tensions, and their derivatives. Implicit steps and
// static solves are made of it.
#ifndef CORD_SOLVE_SYSTEM_H
#define CORD_SOLVE_SYSTEM_H

#include "solve/strand.h"

typedef struct System {
    Rod* rod;
    const ModelTrial* trial;
    double time; // at which loads and held frames are taken [s]
    CordVec3 gravity;
    bool midpoint;  // y is halfway to the new positions: see implicit.h
    double mass;    // what a mass counts for in the equations [1/s^2]
    double reach;   // y - x over velocity [s]; 0: at rest
    double viscous; // retardation time over reach
    double augment; // stiffness along edges whose tension is an unknown, relative to that across; changes no solution, but keeps pivots from zero
    double* y[3];   // positions looked for (slot_count)
    double* start[3];    // where inertia alone would bring them (slot_count)
    double* n;           // tension [N] (slot_count)
    double* change;      // of the angles (slot_count)
    double* turned;      // by how much frames have been turned so far (slot_count)
    double* shift[3];    // by how much held nodes are to move (slot_count)
    double* shift_angle; // likewise held frames (slot_count)
    bool only_shift;     // leave forces out: what moves is what is shifted
    double rate_step;    // with it: and the rates of loads, by their difference over this time [s]; 0: none
    double indifferent;  // stiffness against turns of frames that cost nothing [N m]
    CornerTerms terms;
    Strand strand;
} System;

size_t system_scratch(const Rod* rod); // bytes that opening takes from the arena
void system_open(System* sys, Rod* rod, bool tensions, Arena* scratch);

// Matrix and right-hand side at y.
void system_assemble(System* sys);
// Lengths that are off what the tensions ask for, alone, as a right-hand side; and what its solution does to y, n and the changes of angles.
void system_put_misses(System* sys);
void system_shift(System* sys);

// A right-hand side of one's own, as the clamps see it.
void system_project_right(System* sys);

// The forces that are left, by unknown as strand_plain counts; what the augmented stiffness makes of lengths is not among them.
void system_forces(const System* sys, double* force);

double system_change(const System* sys); // the largest of the solution: positions by edge length, angles as they are; NAN if any is
double system_turning(const System* sys);    // likewise, but of edges: how far they turn
void system_move(System* sys, double share); // by a share of the solution; the trial frames follow

#endif
