// The Model table of framed rods, for every corner law.
#include "base/assert.h"
#include "base/real.h"
#include "math/elementary.h"
#include "model/framed/framed.h"

#include <string.h>

// ---- creation

static void destroy(Memory* memory, Rod* rod)
{
    CORD_ASSERT(!rod->data || !framed_of(rod)->home); // no rod is destroyed while it is solved for
    framed_destroy(memory, framed_of(rod));
    rod->data = NULL;
}

static CordResult remesh(Memory* memory, Rod* rod, const Remesh* map, Message* message)
{
    rod->data = framed_remesh(memory, rod, map, framed_of(map->from));
    return rod->data ? CORD_OK : message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
}

static void rest_strain(const Rod* rod, int node, double strain[3])
{
    framed_rest_strain(framed_of(rod), rod, node, strain);
}

// Frames that were released, or on which a torque now acts, are brought to equilibrium at once.
static CordResult constrain(Memory* memory, Rod* rod, double time, bool release, Message* message)
{
    (void)memory, (void)message;
    Framed* g = framed_of(rod);
    framed_update_held(g, rod);
    framed_hold(g, &g->now, rod, time);
    if (release && !rod->dynamic_twist) {
        rod->unsettled = framed_relax(g, &g->now, rod, framed_viscous_now(g)) < 0;
    }
    return CORD_OK;
}

// ---- the step

static double kick(const Rod* rod, const StepInfo* step, bool drift)
{
    return framed_kick(framed_of(rod), rod, step, drift);
}

static void kick_spin(const Rod* rod, const StepInfo* step)
{
    framed_kick_spin(framed_of(rod), rod, step->kick);
}

static CordVec3 spin_impulse(const Rod* rod, double kick, int node)
{
    return rod->dynamic_twist ? framed_spin_impulse(framed_of(rod), rod, kick, node) : (CordVec3){0, 0, 0};
}

// False where the strains have left the range of the law, or are not finite.
static bool is_measurable(const Framed* g, const Rod* rod)
{
    CornerInput in = framed_input(&g->now, rod, 0.0);
    CornerEnergy e = g->kernels->energy(&in);
    return isfinite(e.bend + e.twist);
}

static void update_frames(Rod* rod, const FramesUpdate* update)
{
    Framed* g = framed_of(rod);
    framed_update(g, rod, update);
    rod->unsettled = rod->dynamic_twist ? g->keeps_trial && !is_measurable(g, rod) : g->turn_iterations < 0;
}

// Frames with inertia go on turning after the middle of a step by the midpoint rule, where its equations were
// solved.
static bool frames_may_fail(const Rod* rod)
{
    return !rod->dynamic_twist || framed_of(rod)->keeps_trial;
}

// The other laws have no strain for full turns of one frame against the next, which does not move yet.
static bool takes_near_turns(const Rod* rod)
{
    return rod->dynamic_twist && framed_of(rod)->law != CORNER_LAW_DER;
}

static RodSpin spin(const Rod* rod)
{
    const Framed* g = framed_of(rod);
    return (RodSpin){g->spin, g->spin_next, g->spin_next, g->spin_inertia, g->may_turn};
}

// ---- queries

static void spin_energy(const Rod* rod, double lag, double* energy, CordVec3* momentum)
{
    framed_spin_energy(framed_of(rod), rod, lag, energy, momentum);
}

static void spins(const Rod* rod, double lag, double* spin)
{
    framed_spins(framed_of(rod), rod, lag, spin);
}

static void advance_spin(Rod* rod, double time, double lag)
{
    framed_advance_spin(framed_of(rod), rod, time, lag);
}

static void spin_forces(const Rod* rod, CordVec3* f)
{
    framed_add_spin_forces(framed_of(rod), rod, f);
}

static void material_frames(const Rod* rod, CordVec3* m1)
{
    framed_frames(framed_of(rod), rod, m1);
}

static void energy(const Rod* rod, CordEnergy* e)
{
    framed_energy(framed_of(rod), rod, e);
}

static void gradient(const Rod* rod, CordVec3* dE_dx)
{
    framed_gradient(framed_of(rod), rod, dE_dx);
}

static double dissipation(const Rod* rod)
{
    return framed_dissipation(framed_of(rod), rod);
}

static bool is_damped(const Rod* rod)
{
    return rod->damping_time > 0.0;
}

static void sections(const Rod* rod, CordVec3* force, double* tension)
{
    if (force) {
        framed_sections(framed_of(rod), rod, force);
    }
    if (tension) {
        framed_tension(framed_of(rod), rod, tension);
    }
}

static void moments(const Rod* rod, CordVec3* moment)
{
    framed_moments(framed_of(rod), rod, moment);
}

static CordVec3 couple(const Rod* rod, int edge, double* stiffness)
{
    *stiffness = 0.0;
    return vec3_mul(edge_tangent(&rod->line, edge), framed_spin_moment(framed_of(rod), rod, edge));
}

static double twist(const Rod* rod)
{
    return framed_twist(framed_of(rod), rod);
}

static CornerStiffness stiffness_at(const Rod* rod, int node)
{
    return framed_stiffness(framed_of(rod), rod, node);
}

static SpectralBound bound(const Rod* rod, const BoundInput* in)
{
    return corner_bound(rod, in, stiffness_at);
}

// 1 + p_4 where the relative rotation of neighbouring frames is three quarters of a turn. Beyond it the CORDE
// strain 4 p_k / (1 + p_4) is close to its pole.
#define NEAR_THE_POLE 0.3

static bool is_turned_too_far(const Framed* g, const FrameSet* f, const CordCenterline* c, int node)
{
    int s = slot_of(c, node);
    double twist = f->nodes.m[s] - f->nodes.rest_m[s];
    CordVec3 before = slot_get(f->edges.t, s - 1), after = slot_get(f->edges.t, s);
    double bend = sqrt(0.5 * real_max(0.0, 1.0 + vec3_dot(before, after)));
    return g->law == CORNER_LAW_PBD
               ? !(fabs(twist) < FRAMED_PBD_MOST_TWIST)
               : fabs(twist) > 2.0 * CORD_PI || !(1.0 + bend * cord_cos(0.5 * twist) > NEAR_THE_POLE);
}

const char* framed_trouble(const Framed* g, const FrameSet* f, const Rod* rod, int* node)
{
    const CordCenterline* c = &rod->line;
    for (int k = 0; g->law != CORNER_LAW_DER && k < inner_count(c); k++) {
        *node = inner_node(c, k);
        if (is_turned_too_far(g, f, c, *node)) {
            return g->law == CORNER_LAW_PBD ? FRAMED_TWISTED_TOO_FAR : FRAMED_TURNED_TOO_FAR;
        }
    }
    return NULL;
}

static const char* trouble(const Rod* rod, int* node)
{
    const Framed* g = framed_of(rod);
    return framed_trouble(g, &g->now, rod, node);
}

// ---- solves

static CordResult open_frames(Memory* memory, Rod* rod, Message* message)
{
    return framed_open_trial(memory, framed_of(rod), rod)
               ? CORD_OK
               : message_fail(message, CORD_NO_MEMORY, "no memory to solve for rod '%s'", rod->name);
}

static void close_frames(Memory* memory, Rod* rod, double time)
{
    Framed* g = framed_of(rod);
    if (g->home) {
        g->home->close_frames(memory, rod, time);
    } else {
        framed_close_trial(memory, g, rod);
    }
}

static CordResult reserve_framed(Memory* memory, Rod* rod, Message* message)
{
    Framed* g = framed_of(rod);
    return framed_reserve_midpoint(memory, g, rod) && framed_open_trial(memory, g, rod)
               ? CORD_OK
               : message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
}

static void state(Rod* rod, Bytes* b)
{
    framed_state(framed_of(rod), rod, b);
}

const Model model_framed = {
    .name = "framed",
    .destroy = destroy,
    .constrain = constrain,
    .kick = kick,
    .kick_spin = kick_spin,
    .spins = spins,
    .spin_impulse = spin_impulse,
    .update_frames = update_frames,
    .frames_may_fail = frames_may_fail,
    .material_frames = material_frames,
    .takes_near_turns = takes_near_turns,
    .spin = spin,
    .spin_energy = spin_energy,
    .advance_spin = advance_spin,
    .spin_forces = spin_forces,
    .energy = energy,
    .gradient = gradient,
    .is_damped = is_damped,
    .dissipation = dissipation,
    .sections = sections,
    .moments = moments,
    .couple = couple,
    .twist = twist,
    .bound = bound,
    .trouble = trouble,
    .open_frames = open_frames,
    .close_frames = close_frames,
    .reserve_framed = reserve_framed,
    .rest_strain = rest_strain,
    .remesh = remesh,
    .state = state,
};
