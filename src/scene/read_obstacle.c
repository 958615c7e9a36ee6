// Obstacles. Each shape is written where it stands in space; what the world wants is where its own axes are.
#include "base/real.h"
#include "scene/mesh_file.h"

#include <math.h>

#define MOST_OBSTACLES 10000

typedef struct ObstacleKeys {
    CordObstacleDef def;
    MotionList motion;
    SurfaceKeys surface;
} ObstacleKeys;

// ---- directions

// Scaled first, so that no direction is too short or too long to have a length.
static CordVec3 unit(CordVec3 a, double* length)
{
    double most = real_max(real_max(fabs(a.x), fabs(a.y)), fabs(a.z));
    CordVec3 s = {a.x / most, a.y / most, a.z / most};
    double root = sqrt(s.x * s.x + s.y * s.y + s.z * s.z);
    *length = most * root;
    return (CordVec3){s.x / root, s.y / root, s.z / root};
}

// The shortest turn of z to a direction: about the axis at right angles to both, by twice the angle whose tangent, or cotangent where the
// direction points down, is t.
static CordQuat turn_from_z(CordVec3 direction)
{
    double length, sine = 0.0;
    CordVec3 d = unit(direction, &length), across = {d.x, d.y, 0};
    bool upright = d.x == 0.0 && d.y == 0.0;
    CordVec3 u = upright ? (CordVec3){0, -1, 0} : unit(across, &sine);
    double t = sine / (1.0 + fabs(d.z)), norm = sqrt(1.0 + t * t), a = d.z > 0.0 ? t : 1.0,
           w = d.z > 0.0 ? 1.0 : t;
    return (CordQuat){-u.y * a / norm, u.x * a / norm, 0.0, w / norm};
}

// ---- plane, sphere, box

typedef struct Plane {
    CordVec3 normal, through;
    double offset;
} Plane;

static const Quantity quantity_offset = {.what = "an offset is in metres along the normal", QUANTITY_ANY};

static const Field plane_fields[] = {
    {FIELD("normal", VECTOR, Plane, normal), .quantity = &quantity_direction},
    {FIELD("offset", NUMBER, Plane, offset), .quantity = &quantity_offset},
    {FIELD("through", VECTOR, Plane, through), .quantity = &quantity_position},
};
const Table table_plane = TABLE("plane", "a plane", plane_fields);

void read_plane(Reader* r, const JsonValue* value, void* target)
{
    CordObstacleDef* def = target;
    Plane keys = {.normal = {0, 0, 1}};
    if (!read_table(r, value, &table_plane, &keys)) {
        return;
    }
    bool through = json_member(value, "through") != NULL;
    if (through && json_member(value, "offset")) {
        reader_error(r, value,
                     "has both offset and through; write one: its distance from the origin along the normal, "
                     "or a point that it goes through");
        return;
    }
    double length;
    CordVec3 n = unit(keys.normal, &length), at = {keys.offset * n.x, keys.offset * n.y, keys.offset * n.z};
    def->shape = CORD_OBSTACLE_PLANE;
    def->position = through ? keys.through : at;
    def->rotation = turn_from_z(n);
}

typedef struct Block { // sphere and box
    CordVec3 center, size;
    double radius;
    Turn rotate;
} Block;

static const Quantity quantity_widths = {
    .what = "the widths of a box are in metres", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e9)};

static const Field sphere_fields[] = {
    {FIELD("center", VECTOR, Block, center), .quantity = &quantity_position},
    {FIELD("radius", NUMBER, Block, radius), .needed = "it in metres", .quantity = &quantity_radius},
};
const Table table_obstacle_sphere = TABLE("obstacle_sphere", "a sphere", sphere_fields);

static void read_sphere(Reader* r, const JsonValue* value, void* target)
{
    CordObstacleDef* def = target;
    Block keys = {.radius = 0.0};
    if (read_table(r, value, &table_obstacle_sphere, &keys)) {
        def->shape = CORD_OBSTACLE_SPHERE;
        def->size = (CordVec3){keys.radius, 0, 0};
        def->position = keys.center;
    }
}

static const Field box_fields[] = {
    {FIELD("center", VECTOR, Block, center), .quantity = &quantity_position},
    {FIELD("size", VECTOR, Block, size), .needed = "its three widths in metres", .quantity = &quantity_widths},
    {FIELD("rotate", OBJECT, Block, rotate), .table = &table_turn},
};
const Table table_obstacle_box = TABLE("obstacle_box", "a box", box_fields);

static void read_box(Reader* r, const JsonValue* value, void* target)
{
    CordObstacleDef* def = target;
    Block keys = {.rotate = {.by = ANGLE_NONE}};
    if (read_table(r, value, &table_obstacle_box, &keys)) {
        def->shape = CORD_OBSTACLE_BOX;
        def->size = keys.size;
        def->position = keys.center;
        def->rotation = turn_rotation(&keys.rotate);
    }
}

// ---- from one point to another

typedef struct Span {
    CordVec3 from, to;
    double radius, inner, outer;
} Span;

#define SPAN_FIELDS                                                                                               \
    {FIELD("from", VECTOR, Span, from), .needed = "where its axis begins, in metres",                             \
     .quantity = &quantity_position},                                                                             \
    {                                                                                                             \
        FIELD("to", VECTOR, Span, to), .needed = "where its axis ends, in metres", .quantity = &quantity_position \
    }
#define SPAN_RADIUS(key, member)                                                                             \
    {                                                                                                        \
        FIELD(key, NUMBER, Span, member), .needed = "it in metres", .quantity = &quantity_radius             \
    }

static const Field cylinder_fields[] = {SPAN_FIELDS, SPAN_RADIUS("radius", radius)};
const Table table_obstacle_cylinder = TABLE("obstacle_cylinder", "a cylinder", cylinder_fields);

static const Field capsule_fields[] = {SPAN_FIELDS, SPAN_RADIUS("radius", radius)};
const Table table_obstacle_capsule = TABLE("obstacle_capsule", "a capsule", capsule_fields);

static const Field tube_fields[] = {SPAN_FIELDS, SPAN_RADIUS("inner", inner), SPAN_RADIUS("outer", outer)};
const Table table_obstacle_tube = TABLE("obstacle_tube", "a tube", tube_fields);

static bool read_span(Reader* r, const JsonValue* value, const Table* table, CordObstacleShape shape,
                      CordObstacleDef* def, Span* keys)
{
    if (!read_table(r, value, table, keys)) {
        return false;
    }
    CordVec3 a = keys->from, b = keys->to, along = {b.x - a.x, b.y - a.y, b.z - a.z};
    if (along.x == 0.0 && along.y == 0.0 && along.z == 0.0) {
        reader_error(r, value, "goes from a point to the same point; from and to must be apart");
        return false;
    }
    def->shape = shape;
    unit(along, &def->size.z);
    def->position = (CordVec3){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
    def->rotation = turn_from_z(along);
    return true;
}

static void read_cylinder(Reader* r, const JsonValue* value, void* target)
{
    CordObstacleDef* def = target;
    Span keys = {.radius = 0.0};
    if (read_span(r, value, &table_obstacle_cylinder, CORD_OBSTACLE_CYLINDER, def, &keys)) {
        def->size.x = keys.radius;
    }
}

static void read_capsule(Reader* r, const JsonValue* value, void* target)
{
    CordObstacleDef* def = target;
    Span keys = {.radius = 0.0};
    if (read_span(r, value, &table_obstacle_capsule, CORD_OBSTACLE_CAPSULE, def, &keys)) {
        def->size.x = keys.radius;
    }
}

static void read_tube(Reader* r, const JsonValue* value, void* target)
{
    CordObstacleDef* def = target;
    Span keys = {.radius = 0.0};
    if (!read_span(r, value, &table_obstacle_tube, CORD_OBSTACLE_TUBE, def, &keys)) {
        return;
    }
    if (!(keys.inner < keys.outer)) {
        reader_error(r, value, "has inner %g and outer %g; a tube is wider outside than inside", keys.inner,
                     keys.outer);
        return;
    }
    def->size.x = keys.outer;
    def->size.y = keys.inner;
}

// ---- torus

typedef struct Torus {
    CordVec3 center, axis;
    double radius, tube;
} Torus;

static const Field torus_fields[] = {
    {FIELD("center", VECTOR, Torus, center), .quantity = &quantity_position},
    {FIELD("axis", VECTOR, Torus, axis), .quantity = &quantity_direction},
    {FIELD("radius", NUMBER, Torus, radius), .needed = "that of its circle in metres", .quantity = &quantity_radius},
    {FIELD("tube", NUMBER, Torus, tube), .needed = "the radius of its tube in metres", .quantity = &quantity_radius},
};
const Table table_torus = TABLE("torus", "a torus", torus_fields);

static void read_torus(Reader* r, const JsonValue* value, void* target)
{
    CordObstacleDef* def = target;
    Torus keys = {.axis = {0, 0, 1}};
    if (!read_table(r, value, &table_torus, &keys)) {
        return;
    }
    if (!(keys.tube < keys.radius)) {
        reader_error(r, value, "has tube %g and radius %g; a torus has a hole, so its tube must be the smaller",
                     keys.tube, keys.radius);
        return;
    }
    def->shape = CORD_OBSTACLE_TORUS;
    def->size = (CordVec3){keys.radius, keys.tube, 0};
    def->position = keys.center;
    def->rotation = turn_from_z(keys.axis);
}

// ---- meshes

const Quantity quantity_scale = {.what = "a scale is a factor", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e9)};

typedef struct MeshObstacle {
    MeshKeys mesh;
} MeshObstacle;

static const Field mesh_fields[] = {MESH_FIELDS(MeshObstacle, mesh)};
const Table table_mesh = TABLE("mesh", "a mesh", mesh_fields);

bool read_mesh_keys(Reader* r, const MeshKeys* keys, bool lines_will_do, PlacedMesh* placed)
{
    MeshFile mesh = {0};
    Path path;
    reader_enter(r, &path, "file");
    bool good = read_mesh_file(r, keys->file, keys->scale, lines_will_do, &mesh);
    reader_leave(r, &path);
    if (good) {
        *placed = (PlacedMesh){mesh, keys->position, turn_rotation(&keys->rotate)};
    }
    return good;
}

void read_placed_mesh(Reader* r, const JsonValue* value, void* target)
{
    MeshObstacle keys = {MESH_KEYS_NONE};
    if (read_table(r, value, &table_mesh, &keys)) {
        read_mesh_keys(r, &keys.mesh, false, target);
    }
}

static void read_mesh(Reader* r, const JsonValue* value, void* target)
{
    CordObstacleDef* def = target;
    PlacedMesh placed = {.mesh = {0}};
    read_placed_mesh(r, value, &placed);
    if (placed.mesh.triangle_count > 0) {
        def->shape = CORD_OBSTACLE_MESH;
        def->vertices = placed.mesh.vertices, def->vertex_count = placed.mesh.vertex_count;
        def->triangles = placed.mesh.triangles, def->triangle_count = placed.mesh.triangle_count;
        def->position = placed.position;
        def->rotation = placed.rotation;
    }
}

// ---- obstacles

#define SHAPE_FIELD(key, reader)                                                                             \
    {                                                                                                        \
        FIELD(key, OTHER, ObstacleKeys, def), .variant = true, .read = (reader)                              \
    }

static const Field obstacle_fields[] = {
    {FIELD("name", OTHER, ObstacleKeys, def.name), .read = read_name},
    SHAPE_FIELD("plane", read_plane),
    SHAPE_FIELD("sphere", read_sphere),
    SHAPE_FIELD("box", read_box),
    SHAPE_FIELD("cylinder", read_cylinder),
    SHAPE_FIELD("capsule", read_capsule),
    SHAPE_FIELD("torus", read_torus),
    SHAPE_FIELD("tube", read_tube),
    SHAPE_FIELD("mesh", read_mesh),
    SURFACE_FIELDS(ObstacleKeys, surface),
    {FIELD("motion", OTHER, ObstacleKeys, motion), .read = read_motions},
};
const Table table_obstacle = TABLE("obstacle", "an obstacle", obstacle_fields);

static void read_entry(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordScene* scene = user;
    ObstacleKeys keys = {.def = cord_obstacle_def_default(), .surface = SURFACE_NONE};
    keys.def.name = pool_format(r->pool, "obstacle%d", index + 1);
    read_table(r, entry, &table_obstacle, &keys);
    keys.def.motions = keys.motion.list, keys.def.motion_count = keys.motion.count;
    keys.def.friction = surface_friction(&keys.surface);
    keys.def.surface = keys.surface.material.surface;
    scene->obstacles[index] = (SceneObstacle){keys.def, entry};
}

static const char* obstacle_name(const void* context, int i)
{
    const CordScene* scene = context;
    return scene->obstacles[i].def.name;
}

static const JsonValue* obstacle_place(const void* context, int i)
{
    const CordScene* scene = context;
    return scene->obstacles[i].at;
}

void read_obstacles(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    if (value->kind == JSON_ARRAY && value->count > MOST_OBSTACLES) {
        reader_error(r, value,
                     "is a list of %u; at most %d are kept, and a mesh holds as many triangles as it takes",
                     value->count, MOST_OBSTACLES);
        return;
    }
    scene->obstacles = value->kind == JSON_ARRAY ? pool_array(r->pool, SceneObstacle, value->count) : NULL;
    if (value->kind == JSON_ARRAY && !scene->obstacles) {
        return;
    }
    read_list(r, value, "obstacles are a list", read_entry, scene);
    scene->obstacle_count = scene->obstacles ? (int)value->count : 0;
    scene->contact.on = true;
    if (name_index_make(r->pool, &scene->obstacle_index, obstacle_name, scene, scene->obstacle_count)) {
        names_check(r, "obstacles", &scene->obstacle_index, obstacle_place, scene);
    }
}
