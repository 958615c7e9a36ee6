// Prescribed motions of a clamp.
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
bool motion_jumps(const CordMotion* motion, double from, double to); // after `from`, up to `to`: all of it at an instant?
Pose pose_between(Pose a, Pose b, double share); // points in a straight line, turns along the shorter arc
bool pose_equals(Pose a, Pose b);

#endif
