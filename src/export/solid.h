// Rigid bodies and obstacles look alike: what is drawn or exported is drawn from here.
#ifndef CORD_EXPORT_SOLID_H
#define CORD_EXPORT_SOLID_H

#include <cordage/cordage.h>

static inline const CordSolidKind* solid_kind(const CordFrameObstacle* solid)
{
    return cord_solid_kind((int)solid->solid.shape);
}

// A body as an obstacle of its shape, at its place.
static inline CordFrameObstacle solid_from_body(const CordFrameBody* body)
{
    return (CordFrameObstacle){
        .name = body->name, .solid = body->solid, .position = body->position, .rotation = body->rotation};
}

// False for a joint of rods, which has no size.
static inline bool solid_is_seen(const CordFrameObstacle* solid)
{
    return solid_kind(solid)->size_count == 0 || solid->solid.size.x > 0.0;
}

#endif
