// The response of explicit rods: displacements of all contacts at once, such that nothing overlaps at the end
// of the step (ACM section 6, in the form that keeps angular momentum, too).
//
// A contact pushes along its normal at the start of the step, with equal and opposite displacements weighed
// by inverse masses, and never pulls; friction is at most mu times as much, and sticks where less will do.
// Each is corrected in turn until all hold (Gauss-Seidel). What was needed is kept and is the next step's
// first guess, so that stacks and knots at rest take few sweeps.
#ifndef CORD_CONTACT_IMPULSE_H
#define CORD_CONTACT_IMPULSE_H

#include "contact/blow.h"

typedef struct BlowPast {   // what sweeps do not look at
    int touch;              // of the touches
    double across[2];       // friction across a and b, over that along
    CordVec3 drift;         // at the start of the step [m]
    double gap;             // where things were measured [m]
    double push, push_step; // what it was after the last round, and by how much it grew in it
    CordVec3 drag, drag_step;
    bool rests;    // its rods are not busy
    double change; // of its displacement in the last round, over the radius
} BlowPast;

typedef struct BlowRod { // what a rod's contacts are about
    bool busy;           // they do not all hold yet
    double same, size;   // of the last round with the one before, and of that
    double share;        // what the last round did, of what the one before did
    bool leads;          // to all that would follow
    bool tells;          // how it gives way: see yield.h
} BlowRod;

typedef struct BlowMemory {
    TouchKey key;
    double force; // normal, over the step [N]
    CordVec3 friction;
    CordVec3 drift;
    bool slides;
} BlowMemory;

typedef struct Blows {
    Touches touches; // that may come to push
    Blow* all;
    BlowPast* past; // (count)
    int count, capacity, past_capacity;
    BlowMemory* kept; // sorted by key
    int kept_count, kept_capacity;
    StageMove moved; // by contact: displacements of nodes, turns of segments about their axes
    size_t moved_size;
    double* w; // inverse masses of nodes (stage.node_count)
    // inverse moments of inertia of segments about their axes; 0: they do not spin (stage.segment_count)
    double* w_spin;
    double* way; // how far each segment was to go when the blows were found [m] (stage.segment_count)
    int w_capacity, w_spin_capacity, way_capacity;
    bool by_rod;   // rods whose contacts all hold are left alone while others do not yet
    BlowRod* rods; // (stage.rod_count)
    int rod_capacity;
    double wanted; // gap that is to be there in the end, over the radius
    int rounds;    // of sweeps, in this try
    double share;  // of the last round, of what the one before did
    int sweeps;    // in the last step
    int64_t sweeps_in_all;
} Blows;

// At the start of a step, with the stage's `to` as predicted, w and w_spin filled in: all that may come to
// touch, with what was kept for a first guess, whose displacements are in `moved`. False: no memory.
bool blows_begin(Memory* m, Blows* b, Stage* st, const TouchLaw* law, const FrictionLaw* friction, double h);
// Measures gaps where things are now (the stage's `to`), and slips by how they have moved since the start of
// the step. Returns the deepest penetration, over the thinner radius.
double blows_measure(Blows* b, const Stage* st, const StageMove* since_begin);
// Which rods have contacts that do not hold to within `enough` of a radius, or that the last round has moved
// by more.
void blows_find_busy(Blows* b, const Stage* st, double enough);
// Sweeps over all until the worst has less than `enough` of its radius left to go, as far as the inverse
// masses tell, or `most` times. Returns the largest change of a displacement in the first sweep, over the
// radius.
double blows_sweep(Blows* b, double enough, int most);
// After a round of sweeps. What lengths take away of each round makes it slow: once every round does the same
// share of the one before, all that would follow is done at once (Aitken). True: it was.
bool blows_foresee(Blows* b, const Stage* st);
void blows_push(Blows* b, int blow, CordVec3 force); // adds what it displaces
CordVec3 blows_slip(const Blows* b, int blow);       // as measured, with what contact has moved since [m]
bool blows_reserve(Memory* m, Blows* b, int count);  // room to remember so many; false: no memory
bool blows_end(Memory* m, Blows* b, double h);       // the step stands; false: no memory
const BlowMemory* blows_remember(const Blows* b, const Touch* touch);
void blows_free(Memory* m, Blows* b);

#endif
