// The step of a rod, or of several side by side: where it would go without contact, and the end of it.
#include "world/rod_step.h"

#include "solve/implicit.h"
#include "solve/lengths.h"

#include <string.h>

// Verlet: velocities lie half a step before positions, so that a kick spans half of each step beside it; the
// first one after a start is half as long. Symplectic Euler and fast projection have both at one time.
bool rod_is_staggered(const Rod* rod)
{
    bool fast = rod->inextensible && rod->length_method == CORD_LENGTH_FAST_PROJECTION;
    return rod->integrator == CORD_INTEGRATOR_VERLET && !fast && !rod->positioned;
}

double rod_kick(const Rod* rod, double h)
{
    return rod_is_staggered(rod) ? 0.5 * (rod->last_step + h) : h;
}

double rod_lag(const Rod* rod)
{
    return rod_is_staggered(rod) ? 0.5 * rod->last_step : 0.0;
}

static CordResult folded(const Rod* rod, int node, Message* message)
{
    return message_fail(message, CORD_DIVERGED,
                        "rod '%s' is folded onto itself at node %d, where bending has no end", rod->name,
                        node);
}

static CordResult check_trouble(const Rod* rod, Message* message)
{
    int node = 0;
    const CordModelOps* ops = model_ops(rod->model);
    const char* what = ops->trouble ? ops->trouble(rod, &node) : NULL;
    return what ? message_fail(message, CORD_NOT_CONVERGED, "rod '%s' %s (node %d)", rod->name, what, node)
                : CORD_OK;
}

static CordResult diverged(const Rod* rod, const char* how, Message* message)
{
    const CordCenterline* c = &rod->line;
    int fold = centerline_fold(c);
    if (fold >= 0) {
        return folded(rod, fold, message);
    }
    CORD_TRY(check_trouble(rod, message));
    int node = 0;
    double most = -1.0;
    for (int i = 0; i < c->node_count; i++) {
        double speed = vec3_length(slot_get(c->v_next, slot_of(c, i)));
        if (!isfinite(speed)) {
            node = i;
            break;
        }
        if (speed > most) {
            node = i;
            most = speed;
        }
    }
    return message_fail(message, CORD_DIVERGED, "rod '%s' diverged at node %d: %s", rod->name, node, how);
}

// Nothing real moves a hundred times its own length in one step: so says the mean of the squares.
CordResult rod_check_speed(const Rod* rod, double speed2, double h, Message* message)
{
    if (!isfinite(speed2)) {
        return diverged(rod, "its velocity is no longer finite", message);
    }
    double far = 100.0 * rod->length;
    if (speed2 * h * h > far * far * rod->line.slot_count) {
        return diverged(rod, "it moved a hundred times the rod's length in one step", message);
    }
    return CORD_OK;
}

static void drift(const CordCenterline* c, double h) // x_next = x + h v_next
{
    for (int k = 0; k < 3; k++) {
        const double *x = c->x[k], *v = c->v_next[k];
        double* x_next = c->x_next[k];
        for (int s = 0; s < c->slot_count; s++) {
            x_next[s] = x[s] + h * v[s];
        }
    }
}

// What loads and clamps made of the few nodes they act on, so that it, too, shows whether all is finite.
static double speed2_of_touched(const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    double sum = 0.0;
    for (int i = 0; i < rod->load_count; i++) {
        CordVec3 v = slot_get(c->v_next, slot_of(c, rod->loads[i]->node));
        sum += vec3_dot(v, v);
    }
    for (int i = 0; i < rod->clamp_count; i++) {
        for (int k = 0; k < rod->clamps[i]->node_count; k++) {
            CordVec3 v = slot_get(c->v_next, slot_of(c, rod->clamps[i]->node[k]));
            sum += vec3_dot(v, v);
        }
    }
    return sum;
}

double rod_speed2(const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    double sum = 0.0;
    for (int s = 0; s < c->slot_count; s++) {
        CordVec3 v = slot_get(c->v_next, s);
        sum += vec3_dot(v, v);
    }
    return sum;
}

static CordResult predict_implicit(Rod* rod, const StepInfo* step, Arena* scratch, Message* message)
{
    arena_reset(scratch);
    CORD_TRY(implicit_step(rod, NULL, step, scratch, message));
    return rod_check_speed(rod, rod_speed2(rod), step->h, message);
}

// Frames that found no equilibrium leave moments that no step may go on with.
static CordResult check_frames(const Rod* rod, Message* message)
{
    if (!rod->unsettled) {
        return CORD_OK;
    }
    int fold = centerline_fold(&rod->line);
    if (fold >= 0) {
        return folded(rod, fold, message);
    }
    CORD_TRY(check_trouble(rod, message));
    return message_fail(
        message, CORD_DIVERGED, "rod '%s': its material frames found no equilibrium after the step before%s",
        rod->name,
        loads_have_torque(rod)
            ? "; against a torque about itself a rod needs a clamp that holds a frame, or frames "
              "with inertia (\"dynamic_twist\")"
            : "");
}

// Contact starts from here each time that it is put right.
static void keep_free(const Rod* rod)
{
    size_t size = (size_t)rod->line.slot_count * sizeof(double);
    for (int k = 0; k < 3; k++) {
        memcpy(rod->v_free[k], rod->line.v_next[k], size);
    }
    if (rod->dynamic_twist) {
        memcpy(rod->spin_free, model_ops(rod->model)->trial->spin_next(rod), size);
    }
}

// One phase, one line; what does not apply is skipped.
static CordResult predict_rod(Rod* rod, const StepInfo* step, Arena* scratch, Stopwatch* watch,
                              Message* message)
{
    stopwatch_start(watch);
    CORD_TRY(check_frames(rod, message));
    if (rod->held_twice && !clamps_are_within_reach(rod, step->time + step->h, message)) {
        return CORD_NOT_CONVERGED;
    }
    if (rod_is_implicit(rod)) { // with bodies it takes the whole assembly, with contact all
        CordResult result =
            rod->assembly || rod->touched ? CORD_OK : predict_implicit(rod, step, scratch, message);
        stopwatch_lap(watch, &watch->times.implicit);
        return result;
    }
    CordCenterline* c = &rod->line;
    loads_restore_masses(rod); // of a step that failed
    bool alone = !rod->inextensible && rod->load_count == 0 && rod->clamp_count == 0;
    rod->kick = step->kick;
    double speed2 = model_ops(rod->model)->kick(rod, step, alone);
    if (!alone) {
        loads_kick(rod, &(LoadStep){step->time, step->h, step->kick}, LOAD_ANYWHERE, c->v_next);
        clamps_apply(rod, step->time + step->h, step->h, c->v_next);
        speed2 += speed2_of_touched(rod);
    }
    centerline_wrap(c, c->v_next);
    if (rod->touched) {
        keep_free(rod);
    }
    if (!alone && !rod->inextensible) {
        drift(c, step->h);
    }
    stopwatch_lap(watch, &watch->times.forces);
    if (rod->inextensible && !rod->assembly && isfinite(speed2)) { // with bodies it takes the whole assembly
        arena_reset(scratch);
        CORD_TRY(lengths_project(rod, step->h, step->kick, scratch, &speed2, message));
        stopwatch_lap(watch, &watch->times.lengths);
    }
    centerline_wrap(c, c->x_next);
    return rod_check_speed(rod, speed2, step->h, message);
}

// ---- modal rods

static CordResult predict_modal(Rod* rod, const StepInfo* step, Arena* scratch, Stopwatch* watch,
                                Message* message)
{
    const CordModelOps* ops = model_ops(rod->model);
    stopwatch_start(watch);
    ops->advance(&rod, 1, step, scratch);
    stopwatch_lap(watch, &watch->times.forces);
    return ops->check(rod, step->time + step->h, message);
}

// ---- position-based rods, several at a time

static bool are_alike(const Rod* a, const Rod* b)
{
    return b->positioned && a->model == b->model && model_ops(a->model)->alike(a, b);
}

static int take_alike(const CordWorld* w, int first, int last, Rod* alike[MODEL_LANES])
{
    int count = 1;
    while (count < MODEL_LANES && first + count < last &&
           are_alike(alike[0], slots_at(&w->rods, first + count))) {
        alike[count] = slots_at(&w->rods, first + count);
        count++;
    }
    return count;
}

// What forces from outside make of the velocities, and clamps.
static void push_positioned(Rod* rod, const StepInfo* step)
{
    const CordCenterline* c = &rod->line;
    loads_restore_masses(rod); // of a step that failed
    rod->kick = step->kick;
    rod->again = false;
    model_ops(rod->model)->kick(rod, step, false);
    // drag is the model's business
    loads_kick(rod, &(LoadStep){step->time, step->h, step->kick}, LOAD_ON_POINTS, c->v_next);
    clamps_apply(rod, step->time + step->h, step->h, c->v_next);
    if (rod->touched) {
        keep_free(rod);
    }
}

static CordResult predict_positioned(Rod* const* rods, int count, const StepInfo* step, Arena* scratch,
                                     Stopwatch* watch, Message* message)
{
    stopwatch_start(watch);
    for (int i = 0; i < count; i++) {
        push_positioned(rods[i], step);
    }
    model_ops(rods[0]->model)->advance(rods, count, step, scratch);
    stopwatch_lap(watch, &watch->times.forces);
    for (int i = 0; i < count; i++) {
        if (!isfinite(rod_speed2(rods[i]))) {
            return diverged(rods[i], "its velocity is no longer finite", message);
        }
    }
    return CORD_OK;
}

void rod_settle(Rod* rod, const StepInfo* step, Stopwatch* watch)
{
    stopwatch_start(watch);
    clamps_commit(rod, step->kick);
    loads_restore_masses(rod);
    if (rod_is_implicit(rod)) {
        implicit_commit(rod, step->h);
    }
    centerline_commit(&rod->line);
    rod->last_step = step->h;
    rod->stepped = true;
    rod->report.unfinished_in_all += rod->positioned && rod->report.unfinished;
    rod->ends_step = true;
    model_ops(rod->model)->settle(rod, step->time + step->h); // frames follow the new centreline
    rod->ends_step = false;
    stopwatch_lap(watch, &watch->times.frames);
}

int rods_take(const CordWorld* w, int first, int last, Rod* rods[MODEL_LANES])
{
    rods[0] = slots_at(&w->rods, first);
    return rods[0]->positioned ? take_alike(w, first, last, rods) : 1;
}

CordResult rods_predict(Rod* const* rods, int count, const StepInfo* step, Arena* scratch, Stopwatch* watch,
                        Message* message)
{
    if (rods[0]->modal) {
        return predict_modal(rods[0], step, scratch, watch, message);
    }
    return rods[0]->positioned ? predict_positioned(rods, count, step, scratch, watch, message)
                               : predict_rod(rods[0], step, scratch, watch, message);
}
