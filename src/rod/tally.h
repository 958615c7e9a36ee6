// What an actor (a clamp, a load, an obstacle) has done to the rods and bodies since the ledger was opened,
// and its forces when it was last sampled: world/ledger.h.
#ifndef CORD_ROD_TALLY_H
#define CORD_ROD_TALLY_H

#include <cordage/ledger.h>

// Forces of an actor at one time. Clamps and point loads push at one or two points and turn one frame.
typedef struct TallySample {
    bool valid;
    double time;         // [s]
    CordVec3 x[2], f[2]; // points [m] and the forces there [N]
    CordVec3 couple;     // [N m]
    CordVec3 acts;       // the couple that a step has solved for, where it is known [N m]
    CordVec3 t, m1;      // unit axes of the frame that the couple turns
    double turn;         // about t since the last sample, if it may be half a turn or more [rad]
    CordVec3 spin;       // of that frame about t, if it is known, or of a body that has no such frame [rad/s]
    // What held nodes carry: kinetic energy, momentum and angular momentum. The clamp gives them all of it.
    double kinetic;
    CordVec3 linear, angular;
} TallySample;

// A force that is spread over rods: its power, resultant and moment about the origin, summed over the rods
// with the weight that their steppers give to the start and to the end of a step.
typedef struct TallySpread {
    double power;           // [W]
    CordVec3 force, moment; // [N], [N m]
} TallySpread;

typedef struct RodTally { // frames of a rod at an end of a step
    int64_t revision;     // of the world, for which the others hold
    double inner;         // elastic energy and that of spin [J]
    CordVec3 spin;        // angular momentum [kg m^2/s]
    CordWork lost;        // in the present step, but for what the frames have more at its end
} RodTally;

// Energy that the integrator of a rod has made and taken, apart from each other. What swings to and fro with
// the motion counts once: made is the most by which the sum of both has ever risen above an earlier value.
typedef struct MadeTally {
    double by_contact;          // work on the frames in the present part of a step, which is contact's [J]
    CordVec3 turned_by_contact; // likewise, its moment on frames with inertia, times the time [N m s]
    double pending;             // by the present step, until it is accepted; negative: taken [J]
    double risen;               // of the sum above its lowest value so far [J]
    double made, taken; // `taken` is without the work of the projection of velocities, `projected` [J]
    double projected;   // work of that projection when energies were last added up [J]
    double moved;       // part of `projected` that the present step has booked to other entries [J]
} MadeTally;

typedef struct WorkTally {
    CordWork sum;
    CordWork pending; // by the present step, until it is accepted
    double counted;   // work at the last update, the part of it that `exchanged` knows [J]
    TallySample last;
    TallySpread start, next_start, end; // of the present interval, of the next one
} WorkTally;

#endif
