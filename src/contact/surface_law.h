// The laws of two surfaces in contact: friction, its couples, restitution and the compliance of obstacles.
// All solvers of contact read them here, once for each contact point.
#ifndef CORD_CONTACT_SURFACE_LAW_H
#define CORD_CONTACT_SURFACE_LAW_H

#include "contact/friction.h"

#include <cordage/contact.h>

typedef struct SurfaceLaws { // what the contact def says, and the state at the start of a step
    double friction; // of all pairs that `pairs` does not name; NAN: geometric mean of the two materials'
    double friction_kinetic; // likewise, of what slides; NAN: as `friction`
    const CordSurfacePair* pairs;
    int pair_count;
    double stick_speed;  // what slips faster has kinetic friction [m/s]
    double restitution;  // like `friction`; NAN: the larger one of the two materials'
    double impact_speed; // what approaches more slowly does not rebound [m/s]
    bool rolls;          // some surfaces resist rolling or spinning
    CordVec3 gravity;    // [m/s^2]
    // What all forces but contact change of the velocities in the step of explicit and position-based rods;
    // NULL: this is no step, so that nothing rebounds or gives way.
    const DofVector* kick;
    // velocities at the start of the step, of nodes, segments and solids; NULL: nothing moves then
    const DofVector* velocity;
} SurfaceLaws;

// Friction over its coefficient, by direction: the limit of the friction force on a in the unit direction e.
// Friction is opposite to the slip in all directions, so that it dissipates whatever these are.
typedef struct FrictionShape {
    double across[2];   // across rods a and b, over that along
    double backward[2]; // backwards along them, over that forwards
    bool even;          // alike in all directions
} FrictionShape;

typedef struct SurfaceLaw { // of a contact point
    double mu;              // static, along rod a forwards, or in all directions
    double mu_kinetic;      // likewise, of what slides
    FrictionShape shape;
    double restitution;
    double rolling,
        spinning; // largest couples about tangents and about the normal, over the normal force [m]
} SurfaceLaw;

// The two surfaces of a contact point. Reads its key, kind and parameters.
typedef struct SurfacePair {
    const ContactSurface *a, *b;
} SurfacePair;
SurfacePair contact_point_surfaces(const Colliders* cs, const ContactPoint* contact);
SurfaceLaw surface_pair_law(const SurfaceLaws* law, SurfacePair pair);
// The axes about which a contact resists turning: the normal and two tangents, scaled so that its couples are
// the sums of C_k axis[k] with |C_0| <= b_s f_n and |(C_1, C_2)| <= b_r f_n. A body resists about all axes. A
// rod resists about its own alone: that it tips or pivots where it lies along something is up to its next
// contacts, and couples that share it with them would be arbitrary. Two rods resist about both.
typedef struct TurningAxes {
    CordVec3 axis[3]; // 0: there is no couple about it
    CordVec3 dual[3]; // of a couple C: C_k = dual[k] . C
} TurningAxes;
TurningAxes contact_point_turning_axes(const Colliders* cs, const ContactPoint* contact);
// The coefficient of a step: static where the surfaces slip by no more than stick_speed at its start.
// `velocity` is that of surface a relative to surface b then [m/s].
double friction_coefficient(const SurfaceLaws* law, const SurfaceLaw* grip, CordVec3 n, CordVec3 velocity);
// Newton's law of impact. With the velocities u- before and u+ after a step in which surfaces meet, both laws
// of contact hold for u+ + e u-, in all directions (Moreau 1988): then no impact makes energy, with friction
// as well. What other forces do in the step comes on top, so that a rebound does no work against them.
typedef struct Rebound {
    double
        parts; // how far the gap is to grow in the step [m]; 0: the surfaces do not meet, or do not rebound
    CordVec3 slip; // to be added to the slip of the step [m]
} Rebound;

// `velocity` and `kick` are of surface a relative to b, and the gap is that at the start of the step of h.
Rebound surface_rebound(const SurfaceLaws* laws, const SurfaceLaw* law, CordVec3 n, CordVec3 velocity,
                        CordVec3 kick, double gap, double h);
// Friction in the unit direction e, over mu. `sides`: 2 for two rods, 1 for a rod on a solid.
double friction_anisotropy(const CordVec3 axis[2], const FrictionShape* shape, int sides, CordVec3 e);
// Shortens friction to its limit in its own direction. `most` is the limit where that is 1.
CordVec3 friction_within_cone(const CordVec3 axis[2], const FrictionShape* shape, int sides,
                              CordVec3 friction, double most);
// A compliant obstacle is a spring and a damper that cannot pull: f = k d + c d', with the depth d at the end
// of the step and its rate over the step. So the law of a rigid contact holds for gap + compliance f - asked.
typedef struct ContactSpring {
    double compliance; // [m/N]; 0: the contact is rigid
    double asked;      // [m]
} ContactSpring;

// `gap` is that at the start of the step of h.
ContactSpring contact_point_spring(const Colliders* cs, const ContactPoint* contact, double gap, double h);

#endif
