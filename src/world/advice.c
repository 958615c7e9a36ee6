// Step advice: the longest stable step for explicit rods, the longest accurate step for implicit ones.
#include "base/real.h"
#include "body/inertia.h"
#include "math/elementary.h"
#include "world/branch.h"
#include "world/obstacle.h"
#include "world/world.h"

// Largest change of an edge vector in one step, by rotation and by stretching, over its length. The error
// grows with its square.
#define MOST_CHANGE 0.1
// An edge that turns by so much changes the stiffness of its corners as stretching by its length does [rad].
#define TURN_LIKE_STRETCH 4.0
// Where strained edges stretch at the rate r, the stiffness of waves across them changes at that rate, and a
// step changes their energy by a part of the order (h omega)^2 h r. This bounds it, at each corner. Soft
// threads (test/unit/scene_pace.c) lose half as much energy as with 1e-3 and take 1.4 times the steps.
#define MOST_DRIFT 3e-4
#define SWING_FACTOR 3.0 // a rope that swings down from the horizontal pulls with three times its weight

const char* cord_step_limit_name(CordStepLimit limit)
{
    static const char* const names[] = {"nothing",
                                        "stretching waves",
                                        "bending waves",
                                        "tension waves",
                                        "fast motion",
                                        "torsion",
                                        "the error of a step",
                                        "internal damping",
                                        "the penalty of its orientations",
                                        "the inertia of its orientations"};
    return (unsigned)limit < sizeof names / sizeof *names ? names[limit] : "unknown";
}

// Weight of the whole assembly, if a clamp holds any part of it.
static double weight_held(const CordWorld* w, const Rod* rod)
{
    const Assembly* a = assembly_at(&w->assemblies, rod->assembly);
    bool held = false;
    for (int i = 0; i < (a ? a->rod_count : 1); i++) {
        const Rod* other = a ? a->rods[i] : rod;
        for (int k = 0; k < other->clamp_count; k++) {
            held |= !other->clamps[k]->carrier;
        }
    }
    return held ? assembly_mass(a, rod) * vec3_length(w->gravity) : 0.0;
}

// Tension that an inextensible rod may reach soon, though it has little now.
static double expected_tension(const CordWorld* w, const Rod* rod)
{
    return rod->inextensible ? SWING_FACTOR * weight_held(w, rod) : 0.0;
}

// ---- bodies turned by a rod

// Twisting stiffness from a held edge to the next held edge, or to the rod's end, in one direction [N m].
static double twist_stiffness(const Rod* rod, int edge, int step)
{
    const CordCenterline* c = &rod->line;
    double compliance = 0.0; // angle per moment
    for (int n = 1; n < c->edge_count; n++) {
        int from = edge + (n - 1) * step, to = edge + n * step;
        if (!c->closed && (to < 0 || to >= c->edge_count)) {
            break;
        }
        from = (from + c->edge_count) % c->edge_count, to = (to + c->edge_count) % c->edge_count;
        double GJ = real_max(rod_stiffness_at(rod, from)->GJ, rod_stiffness_at(rod, to)->GJ);
        compliance += 0.5 * rod_bend_length(rod, step > 0 ? to : from) / GJ;
        for (int k = 0; k < rod->clamp_count; k++) {
            if (rod->clamps[k]->holds && rod->clamps[k]->def.fix == CORD_FIX_FRAME &&
                rod->clamps[k]->edge == to) {
                return 1.0 / compliance;
            }
        }
    }
    return 0.0;
}

static double across_stiffness(const Rod* rod, int edge)
{
    double stiffness;
    model_of(rod)->couple(rod, edge, &stiffness);
    return stiffness;
}

// Upper bound on the inverse inertia about any axis across t [1/(kg m^2)].
static double across_compliance(const CordBodyInertia* inertia, CordVec3 t)
{
    CordVec3 u = vec3_any_normal(t), v = vec3_cross(t, u);
    return vec3_dot(u, tensor_solve(inertia->tensor, u)) + vec3_dot(v, tensor_solve(inertia->tensor, v));
}

// A body that the rod's twist turns about the tangent, or that couples turn across it. The bound is twice the
// body's own frequency squared, because another body may be at the other end.
static SpectralBound twist_bound(const Rod* rod)
{
    SpectralBound most = {.limit = CORD_LIMIT_TWIST};
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (!clamp->carrier || clamp->edge < 0) {
            continue;
        }
        CordBodyInertia inertia = body_inertia(weld_of(clamp)->body);
        CordVec3 t = edge_tangent(&rod->line, clamp->edge);
        bool frame = clamp->def.fix == CORD_FIX_FRAME;
        double stiffness =
            frame ? twist_stiffness(rod, clamp->edge, 1) + twist_stiffness(rod, clamp->edge, -1) : 0.0;
        double omega2 = 2.0 * stiffness * vec3_dot(t, tensor_solve(inertia.tensor, t)) +
                        2.0 * across_stiffness(rod, clamp->edge) * across_compliance(&inertia, t);
        if (omega2 > most.omega2) {
            most = (SpectralBound){.omega2 = omega2, .limit = CORD_LIMIT_TWIST, .node = clamp->node[0]};
        }
    }
    return most;
}

typedef struct EdgeRate { // the fastest of any edge, over its length [1/s]
    double rate;
    int edge;
} EdgeRate;

typedef struct EdgeRates {
    EdgeRate change;  // of the edge vector
    EdgeRate stretch; // of the length
} EdgeRates;

static void raise_rate(EdgeRate* most, double rate, int edge)
{
    if (rate > most->rate) {
        *most = (EdgeRate){rate, edge};
    }
}

// Also fills now->rate.
static EdgeRates edge_rates(const Rod* rod, const RodNow* now)
{
    const CordCenterline* c = &rod->line;
    EdgeRates most = {0};
    for (int j = 0; j < c->edge_count; j++) {
        CordVec3 e = edge_vector(c, j), de = vec3_sub(now->v[edge_end(c, j)], now->v[j]);
        double len = vec3_length(e), rest = edge_rest_len(c, j),
               stretch = fabs(vec3_dot(e, de)) / (len * len);
        raise_rate(&most.change, vec3_length(de) / len, j);
        raise_rate(&most.stretch, stretch, j);
        now->rate[j] = rod->inextensible ? 0.0 : stretch * fabs(len - rest) / real_max(len, rest);
    }
    return most;
}

static void limit_step(CordStepAdvice* advice, double step, int node)
{
    if (step < advice->step) {
        advice->step = step;
        advice->limit = CORD_LIMIT_MOTION;
        advice->node = node;
    }
}

// For an adaptive rod, the bound of its finest mesh; without memory for that, the bound of its present mesh.
static SpectralBound finest_bound(const CordWorld* w, const Rod* rod, const RodNow* now)
{
    BoundInput in = {.tension = now->tension, .rate = now->rate, .least_tension = expected_tension(w, rod)};
    SpectralBound at = model_of(rod)->bound(rod, &in), finest;
    CordWorld* changed = (CordWorld*)w; // restored before this returns
    bool more = rod->grid && rod_finest_bound(changed, (Rod*)rod, &in, &finest) == CORD_OK;
    return more && finest.omega2 > at.omega2 ? finest : at;
}

static CordStepAdvice stable_advice(const CordWorld* w, const Rod* rod)
{
    CordStepAdvice advice = {.step = INFINITY, .change_time = INFINITY};
    const RodNow* now = rod_now(w, rod);
    if (now) {
        EdgeRates rates = edge_rates(rod, now);
        SpectralBound at = finest_bound(w, rod, now);
        SpectralBound twist = rod->assembly ? twist_bound(rod) : (SpectralBound){0};
        double both = at.omega2 + twist.omega2; // twist also acts on the nodes
        if (both > 0.0) {
            bool by_twist = twist.omega2 > at.omega2;
            advice.step = 2.0 / sqrt(both);
            advice.frequency = sqrt(both) / (2.0 * CORD_PI);
            advice.limit = by_twist ? twist.limit : at.limit;
            advice.node = by_twist ? twist.node : at.node;
        }
        limit_step(&advice, at.drift > 0.0 ? cord_pow(MOST_DRIFT / at.drift, 1.0 / 3.0) : INFINITY,
                   at.drift_node);
        limit_step(&advice, MOST_CHANGE / rates.change.rate, rates.change.edge);
        advice.change_time = real_min(1.0 / rates.stretch.rate, TURN_LIKE_STRETCH / rates.change.rate);
    }
    return advice;
}

static CordStepAdvice rod_advice(const CordWorld* w, const Rod* rod)
{
    const Stepper* stepper = stepper_of(rod);
    if (stepper->any_step) {
        return (CordStepAdvice){.step = INFINITY, .change_time = INFINITY};
    }
    return stepper->accurate_step ? (CordStepAdvice){.step = stepper->accurate_step(rod, w->gravity),
                                                     .change_time = INFINITY,
                                                     .limit = CORD_LIMIT_ERROR}
                                  : stable_advice(w, rod);
}

// ---- what drives the rods

static CordStepAdvice advice_of_drives(const CordWorld* w)
{
    Drive drive = {.time = w->time, .step = INFINITY, .event = INFINITY, .jump = INFINITY};
    for (int i = 0; i < w->clamps.live_count; i++) {
        const Clamp* clamp = slots_at(&w->clamps, i);
        if (clamp->holds) {
            drive_add_jump(&drive, clamp->def.release);
            motions_add_drive(clamp->def.motions, clamp->def.motion_count, &drive);
        }
    }
    for (int i = 0; i < w->obstacles.live_count; i++) {
        const Obstacle* o = slots_at(&w->obstacles, i);
        motions_add_drive(o->def.motions, o->def.motion_count, &drive);
    }
    for (int i = 0; i < w->loads.live_count; i++) {
        load_add_drive(slots_at(&w->loads, i), &drive);
    }
    return (CordStepAdvice){.step = INFINITY,
                            .change_time = INFINITY,
                            .drive = drive.step,
                            .event = drive.event,
                            .jump = drive.jump};
}

CordStepAdvice cord_world_step_advice(const CordWorld* w)
{
    CordStepAdvice least = advice_of_drives(w);
    if (world_prepare(w) != CORD_OK) {
        return least;
    }
    for (int i = 0; i < w->rods.live_count; i++) {
        CordStepAdvice advice = rod_advice(w, slots_at(&w->rods, i));
        advice.change_time = real_min(least.change_time, advice.change_time);
        advice.drive = least.drive, advice.event = least.event, advice.jump = least.jump;
        if (advice.step < least.step) {
            least = advice;
            least.rod = cord_world_rod(w, i);
        }
        least.change_time = advice.change_time;
    }
    return least;
}

double cord_rod_penalty_limit(const CordWorld* w, CordRodId id, double h)
{
    const Rod* rod = world_rod(w, id);
    if (!rod || !(h > 0.0) || !model_of(rod)->bound || world_prepare(w) != CORD_OK) {
        return 0.0;
    }
    const RodNow* now = rod_now(w, rod);
    BoundInput in = {.least_tension = expected_tension(w, rod), .h = h};
    if (now) {
        in.tension = now->tension;
    }
    return now ? model_of(rod)->bound(rod, &in).penalty : 0.0;
}

bool cord_world_changes(const CordWorld* w, double from, double to)
{
    bool change = false;
    for (int i = 0; i < w->clamps.live_count; i++) {
        const Clamp* clamp = slots_at(&w->clamps, i);
        change |= clamp->holds && (time_is_between(clamp->def.release, from, to) ||
                                   motions_change(clamp->def.motions, clamp->def.motion_count, from, to));
    }
    for (int i = 0; i < w->obstacles.live_count; i++) {
        const Obstacle* o = slots_at(&w->obstacles, i);
        change |= motions_change(o->def.motions, o->def.motion_count, from, to);
    }
    for (int i = 0; i < w->loads.live_count; i++) {
        change |= load_changes(slots_at(&w->loads, i), from, to);
    }
    return from < to && change;
}

double world_drive_step(const CordWorld* w)
{
    return advice_of_drives(w).drive;
}
