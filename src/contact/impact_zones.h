// The response as the paper has it (ACM sections 6.1 to 6.3): collisions that share points form impact zones;
// in each, one collision after the other is resolved by displacements along its normal, weighed by masses and
// barycentric coordinates (eq. 10), until none is deeper than the tolerance. It keeps linear momentum, not
// angular; its cost goes with the square of the contacts of a zone.
#ifndef CORD_CONTACT_IMPACT_ZONES_H
#define CORD_CONTACT_IMPACT_ZONES_H

#include "contact/gauss_seidel.h"

typedef struct Collision {
    ContactKind kind;
    int a, b; // segment; segment or solid
    int zone; // its root: see zones.c
} Collision;

typedef struct ImpactZones {
    Collision* all; // sorted by zone (count)
    int count, capacity;
    int* parent; // of each node of the colliders (colliders.node_count)
    int parent_capacity;
    int zone_count;     // in the last step, at the most
    int deepest_rounds; // iterations of the zone that took most
    int64_t rounds;     // in the last step, of all zones
    int collisions;     // likewise, at the most
} ImpactZones;

// Displaces the colliders' `to`, and notes it in `moved` (of solids: masses times what they took, the other
// way round), until penetrations are below `tolerance` of a radius, or `most` iterations of a zone are done.
// False: no memory. *left: the deepest that is left, over the radius.
bool impact_zones_resolve(Memory* m, ImpactZones* z, Colliders* cs, const ContactConstraints* b,
                          const FrictionLaw* law, double tolerance, int most, double* left);
void impact_zones_begin(ImpactZones* z); // a step: counts from nothing
void impact_zones_free(Memory* m, ImpactZones* z);

#endif
