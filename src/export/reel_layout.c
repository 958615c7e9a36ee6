// Reels: what is in the frames that follow, as docs/reel.md has it.
#include "export/reel_parts.h"

#include <limits.h>

enum { ROD_LEAST = 24, BODY_LEAST = 20, OBSTACLE_LEAST = 28, SURFACE_LEAST = 20 }; // bytes of one

enum { ROD_CLOSED = 1, ROD_NETWORK = 2, SURFACE_HIDES = 1 };

// Both numbers of a mesh come before its arrays: they must be there before memory is taken for them.
static bool mesh_fits(ReelTake* take, int vertices_here, int triangles)
{
    if (!take->problem && 12 * ((uint64_t)vertices_here + (uint64_t)triangles) > take->size - take->at) {
        reel_take_fail(take, "it ends too early");
    }
    return !take->problem;
}

static void take_rods(ReelTake* take, ReelLayout* layout, bool has_ends, Arena* arena)
{
    int nodes = 0, edges = 0;
    for (int i = 0; i < layout->rod_count && !take->problem; i++) {
        CordFrameRod* rod = &layout->rods[i];
        *rod = (CordFrameRod){0};
        rod->first_node = reel_take_int(take);
        rod->node_count = reel_take_int(take);
        rod->first_edge = reel_take_int(take);
        rod->edge_count = reel_take_int(take);
        uint32_t flags = reel_take_u32(take);
        rod->name = reel_take_name(take, arena);
        rod->closed = (flags & ROD_CLOSED) != 0;
        rod->network = (flags & ROD_NETWORK) != 0;
        bool chain = rod->edge_count == rod->node_count - (rod->closed ? 0 : 1);
        if (rod->first_node != nodes || rod->first_edge != edges || rod->node_count < 2 ||
            flags > ROD_NETWORK || rod->node_count > layout->node_count - nodes ||
            rod->edge_count > layout->edge_count - edges || !(rod->network ? has_ends : chain)) {
            reel_take_fail(take, "its rods do not have the nodes and edges that they should");
        }
        nodes += take->problem ? 0 : rod->node_count;
        edges += take->problem ? 0 : rod->edge_count;
    }
    if (nodes != layout->node_count || edges != layout->edge_count || layout->rod_count == 0) {
        reel_take_fail(take, "its rods do not have the nodes and edges that they should");
    }
}

static CordVec3 take_size(ReelTake* take)
{
    CordVec3 size = reel_take_vec3(take);
    if (size.x < 0.0 || size.y < 0.0 || size.z < 0.0) {
        reel_take_fail(take, "something in it has a negative size");
    }
    return size;
}

static void take_bodies(ReelTake* take, ReelLayout* layout, Arena* arena)
{
    for (int i = 0; i < layout->body_count && !take->problem; i++) {
        CordFrameBody* body = &layout->bodies[i];
        *body = (CordFrameBody){0};
        uint32_t shape = reel_take_u32(take);
        body->size = take_size(take);
        body->name = reel_take_name(take, arena);
        if (shape > CORD_BODY_CAPSULE) {
            reel_take_fail(take, "a body in it has a shape that is not known");
        }
        body->shape = take->problem ? CORD_BODY_SPHERE : (CordBodyShape)shape;
    }
}

static void take_obstacles(ReelTake* take, ReelLayout* layout, Arena* arena)
{
    for (int i = 0; i < layout->obstacle_count && !take->problem; i++) {
        CordFrameObstacle* obstacle = &layout->obstacles[i];
        *obstacle = (CordFrameObstacle){0};
        uint32_t shape = reel_take_u32(take);
        obstacle->size = take_size(take);
        obstacle->vertex_count = reel_take_int(take);
        obstacle->triangle_count = reel_take_int(take);
        obstacle->name = reel_take_name(take, arena);
        if (shape >= CORD_OBSTACLE_SHAPE_COUNT ||
            (shape != CORD_OBSTACLE_MESH && (obstacle->vertex_count > 0 || obstacle->triangle_count > 0))) {
            reel_take_fail(take, "an obstacle in it has a shape that is not known");
        }
        if (!mesh_fits(take, obstacle->vertex_count, obstacle->triangle_count)) {
            return;
        }
        obstacle->shape = (CordObstacleShape)shape;
        CordVec3* vertices = arena_push(arena, CordVec3, obstacle->vertex_count);
        int* triangles = arena_push(arena, int, 3 * (size_t)obstacle->triangle_count);
        reel_take_vec3s(take, vertices, obstacle->vertex_count);
        reel_take_indices(take, triangles, 3 * (size_t)obstacle->triangle_count, 0, obstacle->vertex_count);
        obstacle->vertices = vertices;
        obstacle->triangles = triangles;
    }
}

static void take_surfaces(ReelTake* take, ReelLayout* layout, Arena* arena)
{
    for (int i = 0; i < layout->surface_count && !take->problem; i++) {
        CordFrameSurface* surface = &layout->surfaces[i];
        *surface = (CordFrameSurface){0};
        surface->rod = reel_take_int(take);
        uint32_t flags = reel_take_u32(take);
        surface->hides = (flags & SURFACE_HIDES) != 0;
        surface->vertex_count = reel_take_int(take);
        surface->triangle_count = reel_take_int(take);
        surface->name = reel_take_name(take, arena);
        if (surface->rod >= layout->rod_count || flags > SURFACE_HIDES) {
            reel_take_fail(take, "a surface in it goes along with a rod that is not there");
        }
        if (surface->vertex_count == 0) { // then frames would not grow with their number, and time would
            reel_take_fail(take, "a surface in it has no vertices");
        }
        if (!mesh_fits(take, 0, surface->triangle_count)) { // the vertices are in the frames
            return;
        }
        int* triangles = arena_push(arena, int, 3 * (size_t)surface->triangle_count);
        reel_take_indices(take, triangles, 3 * (size_t)surface->triangle_count, 0, surface->vertex_count);
        surface->triangles = triangles;
    }
}

static void take_edges(ReelTake* take, ReelLayout* layout, bool has_ends, Arena* arena)
{
    layout->radius = arena_push(arena, double, layout->edge_count);
    reel_take_f32s(take, layout->radius, (size_t)layout->edge_count);
    for (int i = 0; i < layout->edge_count && !take->problem; i++) {
        if (layout->radius[i] < 0.0) {
            reel_take_fail(take, "a radius in it is negative");
        }
    }
    if (!has_ends) {
        return;
    }
    layout->ends = arena_push(arena, int, 2 * (size_t)layout->edge_count);
    for (int i = 0; i < layout->rod_count && !take->problem; i++) {
        const CordFrameRod* rod = &layout->rods[i];
        reel_take_indices(take, layout->ends + 2 * (size_t)rod->first_edge, 2 * (size_t)rod->edge_count,
                          rod->first_node, rod->first_node + rod->node_count);
    }
}

// Everything but the records takes up at most twice the bytes that it has in the payload: floats become doubles. Each piece may be aligned.
static uint64_t layout_room(const ReelLayout* layout, size_t size)
{
    return 2 * (uint64_t)size + (uint64_t)layout->rod_count * (sizeof *layout->rods + MEMORY_ALIGN) +
           (uint64_t)layout->body_count * (sizeof *layout->bodies + MEMORY_ALIGN) +
           (uint64_t)layout->obstacle_count * (sizeof *layout->obstacles + 3 * MEMORY_ALIGN) +
           (uint64_t)layout->surface_count * (sizeof *layout->surfaces + 2 * MEMORY_ALIGN) + 8 * MEMORY_ALIGN;
}

static const char* take_counts(ReelTake* take, ReelLayout* layout, bool* has_ends)
{
    *layout = (ReelLayout){0};
    layout->rod_count = reel_take_int(take);
    layout->node_count = reel_take_int(take);
    layout->edge_count = reel_take_int(take);
    layout->body_count = reel_take_int(take);
    layout->obstacle_count = reel_take_int(take);
    layout->surface_count = reel_take_int(take);
    uint32_t ends = reel_take_u32(take), zero = reel_take_u32(take);
    *has_ends = ends != 0;
    if (take->problem) {
        return take->problem;
    }
    if (ends > 1 || zero != 0) {
        return "there is something where zeros belong";
    }
    uint64_t least = (uint64_t)layout->rod_count * ROD_LEAST + (uint64_t)layout->body_count * BODY_LEAST +
                     (uint64_t)layout->obstacle_count * OBSTACLE_LEAST +
                     (uint64_t)layout->surface_count * SURFACE_LEAST +
                     (uint64_t)layout->edge_count * (*has_ends ? 12 : 4);
    if (least > take->size - take->at) {
        return "it ends too early";
    }
    return layout->node_count > CORD_REEL_MOST / 12 ? "it has more nodes than a frame can hold" : NULL;
}

const char* reel_layout_take(CordReel* reel, ReelSpan span)
{
    ReelTake take = reel_take_start(reel, span);
    ReelLayout layout;
    Arena* arena = &reel->layout_memory;
    bool has_ends;
    reel->layout_span = (ReelSpan){0};
    const char* problem = take_counts(&take, &layout, &has_ends);
    if (problem) {
        return problem;
    }
    if (!reel_arena(reel, arena, layout_room(&layout, span.size))) {
        return reel_no_memory;
    }
    layout.rods = arena_push(arena, CordFrameRod, layout.rod_count);
    layout.bodies = arena_push(arena, CordFrameBody, layout.body_count);
    layout.obstacles = arena_push(arena, CordFrameObstacle, layout.obstacle_count);
    layout.surfaces = arena_push(arena, CordFrameSurface, layout.surface_count);
    take_rods(&take, &layout, has_ends, arena);
    take_bodies(&take, &layout, arena);
    take_obstacles(&take, &layout, arena);
    take_surfaces(&take, &layout, arena);
    take_edges(&take, &layout, has_ends, arena);
    if (take.at < take.size) {
        reel_take_fail(&take, "it does not end where it should");
    }
    if (!take.problem) {
        reel->layout = layout;
        reel->layout_span = span;
    }
    return take.problem;
}
