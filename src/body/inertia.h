// Inertia tensors, as six numbers xx yy zz xy xz yz, and their principal axes.
#ifndef CORD_BODY_INERTIA_H
#define CORD_BODY_INERTIA_H

#include "base/message.h"
#include "math/vec3.h"

typedef struct Principal {
    double moments[3]; // [kg m^2]
    CordQuat axes;     // rotates x, y, z to the principal axes
} Principal;

static inline CordVec3 tensor_mul(const double t[6], CordVec3 a)
{
    return (CordVec3){t[0] * a.x + t[3] * a.y + t[4] * a.z, t[3] * a.x + t[1] * a.y + t[5] * a.z,
                      t[4] * a.x + t[5] * a.y + t[2] * a.z};
}

void tensor_add_point(double t[6], double mass, CordVec3 arm); // adds a point mass at the end of an arm
void tensor_rotate(CordQuat q, const double t[6], double turned[6]);
CordVec3 tensor_solve(const double t[6], CordVec3 a); // t^-1 a by L D L', t positive definite

Principal inertia_principal(const double tensor[6]);

// Refuses tensors that no body has: principal moments must be positive, and none larger than the other two
// together.
CordResult inertia_check(const double tensor[6], const char* name, Message* message);

#endif
