// Shared by the shapes' files: sizes, distances from faces and cores, cuts of a segment, rays and
// tessellation.
#ifndef CORD_CONTACT_SOLID_PARTS_H
#define CORD_CONTACT_SOLID_PARTS_H

#include "base/real.h"
#include "contact/solid.h"
#include "math/elementary.h"

// An entry of a kind's sizes: SOLID_SIZE("radius", "Radius.", x).
#define SOLID_SIZE(name, text, member)                                                                       \
    {                                                                                                        \
        .key = name, .about = text, .unit = "m", .type = CORD_FIELD_NUMBER,                                  \
        .offset = offsetof(CordVec3, member), .high = 1e9, .low_open = true, .needed = true                  \
    }
#define SOLID_SIZES(list) .sizes = list, .size_count = (int)(sizeof(list) / sizeof *(list))

// ---- distances

static const CordVec3 solid_upwards = {0, 0, 1};

static inline double distance_from_axis(CordVec3 p)
{
    return sqrt(p.x * p.x + p.y * p.y);
}

static inline CordVec3 away_from_axis(CordVec3 p) // unit; any on the axis
{
    double rho = distance_from_axis(p);
    return rho > 0.0 ? (CordVec3){p.x / rho, p.y / rho, 0.0} : (CordVec3){1, 0, 0};
}

// Distance from a rounded core: `off` is the vector from the closest point of the core.
static inline SolidPoint round_a_core(CordVec3 off, double radius, CordVec3 normal_in_core)
{
    double length = vec3_length(off);
    return (SolidPoint){length - radius, 0.0, length > 0.0 ? vec3_mul(off, 1.0 / length) : normal_in_core};
}

// Distance from a corner of two or three perpendicular faces, given the signed distance from each.
static inline SolidPoint behind_faces(const double* front, const CordVec3* normals, int count)
{
    CordVec3 off = {0, 0, 0};
    int most = 0;
    for (int k = 0; k < count; k++) {
        off = vec3_madd(off, normals[k], front[k] > 0.0 ? front[k] : 0.0);
        most = front[k] > front[most] ? k : most;
    }
    double length = vec3_length(off);
    return length > 0.0 ? (SolidPoint){length, 0.0, vec3_mul(off, 1.0 / length)}
                        : (SolidPoint){front[most], 0.0, normals[most]};
}

// Distance from a rectangle revolved about z; an inner radius that is not positive means that there is none.
static inline SolidPoint turned_point(double outer, double inner, double length, CordVec3 p)
{
    double rho = distance_from_axis(p), out = rho - outer, in = inner > 0.0 ? inner - rho : -INFINITY;
    const double front[2] = {out > in ? out : in, fabs(p.z) - 0.5 * length};
    const CordVec3 normals[2] = {vec3_mul(away_from_axis(p), out > in ? 1.0 : -1.0),
                                 {0, 0, p.z < 0.0 ? -1.0 : 1.0}};
    return behind_faces(front, normals, 2);
}

static inline double turned_radius(const CordSolid* solid)
{
    CordVec3 size = solid->size;
    return sqrt(size.x * size.x + 0.25 * size.z * size.z);
}

static inline double turned_support(const CordSolid* solid, CordVec3 n)
{
    return solid->size.x * distance_from_axis(n) + 0.5 * fabs(n.z) * solid->size.z;
}

SolidPoint solid_mesh_point(const CordSolidMesh* mesh, CordVec3 p); // solid_mesh.c; tests all triangles

// ---- cuts: solid.c

void cut_at(SolidLine* line, double s);
void cut_at_roots(SolidLine* line, double a, double b, double c); // of a s^2 + 2 b s + c
void cut_at_radius(SolidLine* line, double rho);
// where the distance from a circle about z changes its curvature
void cut_round_circle(SolidLine* line, double radius);

// ---- rays: solid_ray.c

typedef struct RaySpan { // the interval of a ray inside a solid; empty if enter > leave
    double enter, leave;
} RaySpan;

RaySpan span_both(RaySpan a, RaySpan b);
RaySpan span_either(RaySpan a, RaySpan b); // for two that overlap, or of which one is empty
RaySpan slab_span(double from, double direction, double half);
RaySpan ball_span(CordVec3 from, CordVec3 direction, double z, double radius); // about (0, 0, z)
RaySpan pipe_span(CordVec3 from, CordVec3 direction, double radius);           // infinite, about z
RaySpan drum_span(CordVec3 from, CordVec3 direction, double radius, double half);
bool span_meet(RaySpan span, double* t); // the first crossing ahead of the ray's start

// ---- surfaces: solid_surface.c

typedef struct SurfaceMaker {
    const CordMeshSink* sink;
    int vertex_count;
} SurfaceMaker;

int surface_vertex(SurfaceMaker* maker, CordVec3 x, CordVec3 normal, int point);
void surface_face(SurfaceMaker* maker, int count, int a, int b, int c, int d);
CordVec3 surface_around(int k, int sides, double radius, double z); // vertex k of a ring about z
// joins a ring to the next one above it
void surface_join(SurfaceMaker* maker, int first, int sides);
void surface_disc(SurfaceMaker* maker, double radius, double z, bool above, int sides, int first_point,
                  int middle_point);
void surface_capsule(const CordMeshSink* sink, double radius, double length, int sides); // length 0: a ball

#endif
