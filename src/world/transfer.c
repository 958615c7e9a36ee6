// Transfers the state of one world to another that has the same things, with another model, other values or
// other numbers of elements.
#include "base/real.h"
#include "math/elementary.h"
#include "model/framed/framed.h"
#include "rod/frame.h"
#include "world/world.h"

#include <string.h>

#define PLACE_TOLERANCE 1e-12  // over a rod's length: nodes this near are the same
#define SWEEPS_PER_EDGE 20     // Gauss-Seidel sweeps per edge that restore the lengths of sampled edges
#define LENGTH_TOLERANCE 1e-12 // tolerance on edge lengths, relative
#define MOST_RODS_LINKED 20    // largest number of rods of which all pairs are checked
#define PADDING 8              // entries that kernels may read beyond the end

// ---- the old rod, by rest length

typedef struct Trace {
    int node_count, edge_count;
    bool closed;
    CordVec3 *x, *v; // (node_count)
    CordVec3* m1;    // (edge_count)
    double twist;    // from end to end or once around [rad]
    // Position of the nodes along the rod, over its length; a ring repeats its first node (edge_count + 1).
    double* at;
} Trace;

static void trace_free(Memory* m, Trace* t)
{
    memory_array_free(m, t->x, t->node_count);
    memory_array_free(m, t->v, t->node_count);
    memory_array_free(m, t->m1, t->edge_count);
    memory_array_free(m, t->at, t->edge_count + 1);
    *t = (Trace){0};
}

static void find_arc_positions(const Rod* rod, double* at)
{
    const CordCenterline* c = &rod->line;
    double sum = 0.0;
    at[0] = 0.0;
    for (int j = 0; j < c->edge_count; j++) {
        at[j + 1] = sum += edge_rest_len(c, j);
    }
    for (int j = 0; j < c->edge_count; j++) {
        at[j + 1] /= sum;
    }
}

static bool trace_make(Memory* m, const Rod* rod, Trace* t)
{
    const CordCenterline* c = &rod->line;
    *t = (Trace){.node_count = c->node_count, .edge_count = c->edge_count, .closed = c->closed};
    t->x = memory_array(m, CordVec3, t->node_count);
    t->v = memory_array(m, CordVec3, t->node_count);
    t->m1 = memory_array(m, CordVec3, t->edge_count);
    t->at = memory_array(m, double, t->edge_count + 1);
    if (!t->x || !t->v || !t->m1 || !t->at) {
        trace_free(m, t);
        return false;
    }
    find_arc_positions(rod, t->at);
    t->twist = c->ends ? 0.0 : model_of(rod)->twist(rod);
    return true;
}

static int trace_edge(const Trace* t, double u) // the edge at u
{
    int low = 0, high = t->edge_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        *(t->at[middle] <= u ? &low : &high) = t->at[middle] <= u ? middle : middle - 1;
    }
    return low;
}

static int trace_node(const Trace* t, int i) // wraps around a ring
{
    return t->closed           ? (i + t->node_count) % t->node_count
           : i < 0             ? 0
           : i < t->node_count ? i
                               : t->node_count - 1;
}

static CordVec3 trace_slope(const Trace* t, int i) // derivative at a node, by its neighbours
{
    bool first = !t->closed && i == 0, last = !t->closed && i == t->node_count - 1;
    int a = first ? i : i - 1, b = last ? i : i + 1;
    double from = a < 0 ? t->at[t->edge_count - 1] - 1.0 : t->at[a];
    double to = b > t->edge_count ? 1.0 + t->at[b - t->edge_count] : t->at[b];
    return vec3_mul(vec3_sub(t->x[trace_node(t, b)], t->x[trace_node(t, a)]), 1.0 / (to - from));
}

// Position and velocity at u, by a cubic through the nodes.
static void trace_sample(const Trace* t, double u, CordVec3* x, CordVec3* v)
{
    int j = trace_edge(t, u), i = trace_node(t, j), next = trace_node(t, j + 1);
    double span = t->at[j + 1] - t->at[j], s = (u - t->at[j]) / span, r = 1.0 - s;
    CordVec3 out = vec3_mul(trace_slope(t, i), span), in = vec3_mul(trace_slope(t, next), span);
    *x = vec3_add(vec3_mul(t->x[i], r * r * (1.0 + 2.0 * s)), vec3_mul(t->x[next], s * s * (1.0 + 2.0 * r)));
    *x = vec3_madd(vec3_madd(*x, out, s * r * r), in, -s * s * r);
    *v = vec3_madd(vec3_mul(t->v[i], r), t->v[next], s);
}

static CordVec3 trace_tangent(const Trace* t, int edge)
{
    return vec3_unit(vec3_sub(t->x[trace_node(t, edge + 1)], t->x[edge]));
}

// Material axis at u where the tangent is `tangent`, interpolated between the middles of the two edges around
// it.
static CordVec3 trace_frame(const Trace* t, double u, CordVec3 tangent)
{
    int j = trace_edge(t, u);
    bool before = u < 0.5 * (t->at[j] + t->at[j + 1]);
    int a = before ? j - 1 : j, b = a + 1, edges = t->edge_count;
    if (!t->closed && (a < 0 || b >= edges)) {
        a = b = a < 0 ? 0 : edges - 1;
    }
    double turn_a = a < 0 ? -1.0 : 0.0, turn_b = b >= edges ? 1.0 : 0.0; // around the ring
    a = (a + edges) % edges, b %= edges;
    double at_a = turn_a + 0.5 * (t->at[a] + t->at[a + 1]), at_b = turn_b + 0.5 * (t->at[b] + t->at[b + 1]);
    CordVec3 m_a = frame_transport(t->m1[a], trace_tangent(t, a), tangent);
    CordVec3 m_b = frame_transport(t->m1[b], trace_tangent(t, b), tangent);
    double share = at_b > at_a ? (u - at_a) / (at_b - at_a) : 0.0;
    double usual = turn_a == turn_b ? t->twist * (at_b - at_a) : 0.0; // not where a ring was glued
    double turn = frame_unwrap(frame_angle(m_a, m_b, tangent), usual);
    return vec3_unit(frame_rotate(m_a, tangent, share * turn));
}

// ---- the new rod

static bool same_places(const Trace* t, const Trace* to)
{
    bool same = t->node_count == to->node_count && t->closed == to->closed;
    for (int i = 0; same && i <= t->edge_count; i++) {
        same = fabs(t->at[i] - to->at[i]) <= PLACE_TOLERANCE;
    }
    return same;
}

// The length error of sampled edges grows with the square of their bend. Gauss-Seidel sweeps with
// over-relaxation share it between neighbours. Clamped nodes stay.
static void project_lengths(const Rod* rod, CordVec3* x)
{
    const CordCenterline* c = &rod->line;
    double most = INFINITY, more = 2.0 / (1.0 + cord_sin(CORD_PI / (c->edge_count + 1)));
    for (int k = 0; k < SWEEPS_PER_EDGE * c->edge_count && most > LENGTH_TOLERANCE; k++) {
        most = 0.0;
        for (int j = 0; j < c->edge_count; j++) {
            int end = edge_end(c, j);
            CordVec3 e = vec3_sub(x[end], x[j]);
            double off = 1.0 - edge_rest_len(c, j) / vec3_length(e);
            bool free_a = c->w[slot_of(c, j)] > 0.0, free_b = c->w[slot_of(c, end)] > 0.0;
            double share = more * (free_a && free_b ? 0.5 : 1.0);
            x[j] = free_a ? vec3_madd(x[j], e, share * off) : x[j];
            x[end] = free_b ? vec3_madd(x[end], e, -share * off) : x[end];
            most = real_max(most, free_a || free_b ? fabs(off) : 0.0);
        }
    }
}

// Held nodes go to their clamp targets.
static void place_held(const Rod* rod, double time, CordVec3* x, CordVec3* v)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        bool held = clamp->holds && !clamp->def.slides && !clamp->carrier && !clamp->def.guide;
        for (int k = 0; held && k < clamp->node_count; k++) {
            x[clamp->node[k]] = clamp_target(clamp, k, time);
            v[clamp->node[k]] = (CordVec3){0, 0, 0};
        }
    }
}

static void fill_samples(const Trace* from, const Rod* rod, double time, Trace* to)
{
    for (int i = 0; i < to->node_count; i++) {
        trace_sample(from, to->at[i], &to->x[i], &to->v[i]);
    }
    place_held(rod, time, to->x, to->v);
    if (rod->inextensible) {
        project_lengths(rod, to->x);
    }
    for (int j = 0; j < to->edge_count; j++) {
        to->m1[j] = trace_frame(from, 0.5 * (to->at[j] + to->at[j + 1]), trace_tangent(to, j));
    }
}

// The angle from the frame of an edge, parallel-transported to the next edge, to the frame there. The twist
// of the rod says how many full turns there are.
static double turn_after(const Trace* t, int edge)
{
    int next = (edge + 1) % t->edge_count;
    CordVec3 tangent = trace_tangent(t, next);
    double angle =
        frame_angle(frame_transport(t->m1[edge], trace_tangent(t, edge), tangent), t->m1[next], tangent);
    double apart = 0.5 * (t->at[edge + 1] - t->at[edge] + t->at[next + 1] - t->at[next]);
    return frame_unwrap(angle, t->twist * apart);
}

// Computes the rotation of each frame that restores the former twist, whole turns included. `first` is that
// of the first frame. The rod has frames that were transported to the new places.
static void find_turns(const Rod* rod, const Trace* to, double first, double* turn)
{
    const CordCenterline* c = &rod->line;
    double sum = first;
    for (int j = 0; j < c->edge_count; j++) {
        turn[slot_of(c, j)] = sum;
        if (j + 1 < c->edge_count) {
            sum += turn_after(to, j) - framed_turn_at(framed_of(rod), rod, j + 1);
        }
    }
    centerline_wrap_one(c, turn);
}

static CordResult turn_frames(CordWorld* w, Rod* rod, const Trace* to)
{
    const CordCenterline* c = &rod->line;
    double* turn = memory_array(&w->memory, double, c->slot_count + PADDING);
    CordResult result =
        turn ? model_of(rod)->open_frames(&w->memory, rod, &w->message)
             : message_fail(&w->message, CORD_NO_MEMORY, "no memory for the frames of rod '%s'", rod->name);
    if (result == CORD_OK) {
        memset(turn, 0, (size_t)(c->slot_count + PADDING) * sizeof *turn);
        framed_trial_begin(rod, 1.0);
        framed_trial_follow(rod, c->x, w->time);
        framed_trial_accept(rod);
        CordVec3 m1 = slot_get(framed_of(rod)->now.edges.m1, slot_of(c, 0));
        find_turns(rod, to, frame_angle(m1, to->m1[0], trace_tangent(to, 0)), turn);
        framed_trial_begin(rod, 1.0);
        framed_trial_rotate(rod, turn);
        framed_trial_accept(rod);
        model_of(rod)->close_frames(&w->memory, rod, w->time);
    }
    memory_array_free(&w->memory, turn, c->slot_count + PADDING);
    return result;
}

// Frames with inertia keep their angular velocity where they are the same frames.
static void transfer_spin(Rod* rod, const Rod* was)
{
    bool same = rod->line.edge_count == was->line.edge_count && rod->line.halo == was->line.halo;
    if (rod->dynamic_twist && was->dynamic_twist && same) {
        const double* from = model_of(was)->spin(was).now;
        memcpy(model_of(rod)->spin(rod).now, from, sizeof *from * (size_t)rod->line.slot_count);
    }
}

static CordResult place_rod(CordWorld* w, Rod* rod, const Trace* to)
{
    CordCenterline* c = &rod->line;
    if (model_of(rod)->reduced) {
        return model_of(rod)->reduced->fit(&w->memory, rod, w->time, to->x, to->v, &w->message);
    }
    for (int i = 0; i < c->node_count; i++) {
        int s = slot_of(c, i);
        slot_set(c->x, s, to->x[i]);
        slot_set(c->v, s, to->v[i]);
    }
    centerline_wrap(c, c->x);
    centerline_wrap(c, c->v);
    rod->last_step = 0.0; // the velocities belong to the positions
    clamps_commit_motion(rod, w->time);
    CORD_TRY(turn_frames(w, rod, to));
    welds_move_nodes(rod);
    return CORD_OK;
}

static CordResult transfer_rod(CordWorld* w, Rod* rod, const CordWorld* from, const Rod* was)
{
    Trace old = {0}, new = {0};
    bool networks = rod->line.ends && was->line.ends && rod->line.node_count == was->line.node_count;
    bool chains = !rod->line.ends && !was->line.ends && rod->line.closed == was->line.closed;
    if (!networks && !chains) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "rod '%s' cannot go on from what it was: other networks, and chains that are now "
                            "rings, begin anew",
                            rod->name);
    }
    if (!trace_make(&w->memory, was, &old) || !trace_make(&w->memory, rod, &new)) {
        trace_free(&w->memory, &old);
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to carry rod '%s' over", rod->name);
    }
    if (cord_rod_positions(from, was->id, old.x) != CORD_OK ||
        cord_rod_velocities(from, was->id, old.v) != CORD_OK ||
        cord_rod_material_frames(from, was->id, old.m1) != CORD_OK) {
        trace_free(&w->memory, &old), trace_free(&w->memory, &new);
        return message_fail(&w->message, CORD_BAD_ARGUMENT, "%s", cord_world_message(from));
    }
    if (networks || same_places(&old, &new)) {
        memcpy(new.x, old.x, sizeof *new.x*(size_t) new.node_count);
        memcpy(new.v, old.v, sizeof *new.v*(size_t) new.node_count);
        memcpy(new.m1, old.m1, sizeof *new.m1*(size_t)(networks ? 0 : new.edge_count));
    } else {
        fill_samples(&old, rod, w->time, &new);
    }
    new.twist = old.twist;
    CordResult result = place_rod(w, rod, &new);
    if (result == CORD_OK) {
        transfer_spin(rod, was);
    }
    trace_free(&w->memory, &old);
    trace_free(&w->memory, &new);
    return result;
}

// ---- the world

static void transfer_bodies(CordWorld* w, const CordWorld* from)
{
    for (int i = 0; i < w->bodies.live_count && i < from->bodies.live_count; i++) {
        Body* body = slots_at(&w->bodies, i);
        const Body* was = slots_at(&from->bodies, i);
        CordBodyState state = {0};
        cord_body_pose(from, was->id, &state.position, &state.rotation);
        cord_body_velocity(from, was->id, &state.velocity, &state.spin);
        body->engine->set(body->engine_user, body->handle, &state);
        body->pose = (Pose){state.position, state.rotation};
    }
}

// Sampling may have led a rod through itself or another one: coarse elements cut the bends of a knot short.
static CordResult check_knots(CordWorld* w, const CordWorld* from)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod *rod = slots_at(&w->rods, i), *was = slots_at(&from->rods, i);
        if (rod->line.ends || rod->line.node_count == was->line.node_count) {
            continue;
        }
        bool same = cord_rod_knot(w, rod->id) == cord_rod_knot(from, was->id);
        for (int k = 0; same && k < w->rods.live_count && w->rods.live_count <= MOST_RODS_LINKED; k++) {
            const Rod *other = slots_at(&w->rods, k), *before = slots_at(&from->rods, k);
            same = k == i || other->line.ends ||
                   cord_rod_linking_number(w, rod->id, other->id) ==
                       cord_rod_linking_number(from, was->id, before->id);
        }
        if (!same) {
            return message_fail(&w->message, CORD_NOT_SUPPORTED,
                                "rod '%s' would lose a knot or a link: %d elements are too few, or too many, "
                                "for how it is tied",
                                rod->name, rod->line.edge_count);
        }
    }
    return CORD_OK;
}

CordResult cord_world_carry(CordWorld* w, const CordWorld* from)
{
    CORD_TRY(check_no_branch(w, "nothing is carried over"));
    if (w->steps > 0 || w == from) {
        return message_fail(
            &w->message, CORD_BAD_ARGUMENT,
            "a world that has stepped cannot take over the state of another; create a new one");
    }
    if (w->rods.live_count != from->rods.live_count || w->bodies.live_count != from->bodies.live_count) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "a world of %d rods and %d bodies cannot go on from one of %d and %d",
                            w->rods.live_count, w->bodies.live_count, from->rods.live_count,
                            from->bodies.live_count);
    }
    w->time = from->time;
    w->last_step = 0.0;
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        world_mark(w, rod,
                   clamps_release(rod, w->time, NULL) ? MARK_HELD : MARK_STATE); // clamps past their time
    }
    CORD_TRY(world_prepare(w));
    obstacles_commit_motion(w);
    transfer_bodies(w, from);
    for (int i = 0; i < w->rods.live_count; i++) {
        CORD_TRY(transfer_rod(w, slots_at(&w->rods, i), from, slots_at(&from->rods, i)));
    }
    world_mark(w, NULL, MARK_KNOTS);
    return w->contact.on ? check_knots(w, from) : CORD_OK;
}
