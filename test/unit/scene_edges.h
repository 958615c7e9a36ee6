// The per-edge arrays of a scene's only rod, as cord_rod_create gets them.
#ifndef CORDAGE_TEST_SCENE_EDGES_H
#define CORDAGE_TEST_SCENE_EDGES_H

#include "scene_text.h"

#include "scene/build.h"

#define SCENE_EDGES_MOST 16

typedef struct SceneEdges {
    CordRodDef def; // its arrays are those below
    CordVec3 x[SCENE_EDGES_MOST], m1[SCENE_EDGES_MOST];
    CordSection sections[SCENE_EDGES_MOST];
    CordStiffness stiffnesses[SCENE_EDGES_MOST];
} SceneEdges;

static inline const void* scene_edges_copy(void* to, const void* from, int count, size_t size)
{
    return from ? memcpy(to, from, size * (size_t)count) : NULL;
}

// Lives until the next call.
static inline const SceneEdges* scene_edges(CordScene* scene)
{
    static SceneEdges e;
    CordWorldDef hooks = cord_world_def_default();
    EdgeArrays a;
    CHECK_OK(edge_arrays_make(scene, 0, &hooks, &a, &e.def));
    CHECK(a.node_count <= SCENE_EDGES_MOST && a.edge_count <= SCENE_EDGES_MOST);
    scene_edges_copy(e.x, a.x, a.node_count, sizeof *a.x);
    e.def.m1_along = scene_edges_copy(e.m1, a.m1, a.edge_count, sizeof *a.m1);
    e.def.sections = scene_edges_copy(e.sections, a.sections, a.edge_count, sizeof *a.sections);
    e.def.stiffnesses = scene_edges_copy(e.stiffnesses, a.stiffnesses, a.edge_count, sizeof *a.stiffnesses);
    edge_arrays_free(scene, &a);
    return &e;
}

#endif
