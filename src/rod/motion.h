// Prescribed motions of clamps and obstacles.
#ifndef CORD_ROD_MOTION_H
#define CORD_ROD_MOTION_H

#include "base/memory.h"
#include "base/message.h"
#include "math/vec3.h"

typedef struct Pose {
    CordVec3 point;
    CordQuat rotation; // from how it began
} Pose;

CordResult motion_check(const CordMotion* motion, Message* message);
Pose motion_apply(const CordMotion* motion, Pose pose, double time);
// after `from`, up to `to`: all of it at an instant?
bool motion_jumps(const CordMotion* motion, double from, double to);

// Those of one thing, in order. `whose` is for messages: "a clamp's motions". The copy owns its keyframes;
// NULL: no memory.
CordResult motions_check(const CordMotion* motions, int count, const char* whose, Message* message);
const CordMotion* motions_copy(Memory* m, const CordMotion* motions, int count);
void motions_free(Memory* m, const CordMotion* motions, int count); // NULL is fine
Pose motions_apply(const CordMotion* motions, int count, Pose pose, double time);
bool motions_jump(const CordMotion* motions, int count, double from, double to); // does any of them?
double motions_rotation_bound(const CordMotion* motions, int count, double from,
                              double to); // angle, no less than any turn they make [rad]

Pose pose_interpolate(Pose a, Pose b, double share); // points in a straight line, turns along the shorter arc
CordVec3 pose_rotation_vector(Pose a, Pose b);       // the turn from a to b, as axis times angle [rad]
bool pose_equals(Pose a, Pose b);
// How far they lead the point of a pose off the straight way from where it is at `from` to where it is at
// `to`, at the most [m].
double motions_chord_deviation(const CordMotion* motions, int count, Pose pose, double from, double to);

#endif
