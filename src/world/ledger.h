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
    double released_at; // when clamps let go in the present step [s]
    double stored;      // energy stored before they did [J]
    double barrier;     // energy of contact barriers at the last update [J]
    CordVec3* f;        // scratch: forces of a rod [N] (room)
    CordVec3* m1;       // scratch: its material frames (room)
    int room;
    CordLedgerEntry* entries; // (entry_capacity)
    int entry_capacity;
};

CordResult ledger_no_memory(CordWorld* w);
void ledger_add_work(CordWork* sum, double work, CordVec3 impulse, CordVec3 angular);
void ledger_add_to(CordWork* sum, const CordWork* part, double sign);

// Samples of a rod, with its clamps and loads, and of a body, dt after the ones before [s]; a rod's memory
// must be reserved. Loads that are spread over rods are then finished.
CordResult ledger_reserve_rod(CordWorld* w, const Rod* rod);
CordResult ledger_sample_rod(CordWorld* w, Rod* rod, double dt);
CordResult ledger_sample_body(CordWorld* w, Body* body);
void ledger_finish_spread(WorkTally* tally, double dt);

// Velocities of staggered steps lag behind positions, energies and momenta do not: what the clamp does in the
// time between them is counted by a reading, and not kept.
CordResult ledger_work_in_lag(const CordWorld* w, const Clamp* clamp, CordWork* sum);
// Elastic energy and that of gravity, which positions and clamps alone decide [J].
void ledger_forget_start(CordWorld* w); // the first step does not lose what the start has taken
double ledger_stored_energy(const CordWorld* w);

#endif
