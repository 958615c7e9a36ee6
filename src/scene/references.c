// References of one part of a scene to another: rods, bodies and obstacles by name, and places on rods.
#include "scene/values.h"

#include <math.h>
#include <string.h>

// ---- rods, bodies and obstacles by name

static void read_reference(Reader* r, const JsonValue* value, const char* noun, const NameIndex* index,
                           NamedList list, int* target)
{
    const char* name;
    if (!read_string(r, value, "a name", &name)) {
        return;
    }
    int found = name_index_find(index, name);
    if (found >= 0) {
        *target = found;
        return;
    }
    NameHint hint = reader_hint(r, name, named_at, &list, list.count);
    reader_error(r, value, "is %s, and no %s has that name%s", reader_describe(r, value), noun, hint.text);
}

// The entry of strands that has the name; -1: there is none.
static int strands_named(const CordScene* scene, const JsonValue* name)
{
    int entry = name && name->kind == JSON_STRING ? name_index_find(&scene->entry_index, name->string) : -1;
    return entry >= 0 && scene->entries[entry].is_strands ? entry : -1;
}

void read_rod(Reader* r, const JsonValue* value, void* rod)
{
    const CordScene* scene = r->scene;
    int entry = strands_named(scene, value);
    if (entry >= 0) {
        const SceneEntry* strands = &scene->entries[entry];
        reader_error(r, value, "is %s, which is all of %d strands; name one of them, such as \"%s_00001\"",
                     reader_describe(r, value), strands->count, strands->name);
        return;
    }
    read_reference(r, value, "rod", &scene->rod_index,
                   NAMED_LIST(SceneRod, def.name, scene->rods, scene->rod_count), rod);
}

void read_body(Reader* r, const JsonValue* value, void* body)
{
    const CordScene* scene = r->scene;
    read_reference(r, value, "body", &scene->body_index,
                   NAMED_LIST(SceneBody, def.name, scene->bodies, scene->body_count), body);
}

void read_obstacle(Reader* r, const JsonValue* value, void* obstacle)
{
    const CordScene* scene = r->scene;
    read_reference(r, value, "obstacle", &scene->obstacle_index,
                   NAMED_LIST(SceneObstacle, def.name, scene->obstacles, scene->obstacle_count), obstacle);
}

// The index that was read, or 0 if the key is left out and there is only one thing.
static int one_or_only(Reader* r, const JsonValue* entry, const char* key, int index, int count)
{
    if (index >= 0 || json_member(entry, key)) {
        return index;
    }
    if (count == 1) {
        return 0;
    }
    if (count == 0) {
        reader_error(r, entry, "has no %s, and the scene has none either", key);
    } else {
        reader_error(r, entry, "has no %s; write the name of one, since there are %d", key, count);
    }
    return -1;
}

int rod_or_only(Reader* r, const JsonValue* entry, int rod)
{
    return one_or_only(r, entry, "rod", rod, r->scene->rod_count);
}

RodRange rods_of(const CordScene* scene, const JsonValue* entry)
{
    const JsonValue* name = entry->kind == JSON_OBJECT ? json_member(entry, "rod") : NULL;
    int strands = name ? strands_named(scene, name) : scene->entry_count == 1 ? 0 : -1;
    const SceneEntry* of = strands >= 0 ? &scene->entries[strands] : NULL;
    return of ? (RodRange){of->first, of->count} : (RodRange){-1, 1};
}

void read_rod_or_strands(Reader* r, const JsonValue* value, void* rod)
{
    if (strands_named(r->scene, value) < 0) {
        read_rod(r, value, rod);
    }
}

int body_or_only(Reader* r, const JsonValue* entry, int body)
{
    return one_or_only(r, entry, "body", body, r->scene->body_count);
}

int rod_elements(const SceneRod* rod)
{
    const CordShape* shape = &rod->def.shape;
    bool is_network = shape->kind == CORD_SHAPE_NETWORK;
    return is_network ? shape->edge_count : rod->def.closed ? shape->node_count : shape->node_count - 1;
}

// ---- places on a rod

static const Field place_fields[] = {
    PLACE_FIELDS(0),
};
const Table table_place = TABLE("place", "a place", place_fields, .about = "A place on a rod.");

CordPlace place_given(const PlaceKeys* keys)
{
    return keys->node >= 0   ? cord_at_node(keys->node)
           : keys->edge >= 0 ? cord_at_edge(keys->edge)
                             : cord_at_arc(keys->arc);
}

void read_place(Reader* r, const JsonValue* value, void* place)
{
    CordPlace* target = place;
    bool is_text = value->kind == JSON_STRING;
    if (is_text && strcmp(value->string, "start") == 0) {
        *target = cord_at_start();
    } else if (is_text && strcmp(value->string, "end") == 0) {
        *target = cord_at_end();
    } else if (value->kind != JSON_OBJECT) {
        value_error(r, value,
                    "a place is \"start\", \"end\", {\"node\": 3}, {\"edge\": 3} or {\"arc\": 0.5} (metres)");
    } else {
        PlaceKeys keys = PLACE_NONE;
        if (read_table(r, value, &table_place, &keys)) {
            *target = place_given(&keys);
        }
    }
}

static void index_check(Reader* r, const JsonValue* at, const char* what, int index, int count)
{
    if (index >= count) {
        reader_error(r, at, "is %s %d; the rod has %ss 0 to %d", what, index, what, count - 1);
    }
}

static void check_on_rod(Reader* r, const JsonValue* at, CordPlace place, const SceneRod* rod)
{
    bool is_end = place.kind == CORD_AT_START || place.kind == CORD_AT_END;
    if (rod->def.closed && is_end) {
        reader_error(r, at, "is %s; a closed rod has no ends, so write {\"node\": 0} or {\"edge\": 0}",
                     place.kind == CORD_AT_START ? "\"start\"" : "\"end\"");
    } else if (rod->network.edge_count > 0 && (is_end || place.kind == CORD_AT_ARC)) {
        value_error(r, at,
                    "a network has no ends and no length along it, so write {\"node\": 0} or {\"edge\": 0}");
    } else if (place.kind == CORD_AT_NODE) {
        index_check(r, at, "node", place.index, rod->def.shape.node_count);
    } else if (place.kind == CORD_AT_EDGE) {
        index_check(r, at, "edge", place.index, rod_elements(rod));
    }
}

void place_check(Reader* r, const JsonValue* at, CordPlace place, int rod, PlaceUse use, const char* what)
{
    const SceneRod* on = rod >= 0 ? &r->scene->rods[rod] : NULL;
    int last = on && on->is_whole ? rod_elements(on) - 1 : place.index; // edge
    int index = place.index < last ? place.index : last;
    if (use == PLACE_OF_NODE && place.kind == CORD_AT_EDGE) {
        reader_error(r, at, "is an edge; %s a node, so write {\"node\": %d}", what, index);
    } else if (use == PLACE_OF_EDGE && place.kind == CORD_AT_NODE) {
        reader_error(r, at, "is a node; %s an edge, so write {\"edge\": %d}", what, index);
    } else if (on && on->is_whole) {
        check_on_rod(r, at, place, on);
    }
}

const Words fix_words = WORDS("what is fixed", {"position", CORD_FIX_POSITION},
                              {"direction", CORD_FIX_DIRECTION}, {"frame", CORD_FIX_FRAME});

void half_edge(Reader* r, const JsonValue* entry, CordPlace place, int rod, const char* what)
{
    SceneRod* on = rod >= 0 ? &r->scene->rods[rod] : NULL;
    bool at_end = place.kind == CORD_AT_START || place.kind == CORD_AT_END;
    if (!on || !on->is_whole || !at_end || on->def.closed || on->def.shape.kind == CORD_SHAPE_POINTS ||
        on->def.model == CORD_MODEL_MODAL) { // whose clamps hold all freedoms of a node
        return;
    }
    if (rod_elements(on) < 3) {
        reader_error(r, entry, "%s of rod \"%s\", which needs at least 3 elements for that", what,
                     on->def.name);
    }
    *(place.kind == CORD_AT_START ? &on->def.half_edge_start : &on->def.half_edge_end) = true;
}

#define MOST_JOINED 10000 // welds and joints of one rod

void joined_count(Reader* r, const JsonValue* entry, int rod)
{
    SceneRod* on = rod >= 0 ? &r->scene->rods[rod] : NULL;
    if (on && ++on->joined_count == MOST_JOINED + 1) {
        reader_error(r, entry, "is one too many: rod \"%s\" has more than %d welds and joints", on->def.name,
                     MOST_JOINED);
    }
}
