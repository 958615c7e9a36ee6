// The relations, one row each, and how two runs are compared.
//
// Round-off differs between a scene and its image, and a run amplifies it. So the allowed difference is not a
// guess: the same scene is run with noise in the velocities that displaces nodes by a billionth of an element
// in one step, at the start and before the last step, and what that makes of every quantity at the end, over
// the noise, is the scene's amplification. Allowed is the amplification times the round-off of all steps. The
// noise must stay so small that its effect is proportional to it. Where even noise near round-off does not, a
// run is chaotic, and nothing is compared. A difference that is larger is compared with what the rounding of
// coordinates does to the same scene.
#include "relations.h"

#include "random.h"

#include <stdlib.h>
#include <string.h>

#define NOISE 1e-8        // of the shortest element: far above round-off, far below what is nonlinear
#define LEAST_NOISE 1e-12 // of the shortest element: near the round-off of coordinates
#define LINEAR 1e-2       // change of shapes, in elements, radians and turns, up to which it is proportional
#define ROUND_OFF 2e-16   // of one operation, relative
#define OPERATIONS 100    // roundings of the largest coordinate in a step that add up, in a kernel of bending

// ---- the base run and its amplification

static double shortest_element(const Observation* seen)
{
    double shortest = INFINITY;
    const Quantity* before = NULL;
    for (int i = 0; i < seen->count; i++) {
        const Quantity* q = &seen->all[i];
        if (q->group == OF_POSITION && before != NULL) {
            const double *a = before->value, *b = q->value;
            double apart = cord_vec3_length(cord_vec3(b[0] - a[0], b[1] - a[1], b[2] - a[2]));
            shortest = apart > 0.0 ? fmin(shortest, apart) : shortest;
        }
        before = q->group == OF_POSITION ? q : q->group == OF_TWIST ? NULL : before; // which ends a rod
    }
    return shortest;
}

static double largest_stiffness(const Scene* s)
{
    double most = 0.0;
    for (int i = 0; i < s->rod_count; i++) {
        most = fmax(most, s->rods[i].young * 4.0 * s->rods[i].size[0] * s->rods[i].size[0]);
    }
    return most;
}

static double largest_mass(const Scene* s)
{
    double most = 0.0;
    for (int i = 0; i < s->rod_count; i++) {
        const Rod* r = &s->rods[i];
        most = fmax(most, r->density * 4.0 * r->size[0] * r->size[0] / r->elements); // rods of about a metre
    }
    for (int i = 0; i < s->body_count; i++) {
        most = fmax(most, s->bodies[i].mass);
    }
    return most;
}

static bool is_finite(const Observation* seen)
{
    for (int i = 0; i < seen->count; i++) {
        const double* x = seen->all[i].value;
        if (!isfinite(x[0] + x[1] + x[2])) {
            return false;
        }
    }
    return true;
}

static void say(Verdict* v, Finding finding, const char* what, const Outcome* o)
{
    v->finding = finding;
    snprintf(v->text, sizeof v->text, "%s: step %d: %.480s", what, o->steps, o->message);
}

// Whether noise was amplified to so much that more of it would have had no more effect.
static bool is_saturated(const Distance* d, double element)
{
    return !(d->error[OF_POSITION] <= LINEAR * element && d->error[OF_BODY_POSITION] <= LINEAR * element &&
             d->error[OF_FRAME] <= LINEAR && d->error[OF_TWIST] <= LINEAR &&
             d->error[OF_BODY_AXIS] <= LINEAR);
}

Finding subject_prepare(Subject* u, const Scene* s, Verdict* v)
{
    static Outcome calm, noisy;
    RunDef def = run_def();
    u->scene = *s;
    scene_run(s, &def, &u->base);
    if (u->base.refused || u->base.result != CORD_OK) {
        say(v, u->base.refused ? REFUSED : RUN_FAILS, "as it is", &u->base);
        return v->finding;
    }
    u->element = shortest_element(&u->base.seen), u->mass = largest_mass(s), u->EA = largest_stiffness(s),
    u->extent = 0.0, u->is_chaotic = false;
    for (int i = 0; i < u->base.seen.count; i++) {
        const Quantity* q = &u->base.seen.all[i];
        for (int k = 0; k < 3 && q->nature == POINT; k++) {
            u->extent = fmax(u->extent, fabs(q->value[k]));
        }
    }
    if (!is_finite(&u->base.seen)) {
        say(v, FAILS, "the run succeeds, and what it tells is not finite", &u->base);
        return FAILS;
    }
    double share = NOISE;
    for (int k = 0; k < 2; k++) { // at the start, and before the last step
        def.noise_at = k == 0 ? 0 : s->steps - 1;
        def.noise = 0.0, scene_run(s, &def, &calm);
        Distance d;
        do {
            def.noise = share * u->element, scene_run(s, &def, &noisy);
            if (calm.result != CORD_OK || noisy.result != CORD_OK || calm.seen.count != noisy.seen.count) {
                say(v, RUN_FAILS, "with noise", calm.result != CORD_OK ? &calm : &noisy);
                return RUN_FAILS;
            }
            d = observation_distance(&calm.seen, &noisy.seen);
            share *= is_saturated(&d, u->element) ? 1e-2 : 1.0;
        } while (share * u->element < def.noise && share >= LEAST_NOISE);
        u->is_chaotic |= share < LEAST_NOISE;
        for (int g = 0; g < GROUPS; g++) {
            double amplification = d.error[g] / def.noise;
            u->amplification[g] = k == 0 ? amplification : fmax(u->amplification[g], amplification);
        }
    }
    return HOLDS;
}

// ---- comparison

// What a step leaves open, as a displacement of nodes [m]: round-off of the largest coordinate, and where a
// stepper iterates its own tolerance.
static double noise_of_step(const Subject* u, double extent)
{
    const Scene* s = &u->scene;
    double noise = OPERATIONS * ROUND_OFF * extent, share = 0.0;
    for (int i = 0; i < s->rod_count; i++) {
        const Rod* r = &s->rods[i];
        if (rod_is_implicit(r) || s->weld_count > 0 || s->joint_count > 0) {
            share = fmax(share, s->contact ? 1e-8 : 1e-13); // of an edge: Newton's method ends
        }
        if (rod_is_position_based(r)) {
            share = fmax(share, 1e-12); // of an edge, by the key tolerance; sweeps have round-off alone
        }
        if (r->inextensible) {
            share = fmax(share, 1e-12); // of the square of an edge
        }
        if (r->model == CORD_MODEL_CORDE || r->dynamic_twist || !rod_is_round(r) || r->rest != STRAIGHT) {
            share = fmax(share, 1e-12); // rad: frames in equilibrium, by Newton's method to 1e-6 squared
        }
        if (r->adaptive) {
            share = fmax(share, 1e-8); // of an edge: where the energy of new nodes is least
        }
        if (r->model == CORD_MODEL_MODAL) {
            share = fmax(share, 3e-6); // eigenvalues to 1e-13, and so their vectors to the root of that
        }
    }
    bool explicit_contact = s->contact && !rod_is_implicit(&s->rods[0]);
    share = explicit_contact ? fmax(share, s->contact_tolerance * s->rods[0].size[0] / u->element) : share;
    return noise + share * u->element;
}

// What a displacement of nodes within a step is as a quantity of that unit: a velocity is displacement over
// the step, a twist is displacement over an element. A force is mass times displacement over the square of
// the step, or stiffness times strain.
static double in_unit(const Subject* u, Unit unit, double displacement)
{
    double inertial =
        displacement * pow(u->element, unit.L - 1) * pow(u->mass, unit.M) * pow(u->scene.step, unit.T);
    double EA = fmax(u->EA, u->base.EA);
    double stiffness = unit.M == 0 ? 0.0 : EA * pow(u->element, unit.L - 2) * displacement;
    return inertial + stiffness;
}

// What becomes of the rounding of coordinates, once before every step, by the end of the run. A saddle, a
// step far beyond what it resolves, or a decision on the way amplifies it by more than noise at the start and
// at the end. False: such a run fails, or changes its nodes.
static bool rounding_distance(const Subject* u, double extent, Distance* d)
{
    static Outcome calm, rounded;
    RunDef def = run_def();
    def.sets_positions = true, scene_run(&u->scene, &def, &calm);
    def.far = extent, scene_run(&u->scene, &def, &rounded);
    if (calm.result != CORD_OK || rounded.result != CORD_OK || calm.seen.count != rounded.seen.count) {
        return false;
    }
    *d = observation_distance(&calm.seen, &rounded.seen);
    return true;
}

static void compare_allowed(unsigned skip, const Distance* d, const double allowed[GROUPS], Verdict* v)
{
    v->ratio = 0.0;
    for (int g = 0; g < GROUPS; g++) {
        double ratio = d->error[g] > 0.0 ? d->error[g] / allowed[g] : 0.0;
        if (!(skip >> g & 1) && !(ratio <= v->ratio)) {
            v->ratio = ratio, v->group = (Group)g;
            snprintf(v->text, sizeof v->text, "%s off by %.3g of %.3g, allowed %.3g", group_names[g],
                     d->error[g], d->scale[g], allowed[g]);
        }
    }
    v->finding = v->ratio <= 1.0 ? HOLDS : FAILS;
}

// Where the noise does not explain a difference, the rounding of coordinates may: the roundings of a step, of
// which one is measured, add up by chance, in both runs.
void compare_near(unsigned skip, const Subject* u, const Observation* expected, const Observation* seen,
                  double extent, Verdict* v)
{
    Distance d = observation_distance(expected, seen), rounding;
    double noise = noise_of_step(u, extent) * u->scene.steps, floor[GROUPS] = {0}, allowed[GROUPS];
    bool position = false; // springs of inextensible rods are 1e10 times as stiff as inertia: the page of pbd
    for (int i = 0; i < u->scene.rod_count; i++) {
        position |= rod_is_position_based(&u->scene.rods[i]);
    }
    for (int i = 0; i < seen->count; i++) {
        Unit unit = seen->all[i].unit;
        floor[seen->all[i].group] =
            in_unit(u, unit, position && unit.M > 0 ? fmax(noise, 1e-5 * u->element) : noise);
    }
    for (int g = 0; g < GROUPS; g++) {
        allowed[g] = noise * u->amplification[g] + OPERATIONS * ROUND_OFF * d.scale[g] + floor[g];
    }
    compare_allowed(skip, &d, allowed, v);
    if (v->finding == FAILS && rounding_distance(u, extent, &rounding)) {
        for (int g = 0; g < GROUPS; g++) {
            allowed[g] += sqrt(2.0 * OPERATIONS) * rounding.error[g];
        }
        compare_allowed(skip, &d, allowed, v);
        v->finding = is_saturated(&rounding, u->element) ? CHAOTIC : v->finding;
    }
}

static void compare_exact(const Observation* expected, const Observation* seen, Verdict* v)
{
    Distance d = observation_distance(expected, seen);
    v->finding = HOLDS, v->ratio = 0.0;
    for (int g = 0; g < GROUPS; g++) {
        if (d.error[g] > 0.0 && !(d.error[g] / d.scale[g] <= v->ratio)) {
            v->finding = FAILS, v->ratio = d.error[g] / d.scale[g], v->group = (Group)g;
            snprintf(v->text, sizeof v->text, "%s off by %.3g of %.3g, must be the same bits", group_names[g],
                     d.error[g], d.scale[g]);
        }
    }
}

void transform_observation(Observation* o, const Change* c)
{
    for (int i = 0; i < o->count; i++) {
        Quantity* q = &o->all[i];
        isometry_apply(&c->isometry, q->nature, q->value);
    }
}

static void restore_units(Observation* o, const Units* u)
{
    Units back = {1.0 / u->L, 1.0 / u->M, 1.0 / u->T};
    for (int i = 0; i < o->count; i++) {
        units_apply(&back, o->all[i].unit, o->all[i].nature, o->all[i].value);
    }
}

static const Change no_change = {{{0, 0, 0, 1}, false, {0, 0, 0}}, {1, 1, 1}};

void relation_check(const Relation* r, const Subject* u, Verdict* v)
{
    static Outcome image;
    static Observation expected;
    static Scene scene;
    if (r->check != NULL) {
        r->check(u, v);
        return;
    }
    scene = u->scene;
    Change change = r->transform != NULL ? r->transform(&scene, u->scene.seed) : no_change;
    RunDef def = r->run != NULL ? r->run(u->scene.seed) : run_def();
    scene_run(&scene, &def, &image);
    if (image.refused && strstr(image.message, "must be at ") != NULL) {
        v->finding = REFUSED; // a range of the scene file
        return;
    }
    if (image.refused || image.result != CORD_OK) {
        say(v, FAILS, image.refused ? "the image is refused" : "the image fails", &image);
        v->ratio = INFINITY;
        return;
    }
    if (!r->exact && !u->is_chaotic && (image.retries == 0) != (u->base.retries == 0)) {
        snprintf(v->text, sizeof v->text,
                 "%ld steps are taken in parts or run out of iterations, and %ld were", (long)image.retries,
                 (long)u->base.retries);
        v->finding = FAILS, v->ratio = INFINITY;
        return;
    }
    if (!r->exact && (u->is_chaotic || image.retries > 0)) {
        v->finding = u->is_chaotic ? CHAOTIC : RETRIED;
        return;
    }
    expected = u->base.seen;
    transform_observation(&expected, &change);
    restore_units(&image.seen, &change.units);
    if (expected.count != image.seen.count) {
        snprintf(v->text, sizeof v->text, "%d quantities instead of %d", image.seen.count, expected.count);
        v->finding = FAILS, v->ratio = INFINITY;
    } else if (r->exact) {
        compare_exact(&expected, &image.seen, v);
        if (v->finding == HOLDS && r->transform == NULL && image.hash != u->base.hash) {
            v->finding = FAILS, v->ratio = 0.0;
            snprintf(v->text, sizeof v->text, "the hash of the state differs");
        }
    } else {
        compare_near(r->skip, u, &expected, &image.seen, u->extent + cord_vec3_length(change.isometry.shift),
                     v);
    }
}

// ---- transformations

static Change rotate(Scene* s, uint64_t seed)
{
    Change c = no_change;
    CordVec3 axis = random_vec3(&seed, 1.0);
    c.isometry.rotation = cord_quat_about(axis, random_in(&seed, 0.3, 3.0));
    scene_move(s, &c.isometry);
    return c;
}

static Change mirror(Scene* s, uint64_t seed)
{
    (void)seed;
    Change c = no_change;
    c.isometry.mirror = true;
    scene_move(s, &c.isometry);
    return c;
}

static Change translate_by(Scene* s, uint64_t seed, double distance)
{
    Change c = no_change;
    c.isometry.shift = cord_vec3_scale(cord_vec3_unit(random_vec3(&seed, 1.0)), distance);
    scene_move(s, &c.isometry);
    return c;
}

static Change translate_near(Scene* s, uint64_t seed)
{
    return translate_by(s, seed, 1.0);
}

static Change translate_far(Scene* s, uint64_t seed)
{
    return translate_by(s, seed, 1e5);
}

// Powers of 16: products, quotients and square roots of numbers in these units are the same but for the
// exponent. Most runs are the same to the bit; matrices that mix lengths and angles choose other pivots.
// Densities stay within a factor of 16, since scene files refuse what cannot be meant.
static Change units(Scene* s, uint64_t seed)
{
    Change c = no_change;
    c.units.L = ldexp(1.0, 4 * (random_int(&seed, 3) - 1));
    c.units.T = ldexp(1.0, 4 * (random_int(&seed, 3) - 1));
    c.units.M = c.units.L * c.units.L * c.units.L * ldexp(1.0, 4 * (random_int(&seed, 3) - 1));
    scene_scale(s, &c.units);
    return c;
}

static Change renumber(Scene* s, uint64_t seed)
{
    scene_renumber(s, seed + 5);
    return no_change;
}

static Change rename_all(Scene* s, uint64_t seed)
{
    (void)seed;
    scene_rename(s);
    return no_change;
}

static Change reverse(Scene* s, uint64_t seed)
{
    (void)seed;
    scene_reverse(s);
    return no_change;
}

// ---- runs

static RunDef in_threads(uint64_t seed)
{
    RunDef def = run_def();
    (void)seed;
    def.threads = 2;
    return def;
}

static RunDef in_many(uint64_t seed)
{
    RunDef def = run_def();
    def.many = true, def.seed = seed;
    return def;
}

static RunDef in_splits(uint64_t seed)
{
    RunDef def = run_def();
    def.splits = 3, def.seed = seed;
    return def;
}

// ---- where relations apply

static bool is_loose(const Scene* s) // no sum depends on the order of rods, clamps and loads
{
    for (int i = 0; i < s->load_count; i++) {
        for (int k = 0; k < i; k++) {
            if (s->loads[i].rod == s->loads[k].rod || s->loads[i].rod < 0 || s->loads[k].rod < 0) {
                return false;
            }
        }
    }
    return !s->contact && s->joint_count == 0 && s->weld_count == 0;
}

static bool is_coupled(const Scene* s)
{
    return !is_loose(s);
}

// Vortices have axes and an origin of their own.
static bool is_isotropic(const Scene* s)
{
    for (int i = 0; i < s->load_count; i++) {
        if (s->loads[i].vortex > 0.0) {
            return false;
        }
    }
    return true;
}

// A stiff spring in place of a constraint.
static bool is_stiffened(const Rod* r)
{
    return rod_is_position_based(r) && r->inextensible;
}

// The frame of the first edge, `twist` from there on and the rest shape's frame are given at one end, so that
// a reversed rod is the same one only if it is round and straight by nature, or free of stress as it is.
static bool is_reversible(const Scene* s)
{
    for (int i = 0; i < s->rod_count; i++) {
        const Rod* r = &s->rods[i];
        bool straight = r->rest == STRAIGHT && rod_is_round(r);
        bool free = r->rest == AS_SHAPED && r->twist == r->rest_twist &&
                    (rod_is_round(r) || (r->frame == FRAME_TOWARD && r->rest_twist == 0.0));
        bool sweeps = rod_is_position_based(r) && (r->weights || r->sweeps); // along the rod
        if ((!straight && !free) || sweeps || r->adaptive) {                 // nodes are taken in one by one
            return false;
        }
    }
    // friction where two edges touch with the node that they share has several solutions: their order chooses
    return !s->contact;
}

// ---- the order of the error

static double position_distance(const Outcome* a, const Outcome* b)
{
    return observation_distance(&a->seen, &b->seen).error[OF_POSITION];
}

// Internal damping of explicit rods, drag and springs are of first order, as the pages of the models say.
int order_of(const Scene* s)
{
    const Rod* r = &s->rods[0];
    bool first = r->integrator == CORD_INTEGRATOR_SYMPLECTIC_EULER ||
                 r->integrator == CORD_INTEGRATOR_BACKWARD_EULER || rod_is_position_based(r) ||
                 r->fast_projection || s->load_count > 0 || r->model == CORD_MODEL_MODAL;
    return first || (r->damping_time > 0.0 && !rod_is_implicit(r)) ? 1 : 2;
}

#define MOST_REFINEMENTS 5 // half the step each; explicit rods then resolve waves that were at their limit

// With half the step, and half of that, differences must shrink by 2 to the order, less a third for terms of
// higher order. They are compared where they are above round-off and so small that the leading term counts.
// Steps near the stability limit may be outside that range: a wave that they cannot resolve is off by its
// phase. So the step is halved further until the order shows, and the relation fails if it never does.
static void check_order(const Subject* u, Verdict* v)
{
    static Outcome run[2];
    static Scene finer;
    RunDef def = run_def();
    double least = pow(2.0, order_of(&u->scene)) / 1.5, coarse = 0.0;
    finer = u->scene, run[0] = u->base;
    v->finding = NOT_TESTED;
    for (int k = 1; k <= MOST_REFINEMENTS + 1; k++) {
        finer.step *= 0.5, finer.steps *= 2, scene_run(&finer, &def, &run[k % 2]);
        if (run[k % 2].result != CORD_OK || run[k % 2].retries + u->base.retries > 0) {
            v->finding = run[k % 2].result != CORD_OK ? RUN_FAILS : RETRIED;
            return;
        }
        double fine = position_distance(&run[0], &run[1]), shrinks = coarse / fine;
        if (k == 1 ? !(fine < 1e-3 * u->element) : !(fine > 1e-9 * u->element)) {
            return;
        }
        if (k > 1) {
            v->finding = shrinks >= least ? HOLDS : FAILS, v->ratio = least / shrinks, v->group = OF_POSITION;
            snprintf(v->text, sizeof v->text,
                     "a step of %.3g s changes positions by %.3g m, half of it by %.3g m: %.2f times less, "
                     "order %d",
                     2.0 * finer.step, coarse, fine, shrinks, order_of(&u->scene));
        }
        if (v->finding == HOLDS) {
            return;
        }
        coarse = fine;
    }
}

// ---- equilibria

CordWorld* solved(const Scene* s, CordSolveReport* report, Verdict* v)
{
    char message[512];
    CordSolveDef def = cord_solve_def_default();
    CordWorld* world = scene_world(s, 0, message);
    CordResult result = world != NULL ? cord_world_solve(world, &def, report) : CORD_BAD_FILE;
    v->finding = world != NULL ? RUN_FAILS : REFUSED;
    if (result == CORD_OK) {
        return world;
    }
    snprintf(v->text, sizeof v->text, "%.500s", world != NULL ? cord_world_message(world) : message);
    cord_world_destroy(world);
    return NULL;
}

// At rest, what the rods do to their clamps is their weight and the forces that act on them.
static void check_reactions(const Subject* u, Verdict* v)
{
    const Scene* s = &u->scene;
    CordSolveReport report;
    CordWorld* world = solved(s, &report, v);
    if (world == NULL) {
        return;
    }
    CordVec3 left = {0, 0, 0};
    double most = 0.0;
    for (int i = 0; i < s->rod_count; i++) {
        left = cord_vec3_madd(left, s->gravity, cord_rod_mass(world, cord_world_rod(world, i)));
    }
    for (int i = 0; i < s->load_count; i++) {
        left = cord_vec3_add(left, s->loads[i].force);
    }
    most = cord_vec3_length(left);
    for (int i = 0; i < s->clamp_count; i++) {
        CordVec3 force, torque;
        cord_clamp_reaction(world, cord_world_clamp(world, i), &force, &torque);
        left = cord_vec3_sub(left, force), most = fmax(most, cord_vec3_length(force));
    }
    cord_world_destroy(world);
    // each node may keep the residual that the solve reports
    double nodes = s->rods[0].elements + 1.0,
           allowed = nodes * report.residual + 1e-10 * most + 1e-14 * u->EA;
    v->ratio = cord_vec3_length(left) / allowed, v->finding = v->ratio <= 1.0 ? HOLDS : FAILS,
    v->group = OF_CLAMP_FORCE;
    snprintf(v->text, sizeof v->text, "reactions lack %.3g N of %.3g N, allowed %.3g N",
             cord_vec3_length(left), most, allowed);
}

// The equilibrium of a scene that is turned as a whole is turned with it. Of several the same one must be
// found, since a solve starts from the same shape; its seed pushes by node, and the push turns with the rod.
static void check_solve(const Subject* u, Verdict* v)
{
    static Observation straight, turned;
    static Scene image;
    CordSolveReport report, other;
    image = u->scene;
    Change change = rotate(&image, u->scene.seed);
    CordWorld* world = solved(&u->scene, &report, v);
    if (world == NULL) {
        return;
    }
    scene_observe(&u->scene, world, &straight);
    cord_world_destroy(world);
    world = solved(&image, &other, v);
    if (world == NULL) {
        v->finding = FAILS, v->ratio = INFINITY;
        return;
    }
    scene_observe(&image, world, &turned);
    cord_world_destroy(world);
    transform_observation(&straight, &change);
    double off = observation_distance(&straight, &turned).error[OF_POSITION];
    double allowed =
        1e-5 * u->extent; // forces to 1e-9 of the largest, in rods up to 1e4 times as soft as stiff
    v->ratio = off / allowed, v->finding = v->ratio <= 1.0 ? HOLDS : FAILS, v->group = OF_POSITION;
    snprintf(v->text, sizeof v->text, "the equilibrium is off by %.3g m, allowed %.3g m", off, allowed);
}

static bool is_steady(const Scene* s) // stiff springs in place of constraints leave reactions noisy
{
    return !is_stiffened(&s->rods[0]) && s->rods[0].model != CORD_MODEL_MODAL &&
           !(s->rods[0].model == CORD_MODEL_PBD && s->rods[0].weights);
}

// Implicit and position-based steps leave waves unresolved, whose error has no order.
static bool is_smooth(const Scene* s)
{
    const Rod* r = &s->rods[0];
    return r->model != CORD_MODEL_MODAL && !rod_is_implicit(r) && !rod_is_position_based(r);
}

// A rod that is straight, curved by nature and has no frame held leaves its frames without an equilibrium at
// the start. They find one as it begins to bend, in ever shorter times the shorter the step is: each octave
// of them changes positions by as much as the one before (seed 24311: 1.2e-6 m for each of ten halvings), and
// the force of the first step is one of frames that turn at once (seed 26440).
static bool has_order(const Scene* s)
{
    bool held = false;
    for (int i = 0; i < s->clamp_count; i++) {
        held |= s->clamps[i].fix == CORD_FIX_FRAME && isnan(s->clamps[i].torque);
    }
    return is_smooth(s) && (held || s->rods[0].rest != REST_SHAPE || s->rods[0].shape.kind != LINE);
}

// A frame toward a direction that lies in the plane of an arc turns about the tangent within an element where
// both point the same way, whatever the number of elements. A rod that is held straight at both ends and is
// curved by nature may find one of several shapes, by the frame of its first edge.
static bool is_even(const Scene* s)
{
    const Rod* r = &s->rods[0];
    return is_steady(s) && !(r->frame == FRAME_TOWARD && r->shape.kind == CIRCLE) &&
           !(r->rest == REST_SHAPE && s->clamp_count > 1);
}

// The model is the same in both: that of explicit corde rods has a penalty, and the frames of a rod that is
// straight and curved by nature have several equilibria.
static bool has_two_integrators(const Scene* s)
{
    const Rod* r = &s->rods[0];
    return is_smooth(s) && r->model == CORD_MODEL_DER && !r->fast_projection && !r->dynamic_twist &&
           r->rest != REST_SHAPE;
}

#define FRAMES (1u << OF_FRAME)

const Relation relations[] = {
    // to the bit
    {.name = "threads", .run = in_threads, .exact = true},
    {.name = "many", .run = in_many, .exact = true},
    {.name = "split", .run = in_splits, .exact = true},
    {.name = "rename", .transform = rename_all, .exact = true},
    {.name = "renumber", .applies = is_loose, .transform = renumber, .exact = true},
    // to round-off, amplified: at 1e5 m, that of coordinates there
    {.name = "units", .transform = units},
    {.name = "rotate", .applies = is_isotropic, .transform = rotate},
    {.name = "mirror", .applies = is_isotropic, .transform = mirror},
    {.name = "translate", .applies = is_isotropic, .transform = translate_near},
    {.name = "translate_far", .applies = is_isotropic, .transform = translate_far},
    {.name = "reorder", .applies = is_coupled, .transform = renumber},
    {.name = "reverse", .applies = is_reversible, .transform = reverse, .skip = FRAMES},
    {.name = "symmetry", .manner = SYMMETRIC, .check = check_symmetry},
    // to the residual of a solve, 1e-9 of the largest force
    {.name = "reactions", .manner = STILL, .applies = is_steady, .check = check_reactions},
    {.name = "solve", .manner = STILL, .applies = is_steady, .check = check_solve},
    {.name = "settle", .manner = STILL, .applies = is_steady, .check = check_settle},
    // to round-off where it is kept, else to a share that shrinks
    {.name = "balance", .applies = has_balance, .check = check_balance},
    // to 1e-4: more than the square of the amplitude over the radius
    {.name = "spectrum", .manner = STILL, .applies = has_spectrum, .check = check_spectrum},
    // by the order of the integrator, or in the element
    {.name = "order", .manner = TAME, .applies = has_order, .check = check_order},
    {.name = "balance_order", .manner = TAME, .applies = has_order, .check = check_balance_order},
    {.name = "integrators", .manner = TAME, .applies = has_two_integrators, .check = check_integrators},
    {.name = "elements", .manner = STILL, .applies = is_even, .check = check_elements},
    {.name = "models", .manner = STILL, .applies = is_even, .check = check_models},
    {0}};

const char* const finding_names[FINDINGS] = {
    [HOLDS] = "held",      [FAILS] = "failed",    [NOT_TESTED] = "out of range", [LEFT_OUT] = "left out",
    [REFUSED] = "refused", [RUN_FAILS] = "fails", [RETRIED] = "retried",         [CHAOTIC] = "chaotic"};
