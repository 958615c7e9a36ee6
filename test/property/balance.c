// Balances in motion, from the ledger (docs/ledger.md): what the energy and the momenta of a world change by
// is the work and the impulses of those that act on it, at every frame.
#include "relations.h"

#include <cordage/ledger.h>

#include <string.h>

// Velocities of held nodes are read half a step ahead, and are wrong for two steps after a motion has jumped.
// What is unaccounted for is what still is after that.
enum { WINDOW = 4 };

typedef struct Balance {                // largest over all frames
    bool done;                          // the run came to its end
    bool unfinished;                    // a step ran out of iterations, of which `run` tells
    double gained;                      // energy that nothing accounts for [J]
    double turnover;                    // [J]
    double linear, angular;             // momentum that no impulse accounts for [N s], [N m s]
    double linear_scale, angular_scale; // momentum and impulses
    double last[3][WINDOW];             // of gained, linear, angular
    double off;                         // of energy, either way and at once [J]
} Balance;

static double persistent(double last[WINDOW], int frame, double now)
{
    double least = now;
    last[frame % WINDOW] = now;
    for (int i = 0; i < WINDOW; i++) {
        least = fmin(least, last[i]);
    }
    return least;
}

static void balance_frame(Balance* b, int frame, const CordLedger* l)
{
    double linear = cord_vec3_length(l->momentum.linear), angular = cord_vec3_length(l->momentum.angular);
    for (int i = 0; i + 1 < l->entry_count; i++) {
        linear += cord_vec3_length(l->entries[i].done.impulse);
        angular += cord_vec3_length(l->entries[i].done.angular);
    }
    b->gained = fmax(b->gained, persistent(b->last[0], frame, l->error));
    b->linear = fmax(b->linear, persistent(b->last[1], frame, cord_vec3_length(l->linear_error)));
    b->angular = fmax(b->angular, persistent(b->last[2], frame, cord_vec3_length(l->angular_error)));
    b->turnover = fmax(b->turnover, l->turnover), b->off = fmax(b->off, fabs(l->error));
    b->linear_scale = fmax(b->linear_scale, linear), b->angular_scale = fmax(b->angular_scale, angular);
}

static Balance balance_of(const Scene* s)
{
    char message[512];
    CordLedger ledger;
    Balance b = {0};
    CordWorld* world = scene_world(s, 0, message);
    bool ok = world != NULL && cord_ledger_open(world) == CORD_OK;
    for (int i = 0; i < s->steps && ok; i++) {
        ok = cord_world_step(world, s->step) == CORD_OK && cord_ledger_read(world, &ledger) == CORD_OK;
        if (ok) {
            balance_frame(&b, i, &ledger);
        }
    }
    b.done = ok;
    b.unfinished = world != NULL && cord_world_step_report(world).unfinished_in_all > 0;
    cord_world_destroy(world);
    return b;
}

// ---- what must hold

#define BOUND 0.05 // of what was turned over: the share at which `run` warns
#define LOOSE 0.5  // the share at which it stops: the midpoint rule leaves waves unresolved
#define KEPT 1e-11 // round-off of the sums over nodes and steps, and tolerances of Newton's method

static bool every_rod(const Scene* s, bool (*is)(const Rod* r))
{
    for (int i = 0; i < s->rod_count; i++) {
        if (!is(&s->rods[i])) {
            return false;
        }
    }
    return true;
}

// Only forces that are the same in every step act from outside.
static bool is_left_alone(const Scene* s)
{
    for (int i = 0; i < s->load_count; i++) {
        if (s->loads[i].kind != CORD_LOAD_FORCE || !isnan(s->loads[i].from)) {
            return false;
        }
    }
    return s->clamp_count == 0 && !s->contact;
}

static bool has_load(const Scene* s, CordLoadKind kind)
{
    for (int i = 0; i < s->load_count; i++) {
        if (s->loads[i].kind == kind) {
            return true;
        }
    }
    return false;
}

// The power of springs is read at the end of a step, and not where the step has it, which predicts how far
// they stretch. In substeps that is so of all loads but steady forces.
static bool has_spring(const Scene* s)
{
    return has_load(s, CORD_LOAD_SPRING);
}

static bool turns_along(const Rod* r) // a step that is turned as a whole has the same angular momentum
{
    return !loses_energy(r) && !r->dynamic_twist && r->integrator != CORD_INTEGRATOR_SYMPLECTIC_EULER;
}

static bool resolves(const Rod* r) // waves along the rod
{
    return !rod_is_implicit(r) && !rod_is_position_based(r);
}

// Sweeps end before they converge, and weights are no stiffness: what stretches and bends is not what pulls.
static bool is_approximate(const Rod* r)
{
    return r->model == CORD_MODEL_MODAL || (rod_is_position_based(r) && (r->weights || r->sweeps));
}

// Fast projection takes and gives back what bends the rod, as symplectic Euler does.
static bool makes_no_energy(const Rod* r)
{
    return loses_energy(r) && !(r->inextensible && r->fast_projection);
}

static bool knows_losses(const Rod* r) // its steps solve for forces, and tell all that follows from them
{
    return rod_is_implicit(r) ||
           (rod_is_position_based(r) && !r->dynamic_twist && !r->inextensible && r->substeps == 1);
}

// Sliding clamps of position-based rods are heavy, and not held: what they bear has an error of 1e-6.
static bool slides_on_heavy_nodes(const Scene* s)
{
    for (int i = 0; i < s->clamp_count; i++) {
        if (!isnan(s->clamps[i].free_along.x) && rod_is_position_based(&s->rods[s->clamps[i].rod])) {
            return true;
        }
    }
    return false;
}

// What a clamp does to a position-based rod is read at the end of a step: in the substeps before, it has
// moved against other forces.
static bool moves_in_substeps(const Scene* s)
{
    for (int i = 0; i < s->clamp_count; i++) {
        const Rod* r = &s->rods[s->clamps[i].rod];
        if (s->clamps[i].motion_count > 0 && rod_is_position_based(r) && r->substeps > 1) {
            return true;
        }
    }
    return false;
}

typedef struct Part { // of the balance
    const char* name;
    Group group;          // that is nearest to it
    double coarse, scale; // unaccounted for, and turned over
    double fine;          // with a quarter of the step
    double share;         // of what was turned over that is allowed, or
    bool shrinks;         // fine is at the most half of coarse
    double round_off;     // that is allowed besides
} Part;

static void judge(const Part* p, Verdict* v)
{
    double allowed = p->share * p->scale + p->round_off;
    double ratio = fmin(p->coarse / allowed, p->shrinks ? 2.0 * p->fine / p->coarse : INFINITY);
    if (p->coarse > 0.0 && !(ratio <= v->ratio)) {
        v->ratio = ratio, v->group = p->group;
        snprintf(v->text, sizeof v->text, "%s: %.3g of %.3g is unaccounted for, allowed %.3g", p->name,
                 p->coarse, p->scale, allowed);
        size_t end = strlen(v->text);
        if (p->shrinks) {
            snprintf(v->text + end, sizeof v->text - end, "; with a quarter of the step %.3g", p->fine);
        }
    }
}

// Momentum is kept to round-off where nothing but steady forces acts, angular momentum if also the integrator
// turns with the rod. Steps that lose energy make none. All else is within a bound, or shrinks with the step.
void check_balance(const Subject* u, Verdict* v)
{
    static Scene finer;
    const Scene* s = &u->scene;
    Balance b = balance_of(s), c = {0};
    v->finding = NOT_TESTED, v->ratio = 0.0, v->group = OF_ENERGY;
    if (!b.done) {
        return;
    }
    bool fixed = !s->contact && s->body_count + s->joint_count == 0 && !slides_on_heavy_nodes(s);
    bool told = fixed && every_rod(s, knows_losses) && !has_spring(s) && !b.unfinished;
    bool lossy = fixed && every_rod(s, makes_no_energy) && !has_spring(s) && !has_load(s, CORD_LOAD_DRAG) &&
                 !has_load(s, CORD_LOAD_TORQUE) && !moves_in_substeps(s);
    bool resolved = every_rod(s, resolves);
    bool linear = told || is_left_alone(s), angular = told || (linear && every_rod(s, turns_along));
    double most = resolved ? BOUND : LOOSE;
    bool inexact = b.gained > most * b.turnover || b.linear > BOUND * b.linear_scale ||
                   b.angular > BOUND * b.angular_scale;
    if (inexact) {
        finer = *s, finer.step *= 0.25, finer.steps *= 4;
        c = balance_of(&finer);
    }
    // Of forces, and of lengths that are kept, over the run. Newton's method ends at a change of 1e-7 of an
    // edge and leaves about its square, position-based steps leave 1e-12.
    double round_off = (told ? 1e-12 : 2e-14) * u->EA * s->steps;
    double impulse = round_off * s->step + 1e-12 * u->mass * u->element / s->step * s->steps;
    const Part parts[] = {{"energy", OF_ENERGY, told ? b.off : b.gained, b.turnover, c.gained,
                           told || lossy ? KEPT : most, !told && !lossy, round_off * u->element},
                          {"momentum", OF_VELOCITY, b.linear, b.linear_scale, c.linear, linear ? KEPT : BOUND,
                           !linear, impulse},
                          {"angular momentum", OF_BODY_SPIN, b.angular, b.angular_scale, c.angular,
                           angular ? KEPT : BOUND, !angular, impulse * u->extent}};
    judge(&parts[0], v);
    if (resolved || linear) { // forces of waves that are not resolved are not those that a step has used
        judge(&parts[1], v);
    }
    if ((resolved && !s->contact) || angular) { // friction acts on surfaces, and sections take up its moment
        judge(&parts[2], v);
    }
    v->finding = v->ratio <= 1.0 ? HOLDS : FAILS;
}

// ---- the order

// With one reading a step, the energy that is unaccounted for is of the order of the integrator, less a third
// for terms of higher order. It is compared where it is above round-off, and so small that the leading term
// counts.
void check_balance_order(const Subject* u, Verdict* v)
{
    static Scene finer;
    Balance b[3];
    finer = u->scene;
    v->finding = NOT_TESTED, v->group = OF_ENERGY;
    for (int i = 0; i < 3; i++) {
        b[i] = balance_of(&finer);
        finer.step *= 0.5, finer.steps *= 2;
        if (!b[i].done) {
            return;
        }
    }
    if (!(b[1].off < 0.05 * b[1].turnover && b[2].off > 1e-9 * b[2].turnover)) {
        return;
    }
    double shrinks = b[1].off / b[2].off, least = pow(2.0, order_of(&u->scene)) / 1.5;
    v->finding = shrinks >= least ? HOLDS : FAILS, v->ratio = least / shrinks;
    snprintf(
        v->text, sizeof v->text,
        "%.3g J of %.3g are unaccounted for, %.3g with half the step, %.3g with a quarter: %.2f times less, "
        "order %d",
        b[0].off, b[0].turnover, b[1].off, b[2].off, shrinks, order_of(&u->scene));
}

bool has_balance(const Scene* s)
{
    for (int i = 0; i < s->rod_count; i++) {
        if (is_approximate(&s->rods[i])) {
            return false;
        }
    }
    return true;
}
