// Free rigid bodies: the built-in engine. Bodies move under gravity, wrenches and rods, and do not collide
// with each other. Momentum is conserved to round-off; free rotation is a symplectic splitting, accurate for
// any inertia.
#ifndef CORD_BODY_FREE_H
#define CORD_BODY_FREE_H

#include "base/bytes.h"
#include "base/list.h"
#include "base/memory.h"

#include <cordage/body.h>

typedef struct FreeBody FreeBody;

typedef struct FreeBodies {
    Memory* memory;
    List bodies; // in order of creation
} FreeBodies;

extern const CordBodyEngine body_engine_free; // its user is a FreeBodies with `memory` set

void free_bodies_destroy(FreeBodies* all); // frees all bodies

// Snapshot before a step, and rollback if it fails: the same as state_get and state_set, but faster.
void free_bodies_snapshot(FreeBodies* all);
void free_bodies_rollback(FreeBodies* all);
void free_body_state(FreeBody* body, Bytes* b); // of one body

#endif
