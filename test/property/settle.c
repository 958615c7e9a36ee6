// The rest of a damped run is an equilibrium that a solve leaves where it is, and a stable equilibrium that a
// solve has found is where a damped run comes back to.
#include "relations.h"

#include "random.h"

// Of the rod's slowest vibration, about [rad/s]: the first one of a cantilever.
static double slowest(const Scene* s, double length)
{
    const Rod* r = &s->rods[0];
    double thin = r->section == TUBE ? r->size[0] : fmin(r->size[0], r->size[1]);
    thin = r->section == RECTANGLE ? 0.5 * thin : thin;
    return 3.5 * 0.5 * thin / (length * length) * sqrt(r->young / r->density);
}

// Leaves out what keeps a rod from coming to rest in a few thousand steps: drag damps no spin of frames, the
// midpoint rule damps no waves that it does not resolve, explicit damping makes steps short, sweeps end
// before they converge, and the rest of fast projection, and that of symplectic Euler where lengths are kept,
// is of first order in the step.
static void make_calm(Rod* r)
{
    r->dynamic_twist = r->explicit_orientations = r->sweeps = r->fast_projection = false;
    r->iterations = 100;
    r->velocity = r->spin = cord_vec3(0, 0, 0);
    if (r->integrator == CORD_INTEGRATOR_MIDPOINT) {
        r->integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    }
    if (r->integrator == CORD_INTEGRATOR_SYMPLECTIC_EULER && r->inextensible) {
        r->integrator = CORD_INTEGRATOR_VERLET;
    }
    r->damping_time = rod_is_implicit(r) ? r->damping_time : 0.0;
}

// Drag takes energy as long as the rod moves, and moves no equilibrium in still air. In a steady wind it is a
// load as well.
static void add_damper(Scene* s, double omega, double length)
{
    const Rod* r = &s->rods[0];
    uint64_t seed = s->seed + 77;
    double mass = 3.0 * r->density * r->size[0] * r->size[0]; // by length [kg/m]
    Load* l = &s->loads[s->load_count++];
    *l = (Load){.kind = CORD_LOAD_DRAG, .id = 7, .rod = 0, .body = -1, .wind = {NAN, 0, 0}};
    l->along = l->across = mass * omega, l->most = l->from = l->to = l->ramp = NAN;
    if (random_in(&seed, 0.0, 1.0) < 0.3) {
        l->wind = cord_vec3_scale(random_vec3(&seed, 1.0), 0.1 * length * omega);
    }
}

static double speed_of(CordWorld* world)
{
    CordVec3 v[MOST_NODES];
    double most = 0.0;
    CordRodId rod = cord_world_rod(world, 0);
    cord_rod_velocities(world, rod, v);
    for (int i = 0; i < cord_rod_node_count(world, rod); i++) {
        most = fmax(most, cord_vec3_length(v[i]));
    }
    return most;
}

enum { ROUNDS = 120, MOST_STEPS = 3000 }; // each round about the time of the slowest vibration

// Steps until nodes move by less than `still` in a step and in a vibration [m]. Explicit steps are as long as
// they may be, those of backward Euler and of position-based rods longer and longer.
static bool comes_to_rest(CordWorld* world, const Scene* s, double omega, double still)
{
    const Rod* r = &s->rods[0];
    bool any = rod_is_implicit(r) || rod_is_position_based(r);
    double round = 2.0 / omega, h = any ? round / 16.0 : round;
    for (int k = 0; k < ROUNDS; k++) {
        h = any ? h : fmin(h, 0.5 * cord_world_step_advice(world).step);
        int steps = any ? 1 : (int)ceil(round / h);
        CordResult result = steps > MOST_STEPS ? CORD_NOT_CONVERGED : cord_world_step_many(world, h, steps);
        if (result != CORD_OK && !any) {
            return false;
        }
        if (result == CORD_OK && speed_of(world) * fmax(h, 1.0 / omega) < still && k > 3) {
            return true;
        }
        h *= !any ? 1.0 : result == CORD_OK ? 1.5 : 0.25;
    }
    return false;
}

static bool solve_here(CordWorld* world, bool accept_saddle, CordSolveReport* report)
{
    CordSolveDef def = cord_solve_def_default();
    def.accept_saddle = accept_saddle;
    return cord_world_solve(world, &def, report) == CORD_OK;
}

static double off_by(const Scene* s, CordWorld* world, const Observation* from)
{
    static Observation now;
    scene_observe(s, world, &now);
    return observation_distance(from, &now).error[OF_POSITION];
}

static void kick(CordWorld* world, double speed, uint64_t seed)
{
    CordVec3 v[MOST_NODES];
    CordRodId rod = cord_world_rod(world, 0);
    for (int i = 0; i < cord_rod_node_count(world, rod); i++) {
        v[i] = random_vec3(&seed, speed);
    }
    cord_rod_set_velocities(world, rod, v);
}

// Both say in the verdict how far the equilibrium is off, or why that is not known, and return the distance
// [m].
static double run_then_solve(const Scene* s, CordWorld* world, double omega, double still, Verdict* v)
{
    static Observation before;
    CordSolveReport report = {.unstable = 1};
    v->finding = NOT_TESTED;
    for (int k = 0; k < 3 && report.unstable > 0; k++) {
        snprintf(v->text, sizeof v->text, "it does not come to rest");
        if (!comes_to_rest(world, s, omega, still)) {
            return 0.0;
        }
        scene_observe(s, world, &before);
        snprintf(v->text, sizeof v->text, "it rests on a saddle, or the solve from there fails");
        if (!solve_here(world, true, &report)) {
            return 0.0;
        }
        // A symmetric run may rest on a saddle, and steps that are long beside what grows damp it.
        kick(world, report.unstable > 0 ? 1e4 * still * omega : 0.0, s->seed + (uint64_t)k);
        omega *= 100.0;
    }
    if (report.unstable > 0) {
        return 0.0;
    }
    double off = off_by(s, world, &before);
    v->finding = HOLDS;
    snprintf(v->text, sizeof v->text, "a solve moves the rest of a run by %.3g m", off);
    return off;
}

static double solve_then_run(const Scene* s, CordWorld* world, double omega, double still, Verdict* v)
{
    static Observation before;
    CordSolveReport report;
    if (!solve_here(world, false, &report) || report.unstable != 0) {
        return 0.0;
    }
    scene_observe(s, world, &before);
    kick(world, 1e4 * still * omega, s->seed);
    if (!comes_to_rest(world, s, omega, still)) {
        return 0.0;
    }
    double off = off_by(s, world, &before);
    snprintf(v->text, sizeof v->text, "a run leaves a stable equilibrium by %.3g m", off);
    return off;
}

void check_settle(const Subject* u, Verdict* v)
{
    static Scene scene;
    char message[512];
    scene = u->scene;
    double length = u->element * scene.rods[0].elements, omega = slowest(&scene, length), off = 0.0;
    make_calm(&scene.rods[0]);
    add_damper(&scene, omega, length);
    // what is left of the motion, and of the solve: forces to 1e-9, in rods up to 1e4 times as soft as stiff
    double still = 1e-8 * length, allowed = 1e-5 * length;
    if (scene.rods[0].model == CORD_MODEL_CORDE && !rod_is_implicit(&scene.rods[0])) {
        allowed += u->element * u->element / length; // its penalty, which a solve leaves out
    }
    v->finding = NOT_TESTED, v->group = OF_POSITION;
    for (int k = 0; k < 2 && off <= allowed && (k == 0 || v->finding == HOLDS); k++) {
        CordWorld* world = scene_world(&scene, 0, message);
        if (world == NULL) {
            return;
        }
        off = (k == 0 ? run_then_solve : solve_then_run)(&scene, world, omega, still, v);
        cord_world_destroy(world);
    }
    v->ratio = off / allowed;
    v->finding = v->finding == HOLDS && !(off <= allowed) ? FAILS : v->finding;
}
