// Rigid bodies.
#include "scene/values.h"

#include <math.h>

typedef struct BodyKeys {
    CordBodyDef def;
    Turn rotation;
    SurfaceKeys surface;
    bool contact;
} BodyKeys;

typedef struct BodySize { // what the shapes are given by
    double radius, length;
    CordVec3 size;
} BodySize;

// ---- shapes

static const Quantity quantity_widths = {
    .what = "the widths of a box are in metres", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e9)};

#define RADIUS_FIELD                                                                                         \
    {                                                                                                        \
        FIELD("radius", NUMBER, BodySize, radius), .needed = "it in metres", .quantity = &quantity_radius    \
    }
#define LENGTH_FIELD                                                                                         \
    {                                                                                                        \
        FIELD("length", NUMBER, BodySize, length), .needed = "it in metres", .quantity = &quantity_length    \
    }

static const Field sphere_fields[] = {RADIUS_FIELD};
const Table table_sphere = TABLE("sphere", "a sphere", sphere_fields);

static const Field box_fields[] = {
    {FIELD("size", VECTOR, BodySize, size), .needed = "its three widths in metres", .quantity = &quantity_widths},
};
const Table table_box = TABLE("box", "a box", box_fields);

static const Field cylinder_fields[] = {RADIUS_FIELD, LENGTH_FIELD};
const Table table_cylinder = TABLE("cylinder", "a cylinder", cylinder_fields);

static const Field capsule_fields[] = {RADIUS_FIELD, LENGTH_FIELD};
const Table table_capsule = TABLE("capsule", "a capsule", capsule_fields);

static void read_solid(Reader* r, const JsonValue* value, CordBodyShape shape, const Table* table, CordBodyDef* def)
{
    BodySize keys = {0};
    if (read_table(r, value, table, &keys)) {
        def->shape = shape;
        def->size = shape == CORD_BODY_BOX ? keys.size : (CordVec3){keys.radius, 0, keys.length};
    }
}

static void read_sphere(Reader* r, const JsonValue* value, void* def)
{
    read_solid(r, value, CORD_BODY_SPHERE, &table_sphere, def);
}

static void read_box(Reader* r, const JsonValue* value, void* def)
{
    read_solid(r, value, CORD_BODY_BOX, &table_box, def);
}

static void read_cylinder(Reader* r, const JsonValue* value, void* def)
{
    read_solid(r, value, CORD_BODY_CYLINDER, &table_cylinder, def);
}

static void read_capsule(Reader* r, const JsonValue* value, void* def)
{
    read_solid(r, value, CORD_BODY_CAPSULE, &table_capsule, def);
}

static const Field shape_fields[] = {
    {.name = "sphere", .kind = FIELD_OTHER, .variant = true, .read = read_sphere},
    {.name = "box", .kind = FIELD_OTHER, .variant = true, .read = read_box},
    {.name = "cylinder", .kind = FIELD_OTHER, .variant = true, .read = read_cylinder},
    {.name = "capsule", .kind = FIELD_OTHER, .variant = true, .read = read_capsule},
};
const Table table_body_shape = TABLE("body_shape", "a body's shape", shape_fields);

// ---- inertia

static const Quantity quantity_inertia = {
    .what = "a moment of inertia is in kilogram square metres", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e18)};
static const Quantity quantity_product = {.what = "a product of inertia is in kilogram square metres",
                                          .must = "be at least -1e18",
                                          .low = -1e18,
                                          QUANTITY_UP_TO(1e18)};

static bool read_row(Reader* r, const JsonValue* row, int index, double matrix[3][3])
{
    if (row->kind != JSON_ARRAY || row->count != 3) {
        reader_error(r, row, "is %s; a row of an inertia is three numbers", reader_describe(r, row));
        return false;
    }
    bool good = true;
    const JsonValue* entry = row->first;
    for (int k = 0; k < 3; k++, entry = entry->next) {
        Path path = {r->path, NULL, k};
        r->path = &path;
        good = read_number(r, entry, k == index ? &quantity_inertia : &quantity_product, &matrix[index][k]) && good;
        r->path = path.up;
    }
    return good;
}

static bool check_symmetric(Reader* r, const JsonValue* value, double m[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < i; k++) {
            if (fabs(m[i][k] - m[k][i]) > 1e-9 * (fabs(m[i][k]) + fabs(m[k][i]))) { // written with fewer digits is alike
                reader_error(r, value,
                             "has %g in row %d, column %d and %g in row %d, column %d; an inertia is symmetric",
                             m[k][i], k + 1, i + 1, m[i][k], i + 1, k + 1);
                return false;
            }
        }
    }
    return true;
}

// A body turns with positive energy about every axis: the leading minors are positive.
static void check_definite(Reader* r, const JsonValue* value, const double* j)
{
    double xx = j[0], yy = j[1], zz = j[2], xy = j[3], xz = j[4], yz = j[5];
    double two = xx * yy - xy * xy;
    double three = zz * two - xx * yz * yz - yy * xz * xz + 2.0 * xy * xz * yz;
    if (!(two > 0.0 && three > 0.0)) {
        reader_error(r, value,
                     "is not positive definite: about some axis it would turn with no inertia or less; products of "
                     "inertia must be smaller than the moments");
    }
}

// Three moments, or the rows of a matrix.
static void read_inertia(Reader* r, const JsonValue* value, void* target)
{
    double* inertia = target;
    bool is_three = value->kind == JSON_ARRAY && value->count == 3;
    if (is_three && value->first->kind != JSON_ARRAY) {
        CordVec3 moments;
        if (read_vector(r, value, &quantity_inertia, &moments)) {
            inertia[0] = moments.x, inertia[1] = moments.y, inertia[2] = moments.z;
            inertia[3] = inertia[4] = inertia[5] = 0.0;
        }
        return;
    }
    if (!is_three) {
        reader_error(r, value, "is %s; an inertia is three moments, [xx, yy, zz], or three rows of three",
                     reader_describe(r, value));
        return;
    }
    double m[3][3];
    bool good = true;
    const JsonValue* row = value->first;
    for (int i = 0; i < 3; i++, row = row->next) {
        Path path = {r->path, NULL, i};
        r->path = &path;
        good = read_row(r, row, i, m) && good;
        r->path = path.up;
    }
    if (good && check_symmetric(r, value, m)) {
        const double six[6] = {m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]};
        for (int i = 0; i < 6; i++) {
            inertia[i] = six[i];
        }
        check_definite(r, value, six);
    }
}

// ---- bodies

static const Quantity quantity_mass = {.what = "a mass is in kilograms", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e12)};
static const Quantity quantity_density = {
    .what = "a density is in kilograms per cubic metre", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e6)};

static const Field body_fields[] = {
    {FIELD("name", OTHER, BodyKeys, def.name), .read = read_name},
    {FIELD("shape", OBJECT, BodyKeys, def), .needed = "what it is, such as {\"sphere\": {\"radius\": 0.02}}",
     .table = &table_body_shape},
    {FIELD("mass", NUMBER, BodyKeys, def.mass), .quantity = &quantity_mass},
    {FIELD("density", NUMBER, BodyKeys, def.density), .quantity = &quantity_density},
    {FIELD("inertia", OTHER, BodyKeys, def.inertia), .read = read_inertia},
    {FIELD("position", VECTOR, BodyKeys, def.position), .quantity = &quantity_position},
    {FIELD("rotation", OBJECT, BodyKeys, rotation), .table = &table_turn},
    {FIELD("velocity", VECTOR, BodyKeys, def.velocity), .quantity = &quantity_velocity},
    {FIELD("spin", VECTOR, BodyKeys, def.spin), .quantity = &quantity_spin},
    SURFACE_FIELDS(BodyKeys, surface),
    {FIELD("contact", BOOL, BodyKeys, contact), .what = "this says whether rods touch a body"},
};
const Table table_body = TABLE("body", "a body", body_fields);

static void read_entry(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordScene* scene = user;
    BodyKeys keys = {
        .def = cord_body_def_default(), .rotation = {.by = ANGLE_NONE}, .surface = SURFACE_NONE, .contact = true};
    keys.def.name = pool_format(r->pool, "body%d", index + 1);
    keys.def.mass = NAN;
    if (read_table(r, entry, &table_body, &keys)) {
        bool mass = json_member(entry, "mass") != NULL, density = json_member(entry, "density") != NULL;
        if (mass == density) {
            reader_error(r, entry, "has %s; write one: mass in kilograms, or density in kilograms per cubic metre",
                         mass ? "both mass and density" : "neither mass nor density");
        }
        keys.def.rotation = turn_rotation(&keys.rotation);
        keys.def.friction = surface_friction(&keys.surface);
        keys.def.surface = keys.surface.material.surface;
        keys.def.intangible = !keys.contact;
    }
    scene->bodies[index] = (SceneBody){keys.def, entry};
}

static const char* body_name(const void* context, int i)
{
    const CordScene* scene = context;
    return scene->bodies[i].def.name;
}

static const JsonValue* body_place(const void* context, int i)
{
    const CordScene* scene = context;
    return scene->bodies[i].at;
}

void read_bodies(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    scene->bodies = value->kind == JSON_ARRAY ? pool_array(r->pool, SceneBody, value->count) : NULL;
    if (value->kind == JSON_ARRAY && !scene->bodies) {
        return;
    }
    scene->body_count = scene->bodies ? (int)value->count : 0;
    read_list(r, value, "bodies are a list", read_entry, scene);
    if (name_index_make(r->pool, &scene->body_index, body_name, scene, scene->body_count)) {
        names_check(r, "bodies", &scene->body_index, body_place, scene);
    }
}
