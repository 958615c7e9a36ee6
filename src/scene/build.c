// From a scene to a world.
#include "scene/build.h"

#include <cordage/adapt.h>
#include <cordage/body.h>

#include <stdio.h>
#include <string.h>

typedef struct Builder {
    CordScene* scene;
    const CordWorldDef* hooks;
    CordWorld* world;
    CordRodId* rods;           // (rod_count) null: refused
    CordBodyId* bodies;        // (body_count) likewise
    CordObstacleId* obstacles; // (obstacle_count) likewise
    CordResult result;         // of the first thing that failed
    const JsonValue* entry;    // the entry that asks for what is created now
    const JsonValue* at;       // where a note about it stands; NULL: at the entry
    bool noted;                // the scene has a note about what failed just now
} Builder;

// A rod or body that was refused has a note. What refers to it is passed over.
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

// ---- places

// Node and edge numbers of a scene count the elements that it asks for. An adaptive rod may begin with parts
// of them: of those of an element, the one after its middle is meant.
static CordPlace place_on(const Builder* b, int rod, CordPlace at)
{
    bool by_number = at.kind == CORD_AT_NODE || at.kind == CORD_AT_EDGE;
    if (rod < 0 || !by_number || !cord_rod_is_adaptive(b->world, b->rods[rod])) {
        return at;
    }
    Pool scratch = pool_beside(&b->scene->pool);
    int n = cord_rod_node_count(b->world, b->rods[rod]), found = at.index;
    int* level = pool_array(&scratch, int, n);
    if (level && cord_rod_levels(b->world, b->rods[rod], level) == CORD_OK) {
        for (int i = 0, number = -1; i < n; i++) {
            number += level[i] == 0;
            bool there = level[i] == 0 || (level[i] == 1 && at.kind == CORD_AT_EDGE);
            found = there && number == at.index ? i : found;
        }
    }
    pool_end(&scratch, &b->scene->pool);
    return at.kind == CORD_AT_NODE ? cord_at_node(found) : cord_at_edge(found);
}

// ---- each kind of thing

// Each creates the thing of one list at `index`, unless what it refers to was refused, and sets b->entry.
typedef CordResult Create(Builder* b, int index);

// The other rope of a knot that is tied in two, or the rod itself.
static int other_rope(const CordScene* scene, int index)
{
    const CordShape* s = &scene->rods[index].def.shape;
    for (int i = 0; i < scene->rod_count && s->kind == CORD_SHAPE_KNOT; i++) {
        const CordShape* t = &scene->rods[i].def.shape;
        if (t->kind == CORD_SHAPE_KNOT && strcmp(s->knot_name, t->knot_name) == 0 &&
            s->knot_strand != t->knot_strand && s->a == t->a && cord_vec3_equal(s->p, t->p)) {
            return i;
        }
    }
    return index;
}

// A rod that could be made of more elements, such as a knot, was refused for its elements. False: that is not
// the cause.
static bool note_few_elements(Builder* b, int index)
{
    const JsonValue *entry = b->scene->rods[index].at, *at = json_member(entry, "elements");
    Reader r = scene_reader(b->scene);
    int elements[2], other = other_rope(b->scene, index);
    if (!at || !cord_scene_clear_elements(b->scene, index, other, elements)) {
        return false;
    }
    notes_add(&b->scene->notes, true, at->source, at->offset, "%s: %s, and %d for the rope to be clear of %s",
              reader_path(&r, entry), cord_world_message(b->world), elements[0],
              other == index ? "itself" : "the other");
    return true;
}

// A rod was refused for one of its stretches, which the message counts. False: that is not the cause.
static bool note_stretch(Builder* b, int index)
{
    const JsonValue* list = json_member(b->scene->rods[index].at, "stretches");
    const char* message = strstr(cord_world_message(b->world), ": stretch ");
    int stretch = -1, end = 0;
    if (!list || !message || sscanf(message, ": stretch %d %n", &stretch, &end) != 1 || end == 0) {
        return false;
    }
    const JsonValue* entry = list->first;
    for (int i = 0; i < stretch && entry; i++) {
        entry = entry->next;
    }
    if (entry) {
        Reader r = scene_reader(b->scene);
        reader_error(&r, entry, "%s", message + end);
    }
    return entry != NULL;
}

static CordResult create_rod(Builder* b, int index)
{
    const SceneRod* rod = &b->scene->rods[index];
    EdgeArrays arrays;
    CordRodDef def;
    CordResult result = edge_arrays_make(b->scene, index, b->hooks, &arrays, &def);
    b->noted = result != CORD_OK;
    if (result == CORD_OK) {
        result = cord_rod_create(b->world, &def, &b->rods[index]);
    }
    edge_arrays_free(b->scene, &arrays);
    b->entry = rod->at;
    if (result == CORD_BAD_ARGUMENT && !b->noted) {
        b->noted = note_few_elements(b, index) || note_stretch(b, index);
    }
    return result;
}

static CordResult create_body(Builder* b, int index)
{
    const SceneBody* body = &b->scene->bodies[index];
    b->entry = body->at;
    b->at = json_member(body->at, "inertia"); // all that the reader leaves to the world
    return cord_body_create(b->world, &body->def, &b->bodies[index]);
}

static CordResult create_clamp(Builder* b, int index)
{
    const SceneClamp* clamp = &b->scene->clamps[index];
    CordClampDef def = clamp->def;
    CordClampId id;
    b->entry = clamp->at;
    def.rod = rod_id(b, clamp->rod);
    def.at = place_on(b, clamp->rod, def.at);
    return rod_is_there(b, clamp->rod) ? cord_clamp_create(b->world, &def, &id) : CORD_OK;
}

static CordResult create_weld(Builder* b, int index)
{
    const SceneWeld* weld = &b->scene->welds[index];
    CordWeldDef def = weld->def;
    CordWeldId id;
    b->entry = weld->at;
    if (!rod_is_there(b, weld->rod) || !body_is_there(b, weld->body)) {
        return CORD_OK;
    }
    def.rod = rod_id(b, weld->rod);
    def.at = place_on(b, weld->rod, def.at);
    def.body = body_id(b, weld->body);
    CordResult result = cord_weld_create(b->world, &def, &id);
    if (result == CORD_OK) {
        result = weld_check_place(b->scene, index, b->world, &def);
        b->noted = true;
    }
    return result;
}

static CordResult create_joint(Builder* b, int index)
{
    const SceneJoint* joint = &b->scene->joints[index];
    CordJointDef def = joint->def;
    CordBodyId id;
    bool whole = true;
    b->entry = joint->at;
    for (int k = 0; k < def.count; k++) {
        whole = whole && rod_is_there(b, joint->rods[k]);
        def.rods[k] = rod_id(b, joint->rods[k]);
        def.at[k] = place_on(b, joint->rods[k], def.at[k]);
    }
    return whole ? cord_joint_create(b->world, &def, &id) : CORD_OK;
}

static CordResult create_obstacle(Builder* b, int index)
{
    const SceneObstacle* obstacle = &b->scene->obstacles[index];
    b->entry = obstacle->at;
    return cord_obstacle_create(b->world, &obstacle->def, &b->obstacles[index]);
}

static CordResult create_surface(Builder* b, int index)
{
    const SceneSurface* surface = &b->scene->surfaces[index];
    CordSurfaceDef def = surface->def;
    CordSurfaceId id;
    b->entry = surface->at;
    def.rod = rod_id(b, surface->rod);
    return rod_is_there(b, surface->rod) ? cord_surface_create(b->world, &def, &id) : CORD_OK;
}

static CordResult create_load(Builder* b, int index)
{
    SceneLoad* load = &b->scene->loads[index];
    CordLoadDef def = load->def;
    b->entry = load->at;
    def.rod = rod_id(b, load->rod);
    def.at = place_on(b, load->rod, def.at);
    def.body = body_id(b, load->body);
    bool acts = !load->is_air && rod_is_there(b, load->rod) && body_is_there(b, load->body);
    return acts ? cord_load_create(b->world, &def, &load->id) : CORD_OK;
}

static CordResult create_probe(Builder* b, int index)
{
    const SceneProbe* probe = &b->scene->probes[index];
    CordProbeDef def = probe->def;
    CordProbeId id;
    b->entry = probe->at;
    def.rod = rod_id(b, probe->rod);
    def.at = place_on(b, probe->rod, def.at);
    def.body = body_id(b, probe->body);
    def.obstacle = probe->obstacle >= 0 ? b->obstacles[probe->obstacle] : (CordObstacleId){0};
    bool refused = probe->obstacle >= 0 && def.obstacle.generation == 0;
    bool there = rod_is_there(b, probe->rod) && body_is_there(b, probe->body) && !refused;
    return there ? cord_probe_create(b->world, &def, &id) : CORD_OK;
}

// ---- the world

void note_refusal(CordScene* scene, const JsonValue* entry, const JsonValue* at, const char* message)
{
    Reader r = scene_reader(scene);
    notes_add(&scene->notes, true, at->source, at->offset, "%s: %s", reader_path(&r, entry), message);
}

// What the world refuses becomes a note about the value that asked for it. False: there is no memory to go
// on.
static bool build_list(Builder* b, int count, Create* create)
{
    for (int i = 0; i < count; i++) {
        b->at = NULL;
        b->noted = false;
        CordResult result = create(b, i);
        if (result == CORD_NO_MEMORY) {
            return false;
        }
        if (result != CORD_OK && !b->noted) {
            note_refusal(b->scene, b->entry, b->at ? b->at : b->entry, cord_world_message(b->world));
        }
        b->result = b->result == CORD_OK ? result : b->result;
    }
    return true;
}

static bool build_contact(Builder* b)
{
    CordResult result = b->scene->contact.on ? cord_world_set_contact(b->world, &b->scene->contact) : CORD_OK;
    const JsonValue* at = json_member(&b->scene->root, "contact");
    if (result != CORD_OK && result != CORD_NO_MEMORY && at) {
        note_refusal(b->scene, at, at, cord_world_message(b->world));
    }
    b->result = b->result == CORD_OK ? result : b->result;
    return result != CORD_NO_MEMORY;
}

static CordResult build_all(Builder* b)
{
    const CordScene* s = b->scene;
    bool whole = build_list(b, s->rod_count, create_rod) && build_list(b, s->body_count, create_body) &&
                 build_list(b, s->clamp_count, create_clamp) && build_list(b, s->weld_count, create_weld) &&
                 build_list(b, s->joint_count, create_joint) &&
                 build_list(b, s->obstacle_count, create_obstacle) &&
                 build_list(b, s->surface_count, create_surface) && build_contact(b) &&
                 build_list(b, s->load_count, create_load) && build_list(b, s->probe_count, create_probe);
    if (whole && b->result == CORD_OK) {
        plausible_check(b->scene, b->world);
        inert_check(b->scene, b->world);
    }
    notes_finish(&b->scene->notes);
    if (!whole || b->scene->pool.failed) {
        return CORD_NO_MEMORY;
    }
    return b->result;
}

// Chooses the engine of the bodies: the scene's, or the one in the hooks if the scene names none.
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
    Reader r = scene_reader(scene);
    reader_error(&r, at, "is \"%s\", which is not in this build of Cordage; leave it out to have free bodies",
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
    Pool scratch = pool_beside(&scene->pool);
    Builder b = {.scene = scene, .hooks = &def};
    b.rods = pool_array(&scratch, CordRodId, scene->rod_count);
    b.bodies = pool_array(&scratch, CordBodyId, scene->body_count);
    b.obstacles = pool_array(&scratch, CordObstacleId, scene->obstacle_count);
    result = b.rods && b.bodies && b.obstacles ? cord_world_create(&def, &b.world) : CORD_NO_MEMORY;
    if (result == CORD_OK) {
        result = build_all(&b);
    }
    pool_end(&scratch, &scene->pool);
    if (result != CORD_OK) {
        cord_world_destroy(b.world);
        return result;
    }
    *world = b.world;
    return CORD_OK;
}
