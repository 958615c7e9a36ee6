// The longest stable explicit step.
#include "math/trig.h"
#include "world/world.h"

#define MOST_TURN 0.1 // of an edge in one step [rad]: the error of a step grows with its square
#define WEIGHTS 3.0   // a rope swinging down from the horizontal pulls with up to three times its weight

const char* cord_step_limit_name(CordStepLimit limit)
{
    static const char* const names[] = {"nothing", "stretching waves", "bending waves", "tension waves",
                                        "fast motion"};
    return (unsigned)limit < sizeof names / sizeof *names ? names[limit] : "unknown";
}

// Tension that an inextensible rod may soon have, if it has little now.
static double tension_to_come(const CordWorld* w, const Rod* rod)
{
    bool held = rod->clamp_count > 0;
    return rod->inextensible && held
               ? WEIGHTS * rod->length * rod->stiffness.mass_per_length * vec3_length(w->gravity)
               : 0.0;
}

// The rate at which the fastest edge turns [rad/s], from the velocities across it.
static double turning_rate(const Rod* rod, const CordVec3* v, int* edge)
{
    const CordCenterline* c = &rod->line;
    double most = 0.0;
    for (int j = 0; j < c->edge_count; j++) {
        CordVec3 t = edge_tangent(c, j), apart = vec3_reject(vec3_sub(v[edge_end(c, j)], v[j]), t);
        double rate = vec3_length(apart) / edge_rest_len(c, j);
        if (rate > most) {
            most = rate;
            *edge = j;
        }
    }
    return most;
}

static CordStepAdvice rod_advice(const CordWorld* w, const Rod* rod)
{
    CordStepAdvice advice = {.step = INFINITY};
    const RodNow* now = rod_now(w, rod);
    if (now) {
        StepLimitAt at = model_ops(rod->model)->limit(rod, now->tension, tension_to_come(w, rod));
        if (at.omega2 > 0.0) {
            double omega = sqrt(at.omega2);
            advice = (CordStepAdvice){2.0 / omega, omega / (2.0 * CORD_PI), at.limit, {0}, at.node};
        }
        int edge = 0;
        double rate = turning_rate(rod, now->v, &edge);
        if (rate * advice.step > MOST_TURN) {
            advice.step = MOST_TURN / rate;
            advice.limit = CORD_LIMIT_MOTION;
            advice.node = edge;
        }
    }
    return advice;
}

CordStepAdvice cord_world_step_advice(const CordWorld* w)
{
    CordStepAdvice least = {.step = INFINITY};
    if (world_prepare(w) != CORD_OK) {
        return least;
    }
    for (int i = 0; i < w->rods.live_count; i++) {
        CordStepAdvice advice = rod_advice(w, slots_at(&w->rods, i));
        if (advice.step < least.step) {
            least = advice;
            least.rod = cord_world_rod(w, i);
        }
    }
    return least;
}
