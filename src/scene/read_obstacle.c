// Obstacles. A scene gives each shape by its place in space, and the world by the position and rotation of
// its axes.
#include "base/real.h"
#include "scene/mesh_file.h"

#include <math.h>

typedef struct ObstacleKeys {
    CordObstacleDef def;
    List motion; // CordMotion
    SurfaceKeys surface;
} ObstacleKeys;

// ---- directions

// The vector is scaled first, so that its length neither underflows nor overflows.
static CordVec3 unit(CordVec3 a, double* length)
{
    double most = real_max(real_max(fabs(a.x), fabs(a.y)), fabs(a.z));
    CordVec3 s = cord_vec3_div(a, most);
    double root = cord_vec3_length(s);
    *length = most * root;
    return cord_vec3_div(s, root);
}

// The shortest rotation of z to a direction, about the axis at right angles to both. The tangent of half its
// angle is t, or its cotangent where the direction points down.
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

// ---- planes

typedef struct Plane {
    CordVec3 normal, through;
    double offset;
} Plane;

static const Quantity quantity_offset = ANY_NUMBER("an offset is in metres along the normal", "m");

static const Field plane_fields[] = {
    {FIELD("normal", VECTOR, Plane, normal), .about = "Direction out of the solid.",
     .quantity = &quantity_direction},
    {FIELD("offset", NUMBER, Plane, offset), .about = "Distance from the origin along the normal.",
     .quantity = &quantity_offset},
    {FIELD("through", VECTOR, Plane, through), .about = "A point of the plane, in place of offset.",
     .otherwise = "the point that `offset` gives", .quantity = &quantity_position},
};
static void plane_convert(Reader* r, const JsonValue* value, const void* keys, void* target)
{
    const Plane* plane = keys;
    CordObstacleDef* def = target;
    bool through = json_member(value, "through") != NULL;
    if (through && json_member(value, "offset")) {
        reader_error(r, value,
                     "has both offset and through; write one: its distance from the origin along the normal, "
                     "or a point that it goes through");
        return;
    }
    double length;
    CordVec3 n = unit(plane->normal, &length);
    def->solid.shape = CORD_SOLID_PLANE;
    def->position = through ? plane->through : cord_vec3_scale(n, plane->offset);
    def->rotation = turn_from_z(n);
}

const Table table_plane =
    TABLE("plane", "a plane", plane_fields, .about = "A plane: all behind it is solid.",
          .size = sizeof(Plane), .defaults = &(const Plane){.normal = {0, 0, 1}}, .convert = plane_convert);

// ---- meshes

const Quantity quantity_mesh_scale = POSITIVE("a scale is a factor", NULL, 1e9);

static const Field mesh_fields[] = {
    MESH_FIELDS(0),
};
static void mesh_convert(Reader* r, const JsonValue* value, const void* keys, void* target)
{
    read_mesh_keys(r, value, keys, false, target);
}

const Table table_mesh =
    TABLE("mesh", "a mesh", mesh_fields,
          .about = "A surface of triangles from a file. It may be open, and nothing passes it from either "
                   "side.",
          .size = sizeof(MeshKeys), .defaults = &(const MeshKeys)MESH_KEYS_NONE, .convert = mesh_convert);

static void read_mesh(Reader* r, const JsonValue* value, CordObstacleDef* def)
{
    PlacedMesh placed = {.mesh = {0}};
    if (read_table(r, value, &table_mesh, &placed)) {
        const MeshFile* m = &placed.mesh;
        def->solid.shape = CORD_SOLID_MESH;
        def->solid.mesh = (CordSolidMesh){m->vertices, m->vertex_count, m->triangles, m->triangle_count};
        def->position = placed.position;
        def->rotation = placed.rotation;
    }
}

// ---- obstacles

// A solid from one point to another: its length is their distance, and its z points from one to the other.
static bool place_span(Reader* r, const JsonValue* value, const SolidKeys* keys, double origin,
                       CordObstacleDef* def)
{
    CordVec3 a = keys->from, b = keys->to, along = cord_vec3_sub(b, a);
    if (cord_vec3_equal(a, b)) {
        return reader_error(r, value, "goes from a point to the same point; from and to must be apart");
    }
    unit(along, &def->solid.size.z);
    def->position = cord_vec3_lerp(a, b, origin);
    def->rotation = turn_from_z(along);
    return true;
}

static void read_sized(Reader* r, const JsonValue* value, int shape, CordObstacleDef* def)
{
    const CordSolidKind* kind = cord_solid_kind(shape);
    SolidKeys keys;
    if (!read_solid_keys(r, value, &keys)) {
        return;
    }
    CordObstacleDef read = *def;
    read.solid = (CordSolid){.shape = (CordSolidShape)shape, .size = keys.size};
    read.position = keys.center;
    read.rotation = kind->placing == CORD_PLACING_AXIS ? turn_from_z(keys.axis) : turn_rotation(&keys.rotate);
    bool placed = kind->placing != CORD_PLACING_SPAN || place_span(r, value, &keys, kind->origin, &read);
    if (placed && solid_check(r, value, &read.solid)) {
        *def = read;
    }
}

static void read_shape_of(Reader* r, const JsonValue* value, void* target)
{
    CordObstacleDef* def = target;
    int shape = r->field->tag;
    switch (cord_solid_kind(shape)->placing) {
    case CORD_PLACING_PLANE: read_table(r, value, &table_plane, def); break;
    case CORD_PLACING_FILE: read_mesh(r, value, def); break;
    default: read_sized(r, value, shape, def); break;
    }
}

static const Table* obstacle_expand(Pool* pool)
{
    return solid_fields(pool, &table_obstacle, true, read_shape_of, offsetof(ObstacleKeys, def));
}

static const Quantity quantity_bed = POSITIVE("this is a force per depth and length of a rod", "N/m^2", 1e15);
static const Quantity quantity_bed_damping =
    NOT_NEGATIVE("this is a force per speed and length of a rod", "N s/m^2", 1e15);

static const Field obstacle_fields[] = {
    {FIELD("name", NAME, ObstacleKeys, def.name), .about = "Name in recordings.",
     .otherwise = "`obstacle1`, `obstacle2`, ..."},
    SURFACE_FIELDS(ObstacleKeys, surface),
    {FIELD("stiffness", NUMBER, ObstacleKeys, def.stiffness),
     .about = "Force by which the obstacle pushes a rod that sinks into it, for each depth and length of the "
              "rod.",
     .otherwise = "rigid", .quantity = &quantity_bed},
    {FIELD("damping", NUMBER, ObstacleKeys, def.damping),
     .about = "Damping of an obstacle that has a stiffness, for each speed and length of the rod.",
     .otherwise = "0", .quantity = &quantity_bed_damping},
    {FIELD("motion", LIST, ObstacleKeys, motion),
     .about = "Motions of the obstacle, which are combined in order. A rotation without a center is about "
              "its own position.",
     .otherwise = "stands still", .table = &table_motion, .example = "[{\"translate\": ...}]",
     ENTRIES(CordMotion, read_motion)},
};
const Table table_obstacle = TABLE("obstacle", "an obstacle", obstacle_fields,
                                   .about = "An obstacle: exactly one shape.", .expand = obstacle_expand);

static void read_entry(Reader* r, const JsonValue* entry, int index, void* entries)
{
    ObstacleKeys keys = {.def = cord_obstacle_def_default(), .surface = SURFACE_NONE};
    keys.def.name = pool_format(r->pool, "obstacle%d", index + 1);
    read_table(r, entry, &table_obstacle, &keys);
    keys.def.motions = keys.motion.entries, keys.def.motion_count = keys.motion.count;
    keys.def.friction = surface_friction(&keys.surface);
    keys.def.friction_kinetic = surface_friction_kinetic(&keys.surface);
    keys.def.restitution = surface_restitution(&keys.surface);
    keys.def.rolling_friction = surface_rolling(&keys.surface);
    keys.def.spinning_friction = surface_spinning(&keys.surface);
    if (keys.def.damping > 0.0 && isinf(keys.def.stiffness)) {
        member_error(r, entry, "damping",
                     "is for an obstacle that gives way; write its stiffness beside it, in newton per square "
                     "metre");
    }
    if (json_member(entry, "mesh") && !isinf(keys.def.stiffness)) {
        member_error(r, entry, "stiffness", "is of a mesh, and meshes are rigid; leave it out");
    }
    check_kinetic(r, entry, keys.def.friction, keys.def.friction_kinetic);
    keys.def.surface = keys.surface.material.surface;
    ((SceneObstacle*)entries)[index] = (SceneObstacle){keys.def, entry};
}

void read_obstacles(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    NamedList kind = NAMED_LIST(SceneObstacle, def.name, NULL, 0);
    List obstacles = read_named(r, value, read_entry, kind, &scene->obstacle_index);
    scene->obstacles = obstacles.entries;
    scene->obstacle_count = obstacles.count;
    scene->contact.on = true;
}
