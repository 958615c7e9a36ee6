// Moments of inertia, about principal axes. Tensors are six numbers: xx yy zz xy xz yz.
#ifndef CORD_BODY_INERTIA_H
#define CORD_BODY_INERTIA_H

#include "base/message.h"
#include "math/vec3.h"

typedef struct Principal {
    double moments[3]; // [kg m^2]
    CordQuat axes;     // turns x, y, z into the principal axes
} Principal;

static inline CordVec3 tensor_mul(const double t[6], CordVec3 a)
{
    return (CordVec3){t[0] * a.x + t[3] * a.y + t[4] * a.z, t[3] * a.x + t[1] * a.y + t[5] * a.z,
                      t[4] * a.x + t[5] * a.y + t[2] * a.z};
}

void tensor_add_point(double t[6], double mass, CordVec3 arm); // of a point mass at the end of an arm
void tensor_turn(CordQuat q, const double t[6], double turned[6]);
CordVec3 tensor_solve(const double t[6], CordVec3 a); // t^-1 a of a positive definite tensor

Principal inertia_principal(const double tensor[6]);

// Refuses what no body can have: moments that are not positive, or one larger than the other two together.
CordResult inertia_check(const double tensor[6], const char* name, Message* message);

#endif
