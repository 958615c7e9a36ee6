#include "scene/values.h"

#include "base/real.h"
#include "scene/utf8.h"

#include <math.h>
#include <string.h>

const Quantity quantity_position = {.what = "a position is in metres", .unit = "m", QUANTITY_ANY};
const Quantity quantity_direction = {.what = "a direction is three numbers", QUANTITY_ANY, .nonzero = true};
const Quantity quantity_length = {
    .what = "a length is in metres", .unit = "m", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e9)};
const Quantity quantity_radius = {
    .what = "a radius is a length in metres", .unit = "m", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e9)};
const Quantity quantity_time = {
    .what = "a time is in seconds", .unit = "s", QUANTITY_NOT_NEGATIVE, QUANTITY_UP_TO(1e9)};
const Quantity quantity_velocity = {
    .what = "a velocity is in metres per second", .unit = "m/s", QUANTITY_ANY};
const Quantity quantity_spin = {
    .what = "a spin is in radians per second about each axis", .unit = "rad/s", QUANTITY_ANY};
const Quantity quantity_frequency = {
    .what = "a frequency is in hertz", .unit = "Hz", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e9)};
const Quantity quantity_friction = {
    .what = "a coefficient of friction has no unit", QUANTITY_NOT_NEGATIVE, QUANTITY_UP_TO(100)};
const Quantity quantity_turns = {.what = "turns are full turns", QUANTITY_ANY};
const Quantity quantity_degrees = {.what = "degrees are 360 to a full turn", .unit = "degrees", QUANTITY_ANY};
const Quantity quantity_angle = {.what = "an angle is in radians", .unit = "rad", QUANTITY_ANY};

// ---- angles

double angle_radians(const Angle* angle)
{
    if (!isnan(angle->turns)) {
        return 2.0 * CORD_PI * angle->turns;
    }
    return !isnan(angle->degrees) ? CORD_PI / 180.0 * angle->degrees : angle->angle;
}

typedef struct AngleKeys {
    Angle by;
} AngleKeys;

static const Field angle_fields[] = {
    ANGLE_FIELDS(AngleKeys, by),
};
const Table table_angle = TABLE("angle", "an angle", angle_fields, .about = "An angle: exactly one unit.");

void read_angle(Reader* r, const JsonValue* value, void* radians)
{
    AngleKeys keys = {ANGLE_NONE};
    if (read_table(r, value, &table_angle, &keys)) {
        *(double*)radians = angle_radians(&keys.by);
    }
}

static const Field turn_fields[] = {
    {FIELD("axis", VECTOR, Turn, axis), .about = "Direction of the axis.",
     .needed = "the direction to turn about, such as [1, 0, 0]", .quantity = &quantity_direction},
    ANGLE_FIELDS(Turn, by),
};
const Table table_turn = TABLE("turn", "a turn about an axis", turn_fields, .about = "A turn about an axis.");

bool turn_is_given(const Turn* turn)
{
    return !cord_vec3_equal(turn->axis, cord_vec3(0, 0, 0));
}

CordQuat turn_rotation(const Turn* turn)
{
    return turn_is_given(turn) ? cord_quat_about(turn->axis, angle_radians(&turn->by)) : cord_quat_identity();
}

// ---- names

void read_name(Reader* r, const JsonValue* value, void* name)
{
    const char* text;
    if (!read_string(r, value, "a name is text", &text)) {
        return;
    }
    bool plain = true;
    for (const char* at = text; *at; at++) {
        plain = plain && (unsigned char)*at >= 0x20 && *at != 0x7f && !strchr("[]/", *at);
    }
    if (!*text || value->count > 60 || !plain) {
        reader_error(r, value, "is %s; a name has 1 to 60 bytes and none of [ ] / and control characters",
                     reader_describe(r, value));
        return;
    }
    *(const char**)name = text;
}

void names_check(Reader* r, const char* list, const NameIndex* index,
                 const JsonValue* (*entry)(const void* context, int i), const void* context)
{
    for (int i = 1; i < index->count; i++) {
        const NameEntry *one = index->sorted[i - 1], *other = index->sorted[i];
        if (strcmp(one->name, other->name) != 0) {
            continue;
        }
        const JsonValue* at = entry(context, other->index);
        const JsonValue* name = json_member(at, "name");
        Path path_entry = {r->path, NULL, other->index}, path_name;
        r->path = &path_entry;
        reader_enter(r, &path_name, "name");
        reader_error(r, name ? name : at, "is %s, and so is that of %s[%d]; names must differ",
                     utf8_quote(other->name).text, list, one->index);
        r->path = path_entry.up;
    }
}

// ---- rods and bodies by name

static const char* rod_name_at(const void* context, int i)
{
    const CordScene* scene = context;
    return scene->rods[i].def.name;
}

static const char* body_name_at(const void* context, int i)
{
    const CordScene* scene = context;
    return scene->bodies[i].def.name;
}

static const char* obstacle_name_at(const void* context, int i)
{
    const CordScene* scene = context;
    return scene->obstacles[i].def.name;
}

static void read_reference(Reader* r, const JsonValue* value, const char* noun, const NameIndex* index,
                           NameAt name_at, int count, int* target)
{
    const char *name, *what = pool_format(r->pool, "%s %s is named", *noun == 'o' ? "an" : "a", noun);
    if (!what || !read_string(r, value, what, &name)) {
        return;
    }
    int found = name_index_find(index, name);
    if (found >= 0) {
        *target = found;
        return;
    }
    NameHint hint = reader_hint(r, name, name_at, r->scene, count);
    reader_error(r, value, "is %s, and no %s has that name%s", reader_describe(r, value), noun, hint.text);
}

// The entry that a name is of, if it is one of strands; -1: none.
static int strands_named(const CordScene* scene, const JsonValue* name)
{
    int entry = name && name->kind == JSON_STRING ? name_index_find(&scene->entry_index, name->string) : -1;
    return entry >= 0 && scene->entries[entry].is_strands ? entry : -1;
}

void read_rod(Reader* r, const JsonValue* value, void* rod)
{
    int entry = strands_named(r->scene, value);
    if (entry >= 0) {
        const SceneEntry* strands = &r->scene->entries[entry];
        reader_error(r, value, "is %s, which is all of %d strands; name one of them, such as \"%s_00001\"",
                     reader_describe(r, value), strands->count, strands->name);
        return;
    }
    read_reference(r, value, "rod", &r->scene->rod_index, rod_name_at, r->scene->rod_count, rod);
}

void read_body(Reader* r, const JsonValue* value, void* body)
{
    read_reference(r, value, "body", &r->scene->body_index, body_name_at, r->scene->body_count, body);
}

void read_obstacle(Reader* r, const JsonValue* value, void* obstacle)
{
    read_reference(r, value, "obstacle", &r->scene->obstacle_index, obstacle_name_at,
                   r->scene->obstacle_count, obstacle);
}

// `index` if it is one; else 0 if there is nothing else it could be.
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

const Quantity quantity_index = {
    .what = "an index counts from 0", QUANTITY_NOT_NEGATIVE, QUANTITY_UP_TO(1e9)};
const Quantity quantity_arc = {.what = "an arc length is in metres from the rod's start",
                               .unit = "m",
                               QUANTITY_NOT_NEGATIVE,
                               QUANTITY_UP_TO(1e9)};

typedef struct PlaceObject {
    PlaceKeys by;
} PlaceObject;

static const Field place_fields[] = {
    PLACE_FIELDS(PlaceObject, by),
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
        reader_error(
            r, value,
            "is %s; a place is \"start\", \"end\", {\"node\": 3}, {\"edge\": 3} or {\"arc\": 0.5} (metres)",
            reader_describe(r, value));
    } else {
        PlaceObject keys = {PLACE_NONE};
        if (read_table(r, value, &table_place, &keys)) {
            *target = place_given(&keys.by);
        }
    }
}

static const Field region_fields[] = {
    {FIELD("low", VECTOR, Region, low), .about = "Lowest corner.", .needed = "its lowest corner in metres",
     .quantity = &quantity_position},
    {FIELD("high", VECTOR, Region, high), .about = "Highest corner.",
     .needed = "its highest corner in metres", .quantity = &quantity_position},
};
const Table table_region =
    TABLE("region", "a box", region_fields, .about = "A box along the axes; its faces are part of it.");

void read_region(Reader* r, const JsonValue* value, void* region)
{
    const Region* box = region;
    if (read_table(r, value, &table_region, region) &&
        !(box->low.x <= box->high.x && box->low.y <= box->high.y && box->low.z <= box->high.z)) {
        reader_error(r, value, "has a low corner that is not below its high one along x, y and z");
    }
}

#define REGION_MARGIN 1e-9 // over the size of a box: what rounding may have moved a point by

bool region_has(const Region* region, CordVec3 p)
{
    CordVec3 a = region->low, b = region->high;
    double margin = REGION_MARGIN * real_max(real_max(b.x - a.x, b.y - a.y), b.z - a.z);
    return p.x >= a.x - margin && p.x <= b.x + margin && p.y >= a.y - margin && p.y <= b.y + margin &&
           p.z >= a.z - margin && p.z <= b.z + margin;
}

static bool index_check(Reader* r, const JsonValue* at, const char* what, int index, int count)
{
    if (index < count) {
        return true;
    }
    reader_error(r, at, "is %s %d; the rod has %ss 0 to %d", what, index, what, count - 1);
    return false;
}

bool place_check(Reader* r, const JsonValue* at, CordPlace place, int rod, PlaceUse use, const char* what)
{
    const SceneRod* on = rod >= 0 ? &r->scene->rods[rod] : NULL;
    if (use == PLACE_OF_NODE && place.kind == CORD_AT_EDGE) {
        reader_error(r, at, "is an edge; %s a node, so write {\"node\": %d}", what, place.index);
        return false;
    }
    if (use == PLACE_OF_EDGE && place.kind == CORD_AT_NODE) {
        reader_error(r, at, "is a node; %s an edge, so write {\"edge\": %d}", what, place.index);
        return false;
    }
    if (!on || !on->is_whole) {
        return true;
    }
    bool is_end = place.kind == CORD_AT_START || place.kind == CORD_AT_END;
    if (on->def.closed && is_end) {
        reader_error(r, at, "is %s; a closed rod has no ends, so write {\"node\": 0} or {\"edge\": 0}",
                     place.kind == CORD_AT_START ? "\"start\"" : "\"end\"");
        return false;
    }
    if (on->network.edge_count > 0 && (is_end || place.kind == CORD_AT_ARC)) {
        reader_error(
            r, at,
            "is %s; a network has no ends and no length along it, so write {\"node\": 0} or {\"edge\": 0}",
            reader_describe(r, at));
        return false;
    }
    if (place.kind == CORD_AT_NODE) {
        return index_check(r, at, "node", place.index, on->def.shape.node_count);
    }
    return place.kind != CORD_AT_EDGE || index_check(r, at, "edge", place.index, rod_elements(on));
}

static const Word fix_list[] = {
    {"position", CORD_FIX_POSITION},
    {"direction", CORD_FIX_DIRECTION},
    {"frame", CORD_FIX_FRAME},
};
const Words fix_words = WORDS("what is fixed", fix_list);

void half_edge(Reader* r, const JsonValue* entry, CordPlace place, int rod, const char* what)
{
    SceneRod* on = rod >= 0 ? &r->scene->rods[rod] : NULL;
    bool at_end = place.kind == CORD_AT_START || place.kind == CORD_AT_END;
    bool modal = on && on->def.model == CORD_MODEL_MODAL; // its clamps hold a node with all its freedoms
    if (!on || !on->is_whole || !at_end || on->def.closed || on->def.shape.kind == CORD_SHAPE_POINTS ||
        modal) {
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
