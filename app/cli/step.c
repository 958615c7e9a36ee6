#include "step.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_by_error(CordStepAdvice advice)
{
    return advice.limit == CORD_LIMIT_ERROR;
}

StepText step_limit_text(const CordWorld* world, CordStepAdvice advice)
{
    StepText t;
    const char* name = cord_rod_name(world, advice.rod);
    if (is_by_error(advice) && name) {
        snprintf(t.text, sizeof t.text, "%s in rod \"%.150s\"", cord_step_limit_name(advice.limit), name);
    } else if (advice.limit == CORD_LIMIT_NONE || !name) {
        snprintf(t.text, sizeof t.text, "%s", cord_step_limit_name(advice.limit));
    } else if (advice.limit == CORD_LIMIT_DAMPING) {
        snprintf(t.text, sizeof t.text, "%s in rod \"%.150s\", so take \"integrator\": \"implicit\"",
                 cord_step_limit_name(advice.limit), name);
    } else {
        snprintf(t.text, sizeof t.text, "%s in rod \"%.150s\" at node %d", cord_step_limit_name(advice.limit),
                 name, advice.node);
    }
    return t;
}

StepText step_remedy_text(const CordWorld* world, CordStepAdvice advice, double h)
{
    StepText t;
    double penalty = advice.limit == CORD_LIMIT_PENALTY ? cord_rod_penalty_limit(world, advice.rod, h) : 0.0;
    bool turns = advice.limit == CORD_LIMIT_PENALTY || advice.limit == CORD_LIMIT_TURN;
    snprintf(t.text, sizeof t.text, "at most %.2g%s", CORD_PACE_SAFETY * advice.step,
             turns ? ", or \"orientations\": \"quasistatic\", which the centreline alone limits" : "");
    if (penalty > 0.0) {
        size_t used = strlen(t.text);
        snprintf(t.text + used, sizeof t.text - used, ", or \"penalty\": %.2g",
                 CORD_PACE_SAFETY * CORD_PACE_SAFETY * penalty);
    }
    return t;
}

void step_warn_of_frame(const char* name, double user_step, double fps)
{
    talk_warning("%s%sthe step of %.6g s is longer than a frame, and steps end at frames: %.6g s are taken; "
                 "for longer ones "
                 "record fewer frames a second (time.fps)",
                 name ? name : "", name ? ": " : "", user_step, 1.0 / fps);
}
