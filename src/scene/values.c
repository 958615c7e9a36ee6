#include "scene/values.h"

#include "base/real.h"

#include <math.h>
#include <string.h>

const Quantity quantity_position = ANY_NUMBER("a position is in metres", "m");
const Quantity quantity_direction = NONZERO_VECTOR("a direction is three numbers", NULL);
const Quantity quantity_length = POSITIVE("a length is in metres", "m", 1e9);
const Quantity quantity_radius = POSITIVE("a radius is a length in metres", "m", 1e9);
const Quantity quantity_time = NOT_NEGATIVE("a time is in seconds", "s", 1e9);
const Quantity quantity_velocity = ANY_NUMBER("a velocity is in metres per second", "m/s");
const Quantity quantity_spin = ANY_NUMBER("a spin is in radians per second about each axis", "rad/s");
const Quantity quantity_frequency = POSITIVE("a frequency is in hertz", "Hz", 1e9);
const Quantity quantity_density = POSITIVE("a density is in kilograms per cubic metre", "kg/m^3", 1e6);
const Quantity quantity_friction = NOT_NEGATIVE("a coefficient of friction has no unit", NULL, 100);
const Quantity quantity_iterations = AT_LEAST(1, "iterations are counted", NULL, 1000000);
const Quantity quantity_turns = ANY_NUMBER("turns are full turns", NULL);
const Quantity quantity_degrees = ANY_NUMBER("degrees are 360 to a full turn", "degrees");
const Quantity quantity_angle = ANY_NUMBER("an angle is in radians", "rad");
const Quantity quantity_index = NOT_NEGATIVE("an index counts from 0", NULL, 1e9);
const Quantity quantity_arc = NOT_NEGATIVE("an arc length is in metres from the rod's start", "m", 1e9);
const Quantity quantity_restitution = NOT_NEGATIVE("a restitution is a share of a speed", NULL, 1);
const Quantity quantity_rolling = NOT_NEGATIVE("a couple over a normal force is in metres", "m", 1e9);
const Quantity quantity_ratio = NOT_NEGATIVE("a damping ratio is a fraction of critical damping", NULL, 1e6);

// ---- angles

double angle_radians(const Angle* angle)
{
    if (!isnan(angle->turns)) {
        return 2.0 * CORD_PI * angle->turns;
    }
    return !isnan(angle->degrees) ? CORD_PI / 180.0 * angle->degrees : angle->angle;
}

static const Field angle_fields[] = {
    ANGLE_FIELDS(0),
};
static void angle_convert(Reader* r, const JsonValue* value, const void* keys, void* radians)
{
    (void)r, (void)value;
    *(double*)radians = angle_radians(keys);
}

const Table table_angle =
    TABLE("angle", "an angle", angle_fields, .about = "An angle: exactly one unit.", .size = sizeof(Angle),
          .defaults = &(const Angle)ANGLE_NONE, .convert = angle_convert);

static const Field turn_fields[] = {
    {FIELD("axis", VECTOR, Turn, axis), .about = "Direction of the axis.",
     .needed = "the direction to turn about, such as [1, 0, 0]", .quantity = &quantity_direction},
    ANGLE_FIELDS(offsetof(Turn, by)),
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

// ---- boxes

static const Field region_fields[] = {
    {FIELD("low", VECTOR, Region, low), .about = "Lowest corner.", .needed = "its lowest corner in metres",
     .quantity = &quantity_position},
    {FIELD("high", VECTOR, Region, high), .about = "Highest corner.",
     .needed = "its highest corner in metres", .quantity = &quantity_position},
};
static void region_check(Reader* r, const JsonValue* value, void* region)
{
    const Region* box = region;
    if (!(box->low.x <= box->high.x && box->low.y <= box->high.y && box->low.z <= box->high.z)) {
        reader_error(r, value, "has a low corner that is not below its high one along x, y and z");
    }
}

const Table table_region =
    TABLE("region", "a box", region_fields, .about = "A box along the axes; its faces are part of it.",
          .check = region_check);

#define REGION_MARGIN 1e-9 // of the size of a box: how far rounding may have moved a point

bool region_has(const Region* region, CordVec3 p)
{
    CordVec3 a = region->low, b = region->high;
    double margin = REGION_MARGIN * real_max(real_max(b.x - a.x, b.y - a.y), b.z - a.z);
    return p.x >= a.x - margin && p.x <= b.x + margin && p.y >= a.y - margin && p.y <= b.y + margin &&
           p.z >= a.z - margin && p.z <= b.z + margin;
}

// ---- names

void read_name(Reader* r, const JsonValue* value, void* name)
{
    const char* text;
    if (!read_string(r, value, "a name", &text)) {
        return;
    }
    bool plain = true;
    for (const char* at = text; *at; at++) {
        plain = plain && (unsigned char)*at >= 0x20 && *at != 0x7f && !strchr("[]/", *at);
    }
    if (!*text || value->count > 60 || !plain) {
        value_error(r, value, "a name has 1 to 60 bytes and none of [ ] / and control characters");
        return;
    }
    *(const char**)name = text;
}

const char* named_at(const void* context, int i)
{
    const NamedList* list = context;
    return *(const char* const*)((const char*)list->entries + list->size * (size_t)i + list->name);
}

static const JsonValue* named_value(const NamedList* list, int i)
{
    return *(const JsonValue* const*)((const char*)list->entries + list->size * (size_t)i + list->at);
}

void names_check(Reader* r, const NamedList* named, NameIndex* index)
{
    if (!name_index_make(r->pool, index, named_at, named, named->count)) {
        return;
    }
    for (int i = 1; i < index->count; i++) {
        const NameEntry *one = &index->sorted[i - 1], *other = one + 1;
        if (strcmp(one->name, other->name) == 0) {
            member_error(r, named_value(named, other->index), "name",
                         "is %s, and so is that of %s; names must differ", utf8_quote(other->name).text,
                         reader_path(r, named_value(named, one->index)));
        }
    }
}

List read_named(Reader* r, const JsonValue* value, EntryReader* read, NamedList list, NameIndex* index)
{
    List entries;
    NameIndex unused;
    read_entries(r, value, read, list.size, &entries);
    list.entries = entries.entries;
    list.count = entries.count;
    names_check(r, &list, index ? index : &unused);
    return entries;
}
