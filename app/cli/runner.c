#include "runner.h"

#include "progress.h"
#include "rod_method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SNAPSHOT_FRAMES = 10 };            // a snapshot after so many frames,
static const double work_seconds = 1.0;   // or when so much work would be lost [s],
static const double most_seconds = 10.0;  // or within a frame, after so much [s]
static const double batch_seconds = 0.05; // longest batch of steps [s]

// Relative stretch that is reported. Position-based steps keep lengths to 1e-5 of an element by their default
// tolerance.
static const double stretch_noted = 1e-3;

// A function that stops the run returns false and leaves the reason in the report.
static bool stop(Runner* r, RunnerEnd end)
{
    r->report.end = end;
    return false;
}

// ---- frames

static bool snapshot_put(Runner* r)
{
    CordResult result = cord_recorder_put_snapshot(r->def->recorder, &r->report.message);
    r->since_snapshot = 0;
    r->snapshot_clock = clock_wall();
    return result == CORD_OK || stop(r, RUNNER_NOT_RECORDED);
}

// A resumed run gives the same bits as one that never stopped, since every step follows from the state alone.
// The steps of a frame are planned up to its time even if the run ends before. So a snapshot may follow any
// step except the last one of such a run, which was shortened.
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
    bool is_last = interrupt_raised() || cord_pace_frames_left(&r->pace, r->world) < 1.0 - CORD_PACE_SLACK;
    bool is_due = r->since_snapshot >= SNAPSHOT_FRAMES || clock_wall() - r->snapshot_clock > work_seconds;
    return !cord_pace_is_frame_time(&r->pace, r->world) || !(is_first || is_last || is_due) ||
           snapshot_put(r);
}

// ---- steps

// The advice before the first implicit step is a guess. Afterwards a step somewhat longer than the advice is
// the user's choice between speed and accuracy.
static bool is_warned_of(const Runner* r, CordPaceChoice choice, CordPacePlan plan)
{
    bool by_error = choice.advice.limit == CORD_LIMIT_ERROR;
    bool known = !by_error || cord_world_steps(r->world) > 0;
    return !choice.automatic && !r->warned && known && plan.h > (by_error ? 2.0 : 1.0) * choice.advice.step;
}

static void warn_of_step(Runner* r, CordPaceChoice choice, CordPacePlan plan)
{
    if (!is_warned_of(r, choice, plan)) {
        return;
    }
    progress_clear(&r->progress.line);
    bool accurate = choice.advice.limit == CORD_LIMIT_MOTION || choice.advice.limit == CORD_LIMIT_ERROR;
    const char* name = r->def->name;
    console_warning("%s%sthe step of %.3g s is longer than the %.3g s that are %s at t = %.4g s (%s), so the "
                    "run may %s: write \"step\": \"auto\", or %s",
                    name ? name : "", name ? ": " : "", plan.h, choice.advice.step,
                    accurate ? "accurate" : "stable", cord_world_time(r->world),
                    step_limit_text(r->world, choice.advice).text, accurate ? "be inaccurate" : "diverge",
                    step_remedy_text(r->world, choice.advice, plan.h).text);
    r->warned = true;
}

enum { STEPS_REPORTED = 20 }; // changes of the step that are reported

static void tell_step(Runner* r, CordPaceChoice choice, CordPacePlan plan)
{
    double change = choice.longest / r->told_step;
    if (r->progress.line.quiet || (r->told_step > 0.0 && change < 4.0 && change > 0.25)) {
        return;
    }
    r->told_step = choice.longest;
    if (++r->steps_reported > STEPS_REPORTED) {
        return;
    }
    progress_clear(&r->progress.line);
    char why[400];
    StepText limit = step_limit_text(r->world, choice.advice);
    if (step_is_driven(choice)) {
        snprintf(why, sizeof why, "%s", STEP_DRIVEN);
    } else if (choice.advice.limit == CORD_LIMIT_ERROR) {
        snprintf(why, sizeof why, "%s %s", cord_world_steps(r->world) > 0 ? "by" : "to begin with; then by",
                 limit.text);
    } else if (isfinite(choice.advice.step)) {
        snprintf(why, sizeof why, "%g of the stable %.3g s, limited by %s", CORD_PACE_SAFETY,
                 choice.advice.step, limit.text);
    } else {
        CordAnyStep any = cord_pace_any_step(r->def->scene, 1.0 / r->def->fps);
        snprintf(why, sizeof why, "%s, so stable at any; %s", any.why, any.taken);
    }
    if (choice.automatic) {
        console_note("step: auto, at t = %.4g s %.3g s, %lld per frame (%s)%s", cord_world_time(r->world),
                     plan.h, (long long)plan.count, why,
                     r->steps_reported == STEPS_REPORTED ? "; further changes are not reported" : "");
    } else {
        console_note("step: %.3g s, %lld per frame", plan.h, (long long)plan.count);
    }
}

// The ledger is read at frames and after every so many steps of the run, whatever the batches.
static bool ledger_update(Runner* r)
{
    if (r->ledger_every == 0 || cord_world_steps(r->world) % r->ledger_every != 0) {
        return true;
    }
    r->report.result = cord_ledger_update(r->world);
    return r->report.result == CORD_OK || stop(r, RUNNER_DIVERGED);
}

static int ledger_room(const Runner* r, int count) // steps up to its next update, at most `count`
{
    if (r->ledger_every == 0) {
        return count;
    }
    int room = r->ledger_every - (int)(cord_world_steps(r->world) % r->ledger_every);
    return room < count ? room : count;
}

static bool batch_take(Runner* r, double h, int count, bool probes)
{
    bool timed = r->def->timed; // reading that clock costs about as much as a step of a short rod
    double clock = clock_wall(), cpu = timed ? clock_cpu() : 0.0;
    CordResult result = cord_world_step_many(r->world, h, count);
    r->report.cpu += timed ? clock_cpu() - cpu : 0.0;
    r->step_cost = (clock_wall() - clock) / count;
    if (result != CORD_OK) {
        r->report.result = result;
        return stop(r, RUNNER_DIVERGED);
    }
    if (probes && cord_recorder_put_probes(r->def->recorder, &r->report.message) != CORD_OK) {
        return stop(r, RUNNER_NOT_RECORDED);
    }
    return ledger_update(r);
}

static bool has_probes(const Runner* r)
{
    return r->def->recorder && cord_world_probe_count(r->world) > 0;
}

// Takes steps in batches short enough for Ctrl-C. Batches depend on the clock; results do not depend on
// batches.
static bool steps_take(Runner* r, double h, int count)
{
    bool probes = has_probes(r);
    while (count > 0) {
        int piece = !probes && count * r->step_cost < batch_seconds ? ledger_room(r, count) : 1;
        if (!batch_take(r, h, piece, probes)) {
            return false;
        }
        count -= piece;
        if (interrupt_raised() && !cord_pace_is_frame_time(&r->pace, r->world)) {
            return (!r->def->recorder || snapshot_put(r)) && stop(r, RUNNER_INTERRUPTED);
        }
    }
    return true;
}

static void note_choice(Runner* r, const CordPaceNext* next)
{
    CordStepAdvice advice = next->choice.advice;
    double stable = advice.limit == CORD_LIMIT_ERROR ? (double)INFINITY : advice.step;
    r->report.h = next->plan.h;
    r->report.choice = next->choice;
    r->report.stable = r->warned ? r->report.stable : stable;
    if (next->kind != CORD_PACE_TOO_SHORT) {
        warn_of_step(r, next->choice, next->plan);
        tell_step(r, next->choice, next->plan);
    }
}

// A snapshot may follow any step but a shortened one.
static bool pieces_take(Runner* r, const CordPaceNext* next)
{
    if (next->shortened) {
        return batch_take(r, next->h, 1, has_probes(r));
    }
    if (!steps_take(r, next->h, next->count)) {
        return false;
    }
    progress_run_update(&r->progress, r->world);
    if (r->def->tick) {
        r->def->tick(r->def->user);
    }
    bool due = clock_wall() - r->snapshot_clock > most_seconds;
    return !r->def->recorder || !due || cord_pace_is_frame_time(&r->pace, r->world) || snapshot_put(r);
}

// Steps to the next frame, or to the end if that comes first.
static bool frame_advance(Runner* r)
{
    for (;;) {
        CordPaceNext next = cord_pace_next(&r->pace, r->world);
        if (next.chosen) {
            note_choice(r, &next);
        }
        if (next.kind == CORD_PACE_TOO_SHORT) {
            return stop(r, RUNNER_STEP_TOO_SHORT);
        }
        if (next.kind != CORD_PACE_STEPS) {
            return true;
        }
        r->report.shortest = r->report.shortest > 0.0 ? fmin(r->report.shortest, next.plan.h) : next.plan.h;
        r->report.longest = fmax(r->report.longest, next.plan.h);
        if (!pieces_take(r, &next)) {
            return false;
        }
    }
}

// ---- lengths

// Position-based rods are held together by springs, even inextensible ones. Where clamps go farther apart
// than the rod is long no step fails, and the rod is stretched.
static void note_stretch(Runner* r)
{
    for (int i = 0; i < cord_scene_rod_count(r->def->scene); i++) {
        const CordRodDef* def = cord_scene_rod(r->def->scene, i);
        bool springs = def->inextensible && rod_method(def).solver;
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
    if (report->stretch < stretch_noted) {
        return;
    }
    const char* name = r->def->name;
    RodMethod way = rod_method(cord_scene_rod(r->def->scene, report->stretch_rod));
    bool direct = way.method && strcmp(way.method, "direct") == 0;
    CordClampId pair[2];
    bool torn = cord_world_overreach(r->world, report->stretch_time, pair);
    console_warning("%s%srod \"%s\" is inextensible, but its elements were off their length by up to %.3g %% "
                    "(at t = %.4g s): %s",
                    name ? name : "", name ? ": " : "",
                    cord_rod_name(r->world, cord_world_rod(r->world, report->stretch_rod)),
                    100.0 * report->stretch, report->stretch_time,
                    torn     ? "clamps hold it farther apart than it is long; der would stop there"
                    : direct ? "what pulls at it is too much for its iterations in steps as long as these"
                             : "its sweeps are too few");
}

// ---- the ledger

// Shares of the energy in motion. Explicit steps near their stability limit are off by some per
// cent. Energy from nowhere that is as much as all other is a step that has become unstable.
static const double error_warned = 0.05, error_most = 0.5;
static const double taken_noted = 0.2;       // taken by steps that damp by design
static const double ledger_still = 1e-9;     // of the energy below which nothing is judged: round-off
enum { FRAMES_WARNED = 5, FRAMES_MOST = 3 }; // in a row: as a motion begins, there is little else

// An energy below which nothing is judged: a part of what it takes to lift and to bend the rods, and of what
// they store, which symplectic steps let swing by some parts in a thousand. As a motion begins there
// is little energy in it, and forces that are not read after every step are coarse. To bend a rod counts as
// no more than to lift it, where there is weight: a stiff bar swings as a whole.
static double ledger_floor(const CordWorld* world)
{
    CordVec3 g = cord_world_gravity(world);
    double pull = sqrt(g.x * g.x + g.y * g.y + g.z * g.z), sum = 0.0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordRodId rod = cord_world_rod(world, i);
        double length = cord_rod_length(world, rod), lift = cord_rod_mass(world, rod) * pull * length;
        double bend = cord_rod_stiffness(world, rod).EI1 / length;
        CordEnergy energy = cord_rod_energy(world, rod);
        sum += 1e-4 * (lift > 0.0 ? lift + fmin(bend, lift) : bend);
        sum += 5e-3 * (energy.bend + energy.twist + energy.stretch);
    }
    return sum;
}

static double size_of(CordVec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static CordWork done_by(const CordLedger* ledger, CordLedgerKind kind) // the last of its kind
{
    CordWork done = {0};
    for (int i = 0; i < ledger->entry_count; i++) {
        done = ledger->entries[i].kind == kind ? ledger->entries[i].done : done;
    }
    return done;
}

// Momentum that is not accounted for, as a share of all impulses and of the momentum that the energy would
// give to the rods.
static double momentum_share(const CordWorld* world, const CordLedger* ledger)
{
    double mass = 0.0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        mass += cord_rod_mass(world, cord_world_rod(world, i));
    }
    double all = sqrt(2.0 * mass * ledger->turnover);
    for (int i = 0; i < ledger->entry_count - 1; i++) {
        all += size_of(ledger->entries[i].done.impulse);
    }
    return all > 0.0 ? size_of(ledger->linear_error) / all : 0.0;
}

static double made_by(const CordLedger* ledger, CordLedgerKind kind)
{
    CordWork done = done_by(ledger, kind);
    return 0.5 * (done.exchanged + done.work);
}

// What integrators that keep energy have taken, and the others. *advice: how the rod that lost most of the
// latter would lose less.
static void add_taken(const Runner* r, double* kept, double* damped, const char** advice)
{
    double most = 0.0;
    for (int i = 0; i < cord_world_rod_count(r->world); i++) {
        CordIntegratorWork done = cord_ledger_integrator(r->world, cord_world_rod(r->world, i));
        *(done.advice ? damped : kept) += done.taken;
        if (done.advice && done.taken > most) {
            most = done.taken;
            *advice = done.advice;
        }
    }
}

// A rod that is curved at rest gains energy where it takes in nodes: these move the ones beside them alone.
#define FEWER_CHANGES                                                                                        \
    "\"by_contact\": false in its \"adapt\" keeps contacts from refining a rod that is curved at rest"

static bool is_by_remeshing(const CordLedger* ledger, double gain)
{
    return made_by(ledger, CORD_LEDGER_REMESHING) > 0.5 * gain;
}

// What has made most of it, and what makes less.
static const char* cause_of_gain(const CordLedger* ledger, double gain)
{
    return is_by_remeshing(ledger, gain)
               ? "adaptive rods have made them as they took in nodes or gave them up; " FEWER_CHANGES
               : "no clamp, load or obstacle has put them in; a shorter step makes less of it";
}

static void warn_of_gain(Runner* r, const CordLedger* ledger, double gain)
{
    r->energy_warned = true;
    progress_clear(&r->progress.line);
    console_warning("at t = %.4g s %.3g J of energy have come from nowhere, %s of the energy in motion: %s",
                    ledger->to, gain, text_percent(gain / ledger->turnover).text,
                    cause_of_gain(ledger, gain));
}

static void warn_of_remeshing(Runner* r, const CordLedger* ledger, double floor)
{
    double lost = -done_by(ledger, CORD_LEDGER_REMESHING).work;
    if (lost > floor && lost > error_warned * ledger->turnover) {
        progress_clear(&r->progress.line);
        console_warning("up to t = %.4g s %.3g J of energy, %s of the energy in motion, were lost as "
                        "adaptive rods took in nodes or gave them up; " FEWER_CHANGES,
                        ledger->to, lost, text_percent(lost / ledger->turnover).text);
    }
}

// At the end of a run whose losses all have an entry.
static void warn_of_loss(Runner* r, const CordLedger* ledger, double floor)
{
    double lost = -ledger->error, share = momentum_share(r->world, ledger);
    progress_clear(&r->progress.line);
    if (lost > floor && lost > error_warned * ledger->turnover) {
        console_warning("at t = %.4g s %.3g J of energy have gone, %s of the energy in motion, that neither "
                        "clamps, loads and obstacles nor damping, friction and the integrator have taken",
                        ledger->to, lost, text_percent(lost / ledger->turnover).text);
    }
    double kept = 0.0, taken = 0.0, damped = -done_by(ledger, CORD_LEDGER_DAMPING).work;
    const char* advice = NULL;
    add_taken(r, &kept, &taken, &advice);
    if (kept > floor && kept > error_warned * ledger->turnover) {
        console_warning("the midpoint rule has taken %.3g J up to t = %.4g s, %s of the energy in "
                        "motion, which it keeps where steps resolve the motion; shorter ones lose less",
                        kept, ledger->to, text_percent(kept / ledger->turnover).text);
    }
    bool damps = taken > floor && taken > taken_noted * ledger->turnover;
    r->report.ledger_advice = damps ? advice : NULL;
    if (damps && damped > 0.0 && taken > damped) {
        console_warning("the integrator has taken %.3g J up to t = %.4g s, and the \"damping\" of rods %.3g "
                        "J: the steps damp the motion more than the scene does; shorter ones damp it less",
                        taken, ledger->to, damped);
    }
    if (ledger->turnover > floor && share > error_warned) {
        console_warning("at t = %.4g s %.3g N s of momentum are not accounted for, %s of all impulses",
                        ledger->to, size_of(ledger->linear_error), text_percent(share).text);
    }
}

static bool ledger_watch(Runner* r)
{
    CordLedger ledger;
    if (r->ledger_every == 0) {
        return true;
    }
    r->report.result = cord_ledger_read(r->world, &ledger);
    if (r->report.result != CORD_OK) {
        return stop(r, RUNNER_DIVERGED);
    }
    r->report.ledger_error = ledger.error;
    r->report.ledger_made = made_by(&ledger, CORD_LEDGER_INTEGRATOR);
    r->report.ledger_taken = r->report.ledger_made - done_by(&ledger, CORD_LEDGER_INTEGRATOR).work;
    r->report.ledger_turnover = ledger.turnover;
    memcpy(r->report.hidden_losses, ledger.hidden_losses, sizeof ledger.hidden_losses);
    r->report.ledger_still = ledger.turnover < ledger_still * ledger_floor(r->world);
    if (!isfinite(ledger.energy)) {
        snprintf(r->report.message.text, sizeof r->report.message.text,
                 "at t = %.9g s the energy of the rods is no longer finite, after steps of %.3g s", ledger.to,
                 r->report.h);
        return stop(r, RUNNER_ENERGY);
    }
    bool last = cord_pace_is_done(&r->pace, r->world); // no more frames to wait for
    // energy from nowhere, from steps or from nodes that change: none of it makes up for what others lose
    double gain = fmax(ledger.error, 0.0) + r->report.ledger_made + made_by(&ledger, CORD_LEDGER_REMESHING),
           share = ledger.turnover > 0.0 ? gain / ledger.turnover : 0.0;
    double floor = ledger_floor(r->world);
    bool judged = gain > floor && ledger.judged;
    r->frames_off = judged && share > error_warned ? r->frames_off + 1 : 0;
    r->frames_lost = judged && share > error_most ? r->frames_lost + 1 : 0;
    if (r->frames_lost >= (last ? 1 : FRAMES_MOST)) {
        snprintf(r->report.message.text, sizeof r->report.message.text,
                 "at t = %.9g s %.3g J of energy have come from nowhere, %s of the energy in motion, in "
                 "steps of %.3g s: %s",
                 ledger.to, gain, text_percent(share).text, r->report.h, cause_of_gain(&ledger, gain));
        r->report.ledger_remeshed = is_by_remeshing(&ledger, gain);
        return stop(r, RUNNER_ENERGY);
    }
    if (r->frames_off >= (last ? 1 : FRAMES_WARNED) && !r->energy_warned) {
        warn_of_gain(r, &ledger, gain);
    }
    if (last) {
        warn_of_remeshing(r, &ledger, floor);
    }
    if (last && ledger.complete) {
        warn_of_loss(r, &ledger, floor);
    }
    return true;
}

// ---- the run

Runner runner_begin(const RunnerDef* def)
{
    Runner r = {.def = def, .world = def->world, .begun = clock_wall()};
    r.pace = cord_pace_begin(&(CordPaceDef){def->scene, def->step, def->end, def->fps});
    CordWorld* world = def->world;
    r.report.last_frame = cord_world_time(world);
    r.report.energy_start = world_totals(world).energy;
    // runner_end subtracts these.
    r.report.steps = cord_world_steps(world);
    r.report.retries = cord_world_retries(world);
    r.report.iterations = cord_world_step_report(world).iterations_in_all;
    r.report.unfinished = cord_world_step_report(world).unfinished_in_all;
    r.report.spent = cord_world_contact_report(world).spent_in_all;
    r.report.limited = cord_world_contact_report(world).limited_in_all;
    r.progress = progress_run_begin(world, def->end, def->quiet);
    r.step_cost = batch_seconds; // unknown: the first step is a batch of its own
    r.snapshot_clock = r.begun;
    r.ledger_every = cord_ledger_is_open(world) ? cord_ledger_every(world) : 0;
    if (cord_pace_exceeds_frame(def->step, def->fps)) {
        step_warn_of_frame(def->name, def->step, def->fps);
    }
    bool resumed = def->recorder && cord_recorder_frame_count(def->recorder) > 0;
    r.going = (resumed || frame_put(&r)) && !cord_pace_is_done(&r.pace, world);
    return r;
}

bool runner_advance(Runner* r)
{
    r->going = !interrupt_raised() || stop(r, RUNNER_INTERRUPTED);
    bool there = r->going && frame_advance(r) && frame_put(r) && ledger_watch(r);
    if (there) {
        note_stretch(r);
    }
    r->going = there && !cord_pace_is_done(&r->pace, r->world);
    return there;
}

RunnerReport runner_end(Runner* r)
{
    CordWorld* world = r->world;
    r->report.steps = cord_world_steps(world) - r->report.steps;
    r->report.retries = cord_world_retries(world) - r->report.retries;
    r->report.iterations = cord_world_step_report(world).iterations_in_all - r->report.iterations;
    r->report.unfinished = cord_world_step_report(world).unfinished_in_all - r->report.unfinished;
    r->report.spent = cord_world_contact_report(world).spent_in_all - r->report.spent;
    r->report.limited = cord_world_contact_report(world).limited_in_all - r->report.limited;
    progress_clear(&r->progress.line);
    warn_of_stretch(r);
    r->report.wall = clock_wall() - r->begun;
    r->report.energy_end = world_totals(world).energy;
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

// ---- the step in words

static bool is_by_error(CordStepAdvice advice)
{
    return advice.limit == CORD_LIMIT_ERROR;
}

bool step_is_driven(CordPaceChoice choice)
{
    return choice.automatic && choice.longest > CORD_PACE_SAFETY * choice.advice.drive;
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
        snprintf(t.text, sizeof t.text,
                 "%s in rod \"%.150s\"; \"integrator\": \"implicit\" has no such limit",
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

CordMessage step_too_short_text(const CordWorld* world, CordPaceChoice choice, double h)
{
    CordMessage t;
    bool collapse = choice.advice.limit == CORD_LIMIT_MOTION;
    if (choice.automatic) {
        snprintf(t.text, sizeof t.text,
                 "at t = %.6g s steps of %.3g s are needed, more than %g for a frame: %s. %s",
                 cord_world_time(world), h, CORD_PACE_MOST_STEPS, step_limit_text(world, choice.advice).text,
                 collapse
                     ? "An edge there has next to no length left, or turns that fast: give the rod a larger "
                       "\"young\" or internal \"damping\", or make it \"inextensible\""
                     : "Take \"integrator\": \"implicit\", fewer elements, or a higher time.fps");
    } else {
        snprintf(
            t.text, sizeof t.text,
            "a step of %.3g s would take more than %g steps for one frame; write a longer one, \"auto\", or "
            "a higher time.fps",
            h, CORD_PACE_MOST_STEPS);
    }
    return t;
}

void step_warn_of_frame(const char* name, double user_step, double fps)
{
    console_warning("%s%sthe step of %.6g s is longer than a frame, and steps end at frames: %.6g s are "
                    "taken; for longer ones record fewer frames a second (time.fps)",
                    name ? name : "", name ? ": " : "", user_step, 1.0 / fps);
}
