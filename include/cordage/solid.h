// Solids: the shapes of rigid bodies and of obstacles, as signed distances. cordage/cordage.h brings this
// header along.
//
// What is particular to a shape is one row of one table in the library: its name, its sizes, its distance,
// bounds, inertia, surface and rays. Scenes, contact, pictures, exports and the page ask the functions below,
// and none of them knows a shape by its number. Everything is in the solid's own axes [m].
#include <cordage/cordage.h> // before the guard: it defines the vectors, and then includes this header

#ifndef CORDAGE_SOLID_H
#define CORDAGE_SOLID_H

#include <cordage/field.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CordSolidShape {
    CORD_SOLID_PLANE,    // all below its x-y plane; size.x: width of the square that pictures show of it
    CORD_SOLID_SPHERE,   // size.x: radius
    CORD_SOLID_BOX,      // size: full widths
    CORD_SOLID_CYLINDER, // size.x: radius, size.z: length along z
    CORD_SOLID_CAPSULE,  // size.x: radius, size.z: length between the centres of its caps, along z
    CORD_SOLID_TORUS,    // size.x: radius of the circle about z, size.y: of the tube along it, the smaller
    CORD_SOLID_TUBE, // open at both ends: size.x: outer radius, size.y: inner radius, size.z: length along z
    CORD_SOLID_MESH, // a surface of triangles that nothing passes, from either side; open or closed
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
    CordSolidMesh mesh; // of CORD_SOLID_MESH; a def's is copied
} CordSolid;

// ---- kinds

// How a scene says where an obstacle is, besides its sizes.
typedef enum CordSolidPlacing {
    CORD_PLACING_CENTER, // center
    CORD_PLACING_TURN,   // center, rotate
    CORD_PLACING_AXIS,   // center, axis: the direction of its z
    CORD_PLACING_SPAN,   // from, to: the ends of its axis, whose distance is size.z
    CORD_PLACING_PLANE,  // normal, and offset or through
    CORD_PLACING_FILE,   // file, scale, position, rotate
} CordSolidPlacing;

// Where pictures change between a solid's two colours, so that its rotation can be seen.
typedef enum CordSolidTones {
    CORD_TONES_ONE,      // nowhere
    CORD_TONES_QUARTERS, // at its x-z and y-z planes
    CORD_TONES_EIGHTHS,  // and at its x-y plane
} CordSolidTones;

typedef struct CordSolidKind {
    const char *name, *plural; // "sphere", "spheres"
    const char* about;         // one sentence: what it is
    const CordField* sizes;    // of a CordVec3: positive lengths (size_count)
    int size_count;
    CordSolidPlacing placing;
    double origin; // of CORD_PLACING_SPAN: where on its axis it has its origin, from 0 at `from` to 1 at `to`
    CordSolidTones tones;
    bool is_endless;  // it has no bounds
    bool is_mesh;     // given by triangles; pictures show both sides of them
    bool can_be_body; // it has a volume and an inertia, and its origin is its centre of mass
} CordSolidKind;

CORD_API const CordSolidKind* cord_solid_kind(int shape);                // NULL: there is no such shape
CORD_API bool cord_solid_named(const char* name, CordSolidShape* shape); // false: there is none of that name

// Are the sizes, or the mesh, such that it can be one? `text` gets what is wrong: "it has an inner radius of
// ...".
CORD_API CordResult cord_solid_check(const CordSolid* solid, char* text, size_t size);

// ---- geometry

// Negative inside. `normal` is the unit direction in which the distance grows; NULL: it is not wanted. The
// distance from a mesh is never negative, and takes time in proportion to its triangles.
CORD_API double cord_solid_distance(const CordSolid* solid, CordVec3 point, CordVec3* normal);

// The support function: the largest direction . x over the solid, or over its convex hull [m]. The direction
// is a unit vector; INFINITY: there is no largest.
CORD_API double cord_solid_support(const CordSolid* solid, CordVec3 direction);

// Volume [m^3]; 0: it cannot be a body. `tensor` gets xx yy zz xy xz yz about its centre [kg m^2]; NULL: it
// is not wanted.
CORD_API double cord_solid_inertia(const CordSolid* solid, double mass, double tensor[6]);

// Where a ray first meets the surface: at from + t direction, t > 0. Not for meshes, which are never met.
CORD_API bool cord_solid_ray(const CordSolid* solid, CordVec3 from, CordVec3 direction, double* t);

// Takes a surface as flat faces. Vertices that lie at one place and differ in their normals have the same
// number of a point.
typedef struct CordMeshSink {
    void (*vertex)(void* user, CordVec3 x, CordVec3 normal, int point); // numbered from 0 as they come
    void (*face)(void* user, int count, const int* vertices); // 3 or 4, counter-clockwise seen from outside
    void* user;
} CordMeshSink;

// `sides` around
CORD_API void cord_solid_tessellate(const CordSolid* solid, int sides, const CordMeshSink* sink);

#ifdef __cplusplus
}
#endif

#endif
