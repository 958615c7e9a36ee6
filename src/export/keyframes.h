// Poses of things over the frames of an export, in single precision, as files have them.
#ifndef CORD_EXPORT_MOTION_H
#define CORD_EXPORT_MOTION_H

#include <cordage/cordage.h>

typedef struct Keyframes {
    int joints, frames;
    float *translation, *rotation,
        *scale; // (joints x frames x 3, 4, 3); rotations as quaternions that do not jump from q to -q
} Keyframes;

typedef struct Pose {
    CordVec3 position; // [m]
    CordVec3 axes[3];  // unit, right-handed
    CordVec3 scale;
} Pose;

bool keyframes_make(Keyframes* m, int joints, int frames); // false: no memory
void keyframes_free(Keyframes* m);
void keyframes_set(Keyframes* m, int joint, int frame, const Pose* pose); // frame after frame

// Is any of a joint's values, of which each frame has `width`, another than in the first frame?
bool keyframes_change(const float* values, size_t width, int frames);

#endif
