// Motions of clamps and obstacles.
#include "scene/values.h"

#include <math.h>
#include <string.h>

typedef struct Rotate {
    Turn turn;
    CordVec3 center;
} Rotate;

typedef struct KeyframeKeys {
    CordKeyframe key;
    Turn rotate;
} KeyframeKeys;

static const CordMotion default_motion = {.to = INFINITY};

// ---- kinds of motion

static const Quantity quantity_shift = ANY_NUMBER("a displacement is in metres", "m");

static const Field translate_fields[] = {
    {FIELD("by", VECTOR, CordMotion, vector), .about = "Displacement in all.",
     .needed = "three numbers in metres", .quantity = &quantity_shift},
};
static const Table table_translate =
    TABLE("translate", "a translation", translate_fields, .about = "A translation.");

static const Field oscillate_fields[] = {
    {FIELD("amplitude", VECTOR, CordMotion, vector), .about = "Amplitude.",
     .needed = "three numbers in metres", .quantity = &quantity_shift},
    {FIELD("frequency", NUMBER, CordMotion, frequency), .about = "Frequency.", .needed = "it in hertz",
     .quantity = &quantity_frequency},
    {FIELD("phase", NUMBER, CordMotion, phase), .about = "Phase.", .quantity = &quantity_angle},
};
static const Table table_oscillate =
    TABLE("oscillate", "an oscillation", oscillate_fields, .about = "An oscillation.",
          .size = sizeof(CordMotion), .defaults = &default_motion);

static void read_kind(Reader* r, const JsonValue* value, void* target)
{
    CordMotion* motion = target;
    motion->kind = (CordMotionKind)r->field->tag;
    read_table(r, value, r->field->table, motion);
}

static const Field rotate_fields[] = {
    {FIELD("axis", VECTOR, Rotate, turn.axis), .about = "Direction of the axis.",
     .needed = "the direction to turn about, such as [1, 0, 0]", .quantity = &quantity_direction},
    ANGLE_FIELDS(offsetof(Rotate, turn.by)),
    {FIELD("center", VECTOR, Rotate, center), .about = "Point that the axis goes through.",
     .otherwise = "the clamped point", .quantity = &quantity_position},
};
static void rotate_convert(Reader* r, const JsonValue* value, const void* keys, void* target)
{
    const Rotate* rotate = keys;
    CordMotion* motion = target;
    (void)r;
    motion->kind = CORD_MOTION_ROTATE;
    motion->axis = rotate->turn.axis;
    motion->angle = angle_radians(&rotate->turn.by);
    motion->center = rotate->center;
    motion->center_is_clamp = json_member(value, "center") == NULL;
}

static const Table table_rotate =
    TABLE("rotate", "a rotation", rotate_fields, .about = "A rotation.", .size = sizeof(Rotate),
          .defaults = &(const Rotate){.turn = {.by = ANGLE_NONE}}, .convert = rotate_convert);

// ---- keyframes

static const Field keyframe_fields[] = {
    {FIELD("time", NUMBER, KeyframeKeys, key.time),
     .about = "Time, which increases from one keyframe to the next.", .needed = "it in seconds",
     .quantity = &quantity_time},
    {FIELD("offset", VECTOR, KeyframeKeys, key.offset), .about = "Displacement from the start of the motion.",
     .quantity = &quantity_shift},
    {FIELD("rotate", OBJECT, KeyframeKeys, rotate), .about = "Rotation from the start of the motion.",
     .otherwise = "not turned", .table = &table_turn},
};
static const Table table_keyframe =
    TABLE("keyframe", "a keyframe", keyframe_fields, .about = "A keyframe.", .size = sizeof(KeyframeKeys),
          .defaults = &(const KeyframeKeys){.rotate = {.by = ANGLE_NONE}});

// Between two keyframes a thing turns along the shorter arc. About one axis that is not what the scene asks
// for if it is half a turn or more. About two different axes it is the only meaning there is.
static void check_turn(Reader* r, const JsonValue* entry, const Turn* last, const Turn* now)
{
    bool had = turn_is_given(last), has = turn_is_given(now);
    double before = had ? angle_radians(&last->by) : 0.0, after = has ? angle_radians(&now->by) : 0.0;
    if (had && has) {
        double along = cord_vec3_dot(last->axis, now->axis),
               both = cord_vec3_dot(last->axis, last->axis) * cord_vec3_dot(now->axis, now->axis);
        if (along * along < (1.0 - 1e-12) * both) {
            return;
        }
        before = along < 0.0 ? -before : before;
    }
    if (!(fabs(after - before) < CORD_PI * (1.0 - 1e-9))) {
        reader_error(
            r, entry,
            "turns by half a turn or more from the keyframe before; put another keyframe between them, or "
            "use rotate");
    }
}

static void read_keyframe(Reader* r, const JsonValue* entry, int index, void* entries)
{
    KeyframeKeys *list = entries, *keys = &list[index], *before = index > 0 ? keys - 1 : NULL;
    table_start(&table_keyframe, keys);
    if (!read_table(r, entry, &table_keyframe, keys)) {
        return;
    }
    keys->key.rotation = turn_rotation(&keys->rotate);
    if (before && !(keys->key.time > before->key.time)) {
        reader_error(r, entry, "is not later than the keyframe before it; their times must increase");
    }
    if (before) {
        check_turn(r, entry, &before->rotate, &keys->rotate);
    }
}

static void read_keyframes(Reader* r, const JsonValue* value, void* target)
{
    CordMotion* motion = target;
    List list;
    if (!read_entries(r, value, read_keyframe, sizeof(KeyframeKeys), &list)) {
        return;
    }
    CordKeyframe* keys = pool_array(r->pool, CordKeyframe, list.count);
    for (int i = 0; keys && i < list.count; i++) {
        keys[i] = ((KeyframeKeys*)list.entries)[i].key;
    }
    if (keys) {
        motion->kind = CORD_MOTION_KEYFRAMES;
        motion->keys = keys;
        motion->key_count = list.count;
    }
}

// ---- any motion

static const Words ease_words = WORDS("an ease", {"linear", CORD_EASE_LINEAR}, {"smooth", CORD_EASE_SMOOTH});

static const Field motion_fields[] = {
    {VARIANT("translate", table_translate), .about = "A displacement between the times from and to.",
     .read = read_kind, .tag = CORD_MOTION_TRANSLATE},
    {VARIANT("rotate", table_rotate), .about = "A rotation about an axis between the times from and to."},
    {WHOLE("keyframes", LIST), .about = "Offsets and rotations at given times, linear between them.",
     .variant = true, .table = &table_keyframe, .least = 1, .read = read_keyframes},
    {VARIANT("oscillate", table_oscillate), .read = read_kind, .tag = CORD_MOTION_OSCILLATE},
    {FIELD("from", NUMBER, CordMotion, from), .about = "Time at which the motion begins.",
     .quantity = &quantity_time},
    {FIELD("to", NUMBER, CordMotion, to),
     .about = "Time at which the motion ends, which translate and rotate need.",
     .otherwise = "`oscillate`: never", .quantity = &quantity_time},
    {FIELD("ease", WORD, CordMotion, ease),
     .about = "Course of the motion: linear is even, smooth starts and stops without a jolt.",
     .words = &ease_words},
};
const Table table_motion = TABLE("motion", "a motion", motion_fields, .about = "A motion: exactly one kind.",
                                 .size = sizeof(CordMotion), .defaults = &default_motion);

static void refuse(Reader* r, const JsonValue* entry, const char* key, const char* why)
{
    if (json_member(entry, key)) {
        member_error(r, entry, key, "does not apply: %s", why);
    }
}

static void check_times(Reader* r, const JsonValue* entry, const CordMotion* motion)
{
    if (motion->kind == CORD_MOTION_KEYFRAMES) {
        refuse(r, entry, "from", "keyframes have times of their own");
        refuse(r, entry, "to", "keyframes have times of their own");
        refuse(r, entry, "ease", "between keyframes the motion is linear");
        return;
    }
    if (motion->kind == CORD_MOTION_OSCILLATE) {
        refuse(r, entry, "ease", "an oscillation has no ease");
    } else if (!json_member(entry, "to")) {
        reader_error(r, entry, "has no to; write when the motion ends, in seconds");
        return;
    }
    if (motion->to < motion->from) {
        reader_error(r, entry, "ends before it begins; \"to\" must not be before \"from\"");
    } else if (motion->to == motion->from) {
        reader_warning(r, entry,
                       "takes no time, so it is a jump; if that is not meant, write a later \"to\"");
    }
}

void read_motion(Reader* r, const JsonValue* entry, int index, void* entries)
{
    CordMotion* motion = (CordMotion*)entries + index;
    table_start(&table_motion, motion);
    if (read_table(r, entry, &table_motion, motion)) {
        check_times(r, entry, motion);
    }
}
