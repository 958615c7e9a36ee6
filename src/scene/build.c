// From a scene to a world.
#include "scene/scene.h"

typedef struct Builder {
    CordScene* scene;
    CordWorld* world;
    CordRodId* rods;   // (rod_count) null: refused
    CordResult result; // of the first thing that failed
} Builder;

// What the world refused becomes a note about what asked for it. False if there is no memory to go on with.
static bool check(Builder* b, CordResult result, const JsonValue* at, const char* list, int index)
{
    if (result == CORD_OK) {
        return true;
    }
    b->result = b->result == CORD_OK ? result : b->result;
    if (result != CORD_NO_MEMORY) {
        notes_add(&b->scene->notes, true, at->source, at->offset, "%s[%d]: %s", list, index,
                  cord_world_message(b->world));
    }
    return result != CORD_NO_MEMORY;
}

static bool build_rods(Builder* b)
{
    for (int i = 0; i < b->scene->rod_count; i++) {
        const SceneRod* rod = &b->scene->rods[i];
        if (!check(b, cord_rod_create(b->world, &rod->def, &b->rods[i]), rod->at, "rods", i)) {
            return false;
        }
    }
    return true;
}

// A rod that was refused has been noted; what refers to it is passed over.
static bool is_there(const Builder* b, int rod)
{
    return rod < 0 || b->rods[rod].generation != 0;
}

static bool build_clamps(Builder* b)
{
    for (int i = 0; i < b->scene->clamp_count; i++) {
        const SceneClamp* clamp = &b->scene->clamps[i];
        CordClampDef def = clamp->def;
        CordClampId id;
        def.rod = b->rods[clamp->rod];
        if (is_there(b, clamp->rod) && !check(b, cord_clamp_create(b->world, &def, &id), clamp->at, "clamps", i)) {
            return false;
        }
    }
    return true;
}

static bool build_loads(Builder* b)
{
    for (int i = 0; i < b->scene->load_count; i++) {
        const SceneLoad* load = &b->scene->loads[i];
        CordLoadDef def = load->def;
        CordLoadId id;
        def.rod = load->rod >= 0 ? b->rods[load->rod] : (CordRodId){0};
        if (is_there(b, load->rod) && !check(b, cord_load_create(b->world, &def, &id), load->at, "loads", i)) {
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
        def.rod = b->rods[probe->rod];
        if (is_there(b, probe->rod) && !check(b, cord_probe_create(b->world, &def, &id), probe->at, "probes", i)) {
            return false;
        }
    }
    return true;
}

static CordResult build_all(Builder* b)
{
    bool whole = build_rods(b) && build_clamps(b) && build_loads(b) && build_probes(b);
    notes_finish(&b->scene->notes);
    if (!whole || b->scene->pool.failed) {
        return CORD_NO_MEMORY;
    }
    return b->result;
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
    Memory* memory = &scene->pool.memory;
    Builder b = {.scene = scene, .rods = memory_array(memory, CordRodId, scene->rod_count)};
    CordResult result = b.rods ? cord_world_create(&def, &b.world) : CORD_NO_MEMORY;
    if (result == CORD_OK) {
        result = build_all(&b);
    }
    memory_array_free(memory, b.rods, scene->rod_count);
    if (result != CORD_OK) {
        cord_world_destroy(b.world);
        return result;
    }
    *world = b.world;
    return CORD_OK;
}
