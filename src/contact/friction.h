// What touches do to rods and solids, and friction: Coulomb's, with true sticking.
//
// A touch that lasts carries a drift: by how much its two surfaces have moved over each other since they
// began to stick. Friction pulls it back like a spring that yields: it grows with the drift to mu times the
// push at the slip length, a hundredth of a radius, and no further; what goes beyond is lost. At rest the
// spring holds, so nothing creeps. Within a step the push is that of its start.
#ifndef CORD_CONTACT_FRICTION_H
#define CORD_CONTACT_FRICTION_H

#include "contact/narrow_phase.h"

#include <cordage/contact.h>

// A change of all that is among the colliders, or the forces that go with it.
typedef struct DofVector {
    CordVec3* x;   // (node_count)
    double* spin;  // of segments about their own axes (segment_count)
    double* solid; // shift and turn, force and torque, of each solid (6 solid_count)
} DofVector;

bool dof_vector_reserve(Memory* m, DofVector* move, const Colliders* cs, size_t* size); // false: no memory
void dof_vector_free(Memory* m, DofVector* move, size_t* size);
void dof_vector_clear(DofVector* move, const Colliders* cs);

// How surface a moves over surface b at a touch; and a force on a, with its opposite on b, at the point
// between the surfaces. One is the transpose of the other, so momentum is kept.
CordVec3 contact_point_gather(const Colliders* cs, const ContactPoint* contact, const DofVector* move);
void contact_point_scatter(const Colliders* cs, const ContactPoint* contact, CordVec3 force,
                           DofVector* move); // adds
// adds what the barrier makes of mollifier_forces
void contact_points_add_mollifier(const Colliders* cs, const ContactPoints* contacts, DofVector* force);

typedef struct FrictionLaw {
    double friction; // NAN: of the surfaces
    const CordFrictionPair* pairs;
    int pair_count;
} FrictionLaw;

typedef struct FrictionCoefficients { // of a touch
    double mu;                        // along rod a, or in all directions
    double across[2];                 // across a and b, over that along
} FrictionCoefficients;

FrictionCoefficients contact_point_friction(const Colliders* cs, const ContactPoint* contact,
                                            const FrictionLaw* law); // by key and kind alone
// By how much friction in the unit direction e is more than mu has it: `sides` 2 for two rods, 1 for a solid.
double friction_anisotropy(const CordVec3 axis[2], const double across[2], int sides, CordVec3 e);

typedef struct FrictionAnchor {
    ContactPoint contact; // as it was at the start of the step
    FrictionCoefficients grip;
    CordVec3 deflection; // at the start of the step [m]
    CordVec3 slip;       // now: drift and what has been added since [m]
    CordVec3 force;      // on a [N]
    bool slides;
} FrictionAnchor;

typedef struct FrictionWarmStart { // of a touch, from one step to the next
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

ContactKey contact_persistent_key(const ContactPoint* contact); // one that no touch of another kind has
int contact_key_compare(
    const ContactKey* p,
    // -1, 0 or 1, of memory keys: that in which touches are found, but for those of meshes
    const ContactKey* q);
// Segments [first, first + old_count) have become others: now[i], or -1 if what is known of segment first + i
// says nothing any more; those after them are `shift` further on. False: the key's is such a one.
typedef struct ContactKeyRemap {
    int first, old_count, shift;
    const int* now; // (old_count)
} ContactKeyRemap;
bool contact_key_remap(ContactKey* key, const ContactKeyRemap* shift); // of memory keys
// of the point of a solid that was there at the start of the step; 0: it is a rod
CordVec3 contact_point_solid_motion(const Colliders* cs, const ContactPoint* contact);

// At the start of a step: those of its touches that push, with what is remembered of them. False: no memory.
bool friction_anchors_begin(Memory* m, FrictionAnchors* s, const Colliders* cs, const ContactPoints* contacts,
                            const FrictionLaw* law);
// Slips and forces after the surfaces have moved by u(touch) since the start of the step.
void friction_anchor_update(FrictionAnchor* anchor, CordVec3 u);
typedef struct FrictionStiffness {
    CordVec3 e[2]; // unit, at right angles to each other and to the normal
    double k[2];   // [N/m]
} FrictionStiffness;
// `secant`, 0 to 1: how much of the stiffness of a spring that ends where it is now goes into that along the
// slip, beyond its own. With all of it, Newton's method cannot overshoot.
FrictionStiffness friction_anchor_stiffness(const FrictionAnchor* anchor, double secant);
const FrictionWarmStart* friction_anchors_warm_start(
    const FrictionAnchors* s, const ContactPoint* contact); // NULL: nothing is known of it
bool friction_anchors_reserve(Memory* m, FrictionAnchors* s,
                              int count); // room to remember so many; false: no memory
bool friction_anchors_end(Memory* m,
                          FrictionAnchors* s); // the step stands: drifts are kept. False: no memory
void friction_anchors_free(Memory* m, FrictionAnchors* s);

#endif
