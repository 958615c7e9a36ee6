// The frequency of a small vibration in a run is that of the mode about the equilibrium.
#include "relations.h"

#include <string.h>

#define AMPLITUDE 1e-5 // of the shortest element: what is nonlinear is of the square of it over the radius

enum { PUSHED = 3, MODES = 8, SAMPLES = 60, DAMPED = 10 }; // one of the first few is pushed

typedef struct Vibration {
    int nodes;
    CordVec3 rest[MOST_NODES], shape[MODES * MOST_NODES];
    const CordVec3 *mode, *alone; // of nodes; less what other modes have of it
    double omega2;
} Vibration;

static double product(int nodes, const CordVec3* a, const CordVec3* b)
{
    double sum = 0.0;
    for (int i = 0; i < nodes; i++) {
        sum += cord_vec3_dot(a[i], b[i]);
    }
    return sum;
}

static double projection(const Vibration* m, const CordWorld* world) // on the mode
{
    CordVec3 x[MOST_NODES];
    cord_rod_positions(world, cord_world_rod(world, 0), x);
    for (int i = 0; i < m->nodes; i++) {
        x[i] = cord_vec3_sub(x[i], m->rest[i]);
    }
    return product(m->nodes, x, m->alone);
}

static void take_off(int nodes, CordVec3* a, const CordVec3* b) // what a has of b
{
    double squared = product(nodes, b, b), share = squared > 0.0 ? product(nodes, a, b) / squared : 0.0;
    for (int i = 0; i < nodes; i++) {
        a[i] = cord_vec3_madd(a[i], b[i], -share);
    }
}

// A push moves nodes and leaves the spin of frames as it is. Where frames have inertia that is not one mode
// alone, and displacements of nodes in two modes are not orthogonal: what the mode has of the others is taken
// off (Gram and Schmidt). False: hardly anything is left.
static bool set_apart(Vibration* m, int which)
{
    static CordVec3 basis[MODES][MOST_NODES];
    for (int k = 0; k < MODES; k++) { // the mode itself is the last
        memcpy(basis[k], &m->shape[(which + 1 + k) % MODES * m->nodes], (size_t)m->nodes * sizeof(CordVec3));
        for (int i = 0; i < k; i++) {
            take_off(m->nodes, basis[k], basis[i]);
        }
    }
    m->alone = basis[MODES - 1];
    return product(m->nodes, m->alone, m->alone) > 1e-4 * product(m->nodes, m->mode, m->mode);
}

static void push(const Vibration* m, CordWorld* world, double displacement)
{
    CordVec3 v[MOST_NODES];
    double most = 0.0;
    for (int i = 0; i < m->nodes; i++) {
        most = fmax(most, cord_vec3_length(m->mode[i]));
    }
    for (int i = 0; i < m->nodes; i++) {
        v[i] = cord_vec3_scale(m->mode[i], displacement * sqrt(m->omega2) / most);
    }
    cord_rod_set_velocities(world, cord_world_rod(world, 0), v);
}

// Squared frequency from samples `every` steps apart, with the dispersion of the integrator taken out. In one
// step the amplitude q of a mode changes by
//
//     q_next - 2 q + q_before = -(omega h)^2 (what the integrator takes for q),
//
// which is q for explicit steps, its mean over both steps for the midpoint rule, and q_next for backward
// Euler. Over several explicit steps, of angle a each, it is q_far - 2 q + q_near = -4 sin^2(every a / 2) q
// with 2 sin(a / 2) = omega h. The solve leaves the rod a little off the place about which it vibrates: the
// line through what is taken and the change need not meet zero.
static double fitted(const Rod* r, const double* q, double h, int every)
{
    double taken[SAMPLES], mean = 0.0, above = 0.0, below = 0.0;
    for (int i = 1; i + 1 < SAMPLES; i++) {
        bool midpoint = r->integrator == CORD_INTEGRATOR_MIDPOINT;
        taken[i] = midpoint ? 0.25 * (q[i - 1] + 2.0 * q[i] + q[i + 1]) : loses_energy(r) ? q[i + 1] : q[i];
        mean += taken[i] / (SAMPLES - 2);
    }
    for (int i = 1; i + 1 < SAMPLES; i++) {
        above -= (q[i + 1] - 2.0 * q[i] + q[i - 1]) * (taken[i] - mean);
        below += (taken[i] - mean) * (taken[i] - mean);
    }
    double one = 2.0 * asin(0.5 * sqrt(above / below)) / every, chord = 2.0 * sin(0.5 * one);
    return (every > 1 ? chord * chord : above / below) / (h * h);
}

static bool vibrates(CordWorld* world, const Rod* r, const Vibration* m, double displacement, double* omega2)
{
    double q[SAMPLES], omega = sqrt(m->omega2);
    bool any = rod_is_implicit(r) || rod_is_position_based(r);
    double h = any ? (loses_energy(r) ? 1.0 : 0.1) / omega : 0.5 * cord_world_step_advice(world).step;
    int every = any ? 1 : (int)ceil(0.3 / (omega * h));
    push(m, world, displacement);
    if (loses_energy(r) && cord_world_step_many(world, h, DAMPED) != CORD_OK) {
        return false;
    }
    for (int i = 0; i < SAMPLES; i++) {
        if (every > 3000 || cord_world_step_many(world, h, every) != CORD_OK) {
            return false;
        }
        q[i] = projection(m, world);
    }
    *omega2 = fitted(r, q, h, every);
    return true;
}

// Explicit corde rods have a penalty that is no part of their modes, and one that is straight, does not
// stretch and is held at both ends has no small vibrations.
bool has_spectrum(const Scene* s)
{
    const Rod* r = &s->rods[0];
    bool taut = r->inextensible && r->shape.kind == LINE && s->clamp_count > 1;
    return !taut && !(r->model == CORD_MODEL_CORDE && !rod_is_implicit(r)) && !r->fast_projection &&
           r->model != CORD_MODEL_MODAL && !(rod_is_position_based(r) && (r->weights || r->inextensible));
}

void check_spectrum(const Subject* u, Verdict* v)
{
    static Scene scene;
    static Vibration m;
    double omega2[MODES], measured;
    CordSolveReport report;
    scene = u->scene;
    Rod* r = &scene.rods[0];
    r->damping_time = 0.0, r->sweeps = false, r->substeps = 1, r->iterations = 100;
    r->dynamic_twist = rod_is_position_based(r); // their frames always have inertia: in modes, too
    CordWorld* world = solved(&scene, &report, v);
    if (world == NULL) {
        return;
    }
    int which = (int)(scene.seed % PUSHED);
    CordResult result = cord_world_modes(world, MODES, omega2, m.shape);
    m.nodes = cord_rod_node_count(world, cord_world_rod(world, 0));
    m.mode = &m.shape[which * m.nodes], m.omega2 = omega2[which];
    cord_rod_positions(world, cord_world_rod(world, 0), m.rest);
    if (result != CORD_OK || report.unstable != 0 || !(m.omega2 > 0.0) || !set_apart(&m, which) ||
        !vibrates(world, r, &m, AMPLITUDE * u->element, &measured)) {
        snprintf(v->text, sizeof v->text, "mode %d: %.400s", which, cord_world_message(world));
    } else {
        double off = fabs(measured / m.omega2 - 1.0), allowed = 1e-4;
        v->ratio = off / allowed, v->group = OF_VELOCITY, v->finding = v->ratio <= 1.0 ? HOLDS : FAILS;
        snprintf(v->text, sizeof v->text,
                 "mode %d vibrates with %.9g /s^2 instead of %.9g /s^2, %.3g off, allowed %.3g", which,
                 measured, m.omega2, off, allowed);
    }
    cord_world_destroy(world);
}
