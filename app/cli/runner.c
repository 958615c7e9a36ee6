#include "runner.h"

#include "interrupt.h"
#include "model.h"
#include "step.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LOOK_EVERY = 32,      // steps between looks at the advice within a frame
    SNAPSHOT_FRAMES = 10, // a snapshot every so many frames,
};
static const double work_seconds = 1.0;   // or when this much work would be lost [s],
static const double most_seconds = 10.0;  // or in the middle of a frame, when this much [s]
static const double batch_seconds = 0.05; // steps are taken together for no longer than this [s]

// Position-based steps keep lengths to 1e-5 of an element by their default tolerance: a hundred times that was forced on the rod.
static const double stretch_told = 1e-3;

// Everything below that can stop the run returns false when it has, the report saying why.
static bool stop(Runner* r, RunnerEnd end)
{
    r->report.end = end;
    return false;
}

// ---------------------------------------------------------------------------------------------------- frames

// Frames come at k/fps and at the end. A time within a millionth of a frame of k/fps is k/fps.
static const double frame_slack = 1e-6;

static double next_frame_time(const Runner* r) // which may lie beyond the end
{
    return (floor(cord_world_time(r->world) * r->def->fps + frame_slack) + 1.0) / r->def->fps;
}

static bool ends_before(const Runner* r, double frame_time)
{
    return frame_time * r->def->fps > r->def->end * r->def->fps + frame_slack;
}

static bool is_frame_time(const Runner* r)
{
    double k = cord_world_time(r->world) * r->def->fps;
    return fabs(k - round(k)) < frame_slack;
}

static double frames_left(const Runner* r)
{
    return (r->def->end - cord_world_time(r->world)) * r->def->fps;
}

static bool snapshot_put(Runner* r)
{
    CordResult result = cord_recorder_put_snapshot(r->def->recorder, &r->report.message);
    r->since_snapshot = 0;
    r->snapshot_clock = talk_clock();
    return result == CORD_OK || stop(r, RUNNER_NOT_RECORDED);
}

// A resumed run gives the same bits as one that never stopped: what it does next follows from the state
// alone. A frame is cut into steps up to its own time, even if the run ends before; so a snapshot may stand
// after any of them, but not at such an end, which the last step was shortened for.
static bool frame_put(Runner* r)
{
    if (!r->def->recorder) {
        return true;
    }
    CordResult result = cord_recorder_put_frame(r->def->recorder, &r->report.message);
    if (result != CORD_OK) {
        return stop(r, RUNNER_NOT_RECORDED);
    }
    r->report.last_frame = cord_world_time(r->world);
    r->since_snapshot++;
    bool is_first = cord_world_steps(r->world) == 0;
    bool is_last = interrupt_raised() || frames_left(r) < 1.0 - frame_slack;
    bool is_due = r->since_snapshot >= SNAPSHOT_FRAMES || talk_clock() - r->snapshot_clock > work_seconds;
    return !is_frame_time(r) || !(is_first || is_last || is_due) || snapshot_put(r);
}

// ---------------------------------------------------------------------------------------------------- steps

// The advice before the first implicit step is a guess, and a step somewhat longer than what its error asks
// for is the user's own choice between speed and precision.
static bool is_warned_of(const Runner* r, StepChoice choice, StepPlan plan)
{
    bool by_error = choice.advice.limit == CORD_LIMIT_ERROR;
    bool known = !by_error || cord_world_steps(r->world) > 0;
    return !choice.automatic && !r->warned && known && plan.h > (by_error ? 2.0 : 1.0) * choice.advice.step;
}

static void warn_of_step(Runner* r, StepChoice choice, StepPlan plan)
{
    if (!is_warned_of(r, choice, plan)) {
        return;
    }
    progress_clear(&r->progress);
    bool exact = choice.advice.limit == CORD_LIMIT_MOTION || choice.advice.limit == CORD_LIMIT_ERROR;
    const char* name = r->def->name;
    talk_warning("%s%sthe step of %.3g s is longer than the %.3g s that are %s at t = %.4g s (%s), so the run may %s: "
                 "write \"step\": \"auto\", or %s",
                 name ? name : "", name ? ": " : "", plan.h, choice.advice.step, exact ? "exact" : "stable",
                 cord_world_time(r->world), step_limit_text(r->world, choice.advice).text,
                 exact ? "be inexact" : "diverge", step_remedy_text(r->world, choice.advice, plan.h).text);
    r->warned = true;
}

static void tell_step(Runner* r, StepChoice choice, StepPlan plan)
{
    double change = choice.longest / r->told_step;
    if (r->progress.quiet || (r->told_step > 0.0 && change < 4.0 && change > 0.25)) {
        return;
    }
    r->told_step = choice.longest;
    progress_clear(&r->progress);
    char why[400];
    StepText limit = step_limit_text(r->world, choice.advice);
    if (choice.advice.limit == CORD_LIMIT_ERROR) {
        snprintf(why, sizeof why, "%s %s", cord_world_steps(r->world) > 0 ? "by" : "to begin with; then by",
                 limit.text);
    } else if (isfinite(choice.advice.step)) {
        snprintf(why, sizeof why, "%g of the stable %.3g s, limited by %s", STEP_SAFETY, choice.advice.step,
                 limit.text);
    } else {
        AnyStep any = model_any_step(r->def->scene, 1.0 / r->def->fps);
        snprintf(why, sizeof why, "%s, so stable at any; %s", any.why, any.taken);
    }
    if (choice.automatic) {
        talk_note("step: auto, at t = %.4g s %.3g s, %lld per frame (%s)", cord_world_time(r->world), plan.h,
                  (long long)plan.count, why);
    } else {
        talk_note("step: %.3g s, %lld per frame", plan.h, (long long)plan.count);
    }
}

static bool batch_take(Runner* r, double h, int count, bool probes)
{
    bool timed = r->def->timed; // a look at that clock costs about as much as a step of a short rod
    double clock = talk_clock(), cpu = timed ? talk_cpu_clock() : 0.0;
    CordResult result = cord_world_step_many(r->world, h, count);
    r->report.cpu += timed ? talk_cpu_clock() - cpu : 0.0;
    r->step_cost = (talk_clock() - clock) / count;
    if (result != CORD_OK) {
        r->report.result = result;
        return stop(r, RUNNER_DIVERGED);
    }
    if (probes && cord_recorder_put_probes(r->def->recorder, &r->report.message) != CORD_OK) {
        return stop(r, RUNNER_NOT_RECORDED);
    }
    return true;
}

static bool has_probes(const Runner* r)
{
    return r->def->recorder && cord_world_probe_count(r->world) > 0;
}

// Steps of h, in pieces short enough for Ctrl-C. The pieces depend on the clock; the bits do not depend on
// the pieces.
static bool steps_take(Runner* r, double h, int count)
{
    bool probes = has_probes(r);
    while (count > 0) {
        int piece = !probes && count * r->step_cost < batch_seconds ? count : 1;
        if (!batch_take(r, h, piece, probes)) {
            return false;
        }
        count -= piece;
        if (interrupt_raised() && !is_frame_time(r)) {
            return (!r->def->recorder || snapshot_put(r)) && stop(r, RUNNER_INTERRUPTED);
        }
    }
    return true;
}

static bool is_look(const Runner* r)
{
    return cord_world_steps(r->world) % LOOK_EVERY == 0;
}

// Does the state ask for another step than h, of which so many are left in the frame?
static bool wants_other_step(const Runner* r, double h, int64_t left)
{
    bool automatic = !(r->def->step > 0.0);
    return automatic && is_look(r) && left > 0 &&
           (step_too_long(r->world, h) || (left > LOOK_EVERY && step_may_grow(r->world, h)));
}

// The steps of the frame that are left if it is under way, which only a resumed run finds.
static bool plan_goes_on(const Runner* r, double frame_time, StepPlan* plan)
{
    double h = cord_world_last_step(r->world);
    if (!(h > 0.0) || is_frame_time(r)) {
        return false;
    }
    double count = (frame_time - cord_world_time(r->world)) / h, whole = round(count);
    *plan = (StepPlan){.h = h, .count = (int64_t)whole};
    return whole >= 1.0 && fabs(count - whole) < 1e-3 && !wants_other_step(r, h, plan->count);
}

static bool plan_choose(Runner* r, double frame_time, StepPlan* plan)
{
    double time = cord_world_time(r->world), interval = frame_time - time;
    StepChoice choice = step_choose(r->world, r->def->step, model_any_step(r->def->scene, interval).step);
    *plan = step_plan(interval, fmin(interval, r->def->end - time), choice.longest);
    r->report.h = plan->h;
    double stable = choice.advice.limit == CORD_LIMIT_ERROR ? (double)INFINITY : choice.advice.step;
    r->report.stable = r->warned ? r->report.stable : stable;
    if (plan->count == 0) {
        return stop(r, RUNNER_STEP_TOO_SHORT);
    }
    warn_of_step(r, choice, *plan);
    tell_step(r, choice, *plan);
    return true;
}

static int64_t steps_to_end(const Runner* r, double frame_time, StepPlan plan)
{
    double most = (r->def->end - cord_world_time(r->world)) / plan.h;
    return ends_before(r, frame_time) ? (int64_t)(most * (1.0 + 1e-9)) : plan.count;
}

// Takes the plan's steps, or as many of them as the state stays fit for: *done says whether that was all
// before the frame or the end.
static bool plan_follow(Runner* r, StepPlan plan, double frame_time, bool* done)
{
    int64_t left = steps_to_end(r, frame_time, plan);
    *done = true;
    while (left > 0) {
        int64_t count = LOOK_EVERY - cord_world_steps(r->world) % LOOK_EVERY;
        count = count < left ? count : left;
        if (!steps_take(r, plan.h, (int)count)) {
            return false;
        }
        left -= count;
        plan.count -= count;
        progress_update(&r->progress, r->world);
        if (r->def->tick) {
            r->def->tick(r->def->user);
        }
        if (wants_other_step(r, plan.h, plan.count)) {
            *done = false;
            return true;
        }
        bool due = talk_clock() - r->snapshot_clock > most_seconds;
        if (r->def->recorder && due && !is_frame_time(r) && !snapshot_put(r)) {
            return false;
        }
    }
    return true;
}

// From here to the time of the next frame, or to the end if that is before. The step is chosen at the frame
// and kept; it is chosen anew within it only if the state has become too stiff for it (a whip's tip, a rope
// pulled taut), or if implicit steps can be longer.
static bool frame_advance(Runner* r)
{
    double frame_time = next_frame_time(r);
    for (bool done = false; !done;) {
        StepPlan plan;
        if (!plan_goes_on(r, frame_time, &plan) && !plan_choose(r, frame_time, &plan)) {
            return false;
        }
        r->report.shortest = r->report.shortest > 0.0 ? fmin(r->report.shortest, plan.h) : plan.h;
        r->report.longest = fmax(r->report.longest, plan.h);
        if (!plan_follow(r, plan, frame_time, &done)) {
            return false;
        }
    }
    double rest = r->def->end - cord_world_time(r->world);
    return !ends_before(r, frame_time) || !(rest > 1e-9 * r->report.shortest) ||
           batch_take(r, rest, 1, has_probes(r));
}

// ---------------------------------------------------------------------------------------------------- lengths

// Springs hold a position-based rod together, one that is inextensible, too: where clamps go farther apart than it is long, nothing
// fails, and the rod is stretched.
static void note_stretch(Runner* r)
{
    for (int i = 0; i < cord_scene_rod_count(r->def->scene); i++) {
        const CordRodDef* def = cord_scene_rod(r->def->scene, i);
        bool springs = def->inextensible && model_way(def).solver;
        double stretch = springs ? cord_rod_stretch(r->world, cord_world_rod(r->world, i)) : 0.0;
        if (stretch > r->report.stretch) {
            r->report.stretch = stretch;
            r->report.stretch_time = cord_world_time(r->world);
            r->report.stretch_rod = i;
        }
    }
}

static void warn_of_stretch(const Runner* r)
{
    const RunnerReport* report = &r->report;
    if (report->stretch < stretch_told) {
        return;
    }
    const char* name = r->def->name;
    ModelWay way = model_way(cord_scene_rod(r->def->scene, report->stretch_rod));
    bool direct = way.method && strcmp(way.method, "direct") == 0;
    CordClampId pair[2];
    bool torn = cord_world_overreach(r->world, report->stretch_time, pair);
    talk_warning("%s%srod \"%s\" is inextensible, but its elements were off their length by up to %.3g %% (at t = %.4g s): %s",
                 name ? name : "", name ? ": " : "",
                 cord_rod_name(r->world, cord_world_rod(r->world, report->stretch_rod)),
                 100.0 * report->stretch, report->stretch_time,
                 torn     ? "clamps hold it farther apart than it is long; der would stop there"
                 : direct ? "what pulls at it is too much for its iterations in steps as long as these"
                          : "its sweeps are too few");
}

// ---------------------------------------------------------------------------------------------------- the run

Runner runner_begin(const RunnerDef* def)
{
    Runner r = {.def = def, .world = def->world, .begun = talk_clock()};
    CordWorld* world = def->world;
    r.report.last_frame = cord_world_time(world);
    r.report.energy_start = progress_totals(world).energy;
    // Counted from here on; runner_end takes them off.
    r.report.steps = cord_world_steps(world);
    r.report.retries = cord_world_retries(world);
    r.report.iterations = cord_world_step_report(world).iterations_in_all;
    r.report.unfinished = cord_world_step_report(world).unfinished_in_all;
    r.progress = progress_begin(world, def->end, def->quiet);
    r.step_cost = batch_seconds; // not known yet: the first step goes alone
    r.snapshot_clock = r.begun;
    if (step_exceeds_frame(def->step, def->fps)) {
        step_warn_of_frame(def->name, def->step, def->fps);
    }
    bool resumed = def->recorder && cord_recorder_frame_count(def->recorder) > 0;
    r.going = (resumed || frame_put(&r)) && frames_left(&r) > frame_slack;
    return r;
}

bool runner_advance(Runner* r)
{
    r->going = !interrupt_raised() || stop(r, RUNNER_INTERRUPTED);
    bool there = r->going && frame_advance(r) && frame_put(r);
    if (there) {
        note_stretch(r);
    }
    r->going = there && frames_left(r) > frame_slack;
    return there;
}

RunnerReport runner_end(Runner* r)
{
    CordWorld* world = r->world;
    r->report.steps = cord_world_steps(world) - r->report.steps;
    r->report.retries = cord_world_retries(world) - r->report.retries;
    r->report.iterations = cord_world_step_report(world).iterations_in_all - r->report.iterations;
    r->report.unfinished = cord_world_step_report(world).unfinished_in_all - r->report.unfinished;
    progress_clear(&r->progress);
    warn_of_stretch(r);
    r->report.wall = talk_clock() - r->begun;
    r->report.energy_end = progress_totals(world).energy;
    return r->report;
}

RunnerReport runner_run(const RunnerDef* def)
{
    Runner r = runner_begin(def);
    while (r.going) {
        runner_advance(&r);
    }
    return runner_end(&r);
}
