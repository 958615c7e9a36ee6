// Reels: reading a layout, which describes the frames that follow. docs/reel.md describes the bytes.
#include "export/reel.h"

#include <limits.h>

enum { ROD_LEAST = 24, SOLID_LEAST = 28, SURFACE_LEAST = 20 }; // smallest size of one [bytes]

enum { ROD_CLOSED = 1, ROD_NETWORK = 2, SURFACE_HIDES = 1 };

// Both counts of a mesh precede its arrays. They are checked against the bytes left before memory is
// allocated.
static bool mesh_fits(ReelReader* reader, int vertices_here, int triangles)
{
    if (!reader->problem &&
        12 * ((uint64_t)vertices_here + (uint64_t)triangles) > reader->size - reader->at) {
        reel_read_fail(reader, "it ends too early");
    }
    return !reader->problem;
}

static void read_rods(ReelReader* reader, CordFrame* layout, bool has_ends, Arena* arena)
{
    CordFrameRod* rods = arena_push(arena, CordFrameRod, layout->rod_count);
    int nodes = 0, edges = 0;
    layout->rods = rods;
    for (int i = 0; i < layout->rod_count && !reader->problem; i++) {
        CordFrameRod* rod = &rods[i];
        *rod = (CordFrameRod){0};
        rod->first_node = reel_read_int(reader);
        rod->node_count = reel_read_int(reader);
        rod->first_edge = reel_read_int(reader);
        rod->edge_count = reel_read_int(reader);
        uint32_t flags = reel_read_u32(reader);
        rod->name = reel_read_name(reader, arena);
        rod->closed = (flags & ROD_CLOSED) != 0;
        rod->network = (flags & ROD_NETWORK) != 0;
        bool chain = rod->edge_count == rod->node_count - (rod->closed ? 0 : 1);
        if (rod->first_node != nodes || rod->first_edge != edges || rod->node_count < 2 ||
            flags > ROD_NETWORK || rod->node_count > layout->node_count - nodes ||
            rod->edge_count > layout->edge_count - edges || !(rod->network ? has_ends : chain)) {
            reel_read_fail(reader, "its rods do not have the nodes and edges that they should");
        }
        nodes += reader->problem ? 0 : rod->node_count;
        edges += reader->problem ? 0 : rod->edge_count;
    }
    if (nodes != layout->node_count || edges != layout->edge_count || layout->rod_count == 0) {
        reel_read_fail(reader, "its rods do not have the nodes and edges that they should");
    }
}

// Only shapes given by triangles have a mesh.
static CordSolid read_solid(ReelReader* reader, const char** name, Arena* arena)
{
    uint32_t shape = reel_read_u32(reader);
    CordSolid solid = {.size = reel_read_vec3(reader)};
    int vertex_count = reel_read_int(reader), triangle_count = reel_read_int(reader);
    *name = reel_read_name(reader, arena);
    const CordSolidKind* kind = shape < CORD_SOLID_COUNT ? cord_solid_kind((int)shape) : NULL;
    if (solid.size.x < 0.0 || solid.size.y < 0.0 || solid.size.z < 0.0) {
        reel_read_fail(reader, "something in it has a negative size");
    }
    if (!kind || (!kind->is_mesh && (vertex_count > 0 || triangle_count > 0))) {
        reel_read_fail(reader, "something in it has a shape that is not known");
    }
    if (!mesh_fits(reader, vertex_count, triangle_count)) {
        return solid;
    }
    CordVec3* vertices = arena_push(arena, CordVec3, vertex_count);
    int* triangles = arena_push(arena, int, 3 * (size_t)triangle_count);
    reel_read_vec3s(reader, vertices, vertex_count);
    reel_read_indices(reader, triangles, 3 * (size_t)triangle_count, 0, vertex_count);
    solid.shape = (CordSolidShape)shape;
    solid.mesh = (CordSolidMesh){vertices, vertex_count, triangles, triangle_count};
    return solid;
}

static void read_bodies(ReelReader* reader, CordFrame* layout, Arena* arena)
{
    CordFrameBody* bodies = arena_push(arena, CordFrameBody, layout->body_count);
    layout->bodies = bodies;
    for (int i = 0; i < layout->body_count && !reader->problem; i++) {
        CordFrameBody* body = &bodies[i];
        *body = (CordFrameBody){0};
        body->solid = read_solid(reader, &body->name, arena);
        if (!reader->problem && !cord_solid_kind((int)body->solid.shape)->can_be_body) {
            reel_read_fail(reader, "a body in it has a shape that bodies cannot have");
        }
    }
}

static void read_obstacles(ReelReader* reader, CordFrame* layout, Arena* arena)
{
    CordFrameObstacle* obstacles = arena_push(arena, CordFrameObstacle, layout->obstacle_count);
    layout->obstacles = obstacles;
    for (int i = 0; i < layout->obstacle_count && !reader->problem; i++) {
        CordFrameObstacle* obstacle = &obstacles[i];
        *obstacle = (CordFrameObstacle){0};
        obstacle->solid = read_solid(reader, &obstacle->name, arena);
    }
}

static void read_surfaces(ReelReader* reader, CordFrame* layout, Arena* arena)
{
    CordFrameSurface* surfaces = arena_push(arena, CordFrameSurface, layout->surface_count);
    layout->surfaces = surfaces;
    for (int i = 0; i < layout->surface_count && !reader->problem; i++) {
        CordFrameSurface* surface = &surfaces[i];
        *surface = (CordFrameSurface){0};
        surface->rod = reel_read_int(reader);
        uint32_t flags = reel_read_u32(reader);
        surface->hides = (flags & SURFACE_HIDES) != 0;
        surface->vertex_count = reel_read_int(reader);
        surface->triangle_count = reel_read_int(reader);
        surface->name = reel_read_name(reader, arena);
        if (surface->rod >= layout->rod_count || flags > SURFACE_HIDES) {
            reel_read_fail(reader, "a surface in it goes along with a rod that is not there");
        }
        // otherwise their number would cost time that is not bounded by the size of the frames
        if (surface->vertex_count == 0) {
            reel_read_fail(reader, "a surface in it has no vertices");
        }
        if (!mesh_fits(reader, 0, surface->triangle_count)) { // the vertices are in the frames
            return;
        }
        int* triangles = arena_push(arena, int, 3 * (size_t)surface->triangle_count);
        reel_read_indices(reader, triangles, 3 * (size_t)surface->triangle_count, 0, surface->vertex_count);
        surface->triangles = triangles;
    }
}

static void read_edges(ReelReader* reader, CordFrame* layout, bool has_ends, Arena* arena)
{
    double* radius = arena_push(arena, double, layout->edge_count);
    layout->radius = radius;
    reel_read_f32s(reader, radius, (size_t)layout->edge_count);
    for (int i = 0; i < layout->edge_count && !reader->problem; i++) {
        if (radius[i] < 0.0) {
            reel_read_fail(reader, "a radius in it is negative");
        }
    }
    if (!has_ends) {
        return;
    }
    int* ends = arena_push(arena, int, 2 * (size_t)layout->edge_count);
    layout->ends = ends;
    for (int i = 0; i < layout->rod_count && !reader->problem; i++) {
        const CordFrameRod* rod = &layout->rods[i];
        reel_read_indices(reader, ends + 2 * (size_t)rod->first_edge, 2 * (size_t)rod->edge_count,
                          rod->first_node, rod->first_node + rod->node_count);
    }
}

// The most memory that a layout needs. Besides the records, everything takes at most twice its bytes in the
// payload, because floats become doubles. Each allocation may be aligned.
static uint64_t layout_room(const CordFrame* layout, size_t size)
{
    return 2 * (uint64_t)size + (uint64_t)layout->rod_count * (sizeof *layout->rods + MEMORY_ALIGN) +
           (uint64_t)layout->body_count * (sizeof *layout->bodies + 3 * MEMORY_ALIGN) +
           (uint64_t)layout->obstacle_count * (sizeof *layout->obstacles + 3 * MEMORY_ALIGN) +
           (uint64_t)layout->surface_count * (sizeof *layout->surfaces + 2 * MEMORY_ALIGN) + 8 * MEMORY_ALIGN;
}

static const char* read_counts(ReelReader* reader, CordFrame* layout, bool* has_ends)
{
    *layout = (CordFrame){0};
    layout->rod_count = reel_read_int(reader);
    layout->node_count = reel_read_int(reader);
    layout->edge_count = reel_read_int(reader);
    layout->body_count = reel_read_int(reader);
    layout->obstacle_count = reel_read_int(reader);
    layout->surface_count = reel_read_int(reader);
    uint32_t ends = reel_read_u32(reader), zero = reel_read_u32(reader);
    *has_ends = ends != 0;
    if (reader->problem) {
        return reader->problem;
    }
    if (ends > 1 || zero != 0) {
        return "there is something where zeros belong";
    }
    uint64_t least = (uint64_t)layout->rod_count * ROD_LEAST +
                     ((uint64_t)layout->body_count + (uint64_t)layout->obstacle_count) * SOLID_LEAST +
                     (uint64_t)layout->surface_count * SURFACE_LEAST +
                     (uint64_t)layout->edge_count * (*has_ends ? 12 : 4);
    if (least > reader->size - reader->at) {
        return "it ends too early";
    }
    return layout->node_count > CORD_REEL_MOST / 12 ? "it has more nodes than a frame can hold" : NULL;
}

const char* reel_layout_read(CordReel* reel, ReelSpan span)
{
    ReelReader reader = reel_reader(reel, span);
    CordFrame layout;
    Arena* arena = &reel->layout_memory;
    bool has_ends;
    reel->layout_span = (ReelSpan){0};
    const char* problem = read_counts(&reader, &layout, &has_ends);
    if (problem) {
        return problem;
    }
    if (!reel_arena(reel, arena, layout_room(&layout, span.size))) {
        return reel_no_memory;
    }
    read_rods(&reader, &layout, has_ends, arena);
    read_bodies(&reader, &layout, arena);
    read_obstacles(&reader, &layout, arena);
    read_surfaces(&reader, &layout, arena);
    read_edges(&reader, &layout, has_ends, arena);
    if (reader.at < reader.size) {
        reel_read_fail(&reader, "it does not end where it should");
    }
    if (!reader.problem) {
        reel->layout = layout;
        reel->layout_span = span;
    }
    return reader.problem;
}
