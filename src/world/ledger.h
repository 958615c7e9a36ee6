// The ledger's data in a world. cordage/ledger.h says what it is for.
#ifndef CORD_WORLD_LEDGER_H
#define CORD_WORLD_LEDGER_H

#include "world/world.h"

struct WorldLedger {
    double from, time; // when it was opened and last updated [s]
    int64_t steps;     // of the world at the last update
    double energy_start;
    CordMomentum momentum_start;
    double load_time; // loads are asked what they do then [s]
    double peak; // largest kinetic energy at a reading, or net work that was put in, or taken, up to it [J]
    WorkTally gravity, damping, contact, start, integrator, changes, remeshing;
    bool has_gaps;      // something was not counted, for want of memory
    bool has_slept;     // a rod has fallen asleep
    double released_at; // when clamps let go in the present step [s]
    CordWork stored;    // energy stored before they did, and angular momentum
    CordVec3* f;        // scratch: forces of a rod [N] (room)
    CordVec3* m1;       // scratch: its material frames (room)
    int room;
    void* marked; // bytes of the ledger when a state was last taken (marked_size); NULL: none
    size_t marked_size;
    uint64_t marked_hash;     // of that state
    CordLedgerEntry* entries; // (entry_capacity)
    int entry_capacity;
};

CordResult ledger_no_memory(CordWorld* w);
void ledger_add_work(CordWork* sum, double work, CordVec3 impulse, CordVec3 angular);
void ledger_add_to(CordWork* sum, const CordWork* part, double sign);

// Is all that its clamps, loads and integrator do known at both ends of a substep? Else updates sample it.
bool ledger_reads_steps(const Rod* rod);
// Queries have velocities as lengths allow; implicit steps and those by fast projection leave others. Adds
// the difference in energy and momenta, which is the integrator's.
void ledger_add_projected(CordWork* sum, const CordWorld* w, const Rod* rod);
// Samples of a rod, with its clamps and loads, and of a body at an update; memory must be reserved. Loads
// that are spread over rods are then finished.
CordResult ledger_sample_rod(CordWorld* w, Rod* rod);
// Work of torques since their last sample, while a start has turned frames [J].
double ledger_work_in_start(CordWorld* w);
CordResult ledger_sample_body(CordWorld* w, Body* body);
void ledger_finish_spread(WorkTally* tally, double dt);

CordVec3 ledger_pushed_by_contact(const CordWorld* w, const Clamp* clamp, int k); // its k-th node [N]
double ledger_turned_by_contact(const CordWorld* w, const Clamp* clamp);          // its frame [N m]
// Velocities of staggered steps lag behind positions, energies and momenta do not: what the clamp does in the
// time between them is counted by a reading, and not kept.
CordResult ledger_work_in_lag(const CordWorld* w, const Clamp* clamp, CordWork* sum);
// Elastic energy, that of gravity, and angular momentum, which all change where nodes move at once.
CordWork ledger_stored(const CordWorld* w);

#endif
