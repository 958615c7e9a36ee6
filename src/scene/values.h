// What the parts of a scene share: quantities, angles, names, and references to rods and places on them.
#ifndef CORD_SCENE_VALUES_H
#define CORD_SCENE_VALUES_H

#include "scene/scene.h"

// Bounds far beyond any use keep what is computed from the numbers finite.
#define QUANTITY_POSITIVE .must = "be positive", .low = 0.0, .low_open = true
#define QUANTITY_NOT_NEGATIVE .must = "not be negative", .low = 0.0
#define QUANTITY_ANY .must = "be at least -1e9", .low = -1e9, .high = 1e9, .high_text = "1e9"
#define QUANTITY_UP_TO(bound) .high = (bound), .high_text = #bound

extern const Quantity quantity_position;  // vector [m]
extern const Quantity quantity_direction; // vector, not zero
extern const Quantity quantity_length;    // [m], positive
extern const Quantity quantity_radius;    // [m], positive
extern const Quantity quantity_time;      // [s], not negative
extern const Quantity quantity_velocity;  // vector [m/s]
extern const Quantity quantity_spin;      // vector [rad/s]
extern const Quantity quantity_frequency; // [Hz], positive
extern const Quantity quantity_friction;

#define MOST_OBSTACLES 10000
#define MOST_SURFACES 10000

typedef struct Angle { // one of them is given
    double turns, degrees, angle;
} Angle;

#define ANGLE_NONE                                                                                           \
    {                                                                                                        \
        NAN, NAN, NAN                                                                                        \
    }
#define ANGLE_FIELDS(type, member)                                                                           \
    {FIELD("turns", NUMBER, type, member.turns), .about = "The angle in full turns.", .variant = true,       \
     .quantity = &quantity_turns},                                                                           \
        {FIELD("degrees", NUMBER, type, member.degrees), .about = "The angle.", .variant = true,             \
         .quantity = &quantity_degrees},                                                                     \
    {                                                                                                        \
        FIELD("angle", NUMBER, type, member.angle), .about = "The angle.", .variant = true,                  \
                                                    .quantity = &quantity_angle                              \
    }

extern const Quantity quantity_turns, quantity_degrees, quantity_angle;

double angle_radians(const Angle* angle);
void read_angle(Reader* r, const JsonValue* value, void* radians); // double: an object of its own

typedef struct Turn { // about an axis
    CordVec3 axis;
    Angle by;
} Turn;

bool turn_is_given(const Turn* turn);     // the axis is not zero
CordQuat turn_rotation(const Turn* turn); // the identity if the turn is not given

typedef struct MaterialUse { // what a thing is made of
    CordMaterial material;
    int surface; // a number for each material that can be named, and for each that stands in a rod; 0: none
} MaterialUse;

typedef struct SurfaceKeys { // of obstacles and bodies
    MaterialUse material;
    double friction; // NAN: the material's
} SurfaceKeys;

#define SURFACE_NONE                                                                                         \
    {                                                                                                        \
        {cord_material_default(), 0}, NAN                                                                    \
    }
#define SURFACE_FIELDS(type, member)                                                                         \
    {FIELD("material", STRING, type, member.material),                                                       \
     .about = "Name of a material, which gives the coefficients of friction.", .read = read_material_name},  \
    {                                                                                                        \
        FIELD("friction", NUMBER, type, member.friction),                                                    \
            .about = "Coefficient of friction against the same material.",                                   \
            .otherwise = "the material's, or 0.3", .quantity = &quantity_friction                            \
    }

// the scene's own first; false: none
bool material_find(const CordScene* scene, const char* name, MaterialUse* use);
double surface_friction(const SurfaceKeys* keys);
int surface_count(const CordScene* scene); // of all surfaces, 0 included

typedef struct RodPreset { // what a rod starts from, before its own keys; its material has the same name
    double radius;         // [m]
    CordModel model;
    CordIntegrator integrator;
    CordStiffness stiffness;
    CordCordeDef corde;
} RodPreset;

extern const Words preset_words;
bool preset_find(const char* name, RodPreset* preset); // false: none

// What cannot be done with a rod of the corde model. spin, rotary: are these inertias known?
void corde_check(Reader* r, const JsonValue* entry, const CordRodDef* def, bool spin, bool rotary);

// Keys that a rod of the modal model has no use for.
void modal_check(Reader* r, const JsonValue* entry, const CordRodDef* def);

// Keys that mean nothing for a network, and a model that does not take one, which is told at the shape.
// False: noted.
bool network_check_keys(Reader* r, const JsonValue* entry, const SceneRod* rod);

// What edges of a network have of their own: a list into rod->network, whose shape has been read.
void read_network_parts(Reader* r, const JsonValue* value, void* rod); // SceneRod

// Keys that a rod of the pbd model has no use for, the way it takes its steps.
void pbd_check(Reader* r, const JsonValue* entry, const CordRodDef* def);

// With the whole scene read: rods that Newton's method will take steps for, whatever their keys of pbd say,
// and drag that sweeps change.
void pbd_check_steps(Reader* r);
void modal_check_contact(Reader* r); // likewise: what modal rods pass through

typedef struct MotionList {
    const CordMotion* list; // (count)
    int count;
} MotionList;

void read_name(Reader* r, const JsonValue* value, void* name); // const char*

// Names must differ: a note for each entry of `list` whose name an earlier one has. entry(context, i) is the
// i-th.
void names_check(Reader* r, const char* list, const NameIndex* index,
                 const JsonValue* (*entry)(const void* context, int i), const void* context);

// int: index in scene->rods, as it was if it is wrong
void read_rod(Reader* r, const JsonValue* value, void* rod);
void read_body(Reader* r, const JsonValue* value, void* body); // int: index in scene->bodies, likewise
// int: index in scene->obstacles, likewise
void read_obstacle(Reader* r, const JsonValue* value, void* obstacle);

// The rod (body) of an entry that need not name one if there is only one; -1 and a note if that leaves it
// open.
int rod_or_only(Reader* r, const JsonValue* entry, int rod);
int body_or_only(Reader* r, const JsonValue* entry, int body);

typedef struct RodRange { // in scene->rods
    int first, count;
} RodRange;

// All strands, if the `rod` of an entry names them, or is left out and the scene has nothing else; {-1, 1} if
// it is one rod.
RodRange rods_of(const CordScene* scene, const JsonValue* entry);
// as read_rod, but leaves names of strands to rods_of
void read_rod_or_strands(Reader* r, const JsonValue* value, void* rod);

void read_place(Reader* r, const JsonValue* value, void* place); // CordPlace
void read_plane(Reader* r, const JsonValue* value, void* def);   // CordObstacleDef

typedef struct Region { // a box along the axes
    CordVec3 low, high; // [m]
} Region;

void read_region(Reader* r, const JsonValue* value, void* region); // Region
bool region_has(const Region* region, CordVec3 p); // its faces included, and what rounding puts beside them

#define PLACE_FIELDS(type, member)                                                                           \
    {FIELD("node", COUNT, type, member.node), .about = "Index of a node, from 0.", .variant = true,          \
     .quantity = &quantity_index},                                                                           \
        {FIELD("edge", COUNT, type, member.edge), .about = "Index of an edge, from 0.", .variant = true,     \
         .quantity = &quantity_index},                                                                       \
    {                                                                                                        \
        FIELD("arc", NUMBER, type, member.arc), .about = "Arc length from the start of the rod.",            \
                                                .variant = true, .quantity = &quantity_arc                   \
    }

extern const Quantity quantity_index, quantity_arc;

typedef struct PlaceKeys { // one of them is given
    int node, edge;
    double arc;
} PlaceKeys;

#define PLACE_NONE                                                                                           \
    {                                                                                                        \
        -1, -1, NAN                                                                                          \
    }

CordPlace place_given(const PlaceKeys* keys);

typedef enum PlaceUse { PLACE_OF_NODE, PLACE_OF_EDGE, PLACE_OF_ANY } PlaceUse;

// Is the place on the rod, and of the right kind? `use` is for messages: "a position clamp holds".
bool place_check(Reader* r, const JsonValue* at, CordPlace place, int rod, PlaceUse use, const char* what);

int rod_elements(const SceneRod* rod);

// The parts of a scene. Each fills its part of r->scene.
void read_materials(Reader* r, const JsonValue* value, void* scene);
void read_material(Reader* r, const JsonValue* value, void* use);      // MaterialUse: a name, or an object
void read_material_name(Reader* r, const JsonValue* value, void* use); // MaterialUse: a name
void read_section(Reader* r, const JsonValue* value, void* section);   // SceneSection
void read_corde(Reader* r, const JsonValue* value, void* corde);       // CordCordeDef
void read_pbd(Reader* r, const JsonValue* value, void* pbd);           // CordPbdDef
void read_modal(Reader* r, const JsonValue* value, void* modal);       // CordModalDef
void read_adapt(Reader* r, const JsonValue* value, void* adapt);       // CordAdaptDef
void read_rods(Reader* r, const JsonValue* value, void* scene);
void read_motions(Reader* r, const JsonValue* value, void* motions); // MotionList
void read_clamps(Reader* r, const JsonValue* value, void* scene);
void read_bodies(Reader* r, const JsonValue* value, void* scene);
void read_welds(Reader* r, const JsonValue* value, void* scene);
void read_joints(Reader* r, const JsonValue* value, void* scene);
void read_body_joints(Reader* r, const JsonValue* value, void* scene);
void read_obstacles(Reader* r, const JsonValue* value, void* scene);
void read_contact(Reader* r, const JsonValue* value, void* scene);
void read_loads(Reader* r, const JsonValue* value, void* scene);
void read_surfaces(Reader* r, const JsonValue* value, void* scene);
void read_probes(Reader* r, const JsonValue* value, void* scene);
void read_solve(Reader* r, const JsonValue* value, void* solve); // CordSceneSolve

// A clamp of direction or frame acts at the middle of its edge. At a rod's end it should act at the very end,
// so the shape is sampled with an end edge half as long; points that are nodes stay as they are. Welds and
// joints likewise. `what` begins a note about `entry`: "holds the direction of the end".
void half_edge(Reader* r, const JsonValue* entry, CordPlace place, int rod, const char* what);

typedef struct SceneShape {
    CordShape shape; // node_count is not set
    const char* noun;
    bool is_loop;      // closed by nature
    bool cannot_close; // open by nature
    bool has_vertices; // points that may be the nodes themselves
    double radius;     // of the rod whose shape it is [m], set before it is read; 0: not known
    SceneNetwork network;
} SceneShape;

void read_shape(Reader* r, const JsonValue* value, void* shape); // SceneShape

// Shapes that are networks; each fills a SceneShape with its node_count set, and its edges cut.
void read_shape_network(Reader* r, const JsonValue* value, void* shape);
void read_shape_grid(Reader* r, const JsonValue* value, void* shape);
void read_shape_tree(Reader* r, const JsonValue* value, void* shape);
void read_shape_mesh(Reader* r, const JsonValue* value, void* shape);

// The points of a CSV file into shape->points; a note is about `value`, its path. False: noted.
bool read_points_file(Reader* r, const JsonValue* value, CordShape* shape);

// Counts a weld or joint that `entry` asks for on a rod, and notes one too many.
void joined_count(Reader* r, const JsonValue* entry, int rod);

extern const Words fix_words;

extern const Table table_adapt, table_angle, table_body, table_body_joint, table_clamp, table_clamp_place,
    table_contact, table_corde, table_grid, table_joint, table_load, table_material, table_mesh,
    table_mesh_network, table_modal, table_motion, table_network, table_obstacle, table_part, table_pbd,
    table_place, table_plane, table_probe, table_region, table_rod, table_section, table_shape, table_solve,
    table_stiffness, table_strands, table_surface, table_tree, table_turn, table_weld;

#endif
