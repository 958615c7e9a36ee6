// Steps of modal rods (Choi and Song 2013): each mode is an independent oscillator.
#ifndef CORD_STEP_MODAL_H
#define CORD_STEP_MODAL_H

#include "model/modal/modal.h"
#include "step/stepper.h"

// Guides and springs, in modal_guide.c.
int guides_count(const Rod* rod);
size_t guides_scratch(const Rod* rod);
void guides_lead(Rod* rod, const StepInfo* step, Arena* scratch); // corrects the predicted end of the step

// ---- contact, in modal_compliance.c. Impulses of a step of h are what v_next has more than v_free.

#define MODAL_MOST_TOUCHED 400 // nodes in contact for which the compliance is worth its cost

// Modal forces of the impulses, for amplitudes q in the middle of the step's way. rows: workspace (3 m)
void modal_contact_force(const Rod* rod, const double* q, double h, double* rows, double* force);
void modal_yield(Rod* rod, double h); // adds to x_next what nodes yield beyond the modes
size_t modal_compliance_scratch(const Rod* rod);
int modal_compliance_rank(const Rod* rod);
void modal_compliance(Rod* const* rods, int count, const StepInfo* step, const Compliance* wanted,
                      Arena* scratch);

#endif
