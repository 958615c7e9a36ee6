// The tables of fields of a scene, and its text.
#include "scene.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- fields

#define AT(type, member, key, nature, L, M, T)                                                               \
    {                                                                                                        \
        key, offsetof(type, member), nature,                                                                 \
        {                                                                                                    \
            L, M, T                                                                                          \
        }                                                                                                    \
    }

static const Field line_fields[] = {
    AT(Shape, points[0], "from", POINT, 1, 0, 0), AT(Shape, points[1], "to", POINT, 1, 0, 0), {0}};
static const Field points_fields[] = {{0}}; // the points are a list
static const Field circle_fields[] = {AT(Shape, center, "center", POINT, 1, 0, 0),
                                      AT(Shape, axis1, "normal", AXIAL, 0, 0, 0),
                                      AT(Shape, axis2, "start", POLAR, 0, 0, 0),
                                      AT(Shape, radius, "radius", SCALAR, 1, 0, 0),
                                      {0}};
static const Field ellipse_fields[] = {
    AT(Shape, center, "center", POINT, 1, 0, 0), AT(Shape, axis1, "axis1", POLAR, 0, 0, 0),
    AT(Shape, axis2, "axis2", POLAR, 0, 0, 0),   AT(Shape, radius, "half1", SCALAR, 1, 0, 0),
    AT(Shape, half, "half2", SCALAR, 1, 0, 0),   {0}};
static const Field helix_fields[] = {AT(Shape, center, "center", POINT, 1, 0, 0),
                                     AT(Shape, axis1, "axis", POLAR, 0, 0, 0),
                                     AT(Shape, axis2, "start", POLAR, 0, 0, 0),
                                     AT(Shape, radius, "radius", SCALAR, 1, 0, 0),
                                     AT(Shape, pitch, "pitch", SCALAR, 1, 0, 0),
                                     AT(Shape, turns, "turns", PSEUDO, 0, 0, 0),
                                     {0}};
static const Field knot_fields[] = {
    AT(Shape, center, "center", POINT, 1, 0, 0), AT(Shape, axis1, "axis1", POLAR, 0, 0, 0),
    AT(Shape, axis2, "axis2", POLAR, 0, 0, 0),   AT(Shape, radius, "", SCALAR, 1, 0, 0),
    AT(Shape, handed, "", PSEUDO, 0, 0, 0),      {0}};
static const Field point_field = {"", 0, POINT, {1, 0, 0}};

static const struct {
    const char* name;
    const Field* fields;
} shapes[ALL_SHAPE_KINDS] = {
    {"line", line_fields},       {"polyline", points_fields}, {"spline", points_fields},
    {"polyline", points_fields}, {"circle", circle_fields},   {"ellipse", ellipse_fields},
    {"helix", helix_fields},     {"knot", knot_fields},       {"network", points_fields}};

static const Field rod_fields[] = {AT(Rod, size[0], "", SCALAR, 1, 0, 0),
                                   AT(Rod, size[1], "", SCALAR, 1, 0, 0),
                                   AT(Rod, young, "", SCALAR, -1, 1, -2),
                                   AT(Rod, density, "", SCALAR, -3, 1, 0),
                                   AT(Rod, m1, "", POLAR, 0, 0, 0),
                                   AT(Rod, twist, "", PSEUDO, 0, 0, 0),
                                   AT(Rod, rest_twist, "", PSEUDO, 0, 0, 0),
                                   AT(Rod, damping_time, "", SCALAR, 0, 0, 1),
                                   AT(Rod, velocity, "velocity", POLAR, 1, 0, -1),
                                   AT(Rod, spin, "spin", AXIAL, 0, 0, -1),
                                   AT(Rod, modal_damping, "", SCALAR, 0, 0, 0),
                                   AT(Rod, coupling, "", PSEUDO, 3, 1, -2), // m2 is axial
                                   AT(Rod, merge_time, "", SCALAR, 0, 0, 1),
                                   {0}};
static const Field place_fields[] = {AT(Place, arc, "", SCALAR, 1, 0, 0), {0}};
static const Field key_fields[] = {AT(Key, time, "", SCALAR, 0, 0, 1),
                                   AT(Key, offset, "", POLAR, 1, 0, 0),
                                   AT(Key, axis, "", AXIAL, 0, 0, 0),
                                   {0}};
static const Field motion_fields[] = {AT(Motion, from, "", SCALAR, 0, 0, 1),
                                      AT(Motion, to, "", SCALAR, 0, 0, 1),
                                      AT(Motion, vector, "", POLAR, 1, 0, 0),
                                      AT(Motion, axis, "", AXIAL, 0, 0, 0),
                                      AT(Motion, center, "", POINT, 1, 0, 0),
                                      AT(Motion, frequency, "", SCALAR, 0, 0, -1),
                                      {0}};
static const Field clamp_fields[] = {AT(Clamp, free_along, "free_along", POLAR, 0, 0, 0),
                                     AT(Clamp, torque, "torque", PSEUDO, 2, 1, -2), // about the tangent
                                     AT(Clamp, release, "release", SCALAR, 0, 0, 1),
                                     {0}};
static const Field body_fields[] = {
    AT(Body, size[0], "", SCALAR, 1, 0, 0),          AT(Body, size[1], "", SCALAR, 1, 0, 0),
    AT(Body, size[2], "", SCALAR, 1, 0, 0),          AT(Body, mass, "mass", SCALAR, 0, 1, 0),
    AT(Body, friction, "friction", SCALAR, 0, 0, 0), AT(Body, position, "position", POINT, 1, 0, 0),
    AT(Body, velocity, "velocity", POLAR, 1, 0, -1), AT(Body, spin, "spin", AXIAL, 0, 0, -1),
    AT(Body, rotation, "", POSE, 0, 0, 0),           {0}};
static const Field obstacle_fields[] = {
    AT(Obstacle, from, "", POINT, 1, 0, 0),     AT(Obstacle, to, "", POINT, 1, 0, 0),
    AT(Obstacle, axis, "", POLAR, 0, 0, 0),     AT(Obstacle, rotation, "", POSE, 0, 0, 0),
    AT(Obstacle, size[0], "", SCALAR, 1, 0, 0), AT(Obstacle, size[1], "", SCALAR, 1, 0, 0),
    AT(Obstacle, size[2], "", SCALAR, 1, 0, 0), {0}};
static const Field load_fields[] = {
    AT(Load, force, "", POLAR, 1, 1, -2),      AT(Load, torque, "", AXIAL, 2, 1, -2),
    AT(Load, target, "", POINT, 1, 0, 0),      AT(Load, wind, "", POLAR, 1, 0, -1),
    AT(Load, stiffness, "", SCALAR, 0, 1, -2), AT(Load, damping, "", SCALAR, 0, 1, -1),
    AT(Load, most, "", SCALAR, 1, 1, -2),      AT(Load, along, "", SCALAR, -1, 1, -1),
    AT(Load, across, "", SCALAR, -1, 1, -1),   AT(Load, period, "", SCALAR, 0, 0, 1),
    AT(Load, vortex, "", SCALAR, 1, 0, -1),    AT(Load, spacing, "", SCALAR, 1, 0, 0),
    AT(Load, from, "from", SCALAR, 0, 0, 1),   AT(Load, to, "to", SCALAR, 0, 0, 1),
    AT(Load, ramp, "ramp", SCALAR, 0, 0, 1),   {0}};
static const Field scene_fields[] = {
    AT(Scene, gravity, "gravity", POLAR, 1, 0, -2), AT(Scene, step, "", SCALAR, 0, 0, 1), {0}};

typedef struct Visitor {
    SceneVisit* visit;
    void* context;
} Visitor;

static void visit_all(const Visitor* v, const Field* fields, void* object)
{
    for (const Field* f = fields; f->key != NULL; f++) {
        v->visit(v->context, f, (char*)object + f->offset);
    }
}

static void visit_shape(const Visitor* v, Shape* shape)
{
    visit_all(v, shapes[shape->kind].fields, shape);
    for (int i = 0; i < shape->point_count && shape->kind != LINE; i++) {
        v->visit(v->context, &point_field, &shape->points[i]);
    }
}

static void visit_motions(const Visitor* v, Motion* motions, int count)
{
    for (int i = 0; i < count; i++) {
        visit_all(v, motion_fields, &motions[i]);
        for (int k = 0; k < MOST_KEYS; k++) {
            visit_all(v, key_fields, &motions[i].keys[k]);
        }
    }
}

void scene_visit(Scene* s, SceneVisit* visit, void* context)
{
    Visitor v = {visit, context};
    visit_all(&v, scene_fields, s);
    for (int i = 0; i < s->rod_count; i++) {
        visit_all(&v, rod_fields, &s->rods[i]);
        visit_shape(&v, &s->rods[i].shape);
        visit_shape(&v, &s->rods[i].rest_shape);
    }
    for (int i = 0; i < s->clamp_count; i++) {
        visit_all(&v, clamp_fields, &s->clamps[i]);
        visit_all(&v, place_fields, &s->clamps[i].at);
        visit_motions(&v, s->clamps[i].motions, s->clamps[i].motion_count);
    }
    for (int i = 0; i < s->load_count; i++) {
        visit_all(&v, load_fields, &s->loads[i]);
        visit_all(&v, place_fields, &s->loads[i].at);
    }
    for (int i = 0; i < s->body_count; i++) {
        visit_all(&v, body_fields, &s->bodies[i]);
    }
    for (int i = 0; i < s->weld_count; i++) {
        visit_all(&v, place_fields, &s->welds[i].at);
    }
    for (int i = 0; i < s->obstacle_count; i++) {
        visit_all(&v, obstacle_fields, &s->obstacles[i]);
        visit_motions(&v, s->obstacles[i].motions, s->obstacles[i].motion_count);
    }
}

// ---- what a rod is

bool rod_is_implicit(const Rod* r)
{
    return r->integrator == CORD_INTEGRATOR_MIDPOINT || r->integrator == CORD_INTEGRATOR_BACKWARD_EULER;
}

bool rod_is_position_based(const Rod* r)
{
    return r->model == CORD_MODEL_PBD && !rod_is_implicit(r);
}

bool rod_is_round(const Rod* r)
{
    return (r->section == DISC || r->section == TUBE || r->section == TAPERED) && r->coupling == 0.0;
}

bool loses_energy(const Rod* r)
{
    return r->integrator == CORD_INTEGRATOR_BACKWARD_EULER || rod_is_position_based(r) ||
           (r->inextensible && r->fast_projection);
}

// ---- text

typedef struct Text {
    char* bytes;
    size_t size, room;
} Text;

__attribute__((format(printf, 2, 3))) static void put(Text* t, const char* format, ...)
{
    va_list arguments;
    for (;;) {
        va_start(arguments, format);
        int length = vsnprintf(t->bytes + t->size, t->room - t->size, format, arguments);
        va_end(arguments);
        if (t->size + (size_t)length < t->room) {
            t->size += (size_t)length;
            return;
        }
        t->room = 2 * t->room + (size_t)length + 1;
        t->bytes = realloc(t->bytes, t->room);
        if (t->bytes == NULL) {
            abort();
        }
    }
}

// Removes the comma before the first of the members that were put since `start`.
static void drop_comma(Text* t, size_t start)
{
    memmove(t->bytes + start, t->bytes + start + 2, t->size - start - 2);
    t->size -= 2;
}

static void put_vec(Text* t, const char* key, CordVec3 v)
{
    put(t, ", \"%s\": [%.17g, %.17g, %.17g]", key, v.x, v.y, v.z);
}

static void put_number(Text* t, const char* key, double x)
{
    if (!isnan(x)) {
        put(t, ", \"%s\": %.17g", key, x);
    }
}

static void put_turn(Text* t, const char* key, CordQuat q) // the scene file has an axis and an angle
{
    CordVec3 u = {q.x, q.y, q.z};
    double sine = cord_vec3_length(u);
    CordVec3 axis = sine > 0.0 ? u : cord_vec3(0, 0, 1);
    put(t, ", \"%s\": {\"angle\": %.17g", key, 2.0 * atan2(sine, q.w));
    put_vec(t, "axis", axis);
    put(t, "}");
}

static void put_fields(Text* t, const Field* fields, const void* object)
{
    for (const Field* f = fields; f->key != NULL; f++) {
        const void* at = (const char*)object + f->offset;
        if (f->key[0] == '\0') {
            continue;
        }
        if (f->nature == SCALAR || f->nature == PSEUDO) {
            put_number(t, f->key, *(const double*)at);
        } else if (!isnan(((const CordVec3*)at)->x)) {
            put_vec(t, f->key, *(const CordVec3*)at);
        }
    }
}

static const char* const knots[] = {"overhand", "figure_eight"};

// A chain, with a beam across every other pair of edges.
static void put_network_edges(Text* t, const Shape* s)
{
    if (s->kind == NETWORK) {
        put(t, ", \"edges\": [");
        for (int i = 0; i + 1 < s->point_count; i++) {
            put(t, "%s[%d, %d]", i > 0 ? ", " : "", i, i + 1);
        }
        for (int i = 0; i + 2 < s->point_count; i += 2) {
            put(t, ", [%d, %d]", i, i + 2);
        }
        put(t, "]");
    }
}

static void put_shape(Text* t, const char* key, const Shape* s)
{
    put(t, ", \"%s\": {\"%s\": {", key, shapes[s->kind].name);
    if (shapes[s->kind].fields == points_fields) {
        put(t, "\"%s\": [", s->kind == NETWORK ? "nodes" : "points");
        for (int i = 0; i < s->point_count; i++) {
            CordVec3 p = s->points[i];
            put(t, "%s[%.17g, %.17g, %.17g]", i > 0 ? ", " : "", p.x, p.y, p.z);
        }
        put(t, "]");
        put_network_edges(t, s);
    } else {
        size_t start = t->size;
        put_fields(t, shapes[s->kind].fields, s);
        drop_comma(t, start);
        if (s->kind == KNOT) {
            put(t, ", \"name\": \"%s\", \"size\": %.17g, \"mirrored\": %s", knots[s->knot], 2.0 * s->radius,
                s->handed < 0.0 ? "true" : "false");
        }
        if ((s->kind == CIRCLE || s->kind == ELLIPSE) && !isnan(s->degrees[0])) {
            put(t, ", \"degrees\": [%.17g, %.17g]", s->degrees[0], s->degrees[1]);
        }
    }
    put(t, "}}");
}

static void put_section(Text* t, const Rod* r)
{
    put(t, ", \"section\": {");
    switch (r->section) {
    case DISC: put(t, "\"disc\": {\"radius\": %.17g}", r->size[0]); break;
    case TUBE:
        put(t, "\"tube\": {\"outer_radius\": %.17g, \"inner_radius\": %.17g}", r->size[0], r->size[1]);
        break;
    case OVAL: put(t, "\"ellipse\": {\"half1\": %.17g, \"half2\": %.17g}", r->size[0], r->size[1]); break;
    case RECTANGLE:
        put(t, "\"rectangle\": {\"width1\": %.17g, \"width2\": %.17g}", r->size[0], r->size[1]);
        break;
    default: put(t, "\"disc\": {\"radius\": [%.17g, %.17g]}", r->size[0], r->size[1]); break;
    }
    put(t, "}");
}

static const char* const integrators[] = {"verlet", "symplectic_euler", "implicit", "backward_euler"};
static const char* const fixes[] = {"position", "direction", "frame"};
static const char* const orders[] = {"natural", "bilateral", "interleaved"};

static void put_pbd(Text* t, const Rod* r)
{
    put(t, ",\n     \"pbd\": {\"solver\": \"%s\"", r->weights ? "pbd" : "xpbd");
    if (r->sweeps && !r->weights) {
        put(t, ", \"method\": \"sweeps\"");
    }
    if (r->sweeps || r->weights) {
        put(t, ", \"order\": \"%s\"", orders[r->order]);
    } else {
        put(t, ", \"tolerance\": 1e-12");
    }
    put(t, ", \"substeps\": %d, \"iterations\": %d}", r->substeps, r->iterations);
}

static void put_rod(Text* t, const Rod* r)
{
    put(t, "    {\"name\": \"%s\", \"model\": \"%s\", \"integrator\": \"%s\"", r->name,
        cord_model_name(r->model), integrators[r->integrator]);
    put(t,
        ",\n     \"material\": {\"young\": %.17g, \"poisson\": %.17g, \"density\": %.17g, \"friction\": "
        "%.17g}",
        r->young, r->poisson, r->density, r->friction);
    put_section(t, r);
    put(t, "\n    ");
    put_shape(t, "shape", &r->shape);
    if (r->shape.kind != NODES) {
        put(t, ", \"elements\": %d", r->elements);
    }
    if (r->closed && r->shape.kind != CIRCLE && r->shape.kind != ELLIPSE) {
        put(t, ", \"closed\": true");
    }
    if (r->rest == STRAIGHT) {
        put(t, ", \"rest\": \"straight\"");
    } else if (r->rest == REST_SHAPE) {
        put_shape(t, "rest", &r->rest_shape);
    }
    if (r->frame == FRAME_FIRST) {
        put_vec(t, "frame", r->m1);
    } else if (r->frame == FRAME_TOWARD) {
        put(t, ", \"frame\": {\"toward\": [%.17g, %.17g, %.17g]}", r->m1.x, r->m1.y, r->m1.z);
    }
    put(t, ",\n     \"inextensible\": %s", r->inextensible ? "true" : "false");
    if (r->fast_projection) {
        put(t, ", \"length_method\": \"fast_projection\"");
    }
    if (r->dynamic_twist) {
        put(t, ", \"dynamic_twist\": true");
    }
    if (!r->touches) {
        put(t, ", \"contact\": false");
    }
    if (r->adaptive) {
        put(t, ", \"adapt\": {\"refine_turn\": 0.25, \"merge_turn\": 0.1, \"merge_time\": %.17g}",
            r->merge_time);
    }
    if (r->coupling != 0.0) {
        put(t, ", \"stiffness\": {\"bend_coupling\": %.17g}", r->coupling);
    }
    if (r->twist != 0.0) {
        put(t, ", \"twist\": {\"angle\": %.17g}", r->twist);
    }
    if (r->rest_twist != 0.0) {
        put(t, ", \"rest_twist\": {\"angle\": %.17g}", r->rest_twist);
    }
    if (r->damping_time > 0.0) {
        put(t, ", \"damping\": {\"time\": %.17g}", r->damping_time);
    }
    put_fields(t, rod_fields, r);
    if (r->model == CORD_MODEL_CORDE) {
        put(t, ", \"corde\": {\"orientations\": \"%s\"}",
            r->explicit_orientations ? "explicit" : "quasistatic");
    } else if (rod_is_position_based(r)) {
        put_pbd(t, r);
    } else if (r->model == CORD_MODEL_MODAL) {
        put(t, ", \"modal\": {\"modes\": %d, \"damping_ratio\": %.17g, \"rigid\": \"remove\"}", r->modes,
            r->modal_damping);
    }
    put(t, "}");
}

static void put_place(Text* t, const Place* p)
{
    switch (p->kind) {
    case CORD_AT_START: put(t, "\"start\""); break;
    case CORD_AT_END: put(t, "\"end\""); break;
    case CORD_AT_NODE: put(t, "{\"node\": %d}", p->index); break;
    case CORD_AT_EDGE: put(t, "{\"edge\": %d}", p->index); break;
    default: put(t, "{\"arc\": %.17g}", p->arc); break;
    }
}

static void put_motion(Text* t, const Motion* m)
{
    switch (m->kind) {
    case CORD_MOTION_TRANSLATE:
        put(t, "{\"translate\": {\"by\": [%.17g, %.17g, %.17g]}", m->vector.x, m->vector.y, m->vector.z);
        break;
    case CORD_MOTION_ROTATE:
        put(t, "{\"rotate\": {\"angle\": %.17g", m->angle);
        put_vec(t, "axis", m->axis);
        if (!isnan(m->center.x)) {
            put_vec(t, "center", m->center);
        }
        put(t, "}");
        break;
    case CORD_MOTION_OSCILLATE:
        put(t, "{\"oscillate\": {\"frequency\": %.17g, \"phase\": %.17g", m->frequency, m->phase);
        put_vec(t, "amplitude", m->vector);
        put(t, "}");
        break;
    case CORD_MOTION_KEYFRAMES:
        put(t, "{\"keyframes\": [");
        for (int k = 0; k < MOST_KEYS; k++) {
            const Key* key = &m->keys[k];
            put(t, "%s{\"time\": %.17g", k > 0 ? ", " : "", key->time);
            put_vec(t, "offset", key->offset);
            put(t, ", \"rotate\": {\"angle\": %.17g", key->angle);
            put_vec(t, "axis", key->axis);
            put(t, "}}");
        }
        put(t, "]}");
        return;
    }
    put(t, ", \"from\": %.17g, \"to\": %.17g%s}", m->from, m->to,
        m->smooth && m->kind != CORD_MOTION_OSCILLATE ? ", \"ease\": \"smooth\"" : "");
}

static void put_motions(Text* t, const Motion* motions, int count)
{
    if (count > 0) {
        put(t, ", \"motion\": [");
        for (int i = 0; i < count; i++) {
            put(t, "%s", i > 0 ? ", " : "");
            put_motion(t, &motions[i]);
        }
        put(t, "]");
    }
}

static void put_clamp(Text* t, const Scene* s, const Clamp* c)
{
    put(t, "    {\"rod\": \"%s\", \"at\": ", s->rods[c->rod].name);
    put_place(t, &c->at);
    put(t, ", \"fix\": \"%s\"", fixes[c->fix]);
    put_fields(t, clamp_fields, c);
    put_motions(t, c->motions, c->motion_count);
    put(t, "}");
}

static void put_body(Text* t, const Body* b)
{
    put(t, "    {\"name\": \"%s\", \"shape\": ", b->name);
    switch (b->shape) {
    case CORD_SOLID_BOX:
        put(t, "{\"box\": {\"size\": [%.17g, %.17g, %.17g]}}", b->size[0], b->size[1], b->size[2]);
        break;
    case CORD_SOLID_CYLINDER:
        put(t, "{\"cylinder\": {\"radius\": %.17g, \"length\": %.17g}}", b->size[0], b->size[1]);
        break;
    case CORD_SOLID_CAPSULE:
        put(t, "{\"capsule\": {\"radius\": %.17g, \"length\": %.17g}}", b->size[0], b->size[1]);
        break;
    case CORD_SOLID_CONE:
        put(t, "{\"cone\": {\"radius\": %.17g, \"height\": %.17g}}", b->size[0], b->size[1]);
        break;
    default: put(t, "{\"sphere\": {\"radius\": %.17g}}", b->size[0]); break;
    }
    put_fields(t, body_fields, b);
    put_turn(t, "rotation", b->rotation);
    put(t, "%s}", b->touches ? "" : ", \"contact\": false");
}

static void put_weld(Text* t, const Scene* s, const Weld* w)
{
    put(t, "    {\"rod\": \"%s\", \"body\": \"%s\", \"fix\": \"%s\", \"at\": ", s->rods[w->rod].name,
        s->bodies[w->body].name, fixes[w->fix]);
    put_place(t, &w->at);
    put(t, "}");
}

static void put_joint(Text* t, const Scene* s, const Joint* j)
{
    put(t, "    {\"kind\": \"%s\", \"rods\": [", j->pin ? "pin" : "weld");
    for (int i = 0; i < 2; i++) {
        put(t, "%s[\"%s\", ", i > 0 ? ", " : "", s->rods[j->rods[i]].name);
        put_place(t, &j->at[i]);
        put(t, "]");
    }
    put(t, "]}");
}

static void put_obstacle(Text* t, const Obstacle* o)
{
    static const char* const names[] = {"plane", "sphere", "box",  "cylinder", "capsule",
                                        "torus", "tube",   "mesh", "cone"};
    put(t, "    {\"%s\": {", names[o->shape]);
    size_t start = t->size;
    switch (o->shape) {
    case CORD_SOLID_PLANE: put_vec(t, "normal", o->axis), put_vec(t, "through", o->from); break;
    case CORD_SOLID_BOX:
        put_vec(t, "center", o->from);
        put_vec(t, "size", cord_vec3(o->size[0], o->size[1], o->size[2]));
        put_turn(t, "rotate", o->rotation);
        break;
    case CORD_SOLID_SPHERE: put_vec(t, "center", o->from), put_number(t, "radius", o->size[0]); break;
    case CORD_SOLID_MESH:
        put(t, ", \"file\": \"" PROPERTY_FOLDER "/octahedron.obj\"");
        put_vec(t, "position", o->from), put_number(t, "scale", o->size[0]);
        put_turn(t, "rotate", o->rotation);
        break;
    case CORD_SOLID_TORUS:
        put_vec(t, "center", o->from), put_vec(t, "axis", o->axis);
        put_number(t, "radius", o->size[0]), put_number(t, "tube", o->size[1]);
        break;
    case CORD_SOLID_TUBE:
        put_vec(t, "from", o->from), put_vec(t, "to", o->to);
        put_number(t, "outer", o->size[0]), put_number(t, "inner", o->size[1]);
        break;
    default: put_vec(t, "from", o->from), put_vec(t, "to", o->to), put_number(t, "radius", o->size[0]); break;
    }
    drop_comma(t, start);
    put(t, "}, \"friction\": %.17g", o->friction);
    put_motions(t, o->motions, o->motion_count);
    put(t, "}");
}

static void put_wind(Text* t, const Load* l)
{
    put(t, "{\"velocity\": [%.17g, %.17g, %.17g]", l->wind.x, l->wind.y, l->wind.z);
    if (l->gust > 0.0) {
        put(t, ", \"gust\": %.17g, \"period\": %.17g", l->gust, l->period);
    }
    if (l->vortex > 0.0) {
        put(t, ", \"vortex\": %.17g, \"spacing\": %.17g", l->vortex, l->spacing);
    }
    put(t, "}");
}

static void put_load(Text* t, const Scene* s, const Load* l)
{
    put(t, "    {\"%s\": {", cord_load_kind((int)l->kind)->name);
    size_t start = t->size;
    if (l->rod >= 0) {
        put(t, ", \"rod\": \"%s\"", s->rods[l->rod].name);
    }
    if (l->rod >= 0 && l->kind != CORD_LOAD_DRAG) {
        put(t, ", \"at\": ");
        put_place(t, &l->at);
    }
    if (l->body >= 0) {
        put(t, ", \"body\": \"%s\"", s->bodies[l->body].name);
    }
    switch (l->kind) {
    case CORD_LOAD_FORCE: put_vec(t, "force", l->force); break;
    case CORD_LOAD_TORQUE: put_vec(t, "torque", l->torque); break;
    case CORD_LOAD_SPRING:
        put_vec(t, "target", l->target), put_number(t, "stiffness", l->stiffness);
        put_number(t, "damping", l->damping), put_number(t, "most", l->most);
        break;
    default:
        put_number(t, "along", l->along), put_number(t, "across", l->across);
        if (!isnan(l->wind.x)) {
            put(t, ", \"wind\": ");
            put_wind(t, l);
        }
        break;
    }
    put_fields(t, load_fields, l);
    drop_comma(t, start);
    put(t, "}}");
}

#define PUT_LIST(t, key, count, call)                                                                        \
    do {                                                                                                     \
        if ((count) > 0) {                                                                                   \
            put(t, ",\n  \"" key "\": [\n");                                                                 \
            for (int i = 0; i < (count); i++) {                                                              \
                call;                                                                                        \
                put(t, "%s\n", i + 1 < (count) ? "," : "");                                                  \
            }                                                                                                \
            put(t, "  ]");                                                                                   \
        }                                                                                                    \
    } while (0)

char* scene_text(const Scene* s)
{
    Text text = {malloc(4096), 0, 4096}, *t = &text;
    if (t->bytes == NULL) {
        abort();
    }
    put(t, "{\n  \"cordage\": 1");
    put_fields(t, scene_fields, s);
    double end = s->step * s->steps;
    put(t, ",\n  \"time\": {\"step\": %.17g, \"end\": %.17g, \"fps\": %.17g}", s->step, end,
        fmin(1.0 / end, 1e6));
    PUT_LIST(t, "rods", s->rod_count, put_rod(t, &s->rods[i]));
    PUT_LIST(t, "clamps", s->clamp_count, put_clamp(t, s, &s->clamps[i]));
    PUT_LIST(t, "bodies", s->body_count, put_body(t, &s->bodies[i]));
    PUT_LIST(t, "welds", s->weld_count, put_weld(t, s, &s->welds[i]));
    PUT_LIST(t, "joints", s->joint_count, put_joint(t, s, &s->joints[i]));
    PUT_LIST(t, "obstacles", s->obstacle_count, put_obstacle(t, &s->obstacles[i]));
    PUT_LIST(t, "loads", s->load_count, put_load(t, s, &s->loads[i]));
    if (s->contact) {
        put(t,
            ",\n  \"contact\": {\"friction\": %.17g, \"tolerance\": %.17g, \"iterations\": 2000, "
            "\"response\": \"%s\"}",
            s->contact_friction, s->contact_tolerance, s->zones ? "zones" : "impulses");
    } else {
        put(t, ",\n  \"contact\": false");
    }
    put(t, "\n}\n");
    return t->bytes;
}
