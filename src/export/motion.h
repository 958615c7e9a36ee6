// Poses of things over the frames of an export, in single precision, as files have them.
#ifndef CORD_EXPORT_MOTION_H
#define CORD_EXPORT_MOTION_H

#include <cordage/cordage.h>

typedef struct Motion {
    int joints, frames;
    float *translation, *rotation,
        *scale; // (joints x frames x 3, 4, 3); rotations as quaternions that do not jump from q to -q
} Motion;

typedef struct MotionPose {
    CordVec3 position; // [m]
    CordVec3 axes[3];  // unit, right-handed
    CordVec3 scale;
} MotionPose;

bool motion_make(Motion* m, int joints, int frames); // false: no memory
void motion_free(Motion* m);
void motion_set(Motion* m, int joint, int frame, const MotionPose* pose); // frame after frame

// Is any of a joint's values, of which each frame has `width`, another than in the first frame?
bool motion_changes(const float* values, size_t width, int frames);

#endif
