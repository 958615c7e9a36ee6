// Bodies that fall through the obstacles of their scene: bodies touch rods alone, so that one which no weld
// and no joint leads to a clamp is stopped by nothing but rods that it meets.
#include "scene/values.h"

#include <string.h>

// Groups of rods, bodies and the world, by union-find: rods come first, then bodies, then the world.
typedef struct Groups {
    int* parent; // (rod_count + body_count + 1)
    int bodies, world;
} Groups;

static int group_of(Groups* g, int i)
{
    while (g->parent[i] != i) {
        i = g->parent[i] = g->parent[g->parent[i]];
    }
    return i;
}

static void join(Groups* g, int i, int j)
{
    g->parent[group_of(g, i)] = group_of(g, j);
}

static bool make_groups(Groups* g, Reader* r)
{
    const CordScene* scene = r->scene;
    *g = (Groups){.bodies = scene->rod_count, .world = scene->rod_count + scene->body_count};
    g->parent = pool_array(r->pool, int, (size_t)g->world + 1);
    for (int i = 0; g->parent && i <= g->world; i++) {
        g->parent[i] = i;
    }
    return g->parent != NULL;
}

static void join_rods(Groups* g, const CordScene* scene)
{
    for (int i = 0; i < scene->rod_count; i++) {
        if (scene->rods[i].clamp_count > 0) {
            join(g, i, g->world);
        }
    }
    for (int i = 0; i < scene->weld_count; i++) {
        const SceneWeld* weld = &scene->welds[i];
        if (weld->rod >= 0 && weld->body >= 0) {
            join(g, weld->rod, g->bodies + weld->body);
        }
    }
    for (int i = 0; i < scene->joint_count; i++) {
        const SceneJoint* joint = &scene->joints[i];
        for (int k = 1; k < joint->def.count; k++) {
            if (joint->rods[0] >= 0 && joint->rods[k] >= 0) {
                join(g, joint->rods[0], joint->rods[k]);
            }
        }
    }
}

// A load may carry a body. With another engine than the free one bodies may lie on each other, and one of
// them may be joined to the world.
static void join_bodies(Groups* g, const CordScene* scene)
{
    bool touch = strcmp(scene->engine, "free") != 0;
    for (int i = 0; i < scene->load_count; i++) {
        if (scene->loads[i].body >= 0) {
            join(g, g->bodies + scene->loads[i].body, g->world);
        }
    }
    for (int i = 1; touch && i < scene->body_count; i++) {
        join(g, g->bodies, g->bodies + i);
    }
    for (int i = 0; touch && i < scene->body_joint_count; i++) {
        if (!scene->body_joints[i].bodies[1]) {
            join(g, g->bodies, g->world);
        }
    }
}

void bodies_check_loose(Reader* r)
{
    const CordScene* scene = r->scene;
    bool may = scene->obstacle_count > 0 && scene->contact.on && cord_vec3_length(scene->gravity) > 0.0;
    Groups g;
    if (!may || scene->body_count == 0 || !make_groups(&g, r)) {
        return;
    }
    join_rods(&g, scene);
    join_bodies(&g, scene);
    for (int i = 0; i < scene->body_count; i++) {
        const SceneBody* body = &scene->bodies[i];
        if (!body->def.intangible && group_of(&g, g.bodies + i) != group_of(&g, g.world)) {
            reader_warning(r, body->at,
                           "is held by nothing, and obstacles stop rods alone: it falls through them unless "
                           "rods catch it; weld it to a rod that a clamp holds, or lay rods under it");
            return;
        }
    }
}
