// What the readers of a scene share: quantities, angles, boxes, names, references to rods and places on them.
#ifndef CORD_SCENE_VALUES_H
#define CORD_SCENE_VALUES_H

#include "scene/scene.h"

extern const Quantity quantity_position;  // vector [m]
extern const Quantity quantity_direction; // vector, not zero
extern const Quantity quantity_length;    // [m], positive
extern const Quantity quantity_radius;    // [m], positive
extern const Quantity quantity_time;      // [s], not negative
extern const Quantity quantity_velocity;  // vector [m/s]
extern const Quantity quantity_spin;      // vector [rad/s]
extern const Quantity quantity_frequency; // [Hz], positive
extern const Quantity quantity_density, quantity_friction, quantity_iterations;
extern const Quantity quantity_turns, quantity_degrees, quantity_angle;
extern const Quantity quantity_index, quantity_arc;
extern const Quantity quantity_ratio; // of damping
extern const Quantity quantity_restitution;
extern const Quantity quantity_rolling;

// ---- angles

typedef struct Angle { // one of them is given, and the others are NAN
    double turns, degrees, angle;
} Angle;

#define ANGLE_NONE                                                                                           \
    {                                                                                                        \
        NAN, NAN, NAN                                                                                        \
    }
// The fields of an Angle at `base` in a struct.
#define ANGLE_FIELDS(base)                                                                                   \
    {FIELD_IN(base, "turns", NUMBER, Angle, turns), .about = "The angle in full turns.", .variant = true,    \
     .quantity = &quantity_turns},                                                                           \
        {FIELD_IN(base, "degrees", NUMBER, Angle, degrees), .about = "The angle.", .variant = true,          \
         .quantity = &quantity_degrees},                                                                     \
    {                                                                                                        \
        FIELD_IN(base, "angle", NUMBER, Angle, angle), .about = "The angle.", .variant = true,               \
                                                       .quantity = &quantity_angle                           \
    }

double angle_radians(const Angle* angle);

typedef struct Turn { // about an axis
    CordVec3 axis;
    Angle by;
} Turn;

bool turn_is_given(const Turn* turn);     // the axis is not zero
CordQuat turn_rotation(const Turn* turn); // the identity if the turn is not given

// ---- boxes along the axes

typedef struct Region {
    CordVec3 low, high; // [m]
} Region;

bool region_has(const Region* region, CordVec3 p); // up to rounding; the faces are part of it

// ---- names

ValueReader read_name; // const char*

typedef struct NamedList { // things of the scene in an array, with the names that they have
    const void* entries;   // (count)
    int count;
    size_t size, name, at; // of an entry; offsets of its const char* and its const JsonValue*
} NamedList;

#define NAMED_LIST(type, member, list, number)                                                               \
    (NamedList)                                                                                              \
    {                                                                                                        \
        .entries = (list), .count = (number), .size = sizeof(type), .name = offsetof(type, member),          \
        .at = offsetof(type, at)                                                                             \
    }

const char* named_at(const void* list, int i); // NameAt of a NamedList

// Makes an index of the names, and adds a note about each name that an earlier entry has.
void names_check(Reader* r, const NamedList* named, NameIndex* index);

// read_entries of things that have names, with names_check. The list comes without entries. index: NULL, if
// nothing refers to them.
List read_named(Reader* r, const JsonValue* value, EntryReader* read, NamedList list, NameIndex* index);

// ---- references to what was read before

// Each reads a name into the index of the thing that has it; a wrong name leaves the index as it was.
ValueReader read_rod, read_body, read_obstacle;
ValueReader read_rod_or_strands; // leaves names of strands to rods_of

// The rod (body) of an entry, which need not name one if the scene has only one. -1: a note says why.
int rod_or_only(Reader* r, const JsonValue* entry, int rod);
int body_or_only(Reader* r, const JsonValue* entry, int body);

typedef struct RodRange { // in scene->rods
    int first, count;
} RodRange;

// All strands if `rod` of the entry names them, or if it is left out and the scene has no other rods. {-1,
// 1}: the entry is about one rod.
RodRange rods_of(const CordScene* scene, const JsonValue* entry);

int rod_elements(const SceneRod* rod);

// ---- places on a rod

typedef struct PlaceKeys { // one of them is given
    int node, edge;
    double arc;
} PlaceKeys;

#define PLACE_NONE                                                                                           \
    {                                                                                                        \
        -1, -1, NAN                                                                                          \
    }
#define PLACE_FIELDS(base)                                                                                   \
    {FIELD_IN(base, "node", COUNT, PlaceKeys, node), .about = "Index of a node, from 0.", .variant = true,   \
     .quantity = &quantity_index},                                                                           \
        {FIELD_IN(base, "edge", COUNT, PlaceKeys, edge), .about = "Index of an edge, from 0.",               \
         .variant = true, .quantity = &quantity_index},                                                      \
    {                                                                                                        \
        FIELD_IN(base, "arc", NUMBER, PlaceKeys, arc), .about = "Arc length from the start of the rod.",     \
                                                       .variant = true, .quantity = &quantity_arc            \
    }

ValueReader read_place; // CordPlace
CordPlace place_given(const PlaceKeys* keys);

typedef enum PlaceUse { PLACE_OF_NODE, PLACE_OF_EDGE, PLACE_OF_ANY } PlaceUse;

// Checks that the place, written as `at`, is on the rod and of the right kind. `what` is for messages: "a
// clamp of the position holds".
void place_check(Reader* r, const JsonValue* at, CordPlace place, int rod, PlaceUse use, const char* what);

extern const Words fix_words;

// A clamp of direction or frame acts at the middle of its edge. At a rod's end it should act at the very end,
// so the shape is sampled with an end edge half as long. Points that are nodes stay as they are. Welds and
// joints do the same. `what` begins a note about `entry`: "holds the direction of the end".
void half_edge(Reader* r, const JsonValue* entry, CordPlace place, int rod, const char* what);

// Counts a weld or joint of a rod. A note is about `entry` if there are too many.
void joined_count(Reader* r, const JsonValue* entry, int rod);

// ---- materials

typedef struct MaterialUse { // what a thing is made of
    CordMaterial material;
    int surface; // a number for each material that can be named and for each that stands in a rod; 0: none
} MaterialUse;

typedef struct SurfaceKeys { // of obstacles and bodies
    MaterialUse material;
    double friction;          // NAN: the material's
    double friction_kinetic;  // NAN: as `friction`, or the material's where that is not given either
    double restitution;       // NAN: the material's
    double rolling, spinning; // [m]; NAN: the material's
} SurfaceKeys;

#define SURFACE_NONE                                                                                         \
    {                                                                                                        \
        {cord_material_default(), 0}, NAN, NAN, NAN, NAN, NAN                                                \
    }
#define SURFACE_FIELDS(type, member)                                                                         \
    {FIELD("material", MATERIAL, type, member.material),                                                     \
     .about = "Name of a material, which gives the coefficients of friction."},                              \
        {FIELD("friction", NUMBER, type, member.friction),                                                   \
         .about = "Coefficient of static friction against the same material.",                               \
         .otherwise = "the material's, or 0.3", .quantity = &quantity_friction},                             \
        {FIELD("friction_kinetic", NUMBER, type, member.friction_kinetic),                                   \
         .about = "Coefficient of kinetic friction against the same material, of what slides.",              \
         .otherwise = "`friction`, or else the material's", .quantity = &quantity_friction},                 \
        {FIELD("restitution", NUMBER, type, member.restitution),                                             \
         .about = "Share of the speed with which what hits rebounds.", .otherwise = "the material's, or 0",  \
         .quantity = &quantity_restitution},                                                                 \
        {FIELD("rolling_friction", NUMBER, type, member.rolling),                                            \
         .about = "Resistance to rolling: the largest couple about tangents over the normal force.",         \
         .otherwise = "the material's, or 0", .quantity = &quantity_rolling},                                \
    {                                                                                                        \
        FIELD("spinning_friction", NUMBER, type, member.spinning),                                           \
            .about = "Resistance to spinning about the normal, likewise.",                                   \
            .otherwise = "the material's, or 0", .quantity = &quantity_rolling                               \
    }

ValueReader read_material;      // MaterialUse: a name, or an object
ValueReader read_material_name; // MaterialUse: a name

// Finds a material by name, the scene's own before those that come with Cordage. False: there is none.
bool material_find(const CordScene* scene, const char* name, MaterialUse* use);
bool material_makes_stiffness(const CordMaterial* material, const SectionStation* section); // none is zero
ValueReader read_surface_stretches; // CordRodDef: its stretches
// Checks that kinetic friction is not above static friction; adds an error to `entry` otherwise.
void check_kinetic(Reader* r, const JsonValue* entry, double friction, double friction_kinetic);
double surface_friction(const SurfaceKeys* keys);
double surface_friction_kinetic(const SurfaceKeys* keys); // NAN: the same
double surface_restitution(const SurfaceKeys* keys);
double surface_rolling(const SurfaceKeys* keys);
double surface_spinning(const SurfaceKeys* keys);
int surface_count(const CordScene* scene); // of all surfaces, 0 included

typedef struct RodPreset { // what a rod starts from, before its own keys; its material has the same name
    double radius;         // [m]
    CordModel model;
    CordIntegrator integrator;
    CordStiffness stiffness;
    CordCordeDef corde;
} RodPreset;

extern const Words preset_words;
bool preset_find(const char* name, RodPreset* preset); // false: there is none

// ---- shapes

typedef struct SceneShape {
    CordShape shape; // node_count is not set, but for a network
    const char* noun;
    bool is_loop;      // it is closed
    bool cannot_close; // it has two ends that are apart
    bool has_vertices; // its points may be the nodes themselves
    bool is_knot;      // it is a knot by name, which only contact keeps tied
    double radius;     // of the rod whose shape it is [m], set before it is read; 0: not known
    SceneNetwork network;
} SceneShape;

// Checks that two axes of `value` span a plane. `names` is for the error: "axis1 and axis2".
bool check_axes(Reader* r, const JsonValue* value, CordVec3 a, CordVec3 b, const char* names);

// The points of the CSV file `path`, which is the object's member, into shape->points. False: a note was
// added.
bool read_points_file(Reader* r, const JsonValue* object, const char* path, CordShape* shape);

// Strands: the rods that an entry of the list asks for, 1 if it has no strands.
int strands_count(const JsonValue* entry);
// Makes rods[0] into as many rods as `value`, its strands, asks for, each with its own name and shape. There
// is room for strands_count of them. Returns how many there are: 1 if a note was added.
int strands_make(Reader* r, const JsonValue* value, SceneRod* rods);

// ---- solids, from the library's table of kinds

typedef struct SolidKeys {
    CordVec3 size;
    CordVec3 center, axis, from, to; // of an obstacle, as its kind is placed
    Turn rotate;
} SolidKeys;

// The table `base`, with one more key for each kind of solid, or for each kind that a body can be. `read`
// gets the shape as its tag.
const Table* solid_fields(Pool* pool, const Table* base, bool obstacle, ValueReader* read, size_t offset);

bool read_solid_keys(Reader* r, const JsonValue* value, SolidKeys* keys);    // by r->field
bool solid_check(Reader* r, const JsonValue* value, const CordSolid* solid); // false: a note was added

// ---- checks that models make

// What a rod of the corde model cannot do. spin, rotary: are these inertias known?
void corde_check(Reader* r, const JsonValue* entry, const CordRodDef* def, bool spin, bool rotary);

// Keys that a rod of the model does not use.
void modal_check(Reader* r, const JsonValue* entry, CordRodDef* def); // without what is not used
void pbd_check(Reader* r, const JsonValue* entry, const CordRodDef* def);

// Keys that mean nothing for a network, and models that do not take one. False: a note was added.
bool network_check_keys(Reader* r, const JsonValue* entry, const SceneRod* rod);

bool is_implicit_def(const CordRodDef* def);

// These need the whole scene. The first sets the integrators of rods that Newton's method steps, whatever the
// scene asks for. The others find, in their order: spin that nothing takes up, drag that sweeps change, what
// modal rods pass through, values of contact without effect, bodies that fall through obstacles, and nodes
// that are held twice.
void choose_steps(Reader* r);
void rods_check_spin(Reader* r);
void pbd_check_drag(Reader* r);
void modal_check_contact(Reader* r);
void contact_check_inert(Reader* r);
void bodies_check_loose(Reader* r);
void supports_check(Reader* r);

// ---- lists of the scene

EntryReader read_motion;        // CordMotion
ValueReader read_network_parts; // SceneRod, whose shape has been read
ValueReader read_adapt;         // CordAdaptDef: settings, or true or false

#define MOST_OBSTACLES 10000
#define MOST_SURFACES 10000

ValueReader read_rods, read_clamps, read_materials, read_contact, read_solve; // CordScene
ValueReader read_bodies, read_welds, read_joints, read_body_joints, read_obstacles, read_surfaces, read_loads,
    read_probes;

extern const Table table_adapt, table_angle, table_body, table_body_joint, table_clamp, table_clamp_place,
    table_contact, table_corde, table_grid, table_joint, table_load, table_material, table_mesh,
    table_mesh_network, table_modal, table_motion, table_network, table_obstacle, table_part, table_pbd,
    table_place, table_plane, table_probe, table_region, table_rod, table_section, table_shape, table_solve,
    table_stiffness, table_strands, table_surface_stretch, table_surface, table_tree, table_turn, table_weld;

#endif
