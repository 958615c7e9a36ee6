// From a scene to a world.
#include "scene/build.h"

#include <cordage/adapt.h>
#include <cordage/body.h>

#include <string.h>

typedef struct Builder {
    CordScene* scene;
    const CordWorldDef* hooks;
    CordWorld* world;
    CordRodId* rods;           // (rod_count) null: refused
    CordBodyId* bodies;        // (body_count) likewise
    CordObstacleId* obstacles; // (obstacle_count) likewise
    CordResult result;         // of the first thing that failed
} Builder;

// Keeps the first failure. False if there is no memory to go on with.
static bool keep(Builder* b, CordResult result)
{
    b->result = b->result == CORD_OK ? result : b->result;
    return result != CORD_NO_MEMORY;
}

// What the world refused becomes a note about what asked for it.
static bool check(Builder* b, CordResult result, const JsonValue* at, const char* list, int index)
{
    if (result != CORD_OK && result != CORD_NO_MEMORY) {
        notes_add(&b->scene->notes, true, at->source, at->offset, "%s[%d]: %s", list, index,
                  cord_world_message(b->world));
    }
    return keep(b, result);
}

// A rod or body that was refused has been noted; what refers to it is passed over.
static bool rod_is_there(const Builder* b, int rod)
{
    return rod < 0 || b->rods[rod].generation != 0;
}

static bool body_is_there(const Builder* b, int body)
{
    return body < 0 || b->bodies[body].generation != 0;
}

static CordRodId rod_id(const Builder* b, int rod)
{
    return rod >= 0 ? b->rods[rod] : (CordRodId){0};
}

static CordBodyId body_id(const Builder* b, int body)
{
    return body >= 0 ? b->bodies[body] : (CordBodyId){0};
}

// ---- each kind of thing in turn

static bool build_rods(Builder* b)
{
    bool whole = true;
    for (int i = 0; i < b->scene->rod_count && whole; i++) {
        EdgeArrays arrays;
        CordRodDef def;
        CordResult result = edge_arrays_make(b->scene, i, b->hooks, &arrays, &def);
        whole = result == CORD_OK ? check(b, cord_rod_create(b->world, &def, &b->rods[i]),
                                          b->scene->rods[i].at, "rods", b->scene->rods[i].entry)
                                  : keep(b, result);
        edge_arrays_free(b->scene, &arrays);
    }
    return whole;
}

// A place by number means the elements that the scene asks for. An adaptive rod may begin with parts of them.
static CordPlace place_on(const Builder* b, int rod, CordPlace at)
{
    bool by_number = at.kind == CORD_AT_NODE || at.kind == CORD_AT_EDGE;
    if (rod < 0 || !by_number || !cord_rod_is_adaptive(b->world, b->rods[rod])) {
        return at;
    }
    Memory* m = &b->scene->pool.memory;
    int n = cord_rod_node_count(b->world, b->rods[rod]), found[2] = {-1, -1};
    int* level = memory_array(m, int, n);
    double* arc = memory_array(m, double, n);
    if (level && arc && cord_rod_levels(b->world, b->rods[rod], level) == CORD_OK &&
        cord_rod_arcs(b->world, b->rods[rod], arc) == CORD_OK) {
        for (int i = 0, number = 0; i < n; i++) {
            if (level[i] == 0) {
                found[0] = number == at.index ? i : found[0],
                found[1] = number == at.index + 1 ? i : found[1];
                number++;
            }
        }
        double end = found[1] >= 0 ? arc[found[1]] : cord_rod_length(b->world, b->rods[rod]);
        at = found[0] < 0              ? at
             : at.kind == CORD_AT_NODE ? cord_at_node(found[0])
                                       : cord_at_arc(0.5 * (arc[found[0]] + end));
    }
    memory_array_free(m, level, n);
    memory_array_free(m, arc, n);
    return at;
}

static bool build_bodies(Builder* b)
{
    for (int i = 0; i < b->scene->body_count; i++) {
        const SceneBody* body = &b->scene->bodies[i];
        // all that the reader leaves to the world
        const JsonValue* inertia = json_member(body->at, "inertia");
        if (!check(b, cord_body_create(b->world, &body->def, &b->bodies[i]), inertia ? inertia : body->at,
                   "bodies", i)) {
            return false;
        }
    }
    return true;
}

static bool build_clamps(Builder* b)
{
    for (int i = 0; i < b->scene->clamp_count; i++) {
        const SceneClamp* clamp = &b->scene->clamps[i];
        CordClampDef def = clamp->def;
        CordClampId id;
        def.rod = rod_id(b, clamp->rod);
        def.at = place_on(b, clamp->rod, def.at);
        if (rod_is_there(b, clamp->rod) &&
            !check(b, cord_clamp_create(b->world, &def, &id), clamp->at, "clamps", clamp->entry)) {
            return false;
        }
    }
    return true;
}

static bool build_welds(Builder* b)
{
    for (int i = 0; i < b->scene->weld_count; i++) {
        const SceneWeld* weld = &b->scene->welds[i];
        CordWeldDef def = weld->def;
        CordWeldId id;
        if (!rod_is_there(b, weld->rod) || !body_is_there(b, weld->body)) {
            continue;
        }
        def.rod = rod_id(b, weld->rod);
        def.at = place_on(b, weld->rod, def.at);
        def.body = body_id(b, weld->body);
        CordResult created = cord_weld_create(b->world, &def, &id);
        bool good = check(b, created, weld->at, "welds", i);
        if (created == CORD_OK && weld->offset_at) { // a place that the world has refused has no point
            good = keep(b, weld_check_offset(b->scene, i, b->world, &def));
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

static bool build_joints(Builder* b)
{
    for (int i = 0; i < b->scene->joint_count; i++) {
        const SceneJoint* joint = &b->scene->joints[i];
        CordJointDef def = joint->def;
        CordBodyId id;
        bool whole = true;
        for (int k = 0; k < def.count; k++) {
            whole = whole && rod_is_there(b, joint->rods[k]);
            def.rods[k] = rod_id(b, joint->rods[k]);
            def.at[k] = place_on(b, joint->rods[k], def.at[k]);
        }
        if (whole && !check(b, cord_joint_create(b->world, &def, &id), joint->at, "joints", i)) {
            return false;
        }
    }
    return true;
}

static bool build_obstacles(Builder* b)
{
    for (int i = 0; i < b->scene->obstacle_count; i++) {
        const SceneObstacle* obstacle = &b->scene->obstacles[i];
        CordResult created = cord_obstacle_create(b->world, &obstacle->def, &b->obstacles[i]);
        if (!check(b, created, obstacle->at, "obstacles", i)) {
            return false;
        }
    }
    return true;
}

static bool build_surfaces(Builder* b)
{
    for (int i = 0; i < b->scene->surface_count; i++) {
        const SceneSurface* surface = &b->scene->surfaces[i];
        CordSurfaceDef def = surface->def;
        CordSurfaceId id;
        def.rod = rod_id(b, surface->rod);
        if (rod_is_there(b, surface->rod) &&
            !check(b, cord_surface_create(b->world, &def, &id), surface->at, "surfaces", i)) {
            return false;
        }
    }
    return true;
}

static bool build_contact(Builder* b)
{
    const CordContactDef* contact = &b->scene->contact;
    return !contact->on || keep(b, cord_world_set_contact(b->world, contact));
}

static bool build_loads(Builder* b)
{
    for (int i = 0; i < b->scene->load_count; i++) {
        const SceneLoad* load = &b->scene->loads[i];
        CordLoadDef def = load->def;
        CordLoadId id;
        def.rod = rod_id(b, load->rod);
        def.at = place_on(b, load->rod, def.at);
        def.body = body_id(b, load->body);
        bool acts = !load->is_air && rod_is_there(b, load->rod) && body_is_there(b, load->body);
        if (acts && !check(b, cord_load_create(b->world, &def, &id), load->at, "loads", i)) {
            return false;
        }
    }
    return true;
}

static bool build_probes(Builder* b)
{
    for (int i = 0; i < b->scene->probe_count; i++) {
        const SceneProbe* probe = &b->scene->probes[i];
        CordProbeDef def = probe->def;
        CordProbeId id;
        def.rod = rod_id(b, probe->rod);
        def.at = place_on(b, probe->rod, def.at);
        def.body = body_id(b, probe->body);
        def.obstacle = probe->obstacle >= 0 ? b->obstacles[probe->obstacle] : (CordObstacleId){0};
        bool refused = probe->obstacle >= 0 && def.obstacle.generation == 0;
        if (rod_is_there(b, probe->rod) && body_is_there(b, probe->body) && !refused &&
            !check(b, cord_probe_create(b->world, &def, &id), probe->at, "probes", i)) {
            return false;
        }
    }
    return true;
}

// ---- the world

static CordResult build_all(Builder* b)
{
    bool whole = build_rods(b) && build_bodies(b) && build_clamps(b) && build_welds(b) && build_joints(b) &&
                 build_obstacles(b) && build_surfaces(b) && build_contact(b) && build_loads(b) &&
                 build_probes(b);
    notes_finish(&b->scene->notes);
    if (!whole || b->scene->pool.failed) {
        return CORD_NO_MEMORY;
    }
    return b->result;
}

// The engine that moves the bodies: the scene's, if it names one, or the hooks'.
static CordResult choose_engine(CordScene* scene, CordWorldDef* def)
{
    const JsonValue* at = scene->engine_at;
    bool free = strcmp(scene->engine, "free") == 0;
    if (!at || (!free && def->engine && strcmp(def->engine->name, scene->engine) == 0)) {
        return CORD_OK;
    }
    if (free) {
        def->engine = NULL;
        return CORD_OK;
    }
    notes_add(&scene->notes, true, at->source, at->offset,
              "engine is \"%s\", which is not in this build of Cordage; leave it out to have free bodies",
              scene->engine);
    notes_finish(&scene->notes);
    return scene->pool.failed ? CORD_NO_MEMORY : CORD_NOT_SUPPORTED;
}

CordResult cord_scene_build(CordScene* scene, const CordWorldDef* hooks, CordWorld** world)
{
    *world = NULL;
    scene->notes = scene->read_notes;
    scene->pool.failed = false;
    if (scene->notes.error_count > 0) {
        return CORD_BAD_FILE;
    }
    CordWorldDef def = hooks ? *hooks : cord_world_def_default();
    def.gravity = scene->gravity;
    CordResult result = choose_engine(scene, &def);
    if (result != CORD_OK) {
        return result;
    }
    Memory* memory = &scene->pool.memory;
    Builder b = {.scene = scene, .hooks = &def};
    b.rods = memory_array(memory, CordRodId, scene->rod_count);
    b.bodies = memory_array(memory, CordBodyId, scene->body_count);
    b.obstacles = memory_array(memory, CordObstacleId, scene->obstacle_count);
    result = b.rods && b.bodies && b.obstacles ? cord_world_create(&def, &b.world) : CORD_NO_MEMORY;
    if (result == CORD_OK) {
        result = build_all(&b);
    }
    memory_array_free(memory, b.rods, scene->rod_count);
    memory_array_free(memory, b.bodies, scene->body_count);
    memory_array_free(memory, b.obstacles, scene->obstacle_count);
    if (result != CORD_OK) {
        cord_world_destroy(b.world);
        return result;
    }
    *world = b.world;
    return CORD_OK;
}
