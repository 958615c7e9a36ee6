// Implicit steps of rods and bodies that may be in contact.
#include "base/real.h"
#include "step/angular_momentum.h"
#include "step/implicit.h"
#include "step/implicit_step.h"

#include <float.h>

#define MOST_CHANGE 0.5            // largest change in one iteration
#define MOST_CONTACT_ITERATIONS 60 // iterations with contact
#define CURVED_BELOW 0.05          // change below which all second derivatives of contact are used
#define EASE_NEAR 0.1     // ease in the first iteration of a step that begins so near to the solution
#define MOST_GROWTH 100.0 // most by which extra inertia grows at once
#define RELEASE 0.2       // factor by which it shrinks
#define LEAST_EXTRA 0.1   // below it counts as 0
#define SMOOTHEST 0.05    // over the radius: gap over which forces of contact rise far from the solution
#define SHARPEN 0.3       // factor by which it shrinks
#define SHARP 1e-5        // below it counts as 0
#define CONTACT_TOLERANCE 1e-10 // change that ends the iteration with contact,
#define FORESEEN 1e-7           // or largest change from which the end may be foreseen,
#define DOUBT 10.0              // with this safety factor on the change foreseen
#define ENOUGH_AT_FIRST 1e-3    // error of contact forces, over the largest, in the first iteration,
#define ENOUGH_FOR 0.01         // and later, over the last change
// Likewise, of positions over the radius, over the tolerance of overlaps, after so many iterations. Where a
// contact passes from one element to the next its gap jumps by up to a quarter of that tolerance
// (narrow_phase.h), and iterates may alternate between the two sides of a jump.
#define LOOSE 0.001
#define MANY 15
#define MOST_OVERLAP 4.0  // over the tolerance, at the start of a step, beyond what the last one left
#define FREE_ITERATIONS 2 // before under-relaxation
#define LEAST_RELAXATION 0.125
#define MOST_RELAXATION 1000.0
#define LEAST_REVERSAL -0.3 // ratio of two steps, and
#define NEARLY_WHOLE 0.7    // the share that follows from it, from which on a whole step is taken
#define LEAST_RATIO 0.2     // of two steps, from which on a row of them is extrapolated
#define STEADY 0.2          // if the ratio changes by less than this, over 1 - ratio,
#define LEAST_STEADY 0.02   // or this
#define WORSE 3.0           // ratio of changes
#define LARGE 0.01          // change
#define STRAIGHT 3          // iterations without second derivatives of contact
#define RECOVERED 1e-7      // over the radius: deeper overlaps are put right at the end of the step
#define DIPS 0.1            // of the tolerance: where segments overlap by more, sagittas are measured anew
#define FUTILE 0.9          // factor on the deepest overlap: where it shrinks by less, other things overlap
#define ENOUGH 0.01         // change over the deepest overlap, once it is smaller
#define SAGITTAS 8          // how often they are measured anew
#define STILL 3  // iterations in a row with positions converged that are enough, whatever the frames do
#define STUCK 10 // iterations in a row with a negligible step
#define NEGLIGIBLE 1e-3 // share of a step that is negligible

size_t implicit_scratch(const Island* islands, int count)
{
    size_t sum = arena_space(sizeof(NewtonSystem), count);
    for (int i = 0; i < count; i++) {
        sum += newton_scratch(&islands[i]);
    }
    return sum;
}

// Tries a step of all islands separately, without contact. False: some pair came near, or a solve failed that
// a shorter step may cure.
static bool step_apart(NewtonSystem* systems, const Island* islands, int count, ContactNewton* t,
                       const StepInfo* step, Message* message)
{
    contact_newton_update_positions(t);
    if (contact_newton_is_near(t)) {
        return false;
    }
    int iterations = 0;
    for (int i = 0; i < count; i++) {
        if (implicit_step_solve(&systems[i], &iterations, message) != CORD_OK ||
            implicit_step_check(&systems[i], step, message) != CORD_OK) {
            return false;
        }
        islands[i].rods[0]->report.iterations = iterations;
    }
    contact_newton_update_positions(t);
    if (contact_newton_is_near(t)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        implicit_step_finish_alone(&systems[i], step, islands[i].rods[0]->report.iterations);
    }
    t->contacts.count = t->last.count = 0; // nothing pushes
    return true;
}

// Moves rods and bodies back from the prediction to a share of the motion that keeps all gaps open. The rest
// of a clamped node's motion goes into `shift`.
static void rewind_prediction(NewtonSystem* sys, double share)
{
    for (int i = 0; i < sys->body_count; i++) {
        contact_newton_set_body_motion(&sys->bodies[i], sys->origin);
    }
    newton_shift_bodies(sys, share - 1.0);
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        const double origin[3] = {sys->origin.x, sys->origin.y, sys->origin.z};
        for (int s = 0; s < c->slot_count; s++) {
            for (int k = 0; k < 3; k++) {
                double motion = r->y[k][s] - (c->x[k][s] - origin[k]);
                bool carried = newton_is_carried(r, s);
                r->shift.x[k][s] = c->w[s] == 0.0 && !carried ? (1.0 - share) * motion : 0.0;
                r->y[k][s] -= carried ? 0.0 : (1.0 - share) * motion;
            }
        }
        framed_trial_follow(r->rod, r->y, sys->time);
    }
}

static void shorten_shift(NewtonSystem* sys, double share)
{
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        for (int k = 0; k < 3; k++) {
            for (int s = 0; s < r->rod->line.slot_count; s++) {
                r->shift.x[k][s] *= 1.0 - share;
            }
        }
    }
}

static double largest_of(const ContactNewton* t, double (*of)(const NewtonSystem*))
{
    double most = 0.0;
    for (int i = 0; i < t->system_count; i++) {
        double change = of(&t->systems[i]);
        most = change <= most ? most : change; // keeps a value that is not a number
    }
    return most;
}

// The larger of two, or what is not a number.
static double larger(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

// Size of the Newton step: positions over edge length, and motions of bodies.
static double step_size(const ContactNewton* t)
{
    return larger(largest_of(t, newton_position_change), contact_newton_body_change(t));
}

// The same over the radius of the rods, where that is less than their edges are long.
static double step_in_radii(const ContactNewton* t, double size)
{
    double most = size, least = INFINITY;
    for (int i = 0; i < t->colliders.rod_count; i++) {
        const NewtonRod* r = t->rods[i].rod;
        const CordCenterline* c = &r->rod->line;
        for (int n = 0; n < c->node_count; n++) {
            most = larger(vec3_length(slot_get(r->move.x, slot_of(c, n))) / r->rod->radius, most);
        }
        least = real_min(least, r->rod->radius);
    }
    for (int i = 0; i < t->body_count; i++) {
        const double* m = t->bodies[i].body->move;
        most = larger(sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) / least, most);
    }
    return most;
}

// Round-off of positions, over the radius: far from the origin no step is shorter.
static double round_off(const ContactNewton* t)
{
    double most = 0.0;
    for (int i = 0; i < t->colliders.rod_count; i++) {
        const ColliderRod* r = &t->colliders.rods[i];
        for (int n = 0; n < r->node_count; n++) {
            most = larger(vec3_length(t->colliders.to[r->first_node + n]) / r->rod->radius, most);
        }
    }
    return DBL_EPSILON * most;
}

// The share of the Newton step that keeps the gaps open. Frame angles do not limit it, because thin rods may
// twist far in one step.
static double allowed_share(ContactNewton* t)
{
    double size = step_size(t);
    return isfinite(size) ? contact_newton_step_limit(t, size > MOST_CHANGE ? MOST_CHANGE / size : 1.0) : 0.0;
}

// One Newton step and the share of it that gaps allow. False: there is none.
static bool solve_with_contact(ContactNewton* t, double* change, double* share)
{
    RodReport* spent = &t->systems->rods->rod->report; // all rods are solved together: the first one counts
    spent->iterations_in_all++;
    spent->factorings_in_all++;
    t->iterations++;
    t->iterations_in_all++;
    for (int i = 0; i < t->system_count; i++) {
        newton_add_spin_forces(&t->systems[i]);
    }
    if (!contact_newton_assemble(t) || !contact_newton_solve(t)) {
        return false;
    }
    *share = allowed_share(t);
    *change = larger(largest_of(t, newton_change), contact_newton_body_change(t));
    return isfinite(*change);
}

static CordResult no_contact_memory(Message* message)
{
    return message_fail(message, CORD_NO_MEMORY, "no memory for contacts");
}

typedef struct Progress { // of Newton's method with contact
    double size;          // of the last step (step_size)
    double change;        // of the last step, or over the radius where that is more
    double share;         // of the last step that was taken
    double ratio;         // of the last step to the one before (contact_newton_step_ratio)
    int still;            // iterations in a row with positions converged
    int stuck;            // iterations in a row with a negligible step
    int straight;         // iterations to come without second derivatives of contact
    bool renews;          // sagittas are measured anew where segments dip into solids
    bool dips;            // iterations ended before they have converged, since some do
} Progress;

// Aitken relaxation. Contacts that change their state in every iteration make the steps of two iterations
// cancel each other, and a share of them is taken. Forces that pass slowly from one contact to another make a
// row of like steps, whose sum is taken at once.
static double relaxation_of(const Progress* last, double ratio)
{
    double change = fabs(ratio - last->ratio), left = 1.0 - ratio;
    if (last->share == 1.0 && ratio > LEAST_RATIO && change < real_max(STEADY * left, LEAST_STEADY)) {
        return left > 1.0 / MOST_RELAXATION ? 1.0 / left : MOST_RELAXATION;
    }
    double wanted = left > 0.0 ? last->share / left : 1.0;
    bool nearly_whole = ratio > LEAST_REVERSAL && wanted >= NEARLY_WHOLE;
    return wanted > 1.0 || nearly_whole ? 1.0 : real_max(wanted, LEAST_RELAXATION);
}

// Where a Newton step is too long to be trusted, a share of it would not be the motion that contacts allow.
// More inertia makes the next one shorter instead, and smooth forces let contacts open and close by degrees.
// Both are taken back as steps become short.
static void adapt_to_size(ContactNewton* t, double size)
{
    if (size > MOST_CHANGE) {
        t->extra_inertia = real_max(t->extra_inertia, 1.0) * real_min(size / MOST_CHANGE, MOST_GROWTH);
        t->smoothing = t->smoothing > 0.0 ? real_min(SMOOTHEST, t->smoothing / SHARPEN) : SMOOTHEST;
        return;
    }
    t->extra_inertia = RELEASE * t->extra_inertia < LEAST_EXTRA ? 0.0 : RELEASE * t->extra_inertia;
    if (size < CURVED_BELOW && t->smoothing > 0.0 && t->extra_inertia == 0.0) {
        t->smoothing = SHARPEN * t->smoothing < SHARP ? 0.0 : SHARPEN * t->smoothing;
        contact_newton_renew_sagittas(t, 0);
    }
}

static double relaxed_share(ContactNewton* t, const Progress* p, double ratio, double size)
{
    double share = relaxation_of(p, ratio);
    if (share <= 1.0) {
        return share;
    }
    share = real_min(contact_newton_force_limit(t, share), MOST_CHANGE / size);
    return real_max(1.0, contact_newton_step_limit(t, share));
}

static void take_share(ContactNewton* t, double share)
{
    for (int i = 0; i < t->system_count; i++) {
        newton_move(&t->systems[i], share);
        shorten_shift(&t->systems[i], share);
    }
    contact_newton_move_free_bodies(t, share);
    contact_newton_update_forces(t, share);
    contact_newton_accept_step(t, share);
}

// Do segments overlap with solids by more than sagittas should leave?
static bool dips_too_deep(const ContactNewton* t)
{
    return t->contacts.deepest > DIPS * t->tolerance;
}

// With all second derivatives the ratio of changes falls as Newton's method converges, except where obstacles
// curve or friction acts, where it is steady. So the next change is taken to be smaller by the ratio of the
// last two, with a safety factor.
static bool foresees_end(const ContactNewton* t, double before, double change)
{
    return t->curved && t->is_close && change <= FORESEEN &&
           DOUBT * change * change <= CONTACT_TOLERANCE * before;
}

// Takes the Newton step that was solved for, of which gaps allow a share. True: it was the last one.
static bool take_step(ContactNewton* t, Progress* p, int n, double change, double share)
{
    double size = step_size(t), radii = step_in_radii(t, size), ratio = contact_newton_step_ratio(t);
    bool whole = share == 1.0 && t->is_exact, stands = whole && size <= CONTACT_TOLERANCE;
    bool converges = whole && p->share == 1.0 && foresees_end(t, p->change, larger(change, radii));
    if (share == 1.0 && n > FREE_ITERATIONS && !stands && t->smoothing == 0.0) {
        share = relaxed_share(t, p, ratio, size);
    }
    bool bends_back = t->curved && size > real_max(WORSE * p->size, LARGE); // the matrix may be indefinite
    *p = (Progress){.size = size,
                    .change = larger(change, radii),
                    .share = share,
                    .ratio = ratio,
                    .still = stands ? p->still + 1 : 0,
                    .stuck = share < NEGLIGIBLE ? p->stuck + 1 : 0,
                    .straight = bends_back ? STRAIGHT : p->straight - 1,
                    .renews = p->renews};
    take_share(t, share);
    if (t->no_memory) {
        return true;
    }
    adapt_to_size(t, size);
    // Forces that pass slowly from one contact to another hardly move anything.
    bool drifts =
        n > MANY && t->is_exact && share == 1.0 && radii <= real_max(LOOSE * t->tolerance, round_off(t));
    p->dips =
        p->renews && share == 1.0 && t->is_exact && dips_too_deep(t) && radii <= ENOUGH * t->contacts.deepest;
    if (drifts || p->dips || converges || (stands && (change <= CONTACT_TOLERANCE || p->still == STILL))) {
        return true;
    }
    t->curved = size < CURVED_BELOW && p->straight <= 0;
    t->is_close = size < CURVED_BELOW && t->smoothing == 0.0;
    // The iteration may end unconverged if the overlap exceeds the error of this step.
    bool may_end = n >= MANY || (p->renews && dips_too_deep(t) && radii <= t->contacts.deepest);
    t->enough = may_end ? 0.0 : ENOUGH_FOR * real_min(size, CURVED_BELOW);
    return false;
}

static CordResult fail_pressed(const ContactNewton* t, Message* message)
{
    bool soft;
    double depth = contact_points_depth(&t->contacts, &t->colliders, &soft);
    return message_fail(message, CORD_NOT_CONVERGED,
                        soft ? "a rod sinks %.3g of its radius deep into a compliant obstacle, which holds "
                               "nothing deeper than 0.9 of it"
                             : "what touches is pressed together with nowhere to go: surfaces overlap by "
                               "%.2g of a radius; pull or press less",
                        depth);
}

// `dips`: see Progress.
static CordResult newton_with_contact(ContactNewton* t, bool renews, bool* dips, int* iterations,
                                      Message* message)
{
    double change, share;
    bool ends = false, fails = false;
    Progress p = {.size = INFINITY, .change = 0.0, .share = 1.0, .renews = renews};
    t->enough = ENOUGH_AT_FIRST;
    for (int n = 1; n <= MOST_CONTACT_ITERATIONS && p.stuck < STUCK && !ends && !fails; n++) {
        fails = !solve_with_contact(t, &change, &share);
        (*iterations)++;
        ends = !fails && take_step(t, &p, n, change, share);
    }
    *dips = p.dips;
    if (t->no_memory) {
        return no_contact_memory(message);
    }
    if (ends) {
        return CORD_OK;
    }
    for (int i = 0; i < t->colliders.rod_count; i++) {
        CORD_TRY(stepper_check_trouble(t->colliders.rods[i].rod, message));
    }
    if (t->contacts.deepest > t->tolerance) {
        return fail_pressed(t, message);
    }
    return fails ? message_fail(message, CORD_NOT_CONVERGED,
                                "rods in contact: the equations of a step have no finite solution near what "
                                "was predicted; take a shorter step")
                 : message_fail(message, CORD_NOT_CONVERGED,
                                "rods in contact: Newton's method did not converge in %d iterations; take a "
                                "shorter step",
                                *iterations);
}

// Iterates may pass around each other. The step itself is a straight motion, and must pass through nothing.
static CordResult check_path(ContactNewton* t, Message* message)
{
    if (t->contacts.deepest > real_max(t->left, t->tolerance)) {
        return fail_pressed(t, message);
    }
    if (!contact_newton_tunnels(t)) {
        return CORD_OK;
    }
    return t->no_memory ? no_contact_memory(message)
                        : message_fail(message, CORD_NOT_CONVERGED,
                                       "what moves would pass through what it meets; take a shorter step");
}

// Opens the systems of all islands, by their own integrator or all by backward Euler, and finds the contacts.
static CordResult open_islands(const Island* islands, int count, bool backward_euler, NewtonSystem* systems,
                               ContactNewton* t, Memory* m, const StepInfo* step, Arena* scratch,
                               Message* message)
{
    for (int i = 0; i < count; i++) {
        implicit_step_open(&systems[i], &islands[i],
                           !backward_euler && implicit_step_is_midpoint(&islands[i]), step, scratch);
    }
    if (contact_newton_begin(t, m, systems, count, 1.0 / (step->h * step->h))) {
        contact_newton_push_bodies(t, step->gravity, step->time + step->h);
        return CORD_OK;
    }
    for (int i = 0; i < count; i++) {
        implicit_step_restore_poses(&systems[i]);
    }
    return no_contact_memory(message);
}

// Limits the prediction to the motion that keeps all gaps open, and makes it the first iterate.
static void start_from_prediction(ContactNewton* t)
{
    contact_newton_update_positions(t);
    double share = contact_newton_prediction_limit(t);
    for (int i = 0; i < t->system_count && share < 1.0; i++) {
        rewind_prediction(&t->systems[i], share);
    }
    if (share < 1.0) {
        contact_newton_rewind_free_bodies(t, share);
    }
    contact_newton_accept_step(t, share);
    t->curved = share == 1.0 && contact_newton_motion(t) < CURVED_BELOW;
    t->ease = t->curved ? EASE_NEAR : 1.0;
}

// Sagittas stay as they were at the start of the step while Newton's method goes on. Where the step has bent
// a rod so much that its segments dip into a solid, they are measured anew, and Newton's method need not
// converge before that.
static CordResult solve_with_sagittas(ContactNewton* t, int* iterations, Message* message)
{
    double before = INFINITY;
    bool renews = true, dips;
    for (int n = 0;; n++) {
        CORD_TRY(newton_with_contact(t, renews, &dips, iterations, message));
        if (!contact_newton_end(t)) {
            return no_contact_memory(message);
        }
        renews &= dips_too_deep(t) && t->contacts.deepest <= FUTILE * before && n < SAGITTAS;
        if (!renews && !dips) {
            return CORD_OK;
        }
        before = t->contacts.deepest;
        if (renews) {
            contact_newton_renew_sagittas(t, n);
        }
    }
}

static CordResult solve_in_contact(ContactNewton* t, const StepInfo* step, int* iterations, Message* message)
{
    CordResult result = solve_with_sagittas(t, iterations, message);
    Message later; // the first failure is the one to tell
    for (int i = 0; i < t->system_count; i++) {
        CordResult lengths = implicit_step_check(&t->systems[i], step, result == CORD_OK ? message : &later);
        result = result == CORD_OK ? lengths : result;
    }
    CORD_TRY(result);
    return check_path(t, message);
}

// ---- overlaps at the end of the step

static void put_positions(const NewtonSystem* sys)
{
    const double origin[3] = {sys->origin.x, sys->origin.y, sys->origin.z};
    for (int i = 0; i < sys->rod_count; i++) {
        const NewtonRod* r = &sys->rods[i];
        CordCenterline* c = &r->rod->line;
        for (int k = 0; k < 3; k++) {
            for (int s = 0; s < c->slot_count; s++) {
                double x = c->w[s] > 0.0 ? r->y[k][s] + origin[k] : c->x_next[k][s];
                r->rod->shift[k][s] += x - c->x_next[k][s];
                c->x_next[k][s] = x;
            }
        }
    }
}

static void put_pose(const NewtonBody* b, CordVec3 origin)
{
    const Body* body = b->body;
    CordBodyState s = body->engine->get(body->engine_user, body->handle);
    s.position = vec3_add(b->pose.point, origin);
    s.rotation = b->pose.rotation;
    body->engine->set(body->engine_user, body->handle, &s);
}

// Moves the ends of the step by a share of the Newton step, and finds the contacts there. False: no memory.
static bool move_ends(ContactNewton* t, double share)
{
    for (int i = 0; i < t->system_count; i++) {
        newton_move(&t->systems[i], share);
        put_positions(&t->systems[i]);
        for (int k = 0; k < t->systems[i].body_count; k++) {
            put_pose(&t->systems[i].bodies[k], t->systems[i].origin);
        }
        implicit_step_restore_poses(&t->systems[i]);
    }
    contact_newton_move_free_bodies(t, share);
    for (int i = 0; i < t->body_count; i++) {
        if (t->bodies[i].is_free) {
            put_pose(&t->bodies[i].free_body, (CordVec3){0, 0, 0});
        }
    }
    contact_newton_accept_step(t, share);
    return contact_newton_end(t);
}

// What overlaps is put right by one more Newton step, which positions take and velocities do not. Where it
// would bring something else to overlap, it is taken back.
static CordResult recover_overlaps(ContactNewton* t, Message* message)
{
    double change, share, before = t->contacts.deepest;
    if (before <= RECOVERED) {
        return CORD_OK;
    }
    t->recovers = t->curved = t->is_close = true;
    t->enough = 0.0;
    contact_newton_accept_step(t, 1.0);            // check_path has gone back to the start of the step
    if (!solve_with_contact(t, &change, &share)) { // they stay as they are
        return !t->no_memory && contact_newton_end(t) ? CORD_OK : no_contact_memory(message);
    }
    bool good = move_ends(t, share);
    if (good && t->contacts.deepest > real_max(before, t->tolerance)) {
        good = move_ends(t, -share);
    }
    return good ? CORD_OK : no_contact_memory(message);
}

CordResult implicit_steps(const Island* islands, int count, ContactNewton* t, Memory* m, const StepInfo* step,
                          Arena* scratch, Message* message)
{
    NewtonSystem* systems = arena_push(scratch, NewtonSystem, count);
    size_t mark = scratch->used;
    CORD_TRY(open_islands(islands, count, false, systems, t, m, step, scratch, message));
    bool overlaps = t->contacts.deepest > t->left + MOST_OVERLAP * t->tolerance;
    if (!overlaps && !contact_newton_moves_bodies(t) &&
        step_apart(systems, islands, count, t, step, message)) {
        return CORD_OK;
    }
    for (int i = 0; i < count; i++) {
        implicit_step_restore_poses(&systems[i]);
    }
    if (overlaps) {
        return CORD_BAD_ARGUMENT;
    }
    scratch->used = mark;
    CORD_TRY(open_islands(islands, count, true, systems, t, m, step, scratch, message));
    angular_momentum_begin(t, step);
    start_from_prediction(t);
    int iterations = 0;
    CORD_TRY(solve_in_contact(t, step, &iterations, message));
    for (int i = 0; i < count; i++) {
        implicit_step_finish(&systems[i], step, iterations);
    }
    for (int i = 0; i < t->body_count; i++) {
        if (t->bodies[i].is_free) {
            implicit_step_finish_body(&t->bodies[i].free_body, t->mass, step->h, (CordVec3){0, 0, 0});
        }
    }
    CORD_TRY(recover_overlaps(t, message));
    angular_momentum_restore(t);
    return CORD_OK;
}
