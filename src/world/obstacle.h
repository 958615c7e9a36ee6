// Obstacles as the world keeps them: what they are, and where they are at any time of the step under way.
#ifndef CORD_WORLD_OBSTACLE_H
#define CORD_WORLD_OBSTACLE_H

#include "contact/mesh.h"
#include "contact/solid.h"
#include "rod/motion.h"

#include <cordage/contact.h>

typedef struct Obstacle {
    CordObstacleId id;
    char name[64];
    CordObstacleDef def;   // the rotation is unit; name, motions and mesh are our own
    Mesh mesh;             // of a mesh; else empty
    CordVec3 drive_offset; // on top of the motions, set from outside [m]
    CordQuat drive_rotation;
    Pose pose;              // where the last step, or solve, has left it
    bool interpolates;      // in the step under way it goes from there in a straight line
    double from, to;        // the time of that step [s]
    CordVec3 force, torque; // of all rods on it, over the last step, about its position [N], [N m]
} Obstacle;

static inline const Mesh* obstacle_mesh(const Obstacle* o) // NULL: a solid by formula
{
    return o->mesh.triangle_count > 0 ? &o->mesh : NULL;
}

Pose obstacle_pose_at(const Obstacle* obstacle, double time);           // during a step: at any time of it
double obstacle_turn(const Obstacle* obstacle, double from, double to); // angle [rad], likewise
double obstacle_detour(const Obstacle* obstacle, double from,
                       double to); // of its origin from the straight way, at the most [m]

#endif
