// The ledger of a world: who has put how much energy and momentum into its rods and bodies, and whether that
// accounts for what they have now.
//
//     cord_ledger_open(world);
//     for (int n = 0; n < steps; n += every) {
//         cord_world_step_many(world, h, every);
//         cord_ledger_update(world);
//     }
//     CordLedger ledger;
//     cord_ledger_read(world, &ledger); // ledger.error: energy that came from nowhere, or was lost
//
// Contacts, what clamps do to the nodes of explicit rods, and all that acts on implicit and position-based
// rods are accounted for in every step, by the forces that the step has solved for: in its middle for the
// midpoint rule, at its end for backward Euler and position-based steps. Of explicit and modal rods
// the couples of clamps, loads, drag and internal damping are read at every update and integrated by the
// trapezoidal rule. One update a step is exact but for the integrator; fewer cost less.
#ifndef CORDAGE_LEDGER_H
#define CORDAGE_LEDGER_H

#include <cordage/cordage.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CordWork { // done on rods and bodies since the ledger was opened
    double work;          // [J]
    // Sum of the amounts of work, without their signs: (exchanged + work) / 2 was put in, and
    // (exchanged - work) / 2 taken [J].
    double exchanged;
    CordVec3 impulse; // [N s]
    CordVec3 angular; // impulse of the moments about the origin [N m s]
} CordWork;

typedef enum CordLedgerKind {
    CORD_LEDGER_GRAVITY, // its impulse; its work is in the energy
    CORD_LEDGER_CLAMP,
    CORD_LEDGER_LOAD,     // force, torque, spring, drag in still or moving air
    CORD_LEDGER_OBSTACLE, // work of a moving one, impulse of any
    CORD_LEDGER_DAMPING,  // in the material: never positive
    // Friction and impacts between surfaces, and what steps by the midpoint rule
    // lose that contact makes end in backward Euler.
    CORD_LEDGER_CONTACT,
    CORD_LEDGER_START, // a first step releases twist that nothing holds and projects velocities
    // Numerical dissipation, and energy that steps make ("made" and "taken" below): what backward Euler and
    // direct position-based steps take from the motion that they do not resolve,
    // never positive where the elastic energy is convex. They also take angular momentum. The midpoint rule
    // takes or makes little, unless its steps are too long for the motion. `exchanged` is the sum of what
    // was made and what was taken in each rod (cord_ledger_integrator).
    CORD_LEDGER_INTEGRATOR,
    // Rods and bodies that were created or destroyed, the work of clamps, loads and obstacles that were
    // destroyed, and what a rod stores more or less once a clamp lets go.
    CORD_LEDGER_CHANGES,
    CORD_LEDGER_REMESHING, // nodes that adaptive rods take in or give up: they move their neighbours
    // What the others do not account for: errors of the steps, engines of bodies, rigid impact zones, what
    // steps of modal rods in contact lose. Its `exchanged` is the turnover, the scale to compare it with.
    CORD_LEDGER_UNACCOUNTED,
    CORD_LEDGER_KIND_COUNT
} CordLedgerKind;

CORD_API const char* cord_ledger_kind_name(CordLedgerKind kind); // "gravity", ...; NULL past the last

typedef struct CordLedgerEntry {
    CordLedgerKind kind;
    int index;     // of the clamp, load or obstacle, in order of creation; 0 for the other kinds
    char name[96]; // "clamp 1 (rope)", "drag 2", "obstacle floor", "gravity" ...
    CordWork done;
} CordLedgerEntry;

typedef struct CordLedger {
    double from, to;             // time that it covers, up to the last update [s]
    double energy_start, energy; // of all rods and bodies: kinetic, elastic, of gravity [J]
    CordMomentum momentum_start, momentum;
    int entry_count;
    const CordLedgerEntry* entries; // (entry_count); valid until the next call of a ledger function
    // What the other entries do not account for, which is also the last entry.
    double error;           // energy - energy_start - work [J]; positive: energy from nowhere
    CordVec3 linear_error;  // [N s]
    CordVec3 angular_error; // about the origin [N m s]
    // The scale to compare the error and the integrator's work with: the largest, at any reading so far, of
    // the kinetic energy, of all that entries had put in, net, and of all that entries had taken. Work that
    // goes in and out again in every cycle of a motion does not add up in it [J].
    double turnover;
    // False: energy may seem to come from nowhere, and is no error of the steps. The weights of the paper's
    // position-based rods are no stiffness, ODE pushes bodies apart that overlap, and what the supports of
    // modal rods do within a step is known roughly.
    bool judged;
    bool complete; // judged, and every loss has an entry as well
    // What has losses without an entry: "bodies, fast projection". Modal rods have, and position-based rods
    // that are inextensible, have substeps or are solved by sweeps.
    char hidden_losses[160];
} CordLedger;

// Opens the ledger at the present state, with empty entries. A ledger that is open starts anew: do that after
// positions or velocities were set.
CORD_API CordResult cord_ledger_open(CordWorld* world);
CORD_API void cord_ledger_close(CordWorld* world);
CORD_API bool cord_ledger_is_open(const CordWorld* world);
CORD_API CordResult cord_ledger_update(CordWorld* world);
// The number of steps between two updates at which these cost little beside the steps.
CORD_API int cord_ledger_every(const CordWorld* world);
// Updates, and reads the ledger. Fails if it is not open.
CORD_API CordResult cord_ledger_read(CordWorld* world, CordLedger* ledger);

typedef struct CordIntegratorWork {
    double made;  // the most by which the energy that its steps left over has ever risen [J]
    double taken; // made - taken is all that they left over [J]
    // How its steps would have less numerical damping: "shorter steps ..."; NULL: its rule keeps energy where
    // steps resolve the motion.
    const char* advice;
} CordIntegratorWork;

// Of a rod, since the ledger was opened; zeros if it is not open, or no step leaves anything over that is
// known. What swings to and fro with the motion counts once.
CORD_API CordIntegratorWork cord_ledger_integrator(const CordWorld* world, CordRodId rod);

// The ledger is not part of the world's state. It goes back with a state that is set again after trial steps,
// if no other was taken in between. These bytes continue it in a world of the same scene whose state was set
// to that of the same moment.
CORD_API size_t cord_ledger_state_size(const CordWorld* world); // 0: not open
CORD_API CordResult cord_ledger_state_get(const CordWorld* world, void* bytes, size_t size);
CORD_API CordResult cord_ledger_state_set(CordWorld* world, const void* bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
