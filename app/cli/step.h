// What is said about how long a step is, and --step of the commands that have it.
#ifndef CORDAGE_CLI_STEP_H
#define CORDAGE_CLI_STEP_H

#include "talk.h"

#include <cordage/pace.h>

typedef struct StepText {
    char text[256];
} StepText;

// "bending waves in rod "a" at node 3"
StepText step_limit_text(const CordWorld* world, CordStepAdvice advice);
StepText step_remedy_text(const CordWorld* world, CordStepAdvice advice,
                          double h); // what else to write where a step of h is too long: "at most 0.001", ...

// Of a step that reaches beyond the next frame no more is taken than up to there. name: of one run among
// several, or NULL.
void step_warn_of_frame(const char* name, double user_step, double fps);

#endif
