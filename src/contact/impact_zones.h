// Impact zones (ACM sections 6.1 to 6.3; Provot 1997): collisions that share nodes form a zone. In each zone,
// one collision after the other is resolved by displacements along its normal, weighted by masses and
// barycentric coordinates (ACM eq. 10), until none is deeper than the tolerance. The method conserves linear
// momentum, not angular momentum, and its cost grows with the square of the collisions in a zone.
#ifndef CORD_CONTACT_IMPACT_ZONES_H
#define CORD_CONTACT_IMPACT_ZONES_H

#include "contact/constraint.h"

typedef struct Collision {
    ContactKind kind;
    int a, b; // segment; segment or solid
    int zone; // root node of its zone
} Collision;

typedef struct ImpactZones {
    Collision* all; // sorted by zone (count)
    int count, capacity;
    int* parent; // union-find forest over the nodes (colliders.node_count)
    int parent_capacity;
    int zone_count;     // in the last step, at the most
    int deepest_rounds; // most iterations of any zone
    int64_t rounds;     // in the last step, of all zones
    int collisions;     // most in the last step
} ImpactZones;

// Displaces the colliders' `to` until penetrations are below `tolerance` of a radius, or a zone has taken
// `most` iterations, and adds the displacements to `moved` (for a solid: minus mass times displacement, and
// its moment). False: no memory. *left: the deepest penetration that is left, over the radius.
bool impact_zones_resolve(Memory* m, ImpactZones* z, Colliders* cs, const ContactConstraints* b,
                          const SurfaceLaws* law, double tolerance, int most, double* left);
void impact_zones_begin(ImpactZones* z); // starts a step: resets the counters
void impact_zones_free(Memory* m, ImpactZones* z);

#endif
