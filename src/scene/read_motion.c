// Motions of clamps.
#include "scene/values.h"

#include <math.h>
#include <string.h>

typedef struct Translate {
    CordVec3 by;
} Translate;

typedef struct Rotate {
    Turn turn;
    CordVec3 center;
} Rotate;

typedef struct Oscillate {
    CordVec3 amplitude;
    double frequency;
    double phase;
} Oscillate;

typedef struct KeyframeKeys {
    CordKeyframe key;
    Turn rotate;
} KeyframeKeys;

typedef struct MotionKeys {
    CordMotion motion;
    int ease;
} MotionKeys;

// ---- the four kinds; each fills a CordMotion

static const Quantity quantity_shift = {.what = "a displacement is in metres", .unit = "m", QUANTITY_ANY};

static const Field translate_fields[] = {
    {FIELD("by", VECTOR, Translate, by), .about = "Displacement in all.", .needed = "three numbers in metres",
     .quantity = &quantity_shift},
};
static const Table table_translate =
    TABLE("translate", "a translation", translate_fields, .about = "A translation.");

static void read_translate(Reader* r, const JsonValue* value, void* target)
{
    CordMotion* motion = target;
    Translate keys = {{0, 0, 0}};
    if (read_table(r, value, &table_translate, &keys)) {
        motion->kind = CORD_MOTION_TRANSLATE;
        motion->vector = keys.by;
    }
}

static const Field rotate_fields[] = {
    {FIELD("axis", VECTOR, Rotate, turn.axis), .about = "Direction of the axis.",
     .needed = "the direction to turn about, such as [1, 0, 0]", .quantity = &quantity_direction},
    ANGLE_FIELDS(Rotate, turn.by),
    {FIELD("center", VECTOR, Rotate, center), .about = "Point that the axis goes through.",
     .otherwise = "the clamped point", .quantity = &quantity_position},
};
static const Table table_rotate = TABLE("rotate", "a rotation", rotate_fields, .about = "A rotation.");

static void read_rotate(Reader* r, const JsonValue* value, void* target)
{
    CordMotion* motion = target;
    Rotate keys = {.turn = {.by = ANGLE_NONE}};
    if (read_table(r, value, &table_rotate, &keys)) {
        motion->kind = CORD_MOTION_ROTATE;
        motion->axis = keys.turn.axis;
        motion->angle = angle_radians(&keys.turn.by);
        motion->center = keys.center;
        motion->center_is_clamp = json_member(value, "center") == NULL;
    }
}

static void oscillate_start(void* keys)
{
    *(Oscillate*)keys = (Oscillate){.phase = 0.0};
}

static const Field oscillate_fields[] = {
    {FIELD("amplitude", VECTOR, Oscillate, amplitude), .about = "Amplitude.",
     .needed = "three numbers in metres", .quantity = &quantity_shift},
    {FIELD("frequency", NUMBER, Oscillate, frequency), .about = "Frequency.", .needed = "it in hertz",
     .quantity = &quantity_frequency},
    {FIELD("phase", NUMBER, Oscillate, phase), .about = "Phase.", .quantity = &quantity_angle},
};
static const Table table_oscillate =
    TABLE("oscillate", "an oscillation", oscillate_fields, .about = "An oscillation.",
          .size = sizeof(Oscillate), .start = oscillate_start);

static void read_oscillate(Reader* r, const JsonValue* value, void* target)
{
    CordMotion* motion = target;
    Oscillate keys;
    oscillate_start(&keys);
    if (read_table(r, value, &table_oscillate, &keys)) {
        motion->kind = CORD_MOTION_OSCILLATE;
        motion->vector = keys.amplitude;
        motion->frequency = keys.frequency;
        motion->phase = keys.phase;
    }
}

// ---- keyframes

static void keyframe_start(void* keys)
{
    *(KeyframeKeys*)keys = (KeyframeKeys){.rotate = {.by = ANGLE_NONE}};
}

static const Field keyframe_fields[] = {
    {FIELD("time", NUMBER, KeyframeKeys, key.time),
     .about = "Time, which increases from one keyframe to the next.", .needed = "it in seconds",
     .quantity = &quantity_time},
    {FIELD("offset", VECTOR, KeyframeKeys, key.offset), .about = "Displacement from the start of the motion.",
     .quantity = &quantity_shift},
    {FIELD("rotate", OBJECT, KeyframeKeys, rotate), .about = "Rotation from the start of the motion.",
     .otherwise = "not turned", .table = &table_turn},
};
static const Table table_keyframe = TABLE("keyframe", "a keyframe", keyframe_fields, .about = "A keyframe.",
                                          .size = sizeof(KeyframeKeys), .start = keyframe_start);

typedef struct KeyframeList {
    CordKeyframe* keys;
    Turn last; // of the keyframe before
} KeyframeList;

// Between two keyframes the thing turns along the shorter arc. About one and the same axis that is what is
// meant only up to half a turn; about two different ones there is nothing else it could mean.
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

static void read_keyframe(Reader* r, const JsonValue* entry, int index, void* user)
{
    KeyframeList* list = user;
    KeyframeKeys keys;
    keyframe_start(&keys);
    if (!read_table(r, entry, &table_keyframe, &keys)) {
        return;
    }
    keys.key.rotation = turn_rotation(&keys.rotate);
    list->keys[index] = keys.key;
    if (index > 0 && !(keys.key.time > list->keys[index - 1].time)) {
        reader_error(r, entry, "is not later than the keyframe before it; their times must increase");
    }
    if (index > 0) {
        check_turn(r, entry, &list->last, &keys.rotate);
    }
    list->last = keys.rotate;
}

static void read_keyframes(Reader* r, const JsonValue* value, void* target)
{
    CordMotion* motion = target;
    bool is_list = value->kind == JSON_ARRAY;
    KeyframeList list = {.keys = is_list ? pool_array(r->pool, CordKeyframe, value->count) : NULL};
    if (is_list && !list.keys) {
        return;
    }
    if (!read_list(r, value, "keyframes are a list", read_keyframe, &list)) {
        return;
    }
    if (value->count == 0) {
        reader_error(r, value, "is empty; keyframes need at least one");
        return;
    }
    motion->kind = CORD_MOTION_KEYFRAMES;
    motion->keys = list.keys;
    motion->key_count = (int)value->count;
}

// ---- any motion

static const Word ease_list[] = {{"linear", CORD_EASE_LINEAR}, {"smooth", CORD_EASE_SMOOTH}};
static const Words ease_words = WORDS("an ease", ease_list);

static void motion_start(void* keys)
{
    *(MotionKeys*)keys = (MotionKeys){.motion = {.to = INFINITY}};
}

static const Field motion_fields[] = {
    {WHOLE("translate", OBJECT), .about = "A displacement between the times from and to.", .variant = true,
     .table = &table_translate, .read = read_translate},
    {WHOLE("rotate", OBJECT), .about = "A rotation about an axis between the times from and to.",
     .variant = true, .table = &table_rotate, .read = read_rotate},
    {WHOLE("keyframes", LIST), .about = "Offsets and rotations at given times, linear between them.",
     .variant = true, .table = &table_keyframe, .least = 1, .read = read_keyframes},
    {WHOLE("oscillate", OBJECT), .variant = true, .table = &table_oscillate, .read = read_oscillate},
    {FIELD("from", NUMBER, MotionKeys, motion.from), .about = "Time at which the motion begins.",
     .quantity = &quantity_time},
    {FIELD("to", NUMBER, MotionKeys, motion.to),
     .about = "Time at which the motion ends, which translate and rotate need.",
     .otherwise = "`oscillate`: never", .quantity = &quantity_time},
    {FIELD("ease", WORD, MotionKeys, ease),
     .about = "Course of the motion: linear is even, smooth starts and stops without a jolt.",
     .words = &ease_words},
};
const Table table_motion = TABLE("motion", "a motion", motion_fields, .about = "A motion: exactly one kind.",
                                 .size = sizeof(MotionKeys), .start = motion_start);

static void refuse(Reader* r, const JsonValue* entry, const char* key, const char* why)
{
    const JsonValue* value = json_member(entry, key);
    if (value) {
        Path path;
        reader_enter(r, &path, key);
        reader_error(r, value, "does not apply: %s", why);
        reader_leave(r, &path);
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
        reader_warning(r, entry, "takes no time, so it is a jump; \"to\" should be after \"from\"");
    }
}

static void read_motion(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordMotion* motions = user;
    MotionKeys keys;
    motion_start(&keys);
    if (read_table(r, entry, &table_motion, &keys)) {
        keys.motion.ease = (CordEase)keys.ease;
        check_times(r, entry, &keys.motion);
    }
    motions[index] = keys.motion;
}

void read_motions(Reader* r, const JsonValue* value, void* target)
{
    MotionList* motion = target;
    bool is_list = value->kind == JSON_ARRAY;
    CordMotion* motions = is_list ? pool_array(r->pool, CordMotion, value->count) : NULL;
    if (is_list && !motions) {
        return;
    }
    if (read_list(r, value, "motions are a list, such as [{\"translate\": ...}]", read_motion, motions)) {
        *motion = (MotionList){motions, (int)value->count};
    }
}
