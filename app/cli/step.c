#include "step.h"

#include "options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double step_rounding = 1e-4; // of a step that somebody has written down: 1/60 s as 0.016666

static bool is_by_error(CordStepAdvice advice)
{
    return advice.limit == CORD_LIMIT_ERROR;
}

StepChoice step_choose(const CordWorld* world, double user_step, double any)
{
    StepChoice choice = {.longest = user_step * (1.0 + step_rounding),
                         .automatic = !(user_step > 0.0),
                         .advice = cord_world_step_advice(world)};
    if (choice.automatic) {
        double fit = isfinite(choice.advice.step) ? STEP_SAFETY * choice.advice.step : any;
        double last = cord_world_last_step(world);
        double kept = is_by_error(choice.advice) ? STEP_KEPT_BY_ERROR : STEP_KEPT;
        bool keep = last > kept * fit && last <= fit * (1.0 + 1e-9);
        choice.longest = keep ? last : last > 0.0 ? STEP_ROOM * fit : fit;
        if (is_by_error(choice.advice)) {
            choice.longest = fmax(choice.longest, STEP_SHORTER_MOST * last);
        }
    }
    return choice;
}

bool step_too_long(const CordWorld* world, double h)
{
    return cord_world_step_advice(world).step < h;
}

bool step_may_grow(const CordWorld* world, double h)
{
    CordStepAdvice advice = cord_world_step_advice(world);
    return is_by_error(advice) && h < STEP_KEPT_BY_ERROR * STEP_SAFETY * advice.step;
}

StepPlan step_plan(double interval, double reach, double longest)
{
    // An interval that is a whole number of steps up to rounding gets that number, not one more.
    double count = ceil(interval / longest * (1.0 - 1e-9));
    count = fmin(fmax(count, 1.0), 1e15); // of more than that, nobody sees the fraction
    double h = count < 1e15 ? interval / count : longest;
    bool few = reach / h <= STEP_COUNT_MOST;
    return (StepPlan){.h = h, .count = few ? (int64_t)count : 0};
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
    snprintf(t.text, sizeof t.text, "at most %.2g%s", STEP_SAFETY * advice.step,
             turns ? ", or \"orientations\": \"quasistatic\", which the centreline alone limits" : "");
    if (penalty > 0.0) {
        size_t used = strlen(t.text);
        snprintf(t.text + used, sizeof t.text - used, ", or \"penalty\": %.2g", STEP_SAFETY * STEP_SAFETY * penalty);
    }
    return t;
}

bool step_exceeds_frame(double user_step, double fps)
{
    return user_step * fps > 1.0 + step_rounding;
}

void step_warn_of_frame(const char* name, double user_step, double fps)
{
    talk_warning("%s%sthe step of %.6g s is longer than a frame, and steps end at frames: %.6g s are taken; for longer ones "
                 "record fewer frames a second (time.fps)",
                 name ? name : "", name ? ": " : "", user_step, 1.0 / fps);
}

bool step_setting(const char* command, const char* step, char text[64])
{
    double h;
    if (strcmp(step, "auto") == 0) {
        snprintf(text, 64, "time.step=\"auto\"");
    } else if (option_number(step, &h)) {
        snprintf(text, 64, "time.step=%.17g", h);
    } else {
        talk_error("%s --step takes a number of seconds, or auto, not \"%s\"", command, step);
        return false;
    }
    return true;
}
