#include "export/keyframes.h"

#include <math.h>
#include <stdlib.h>

bool keyframes_make(Keyframes* m, int joints, int frames)
{
    size_t count = (size_t)joints * (size_t)frames;
    *m = (Keyframes){.joints = joints,
                     .frames = frames,
                     .translation = calloc(3 * count + 1, sizeof(float)),
                     .rotation = calloc(4 * count + 1, sizeof(float)),
                     .scale = calloc(3 * count + 1, sizeof(float))};
    if (!m->translation || !m->rotation || !m->scale) {
        keyframes_free(m);
        return false;
    }
    return true;
}

void keyframes_free(Keyframes* m)
{
    free(m->translation);
    free(m->rotation);
    free(m->scale);
    *m = (Keyframes){0};
}

// ---- poses

// The quaternion, scalar last, of the rotation that takes x, y and z to the axes. It is computed from its
// largest component, so that no digits are lost.
static void quat_from_axes(const CordVec3 axes[3], double q[4])
{
    const double m[3][3] = {{axes[0].x, axes[1].x, axes[2].x},
                            {axes[0].y, axes[1].y, axes[2].y},
                            {axes[0].z, axes[1].z, axes[2].z}};
    double trace = m[0][0] + m[1][1] + m[2][2];
    int i = m[0][0] >= m[1][1] && m[0][0] >= m[2][2] ? 0 : m[1][1] >= m[2][2] ? 1 : 2;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    if (trace > 0.0) {
        q[3] = 1.0 + trace;
        q[0] = m[2][1] - m[1][2], q[1] = m[0][2] - m[2][0], q[2] = m[1][0] - m[0][1];
    } else {
        q[i] = 1.0 + m[i][i] - m[j][j] - m[k][k];
        q[j] = m[j][i] + m[i][j], q[k] = m[k][i] + m[i][k], q[3] = m[k][j] - m[j][k];
    }
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int c = 0; c < 4; c++) {
        q[c] /= length;
    }
}

// q and -q are the same rotation, but interpolating from one to the other makes a whole turn. So each key
// takes the sign that is nearer to the previous key.
void keyframes_set(Keyframes* m, int joint, int frame, const Pose* pose)
{
    size_t at = (size_t)joint * (size_t)m->frames + (size_t)frame;
    const double t[3] = {pose->position.x, pose->position.y, pose->position.z};
    const double s[3] = {pose->scale.x, pose->scale.y, pose->scale.z};
    double q[4], along = 0.0;
    quat_from_axes(pose->axes, q);
    for (int c = 0; c < 4 && frame > 0; c++) {
        along += q[c] * (double)m->rotation[4 * (at - 1) + (size_t)c];
    }
    for (int c = 0; c < 4; c++) {
        m->rotation[4 * at + (size_t)c] = (float)(along < 0.0 ? -q[c] : q[c]);
    }
    for (int c = 0; c < 3; c++) {
        m->translation[3 * at + (size_t)c] = (float)t[c];
        m->scale[3 * at + (size_t)c] = (float)s[c];
    }
}

bool keyframes_change(const float* values, size_t width, int frames)
{
    for (size_t i = width; i < (size_t)frames * width; i++) {
        if (values[i] != values[i % width]) {
            return true;
        }
    }
    return false;
}
