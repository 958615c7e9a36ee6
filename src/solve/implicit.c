#include "solve/implicit.h"

#include "solve/system.h"

#include <string.h>

#define MOST_ITERATIONS 20
#define ENOUGH 1e-8 // change of position over edge length, and of an angle [rad]: Newton's next is its square
#define MOST_CHANGE 0.5 // likewise, in one iteration

size_t implicit_scratch(const Rod* rod)
{
    return system_scratch(rod);
}

// ---- where to start

// v_next gets the velocity that clamps want of the nodes they hold; the others go on as they did.
static void predict(System* sys, const StepInfo* step)
{
    Rod* rod = sys->rod;
    const CordCenterline* c = &rod->line;
    double h = step->h, reach = sys->reach;
    for (int k = 0; k < 3; k++) {
        memcpy(c->v_next[k], c->v[k], (size_t)c->slot_count * sizeof(double));
    }
    clamps_apply(rod, step->time + h, h, c->v_next);
    centerline_wrap(c, c->v_next);
    double curve = sys->midpoint ? 0.5 * reach * reach : reach * reach;
    for (int k = 0; k < 3; k++) {
        for (int s = 0; s < c->slot_count; s++) {
            double free = c->w[s] > 0.0 ? 1.0 : 0.0;
            sys->start[k][s] = c->x[k][s] + reach * c->v[k][s];
            sys->y[k][s] = c->x[k][s] + reach * c->v_next[k][s] + free * curve * rod->accel[k][s];
        }
    }
    for (int s = 0; s < c->slot_count; s++) {
        sys->n[s] = c->pull[s];
    }
}

static CordResult newton(System* sys, int* iterations, Message* message)
{
    double change = INFINITY;
    for (int n = 1; n <= MOST_ITERATIONS; n++) {
        *iterations = n;
        system_assemble(sys);
        StrandPivots pivots = strand_factor(&sys->strand, !sys->midpoint);
        if (pivots.least == 0.0 || !strand_solve(&sys->strand)) {
            break;
        }
        change = system_change(sys);
        if (!isfinite(change)) {
            break;
        }
        system_move(sys, change > MOST_CHANGE ? MOST_CHANGE / change : 1.0);
        if (change <= ENOUGH) {
            return CORD_OK;
        }
    }
    return message_fail(message, CORD_NOT_CONVERGED,
                        "rod '%s': Newton's method did not converge in %d iterations; take a shorter step",
                        sys->rod->name, *iterations);
}

// ---- the step

static void finish(System* sys, const StepInfo* step, RodReport* report)
{
    Rod* rod = sys->rod;
    CordCenterline* c = &rod->line;
    double h = step->h,
           curve = sys->midpoint
                       ? 0.5 * sys->reach * sys->reach
                       : sys->reach * sys->reach; // The jerk makes h^3/24 of error and h^3/8 of what the last acceleration did not foretell; backward Euler's own error is half of what it moves by acceleration.
    double share = sys->midpoint ? 1.0 / 3.0 : 0.5;
    report->error = 0.0;
    for (int s = 0; s < c->slot_count; s++) {
        for (int k = 0; k < 3; k++) {
            double x = c->x[k][s];
            double next = sys->midpoint ? 2.0 * sys->y[k][s] - x : sys->y[k][s];
            double mean = (next - x) / h;
            if (c->w[s] > 0.0) {
                double foretold = sys->start[k][s] + (sys->midpoint ? curve * rod->accel[k][s] : 0.0);
                report->error = fmax(report->error, share * fabs(sys->y[k][s] - foretold));
            }
            c->x_next[k][s] = next;
            c->v_next[k][s] = sys->midpoint && c->w[s] > 0.0 ? 2.0 * mean - c->v[k][s] : mean;
        }
        c->pull_next[s] = sys->n[s];
    }
    double *spin = sys->trial->spin(rod), *spin_next = sys->trial->spin_next(rod);
    for (int s = 0; rod->dynamic_twist && s < c->slot_count; s++) {
        double mean = sys->turned[s] / sys->reach;
        spin_next[s] = sys->midpoint ? 2.0 * mean - spin[s] : mean;
    }
}

CordResult implicit_step(Rod* rod, const StepInfo* step, Arena* scratch, RodReport* report, Message* message)
{
    System sys;
    system_open(&sys, rod, false, scratch);
    sys.midpoint = rod->integrator == CORD_INTEGRATOR_MIDPOINT;
    sys.reach = sys.midpoint ? 0.5 * step->h : step->h;
    sys.mass = 1.0 / (sys.reach * sys.reach);
    sys.viscous = rod->damping_time / sys.reach;
    sys.time = step->time + sys.reach;
    sys.gravity = step->gravity;
    *report = (RodReport){0};
    sys.trial->begin(rod, sys.reach);
    predict(&sys, step);
    sys.trial->follow(rod, sys.y, sys.time);
    CORD_TRY(newton(&sys, &report->iterations, message));
    finish(&sys, step, report);
    return CORD_OK;
}

void implicit_commit(Rod* rod, double h)
{
    const CordCenterline* c = &rod->line;
    model_ops(rod->model)->trial->accept(rod);
    for (int k = 0; k < 3; k++) {
        for (int s = 0; s < c->slot_count; s++) {
            rod->accel[k][s] = c->w[s] > 0.0 ? (c->v_next[k][s] - c->v[k][s]) / h : 0.0;
        }
    }
}
