#include "rod/clamp.h"

#include "base/real.h"
#include "math/elementary.h"
#include "rod/frame.h"
#include "rod/rod.h"

#include <string.h>

CordPlace cord_at_start(void)
{
    return (CordPlace){.kind = CORD_AT_START};
}

CordPlace cord_at_end(void)
{
    return (CordPlace){.kind = CORD_AT_END};
}

CordPlace cord_at_node(int node)
{
    return (CordPlace){.kind = CORD_AT_NODE, .index = node};
}

CordPlace cord_at_edge(int edge)
{
    return (CordPlace){.kind = CORD_AT_EDGE, .index = edge};
}

CordPlace cord_at_arc(double arc)
{
    return (CordPlace){.kind = CORD_AT_ARC, .arc = arc};
}

CordClampDef cord_clamp_def_default(void)
{
    return (CordClampDef){.at = {.kind = CORD_AT_START}, .fix = CORD_FIX_POSITION, .release = INFINITY};
}

// ---- places

static int checked_index(int index, int count, const char* what, Message* message)
{
    if (0 <= index && index < count) {
        return index;
    }
    message_fail(message, CORD_BAD_ARGUMENT, "there is no %s %d; the rod has %ss 0 to %d", what, index, what,
                 count - 1);
    return -1;
}

static bool arc_on_rod(const CordCenterline* c, double arc, Message* message)
{
    if (c->ends) {
        message_fail(message, CORD_BAD_ARGUMENT,
                     "a network has no length along it to measure a place by; name a node");
        return false;
    }
    double length = centerline_rest_length(c);
    if (arc >= 0.0 && arc <= length * (1.0 + 1e-9)) {
        return true;
    }
    message_fail(message, CORD_BAD_ARGUMENT, "arc length %g m is not on the rod, which is %g m long", arc,
                 length);
    return false;
}

// The first edge whose part up to `share` of its length reaches the arc length; edge_count: none does; -1: it
// is not on the rod.
static int edge_at_arc(const CordCenterline* c, double wanted, double share, Message* message)
{
    double arc = 0.0;
    int j = arc_on_rod(c, wanted, message) ? 0 : -1;
    while (j >= 0 && j < c->edge_count && wanted > arc + share * edge_rest_len(c, j)) {
        arc += edge_rest_len(c, j++);
    }
    return j;
}

int place_node(const CordCenterline* c, CordPlace at, Message* message)
{
    switch (at.kind) {
    case CORD_AT_START: return 0;
    case CORD_AT_END: return c->closed ? 0 : c->node_count - 1;
    case CORD_AT_NODE: return checked_index(at.index, c->node_count, "node", message);
    case CORD_AT_EDGE:
        message_fail(message, CORD_BAD_ARGUMENT, "this acts on a node, and the place given is edge %d",
                     at.index);
        return -1;
    case CORD_AT_ARC: break;
    }
    int j = edge_at_arc(c, at.arc, 0.5, message);
    return c->closed && j == c->edge_count ? 0 : j;
}

int place_edge(const CordCenterline* c, CordPlace at, Message* message)
{
    switch (at.kind) {
    case CORD_AT_START: return 0;
    case CORD_AT_END: return c->edge_count - 1;
    case CORD_AT_EDGE: return checked_index(at.index, c->edge_count, "edge", message);
    case CORD_AT_NODE:
        message_fail(message, CORD_BAD_ARGUMENT, "this acts on an edge, and the place given is node %d",
                     at.index);
        return -1;
    case CORD_AT_ARC: break;
    }
    int j = edge_at_arc(c, at.arc, 1.0, message);
    return j == c->edge_count ? j - 1 : j;
}

// ---- creation

static CordResult check_clamp(const CordClampDef* d, Message* message)
{
    double axis = vec3_length(d->axis);
    if (d->slides && !(isfinite(axis) && axis > 0.0)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the axis a clamp slides along must be finite and not zero");
    }
    if (d->has_torque && d->fix != CORD_FIX_FRAME) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "a torque acts on a clamp of the frame; this one fixes less");
    }
    if (d->has_torque && !isfinite(d->torque)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "a torque must be finite");
    }
    if (isnan(d->release)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "the time a clamp lets go must be a number");
    }
    return motions_check(d->motions, d->motion_count, "a clamp's motions", message);
}

// The clamped point is the node, the middle of the edge, or the end of the rod if the edge is a half edge.
static void set_offsets(Clamp* clamp)
{
    const CordCenterline* c = &clamp->rod->line;
    if (clamp->edge < 0) {
        clamp->point = node_position(c, clamp->node[0]);
    } else {
        CordVec3 a = node_position(c, clamp->node[0]), b = node_position(c, clamp->node[1]);
        bool at_start = clamp->rod->ends.half_start && clamp->edge == 0;
        bool at_end = clamp->rod->ends.half_end && clamp->edge == c->edge_count - 1;
        clamp->point = at_start ? a : at_end ? b : vec3_mul(vec3_add(a, b), 0.5);
    }
    for (int k = 0; k < clamp->node_count; k++) {
        clamp->offset[k] = vec3_sub(node_position(c, clamp->node[k]), clamp->point);
    }
}

// Where nodes have rotations of their own, clamps hold freedoms of nodes and no edges.
static CordResult hold_freedoms(Clamp* clamp, bool node_turns, Message* message)
{
    const CordClampDef* d = &clamp->def;
    const CordCenterline* c = &clamp->rod->line;
    const char* name = clamp->rod->name;
    if (!node_turns && d->guide) {
        return message_fail(message, CORD_NOT_SUPPORTED,
                            "guides lead modal rods, and rod '%s' is of another model: leave \"guide\" out, "
                            "and the clamp holds the node",
                            name);
    }
    if (!node_turns) {
        return message_fail(message, CORD_NOT_SUPPORTED,
                            "single freedoms are held on modal rods, and rod '%s' is of another model: fix "
                            "\"position\", \"direction\" or \"frame\"",
                            name);
    }
    if (d->fix == CORD_FIX_FREEDOMS && (d->freedoms == 0 || d->freedoms > 63 || d->slides)) {
        return message_fail(
            message, CORD_BAD_ARGUMENT,
            "a clamp of freedoms names those it holds, one of six at the least, and slides along no axis");
    }
    if (d->guide && (d->fix != CORD_FIX_POSITION || d->at.kind == CORD_AT_EDGE)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "a guide leads the position of one node, and fixes nothing else");
    }
    if (d->has_torque) {
        return message_fail(
            message, CORD_NOT_SUPPORTED,
            "rod '%s' is modal: its clamps hold and do not turn by a torque; leave \"torque\" out", name);
    }
    if (isfinite(d->release)) {
        return message_fail(message, CORD_NOT_SUPPORTED,
                            "rod '%s' is modal: its modes are those of its supports, which never let go; "
                            "leave \"release\" out",
                            name);
    }
    if (d->at.kind == CORD_AT_EDGE) {
        int edge = place_edge(c, d->at, message);
        clamp->node_count = 2;
        clamp->node[0] = edge < 0 ? -1 : edge_start(c, edge);
        clamp->node[1] = edge < 0 ? -1 : edge_end(c, edge);
        return CORD_OK;
    }
    clamp->node[0] = place_node(c, d->at, message);
    return CORD_OK;
}

CordResult clamp_check_free(const Rod* rod, const int* nodes, int count, Message* message)
{
    for (int k = 0; k < count; k++) {
        const Clamp* other = clamp_of_node(rod, nodes[k]);
        if (other) {
            return message_fail(message, CORD_BAD_ARGUMENT,
                                "node %d of rod '%s' is held by another %s already; choose another place, or "
                                "leave one of them out",
                                nodes[k], rod->name, other->carrier ? "weld or joint" : "clamp");
        }
    }
    return CORD_OK;
}

CordResult clamp_init(Memory* m, Clamp* clamp, Rod* rod, const CordClampDef* def, CordVec3 m1,
                      bool node_turns, Message* message)
{
    *clamp = (Clamp){.def = *def, .rod = rod, .edge = -1, .node_count = 1, .m1 = m1, .holds = true};
    clamp->def.motions = NULL;
    clamp->drive_rotation = clamp->last.rotation = quat_identity();
    clamp->last_time = -INFINITY;
    clamp->turned[CLAMP_NOW] = clamp->turned[CLAMP_TRIAL] = (ClampTurn){.time = -INFINITY};
    CORD_TRY(check_clamp(def, message));
    if (node_turns || def->fix == CORD_FIX_FREEDOMS || def->guide) {
        CORD_TRY(hold_freedoms(clamp, node_turns, message));
    } else if (def->fix == CORD_FIX_POSITION) {
        clamp->node[0] = place_node(&rod->line, def->at, message);
    } else {
        clamp->edge = place_edge(&rod->line, def->at, message);
        clamp->node[0] = clamp->edge;
        clamp->node[1] = clamp->edge < 0 ? -1 : edge_end(&rod->line, clamp->edge);
        clamp->node_count = 2;
    }
    if (clamp->node[0] < 0) {
        return CORD_BAD_ARGUMENT;
    }
    bool at_end = !rod->line.closed && (clamp->edge == 0 || clamp->edge == rod->line.edge_count - 1);
    if (def->has_torque && !at_end) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "a torque acts at an end of an open rod; edge %d of rod '%s' is none",
                            clamp->edge, rod->name);
    }
    if (def->has_torque) {
        CORD_TRY(load_check_torque(rod, message));
    }
    CORD_TRY(clamp_check_free(rod, clamp->node, clamp->node_count, message));
    if (def->slides) {
        clamp->axis = vec3_unit(def->axis);
    }
    set_offsets(clamp);
    clamp->last.point = clamp->point;
    clamp->def.motions = motions_copy(m, def->motions, def->motion_count);
    return clamp->def.motions ? CORD_OK
                              : message_fail(message, CORD_NO_MEMORY, "no memory for a clamp's motions");
}

bool clamp_take_stretch(Clamp* clamp)
{
    bool moved = clamp->edge >= 0 && clamp->holds && rod_move_stretch(clamp->rod, clamp->edge, true);
    if (moved) {
        set_offsets(clamp);
        clamp->last.point = clamp->point;
    }
    return moved;
}

void clamp_free(Memory* m, Clamp* clamp)
{
    motions_free(m, clamp->def.motions, clamp->def.motion_count);
    clamp->def.motions = NULL;
}

void clamp_attach_to_body(Clamp* clamp, const Pose* carrier)
{
    CordQuat back = quat_conjugate(carrier->rotation);
    clamp->carrier = carrier;
    clamp->point = quat_rotate(back, vec3_sub(clamp->point, carrier->point));
    clamp->m1 = quat_rotate(back, clamp->m1);
    for (int k = 0; k < clamp->node_count; k++) {
        CordVec3 x = node_position(&clamp->rod->line, clamp->node[k]);
        clamp->offset[k] = quat_rotate(back, vec3_sub(x, carrier->point));
    }
}

// ---- during a step

// Pose by motions and actuation.
static Pose prescribed(const Clamp* clamp, double time)
{
    if (clamp->def.motion_count == 0) { // structures have hundreds of these
        return (Pose){vec3_add(clamp->point, clamp->drive_offset), clamp->drive_rotation};
    }
    Pose pose = motions_apply(clamp->def.motions, clamp->def.motion_count,
                              (Pose){clamp->point, quat_identity()}, time);
    pose.point = vec3_add(pose.point, clamp->drive_offset);
    pose.rotation = quat_mul(clamp->drive_rotation, pose.rotation);
    return pose;
}

static CordVec3 held_direction(const Clamp* clamp) // of the held edge, in the initial pose
{
    return vec3_unit(vec3_sub(clamp->offset[1], clamp->offset[0]));
}

static double step_share(const Clamp* clamp, double time)
{
    return time >= clamp->to ? 1.0 : (time - clamp->from) / (clamp->to - clamp->from);
}

Pose clamp_pose(const Clamp* clamp, double time)
{
    if (clamp->carrier) {
        return *clamp->carrier;
    }
    if (!clamp->interpolates || time >= clamp->to) {
        return prescribed(clamp, time);
    }
    double share = step_share(clamp, time);
    Pose pose = pose_interpolate(clamp->last, prescribed(clamp, clamp->to), share);
    if (clamp->full_turns != 0.0) { // the shortest way leaves them out
        CordVec3 along = quat_rotate(pose.rotation, held_direction(clamp));
        pose.rotation = quat_mul(cord_quat_about(along, share * clamp->full_turns), pose.rotation);
    }
    return pose;
}

bool clamp_jumps(const Clamp* clamp, double from, double to)
{
    return motions_jump(clamp->def.motions, clamp->def.motion_count, from, to);
}

// The motions say how many full turns there are; what the caller adds goes the shortest way.
static void find_step_turn(Clamp* clamp)
{
    CordVec3 along = held_direction(clamp);
    double turn =
        motions_turn(clamp->def.motions, clamp->def.motion_count, along, clamp->last_time, clamp->to);
    double shortest = pose_turn(clamp->last, prescribed(clamp, clamp->to), along);
    clamp->step_turn = frame_unwrap(shortest, turn);
    clamp->full_turns = clamp->step_turn - shortest;
}

void clamps_begin_step(Rod* rod, double from, double to)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        Clamp* clamp = rod->clamps[i];
        clamp->guide_force_next = clamp->guide_force;
        if (!clamp->carrier) {
            bool there = pose_equals(clamp->last, prescribed(clamp, from)) && !clamp_jumps(clamp, from, to);
            clamp->interpolates = clamp->holds && !there;
            clamp->from = from;
            clamp->to = to;
            clamp->step_turn = clamp->full_turns = 0.0;
            if (clamp->interpolates && clamp_holds_frame(clamp)) {
                find_step_turn(clamp);
            }
        }
    }
}

void clamps_commit_motion(Rod* rod, double time)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        Clamp* clamp = rod->clamps[i];
        if (!clamp->carrier) {
            clamp->interpolates = false;
            clamp->last = clamp->holds ? prescribed(clamp, time) : clamp->last;
            clamp->last_time = time;
            clamp->turned[CLAMP_NOW] = clamp->turned[CLAMP_TRIAL] = (ClampTurn){.time = time};
        }
    }
}

void clamps_rollback(Rod* rod)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        Clamp* clamp = rod->clamps[i];
        clamp->interpolates = false;
        if (clamp->def.motion_count == 0) { // of the others it is in the state
            clamp->turned[CLAMP_NOW].angle = 0.0;
        }
    }
}

bool clamp_holds_frame(const Clamp* clamp)
{
    return clamp->holds && clamp->edge >= 0 && clamp->def.fix == CORD_FIX_FRAME && !clamp->def.has_torque;
}

// Within a step the tangent differs from that of the clamp's pose: the mean of two is not halfway by angle. A
// projection onto its plane would turn the frame about it, by an angle that depends on where m1 points.
CordVec3 clamp_frame(const Clamp* clamp, CordVec3 tangent, double time)
{
    CordQuat q = clamp_pose(clamp, time).rotation;
    CordVec3 m1 = frame_transport(quat_rotate(q, clamp->m1), quat_rotate(q, held_direction(clamp)), tangent);
    return vec3_unit(vec3_reject(m1, tangent));
}

// ---- turns of held frames

// Up to this angle a frame goes to the nearest angle of its clamp, which is the right one [rad].
#define NEAREST (0.5 * CORD_PI)

double clamp_motion_turn(const Clamp* clamp, double from, double to)
{
    const CordMotion* motions = clamp->def.motions;
    int count = clamp->def.motion_count;
    bool far = count > 0 && clamp->edge >= 0 &&
               motions_rotation_bound(motions, count, real_min(from, to), real_max(from, to)) > NEAREST;
    return far ? motions_turn(motions, count, held_direction(clamp), from, to) : 0.0;
}

static double turn_between(const Clamp* clamp, ClampFrame frame, double time)
{
    const ClampTurn* from = &clamp->turned[frame];
    if (clamp->carrier || clamp->edge < 0) {
        return 0.0;
    }
    return clamp->interpolates ? step_share(clamp, time) * clamp->step_turn - from->angle
                               : clamp_motion_turn(clamp, from->time, time);
}

double clamp_turn(const Clamp* clamp, ClampFrame frame, double time)
{
    double turn = turn_between(clamp, frame, time);
    return fabs(turn) > NEAREST ? turn : 0.0;
}

void clamp_mark_turn(Clamp* clamp, ClampFrame frame, double time)
{
    clamp->turned[frame].angle += turn_between(clamp, frame, time);
    clamp->turned[frame].time = time;
}

void clamps_begin_trial(const Rod* rod)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        rod->clamps[i]->turned[CLAMP_TRIAL] = rod->clamps[i]->turned[CLAMP_NOW];
    }
}

void clamps_accept_trial(const Rod* rod)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        rod->clamps[i]->turned[CLAMP_NOW] = rod->clamps[i]->turned[CLAMP_TRIAL];
    }
}

static Clamp* frame_holder(const Rod* rod, int edge) // NULL: nothing holds its frame
{
    for (int i = 0; i < rod->clamp_count; i++) {
        if (clamp_holds_frame(rod->clamps[i]) && rod->clamps[i]->edge == edge) {
            return rod->clamps[i];
        }
    }
    return NULL;
}

// Turns the edges between two held ones evenly along the rod; `to` may run past the last edge of a ring.
static void spread_between(const Rod* rod, int from, int to, double* turn)
{
    const CordCenterline* c = &rod->line;
    int n = c->edge_count;
    double before = turn[slot_of(c, from)], after = turn[slot_of(c, to % n)], length = 0.0, sum = 0.0;
    for (int j = from + 1; j <= to; j++) { // node j sits before edge j
        length += rod_bend_length(rod, j % c->node_count);
    }
    for (int j = from + 1; j < to; j++) {
        sum += rod_bend_length(rod, j % c->node_count);
        turn[slot_of(c, j % n)] = before + (after - before) * sum / length;
    }
}

// Outside the held edges the rod turns with the nearest one.
static void spread_turns(const Rod* rod, double* turn)
{
    const CordCenterline* c = &rod->line;
    int first = -1, last = -1;
    for (int j = 0; j < c->edge_count; j++) {
        if (frame_holder(rod, j)) {
            if (last >= 0) {
                spread_between(rod, last, j, turn);
            }
            first = first < 0 ? j : first, last = j;
        }
    }
    if (c->closed) {
        spread_between(rod, last, first + c->edge_count, turn);
    }
    for (int j = 0; j < c->edge_count && !c->closed; j++) {
        double* to = &turn[slot_of(c, j)];
        *to = j < first ? turn[slot_of(c, first)] : j > last ? turn[slot_of(c, last)] : *to;
    }
}

bool clamps_turn_frames(const Rod* rod, ClampFrame frame, double time, bool spread, double* turn)
{
    const CordCenterline* c = &rod->line;
    bool any = false;
    for (int i = 0; i < rod->clamp_count; i++) {
        any |= clamp_holds_frame(rod->clamps[i]) && clamp_turn(rod->clamps[i], frame, time) != 0.0;
    }
    if (any) {
        memset(turn, 0, sizeof *turn * (size_t)c->slot_count);
    }
    for (int i = 0; i < rod->clamp_count; i++) {
        Clamp* clamp = rod->clamps[i];
        if (any && clamp_holds_frame(clamp)) {
            turn[slot_of(c, clamp->edge)] = clamp_turn(clamp, frame, time);
        }
        clamp_mark_turn(clamp, frame, time);
    }
    if (any && spread) {
        spread_turns(rod, turn);
    }
    if (any) {
        centerline_wrap_one(c, turn);
    }
    return any;
}

CordVec3 clamp_target(const Clamp* clamp, int k, double time)
{
    Pose pose = clamp_pose(clamp, time);
    return vec3_add(pose.point, quat_rotate(pose.rotation, clamp->offset[k]));
}

// Both nodes of a sliding edge move along the axis with the velocity of their common momentum, plus what the
// rotation of the edge requires.
static void slide_edge(const Clamp* clamp, const CordCenterline* c, CordQuat rotation, double h,
                       double* const v[3])
{
    int s0 = slot_of(c, clamp->node[0]), s1 = slot_of(c, clamp->node[1]);
    double m0 = 1.0 / c->w[s0], m1 = 1.0 / c->w[s1], sum = m0 + m1;
    double u0 = vec3_dot(slot_get(v, s0), clamp->axis), u1 = vec3_dot(slot_get(v, s1), clamp->axis);
    CordVec3 wanted = quat_rotate(rotation, vec3_sub(clamp->offset[1], clamp->offset[0]));
    CordVec3 present = vec3_sub(slot_get(c->x, s1), slot_get(c->x, s0));
    double u = (m0 * u0 + m1 * u1) / sum, difference = vec3_dot(vec3_sub(wanted, present), clamp->axis) / h;
    slot_set(v, s0, vec3_madd(slot_get(v, s0), clamp->axis, (u - m1 / sum * difference) - u0));
    slot_set(v, s1, vec3_madd(slot_get(v, s1), clamp->axis, (u + m0 / sum * difference) - u1));
}

static void apply_clamp(const Clamp* clamp, double time, double h, double* const v[3])
{
    const CordCenterline* c = &clamp->rod->line;
    Pose pose = clamp_pose(clamp, time);
    if (clamp->def.slides && clamp->node_count == 2) {
        slide_edge(clamp, c, pose.rotation, h, v);
    }
    for (int k = 0; k < clamp->node_count; k++) {
        int s = slot_of(c, clamp->node[k]);
        CordVec3 target = vec3_add(pose.point, quat_rotate(pose.rotation, clamp->offset[k]));
        CordVec3 u = vec3_mul(vec3_sub(target, slot_get(c->x, s)), 1.0 / h);
        if (clamp->def.slides) {
            u = vec3_madd(vec3_reject(u, clamp->axis), clamp->axis, vec3_dot(slot_get(v, s), clamp->axis));
        }
        slot_set(v, s, u);
    }
}

void clamps_apply(const Rod* rod, double time, double h, double* const v[3])
{
    for (int i = 0; i < rod->clamp_count; i++) {
        if (rod->clamps[i]->holds && !rod->clamps[i]->carrier) {
            apply_clamp(rod->clamps[i], time, h, v);
        }
    }
}

double clamp_slide(const Clamp* clamp, double* const a[3])
{
    double sum = 0.0, mass = 0.0;
    for (int k = 0; k < clamp->node_count; k++) {
        double m = rod_node_mass(clamp->rod, clamp->node[k]);
        sum += m * vec3_dot(slot_get(a, slot_of(&clamp->rod->line, clamp->node[k])), clamp->axis);
        mass += m;
    }
    return sum / mass;
}

static void set_weights(Rod* rod, bool held)
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        for (int k = 0; clamp->holds && !clamp->def.slides && !clamp->carrier && k < clamp->node_count; k++) {
            c->w[slot_of(c, clamp->node[k])] = held ? 0.0 : clamp->w[k];
        }
    }
}

void clamps_free_nodes(Rod* rod)
{
    set_weights(rod, false);
}

void clamps_hold_nodes(Rod* rod)
{
    set_weights(rod, true);
}

void clamps_keep_free(const Rod* rod, double* const v[3])
{
    for (int i = 0; i < rod->clamp_count; i++) {
        Clamp* clamp = rod->clamps[i];
        for (int k = 0; k < clamp->node_count; k++) {
            clamp->v_free[k] = slot_get(v, slot_of(&rod->line, clamp->node[k]));
        }
    }
}

void clamps_add_free(const Rod* rod, double* const v[3], double times)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        Clamp* clamp = rod->clamps[i];
        for (int k = 0; k < clamp->node_count; k++) {
            CordVec3 add = slot_get(v, slot_of(&rod->line, clamp->node[k]));
            clamp->v_free[k] = vec3_madd(clamp->v_free[k], add, times);
        }
    }
}

void clamps_commit(Rod* rod, double kick)
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < rod->clamp_count; i++) {
        Clamp* clamp = rod->clamps[i];
        clamp->guide_force = clamp->guide_force_next;
        for (int k = 0; clamp->holds && !clamp->carrier && k < clamp->node_count; k++) {
            int s = slot_of(c, clamp->node[k]);
            CordVec3 change = vec3_sub(slot_get(c->v_next, s), slot_get(c->v, s));
            // before the first step there is no velocity that the clamp prescribed
            clamp->acceleration[k] =
                rod->last_step > 0.0 ? vec3_mul(change, 1.0 / kick) : (CordVec3){0, 0, 0};
        }
    }
}

CordVec3 clamp_acceleration(const Clamp* clamp, int node)
{
    const CordCenterline* c = &clamp->rod->line;
    const CordQuat turned = clamp->drive_rotation; // w is 1 where the others are 0
    int k = clamp->node_count > 1 && clamp->node[1] == node ? 1 : 0;
    double h = clamp->rod->last_step;
    bool driven =
        vec3_length(clamp->drive_offset) > 0.0 || turned.x != 0.0 || turned.y != 0.0 || turned.z != 0.0;
    if (clamp->def.motion_count == 0 || driven || h == 0.0) {
        return clamp->acceleration[k];
    }
    CordVec3 next = vec3_sub(clamp_target(clamp, k, clamp->last_time + h), node_position(c, node));
    return vec3_mul(vec3_sub(vec3_mul(next, 1.0 / h), node_velocity(c, node)), 1.0 / h);
}

// A clamp in space that does not slide; NULL: none.
static const Clamp* fixed_clamp(const Rod* rod, int node)
{
    const Clamp* clamp = clamp_in_space(rod, node);
    return clamp && !clamp->def.slides ? clamp : NULL;
}

static CordVec3 target_of(const Clamp* clamp, int node, double time)
{
    return clamp_target(clamp, clamp->node[0] == node ? 0 : 1, time);
}

// A single edge must have exactly its length; several edges may bend.
static double slack_between(double distance, double length, bool one_edge)
{
    double slack = (length - distance) / length;
    return !one_edge ? slack : fabs(slack) <= CLAMP_NO_SLACK ? INFINITY : -fabs(slack);
}

ClampGap clamps_gap(const Rod* rod, double time)
{
    const CordCenterline* c = &rod->line;
    ClampGap gap = {.slack = INFINITY};
    int count = c->node_count, before = -1;
    const Clamp* from = NULL;
    double length = 0.0;
    bool may_not_stretch = rod->inextensible || rod->stiffened;
    for (int n = 0; may_not_stretch && n < (c->closed ? 2 : 1) * count; n++) { // twice around a closed rod
        int node = n % count;
        const Clamp* to = fixed_clamp(rod, node);
        if (from && to && from != to) {
            double distance = vec3_length(vec3_sub(target_of(to, node, time), target_of(from, before, time)));
            double slack = slack_between(distance, length, edge_end(c, before) == node);
            gap = slack < gap.slack ? (ClampGap){{from, to}, {before, node}, distance, length, slack} : gap;
        }
        from = to ? to : from;
        before = to ? node : before;
        length = (to ? 0.0 : length) + (node < c->edge_count ? edge_rest_len(c, node) : 0.0);
    }
    return gap;
}

bool clamps_are_within_reach(const Rod* rod, double time, Message* message)
{
    ClampGap gap = clamps_gap(rod, time);
    if (gap.slack >= -CLAMP_NO_SLACK) {
        return true;
    }
    message_fail(message, CORD_NOT_CONVERGED,
                 "rod '%s': at t = %.9g s its clamps hold nodes %d and %d %.7g m apart, %s the %.7g m of rod "
                 "between them",
                 rod->name, time, gap.node[0], gap.node[1], gap.distance,
                 gap.distance > gap.length ? "farther apart than" : "nearer than", gap.length);
    return false;
}

bool clamps_share_edge(const Rod* rod)
{
    for (int j = 0; j < rod->line.edge_count; j++) {
        const Clamp *a = fixed_clamp(rod, j), *b = fixed_clamp(rod, edge_end(&rod->line, j));
        if (a && b && a != b) {
            return true;
        }
    }
    return false;
}

bool clamp_is_due(const Clamp* clamp, double time)
{
    return clamp->holds && time_is_reached(time, clamp->def.release);
}

bool clamps_are_due(const Rod* rod, double time)
{
    bool any = false;
    for (int i = 0; i < rod->clamp_count; i++) {
        any |= clamp_is_due(rod->clamps[i], time);
    }
    return any;
}

bool clamps_release(Rod* rod, double time, bool* moved)
{
    bool any = false;
    if (moved) {
        *moved = false;
    }
    for (int i = 0; i < rod->clamp_count; i++) {
        Clamp* clamp = rod->clamps[i];
        if (clamp_is_due(clamp, time)) {
            if (clamp->edge >= 0 && moved) {
                *moved |= rod_move_stretch(rod, clamp->edge, false);
            }
            clamp->holds = false;
            any = true;
        }
    }
    return any;
}

const Clamp* clamp_of_node(const Rod* rod, int node)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        for (int k = 0; clamp->holds && k < clamp->node_count; k++) {
            if (clamp->node[k] == node) {
                return clamp;
            }
        }
    }
    return NULL;
}

const Clamp* clamp_in_space(const Rod* rod, int node)
{
    const Clamp* clamp = clamp_of_node(rod, node);
    return clamp && !clamp->carrier ? clamp : NULL;
}

CordVec3 clamp_filter(const Rod* rod, int node, CordVec3 a)
{
    double w = rod->line.w[slot_of(&rod->line, node)];
    const Clamp* clamp = w > 0.0 ? clamp_in_space(rod, node) : NULL;
    return clamp ? vec3_mul(clamp->axis, w * vec3_dot(a, clamp->axis)) : vec3_mul(a, w);
}

void clamp_state(Clamp* clamp, double time, Bytes* b)
{
    bytes_bool(b, &clamp->holds);
    if (clamp->def.guide) {
        bytes_doubles(b, &clamp->guide_force.x, 3);
    }
    bytes_doubles(b, &clamp->drive_offset.x, 3);
    bytes_doubles(b, &clamp->drive_rotation.x, 4);
    bytes_doubles(b, &clamp->last.point.x, 3);
    bytes_doubles(b, &clamp->last.rotation.x, 4);
    if (clamp->edge >= 0 && clamp->def.fix == CORD_FIX_FRAME &&
        clamp->def.motion_count > 0) { // others make no full turns
        bytes_double(b, &clamp->last_time);
        bytes_double(b, &clamp->turned[CLAMP_NOW].time);
        bytes_double(b, &clamp->turned[CLAMP_NOW].angle);
    } else if (b->mode == BYTES_READ) {
        clamp->last_time = time;
    }
    for (int k = 0; k < 2; k++) {
        bytes_doubles(b, &clamp->acceleration[k].x, 3);
    }
}
