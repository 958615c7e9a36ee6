// The Jacobian J of a contact between two segments changes as these move: the contact point slides along
// them, and the normal, the arms and the chords turn. Its derivative is the geometric stiffness of friction,
// as the second derivative of the gap is that of the normal force.
#ifndef CORD_CONTACT_CONTACT_TURNING_H
#define CORD_CONTACT_CONTACT_TURNING_H

#include "contact/narrow_phase.h"

#define TURNING_NODES 8 // the ends of a's segment and of its chord, then those of b

typedef struct ContactTurning { // derivatives of the contact along a motion of its nodes
    CordVec3 n;
    CordVec3 axis[2], chord[2];
    double s[2];   // of the points on the two segments
    double arm[2]; // along n [m]
    double inv[2]; // 1 / length of the chord [1/m]
    double roll[2];
} ContactTurning;

typedef struct TurningForces {
    CordVec3 node[TURNING_NODES]; // [N]
    double torque[2];             // about the axes of the segments [N m]
} TurningForces;

typedef struct TurningMotion { // of the nodes and segments
    CordVec3 node[TURNING_NODES];
    double spin[2];
} TurningMotion;

// `move`: of the nodes. A segment without a chord turns with its ends, and those of the chord do not count.
ContactTurning contact_turning(const Colliders* cs, const ContactPoint* contact,
                               const CordVec3 move[TURNING_NODES]);
// The derivative of J' f, where f changes by df. A segment without a chord has the couple on its ends in
// place of those of the chord.
TurningForces contact_turning_forces(const Colliders* cs, const ContactPoint* contact,
                                     const ContactTurning* by, CordVec3 f, CordVec3 df);
// The derivative of J u.
CordVec3 contact_turning_motion(const Colliders* cs, const ContactPoint* contact, const ContactTurning* by,
                                const TurningMotion* u);

#endif
