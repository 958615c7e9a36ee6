// One implicit step of an island (implicit.h): prediction, Newton's method, checks, and what the rods and
// bodies get of its solution.
#ifndef CORD_STEP_IMPLICIT_STEP_H
#define CORD_STEP_IMPLICIT_STEP_H

#include "step/implicit.h"

bool implicit_step_is_midpoint(const Island* island);
// Opens the island's system and predicts the step.
void implicit_step_open(NewtonSystem* sys, const Island* island, bool midpoint, const StepInfo* step,
                        Arena* scratch);
// Newton's method without contact. CORD_NOT_CONVERGED: a shorter step may succeed.
CordResult implicit_step_solve(NewtonSystem* sys, int* iterations, Message* message);
// Iterates move the bodies' poses with y. They go back to the start of the step until it is accepted.
void implicit_step_restore_poses(const NewtonSystem* sys);
// Restores the poses, and checks that inextensible rods have kept their lengths.
CordResult implicit_step_check(const NewtonSystem* sys, const StepInfo* step, Message* message);
// Gives rods their new positions, velocities and tensions, and bodies their new poses and velocities.
void implicit_step_finish(const NewtonSystem* sys, const StepInfo* step, int iterations);
// The same for an island that touches nothing: its angular momentum is restored.
void implicit_step_finish_alone(const NewtonSystem* sys, const StepInfo* step, int iterations);
void implicit_step_finish_body(const NewtonBody* b, double mass, double h, CordVec3 origin);
// A whole step of a rod alone, or of an assembly, whose bodies have already moved freely for the step. Reads
// x and v; writes x_next, v_next and pull_next, and leaves the trial frames at y.
CordResult implicit_step_alone(const Island* island, const StepInfo* step, Arena* scratch, Message* message);

#endif
