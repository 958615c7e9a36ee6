// Obstacles of a world, with their poses during the step.
#ifndef CORD_WORLD_OBSTACLE_H
#define CORD_WORLD_OBSTACLE_H

#include "contact/mesh.h"
#include "contact/solid.h"
#include "rod/motion.h"
#include "rod/tally.h"

#include <cordage/contact.h>

typedef struct Obstacle {
    CordObstacleId id;
    char name[64];
    CordObstacleDef def;   // the rotation is unit; the obstacle owns name, motions and mesh
    Mesh mesh;             // empty unless the shape is a mesh
    CordVec3 drive_offset; // added to the motions, set from outside [m]
    CordQuat drive_rotation;
    Pose pose;              // after the last step or solve
    bool interpolates;      // in this step it moves in a straight line from `pose`
    double from, to;        // start and end of the step [s]
    CordVec3 force, torque; // contact force and torque about its position over the last step [N], [N m]
    CordVec3 force_asleep, torque_asleep; // part of them by rods that sleep
    // The same times the time over which they acted in it, for the ledger [N s], [N m s].
    CordVec3 impulse, angular_impulse;
    WorkTally tally; // of the ledger
} Obstacle;

static inline const Mesh* obstacle_mesh(const Obstacle* o) // NULL: an analytic solid
{
    return o->mesh.triangle_count > 0 ? &o->mesh : NULL;
}

Pose obstacle_pose_at(const Obstacle* obstacle, double time); // at any time during a step
// Returns the rotation angle between two times of the step [rad].
double obstacle_turn(const Obstacle* obstacle, double from, double to);
// Largest distance of its origin from the straight path [m]
double obstacle_detour(const Obstacle* obstacle, double from, double to);

#endif
