// The switch to the branch that crosses at a bifurcation: implements cord_branch_switch of cordage/solve.h.
#include "base/real.h"
#include "world/branch.h"

#define MOST_GONE 3.0 // way to the branch that crosses, over the amplitude of the push

// Computes the motion of an island that costs least, up or down. Returns |omega^2|.
static double find_mode(CordBranch* b, int island)
{
    Statics* st = &b->arcs[island].st;
    arc_length_begin(&b->arcs[island], b->world->time);
    st->sys.mass = st->soft;
    branch_contact_judge(b, true);
    newton_assemble(&st->sys);
    double softest = statics_factor_in_full(st).least != 0.0 ? fabs(statics_softest(st, 1)) : INFINITY;
    branch_contact_judge(b, false);
    return softest;
}

// Goes back along the former branch to the bifurcation.
static void go_back(CordBranch* b)
{
    CordSolveReport report;
    double time = b->last.event_time;
    branch_snapshot(b);
    if (branch_solve_along(b, (time - b->last.time) / b->direction, time, &report) != CORD_OK) {
        branch_rollback(b);
    }
}

// Moves by `amplitude` along the critical mode, then takes a step of the arc normal to that mode, with time
// as an unknown: x = x0 + a phi + what is orthogonal to phi (Seydel, Practical Bifurcation and Stability
// Analysis, section 5.6). The unit tangent is left along the mode: so the branch that crosses begins.
static bool step_across(CordBranch* b, double amplitude, CordSolveReport* report)
{
    int critical = branch_critical(b), iterations;
    if (critical < 0 || !isfinite(find_mode(b, critical))) {
        return false;
    }
    ArcLength* arc = &b->arcs[critical];
    double share = statics_mode_share(&arc->st, amplitude), time = b->world->time;
    for (int i = 0; i < b->arc_count; i++) {
        arc_length_mark(&b->arcs[i]);
        arc_length_set_tangent(&b->arcs[i], ARC_RATE, 0.0);
    }
    arc_length_take_move(arc, ARC_STEP);
    arc_length_set_tangent(arc, ARC_STEP, share);
    double ds = arc_length_product(arc, ARC_TANGENT, ARC_TANGENT);
    arc_length_predict(arc, 1.0);
    if (!branch_newton(b, ds, 0.0, &time, &iterations)) {
        return false;
    }
    branch_accept(b, time);
    if (branch_solve_at(b, time, report) != CORD_OK) {
        return false;
    }
    double gone = 0.0, along = arc_length_gone_along(arc);
    for (int i = 0; i < b->arc_count; i++) {
        gone += arc_length_gone(&b->arcs[i]);
    }
    arc_length_scale_tangent(arc, 1.0 / sqrt(ds));
    return along > 0.5 * ds && along < 2.0 * ds && sqrt(gone) <= MOST_GONE * sqrt(ds);
}

// Near a bifurcation the branch that crosses has as many unstable modes as one of the sides of the former
// one, or a number between.
static bool fits_stability(const CordBranch* b, int unstable)
{
    int here = b->last.solve.unstable, before = b->unstable_before;
    bool known = here >= 0 && before >= 0 && unstable >= 0;
    return !known ||
           (unstable >= (here < before ? here : before) && unstable <= (here > before ? here : before));
}

static CordResult cross(CordBranch* b, double amplitude, CordSolveReport* report)
{
    CordWorld* w = b->world;
    double at = b->last.event_time;
    go_back(b);
    if (!step_across(b, amplitude, report) || !fits_stability(b, report->unstable)) {
        return message_fail(&w->message, CORD_NOT_CONVERGED,
                            "the branch that crosses at t = %.6g s was not reached %g m from there: take a "
                            "smaller amplitude",
                            at, amplitude);
    }
    if (w->time < branch_low(b) || w->time > branch_high(b)) {
        return message_fail(&w->message, CORD_NOT_CONVERGED,
                            "the branch that crosses at t = %.6g s leaves the range within %g m: take a "
                            "smaller amplitude",
                            at, amplitude);
    }
    return CORD_OK;
}

CordResult cord_branch_switch(CordBranch* b, double amplitude)
{
    CordWorld* w = b->world;
    if (!isfinite(amplitude) || amplitude == 0.0) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "a branch is left by an amplitude that is not zero");
    }
    if (!b->started || b->last.event != CORD_BRANCH_BIFURCATION) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "a branch is left at a bifurcation; there is no bifurcation before this point");
    }
    if (b->def.method != CORD_BRANCH_ARC) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "steps in time do not stay on the branch that crosses: take the method \"arc\"");
    }
    CordSolveReport report = {0};
    double error;
    CORD_TRY(world_take_snapshot(w));
    CordResult result = cross(b, amplitude, &report);
    if (result == CORD_OK) {
        int critical = branch_critical(b);
        bool settled = find_mode(b, critical) > 2.0 * b->arcs[critical].st.soft;
        report.unstable =
            settled ? report.unstable : -1; // so near, none counts as unstable: see Statics.soft
        b->direction = 0.0;                 // along the mode, wherever time goes
        b->last.event = CORD_BRANCH_POINT;
        b->last.time = w->time;
        b->last.solve = report; // the former branch is forgotten
        b->last.least_eigenvalue = branch_judge(b, report.residual, &error);
    } else {
        world_restore(w, w->snapshot, w->snapshot_size);
    }
    world_trim_snapshot(w);
    world_mark(w, NULL, MARK_STATE);
    return result;
}
