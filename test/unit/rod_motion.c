#include "check.h"
#include "math/elementary.h"
#include "rod/motion.h"

#define ROUND 2e-15

static const CordVec3 x_axis = {1, 0, 0}, y_axis = {0, 1, 0}, z_axis = {0, 0, 1};
static Message message;

static Pose began(void)
{
    return (Pose){{1, 2, 3}, quat_identity()};
}

static Pose at(CordMotion m, double time)
{
    CHECK_OK(motion_check(&m, &message));
    return motion_apply(&m, began(), time);
}

TEST(a_translation_is_nothing_before_and_all_after)
{
    CordMotion m = cord_motion_translate((CordVec3){2, 0, -4}, 1.0, 3.0);
    CHECK_VEC3(at(m, 0.0).point, ((CordVec3){1, 2, 3}), 0.0);
    CHECK_VEC3(at(m, 1.5).point, ((CordVec3){1.5, 2, 2}), ROUND);
    CHECK_VEC3(at(m, 3.0).point, ((CordVec3){3, 2, -1}), ROUND);
    CHECK_VEC3(at(m, 99.0).point, ((CordVec3){3, 2, -1}), 0.0);
}

TEST(a_smooth_motion_has_no_speed_or_acceleration_at_its_ends)
{
    CordMotion m = cord_motion_translate(x_axis, 0.0, 1.0);
    m.ease = CORD_EASE_SMOOTH;
    CHECK_NEAR(at(m, 0.5).point.x, 1.5, ROUND);                // half the way at half the time
    CHECK_NEAR(at(m, 0.25).point.x - 1.0, 0.103515625, ROUND); // 10 s^3 - 15 s^4 + 6 s^5
    double s = 1e-3;                                           // 10 s^3 is all that is left beside the ends
    CHECK_NEAR(at(m, s).point.x - 1.0, 10 * s * s * s, 2e-11);
    CHECK_NEAR(2.0 - at(m, 1.0 - s).point.x, 10 * s * s * s, 2e-11);
}

TEST(a_rotation_about_the_clamp_leaves_its_point)
{
    CordMotion m = cord_motion_rotate(z_axis, CORD_PI, 0.0, 2.0);
    Pose p = at(m, 1.0);
    CHECK_VEC3(p.point, began().point, 0.0);
    CHECK_VEC3(quat_rotate(p.rotation, x_axis), y_axis, ROUND); // half of half a turn
}

TEST(a_rotation_about_a_centre_carries_the_point_around)
{
    CordMotion m = cord_motion_rotate(z_axis, CORD_PI / 2, 0.0, 1.0);
    m.center_is_clamp = false, m.center = (CordVec3){1, 0, 0};
    Pose p = at(m, 1.0);
    CHECK_VEC3(p.point, ((CordVec3){-1, 0, 3}), ROUND);
    CHECK_VEC3(quat_rotate(p.rotation, x_axis), y_axis, ROUND);
}

TEST(many_turns_are_all_made)
{
    CordMotion m = cord_motion_rotate(x_axis, 2 * CORD_PI * 10, 0.0, 10.0);
    for (int i = 0; i < 40; i++) { // a quarter turn at a time
        CordVec3 now = quat_rotate(at(m, 0.25 * i).rotation, y_axis);
        // angles up to 63
        CHECK_VEC3(now, ((CordVec3){0, cos(i * CORD_PI / 2), sin(i * CORD_PI / 2)}), 30 * ROUND);
    }
}

TEST(turns_about_a_direction_count_every_one)
{
    for (int turns = -12; turns <= 12; turns++) {
        CordMotion m = cord_motion_rotate(x_axis, 2 * CORD_PI * turns, 1.0, 3.0);
        CHECK_NEAR(motions_turn(&m, 1, x_axis, 0.0, 9.0), 2 * CORD_PI * turns, 1e-13 * 100);
        CHECK_NEAR(motions_turn(&m, 1, x_axis, -INFINITY, 1.5), 0.5 * CORD_PI * turns, 1e-13 * 100);
        CHECK_NEAR(motions_turn(&m, 1, x_axis, 3.0, 2.0), -CORD_PI * turns, 1e-13 * 100); // and back
        m.to = m.from;                                                                    // at an instant
        CHECK_NEAR(motions_turn(&m, 1, x_axis, 0.0, 1.0), 2 * CORD_PI * turns, 1e-13 * 100);
    }
}

// As many samples as a count of each turn takes would not end.
TEST(turns_without_number_are_counted_at_once)
{
    CordMotion m[2] = {cord_motion_rotate(x_axis, 2e12 * CORD_PI, 0.0, 1.0),
                       cord_motion_rotate((CordVec3){-2, 0, 0}, 1e12 * CORD_PI, 0.0, 1.0)};
    CHECK_NEAR(motions_turn(m, 2, x_axis, 0.0, 1.0), 1e12 * CORD_PI,
               1.0); // 3e12 has four digits after the point
}

// A direction that goes around on a cone is back after each turn, and the object has turned once about it:
// the way back is the shortest, and takes up none of the turn. On a cone that opens backwards it turns the
// other way.
TEST(a_direction_on_a_cone_is_turned_about_once_each_time)
{
    for (int back = 0; back < 2; back++) {
        CordVec3 along = vec3_unit((CordVec3){back ? -1 : 1, 1.2, 0});
        CordMotion m = cord_motion_rotate(x_axis, 2 * CORD_PI * 7, 0.0, 1.0);
        CHECK_NEAR(motions_turn(&m, 1, along, 0.0, 1.0), (back ? -2 : 2) * CORD_PI * 7, 1e-11);
    }
}

TEST(keyframes_turn_by_the_shorter_arc_between_each_two)
{
    CordKeyframe keys[9];
    for (int i = 0; i < 9; i++) { // a third of a turn each
        keys[i] = (CordKeyframe){.time = i, .rotation = cord_quat_about(x_axis, 2 * CORD_PI * i / 3)};
    }
    CordMotion m = cord_motion_keyframes(keys, 9);
    CHECK_NEAR(motions_turn(&m, 1, x_axis, -1.0, 20.0), 2 * CORD_PI * 8 / 3, 1e-12);
    CHECK_NEAR(motions_turn(&m, 1, x_axis, 1.5, 6.0), 2 * CORD_PI * 4.5 / 3, 1e-12);
}

TEST(an_oscillation_starts_where_the_clamp_began)
{
    CordMotion m = cord_motion_oscillate((CordVec3){0, 0, 0.1}, 2.0, 0.3);
    CHECK_VEC3(at(m, -1.0).point, began().point, 0.0);
    CHECK_VEC3(at(m, 0.0).point, began().point, ROUND);
    for (double t = 0.0; t < 3.0; t += 0.1) {
        CHECK_NEAR(at(m, t).point.z, 3 + 0.1 * (sin(4 * CORD_PI * t + 0.3) - sin(0.3)), ROUND);
    }
    m.to = 0.2; // stops where it is
    CHECK_VEC3(at(m, 5.0).point, at(m, 0.2).point, 0.0);
}

TEST(keyframes_are_linear_between_and_held_outside)
{
    CordKeyframe keys[] = {{1.0, {0, 0, 0}, {0, 0, 0, 1}},
                           {2.0, {4, 0, 0}, {0, 0, 3, 3}},    // a quarter turn about z; need not be unit
                           {4.0, {4, 2, 0}, {0, 0, -3, -3}}}; // the same rotation with the other sign
    CordMotion m = cord_motion_keyframes(keys, 3);
    CHECK_VEC3(at(m, 0.0).point, began().point, 0.0);
    CHECK_VEC3(at(m, 1.25).point, ((CordVec3){2, 2, 3}), ROUND);
    CordVec3 turned = quat_rotate(at(m, 1.5).rotation, x_axis);
    // constant speed: an eighth at half time
    CHECK_VEC3(turned, ((CordVec3){sqrt(0.5), sqrt(0.5), 0}), ROUND);
    turned = quat_rotate(at(m, 1.25).rotation, x_axis);
    CHECK_VEC3(turned, ((CordVec3){cos(CORD_PI / 8), sin(CORD_PI / 8), 0}), ROUND);
    CHECK_VEC3(at(m, 3.0).point, ((CordVec3){5, 3, 3}), ROUND);
    CHECK_VEC3(quat_rotate(at(m, 3.0).rotation, x_axis), y_axis, ROUND); // does not go around for the sign
    CHECK_VEC3(at(m, 9.0).point, ((CordVec3){5, 4, 3}), ROUND);
}

// From the straight way at an even pace: a corner is as far from it as from the line between, and a stop on
// the way is one, too.
TEST(detours_are_from_the_straight_way)
{
    const CordKeyframe keys[] = {{.time = 0, .rotation = {0, 0, 0, 1}},
                                 {.time = 1, .offset = {1, 0, 0}, .rotation = {0, 0, 0, 1}},
                                 {.time = 2, .offset = {1, 1, 0}, .rotation = {0, 0, 0, 1}},
                                 {.time = 3, .offset = {1, 1, 0}, .rotation = {0, 0, 0, 1}}};
    CordMotion m = {.kind = CORD_MOTION_KEYFRAMES, .keys = keys, .key_count = 4};
    Pose pose = {{5, 0, 0}, {0, 0, 0, 1}};
    CHECK_NEAR(motions_chord_deviation(&m, 1, pose, 0.0, 1.0), 0.0, 0.0);
    CHECK_NEAR(motions_chord_deviation(&m, 1, pose, 0.0, 1.0 + 1e-12), 0.0,
               1e-11); // a step that ends just past a key
    CHECK_NEAR(motions_chord_deviation(&m, 1, pose, 0.0, 2.0), sqrt(0.5), 1e-15);
    CHECK_NEAR(motions_chord_deviation(&m, 1, pose, 1.5, 2.5), 0.25,
               1e-15); // half of the way in half of the time
}

TEST(one_keyframe_holds_for_ever)
{
    CordKeyframe key = {1.0, {1, 1, 1}, {0, 0, 0, 1}};
    CordMotion m = cord_motion_keyframes(&key, 1);
    CHECK_VEC3(at(m, 0.0).point, ((CordVec3){2, 3, 4}), 0.0);
    CHECK_VEC3(at(m, 2.0).point, ((CordVec3){2, 3, 4}), 0.0);
}

TEST(motions_combine_each_about_the_pose_before)
{
    CordMotion move = cord_motion_translate(x_axis, 0, 1),
               turn = cord_motion_rotate(z_axis, CORD_PI / 2, 0, 1);
    CordMotion tilt = cord_motion_rotate(x_axis, CORD_PI / 2, 0, 1);
    turn.center_is_clamp = false; // about the origin
    Pose p = motion_apply(&turn, motion_apply(&move, began(), 1.0), 1.0);
    CHECK_VEC3(p.point, ((CordVec3){-2, 2, 3}), ROUND); // moved first, then turned
    p = motion_apply(&move, motion_apply(&turn, began(), 1.0), 1.0);
    CHECK_VEC3(p.point, ((CordVec3){-1, 1, 3}), ROUND);
    p = motion_apply(&tilt, motion_apply(&turn, began(), 1.0), 1.0);
    CHECK_VEC3(quat_rotate(p.rotation, x_axis), z_axis, ROUND); // x to y, then y to z
}

static void refused(CordMotion m, const char* part)
{
    message.text[0] = '\0';
    CHECK_RESULT(motion_check(&m, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, part);
}

TEST(motions_that_make_no_sense_are_refused)
{
    refused(cord_motion_translate(x_axis, 2.0, 1.0), "end after it begins");
    refused(cord_motion_translate(x_axis, 0.0, INFINITY), "end after it begins");
    refused(cord_motion_translate(x_axis, NAN, 1.0), "end after it begins");
    refused(cord_motion_translate((CordVec3){NAN, 0, 0}, 0.0, 1.0), "finite");
    refused(cord_motion_rotate((CordVec3){0, 0, 0}, 1.0, 0.0, 1.0), "axis");
    refused(cord_motion_rotate(x_axis, INFINITY, 0.0, 1.0), "angle");
    refused(cord_motion_oscillate(x_axis, NAN, 0.0), "frequency");
    refused(cord_motion_oscillate(x_axis, 1.0, INFINITY), "phase");
}

TEST(keyframes_that_make_no_sense_are_refused)
{
    CordKeyframe keys[] = {{0.0, {0, 0, 0}, {0, 0, 0, 1}}, {1.0, {1, 0, 0}, {0, 0, 0, 1}}};
    refused(cord_motion_keyframes(keys, 0), "at least one");
    refused(cord_motion_keyframes(NULL, 2), "at least one");
    keys[1].time = 0.0;
    refused(cord_motion_keyframes(keys, 2), "keyframe 1 is not later");
    keys[1].time = NAN;
    refused(cord_motion_keyframes(keys, 2), "keyframe 1");
    keys[1] = (CordKeyframe){1.0, {0, 0, 0}, {0, 0, 0, 0}};
    refused(cord_motion_keyframes(keys, 2), "rotation that is not zero");
    keys[1] = (CordKeyframe){1.0, {0, INFINITY, 0}, {0, 0, 0, 1}};
    refused(cord_motion_keyframes(keys, 2), "offset");
}

// ---- how fast they change

static Drive drive_at(CordMotion m, double time)
{
    Drive d = {.time = time, .step = INFINITY, .event = INFINITY};
    motions_add_drive(&m, 1, &d);
    return d;
}

TEST(a_step_may_reach_into_a_motion_by_half_a_radian)
{
    CordMotion m = cord_motion_oscillate(x_axis, 300.0, 0.0);
    m.from = 0.1, m.to = 0.2;
    double fits = 0.5 / (2 * CORD_PI * 300.0);
    CHECK_NEAR(drive_at(m, 0.15).step, fits, ROUND);
    CHECK_NEAR(drive_at(m, 0.09).step, 0.01 + fits, ROUND);
    CHECK_NEAR(drive_at(m, 0.09).event, 0.1, 0.0);
    CHECK(drive_at(m, 0.1 - 1e-16).event == INFINITY); // a sum of steps that has come to 0.1
    CHECK(drive_at(m, 0.2).step == INFINITY && drive_at(m, 0.15).event == INFINITY);
    m = cord_motion_translate(x_axis, 0.1, 0.101);
    CHECK_NEAR(drive_at(m, 0.09).step, 0.01 + 0.5e-3 / CORD_PI, ROUND);
    CHECK(drive_at(m, 0.09).event == 0.1 && drive_at(m, 0.1).event == 0.101);
    m.to = m.from; // it jumps, in a step of any length
    CHECK(drive_at(m, 0.09).step == INFINITY && drive_at(m, 0.09).event == 0.1);
}

TEST(a_smooth_rotation_turns_by_half_a_radian_a_step)
{
    CordMotion m = cord_motion_rotate(x_axis, 100.0, 0.0, 1.0);
    m.ease = CORD_EASE_SMOOTH;
    double h = drive_at(m, 0.5).step;
    double turn = motions_turn(&m, 1, x_axis, 0.5 - 0.5 * h, 0.5 + 0.5 * h); // where it is fastest
    CHECK(turn <= 0.5 && turn > 0.499);
}

enum { A_PERIOD = 16, PERIODS = 3, KEYS = A_PERIOD * PERIODS + 1 };

// The longest and the shortest step that follow a motion of 1 rad/s, over its second period.
static void key_steps(const CordKeyframe* keys, double* least, double* most)
{
    CordMotion m = cord_motion_keyframes(keys, KEYS);
    *least = INFINITY, *most = 0.0;
    for (int i = A_PERIOD; i < 2 * A_PERIOD; i++) {
        double step = drive_at(m, 0.5 * (keys[i].time + keys[i + 1].time)).step;
        *least = fmin(*least, step), *most = fmax(*most, step);
    }
}

TEST(keyframes_have_the_rate_of_what_they_draw)
{
    CordKeyframe shake[KEYS], circle[KEYS], twist[KEYS];
    for (int i = 0; i < KEYS; i++) {
        double t = 2 * CORD_PI * i / A_PERIOD;
        shake[i] = (CordKeyframe){t, {0.01 * cord_sin(t), 0, 0}, quat_identity()};
        circle[i] = (CordKeyframe){t, {cord_cos(t), cord_sin(t), 0}, quat_identity()};
        twist[i] = (CordKeyframe){t, {0, 0, 0}, cord_quat_about(z_axis, 0.1 * cord_sin(t))};
    }
    double least, most;
    key_steps(shake, &least, &most);
    CHECK(most < 0.501 && least > 0.3); // a sine goes at up to pi / 2 times its mean speed
    key_steps(twist, &least, &most);
    CHECK(most < 0.501 && least > 0.3);
    key_steps(circle, &least, &most); // strokes of a quarter
    CHECK(most < 0.501 && least > 0.2);
}

TEST(a_jolt_among_keyframes_is_seen_before_it_comes)
{
    const CordKeyframe keys[] = {{0.0, {0, 0, 0}, {0, 0, 0, 1}},
                                 {1.0, {0.001, 0, 0}, {0, 0, 0, 1}},
                                 {1.001, {0.011, 0, 0}, {0, 0, 0, 1}},
                                 {2.0, {0.012, 0, 0}, {0, 0, 0, 1}},
                                 {3.0, {0.012, 0, 0}, {0, 0, 0, 1}}};
    CordMotion m = cord_motion_keyframes(keys, 5);
    double jolt = 0.5e-3 / CORD_PI * 12.0 / 10.0; // it is 10 of 12 mm
    CHECK_NEAR(drive_at(m, 0.99).step, 0.01 + jolt, 1e-12);
    CHECK_NEAR(drive_at(m, 1.0).step, jolt, 1e-12);
    CHECK(drive_at(m, 0.99).event == 1.0 && drive_at(m, 2.5).step == INFINITY);
}

TEST_GROUP(rod_motion)
