// A random scene as typed values: what the generator makes, the transformations change and the writer prints
// as a scene file. A table of fields says of every number how it turns with space and which unit it has, so
// that a transformation is one loop over all of them.
#ifndef CORDAGE_TEST_PROPERTY_SCENE_H
#define CORDAGE_TEST_PROPERTY_SCENE_H

#include <cordage/io.h>
#include <cordage/math.h>

#include <stdio.h>

// ---- fields

typedef enum Nature {
    SCALAR, // the same in every frame of reference
    PSEUDO, // a number that changes its sign in a mirror: twist, handedness
    POINT,  // a place
    POLAR,  // a vector that a mirror reflects: displacement, velocity, force
    AXIAL,  // a vector that a mirror also reverses: axis of rotation, spin, torque
    POSE,   // the rotation of a body, which has the same shape in a mirror across its own x axis
} Nature;

typedef struct Unit { // exponents of metre, kilogram and second
    int L, M, T;
} Unit;

typedef struct Field {
    const char* key; // in the scene file; "": it is written by hand
    size_t offset;
    Nature nature;
    Unit unit;
} Field;

// ---- what a scene is made of; a number that is NAN is not written

enum { MOST_POINTS = 9, MOST_RODS = 6, MOST_CLAMPS = 12, MOST_LOADS = 8, MOST_BODIES = 4, MOST_WELDS = 4 };
enum { MOST_JOINTS = 2, MOST_OBSTACLES = 3, MOST_MOTIONS = 3, MOST_KEYS = 3 };

typedef enum ShapeKind {
    LINE,
    POLYLINE,
    SPLINE,
    NODES,
    CIRCLE,
    ELLIPSE,
    HELIX,
    SHAPE_KINDS, // of scenes that are not varied
    KNOT = SHAPE_KINDS,
    NETWORK,
    ALL_SHAPE_KINDS
} ShapeKind;

typedef struct Shape {
    ShapeKind kind;
    CordVec3 points[MOST_POINTS]; // line: 2; polyline, spline, nodes
    int point_count;
    CordVec3 center, axis1, axis2; // circle: normal and start; helix: axis and start
    double radius, half, pitch;    // ellipse: radius is half1
    double turns, degrees[2];      // degrees: NAN for all around
    int knot;                      // which; radius is half its width
    double handed;                 // 1, or -1: mirrored
} Shape;

typedef enum SectionKind { DISC, TUBE, OVAL, RECTANGLE, TAPERED, SECTION_KINDS } SectionKind;
typedef enum RestKind { AS_SHAPED, STRAIGHT, REST_SHAPE } RestKind;
typedef enum FrameKind { FRAME_ANY, FRAME_FIRST, FRAME_TOWARD } FrameKind;

typedef struct Rod {
    int id; // which rod of the scene it was made as
    bool reversed;
    char name[24];
    CordModel model;
    CordIntegrator integrator;
    bool inextensible, fast_projection, dynamic_twist, closed, touches, adaptive;
    double young, poisson, density, friction;
    SectionKind section;
    double size[2];
    int elements;
    Shape shape, rest_shape;
    RestKind rest;
    FrameKind frame;
    CordVec3 m1;
    double twist, rest_twist; // [rad]
    double damping_time;      // [s]
    CordVec3 velocity, spin;
    bool explicit_orientations;
    bool weights, sweeps; // pbd
    int substeps, order, iterations;
    int modes;
    double modal_damping;
    double coupling;   // EI12 [N m^2]; 0: none
    double merge_time; // of an adaptive rod [s]
} Rod;

typedef struct Place {
    CordPlaceKind kind;
    int index;
    double arc; // [m]
} Place;

typedef struct Key {
    double time;
    CordVec3 offset, axis;
    double angle;
} Key;

typedef struct Motion {
    CordMotionKind kind;
    bool smooth;
    double from, to;
    CordVec3 vector, axis, center; // center.x NAN: the clamped point
    double angle, frequency, phase;
    Key keys[MOST_KEYS];
} Motion;

typedef struct Clamp {
    int id, rod;
    Place at;
    CordFix fix;
    CordVec3 free_along; // x NAN: it does not slide
    double torque;       // NAN: none
    double release;      // NAN: never
    Motion motions[MOST_MOTIONS];
    int motion_count;
} Clamp;

typedef struct Body {
    int id;
    char name[24];
    CordSolidShape shape;
    double size[3]; // box: widths; others: radius, length or height
    double mass, friction;
    CordVec3 position, velocity, spin;
    CordQuat rotation;
    bool touches;
} Body;

typedef struct Weld {
    int id, rod, body;
    Place at;
    CordFix fix;
} Weld;

typedef struct Joint {
    int id, rods[2];
    Place at[2];
    bool pin;
} Joint;

typedef struct Obstacle {
    int id;
    CordSolidShape shape;
    CordVec3 from, to; // plane: a point of it; sphere, box, torus: the centre
    CordVec3 axis;     // plane: normal; torus: axis
    CordQuat rotation; // box
    double size[3];    // box: widths; others: radius, and that of the tube or the inner one; mesh: scale
    double friction;
    Motion motions[MOST_MOTIONS];
    int motion_count;
} Obstacle;

typedef struct Load {
    int id;
    CordLoadKind kind;
    int rod, body; // -1: none; drag without a rod: every rod
    Place at;
    CordVec3 force, torque, target, wind; // wind.x NAN: still air
    double stiffness, damping, most, along, across, gust, period, vortex, spacing;
    double from, to, ramp; // NAN: not given
} Load;

typedef struct Scene {
    uint64_t seed;
    CordVec3 gravity;
    double step; // [s]
    int steps;
    int rod_count, clamp_count, load_count, body_count, weld_count, joint_count, obstacle_count;
    Rod rods[MOST_RODS];
    Clamp clamps[MOST_CLAMPS];
    Load loads[MOST_LOADS];
    Body bodies[MOST_BODIES];
    Weld welds[MOST_WELDS];
    Joint joints[MOST_JOINTS];
    Obstacle obstacles[MOST_OBSTACLES];
    bool contact, zones;
    double contact_tolerance, contact_friction;
} Scene;

// Calls visit for every number of the scene, by the tables of fields.
typedef void SceneVisit(void* context, const Field* field, void* value);
void scene_visit(Scene* s, SceneVisit* visit, void* context);

// Prints the scene as a file that `cordage run` reads. The text is the caller's to free.
char* scene_text(const Scene* s);

bool rod_is_implicit(const Rod* r);
bool rod_is_position_based(const Rod* r);
bool rod_is_round(const Rod* r);
bool loses_energy(const Rod* r); // its integrator does, without a trace

// ---- generate.c

// A wild scene has anything. A tame one has one rod without kinks in space or time, so that errors shrink at
// the order of its integrator. A still one is held, has steady loads and is to be solved.
// A symmetric one is a tame one that is its own image in the mirror x -> -x. A varied one is wild and has one
// of what wild ones do not: adaptive rods, coupled bending, vortices, knots, networks, meshes.
typedef enum Manner { WILD, TAME, STILL, SYMMETRIC, VARIED, MANNERS } Manner;
bool scene_generate(Scene* s, uint64_t seed, Manner manner); // false: the library refuses it
void scene_make_symmetric(Scene* s, double length);          // symmetry.c
CordVec3 shape_end(const Shape* s, bool last);

// ---- transform.c: each changes the scene as a whole

typedef struct Isometry { // x -> Q x + t, with Q the rotation and then, if mirror is set, the mirror x -> -x
    CordQuat rotation;
    bool mirror;
    CordVec3 shift;
} Isometry;

typedef struct Units { // lengths, masses and times are multiplied by these
    double L, M, T;
} Units;

// Also for what is observed: value is one double, a vector or a quaternion, by its nature.
void isometry_apply(const Isometry* q, Nature nature, void* value);
void units_apply(const Units* u, Unit unit, Nature nature, void* value);
void scene_move(Scene* s, const Isometry* q);
void scene_scale(Scene* s, const Units* u);
void scene_renumber(Scene* s, uint64_t seed); // rods, clamps, loads, bodies, obstacles in another order
void scene_rename(Scene* s);
void scene_reverse(Scene* s); // every rod runs the other way

#endif
