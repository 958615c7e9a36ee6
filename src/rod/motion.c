#include "rod/motion.h"

#include "base/real.h"
#include "math/elementary.h"
#include "rod/frame.h"

#include <string.h>

CordMotion cord_motion_translate(CordVec3 by, double from, double to)
{
    return (CordMotion){.kind = CORD_MOTION_TRANSLATE, .from = from, .to = to, .vector = by};
}

CordMotion cord_motion_rotate(CordVec3 axis, double angle, double from, double to)
{
    return (CordMotion){.kind = CORD_MOTION_ROTATE,
                        .from = from,
                        .to = to,
                        .axis = axis,
                        .angle = angle,
                        .center_is_clamp = true};
}

CordMotion cord_motion_keyframes(const CordKeyframe* keys, int key_count)
{
    return (CordMotion){.kind = CORD_MOTION_KEYFRAMES, .keys = keys, .key_count = key_count};
}

CordMotion cord_motion_oscillate(CordVec3 amplitude, double frequency, double phase)
{
    return (CordMotion){.kind = CORD_MOTION_OSCILLATE,
                        .from = 0.0,
                        .to = INFINITY,
                        .vector = amplitude,
                        .frequency = frequency,
                        .phase = phase};
}

static CordResult check_keys(const CordMotion* m, Message* message)
{
    if (m->key_count < 1 || !m->keys) {
        return message_fail(message, CORD_BAD_ARGUMENT, "keyframes need at least one key");
    }
    for (int i = 0; i < m->key_count; i++) {
        const CordKeyframe* key = &m->keys[i];
        double norm = quat_norm(key->rotation);
        if (!isfinite(key->time) || !vec3_finite(key->offset) || !isfinite(norm) || norm == 0.0) {
            return message_fail(
                message, CORD_BAD_ARGUMENT,
                "keyframe %d must have a finite time and offset and a rotation that is not zero", i);
        }
        if (i > 0 && key->time <= m->keys[i - 1].time) {
            return message_fail(message, CORD_BAD_ARGUMENT, "keyframe %d is not later than the one before it",
                                i);
        }
    }
    return CORD_OK;
}

CordResult motion_check(const CordMotion* m, Message* message)
{
    if (m->kind == CORD_MOTION_KEYFRAMES) {
        return check_keys(m, message);
    }
    bool oscillates = m->kind == CORD_MOTION_OSCILLATE;
    if (!isfinite(m->from) || isnan(m->to) || m->to < m->from || (!oscillates && !isfinite(m->to))) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "a motion goes from %g s to %g s; it must end after it begins", m->from, m->to);
    }
    if (m->kind == CORD_MOTION_ROTATE) {
        double length = vec3_length(m->axis);
        return isfinite(length) && length > 0.0 && isfinite(m->angle) && vec3_finite(m->center)
                   ? CORD_OK
                   : message_fail(message, CORD_BAD_ARGUMENT,
                                  "a rotation needs a finite axis that is not zero and a finite angle");
    }
    return vec3_finite(m->vector) && isfinite(m->frequency) && isfinite(m->phase)
               ? CORD_OK
               : message_fail(message, CORD_BAD_ARGUMENT,
                              "a motion's vector, frequency and phase must be finite");
}

// Progress of a motion at `time`: 0 before it, 1 after it.
static double progress(const CordMotion* m, double time)
{
    if (time >= m->to) {
        return 1.0;
    }
    if (time <= m->from) {
        return 0.0;
    }
    double s = (time - m->from) / (m->to - m->from);
    // smooth: the quintic whose first and second derivatives vanish at both ends (smootherstep)
    return m->ease == CORD_EASE_SMOOTH ? s * s * s * (10.0 - s * (15.0 - 6.0 * s)) : s;
}

CordQuat cord_quat_about(CordVec3 axis, double angle)
{
    CordVec3 u = vec3_mul(vec3_unit(axis), cord_sin(0.5 * angle));
    return (CordQuat){u.x, u.y, u.z, cord_cos(0.5 * angle)};
}

// Spherical linear interpolation along the shorter arc (Shoemake 1985).
static CordQuat slerp(CordQuat a, CordQuat b, double s)
{
    double c = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    double sign = c < 0.0 ? -1.0 : 1.0, angle = cord_acos(fabs(c));
    double wa = 1.0 - s, wb = s;
    if (angle > 1e-6) { // else these weights are right to angle^2
        wa = cord_sin((1.0 - s) * angle) / cord_sin(angle);
        wb = cord_sin(s * angle) / cord_sin(angle);
    }
    wb *= sign;
    return quat_unit(
        (CordQuat){wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z, wa * a.w + wb * b.w});
}

Pose pose_interpolate(Pose a, Pose b, double share)
{
    return (Pose){vec3_madd(a.point, vec3_sub(b.point, a.point), share),
                  slerp(a.rotation, b.rotation, share)};
}

bool pose_equals(Pose a, Pose b)
{
    CordVec3 p = a.point, r = b.point;
    CordQuat q = a.rotation, s = b.rotation;
    return p.x == r.x && p.y == r.y && p.z == r.z && q.x == s.x && q.y == s.y && q.z == s.z && q.w == s.w;
}

// True if the motion takes place at one instant in (from, to].
static bool is_jump(const CordMotion* m, double from, double to)
{
    bool has_end = m->kind == CORD_MOTION_TRANSLATE || m->kind == CORD_MOTION_ROTATE;
    return has_end && m->from == m->to && from < m->to && m->to <= to;
}

static Pose keyframed(const CordMotion* m, Pose pose, double time)
{
    int i = 0;
    while (i + 1 < m->key_count && m->keys[i + 1].time <= time) {
        i++;
    }
    const CordKeyframe *a = &m->keys[i], *b = &m->keys[i + 1 < m->key_count ? i + 1 : i];
    double s = b->time > a->time ? real_min(real_max((time - a->time) / (b->time - a->time), 0.0), 1.0) : 0.0;
    pose.point = vec3_add(pose.point, vec3_madd(a->offset, vec3_sub(b->offset, a->offset), s));
    pose.rotation = quat_mul(slerp(quat_unit(a->rotation), quat_unit(b->rotation), s), pose.rotation);
    return pose;
}

Pose motion_apply(const CordMotion* m, Pose pose, double time)
{
    switch (m->kind) {
    case CORD_MOTION_TRANSLATE: pose.point = vec3_madd(pose.point, m->vector, progress(m, time)); return pose;
    case CORD_MOTION_ROTATE: {
        CordQuat q = cord_quat_about(m->axis, m->angle * progress(m, time));
        CordVec3 center = m->center_is_clamp ? pose.point : m->center;
        CordVec3 arm = vec3_sub(pose.point, center);
        // exactly where it was before it turns: a clamp that is off by round-off would count as one that
        // jumps
        pose.point = vec3_add(pose.point, vec3_sub(quat_rotate(q, arm), arm));
        pose.rotation = quat_mul(q, pose.rotation);
        return pose;
    }
    case CORD_MOTION_KEYFRAMES: return keyframed(m, pose, time);
    case CORD_MOTION_OSCILLATE: {
        double t = real_min(real_max(time, m->from), m->to) - m->from;
        double swing = cord_sin(2.0 * CORD_PI * m->frequency * t + m->phase) - cord_sin(m->phase);
        pose.point = vec3_madd(pose.point, m->vector, swing);
        return pose;
    }
    }
    return pose;
}

// ---- several

CordResult motions_check(const CordMotion* motions, int count, const char* whose, Message* message)
{
    if (count < 0 || (count > 0 && !motions)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "%s are said to be %d, and none are given", whose,
                            count);
    }
    for (int i = 0; i < count; i++) {
        CORD_TRY(motion_check(&motions[i], message));
    }
    return CORD_OK;
}

const CordMotion* motions_copy(Memory* m, const CordMotion* motions, int count)
{
    CordMotion* copy = memory_array(m, CordMotion, count);
    for (int i = 0; copy && i < count; i++) {
        copy[i] = motions[i];
        copy[i].keys = NULL;
        if (motions[i].kind != CORD_MOTION_KEYFRAMES) {
            continue;
        }
        CordKeyframe* keys = memory_array(m, CordKeyframe, motions[i].key_count);
        if (!keys) {
            motions_free(m, copy, count);
            return NULL;
        }
        memcpy(keys, motions[i].keys, sizeof *keys * (size_t)motions[i].key_count);
        copy[i].keys = keys;
    }
    return copy;
}

void motions_free(Memory* m, const CordMotion* motions, int count)
{
    for (int i = 0; motions && i < count; i++) {
        memory_free(m, (void*)motions[i].keys, sizeof *motions[i].keys * (size_t)motions[i].key_count);
    }
    memory_free(m, (void*)motions, sizeof *motions * (size_t)count);
}

Pose motions_apply(const CordMotion* motions, int count, Pose pose, double time)
{
    for (int i = 0; i < count; i++) {
        pose = motion_apply(&motions[i], pose, time);
    }
    return pose;
}

bool motions_jump(const CordMotion* motions, int count, double from, double to)
{
    bool jump = false;
    for (int i = 0; i < count; i++) {
        jump |= is_jump(&motions[i], from, to);
    }
    return jump;
}

static double angle_between(CordQuat a, CordQuat b)
{
    double c = fabs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
    return 2.0 * cord_acos(real_min(c, 1.0));
}

static double keyframe_rotation(const CordMotion* m, double from, double to)
{
    double turn = 0.0;
    for (int i = 0; i + 1 < m->key_count; i++) {
        const CordKeyframe *a = &m->keys[i], *b = &m->keys[i + 1];
        double share = (real_min(to, b->time) - real_max(from, a->time)) / (b->time - a->time);
        turn += share > 0.0 ? share * angle_between(quat_unit(a->rotation), quat_unit(b->rotation)) : 0.0;
    }
    return turn;
}

double motions_rotation_bound(const CordMotion* motions, int count, double from, double to)
{
    double turn = 0.0;
    for (int i = 0; i < count; i++) {
        const CordMotion* m = &motions[i];
        if (m->kind == CORD_MOTION_ROTATE) {
            turn += fabs(m->angle * (progress(m, to) - progress(m, from)));
        } else if (m->kind == CORD_MOTION_KEYFRAMES) {
            turn += keyframe_rotation(m, from, to);
        }
    }
    return turn;
}

// ---- turns about a direction

#define MOST_TURN_AT_ONCE (CORD_PI / 4.0) // rotation between two samples of a motion [rad]
#define ROUND_OFF 1e-14                   // of the cosine between two unit vectors

typedef struct Span { // between two times, all motions go on evenly
    const CordMotion* motions;
    int count;
    double from, to;
} Span;

static double key_time(const CordMotion* m, const Span* span, double share)
{
    double first = m->keys[0].time, last = m->keys[m->key_count - 1].time;
    double a = real_min(real_max(span->from, first), last), b = real_min(real_max(span->to, first), last);
    return a + share * (b - a);
}

static double rotation_angle(const CordMotion* m, const Span* span, double share)
{
    double start = progress(m, span->from);
    return m->angle * (start + share * (progress(m, span->to) - start));
}

static CordQuat rotation_at(const Span* span, double share)
{
    Pose pose = {{0, 0, 0}, quat_identity()};
    for (int i = 0; i < span->count; i++) {
        const CordMotion* m = &span->motions[i];
        if (m->kind == CORD_MOTION_ROTATE) {
            pose.rotation = quat_mul(cord_quat_about(m->axis, rotation_angle(m, span, share)), pose.rotation);
        } else if (m->kind == CORD_MOTION_KEYFRAMES) {
            pose = keyframed(m, pose, key_time(m, span, share));
        }
    }
    return pose.rotation;
}

static double rotation_between(const Span* span, double a, double b) // upper bound
{
    double turn = 0.0;
    for (int i = 0; i < span->count; i++) {
        const CordMotion* m = &span->motions[i];
        if (m->kind == CORD_MOTION_ROTATE) {
            turn += fabs(rotation_angle(m, span, b) - rotation_angle(m, span, a));
        } else if (m->kind == CORD_MOTION_KEYFRAMES) {
            double from = key_time(m, span, a), to = key_time(m, span, b);
            turn += keyframe_rotation(m, real_min(from, to), real_max(from, to));
        }
    }
    return turn;
}

static double turn_about(CordQuat a, CordQuat b, CordVec3 direction) // up to full turns
{
    CordVec3 axis = quat_rotate(a, direction);
    CordQuat q = quat_mul(b, quat_conjugate(a));
    return 2.0 * cord_atan2(vec3_dot((CordVec3){q.x, q.y, q.z}, axis), q.w);
}

// Rotations about the direction itself add up, however many turns they make. False: there are others.
static bool rotations_along(const Span* span, CordVec3 direction, double* turn)
{
    *turn = 0.0;
    for (int i = 0; i < span->count; i++) {
        const CordMotion* m = &span->motions[i];
        bool rotates = m->kind == CORD_MOTION_ROTATE;
        double cosine = rotates ? vec3_dot(vec3_unit(m->axis), direction) : 0.0;
        if (m->kind == CORD_MOTION_KEYFRAMES || (rotates && fabs(cosine) < 1.0 - ROUND_OFF)) {
            return false;
        }
        *turn += rotates
                     ? copysign(1.0, cosine) * (rotation_angle(m, span, 1.0) - rotation_angle(m, span, 0.0))
                     : 0.0;
    }
    return true;
}

double motions_turn(const CordMotion* motions, int count, CordVec3 direction, double from, double to)
{
    Span span = {motions, count, from, to};
    CordQuat start = rotation_at(&span, 0.0);
    double turn = 0.0, at = 0.0;
    if (rotations_along(&span, direction, &turn)) {
        return frame_unwrap(turn_about(start, rotation_at(&span, 1.0), direction), turn);
    }
    for (turn = 0.0; at < 1.0;) {
        double next = 1.0;
        double half = 0.5 * (at + next); // keys at neighbouring times have none between them
        while (rotation_between(&span, at, next) > MOST_TURN_AT_ONCE && at < half && half < next) {
            next = half;
            half = 0.5 * (at + next);
        }
        turn = frame_unwrap(turn_about(start, rotation_at(&span, next), direction), turn);
        at = next;
    }
    return turn;
}

double pose_turn(Pose a, Pose b, CordVec3 direction)
{
    return frame_unwrap(turn_about(a.rotation, b.rotation, direction), 0.0);
}

// Bound of the sagitta of an arc, or of an oscillation, over an angle: r (1 - cos(angle / 2)) <= r angle^2
// / 8.
static double sagitta(double radius, double angle)
{
    return radius * real_min(angle * angle / 8.0, 2.0);
}

// Piecewise linear motion is farthest from its chord at one of the keys.
static double keyframe_deviation(const CordMotion* m, double from, double to)
{
    Pose none = {{0, 0, 0}, {0, 0, 0, 1}};
    CordVec3 start = keyframed(m, none, from).point, end = keyframed(m, none, to).point;
    double most = 0.0;
    for (int i = 0; i < m->key_count; i++) {
        double time = m->keys[i].time;
        if (time > from && time < to) {
            CordVec3 straight = vec3_madd(start, vec3_sub(end, start), (time - from) / (to - from));
            most = real_max(most, vec3_length(vec3_sub(m->keys[i].offset, straight)));
        }
    }
    return most;
}

double motions_chord_deviation(const CordMotion* motions, int count, Pose pose, double from, double to)
{
    double deviation = 0.0;
    Pose end = pose;
    for (int i = 0; i < count; i++) {
        const CordMotion* m = &motions[i];
        if (m->kind == CORD_MOTION_ROTATE && !m->center_is_clamp) {
            double radius = real_max(vec3_length(vec3_sub(pose.point, m->center)),
                                     vec3_length(vec3_sub(end.point, m->center)));
            deviation += sagitta(radius, fabs(m->angle * (progress(m, to) - progress(m, from))));
        } else if (m->kind == CORD_MOTION_OSCILLATE) {
            double time = real_max(0.0, real_min(to, m->to) - real_max(from, m->from));
            deviation += sagitta(vec3_length(m->vector), 2.0 * CORD_PI * fabs(m->frequency) * time);
        } else if (m->kind == CORD_MOTION_KEYFRAMES) {
            deviation += keyframe_deviation(m, from, to);
        }
        pose = motion_apply(m, pose, from);
        end = motion_apply(m, end, to);
    }
    return deviation;
}

// ---- how fast they change

#define SMOOTH_PEAK (15.0 / 8.0) // the greatest rate of smootherstep

// Displacement between a key and the next, or the axis of the rotation times 2 sin(angle / 2).
static CordVec3 key_change(const CordMotion* m, int i, bool rotation)
{
    const CordKeyframe *a = &m->keys[i], *b = &m->keys[i + 1];
    if (!rotation) {
        return vec3_sub(b->offset, a->offset);
    }
    CordQuat q = quat_mul(quat_unit(b->rotation), quat_conjugate(quat_unit(a->rotation)));
    return vec3_mul((CordVec3){q.x, q.y, q.z}, copysign(2.0, q.w));
}

// Keys from `first` to `last` lead in one direction: like a translation that lasts as long, this is half an
// oscillation, and the faster where they go faster than on average.
static void add_stroke(const CordMotion* m, int first, int last, bool rotation, Drive* drive)
{
    double length = 0.0, lasts = m->keys[last].time - m->keys[first].time;
    for (int i = first; i < last; i++) {
        length += vec3_length(key_change(m, i, rotation));
    }
    for (int i = first; i < last && length > 0.0; i++) {
        const CordKeyframe *a = &m->keys[i], *b = &m->keys[i + 1];
        double part = vec3_length(key_change(m, i, rotation)) / length, time = b->time - a->time;
        double turn = rotation ? angle_between(quat_unit(a->rotation), quat_unit(b->rotation)) : 0.0;
        drive_add(drive, a->time, b->time,
                  real_max(CORD_PI * real_max(1.0 / lasts, part / time), turn / time));
    }
}

// Strokes that are over, or that begin after the longest step, do not matter.
static void add_keys(const CordMotion* m, bool rotation, Drive* drive)
{
    int last = 0;
    for (int first = 0; first + 1 < m->key_count && m->keys[first].time < drive->time + drive->step;
         first = last) {
        CordVec3 ahead = key_change(m, first, rotation);
        last = first + 1;
        while (last + 1 < m->key_count && vec3_dot(key_change(m, last, rotation), ahead) > 0.0) {
            last++;
        }
        if (!time_is_reached(drive->time, m->keys[last].time)) {
            add_stroke(m, first, last, rotation, drive);
        }
    }
}

void motions_add_drive(const CordMotion* motions, int count, Drive* drive)
{
    for (int i = 0; i < count; i++) {
        const CordMotion* m = &motions[i];
        bool turns = m->kind == CORD_MOTION_ROTATE;
        double peak = m->ease == CORD_EASE_SMOOTH ? SMOOTH_PEAK : 1.0, lasts = m->to - m->from;
        switch (m->kind) {
        case CORD_MOTION_OSCILLATE:
            drive_add(drive, m->from, m->to, 2.0 * CORD_PI * fabs(m->frequency));
            break;
        case CORD_MOTION_KEYFRAMES:
            add_keys(m, false, drive);
            add_keys(m, true, drive);
            break;
        case CORD_MOTION_TRANSLATE:
        case CORD_MOTION_ROTATE: // one that jumps only has an end
            drive_add(drive, m->from, m->to,
                      lasts > 0.0 ? real_max(CORD_PI, turns ? fabs(m->angle) : 0.0) * peak / lasts : 0.0);
            drive_add_event(drive, m->to);
            break;
        }
    }
}

static bool keys_change(const CordMotion* m, double from, double to)
{
    bool change = false;
    for (int i = 0; i + 1 < m->key_count; i++) {
        bool meanwhile = m->keys[i].time < to && m->keys[i + 1].time > from;
        CordVec3 moved = key_change(m, i, false), turned = key_change(m, i, true);
        change |= meanwhile && vec3_length(moved) + vec3_length(turned) > 0.0;
    }
    return change;
}

static bool motion_changes(const CordMotion* m, double from, double to)
{
    bool goes_on = progress(m, from) != progress(m, to);
    switch (m->kind) {
    case CORD_MOTION_TRANSLATE: return goes_on && vec3_length(m->vector) > 0.0;
    case CORD_MOTION_ROTATE: return goes_on && m->angle != 0.0;
    case CORD_MOTION_KEYFRAMES: return keys_change(m, from, to);
    case CORD_MOTION_OSCILLATE:
        return m->from < to && m->to > from && m->frequency != 0.0 && vec3_length(m->vector) > 0.0;
    }
    return false;
}

bool motions_change(const CordMotion* motions, int count, double from, double to)
{
    bool change = false;
    for (int i = 0; i < count; i++) {
        change |= motion_changes(&motions[i], from, to);
    }
    return change;
}

Pose pose_shifted(Pose pose, CordVec3 by)
{
    return (Pose){vec3_add(pose.point, by), pose.rotation};
}

CordVec3 pose_rotation_vector(Pose a, Pose b)
{
    CordQuat q = quat_mul(b.rotation, quat_conjugate(a.rotation));
    double side = q.w < 0.0 ? -1.0 : 1.0;
    CordVec3 axis = {side * q.x, side * q.y, side * q.z};
    double sine = vec3_length(axis), angle = 2.0 * cord_atan2(sine, side * q.w);
    return vec3_mul(axis, sine > 0.0 ? angle / sine : 2.0);
}
