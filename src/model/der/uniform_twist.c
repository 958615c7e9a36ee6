// Twist of a naturally straight isotropic rod. The material frame is quasistatic (DER section 5.1), so that
// the twist is uniform between knots (eq. 5). The angles at the knots determine it.
#include "math/elementary.h"
#include "math/kernel.h"
#include "model/der/uniform.h"
#include "model/der/uniform_twist_kernel.h"
#include "rod/frame.h"

KERNEL_DECLARE(TwistKernels, twist_kernels);

const TwistKernels* twist_kernels(void)
{
    return KERNEL_CHOOSE(twist_kernels);
}

// ---- the profile of twist along the rod

// Sum of l_i over the inner nodes between two edges; `to` may run past the last edge of a closed rod.
static double length_between(const Rod* rod, int from, int to)
{
    const CordCenterline* c = &rod->line;
    double sum = 0.0;
    for (int edge = from + 1; edge <= to; edge++) { // node `edge` sits before edge `edge`
        sum += rod_bend_length(rod, edge % c->node_count);
    }
    return sum;
}

// Frame angle theta of an edge: linear in arc length between knots and constant outside them. Once around a
// ring it grows by the total twist.
static double theta_at(const Rod* rod, int edge)
{
    const CordDer* m = der_of(rod);
    if (m->knot_count == 0) {
        return 0.0;
    }
    const DerKnot *first = &m->knots[0], *last = &m->knots[m->knot_count - 1];
    double around = 0.0;
    if (rod->line.closed && m->knot_count > 1) {
        while (edge < first->edge) {
            edge += rod->line.edge_count;
            around -= last->theta - first->theta;
        }
        while (edge > last->edge) {
            edge -= rod->line.edge_count;
            around += last->theta - first->theta;
        }
    }
    for (int k = 0; k + 1 < m->knot_count; k++) {
        const DerKnot *a = &m->knots[k], *b = &m->knots[k + 1];
        if (a->edge <= edge && edge < b->edge) {
            return around + a->theta + (b->theta - a->theta) * length_between(rod, a->edge, edge) / a->length;
        }
    }
    return around + (edge < first->edge ? first->theta : last->theta);
}

// Reserves `count` knots and as many spare ones for updates, so that releasing clamps and restoring states
// allocate nothing.
static bool reserve_knots(Memory* memory, CordDer* m, int count)
{
    if (count <= m->knot_capacity) {
        return true;
    }
    DerKnot* block = memory_array(memory, DerKnot, 2 * count);
    if (!block) {
        return false;
    }
    for (int k = 0; k < m->knot_count; k++) {
        block[k] = m->knots[k];
    }
    memory_array_free(memory, m->knot_block, 2 * m->knot_capacity);
    m->knot_block = m->knots = block;
    m->spare_knots = block + count;
    m->knot_capacity = count;
    return true;
}

static void measure_lengths(const Rod* rod)
{
    CordDer* m = der_of(rod);
    for (int k = 0; k + 1 < m->knot_count; k++) {
        m->knots[k].length = length_between(rod, m->knots[k].edge, m->knots[k + 1].edge);
    }
}

// nodes [from, to)
static void set_moments(const CordCenterline* c, double* moment, int from, int to, double value)
{
    for (int node = from; node < to; node++) {
        moment[slot_of(c, node)] = value;
    }
}

// Computes the twisting moments from the knot angles and writes them to the nodes between the knots.
static void spread_moments(const Rod* rod)
{
    CordDer* m = der_of(rod);
    const CordCenterline* c = &rod->line;
    m->twisted = false;
    for (int s = 0; s < c->slot_count; s++) {
        m->moment[s] = 0.0;
    }
    for (int k = 0; k + 1 < m->knot_count; k++) {
        DerKnot *a = &m->knots[k], *b = &m->knots[k + 1];
        a->moment = 2.0 * m->GJ * (b->theta - a->theta) / a->length;
        m->twisted |= a->moment != 0.0;
        int n = c->node_count, past = b->edge + 1; // nodes from n on wrap around the ring
        set_moments(c, m->moment, a->edge + 1, past < n ? past : n, a->moment);
        set_moments(c, m->moment, a->edge + 1 > n ? a->edge + 1 - n : 0, past - n, a->moment);
    }
    centerline_wrap_one(c, m->moment);
}

// ---- frames

// Parallel transport of a vector u (Bishop frame) from one edge to another, in either direction.
static CordVec3 transported(const CordCenterline* c, CordVec3 u, int from, int to)
{
    int step = to >= from ? 1 : -1, n = c->edge_count;
    CordVec3 s = edge_tangent(c, from % n);
    for (int edge = from; edge != to; edge += step) {
        CordVec3 t = edge_tangent(c, (edge + step) % n);
        u = frame_transport(u, s, t);
        s = t;
    }
    return u;
}

static CordVec3 frame_at(const Rod* rod, int edge)
{
    const CordDer* m = der_of(rod);
    CordVec3 u = transported(&rod->line, m->anchor_m1, m->anchor_edge, edge);
    double angle = theta_at(rod, edge) - theta_at(rod, m->anchor_edge);
    CordVec3 t = edge_tangent(&rod->line, edge % rod->line.edge_count);
    return vec3_unit(vec3_reject(frame_rotate(u, t, angle), t));
}

// Twist m from an edge to the next: proportional to l_i between knots, zero outside.
double der_twist_turn_after(const Rod* rod, int edge)
{
    const CordDer* m = der_of(rod);
    bool wraps = rod->line.closed && m->knot_count > 0 && edge < m->knots[0].edge;
    edge += wraps ? rod->line.edge_count : 0;
    for (int k = 0; k + 1 < m->knot_count; k++) {
        const DerKnot *a = &m->knots[k], *b = &m->knots[k + 1];
        if (a->edge <= edge && edge < b->edge) {
            return (b->theta - a->theta) * rod_bend_length(rod, (edge + 1) % rod->line.node_count) /
                   a->length;
        }
    }
    return 0.0;
}

// Transports the frame of the anchor edge by edge, in both directions. Those of a ring meet at its seam,
// which is at node 0.
void der_twist_frames(const Rod* rod, CordVec3* m1)
{
    const CordDer* m = der_of(rod);
    const CordCenterline* c = &rod->line;
    for (int step = -1; step <= 1; step += 2) {
        CordVec3 u = m->anchor_m1, s = edge_tangent(c, m->anchor_edge);
        double theta = 0.0;
        for (int edge = m->anchor_edge; 0 <= edge && edge < c->edge_count; edge += step) {
            CordVec3 t = edge_tangent(c, edge);
            u = frame_transport(u, s, t);
            s = t;
            m1[edge] = vec3_unit(vec3_reject(frame_rotate(u, t, theta), t));
            theta += step > 0 ? der_twist_turn_after(rod, edge) : -der_twist_turn_after(rod, edge - 1);
        }
    }
}

// ---- creation

static void set_first_twist(Rod* rod, double twist)
{
    CordDer* m = der_of(rod);
    m->knots[0] = (DerKnot){.edge = 0};
    m->knots[1] =
        (DerKnot){.edge = rod->line.closed ? rod->line.edge_count : rod->line.edge_count - 1, .theta = twist};
    m->knot_count = 2;
    measure_lengths(rod);
}

CordResult der_twist_create(Memory* memory, Rod* rod, double twist, CordVec3 m1)
{
    CordDer* m = der_of(rod);
    const CordCenterline* c = &rod->line;
    m->anchor_edge = 0;
    m->anchor_t = edge_tangent(c, 0);
    CordVec3 across = vec3_reject(m1, m->anchor_t);
    bool any = vec3_dot(across, across) <= 1e-20 * vec3_dot(m1, m1); // m1 is parallel to the tangent or zero
    m->anchor_m1 = any ? vec3_any_normal(m->anchor_t) : vec3_unit(across);
    int end = c->closed ? c->edge_count : c->edge_count - 1;
    if (end > 0 && (c->closed || twist != 0.0)) {
        if (!reserve_knots(memory, m, 2)) {
            return CORD_NO_MEMORY;
        }
        set_first_twist(rod, twist);
        m->first_twist = c->closed ? 0.0 : twist;
        if (c->closed) { // the holonomy of the ring becomes a constant seam angle
            CordVec3 around = transported(c, m->anchor_m1, 0, end);
            m->seam = twist - frame_angle(around, m->anchor_m1, m->anchor_t);
        }
        spread_moments(rod);
    }
    return CORD_OK;
}

// ---- remeshing

// Angle from the frame of an old edge to that of the new one [rad]: the twist along the part between their
// middles.
static double turn_within(const Remesh* map, int edge)
{
    const Rod* from = map->from;
    int was = map->edge[edge], n = from->line.edge_count;
    double share = 0.5 * edge_rest_len(&from->line, was); // a quarter of the edge; l_i is twice a length
    double before =
        was > 0 || from->line.closed ? der_twist_turn_after(from, was > 0 ? was - 1 : n - 1) : 0.0;
    double after = der_twist_turn_after(from, was);
    switch (map->kind[edge]) {
    case REMESH_FIRST_HALF: return before != 0.0 ? -before * share / rod_bend_length(from, was) : 0.0;
    case REMESH_SECOND_HALF:
        return after != 0.0 ? after * share / rod_bend_length(from, edge_end(&from->line, was)) : 0.0;
    case REMESH_MERGED: return 0.5 * after;
    default: return 0.0;
    }
}

static void move_anchor(CordDer* m, const Rod* rod, const Remesh* map)
{
    const CordDer* old = der_of(map->from);
    m->anchor_edge = map->old_edge[old->anchor_edge];
    m->anchor_m1 = old->anchor_m1, m->anchor_t = old->anchor_t;
    if (map->kind[m->anchor_edge] != REMESH_WHOLE) {
        CordVec3 t = edge_tangent(&rod->line, m->anchor_edge),
                 u = frame_transport(old->anchor_m1, old->anchor_t, t);
        u = frame_rotate(u, t, turn_within(map, m->anchor_edge));
        m->anchor_m1 = vec3_unit(vec3_reject(u, t)), m->anchor_t = t;
    }
}

// Renumbers the knots. Held edges are never bisected or merged. The seam of a ring is at the anchor, so that
// both of its ends rotate by the same angle.
static void move_knots(CordDer* m, const Rod* rod, const Remesh* map)
{
    const CordDer* old = der_of(map->from);
    int was = map->from->line.edge_count, now = rod->line.edge_count;
    m->knot_count = old->knot_count;
    for (int k = 0; k < old->knot_count; k++) {
        m->knots[k] = old->knots[k];
        int edge = old->knots[k].edge;
        bool end = !rod->line.closed && edge == was - 1; // the free end of an open rod
        m->knots[k].edge = end ? now - 1 : map->old_edge[edge % was] + edge / was * now;
    }
}

// A piece keeps its total twist. As the section is round, the frame of its first edge is arbitrary.
static bool make_piece(Memory* memory, Rod* rod, const Remesh* map)
{
    double twist = 0.0;
    for (int j = 0; j + 1 < map->edge_count; j++) {
        twist += der_twist_turn_after(map->from, map->edge[j]);
    }
    return der_twist_create(memory, rod, twist, (CordVec3){0, 0, 0}) == CORD_OK;
}

bool der_twist_remesh(Memory* memory, Rod* rod, const Remesh* map)
{
    CordDer* m = der_of(rod);
    const CordDer* old = der_of(map->from);
    if (map->piece) {
        return make_piece(memory, rod, map);
    }
    if (!reserve_knots(memory, m, old->knot_capacity)) {
        return false;
    }
    m->first_twist = old->first_twist;
    m->seam = old->seam;
    move_anchor(m, rod, map);
    move_knots(m, rod, map);
    measure_lengths(rod);
    spread_moments(rod);
    return true;
}

static bool is_knot(const Clamp* clamp)
{
    return clamp->holds && clamp->def.fix == CORD_FIX_FRAME;
}

static const Clamp* frame_clamp_at(const Rod* rod, int edge)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        if (is_knot(rod->clamps[i]) && rod->clamps[i]->edge == edge) {
            return rod->clamps[i];
        }
    }
    return NULL;
}

// An open rod keeps its initial twist until the first step, because clamps that hold it may be added until
// then. If that step fails or is rolled back, the twist is restored.
static bool keeps_first_twist(const Rod* rod, bool release)
{
    return !release && der_of(rod)->first_twist != 0.0;
}

// Collects the frame clamps in order of their edges, with angles from the old twist profile. Returns the
// count.
static int collect_knots(const Rod* rod, bool release, DerKnot* knots, int* held)
{
    int count = 0, last = rod->line.edge_count - 1;
    *held = 0;
    for (int edge = 0; edge <= last; edge++) {
        const Clamp* clamp = frame_clamp_at(rod, edge);
        if (clamp || (keeps_first_twist(rod, release) && (edge == 0 || edge == last))) {
            knots[count++] = (DerKnot){.edge = edge, .theta = theta_at(rod, edge), .clamp = clamp};
        }
        *held += clamp && !clamp->def.has_torque;
    }
    return count;
}

// Appends the last knot of a ring: the first knot again, once around.
static int close_ring(const Rod* rod, DerKnot* knots, int count)
{
    int start = count > 0 ? knots[0].edge : der_of(rod)->anchor_edge;
    if (count == 0) {
        knots[count++] = (DerKnot){.edge = start, .theta = theta_at(rod, start)};
    }
    knots[count] = knots[0];
    knots[count].edge += rod->line.edge_count;
    knots[count].theta = theta_at(rod, start + rod->line.edge_count);
    return count + 1;
}

// The new anchor: the first held knot, or the old anchor if there is none.
static int anchor_of(const Rod* rod, const DerKnot* knots, int count)
{
    for (int k = 0; k < count; k++) {
        if (knots[k].clamp && !knots[k].clamp->def.has_torque) {
            return knots[k].edge;
        }
    }
    return der_of(rod)->anchor_edge;
}

CordResult der_twist_update_held(Memory* memory, Rod* rod, double time, bool release, Message* message)
{
    CordDer* m = der_of(rod);
    if (!reserve_knots(memory, m, rod->clamp_count + 2)) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for the twist of rod '%s'", rod->name);
    }
    if (keeps_first_twist(rod, release)) {
        set_first_twist(rod, m->first_twist);
    }
    int held, count = collect_knots(rod, release, m->spare_knots, &held);
    if (held == 0 && release && !rod->line.closed) {
        // a torque without a reaction spins the rod, which has no inertia about its axis, and gives no twist
        count = 0;
    }
    if (rod->line.closed) {
        count = close_ring(rod, m->spare_knots, count);
    }
    int anchor = anchor_of(rod, m->spare_knots, count);
    if (anchor != m->anchor_edge) {
        m->anchor_m1 = frame_at(rod, anchor); // uses the old knots
        m->anchor_edge = anchor;
        m->anchor_t = edge_tangent(&rod->line, anchor);
    }
    DerKnot* old = m->knots;
    m->knots = m->spare_knots;
    m->spare_knots = old;
    m->knot_count = count;
    measure_lengths(rod);
    spread_moments(rod);
    // the clamped frames are exact; the angles found above only select the full turns
    der_twist_settle(rod, time);
    return CORD_OK;
}

// ---- after each step

// The present material axis m1 at a knot: that of its clamp, or the anchor's at the seam of a ring.
static CordVec3 knot_frame(const Rod* rod, const DerKnot* knot, double time)
{
    const CordDer* m = der_of(rod);
    CordVec3 t = edge_tangent(&rod->line, knot->edge % rod->line.edge_count);
    return knot->clamp ? clamp_frame(knot->clamp, t, time) : m->anchor_m1;
}

static void settle_anchor(const Rod* rod, double time)
{
    CordDer* m = der_of(rod);
    CordVec3 t = edge_tangent(&rod->line, m->anchor_edge);
    bool moved = t.x != m->anchor_t.x || t.y != m->anchor_t.y || t.z != m->anchor_t.z;
    if (moved) { // if nothing moved, no bit may change: der_twist_settle is idempotent
        m->anchor_m1 = frame_transport(m->anchor_m1, m->anchor_t, t);
        // Removes accumulated round-off. The length is so close to 1 that one Newton step for 1/sqrt is exact
        // to round-off.
        m->anchor_m1 = vec3_reject(m->anchor_m1, t);
        m->anchor_m1 = vec3_mul(m->anchor_m1, 1.5 - 0.5 * vec3_dot(m->anchor_m1, m->anchor_m1));
        m->anchor_t = t;
    }
    for (int k = 0; k < m->knot_count; k++) {
        const DerKnot* knot = &m->knots[k];
        if (knot->edge == m->anchor_edge && knot->clamp && !knot->clamp->def.has_torque) {
            m->anchor_m1 = clamp_frame(knot->clamp, t, time);
        }
    }
}

// Parallel transport in the direction of increasing edges by the wide kernel. `to` may lie past the last edge
// of a ring, whose halo slots repeat its first edges.
static CordVec3 transported_on(const Rod* rod, CordVec3 u, int from, int to)
{
    const CordCenterline* c = &rod->line;
    const double* const x[3] = {c->x[0], c->x[1], c->x[2]};
    const TwistKernels* kernels = twist_kernels();
    int n = c->edge_count, end = to < n ? to : n;
    if (from < end) {
        u = quat_rotate(kernels->transport(x, slot_of(c, from), slot_of(c, end)), u);
    }
    if (to > n) {
        u = quat_rotate(kernels->transport(x, slot_of(c, from > n ? from - n : 0), slot_of(c, to - n)), u);
    }
    return u;
}

// Full turns of a knot's clamp since the frames were last settled.
static double knot_turn(const DerKnot* knot, double time)
{
    return knot->clamp ? clamp_turn(knot->clamp, CLAMP_NOW, time) : 0.0;
}

// The twist between two held knots: the angle between the transported frame of one and the frame of the
// other, unwrapped to continue the last value.
static double twist_between(const Rod* rod, const DerKnot* a, const DerKnot* b, double time)
{
    const CordDer* m = der_of(rod);
    CordVec3 from = transported_on(rod, knot_frame(rod, a, time), a->edge, b->edge);
    CordVec3 t = edge_tangent(&rod->line, b->edge % rod->line.edge_count);
    bool around = a->edge <= rod->line.edge_count - 1 && b->edge >= rod->line.edge_count;
    double angle = frame_angle(from, knot_frame(rod, b, time), t) + (around ? m->seam : 0.0);
    double last = b->theta - a->theta + (knot_turn(b, time) - knot_turn(a, time));
    return frame_unwrap(angle, last);
}

void der_twist_settle(Rod* rod, double time)
{
    CordDer* m = der_of(rod);
    settle_anchor(rod, time);
    if (m->knot_count < 2) {
        return;
    }
    double theta = m->knots[0].theta;
    for (int k = 0; k + 1 < m->knot_count; k++) {
        DerKnot *a = &m->knots[k], *b = &m->knots[k + 1];
        const Clamp *before = a->clamp, *after = b->clamp;
        double change;
        if (after && after->def.has_torque) {
            change = after->def.torque * a->length / (2.0 * m->GJ);
        } else if (before && before->def.has_torque) {
            change = -before->def.torque * a->length / (2.0 * m->GJ);
        } else if (!rod->line.closed && !(before && after)) {
            change = b->theta - a->theta; // the initial twist holds until the first step
        } else {
            change = twist_between(rod, a, b, time);
        }
        a->theta = theta;
        theta += change;
    }
    m->knots[m->knot_count - 1].theta = theta;
    for (int i = 0; i < rod->clamp_count; i++) {
        clamp_mark_turn(rod->clamps[i], CLAMP_NOW, time);
    }
    spread_moments(rod);
}

// The angle between two knots is the sum of the twists at the nodes between them.
void der_twist_set_turns(Rod* rod, const double* turn)
{
    CordDer* m = der_of(rod);
    for (int k = 0; k + 1 < m->knot_count; k++) {
        double sum = m->knots[k].theta;
        for (int edge = m->knots[k].edge + 1; edge <= m->knots[k + 1].edge; edge++) {
            sum += turn[edge % rod->line.edge_count];
        }
        m->knots[k + 1].theta = sum;
    }
    spread_moments(rod);
}

// ---- energy

// Between two knots the energy depends only on the difference of their angles (DER eq. 6).
double der_twist_energy(const CordDer* m)
{
    double sum = 0.0;
    for (int k = 0; k + 1 < m->knot_count; k++) {
        double change = m->knots[k + 1].theta - m->knots[k].theta;
        sum += m->GJ * change * change / m->knots[k].length;
    }
    return sum;
}

// Moving the centreline rotates the Bishop frame and so changes the twist between held frames: dE/dx = -M
// dPsi/dx, with dpsi_i/de = -kb_i / (2 |e|) for both edges at node i (DER eq. 9).
static void gradient_at(const CordDer* m, const CordCenterline* c, int node, CordVec3* before,
                        CordVec3* after)
{
    CordVec3 a = edge_vector(c, edge_before(c, node)), b = edge_vector(c, edge_after(c, node));
    double len_a = vec3_length(a), len_b = vec3_length(b);
    CordVec3 kb = vec3_mul(vec3_cross(a, b), 2.0 / (len_a * len_b + vec3_dot(a, b)));
    double moment = m->moment[slot_of(c, node)];
    *before = vec3_mul(kb, 0.5 * moment / len_a);
    *after = vec3_mul(kb, 0.5 * moment / len_b);
}

void der_twist_gradient(const CordDer* m, const CordCenterline* c, CordVec3* dE_dx)
{
    for (int k = 0; m->twisted && k < inner_count(c); k++) {
        int i = inner_node(c, k), before = edge_before(c, i), after = edge_end(c, edge_after(c, i));
        CordVec3 p_before, p_after;
        gradient_at(m, c, i, &p_before, &p_after);
        dE_dx[before] = vec3_sub(dE_dx[before], p_before);
        dE_dx[i] = vec3_add(dE_dx[i], vec3_sub(p_before, p_after));
        dE_dx[after] = vec3_add(dE_dx[after], p_after);
    }
}

void der_twist_sections(const CordDer* m, const CordCenterline* c, CordVec3* force)
{
    for (int k = 0; m->twisted && k < inner_count(c); k++) {
        int i = inner_node(c, k), before = edge_before(c, i);
        CordVec3 p_before, p_after;
        gradient_at(m, c, i, &p_before, &p_after);
        force[before] = vec3_add(force[before], p_before);
        force[i] = vec3_add(force[i], p_after);
    }
}

// A rotation of the rod after the corner by w twists it by w.(s + t) / (1 + s.t), with the tangents s and t.
void der_twist_moments(const CordDer* m, const CordCenterline* c, CordVec3* moment)
{
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k);
        CordVec3 s = edge_tangent(c, edge_before(c, i)), t = edge_tangent(c, edge_after(c, i));
        moment[i] = vec3_madd(moment[i], vec3_add(s, t), m->moment[slot_of(c, i)] / (1.0 + vec3_dot(s, t)));
    }
}

double der_twist_total(const CordDer* m)
{
    return m->knot_count > 1 ? m->knots[m->knot_count - 1].theta - m->knots[0].theta : 0.0;
}

// Validates a state from a file: every knot must refer to an edge of the rod.
static bool knots_are_sound(const Rod* rod)
{
    const CordDer* m = der_of(rod);
    int n = rod->line.edge_count, most = rod->line.closed ? 2 * n - 1 : n - 1;
    for (int k = 0; k < m->knot_count; k++) {
        int least = k > 0 ? m->knots[k - 1].edge + 1 : 0;
        if (m->knots[k].edge < least || m->knots[k].edge > most) {
            return false;
        }
    }
    return m->anchor_edge >= 0 && m->anchor_edge < n;
}

// The knots exist before a state is read: they follow from the clamps, which are read first.
void der_twist_state(Rod* rod, Bytes* b)
{
    CordDer* m = der_of(rod);
    bytes_int(b, &m->anchor_edge);
    bytes_doubles(b, &m->anchor_m1.x, 3);
    bytes_doubles(b, &m->anchor_t.x, 3);
    bytes_double(b, &m->seam);
    bytes_expect(b, m->knot_count);
    for (int k = 0; k < m->knot_count; k++) {
        bytes_int(b, &m->knots[k].edge);
        bytes_double(b, &m->knots[k].theta);
    }
    if (b->mode != BYTES_READ) {
        return;
    }
    b->failed |= !knots_are_sound(rod);
    if (b->failed) { // the data read are not valid; the caller restores the old state
        m->knot_count = m->anchor_edge = 0;
        return;
    }
    measure_lengths(rod);
    spread_moments(rod);
}
