// The ledger's data in a world. cordage/ledger.h says what it is for.
#ifndef CORD_WORLD_LEDGER_H
#define CORD_WORLD_LEDGER_H

#include "world/world.h"

struct WorldLedger {
    double from, time; // when it was opened and last updated [s]
    int64_t steps;     // of the world at the last update
    double energy_start;
    CordMomentum momentum_start;
    double energy_before; // at the last update [J]
    double peak;          // largest kinetic energy or change of energy at an update [J]
    WorkTally gravity, damping, contact, start, integrator, changes;
    double released_at,
        stored;     // when clamps let go in the present step [s], and the energy stored before [J]
    double barrier; // energy of contact barriers at the last update [J]
    CordVec3* f;    // scratch: forces of a rod [N] (room)
    CordVec3* m1;   // scratch: its material frames (room)
    int room;
    CordLedgerEntry* entries; // (entry_capacity)
    int entry_capacity;
};

#endif
