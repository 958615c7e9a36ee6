// Keyframes: poses of joints in every frame of an export, in single precision, as the files store them.
#ifndef CORD_EXPORT_MOTION_H
#define CORD_EXPORT_MOTION_H

#include <cordage/cordage.h>

typedef struct Keyframes {
    int joints, frames;
    float *translation, *rotation,
        *scale; // (joints x frames x 3, 4, 3); rotations are quaternions whose sign does not jump
} Keyframes;

typedef struct Pose {
    CordVec3 position; // [m]
    CordVec3 axes[3];  // unit, right-handed
    CordVec3 scale;
} Pose;

bool keyframes_make(Keyframes* m, int joints, int frames); // false: no memory
void keyframes_free(Keyframes* m);
void keyframes_set(Keyframes* m, int joint, int frame, const Pose* pose); // in the order of frames

// Does any value of a joint, of which each frame has `width`, differ from the first frame?
bool keyframes_change(const float* values, size_t width, int frames);

#endif
