// Orientations that are set, held, or transported with the tangents.
#include "base/real.h"
#include "math/elementary.h"
#include "model/corde/quaternion.h"
#include "rod/frame.h"

#include <stdio.h>

// ---- quaternions and frames

CordQuat corde_orientation(const CordCorde* m, int slot)
{
    double* const* q = m->edges.q;
    return (CordQuat){q[0][slot], q[1][slot], q[2][slot], q[3][slot]};
}

static void set_orientation(CordCorde* m, int slot, CordQuat q)
{
    m->edges.q[0][slot] = q.x, m->edges.q[1][slot] = q.y, m->edges.q[2][slot] = q.z,
    m->edges.q[3][slot] = q.w;
}

static CordQuat negative(CordQuat q)
{
    return (CordQuat){-q.x, -q.y, -q.z, -q.w};
}

static double dot(CordQuat a, CordQuat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static CordQuat nearer(CordQuat q, CordQuat to) // q or -q, in the hemisphere of `to`
{
    return dot(q, to) < 0.0 ? negative(q) : q;
}

// Unit quaternion of the rotation matrix with columns d1, d2, d3. It starts from the largest component, so
// that nothing cancels.
static CordQuat quat_of_axes(CordVec3 d1, CordVec3 d2, CordVec3 d3)
{
    double x = 1.0 + d1.x - d2.y - d3.z, y = 1.0 - d1.x + d2.y - d3.z, z = 1.0 - d1.x - d2.y + d3.z,
           w = 1.0 + d1.x + d2.y + d3.z;
    CordQuat q;
    if (w >= x && w >= y && w >= z) {
        q = (CordQuat){d2.z - d3.y, d3.x - d1.z, d1.y - d2.x, w};
    } else if (x >= y && x >= z) {
        q = (CordQuat){x, d1.y + d2.x, d3.x + d1.z, d2.z - d3.y};
    } else if (y >= z) {
        q = (CordQuat){d1.y + d2.x, y, d2.z + d3.y, d3.x - d1.z};
    } else {
        q = (CordQuat){d3.x + d1.z, d2.z + d3.y, z, d1.y - d2.x};
    }
    return quat_unit(q);
}

static CordQuat quat_of_frame(CordVec3 t, CordVec3 m1)
{
    return quat_of_axes(m1, vec3_cross(t, m1), t);
}

static CordVec3 third_axis(CordQuat q)
{
    return quat_rotate(q, (CordVec3){0, 0, 1});
}

// Rotates q by the minimal rotation that takes its third axis to t. If t is opposite to it, that rotation is
// not unique, and half a turn about the first axis is used.
static CordQuat aligned(CordQuat q, CordVec3 t)
{
    CordVec3 d3 = third_axis(q), axis = vec3_cross(d3, t);
    double w = 1.0 + vec3_dot(d3, t);
    CordQuat turn = {axis.x, axis.y, axis.z, w};
    if (quat_norm(turn) < 1e-8) {
        axis = quat_rotate(q, (CordVec3){1, 0, 0});
        turn = (CordQuat){axis.x, axis.y, axis.z, 0.0};
    }
    return quat_unit(quat_mul(quat_unit(turn), q));
}

void corde_align(CordCorde* m, int slot, CordVec3 t)
{
    set_orientation(m, slot, aligned(corde_orientation(m, slot), t));
}

CordVec3 corde_strain(CordQuat p, bool printed)
{
    double tangent = 1.0 + p.w > CORDE_LEAST ? 4.0 / (1.0 + p.w) : NAN, sine = p.w < 0.0 ? -2.0 : 2.0;
    return vec3_mul((CordVec3){p.x, p.y, p.z}, printed ? sine : tangent);
}

// ---- rings

static CordQuat about_third(double angle)
{
    return (CordQuat){0.0, 0.0, cord_sin(0.5 * angle), cord_cos(0.5 * angle)};
}

static void copy_quat_across(const CordCorde* m, double* const q[4], int to, int from, CordQuat seam)
{
    CordQuat a = {q[0][from], q[1][from], q[2][from], q[3][from]};
    a = m->seam != 0.0 ? quat_mul(a, seam) : a;
    a = m->seam_sign < 0.0 ? negative(a) : a;
    q[0][to] = a.x, q[1][to] = a.y, q[2][to] = a.z, q[3][to] = a.w;
}

static void copy_across(CordCorde* m, int to, int from, double angle)
{
    CordQuat seam = about_third(angle);
    copy_quat_across(m, m->edges.q, to, from, seam);
    if (!m->inertial) {
        copy_quat_across(m, m->base_q, to, from, seam);
    }
    for (int k = 0; k < (m->inertial ? 2 : 1); k++) {
        double** a = k == 0 ? m->edges.omega : m->omega_next;
        CordVec3 rate = slot_get(a, from);
        slot_set(a, to, angle != 0.0 ? quat_rotate(quat_conjugate(seam), rate) : rate);
    }
}

// Fills the halo slots of a ring: past the seam, orientations are rotated by the seam angle to be continuous.
void corde_wrap(CordCorde* m, const CordCenterline* c)
{
    int first = c->halo, end = c->halo + c->edge_count;
    for (int i = 0; i < c->halo; i++) {
        copy_across(m, end + i, first + i, -m->seam);
        copy_across(m, first - 1 - i, end - 1 - i, m->seam);
    }
}

// ---- conversion from frames and to frames

// Chooses the signs of the quaternions so that the scalar part of the relative rotation is cos(phi/2)
// cos(m/2), with phi the bending angle and m the twist, full turns included.
void corde_from_frames(CordCorde* m, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    const Framed* g = m->framed;
    const CornerEdges* e = &g->now.edges;
    m->seam = g->seam;
    m->seam_sign = 1.0;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        CordQuat q = quat_of_frame(slot_get(e->t, s), slot_get(e->m1, s));
        if (j > 0) {
            bool opposite = cord_cos(0.5 * framed_turn_at(g, rod, j)) < 0.0;
            bool differs = dot(corde_orientation(m, s - 1), q) < 0.0;
            q = opposite == differs ? q : negative(q);
        }
        set_orientation(m, s, q);
        slot_set(m->edges.omega, s, (CordVec3){0, 0, 0});
    }
    if (c->closed) {
        CordQuat last = corde_orientation(m, slot_of(c, c->edge_count - 1));
        CordQuat first = quat_mul(corde_orientation(m, slot_of(c, 0)), about_third(-m->seam));
        bool opposite = cord_cos(0.5 * (framed_turn_at(g, rod, 0) - m->seam)) < 0.0;
        m->seam_sign = opposite == (dot(last, first) < 0.0) ? 1.0 : -1.0;
    }
    corde_wrap(m, c);
}

void corde_remesh_orientations(CordCorde* m, const Rod* rod, const CordCorde* old, const Remesh* map)
{
    const CordCenterline* c = &rod->line;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j), was = slot_of(&map->from->line, map->edge[j]);
        if (map->kind[j] == REMESH_WHOLE) {
            CordQuat q = corde_orientation(old, was);
            bool beyond = map->piece && map->edge[j] < map->edge[0]; // past the seam of the ring
            q = beyond && old->seam != 0.0 ? quat_mul(q, about_third(-old->seam)) : q;
            set_orientation(m, s, nearer(q, corde_orientation(m, s)));
        }
        CordVec3 rate = slot_get(old->edges.omega, was);
        bool both = map->kind[j] == REMESH_MERGED;
        slot_set(m->edges.omega, s,
                 both ? vec3_mul(vec3_add(rate, slot_get(old->edges.omega, was + 1)), 0.5) : rate);
    }
    corde_wrap(m, c);
}

// The minimal rotation that takes one unit vector to another. They must not be opposite.
static CordQuat least_turn(CordVec3 from, CordVec3 to)
{
    CordVec3 axis = vec3_cross(from, to);
    return quat_unit((CordQuat){axis.x, axis.y, axis.z, 1.0 + vec3_dot(from, to)});
}

void corde_carry_from_frames(CordCorde* m, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        CordVec3 before = slot_get(m->framed->now.edges.t, s), t = edge_tangent(c, j);
        if (before.x != t.x || before.y != t.y || before.z != t.z) {
            set_orientation(m, s, quat_unit(quat_mul(least_turn(before, t), corde_orientation(m, s))));
            slot_set(m->framed->now.edges.t, s, t);
        }
    }
    corde_wrap(m, c);
}

void corde_set_spin(CordCorde* m, const Rod* rod, CordVec3 spin)
{
    const CordCenterline* c = &rod->line;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        slot_set(m->edges.omega, s, quat_rotate(quat_conjugate(corde_orientation(m, s)), spin));
    }
    corde_wrap(m, c);
}

CordVec3 corde_axis(const CordCorde* m, const Rod* rod, int edge)
{
    CordQuat q = corde_orientation(m, slot_of(&rod->line, edge));
    return quat_rotate(aligned(q, edge_tangent(&rod->line, edge)), (CordVec3){1, 0, 0});
}

// Twist from the edge before a node to the edge after it: the angle about the third axis that remains after
// the minimal rotation that aligns the third axes.
static double turn_before(const CordCorde* m, const Rod* rod, int node)
{
    int s = slot_of(&rod->line, node);
    CordQuat p = quat_mul(quat_conjugate(corde_orientation(m, s - 1)), corde_orientation(m, s));
    return 2.0 * cord_atan2(p.z, p.w) + (node == 0 ? m->seam : 0.0);
}

void corde_to_frames(CordCorde* m, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    Framed* g = m->framed;
    for (int j = 0; j < c->edge_count; j++) {
        slot_set(g->now.edges.t, slot_of(c, j), edge_tangent(c, j));
        slot_set(g->now.edges.m1, slot_of(c, j), corde_axis(m, rod, j));
    }
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k);
        g->now.nodes.m[slot_of(c, i)] = turn_before(m, rod, i);
    }
    framed_wrap(&g->now, c);
    framed_follow(g, &g->now, rod, c->x);
}

// ---- turns that must not be lost

// Between the two turns of an edge that turns over, and the one of a fold [rad].
#define TURNS_LOST (3.0 * CORD_PI)

#define MOST_TWIST (1.5 * CORD_PI) // that a corner holds [rad]

typedef struct Corners { // the nodes [first, end)
    int first, end;
} Corners;

static Corners corners_between_clamps(const CordCorde* m, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    const double* may_turn = m->edges.may_turn[1] + c->halo;
    int first = 0, last = c->edge_count - 1;
    if (c->closed) {
        return (Corners){0, c->node_count};
    }
    while (first < last && may_turn[first] != 0.0) {
        first++;
    }
    while (first < last && may_turn[last] != 0.0) {
        last--;
    }
    return (Corners){first + 1, last + 1};
}

CordeTurns corde_turns(const CordCorde* m, const Rod* rod)
{
    Corners corners = corners_between_clamps(m, rod);
    CordeTurns turns = {.node = corners.first};
    for (int i = corners.first; i < corners.end; i++) {
        double turn = turn_before(m, rod, i);
        turns.sum += turn;
        if (fabs(turn) > turns.most) {
            turns.most = fabs(turn), turns.node = i;
        }
    }
    return turns;
}

static bool is_tight(const CordCorde* m, const Rod* rod) // some corner has half a turn or more
{
    double* const* q = m->edges.q;
    Corners corners = corners_between_clamps(m, rod);
    int begin = slot_of(&rod->line, corners.first), end = begin + corners.end - corners.first;
    bool tight = false;
    for (int s = begin; s < end; s++) {
        double w =
            q[0][s - 1] * q[0][s] + q[1][s - 1] * q[1][s] + q[2][s - 1] * q[2][s] + q[3][s - 1] * q[3][s];
        tight |= w < 0.0;
    }
    return tight;
}

void corde_begin_turns(CordCorde* m, const Rod* rod, bool in_step)
{
    bool at_risk = in_step && (m->inertial ? m->at_risk : is_tight(m, rod));
    m->before = at_risk ? corde_turns(m, rod) : (CordeTurns){.sum = NAN};
    m->lost[0] = '\0';
}

// Names as many elements as would hold the same twist at less than half a turn each, as when a rod is
// created.
static void lose(CordCorde* m, const Rod* rod, CordeTurns turns)
{
    const CordCenterline* c = &rod->line;
    double corners = floor(inner_count(c) * turns.most / CORD_PI) + 1.0;
    m->before = turns;
    snprintf(m->lost, sizeof m->lost,
             "is twisted by %.2f turns from one element to the next, more than a corde rod can hold: take "
             "more elements, such as %.0f, or turn it less",
             turns.most / (2.0 * CORD_PI), corners + (c->edge_count - inner_count(c)));
}

bool corde_end_turns(CordCorde* m, const Rod* rod, bool settled)
{
    bool lost = !settled && m->before.most > CORD_PI;
    if (settled && !isnan(m->before.sum)) {
        CordeTurns now = corde_turns(m, rod);
        lost = fabs(now.sum - m->before.sum) > TURNS_LOST || now.most > MOST_TWIST;
        m->before = now.most > m->before.most ? now : m->before;
    }
    if (lost) {
        lose(m, rod, m->before);
    }
    return settled && m->lost[0] == '\0';
}

// ---- held and transported orientations

// Rotation vector in the frame itself, of the length 2 sin(angle / 2).
static CordVec3 turn_between(CordQuat from, CordQuat to)
{
    CordQuat turn = quat_mul(quat_conjugate(from), to);
    return (CordVec3){2.0 * turn.x, 2.0 * turn.y, 2.0 * turn.z};
}

// The third axis of a held edge is the tangent between its nodes. A clamp that holds the frame also sets the
// first two axes; otherwise the minimal rotation does. Returns the length of its rotation vector.
static double hold_edge(CordCorde* m, const Rod* rod, const Clamp* clamp, double time, double h)
{
    const CordCenterline* c = &rod->line;
    int s = slot_of(c, clamp->edge);
    CordVec3 t = edge_tangent(c, clamp->edge);
    CordQuat old = corde_orientation(m, s), q = aligned(old, t);
    bool holds_frame = clamp->def.fix == CORD_FIX_FRAME && !clamp->def.has_torque;
    if (holds_frame) {
        q = nearer(quat_of_frame(t, clamp_frame(clamp, t, time)), old);
    }
    CordVec3 turn = turn_between(old, q), rate = vec3_mul(turn, h > 0.0 ? 1.0 / h : 0.0);
    rate.z = holds_frame ? rate.z : m->edges.omega[2][s];
    set_orientation(m, s, q);
    slot_set(m->edges.omega, s, rate);
    return vec3_length(turn);
}

// A corner that is wound by a turn or more has the quaternion of another twist.
static void check_winding(CordCorde* m, const Rod* rod, const double* turn)
{
    CordeTurns wound = {.most = 0.0};
    for (int k = 0; k < inner_count(&rod->line); k++) {
        int i = inner_node(&rod->line, k), s = slot_of(&rod->line, i);
        double size = fabs(turn_before(m, rod, i) + turn[s] - turn[s - 1]);
        if (size > wound.most) {
            wound.most = size, wound.node = i;
        }
    }
    if (wound.most > 2.0 * CORD_PI) {
        lose(m, rod, wound);
    }
}

// Turns held orientations by the turns of their clamps until `time`, if any is so far that the nearest one
// could be another, and those between them by their share. In a step, orientations with inertia stay.
static bool wind(CordCorde* m, const Rod* rod, double time, double h)
{
    const CordCenterline* c = &rod->line;
    double* turn = m->scratch[0];
    if (!clamps_turn_frames(rod, CLAMP_NOW, time, !(m->inertial && h > 0.0), turn)) {
        return false;
    }
    check_winding(m, rod, turn);
    for (int j = 0; j < c->edge_count && m->lost[0] == '\0'; j++) {
        int s = slot_of(c, j);
        set_orientation(m, s, quat_mul(corde_orientation(m, s), about_third(turn[s])));
        m->edges.omega[2][s] += h > 0.0 ? turn[s] / h : 0.0;
    }
    return true;
}

double corde_hold(CordCorde* m, const Rod* rod, double time, double h)
{
    bool wound = wind(m, rod, time, h);
    double most = wound ? INFINITY : 0.0;
    for (int i = 0; i < rod->clamp_count && m->lost[0] == '\0'; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (clamp->holds && clamp->edge >= 0) {
            most = real_max(most, hold_edge(m, rod, clamp, time, h));
        }
    }
    corde_wrap(m, &rod->line);
    if (wound && m->lost[0] == '\0') {
        m->before = corde_turns(m, rod);
    }
    return most;
}

void corde_carry(CordCorde* m, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    for (int j = 0; j < c->edge_count; j++) {
        corde_align(m, slot_of(c, j), edge_tangent(c, j));
    }
    corde_wrap(m, c);
}
