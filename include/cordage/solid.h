// Solids: the shapes of rigid bodies and obstacles, as signed distances. cordage/cordage.h includes this
// header.
//
// Each shape is one row of a table in the library: its name, sizes, distance, bounds, inertia, surface and
// rays. Scenes, contact, pictures, exports and the page call the functions below, and none of them depends on
// a particular shape. Everything is in the solid's own axes [m].
#ifndef CORDAGE_SOLID_H
#define CORDAGE_SOLID_H

#include <cordage/field.h>
#include <cordage/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CordSolidShape {
    CORD_SOLID_PLANE,    // half-space below its x-y plane; size.x: width of the square that pictures show
    CORD_SOLID_SPHERE,   // size.x: radius
    CORD_SOLID_BOX,      // size: full widths
    CORD_SOLID_CYLINDER, // size.x: radius, size.z: length along z
    CORD_SOLID_CAPSULE,  // size.x: radius, size.z: length between the centres of its caps, along z
    CORD_SOLID_TORUS,    // size.x: radius of the circle about z, size.y: of the tube along it, the smaller
    CORD_SOLID_TUBE, // open at both ends: size.x: outer radius, size.y: inner radius, size.z: length along z
    CORD_SOLID_MESH, // a triangle mesh, solid from either side; open or closed
    // size.x: radius of its base, size.z: height; its apex is 3/4 of that above its origin, along z
    CORD_SOLID_CONE,
    CORD_SOLID_COUNT
} CordSolidShape;

typedef struct CordSolidMesh {
    const CordVec3* vertices; // [m] (vertex_count)
    int vertex_count;
    const int* triangles; // three vertices each (3 triangle_count)
    int triangle_count;
} CordSolidMesh;

typedef struct CordSolid {
    CordSolidShape shape;
    CordVec3 size;      // [m]: see CordSolidShape
    CordSolidMesh mesh; // of CORD_SOLID_MESH; copied from a def
} CordSolid;

// ---- kinds

// The keys by which a scene places an obstacle, besides its sizes.
typedef enum CordSolidPlacing {
    CORD_PLACING_CENTER, // center
    CORD_PLACING_TURN,   // center, rotate
    CORD_PLACING_AXIS,   // center, axis: the direction of its z
    CORD_PLACING_SPAN,   // from, to: the ends of its axis, whose distance is size.z
    CORD_PLACING_PLANE,  // normal, and offset or through
    CORD_PLACING_FILE,   // file, scale, position, rotate
} CordSolidPlacing;

// Where pictures switch between a solid's two colours, so that its rotation is visible.
typedef enum CordSolidTones {
    CORD_TONES_ONE,      // nowhere
    CORD_TONES_QUARTERS, // at its x-z and y-z planes
    CORD_TONES_EIGHTHS,  // and at its x-y plane
} CordSolidTones;

typedef struct CordSolidKind {
    const char *name, *plural; // "sphere", "spheres"
    const char* about;         // one sentence
    const CordField* sizes;    // fields of the CordVec3 `size`: positive lengths (size_count)
    int size_count;
    CordSolidPlacing placing;
    double origin; // of CORD_PLACING_SPAN: its origin on the axis, from 0 at `from` to 1 at `to`
    CordSolidTones tones;
    bool is_endless;  // it is unbounded
    bool is_mesh;     // given by triangles; pictures show both sides of them
    bool can_be_body; // it has a volume and an inertia, and its origin is its centre of mass
} CordSolidKind;

CORD_API const CordSolidKind* cord_solid_kind(int shape);                // NULL: no such shape
CORD_API bool cord_solid_named(const char* name, CordSolidShape* shape); // false: no shape has that name

// Checks its sizes, or its mesh. `text` gets what is wrong: "it has an inner radius of ...".
CORD_API CordResult cord_solid_check(const CordSolid* solid, char* text, size_t size);

// ---- geometry

// The signed distance, negative inside. `normal` gets its unit gradient; NULL: not wanted. The distance from
// a mesh is never negative, and takes time in proportion to its triangles.
CORD_API double cord_solid_distance(const CordSolid* solid, CordVec3 point, CordVec3* normal);

// The support function: the largest direction . x over the solid or its convex hull, for a unit direction
// [m]. INFINITY: it is unbounded.
CORD_API double cord_solid_support(const CordSolid* solid, CordVec3 direction);

// The volume [m^3]; 0: it cannot be a body. `tensor` gets xx yy zz xy xz yz about its centre [kg m^2]; NULL:
// not wanted.
CORD_API double cord_solid_inertia(const CordSolid* solid, double mass, double tensor[6]);

// The first crossing of a ray with the surface, at from + t direction with t > 0. Meshes are never hit.
CORD_API bool cord_solid_ray(const CordSolid* solid, CordVec3 from, CordVec3 direction, double* t);

// Receives a surface as flat faces. Vertices at one place that differ only in their normals have the same
// `point`.
typedef struct CordMeshSink {
    void (*vertex)(void* user, CordVec3 x, CordVec3 normal, int point); // numbered from 0 in order
    void (*face)(void* user, int count, const int* vertices); // 3 or 4, counter-clockwise seen from outside
    void* user;
} CordMeshSink;

// `sides`: faces around the axis.
CORD_API void cord_solid_tessellate(const CordSolid* solid, int sides, const CordMeshSink* sink);

#ifdef __cplusplus
}
#endif

#endif
