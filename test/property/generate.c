// Random scenes from a seed. Sizes are drawn relative to each other (a radius from a length, a force from a
// stiffness, a motion from an element and the number of steps), so that most scenes run, and something
// happens in them within a few dozen steps. No expression draws twice: compilers differ in what they evaluate
// first, and a seed must give the same scene with each of them.
#include "trial.h"

#include "random.h"

#include <string.h>

typedef struct Draw {
    uint64_t seed;
    Manner manner;
    bool contact;
    double length[MOST_RODS];              // about, of each rod [m]
    bool start[MOST_RODS], end[MOST_RODS]; // whether something holds it there
} Draw;

static double in(Draw* d, double from, double to)
{
    return random_in(&d->seed, from, to);
}

static double log_in(Draw* d, double from, double to)
{
    return exp(in(d, log(from), log(to)));
}

static bool chance(Draw* d, double p)
{
    return in(d, 0.0, 1.0) < p;
}

static int pick(Draw* d, int count)
{
    return random_int(&d->seed, count);
}

static CordVec3 direction(Draw* d)
{
    for (;;) {
        CordVec3 v = random_vec3(&d->seed, 1.0);
        double length = cord_vec3_length(v);
        if (length > 0.1 && length <= 1.0) {
            return cord_vec3_scale(v, 1.0 / length);
        }
    }
}

static CordVec3 normal_to(Draw* d, CordVec3 t)
{
    CordVec3 n = cord_vec3_reject(direction(d), t);
    return cord_vec3_length(n) > 0.2 ? cord_vec3_unit(n) : normal_to(d, t);
}

static CordQuat rotation(Draw* d)
{
    double angle = in(d, 0.0, 3.0);
    return cord_quat_about(direction(d), angle);
}

// ---- rods

static CordVec3 on_circle(const Shape* s, double degrees)
{
    double a = degrees * CORD_PI / 180.0;
    CordVec3 u = cord_vec3_unit(s->axis1), v = cord_vec3_unit(s->axis2);
    if (s->kind == CIRCLE) {
        CordVec3 x = cord_vec3_unit(cord_vec3_reject(v, u)), y = cord_vec3_cross(u, x);
        return cord_vec3_madd(cord_vec3_madd(s->center, x, s->radius * cos(a)), y, s->radius * sin(a));
    }
    v = cord_vec3_unit(cord_vec3_reject(v, u));
    return cord_vec3_madd(cord_vec3_madd(s->center, u, s->radius * cos(a)), v, s->half * sin(a));
}

CordVec3 shape_end(const Shape* s, bool last)
{
    switch (s->kind) {
    case LINE: return s->points[last ? 1 : 0];
    case CIRCLE:
    case ELLIPSE: return on_circle(s, s->degrees[last ? 1 : 0]);
    case HELIX: {
        CordVec3 axis = cord_vec3_unit(s->axis1);
        CordVec3 start = cord_vec3_unit(cord_vec3_reject(s->axis2, axis));
        if (last) {
            start = cord_quat_rotate(cord_quat_about(axis, 2.0 * CORD_PI * s->turns), start);
        }
        CordVec3 center = cord_vec3_madd(s->center, axis, last ? s->pitch * fabs(s->turns) : 0.0);
        return cord_vec3_madd(center, start, s->radius);
    }
    default: return s->points[last ? s->point_count - 1 : 0];
    }
}

// Points about `step` apart that bend gently.
static void draw_points(Draw* d, Shape* s, CordVec3 start, int count, double step)
{
    CordVec3 t = direction(d);
    s->point_count = count;
    for (int i = 0; i < count; i++) {
        s->points[i] = start;
        start = cord_vec3_madd(start, t, step * in(d, 0.8, 1.2));
        t = cord_vec3_unit(cord_vec3_madd(t, direction(d), 0.4));
    }
}

static void draw_ring(Draw* d, Shape* s, CordVec3 center, double length) // of points
{
    CordVec3 u = direction(d), v = normal_to(d, u), w = cord_vec3_cross(u, v);
    double radius = length / (2.0 * CORD_PI);
    s->point_count = MOST_POINTS;
    for (int i = 0; i < MOST_POINTS; i++) {
        double a = 2.0 * CORD_PI * i / MOST_POINTS;
        CordVec3 p = cord_vec3_madd(cord_vec3_madd(center, u, radius * cos(a)), v, radius * sin(a));
        s->points[i] = cord_vec3_madd(p, w, 0.2 * radius * in(d, -1.0, 1.0));
    }
}

static void draw_round(Draw* d, Shape* s, CordVec3 center, double length, bool closed)
{
    double arc = closed ? 360.0 : in(d, 60.0, 270.0);
    s->center = center, s->axis1 = direction(d), s->axis2 = normal_to(d, s->axis1);
    s->radius = length / (arc * CORD_PI / 180.0);
    s->half = s->radius * in(d, 0.6, 1.0);
    s->degrees[0] = closed ? NAN : in(d, -180.0, 0.0);
    s->degrees[1] = s->degrees[0] + arc;
}

static void draw_shape(Draw* d, Rod* r, CordVec3 at, double length)
{
    static const ShapeKind smooth[] = {LINE, LINE, CIRCLE, HELIX, SPLINE};
    Shape* s = &r->shape;
    s->kind = d->manner == WILD ? (ShapeKind)pick(d, SHAPE_KINDS) : smooth[pick(d, 5)];
    r->closed =
        d->manner == WILD && chance(d, 0.2) && s->kind != LINE && s->kind != HELIX && s->kind != POLYLINE;
    switch (s->kind) {
    case LINE:
        s->points[0] = at, s->points[1] = cord_vec3_madd(at, direction(d), length), s->point_count = 2;
        break;
    case CIRCLE:
    case ELLIPSE: draw_round(d, s, at, length, r->closed); break;
    case HELIX:
        s->center = at, s->axis1 = direction(d), s->axis2 = normal_to(d, s->axis1);
        s->turns = in(d, 0.6, 2.0), s->turns *= chance(d, 0.5) ? 1.0 : -1.0;
        s->radius = 0.8 * length / (2.0 * CORD_PI * fabs(s->turns)), s->pitch = 0.6 * length / fabs(s->turns);
        break;
    default:
        if (r->closed) {
            draw_ring(d, s, at, length);
        } else {
            int count = s->kind == NODES ? 6 + pick(d, 4) : 3 + pick(d, 3);
            draw_points(d, s, at, count, length / (count - 1));
        }
        break;
    }
    r->elements =
        s->kind == NODES ? s->point_count - (r->closed ? 0 : 1) : (r->closed ? 10 : 6) + pick(d, 14);
}

static void draw_rest(Draw* d, Rod* r, double length)
{
    r->rest_shape.degrees[0] = r->rest_shape.degrees[1] = NAN;
    r->rest = chance(d, 0.5) ? AS_SHAPED : STRAIGHT;
    if (!r->closed && r->shape.kind != NODES && chance(d, 0.2) && !r->inextensible) {
        r->rest = REST_SHAPE;
        draw_round(d, &r->rest_shape, cord_vec3(0, 0, 0), length * in(d, 0.98, 1.02), false);
        r->rest_shape.kind = CIRCLE;
    }
    bool bent = r->closed || r->shape.kind == HELIX || r->shape.kind == POLYLINE || r->shape.kind == NODES;
    r->rest_twist = chance(d, 0.15) ? in(d, -1.0, 1.0) : 0.0;
    r->twist = chance(d, 0.4) ? in(d, -2.0, 2.0) : 0.0;
    r->frame = bent || chance(d, 0.7) ? FRAME_FIRST : FRAME_TOWARD;
    r->m1 = direction(d);
}

static void draw_model(Draw* d, Rod* r)
{
    static const double shares[] = {0.4, 0.65, 0.88, 1.0};
    double which = in(d, 0.0, 1.0);
    r->model = CORD_MODEL_DER;
    while (which > shares[r->model]) {
        r->model++;
    }
    r->integrator = (CordIntegrator)pick(d, 4);
    r->inextensible = chance(d, 0.3);
    r->fast_projection = r->inextensible && !rod_is_implicit(r) && chance(d, 0.3);
    r->dynamic_twist = chance(d, 0.2);
    r->explicit_orientations = !rod_is_implicit(r) && chance(d, 0.3);
    r->weights = d->manner == WILD && chance(d, 0.25);
    r->sweeps = chance(d, 0.3);
    r->substeps = 1 + pick(d, 3), r->order = pick(d, 3);
    r->iterations = r->weights || r->sweeps ? 5 + pick(d, 30) : 100;
    r->modes = 4 + pick(d, 6), r->modal_damping = chance(d, 0.5) ? in(d, 0.0, 0.1) : 0.0;
    if (r->model == CORD_MODEL_MODAL) {
        r->integrator = CORD_INTEGRATOR_VERLET,
        r->inextensible = r->fast_projection = r->dynamic_twist = false;
    }
    if (r->model == CORD_MODEL_PBD) {
        r->fast_projection = false, r->dynamic_twist = r->dynamic_twist && rod_is_implicit(r);
    }
}

static double bending_time(const Draw* d, const Scene* s, int i) // L^2 sqrt(rho A / EI) [s]
{
    const Rod* r = &s->rods[i];
    double thin = fmin(r->size[0], r->section == TUBE ? r->size[0] : r->size[1]);
    return 2.0 * d->length[i] * d->length[i] / thin * sqrt(r->density / r->young);
}

static void draw_section(Draw* d, Rod* r, double length)
{
    double radius = length / log_in(d, 40.0, 200.0);
    r->section = d->manner == WILD || chance(d, 0.3) ? (SectionKind)pick(d, SECTION_KINDS) : DISC;
    if (r->section != DISC && r->model == CORD_MODEL_PBD && r->weights) {
        r->section = DISC;
    }
    r->size[0] = radius, r->size[1] = radius * in(d, 0.5, 0.95);
    r->young = log_in(d, 1e5, 1e9), r->density = log_in(d, 500.0, 5000.0), r->poisson = in(d, 0.0, 0.5);
    r->friction = in(d, 0.0, 0.8);
}

static void draw_rod(Draw* d, Scene* s, int i)
{
    Rod* r = &s->rods[i];
    double length = d->length[i] = in(d, 0.3, 1.0);
    CordVec3 at = cord_vec3_madd(cord_vec3(1.5 * i, 0, 0), direction(d), 0.2);
    r->id = i, r->touches = true;
    snprintf(r->name, sizeof r->name, "rod%d", i);
    if (i == 0 || (chance(d, 0.3) && !d->contact)) {
        draw_model(d, r);
    } else { // the same steps as the rod before, so that they may be joined or stepped side by side
        Rod kept = s->rods[i - 1];
        kept.id = i, memcpy(kept.name, r->name, sizeof r->name), kept.closed = false, kept.reversed = false;
        *r = kept;
    }
    r->shape.degrees[0] = r->shape.degrees[1] = NAN;
    draw_shape(d, r, at, length);
    draw_section(d, r, length);
    if (r->model == CORD_MODEL_MODAL) {
        r->rest = AS_SHAPED, r->twist = r->rest_twist = 0.0, r->frame = FRAME_FIRST, r->m1 = direction(d);
        r->velocity = r->spin = cord_vec3(0, 0, 0), r->damping_time = 0.0;
        return;
    }
    draw_rest(d, r, length);
    r->damping_time = chance(d, 0.25) ? bending_time(d, s, i) * log_in(d, 1e-4, 1e-2) : 0.0;
}

// ---- what holds and moves them; times are shares of the run until `finish` knows how long it is

static Motion draw_motion(Draw* d, const Scene* s, int rod)
{
    double element = d->length[rod] / s->rods[rod].elements, reach = 0.02 * s->steps;
    Motion m = {.kind = (CordMotionKind)pick(d, 4), .center = {NAN, 0, 0}};
    m.smooth = chance(d, 0.5);
    m.from = chance(d, 0.5) ? 0.0 : in(d, 0.0, 0.5), m.to = in(d, 0.6, 1.2);
    if (d->manner == TAME || d->manner == SYMMETRIC) {
        m.kind = (CordMotionKind)pick(d, 2), m.smooth = true, m.from = 0.0, m.to = 1.0;
    }
    double size = element * fmin(reach, 5.0) * in(d, 0.1, 0.5);
    m.vector = cord_vec3_scale(direction(d), size);
    m.axis = direction(d), m.angle = fmin(reach, 3.0) * in(d, 0.1, 0.5);
    m.frequency = in(d, 0.5, 2.0), m.phase = in(d, -3.0, 3.0);
    if (m.kind == CORD_MOTION_OSCILLATE) {
        m.vector = cord_vec3_scale(m.vector, 0.2);
    }
    if (m.kind == CORD_MOTION_ROTATE && chance(d, 0.3) && d->manner == WILD) {
        m.center = cord_vec3_madd(cord_vec3(1.5 * rod, 0, 0), direction(d), 0.2), m.angle *= 0.2;
    }
    for (int k = 0; k < MOST_KEYS; k++) {
        CordVec3 offset = cord_vec3_scale(direction(d), cord_vec3_length(m.vector));
        m.keys[k] =
            (Key){0.4 * k, k == 0 ? cord_vec3(0, 0, 0) : offset, direction(d), k == 0 ? 0.0 : 0.3 * m.angle};
    }
    return m;
}

static void add_clamp(Draw* d, Scene* s, int rod, Place at, CordFix fix)
{
    if (s->clamp_count == MOST_CLAMPS) {
        return;
    }
    Clamp* c = &s->clamps[s->clamp_count];
    bool modal = s->rods[rod].model == CORD_MODEL_MODAL, wild = d->manner == WILD;
    *c = (Clamp){.id = s->clamp_count,
                 .rod = rod,
                 .at = at,
                 .fix = fix,
                 .free_along = {NAN, 0, 0},
                 .torque = NAN,
                 .release = NAN};
    s->clamp_count++;
    if (!modal && wild && chance(d, 0.12)) {
        c->free_along = direction(d);
    }
    if (!modal && wild && fix == CORD_FIX_FRAME && chance(d, 0.15) && s->rods[rod].dynamic_twist) {
        c->torque = in(d, -1.0, 1.0); // times EI / L, by `finish`
    }
    if (!modal && wild && chance(d, 0.1)) {
        c->release = in(d, 0.2, 0.9);
    }
    if (d->manner != STILL && chance(d, 0.5)) {
        c->motion_count = 1 + (wild && chance(d, 0.3));
        for (int i = 0; i < c->motion_count; i++) {
            c->motions[i] = draw_motion(d, s, rod);
        }
    }
}

static CordFix draw_fix(Draw* d, const Rod* r)
{
    CordFix fix = (CordFix)pick(d, 3);
    return r->model == CORD_MODEL_MODAL ? CORD_FIX_FRAME : fix;
}

static Place place(CordPlaceKind kind, int index)
{
    return (Place){.kind = kind, .index = index};
}

static void draw_clamps(Draw* d, Scene* s)
{
    for (int i = 0; i < s->rod_count; i++) {
        const Rod* r = &s->rods[i];
        bool modal = r->model == CORD_MODEL_MODAL, still = d->manner == STILL;
        if (!r->closed && !d->start[i] && (modal || still || chance(d, 0.6))) {
            add_clamp(d, s, i, modal ? place(CORD_AT_NODE, 0) : place(CORD_AT_START, 0),
                      still ? CORD_FIX_FRAME : draw_fix(d, r));
            d->start[i] = true;
        }
        if (!r->closed && !d->end[i] && !modal && chance(d, still ? 0.5 : 0.35)) {
            add_clamp(d, s, i, place(CORD_AT_END, 0), draw_fix(d, r));
            d->end[i] = true;
        }
        if (d->manner == WILD && (r->closed ? chance(d, 0.5) : r->elements >= 10 && chance(d, 0.15)) &&
            !modal) {
            CordFix fix = draw_fix(d, r);
            add_clamp(d, s, i, place(fix == CORD_FIX_POSITION ? CORD_AT_NODE : CORD_AT_EDGE, 4 + pick(d, 2)),
                      fix);
        }
        if (modal && r->closed) {
            add_clamp(d, s, i, place(CORD_AT_NODE, pick(d, r->elements)), CORD_FIX_FRAME);
        }
    }
}

static void add_weld(Draw* d, Scene* s, int rod)
{
    bool last = !d->end[rod];
    if (s->rods[rod].closed || (!last && d->start[rod]) || s->rods[rod].model == CORD_MODEL_MODAL) {
        return;
    }
    static const CordSolidShape solids[] = {CORD_SOLID_SPHERE, CORD_SOLID_BOX, CORD_SOLID_CYLINDER,
                                            CORD_SOLID_CAPSULE, CORD_SOLID_CONE};
    Body* b = &s->bodies[s->body_count];
    double r = s->rods[rod].size[0];
    *b = (Body){.id = s->body_count, .shape = solids[pick(d, 5)]};
    b->touches = chance(d, 0.5);
    snprintf(b->name, sizeof b->name, "body%d", s->body_count);
    for (int k = 0; k < 3; k++) {
        b->size[k] = r * in(d, 1.5, 6.0);
    }
    b->mass = s->rods[rod].density * r * r * 3.0 * d->length[rod] * log_in(d, 0.2, 5.0);
    b->friction = in(d, 0.0, 0.8);
    b->rotation = rotation(d);
    double away = r * in(d, 0.0, 4.0);
    b->position = cord_vec3_madd(shape_end(&s->rods[rod].shape, last), direction(d), away);
    s->welds[s->weld_count] = (Weld){.id = s->weld_count,
                                     .rod = rod,
                                     .body = s->body_count,
                                     .at = place(last ? CORD_AT_END : CORD_AT_START, 0),
                                     .fix = (CordFix)pick(d, 3)};
    *(last ? &d->end[rod] : &d->start[rod]) = true;
    s->weld_count++, s->body_count++;
}

static void add_free_body(Draw* d, Scene* s)
{
    Body* b = &s->bodies[s->body_count];
    *b = (Body){.id = s->body_count, .shape = CORD_SOLID_BOX, .touches = false, .mass = log_in(d, 0.1, 10.0)};
    snprintf(b->name, sizeof b->name, "body%d", s->body_count);
    for (int k = 0; k < 3; k++) {
        b->size[k] = in(d, 0.05, 0.2);
    }
    b->rotation = rotation(d);
    b->position = cord_vec3_madd(cord_vec3(-2, 0, 0), direction(d), 0.3);
    b->spin = cord_vec3_scale(direction(d), 3.0), b->velocity = direction(d); // times shares of the run
    b->friction = 0.3, s->body_count++;
}

static void shift_shape(Shape* s, CordVec3 by)
{
    s->center = cord_vec3_add(s->center, by);
    for (int i = 0; i < s->point_count; i++) {
        s->points[i] = cord_vec3_add(s->points[i], by);
    }
}

static void add_joint(Draw* d, Scene* s, int a, int b) // the end of a to the start of b
{
    const Rod *first = &s->rods[a], *second = &s->rods[b];
    if (d->end[a] || d->start[b] || first->closed || second->closed || first->model == CORD_MODEL_MODAL ||
        second->model == CORD_MODEL_MODAL || first->integrator != second->integrator) {
        return;
    }
    shift_shape(&s->rods[b].shape,
                cord_vec3_sub(shape_end(&first->shape, true), shape_end(&second->shape, false)));
    s->joints[s->joint_count] = (Joint){.id = s->joint_count, .rods = {a, b}, .pin = chance(d, 0.4)};
    s->joints[s->joint_count].at[0] = place(CORD_AT_END, 0);
    s->joints[s->joint_count].at[1] = place(CORD_AT_START, 0);
    s->joint_count++, d->end[a] = d->start[b] = true;
}

// ---- loads, in shares of what bends the rod or moves it by its length within the run

static void add_load(Draw* d, Scene* s, CordLoadKind kind)
{
    int rod = pick(d, s->rod_count);
    const Rod* r = &s->rods[rod];
    bool turns = r->dynamic_twist || (rod_is_position_based(r) && !r->weights);
    for (int i = 0; i < s->clamp_count; i++) {
        turns |= s->clamps[i].rod == rod && s->clamps[i].fix == CORD_FIX_FRAME &&
                 isnan(s->clamps[i].torque) && isnan(s->clamps[i].release);
    }
    if (kind == CORD_LOAD_TORQUE && !turns) {
        return; // nothing would hold its frames
    }
    Load* l = &s->loads[s->load_count];
    bool inside = d->manner == WILD && chance(d, 0.5);
    *l = (Load){.id = s->load_count,
                .kind = kind,
                .rod = rod,
                .body = -1,
                .wind = {NAN, 0, 0},
                .most = NAN,
                .from = NAN,
                .to = NAN,
                .ramp = NAN};
    l->at = r->closed || inside ? place(CORD_AT_NODE, r->elements / 2) : place(CORD_AT_END, 0);
    if (kind == CORD_LOAD_TORQUE) {
        l->at = place(CORD_AT_EDGE, r->elements / 2);
    }
    l->force = l->torque = direction(d), l->target = cord_vec3_scale(direction(d), 0.2);
    l->stiffness = in(d, 0.1, 3.0), l->damping = chance(d, 0.5) ? in(d, 0.0, 1.0) : 0.0;
    l->most = chance(d, 0.2) && d->manner == WILD ? 1.0 : NAN;
    l->along = in(d, 0.0, 1.0), l->across = in(d, 0.1, 2.0);
    if (kind == CORD_LOAD_DRAG) {
        l->rod = chance(d, 0.3) ? -1 : rod;
        l->wind = chance(d, 0.5) ? cord_vec3_scale(direction(d), 0.3) : l->wind;
        l->gust = chance(d, 0.3) && d->manner != STILL ? in(d, 0.1, 0.5) : 0.0, l->period = in(d, 0.3, 1.0);
    } else if (d->manner == WILD && s->body_count > 0 && kind != CORD_LOAD_SPRING && chance(d, 0.5)) {
        l->rod = -1, l->body = pick(d, s->body_count);
    }
    if (d->manner == WILD && chance(d, 0.4)) {
        l->from = in(d, 0.0, 0.3), l->to = in(d, 0.5, 1.5);
        l->ramp = kind == CORD_LOAD_FORCE || kind == CORD_LOAD_TORQUE ? 0.2 : NAN;
    }
    s->load_count++;
}

// ---- contact: rods fly towards an obstacle, or a second one lies across the first

static void draw_contact(Draw* d, Scene* s)
{
    static const CordSolidShape solids[] = {CORD_SOLID_PLANE, CORD_SOLID_PLANE,    CORD_SOLID_SPHERE,
                                            CORD_SOLID_BOX,   CORD_SOLID_CYLINDER, CORD_SOLID_CAPSULE,
                                            CORD_SOLID_TORUS, CORD_SOLID_TUBE,     CORD_SOLID_CONE};
    const Rod* r = &s->rods[0];
    Obstacle* o = &s->obstacles[0];
    CordVec3 a = shape_end(&r->shape, false), b = shape_end(&r->shape, true);
    if (r->closed) {
        a = r->shape.kind == CIRCLE || r->shape.kind == ELLIPSE ? r->shape.center : r->shape.points[0];
        b = cord_vec3_add(a, cord_vec3(0.1, 0, 0));
    }
    CordVec3 along = cord_vec3_unit_or(cord_vec3_sub(b, a), cord_vec3(1, 0, 0)), up = normal_to(d, along);
    CordVec3 across = cord_vec3_cross(along, up), middle = cord_vec3_lerp(a, b, 0.5);
    double size = 0.2 * d->length[0];
    CordVec3 below = cord_vec3_madd(middle, up, -0.6 * d->length[0]);
    *o = (Obstacle){.shape = solids[pick(d, 9)], .axis = up, .from = below};
    o->friction = in(d, 0.0, 0.8);
    o->rotation = rotation(d);
    o->to = cord_vec3_madd(below, across, size);
    if (o->shape != CORD_SOLID_PLANE && o->shape != CORD_SOLID_BOX && o->shape != CORD_SOLID_SPHERE &&
        o->shape != CORD_SOLID_TORUS) {
        o->from = cord_vec3_madd(below, across, -size);
    }
    o->size[0] = 0.5 * size, o->size[1] = 0.3 * size, o->size[2] = 0.7 * size;
    if (chance(d, 0.3)) {
        o->motion_count = 1, o->motions[0] = draw_motion(d, s, 0);
        o->motions[0].angle *= 0.2;
    }
    s->contact = true, s->obstacle_count = 1;
    s->contact_tolerance = chance(d, 0.5) ? 1e-3 : 1e-6,
    s->contact_friction = chance(d, 0.3) ? 0.0 : in(d, 0.0, 0.8);
    s->zones = chance(d, 0.15);
}

// ---- times and sizes, once the step is known

static double bending_stiffness(const Rod* r) // about [N m^2]
{
    return r->young * r->size[0] * pow(fmin(r->size[0], r->size[1]), 3.0);
}

static double mass_of(const Draw* d, const Scene* s, int i)
{
    return s->rods[i].density * 3.0 * s->rods[i].size[0] * s->rods[i].size[0] * d->length[i];
}

// A force that bends the rod visibly, but does not carry it far within the run.
static double force_of(const Draw* d, const Scene* s, int i)
{
    double time = s->step * s->steps, L = d->length[i];
    return fmin(3.0 * bending_stiffness(&s->rods[i]) / (L * L), 0.3 * mass_of(d, s, i) * L / (time * time));
}

static void finish_motions(Motion* motions, int count, double time)
{
    for (int i = 0; i < count; i++) {
        motions[i].from *= time, motions[i].to *= time, motions[i].frequency /= time;
        for (int k = 0; k < MOST_KEYS; k++) {
            motions[i].keys[k].time *= time;
        }
    }
}

static void finish_load(const Draw* d, const Scene* s, Load* l, double time)
{
    int rod = l->rod < 0 ? 0 : l->rod;
    double L = d->length[rod], force = force_of(d, s, rod), mass = mass_of(d, s, rod);
    const Rod* r = &s->rods[rod];
    l->from *= time, l->to *= time, l->ramp *= time, l->period *= time;
    l->force = cord_vec3_scale(l->force, force), l->torque = cord_vec3_scale(l->torque, 0.2 * force * L);
    CordVec3 near = r->closed ? cord_vec3(1.5 * rod, 0, 0) : shape_end(&r->shape, true);
    l->target = cord_vec3_add(l->target, near);
    l->stiffness *= 5.0 * force / L, l->damping *= 0.1 * mass / time, l->most *= 0.5 * force;
    l->along *= mass / L / time, l->across *= mass / L / time, l->wind = cord_vec3_scale(l->wind, L / time);
}

// Index of the node that is farthest along a direction.
static int farthest(const CordVec3* x, int count, CordVec3 along)
{
    int best = 0;
    for (int i = 1; i < count; i++) {
        best = cord_vec3_dot(x[i], along) > cord_vec3_dot(x[best], along) ? i : best;
    }
    return best;
}

// Puts the obstacle below the first rod, the second rod above it, and lets them approach.
static void finish_contact(const Draw* d, Scene* s, const CordWorld* world, double time)
{
    CordVec3 x[2][64], up = s->obstacles[0].axis;
    Obstacle* o = &s->obstacles[0];
    double r = fmax(s->rods[0].size[0], s->rods[0].size[1]), gap = 0.3 * r;
    int nodes = cord_rod_node_count(world, cord_world_rod(world, 0));
    cord_rod_positions(world, cord_world_rod(world, 0), x[0]);
    CordVec3 low = x[0][farthest(x[0], nodes, cord_vec3_scale(up, -1.0))],
             high = x[0][farthest(x[0], nodes, up)];
    double reach = o->shape == CORD_SOLID_PLANE ? 0.0
                   : o->shape == CORD_SOLID_BOX ? 0.6 * d->length[0] * 0.2
                                                : o->size[0];
    reach = o->shape == CORD_SOLID_TORUS ? o->size[1] : reach;
    CordVec3 to = cord_vec3_madd(low, up, -(reach + 1.5 * r + gap)), by = cord_vec3_sub(to, o->from);
    if (o->shape != CORD_SOLID_PLANE && o->shape != CORD_SOLID_BOX && o->shape != CORD_SOLID_SPHERE &&
        o->shape != CORD_SOLID_TORUS) {
        by = cord_vec3_sub(to, cord_vec3_lerp(o->from, o->to, 0.5));
    }
    o->from = cord_vec3_add(o->from, by), o->to = cord_vec3_add(o->to, by);
    s->rods[0].velocity = cord_vec3_scale(up, -(gap + r) / (0.4 * time));
    bool joined = s->joint_count > 0 || s->weld_count > 0;
    if (s->rod_count > 1 && !joined) {
        double other = fmax(s->rods[1].size[0], s->rods[1].size[1]);
        nodes = cord_rod_node_count(world, cord_world_rod(world, 1));
        cord_rod_positions(world, cord_world_rod(world, 1), x[1]);
        CordVec3 bottom = x[1][farthest(x[1], nodes, cord_vec3_scale(up, -1.0))];
        CordVec3 at = cord_vec3_madd(high, up, 1.5 * (r + other) + gap);
        shift_shape(&s->rods[1].shape, cord_vec3_sub(at, bottom));
        s->rods[1].velocity = cord_vec3_scale(up, -2.0 * (gap + r) / (0.4 * time));
    }
}

static void finish(Draw* d, Scene* s, const CordWorld* world)
{
    double time = s->step * s->steps, fall = INFINITY;
    for (int i = 0; i < s->rod_count; i++) {
        Rod* r = &s->rods[i];
        double element = d->length[i] / r->elements;
        fall = fmin(fall, fmin(9.81, 3.0 * force_of(d, s, i) / mass_of(d, s, i)));
        if (r->model != CORD_MODEL_MODAL && d->manner != STILL && chance(d, 0.4)) {
            r->velocity = cord_vec3_scale(direction(d), 0.02 * element / s->step);
            r->spin = cord_vec3_scale(direction(d), fmin(0.02 / s->step, 1.0 / time));
        }
    }
    for (int i = 0; i < s->clamp_count; i++) {
        Clamp* c = &s->clamps[i];
        finish_motions(c->motions, c->motion_count, time);
        c->release *= time, c->torque *= 0.2 * force_of(d, s, c->rod) * d->length[c->rod];
    }
    for (int i = 0; i < s->load_count; i++) {
        finish_load(d, s, &s->loads[i], time);
    }
    for (int i = 0; i < s->body_count; i++) {
        s->bodies[i].velocity = cord_vec3_scale(s->bodies[i].velocity, 0.3 / time);
        s->bodies[i].spin = cord_vec3_scale(s->bodies[i].spin, 1.0 / time);
    }
    finish_motions(s->obstacles[0].motions, s->obstacles[0].motion_count, time);
    s->gravity = cord_vec3_scale(s->gravity, fall);
    if (s->contact) {
        finish_contact(d, s, world, time);
    }
}

// ---- what wild scenes do not have

typedef enum Variation { ADAPTIVE, COUPLED, VORTICES, KNOTTED, NETWORKED, MESHED, VARIATIONS } Variation;

static void make_knot(Draw* d, Scene* s) // one rope, with clamps at its ends alone
{
    Rod* r = &s->rods[0];
    Shape* k = &r->shape;
    int kept = 0;
    *k = (Shape){.kind = KNOT, .knot = pick(d, 2)};
    k->handed = chance(d, 0.5) ? 1.0 : -1.0;
    k->degrees[0] = k->degrees[1] = NAN;
    k->center = cord_vec3_scale(direction(d), 0.1);
    k->axis1 = direction(d), k->axis2 = normal_to(d, k->axis1), k->radius = 0.1 * d->length[0];
    r->elements = 36 + pick(d, 20), r->closed = false, r->section = DISC, r->size[0] = k->radius / 20.0;
    r->rest = chance(d, 0.5) ? AS_SHAPED : STRAIGHT, r->frame = FRAME_FIRST;
    r->model = r->model == CORD_MODEL_MODAL ? CORD_MODEL_DER : r->model;
    s->rod_count = 1, s->joint_count = s->weld_count = s->body_count = s->load_count = 0;
    for (int i = 0; i < s->clamp_count; i++) {
        if (s->clamps[i].rod == 0 && s->clamps[i].at.kind != CORD_AT_NODE &&
            s->clamps[i].at.kind != CORD_AT_EDGE) {
            s->clamps[kept] = s->clamps[i], s->clamps[kept].id = kept, kept++;
        }
    }
    s->clamp_count = kept;
}

static void make_network(Draw* d, Scene* s)
{
    for (int i = 0; i < s->rod_count; i++) {
        Rod* r = &s->rods[i];
        if (r->model == CORD_MODEL_MODAL) {
            r->shape.kind = NETWORK, r->closed = false,
            r->section = r->section == TAPERED ? DISC : r->section;
            draw_points(d, &r->shape, cord_vec3(1.5 * i, 0, 0), 4 + pick(d, 4), 0.2 * d->length[i]);
            r->elements = 1 + pick(d, 3);
        }
    }
}

static void vary(Draw* d, Scene* s, Variation which)
{
    for (int i = 0; i < s->rod_count; i++) {
        Rod* r = &s->rods[i];
        r->adaptive = which == ADAPTIVE && r->model != CORD_MODEL_MODAL;
        double thin = fmin(r->size[0], r->size[1]), sign = chance(d, 0.5) ? 1.0 : -1.0;
        r->coupling = which == COUPLED ? sign * 0.05 * r->young * pow(thin, 4.0) : 0.0;
    }
    if (which == VORTICES && s->load_count < MOST_LOADS) {
        add_load(d, s, CORD_LOAD_DRAG);
        Load* l = &s->loads[s->load_count - 1];
        l->wind = cord_vec3_scale(direction(d), 0.3), l->vortex = in(d, 0.05, 0.3),
        l->spacing = in(d, 0.05, 0.3);
    }
    if (which == KNOTTED) {
        make_knot(d, s);
    } else if (which == NETWORKED) {
        make_network(d, s);
    }
}

// What depends on the step, or on where things are.
static void finish_variation(Scene* s, Variation which)
{
    double time = s->step * s->steps;
    for (int i = 0; i < s->rod_count; i++) {
        s->rods[i].merge_time = 0.1 * time;
    }
    for (int i = 0; i < s->load_count; i++) {
        s->loads[i].vortex /= time;
    }
    if (which == KNOTTED) {
        s->contact = true, s->obstacle_count = 0, s->contact_friction = 0.3;
    } else if (which == MESHED && s->obstacle_count > 0) {
        Obstacle* o = &s->obstacles[0];
        o->shape = o->shape == CORD_SOLID_SPHERE ? CORD_SOLID_MESH : o->shape;
    }
}

// ---- the whole

// Steps are a share of the bending time, and shorter where the world advises it. False: the scene is refused.
static bool choose_step(Draw* d, Scene* s)
{
    char message[512];
    double share = in(d, 0.2, 0.6), time = INFINITY;
    bool contact = s->contact;
    s->contact = false; // it may overlap until it is finished
    CordWorld* world = scene_world(s, 0, message);
    s->contact = contact;
    for (int i = 0; i < s->rod_count; i++) {
        time = fmin(time, bending_time(d, s, i));
    }
    s->step *= time;
    if (world == NULL) {
        return false;
    }
    double advice = cord_world_step_advice(world).step;
    bool any = true; // steps of position-based and implicit rods are stable
    for (int i = 0; i < s->rod_count; i++) {
        any &= rod_is_implicit(&s->rods[i]) || rod_is_position_based(&s->rods[i]) ||
               s->rods[i].model == CORD_MODEL_MODAL;
    }
    s->step = any ? s->step : fmin(s->step, share * advice);
    finish(d, s, world);
    cord_world_destroy(world);
    return true;
}

// Half of the round rods with a rest shape have no frame. Position-based rods with weights have ghost points
// where their frames point, and what their sweeps leave depends on where that is.
static void draw_no_frames(Scene* s)
{
    for (int i = 0; i < s->rod_count; i++) {
        Rod* r = &s->rods[i];
        bool ghosts = rod_is_position_based(r) && r->weights;
        bool any = r->rest == REST_SHAPE && rod_is_round(r) && !ghosts && r->m1.x > 0.0;
        r->frame = any ? FRAME_ANY : r->frame;
    }
}

bool scene_generate(Scene* s, uint64_t seed, Manner manner)
{
    bool varied = manner == VARIED, wild = manner == WILD || varied;
    Draw draw = {.seed = seed * 0x9e3779b97f4a7c15u + (varied ? 0x7654321u : 0x1234567u),
                 .manner = varied ? WILD : manner},
         *d = &draw;
    Variation which = (Variation)(seed % VARIATIONS);
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 4; i++) {
        in(d, 0.0, 1.0);
    }
    s->seed = seed, s->contact_tolerance = 1e-3;
    s->steps = (int)log_in(d, 8.0, 150.0), s->step = log_in(d, 0.002, 0.03);
    d->contact = (wild && chance(d, 0.3)) || (varied && which == MESHED);
    s->rod_count = 1;
    if (wild) {
        int more = pick(d, 4);
        s->rod_count += more * pick(d, 2);
    }
    for (int i = 0; i < s->rod_count; i++) {
        draw_rod(d, s, i);
    }
    if (wild && s->rod_count > 1 && chance(d, 0.35)) {
        add_joint(d, s, 0, 1);
    }
    if (wild && chance(d, 0.25)) {
        add_weld(d, s, pick(d, s->rod_count));
    }
    if (wild && chance(d, 0.1)) {
        add_free_body(d, s);
    }
    draw_clamps(d, s);
    for (int i = pick(d, wild ? 4 : 2); i > 0; i--) {
        add_load(d, s, (CordLoadKind)pick(d, manner == STILL ? CORD_LOAD_TORQUE : CORD_LOAD_COUNT));
    }
    if (d->contact) {
        draw_contact(d, s);
    }
    if (varied) {
        vary(d, s, which);
        s->contact &= which != KNOTTED, s->obstacle_count = which == KNOTTED ? 0 : s->obstacle_count;
        s->obstacles[0].shape = which == MESHED ? CORD_SOLID_SPHERE : s->obstacles[0].shape;
    }
    if (manner != STILL) { // a solve leaves saddle points by a push that is at random in the frames
        draw_no_frames(s);
    }
    s->gravity = chance(d, 0.2) ? cord_vec3(0, 0, 0) : direction(d);
    if (!choose_step(d, s)) {
        return false;
    }
    if (varied) {
        finish_variation(s, which);
    } else if (manner == SYMMETRIC) {
        scene_make_symmetric(s, d->length[0]);
    }
    return true;
}
