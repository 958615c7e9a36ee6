// Free rigid bodies: the library's own engine. Bodies fly under gravity, wrenches and what rods do to them,
// and do not see each other. Momentum is kept to round-off and spinning is accurate, whatever the inertia.
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

void free_bodies_destroy(FreeBodies* all); // frees what is left of it

// Before a step, and should it fail: the same as its state as bytes, got and set, but quick.
void free_bodies_snapshot(FreeBodies* all);
void free_bodies_rollback(FreeBodies* all);
void free_body_state(FreeBody* body, Bytes* b); // of one

#endif
