// Small vectors, for what is made from a scene before there is a world.
#ifndef CORD_SCENE_SPACE_H
#define CORD_SCENE_SPACE_H

#include <cordage/cordage.h>

#include <math.h>

static inline CordVec3 space_add(CordVec3 a, CordVec3 b, double times) // a + times b
{
    return (CordVec3){a.x + times * b.x, a.y + times * b.y, a.z + times * b.z};
}

static inline CordVec3 space_sub(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline double space_dot(CordVec3 a, CordVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline CordVec3 space_cross(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double space_length(CordVec3 a)
{
    return sqrt(space_dot(a, a));
}

// Of unit length, or `instead` if a has no direction.
static inline CordVec3 space_unit(CordVec3 a, CordVec3 instead)
{
    double length = space_length(a);
    return length > 0.0 && isfinite(length) ? (CordVec3){a.x / length, a.y / length, a.z / length} : instead;
}

// By a unit quaternion: v + 2 w (u x v) + 2 u x (u x v), u its vector part.
static inline CordVec3 space_turn(CordQuat q, CordVec3 v)
{
    CordVec3 u = {q.x, q.y, q.z}, uv = space_cross(u, v);
    return space_add(space_add(v, uv, 2.0 * q.w), space_cross(u, uv), 2.0);
}

#endif
