// Rigid bodies.
#include "scene/values.h"

#include <math.h>

typedef struct BodyKeys {
    CordBodyDef def;
    Turn rotation;
    SurfaceKeys surface;
    bool contact;
} BodyKeys;

// ---- shapes

static void read_shape_of(Reader* r, const JsonValue* value, void* target)
{
    CordBodyDef* def = target;
    int shape = r->field->tag;
    SolidKeys keys;
    if (read_solid_keys(r, value, &keys)) {
        CordSolid solid = {.shape = (CordSolidShape)shape, .size = keys.size};
        def->solid = solid_check(r, value, &solid) ? solid : def->solid;
    }
}

static const Table table_body_shape;

static const Table* body_shape_expand(Pool* pool)
{
    return solid_fields(pool, &table_body_shape, false, read_shape_of, 0);
}

static const Table table_body_shape = {.name = "body_shape",
                                       .noun = "a body's shape",
                                       .about = "A body's shape: exactly one kind.",
                                       .expand = body_shape_expand};

// ---- inertia

static const Quantity quantity_inertia =
    POSITIVE("a moment of inertia is in kilogram square metres", "kg m^2", 1e18);
static const Quantity quantity_product =
    AT_LEAST(-1e18, "a product of inertia is in kilogram square metres", "kg m^2", 1e18);

static bool read_row(Reader* r, const JsonValue* row, int index, double matrix[3][3])
{
    if (!check_list(r, row, 3, 3, "a row of an inertia is three numbers")) {
        return false;
    }
    bool good = true;
    const JsonValue* entry = row->first;
    for (int k = 0; k < 3; k++, entry = entry->next) {
        good = read_number(r, entry, k == index ? &quantity_inertia : &quantity_product, &matrix[index][k]) &&
               good;
    }
    return good;
}

static bool check_symmetric(Reader* r, const JsonValue* value, double m[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < i; k++) {
            bool same = fabs(m[i][k] - m[k][i]) <=
                        1e-9 * (fabs(m[i][k]) + fabs(m[k][i])); // rounding of what was written
            if (!same) {
                return reader_error(
                    r, value,
                    "has %g in row %d, column %d and %g in row %d, column %d; an inertia is symmetric",
                    m[k][i], k + 1, i + 1, m[i][k], i + 1, k + 1);
            }
        }
    }
    return true;
}

// Positive definite, by its leading minors: the body has inertia about every axis.
static void check_definite(Reader* r, const JsonValue* value, const double* j)
{
    double xx = j[0], yy = j[1], zz = j[2], xy = j[3], xz = j[4], yz = j[5];
    double two = xx * yy - xy * xy;
    double three = zz * two - xx * yz * yz - yy * xz * xz + 2.0 * xy * xz * yz;
    if (!(two > 0.0 && three > 0.0)) {
        reader_error(
            r, value,
            "is not positive definite: about some axis it would turn with no inertia or less; products of "
            "inertia must be smaller than the moments");
    }
}

// An inertia is three moments, or the rows of a symmetric matrix.
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
        value_error(r, value, "an inertia is three moments, [xx, yy, zz], or three rows of three");
        return;
    }
    double m[3][3];
    bool good = true;
    const JsonValue* row = value->first;
    for (int i = 0; i < 3; i++, row = row->next) {
        good = read_row(r, row, i, m) && good;
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

static const Quantity quantity_mass = POSITIVE("a mass is in kilograms", "kg", 1e12);

static void body_start(void* keys)
{
    BodyKeys* body = keys;
    *body = (BodyKeys){.def = cord_body_def_default(),
                       .rotation = {.by = ANGLE_NONE},
                       .surface = SURFACE_NONE,
                       .contact = true};
    body->def.mass = NAN;
}

static const Field body_fields[] = {
    {FIELD("name", NAME, BodyKeys, def.name), .about = "Name for welds, loads, probes and recordings.",
     .otherwise = "`body1`, `body2`, ..."},
    {FIELD("shape", OBJECT, BodyKeys, def),
     .about = "Shape for contact and pictures, and for mass and inertia where they are not given.",
     .needed = "what it is, such as {\"sphere\": {\"radius\": 0.02}}", .table = &table_body_shape},
    {FIELD("mass", NUMBER, BodyKeys, def.mass), .about = "Mass.", .otherwise = "needed, or `density`",
     .either = true, .quantity = &quantity_mass},
    {FIELD("density", NUMBER, BodyKeys, def.density), .about = "Density, in the volume of its shape.",
     .otherwise = "needed, or `mass`", .either = true, .quantity = &quantity_density},
    {FIELD("inertia", MATRIX, BodyKeys, def.inertia),
     .about = "Moments of inertia about the centre, in the body's axes: three, or the rows of a symmetric "
              "matrix.",
     .otherwise = "from its shape", .quantity = &quantity_inertia, .read = read_inertia},
    {FIELD("position", VECTOR, BodyKeys, def.position), .about = "Position of the centre of mass.",
     .quantity = &quantity_position},
    {FIELD("rotation", OBJECT, BodyKeys, rotation), .about = "Rotation at the start.",
     .otherwise = "not turned", .table = &table_turn},
    {FIELD("velocity", VECTOR, BodyKeys, def.velocity), .about = "Velocity at the start.",
     .quantity = &quantity_velocity},
    {FIELD("spin", VECTOR, BodyKeys, def.spin),
     .about = "Angular velocity at the start, in the axes of space.", .quantity = &quantity_spin},
    SURFACE_FIELDS(BodyKeys, surface),
    {FIELD("contact", BOOL, BodyKeys, contact),
     .about = "Whether rods touch the body, in a scene with contact."},
};
const Table table_body = TABLE("body", "a body", body_fields, .about = "A rigid body.",
                               .size = sizeof(BodyKeys), .start = body_start);

static void read_entry(Reader* r, const JsonValue* entry, int index, void* entries)
{
    BodyKeys keys;
    body_start(&keys);
    keys.def.name = pool_format(r->pool, "body%d", index + 1);
    if (read_table(r, entry, &table_body, &keys)) {
        bool mass = json_member(entry, "mass") != NULL, density = json_member(entry, "density") != NULL;
        if (mass == density) {
            reader_error(r, entry,
                         "has %s; write one: mass in kilograms, or density in kilograms per cubic metre",
                         mass ? "both mass and density" : "neither mass nor density");
        }
        keys.def.rotation = turn_rotation(&keys.rotation);
        keys.def.friction = surface_friction(&keys.surface);
        keys.def.friction_kinetic = surface_friction_kinetic(&keys.surface);
        keys.def.restitution = surface_restitution(&keys.surface);
        keys.def.rolling_friction = surface_rolling(&keys.surface);
        keys.def.spinning_friction = surface_spinning(&keys.surface);
        check_kinetic(r, entry, keys.def.friction, keys.def.friction_kinetic);
        keys.def.surface = keys.surface.material.surface;
        keys.def.intangible = !keys.contact;
    }
    ((SceneBody*)entries)[index] = (SceneBody){keys.def, entry};
}

void read_bodies(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    NamedList kind = NAMED_LIST(SceneBody, def.name, NULL, 0);
    List bodies = read_named(r, value, read_entry, kind, &scene->body_index);
    scene->bodies = bodies.entries;
    scene->body_count = bodies.count;
}
