#include "solve/statics.h"

#include "base/real.h"
#include "math/elementary.h"
#include "solve/taut.h"

#include <string.h>

#define SOFT 1e-3 // relative to the lowest squared bending frequency: a slower motion counts as free
#define FREQUENCY_NOISE 1e-15 // relative to the fastest bending, squared
#define LEAST_FORCE 1e-6      // relative to EI/L^2: a smaller force counts as zero
#define MOST_TURN 0.6         // largest rotation of an edge in one step [rad]
#define LEAST_SHARE 1e-6      // smallest step length in the line search
#define ARMIJO 1e-4 // sufficient decrease: fraction of the predicted decrease (Nocedal and Wright, eq. 3.4)
#define TURN_ROUND_OFF 1e-13 // of directions and frames [rad]: coarse helices without stress had 3.3e-14
#define FAR 1e-2             // relative residual above which every solve minimises the energy
#define LEAVE_TURN 0.1       // largest rotation of an edge where a saddle point is left [rad]
#define LEAST_LEAVE 1e-8    // least share of it: a rod that hardly stretches buckles as little between clamps
#define MOST_PULLS 16       // tries to find a tension that makes a taut rod stable, each four times as large
#define PULL_TOLERANCE 1e-6 // relative, of that tension
#define PULL_MARGIN 1e-4    // relative, by which it is larger, so that round-off does not decide
#define RIDGE_STEPS 8 // consecutive Newton steps with an indefinite Hessian, before the softest mode is tried

// ---- opening

static size_t rod_scratch(const Rod* rod)
{
    return slots_scratch(&rod->line, 7) + 2 * move_scratch(&rod->line);
}

size_t statics_scratch(const NewtonGroup* group)
{
    size_t sum = newton_group_scratch(group) + arena_space(sizeof(StaticsRod), newton_group_rods(group)) +
                 arena_space(sizeof(StaticsBody), newton_group_bodies(group));
    for (int i = 0; i < group->island_count; i++) {
        for (int k = 0; k < group->islands[i].rod_count; k++) {
            sum += rod_scratch(group->islands[i].rods[k]);
        }
    }
    return sum;
}

// Squared frequency of the slowest bending of a rod of this length, or of its swinging if it has no bending
// stiffness.
static double slowest_bending(const Rod* rod, CordVec3 gravity)
{
    double mu = rod_mass(rod) / rod->length, L = rod->length, EI = INFINITY;
    for (int j = 0; j < rod->line.edge_count; j++) {
        const CordStiffness* k = rod_stiffness_at(rod, j);
        EI = real_min(EI, real_min(k->EI1, k->EI2));
    }
    double bending = EI / (mu * L * L * L * L), swinging = vec3_length(gravity) / L;
    return bending > 0.0 ? bending : swinging > 0.0 ? 1e-3 * swinging : rod->stiffness.EA / (mu * L * L);
}

// Round-off of squared frequencies, relative to the slowest: the fastest ones are larger by the fourth power
// of the number of elements.
static double frequency_noise(const Rod* rod)
{
    double least = INFINITY;
    for (int j = 0; j < rod->line.edge_count; j++) {
        least = real_min(least, edge_rest_len(&rod->line, j));
    }
    double ratio = rod->length / least;
    return 16.0 * ratio * ratio * ratio * ratio * FREQUENCY_NOISE;
}

static void open_rod(StaticsRod* st, const NewtonRod* r, Arena* scratch)
{
    const CordCenterline* c = &r->rod->line;
    *st = (StaticsRod){.free_anchor = 0};
    for (int k = 0; k < 3; k++) {
        st->before[k] = slots_push(c, scratch);
    }
    st->n_before = slots_push(c, scratch);
    st->turned_before = slots_push(c, scratch);
    st->length = slots_push(c, scratch);
    st->angle_before = slots_push(c, scratch);
    st->solution = move_open(c, scratch);
    st->mode = move_open(c, scratch);
    for (int i = 0; i < r->rod->clamp_count; i++) {
        const Clamp* clamp = r->rod->clamps[i];
        st->slides |= clamp->holds && clamp->def.slides;
        st->free_anchor = clamp->holds ? -1 : st->free_anchor;
    }
}

void statics_open(Statics* st, const NewtonGroup* group, CordVec3 gravity, double time, Arena* scratch)
{
    *st = (Statics){.soft = INFINITY};
    NewtonSystem* sys = &st->sys;
    newton_open_group(sys, group, scratch);
    sys->gravity = gravity;
    sys->time = time;
    sys->origin = node_position(&sys->rods->rod->line, 0);
    sys->augment = 1.0;
    sys->symmetric = true;
    sys->frames_weigh = true;
    st->rods = arena_push(scratch, StaticsRod, sys->rod_count);
    st->bodies = arena_push(scratch, StaticsBody, sys->body_count);
    for (int i = 0; i < sys->rod_count; i++) {
        const Rod* one = sys->rods[i].rod;
        double scale = slowest_bending(one, gravity), swinging = vec3_length(gravity) / one->length;
        open_rod(&st->rods[i], &sys->rods[i], scratch);
        st->inextensible |= one->inextensible;
        // a rod that is stiff for its weight swings more slowly than it bends
        double slowest = swinging > 0.0 ? real_min(scale, swinging) : scale;
        st->noise = real_max(st->noise, frequency_noise(one) * scale);
        st->soft = real_min(st->soft, real_max(SOFT * slowest, frequency_noise(one) * scale));
        st->least_force = real_max(st->least_force, LEAST_FORCE * scale * rod_mass(one) * one->length);
    }
    st->tensions = newton_tensions(sys);
    statics_sync(st);
}

static double tension_now(const Rod* rod, int edge)
{
    const CordCenterline* c = &rod->line;
    double rest = edge_rest_len(c, edge), len = vec3_length(edge_vector(c, edge));
    return rod->inextensible ? c->pull[slot_of(c, edge)] * rod_pull_unit(rod, len)
                             : rod_tension(rod, edge, rod_stretch_stiffness(rod, edge) / rest);
}

void statics_sync(Statics* st)
{
    NewtonSystem* sys = &st->sys;
    for (int i = 0; i < sys->body_count; i++) {
        NewtonBody* b = &sys->bodies[i];
        b->before = b->pose = (Pose){vec3_sub(b->body->pose.point, sys->origin), b->body->pose.rotation};
        b->inertia = body_inertia(b->body);
        b->indifferent = 0.0;
        newton_free_body(b);
    }
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        slots_shift(c, r->y, c->x, vec3_mul(sys->origin, -1.0));
        for (int s = c->halo; s < c->halo + c->edge_count; s++) {
            r->n[s] = tension_now(r->rod, s - c->halo);
        }
        centerline_wrap_one(c, r->n);
    }
    if (sys->coupling) {
        sys->coupling->begin(sys->coupled, sys);
    }
}

// ---- one step

void statics_push_bodies(Statics* st)
{
    for (int i = 0; i < st->sys.body_count; i++) {
        newton_push_body(&st->sys.bodies[i], st->sys.gravity, st->loads, st->sys.time, st->sys.rate_step);
    }
}

void statics_keep(Statics* st)
{
    NewtonSystem* sys = &st->sys;
    statics_push_bodies(st);
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        size_t size = (size_t)r->rod->line.slot_count * sizeof(double);
        framed_trial_begin_at(r->rod, r->y);
        slots_copy(&r->rod->line, st->rods[i].before, r->y);
        // so that the mass adds to the matrix and not to the forces
        slots_copy(&r->rod->line, r->start, r->y);
        memcpy(st->rods[i].n_before, r->n, size);
        memcpy(st->rods[i].turned_before, r->turned, size);
    }
    for (int i = 0; i < sys->body_count; i++) {
        st->bodies[i].before = sys->bodies[i].pose;
        newton_free_body(&sys->bodies[i]);
    }
}

void statics_rollback(Statics* st)
{
    NewtonSystem* sys = &st->sys;
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        size_t size = (size_t)r->rod->line.slot_count * sizeof(double);
        slots_copy(&r->rod->line, r->y, st->rods[i].before);
        memcpy(r->n, st->rods[i].n_before, size);
        memcpy(r->turned, st->rods[i].turned_before, size);
        framed_trial_begin_at(r->rod, r->y);
    }
    for (int i = 0; i < sys->body_count; i++) {
        NewtonBody* b = &sys->bodies[i];
        b->pose = st->bodies[i].before;
        b->body->pose = pose_shifted(b->pose, sys->origin);
        newton_free_body(b);
    }
}

void statics_accept(Statics* st)
{
    NewtonSystem* sys = &st->sys;
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        CordCenterline* c = &r->rod->line;
        slots_shift(c, c->x, r->y, sys->origin);
        rod_set_pull(r->rod, r->n);
        framed_trial_accept(r->rod);
    }
    for (int i = 0; i < sys->body_count; i++) {
        NewtonBody* b = &sys->bodies[i];
        b->before = b->pose;
        b->body->pose = pose_shifted(b->pose, sys->origin);
        CordBodyState rest = {.position = b->body->pose.point, .rotation = b->pose.rotation};
        b->body->engine->set(b->body->engine_user, b->body->handle, &rest);
        b->inertia = body_inertia(b->body);
    }
    if (sys->coupling) {
        sys->coupling->accept(sys->coupled);
    }
}

static bool is_definite(Statics* st)
{
    NewtonPivots p = newton_factor(&st->sys, true);
    return p.least > 0.0 && p.negative == st->tensions;
}

// Sets the tension of taut stretches to that of the last snapshot plus `pull`. Returns whether the Hessian is
// definite.
static bool is_definite_pulled(Statics* st, double pull)
{
    NewtonSystem* sys = &st->sys;
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        memcpy(sys->rods[i].n, st->rods[i].n_before, (size_t)c->slot_count * sizeof(double));
        taut_pull(sys->rods[i].rod, sys->rods[i].n, pull);
        centerline_wrap_one(c, sys->rods[i].n);
    }
    newton_assemble(sys);
    return is_definite(st);
}

// A stretch of an inextensible rod that is taut between two clamps cannot move, and any tension balances: it
// is stable if the Hessian is definite for one of them (the multipliers of redundant constraints: Nocedal and
// Wright, section 12.5). Takes the least, by bisection. It is the one that a rod which hardly stretches has
// when it is twisted beyond its critical moment.
static bool pull_until_definite(Statics* st)
{
    int taut = 0;
    for (int i = 0; i < st->sys.rod_count; i++) {
        taut += taut_pull(st->sys.rods[i].rod, NULL, 0.0);
    }
    double low = 0.0, high = statics_section_force(st, true);
    for (int n = 0; taut > 0 && !is_definite_pulled(st, high); n++, low = high, high *= 4.0) {
        if (n == MOST_PULLS) {
            is_definite_pulled(st, 0.0);
            return false;
        }
    }
    while (taut > 0 && high - low > PULL_TOLERANCE * high) {
        double middle = 0.5 * (low + high);
        *(is_definite_pulled(st, middle) ? &high : &low) = middle;
    }
    if (taut > 0) {
        is_definite_pulled(st, (1.0 + PULL_MARGIN) * high);
        for (int i = 0; i < st->sys.rod_count; i++) { // so that a rollback keeps it
            const CordCenterline* c = &st->sys.rods[i].rod->line;
            memcpy(st->rods[i].n_before, st->sys.rods[i].n, (size_t)c->slot_count * sizeof(double));
        }
    }
    return taut > 0;
}

// Factors at the present shift or, by bisection to a factor of 1.5, at the smallest one that makes the
// Hessian positive definite (Nocedal and Wright, section 3.4). A shift just above the limit gives a long step
// along the direction of negative curvature.
bool statics_factor_definite(Statics* st)
{
    NewtonSystem* sys = &st->sys;
    if (is_definite(st) || pull_until_definite(st)) {
        return true;
    }
    double low = sys->mass, high = INFINITY;
    for (int n = 0; n < 60; n++) {
        sys->mass = high < INFINITY ? sqrt(low * high) : 8.0 * low;
        newton_assemble(sys);
        if (is_definite(st)) {
            high = sys->mass;
            if (high < 1.5 * low) {
                return true;
            }
        } else {
            low = sys->mass;
        }
    }
    return false;
}

// Inertia of bodies in a vibration. What has none about some axis turns there with its rods at once, or, as
// the joint of a pin does, not at all.
static void set_inertia(NewtonSystem* sys, bool own)
{
    double indifferent = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        indifferent = real_max(indifferent, sys->rods[i].indifferent);
    }
    for (int i = 0; i < sys->body_count; i++) {
        NewtonBody* b = &sys->bodies[i];
        b->inertia = body_inertia(b->body);
        b->indifferent = own && body_own_inertia(b->body, &b->inertia) < 3 ? indifferent : 0.0;
    }
}

// In vibrations, frames and joints without inertia have none, and so are no freedoms of a vibration: they
// follow the nodes. Only if their equilibrium is unstable by itself are they given one, since no mass of the
// nodes makes up for that.
bool statics_factor_vibrations(Statics* st)
{
    NewtonSystem* sys = &st->sys;
    for (int weigh = 0; weigh < 2; weigh++) {
        sys->frames_weigh = weigh;
        set_inertia(sys, !weigh);
        sys->mass = st->soft;
        newton_assemble(sys);
        if (statics_factor_definite(st)) {
            return true;
        }
    }
    return false;
}

// Backtracking line search along the Newton step with Armijo's condition (Nocedal and Wright, algorithm 3.1).
// `slope` is the derivative of the energy along the full step. Sets `share` to what was taken.
static bool line_search(Statics* st, double* share, double slope)
{
    statics_save_solution(st);
    statics_rollback(st);
    StaticsEnergy before = statics_energy(st);
    bool off_length = statics_length_error(st) > STATICS_LENGTH_TOLERANCE;
    double least = LEAST_SHARE * *share;
    if (off_length && statics_try_step(st, least)) {
        // restoring the lengths may cost energy: the decrease is measured from there
        before.sum = real_max(before.sum, statics_energy(st).sum);
    }
    for (; *share >= least; *share *= 0.5) {
        if (!statics_try_step(st, *share)) {
            continue;
        }
        if (statics_energy(st).sum <= before.sum + ARMIJO * *share * slope + before.noise) {
            return true;
        }
    }
    return false;
}

// Derivative of the energy along the Newton step: minus the work of the residual forces. The forces on
// carried nodes are counted with the bodies.
static double slope_of(const Statics* st)
{
    const NewtonSystem* sys = &st->sys;
    double sum = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        const NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        const double* may_turn = framed_of(r->rod)->may_turn;
        for (int n = 0; n < c->node_count; n++) {
            int s = slot_of(c, n);
            bool free = c->w[s] > 0.0 && !newton_is_carried(r, s);
            sum -= free ? vec3_dot(slot_get(r->force.x, s), slot_get(r->move.x, s)) : 0.0;
            sum -= n < c->edge_count ? may_turn[s] * r->force.angle[s] * r->move.angle[s] : 0.0;
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        for (int k = 0; k < 6; k++) {
            sum -= sys->bodies[i].force[k] * sys->bodies[i].move[k];
        }
    }
    return sum;
}

NewtonPivots statics_factor_in_full(Statics* st)
{
    NewtonSystem* sys = &st->sys;
    bool skew = newton_is_skew(sys);
    if (skew) {
        sys->symmetric = false;
        newton_assemble(sys);
        sys->symmetric = true;
    }
    return newton_factor(sys, !skew);
}

// A line search that takes a share of a step takes the same share of the multipliers (Nocedal and Wright,
// algorithm 18.3). The energy does not depend on them, so that all of their change is taken where forces
// balance better with it, as in a chain that is nearly taut: far from there it makes the Hessian indefinite.
static void choose_tensions(Statics* st, double share)
{
    NewtonSystem* sys = &st->sys;
    double mass = sys->mass;
    sys->mass = 0.0; // it is no force
    newton_assemble(sys);
    double with_share = statics_largest_force(st);
    statics_add_tensions(st, 1.0 - share);
    newton_assemble(sys);
    if (!(statics_largest_force(st) < with_share)) {
        statics_add_tensions(st, share - 1.0);
    }
    sys->mass = mass;
}

static bool newton_step(Statics* st, bool downhill)
{
    NewtonSystem* sys = &st->sys;
    st->turning = INFINITY;
    if (downhill ? !statics_factor_definite(st) : statics_factor_in_full(st).least == 0.0) {
        return false;
    }
    if (!newton_solve(sys)) {
        return false;
    }
    double turning = newton_turning(sys);
    if (!isfinite(turning)) {
        return false;
    }
    st->turning = sys->mass <= st->soft ? turning : INFINITY; // a shift makes any step short
    double share = turning > MOST_TURN ? MOST_TURN / turning : 1.0;
    if (!downhill) {
        statics_save_solution(st);
        while (share >= LEAST_SHARE && !statics_try_step(st, share)) {
            share *= 0.5;
        }
    }
    if (downhill ? !line_search(st, &share, slope_of(st)) : share < LEAST_SHARE) {
        return false;
    }
    if (share < 1.0 && st->inextensible) {
        choose_tensions(st, share);
    }
    // try a smaller shift next: the accepted one may be too large, and leaves a part of every step undone
    sys->mass = real_max(st->soft, 0.125 * sys->mass);
    return true;
}

void statics_offer_tensions(Statics* st, const double* tension)
{
    NewtonSystem* sys = &st->sys;
    statics_keep(st);
    newton_assemble(sys);
    double known = statics_largest_force(st);
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        for (int j = 0; j < c->edge_count; j++, tension++) {
            double* n = &r->n[slot_of(c, j)];
            *n = r->rod->inextensible ? *tension : *n;
        }
        centerline_wrap_one(c, r->n);
    }
    newton_assemble(sys);
    if (!(statics_largest_force(st) < known)) {
        statics_rollback(st);
    }
}

// ---- saddle points

// Leaves a saddle point along its softest mode, on the side that the seed chooses first, until the energy
// decreases.
static bool leave_saddle(Statics* st, uint64_t seed)
{
    NewtonSystem* sys = &st->sys;
    if (!statics_factor_definite(st)) {
        return false;
    }
    statics_softest(st, seed);
    double turning = newton_turning(sys), side = seed % 2 ? -1.0 : 1.0;
    statics_save_solution(st);
    statics_rollback(st);
    StaticsEnergy before = statics_energy(st);
    for (double turn = LEAVE_TURN; turn > LEAST_LEAVE * LEAVE_TURN; turn *= 0.5) {
        for (int k = 0; k < 2; k++, side = -side) { // on a slope the energy rises on one side
            if (statics_try_step(st, side * turn / turning) &&
                statics_energy(st).sum < before.sum - before.noise) {
                return true;
            }
        }
    }
    return false;
}

// Along a ridge of the energy Newton's method takes short steps and would converge to the saddle point on it.
// After RIDGE_STEPS of them, this leaves the ridge along the softest mode.
static bool step_downhill(Statics* st, uint64_t seed)
{
    double soft = 8.0 * st->soft;
    if (st->on_ridge >= RIDGE_STEPS) {
        st->on_ridge = 0;
        st->sys.mass = st->soft;
        newton_assemble(&st->sys);
        if (leave_saddle(st, seed)) {
            return true;
        }
        statics_rollback(st);
        newton_assemble(&st->sys);
    }
    bool moved = newton_step(st, true);
    st->on_ridge = st->sys.mass > soft ? st->on_ridge + 1 : 0;
    return moved;
}

// Where a saddle point cannot be left, it may be none: a residual force turns a motion that costs nothing,
// such as that of a helix about the axis around which it has buckled, into one that seems to be unstable.
// Goes nearer to balance, as long as the residual is halved.
static bool approach_saddle(Statics* st, double residual)
{
    if (!(residual <= 0.5 * st->saddle_residual)) {
        return false;
    }
    st->saddle_residual = residual;
    st->sys.mass = st->soft;
    statics_rollback(st);
    newton_assemble(&st->sys);
    return newton_step(st, true);
}

// The side is the sign of the largest component, so that it does not depend on the mode's own sign.
static double mode_side(const Statics* st)
{
    double largest = 0.0;
    for (int i = 0; i < st->sys.rod_count; i++) {
        const CordCenterline* c = &st->sys.rods[i].rod->line;
        for (int n = 0; n < c->node_count; n++) {
            CordVec3 u = slot_get(st->sys.rods[i].move.x, slot_of(c, n));
            double parts[3] = {u.x, u.y, u.z};
            for (int k = 0; k < 3; k++) {
                largest = fabs(parts[k]) > fabs(largest) * (1.0 + 1e-6) ? parts[k] : largest;
            }
        }
    }
    return largest < 0.0 ? -1.0 : 1.0;
}

double statics_mode_share(const Statics* st, double amplitude)
{
    const NewtonSystem* sys = &st->sys;
    double size = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        for (int n = 0; n < c->node_count; n++) {
            size = real_max(size, vec3_length(slot_get(sys->rods[i].move.x, slot_of(c, n))));
        }
    }
    return mode_side(st) * amplitude / size;
}

// ---- the solver

// An equilibrium of a taut rod bears nothing across it but what the tolerance of the solve leaves anywhere.
static CordResult check_taut(const Statics* st, const CordSolveDef* def, CordSolveReport* report,
                             Message* message)
{
    double least = def->tolerance * statics_section_force(st, false);
    CordResult result = CORD_OK;
    for (int i = 0; i < st->sys.rod_count && result == CORD_OK; i++) {
        result = taut_check(&st->sys, &st->sys.rods[i], least, message);
    }
    report->converged &= result == CORD_OK;
    return result;
}

static CordResult not_converged(const Statics* st, const CordSolveDef* def, CordSolveReport* report,
                                Message* message)
{
    if (report->unstable > 0) {
        return message_fail(
            message, CORD_NOT_CONVERGED,
            "rod '%s': forces balance at a saddle with %d unstable mode%s, a force of %.3g N is "
            "left, and no way down from it was found: accept saddles, or take another seed",
            st->sys.rods->rod->name, report->unstable, report->unstable == 1 ? "" : "s", report->residual);
    }
    for (int i = 0; i < st->sys.rod_count; i++) {
        const Rod* rod = st->sys.rods[i].rod;
        ClampGap gap = clamps_gap(rod, st->sys.time);
        if (gap.slack <= CLAMP_NO_SLACK) {
            return taut_fail(rod, gap.node[0], gap.node[1], message);
        }
    }
    CORD_TRY(check_taut(st, def, report, message));
    double error = statics_length_error(st);
    if (report->residual_relative <= def->tolerance && error > 1e-9) {
        return message_fail(message, CORD_NOT_CONVERGED,
                            "rod '%s': forces balance, but an edge is off its length by %.2g of it: it may "
                            "be straight where it "
                            "has to bend; push it to one side first",
                            st->sys.rods->rod->name, error);
    }
    bool spent = report->iterations == def->iterations, moved = false;
    for (int i = 0; i < st->sys.rod_count; i++) {
        const Rod* rod = st->sys.rods[i].rod;
        if (rod_stiffness_at(rod, 0)->GJ == 0.0) {
            return message_fail(
                message, CORD_NOT_CONVERGED,
                "rod '%s': no equilibrium found in %d iterations; it has no twisting stiffness, "
                "so that nothing holds its frames: give it a small one, or no twist to begin "
                "with",
                rod->name, report->iterations);
        }
        for (int k = 0; k < rod->clamp_count; k++) {
            moved = moved || rod->clamps[k]->def.motion_count > 0;
        }
    }
    return message_fail(
        message, CORD_NOT_CONVERGED,
        "rod '%s': no equilibrium found in %d iterations%s; a force of %.3g N is left (%.2g of the largest "
        "in the rod): allow %s%s",
        st->sys.rods->rod->name, report->iterations, spent ? "" : ", and no step from there leads nearer",
        report->residual, report->residual_relative,
        spent ? "more iterations or a larger tolerance" : "a larger tolerance, or start from another shape",
        moved ? ", or move the clamps in shorter steps" : "");
}

// No real eigenvalue of an unsymmetric matrix is below those of its symmetric part (Bendixson): if that is
// definite, there are none. If the determinant is negative, there is one at least. Flutter is not detected.
int statics_count_unstable(Statics* st)
{
    st->sys.mass = st->soft;
    newton_assemble(&st->sys);
    int count = newton_factor(&st->sys, true).negative - st->tensions;
    if (count > 0 && pull_until_definite(st)) {
        return 0;
    }
    if (count > 0 && newton_is_skew(&st->sys) && st->sys.coupling) {
        return -1; // the matrix of coupled systems is symmetric
    }
    if (count > 0 && newton_is_skew(&st->sys)) {
        return (statics_factor_in_full(st).negative - st->tensions) & 1 ? 1 : -1;
    }
    return count;
}

// Evaluates the residual and whether it has converged. A residual below round-off counts as converged after
// two more iterations: a shifted matrix leaves a fraction of each step, shift over stiffness, undone.
static bool measure(Statics* st, const CordSolveDef* def, CordSolveReport* report)
{
    newton_assemble(&st->sys);
    statics_set_lengths(st);
    st->round_off = 0.0;
    for (int i = 0; i < st->sys.rod_count; i++) {
        st->round_off = real_max(st->round_off, statics_round_off(&st->sys.rods[i]));
    }
    double scale = statics_section_force(st, true), floor = st->round_off / def->tolerance;
    report->residual = statics_largest_force(st);
    bool lengths = statics_length_error(st) <= 1e-9, below = report->residual <= st->round_off;
    st->below = below ? st->below + 1 : 0;
    report->residual_relative = report->residual / (st->below > 2 ? real_max(scale, floor) : scale);
    return report->residual_relative <= def->tolerance && lengths;
}

// Whether an equilibrium is stable, or the caller accepts a saddle point.
static bool is_accepted(Statics* st, const CordSolveDef* def, CordSolveReport* report)
{
    NewtonSystem* sys = &st->sys;
    double shift = sys->mass;
    report->unstable = statics_count_unstable(st);
    report->converged = report->unstable <= 0 || def->accept_saddle;
    report->energy = statics_energy_in_scene(st);
    sys->mass = shift;
    newton_assemble(sys);
    return report->converged;
}

void statics_report(Statics* st, const CordSolveDef* def, CordSolveReport* report)
{
    st->sys.mass = 0.0;
    statics_keep(st);
    measure(st, def, report);
    is_accepted(st, def, report);
}

CordResult statics_solve(Statics* st, const CordSolveDef* def, CordSolveReport* report, Message* message)
{
    NewtonSystem* sys = &st->sys;
    sys->mass = st->soft;
    st->below = st->on_ridge = 0;
    st->saddle_residual = st->turning = INFINITY;
    *report = (CordSolveReport){.unstable = -1};
    statics_keep(st);
    newton_assemble(sys);
    statics_set_lengths(st);
    sys->pull = real_max(statics_section_force(st, true), statics_largest_force(st));
    for (;; report->iterations++) {
        statics_keep(st);
        bool balanced = measure(st, def, report);
        if (balanced && is_accepted(st, def, report)) {
            return check_taut(st, def, report, message);
        }
        if (report->iterations == def->iterations) {
            break;
        }
        // without a potential there is no energy to decrease
        bool straight = def->accept_saddle || newton_is_skew(sys);
        bool left = balanced && leave_saddle(st, def->seed + (uint64_t)report->saddles_left);
        bool moved = left        ? true
                     : balanced  ? approach_saddle(st, report->residual)
                     : !straight ? step_downhill(st, def->seed)
                                 : newton_step(st, report->residual_relative > FAR);
        if (!moved) {
            break;
        }
        report->saddles_left += left;
        report->unstable = -1;
        statics_accept(st);
    }
    statics_rollback(st);
    // directions off by TURN_ROUND_OFF leave no more than that
    bool is_near = st->turning <= TURN_ROUND_OFF && statics_length_error(st) <= 1e-9 &&
                   report->residual <= TURN_ROUND_OFF / STATICS_ROUND_OFF * st->round_off;
    if ((report->residual <= st->round_off || is_near) && is_accepted(st, def, report)) { // round-off is left
        return check_taut(st, def, report, message);
    }
    report->energy = statics_energy_in_scene(st);
    return not_converged(st, def, report, message);
}
