// The Jacobian of contact points, and the keys under which they are found again.
#ifndef CORD_CONTACT_FRICTION_H
#define CORD_CONTACT_FRICTION_H

#include "contact/narrow_phase.h"

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
// The same for the turn of surface a relative to surface b, and a couple on a.
CordVec3 contact_point_gather_turn(const Colliders* cs, const ContactPoint* contact, const DofVector* move);
void contact_point_scatter_couple(const Colliders* cs, const ContactPoint* contact, CordVec3 couple,
                                  DofVector* move);
// Gives a contact of short segments its chords, at positions x.
void contact_point_set_chords(const Colliders* cs, const CordVec3* x, ContactPoint* contact);
static inline bool contact_point_has_chord(const ContactPoint* contact, int side)
{
    return contact->chord[side][0] != contact->chord[side][1];
}

// The velocity of a contact's solid at the point that is touched, at the start of the step [m/s]; 0 for a
// rod.
CordVec3 contact_point_solid_velocity(const ContactPoint* contact, const DofVector* velocity);

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

// The motion in the step of that point of the solid which was touched at its start [m]; 0 for a rod.
CordVec3 contact_point_solid_motion(const Colliders* cs, const ContactPoint* contact);
CordVec3 contact_point_solid_turn(const Colliders* cs, const ContactPoint* contact); // likewise [rad]

#endif
