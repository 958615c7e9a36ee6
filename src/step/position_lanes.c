// The position-based step of alike rods: copies them into lanes, solves, and copies the results back.
#include "base/real.h"
#include "step/position.h"

#include "math/elementary.h"
#include "math/kernel.h"
#include "rod/frame.h"

#include <string.h>

#define RAIL 1e10 // inertia across the axis of a sliding clamp, over the node's own

bool pbd_alike(const Rod* a, const Rod* b)
{
    const CordPbdDef *p = &pbd_of(a)->def, *q = &pbd_of(b)->def;
    return a->line.node_count == b->line.node_count && a->line.closed == b->line.closed &&
           memcmp(p, q, sizeof *p) == 0;
}

size_t pbd_scratch(const Rod* rod)
{
    int n = rod->line.node_count;
    size_t own = pbd_is_direct(&pbd_of(rod)->def)
                     ? arena_space(sizeof(CordWide), 4 * n * pbd_row_size(rod->line.closed))
                     : arena_space(sizeof(PbdGhost), n);
    return arena_space(sizeof(PbdSlot), n) + own;
}

// ---- rods to lanes

typedef PbdLane Lane;

static void put(CordWide* to, const Lane* lane, double value)
{
    (*to)[lane->at] = value;
}

static void put3(Wide3* to, const Lane* lane, CordVec3 value)
{
    to->x[lane->at] = value.x, to->y[lane->at] = value.y, to->z[lane->at] = value.z;
}

static CordVec3 get3(const Wide3* from, const Lane* lane)
{
    return (CordVec3){from->x[lane->at], from->y[lane->at], from->z[lane->at]};
}

// Far from the origin of the scene, round-off must not grow with the distance from it.
PbdLane pbd_lane(const Rod* rod, int at, double h, bool warm)
{
    return (PbdLane){rod, at, h, warm, origin_near(node_position(&rod->line, 0), rod->length)};
}

static CordVec3 relative(const Lane* lane, CordVec3 x)
{
    return vec3_sub(x, lane->origin);
}

// A zero keeps its sign.
static CordVec3 absolute(const Lane* lane, CordVec3 x)
{
    return vec3_sub(x, vec3_sub((CordVec3){0, 0, 0}, lane->origin));
}

// In each substep v gains its share of the velocity change by external forces. A node that a clamp moves has
// the clamp's velocity from the start.
static void put_node(const PbdLanes* p, const Lane* lane, int i)
{
    const CordCenterline* c = &lane->rod->line;
    PbdSlot* slot = &p->slots[i];
    int s = slot_of(c, i);
    double w = c->w[s], share = pbd_node_share(lane->rod);
    CordVec3 x = relative(lane, slot_get(c->x, s)), v = slot_get(c->v, s), free = slot_get(c->v_next, s);
    put3(&slot->x, lane, x), put3(&slot->kept, lane, x);
    put3(&slot->v, lane, w > 0.0 ? v : free);
    put3(&slot->push, lane,
         w > 0.0 ? vec3_mul(vec3_sub(free, v), 1.0 / p->def.substeps) : (CordVec3){0, 0, 0});
    put(&slot->w, lane, w / share);
    put(&slot->inertia, lane, w > 0.0 ? share / (w * p->h * p->h) : PBD_HELD);
    put3(&slot->rail, lane, (CordVec3){0, 0, 0});
    CordWide* zeros[] = {&slot->rail_hold, &slot->slides, &slot->drag_along, &slot->drag_across};
    for (size_t k = 0; k < sizeof zeros / sizeof *zeros; k++) {
        put(zeros[k], lane, 0.0);
    }
}

// Gauss-Seidel sweeps have one inverse mass for all directions, and so one drag coefficient.
static void put_drag(PbdLanes* p, const Lane* lane, double time)
{
    const Rod* rod = lane->rod;
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* slot = &p->slots[i];
        double w = slot->w[lane->at], inertia = slot->inertia[lane->at];
        if (c->w[slot_of(c, i)] == 0.0) {
            continue;
        }
        NodeDrag drag = loads_drag_at(rod, i, time);
        double mean = (drag.along + 2.0 * drag.across) / 3.0;
        double along = p->h * w * (p->ghosts ? mean : drag.along),
               across = p->h * w * (p->ghosts ? mean : drag.across);
        put3(&slot->rail, lane, drag.t);
        put(&slot->drag_along, lane, along), put(&slot->drag_across, lane, across);
        put(&slot->w, lane, w / (1.0 + across));
        put(&slot->inertia, lane, inertia * (1.0 + along));
        put(&slot->rail_hold, lane, inertia * (across - along));
        put3(&slot->push, lane, vec3_madd(get3(&slot->push, lane), drag.force, p->h * w));
    }
    p->railed = p->dragged = true;
}

static void put_rails(PbdLanes* p, const Lane* lane)
{
    const Rod* rod = lane->rod;
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        for (int k = 0; clamp->holds && clamp->def.slides && k < clamp->node_count; k++) {
            PbdSlot* slot = &p->slots[clamp->node[k]];
            put3(&slot->rail, lane, clamp->axis);
            put(&slot->rail_hold, lane, RAIL * slot->inertia[lane->at]);
            put(&slot->slides, lane, 1.0);
            put(&slot->drag_across, lane, 0.0); // drag does not act on prescribed motion
            put3(&slot->v, lane, slot_get(rod->line.v_next, slot_of(&rod->line, clamp->node[k])));
            put3(&slot->push, lane, (CordVec3){0, 0, 0});
            p->railed = true;
        }
    }
}

static void put_edge(const PbdLanes* p, const Lane* lane, int j)
{
    const Rod* rod = lane->rod;
    const CordCenterline* c = &rod->line;
    const Framed* g = pbd_of(rod)->framed;
    PbdSlot* slot = &p->slots[j];
    int s = slot_of(c, j);
    CordVec3 t = slot_get(g->now.edges.t, s), m1 = slot_get(g->now.edges.m1, s);
    double length = c->rest_len[s], per = 1.0 / (p->h * p->h);
    double inertia = pbd_spin_inertia(rod, s, lane->h);
    put3(&slot->t, lane, t), put3(&slot->kept_t, lane, t), put3(&slot->first_t, lane, t);
    put3(&slot->m1, lane, m1), put3(&slot->kept_m1, lane, m1), put3(&slot->first_m1, lane, m1);
    put(&slot->length, lane, vec3_length(edge_vector(c, j)));
    put(&slot->rest_length, lane, length);
    put(&slot->stretch, lane, pbd_stretch(rod, j, p->h));
    put(&slot->spin, lane, g->spin[s]);
    put(&slot->spin_push, lane, (g->spin_next[s] - g->spin[s]) / p->def.substeps);
    put(&slot->spin_w, lane, 1.0 / inertia);
    put(&slot->spin_inertia, lane, inertia * per);
}

static void put_no_edge(const PbdLanes* p, const Lane* lane, int j) // for the slot past the last edge
{
    PbdSlot* slot = &p->slots[j];
    CordWide* zeros[] = {&slot->t.x,    &slot->t.y,       &slot->t.z,     &slot->m1.x, &slot->m1.y,
                         &slot->m1.z,   &slot->length,    &slot->stretch, &slot->spin, &slot->spin_push,
                         &slot->spin_w, &slot->turn_goal, &slot->turn};
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++) {
        put(zeros[i], lane, 0.0);
    }
    put(&slot->rest_length, lane, 1.0);
    put(&slot->spin_inertia, lane, 1.0);
}

typedef struct HeldFrame { // frame of a held edge at the end of the step
    int slot;
    CordVec3 t, m1, middle;
} HeldFrame;

static HeldFrame held_frame(const Clamp* clamp, const Lane* lane, double end)
{
    const CordCenterline* c = &clamp->rod->line;
    int s = slot_of(c, clamp->edge), last = slot_of(c, edge_end(c, clamp->edge));
    CordVec3 x0 = vec3_madd(relative(lane, slot_get(c->x, s)), slot_get(c->v_next, s), lane->h),
             x1 = vec3_madd(relative(lane, slot_get(c->x, last)), slot_get(c->v_next, last), lane->h);
    CordVec3 t = vec3_unit(vec3_sub(x1, x0));
    return (HeldFrame){s, t, clamp_frame(clamp, t, end), vec3_mul(vec3_add(x0, x1), 0.5)};
}

// A clamp rotates its frame at a constant rate to its target at the end of the step.
static void put_held_frame(const PbdLanes* p, const Lane* lane, const Clamp* clamp, const HeldFrame* held)
{
    const CornerEdges* now = &pbd_of(lane->rod)->framed->now.edges;
    PbdSlot* slot = &p->slots[clamp->edge];
    CordVec3 carried = frame_transport(slot_get(now->m1, held->slot), slot_get(now->t, held->slot), held->t);
    double part = frame_angle(carried, held->m1, held->t) / p->def.substeps, sine, cosine;
    cord_sin_cos(part, &sine, &cosine);
    // A turn is twice the tangent of half the angle.
    put(&slot->spin, lane, 2.0 * sine / (real_max(1.0 + cosine, 1e-6) * p->h));
    put(&slot->spin_push, lane, 0.0);
    put(&slot->spin_w, lane, 0.0);
    put(&slot->spin_inertia, lane, PBD_HELD);
}

// The ghost point of a held frame moves straight to its target.
static void put_held_ghost(const PbdLanes* p, const Lane* lane, const Clamp* clamp, const HeldFrame* held)
{
    double length = p->def.ghost_length * lane->rod->line.rest_len[held->slot];
    CordVec3 to = vec3_madd(held->middle, held->m1, length),
             from = relative(lane, slot_get(pbd_of(lane->rod)->ghost, held->slot));
    put3(&p->ghosts[clamp->edge].v, lane, vec3_mul(vec3_sub(to, from), 1.0 / lane->h));
    put(&p->ghosts[clamp->edge].w, lane, 0.0);
}

// The moments are K (beta - rest); the arrays of the framed rod hold (beta_2, -beta_1).
static void put_corner(const PbdLanes* p, const Lane* lane, int i)
{
    const Rod* rod = lane->rod;
    const CordCenterline* c = &rod->line;
    const CornerNodes* n = &pbd_of(rod)->framed->now.nodes;
    PbdSlot* slot = &p->slots[i];
    int s = slot_of(c, i);
    bool there = c->closed || (i > 0 && i < c->node_count - 1);
    double K11 = there ? n->K[2][s] : 0.0, K22 = there ? n->K[0][s] : 0.0, K33 = there ? n->GJ2[s] : 0.0;
    double K12 = there ? -n->K[1][s] : 0.0, less = pbd_bend_share(rod, real_max(K11, K22), p->h);
    put(&slot->K11, lane, less * K11), put(&slot->K12, lane, less * K12), put(&slot->K22, lane, less * K22);
    put(&slot->K33, lane, pbd_bend_share(rod, K33, p->h) * K33);
    put(&slot->rest[0], lane, there ? -n->rest_A[1][s] : 0.0);
    put(&slot->rest[1], lane, there ? n->rest_A[0][s] : 0.0);
    put(&slot->rest[2], lane, there ? n->rest_B[0][s] : 0.0);
}

static void put_ghosts(const PbdLanes* p, const Lane* lane)
{
    const Rod* rod = lane->rod;
    const CordCenterline* c = &rod->line;
    const CordPbd* m = pbd_of(rod);
    const CordVec3 none = {0, 0, 0};
    bool points = p->def.solver == CORD_PBD_PBD;
    for (int j = 0; j < p->node_count; j++) {
        PbdGhost* ghost = &p->ghosts[j];
        int s = slot_of(c, j);
        double length = j < p->edge_count ? c->rest_len[s] : 1.0;
        double mass =
            p->def.ghost_mass * rod_stiffness_at(rod, j < p->edge_count ? j : 0)->mass_per_length * length;
        put(&ghost->length, lane, points ? p->def.ghost_length * length : length);
        put(&ghost->w, lane, points ? 1.0 / mass : p->slots[j].spin_w[lane->at] * length * length);
        put3(&ghost->x, lane, points ? relative(lane, slot_get(m->ghost, s)) : none);
        CordVec3 v = points ? slot_get(m->ghost_v, s) : none, mid = points ? slot_get(m->mid, s) : none;
        if (points && rod->last_step == 0.0 && j < p->edge_count) { // first step after velocities were set
            v = mid = vec3_mul(vec3_add(slot_get(c->v, s), slot_get(c->v, slot_of(c, edge_end(c, j)))), 0.5);
        }
        put3(&ghost->v, lane, v);
        put3(&ghost->mid, lane, mid);
    }
}

static void put_held(const PbdLanes* p, const Lane* lane, double end)
{
    for (int i = 0; i < lane->rod->clamp_count; i++) {
        const Clamp* clamp = lane->rod->clamps[i];
        if (clamp_holds_frame(clamp)) {
            HeldFrame held = held_frame(clamp, lane, end);
            put_held_frame(p, lane, clamp, &held);
            if (p->ghosts && p->def.solver == CORD_PBD_PBD) {
                put_held_ghost(p, lane, clamp, &held);
            } else if (p->ghosts) {
                put(&p->ghosts[clamp->edge].w, lane, 0.0);
            }
        }
    }
}

// A repeated solve of a step starts from the previous solution.
static void put_hint(PbdLanes* p, const Lane* lane)
{
    const CordCenterline* c = &lane->rod->line;
    p->hinted[lane->at] = lane->warm && p->def.substeps == 1 ? -1 : 0;
    for (int i = 0; i < p->node_count; i++) {
        int s = slot_of(c, i);
        put3(&p->slots[i].hint, lane, relative(lane, slot_get(c->x_next, s)));
        bool held = p->slots[i].spin_w[lane->at] == 0.0;
        double spin = held ? p->slots[i].spin[lane->at] : pbd_of(lane->rod)->spin_end[s];
        put(&p->slots[i].hint_turn, lane, i < p->edge_count ? p->h * spin : 0.0);
        put(&p->slots[i].hint_tension, lane, i < p->edge_count ? pbd_of(lane->rod)->tension_end[s] : 0.0);
    }
}

void pbd_lanes_put(PbdLanes* p, const Lane* lane, const StepInfo* step)
{
    const Rod* rod = lane->rod;
    const CordCenterline* c = &rod->line;
    double sine, cosine;
    put(&p->viscous, lane, rod->damping_time / p->h);
    put(&p->mean_edge, lane, rod->length / c->edge_count);
    p->damped |= rod->damping_time > 0.0;
    put(&p->carries, lane, pbd_carries_spin(rod) ? 1.0 : 0.0);
    cord_sin_cos(c->closed ? pbd_of(rod)->framed->now.nodes.rest_m[slot_of(c, 0)] : 0.0, &sine, &cosine);
    put(&p->seam_sin, lane, sine), put(&p->seam_cos, lane, cosine);
    for (int i = 0; i < p->node_count; i++) {
        put_node(p, lane, i);
        put_corner(p, lane, i);
        i < p->edge_count ? put_edge(p, lane, i) : put_no_edge(p, lane, i);
    }
    if (loads_have_drag(rod, step->time)) {
        put_drag(p, lane, step->time);
    }
    put_rails(p, lane);
    if (p->ghosts) {
        put_ghosts(p, lane);
    }
    put_held(p, lane, step->time + step->h);
    if (!p->ghosts) {
        put_hint(p, lane);
    }
}

// ---- lanes to rods

// Mean spin over the step: the turn of the frame since the start of the step, measured as twice the tangent
// of half the angle, over h. The frame update rotates by it.
static double mean_spin(const PbdSlot* slot, const Lane* lane)
{
    CordVec3 t = get3(&slot->t, lane);
    CordVec3 u = frame_transport(get3(&slot->first_m1, lane), get3(&slot->first_t, lane), t);
    CordVec3 m1 = get3(&slot->m1, lane);
    double sine = vec3_dot(vec3_cross(u, m1), t), cosine = vec3_dot(u, m1);
    return 2.0 * sine / (real_max(1.0 + cosine, 1e-12) * lane->h);
}

// Recovers the strains at the start of the last substep from the rest values that pbd_resist computed.
static void take_past(const PbdLanes* p, const Lane* lane, CordPbd* m, const CordCenterline* c)
{
    double r = p->viscous[lane->at];
    for (int i = 0; i < p->node_count; i++) {
        const PbdSlot* slot = &p->slots[i];
        int s = slot_of(c, i);
        for (int k = 0; k < 3; k++) {
            m->past_next[k][s] = ((1.0 + r) * slot->now_rest[k][lane->at] - slot->rest[k][lane->at]) / r;
        }
        m->past_length_next[s] = ((1.0 + r) * slot->now_length[lane->at] - slot->rest_length[lane->at]) / r;
    }
}

#define HARDLY_TWISTED 1.0 // no step twists a corner from here past half a turn [rad]

// The edges between which clamps with motions hold the twist: of a ring with a clamp, all. Clamps that a
// caller moves turn by the shorter arc and wind nothing up.
static bool find_held(const Rod* rod, int* first, int* last)
{
    bool moves = false;
    *first = rod->line.edge_count, *last = -1;
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (clamp_holds_frame(clamp)) {
            moves |= clamp->def.motion_count > 0;
            *first = clamp->edge < *first ? clamp->edge : *first;
            *last = clamp->edge > *last ? clamp->edge : *last;
        }
    }
    if (rod->line.closed && *last >= 0) {
        *first = -1, *last = rod->line.edge_count - 1;
    }
    return moves && *first < *last;
}

// A node between clamps at which the frames are twisted against each other by almost half a turn, where the
// strain has its pole; -1: none. Folds, which the solver allows for, are left out, and so is twist that
// nothing holds.
static int wound_node(const PbdLanes* p, const Lane* lane)
{
    const CordCenterline* c = &lane->rod->line;
    const CornerNodes* n = &pbd_of(lane->rod)->framed->now.nodes;
    int first, last;
    bool held = find_held(lane->rod, &first, &last);
    for (int i = first + 1; held && i <= last; i++) { // node i sits before edge i
        int s = slot_of(c, i);
        if (fabs(n->m[s] - n->rest_m[s]) <= HARDLY_TWISTED) {
            continue;
        }
        const PbdSlot *a = &p->slots[edge_before(c, i)], *b = &p->slots[i];
        CordVec3 ta = get3(&a->t, lane), tb = get3(&b->t, lane);
        CordVec3 carried = frame_transport(get3(&a->m1, lane), ta, tb);
        double twist = frame_unwrap(frame_angle(carried, get3(&b->m1, lane), tb), n->m[s]) - n->rest_m[s];
        if (vec3_dot(ta, tb) > 0.0 && fabs(twist) > FRAMED_PBD_MOST_TWIST) {
            return i;
        }
    }
    return -1;
}

static void take_rod(const PbdLanes* p, const Lane* lane, Rod* rod)
{
    const CordCenterline* c = &rod->line;
    Framed* g = pbd_of(rod)->framed;
    CordPbd* m = pbd_of(rod);
    rod->report.unfinished = pbd_is_direct(&p->def) && p->unfinished[lane->at] > 0.0;
    m->wound = wound_node(p, lane);
    for (int i = 0; i < p->node_count; i++) {
        const PbdSlot* slot = &p->slots[i];
        int s = slot_of(c, i);
        slot_set(c->x_next, s, absolute(lane, get3(&slot->x, lane)));
        slot_set(c->v_next, s, get3(&slot->v, lane));
    }
    for (int j = 0; j < p->edge_count; j++) {
        const PbdSlot* slot = &p->slots[j];
        int s = slot_of(c, j);
        bool held = slot->spin_w[lane->at] == 0.0;
        g->spin_next[s] = held ? 0.0 : mean_spin(slot, lane);
        m->spin_end[s] = held ? 0.0 : slot->spin[lane->at];
        m->tension_end[s] = pbd_is_direct(&p->def) ? slot->kept_tension[lane->at] : 0.0;
        if (p->ghosts && p->def.solver == CORD_PBD_PBD) {
            slot_set(m->ghost_next, s, absolute(lane, get3(&p->ghosts[j].x, lane)));
            slot_set(m->ghost_v_next, s, get3(&p->ghosts[j].v, lane));
            slot_set(m->mid_next, s, get3(&p->ghosts[j].mid, lane));
        }
    }
    if (rod->damping_time > 0.0) {
        take_past(p, lane, m, c);
    }
    centerline_wrap(c, c->x_next);
    centerline_wrap(c, c->v_next);
    centerline_wrap_one(c, g->spin_next);
    centerline_wrap_one(c, m->spin_end);
}

PbdLanes pbd_lanes_open(const Rod* rod, double h, const StepInfo* step, Arena* scratch)
{
    const CordPbdDef* def = &pbd_of(rod)->def;
    int n = rod->line.node_count;
    arena_reset(scratch);
    PbdLanes p = {.node_count = n,
                  .edge_count = rod->line.edge_count,
                  .closed = rod->line.closed,
                  .h = h,
                  .def = *def,
                  .gravity = step->gravity};
    p.def.substeps = pbd_of(rod)->substeps;
    p.slots = arena_push(scratch, PbdSlot, n);
    p.rows = pbd_is_direct(def) ? arena_push(scratch, CordWide, 4 * n * pbd_row_size(p.closed)) : NULL;
    p.ghosts = pbd_is_direct(def) ? NULL : arena_push(scratch, PbdGhost, n);
    return p;
}

void pbd_advance(Rod* const* rods, int count, const StepInfo* step, bool warm, Arena* scratch)
{
    const CordPbdDef* def = &pbd_of(rods[0])->def;
    PbdLanes p = pbd_lanes_open(rods[0], step->h / pbd_of(rods[0])->substeps, step, scratch);
    p.single = count == 1;
    for (int i = 0; i < WIDE_LANES; i++) { // unused lanes repeat the last rod
        Lane lane = pbd_lane(rods[i < count ? i : count - 1], i, step->h, warm);
        pbd_lanes_put(&p, &lane, step);
    }
    if (pbd_is_direct(def)) {
        KERNEL_CHOOSE(pbd_direct)(&p);
    } else {
        KERNEL_CHOOSE(pbd_sweeps)(&p);
    }
    for (int i = 0; i < count; i++) {
        Lane lane = pbd_lane(rods[i], i, step->h, warm);
        take_rod(&p, &lane, rods[i]);
    }
}
