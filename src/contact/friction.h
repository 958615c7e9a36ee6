// The Jacobian of contact points, and Coulomb friction with true sticking.
//
// A persistent contact has a friction anchor, a bristle between its two surfaces, whose deflection is how far
// the surfaces have moved over each other since they began to stick. Friction grows with the deflection to mu
// times the normal force at the slip length, a hundredth of a radius, and no further; a bristle that is
// deflected more is dragged along, and the contact slides. At rest the bristle holds, so nothing creeps.
// Within a step the normal force is that of its start. Regularised Coulomb friction of this kind goes back to
// Dahl (1968) and to Cundall and Strack (1979).
#ifndef CORD_CONTACT_FRICTION_H
#define CORD_CONTACT_FRICTION_H

#include "contact/narrow_phase.h"

#include <cordage/contact.h>

// A vector over the degrees of freedom of all colliders: displacements, or the forces that are their duals.
typedef struct DofVector {
    CordVec3* x;   // (node_count)
    double* spin;  // turns of segments about their own axes, or torques (segment_count)
    double* solid; // translation and rotation of each solid, or force and torque (6 solid_count)
} DofVector;

bool dof_vector_reserve(Memory* m, DofVector* move, const Colliders* cs, size_t* size); // false: no memory
void dof_vector_free(Memory* m, DofVector* move, size_t* size);
void dof_vector_clear(DofVector* move, const Colliders* cs);

// J u: the motion of surface a relative to surface b. J' f: adds a force on a, and its opposite on b, at the
// point between the surfaces. One is the transpose of the other, so momentum is conserved.
CordVec3 contact_point_gather(const Colliders* cs, const ContactPoint* contact, const DofVector* move);
void contact_point_scatter(const Colliders* cs, const ContactPoint* contact, CordVec3 force, DofVector* move);
// Gives a contact of short segments its chords, at positions x.
void contact_point_set_chords(const Colliders* cs, const CordVec3* x, ContactPoint* contact);
static inline bool contact_point_has_chord(const ContactPoint* contact, int side)
{
    return contact->chord[side][0] != contact->chord[side][1];
}
// Adds the mollifiers' forces.
void contact_points_add_mollifier(const Colliders* cs, const ContactPoints* contacts, DofVector* force);

typedef struct FrictionLaw {
    double friction; // of all pairs that `pairs` does not name; NAN: geometric mean of the two materials'
    const CordFrictionPair* pairs;
    int pair_count;
} FrictionLaw;

typedef struct FrictionCoefficients { // of a contact point
    double mu;                        // along rod a, or in all directions
    double across[2];                 // ratio of friction across a and b to that along
} FrictionCoefficients;

// Reads the contact's key and kind alone.
FrictionCoefficients contact_point_friction(const Colliders* cs, const ContactPoint* contact,
                                            const FrictionLaw* law);
// Friction in the unit direction e, over mu. `sides`: 2 for two rods, 1 for a rod on a solid.
double friction_anisotropy(const CordVec3 axis[2], const double across[2], int sides, CordVec3 e);

typedef struct FrictionAnchor {
    ContactPoint contact; // at the start of the step
    FrictionCoefficients grip;
    CordVec3 deflection; // at the start of the step [m]
    CordVec3 slip;       // present deflection [m]
    CordVec3 force;      // on a [N]
    bool slides;
} FrictionAnchor;

typedef struct FrictionWarmStart { // kept from one step to the next
    ContactKey key;
    CordVec3 deflection; // [m]
    CordVec3 force;      // on a, over the step [N]
    bool slides;
} FrictionWarmStart;

typedef struct FrictionAnchors {
    FrictionAnchor* all;
    int count, capacity;
    FrictionWarmStart* warm; // sorted by key
    int warm_count, warm_capacity;
} FrictionAnchors;

// ---- keys

// The key under which a contact is found again in the next step: no contact of another kind has the same.
ContactKey contact_persistent_key(const ContactPoint* contact);
// -1, 0 or 1, of persistent keys. Contact points come in this order, but for those of meshes.
int contact_key_compare(const ContactKey* p, const ContactKey* q);

// After remeshing: segment first + i is now[i], or -1 if its contacts are forgotten, for i < old_count. Later
// segments are `shift` further on.
typedef struct ContactKeyRemap {
    int first, old_count, shift;
    const int* now; // (old_count)
} ContactKeyRemap;
bool contact_key_remap(ContactKey* key, const ContactKeyRemap* shift); // false: the contact is forgotten

// ---- friction anchors

// The motion in the step of that point of the solid which was touched at its start [m]; 0 for a rod.
CordVec3 contact_point_solid_motion(const Colliders* cs, const ContactPoint* contact);

// Starts a step: anchors for the contacts that push, with deflections by warm start. False: no memory.
bool friction_anchors_begin(Memory* m, FrictionAnchors* s, const Colliders* cs, const ContactPoints* contacts,
                            const FrictionLaw* law);
// Sets slip and force after the surfaces have moved by u over each other since the start of the step.
void friction_anchor_update(FrictionAnchor* anchor, CordVec3 u);

typedef struct FrictionStiffness {
    CordVec3 e[2]; // unit, perpendicular to each other and to the normal
    double k[2];   // [N/m]
} FrictionStiffness;
// `secant`, 0 to 1, blends the stiffness along the slip from the tangent to the secant. With the secant,
// Newton's method cannot overshoot.
FrictionStiffness friction_anchor_stiffness(const FrictionAnchor* anchor, double secant);
// NULL: the contact did not push in the last step.
const FrictionWarmStart* friction_anchors_warm_start(const FrictionAnchors* s, const ContactPoint* contact);
bool friction_anchors_reserve(Memory* m, FrictionAnchors* s, int count); // warm starts; false: no memory
bool friction_anchors_end(Memory* m, FrictionAnchors* s); // keeps warm starts; false: no memory
void friction_anchors_free(Memory* m, FrictionAnchors* s);

#endif
