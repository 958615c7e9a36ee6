// What contact does not take at the start: rods inside each other or inside obstacles, unless they are
// untangled first, and rods or obstacles that do not go together.
#ifndef CORDAGE_CLI_OVERLAP_H
#define CORDAGE_CLI_OVERLAP_H

#include "place.h"

#include <cordage/contact.h>

#include <stdbool.h>

typedef struct OverlapReport {
    bool refused, overlaps; // overlaps: it is refused for that alone
    double depth;           // then [m]
    Place place;
    CordMessage message;
} OverlapReport;

// Of a scene where contact is on; any other is not refused.
OverlapReport overlap_look(CordWorld* world, const CordScene* scene);

// What is wrong has been said when it returns other than EXIT_GOOD.
int overlap_settle(CordWorld* world, const CordScene* scene, bool untangle);

#endif
