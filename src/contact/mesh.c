#include "contact/mesh.h"

#include "base/real.h"

#include <string.h>

#define FARTHEST 1e9             // [m]
#define MOST_TRIANGLES 100000000 // so that 3 t + k fits an int
// Smallest area of a triangle, over the squared diagonal of the mesh's box: below it, three collinear points
// cannot be told from a triangle.
#define LEAST_AREA 1e-14
#define FLAT_SINE 1e-6 // sine of the dihedral deviation below which an edge is flat

// ---- input checks

static CordResult check_vertices(const CordVec3* vertices, int count, Message* message)
{
    for (int i = 0; i < count; i++) {
        CordVec3 p = vertices[i];
        if (!vec3_finite(p)) {
            return message_fail(message, CORD_BAD_ARGUMENT, "vertex %d of its mesh is not finite", i);
        }
        if (real_max(fabs(p.x), real_max(fabs(p.y), fabs(p.z))) > FARTHEST) {
            return message_fail(
                message, CORD_BAD_ARGUMENT,
                "vertex %d of its mesh is at (%g, %g, %g); a position is in metres and must be at most 1e9",
                i, p.x, p.y, p.z);
        }
    }
    return CORD_OK;
}

static CordResult check_triangles(const int* triangles, int count, int vertex_count, Message* message)
{
    for (int i = 0; i < 3 * count; i++) {
        if (triangles[i] < 0 || triangles[i] >= vertex_count) {
            return message_fail(message, CORD_BAD_ARGUMENT,
                                "triangle %d of its mesh has vertex %d; its vertices are 0 to %d", i / 3,
                                triangles[i], vertex_count - 1);
        }
    }
    return CORD_OK;
}

// ---- boxes

static Aabb points_box(const CordVec3* vertices, const int* which, int count)
{
    Aabb box = AABB_EMPTY;
    for (int i = 0; i < count; i++) {
        aabb_add(&box, vertices[which[i]]);
    }
    return box;
}

static double squared_diagonal(const Aabb* box)
{
    CordVec3 d = {box->hi[0] - box->lo[0], box->hi[1] - box->lo[1], box->hi[2] - box->lo[2]};
    return vec3_dot(d, d);
}

static double triangle_area(const CordVec3* vertices, const int corner[3])
{
    CordVec3 a = vertices[corner[0]];
    CordVec3 ab = vec3_sub(vertices[corner[1]], a), ac = vec3_sub(vertices[corner[2]], a);
    return 0.5 * vec3_length(vec3_cross(ab, ac));
}

// ---- edges
//
// Half-edges: side k of triangle t, from its corner k to the next, has number 3 t + k. Sides are sorted by
// their two vertices, the lower one first, so that the sides of one edge are adjacent.

typedef struct Sides {
    const CordVec3* vertices;
    const int* triangles;
    const bool* is_left_out; // (triangle_count)
    int triangle_count, vertex_count;
    int *order, *other; // side_count of (3 triangle_count)
    int* start;         // by vertex (vertex_count + 1)
    int side_count;
} Sides;

static int side_from(const Sides* s, int side)
{
    return s->triangles[side];
}

static int side_to(const Sides* s, int side)
{
    return s->triangles[side % 3 == 2 ? side - 2 : side + 1];
}

static int side_low(const Sides* s, int side)
{
    int from = side_from(s, side), to = side_to(s, side);
    return from < to ? from : to;
}

static int side_high(const Sides* s, int side)
{
    int from = side_from(s, side), to = side_to(s, side);
    return from < to ? to : from;
}

static bool corners_differ(const int corner[3])
{
    return corner[0] != corner[1] && corner[1] != corner[2] && corner[2] != corner[0];
}

// Stable counting sort; its cost does not depend on how many triangles share a vertex.
static void sort_by_vertex(Sides* s, int (*vertex)(const Sides* s, int side))
{
    memset(s->start, 0, sizeof *s->start * ((size_t)s->vertex_count + 1));
    for (int i = 0; i < s->side_count; i++) {
        s->start[vertex(s, s->order[i]) + 1]++;
    }
    for (int i = 0; i < s->vertex_count; i++) {
        s->start[i + 1] += s->start[i];
    }
    for (int i = 0; i < s->side_count; i++) {
        s->other[s->start[vertex(s, s->order[i])]++] = s->order[i];
    }
    int* swap = s->order;
    s->order = s->other, s->other = swap;
}

static void sort_sides(Sides* s)
{
    for (int t = 0; t < s->triangle_count; t++) {
        for (int k = 0; k < 3 && corners_differ(&s->triangles[3 * t]); k++) {
            s->order[s->side_count++] = 3 * t + k;
        }
    }
    sort_by_vertex(s, side_high);
    sort_by_vertex(s, side_low);
}

static int run_length(const Sides* s, int first)
{
    int i = first + 1;
    while (i < s->side_count && side_low(s, s->order[i]) == side_low(s, s->order[first]) &&
           side_high(s, s->order[i]) == side_high(s, s->order[first])) {
        i++;
    }
    return i - first;
}

// The height vector of the triangle over this side.
static CordVec3 side_height(const Sides* s, int side)
{
    CordVec3 a = s->vertices[side_low(s, side)];
    CordVec3 along = vec3_unit(vec3_sub(s->vertices[side_high(s, side)], a));
    CordVec3 third = s->vertices[s->triangles[side % 3 == 0 ? side + 2 : side - 1]];
    return vec3_reject(vec3_sub(third, a), along);
}

// For any orientation of the two triangles. A triangle folded back onto the other is not flat.
static bool is_flat(const Sides* s, int side, int other)
{
    CordVec3 a = side_height(s, side), b = side_height(s, other);
    return vec3_dot(a, b) < 0.0 &&
           vec3_length(vec3_cross(a, b)) < FLAT_SINE * vec3_length(a) * vec3_length(b);
}

typedef struct Edge { // a run of equal sides in s->order
    int first, count;
} Edge;

static bool edge_next(const Sides* s, Edge* e) // start with one that is all zero
{
    e->first += e->count;
    e->count = e->first < s->side_count ? run_length(s, e->first) : 0;
    return e->count > 0;
}

static bool edge_is_closed(const Sides* s, const Edge* e)
{
    const int* side = &s->order[e->first];
    return e->count == 2 && side_from(s, side[0]) == side_to(s, side[1]);
}

static bool edge_is_kept(const Sides* s, const Edge* e)
{
    int left = 0;
    for (int i = 0; i < e->count; i++) {
        left += !s->is_left_out[s->order[e->first + i] / 3];
    }
    bool flat = left == 2 && e->count == 2 && is_flat(s, s->order[e->first], s->order[e->first + 1]);
    return left > 0 && !flat;
}

static bool list_edges(Memory* m, Mesh* mesh, Sides* s)
{
    int* kept = s->other; // one side of each kept edge
    mesh->closed = true;
    for (Edge e = {0, 0}; edge_next(s, &e);) {
        mesh->closed = mesh->closed && edge_is_closed(s, &e);
        if (edge_is_kept(s, &e)) {
            kept[mesh->edge_count++] = s->order[e.first];
        }
    }
    mesh->edges = memory_array(m, int, 2 * (size_t)mesh->edge_count);
    for (int i = 0; i < mesh->edge_count && mesh->edges; i++) {
        mesh->edges[2 * i] = side_low(s, kept[i]);
        mesh->edges[2 * i + 1] = side_high(s, kept[i]);
    }
    return mesh->edges != NULL;
}

static bool find_edges(Memory* m, Mesh* mesh, const int* triangles, int triangle_count,
                       const bool* is_left_out)
{
    size_t most = 3 * (size_t)triangle_count, starts = (size_t)mesh->vertex_count + 1;
    Sides s = {.vertices = mesh->vertices,
               .triangles = triangles,
               .is_left_out = is_left_out,
               .triangle_count = triangle_count,
               .vertex_count = mesh->vertex_count,
               .order = memory_array(m, int, most),
               .other = memory_array(m, int, most),
               .start = memory_array(m, int, starts)};
    bool made = s.order && s.other && s.start;
    if (made) {
        sort_sides(&s);
        made = list_edges(m, mesh, &s);
    }
    memory_array_free(m, s.order, most);
    memory_array_free(m, s.other, most);
    memory_array_free(m, s.start, starts);
    return made;
}

// ---- the mesh

static bool copy_triangles(Memory* m, Mesh* mesh, const int* triangles, int count, bool* is_left_out)
{
    Aabb all = points_box(mesh->vertices, triangles, 3 * count);
    double least = LEAST_AREA * squared_diagonal(&all);
    for (int t = 0; t < count; t++) {
        is_left_out[t] = !(triangle_area(mesh->vertices, &triangles[3 * t]) > least);
        mesh->degenerate += is_left_out[t];
    }
    mesh->triangle_count = count - mesh->degenerate;
    mesh->triangles = memory_array(m, int, 3 * (size_t)mesh->triangle_count);
    if (!mesh->triangles) {
        return false;
    }
    for (int t = 0, kept = 0; t < count; t++) {
        if (!is_left_out[t]) {
            memcpy(&mesh->triangles[3 * kept++], &triangles[3 * t], 3 * sizeof(int));
        }
    }
    return true;
}

static Aabb* boxes_about(Memory* m, const Mesh* mesh, const int* corners, int each, int count)
{
    Aabb* boxes = memory_array(m, Aabb, count);
    for (int i = 0; i < count && boxes; i++) {
        boxes[i] = points_box(mesh->vertices, &corners[each * i], each);
    }
    return boxes;
}

static bool make_trees(Memory* m, Mesh* mesh)
{
    mesh->box = points_box(mesh->vertices, mesh->triangles, 3 * mesh->triangle_count);
    mesh->triangle_boxes = boxes_about(m, mesh, mesh->triangles, 3, mesh->triangle_count);
    mesh->edge_boxes = boxes_about(m, mesh, mesh->edges, 2, mesh->edge_count);
    return mesh->triangle_boxes && mesh->edge_boxes &&
           bvh_fit(m, &mesh->triangle_bvh, mesh->triangle_boxes, mesh->triangle_count) &&
           bvh_fit(m, &mesh->edge_bvh, mesh->edge_boxes, mesh->edge_count);
}

static bool make_mesh(Memory* m, Mesh* mesh, const CordVec3* vertices, int vertex_count, const int* triangles,
                      int triangle_count)
{
    mesh->vertex_count = vertex_count;
    mesh->vertices = memory_array(m, CordVec3, vertex_count);
    bool* is_left_out = memory_array(m, bool, triangle_count);
    bool made = mesh->vertices && is_left_out;
    if (made) {
        memcpy(mesh->vertices, vertices, sizeof *vertices * (size_t)vertex_count);
        made = copy_triangles(m, mesh, triangles, triangle_count, is_left_out) &&
               find_edges(m, mesh, triangles, triangle_count, is_left_out) && make_trees(m, mesh);
    }
    memory_array_free(m, is_left_out, triangle_count);
    return made;
}

CordResult mesh_create(Memory* m, Mesh* mesh, const CordVec3* vertices, int vertex_count,
                       const int* triangles, int triangle_count, Message* message)
{
    *mesh = (Mesh){0};
    if (triangle_count < 1 || triangle_count > MOST_TRIANGLES || vertex_count < 1) {
        return message_fail(
            message, CORD_BAD_ARGUMENT,
            "its mesh has %d vertices and %d triangles; give three and one at least, and 1e8 at most",
            vertex_count, triangle_count);
    }
    CORD_TRY(check_vertices(vertices, vertex_count, message));
    CORD_TRY(check_triangles(triangles, triangle_count, vertex_count, message));
    if (!make_mesh(m, mesh, vertices, vertex_count, triangles, triangle_count)) {
        mesh_destroy(m, mesh);
        return message_fail(message, CORD_NO_MEMORY, "no memory for a mesh of %d triangles", triangle_count);
    }
    if (mesh->triangle_count == 0) {
        mesh_destroy(m, mesh);
        return message_fail(
            message, CORD_BAD_ARGUMENT,
            "none of the %d triangles of its mesh has an area; its vertices are all on one line",
            triangle_count);
    }
    return CORD_OK;
}

void mesh_destroy(Memory* m, Mesh* mesh)
{
    memory_array_free(m, mesh->vertices, mesh->vertex_count);
    memory_array_free(m, mesh->triangles, 3 * (size_t)mesh->triangle_count);
    memory_array_free(m, mesh->edges, 2 * (size_t)mesh->edge_count);
    memory_array_free(m, mesh->triangle_boxes, mesh->triangle_count);
    memory_array_free(m, mesh->edge_boxes, mesh->edge_count);
    bvh_free(m, &mesh->triangle_bvh);
    bvh_free(m, &mesh->edge_bvh);
    *mesh = (Mesh){0};
}

bool mesh_triangles_near(const Mesh* mesh, const Aabb* box, BvhHit found, void* context)
{
    return bvh_query(&mesh->triangle_bvh, mesh->triangle_boxes, box, found, context);
}

bool mesh_edges_near(const Mesh* mesh, const Aabb* box, BvhHit found, void* context)
{
    return bvh_query(&mesh->edge_bvh, mesh->edge_boxes, box, found, context);
}
