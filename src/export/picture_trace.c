// The ray tracer: rays against tubes, solids and surfaces, with Embree, which only this file uses.
#include "export/picture.h"

#include "export/geometry.h"

#ifdef CORD_EMBREE

#include <embree3/rtcore.h>

#include <stdlib.h>
#include <string.h>

struct PictureTracer {
    RTCDevice device;
    RTCScene scene;
    const PictureCurves* curves;
    const PictureSolids* bodies;
    const PictureSurfaces* surfaces;
    CordVec3 low, high; // bounding box of everything
    int* edges;         // the edge of each piece (piece_count)
};

enum { // numbers of the geometries in Embree's scene
    GEOMETRY_PIECES,
    GEOMETRY_BODIES,
    GEOMETRY_MESHES // the first of the meshes, after which the surfaces follow
};

typedef struct Pieces {   // buffers of Embree's curves: cone frusta between spheres
    float* points;        // x y z r; an edge has one more point than pieces (piece_count + edge_count)
    unsigned* index;      // first point of each piece (piece_count)
    unsigned char* flags; // is there a neighbour on the left, on the right? (piece_count)
} Pieces;

static bool pieces_alloc(RTCGeometry geometry, const PictureCurves* c, Pieces* p)
{
    size_t count = (size_t)c->piece_count, points = count + (size_t)c->edge_count;
    p->points = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4,
                                        4 * sizeof(float), points);
    p->index =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, sizeof(unsigned), count);
    p->flags = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_FLAGS, 0, RTC_FORMAT_UCHAR, 1, count);
    return p->points && p->index && p->flags;
}

// Flags join pieces within an edge only: Embree takes a neighbour's points from beside the piece's own.
static void pieces_fill(const PictureTracer* tracer, const Pieces* p)
{
    const PictureCurves* c = tracer->curves;
    size_t point = 0;
    for (int j = 0; j < c->edge_count; j++) {
        const PictureEdge* edge = &c->edges[j];
        for (int k = 0; k <= edge->pieces; k++, point++) {
            double u = (double)k / edge->pieces;
            CordVec3 x = picture_curves_point(c, j, u);
            float values[4] = {(float)x.x, (float)x.y, (float)x.z, (float)picture_curves_radius(c, j, u)};
            memcpy(&p->points[4 * point], values, sizeof values);
            if (k < edge->pieces) {
                int piece = edge->first_piece + k;
                tracer->edges[piece] = j;
                p->index[piece] = (unsigned)point;
                p->flags[piece] = (unsigned char)((k > 0 ? RTC_CURVE_FLAG_NEIGHBOR_LEFT : 0) |
                                                  (k + 1 < edge->pieces ? RTC_CURVE_FLAG_NEIGHBOR_RIGHT : 0));
            }
        }
    }
}

// Adds a geometry to the scene if it was filled, and gives it up.
static bool geometry_attach(PictureTracer* tracer, RTCGeometry geometry, bool filled, unsigned number)
{
    if (filled) {
        rtcCommitGeometry(geometry);
        rtcAttachGeometryByID(tracer->scene, geometry, number);
    }
    if (geometry) {
        rtcReleaseGeometry(geometry);
    }
    return filled;
}

static bool pieces_attach(PictureTracer* tracer)
{
    if (tracer->curves->piece_count == 0) {
        return true;
    }
    RTCGeometry geometry = rtcNewGeometry(tracer->device, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
    Pieces pieces;
    bool filled = geometry && pieces_alloc(geometry, tracer->curves, &pieces);
    if (filled) {
        pieces_fill(tracer, &pieces);
    }
    return geometry_attach(tracer, geometry, filled, GEOMETRY_PIECES);
}

static void body_bounds(const struct RTCBoundsFunctionArguments* args)
{
    const PictureTracer* tracer = args->geometryUserPtr;
    const PictureSolid* body = &tracer->bodies->list[args->primID];
    const double rounding = 1e-6; // Embree computes in single precision
    *args->bounds_o = (struct RTCBounds){
        .lower_x = (float)(body->low.x - rounding),
        .lower_y = (float)(body->low.y - rounding),
        .lower_z = (float)(body->low.z - rounding),
        .upper_x = (float)(body->high.x + rounding),
        .upper_y = (float)(body->high.y + rounding),
        .upper_z = (float)(body->high.z + rounding),
    };
}

static bool body_meet(const PictureTracer* tracer, unsigned body, const struct RTCRay* ray, float* distance)
{
    CordVec3 from = {(double)ray->org_x, (double)ray->org_y, (double)ray->org_z};
    CordVec3 direction = {(double)ray->dir_x, (double)ray->dir_y, (double)ray->dir_z};
    double met;
    if (!picture_solid_hit(&tracer->bodies->list[body], from, direction, &met)) {
        return false;
    }
    *distance = (float)met;
    return *distance > ray->tnear && *distance < ray->tfar;
}

static void body_intersect(const struct RTCIntersectFunctionNArguments* args)
{
    struct RTCRayHit* ray = (struct RTCRayHit*)args->rayhit; // rays come one by one
    float distance;
    if (args->valid[0] && body_meet(args->geometryUserPtr, args->primID, &ray->ray, &distance)) {
        ray->ray.tfar = distance;
        ray->hit.geomID = args->geomID;
        ray->hit.primID = args->primID;
        ray->hit.instID[0] = args->context->instID[0];
    }
}

static void body_occlude(const struct RTCOccludedFunctionNArguments* args)
{
    struct RTCRay* ray = (struct RTCRay*)args->ray;
    float distance;
    if (args->valid[0] && body_meet(args->geometryUserPtr, args->primID, ray, &distance)) {
        ray->tfar = -INFINITY;
    }
}

static bool bodies_attach(PictureTracer* tracer)
{
    if (tracer->bodies->exact_count == 0) {
        return true;
    }
    RTCGeometry geometry = rtcNewGeometry(tracer->device, RTC_GEOMETRY_TYPE_USER);
    if (!geometry) {
        return false;
    }
    rtcSetGeometryUserPrimitiveCount(geometry, (unsigned)tracer->bodies->exact_count);
    rtcSetGeometryUserData(geometry, tracer);
    rtcSetGeometryBoundsFunction(geometry, body_bounds, NULL);
    rtcSetGeometryIntersectFunction(geometry, body_intersect);
    rtcSetGeometryOccludedFunction(geometry, body_occlude);
    return geometry_attach(tracer, geometry, true, GEOMETRY_BODIES);
}

typedef struct Triangles { // the mesh of an obstacle, or a surface
    int vertex_count, triangle_count;
    const int* triangles;
    const PictureSolid* body;      // an obstacle
    const PictureSurface* surface; // or NULL
} Triangles;

static CordVec3 triangles_vertex(const Triangles* t, size_t i)
{
    const PictureSolid* body = t->body;
    return t->surface ? t->surface->x[i]
                      : cord_vec3_madd(body->center, axes_to_space(body->axes, body->solid.mesh.vertices[i]),
                                       body->metre);
}

static bool triangles_fill(RTCGeometry geometry, const Triangles* t)
{
    size_t vertices = (size_t)t->vertex_count, triangles = (size_t)t->triangle_count;
    float* x = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof *x,
                                       vertices);
    unsigned* corners = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                3 * sizeof *corners, triangles);
    if (!x || !corners) {
        return false;
    }
    for (size_t i = 0; i < vertices; i++) {
        CordVec3 p = triangles_vertex(t, i);
        x[3 * i] = (float)p.x, x[3 * i + 1] = (float)p.y, x[3 * i + 2] = (float)p.z;
    }
    for (size_t i = 0; i < 3 * triangles; i++) {
        corners[i] = (unsigned)t->triangles[i];
    }
    return true;
}

static bool triangles_attach(PictureTracer* tracer, int number, const Triangles* t)
{
    RTCGeometry geometry = rtcNewGeometry(tracer->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    bool filled = geometry && triangles_fill(geometry, t);
    return geometry_attach(tracer, geometry, filled, (unsigned)(GEOMETRY_MESHES + number));
}

static bool meshes_attach(PictureTracer* tracer)
{
    bool filled = true;
    for (int i = 0; filled && i < tracer->bodies->mesh_count; i++) {
        const PictureSolid* body = &tracer->bodies->list[tracer->bodies->exact_count + i];
        const CordSolidMesh* mesh = &body->solid.mesh;
        Triangles t = {mesh->vertex_count, mesh->triangle_count, mesh->triangles, body, NULL};
        filled = triangles_attach(tracer, i, &t);
    }
    for (int i = 0; filled && i < tracer->surfaces->count; i++) {
        const PictureSurface* surface = &tracer->surfaces->list[i];
        const CordFrameSurface* from = surface->from;
        Triangles t = {from->vertex_count, from->triangle_count, from->triangles, NULL, surface};
        filled = triangles_attach(tracer, tracer->bodies->mesh_count + i, &t);
    }
    return filled;
}

static bool tracer_build(PictureTracer* tracer)
{
    // One thread builds, so that the hierarchy, and the last bit of every hit, is the same every time.
    tracer->device = rtcNewDevice("threads=1");
    tracer->scene = tracer->device ? rtcNewScene(tracer->device) : NULL;
    if (!tracer->scene || !tracer->edges) {
        return false;
    }
    if (!pieces_attach(tracer) || !bodies_attach(tracer) || !meshes_attach(tracer)) {
        return false;
    }
    rtcCommitScene(tracer->scene);
    struct RTCBounds box;
    rtcGetSceneBounds(tracer->scene, &box);
    tracer->low = (CordVec3){(double)box.lower_x, (double)box.lower_y, (double)box.lower_z};
    tracer->high = (CordVec3){(double)box.upper_x, (double)box.upper_y, (double)box.upper_z};
    return rtcGetDeviceError(tracer->device) == RTC_ERROR_NONE;
}

CordResult picture_tracer_create(const PictureCurves* curves, const PictureSolids* bodies,
                                 const PictureSurfaces* surfaces, PictureTracer** tracer,
                                 CordMessage* message)
{
    *tracer = calloc(1, sizeof **tracer);
    if (*tracer) {
        (*tracer)->curves = curves;
        (*tracer)->bodies = bodies;
        (*tracer)->surfaces = surfaces;
        (*tracer)->edges = calloc((size_t)curves->piece_count + 1, sizeof *(*tracer)->edges);
        if (tracer_build(*tracer)) {
            return CORD_OK;
        }
    }
    picture_tracer_destroy(*tracer);
    *tracer = NULL;
    return export_fail(message, CORD_NO_MEMORY,
                       "Embree could not take %d rod elements; is there memory left?", curves->edge_count);
}

void picture_tracer_destroy(PictureTracer* tracer)
{
    if (!tracer) {
        return;
    }
    if (tracer->scene) {
        rtcReleaseScene(tracer->scene);
    }
    if (tracer->device) {
        rtcReleaseDevice(tracer->device);
    }
    free(tracer->edges);
    free(tracer);
}

static struct RTCRay ray_make(CordVec3 from, CordVec3 direction)
{
    return (struct RTCRay){
        .org_x = (float)from.x,
        .org_y = (float)from.y,
        .org_z = (float)from.z,
        .dir_x = (float)direction.x,
        .dir_y = (float)direction.y,
        .dir_z = (float)direction.z,
        .tfar = INFINITY,
        .mask = 0xffffffff,
    };
}

static struct RTCRayHit rayhit_trace(const PictureTracer* tracer, CordVec3 from, CordVec3 direction)
{
    struct RTCRayHit ray = {.ray = ray_make(from, direction)};
    ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    ray.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(tracer->scene, &context, &ray);
    return ray;
}

static void rod_hit(const PictureTracer* tracer, const struct RTCRayHit* ray, CordVec3 point,
                    CordVec3 direction, PictureHit* hit)
{
    const PictureCurves* c = tracer->curves;
    int edge = tracer->edges[ray->hit.primID];
    double piece = (double)((int)ray->hit.primID - c->edges[edge].first_piece);
    double u = (piece + clamp((double)ray->hit.u, 0.0, 1.0)) / c->edges[edge].pieces;
    hit->edge = edge;
    hit->u = picture_curves_nearest(c, edge, u, point);
    // The smooth tube's normal instead of the piece's, so that no facets show. At an end it is the sphere's.
    CordVec3 normal = cord_vec3_unit_or(cord_vec3_sub(point, picture_curves_point(c, edge, hit->u)),
                                        cord_vec3_scale(direction, -1.0));
    double away = cord_vec3_dot(normal, direction);
    // bounded by the error of the pieces
    hit->normal = away > 0 ? cord_vec3_unit_or(cord_vec3_madd(normal, direction, -away), normal) : normal;
}

// A triangle has two sides. The side that faces the ray is shaded.
static void mesh_hit(const PictureTracer* tracer, const struct RTCRayHit* ray, CordVec3 direction,
                     PictureHit* hit)
{
    CordVec3 normal = {(double)ray->hit.Ng_x, (double)ray->hit.Ng_y, (double)ray->hit.Ng_z};
    normal = cord_vec3_unit_or(normal, cord_vec3_scale(direction, -1.0));
    hit->normal = cord_vec3_dot(normal, direction) > 0 ? cord_vec3_scale(normal, -1.0) : normal;
    hit->edge = -1;
    hit->body = tracer->bodies->exact_count + (int)ray->hit.geomID - GEOMETRY_MESHES;
}

static void surface_hit(const PictureTracer* tracer, const struct RTCRayHit* ray, CordVec3 direction,
                        PictureHit* hit)
{
    int index = (int)ray->hit.geomID - GEOMETRY_MESHES - tracer->bodies->mesh_count;
    const PictureSurface* surface = &tracer->surfaces->list[index];
    double u = (double)ray->hit.u, v = (double)ray->hit.v, share[3] = {1.0 - u - v, u, v};
    CordVec3 flat = {(double)ray->hit.Ng_x, (double)ray->hit.Ng_y, (double)ray->hit.Ng_z};
    double side = cord_vec3_dot(flat, direction) > 0 ? -1.0 : 1.0;
    CordVec3 normal = cord_vec3_scale(picture_surface_normal(surface, (int)ray->hit.primID, share), side);
    double away = cord_vec3_dot(normal, direction);
    hit->normal = away > 0 ? cord_vec3_unit_or(cord_vec3_madd(normal, direction, -away), normal)
                           : normal; // at the silhouette
    hit->lift = picture_surface_lift(surface, (int)ray->hit.primID, share, side);
    hit->edge = -1;
    hit->body = tracer->bodies->count + index;
}

static bool scene_hit(const PictureTracer* tracer, CordVec3 from, CordVec3 direction, PictureHit* hit)
{
    struct RTCRayHit ray = rayhit_trace(tracer, from, direction);
    if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID) {
        return false;
    }
    *hit = (PictureHit){.distance = (double)ray.ray.tfar};
    CordVec3 point = cord_vec3_madd(from, direction, hit->distance);
    if (ray.hit.geomID >= (unsigned)(GEOMETRY_MESHES + tracer->bodies->mesh_count)) {
        surface_hit(tracer, &ray, direction, hit);
    } else if (ray.hit.geomID >= GEOMETRY_MESHES) {
        mesh_hit(tracer, &ray, direction, hit);
    } else if (ray.hit.geomID == GEOMETRY_BODIES) {
        hit->edge = -1;
        hit->body = (int)ray.hit.primID;
        hit->normal = picture_solid_normal(&tracer->bodies->list[hit->body], point);
    } else {
        rod_hit(tracer, &ray, point, direction, hit);
    }
    return true;
}

// There are few planes, and they cast no shadow on what lies in front of them, so Embree does not have them.
bool picture_tracer_hit(const PictureTracer* tracer, CordVec3 from, CordVec3 direction, PictureHit* hit)
{
    const PictureSolids* b = tracer->bodies;
    bool met = scene_hit(tracer, from, direction, hit);
    for (int i = b->exact_count + b->mesh_count; i < b->count; i++) {
        double distance;
        if (picture_solid_hit(&b->list[i], from, direction, &distance) &&
            !(met && distance > hit->distance)) {
            *hit = (PictureHit){.distance = distance, .normal = b->list[i].axes[2], .edge = -1, .body = i};
            met = true;
        }
    }
    return met;
}

// Clips a ray to the slab between low and high along one axis. 0 / 0, at a face, counts as inside.
static void slab_clip(double low, double high, double from, double direction, double* enter, double* leave)
{
    double a = (low - from) / direction, b = (high - from) / direction;
    *enter = max_of(*enter, min_of(a, b));
    *leave = min_of(*leave, max_of(a, b));
}

// Most shadow rays miss everything. This test finds them at a tenth of the cost of asking Embree.
static bool box_missed(const PictureTracer* tracer, CordVec3 from, CordVec3 direction)
{
    double enter = 0, leave = INFINITY;
    slab_clip(tracer->low.x, tracer->high.x, from.x, direction.x, &enter, &leave);
    slab_clip(tracer->low.y, tracer->high.y, from.y, direction.y, &enter, &leave);
    slab_clip(tracer->low.z, tracer->high.z, from.z, direction.z, &enter, &leave);
    return enter > leave;
}

bool picture_tracer_blocked(const PictureTracer* tracer, CordVec3 from, CordVec3 direction)
{
    if (box_missed(tracer, from, direction)) {
        return false;
    }
    struct RTCRay ray = ray_make(from, direction);
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(tracer->scene, &context, &ray);
    return ray.tfar < 0;
}

double picture_tracer_reach(const PictureTracer* tracer, CordVec3 from, CordVec3 direction)
{
    if (box_missed(tracer, from, direction)) {
        return INFINITY;
    }
    struct RTCRayHit ray = rayhit_trace(tracer, from, direction);
    return ray.hit.geomID == RTC_INVALID_GEOMETRY_ID ? INFINITY : (double)ray.ray.tfar;
}

#else

CordResult picture_tracer_create(const PictureCurves* curves, const PictureSolids* bodies,
                                 const PictureSurfaces* surfaces, PictureTracer** tracer,
                                 CordMessage* message)
{
    (void)curves, (void)bodies, (void)surfaces;
    *tracer = NULL;
    return export_fail(
        message, CORD_NOT_SUPPORTED,
        "this build of Cordage draws no pictures: install Embree (Debian: libembree-dev) and build again");
}

void picture_tracer_destroy(PictureTracer* tracer)
{
    (void)tracer;
}

bool picture_tracer_hit(const PictureTracer* tracer, CordVec3 from, CordVec3 direction, PictureHit* hit)
{
    (void)tracer, (void)from, (void)direction, (void)hit;
    return false;
}

bool picture_tracer_blocked(const PictureTracer* tracer, CordVec3 from, CordVec3 direction)
{
    (void)tracer, (void)from, (void)direction;
    return false;
}

double picture_tracer_reach(const PictureTracer* tracer, CordVec3 from, CordVec3 direction)
{
    (void)tracer, (void)from, (void)direction;
    return INFINITY;
}

#endif
