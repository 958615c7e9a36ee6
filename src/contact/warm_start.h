// Warm starts: the contact forces of the last step or iterate, by the keys of their contact points.
#ifndef CORD_CONTACT_WARM_START_H
#define CORD_CONTACT_WARM_START_H

#include "contact/friction.h"

typedef struct WarmStart {
    ContactKey key;
    double normal;     // force along the normal [N]
    CordVec3 friction; // [N]
    bool slides;
    CordVec3 couple; // of its resistance to rolling and spinning [N m]
} WarmStart;

typedef struct WarmStarts {
    WarmStart* all; // sorted by key
    int count, capacity;
} WarmStarts;

bool warm_starts_reserve(Memory* m, WarmStarts* w, int count); // false: no memory
void warm_starts_sort(WarmStarts* w);
const WarmStart* warm_starts_find(const WarmStarts* w, const ContactPoint* contact); // NULL: there is none
bool warm_starts_copy(Memory* m, WarmStarts* to, const WarmStarts* from);            // false: no memory
void warm_starts_remap(WarmStarts* w, const ContactKeyRemap* by);                    // after remeshing
void warm_starts_free(Memory* m, WarmStarts* w);

#endif
