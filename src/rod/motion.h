// Prescribed motions of clamps and obstacles.
#ifndef CORD_ROD_MOTION_H
#define CORD_ROD_MOTION_H

#include "base/memory.h"
#include "base/message.h"
#include "math/vec3.h"
#include "rod/drive.h"

typedef struct Pose {
    CordVec3 point;
    CordQuat rotation; // from the initial pose
} Pose;

CordResult motion_check(const CordMotion* motion, Message* message);
Pose motion_apply(const CordMotion* motion, Pose pose, double time);

// Motions of one object, applied in order. `whose` is for messages: "a clamp's motions". The copy owns its
// keyframes; NULL: no memory.
CordResult motions_check(const CordMotion* motions, int count, const char* whose, Message* message);
const CordMotion* motions_copy(Memory* m, const CordMotion* motions, int count);
void motions_free(Memory* m, const CordMotion* motions, int count); // NULL is fine
Pose motions_apply(const CordMotion* motions, int count, Pose pose, double time);
bool motions_jump(const CordMotion* motions, int count, double from, double to); // does any jump?
// Upper bound of the angle of rotation between two times [rad].
double motions_rotation_bound(const CordMotion* motions, int count, double from, double to);
// Angle by which the object turns about one of its directions between two times, full turns included [rad]:
// what remains of the rotation after the direction has gone the shortest way to where it is then. `direction`
// is a unit vector in the initial pose, and must not come to lie opposite to where it began.
double motions_turn(const CordMotion* motions, int count, CordVec3 direction, double from, double to);

// Does any of them lead elsewhere at some time after `from` and until `to`?
bool motions_change(const CordMotion* motions, int count, double from, double to);

void motions_add_drive(const CordMotion* motions, int count, Drive* drive);

Pose pose_shifted(Pose pose, CordVec3 by);
Pose pose_interpolate(Pose a, Pose b, double share); // linear in the point, slerp in the rotation
CordVec3 pose_rotation_vector(Pose a, Pose b);       // rotation from a to b, as axis times angle [rad]
// The same angle as in motions_turn, less full turns, in [-pi, pi]. `direction` is in the initial pose.
double pose_turn(Pose a, Pose b, CordVec3 direction);
bool pose_equals(Pose a, Pose b);
// Upper bound of the distance of the point's path from its chord between the times `from` and `to` [m].
double motions_chord_deviation(const CordMotion* motions, int count, Pose pose, double from, double to);

#endif
