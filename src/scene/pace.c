// Chooses the time steps that lead from frame to frame.
#include "base/real.h"

#include <cordage/pace.h>

#include <math.h>

enum {
    LOOK_EVERY = 32,  // the world's advice is read after so many steps within a frame, or fewer
    GROW_EVERY = 512, // an explicit step grows after so many steps at the soonest
};

// Each change of an explicit step feeds energy into the fastest waves, by up to (h omega)^2 / 4 of theirs. So
// "auto" keeps its step while it is stable, and lets it grow only to what all advice of many steps allows.
// Implicit steps have no such waves, so theirs changes sooner. A step grows if it is shorter than `kept_part`
// of what fits; a new step is `room_part` of that. A new implicit step is at least `shortest_part` of the
// last one.
static const double kept_part = 0.7;
static const double room_part = 0.85;
static const double shortest_part = 0.2;

static const double step_rounding = 1e-4;    // relative rounding of a step in a scene: 1/60 s as 0.016666
static const double modal_step = 1.0 / 30.0; // the paper's; forces are constant over a step, modes are exact

// ---- one step

static bool is_by_error(CordStepAdvice advice)
{
    return advice.limit == CORD_LIMIT_ERROR;
}

// Whether waves bound the step.
static bool is_by_waves(CordStepAdvice advice)
{
    return isfinite(advice.step) && !is_by_error(advice);
}

static double longest_of(CordStepAdvice advice)
{
    return real_min(advice.step, advice.drive * (1.0 + 1e-9));
}

static CordAdviceMemory remember(const CordWorld* world, CordStepAdvice advice)
{
    CordAdviceMemory memory = cord_world_advice_memory(world);
    memory.least = real_min(memory.least, advice.step);
    return memory;
}

static bool may_grow(const CordWorld* world, CordStepAdvice advice)
{
    return !is_by_waves(advice) ||
           cord_world_steps(world) - cord_world_advice_memory(world).since >= GROW_EVERY;
}

// The step to go on with after steps of `last`: that one, if it is not too long and need not grow. longest:
// steps that are longer than this are too long. fit: what the advice allows, with its margin.
static double next_step(const CordWorld* world, CordStepAdvice advice, double last, double longest,
                        double fit)
{
    double grown =
        is_by_waves(advice) ? real_min(advice.drive, CORD_PACE_SAFETY * remember(world, advice).least) : fit;
    bool grows = may_grow(world, advice) && last <= kept_part * grown;
    return last > longest ? room_part * fit : grows ? room_part * grown : last;
}

CordPaceChoice cord_pace_choose(const CordWorld* world, double step, double any)
{
    CordPaceChoice choice = {.longest = step * (1.0 + step_rounding),
                             .automatic = !(step > 0.0),
                             .advice = cord_world_step_advice(world)};
    if (choice.automatic) {
        CordStepAdvice advice = choice.advice;
        double fit = real_min(advice.drive, isfinite(advice.step) ? CORD_PACE_SAFETY * advice.step : any);
        double last = cord_world_last_step(world);
        double longest = is_by_waves(advice) ? longest_of(advice) : fit * (1.0 + 1e-9);
        choice.longest = last > 0.0 ? next_step(world, advice, last, longest, fit) : fit;
        if (is_by_error(advice)) {
            choice.longest = real_max(choice.longest, real_min(advice.drive, shortest_part * last));
        }
    }
    return choice;
}

// A rod of the model pbd that is welded, joined or implicit is stepped by Newton's method instead.
static bool is_position_based(const CordRodDef* def)
{
    return def->model == CORD_MODEL_PBD && def->integrator != CORD_INTEGRATOR_MIDPOINT &&
           def->integrator != CORD_INTEGRATOR_BACKWARD_EULER;
}

CordAnyStep cord_pace_any_step(const CordScene* scene, double interval)
{
    int rods = cord_scene_rod_count(scene), modal = 0, positions = 0, newton = 0;
    for (int i = 0; i < rods; i++) {
        const CordRodDef* def = cord_scene_rod(scene, i);
        modal += def->model == CORD_MODEL_MODAL;
        positions += is_position_based(def);
        newton += def->model == CORD_MODEL_PBD && !is_position_based(def);
    }
    if (rods > 0 && modal == rods) {
        return (CordAnyStep){"modes, each stepped exactly", "a frame, but 1/30 s at the most",
                             real_min(interval, modal_step)};
    }
    const char* why = positions > 0 ? "position-based" : newton > 0 ? "backward Euler" : "nothing oscillates";
    return (CordAnyStep){why, "a tenth of a frame, for accuracy", interval / 10.0};
}

CordPacePlan cord_pace_plan(double interval, double reach, double longest)
{
    // rounding must not add a step to an interval that is a whole number of steps
    double count = ceil(interval / longest * (1.0 - 1e-9));
    count = real_min(real_max(count, 1.0), 1e15); // beyond that a double has no fraction
    double h = count < 1e15 ? interval / count : longest;
    bool few = reach / h <= CORD_PACE_MOST_STEPS;
    return (CordPacePlan){.h = h, .count = few ? (int64_t)count : 0};
}

bool cord_pace_exceeds_frame(double step, double fps)
{
    return step * fps > 1.0 + step_rounding;
}

// ---- frames

CordPace cord_pace_begin(const CordPaceDef* def)
{
    return (CordPace){.def = *def};
}

bool cord_pace_is_frame_time(const CordPace* pace, const CordWorld* world)
{
    double k = cord_world_time(world) * pace->def.fps;
    return fabs(k - round(k)) < CORD_PACE_SLACK;
}

double cord_pace_frames_left(const CordPace* pace, const CordWorld* world)
{
    return (pace->def.end - cord_world_time(world)) * pace->def.fps;
}

bool cord_pace_is_done(const CordPace* pace, const CordWorld* world)
{
    return !(cord_pace_frames_left(pace, world) > CORD_PACE_SLACK);
}

static double next_frame_time(const CordPace* pace, const CordWorld* world)
{
    return (floor(cord_world_time(world) * pace->def.fps + CORD_PACE_SLACK) + 1.0) / pace->def.fps;
}

static bool ends_before_goal(const CordPace* pace)
{
    return pace->goal * pace->def.fps > pace->def.end * pace->def.fps + CORD_PACE_SLACK;
}

// ---- steps

static bool is_automatic(const CordPace* pace)
{
    return !(pace->def.step > 0.0);
}

static int64_t steps_to_look(const CordPace* pace, const CordWorld* world)
{
    int64_t steps = cord_world_steps(world);
    return is_automatic(pace) ? cord_world_advice_memory(world).due - steps : LOOK_EVERY - steps % LOOK_EVERY;
}

// The advice is read again at the next multiple of LOOK_EVERY, or when it may have fallen to h. The stable
// step of bending waves goes with the square of the length, so until then an edge may lose the part
// 1 - sqrt(h / advice) of its length. Rates change as well: half of that time is left. It is read before the
// step in which a clamp lets go, a motion begins or a load comes, since that step may have to be shorter, and
// after it, too: an edge that the clamp held is free then. anew: the memory of the advice begins again.
static void look_again(CordWorld* world, CordStepAdvice advice, double h, bool anew)
{
    int64_t steps = cord_world_steps(world), most = LOOK_EVERY - steps % LOOK_EVERY;
    double part = real_max(0.0, 1.0 - sqrt(h / advice.step));
    bool changes = isfinite(advice.change_time);
    double fit = changes ? floor(0.5 * part * advice.change_time / h) : INFINITY;
    fit = real_max(1.0, real_min(fit, floor((advice.event - cord_world_time(world)) / h)));
    CordAdviceMemory memory =
        anew ? (CordAdviceMemory){.since = steps, .least = advice.step} : remember(world, advice);
    memory.due = steps + (fit < (double)most ? (int64_t)fit : most);
    cord_world_set_advice_memory(world, memory);
}

// Whether the advice, if it is read now, asks for another step than the plan's.
static bool wants_other_step(const CordPace* pace, CordWorld* world, CordPacePlan plan)
{
    if (!is_automatic(pace) || steps_to_look(pace, world) > 0 || plan.count <= 0) {
        return false;
    }
    CordStepAdvice advice = cord_world_step_advice(world);
    double fit = real_min(advice.drive, CORD_PACE_SAFETY * advice.step);
    double h = next_step(world, advice, plan.h, longest_of(advice), fit);
    bool other = h < plan.h || (plan.count > LOOK_EVERY && h > plan.h);
    if (!other) {
        look_again(world, advice, plan.h, h == plan.h && may_grow(world, advice));
    }
    return other;
}

// Automatic steps end where a load comes or goes or a clamp lets go.
static double goal_of(const CordPace* pace, CordStepAdvice advice)
{
    bool jumps = is_automatic(pace) &&
                 advice.jump * pace->def.fps < pace->frame_time * pace->def.fps - CORD_PACE_SLACK;
    return jumps ? advice.jump : pace->frame_time;
}

// A resumed run may begin within a frame: then the steps that are left of it are its plan.
static bool plan_goes_on(CordPace* pace, CordWorld* world, CordPacePlan* plan)
{
    double h = cord_world_last_step(world);
    if (!(h > 0.0) || cord_pace_is_frame_time(pace, world)) {
        return false;
    }
    pace->goal = goal_of(pace, cord_world_step_advice(world));
    double count = (pace->goal - cord_world_time(world)) / h, whole = round(count);
    *plan = (CordPacePlan){.h = h, .count = (int64_t)whole};
    return whole >= 1.0 && fabs(count - whole) < 1e-3 && !wants_other_step(pace, world, *plan);
}

static void plan_choose(CordPace* pace, CordWorld* world, CordPaceNext* next)
{
    double time = cord_world_time(world);
    double any = cord_pace_any_step(pace->def.scene, pace->frame_time - time).step;
    next->chosen = true;
    next->choice = cord_pace_choose(world, pace->def.step, any);
    pace->goal = goal_of(pace, next->choice.advice);
    double interval = pace->goal - time;
    next->plan = cord_pace_plan(interval, real_min(interval, pace->def.end - time), next->choice.longest);
    if (next->choice.automatic) {
        bool kept = next->choice.longest == cord_world_last_step(world);
        look_again(world, next->choice.advice, next->plan.h, !kept || may_grow(world, next->choice.advice));
    }
}

// Plans the steps up to the goal even if the run ends before, so that a longer run has the same steps.
static bool plan_make(CordPace* pace, CordWorld* world, CordPaceNext* next)
{
    if (pace->under_way || !plan_goes_on(pace, world, &next->plan)) {
        plan_choose(pace, world, next);
    }
    pace->plan = next->plan;
    if (pace->plan.count == 0) {
        return false;
    }
    double most = (pace->def.end - cord_world_time(world)) / pace->plan.h;
    pace->left = ends_before_goal(pace) ? (int64_t)(most * (1.0 + 1e-9)) : pace->plan.count;
    return true;
}

// Counts the steps that were taken. True: the last one was shortened to meet the end of the run.
static bool count_taken(CordPace* pace, const CordWorld* world)
{
    int64_t steps = cord_world_steps(world), taken = steps - pace->asked;
    pace->asked = steps;
    if (pace->shortened) {
        pace->shortened = false;
        return taken > 0;
    }
    pace->left -= taken;
    pace->plan.count -= taken;
    return false;
}

// Chooses the next steps of the plan, or a shorter one that meets the end of the run. False: the frame or the
// end has been reached.
static bool steps_next(CordPace* pace, const CordWorld* world, CordPaceNext* next)
{
    int64_t count = steps_to_look(pace, world);
    double rest = pace->def.end - cord_world_time(world);
    if (pace->left > 0) {
        next->h = pace->plan.h;
        next->count = (int)(count < pace->left ? count : pace->left);
    } else if (ends_before_goal(pace) && rest > 1e-9 * pace->plan.h) {
        next->h = rest;
        next->count = 1;
        next->shortened = pace->shortened = true;
    }
    return next->count > 0;
}

static CordPaceNext stop(CordPace* pace, CordPaceNext next, CordPaceKind kind)
{
    pace->under_way = false;
    next.kind = kind;
    return next;
}

CordPaceNext cord_pace_next(CordPace* pace, CordWorld* world)
{
    CordPaceNext next = {.kind = CORD_PACE_STEPS};
    if (count_taken(pace, world)) {
        return stop(pace, next, CORD_PACE_FRAME);
    }
    if (!pace->under_way && cord_pace_is_done(pace, world)) {
        return stop(pace, next, CORD_PACE_END);
    }
    pace->frame_time = pace->under_way ? pace->frame_time : next_frame_time(pace, world);
    next.plan = pace->plan;
    bool at_jump =
        pace->under_way && pace->left == 0 && pace->goal < pace->frame_time && !ends_before_goal(pace);
    pace->under_way &= !at_jump;
    if ((!pace->under_way || wants_other_step(pace, world, pace->plan)) && !plan_make(pace, world, &next)) {
        return stop(pace, next, CORD_PACE_TOO_SHORT);
    }
    pace->under_way = true;
    return steps_next(pace, world, &next) ? next : stop(pace, next, CORD_PACE_FRAME);
}
