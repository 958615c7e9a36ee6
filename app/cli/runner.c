#include "runner.h"

#include "interrupt.h"
#include "progress.h"
#include "step.h"

#include <math.h>

enum {
    LOOK_EVERY = 32,      // steps between looks at the advice within a frame
    SNAPSHOT_FRAMES = 10, // a snapshot every so many frames,
};
static const double work_seconds = 1.0;   // or when this much work would be lost [s]
static const double batch_seconds = 0.05; // steps are taken together for no longer than this [s]

typedef struct Runner {
    const RunnerDef* def;
    CordWorld* world;
    RunnerReport report;
    Progress progress;
    double step_cost;      // wall time of one step, as last measured [s]
    double told_step;      // longest step last spoken of; 0: none
    bool warned;           // the user's step is too long, and was told so
    int since_snapshot;    // frames
    double snapshot_clock; // when the last snapshot was put
} Runner;

// Everything below that can stop the run returns false when it has, the report saying why.
static bool stop(Runner* r, RunnerEnd end)
{
    r->report.end = end;
    return false;
}

// ---------------------------------------------------------------------------------------------------- frames

// Frames come at k/fps and at the end. A time within a millionth of a frame of k/fps is k/fps.
static const double frame_slack = 1e-6;

static double next_frame_time(const Runner* r)
{
    double k = floor(cord_world_time(r->world) * r->def->fps + frame_slack) + 1.0;
    return k + frame_slack < r->def->end * r->def->fps ? k / r->def->fps : r->def->end;
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

// Snapshots stand at k/fps only, never in the middle of a frame and not at an end between two: the rest of
// the frame would be cut into other steps than the whole was, and a resumed run would not give the same bits.
//
// So an interrupted run finishes its frame if that is quickly done, and then nothing is lost. If it would
// take longer than work_seconds it stops at the end of the step, and goes on from the last snapshot, which is
// no older than that much work before the frame.
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

static void warn_of_step(Runner* r, StepChoice choice, StepPlan plan)
{
    if (choice.automatic || r->warned || !(plan.h > choice.advice.step)) {
        return;
    }
    progress_clear(&r->progress);
    bool motion = choice.advice.limit == CORD_LIMIT_MOTION;
    talk_warning("the step of %.3g s is longer than the %.3g s that are %s at t = %.4g s (%s), so the run may %s: "
                 "write \"step\": \"auto\", or use --step %.2g",
                 plan.h, choice.advice.step, motion ? "exact" : "stable", cord_world_time(r->world),
                 step_limit_text(r->world, choice.advice).text, motion ? "be inexact" : "diverge",
                 STEP_SAFETY * choice.advice.step);
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
    double time = cord_world_time(r->world);
    if (!choice.automatic) {
        talk_note("step: %.3g s, %lld per frame", plan.h, (long long)plan.count);
    } else if (isinf(choice.advice.step)) {
        talk_note("step: auto, at t = %.4g s %.3g s, %lld per frame (nothing oscillates)", time, plan.h,
                  (long long)plan.count);
    } else {
        talk_note("step: auto, at t = %.4g s %.3g s, %lld per frame (%g of the stable %.3g s, limited by %s)",
                  time, plan.h, (long long)plan.count, STEP_SAFETY, choice.advice.step,
                  step_limit_text(r->world, choice.advice).text);
    }
}

// count steps of h of the plan's `left`, in pieces short enough for Ctrl-C. The pieces depend on the clock;
// the bits do not depend on the pieces.
static bool steps_take(Runner* r, double h, int count, int64_t left)
{
    bool probes = r->def->recorder && cord_world_probe_count(r->world) > 0;
    while (count > 0) {
        int piece = !probes && count * r->step_cost < batch_seconds ? count : 1;
        double clock = talk_clock();
        CordResult result = cord_world_step_many(r->world, h, piece);
        r->step_cost = (talk_clock() - clock) / piece;
        if (result != CORD_OK) {
            r->report.result = result;
            return stop(r, RUNNER_DIVERGED);
        }
        if (probes) {
            result = cord_recorder_put_probes(r->def->recorder, &r->report.message);
            if (result != CORD_OK) {
                return stop(r, RUNNER_NOT_RECORDED);
            }
        }
        count -= piece;
        left -= piece;
        if (interrupt_raised() && (double)left * r->step_cost > work_seconds) {
            return stop(r, RUNNER_INTERRUPTED);
        }
    }
    return true;
}

// Takes the plan's steps, or as many of them as the state stays fit for: *done says whether that was all.
static bool plan_follow(Runner* r, StepPlan plan, bool automatic, bool* done)
{
    while (plan.count > 0) {
        int count = plan.count < LOOK_EVERY ? (int)plan.count : LOOK_EVERY;
        if (!steps_take(r, plan.h, count, plan.count)) {
            return false;
        }
        plan.count -= count;
        progress_update(&r->progress, r->world);
        if (automatic && plan.count > 0 && cord_world_step_advice(r->world).step < plan.h) {
            break;
        }
    }
    *done = plan.count == 0;
    return true;
}

// From here to the time of the next frame. The step is chosen at the frame and kept; it is chosen anew within
// it only if the state has become too stiff for it (a whip's tip, a rope pulled taut).
static bool frame_advance(Runner* r, double target)
{
    bool done = false;
    while (!done) {
        double interval = target - cord_world_time(r->world);
        StepChoice choice = step_choose(r->world, r->def->step, interval);
        StepPlan plan = step_plan(interval, choice.longest);
        r->report.h = plan.h;
        r->report.stable = r->warned ? r->report.stable : choice.advice.step;
        if (plan.count == 0) {
            return stop(r, RUNNER_STEP_TOO_SHORT);
        }
        warn_of_step(r, choice, plan);
        tell_step(r, choice, plan);
        if (!plan_follow(r, plan, choice.automatic, &done)) {
            return false;
        }
    }
    return true;
}

RunnerReport runner_run(const RunnerDef* def)
{
    Runner r = {.def = def, .world = def->world};
    r.report.last_frame = cord_world_time(def->world);
    r.report.energy_start = progress_totals(def->world).energy;
    r.progress = progress_begin(def->world, def->end, def->quiet);
    r.step_cost = batch_seconds; // not known yet: the first step goes alone
    r.snapshot_clock = talk_clock();
    int64_t first_step = cord_world_steps(def->world);
    double clock = talk_clock();

    bool resumed = def->recorder && cord_recorder_frame_count(def->recorder) > 0;
    bool going = resumed || frame_put(&r);
    while (going && frames_left(&r) > frame_slack) {
        going = !interrupt_raised() || stop(&r, RUNNER_INTERRUPTED);
        going = going && frame_advance(&r, next_frame_time(&r)) && frame_put(&r);
    }
    r.report.steps = cord_world_steps(def->world) - first_step;
    progress_clear(&r.progress);
    r.report.wall = talk_clock() - clock;
    r.report.energy_end = progress_totals(def->world).energy;
    return r.report;
}
