// No node may be held twice: by clamps, welds and joints of rods. Places by arc length are left to the world,
// which knows the nodes there.
#include "base/sort.h"
#include "scene/values.h"

#include <stdio.h>

typedef enum Holder { HOLDER_CLAMP, HOLDER_WELD, HOLDER_JOINT } Holder;

typedef struct Held { // a node, and what holds it
    int rod, node;
    int first, count; // the nodes that are held together: an edge has two
    bool is_node;     // a point is held, and no direction
    Holder by;
    const JsonValue* at; // its entry
} Held;

typedef struct HeldList {
    Held* all;
    const Held** sorted; // to all of them
    int count;
} HeldList;

// ---- held nodes

static void add(HeldList* list, const CordScene* scene, Held held, CordPlace place)
{
    const SceneRod* rod = held.rod >= 0 ? &scene->rods[held.rod] : NULL;
    if (!rod || !rod->is_whole || place.kind == CORD_AT_ARC) {
        return;
    }
    held.is_node = held.is_node || (rod->def.model == CORD_MODEL_MODAL && place.kind != CORD_AT_EDGE);
    int nodes = rod->def.shape.node_count, last = held.is_node ? nodes - 1 : rod_elements(rod) - 1;
    bool is_network = rod->network.edge_count > 0;
    bool of_index = place.kind == CORD_AT_NODE || place.kind == CORD_AT_EDGE;
    bool noted = of_index ? held.is_node != (place.kind == CORD_AT_NODE) || place.index > last
                          : rod->def.closed || is_network;
    if (noted) { // a wrong place has its note already
        return;
    }
    held.first = place.kind == CORD_AT_START ? 0 : place.kind == CORD_AT_END ? last : place.index;
    held.count = held.is_node ? 1 : 2;
    for (int k = 0; k < held.count; k++) {
        held.node = is_network && !held.is_node ? rod->def.shape.ends[2 * (size_t)held.first + (size_t)k]
                                                : (held.first + k) % nodes;
        list->all[list->count] = held;
        list->sorted[list->count] = &list->all[list->count];
        list->count++;
    }
}

static void add_joint(HeldList* list, const CordScene* scene, int index)
{
    const SceneJoint* joint = &scene->joints[index];
    for (int k = 0; k < joint->def.count; k++) {
        add(list, scene,
            (Held){.rod = joint->rods[k],
                   .is_node = joint->def.kind == CORD_JOINT_PIN,
                   .by = HOLDER_JOINT,
                   .at = joint->at},
            joint->def.at[k]);
    }
}

static bool collect(HeldList* list, Reader* r)
{
    const CordScene* scene = r->scene;
    size_t most = 2u * ((size_t)scene->clamp_count + (size_t)scene->weld_count);
    for (int i = 0; i < scene->joint_count; i++) {
        most += 2u * (size_t)scene->joints[i].def.count;
    }
    *list =
        (HeldList){.all = pool_array(r->pool, Held, most), .sorted = pool_array(r->pool, const Held*, most)};
    if (!list->all || !list->sorted) {
        return false;
    }
    for (int i = 0; i < scene->clamp_count; i++) {
        const SceneClamp* c = &scene->clamps[i];
        bool is_node = c->def.fix == CORD_FIX_POSITION || c->def.fix == CORD_FIX_FREEDOMS;
        add(list, scene, (Held){.rod = c->rod, .is_node = is_node, .by = HOLDER_CLAMP, .at = c->at},
            c->def.at);
    }
    for (int i = 0; i < scene->weld_count; i++) {
        const SceneWeld* w = &scene->welds[i];
        bool is_node = w->def.fix == CORD_FIX_POSITION;
        add(list, scene, (Held){.rod = w->rod, .is_node = is_node, .by = HOLDER_WELD, .at = w->at},
            w->def.at);
    }
    for (int i = 0; i < scene->joint_count; i++) {
        add_joint(list, scene, i);
    }
    return true;
}

// ---- notes

typedef struct HeldText {
    char text[64];
} HeldText;

// "clamps[0] (line 7)"; an entry from a setting has no line.
static HeldText name_of(Reader* r, const Held* held)
{
    const NoteText* file = &r->notes->texts[0];
    HeldText t;
    int n = snprintf(t.text, sizeof t.text, "%s", reader_path(r, held->at));
    if (held->at->source == 0) {
        JsonPosition at = json_position_start(file->text, file->size);
        json_position_move(&at, held->at->offset);
        snprintf(t.text + n, sizeof t.text - (size_t)n, " (line %d)", at.line);
    }
    return t;
}

// The nearest place beside `held` for the other, with a free node between them, as implicit steps and solves
// need. On a rod that is too short there is none: "elsewhere".
static HeldText place_beside(const Reader* r, const Held* held, const Held* other)
{
    const SceneRod* rod = &r->scene->rods[held->rod];
    int nodes = rod->def.shape.node_count, after = held->first + held->count + 1;
    int before = held->first - other->count - 1;
    bool has_after = after + other->count <= nodes;
    HeldText t = {"elsewhere"};
    if (rod->network.edge_count == 0 && (has_after || before >= 0)) {
        snprintf(t.text, sizeof t.text, "at {\"%s\": %d}, say", other->is_node ? "node" : "edge",
                 has_after ? after : before);
    }
    return t;
}

static const char* advice(Reader* r, const Held* first, const Held* second)
{
    if (first->by == HOLDER_JOINT) {
        return "name all rods that meet there in one joint";
    }
    if (second->by == HOLDER_JOINT) {
        const char* format = first->by == HOLDER_CLAMP
                                 ? "a joint may not be clamped: clamp the rod beside it, %s"
                                 : "weld the body to the rod beside the joint, %s";
        const char* text = pool_format(r->pool, format, place_beside(r, second, first).text);
        return text ? text : "";
    }
    if (first->by == HOLDER_CLAMP && second->by == HOLDER_WELD) {
        return "a body moves with its rod only where that is not clamped: weld it elsewhere, or leave the "
               "clamp out";
    }
    if (r->scene->rods[second->rod].def.model == CORD_MODEL_MODAL) {
        return "leave one of them out: one clamp says all that is held of a node";
    }
    return second->by == HOLDER_WELD ? "leave one of them out, or put them an edge apart: a weld of the "
                                       "frame holds both nodes of its edge"
                                     : "leave one of them out: a clamp of the frame holds position and "
                                       "direction, and both nodes of its edge";
}

static void report(Reader* r, const Held* first, const Held* second)
{
    const char* rod = r->scene->rods[second->rod].def.name;
    if (first->at == second->at) {
        reader_error(r, second->at,
                     "names node %d of rod \"%s\" twice; a joint is of places that are apart along the rod",
                     second->node, rod);
    } else {
        reader_error(r, second->at, "%s node %d of rod \"%s\", which %s %s already; %s",
                     second->by == HOLDER_JOINT ? "joins" : "holds", second->node, rod,
                     name_of(r, first).text, first->by == HOLDER_JOINT ? "joins" : "holds",
                     advice(r, first, second));
    }
}

static int held_order(const void* one, const void* other)
{
    const Held *a = *(const Held*const*)one, *b = *(const Held*const*)other;
    return a->rod != b->rod     ? (a->rod < b->rod ? -1 : 1)
           : a->node != b->node ? (a->node < b->node ? -1 : 1)
           : a < b              ? -1
                                : a > b;
}

static bool same_pair(const Held* a, const Held* b, const Held* c, const Held* d)
{
    return a->at == c->at && b->at == d->at;
}

// Of two that hold a node, the first was read first. Two that share an edge get one note.
void supports_check(Reader* r)
{
    HeldList list;
    if (!collect(&list, r) || list.count == 0) {
        return;
    }
    heap_sort(list.sorted, list.count, sizeof *list.sorted, held_order);
    const Held *noted_first = NULL, *noted_second = NULL;
    for (int i = 1; i < list.count; i++) {
        const Held *a = list.sorted[i - 1], *b = list.sorted[i];
        bool noted = noted_first && same_pair(a, b, noted_first, noted_second);
        if (a->rod == b->rod && a->node == b->node && !noted && notes_room(r->notes, true)) {
            report(r, a, b);
            noted_first = a, noted_second = b;
        }
    }
}
