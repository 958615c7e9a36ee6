// Rigid bodies and obstacles look alike: what is drawn or exported is drawn from here.
#ifndef CORD_EXPORT_SOLID_H
#define CORD_EXPORT_SOLID_H

#include <cordage/cordage.h>

static inline CordObstacleShape solid_shape(CordBodyShape shape)
{
    switch (shape) {
    case CORD_BODY_SPHERE: break;
    case CORD_BODY_BOX: return CORD_OBSTACLE_BOX;
    case CORD_BODY_CYLINDER: return CORD_OBSTACLE_CYLINDER;
    case CORD_BODY_CAPSULE: return CORD_OBSTACLE_CAPSULE;
    }
    return CORD_OBSTACLE_SPHERE;
}

// A body as an obstacle of its shape, at its place.
static inline CordFrameObstacle solid_from_body(const CordFrameBody* body)
{
    return (CordFrameObstacle){.name = body->name,
                               .shape = solid_shape(body->shape),
                               .size = body->size,
                               .position = body->position,
                               .rotation = body->rotation};
}

// False for a joint of rods, which has no size.
static inline bool solid_is_seen(const CordFrameObstacle* solid)
{
    return solid->shape == CORD_OBSTACLE_PLANE || solid->shape == CORD_OBSTACLE_MESH || solid->size.x > 0.0;
}

#endif
