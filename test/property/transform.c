// Transformations of a scene as a whole, after which it must move as before: seen from elsewhere, in other
// units, in another order, or along rods that run the other way.
#include "scene.h"

#include "random.h"

#include <stdlib.h>
#include <string.h>

// ---- isometries

static CordVec3 mirrored(CordVec3 v) // in the plane x = 0
{
    return cord_vec3(-v.x, v.y, v.z);
}

void isometry_apply(const Isometry* q, Nature nature, void* value)
{
    if (nature == SCALAR) {
        return;
    }
    if (nature == PSEUDO) {
        *(double*)value *= q->mirror ? -1.0 : 1.0;
        return;
    }
    if (nature == POSE) {
        CordQuat* pose = value;
        *pose = cord_quat_mul(q->rotation, *pose);
        if (q->mirror) { // diag(-1, 1, 1) R diag(-1, 1, 1)
            pose->y = -pose->y, pose->z = -pose->z;
        }
        return;
    }
    CordVec3* v = value;
    *v = cord_quat_rotate(q->rotation, *v);
    if (q->mirror) {
        *v = nature == AXIAL ? cord_vec3_scale(mirrored(*v), -1.0) : mirrored(*v);
    }
    if (nature == POINT) {
        *v = cord_vec3_add(*v, q->shift);
    }
}

static void move_field(void* context, const Field* field, void* value)
{
    isometry_apply(context, field->nature, value);
}

void scene_move(Scene* s, const Isometry* q)
{
    Isometry copy = *q;
    scene_visit(s, move_field, &copy);
}

// ---- units

void units_apply(const Units* u, Unit unit, Nature nature, void* value)
{
    double factor = pow(u->L, unit.L) * pow(u->M, unit.M) * pow(u->T, unit.T), *numbers = value;
    int count = nature == SCALAR || nature == PSEUDO ? 1 : nature == POSE ? 4 : 3;
    for (int i = 0; i < count; i++) {
        numbers[i] *= factor;
    }
}

static void scale_field(void* context, const Field* field, void* value)
{
    units_apply(context, field->unit, field->nature, value);
}

void scene_scale(Scene* s, const Units* u)
{
    Units copy = *u;
    scene_visit(s, scale_field, &copy);
}

// ---- order and names

// A random order of count things: new place of each old one.
static void shuffle(uint64_t* seed, int count, int* place)
{
    for (int i = 0; i < count; i++) {
        int k = random_int(seed, i + 1);
        place[i] = place[k], place[k] = i;
    }
}

static void reorder(void* things, size_t size, int count, const int* place)
{
    char* copy = malloc((size_t)count * size + 1);
    memcpy(copy, things, (size_t)count * size);
    for (int i = 0; i < count; i++) {
        memcpy((char*)things + (size_t)place[i] * size, copy + (size_t)i * size, size);
    }
    free(copy);
}

#define SHUFFLE(seed, array, count, place)                                                                   \
    (shuffle(seed, count, place), reorder(array, sizeof *(array), count, place))

void scene_renumber(Scene* s, uint64_t seed)
{
    int rod[MOST_RODS], body[MOST_BODIES], other[MOST_CLAMPS];
    SHUFFLE(&seed, s->rods, s->rod_count, rod);
    SHUFFLE(&seed, s->bodies, s->body_count, body);
    for (int i = 0; i < s->clamp_count; i++) {
        s->clamps[i].rod = rod[s->clamps[i].rod];
    }
    for (int i = 0; i < s->load_count; i++) {
        Load* l = &s->loads[i];
        l->rod = l->rod < 0 ? -1 : rod[l->rod];
        l->body = l->body < 0 ? -1 : body[l->body];
    }
    for (int i = 0; i < s->weld_count; i++) {
        s->welds[i].rod = rod[s->welds[i].rod];
        s->welds[i].body = body[s->welds[i].body];
    }
    for (int i = 0; i < s->joint_count; i++) {
        s->joints[i].rods[0] = rod[s->joints[i].rods[0]];
        s->joints[i].rods[1] = rod[s->joints[i].rods[1]];
    }
    SHUFFLE(&seed, s->clamps, s->clamp_count, other);
    SHUFFLE(&seed, s->loads, s->load_count, other);
    SHUFFLE(&seed, s->obstacles, s->obstacle_count, other);
}

void scene_rename(Scene* s)
{
    for (int i = 0; i < s->rod_count; i++) {
        snprintf(s->rods[i].name, sizeof s->rods[i].name, "z%d \xc3\xa9", 9 - i);
    }
    for (int i = 0; i < s->body_count; i++) {
        snprintf(s->bodies[i].name, sizeof s->bodies[i].name, "thing %d", 7 - i);
    }
}

// ---- direction

static void reverse_points(Shape* s, bool closed) // a ring begins at the same point
{
    int first = closed ? 1 : 0;
    for (int i = first, k = s->point_count - 1; i < k; i++, k--) {
        CordVec3 p = s->points[i];
        s->points[i] = s->points[k], s->points[k] = p;
    }
}

static void reverse_helix(Shape* s)
{
    CordVec3 axis = cord_vec3_unit(s->axis1);
    double angle = 2.0 * CORD_PI * s->turns; // turns have the sign of the handedness
    s->center = cord_vec3_madd(s->center, axis, s->pitch * fabs(s->turns));
    s->axis2 = cord_quat_rotate(cord_quat_about(axis, angle), cord_vec3_reject(s->axis2, axis));
    s->axis1 = cord_vec3_scale(s->axis1, -1.0);
}

static void reverse_shape(Shape* s, bool closed)
{
    double from = s->degrees[0];
    switch (s->kind) {
    case CIRCLE:
        s->axis1 = cord_vec3_scale(s->axis1, -1.0);
        s->degrees[0] = -s->degrees[1], s->degrees[1] = -from;
        break;
    case ELLIPSE:
        s->axis2 = cord_vec3_scale(s->axis2, -1.0);
        s->degrees[0] = -s->degrees[1], s->degrees[1] = -from;
        break;
    case HELIX: reverse_helix(s); break;
    default: reverse_points(s, closed && s->kind != LINE); break;
    }
}

static void reverse_place(Place* p, const Rod* r)
{
    switch (p->kind) {
    case CORD_AT_START: p->kind = CORD_AT_END; break;
    case CORD_AT_END: p->kind = CORD_AT_START; break;
    case CORD_AT_NODE:
        p->index = r->closed ? (r->elements - p->index) % r->elements : r->elements - p->index;
        break;
    case CORD_AT_EDGE: p->index = r->elements - 1 - p->index; break;
    default: break; // the generator names no lengths along a rod that it reverses
    }
}

void scene_reverse(Scene* s)
{
    for (int i = 0; i < s->rod_count; i++) {
        Rod* r = &s->rods[i];
        reverse_shape(&r->shape, r->closed);
        reverse_shape(&r->rest_shape, r->closed);
        if (r->section == TAPERED) {
            double first = r->size[0];
            r->size[0] = r->size[1], r->size[1] = first;
        }
        r->coupling = -r->coupling; // m2 turns with the tangent
        r->reversed = !r->reversed;
    }
    for (int i = 0; i < s->clamp_count; i++) {
        reverse_place(&s->clamps[i].at, &s->rods[s->clamps[i].rod]);
        s->clamps[i].torque = -s->clamps[i].torque; // about the tangent
    }
    for (int i = 0; i < s->load_count; i++) {
        if (s->loads[i].rod >= 0) {
            reverse_place(&s->loads[i].at, &s->rods[s->loads[i].rod]);
        }
    }
    for (int i = 0; i < s->weld_count; i++) {
        reverse_place(&s->welds[i].at, &s->rods[s->welds[i].rod]);
    }
    for (int i = 0; i < s->joint_count; i++) {
        for (int k = 0; k < 2; k++) {
            reverse_place(&s->joints[i].at[k], &s->rods[s->joints[i].rods[k]]);
        }
    }
}
