// Equilibrium of rods in contact by pseudo-transient continuation: steps of backward Euler, each from rest
// and longer than the one before. Every step lowers the energy and nothing tunnels. The last steps are so
// long that inertia vanishes, and they are Newton's method.
#include "base/real.h"
#include "step/implicit.h"
#include "world/contact_parts.h"
#include "world/island.h"

#include <string.h>

#define FIRST_STEP 1e-2 // over the time in which a bending wave passes the rod
#define STEP_GROWTH 4.0 // growth of the step
#define STEP_REDUCTION 0.25
#define LIMIT_GROWTH 1.1 // growth of the step limit after a failed step
#define LONGEST_STEP 1e5
#define SHORTEST_STEP 1e-9

// Time in which a bending wave as long as the rod passes it; the shortest of all rods.
static double wave_time(const CordWorld* w)
{
    double least = INFINITY;
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        const CordStiffness* k = &rod->stiffness;
        double EI = real_max(real_min(k->EI1, k->EI2), 1e-9 * k->EA * rod->radius * rod->radius),
               L = rod->length;
        least = real_min(least, sqrt(rod_mass(rod) * L * L * L / EI));
    }
    return least;
}

static void rest_all(CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        stepper_rest(slots_at(&w->rods, i));
    }
}

// In a step from rest, the residual force is what accelerates a node and overcomes drag and dampers.
static double residual_of(const Rod* rod, double time, double h)
{
    const CordCenterline* c = &rod->line;
    double most = 0.0;
    for (int n = 0; n < c->node_count; n++) {
        int s = slot_of(c, n);
        if (c->w[s] > 0.0) {
            CordVec3 v = vec3_mul(vec3_sub(slot_get(c->x_next, s), slot_get(c->x, s)), 1.0 / h);
            CordVec3 inertia = vec3_mul(v, rod_node_mass(rod, n) / h);
            most = real_max(most, vec3_length(vec3_sub(inertia, loads_resist(rod, n, v, time))));
        }
    }
    return most;
}

static double force_scale(const CordWorld* w)
{
    double most = 0.0;
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        const CordCenterline* c = &rod->line;
        double EI = real_min(rod->stiffness.EI1, rod->stiffness.EI2);
        most = real_max(
            most, real_max(rod_mass(rod) * vec3_length(w->gravity), 1e-3 * EI / (rod->length * rod->length)));
        for (int j = 0; j < c->edge_count; j++) {
            most = real_max(most, fabs(c->pull_next[slot_of(c, j)]));
        }
    }
    return most;
}

static void commit_relaxed(CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        framed_trial_accept(rod);
        centerline_commit(&rod->line);
        rod_set_pull(rod, rod->line.pull_next);
        stepper_rest(rod);
    }
    contact_commit_solids(w);
}

static CordResult relax_once(CordWorld* w, double time, double h, double* residual)
{
    WorldContact* c = w->touch;
    StepInfo step = {time - h, h, h, w->gravity, true};
    Message message = {0};
    rest_all(w);
    arena_reset(&w->query);
    contact_place_solids(w, time);
    contact_set_law(w);
    CordResult result =
        implicit_steps(c->islands, c->island_count, &c->newton, &w->memory, &step, &w->query, &message);
    if (result == CORD_BAD_ARGUMENT) {
        return contact_overlap(w, &c->newton.contacts.worst, c->newton.contacts.deepest);
    }
    if (result != CORD_OK) {
        return message_fail(&w->message, result, "%s", message.text);
    }
    *residual = 0.0;
    for (int i = 0; i < w->rods.live_count; i++) {
        *residual = real_max(*residual, residual_of(slots_at(&w->rods, i), time, h));
    }
    return CORD_OK;
}

static CordResult check_rods(CordWorld* w)
{
    if (w->bodies.live_count > 0) {
        return message_fail(
            &w->message, CORD_NOT_SUPPORTED,
            "a solve with contact does not take rigid bodies; let the scene run and come to rest instead");
    }
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        if (stepper_of(rod)->contact != CONTACT_NEWTON) {
            return message_fail(
                &w->message, CORD_NOT_SUPPORTED,
                "rod '%s' is explicit; a solve with contact needs an implicit integrator: \"backward_euler\"",
                rod->name);
        }
    }
    return CORD_OK;
}

CordResult solve_in_contact(CordWorld* w, const CordSolveDef* def, double time, CordSolveReport* report)
{
    *report = (CordSolveReport){.unstable = -1};
    CORD_TRY(check_rods(w));
    if (!arena_reserve(&w->memory, &w->query, contact_scratch(w))) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to solve for rods that touch");
    }
    double wave = wave_time(w), h = FIRST_STEP * wave, most = LONGEST_STEP * wave;
    CordResult result = CORD_OK;
    for (; report->iterations < def->iterations && h > SHORTEST_STEP * wave; report->iterations++) {
        double residual;
        result = relax_once(w, time, h, &residual);
        if (result == CORD_NOT_CONVERGED) {
            most = 0.5 * h;
            h *= STEP_REDUCTION;
            continue;
        }
        CORD_TRY(result);
        commit_relaxed(w);
        CORD_TRY(contact_commit(w, h));
        report->residual = residual;
        report->residual_relative = residual / force_scale(w);
        if (report->residual_relative <= def->tolerance) {
            report->converged = true;
            return CORD_OK;
        }
        h = real_min(STEP_GROWTH * h, real_max(most, h));
        most = real_min(LIMIT_GROWTH * most, LONGEST_STEP * wave);
    }
    return result != CORD_OK
               ? result
               : message_fail(
                     &w->message, CORD_NOT_CONVERGED,
                     "no equilibrium found in %d steps; a force of %.3g N is left (%.2g of the largest)",
                     report->iterations, report->residual, report->residual_relative);
}
