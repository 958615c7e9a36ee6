#include "solve/statics.h"

#include <string.h>

#define SOFT 1e-5 // of the lowest bending frequency of the rod, squared: slower than that is free motion
#define LEAST_FORCE 1e-6   // of EI/L^2: less counts as none
#define MOST_TURN 0.6      // of an edge in one step [rad]
#define MOST_FOLLOW 0.35   // likewise, when clamps move
#define LEAST_SHARE 1e-6   // of a step, in the line search
#define ARMIJO 1e-4        // the share of the foretold decrease that is asked for
#define ENERGY_NOISE 1e-13 // of the energies that cancel: below, a change of energy says nothing
#define LEAVE_TURN 0.1     // of an edge, where a saddle is left [rad]

// ---- opening

size_t statics_scratch(const Rod* rod)
{
    return system_scratch(rod) + 9 * arena_space(sizeof(double), (int)centerline_stride(&rod->line)) +
           2 * arena_space(sizeof(double), strand_unknowns(rod));
}

static double* push_slots(const Rod* rod, Arena* scratch)
{
    size_t stride = centerline_stride(&rod->line);
    double* a = arena_push(scratch, double, stride);
    memset(a, 0, stride * sizeof *a);
    return a + CENTERLINE_PAD;
}

// Squared frequency of the slowest bending of a rod of this length, or, if it does not bend back, of its swinging.
static double slowest(const Rod* rod, CordVec3 gravity)
{
    double mu = rod_mass(rod) / rod->length, L = rod->length, EI = INFINITY;
    for (int j = 0; j < rod->line.edge_count; j++) {
        const CordStiffness* k = rod_stiffness_at(rod, j);
        EI = fmin(EI, fmin(k->EI1, k->EI2));
    }
    double bending = EI / (mu * L * L * L * L), swinging = vec3_length(gravity) / L;
    return bending > 0.0 ? bending : swinging > 0.0 ? 1e-3 * swinging : rod->stiffness.EA / (mu * L * L);
}

static int count_tensions(const System* sys)
{
    const CordCenterline* c = &sys->rod->line;
    int count = 0;
    for (int k = 0; k < strand_edge_to(&sys->strand); k++) {
        int s = strand_slot(&sys->strand, k);
        count += !(c->w[s] == 0.0 && c->w[s + 1] == 0.0);
    }
    return count;
}

static void find_anchors(Statics* st)
{
    const Rod* rod = st->sys.rod;
    st->nodes = rod->line.node_count;
    st->stand_in = 0;
    for (int i = 0; i < rod->clamp_count; i++) {
        st->slides |= rod->clamps[i]->holds && rod->clamps[i]->def.slides;
        st->stand_in = rod->clamps[i]->holds ? -1 : st->stand_in;
    }
}

void statics_open(Statics* st, Rod* rod, CordVec3 gravity, double time, Arena* scratch)
{
    const CordCenterline* c = &rod->line;
    double scale = slowest(rod, gravity);
    *st = (Statics){.soft = SOFT * scale, .least_force = LEAST_FORCE * scale * rod_mass(rod) * rod->length};
    System* sys = &st->sys;
    system_open(sys, rod, true, scratch);
    sys->gravity = gravity;
    sys->time = time;
    sys->augment = 1.0;
    st->solution = arena_push(scratch, double, strand_unknowns(rod));
    st->force = arena_push(scratch, double, strand_unknowns(rod));
    for (int k = 0; k < 3; k++) {
        st->before[k] = push_slots(rod, scratch);
        st->mode[k] = push_slots(rod, scratch);
        memcpy(sys->y[k], c->x[k], (size_t)c->slot_count * sizeof(double));
    }
    st->n_before = push_slots(rod, scratch);
    st->turned_before = push_slots(rod, scratch);
    st->length = push_slots(rod, scratch);
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        double strain = vec3_length(edge_vector(c, s - c->halo)) * c->inv_rest[s] - 1.0;
        sys->n[s] = rod->inextensible ? 0.0 : rod_stiffness_at(rod, s - c->halo)->EA * strain;
    }
    centerline_wrap_one(c, sys->n);
    st->tensions = count_tensions(sys);
    find_anchors(st);
}

// ---- energy

static double potential_of_loads(const System* sys)
{
    const Rod* rod = sys->rod;
    const CordCenterline* c = &rod->line;
    const double* torque = sys->trial->torque(rod);
    double sum = 0.0;
    for (int i = 0; i < c->node_count; i++) {
        sum -= rod_node_mass(rod, i) * vec3_dot(sys->gravity, slot_get(sys->y, slot_of(c, i)));
    }
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        if (load->def.kind == CORD_LOAD_FORCE) {
            sum -= load_share(load, sys->time) *
                   vec3_dot(load->def.force, slot_get(sys->y, slot_of(c, load->node)));
        }
    }
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        sum -= torque[s] * sys->turned[s];
    }
    return sum;
}

static double stretching(const System* sys)
{
    const CordCenterline* c = &sys->rod->line;
    double sum = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count && !sys->rod->inextensible; s++) {
        double len = vec3_length(vec3_sub(slot_get(sys->y, s + 1), slot_get(sys->y, s)));
        double change = len - c->rest_len[s];
        sum += 0.5 * rod_stiffness_at(sys->rod, s - c->halo)->EA * change * change * c->inv_rest[s];
    }
    return sum;
}

StaticsEnergy statics_energy(const System* sys)
{
    double elastic = sys->trial->energy(sys->rod, 0.0) + stretching(sys), loads = potential_of_loads(sys);
    double weight = rod_mass(sys->rod) * vec3_length(sys->gravity) * sys->rod->length;
    return (StaticsEnergy){elastic + loads, ENERGY_NOISE * (fabs(elastic) + fabs(loads) + weight)};
}

// ---- residual

// The right-hand side holds the forces that are left; in the angles' rows, moments, which count by the length of an edge.
static double largest_force(const Statics* st)
{
    const Strand* strand = &st->sys.strand;
    const CordCenterline* c = &st->sys.rod->line;
    double most = 0.0;
    for (int k = 0; k < strand_node_to(strand); k++) {
        int x = strand_plain(strand, strand_x(strand, k));
        CordVec3 f = {st->force[x], st->force[x + 1], st->force[x + 2]};
        const Clamp* clamp = st->slides ? clamp_of_node(st->sys.rod, strand_slot(strand, k) - c->halo) : NULL;
        double size = clamp && clamp->def.slides ? fabs(vec3_dot(f, clamp->axis)) : vec3_length(f);
        most = size <= most ? most : size;
    }
    for (int k = 0; k < strand_frame_to(strand); k++) {
        double moment = fabs(st->force[strand_plain(strand, strand_angle(strand, k))]);
        double size = moment / c->rest_len[strand_slot(strand, k)];
        most = size <= most ? most : size;
    }
    return most;
}

// What the residual is measured by: the largest force in a section, of bending and twist or along.
static double force_scale(const Statics* st)
{
    const System* sys = &st->sys;
    const CordCenterline* c = &sys->rod->line;
    const CornerGradient* g = &sys->terms.gradient;
    double most = 0.0, weight = rod_mass(sys->rod) * vec3_length(sys->gravity);
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        CordVec3 p = vec3_add(slot_get((double* const*)g->f, s), slot_get((double* const*)g->e, s + 1));
        double moment = vec3_length(slot_get((double* const*)g->f, s)) * c->rest_len[s];
        most = fmax(most, vec3_length(p) + fabs(sys->n[s]) + moment / sys->rod->length);
    }
    return fmax(most, weight);
}

// ---- one step

void statics_keep(Statics* st)
{
    System* sys = &st->sys;
    size_t size = (size_t)sys->rod->line.slot_count * sizeof(double);
    for (int k = 0; k < 3; k++) {
        memcpy(st->before[k], sys->y[k], size);
        memcpy(sys->start[k], sys->y[k], size); // so that the mass adds to the matrix, not to the forces
    }
    memcpy(st->n_before, sys->n, size);
    memcpy(st->turned_before, sys->turned, size);
}

void statics_go_back(Statics* st)
{
    System* sys = &st->sys;
    size_t size = (size_t)sys->rod->line.slot_count * sizeof(double);
    for (int k = 0; k < 3; k++) {
        memcpy(sys->y[k], st->before[k], size);
    }
    memcpy(sys->n, st->n_before, size);
    memcpy(sys->turned, st->turned_before, size);
    sys->trial->begin(sys->rod, 0.0);
}

// The rod itself goes where the trial is.
void statics_accept(Statics* st)
{
    System* sys = &st->sys;
    CordCenterline* c = &sys->rod->line;
    for (int k = 0; k < 3; k++) {
        memcpy(c->x[k], sys->y[k], (size_t)c->slot_count * sizeof(double));
    }
    sys->trial->accept(sys->rod);
}

// A matrix that is all but singular gives way to misses of lengths, too: one that is well away from it corrects them.
static bool factor_for_lengths(Statics* st)
{
    System* sys = &st->sys;
    double mass = sys->mass;
    if (mass <= st->soft) {
        return true;
    }
    sys->mass = 8.0 * mass;
    system_assemble(sys);
    sys->mass = mass;
    return strand_factor(&sys->strand, true).least > 0.0;
}

// Downhill along the solution, as far as the energy goes down as it should. `slope` is its derivative along the whole of it.
static bool line_search(Statics* st, double share, double slope)
{
    statics_keep_solution(st);
    statics_go_back(st);
    StaticsEnergy before = statics_energy(&st->sys);
    if (!factor_for_lengths(st)) {
        return false;
    }
    for (; share >= LEAST_SHARE; share *= 0.5) {
        if (!statics_try_share(st, share)) {
            continue;
        }
        StaticsEnergy after = statics_energy(&st->sys);
        if (after.sum <= before.sum + ARMIJO * share * slope + before.noise) {
            return true;
        }
    }
    return false;
}

static bool is_definite(Statics* st)
{
    StrandPivots p = strand_factor(&st->sys.strand, true);
    return p.least > 0.0 && p.negative == st->tensions;
}

// Factors at the present shift, or the one, to a third or so, at which no direction goes downhill for ever: just above, the step along the way down is long.
bool statics_factor_definite(Statics* st)
{
    System* sys = &st->sys;
    if (is_definite(st)) {
        return true;
    }
    double low = sys->mass, high = low;
    for (int n = 0; n < 60; n++) {
        sys->mass = high < INFINITY && n > 0 && st->found ? sqrt(low * high) : 8.0 * low;
        system_assemble(sys);
        if (is_definite(st)) {
            high = sys->mass;
            st->found = true;
            if (high < 1.5 * low) {
                st->found = false;
                return true;
            }
        } else {
            low = sys->mass;
        }
    }
    return false;
}

// -(force . solution), both kept: the derivative of the energy along the solution.
static double slope_of(Statics* st)
{
    Strand* strand = &st->sys.strand;
    double sum = 0.0;
    for (int k = 0; k < strand_node_to(strand); k++) {
        for (int i = 0; i < 3; i++) {
            sum -= st->force[strand_plain(strand, strand_next(strand_x(strand, k), i))] *
                   strand_solution(strand, strand_next(strand_x(strand, k), i));
        }
    }
    for (int k = 0; k < strand_frame_to(strand); k++) {
        int i = strand_angle(strand, k);
        sum -= st->force[strand_plain(strand, i)] * strand_solution(strand, i);
    }
    return sum;
}

static bool newton_step(Statics* st, bool downhill)
{
    System* sys = &st->sys;
    Strand* strand = &sys->strand;
    if (downhill ? !statics_factor_definite(st) : strand_factor(strand, true).least == 0.0) {
        return false;
    }
    if (!strand_solve(strand)) {
        return false;
    }
    double turning = system_turning(sys);
    if (!isfinite(turning)) {
        return false;
    }
    double share = turning > MOST_TURN ? MOST_TURN / turning : 1.0;
    if (!downhill) {
        statics_keep_solution(st);
        return statics_try_share(st, share);
    }
    if (!line_search(st, share, slope_of(st))) {
        return false;
    }
    sys->mass = fmax(st->soft, 0.125 * sys->mass); // what was accepted may be too careful
    return true;
}

// ---- saddles

// From a saddle along its softest motion, to either side as the seed has it, as far as the energy goes down.
static bool leave_saddle(Statics* st, uint64_t seed)
{
    System* sys = &st->sys;
    if (!statics_factor_definite(st)) {
        return false;
    }
    statics_softest(st, seed);
    double turning = system_turning(sys), side = seed % 2 ? -1.0 : 1.0;
    statics_keep_solution(st);
    statics_go_back(st);
    StaticsEnergy before = statics_energy(sys);
    if (!factor_for_lengths(st)) {
        return false;
    }
    for (double turn = LEAVE_TURN; turn > 1e-3 * LEAVE_TURN; turn *= 0.5) {
        if (statics_try_share(st, side * turn / turning) && statics_energy(sys).sum < before.sum - before.noise) {
            return true;
        }
    }
    return false;
}

CordResult statics_push(Statics* st, double amplitude, Message* message)
{
    System* sys = &st->sys;
    const CordCenterline* c = &sys->rod->line;
    double largest = 0.0, size = 0.0;
    for (int i = 0; i < c->node_count;
         i++) { // the side is that of the largest component: the same whatever the mode's own sign
        CordVec3 u = slot_get(st->mode, slot_of(c, i));
        double parts[3] = {u.x, u.y, u.z};
        for (int k = 0; k < 3; k++) {
            largest = fabs(parts[k]) > fabs(largest) * (1.0 + 1e-6) ? parts[k] : largest;
        }
    }
    for (int k = 0; k < strand_node_to(&sys->strand); k++) {
        int x = strand_x(&sys->strand, k);
        CordVec3 u = {strand_solution(&sys->strand, x), strand_solution(&sys->strand, strand_next(x, 1)),
                      strand_solution(&sys->strand, strand_next(x, 2))};
        size = fmax(size, vec3_length(u));
    }
    statics_keep_solution(st);
    statics_go_back(st);
    if (!factor_for_lengths(st) || !statics_try_share(st, (largest < 0.0 ? -1.0 : 1.0) * amplitude / size)) {
        return message_fail(message, CORD_NOT_CONVERGED,
                            "rod '%s' could not be pushed by %g m along its softest motion; try a smaller amplitude",
                            sys->rod->name, amplitude);
    }
    statics_accept(st);
    return CORD_OK;
}

// ---- solving

static CordResult not_converged(const Statics* st, const CordSolveReport* report, Message* message)
{
    return message_fail(message, CORD_NOT_CONVERGED,
                        "rod '%s': no equilibrium found in %d iterations; a force of %.3g N is left (%.2g of the largest in the rod): allow "
                        "more iterations, a larger tolerance, or move the clamps in shorter steps",
                        st->sys.rod->name, report->iterations, report->residual, report->residual_relative);
}

// Where forces balance: how many ways lead down.
int statics_count_unstable(Statics* st)
{
    System* sys = &st->sys;
    sys->mass = st->soft;
    system_assemble(sys);
    return strand_factor(&sys->strand, true).negative - st->tensions;
}

static bool measure(Statics* st, const CordSolveDef* def, CordSolveReport* report)
{
    system_assemble(&st->sys);
    system_forces(&st->sys, st->force);
    statics_set_lengths(st);
    double scale = fmax(force_scale(st), st->least_force);
    report->residual = largest_force(st);
    report->residual_relative = report->residual / scale;
    return report->residual_relative <= def->tolerance && statics_largest_miss(st) <= 1e-9;
}

CordResult statics_solve(Statics* st, const CordSolveDef* def, CordSolveReport* report, Message* message)
{
    System* sys = &st->sys;
    sys->mass = st->soft;
    *report = (CordSolveReport){0};
    for (; report->iterations <= def->iterations; report->iterations++) {
        sys->trial->begin(sys->rod, 0.0);
        statics_keep(st);
        bool balanced = measure(st, def, report);
        if (balanced) {
            double shift = sys->mass;
            report->unstable = statics_count_unstable(st);
            report->converged = report->unstable == 0 || def->accept_saddle;
            sys->mass = shift;
            if (report->converged) {
                report->energy = statics_energy(sys).sum;
                return CORD_OK;
            }
            system_assemble(sys);
        }
        bool moved = balanced ? leave_saddle(st, def->seed + (uint64_t)report->saddles_left)
                              : newton_step(st, !def->accept_saddle);
        if (!moved) {
            break;
        }
        report->saddles_left += balanced;
        statics_accept(st);
    }
    statics_go_back(st);
    report->energy = statics_energy(sys).sum;
    return not_converged(st, report, message);
}

// ---- clamps that move

// False: none moves.
bool statics_shift_clamps(Statics* st, double time)
{
    System* sys = &st->sys;
    const CordCenterline* c = &sys->rod->line;
    bool moves = false;
    for (int i = 0; i < sys->rod->clamp_count; i++) {
        const Clamp* clamp = sys->rod->clamps[i];
        CordVec3 target[2];
        for (int k = 0; clamp->holds && k < clamp->node_count; k++) {
            int s = slot_of(c, clamp->node[k]);
            target[k] = clamp_target(clamp, k, time);
            CordVec3 by = vec3_sub(target[k], slot_get(sys->y, s));
            by = clamp->def.slides ? vec3_reject(by, clamp->axis) : by;
            target[k] = vec3_add(slot_get(sys->y, s), by);
            slot_set(sys->shift, s, by);
            moves |= vec3_length(by) > 1e-14 * sys->rod->length;
        }
        if (clamp->holds && clamp->def.fix == CORD_FIX_FRAME && !clamp->def.has_torque) {
            CordVec3 t = vec3_unit(vec3_sub(target[1], target[0]));
            double angle = sys->trial->turn_to(sys->rod, clamp->edge, t, clamp_frame(clamp, t, time));
            sys->shift_angle[slot_of(c, clamp->edge)] = angle;
            moves |= fabs(angle) > 1e-14;
        }
    }
    return moves;
}

void statics_forget_shift(Statics* st)
{
    size_t size = (size_t)st->sys.rod->line.slot_count * sizeof(double);
    for (int k = 0; k < 3; k++) {
        memset(st->sys.shift[k], 0, size);
    }
    memset(st->sys.shift_angle, 0, size);
}

CordResult statics_follow(Statics* st, double time, Message* message)
{
    System* sys = &st->sys;
    double before = sys->time;
    sys->trial->begin(sys->rod, 0.0);
    statics_keep(st);
    sys->time = time;
    if (!statics_shift_clamps(st, time)) {
        return CORD_OK;
    }
    sys->mass = st->soft;
    sys->only_shift = true;
    system_assemble(sys);
    sys->only_shift = false;
    bool moved = strand_factor(&sys->strand, true).least > 0.0 && strand_solve(&sys->strand);
    double turning = moved ? system_turning(sys) : INFINITY;
    statics_forget_shift(st);
    if (turning <= MOST_FOLLOW) {
        statics_keep_solution(st);
        moved = statics_try_share(st, 1.0);
    }
    if (!moved || !(turning <= MOST_FOLLOW)) {
        sys->time = before;
        statics_go_back(st);
        return message_fail(message, CORD_NOT_CONVERGED,
                            "rod '%s': its clamps move too far in one step, or farther apart than the rod is long",
                            sys->rod->name);
    }
    statics_accept(st);
    return CORD_OK;
}
