// The line search's trial: moves rods along a Newton step without changing the lengths of their edges.
#include "base/real.h"
#include "solve/statics.h"

#include <string.h>

#define LENGTH_ITERATIONS 60
#define MOST_FACTORED 5 // assemblies of a matrix for one correction
#define FIRM 1e4        // times Statics.soft: about the lowest bending frequency, squared

// ---- lengths

double statics_length_error(const Statics* st)
{
    double most = 0.0;
    for (int i = 0; i < st->sys.rod_count; i++) {
        const NewtonRod* r = &st->sys.rods[i];
        const CordCenterline* c = &r->rod->line;
        for (int s = c->halo; s < c->halo + c->edge_count; s++) {
            double len = vec3_length(vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s)));
            most = real_max(most, fabs(len - st->rods[i].length[s]) * c->inv_rest[s]);
        }
    }
    return most;
}

// The multiplier that ties the nodes of a sliding edge together is no tension.
static void clear_sliding_tensions(NewtonRod* r)
{
    for (int i = 0; i < r->rod->clamp_count; i++) {
        int edge = r->rod->clamps[i]->edge, s = slot_of(&r->rod->line, edge >= 0 ? edge : 0);
        if (edge >= 0 && newton_slides_as_one(r, s)) {
            r->n[s] = 0.0;
        }
    }
}

void statics_set_lengths(Statics* st)
{
    for (int i = 0; i < st->sys.rod_count; i++) {
        const NewtonRod* r = &st->sys.rods[i];
        const CordCenterline* c = &r->rod->line;
        double* length = st->rods[i].length;
        for (int s = c->halo; s < c->halo + c->edge_count; s++) {
            double strain = r->n[s] * r->soft[s] * c->inv_rest[s];
            // a step that is too long must not invert an edge
            length[s] = c->rest_len[s] * real_max(1.0 + strain, 0.1);
            bool held = c->w[s] == 0.0 && c->w[s + 1] == 0.0;
            if (held || newton_is_rigid(r, s) || newton_slides_as_one(r, s)) {
                // clamps or bodies at both ends prescribe the length
                length[s] = vec3_length(vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s)));
            }
        }
        centerline_wrap_one(c, length);
    }
}

// ---- the Newton step

void statics_save_solution(Statics* st)
{
    for (int i = 0; i < st->sys.rod_count; i++) {
        move_copy(&st->sys.rods[i].rod->line, &st->rods[i].solution, &st->sys.rods[i].move);
    }
    for (int i = 0; i < st->sys.body_count; i++) {
        memcpy(st->bodies[i].solution, st->sys.bodies[i].move, sizeof st->bodies[i].solution);
    }
}

// ---- segments
//
// A segment is a run of edges between two anchors, or between an anchor and a free end. An anchor is a node
// whose position is prescribed: it is held, slides, is carried by a body, or stands in for one of these.

typedef struct RodTrial {
    const NewtonRod* r;
    const StaticsRod* st;
    double share;
} RodTrial;

static bool is_anchor(const RodTrial* trial, int node)
{
    const Rod* rod = trial->r->rod;
    int s = slot_of(&rod->line, node);
    return rod->line.w[s] == 0.0 || (trial->st->slides && clamp_of_node(rod, node)) ||
           newton_is_carried(trial->r, s) || node == trial->st->free_anchor;
}

// The edge turned by a fraction of the Newton step, with its target length.
static CordVec3 turned_edge(const RodTrial* trial, int edge)
{
    int s = slot_of(&trial->r->rod->line, edge);
    CordVec3 e = vec3_sub(slot_get(trial->st->before, s + 1), slot_get(trial->st->before, s));
    CordVec3 de = vec3_sub(slot_get(trial->st->solution.x, s + 1), slot_get(trial->st->solution.x, s));
    return vec3_mul(vec3_unit(vec3_madd(e, de, trial->share)), trial->st->length[s]);
}

// Places the nodes after `from`, up to `to`, along turned edges. If `to` is placed already, the closing error
// is shared equally by all edges.
static void place_forward(const RodTrial* trial, int from, int to, bool anchored)
{
    const CordCenterline* c = &trial->r->rod->line;
    int count = c->node_count, between = to - from;
    CordVec3 at = slot_get(trial->r->y, slot_of(c, from % count)), end = at, error = {0, 0, 0};
    for (int k = from; k < to; k++) {
        end = vec3_add(end, turned_edge(trial, k % count));
    }
    if (anchored) {
        error = vec3_sub(slot_get(trial->r->y, slot_of(c, to % count)), end);
    }
    for (int k = from; k < to - (anchored ? 1 : 0); k++) {
        at = vec3_madd(vec3_add(at, turned_edge(trial, k % count)), error, 1.0 / between);
        slot_set(trial->r->y, slot_of(c, (k + 1) % count), at);
    }
}

static void place_backward(const RodTrial* trial, int from, int to) // from the higher node to the lower
{
    const CordCenterline* c = &trial->r->rod->line;
    int count = c->node_count;
    CordVec3 at = slot_get(trial->r->y, slot_of(c, from % count));
    for (int k = from - 1; k >= to; k--) {
        at = vec3_sub(at, turned_edge(trial, k % count));
        slot_set(trial->r->y, slot_of(c, k % count), at);
    }
}

// ---- rods and bodies
//
// Placement proceeds from what is held in space outwards: rods turn and take along the bodies at their ends,
// which carry the next rods. If nodes moved along straight lines, turning edges would grow, and restoring
// their lengths would bend the rods. Where both ends of a segment are placed already, as in a loop, the
// closing error is shared by its edges.

static StaticsBody* body_at(Statics* st, const NewtonRod* r, int node)
{
    int s = slot_of(&r->rod->line, node);
    return newton_is_carried(r, s) ? &st->bodies[weld_of(clamp_of_node(r->rod, node))->body->index] : NULL;
}

static bool is_placed(Statics* st, const NewtonRod* r, int node)
{
    const StaticsBody* b = body_at(st, r, node % r->rod->line.node_count);
    return !b || b->placed;
}

// Translates a body to where a rod has placed one of its nodes. Its other nodes follow.
static void place_body(Statics* st, const NewtonRod* r, int node)
{
    NewtonSystem* sys = &st->sys;
    const CordCenterline* c = &r->rod->line;
    StaticsBody* placed = body_at(st, r, node % c->node_count);
    if (!placed || placed->placed) {
        return;
    }
    const Weld* weld = weld_of(clamp_of_node(r->rod, node % c->node_count));
    NewtonBody* b = &sys->bodies[weld->body->index];
    int k = weld->clamp.node[0] == node % c->node_count ? 0 : 1;
    CordVec3 error = vec3_sub(slot_get(r->y, slot_of(c, node % c->node_count)), body_node(&b->pose, weld, k));
    b->pose.point = vec3_add(b->pose.point, error);
    placed->placed = true;
}

// Places a segment if an end of it is placed. `done` marks segments by their first node. Returns whether it
// placed anything.
static bool place_segment(Statics* st, const RodTrial* trial, int from, int to, bool from_anchor,
                          bool to_anchor, double* done)
{
    const CordCenterline* c = &trial->r->rod->line;
    double* mark = &done[slot_of(c, from % c->node_count)];
    bool first = from_anchor && is_placed(st, trial->r, from),
         last = to_anchor && is_placed(st, trial->r, to);
    if (*mark != 0.0 || !(first || last)) {
        return false;
    }
    *mark = 1.0;
    if (first) {
        place_forward(trial, from, to, last);
        place_body(st, trial->r, to_anchor ? to : from);
    } else {
        place_backward(trial, to, from);
        place_body(st, trial->r, from_anchor ? from : to);
    }
    newton_carry(&st->sys);
    return true;
}

static bool place_rod(Statics* st, const RodTrial* trial, double* done)
{
    const CordCenterline* c = &trial->r->rod->line;
    int first = -1, last = -1, count = c->node_count;
    bool any = false;
    for (int k = 0; k < count; k++) {
        if (is_anchor(trial, k)) {
            if (first < 0) {
                first = k;
                any |= !c->closed && k > 0 && place_segment(st, trial, 0, k, false, true, done);
            } else {
                any |= place_segment(st, trial, last, k, true, true, done);
            }
            last = k;
        }
    }
    if (c->closed) {
        any |= place_segment(st, trial, last, first + count, true, true, done);
    } else if (last < count - 1) {
        any |= place_segment(st, trial, last, count - 1, true, false, done);
    }
    return any;
}

static void place_rods(Statics* st, double share)
{
    NewtonSystem* sys = &st->sys;
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        move_clear(c, &r->force); // the forces are used up: force.n marks segments
        for (int k = 0; k < c->node_count; k++) {
            int s = slot_of(c, k);
            if (!newton_is_carried(r, s)) {
                slot_set(
                    r->y, s,
                    vec3_madd(slot_get(st->rods[i].before, s), slot_get(st->rods[i].solution.x, s), share));
            }
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        st->bodies[i].placed = false;
    }
    for (int next = 0;;) {
        bool any = false;
        for (int i = 0; i < sys->rod_count; i++) {
            any |= place_rod(st, &(RodTrial){&sys->rods[i], &st->rods[i], share}, sys->rods[i].force.n);
        }
        while (!any && next < sys->body_count && st->bodies[next].placed) {
            next++;
        }
        if (!any && next == sys->body_count) {
            break;
        }
        if (!any) { // nothing in space holds the rest: one of its bodies moves straight
            st->bodies[next].placed = true;
        }
    }
    for (int i = 0; i < sys->rod_count; i++) {
        centerline_wrap(&sys->rods[i].rod->line, sys->rods[i].y);
    }
}

// ---- length correction

// Adds a length correction along straight lines. Angles are added to the saved Newton step, of which a
// fraction is still to be applied.
static void apply_correction(Statics* st, double share)
{
    NewtonSystem* sys = &st->sys;
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        for (int s = 0; s < c->slot_count; s++) {
            for (int k = 0; k < 3; k++) {
                r->y[k][s] += r->move.x[k][s];
            }
            r->n[s] += r->move.n[s];
            st->rods[i].solution.angle[s] += r->move.angle[s] / share;
        }
        clear_sliding_tensions(r);
    }
    newton_shift_bodies(sys, 1.0);
    for (int i = 0; i < sys->rod_count; i++) {
        centerline_wrap(&sys->rods[i].rod->line, sys->rods[i].y);
    }
}

// Factors the matrix at the present edges with a larger shift. A nearly singular matrix, as of a round column
// that may lean to any side, would turn length errors into large motions of its softest mode.
static bool factor_stiffened(Statics* st)
{
    NewtonSystem* sys = &st->sys;
    double mass = sys->mass;
    sys->mass = real_max(8.0 * mass, FIRM * st->soft);
    newton_assemble(sys);
    sys->mass = mass;
    return newton_factor(sys, true).least > 0.0;
}

// Modified Newton on the length residuals: each correction is the one of least energy.
static bool correct_lengths(Statics* st, double share)
{
    double error = INFINITY;
    for (int n = 0, factored = 0; n < LENGTH_ITERATIONS; n++) {
        statics_set_lengths(st);
        double before = error;
        error = statics_length_error(st);
        if (error <= STATICS_LENGTH_TOLERANCE) {
            return true;
        }
        if (!(error < before) && factored == MOST_FACTORED) {
            break;
        }
        if ((n == 0 || error > 0.5 * before) && factored < MOST_FACTORED) {
            factored++;
            if (!factor_stiffened(st)) {
                return false;
            }
        }
        newton_put_length_residuals(&st->sys);
        if (!isfinite(error) || !newton_solve(&st->sys)) {
            return false;
        }
        apply_correction(st, share);
    }
    return error <= 1e-10;
}

static void restore_solution(Statics* st)
{
    for (int i = 0; i < st->sys.rod_count; i++) {
        move_copy(&st->sys.rods[i].rod->line, &st->sys.rods[i].move, &st->rods[i].solution);
    }
    for (int i = 0; i < st->sys.body_count; i++) {
        memcpy(st->sys.bodies[i].move, st->bodies[i].solution, sizeof st->bodies[i].solution);
    }
}

void statics_add_tensions(Statics* st, double share)
{
    for (int i = 0; i < st->sys.rod_count; i++) {
        NewtonRod* r = &st->sys.rods[i];
        for (int s = 0; s < r->rod->line.slot_count && r->rod->inextensible; s++) {
            r->n[s] += share * st->rods[i].solution.n[s];
        }
        clear_sliding_tensions(r);
    }
}

bool statics_try_step(Statics* st, double share)
{
    NewtonSystem* sys = &st->sys;
    statics_rollback(st);
    restore_solution(st);
    newton_shift_bodies(sys, share);
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        for (int s = 0; s < r->rod->line.slot_count; s++) {
            r->n[s] += share * r->move.n[s];
            st->rods[i].angle_before[s] = r->move.angle[s];
        }
        clear_sliding_tensions(r);
    }
    statics_set_lengths(st);
    place_rods(st, share);
    bool good = correct_lengths(st, share);
    if (good) {
        restore_solution(st);
        newton_follow(sys, share);
    }
    for (int i = 0; i < sys->rod_count; i++) { // the corrections belong to this trial only
        memcpy(st->rods[i].solution.angle, st->rods[i].angle_before,
               (size_t)sys->rods[i].rod->line.slot_count * sizeof(double));
    }
    return good;
}
