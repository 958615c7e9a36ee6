#include "step.h"

#include <math.h>
#include <stdio.h>

StepChoice step_choose(const CordWorld* world, double user_step, double interval)
{
    StepChoice choice = {
        .longest = user_step, .automatic = !(user_step > 0.0), .advice = cord_world_step_advice(world)};
    if (choice.automatic) {
        double fit = isfinite(choice.advice.step) ? STEP_SAFETY * choice.advice.step : interval / 10.0;
        double last = cord_world_last_step(world);
        bool keep = last > STEP_KEPT * fit && last <= fit * (1.0 + 1e-9);
        choice.longest = keep ? last : last > 0.0 ? STEP_ROOM * fit : fit;
    }
    return choice;
}

StepPlan step_plan(double interval, double longest)
{
    // An interval that is a whole number of steps up to rounding gets that number, not one more.
    double count = ceil(interval / longest * (1.0 - 1e-9));
    if (!(count <= STEP_COUNT_MOST)) {
        return (StepPlan){.h = longest, .count = 0};
    }
    count = count < 1.0 ? 1.0 : count;
    return (StepPlan){.h = interval / count, .count = (int64_t)count};
}

StepText step_limit_text(const CordWorld* world, CordStepAdvice advice)
{
    StepText t;
    const char* name = cord_rod_name(world, advice.rod);
    if (advice.limit == CORD_LIMIT_NONE || !name) {
        snprintf(t.text, sizeof t.text, "%s", cord_step_limit_name(advice.limit));
    } else {
        snprintf(t.text, sizeof t.text, "%s in rod \"%.150s\" at node %d", cord_step_limit_name(advice.limit),
                 name, advice.node);
    }
    return t;
}
