// Surfaces that are tied to rods: creation, destruction and positions.
#include "world/surface.h"

#include "base/message.h"
#include "rod/surface.h"
#include "world/world.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static CordResult no_memory(CordWorld* w)
{
    return message_fail(&w->message, CORD_NO_MEMORY, "the allocator has no memory left");
}

static Surface* find_surface(const CordWorld* w, CordSurfaceId id)
{
    return slots_get(&w->surfaces, id.slot, id.generation);
}

// ---- checks

CordSurfaceDef cord_surface_def_default(void)
{
    return (CordSurfaceDef){.hides = true};
}

static CordResult check_triangles(const CordSurfaceDef* def, Message* message)
{
    if (!def->vertices || !def->triangles || def->vertex_count < 3 || def->triangle_count < 1 ||
        def->vertex_count > INT_MAX / (3 * CORD_SURFACE_TIES) || def->triangle_count > INT_MAX / 3) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "it has %d vertices and %d triangles; give three and one at least",
                            def->vertices ? def->vertex_count : 0, def->triangles ? def->triangle_count : 0);
    }
    for (int i = 0; i < def->vertex_count; i++) {
        if (!vec3_finite(def->vertices[i])) {
            return message_fail(message, CORD_BAD_ARGUMENT, "its vertex %d is not finite", i);
        }
    }
    for (int k = 0; k < 3 * def->triangle_count; k++) {
        if (def->triangles[k] < 0 || def->triangles[k] >= def->vertex_count) {
            return message_fail(message, CORD_BAD_ARGUMENT,
                                "its triangle %d has vertex %d; they are counted from 0 to %d", k / 3,
                                def->triangles[k], def->vertex_count - 1);
        }
    }
    return CORD_OK;
}

// ---- ties

static void tie_all(Surface* s, const SurfaceRod* rod, const EdgeBvh* tree, const CordVec3* vertices)
{
    for (int i = 0; i < s->vertex_count; i++) {
        surface_tie(rod, tree, vertices[i], s->ties + (size_t)CORD_SURFACE_TIES * (size_t)i);
    }
}

// The axes of a modal rod are always up to date. Preparing it would compute its modes, which are not needed
// here.
static CordResult axes_of(CordWorld* w, const Surface* s, CordRodId rod, CordVec3* m1)
{
    if (!model_of(s->rod)->reduced) {
        return cord_rod_material_frames(w, rod, m1);
    }
    model_of(s->rod)->material_frames(s->rod, m1);
    return CORD_OK;
}

// Ties by the present shape of the rod. The tree needs all edges listed with their ends, also those of a
// chain.
static CordResult tie_to_rod(CordWorld* w, Surface* s, const CordSurfaceDef* def)
{
    const CordCenterline* c = &s->rod->line;
    CordVec3* x = memory_array(&w->memory, CordVec3, c->node_count);
    CordVec3* m1 = memory_array(&w->memory, CordVec3, c->edge_count);
    int* ends = memory_array(&w->memory, int, 2 * (size_t)c->edge_count);
    EdgeBvh tree = {0};
    CordResult result = x && m1 && ends ? cord_rod_positions(w, def->rod, x) : no_memory(w);
    if (result == CORD_OK) {
        result = axes_of(w, s, def->rod, m1);
    }
    if (result == CORD_OK) {
        for (int j = 0; j < c->edge_count; j++) {
            ends[2 * j] = edge_start(c, j);
            ends[2 * j + 1] = edge_end(c, j);
        }
        result = edge_bvh_create(&w->memory, &tree, x, ends, c->edge_count) ? CORD_OK : no_memory(w);
    }
    if (result == CORD_OK) {
        SurfaceRod rod = {
            .x = x, .m1 = m1, .ends = ends, .node_count = c->node_count, .edge_count = c->edge_count};
        tie_all(s, &rod, &tree, def->vertices);
        edge_bvh_destroy(&w->memory, &tree);
    }
    memory_array_free(&w->memory, x, c->node_count);
    memory_array_free(&w->memory, m1, c->edge_count);
    memory_array_free(&w->memory, ends, 2 * (size_t)c->edge_count);
    return result;
}

void cord_surface_place(const CordFrame* frame, const CordFrameSurface* surface, CordVec3* vertices)
{
    const CordFrameRod* r = &frame->rods[surface->rod];
    SurfaceRod rod = {.x = frame->x,
                      .m1 = frame->m1 + r->first_edge,
                      .ends = r->network ? frame->ends + 2 * (size_t)r->first_edge : NULL,
                      .first_node = r->first_node,
                      .node_count = r->node_count,
                      .edge_count = r->edge_count};
    for (int i = 0; i < surface->vertex_count; i++) {
        vertices[i] = surface_place(&rod, surface->ties + (size_t)CORD_SURFACE_TIES * (size_t)i);
    }
}

// ---- creation and destruction

static void free_surface(CordWorld* w, Surface* s)
{
    memory_array_free(&w->memory, s->vertices, s->vertex_count);
    memory_array_free(&w->memory, s->triangles, 3 * (size_t)s->triangle_count);
    memory_array_free(&w->memory, s->ties, (size_t)CORD_SURFACE_TIES * (size_t)s->vertex_count);
    memory_free(&w->memory, s, sizeof *s);
}

static CordResult copy_mesh(CordWorld* w, Surface* s, const CordSurfaceDef* def)
{
    s->hides = def->hides;
    s->vertex_count = def->vertex_count;
    s->triangle_count = def->triangle_count;
    s->vertices = memory_array(&w->memory, CordVec3, s->vertex_count);
    s->triangles = memory_array(&w->memory, int, 3 * (size_t)s->triangle_count);
    s->ties = memory_array(&w->memory, CordSurfaceTie, (size_t)CORD_SURFACE_TIES * (size_t)s->vertex_count);
    if (!s->vertices || !s->triangles || !s->ties) {
        return no_memory(w);
    }
    memcpy(s->triangles, def->triangles, sizeof *s->triangles * 3 * (size_t)s->triangle_count);
    return tie_to_rod(w, s, def);
}

CordResult cord_surface_create(CordWorld* w, const CordSurfaceDef* def, CordSurfaceId* surface)
{
    *surface = (CordSurfaceId){0};
    CORD_TRY(check_def_given(w, def, "surface"));
    char name[64];
    CORD_TRY(name_set_choose(&w->surfaces.names, def->name, "surface", "a surface", name, &w->message));
    Rod* rod = world_rod(w, def->rod);
    if (!rod) {
        return bad_id(w, "rod");
    }
    if (rod->grid) {
        return message_fail(
            &w->message, CORD_NOT_SUPPORTED,
            "surface '%s': rod '%s' is adaptive, and a surface is tied to edges that stay; turn that off",
            name, rod->name);
    }
    Message inner = {""};
    CordResult result = check_triangles(def, &inner);
    if (result != CORD_OK) {
        return message_fail(&w->message, result, "surface '%s': %s", name, inner.text);
    }
    Surface* s = memory_array(&w->memory, Surface, 1);
    if (!s) {
        return no_memory(w);
    }
    SlotId id;
    memcpy(s->name, name, sizeof s->name);
    s->rod = rod;
    result = copy_mesh(w, s, def);
    if (result == CORD_OK && !slots_add(&w->memory, &w->surfaces, s, s->name, &id)) {
        result = no_memory(w);
    }
    if (result != CORD_OK) {
        free_surface(w, s);
        return result;
    }
    *surface = s->id = (CordSurfaceId){id.slot, id.generation};
    list_append(&rod->surfaces, &s->link);
    log_write(&w->log, CORD_LOG_INFO, "surface '%s': %d triangles, tied to rod '%s'", s->name,
              s->triangle_count, rod->name);
    return CORD_OK;
}

CordResult cord_surface_destroy(CordWorld* w, CordSurfaceId id)
{
    Surface* s = find_surface(w, id);
    if (!s) {
        return bad_id(w, "surface");
    }
    slots_remove(&w->surfaces, id.slot, id.generation);
    list_remove(&s->rod->surfaces, &s->link);
    free_surface(w, s);
    return CORD_OK;
}

void surfaces_destroy_of(CordWorld* w, Rod* rod)
{
    while (rod->surfaces.first) {
        cord_surface_destroy(w, LIST_ENTRY(rod->surfaces.first, Surface, link)->id);
    }
}

void surfaces_destroy_all(CordWorld* w)
{
    for (int i = 0; i < w->surfaces.live_count; i++) {
        free_surface(w, slots_at(&w->surfaces, i));
    }
    slots_free(&w->memory, &w->surfaces);
}

// ---- queries

int cord_world_surface_count(const CordWorld* w)
{
    return w->surfaces.live_count;
}

CordSurfaceId cord_world_surface(const CordWorld* w, int index)
{
    SlotId id = slots_id_at(&w->surfaces, index);
    return (CordSurfaceId){id.slot, id.generation};
}

const char* cord_surface_name(const CordWorld* w, CordSurfaceId id)
{
    const Surface* s = find_surface(w, id);
    return s ? s->name : NULL;
}
