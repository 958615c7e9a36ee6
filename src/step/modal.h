// Steps of modal rods (Choi and Song 2013): each mode is an independent oscillator.
#ifndef CORD_STEP_MODAL_H
#define CORD_STEP_MODAL_H

#include "model/modal/modal.h"
#include "step/stepper.h"

size_t modal_scratch(const Rod* rod);
// Adds a modal force to a predicted step. The caller must update the positions.
void modal_push(Rod* rod, const StepInfo* step, const double* force, Arena* scratch);
// checks a step that ends at `time`
CordResult modal_check_step(const Rod* rod, double time, Message* message);

// Guides and springs, in modal_guide.c.
int guides_count(const Rod* rod);
size_t guides_scratch(const Rod* rod);
void guides_lead(Rod* rod, const StepInfo* step, Arena* scratch); // corrects the predicted end of the step

#endif
