// Equilibrium of rods and bodies in contact by pseudo-transient continuation: steps of backward Euler, each
// from rest and longer than the one before. Every step lowers the energy and nothing tunnels. The last steps
// are so long that inertia vanishes, and they are Newton's method.
#include "base/real.h"
#include "body/inertia.h"
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
#define MOST_ROUNDS 4 // of steps that end at rest, until forces balance

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

static double rods_length(const CordWorld* w) // of the longest
{
    double most = 0.0;
    for (int i = 0; i < w->rods.live_count; i++) {
        most = real_max(most, ((const Rod*)slots_at(&w->rods, i))->length);
    }
    return most;
}

static void rest_body(const Body* body)
{
    CordBodyState rest = {.position = body->pose.point, .rotation = body->pose.rotation};
    body->engine->set(body->engine_user, body->handle, &rest);
}

static void rest_all(CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        stepper_rest(slots_at(&w->rods, i));
    }
    for (int i = 0; i < w->bodies.live_count; i++) {
        rest_body(slots_at(&w->bodies, i));
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

// Likewise of a body, whose state is that at the end of the step. Torques are over its extent.
static double body_residual(const CordWorld* w, const Body* body, double h)
{
    CordBodyState s = body->engine->get(body->engine_user, body->handle);
    CordBodyInertia inertia = body_inertia(body);
    double extent = real_max(sqrt((inertia.tensor[0] + inertia.tensor[1] + inertia.tensor[2]) / inertia.mass),
                             1e-6 * rods_length(w));
    return real_max(inertia.mass * vec3_length(s.velocity),
                    vec3_length(tensor_mul(inertia.tensor, s.spin)) / extent) /
           h;
}

static double force_scale(const CordWorld* w)
{
    double most = 0.0;
    for (int i = 0; i < w->bodies.live_count; i++) {
        const Body* body = slots_at(&w->bodies, i);
        most = real_max(most, body_inertia(body).mass * vec3_length(w->gravity));
    }
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
    for (int i = 0; i < w->bodies.live_count; i++) {
        body_refresh_pose(slots_at(&w->bodies, i));
        rest_body(slots_at(&w->bodies, i));
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
    c->newton.loads = &w->loads;
    CordResult result =
        implicit_steps(c->islands, c->island_count, &c->newton, &w->memory, &step, &w->query, &message);
    c->newton.loads = NULL;
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
    for (int i = 0; i < w->bodies.live_count; i++) {
        *residual = real_max(*residual, body_residual(w, slots_at(&w->bodies, i), h));
    }
    return CORD_OK;
}

// A body without welds can only come to rest on rods.
static CordResult check_body(CordWorld* w, const Body* body)
{
    if (body->assembly == 0 && body->def.intangible) {
        return message_fail(
            &w->message, CORD_NOT_CONVERGED,
            "body '%s' is welded to nothing and cannot be touched, so it has no equilibrium: weld "
            "it to a rod that is clamped, or leave it out",
            body->name);
    }
    if (body->assembly == 0 && body->engine != &body_engine_free) {
        return message_fail(
            &w->message, CORD_NOT_SUPPORTED,
            "body '%s' belongs to the engine '%s', whose own contacts a solve does not know; let "
            "the scene run and come to rest instead, or weld the body to a rod",
            body->name, body->engine->name);
    }
    return CORD_OK;
}

#define FARTHEST 100.0 // way of a body that falls, over the length of the longest rod

static CordResult check_fall(CordWorld* w, const CordVec3* start)
{
    for (int i = 0; i < w->bodies.live_count; i++) {
        const Body* body = slots_at(&w->bodies, i);
        double way = vec3_length(vec3_sub(body->pose.point, start[i]));
        if (body->assembly == 0 && way > FARTHEST * rods_length(w)) {
            return message_fail(&w->message, CORD_NOT_CONVERGED,
                                "body '%s' has moved by %.3g m and meets nothing that holds it, so it has no "
                                "equilibrium: put a rod in its way, or weld it to one",
                                body->name, way);
        }
    }
    return CORD_OK;
}

static CordResult check_rods(CordWorld* w)
{
    for (int i = 0; i < w->bodies.live_count; i++) {
        CORD_TRY(check_body(w, slots_at(&w->bodies, i)));
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

// Grows the step until inertia is negligible. `start`: where bodies began (bodies.live_count).
static CordResult relax(CordWorld* w, const CordSolveDef* def, double time, const CordVec3* start,
                        CordSolveReport* report)
{
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
        CORD_TRY(check_fall(w, start));
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

// Newton's method ends a step by its motion, and a motion too short to count may leave a force that does,
// where rods are stiff. Another step from rest takes most of it. The judge finds contacts anew, and does not
// know the force of one that passes on to another element; steps in which inertia bears nothing are an
// equilibrium all the same, of unknown stability.
static CordResult relax_until_balanced(CordWorld* w, const CordSolveDef* def, double time,
                                       const CordVec3* start, ContactJudge* judge, void* user,
                                       CordSolveReport* report)
{
    CordResult result = CORD_NOT_CONVERGED;
    double residual = 0.0, relative = 0.0;
    for (int round = 0; round < MOST_ROUNDS && result == CORD_NOT_CONVERGED; round++) {
        CORD_TRY(relax(w, def, time, start, report));
        residual = report->residual, relative = report->residual_relative;
        result = judge ? judge(user, time, report) : CORD_OK;
    }
    if (result == CORD_NOT_CONVERGED) {
        report->converged = true;
        report->residual = residual, report->residual_relative = relative;
        report->unstable = -1;
        return CORD_OK;
    }
    return result;
}

CordResult solve_in_contact(CordWorld* w, const CordSolveDef* def, double time, ContactJudge* judge,
                            void* user, CordSolveReport* report)
{
    *report = (CordSolveReport){.unstable = -1};
    CORD_TRY(check_rods(w));
    int bodies = w->bodies.live_count;
    CordVec3* start = memory_array(&w->memory, CordVec3, bodies);
    if (!start || !arena_reserve(&w->memory, &w->query, contact_scratch(w))) {
        memory_array_free(&w->memory, start, bodies);
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to solve for rods that touch");
    }
    for (int i = 0; i < bodies; i++) {
        start[i] = ((const Body*)slots_at(&w->bodies, i))->pose.point;
    }
    CordResult result = relax_until_balanced(w, def, time, start, judge, user, report);
    memory_array_free(&w->memory, start, bodies);
    return result;
}
