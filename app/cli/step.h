// How long a step the program takes: from the user, or from the world's own advice.
#ifndef CORDAGE_CLI_STEP_H
#define CORDAGE_CLI_STEP_H

#include "talk.h"

// Part of the advised step that "auto" takes. The advice is the limit of linear stability in the state at
// that moment, or what keeps the error of an implicit step small; the margin is for what the state does
// before the next look at it.
#define STEP_SAFETY 0.8

// A step that changes all the time feeds energy into the fastest waves, so "auto" keeps the one it has while
// that is fit, and longer than this part of what would be; and one that must change leaves this much room for
// the next time. Implicit steps are advised to be at most twice as long as the last one was, and have no
// waves to feed; one that was too long is behind us, and the next is at least this part of it.
#define STEP_KEPT 0.4
#define STEP_KEPT_BY_ERROR 0.7
#define STEP_ROOM 0.85
#define STEP_SHORTER_MOST 0.2

// More steps than this in one frame is a mistake in the scene, not a long run.
#define STEP_COUNT_MOST 1e8

typedef struct StepChoice {
    double longest; // no step is longer than this [s]
    bool automatic;
    CordStepAdvice advice;
} StepChoice;

// user_step 0: auto; any: what is then taken if every step is stable [s]. Looks at nothing but the world's state, so that
// a resumed run chooses as the first one did.
StepChoice step_choose(const CordWorld* world, double user_step, double any);

bool step_too_long(const CordWorld* world, double h); // now
bool step_may_grow(const CordWorld* world, double h); // well beyond h, which was the last step: implicit steps alone

typedef struct StepPlan {
    double h;      // [s]
    int64_t count; // steps of h fill the interval; 0: more than STEP_COUNT_MOST would be taken
} StepPlan;

StepPlan step_plan(double interval, double reach,
                   double longest); // steps are taken over `reach`, the interval or its beginning [s]

typedef struct StepText {
    char text[256];
} StepText;

StepText step_limit_text(const CordWorld* world, CordStepAdvice advice); // "bending waves in rod "a" at node 3"
StepText step_remedy_text(const CordWorld* world, CordStepAdvice advice,
                          double h); // what else to write where a step of h is too long: "at most 0.001", ...

// Of a step that reaches beyond the next frame no more is taken than up to there. name: of one run among several, or NULL.
bool step_exceeds_frame(double user_step, double fps);
void step_warn_of_frame(const char* name, double user_step, double fps);

// What --step of a command gives, as a setting of the scene. False: it has been said.
bool step_setting(const char* command, const char* step, char text[64]);

#endif
