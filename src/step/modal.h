// Steps of modal rods: each mode is an oscillator of its own.
#ifndef CORD_STEP_MODAL_H
#define CORD_STEP_MODAL_H

#include "model/modal/modal.h"
#include "step/stepper.h"

size_t modal_scratch(const Rod* rod);
// Adds a force to a step that was predicted. Positions are the caller's business.
void modal_push(Rod* rod, const StepInfo* step, const double* force, Arena* scratch);
CordResult modal_check_step(const Rod* rod, double time, Message* message); // of a step that ends at `time`

// modal_guide.c: clamps that lead a node, and springs.
int guides_count(const Rod* rod);
size_t guides_scratch(const Rod* rod);
void guides_lead(Rod* rod, const StepInfo* step, Arena* scratch); // the end of the step under way

#endif
