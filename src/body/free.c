#include "body/free.h"

#include "base/real.h"
#include "body/inertia.h"
#include "math/elementary.h"

#include <string.h>

struct FreeBody {
    Link link;         // in the list of all bodies
    double mass;       // [kg]
    double moments[3]; // principal [kg m^2]
    CordQuat axes;     // from principal to body axes
    int a, b, middle;  // indices of the least moment, the largest and the other: no matter which axis is x
    double handed;     // 1 or -1: whether a, b, middle are right-handed or left-handed
    CordVec3 position; // [m]
    CordQuat rotation; // from principal axes to space
    CordVec3 velocity; // [m/s]
    CordVec3 L;        // angular momentum about the centre, in space [kg m^2/s]
    CordVec3 force, torque;
    // The last drift, so that it can be repeated with a corrected momentum.
    double flight; // duration [s]; 0: none since the state was set
    CordVec3 start_position;
    CordQuat start_rotation;
    CordVec3 late_velocity, late_L; // kick after the drift
    CordVec3 saved_position, saved_velocity, saved_L;
    CordQuat saved_rotation;
};

static FreeBody* body_at(const Link* link) // NULL: the end of the list
{
    return link ? LIST_ENTRY(link, FreeBody, link) : NULL;
}

// ---- free rotation
//
// Symplectic splitting of the free rigid body (Touma and Wisdom 1994; Dullweber, Leimkuhler and McLachlan
// 1997). With the angular momentum m in principal axes and the middle moment I, the kinetic energy is
//     |m|^2 / (2 I)  +  (1/I_a - 1/I) m_a^2 / 2  +  (1/I_b - 1/I) m_b^2 / 2 .
// The flow of the first term rotates the body about the space-fixed momentum and leaves m unchanged, so that
// it commutes with the others and is exact for any step. The flow of each other term rotates the body about
// one principal axis. These two are composed symmetrically. Each factor conserves the momentum in space, and
// energy does not drift. Spheres and symmetric tops are exact.

typedef struct Rotating {
    CordQuat q;  // from principal axes to space
    double m[3]; // angular momentum along a, b and the middle axis
} Rotating;

// Angles are usually small; then these terms of the series are enough to the last bit.
static void sin_cos(double a, double* s, double* c)
{
    double x = a * a;
    if (x < 0.01) {
        *s = a * (1.0 - x / 6.0 * (1.0 - x / 20.0 * (1.0 - x / 42.0 * (1.0 - x / 72.0))));
        *c = 1.0 - x / 2.0 * (1.0 - x / 12.0 * (1.0 - x / 30.0 * (1.0 - x / 56.0 * (1.0 - x / 90.0))));
    } else {
        *s = cord_sin(a), *c = cord_cos(a);
    }
}

// Flow of one term: rotates about axis k (0: a, 1: b) for the time h; `rate` is the difference of inverse
// moments.
static void rotate_about(Rotating* t, const FreeBody* body, int k, double rate, double h)
{
    double s, c;
    if (rate == 0.0) { // the moment is the middle one, too
        return;
    }
    sin_cos(0.5 * rate * t->m[k] * h, &s, &c);
    double sine = 2.0 * s * c, cosine = c * c - s * s;
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double mi = t->m[i], mj = t->m[j];
    t->m[i] = cosine * mi + body->handed * sine * mj;
    t->m[j] = cosine * mj - body->handed * sine * mi;
    double axis[3] = {0, 0, 0};
    axis[k == 0 ? body->a : body->b] = s;
    t->q = quat_mul(t->q, (CordQuat){axis[0], axis[1], axis[2], c});
}

// Strang splitting, second order. Its phase error is at most 0.05 x^2 per revolution, where x is the angle of
// the two terms.
static void compose_2(Rotating* t, const FreeBody* body, const double rate[2], double h)
{
    rotate_about(t, body, 0, rate[0], 0.5 * h);
    rotate_about(t, body, 1, rate[1], h);
    rotate_about(t, body, 0, rate[0], 0.5 * h);
}

// Fourth order in six stages (Blanes and Moan 2002, S6): at most 2e-5 x^4 per revolution.
static void compose_4(Rotating* t, const FreeBody* body, const double rate[2], double h)
{
    static const double at_a[3] = {0.0792036964311957, 0.353172906049774, -0.0420650803577195};
    static const double at_b[2] = {0.209515106613362, -0.143851773179818};
    double middle_a = 1.0 - 2.0 * (at_a[0] + at_a[1] + at_a[2]), last_b = 0.5 - (at_b[0] + at_b[1]);
    const double a[7] = {at_a[0], at_a[1], at_a[2], middle_a, at_a[2], at_a[1], at_a[0]};
    const double b[6] = {at_b[0], at_b[1], last_b, last_b, at_b[1], at_b[0]};
    for (int i = 0; i < 6; i++) {
        rotate_about(t, body, 0, rate[0], a[i] * h);
        rotate_about(t, body, 1, rate[1], b[i] * h);
    }
    rotate_about(t, body, 0, rate[0], a[6] * h);
}

#define FEW 2e-3  // second order is used up to this x
#define MANY 0.4  // fourth order takes substeps beyond this x; phase errors stay below 5e-7 per revolution
#define MOST 1000 // substeps: bodies that rotate a hundred times in a step lose accuracy

// The composition depends only on the size of the momentum, which free rotation conserves, so that it is
// time-reversible.
static CordQuat rotated_freely(const FreeBody* body, CordQuat q, CordVec3 L, double h)
{
    double size = vec3_length(L), inv = 1.0 / body->moments[body->middle];
    if (!(size > 0.0)) {
        return q;
    }
    double sine, cosine;
    sin_cos(0.5 * size * inv * h, &sine, &cosine);
    CordVec3 u = vec3_mul(L, sine / size);
    double rate[2] = {1.0 / body->moments[body->a] - inv, 1.0 / body->moments[body->b] - inv};
    CordVec3 own = quat_rotate(quat_conjugate(q), L);
    double m[3] = {own.x, own.y, own.z};
    Rotating t = {q, {m[body->a], m[body->b], m[body->middle]}};
    double x = size * h * real_max(fabs(rate[0]), fabs(rate[1]));
    if (x <= FEW) {
        compose_2(&t, body, rate, h);
    } else {
        int substeps = x < MANY * MOST ? (int)(x / MANY) + 1 : MOST;
        for (int i = 0; i < substeps; i++) {
            compose_4(&t, body, rate, h / substeps);
        }
    }
    return quat_unit(quat_mul((CordQuat){u.x, u.y, u.z, cosine}, t.q));
}

static void drift(FreeBody* body)
{
    CordVec3 velocity = vec3_sub(body->velocity, body->late_velocity);
    body->position = vec3_madd(body->start_position, velocity, body->flight);
    body->rotation =
        rotated_freely(body, body->start_rotation, vec3_sub(body->L, body->late_L), body->flight);
}

// ---- creation

static void choose_axes(FreeBody* body)
{
    const double* m = body->moments;
    int least = 0, most = 0;
    for (int i = 1; i < 3; i++) {
        least = m[i] < m[least] ? i : least;
        most = m[i] >= m[most] ? i : most;
    }
    body->a = least, body->b = most, body->middle = 3 - least - most;
    body->handed = most == (least + 1) % 3 ? 1.0 : -1.0;
}

static CordResult free_create(void* user, const CordBodyDef* def, void** handle)
{
    FreeBodies* all = user;
    *handle = NULL;
    FreeBody* body = memory_array(all->memory, FreeBody, 1);
    if (!body) {
        return CORD_NO_MEMORY;
    }
    Principal p = inertia_principal(def->inertia);
    body->mass = def->mass;
    body->axes = p.axes;
    memcpy(body->moments, p.moments, sizeof body->moments);
    choose_axes(body);
    list_append(&all->bodies, &body->link);
    CordBodyState state = {def->position, def->rotation, def->velocity, def->spin};
    body_engine_free.set(user, body, &state);
    *handle = body;
    return CORD_OK;
}

static void free_destroy(void* user, void* handle)
{
    FreeBodies* all = user;
    FreeBody* body = handle;
    list_remove(&all->bodies, &body->link);
    memory_free(all->memory, body, sizeof *body);
}

void free_bodies_destroy(FreeBodies* all)
{
    while (all->bodies.first) {
        free_destroy(all, body_at(all->bodies.first));
    }
}

// ---- state

static CordVec3 by_moments(const FreeBody* body, CordVec3 a, bool inverse)
{
    CordVec3 own = quat_rotate(quat_conjugate(body->rotation), a);
    const double* m = body->moments;
    own = inverse ? (CordVec3){own.x / m[0], own.y / m[1], own.z / m[2]}
                  : (CordVec3){own.x * m[0], own.y * m[1], own.z * m[2]};
    return quat_rotate(body->rotation, own);
}

static CordBodyState free_get(void* user, void* handle)
{
    const FreeBody* body = handle;
    (void)user;
    return (CordBodyState){body->position, quat_mul(body->rotation, quat_conjugate(body->axes)),
                           body->velocity, by_moments(body, body->L, true)};
}

static void free_set(void* user, void* handle, const CordBodyState* state)
{
    FreeBody* body = handle;
    (void)user;
    body->position = state->position;
    body->rotation = quat_unit(quat_mul(state->rotation, body->axes));
    body->velocity = state->velocity;
    body->L = by_moments(body, state->spin, false);
    body->flight = 0.0;
    body->late_velocity = body->late_L = (CordVec3){0, 0, 0};
}

static CordBodyInertia free_inertia(void* user, void* handle)
{
    const FreeBody* body = handle;
    (void)user;
    CordBodyInertia inertia = {.mass = body->mass};
    double own[6] = {body->moments[0], body->moments[1], body->moments[2], 0, 0, 0};
    tensor_rotate(body->rotation, own, inertia.tensor);
    return inertia;
}

// ---- the step

static void free_add_wrench(void* user, void* handle, CordVec3 force, CordVec3 torque)
{
    FreeBody* body = handle;
    (void)user;
    body->force = vec3_add(body->force, force);
    body->torque = vec3_add(body->torque, torque);
}

static void step_one(FreeBody* body, CordVec3 gravity, double before, double h, double after)
{
    CordVec3 a = vec3_madd(gravity, body->force, 1.0 / body->mass);
    body->late_velocity = vec3_mul(a, after);
    body->late_L = vec3_mul(body->torque, after);
    body->velocity = vec3_add(vec3_madd(body->velocity, a, before), body->late_velocity);
    body->L = vec3_add(vec3_madd(body->L, body->torque, before), body->late_L);
    body->start_position = body->position;
    body->start_rotation = body->rotation;
    body->flight = h;
    body->force = body->torque = (CordVec3){0, 0, 0};
    drift(body);
}

static void free_step(void* user, CordVec3 gravity, double before, double h, double after)
{
    FreeBodies* all = user;
    for (FreeBody* body = body_at(all->bodies.first); body; body = body_at(body->link.after)) {
        step_one(body, gravity, before, h, after);
    }
}

// An impulse with the lever of the whole drift acts at its start: the drift is repeated with it, so that
// several impulses give the same step as their sum, and the step is time-reversible. Any other lever moves
// the pose by lever times the change of velocity.
static void free_correct(void* user, void* handle, CordVec3 impulse, CordVec3 angular_impulse, double lever)
{
    FreeBody* body = handle;
    (void)user;
    CordVec3 change = vec3_mul(impulse, 1.0 / body->mass);
    body->velocity = vec3_add(body->velocity, change);
    body->L = vec3_add(body->L, angular_impulse);
    if (body->flight > 0.0 && lever == body->flight) {
        drift(body);
    } else {
        CordVec3 spin = by_moments(body, angular_impulse, true);
        double half = 0.5 * vec3_length(spin) * lever;
        CordVec3 u = half != 0.0 ? vec3_mul(spin, 0.5 * lever * cord_sin(half) / half) : (CordVec3){0, 0, 0};
        body->position = vec3_madd(body->position, change, lever);
        body->rotation = quat_unit(quat_mul((CordQuat){u.x, u.y, u.z, cord_cos(half)}, body->rotation));
    }
}

void free_bodies_snapshot(FreeBodies* all)
{
    for (FreeBody* body = body_at(all->bodies.first); body; body = body_at(body->link.after)) {
        body->saved_position = body->position, body->saved_rotation = body->rotation;
        body->saved_velocity = body->velocity, body->saved_L = body->L;
    }
}

void free_bodies_rollback(FreeBodies* all)
{
    for (FreeBody* body = body_at(all->bodies.first); body; body = body_at(body->link.after)) {
        body->position = body->saved_position, body->rotation = body->saved_rotation;
        body->velocity = body->saved_velocity, body->L = body->saved_L;
        body->flight = 0.0;
        body->late_velocity = body->late_L = (CordVec3){0, 0, 0};
    }
}

// ---- serialisation
//
// Stores momentum and not angular velocity, from which it could not be restored to the bit.

void free_body_state(FreeBody* body, Bytes* b)
{
    bytes_doubles(b, &body->position.x, 3);
    bytes_doubles(b, &body->rotation.x, 4);
    bytes_doubles(b, &body->velocity.x, 3);
    bytes_doubles(b, &body->L.x, 3);
    if (b->mode == BYTES_READ) {
        body->flight = 0.0;
        body->late_velocity = body->late_L = (CordVec3){0, 0, 0};
    }
}

static void visit(FreeBodies* all, Bytes* b)
{
    for (FreeBody* body = body_at(all->bodies.first); body; body = body_at(body->link.after)) {
        free_body_state(body, b);
    }
}

static size_t free_state_size(void* user)
{
    Bytes b = bytes_start(BYTES_COUNT, NULL, 0);
    visit(user, &b);
    return b.used;
}

static void free_state_get(void* user, void* bytes)
{
    Bytes b = bytes_start(BYTES_WRITE, bytes, free_state_size(user));
    visit(user, &b);
}

static bool free_state_set(void* user, const void* bytes, size_t size)
{
    if (size != free_state_size(user)) {
        return false;
    }
    Bytes b = bytes_start(BYTES_READ, (void*)bytes, size);
    visit(user, &b);
    return !b.failed;
}

const CordBodyEngine body_engine_free = {
    .name = "free",
    .same_bits = true,
    .create = free_create,
    .destroy = free_destroy,
    .get = free_get,
    .set = free_set,
    .inertia = free_inertia,
    .add_wrench = free_add_wrench,
    .step = free_step,
    .correct = free_correct,
    .state_size = free_state_size,
    .state_get = free_state_get,
    .state_set = free_state_set,
};
