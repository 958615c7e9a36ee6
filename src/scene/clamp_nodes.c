#include "scene/clamp_nodes.h"

#include "scene/build.h"

#include <string.h>

// ---- the keys

typedef struct ClampPlaceKeys {
    PlaceKeys by;
    ClampPlace place;
} ClampPlaceKeys;

static void choose_listed(Reader* r, const JsonValue* list, void* chooser);

static const Field clamp_place_fields[] = {
    PLACE_FIELDS(offsetof(ClampPlaceKeys, by)),
    {WHOLE("nodes", COUNTS), .about = "Indices of nodes of a modal rod.", .variant = true,
     .quantity = &quantity_index, .least = 1, .example = "[0, 1, 2]", .later = true, .read = choose_listed},
    {FIELD("box", OBJECT, ClampPlaceKeys, place.box), .about = "Box that holds nodes of a modal rod.",
     .variant = true, .table = &table_region},
};
const Table table_clamp_place =
    TABLE("clamp_place", "a place of a clamp", clamp_place_fields,
          .about = "A place on a rod, or many nodes of a modal rod that are held as one body.");

void read_clamp_place(Reader* r, const JsonValue* value, void* target)
{
    ClampPlace* place = target;
    ClampPlaceKeys keys = {.by = PLACE_NONE};
    if (value->kind != JSON_OBJECT) {
        read_place(r, value, &place->one);
        return;
    }
    if (read_table(r, value, &table_clamp_place, &keys)) {
        *place = keys.place;
        place->one = place_given(&keys.by);
        place->many = json_member(value, "nodes") || json_member(value, "box");
    }
}

// ---- nodes

typedef struct Chooser {
    bool* chosen; // (node_count)
    int node_count;
} Chooser;

static void choose_node(Reader* r, const JsonValue* entry, int index, void* user)
{
    Chooser* c = user;
    int node;
    (void)index;
    if (!read_count(r, entry, &quantity_index, &node)) {
        return;
    }
    if (node >= c->node_count) {
        reader_error(r, entry, "is node %d; the rod has nodes 0 to %d", node, c->node_count - 1);
    } else if (c->chosen[node]) {
        reader_error(r, entry, "is node %d once more; leave it out", node);
    } else {
        c->chosen[node] = true;
    }
}

static void choose_listed(Reader* r, const JsonValue* list, void* chooser)
{
    read_list(r, list, choose_node, chooser);
}

static bool choose_in_box(Reader* r, const JsonValue* at, const Region* box, const CordVec3* x,
                          const char* rod, Chooser* c)
{
    bool some = false;
    for (int i = 0; i < c->node_count; i++) {
        c->chosen[i] = region_has(box, x[i]);
        some = some || c->chosen[i];
    }
    if (!some) {
        member_error(r, at, "box", "has no node of rod \"%s\" in it; move it, or make it larger", rod);
    }
    return some;
}

// The nodes of a network are its points. Other shapes are sampled as they are when the rod is built.
static const CordVec3* positions_of(Reader* r, int rod, CordVec3* sampled)
{
    const SceneRod* on = &r->scene->rods[rod];
    CordWorldDef hooks = cord_world_def_default();
    hooks.allocator = r->pool->memory.allocator;
    if (on->network.edge_count > 0) {
        return on->def.shape.points;
    }
    CordResult result = sampled ? sample_shape(r->scene, rod, &hooks, sampled) : CORD_NO_MEMORY;
    r->pool->failed = r->pool->failed || result == CORD_NO_MEMORY;
    return result == CORD_OK ? sampled : NULL;
}

static bool collect(Reader* r, const Chooser* c, const CordVec3* x, ClampNodes* nodes)
{
    for (int i = 0; i < c->node_count; i++) {
        nodes->count += c->chosen[i];
    }
    nodes->list = pool_array(r->pool, int, nodes->count);
    CordVec3 sum = {0, 0, 0};
    for (int i = 0, next = 0; nodes->list && i < c->node_count; i++) {
        if (c->chosen[i]) {
            nodes->list[next++] = i;
            sum = cord_vec3_add(sum, x[i]);
        }
    }
    nodes->middle = cord_vec3_scale(sum, 1.0 / (double)nodes->count);
    return nodes->list != NULL;
}

static bool find_nodes(Reader* r, const JsonValue* at, const ClampPlace* place, int rod, ClampNodes* nodes)
{
    const SceneRod* on = &r->scene->rods[rod];
    Pool scratch = pool_beside(r->pool);
    int sampled_count = on->network.edge_count > 0 ? 0 : on->def.shape.node_count;
    Chooser c = {.node_count = on->def.shape.node_count};
    c.chosen = pool_array(&scratch, bool, c.node_count);
    CordVec3* sampled = pool_array(&scratch, CordVec3, sampled_count);
    const CordVec3* x = c.chosen ? positions_of(r, rod, sampled) : NULL;
    bool listed = json_member(at, "nodes") != NULL;
    bool good = x &&
                (listed ? read_later(r, at, &table_clamp_place, "nodes", &c)
                        : choose_in_box(r, at, &place->box, x, on->def.name, &c)) &&
                collect(r, &c, x, nodes);
    pool_end(&scratch, r->pool);
    return good;
}

bool clamp_nodes_make(Reader* r, const JsonValue* entry, const ClampPlace* place, int rod, ClampNodes* nodes)
{
    const SceneRod* on = &r->scene->rods[rod];
    bool good = false;
    *nodes = (ClampNodes){0};
    if (on->def.model != CORD_MODEL_MODAL) {
        member_error(r, entry, "at",
                     "holds many nodes, which clamps of modal rods do; write a clamp for each place, or "
                     "\"model\": \"modal\" in rod \"%s\"",
                     on->def.name);
    } else {
        good = find_nodes(r, json_member(entry, "at"), place, rod, nodes);
    }
    return good;
}

// ---- motions

static bool is_own_turn(const CordMotion* m) // a turn about the clamped point
{
    return m->kind == CORD_MOTION_ROTATE && m->center_is_clamp;
}

static bool keys_turn(const CordMotion* m)
{
    bool turn = false;
    for (int k = 0; m->kind == CORD_MOTION_KEYFRAMES && k < m->key_count; k++) {
        turn = turn || m->keys[k].rotation.w != 1.0;
    }
    return turn;
}

// Why many nodes cannot move as one rigid body; NULL: they can.
static const char* motion_problem(const CordClampDef* def)
{
    bool turned = false;
    for (int i = 0; i < def->motion_count; i++) {
        const CordMotion* m = &def->motions[i];
        if (keys_turn(m)) {
            return "has keyframes that turn, each node about itself; write rotate, which turns them about "
                   "their middle";
        }
        if (is_own_turn(m) && turned) {
            return "turns the nodes about their middle after a turn that has moved it; give every rotate a "
                   "center";
        }
        turned = turned || (m->kind == CORD_MOTION_ROTATE && !is_own_turn(m));
    }
    return NULL;
}

// Turns about the middle come first. Translations commute with them: they move the middle as well.
bool clamp_nodes_move(Reader* r, const JsonValue* entry, CordVec3 middle, CordClampDef* def)
{
    const char* problem = motion_problem(def);
    if (problem) {
        return member_error(r, entry, "motion", "%s", problem);
    }
    CordMotion* motions = pool_array(r->pool, CordMotion, def->motion_count);
    int next = 0;
    for (int pass = 0; motions && pass < 2; pass++) {
        for (int i = 0; i < def->motion_count; i++) {
            if (is_own_turn(&def->motions[i]) == (pass == 0)) {
                motions[next] = def->motions[i];
                motions[next].center = pass == 0 ? middle : motions[next].center;
                motions[next++].center_is_clamp = false;
            }
        }
    }
    def->motions = motions;
    return motions != NULL;
}
